#include "app/study/point_run.h"

#include <stdio.h>

#include "app/signals.h"
#include "app/study/rank_runs.h"
#include "base/file/file.h"
#include "base/file/process.h"
#include "base/hash.h"
#include "base/timer.h"

static sup_family *family_of(const sup_app_point_run *r) { return &r->study->family[0]; }

static sup_status begin(void *user, sup_study_point *p) {
  sup_app_point_run *r = user;
  sup_simulation    *s = &r->simulation;
  const sup_level   *level = &family_of(r)->level[0];
  char              *argv[] = {"gradient", (char *)(uintptr_t)r->study->path};
  s->scene = p->scene, s->model = p->model, s->stepper = p->stepper;
  SUP_TRY(sup_state_create(&s->state, p->model, &p->scene->options));
  SUP_TRY(sup_state_copy(s->state, p->state));
  s->options.folder = r->folder, s->options.scene = r->study->scene;
  for (int i = 0; i < level->num_sets && i < APP_MAX_WORDS; i++)
    s->options.sets.word[s->options.sets.count++] = level->set[i];
  SUP_TRY(sup_folder_lock_acquire(&r->lock, r->runner->folder));
  SUP_TRY(sup_make_folder(r->folder));
  return sup_simulation_open_output(s, 2, argv);
}

static sup_status step(void *user, const sup_state *state, const sup_step_result *result,
                       const sup_step_report *report) {
  sup_app_point_run *r = user;
  r->simulation.has_stepped = 1;
  SUP_TRY(sup_state_copy(r->simulation.state, state));
  return sup_output_step(r->simulation.output, r->simulation.state, result, report);
}

static void end(void *user, bool is_complete) {
  sup_app_point_run *r = user;
  sup_simulation    *s = &r->simulation;
  char               log[SUP_STUDY_PATH_SIZE];
  snprintf(log, sizeof log, "%.3900s/log.txt", r->folder);
  sup_app_streams kept = sup_app_send_streams(log);
  sup_outcome     outcome = is_complete ? SUP_OUTCOME_COMPLETED : SUP_OUTCOME_FAILED;
  r->is_complete = sup_simulation_finish(s, outcome, NULL) == SUP_EXIT_OK && is_complete;
  sup_app_return_streams(kept);
  sup_output_destroy(&s->output);
  sup_state_destroy(&s->state);
  sup_folder_lock_release(&r->lock);
}

void sup_app_point_run_begin(sup_app_point_run *r, sup_study *study,
                             const sup_level_runner *runner) {
  *r = (sup_app_point_run){.study = study, .runner = runner, .start = sup_wall_time()};
  r->files = (sup_point_files){begin, end, {step, r}};
  r->simulation.options.quiet = 1;
  sup_level_folder(study, family_of(r), 0, runner->folder, r->folder);
}

sup_status sup_app_point_run_end(sup_app_point_run *r) {
  if (!r->is_complete) return SUP_OK;
  sup_level *level = &family_of(r)->level[0];
  level->signature = sup_hash_bytes(level->signature, "adjoint", 7); /* not as in differences */
  level->wall = sup_wall_time() - r->start, level->memory = sup_process_peak();
  return sup_level_runner_keep(r->runner, r->study, family_of(r), 0);
}
