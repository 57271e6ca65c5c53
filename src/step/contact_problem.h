/** Contacts of a step, and the constraints of contacts, joints, drives and bodies.  Layer step.
 *
 *  The stage collide writes the list, the stage rows the rest.  Later stages store in each contact
 * its results for observers: force, energy, properties of its law. */
#pragma once

#include "collide/collide.h"
#include "constraint/body_rows.h"
#include "constraint/joint_rows.h"
#include "constraint/moment_rows.h"
#include "step/assembly.h"

/** Memory outlives the step and only grows. */
typedef struct sup_contact_problem {
  sup_contact_list list; /* by step.c: search; load steps static/linearisation.c */
  sup_rows rows; /* contacts first, in the list's order.  By rows.c; static/linearisation.c */
  sup_moment_rows rolling, spin; /* of points: behind the contacts, and last */
  sup_joint_rows  joints;
  sup_body_rows   bodies; /* of constraints */
  int all_limits; /* 1: all limits of joints have rows, since a solution passed a limit without one.
                     By step.c */
} sup_contact_problem;

void sup_contact_problem_free(sup_contact_problem *contacts);
/** Contact of a row of dimension 3: its own or that of its rolling; SUP_NONE: another row. */
static inline int sup_step_contact_of(const sup_contact_problem *contacts, int row) {
  int rolling = row - contacts->rolling.first;
  if (row < contacts->list.count) return row;
  return rolling < contacts->rolling.num_rows ? contacts->rolling.contact[rolling] : SUP_NONE;
}

/* ---- the stage (rows.c) ------------------------------------------------------------------------
 */

/** Data from which rows of contacts are made. */
SUP_NODISCARD sup_status sup_step_contact_context(const sup_step_start *s,
                                                  const sup_assembly   *assembly,
                                                  sup_contact_context  *out);
/** Rows of the contacts in the list, joints, drives and constraints of bodies. */
SUP_NODISCARD sup_status sup_step_rows(const sup_step_start *s, const sup_assembly *assembly,
                                       sup_contact_problem *contacts);
/** Convex problem of A, p and rows, as one constant value that refers to their arrays. */
sup_problem sup_step_problem(const sup_assembly *assembly, const sup_contact_problem *contacts);

/* ---- impulses of the step before (warm_start.c) ------------------------------------------------
 */

/** gamma [num_vc] := impulses that the state holds of known constraints, 0 for others. */
SUP_NODISCARD sup_status sup_step_recall_impulses(const sup_step_start      *s,
                                                  const sup_contact_problem *contacts,
                                                  double                    *gamma);
/** Store the impulses gamma in `next`, for solvers that start from impulses. */
SUP_NODISCARD sup_status sup_step_remember_impulses(const sup_step_start      *s,
                                                    const sup_contact_problem *contacts,
                                                    const double *gamma, sup_state *next);
