/* The convex relaxation with the compliance alpha diag(G), minimised in velocities (MuJoCo; P4;
 * THEORY 8): SAP's law with R = alpha diag(G), to which the scene's own compliance is added, and c*
 * as the reference velocity, by the Newton method of this program.  The tangential part is
 * unphysical: sticking contacts creep by R lambda.  G's diagonal is the estimate J diag(A)^-1 J^T.
 *
 *  Nonlinear normal laws are solved by successive tangents. */
#include <math.h>
#include <string.h>

#include "solve/dual/dual.h"

/** The estimate of diag(J A^-1 J^T) of a contact. */
static void estimate(const sup_problem *p, const sup_constraint *c, double out[3]) {
  const sup_block_pattern *P = p->A_pattern;
  out[0] = out[1] = out[2] = 0;
  for (int k = c->first_block; k < c->first_block + c->num_blocks; k++) {
    int           b = p->jacobian[k].block, n = sup_block_size(P, b);
    const double *D = p->A + sup_block_diagonal(P, b),
                 *J = p->jacobian_value + p->jacobian[k].value;
    for (int r = 0; r < 3; r++)
      for (int j = 0; j < n; j++) out[r] += J[r * n + j] * J[r * n + j] / D[j * (n + 1)];
  }
}

/** The law of SAP that stands for row. */
static sup_law soft_law(const sup_dual_row *row, const sup_law *law, double alpha) {
  const double *w = row->diagonal;
  double        t = sqrt((w[0] * w[0] + w[1] * w[1]) / 2);
  sup_law       out = {.kind = SUP_LAW_SAP, .anisotropy = law->anisotropy};
  out.sap = (sup_sap){.mu = row->mu,
                      .Rt = row->R[0] + alpha * t,
                      .Rn = row->R[2] + alpha * w[2],
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
  double         *vc;
  double          alpha;
} soft_problem;

static sup_status make(soft_problem *q, const sup_problem *p, const sup_dual_options *dual,
                       sup_arena *arena) {
  q->problem = *p, q->alpha = dual->alpha;
  SUP_TRY(SUP_ARENA(arena, q->constraint, p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, q->row, p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, q->vc, p->num_vc));
  q->problem.constraint = q->constraint;
  for (int i = 0; i < p->num_constraints; i++) {
    q->constraint[i] = p->constraint[i];
    if (!sup_dual_row_of_law(&p->constraint[i].law, dual, &q->row[i]))
      return SUP_FAIL(SUP_E_ARG, "constraint %d of the kind %s has no dual form; newton solves it",
                      i, sup_law_name(p->constraint[i].law.kind));
    if (q->row[i].cone == SUP_CONE_FRICTION) estimate(p, &p->constraint[i], q->row[i].diagonal);
  }
  return SUP_OK;
}

/** Linearise the laws at the compression of the springs at v and gamma, without the compliance of
 * alpha; returns the error of the tangents before, relative to the largest impulse.  The impulse
 * is no measure of it: a sliding contact has more than its spring's, as it lifts off. */
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
      double vn = q->vc[at] + q->alpha * row->diagonal[2] * now;
      sup_normal_evaluate(&own->coulomb.normal, vn, &cost, &n, &slope);
      double before = row->R[2] > 0 ? fmax(row->target[2] - vn, 0) / row->R[2] : 0;
      gap = fmax(gap, fabs(n - before));
      size = fmax(size, fmax(n, now));
      sup_dual_row_linearise(row, own, vn);
    }
    q->constraint[i].law = soft_law(row, own, q->alpha);
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
  SUP_TRY(make(&q, problem, &options->dual, arena));
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

/** alpha takes the place of all compliance of contacts, also of an elastic stick's. */
static int accepts(sup_law_kind law) {
  return law != SUP_LAW_ELASTIC_STICK && sup_dual_accepts(law);
}

const sup_contact_solver_row sup_contact_solver_mujoco = {
    .name = "mujoco",
    .accepts = accepts,
    .models = ~0u,
    .leaves_residual = 1, /* of the tangents of nonlinear normal laws */
    .normal_laws =
        1u << SUP_NORMAL_HUNT_CROSSLEY | 1u << SUP_NORMAL_KELVIN_VOIGT | 1u << SUP_NORMAL_HERTZ,
    .solve = solve};
