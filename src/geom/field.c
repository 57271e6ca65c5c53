#include "geom/field.h"

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
    sup_v3 a = corner[face[i][0]], u = sup_v3_sub(corner[face[i][1]], a), v = sup_v3_sub(corner[face[i][2]], a);
    sup_v3 normal = sup_v3_scale(1 / volume, sup_v3_cross(u, v));
    cell->inside[i] = (sup_plane){normal, -sup_v3_dot(normal, a)};
    cell->pressure.normal = sup_v3_madd(cell->pressure.normal, p[i], normal);
  }
  /* from the corner whose value is nearest to zero: there round-off hurts most */
  int low = 0;
  for (int i = 1; i < 4; i++)
    if (fabs(p[i]) < fabs(p[low])) low = i;
  cell->pressure.offset = p[low] - sup_v3_dot(cell->pressure.normal, corner[low]);
  return isfinite(cell->pressure.offset);
}

void sup_field_cell_transform(const sup_frame *X, const sup_field_cell *cell, sup_field_cell *out) {
  out->num_planes = cell->num_planes;
  out->pressure = sup_plane_transform(X, &cell->pressure);
  for (int i = 0; i < cell->num_planes; i++) {
    out->inside[i] = sup_plane_transform(X, &cell->inside[i]);
    out->corner[i] = sup_frame_apply(X, cell->corner[i]);
  }
}

/** Grow a box by where p passes `level` on the edge from a to b. */
static void add_crossing(sup_box *box, sup_v3 a, double pa, sup_v3 b, double pb, double level) {
  if ((pa < level) != (pb < level))
    *box = sup_box_add(*box, sup_v3_madd(a, (level - pa) / (pb - pa), sup_v3_sub(b, a)));
}

/** Bounds of the part of a tetrahedron where 0 <= p <= most; of the whole when there is none. */
static sup_box pressed_box(const sup_v3 corner[4], const double p[4], double most) {
  sup_box box = sup_box_empty(), whole = sup_box_empty();
  for (int i = 0; i < 4; i++) {
    whole = sup_box_add(whole, corner[i]);
    if (p[i] >= 0 && p[i] <= most) box = sup_box_add(box, corner[i]);
    for (int j = i + 1; j < 4; j++) {
      add_crossing(&box, corner[i], p[i], corner[j], p[j], 0);
      add_crossing(&box, corner[i], p[i], corner[j], p[j], most);
    }
  }
  return box.lower.x <= box.upper.x ? box : whole;
}

static void corners_of(const sup_field *f, const double *x, const double *pressure, int t, sup_v3 corner[4],
                       double p[4]) {
  for (int k = 0; k < 4; k++) {
    int i = f->tet[4 * t + k];
    corner[k] = sup_v3_load(x + 3 * i), p[k] = pressure[i];
  }
}

static sup_status fill_cells(const sup_field *f, const double *x, const double *pressure, sup_field_cell *cell) {
  for (int t = 0; t < f->num_tets; t++) {
    sup_v3 corner[4];
    double p[4];
    corners_of(f, x, pressure, t, corner, p);
    if (!sup_field_cell_of(corner, p, &cell[t]))
      return SUP_FAIL(SUP_E_GEOMETRY, "cell %d of a pressure field is flat or inverted", t);
  }
  return SUP_OK;
}

sup_status sup_field_extend(sup_field *f, const double *x, const double *p, double far) {
  SUP_ASSERT(!f->far_cell);
  SUP_TRY(SUP_CALLOC(f->far_cell, f->num_tets));
  SUP_TRY(fill_cells(f, x, p, f->far_cell));
  f->far = far;
  return SUP_OK;
}

static sup_status build_hierarchy(const sup_field *f, double most, sup_bvh **bvh) {
  sup_box   *box = NULL;
  sup_status status;
  SUP_TRY(SUP_CALLOC(box, f->num_tets));
  for (int t = 0; t < f->num_tets; t++) {
    sup_v3 corner[4];
    double p[4];
    corners_of(f, f->x, f->p, t, corner, p);
    box[t] = pressed_box(corner, p, most);
  }
  status = sup_bvh_create(bvh, f->num_tets, box);
  SUP_FREE(box);
  return status;
}

static sup_status fill(sup_field *f) {
  double highest = 0;
  f->far = f->margin;
  SUP_TRY(fill_cells(f, f->x, f->p, f->cell));
  for (int i = 0; i < f->num_points; i++) highest = sup_max(highest, f->p[i]);
  f->shell_pressure = 0.2 * highest;
  SUP_TRY(build_hierarchy(f, HUGE_VAL, &f->bvh));
  SUP_TRY(build_hierarchy(f, f->shell_pressure, &f->shell));
  sup_v3 extent = sup_v3_sub(f->bvh->node[0].box.upper, f->bvh->node[0].box.lower);
  f->size = fmax(extent.x, fmax(extent.y, extent.z));
  return SUP_OK;
}

sup_status sup_field_create(sup_field **field, int num_points, const double *x, const double *p, int num_tets,
                            const int *tet, double margin) {
  sup_field *f = NULL;
  sup_status status;
  *field = NULL;
  SUP_ASSERT(num_tets >= 1);
  SUP_TRY(SUP_CALLOC(f, 1));
  f->num_points = num_points, f->num_tets = num_tets, f->margin = margin;
  SUP_TRY_GOTO(SUP_CALLOC(f->x, 3 * (size_t)num_points), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(f->p, num_points), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(f->tet, 4 * (size_t)num_tets), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(f->cell, num_tets), status, fail);
  memcpy(f->x, x, 3 * (size_t)num_points * sizeof *x);
  memcpy(f->p, p, (size_t)num_points * sizeof *p);
  memcpy(f->tet, tet, 4 * (size_t)num_tets * sizeof *tet);
  SUP_TRY_GOTO(fill(f), status, fail);
  *field = f;
  return SUP_OK;
fail:
  sup_field_destroy(&f);
  return status;
}

sup_status sup_field_create_half_space(sup_field **field, const sup_plane *pressure, int is_rigid, double margin) {
  sup_field *f = NULL;
  sup_status status;
  *field = NULL;
  SUP_TRY(SUP_CALLOC(f, 1));
  SUP_TRY_GOTO(SUP_CALLOC(f->cell, 1), status, fail);
  f->cell[0].pressure = *pressure;
  f->is_rigid = is_rigid, f->margin = margin, f->far = margin > 0 ? HUGE_VAL : 0;
  *field = f;
  return SUP_OK;
fail:
  sup_field_destroy(&f);
  return status;
}

void sup_field_destroy(sup_field **field) {
  sup_field *f = *field;
  if (!f) return;
  SUP_FREE(f->x);
  SUP_FREE(f->p);
  SUP_FREE(f->tet);
  SUP_FREE(f->cell);
  SUP_FREE(f->far_cell);
  sup_bvh_destroy(&f->bvh);
  sup_bvh_destroy(&f->shell);
  SUP_FREE(*field);
}
