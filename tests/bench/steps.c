/* Scenes in steps: what they cost.
 *
 * A helper waits at hand for a millisecond, on a core that somebody else may need: cases take turns
 * of many steps. */
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
  SUP_TRY(sup_model_create(&r->model, &c->scene->model));
  SUP_TRY(sup_state_create(&r->state, r->model, &c->scene->options));
  SUP_TRY(sup_stepper_create(&r->stepper, r->model, &c->scene->options));
  return SUP_OK;
}

/** Own processor time of a thread that is alone, else that of all threads [s]. */
static double processor_time(int threads) {
  return threads == 1 ? bench_thread_time() : bench_process_time();
}

static sup_status step(run *r, int threads, int counts, bench_totals *t) {
  sup_step_report report;
  double          cpu = processor_time(threads), wall = sup_wall_time();
  SUP_TRY(sup_step(r->stepper, r->state, &report));
  double processor_ms = 1e3 * (processor_time(threads) - cpu),
         wall_ms = 1e3 * (sup_wall_time() - wall);
  if (!counts || t->steps == BENCH_MAX_STEPS) return SUP_OK;
  t->processor[t->steps] = processor_ms, t->wall[t->steps] = wall_ms;
  t->own[t->steps] = threads == 1 ? processor_ms : wall_ms;
  for (int p = 0; p < SUP_NUM_PHASES; p++) t->phase_wall[p][t->steps] = 1e3 * report.seconds[p];
  t->analysed[t->steps] = report.analysed != 0;
  t->steps++, t->contacts += report.num_contacts, t->iterations += report.iterations;
  return SUP_OK;
}

/** Steps `from` to `to` of a case; those from `begin` on count. */
static sup_status take_turn(run *r, int threads, int from, int to, int begin, bench_totals *t) {
  sup_status status = SUP_OK;
  omp_set_num_threads(threads);
  for (int i = from; i < to && status == SUP_OK; i++) status = step(r, threads, i >= begin, t);
  omp_set_num_threads(1);
  return status;
}

/** Phases are timed by the wall: what others took of one thread's time is taken from all its phases
 * alike. */
static void take_means(bench_totals *t) {
  double analyse = 0, whole = 0;
  t->contacts /= t->steps, t->iterations /= t->steps;
  for (int i = 0; i < t->steps; i++) {
    double own = fmin(1, t->own[i] / t->wall[i]);
    t->ms += t->own[i] / t->steps, t->processor_ms += t->processor[i] / t->steps;
    for (int p = 0; p < SUP_NUM_PHASES; p++) t->phase[p] += own * t->phase_wall[p][i] / t->steps;
    if (!t->analysed[i]) continue;
    t->analyses += 1. / t->steps, analyse += t->phase_wall[SUP_PHASE_ANALYSE][i],
        whole += t->wall[i];
  }
  t->analysis_share = whole > 0 ? analyse / whole : 0;
}

static void take_size(bench_size *size, const run *r) {
  const sup_model *model = r->model;
  size->values = (double)sup_block_pattern_num_values(&r->stepper->layout->A_pattern);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_mesh *mesh = sup_fem_mesh(model->soft[i].fem);
    double          n = sup_cell_num_vertices(mesh->type);
    size->vertices += mesh->num_vertices, size->cells += mesh->num_cells;
    size->vertex_pairs += mesh->num_cells * n * (n + 1) / 2;
    size->triangles += model->soft[i].surface->num_triangles;
  }
}

static int steps_until(const bench_case *c, double time) {
  return (int)lround(time / c->scene->options.dt);
}

sup_status bench_steps(const bench_case *cases, int num_cases, double begin, double end,
                       bench_totals *out) {
  enum { MAX_CASES = 16, TURN = 25 };
  run        runs[MAX_CASES] = {{0}};
  sup_status status = SUP_OK;
  int        first = steps_until(cases, begin), last = steps_until(cases, end);
  SUP_ASSERT(num_cases <= MAX_CASES);
  memset(out, 0, (size_t)num_cases * sizeof *out);
  for (int k = 0; k < num_cases; k++) SUP_TRY_GOTO(start(&runs[k], &cases[k]), status, done);
  for (int k = 0; k < num_cases; k++) {
    int ahead = steps_until(&cases[k], cases[k].head_start);
    SUP_TRY_GOTO(take_turn(&runs[k], cases[k].threads, 0, ahead, ahead, &out[k]), status, done);
  }
  for (int i = 0; i < last; i += TURN)
    for (int k = 0; k < num_cases; k++) {
      int end_of_turn = i + TURN < last ? i + TURN : last;
      SUP_TRY_GOTO(take_turn(&runs[k], cases[k].threads, i, end_of_turn, first, &out[k]), status,
                   done);
    }
  for (int k = 0; k < num_cases; k++) {
    take_means(&out[k]);
    take_size(&out[k].size, &runs[k]);
    out[k].hash = sup_state_hash(runs[k].state),
    out[k].factor = sup_reduction_info(runs[k].stepper->reduction);
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

/** Median over the steps of a phase's time over that of `base`; of the analysis over the steps that
 * make one. */
static void report_phase_ratio(const char *scene, int phase, const bench_totals *t,
                               const bench_totals *base) {
  static double ratio[BENCH_MAX_STEPS];
  char          name[96];
  int           n = 0;
  for (int i = 0; i < t->steps; i++)
    if (base->phase_wall[phase][i] > 0 &&
        (phase != SUP_PHASE_ANALYSE || (t->analysed[i] && base->analysed[i])))
      ratio[n++] = t->phase_wall[phase][i] / base->phase_wall[phase][i];
  snprintf(name, sizeof name, "step.%s.%s.ratio", scene, sup_phase_name(phase));
  if (n) bench_report(name, bench_median(ratio, n), "1", n);
}

void bench_report_ratios(const char *scene, const bench_totals *t, const bench_totals *base) {
  char name[96];
  snprintf(name, sizeof name, "step.%s.ratio", scene);
  bench_report(name, bench_median_ratio(t->wall, base->wall, t->steps), "1", t->steps);
  for (int p = 0; p < SUP_NUM_PHASES; p++) report_phase_ratio(scene, p, t, base);
  snprintf(name, sizeof name, "step.%s.processor.ratio", scene);
  bench_report(name, t->processor_ms / base->processor_ms, "1", t->steps);
  snprintf(name, sizeof name, "step.%s.contacts.ratio", scene);
  bench_report(name, t->contacts / base->contacts, "1", t->steps);
}

void bench_report_totals(const char *scene, const bench_totals *t, int with_phases) {
  static double wall[BENCH_MAX_STEPS], own[BENCH_MAX_STEPS];
  double        total = 0;
  char          name[96];
  memcpy(wall, t->wall, sizeof wall);
  memcpy(own, t->own, sizeof own);
  snprintf(name, sizeof name, "step.%s.median_ms", scene);
  bench_report(name, bench_median(own, t->steps), "ms", t->steps);
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
