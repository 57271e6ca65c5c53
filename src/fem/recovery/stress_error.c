/* Energy of the difference of recovered and computed stress. */
#include <math.h>
#include <string.h>

#include "base/share.h"
#include "fem/body_parts.h"
#include "fem/kernel/stress_kernel.h"
#include "fem/numerics.h"
#include "fem/recovery/recovery_parts.h"
#include "mesh/quadratic.h"

/** 1/2 s : C^-1 s from s : s and the square of the trace [J/m^3]. */
static inline double energy_of(const sup_lame *lame, double square, double trace_square) {
  return (square - lame->lambda / (3 * lame->lambda + 2 * lame->mu) * trace_square) /
         (4 * lame->mu);
}

static inline double energy_density(const sup_lame *lame, const double s[6]) {
  double trace = s[0] + s[1] + s[2], square = 0;
  for (int i = 0; i < 3; i++) square += s[i] * s[i] + 2 * s[3 + i] * s[3 + i];
  return energy_of(lame, square, trace * trace);
}

/** Recovered stress less the computed one s at a point with shape functions N; v: [n] stress at the
 * vertices. */
static inline void difference(int n, const double *N, const double *v, const double *s,
                              double d[6]) {
  double sum[6];
  for (int i = 0; i < 6; i++) sum[i] = -s[i];
  for (int a = 0; a < n; a++)
    for (int i = 0; i < 6; i++) sum[i] += N[a] * v[6 * a + i];
  memcpy(d, sum, sizeof sum);
}

/** Mean over a cell of the energy of the difference d, which is linear: the integrals of its
 * products are V/20, twice that for a vertex with itself. */
static double t4_difference(const sup_lame *lame, const double *v, const double *s) {
  double mean = 0, d[6], sum[6] = {0};
  for (int a = 0; a < 4; a++) {
    for (int i = 0; i < 6; i++) d[i] = v[6 * a + i] - s[i], sum[i] += d[i];
    mean += energy_density(lame, d) / 20;
  }
  return mean + energy_density(lame, sum) / 20;
}

/** Mean energy of d over a T10, of degree 2: Walkington's rule of degree 5.  The computed stress is
 * the linear interpolation of its values at the corners, the first four points; exact in straight
 * cells. */
static double t10_difference(const sup_lame *lame, const double *v, const double *s) {
  static const double weight[3] = {0.11268792571801585, 0.073493043116361949, 0.042546020777081466};
  static const double inner[2] = {0.31088591926330061, 0.092735250310891226},
                      edge = 0.45449629587435037;
  static const int pair[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  double           mean = 0;
  for (int q = 0; q < 14; q++) {
    int    kind = q / 4 < 2 ? q / 4 : 2;
    double L[4], N[10], d[6], computed[6];
    for (int a = 0; a < 4; a++) L[a] = kind == 2 ? 0.5 - edge : inner[kind];
    if (kind == 2)
      L[pair[q - 8][0]] = L[pair[q - 8][1]] = edge;
    else
      L[q % 4] = 1 - 3 * inner[kind];
    sup_t10_shape(L, N);
    for (int i = 0; i < 6; i++)
      computed[i] = L[0] * s[i] + L[1] * s[6 + i] + L[2] * s[12 + i] + L[3] * s[18 + i];
    difference(10, N, v, computed, d);
    mean += weight[kind] * energy_density(lame, d);
  }
  return mean;
}

/** Data shared by threads. */
typedef struct pass {
  const sup_recovery       *recovery;
  const double             *point, *site;
  double                   *cell;
  const sup_stress_kernels *kernels;
} pass;

/** mean := energy densities of the computed stress and of the difference in a brick. */
static void brick_energies(const pass *p, const int *cell, const sup_lame *lame, const double *s,
                           const double *share, double mean[2]) {
  const double *v[8];
  double        sum[4];
  for (int a = 0; a < 8; a++) v[a] = p->site + 6 * (size_t)cell[a];
  p->kernels->brick_difference(v, s, share, sum);
  for (int k = 0; k < 2; k++) mean[k] = energy_of(lame, sum[2 * k], sum[2 * k + 1]);
}

/** Mean energies of the computed stress and of the difference in a tetrahedron. */
static void tet_energies(const pass *p, const int *cell, const sup_lame *lame, const double *s,
                         const double *share, double mean[2]) {
  const sup_element *element = p->recovery->body->element;
  double             v[6 * SUP_CELL_MAX_VERTICES];
  for (int a = 0; a < element->num_vertices; a++)
    memcpy(v + 6 * a, p->site + 6 * (size_t)cell[a], 6 * sizeof *v);
  mean[0] = 0;
  for (int q = 0; q < element->num_points; q++)
    mean[0] += share[q] * energy_density(lame, s + 6 * q);
  mean[1] = element->num_vertices == 4 ? t4_difference(lame, v, s) : t10_difference(lame, v, s);
}

/** sum := energies of the computed stress, of the difference, of a strain that counts as none. */
static void cell_error(void *user, int c, double *sum) {
  const pass         *p = user;
  const sup_recovery *r = p->recovery;
  const sup_fem_body *body = r->body;
  const sup_lame     *lame = &sup_fem_matter_of(body, c)->lame;
  size_t              points = (size_t)body->element->num_points;
  size_t              given = (size_t)sup_fem_given(body, c);
  const double       *s = p->point + 6 * points * given, *share = r->share + points * given;
  double              volume = sup_fem_volume_of(body, c), mean[2];
  if (body->mesh->type == SUP_CELL_H8)
    brick_energies(p, sup_mesh_cell(r->mesh, c), lame, s, share, mean);
  else
    tet_energies(p, sup_mesh_cell(r->mesh, c), lame, s, share, mean);
  sum[0] = volume * mean[0];
  sum[1] = p->cell[given] = volume * mean[1];
  sum[2] = sup_fem_numerics.strain * sup_fem_numerics.strain * lame->mu * volume;
}

sup_stress_error sup_recovery_error(const sup_recovery *r, const double *point, const double *site,
                                    double *cell) {
  double sum[3] = {0};
  pass   p = {.recovery = r,
              .point = point,
              .site = site,
              .cell = cell,
              .kernels = sup_stress_kernels_select()};
  sup_sum_terms(sup_fem_threads(r->body), r->body->mesh->num_cells, 3, 3, cell_error, &p, sum);
  for (int k = 0; k < 3; k++) sum[k] = sup_sum_of_ranks(r->body->ranks, sum[k]);
  sup_stress_error error = {.energy = sum[1], .stress_energy = sum[0]};
  double           total = error.energy + error.stress_energy;
  error.relative = total > sum[2] ? sqrt(error.energy / total) : 0;
  return error;
}
