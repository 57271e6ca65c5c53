/* Gaps between a soft surface and a rigid shape, for laws that keep them open.
 *
 * The depth phi of a convex shape is convex: at a point that moves by d it is at least phi + grad
 * phi . d, so that a point whose linear gap stays open is outside at the end of the step.  The
 * energy of the law is integrated over the surface by the trapezoidal rule: vertices suffice where
 * the shape is flat.  Between vertices a curved shape may be nearer (never farther, by Jensen's
 * inequality); there faces are divided.  Points are fixed to the surface: a nearest point chosen in
 * each step would let faces rock from step to step.  Positions between the points are checked:
 * where a solution leaves less than half of the points' gap, the step is solved again with an
 * additional contact, whose normal is that of the step's end. */
#include "collide/surface/surface_depth.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "collide/surface/numerics.h"
#include "geom/depth.h"

typedef struct search {
  const sup_moving_surface    *a;
  const sup_moving_shape      *b;
  const sup_surface_query     *query;
  const sup_surface_workspace *workspace;
  int                          count; /* of faces */
  const sup_surface_motion
           *moved; /* NULL: bodies at the step's start; else at the end of the step */
  sup_frame X_WG;  /* of the shape there */
} search;

static double gap_at(const search *s, sup_v3 p, sup_v3 *gradient) {
  double phi = sup_shape_depth(s->b->shape, sup_frame_apply_inverse(&s->X_WG, p), gradient);
  *gradient = sup_m3_apply(s->X_WG.R, *gradient);
  return phi;
}

static sup_v3 corner_of(const search *s, int t, int c) {
  const sup_surface *surface = s->a->surface;
  sup_v3 p = sup_frame_apply(&s->a->X_WS, sup_surface_corner(surface, s->a->points, t, c));
  if (!s->moved) return p;
  return sup_v3_madd(p, s->query->dt, sup_surface_corner(surface, s->moved->xdot, t, c));
}

/** Search with all bodies at the end of a motion. */
static search moved(const search *s, const sup_surface_motion *m) {
  search    out = *s;
  double    dt = s->query->dt;
  sup_m3    turn = sup_quat_matrix(sup_quat_exp(sup_v3_scale(dt, m->w_b)));
  sup_v3    arm = sup_v3_sub(s->b->X_WG.p, s->b->X_WL.p);
  sup_frame X = {sup_m3_mul(turn, s->b->X_WG.R), sup_v3_add(s->b->X_WL.p, sup_m3_apply(turn, arm))};
  X.p = sup_v3_madd(X.p, dt, m->v_b);
  out.moved = m, out.X_WG = X;
  return out;
}

/** Data of a vertex, computed once for all its faces. */
static sup_surface_point *point_of(const search *s, int i) {
  sup_surface_point *point = &s->workspace->point[i];
  if (s->workspace->known[i]) return point;
  point->at = sup_frame_apply(&s->a->X_WS, sup_v3_load(s->a->points + 3 * i));
  point->phi = gap_at(s, point->at, &point->gradient);
  point->held = 0;
  s->workspace->known[i] = 1;
  return point;
}

static search start(const sup_moving_surface *a, const sup_moving_shape *b,
                    const sup_surface_query *query, const sup_surface_workspace *workspace) {
  search s = {a, b, query, workspace, 0, NULL, b->X_WG};
  int    num_near;
  double margin = query->range + sup_surface_reach(b, query);
  s.count = sup_surface_faces_near(a, b, query, margin, workspace->face, &num_near);
  if (s.count > 0) memset(workspace->known, 0, (size_t)a->surface->num_points);
  return s;
}

/* ---- the point of a face that is nearest ----------------------------------------------------- */

/** A point of a face. */
typedef struct place {
  int    triangle;
  double weight[3]; /* barycentric in it */
  sup_v3 at, gradient;
  double phi;
} place;

/** Barycentric weights; of a triangle without area those of its first corner. */
static void weigh(const sup_v3 corner[3], sup_v3 x, double weight[3]) {
  sup_v3 normal = sup_v3_cross(sup_v3_sub(corner[1], corner[0]), sup_v3_sub(corner[2], corner[0]));
  double square = sup_v3_dot(normal, normal), scale = 1 / square, sum = 0;
  for (int k = 0; k < 3; k++) weight[k] = k == 0;
  if (!(square > 0)) return;
  for (int k = 0; k < 3; k++) {
    sup_v3 p = corner[(k + 1) % 3], q = corner[(k + 2) % 3];
    weight[k] =
        sup_max(0, scale * sup_v3_dot(normal, sup_v3_cross(sup_v3_sub(p, x), sup_v3_sub(q, x))));
    sum += weight[k];
  }
  for (int k = 0; k < 3; k++) weight[k] /= sum;
}

static place nearest_in_triangle(const search *s, int t) {
  sup_v3 own[3], at;
  place  out = {.triangle = t};
  for (int c = 0; c < 3; c++) own[c] = sup_frame_apply_inverse(&s->X_WG, corner_of(s, t, c));
  at = sup_triangle_nearest_shape(s->b->shape, own, &out.phi);
  weigh(own, at, out.weight);
  out.at = sup_frame_apply(&s->X_WG, at);
  out.phi = gap_at(s, out.at, &out.gradient);
  return out;
}

/** Point of face f nearest to b. */
static place nearest_in_face(const search *s, int f) {
  int   parts = sup_surface_triangles_per_face(s->a->surface);
  place best = nearest_in_triangle(s, f * parts);
  for (int k = 1; k < parts; k++) {
    place next = nearest_in_triangle(s, f * parts + k);
    if (next.phi < best.phi) best = next;
  }
  return best;
}

/** Gap at a place at the step's start, interpolated from the vertices [m]. */
static double expected_at(const search *s, const place *at) {
  int    vertex[SUP_FACE_MAX_VERTICES];
  double weight[SUP_FACE_MAX_VERTICES], sum = 0;
  sup_surface_barycentric_weights(s->a->surface, at->triangle, at->weight, vertex, weight);
  for (int k = 0; k < s->a->surface->vertices_per_face; k++)
    sum += weight[k] * point_of(s, vertex[k])->phi;
  return sum;
}

/** 1: the whole face f (with computed vertices) is farther than `most` from b. */
static int is_far(const search *s, int f, double most) {
  const sup_surface *surface = s->a->surface;
  int                n = surface->vertices_per_face;
  double             least = 0, longest = 0;
  for (int k = 0; k < n; k++) {
    const sup_surface_point *p = point_of(s, surface->face[n * f + k]);
    least = k ? sup_min(least, p->phi) : p->phi;
    for (int j = 0; j < k; j++)
      longest = sup_max(longest,
                        sup_v3_norm(sup_v3_sub(p->at, point_of(s, surface->face[n * f + j])->at)));
  }
  return least - longest > most;
}

/* ---- points of the rule ---------------------------------------------------------------------- */

enum {
  MOST_PARTS = 6,
  MAX_NODES = SUP_FACE_MAX_VERTICES * (MOST_PARTS + 1) * (MOST_PARTS + 2) / 2
};

/** A point of a face's rule. */
typedef struct node {
  place  at;
  int    vertex;                    /* of the face, 0 .. 3; SUP_NONE: between them */
  double on[SUP_FACE_MAX_VERTICES]; /* weights of the face's vertices */
  sup_v3 area;                      /* its share of the area vectors of its triangles, world */
} node;

typedef struct rule {
  int  count;
  node node[MAX_NODES];
} rule;

/** Number of parts of the sides of face f: until the dip between two points is at most a quarter of
 * the gap. */
static int count_parts(const search *s, int f) {
  place  nearest = nearest_in_face(s, f);
  double dip = expected_at(s, &nearest) - nearest.phi;
  double enough = sup_max(s->query->flat, sup_surface_numerics.gap_least * s->query->range);
  double tolerance = sup_max(sup_surface_numerics.gap_share * nearest.phi, enough);
  double parts = ceil(sqrt(sup_max(0, dip / tolerance)));
  return parts < MOST_PARTS ? (int)parts : MOST_PARTS;
}

static sup_v3 triangle_vector(const search *s, int t) {
  sup_v3 p = corner_of(s, t, 0), u = sup_v3_sub(corner_of(s, t, 1), p),
         v = sup_v3_sub(corner_of(s, t, 2), p);
  return sup_v3_scale(0.5, sup_v3_cross(u, v));
}

/** Number of the rule's point with these weights of the face's vertices; r->count: none. */
static int find_node(const rule *r, const double on[SUP_FACE_MAX_VERTICES]) {
  for (int i = 0; i < r->count; i++) {
    double off = 0;
    for (int k = 0; k < SUP_FACE_MAX_VERTICES; k++)
      off = sup_max(off, fabs(r->node[i].on[k] - on[k]));
    if (off < sup_surface_numerics.same_weights) return i;
  }
  return r->count;
}

/** Add a share of a face's area at barycentric `weight` of triangle t. */
static void add_share(const search *s, int t, const double weight[3], sup_v3 area, rule *out) {
  int    vertex[SUP_FACE_MAX_VERTICES];
  double on[SUP_FACE_MAX_VERTICES] = {0};
  sup_surface_barycentric_weights(s->a->surface, t, weight, vertex, on);
  int   at = find_node(out, on);
  node *p = &out->node[at];
  if (at == out->count) {
    *p = (node){.at = {.triangle = t}, .vertex = SUP_NONE};
    memcpy(p->on, on, sizeof on);
    memcpy(p->at.weight, weight, sizeof p->at.weight);
    for (int k = 0; k < SUP_FACE_MAX_VERTICES; k++)
      if (on[k] > sup_surface_numerics.whole_weight) p->vertex = k;
    out->count++;
  }
  p->area = sup_v3_add(p->area, area);
}

/** Distribute the share of a quad's centre to its vertices. */
static void share_centre(const search *s, int f, sup_v3 area, rule *out) {
  int num = sup_surface_triangles_per_face(s->a->surface);
  for (int v = 0; v < num; v++) {
    int    corner[3];
    double weight[3];
    sup_surface_part(s->a->surface, v, corner);
    for (int c = 0; c < 3; c++) weight[c] = corner[c] == v;
    add_share(s, f * num + v, weight, sup_v3_scale(1. / num, area), out);
  }
}

/** The trapezoidal rule on triangle t of face f, its sides divided into m parts. */
static void divide(const search *s, int f, int t, int m, int has_centre, rule *out) {
  int    n = s->a->surface->vertices_per_face, corner[3];
  sup_v3 vector = triangle_vector(s, t);
  sup_surface_part(s->a->surface, t - f * sup_surface_triangles_per_face(s->a->surface), corner);
  for (int i = 0; i <= m; i++)
    for (int j = 0; j <= m - i; j++) {
      int    on_sides = (i == 0) + (j == 0) + (i + j == m), c = i == m ? 0 : j == m ? 1 : 2;
      int    touching = on_sides == 2 ? 1 : on_sides == 1 ? 3 : 6; /* of m^2 small triangles */
      double weight[3] = {(double)i / m, (double)j / m, (double)(m - i - j) / m};
      sup_v3 area = sup_v3_scale(touching / (3. * m * m), vector);
      if (has_centre || corner[c] < n)
        add_share(s, t, weight, area, out);
      else
        share_centre(s, f, area, out);
    }
}

/** The rule on face f, its sides divided into parts; 0: at its vertices alone. */
static void make_rule(const search *s, int f, int parts, rule *out) {
  int num = sup_surface_triangles_per_face(s->a->surface);
  out->count = 0;
  for (int t = f * num; t < (f + 1) * num; t++)
    divide(s, f, t, parts > 0 ? parts : 1, parts > 0, out);
  for (int k = 0; k < out->count; k++) {
    place *p = &out->node[k].at;
    for (int c = 0; c < 3; c++)
      p->at = sup_v3_madd(p->at, p->weight[c], corner_of(s, p->triangle, c));
    p->phi = gap_at(s, p->at, &p->gradient);
  }
}

/** Projected area of a point along the gradient of the depth. */
static double seen_area(sup_v3 area, sup_v3 gradient) {
  return sup_max(0, -sup_v3_dot(area, gradient));
}

/* ---- contacts -------------------------------------------------------------------------------- */

/** @param[in] item  key of a contact in its pair: vertices first, then faces */
static sup_status add(sup_contact_list *list, const search *s, const sup_contact *prototype,
                      int item, const place *at, double area) {
  const sup_surface *surface = s->a->surface;
  sup_contact        contact = *prototype;
  contact.item_a = surface->num_triangles + item, contact.item_b = SUP_NONE;
  contact.num_points = 1;
  contact.area = area;
  contact.facing = 1;
  contact.centroid = contact.point[0] = at->at;
  contact.normal = sup_v3_scale(-1, at->gradient);
  contact.phi = at->phi, contact.penetration = -at->phi;
  contact.slope = s->a->slope[at->triangle];
  sup_surface_barycentric_weights(surface, at->triangle, at->weight, contact.carrier_a.vertex,
                                  contact.carrier_a.weight);
  contact.carrier_a.num_vertices = surface->vertices_per_face;
  SUP_TRY(SUP_GROW(list->contact, list->capacity, list->count + 1));
  list->contact[list->count++] = contact;
  return SUP_OK;
}

/** Contacts between vertices; the area of vertices is summed over their faces. */
static sup_status visit_faces(sup_contact_list *list, const search *s, const sup_contact *prototype,
                              double most) {
  const sup_surface *surface = s->a->surface;
  int                n = surface->vertices_per_face;
  for (int k = 0; k < s->count; k++) {
    int  f = s->workspace->face[k];
    rule r;
    make_rule(s, f, is_far(s, f, most) ? 0 : count_parts(s, f), &r);
    for (int i = 0; i < r.count; i++) {
      const node *p = &r.node[i];
      double      area = seen_area(p->area, p->at.gradient);
      if (p->vertex != SUP_NONE)
        point_of(s, surface->face[n * f + p->vertex])->held += area;
      else if (p->at.phi <= most && area > 0)
        SUP_TRY(add(list, s, prototype, surface->num_points + f, &p->at, area));
    }
  }
  return SUP_OK;
}

/** Vertex i as a corner of a face that is always the same. */
static place place_of_vertex(const search *s, int i) {
  const sup_surface       *surface = s->a->surface;
  const sup_surface_point *p = point_of(s, i);
  int   n = surface->vertices_per_face, parts = sup_surface_triangles_per_face(surface);
  int   f = s->a->face[i], corner[3];
  place out = {.triangle = f * parts, .at = p->at, .gradient = p->gradient, .phi = p->phi};
  for (int part = 0; part < parts; part++) {
    sup_surface_part(surface, part, corner);
    for (int c = 0; c < 3; c++) {
      if (corner[c] >= n || surface->face[n * f + corner[c]] != i) continue;
      out.triangle = f * parts + part;
      for (int k = 0; k < 3; k++) out.weight[k] = k == c;
      return out;
    }
  }
  return out;
}

/* ---- gaps after a motion --------------------------------------------------------------------- */

/** Gap of the law at the end of the step, for a point given at the step's start, with motion m. */
static double linear_gap(const search *s, const sup_surface_motion *m, const place *at) {
  int    vertex[SUP_FACE_MAX_VERTICES];
  double weight[SUP_FACE_MAX_VERTICES];
  sup_v3 va = {0, 0, 0};
  sup_surface_barycentric_weights(s->a->surface, at->triangle, at->weight, vertex, weight);
  for (int k = 0; k < s->a->surface->vertices_per_face; k++)
    va = sup_v3_madd(va, weight[k], sup_v3_load(m->xdot + 3 * vertex[k]));
  return sup_surface_level(s->query, at->phi, at->gradient,
                           sup_surface_past(s->a, s->b, m, at->at, va));
}

/** Contact at the face's point `end` that is nearest after motion m, placed at the step's start: it
 * has the normal of `end`, and a gap such that the law's gap after m is that of `end`.  If this gap
 * is not positive, gap and normal are those of the start.  Overlap left by earlier steps gets the
 * least gap. */
static place place_of_end(const search *s, const sup_surface_motion *m, const place *end) {
  place out = *end;
  out.at = (sup_v3){0, 0, 0};
  for (int c = 0; c < 3; c++)
    out.at = sup_v3_madd(out.at, end->weight[c], corner_of(s, end->triangle, c));
  out.phi = 0;
  out.phi = end->phi - linear_gap(s, m, &out);
  if (!(out.phi > 0)) out.phi = gap_at(s, out.at, &out.gradient);
  out.phi = sup_max(out.phi, sup_surface_numerics.least_gap *
                                 sqrt(sup_v3_norm(triangle_vector(s, end->triangle))));
  return out;
}

/** Contacts of a face: points of its rule, and points added by motions. */
typedef struct watch {
  rule  own;
  int   num_more, motion[SUP_MAX_MOTIONS]; /* motions that added points */
  place more[SUP_MAX_MOTIONS];
} watch;

/** Add a contact of face f where motion k leaves less than half of the gap (at most the range) that
 * its contacts have at the end. */
static void ask(const search *s, int f, int k, watch *w) {
  const sup_surface_motion *m = &s->query->motion[k];
  search                    after = moved(s, m);
  place                     end = nearest_in_face(&after, f);
  double                    least = s->query->range;
  if (!(end.phi < 0.5 * least)) return;
  if (w->own.count == 0) make_rule(s, f, count_parts(s, f), &w->own);
  for (int i = 0; i < w->own.count; i++)
    least = sup_min(least, linear_gap(s, m, &w->own.node[i].at));
  for (int i = 0; i < w->num_more; i++) least = sup_min(least, linear_gap(s, m, &w->more[i]));
  if (!(end.phi < 0.5 * least)) return;
  w->motion[w->num_more] = k;
  w->more[w->num_more++] = place_of_end(s, m, &end);
}

static void look_at_face(const search *s, int f, watch *w) {
  w->own.count = w->num_more = 0;
  for (int k = 1; k < s->query->num_motions; k++) ask(s, f, k, w);
}

/** Contacts added on faces by motions. */
static sup_status visit_moved(sup_contact_list *list, const search *s,
                              const sup_contact *prototype) {
  const sup_surface *surface = s->a->surface;
  int                parts = sup_surface_triangles_per_face(surface);
  for (int i = 0; i < s->count && s->query->num_motions > 1; i++) {
    int   f = s->workspace->face[i];
    watch w;
    look_at_face(s, f, &w);
    for (int k = 0; k < w.num_more; k++) {
      const place *p = &w.more[k];
      double       area = parts * sup_v3_norm(triangle_vector(s, p->triangle)) / w.own.count;
      int          item = surface->num_points + w.motion[k] * surface->num_faces + f;
      SUP_TRY(add(list, s, prototype, item, p, area));
    }
  }
  return SUP_OK;
}

sup_status sup_collide_surface_gap(sup_contact_list *list, const sup_contact *prototype,
                                   const sup_moving_surface *a, const sup_moving_shape *b,
                                   const sup_surface_query     *query,
                                   const sup_surface_workspace *workspace) {
  search             s = start(a, b, query, workspace);
  const sup_surface *surface = a->surface;
  double most = query->everything ? HUGE_VAL : query->range + sup_surface_reach(b, query);
  int    n = surface->vertices_per_face;
  SUP_TRY(visit_faces(list, &s, prototype, most));
  for (int k = 0; k < n * s.count; k++) {
    int                i = surface->face[n * workspace->face[k / n] + k % n];
    sup_surface_point *p = point_of(&s, i);
    if (p->phi > most || !(p->held > 0)) continue;
    place at = place_of_vertex(&s, i);
    SUP_TRY(add(list, &s, prototype, i, &at, p->held));
    p->held = 0; /* the face has its contact */
  }
  SUP_TRY(visit_moved(list, &s, prototype));
  return SUP_OK;
}

int sup_surface_gap_missed(const sup_moving_surface *a, const sup_moving_shape *b,
                           const sup_surface_query *query, const sup_surface_workspace *workspace) {
  sup_surface_query         before = *query;
  const sup_surface_motion *last = &query->motion[query->num_motions - 1];
  search                    s = start(a, b, query, workspace);
  before.num_motions--;
  double seen = query->range + sup_surface_reach(b, &before);
  for (int k = 0; k < s.count; k++) {
    int   f = workspace->face[k], n = a->surface->vertices_per_face;
    watch w;
    for (int c = 0; c < n; c++) {
      place at = place_of_vertex(&s, a->surface->face[n * f + c]);
      if (at.phi > seen && linear_gap(&s, last, &at) < query->range) return 1;
    }
    look_at_face(&s, f, &w);
    if (w.num_more > 0 && w.motion[w.num_more - 1] == query->num_motions - 1) return 1;
  }
  return 0;
}
