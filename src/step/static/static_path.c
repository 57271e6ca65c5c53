/* Path of load steps: prediction from the last two by divided differences (THEORY 18.1), work along
 * a load step (18.7). */
#include <math.h>
#include <string.h>

#include "step/static/equilibrium.h"
#include "step/static/numerics.h"

/** Component c of vertex a of a soft body, which has an unknown of its own. */
static size_t place_of(const sup_soft *soft, int a, int c) {
  return 3 * (size_t)(soft->first_vertex + a) + (size_t)c;
}

int sup_statics_predict(const sup_stepper *s, const sup_state *state, double *v) {
  double h = s->start.inc->h, h0 = state->path_step[0], h1 = state->path_step[1];
  double size = 0, change = 0;
  if (!(h0 > 0) || !(h1 > 0) || state->num_v > 0) return 0;
  const double *last = state->path, *before = last + 3 * (size_t)state->num_vertices;
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    for (int a = 0; a < soft->num_vertices; a++) {
      if (soft->block[a] == SUP_NONE) continue;
      for (int c = 0; c < 3; c++) {
        double u = last[place_of(soft, a, c)],
               d = (h + h0) / (h0 + h1) * (u - before[place_of(soft, a, c)]);
        v[sup_block_first(&s->layout->A_pattern, soft->block[a]) + c] = u + d;
        size += u * u, change += d * d;
      }
    }
  }
  sup_assembly_dirichlet_velocity(&s->assembly, v);
  return size > 0 && change <= sup_static_numerics.alike * sup_static_numerics.alike * size;
}

sup_status sup_statics_update_path(sup_state *next, const sup_state *state, int is_smooth) {
  size_t n = 3 * (size_t)state->num_vertices;
  double h = next->time - state->time;
  SUP_TRY(sup_state_need_path(next));
  if (state->path) memcpy(next->path + n, state->path, n * sizeof *next->path);
  next->path_step[1] = state->path_step[0];
  for (size_t i = 0; i < n; i++) next->path[i] = (next->x[i] - state->x[i]) / h;
  next->path_step[0] = is_smooth ? h : 0;
  return SUP_OK;
}

sup_status sup_statics_remember_start(struct sup_static_iteration *it) {
  const sup_model *model = it->s->model;
  SUP_TRY(SUP_ARENA(it->arena, it->energy0, model->num_softs));
  SUP_TRY(SUP_ARENA(it->arena, it->force0, model->num_softs));
  for (int i = 0; i < model->num_softs; i++) {
    int n = 3 * model->soft[i].num_vertices;
    it->energy0[i] = sup_true_cost_base_energy(&it->cost, i);
    SUP_TRY(SUP_ARENA(it->arena, it->force0[i], n));
    memcpy(it->force0[i], it->cost.force[i], (size_t)n * sizeof *it->force0[i]);
  }
  return SUP_OK;
}

void sup_statics_account(const struct sup_static_iteration *it, sup_step_report *report) {
  const sup_model *model = it->s->model;
  double           stored = 0;
  report->soft_work = 0;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    const double   *x0 = it->state->x + 3 * soft->first_vertex,
                 *x1 = it->s->end.next->x + 3 * soft->first_vertex, *f1 = it->cost.force[i];
    stored += sup_true_cost_base_energy(&it->cost, i) - it->energy0[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      report->soft_work -= 0.5 * (it->force0[i][a] + f1[a]) * (x1[a] - x0[a]);
  }
  report->snap_energy = report->soft_work - stored;
}
