/* Soft vertices that are held by axes: elimination from A and p, and reactions. */
#include <math.h>
#include <string.h>

#include "step/assembly.h"

void sup_assembly_dirichlet_motion(const sup_step_start *s, sup_assembly *assembly, int i,
                                   const double *x, double t, double rate) {
  const sup_soft *soft = &s->model->soft[i];
  double         *held = assembly->soft[i].held;
  sup_soft_prescribed_displacement(soft, s->inc->inputs, t, x, held);
  for (int a = 0; a < 3 * soft->num_vertices; a++) held[a] *= rate;
}

/** p -= A held of one body. */
static void move_to_right(sup_assembly *assembly, int i) {
  const sup_soft *soft = &assembly->layout->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  int             moving = 0;
  for (int a = 0; a < 3 * soft->num_vertices; a++) moving |= work->held[a] != 0;
  if (!moving) return;
  sup_assembly_multiply_soft(assembly, i, work->held, work->Av);
  for (int a = 0; a < soft->num_vertices; a++) {
    const double *Av = work->Av + 3 * a, minus[3] = {-Av[0], -Av[1], -Av[2]};
    sup_assembly_add_momentum(assembly, i, a, minus);
  }
}

/** Set held rows and columns of a block of m x n values (column-major) to 0, except the diagonal of
 * a diagonal block. */
static void clear_block(double *block, int m, int n, int held_rows, int held_cols,
                        int is_diagonal) {
  for (int j = 0; j < n; j++)
    for (int r = 0; r < m; r++) {
      int is_held = (r < 3 && (held_rows & (1 << r))) || (j < 3 && (held_cols & (1 << j)));
      if (is_held && !(is_diagonal && r == j)) block[j * m + r] = 0;
    }
}

void sup_assembly_dirichlet(sup_assembly *assembly) {
  const sup_model         *model = assembly->layout->model;
  const sup_step_layout   *layout = assembly->layout;
  const sup_block_pattern *P = &layout->A_pattern;
  if (model->num_dirichlet == 0) {
    sup_assembly_share_softs(assembly);
    return;
  }
  for (int i = 0; i < model->num_softs; i++)
    if (model->soft[i].num_dirichlet > 0) move_to_right(assembly, i);
  for (int j = 0; j < P->num_blocks; j++)
    for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++) {
      int row = sup_block_row(P, e);
      if (!(layout->held_axes[row] | layout->held_axes[j])) continue;
      clear_block(assembly->A + sup_block_value(P, e), sup_block_size(P, row), sup_block_size(P, j),
                  layout->held_axes[row], layout->held_axes[j], row == j);
    }
  sup_assembly_share_softs(assembly);
  sup_assembly_dirichlet_velocity(assembly, assembly->p);
  for (int j = 0; j < P->num_blocks; j++)
    for (int c = 0; c < 3; c++)
      if (layout->held_axes[j] & (1 << c))
        assembly->p[sup_block_first(P, j) + c] *= sup_assembly_diagonal_block(assembly, j)[4 * c];
}

void sup_assembly_dirichlet_velocity(const sup_assembly *assembly, double *u) {
  const sup_model *model = assembly->layout->model;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    if (soft->num_dirichlet == 0) continue;
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      if (soft->holder[a] != SUP_NONE && soft->block[a / 3] != SUP_NONE)
        u[sup_block_first(&assembly->layout->A_pattern, soft->block[a / 3]) + a % 3] =
            assembly->soft[i].held[a];
  }
}

void sup_assembly_reactions(const sup_assembly *assembly, int i, const double *Au, const double *x,
                            double scale, const double *external, sup_wrench *out) {
  const sup_soft      *soft = &assembly->layout->model->soft[i];
  const sup_soft_work *work = &assembly->soft[i];
  for (int k = 0; k < soft->num_dirichlet; k++) out[k] = (sup_wrench){{0, 0, 0}, {0, 0, 0}};
  if (soft->num_dirichlet == 0) return;
  for (int a = 0; a < 3 * soft->num_vertices; a++) {
    int k = soft->holder[a];
    if (k == SUP_NONE) continue;
    double f[3] = {0, 0, 0};
    f[a % 3] = scale * (Au[a] - work->p[a]) - (external ? external[a] : 0);
    sup_v3 arm = sup_v3_sub(sup_v3_load(x + a - a % 3), soft->dirichlet[k].about);
    out[k].force = sup_v3_add(out[k].force, sup_v3_load(f));
    out[k].moment = sup_v3_add(out[k].moment, sup_v3_cross(arm, sup_v3_load(f)));
  }
}
