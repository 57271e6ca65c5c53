/** Files and verdicts of a simulator's steps, as `supple run` has them. */
#pragma once

#include "supple/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sup_record sup_record;

/** A verdict on the steps of a record. */
typedef struct sup_finding {
  const char *severity;     /* "PASS", "WARN", "FAIL" */
  const char *name, *unit;  /* stable, for scripts; of value and limit */
  const char *text;         /* finding */
  const char *remedy;       /* "": none */
  const char *body[2];      /* bodies concerned; "": none */
  double      value, limit; /* limit that it exceeds, or would exceed first */
  double      time;         /* [s]; NaN: of no single time */
} sup_finding;

/** Observe each step from now on, with pairs, probes and intervals of the scene's `output`.  Up to
 * the end of the record the simulator takes no other state and makes no load steps.
 *  @param[in] scene   of the simulator's model; outlives the record; a simulator that is destroyed
 * finishes it
 *  @param[in] folder  of the files, which replace those of a run before; NULL: verdicts alone
 *  E_ARG: there is a record already; E_IO names the folder or file. */
SUP_API SUP_NODISCARD sup_status sup_record_create(sup_record **record, const sup_scene *scene,
                                                   sup_simulator *simulator, const char *folder);
/** Frame and row of the present state, beside those that are due. */
SUP_API SUP_NODISCARD sup_status sup_record_frame(sup_record *record);
/** Verdicts on the steps so far: their number. */
SUP_API SUP_NODISCARD sup_status sup_record_verdicts(sup_record *record, int *count);
/** Number `verdict` of these, whose texts live up to the next sup_record_ call. */
SUP_API SUP_NODISCARD sup_status sup_record_verdict(const sup_record *record, int verdict,
                                                    sup_finding *finding);
/** Last frame, or that of a step that failed last, summary.json and manifest.json; verdicts stay.
 *  @param[in] is_complete  0: the files say "interrupted" */
SUP_API SUP_NODISCARD sup_status sup_record_finish(sup_record *record, int is_complete);
/** Without sup_record_finish files are those of a run that was killed. */
SUP_API void sup_record_destroy(sup_record **record);

#ifdef __cplusplus
}
#endif
