/* Quadratic tetrahedron, straight or curved (THEORY 4.6), with one rotation a cell, that of its
 * mean deformation.  Variants: T10, and T10B with the mean of the dilatation theta = tr e instead
 * of its value at each point (THEORY 4.7), which does not lock near nu = 0.5: psi = mu e:e +
 * lambda/2 mean(theta)^2.  The split is at lambda, not at the bulk modulus: the deviatoric energy
 * alone is 0 for the three quadratic fields 2 (a.x) x - (x.x) a, which made fingers 40 % too soft.
 */
#include <string.h>

#include "fem/kernel/dense.h"
#include "mesh/quadratic.h"

enum { N = 10, SIZE = 3 * N, STIFFNESS_SIZE = 9 * N * (N + 1) / 2, POINTS = SUP_T10_POINTS + 4 };

static double longest_edge(const double *x) {
  double longest = 0;
  for (int a = 1; a < N; a++)
    for (int b = 0; b < a; b++)
      longest =
          fmax(longest, sup_v3_norm(sup_v3_sub(sup_v3_load(x + 3 * a), sup_v3_load(x + 3 * b))));
  return longest;
}

static void add_block(double K[SIZE][SIZE], int a, int b, double weight, const sup_m3 *block) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) K[3 * a + i][3 * b + j] += weight * block->m[i][j];
}

/* dN/dX at a point from dX/dxi there; the point's share of the volume. */
static double gradients_at(int q, const sup_m3 *J, sup_v3 gradient[N]) {
  sup_m3 inverse = sup_m3_inverse(*J);
  sup_t10_gradient(sup_t10_point[q], gradient);
  for (int a = 0; a < N; a++) gradient[a] = sup_m3_apply_t(inverse, gradient[a]);
  return sup_t10_weight[q] * sup_m3_det(J);
}

static int t10_integration(const double *X, double *weight, double *to) {
  sup_m3 J[SUP_T10_POINTS];
  sup_v3 gradient[N];
  sup_t10_jacobians(X, J);
  for (int q = 0; q < SUP_T10_POINTS; q++) {
    weight[q] = gradients_at(q, &J[q], gradient);
    for (int a = 0; a < N; a++) sup_v3_store(to + 3 * (N * q + a), gradient[a]);
  }
  return SUP_T10_POINTS;
}

/* Stiffness, mean gradients and volume from dX/dxi at the points. */
static void integrate(const sup_lame *lame, const sup_m3 J[SUP_T10_POINTS], double K[SIZE][SIZE],
                      sup_element_data *data) {
  sup_v3 gradient[N], mean[N];
  memset(mean, 0, sizeof mean);
  data->volume = 0;
  for (int q = 0; q < SUP_T10_POINTS; q++) {
    double weight = gradients_at(q, &J[q], gradient);
    for (int a = 0; a < N; a++) mean[a] = sup_v3_madd(mean[a], weight, gradient[a]);
    for (int a = 0; a < N; a++)
      for (int b = 0; b < N; b++) {
        sup_m3 block = sup_fem_tangent(lame, gradient[a], gradient[b]);
        add_block(K, a, b, weight, &block);
      }
    data->volume += weight;
  }
  for (int a = 0; a < N; a++)
    sup_v3_store(data->gradient + 3 * a, sup_v3_scale(1 / data->volume, mean[a]));
}

static double prepare(const sup_lame *lame, double mean_modulus, const double *X, const int *slot,
                      sup_element_data *data) {
  sup_m3 J[SUP_T10_POINTS];
  double K[SIZE][SIZE], smallest = HUGE_VAL, length = longest_edge(X);
  sup_t10_jacobians(X, J);
  for (int q = 0; q < SUP_T10_POINTS; q++) {
    double det = sup_m3_det(&J[q]);
    if (!(det >= smallest)) smallest = det;
  }
  smallest /= length * length * length;
  if (!(smallest > SUP_ELEMENT_MIN_JACOBIAN)) return smallest;
  memset(K, 0, sizeof K);
  integrate(lame, J, K, data);
  for (int a = 0; a < N; a++)
    for (int b = 0; b < N; b++) {
      sup_m3 block =
          sup_m3_outer(sup_v3_load(data->gradient + 3 * a), sup_v3_load(data->gradient + 3 * b));
      add_block(K, a, b, mean_modulus * data->volume, &block);
    }
  sup_dense_store(N, K[0], SIZE, slot, data->stiffness);
  return smallest;
}

static double t10_prepare(const sup_lame *lame, const double *X, const int *slot,
                          sup_element_data *data) {
  return prepare(lame, 0, X, slot, data);
}

static double t10b_prepare(const sup_lame *lame, const double *X, const int *slot,
                           sup_element_data *data) {
  sup_lame shear = {.lambda = 0, .mu = lame->mu};
  return prepare(&shear, lame->lambda, X, slot, data);
}

static double t10_force(const double *stiffness, const sup_m3 *R, const double *X, const double *x,
                        double *f) {
  return sup_dense_force(N, stiffness, R, X, x, f);
}

/* N_a N_b det J has degree 7 on a curved cell: five Gauss points a direction of the cube that is
 * folded to the tetrahedron, which costs two degrees, are exact. */
static void t10_mass(const double *X, double *mass) {
  static const double at[5] = {-0.90617984593866399, -0.53846931010568309, 0, 0.53846931010568309,
                               0.90617984593866399};
  static const double weight[5] = {0.23692688505618909, 0.47862867049936647, 0.56888888888888889,
                                   0.47862867049936647, 0.23692688505618909};
  sup_m3              corner[SUP_T10_POINTS];
  sup_t10_jacobians(X, corner);
  memset(mass, 0, (size_t)N * N * sizeof *mass);
  for (int q = 0; q < 125; q++) {
    int    i = q / 25, j = q / 5 % 5, k = q % 5;
    double u = 0.5 * (1 + at[i]), v = 0.5 * (1 + at[j]), w = 0.5 * (1 + at[k]), shape[N];
    double L[4] = {0, u, (1 - u) * v, (1 - u) * (1 - v) * w};
    L[0] = 1 - L[1] - L[2] - L[3];
    sup_m3 J = sup_t10_jacobian(corner, L);
    double share =
        0.125 * weight[i] * weight[j] * weight[k] * (1 - u) * (1 - u) * (1 - v) * sup_m3_det(&J);
    sup_t10_shape(L, shape);
    for (int a = 0; a < N; a++)
      for (int b = 0; b < N; b++) mass[N * a + b] += share * shape[a] * shape[b];
  }
}

/* Trace of R^T F. */
static double trace_in(const sup_m3 *R, const sup_m3 *F) {
  double trace = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) trace += R->m[i][j] * F->m[i][j];
  return trace;
}

/* The rule's points, then the four of the rule of degree 2. */
static void point_coordinates(int q, double L[4]) {
  /* (5 - sqrt 5) / 20, (5 + 3 sqrt 5) / 20 */
  static const double at[2] = {0.13819660112501052, 0.58541019662496845};
  for (int i = 0; i < 4; i++)
    L[i] = q < SUP_T10_POINTS ? sup_t10_point[q][i] : at[i == q - SUP_T10_POINTS];
}

static void t10_shape(int q, double *shape) {
  double L[4];
  point_coordinates(q, L);
  sup_t10_shape(L, shape);
}

/* F, weights and ratios of the volume at all points. */
static void t10_deformations(const sup_lame *lame, const double *X, const double *x, sup_m3 *F,
                             sup_point_stress *point) {
  (void)lame; /* no inner modes */
  sup_m3 rest[SUP_T10_POINTS], current[SUP_T10_POINTS];
  double volume = 0;
  sup_t10_jacobians(X, rest);
  sup_t10_jacobians(x, current);
  for (int q = 0; q < POINTS; q++) {
    double L[4];
    point_coordinates(q, L);
    sup_m3 J = q < SUP_T10_POINTS ? rest[q] : sup_t10_jacobian(rest, L);
    F[q] = sup_m3_mul(q < SUP_T10_POINTS ? current[q] : sup_t10_jacobian(current, L),
                      sup_m3_inverse(J));
    point[q].weight = q < SUP_T10_POINTS ? sup_t10_weight[q] * sup_m3_det(&J) : 0;
    point[q].volume_ratio = sup_m3_det(&F[q]);
    volume += point[q].weight;
  }
  for (int q = 0; q < POINTS; q++) point[q].weight /= volume;
}

static void stress_at(const sup_lame *lame, sup_material_model model, bool is_mean, const sup_m3 *R,
                      const double *X, const double *x, sup_point_stress *point) {
  sup_m3 F[POINTS];
  double mean = 0; /* of tr(R^T F) - 3 */
  t10_deformations(NULL, X, x, F, point);
  for (int q = 0; q < SUP_T10_POINTS && is_mean; q++)
    mean += point[q].weight * (trace_in(R, &F[q]) - 3);
  sup_lame at_point = {.lambda = is_mean ? 0 : lame->lambda, .mu = lame->mu};
  for (int q = 0; q < POINTS; q++) {
    sup_m3 P;
    point[q].energy_density = sup_fem_linear(&at_point, R, &F[q], &P);
    if (is_mean) {
      point[q].energy_density += 0.5 * lame->lambda * mean * mean;
      P = sup_m3_add(P, sup_m3_scale(lame->lambda * mean, *R));
    }
    point[q].cauchy = sup_fem_cauchy(model, &P, &F[q]);
  }
}

static void t10_stress(const sup_lame *lame, sup_material_model model, const sup_m3 *R,
                       const double *X, const double *x, sup_point_stress *point) {
  stress_at(lame, model, 0, R, X, x, point);
}

static void t10b_stress(const sup_lame *lame, sup_material_model model, const sup_m3 *R,
                        const double *X, const double *x, sup_point_stress *point) {
  stress_at(lame, model, 1, R, X, x, point);
}

/** Members that T10 with and without mean dilatation share. */
#define T10_ROW                                                                             \
  .num_vertices = N, .num_pairs = N * (N + 1) / 2, .stiffness_size = STIFFNESS_SIZE,        \
  .compliance_size = 0, .is_dense = 1, .lumps_diagonal = 1, .num_points = POINTS,           \
  .first_sample = SUP_T10_POINTS, .shape = t10_shape, .force = t10_force, .mass = t10_mass, \
  .integration = t10_integration, .deformations = t10_deformations

const sup_element sup_element_t10 = {T10_ROW, .prepare = t10_prepare, .stress = t10_stress};
const sup_element sup_element_t10b = {T10_ROW, .prepare = t10b_prepare, .stress = t10b_stress};
