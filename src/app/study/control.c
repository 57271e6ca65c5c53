/* supple control */
#include <math.h>
#include <stdio.h>

#include "app/app.h"
#include "app/script.h"
#include "app/signals.h"
#include "app/study/command.h"
#include "scene/scene.h"
#include "study/control/control.h"

static void print_plan(const sup_study *study) {
  const sup_control_study *c = study->control;
  char                     name[3 * SUP_NAME_MAX];
  printf("%d steps of %g s, %d controls, %d terms of the cost\n", c->num_steps,
         c->scene->options.dt, c->num_controls, c->num_terms);
  for (int i = 0; i < c->num_controls; i++) {
    sup_control_name(c, i, name);
    printf("%s from %g to %g\n", name, c->low[i], c->high[i]);
  }
  for (int i = 0; i < c->num_terms; i++)
    printf("%s to %g, weight %g, at the end %g\n", c->term_name[i], c->terms[i].target,
           c->terms[i].weight, c->terms[i].final);
}

static int show(void *user, const sup_control_study *c, const sup_ilqr_report *report,
                double alpha) {
  const sup_study_options *o = user;
  if (!o->quiet)
    fprintf(stderr, "iteration %3d: cost %.6g, step %.3g\n", c->num_iterations, report->cost,
            alpha);
  return sup_app_interrupted;
}

static void print_result(const sup_control_study *c) {
  static const char *const reasons[] = {"converged", "NOT CONVERGED: more iterations",
                                        "stalled: no step decreases the cost"};
  double                   rollout = c->seconds_rollouts / c->num_rollouts,
         linearisation = c->seconds_derivatives / c->num_linearisations;
  printf("%-20s %12s %12s %12s\n", "term", "start", "end", "target");
  for (int i = 0; i < c->num_terms; i++)
    if (c->terms[i].kind != SUP_COST_VELOCITY)
      printf("%-20s %12.5g %12.5g %12.5g\n", c->term_name[i], c->y[i],
             c->y[c->num_steps * c->num_terms + i], c->terms[i].target);
  printf("\ncost %.6g -> %.6g in %d iterations; %s\n", c->first, c->cost, c->num_iterations,
         reasons[c->report.reason]);
  printf("%d rollouts of %.3g ms, %d linearisations of %.3g ms: %.2g rollouts each\n",
         c->num_rollouts, 1e3 * rollout, c->num_linearisations, 1e3 * linearisation,
         linearisation / rollout);
}

/** Files of a run with the controls that were found: FOLDER/run. */
static sup_status write_run(const sup_study *study, const char *folder) {
  const sup_control_study *c = study->control;
  const sup_scene         *scene = c->scene;
  SUP_OWN(sup_output)     *output = NULL;
  SUP_OWN(sup_state)      *state = NULL;
  SUP_OWN(sup_stepper)    *stepper = NULL;
  SUP_OWN(sup_transition) *transition = NULL;
  sup_step_report          report;
  char                     path[SUP_STUDY_PATH_SIZE];
  snprintf(path, sizeof path, "%.3900s/run", folder);
  SUP_TRY(
      sup_output_create(&output, c->model, &scene->options, path, &scene->output, scene->title));
  SUP_TRY(sup_stepper_create(&stepper, c->model, &scene->options));
  SUP_TRY(sup_state_create(&state, c->model, &scene->options));
  SUP_TRY(
      sup_transition_create(&transition, c->model, &scene->options, c->controls, c->num_controls));
  SUP_TRY(sup_output_initial(output, state, NULL));
  for (int k = 0; k < c->num_steps; k++) {
    SUP_TRY(sup_transition_set(transition, c->u + k * c->num_controls, state));
    SUP_TRY(sup_step(stepper, state, &report));
    SUP_TRY(sup_output_step(output, state, sup_stepper_result(stepper), &report));
  }
  SUP_TRY(
      sup_output_finish(output, state, sup_stepper_result(stepper), SUP_OUTCOME_COMPLETED, NULL));
  return SUP_OK;
}

static int finish(const sup_study *study, const sup_study_options *o, const char *folder) {
  sup_status status = sup_control_write(study, folder);
  if (status == SUP_OK) status = write_run(study, folder);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  print_result(study->control);
  fflush(stdout);
  if (!o->no_plot) sup_app_plot("plot_control.py", folder, "control.png", o->quiet);
  if (!o->quiet) fprintf(stderr, "results: %s\n", folder);
  return study->control->report.reason == SUP_ILQR_ITERATIONS ? SUP_EXIT_SOLVER : SUP_EXIT_OK;
}

static int optimise(sup_study *study, sup_level_runner *runner, const sup_study_options *o) {
  const sup_control_study *c = study->control;
  if (!o->quiet)
    fprintf(stderr, "supple control: %s: %d steps, %d controls, %d threads -> %s\n", study->title,
            c->num_steps, c->num_controls, runner->jobs, runner->folder);
  sup_app_catch_signals(1);
  sup_status status = sup_control_run(study, runner->jobs, show, (void *)o);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  return finish(study, o, runner->folder);
}

int sup_app_control(int argc, char **argv) {
  static const sup_study_command command = {
      .name = "control",
      .kind = SUP_STUDY_CONTROL,
      .help =
          "Controls of robots that minimise a cost (`supple help study control`), by iLQR: steps "
          "are linearised through\n"
          "contact, efforts stay within their limits, and the horizon may recede.  Results: a "
          "table; DIR/control.csv,\n"
          "iterations.csv, gains.csv, control.json, control.png; DIR/run has the files of a run "
          "with the controls found.",
      .codes = "0 done, 1 not converged, 2 bad input, 3 file trouble, 4 interrupted.",
      .example = "control examples/studies/gen3_ball_side.yaml -o out/control",
      .check = "read study and scene, list controls and cost; stop",
      .print_plan = print_plan,
      .run = optimise};
  return sup_app_study_main(argc, argv, &command);
}
