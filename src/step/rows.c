/* Rows of a step: contacts, limits, drives and constraints of bodies; the convex problem. */
#include <string.h>

#include "base/log.h"
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
static sup_status place_ahead(const sup_step_start *s, double **q, sup_kinematics *ahead) {
  const sup_model *model = s->model;
  *ahead = s->kin;
  SUP_TRY(SUP_ARENA(s->arena, *q, s->state->num_q));
  if (s->state->num_q) memcpy(*q, s->state->q, (size_t)s->state->num_q * sizeof **q);
  for (int t = 0; t < model->num_trees; t++)
    sup_tree_integrate(model->tree[t], *q + model->q_start[t], s->state->v + model->v_start[t],
                       s->inc->h);
  SUP_TRY(sup_kinematics_update(ahead, model, *q, s->state->v, s->arena));
  return SUP_OK;
}

/** Note constraints whose force is not unique. */
static sup_status tell_redundant(const sup_step_start *s, const sup_contact_problem *contacts) {
  int *num;
  SUP_TRY(SUP_ARENA(s->arena, num, s->model->num_constraints));
  SUP_TRY(sup_body_rows_redundant(&contacts->bodies, &contacts->rows, s->model, s->arena, num));
  for (int i = 0; i < s->model->num_constraints; i++)
    if (num[i] > 0)
      sup_log(SUP_LOG_NOTE,
              "constraint '%s': %d of its directions are kept by joints and constraints before it, "
              "which share its force",
              s->model->constraint[i].name, num[i]);
  return SUP_OK;
}

/** Rows of constraints of bodies; their bodies a step later at the velocities of its start. */
static sup_status add_bodies(const sup_step_start *s, const sup_contact_context *c,
                             sup_contact_problem *contacts) {
  const sup_model *model = s->model;
  sup_increment    next = *s->inc;
  sup_kinematics   ahead = s->kin;
  double          *x, *q;
  SUP_TRY(SUP_ARENA(s->arena, x, 3 * model->num_vertices));
  SUP_TRY(place_ahead(s, &q, &ahead));
  next.t0 = s->inc->t1; /* bases there, too */
  SUP_TRY(sup_kinematics_compute(&ahead, model, &next, q, s->state->v, s->arena));
  for (int i = 0; i < model->num_softs; i++)
    for (int a = 0; a < model->soft[i].num_vertices; a++) {
      const sup_soft *soft = &model->soft[i];
      size_t          at = 3 * (size_t)(soft->first_vertex + a);
      int             block = soft->block[a];
      for (int k = 0; k < 3; k++) {
        bool   is_held = block == SUP_NONE || c->holder[i][3 * a + k] != SUP_NONE;
        double v =
            !is_held ? c->v0[sup_block_first(c->A_pattern, block) + k] : c->held[i][3 * a + k];
        x[at + (size_t)k] = s->state->x[at + (size_t)k] + s->inc->h * v;
      }
    }
  SUP_TRY(sup_body_rows_add(&contacts->bodies, &contacts->rows, c, s->state,
                            (sup_placed){s->kin.X_WL, s->state->x, s->state->q},
                            (sup_placed){ahead.X_WL, x, q}));
  return s->state->step == 0 ? tell_redundant(s, contacts) : SUP_OK;
}

sup_status sup_step_rows(const sup_step_start *s, const sup_assembly *assembly,
                         sup_contact_problem *contacts) {
  sup_contact_context context;
  sup_stick          *stick;
  sup_kinematics      ahead;
  double             *q;
  SUP_TRY(sup_step_contact_context(s, assembly, &context));
  if (s->inc->is_controlled) {
    SUP_TRY(place_ahead(s, &q, &ahead));
    context.ahead = &ahead;
  }
  if (s->inc->elastic_stick) {
    SUP_TRY(sup_anchor_match(&context, s->state->anchor, s->state->num_anchors, &contacts->list,
                             &stick));
    context.stick = stick;
  }
  sup_rows_reset(&contacts->rows);
  SUP_TRY(sup_contact_rows(&contacts->rows, &context, &contacts->list));
  SUP_TRY(sup_rolling_rows_add(&contacts->rolling, &contacts->rows, &context, &contacts->list));
  SUP_TRY(sup_joint_rows_add(
      &contacts->joints, &contacts->rows, s->model, s->inc, s->state->q, s->state->v,
      (sup_placed){s->kin.X_WL, s->state->x, s->state->q}, sup_assembly_diagonal_pattern(assembly),
      sup_assembly_diagonal_values(assembly), contacts->all_limits, s->arena));
  contacts->bodies.num_rows = 0;
  if (s->model->num_constraints > 0) SUP_TRY(add_bodies(s, &context, contacts));
  SUP_TRY(sup_spin_rows_add(&contacts->spin, &contacts->rows, &context, &contacts->list));
  return sup_rows_set_spans(&contacts->rows, &assembly->layout->A_pattern);
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
                       .span = contacts->rows.span,
                       .cluster = contacts->rows.cluster,
                       .num_clusters = contacts->rows.num_clusters,
                       .space = &assembly->space,
                       .ranks = sup_assembly_ranks(assembly)};
}
