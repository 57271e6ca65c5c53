#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/check.h"
#include "app/progress.h"
#include "app/run_options.h"
#include "app/version.h"
#include "output/output.h"
#include "scene/scene.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
  (void)number;
  interrupted = 1;
}

/** Everything one simulation owns. */
typedef struct simulation {
  sup_run_options options;
  sup_scene      *scene;
  sup_model      *model;
  sup_state      *state;
  sup_stepper    *stepper;
  sup_output     *output;
  sup_progress    progress;
  char            folder[4096];
} simulation;

static void close_simulation(simulation *s) {
  sup_output_destroy(&s->output);
  sup_stepper_destroy(&s->stepper);
  sup_state_destroy(&s->state);
  sup_model_destroy(&s->model);
  sup_scene_destroy(&s->scene);
}

static sup_status open_simulation(simulation *s) {
  SUP_TRY(sup_scene_load(&s->scene, s->options.scene, s->options.sets.word, s->options.sets.count));
  SUP_TRY(sup_model_create(&s->model, &s->scene->model));
  SUP_TRY(sup_state_create(&s->state, s->model));
  int threads = s->options.threads ? s->options.threads : s->scene->threads,
      useful = s->model->num_softs > 1 ? s->model->num_softs : 1;
  if (threads == 0) threads = useful < omp_get_num_procs() ? useful : omp_get_num_procs();
  omp_set_num_threads(threads);
  return SUP_OK;
}

static sup_status open_output(simulation *s, int argc, char **argv) {
  const char *folder = s->options.folder;
  if (folder)
    snprintf(s->folder, sizeof s->folder, "%s", folder);
  else
    snprintf(s->folder, sizeof s->folder, "out/%s", s->scene->name);
  SUP_TRY(sup_stepper_create(&s->stepper, s->model));
  SUP_TRY(sup_output_create(&s->output, s->model, s->folder, &s->scene->output, s->scene->title));
  char path[4200];
  snprintf(path, sizeof path, "%s/resolved.yaml", s->folder);
  SUP_TRY(sup_scene_write_resolved(s->scene, path));
  sup_manifest_def manifest = {.argc = argc,
                               .argv = (const char *const *)argv,
                               .version = sup_app_version_text(),
                               .compiler = sup_app_compiler_text(),
                               .threads = omp_get_max_threads(),
                               .num_libraries = SUP_NUM_LIBRARIES,
                               .library = sup_app_libraries(),
                               .num_inputs = s->scene->num_inputs,
                               .input = (const char *const *)s->scene->input};
  SUP_TRY(sup_output_manifest(s->output, &manifest));
  return sup_output_initial(s->output, s->state, NULL);
}

static sup_status simulate(simulation *s) {
  sup_step_report report;
  long            last = (long)(s->scene->end_time / s->model->options.dt + 0.5);
  while (s->state->step < last && !interrupted) {
    sup_status status = sup_step(s->stepper, s->state, &report);
    if (status != SUP_OK) {
      char message[1024]; /* writing the failed state must not lose the reason */
      snprintf(message, sizeof message, "%s", sup_error_message());
      sup_status written = sup_output_failed_step(s->output, s->state, NULL, &report);
      if (written != SUP_OK)
        fprintf(stderr, "supple: warning: the failed step could not be written: %s\n", sup_error_message());
      return SUP_FAIL(status, "%s", message);
    }
    SUP_TRY(sup_output_step(s->output, s->state, sup_stepper_result(s->stepper), &report));
    sup_progress_step(&s->progress, s->state->time, &report);
    if (s->options.verbose)
      fprintf(stderr, "step %ld t %.4f s newton %d contacts %d momentum error %.2g\n", s->state->step, s->state->time,
              report.iterations, report.num_contacts, report.momentum_error);
  }
  return SUP_OK;
}

static int run(simulation *s, int argc, char **argv) {
  int        verbose = s->options.verbose;
  sup_status status = open_simulation(s);
  if (status != SUP_OK) return sup_app_report(status, verbose);
  if (s->options.check) {
    status = sup_output_check(s->model, &s->scene->output);
    if (status == SUP_OK) status = sup_app_check(s->model, s->state);
    return status == SUP_OK ? SUP_EXIT_OK : sup_app_report(status, verbose);
  }
  status = open_output(s, argc, argv);
  if (status != SUP_OK) return sup_app_report(status, verbose);
  sup_progress_begin(&s->progress, s->options.quiet ? NULL : stderr, 0, s->scene->end_time);
  status = simulate(s);
  char        message[1024];
  sup_outcome outcome = status != SUP_OK ? SUP_OUTCOME_FAILED
                        : interrupted    ? SUP_OUTCOME_INTERRUPTED
                                         : SUP_OUTCOME_COMPLETED;
  int         code = SUP_EXIT_OK;
  snprintf(message, sizeof message, "%s", status != SUP_OK ? sup_error_message() : "");
  sup_progress_end(&s->progress, sup_output_statistics(s->output));
  if (status != SUP_OK) code = sup_app_report(status, verbose);
  const sup_step_result *result = status == SUP_OK && s->state->step > 0 ? sup_stepper_result(s->stepper) : NULL;
  status = sup_output_finish(s->output, s->state, result, outcome, message[0] ? message : NULL);
  if (status != SUP_OK) return sup_app_report(status, verbose);
  if (outcome == SUP_OUTCOME_INTERRUPTED) {
    fprintf(stderr, "supple: interrupted at %g s; what was written is complete: %s\n", s->state->time, s->folder);
    return SUP_EXIT_INTERRUPTED;
  }
  if (!s->options.quiet) fprintf(stderr, "results: %s\n", s->folder);
  return code;
}

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

int sup_app_run(int argc, char **argv) {
  simulation s = {0};
  int        code =
      sup_app_parse_run(argc, argv, "Simulate a scene; results open in ParaView (DIR/vtk/*.vtk.series) and as CSV.",
                        "supple run examples/finray_press.yaml -o out/press --set time.step=5e-3", &s.options);
  if (code != SUP_NONE) return code;
  catch_signals();
  code = run(&s, argc, argv);
  close_simulation(&s);
  return code;
}

/* ---- supple static ---- */

static sup_status solve_static(simulation *s, int argc, char **argv) {
  SUP_TRY(open_simulation(s));
  SUP_TRY(open_output(s, argc, argv));
  SUP_TRY(sup_static(s->stepper, s->state));
  s->state->step = 1; /* the loaded state is the second frame, at time 1 in ParaView */
  s->state->time = 1;
  sup_step_report report = {.reason = SUP_REASON_TOLERANCE};
  SUP_TRY(sup_output_step(s->output, s->state, sup_stepper_result(s->stepper), &report));
  return sup_output_finish(s->output, s->state, sup_stepper_result(s->stepper), SUP_OUTCOME_COMPLETED, NULL);
}

static void print_displacements(const simulation *s) {
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    double          largest = 0;
    for (int a = 0; a < soft->num_vertices; a++) {
      sup_v3 u = sup_v3_sub(sup_v3_load(s->state->x + 3 * (soft->first_vertex + a)), sup_v3_load(soft->x0 + 3 * a));
      if (sup_v3_norm(u) > largest) largest = sup_v3_norm(u);
    }
    printf("soft '%s': largest displacement %.6g mm\n", soft->name, 1e3 * largest);
  }
  printf("results: %s\n", s->folder);
}

int sup_app_static(int argc, char **argv) {
  simulation s = {0};
  int        code = sup_app_parse_run(
             argc, argv,
             "Linear equilibrium K u = f of the soft bodies under gravity and tractions; rigid bodies stay where they\n"
                    "are and contact takes no part.  The same files as `supple run`, in two frames.",
             "supple static examples/finray_stiffness.yaml", &s.options);
  if (code != SUP_NONE) return code;
  sup_status status = solve_static(&s, argc, argv);
  if (status != SUP_OK)
    code = sup_app_report(status, s.options.verbose);
  else {
    if (!s.options.quiet) print_displacements(&s);
    code = SUP_EXIT_OK;
  }
  close_simulation(&s);
  return code;
}
