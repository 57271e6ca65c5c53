#include "measure/shadow.h"

#include <math.h>
#include <string.h>

#include "base/wide.h"

enum {
  DIRECTIONS = 128,
  COARSE = 16,
  SECTORS = DIRECTIONS / COARSE,
  MOST_CORNERS = 2 * DIRECTIONS,
  BLOCK = 64 /* points */
};

/** Outline, counter-clockwise: the farthest points in all directions of the plane. */
typedef struct outline {
  int    num; /* DIRECTIONS; 0: endless */
  double corner[MOST_CORNERS][2];
} outline;

typedef struct view {
  sup_m3 axes; /* direction of sight last */
  sup_v3 centre;
  double cosine[DIRECTIONS], sine[DIRECTIONS], most[DIRECTIONS];
  /* lines [normal, offset], beyond which a point changes the outline: at first those of every
   * COARSE-th direction, then the edges of the polygon of their corners */
  double line[SECTORS][3];
} view;

static void raise(view *v, const double p[2], int k, outline *out) {
  double h = v->cosine[k] * p[0] + v->sine[k] * p[1];
  if (!(h > v->most[k])) return;
  v->most[k] = h, out->corner[k][0] = p[0], out->corner[k][1] = p[1];
}

static void set_line(view *v, int sector, double x, double y, double offset) {
  double *line = v->line[sector];
  line[0] = x, line[1] = y, line[2] = offset;
}

static void set_edges(view *v, const outline *o) {
  for (int k = 0; k < SECTORS; k++) {
    const double *a = o->corner[k * COARSE], *b = o->corner[(k + 1) * COARSE % DIRECTIONS];
    const double  x = b[1] - a[1], y = a[0] - b[0];
    set_line(v, k, x, y, x * a[0] + y * a[1]);
  }
}

/** Raise the directions of the lines beyond which the point is: every COARSE-th one, or all between
 * two of these, as no other is farther there than their corners. */
static void raise_beyond(view *v, const double p[2], bool is_coarse, outline *out) {
  for (int s = 0; s < SECTORS; s++) {
    const double *line = v->line[s];
    const int     k = s * COARSE, end = is_coarse ? k + 1 : k + COARSE;
    if (!(line[0] * p[0] + line[1] * p[1] > line[2])) continue;
    for (int i = k; i < end; i++) raise(v, p, i, out);
    if (is_coarse) set_line(v, s, v->cosine[k], v->sine[k], v->most[k]);
  }
}

/** Points in the plane of sight, and how far they are beyond the lines, of any length. */
typedef struct block {
  double at[2][BLOCK], beyond[BLOCK];
} block;

SUP_WIDE static void see_points(const view *v, int num, block *b) {
  for (int i = 0; i < num; i++) b->beyond[i] = -HUGE_VAL;
  for (int s = 0; s < SECTORS; s++) {
    const double *line = v->line[s];
    for (int i = 0; i < num; i++) {
      const double h = line[0] * b->at[0][i] + line[1] * b->at[1][i] - line[2];
      b->beyond[i] = h > b->beyond[i] ? h : b->beyond[i];
    }
  }
}

/** Points [num x 3] in the axes X. Neighbours have like places: blocks of points from everywhere
 * find the farthest soon. */
static void add_points(view *v, const double *point, int num, const sup_frame *X, bool is_coarse,
                       outline *out) {
  const sup_v3 from = sup_m3_apply_t(v->axes, sup_v3_sub(X->p, v->centre));
  const sup_m3 R = sup_m3_mul(sup_m3_transpose(v->axes), X->R);
  const sup_v3 x = sup_m3_row(&R, 0), y = sup_m3_row(&R, 1);
  const int    stride = (num + BLOCK - 1) / BLOCK;
  block        b;
  for (int first = 0; first < stride; first++) {
    int n = 0;
    for (int i = first; i < num; i += stride, n++) {
      const sup_v3 p = sup_v3_load(point + 3 * (size_t)i);
      b.at[0][n] = from.x + sup_v3_dot(x, p), b.at[1][n] = from.y + sup_v3_dot(y, p);
    }
    see_points(v, n, &b);
    for (int i = 0; i < n; i++)
      if (b.beyond[i] > 0) raise_beyond(v, (double[]){b.at[0][i], b.at[1][i]}, is_coarse, out);
  }
}

static void add_body(const sup_observation *obs, int body, view *v, bool is_coarse, outline *out) {
  static const sup_frame world = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
  const sup_body        *b = &obs->model->body[body];
  if (b->soft != SUP_NONE) {
    const sup_soft *soft = &obs->model->soft[b->soft];
    add_points(v, obs->x + 3 * (size_t)soft->first_vertex, soft->num_vertices, &world, is_coarse,
               out);
    return;
  }
  for (int g = 0; g < b->num_geometries; g++) {
    const sup_geometry *geometry = &obs->model->geometry[b->first_geometry + g];
    if (sup_geometry_is_half_space(geometry)) out->num = 0;
    if (out->num)
      add_points(v, geometry->points, geometry->surface->num_points, &obs->X_WL[body], is_coarse,
                 out);
  }
}

/** Outline of a body: first the corners in a few directions, then of what is outside of these. */
static void find_outline(const sup_observation *obs, int body, view *v, outline *out) {
  out->num = DIRECTIONS;
  for (int k = 0; k < DIRECTIONS; k++) v->most[k] = -HUGE_VAL;
  for (int s = 0; s < SECTORS; s++)
    set_line(v, s, v->cosine[s * COARSE], v->sine[s * COARSE], -HUGE_VAL);
  add_body(obs, body, v, true, out);
  if (out->num == 0) return;
  for (int k = 0; k < DIRECTIONS; k++)
    for (int side = 0; side < 2; side++)
      raise(v, out->corner[(k / COARSE + side) * COARSE % DIRECTIONS], k, out);
  set_edges(v, out);
  add_body(obs, body, v, false, out);
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

/** Directions all around, each the one before turned by the same angle. */
static void set_directions(view *v) {
  const double angle = 8 * atan(1) / DIRECTIONS, c = cos(angle), s = sin(angle);
  v->cosine[0] = 1, v->sine[0] = 0;
  for (int k = 1; k < DIRECTIONS; k++) {
    v->cosine[k] = c * v->cosine[k - 1] - s * v->sine[k - 1];
    v->sine[k] = s * v->cosine[k - 1] + c * v->sine[k - 1];
  }
}

double sup_shadow_overlap(const sup_observation *obs, int a, int b, sup_v3 along) {
  view    v = {.axes = sup_m3_frame_of_normal(along), .centre = obs->X_WL[b].p};
  outline shared, other = {.num = 0};
  set_directions(&v);
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
