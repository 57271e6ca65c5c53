/* Search for cells and triangles that may touch. */
#include "collide/field/field_contact.h"

#include <math.h>
#include <string.h>

#include "collide/field/numerics.h"
#include "collide/surface/patch.h"

/** Magnitude of the lowest pressure that becomes positive if two rigid bodies approach by `reach`
 * [Pa], from the steepest gradients and the lowest pressures of both fields. a NULL: the other body
 * is a surface. */
static double lowest_pressure(const sup_moving_field *a, const sup_moving_field *b, double reach) {
  double q = sup_in_series(a ? a->field->steepest : HUGE_VAL, b->field->steepest) * reach;
  if (a) q = sup_min(q, -a->lowest);
  if (b->node) q = sup_min(q, -b->lowest);
  return q; /* the cell of a half space is unbounded */
}

int sup_fields_stay_apart(const sup_moving_field *a, const sup_moving_field *b, double overlap,
                          double reach) {
  double q = lowest_pressure(a, b, reach);
  return overlap + q * ((a ? a->field->swell : 0) + b->field->swell) * (1 + 1e-9) < 0;
}

/** All items of a that reach the half space of field b. */
static sup_status visit_below(sup_patch_job *j, const sup_bvh_side *a, double lowest,
                              sup_bvh_visit *visit) {
  sup_field_cell cell;
  sup_field_cell_transform(&j->X_AB, &j->field_b->source[0], &cell);
  sup_v3 out = sup_v3_scale(-1 / cell.steepness, cell.pressure.normal);
  double below = cell.pressure.offset / cell.steepness - lowest * j->field_b->field->swell;
  int    n = sup_bvh_pairs_below(a, out, below, j->options->candidate);
  for (int i = 0; i < n; i++) SUP_TRY(visit(j->options->candidate[i], 0, j));
  return SUP_OK;
}

/** Bounds of a slab in a field's range of pressures, from 0 to 1. */
static void place_slab(sup_bvh_side *to, const sup_moving_field *f, const double slab[2]) {
  for (int k = 0; k < 2 && to->last; k++)
    to->s[k] = sup_min(1, (slab[k] - f->lowest) / (f->field->highest - f->lowest));
}

/** Number of slabs in the range of pressures. */
static int count_slabs(const sup_moving_field *a, const sup_moving_field *b, double range) {
  enum { MAX_SLABS = 250 };
  if (!b->inner || (a && !a->inner)) return 1;
  double thickness = sup_min(a ? a->field->slab : HUGE_VAL, b->field->slab);
  return (int)sup_min(MAX_SLABS, 1 + floor(range / thickness));
}

/** Visit all pairs of cells, slab by slab.  Both pressures are equal where cells meet, so both
 * sections of equal pressure must meet.  A cell is long and thin, its sections are not: the number
 * of pairs grows no faster than the number of pieces. */
static sup_status visit_slabs(sup_patch_job *j, sup_bvh_side *a, sup_bvh_side *b,
                              sup_bvh_visit *visit) {
  const sup_moving_field *fa = j->field_a, *fb = j->field_b;
  double lowest = -lowest_pressure(fa, fb, j->reach), highest = j->options->highest;
  if (a->last) highest = sup_min(highest, fa->field->highest);
  if (b->last) highest = sup_min(highest, fb->field->highest);
  int    num_slabs = count_slabs(fa, fb, highest - lowest);
  double slack = 1e-12 * (fb->field->size + sup_v3_norm(j->X_AB.p));
  if (fb->node)
    memset(a->known, 0, (size_t)(2 * a->num_items - 1)),
        memset(b->known, 0, (size_t)(2 * b->num_items - 1));
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

/** Visit all pairs of items, at any distance. */
static sup_status visit_everything(sup_patch_job *j, int num_items_a, sup_bvh_visit *visit) {
  const sup_moving_field *b = j->field_b;
  j->slab[0] = -HUGE_VAL, j->slab[1] = HUGE_VAL;
  for (int i = 0; i < num_items_a; i++)
    for (int k = 0; k < (b->node ? b->field->num_tets : 1); k++) SUP_TRY(visit(i, k, j));
  return SUP_OK;
}

sup_status sup_patch_search(sup_patch_job *j, const sup_bvh_node *node_a, int num_items_a,
                            sup_bvh_visit *visit) {
  const sup_patch_options *o = j->options;
  const sup_moving_field  *fa = j->field_a, *fb = j->field_b;
  int                      before = j->list->count;
  sup_bvh_side             a = {node_a, fa ? fa->inner : NULL, num_items_a,
                                {0, 0}, o->workspace_a.seen,   o->workspace_a.known};
  sup_bvh_side             b = {fb->node, fb->inner,           fb->field->num_tets,
                                {0, 0},   o->workspace_b.seen, o->workspace_b.known};
  memset(fb->state, SUP_CELL_UNKNOWN, (size_t)(fb->node ? fb->field->num_tets : 1));
  for (int pass = 0; pass < 2; pass++) {
    j->drop = pass == 0 ? 0 : o->drop, j->reach = pass == 0 ? o->moving : o->reach;
    j->list->origins.now.drops = pass;
    if (o->everything)
      SUP_TRY(visit_everything(j, num_items_a, visit));
    else
      SUP_TRY(visit_slabs(j, &a, &b, visit));
    if (j->list->count > before) break;
  }
  return SUP_OK;
}

static sup_frame relative(const sup_frame *X_WA, const sup_frame *X_WB) {
  return (sup_frame){sup_m3_mul(sup_m3_transpose(X_WA->R), X_WB->R),
                     sup_frame_apply_inverse(X_WA, X_WB->p)};
}

/** Area of pieces that are round-off against the smaller body [m^2]: positions of corners have an
 * error of about 1e-15 of its size, and a sliver is at most as long as the body. */
static double least_area(const sup_patch_job *j) {
  double size = j->field_b->field->size > 0 ? j->field_b->field->size : HUGE_VAL;
  if (j->field_a) size = sup_min(size, j->field_a->field->size);
  if (j->surface_a) {
    sup_v3 extent = sup_v3_sub(j->surface_a->node[0].box.upper, j->surface_a->node[0].box.lower);
    size = sup_min(size, sup_max(extent.x, sup_max(extent.y, extent.z)));
  }
  return 1e-12 * size * size;
}

void sup_patch_place(sup_patch_job *j, double size, sup_v3 v, sup_v3 w) {
  const sup_moving_field *b = j->field_b;
  j->X_AB = relative(&j->X_WA, &b->X_WF), j->reach = j->options->reach;
  j->is_world = (j->surface_a && j->surface_a->xdot) || (j->field_a && j->field_a->points);
  j->lift = sup_field_numerics.lift * size, j->min_area = least_area(j);
  if (!b->points) {
    sup_v3 arm = sup_v3_sub(j->X_WA.p, b->X_WF.p);
    v = sup_v3_sub(v, sup_v3_add(b->v, sup_v3_cross(b->w, arm))), w = sup_v3_sub(w, b->w);
  }
  j->v = sup_m3_apply_t(j->X_WA.R, v), j->w = sup_m3_apply_t(j->X_WA.R, w);
}
