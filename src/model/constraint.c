#include "model/constraint.h"

#include <math.h>

#include "model/body_point.h"
#include "model/event.h"

const char *sup_constraint_name(sup_constraint_kind kind) {
#define NAME_OF(NAME, name, meaning) #name,
  static const char *const names[] = {SUP_CONSTRAINT_LIST(NAME_OF)};
#undef NAME_OF
  return names[kind];
}

bool sup_constraint_is_active(const sup_body_constraint *c, const sup_event_state *event) {
  return (c->from == SUP_NONE || event[c->from].fired >= 0) &&
         (c->until == SUP_NONE || event[c->until].fired < 0);
}

const sup_body_constraint *sup_constraint_on(const sup_model *model, int body,
                                             const sup_event_state *event) {
  for (int i = 0; i < model->num_constraints; i++)
    if (sup_constraint_is_on(&model->constraint[i], body) &&
        sup_constraint_is_active(&model->constraint[i], event))
      return &model->constraint[i];
  return NULL;
}

static sup_frame pose_of(int body, const sup_frame *X_WL) {
  return body == SUP_NONE ? sup_frame_identity() : X_WL[body];
}

static sup_quat load_quat(const double *q) { return (sup_quat){q[0], q[1], q[2], q[3]}; }

static bool has_two_points(const sup_body_constraint *c) {
  return c->kind == SUP_CONSTRAINT_ROD || c->kind == SUP_CONSTRAINT_ROPE;
}

void sup_constraint_set_place(const sup_body_constraint *c, const sup_frame *X_WL, const double *x,
                              double *place) {
  if (c->kind == SUP_CONSTRAINT_COUPLER) return;
  sup_frame A = pose_of(c->a.body, X_WL), B = pose_of(c->point[0].body, X_WL);
  for (int k = 0; k < c->num_points; k++) {
    sup_v3 p = sup_body_point_position(&c->point[k], X_WL, x);
    bool   is_soft = c->a.num_vertices > 0;
    p = is_soft ? sup_v3_sub(p, sup_body_point_position(&c->a, X_WL, x))
                : sup_frame_apply_inverse(&A, p);
    if (!has_two_points(c)) sup_v3_store(place + 3 * (ptrdiff_t)k, p);
  }
  double  *rest = place + 3 * (ptrdiff_t)c->num_points;
  sup_quat q = sup_quat_from_matrix(sup_m3_mul(sup_m3_transpose(A.R), B.R));
  rest[0] = q.w, rest[1] = q.x, rest[2] = q.y, rest[3] = q.z;
  double apart = sup_v3_norm(sup_constraint_shift(c, place, 0, X_WL, x));
  bool   catches = c->kind == SUP_CONSTRAINT_ROPE && c->from != SUP_NONE && !(c->stiffness > 0);
  rest[4] = !(c->length > 0) || (catches && apart > c->length) ? apart : c->length;
}

sup_v3 sup_constraint_end(const sup_body_constraint *c, const double *place, int k,
                          const sup_frame *X_WL, const double *x) {
  if (has_two_points(c)) return sup_body_point_position(&c->a, X_WL, x);
  sup_v3 p = sup_v3_load(place + 3 * (ptrdiff_t)k);
  if (c->a.num_vertices > 0) return sup_v3_add(sup_body_point_position(&c->a, X_WL, x), p);
  sup_frame A = pose_of(c->a.body, X_WL);
  return sup_frame_apply(&A, p);
}

sup_v3 sup_constraint_shift(const sup_body_constraint *c, const double *place, int k,
                            const sup_frame *X_WL, const double *x) {
  return sup_v3_sub(sup_body_point_position(&c->point[k], X_WL, x),
                    sup_constraint_end(c, place, k, X_WL, x));
}

sup_v3 sup_constraint_turn(const sup_body_constraint *c, const double *place, const sup_frame *X_WL,
                           sup_v3 *axis) {
  sup_frame A = pose_of(c->a.body, X_WL), B = pose_of(c->point[0].body, X_WL);
  sup_m3 rest = sup_m3_mul(A.R, sup_quat_matrix(load_quat(place + 3 * (ptrdiff_t)c->num_points)));
  *axis = sup_m3_apply(rest, c->axis);
  if (c->kind == SUP_CONSTRAINT_HINGE) return sup_v3_cross(*axis, sup_m3_apply(B.R, c->axis));
  return sup_quat_log(sup_quat_from_matrix(sup_m3_mul(B.R, sup_m3_transpose(rest))));
}

void sup_constraints_begin(const sup_model *model, const sup_event_state *before,
                           const sup_frame *X_WL, sup_state *state) {
  for (int i = 0; i < model->num_constraints; i++) {
    const sup_body_constraint *c = &model->constraint[i];
    if (!sup_constraint_is_active(c, before) && sup_constraint_is_active(c, state->event))
      sup_constraint_set_place(c, X_WL, state->x, state->constraint_place + c->first_place);
  }
}

double sup_constraint_gap(const sup_model *model, const sup_body_constraint *c, const double *place,
                          const sup_frame *X_WL, const double *x, const double *q) {
  double most = 0;
  if (c->kind == SUP_CONSTRAINT_COUPLER)
    return fabs(q[model->q_start[c->tree[1]] + c->q[1]] -
                c->ratio * q[model->q_start[c->tree[0]] + c->q[0]] - c->offset);
  for (int k = 0; k < c->num_points; k++)
    most = fmax(most, sup_v3_norm(sup_constraint_shift(c, place, k, X_WL, x)));
  if (!has_two_points(c)) return most;
  most -= place[3 * c->num_points + 4];
  return c->kind == SUP_CONSTRAINT_ROPE ? fmax(most, 0) : fabs(most);
}

double sup_constraint_angle(const sup_body_constraint *c, const double *place,
                            const sup_frame *X_WL) {
  sup_v3 axis;
  if (!sup_constraint_turns(c)) return 0;
  return sup_v3_norm(sup_constraint_turn(c, place, X_WL, &axis));
}

double sup_model_constraint_energy(const sup_model *model, const double *place,
                                   const sup_event_state *event, const sup_frame *X_WL,
                                   const double *x) {
  double sum = 0;
  for (int i = 0; i < model->num_constraints; i++) {
    const sup_body_constraint *c = &model->constraint[i];
    if (!(c->stiffness > 0) || !sup_constraint_is_active(c, event)) continue;
    double gap = sup_constraint_gap(model, c, place + c->first_place, X_WL, x, NULL);
    sum += 0.5 * c->stiffness * gap * gap;
  }
  return sum;
}

sup_status sup_model_refuse_constraints(const sup_model *model, const char *user) {
  if (model->num_constraints == 0) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG, "%s: the scene has the constraint '%s', for which it is not made",
                  user, model->constraint[0].name);
}
