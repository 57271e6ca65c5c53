#include "output/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fem/material.h"
#include "output/thickness.h"

/* ---- what the measures share ----------------------------------------------------------------- */

static void say(sup_verdict *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(sup_verdict *v, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(v->text, sizeof v->text, format, args);
  va_end(args);
}

static void advise(sup_verdict *v, const char *remedy) {
  snprintf(v->remedy, sizeof v->remedy, "%s", remedy);
}

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

/* ---- the solver ------------------------------------------------------------------------------ */

static int momentum_error(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  if (k > 0) return 0;
  const sup_running *error = sup_statistics_of(s, "momentum_error");
  v->value = error->max, v->time = error->max_time;
  v->warn = s->tolerance;
  name_body(v, 0, s, error->max_body);
  say(v,
      v->value > v->fail
          ? "%s error: at most %.2g at t = %.4g s%s (tolerance %.2g): above %.2g the result is void"
          : "%s error: at most %.2g at t = %.4g s%s (tolerance %.2g)",
      s->is_static ? "force" : "momentum", v->value, v->time,
      v->value > v->warn ? whose(v, whom) : "", v->warn, v->fail);
  return 1;
}

static int round_off(const sup_statistics *s, int k, sup_verdict *v) {
  v->value = s->rounded_error_max, v->time = s->rounded_error_time;
  if (k > 0 || s->rounded == 0) return 0;
  say(v,
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
  name_body(v, 0, s, error->max_body);
  say(v,
      "momentum error of bodies that touch each other, relative to theirs alone: at most %.2g at t "
      "= %.4g s%s (limit %.2g): beside much heavier or faster ones light things are rough",
      v->value, v->time, whose(v, whom), v->warn);
  return 1;
}

static int not_converged(const sup_statistics *s, int k, sup_verdict *v) {
  v->value = (double)s->not_converged, v->time = s->not_converged_time;
  if (k > 0 || s->not_converged == 0) return 0;
  say(v, "solver: %ld of %ld steps did not converge, the first at t = %.4g s", s->not_converged,
      s->steps, v->time);
  return 1;
}

/* ---- geometry -------------------------------------------------------------------------------- */

static int penetration(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  if (k > 0) return 0;
  v->value = s->feature_size > 0 ? s->stiff_penetration_max / s->feature_size : 0;
  v->time = s->stiff_penetration_time;
  if (s->stiff_penetration_max > 0) {
    name_body(v, 0, s, s->stiff_penetration_body[0]);
    name_body(v, 1, s, s->stiff_penetration_body[1]);
  }
  say(v,
      "penetration%s: at most %.3g mm%s, %.2g %% of the smallest element or shape (%.3g mm; limit "
      "%.0f %%)",
      s->stiff_penetration_max < sup_statistics_of(s, "penetration")->max
          ? " (not into compliant bodies)"
          : "",
      1e3 * s->stiff_penetration_max, v->value > v->warn ? whose(v, whom) : "", 100 * v->value,
      1e3 * s->feature_size, 100 * v->warn);
  return 1;
}

static void name_pair(sup_verdict *v, const sup_statistics *s, int pair) {
  name_body(v, 0, s, s->obs->pair[pair].a);
  name_body(v, 1, s, s->obs->pair[pair].b);
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

/** Where it is largest.  Lengths up to `least` are not looked at, since thickness takes some
 * milliseconds. */
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

/** Shapes that merely touch do not overlap [m]. */
static const double least_length = 1e-6;

static int overlap_at_start(const sup_statistics *s, int k, sup_verdict *v) {
  char others[40];
  if (k > 0) return 0;
  pair_length l = largest(s, overlap_of, least_length, v->warn);
  if (l.pair == SUP_NONE || !(l.share > v->warn)) return 0;
  v->value = l.share, v->time = 0;
  name_pair(v, s, l.pair);
  say(v,
      "overlap at the start: '%s' and '%s' by %.3g mm, %.2g %% of the thinner one (%.3g mm; limit "
      "%.2g %%)%s: it is pushed out at once",
      v->body[0], v->body[1], 1e3 * l.length, 100 * l.share, 1e3 * l.thickness, 100 * v->warn,
      and_others(&l, others));
  return 1;
}

static int half_through(const sup_statistics *s, int k, sup_verdict *v) {
  char others[40];
  if (k > 0) return 0;
  pair_length l = largest(s, penetration_of, 0.1 * s->feature_size, v->fail);
  if (l.pair == SUP_NONE || !(l.share > v->fail)) return 0;
  v->value = l.share, v->time = s->watch[l.pair].penetration_time;
  name_pair(v, s, l.pair);
  say(v,
      "penetration: %.3g mm at t = %.4g s between '%s' and '%s', %.0f %% of the thinner one (%.3g "
      "mm)%s: above half the result is void",
      1e3 * l.length, v->time, v->body[0], v->body[1], 100 * l.share, 1e3 * l.thickness,
      and_others(&l, others));
  return 1;
}

/** Pairs of rigid bodies, which nothing of a mesh or of a field allows to overlap. */
static int sunk_in(const sup_statistics *s, int k, sup_verdict *v) {
  pair_length worst = {.pair = SUP_NONE};
  if (k > 0) return 0;
  for (int p = 0; s->watch && p < s->model->num_pairs; p++) {
    int                   i = s->obs->body_pair[p];
    const sup_pair_watch *w = &s->watch[i];
    if (!(w->penetration > least_length) || !sup_pair_is_rigid(s->model, &s->model->pair[p]))
      continue;
    double thickness = thinner(s, &s->obs->pair[i]);
    if (w->penetration > worst.share * thickness)
      worst.pair = i, worst.share = w->penetration / thickness, worst.length = w->penetration,
      worst.thickness = thickness;
  }
  if (worst.pair == SUP_NONE || !(worst.share > v->warn)) return 0;
  v->value = worst.share, v->time = s->watch[worst.pair].penetration_time;
  name_pair(v, s, worst.pair);
  say(v,
      "rigid bodies: '%s' and '%s' overlap by %.3g mm at t = %.4g s, %.2g %% of the thinner one "
      "(%.3g mm; limit %.0f %%)",
      v->body[0], v->body[1], 1e3 * worst.length, v->time, 100 * worst.share, 1e3 * worst.thickness,
      100 * v->warn);
  return 1;
}

static int friction_creep(const sup_statistics *s, int k, sup_verdict *v) {
  char others[40];
  if (k > 0 || s->is_static) return 0;
  pair_length l = largest(s, creep_of, least_length, v->warn);
  if (l.pair == SUP_NONE || !(l.share > v->warn)) return 0;
  const sup_pair_watch *w = &s->watch[l.pair];
  v->value = l.share, v->time = w->creep_time;
  name_pair(v, s, l.pair);
  say(v,
      "friction: '%s' and '%s' crept by %.3g mm in %.3g s up to t = %.4g s while they stuck "
      "(friction %.0f %% of its bound), %.2g %% of the thinner one (%.3g mm; limit %.0f %%)%s",
      v->body[0], v->body[1], 1e3 * l.length, w->creep_for, v->time, 100 * w->creep_share,
      100 * l.share, 1e3 * l.thickness, 100 * v->warn, and_others(&l, others));
  return 1;
}

static int mute_pairs(const sup_statistics *s, int k, sup_verdict *v) {
  if (k >= s->num_mute) return 0;
  const sup_mute_pair *pair = &s->mute[k];
  v->value = 0, v->severity = SUP_SEVERITY_WARN;
  name_body(v, 0, s, pair->a);
  name_body(v, 1, s, pair->b);
  say(v, "output pairs: '%s' and '%s' never push each other: %s; their columns are zero",
      v->body[0], v->body[1], pair->why);
  return 1;
}

static int inverted_elements(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  if (k > 0) return 0;
  const sup_running *inverted = sup_statistics_of(s, "inverted_elements");
  v->value = inverted->max, v->time = inverted->max_time;
  name_body(v, 0, s, inverted->max_body);
  if (v->value > 0)
    say(v, "inverted elements: up to %.0f at t = %.4g s%s", v->value, v->time, whose(v, whom));
  else
    say(v, "inverted elements: 0");
  return 1;
}

static int incidents(const sup_incidents *of, const char *what, sup_verdict *v) {
  v->value = (double)of->steps, v->time = of->time;
  if (of->steps == 0) return 0;
  memcpy(v->body, of->body, sizeof v->body);
  say(v, "pressure fields: in %ld step%s, first at t = %.4g s between '%s' and '%s', bodies %s",
      of->steps, of->steps == 1 ? "" : "s", of->time, of->body[0], of->body[1], what);
  return 1;
}

static int fields_too_deep(const sup_statistics *s, int k, sup_verdict *v) {
  return k == 0 && incidents(&s->silent, "overlapped too deep to touch", v);
}

static int fields_passed(const sup_statistics *s, int k, sup_verdict *v) {
  return k == 0 && incidents(&s->passed, "passed each other within the step without contact", v);
}

/* ---- soft bodies ----------------------------------------------------------------------------- */

static int contact_layers(const sup_statistics *s, int k, sup_verdict *v) {
  int i = sup_statistics_softest(s);
  if (k > 0 || i == SUP_NONE) return 0;
  const sup_body *body = s->obs->model->body, *a = &body[s->obs->pair[i].a],
                 *b = &body[s->obs->pair[i].b];
  v->value = sup_softening_share(s->softening[i].layer, &s->softening[i]);
  memcpy(v->body[0], a->name, sizeof v->body[0]);
  memcpy(v->body[1], b->name, sizeof v->body[1]);
  advise(v, a->soft != SUP_NONE && b->soft != SUP_NONE
                ? "more cells across the bodies make it stiffer"
                : "more cells across the soft body, or a larger 'stiffness' of the contact pair "
                  "when the other is not compliant, make it stiffer");
  say(v,
      "contact layers: yield at most %.2g %% of the soft bodies' own deflection, between '%s' and "
      "'%s' (limit %.0f %%)",
      100 * v->value, a->name, b->name, 100 * v->warn);
  return 1;
}

/** Do velocity, load or support belong to the soft body? */
static int is_meant_to_fly(const sup_soft *soft) {
  return soft->num_dirichlet > 0 || soft->attach_tree != SUP_NONE || soft->num_tractions > 0 ||
         soft->body_force || sup_v3_norm(sup_v3_load(soft->v0)) > 0;
}

/** Can what touches the soft body carry it?  Two others can, between them; one alone only pushes it
 * away.  What moves freely may hit it, as is meant. */
static int is_carried(const sup_model *model, int body) {
  int first = SUP_NONE;
  for (int p = 0; p < model->num_pairs; p++) {
    const sup_pair *pair = &model->pair[p];
    if ((pair->a == body) == (pair->b == body)) continue;
    int             other = pair->a == body ? pair->b : pair->a;
    const sup_body *o = &model->body[other];
    if (o->soft != SUP_NONE || model->tree[o->tree]->links[o->link].joint == SUP_JOINT_FLOATING)
      return 1;
    if (first == SUP_NONE) first = other;
    if (other != first) return 1;
  }
  return 0;
}

/** Without gravity a soft body at rest that nothing holds either stays where it is or is pushed
 * away for good. */
static int adrift(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_model *model = s->obs ? s->obs->model : NULL;
  if (!model || s->is_static || sup_v3_norm(sup_v3_load(s->obs->options.gravity)) > 0) return 0;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    if (is_meant_to_fly(soft) || is_carried(model, soft->body) || k-- > 0) continue;
    v->value = 0, v->time = 0, v->severity = SUP_SEVERITY_WARN;
    name_body(v, 0, s, soft->body);
    say(v,
        "support: nothing holds, attaches or carries '%s' in a scene without gravity, and it "
        "starts at rest: what touches it pushes it away",
        v->body[0]);
    return 1;
  }
  return 0;
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
  v->warn = worst->value > worst->most ? worst->most : worst->least,
  v->severity = SUP_SEVERITY_WARN;
  memcpy(v->body[0], s->obs->model->body[soft->body].name, sizeof v->body[0]);
  advise(v, remedy_of_stretch(model, worst->value));
  say(v, "stretches: %.3g in '%s' at t = %.4g s; its law %s is trusted from %.2g to %.2g%s",
      worst->value, v->body[0], worst->time, sup_fem_material_name(model), worst->least,
      worst->most, worst->value < 0 ? " (below 0: a cell is inside out)" : "");
  return 1;
}

static int snaps(const sup_statistics *s, int k, sup_verdict *v) {
  v->value = (double)s->snaps.steps, v->time = s->snaps.time;
  if (k > 0 || s->snaps.steps == 0) return 0;
  say(v,
      "stability: unstable on the way in %ld load step%s, first to t = %.4g s; %.3g mJ were set "
      "free and taken by a damping that has vanished at the end",
      s->snaps.steps, s->snaps.steps == 1 ? "" : "s", s->snaps.time, 1e3 * s->snaps.energy);
  return 1;
}

static int saddles(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_saddles *all = &s->saddles;
  v->value = (double)all->steps, v->time = all->time;
  if (k > 0 || all->steps == 0) return 0;
  say(v,
      "saddles: in %ld load step%s, first to t = %.4g s, forces balanced where the energy falls in "
      "%d direction%s%s, most of it at %s; %s",
      all->steps, all->steps == 1 ? "" : "s", all->time, all->directions,
      all->directions == 1 ? "" : "s", all->directions >= 6 ? " or more" : "", all->place,
      all->stays ? "not all of them were left"
                 : "each was left for a minimum, to the side of a rule where none is preferred");
  return 1;
}

/** The worst free soft body that has turned far enough for it to be seen. */
static int angular_momentum(const sup_statistics *s, int k, sup_verdict *v) {
  static const double seen =
      0.01; /* squares of the angles of the steps: the share that implicit Euler takes */
  int worst = SUP_NONE;
  if (k > 0 || s->is_static || !s->spin) return 0;
  for (int i = 0; i < s->model->num_softs; i++) {
    double share = sup_spin_share(&s->spin[i]);
    if (s->spin[i].turned > seen && share > v->warn && (worst == SUP_NONE || share > v->value))
      worst = i, v->value = share;
  }
  if (worst == SUP_NONE) return 0;
  const sup_spin_account *account = &s->spin[worst];
  const sup_options      *o = &s->obs->options;
  double                  factor = v->warn / v->value; /* the loss is of first or second order */
  double                  step = o->dt * (o->soft_bdf2 ? sqrt(factor) : factor);
  memcpy(v->body[0], s->model->soft[worst].name, strlen(s->model->soft[worst].name) + 1);
  snprintf(v->remedy, sizeof v->remedy, "%sa time.step of %.1g s loses 1 %%",
           o->soft_bdf2 ? ""
           : sup_fem_body_is_linear(s->model->soft[worst].fem)
               ? "'time.scheme: bdf2', or "
               : "'time.scheme: bdf2', 'model: linear_corotational', or ",
           step);
  say(v,
      "angular momentum: the time scheme took %.2g %% of that of '%s' (%.3g of %.3g kg m^2/s; "
      "limit %.0f %%), as it does of what turns far in a step",
      100 * v->value, v->body[0], sup_v3_norm(account->taken), account->most, 100 * v->warn);
  return 1;
}

/* ---- energy ---------------------------------------------------------------------------------- */

/** What is summed over all soft bodies is that of the only one, if it is alone. */
static void name_only_soft(sup_verdict *v, const sup_statistics *s) {
  if (s->model && s->model->num_softs == 1) name_body(v, 0, s, s->model->soft[0].body);
}

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
  say(v,
      "energy: %.4g J at t = %.4g s%s, %.2g times the %.4g J that were put in: above %.0f times "
      "the result is void",
      s->explosion.energy, v->time, whose(v, whom), v->value, s->explosion.put_in, v->fail);
  return 1;
}

static int scheme_energy(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_soft_account *account = &s->account;
  if (k > 0 || s->is_static || !(account->numerical < -no_energy)) return 0;
  v->value = -account->numerical / account->most;
  if (!(v->value > v->warn)) return 0;
  v->time = s->time;
  name_only_soft(v, s);
  say(v,
      "energy: the time scheme put %.3g mJ into soft bodies, %.2g %% of what all else did (limit "
      "%.0f %%): with rotations of the step's start walls that are pulled hard swing",
      -1e3 * account->numerical, 100 * v->value, 100 * v->warn);
  return 1;
}

/** Of the energy put in, what was lost to this. */
static int loss(const sup_statistics *s, double lost, const char *to, sup_verdict *v) {
  double put_in = fmax(s->account.most, sup_statistics_put_in(s));
  if (s->is_static || !(put_in > no_energy)) return 0;
  v->value = lost / put_in, v->time = s->time;
  if (!(v->value > v->warn)) return 0;
  name_only_soft(v, s);
  say(v,
      "energy: %s took %.3g mJ from soft bodies, %.2g %% of what was put in (limit %.0f %%), up to "
      "t = %.4g s",
      to, 1e3 * lost, 100 * v->value, 100 * v->warn, v->time);
  return 1;
}

static int numerical_dissipation(const sup_statistics *s, int k, sup_verdict *v) {
  return k == 0 && loss(s, s->account.numerical, "the time scheme", v);
}

static int material_damping(const sup_statistics *s, int k, sup_verdict *v) {
  return k == 0 && loss(s, s->account.damping, "material damping", v);
}

/** Energy that an undriven scene may gain, as a fraction of the energy at play: round-off and the
 * solver's tolerance.
 */
static const double growth_limit = 1e-3;

static int energy(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  if (k > 0 || s->is_static || s->nonfinite > 0 || s->explosion.ratio > sup_explosion_limit)
    return 0;
  double at_end = sup_statistics_of(s, "energy.total")->final;
  v->value = s->energy_growth, v->time = s->energy_growth_time;
  if (s->is_driven) {
    say(v, "energy: %.4g J at the end, finite throughout (the scene is driven from outside)",
        at_end);
  } else if (s->is_explicit) {
    say(v,
        "energy: %.4g J at the end, finite throughout; swings by %.2g J (springs of an explicit "
        "scheme)",
        at_end, s->energy_growth);
  } else {
    v->warn = growth_limit * s->energy_scale;
    name_body(v, 0, s, s->energy_growth_body);
    if (v->value > v->warn)
      say(v,
          "energy: %.4g J at the end; grew by at most %.2g J up to t = %.4g s%s, without a drive "
          "(limit %.2g J)",
          at_end, v->value, v->time, whose(v, whom), v->warn);
    else
      say(v, "energy: %.4g J at the end; grew by at most %.2g J without a drive (limit %.2g J)",
          at_end, v->value, v->warn);
  }
  return 1;
}

/* ---- the table ----
 *
 * A measure fills value, time, bodies and text of its k-th finding and returns 1, or 0 when there
 * is none (k is 0, 1,
 * ... until then).  The limits of the row are set before; a measure may set its own, or a remedy of
 * its own.  What only speaks up when something is wrong returns 0 otherwise. */

typedef struct rule {
  const char *name, *unit;
  double      warn, fail;
  int (*measure)(const sup_statistics *s, int k, sup_verdict *v);
  const char *remedy;
} rule;

static const rule rules[] = {
    {"momentum_error", "", 0, 1e-2, momentum_error,
     "a smaller time.step, a larger solver.max_iterations, masses and stiffnesses closer to each "
     "other"},
    {"round_off", "", HUGE_VAL, HUGE_VAL, round_off, "a larger solver.tolerance"},
    {"island_error", "", 0.01, HUGE_VAL, island_error,
     "a smaller solver.tolerance or scenes of their own help"},
    {"not_converged", "steps", 0, HUGE_VAL, not_converged,
     "a smaller time.step or a larger solver.max_iterations"},
    {"penetration", "", 0.1, HUGE_VAL, penetration,
     "a smaller time.step, or a larger 'stiffness' or 'modulus' of their contact"},
    {"half_through", "", HUGE_VAL, 0.5, half_through,
     "a smaller time.step or speed, or a larger 'stiffness' or 'modulus' of their contact; "
     "'contact: {model: lagged}' where sap softens it"},
    {"sunk_in", "", 0.05, HUGE_VAL, sunk_in,
     "a smaller time.step, a larger 'stiffness' of their contact, with 'model: sap' a smaller "
     "contact.beta"},
    {"overlap_at_start", "", 0.01, HUGE_VAL, overlap_at_start,
     "move one of them, or give it a smaller shape"},
    {"unheld_soft_body", "", HUGE_VAL, HUGE_VAL, adrift,
     "give it a 'clamp', an 'attach', a velocity or gravity"},
    {"mute_pair", "", HUGE_VAL, HUGE_VAL, mute_pairs,
     "leave it out of output.pairs, or make one of them free, jointed or soft"},
    {"friction_creep", "", 0.01, HUGE_VAL, friction_creep,
     "a smaller contact.stiction_tolerance holds longer"},
    {"inverted_elements", "cells", 0, HUGE_VAL, inverted_elements,
     "a smaller time.step, smaller loads, or 'model: stable_neo_hookean' keep cells upright"},
    {"fields_too_deep", "steps", 0, HUGE_VAL, fields_too_deep,
     "a smaller step, a larger modulus or a thicker body holds them apart"},
    {"fields_passed", "steps", 0, HUGE_VAL, fields_passed,
     "a smaller step or a larger margin of their fields makes them meet"},
    {"contact_layers", "", 0.01, HUGE_VAL, contact_layers, ""},
    {"stretches", "", 0, HUGE_VAL, stretches, ""},
    {"stability", "load steps", 0, HUGE_VAL, snaps, "more load steps show where it snaps"},
    {"saddles", "load steps", 0, HUGE_VAL, saddles,
     "a small load across, or a mesh that is not perfect, says which way"},
    {"nonfinite_numbers", "", 0, HUGE_VAL, nonfinite_numbers,
     "a smaller time.step, smaller loads or velocities"},
    {"energy_blowup", "", HUGE_VAL, sup_explosion_limit, energy_blowup, ""},
    {"scheme_energy", "", 0.1, HUGE_VAL, scheme_energy,
     "a smaller time.step or 'model: corotational' helps"},
    {"numerical_dissipation", "", 0.1, HUGE_VAL, numerical_dissipation,
     "a smaller time.step, or 'scheme: bdf2'"},
    {"material_damping", "", 0.5, HUGE_VAL, material_damping,
     "smaller 'stiffness_damping' and 'mass_damping' of the material, unless they were measured"},
    {"angular_momentum", "", 0.01, HUGE_VAL, angular_momentum, ""},
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
      *v = (sup_verdict){.name = rules[r].name,
                         .unit = rules[r].unit,
                         .warn = rules[r].warn,
                         .fail = rules[r].fail,
                         .time = NAN};
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
