#include "supple/record.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/version.h"
#include "scene/scene.h"
#include "simulator/watch.h"

struct sup_record {
  sup_simulator      *simulator;
  sup_simulator_watch watch;
  sup_output         *output;
  bool                is_open, has_stepped;
  sup_step_report     report;        /* of a step that failed last .. */
  char                message[1000]; /* .. and why; "": none did */
};

static double next_time(void *user) { return sup_output_next_time(((sup_record *)user)->output); }

static sup_status step(void *user, const sup_state *state, const sup_step_result *result,
                       const sup_step_report *report) {
  sup_record *r = user;
  r->has_stepped = 1, r->message[0] = '\0';
  SUP_TRY(sup_output_step(r->output, state, result, report));
  return SUP_OK;
}

static void fail(void *user, const sup_step_report *report) {
  sup_record *r = user;
  r->report = *report;
  snprintf(r->message, sizeof r->message, "%s", sup_error_message());
}

static void leave(void *user) { (void)!sup_record_finish(user, 1); }

static sup_status write_first_files(const sup_record *r, const sup_scene *scene,
                                    const char *folder) {
  char                   path[4096];
  const sup_state       *state = sup_simulator_state(r->simulator);
  const sup_step_result *result = NULL;
  const sup_manifest_def manifest = {.version = sup_version(),
                                     .compiler = sup_compiler_text(),
                                     .threads = omp_get_max_threads(),
                                     .num_inputs = scene->num_inputs - scene->is_text,
                                     .input = (const char *const *)scene->input + scene->is_text,
                                     .step = state->step,
                                     .time = state->time};
  SUP_TRY(sup_simulator_result(r->simulator, &result));
  if (folder) {
    SUP_TRY(sup_output_manifest(r->output, &manifest));
    snprintf(path, sizeof path, "%s/resolved.yaml", folder);
    SUP_TRY(sup_scene_write_resolved(scene, path));
  }
  SUP_TRY(sup_output_initial(r->output, state, result));
  return SUP_OK;
}

static sup_status begin(sup_record *r, const sup_scene *scene, const char *folder) {
  SUP_TRY(sup_simulator_watch_begin(r->simulator, &r->watch));
  r->is_open = 1;
  SUP_TRY(sup_output_create(&r->output, sup_simulator_model(r->simulator),
                            sup_simulator_options(r->simulator), folder, &scene->output,
                            scene->title));
  SUP_TRY(write_first_files(r, scene, folder));
  return SUP_OK;
}

sup_status sup_record_create(sup_record **record, const sup_scene *scene, sup_simulator *simulator,
                             const char *folder) {
  SUP_OWN(sup_record) *r = NULL;
  *record = NULL;
  SUP_TRY(SUP_CALLOC(r, 1));
  r->watch = (sup_simulator_watch){r, next_time, step, fail, leave};
  r->simulator = simulator;
  SUP_TRY(begin(r, scene, folder));
  *record = r, r = NULL;
  return SUP_OK;
}

static sup_status check_open(const sup_record *r) {
  if (r->is_open) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG, "the record is finished; create another one");
}

sup_status sup_record_frame(sup_record *r) {
  const sup_step_result *result;
  SUP_TRY(check_open(r));
  SUP_TRY(sup_simulator_result(r->simulator, &result));
  SUP_TRY(sup_output_frame(r->output, sup_simulator_state(r->simulator), result));
  return SUP_OK;
}

sup_status sup_record_verdicts(sup_record *r, int *count) {
  const sup_step_result *result;
  if (r->is_open) {
    SUP_TRY(sup_simulator_result(r->simulator, &result));
    sup_output_judge(r->output, sup_simulator_state(r->simulator), result);
  }
  *count = sup_output_verdicts(r->output)->count;
  return SUP_OK;
}

sup_status sup_record_verdict(const sup_record *r, int i, sup_finding *finding) {
  const sup_verdicts *verdicts = sup_output_verdicts(r->output);
  if (i < 0 || i >= verdicts->count)
    return SUP_FAIL(SUP_E_ARG, "there is no verdict %d: there are %d, from 0 on", i,
                    verdicts->count);
  const sup_verdict *v = &verdicts->list[i];
  *finding = (sup_finding){.severity = sup_severity_text(v->severity),
                           .name = v->name,
                           .unit = v->unit,
                           .text = v->text,
                           .remedy = v->severity == SUP_SEVERITY_PASS ? "" : v->remedy,
                           .body = {v->body[0], v->body[1]},
                           .value = v->value,
                           .limit = sup_verdict_limit(v),
                           .time = v->time};
  return SUP_OK;
}

sup_status sup_record_finish(sup_record *r, int is_complete) {
  const sup_step_result *result = NULL;
  bool                   has_failed = r->message[0] != '\0';
  if (!r->is_open) return SUP_OK;
  const sup_state *state = sup_simulator_state(r->simulator);
  sup_simulator_watch_end(r->simulator);
  r->is_open = 0;
  if (has_failed)
    SUP_TRY(
        sup_output_failed_step(r->output, state, sup_simulator_residual(r->simulator), &r->report));
  else if (r->has_stepped)
    SUP_TRY(sup_simulator_result(r->simulator, &result));
  SUP_TRY(sup_output_finish(r->output, state, result,
                            has_failed    ? SUP_OUTCOME_FAILED
                            : is_complete ? SUP_OUTCOME_COMPLETED
                                          : SUP_OUTCOME_INTERRUPTED,
                            has_failed ? r->message : NULL));
  return SUP_OK;
}

void sup_record_destroy(sup_record **record) {
  sup_record *r = *record;
  if (!r) return;
  if (r->is_open) sup_simulator_watch_end(r->simulator);
  sup_output_destroy(&r->output);
  SUP_FREE(*record);
}
