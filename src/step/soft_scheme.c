/* Time schemes of soft bodies: implicit Euler and BDF2 (THEORY 15.5), impacts, and the account of
 * energies.
 *
 *  The unknown of a vertex is its mean velocity over the step, u = (q - q0)/dt, so that gaps,
 * attachments and elastic forces see q0 + dt u for both schemes, and impulses are dt times forces.
 * With the vertices' momenta p = M v the velocities after the step and the balance are
 *
 *      v = c u - lag,   c p - start = dt f(q, v):
 *      implicit Euler   c = 1,    lag = 0,         start = p0
 *      BDF2             c = 3/2,  lag = u_{-1}/2,  start = (4 p0 - p_{-1})/2
 *
 *  and with a step that is r times as long as the one before (THEORY 17.1)
 *
 *      c = (1 + 2 r)/(1 + r),  lag = (c - 1) u_{-1},  start = (1 + r) p0 - r^2/(1 + r) p_{-1}.
 *
 *  BDF2 keeps (3 p - p_{-1})/2.  A vertex that a contact may reach, and all of a body in an impact,
 * goes by a step of first order: it starts from that momentum, and ends with p_{-1} = p, so that no
 * impulse is lost (src/DECISIONS.md).
 */
#include <math.h>
#include <string.h>

#include "fem/material.h"
#include "la/vector.h"
#include "step/numerics.h"
#include "step/stepper.h"

/* ---- where the step starts ------------------------------------------------------------------- */

static int has_history(const sup_stepper *s, int i, const sup_state *state) {
  return s->inc->soft_bdf2 && state->has_history[i];
}

/** Set first order for a vertex in reach of the contacts that were found. */
static void touch(sup_stepper *s, int body, const sup_carrier *carrier) {
  int i = s->model->body[body].soft;
  if (i == SUP_NONE || !s->assembly.soft[i].scheme.c) return;
  for (int k = 0; k < carrier->num_vertices; k++)
    s->assembly.soft[i].scheme.c[carrier->vertex[k]] = 1;
}

/** Length of the step over that of the one before. */
static double ratio_of(const sup_stepper *s, const sup_state *state) {
  return state->mean_step > 0 ? s->inc->h / state->mean_step : 1;
}

static sup_status start_body(sup_stepper *s, int i, const sup_state *state) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  size_t          first = 3 * (size_t)soft->first_vertex;
  int             n = 3 * soft->num_vertices;
  work->scheme.c = NULL, work->scheme.lag = NULL, work->scheme.damping = 1,
  work->scheme.is_impact = 0;
  work->scheme.inertia = 1, work->scheme.surface = state->x + first;
  SUP_TRY(SUP_ARENA(s->arena, work->scheme.start, n));
  sup_fem_mass_multiply(soft->fem, state->xdot + first, work->scheme.start);
  if (!has_history(s, i, state)) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, work->scheme.c, soft->num_vertices));
  SUP_TRY(SUP_ARENA(s->arena, work->scheme.lag, n));
  double r = ratio_of(s, state), c = (1 + 2 * r) / (1 + r);
  for (int a = 0; a < soft->num_vertices; a++) work->scheme.c[a] = c;
  work->scheme.damping = c, work->scheme.mean = state->mean + first;
  return SUP_OK;
}

/** Set start, which contains p0, and lag of each vertex. */
static void weigh_momenta(sup_stepper *s, int i, const sup_state *state) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  size_t          first = 3 * (size_t)soft->first_vertex;
  if (!has_history(s, i, state)) return;
  double r = ratio_of(s, state);
  for (int a = 0; a < 3 * soft->num_vertices; a++) {
    int    is_second = work->scheme.c[a / 3] > 1;
    double p0 = work->scheme.start[a], before = state->momentum_before[first + (size_t)a];
    work->scheme.start[a] =
        is_second ? ((2 + 2 * r) * p0 - 2 * r * r / (1 + r) * before) / 2 : (3 * p0 - before) / 2;
    work->scheme.lag[a] = is_second ? r / (1 + r) * state->mean[first + (size_t)a] : 0;
  }
}

sup_status sup_stepper_soft_schemes(sup_stepper *s, const sup_state *state) {
  for (int i = 0; i < s->model->num_softs; i++) SUP_TRY(start_body(s, i, state));
  if (s->inc->soft_bdf2 == 1)
    for (int k = 0; k < s->contact.list.count; k++) {
      const sup_contact *contact = &s->contact.list.contact[k];
      touch(s, contact->body_a, &contact->carrier_a);
      touch(s, contact->body_b, &contact->carrier_b);
    }
  for (int i = 0; i < s->model->num_softs; i++) weigh_momenta(s, i, state);
  int leads = s->inc->motion > 0 && s->inc->soft_bdf2 < 2 && !s->inc->is_controlled;
  for (int i = 0; i < s->model->num_softs && leads; i++) sup_stepper_lead_levers(s, i, state);
  return SUP_OK;
}

sup_status sup_stepper_start_rest(sup_stepper *s, int i, const double *surface) {
  sup_soft_scheme *scheme = &s->assembly.soft[i].scheme;
  *scheme = (sup_soft_scheme){.damping = 1, .surface = surface};
  SUP_TRY(SUP_ARENA(s->arena, scheme->start, 3 * s->model->soft[i].num_vertices));
  return SUP_OK;
}

void sup_stepper_hold_on(sup_stepper *s, int i, double inertia, const double *v) {
  const sup_soft  *soft = &s->model->soft[i];
  sup_soft_scheme *scheme = &s->assembly.soft[i].scheme;
  size_t           n = 3 * (size_t)soft->num_vertices;
  scheme->inertia = inertia;
  memset(scheme->start, 0, n * sizeof *scheme->start);
  if (!v) return;
  sup_fem_mass_multiply(soft->fem, v, scheme->start);
  for (size_t a = 0; a < n; a++) scheme->start[a] *= inertia;
}

/* ---- impacts --------------------------------------------------------------------------------- */

/** Block velocities of the step before; bodies without history, and trees: those of the step's
 * start. */
static void mean_before(const sup_stepper *s, const sup_state *state, double *u) {
  const sup_model *model = s->model;
  memcpy(u, s->assembly.v0, (size_t)s->A_pattern.num_scalars * sizeof *u);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    if (!s->inc->soft_bdf2 || !state->has_history[i]) continue;
    for (int a = 0; a < soft->num_vertices; a++)
      if (soft->block[a] != SUP_NONE)
        memcpy(u + sup_block_first(&s->A_pattern, soft->block[a]),
               state->mean + 3 * (soft->first_vertex + a), 3 * sizeof *u);
  }
}

void sup_stepper_predict(const sup_stepper *s, const sup_state *state, double *u) {
  mean_before(s, state, u);
  sup_stepper_dirichlet_velocity(s, u);
}

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
static double inner_energy(const sup_stepper *s, int i, const sup_state *state) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  const double   *v = state->xdot + 3 * (size_t)soft->first_vertex,
               *mass = sup_fem_vertex_mass(soft->fem);
  double energy = sup_fem_stored_energy(soft->fem, work->R, work->x,
                                        state->internal + soft->first_internal),
         p[3] = {0, 0, 0};
  sup_fem_mass_multiply(soft->fem, v, work->f);
  for (int a = 0; a < soft->num_vertices; a++)
    for (int c = 0; c < 3; c++)
      energy += 0.5 * v[3 * a + c] * work->f[3 * a + c], p[c] += mass[a] * v[3 * a + c];
  for (int c = 0; c < 3; c++) energy -= 0.5 * p[c] * p[c] / sup_fem_mass(soft->fem);
  return energy;
}

sup_status sup_stepper_find_impacts(sup_stepper *s, const sup_problem *problem,
                                    const sup_state *state) {
  const sup_model *model = s->model;
  double          *change, *vc;
  blow            *body;
  SUP_TRY(SUP_ARENA(s->arena, change, s->A_pattern.num_scalars));
  SUP_TRY(SUP_ARENA(s->arena, vc, problem->num_vc));
  SUP_TRY(SUP_ARENA(s->arena, body, model->num_softs));
  memset(body, 0, (size_t)model->num_softs * sizeof *body);
  mean_before(s, state, change);
  for (int a = 0; a < s->A_pattern.num_scalars; a++) change[a] = s->solution.v[a] - change[a];
  sup_problem_constraint_velocity(problem, change, 0, vc);
  for (int k = 0; k < s->contact.list.count; k++) { /* contacts come first */
    const sup_contact *contact = &s->contact.list.contact[k];
    int                at = problem->constraint[k].first_vc;
    int soft[2] = {model->body[contact->body_a].soft, model->body[contact->body_b].soft};
    for (int side = 0; side < 2; side++)
      if (soft[side] != SUP_NONE && (side == 0 || soft[1] != soft[0]))
        add_contact(contact, s->inc->h, s->solution.gamma + at, s->solution.vc + at, vc + at,
                    &body[soft[side]]);
  }
  for (int i = 0; i < model->num_softs; i++) {
    const blow *b = &body[i];
    if (s->assembly.soft[i].scheme.is_impact ||
        b->work <= 0.5 * b->impulse * s->inc->stiction_tolerance ||
        b->work <= sup_step_numerics.impact * b->energy)
      continue;
    s->assembly.soft[i].scheme.is_impact =
        b->work > sup_step_numerics.impact * (b->energy + inner_energy(s, i, state));
  }
  return SUP_OK;
}

sup_status sup_stepper_repeat_impacts(sup_stepper *s, const sup_state *state, int *again) {
  *again = 0;
  for (int i = 0; i < s->model->num_softs; i++) {
    sup_soft_work *work = &s->assembly.soft[i];
    if (!work->scheme.is_impact || !work->scheme.c) continue;
    SUP_TRY(start_body(s, i, state));
    for (int a = 0; a < s->model->soft[i].num_vertices; a++) work->scheme.c[a] = 1;
    weigh_momenta(s, i, state);
    work->scheme.c = NULL, work->scheme.lag = NULL, work->scheme.damping = 1,
    work->scheme.is_impact = 1;
    sup_stepper_lead_levers(s, i, state);
    *again = 1;
  }
  if (*again) SUP_TRY(sup_stepper_relinearise(s, state, NULL));
  return SUP_OK;
}

/* ---- after the step -------------------------------------------------------------------------- */

void sup_stepper_relax(sup_stepper *s, int i, const sup_state *state) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  const double   *x = s->end.next->x + 3 * (size_t)soft->first_vertex;
  int             inverted;
  if (!work->relaxing.history) return;
  sup_fem_rotations(soft->fem, x, work->R_end, &inverted);
  work->relaxed =
      sup_fem_end_relaxation(soft->fem, state->x + 3 * (size_t)soft->first_vertex, work->R_end, x,
                             sup_increment_relaxation(s->inc), &work->relaxing,
                             s->end.next->internal + soft->first_internal);
}

void sup_stepper_keep_history(sup_stepper *s, int i, const sup_state *state) {
  sup_state      *next = s->end.next;
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  size_t          first = 3 * (size_t)soft->first_vertex;
  int             n = 3 * soft->num_vertices;
  double         *v = next->xdot + first, *p0 = work->f, *p = work->g;
  for (int a = 0; a < n; a++)
    v[a] = work->scheme.lag ? work->scheme.c[a / 3] * work->v[a] - work->scheme.lag[a] : work->v[a];
  if (s->inc->motion > 0) sup_stepper_relax(s, i, state); /* statics: once, at the balance */
  if (!s->inc->soft_bdf2) return;
  sup_fem_mass_multiply(soft->fem, state->xdot + first, p0);
  sup_fem_mass_multiply(soft->fem, v, p);
  int is_first_step =
      !state->has_history[i] && !work->scheme.is_impact; /* forces act before it, as after it */
  for (int a = 0; a < n; a++) {
    int is_second = work->scheme.c && work->scheme.c[a / 3] > 1;
    next->momentum_before[first + (size_t)a] = is_second || is_first_step ? p0[a] : p[a];
  }
  memcpy(next->mean + first, work->v, (size_t)n * sizeof *work->v);
  next->has_history[i] = 1, next->mean_step = s->inc->h;
}

/** True if A = M + dt alpha M + dt (beta + m dt) K + dt^2 T, one beta and m for all materials. */
static int matrix_has_damping(const sup_soft_work *work, const sup_fem_body *fem) {
  for (int k = 1; k < sup_fem_num_materials(fem); k++)
    if (sup_fem_material(fem, k)->stiffness_damping !=
            sup_fem_material(fem, 0)->stiffness_damping ||
        (work->relaxing.history && work->relaxation.share[k] != work->relaxation.share[0]))
      return 0;
  return work->pull && !work->scheme.c;
}

/** u . dt D u with A u in Av.  Overwrites x, f, g and Av of the body.  Tension's share of A takes
 * nothing. */
static double matrix_work(sup_stepper *s, int i) {
  const sup_fem_body *fem = s->model->soft[i].fem;
  sup_soft_work      *work = &s->assembly.soft[i];
  int                 n = 3 * s->model->soft[i].num_vertices;
  double dt = s->inc->h, beta = sup_fem_material(fem, 0)->stiffness_damping, *v = work->x;
  if (matrix_has_damping(work, fem)) {
    sup_fem_damped_mass_multiply(fem, dt, work->v, work->f);
    sup_fem_mass_multiply(fem, work->v, work->g);
    double damped = sup_dot(work->v, work->f, n), elastic = sup_dot(work->v, work->Av, n) - damped;
    if (beta > 0) elastic -= dt * dt * sup_fem_pull_work(fem, work->R, work->pull, work->v);
    double share = work->relaxing.history ? work->relaxation.share[0] : 1;
    return damped - sup_dot(work->v, work->g, n) + beta / (beta + share * dt) * elastic;
  }
  for (int a = 0; a < n; a++)
    v[a] = work->scheme.damping * work->v[a] -
           (work->scheme.lag ? (work->scheme.damping - 1) * work->scheme.mean[a] : 0);
  sup_stepper_damping_multiply(s, i, v, work->Av);
  return sup_dot(work->v, work->Av, n);
}

/** Work of the damping stress of the step's end along the increment of strain, of a nonlinear body.
 */
static double increment_work(sup_stepper *s, int i) {
  sup_soft_work *work = &s->assembly.soft[i];
  sup_fem_body  *fem = s->model->soft[i].fem;
  sup_fem_strains(fem, work->R, work->x, work->strain);
  return work->increment.rate *
         sup_fem_strain_work(fem, work->strain, work->increment.start, work->strain0);
}

/** Energy that damping takes along the velocities u, beyond the predicted turns w: dt (u - w) . D
 * (u - w).  Work along w is of the order of their error and belongs to the time scheme. */
static double damping_work(sup_stepper *s, int i) {
  const sup_fem_prediction *ahead = &s->assembly.soft[i].ahead;
  double dt = s->inc->h, all = s->assembly.soft[i].strain ? increment_work(s, i) : 0;
  all += matrix_work(s, i);
  if (!ahead->damping) return all;
  return all -
         2 * dt *
             sup_dot(s->assembly.soft[i].v, ahead->damping, 3 * s->model->soft[i].num_vertices) +
         ahead->work;
}

/** Arguments that threads share. */
typedef struct audit {
  sup_stepper     *s;
  const sup_state *state;
} audit;

/** impulse := the part of it, and of that of the step before, that shows in the velocities after
 * the step: c (p - p0) = impulse + (start - c p0), of which the last is the rest of the step
 * before. Work by that is the same to observers of any speed, as the change of kinetic energy is.
 */
static void show_impulse(const audit *j, int i, double *impulse) {
  const sup_soft        *soft = &j->s->model->soft[i];
  const sup_soft_scheme *scheme = &j->s->assembly.soft[i].scheme;
  size_t                 first = 3 * (size_t)soft->first_vertex;
  const double          *before = j->state->impulse_before + first;
  double *keep = j->s->end.next->impulse_before + first, r = ratio_of(j->s, j->state);
  int     goes_on = has_history(j->s, i, j->state);
  for (int a = 0; a < 3 * soft->num_vertices; a++) {
    int is_second = scheme->c && scheme->c[a / 3] > 1;
    if (goes_on) impulse[a] += (is_second ? r * r / (1 + r) : 0.5) * before[a];
    if (is_second) impulse[a] /= scheme->c[a / 3];
    keep[a] = is_second || (!goes_on && !scheme->is_impact) ? impulse[a] : 0;
  }
}

/** Velocity u of a carried point of a soft body. */
static sup_v3 velocity_of(const sup_stepper *s, int soft, const sup_carrier *carrier) {
  sup_v3 v = {0, 0, 0};
  for (int k = 0; k < carrier->num_vertices; k++)
    v = sup_v3_madd(v, carrier->weight[k],
                    sup_v3_load(s->assembly.soft[soft].v + 3 * carrier->vertex[k]));
  return v;
}

/** Velocities with weights. */
typedef struct mean {
  sup_v3 sum;
  double weight;
} mean;

/** partner of the state after the step: mean velocity of the pushing contacts, weighted by impulse;
 * of those in reach if none pushes. */
static sup_status find_partners(sup_stepper *s) {
  const sup_model *model = s->model;
  mean            *partner; /* in reach, and pushing */
  SUP_TRY(SUP_ARENA(s->arena, partner, 2 * model->num_softs));
  memset(partner, 0, 2 * (size_t)model->num_softs * sizeof *partner);
  for (int k = 0; k < s->contact.list.count; k++) { /* contacts come first */
    const sup_contact *c = &s->contact.list.contact[k];
    int                at = s->contact.rows.constraint[k].first_vc;
    double             push = s->solution.gamma[at + 2];
    sup_m3             R = sup_m3_frame_of_normal(c->normal);
    sup_v3             past = sup_m3_apply(R, sup_v3_load(s->solution.vc + at)); /* b past a */
    for (int side = 0; side < 2; side++) {
      int soft = model->body[side ? c->body_b : c->body_a].soft;
      if (soft == SUP_NONE) continue;
      sup_v3 other = sup_v3_madd(velocity_of(s, soft, side ? &c->carrier_b : &c->carrier_a),
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
    if (m->weight > 0)
      sup_v3_store(s->end.next->partner + 3 * i, sup_v3_scale(1 / m->weight, m->sum));
  }
  return SUP_OK;
}

/** Impulses between vertices of first and of second order show at different times.  The change of a
 * body's momentum by that counts as an impulse of the contacts that made vertices first order, at
 * the velocity of their other sides.  @return  its work [J] */
static double work_of_lags(const audit *j, int i, const double *impulse) {
  const sup_soft  *soft = &j->s->model->soft[i];
  const sup_state *next = j->s->end.next;
  const double    *mass = sup_fem_vertex_mass(soft->fem);
  const double    *v0 = j->state->xdot + 3 * (size_t)soft->first_vertex,
               *v1 = next->xdot + 3 * (size_t)soft->first_vertex;
  double lag[3] = {0, 0, 0};
  for (int a = 0; a < 3 * soft->num_vertices; a++)
    lag[a % 3] += mass[a / 3] * (v1[a] - v0[a]) - impulse[a];
  return sup_v3_dot(sup_v3_load(lag), sup_v3_load(next->partner + 3 * i));
}

/** Energies of one body.  With r = A u - p the impulses of contacts and links, r + dt f_ext is the
 * external impulse on a body. */
static void audit_body(void *user, int i, int thread) {
  const audit    *j = user;
  const sup_soft *soft = &j->s->model->soft[i];
  sup_soft_work  *work = &j->s->assembly.soft[i];
  int             n = 3 * soft->num_vertices;
  double         *external = work->f;
  (void)thread;
  memset(external, 0, (size_t)n * sizeof *external);
  sup_stepper_external_impulse(j->s, i, external);
  for (int a = 0; a < n; a++) external[a] += work->Av[a] - work->p[a];
  if (j->state->impulse_before) show_impulse(j, i, external);
  work->work = sup_dot(work->v, external, n), work->dissipation = 0;
  if (j->state->impulse_before && !sup_stepper_has_drag(soft))
    work->work += work_of_lags(j, i, external);
  if (sup_stepper_turns_freely(soft))
    j->s->end.spin[i] = sup_stepper_spin(j->s, i, j->state, external);
  if (sup_fem_is_damped(soft->fem)) work->dissipation = damping_work(j->s, i);
}

sup_status sup_stepper_audit(sup_stepper *s, const sup_state *state, sup_step_report *report) {
  if (state->impulse_before) SUP_TRY(find_partners(s));
  sup_stepper_for_bodies(s, audit_body, &(audit){s, state});
  s->end.result.spin = s->end.spin;
  for (int k = 0; k < s->contact.list.count; k++)
    report->soft_work += s->inc->h * s->contact.list.contact[k].given;
  for (int i = 0; i < s->model->num_softs; i++) {
    report->soft_work += s->assembly.soft[i].work;
    report->soft_damping += s->assembly.soft[i].dissipation;
    report->soft_relaxation += s->assembly.soft[i].relaxed;
    report->impacts += s->assembly.soft[i].scheme.is_impact;
  }
  return SUP_OK;
}
