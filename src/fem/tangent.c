/* The second derivative of the energy, rotations that turn with x included.
 *
 *  A cell's energy is E(x, R) = 1/2 ubar^T K0 ubar with ubar = R^T x - X and R the polar factor of
 * the mean deformation gradient.  In the axes of R, with turns theta = G dx, G_a = (tr U - U)^-1
 * [g_a]x (U = R^T F, g_a the mean gradients), and S = ([y_a]x), y = R^T x, N = ([n_a]x), n = K0
 * ubar,
 *
 *      K = K0 + B G + G^T B^T + G^T W G,   B = K0 S - N,   W = sym(S^T K0 S - N^T S).
 *
 *  What is missing is the second derivative of the turn times the moment of the cell's forces about
 * R, of the second order in the strains (tests/fem/test_tangent.c).  T4 with the corotational
 * energy has its law's exact derivative. */
#include "base/share.h"
#include "fem/body_parts.h"
#include "fem/kernel/turning.h"

/** Arguments of a pass over all cells. */
typedef struct pass {
  const sup_fem_body      *body;
  const sup_m3            *R;
  const double            *x;
  double                   scale;
  const sup_fem_increment *inc;
  double                  *values;
} pass;

/** Arguments of the tangent kernel for batch k. */
static sup_turning turning_of(const pass *p, int k) {
  const sup_fem_body      *body = p->body;
  const sup_fem_increment *inc = p->inc;
  size_t                   from = 3 * SUP_BATCH * (size_t)body->element->num_vertices * (size_t)k;
  sup_turning t = {.X = body->mesh->x, .x = p->x, .R = p->R + (size_t)SUP_BATCH * (size_t)k};
  for (int l = 0; l < sup_fem_batch(body, k).num_cells; l++) {
    int c = SUP_BATCH * k + l;
    t.stiff[l] = 1;
    if (inc && inc->start)
      t.damped[l] = inc->rate * sup_fem_matter_of(body, c)->material.stiffness_damping;
    if (inc && inc->relaxation) t.stiff[l] = inc->relaxation->share[body->cell_material[c]];
  }
  if (inc && inc->start) t.start = inc->start + from;
  if (inc && inc->relaxation) t.history = inc->relaxation->history + from;
  return t;
}

static void batch_energy(void *user, int k, double *term) {
  const pass *p = user;
  sup_batch   batch = sup_fem_batch(p->body, k);
  sup_turning turning = turning_of(p, k);
  double      energy[SUP_BATCH];
  sup_turning_kernels_select()->energy(&batch, &turning, energy);
  for (int l = 0; l < SUP_BATCH; l++) term[l] = l < batch.num_cells ? energy[l] : 0;
}

double sup_fem_dense_energy(const sup_fem_body *body, const sup_m3 *R, const double *x,
                            const sup_fem_increment *inc) {
  pass   p = {.body = body, .R = R, .x = x, .inc = inc};
  double sum = 0;
  sup_sum_terms(sup_fem_threads(body), sup_fem_num_batches(body), SUP_BATCH, 1, batch_energy, &p,
                &sum);
  return sum;
}

/** Cells of batch k that add to the columns of the range. */
static void add_turning_stiffness(void *user, const sup_range *range, int k) {
  const pass         *p = user;
  const sup_fem_body *body = p->body;
  sup_batch           batch = sup_fem_batch(body, k);
  sup_turning         turning = turning_of(p, k);
  double              block[9 * SUP_TURNING_MAX_PAIRS * SUP_BATCH] __attribute__((aligned(64)));
  int                 n = batch.num_vertices, all = sup_range_owns_all(range, k), any = all;
  for (int i = 0; i < n * batch.num_cells && !any; i++)
    any = sup_range_owns(range, batch.vertex[i]);
  if (!any) return;
  sup_turning_kernels_select()->stiffness(&batch, &turning, block);
  for (int l = 0; l < batch.num_cells; l++) {
    const int *vertex = batch.vertex + n * l, *entry = batch.entry + batch.num_pairs * l;
    double     scale = p->scale * (turning.stiff[l] + turning.damped[l]);
    if (sup_fem_matter_of(body, SUP_BATCH * k + l)->material.model == SUP_MATERIAL_LINEAR) continue;
    for (int a = 0, pair = 0; a < n; a++)
      for (int b = 0; b <= a; b++, pair++) {
        if (!all && !sup_range_owns(range, vertex[b])) continue;
        double       *to = p->values + 9 * (size_t)entry[pair];
        const double *from = block + 9 * SUP_BATCH * pair + l;
        for (int i = 0; i < 9; i++) to[i] += scale * from[SUP_BATCH * i];
      }
  }
}

/** 1: stored energies are functions of stretches: hyperelastic bodies, T4 without a linear
 * material. */
static bool has_stretch_laws(const sup_fem_body *body) {
  if (body->is_hyperelastic) return 1;
  for (int k = 0; k < body->num_materials; k++)
    if (body->matter[k].material.model == SUP_MATERIAL_LINEAR) return 0;
  return body->element == &sup_element_t4;
}

void sup_fem_add_tangent(const sup_fem_body *body, const sup_m3 *R, const double *x, double scale,
                         const sup_fem_increment *inc, double *values) {
  if (has_stretch_laws(body)) {
    sup_fem_point_terms terms = {.law = scale, .relaxation = inc ? inc->relaxation : NULL};
    sup_fem_points_stiffness(body, x, 0, &terms, values);
    return;
  }
  sup_fem_add_projected(body, R, x, scale, inc, values);
  if (body->element == &sup_element_t4)
    return; /* linear cells among others: without the terms of turning rotations */
  sup_ranges_run(&body->batch_ranges, sup_fem_threads(body), add_turning_stiffness,
                 &(pass){body, R, x, scale, inc, values});
}
