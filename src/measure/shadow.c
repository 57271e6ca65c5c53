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
  double edge[DIRECTIONS / COARSE][3]; /* of the polygon of every COARSE-th corner; offset last */
} view;

static void raise(view *v, const double p[2], int k, outline *out) {
  double h = v->cosine[k] * p[0] + v->sine[k] * p[1];
  if (!(h > v->most[k])) return;
  v->most[k] = h, out->corner[k][0] = p[0], out->corner[k][1] = p[1];
}

static void set_edges(view *v, const outline *o) {
  for (int k = 0; k < DIRECTIONS / COARSE; k++) {
    const double *a = o->corner[k * COARSE], *b = o->corner[(k + 1) * COARSE % DIRECTIONS];
    double       *e = v->edge[k];
    e[0] = a[1] - b[1], e[1] = b[0] - a[0], e[2] = e[0] * a[0] + e[1] * a[1];
  }
}

/** Raise the directions between two coarse ones, beyond whose edge the point is: no other is
 * farther than their corners. */
static void raise_beyond(view *v, const double p[2], outline *out) {
  for (int k = 0; k < DIRECTIONS; k += COARSE) {
    const double *e = v->edge[k / COARSE];
    if (e[0] * p[0] + e[1] * p[1] >= e[2]) continue;
    for (int i = k; i < k + COARSE; i++) raise(v, p, i, out);
  }
}

/** Points [num x 3] in the axes X. */
static void add_points(view *v, const double *point, int num, const sup_frame *X, int stride,
                       outline *out) {
  const sup_v3 from = sup_m3_apply_t(v->axes, sup_v3_sub(X->p, v->centre));
  const sup_m3 R = sup_m3_mul(sup_m3_transpose(v->axes), X->R);
  const sup_v3 x = sup_m3_row(&R, 0), y = sup_m3_row(&R, 1);
  for (int i = 0; i < num; i++) {
    const sup_v3 p = sup_v3_load(point + 3 * (size_t)i);
    const double at[2] = {from.x + sup_v3_dot(x, p), from.y + sup_v3_dot(y, p)};
    if (stride == 1) raise_beyond(v, at, out);
    for (int k = 0; k < DIRECTIONS && stride > 1; k += stride) raise(v, at, k, out);
  }
}

static void add_body(const sup_observation *obs, int body, view *v, int stride, outline *out) {
  static const sup_frame world = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
  const sup_body        *b = &obs->model->body[body];
  if (b->soft != SUP_NONE) {
    const sup_soft *soft = &obs->model->soft[b->soft];
    add_points(v, obs->x + 3 * (size_t)soft->first_vertex, soft->num_vertices, &world, stride, out);
    return;
  }
  for (int g = 0; g < b->num_geometries; g++) {
    const sup_geometry *geometry = &obs->model->geometry[b->first_geometry + g];
    if (sup_geometry_is_half_space(geometry)) out->num = 0;
    if (out->num)
      add_points(v, geometry->points, geometry->surface->num_points, &obs->X_WL[body], stride, out);
  }
}

/** Outline of a body: first the corners in a few directions, then of what is outside of these. */
static void find_outline(const sup_observation *obs, int body, view *v, outline *out) {
  out->num = DIRECTIONS;
  for (int k = 0; k < DIRECTIONS; k++) v->most[k] = -HUGE_VAL;
  add_body(obs, body, v, COARSE, out);
  if (out->num == 0) return;
  for (int k = 0; k < DIRECTIONS; k++)
    for (int side = 0; side < 2; side++)
      raise(v, out->corner[(k / COARSE + side) * COARSE % DIRECTIONS], k, out);
  set_edges(v, out);
  add_body(obs, body, v, 1, out);
}

/** Keep what is to the left of the line from a to b. */
static void clip(outline *of, const double a[2], const double b[2]) {
  const double x = b[0] - a[0], y = b[1] - a[1];
  outline      in; /* large: not copied as a whole */
  in.num = of->num, of->num = 0;
  memcpy(in.corner, of->corner, (size_t)in.num * sizeof *in.corner);
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
