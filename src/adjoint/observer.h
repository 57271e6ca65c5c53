/** Columns of history.csv as functions of a state and its result.  Layer adjoint. */
#pragma once

#include "measure/columns.h"

/** A column by its name. */
typedef struct sup_observed_column {
  const char           *name;
  const sup_observable *observable; /* NULL: not found yet */
  int                   index, k;   /* of the thing in its group; of the column in the observable */
} sup_observed_column;

typedef struct sup_observer {
  sup_observation      obs;
  sup_column_pair     *pair;
  int                  num_probes;
  sup_probe           *probe;  /* [num_probes] */
  sup_observed_column *column; /* [num_columns] */
  int                  num_columns;
  bool                 needs_stress; /* some column is not of motion */
  bool                 has_account;  /* energies of soft bodies are summed over steps of motion */
  sup_soft_account     account;
} sup_observer;

/** Find the columns `name` [num] of a scene.  E_ARG: there is none of a name.  Empty on failure. */
SUP_NODISCARD sup_status sup_observer_create(sup_observer *observer, const sup_model *model,
                                             const sup_options *options, const sup_column_def *def,
                                             const char *const *name, int num);
void                     sup_observer_free(sup_observer *observer);
/** out [num_columns] := values at the state; not finite: none at this moment.
 *  @param[in] is_motion  contacts and poses alone: 0 for columns that need more */
void sup_observer_measure(sup_observer *observer, const sup_state *state,
                          const sup_step_result *result, const sup_step_report *report,
                          int is_motion, double *out);
/** Begin the energy account of soft bodies at the state that was measured last. */
void sup_observer_begin_account(sup_observer *observer);
/** Add a step to the account. */
void sup_observer_account(sup_observer *observer, const sup_step_report *report);
/** 1: poses and contacts alone decide the column. */
bool sup_observer_is_of_motion(const sup_observer *observer, int column);
/** Number of contacts that press. */
int sup_count_pressing(const sup_step_result *result);
/** Depth of the deepest contact [m]. */
double sup_contacts_depth(const sup_contact_list *list);
