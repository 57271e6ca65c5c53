/* supple optimize */
#include <math.h>
#include <stdio.h>

#include "app/app.h"
#include "app/script.h"
#include "app/study/command.h"
#include "study/optimize/optimize.h"

enum { TEXT_SIZE = SUP_VERDICT_SIZE };

static void print_plan(const sup_study *study) {
  const sup_optimize *o = study->optimize;
  char                text[TEXT_SIZE];
  sup_optimize_name(study, text, sizeof text);
  printf("%s %s\n", o->is_greatest ? "maximize" : "minimize", text);
  for (int k = 0; k < o->num_requirements; k++) {
    const sup_requirement *l = &o->requirement[k];
    sup_requirement_name(study, k, text, sizeof text);
    printf("%s %g%s%s\n", text, l->given, l->is_of_start ? " of that at the first start" : " ",
           l->is_of_start ? "" : study->quantity[l->quantity].unit);
  }
  for (int p = 0; p < study->num_parameters; p++) {
    const sup_parameter *parameter = &study->parameter[p];
    printf("%s from %.6g to %.6g %s, begins at", parameter->name, parameter->low, parameter->high,
           parameter->unit);
    for (int i = 0; i < o->num_starts; i++) printf(" %.6g", o->start[i].x[p]);
    printf(", width %.3g\n", parameter->width);
  }
}

static void tell(const sup_study *study, int index) {
  const sup_response *r = &study->optimize->responses.list[index];
  if (!r->is_there)
    fprintf(stderr, "evaluation %d: none, the step is shortened: %s\n", index + 1, r->message);
  else
    fprintf(stderr, "evaluation %d: %.8g %s, violation %.2g\n", index + 1,
            sup_optimize_objective(study, r), sup_optimize_unit(study),
            sup_optimize_violation(study, r));
}

/** Runs are told by their evaluation. */
static void tell_no_run(const sup_study *study, const sup_family *family, int level, void *user) {
  (void)study, (void)family, (void)level, (void)user;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static double change(double from, double to) {
  return from != 0 ? 100 * (to - from) / fabs(from) : SUP_NO_NUMBER;
}

static void print_starts(const sup_study *study) {
  const sup_optimize *o = study->optimize;
  printf("%-6s %11s %6s %16s %10s\n", "start", "evaluations", "rounds", "objective", "violation");
  for (int i = 0; i < o->num_starts; i++) {
    const sup_start    *start = &o->start[i];
    const sup_response *best = start->best == SUP_NONE ? NULL : &o->responses.list[start->best];
    printf("%-6d %11d %6d", i + 1, start->report.evaluations, start->report.rounds);
    if (best)
      printf(" %16.9g %10.2g", sup_optimize_objective(study, best),
             sup_optimize_violation(study, best));
    else
      printf(" %16s %10.2g", "none feasible", start->report.violation);
    printf("  %s\n", sup_optimizer_end_text(start->report.end));
  }
}

static void print_best(const sup_study *study) {
  const sup_optimize *o = study->optimize;
  const sup_response *first = &o->responses.list[0], *best = &o->responses.list[o->best];
  printf("\n%-16s %14s %14s %10s %10s\n", "parameter", "start", "best", "from", "to");
  for (int p = 0; p < study->num_parameters; p++) {
    const sup_parameter *parameter = &study->parameter[p];
    double               way = fmin(best->x[p] - parameter->low, parameter->high - best->x[p]);
    bool                 is_bound = way <= o->tolerance * (parameter->high - parameter->low);
    printf("%-16s %14.7g %14.7g %10.5g %10.5g %s%s\n", parameter->name, o->start[0].x[p],
           best->x[p], parameter->low, parameter->high, parameter->unit,
           is_bound ? "  at its bound" : "");
  }
  printf("\n%-16s %14s %14s %9s\n", "quantity", "start", "best", "change");
  for (int q = 0; q < study->num_quantities; q++)
    printf("%-16s %14.8g %14.8g %+8.3f%% %s\n", study->quantity[q].name, first->value[q],
           best->value[q], change(first->value[q], best->value[q]), study->quantity[q].unit);
}

static void print_result(const sup_study *study) {
  const sup_optimize *o = study->optimize;
  char                name[TEXT_SIZE];
  const char         *reason = "";
  int                 failed = 0;
  sup_optimize_name(study, name, sizeof name);
  for (int i = 0; i < o->responses.num; i++)
    if (!o->responses.list[i].is_there) failed++, reason = o->responses.list[i].message;
  print_starts(study);
  if (o->best != SUP_NONE) print_best(study);
  printf("\n%d evaluations, %d of them without a value, %d runs\n", o->responses.num, failed,
         o->responses.runs);
  if (failed) printf("the last without a value: %s\n", reason);
  if (o->best == SUP_NONE)
    printf("NO FEASIBLE SCENE: the least violations are above; more evaluations or other starts\n");
  else
    printf("%s %.9g %s by evaluation %d\n", name,
           sup_optimize_objective(study, &o->responses.list[o->best]), sup_optimize_unit(study),
           o->best + 1);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int finish(const sup_study *study, const sup_study_options *o, const char *folder) {
  sup_status status = sup_optimize_write(study, folder);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  print_result(study);
  fflush(stdout);
  if (!o->no_plot) sup_app_plot("plot_optimize.py", folder, "optimize.png", o->quiet);
  if (!o->quiet) fprintf(stderr, "results: %s\n", folder);
  return study->optimize->best == SUP_NONE ? SUP_EXIT_SOLVER : sup_app_failed_code(study);
}

static int run_search(sup_study *study, sup_level_runner *runner, const sup_study_options *o) {
  sup_watcher watcher;
  if (!o->quiet)
    fprintf(stderr, "supple optimize: %s: %d parameters, %d starts, %d runs at a time -> %s\n",
            study->title, study->num_parameters, study->optimize->num_starts, runner->jobs,
            runner->folder);
  sup_app_watch_levels(runner, &watcher, 1);
  runner->tell = tell_no_run;
  study->optimize->tell = o->quiet ? NULL : tell;
  sup_status status = sup_optimize_run(study, runner);
  if (status == SUP_E_INTERRUPTED) return sup_app_interrupted_code(study, "runs of an evaluation");
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  return finish(study, o, runner->folder);
}

int sup_app_optimize(int argc, char **argv) {
  static const sup_study_command command = {
      .name = "optimize",
      .kind = SUP_STUDY_OPTIMIZE,
      .help =
          "Parameters of a scene with the best of its numbers (`supple help study optimize`), "
          "under "
          "bounds and\n"
          "constraints, from one start or several, by NLopt with derivatives by differences of "
          "whole "
          "runs.  A scene\n"
          "that cannot be run shortens the step.  Results: tables; DIR/optimize.csv, a row for "
          "each "
          "evaluation,\n"
          "optimize.json, optimize.png, and the run of the best scene in DIR/best.  The same "
          "command "
          "goes on with an\n"
          "interrupted search.",
      .codes = "0 done, 1 no feasible scene, 2 bad input, 3 file trouble, 4 interrupted.",
      .example = "optimize examples/studies/finray_optimize.yaml -o out/optimize",
      .check = "read the study and its scene, list objective, constraints and starts; stop",
      .print_plan = print_plan,
      .run = run_search};
  return sup_app_study_main(argc, argv, &command);
}
