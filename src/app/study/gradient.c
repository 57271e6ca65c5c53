/* supple gradient */
#include <math.h>

#include "app/app.h"
#include "app/script.h"
#include "app/study/point_run.h"
#include "study/gradient/levels.h"
#include "study/gradient/verify.h"
#include "study/ladder.h"

static void print_plan(const sup_study *study) {
  const sup_family *family = &study->family[0];
  for (int i = 0; i < study->gradient.ladder.num_levels; i++)
    printf("level %d: %s\n", i + 1, study->gradient.ladder.level[i].label);
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

/** Order, error bar and verdict of each slope of a quantity on the ladder. */
static void print_ladder(const sup_study *study, int q) {
  const sup_family *ladder = &study->gradient.ladder;
  char              text[3][32];
  printf("  %d levels, %s %.4g to %.4g %s\n", ladder->num_levels, sup_size_name(study->size),
         ladder->level[0].h, ladder->level[ladder->num_levels - 1].h, study->size_unit);
  printf("  %-16s %16s %9s %14s\n", "parameter", "limit", "order", "error bar");
  for (int p = 0; p < study->num_parameters; p++) {
    const sup_curve *curve = sup_gradient_curve(study, q, p);
    bool             is_there = curve->num_levels > 0;
    printf("  %-16s %16s %9s %14s  %s\n", study->parameter[p].name,
           shown(text[0], is_there ? curve->convergence.extrapolated : SUP_NO_NUMBER, 9),
           shown(text[1], sup_curve_order(curve, curve->num_levels - 1), 3),
           shown(text[2], is_there ? curve->convergence.band : SUP_NO_NUMBER, 3), curve->verdict);
  }
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
    if (study->gradient.curve) print_ladder(study, q);
  }
}

static int finish(const sup_gradient_levels *levels, const sup_study_options *o,
                  const char *folder) {
  const sup_study *study = levels->study[levels->num - 1];
  sup_status       status = sup_gradient_levels_judge(levels);
  if (status == SUP_OK) status = sup_gradient_write(study, folder);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  print_tables(study);
  fflush(stdout);
  if (!o->no_plot) sup_app_plot("plot_gradient.py", folder, "gradient.png", o->quiet);
  if (!o->quiet) fprintf(stderr, "results: %s\n", folder);
  for (int i = 0; i + 1 < levels->num; i++)
    if (sup_app_failed_code(levels->study[i])) return sup_app_failed_code(levels->study[i]);
  return sup_app_failed_code(study);
}

/** Memory of the adjoint of a run. */
static void tell_memory(const sup_study *study) {
  const sup_gradient *g = &study->gradient;
  if (!(g->records[0] > 0)) return;
  fprintf(stderr, "supple gradient: %.1f MB, of which records %.1f MB",
          study->family[0].level[0].memory / SUP_MEGA, g->records[0] / SUP_MEGA);
  if (g->interval > 1)
    fprintf(stderr, ", of all steps %.1f MB: each %d steps are run again from a state",
            g->records[1] / SUP_MEGA, g->interval);
  fprintf(stderr, "\n");
}

/** Derivatives by the adjoint, or differences where it has not all and the choice is left. */
static sup_status choose_method(sup_study *study, const sup_level_runner *runner,
                                const sup_study_options *o) {
  sup_app_point_run run;
  if (!sup_gradient_wants_adjoint(study)) return SUP_OK;
  study->gradient.memory = runner->memory;
  sup_app_point_run_begin(&run, study, runner);
  sup_status status = sup_gradient_run_adjoint(study, &run.files);
  if (status == SUP_OK) {
    sup_ladder_keep(&study->family[0], 1);
    SUP_TRY(sup_app_point_run_end(&run));
    if (!o->quiet) tell_memory(study);
  } else if (study->gradient.method == SUP_GRADIENT_AUTO && status != SUP_E_MEMORY) {
    if (!o->quiet) fprintf(stderr, "supple gradient: differences: %s\n", sup_error_message());
    status = SUP_OK;
  }
  return status;
}

static void print_checks(const sup_study *study, const sup_gradient_checks *checks) {
  char text[32];
  printf("%-18s %-16s %-18s %12s %12s\n", "check", "quantity", "by", "value", "bound");
  for (int i = 0; i < checks->count; i++) {
    const sup_gradient_check *row = &checks->row[i];
    snprintf(text, sizeof text, "exact");
    if (isfinite(row->value)) snprintf(text, sizeof text, "%.3g", row->value);
    printf("%-18s %-16s %-18s %12s %10s%g%s\n", row->name, study->quantity[row->quantity].name,
           row->on, text, row->is_most ? "<= " : ">= ", row->bound, row->holds ? "" : "  FAILS");
  }
  for (int s = 0; s < SUP_NUM_SCALES; s++)
    if (checks->missing[s][0])
      printf("%s: not checked; it needs as parameters, too: %s\n", sup_scale_name((sup_scale)s),
             checks->missing[s]);
  printf("%d of %d checks fail\n", checks->num_broken, checks->count);
}

/** Checks without a reference.  @return 1: one fails */
static int verify(sup_study *study, const sup_study_options *o, const char *folder) {
  sup_gradient_checks checks;
  sup_status          status = sup_gradient_verify(study, &checks);
  if (status == SUP_OK) status = sup_gradient_checks_write(study, &checks, folder);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  print_checks(study, &checks);
  int code = checks.num_broken > 0 ? SUP_EXIT_SOLVER : SUP_EXIT_OK;
  sup_gradient_checks_free(&checks);
  if (!o->quiet) fprintf(stderr, "results: %s\n", folder);
  return code;
}

/** Run the cases of one level, or find its slopes without.  @return exit code of a failure */
static int run_level(sup_study *study, sup_level_runner *runner, const sup_study_options *o) {
  sup_status chosen = choose_method(study, runner, o);
  if (chosen != SUP_OK) return sup_app_report(chosen, o->verbose);
  if (!o->quiet)
    fprintf(stderr, "supple gradient: %s: %d cases of %s %s, %d at a time -> %s\n", study->title,
            study->family[0].num_levels, study->is_static ? "static" : "run", study->scene,
            runner->jobs, runner->folder);
  sup_status status = sup_app_run_levels(study, runner, o->quiet);
  if (status == SUP_E_INTERRUPTED) return sup_app_interrupted_code(study, "cases");
  return status == SUP_OK ? SUP_EXIT_OK : sup_app_report(status, o->verbose);
}

static int run_levels(const sup_gradient_levels *levels, const sup_level_runner *runner,
                      const sup_study_options *o) {
  char folder[SUP_STUDY_PATH_SIZE];
  for (int i = 0; i < levels->num; i++) {
    sup_level_runner own = *runner;
    snprintf(folder, sizeof folder, "%.3900s/level_%02d", runner->folder, i + 1);
    if (i + 1 < levels->num) own.folder = folder;
    int code = run_level(levels->study[i], &own, o);
    if (code != SUP_EXIT_OK) return code;
    if (i + 1 == levels->num) break;
    sup_status status = sup_gradient_write(levels->study[i], own.folder);
    if (status != SUP_OK) return sup_app_report(status, o->verbose);
  }
  return finish(levels, o, runner->folder);
}

static int run_cases(sup_study *study, sup_level_runner *runner, const sup_study_options *o) {
  sup_gradient_levels levels;
  if (o->verify) return verify(study, o, runner->folder);
  sup_status status = sup_gradient_levels_create(&levels, study, runner->program);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  int code = run_levels(&levels, runner, o);
  sup_gradient_levels_free(&levels);
  return code;
}

int sup_app_gradient(int argc, char **argv) {
  static const sup_study_command command = {
      .name = "gradient",
      .kind = SUP_STUDY_GRADIENT,
      .help =
          "Derivatives of a scene's numbers by its parameters (`supple help study parameters`): by "
          "the adjoint or tangent\n"
          "of its load steps, or by central differences of whole runs with three widths each, on "
          "all "
          "cores.  Slopes of two sides or widths that "
          "differ are a kink,\n"
          "which is told with the change of steps and contacts beside it.  Results: a table; "
          "DIR/gradient.csv,\n"
          "gradient.json, gradient.png.  The same command resumes a study: finished cases with "
          "equal inputs are not run\n"
          "again.",
      .codes =
          "0 done, 1 a case or a check failed or a result is void, 2 bad input, 3 file trouble, 4 "
          "interrupted.",
      .example = "gradient examples/studies/finray_gradient.yaml -o out/gradient",
      .check = "read the study and its scene, list the parameters; stop",
      .verify =
          "check adjoint against tangent, both by remainders of Taylor's formula and by scales; "
          "stop",
      .print_plan = print_plan,
      .run = run_cases};
  return sup_app_study_main(argc, argv, &command);
}
