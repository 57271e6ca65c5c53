/* Constraints of a model: bodies, points, joints, events. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/body_point.h"
#include "model/build/build.h"
#include "model/constraint.h"
#include "model/event.h"
#include "model/kinematics.h"

enum { WHAT_SIZE = SUP_NAME_MAX + 32 };

static bool is_joined(sup_constraint_kind kind) { return kind == SUP_CONSTRAINT_COUPLER; }

static sup_status check_numbers(const sup_constraint_def *d, const char *what) {
  double sum = d->ratio + d->offset;
  for (int k = 0; k < 3; k++) sum += d->point_a[k] + d->point_b[k] + d->axis[k];
  if (!isfinite(sum)) return SUP_FAIL(SUP_E_ARG, "%s: one of its numbers is not finite", what);
  if (!(d->length >= 0 && d->stiffness >= 0 && d->damping >= 0) ||
      !isfinite(d->length + d->stiffness + d->damping))
    return SUP_FAIL(SUP_E_ARG,
                    "%s: length %g m, stiffness %g N/m and damping %g N s/m must not be negative",
                    what, d->length, d->stiffness, d->damping);
  if (d->damping > 0 && !(d->stiffness > 0))
    return SUP_FAIL(SUP_E_ARG, "%s: a damping goes with a stiffness, for instance 1 kN/m", what);
  if (d->kind == SUP_CONSTRAINT_HINGE && !(sup_v3_norm(sup_v3_load(d->axis)) > 0))
    return SUP_FAIL(SUP_E_ARG, "%s: its axis has no direction", what);
  return SUP_OK;
}

static bool is_soft(const sup_model *model, int body) {
  return body != SUP_NONE && model->body[body].soft != SUP_NONE;
}

static sup_status check_point(const sup_model *model, const sup_body_point *at, const char *what) {
  return at->num_vertices > 0 ? sup_body_point_check(at, model, what) : SUP_OK;
}

/** Every vertex of the region a point of its own. */
static sup_status part_region(const sup_model *model, sup_body_constraint *c, const char *what) {
  sup_body_point all = c->point[0];
  c->point[0] = (sup_body_point){0};
  SUP_FREE(c->point);
  c->num_points = 0;
  sup_status status = SUP_CALLOC(c->point, all.num_vertices);
  for (int k = 0; status == SUP_OK && k < all.num_vertices; k++) {
    sup_body_point *at = &c->point[k];
    int             own;
    const sup_soft *soft = sup_model_vertex(model, all.vertex[k], &own);
    *at = (sup_body_point){.body = all.body, .num_vertices = 1};
    at->point = sup_v3_load(soft->x0 + 3 * own);
    c->num_points = k + 1;
    if (soft->body != all.body) {
      status = SUP_FAIL(SUP_E_ARG, "%s: a tie moves vertices of its region of '%s'; name others",
                        what, model->body[all.body].name);
      break;
    }
    status = SUP_CALLOC(at->vertex, 1);
    if (status == SUP_OK) status = SUP_CALLOC(at->weight, 1);
    if (status == SUP_OK) at->vertex[0] = all.vertex[k], at->weight[0] = 1;
    if (status == SUP_OK) status = check_point(model, at, what);
  }
  sup_body_point_free(&all);
  return status;
}

/** Point of a soft a that is where b's is at time 0; on links and the world the place says it. */
static sup_status find_common(const sup_model *model, const sup_model_def *all, int body,
                              const sup_frame *X_WL, const double *x, const char *what,
                              sup_body_constraint *c) {
  double at[3];
  c->a = (sup_body_point){.body = body};
  if (!is_soft(model, body)) return SUP_OK;
  const sup_frame *X = &model->soft[model->body[body].soft].X_WM;
  sup_v3_store(at, sup_frame_apply_inverse(X, sup_body_point_position(&c->point[0], X_WL, x)));
  SUP_TRY(sup_body_point_of(&c->a, model, all, body, at, NULL, what));
  return check_point(model, &c->a, what);
}

static sup_status check_kind(const sup_model *model, const sup_constraint_def *d, int a, int b,
                             const char *what) {
  bool soft_a = is_soft(model, a), soft_b = is_soft(model, b);
  if (b == SUP_NONE)
    return SUP_FAIL(SUP_E_ARG, "%s: its second body is the world; put the world first", what);
  bool has_length = d->kind == SUP_CONSTRAINT_ROD || d->kind == SUP_CONSTRAINT_ROPE;
  if (a == b && (!soft_b || !has_length))
    return SUP_FAIL(SUP_E_ARG, "%s joins '%s' to itself", what, d->a);
  if (d->kind == SUP_CONSTRAINT_HINGE && (soft_a || soft_b))
    return SUP_FAIL(
        SUP_E_ARG,
        "%s: '%s' is soft and has no axis; attach its vertices to a rigid body ('attach'), "
        "and take that",
        what, soft_b ? d->b : d->a);
  if (d->kind == SUP_CONSTRAINT_WELD && (soft_a || (soft_b && !d->has_region_b)))
    return SUP_FAIL(
        SUP_E_ARG,
        "%s: of a soft body a region is welded to a link or the world: name the soft body "
        "second, with 'region'",
        what);
  if (d->from.kind != SUP_EVENT_NONE && soft_a && !has_length)
    return SUP_FAIL(
        SUP_E_ARG,
        "%s: its first body is soft, so that it has no place to begin at by an event; name "
        "it second, or leave out 'from'",
        what);
  return SUP_OK;
}

static sup_status find_points(const sup_model *model, const sup_model_def *all,
                              const sup_constraint_def *d, const sup_frame *X_WL, const double *x,
                              const char *what, sup_body_constraint *c) {
  int a, b;
  SUP_TRY(sup_model_find_side(model, d->a, what, &a));
  SUP_TRY(sup_model_find_side(model, d->b, what, &b));
  SUP_TRY(check_kind(model, d, a, b, what));
  SUP_TRY(SUP_CALLOC(c->point, 1));
  SUP_TRY(sup_body_point_of(&c->point[0], model, all, b, d->point_b,
                            d->has_region_b ? &d->region_b : NULL, what));
  c->num_points = 1;
  if (d->kind == SUP_CONSTRAINT_WELD && is_soft(model, b)) {
    SUP_TRY(part_region(model, c, what));
  } else {
    SUP_TRY(check_point(model, &c->point[0], what));
  }
  if (d->kind != SUP_CONSTRAINT_ROD && d->kind != SUP_CONSTRAINT_ROPE)
    return find_common(model, all, a, X_WL, x, what, c);
  SUP_TRY(sup_body_point_of(&c->a, model, all, a, d->point_a, NULL, what));
  return check_point(model, &c->a, what);
}

static sup_status find_joints(const sup_model *model, const sup_constraint_def *d, const char *what,
                              sup_body_constraint *c) {
  double q[2];
  for (int k = 0; k < 2; k++)
    SUP_TRY(
        sup_model_find_axis(model, k == 0 ? d->a : d->b, what, &c->tree[k], &c->q[k], &c->v[k]));
  if (c->tree[0] == c->tree[1] && c->v[0] == c->v[1])
    return SUP_FAIL(SUP_E_ARG, "%s: the joint '%s' would follow itself", what, d->a);
  if (d->from.kind != SUP_EVENT_NONE)
    return SUP_FAIL(SUP_E_ARG, "%s: a coupler begins at the start; leave 'from' out", what);
  for (int k = 0; k < 2; k++) q[k] = model->q0[model->q_start[c->tree[k]] + c->q[k]];
  double follows = d->ratio * q[0] + d->offset;
  if (fabs(q[1] - follows) > 1e-6 * (1 + fabs(follows)))
    return SUP_FAIL(SUP_E_ARG,
                    "%s: at the start '%s' is at %.6g (m or rad), where ratio and offset put it at "
                    "%.6g; begin there, or take the offset %.6g",
                    what, d->b, q[1], follows, q[1] - d->ratio * q[0]);
  return SUP_OK;
}

/** E_ARG: nothing moves either side but motions that are prescribed. */
static sup_status check_moves(const sup_model *model, const sup_body_constraint *c,
                              const char *what) {
  const sup_body_point *end[2] = {&c->a, c->point};
  for (int e = 0; e < 2; e++)
    for (int i = 0; i < (e == 0 ? 1 : c->num_points); i++) {
      const sup_body_point *at = end[e] + i;
      if (at->body == SUP_NONE) continue;
      if (at->num_vertices == 0 && model->tree_block[model->body[at->body].tree] != SUP_NONE)
        return SUP_OK;
      for (int k = 0; k < at->num_vertices; k++)
        if (sup_body_point_block(at, k, model) != SUP_NONE) return SUP_OK;
    }
  return SUP_FAIL(
      SUP_E_ARG, "%s: both sides are fixed, held or move as prescribed; it would do nothing", what);
}

/** Points of a rod or rope in one place, for which it has no direction. */
static sup_status check_ends(const sup_body_constraint *c, const sup_constraint_def *d,
                             const double *place, const sup_frame *X_WL, const double *x,
                             const char *what) {
  if (c->kind != SUP_CONSTRAINT_ROD && c->kind != SUP_CONSTRAINT_ROPE) return SUP_OK;
  double length = place[4 + 3 * c->num_points],
         apart = sup_v3_norm(sup_constraint_shift(c, place, 0, X_WL, x));
  if (!(length > 0) || !(apart > 0))
    return SUP_FAIL(
        SUP_E_ARG,
        "%s: its points are in one place at time 0, so that it has no direction; a 'ball' "
        "joins points that coincide",
        what);
  bool is_rope = c->kind == SUP_CONSTRAINT_ROPE, begins = d->from.kind != SUP_EVENT_NONE;
  if (begins && !is_rope && c->length > 0 && !(c->stiffness > 0))
    return SUP_FAIL(SUP_E_ARG,
                    "%s: as it begins by an event its points are where they are then; leave the "
                    "length out, or give it a stiffness",
                    what);
  if (!begins && !(c->stiffness > 0) &&
      (is_rope ? apart - length : fabs(apart - length)) > 1e-6 * length)
    return SUP_FAIL(
        SUP_E_ARG,
        "%s: its length is %.6g m, but its points are %.6g m apart at time 0; leave the "
        "length out, or give it a stiffness",
        what, length, apart);
  return SUP_OK;
}

static sup_status build_constraint(sup_model *model, const sup_model_def *all,
                                   const sup_constraint_def *d, const sup_frame *X_WL,
                                   const double *x, sup_body_constraint *c) {
  char              what[WHAT_SIZE];
  SUP_FREED double *place = NULL;
  SUP_TRY(sup_text_copy(c->name, sizeof c->name, d->name));
  snprintf(what, sizeof what, "constraint '%s'", c->name);
  if (model->ranks) return SUP_FAIL(SUP_E_ARG, "%s: constraints work on one rank", what);
  SUP_TRY(check_numbers(d, what));
  c->kind = d->kind, c->length = d->length, c->stiffness = d->stiffness, c->damping = d->damping;
  c->ratio = d->ratio, c->offset = d->offset;
  double norm = sup_v3_norm(sup_v3_load(d->axis));
  c->axis = sup_v3_scale(norm > 0 ? 1 / norm : 0, sup_v3_load(d->axis));
  if (is_joined(c->kind))
    SUP_TRY(find_joints(model, d, what, c));
  else
    SUP_TRY(find_points(model, all, d, X_WL, x, what, c));
  if (!is_joined(c->kind)) SUP_TRY(check_moves(model, c, what));
  SUP_TRY(sup_model_add_events(model, &d->from, &d->until, what, &c->from, &c->until));
  SUP_TRY(SUP_CALLOC(place, sup_constraint_num_places(c)));
  sup_constraint_set_place(c, X_WL, x, place);
  SUP_TRY(check_ends(c, d, place, X_WL, x, what));
  c->line = SUP_NONE;
  if (c->kind != SUP_CONSTRAINT_ROD && c->kind != SUP_CONSTRAINT_ROPE) return SUP_OK;
  return sup_model_add_line(model, c, place[7],
                            sup_v3_norm(sup_constraint_shift(c, place, 0, X_WL, x)));
}

sup_status sup_model_build_constraints(sup_model *model, const sup_model_def *def) {
  SUP_OWN(sup_arena) *arena = NULL;
  sup_kinematics      kin;
  double             *x;
  if (def->num_constraints == 0) return SUP_OK;
  SUP_TRY(sup_arena_create(&arena, 1 << 12));
  SUP_TRY(sup_model_start(model, arena, &x, &kin));
  SUP_TRY(SUP_CALLOC(model->constraint, def->num_constraints));
  for (int i = 0; i < def->num_constraints; i++) {
    const sup_constraint_def *d = &def->constraints[i];
    sup_body_constraint      *c = &model->constraint[i];
    for (int k = 0; k < i; k++)
      if (strcmp(def->constraints[k].name, d->name) == 0)
        return SUP_FAIL(SUP_E_ARG, "two constraints have the name '%s'", d->name);
    model->num_constraints = i + 1;
    SUP_TRY(sup_model_blame(d->file, d->line, d->column,
                            build_constraint(model, def, d, kin.X_WL, x, c)));
    c->first_place = model->num_constraint_places;
    model->num_constraint_places += sup_constraint_num_places(c);
  }
  SUP_TRY(SUP_CALLOC(model->constraint_place, model->num_constraint_places));
  for (int i = 0; i < model->num_constraints; i++) {
    const sup_body_constraint *c = &model->constraint[i];
    sup_constraint_set_place(c, kin.X_WL, x, model->constraint_place + c->first_place);
  }
  return SUP_OK;
}

void sup_constraint_free(sup_body_constraint *c) {
  for (int k = 0; k < c->num_points; k++) sup_body_point_free(&c->point[k]);
  sup_body_point_free(&c->a);
  SUP_FREE(c->point);
}
