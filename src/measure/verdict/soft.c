/* Verdicts on soft bodies: layers of contact, support, stretches, stability, spin. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fem/material.h"
#include "measure/numerics.h"
#include "measure/verdict/measure.h"
#include "mesh/mesh.h"
#include "model/constraint.h"

/** A pair of the model between these bodies; one of a soft surface and a depth, if there is any. */
static const sup_pair *layer_pair(const sup_observation *obs, int i) {
  const sup_pair *found = NULL;
  for (int p = 0; p < obs->model->num_pairs; p++) {
    const sup_pair *pair = &obs->model->pair[p];
    if (obs->body_pair[p] != i || (found && pair->touch != SUP_TOUCH_SURFACE_DEPTH)) continue;
    found = pair;
  }
  return found;
}

/** Advise a layer as stiff as the limit needs: its deflection is force over stiffness.  Stiffer
 * polygons carry a round shape at fewer places, yield little less and push harder; contacts at
 * vertices need a patch that is some cells wide (DECISIONS, One contact a vertex). */
static void advise_layer(sup_verdict *v, const sup_observation *obs, int i) {
  const double    reserve = 1.1;
  const sup_pair *pair = layer_pair(obs, i);
  double          times = reserve * v->value / v->warn, layer = obs->model->contact.layer;
  int             is_depth = pair && pair->touch == SUP_TOUCH_SURFACE_DEPTH,
      own = is_depth && pair->stiffness > 0,
      are_polygons = is_depth && obs->model->contact.soft_surface == SUP_SOFT_SURFACE_POLYGONS;
  char stiffer[120], text[sizeof v->remedy];
  if (own)
    snprintf(stiffer, sizeof stiffer, "%sa 'stiffness' of their contact %.2g times as large",
             are_polygons ? "'contact: {soft_surface: vertices}' and " : "", times);
  else
    snprintf(stiffer, sizeof stiffer, "'contact: {%slayer: %.2g}' in place of %.4g",
             are_polygons ? "soft_surface: vertices, " : "", times * layer, layer);
  snprintf(text, sizeof text, "more cells across the soft %s, or %s%s",
           is_depth ? "body" : "bodies",
           are_polygons ? "where ten of its vertices and more press " : "", stiffer);
  sup_verdict_advise(v, text);
}

int sup_measure_contact_layers(const sup_statistics *s, int k, sup_verdict *v) {
  int i = sup_statistics_softest(s);
  if (k > 0 || i == SUP_NONE) return 0;
  const sup_body *body = s->obs->model->body, *a = &body[s->obs->pair[i].a],
                 *b = &body[s->obs->pair[i].b];
  v->value = sup_softening_share(s->softening[i].layer, &s->softening[i]);
  memcpy(v->body[0], a->name, sizeof v->body[0]);
  memcpy(v->body[1], b->name, sizeof v->body[1]);
  advise_layer(v, s->obs, i);
  sup_verdict_append(
      v,
      "contact layers: yield at most %.2g %% of the soft bodies' own deflection, between '%s' and "
      "'%s' (limit %.0f %%)",
      100 * v->value, a->name, b->name, 100 * v->warn);
  return 1;
}

/** Poisson's ratio from which a cell that cannot change its volume cannot bend either: the bar of
 * F04 with two cells across has .10 of its compliance by T4 at .49 and .02 at .499; by H8 .94 at
 * .49, .91 at .499 and .83 at .4999, where T10 with mean dilatation has 1.01. */
static double locks_from(sup_cell_type type) {
  return type == SUP_CELL_T4 ? 0.49 : type == SUP_CELL_H8 ? 0.499 : HUGE_VAL;
}

int sup_measure_locking(const sup_statistics *s, int k, sup_verdict *v) {
  for (int i = 0; s->model && i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    sup_cell_type   type = sup_fem_mesh(soft->fem)->type;
    double          most = 0;
    for (int m = 0; m < sup_fem_num_materials(soft->fem); m++)
      most = fmax(most, sup_fem_material(soft->fem, m)->poissons_ratio);
    if (!(most > locks_from(type) * (1 + 1e-9)) || k-- > 0) continue;
    v->value = most, v->warn = locks_from(type);
    snprintf(v->body[0], sizeof v->body[0], "%s", soft->name);
    sup_verdict_append(v, "locking: '%s' is made of %s cells with nu = %.6g (limit %g), which %s",
                       soft->name, sup_cell_name(type), most, v->warn,
                       type == SUP_CELL_T4
                           ? "are ten to a hundred times too stiff there, in bending and pressed"
                           : "are up to a fifth too stiff in bending with two cells across");
    return 1;
  }
  return 0;
}

/** 1: the soft body has an initial velocity, a load or a support of its own. */
static bool is_meant_to_fly(const sup_soft *soft) {
  return soft->num_dirichlet > 0 || soft->num_attachments > 0 || soft->num_tractions > 0 ||
         soft->body_force || sup_v3_norm(sup_v3_load(soft->v0)) > 0;
}

/** 1: bodies that can touch the soft body can carry it: two fixed or jointed ones, between them, or
 * any that moves freely or is soft, which may be meant to hit it; one alone only pushes it away. */
static bool is_carried(const sup_model *model, int body) {
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

/** Verdict on an unsupported soft body at rest without gravity: it stays or is pushed away for
 * good. */
int sup_measure_unheld(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_model *model = s->obs ? s->obs->model : NULL;
  if (!model || s->is_static || sup_v3_norm(sup_v3_load(s->obs->options.gravity)) > 0) return 0;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    if (is_meant_to_fly(soft) || is_carried(model, soft->body) || soft->in_tie ||
        sup_constraint_on(model, soft->body, s->obs->event) || k-- > 0)
      continue;
    v->value = 0, v->time = 0, v->severity = SUP_SEVERITY_WARN;
    sup_verdict_name(v, 0, s, soft->body);
    sup_verdict_append(
        v,
        "support: nothing holds, attaches or carries '%s' in a scene without gravity, and it "
        "starts at rest: what touches it pushes it away",
        v->body[0]);
    return 1;
  }
  return 0;
}

/** Remedy for stretches outside of the range of a law. */
static const char *remedy_of_stretch(sup_material_model model, double value) {
  int goes_far = model == SUP_MATERIAL_NEO_HOOKEAN || model == SUP_MATERIAL_STABLE_NEO_HOOKEAN;
  if (value < 0 && model != SUP_MATERIAL_STABLE_NEO_HOOKEAN)
    return "stable_neo_hookean, smaller steps or loads may keep cells upright";
  if (value < 0) return "smaller steps or loads may keep cells upright";
  return goes_far ? "no law here goes farther: smaller loads or a stiffer material"
                  : "neo_hookean and stable_neo_hookean go farther";
}

int sup_measure_stretches(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_overstretch *worst = &s->overstretch;
  if (k > 0 || !s->obs || worst->soft == SUP_NONE) return 0;
  const sup_soft    *soft = &s->obs->model->soft[worst->soft];
  sup_material_model model = sup_fem_material(soft->fem, worst->material)->model;
  v->value = worst->value, v->time = worst->time;
  v->warn = worst->value > worst->most ? worst->most : worst->least,
  v->severity = SUP_SEVERITY_WARN;
  memcpy(v->body[0], s->obs->model->body[soft->body].name, sizeof v->body[0]);
  sup_verdict_advise(v, remedy_of_stretch(model, worst->value));
  sup_verdict_append(
      v, "stretches: %.3g in '%s' at t = %.4g s; its law %s is trusted from %.2g to %.2g%s",
      worst->value, v->body[0], worst->time, sup_fem_material_name(model), worst->least,
      worst->most, worst->value < 0 ? " (below 0: a cell is inside out)" : "");
  return 1;
}

/** The last stress of a body may break it: the share of its strength that is used would be above 1
 * with the error. */
static bool may_break(const sup_observation *obs, int i) {
  return sup_fem_has_strength(obs->model->soft[i].fem) &&
         obs->soft[i].strength.use > 1 - obs->soft[i].stress_error;
}

/** Bodies whose safety is not sure. */
int sup_measure_stress_error(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_model *model = s->obs ? s->obs->model : NULL;
  int              i = 0;
  for (; model && !model->ranks && i < model->num_softs; i++)
    if (may_break(s->obs, i) && k-- == 0) break;
  if (!model || model->ranks || i == model->num_softs) return 0;
  v->value = s->obs->soft[i].stress_error, v->time = s->obs->time;
  sup_verdict_name(v, 0, s, model->soft[i].body);
  if (sup_fem_mesh(model->soft[i].fem)->type == SUP_CELL_T4)
    sup_verdict_advise(v, "'order: 2' in mesh (quadratic tetrahedra), or 'pattern: hex'");
  sup_verdict_append(
      v,
      "safety: that of '%s', %.3g, is by stress with an error of about %.2g %% in the "
      "energy norm (limit %g %%)",
      v->body[0], 1 / s->obs->soft[i].strength.use, 100 * v->value, 100 * v->warn);
  return 1;
}

int sup_measure_snaps(const sup_statistics *s, int k, sup_verdict *v) {
  v->value = (double)s->snaps.steps, v->time = s->snaps.time;
  if (k > 0 || s->snaps.steps == 0) return 0;
  sup_verdict_append(
      v,
      "stability: unstable on the way in %ld load step%s, first to t = %.4g s; %.3g mJ were set "
      "free and taken by a damping that has vanished at the end",
      s->snaps.steps, s->snaps.steps == 1 ? "" : "s", s->snaps.time, 1e3 * s->snaps.energy);
  return 1;
}

int sup_measure_saddles(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_saddles *all = &s->saddles;
  v->value = (double)all->steps, v->time = all->time;
  if (k > 0 || all->steps == 0) return 0;
  sup_verdict_append(
      v,
      "saddles: in %ld load step%s, first to t = %.4g s, forces balanced where the energy falls in "
      "%d direction%s%s, most of it at %s; %s",
      all->steps, all->steps == 1 ? "" : "s", all->time, all->directions,
      all->directions == 1 ? "" : "s", all->directions >= 6 ? " or more" : "", all->place,
      all->stays ? "not all of them were left"
                 : "each was left for a minimum, to the side of a rule where none is preferred");
  return 1;
}

/** The worst soft body that has turned far enough for it to be seen. */
int sup_measure_angular_momentum(const sup_statistics *s, int k, sup_verdict *v) {
  int worst = SUP_NONE;
  if (k > 0 || s->is_static || !s->spin) return 0;
  for (int i = 0; i < s->model->num_softs; i++) {
    double share = sup_spin_share(&s->spin[i]);
    if (s->spin[i].turned > sup_measure_numerics.turned && share > v->warn &&
        (worst == SUP_NONE || share > v->value))
      worst = i, v->value = share;
  }
  if (worst == SUP_NONE) return 0;
  const sup_spin_account *account = &s->spin[worst];
  const sup_options      *o = &s->obs->options;
  double                  rate = -log1p(-fmin(v->value, 0.99)); /* what is lost is lost once */
  double                  step = o->dt * v->warn / rate;
  char                    shorter[60] = "a smaller time.accuracy loses less";
  if (!(o->accuracy.tolerance > 0))
    snprintf(shorter, sizeof shorter, "a time.step of %.1g s loses 1 %%", step);
  memcpy(v->body[0], s->model->soft[worst].name, strlen(s->model->soft[worst].name) + 1);
  int touches = sup_statistics_of(s, "contacts")->max > 0; /* impacts: bdf2 takes more there */
  snprintf(v->remedy, sizeof v->remedy, "%s%s",
           sup_fem_body_is_linear(s->model->soft[worst].fem) || o->soft_bdf2 ? ""
           : touches ? "'model: linear_corotational', or "
                     : "'time.scheme: bdf2', 'model: linear_corotational', or ",
           shorter);
  sup_verdict_append(
      v,
      "angular momentum: the time scheme took %.2g %% of that of '%s' (%.3g of %.3g kg m^2/s; "
      "limit %.0f %%), as it does of what turns far in a step",
      100 * v->value, v->body[0], sup_v3_norm(account->taken), account->most, 100 * v->warn);
  return 1;
}
