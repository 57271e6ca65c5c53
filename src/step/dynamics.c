/* A and p of the step: FEM bodies with their attached vertices substituted, trees
 * (THEORY 2.3, 3.4, 15.2). */
#include <string.h>

#include "fem/growth.h"
#include "fem/material.h"
#include "model/constraint.h"
#include "model/event.h"
#include "step/column/cables.h"
#include "step/column/chambers.h"
#include "step/column/column_rows.h"

static const double *tree_part(const double *all, const sup_model *model, int t) {
  return all + model->v_start[t];
}

/* ---- one soft body on its own vertices ------------------------------------------------------- */

static sup_status allocate_soft(const sup_step_start *s, sup_assembly *assembly, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  int             n = 3 * soft->num_vertices;
  SUP_TRY(SUP_ARENA(s->arena, work->R, sup_fem_mesh(soft->fem)->num_cells));
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, n, &work->p, &work->v, &work->x, &work->f, &work->held,
                            &work->g));
  work->strain0 = work->strain = NULL, work->increment = (sup_fem_increment){.rate = 0},
  work->pull = NULL;
  work->ahead = (sup_fem_prediction){0};
  work->is_nonlinear =
      s->inc->is_large || sup_soft_steps_nonlinearly(s->model, i, s->inc->soft_bdf2);
  assembly->is_nonlinear |= work->is_nonlinear;
  work->A = assembly->A, work->place = s->layout->soft_map[i].place;
  if (s->layout->is_free) {
    SUP_TRY(sup_assembly_allocate_free(s, assembly, i));
  } else if (!work->place || work->is_nonlinear) {
    work->place = sup_block_values(sup_fem_pattern(soft->fem));
    SUP_TRY(SUP_ARENA(s->arena, work->A, sup_block_pattern_num_values(sup_fem_pattern(soft->fem))));
  }
  if (work->is_nonlinear && s->inc->motion > 0 && sup_fem_has_stiffness_damping(soft->fem)) {
    SUP_TRY(SUP_ARENA_VECTORS(s->arena, sup_fem_strain_size(soft->fem), &work->strain0,
                              &work->strain, &work->reference));
    work->increment.start = work->reference;
  }
  if (!work->is_nonlinear)
    SUP_TRY(SUP_ARENA(s->arena, work->pull, sup_fem_tension_size(soft->fem)));
  if (!work->is_nonlinear && sup_fem_has_stiffness_damping(soft->fem)) {
    SUP_TRY(SUP_ARENA(s->arena, work->ahead.damping, n));
    SUP_TRY(SUP_ARENA(s->arena, work->ahead.cell_work, sup_fem_mesh(soft->fem)->num_cells));
  }
  SUP_TRY(SUP_ARENA(s->arena, work->Av, n));
  work->elastic = NULL;
  if (work->is_nonlinear) SUP_TRY(SUP_ARENA(s->arena, work->elastic, n));
  work->relaxing = (sup_fem_relaxing){NULL, NULL, NULL};
  if (soft->num_internal == 0) return SUP_OK;
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, sup_fem_history_size(soft->fem), &work->relaxing.start,
                            &work->relaxing.history));
  SUP_TRY(SUP_ARENA(s->arena, work->relaxing.growth, sup_fem_num_growths(soft->fem)));
  sup_soft_growth(soft, s->inc->t1, s->inc->load, work->relaxing.growth);
  SUP_TRY(SUP_ARENA(s->arena, work->R_end, sup_fem_mesh(soft->fem)->num_cells));
  work->increment.relaxation = &work->relaxation;
  return SUP_OK;
}

/** Reference strains e for increments of damping.  Damping acts on the velocity damping u -
 * (damping
 * - 1) u_{-1}, hence damping e = damping e0 + (damping - 1) (e0 - e_{-1}), with x and R at the
 * step's start. */
static void start_increments(const sup_step_start *s, const sup_soft *soft, sup_soft_work *work) {
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

const sup_fem_increment *sup_soft_work_increment(const sup_soft_work *work) {
  return work->strain || work->relaxing.history ? &work->increment : NULL;
}

/** Relaxation terms of a body that is linear in a step; NULL: none. */
static const sup_fem_relaxation *relaxation_of(const sup_soft_work *work) {
  return work->relaxing.history ? &work->relaxation : NULL;
}

/** Cell operator of a nonlinear body that is not assembled: the tangent at x. */
static void nonlinear_cells(const sup_step_start *s, const sup_assembly *assembly, int i) {
  const sup_soft    *soft = &s->model->soft[i];
  sup_soft_work     *work = &assembly->soft[i];
  double             dt = s->inc->h;
  sup_fem_mass_terms mass = {.scale = work->scheme.inertia};
  if (work->scheme.inertia == 1)
    mass =
        sup_fem_mass_of_step(soft->fem, s->inc->motion * work->scheme.damping * dt, work->scheme.c);
  work->cells =
      sup_fem_cells_of_tangent(soft->fem, work->R, work->x, dt * dt, sup_soft_work_increment(work),
                               assembly->is_exact, &mass, work->cell_pull);
  sup_assembly_copy_cells(assembly, i);
}

/** A of a nonlinear material: the tangent K at x, with damping by increments. */
static void nonlinear_matrix(const sup_step_start *s, const sup_assembly *assembly, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  double          dt = s->inc->h;
  if (s->layout->is_free) {
    nonlinear_cells(s, assembly, i);
    return;
  }
  if (work->scheme.inertia == 1)
    sup_fem_step_mass(soft->fem, s->inc->motion * work->scheme.damping * dt, work->scheme.c, NULL,
                      work->A);
  else
    sup_fem_mass_matrix(soft->fem, work->scheme.inertia, work->A);
  sup_fem_add_step_stiffness(soft->fem, work->R, work->x, dt * dt, sup_soft_work_increment(work),
                             assembly->is_exact, work->A);
  if (assembly->is_exact && sup_soft_has_follower(soft))
    sup_soft_add_load_stiffness(soft, s->inc->inputs, s->inc->t0 + dt, work->x, dt * dt,
                                s->inc->load, work->A);
  if (assembly->is_exact && soft->bounds_chamber)
    sup_chambers_add_stiffness(assembly, i, dt * dt, work->A);
  if (!assembly->is_exact)
    sup_fem_add_tension(soft->fem, work->R, work->x, dt * dt, (sup_v3){0, 0, 0},
                        relaxation_of(work), work->A, NULL);
}

void sup_assembly_multiply_stiffness(const sup_step_start *s, const sup_assembly *assembly, int i,
                                     const double *u, double *Mu, double *out) {
  const sup_soft      *soft = &s->model->soft[i];
  const sup_soft_work *work = &assembly->soft[i];
  int                  n = 3 * soft->num_vertices;
  sup_fem_damped_mass_multiply(soft->fem, s->inc->motion * work->scheme.damping * s->inc->h, u, Mu);
  for (int a = 0; a < n && work->scheme.inertia != 1; a++) Mu[a] *= work->scheme.inertia;
  if (work->scheme.c) { /* + (C M C - M) u */
    sup_fem_mass_multiply(soft->fem, u, out);
    for (int a = 0; a < n; a++) Mu[a] -= out[a], work->g[a] = work->scheme.c[a / 3] * u[a];
    sup_fem_mass_multiply(soft->fem, work->g, out);
    for (int a = 0; a < n; a++) Mu[a] += work->scheme.c[a / 3] * out[a];
  }
  sup_assembly_multiply_soft(assembly, i, u, out);
  for (int a = 0; a < n; a++) out[a] -= Mu[a];
}

void sup_assembly_multiply_damping(const sup_step_start *s, const sup_assembly *assembly, int i,
                                   const double *u, double *out) {
  const sup_soft      *soft = &s->model->soft[i];
  const sup_soft_work *work = &assembly->soft[i];
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
static void add_weight(const sup_step_start *s, const sup_soft *soft, double scale, double *out) {
  const double *mass = sup_fem_vertex_mass(soft->fem),
               g[3] = {s->inc->gravity.x, s->inc->gravity.y, s->inc->gravity.z};
  for (int a = 0; a < soft->num_vertices; a++)
    for (int c = 0; c < 3; c++) out[3 * a + c] += scale * (mass[a] * g[c]);
}

/** out += dt times the tractions at the step's end. */
static void add_tractions(const sup_step_start *s, const sup_assembly *assembly, int i,
                          double *out) {
  const sup_increment *inc = s->inc;
  sup_soft_add_tractions(&s->model->soft[i], inc->inputs, inc->t0 + inc->h,
                         assembly->soft[i].scheme.surface, inc->h, inc->load, out);
}

void sup_assembly_external_impulse(const sup_step_start *s, const sup_assembly *assembly, int i,
                                   double *out) {
  add_weight(s, &s->model->soft[i], s->inc->h, out);
  add_tractions(s, assembly, i, out);
}

/** Known part of the momentum after the step: p := start + C M lag + (damping - 1) dt D u_{-1},
 * with D = alpha M for nonlinear materials. */
static void known_momentum(const sup_step_start *s, sup_assembly *assembly, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  int             n = 3 * soft->num_vertices;
  memcpy(work->p, work->scheme.start, (size_t)n * sizeof *work->p);
  if (!work->scheme.lag) return;
  sup_fem_mass_multiply(soft->fem, work->scheme.lag, work->f);
  for (int a = 0; a < n; a++) work->p[a] += work->scheme.c[a / 3] * work->f[a];
  sup_assembly_multiply_damping(s, assembly, i, work->scheme.mean, work->Av);
  for (int a = 0; a < n; a++) work->p[a] += (work->scheme.damping - 1) * work->Av[a];
}

/** Angular velocity of a body as a whole: the mean over the links that carry it, that of a link to
 * which a region is welded, else its own, of a held body in the spins that the holds leave. */
static sup_v3 carried_turn(const sup_step_start *s, const sup_soft *soft) {
  sup_v3 sum = {0, 0, 0};
  for (int k = 0; k < soft->num_attachments; k++)
    sum = sup_v3_add(sum, s->kin.w[soft->attachment[k].body]);
  if (soft->num_attachments > 0) return sup_v3_scale(1.0 / soft->num_attachments, sum);
  if (sup_soft_held_axes(soft, s->state->event)) {
    sup_soft_free_spin(s->model, (int)(soft - s->model->soft), s->state->event, s->state->x,
                       s->state->xdot, &sum);
    return sum;
  }
  const sup_body_constraint *c = sup_constraint_on(s->model, soft->body, s->state->event);
  if (c && c->kind == SUP_CONSTRAINT_WELD)
    return c->a.body == SUP_NONE ? (sup_v3){0, 0, 0} : s->kin.w[c->a.body];
  return sup_fem_spin(soft->fem, s->state->x + 3 * soft->first_vertex,
                      s->state->xdot + 3 * soft->first_vertex);
}

/** Positions and rotations at the step's start, with the increments and relaxation relative to
 * them.
 */
static void begin_soft(const sup_step_start *s, sup_assembly *assembly, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  memcpy(work->x, s->state->x + 3 * soft->first_vertex,
         3 * (size_t)soft->num_vertices * sizeof *work->x);
  sup_fem_rotations(soft->fem, work->x, work->R, &work->inverted_now);
  if (work->strain) start_increments(s, soft, work);
  if (work->relaxing.history)
    sup_fem_begin_relaxation(soft->fem, work->R, work->x, sup_increment_relaxation(s->inc),
                             s->state->internal + soft->first_internal, &work->relaxing,
                             &work->relaxation);
}

/** Set work->A and work->p on all vertices (assembly.h).  Elastic forces are linear about the
 * positions after a step with the velocities v [num_vertices x 3]; NULL: about the step's start.
 * stays: keep A. */
static void assemble_soft(const sup_step_start *s, sup_assembly *assembly, int i, const double *v,
                          int stays) {
  const sup_model *model = s->model;
  const sup_soft  *soft = &model->soft[i];
  sup_soft_work   *work = &assembly->soft[i];
  const double    *x0 = s->state->x + 3 * soft->first_vertex;
  double           dt = s->inc->h, *x = work->x, *f = work->f;
  for (int a = 0; a < 3 * soft->num_vertices && v; a++) x[a] = x0[a] + dt * v[a];
  if (v) sup_fem_rotations(soft->fem, x, work->R, &work->inverted_now);
  known_momentum(s, assembly, i);
  if (work->is_nonlinear) {
    if (!stays) nonlinear_matrix(s, assembly, i);
    sup_fem_step_force(soft->fem, work->R, x, sup_soft_work_increment(work), work->elastic);
    memcpy(f, work->elastic, 3 * (size_t)soft->num_vertices * sizeof *f);
  } else {
    work->ahead.v = work->ahead.damping ? s->state->xdot + 3 * soft->first_vertex : NULL;
    sup_fem_step_system(soft->fem, work->R, x, dt, work->scheme.c, work->scheme.damping,
                        carried_turn(s, soft), &work->ahead, relaxation_of(work),
                        work->A == assembly->A ? work->place : NULL,
                        s->layout->is_free ? NULL : work->A, f, work->pull);
    if (s->layout->is_free) {
      work->cells = sup_fem_cells_of_step(soft->fem, work->R, x, dt, work->scheme.c,
                                          work->scheme.damping, relaxation_of(work), work->pull);
      sup_assembly_copy_cells(assembly, i);
    }
  }
  add_weight(s, soft, 1, f); /* added first: at rest these terms cancel */
  for (int a = 0; a < 3 * soft->num_vertices; a++) work->p[a] += dt * f[a];
  add_tractions(s, assembly, i, work->p);
  sup_chambers_add_forces(assembly, i, dt, work->p);
  if (!v) return;
  double *Mv = work->f, *Kv = work->Av; /* p already contains f */
  sup_assembly_multiply_stiffness(s, assembly, i, v, Mv, Kv);
  for (int a = 0; a < 3 * soft->num_vertices; a++) work->p[a] += Kv[a];
}

/* ---- into A and p ---------------------------------------------------------------------------- */

/** Copy the blocks of vertices into A: no two bodies share one. */
static void copy_blocks(sup_assembly *assembly, int i) {
  const sup_step_layout   *layout = assembly->layout;
  const sup_block_pattern *P = sup_fem_pattern(layout->model->soft[i].fem);
  const sup_soft_map      *map = &layout->soft_map[i];
  const double            *K = assembly->soft[i].A;
  if (layout->is_free) sup_assembly_copy_diagonal(assembly, i);
  if (K == assembly->A || layout->is_free) return;
  for (size_t k = 0; k < map->num_runs; k++) {
    const sup_soft_run *run = &map->run[k];
    memcpy(assembly->A + sup_block_value(&layout->A_pattern, run->to),
           K + sup_block_value(P, run->from), 9 * (size_t)run->count * sizeof *K);
  }
}

/** p += T^T (p_fem - A_fem v_prescribed), with the known velocities by the motion of bases. */
static void scatter_momentum(sup_assembly *assembly, int i) {
  const sup_soft *soft = &assembly->layout->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  int             moving = sup_assembly_base_velocity(assembly, i, work->v);
  if (moving) {
    sup_assembly_multiply_links(assembly, i, work->v, work->Av);
    for (int k = 0; k < 3 * soft->num_vertices; k++) work->Av[k] = work->p[k] - work->Av[k];
  }
  const double *from = moving ? work->Av : work->p;
  for (int a = 0; a < soft->num_vertices; a++) {
    if (soft->kind[a] == SUP_VERTEX_FREE) {
      double *to = assembly->p + sup_block_first(&assembly->layout->A_pattern, soft->block[a]);
      for (int c = 0; c < 3; c++) to[c] += from[3 * a + c];
    } else {
      sup_assembly_add_momentum(assembly, i, a, from + 3 * a);
    }
  }
}

/** v0 in block order. */
static void gather_velocity(const sup_step_start *s, const sup_assembly *assembly, double *u) {
  const sup_block_pattern *P = &s->layout->A_pattern;
  const sup_model         *model = s->model;
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE)
      memcpy(u + sup_block_first(P, model->tree_block[t]), tree_part(s->state->v, model, t),
             (size_t)model->tree[t]->nv * sizeof *u);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < soft->num_vertices; a++)
      if (soft->block[a] != SUP_NONE)
        memcpy(u + sup_block_first(P, soft->block[a]),
               s->state->xdot + 3 * (soft->first_vertex + a), 3 * sizeof *u);
  }
  sup_assembly_dirichlet_velocity(assembly, u);
}

/** Block columns of trees := 0; block columns of vertices need no zeros, since assembly overwrites
 * them. */
static void clear_trees(sup_assembly *assembly) {
  const sup_model         *model = assembly->layout->model;
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  for (int t = 0; t < model->num_trees; t++) {
    int block = model->tree_block[t];
    if (block == SUP_NONE) continue;
    size_t from = sup_block_diagonal(P, block), end = sup_block_diagonal(P, block + 1);
    memset(assembly->A + from, 0, (end - from) * sizeof *assembly->A);
  }
}

void sup_assembly_begin_softs(const sup_step_start *s, sup_assembly *assembly) {
  sup_chambers_linearise(s, assembly, NULL);
  for (int i = 0; i < s->model->num_softs; i++) {
    sup_soft_work *work = &assembly->soft[i];
    begin_soft(s, assembly, i);
    work->inverted = work->inverted_now;
    if (work->is_nonlinear)
      sup_fem_step_force(s->model->soft[i].fem, work->R, work->x, sup_soft_work_increment(work),
                         work->elastic);
  }
}

/** p of soft body i apart from its matrix: the impulse of what acts on it and, about velocities v,
 * that of elastic forces of a nonlinear body (sup_assembly.is_apart). */
static void assemble_apart(const sup_step_start *s, sup_assembly *assembly, int i,
                           const double *v) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  int             n = 3 * soft->num_vertices;
  memset(work->p, 0, (size_t)n * sizeof *work->p);
  if (v && work->is_nonlinear) {
    begin_soft(s, assembly, i);
    sup_assembly_vertex_velocity(assembly, i, v, work->v);
    for (int a = 0; a < n; a++) work->x[a] += s->inc->h * work->v[a];
    sup_fem_rotations(soft->fem, work->x, work->R, &work->inverted_now);
    sup_fem_step_force(soft->fem, work->R, work->x, sup_soft_work_increment(work), work->elastic);
    for (int a = 0; a < n; a++) work->p[a] = s->inc->h * work->elastic[a];
  }
  sup_assembly_external_impulse(s, assembly, i, work->p);
  scatter_momentum(assembly, i);
}

/** Arguments that threads share. */
typedef struct work_of_bodies {
  const sup_step_start *s;
  sup_assembly         *assembly;
  const double         *v;
  int            begins;  /* 1: start of the step; 0: the step has begun, and `v` is not NULL */
  int            stays;   /* keep A: linear bodies remain unchanged */
  unsigned char *is_done; /* [num_softs] */
} work_of_bodies;

/** Assemble one body; bodies share no data. */
static void assemble_body(void *user, int i, int thread) {
  const work_of_bodies *w = user;
  const sup_step_start *s = w->s;
  sup_soft_work        *work = &w->assembly->soft[i];
  int                   about_v = w->v && work->is_nonlinear;
  (void)thread;
  if (w->stays && !about_v) return;
  if (w->begins || !about_v) begin_soft(s, w->assembly, i);
  if (w->begins) work->inverted = work->inverted_now;
  if (about_v) sup_assembly_vertex_velocity(w->assembly, i, w->v, work->v);
  assemble_soft(s, w->assembly, i, about_v ? work->v : NULL, w->stays);
  if (!w->stays) copy_blocks(w->assembly, i);
}

/** True if the body is much more than one thread's share and enough work for all threads: it is
 * assembled alone, by ranges of its cells (base/ranges.h). */
static int takes_all_threads(const sup_model *model, int i) {
  int threads = sup_team_size();
  return threads > 1 && 4 * model->soft[i].num_vertices > 5 * (model->num_vertices / threads) &&
         sup_fem_threads(model->soft[i].fem) == threads;
}

static void assemble_small(void *user, int i, int thread) {
  const work_of_bodies *w = user;
  if (!w->is_done[i]) assemble_body(user, i, thread);
}

static sup_status assemble_bodies(work_of_bodies w) {
  const sup_model *model = w.s->model;
  SUP_TRY(SUP_ARENA(w.s->arena, w.is_done, model->num_softs));
  for (int i = 0; i < model->num_softs; i++)
    if ((w.is_done[i] = (unsigned char)takes_all_threads(model, i)) != 0) assemble_body(&w, i, 0);
  sup_step_for_bodies(model, assemble_small, &w);
  return SUP_OK;
}

static sup_status assemble_softs(const sup_step_start *s, sup_assembly *assembly, const double *v,
                                 int begins, int is_exact) {
  const sup_model *model = s->model;
  int              n = s->layout->A_pattern.num_scalars;
  assembly->is_exact = is_exact;
  memset(assembly->p, 0, (size_t)n * sizeof *assembly->p);
  clear_trees(assembly);
  sup_assembly_clear_springs(assembly);
  sup_cables_clear(assembly);
  sup_assembly_clear_ties(assembly);
  for (int i = 0; i < model->num_softs && assembly->is_apart; i++)
    assemble_apart(s, assembly, i, v);
  if (assembly->is_apart) return SUP_OK;
  sup_chambers_linearise(s, assembly, v);
  SUP_TRY(assemble_bodies((work_of_bodies){s, assembly, v, begins, 0, NULL}));
  for (int i = 0; i < model->num_softs; i++) {
    SUP_TRY(sup_assembly_add_links(s, assembly, i));
    sup_assembly_add_ties(assembly, i);
    scatter_momentum(assembly, i);
  }
  sup_assembly_dirichlet(assembly);
  return SUP_OK;
}

sup_status sup_assembly_softs(const sup_step_start *s, sup_assembly *assembly, const double *v,
                              int is_exact) {
  return assemble_softs(s, assembly, v, !v, is_exact);
}

/** Assemble trees, springs, cables, efforts and loads into A and p.
 *  @param[in] at  velocities about which cables are linear; NULL: about the start */
static sup_status assemble_rest(const sup_step_start *s, sup_assembly *assembly, const double *v,
                                const double *at) {
  assembly->elapsed = 0;
  SUP_TRY(sup_assembly_trees(s, assembly, v));
  sup_assembly_springs(s, assembly, s->state->v);
  sup_cables_assemble(s, assembly, s->state->v, at);
  sup_assembly_efforts(s, assembly);
  if (s->inc->scheme.theta <= 0) SUP_TRY(sup_assembly_loads(s, assembly));
  sup_assembly_point_loads(s, assembly);
  SUP_TRY(sup_assembly_add_lever_moments(s, assembly));
  sup_assembly_share_trees(assembly);
  return SUP_OK;
}

sup_status sup_assembly_about(const sup_step_start *s, sup_assembly *assembly, const double *v,
                              int is_exact) {
  size_t size = (size_t)s->layout->A_pattern.num_scalars * sizeof *assembly->linear_at;
  if (v) {
    memcpy(assembly->linear_at, v, size);
  } else {
    memset(assembly->linear_at, 0, size);
    sup_assembly_dirichlet_velocity(assembly, assembly->linear_at);
  }
  SUP_TRY(sup_assembly_softs(s, assembly, v, is_exact));
  return assemble_rest(s, assembly, v, v);
}

/** p += scale T^T p_fem of nonlinear bodies, except for held components. */
static void add_nonlinear(sup_assembly *assembly, double scale) {
  const sup_model *model = assembly->layout->model;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft      *soft = &model->soft[i];
    const sup_soft_work *work = &assembly->soft[i];
    for (int a = 0; a < soft->num_vertices && work->is_nonlinear; a++) {
      double p[3];
      for (int c = 0; c < 3; c++) p[c] = scale * work->p[3 * a + c];
      sup_assembly_add_free_momentum(assembly, i, a, p);
    }
  }
}

int sup_assembly_can_reuse(const sup_step_start *s) {
  return !s->layout->is_free && !s->model->ranks && !sup_scheme_is_second_order(&s->inc->scheme);
}

sup_status sup_assembly_renew_forces(const sup_step_start *s, sup_assembly *assembly,
                                     const double *v) {
  add_nonlinear(assembly, -1);
  sup_chambers_linearise(s, assembly, v);
  SUP_TRY(assemble_bodies((work_of_bodies){s, assembly, v, 0, 1, NULL}));
  sup_cables_renew(s, assembly, v);
  add_nonlinear(assembly, 1);
  memcpy(assembly->linear_at, v,
         (size_t)s->layout->A_pattern.num_scalars * sizeof *assembly->linear_at);
  return SUP_OK;
}

/** Assemble A and p about the predicted motion, or about the step's start if the prediction inverts
 * cells.
 */
static sup_status begin_about_prediction(const sup_step_start *s, sup_assembly *assembly) {
  int inverted = 0, inverted_now = 0;
  sup_assembly_predict(s, assembly, assembly->linear_at);
  SUP_TRY(assemble_softs(s, assembly, assembly->linear_at, 1, 1));
  for (int i = 0; i < s->model->num_softs; i++)
    inverted |= assembly->soft[i].inverted, inverted_now |= assembly->soft[i].inverted_now;
  if (!inverted && !inverted_now) return assemble_rest(s, assembly, NULL, assembly->linear_at);
  return sup_assembly_about(s, assembly, NULL, 0);
}

sup_status sup_assembly_begin(const sup_step_start *s, sup_assembly *assembly) {
  int n = s->layout->A_pattern.num_scalars;
  SUP_TRY(SUP_ARENA(s->arena, assembly->soft, s->model->num_softs));
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, n, &assembly->p, &assembly->v0, &assembly->linear_at));
  assembly->is_nonlinear = 0;
  for (int i = 0; i < s->model->num_softs; i++) SUP_TRY(allocate_soft(s, assembly, i));
  SUP_TRY(sup_assembly_begin_holds(s, assembly));
  SUP_TRY(sup_springs_begin(s, assembly));
  SUP_TRY(sup_columns_begin(s, assembly));
  return sup_assembly_set_space(s, assembly);
}

sup_status sup_step_dynamics(const sup_step_start *s, const sup_contact_list *contacts,
                             sup_assembly *assembly) {
  const sup_model *model = s->model;
  SUP_TRY(sup_assembly_begin(s, assembly));
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    sup_assembly_dirichlet_motion(s, assembly, i, s->state->x + 3 * soft->first_vertex,
                                  s->state->time + s->inc->h, 1 / s->inc->h);
    SUP_TRY(sup_attachment_compute(&assembly->soft[i].attachment, model, soft, &s->kin, s->state->v,
                                   s->state->x + 3 * soft->first_vertex,
                                   s->inc->motion > 0 ? s->inc->h : 0, s->arena));
  }
  sup_assembly_hold_tied(assembly);
  SUP_TRY(sup_assembly_schemes(s, contacts, assembly));
  gather_velocity(s, assembly, assembly->v0);
  if (assembly->is_nonlinear && s->inc->motion > 0 && !assembly->is_apart)
    return begin_about_prediction(s, assembly);
  return sup_assembly_about(s, assembly, NULL, 0);
}

void sup_assembly_report_inverted(sup_assembly *assembly) {
  for (int i = 0; i < assembly->layout->model->num_softs; i++)
    assembly->soft[i].inverted = assembly->soft[i].inverted_now;
}
