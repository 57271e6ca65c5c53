/** Fixtures of the tests of layer fem: bodies of one material, linear statics, random fields. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"
#include "fem/body.h"
#include "la/linear_solver.h"
#include "mesh/format/convert.h"
#include "mesh/generate/generate.h"
#include "mesh/surface.h"
#include "test.h"

/** A kind of body: its elements, and the laws of its two materials. */
typedef struct fem_test_kind {
  const char        *name;
  sup_cell_type      type;
  int                form;
  sup_material_model model[2];
} fem_test_kind;

/** Rows of a table of them: each element, with laws of one rotation a cell and of the
 * deformation gradient. */
#define FEM_TEST_KINDS                                                                             \
  {"T4 corotational", SUP_CELL_T4, 0, {SUP_MATERIAL_COROTATIONAL, SUP_MATERIAL_COROTATIONAL}},     \
      {"T4 neo_hookean", SUP_CELL_T4, 0, {SUP_MATERIAL_NEO_HOOKEAN, SUP_MATERIAL_COROTATIONAL}},   \
      {"H8 corotational", SUP_CELL_H8, 0, {SUP_MATERIAL_COROTATIONAL, SUP_MATERIAL_COROTATIONAL}}, \
      {"H8 solid-shell",                                                                           \
       SUP_CELL_H8,                                                                                \
       SUP_FEM_SOLID_SHELL,                                                                        \
       {SUP_MATERIAL_COROTATIONAL, SUP_MATERIAL_COROTATIONAL}},                                    \
      {"T10 corotational",                                                                         \
       SUP_CELL_T10,                                                                               \
       0,                                                                                          \
       {SUP_MATERIAL_COROTATIONAL, SUP_MATERIAL_COROTATIONAL}},                                    \
      {"T10 stable",                                                                               \
       SUP_CELL_T10,                                                                               \
       0,                                                                                          \
       {SUP_MATERIAL_STABLE_NEO_HOOKEAN, SUP_MATERIAL_STABLE_NEO_HOOKEAN}},                        \
  {                                                                                                \
    "T10 mean dilatation", SUP_CELL_T10, SUP_FEM_MEAN_DILATATION, {                                \
      SUP_MATERIAL_STABLE_NEO_HOOKEAN, SUP_MATERIAL_COROTATIONAL                                   \
    }                                                                                              \
  }

static inline sup_material_def fem_test_material(sup_material_model model, double E, double nu) {
  return (sup_material_def){.marker = SUP_INITIALISED,
                            .name = "test",
                            .model = model,
                            .youngs_modulus = E,
                            .poissons_ratio = nu,
                            .density = 1000};
}

/** Body on the mesh, which is destroyed: the body keeps a copy. */
static inline sup_fem_body *fem_test_body(sup_mesh *mesh, const sup_material_def *material,
                                          int lumped) {
  sup_fem_body *body = NULL;
  OK(sup_fem_body_create(&body, mesh, material, lumped));
  sup_mesh_destroy(&mesh);
  return body;
}

/** A rotation by up to half a turn about a random axis. */
static inline sup_m3 fem_test_rotation(test_random *random) {
  sup_v3 axis = {test_uniform(random), test_uniform(random), test_uniform(random)};
  return sup_quat_matrix(
      sup_quat_exp(sup_v3_scale(acos(-1) * test_uniform(random), sup_v3_unit(axis))));
}

/** Eigenvalues of a dense symmetric matrix, ascending, by cyclic Jacobi rotations; A is
 * overwritten. */
static inline void fem_test_eigenvalues(int n, double *A, double *eigenvalue) {
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < n - 1; p++)
      for (int q = p + 1; q < n; q++) {
        if (A[n * p + q] == 0) continue;
        double theta = (A[n * q + q] - A[n * p + p]) / (2 * A[n * p + q]);
        double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)),
               c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < n; k++) {
          double u = A[n * k + p], v = A[n * k + q];
          A[n * k + p] = c * u - s * v, A[n * k + q] = s * u + c * v;
        }
        for (int k = 0; k < n; k++) {
          double u = A[n * p + k], v = A[n * q + k];
          A[n * p + k] = c * u - s * v, A[n * q + k] = s * u + c * v;
        }
      }
  for (int i = 0; i < n; i++) {
    int j = i;
    for (; j > 0 && eigenvalue[j - 1] > A[n * i + i]; j--) eigenvalue[j] = eigenvalue[j - 1];
    eigenvalue[j] = A[n * i + i];
  }
}

static inline double *fem_test_array(size_t count) {
  double *array = NULL;
  OK(SUP_CALLOC(array, count));
  return array;
}

/** Rotations of the body at x; freed with SUP_FREE. */
static inline sup_m3 *fem_test_rotations(const sup_fem_body *body, const double *x) {
  sup_m3 *R = NULL;
  int     inverted;
  OK(SUP_CALLOC(R, sup_fem_mesh(body)->num_cells));
  sup_fem_rotations(body, x, R, &inverted);
  return R;
}

static inline double fem_test_worst_quality(const sup_mesh *mesh) {
  double worst = 1;
  for (int c = 0; c < mesh->num_cells; c++) worst = fmin(worst, sup_mesh_cell_quality(mesh, c));
  return worst;
}

/** A mesh of T4 made quadratic, with every vertex on an edge inside moved by up to `bend` [m]. */
static inline sup_mesh *fem_test_quadratic(sup_mesh *t4, double bend, test_random *random) {
  sup_mesh    *mesh = NULL;
  sup_surface *surface = NULL;
  char        *outer = NULL;
  OK(sup_mesh_to_t10(&mesh, t4));
  OK(sup_surface_of_mesh(&surface, mesh));
  OK(SUP_CALLOC(outer, mesh->num_vertices));
  for (int i = 0; i < 3 * surface->num_faces; i++) outer[surface->face[i]] = 1;
  for (int i = t4->num_vertices; i < mesh->num_vertices; i++)
    for (int k = 0; k < 3 && !outer[i]; k++) mesh->x[3 * i + k] += bend * test_uniform(random);
  sup_surface_destroy(&surface);
  sup_mesh_destroy(&t4);
  SUP_FREE(outer);
  return mesh;
}

/** Box 1 x 0.8 x 0.6 m of 3 x 3 x 3 bricks (H8, or Kuhn's T4) with interior vertices moved by up to
 * 20 % of a brick; the tetrahedra get slivers: one vertex is pushed towards the opposite face of a
 * cell until a quality of 0.05.  T10 get curved edges in their place. */
static inline sup_mesh *fem_test_irregular_box(sup_cell_type type, uint64_t seed) {
  const double size[3] = {1, 0.8, 0.6};
  const int    n[3] = {3, 3, 3}, pushed = 21; /* vertex (1, 1, 1) */
  test_random  random = {seed};
  sup_mesh    *mesh = NULL;
  OK(sup_mesh_box(&mesh, size, n, type == SUP_CELL_H8 ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN));
  for (int i = 0; i < mesh->num_vertices; i++) {
    int k = i % 4, j = i / 4 % 4, l = i / 16;
    if (j == 0 || j == 3 || k == 0 || k == 3 || l == 0 || l == 3) continue;
    for (int d = 0; d < 3; d++) mesh->x[3 * i + d] += 0.2 * size[d] / 3 * test_uniform(&random);
  }
  if (type == SUP_CELL_T10) mesh = fem_test_quadratic(mesh, 0.01, &random);
  if (type == SUP_CELL_T4) {
    int c = 0;
    while (sup_mesh_cell(mesh, c)[0] != pushed) c++;
    const int *cell = sup_mesh_cell(mesh, c);
    sup_v3     start = sup_mesh_vertex(mesh, pushed), foot = sup_mesh_vertex(mesh, cell[1]);
    foot = sup_v3_add(foot,
                      sup_v3_add(sup_mesh_vertex(mesh, cell[2]), sup_mesh_vertex(mesh, cell[3])));
    sup_v3 way = sup_v3_sub(sup_v3_scale(1.0 / 3, foot), start);
    double low = 0, high = 1;
    for (int step = 0; step < 40; step++) {
      double middle = 0.5 * (low + high);
      sup_v3_store(mesh->x + 3 * pushed, sup_v3_madd(start, middle, way));
      if (fem_test_worst_quality(mesh) > 0.05)
        low = middle;
      else
        high = middle;
    }
    CHECK(fem_test_worst_quality(mesh) < 0.06);
  }
  CHECK(fem_test_worst_quality(mesh) > 0.04);
  return mesh;
}

/** An irregular box for a kind of body; cells of solid-shells are thin. */
static inline sup_mesh *fem_test_kind_box(const fem_test_kind *k, uint64_t seed) {
  sup_mesh *mesh = fem_test_irregular_box(k->type, seed);
  if (k->form & SUP_FEM_SOLID_SHELL)
    for (int i = 0; i < mesh->num_vertices; i++) mesh->x[3 * i + 2] *= .2;
  return mesh;
}

/** Share of a size of random displacements that suits a kind: edges of T10 are halved, solid-shells
 * are a fifth as thick. */
static inline double fem_test_kind_share(const fem_test_kind *k) {
  return k->type == SUP_CELL_T10 || k->form & SUP_FEM_SOLID_SHELL ? .2 : 1;
}

/** A single cell with its vertices off their regular places. */
static inline sup_mesh *fem_test_distorted_cell(sup_cell_type type, uint64_t seed) {
  const double size[3] = {1, 0.8, 0.6};
  const int    n[3] = {1, 1, 1};
  test_random  random = {seed};
  sup_mesh    *mesh = NULL;
  if (type == SUP_CELL_H8) {
    OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_HEX));
  } else {
    OK(sup_mesh_create(&mesh, SUP_CELL_T4, 4, 1));
    const int cell[4] = {3, 0, 2, 1}; /* positive, and not in ascending order */
    memcpy(mesh->cell, cell, sizeof cell);
    mesh->x[3 * 1] = 1, mesh->x[3 * 2 + 1] = 0.8, mesh->x[3 * 3 + 2] = 0.6;
  }
  for (int i = 0; i < 3 * mesh->num_vertices; i++) mesh->x[i] += 0.12 * test_uniform(&random);
  if (type == SUP_CELL_T10) {
    sup_mesh *t4 = mesh;
    OK(sup_mesh_to_t10(&mesh, t4));
    sup_mesh_destroy(&t4);
    for (int i = 12; i < 30; i++) mesh->x[i] += 0.03 * test_uniform(&random);
  }
  CHECK(sup_mesh_cell_quality(mesh, 0) > 0);
  return mesh;
}

/** Linear statics about the reference, factorised: K u = f where held is 0; u keeps its values
 * where held is not 0. */
typedef struct fem_test_system {
  const sup_block_pattern *full;
  const unsigned char     *held;
  sup_block_pattern        reduced;
  int                     *number; /* of a vertex among the free ones */
  double                  *K, *rhs;
  sup_linear_solver       *factor;
} fem_test_system;

static inline void fem_test_factorise(fem_test_system *s, const sup_fem_body *body,
                                      const unsigned char *held) {
  *s = (fem_test_system){.full = sup_fem_pattern(body), .held = held};
  int     n = s->full->num_blocks, num_free = 0, *pair = NULL, *size = NULL;
  size_t  entries = (size_t)s->full->col_start[n], kept = 0;
  sup_m3 *R = fem_test_rotations(body, sup_fem_mesh(body)->x);
  double *values = fem_test_array(9 * entries);
  s->K = fem_test_array(9 * entries), s->rhs = fem_test_array(3 * (size_t)n);
  OK(SUP_CALLOC(s->number, n));
  OK(SUP_CALLOC(size, n));
  OK(SUP_CALLOC(pair, 2 * entries));
  for (int i = 0; i < n; i++) s->number[i] = held[i] ? SUP_NONE : num_free++, size[i] = 3;
  sup_fem_stiffness(body, R, sup_fem_mesh(body)->x, s->K);
  for (int j = 0; j < n; j++)
    for (int e = s->full->col_start[j]; e < s->full->col_start[j + 1] && !held[j]; e++) {
      if (held[s->full->row[e]]) continue;
      pair[2 * kept] = s->number[s->full->row[e]], pair[2 * kept + 1] = s->number[j];
      memcpy(values + 9 * kept++, s->K + 9 * (size_t)e,
             9 * sizeof *values); /* the order of rows and columns is kept */
    }
  OK(sup_block_pattern_build(&s->reduced, num_free, size, kept, pair));
  OK(sup_linear_solver_create(&s->factor, SUP_BACKEND_SUPERNODAL, NULL));
  OK(sup_linear_solver_analyse(s->factor, &s->reduced, NULL));
  OK(sup_linear_solver_setup(s->factor, SUP_MATRIX(&s->reduced, values)));
  SUP_FREE(R), SUP_FREE(values), SUP_FREE(size), SUP_FREE(pair);
}

static inline void fem_test_solve(fem_test_system *s, const double *f, double *u) {
  int     n = s->full->num_blocks;
  double *residual = fem_test_array(3 * (size_t)n);
  for (int i = 0; i < 3 * n; i++)
    if (!s->held[i / 3]) u[i] = 0;
  sup_block_multiply(s->full, s->K, u, residual);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3 && !s->held[i]; k++)
      s->rhs[3 * s->number[i] + k] = f[3 * i + k] - residual[3 * i + k];
  OK(sup_linear_solver_solve(s->factor, 0, s->rhs, NULL));
  for (int i = 0; i < n; i++)
    if (!s->held[i]) memcpy(u + 3 * i, s->rhs + 3 * s->number[i], 3 * sizeof *u);
  SUP_FREE(residual);
}

static inline void fem_test_release(fem_test_system *s) {
  sup_linear_solver_destroy(&s->factor);
  sup_block_pattern_free(&s->reduced);
  SUP_FREE(s->K), SUP_FREE(s->rhs), SUP_FREE(s->number);
}

static inline void fem_test_statics(const sup_fem_body *body, const unsigned char *held,
                                    const double *f, double *u) {
  fem_test_system s;
  fem_test_factorise(&s, body, held);
  fem_test_solve(&s, f, u);
  fem_test_release(&s);
}
