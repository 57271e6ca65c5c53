/* Trilinear hexahedron with incompatible modes (Wilson, Taylor): THEORY 15.1.  Nine internal modes
 * 1 - xi_k^2 for each displacement component, their gradients corrected so that the mean vanishes
 * and the patch test holds; condensed to 24 x 24 when the body is built. */
#include <string.h>

#include "fem/element/brick.h"
#include "fem/kernel/dense.h"

enum {
  MODES = 3,            /* internal modes, each with 3 components */
  NODES = MODES + 8,    /* modes first, so that elimination begins with them */
  SIZE = 3 * NODES,     /* scalars before condensation */
  INTERNAL = 3 * MODES, /* scalars condensed */
  STIFFNESS_SIZE = 9 * 36
};

const double        sup_h8_corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                           {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
static const double GAUSS_2 = SUP_H8_GAUSS;
static const double GAUSS_3 = 0.77459666924148337704; /* sqrt(3 / 5) */

static sup_v3 integration_point(int q) {
  return sup_v3_make(GAUSS_2 * sup_h8_corner[q][0], GAUSS_2 * sup_h8_corner[q][1],
                     GAUSS_2 * sup_h8_corner[q][2]);
}

static void h8_shape(int q, double *N) {
  sup_v3 xi = integration_point(q);
  for (int a = 0; a < 8; a++)
    N[a] = 0.125 * (1 + sup_h8_corner[a][0] * xi.x) * (1 + sup_h8_corner[a][1] * xi.y) *
           (1 + sup_h8_corner[a][2] * xi.z);
}

/* dx/dxi at the eight integration points.  Column k is bilinear in the other two coordinates: it
 * interpolates the four edges along direction k, and each value serves two points. */
void sup_brick_jacobians(const double *x, sup_m3 J[8]) {
  static const int edge_vertex[3][4][2] = {{{0, 1}, {3, 2}, {4, 5}, {7, 6}},
                                           {{0, 3}, {1, 2}, {4, 7}, {5, 6}},
                                           {{0, 4}, {1, 5}, {3, 7}, {2, 6}}};
  static const int nearest_edge[3][8] = {
      {0, 0, 1, 1, 2, 2, 3, 3}, {0, 1, 1, 0, 2, 3, 3, 2}, {0, 1, 3, 2, 0, 1, 3, 2}};
  const double near = 0.5 * (1 + GAUSS_2), far = 0.5 * (1 - GAUSS_2);
  for (int k = 0; k < 3; k++) {
    double edge[4][3], at[4][3];
    for (int e = 0; e < 4; e++) {
      const double *a = x + 3 * edge_vertex[k][e][0], *b = x + 3 * edge_vertex[k][e][1];
      for (int i = 0; i < 3; i++) edge[e][i] = 0.5 * (b[i] - a[i]);
    }
    for (int e = 0; e < 4; e++) /* e ^ 1 and e ^ 2 share a face with edge e, e ^ 3 is opposite */
      for (int i = 0; i < 3; i++)
        at[e][i] = near * near * edge[e][i] + near * far * (edge[e ^ 1][i] + edge[e ^ 2][i]) +
                   far * far * edge[e ^ 3][i];
    for (int q = 0; q < 8; q++)
      for (int i = 0; i < 3; i++) J[q].m[i][k] = at[nearest_edge[k][q]][i];
  }
}

/* Gradients of the internal modes at point q with Taylor's correction:
 * (j0 / j) d(1 - xi_k^2)/dxi_k grad0 xi_k, with the Jacobian J0 at the centre. */
static void mode_gradients(const sup_m3 *inverse0, double j0_over_j, int q,
                           sup_v3 gradient[MODES]) {
  for (int k = 0; k < MODES; k++)
    gradient[k] =
        sup_v3_scale(-2 * GAUSS_2 * sup_h8_corner[q][k] * j0_over_j, sup_m3_row(inverse0, k));
}

double sup_brick_smallest_jacobian(const double *X) {
  double longest = 0;
  sup_m3 J[8], J0 = sup_brick_jacobian(X, sup_v3_make(0, 0, 0));
  double smallest = sup_m3_det(&J0);
  for (int a = 1; a < 8; a++)
    for (int b = 0; b < a; b++)
      longest =
          fmax(longest, sup_v3_norm(sup_v3_sub(sup_v3_load(X + 3 * a), sup_v3_load(X + 3 * b))));
  sup_brick_jacobians(X, J);
  for (int q = 0; q < 8; q++) {
    double det = sup_m3_det(&J[q]);
    if (!(det >= smallest)) smallest = det;
  }
  return smallest / (longest * longest * longest);
}

/* Lower triangle of the uncondensed stiffness, the mean gradients and the volume. */
static void integrate(const sup_lame *lame, const double *X, double K[SIZE][SIZE],
                      sup_element_data *data) {
  sup_m3 J0 = sup_brick_jacobian(X, sup_v3_make(0, 0, 0)), inverse0 = sup_m3_inverse(J0), J[8];
  sup_v3 mean[8], gradient[NODES];
  memset(mean, 0, sizeof mean);
  data->volume = 0;
  sup_brick_jacobians(X, J);
  for (int q = 0; q < 8; q++) {
    double weight = sup_m3_det(&J[q]);
    sup_m3 inverse = sup_m3_inverse(J[q]);
    data->volume += weight;
    mode_gradients(&inverse0, sup_m3_det(&J0) / weight, q, gradient);
    for (int a = 0; a < 8; a++) {
      gradient[MODES + a] =
          sup_m3_apply_t(inverse, sup_brick_shape_derivative(a, integration_point(q)));
      mean[a] = sup_v3_madd(mean[a], weight, gradient[MODES + a]);
    }
    for (int a = 0; a < NODES; a++) {
      for (int b = 0; b <= a; b++) {
        sup_m3 block = sup_fem_tangent(lame, gradient[a], gradient[b]);
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) K[3 * a + i][3 * b + j] += weight * block.m[i][j];
      }
    }
  }
  for (int a = 0; a < 8; a++)
    sup_v3_store(data->gradient + 3 * a, sup_v3_scale(1 / data->volume, mean[a]));
}

/* Kaa^-1 = L11^-T L11^-1, row by row of its lower triangle. */
static void store_compliance(double K[SIZE][SIZE], double *compliance) {
  double inverse[INTERNAL][INTERNAL] = {{0}}; /* of L11 */
  for (int j = 0; j < INTERNAL; j++)
    for (int i = j; i < INTERNAL; i++) {
      double sum = i == j;
      for (int k = j; k < i; k++) sum -= K[i][k] * inverse[k][j];
      inverse[i][j] = sum / K[i][i];
    }
  for (int i = 0; i < INTERNAL; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = i; k < INTERNAL; k++) sum += inverse[k][i] * inverse[k][j];
      *compliance++ = sum;
    }
}

static double h8_prepare(const sup_lame *lame, const double *X, const int *slot,
                         sup_element_data *data) {
  double smallest = sup_brick_smallest_jacobian(X), K[SIZE][SIZE];
  if (!(smallest > SUP_ELEMENT_MIN_JACOBIAN)) return smallest;
  memset(K, 0, sizeof K);
  integrate(lame, X, K, data);
  if (!sup_dense_condense(INTERNAL, SIZE, &K[0][0])) return 0;
  store_compliance(K, data->compliance);
  for (int i = INTERNAL; i < SIZE; i++)
    for (int j = INTERNAL; j < i; j++) K[j][i] = K[i][j];
  sup_dense_store(8, &K[INTERNAL][INTERNAL], SIZE, slot, data->stiffness);
  return smallest;
}

static double h8_force(const double *stiffness, const sup_m3 *R, const double *X, const double *x,
                       double *f) {
  return sup_dense_force(8, stiffness, R, X, x, f);
}

/* N_a N_b det J has degree 4 in each coordinate: three Gauss points a direction are exact. */
static void h8_mass(const double *X, double *N) {
  const double at[3] = {-GAUSS_3, 0, GAUSS_3}, weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  memset(N, 0, 64 * sizeof *N);
  for (int q = 0; q < 27; q++) {
    int    i = q / 9, j = q / 3 % 3, k = q % 3;
    sup_m3 J = sup_brick_jacobian(X, sup_v3_make(at[i], at[j], at[k]));
    double w = weight[i] * weight[j] * weight[k] * sup_m3_det(&J), shape[8];
    for (int a = 0; a < 8; a++)
      shape[a] = 0.125 * (1 + sup_h8_corner[a][0] * at[i]) * (1 + sup_h8_corner[a][1] * at[j]) *
                 (1 + sup_h8_corner[a][2] * at[k]);
    for (int a = 0; a < 8; a++)
      for (int b = 0; b < 8; b++) N[8 * a + b] += w * shape[a] * shape[b];
  }
}

const sup_element sup_element_h8 = {.num_vertices = 8,
                                    .num_pairs = 36,
                                    .stiffness_size = STIFFNESS_SIZE,
                                    .compliance_size = SUP_ELEMENT_MAX_COMPLIANCE,
                                    .is_dense = 1,
                                    .num_points = 8,
                                    .shape = h8_shape,
                                    .prepare = h8_prepare,
                                    .force = h8_force,
                                    .mass = h8_mass};
