/* States that programs set: constraints hold and joints are within their limits, or are no worse
 * than before. */
#include <math.h>
#include <stdio.h>

#include "model/body_point.h"
#include "model/constraint.h"
#include "model/kinematics.h"
#include "simulator/numerics.h"
#include "simulator/simulator_parts.h"

/* ---- joints ---------------------------------------------------------------------------------- */

/** "m" or "rad" of a joint of one coordinate. */
static const char *unit_of(const sup_tree_link *link) {
  return link->joint == SUP_JOINT_PRISMATIC ? "m" : "rad";
}

static double beyond(const sup_tree_link *link, double q) {
  return fmax(fmax(link->lower - q, q - link->upper), 0);
}

static sup_status check_limits(const sup_tree *tree, const double *before, const double *q) {
  for (const sup_tree_link *l = tree->links; l < tree->links + tree->num_links; l++) {
    double range = l->upper - l->lower;
    if (l->nv != 1) continue;
    double at = q[l->q_start], most = sup_simulator_numerics.beyond * (isfinite(range) ? range : 1);
    if (!(beyond(l, at) > fmax(beyond(l, before[l->q_start]), most))) continue;
    return SUP_FAIL(SUP_E_ARG,
                    "the position of joint '%s/%s' would be %.6g %s; its limits are %.6g and %.6g "
                    "%s",
                    tree->name, l->joint_name, at, unit_of(l), l->lower, l->upper, unit_of(l));
  }
  return SUP_OK;
}

/* ---- constraints ----------------------------------------------------------------------------- */

/** Distance of a constraint from its place. */
typedef struct tear {
  double gap, angle; /* [m], of a coupler of its joint [m or rad]; [rad] */
} tear;

typedef struct places {
  const sup_state *state;
  sup_kinematics   kin;
} places;

static tear tear_of(const sup_model *model, const sup_body_constraint *c, const places *at) {
  const double *place = at->state->constraint_place + c->first_place;
  return (tear){sup_constraint_gap(model, c, place, at->kin.X_WL, at->state->x, at->state->q),
                c->num_points ? sup_constraint_angle(c, place, at->kin.X_WL) : 0};
}

/** Length of the coordinates of its first point, of a coupler 1. */
static double size_of(const sup_body_constraint *c, const places *at) {
  if (c->num_points == 0) return 1;
  return sup_v3_norm(sup_body_point_position(&c->point[0], at->kin.X_WL, at->state->x));
}

/** "10 mm", "3 degrees", "0.2 rad" of the larger of both. */
static const char *text_of(const sup_model *model, const sup_body_constraint *c, tear t, bool turns,
                           char text[48]) {
  const char *unit = turns ? "degrees" : "mm";
  double      value = turns ? t.angle * 180 / acos(-1) : 1e3 * t.gap;
  if (c->num_points == 0) {
    const sup_tree_link *link = model->tree[c->tree[1]]->links;
    while (link->nq == 0 || link->q_start != c->q[1]) link++;
    unit = unit_of(link), value = t.gap;
  }
  snprintf(text, 48, "%.4g %s", value, unit);
  return text;
}

static const char *end_of(const sup_model *model, const sup_body_constraint *c, int end) {
  if (c->num_points == 0) return model->tree[c->tree[end]]->name;
  int body = end == 0 ? c->a.body : c->point[0].body;
  return body == SUP_NONE ? "world" : model->body[body].name;
}

static sup_status check_constraint(const sup_model *model, const sup_body_constraint *c,
                                   const places *before, const places *now) {
  char         to_text[48], from_text[48];
  const tear   from = tear_of(model, c, before), to = tear_of(model, c, now);
  const double most = sup_simulator_numerics.apart;
  bool         turns = to.angle > fmax(from.angle, most);
  if (!turns && !(to.gap > fmax(from.gap, most * size_of(c, now)))) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "the constraint '%s' (%s of '%s' and '%s') would be %s from its place, now %s: "
                  "set all that it joins in one call",
                  c->name, sup_constraint_name(c->kind), end_of(model, c, 0), end_of(model, c, 1),
                  text_of(model, c, to, turns, to_text), text_of(model, c, from, turns, from_text));
}

sup_status sup_simulator_check_places(const sup_simulator *s, const sup_state *before,
                                      sup_arena *arena) {
  const sup_model    *model = s->model;
  const sup_increment inc = sup_increment_of_state(&s->options, s->state);
  places              was = {.state = before}, is = {.state = s->state};
  for (int t = 0; t < model->num_trees; t++)
    SUP_TRY(check_limits(model->tree[t], before->q + model->q_start[t],
                         s->state->q + model->q_start[t]));
  if (model->num_constraints == 0) return SUP_OK;
  SUP_TRY(sup_kinematics_compute(&was.kin, model, &inc, before->q, before->v, arena));
  SUP_TRY(sup_kinematics_compute(&is.kin, model, &inc, s->state->q, s->state->v, arena));
  for (int i = 0; i < model->num_constraints; i++) {
    const sup_body_constraint *c = &model->constraint[i];
    if (sup_constraint_is_active(c, s->state->event) && !(c->stiffness > 0))
      SUP_TRY(check_constraint(model, c, &was, &is));
  }
  return SUP_OK;
}
