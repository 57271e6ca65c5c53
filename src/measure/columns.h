/** Columns of a history: every observable of everything in a scene, in one order.  Layer measure.
 */
#pragma once

#include "measure/observable.h"

/** One observable of one thing, the index-th of its group. */
typedef sup_status sup_columns_put(const sup_observable *observable, const char *prefix, int index,
                                   void *user);
/** Call `put` for every observable of every thing of the scene, in the order of the columns. */
SUP_NODISCARD sup_status sup_columns_visit(const sup_model *model, const sup_options *options,
                                           const sup_column_def *def, sup_columns_put *put,
                                           void *user);
/** The time, and the observables with a column that def->name has; def: passes
 * sup_columns_check. */
SUP_NODISCARD sup_status sup_columns_visit_named(const sup_model *model, const sup_options *options,
                                                 const sup_column_def *def, sup_columns_put *put,
                                                 void *user);
/** near [SUP_COLUMN_MAX] := the column, if it is nearer to the name; near empty: none yet. */
void sup_column_take_nearer(const char *name, const char *column, char *near);
/** E_ARG: no column has the name; near may be empty. */
SUP_NODISCARD sup_status sup_column_refuse(const char *what, const char *name, const char *near);
/** Two bodies by their names, which the model knows. */
sup_column_pair sup_columns_pair(const sup_observation *obs, char (*name)[2 * SUP_NAME_MAX]);
/** E_ARG names the wrong pair, probe or column of the definition. */
SUP_NODISCARD sup_status sup_columns_check(const sup_model *model, const sup_options *options,
                                           const sup_column_def *def);
