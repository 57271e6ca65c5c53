#include "app/simulation.h"

#include <math.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "app/live/live.h"
#include "app/ranks.h"
#include "app/signals.h"
#include "app/version.h"
#include "base/log.h"
#include "base/version.h"

static sup_status keep(sup_simulation *s, sup_status status) {
  if (status != SUP_OK && s->failure.code == SUP_EXIT_OK)
    sup_app_record_failure(&s->failure, status);
  return status;
}

sup_status sup_simulation_record_failure(sup_simulation *s, sup_status status) {
  if (status == SUP_E_ARG) status = sup_scene_locate(s->scene, status);
  return keep(s, status);
}

/** One thread unless more are asked for: runs side by side need the cores more. */
static void set_threads(const sup_simulation *s) {
  int threads = s->options.threads ? s->options.threads : s->scene->threads;
  omp_set_num_threads(threads ? threads : 1);
}

/** The processes of mpiexec share the cells of the scene's bodies. */
static sup_status share(sup_scene *scene) {
  const sup_collective *ranks = sup_app_ranks();
  if (!ranks) return SUP_OK;
  SUP_TRY(sup_scene_check_ranks(scene, ranks->size));
  scene->model.ranks = ranks;
  return SUP_OK;
}

static sup_status build(sup_simulation *s) {
  SUP_TRY(sup_model_create(&s->model, &s->scene->model));
  sup_scene_forget_meshes(s->scene);
  set_threads(s);
  SUP_TRY(sup_state_create(&s->state, s->model, &s->scene->options));
  if (s->is_static) sup_state_set_loads(s->state, s->model, 0);
  SUP_TRY(sup_stepper_create(&s->stepper, s->model, &s->scene->options));
  SUP_TRY(sup_output_check(s->model, &s->scene->options, &s->scene->output));
  const sup_column_def columns = sup_output_columns(&s->scene->output);
  SUP_TRY(sup_event_watch_create(&s->events, s->model, &s->scene->options, &columns));
  SUP_TRY(sup_resume_load_state(s));
  if (s->model->num_softs) SUP_TRY(sup_state_keep_matrix(s->state));
  return SUP_OK;
}

void sup_simulation_warn_of_size(const sup_simulation *s) {
  const double     notable = 2e9;
  const sup_scene *scene = s->scene;
  sup_output_plan  plan =
      sup_output_plan_of(s->model, &scene->output, &scene->options, scene->end_time);
  if (!(plan.bytes > notable)) return;
  double of_a_frame = plan.bytes / (double)plan.frames,
         every = scene->end_time * of_a_frame / notable; /* keeps to the bound */
  sup_log(SUP_LOG_WARNING,
          "%s: %ld frames will take about %.3g GB: write fewer of them (output.every: %.2g s keeps "
          "to %g GB), fewer of their arrays or bodies (output.arrays, output.bodies), or none "
          "(output.format: none)",
          scene->input[0], plan.frames, 1e-9 * plan.bytes, every, 1e-9 * notable);
}

sup_status sup_simulation_load(sup_simulation *s) {
  const sup_run_options *o = &s->options;
  s->told.is_quiet = o->quiet && !o->check;
  sup_log_capture_start(&s->told);
  sup_status status =
      sup_scene_load_on(&s->scene, o->scene, o->sets.word, o->sets.count, sup_app_ranks());
  if (status == SUP_OK) status = share(s->scene);
  if (status == SUP_OK) status = sup_resume_check_scene(s);
  status = keep(s, sup_agree(sup_app_ranks(), status));
  /* the scene is there, but it names a file that is not: the scene is wrong */
  if (status == SUP_E_IO && access(o->scene, R_OK) == 0) s->failure.code = SUP_EXIT_INPUT;
  return status;
}

sup_status sup_simulation_build(sup_simulation *s) {
  sup_status status = build(s);
  if (status != SUP_OK) status = sup_scene_locate(s->scene, status);
  return keep(s, status);
}

/** Reading and building a large scene take long; what fails behind a signal does so by it. */
static sup_status check_interrupted(sup_simulation *s) {
  if (!sup_app_is_interrupted()) return SUP_OK;
  s->failure.code = SUP_EXIT_OK; /* in place of what was kept */
  return keep(s, SUP_FAIL(SUP_E_INTERRUPTED,
                          "interrupted before the first step; nothing was "
                          "written"));
}

sup_status sup_simulation_open(sup_simulation *s) {
  sup_status status = sup_simulation_load(s);
  SUP_TRY(check_interrupted(s));
  if (status != SUP_OK) return status;
  status = sup_simulation_build(s);
  SUP_TRY(check_interrupted(s));
  return status;
}

static sup_status open_output(sup_simulation *s) {
  const sup_scene *scene = s->scene;
  if (s->resume.kind == SUP_GOES_ON)
    SUP_TRY(sup_output_resume(&s->output, s->model, &scene->options, s->folder, &scene->output,
                              scene->title, &s->resume.archive));
  else
    SUP_TRY(sup_output_create(&s->output, s->model, &scene->options, s->folder, &scene->output,
                              scene->title));
  if (s->resume.kind == SUP_BRANCHES) SUP_TRY(sup_output_branch(s->output, &s->resume.archive));
  sup_checkpoints_begin(s);
  return SUP_OK;
}

sup_manifest_def sup_simulation_manifest(const sup_simulation *s, int argc, char **argv) {
  return (sup_manifest_def){.argc = argc,
                            .argv = (const char *const *)argv,
                            .version = sup_version(),
                            .compiler = sup_compiler_text(),
                            .threads = omp_get_max_threads(),
                            .num_libraries = SUP_NUM_LIBRARIES,
                            .library = sup_app_libraries(),
                            .num_inputs = s->scene->num_inputs,
                            .input = (const char *const *)s->scene->input,
                            .before = s->resume.kind == SUP_BEGINS ? NULL : &s->resume.archive,
                            .is_branch = s->resume.kind == SUP_BRANCHES,
                            .step = s->state->step,
                            .time = s->state->time};
}

static sup_status write_first_files(sup_simulation *s, int argc, char **argv) {
  SUP_TRY(open_output(s));
  sup_manifest_def manifest = sup_simulation_manifest(s, argc, argv);
  SUP_TRY(sup_output_manifest(s->output,
                              &manifest)); /* hashes the inputs: resolved.yaml may be one of them */
  char path[sizeof s->folder + 16];
  snprintf(path, sizeof path, "%s/resolved.yaml", s->folder);
  sup_status status = SUP_OK;
  if (sup_is_first_rank(sup_app_ranks())) status = sup_scene_write_resolved(s->scene, path);
  SUP_TRY(sup_agree(sup_app_ranks(), status));
  if (s->resume.kind == SUP_GOES_ON) return SUP_OK;
  bool is_seen =
      sup_stepper_observe(s->stepper, s->state) == SUP_OK; /* or else the first step says why not */
  return sup_output_initial(s->output, s->state, is_seen ? sup_stepper_result(s->stepper) : NULL);
}

sup_status sup_simulation_open_output(sup_simulation *s, int argc, char **argv) {
  if (s->options.folder)
    snprintf(s->folder, sizeof s->folder, "%s", s->options.folder);
  else
    snprintf(s->folder, sizeof s->folder, "out/%s", s->scene->name);
  SUP_TRY(keep(s, sup_agree(sup_app_ranks(), sup_live_start(s))));
  return keep(s, write_first_files(s, argc, argv));
}

/** Steps of fixed length are counted: their times are rounded. */
bool sup_simulation_is_over(const sup_simulation *s) {
  if (s->is_static) return s->state->time >= s->scene->statics.end;
  if (s->scene->options.accuracy.tolerance > 0) return s->state->time >= s->scene->end_time;
  return s->state->step >= (long)(s->scene->end_time / s->scene->options.dt + 0.5);
}

bool sup_simulation_goes_on(const sup_simulation *s) {
  sup_live_step(s);
  return !sup_simulation_is_over(s) && !sup_app_is_interrupted();
}

sup_status sup_simulation_step(sup_simulation *s, sup_step_report *report) {
  double     due = s->output ? sup_output_next_time(s->output) : HUGE_VAL, end = s->scene->end_time;
  double     stop = end > s->state->time ? fmin(due, end) : due;
  sup_status status =
      sup_simulation_record_failure(s, sup_step_until(s->stepper, s->state, stop, report));
  if (status == SUP_OK)
    status = sup_event_watch_step(s->events, s->state, sup_stepper_result(s->stepper), report);
  if (status != SUP_OK && status != SUP_E_ARG) s->failure.code = SUP_EXIT_SOLVER;
  s->has_stepped |= status == SUP_OK;
  return status;
}

void sup_simulation_write_failed_step(sup_simulation *s, const sup_step_report *report) {
  if (sup_output_failed_step(s->output, s->state, sup_stepper_residual(s->stepper), report) !=
      SUP_OK)
    fprintf(stderr, "supple: warning: the failed step could not be written: %s\n",
            sup_error_message());
}

/* ---- banner ---------------------------------------------------------------------------------- */

static void append_count(char *text, size_t size, int count, const char *one, const char *many) {
  size_t used = strlen(text);
  if (count > 0)
    snprintf(text + used, size - used, "%s%d %s", used ? ", " : "", count, count == 1 ? one : many);
}

const char *sup_simulation_steps(const sup_simulation *s, char *text, size_t size) {
  const sup_options *o = &s->scene->options;
  long               steps = (long)(s->scene->end_time / o->dt + 0.5);
  if (o->accuracy.tolerance > 0)
    snprintf(text, size, "steps to %g s, each to within %g (%.2g to %.2g s)", s->scene->end_time,
             o->accuracy.tolerance, o->accuracy.min_step, o->accuracy.max_step);
  else
    snprintf(text, size, "%ld step%s of %g s to %g s", steps, steps == 1 ? "" : "s", o->dt,
             s->scene->end_time);
  return text;
}

void sup_simulation_banner(const sup_simulation *s, const char *what) {
  const sup_model *model = s->model;
  char             bodies[200] = "";
  int              unknowns = 0, rigid = 0;
  for (int b = 0; b < model->num_blocks; b++) unknowns += model->block_size[b];
  for (int t = 0; t < s->scene->model.num_trees; t++)
    rigid += s->scene->model.trees[t].is_rigid_body;
  append_count(bodies, sizeof bodies, model->num_softs, "soft body", "soft bodies");
  append_count(bodies, sizeof bodies, model->num_trees - rigid, "robot", "robots");
  append_count(bodies, sizeof bodies, rigid, "rigid body", "rigid bodies");
  fprintf(stderr, "supple %s: %s\n%s: %d unknowns, %s, %d thread%s -> %s\n", sup_version(),
          s->scene->title, what, unknowns, bodies, omp_get_max_threads(),
          omp_get_max_threads() == 1 ? "" : "s", s->folder);
}

/* ---- end ------------------------------------------------------------------------------------- */

sup_outcome sup_simulation_outcome(const sup_simulation *s) {
  if (s->failure.code != SUP_EXIT_OK) return SUP_OUTCOME_FAILED;
  return sup_app_is_interrupted() ? SUP_OUTCOME_INTERRUPTED : SUP_OUTCOME_COMPLETED;
}

/** A void result is a failure of the solver, with --strict or without. */
static int code_of_verdicts(const sup_verdicts *verdicts, bool is_strict) {
  if (verdicts->num_failures > 0) return SUP_EXIT_SOLVER;
  return is_strict && verdicts->num_warnings > 0 ? SUP_EXIT_WARNINGS : SUP_EXIT_OK;
}

int sup_simulation_finish(sup_simulation *s, sup_outcome outcome, sup_progress *progress) {
  int        failed = s->failure.code != SUP_EXIT_OK, code = SUP_EXIT_OK;
  sup_status status = SUP_OK;
  if (s->output) {
    const sup_step_result *result =
        !failed && s->has_stepped ? sup_stepper_result(s->stepper) : NULL;
    if (outcome == SUP_OUTCOME_COMPLETED) {
      sup_event_watch_end(s->events, s->state);
      sup_checkpoints_prepare_last(s);
    }
    sup_log_capture_forward(&s->told, s->output);
    status =
        sup_output_finish(s->output, s->state, result, outcome, failed ? s->failure.message : NULL);
    if (status == SUP_OK) sup_checkpoints_commit_last(s);
    if (progress) sup_progress_end(progress, sup_output_statistics(s->output));
    sup_progress_verdicts(stderr, s->options.quiet, sup_output_verdicts(s->output));
    code = code_of_verdicts(sup_output_verdicts(s->output), s->options.strict);
  }
  if (failed) sup_app_print(&s->failure, s->options.verbose);
  bool is_known = failed && strcmp(sup_error_message(), s->failure.message) == 0;
  if (status != SUP_OK && !is_known) code = sup_app_report(status, s->options.verbose);
  if (failed) return s->failure.code;
  return status == SUP_OK && outcome == SUP_OUTCOME_INTERRUPTED ? SUP_EXIT_INTERRUPTED : code;
}

void sup_simulation_print_resume(const sup_simulation *s) {
  if (s->checkpoints.last_step > 0 && s->checkpoints.last_step == s->state->step &&
      !s->checkpoints.has_failed) {
    char ranks[40] = "";
    if (s->model->ranks) snprintf(ranks, sizeof ranks, "mpiexec -n %d ", s->model->ranks->size);
    fprintf(stderr, "to go on: %ssupple %s --resume %s\n", ranks, s->is_static ? "static" : "run",
            s->folder);
  }
}

void sup_simulation_close(sup_simulation *s) {
  sup_app_log(1);
  sup_live_end(s);
  sup_resume_close(&s->resume);
  sup_output_destroy(&s->output);
  sup_event_watch_destroy(&s->events);
  sup_stepper_destroy(&s->stepper);
  sup_state_destroy(&s->state);
  sup_model_destroy(&s->model);
  sup_scene_destroy(&s->scene);
}
