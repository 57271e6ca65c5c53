/* Vertices that others move: columns of A and momenta of attached ones go to the trees that carry
 * them (THEORY 15.2), those of tied ones to their movers (tie/ties.c), velocities the way back. */
#include <string.h>

#include "step/assembly.h"

/** out (3 x n, row-major) += K J for a column-major 3x3 block K or its transpose. */
static void add_block(const double *K, int transpose, const double *J, int n, double *out) {
  for (int r = 0; r < 3; r++) {
    const double k[3] = {transpose ? K[3 * r] : K[r], transpose ? K[3 * r + 1] : K[3 + r],
                         transpose ? K[3 * r + 2] : K[6 + r]};
    for (int j = 0; j < n; j++)
      out[r * n + j] += k[0] * J[j] + k[1] * J[n + j] + k[2] * J[2 * n + j];
  }
}

/** to (m x n, column-major) += Ja^T KJ for Ja 3 x m and KJ 3 x n, row-major. */
static void add_congruence(double *to, const double *Ja, int m, const double *KJ, int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      for (int r = 0; r < 3; r++) to[j * m + i] += Ja[r * m + i] * KJ[r * n + j];
}

/** True if the vertex is attached to the tree. */
static int rides_on(const sup_soft *soft, int vertex, int tree) {
  return soft->attach_of[vertex] != SUP_NONE &&
         soft->attachment[soft->attach_of[vertex]].tree == tree;
}

/** KT [num_vertices x 3 x n] := K T for the tree's columns of T, at vertices carried by a tree and
 * at their free neighbours. */
static void multiply_map(const sup_assembly *assembly, int i, int tree, double *KT) {
  const sup_model      *model = assembly->layout->model;
  const sup_soft       *soft = &model->soft[i];
  const sup_soft_work  *work = &assembly->soft[i];
  const sup_soft_map   *map = &assembly->layout->soft_map[i];
  const sup_attachment *attachment = &work->attachment;
  int                   n = model->tree[tree]->nv;
  size_t                size = 3 * (size_t)n;
  for (int a = 0; a < soft->num_vertices; a++)
    if (soft->attach_of[a] != SUP_NONE) memset(KT + size * (size_t)a, 0, size * sizeof *KT);
  for (size_t k = 0; k < map->num_borders; k++)
    memset(KT + size * (size_t)map->border[k].vertex, 0, size * sizeof *KT);
  for (size_t k = 0; k < map->num_links; k++) {
    const sup_soft_link *link = &map->link[k];
    const double        *K = sup_assembly_link_block(assembly, i, k);
    int                  row = link->row, col = link->col;
    if (rides_on(soft, col, tree) && sup_soft_moving_block(model, soft, row) != SUP_NONE)
      add_block(K, 0, sup_attachment_jacobian(attachment, soft, col), n, KT + size * (size_t)row);
    if (row != col && rides_on(soft, row, tree) &&
        sup_soft_moving_block(model, soft, col) != SUP_NONE)
      add_block(K, 1, sup_attachment_jacobian(attachment, soft, row), n, KT + size * (size_t)col);
  }
}

/* Block of A of two trees (or of one): with K T known, one product for each vertex that the first
 * tree carries. */
sup_status sup_assembly_add_links(const sup_step_start *s, sup_assembly *assembly, int i) {
  const sup_block_pattern *P = &s->layout->A_pattern;
  const sup_model         *model = s->model;
  const sup_soft          *soft = &model->soft[i];
  const sup_attachment    *attachment = &assembly->soft[i].attachment;
  const sup_soft_map      *map = &s->layout->soft_map[i];
  double                  *KT;
  if (soft->num_attach_trees == 0) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, KT, 3 * (size_t)soft->attach_nv * (size_t)soft->num_vertices));
  for (int t = 0; t < soft->num_attach_trees; t++) {
    int    tree = soft->attach_tree[t], n = model->tree[tree]->nv, block = model->tree_block[tree];
    size_t size = 3 * (size_t)n;
    multiply_map(assembly, i, tree, KT);
    for (int a = 0; a < soft->num_vertices; a++) {
      if (soft->attach_of[a] == SUP_NONE) continue;
      int row = sup_soft_moving_block(model, soft, a);
      int entry = row < block ? SUP_NONE : sup_block_pattern_find(P, row, block);
      if (entry == SUP_NONE)
        continue; /* above the diagonal, or no cell has vertices on both trees */
      add_congruence(assembly->A + sup_block_value(P, entry),
                     sup_attachment_jacobian(attachment, soft, a),
                     soft->attachment[soft->attach_of[a]].nv, KT + size * (size_t)a, n);
    }
    for (size_t k = 0; k < map->num_borders; k++) { /* 3 x n, column-major */
      if (map->border[k].tree != tree) continue;
      const double *from = KT + size * (size_t)map->border[k].vertex;
      double       *to = assembly->A + sup_block_value(P, map->border[k].to);
      for (int j = 0; j < n; j++)
        for (int r = 0; r < 3; r++) to[3 * j + r] += from[r * n + j];
    }
  }
  return SUP_OK;
}

/** Base's motion at a vertex that is not tied; NULL: no link carries it. */
static const double *base_of(const sup_assembly *assembly, const sup_mover *m) {
  int slot = assembly->layout->model->soft[m->soft].attach_slot[m->vertex];
  return slot == SUP_NONE ? NULL : assembly->soft[m->soft].attachment.base + 3 * slot;
}

void sup_assembly_multiply_links(const sup_assembly *assembly, int i, const double *v,
                                 double *out) {
  const sup_model    *model = assembly->layout->model;
  const sup_soft     *soft = &model->soft[i];
  const sup_soft_map *map = &assembly->layout->soft_map[i];
  if (assembly->layout->is_free) {
    sup_assembly_multiply_soft(assembly, i, v, out);
    return;
  }
  memset(out, 0, 3 * (size_t)soft->num_vertices * sizeof *out);
  for (size_t k = 0; k < map->num_links; k++) {
    const sup_soft_link *link = &map->link[k];
    const double        *K = sup_assembly_link_block(assembly, i, k), *x = v + 3 * link->col,
                 *y = v + 3 * link->row;
    double *to = out + 3 * link->row, *back = out + 3 * link->col;
    for (int r = 0; r < 3; r++) to[r] += K[r] * x[0] + K[3 + r] * x[1] + K[6 + r] * x[2];
    if (link->row == link->col) continue;
    for (int c = 0; c < 3; c++)
      back[c] += K[3 * c] * y[0] + K[3 * c + 1] * y[1] + K[3 * c + 2] * y[2];
  }
  const sup_collective *ranks = model->ranks;
  if (ranks) ranks->sum(ranks, 3 * (size_t)soft->num_vertices, out);
}

int sup_assembly_base_velocity(const sup_assembly *assembly, int i, double *v) {
  const sup_model *model = assembly->layout->model;
  const sup_soft  *soft = &model->soft[i];
  int              moving = 0;
  for (int k = 0; k < 3 * soft->num_attached; k++)
    moving |= assembly->soft[i].attachment.base[k] != 0;
  for (int k = 0; k < (soft->num_tied > 0 ? soft->mover_start[soft->num_tied] : 0); k++) {
    const double *base = base_of(assembly, &soft->mover[k]);
    moving |= base && (base[0] != 0 || base[1] != 0 || base[2] != 0);
  }
  if (!moving) return 0;
  memset(v, 0, 3 * (size_t)soft->num_vertices * sizeof *v);
  for (int a = 0; a < soft->num_vertices; a++) {
    int              n;
    const sup_mover *mover = sup_soft_movers(soft, a, &n), self = {i, a, 1};
    for (int k = 0; k < (mover ? n : 1); k++) {
      const sup_mover *m = mover ? mover + k : &self;
      const double    *base = base_of(assembly, m);
      for (int c = 0; base && c < 3; c++) v[3 * a + c] += m->weight * base[c];
    }
  }
  return 1;
}

void sup_assembly_add_momentum(sup_assembly *assembly, int i, int a, const double pa[3]) {
  const sup_model *model = assembly->layout->model;
  const sup_soft  *soft = &model->soft[i];
  int              num_movers;
  const sup_mover *mover = sup_soft_movers(soft, a, &num_movers);
  for (int k = 0; k < num_movers; k++) {
    double w = mover[k].weight;
    sup_assembly_add_momentum(assembly, mover[k].soft, mover[k].vertex,
                              (double[3]){w * pa[0], w * pa[1], w * pa[2]});
  }
  if (mover) return;
  const sup_attachment *attachment = &assembly->soft[i].attachment;
  int                   block = sup_soft_moving_block(model, soft, a);
  if (block == SUP_NONE) return;
  double *to = assembly->p + sup_block_first(&assembly->layout->A_pattern, block);
  if (soft->kind[a] == SUP_VERTEX_FREE) {
    for (int c = 0; c < 3; c++) to[c] += pa[c];
    return;
  }
  const double *J = sup_attachment_jacobian(attachment, soft, a);
  int           nv = soft->attachment[soft->attach_of[a]].nv;
  for (int c = 0; c < 3; c++)
    for (int j = 0; j < nv; j++) to[j] += J[c * nv + j] * pa[c];
}

void sup_assembly_add_free_momentum(sup_assembly *assembly, int i, int a, const double pa[3]) {
  int              num_movers;
  const sup_mover *mover = sup_soft_movers(&assembly->layout->model->soft[i], a, &num_movers);
  double           p[3];
  for (int k = 0; k < num_movers; k++) {
    for (int c = 0; c < 3; c++) p[c] = mover[k].weight * pa[c];
    sup_assembly_add_free_momentum(assembly, mover[k].soft, mover[k].vertex, p);
  }
  for (int c = 0; c < 3; c++) p[c] = assembly->soft[i].holder[3 * a + c] == SUP_NONE ? pa[c] : 0;
  if (!mover) sup_assembly_add_momentum(assembly, i, a, p);
}

/** Velocity of a vertex that is not tied. */
static void velocity_of(const sup_assembly *assembly, int i, int a, const double *u, double v[3]) {
  const sup_model         *model = assembly->layout->model;
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  const sup_soft          *soft = &model->soft[i];
  const sup_attachment    *attachment = &assembly->soft[i].attachment;
  int                      slot = soft->attach_slot[a], block = soft->block[a];
  const double            *from =
      block == SUP_NONE ? assembly->soft[i].held + 3 * a : u + sup_block_first(P, block);
  if (slot == SUP_NONE) {
    memcpy(v, from, 3 * sizeof *v);
    return;
  }
  const sup_attachment_link *on = &soft->attachment[soft->attach_of[a]];
  const double              *J = sup_attachment_jacobian(attachment, soft, a), *tree = NULL;
  if (on->nv > 0) tree = u + sup_block_first(P, model->tree_block[on->tree]);
  for (int c = 0; c < 3; c++) {
    v[c] = attachment->base[3 * slot + c];
    for (int j = 0; j < on->nv; j++) v[c] += J[c * on->nv + j] * tree[j];
  }
}

void sup_assembly_vertex_velocity(const sup_assembly *assembly, int i, const double *u, double *v) {
  const sup_soft *soft = &assembly->layout->model->soft[i];
  for (int a = 0; a < soft->num_vertices; a++) {
    int              n;
    const sup_mover *mover = sup_soft_movers(soft, a, &n);
    double           one[3], *to = v + 3 * a;
    if (!mover) {
      velocity_of(assembly, i, a, u, to);
      continue;
    }
    to[0] = to[1] = to[2] = 0;
    for (int k = 0; k < n; k++) {
      velocity_of(assembly, mover[k].soft, mover[k].vertex, u, one);
      for (int c = 0; c < 3; c++) to[c] += mover[k].weight * one[c];
    }
  }
}
