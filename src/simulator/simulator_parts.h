/** A state with its stepper and its results.  Layer simulator: functions for programs that
 * drive a simulation, over steps and observers; knows no files of scenes.  Private to the layer. */
#pragma once

#include "collide/overlap.h"
#include "measure/event_watch.h"
#include "simulator/watch.h"
#include "step/result.h"
#include "supple/simulator.h"

/** Numbers of all objects of a kind, one behind the other. */
typedef struct sup_read_buffer {
  double *value;
  int     is_fresh; /* of the last step */
} sup_read_buffer;

/** An observable of one object. */
typedef struct sup_simulator_column {
  char                  name[SUP_COLUMN_MAX];
  const sup_observable *observable;
  int                   index, k; /* of the object in its group; of the column in the observable */
} sup_simulator_column;

struct sup_simulator {
  const sup_model           *model;
  sup_options                options;
  sup_state                 *state, *first; /* now; at time 0 */
  sup_state                 *kept;          /* before a state was set; NULL: none was */
  sup_state                 *trial; /* of sup_simulator_evaluate; NULL: none was asked for */
  sup_step_result            trial_result;
  sup_frame                 *trial_X; /* [num_bodies] with trial, as the velocities */
  sup_v3                    *trial_w, *trial_v;
  sup_overlaps               overlaps; /* of the last measurement; model NULL: there was none */
  int                        is_new;   /* 1: a state that was not looked at yet */
  sup_stepper               *stepper;
  sup_event_watch           *events;     /* NULL: none */
  const sup_step_result     *result;     /* that led to the state, or the observation there */
  sup_step_report            report;     /* of the last step; zero: none was made */
  int                        has_failed; /* the step that the stepper did last */
  const sup_simulator_watch *watch;      /* NULL: none */
  sup_observation            obs;
  int                        has_motion, has_stress; /* of the last step, in obs */
  sup_soft_account           account;
  sup_read_buffer            read[SUP_NUM_QUANTITIES];
  sup_contact_patch         *patch;       /* [patch_start[num_pairs]] by pairs */
  int                       *patch_start; /* [num_pairs + 1] */
  size_t                     patch_capacity;
  int                        has_patches; /* of the last step */
  int                        num_pairs;   /* of the definition, as num_probes */
  char (*pair_name)[2][2 * SUP_NAME_MAX];
  sup_column_pair      *pair;
  int                   num_probes;
  sup_probe_def        *probe_def;
  sup_probe            *probe;
  sup_simulator_column *column; /* [num_columns]; NULL: none requested */
  int                   num_columns;
  size_t                column_capacity;
};

/** Look at a new state before it is read or left: contacts in reach, energies; no forces. */
SUP_NODISCARD sup_status sup_simulator_arrive(sup_simulator *simulator);
/** Forget readings of the state before. */
void sup_simulator_leave(sup_simulator *simulator);
/** obs := poses and pairs of the last step, or all of it. */
void sup_simulator_update_observation(sup_simulator *simulator, int with_stress);
/** E_ARG: there is no such object. */
SUP_NODISCARD sup_status sup_simulator_check(const sup_simulator *simulator, sup_object kind,
                                             int handle);
/** Tree and link of a body or joint; 0: it is a soft body. */
int sup_simulator_link(const sup_simulator *simulator, int body, int *tree, int *link);
/** E_ARG: a constraint is farther from its place, or a joint farther beyond a limit, than before.
 */
SUP_NODISCARD sup_status sup_simulator_check_places(const sup_simulator *simulator,
                                                    const sup_state *before, sup_arena *arena);
