#include "app/study/levels.h"

#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/app_numerics.h"
#include "app/ranks.h"
#include "app/signals.h"
#include "app/study/rank_runs.h"
#include "base/file/process.h"

int sup_app_find_program(char path[SUP_STUDY_PATH_SIZE]) {
  if (sup_program_path(path, SUP_STUDY_PATH_SIZE)) return 1;
  fprintf(stderr, "supple: error: cannot find the program itself: /proc/self/exe cannot be read\n");
  return 0;
}

/** Reading a pipe without a writer ends by a signal; on ranks mpiexec ends it. */
static void catch_signals(int check) {
  if (check)
    sup_app_end_at_signals();
  else if (sup_app_ranks())
    sup_app_catch_signals(0);
  else
    sup_app_catch_signals_while_reading();
}

/** @return exit code, or SUP_NONE */
static int check_kind(const sup_study *study, const char *path, sup_study_kind kind) {
  int needs_parameters =
      kind != SUP_STUDY_CONVERGE && kind != SUP_STUDY_CONTROL && kind != SUP_STUDY_STIFFNESS;
  if (kind == SUP_STUDY_HOLDING) return SUP_NONE; /* with parameters or without */
  if ((study->num_parameters > 0) == needs_parameters) return SUP_NONE;
  if (kind == SUP_STUDY_CONVERGE)
    fprintf(stderr,
            "supple: error: %s has parameters: it is run by `supple sweep` or `supple gradient`\n",
            path);
  else
    fprintf(stderr,
            "supple: error: %s has no parameters; studies with a ladder are run by `supple "
            "converge`\n",
            path);
  return SUP_EXIT_INPUT;
}

int sup_app_load_study(sup_study **study, const char *path, sup_study_kind kind, int check,
                       int verbose) {
  sup_app_log(0); /* the same notes for each level; they are in its log.txt */
  catch_signals(check);
  sup_status status = sup_study_load(study, path, kind);
  if (!check) sup_app_catch_signals(0);
  if (sup_app_interrupted) { /* what failed behind a signal did so by it */
    if (status == SUP_OK) sup_study_destroy(study);
    fprintf(stderr, "supple: interrupted while it read the study; nothing was written\n");
    return SUP_EXIT_INTERRUPTED;
  }
  if (status != SUP_OK) return sup_app_report(status, verbose);
  int code = check_kind(*study, path, kind);
  if (code != SUP_NONE) sup_study_destroy(study);
  return code;
}

double sup_app_memory(void) { return sup_app_numerics.memory * sup_memory_available(); }

int sup_app_jobs(int threads) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return (int)(cores > threads ? cores / threads : 1);
}

void sup_app_level_ranks(sup_level_runner *schedule) {
  if (!sup_app_ranks()) return;
  schedule->jobs = 1;
  schedule->perform = sup_app_run_on_ranks;
}

/** Overrides of a level, or those that all levels have. */
static const char *label_of(const sup_level *level) {
  return level->label ? level->label : "as given";
}

/** Report a case of a sweep: a line for one that failed, a count of the others. */
static void tell_case(const sup_family *family, const sup_level *level, const char *name,
                      sup_watcher *w) {
  if (level->status == SUP_LEVEL_RUNNING) return;
  w->ended++;
  if (w->is_terminal && !w->quiet) fputs("\r\033[K", stderr);
  if (level->status == SUP_LEVEL_FAILED)
    fprintf(stderr, "supple: %s failed (%s): %s\n", name, label_of(level), level->message);
  if (w->is_terminal && !w->quiet)
    fprintf(stderr, "%d of %d cases have ended", w->ended, family->num_levels);
}

static void tell(const sup_study *study, const sup_family *family, int i, void *user) {
  sup_watcher     *w = user;
  const sup_level *level = &family->level[i];
  char             name[2 * SUP_NAME_MAX];
  sup_level_name(study, family, i, name);
  if (study->kind != SUP_STUDY_CONVERGE) {
    tell_case(family, level, name, w);
    return;
  }
  if (w->is_terminal && !w->quiet) fputs("\r\033[K", stderr);
  if (level->status == SUP_LEVEL_FAILED)
    fprintf(stderr, "supple: %s failed (%s): %s\n", name, label_of(level), level->message);
  else if (w->quiet)
    return;
  else if (level->status == SUP_LEVEL_RUNNING && w->is_terminal)
    fprintf(stderr, "%s runs ...", name);
  else if (level->status == SUP_LEVEL_DONE)
    fprintf(stderr, "%s  %.0f unknowns, %.2f s, %.0f MB: %s\n", name, level->unknowns, level->wall,
            level->memory / SUP_MEGA, label_of(level));
  else if (level->status == SUP_LEVEL_KEPT)
    fprintf(stderr, "%s  is complete and unchanged: %s\n", name, label_of(level));
}

void sup_app_watch_levels(sup_level_runner *schedule, sup_watcher *w, int quiet) {
  *w = (sup_watcher){.quiet = quiet, .is_terminal = isatty(STDERR_FILENO)};
  schedule->interrupted = &sup_app_interrupted;
  schedule->tell = tell, schedule->user = w;
  sup_app_catch_signals(0);
}

sup_status sup_app_run_levels(sup_study *study, sup_level_runner *schedule, int quiet) {
  sup_watcher w;
  sup_app_watch_levels(schedule, &w, quiet);
  sup_status status = sup_level_runner_run(schedule, study);
  if (w.is_terminal && !quiet) fputs("\r\033[K", stderr);
  return status;
}

int sup_app_run_case(int argc, char **argv) {
  sup_app_interrupted = 0;
  sup_app_log(1);
  return strcmp(argv[0], "static") == 0 ? sup_app_static(argc, argv) : sup_app_run(argc, argv);
}

int sup_app_failed_code(const sup_study *study) {
  for (int f = 0; f < study->num_families; f++)
    for (int i = 0; i < study->family[f].num_levels; i++) {
      const sup_level *level = &study->family[f].level[i];
      if (level->status == SUP_LEVEL_FAILED)
        return level->exit_code ? level->exit_code : SUP_EXIT_SOLVER;
    }
  return SUP_EXIT_OK;
}

int sup_app_interrupted_code(const sup_study *study, const char *what) {
  int levels = 0, complete = 0;
  for (int f = 0; f < study->num_families; f++)
    for (int i = 0; i < study->family[f].num_levels; i++, levels++)
      complete += sup_level_is_complete(&study->family[f].level[i]);
  fprintf(stderr,
          "supple: interrupted; %d of %d %s are complete, the same command goes on from there\n",
          complete, levels, what);
  return SUP_EXIT_INTERRUPTED;
}

int sup_app_print_warnings(const sup_study *study) {
  char name[2 * SUP_NAME_MAX];
  int  count = 0;
  for (int f = 0; f < study->num_families; f++)
    for (int i = 0; i < study->family[f].num_levels; i++) {
      const sup_level *level = &study->family[f].level[i];
      if (!sup_level_is_complete(level) || level->num_warnings == 0) continue;
      sup_level_name(study, &study->family[f], i, name);
      fprintf(stderr, "WARN  %s: %s", name, level->warning);
      if (level->num_warnings > 1)
        fprintf(stderr, " (and %d more in its summary.json)", level->num_warnings - 1);
      fputc('\n', stderr);
      count += level->num_warnings;
    }
  return count;
}
