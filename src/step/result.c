/* Result of a step for observers: forces, wrenches, efforts, poses. */
#include <string.h>

#include "step/stepper.h"

static void add_side_force(const sup_model *model, int body, const sup_carrier *carrier, sup_v3 f,
                           double *force) {
  if (model->body[body].soft == SUP_NONE) return;
  int first = model->soft[model->body[body].soft].first_vertex;
  for (int k = 0; k < carrier->num_vertices; k++)
    sup_v3_accumulate(force + 3 * (first + carrier->vertex[k]), carrier->weight[k], f);
}

/** Contact impulses on the vertices of soft bodies, as forces. */
static void contact_forces_on_vertices(const sup_stepper *s, double *force) {
  const sup_model *model = s->model;
  memset(force, 0, 3 * (size_t)model->num_vertices * sizeof *force);
  for (int i = 0; i < s->contact.list.count; i++) {
    const sup_contact *c = &s->contact.list.contact[i];
    add_side_force(model, c->body_a, &c->carrier_a, sup_v3_scale(-1, c->force), force);
    add_side_force(model, c->body_b, &c->carrier_b, c->force, force);
  }
}

/** A u into work->Av.  At free vertices it is in the certificate, p included in which the base's
 * motion is; at attached ones it takes their blocks alone.  Held components have none in the
 * solver's A. */
static void multiply_soft(sup_stepper *s, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  if (!s->solution.Av || soft->num_dirichlet > 0 || s->is_free) {
    sup_stepper_multiply_soft(s, i, work->v, work->Av);
    return;
  }
  sup_stepper_multiply_links(s, i, work->v, work->Av);
  for (int a = 0; a < soft->num_vertices; a++) {
    if (soft->block[a] == SUP_NONE) continue;
    const double *Av = s->solution.Av + sup_block_first(&s->A_pattern, soft->block[a]),
                 *p = s->assembly.p + sup_block_first(&s->A_pattern, soft->block[a]);
    for (int c = 0; c < 3; c++) work->Av[3 * a + c] = Av[c] + (work->p[3 * a + c] - p[c]);
  }
}

/** Attachment force on link k: minus the residual of the momentum balance at the vertices attached
 * to it (THEORY 15.2). */
static sup_wrench attachment_wrench(const sup_stepper *s, int i, int k, const sup_state *before,
                                    const double *contact_force) {
  const sup_soft      *soft = &s->model->soft[i];
  const sup_soft_work *work = &s->assembly.soft[i];
  sup_wrench           out = {{0, 0, 0}, {0, 0, 0}};
  sup_v3               origin = s->kin.X_WL[soft->attachment[k].body].p;
  for (int a = 0; a < soft->num_vertices; a++) {
    if (soft->attach_of[a] != k) continue;
    size_t at = 3 * (size_t)(soft->first_vertex + a);
    sup_v3 f = sup_v3_load(contact_force + at);
    f = sup_v3_madd(f, -1 / s->inc->h,
                    sup_v3_sub(sup_v3_load(work->Av + 3 * a), sup_v3_load(work->p + 3 * a)));
    out.force = sup_v3_add(out.force, f);
    out.moment =
        sup_v3_add(out.moment, sup_v3_cross(sup_v3_sub(sup_v3_load(before->x + at), origin), f));
  }
  return out;
}

static void joint_efforts(const sup_stepper *s, double *effort) {
  memset(effort, 0, (size_t)s->model->v_start[s->model->num_trees] * sizeof *effort);
  for (int e = 0; e < s->contact.joints.num_entries; e++) {
    const sup_constraint *row =
        &s->contact.rows.constraint[s->contact.joints.first + s->contact.joints.row[e]];
    effort[s->contact.joints.velocity[e]] +=
        s->contact.joints.factor[e] * s->solution.gamma[row->first_vc] / s->inc->h;
  }
}

/** Arguments that threads share. */
typedef struct observation {
  sup_stepper     *s;
  const sup_state *before;
  const double    *force;
  sup_wrench      *wrench, *reaction;
} observation;

static void observe_body(void *user, int i, int thread) {
  const observation *o = user;
  sup_stepper       *s = o->s;
  const sup_soft    *soft = &s->model->soft[i];
  (void)thread;
  multiply_soft(s, i);
  for (int k = 0; k < soft->num_attachments; k++)
    o->wrench[soft->first_attachment + k] = attachment_wrench(s, i, k, o->before, o->force);
  sup_stepper_reactions(s, i, s->assembly.soft[i].scheme.surface, 1 / s->inc->h,
                        o->force + 3 * soft->first_vertex, o->reaction + soft->first_dirichlet);
}

sup_status sup_stepper_fill_result(sup_stepper *s, const sup_state *before) {
  const sup_model *model = s->model;
  double          *force, *effort;
  sup_wrench      *wrench, *reaction;
  SUP_TRY(SUP_ARENA(s->arena, force, 3 * model->num_vertices));
  SUP_TRY(SUP_ARENA(s->arena, effort, model->v_start[model->num_trees]));
  SUP_TRY(SUP_ARENA(s->arena, wrench, model->num_attachments));
  SUP_TRY(SUP_ARENA(s->arena, reaction, model->num_dirichlet));
  SUP_TRY(SUP_ARENA(s->arena, s->end.spin, model->num_softs));
  memset(s->end.spin, 0, (size_t)model->num_softs * sizeof *s->end.spin);
  sup_contact_forces(&s->contact.rows, 0, s->solution.gamma, s->solution.vc, s->inc->h,
                     &s->contact.list);
  contact_forces_on_vertices(s, force);
  joint_efforts(s, effort);
  sup_stepper_for_bodies(s, observe_body, &(observation){s, before, force, wrench, reaction});
  s->end.result = (sup_step_result){.increment = *s->inc,
                                    .time = s->end.next->time,
                                    .step = s->end.next->step,
                                    .num_contacts = s->contact.list.count,
                                    .contact = s->contact.list.contact,
                                    .contact_energy = s->solution.contact_energy,
                                    .stick_energy = s->solution.stick_energy,
                                    .joint_effort = effort,
                                    .attach_wrench = wrench,
                                    .reaction = reaction,
                                    .contact_force = force,
                                    .log = s->solution.log,
                                    .X_WL = s->end.kin_next.X_WL,
                                    .link_w = s->end.kin_next.w,
                                    .link_v = s->end.kin_next.v};
  return SUP_OK;
}
