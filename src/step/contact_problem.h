/** Contacts of a step and the constraints that they, joints and drives make.  Layer step.
 *
 *  The stage collide writes the list, the stage rows all else; later stages give contacts the
 * results that observers read of them: forces, energies, properties of their laws. */
#pragma once

#include "collide/collide.h"
#include "constraint/contact_rows.h"
#include "constraint/joint_rows.h"
#include "step/assembly.h"

/** Memory outlives the step and only grows. */
typedef struct sup_contact_problem {
  sup_contact_list list; /* by step.c: search; load steps static/linearisation.c */
  sup_rows       rows; /* contacts first, in the list's order.  By rows.c; static/linearisation.c */
  sup_joint_rows joints;
  int all_limits; /* of joints have rows: a solution passed one that had none.  By step.c */
} sup_contact_problem;

void sup_contact_problem_free(sup_contact_problem *contacts);

/* ---- the stage (rows.c) ------------------------------------------------------------------------
 */

/** Inputs of contact rows. */
SUP_NODISCARD sup_status sup_step_contact_context(const sup_step_start *s,
                                                  const sup_assembly   *assembly,
                                                  sup_contact_context  *out);
/** Rows of the contacts in the list, joints and drives. */
SUP_NODISCARD sup_status sup_step_rows(const sup_step_start *s, const sup_assembly *assembly,
                                       sup_contact_problem *contacts);
/** The convex problem: A, p and rows as one constant value, whose arrays are theirs. */
sup_problem sup_step_problem(const sup_assembly *assembly, const sup_contact_problem *contacts);

/* ---- impulses of the step before (warm_start.c) ------------------------------------------------
 */

/** gamma [num_vc] := the state's impulses of constraints that it knows, 0 for others. */
SUP_NODISCARD sup_status sup_step_recall_impulses(const sup_step_start      *s,
                                                  const sup_contact_problem *contacts,
                                                  double                    *gamma);
/** The impulses gamma into `next`, where the solver starts from such. */
SUP_NODISCARD sup_status sup_step_remember_impulses(const sup_step_start      *s,
                                                    const sup_contact_problem *contacts,
                                                    const double *gamma, sup_state *next);
