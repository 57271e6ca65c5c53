/* Result of a step for observers: forces, wrenches, efforts, poses. */
#include <string.h>

#include "step/column/cables.h"
#include "step/end.h"

static void add_side_force(const sup_model *model, int body, const sup_carrier *carrier, sup_v3 f,
                           double *force) {
  if (model->body[body].soft == SUP_NONE) return;
  int first = model->soft[model->body[body].soft].first_vertex;
  for (int k = 0; k < carrier->num_vertices; k++)
    sup_v3_accumulate(force + 3 * (first + carrier->vertex[k]), carrier->weight[k], f);
}

/** Contact impulses on the vertices of soft bodies, as forces. */
static void contact_forces_on_vertices(const sup_model *model, const sup_contact_list *contacts,
                                       double *force) {
  memset(force, 0, 3 * (size_t)model->num_vertices * sizeof *force);
  for (int i = 0; i < contacts->count; i++) {
    const sup_contact *c = &contacts->contact[i];
    add_side_force(model, c->body_a, &c->carrier_a, sup_v3_scale(-1, c->force), force);
    add_side_force(model, c->body_b, &c->carrier_b, c->force, force);
  }
}

/** Arguments that threads share. */
typedef struct observation {
  const sup_step_start    *s;
  const sup_assembly      *assembly;
  const sup_step_solution *solution;
  const sup_soft_end      *soft;
  const sup_state         *before;
  const double *row_force, *force; /* of contacts and constraints; with those at points */
  sup_wrench   *wrench, *reaction;
} observation;

/** Au := A u.  At free vertices the certificate has the product, with the base's motion in p; at
 * attached vertices only their blocks are multiplied.  Held components have no rows in the solver's
 * A; its A and p have loads, springs and cables at points, the body's have not. */
static void multiply_soft(const observation *o, int i, const double *u, double *Au) {
  const sup_assembly      *assembly = o->assembly;
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  const sup_soft          *soft = &o->s->model->soft[i];
  const sup_soft_work     *work = &assembly->soft[i];
  const double            *external = o->force + 3 * soft->first_vertex,
               *rows = o->row_force + 3 * soft->first_vertex;
  if (!o->solution->Av || soft->num_dirichlet > 0 || soft->in_tie || assembly->layout->is_free) {
    sup_assembly_multiply_soft(assembly, i, u, Au);
    return;
  }
  sup_assembly_multiply_links(assembly, i, u, Au);
  for (int a = 0; a < soft->num_vertices; a++) {
    if (soft->block[a] == SUP_NONE) continue;
    const double *Av = o->solution->Av + sup_block_first(P, soft->block[a]),
                 *p = assembly->p + sup_block_first(P, soft->block[a]);
    for (int c = 3 * a; c < 3 * a + 3; c++)
      Au[c] = Av[c - 3 * a] + (work->p[c] - p[c - 3 * a]) + o->s->inc->h * (external[c] - rows[c]);
  }
}

/** Attachment force on link k: minus the residual of the momentum balance at the vertices attached
 * to it (THEORY 15.2). */
static sup_wrench attachment_wrench(const sup_step_start *s, const sup_assembly *assembly, int i,
                                    int k, const double *Au, const sup_state *before,
                                    const double *contact_force) {
  const sup_soft      *soft = &s->model->soft[i];
  const sup_soft_work *work = &assembly->soft[i];
  sup_wrench           out = {{0, 0, 0}, {0, 0, 0}};
  sup_v3               origin = s->kin.X_WL[soft->attachment[k].body].p;
  for (int a = 0; a < soft->num_vertices; a++) {
    if (soft->attach_of[a] != k) continue;
    size_t at = 3 * (size_t)(soft->first_vertex + a);
    sup_v3 f = sup_v3_load(contact_force + at);
    f = sup_v3_madd(f, -1 / s->inc->h,
                    sup_v3_sub(sup_v3_load(Au + 3 * a), sup_v3_load(work->p + 3 * a)));
    out.force = sup_v3_add(out.force, f);
    out.moment =
        sup_v3_add(out.moment, sup_v3_cross(sup_v3_sub(sup_v3_load(before->x + at), origin), f));
  }
  return out;
}

static void joint_efforts(const sup_step_start *s, const sup_contact_problem *contacts,
                          const sup_step_solution *solution, double *effort) {
  int num_v = s->model->v_start[s->model->num_trees];
  memset(effort, 0, SUP_NUM_JOINT_ROLES * (size_t)num_v * sizeof *effort);
  for (int e = 0; e < contacts->joints.num_entries; e++) {
    const sup_constraint *row =
        &contacts->rows.constraint[contacts->joints.first + contacts->joints.row[e]];
    effort[(int)contacts->joints.role[e] * num_v + contacts->joints.velocity[e]] +=
        contacts->joints.factor[e] * solution->gamma[row->first_vc] / s->inc->h;
  }
}

static void multiply_body(void *user, int i, int thread) {
  const observation *o = user;
  (void)thread;
  multiply_soft(o, i, o->soft[i].u, o->soft[i].Au);
}

static void observe_body(void *user, int i, int thread) {
  const observation    *o = user;
  const sup_step_start *s = o->s;
  const sup_soft       *soft = &s->model->soft[i];
  const double         *Au = o->soft[i].Au;
  (void)thread;
  for (int k = 0; k < soft->num_attachments; k++)
    o->wrench[soft->first_attachment + k] =
        attachment_wrench(s, o->assembly, i, k, Au, o->before, o->force);
  sup_assembly_reactions(o->assembly, i, Au, o->assembly->soft[i].scheme.surface, 1 / s->inc->h,
                         o->force + 3 * soft->first_vertex, o->reaction + soft->first_dirichlet);
}

/** *out [num_vertices x 3]: the contact forces with those of springs, cables and loads at points.
 */
static sup_status add_point_forces(const sup_step_start *s, const sup_assembly *assembly,
                                   const double *v, double *force, double **out) {
  size_t n = 3 * (size_t)s->model->num_vertices;
  *out = force;
  if (s->model->num_springs + s->model->num_loads + s->model->num_cables + s->model->num_lines +
          s->model->num_ties ==
      0)
    return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, *out, n));
  if (n > 0) memcpy(*out, force, n * sizeof *force);
  sup_assembly_point_forces(s, *out);
  sup_cables_add_forces(s, assembly, v, *out);
  sup_assembly_spring_forces(s, assembly, s->state->v, v, *out);
  return SUP_OK;
}

/** *out [num_vertices x 3]: the contact forces with those of constraints between bodies. */
static sup_status add_constraint_forces(const sup_step_start *s, const sup_assembly *assembly,
                                        const sup_contact_problem *contacts,
                                        const sup_step_solution *solution, double *force,
                                        double **out, sup_wrench *wrench) {
  size_t n = 3 * (size_t)s->model->num_vertices;
  *out = force;
  if (s->model->num_constraints == 0) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, *out, n));
  if (n > 0) memcpy(*out, force, n * sizeof *force);
  sup_body_rows_forces(&contacts->bodies, &contacts->rows, s->model, solution->gamma, s->inc->h,
                       s->kin.X_WL, s->state->x, wrench, *out);
  for (int i = 0; i < s->model->num_constraints; i++) { /* those on vertices are of cables */
    int line = s->model->constraint[i].line;
    if (line != SUP_NONE && line < assembly->num_cables)
      wrench[i].force = sup_cable_pull(assembly, line, assembly->cable[line].way[0], 1);
  }
  return SUP_OK;
}

sup_status sup_step_fill_result(const sup_step_start *s, const sup_assembly *assembly,
                                const sup_state *before, const sup_step_solution *solution,
                                sup_contact_problem *contacts, sup_step_end *end) {
  const sup_model *model = s->model;
  double          *force, *effort, *external, *rows;
  sup_wrench      *wrench, *reaction;
  SUP_TRY(SUP_ARENA(s->arena, force, 3 * model->num_vertices));
  SUP_TRY(SUP_ARENA(s->arena, effort, SUP_NUM_JOINT_ROLES * model->v_start[model->num_trees]));
  SUP_TRY(SUP_ARENA(s->arena, wrench, sup_model_num_wrenches(model)));
  SUP_TRY(SUP_ARENA(s->arena, reaction, model->num_dirichlet));
  SUP_TRY(SUP_ARENA(s->arena, end->spin, model->num_softs));
  memset(end->spin, 0, (size_t)model->num_softs * sizeof *end->spin);
  sup_contact_forces(&contacts->rows, 0, solution->gamma, solution->vc, s->inc->h, &contacts->list);
  sup_moment_rows_couples(&contacts->rolling, &contacts->spin, &contacts->rows, solution->gamma,
                          s->inc->h, &contacts->list);
  contact_forces_on_vertices(model, &contacts->list, force);
  SUP_TRY(add_constraint_forces(s, assembly, contacts, solution, force, &rows,
                                wrench + model->num_attachments));
  SUP_TRY(add_point_forces(s, assembly, solution->v, rows, &external));
  joint_efforts(s, contacts, solution, effort);
  observation o = {s, assembly, solution, end->soft, before, rows, external, wrench, reaction};
  sup_step_for_bodies(model, multiply_body, &o);
  if (model->num_ties > 0)
    SUP_TRY(sup_assembly_tie_forces(s, assembly, end->soft, before->x, external,
                                    wrench + sup_model_first_tie_wrench(model)));
  sup_step_for_bodies(model, observe_body, &o);
  end->result = (sup_step_result){.increment = *s->inc,
                                  .time = end->next->time,
                                  .step = end->next->step,
                                  .num_contacts = contacts->list.count,
                                  .contact = contacts->list.contact,
                                  .contact_energy = solution->contact_energy,
                                  .stick_energy = solution->stick_energy,
                                  .joint_effort = effort,
                                  .attach_wrench = wrench,
                                  .constraint_wrench = wrench + model->num_attachments,
                                  .reaction = reaction,
                                  .contact_force = force,
                                  .log = solution->log,
                                  .X_WL = end->kin_next.X_WL,
                                  .link_w = end->kin_next.w,
                                  .link_v = end->kin_next.v};
  return SUP_OK;
}
