/** One simulation from its scene file to its results: shared by `run` and `static`.  Layer app. */
#pragma once

#include "app/app.h"
#include "app/checkpoint.h"
#include "app/log_capture.h"
#include "app/progress.h"
#include "app/resume.h"
#include "app/run_options.h"
#include "measure/event_watch.h"
#include "output/output.h"
#include "scene/scene.h"
#include "step/step.h"

typedef struct sup_live sup_live;

typedef struct sup_simulation {
  sup_run_options  options;
  sup_scene       *scene;
  sup_model       *model;
  sup_state       *state;
  sup_stepper     *stepper;
  sup_event_watch *events; /* NULL: none */
  sup_output      *output;
  char             folder[4096]; /* of the results */
  sup_failure      failure;      /* the first one */
  int              is_static;    /* load steps */
  int              has_stepped;  /* here, not in a run that this one goes on with */
  sup_resume       resume;
  sup_checkpoints  checkpoints;
  sup_log_capture  told;
  sup_live        *live; /* app/live/; NULL: not asked for */
} sup_simulation;

/** Load the scene with its meshes.  The failure is kept. */
SUP_NODISCARD sup_status sup_simulation_load(sup_simulation *simulation);
/** Build model, state and stepper of a loaded scene and set the number of threads.  The failure is
 * kept. */
SUP_NODISCARD sup_status sup_simulation_build(sup_simulation *simulation);
/** sup_simulation_load and sup_simulation_build. */
SUP_NODISCARD sup_status sup_simulation_open(sup_simulation *simulation);
/** The folder with its first frame, resolved.yaml and manifest.json.  The failure is kept. */
SUP_NODISCARD sup_status sup_simulation_open_output(sup_simulation *simulation, int argc,
                                                    char **argv);
/** Facts for manifest.json. */
sup_manifest_def sup_simulation_manifest(const sup_simulation *simulation, int argc, char **argv);
/** 1: the state is at the scene's end. */
bool sup_simulation_is_over(const sup_simulation *simulation);
/** 1: there is a step to take.  Waits while a live run is paused. */
bool sup_simulation_goes_on(const sup_simulation *simulation);
/** One step; any stop counts as a failure of the solver, except wrong options.
 * The failure is kept. */
SUP_NODISCARD sup_status sup_simulation_step(sup_simulation *simulation, sup_step_report *report);
/** Keep what stopped a step or a load step; of wrong input with its place in the scene. */
sup_status sup_simulation_record_failure(sup_simulation *simulation, sup_status status);
/** The state before the step that failed, with the forces or impulses that were left of it. */
void sup_simulation_write_failed_step(sup_simulation *simulation, const sup_step_report *report);
/** A warning, with the keys that help, when a run's frames will take more than 2 GB. */
void sup_simulation_warn_of_size(const sup_simulation *s);
/** "100 steps of 0.01 s to 1 s", into text [size]; returns it. */
const char *sup_simulation_steps(const sup_simulation *simulation, char *text, size_t size);
/** Two lines on stderr: the scene and the folder of the results. */
void sup_simulation_banner(const sup_simulation *simulation, const char *what);
/** Failed, interrupted or completed. */
sup_outcome sup_simulation_outcome(const sup_simulation *simulation);
/** Complete the files as far as they were opened, print the closing lines, the verdicts and the
 * failure, if there is one.
 *  @param[in] progress  NULL: it never began
 *  @return exit code */
int sup_simulation_finish(sup_simulation *simulation, sup_outcome outcome, sup_progress *progress);
/** Print the command that resumes a run that ended early, when there is a checkpoint of its
 * state. */
void sup_simulation_print_resume(const sup_simulation *simulation);
void sup_simulation_close(sup_simulation *simulation);
