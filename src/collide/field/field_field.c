/* Contact of two pressure fields by surfaces of equal pressure (equal_pressure). */
#include "collide/field/field_contact.h"
#include "collide/merge.h"
#include "collide/surface/patch.h"

/** 1: all corners of a cell are on one side of a plane, by more than `apart` of its values. */
static int is_one_sided(const sup_plane *plane, const sup_field_cell *cell, double apart) {
  int num_above = 0, num_below = 0;
  for (int k = 0; k < 4; k++) {
    double value = sup_plane_value(plane, cell->corner[k]);
    num_above += value > apart, num_below += value < -apart;
  }
  return num_above == 4 || num_below == 4;
}

/** Plane of equal pressures with its unit normal from b into a; 0: the plane misses one of both
 * cells. */
static int equal_pressure(const sup_patch_job *j, const sup_field_cell *a, const sup_field_cell *b,
                          sup_plane *plane) {
  int is_rigid_b = j->field_b->field->is_rigid;
  *plane = (sup_plane){sup_v3_sub(a->pressure.normal, b->pressure.normal),
                       a->pressure.offset - b->pressure.offset};
  if (is_rigid_b) *plane = (sup_plane){sup_v3_scale(-1, b->pressure.normal), -b->pressure.offset};
  /* most pairs end here, before the square root; planes moved by `lift` do not count as missing a
   * cell */
  double apart =
      4 * j->lift *
      sup_max(fabs(plane->normal.x), sup_max(fabs(plane->normal.y), fabs(plane->normal.z)));
  if (is_one_sided(plane, a, apart) || (b->num_planes && is_one_sided(plane, b, apart))) return 0;
  double size = sup_v3_norm(plane->normal);
  if (!is_rigid_b && !(size > SUP_FIELD_MIN_SLOPE * a->steepness)) return 0;
  plane->normal = sup_v3_scale(1 / size, plane->normal), plane->offset /= size;
  return 1;
}

/** Set the slopes of both fields in series along m, out of b into a; 0: one is seen from behind. */
static int set_series_slope(const sup_field_cell *a, const sup_field_cell *b, int is_rigid_b,
                            sup_v3 m, sup_patch *p) {
  double ga = sup_field_slope_along(a, m), gb = sup_field_slope_along(b, sup_v3_scale(-1, m));
  if (!(ga > 0 && gb > 0)) return 0;
  p->slope = is_rigid_b ? ga : sup_in_series(ga, gb);
  return 1;
}

static sup_status visit_tets(int ea, int eb, void *user) {
  static const sup_frame  same = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
  sup_patch_job          *j = user;
  const sup_moving_field *fa = j->field_a, *fb = j->field_b;
  sup_plane               plane;
  sup_patch               p;
  int is_rigid_b = fb->field->is_rigid, is_self = fa->points && fa->points == fb->points;
  const sup_field_cell *a = fa->points ? sup_moving_field_cell(j, fa, &same, ea) : &fa->source[ea];
  const sup_field_cell *b = sup_moving_field_cell(j, fb, &j->X_AB, eb);
  if (!a || !b) return SUP_OK;
  if (is_self && sup_v3_dot(a->pressure.normal, b->pressure.normal) >= 0) return SUP_OK;
  if (!equal_pressure(j, a, b, &plane)) return SUP_OK;
  plane.offset -= j->lift;
  p.steepness = is_rigid_b ? a->steepness : sup_in_series(a->steepness, b->steepness);
  sup_polygon_of_tet(&plane, a->corner, &p.polygon);
  if (sup_patch_stays_apart(j, &p.polygon, &a->pressure, a->steepness, p.steepness)) return SUP_OK;
  if (b->num_planes) sup_polygon_clip_tet(&p.polygon, b->inside);
  if (p.polygon.num_points == 0) return SUP_OK;
  for (int k = 0; k < p.polygon.num_points; k++)
    p.polygon.point[k] = sup_v3_madd(p.polygon.point[k], -j->lift, plane.normal);
  if (!sup_patch_is_in_slab(j, &p, &a->pressure)) return SUP_OK;
  p.n = sup_v3_scale(-1, plane.normal);
  p.pressure = a->pressure;
  if (!set_series_slope(a, b, is_rigid_b, plane.normal, &p)) {
    sup_patch_count_backward(j, &p);
    return SUP_OK;
  }
  p.approach = sup_patch_rigid_approach(j, p.n);
  sup_moving_field_side(j, fa, ea, a, 1, &p, &p.a);
  sup_moving_field_side(j, fb, eb, b, -1, &p, &p.b);
  SUP_TRY(sup_patch_add(j, &p, ea, eb));
  return SUP_OK;
}

/* ---- two soft bodies, or one with itself ----------------------------------------------------- */

/** Visit the tetrahedra of a mesh cell whose boxes reach into `where`; NULL: all. */
typedef struct handful {
  int     count, tet[SUP_MESH_FIELD_MAX_TETS];
  sup_box box[SUP_MESH_FIELD_MAX_TETS], all;
} handful;

static void take(const sup_moving_field *f, int cell, const sup_box *where, handful *out) {
  out->count = 0, out->all = sup_box_empty();
  for (int t = f->mesh_field->cell_tet[cell]; t < f->mesh_field->cell_tet[cell + 1]; t++) {
    sup_box box = sup_box_empty();
    for (int k = 0; k < 4; k++)
      box = sup_box_add(box, sup_v3_load(f->points + 3 * f->mesh_field->tet[4 * t + k]));
    if (where && !sup_box_overlap(&box, where)) continue;
    out->all = sup_box_add(sup_box_add(out->all, box.lower), box.upper);
    out->tet[out->count] = t, out->box[out->count++] = box;
  }
}

static sup_status visit_mesh_cells(int ca, int cb, void *user) {
  sup_patch_job          *j = user;
  const sup_moving_field *fa = j->field_a, *fb = j->field_b;
  handful                 a, b; /* large: not cleared */
  if (fa->cell_node == fb->cell_node && sup_mesh_near_has(fa->near, ca, cb)) return SUP_OK;
  int everything = j->options->everything;
  take(fa, ca, everything ? NULL : &fb->cell_box[cb], &a);
  if (a.count == 0) return SUP_OK;
  take(fb, cb, everything ? NULL : &a.all, &b);
  for (int i = 0; i < a.count; i++)
    for (int k = 0; k < b.count; k++)
      if (everything || sup_box_overlap(&a.box[i], &b.box[k]))
        SUP_TRY(visit_tets(a.tet[i], b.tet[k], j));
  return SUP_OK;
}

/** Visit all pairs of cells of two meshes, at any distance; for a mesh with itself each pair once.
 */
static sup_status visit_everything(sup_patch_job *j) {
  const sup_moving_field *a = j->field_a, *b = j->field_b;
  for (int i = 0; i < a->mesh_field->bvh->num_items; i++)
    for (int k = a->cell_node == b->cell_node ? i + 1 : 0; k < b->mesh_field->bvh->num_items; k++)
      SUP_TRY(visit_mesh_cells(i, k, j));
  return SUP_OK;
}

/** Visit pairs of near cells of soft bodies; self-contact without `drop`. */
static sup_status visit_soft(sup_patch_job *j) {
  const sup_moving_field *a = j->field_a, *b = j->field_b;
  int                     before = j->list->count, passes = a->cell_node == b->cell_node ? 1 : 2;
  for (int pass = 0; pass < passes && j->list->count == before; pass++) {
    j->drop = pass == 0 ? 0 : j->options->drop, j->list->origins.now.drops = pass;
    if (j->options->everything)
      SUP_TRY(visit_everything(j));
    else
      SUP_TRY(sup_bvh_join(a->cell_node, b->cell_node, visit_mesh_cells, j));
  }
  return SUP_OK;
}

sup_status sup_collide_field_field(sup_contact_list *list, const sup_contact *prototype,
                                   const sup_moving_field *a, const sup_moving_field *b,
                                   const sup_patch_options *options) {
  sup_patch_job j = {.list = list,
                     .prototype = prototype,
                     .field_a = a,
                     .field_b = b,
                     .options = options,
                     .X_WA = a->X_WF,
                     .slab = {-HUGE_VAL, HUGE_VAL}};
  int           first = list->count;
  sup_patch_place(&j, a->field->size, a->v, a->w);
  if (options->from) {
    SUP_TRY(sup_patch_measure(&j, visit_tets));
    return SUP_OK;
  }
  if (!a->points || !b->points) {
    SUP_TRY(sup_patch_search(&j, a->node, a->field->num_tets, visit_tets));
    return SUP_OK;
  }
  SUP_TRY(visit_soft(&j));
  SUP_TRY(sup_contacts_merge(list, first));
  return SUP_OK;
}
