#include "profile/quads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"
#include "profile/wall.h"

void sup_quads_destroy(sup_quads **quads) {
  if (!*quads) return;
  SUP_FREE_ALL(&(*quads)->x, &(*quads)->quad, &(*quads)->mark, quads);
}

/* ---- measures -------------------------------------------------------------------------------- */

/** Sine of a corner, or with `is_shape` that times 2 ab/(a^2 + b^2) of its edges a and b, so that
 * no edge shrinks away. */
static double corner_quality(const sup_quads *m, const int *quad, int k, bool is_shape) {
  const double *p = m->x + 2 * quad[k], *q = m->x + 2 * quad[(k + 1) % 4],
               *r = m->x + 2 * quad[(k + 3) % 4];
  double u[2] = {q[0] - p[0], q[1] - p[1]}, v[2] = {r[0] - p[0], r[1] - p[1]};
  double a2 = u[0] * u[0] + u[1] * u[1], b2 = v[0] * v[0] + v[1] * v[1];
  double area = u[0] * v[1] - u[1] * v[0];
  if (!(a2 > 0 && b2 > 0)) return -1;
  return is_shape ? 2 * area / (a2 + b2) : area / sqrt(a2 * b2);
}

double sup_quads_quality(const sup_quads *m, int q) {
  double least = 1;
  for (int k = 0; k < 4; k++) least = fmin(least, corner_quality(m, m->quad + 4 * q, k, 0));
  return least;
}

double sup_quads_worst(const sup_quads *m, int *where) {
  double worst = 1;
  *where = 0;
  for (int q = 0; q < m->num_quads; q++) {
    double quality = sup_quads_quality(m, q);
    if (quality < worst) worst = quality, *where = q;
  }
  return worst;
}

double sup_quads_area(const sup_quads *m) {
  double area = 0;
  for (int q = 0; q < m->num_quads; q++) {
    const int    *v = m->quad + 4 * (size_t)q;
    const double *a = m->x + 2 * v[0], *b = m->x + 2 * v[1], *c = m->x + 2 * v[2],
                 *d = m->x + 2 * v[3];
    area += 0.5 * ((c[0] - a[0]) * (d[1] - b[1]) - (c[1] - a[1]) * (d[0] - b[0]));
  }
  return area;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/** An edge of a quadrilateral; in order of its vertices, the lower first. */
typedef struct edge {
  int low, high, quad, place; /* of the edge within the quadrilateral */
} edge;

static int by_vertices(const void *one, const void *two) {
  const edge *a = one, *b = two;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  return (a->quad > b->quad) - (a->quad < b->quad);
}

/** [4 num_quads] the quadrilateral behind each edge; SUP_NONE at the boundary. */
static sup_status find_neighbours(const sup_quads *m, int **neighbour) {
  size_t          num = 4 * (size_t)m->num_quads;
  SUP_FREED edge *edges = NULL;
  *neighbour = NULL;
  SUP_TRY(SUP_CALLOC(edges, num));
  SUP_TRY(SUP_CALLOC(*neighbour, num));
  for (int q = 0; q < m->num_quads; q++)
    for (int k = 0; k < 4; k++) {
      int a = m->quad[4 * q + k], b = m->quad[4 * q + (k + 1) % 4];
      edges[4 * q + k] = (edge){a < b ? a : b, a < b ? b : a, q, k};
      (*neighbour)[4 * q + k] = SUP_NONE;
    }
  qsort(edges, num, sizeof *edges, by_vertices);
  for (size_t e = 0; e + 1 < num; e++) {
    const edge *a = &edges[e], *b = &edges[e + 1];
    if (a->low != b->low || a->high != b->high) continue;
    (*neighbour)[4 * a->quad + a->place] = b->quad;
    (*neighbour)[4 * b->quad + b->place] = a->quad;
  }
  return SUP_OK;
}

/** The vertex at which edge e ends; it begins at m->quad[e]. */
static int end_of(const sup_quads *m, int e) { return m->quad[e / 4 * 4 + (e + 1) % 4]; }

/* ---- smoothing ------------------------------------------------------------------------------- */

/** Quadrilaterals around each vertex. */
typedef struct around {
  int *start, *quad; /* [num_points + 1], [4 num_quads] */
} around;

static sup_status find_around(const sup_quads *m, around *a) {
  SUP_TRY(SUP_CALLOC(a->start, m->num_points + 2));
  SUP_TRY(SUP_CALLOC(a->quad, 4 * (size_t)m->num_quads));
  for (int i = 0; i < 4 * m->num_quads; i++) a->start[m->quad[i] + 2]++;
  for (int v = 0; v <= m->num_points; v++) a->start[v + 1] += a->start[v];
  for (int i = 0; i < 4 * m->num_quads; i++) a->quad[a->start[m->quad[i] + 1]++] = i / 4;
  return SUP_OK;
}

static double worst_around(const sup_quads *m, const around *a, int v, bool is_shape) {
  double worst = 1;
  for (int k = a->start[v]; k < a->start[v + 1]; k++)
    for (int c = 0; c < 4; c++)
      worst = fmin(worst, corner_quality(m, m->quad + 4 * a->quad[k], c, is_shape));
  return worst;
}

/** Half of the shortest edge around a vertex. */
static double first_step(const sup_quads *m, const around *a, int v) {
  double least = HUGE_VAL;
  for (int k = a->start[v]; k < a->start[v + 1]; k++)
    for (int c = 0; c < 4; c++) {
      const double *p = m->x + 2 * m->quad[4 * a->quad[k] + c],
                   *q = m->x + 2 * m->quad[4 * a->quad[k] + (c + 1) % 4];
      least = fmin(least, hypot(p[0] - q[0], p[1] - q[1]));
    }
  return 0.5 * least;
}

/** Four steps along the axes, halved where none helps. */
static void search(sup_quads *m, const around *a, int v) {
  double *x = m->x + 2 * v, step = first_step(m, a, v), quality = worst_around(m, a, v, 1);
  for (int halvings = 0; halvings < 8;) {
    bool is_better = 0;
    for (int k = 0; k < 4 && !is_better; k++) {
      double old = x[k / 2];
      x[k / 2] += k % 2 ? step : -step;
      double now = worst_around(m, a, v, 1);
      is_better = now > quality;
      if (is_better)
        quality = now;
      else
        x[k / 2] = old;
    }
    if (!is_better) step *= 0.5, halvings++;
  }
}

static void around_free(around *a) { SUP_FREE_ALL(&a->start, &a->quad); }

sup_status sup_quads_smooth(sup_quads *m, double aim) {
  enum { SWEEPS = 10 };
  SUP_OWN_VALUE(around)    a = {0};
  SUP_FREED int           *neighbour = NULL;
  SUP_FREED unsigned char *is_outer = NULL;
  SUP_TRY(find_neighbours(m, &neighbour));
  SUP_TRY(find_around(m, &a));
  SUP_TRY(SUP_CALLOC(is_outer, m->num_points));
  for (int e = 0; e < 4 * m->num_quads; e++)
    if (neighbour[e] == SUP_NONE) is_outer[m->quad[e]] = is_outer[end_of(m, e)] = 1;
  for (int sweep = 0, moved = 1; sweep < SWEEPS && moved; sweep++) {
    moved = 0;
    for (int v = 0; v < m->num_points; v++)
      if (!is_outer[v] && worst_around(m, &a, v, 0) < aim) search(m, &a, v), moved = 1;
  }
  return SUP_OK;
}

/* ---- outline --------------------------------------------------------------------------------- */

sup_status sup_quads_outline(const sup_quads *m, const char *name, sup_profile **profile) {
  int       *neighbour = NULL, *next = NULL;
  sup_status status;
  *profile = NULL;
  SUP_TRY_GOTO(find_neighbours(m, &neighbour), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(next, m->num_points), status, done);
  SUP_TRY_GOTO(sup_profile_create(profile), status, done);
  for (int v = 0; v < m->num_points; v++) next[v] = SUP_NONE;
  for (int e = 0; e < 4 * m->num_quads; e++) {
    if (neighbour[e] != SUP_NONE) continue;
    int v = m->quad[e];
    if (next[v] != SUP_NONE) {
      status = SUP_FAIL(SUP_E_GEOMETRY, "%s: parts of the section meet in the point (%g, %g) mm",
                        name, 1e3 * m->x[2 * v], 1e3 * m->x[2 * v + 1]);
      goto done;
    }
    next[v] = end_of(m, e);
  }
  for (int first = 0; first < m->num_points; first++) {
    if (next[first] == SUP_NONE) continue;
    SUP_TRY_GOTO(sup_profile_begin_loop(*profile), status, done);
    for (int v = first; next[v] != SUP_NONE;) {
      int to = next[v];
      SUP_TRY_GOTO(sup_profile_add_point(*profile, m->x[2 * v], m->x[2 * v + 1], 0), status, done);
      next[v] = SUP_NONE, v = to;
    }
  }
  SUP_TRY_GOTO(sup_profile_finish(*profile, name), status, done);
done:
  SUP_FREE_ALL(&neighbour, &next);
  if (status != SUP_OK) sup_profile_destroy(profile);
  return status;
}

/* ---- walls ----------------------------------------------------------------------------------- */

enum { MOST_CELLS = 64, MOST_VISITED = 4096 };

static void middle_of(const sup_quads *m, int e, double middle[2], double normal[2]) {
  const double *a = m->x + 2 * m->quad[e], *b = m->x + 2 * end_of(m, e);
  double        length = hypot(b[0] - a[0], b[1] - a[1]);
  for (int d = 0; d < 2; d++) middle[d] = 0.5 * (a[d] + b[d]);
  normal[0] = (b[1] - a[1]) / length, normal[1] = -(b[0] - a[0]) / length;
}

/** 1: quadrilateral q has an edge on the other side of the wall behind edge e.  That edge faces e
 * and lies ahead: both sides of a hole's sharp corner face each other across the hole, too. */
static bool is_other_side(const sup_quads *m, const int *neighbour, int q, int e,
                          double thickness) {
  double x[2], n[2], y[2], k[2];
  middle_of(m, e, x, n);
  for (int f = 4 * q; f < 4 * q + 4; f++) {
    if (neighbour[f] != SUP_NONE || f == e) continue;
    middle_of(m, f, y, k);
    double way[2] = {y[0] - x[0], y[1] - x[1]}, distance = hypot(way[0], way[1]);
    if (n[0] * k[0] + n[1] * k[1] < -0.5 && distance < 1.5 * thickness &&
        n[0] * way[0] + n[1] * way[1] < -0.5 * distance)
      return 1;
  }
  return 0;
}

/** Cells on the shortest way from edge e to the other side, over edges; breadth first.
 *  @param seen   [num_quads] number of the last search that saw it
 *  @param queue  [num_quads] */
static int cells_behind(const sup_quads *m, const int *neighbour, int e, double thickness,
                        int *seen, int *queue) {
  int head = 0, tail = 0, layer_end = 1;
  queue[tail++] = e / 4, seen[e / 4] = e + 1;
  for (int cells = 1; cells < MOST_CELLS && head < tail && tail < MOST_VISITED; cells++) {
    for (; head < layer_end; head++) {
      int q = queue[head];
      if (is_other_side(m, neighbour, q, e, thickness)) return cells;
      for (int f = 4 * q; f < 4 * q + 4; f++) {
        int other = neighbour[f];
        if (other == SUP_NONE || seen[other] == e + 1) continue;
        seen[other] = e + 1, queue[tail++] = other;
      }
    }
    layer_end = tail;
  }
  return MOST_CELLS;
}

sup_status sup_quads_walls(const sup_quads *m, const sup_profile *profile, double most,
                           sup_wall_report *r) {
  SUP_FREED int *neighbour = NULL, *seen = NULL, *queue = NULL;
  *r = (sup_wall_report){.fewest = MOST_CELLS, .thinnest = HUGE_VAL};
  SUP_TRY(find_neighbours(m, &neighbour));
  SUP_TRY(SUP_CALLOC(seen, m->num_quads));
  SUP_TRY(SUP_CALLOC(queue, m->num_quads));
  for (int e = 0; e < 4 * m->num_quads; e++) {
    double x[2], n[2];
    if (neighbour[e] != SUP_NONE) continue;
    middle_of(m, e, x, n);
    double thickness = sup_profile_thickness_behind(profile, x, n);
    if (!(thickness <= most)) continue;
    r->num_sides++;
    r->thinnest = fmin(r->thinnest, thickness);
    int cells = cells_behind(m, neighbour, e, thickness, seen, queue);
    if (cells >= r->fewest) continue;
    r->fewest = cells, r->thickness = thickness;
    memcpy(r->where, x, sizeof x);
  }
  return SUP_OK;
}
