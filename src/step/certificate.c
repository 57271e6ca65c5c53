/* Distance of a step's solution from Coulomb's law: NCP residuals, creep (THEORY 6.7, 8, 13). */
#include <math.h>

#include "constraint/numerics.h"
#include "law/cone.h"
#include "law/properties.h"
#include "step/numerics.h"
#include "step/solution.h"

static double norm3(const double *a) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

/** Energy scale of complementarity: half the square of the larger of ||D A v|| and ||D J^T gamma||
 * [J]. */
static sup_status energy_scale(const sup_step_start *s, const sup_assembly *assembly,
                               const sup_step_solution *solution, const sup_problem *problem,
                               double *scale) {
  const sup_block_pattern *P = &s->layout->A_pattern;
  const double            *Av = solution->Av;
  double                  *own, *JTg, a = 0, g = 0;
  SUP_TRY(SUP_ARENA(s->arena, JTg, P->num_scalars));
  sup_problem_generalized_impulse(problem, solution->gamma, JTg);
  if (!Av) {
    SUP_TRY(SUP_ARENA(s->arena, own, P->num_scalars));
    sup_assembly_multiply(assembly, solution->v, own);
    Av = own;
  }
  for (int b = 0; b < P->num_blocks; b++) {
    int           n = sup_block_size(P, b);
    const double *D = sup_assembly_diagonal_block(assembly, b);
    for (int i = 0; i < n; i++) {
      double x = Av[sup_block_first(P, b) + i], y = JTg[sup_block_first(P, b) + i];
      a += x * x / D[i * n + i];
      g += y * y / D[i * n + i];
    }
  }
  *scale = 0.5 * fmax(a, g);
  return SUP_OK;
}

/** Complementarity of Newton and TAMSI, whose impulses obey their laws; other solvers report their
 * own.
 */
sup_status sup_step_measure_laws(const sup_step_start *s, const sup_assembly *assembly,
                                 const sup_problem *problem, const sup_step_solution *solution,
                                 const sup_solve_report *solved, sup_contact_list *contacts,
                                 sup_step_report *report) {
  int iterates = sup_contact_solver_table(s->layout->options.contact_solver)->iterates_on_impulses;
  double scale = 0, product = iterates ? solved->law.complementarity : 0;
  for (int i = 0; i < contacts->count; i++) {
    int                  at = problem->constraint[i].first_vc;
    sup_contact_residual own;
    sup_contact_residual_at(&solution->law[i], solution->vc + at, solution->gamma + at, &own);
    contacts->contact[i].slip_tolerance = own.slip_tolerance;
    report->slip_tolerance = fmax(report->slip_tolerance, own.slip_tolerance);
    if (!iterates) product = fmax(product, own.complementarity);
  }
  if (!(product > 0)) return SUP_OK;
  SUP_TRY(energy_scale(s, assembly, solution, problem, &scale));
  report->complementarity_error = scale > 0 ? product / scale : 0;
  return SUP_OK;
}

/** Dry friction of n components: |gamma| is at most the bound, and the bound times |v| is what it
 * takes, on the scale of energies or, at rest, of what the bound would give.
 *  @param[in] slip  at which friction has its bound */
static void certify_dry(int n, const double *gamma, const double *v, double bound, double slip,
                        double scale, sup_step_report *report) {
  double gg = 0, vv = 0, gv = 0, own = .5 * slip * bound / sup_constraint_numerics.dry;
  for (int k = 0; k < n; k++) gg += gamma[k] * gamma[k], vv += v[k] * v[k], gv += gamma[k] * v[k];
  double misfit = fabs(bound * sqrt(vv) + gv) / fmax(scale, own);
  report->ncp_primal = fmax(report->ncp_primal, sqrt(gg) / bound - 1);
  report->ncp_complementarity = fmax(report->ncp_complementarity, misfit);
}

/** Dry friction of joints and of spin, as drives to rest, and of rolling. */
static void certify_rotation(const sup_contact_problem *all, const sup_problem *problem,
                             const sup_step_solution *solution, double scale,
                             sup_step_report *report) {
  int first = all->rolling.first, last = first + all->rolling.num_rows;
  for (int i = first; i < last; i++) {
    const sup_coulomb *law = &problem->constraint[i].law.coulomb;
    int                at = problem->constraint[i].first_vc;
    certify_dry(2, solution->gamma + at, solution->vc + at, law->mu * law->gn0, law->eps, scale,
                report);
  }
  for (int e = 0; e < all->joints.num_entries + all->spin.num_rows; e++) {
    bool          is_joint = e < all->joints.num_entries;
    int           i = is_joint ? all->joints.first + all->joints.row[e]
                               : all->spin.first + e - all->joints.num_entries;
    int           at = problem->constraint[i].first_vc;
    const sup_pd *law = &problem->constraint[i].law.pd;
    if (is_joint && all->joints.role[e] != SUP_JOINT_ROW_FRICTION) continue;
    certify_dry(1, solution->gamma + at, solution->vc + at, law->dt * law->effort,
                law->effort / law->slope, scale, report);
  }
}

sup_status sup_step_certify(const sup_step_start *s, const sup_assembly *assembly,
                            const sup_problem *problem, const sup_step_solution *solution,
                            sup_contact_problem *all, sup_step_report *report) {
  sup_contact_list *contacts = &all->list;
  double            scale, impulse = 0;
  SUP_TRY(energy_scale(s, assembly, solution, problem, &scale));
  report->ncp_primal = report->ncp_dual = report->ncp_complementarity = 0;
  report->stick_speed_max = 0;
  for (int i = 0; i < contacts->count; i++) {
    const sup_constraint *row = &problem->constraint[i]; /* contacts come first */
    const double      *vc = solution->vc + row->first_vc, *gamma = solution->gamma + row->first_vc;
    sup_contact       *contact = &contacts->contact[i];
    sup_law_properties law;
    sup_law_properties_at(&solution->law[i], vc, gamma, &law);
    contact->gliding_offset = law.gliding_offset;
    contact->effective_stiffness = law.stiffness_factor * contact->stiffness;
    contact->slip_tolerance = law.slip_tolerance;
    contact->stick_creep = law.stick_creep;
    double lambda[3] = {law.traction[0], law.traction[1], gamma[2]};
    double slip = sqrt(law.slip[0] * law.slip[0] + law.slip[1] * law.slip[1]);
    if (norm3(lambda) <= 0) continue; /* open: every condition holds */
    double u[3] = {law.slip[0], law.slip[1], law.normal_slack + law.mu * slip}; /* de Saxce */
    double power = lambda[0] * u[0] + lambda[1] * u[1] + lambda[2] * u[2];
    impulse = fmax(impulse, norm3(lambda));
    report->ncp_primal = fmax(report->ncp_primal, sup_cone_distance(law.mu, lambda));
    report->ncp_dual = fmax(report->ncp_dual, sup_dual_cone_distance(law.mu, u));
    report->ncp_complementarity = fmax(report->ncp_complementarity, fabs(power));
    double traction = sqrt(lambda[0] * lambda[0] + lambda[1] * lambda[1]);
    if (gamma[2] > 0 && traction < sup_step_numerics.sticking * law.friction_bound)
      report->stick_speed_max = fmax(report->stick_speed_max, sqrt(vc[0] * vc[0] + vc[1] * vc[1]));
  }
  if (impulse > 0) report->ncp_primal /= impulse;
  if (scale > 0) report->ncp_complementarity /= scale;
  certify_rotation(all, problem, solution, scale, report);
  return SUP_OK;
}
