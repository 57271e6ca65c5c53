/* Tied vertices in A, in held motions, in time schemes, and forces of ties (THEORY 4.11). */
#include <string.h>

#include "step/assembly.h"
#include "step/end.h"

/* ---- A --------------------------------------------------------------------------------------- */

/** Velocity of a mover by its block column, 3 x n row-major; returns n. */
static int jacobian_of(const sup_assembly *assembly, const sup_mover *m, const double **J) {
  static const double   one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const sup_soft       *soft = &assembly->layout->model->soft[m->soft];
  const sup_attachment *attachment = &assembly->soft[m->soft].attachment;
  *J = one;
  if (soft->attach_of[m->vertex] == SUP_NONE) return 3;
  *J = sup_attachment_jacobian(attachment, soft, m->vertex);
  return soft->attachment[soft->attach_of[m->vertex]].nv;
}

/** A += weight Jr^T K Jc in its form. */
static void add_share(sup_assembly *assembly, const sup_soft_share *share, const double *K) {
  const double *Jr, *Jc;
  int     m = jacobian_of(assembly, share->row, &Jr), n = jacobian_of(assembly, share->col, &Jc);
  double *to = assembly->A + share->to, KJ[3];
  for (int j = 0; j < n; j++) {
    for (int r = 0; r < 3; r++)
      KJ[r] = share->weight * (K[r] * Jc[j] + K[3 + r] * Jc[n + j] + K[6 + r] * Jc[2 * n + j]);
    for (int i = 0; i < m; i++) {
      double value = Jr[i] * KJ[0] + Jr[m + i] * KJ[1] + Jr[2 * m + i] * KJ[2];
      if (share->form != SUP_SHARE_TURNED) to[j * m + i] += value;
      if (share->form != SUP_SHARE_PLAIN) to[i * n + j] += value;
    }
  }
}

void sup_assembly_clear_ties(sup_assembly *assembly) {
  const sup_model *model = assembly->layout->model;
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft_map *map = &assembly->layout->soft_map[s];
    for (size_t k = 0; model->soft[s].num_tied > 0 && k < map->num_shares; k++) {
      const double *J;
      int           m = jacobian_of(assembly, map->share[k].row, &J),
          n = jacobian_of(assembly, map->share[k].col, &J);
      memset(assembly->A + map->share[k].to, 0, (size_t)(m * n) * sizeof *assembly->A);
    }
  }
}

void sup_assembly_add_ties(sup_assembly *assembly, int i) {
  const sup_soft_map *map = &assembly->layout->soft_map[i];
  if (assembly->layout->model->soft[i].num_tied == 0) return;
  for (size_t k = 0; k < map->num_shares; k++)
    add_share(assembly, &map->share[k], sup_assembly_link_block(assembly, i, map->share[k].link));
}

/* ---- motion ---------------------------------------------------------------------------------- */

void sup_assembly_hold_tied(sup_assembly *assembly) {
  const sup_model *model = assembly->layout->model;
  for (int s = 0; s < model->num_softs && model->num_dirichlet > 0; s++) {
    const sup_soft *soft = &model->soft[s];
    for (int k = 0; k < soft->num_tied; k++) {
      double *held = assembly->soft[s].held + 3 * soft->tied_vertex[k];
      held[0] = held[1] = held[2] = 0;
      for (int j = soft->mover_start[k]; j < soft->mover_start[k + 1]; j++) {
        const sup_mover *m = &soft->mover[j];
        for (int c = 0; c < 3; c++)
          held[c] += m->weight * assembly->soft[m->soft].held[3 * m->vertex + c];
      }
    }
  }
}

/** C of a vertex of first order in a body of second order, and of those it is tied to. */
static bool is_first(const sup_assembly *assembly, int soft, int vertex) {
  const double *c = assembly->soft[soft].scheme.c;
  return !c || !(c[vertex] > 1);
}

static void make_first(sup_assembly *assembly, int soft, int vertex) {
  if (assembly->soft[soft].scheme.c) assembly->soft[soft].scheme.c[vertex] = 1;
}

void sup_assembly_join_orders(sup_assembly *assembly) {
  const sup_model *model = assembly->layout->model;
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft *soft = &model->soft[s];
    for (int k = 0; k < soft->num_tied; k++) {
      bool first = is_first(assembly, s, soft->tied_vertex[k]);
      for (int j = soft->mover_start[k]; j < soft->mover_start[k + 1]; j++)
        first |= is_first(assembly, soft->mover[j].soft, soft->mover[j].vertex);
      if (!first) continue;
      make_first(assembly, s, soft->tied_vertex[k]);
      for (int j = soft->mover_start[k]; j < soft->mover_start[k + 1]; j++)
        make_first(assembly, soft->mover[j].soft, soft->mover[j].vertex);
    }
  }
}

/* ---- forces ---------------------------------------------------------------------------------- */

/** Mean place of the vertices of each tie. */
static void find_centres(const sup_model *model, const double *x, sup_v3 *centre) {
  for (int k = 0; k < model->num_ties; k++) centre[k] = (sup_v3){0, 0, 0};
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft *soft = &model->soft[s];
    for (int k = 0; k < soft->num_tied; k++) {
      int t = soft->tied_by[k];
      centre[t] =
          sup_v3_madd(centre[t], 1.0 / model->tie[t].num_tied,
                      sup_v3_load(x + 3 * (size_t)(soft->first_vertex + soft->tied_vertex[k])));
    }
  }
}

sup_status sup_assembly_tie_forces(const sup_step_start *s, const sup_assembly *assembly,
                                   const sup_soft_end *end, const double *x, double *force,
                                   sup_wrench *out) {
  const sup_model *model = s->model;
  sup_v3          *centre;
  SUP_TRY(SUP_ARENA(s->arena, centre, model->num_ties));
  find_centres(model, x, centre);
  memset(out, 0, (size_t)model->num_ties * sizeof *out);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int k = 0; k < soft->num_tied; k++) {
      int         a = soft->tied_vertex[k], t = soft->tied_by[k];
      size_t      at = 3 * (size_t)(soft->first_vertex + a);
      sup_wrench *w = &out[t];
      sup_v3      Au = sup_v3_load(end[i].Au + 3 * a), p = sup_v3_load(assembly->soft[i].p + 3 * a);
      sup_v3      f = sup_v3_madd(sup_v3_load(force + at), -1 / s->inc->h, sup_v3_sub(Au, p));
      for (int j = soft->mover_start[k]; j < soft->mover_start[k + 1]; j++) {
        const sup_mover *m = &soft->mover[j];
        int              to = 3 * (model->soft[m->soft].first_vertex + m->vertex);
        sup_v3           share = sup_v3_scale(m->weight, f);
        sup_v3_accumulate(force + to, 1, share);
        if (m->soft == i) continue; /* a vertex of the slave that stays has a part of it */
        w->force = sup_v3_add(w->force, share);
        w->moment =
            sup_v3_add(w->moment, sup_v3_cross(sup_v3_sub(sup_v3_load(x + to), centre[t]), share));
      }
    }
  }
  return SUP_OK;
}
