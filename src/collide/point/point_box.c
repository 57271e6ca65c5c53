#include "base/status.h"
#include "collide/point/point_parts.h"

typedef struct axis_search {
  const sup_m3 *Ra, *Rb;
  sup_v3        d; /* from a's centre to b's */
  sup_v3        ha, hb;
} axis_search;

/** Half the length of a box along n. */
static double extent(const sup_m3 *R, sup_v3 h, sup_v3 n) {
  sup_v3 l = sup_m3_apply_t(*R, n);
  return fabs(l.x) * h.x + fabs(l.y) * h.y + fabs(l.z) * h.z;
}

static double separation(const axis_search *s, sup_v3 n) {
  return fabs(sup_v3_dot(s->d, n)) - extent(s->Ra, s->ha, n) - extent(s->Rb, s->hb, n);
}

double sup_point_boxes(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 *normal,
                       int *is_edge) {
  axis_search s = {&a->X.R, &b->X.R, sup_v3_sub(b->X.p, a->X.p),
                   sup_v3_scale(0.5, sup_v3_load(a->shape->size)),
                   sup_v3_scale(0.5, sup_v3_load(b->shape->size))};
  double      best = -HUGE_VAL, bias = 1e-6 * sup_point_size(a, b);
  *is_edge = 0;
  for (int k = 0; k < 6; k++) {
    sup_v3 n = sup_m3_column(k < 3 ? s.Ra : s.Rb, k % 3);
    double gap = separation(&s, n);
    if (gap > best + (k < 3 ? 0 : bias)) best = gap, *normal = n;
  }
  for (int k = 0; k < 9; k++) {
    sup_v3 n = sup_v3_cross(sup_m3_column(s.Ra, k / 3), sup_m3_column(s.Rb, k % 3));
    double length = sup_v3_norm(n);
    if (!(length > 1e-6)) continue; /* parallel edges: a face normal covers them */
    n = sup_v3_scale(1 / length, n);
    double gap = separation(&s, n);
    if (gap > best + (*is_edge ? 0 : bias)) best = gap, *normal = n, *is_edge = 1;
  }
  if (sup_v3_dot(*normal, s.d) < 0) *normal = sup_v3_scale(-1, *normal);
  return best;
}
