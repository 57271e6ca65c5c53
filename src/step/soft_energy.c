/* Energies of soft bodies in a solution: impacts, and the account after the step. */
#include <math.h>
#include <string.h>

#include "fem/material.h"
#include "la/vector.h"
#include "step/column/chambers.h"
#include "step/end.h"
#include "step/numerics.h"

/* ---- impacts --------------------------------------------------------------------------------- */

/** Work, energy and impulse of a soft body's contacts within the step. */
typedef struct blow {
  double work;    /* 1/2 gamma . (change of the contact's velocity) [J] */
  double energy;  /* 1/2 |gamma . velocity before| and the energy of its compliance [J] */
  double impulse; /* [N s] */
} blow;

static void add_contact(const sup_contact *contact, double dt, const double *gamma,
                        const double *vc, const double *change, blow *out) {
  double before = 0, size = 0;
  for (int k = 0; k < 3; k++) {
    out->work += 0.5 * gamma[k] * change[k];
    before += gamma[k] * (vc[k] - change[k]);
    size += gamma[k] * gamma[k];
  }
  out->energy += 0.5 * (fabs(before) + gamma[2] * fmax(-contact->phi, 0) / dt);
  out->impulse += sqrt(size);
}

/** Elastic energy of a body, and its kinetic energy about the motion of its centre of mass. */
static double inner_energy(const sup_step_start *s, const sup_assembly *assembly, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  const double   *v = s->state->xdot + 3 * (size_t)soft->first_vertex,
               *mass = sup_fem_vertex_mass(soft->fem);
  double energy = sup_fem_stored_energy(soft->fem, work->R, work->x,
                                        s->state->internal + soft->first_internal),
         p[3] = {0, 0, 0};
  sup_fem_mass_multiply(soft->fem, v, work->f);
  for (int a = 0; a < soft->num_vertices; a++)
    for (int c = 0; c < 3; c++)
      energy += 0.5 * v[3 * a + c] * work->f[3 * a + c], p[c] += mass[a] * v[3 * a + c];
  for (int c = 0; c < 3; c++) energy -= 0.5 * p[c] * p[c] / sup_fem_mass(soft->fem);
  return energy;
}

sup_status sup_step_find_impacts(const sup_step_start *s, const sup_problem *problem,
                                 const sup_contact_list  *contacts,
                                 const sup_step_solution *solution, sup_assembly *assembly) {
  const sup_model *model = s->model;
  double          *change, *vc;
  blow            *body;
  SUP_TRY(SUP_ARENA(s->arena, change, s->layout->A_pattern.num_scalars));
  SUP_TRY(SUP_ARENA(s->arena, vc, problem->num_vc));
  SUP_TRY(SUP_ARENA(s->arena, body, model->num_softs));
  memset(body, 0, (size_t)model->num_softs * sizeof *body);
  sup_assembly_mean_before(s, assembly, change);
  for (int a = 0; a < s->layout->A_pattern.num_scalars; a++) change[a] = solution->v[a] - change[a];
  sup_problem_constraint_velocity(problem, change, 0, vc);
  for (int k = 0; k < contacts->count; k++) { /* contacts come first */
    const sup_contact *contact = &contacts->contact[k];
    int                at = problem->constraint[k].first_vc;
    int soft[2] = {model->body[contact->body_a].soft, model->body[contact->body_b].soft};
    for (int side = 0; side < 2; side++)
      if (soft[side] != SUP_NONE && (side == 0 || soft[1] != soft[0]))
        add_contact(contact, s->inc->h, solution->gamma + at, solution->vc + at, vc + at,
                    &body[soft[side]]);
  }
  for (int i = 0; i < model->num_softs; i++) {
    const blow *b = &body[i];
    if (assembly->soft[i].scheme.is_impact ||
        b->work <= 0.5 * b->impulse * s->inc->stiction_tolerance ||
        b->work <= sup_step_numerics.impact * b->energy)
      continue;
    assembly->soft[i].scheme.is_impact =
        b->work > sup_step_numerics.impact * (b->energy + inner_energy(s, assembly, i));
  }
  for (int k = 0; k < model->num_ties; k++) { /* tied bodies are struck together */
    int *a = &assembly->soft[model->tie[k].slave].scheme.is_impact,
        *b = &assembly->soft[model->tie[k].master].scheme.is_impact;
    *a = *b = *a || *b;
  }
  return SUP_OK;
}

/* ---- account --------------------------------------------------------------------------------- */

/** True if A = M + dt alpha M + dt (beta + m dt) K + dt^2 T with one beta and m for all materials.
 */
static int matrix_has_damping(const sup_soft_work *work, const sup_fem_body *fem) {
  for (int k = 1; k < sup_fem_num_materials(fem); k++)
    if (sup_fem_material(fem, k)->stiffness_damping !=
            sup_fem_material(fem, 0)->stiffness_damping ||
        (work->relaxing.history && work->relaxation.share[k] != work->relaxation.share[0]))
      return 0;
  return work->pull && !work->scheme.c;
}

/** Damping work u . dt D u, with A u in Au.  Overwrites v, f, g and Av of the body's work.  The
 * part of A by tension dissipates nothing. */
static double matrix_work(const sup_step_start *s, const sup_assembly *assembly, int i,
                          const double *u, const double *Au) {
  const sup_fem_body *fem = s->model->soft[i].fem;
  sup_soft_work      *work = &assembly->soft[i];
  int                 n = 3 * s->model->soft[i].num_vertices;
  double dt = s->inc->h, beta = sup_fem_material(fem, 0)->stiffness_damping, *v = work->v;
  if (matrix_has_damping(work, fem)) {
    sup_fem_damped_mass_multiply(fem, dt, u, work->f);
    sup_fem_mass_multiply(fem, u, work->g);
    double damped = sup_dot(u, work->f, n), elastic = sup_dot(u, Au, n) - damped;
    if (beta > 0) elastic -= dt * dt * sup_fem_tension_work(fem, work->R, work->pull, u);
    double share = work->relaxing.history ? work->relaxation.share[0] : 1;
    return damped - sup_dot(u, work->g, n) + beta / (beta + share * dt) * elastic;
  }
  for (int a = 0; a < n; a++)
    v[a] = work->scheme.damping * u[a] -
           (work->scheme.lag ? (work->scheme.damping - 1) * work->scheme.mean[a] : 0);
  sup_assembly_multiply_damping(s, assembly, i, v, work->Av);
  return sup_dot(u, work->Av, n);
}

/** Work of the damping stress of the step's end along the increment of strain, of a nonlinear body.
 */
static double increment_work(const sup_assembly *assembly, int i) {
  sup_soft_work *work = &assembly->soft[i];
  sup_fem_body  *fem = assembly->layout->model->soft[i].fem;
  sup_fem_strains(fem, work->R, work->x, work->strain);
  return work->increment.rate *
         sup_fem_strain_work(fem, work->strain, work->increment.start, work->strain0);
}

/** Energy that damping takes along the velocities u, beyond the predicted turns w: dt (u - w) . D
 * (u - w).  Work along w is of the order of the prediction's error and belongs to the time scheme.
 */
static double damping_work(const sup_step_start *s, const sup_assembly *assembly, int i,
                           const sup_soft_end *e) {
  const sup_fem_prediction *ahead = &assembly->soft[i].ahead;
  double dt = s->inc->h, all = assembly->soft[i].strain ? increment_work(assembly, i) : 0;
  all += matrix_work(s, assembly, i, e->u, e->Au);
  if (!ahead->damping) return all;
  return all - 2 * dt * sup_dot(e->u, ahead->damping, 3 * s->model->soft[i].num_vertices) +
         ahead->work;
}

/** Arguments that threads share. */
typedef struct audit {
  const sup_step_start *s;
  const sup_assembly   *assembly;
  sup_step_end         *end;
} audit;

/** impulse := the part that acts on the velocities after the step: c (p - p0) = impulse + (start -
 * c p0), where start - c p0 is the rest of the previous step's impulse.  Work computed from it does
 * not depend on the frame of reference, as the change of kinetic energy.
 */
static void show_impulse(const audit *j, int i, double *impulse) {
  const sup_soft        *soft = &j->s->model->soft[i];
  const sup_soft_scheme *scheme = &j->assembly->soft[i].scheme;
  size_t                 first = 3 * (size_t)soft->first_vertex;
  const double          *before = j->s->state->impulse_before + first;
  double *keep = j->end->next->impulse_before + first, r = sup_assembly_length_ratio(j->s);
  int     goes_on = sup_assembly_has_history(j->s, i);
  for (int a = 0; a < 3 * soft->num_vertices; a++) {
    int is_second = scheme->c && scheme->c[a / 3] > 1;
    if (goes_on) impulse[a] += (is_second ? r * r / (1 + r) : 0.5) * before[a];
    if (is_second) impulse[a] /= scheme->c[a / 3];
    keep[a] = is_second || (!goes_on && !scheme->is_impact) ? impulse[a] : 0;
  }
}

/** Velocity u of a carried point of a soft body. */
static sup_v3 velocity_of(const double *u, const sup_carrier *carrier) {
  sup_v3 v = {0, 0, 0};
  for (int k = 0; k < carrier->num_vertices; k++)
    v = sup_v3_madd(v, carrier->weight[k], sup_v3_load(u + 3 * carrier->vertex[k]));
  return v;
}

/** Velocities with weights. */
typedef struct mean {
  sup_v3 sum;
  double weight;
} mean;

/** Mean velocity of a body's contact partners after the step: over pushing contacts, weighted by
 * impulse; over all contacts in reach if none pushes. */
static sup_status find_partners(const sup_step_start *s, const sup_soft_end *body,
                                const sup_contact_problem *contacts,
                                const sup_step_solution *solution, sup_state *next) {
  const sup_model *model = s->model;
  mean            *partner; /* sums over contacts in reach, and over pushing ones */
  SUP_TRY(SUP_ARENA(s->arena, partner, 2 * model->num_softs));
  memset(partner, 0, 2 * (size_t)model->num_softs * sizeof *partner);
  for (int k = 0; k < contacts->list.count; k++) { /* contacts come first */
    const sup_contact *c = &contacts->list.contact[k];
    int                at = contacts->rows.constraint[k].first_vc;
    double             push = solution->gamma[at + 2];
    sup_m3             R = sup_m3_frame_of_normal(c->normal);
    sup_v3             past = sup_m3_apply(R, sup_v3_load(solution->vc + at)); /* b past a */
    for (int side = 0; side < 2; side++) {
      int soft = model->body[side ? c->body_b : c->body_a].soft;
      if (soft == SUP_NONE) continue;
      sup_v3 other = sup_v3_madd(velocity_of(body[soft].u, side ? &c->carrier_b : &c->carrier_a),
                                 side ? -1 : 1, past);
      for (int pushes = 0; pushes < (push > 0 ? 2 : 1); pushes++) {
        mean  *m = &partner[2 * soft + pushes];
        double weight = pushes ? push : 1;
        m->sum = sup_v3_madd(m->sum, weight, other), m->weight += weight;
      }
    }
  }
  for (int i = 0; i < model->num_softs; i++) {
    const mean *m = &partner[2 * i + (partner[2 * i + 1].weight > 0)];
    if (m->weight > 0) sup_v3_store(next->partner + 3 * i, sup_v3_scale(1 / m->weight, m->sum));
  }
  return SUP_OK;
}

/** Work of the momentum change at vertices of first order [J].  Impulses between vertices of first
 * and second order act on velocities at different times; the change of a body's momentum that
 * results counts as an impulse of the contacts that made vertices first order, at the velocity of
 * their other sides. */
static double work_of_lags(const audit *j, int i, const double *impulse) {
  const sup_soft  *soft = &j->s->model->soft[i];
  const sup_state *next = j->end->next;
  const double    *mass = sup_fem_vertex_mass(soft->fem);
  const double    *v0 = j->s->state->xdot + 3 * (size_t)soft->first_vertex,
               *v1 = next->xdot + 3 * (size_t)soft->first_vertex;
  double lag[3] = {0, 0, 0};
  for (int a = 0; a < 3 * soft->num_vertices; a++)
    lag[a % 3] += mass[a / 3] * (v1[a] - v0[a]) - impulse[a];
  return sup_v3_dot(sup_v3_load(lag), sup_v3_load(next->partner + 3 * i));
}

/** Energies of one body.  With r = A u - p the impulses of contacts and links, r + dt f_ext is the
 * external impulse on a body. */
static void audit_body(void *user, int i, int thread) {
  const audit         *j = user;
  const sup_soft      *soft = &j->s->model->soft[i];
  const sup_soft_work *work = &j->assembly->soft[i];
  sup_soft_end        *e = &j->end->soft[i];
  int                  n = 3 * soft->num_vertices;
  double              *external = work->f;
  (void)thread;
  memset(external, 0, (size_t)n * sizeof *external);
  sup_assembly_external_impulse(j->s, j->assembly, i, external);
  for (int a = 0; a < n; a++) external[a] += e->Au[a] - work->p[a];
  if (j->s->state->impulse_before) show_impulse(j, i, external);
  e->work = sup_dot(e->u, external, n), e->dissipation = 0;
  if (j->s->state->impulse_before && !sup_soft_has_drag(soft))
    e->work += work_of_lags(j, i, external);
  if (soft->bounds_chamber && !j->s->state->impulse_before)
    sup_chambers_add_forces(j->assembly, i, j->s->inc->h,
                            external); /* done on the body with others */
  int axes = sup_soft_turning_axes(j->s->model, soft, j->s->state->event);
  if (axes)
    j->end->spin[i] = sup_assembly_spin(j->s, j->assembly, i, axes, e->u, j->end->next, external);
  if (sup_fem_is_damped(soft->fem)) e->dissipation = damping_work(j->s, j->assembly, i, e);
}

sup_status sup_step_audit(const sup_step_start *s, const sup_assembly *assembly,
                          const sup_contact_problem *contacts, const sup_step_solution *solution,
                          sup_step_end *end, sup_step_report *report) {
  if (s->state->impulse_before) SUP_TRY(find_partners(s, end->soft, contacts, solution, end->next));
  sup_step_for_bodies(s->model, audit_body, &(audit){s, assembly, end});
  end->result.spin = end->spin;
  report->soft_work += sup_chambers_end(s, assembly, end->next, &report->gas_inflow);
  report->soft_work += s->inc->h * end->lever_power;
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft_end *e = &end->soft[i];
    report->soft_work += e->work + e->relaxed[1], report->soft_damping += e->dissipation;
    report->soft_relaxation += e->relaxed[0];
    report->impacts += assembly->soft[i].scheme.is_impact;
  }
  return SUP_OK;
}
