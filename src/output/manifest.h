/** manifest.json: what is needed to repeat a run.  Layer output. */
#pragma once

#include "output/output.h"

enum { SUP_MANIFEST_TIME_SIZE = 32 };

typedef struct sup_manifest {
  sup_manifest_def def;  /* own copies */
  char           **text; /* all copied strings */
  int              num_texts;
  uint64_t        *input_hash;  /* [num_inputs] of the files as they were at the start */
  size_t          *input_bytes; /* [num_inputs] */
  char             host[256];
  char             folder[4096]; /* working directory */
  char             start[SUP_MANIFEST_TIME_SIZE];
} sup_manifest;

/** Copy, hash the input files, note host and time.  E_IO names the file that cannot be read. */
SUP_NODISCARD sup_status sup_manifest_create(sup_manifest *manifest, const sup_manifest_def *def);
void                     sup_manifest_free(sup_manifest *manifest);
/** status "running" and seconds 0 at the start; the outcome's at the end. */
SUP_NODISCARD sup_status sup_manifest_write(const sup_manifest *manifest, const char *path,
                                            const char *status, double seconds);
