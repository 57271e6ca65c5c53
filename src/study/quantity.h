/** Numbers by name from the folder of a level.  Layer study. */
#pragma once

#include "study/study.h"

/** Unit of a column of history.csv by the end of the column's name; "" for none or several. */
const char *sup_quantity_unit(const char *column);
/** "rad or m" becomes the unit of the joint that the column names; a sum has that of its parts.
 * E_PARSE: the parts have several units. */
SUP_NODISCARD sup_status sup_quantity_choose_unit(sup_quantity_def    *def,
                                                  const sup_model_def *model);
/** Read one entry of `quantities` as the study's next: a column's name, or {column, take, ..},
 * {summary, ..} or {sum, ..}. */
SUP_NODISCARD sup_status sup_quantity_read_def(sup_study *study, sup_node *node);
/** The same of an entry without a name of its own.
 *  @param[in] study  NULL: without tables and sums */
SUP_NODISCARD sup_status sup_quantity_read_part(const sup_study *study, sup_node *node,
                                                const char *name, sup_quantity_def *def);
void                     sup_quantity_free(sup_quantity_def *def);
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
