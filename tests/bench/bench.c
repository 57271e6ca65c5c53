/** `make bench`: ratios and phase times of this machine in one run, as a table and build/bench.json.
 *
 *  Times are medians over `runs`; absolute times of shared machines are noise, ratios within one run are not. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#include "base/memory.h"
#include "base/timer.h"
#include "fem/body.h"
#include "la/factor.h"
#include "mesh/generate.h"
#include "scene/scene.h"
#include "step/result.h"

static FILE *json;
static int   num_lines;

void bench_report(const char *name, double value, const char *unit, int runs) {
  printf("%-48s %12.4g %s\n", name, value, unit);
  fprintf(json, "%s\n  {\"name\": \"%s\", \"value\": %.9g, \"unit\": \"%s\", \"runs\": %d}", num_lines++ ? "," : "",
          name, value, unit, runs);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *value, int n) {
  qsort(value, (size_t)n, sizeof *value, ascending);
  return n % 2 ? value[n / 2] : 0.5 * (value[n / 2 - 1] + value[n / 2]);
}

double bench_exponent(const double *x, const double *y, int n) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    double a = log(x[i]), b = log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

int bench_fail(void) {
  fprintf(stderr, "bench: %s\n%s", sup_error_message(), sup_error_trace());
  return 1;
}

/** Median time of the numeric phase [ms]; -1 on failure. */
static double factor_time(sup_backend backend, const sup_block_pattern *pattern, const double *values, int runs) {
  sup_factor *factor = NULL;
  double      time[64], result = -1;
  if (sup_factor_create(&factor, backend) != SUP_OK || sup_factor_analyze(factor, pattern, NULL) != SUP_OK) goto done;
  for (int i = -2; i < runs; i++) { /* two to warm up */
    double start = sup_wall_time();
    if (sup_factor_numeric(factor, values) != SUP_OK) goto done;
    if (i >= 0) time[i] = 1e3 * (sup_wall_time() - start);
  }
  result = bench_median(time, runs);
done:
  sup_factor_destroy(&factor);
  return result;
}

/** A finger of about 1,000 vertices: step matrix at rest; assembly per element, factor against CHOLMOD. */
static int bench_finger(void) {
  enum { RUNS = 21 };
  sup_finray       shape = sup_default_finray();
  sup_material_def material = sup_default_material_def();
  sup_mesh        *mesh = NULL;
  sup_fem_body    *body = NULL;
  sup_m3          *R = NULL;
  double          *A = NULL, time[RUNS], ours, theirs;
  int              inverted, code = 1;
  shape.pattern = SUP_PATTERN_HEX, shape.depth_cells = 6;
  material.youngs_modulus = 2.5e6, material.poissons_ratio = .49, material.density = 1000;
  if (sup_mesh_finray(&mesh, &shape) != SUP_OK || sup_fem_body_create(&body, mesh, &material, 1) != SUP_OK) goto done;
  const sup_block_pattern *P = sup_fem_pattern(body);
  if (SUP_CALLOC(R, mesh->num_cells) != SUP_OK || SUP_CALLOC(A, sup_block_pattern_num_values(P)) != SUP_OK) goto done;
  for (int i = 0; i < RUNS; i++) {
    double start = sup_wall_time();
    sup_fem_rotations(body, mesh->x, R, &inverted);
    sup_fem_step_matrix(body, R, mesh->x, .01, NULL, 1, A);
    time[i] = 1e6 * (sup_wall_time() - start) / mesh->num_cells;
  }
  bench_report("assembly.finger1k.per_cell", bench_median(time, RUNS), "us", RUNS);
  bench_report("factor.finger1k.vertices", mesh->num_vertices, "1", 1);
  ours = factor_time(SUP_BACKEND_SUPERNODAL, P, A, RUNS);
  theirs = factor_time(SUP_BACKEND_CHOLMOD, P, A, RUNS);
  if (ours < 0) goto done;
  bench_report("factor.finger1k.ms", ours, "ms", RUNS);
  if (theirs > 0) bench_report("factor.finger1k.vs_cholmod_supernodal", theirs / ours, "1", RUNS);
  code = 0;
done:
  SUP_FREE(R);
  SUP_FREE(A);
  sup_fem_body_destroy(&body);
  sup_mesh_destroy(&mesh);
  return code ? bench_fail() : 0;
}

/** Phases of the grasp on one thread. */
static int bench_grasp(const char *path) {
  enum { MAX_STEPS = 1000 };
  sup_scene      *scene = NULL;
  sup_model      *model = NULL;
  sup_state      *state = NULL;
  sup_stepper    *stepper = NULL;
  static double   time[MAX_STEPS];
  double          phase[SUP_NUM_PHASES] = {0};
  int             steps = 0, iterations = 0, contacts = 0, code = 1;
  sup_step_report r;
  omp_set_num_threads(1);
  if (sup_scene_load(&scene, path, NULL, 0) != SUP_OK || sup_model_create(&model, &scene->model) != SUP_OK ||
      sup_state_create(&state, model) != SUP_OK || sup_stepper_create(&stepper, model) != SUP_OK)
    goto done;
  while (sup_state_time(state) < scene->end_time - .5 * model->options.dt && steps < MAX_STEPS) {
    double start = sup_wall_time();
    if (sup_step(stepper, state, &r) != SUP_OK) goto done;
    time[steps++] = 1e3 * (sup_wall_time() - start);
    for (int p = 0; p < SUP_NUM_PHASES; p++) phase[p] += 1e3 * r.seconds[p];
    iterations += r.iterations, contacts += r.num_contacts;
  }
  bench_report("step.grasp.median_ms", bench_median(time, steps), "ms", steps);
  for (int p = 0; p < SUP_NUM_PHASES; p++) {
    char name[64];
    snprintf(name, sizeof name, "step.grasp.%s.mean_ms", sup_phase_name(p));
    bench_report(name, phase[p] / steps, "ms", steps);
  }
  bench_report("step.grasp.newton.mean", (double)iterations / steps, "1", steps);
  bench_report("step.grasp.contacts.mean", (double)contacts / steps, "1", steps);
  code = 0;
done:
  sup_stepper_destroy(&stepper);
  sup_state_destroy(&state);
  sup_model_destroy(&model);
  sup_scene_destroy(&scene);
  return code ? bench_fail() : 0;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4 || !(json = fopen(argv[1], "w"))) {
    fprintf(stderr, "usage: bench OUT.json FOLDER_OF_CLUTTER_SCENES [finger|grasp|accuracy|rigid|fields]\n");
    return 2;
  }
  const char *part = argc == 4 ? argv[3] : "";
#define WANTED(name) (!*part || !strcmp(part, name))
  omp_set_num_threads(1);
  fputc('[', json);
  int code = (WANTED("finger") && bench_finger()) || (WANTED("grasp") && bench_grasp("examples/finray_grasp.yaml")) ||
             (WANTED("accuracy") && bench_accuracy()) || (WANTED("rigid") && bench_rigid(argv[2])) ||
             (WANTED("fields") && bench_fields());
  fprintf(json, "\n]\n");
  return fclose(json) != 0 || code;
}
