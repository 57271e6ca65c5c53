#include "collide/surface/patch.h"

#include <math.h>
#include <string.h>

#include "collide/merge.h"
#include "collide/surface/numerics.h"

/** Clip to the part under pressure now, or at the end of the step at present velocities with a fall
 * of `drop`. */
static void keep_pressed(const sup_patch_job *j, sup_patch *p) {
  double level[SUP_POLYGON_MAX_POINTS];
  for (int i = 0; i < p->polygon.num_points; i++) {
    sup_v3 x = p->polygon.point[i];
    double ahead = sup_max(0, j->options->dt * sup_plane_value(&p->approach, x)) + j->drop;
    level[i] = sup_plane_value(&p->pressure, x) + p->slope * sup_min(ahead, j->options->reach);
  }
  sup_polygon_clip_values(&p->polygon, level);
}

static double highest_pressure(const sup_polygon *polygon, const sup_plane *pressure) {
  double most = -HUGE_VAL;
  for (int i = 0; i < polygon->num_points; i++)
    most = sup_max(most, sup_plane_value(pressure, polygon->point[i]));
  return most;
}

int sup_patch_stays_apart(const sup_patch_job *j, const sup_polygon *polygon,
                          const sup_plane *pressure, double steepness, double slope) {
  if (j->options->everything) return 0;
  double least = -(slope * j->reach * (1 + 1e-9) + 2 * j->lift * steepness);
  return !(highest_pressure(polygon, pressure) >=
           sup_max(least, j->slab[0] - 2 * j->lift * steepness));
}

int sup_patch_is_in_slab(const sup_patch_job *j, const sup_patch *p, const sup_plane *pressure) {
  double most = highest_pressure(&p->polygon, pressure);
  return most >= j->slab[0] && most < j->slab[1];
}

int sup_patch_counts_backward(const sup_patch_job *j, double steepness, double highest) {
  return j->drop == 0 && highest > 1e3 * j->lift * steepness;
}

void sup_patch_count_backward(const sup_patch_job *j, const sup_patch *p) {
  double highest = highest_pressure(&p->polygon, &p->pressure);
  j->list->discarded_backward +=
      sup_patch_counts_backward(j, sup_v3_norm(p->pressure.normal), highest);
}

static void carry_by_triangle(const sup_surface *surface, int t, const sup_patch_side *s, sup_v3 x,
                              sup_carrier *out) {
  sup_v3 weight = {sup_plane_value(&s->lambda[0], x), sup_plane_value(&s->lambda[1], x),
                   sup_plane_value(&s->lambda[2], x)};
  sup_surface_barycentric_weights(surface, t, (const double[3]){weight.x, weight.y, weight.z},
                                  out->vertex, out->weight);
  out->num_vertices = surface->vertices_per_face;
}

/** Point of action in the shell: the surface below, along the normal n, so that normal forces of a
 * pair across a gap have no moment. */
static void carry_by_tet(const sup_moving_field *f, int t, const sup_patch_side *s, sup_v3 x,
                         sup_v3 n, sup_carrier *out) {
  int    inner[3];
  double weight[3];
  out->num_vertices = 0;
  if (sup_mesh_field_foot(f->mesh_field, t, f->points, x, n, inner, weight)) {
    for (int k = 0; k < 3; k++) sup_carrier_add(out, &f->mesh_field->carrier[inner[k]], weight[k]);
    return;
  }
  for (int k = 0; k < 4; k++)
    sup_carrier_add(out, &f->mesh_field->carrier[f->field->tet[4 * t + k]],
                    sup_plane_value(&s->lambda[k], x));
}

/** Centre of a linear pressure with the value p0 at the centroid c (all of it positive);
 * first_moment: integral of (x - c) p [N m]. */
static sup_v3 centre_of_pressure(sup_v3 centroid, double area, double p0, sup_v3 first_moment) {
  return p0 > 0 ? sup_v3_madd(centroid, 1 / (area * p0), first_moment) : centroid;
}

/** Cell of a soft body's mesh behind tetrahedron t of its field; SUP_NONE: a rigid body. */
static int cell_behind(const sup_moving_field *f, int t) {
  return f->mesh_field ? f->mesh_field->tet_cell[t] : SUP_NONE;
}

static sup_v3 point_in_world(const sup_patch_job *j, sup_v3 x) {
  return j->is_world ? x : sup_frame_apply(&j->X_WA, x);
}

static sup_status add_contact(const sup_patch_job *j, const sup_patch *p,
                              const sup_polygon *polygon, int item_a, int item_b, int part) {
  if (j->wanted && part != j->wanted->part) return SUP_OK;
  sup_v3 centroid, vector = sup_polygon_area(polygon, &centroid);
  double area = sup_v3_norm(vector);
  if (!j->wanted && area < j->min_area) {
    j->list->discarded_small++;
    return SUP_OK;
  }
  if (!(area > 0)) return SUP_OK;
  if (!j->wanted)
    SUP_TRY(sup_origins_add(&j->list->origins, SUP_ORIGIN_PATCH, item_a, item_b, part));
  double p0 = sup_plane_value(&p->pressure, centroid);
  sup_v3 moment = sup_polygon_first_moment(polygon, sup_v3_scale(1 / area, vector), centroid,
                                           p->pressure.normal);
  if (j->options->at_pressure) centroid = centre_of_pressure(centroid, area, p0, moment);
  SUP_TRY(SUP_GROW(j->list->contact, j->list->capacity, j->list->count + 1));
  sup_contact *c = &j->list->contact[j->list->count++];
  *c = *j->prototype;
  c->item_a = item_a, c->item_b = item_b;
  c->cell_a =
      j->surface_a ? j->surface_a->surface->triangle_face[item_a] : cell_behind(j->field_a, item_a);
  c->cell_b = cell_behind(j->field_b, item_b);
  c->area = area;
  c->slope = p->slope;
  c->phi = -p0 / p->slope;
  c->penetration = p0 / p->steepness;
  double share = sup_contact_overlap_share(c);
  c->beyond = (1 - share) * fabs(c->phi);
  c->spread = p0 <= 0 ? 0
                      : sup_max(0, sup_v3_dot(p->pressure.normal, moment)) * share * share /
                            (area * p->slope * p->slope); /* avoid -1e-30 */
  c->facing = 1;
  c->centroid = point_in_world(j, centroid);
  c->normal = sup_patch_in_world(j, p->n);
  c->num_points = polygon->num_points;
  for (int i = 0; i < polygon->num_points; i++) {
    c->point[i] = point_in_world(j, polygon->point[i]);
    c->level[i] = sup_plane_value(&p->pressure, polygon->point[i]);
  }
  if (p->a.num_corners == 3)
    carry_by_triangle(j->surface_a->surface, item_a, &p->a, centroid, &c->carrier_a);
  if (p->a.num_corners == 4) carry_by_tet(j->field_a, item_a, &p->a, centroid, p->n, &c->carrier_a);
  if (p->b.num_corners == 4) carry_by_tet(j->field_b, item_b, &p->b, centroid, p->n, &c->carrier_b);
  return SUP_OK;
}

/** Remove corners that coincide with another corner up to round-off and lift. */
static void drop_twins(const sup_patch_job *j, sup_polygon *polygon) {
  double least = 1e3 * j->lift;
  int    kept = 0;
  for (int i = 0, n = polygon->num_points; i < n; i++) {
    sup_v3 next = i + 1 < n ? polygon->point[i + 1] : polygon->point[0];
    if (sup_v3_norm(sup_v3_sub(next, polygon->point[i])) > least)
      polygon->point[kept++] = polygon->point[i];
  }
  polygon->num_points = kept;
  sup_polygon_simplify(polygon);
}

/** Drop the flattest corner of an outline of four that is a triangle but for the round-off that
 * steps make of symmetric bodies: its image may be a triangle, which is no fan. */
static void drop_fourth(sup_polygon *p) {
  double square = 0, least = HUGE_VAL;
  int    at = 0;
  if (p->num_points != 4) return;
  for (int i = 0; i < 4; i++) {
    sup_v3 next = sup_v3_sub(p->point[(i + 1) % 4], p->point[i]),
           last = sup_v3_sub(p->point[i], p->point[(i + 3) % 4]);
    double turn = sup_v3_norm(sup_v3_cross(last, next));
    square = sup_max(square, sup_v3_dot(next, next));
    if (turn < least) least = turn, at = i;
  }
  if (least > sup_surface_numerics.fourth * square) return;
  for (int i = at; i < 3; i++) p->point[i] = p->point[i + 1];
  p->num_points = 3;
}

/** A fan of triangles about the centroid; a triangle stays one, also where a cell's edge just
 * misses one of its corners. */
static sup_status add_fan(const sup_patch_job *j, const sup_patch *p, int item_a, int item_b) {
  sup_polygon outline = p->polygon;
  sup_v3      centroid;
  drop_twins(j, &outline);
  drop_fourth(&outline);
  int n = outline.num_points;
  if (n <= 3) return add_contact(j, p, n == 3 ? &outline : &p->polygon, item_a, item_b, 0);
  sup_polygon_area(&outline, &centroid);
  for (int i = 0; i < n; i++) {
    sup_polygon triangle = {3, {centroid, outline.point[i], outline.point[i + 1 < n ? i + 1 : 0]}};
    SUP_TRY(add_contact(j, p, &triangle, item_a, item_b, i));
  }
  return SUP_OK;
}

sup_status sup_patch_add(sup_patch_job *j, sup_patch *p, int item_a, int item_b) {
  keep_pressed(j, p);
  if (p->polygon.num_points < 3) return SUP_OK;
  if (j->options->triangles && p->polygon.num_points > 3) return add_fan(j, p, item_a, item_b);
  return add_contact(j, p, &p->polygon, item_a, item_b, 0);
}

/** Contact with area 0 of a piece that no longer exists. */
static sup_status add_nothing(const sup_patch_job *j) {
  SUP_TRY(SUP_GROW(j->list->contact, j->list->capacity, j->list->count + 1));
  sup_contact *c = &j->list->contact[j->list->count++];
  *c = *j->prototype;
  c->item_a = j->wanted->item, c->item_b = j->wanted->other;
  c->normal = sup_v3_make(0, 0, 1), c->num_points = 1;
  return SUP_OK;
}

sup_status sup_patch_measure(sup_patch_job *j, sup_bvh_visit *visit) {
  const sup_pair_origins *from = j->options->from;
  const sup_moving_field *b = j->field_b;
  int                     first = j->list->count;
  j->drop = from->pair->drops ? j->options->drop : 0;
  j->slab[0] = -HUGE_VAL, j->slab[1] = HUGE_VAL;
  if (!b->points) memset(b->state, SUP_CELL_UNKNOWN, (size_t)(b->node ? b->field->num_tets : 1));
  for (int k = 0; k < from->num_contacts; k++) {
    int before = j->list->count;
    j->wanted = &from->contact[k];
    SUP_TRY(visit(j->wanted->item, j->wanted->other, j));
    if (j->list->count == before) SUP_TRY(add_nothing(j));
  }
  if (from->num_joins > 0) sup_contacts_join(j->list, first, from->join, from->num_joins);
  return SUP_OK;
}
