/** A point fixed to a body: found once, followed afterwards.  Layer measure. */
#pragma once

#include "measure/observation.h"
#include "model/body_point.h"

typedef struct sup_probe {
  char           name[SUP_NAME_MAX];
  sup_body_point at;
} sup_probe;

/** E_ARG: the body is unknown, or the point lies outside the soft body (its nearest vertex is
 * named). */
SUP_NODISCARD sup_status sup_probe_find(sup_probe *probe, const sup_model *model,
                                        const sup_probe_def *def);
/** probe [count] := sup_probe_find of each; freed by sup_probes_free, also after an error. */
SUP_NODISCARD sup_status sup_probes_find(sup_probe **probe, const sup_model *model,
                                         const sup_probe_def *def, int count);
void                     sup_probes_free(sup_probe **probe, int count);
/** World position [m]. */
sup_v3 sup_probe_position(const sup_probe *probe, const sup_observation *obs);
/** Body by name.  E_ARG names the nearest known body. */
SUP_NODISCARD sup_status sup_output_find_body(int *body, const sup_model *model, const char *name,
                                              const char *what);
