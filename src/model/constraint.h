/** Constraints between bodies (THEORY 11.1).  Layer model.
 *
 *  Their places, of body b past body a, are those of time 0, or of the event by which they begin:
 * then the state has them. */
#pragma once

#include "model/model.h"

typedef struct sup_body_constraint {
  char                name[SUP_NAME_MAX];
  sup_constraint_kind kind;
  sup_body_point  a; /* a soft a: the point at time 0; links and the world: their place counts */
  int             num_points;
  sup_body_point *point; /* [num_points] on b: one, or all vertices of a weld's region */
  sup_v3          axis;  /* of a hinge, unit, in the frame of b */
  double          length, stiffness, damping; /* sup_constraint_def */
  int             tree[2], q[2], v[2]; /* of a coupler: trees of leader and follower, in the tree */
  double          ratio, offset;
  int             from, until; /* events; SUP_NONE */
  int             line;        /* cable of load steps; SUP_NONE: none */
  int first_place; /* in state->constraint_place: [num_points x 3] places of the points in
                      a's frame, of a soft a less its own point, world; rotation of b past a
                      [4]; length [1] */
} sup_body_constraint;

/** Numbers of a constraint in state->constraint_place. */
static inline int sup_constraint_num_places(const sup_body_constraint *c) {
  return 3 * c->num_points + 5;
}
/** Name of a kind in scenes. */
const char *sup_constraint_name(sup_constraint_kind kind);
/** True if the constraint has begun and not ended.
 *  @param[in] event  [num_events] of a state */
bool sup_constraint_is_active(const sup_body_constraint *c, const struct sup_event_state *event);
/** True if one of its points is on the body. */
static inline bool sup_constraint_is_on(const sup_body_constraint *c, int body) {
  return c->num_points > 0 && (c->a.body == body || c->point[0].body == body);
}
/** First active constraint on the body; NULL: none.
 *  @param[in] event  of a state; NULL: the model has no events */
const sup_body_constraint *sup_constraint_on(const sup_model *model, int body,
                                             const struct sup_event_state *event);
/** True of hinges and welds of links, which keep the rotation. */
static inline bool sup_constraint_turns(const sup_body_constraint *c) {
  return (c->kind == SUP_CONSTRAINT_HINGE || c->kind == SUP_CONSTRAINT_WELD) &&
         c->point[0].num_vertices == 0;
}
/** place [sup_constraint_num_places] := that of bodies at X_WL [num_bodies], x [num_vertices x 3].
 */
void sup_constraint_set_place(const sup_body_constraint *c, const sup_frame *X_WL, const double *x,
                              double *place);
/** World place of end a of point k, and p_b - p_a [m]. */
sup_v3 sup_constraint_end(const sup_body_constraint *c, const double *place, int k,
                          const sup_frame *X_WL, const double *x);
sup_v3 sup_constraint_shift(const sup_body_constraint *c, const double *place, int k,
                            const sup_frame *X_WL, const double *x);
/** Rotation vector of b past its place [rad], world axes; of a hinge normal to *axis, its axis on
 * a. */
sup_v3 sup_constraint_turn(const sup_body_constraint *c, const double *place, const sup_frame *X_WL,
                           sup_v3 *axis);
/** Places of constraints that begin after the events `before` [num_events]: those of the state with
 * its links at X_WL. */
void sup_constraints_begin(const sup_model *model, const struct sup_event_state *before,
                           const sup_frame *X_WL, sup_state *state);
/** Rotation of b past its place [rad]; 0 of kinds that do not keep it. */
double sup_constraint_angle(const sup_body_constraint *c, const double *place,
                            const sup_frame *X_WL);
/** Largest distance of its points from their places, of a rod or rope that of its length [m]; of a
 * coupler the distance of the follower from its place [m or rad].
 *  @param[in] q  of a state */
double sup_constraint_gap(const sup_model *model, const sup_body_constraint *c, const double *place,
                          const sup_frame *X_WL, const double *x, const double *q);
/** Energy of rods and ropes with a stiffness [J]; place, event: of a state. */
double sup_model_constraint_energy(const sup_model *model, const double *place,
                                   const struct sup_event_state *event, const sup_frame *X_WL,
                                   const double *x);
/** E_ARG: the model has constraints, which `user` does not take. */
SUP_NODISCARD sup_status sup_model_refuse_constraints(const sup_model *model, const char *user);
