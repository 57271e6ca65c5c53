/* supple converge */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/options.h"
#include "app/ranks.h"
#include "app/script.h"
#include "app/study/budget.h"
#include "app/study/levels.h"
#include "app/study/rank_runs.h"

enum { FIELD_SIZE = 32 };

typedef struct converge_options {
  const char *study;
  const char *folder;
  int         jobs;
  double      memory; /* [MB]; 0: sup_app_memory */
  int         no_plot, check, strict, quiet, verbose;
} converge_options;

/* ---- numbers --------------------------------------------------------------------------------- */

/** Number with so many digits and its unit; "-" when it is not finite. */
static const char *shown(char text[FIELD_SIZE], double value, int digits, const char *unit) {
  snprintf(text, FIELD_SIZE, "-");
  if (isfinite(value)) snprintf(text, FIELD_SIZE, "%.*g%s", digits, value, unit);
  return text;
}

/** An error relative to its reference, when that is not zero. */
static const char *shown_error(char text[FIELD_SIZE], const sup_quantity_def *def,
                               const sup_curve *curve, int k) {
  const sup_convergence *c = &curve->convergence;
  double                 base = c->base == SUP_ERROR_REFERENCE ? def->reference : c->extrapolated;
  return base != 0 ? shown(text, 100 * c->error[k] / fabs(base), 3, " %")
                   : shown(text, c->error[k], 3, "");
}

/* ---- the table ------------------------------------------------------------------------------- */

static int name_width(const sup_study *study) {
  size_t width = study->has_families ? strlen("family") : 0;
  for (int f = 0; f < study->num_families; f++)
    if (strlen(study->family[f].name) > width) width = strlen(study->family[f].name);
  return (int)width;
}

static void print_heading(const sup_study *study, const sup_quantity_def *def) {
  char h[FIELD_SIZE], unit[2 * FIELD_SIZE] = "", reference[FIELD_SIZE] = "", at[FIELD_SIZE] = "",
                               scale[FIELD_SIZE] = "";
  if (def->unit[0]) snprintf(unit, sizeof unit, " [%s]", def->unit);
  if (def->has_reference) snprintf(reference, sizeof reference, "; reference %.6g", def->reference);
  if (def->take == SUP_WINDOW_AT) snprintf(at, sizeof at, " %g s", def->at);
  if (def->scale != 1) snprintf(scale, sizeof scale, ", times %.6g", def->scale);
  printf("\n%s%s: %s%s%s%s%s%s\n", def->name, unit, def->source, def->is_summary ? "" : ", ",
         def->is_summary ? "" : sup_window_value_name(def->take), at, scale, reference);
  snprintf(h, sizeof h, "h [%.16s]", study->size_unit);
  printf("  %-*s %5s %11s %10s %14s %10s %6s %9s %11s\n", name_width(study),
         study->has_families ? "family" : "", "level", h, "unknowns", "value", "error", "order",
         "wall [s]", "memory [MB]");
}

static void print_level(const sup_study *study, int f, int q, int i) {
  const sup_family *family = &study->family[f];
  const sup_level  *level = &family->level[i];
  const sup_curve  *curve = sup_study_curve(study, f, q);
  int               k = sup_curve_find(curve, i);
  char              text[3][FIELD_SIZE];
  if (k == SUP_NONE) {
    printf("  %-*s %5d %11.4g %10s\n", name_width(study), family->name, i + 1, level->h,
           level->status == SUP_LEVEL_FAILED ? "failed" : "-");
    return;
  }
  printf("  %-*s %5d %11.4g %10.0f %14s %10s %6s %9.2f %11.0f\n", name_width(study), family->name,
         i + 1, level->h, level->unknowns, shown(text[0], level->value[q], 8, ""),
         shown_error(text[1], &study->quantity[q], curve, k),
         shown(text[2], sup_curve_order(curve, k), 3, ""), level->wall, level->memory / SUP_MEGA);
}

static void print_limit(const sup_study *study, int f, int q) {
  const sup_curve *curve = sup_study_curve(study, f, q);
  const char      *name = study->family[f].name;
  char             limit[FIELD_SIZE], gci[FIELD_SIZE];
  if (curve->num_levels > 0 && isfinite(curve->convergence.extrapolated))
    printf("  %s%sRichardson value %s, GCI of the finest level %s\n", name, name[0] ? ": " : "",
           shown(limit, curve->convergence.extrapolated, 8, ""),
           shown(gci, 100 * curve->convergence.gci, 3, " %"));
  printf("  %s%s%s\n", name, name[0] ? ": " : "", curve->verdict);
}

static void print_tables(const sup_study *study) {
  for (int q = 0; q < study->num_quantities; q++) {
    print_heading(study, &study->quantity[q]);
    for (int f = 0; f < study->num_families; f++)
      for (int i = 0; i < study->family[f].num_levels; i++) print_level(study, f, q, i);
    for (int f = 0; f < study->num_families; f++) print_limit(study, f, q);
    if (study->comparison[q][0]) printf("  %s\n", study->comparison[q]);
  }
}

/** Print the levels that would run, with their memory. */
static void print_plan(const sup_study *study) {
  char name[2 * SUP_NAME_MAX];
  for (int f = 0; f < study->num_families; f++)
    for (int i = 0; i < study->family[f].num_levels; i++) {
      const sup_level *level = &study->family[f].level[i];
      sup_level_name(study, &study->family[f], i, name);
      printf("%-20s h %.4g %s, about %.0f MB:", name, level->h, study->size_unit,
             level->need / SUP_MEGA);
      for (int k = 0; k < level->num_sets; k++) printf(" %s", level->set[k]);
      printf("\n");
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static void print_start(const sup_study *study, const sup_level_runner *schedule) {
  fprintf(stderr, "supple converge: %s: %s %s, ", study->title, study->is_static ? "static" : "run",
          study->scene);
  if (schedule->perform)
    fprintf(stderr, "each on %d ranks -> %s\n", sup_app_ranks()->size, schedule->folder);
  else
    fprintf(stderr, "%d at a time -> %s\n", schedule->jobs, schedule->folder);
}

static double memory_of(const converge_options *o) {
  return o->memory > 0 ? SUP_MEGA * o->memory : sup_app_memory();
}

/** Tables and files of ladders that have run.  @return exit code */
static int run_ladders(sup_study *study, sup_level_runner *schedule, const converge_options *o) {
  sup_status status = sup_app_run_levels(study, schedule, o->quiet);
  if (status == SUP_E_INTERRUPTED) return sup_app_interrupted_code(study, "levels");
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  sup_study_analyse(study);
  status = sup_study_write(study, schedule->folder);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  print_tables(study);
  fflush(stdout);
  if (!o->no_plot)
    sup_app_plot("plot_convergence.py", schedule->folder, "convergence.png", o->quiet);
  int num_warnings = sup_app_print_warnings(study), code = sup_app_failed_code(study);
  return code == SUP_EXIT_OK && o->strict && num_warnings > 0 ? SUP_EXIT_WARNINGS : code;
}

static int run_budget(const sup_study *study, sup_level_runner *schedule,
                      const converge_options *o) {
  int num_warnings, code = sup_app_budget(study, schedule, &num_warnings, o->quiet, o->verbose);
  if (code == SUP_EXIT_OK && !o->no_plot)
    sup_app_plot("plot_budget.py", schedule->folder, "budget.png", o->quiet);
  return code == SUP_EXIT_OK && o->strict && num_warnings > 0 ? SUP_EXIT_WARNINGS : code;
}

static int run_levels(sup_study *study, const converge_options *o, const char *program) {
  char folder[SUP_STUDY_PATH_SIZE];
  snprintf(folder, sizeof folder, "%s%.3800s", o->folder ? "" : "out/",
           o->folder ? o->folder : study->name);
  sup_level_runner schedule = {.program = program, .folder = folder};
  schedule.jobs = o->jobs ? o->jobs : sup_app_jobs(study->threads);
  sup_app_level_ranks(&schedule);
  schedule.memory = memory_of(o);
  if (!o->quiet) print_start(study, &schedule);
  int code =
      study->budget.is_given ? run_budget(study, &schedule, o) : run_ladders(study, &schedule, o);
  if (!o->quiet && code != SUP_EXIT_INPUT && code != SUP_EXIT_INTERRUPTED)
    fprintf(stderr, "results: %s\n", folder);
  return code;
}

static int run_study(const converge_options *o) {
  char       program[SUP_STUDY_PATH_SIZE];
  sup_study *study;
  if (!sup_app_find_program(program)) return SUP_EXIT_FILE;
  int code = sup_app_load_study(&study, o->study, SUP_STUDY_CONVERGE, o->check, o->verbose);
  if (code != SUP_NONE) return code;
  code = SUP_EXIT_OK;
  study->num_ranks = sup_app_ranks() ? sup_app_ranks()->size : 1;
  sup_status status = sup_study_prepare(study, program);
  if (status != SUP_OK)
    code = sup_app_report(status, o->verbose);
  else if (o->check && study->budget.is_given)
    code = sup_app_budget_check(study, program, memory_of(o), o->verbose);
  else if (o->check)
    print_plan(study);
  else
    code = run_levels(study, o, program);
  sup_study_destroy(&study);
  return code;
}

/** Rank 0 has the study. */
static int run_on_ranks(const converge_options *o) {
  if (!sup_app_ranks()) return run_study(o);
  if (!sup_is_first_rank(sup_app_ranks())) return sup_app_serve_rank();
  int code = run_study(o);
  sup_app_release_ranks();
  return code;
}

int sup_app_converge(int argc, char **argv) {
  static const char usage[] =
      "usage: supple converge STUDY.yaml [options]\n\n"
      "Run a scene on ladders of refined levels and estimate the error of its numbers: observed "
      "orders,\n"
      "Richardson's value, grid convergence index, a verdict in words.  Each level is a run of "
      "its own in DIR/level_NN\n"
      "(DIR/FAMILY/level_NN).  A study with a 'budget' gives the parts of each number's error by "
      "mesh, step and\n"
      "contact layer in estimate.csv, estimate.json, budget.png.  Complete levels with equal "
      "inputs are not run again:\n"
      "an interrupted study is resumed.  Results: convergence.csv, convergence.json, "
      "convergence.png.\n"
      "Under mpiexec all ranks do each level together, one after the other.\n\n";
  converge_options o = {0};
  const app_option options[] = {
      APP_TEXT("-o, --output", &o.folder, "folder for the results (default: out/<study name>)",
               "DIR"),
      APP_COUNT("-j, --jobs", &o.jobs,
                "levels at a time (default: one a core), fewer where memory does not suffice", "N"),
      APP_NUMBER("--memory", &o.memory,
                 "for all levels that run at a time (default: 80 % of what is available)", "MB"),
      APP_FLAG("--no-plot", &o.no_plot, "numbers only"),
      APP_FLAG("--check", &o.check, "read everything, list the levels; stop"),
      APP_FLAG("--strict", &o.strict, "exit code 5 when a level ends with a WARN line"),
      APP_FLAG("-q, --quiet", &o.quiet, "print the tables, errors and WARN lines only"),
      APP_FLAG("-v, --verbose", &o.verbose, "source lines of errors")};
  enum { NUM_OPTIONS = sizeof options / sizeof *options };
  static const app_help help = {
      usage,
      "\n"
      "Exit codes: 0 done, 1 a level failed or its result is void, 2 bad input, 3 file trouble, "
      "4 interrupted,\n"
      "5 WARN lines with --strict.\n",
      "converge examples/studies/cantilever.yaml -o out/cantilever"};
  int code = app_parse_command(argc, argv, &help, options, NUM_OPTIONS, &o.study);
  if (code != SUP_NONE) return code;
  if (o.jobs < 0) {
    fprintf(stderr, "supple converge: found %d for --jobs, expected 1 or more\n", o.jobs);
    return SUP_EXIT_INPUT;
  }
  if (o.jobs > 1 && sup_app_ranks()) {
    fprintf(stderr,
            "supple converge: found %d for --jobs, and all ranks do each level together, one after "
            "the other: drop it, or start it without mpiexec\n",
            o.jobs);
    return SUP_EXIT_INPUT;
  }
  if (o.study) return run_on_ranks(&o);
  fprintf(stderr,
          "supple converge: a study is missing, expected supple converge STUDY.yaml (--help tells "
          "more)\n");
  return SUP_EXIT_INPUT;
}
