/* Report of a step: its solution and contacts. */
#include <math.h>

#include "solve/accept.h"
#include "step/solution.h"

void sup_step_report_solution(const sup_step_layout *layout, const sup_contact_list *contacts,
                              const sup_solve_report *solved, sup_step_report *report) {
  report->round_off = solved->round_off;
  report->reason =
      sup_accept_law(solved->reason, solved->law.relative, layout->options.dual.tolerance);
  report->law_residual = solved->law.relative;
  report->law_primal = solved->law.primal;
  report->law_dual = solved->law.dual;
  report->law_complementarity = solved->law.complementarity;
  report->hand_overs += solved->handed_over;
  report->iterations += solved->iterations;
  report->iterations_sum += solved->iterations_sum;
  report->islands = solved->islands;
  sup_linear_work_add(&report->linear, &solved->linear);
  report->factorisations += solved->factorisations;
  report->line_search_evaluations += solved->line_search_evaluations;
  report->sweeps = solved->sweeps;
  report->at_cap |= solved->at_cap;
  report->ambiguous = solved->ambiguous;
  report->ambiguous_pair = solved->ambiguous > 0 && solved->ambiguous_constraint < contacts->count
                               ? contacts->contact[solved->ambiguous_constraint].pair
                               : SUP_NONE;
  report->substeps = solved->substeps;
  report->sweep_change = solved->sweep_change;
  report->momentum_error = solved->momentum_error;
  report->momentum_residual = solved->momentum_residual;
  report->error_body = sup_step_error_body(layout, solved, report->island_error);
}

/** True if the sweeps for friction bounds ended at their cap.  A limit of one or two sweeps is a
 * choice of lagged friction and does not count. */
static int misses_friction(const sup_options *o, const sup_step_report *report) {
  enum { CHOSEN = 2 };
  if (report->at_cap & 1u << SUP_STRATEGY_RELAXATION) return 1;
  return report->at_cap & 1u << SUP_STRATEGY_SWEEPS && o->friction_sweeps > CHOSEN &&
         report->friction_lag > o->sweep_tolerance;
}

/** Growth of an elastic stick's energy in the step [J]. */
static double stored(const sup_law *law, const double *gamma) {
  const sup_coulomb *c = &law->coulomb;
  double             s[2], now = 0, before = 0, time = c->normal.dt + c->tau_t;
  sup_law_spring_stretch(law, gamma, s);
  for (int k = 0; k < 2; k++) now += s[k] * s[k], before += time * c->vhat[k] * time * c->vhat[k];
  return 0.5 * sup_law_spring_stiffness(law) * (now - before);
}

/** Contact energy with the solver's own compliance, instead of the law's stiffness.  Rigid contact
 * stores none; mujoco's stores half of force times overlap at rest. */
static double own_energy(const sup_step_start *s, sup_contact_problem *contacts,
                         const double *gamma, const double *rate) {
  int    is_mujoco = s->layout->options.contact_solver == SUP_CONTACT_SOLVER_MUJOCO;
  double energy = 0, dt = s->inc->h;
  for (int i = 0; i < contacts->list.count; i++) {
    sup_contact *c = &contacts->list.contact[i];
    int          at = contacts->rows.constraint[i].first_vc;
    double       phi = gamma ? c->phi + dt * rate[at + 2] - c->advance : 0;
    if (is_mujoco || s->model->pair[c->pair].model != SUP_MODEL_SAP)
      c->stored = is_mujoco && phi < 0 ? 0.5 * gamma[at + 2] / dt * -phi : 0, c->elastic = 0;
    energy += c->stored;
  }
  return energy;
}

double sup_step_contact_energy(const sup_step_start *s, sup_contact_problem *contacts,
                               const double *gamma, const double *rate) {
  double energy = sup_contact_energy(&contacts->rows, 0, rate, s->inc->h, &contacts->list);
  return sup_options_solver_compliance(&s->layout->options) ? own_energy(s, contacts, gamma, rate)
                                                            : energy;
}

/** Energy that moments of friction take with the impulses gamma at the velocities `rate` [J]. */
static double friction_of_moments(const sup_contact_problem *contacts, const double *gamma,
                                  const double *rate) {
  const sup_moment_rows *of[] = {&contacts->rolling, &contacts->spin};
  double                 taken = 0;
  for (int spins = 0; spins < 2; spins++)
    for (int r = 0; r < of[spins]->num_rows; r++) {
      int at = contacts->rows.constraint[of[spins]->first + r].first_vc;
      for (int k = 0; k < (spins ? 1 : 2); k++) taken -= gamma[at + k] * rate[at + k];
    }
  return taken;
}

/** Energy that dry friction of joints takes with the impulses gamma at the velocities `rate` [J].
 */
static double friction_of_joints(const sup_contact_problem *contacts, const double *gamma,
                                 const double *rate) {
  const sup_joint_rows *joints = &contacts->joints;
  double                taken = 0;
  for (int e = 0; e < joints->num_entries; e++) {
    int at = contacts->rows.constraint[joints->first + joints->row[e]].first_vc;
    if (joints->role[e] == SUP_JOINT_ROW_FRICTION) taken -= gamma[at] * rate[at];
  }
  return taken;
}

sup_status sup_step_measure_contacts(const sup_step_start *s, const sup_assembly *assembly,
                                     const sup_problem *problem, sup_contact_problem *contacts,
                                     sup_step_solution *solution, sup_step_report *report) {
  const sup_step_layout *layout = s->layout;
  double weight = s->inc->scheme.theta_vq, *mean = solution->v, *rate = solution->vc;
  if (weight != 1) { /* gaps change with the positions */
    SUP_TRY(SUP_ARENA(s->arena, mean, layout->A_pattern.num_scalars));
    SUP_TRY(SUP_ARENA(s->arena, rate, problem->num_vc));
    for (int i = 0; i < layout->A_pattern.num_scalars; i++)
      mean[i] = weight * solution->v[i] + (1 - weight) * assembly->v0[i];
    sup_problem_constraint_velocity(problem, mean, 1, rate);
  }
  solution->contact_energy = sup_step_contact_energy(s, contacts, solution->gamma, rate);
  report->joint_friction = friction_of_joints(contacts, solution->gamma, rate);
  report->rolling_friction = friction_of_moments(contacts, solution->gamma, rate);
  double lag = 0, most = 0;
  for (int i = 0; i < contacts->list.count; i++) { /* contacts come first */
    const double *gamma = solution->gamma + problem->constraint[i].first_vc,
                 *vc = solution->vc + problem->constraint[i].first_vc;
    const sup_law *law = &solution->law[i];
    double         work = gamma[0] * vc[0] + gamma[1] * vc[1];
    if (problem->constraint[i].law.kind == SUP_LAW_ELASTIC_STICK)
      work += stored(&problem->constraint[i].law, gamma);
    report->friction_work_max = i ? fmax(report->friction_work_max, work) : work;
    if (!sup_law_has_bound(law) || !(law->coulomb.mu > 0)) continue;
    lag = fmax(lag, fabs(gamma[2] - law->coulomb.gn0));
    most = fmax(most, fmax(gamma[2], law->coulomb.gn0));
  }
  report->friction_lag = most > 0 ? lag / most : 0;
  report->friction_at_cap = misses_friction(&layout->options, report);
  return SUP_OK;
}

static int is_compliant(const sup_model *model, int geometry) {
  return geometry != SUP_NONE && model->geometry[geometry].contact.modulus > 0;
}

void sup_step_measure(const sup_assembly *assembly, const sup_contact_problem *contacts,
                      sup_step_report *report) {
  const sup_model *model = assembly->layout->model;
  report->num_contacts = contacts->list.count;
  report->num_constraints = contacts->rows.num_constraints;
  report->deepest_pair = report->inverted_body = SUP_NONE;
  report->discarded_small = contacts->list.discarded_small;
  report->discarded_backward = contacts->list.discarded_backward;
  report->discarded_inverted = contacts->list.discarded_inverted;
  report->silent_pairs = contacts->list.num_silent,
  report->silent_pair = contacts->list.silent_pair;
  report->passed_pairs = contacts->list.num_passed,
  report->passed_pair = contacts->list.passed_pair;
  for (int i = 0; i < contacts->list.count; i++) {
    const sup_contact *contact = &contacts->list.contact[i];
    report->penetration_max = fmax(report->penetration_max, sup_contact_depth(contact));
    if (is_compliant(model, contact->geometry_a) || is_compliant(model, contact->geometry_b))
      continue;
    if (sup_contact_depth(contact) > report->stiff_penetration_max)
      report->stiff_penetration_max = sup_contact_depth(contact),
      report->deepest_pair = contact->pair;
  }
  for (int i = 0, most = 0; i < model->num_softs; i++) {
    report->inverted_cells += assembly->soft[i].inverted;
    if (assembly->soft[i].inverted > most)
      most = assembly->soft[i].inverted, report->inverted_body = model->soft[i].body;
  }
}
