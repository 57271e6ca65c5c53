/* Cells of a field at the present pose and shape of its body. */
#include "collide/field/numerics.h"
#include "collide/surface/patch.h"

/** Cell of a soft body's field at its present points, in the target frame of X. */
static sup_cell_state present_cell(const sup_moving_field *f, const sup_frame *X, int t,
                                   sup_field_cell *cell) {
  sup_v3 corner[4];
  double p[4];
  for (int k = 0; k < 4; k++) {
    int i = f->field->tet[4 * t + k];
    corner[k] = sup_frame_apply(X, sup_v3_load(f->points + 3 * i)), p[k] = f->pressure[i];
  }
  return sup_field_cell_of(corner, p, cell) ? SUP_CELL_READY : SUP_CELL_INVERTED;
}

static unsigned char make_cell(sup_patch_job *j, const sup_moving_field *f, const sup_frame *X,
                               int t) {
  int is_shell = f->mesh_field && f->mesh_field->tet_triangle[t] != SUP_NONE;
  if (!f->points) {
    sup_field_cell_transform(X, &f->source[t], &f->cell[t]);
    return SUP_CELL_READY;
  }
  sup_cell_state state = present_cell(f, X, t, &f->cell[t]);
  if (state == SUP_CELL_INVERTED && !is_shell) j->list->discarded_inverted++;
  return (unsigned char)state;
}

/** Cell of a soft body, shared by all threads: one thread computes it. */
static unsigned char make_shared_cell(sup_patch_job *j, const sup_moving_field *f,
                                      const sup_frame *X, int t) {
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

const sup_field_cell *sup_moving_field_cell(sup_patch_job *j, const sup_moving_field *f,
                                            const sup_frame *X, int t) {
  unsigned char state;
  if (!f->points) {
    if (f->state[t] == SUP_CELL_UNKNOWN) f->state[t] = make_cell(j, f, X, t);
    return &f->cell[t]; /* cells of rigid bodies are never inverted */
  }
#pragma omp atomic read acquire
  state = f->state[t];
  if (state == SUP_CELL_UNKNOWN) state = make_shared_cell(j, f, X, t);
  return state == SUP_CELL_READY ? &f->cell[t] : NULL;
}

sup_plane sup_patch_rigid_approach(const sup_patch_job *j, sup_v3 n) {
  return (sup_plane){sup_v3_cross(n, j->w), sup_v3_dot(n, j->v)};
}

void sup_moving_field_side(const sup_patch_job *j, const sup_moving_field *f, int t,
                           const sup_field_cell *cell, double sign, sup_patch *p,
                           sup_patch_side *s) {
  *s = (sup_patch_side){0, NULL};
  if (!f->points) return;
  *s = (sup_patch_side){4, cell->inside};
  sup_v3 n = sup_v3_scale(sign, sup_patch_in_world(j, p->n));
  for (int k = 0; k < 4; k++)
    sup_plane_accumulate(&p->approach,
                         sup_v3_dot(n, sup_v3_load(f->xdot + 3 * f->field->tet[4 * t + k])),
                         &s->lambda[k]);
}

double sup_field_slope_along(const sup_field_cell *cell, sup_v3 n) {
  double size = cell->steepness, g = sup_v3_dot(cell->pressure.normal, n);
  return g > sup_field_numerics.loaded * size ? sup_max(g, SUP_FIELD_MIN_SLOPE * size) : 0;
}
