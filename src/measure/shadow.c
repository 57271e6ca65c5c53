#include "measure/shadow.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 128, COARSE = 16, MOST_CORNERS = 2 * DIRECTIONS };

/** Outline, counter-clockwise: the farthest points in all directions of the plane. */
typedef struct outline {
  int    num; /* DIRECTIONS; 0: endless */
  double corner[MOST_CORNERS][2];
} outline;

typedef struct view {
  sup_m3 axes; /* direction of sight last */
  sup_v3 centre;
  double cosine[DIRECTIONS], sine[DIRECTIONS], most[DIRECTIONS];
} view;

static void raise(view *v, const double p[2], int k, outline *out) {
  double h = v->cosine[k] * p[0] + v->sine[k] * p[1];
  if (!(h > v->most[k])) return;
  v->most[k] = h, out->corner[k][0] = p[0], out->corner[k][1] = p[1];
}

/** 1: the point is in the polygon of the corners in every COARSE-th direction. */
static bool is_inside(const outline *o, const double p[2]) {
  for (int k = 0; k < DIRECTIONS; k += COARSE) {
    const double *a = o->corner[k], *b = o->corner[(k + COARSE) % DIRECTIONS];
    if ((b[0] - a[0]) * (p[1] - a[1]) < (b[1] - a[1]) * (p[0] - a[0])) return 0;
  }
  return 1;
}

static void add_point(view *v, sup_v3 point, int stride, outline *out) {
  sup_v3       p = sup_m3_apply_t(v->axes, sup_v3_sub(point, v->centre));
  const double at[2] = {p.x, p.y};
  if (stride == 1 && is_inside(out, at)) return;
  for (int k = 0; k < DIRECTIONS; k += stride) raise(v, at, k, out);
}

static void add_points(const sup_observation *obs, int body, view *v, int stride, outline *out) {
  const sup_model *model = obs->model;
  const sup_body  *b = &model->body[body];
  for (int i = 0; b->soft != SUP_NONE && i < model->soft[b->soft].num_vertices; i++)
    add_point(v, sup_v3_load(obs->x + 3 * (size_t)(model->soft[b->soft].first_vertex + i)), stride,
              out);
  for (int g = 0; b->soft == SUP_NONE && g < b->num_geometries; g++) {
    const sup_geometry *geometry = &model->geometry[b->first_geometry + g];
    if (sup_geometry_is_half_space(geometry)) out->num = 0;
    for (int i = 0; out->num && i < geometry->surface->num_points; i++)
      add_point(v, sup_frame_apply(&obs->X_WL[body], sup_v3_load(geometry->points + 3 * (size_t)i)),
                stride, out);
  }
}

/** Outline of a body: first the corners in a few directions, then of what is outside of these. */
static void find_outline(const sup_observation *obs, int body, view *v, outline *out) {
  out->num = DIRECTIONS;
  for (int k = 0; k < DIRECTIONS; k++) v->most[k] = -HUGE_VAL;
  add_points(obs, body, v, COARSE, out);
  for (int k = 0; k < DIRECTIONS && out->num; k++)
    for (int side = 0; side < 2; side++)
      raise(v, out->corner[(k / COARSE + side) * COARSE % DIRECTIONS], k, out);
  if (out->num) add_points(obs, body, v, 1, out);
}

/** Keep what is to the left of the line from a to b. */
static void clip(outline *of, const double a[2], const double b[2]) {
  outline      in = *of;
  const double x = b[0] - a[0], y = b[1] - a[1];
  of->num = 0;
  for (int i = 0; i < in.num; i++) {
    const double *p = in.corner[i], *q = in.corner[(i + 1) % in.num];
    double        left_p = x * (p[1] - a[1]) - y * (p[0] - a[0]),
           left_q = x * (q[1] - a[1]) - y * (q[0] - a[0]), share = left_p / (left_p - left_q);
    if (left_p >= 0) memcpy(of->corner[of->num++], p, sizeof *of->corner);
    if ((left_p >= 0) == (left_q >= 0)) continue;
    for (int c = 0; c < 2; c++) of->corner[of->num][c] = p[c] + share * (q[c] - p[c]);
    of->num++;
  }
}

static double area_of(const outline *o) {
  double sum = 0;
  for (int i = 0; i < o->num; i++) {
    const double *p = o->corner[i], *q = o->corner[(i + 1) % o->num];
    sum += (p[0] * q[1] - p[1] * q[0]) / 2;
  }
  return sum;
}

double sup_shadow_overlap(const sup_observation *obs, int a, int b, sup_v3 along) {
  view    v = {.axes = sup_m3_frame_of_normal(along), .centre = obs->X_WL[b].p};
  outline shared, other = {.num = 0};
  for (int k = 0; k < DIRECTIONS; k++) {
    double angle = 8 * atan(1) * k / DIRECTIONS;
    v.cosine[k] = cos(angle), v.sine[k] = sin(angle);
  }
  find_outline(obs, b, &v, &shared);
  if (a != SUP_NONE) find_outline(obs, a, &v, &other);
  if (shared.num == 0) return area_of(&other);
  const double size = sqrt(area_of(&other));
  for (int k = 0; k < other.num; k++) {
    const double *p = other.corner[k], *q = other.corner[(k + 1) % other.num];
    if (hypot(q[0] - p[0], q[1] - p[1]) > 1e-9 * size) clip(&shared, p, q); /* no round-off */
  }
  return area_of(&shared);
}
