/** State of a simulation: positions, velocities, inputs and history. */
#pragma once

#include "supple/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sup_state sup_state; /* positions, velocities, inputs, history */

/** State at time 0 of the model; bodies moved by a table have the velocity of the first step. */
SUP_API SUP_NODISCARD sup_status sup_state_create(sup_state **state, const sup_model *model,
                                                  const sup_options *options);
SUP_API SUP_NODISCARD sup_status sup_state_copy(sup_state *to, const sup_state *from);
SUP_API void                     sup_state_destroy(sup_state **state);
SUP_API double                   sup_state_time(const sup_state *state);
/** FNV-1a hash of the whole state, with what steps know of the way to it: equal bits give equal
 * hashes. */
SUP_API uint64_t sup_state_hash(const sup_state *state);

/** Write the whole state, inputs too, as one file that is complete or not there.
 *  E_IO. */
SUP_API SUP_NODISCARD sup_status sup_state_save(const sup_state *state, const char *path);
/** Read a state from such a file; steps continue from it with equal bits.
 *  E_IO.  E_PARSE: no state, or cut off.  E_ARG: of another model or options, with the difference.
 */
SUP_API SUP_NODISCARD sup_status sup_state_load(sup_state **state, const sup_model *model,
                                                const sup_options *options, const char *path);

#ifdef __cplusplus
}
#endif
