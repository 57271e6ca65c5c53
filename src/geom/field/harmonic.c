#include "geom/field/harmonic.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geom/field/numerics.h"
#include "la/vector.h"

/** K_ij = V grad lambda_i . grad lambda_j of each cell. */
static void fill_stiffness(const sup_mesh *m, double *K) {
  for (int c = 0; c < m->num_cells; c++) {
    const int *v = sup_mesh_cell(m, c);
    sup_v3     x0 = sup_mesh_vertex(m, v[0]), e1 = sup_v3_sub(sup_mesh_vertex(m, v[1]), x0);
    sup_v3     e2 = sup_v3_sub(sup_mesh_vertex(m, v[2]), x0),
           e3 = sup_v3_sub(sup_mesh_vertex(m, v[3]), x0);
    double det = sup_v3_dot(sup_v3_cross(e1, e2), e3);
    sup_v3 g[4] = {{0, 0, 0}, sup_v3_cross(e2, e3), sup_v3_cross(e3, e1), sup_v3_cross(e1, e2)};
    for (int k = 1; k < 4; k++) g[0] = sup_v3_sub(g[0], g[k]); /* all times det */
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++)
        K[16 * (size_t)c + 4 * (size_t)i + (size_t)j] = sup_v3_dot(g[i], g[j]) / (6 * det);
  }
}

/** y = K x with zeros at fixed vertices. */
static void multiply(const sup_mesh *m, const double *K, const unsigned char *is_fixed,
                     const double *x, double *y) {
  memset(y, 0, (size_t)m->num_vertices * sizeof *y);
  for (int c = 0; c < m->num_cells; c++) {
    const int    *v = sup_mesh_cell(m, c);
    const double *k = K + 16 * (size_t)c;
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) y[v[i]] += k[4 * i + j] * x[v[j]];
  }
  for (int i = 0; i < m->num_vertices; i++)
    if (is_fixed[i]) y[i] = 0;
}

static void fill_diagonal(const sup_mesh *m, const double *K, double *diagonal) {
  for (int c = 0; c < m->num_cells; c++)
    for (int i = 0; i < 4; i++)
      diagonal[sup_mesh_cell(m, c)[i]] += K[16 * (size_t)c + 5 * (size_t)i];
}

/** Room of the iteration: each [num_vertices]. */
typedef struct workspace {
  double *r, *z, *p, *Kp, *diagonal;
} workspace;

/** Conjugate gradients, preconditioned by the diagonal. */
static sup_status iterate(const sup_mesh *m, const double *K, const unsigned char *is_fixed,
                          double *u, const workspace *w) {
  int    n = m->num_vertices;
  double rho = 0, first = 0;
  multiply(m, K, is_fixed, u, w->r);
  for (int i = 0; i < n; i++) w->r[i] = -w->r[i];
  for (int step = 0; step <= 10 * n; step++) {
    for (int i = 0; i < n; i++) w->z[i] = w->r[i] / w->diagonal[i];
    double next = sup_dot(w->r, w->z, n);
    if (step == 0) first = next;
    if (!(next > sup_geom_field_numerics.harmonic * sup_geom_field_numerics.harmonic * first))
      return SUP_OK;
    for (int i = 0; i < n; i++) w->p[i] = w->z[i] + (step > 0 ? next / rho : 0) * w->p[i];
    rho = next;
    multiply(m, K, is_fixed, w->p, w->Kp);
    double alpha = rho / sup_dot(w->p, w->Kp, n);
    for (int i = 0; i < n; i++) u[i] += alpha * w->p[i], w->r[i] -= alpha * w->Kp[i];
  }
  return SUP_FAIL(SUP_E_NOT_CONVERGED,
                  "the harmonic field of %d points was not found in %d iterations", n, 10 * n);
}

sup_status sup_harmonic_solve(const sup_mesh *m, const unsigned char *is_fixed, double *u) {
  SUP_FREED double *K = NULL, *memory = NULL;
  size_t            n = (size_t)m->num_vertices;
  SUP_TRY(SUP_CALLOC(K, 16 * (size_t)m->num_cells));
  SUP_TRY(SUP_CALLOC(memory, 5 * n));
  workspace w = {memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n};
  fill_stiffness(m, K);
  fill_diagonal(m, K, w.diagonal);
  SUP_TRY(iterate(m, K, is_fixed, u, &w));
  return SUP_OK;
}
