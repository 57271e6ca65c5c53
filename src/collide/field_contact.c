#include "collide/field_contact.h"

#include <string.h>

#include "collide/merge.h"

static const double min_area = 1e-14; /* [m^2] */
/** A face is loaded when its normal is within 5/8 pi of the gradient (THEORY 9.2).  The pressure on faces that are seen
 *  edge-on hardly depends on the approach: a slope of at least this share of the gradient keeps their force. */
static const double min_cosine = -0.38268343236508977;
static const double min_slope = 1e-6;
/** A patch on a face that two cells share must belong to one of them: it is looked for this share of the field's size
 *  above the face, far beyond round-off, and put back. */
static const double lift_share = 1e-13;

/** A soft side at a patch: barycentric functions and velocities of the corners. */
typedef struct side {
  int       num_corners; /* 3, 4; 0: rigid */
  sup_plane lambda[4];   /* in a's frame */
  sup_v3    xdot[4];     /* world */
} side;

/** One polygon and what it knows of both bodies; a's frame unless it says otherwise. */
typedef struct patch {
  sup_polygon polygon;
  sup_v3      n; /* a to b */
  sup_plane   pressure;
  double      slope;     /* along n [Pa/m] */
  double      steepness; /* along the gradients [Pa/m] */
  side        a, b;
} patch;

typedef struct job {
  sup_contact_list         *list;
  const sup_contact        *prototype;
  const sup_moving_surface *surface_a; /* or NULL */
  const sup_moving_field   *field_a, *field_b;
  const sup_patch_options  *options;
  sup_frame                 X_WA, X_AB;
  sup_v3                    v, w; /* of the rigid sides, a less b: v + w x in a's frame */
  double                    lift; /* [m] */
  double                    drop;
  double                    slab[2];  /* [Pa] */
  int                       num_seen; /* pieces, under pressure or not */
} job;

/** Velocity of a soft side along n, in the world. */
static double soft_velocity(const side *s, sup_v3 x, sup_v3 n) {
  sup_v3 v = {0, 0, 0};
  for (int k = 0; k < s->num_corners; k++) v = sup_v3_madd(v, sup_plane_value(&s->lambda[k], x), s->xdot[k]);
  return sup_v3_dot(n, v);
}

/** Keep what is under pressure now or will be at the end of the step at present velocities, seen `drop` ahead. */
static void keep_pressed(const job *j, patch *p) {
  double    level[SUP_POLYGON_MAX_POINTS];
  sup_v3    n = sup_m3_apply(j->X_WA.R, p->n);
  sup_plane approach = {sup_v3_cross(p->n, j->w), sup_v3_dot(p->n, j->v)};
  for (int i = 0; i < p->polygon.num_points; i++) {
    sup_v3 x = p->polygon.point[i];
    double speed = sup_plane_value(&approach, x);
    if (p->a.num_corners) speed += soft_velocity(&p->a, x, n);
    if (p->b.num_corners) speed -= soft_velocity(&p->b, x, n);
    level[i] = sup_plane_value(&p->pressure, x) +
               p->slope * sup_min(sup_max(0, j->options->dt * speed) + j->drop, j->options->reach);
  }
  sup_polygon_clip_values(&p->polygon, level);
}

static double highest_pressure(const sup_polygon *polygon, const sup_plane *pressure) {
  double most = -HUGE_VAL;
  for (int i = 0; i < polygon->num_points; i++) most = sup_max(most, sup_plane_value(pressure, polygon->point[i]));
  return most;
}

/** Can no part of a polygon come under pressure within the step, or belong to this slab?  `slope`: bound on that along
 *  the normal. */
static int stays_apart(const job *j, const sup_polygon *polygon, const sup_plane *pressure, double steepness,
                       double slope) {
  double least = -(slope * j->options->reach * (1 + 1e-9) + 2 * j->lift * steepness);
  return !(highest_pressure(polygon, pressure) >= sup_max(least, j->slab[0] - 2 * j->lift * steepness));
}

/** A piece belongs to the slab in which its highest pressure is. */
static int is_in_slab(const job *j, const patch *p, const sup_plane *pressure) {
  double most = highest_pressure(&p->polygon, pressure);
  return most >= j->slab[0] && most < j->slab[1];
}

/** A piece that is seen from behind; in the margins, or where bodies just touch, that means nothing. */
static void count_backward(const job *j, const patch *p) {
  double touch = 1e3 * j->lift * sup_v3_norm(p->pressure.normal);
  if (highest_pressure(&p->polygon, &p->pressure) > touch && j->drop == 0) j->list->discarded_backward++;
}

static void carry_by_triangle(const sup_surface *surface, int t, const side *s, sup_v3 x, sup_carrier *out) {
  sup_v3 weight = {sup_plane_value(&s->lambda[0], x), sup_plane_value(&s->lambda[1], x),
                   sup_plane_value(&s->lambda[2], x)};
  sup_surface_carry(surface, t, (const double[3]){weight.x, weight.y, weight.z}, out->vertex, out->weight);
  out->num_vertices = surface->vertices_per_face;
}

/** In the shell the force acts at the surface below along its normal n, so that the normal forces of a pair across a
 * gap have no moment. */
static void carry_by_tet(const sup_moving_field *f, int t, const side *s, sup_v3 x, sup_v3 n, sup_carrier *out) {
  int    inner[3];
  double weight[3];
  out->num_vertices = 0;
  if (sup_mesh_field_foot(f->mesh_field, t, f->points, x, n, inner, weight)) {
    for (int k = 0; k < 3; k++) sup_carrier_add(out, &f->mesh_field->carrier[inner[k]], weight[k]);
    return;
  }
  for (int k = 0; k < 4; k++)
    sup_carrier_add(out, &f->mesh_field->carrier[f->field->tet[4 * t + k]], sup_plane_value(&s->lambda[k], x));
}

/** Centre of a linear pressure with the value p0 at the centroid c (all of it positive); first_moment: integral of
 *  (x - c) p [N m]. */
static sup_v3 centre_of_pressure(sup_v3 centroid, double area, double p0, sup_v3 first_moment) {
  return p0 > 0 ? sup_v3_madd(centroid, 1 / (area * p0), first_moment) : centroid;
}

/** Of a soft body's mesh; the cells of a rigid body carry nothing. */
static int cell_behind(const sup_moving_field *f, int t) {
  return f->mesh_field ? f->mesh_field->tet_cell[t] : SUP_NONE;
}

static sup_status add_contact(const job *j, const patch *p, const sup_polygon *polygon, int item_a, int item_b) {
  sup_v3 centroid, vector = sup_polygon_area(polygon, &centroid);
  double area = sup_v3_norm(vector);
  if (area < min_area) {
    j->list->discarded_small++;
    return SUP_OK;
  }
  double p0 = sup_plane_value(&p->pressure, centroid);
  sup_v3 moment = sup_polygon_first_moment(polygon, centroid, p->pressure.normal);
  if (j->options->at_pressure) centroid = centre_of_pressure(centroid, area, p0, moment);
  SUP_TRY(SUP_GROW(j->list->contact, j->list->capacity, j->list->count + 1));
  sup_contact *c = &j->list->contact[j->list->count++];
  *c = *j->prototype;
  c->item_a = item_a, c->item_b = item_b;
  c->cell_a = j->surface_a ? j->surface_a->surface->triangle_face[item_a] : cell_behind(j->field_a, item_a);
  c->cell_b = cell_behind(j->field_b, item_b);
  c->area = area;
  c->slope = p->slope;
  c->phi = -p0 / p->slope;
  c->penetration = p0 / p->steepness;
  c->spread =
      p0 <= 0 ? 0 : sup_max(0, sup_v3_dot(p->pressure.normal, moment)) / (area * p->slope * p->slope); /* not -1e-30 */
  c->facing = 1;
  c->centroid = sup_frame_apply(&j->X_WA, centroid);
  c->normal = sup_m3_apply(j->X_WA.R, p->n);
  c->num_points = polygon->num_points;
  for (int i = 0; i < polygon->num_points; i++) {
    c->point[i] = sup_frame_apply(&j->X_WA, polygon->point[i]);
    c->level[i] = sup_plane_value(&p->pressure, polygon->point[i]);
  }
  if (p->a.num_corners == 3) carry_by_triangle(j->surface_a->surface, item_a, &p->a, centroid, &c->carrier_a);
  if (p->a.num_corners == 4) carry_by_tet(j->field_a, item_a, &p->a, centroid, p->n, &c->carrier_a);
  if (p->b.num_corners == 4) carry_by_tet(j->field_b, item_b, &p->b, centroid, p->n, &c->carrier_b);
  return SUP_OK;
}

static sup_status add_patch(job *j, patch *p, int item_a, int item_b) {
  keep_pressed(j, p);
  int n = p->polygon.num_points;
  if (n < 3) return SUP_OK;
  if (!j->options->triangles || n == 3) {
    SUP_TRY(add_contact(j, p, &p->polygon, item_a, item_b));
    return SUP_OK;
  }
  sup_v3 centroid;
  sup_polygon_area(&p->polygon, &centroid);
  for (int i = 0; i < n; i++) {
    sup_polygon triangle = {3, {centroid, p->polygon.point[i], p->polygon.point[i + 1 < n ? i + 1 : 0]}};
    SUP_TRY(add_contact(j, p, &triangle, item_a, item_b));
  }
  return SUP_OK;
}

/* ---- a surface in a field ---------------------------------------------------------------------------------------- */

/** Barycentric functions of a triangle, constant along its normal. */
static void triangle_side(const sup_moving_surface *a, int t, const sup_v3 corner[3], sup_v3 normal, double area,
                          side *s) {
  s->num_corners = 0;
  if (!a->xdot) return;
  s->num_corners = 3;
  for (int k = 0; k < 3; k++) {
    sup_v3 p = corner[(k + 1) % 3], edge = sup_v3_sub(corner[(k + 2) % 3], p);
    sup_v3 gradient = sup_v3_scale(0.5 / area, sup_v3_cross(normal, edge));
    s->lambda[k] = (sup_plane){gradient, -sup_v3_dot(gradient, p)};
    s->xdot[k] = sup_surface_corner(a->surface, a->xdot, t, k);
  }
}

/** A cell of a soft body's field at its present points, in the frame that X maps to. */
static sup_cell_state present_cell(const sup_moving_field *f, const sup_frame *X, int t, sup_field_cell *cell) {
  sup_v3 corner[4];
  double p[4];
  for (int k = 0; k < 4; k++) {
    int i = f->field->tet[4 * t + k];
    corner[k] = sup_frame_apply(X, sup_v3_load(f->points + 3 * i)), p[k] = f->pressure[i];
  }
  return sup_field_cell_of(corner, p, cell) ? SUP_CELL_READY : SUP_CELL_INVERTED;
}

static unsigned char make_cell(job *j, const sup_moving_field *f, const sup_frame *X, int t) {
  int is_shell = f->mesh_field && f->mesh_field->tet_triangle[t] != SUP_NONE;
  if (!f->points) {
    sup_field_cell_transform(X, &f->source[t], &f->cell[t]);
    return SUP_CELL_READY;
  }
  sup_cell_state state = present_cell(f, X, t, &f->cell[t]);
  if (state == SUP_CELL_INVERTED && !is_shell) j->list->discarded_inverted++;
  return (unsigned char)state;
}

/** A cell of a soft body, which all threads see: one of them makes it. */
static unsigned char make_shared_cell(job *j, const sup_moving_field *f, const sup_frame *X, int t) {
  unsigned char state;
#pragma omp              critical(sup_field_cell)
  {
                 state = f->state[t];
                 if (state == SUP_CELL_UNKNOWN) {
                   state = make_cell(j, f, X, t);
             #pragma omp atomic write release
      f->state[t] = state;
    }
  }
  return state;
}

/** A cell in the frame that X maps to, made once; NULL: inverted. */
static const sup_field_cell *field_cell(job *j, const sup_moving_field *f, const sup_frame *X, int t) {
  unsigned char state;
#pragma omp atomic read acquire
  state = f->state[t];
  if (state == SUP_CELL_UNKNOWN)
    state = f->points ? make_shared_cell(j, f, X, t) : (f->state[t] = make_cell(j, f, X, t));
  return state == SUP_CELL_READY ? &f->cell[t] : NULL;
}

static void tet_side(const sup_moving_field *f, int t, const sup_field_cell *cell, side *s) {
  s->num_corners = 0;
  if (!f->points) return;
  s->num_corners = 4;
  for (int k = 0; k < 4; k++) {
    s->lambda[k] = cell->inside[k];
    s->xdot[k] = sup_v3_load(f->xdot + 3 * f->field->tet[4 * t + k]);
  }
}

/** Pressure per approach along n, a unit vector into the body of this pressure; 0: seen from behind. */
static double slope_along(const sup_field_cell *cell, sup_v3 n) {
  double size = cell->steepness, g = sup_v3_dot(cell->pressure.normal, n);
  return g > min_cosine * size ? sup_max(g, min_slope * size) : 0;
}

static double in_series(double a, double b) { return 1 / (1 / a + 1 / b); }

/** Of a triangle with normal n into the cell; 0: seen from behind.  The layer of a soft side is in series and takes its
 *  share of the overlap: pressure and slope shrink alike, so that the gap is that of the field and a field that hardly
 *  yields acts as the exact depth does (THEORY 15.3). */
static int set_surface_slope(const job *j, int t, const sup_field_cell *cell, patch *p) {
  p->pressure = cell->pressure;
  p->slope = slope_along(cell, p->n);
  p->steepness = cell->steepness;
  if (!(p->slope > 0)) return 0;
  if (!j->surface_a->slope) return 1;
  double share = in_series(p->slope, j->surface_a->slope[t]) / p->slope;
  p->pressure.normal = sup_v3_scale(share, p->pressure.normal), p->pressure.offset *= share;
  p->slope *= share, p->steepness *= share;
  return 1;
}

static sup_status visit_triangle(int t, int e, void *user) {
  job                  *j = user;
  const sup_field_cell *cell = field_cell(j, j->field_b, &j->X_AB, e);
  sup_v3                own[3];
  if (!cell) return SUP_OK;
  patch p; /* large: not cleared */
  p.polygon.num_points = 3;
  sup_v3 *corner = p.polygon.point;
  for (int k = 0; k < 3; k++)
    corner[k] = own[k] = sup_surface_corner(j->surface_a->surface, j->surface_a->points, t, k);
  if (stays_apart(j, &p.polygon, &cell->pressure, cell->steepness, cell->steepness)) return SUP_OK;
  sup_v3 cross = sup_v3_cross(sup_v3_sub(own[1], own[0]), sup_v3_sub(own[2], own[0]));
  double area = 0.5 * sup_v3_norm(cross);
  if (area < min_area) return SUP_OK;
  p.n = sup_v3_scale(0.5 / area, cross);
  for (int k = 0; k < 3; k++) corner[k] = sup_v3_madd(own[k], j->lift, p.n);
  if (cell->num_planes) sup_polygon_clip_tet(&p.polygon, cell->inside);
  if (p.polygon.num_points == 0) return SUP_OK;
  for (int k = 0; k < p.polygon.num_points; k++) corner[k] = sup_v3_madd(corner[k], -j->lift, p.n);
  if (!is_in_slab(j, &p, &cell->pressure)) return SUP_OK;
  j->num_seen++;
  if (!set_surface_slope(j, t, cell, &p)) {
    count_backward(j, &p);
    return SUP_OK;
  }
  triangle_side(j->surface_a, t, own, p.n, area, &p.a);
  tet_side(j->field_b, e, cell, &p.b);
  SUP_TRY(add_patch(j, &p, t, e));
  return SUP_OK;
}

/** How far below zero a pressure may be that can turn positive when two rigid bodies come nearer by `reach`: as steep
 * as both fields allow, and no lower than any cell reaches.  a NULL: a surface. */
static double lowest_pressure(const sup_moving_field *a, const sup_moving_field *b, double reach) {
  double q = in_series(a ? a->field->steepest : HUGE_VAL, b->field->steepest) * reach;
  if (a) q = sup_min(q, -a->lowest);
  if (b->node) q = sup_min(q, -b->lowest);
  return !a && !(b->field->far > 0) ? 0 : q; /* the cell of a half space goes on forever */
}

int sup_fields_stay_apart(const sup_moving_field *a, const sup_moving_field *b, double overlap, double reach) {
  double q = lowest_pressure(a, b, reach);
  return overlap + q * ((a ? a->field->swell : 0) + b->field->swell) * (1 + 1e-9) < 0;
}

/** All items of a that reach the half space of field b. */
static sup_status visit_below(job *j, const sup_bvh_side *a, double lowest, sup_bvh_visit *visit) {
  sup_field_cell cell;
  sup_field_cell_transform(&j->X_AB, &j->field_b->source[0], &cell);
  sup_v3 out = sup_v3_scale(-1 / cell.steepness, cell.pressure.normal);
  double below = cell.pressure.offset / cell.steepness - lowest * j->field_b->field->swell;
  int    n = sup_bvh_pairs_below(a, out, below, j->options->candidate);
  for (int i = 0; i < n; i++) SUP_TRY(visit(j->options->candidate[i], 0, j));
  return SUP_OK;
}

/** Where in a field's range of pressures a slab is. */
static void place_slab(sup_bvh_side *to, const sup_moving_field *f, const double slab[2]) {
  for (int k = 0; k < 2 && to->last; k++)
    to->s[k] = sup_min(1, (slab[k] - f->lowest) / (f->field->highest - f->lowest));
}

/** In how many slabs the range of pressures is searched. */
static int count_slabs(const sup_moving_field *a, const sup_moving_field *b, double range) {
  enum { MAX_SLABS = 250 };
  if (!b->inner || (a && !a->inner)) return 1;
  double thickness = sup_min(a ? a->field->slab : HUGE_VAL, b->field->slab);
  return (int)sup_min(MAX_SLABS, 1 + floor(range / thickness));
}

/** All pairs of cells, slab by slab: both pressures are equal where cells meet, so that sections of equal pressure
 * must. A cell is long and thin, its sections are not: the number of pairs does not grow faster than that of pieces. */
static sup_status visit_slabs(job *j, sup_bvh_side *a, sup_bvh_side *b, sup_bvh_visit *visit) {
  const sup_moving_field *fa = j->field_a, *fb = j->field_b;
  double                  lowest = -lowest_pressure(fa, fb, j->options->reach), highest = j->options->highest;
  if (a->last) highest = sup_min(highest, fa->field->highest);
  if (b->last) highest = sup_min(highest, fb->field->highest);
  int    num_slabs = count_slabs(fa, fb, highest - lowest);
  double slack = 1e-12 * (fb->field->size + sup_v3_norm(j->X_AB.p));
  if (fb->node)
    memset(a->known, 0, (size_t)(2 * a->num_items - 1)), memset(b->known, 0, (size_t)(2 * b->num_items - 1));
  for (int k = 0; k < num_slabs; k++) {
    double slab[2];
    for (int i = 0; i < 2; i++) slab[i] = lowest + (highest - lowest) * (k + i) / num_slabs;
    place_slab(a, fa, slab), place_slab(b, fb, slab);
    j->slab[0] = k > 0 ? slab[0] : -HUGE_VAL, j->slab[1] = k + 1 < num_slabs ? slab[1] : HUGE_VAL;
    if (fb->node)
      SUP_TRY(sup_bvh_pairs(a, b, &j->X_AB, slack, k + 1, visit, j));
    else
      SUP_TRY(visit_below(j, a, lowest, visit));
  }
  return SUP_OK;
}

/** When nothing is pressed within the step, again for what a body at rest may fall. */
static sup_status visit_all(job *j, const sup_bvh_node *node_a, int num_items_a, sup_bvh_visit *visit) {
  const sup_patch_options *o = j->options;
  const sup_moving_field  *fa = j->field_a, *fb = j->field_b;
  int                      before = j->list->count;
  sup_bvh_side             a = {node_a, fa ? fa->inner : NULL, num_items_a, {0, 0}, o->room_a.seen, o->room_a.known};
  sup_bvh_side             b = {fb->node, fb->inner, fb->field->num_tets, {0, 0}, o->room_b.seen, o->room_b.known};
  memset(fb->state, SUP_CELL_UNKNOWN, (size_t)(fb->node ? fb->field->num_tets : 1));
  for (int pass = 0; pass < 2; pass++) {
    j->drop = pass == 0 ? 0 : o->drop;
    SUP_TRY(visit_slabs(j, &a, &b, visit));
    if (j->list->count > before || j->num_seen == 0) break;
  }
  return SUP_OK;
}

static sup_frame relative(const sup_frame *X_WA, const sup_frame *X_WB) {
  return (sup_frame){sup_m3_mul(sup_m3_transpose(X_WA->R), X_WB->R), sup_frame_apply_inverse(X_WA, X_WB->p)};
}

/** Motion of the rigid sides, a's about the origin of its frame. */
static void set_motion(job *j, sup_v3 v, sup_v3 w) {
  const sup_moving_field *b = j->field_b;
  if (!b->points) {
    sup_v3 arm = sup_v3_sub(j->X_WA.p, b->X_WF.p);
    v = sup_v3_sub(v, sup_v3_add(b->v, sup_v3_cross(b->w, arm))), w = sup_v3_sub(w, b->w);
  }
  j->v = sup_m3_apply_t(j->X_WA.R, v), j->w = sup_m3_apply_t(j->X_WA.R, w);
}

sup_status sup_collide_surface_field(sup_contact_list *list, const sup_contact *prototype, const sup_moving_surface *a,
                                     const sup_moving_field *b, const sup_patch_options *options) {
  job j = {.list = list,
           .prototype = prototype,
           .surface_a = a,
           .field_b = b,
           .options = options,
           .X_WA = a->X_WS,
           .X_AB = relative(&a->X_WS, &b->X_WF),
           .lift = lift_share * b->field->size};
  int first = list->count;
  set_motion(&j, a->v, a->w);
  SUP_TRY(visit_all(&j, a->node, a->surface->num_triangles, visit_triangle));
  if (a->xdot) SUP_TRY(sup_contacts_merge(list, first));
  return SUP_OK;
}

/* ---- two fields -------------------------------------------------------------------------------------------------- */

/** Is a plane more than `apart` off a cell, all of it on one side?  Both in the units of the plane's values. */
static int is_one_sided(const sup_plane *plane, const sup_field_cell *cell, double apart) {
  int num_above = 0, num_below = 0;
  for (int k = 0; k < 4; k++) {
    double value = sup_plane_value(plane, cell->corner[k]);
    num_above += value > apart, num_below += value < -apart;
  }
  return num_above == 4 || num_below == 4;
}

/** The plane where both pressures are equal, with its unit normal out of b into a; 0: there is none in both cells. */
static int equilibrium(const job *j, const sup_field_cell *a, const sup_field_cell *b, sup_plane *plane) {
  int is_rigid_b = j->field_b->field->is_rigid;
  *plane = (sup_plane){sup_v3_sub(a->pressure.normal, b->pressure.normal), a->pressure.offset - b->pressure.offset};
  if (is_rigid_b) *plane = (sup_plane){sup_v3_scale(-1, b->pressure.normal), -b->pressure.offset};
  /* most pairs end here: before the square root; lifted planes are not mistaken for planes that miss a cell */
  double apart = 4 * j->lift * sup_max(fabs(plane->normal.x), sup_max(fabs(plane->normal.y), fabs(plane->normal.z)));
  if (is_one_sided(plane, a, apart) || (b->num_planes && is_one_sided(plane, b, apart))) return 0;
  double size = sup_v3_norm(plane->normal);
  if (!is_rigid_b && !(size > min_slope * a->steepness)) return 0;
  plane->normal = sup_v3_scale(1 / size, plane->normal), plane->offset /= size;
  return 1;
}

/** Both slopes in series along m, out of b into a; 0: one of them is seen from behind. */
static int set_series_slope(const sup_field_cell *a, const sup_field_cell *b, int is_rigid_b, sup_v3 m, patch *p) {
  double ga = slope_along(a, m), gb = slope_along(b, sup_v3_scale(-1, m));
  if (!(ga > 0 && gb > 0)) return 0;
  p->slope = is_rigid_b ? ga : in_series(ga, gb);
  return 1;
}

static sup_status visit_tets(int ea, int eb, void *user) {
  static const sup_frame  same = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
  job                    *j = user;
  const sup_moving_field *fa = j->field_a, *fb = j->field_b;
  sup_plane               plane;
  patch                   p;
  int                     is_rigid_b = fb->field->is_rigid, is_self = fa->points && fa->points == fb->points;
  const sup_field_cell   *a = fa->points ? field_cell(j, fa, &same, ea) : &fa->source[ea];
  const sup_field_cell   *b = field_cell(j, fb, &j->X_AB, eb);
  if (!a || !b) return SUP_OK;
  if (is_self && sup_v3_dot(a->pressure.normal, b->pressure.normal) >= 0) return SUP_OK;
  if (!equilibrium(j, a, b, &plane)) return SUP_OK;
  plane.offset -= j->lift;
  p.steepness = is_rigid_b ? a->steepness : in_series(a->steepness, b->steepness);
  sup_polygon_of_tet(&plane, a->corner, &p.polygon);
  if (stays_apart(j, &p.polygon, &a->pressure, a->steepness, p.steepness)) return SUP_OK;
  if (b->num_planes) sup_polygon_clip_tet(&p.polygon, b->inside);
  if (p.polygon.num_points == 0) return SUP_OK;
  for (int k = 0; k < p.polygon.num_points; k++)
    p.polygon.point[k] = sup_v3_madd(p.polygon.point[k], -j->lift, plane.normal);
  if (!is_in_slab(j, &p, &a->pressure)) return SUP_OK;
  j->num_seen++;
  p.n = sup_v3_scale(-1, plane.normal);
  p.pressure = a->pressure;
  if (!set_series_slope(a, b, is_rigid_b, plane.normal, &p)) {
    count_backward(j, &p);
    return SUP_OK;
  }
  tet_side(fa, ea, a, &p.a);
  tet_side(fb, eb, b, &p.b);
  SUP_TRY(add_patch(j, &p, ea, eb));
  return SUP_OK;
}

/* ---- two soft bodies, or one with itself ----------------------------------------------------------------------- */

/** Tetrahedra of a cell of the mesh whose boxes reach into `where`. */
typedef struct handful {
  int     count, tet[SUP_MESH_FIELD_MAX_TETS];
  sup_box box[SUP_MESH_FIELD_MAX_TETS], all;
} handful;

static void take(const sup_moving_field *f, int cell, const sup_box *where, handful *out) {
  out->count = 0, out->all = sup_box_empty();
  for (int t = f->mesh_field->cell_tet[cell]; t < f->mesh_field->cell_tet[cell + 1]; t++) {
    sup_box box = sup_box_empty();
    for (int k = 0; k < 4; k++) box = sup_box_add(box, sup_v3_load(f->points + 3 * f->mesh_field->tet[4 * t + k]));
    if (!sup_box_overlap(&box, where)) continue;
    out->all = sup_box_add(sup_box_add(out->all, box.lower), box.upper);
    out->tet[out->count] = t, out->box[out->count++] = box;
  }
}

static sup_status visit_mesh_cells(int ca, int cb, void *user) {
  job                    *j = user;
  const sup_moving_field *fa = j->field_a, *fb = j->field_b;
  handful                 a, b; /* large: not cleared */
  if (fa->cell_node == fb->cell_node && sup_mesh_near_has(fa->near, ca, cb)) return SUP_OK;
  take(fa, ca, &fb->cell_box[cb], &a);
  if (a.count == 0) return SUP_OK;
  take(fb, cb, &a.all, &b);
  for (int i = 0; i < a.count; i++)
    for (int k = 0; k < b.count; k++)
      if (sup_box_overlap(&a.box[i], &b.box[k])) SUP_TRY(visit_tets(a.tet[i], b.tet[k], j));
  return SUP_OK;
}

/** As visit_all; what falls, falls together with itself. */
static sup_status visit_soft(job *j) {
  const sup_moving_field *a = j->field_a, *b = j->field_b;
  int                     before = j->list->count, passes = a->cell_node == b->cell_node ? 1 : 2;
  for (int pass = 0; pass < passes && j->list->count == before; pass++) {
    j->drop = pass == 0 ? 0 : j->options->drop;
    SUP_TRY(sup_bvh_join(a->cell_node, b->cell_node, visit_mesh_cells, j));
  }
  return SUP_OK;
}

sup_status sup_collide_field_field(sup_contact_list *list, const sup_contact *prototype, const sup_moving_field *a,
                                   const sup_moving_field *b, const sup_patch_options *options) {
  job j = {.list = list,
           .prototype = prototype,
           .field_a = a,
           .field_b = b,
           .options = options,
           .X_WA = a->X_WF,
           .X_AB = relative(&a->X_WF, &b->X_WF),
           .lift = lift_share * a->field->size,
           .slab = {-HUGE_VAL, HUGE_VAL}};
  int first = list->count;
  set_motion(&j, a->v, a->w);
  if (!a->points || !b->points) {
    SUP_TRY(visit_all(&j, a->node, a->field->num_tets, visit_tets));
    return SUP_OK;
  }
  SUP_TRY(visit_soft(&j));
  SUP_TRY(sup_contacts_merge(list, first));
  return SUP_OK;
}
