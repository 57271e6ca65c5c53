#include "model/cable.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/table.h"
#include "model/body_point.h"
#include "model/numerics.h"

sup_cable_law sup_cable_law_at(const sup_model *model, const sup_inputs *inputs, int i, double t,
                               double load) {
  const sup_cable *c = &model->cable[i];
  bool             is_line = i >= model->num_cables; /* without inputs */
  const sup_table  schedule =
      sup_inputs_table(is_line ? NULL : inputs, SUP_DRIVEN_CABLE, i, &c->schedule);
  sup_cable_law law = {.tension = load * c->tension, .rest = c->length};
  if (c->drive == SUP_CABLE_TENSION) {
    sup_table_at(&schedule, t, &law.tension);
    return law;
  }
  sup_table_at(&schedule, t, &law.rest);
  if (c->is_added) law.rest += c->length0;
  if (schedule.num_rows == 0) law.rest = c->length0 + load * (law.rest - c->length0);
  return law;
}

double sup_cable_span(const sup_cable *c, sup_v3 way, sup_v3 *t) {
  double round = sup_model_numerics.cable_round * c->length0;
  double length = sqrt(sup_v3_dot(way, way) + round * round);
  if (t) *t = sup_v3_scale(1 / length, way);
  return length;
}

/* ---- paths ----------------------------------------------------------------------------------- */

sup_cable_node sup_cable_node_at(const sup_cable *c, int k, sup_v3 x, const sup_frame *X_WL) {
  const sup_cable_sheave *sheave = &c->sheave[k];
  int                     body = c->point[k].body;
  sup_cable_node          node = {x, sheave->axis, sheave->mark};
  if (sheave->radius > 0 && body != SUP_NONE) {
    node.axis = sup_m3_apply(X_WL[body].R, node.axis);
    node.mark = sup_m3_apply(X_WL[body].R, node.mark);
  }
  return node;
}

int sup_cable_next(const sup_cable *c, int k) {
  do k++;
  while (k + 1 < c->num_points && c->sheave[k].radius > 0);
  return k;
}

/** Tangent of the sheaves about points i and j, in the plane across the mean of their axes; length
 * 0: there is none. */
static sup_cable_leg leg_between(const sup_cable *c, int i, int j, const sup_cable_node *a,
                                 const sup_cable_node *b) {
  sup_cable_leg leg = {.from = i, .to = j, .end = {a->x, b->x}};
  bool          is_inside = false;
  double        r0 = c->sheave[i].radius, r1 = c->sheave[j].radius;
  if (r0 > 0 || r1 > 0) {
    double sense = sup_v3_dot(a->axis, b->axis) < 0 ? -1 : 1, q = sense * r1 - r0;
    sup_v3 n = sup_v3_unit(sup_v3_madd(a->axis, sense, b->axis)), d = sup_v3_sub(b->x, a->x);
    d = sup_v3_madd(d, -sup_v3_dot(d, n), n);
    double square = sup_v3_dot(d, d), l = sqrt(sup_max(square - q * q, 0));
    sup_v3 t = sup_v3_madd(sup_v3_scale(l, d), q, sup_v3_cross(d, n));
    sup_v3 side = sup_v3_scale(1 / sup_max(square, DBL_MIN), sup_v3_cross(t, n));
    leg.end[0] = sup_v3_madd(a->x, r0, side), leg.end[1] = sup_v3_madd(b->x, sense * r1, side);
    is_inside = !(square > q * q);
  }
  leg.length = sup_cable_span(c, sup_v3_sub(leg.end[1], leg.end[0]), &leg.t);
  if (is_inside) leg.length = 0;
  return leg;
}

/** Angle from a to b about the unit vector n, -pi to pi [rad]. */
static double angle_about(sup_v3 n, sup_v3 a, sup_v3 b) {
  return atan2(sup_v3_dot(n, sup_v3_cross(a, b)),
               sup_v3_dot(a, b) - sup_v3_dot(a, n) * sup_v3_dot(b, n));
}

/** Wrap and arcs of a sheave between two ways: of friction before and after its mark. */
static void add_arc(const sup_cable *c, const sup_cable_node *node, sup_cable_leg *before,
                    sup_cable_leg *leg) {
  const sup_cable_sheave *sheave = &c->sheave[leg->from];
  leg->wrap = angle_about(node->axis, before->t, leg->t);
  if (leg->wrap < sheave->least) leg->wrap += 2 * acos(-1);
  leg->arc = sheave->radius * leg->wrap;
  if (c->num_strands == 1) return;
  double out = angle_about(node->axis, node->mark, sup_v3_sub(leg->end[0], node->x));
  leg->turned = 0.5 * leg->wrap - out;
  before->arc += leg->arc - sheave->radius * out, leg->arc = sheave->radius * out;
}

int sup_cable_legs(const sup_cable *c, int k, const sup_cable_node *node, sup_cable_leg *leg) {
  int on[SUP_CABLE_MOST_SHEAVES + 2], num = sup_cable_next(c, k) - k, off = 0;
  for (int i = 0; i <= num; i++) on[i] = i;
  do {
    if (off) memmove(on + off, on + off + 1, (size_t)(num-- - off) * sizeof *on);
    off = 0;
    for (int i = 0; i < num; i++)
      leg[i] = leg_between(c, k + on[i], k + on[i + 1], &node[on[i]], &node[on[i + 1]]);
    for (int i = 1; i < num; i++) {
      add_arc(c, &node[on[i]], &leg[i - 1], &leg[i]);
      if (c->num_strands == 1 && leg[i].wrap < (off ? leg[off].wrap : 0)) off = i;
    }
  } while (off);
  return num;
}

static void nodes_at(const sup_cable *c, int k, const sup_frame *X_WL, const double *x,
                     sup_cable_node *node) {
  for (int i = k; i <= sup_cable_next(c, k); i++)
    node[i - k] = sup_cable_node_at(c, i, sup_body_point_position(&c->point[i], X_WL, x), X_WL);
}

int sup_cable_legs_at(const sup_cable *c, int k, const sup_frame *X_WL, const double *x,
                      sup_cable_leg *leg) {
  sup_cable_node node[SUP_CABLE_MOST_SHEAVES + 2];
  nodes_at(c, k, X_WL, x, node);
  return sup_cable_legs(c, k, node, leg);
}

sup_status sup_cable_check(const sup_cable *c, const sup_frame *X_WL, const double *x, double t) {
  sup_cable_leg  leg[SUP_CABLE_MOST_SHEAVES + 1];
  sup_cable_node node[SUP_CABLE_MOST_SHEAVES + 2];
  const double   right = acos(0);
  for (int k = 0; k + 1 < c->num_points; k = sup_cable_next(c, k)) {
    int num = sup_cable_legs_at(c, k, X_WL, x, leg);
    nodes_at(c, k, X_WL, x, node);
    for (int i = k; i < sup_cable_next(c, k); i++)
      if (!(leg_between(c, i, i + 1, &node[i - k], &node[i - k + 1]).length > 0))
        return SUP_FAIL(SUP_E_ARG,
                        "cable '%s' has no tangent from point %d of its path to point %d at %.4g "
                        "s: one is inside the sheave of the other",
                        c->name, i + 1, i + 2, t);
    for (int i = 1; i < num && c->num_strands > 1; i++) {
      const sup_cable_leg *l = &leg[i];
      if (l->wrap < 0)
        return SUP_FAIL(SUP_E_ARG,
                        "cable '%s' leaves the sheave of point %d of its path at %.4g s, by %.3g "
                        "degrees; with friction it stays on: turn the axis, or take friction: 0",
                        c->name, l->from + 1, t, -l->wrap * 90 / right);
      if (fabs(l->turned) > right)
        return SUP_FAIL(SUP_E_ARG,
                        "the sheave of point %d of cable '%s' has turned by more than 90 degrees "
                        "about its cable at %.4g s, as far as it goes with friction",
                        l->from + 1, c->name, t);
    }
  }
  return SUP_OK;
}

double sup_cable_length(const sup_cable *c, const sup_frame *X_WL, const double *x) {
  sup_cable_leg leg[SUP_CABLE_MOST_SHEAVES + 1];
  double        sum = 0;
  for (int k = 0; k + 1 < c->num_points; k = sup_cable_next(c, k)) {
    int num = sup_cable_legs_at(c, k, X_WL, x, leg);
    for (int i = 0; i < num; i++) sum += leg[i].length + leg[i].arc;
  }
  return sum;
}

double sup_cable_energy(const sup_cable *c, double length, double tension) {
  if (c->drive == SUP_CABLE_TENSION || !(c->stiffness > 0)) return 0;
  return 0.5 * tension * tension * length / (c->stiffness + tension); /* L = L0 (1 + T/EA) */
}

double sup_cable_stored(const sup_cable *c, const sup_strand *strand, const sup_frame *X_WL,
                        const double *x) {
  double sum = 0;
  if (c->num_strands == 1)
    return sup_cable_energy(c, sup_cable_length(c, X_WL, x), strand->tension);
  for (int i = 0; i < c->num_strands && c->stiffness > 0; i++) /* L = L0 (1 + T/EA) */
    sum += 0.5 * strand[i].tension * strand[i].tension * strand[i].rest / c->stiffness;
  return sum;
}

double sup_model_cable_energy(const sup_model *model, const sup_strand *strand,
                              const sup_frame *X_WL, const double *x) {
  double sum = 0;
  for (int i = 0; i < model->num_cables; i++) {
    const sup_cable *c = &model->cable[i];
    sum += sup_cable_stored(c, strand + c->first_strand, X_WL, x);
  }
  return sum;
}

const sup_cable *sup_model_cable_on(const sup_model *model, int body) {
  for (int i = 0; i < model->num_cables; i++) {
    const sup_cable *c = &model->cable[i];
    for (int k = 0; k < c->num_points; k++)
      if (c->point[k].body == body) return c;
    if (c->winch_tree != SUP_NONE && model->body[body].soft == SUP_NONE &&
        model->body[body].tree == c->winch_tree)
      return c;
  }
  return NULL;
}

int sup_cable_most_blocks(const sup_cable *c) {
  int most = 0;
  for (int i = 0; i + 1 < c->num_points; i++) {
    for (int to = i + 1; to <= sup_cable_next(c, i); to++)
      if (c->point[i].num_vertices + c->point[to].num_vertices + 2 > most)
        most = c->point[i].num_vertices + c->point[to].num_vertices + 2;
  }
  return most;
}
