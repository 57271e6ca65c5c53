/** Parts of a step: results of increments inside one step, and their joint result.  Layer step.
 *
 *  Parts are the halves of controlled steps (step/control/error_control.h) and the equal parts of a
 * step in which the solver failed.  The pipeline's arena holds the result of one increment until
 * the next increment; a part is a copy. */
#pragma once

#include "step/control/reversal.h"
#include "step/result.h"
#include "supple.h"

/** Result of an increment without its state; memory that outlives the arena's reset. */
typedef struct sup_step_part {
  double         *effort, *force; /* [SUP_NUM_JOINT_ROLES x num_v], [num_vertices x 3] */
  double         *impulse; /* [num_vertices x 3] sup_state.impulse_before; NULL without BDF2 */
  sup_wrench     *wrench, *reaction; /* [sup_model_num_wrenches], [num_dirichlet] */
  sup_soft_spin  *spin;              /* [num_softs] */
  sup_pair_load  *pair;              /* [num_pairs of the model] */
  unsigned char  *touch;             /* [num_trees + num_softs] 1: touches something */
  double          contact_energy;
  int             touches; /* contacts, limits or drives had rows */
  int             changes; /* a contact of a soft body opened or closed */
  int             has_barrier;
  sup_step_report report;
} sup_step_part;

typedef struct sup_step_parts {
  sup_state    *whole, *halves; /* states after one step of h and after two steps of h/2 */
  sup_state    *brief;          /* after a small share of h */
  sup_stick     stick[2];       /* of the last half, and of the brief step */
  sup_step_part one, first, second;
  sup_flight   *flight; /* [num_trees + num_softs] */
  double       *off;    /* [num_v] sup_step_result.joint_off */
  unsigned char
      *rests; /* [num_pairs of the model] at the end of the first half (step/control/reversal.h) */
} sup_step_parts;

SUP_NODISCARD sup_status sup_step_parts_create(sup_step_parts **parts, const sup_model *model,
                                               const sup_options *options);
void                     sup_step_parts_destroy(sup_step_parts **parts);

/** Add the work of an increment, also of one that failed, to `all`. */
void sup_step_work_add(const sup_step_report *of, sup_step_report *all);
/** Set the report's work to that of `of`. */
void sup_step_work_set(const sup_step_report *of, sup_step_report *report);
/** Advance from the state's time to t1, by BDF2 (1 or 2 as sup_increment) or with first order (0),
 * and store the result in the part.  Adds the work to `all`; after a failure, the whole report. */
SUP_NODISCARD sup_status sup_stepper_advance_part(sup_stepper *s, double t1, double h, int bdf2,
                                                  sup_state *state, sup_step_part *part,
                                                  sup_step_report *all);
/** Turn the result of the second half into the result of the step: means and sums of both halves,
 * plus `weight` times their difference from the whole step. */
void sup_stepper_join_results(sup_stepper *s, double weight);
/** Turn the report of the second half into the report of both halves: energies are extrapolated as
 * the state is, counts are added, errors are the larger ones. */
void sup_step_parts_join_reports(const sup_step_parts *parts, double weight,
                                 sup_step_report *report);
/** Repeat a step of fixed length in which the solver failed, in 2, 4, .. 64 equal parts: the
 * smallest number that converges (P2: convergence control).  The result is that of the last part;
 * arrays over vertices, joints, bodies or pairs hold means over the step. */
SUP_NODISCARD sup_status sup_stepper_step_in_parts(sup_stepper *s, sup_state *state,
                                                   sup_step_report *report);
