/* The convex relaxation with the compliance alpha diag(G), minimised in velocities (MuJoCo; P4;
 * THEORY 8): SAP's law with R = alpha diag(G), to which the scene's own compliance is added, and c*
 * as the reference velocity, by the Newton method of this program.  The tangential part is
 * unphysical: sticking contacts creep by R lambda.  G's diagonal is the estimate of section 5.4 by
 * whole blocks.
 *
 *  Nonlinear normal laws are solved by successive tangents. */
#include <math.h>
#include <string.h>

#include "solve/block_inverse.h"
#include "solve/dual/dual.h"

/** Estimates of G of a contact: the normal entry, and one tangential for both directions. */
static sup_status estimate(const sup_problem *p, const sup_constraint *c,
                           sup_block_inverse *inverse, double *normal, double *tangential) {
  double W[9] = {0};
  for (int k = c->first_block; k < c->first_block + c->num_blocks; k++)
    SUP_TRY(sup_block_inverse_add(inverse, p->jacobian[k].block, 3,
                                  p->jacobian_value + p->jacobian[k].value, W));
  *normal = W[8];
  *tangential = (W[0] + W[4]) / 2;
  return SUP_OK;
}

/** SAP's law that represents a row. */
static sup_law soft_law(const sup_dual_row *row, double tangential, const sup_law *law,
                        double alpha) {
  sup_law out = {.kind = SUP_LAW_SAP, .anisotropy = law->anisotropy};
  out.sap = (sup_sap){.mu = row->mu,
                      .Rt = row->R[0] + alpha * tangential,
                      .Rn = row->R[2] + alpha * row->normal,
                      .vhat = row->target[2],
                      .delay = law->kind == SUP_LAW_SAP ? law->sap.delay : law->coulomb.normal.dt};
  if (!(out.sap.Rt > 0)) out.sap.Rt = out.sap.Rn;
  return out;
}

/** A problem with other laws. */
typedef struct soft_problem {
  sup_problem     problem;
  sup_constraint *constraint;
  sup_dual_row   *row;
  double         *vc, *tangential; /* [num_vc], [num_constraints] */
  double          alpha;
} soft_problem;

static sup_status make(soft_problem *q, const sup_problem *p, const sup_dual_options *dual,
                       sup_arena *arena) {
  sup_block_inverse inverse;
  q->problem = *p, q->alpha = dual->alpha;
  SUP_TRY(SUP_ARENA(arena, q->constraint, p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, q->row, p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, q->vc, p->num_vc));
  SUP_TRY(SUP_ARENA(arena, q->tangential, p->num_constraints));
  SUP_TRY(sup_block_inverse_create(&inverse, p->A_pattern, p->A, arena));
  q->problem.constraint = q->constraint;
  for (int i = 0; i < p->num_constraints; i++) {
    q->constraint[i] = p->constraint[i];
    if (!sup_dual_row_of_law(&p->constraint[i].law, dual, &q->row[i]))
      return SUP_FAIL(SUP_E_ARG, "constraint %d of the kind %s has no dual form; newton solves it",
                      i, sup_law_name(p->constraint[i].law.kind));
    if (q->row[i].cone == SUP_CONE_FRICTION)
      SUP_TRY(estimate(p, &p->constraint[i], &inverse, &q->row[i].normal, &q->tangential[i]));
  }
  return SUP_OK;
}

/** Linearise the laws at the compression of the springs at v and gamma, without the compliance of
 * alpha; returns the error of the tangents before, relative to the largest impulse.  The impulse
 * does not measure the compression: a sliding contact lifts off and has more than the impulse of
 * its spring. */
static double linearise(soft_problem *q, const sup_problem *p, const double *v, const double *gamma,
                        sup_law *law) {
  double gap = 0, size = 0;
  sup_problem_constraint_velocity(p, v, 1, q->vc);
  for (int i = 0; i < p->num_constraints; i++) {
    sup_dual_row  *row = &q->row[i];
    const sup_law *own = &p->constraint[i].law;
    int            at = p->constraint[i].first_vc + 2;
    if (row->cone != SUP_CONE_FRICTION) continue;
    if (row->is_nonlinear) {
      double cost, n, slope, now = gamma ? gamma[at] : 0;
      double vn = q->vc[at] + q->alpha * row->normal * now;
      sup_normal_evaluate(&own->coulomb.normal, vn, &cost, &n, &slope);
      double before = row->R[2] > 0 ? fmax(row->target[2] - vn, 0) / row->R[2] : 0;
      gap = fmax(gap, fabs(n - before));
      size = fmax(size, fmax(n, now));
      sup_dual_row_linearise(row, own, vn);
    }
    q->constraint[i].law = soft_law(row, q->tangential[i], own, q->alpha);
    law[i] = q->constraint[i].law;
  }
  return size > 0 ? gap / size : 0;
}

static sup_status solve(const sup_problem *problem, sup_linear_solver *linear,
                        const sup_solve_options *options, sup_arena *arena, sup_solution *solution,
                        sup_solve_report *report) {
  enum { ROUNDS = 30 };
  soft_problem     q;
  sup_solve_report all = {.worst_block = SUP_NONE, .round_off_block = SUP_NONE};
  sup_law         *law = solution->law;
  if (!law) SUP_TRY(SUP_ARENA(arena, law, problem->num_constraints));
  sup_problem_copy_laws(problem, law);
  sup_status made = make(&q, problem, &options->dual, arena);
  if (made == SUP_E_NOT_SPD) {
    all.reason = SUP_REASON_NOT_SPD, *report = all;
    return SUP_OK;
  }
  SUP_TRY(made);
  linearise(&q, problem, solution->v, NULL, law);
  for (int round = 0; round < ROUNDS; round++) {
    sup_solution own = {solution->v, solution->gamma, law};
    SUP_TRY(sup_contact_solver_newton.solve(&q.problem, linear, options, arena, &own, report));
    sup_solve_report_add(report, &all);
    all = *report;
    if (report->reason < 0) break;
    report->law.relative = linearise(&q, problem, solution->v, solution->gamma, law);
    if (report->law.relative <= options->dual.tolerance) break;
  }
  return SUP_OK;
}

/** alpha replaces all compliance of contacts, including that of elastic sticks. */
static int accepts(sup_law_kind law) {
  return law != SUP_LAW_ELASTIC_STICK && sup_dual_accepts(law);
}

const sup_contact_solver_row sup_contact_solver_mujoco = {
    .name = "mujoco",
    .accepts = accepts,
    .models = ~0u,
    .leaves_residual = 1, /* of the tangents of nonlinear normal laws */
    .solve = solve};
