/** Case F12: u = 0.1 sin(pi x) sin(pi y) sin(pi z) (1, 0.5, -0.75) on the unit cube, held on its
 * faces, E = 1; integrals by rules of its own. */
#pragma once

#include "fem/manufactured.h"
#include "fem/material.h"
#include "fem_test.h"
#include "mesh/quadratic.h"

static const double manufactured_amplitude[3] = {0.1, 0.05, -0.075};

enum { MANUFACTURED_GAUSS = 5, MANUFACTURED_RULE = 125 };

/** Displacement, its gradient and the body force -div sigma at x. */
static inline void manufactured(sup_v3 x, const sup_lame *lame, double u[3], sup_m3 *gradient,
                                double force[3]) {
  const double pi = acos(-1), c[3] = {0.1, 0.05, -0.075}, p[3] = {x.x, x.y, x.z};
  double       s[3], d[3], product, second[3][3], trace;
  for (int i = 0; i < 3; i++) s[i] = sin(pi * p[i]), d[i] = pi * cos(pi * p[i]);
  product = s[0] * s[1] * s[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) /* of the product of sines */
      second[i][j] = i == j ? -pi * pi * product : d[i] * d[j] * s[3 - i - j];
  trace = second[0][0] + second[1][1] + second[2][2];
  for (int i = 0; i < 3; i++) {
    double slope[3] = {d[0] * s[1] * s[2], s[0] * d[1] * s[2], s[0] * s[1] * d[2]};
    u[i] = c[i] * product;
    for (int j = 0; j < 3; j++) gradient->m[i][j] = c[i] * slope[j];
    force[i] = -lame->mu * c[i] * trace;
    for (int j = 0; j < 3; j++) force[i] -= (lame->lambda + lame->mu) * c[j] * second[i][j];
  }
}

/** One point of the rule of a cell. */
typedef struct manufactured_point {
  sup_v3 x;
  double share; /* of the volume [m^3] */
  double N[SUP_CELL_MAX_VERTICES];
  sup_v3 gradient[SUP_CELL_MAX_VERTICES];
  sup_v3 mode[3]; /* gradients of the internal modes of an H8 with right angles */
} manufactured_point;

/** Barycentric coordinates, or those of the cube, with the weight; the weights add up to 1/6 or 8.
 */
static inline double manufactured_place(sup_cell_type type, int q, double L[4]) {
  static const double at[] = {-0.90617984593866399, -0.53846931010568309, 0, 0.53846931010568309,
                              0.90617984593866399};
  static const double weight[] = {0.23692688505618909, 0.47862867049936647, 0.56888888888888889,
                                  0.47862867049936647, 0.23692688505618909};
  int                 i = q / 25, j = q / 5 % 5, k = q % 5;
  double w = weight[i] * weight[j] * weight[k], a = 0.5 * (1 + at[i]), b = 0.5 * (1 + at[j]);
  if (type == SUP_CELL_H8) {
    L[0] = at[i], L[1] = at[j], L[2] = at[k];
    return w;
  }
  L[1] = a, L[2] = (1 - a) * b, L[3] = (1 - a) * (1 - b) * 0.5 * (1 + at[k]),
  L[0] = 1 - L[1] - L[2] - L[3];
  return 0.125 * w * (1 - a) * (1 - a) * (1 - b);
}

static inline void manufactured_shapes(sup_cell_type type, const double L[4], double *N,
                                       sup_v3 *dN) {
  static const double corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                      {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  static const sup_v3 dL[4] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (type == SUP_CELL_T10) sup_t10_shape(L, N), sup_t10_gradient(L, dN);
  for (int a = 0; a < 4 && type == SUP_CELL_T4; a++) N[a] = L[a], dN[a] = dL[a];
  for (int a = 0; a < 8 && type == SUP_CELL_H8; a++) {
    const double *r = corner[a];
    double        f = 1 + r[0] * L[0], g = 1 + r[1] * L[1], h = 1 + r[2] * L[2];
    N[a] = 0.125 * f * g * h;
    dN[a] = sup_v3_make(0.125 * r[0] * g * h, 0.125 * f * r[1] * h, 0.125 * f * g * r[2]);
  }
}

static inline manufactured_point manufactured_rule(const sup_mesh *mesh, int cell, int q) {
  manufactured_point p = {.x = {0, 0, 0}};
  const int         *v = sup_mesh_cell(mesh, cell);
  int                n = sup_cell_num_vertices(mesh->type);
  double             L[4], weight = manufactured_place(mesh->type, q, L);
  sup_m3             J = sup_m3_zero();
  manufactured_shapes(mesh->type, L, p.N, p.gradient);
  for (int a = 0; a < n; a++) {
    p.x = sup_v3_madd(p.x, p.N[a], sup_mesh_vertex(mesh, v[a]));
    J = sup_m3_add(J, sup_m3_outer(sup_mesh_vertex(mesh, v[a]), p.gradient[a]));
  }
  sup_m3 inverse = sup_m3_inverse(J);
  p.share = weight * sup_m3_det(&J);
  for (int a = 0; a < n; a++) p.gradient[a] = sup_m3_apply_t(inverse, p.gradient[a]);
  for (int k = 0; k < 3; k++) p.mode[k] = sup_v3_scale(-2 * L[k], sup_m3_row(&inverse, k));
  return p;
}

/** The body of n^3 bricks, or six tetrahedra in place of each, and its displacements.
 *  @param[out] u  freed with SUP_FREE */
static inline sup_fem_body *manufactured_solve(sup_cell_type type, int n, double nu, double **u) {
  const double     size[3] = {1, 1, 1};
  const int        cells[3] = {n, n, n};
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1, nu);
  sup_mesh        *mesh = NULL;
  test_random      random = {1};
  OK(sup_mesh_box(&mesh, size, cells, type == SUP_CELL_H8 ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN));
  if (type == SUP_CELL_T10) mesh = fem_test_quadratic(mesh, 0, &random);
  sup_fem_body  *body = fem_test_body(mesh, &material, 0);
  unsigned char *held = NULL;
  mesh = NULL;
  const sup_mesh *m = sup_fem_mesh(body);
  double         *f = fem_test_array(3 * (size_t)m->num_vertices);
  *u = fem_test_array(3 * (size_t)m->num_vertices);
  OK(SUP_CALLOC(held, m->num_vertices));
  for (int i = 0; i < m->num_vertices; i++)
    for (int k = 0; k < 3; k++)
      if (m->x[3 * i + k] < 1e-9 || m->x[3 * i + k] > 1 - 1e-9) held[i] = 1;
  sup_manufactured solution = sup_fem_manufactured(body, manufactured_amplitude);
  memset(f, 0, 3 * (size_t)m->num_vertices * sizeof *f);
  sup_fem_manufactured_load(body, &solution, f);
  fem_test_statics(body, held, f, *u);
  SUP_FREE(f), SUP_FREE(held);
  return body;
}
