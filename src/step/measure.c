/* Report of a step: its solution and contacts. */
#include <math.h>

#include "solve/accept.h"
#include "step/stepper.h"

void sup_stepper_report_solution(sup_stepper *s, const sup_solve_report *solved,
                                 sup_step_report *report) {
  report->round_off = solved->round_off;
  report->reason = sup_accept_law(solved->reason, solved->law.relative, s->options.dual.tolerance);
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
  report->ambiguous_pair =
      solved->ambiguous > 0 && solved->ambiguous_constraint < s->contact.list.count
          ? s->contact.list.contact[solved->ambiguous_constraint].pair
          : SUP_NONE;
  report->substeps = solved->substeps;
  report->sweep_change = solved->sweep_change;
  report->momentum_error = solved->momentum_error;
  report->momentum_residual = solved->momentum_residual;
  report->error_body = sup_stepper_error_body(s, solved, report->island_error);
}

/** True if friction that should be bounded by the step's own normal impulses ended at a cap. Up to
 * two sweeps are a choice to lag. */
static int misses_friction(const sup_stepper *s, const sup_step_report *report) {
  enum { CHOSEN = 2 };
  const sup_options *o = &s->options;
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

/** Contact energy with the solver's own compliance: the law's stiffness stores nothing.  Rigid
 * contact stores none; mujoco's, in a state of rest, half of its force times the overlap. */
static double own_energy(sup_stepper *s, const double *gamma, const double *rate) {
  int    is_mujoco = s->options.contact_solver == SUP_CONTACT_SOLVER_MUJOCO;
  double energy = 0, dt = s->inc->h;
  for (int i = 0; i < s->contact.list.count; i++) {
    sup_contact *c = &s->contact.list.contact[i];
    int          at = s->contact.rows.constraint[i].first_vc;
    double       phi = gamma ? c->phi + dt * rate[at + 2] - c->advance : 0;
    if (is_mujoco || s->model->pair[c->pair].model != SUP_MODEL_SAP)
      c->stored = is_mujoco && phi < 0 ? 0.5 * gamma[at + 2] / dt * -phi : 0, c->elastic = 0;
    energy += c->stored;
  }
  return energy;
}

double sup_stepper_contact_energy(sup_stepper *s, const double *gamma, const double *rate) {
  double energy = sup_contact_energy(&s->contact.rows, 0, rate, s->inc->h, &s->contact.list);
  return sup_options_own_compliance(&s->options) ? own_energy(s, gamma, rate) : energy;
}

sup_status sup_stepper_measure_contacts(sup_stepper *s, const sup_problem *problem,
                                        sup_step_report *report) {
  double weight = s->inc->scheme.theta_vq, *mean = s->solution.v, *rate = s->solution.vc;
  if (weight != 1) { /* gaps follow the positions */
    SUP_TRY(SUP_ARENA(s->arena, mean, s->A_pattern.num_scalars));
    SUP_TRY(SUP_ARENA(s->arena, rate, problem->num_vc));
    for (int i = 0; i < s->A_pattern.num_scalars; i++)
      mean[i] = weight * s->solution.v[i] + (1 - weight) * s->assembly.v0[i];
    sup_problem_constraint_velocity(problem, mean, 1, rate);
  }
  s->solution.contact_energy = sup_stepper_contact_energy(s, s->solution.gamma, rate);
  double lag = 0, most = 0;
  for (int i = 0; i < s->contact.list.count; i++) { /* contacts come first */
    const double *gamma = s->solution.gamma + problem->constraint[i].first_vc,
                 *vc = s->solution.vc + problem->constraint[i].first_vc;
    const sup_law *law = &s->solution.law[i];
    double         work = gamma[0] * vc[0] + gamma[1] * vc[1];
    if (problem->constraint[i].law.kind == SUP_LAW_ELASTIC_STICK)
      work += stored(&problem->constraint[i].law, gamma);
    report->friction_work_max = i ? fmax(report->friction_work_max, work) : work;
    if (!sup_law_has_bound(law) || !(law->coulomb.mu > 0)) continue;
    lag = fmax(lag, fabs(gamma[2] - law->coulomb.gn0));
    most = fmax(most, fmax(gamma[2], law->coulomb.gn0));
  }
  report->friction_lag = most > 0 ? lag / most : 0;
  report->friction_at_cap = misses_friction(s, report);
  return SUP_OK;
}

static int is_compliant(const sup_model *model, int geometry) {
  return geometry != SUP_NONE && model->geometry[geometry].contact.modulus > 0;
}

void sup_stepper_measure(const sup_stepper *s, sup_step_report *report) {
  report->num_contacts = s->contact.list.count;
  report->num_constraints = s->contact.rows.num_constraints;
  report->deepest_pair = report->inverted_body = SUP_NONE;
  report->discarded_small = s->contact.list.discarded_small;
  report->discarded_backward = s->contact.list.discarded_backward;
  report->discarded_inverted = s->contact.list.discarded_inverted;
  report->silent_pairs = s->contact.list.num_silent,
  report->silent_pair = s->contact.list.silent_pair;
  report->passed_pairs = s->contact.list.num_passed,
  report->passed_pair = s->contact.list.passed_pair;
  for (int i = 0; i < s->contact.list.count; i++) {
    const sup_contact *contact = &s->contact.list.contact[i];
    report->penetration_max = fmax(report->penetration_max, sup_contact_depth(contact));
    if (is_compliant(s->model, contact->geometry_a) || is_compliant(s->model, contact->geometry_b))
      continue;
    if (sup_contact_depth(contact) > report->stiff_penetration_max)
      report->stiff_penetration_max = sup_contact_depth(contact),
      report->deepest_pair = contact->pair;
  }
  for (int i = 0, most = 0; i < s->model->num_softs; i++) {
    report->inverted_cells += s->assembly.soft[i].inverted;
    if (s->assembly.soft[i].inverted > most)
      most = s->assembly.soft[i].inverted, report->inverted_body = s->model->soft[i].body;
  }
}
