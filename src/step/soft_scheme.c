/* Time schemes of soft bodies: implicit Euler and BDF2 (THEORY 15.5).
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
 *  BDF2 conserves the momentum (3 p - p_{-1})/2. A vertex in reach of a contact, and every vertex
 * of a body in an impact, takes a step of first order: it starts from this momentum and ends with
 * p_{-1} = p, so that no impulse is lost (src/DECISIONS.md).
 */
#include <math.h>
#include <string.h>

#include "fem/material.h"
#include "la/vector.h"
#include "step/assembly.h"
#include "step/numerics.h"

/* ---- start of the step ------------------------------------------------------------------- */

int sup_assembly_has_history(const sup_step_start *s, int i) {
  return s->inc->soft_bdf2 && s->state->has_history[i];
}

/** Set first order for a vertex in reach of the contacts that were found. */
static void touch(sup_assembly *assembly, int body, const sup_carrier *carrier) {
  int i = assembly->layout->model->body[body].soft;
  if (i == SUP_NONE || !assembly->soft[i].scheme.c) return;
  for (int k = 0; k < carrier->num_vertices; k++)
    assembly->soft[i].scheme.c[carrier->vertex[k]] = 1;
}

double sup_assembly_length_ratio(const sup_step_start *s) {
  return s->state->mean_step > 0 ? s->inc->h / s->state->mean_step : 1;
}

static sup_status start_body(const sup_step_start *s, sup_assembly *assembly, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  size_t          first = 3 * (size_t)soft->first_vertex;
  int             n = 3 * soft->num_vertices;
  work->scheme.c = NULL, work->scheme.lag = NULL, work->scheme.damping = 1,
  work->scheme.is_impact = 0;
  work->scheme.inertia = 1;
  work->scheme.surface = sup_soft_has_follower(soft) ? work->x : s->state->x + first;
  SUP_TRY(SUP_ARENA(s->arena, work->scheme.start, n));
  if (!assembly->is_apart)
    sup_fem_mass_multiply(soft->fem, s->state->xdot + first, work->scheme.start);
  if (!sup_assembly_has_history(s, i)) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, work->scheme.c, soft->num_vertices));
  SUP_TRY(SUP_ARENA(s->arena, work->scheme.lag, n));
  double r = sup_assembly_length_ratio(s), c = (1 + 2 * r) / (1 + r);
  for (int a = 0; a < soft->num_vertices; a++) work->scheme.c[a] = c;
  work->scheme.damping = c, work->scheme.mean = s->state->mean + first;
  return SUP_OK;
}

/** Set start (which contains p0) and lag of each vertex. */
static void weigh_momenta(const sup_step_start *s, sup_assembly *assembly, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  size_t          first = 3 * (size_t)soft->first_vertex;
  if (!sup_assembly_has_history(s, i)) return;
  double r = sup_assembly_length_ratio(s);
  for (int a = 0; a < 3 * soft->num_vertices; a++) {
    int    is_second = work->scheme.c[a / 3] > 1;
    double p0 = work->scheme.start[a], before = s->state->momentum_before[first + (size_t)a];
    work->scheme.start[a] =
        is_second ? ((2 + 2 * r) * p0 - 2 * r * r / (1 + r) * before) / 2 : (3 * p0 - before) / 2;
    work->scheme.lag[a] = is_second ? r / (1 + r) * s->state->mean[first + (size_t)a] : 0;
  }
}

sup_status sup_assembly_schemes(const sup_step_start *s, const sup_contact_list *contacts,
                                sup_assembly *assembly) {
  for (int i = 0; i < s->model->num_softs; i++) SUP_TRY(start_body(s, assembly, i));
  if (s->inc->soft_bdf2 == 1)
    for (int k = 0; k < contacts->count; k++) {
      const sup_contact *contact = &contacts->contact[k];
      touch(assembly, contact->body_a, &contact->carrier_a);
      touch(assembly, contact->body_b, &contact->carrier_b);
    }
  sup_assembly_join_orders(assembly);
  for (int i = 0; i < s->model->num_softs; i++) weigh_momenta(s, assembly, i);
  int leads = sup_step_restores_spin(s);
  for (int i = 0; i < s->model->num_softs && leads; i++) sup_assembly_add_lost_spin(s, assembly, i);
  return SUP_OK;
}

sup_status sup_assembly_start_rest(const sup_step_start *s, sup_assembly *assembly, int i,
                                   const double *surface) {
  sup_soft_scheme *scheme = &assembly->soft[i].scheme;
  *scheme = (sup_soft_scheme){.damping = 1, .surface = surface};
  SUP_TRY(SUP_ARENA(s->arena, scheme->start, 3 * s->model->soft[i].num_vertices));
  return SUP_OK;
}

void sup_assembly_add_mass_proximal(sup_assembly *assembly, int i, double inertia,
                                    const double *v) {
  const sup_soft  *soft = &assembly->layout->model->soft[i];
  sup_soft_scheme *scheme = &assembly->soft[i].scheme;
  size_t           n = 3 * (size_t)soft->num_vertices;
  scheme->inertia = inertia;
  memset(scheme->start, 0, n * sizeof *scheme->start);
  if (!v) return;
  sup_fem_mass_multiply(soft->fem, v, scheme->start);
  for (size_t a = 0; a < n; a++) scheme->start[a] *= inertia;
}

/* ---- prediction, impacts
 * --------------------------------------------------------------------------------- */

void sup_assembly_mean_before(const sup_step_start *s, const sup_assembly *assembly, double *u) {
  const sup_model *model = s->model;
  memcpy(u, assembly->v0, (size_t)s->layout->A_pattern.num_scalars * sizeof *u);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    if (!s->inc->soft_bdf2 || !s->state->has_history[i]) continue;
    for (int a = 0; a < soft->num_vertices; a++)
      if (soft->block[a] != SUP_NONE)
        memcpy(u + sup_block_first(&s->layout->A_pattern, soft->block[a]),
               s->state->mean + 3 * (soft->first_vertex + a), 3 * sizeof *u);
  }
}

void sup_assembly_predict(const sup_step_start *s, const sup_assembly *assembly, double *u) {
  sup_assembly_mean_before(s, assembly, u);
  sup_assembly_dirichlet_velocity(assembly, u);
}

sup_status sup_assembly_restart_impacts(const sup_step_start *s, sup_assembly *assembly, int *any) {
  *any = 0;
  for (int i = 0; i < s->model->num_softs; i++) {
    sup_soft_work *work = &assembly->soft[i];
    if (!work->scheme.is_impact || !work->scheme.c) continue;
    SUP_TRY(start_body(s, assembly, i));
    for (int a = 0; a < s->model->soft[i].num_vertices; a++) work->scheme.c[a] = 1;
    weigh_momenta(s, assembly, i);
    work->scheme.c = NULL, work->scheme.lag = NULL, work->scheme.damping = 1,
    work->scheme.is_impact = 1;
    sup_assembly_add_lost_spin(s, assembly, i);
    *any = 1;
  }
  return SUP_OK;
}

/* ---- after the step -------------------------------------------------------------------------- */

void sup_assembly_relax(const sup_step_start *s, const sup_assembly *assembly, int i,
                        sup_state *next, double done[2]) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  const double   *x = next->x + 3 * (size_t)soft->first_vertex;
  int             inverted;
  done[0] = done[1] = 0;
  if (!work->relaxing.history) return;
  sup_fem_rotations(soft->fem, x, work->R_end, &inverted);
  sup_fem_end_relaxation(soft->fem, s->state->x + 3 * (size_t)soft->first_vertex, work->R_end, x,
                         sup_increment_relaxation(s->inc), &work->relaxing,
                         next->internal + soft->first_internal, done);
}

void sup_assembly_update_history(const sup_step_start *s, const sup_assembly *assembly, int i,
                                 const double *u, sup_state *next) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  size_t          first = 3 * (size_t)soft->first_vertex;
  int             n = 3 * soft->num_vertices;
  double         *v = next->xdot + first, *p0 = work->f, *p = work->g;
  for (int a = 0; a < n; a++)
    v[a] = work->scheme.lag ? work->scheme.c[a / 3] * u[a] - work->scheme.lag[a] : u[a];
  if (!s->inc->soft_bdf2) return;
  sup_fem_mass_multiply(soft->fem, s->state->xdot + first, p0);
  sup_fem_mass_multiply(soft->fem, v, p);
  int is_first_step = !s->state->has_history[i] &&
                      !work->scheme.is_impact; /* forces act in the first step as in all others */
  for (int a = 0; a < n; a++) {
    int is_second = work->scheme.c && work->scheme.c[a / 3] > 1;
    next->momentum_before[first + (size_t)a] = is_second || is_first_step ? p0[a] : p[a];
  }
  memcpy(next->mean + first, u, (size_t)n * sizeof *u);
  next->has_history[i] = 1, next->mean_step = s->inc->h;
}
