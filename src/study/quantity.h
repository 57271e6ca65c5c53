/** Numbers by name from the folder of a level.  Layer study. */
#pragma once

#include "study/study.h"

/** Unit of a column of history.csv by the end of its name; "" when it depends or there is none. */
const char *sup_quantity_unit(const char *column);
/** "rad or m" becomes the unit of the joint that the column names. */
void sup_quantity_choose_unit(sup_quantity_def *def, const sup_model_def *model);
/** Read one entry of `quantities`: a column's name, or {column, take, from, to, scale, unit,
 * reference}, or {summary, scale, unit, reference}. */
SUP_NODISCARD sup_status sup_quantity_read_def(sup_node *node, sup_quantity_def *def);
/** The same of an entry without a name of its own. */
SUP_NODISCARD sup_status sup_quantity_read_part(sup_node *node, const char *name,
                                                sup_quantity_def *def);
/** A number of any dimension, in SI. */
SUP_NODISCARD sup_status sup_quantity_read_number(sup_node *node, const char *name, double *value);
/** The column must be one of `columns`, names separated by commas.  E_PARSE lists them, the nearest
 * first. */
SUP_NODISCARD sup_status sup_quantity_check(const sup_quantity_def *def, const char *columns);
/** The number from FOLDER/history.csv or FOLDER/summary.json.  E_PARSE: there is none, with
 * the reason and the names. */
SUP_NODISCARD sup_status sup_quantity_value(const sup_quantity_def *def, const char *folder,
                                            double *value);
/** All rows of a column of FOLDER/history.csv times the scale, with `take: change` less the first:
 * value [num], which the caller frees; SUP_NO_NUMBER where a field is empty. */
SUP_NODISCARD sup_status sup_quantity_series(const sup_quantity_def *def, const char *folder,
                                             int *num, double **value);
/** A number of FOLDER/summary.json or another JSON file by its path, "dofs.total"; keys may hold
 * dots.  E_ARG: not there; the message lists the existing ones. */
SUP_NODISCARD sup_status sup_json_file_number(const char *file, const char *path, double *value);
