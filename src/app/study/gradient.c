/* supple gradient */
#include <math.h>
#include <string.h>

#include "app/app.h"
#include "app/options.h"
#include "app/script.h"
#include "app/study/levels.h"
#include "study/gradient.h"

typedef struct gradient_options {
  const char *study, *folder;
  int         jobs;
  double      memory; /* [MB]; 0: sup_app_memory */
  int         no_plot, check, quiet, verbose;
} gradient_options;

static void print_plan(const sup_study *study) {
  const sup_family *family = &study->family[0];
  printf("%d cases, about %.0f MB each\n", family->num_levels, family->level[0].need / SUP_MEGA);
  for (int p = 0; p < study->num_parameters; p++) {
    const sup_parameter *parameter = &study->parameter[p];
    printf("%s at %.12g%s%s, widths", parameter->name, parameter->value,
           parameter->unit[0] ? " " : "", parameter->unit);
    for (int k = 0; k < SUP_NUM_WIDTHS; k++) printf(" %.3g", sup_gradient_width(parameter, k));
    printf("\n");
  }
}

/** "-": no number. */
static const char *shown(char text[32], double value, int digits) {
  snprintf(text, 32, "-");
  if (isfinite(value)) snprintf(text, 32, "%.*g", digits, value);
  return text;
}

static void print_slope(const sup_study *study, int q, int p) {
  sup_slope slope = sup_gradient_slope(study, q, p);
  char      unit[SUP_GRADIENT_UNIT_SIZE], remark[SUP_GRADIENT_TEXT_SIZE], text[5][32];
  sup_gradient_unit(study, q, p, unit);
  sup_gradient_remark(study, p, &slope, remark);
  printf("  %-16s %16s %-12s %9s %14s %14s %10s%s%s\n", study->parameter[p].name,
         shown(text[0], slope.gradient, 9), unit, shown(text[1], slope.error, 2),
         shown(text[2], slope.left, 8), shown(text[3], slope.right, 8),
         shown(text[4], sup_gradient_logarithmic(study, q, p, &slope), 4), remark[0] ? "  " : "",
         remark);
}

static void print_tables(const sup_study *study) {
  for (int q = 0; q < study->num_quantities; q++) {
    const sup_quantity_def *def = &study->quantity[q];
    const sup_level        *level = &study->family[0].level[0];
    printf("%s%s = ", q ? "\n" : "", def->name);
    if (sup_level_is_complete(level))
      printf("%.12g%s%s\n", level->value[q], def->unit[0] ? " " : "", def->unit);
    else
      printf("none: %s\n", level->message);
    printf("  %-16s %16s %-12s %9s %14s %14s %10s\n", "parameter", "gradient", "", "error",
           "slope below", "slope above", "d ln/d ln");
    for (int p = 0; p < study->num_parameters; p++) print_slope(study, q, p);
  }
}

static int finish(const sup_study *study, const gradient_options *o, const char *folder) {
  sup_status status = sup_gradient_write(study, folder);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  print_tables(study);
  fflush(stdout);
  if (!o->no_plot) sup_app_plot("plot_gradient.py", folder, "gradient.png", o->quiet);
  if (!o->quiet) fprintf(stderr, "results: %s\n", folder);
  return sup_app_failed_code(study);
}

static int run_cases(sup_study *study, const gradient_options *o, const char *program) {
  char folder[SUP_STUDY_PATH_SIZE];
  snprintf(folder, sizeof folder, "%s%.3800s", o->folder ? "" : "out/",
           o->folder ? o->folder : study->name);
  sup_level_runner schedule = {.program = program, .folder = folder, .run = sup_app_run_case};
  schedule.jobs = o->jobs ? o->jobs : sup_app_jobs(study->threads);
  schedule.memory = o->memory > 0 ? SUP_MEGA * o->memory : sup_app_memory();
  if (!o->quiet)
    fprintf(stderr, "supple gradient: %s: %d cases of %s %s, %d at a time -> %s\n", study->title,
            study->family[0].num_levels, study->is_static ? "static" : "run", study->scene,
            schedule.jobs, folder);
  sup_status status = sup_app_run_levels(study, &schedule, o->quiet);
  if (status == SUP_E_INTERRUPTED) return sup_app_interrupted_code(study, "cases");
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  return finish(study, o, folder);
}

static int run_gradient(const gradient_options *o) {
  char       program[SUP_STUDY_PATH_SIZE];
  sup_study *study;
  if (!sup_app_find_program(program)) return SUP_EXIT_FILE;
  int code = sup_app_load_study(&study, o->study, SUP_STUDY_GRADIENT, o->check, o->verbose);
  if (code != SUP_NONE) return code;
  sup_status status = sup_study_prepare(study, program);
  if (status != SUP_OK)
    code = sup_app_report(status, o->verbose);
  else if (o->check)
    print_plan(study), code = SUP_EXIT_OK;
  else
    code = run_cases(study, o, program);
  sup_study_destroy(&study);
  return code;
}

static void print_help(const app_option *options, int num_options) {
  printf(
      "usage: supple gradient STUDY.yaml [options]\n\n"
      "Derivatives of a scene's numbers by its parameters (`supple help study parameters`), by "
      "central differences\n"
      "of whole runs with three widths each, on all cores.  Slopes of two sides or widths that "
      "differ are a kink,\n"
      "which is told with the change of steps and contacts beside it.  Results: a table; "
      "DIR/gradient.csv,\n"
      "gradient.json, gradient.png.  The same command resumes a study: finished cases with equal "
      "inputs are not run\n"
      "again.\n\n");
  app_print_options(options, num_options);
  printf(
      "\n"
      "Exit codes: 0 done, 1 a case failed or its result is void, 2 bad input, 3 file trouble, 4 "
      "interrupted.\n");
  sup_app_print_example(stdout, "gradient examples/studies/finray_gradient.yaml -o out/gradient");
}

int sup_app_gradient(int argc, char **argv) {
  gradient_options o = {0};
  const app_option options[] = {
      APP_TEXT("-o, --output", &o.folder, "folder for the results (default: out/<study name>)",
               "DIR"),
      APP_COUNT("-j, --jobs", &o.jobs,
                "cases at a time (default: one a core), fewer where memory does not suffice", "N"),
      APP_NUMBER("--memory", &o.memory,
                 "for all cases that run at a time (default: 80 % of what is available)", "MB"),
      APP_FLAG("--no-plot", &o.no_plot, "numbers only"),
      APP_FLAG("--check", &o.check, "read the study and its scene, list the parameters; stop"),
      APP_FLAG("-q, --quiet", &o.quiet, "print the tables and errors only"),
      APP_FLAG("-v, --verbose", &o.verbose, "source lines of errors")};
  enum { NUM_OPTIONS = sizeof options / sizeof *options };
  app_parse parsed =
      app_parse_options(argc, argv, "supple gradient", options, NUM_OPTIONS, &o.study, 1);
  if (parsed == APP_PARSE_BAD) return SUP_EXIT_INPUT;
  if (parsed == APP_PARSE_HELP) {
    print_help(options, NUM_OPTIONS);
    return SUP_EXIT_OK;
  }
  if (o.jobs < 0) {
    fprintf(stderr, "supple gradient: found %d for --jobs, expected 1 or more\n", o.jobs);
    return SUP_EXIT_INPUT;
  }
  if (o.study) return run_gradient(&o);
  fprintf(stderr,
          "supple gradient: a study is missing, expected supple gradient STUDY.yaml (--help tells "
          "more)\n");
  return SUP_EXIT_INPUT;
}
