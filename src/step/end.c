/* State after a step: positions of trees and vertices, anchors of elastic sticks. */
#include "step/end.h"
#include "step/column/cables.h"

#include <string.h>

#include "constraint/anchor.h"

/** Positions after the step: x + dt u; attached vertices ride on their link exactly (THEORY 15.2).
 */
static void place_vertices(const sup_step_start *s, const sup_assembly *assembly, int i,
                           const double *v, sup_step_end *end) {
  const sup_model *model = s->model;
  const sup_soft  *soft = &model->soft[i];
  size_t           at = 3 * (size_t)soft->first_vertex;
  double          *u = end->soft[i].u;
  sup_assembly_vertex_velocity(assembly, i, v, u);
  for (int a = 0; a < 3 * soft->num_vertices; a++)
    end->next->x[at + (size_t)a] = s->state->x[at + (size_t)a] + s->inc->h * u[a];
  sup_soft_move_attached(soft, end->kin_next.X_WL, end->next->x);
}

/** Arguments that threads share. */
typedef struct motion {
  const sup_step_start *s;
  const sup_assembly   *assembly;
  const double         *v;
  sup_step_end         *end;
} motion;

static void place_body(void *user, int i, int thread) {
  const motion *m = user;
  (void)thread;
  place_vertices(m->s, m->assembly, i, m->v, m->end);
}

static void move_body(void *user, int i, int thread) {
  const motion *m = user;
  (void)thread;
  sup_soft_move_tied(m->s->model, i, m->end->next->x, NULL);
  sup_assembly_update_history(m->s, m->assembly, i, m->end->soft[i].u, m->end->next);
  if (m->s->inc->motion > 0) /* statics: once, at the equilibrium */
    sup_assembly_relax(m->s, m->assembly, i, m->end->next, m->end->soft[i].relaxed);
}

sup_status sup_step_predict_kinematics(const sup_step_start *s, sup_step_end *end) {
  const sup_model *model = s->model;
  sup_increment    following = *s->inc;
  following.t0 = end->next->time;
  SUP_TRY(sup_kinematics_compute(&end->kin_next, model, &following, end->next->q, end->next->v,
                                 s->arena));
  for (int t = 0; t < model->num_trees; t++) {
    if (model->tree[t]->motion.num_rows == 0) continue;
    sup_base_motion          base = end->kin_next.base[t];
    sup_tree_kinematics_data part = sup_kinematics_tree(&end->kin_next, model, t);
    base.w = s->kin.base[t].w, base.v = s->kin.base[t].v;
    sup_tree_kinematics(model->tree[t], &base, end->next->q + model->q_start[t],
                        end->next->v + model->v_start[t], &part);
  }
  return SUP_OK;
}

sup_status sup_step_begin_next(const sup_step_start *s, sup_state *next) {
  SUP_TRY(sup_state_copy(next, s->state));
  next->step = s->state->step + 1;
  next->time = s->inc->t1;
  if (s->inc->motion > 0) next->path_step[0] = 0; /* no prediction of load steps */
  return SUP_OK;
}

sup_status sup_step_set_end(const sup_step_start *s, const sup_assembly *assembly, const double *v,
                            sup_step_end *end) {
  SUP_TRY(SUP_ARENA(s->arena, end->soft, s->model->num_softs));
  for (int i = 0; i < s->model->num_softs; i++) {
    end->soft[i] = (sup_soft_end){0};
    SUP_TRY(SUP_ARENA_VECTORS(s->arena, 3 * s->model->soft[i].num_vertices, &end->soft[i].u,
                              &end->soft[i].Au));
  }
  SUP_TRY(sup_step_predict_kinematics(s, end));
  sup_step_for_bodies(s->model, place_body, &(motion){s, assembly, v, end});
  sup_step_for_bodies(s->model, move_body, &(motion){s, assembly, v, end});
  return SUP_OK;
}

/** Store the solution's elastic sticks in s->end.next. */
static sup_status keep_anchors(const sup_step_start *s, const sup_assembly *assembly,
                               const sup_contact_problem *contacts, sup_step_solution *solution,
                               sup_state *next) {
  sup_contact_context context;
  solution->stick_energy = 0;
  if (!s->inc->elastic_stick) return SUP_OK;
  SUP_TRY(sup_step_contact_context(s, assembly, &context));
  SUP_TRY(sup_anchor_update(&context, &contacts->rows, solution->gamma, &contacts->list, next,
                            &solution->stick_energy));
  solution->contact_energy += solution->stick_energy;
  return SUP_OK;
}

void sup_step_move_tree(const sup_step_layout *layout, const sup_increment *inc, int t,
                        const double *q0, const double *v0, const double *u, double *q, double *v) {
  const sup_tree *tree = layout->model->tree[t];
  double          mean[SUP_TREE_MAX_NV], weight = inc->scheme.theta_vq;
  memcpy(q, q0, (size_t)tree->nq * sizeof *q);
  memcpy(v, u, (size_t)tree->nv * sizeof *v);
  for (int j = 0; j < tree->nv; j++) mean[j] = weight * v[j] + (1 - weight) * v0[j];
  sup_tree_integrate(tree, q, mean, inc->h);
  if (layout->alone[t] && inc->scheme.theta <= 0 && weight >= 1)
    sup_tree_restore_momentum(tree, q0, v0, inc->h, q, v);
}

sup_status sup_step_integrate(const sup_step_start *s, const sup_assembly *assembly,
                              const sup_contact_problem *contacts, sup_step_solution *solution,
                              sup_step_end *end) {
  const sup_model *model = s->model;
  SUP_TRY(sup_step_begin_next(s, end->next));
  for (int t = 0; t < model->num_trees; t++) {
    if (model->tree_block[t] == SUP_NONE) continue;
    sup_step_move_tree(s->layout, s->inc, t, s->state->q + model->q_start[t],
                       s->state->v + model->v_start[t],
                       solution->v + sup_block_first(&s->layout->A_pattern, model->tree_block[t]),
                       end->next->q + model->q_start[t], end->next->v + model->v_start[t]);
  }
  SUP_TRY(keep_anchors(s, assembly, contacts, solution, end->next));
  SUP_TRY(sup_step_set_end(s, assembly, solution->v, end));
  return SUP_OK;
}

sup_status sup_step_finish(const sup_step_start *s, const sup_assembly *assembly,
                           sup_contact_problem *contacts, sup_step_solution *solution,
                           sup_step_end *end, sup_step_report *report) {
  sup_step_measure(assembly, contacts, report);
  SUP_TRY(sup_step_integrate(s, assembly, contacts, solution, end));
  SUP_TRY(sup_step_fill_result(s, assembly, s->state, solution, contacts, end));
  SUP_TRY(sup_step_lever_rates(s, assembly, &contacts->list, end));
  report->soft_work += sup_cables_end(s, assembly, solution->v, end->next);
  SUP_TRY(sup_step_audit(s, assembly, contacts, solution, end, report));
  return sup_step_remember_impulses(s, contacts, solution->gamma, end->next);
}
