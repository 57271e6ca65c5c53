#include "measure/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "measure/numerics.h"
#include "measure/verdict/measure.h"
#include "solve/solver.h"

/* ---- shared by the measures ------------------------------------------------------------------ */

void sup_verdict_append(sup_verdict *v, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(v->text, sizeof v->text, format, args);
  va_end(args);
}

void sup_verdict_advise(sup_verdict *v, const char *remedy) {
  snprintf(v->remedy, sizeof v->remedy, "%s", remedy);
}

void sup_verdict_name(sup_verdict *v, int which, const sup_statistics *s, int body) {
  v->body[which][0] = '\0';
  if (body != SUP_NONE && s->model && body < s->model->num_bodies)
    memcpy(v->body[which], s->model->body[body].name, sizeof v->body[which]);
}

const char *sup_verdict_whose(const sup_verdict *v, char text[5 * SUP_NAME_MAX]) {
  text[0] = '\0';
  if (v->body[1][0])
    snprintf(text, 5 * SUP_NAME_MAX, " between '%s' and '%s'", v->body[0], v->body[1]);
  else if (v->body[0][0])
    snprintf(text, 5 * SUP_NAME_MAX, ", most of it of '%s'", v->body[0]);
  return text;
}

/* ---- the solver ------------------------------------------------------------------------------ */

static int momentum_error(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  if (k > 0) return 0;
  const sup_running *error = sup_statistics_of(s, "momentum_error");
  v->value = error->max, v->time = error->max_time;
  v->warn = s->tolerance;
  sup_verdict_name(v, 0, s, error->max_body);
  sup_verdict_append(
      v,
      v->value > v->fail
          ? "%s error: at most %.2g at t = %.4g s%s (tolerance %.2g): above %.2g the result is void"
          : "%s error: at most %.2g at t = %.4g s%s (tolerance %.2g)",
      s->is_static ? "force" : "momentum", v->value, v->time,
      v->value > v->warn ? sup_verdict_whose(v, whom) : "", v->warn, v->fail);
  return 1;
}

static int round_off(const sup_statistics *s, int k, sup_verdict *v) {
  v->value = s->rounded_error_max, v->time = s->rounded_error_time;
  if (k > 0 || s->rounded == 0) return 0;
  sup_verdict_append(
      v,
      "round-off: in %ld of %ld steps the momentum error is above the tolerance %.2g, at most %.2g "
      "at t = %.4g s, but no more than its sums lose in 16 digits; a solver.tolerance above it can "
      "be met",
      s->rounded, s->steps, s->tolerance, v->value, v->time);
  return 1;
}

static int island_error(const sup_statistics *s, int k, sup_verdict *v) {
  char               whom[5 * SUP_NAME_MAX];
  const sup_running *error = sup_statistics_of(s, "island_error");
  v->value = error->max, v->time = error->max_time;
  if (k > 0 || !(v->value > v->warn)) return 0;
  sup_verdict_name(v, 0, s, error->max_body);
  sup_verdict_append(
      v,
      "momentum error of bodies that touch each other, relative to theirs alone: at most %.2g at t "
      "= %.4g s%s (limit %.2g): beside much heavier or faster ones light things are rough",
      v->value, v->time, sup_verdict_whose(v, whom), v->warn);
  return 1;
}

static int not_converged(const sup_statistics *s, int k, sup_verdict *v) {
  v->value = (double)s->not_converged, v->time = s->not_converged_time;
  if (k > 0 || s->not_converged == 0) return 0;
  sup_verdict_append(v, "solver: %ld of %ld steps did not converge, the first at t = %.4g s",
                     s->not_converged, s->steps, v->time);
  return 1;
}

static int linear_solver(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_linear_work *work = &s->linear;
  v->value = work->missed, v->time = s->linear_missed_time;
  if (k > 0 || work->missed == 0) return 0;
  sup_verdict_append(
      v,
      "linear solver: %d solution%s ended before the tolerance, first at t = %.4g s; "
      "residual up to %.2g%s%s%s",
      work->missed, work->missed == 1 ? "" : "s", v->time, work->residual, work->reason ? " (" : "",
      work->reason ? work->reason : "", work->reason ? ")" : "");
  return 1;
}

static int law_residual(const sup_statistics *s, int k, sup_verdict *v) {
  if (k > 0 || s->is_static || !s->obs) return 0;
  const sup_contact_solver_row *solver = sup_contact_solver_table(s->obs->options.contact_solver);
  if (!solver->iterates_on_impulses && !solver->leaves_residual) return 0;
  const sup_running *residual = sup_statistics_of(s, "law_residual");
  v->value = residual->max, v->time = residual->max_time;
  v->warn = s->obs->options.dual.tolerance;
  if (s->obs->options.dual.rigid && solver->iterates_on_impulses) /* which newton has not */
    sup_verdict_advise(v, "a larger contact.dual.max_iterations");
  char        handed[80] = "";
  const char *other = sup_contact_solver_difference(s->obs->options.contact_solver);
  if (s->handed_over > 0)
    snprintf(handed, sizeof handed, "; %s solved what it left in %ld steps",
             sup_contact_solver_table((sup_contact_solver)s->obs->options.dual.hand_over)->name,
             s->handed_over);
  sup_verdict_append(v,
                     "contact law of %s%s%s%s: met to %.2g of what pushes at t = %.4g s (tolerance "
                     "%.2g), above it in %ld of %ld steps%s",
                     solver->name, other ? " (" : "", other ? other : "", other ? ")" : "",
                     v->value, v->time, v->warn, s->law_missed, s->steps, handed);
  return 1;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int unresolved_steps(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_step_lengths *all = &s->lengths;
  if (k > 0 || !s->obs || !(s->obs->options.accuracy.tolerance > 0) || s->is_static) return 0;
  v->value = (double)all->unresolved, v->time = all->unresolved_time;
  if (all->unresolved > 0)
    sup_verdict_append(
        v,
        "accuracy: %ld of %ld steps are as short as min_step (%.2g s) and not resolved, first at t "
        "= %.4g s; estimated error up to %.2g (accuracy %.2g)",
        all->unresolved, s->steps, s->obs->options.accuracy.min_step, v->time,
        all->unresolved_error, s->obs->options.accuracy.tolerance);
  else
    sup_verdict_append(v,
                       "accuracy: every step to within %.2g; %ld attempts rejected, shortest step "
                       "%.2g s",
                       s->obs->options.accuracy.tolerance, all->rejected, all->least);
  return 1;
}

/** The link of a free tree that it hangs on, or the soft body. */
static int body_of_flight(const sup_model *model, int i) {
  for (int b = 0; b < model->num_bodies; b++)
    if (i >= model->num_trees ? model->body[b].soft == i - model->num_trees
                              : model->body[b].soft == SUP_NONE && model->body[b].tree == i)
      return b;
  return SUP_NONE;
}

/** Error that the flights of a body carry on. */
static int carried_in_flight(const sup_statistics *s, sup_verdict *v) {
  int worst = SUP_NONE;
  for (int i = 0; i < s->model->num_trees + s->model->num_softs; i++)
    if (worst == SUP_NONE || s->flight[i].carried > s->flight[worst].carried) worst = i;
  if (worst == SUP_NONE || s->flight[worst].carried == 0) return 0;
  const sup_accuracy *o = &s->obs->options.accuracy;
  v->value = s->flight[worst].carried / o->tolerance, v->time = s->flight[worst].time;
  if (!(v->value > v->warn)) return 0;
  sup_verdict_name(v, 0, s, body_of_flight(s->model, worst));
  sup_verdict_append(
      v,
      "accuracy: impacts of '%s' err within it, its flights carry that on to about %.2g "
      "times the accuracy (%.2g) by t = %.4g s",
      v->body[0], v->value, o->tolerance, v->time);
  return 1;
}

/** The link whose joint has the velocity v, counted through all trees. */
static int body_of_joint(const sup_model *model, int v) {
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->tree[t]->num_links; l++) {
      int at = v - sup_model_link_v(model, t, l);
      if (at >= 0 && at < model->tree[t]->links[l].nv) return sup_model_link_body(model, t, l);
    }
  return SUP_NONE;
}

/** Error that the slides of a robot or of a free body carry on. */
static int carried_in_slide(const sup_statistics *s, sup_verdict *v) {
  int    body = SUP_NONE, is_joint = 0, num_v = s->model->v_start[s->model->num_trees];
  double most = 0;
  for (int i = 0; i < num_v; i++)
    if (s->slide[i].carried > most)
      most = s->slide[i].carried, v->time = s->slide[i].time, is_joint = 1,
      body = body_of_joint(s->model, i);
  for (int i = 0; i < s->model->num_trees; i++)
    if (s->flight[i].slid > most)
      most = s->flight[i].slid, v->time = s->flight[i].slid_time, is_joint = 0,
      body = body_of_flight(s->model, i);
  double accuracy = s->obs->options.accuracy.tolerance;
  v->value = most / accuracy;
  if (!(v->value > v->warn)) return 0;
  sup_verdict_name(v, 0, s, body);
  sup_verdict_append(v,
                     "accuracy: steps err within it, slides carry that on %s'%s' to about %.2g "
                     "times the accuracy (%.2g) by t = %.4g s",
                     is_joint ? "at the joint of " : "with ", v->body[0], v->value, accuracy,
                     v->time);
  return 1;
}

static int carried_error(const sup_statistics *s, int k, sup_verdict *v) {
  if (k > 1 || !s->flight || s->is_static || !s->obs) return 0;
  int flies = carried_in_flight(s, v);
  return k == 0 && flies ? 1 : k == flies && carried_in_slide(s, v);
}

typedef struct rule {
  const char  *name, *unit;
  double       warn, fail;
  sup_measure *measure;
  const char  *remedy;
} rule;

/* Each remedy was tried: tests/app/test_remedies.c applies it and sees the number get better. */
static const rule rules[] = {
    {"momentum_error", "", 0, 1e-2, momentum_error, "masses and stiffnesses closer to each other"},
    {"round_off", "", HUGE_VAL, HUGE_VAL, round_off, "a larger solver.tolerance"},
    {"island_error", "", 0.01, HUGE_VAL, island_error,
     "a smaller solver.tolerance or scenes of their own help"},
    {"not_converged", "steps", 0, HUGE_VAL, not_converged,
     "a smaller time.step or a larger solver.max_iterations"},
    {"linear_solver", "solutions", 0, HUGE_VAL, linear_solver,
     "another preconditioner in solver.petsc, or 'backend: supernodal'"},
    {"law_residual", "", 0, 0.1, law_residual,
     "a larger contact.dual.max_iterations, or 'solver: newton'"},
    {"unresolved_steps", "steps", 0, HUGE_VAL, unresolved_steps,
     "a smaller time.min_step, or a smaller time.accuracy_time where the details of impacts do not "
     "matter"},
    {"carried_error", "", 3, HUGE_VAL, carried_error,
     "a time.accuracy_time as long as the flights or slides last"},
    {"penetration", "", 0.1, HUGE_VAL, sup_measure_penetration,
     "a larger 'stiffness' of their contact"},
    {"half_through", "", HUGE_VAL, 0.5, sup_measure_half_through, ""},
    {"sunk_in", "", 0.05, HUGE_VAL, sup_measure_sunk_in, ""},
    {"overlap_at_start", "", 0.01, HUGE_VAL, sup_measure_overlap_at_start,
     "move one of them, or give it a smaller shape"},
    {"unheld_soft_body", "", HUGE_VAL, HUGE_VAL, sup_measure_unheld,
     "give it a 'clamp', an 'attach', a velocity or gravity"},
    {"mute_pair", "", HUGE_VAL, HUGE_VAL, sup_measure_mute_pairs,
     "leave it out of output.pairs, or make one of them free, jointed or soft"},
    {"task_stopped", "", 0, HUGE_VAL, sup_measure_tasks,
     "events.csv tells the phase; a longer timeout, another goal, or 'otherwise' with 'retries'"},
    {"friction_creep", "", 0.01, HUGE_VAL, sup_measure_friction_creep,
     "a smaller contact.stiction_tolerance holds longer"},
    {"contact_loss", "", 0.1, HUGE_VAL, sup_measure_contact_loss,
     "a finer 'resolution' of the contact of what rolls on its facets, a larger 'stiffness' of "
     "what "
     "sinks in"},
    {"friction_lag", "steps", 0, HUGE_VAL, sup_measure_friction_lag,
     "a larger solver.max_iterations; with 'model: lagged' a larger contact.friction_sweeps, or "
     "'coupled'"},
    {"ambiguous_friction", "steps", 0, HUGE_VAL, sup_measure_ambiguous,
     "Coulomb's law itself allows more than one motion there; a smaller time.step makes it rarer"},
    {"inverted_elements", "cells", 0, HUGE_VAL, sup_measure_inverted_elements,
     "smaller loads or speeds, or 'model: stable_neo_hookean' keep cells upright"},
    {"fields_too_deep", "steps", 0, HUGE_VAL, sup_measure_fields_too_deep,
     "a larger modulus or a thicker body holds them apart"},
    {"fields_passed", "steps", 0, HUGE_VAL, sup_measure_fields_passed,
     "a smaller step or a larger margin of their fields makes them meet"},
    {"contact_layers", "", 0.01, HUGE_VAL, sup_measure_contact_layers, ""},
    {"stretches", "", 0, HUGE_VAL, sup_measure_stretches, ""},
    {"stress_error", "", 0.2, HUGE_VAL, sup_measure_stress_error,
     "more cells, as by 'refine' in mesh"},
    {"locking", "", 0, HUGE_VAL, sup_measure_locking,
     "quadratic tetrahedra ('pattern: kuhn' of a box, 'order: 2' in mesh) with 'dilatation: mean'"},
    {"stability", "load steps", 0, HUGE_VAL, sup_measure_snaps,
     "more load steps show where it snaps"},
    {"saddles", "load steps", 0, HUGE_VAL, sup_measure_saddles,
     "a small load across, or a mesh that is not perfect, says which way"},
    {"nonfinite_numbers", "", 0, HUGE_VAL, sup_measure_nonfinite_numbers,
     "a smaller time.step, smaller loads or velocities"},
    {"energy_blowup", "", HUGE_VAL, SUP_EXPLOSION_RATIO, sup_measure_energy_blowup, ""},
    {"scheme_energy", "", 0.1, HUGE_VAL, sup_measure_scheme_energy,
     "a smaller time.step or 'model: corotational' helps"},
    {"numerical_dissipation", "", 0.1, HUGE_VAL, sup_measure_numerical_dissipation,
     "a smaller time.step, or 'scheme: bdf2'"},
    {"material_damping", "", 0.5, HUGE_VAL, sup_measure_material_damping,
     "smaller 'stiffness_damping' and 'mass_damping' of the material, unless they were measured"},
    {"angular_momentum", "", 0.01, HUGE_VAL, sup_measure_angular_momentum, ""},
    {"energy", "J", HUGE_VAL, HUGE_VAL, sup_measure_energy, "a smaller time.step"}};

static const int num_rules = sizeof rules / sizeof *rules;

/* ---- */

const char *sup_severity_text(sup_severity severity) {
  static const char *const text[] = {"PASS", "WARN", "FAIL", "LOG"};
  return text[severity];
}

double sup_verdict_limit(const sup_verdict *v) {
  return v->severity == SUP_SEVERITY_FAIL ? v->fail : v->warn < HUGE_VAL ? v->warn : v->fail;
}

/** NaN is never good. */
static sup_severity judge(const sup_verdict *v) {
  if (v->fail < HUGE_VAL && !(v->value <= v->fail)) return SUP_SEVERITY_FAIL;
  return v->warn < HUGE_VAL && !(v->value <= v->warn) ? SUP_SEVERITY_WARN : v->severity;
}

/** Replace time.step in the remedy by time.accuracy, which sets the step where none is given. */
static void name_accuracy(sup_verdict *v) {
  static const char step[] = "time.step", accuracy[] = "time.accuracy";
  char              rest[sizeof v->remedy];
  char             *at = strstr(v->remedy, step);
  if (!at) return;
  snprintf(rest, sizeof rest, "%s", at + strlen(step));
  snprintf(at, sizeof v->remedy - (size_t)(at - v->remedy), "%s%s", accuracy, rest);
}

void sup_verdicts_evaluate(sup_verdicts *verdicts, const sup_statistics *statistics) {
  verdicts->count = verdicts->num_warnings = verdicts->num_failures = 0;
  for (int r = 0; r < num_rules && statistics->steps > 0; r++)
    for (int k = 0; verdicts->count < SUP_MAX_VERDICTS - SUP_MAX_WARNINGS; k++) {
      sup_verdict *v = &verdicts->list[verdicts->count];
      *v = (sup_verdict){.name = rules[r].name,
                         .unit = rules[r].unit,
                         .warn = rules[r].warn,
                         .fail = rules[r].fail,
                         .time = nan("")};
      sup_verdict_advise(v, rules[r].remedy);
      if (!rules[r].measure(statistics, k, v)) break;
      if (statistics->obs && statistics->obs->options.accuracy.tolerance > 0) name_accuracy(v);
      v->severity = judge(v);
      verdicts->num_warnings += v->severity == SUP_SEVERITY_WARN;
      verdicts->num_failures += v->severity == SUP_SEVERITY_FAIL;
      verdicts->count++;
    }
}

void sup_verdicts_add_log(sup_verdicts *verdicts, int count, char text[][SUP_VERDICT_TEXT]) {
  for (int i = 0; i < count && verdicts->count < SUP_MAX_VERDICTS; i++) {
    sup_verdict *v = &verdicts->list[verdicts->count++];
    *v = (sup_verdict){.name = "log",
                       .unit = "",
                       .severity = SUP_SEVERITY_LOG,
                       .value = nan(""),
                       .warn = nan(""),
                       .fail = nan(""),
                       .time = nan("")};
    sup_verdict_append(v, "%s", text[i]);
  }
}

const sup_verdict *sup_verdicts_failure(const sup_verdicts *verdicts) {
  for (int i = 0; i < verdicts->count; i++)
    if (verdicts->list[i].severity == SUP_SEVERITY_FAIL) return &verdicts->list[i];
  return NULL;
}
