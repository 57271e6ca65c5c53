/* Scenes in steps: what they cost. */
#include <time.h>

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "bench.h"
#include "fem/body.h"
#include "step/result.h"
#include "step/stepper.h"

/** A case on its way. */
typedef struct run {
  sup_model   *model;
  sup_state   *state;
  sup_stepper *stepper;
} run;

static sup_status start(run *r, const bench_case *c) {
  SUP_TRY(sup_model_create(&r->model, c->def));
  SUP_TRY(sup_state_create(&r->state, r->model));
  SUP_TRY(sup_stepper_create(&r->stepper, r->model));
  return SUP_OK;
}

static sup_status step(run *r, int threads, int counts, bench_totals *t) {
  sup_step_report report;
  omp_set_num_threads(threads);
  clock_t    cpu = clock();
  double     wall = sup_wall_time();
  sup_status status = sup_step(r->stepper, r->state, &report);
  double     ms = 1e3 * (double)(clock() - cpu) / CLOCKS_PER_SEC;
  omp_set_num_threads(1);
  if (status != SUP_OK || !counts || t->steps == BENCH_MAX_STEPS) return status;
  t->processor[t->steps] = ms;
  t->wall[t->steps] = 1e3 * (sup_wall_time() - wall);
  for (int p = 0; p < SUP_NUM_PHASES; p++) t->phase_wall[p][t->steps] = 1e3 * report.seconds[p];
  t->analysed[t->steps] = report.analysed != 0;
  t->steps++, t->ms += ms, t->contacts += report.num_contacts, t->iterations += report.iterations;
  return SUP_OK;
}

/** Phases are timed by the wall: what others took of a step's time is taken from all its phases alike. */
static void take_means(bench_totals *t) {
  double analyse = 0, whole = 0;
  t->ms /= t->steps, t->contacts /= t->steps, t->iterations /= t->steps;
  for (int i = 0; i < t->steps; i++) {
    double own = fmin(1, t->processor[i] / t->wall[i]);
    for (int p = 0; p < SUP_NUM_PHASES; p++) t->phase[p] += own * t->phase_wall[p][i] / t->steps;
    if (!t->analysed[i]) continue;
    t->analyses += 1. / t->steps, analyse += t->phase_wall[SUP_PHASE_ANALYSE][i], whole += t->wall[i];
  }
  t->analysis_share = whole > 0 ? analyse / whole : 0;
}

static void take_size(bench_size *size, const run *r) {
  const sup_model *model = r->model;
  size->values = (double)sup_block_pattern_num_values(&r->stepper->A_pattern);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_mesh *mesh = sup_fem_mesh(model->soft[i].fem);
    double          n = sup_cell_num_vertices(mesh->type);
    size->vertices += mesh->num_vertices, size->cells += mesh->num_cells;
    size->vertex_pairs += mesh->num_cells * n * (n + 1) / 2;
    size->triangles += model->soft[i].surface->num_triangles;
  }
}

sup_status bench_steps(const bench_case *cases, int num_cases, double begin, double end, bench_totals *out) {
  enum { MAX_CASES = 16 };
  run        runs[MAX_CASES] = {{0}};
  sup_status status = SUP_OK;
  SUP_ASSERT(num_cases <= MAX_CASES);
  memset(out, 0, (size_t)num_cases * sizeof *out);
  for (int k = 0; k < num_cases; k++) SUP_TRY_GOTO(start(&runs[k], &cases[k]), status, done);
  for (int k = 0; k < num_cases; k++)
    for (double t = 0, dt = cases[k].def->options.dt; t < cases[k].head_start - .5 * dt; t += dt)
      SUP_TRY_GOTO(step(&runs[k], cases[k].threads, 0, &out[k]), status, done);
  for (double t = 0, dt = cases->def->options.dt; t < end - .5 * dt; t += dt)
    for (int k = 0; k < num_cases; k++)
      SUP_TRY_GOTO(step(&runs[k], cases[k].threads, t + dt >= begin + .5 * dt, &out[k]), status, done);
  for (int k = 0; k < num_cases; k++) {
    take_means(&out[k]);
    take_size(&out[k].size, &runs[k]);
    out[k].hash = sup_state_hash(runs[k].state), out[k].factor = sup_condenser_info(runs[k].stepper->condenser);
  }
done:
  for (int k = 0; k < num_cases; k++) {
    sup_stepper_destroy(&runs[k].stepper);
    sup_state_destroy(&runs[k].state);
    sup_model_destroy(&runs[k].model);
  }
  return status;
}

double bench_median_ratio(const double *a, const double *b, int n) {
  static double ratio[BENCH_MAX_STEPS];
  for (int i = 0; i < n; i++) ratio[i] = a[i] / b[i];
  return bench_median(ratio, n);
}

void bench_report_ratios(const char *scene, const bench_totals *t, const bench_totals *base) {
  static const int phases[] = {SUP_PHASE_COLLIDE, SUP_PHASE_ROWS, SUP_PHASE_SOLVE};
  char             name[96];
  snprintf(name, sizeof name, "step.%s.ratio", scene);
  bench_report(name, bench_median_ratio(t->wall, base->wall, t->steps), "1", t->steps);
  for (size_t k = 0; k < sizeof phases / sizeof *phases; k++) {
    snprintf(name, sizeof name, "step.%s.%s.ratio", scene, sup_phase_name(phases[k]));
    bench_report(name, bench_median_ratio(t->phase_wall[phases[k]], base->phase_wall[phases[k]], t->steps), "1",
                 t->steps);
  }
  snprintf(name, sizeof name, "step.%s.processor.ratio", scene);
  bench_report(name, t->ms / base->ms, "1", t->steps);
  snprintf(name, sizeof name, "step.%s.contacts.ratio", scene);
  bench_report(name, t->contacts / base->contacts, "1", t->steps);
}

void bench_report_totals(const char *scene, const bench_totals *t, int with_phases) {
  static double wall[BENCH_MAX_STEPS], processor[BENCH_MAX_STEPS];
  double        total = 0;
  char          name[96];
  memcpy(wall, t->wall, sizeof wall);
  memcpy(processor, t->processor, sizeof processor);
  snprintf(name, sizeof name, "step.%s.median_ms", scene); /* one thread: the same on a machine of one's own */
  bench_report(name, bench_median(processor, t->steps), "ms", t->steps);
  snprintf(name, sizeof name, "step.%s.wall.median_ms", scene);
  bench_report(name, bench_median(wall, t->steps), "ms", t->steps);
  snprintf(name, sizeof name, "step.%s.mean_ms", scene);
  bench_report(name, t->ms, "ms", t->steps);
  snprintf(name, sizeof name, "step.%s.contacts.mean", scene);
  bench_report(name, t->contacts, "1", t->steps);
  snprintf(name, sizeof name, "step.%s.newton.mean", scene);
  bench_report(name, t->iterations, "1", t->steps);
  if (with_phases) {
    snprintf(name, sizeof name, "step.%s.analyses", scene);
    bench_report(name, 100 * t->analyses, "% of steps", t->steps);
    snprintf(name, sizeof name, "step.%s.analysis.share_of_those", scene);
    bench_report(name, 100 * t->analysis_share, "%", t->steps);
  }
  for (int p = 0; p < SUP_NUM_PHASES; p++) total += t->phase[p];
  for (int p = 0; p < SUP_NUM_PHASES && with_phases; p++) {
    snprintf(name, sizeof name, "step.%s.%s.mean_ms", scene, sup_phase_name(p));
    bench_report(name, t->phase[p], "ms", t->steps);
    snprintf(name, sizeof name, "step.%s.%s.share", scene, sup_phase_name(p));
    bench_report(name, 100 * t->phase[p] / total, "%", t->steps);
  }
}
