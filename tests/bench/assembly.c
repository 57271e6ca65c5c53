/* Assembly of the step matrix per element: rotations and rotated stiffness of a bar at rest. */
#include <stdio.h>

#include "base/memory.h"
#include "bench.h"
#include "fem/body.h"
#include "mesh/convert.h"
#include "mesh/generate.h"

enum { RUNS = 41 };

/** Mean time of a cell in the median of the runs [us]; the cells take turns with nobody: it is a
 * rate. */
static sup_status measure(const char *name, const sup_mesh *mesh) {
  sup_material_def material = sup_default_material_def();
  sup_fem_body    *body = NULL;
  sup_m3          *R = NULL;
  double          *A = NULL, time[RUNS], n = sup_cell_num_vertices(mesh->type);
  int              inverted;
  char             line[64];
  material.youngs_modulus = 2.5e6, material.poissons_ratio = .3, material.density = 1000;
  SUP_TRY(sup_fem_body_create(&body, mesh, &material, 1));
  SUP_TRY(SUP_CALLOC(R, mesh->num_cells));
  SUP_TRY(SUP_CALLOC(A, sup_block_pattern_num_values(sup_fem_pattern(body))));
  for (int i = -2; i < RUNS; i++) {
    double start = bench_thread_time();
    sup_fem_rotations(body, mesh->x, R, &inverted);
    sup_fem_step_matrix(body, R, mesh->x, .01, NULL, 1, A);
    if (i >= 0) time[i] = 1e6 * (bench_thread_time() - start) / mesh->num_cells;
  }
  double us = bench_median(time, RUNS), pairs = n * (n + 1) / 2;
  snprintf(line, sizeof line, "assembly.%s.per_cell", name);
  bench_report(line, us, "us", RUNS);
  bench_limit(line, 1e-3 * us, bench_assembly_flops(1, pairs), 72 * pairs);
  SUP_FREE(R);
  SUP_FREE(A);
  sup_fem_body_destroy(&body);
  return SUP_OK;
}

int bench_assembly(void) {
  static const double size[3] = {.2, .05, .05};
  static const int    n[3] = {20, 7, 7};
  sup_mesh           *h8 = NULL, *t4 = NULL, *t10 = NULL;
  int                 ok = sup_mesh_box(&h8, size, n, SUP_PATTERN_HEX) == SUP_OK &&
           sup_mesh_box(&t4, size, n, SUP_PATTERN_KUHN) == SUP_OK &&
           sup_mesh_to_t10(&t10, t4) == SUP_OK && measure("h8", h8) == SUP_OK &&
           measure("t4", t4) == SUP_OK && measure("t10", t10) == SUP_OK;
  sup_mesh_destroy(&h8);
  sup_mesh_destroy(&t4);
  sup_mesh_destroy(&t10);
  return ok ? 0 : bench_fail();
}
