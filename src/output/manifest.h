/** manifest.json: data to repeat a run.  Layer output. */
#pragma once

#include "output/output.h"

enum { SUP_MANIFEST_TIME_SIZE = 32 };

/** A checkpoint from which the run went on. */
typedef struct sup_manifest_resumption {
  long   step; /* of its state */
  double time; /* of its state [s] */
  char   start[SUP_MANIFEST_TIME_SIZE], host[64];
} sup_manifest_resumption;

/** Checkpoint from which a branch starts. */
typedef struct sup_manifest_origin {
  char   checkpoint[4096]; /* empty: it is none */
  long   step;             /* of its state .. */
  double time;             /* .. and its time [s] */
} sup_manifest_origin;

typedef struct sup_manifest {
  sup_manifest_def         def;  /* own copies */
  char                   **text; /* all copied strings */
  int                      num_texts;
  uint64_t                *input_hash;  /* [num_inputs] of the files as they were at the start */
  size_t                  *input_bytes; /* [num_inputs] */
  char                     host[256];
  char                     folder[4096]; /* working directory */
  char                     start[SUP_MANIFEST_TIME_SIZE];
  sup_manifest_origin      from;    /* of a branch */
  sup_manifest_resumption *resumed; /* [num_resumed] */
  size_t                   num_resumed, resumed_capacity;
} sup_manifest;

/** Copy, hash the input files, note host and time.  E_IO names the file that cannot be read. */
SUP_NODISCARD sup_status sup_manifest_create(sup_manifest *manifest, const sup_manifest_def *def);
void                     sup_manifest_free(sup_manifest *manifest);
/** Write the entries that a resumed run needs into a checkpoint. */
void sup_manifest_put(const sup_manifest *manifest, sup_archive_writer *writer);
/** status "running" and seconds 0 at the start; the outcome's at the end. */
SUP_NODISCARD sup_status sup_manifest_write(const sup_manifest *manifest, const char *path,
                                            const char *status, double seconds);
