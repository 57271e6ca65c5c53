/* supple fit */
#include <math.h>
#include <stdio.h>

#include "app/app.h"
#include "app/options.h"
#include "app/script.h"
#include "app/signals.h"
#include "app/study/levels.h"
#include "study/fit/fit.h"

typedef struct fit_options {
  const char *study, *folder;
  int         jobs;
  double      memory; /* [MB]; 0: sup_app_memory */
  int         no_plot, check, quiet, verbose;
} fit_options;

static void print_plan(const sup_study *study) {
  const sup_fit *fit = study->fit;
  for (int p = 0; p < study->num_parameters; p++) {
    const sup_parameter *parameter = &study->parameter[p];
    printf("%s begins at %.6g%s%s, from %.6g to %.6g\n", parameter->name, parameter->value,
           parameter->unit[0] ? " " : "", parameter->unit, parameter->low, parameter->high);
  }
  for (int i = 0; i < fit->num_experiments; i++)
    printf("%s: %d points of %s%s\n", fit->experiment[i].name, fit->experiment[i].num,
           fit->experiment[i].data, fit->experiment[i].is_held_back ? ", held back" : "");
}

static void print_parameters(const sup_study *study) {
  printf("%-16s %14s %-10s %14s %14s\n", "parameter", "value", "", "95 % from", "to");
  for (int p = 0; p < study->num_parameters; p++) {
    const sup_parameter *parameter = &study->parameter[p];
    char                 remark[SUP_FIT_TEXT_SIZE];
    sup_fit_remark(study, p, remark);
    printf("%-16s %14.7g %-10s %14.5g %14.5g%s%s\n", parameter->name, parameter->value,
           parameter->unit, study->fit->from[p], study->fit->to[p], remark[0] ? "  " : "", remark);
  }
}

static void print_correlations(const sup_study *study) {
  const sup_fit_statistics *s = &study->fit->statistics;
  int                       n = study->num_parameters;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < a; b++)
      if (isfinite(s->correlation[a * n + b]))
        printf("correlation of '%s' and '%s' %.3f\n", study->parameter[b].name,
               study->parameter[a].name, s->correlation[a * n + b]);
  printf("singular values");
  for (int k = 0; k < n; k++) printf(" %.3g", s->singular[k]);
  printf(" (relative change of a parameter to scatter)\n");
}

static void print_experiments(const sup_fit *fit) {
  for (int i = 0; i < fit->num_experiments; i++) {
    double largest, error = sup_experiment_error(&fit->experiment[i], &largest);
    printf("%s, %s: error %.2g %% of its root mean square, at most %.2g %% of a value\n",
           fit->experiment[i].name, fit->experiment[i].is_held_back ? "predicted" : "fitted",
           100 * error, 100 * largest);
  }
}

static void print_result(const sup_study *study) {
  const sup_fit            *fit = study->fit;
  const sup_fit_statistics *s = &fit->statistics;
  print_parameters(study);
  printf("\nsum of squares %.4g -> %.4g in scatters, %.0f degrees of freedom\n",
         2 * fit->start_cost, s->chi_square, s->degrees);
  print_correlations(study);
  print_experiments(fit);
  printf("%s after %d steps, %d runs\n",
         fit->is_converged ? "converged" : "NOT CONVERGED: more rounds, or a start nearby",
         fit->steps, fit->runs);
}

static int finish(const sup_study *study, const fit_options *o, const char *folder) {
  sup_status status = sup_fit_write(study, folder);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  print_result(study);
  fflush(stdout);
  if (!o->no_plot) sup_app_plot("plot_fit.py", folder, "fit.png", o->quiet);
  if (!o->quiet) fprintf(stderr, "results: %s\n", folder);
  return study->fit->is_converged ? SUP_EXIT_OK : SUP_EXIT_SOLVER;
}

static int run_rounds(sup_study *study, const fit_options *o, const char *program) {
  char folder[SUP_STUDY_PATH_SIZE];
  snprintf(folder, sizeof folder, "%s%.3800s", o->folder ? "" : "out/",
           o->folder ? o->folder : study->name);
  sup_level_runner schedule = {.program = program, .folder = folder, .run = sup_app_run_case};
  schedule.jobs = o->jobs ? o->jobs : sup_app_jobs(study->threads);
  schedule.memory = o->memory > 0 ? SUP_MEGA * o->memory : sup_app_memory();
  if (!o->quiet)
    fprintf(stderr, "supple fit: %s: %d parameters, %d points, %d runs at a time -> %s\n",
            study->title, study->num_parameters, study->fit->num_points, schedule.jobs, folder);
  sup_watcher watcher;
  sup_app_watch_levels(&schedule, &watcher, o->quiet);
  sup_status status = sup_fit_run(study, &schedule);
  if (status == SUP_E_INTERRUPTED) return sup_app_interrupted_code(study, "runs of a round");
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  return finish(study, o, folder);
}

static int run_fit(const fit_options *o) {
  char       program[SUP_STUDY_PATH_SIZE];
  sup_study *study;
  if (!sup_app_find_program(program)) return SUP_EXIT_FILE;
  int code = sup_app_load_study(&study, o->study, SUP_STUDY_FIT, o->check, o->verbose);
  if (code != SUP_NONE) return code;
  sup_status status = sup_study_prepare(study, program);
  if (status != SUP_OK)
    code = sup_app_report(status, o->verbose);
  else if (o->check)
    print_plan(study), code = SUP_EXIT_OK;
  else
    code = run_rounds(study, o, program);
  sup_study_destroy(&study);
  return code;
}

static void print_help(const app_option *options, int num_options) {
  printf(
      "usage: supple fit STUDY.yaml [options]\n\n"
      "Fit parameters of a scene to measured curves (`supple help study fit`): bounded "
      "Gauss-Newton "
      "with derivatives\n"
      "by differences of whole runs.  Intervals of 95 %%, correlations, parameters that the data "
      "leave open, residuals,\n"
      "errors of held-back curves.  Results: a table; DIR/fit.csv, residuals.csv, fit.json, "
      "fit.png.  The same command\n"
      "goes on with an interrupted fit.\n\n");
  app_print_options(options, num_options);
  printf(
      "\n"
      "Exit codes: 0 done, 1 not converged, 2 bad input, 3 file trouble, 4 interrupted.\n");
  sup_app_print_example(stdout, "fit examples/studies/finray_fit.yaml -o out/fit");
}

int sup_app_fit(int argc, char **argv) {
  fit_options      o = {0};
  const app_option options[] = {
      APP_TEXT("-o, --output", &o.folder, "folder for the results (default: out/<study name>)",
               "DIR"),
      APP_COUNT("-j, --jobs", &o.jobs,
                "runs at a time (default: one a core), fewer where memory does not suffice", "N"),
      APP_NUMBER("--memory", &o.memory,
                 "for all runs at a time (default: 80 % of what is available)", "MB"),
      APP_FLAG("--no-plot", &o.no_plot, "numbers only"),
      APP_FLAG("--check", &o.check, "read study, scene and curves, list them; stop"),
      APP_FLAG("-q, --quiet", &o.quiet, "print the tables and errors only"),
      APP_FLAG("-v, --verbose", &o.verbose, "source lines of errors")};
  enum { NUM_OPTIONS = sizeof options / sizeof *options };
  app_parse parsed = app_parse_options(argc, argv, "supple fit", options, NUM_OPTIONS, &o.study, 1);
  if (parsed == APP_PARSE_BAD) return SUP_EXIT_INPUT;
  if (parsed == APP_PARSE_HELP) {
    print_help(options, NUM_OPTIONS);
    return SUP_EXIT_OK;
  }
  if (o.jobs < 0) {
    fprintf(stderr, "supple fit: found %d for --jobs, expected 1 or more\n", o.jobs);
    return SUP_EXIT_INPUT;
  }
  if (o.study) return run_fit(&o);
  fprintf(stderr,
          "supple fit: a study is missing, expected supple fit STUDY.yaml (--help tells more)\n");
  return SUP_EXIT_INPUT;
}
