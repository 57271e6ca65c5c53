/* Scenes in two ways, in turns: BDF2 against symplectic Euler, fingers that hold a soft toy against
 * fingers and a toy on rigid shapes; what output takes of whole runs; and whole runs by an older
 * program, where there is one. */
#define _DEFAULT_SOURCE /* wait4, mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static const char *this_program(void) {
  const char *program = getenv("SUPPLE");
  return program ? program : "build/release/supple";
}

/** Processor time of a run or a load step, whose files go into memory [s]; below 0: it failed.  A
 * run of its own: the shell is replaced by the run, and the folder is removed afterwards. */
static double time_of_run(const char *program, const char *kind, const char *path,
                          const char *sets) {
  char          folder[] = "/dev/shm/supple-bench-XXXXXX", command[2000];
  struct rusage used;
  int           code;
  if (!mkdtemp(folder)) return -1;
  snprintf(command, sizeof command, "OMP_NUM_THREADS=1 exec '%s' %s '%s' -q %s -o %s >/dev/null",
           program, kind, path, sets, folder);
  pid_t child = fork();
  if (child == 0) execl("/bin/sh", "sh", "-c", command, (char *)NULL), _exit(127);
  int is_done = child > 0 && wait4(child, &code, 0, &used) == child && code == 0;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0 || !is_done) return -1;
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

static int failed_run(const char *path) {
  fprintf(stderr, "bench: supple could not run %s\n", path);
  return 1;
}

/** Share of a run's processor time that frames, rows and what they ask for take. */
static int output_share(const char *name, const char *path) {
  enum { TURNS = 5 };
  static const char nothing[] =
      "--set output.format=none --set output.every=1e6s --set output.history_every=1e6s";
  double with[TURNS], without[TURNS];
  char   row[96];
  for (int k = 0; k < TURNS; k++) {
    with[k] = time_of_run(this_program(), "run", path, "");
    without[k] = time_of_run(this_program(), "run", path, nothing);
    if (with[k] < 0 || without[k] < 0) return failed_run(path);
  }
  snprintf(row, sizeof row, "output.%s.share", name);
  bench_report(row, 1 - bench_median_ratio(without, with, TURNS), "1", TURNS);
  return 0;
}

/* ---- an older program ------------------------------------------------------------------------ */

/** Whole runs that are nearly all steps, by an older program ($SUPPLE_OLD) and by this one; scenes
 * that both can read. */
static const struct {
  const char *name, *kind, *path, *sets;
} runs_of_both[] = {
    {"t10.neo_hookean", "run", "%s/finger_t10.yaml",
     "--set materials.tpu.model=neo_hookean --set time.end=100ms"},
    {"t10.corotational", "run", "%s/finger_t10.yaml",
     "--set materials.tpu.model=corotational --set time.end=100ms"},
    {"t10.neo_hookean.statics", "static", "%s/finger_t10.yaml",
     "--set materials.tpu.model=neo_hookean --set 'gravity=[100, -9.81, 0]' --set time.end=10ms"},
};

static int compare_programs(const char *old, const char *folder) {
  enum { TURNS = 3 };
  for (size_t r = 0; r < sizeof runs_of_both / sizeof *runs_of_both; r++) {
    double before[TURNS], now[TURNS];
    char   path[1000], row[96];
    snprintf(path, sizeof path, runs_of_both[r].path, folder);
    for (int k = 0; k < TURNS; k++) {
      before[k] = time_of_run(old, runs_of_both[r].kind, path, runs_of_both[r].sets);
      now[k] = time_of_run(this_program(), runs_of_both[r].kind, path, runs_of_both[r].sets);
      if (before[k] < 0 || now[k] < 0) return failed_run(path);
    }
    snprintf(row, sizeof row, "old_over_new.%s", runs_of_both[r].name);
    bench_report(row, bench_median_ratio(before, now, TURNS), "1", TURNS);
  }
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
  return getenv("SUPPLE_OLD") ? compare_programs(getenv("SUPPLE_OLD"), folder) : 0;
}
