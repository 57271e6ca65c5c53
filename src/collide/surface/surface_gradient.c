/* Derivatives of contacts of a surface and a shape, backwards through their measures. */
#include "collide/surface/surface_gradient.h"

#include <string.h>

#include "base/memory.h"
#include "collide/surface/numerics.h"
#include "collide/surface/search_parts.h"
#include "geom/shape.h"

typedef struct job {
  const sup_surface_slopes *asked;
  sup_surface_search        s;
  int                      *contact; /* [num_points] of each vertex, or SUP_NONE */
} job;

int sup_contact_slopes_are_asked(const sup_contact_slopes *s) {
  int is_asked =
      s->phi != 0 || s->k != 0 || sup_v3_norm(s->normal) > 0 || sup_v3_norm(s->centroid) > 0;
  for (int k = 0; k < SUP_FACE_MAX_VERTICES; k++) is_asked |= s->carrier[k] != 0;
  return is_asked;
}

static void add(sup_v3 *to, sup_v3 d) { *to = sup_v3_add(*to, d); }

/* ---- places and velocities ------------------------------------------------------------------- */

/** Weights of the points of a face: a place of the surface that moves with them. */
typedef struct surface_place {
  int    face;
  double weight[SUP_FACE_MAX_VERTICES];
  sup_v3 at;
} surface_place;

/** The surface at a place moves by dx: d . dx. */
static void add_to_surface(const job *j, const surface_place *p, sup_v3 d) {
  const sup_surface_slopes *to = j->asked;
  const sup_surface        *surface = j->s.a->surface;
  int                       n = surface->vertices_per_face;
  if (!j->s.a->xdot) {
    add(&to->out->place[to->body_a], d);
    add(&to->out->turn[to->body_a], sup_v3_cross(sup_v3_sub(p->at, j->s.a->X_WS.p), d));
    return;
  }
  for (int k = 0; k < n; k++) {
    size_t i = (size_t)(to->first_vertex + surface->face[n * p->face + k]);
    sup_v3_accumulate(to->out->x + 3 * i, p->weight[k], d);
  }
}

/** The velocities that a level looks ahead with. */
static const sup_surface_motion *last_motion(const job *j) {
  return &j->s.query->motion[j->s.query->num_motions - 1];
}

/** The surface passes the shape at a place by du: d . du. */
static void add_to_velocities(const job *j, const surface_place *p, sup_v3 d) {
  const sup_surface_slopes *to = j->asked;
  const sup_moving_shape   *b = j->s.b;
  const sup_moving_surface *a = j->s.a;
  const sup_surface_motion *m = last_motion(j);
  int                       n = a->surface->vertices_per_face;
  sup_v3                    arm = sup_v3_sub(p->at, b->X_WL.p), moved = sup_v3_cross(d, m->w_b);
  add(&to->out->v[to->body_b], sup_v3_scale(-1, d));
  add(&to->out->w[to->body_b], sup_v3_cross(d, arm));
  add(&to->out->place[to->body_b], moved);
  add_to_surface(j, p, sup_v3_scale(-1, moved)); /* the place sees another velocity of b */
  for (int k = 0; k < n && a->xdot; k++) {
    size_t i = (size_t)(to->first_vertex + a->surface->face[n * p->face + k]);
    sup_v3_accumulate(to->out->xdot + 3 * i, p->weight[k], d);
  }
  if (a->xdot) return;
  arm = sup_v3_sub(p->at, a->X_WS.p);
  add(&to->out->v[to->body_a], d);
  add(&to->out->w[to->body_a], sup_v3_cross(arm, d));
  add(&to->out->turn[to->body_a], sup_v3_cross(arm, sup_v3_cross(d, m->w_a)));
}

/** Depth at a place and its gradient g: phi dphi + turn . dg.  Returns what that is per way of the
 * place; the shape has its part. */
static sup_v3 add_to_shape(const job *j, sup_v3 at, sup_v3 g, double phi, sup_v3 turn) {
  const sup_surface_slopes *to = j->asked;
  const sup_moving_shape   *b = j->s.b;
  sup_v3                    local = sup_frame_apply_inverse(&b->X_WG, at);
  sup_v3                    bent = sup_shape_turn(b->shape, local, sup_m3_apply_t(b->X_WG.R, turn));
  sup_v3                    d = sup_v3_madd(sup_m3_apply(b->X_WG.R, bent), phi, g);
  sup_v3                    arm = sup_v3_sub(at, b->X_WL.p);
  add(&to->out->place[to->body_b], sup_v3_scale(-1, d));
  add(&to->out->turn[to->body_b], sup_v3_sub(sup_v3_cross(g, turn), sup_v3_cross(arm, d)));
  return d;
}

/** The cross product of two sides of a triangle changes by dc: d . dc, at its corners. */
static void add_to_corners(const sup_v3 corner[3], sup_v3 d, sup_v3 at[3]) {
  sup_v3 e1 = sup_v3_sub(corner[1], corner[0]), e2 = sup_v3_sub(corner[2], corner[0]);
  sup_v3 d1 = sup_v3_cross(e2, d), d2 = sup_v3_cross(d, e1);
  add(&at[1], d1), add(&at[2], d2);
  add(&at[0], sup_v3_scale(-1, sup_v3_add(d1, d2)));
}

static surface_place corner_place(const job *j, int triangle, int corner, sup_v3 at) {
  const sup_surface *surface = j->s.a->surface;
  surface_place      out = {.face = triangle / sup_surface_triangles_per_face(surface), .at = at};
  memcpy(out.weight, sup_surface_weights(surface, triangle) + corner * SUP_FACE_MAX_VERTICES,
         (size_t)surface->vertices_per_face * sizeof *out.weight);
  return out;
}

/* ---- polygons -------------------------------------------------------------------------------- */

/** A polygon and its derivatives. */
typedef struct polygon {
  sup_corner_data state;
  double          level[3];
  sup_clipped     part;
  double          weight[3], fraction;    /* derivatives in centroid and fraction of it .. */
  double          at_phi[3], at_level[3]; /* .. in the corners' depths and levels .. */
  sup_v3          at_corner[3];           /* .. and in their places */
} polygon;

/** Back from the contact to weights, fraction, depths and places of the corners. */
static void leave_contact(const job *j, const sup_contact_origin *origin,
                          const sup_contact_slopes *c, polygon *p) {
  const sup_surface *surface = j->s.a->surface;
  int                t = origin->item;
  double             slope = j->s.prototype->slope > 0 ? j->s.prototype->slope : j->s.a->slope[t];
  double             scale = 0.5 * slope * origin->share[0] * origin->share[1];
  const double      *w = p->part.centroid, *on_points = sup_surface_weights(surface, t);
  sup_v3             at = {0, 0, 0}, g, cross = sup_corner_cross(&p->state);
  for (int k = 0; k < 3; k++) at = sup_v3_madd(at, w[k], p->state.corner[k]);
  sup_shape_depth(j->s.b->shape, sup_frame_apply_inverse(&j->s.b->X_WG, at), &g);
  g = sup_m3_apply(j->s.b->X_WG.R, g);
  double facing = -sup_v3_dot(cross, g);
  sup_v3 turn = sup_v3_madd(sup_v3_scale(-1, c->normal), -c->k * scale * p->part.fraction, cross);
  sup_v3 moved = sup_v3_add(c->centroid, add_to_shape(j, at, g, 0, turn));
  p->fraction = c->k * scale * facing;
  add_to_corners(p->state.corner, sup_v3_scale(-c->k * scale * p->part.fraction, g), p->at_corner);
  for (int k = 0; k < 3; k++) {
    p->weight[k] = c->phi * p->state.phi[k] + sup_v3_dot(moved, p->state.corner[k]);
    for (int i = 0; i < surface->vertices_per_face && j->s.a->xdot; i++)
      p->weight[k] += c->carrier[i] * on_points[k * SUP_FACE_MAX_VERTICES + i];
    p->at_phi[k] = c->phi * w[k];
    p->at_corner[k] = sup_v3_madd(p->at_corner[k], w[k], moved);
  }
}

/** Back from the clip to the levels. */
static void leave_clip(const sup_contact_origin *origin, polygon *p) {
  sup_clip_slopes slope;
  sup_clip_gradient(p->level, (unsigned)origin->other, origin->part, &slope);
  for (int l = 0; l < 3; l++) {
    p->at_level[l] = p->fraction * slope.fraction[l];
    for (int k = 0; k < 3; k++) p->at_level[l] += p->weight[k] * slope.centroid[k][l];
  }
}

/** Back from the depth and level of a corner to positions and velocities. */
static void leave_corner(const job *j, int t, int k, const polygon *p) {
  const sup_corner_data    *state = &p->state;
  const sup_moving_surface *a = j->s.a;
  sup_v3                    at = state->corner[k], g = state->gradient[k], turn = {0, 0, 0};
  surface_place             place = corner_place(j, t, k, at);
  if (state->last[k] < state->level[k]) { /* phi + T g.u is the level */
    const sup_surface_motion *m = last_motion(j);
    sup_v3                    va = a->xdot ? sup_surface_corner(a->surface, m->xdot, t, k) : turn;
    double                    way = j->s.query->ahead * p->at_level[k];
    turn = sup_v3_scale(way, sup_surface_past(a, j->s.b, m, at, va));
    add_to_velocities(j, &place, sup_v3_scale(way, g));
  }
  sup_v3 d = add_to_shape(j, at, g, p->at_phi[k] + p->at_level[k], turn);
  add_to_surface(j, &place, sup_v3_add(p->at_corner[k], d));
}

static void polygon_gradient(const job *j, const sup_contact_origin *origin,
                             const sup_contact_slopes *slopes) {
  polygon     p = {.state = sup_surface_triangle(&j->s, origin->item)};
  sup_clipped third[3];
  for (int k = 0; k < 3; k++) p.level[k] = sup_min(p.state.level[k], p.state.last[k]) - j->s.drop;
  sup_clip_triangle_with(p.level, (unsigned)origin->other, &p.part);
  if (p.part.num_points == 0) return; /* without area */
  if (origin->part > 0) sup_clip_thirds(&p.part, third), p.part = third[origin->part - 1];
  leave_contact(j, origin, slopes, &p);
  leave_clip(origin, &p);
  for (int k = 0; k < 3; k++) leave_corner(j, origin->item, k, &p);
}

/* ---- vertices -------------------------------------------------------------------------------- */

static void add_to_vertex(const job *j, int i, sup_v3 d) {
  sup_v3_accumulate(j->asked->out->x + 3 * (size_t)(j->asked->first_vertex + i), 1, d);
}

/** Gap at the vertex itself, normal and place. */
static void vertex_gradient(const job *j, const sup_contact_origin *origin,
                            const sup_contact_slopes *c) {
  const sup_surface_point *p = sup_surface_point_of(&j->s, origin->item);
  sup_v3 d = add_to_shape(j, p->at, p->gradient, c->phi, sup_v3_scale(-1, c->normal));
  add_to_vertex(j, origin->item, sup_v3_add(d, c->centroid));
}

/** Derivatives in depths that sagittas of a face are made of. */
typedef struct face_depths {
  double point[SUP_FACE_MAX_CORNERS], middle[SUP_FACE_MAX_VERTICES]; /* of side k, k + 1 */
} face_depths;

/** Back from the sagitta of vertex k of n to depths (THEORY 20.4). */
static void leave_sagitta(int n, int k, double d, face_depths *to) {
  int next = (k + 1) % n, last = (k + n - 1) % n, over = (k + 2) % n;
  if (n == 3) {
    const double side[3] = {0.6 * d, -0.2 * d, 0.6 * d}; /* k, next, last */
    for (int s = 0; s < 3; s++) {
      int i = (k + s) % 3, e = (i + 1) % 3;
      to->point[i] += 0.5 * side[s], to->point[e] += 0.5 * side[s], to->middle[i] -= side[s];
    }
    return;
  }
  to->point[k] += d - 4 * d / 9;
  to->middle[k] -= 4 * d / 9, to->middle[last] -= 4 * d / 9, to->point[4] -= 4 * d / 9;
  to->point[next] += 2 * d / 9, to->point[last] += 2 * d / 9;
  to->middle[next] += 2 * d / 9, to->middle[over] += 2 * d / 9;
  to->point[over] -= d / 9;
}

/** Back from the depths of a face to positions. */
static void leave_depths(const job *j, int i, sup_face_points point, const face_depths *d) {
  const sup_surface *surface = j->s.a->surface;
  int                n = surface->vertices_per_face, f = j->s.workspace->face[i];
  const int         *vertex = surface->face + n * f;
  const sup_v3       none = {0, 0, 0};
  for (int k = 0; k < n; k++) {
    int    next = (k + 1) % n;
    sup_v3 at = sup_v3_scale(0.5, sup_v3_add(point[k]->at, point[next]->at)), g;
    sup_shape_depth(j->s.b->shape, sup_frame_apply_inverse(&j->s.b->X_WG, at), &g);
    g = sup_m3_apply(j->s.b->X_WG.R, g);
    sup_v3 half = sup_v3_scale(0.5, add_to_shape(j, at, g, d->middle[k], none));
    add_to_vertex(j, vertex[k], half), add_to_vertex(j, vertex[next], half);
    add_to_vertex(j, vertex[k],
                  add_to_shape(j, point[k]->at, point[k]->gradient, d->point[k], none));
  }
  if (d->point[n] == 0) return; /* of a quad: its centre */
  sup_v3 centre = add_to_shape(j, point[n]->at, point[n]->gradient, d->point[n], none);
  for (int k = 0; k < n; k++) add_to_vertex(j, vertex[k], sup_v3_scale(1. / n, centre));
}

/** Back from the area vectors of a face's vertices to positions. */
static void leave_shares(const job *j, int i, sup_face_points point,
                         const sup_v3 d[SUP_FACE_MAX_VERTICES]) {
  const sup_surface *surface = j->s.a->surface;
  int    n = surface->vertices_per_face, parts = sup_surface_triangles_per_face(surface), corner[3];
  double own = (1 - j->s.workspace->polygons[i]) / 6;
  for (int part = 0; part < parts; part++) {
    int           t = j->s.workspace->face[i] * parts + part;
    const double *weight = sup_surface_weights(surface, t);
    sup_v3        cross = {0, 0, 0}, at[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    sup_surface_part(surface, part, corner);
    sup_corner_data state = sup_surface_corner_data(point, corner);
    for (int k = 0; k < n; k++)
      for (int c = 0; c < 3; c++)
        cross = sup_v3_madd(cross, own * weight[c * SUP_FACE_MAX_VERTICES + k], d[k]);
    add_to_corners(state.corner, cross, at);
    for (int c = 0; c < 3; c++) {
      surface_place place = corner_place(j, t, c, state.corner[c]);
      add_to_surface(j, &place, at[c]);
    }
  }
}

/** Part of face i in the stiffness and the sagitta of its vertices. */
static void face_gradient(const job *j, int i) {
  const sup_surface *surface = j->s.a->surface;
  int                n = surface->vertices_per_face;
  sup_surface_point *point[SUP_FACE_MAX_CORNERS];
  sup_v3             share[SUP_FACE_MAX_VERTICES], at_share[SUP_FACE_MAX_VERTICES] = {{0, 0, 0}};
  double             sagitta[SUP_FACE_MAX_VERTICES], follow = 1 - j->s.workspace->polygons[i];
  face_depths        depths = {{0}, {0}};
  sup_surface_known_points(&j->s, i, point);
  double slope = sup_surface_share_face(&j->s, i, point, share);
  if (j->s.prototype->slope > 0) slope = j->s.prototype->slope;
  sup_surface_face_sagitta(j->s.b, point, n, sagitta);
  for (int k = 0; k < n; k++) {
    int                      vertex = surface->face[n * j->s.workspace->face[i] + k];
    const sup_surface_point *p = point[k];
    double                   seen = -sup_v3_dot(share[k], p->gradient);
    if (j->contact[vertex] == SUP_NONE) continue;
    if (!(seen >= sup_surface_numerics.facing * sup_v3_norm(share[k]))) continue;
    const sup_contact_slopes *c = &j->asked->slopes[j->contact[vertex]];
    double                    mean = p->sagitta / p->seen;
    double                    d = c->k * slope - c->phi * (follow * sagitta[k] - mean) / p->seen;
    at_share[k] = sup_v3_scale(-d, p->gradient);
    add_to_vertex(j, vertex, add_to_shape(j, p->at, p->gradient, 0, sup_v3_scale(-d, share[k])));
    leave_sagitta(n, k, -c->phi * follow * seen / p->seen, &depths);
  }
  leave_shares(j, i, point, at_share);
  leave_depths(j, i, point, &depths);
}

/* ---- a pair ---------------------------------------------------------------------------------- */

/** Points, faces and sums of the pair, as they were measured. */
static void place_faces(job *j) {
  const sup_pair_origins *from = j->asked->from;
  sup_surface_point      *point[SUP_FACE_MAX_CORNERS], centre;
  memset(j->s.workspace->known, 0, (size_t)j->s.a->surface->num_points);
  for (int i = 0; i < from->num_faces; i++) {
    int f = j->s.workspace->face[i] = from->face[i].face;
    if (!j->s.query->at_vertices) continue;
    sup_surface_face_points(&j->s, f, point,
                            j->s.workspace->centre ? &j->s.workspace->centre[i] : &centre);
    j->s.workspace->polygons[i] = from->face[i].share;
  }
  if (j->s.query->at_vertices) sup_surface_sum_vertices(&j->s, from->num_faces);
}

/** Reason of a contact without derivatives. */
static const char *reason_of(sup_origin_kind kind) {
  return kind == SUP_ORIGIN_FACET    ? "at pieces of facets; finer cells have none"
         : kind == SUP_ORIGIN_VERTEX ? "at vertices of quadratic faces"
                                     : "of patches or points";
}

sup_status sup_surface_gradient(const sup_surface_slopes *asked, const sup_contact *prototype,
                                const sup_moving_surface *a, const sup_moving_shape *b,
                                const sup_surface_query     *query,
                                const sup_surface_workspace *workspace, sup_arena *arena) {
  sup_surface_search s = {
      .prototype = prototype, .a = a, .b = b, .query = query, .workspace = workspace};
  job                     j = {asked, s, NULL};
  const sup_pair_origins *from = asked->from;
  int                     num_vertices = 0;
  j.s.drop = from->pair->drops ? query->drop : 0;
  SUP_TRY(SUP_ARENA(arena, j.contact, a->surface->num_points));
  for (int i = 0; i < a->surface->num_points; i++) j.contact[i] = SUP_NONE;
  place_faces(&j);
  for (int k = 0; k < from->num_contacts; k++) {
    const sup_contact_origin *origin = &from->contact[k];
    int is_vertex = origin->kind == SUP_ORIGIN_VERTEX && !a->surface->is_quadratic;
    if (!sup_contact_slopes_are_asked(&asked->slopes[k])) continue;
    if (is_vertex)
      vertex_gradient(&j, origin, &asked->slopes[k]), j.contact[origin->item] = k, num_vertices++;
    else if (origin->kind == SUP_ORIGIN_POLYGON)
      polygon_gradient(&j, origin, &asked->slopes[k]);
    else
      *asked->why = reason_of(origin->kind);
  }
  for (int i = 0; i < from->num_faces && num_vertices > 0; i++) face_gradient(&j, i);
  return SUP_OK;
}
