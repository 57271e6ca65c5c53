/* Assembly of the step matrix per element: rotations and rotated stiffness of a bar at rest; and
 * one body of 50,000 cells on one and two threads, with what observers ask of it. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/timer.h"
#include "bench.h"
#include "fem/body.h"
#include "fem/recovery/recovery.h"
#include "mesh/format/convert.h"
#include "mesh/generate/generate.h"
#include "mesh/hull.h"

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

/* ---- one body on two threads ----------------------------------------------------------------- */

enum { ROUNDS = 21, MOST_THREADS = 2 };

/** Parts of the work on one body. */
typedef enum part { ASSEMBLY, STRESS, RECOVERY, ERROR, PARTS } part;
static const char *const part_names[PARTS] = {"assembly", "stress", "recovery", "error"};

typedef struct large_body {
  sup_fem_body *body;
  sup_recovery *recovery;
  sup_m3       *R;
  double       *x, *A, *f, *pull, *point, *site, *cell;
} large_body;

static sup_status make_large(large_body *b, const sup_mesh *mesh) {
  sup_material_def material = sup_default_material_def();
  material.youngs_modulus = 2.5e6, material.poissons_ratio = .3, material.density = 1000;
  SUP_TRY(sup_fem_body_create(&b->body, mesh, &material, 1));
  SUP_TRY(sup_recovery_create(&b->recovery, b->body, SUP_RECOVERY_PATCH));
  SUP_TRY(SUP_CALLOC(b->R, mesh->num_cells));
  SUP_TRY(SUP_CALLOC(b->x, 3 * mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(b->f, 3 * mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(b->A, sup_block_pattern_num_values(sup_fem_pattern(b->body))));
  SUP_TRY(SUP_CALLOC(b->point, 6 * sup_fem_num_points(b->body) * mesh->num_cells));
  SUP_TRY(SUP_CALLOC(b->site, 6 * sup_recovery_num_sites(b->recovery)));
  SUP_TRY(SUP_CALLOC(b->cell, mesh->num_cells));
  b->pull = aligned_alloc(64, sup_fem_tension_size(b->body) * sizeof *b->pull);
  for (int i = 0; i < 3 * mesh->num_vertices; i++) b->x[i] = (i % 3 ? .99 : 1.02) * mesh->x[i];
  return b->pull ? SUP_OK : SUP_FAIL(SUP_E_MEMORY, "no memory for the bench");
}

static void free_large(large_body *b) {
  double **array[] = {&b->x, &b->A, &b->f, &b->pull, &b->point, &b->site, &b->cell};
  sup_recovery_destroy(&b->recovery);
  sup_fem_body_destroy(&b->body);
  for (size_t k = 0; k < sizeof array / sizeof *array; k++) SUP_FREE(*array[k]);
  SUP_FREE(b->R);
}

static void do_part(large_body *b, part p) {
  sup_fem_stress stress = {.point = b->point};
  int            inverted;
  switch (p) {
    case ASSEMBLY:
      sup_fem_rotations(b->body, b->x, b->R, &inverted);
      sup_fem_step_system(b->body, b->R, b->x, .01, NULL, 1, (sup_v3){0, 0, 0}, NULL, NULL, NULL,
                          b->A, b->f, b->pull);
      break;
    case STRESS:
      sup_fem_stress_at(b->body, b->x, NULL, &stress);
      break;
    case RECOVERY:
      sup_recovery_apply(b->recovery, b->point, b->site);
      break;
    case ERROR:
      sup_recovery_error(b->recovery, b->point, b->site, b->cell);
      break;
    case PARTS:
      break;
  }
}

/** Numbers of threads take turns, so that others who use the machine are in the way of all alike;
 * the wall's least of the rounds is what a quiet machine takes. */
static sup_status measure_large(const char *name, const sup_mesh *mesh) {
  large_body b = {0};
  double     least[PARTS][MOST_THREADS];
  char       line[64];
  sup_status status = make_large(&b, mesh);
  for (int i = -1; i < ROUNDS && status == SUP_OK; i++)
    for (int p = 0; p < PARTS; p++)
      for (int t = 0; t < MOST_THREADS; t++) {
        omp_set_num_threads(t + 1);
        double start = sup_wall_time();
        do_part(&b, (part)p);
        double ms = 1e3 * (sup_wall_time() - start);
        if (i < 1 || ms < least[p][t]) least[p][t] = ms;
      }
  omp_set_num_threads(1);
  for (int p = 0; p < PARTS && status == SUP_OK; p++) {
    for (int t = 0; t < MOST_THREADS; t++) {
      snprintf(line, sizeof line, "body.%s.%s.threads%d", name, part_names[p], t + 1);
      bench_report(line, least[p][t], "ms", ROUNDS);
    }
    snprintf(line, sizeof line, "body.%s.%s.speedup", name, part_names[p]);
    bench_report(line, least[p][0] / least[p][1], "1", ROUNDS);
  }
  free_large(&b);
  return status;
}

/** A cube as TetGen fills it, whose cells are anywhere in number. */
static sup_status measure_tetgen(void) {
  static const double size[3] = {1, 1, 1};
  static const int    faces[3] = {2, 2, 2};
  sup_tetgen_options  options = sup_default_tetgen_options();
  sup_mesh           *coarse = NULL, *t4 = NULL;
  sup_hull           *surface = NULL;
  options.max_volume = 4.4e-5;
  sup_status status = sup_mesh_box(&coarse, size, faces, SUP_PATTERN_KUHN);
  if (status == SUP_OK) status = sup_polyhedron_of_mesh(&surface, coarse);
  if (status == SUP_OK) status = sup_mesh_of_polyhedron(&t4, surface, &options);
  if (status == SUP_OK) bench_report("body.tetgen.cells", t4->num_cells, "1", 1);
  if (status == SUP_OK) status = measure_large("tetgen", t4);
  sup_mesh_destroy(&coarse);
  sup_mesh_destroy(&t4);
  sup_hull_destroy(&surface);
  return status;
}

static sup_status measure_bodies(void) {
  static const double size[3] = {1, 1, 1};
  static const int    bricks[3] = {37, 37, 37}, kuhn[3] = {20, 20, 21};
  sup_mesh           *h8 = NULL, *t4 = NULL;
  sup_status          status = sup_mesh_box(&h8, size, bricks, SUP_PATTERN_HEX);
  if (status == SUP_OK) status = sup_mesh_box(&t4, size, kuhn, SUP_PATTERN_KUHN);
  if (status == SUP_OK) status = measure_large("h8", h8);
  if (status == SUP_OK) status = measure_large("t4", t4);
  if (status == SUP_OK) status = measure_tetgen();
  sup_mesh_destroy(&h8);
  sup_mesh_destroy(&t4);
  return status;
}

int bench_assembly(void) {
  static const double size[3] = {.2, .05, .05};
  static const int    n[3] = {20, 7, 7};
  sup_mesh           *h8 = NULL, *t4 = NULL, *t10 = NULL;
  int                 ok = sup_mesh_box(&h8, size, n, SUP_PATTERN_HEX) == SUP_OK &&
           sup_mesh_box(&t4, size, n, SUP_PATTERN_KUHN) == SUP_OK &&
           sup_mesh_to_t10(&t10, t4) == SUP_OK && measure("h8", h8) == SUP_OK &&
           measure("t4", t4) == SUP_OK && measure("t10", t10) == SUP_OK &&
           measure_bodies() == SUP_OK;
  sup_mesh_destroy(&h8);
  sup_mesh_destroy(&t4);
  sup_mesh_destroy(&t10);
  return ok ? 0 : bench_fail();
}
