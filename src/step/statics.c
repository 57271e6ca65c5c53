/* Linear statics K u = f with the pattern and the factor of the step. */
#include <string.h>

#include "step/stepper.h"

static sup_status check_held(const sup_stepper *s, const sup_state *state) {
  const sup_model *model = s->model;
  for (int i = 0; i < model->num_softs; i++)
    if (!sup_stepper_is_held(s, i, state->x + 3 * model->soft[i].first_vertex))
      return SUP_FAIL(SUP_E_ARG,
                      "soft body '%s' is free to move as a rigid body: clamp or attach at least three vertices that do "
                      "not lie on a line, or hold it along enough axes",
                      model->soft[i].name);
  return SUP_OK;
}

/** A := K, p := f; trees get the identity, so that they stay. */
static void assemble(sup_stepper *s, const sup_state *state) {
  const sup_model *model = s->model;
  if (s->A_pattern.num_scalars) memset(s->A, 0, sup_block_pattern_num_values(&s->A_pattern) * sizeof *s->A);
  memset(s->p, 0, (size_t)s->A_pattern.num_scalars * sizeof *s->p);
  for (int t = 0; t < model->num_trees; t++) {
    if (model->tree_block[t] == SUP_NONE) continue;
    int     n = model->tree[t]->nv;
    double *D = s->A + s->A_pattern.value_start[s->A_pattern.col_start[model->tree_block[t]]];
    for (int j = 0; j < n; j++) D[j * n + j] = 1;
  }
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft          *soft = &model->soft[i];
    sup_soft_work           *work = &s->soft[i];
    const sup_block_pattern *P = sup_fem_pattern(soft->fem);
    const double            *mass = sup_fem_vertex_mass(soft->fem);
    sup_fem_rotations(soft->fem, state->x + 3 * soft->first_vertex, work->R, &work->inverted);
    sup_fem_stiffness(soft->fem, work->R, state->x + 3 * soft->first_vertex, work->A);
    sup_fem_energy_force(soft->fem, work->R, state->x + 3 * soft->first_vertex, work->p);
    for (int a = 0; a < soft->num_vertices; a++)
      for (int c = 0; c < 3; c++) work->p[3 * a + c] += mass[a] * model->options.gravity[c];
    sup_soft_add_tractions(soft, state->time, state->x + 3 * soft->first_vertex, 1, work->p);
    for (int j = 0; j < P->num_blocks; j++) {
      for (int e = P->col_start[j]; e < P->col_start[j + 1]; e++)
        if (soft->block[j] != SUP_NONE && soft->block[P->row[e]] != SUP_NONE)
          memcpy(s->A + s->A_pattern.value_start[s->soft_map[i].entry[e]], work->A + P->value_start[e],
                 9 * sizeof *s->A);
      if (soft->block[j] != SUP_NONE)
        memcpy(s->p + s->A_pattern.offset[soft->block[j]], work->p + 3 * j, 3 * sizeof *s->p);
    }
    sup_stepper_hold_motion(s, i, state->x + 3 * soft->first_vertex, state->time, 1);
  }
  sup_stepper_hold(s);
}

/** Reactions at attached vertices act on the link: f - K u there. */
static void reaction(sup_stepper *s, int i, const double *x, sup_wrench *out) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->soft[i];
  *out = (sup_wrench){{0, 0, 0}, {0, 0, 0}};
  if (soft->attach_tree == SUP_NONE) return;
  sup_v3 origin = s->kin.X_WL[sup_model_link_body(s->model, soft->attach_tree, soft->attach_link)].p;
  sup_block_multiply(sup_fem_pattern(soft->fem), work->A, work->v, work->Av);
  for (int a = 0; a < soft->num_vertices; a++) {
    if (soft->attach_slot[a] == SUP_NONE) continue;
    sup_v3 f = sup_v3_sub(sup_v3_load(work->p + 3 * a), sup_v3_load(work->Av + 3 * a));
    out->force = sup_v3_add(out->force, f);
    out->moment = sup_v3_add(out->moment, sup_v3_cross(sup_v3_sub(sup_v3_load(x + 3 * a), origin), f));
  }
}

sup_status sup_static(sup_stepper *s, sup_state *state) {
  const sup_model *model = s->model;
  int              analysed;
  SUP_TRY(check_held(s, state));
  SUP_TRY(sup_stepper_look(s, state));
  assemble(s, state);
  sup_rows_reset(&s->rows);
  SUP_TRY(sup_stepper_analyse(s, &analysed));
  if (sup_factor_numeric(s->factor, s->A) != SUP_OK) {
    int         block = sup_factor_failed_block(s->factor);
    const char *name = block == SUP_NONE ? "?" : model->body[model->block_body[block]].name;
    return SUP_FAIL(SUP_E_NOT_SPD,
                    "the stiffness matrix is singular at '%s': is every part of its mesh connected and held?", name);
  }
  SUP_TRY(sup_factor_solve(s->factor, s->p));
  sup_wrench *wrench, *reactions;
  SUP_TRY(SUP_ARENA(s->arena, wrench, model->num_softs));
  SUP_TRY(SUP_ARENA(s->arena, reactions, model->num_holds));
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    double         *u = s->soft[i].v, *x = state->x + 3 * soft->first_vertex;
    for (int a = 0; a < soft->num_vertices; a++)
      for (int c = 0; c < 3; c++)
        u[3 * a + c] =
            soft->block[a] == SUP_NONE ? s->soft[i].held[3 * a + c] : s->p[s->A_pattern.offset[soft->block[a]] + c];
    reaction(s, i, x, &wrench[i]);
    sup_stepper_reactions(s, i, x, u, 1, NULL, reactions + soft->first_hold);
    for (int a = 0; a < 3 * soft->num_vertices; a++) x[a] += u[a];
  }
  s->result.attach_wrench = wrench;
  s->result.reaction = reactions;
  s->result.contact_energy = 0;
  if (state->num_v) memset(state->v, 0, (size_t)state->num_v * sizeof *state->v);
  if (state->num_vertices) memset(state->xdot, 0, 3 * (size_t)state->num_vertices * sizeof *state->xdot);
  return SUP_OK;
}
