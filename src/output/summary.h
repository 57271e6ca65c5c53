/** summary.json: the run in a few numbers, stable names (postproc/README.md).  Layer output. */
#pragma once

#include "output/output.h"
#include "output/verdict.h"

/** What the summary tells besides the statistics. */
typedef struct sup_summary {
  const sup_model    *model;
  const sup_state    *state;
  sup_outcome         outcome;
  const char         *message; /* why it failed; NULL */
  const char         *title;
  const sup_verdicts *verdicts;
} sup_summary;

SUP_NODISCARD sup_status sup_summary_write(const char *path, const sup_summary *summary,
                                           const sup_statistics *statistics);
