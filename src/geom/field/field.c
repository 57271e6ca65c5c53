#include "geom/field/field.h"

#include <string.h>

#include "base/memory.h"

int sup_field_cell_of(const sup_v3 corner[4], const double p[4], sup_field_cell *cell) {
  static const int face[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}}; /* inwards */
  sup_v3           e1 = sup_v3_sub(corner[1], corner[0]), e2 = sup_v3_sub(corner[2], corner[0]),
         e3 = sup_v3_sub(corner[3], corner[0]);
  double volume = sup_v3_dot(sup_v3_cross(e1, e2), e3);
  if (!(volume > 0)) return 0;
  cell->num_planes = 4;
  cell->pressure = (sup_plane){{0, 0, 0}, 0};
  memcpy(cell->corner, corner, sizeof cell->corner);
  for (int i = 0; i < 4; i++) {
    sup_v3 a = corner[face[i][0]], u = sup_v3_sub(corner[face[i][1]], a),
           v = sup_v3_sub(corner[face[i][2]], a);
    sup_v3 normal = sup_v3_scale(1 / volume, sup_v3_cross(u, v));
    cell->inside[i] = (sup_plane){normal, -sup_v3_dot(normal, a)};
    cell->pressure.normal = sup_v3_madd(cell->pressure.normal, p[i], normal);
  }
  /* from the corner whose value is nearest to zero: there round-off hurts most */
  int low = 0;
  for (int i = 1; i < 4; i++)
    if (fabs(p[i]) < fabs(p[low])) low = i;
  cell->pressure.offset = p[low] - sup_v3_dot(cell->pressure.normal, corner[low]);
  cell->steepness = sup_v3_norm(cell->pressure.normal);
  return isfinite(cell->pressure.offset);
}

void sup_field_cell_transform(const sup_frame *X, const sup_field_cell *cell, sup_field_cell *out) {
  out->num_planes = cell->num_planes;
  out->steepness = cell->steepness;
  out->pressure = sup_plane_transform(X, &cell->pressure);
  for (int i = 0; i < cell->num_planes; i++) {
    out->inside[i] = sup_plane_transform(X, &cell->inside[i]);
    out->corner[i] = sup_frame_apply(X, cell->corner[i]);
  }
}

static void corners_of(const sup_field *f, const double *x, const double *pressure, int t,
                       sup_v3 corner[4], double p[4]) {
  for (int k = 0; k < 4; k++) {
    int i = f->tet[4 * t + k];
    corner[k] = sup_v3_load(x + 3 * i), p[k] = pressure[i];
  }
}

static sup_status fill_cells(const sup_field *f, const double *x, const double *pressure,
                             sup_field_cell *cell) {
  for (int t = 0; t < f->num_tets; t++) {
    sup_v3 corner[4];
    double p[4];
    corners_of(f, x, pressure, t, corner, p);
    if (!sup_field_cell_of(corner, p, &cell[t]))
      return SUP_FAIL(SUP_E_GEOMETRY, "cell %d of a pressure field is flat or inverted", t);
  }
  return SUP_OK;
}

/** 1: lowest and highest pressure differ, and each point has one of both. */
static bool has_two_levels(const sup_field *f) {
  for (int i = 0; i < f->num_points; i++)
    if (f->p[i] > f->lowest && f->p[i] < f->highest) return 0;
  return f->lowest < f->highest;
}

/** Bounds of a cell's points with lower <= p <= upper. */
static sup_box box_between(const sup_field *f, const double *x, const double *pressure, int t,
                           double lower, double upper) {
  sup_box box = sup_box_empty();
  sup_v3  corner[4];
  double  p[4];
  corners_of(f, x, pressure, t, corner, p);
  for (int k = 0; k < 4; k++)
    if (p[k] >= lower && p[k] <= upper) box = sup_box_add(box, corner[k]);
  return box;
}

static sup_v3 size_of(const sup_box *box) { return sup_v3_sub(box->upper, box->lower); }

/** Mean range of p over which sections move by their size. */
static double slab_of(const sup_field *f, const sup_box *outer, const sup_box *inner) {
  double size = 0, way = 0;
  for (int t = 0; t < f->num_tets; t++) {
    sup_v3 sum_outer = sup_v3_add(outer[t].lower, outer[t].upper),
           sum_inner = sup_v3_add(inner[t].lower, inner[t].upper);
    way += 0.5 * sup_v3_norm(sup_v3_sub(sum_inner, sum_outer));
    size += sup_v3_norm(size_of(&outer[t])) + sup_v3_norm(size_of(&inner[t]));
  }
  return way > 0 ? (f->highest - f->lowest) * size / way : HUGE_VAL;
}

static sup_status build_hierarchy(sup_field *f) {
  SUP_FREED sup_box *outer = NULL, *inner = NULL;
  int                two_levels = has_two_levels(f);
  f->slab = HUGE_VAL;
  SUP_TRY(SUP_CALLOC(outer, f->num_tets));
  for (int t = 0; t < f->num_tets; t++)
    outer[t] = box_between(f, f->x, f->p, t, f->lowest, two_levels ? f->lowest : f->highest);
  SUP_TRY(sup_bvh_create(&f->bvh, f->num_tets, outer));
  if (!two_levels) return SUP_OK;
  SUP_TRY(SUP_CALLOC(inner, f->num_tets));
  SUP_TRY(SUP_CALLOC(f->inner, 2 * f->num_tets - 1));
  for (int t = 0; t < f->num_tets; t++)
    inner[t] = box_between(f, f->x, f->p, t, f->highest, f->highest);
  sup_bvh_refit(f->bvh, inner, f->inner);
  f->slab = slab_of(f, outer, inner);
  return SUP_OK;
}

/** Largest shift along an edge, per unit of q, of a corner of the part with -q <= p. */
static double swell_of(const sup_field *f, const double *x, const double *pressure, int t) {
  sup_v3 corner[4];
  double p[4], most = 0;
  corners_of(f, x, pressure, t, corner, p);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      if (p[i] < 0 && p[j] >= 0)
        most = sup_max(most, sup_v3_norm(sup_v3_sub(corner[i], corner[j])) / (p[j] - p[i]));
  return most;
}

/** The box with the part of cell t where p is not negative. */
static sup_box with_part_inside(sup_box box, const sup_field *f, int t) {
  sup_v3 corner[4];
  double p[4];
  corners_of(f, f->x, f->p, t, corner, p);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4 && p[i] >= 0; j++) {
      const double way = p[j] < 0 ? p[i] / (p[i] - p[j]) : 0;
      box = sup_box_add(box, sup_v3_madd(corner[i], way, sup_v3_sub(corner[j], corner[i])));
    }
  return box;
}

static sup_status fill(sup_field *f) {
  sup_box body = sup_box_empty();
  f->far = f->margin;
  SUP_TRY(fill_cells(f, f->x, f->p, f->cell));
  f->lowest = HUGE_VAL, f->highest = -HUGE_VAL;
  for (int i = 0; i < f->num_points; i++) {
    f->lowest = sup_min(f->lowest, f->p[i]), f->highest = sup_max(f->highest, f->p[i]);
  }
  for (int t = 0; t < f->num_tets; t++) {
    double swell = swell_of(f, f->x, f->p, t);
    f->steepest = sup_max(f->steepest, f->cell[t].steepness);
    f->swell = sup_max(f->swell, swell);
    f->stretch = sup_max(f->stretch, swell * f->cell[t].steepness);
    body = with_part_inside(body, f, t);
  }
  f->size = fmax(size_of(&body).x, fmax(size_of(&body).y, size_of(&body).z));
  SUP_TRY(build_hierarchy(f));
  return SUP_OK;
}

sup_status sup_field_extend(sup_field *f, const double *x, const double *p, double far) {
  SUP_FREED sup_box *outer = NULL;
  SUP_ASSERT(!f->far_cell && f->inner);
  SUP_TRY(SUP_CALLOC(f->far_cell, f->num_tets));
  SUP_TRY(fill_cells(f, x, p, f->far_cell));
  SUP_TRY(SUP_CALLOC(outer, f->num_tets));
  SUP_TRY(SUP_CALLOC(f->far_outer, 2 * f->num_tets - 1));
  for (int i = 0; i < f->num_points; i++) f->far_lowest = sup_min(f->far_lowest, p[i]);
  for (int t = 0; t < f->num_tets; t++) {
    outer[t] = box_between(f, x, p, t, f->far_lowest, f->lowest);
    double swell = swell_of(f, x, p, t);
    f->steepest = sup_max(f->steepest, f->far_cell[t].steepness);
    f->swell = sup_max(f->swell, swell);
    f->stretch = sup_max(f->stretch, swell * f->far_cell[t].steepness);
  }
  sup_bvh_refit(f->bvh, outer, f->far_outer);
  f->far = far;
  return SUP_OK;
}

sup_status sup_field_create(sup_field **field, int num_points, const double *x, const double *p,
                            int num_tets, const int *tet, double margin) {
  SUP_OWN(sup_field) *f = NULL;
  *field = NULL;
  SUP_ASSERT(num_tets >= 1);
  SUP_TRY(SUP_CALLOC(f, 1));
  f->num_points = num_points, f->num_tets = num_tets, f->margin = margin;
  SUP_TRY(SUP_CALLOC(f->x, 3 * (size_t)num_points));
  SUP_TRY(SUP_CALLOC(f->p, num_points));
  SUP_TRY(SUP_CALLOC(f->tet, 4 * (size_t)num_tets));
  SUP_TRY(SUP_CALLOC(f->cell, num_tets));
  memcpy(f->x, x, 3 * (size_t)num_points * sizeof *x);
  memcpy(f->p, p, (size_t)num_points * sizeof *p);
  memcpy(f->tet, tet, 4 * (size_t)num_tets * sizeof *tet);
  SUP_TRY(fill(f));
  *field = f;
  f = NULL;
  return SUP_OK;
}

sup_status sup_field_create_half_space(sup_field **field, const sup_plane *pressure, bool is_rigid,
                                       double margin) {
  SUP_OWN(sup_field) *f = NULL;
  *field = NULL;
  SUP_TRY(SUP_CALLOC(f, 1));
  SUP_TRY(SUP_CALLOC(f->cell, 1));
  f->cell[0].pressure = *pressure;
  f->cell[0].steepness = sup_v3_norm(pressure->normal);
  f->steepest = is_rigid ? HUGE_VAL : f->cell[0].steepness;
  f->swell = is_rigid ? 0 : 1 / f->steepest;
  f->is_rigid = is_rigid, f->margin = margin, f->far = margin > 0 ? HUGE_VAL : 0;
  *field = f;
  f = NULL;
  return SUP_OK;
}

sup_field *sup_field_retain(sup_field *field) {
  field->num_sharers++;
  return field;
}

void sup_field_destroy(sup_field **field) {
  sup_field *f = *field;
  *field = NULL;
  if (!f || f->num_sharers-- > 0) return;
  SUP_FREE_ALL(&f->x, &f->p, &f->tet, &f->cell, &f->far_cell);
  sup_bvh_destroy(&f->bvh);
  SUP_FREE_ALL(&f->inner, &f->far_outer, &f);
}
