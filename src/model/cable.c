#include "model/cable.h"

#include <math.h>

#include "base/table.h"
#include "model/body_point.h"
#include "model/numerics.h"

sup_cable_law sup_cable_law_at(const sup_cable *c, double t, double load) {
  sup_cable_law law = {.tension = load * c->tension, .rest = c->length};
  if (c->drive == SUP_CABLE_TENSION) {
    sup_table_at(&c->schedule, t, &law.tension);
    return law;
  }
  sup_table_at(&c->schedule, t, &law.rest);
  if (c->is_added) law.rest += c->length0;
  if (c->schedule.num_rows == 0) law.rest = c->length0 + load * (law.rest - c->length0);
  return law;
}

double sup_cable_span(const sup_cable *c, sup_v3 way, sup_v3 *t) {
  double round = sup_model_numerics.cable_round * c->length0;
  double length = sqrt(sup_v3_dot(way, way) + round * round);
  if (t) *t = sup_v3_scale(1 / length, way);
  return length;
}

double sup_cable_measure(const sup_cable *c, const sup_v3 *x, sup_v3 *t, double *segment) {
  double sum = 0;
  for (int i = 0; i + 1 < c->num_points; i++) {
    double length = sup_cable_span(c, sup_v3_sub(x[i + 1], x[i]), t ? &t[i] : NULL);
    sum += length;
    if (segment) segment[i] = length;
  }
  return sum;
}

double sup_cable_length(const sup_cable *c, const sup_frame *X_WL, const double *x) {
  double sum = 0;
  sup_v3 before = sup_body_point_position(&c->point[0], X_WL, x);
  for (int i = 1; i < c->num_points; i++) {
    sup_v3 at = sup_body_point_position(&c->point[i], X_WL, x);
    sum += sup_cable_span(c, sup_v3_sub(at, before), NULL);
    before = at;
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
    int n = c->point[i].num_vertices + c->point[i + 1].num_vertices + 2;
    if (n > most) most = n;
  }
  return most;
}
