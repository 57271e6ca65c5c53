/* Prony series of bodies (THEORY 22): s = long_term s0 + sum h_i, h_i' + h_i/tau_i = g_i s0',
 * with s0 the stress of the instantaneous moduli.
 *
 *  With s0 linear in a step h_i <- e_i h_i + g_i c_i (s0 - s0_start) is exact, so that the stress
 * of its end is m s0 + history, m = long_term + sum g_i c_i, history = sum e_i h_i - (sum g_i c_i)
 * s0_start: a step is that of an elastic body whose moduli are m times as large, with a force that
 * turns with its cells.  The energy of a step is m psi + history : (strain of the kind that s0 is
 * conjugate to), an exact potential of every law. */
#include "fem/viscoelastic.h"

#include <string.h>

#include "base/share.h"
#include "fem/body_parts.h"
#include "fem/growth.h"

int sup_fem_cell_history(const sup_fem_body *body) {
  return body->is_hyperelastic ? 6 * sup_fem_history_points(body) : 3 * body->element->num_vertices;
}

/** Cells with K0 and linear T4 stand in batches. */
size_t sup_fem_history_size_of(const sup_fem_body *body, int num_cells) {
  int lanes = body->is_hyperelastic ? 1 : SUP_BATCH;
  return (size_t)sup_fem_cell_history(body) * (size_t)((num_cells + lanes - 1) / lanes * lanes);
}

size_t sup_fem_history_size(const sup_fem_body *body) {
  return sup_fem_history_size_of(body, body->mesh->num_cells);
}

static int num_terms(const sup_fem_body *body) {
  int terms = 0;
  for (int k = 0; k < body->num_materials; k++)
    if (body->matter[k].prony.num > terms) terms = body->matter[k].prony.num;
  return terms;
}

int sup_fem_num_sets(const sup_fem_body *body) { return num_terms(body) + (body->growth.num > 0); }

size_t sup_fem_num_internal(const sup_fem_body *body) {
  return (size_t)sup_fem_num_sets(body) * sup_fem_history_size(body);
}

size_t sup_fem_growth_set(const sup_fem_body *body) {
  return (size_t)num_terms(body) * sup_fem_history_size(body);
}

/** Layout of a cell's numbers in a set. */
typedef struct place {
  size_t first, stride;
  int    count;
} place;

static place place_of(const sup_fem_body *body, int c) {
  int n = sup_fem_cell_history(body);
  if (body->is_hyperelastic) return (place){(size_t)n * (size_t)c, 1, n};
  return (place){SUP_BATCH * (size_t)n * (size_t)(c / SUP_BATCH) + (size_t)(c % SUP_BATCH),
                 SUP_BATCH, n};
}

static void load(const double *set, place at, double *out) {
  for (int i = 0; i < at.count; i++) out[i] = set[at.first + at.stride * (size_t)i];
}

void sup_fem_history_load(const sup_fem_body *body, const double *set, int c, double *numbers) {
  load(set, place_of(body, c), numbers);
}

void sup_fem_history_store(const sup_fem_body *body, const double *numbers, int c, double *set) {
  place at = place_of(body, c);
  for (int i = 0; i < at.count; i++) set[at.first + at.stride * (size_t)i] = numbers[i];
}

/* ---- strain and stress of cells -------------------------------------------------------------- */

/** Displacements of cells with K0 and linear T4, relative to slot 0, in the axes of R. */
static void displacements(const sup_fem_body *body, int c, const sup_m3 *R, const double *x,
                          double *u) {
  int           n = body->element->num_vertices;
  const int    *vertex = body->vertex + (size_t)n * (size_t)c;
  const double *X = body->mesh->x;
  sup_v3 x0 = sup_v3_load(x + 3 * (size_t)vertex[0]), X0 = sup_v3_load(X + 3 * (size_t)vertex[0]);
  for (int a = 0; a < n; a++) {
    sup_v3 arm = sup_m3_apply_t(*R, sup_v3_sub(sup_v3_load(x + 3 * (size_t)vertex[a]), x0)),
           rest = sup_v3_sub(sup_v3_load(X + 3 * (size_t)vertex[a]), X0);
    sup_v3_store(u + 3 * a, sup_v3_sub(arm, rest));
  }
}

static void store_six(const sup_m3 *S, double *out) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = S->m[i][i], out[3 + i] = 0.5 * (S->m[j][k] + S->m[k][j]);
  }
}

/** out += factor times the displacements of growth of cell c at the start, or at the end where
 * `share` is not NULL. */
static void add_growth(const sup_fem_body *body, int c, const double *internal, const double *share,
                       double factor, double *out) {
  double y[SUP_FEM_MOST_HISTORY];
  if (body->growth.num == 0) return;
  if (share)
    sup_fem_growth_of_cell(body, c, share, y);
  else
    load(internal + sup_fem_growth_set(body), place_of(body, c), y);
  for (int k = 0; k < sup_fem_cell_history(body); k++) out[k] += factor * y[k];
}

/** s0 of cell c at x: displacements, or stresses at points (hyperelastic). */
static void take(const sup_fem_body *body, int c, const sup_m3 *R, const double *x, double *out) {
  sup_fem_points points;
  if (!body->is_hyperelastic) {
    displacements(body, c, R + c, x, out);
    return;
  }
  memset(out, 0, 6 * (size_t)sup_fem_history_points(body) * sizeof *out);
  sup_fem_hyperelastic_points(body, c, x, &points);
  for (int q = 0; q < points.num; q++) store_six(&points.S[q], out + 6 * q);
}

/** a . K0 a and a . K0 b of displacements. */
static void dense_forms(const sup_fem_body *body, int c, const double *a, const double *b,
                        double out[2]) {
  static const double zero[3 * SUP_CELL_MAX_VERTICES];
  double              f[3 * SUP_CELL_MAX_VERTICES];
  sup_m3              I = sup_m3_identity();
  body->element->force(sup_fem_stiffness_of(body, c), &I, zero, a, f);
  out[0] = out[1] = 0;
  for (int i = 0; i < 3 * body->element->num_vertices; i++)
    out[0] -= a[i] * f[i], out[1] -= b[i] * f[i];
}

/** a : b of symmetric tensors xx yy zz yz zx xy. */
static double contract(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + 2 * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

static double trace(const double *a) { return a[0] + a[1] + a[2]; }

/** Small strain of T4 displacements in slots. */
static void t4_strain(const sup_fem_body *body, int c, const double *u, double *e) {
  const double *g = sup_fem_stiffness_of(body, c);
  sup_m3        H = sup_m3_zero();
  for (int a = 1; a < 4; a++, g += 3 * SUP_BATCH)
    H = sup_m3_add(
        H, sup_m3_outer(sup_v3_load(u + 3 * a), sup_v3_make(g[0], g[SUP_BATCH], g[2 * SUP_BATCH])));
  store_six(&H, e);
}

/** a : C : a and a : C : b over the cell, of displacements. */
static void forms(const sup_fem_body *body, int c, const double *a, const double *b,
                  double out[2]) {
  const sup_lame *lame = &sup_fem_matter_of(body, c)->lame;
  double          d[6], e[6], volume = sup_fem_volume_of(body, c);
  if (body->element != &sup_element_t4) {
    dense_forms(body, c, a, b, out);
    return;
  }
  t4_strain(body, c, a, d), t4_strain(body, c, b, e);
  out[0] = volume * (2 * lame->mu * contract(d, d) + lame->lambda * trace(d) * trace(d));
  out[1] = volume * (2 * lame->mu * contract(d, e) + lame->lambda * trace(d) * trace(e));
}

static double form(const sup_fem_body *body, int c, const double *a) {
  double out[2];
  forms(body, c, a, a, out);
  return out[0];
}

/** H : C^-1 : H of small strains. */
static double compliance(const sup_lame *lame, const double *H) {
  double tr = trace(H);
  return (contract(H, H) - lame->lambda / (3 * lame->lambda + 2 * lame->mu) * tr * tr) /
         (2 * lame->mu);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/** Data shared by threads. */
typedef struct pass {
  const sup_fem_body     *body;
  const sup_m3           *R;
  const double           *x0, *x;
  double                  dt;
  const double           *internal;
  double                 *changed; /* internal variables that are written */
  const sup_fem_relaxing *work;
} pass;

static void begin_cells(void *user, int first, int end) {
  const pass *p = user;
  size_t      size = sup_fem_history_size(p->body);
  for (int c = first; c < end; c++) {
    const sup_prony *prony = &sup_fem_matter_of(p->body, c)->prony;
    place            at = place_of(p->body, c);
    double u[SUP_FEM_MOST_HISTORY], h[SUP_FEM_MOST_HISTORY] = {0}, y[SUP_FEM_MOST_HISTORY],
                                    answer = 0;
    take(p->body, c, p->R, p->x, u);
    add_growth(p->body, c, p->internal, NULL, 1, u);
    for (int i = 0; i < prony->num; i++) {
      sup_prony_step s = sup_fem_prony_step(prony, i, p->dt);
      load(p->internal + size * (size_t)i, at, y);
      answer += s.answer;
      for (int k = 0; k < at.count; k++) h[k] += s.decay * y[k];
    }
    add_growth(p->body, c, NULL, p->work->growth, prony->long_term + answer, h);
    for (int k = 0; k < at.count; k++) {
      size_t to = at.first + at.stride * (size_t)k;
      p->work->start[to] = u[k], p->work->history[to] = h[k] - answer * u[k];
    }
  }
}

void sup_fem_begin_relaxation(const sup_fem_body *body, const sup_m3 *R, const double *x, double dt,
                              const double *internal, const sup_fem_relaxing *work,
                              sup_fem_relaxation *out) {
  size_t size = sup_fem_history_size(body) * sizeof *work->history;
  memset(work->start, 0, size), memset(work->history, 0, size); /* lanes without a cell */
  for (int k = 0; k < body->num_materials; k++) {
    const sup_prony *prony = &body->matter[k].prony;
    out->share[k] = prony->long_term;
    for (int i = 0; i < prony->num; i++) out->share[k] += sup_fem_prony_step(prony, i, dt).answer;
  }
  out->history = work->history;
  sup_share_run(
      sup_fem_threads(body), body->mesh->num_cells, begin_cells,
      &(pass){.body = body, .R = R, .x = x, .dt = dt, .internal = internal, .work = work});
}

/** history := change of s0 in the step. */
static void change_cells(void *user, int first, int end) {
  const pass *p = user;
  for (int c = first; c < end; c++) {
    place  at = place_of(p->body, c);
    double u[SUP_FEM_MOST_HISTORY];
    take(p->body, c, p->R, p->x, u);
    add_growth(p->body, c, NULL, p->work->growth, 1, u);
    for (int k = 0; k < at.count; k++) {
      size_t to = at.first + at.stride * (size_t)k;
      p->work->history[to] = u[k] - p->work->start[to];
    }
  }
}

/** Means of h = h0 exp(-s) + (g d/z)(1 - exp(-s)) along a step, s from 0 to z, d the change of s0:
 * of h start h0 + change g d, of h^2 square[0] h0^2 + 2 square[1] h0 g d + square[2] (g d)^2. */
typedef struct means {
  double start, change, square[3];
} means;

static means means_of(double z) {
  if (z < 1e-3)
    return (means){
        1 - z / 2 + z * z / 6 - z * z * z / 24,
        0.5 - z / 6 + z * z / 24,
        {1 - z + 2 * z * z / 3, 0.5 - z / 2 + 7 * z * z / 24, 1. / 3 - z / 4 + 7 * z * z / 60}};
  double a = -expm1(-z), b = -expm1(-2 * z), c = a / z;
  return (means){
      c, (1 - c) / z, {b / (2 * z), a * a / (2 * z * z), (z - 2 * a + b / 2) / (z * z * z)}};
}

/** Dissipation with displacements: the integral of h : C^-1 : h'/(g tau), which is the work along
 * the path less the stored energy. */
static double dissipated_by_cell(const pass *p, int c, const double *d) {
  const sup_prony *prony = &sup_fem_matter_of(p->body, c)->prony;
  size_t           size = sup_fem_history_size(p->body);
  double           sum = 0, dd = form(p->body, c, d), y[SUP_FEM_MOST_HISTORY];
  for (int i = 0; i < prony->num; i++) {
    double g = prony->share[i], z = p->dt / prony->time[i];
    means  m = means_of(z);
    load(p->internal + size * (size_t)i, place_of(p->body, c), y);
    double of[2];
    forms(p->body, c, y, d, of);
    sum += z / g * (m.square[0] * of[0] + 2 * m.square[1] * g * of[1] + m.square[2] * g * g * dd);
  }
  return sum;
}

/** Difference E1 - E0 of Green's strains. */
static void strain_change(const sup_m3 *F0, const sup_m3 *F1, double *out) {
  sup_m3 C0 = sup_m3_mul(sup_m3_transpose(*F0), *F0), C1 = sup_m3_mul(sup_m3_transpose(*F1), *F1);
  sup_m3 d = sup_m3_scale(0.5, sup_m3_add(C1, sup_m3_scale(-1, C0)));
  store_six(&d, out);
}

/** Dissipation with laws at points: work of the terms' mean stress less their stored energy. */
static double dissipated_by_points(const pass *p, int c, const double *d) {
  const sup_fem_matter *m = sup_fem_matter_of(p->body, c);
  size_t                size = sup_fem_history_size(p->body);
  sup_fem_points        before, after;
  double                sum = 0, y[SUP_FEM_MOST_HISTORY], H[6], strain[6];
  sup_fem_hyperelastic_points(p->body, c, p->x0, &before);
  sup_fem_hyperelastic_points(p->body, c, p->x, &after);
  for (int i = 0; i < m->prony.num; i++) {
    double         g = m->prony.share[i];
    means          mean = means_of(p->dt / m->prony.time[i]);
    sup_prony_step s = sup_fem_prony_step(&m->prony, i, p->dt);
    load(p->internal + size * (size_t)i, place_of(p->body, c), y);
    for (int q = 0; q < after.num; q++) {
      const double *h = y + 6 * q;
      double        stored = -compliance(&m->lame, h) / (2 * g);
      strain_change(&before.F[q], &after.F[q], strain);
      for (int k = 0; k < 6; k++) H[k] = mean.start * h[k] + mean.change * g * d[6 * q + k];
      double work = contract(H, strain);
      for (int k = 0; k < 6; k++) H[k] = s.decay * h[k] + s.answer * d[6 * q + k];
      stored += compliance(&m->lame, H) / (2 * g);
      sum += after.weight[q] * (work - stored);
    }
  }
  return sum;
}

/** out := sum of the terms' internal variables of cell c. */
static void sum_prony(const sup_fem_body *body, int c, const double *internal, double *out) {
  size_t size = sup_fem_history_size(body);
  double y[SUP_FEM_MOST_HISTORY];
  place  at = place_of(body, c);
  for (int k = 0; k < at.count; k++) out[k] = 0;
  for (int i = 0; i < sup_fem_matter_of(body, c)->prony.num; i++) {
    load(internal + size * (size_t)i, at, y);
    for (int k = 0; k < at.count; k++) out[k] += y[k];
  }
}

/** Work of a growth that comes at the step's start: the change of 1/2 s : C^-1 : s there. */
static double grown_by_cell(const pass *p, int c) {
  double s[SUP_FEM_MOST_HISTORY], y[SUP_FEM_MOST_HISTORY], change[SUP_FEM_MOST_HISTORY] = {0},
                                                           of[2];
  int n = sup_fem_cell_history(p->body);
  load(p->work->start, place_of(p->body, c), s);
  sum_prony(p->body, c, p->internal, y);
  for (int k = 0; k < n; k++) s[k] = sup_fem_matter_of(p->body, c)->prony.long_term * s[k] + y[k];
  add_growth(p->body, c, NULL, p->work->growth, 1, change);
  add_growth(p->body, c, p->internal, NULL, -1, change);
  forms(p->body, c, change, s, of);
  return of[1] + 0.5 * of[0];
}

/** [2]: dissipation, work of growth. */
static void cell_done(void *user, int c, double *term) {
  const pass *p = user;
  double      d[SUP_FEM_MOST_HISTORY];
  term[0] = term[1] = 0;
  if (p->body->growth.num > 0) term[1] = grown_by_cell(p, c);
  if (sup_fem_matter_of(p->body, c)->prony.num == 0) return;
  load(p->work->history, place_of(p->body, c), d);
  term[0] = (p->body->is_hyperelastic ? dissipated_by_points : dissipated_by_cell)(p, c, d);
}

static void change_internal(void *user, int first, int end) {
  const pass *p = user;
  size_t      size = sup_fem_history_size(p->body);
  for (int c = first; c < end; c++) {
    const sup_prony *prony = &sup_fem_matter_of(p->body, c)->prony;
    place            at = place_of(p->body, c);
    for (int i = 0; i < prony->num; i++) {
      sup_prony_step s = sup_fem_prony_step(prony, i, p->dt);
      double        *y = p->changed + size * (size_t)i + at.first;
      for (int k = 0; k < at.count; k++) {
        size_t to = at.stride * (size_t)k;
        y[to] = s.decay * y[to] + s.answer * p->work->history[at.first + to];
      }
    }
  }
}

void sup_fem_end_relaxation(const sup_fem_body *body, const double *x0, const sup_m3 *R,
                            const double *x, double dt, const sup_fem_relaxing *work,
                            double *internal, double done[2]) {
  pass p = {body, R, x0, x, dt, internal, internal, work};
  int  threads = sup_fem_threads(body), cells = body->mesh->num_cells;
  done[0] = done[1] = 0;
  sup_share_run(threads, cells, change_cells, &p);
  if (dt > 0 && isfinite(dt)) sup_sum_terms(threads, cells, 2, 2, cell_done, &p, done);
  sup_share_run(threads, cells, change_internal, &p);
  sup_fem_set_growth(body, work->growth, internal);
  for (int k = 0; k < 2; k++) done[k] = sup_sum_of_ranks(body->ranks, done[k]);
}

/* ---- energy and stress ----------------------------------------------------------------------- */

/** Stored energy with laws at points. */
static double stored_by_points(const sup_fem_body *body, int c, const double *x,
                               const double *internal) {
  const sup_fem_matter *m = sup_fem_matter_of(body, c);
  size_t                size = sup_fem_history_size(body);
  double                y[SUP_FEM_MOST_HISTORY];
  sup_fem_points        points;
  double                sum = m->prony.long_term * sup_fem_hyperelastic_points(body, c, x, &points);
  for (int i = 0; i < m->prony.num; i++) {
    load(internal + size * (size_t)i, place_of(body, c), y);
    for (int q = 0; q < points.num; q++)
      sum += points.weight[q] * compliance(&m->lame, y + 6 * q) / (2 * m->prony.share[i]);
  }
  return sum;
}

double sup_fem_stored_by_cell(const sup_fem_body *body, int c, const sup_m3 *R, const double *x,
                              const double *internal) {
  const sup_prony *prony = &sup_fem_matter_of(body, c)->prony;
  size_t           size = sup_fem_history_size(body);
  double           y[SUP_FEM_MOST_HISTORY];
  if (body->is_hyperelastic) return stored_by_points(body, c, x, internal);
  displacements(body, c, R, x, y);
  add_growth(body, c, internal, NULL, 1, y);
  double sum = 0.5 * prony->long_term * form(body, c, y);
  for (int i = 0; i < prony->num; i++) {
    load(internal + size * (size_t)i, place_of(body, c), y);
    sum += form(body, c, y) / (2 * prony->share[i]);
  }
  return sum;
}

static void cell_stored(void *user, int c, double *term) {
  const pass *p = user;
  *term = sup_fem_stored_by_cell(p->body, c, p->R + c, p->x, p->internal);
}

double sup_fem_stored_energy(const sup_fem_body *body, const sup_m3 *R, const double *x,
                             const double *internal) {
  double sum = 0;
  if (!internal || sup_fem_num_internal(body) == 0) return sup_fem_elastic_energy(body, R, x);
  sup_sum_terms(sup_fem_threads(body), body->mesh->num_cells, 1, 1, cell_stored,
                &(pass){.body = body, .R = R, .x = x, .internal = internal}, &sum);
  return sup_sum_of_ranks(body->ranks, sum);
}

void sup_fem_sum_terms(const sup_fem_body *body, int c, const double *internal, double *out) {
  sum_prony(body, c, internal, out);
  add_growth(body, c, internal, NULL, sup_fem_matter_of(body, c)->prony.long_term, out);
}
