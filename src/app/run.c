/* supple run */
#include "app/check.h"
#include "app/ranks.h"
#include "app/signals.h"
#include "app/simulation.h"
#include "app/study/estimate.h"

static void simulate(sup_simulation *s, sup_progress *progress) {
  sup_step_report report;
  while (sup_simulation_goes_on(s)) {
    if (sup_simulation_step(s, &report) != SUP_OK) {
      sup_app_fail_together(&s->failure);
      sup_checkpoints_write(s);
      sup_simulation_write_failed_step(s, &report);
      return;
    }
    sup_status status =
        sup_output_step(s->output, s->state, sup_stepper_result(s->stepper), &report);
    if (status != SUP_OK) {
      sup_app_record_failure(&s->failure, status);
      return;
    }
    sup_checkpoints_step(s);
    if (!s->options.verbose)
      sup_progress_step(progress, s->state->time, &report);
    else if (!s->options.quiet)
      fprintf(stderr,
              "step %ld  t %.6g s  %s %d  contacts %d  momentum error %.2g  penetration %.3g mm  "
              "length %.3g s\n",
              s->state->step, s->state->time, progress->solver, report.iterations,
              report.num_contacts, report.momentum_error, 1e3 * report.penetration_max,
              report.step_size);
  }
  if (!sup_simulation_is_over(s)) sup_checkpoints_write(s);
}

static int run(sup_simulation *s, int argc, char **argv) {
  sup_progress progress;
  char         what[100];
  int          quiet = s->options.quiet;
  if (s->options.check) return sup_app_check(s, 0);
  if (sup_simulation_open(s) != SUP_OK) return sup_simulation_finish(s, SUP_OUTCOME_FAILED, NULL);
  sup_app_catch_signals(1);
  sup_simulation_warn_of_size(s);
  sup_progress_begin(&progress, quiet ? NULL : stderr, s->state->time, s->scene->end_time,
                     s->scene->options.contact_solver);
  if (sup_simulation_open_output(s, argc, argv) != SUP_OK)
    return sup_simulation_finish(s, SUP_OUTCOME_FAILED, NULL);
  if (!quiet) sup_simulation_banner(s, sup_simulation_steps(s, what, sizeof what));
  simulate(s, &progress);
  int code = sup_simulation_finish(s, sup_simulation_outcome(s), &progress);
  if (code == SUP_EXIT_INTERRUPTED)
    fprintf(stderr, "supple: interrupted at %g s; everything up to there was written\n",
            s->state->time);
  if (!sup_simulation_is_over(s)) sup_simulation_print_resume(s);
  if (!quiet) fprintf(stderr, "results: %s\n", s->folder);
  return code;
}

int sup_app_run(int argc, char **argv) {
  static const char usage[] =
      "Simulate a scene.  The results open in ParaView (DIR/vtk/*.vtk.series) and as tables "
      "(DIR/*.csv).\n"
      "Ctrl-C ends the run after the present step, with all results written; twice: at "
      "once.\n" SUP_APP_ESTIMATE_USAGE;
  const char *example = "run examples/finray_press.yaml -o out/press --set time.step=5e-3";
  return sup_app_run_with_estimate(0, usage, example, run, argc, argv);
}
