/** Between the archives of the library: libsupple-core reads scenes through functions of libyaml
 * and libxml2 that libsupple-parsers has; libsupple is both.  Programs call sup_scene_load alone,
 * which stands in libsupple-parsers and so brings the rest of it along. */
#pragma once

#include "supple/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sup_parsers       sup_parsers; /* their table */
SUP_API extern const sup_parsers sup_parsers_table;
/** Implementation of sup_scene_load.  E_EXTERNAL: the program was linked without libsupple-parsers.
 */
SUP_API SUP_NODISCARD sup_status sup_scene_read(sup_scene **scene, const char *path,
                                                const char *const *sets, int num_sets);

#ifdef __cplusplus
}
#endif
