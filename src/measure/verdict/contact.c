/* Verdicts on overlap, sticking and pressure fields: contact of bodies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/numerics.h"
#include "measure/thickness.h"
#include "measure/verdict/measure.h"
#include "model/task.h"

/** Pair of two bodies among those of the observation, or SUP_NONE. */
static int pair_of(const sup_statistics *s, const int body[2]) {
  for (int i = 0; s->watch && i < s->obs->num_pairs; i++)
    if (s->obs->pair[i].a == body[0] && s->obs->pair[i].b == body[1]) return i;
  return SUP_NONE;
}

/** Advise against an overlap by `share` of a thickness: other places for one at the start, beta
 * where the step limits the stiffness, else a stiffness with the depth `limit`; a smaller speed for
 * bodies faster than a fall by the depth. */
static void advise_depth(sup_verdict *v, const sup_statistics *s, int i, double share,
                         double limit) {
  const sup_pair_watch *w = &s->watch[i];
  const sup_pair       *pair = NULL;
  char                  text[sizeof v->remedy];
  for (int p = 0; p < s->model->num_pairs && !pair; p++)
    if (s->obs->body_pair[p] == i) pair = &s->model->pair[p];
  int is_sap = pair->model == SUP_MODEL_SAP, used = 0;
  int is_soft =
      s->model->body[pair->a].soft != SUP_NONE || s->model->body[pair->b].soft != SUP_NONE;
  double times = pow(share / limit, 2), g = sup_v3_norm(sup_v3_load(s->obs->options.gravity));
  if (!(w->penetration > w->overlap))
    used = snprintf(text, sizeof text, "move one of them, or give it a smaller shape");
  else if (w->is_limited)
    used = snprintf(text, sizeof text,
                    is_sap ? "a smaller contact.beta or time.step, or 'contact: {model: lagged}'"
                           : "a smaller contact.beta, with a larger 'stiffness' of their contact");
  else if (is_soft)
    used = snprintf(text, sizeof text, "a larger contact.layer, or 'stiffness' of their contact");
  else if (sup_body_is_compliant(s->model, pair->a) || sup_body_is_compliant(s->model, pair->b))
    used = snprintf(text, sizeof text, "a larger 'modulus' of their contact");
  else if (pair->stiffness > 0)
    used = snprintf(text, sizeof text, "a larger 'stiffness' of the contact of both, as %.0e Pa/m",
                    2 * times * pair->stiffness);
  else
    used = snprintf(text, sizeof text, "a larger 'stiffness' of their contact");
  if (w->came * w->came > 2 * g * w->penetration)
    snprintf(text + used, sizeof text - (size_t)used, ", or a smaller speed");
  sup_verdict_advise(v, text);
}

int sup_measure_penetration(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  if (k > 0) return 0;
  if (!(s->feature_size > 0)) { /* half spaces and points alone */
    v->value = 0, v->time = s->stiff_penetration_time;
    sup_verdict_append(v, "penetration: at most %.3g mm; no element or shape here has a size",
                       1e3 * s->stiff_penetration_max);
    return 1;
  }
  v->value = s->stiff_penetration_max / s->feature_size;
  v->time = s->stiff_penetration_time;
  if (s->stiff_penetration_max > 0) {
    sup_verdict_name(v, 0, s, s->stiff_penetration_body[0]);
    sup_verdict_name(v, 1, s, s->stiff_penetration_body[1]);
    int pair = pair_of(s, s->stiff_penetration_body);
    if (pair != SUP_NONE) advise_depth(v, s, pair, v->value, v->warn);
  }
  sup_verdict_append(
      v,
      "penetration%s: at most %.3g mm%s, %.2g %% of the smallest element or shape (%.3g mm; limit "
      "%.0f %%)",
      s->stiff_penetration_max < sup_statistics_of(s, "penetration")->max
          ? " (not into compliant bodies)"
          : "",
      1e3 * s->stiff_penetration_max, v->value > v->warn ? sup_verdict_whose(v, whom) : "",
      100 * v->value, 1e3 * s->feature_size, 100 * v->warn);
  return 1;
}

static void name_pair(sup_verdict *v, const sup_statistics *s, int pair) {
  sup_verdict_name(v, 0, s, s->obs->pair[pair].a);
  sup_verdict_name(v, 1, s, s->obs->pair[pair].b);
}

static double overlap_of(const sup_pair_watch *w) { return w->overlap; }
static double penetration_of(const sup_pair_watch *w) { return w->penetration; }
static double creep_of(const sup_pair_watch *w) { return w->creep; }

/** A length of a pair against the thickness of the thinner body. */
typedef struct pair_length {
  int    pair, others; /* where it is largest, or SUP_NONE; other pairs above the limit */
  double share, length, thickness; /* [-], [m], [m] */
} pair_length;

/** Thickness of the thinner body [m]; with one that yields, whose deformation overlap is, that of
 * this one. */
static double thinner(const sup_statistics *s, const sup_pair_sum *pair) {
  int yields_a = sup_body_is_compliant(s->model, pair->a),
      yields_b = sup_body_is_compliant(s->model, pair->b);
  if (yields_a && !yields_b) return sup_body_thickness(s->model, pair->a);
  if (yields_b && !yields_a) return sup_body_thickness(s->model, pair->b);
  return fmin(sup_body_thickness(s->model, pair->a), sup_body_thickness(s->model, pair->b));
}

/** Pair with the largest ratio of length to thickness.  Lengths up to `least` are skipped, since
 * thickness takes some milliseconds. */
static pair_length largest(const sup_statistics *s, double (*length_of)(const sup_pair_watch *),
                           double least, double limit) {
  pair_length worst = {.pair = SUP_NONE, .others = -1};
  for (int i = 0; s->watch && i < s->obs->num_pairs; i++) {
    double length = length_of(&s->watch[i]);
    if (!(length > least)) continue;
    double thickness = thinner(s, &s->obs->pair[i]);
    worst.others += length > limit * thickness;
    if (length > worst.share * thickness)
      worst.pair = i, worst.share = length / thickness, worst.length = length,
      worst.thickness = thickness;
  }
  return worst;
}

/** ", and 3 pairs more", or nothing. */
static const char *and_others(const pair_length *l, char text[40]) {
  text[0] = '\0';
  if (l->others > 0)
    snprintf(text, 40, ", and %d pair%s more", l->others, l->others == 1 ? "" : "s");
  return text;
}

/** Overlap of what merely touches [m]. */
static double touching(const sup_statistics *s) {
  const double small = sup_measure_numerics.overlap_share * s->feature_size;
  return small > 0 ? fmin(sup_measure_numerics.overlap, small) : sup_measure_numerics.overlap;
}

int sup_measure_overlap_at_start(const sup_statistics *s, int k, sup_verdict *v) {
  char others[40];
  if (k > 0) return 0;
  pair_length l = largest(s, overlap_of, touching(s), v->warn);
  if (l.pair == SUP_NONE || !(l.share > v->warn)) return 0;
  v->value = l.share, v->time = 0;
  name_pair(v, s, l.pair);
  sup_verdict_append(
      v,
      "overlap at the start: '%s' and '%s' by %.3g mm, %.2g %% of the thinner one (%.3g mm; limit "
      "%.2g %%)%s: it is pushed out at once",
      v->body[0], v->body[1], 1e3 * l.length, 100 * l.share, 1e3 * l.thickness, 100 * v->warn,
      and_others(&l, others));
  return 1;
}

int sup_measure_half_through(const sup_statistics *s, int k, sup_verdict *v) {
  char others[40];
  if (k > 0) return 0;
  pair_length l = largest(s, penetration_of, 0.1 * s->feature_size, v->fail);
  if (l.pair == SUP_NONE || !(l.share > v->fail)) return 0;
  v->value = l.share, v->time = s->watch[l.pair].penetration_time;
  name_pair(v, s, l.pair);
  advise_depth(v, s, l.pair, l.share, .1 * v->fail); /* held well, not just alive */
  sup_verdict_append(
      v,
      "penetration: %.3g mm at t = %.4g s between '%s' and '%s', %.0f %% of the thinner one (%.3g "
      "mm)%s: above half the result is void",
      1e3 * l.length, v->time, v->body[0], v->body[1], 100 * l.share, 1e3 * l.thickness,
      and_others(&l, others));
  return 1;
}

/** Pairs of rigid bodies, which nothing of a mesh or of a field allows to overlap. */
int sup_measure_sunk_in(const sup_statistics *s, int k, sup_verdict *v) {
  pair_length worst = {.pair = SUP_NONE};
  if (k > 0) return 0;
  for (int p = 0; s->watch && p < s->model->num_pairs; p++) {
    int                   i = s->obs->body_pair[p];
    const sup_pair_watch *w = &s->watch[i];
    if (!(w->penetration > touching(s)) || !sup_pair_is_rigid(s->model, &s->model->pair[p]))
      continue;
    double thickness = thinner(s, &s->obs->pair[i]);
    if (w->penetration > worst.share * thickness)
      worst.pair = i, worst.share = w->penetration / thickness, worst.length = w->penetration,
      worst.thickness = thickness;
  }
  if (worst.pair == SUP_NONE || !(worst.share > v->warn)) return 0;
  v->value = worst.share, v->time = s->watch[worst.pair].penetration_time;
  name_pair(v, s, worst.pair);
  advise_depth(v, s, worst.pair, worst.share, v->warn);
  sup_verdict_append(
      v,
      "rigid bodies: '%s' and '%s' overlap by %.3g mm at t = %.4g s, %.2g %% of the thinner one "
      "(%.3g mm; limit %.0f %%)",
      v->body[0], v->body[1], 1e3 * worst.length, v->time, 100 * worst.share, 1e3 * worst.thickness,
      100 * v->warn);
  return 1;
}

/** Advise a smaller slip scale of friction: the stiction tolerance, or sigma or alpha of laws whose
 * friction has a compliance. */
static void advise_creep(sup_verdict *v, const sup_observation *obs, int i) {
  if (obs->options.contact_solver == SUP_CONTACT_SOLVER_MUJOCO)
    sup_verdict_advise(v, "a smaller contact.dual.alpha, or another contact.solver, holds longer");
  for (int p = 0; p < obs->model->num_pairs; p++) {
    const sup_pair *pair = &obs->model->pair[p];
    if (obs->options.contact_solver == SUP_CONTACT_SOLVER_MUJOCO || obs->body_pair[p] != i)
      continue;
    if (pair->model == SUP_MODEL_SAP)
      sup_verdict_advise(v, "a smaller contact.sigma holds longer");
    else if (sup_creeps_by_compliance(obs, pair))
      sup_verdict_advise(v, "a smaller contact.sigma and contact.stiction_tolerance hold longer");
  }
}

int sup_measure_friction_creep(const sup_statistics *s, int k, sup_verdict *v) {
  char others[40];
  if (k > 0 || s->is_static) return 0;
  pair_length l = largest(s, creep_of, touching(s), v->warn);
  if (l.pair == SUP_NONE || !(l.share > v->warn)) return 0;
  const sup_pair_watch *w = &s->watch[l.pair];
  v->value = l.share, v->time = w->creep_time;
  name_pair(v, s, l.pair);
  advise_creep(v, s->obs, l.pair);
  sup_verdict_append(
      v,
      "friction: '%s' and '%s' crept by %.3g mm in %.3g s up to t = %.4g s while they stuck "
      "(friction %.0f %% of its bound), %.2g %% of the thinner one (%.3g mm; limit %.0f %%)%s",
      v->body[0], v->body[1], 1e3 * l.length, w->creep_for, v->time, 100 * w->creep_share,
      100 * l.share, 1e3 * l.thickness, 100 * v->warn, and_others(&l, others));
  return 1;
}

/** 1: a contact of slow bodies that come to rest, which takes as much as it keeps. */
static bool settles(const sup_statistics *s, const sup_pair_watch *w) {
  return w->lost < sup_measure_numerics.settled * w->stored && s->kinetic_most < w->stored;
}

int sup_measure_contact_loss(const sup_statistics *s, int k, sup_verdict *v) {
  double put_in = fmax(s->account.most, sup_statistics_energy_input(s));
  int    worst = SUP_NONE;
  if (s->obs && sup_options_solver_compliance(&s->obs->options)) return 0; /* no elastic forces */
  for (int i = 0; s->watch && i < s->obs->num_pairs; i++)
    if (worst == SUP_NONE || s->watch[i].lost > s->watch[worst].lost) worst = i;
  if (k > 0 || s->is_static || worst == SUP_NONE || !(put_in > sup_measure_numerics.least_energy))
    return 0;
  const sup_pair_watch *w = &s->watch[worst];
  v->value = w->lost / put_in, v->time = w->lost_time;
  if (!(v->value > v->warn) || settles(s, w)) return 0;
  name_pair(v, s, worst);
  sup_verdict_append(v,
                     "energy: lasting contact of '%s' and '%s' took %.3g mJ beyond slip and "
                     "dissipation, %.2g %% of what was put in (limit %.0f %%), up to t = %.4g s",
                     v->body[0], v->body[1], 1e3 * w->lost, 100 * v->value, 100 * v->warn, v->time);
  return 1;
}

int sup_measure_mute_pairs(const sup_statistics *s, int k, sup_verdict *v) {
  if (k >= s->num_mute) return 0;
  const sup_mute_pair *pair = &s->mute[k];
  v->value = 0, v->severity = SUP_SEVERITY_WARN;
  sup_verdict_name(v, 0, s, pair->a);
  sup_verdict_name(v, 1, s, pair->b);
  sup_verdict_append(
      v, "output pairs: '%s' and '%s' never push each other: %s; their columns are zero",
      v->body[0], v->body[1], pair->why);
  return 1;
}

/** One finding a task: 1 when it stopped. */
int sup_measure_tasks(const sup_statistics *s, int k, sup_verdict *v) {
  if (s->is_static || !s->obs || !s->model || k >= s->model->num_tasks) return 0;
  const sup_task *task = &s->model->task[k];
  int             p = (int)s->obs->task[k].phase;
  v->value = p == SUP_TASK_STOPPED,
  v->time = p == SUP_TASK_STOPPED ? s->obs->task[k].begun : s->time;
  if (p == SUP_TASK_STOPPED)
    sup_verdict_append(v, "task '%s' stopped at t = %.6g s", task->name, v->time);
  else if (p == task->num_phases)
    sup_verdict_append(v, "task '%s': done", task->name);
  else
    sup_verdict_append(v, "task '%s': in phase '%s' at the end at %.6g s", task->name,
                       task->phase[p].def.name, v->time);
  return 1;
}

int sup_measure_inverted_elements(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  if (k > 0) return 0;
  const sup_running *inverted = sup_statistics_of(s, "inverted_elements");
  v->value = inverted->max, v->time = inverted->max_time;
  sup_verdict_name(v, 0, s, inverted->max_body);
  if (v->value > 0)
    sup_verdict_append(v, "inverted elements: up to %.0f at t = %.4g s%s", v->value, v->time,
                       sup_verdict_whose(v, whom));
  else
    sup_verdict_append(v, "inverted elements: 0");
  return 1;
}

int sup_measure_friction_lag(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_friction_caps *cap = &s->friction_cap;
  v->value = (double)cap->steps, v->time = cap->time;
  if (k > 0 || cap->steps == 0) return 0;
  sup_verdict_append(
      v,
      "friction: in %ld of %ld steps the last sweep's normal forces were not yet those "
      "that friction "
      "goes by; at most they differ by %.2g %% of the largest, at t = %.4g s",
      cap->steps, s->steps, 100 * cap->lag, cap->time);
  return 1;
}

int sup_measure_ambiguous(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_incidents *of = &s->ambiguous;
  v->value = (double)of->steps, v->time = of->time;
  if (k > 0 || of->steps == 0) return 0;
  memcpy(v->body, of->body, sizeof v->body);
  sup_verdict_append(
      v,
      "friction: %ld of %ld steps had several solutions, first at t = %.4g s between "
      "'%s' and '%s'; "
      "that on the side of the step's start was taken",
      of->steps, s->steps, of->time, of->body[0], of->body[1]);
  return 1;
}

static int incidents(const sup_incidents *of, const char *what, sup_verdict *v) {
  v->value = (double)of->steps, v->time = of->time;
  if (of->steps == 0) return 0;
  memcpy(v->body, of->body, sizeof v->body);
  sup_verdict_append(
      v, "pressure fields: in %ld step%s, first at t = %.4g s between '%s' and '%s', bodies %s",
      of->steps, of->steps == 1 ? "" : "s", of->time, of->body[0], of->body[1], what);
  return 1;
}

int sup_measure_fields_too_deep(const sup_statistics *s, int k, sup_verdict *v) {
  return k == 0 && incidents(&s->silent, "overlapped too deep to touch", v);
}

int sup_measure_fields_passed(const sup_statistics *s, int k, sup_verdict *v) {
  return k == 0 && incidents(&s->passed, "passed each other within the step without contact", v);
}
