#include "collide/surface/facet.h"
#include "collide/surface/numerics.h"

#include <math.h>

#include "base/memory.h"
#include "geom/polygon.h"

/* Bounds of the overlap.  On a piece phi is known at four points.  The maximum of their planes is
 * below phi everywhere, and the regions in which each plane is the maximum are convex cells.  The
 * cells' volume below zero is never less than the overlap; for boxes and polyhedra both are equal
 * once each face has a point.  Pieces are cut in four where the two differ most (THEORY 19.3; there
 * by the depth at the corners). */

enum { MAX_LEVELS = 60, MAX_PIECES = 1 << 14 };

/** Axes of a facet, up to turns by 120 degrees, independent of the first corner and of mirroring:
 * with corners z_k about their mean as complex numbers, along the cube root of the product of the
 * corners, which is a third of their third moment. */
static void set_axes(sup_facet *f) {
  sup_v3 c = {0, 0, 0};
  for (int k = 0; k < 3; k++) c = sup_v3_madd(c, 1. / 3, f->corner[k]);
  sup_v3 x = sup_v3_unit(sup_v3_sub(f->corner[2], c)), y = sup_v3_cross(f->normal, x);
  double angle = 0;
  for (int k = 0; k < 2; k++) {
    sup_v3 d = sup_v3_sub(f->corner[k], c);
    angle += atan2(sup_v3_dot(y, d), sup_v3_dot(x, d)) / 3;
  }
  f->axis[0] = sup_v3_madd(sup_v3_scale(cos(angle), x), sin(angle), y);
  f->axis[1] = sup_v3_cross(f->normal, f->axis[0]);
}

sup_facet sup_facet_make(int triangle, const sup_v3 corner[3], const sup_v3 velocity[3]) {
  sup_facet f = {.triangle = triangle, .share = 1, .first_piece = SUP_NONE};
  sup_v3    edge = sup_v3_sub(corner[1], corner[0]),
         cross = sup_v3_cross(edge, sup_v3_sub(corner[2], corner[0]));
  double twice = sup_v3_norm(cross);
  for (int c = 0; c < 3; c++) f.corner[c] = corner[c], f.velocity[c] = velocity[c];
  f.area = 0.5 * twice;
  if (!(twice > 0)) return f;
  f.normal = sup_v3_scale(1 / twice, cross);
  set_axes(&f);
  return f;
}

sup_v3 sup_facet_velocity(const sup_facet *f, sup_v3 x) {
  sup_v3 a = sup_v3_sub(f->corner[1], f->corner[0]), b = sup_v3_sub(f->corner[2], f->corner[0]);
  sup_v3 d = sup_v3_sub(x, f->corner[0]);
  double scale = 0.5 / f->area;
  double s = scale * sup_v3_dot(f->normal, sup_v3_cross(d, b)),
         t = scale * sup_v3_dot(f->normal, sup_v3_cross(a, d));
  sup_v3 v = sup_v3_madd(f->velocity[0], s, sup_v3_sub(f->velocity[1], f->velocity[0]));
  return sup_v3_madd(v, t, sup_v3_sub(f->velocity[2], f->velocity[0]));
}

static double depth_at(const sup_facet_query *query, sup_v3 x, sup_v3 *gradient) {
  double phi =
      sup_shape_depth(query->b->shape, sup_frame_apply_inverse(&query->b->X_WG, x), gradient);
  *gradient = sup_m3_apply(query->b->X_WG.R, *gradient);
  return phi;
}

/** Point at a time of the step, its depth and the rate of the depth. */
typedef struct station {
  double t, phi, rate;
  sup_v3 gradient;
} station;

static station station_at(const sup_facet_query *query, sup_v3 x, sup_v3 v, double t) {
  station s = {.t = t};
  s.phi = depth_at(query, sup_v3_madd(x, t, v), &s.gradient);
  s.rate = sup_v3_dot(s.gradient, v);
  return s;
}

static sup_plane plane_through(sup_v3 x, double value, sup_v3 gradient) {
  return (sup_plane){gradient, value - sup_v3_dot(gradient, x)};
}

/** Least signed depth of x on its straight path by dt v.  `plane`: bound from below for all points
 * of this velocity.  The depth is convex in position and time, hence its minimum over time is
 * convex in position. */
static double deepest_on_way(const sup_facet_query *query, sup_v3 x, sup_v3 v, sup_plane *plane) {
  enum { MAX_CUTS = 12 };
  station a = station_at(query, x, v, 0), b;
  *plane = plane_through(x, a.phi, a.gradient);
  if (a.rate >= 0) return a.phi;
  b = station_at(query, x, v, query->dt);
  *plane = plane_through(x, b.phi, b.gradient);
  if (b.rate <= 0) return b.phi;
  double best = sup_min(a.phi, b.phi), low, slack = 1e-6 * query->dt * sup_v3_norm(v);
  for (int i = 0;; i++) { /* the tangents at both ends meet below the least depth */
    double share =
        b.rate / (b.rate - a.rate); /* weight a for which the mean of both tangents has slope 0 */
    low = share * (a.phi - a.rate * a.t) + (1 - share) * (b.phi - b.rate * b.t);
    *plane =
        plane_through(x, low, sup_v3_madd(sup_v3_scale(share, a.gradient), 1 - share, b.gradient));
    if (best - low <= slack || i == MAX_CUTS) return best;
    double  t = a.t + (low - a.phi) / a.rate;
    station c = station_at(query, x, v, sup_min(sup_max(t, a.t), b.t));
    best = sup_min(best, c.phi);
    if (c.rate < 0)
      a = c;
    else if (c.rate > 0)
      b = c;
    else {
      *plane = plane_through(x, c.phi, c.gradient);
      return best;
    }
  }
}

/** Level at x, negative in the overlap; plane := lower bound of the level. */
static double level_at(const sup_facet_query *query, const sup_facet *f, sup_v3 x,
                       sup_plane *plane) {
  if (query->time == SUP_FACET_AHEAD) {
    double level = deepest_on_way(query, x, sup_facet_velocity(f, x), plane) - query->drop;
    plane->offset -= query->drop;
    return level;
  }
  sup_v3 gradient;
  double phi = depth_at(query, x, &gradient);
  *plane = plane_through(x, phi, gradient);
  return phi;
}

/** 1: two planes agree on the piece to round-off. */
static int are_same(const sup_facet_piece *p, int j, int k) {
  double size = 0;
  for (int c = 0; c < 3; c++)
    size += fabs(p->corner[c].x) + fabs(p->corner[c].y) + fabs(p->corner[c].z);
  for (int c = 0; c < 3; c++) {
    sup_v3 x = p->corner[c];
    if (fabs(sup_plane_value(&p->plane[j], x) - sup_plane_value(&p->plane[k], x)) >
        sup_surface_numerics.same_plane * size)
      return 0;
  }
  return 1;
}

/** Part of a piece on which plane k is the largest of four and negative.  Of equal planes the first
 * counts. */
static void cut_cell(const sup_facet_piece *p, int k, sup_polygon *cell) {
  double value[SUP_POLYGON_MAX_POINTS];
  int    is_cut = 0;
  cell->num_points = 3;
  for (int i = 0; i < 3; i++) cell->point[i] = p->corner[i];
  for (int j = 0; j < 4 && cell->num_points > 0; j++) {
    if (j != k && are_same(p, j, k)) {
      if (j < k) cell->num_points = 0;
      continue;
    }
    for (int i = 0; i < cell->num_points; i++) {
      double own = sup_plane_value(&p->plane[k], cell->point[i]);
      value[i] = j == k ? -own : own - sup_plane_value(&p->plane[j], cell->point[i]);
      is_cut |= value[i] < 0;
    }
    sup_polygon_clip_values(cell, value);
  }
  if (is_cut && cell->num_points >= 3) sup_polygon_simplify(cell);
  if (cell->num_points > 3) sup_polygon_order_fan(cell);
}

/** Volume below zero of a cell's plane, and the part that may be no overlap.  A convex level that
 * equals the plane at all corners equals the plane everywhere between. */
static void measure_cell(const sup_facet_query *query, const sup_facet *f, const sup_plane *plane,
                         const sup_polygon *cell, double *bound, double *error) {
  double    least[SUP_POLYGON_MAX_POINTS], excess[SUP_POLYGON_MAX_POINTS];
  sup_plane unused;
  *bound = *error = 0;
  for (int i = 0; i < cell->num_points; i++) {
    least[i] = -sup_plane_value(plane, cell->point[i]);
    excess[i] = sup_max(0, level_at(query, f, cell->point[i], &unused) + least[i]);
  }
  for (int i = 2; i < cell->num_points; i++) {
    sup_v3 a = sup_v3_sub(cell->point[i - 1], cell->point[0]),
           b = sup_v3_sub(cell->point[i], cell->point[0]);
    double third = sup_v3_norm(sup_v3_cross(a, b)) / 6;
    double all = least[0] + least[i - 1] + least[i], more = excess[0] + excess[i - 1] + excess[i];
    *bound += third * all;
    *error += third * sup_min(all, more);
  }
}

/** The volume of a piece; 0: it has none. */
static int measure(const sup_facet_query *query, const sup_facet *f, sup_facet_piece *p) {
  int    seen = 0;
  double deepest = 0;
  p->volume = p->error = 0;
  for (int k = 0; k < 4; k++) {
    sup_polygon cell;
    double      bound, error;
    cut_cell(p, k, &cell);
    if (cell.num_points < 3) continue;
    measure_cell(query, f, &p->plane[k], &cell, &bound, &error);
    p->volume += bound - error, p->error += error;
    for (int i = 0; i < cell.num_points; i++)
      deepest = sup_max(deepest, -sup_plane_value(&p->plane[k], cell.point[i]));
    seen = 1;
  }
  if (deepest <= query->least) p->error = 0;
  return seen;
}

/** Bound on the excess of a plane at x over the level within the piece, as points of one facet have
 * different velocities. */
static double slack_of(const sup_facet_query *query, const sup_facet *f, const sup_facet_piece *p,
                       sup_v3 x, sup_v3 n) {
  double slack = 0;
  if (query->time == SUP_FACET_NOW) return 0;
  sup_v3 v = sup_facet_velocity(f, x);
  for (int i = 0; i < 3; i++)
    slack = sup_max(slack, fabs(sup_v3_dot(n, sup_v3_sub(sup_facet_velocity(f, p->corner[i]), v))));
  return query->dt * slack;
}

/** Bounds of a piece from its corners. */
static void set_planes(const sup_facet_query *query, const sup_facet *f, sup_facet_piece *p) {
  sup_v3 x[4] = {p->corner[0], p->corner[1], p->corner[2], {0, 0, 0}};
  for (int i = 0; i < 3; i++) x[3] = sup_v3_madd(x[3], 1. / 3, x[i]);
  for (int k = 0; k < 4; k++) {
    level_at(query, f, x[k], &p->plane[k]);
    p->plane[k].offset -= slack_of(query, f, p, x[k], p->plane[k].normal);
  }
}

/** A piece from its corners; 0: no overlap. */
static int measure_piece(const sup_facet_query *query, const sup_facet *f, sup_facet_piece *p) {
  set_planes(query, f, p);
  return measure(query, f, p);
}

/** Corners of a piece, then the middles of its sides. */
static void set_places(const sup_v3 corner[3], sup_v3 x[6]) {
  for (int k = 0; k < 3; k++) {
    x[k] = corner[k];
    x[3 + k] = sup_v3_scale(0.5, sup_v3_add(corner[k], corner[(k + 1) % 3]));
  }
}

/** Indices of the corners of each quarter. */
static const int quarter[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};

enum { QUARTERS_A_WORD = 32 };

sup_facet_piece sup_facet_place_piece(const sup_facet_query *query, const sup_facet *f,
                                      const sup_piece_origin *origin) {
  sup_facet_piece p = {.next = SUP_NONE, .corner = {f->corner[0], f->corner[1], f->corner[2]}};
  for (int level = 0; level < origin->level; level++) {
    sup_v3 x[6];
    int    k = origin->quarter[level / QUARTERS_A_WORD] >> 2 * (level % QUARTERS_A_WORD) & 3;
    set_places(p.corner, x);
    for (int c = 0; c < 3; c++) p.corner[c] = x[quarter[k][c]];
  }
  set_planes(query, f, &p);
  return p;
}

/** Cut piece number i in four; drop parts that cannot overlap. */
static void split(sup_contact_list *list, const sup_facet_query *query, int i) {
  sup_facet_piece whole = list->facet_piece[i], p = whole;
  sup_facet      *f = &list->facet[whole.facet];
  int             kept = 0, level = p.origin.level++;
  sup_v3          x[6];
  set_places(whole.corner, x);
  for (int k = 0; k < 4; k++) {
    uint64_t *word = &p.origin.quarter[level / QUARTERS_A_WORD];
    *word = whole.origin.quarter[level / QUARTERS_A_WORD] | (uint64_t)k
                                                                << 2 * (level % QUARTERS_A_WORD);
    for (int c = 0; c < 3; c++) p.corner[c] = x[quarter[k][c]];
    if (!measure_piece(query, f, &p)) continue;
    if (kept++ == 0) { /* stored at the index of the whole piece */
      p.next = whole.next;
      list->facet_piece[i] = p;
    } else {
      p.next = f->first_piece;
      f->first_piece = list->num_facet_pieces;
      list->facet_piece[list->num_facet_pieces++] = p;
    }
  }
  if (kept == 0) list->facet_piece[i].volume = list->facet_piece[i].error = 0;
}

/** Each facet as a piece. */
static sup_status start(sup_contact_list *list, const sup_facet_query *query) {
  SUP_TRY(SUP_GROW(list->facet_piece, list->facet_piece_capacity, list->num_facets));
  list->num_facet_pieces = 0;
  for (int k = 0; k < list->num_facets; k++) {
    sup_facet       *f = &list->facet[k];
    sup_facet_piece *p = &list->facet_piece[list->num_facet_pieces];
    *p = (sup_facet_piece){
        .facet = k, .next = SUP_NONE, .corner = {f->corner[0], f->corner[1], f->corner[2]}};
    f->first_piece = SUP_NONE;
    if (measure_piece(query, f, p)) f->first_piece = list->num_facet_pieces++;
  }
  return SUP_OK;
}

sup_status sup_facet_cut(sup_contact_list *list, const sup_facet_query *query, double volume) {
  SUP_TRY(start(list, query));
  for (int level = 0; level < MAX_LEVELS; level++) {
    int    count = list->num_facet_pieces, num_split = 0;
    double sum = volume;
    for (int i = 0; i < count; i++) sum += list->facet_piece[i].volume;
    double allowed = query->tolerance * sum / count;
    SUP_TRY(SUP_GROW(list->facet_piece, list->facet_piece_capacity, 4 * (size_t)count));
    for (int i = 0; i < count && list->num_facet_pieces + 3 <= MAX_PIECES + list->num_facets; i++) {
      if (!(list->facet_piece[i].error > allowed)) continue;
      split(list, query, i);
      num_split++;
    }
    if (num_split == 0) break;
  }
  return SUP_OK;
}

static int band_of(double gap, double far) {
  int k = 0;
  while (k + 1 < SUP_FACET_BANDS && gap < 0.5 * far) far *= 0.5, k++;
  return k;
}

/** Add a point with its share of the area; returns its depth. */
static double add_point(const sup_facet_query *query, const sup_facet *f, sup_v3 x, double area,
                        double far, sup_facet_moments *moments) {
  sup_v3 gradient;
  double phi = depth_at(query, x, &gradient);
  sup_v3 n = sup_v3_scale(-1, gradient);
  if (sup_v3_dot(f->normal, n) < sup_surface_numerics.facing ||
      (phi < 0) != (query->time == SUP_FACET_NOW))
    return 0;
  if (query->time == SUP_FACET_AHEAD) {
    sup_plane unused;
    if (level_at(query, f, x, &unused) >= 0) return 0;
    moments += band_of(phi, far);
  }
  sup_facet_moments_add(moments, f, area, x, phi, n);
  return -phi;
}

/** Bound on the approach of the facet's pieces within the step [m]. */
static double reach_of(const sup_contact_list *list, const sup_facet_query *query,
                       const sup_facet *f) {
  double fastest = 0;
  for (int i = f->first_piece; i != SUP_NONE; i = list->facet_piece[i].next)
    for (int c = 0; c < 3; c++)
      fastest =
          sup_max(fastest, sup_v3_norm(sup_facet_velocity(f, list->facet_piece[i].corner[c])));
  return query->dt * fastest + query->drop;
}

double sup_facet_gather(const sup_contact_list *list, const sup_facet_query *query, int f,
                        sup_facet_moments *moments) {
  const sup_facet *facet = &list->facet[f];
  double deepest = 0, far = query->time == SUP_FACET_AHEAD ? reach_of(list, query, facet) : 0;
  for (int i = facet->first_piece; i != SUP_NONE; i = list->facet_piece[i].next)
    for (int k = 0; k < 4; k++) {
      const sup_facet_piece *p = &list->facet_piece[i];
      sup_polygon            cell;
      cut_cell(p, k, &cell);
      if (cell.num_points < 3) continue;
      sup_v3 centre, last = cell.point[cell.num_points - 1];
      (void)sup_polygon_area(&cell, &centre);
      for (int j = 0; j < cell.num_points; last = cell.point[j++]) { /* smooth as corners come */
        sup_v3 t[3] = {centre, last, cell.point[j]};
        double area =
            0.5 * sup_v3_norm(sup_v3_cross(sup_v3_sub(t[1], t[0]), sup_v3_sub(t[2], t[0])));
        for (int c = 0; c < 3; c++) { /* the rule of degree 2 */
          sup_v3 x = sup_v3_scale(1. / 6, sup_v3_add(t[(c + 1) % 3], t[(c + 2) % 3]));
          double depth =
              add_point(query, facet, sup_v3_madd(x, 2. / 3, t[c]), area / 3, far, moments);
          deepest = sup_max(deepest, depth);
        }
      }
    }
  return deepest;
}
