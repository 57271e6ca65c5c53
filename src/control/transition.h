/** Transition of a state by a step, and a record of the step for its linearisation.  Layer
 * control. */
#pragma once

#include "step/end.h"
#include "step/equations.h"
#include "supple/control.h"

typedef struct sup_control {
  sup_control_kind kind;
  int              index; /* velocity of the state, or actuator */
} sup_control;

/** Solution and decisions of a step: what its linearisation needs beside the state and u. */
typedef struct sup_step_record {
  double     *v;          /* [num_v] solution */
  sup_origins origins;    /* of its contacts */
  int         all_limits; /* sup_contact_problem.all_limits */
  int         is_plain;   /* 1: origins and v alone make the step again */
} sup_step_record;

void sup_step_record_free(sup_step_record *record);

struct sup_transition {
  const sup_model *model;
  sup_options      options;
  sup_stepper     *stepper;
  int              num_v, num_controls;
  sup_control     *control;
  int              is_plain; /* 1: the theorem's columns hold for the model and options */
  /* of the linearisation */
  sup_state          *varied, *end[2];
  sup_step_record     record;
  sup_arena          *arena, *column; /* of a step, and of one column */
  sup_assembly        assembly;
  sup_contact_problem contacts;
  sup_origins         part; /* of the pairs that one joint moves */
};

/** sup_transition_step with its record; the record's memory only grows. */
SUP_NODISCARD sup_status sup_transition_record(sup_transition *t, const sup_state *state,
                                               const double *u, sup_state *next,
                                               sup_step_record *record);
/** A and B of the step of a record.
 *  @param[in] is_central  0: one-sided differences of the residual, for half the time: to 1e-5
 */
SUP_NODISCARD sup_status sup_transition_linearise(sup_transition *t, const sup_state *state,
                                                  const double *u, const sup_step_record *record,
                                                  int is_central, double *A, double *B);
/** Inputs of the state := u over the step to come. */
SUP_NODISCARD sup_status sup_transition_set(const sup_transition *t, const double *u,
                                            sup_state *state);
/** dq [nv] := q1 - q0 of a tree. */
void sup_tree_difference(const sup_tree *tree, const double *q0, const double *q1, double *dq);
