/** What the tests of the fem layer share: bodies of one material, linear statics, random fields. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"
#include "fem/body.h"
#include "la/factor.h"
#include "mesh/generate.h"
#include "test.h"

static inline sup_material_def fem_test_material(sup_material_model model, double E, double nu) {
  return (sup_material_def){.name = "test", .model = model, .youngs_modulus = E, .poissons_ratio = nu, .density = 1000};
}

/** Body on the mesh, which is destroyed: the body keeps a copy. */
static inline sup_fem_body *fem_test_body(sup_mesh *mesh, const sup_material_def *material, int lumped) {
  sup_fem_body *body = NULL;
  OK(sup_fem_body_create(&body, mesh, material, lumped));
  sup_mesh_destroy(&mesh);
  return body;
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

/** Linear statics about the reference: K u = f where held is 0; u keeps its values where held is not 0. */
static inline void fem_test_statics(const sup_fem_body *body, const unsigned char *held, const double *f, double *u) {
  const sup_block_pattern *full = sup_fem_pattern(body);
  int                      n = full->num_blocks, num_free = 0;
  size_t                   entries = (size_t)full->col_start[n], kept = 0;
  sup_m3                  *R = fem_test_rotations(body, sup_fem_mesh(body)->x);
  double                  *K = fem_test_array(9 * entries), *residual = fem_test_array(3 * (size_t)n),
         *rhs = fem_test_array(3 * (size_t)n);
  double *values = fem_test_array(9 * entries);
  int    *number = NULL, *pair = NULL, *size = NULL;
  OK(SUP_CALLOC(number, n));
  OK(SUP_CALLOC(size, n));
  OK(SUP_CALLOC(pair, 2 * entries));
  for (int i = 0; i < n; i++) {
    number[i] = held[i] ? SUP_NONE : num_free++;
    size[i] = 3;
    if (!held[i])
      for (int k = 0; k < 3; k++) u[3 * i + k] = 0;
  }
  sup_fem_stiffness(body, R, K);
  sup_block_multiply(full, K, u, residual);
  for (int j = 0; j < n; j++) {
    if (held[j]) continue;
    for (int k = 0; k < 3; k++) rhs[3 * number[j] + k] = f[3 * j + k] - residual[3 * j + k];
    for (int e = full->col_start[j]; e < full->col_start[j + 1]; e++) {
      if (held[full->row[e]]) continue;
      pair[2 * kept] = number[full->row[e]], pair[2 * kept + 1] = number[j];
      memcpy(values + 9 * kept++, K + 9 * (size_t)e, 9 * sizeof *values); /* the order of rows and columns is kept */
    }
  }
  sup_block_pattern reduced = {0};
  sup_factor       *factor = NULL;
  OK(sup_block_pattern_build(&reduced, num_free, size, kept, pair));
  OK(sup_factor_create(&factor, SUP_BACKEND_SUPERNODAL));
  OK(sup_factor_analyze(factor, &reduced, NULL));
  OK(sup_factor_numeric(factor, values));
  OK(sup_factor_solve(factor, rhs));
  for (int i = 0; i < n; i++)
    if (!held[i]) memcpy(u + 3 * i, rhs + 3 * number[i], 3 * sizeof *u);
  sup_factor_destroy(&factor);
  sup_block_pattern_free(&reduced);
  SUP_FREE(R), SUP_FREE(K), SUP_FREE(residual), SUP_FREE(rhs), SUP_FREE(values);
  SUP_FREE(number), SUP_FREE(pair), SUP_FREE(size);
}
