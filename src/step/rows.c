/* Rows of a step: contacts, limits and drives as constraints; the convex problem. */
#include <string.h>

#include "constraint/anchor.h"
#include "step/contact_problem.h"

void sup_contact_problem_free(sup_contact_problem *contacts) {
  sup_contact_list_free(&contacts->list);
  sup_rows_free(&contacts->rows);
}

sup_status sup_step_contact_context(const sup_step_start *s, const sup_assembly *assembly,
                                    sup_contact_context *out) {
  sup_attachment *attachment;
  const double  **held;
  const int     **holder;
  SUP_TRY(SUP_ARENA(s->arena, attachment, s->model->num_softs));
  SUP_TRY(SUP_ARENA(s->arena, held, s->model->num_softs));
  SUP_TRY(SUP_ARENA(s->arena, holder, s->model->num_softs));
  for (int i = 0; i < s->model->num_softs; i++)
    attachment[i] = assembly->soft[i].attachment, held[i] = assembly->soft[i].held,
    holder[i] = assembly->soft[i].holder;
  *out = (sup_contact_context){s->model,
                               s->inc,
                               &s->kin,
                               attachment,
                               sup_assembly_diagonal_pattern(assembly),
                               sup_assembly_diagonal_values(assembly),
                               assembly->v0,
                               assembly->elapsed,
                               s->arena,
                               held,
                               holder,
                               s->state->x,
                               NULL,
                               NULL};
  return SUP_OK;
}

/** Links at the step's end, moved with the velocities of its start. */
static sup_status place_ahead(const sup_step_start *s, sup_kinematics *ahead) {
  const sup_model *model = s->model;
  double          *q;
  *ahead = s->kin;
  SUP_TRY(SUP_ARENA(s->arena, q, s->state->num_q));
  memcpy(q, s->state->q, (size_t)s->state->num_q * sizeof *q);
  for (int t = 0; t < model->num_trees; t++)
    sup_tree_integrate(model->tree[t], q + model->q_start[t], s->state->v + model->v_start[t],
                       s->inc->h);
  SUP_TRY(sup_kinematics_update(ahead, model, q, s->state->v, s->arena));
  return SUP_OK;
}

sup_status sup_step_rows(const sup_step_start *s, const sup_assembly *assembly,
                         sup_contact_problem *contacts) {
  sup_contact_context context;
  sup_stick          *stick;
  sup_kinematics      ahead;
  SUP_TRY(sup_step_contact_context(s, assembly, &context));
  if (s->inc->is_controlled) {
    SUP_TRY(place_ahead(s, &ahead));
    context.ahead = &ahead;
  }
  if (s->inc->elastic_stick) {
    SUP_TRY(sup_anchor_match(&context, s->state->anchor, s->state->num_anchors, &contacts->list,
                             &stick));
    context.stick = stick;
  }
  sup_rows_reset(&contacts->rows);
  SUP_TRY(sup_contact_rows(&contacts->rows, &context, &contacts->list));
  SUP_TRY(sup_joint_rows_add(&contacts->joints, &contacts->rows, s->model, s->inc, s->state->q,
                             s->state->v, sup_assembly_diagonal_pattern(assembly),
                             sup_assembly_diagonal_values(assembly), contacts->all_limits,
                             s->arena));
  return SUP_OK;
}

sup_problem sup_step_problem(const sup_assembly *assembly, const sup_contact_problem *contacts) {
  return (sup_problem){.A_pattern = &assembly->layout->A_pattern,
                       .A = assembly->A,
                       .rest = assembly->layout->is_free ? &assembly->rest : NULL,
                       .p = assembly->p,
                       .num_constraints = contacts->rows.num_constraints,
                       .num_vc = contacts->rows.num_vc,
                       .num_jacobian_blocks = contacts->rows.num_jacobian_blocks,
                       .constraint = contacts->rows.constraint,
                       .jacobian = contacts->rows.jacobian,
                       .jacobian_value = contacts->rows.jacobian_value,
                       .cluster = contacts->rows.cluster,
                       .num_clusters = contacts->rows.num_clusters,
                       .space = &assembly->space,
                       .ranks = sup_assembly_ranks(assembly)};
}
