/* A and p of the step: FEM bodies with their attached vertices substituted, trees
 * (THEORY 2.3, 3.4, 15.2). */
#include <string.h>

#include "fem/material.h"
#include "step/stepper.h"

static const double *tree_part(const double *all, const sup_model *model, int t) {
  return all + model->v_start[t];
}

/* ---- one soft body on its own vertices ------------------------------------------------------- */

static sup_status allocate_soft(sup_stepper *s, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  int             n = 3 * soft->num_vertices;
  SUP_TRY(SUP_ARENA(s->arena, work->R, sup_fem_mesh(soft->fem)->num_cells));
  SUP_TRY(SUP_ARENA(s->arena, work->p, n));
  SUP_TRY(SUP_ARENA(s->arena, work->v, n));
  SUP_TRY(SUP_ARENA(s->arena, work->x, n));
  SUP_TRY(SUP_ARENA(s->arena, work->f, n));
  SUP_TRY(SUP_ARENA(s->arena, work->held, n));
  SUP_TRY(SUP_ARENA(s->arena, work->g, n));
  work->strain0 = work->strain = NULL, work->increment = (sup_fem_increment){.rate = 0},
  work->pull = NULL;
  work->ahead = (sup_fem_prediction){0};
  work->is_nonlinear =
      s->inc->is_large || sup_stepper_soft_is_nonlinear(s->model, i, s->inc->soft_bdf2);
  s->assembly.is_nonlinear |= work->is_nonlinear;
  work->A = s->assembly.A, work->place = s->soft_map[i].place;
  if (s->is_free) {
    SUP_TRY(sup_stepper_allocate_free(s, i));
  } else if (!work->place || work->is_nonlinear) {
    work->place = sup_block_values(sup_fem_pattern(soft->fem));
    SUP_TRY(SUP_ARENA(s->arena, work->A, sup_block_pattern_num_values(sup_fem_pattern(soft->fem))));
  }
  if (work->is_nonlinear && s->inc->motion > 0 && sup_fem_has_stiffness_damping(soft->fem)) {
    SUP_TRY(SUP_ARENA(s->arena, work->strain0, sup_fem_strain_size(soft->fem)));
    SUP_TRY(SUP_ARENA(s->arena, work->strain, sup_fem_strain_size(soft->fem)));
    SUP_TRY(SUP_ARENA(s->arena, work->reference, sup_fem_strain_size(soft->fem)));
    work->increment.start = work->reference;
  }
  if (!work->is_nonlinear) SUP_TRY(SUP_ARENA(s->arena, work->pull, sup_fem_pull_size(soft->fem)));
  if (!work->is_nonlinear && sup_fem_has_stiffness_damping(soft->fem)) {
    SUP_TRY(SUP_ARENA(s->arena, work->ahead.damping, n));
    SUP_TRY(SUP_ARENA(s->arena, work->ahead.cell_work, sup_fem_mesh(soft->fem)->num_cells));
  }
  SUP_TRY(SUP_ARENA(s->arena, work->Av, n));
  work->elastic = NULL;
  if (work->is_nonlinear) SUP_TRY(SUP_ARENA(s->arena, work->elastic, n));
  work->relaxing = (sup_fem_relaxing){NULL, NULL}, work->relaxed = 0;
  if (soft->num_internal == 0) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, work->relaxing.start, sup_fem_history_size(soft->fem)));
  SUP_TRY(SUP_ARENA(s->arena, work->relaxing.history, sup_fem_history_size(soft->fem)));
  SUP_TRY(SUP_ARENA(s->arena, work->R_end, sup_fem_mesh(soft->fem)->num_cells));
  work->increment.relaxation = &work->relaxation;
  return SUP_OK;
}

/** Damping sees the velocity damping u - (damping - 1) u_{-1}: strains e from which increments are
 * measured, damping e = damping e0 + (damping - 1) (e0 - e_{-1}), at the step's start, where x and
 * R are. */
static void start_increments(const sup_stepper *s, const sup_soft *soft, sup_soft_work *work) {
  size_t  n = sup_fem_strain_size(soft->fem);
  double *start = work->reference, dt = s->inc->h, ratio = 1 - 1 / work->scheme.damping;
  int     inverted;
  work->increment.rate = work->scheme.damping / dt;
  sup_fem_strains(soft->fem, work->R, work->x, work->strain0);
  memcpy(start, work->strain0, n * sizeof *start);
  if (!work->scheme.lag) return;
  for (int a = 0; a < 3 * soft->num_vertices; a++)
    work->f[a] = work->x[a] - dt * work->scheme.mean[a];
  sup_fem_rotations(soft->fem, work->f, work->R, &inverted);
  sup_fem_strains(soft->fem, work->R, work->f, work->strain);
  sup_fem_rotations(soft->fem, work->x, work->R, &inverted);
  for (size_t k = 0; k < n; k++) start[k] += ratio * (start[k] - work->strain[k]);
}

const sup_fem_increment *sup_stepper_increment(const sup_soft_work *work) {
  return work->strain || work->relaxing.history ? &work->increment : NULL;
}

/** Relaxation terms of a body that is linear in a step; NULL: none. */
static const sup_fem_relaxation *relaxation_of(const sup_soft_work *work) {
  return work->relaxing.history ? &work->relaxation : NULL;
}

/** Cell operator of a nonlinear body that is not assembled: the tangent at x. */
static void nonlinear_cells(const sup_stepper *s, int i) {
  const sup_soft    *soft = &s->model->soft[i];
  sup_soft_work     *work = &s->assembly.soft[i];
  double             dt = s->inc->h;
  sup_fem_mass_terms mass = {.scale = work->scheme.inertia};
  if (work->scheme.inertia == 1)
    mass =
        sup_fem_mass_of_step(soft->fem, s->inc->motion * work->scheme.damping * dt, work->scheme.c);
  work->cells =
      sup_fem_cells_of_tangent(soft->fem, work->R, work->x, dt * dt, sup_stepper_increment(work),
                               s->is_exact, &mass, work->cell_pull);
  sup_stepper_take_cells(s, i);
}

/** A of a nonlinear material: the tangent K at x, with damping by increments. */
static void nonlinear_matrix(const sup_stepper *s, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  double          dt = s->inc->h;
  if (s->is_free) {
    nonlinear_cells(s, i);
    return;
  }
  if (work->scheme.inertia == 1)
    sup_fem_step_mass(soft->fem, s->inc->motion * work->scheme.damping * dt, work->scheme.c, NULL,
                      work->A);
  else
    sup_fem_mass_matrix(soft->fem, work->scheme.inertia, work->A);
  sup_fem_add_step_stiffness(soft->fem, work->R, work->x, dt * dt, sup_stepper_increment(work),
                             s->is_exact, work->A);
  if (!s->is_exact)
    sup_fem_add_tension(soft->fem, work->R, work->x, dt * dt, (sup_v3){0, 0, 0},
                        relaxation_of(work), work->A, NULL);
}

void sup_stepper_stiffness_multiply(const sup_stepper *s, int i, const double *u, double *Mu,
                                    double *out) {
  const sup_soft      *soft = &s->model->soft[i];
  const sup_soft_work *work = &s->assembly.soft[i];
  int                  n = 3 * soft->num_vertices;
  sup_fem_damped_mass_multiply(soft->fem, s->inc->motion * work->scheme.damping * s->inc->h, u, Mu);
  for (int a = 0; a < n && work->scheme.inertia != 1; a++) Mu[a] *= work->scheme.inertia;
  if (work->scheme.c) { /* + (C M C - M) u */
    sup_fem_mass_multiply(soft->fem, u, out);
    for (int a = 0; a < n; a++) Mu[a] -= out[a], work->g[a] = work->scheme.c[a / 3] * u[a];
    sup_fem_mass_multiply(soft->fem, work->g, out);
    for (int a = 0; a < n; a++) Mu[a] += work->scheme.c[a / 3] * out[a];
  }
  sup_stepper_multiply_soft(s, i, u, out);
  for (int a = 0; a < n; a++) out[a] -= Mu[a];
}

void sup_stepper_damping_multiply(const sup_stepper *s, int i, const double *u, double *out) {
  const sup_soft      *soft = &s->model->soft[i];
  const sup_soft_work *work = &s->assembly.soft[i];
  double               dt = s->inc->h;
  int                  n = 3 * soft->num_vertices;
  memset(out, 0, (size_t)n * sizeof *out);
  if (!sup_fem_is_damped(soft->fem)) return;
  if (!work->is_nonlinear) sup_fem_add_damping_force(soft->fem, work->R, u, -dt, out);
  sup_fem_damped_mass_multiply(soft->fem, dt, u, work->f);
  sup_fem_mass_multiply(soft->fem, u, work->g);
  for (int a = 0; a < n; a++) out[a] += work->f[a] - work->g[a];
}

/** out += scale times the weight of the vertices. */
static void add_weight(const sup_stepper *s, const sup_soft *soft, double scale, double *out) {
  const double *mass = sup_fem_vertex_mass(soft->fem),
               g[3] = {s->inc->gravity.x, s->inc->gravity.y, s->inc->gravity.z};
  for (int a = 0; a < soft->num_vertices; a++)
    for (int c = 0; c < 3; c++) out[3 * a + c] += scale * (mass[a] * g[c]);
}

/** out += dt times the tractions at the step's end. */
static void add_tractions(const sup_stepper *s, int i, double *out) {
  const sup_increment *inc = s->inc;
  sup_soft_add_tractions(&s->model->soft[i], inc->inputs, inc->t0 + inc->h,
                         s->assembly.soft[i].scheme.surface, inc->h, inc->load, out);
}

void sup_stepper_external_impulse(const sup_stepper *s, int i, double *out) {
  add_weight(s, &s->model->soft[i], s->inc->h, out);
  add_tractions(s, i, out);
}

/** p := start + C M lag + (damping - 1) dt D u_{-1}, of nonlinear materials alpha M alone: the
 * known part of the momentum after the step. */
static void known_momentum(sup_stepper *s, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  int             n = 3 * soft->num_vertices;
  memcpy(work->p, work->scheme.start, (size_t)n * sizeof *work->p);
  if (!work->scheme.lag) return;
  sup_fem_mass_multiply(soft->fem, work->scheme.lag, work->f);
  for (int a = 0; a < n; a++) work->p[a] += work->scheme.c[a / 3] * work->f[a];
  sup_stepper_damping_multiply(s, i, work->scheme.mean, work->Av);
  for (int a = 0; a < n; a++) work->p[a] += (work->scheme.damping - 1) * work->Av[a];
}

/** Angular velocity with which a body turns as a whole: the mean of its links'; 0 if it is held;
 * its own if it is free. */
static sup_v3 carried_turn(const sup_stepper *s, const sup_soft *soft, const sup_state *state) {
  sup_v3 sum = {0, 0, 0};
  for (int k = 0; k < soft->num_attachments; k++)
    sum = sup_v3_add(sum, s->kin.w[soft->attachment[k].body]);
  if (soft->num_attachments > 0) return sup_v3_scale(1.0 / soft->num_attachments, sum);
  if (soft->num_dirichlet > 0) return (sup_v3){0, 0, 0};
  return sup_fem_spin(soft->fem, state->x + 3 * soft->first_vertex,
                      state->xdot + 3 * soft->first_vertex);
}

/** Positions and rotations at the step's start, and increments and relaxation measured from there.
 */
static void begin_soft(sup_stepper *s, int i, const sup_state *state) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  memcpy(work->x, state->x + 3 * soft->first_vertex,
         3 * (size_t)soft->num_vertices * sizeof *work->x);
  sup_fem_rotations(soft->fem, work->x, work->R, &work->inverted_now);
  if (work->strain) start_increments(s, soft, work);
  if (work->relaxing.history)
    sup_fem_begin_relaxation(soft->fem, work->R, work->x, sup_increment_relaxation(s->inc),
                             state->internal + soft->first_internal, &work->relaxing,
                             &work->relaxation);
}

/** work->A and work->p on all vertices (stepper.h).  Elastic forces are linear about the step's
 * start; or, for `v` [num_vertices x 3], about the positions after a step with it; `stays`: A is
 * kept. */
static void assemble_soft(sup_stepper *s, int i, const sup_state *state, const double *v,
                          int stays) {
  const sup_model *model = s->model;
  const sup_soft  *soft = &model->soft[i];
  sup_soft_work   *work = &s->assembly.soft[i];
  const double    *x0 = state->x + 3 * soft->first_vertex;
  double           dt = s->inc->h, *x = work->x, *f = work->f;
  for (int a = 0; a < 3 * soft->num_vertices && v; a++) x[a] = x0[a] + dt * v[a];
  if (v) sup_fem_rotations(soft->fem, x, work->R, &work->inverted_now);
  known_momentum(s, i);
  if (work->is_nonlinear) {
    if (!stays) nonlinear_matrix(s, i);
    sup_fem_step_force(soft->fem, work->R, x, sup_stepper_increment(work), work->elastic);
    memcpy(f, work->elastic, 3 * (size_t)soft->num_vertices * sizeof *f);
  } else {
    work->ahead.v = work->ahead.damping ? state->xdot + 3 * soft->first_vertex : NULL;
    sup_fem_step_system(soft->fem, work->R, x, dt, work->scheme.c, work->scheme.damping,
                        carried_turn(s, soft, state), &work->ahead, relaxation_of(work),
                        work->A == s->assembly.A ? work->place : NULL, s->is_free ? NULL : work->A,
                        f, work->pull);
    if (s->is_free) {
      work->cells = sup_fem_cells_of_step(soft->fem, work->R, x, dt, work->scheme.c,
                                          work->scheme.damping, relaxation_of(work), work->pull);
      sup_stepper_take_cells(s, i);
    }
  }
  add_weight(s, soft, 1, f); /* first: at rest they cancel */
  for (int a = 0; a < 3 * soft->num_vertices; a++) work->p[a] += dt * f[a];
  add_tractions(s, i, work->p);
  if (!v) return;
  double *Mv = work->f, *Kv = work->Av; /* f is in p */
  sup_stepper_stiffness_multiply(s, i, v, Mv, Kv);
  for (int a = 0; a < 3 * soft->num_vertices; a++) work->p[a] += Kv[a];
}

/* ---- into A and p ---------------------------------------------------------------------------- */

/** Copy the blocks of vertices into A: no two bodies share one. */
static void copy_blocks(sup_stepper *s, int i) {
  const sup_block_pattern *P = sup_fem_pattern(s->model->soft[i].fem);
  const sup_soft_map      *map = &s->soft_map[i];
  const double            *K = s->assembly.soft[i].A;
  if (s->is_free) sup_stepper_place_diagonal(s, i);
  if (K == s->assembly.A || s->is_free) return;
  for (size_t k = 0; k < map->num_runs; k++) {
    const sup_soft_run *run = &map->run[k];
    memcpy(s->assembly.A + sup_block_value(&s->A_pattern, run->to),
           K + sup_block_value(P, run->from), 9 * (size_t)run->count * sizeof *K);
  }
}

void sup_stepper_add_momentum(sup_stepper *s, int i, int a, const double pa[3]) {
  const sup_soft       *soft = &s->model->soft[i];
  const sup_attachment *attachment = &s->assembly.soft[i].attachment;
  int                   block = sup_soft_moving_block(s->model, soft, a);
  if (block == SUP_NONE) return;
  double *to = s->assembly.p + sup_block_first(&s->A_pattern, block);
  if (soft->kind[a] == SUP_VERTEX_FREE) {
    for (int c = 0; c < 3; c++) to[c] += pa[c];
    return;
  }
  const double *J = sup_attachment_jacobian(attachment, soft, a);
  int           nv = soft->attachment[soft->attach_of[a]].nv;
  for (int c = 0; c < 3; c++)
    for (int j = 0; j < nv; j++) to[j] += J[c * nv + j] * pa[c];
}

/** p += T^T (p_fem - A_fem v_prescribed), with the known velocities by the motion of bases. */
static void scatter_momentum(sup_stepper *s, int i) {
  const sup_soft       *soft = &s->model->soft[i];
  sup_soft_work        *work = &s->assembly.soft[i];
  const sup_attachment *attachment = &work->attachment;
  int                   moving = 0;
  for (int k = 0; k < 3 * soft->num_attached; k++) moving |= attachment->base[k] != 0;
  if (moving) {
    memset(work->v, 0, 3 * (size_t)soft->num_vertices * sizeof *work->v);
    for (int a = 0; a < soft->num_vertices; a++)
      if (soft->attach_slot[a] != SUP_NONE)
        memcpy(work->v + 3 * a, attachment->base + 3 * soft->attach_slot[a], 3 * sizeof *work->v);
    sup_stepper_multiply_links(s, i, work->v, work->Av);
    for (int k = 0; k < 3 * soft->num_vertices; k++) work->Av[k] = work->p[k] - work->Av[k];
  }
  const double *from = moving ? work->Av : work->p;
  for (int a = 0; a < soft->num_vertices; a++) {
    if (soft->kind[a] == SUP_VERTEX_FREE) {
      double *to = s->assembly.p + sup_block_first(&s->A_pattern, soft->block[a]);
      for (int c = 0; c < 3; c++) to[c] += from[3 * a + c];
    } else {
      sup_stepper_add_momentum(s, i, a, from + 3 * a);
    }
  }
}

/** v0 in block order. */
static void gather_velocity(const sup_stepper *s, const sup_state *state, double *u) {
  const sup_model *model = s->model;
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE)
      memcpy(u + sup_block_first(&s->A_pattern, model->tree_block[t]),
             tree_part(state->v, model, t), (size_t)model->tree[t]->nv * sizeof *u);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < soft->num_vertices; a++)
      if (soft->block[a] != SUP_NONE)
        memcpy(u + sup_block_first(&s->A_pattern, soft->block[a]),
               state->xdot + 3 * (soft->first_vertex + a), 3 * sizeof *u);
  }
  sup_stepper_dirichlet_velocity(s, u);
}

/** Block columns of trees := 0; those of vertices are written, not added to. */
static void clear_trees(sup_stepper *s) {
  const sup_block_pattern *P = &s->A_pattern;
  for (int t = 0; t < s->model->num_trees; t++) {
    int block = s->model->tree_block[t];
    if (block == SUP_NONE) continue;
    size_t from = sup_block_diagonal(P, block), end = sup_block_diagonal(P, block + 1);
    memset(s->assembly.A + from, 0, (end - from) * sizeof *s->assembly.A);
  }
}

void sup_stepper_begin_softs(sup_stepper *s, const sup_state *state) {
  for (int i = 0; i < s->model->num_softs; i++) {
    sup_soft_work *work = &s->assembly.soft[i];
    begin_soft(s, i, state);
    work->inverted = work->inverted_now;
    if (work->is_nonlinear)
      sup_fem_step_force(s->model->soft[i].fem, work->R, work->x, sup_stepper_increment(work),
                         work->elastic);
  }
}

/** Arguments that threads share. */
typedef struct assembly {
  sup_stepper     *s;
  const sup_state *state;
  const double    *v;
  int              begins;  /* the step: otherwise it has begun, and `v` is not NULL */
  int              stays;   /* A: linear bodies stay as they are */
  unsigned char   *is_done; /* [num_softs] */
} assembly;

/** Assemble one body; bodies share no data. */
static void assemble_body(void *user, int i, int thread) {
  const assembly *a = user;
  sup_stepper    *s = a->s;
  int             about_v = a->v && s->assembly.soft[i].is_nonlinear;
  (void)thread;
  if (a->stays && !about_v) return;
  if (a->begins || !about_v) begin_soft(s, i, a->state);
  if (a->begins) s->assembly.soft[i].inverted = s->assembly.soft[i].inverted_now;
  if (about_v) sup_stepper_vertex_velocity(s, i, a->v, s->assembly.soft[i].v);
  assemble_soft(s, i, a->state, about_v ? s->assembly.soft[i].v : NULL, a->stays);
  if (!a->stays) copy_blocks(s, i);
}

/** A body that is far more than a thread's share, and enough work for all: it is assembled alone,
 * by ranges of its cells (base/ranges.h). */
static int takes_all_threads(const sup_model *model, int i) {
  int threads = sup_team_size();
  return threads > 1 && 4 * model->soft[i].num_vertices > 5 * (model->num_vertices / threads) &&
         sup_fem_threads(model->soft[i].fem) == threads;
}

static void assemble_small(void *user, int i, int thread) {
  const assembly *a = user;
  if (!a->is_done[i]) assemble_body(user, i, thread);
}

static sup_status assemble_bodies(sup_stepper *s, assembly a) {
  const sup_model *model = s->model;
  SUP_TRY(SUP_ARENA(s->arena, a.is_done, model->num_softs));
  for (int i = 0; i < model->num_softs; i++)
    if ((a.is_done[i] = (unsigned char)takes_all_threads(model, i)) != 0) assemble_body(&a, i, 0);
  sup_stepper_for_bodies(s, assemble_small, &a);
  return SUP_OK;
}

static sup_status assemble_softs(sup_stepper *s, const sup_state *state, const double *v,
                                 int begins) {
  const sup_model *model = s->model;
  int              n = s->A_pattern.num_scalars;
  memset(s->assembly.p, 0, (size_t)n * sizeof *s->assembly.p);
  clear_trees(s);
  SUP_TRY(assemble_bodies(s, (assembly){s, state, v, begins, 0, NULL}));
  for (int i = 0; i < model->num_softs; i++) {
    SUP_TRY(sup_stepper_add_links(s, i));
    scatter_momentum(s, i);
  }
  sup_stepper_dirichlet(s);
  return SUP_OK;
}

sup_status sup_stepper_assemble_softs(sup_stepper *s, const sup_state *state, const double *v) {
  return assemble_softs(s, state, v, !v);
}

/** Assemble trees, springs, efforts and loads into A and p. */
static sup_status assemble_rest(sup_stepper *s, const sup_state *state, const double *v) {
  s->assembly.elapsed = 0;
  SUP_TRY(sup_stepper_trees(s, state, v));
  SUP_TRY(sup_stepper_springs(s, state));
  sup_stepper_efforts(s);
  if (s->inc->scheme.theta <= 0) SUP_TRY(sup_stepper_loads(s));
  sup_stepper_share_trees(s);
  return SUP_OK;
}

sup_status sup_stepper_relinearise(sup_stepper *s, const sup_state *state, const double *v) {
  size_t size = (size_t)s->A_pattern.num_scalars * sizeof *s->assembly.linear_at;
  if (v) {
    memcpy(s->assembly.linear_at, v, size);
  } else {
    memset(s->assembly.linear_at, 0, size);
    sup_stepper_dirichlet_velocity(s, s->assembly.linear_at);
  }
  SUP_TRY(sup_stepper_assemble_softs(s, state, v));
  return assemble_rest(s, state, v);
}

/** p += scale T^T p_fem of nonlinear bodies but for components that are held. */
static void add_nonlinear(sup_stepper *s, double scale) {
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft      *soft = &s->model->soft[i];
    const sup_soft_work *work = &s->assembly.soft[i];
    for (int a = 0; a < soft->num_vertices && work->is_nonlinear; a++) {
      int    held = soft->block[a] == SUP_NONE ? 0 : s->held_axes[soft->block[a]];
      double p[3];
      for (int c = 0; c < 3; c++) p[c] = held >> c & 1 ? 0 : scale * work->p[3 * a + c];
      sup_stepper_add_momentum(s, i, a, p);
    }
  }
}

sup_status sup_stepper_renew_forces(sup_stepper *s, const sup_state *state, const double *v) {
  add_nonlinear(s, -1);
  SUP_TRY(assemble_bodies(s, (assembly){s, state, v, 0, 1, NULL}));
  add_nonlinear(s, 1);
  memcpy(s->assembly.linear_at, v,
         (size_t)s->A_pattern.num_scalars * sizeof *s->assembly.linear_at);
  return SUP_OK;
}

/** Assemble A and p about the predicted motion; where that inverts cells, about the step's start.
 */
static sup_status begin_about_prediction(sup_stepper *s, const sup_state *state) {
  int inverted = 0, inverted_now = 0;
  sup_stepper_predict(s, state, s->assembly.linear_at);
  s->is_exact = 1;
  SUP_TRY(assemble_softs(s, state, s->assembly.linear_at, 1));
  for (int i = 0; i < s->model->num_softs; i++)
    inverted |= s->assembly.soft[i].inverted, inverted_now |= s->assembly.soft[i].inverted_now;
  if (!inverted && !inverted_now) return assemble_rest(s, state, NULL);
  s->is_exact = 0;
  return sup_stepper_relinearise(s, state, NULL);
}

sup_status sup_stepper_allocate(sup_stepper *s) {
  int n = s->A_pattern.num_scalars;
  SUP_TRY(SUP_ARENA(s->arena, s->assembly.soft, s->model->num_softs));
  SUP_TRY(SUP_ARENA(s->arena, s->assembly.p, n));
  SUP_TRY(SUP_ARENA(s->arena, s->assembly.v0, n));
  SUP_TRY(SUP_ARENA(s->arena, s->assembly.linear_at, n));
  SUP_TRY(SUP_ARENA(s->arena, s->solution.v, n));
  s->assembly.is_nonlinear = 0;
  for (int i = 0; i < s->model->num_softs; i++) SUP_TRY(allocate_soft(s, i));
  return SUP_OK;
}

sup_status sup_stepper_dynamics(sup_stepper *s, const sup_state *state) {
  const sup_model *model = s->model;
  SUP_TRY(sup_stepper_allocate(s));
  SUP_TRY(sup_stepper_place_blocks(s, state->x));
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    sup_stepper_dirichlet_motion(s, i, state->x + 3 * soft->first_vertex, state->time + s->inc->h,
                                 1 / s->inc->h);
    SUP_TRY(sup_attachment_compute(&s->assembly.soft[i].attachment, model, soft, &s->kin, state->v,
                                   state->x + 3 * soft->first_vertex, s->arena));
  }
  SUP_TRY(sup_stepper_soft_schemes(s, state));
  gather_velocity(s, state, s->assembly.v0);
  s->is_exact = 0;
  if (s->assembly.is_nonlinear && s->inc->motion > 0)
    SUP_TRY(begin_about_prediction(s, state));
  else
    SUP_TRY(sup_stepper_relinearise(s, state, NULL));
  return SUP_OK;
}

void sup_stepper_report_inverted(sup_stepper *s) {
  for (int i = 0; i < s->model->num_softs; i++)
    s->assembly.soft[i].inverted = s->assembly.soft[i].inverted_now;
}

void sup_stepper_vertex_velocity(const sup_stepper *s, int i, const double *u, double *v) {
  const sup_soft       *soft = &s->model->soft[i];
  const sup_attachment *attachment = &s->assembly.soft[i].attachment;
  for (int a = 0; a < soft->num_vertices; a++) {
    int           slot = soft->attach_slot[a], block = soft->block[a];
    const double *from = block == SUP_NONE ? s->assembly.soft[i].held + 3 * a
                                           : u + sup_block_first(&s->A_pattern, block);
    if (slot == SUP_NONE) {
      memcpy(v + 3 * a, from, 3 * sizeof *v);
      continue;
    }
    const sup_attachment_link *on = &soft->attachment[soft->attach_of[a]];
    const double              *J = sup_attachment_jacobian(attachment, soft, a), *tree = NULL;
    if (on->nv > 0) tree = u + sup_block_first(&s->A_pattern, s->model->tree_block[on->tree]);
    for (int c = 0; c < 3; c++) {
      double value = attachment->base[3 * slot + c];
      for (int j = 0; j < on->nv; j++) value += J[c * on->nv + j] * tree[j];
      v[3 * a + c] = value;
    }
  }
}
