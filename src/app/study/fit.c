/* supple fit */
#include <math.h>
#include <stdio.h>

#include "app/app.h"
#include "app/script.h"
#include "app/study/command.h"
#include "study/fit/fit.h"

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

static int finish(const sup_study *study, const sup_study_options *o, const char *folder) {
  sup_status status = sup_fit_write(study, folder);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  print_result(study);
  fflush(stdout);
  if (!o->no_plot) sup_app_plot("plot_fit.py", folder, "fit.png", o->quiet);
  if (!o->quiet) fprintf(stderr, "results: %s\n", folder);
  return study->fit->is_converged ? SUP_EXIT_OK : SUP_EXIT_SOLVER;
}

static int run_rounds(sup_study *study, sup_level_runner *runner, const sup_study_options *o) {
  sup_watcher watcher;
  if (!o->quiet)
    fprintf(stderr, "supple fit: %s: %d parameters, %d points, %d runs at a time -> %s\n",
            study->title, study->num_parameters, study->fit->num_points, runner->jobs,
            runner->folder);
  sup_app_watch_levels(runner, &watcher, o->quiet);
  sup_status status = sup_fit_run(study, runner);
  if (status == SUP_E_INTERRUPTED) return sup_app_interrupted_code(study, "runs of a round");
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  return finish(study, o, runner->folder);
}

int sup_app_fit(int argc, char **argv) {
  static const sup_study_command command = {
      .name = "fit",
      .kind = SUP_STUDY_FIT,
      .help =
          "Fit parameters of a scene to measured curves (`supple help study fit`): bounded "
          "Gauss-Newton with derivatives\n"
          "by differences of whole runs.  Intervals of 95 %, correlations, parameters that the "
          "data leave open, residuals,\n"
          "errors of held-back curves.  Results: a table; DIR/fit.csv, residuals.csv, fit.json, "
          "fit.png.  The same command\n"
          "goes on with an interrupted fit.",
      .codes = "0 done, 1 not converged, 2 bad input, 3 file trouble, 4 interrupted.",
      .example = "fit examples/studies/finray_fit.yaml -o out/fit",
      .check = "read study, scene and curves, list them; stop",
      .print_plan = print_plan,
      .run = run_rounds};
  return sup_app_study_main(argc, argv, &command);
}
