/* supple sweep */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/options.h"
#include "app/script.h"
#include "app/signals.h"
#include "app/study/levels.h"
#include "base/text.h"
#include "study/sweep.h"

typedef struct sweep_options {
  const char *study, *folder, *part_text;
  int         jobs, slurm, part, parts;
  double      memory; /* [MB]; 0: sup_app_memory */
  int         no_plot, check, quiet, verbose;
} sweep_options;

static int count(const sup_study *study, sup_level_status status) {
  int n = 0;
  for (int i = 0; i < study->family[0].num_levels; i++)
    n += study->family[0].level[i].status == status;
  return n;
}

static void print_plan(const sup_study *study) {
  const sup_family *family = &study->family[0];
  printf("%d cases, about %.0f MB each\n", family->num_levels, family->level[0].need / SUP_MEGA);
  for (int i = 0; i < family->num_levels; i++)
    printf("case_%05d  %s%s%s\n", i + 1, family->level[i].name ? family->level[i].name : "",
           family->level[i].name ? "  " : "", family->level[i].label);
}

static int finish(const sup_study *study, const sweep_options *o, const char *folder) {
  int        failed = count(study, SUP_LEVEL_FAILED);
  sup_status status = sup_sweep_write(study, folder);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  if (!o->no_plot) sup_app_plot("plot_sweep.py", folder, "sweep.png", o->quiet);
  if (!o->quiet)
    fprintf(stderr, "%d cases done, %d failed: %s/sweep.csv\n",
            count(study, SUP_LEVEL_DONE) + count(study, SUP_LEVEL_KEPT), failed, folder);
  return failed ? SUP_EXIT_SOLVER : SUP_EXIT_OK;
}

static int run_cases(sup_study *study, const sweep_options *o, const char *folder,
                     const char *program) {
  sup_level_runner schedule = {.program = program,
                               .folder = folder,
                               .part = o->part,
                               .parts = o->parts,
                               .run = sup_app_run_case};
  schedule.jobs = o->jobs ? o->jobs : sup_app_jobs(study->threads);
  schedule.memory = o->memory > 0 ? SUP_MEGA * o->memory : sup_app_memory();
  if (!o->quiet)
    fprintf(stderr, "supple sweep: %s: %d cases of %s %s, %d at a time -> %s\n", study->title,
            study->family[0].num_levels, study->is_static ? "static" : "run", study->scene,
            schedule.jobs, folder);
  sup_status status = sup_app_run_levels(study, &schedule, o->quiet);
  if (o->parts > 0 && status == SUP_OK) /* the table is written by who collects all parts */
    return count(study, SUP_LEVEL_FAILED) ? SUP_EXIT_SOLVER : SUP_EXIT_OK;
  if (status == SUP_E_INTERRUPTED) {
    if (o->parts == 0 && sup_sweep_write(study, folder) != SUP_OK)
      fprintf(stderr, "supple: warning: %s\n", sup_error_message());
    return sup_app_interrupted_code(study, "cases");
  }
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  return finish(study, o, folder);
}

static int run_prepared(sup_study *study, const sweep_options *o, const char *program) {
  char folder[SUP_STUDY_PATH_SIZE];
  snprintf(folder, sizeof folder, "%s%.3800s", o->folder ? "" : "out/",
           o->folder ? o->folder : study->name);
  if (o->check) {
    print_plan(study);
    return SUP_EXIT_OK;
  }
  if (o->slurm == 0) return run_cases(study, o, folder, program);
  sup_status status = sup_sweep_write_slurm(study, folder, program, o->slurm);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  printf("sbatch %s/sweep.slurm\n", folder);
  return SUP_EXIT_OK;
}

static int run_sweep(const sweep_options *o) {
  char       program[SUP_STUDY_PATH_SIZE];
  sup_study *study;
  if (!sup_app_find_program(program)) return SUP_EXIT_FILE;
  int code = sup_app_load_study(&study, o->study, SUP_STUDY_SWEEP, o->check, o->verbose);
  if (code != SUP_NONE) return code;
  sup_status status = sup_study_prepare(study, program);
  code = status == SUP_OK ? run_prepared(study, o, program) : sup_app_report(status, o->verbose);
  sup_study_destroy(&study);
  return code;
}

/** "3/40": the fourth of forty. */
static int parse_part(sweep_options *o) {
  char extra;
  if (!o->part_text) return 1;
  if (sscanf(o->part_text, "%d/%d%c", &o->part, &o->parts, &extra) == 2 && o->part >= 0 &&
      o->part < o->parts)
    return 1;
  fprintf(stderr, "supple sweep: found '%s' for --part, expected K/N with 0 <= K < N\n",
          o->part_text);
  return 0;
}

int sup_app_sweep(int argc, char **argv) {
  static const char usage[] =
      "usage: supple sweep STUDY.yaml [options]\n\n"
      "Run a scene over values of its parameters: all combinations, a list, or a Latin "
      "hypercube (`supple help\n"
      "study parameters`).  Each case is a run in DIR/case_NNNNN.  Results: a table with a row a "
      "case, DIR/sweep.csv, with\n"
      "the message of failed cases; sweep.json; sweep.png.  The same command resumes a sweep: "
      "finished cases with\n"
      "equal inputs are not run again.\n\n";
  sweep_options    o = {0};
  const app_option options[] = {
      APP_TEXT("-o, --output", &o.folder, "folder for the results (default: out/<study name>)",
               "DIR"),
      APP_COUNT("-j, --jobs", &o.jobs,
                "cases at a time (default: one a core), fewer where memory does not suffice", "N"),
      APP_NUMBER("--memory", &o.memory,
                 "for all cases that run at a time (default: 80 % of what is available)", "MB"),
      APP_COUNT("--slurm", &o.slurm, "run nothing, write DIR/sweep.slurm for an array of N jobs",
                "N"),
      APP_TEXT("--part", &o.part_text,
               "only the K-th of N parts (from 0), beside others in the same folder; no table",
               "K/N"),
      APP_FLAG("--no-plot", &o.no_plot, "numbers only"),
      APP_FLAG("--check", &o.check, "read the study, list the cases; stop"),
      APP_FLAG("-q, --quiet", &o.quiet, "print errors only"),
      APP_FLAG("-v, --verbose", &o.verbose, "source lines of errors")};
  enum { NUM_OPTIONS = sizeof options / sizeof *options };
  static const app_help help = {
      usage,
      "\n"
      "Exit codes: 0 done, 1 a case failed or its result is void, 2 bad input, 3 file trouble, 4 "
      "interrupted.\n",
      "sweep examples/studies/finray_sweep.yaml -o out/sweep"};
  int code = app_parse_command(argc, argv, &help, options, NUM_OPTIONS, &o.study);
  if (code != SUP_NONE) return code;
  if (!parse_part(&o)) return SUP_EXIT_INPUT;
  if (o.jobs < 0 || o.slurm < 0) {
    fprintf(stderr, "supple sweep: found %d for %s, expected 1 or more\n",
            o.jobs < 0 ? o.jobs : o.slurm, o.jobs < 0 ? "--jobs" : "--slurm");
    return SUP_EXIT_INPUT;
  }
  if (o.study) return run_sweep(&o);
  fprintf(stderr,
          "supple sweep: a study is missing, expected supple sweep STUDY.yaml (--help tells "
          "more)\n");
  return SUP_EXIT_INPUT;
}
