/* Scenes in two ways, in turns: BDF2 against symplectic Euler, fingers that hold a soft toy against
 * fingers and a toy on rigid shapes; and what output takes of whole runs. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "bench.h"

typedef struct way {
  const char *path,
      *set; /* an override or NULL; %s: folder of the scenes of tests/bench/scenes.py */
} way;

/** Steps of the first way over those of the second. */
typedef struct comparison {
  const char *name;
  way         way[2];
  double      begin, end; /* the numbers count between them [s] */
} comparison;

static const comparison comparisons[] = {
    {"grasp.bdf2_over_euler",
     {{"examples/finray_grasp.yaml", "time.scheme=bdf2"}, {"examples/finray_grasp.yaml", NULL}},
     0,
     5},
    {"toy.soft_over_rigid", {{"%s/toy.yaml", NULL}, {"%s/toy_pressed.yaml", NULL}}, 1, 2},
};

static sup_status compare(const comparison *c, const char *folder) {
  static bench_totals t[2];
  sup_scene          *scene[2] = {NULL, NULL};
  sup_status          status = SUP_OK;
  for (int k = 0; k < 2; k++) {
    char path[1000];
    snprintf(path, sizeof path, c->way[k].path, folder);
    SUP_TRY_GOTO(sup_scene_load(&scene[k], path, &c->way[k].set, c->way[k].set != NULL), status,
                 done);
  }
  const bench_case cases[2] = {{c->name, scene[0], 1}, {c->name, scene[1], 1}};
  SUP_TRY_GOTO(bench_steps(cases, 2, c->begin, c->end, t), status, done);
  bench_report_ratios(c->name, &t[0], &t[1]);
done:
  sup_scene_destroy(&scene[0]), sup_scene_destroy(&scene[1]);
  return status;
}

/* ---- output ---------------------------------------------------------------------------------- */

/** Processor time of `supple run`, whose files go into memory [s]; below 0: it failed. */
static double time_of_run(const char *path, const char *sets) {
  char          command[2000];
  const char   *program = getenv("SUPPLE");
  struct rusage before, after;
  snprintf(command, sizeof command,
           "folder=$(mktemp -d /dev/shm/supple-bench-XXXXXX) && OMP_NUM_THREADS=1 '%s' run '%s' -q "
           "%s -o $folder >/dev/null; code=$?; rm -rf $folder; exit $code",
           program ? program : "build/release/supple", path, sets);
  getrusage(RUSAGE_CHILDREN, &before);
  if (system(command) != 0) return -1;
  getrusage(RUSAGE_CHILDREN, &after);
  return (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
         (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
         1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) +
         1e-6 * (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec);
}

/** Share of a run's processor time that frames, rows and what they ask for take. */
static int output_share(const char *name, const char *path) {
  enum { TURNS = 5 };
  static const char nothing[] =
      "--set output.format=none --set output.every=1e6s --set output.history_every=1e6s";
  double with[TURNS], without[TURNS];
  char   row[96];
  for (int k = 0; k < TURNS; k++) {
    with[k] = time_of_run(path, ""), without[k] = time_of_run(path, nothing);
    if (with[k] < 0 || without[k] < 0) {
      fprintf(stderr, "bench: supple run %s failed\n", path);
      return 1;
    }
  }
  snprintf(row, sizeof row, "output.%s.share", name);
  bench_report(row, 1 - bench_median_ratio(without, with, TURNS), "1", TURNS);
  return 0;
}

int bench_compare(const char *folder) {
  static const char *const runs[][2] = {{"grasp", "examples/finray_grasp.yaml"},
                                        {"press", "examples/finray_press.yaml"},
                                        {"clutter", "examples/clutter.yaml"}};
  for (size_t k = 0; k < sizeof comparisons / sizeof *comparisons; k++)
    if (compare(&comparisons[k], folder) != SUP_OK) return bench_fail();
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
    if (output_share(runs[k][0], runs[k][1])) return 1;
  return 0;
}
