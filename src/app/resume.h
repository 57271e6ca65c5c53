/** `supple run --resume DIR` and `--from DIR`: a run continued from a checkpoint.  Layer app. */
#pragma once

#include "app/run_options.h"
#include "base/file/archive.h"
#include "supple/model.h"

struct sup_simulation;

/** Prefix of the state's arrays in a checkpoint. */
#define SUP_RESUME_STATE "state."

typedef enum sup_resume_kind {
  SUP_BEGINS,  /* at time 0 */
  SUP_GOES_ON, /* in its own folder, as if it had never stopped */
  SUP_BRANCHES /* in another folder, with other keys */
} sup_resume_kind;

typedef struct sup_resume {
  sup_resume_kind kind;
  char            folder[4096]; /* that has the checkpoint */
  sup_archive     archive;
  char           *scene;              /* path, when the command line names none */
  char           *set[APP_MAX_WORDS]; /* [num_sets] of the run before */
  int             num_sets;
} sup_resume;

/** Find the checkpoint requested by the options, and complete the options with its scene and
 * overrides, which precede those of the command line.
 *  @return exit code (already printed); SUP_NONE: continue, possibly without a checkpoint */
int  sup_resume_open(sup_resume *resume, sup_run_options *options, const char *command);
void sup_resume_close(sup_resume *resume);
/** Check that scene and inputs fit the checkpoint.  E_ARG names the first difference. */
SUP_NODISCARD sup_status sup_resume_check_scene(const struct sup_simulation *simulation);
/** The state of the checkpoint in the place of the one at time 0.  E_ARG names the difference.
 */
SUP_NODISCARD sup_status sup_resume_load_state(struct sup_simulation *simulation);

/** Ranks of this run. */
int sup_resume_num_ranks(void);

struct sup_model;
/** A line "soft body 'finger': HASH" for each body: meshes, places at the start, joints; for
 * free().  By all ranks, whose number changes nothing. */
SUP_NODISCARD sup_status sup_resume_bodies(const sup_model *model, char **text);
