/* Stiffness damping by increments of strain (THEORY 23.2a), of bodies that are solved to the end of
 * a step.
 *
 *  With the strain e of a cell in its own axes, the damping forces of a step are the gradient of
 *
 *      D(x) = rate/2 sum of beta (e(x) - start) . K0 (e(x) - start):
 *
 *  rotations do not change e at any strain, hence rotations are not damped and the forces have no
 * moment.  D is added to the elastic energy that a step minimises.  Cells with one rotation: e is
 * R^T x - X, D is the elastic energy of another shape at rest, times a number, and costs no product
 * more.  Points of tetrahedra: e is S = sym(R^T F), its stress 2 mu d + lambda tr d, d = S -
 * S_start, with the moduli of small strains for every law.  There
 *
 *      dD = tau : dS = R (tau - [y]x) : dF,   (tr S - S) y = axial(tau S - S tau),
 *      d2D = dS : C : dS + 2 Lambda : (dG^T dG - dS^2),   S Lambda + Lambda S = tau,  dG = R^T dF,
 *
 *  the last from S^2 = F^T F.  Without Lambda it is positive semidefinite. */
#include <string.h>

#include "base/share.h"
#include "fem/body_parts.h"
#include "fem/kernel/turning.h"

/** 1: cells have a rotation and a K0; 0: points. */
static bool has_dense_strain(const sup_fem_body *body) {
  return !body->is_hyperelastic && body->element->is_dense;
}

static double beta_of(const sup_fem_body *body, int c) {
  return sup_fem_matter_of(body, c)->material.stiffness_damping;
}

size_t sup_fem_strain_size(const sup_fem_body *body) {
  if (has_dense_strain(body))
    return 3 * SUP_BATCH * (size_t)body->element->num_vertices * (size_t)sup_fem_num_batches(body);
  return 6 * (size_t)sup_fem_history_points(body) * (size_t)body->mesh->num_cells;
}

static sup_m3 subtract(sup_m3 A, sup_m3 B) { return sup_m3_add(A, sup_m3_scale(-1, B)); }
static sup_m3 symmetric_part(sup_m3 A) {
  return sup_m3_scale(0.5, sup_m3_add(A, sup_m3_transpose(A)));
}

static sup_m3 load_strain(const double *s) {
  return (sup_m3){{{s[0], s[5], s[4]}, {s[5], s[1], s[3]}, {s[4], s[3], s[2]}}};
}

static double contract(const sup_m3 *A, const sup_m3 *B) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += A->m[i / 3][i % 3] * B->m[i / 3][i % 3];
  return sum;
}

static double trace(const sup_m3 *A) { return A->m[0][0] + A->m[1][1] + A->m[2][2]; }

/** Dilatation at a point: its own, or the cell's mean (THEORY 4.7). */
static void dilatations(const sup_fem_body *body, int num, const double *weight,
                        const sup_m3 d[SUP_ELEMENT_MAX_POINTS], double *out) {
  double mean = 0, volume = 0;
  for (int q = 0; q < num; q++)
    out[q] = trace(&d[q]), mean += weight[q] * out[q], volume += weight[q];
  for (int q = 0; q < num && body->element == &sup_element_t10b; q++) out[q] = mean / volume;
}

/* ---- history of linear T4 -------------------------------------------------------------------- */

sup_m3 sup_fem_history_stress(const sup_fem_body *body, int c, const double *history) {
  const sup_lame *lame = &sup_fem_matter_of(body, c)->lame;
  const double   *g = sup_fem_stiffness_of(body, c);
  sup_m3          H = sup_m3_zero();
  history += 3 * SUP_BATCH * 4 * (size_t)(c / SUP_BATCH) + (size_t)(c % SUP_BATCH);
  for (int a = 1; a < 4; a++, g += 3 * SUP_BATCH) {
    const double *h = history + 3 * SUP_BATCH * a;
    H = sup_m3_add(H, sup_m3_outer(sup_v3_make(h[0], h[SUP_BATCH], h[2 * SUP_BATCH]),
                                   sup_v3_make(g[0], g[SUP_BATCH], g[2 * SUP_BATCH])));
  }
  double pressure = lame->lambda * trace(&H);
  H = sup_m3_scale(2 * lame->mu, symmetric_part(H));
  for (int i = 0; i < 3; i++) H.m[i][i] += pressure;
  return H;
}

static bool has_t4_history(const sup_fem_body *body, const sup_fem_increment *inc) {
  return inc && inc->relaxation && !body->is_hyperelastic && !body->element->is_dense;
}

/* Arguments of a pass over all cells. */
typedef struct pass {
  const sup_fem_body      *body;
  const sup_m3            *R;
  const double            *x;
  const sup_fem_increment *inc;
} pass;

static void t4_energy(void *user, int c, double *term) {
  const pass               *t = user;
  const sup_fem_body       *body = t->body;
  const sup_fem_relaxation *relaxation = t->inc->relaxation;
  const int                *vertex = body->vertex + 4 * (size_t)c;
  double                    X[12], x[12];
  sup_fem_gather(body->mesh->x, vertex, 4, X);
  sup_fem_gather(t->x, vertex, 4, x);
  *term = relaxation->share[body->cell_material[c]] *
          body->element->force(sup_fem_stiffness_of(body, c), t->R + c, X, x, NULL);
  if (!sup_fem_has_history(body, c)) return;
  sup_m3 tau = sup_fem_history_stress(body, c, relaxation->history),
         F = sup_fem_deformation(body, c, t->x);
  sup_m3 S = symmetric_part(sup_m3_mul(sup_m3_transpose(t->R[c]), F));
  for (int i = 0; i < 3; i++) S.m[i][i] -= 1;
  *term += sup_fem_volume_of(body, c) * contract(&tau, &S);
}

/* ---- strains --------------------------------------------------------------------------------- */

static void dense_strain(const sup_fem_body *body, int c, const sup_m3 *R, const double *x,
                         double *out) {
  int           n = body->element->num_vertices;
  const int    *vertex = body->vertex + (size_t)n * (size_t)c;
  const double *x0 = x + 3 * (size_t)vertex[0];
  for (int a = 0; a < n; a++) {
    sup_v3 arm =
        sup_m3_apply_t(*R, sup_v3_sub(sup_v3_load(x + 3 * (size_t)vertex[a]), sup_v3_load(x0)));
    out[SUP_BATCH * 3 * a] = arm.x, out[SUP_BATCH * (3 * a + 1)] = arm.y,
                        out[SUP_BATCH * (3 * a + 2)] = arm.z;
  }
}

/** Data shared by threads. */
typedef struct strains {
  const sup_fem_body *body;
  const sup_m3       *R;
  const double       *x;
  double             *strain;
} strains;

/** Strains of cells first .. end. */
static void take_strains(void *user, int first, int end) {
  const strains      *s = user;
  const sup_fem_body *body = s->body;
  size_t              lanes = 3 * SUP_BATCH * (size_t)body->element->num_vertices;
  for (int c = first; c < end; c++)
    dense_strain(body, c, s->R + c, s->x,
                 s->strain + lanes * (size_t)(c / SUP_BATCH) + c % SUP_BATCH);
}

void sup_fem_strains(const sup_fem_body *body, const sup_m3 *R, const double *x, double *strain) {
  if (!has_dense_strain(body)) {
    sup_fem_points_strain(body, x, strain);
    return;
  }
  memset(strain, 0, sup_fem_strain_size(body) * sizeof *strain); /* lanes without a cell */
  sup_share_run(sup_fem_threads(body), body->mesh->num_cells, take_strains,
                &(strains){body, R, x, strain});
}

static double point_work(const sup_fem_body *body, int c, const double *e, const double *a,
                         const double *b) {
  const sup_lame *lame = &sup_fem_matter_of(body, c)->lame;
  double          weight[SUP_ELEMENT_MAX_POINTS] = {sup_fem_volume_of(body, c)},
         theta[2][SUP_ELEMENT_MAX_POINTS], sum = 0;
  sup_m3 d[2][SUP_ELEMENT_MAX_POINTS] = {{{{{0}}}}};
  int    num = 1, n = body->element->num_vertices;
  if (body->element->integration) {
    double X[3 * SUP_CELL_MAX_VERTICES],
        storage[SUP_ELEMENT_MAX_POINTS * 3 * SUP_CELL_MAX_VERTICES];
    sup_fem_gather(body->mesh->x, sup_mesh_cell(body->mesh, c), n, X);
    num = body->element->integration(X, weight, storage);
  }
  size_t at = 6 * (size_t)sup_fem_history_points(body) * (size_t)c;
  for (int q = 0; q < num; q++, at += 6) {
    d[0][q] = subtract(load_strain(e + at), load_strain(a + at));
    d[1][q] = subtract(load_strain(e + at), load_strain(b + at));
  }
  for (int k = 0; k < 2; k++) dilatations(body, num, weight, d[k], theta[k]);
  for (int q = 0; q < num; q++)
    sum += weight[q] *
           (2 * lame->mu * contract(&d[0][q], &d[1][q]) + lame->lambda * theta[0][q] * theta[1][q]);
  return sum;
}

/** Arguments of the damping work of strains. */
typedef struct work {
  const sup_fem_body *body;
  const double       *e, *a, *b;
} work;

static void cell_work(void *user, int c, double *term) {
  const work *w = user;
  double      beta = beta_of(w->body, c);
  *term = beta > 0 ? beta * point_work(w->body, c, w->e, w->a, w->b) : 0;
}

/** Damping work of the dense cells of batch k. */
static void batch_work(void *user, int k, double *term) {
  const work *w = user;
  sup_batch   batch = sup_fem_batch(w->body, k);
  size_t      from = 3 * SUP_BATCH * (size_t)batch.num_vertices * (size_t)k;
  double      sum[SUP_BATCH];
  sup_turning_kernels_select()->work(&batch, w->e + from, w->a + from, w->b + from, sum);
  for (int l = 0; l < SUP_BATCH; l++)
    term[l] = l < batch.num_cells ? beta_of(w->body, SUP_BATCH * k + l) * sum[l] : 0;
}

double sup_fem_strain_work(const sup_fem_body *body, const double *e, const double *a,
                           const double *b) {
  double sum = 0;
  work   w = {body, e, a, b};
  if (has_dense_strain(body))
    sup_sum_terms(sup_fem_threads(body), sup_fem_num_batches(body), SUP_BATCH, 1, batch_work, &w,
                  &sum);
  else
    sup_sum_terms(sup_fem_threads(body), body->mesh->num_cells, 1, 1, cell_work, &w, &sum);
  return sup_sum_of_ranks(body->ranks, sum);
}

/* ---- with the elastic energy ----------------------------------------------------------------- */

/** Energy of cells with points, this rank: laws, damping, history. */
static double points_energy(const sup_fem_body *body, const sup_m3 *R, const double *x,
                            const sup_fem_increment *inc) {
  sup_fem_point_terms terms = {.damping = inc->rate, .start = inc->start};
  double              sum = 0;
  if (body->is_hyperelastic) {
    terms.law = 1, terms.relaxation = inc->relaxation;
    return sup_fem_points_energy(body, x, &terms);
  }
  if (inc->start) sum = sup_fem_points_energy(body, x, &terms);
  double elastic = 0;
  if (inc->relaxation)
    sup_sum_terms(sup_fem_threads(body), body->mesh->num_cells, 1, 1, t4_energy,
                  &(pass){.body = body, .R = R, .x = x, .inc = inc}, &elastic);
  else
    elastic = sup_fem_local_energy(body, R, x);
  return sum + elastic;
}

double sup_fem_step_energy(const sup_fem_body *body, const sup_m3 *R, const double *x,
                           const sup_fem_increment *inc) {
  if (!inc) return sup_fem_elastic_energy(body, R, x);
  double sum = has_dense_strain(body) ? sup_fem_dense_energy(body, R, x, inc)
                                      : points_energy(body, R, x, inc);
  return sup_sum_of_ranks(body->ranks, sum);
}

void sup_fem_step_force(const sup_fem_body *body, const sup_m3 *R, const double *x,
                        const sup_fem_increment *inc, double *f) {
  if (!inc) {
    sup_fem_energy_force(body, R, x, f);
    return;
  }
  sup_fem_cells_force(body, R, x, inc,
                      f); /* energy of this rank's cells; energies of other ranks are added */
  sup_fem_end_sum(body, f);
}

void sup_fem_add_step_stiffness(const sup_fem_body *body, const sup_m3 *R, const double *x,
                                double scale, const sup_fem_increment *inc, bool is_exact,
                                double *values) {
  sup_fem_point_terms terms = {.law = body->is_hyperelastic ? scale : 0};
  if (inc) terms.damping = scale * inc->rate, terms.start = inc->start;
  if (inc && body->is_hyperelastic) terms.relaxation = inc->relaxation;
  if (!body->is_hyperelastic && is_exact) sup_fem_add_tangent(body, R, x, scale, inc, values);
  if (!body->is_hyperelastic && !is_exact) sup_fem_add_projected(body, R, x, scale, inc, values);
  if (body->is_hyperelastic || (terms.start && !has_dense_strain(body)))
    sup_fem_points_stiffness(body, x, !is_exact, &terms, values);
  if (is_exact && has_t4_history(body, inc))
    sup_fem_points_stiffness(
        body, x, 0, &(sup_fem_point_terms){.damping = scale, .turned = inc->relaxation->history},
        values);
}
