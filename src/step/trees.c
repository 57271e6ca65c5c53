/* Trees in A and p (THEORY 2.2, 2.3). */
#include <string.h>

#include "step/assembly.h"

static sup_status tree_step(const sup_step_start *s, int t, sup_tree_step *step) {
  const sup_model *model = s->model;
  const sup_tree  *tree = model->tree[t];
  const sup_scheme scheme = s->inc->scheme;
  *step = (sup_tree_step){.tree = tree,
                          .scheme = scheme,
                          .dt = s->inc->h,
                          .gravity = s->inc->gravity,
                          .base = sup_kinematics_base_within(model, t, s->inc),
                          .q0 = s->state->q + model->q_start[t],
                          .v0 = s->state->v + model->v_start[t]};
  if (scheme.theta > 0) SUP_TRY(sup_step_tree_loads(s, t, &step->loads, &step->num_loads));
  return SUP_OK;
}

/** The tree's part of s->assembly.within, at q_th(v). */
static void place_within(sup_assembly *assembly, int t, const sup_tree_step *step,
                         const double *v) {
  double                   q[7 * SUP_TREE_MAX_LINKS];
  sup_tree_kinematics_data part =
      sup_kinematics_tree(&assembly->within, assembly->layout->model, t);
  sup_tree_step_positions(step, v, q);
  sup_tree_kinematics(step->tree, &step->base, q, step->v0, &part);
}

/** A and p of one tree about v; NULL: about its free motion. */
static sup_status add_tree(const sup_step_start *s, sup_assembly *assembly, int t,
                           const sup_tree_step *step, const double *v) {
  const sup_block_pattern *P = &s->layout->A_pattern;
  int                      n = step->tree->nv, block = s->model->tree_block[t];
  double                  *A = assembly->A + sup_block_diagonal(P, block),
         *p = assembly->p + sup_block_first(P, block);
  double *M, *momentum,
      *about = assembly->about ? assembly->about + sup_block_first(P, block) : NULL;
  SUP_TRY(SUP_ARENA(s->arena, M, n * n));
  SUP_TRY(SUP_ARENA(s->arena, momentum, n));
  if (v) {
    memcpy(about, v + sup_block_first(P, block), (size_t)n * sizeof *about);
    sup_tree_step_linearise(step, about, M, momentum);
  } else {
    SUP_TRY(sup_tree_step_free_motion(step, s->arena, M, momentum, about));
  }
  for (int l = 0; l < step->tree->num_links; l++) {
    const sup_tree_link *link = &step->tree->links[l];
    for (int j = link->v_start; j < link->v_start + link->nv; j++) {
      p[j] += momentum[j];
      for (int i = j; i < link->v_end; i++) {
        A[j * n + i] += M[j * n + i];
        if (i > j) A[i * n + j] += M[j * n + i];
      }
    }
  }
  if (about) place_within(assembly, t, step, about);
  return SUP_OK;
}

/** Set s->assembly.about, and s->assembly.within with its own arrays. */
static sup_status allocate(const sup_step_start *s, sup_assembly *assembly) {
  const sup_model *model = s->model;
  sup_kinematics  *to = &assembly->within;
  size_t           num = (size_t)model->num_bodies;
  SUP_TRY(SUP_ARENA(s->arena, assembly->about, s->layout->A_pattern.num_scalars));
  SUP_TRY(SUP_ARENA(s->arena, to->X_WL, model->num_bodies));
  SUP_TRY(SUP_ARENA(s->arena, to->w, model->num_bodies));
  SUP_TRY(SUP_ARENA(s->arena, to->v, model->num_bodies));
  if (num == 0) return SUP_OK;
  memcpy(to->X_WL, s->kin.X_WL, num * sizeof *to->X_WL);
  memcpy(to->w, s->kin.w, num * sizeof *to->w);
  memcpy(to->v, s->kin.v, num * sizeof *to->v);
  return SUP_OK;
}

sup_status sup_assembly_trees(const sup_step_start *s, sup_assembly *assembly, const double *v) {
  const sup_model *model = s->model;
  const sup_scheme scheme = s->inc->scheme;
  assembly->within = s->kin;
  assembly->about = NULL;
  if (scheme.theta > 0) SUP_TRY(allocate(s, assembly));
  for (int t = 0; t < model->num_trees; t++) {
    sup_tree_step step;
    if (model->tree_block[t] == SUP_NONE && !assembly->about) continue;
    SUP_TRY(tree_step(s, t, &step));
    if (model->tree_block[t] == SUP_NONE)
      place_within(assembly, t, &step, step.v0); /* on a moving base */
    else
      SUP_TRY(add_tree(s, assembly, t, &step, sup_scheme_is_second_order(&scheme) ? v : NULL));
  }
  return SUP_OK;
}
