/* Solid-shell hexahedron (THEORY 21.1): transverse shear and thickness strain are interpolated
 * from where they hold no parasitic part (Dvorkin, Bathe 1984; Betsch, Stein 1995), seven enhanced
 * modes of strain are condensed when the body is built (Simo, Rifai 1990).
 *
 *  With local axes xi, eta, zeta, zeta through the thickness, J = dX/dxi with columns G_i and the
 * covariant strains E_ij = 1/2 (G_i . u,j + G_j . u,i),
 *
 *      E_33   bilinear between its values at (+-1, +-1, 0),
 *      2 E_31 linear in eta between those at (0, +-1, 0),  2 E_23 linear in xi between (+-1, 0, 0),
 *
 * and the others as they are; the strain is e_kl = sum of E_ij (J^-1)_ik (J^-1)_jl, to which come
 * det J0/det J times the same map at the centre of 11: xi, 22: eta, 12: xi, eta, 33: zeta, xi zeta,
 * eta zeta.  They have no mean, so that a constant stress does no work on them.
 *
 *  Cells that are not thin are bricks with Taylor's incompatible modes, as in sup_element_h8: with
 * slanted fibres the solid-shell fails the patch test, and a cube has no thickness direction.
 */
#include <string.h>

#include "fem/element/brick.h"
#include "fem/kernel/dense.h"
#include "fem/kernel/polar.h"
#include "mesh/thin.h"

enum { VERTICES = 8, MOVES = 24, SHELL_MODES = 7, BRICK_MODES = 9, MAX_MODES = 9 };
enum { MAX_SIZE = MAX_MODES + MOVES, STIFFNESS_SIZE = 9 * 36, POINTS = 8 };

/* Strains are xx yy zz xy yz zx with engineering shears, in local axes 11 22 33 12 23 31. */
enum { S11, S22, S33, S12, S23, S31 };
static const int pair_of[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

/** A linear function of the displacements of the vertices in local order. */
typedef double row[MOVES];

typedef struct brick {
  int    order[VERTICES]; /* of the cell's vertices: those in local order */
  double X[MOVES];        /* local order */
  int    is_shell, modes;
  double normal, shear[2]; /* shares of the moduli that E_33, E_31 and E_23 have */
  sup_m3 inverse0;         /* of J at the centre */
  double det0;
  row    shear31[2], shear23[2]; /* 2 E_31 at eta = -1, 1; 2 E_23 at xi = -1, 1 */
  row    thickness[2][2];        /* E_33 at (xi, eta) */
} brick;

/** At a point of integration. */
typedef struct strain_point {
  double weight; /* det J [m^3] */
  sup_m3 Q;      /* columns: its axes in which strains and stresses are, the third normal to
                    the layer */
  row    B[6];   /* strain from displacements, local order of vertices */
  double M[6][MAX_MODES]; /* from modes */
} strain_point;

/* ---- local axes ------------------------------------------------------------------------------ */

/** Local order of vertices: local axes are a cyclic permutation of the cell's axes, with the third
 * axis `thickness`. */
static void turn_vertices(int thickness, int *order) {
  for (int a = 0; a < VERTICES; a++)
    for (int b = 0; b < VERTICES; b++) {
      bool is_same = 1;
      for (int k = 0; k < 3; k++)
        is_same &= sup_h8_corner[a][k] == sup_h8_corner[b][(thickness + 1 + k) % 3];
      if (is_same) order[a] = b;
    }
}

/* ---- strains --------------------------------------------------------------------------------- */

/** E_ij at a point, doubled for i != j. */
static void covariant_row(const brick *b, sup_v3 xi, int component, row out) {
  int    i = pair_of[component][0], j = pair_of[component][1];
  sup_m3 J = sup_brick_jacobian(b->X, xi);
  sup_v3 Gi = sup_m3_column(&J, i), Gj = sup_m3_column(&J, j);
  for (int a = 0; a < VERTICES; a++) {
    sup_v3 d = sup_brick_shape_derivative(a, xi);
    double of[3] = {d.x, d.y, d.z};
    sup_v3 part = sup_v3_scale(of[j], Gi);
    if (i != j) part = sup_v3_madd(part, of[i], Gj);
    sup_v3_store(out + 3 * a, part);
  }
}

/** Cartesian strain from the local strain, of which the listed components are given. */
static void transformation(const sup_m3 *inverse, double T[6][6]) {
  for (int r = 0; r < 6; r++)
    for (int c = 0; c < 6; c++) {
      int    k = pair_of[r][0], l = pair_of[r][1], i = pair_of[c][0], j = pair_of[c][1];
      double v = inverse->m[i][k] * inverse->m[j][l];
      if (i != j) v = 0.5 * (v + inverse->m[j][k] * inverse->m[i][l]);
      T[r][c] = k == l ? v : 2 * v;
    }
}

static void assume(const brick *b, sup_v3 xi, row E[6]) {
  for (int m = 0; m < MOVES; m++) {
    double low =
        0.5 * (1 - xi.x) * b->thickness[0][0][m] + 0.5 * (1 + xi.x) * b->thickness[1][0][m];
    double up = 0.5 * (1 - xi.x) * b->thickness[0][1][m] + 0.5 * (1 + xi.x) * b->thickness[1][1][m];
    E[S33][m] = 0.5 * (1 - xi.y) * low + 0.5 * (1 + xi.y) * up;
    E[S31][m] = 0.5 * (1 - xi.y) * b->shear31[0][m] + 0.5 * (1 + xi.y) * b->shear31[1][m];
    E[S23][m] = 0.5 * (1 - xi.x) * b->shear23[0][m] + 0.5 * (1 + xi.x) * b->shear23[1][m];
  }
}

/** Local strains of the seven modes. */
static void shell_modes(sup_v3 xi, double local[6][MAX_MODES]) {
  local[S11][0] = xi.x, local[S22][1] = xi.y, local[S12][2] = xi.x, local[S12][3] = xi.y;
  local[S33][4] = xi.z, local[S33][5] = xi.x * xi.z, local[S33][6] = xi.y * xi.z;
}

/** Taylor's: displacements 1 - xi_k^2 along the axes of the world. */
static void brick_modes(const brick *b, sup_v3 xi, double scale, double M[6][MAX_MODES]) {
  const double at[3] = {xi.x, xi.y, xi.z};
  for (int k = 0; k < 3; k++) {
    sup_v3 g = sup_v3_scale(-2 * at[k] * scale, sup_m3_row(&b->inverse0, k));
    double of[3] = {g.x, g.y, g.z};
    for (int r = 0; r < 6; r++) {
      int i = pair_of[r][0], j = pair_of[r][1];
      M[r][3 * k + i] += of[j];
      if (i != j) M[r][3 * k + j] += of[i];
    }
  }
}

/** Axes as columns: along xi, across xi within the layer, normal to the layer. */
static sup_m3 layer_axes(const sup_m3 *J) {
  sup_v3 along = sup_v3_unit(sup_m3_column(J, 0)),
         normal = sup_v3_unit(sup_v3_cross(along, sup_m3_column(J, 1)));
  return sup_m3_columns(along, sup_v3_cross(normal, along), normal);
}

static void look_at(const brick *b, int q, strain_point *p) {
  sup_v3 xi = sup_v3_scale(SUP_H8_GAUSS, sup_v3_load(sup_h8_corner[q]));
  sup_m3 J = sup_brick_jacobian(b->X, xi), inverse, inverse0;
  row    E[6];
  double T[6][6], local[6][MAX_MODES] = {{0}};
  p->weight = sup_m3_det(&J);
  p->Q = b->is_shell ? layer_axes(&J) : sup_m3_identity();
  inverse = sup_m3_mul(sup_m3_inverse(J), p->Q), inverse0 = sup_m3_mul(b->inverse0, p->Q);
  for (int r = 0; r < 6; r++) covariant_row(b, xi, r, E[r]);
  if (b->is_shell) assume(b, xi, E);
  transformation(&inverse, T);
  memset(p->B, 0, sizeof p->B), memset(p->M, 0, sizeof p->M);
  for (int r = 0; r < 6; r++)
    for (int c = 0; c < 6; c++)
      for (int m = 0; m < MOVES; m++) p->B[r][m] += T[r][c] * E[c][m];
  if (!b->is_shell) {
    brick_modes(b, xi, b->det0 / p->weight, p->M);
    return;
  }
  shell_modes(xi, local);
  transformation(&inverse0, T);
  for (int r = 0; r < 6; r++)
    for (int c = 0; c < 6; c++)
      for (int m = 0; m < SHELL_MODES; m++)
        p->M[r][m] += b->det0 / p->weight * T[r][c] * local[c][m];
}

/** Factors of the normal and shear stiffness through the thickness of thin cells, from their aspect
 * ratios. */
static void find_shares(const sup_lame *lame, const sup_brick_size *size, brick *b) {
  double thickness = size->length[size->thinnest];
  double youngs_modulus = lame->mu * (3 * lame->lambda + 2 * lame->mu) / (lame->lambda + lame->mu);
  b->normal = b->shear[0] = b->shear[1] = 1;
  if (!b->is_shell) return;
  for (int k = 0; k < 2; k++) {
    double aspect = size->length[(size->thinnest + 1 + k) % 3] / thickness;
    b->normal = fmin(b->normal, 1 / (aspect * aspect));
    b->shear[k] = 1 / (1 + lame->mu / youngs_modulus * aspect * aspect);
  }
}

static void begin(const sup_lame *lame, const double *X, brick *b) {
  sup_brick_size size = sup_brick_measure(X);
  b->is_shell = size.aspect >= SUP_THIN_BRICK_ASPECT,
  b->modes = b->is_shell ? SHELL_MODES : BRICK_MODES;
  turn_vertices(b->is_shell ? size.thinnest : 2, b->order);
  for (int a = 0; a < VERTICES; a++) memcpy(b->X + 3 * a, X + 3 * b->order[a], 3 * sizeof *X);
  find_shares(lame, &size, b);
  sup_m3 J0 = sup_brick_jacobian(b->X, sup_v3_make(0, 0, 0));
  b->inverse0 = sup_m3_inverse(J0), b->det0 = sup_m3_det(&J0);
  for (int e = 0; e < 2; e++) {
    double end = e ? 1 : -1;
    covariant_row(b, sup_v3_make(0, end, 0), S31, b->shear31[e]);
    covariant_row(b, sup_v3_make(end, 0, 0), S23, b->shear23[e]);
    for (int f = 0; f < 2; f++)
      covariant_row(b, sup_v3_make(end, f ? 1 : -1, 0), S33, b->thickness[e][f]);
  }
}

/** Plane stress in the layer, and shares of the stress through it; with full shares Hooke's law:
 *  2 psi = plane stress + (lambda + 2 mu) (e33 + nu/(1 - nu) (e11 + e22))^2 + mu (g31^2 + g23^2).
 */
static void stress_of(const sup_lame *lame, const brick *b, const double *e, double *s) {
  double through = lame->lambda + 2 * lame->mu, ratio = lame->lambda / through;
  double normal = b->normal * (through * e[2] + lame->lambda * (e[0] + e[1]));
  double plane = 2 * lame->mu * ratio * (e[0] + e[1]);
  for (int k = 0; k < 2; k++) s[k] = 2 * lame->mu * e[k] + plane + ratio * normal;
  s[2] = normal, s[3] = lame->mu * e[3];
  s[4] = b->shear[1] * lame->mu * e[4], s[5] = b->shear[0] * lame->mu * e[5];
}

/* ---- stiffness ------------------------------------------------------------------------------- */

/** Lower triangle of the stiffness, modes first. */
static void integrate(const sup_lame *lame, const brick *b, int size, double *K) {
  for (int q = 0; q < POINTS; q++) {
    strain_point p;
    double       all[MAX_SIZE][6], s[6];
    look_at(b, q, &p);
    for (int i = 0; i < size; i++)
      for (int r = 0; r < 6; r++) {
        int vertex = (i - b->modes) / 3, axis = (i - b->modes) % 3;
        if (i < b->modes)
          all[i][r] = p.M[r][i];
        else
          all[3 * b->order[vertex] + axis + b->modes][r] = p.B[r][i - b->modes];
      }
    for (int i = 0; i < size; i++) {
      stress_of(lame, b, all[i], s);
      for (int j = i; j < size; j++) {
        double sum = 0;
        for (int r = 0; r < 6; r++) sum += s[r] * all[j][r];
        K[size * j + i] += p.weight * sum;
      }
    }
  }
}

/** Volume and mean gradients. */
static void measure(const double *X, sup_element_data *data) {
  sup_m3 J[POINTS];
  sup_v3 mean[VERTICES];
  memset(mean, 0, sizeof mean);
  sup_brick_jacobians(X, J);
  data->volume = 0;
  for (int q = 0; q < POINTS; q++) {
    double weight = sup_m3_det(&J[q]);
    sup_m3 inverse = sup_m3_inverse(J[q]);
    sup_v3 xi = sup_v3_scale(SUP_H8_GAUSS, sup_v3_load(sup_h8_corner[q]));
    data->volume += weight;
    for (int a = 0; a < VERTICES; a++)
      mean[a] =
          sup_v3_madd(mean[a], weight, sup_m3_apply_t(inverse, sup_brick_shape_derivative(a, xi)));
  }
  for (int a = 0; a < VERTICES; a++)
    sup_v3_store(data->gradient + 3 * a, sup_v3_scale(1 / data->volume, mean[a]));
}

static double shell_prepare(const sup_lame *lame, const double *X, const int *slot,
                            sup_element_data *data) {
  double smallest = sup_brick_smallest_jacobian(X), K[MAX_SIZE * MAX_SIZE] = {0};
  brick  b;
  if (!(smallest > SUP_ELEMENT_MIN_JACOBIAN)) return smallest;
  begin(lame, X, &b);
  if (!b.is_shell) return sup_element_h8.prepare(lame, X, slot, data);
  int size = b.modes + MOVES;
  integrate(lame, &b, size, K);
  if (!sup_dense_condense(b.modes, size, K)) return 0;
  for (int i = b.modes; i < size; i++)
    for (int j = b.modes; j < i; j++) K[size * j + i] = K[size * i + j];
  sup_dense_store(VERTICES, &K[size * b.modes + b.modes], size, slot, data->stiffness);
  measure(X, data);
  return smallest;
}

static double shell_force(const double *stiffness, const sup_m3 *R, const double *X,
                          const double *x, double *f) {
  return sup_dense_force(VERTICES, stiffness, R, X, x, f);
}

static void shell_mass(const double *X, double *N) { sup_element_h8.mass(X, N); }
static void shell_shape(int q, double *N) { sup_element_h8.shape(q, N); }

/* ---- stress ---------------------------------------------------------------------------------- */

/** alpha := minimiser of the energy, -Kaa^-1 Kau u. */
static void find_modes(const sup_lame *lame, const brick *b, const strain_point *points,
                       const double e[POINTS][6], double *alpha) {
  int    n = b->modes;
  double K[(MAX_MODES + 1) * (MAX_MODES + 1)] = {0};
  for (int q = 0; q < POINTS; q++) {
    double column[MAX_MODES + 1][6], s[6];
    for (int r = 0; r < 6; r++) {
      for (int i = 0; i < n; i++) column[i][r] = points[q].M[r][i];
      column[n][r] = e[q][r];
    }
    for (int i = 0; i <= n; i++) {
      stress_of(lame, b, column[i], s);
      for (int j = i; j <= n; j++)
        for (int r = 0; r < 6; r++) K[(n + 1) * j + i] += points[q].weight * s[r] * column[j][r];
    }
  }
  memset(alpha, 0, MAX_MODES * sizeof *alpha);
  if (!sup_dense_condense(n, n + 1, K)) return;
  for (int k = n - 1; k >= 0; k--) {
    double sum = -K[(n + 1) * n + k];
    for (int l = k + 1; l < n; l++) sum -= K[(n + 1) * l + k] * alpha[l];
    alpha[k] = sum / K[(n + 1) * k + k];
  }
}

/** In the axes of the cell. */
static sup_m3 in_cell(const sup_m3 *Q, const double *e, double shear) {
  double a = shear * e[3], b = shear * e[4], c = shear * e[5];
  sup_m3 S = {{{e[0], a, c}, {a, e[1], b}, {c, b, e[2]}}};
  return sup_m3_mul(*Q, sup_m3_mul(S, sup_m3_transpose(*Q)));
}

/** Assumed strains about R at the points, without modes.
 *  @param[out] e  of displacements R^T x - X */
static void strains(const brick *b, const sup_m3 *R, const double *x, strain_point *points,
                    double e[POINTS][6]) {
  double own[MOVES], u[MOVES];
  for (int a = 0; a < VERTICES; a++) memcpy(own + 3 * a, x + 3 * b->order[a], 3 * sizeof *own);
  sup_dense_displacements(VERTICES, R, b->X, own, u);
  for (int q = 0; q < POINTS; q++) {
    look_at(b, q, &points[q]);
    for (int r = 0; r < 6; r++) {
      e[q][r] = 0;
      for (int m = 0; m < MOVES; m++) e[q][r] += points[q].B[r][m] * u[m];
    }
  }
}

/** F = R (1 + e): in a bending thin cell the compatible F contains parasitic shears, which assumed
 * strains do not. */
static sup_m3 layer_deformation(const sup_m3 *R, const strain_point *p, const double *e) {
  sup_m3 stretch = in_cell(&p->Q, e, 0.5);
  for (int i = 0; i < 3; i++) stretch.m[i][i] += 1;
  return sup_m3_mul(*R, stretch);
}

/** Deformation gradient of a cell that is not thin, incompatible modes included. */
static sup_m3 brick_deformation(const brick *b, const sup_m3 *R, const double *x, int q,
                                double weight, const double *alpha) {
  sup_v3 xi = sup_v3_scale(SUP_H8_GAUSS, sup_v3_load(sup_h8_corner[q]));
  double own[MOVES], at[3];
  for (int a = 0; a < VERTICES; a++) memcpy(own + 3 * a, x + 3 * b->order[a], 3 * sizeof *own);
  sup_m3 F = sup_m3_mul(sup_brick_jacobian(own, xi), sup_m3_inverse(sup_brick_jacobian(b->X, xi)));
  sup_v3_store(at, xi);
  for (int k = 0; k < 3; k++) {
    sup_v3 g = sup_v3_scale(-2 * at[k] * b->det0 / weight, sup_m3_row(&b->inverse0, k));
    F = sup_m3_add(F, sup_m3_outer(sup_m3_apply(*R, sup_v3_load(alpha + 3 * k)), g));
  }
  return F;
}

static void put_weights(const strain_point *points, sup_point_stress *point) {
  double volume = 0;
  for (int q = 0; q < POINTS; q++) volume += points[q].weight;
  for (int q = 0; q < POINTS; q++) point[q].weight = points[q].weight / volume;
}

static void shell_stress(const sup_lame *lame, sup_material_model model, const sup_m3 *R,
                         const double *X, const double *x, sup_point_stress *point) {
  strain_point points[POINTS];
  brick        b;
  double       e[POINTS][6], alpha[MAX_MODES], s[6];
  begin(lame, X, &b);
  strains(&b, R, x, points, e);
  find_modes(lame, &b, points, (const double(*)[6])e, alpha);
  put_weights(points, point);
  for (int q = 0; q < POINTS; q++) {
    double density = 0;
    for (int r = 0; r < 6; r++)
      for (int i = 0; i < b.modes; i++) e[q][r] += points[q].M[r][i] * alpha[i];
    stress_of(lame, &b, e[q], s);
    for (int r = 0; r < 6; r++) density += 0.5 * s[r] * e[q][r];
    sup_m3 P = sup_m3_mul(*R, in_cell(&points[q].Q, s, 1));
    sup_m3 F = b.is_shell ? layer_deformation(R, &points[q], e[q])
                          : brick_deformation(&b, R, x, q, points[q].weight, alpha);
    point[q].cauchy = sup_fem_cauchy(model, &P, &F);
    point[q].energy_density = density;
    point[q].volume_ratio = sup_m3_det(&F);
  }
}

/** About the polar factor of the mean. */
static void shell_deformations(const sup_lame *lame, const double *X, const double *x, sup_m3 *F,
                               sup_point_stress *point) {
  strain_point     points[POINTS];
  brick            b;
  double           e[POINTS][6], gradient[MOVES], alpha[MAX_MODES] = {0};
  sup_element_data data = {.gradient = gradient};
  sup_m3           mean = sup_m3_zero();
  measure(X, &data);
  for (int a = 1; a < VERTICES; a++)
    mean = sup_m3_add(mean, sup_m3_outer(sup_v3_sub(sup_v3_load(x + 3 * a), sup_v3_load(x)),
                                         sup_v3_load(gradient + 3 * a)));
  sup_m3 R = sup_fem_polar(&mean);
  begin(lame ? lame : &(sup_lame){1, 1}, X, &b);
  strains(&b, &R, x, points, e);
  if (lame) find_modes(lame, &b, points, (const double(*)[6])e, alpha);
  put_weights(points, point);
  for (int q = 0; q < POINTS; q++) {
    for (int r = 0; r < 6; r++)
      for (int i = 0; i < b.modes; i++) e[q][r] += points[q].M[r][i] * alpha[i];
    F[q] = b.is_shell ? layer_deformation(&R, &points[q], e[q])
                      : brick_deformation(&b, &R, x, q, points[q].weight, alpha);
    point[q].volume_ratio = sup_m3_det(&F[q]);
  }
}

const sup_element sup_element_shell = {.num_vertices = VERTICES,
                                       .num_pairs = 36,
                                       .stiffness_size = STIFFNESS_SIZE,
                                       .compliance_size = 0,
                                       .is_dense = 1,
                                       .num_points = POINTS,
                                       .shape = shell_shape,
                                       .prepare = shell_prepare,
                                       .force = shell_force,
                                       .mass = shell_mass,
                                       .deformations = shell_deformations,
                                       .stress = shell_stress};
