#include "output/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fem/material.h"

/* ---- what the measures share ---- */

static void say(sup_verdict *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(sup_verdict *v, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(v->text, sizeof v->text, format, args);
  va_end(args);
}

static void advise(sup_verdict *v, const char *remedy) { snprintf(v->remedy, sizeof v->remedy, "%s", remedy); }

/** Name a body of the model; SUP_NONE: nobody. */
static void name_body(sup_verdict *v, int which, const sup_statistics *s, int body) {
  v->body[which][0] = '\0';
  if (body != SUP_NONE && s->model && body < s->model->num_bodies)
    memcpy(v->body[which], s->model->body[body].name, sizeof v->body[which]);
}

/** " of 'finger'", " between 'finger' and 'cup'", or nothing. */
static const char *whose(const sup_verdict *v, char text[5 * SUP_NAME_MAX]) {
  text[0] = '\0';
  if (v->body[1][0])
    snprintf(text, 5 * SUP_NAME_MAX, " between '%s' and '%s'", v->body[0], v->body[1]);
  else if (v->body[0][0])
    snprintf(text, 5 * SUP_NAME_MAX, ", most of it of '%s'", v->body[0]);
  return text;
}

/* ---- the solver ---- */

static int momentum_error(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  if (k > 0) return 0;
  v->value = s->momentum_error_max, v->time = s->momentum_error_time;
  v->warn = s->tolerance;
  name_body(v, 0, s, s->momentum_error_body);
  say(v,
      v->value > v->fail ? "%s error: at most %.2g at t = %.4g s%s (tolerance %.2g): above %.2g the result is void"
                         : "%s error: at most %.2g at t = %.4g s%s (tolerance %.2g)",
      s->is_static ? "force" : "momentum", v->value, v->time, v->value > v->warn ? whose(v, whom) : "", v->warn,
      v->fail);
  return 1;
}

static int island_error(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  v->value = s->island_error_max, v->time = s->island_error_time;
  if (k > 0 || !(v->value > v->warn)) return 0;
  name_body(v, 0, s, s->island_error_body);
  say(v,
      "momentum error of bodies that touch each other, relative to theirs alone: at most %.2g at t = %.4g s%s (limit "
      "%.2g): beside much heavier or faster ones light things are rough",
      v->value, v->time, whose(v, whom), v->warn);
  return 1;
}

static int not_converged(const sup_statistics *s, int k, sup_verdict *v) {
  v->value = (double)s->not_converged, v->time = s->not_converged_time;
  if (k > 0 || s->not_converged == 0) return 0;
  say(v, "solver: %ld of %ld steps did not converge, the first at t = %.4g s", s->not_converged, s->steps, v->time);
  return 1;
}

/* ---- geometry ---- */

static int penetration(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  if (k > 0) return 0;
  v->value = s->feature_size > 0 ? s->stiff_penetration_max / s->feature_size : 0;
  v->time = s->stiff_penetration_time;
  if (s->stiff_penetration_max > 0) {
    name_body(v, 0, s, s->stiff_penetration_body[0]);
    name_body(v, 1, s, s->stiff_penetration_body[1]);
  }
  say(v, "penetration%s: at most %.3g mm%s, %.2g %% of the smallest element or shape (%.3g mm; limit %.0f %%)",
      s->stiff_penetration_max < s->penetration_max ? " (not into compliant bodies)" : "",
      1e3 * s->stiff_penetration_max, v->value > v->warn ? whose(v, whom) : "", 100 * v->value, 1e3 * s->feature_size,
      100 * v->warn);
  return 1;
}

static int inverted_elements(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  if (k > 0) return 0;
  v->value = s->inverted_max, v->time = s->inverted_time;
  name_body(v, 0, s, s->inverted_body);
  if (s->inverted_max == 0)
    say(v, "inverted elements: 0");
  else
    say(v, "inverted elements: up to %d at t = %.4g s%s", s->inverted_max, v->time, whose(v, whom));
  return 1;
}

static int incidents(const sup_incidents *of, const char *what, sup_verdict *v) {
  v->value = (double)of->steps, v->time = of->time;
  if (of->steps == 0) return 0;
  memcpy(v->body, of->body, sizeof v->body);
  say(v, "pressure fields: in %ld step%s, first at t = %.4g s between '%s' and '%s', bodies %s", of->steps,
      of->steps == 1 ? "" : "s", of->time, of->body[0], of->body[1], what);
  return 1;
}

static int fields_too_deep(const sup_statistics *s, int k, sup_verdict *v) {
  return k == 0 && incidents(&s->silent, "overlapped too deep to touch", v);
}

static int fields_passed(const sup_statistics *s, int k, sup_verdict *v) {
  return k == 0 && incidents(&s->passed, "passed each other within the step without contact", v);
}

/* ---- soft bodies ---- */

static int contact_layers(const sup_statistics *s, int k, sup_verdict *v) {
  int i = sup_statistics_softest(s);
  if (k > 0 || i == SUP_NONE) return 0;
  const sup_body *body = s->obs->model->body, *a = &body[s->obs->pair[i].a], *b = &body[s->obs->pair[i].b];
  v->value = sup_softening_share(s->softening[i].layer, &s->softening[i]);
  memcpy(v->body[0], a->name, sizeof v->body[0]);
  memcpy(v->body[1], b->name, sizeof v->body[1]);
  advise(v, a->soft != SUP_NONE && b->soft != SUP_NONE
                ? "more cells across the bodies make it stiffer"
                : "more cells across the soft body, or a larger 'stiffness' of the contact pair when the other is not "
                  "compliant, make it stiffer");
  say(v,
      "contact layers: yield at most %.2g %% of the soft bodies' own deflection, between '%s' and '%s' (limit %.0f %%)",
      100 * v->value, a->name, b->name, 100 * v->warn);
  return 1;
}

/** What to do where stretches leave the range of a law. */
static const char *remedy_of_stretch(sup_material_model model, double value) {
  int goes_far = model == SUP_MATERIAL_NEO_HOOKEAN || model == SUP_MATERIAL_STABLE_NEO_HOOKEAN;
  if (value < 0 && model != SUP_MATERIAL_STABLE_NEO_HOOKEAN)
    return "stable_neo_hookean, smaller steps or loads may keep cells upright";
  if (value < 0) return "smaller steps or loads may keep cells upright";
  return goes_far ? "no law here goes farther: smaller loads or a stiffer material"
                  : "neo_hookean and stable_neo_hookean go farther";
}

static int stretches(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_overstretch *worst = &s->overstretch;
  if (k > 0 || !s->obs || worst->soft == SUP_NONE) return 0;
  const sup_soft    *soft = &s->obs->model->soft[worst->soft];
  sup_material_model model = sup_fem_material(soft->fem, worst->material)->model;
  v->value = worst->value, v->time = worst->time;
  v->warn = worst->value > worst->most ? worst->most : worst->least, v->severity = SUP_SEVERITY_WARN;
  memcpy(v->body[0], s->obs->model->body[soft->body].name, sizeof v->body[0]);
  advise(v, remedy_of_stretch(model, worst->value));
  say(v, "stretches: %.3g in '%s' at t = %.4g s; its law %s is trusted from %.2g to %.2g%s", worst->value, v->body[0],
      worst->time, sup_fem_material_name(model), worst->least, worst->most,
      worst->value < 0 ? " (below 0: a cell is inside out)" : "");
  return 1;
}

static int snaps(const sup_statistics *s, int k, sup_verdict *v) {
  v->value = (double)s->snaps.steps, v->time = s->snaps.time;
  if (k > 0 || s->snaps.steps == 0) return 0;
  say(v,
      "stability: unstable on the way in %ld load step%s, first to t = %.4g s; %.3g mJ were set free and taken by a "
      "damping that has vanished at the end",
      s->snaps.steps, s->snaps.steps == 1 ? "" : "s", s->snaps.time, 1e3 * s->snaps.energy);
  return 1;
}

/* ---- energy ---- */

/** Below lies round-off of scenes at rest [J]: a gram at a millimetre a second has 5e-10 J. */
static const double no_energy = 1e-12;

static int nonfinite_numbers(const sup_statistics *s, int k, sup_verdict *v) {
  v->value = (double)s->nonfinite;
  if (k > 0 || s->nonfinite == 0) return 0;
  say(v, "energy: %ld numbers were not finite and are missing in the files", s->nonfinite);
  return 1;
}

static int energy_blowup(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  v->value = s->explosion.ratio, v->time = s->explosion.time;
  if (k > 0 || s->is_static || !(v->value > v->fail)) return 0;
  name_body(v, 0, s, s->explosion.body);
  advise(v, s->is_explicit ? "an implicit scheme for springs, a smaller time.step or softer springs"
                           : "a smaller time.step, smaller stiffnesses or velocities");
  say(v, "energy: %.4g J at t = %.4g s%s, %.2g times the %.4g J that were put in: above %.0f times the result is void",
      s->explosion.energy, v->time, whose(v, whom), v->value, s->explosion.put_in, v->fail);
  return 1;
}

static int scheme_energy(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_soft_account *account = &s->account;
  if (k > 0 || s->is_static || !(account->numerical < -no_energy)) return 0;
  v->value = -account->numerical / account->most;
  if (!(v->value > v->warn)) return 0;
  say(v,
      "energy: the time scheme put %.3g mJ into soft bodies, %.2g %% of what all else did (limit %.0f %%): with "
      "rotations of the step's start walls that are pulled hard swing",
      -1e3 * account->numerical, 100 * v->value, 100 * v->warn);
  return 1;
}

/** Energy that an undriven scene may gain, as a fraction of the energy at play: round-off and the solver's tolerance.
 */
static const double growth_limit = 1e-3;

static int energy(const sup_statistics *s, int k, sup_verdict *v) {
  double limit = growth_limit * s->energy_scale;
  if (k > 0 || s->is_static || s->nonfinite > 0 || s->explosion.ratio > sup_explosion_limit) return 0;
  v->value = s->energy_growth, v->time = s->energy_growth_time;
  if (s->is_driven || s->is_explicit)
    say(v,
        s->is_driven ? "energy: %.4g J at the end, finite throughout (the scene is driven from outside)"
                     : "energy: %.4g J at the end, finite throughout; swings by %.2g J (springs of an explicit "
                       "scheme)",
        s->energy_last, s->energy_growth);
  else
    v->warn = limit, say(v, "energy: %.4g J at the end; grew by at most %.2g J without a drive (limit %.2g J)",
                         s->energy_last, s->energy_growth, limit);
  return 1;
}

/* ---- the table ----
 *
 * A measure fills value, time, bodies and text of its k-th finding and returns 1, or 0 when there is none (k is 0, 1,
 * ... until then).  The limits of the row are set before; a measure may set its own, or a remedy of its own.  What only
 * speaks up when something is wrong returns 0 otherwise. */

typedef struct rule {
  const char *name, *unit;
  double      warn, fail;
  int (*measure)(const sup_statistics *s, int k, sup_verdict *v);
  const char *remedy;
} rule;

static const rule rules[] = {
    {"momentum_error", "", 0, 1e-2, momentum_error,
     "a smaller time.step, a larger solver.max_iterations, masses and stiffnesses closer to each other"},
    {"island_error", "", 0.01, HUGE_VAL, island_error, "a smaller solver.tolerance or scenes of their own help"},
    {"not_converged", "steps", 0, HUGE_VAL, not_converged, "a smaller time.step or a larger solver.max_iterations"},
    {"penetration", "", 0.1, HUGE_VAL, penetration,
     "a smaller time.step, or a larger 'stiffness' or 'modulus' of their contact"},
    {"inverted_elements", "cells", 0, HUGE_VAL, inverted_elements,
     "a smaller time.step, smaller loads, or 'model: stable_neo_hookean' keep cells upright"},
    {"fields_too_deep", "steps", 0, HUGE_VAL, fields_too_deep,
     "a smaller step, a larger modulus or a thicker body holds them apart"},
    {"fields_passed", "steps", 0, HUGE_VAL, fields_passed,
     "a smaller step or a larger margin of their fields makes them meet"},
    {"contact_layers", "", 0.01, HUGE_VAL, contact_layers, ""},
    {"stretches", "", 0, HUGE_VAL, stretches, ""},
    {"stability", "load steps", 0, HUGE_VAL, snaps, "more load steps show where it snaps"},
    {"nonfinite_numbers", "", 0, HUGE_VAL, nonfinite_numbers, "a smaller time.step, smaller loads or velocities"},
    {"energy_blowup", "", HUGE_VAL, sup_explosion_limit, energy_blowup, ""},
    {"scheme_energy", "", 0.1, HUGE_VAL, scheme_energy, "a smaller time.step or 'model: corotational' helps"},
    {"energy", "J", HUGE_VAL, HUGE_VAL, energy, "a smaller time.step"}};

static const int num_rules = sizeof rules / sizeof *rules;

/* ---- */

const char *sup_severity_text(sup_severity severity) {
  static const char *const text[] = {"PASS", "WARN", "FAIL"};
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

void sup_verdicts_take(sup_verdicts *verdicts, const sup_statistics *statistics) {
  verdicts->count = verdicts->num_warnings = verdicts->num_failures = 0;
  for (int r = 0; r < num_rules && statistics->steps > 0; r++)
    for (int k = 0; verdicts->count < SUP_MAX_VERDICTS; k++) {
      sup_verdict *v = &verdicts->list[verdicts->count];
      *v = (sup_verdict){
          .name = rules[r].name, .unit = rules[r].unit, .warn = rules[r].warn, .fail = rules[r].fail, .time = NAN};
      advise(v, rules[r].remedy);
      if (!rules[r].measure(statistics, k, v)) break;
      v->severity = judge(v);
      verdicts->num_warnings += v->severity == SUP_SEVERITY_WARN;
      verdicts->num_failures += v->severity == SUP_SEVERITY_FAIL;
      verdicts->count++;
    }
}

const sup_verdict *sup_verdicts_failure(const sup_verdicts *verdicts) {
  for (int i = 0; i < verdicts->count; i++)
    if (verdicts->list[i].severity == SUP_SEVERITY_FAIL) return &verdicts->list[i];
  return NULL;
}
