/** Checkpoints of a run: FOLDER/checkpoint/step_NNNNNNNN.checkpoint, of which the newest stay, and
 * kept_NNNNNNNN.checkpoint, which all stay (sup_checkpoint_def).  Layer app.
 *
 *  One archive (base/file/archive.h) each: the scene and its overrides, the values of the scene's
 * keys, the state, the sums of the statistics, the lengths of the folder's files.  With ranks the
 * first one writes, all take part in every call, and a checkpoint depends on their number no more
 * than the results do. */
#pragma once

#include "base/file/archive.h"

struct sup_simulation;

#define SUP_CHECKPOINT_KIND "checkpoint"
enum { SUP_CHECKPOINT_VERSION = 2, SUP_CHECKPOINT_PATH = 4200 };

typedef struct sup_checkpoints {
  double             last;       /* sup_wall_time() of the last one, or of the start */
  long               last_step;  /* whose state it has; SUP_NONE: there was none */
  long               periods;    /* of sup_checkpoint_def.every until then */
  int                has_failed; /* one could not be written, which was said */
  int                is_pending;
  char               path[SUP_CHECKPOINT_PATH];
  sup_archive_writer pending; /* of the end of the run */
} sup_checkpoints;

/** Start the clock before the first step.  A run that begins anew removes an earlier run's
 * checkpoints. */
void sup_checkpoints_begin(struct sup_simulation *simulation);
/** Write a checkpoint after a step when one is due.  A failure to write is a warning. */
void sup_checkpoints_step(struct sup_simulation *simulation);
/** Write the present state when there was a step since the last checkpoint: the run is interrupted
 * or a step failed. */
void sup_checkpoints_write(struct sup_simulation *simulation);
/** Prepare the last checkpoint of a run before its output is finished, which changes the state of
 * the output, and write it afterwards: a completed run can be extended. */
void sup_checkpoints_prepare_last(struct sup_simulation *simulation);
void sup_checkpoints_commit_last(struct sup_simulation *simulation);

/** A file of a folder of checkpoints. */
typedef struct sup_checkpoint_file {
  long step;
  char name[64];
} sup_checkpoint_file;

/** Checkpoints in FOLDER/checkpoint by their steps, the newest first; freed by the caller.  No
 * folder: count 0.
 *  @param[in] stem  "step_", "kept_"; NULL: both */
SUP_NODISCARD sup_status sup_checkpoint_list(const char *folder, const char *stem,
                                             sup_checkpoint_file **file, size_t *count);
