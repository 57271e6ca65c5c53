/** Cases of a sweep: values of parameters as overrides.  Layer study, private. */
#pragma once

#include "scene/schema/reader.h"
#include "study/study.h"

enum { SUP_MAX_CASES = 20000 };

/** Read `parameters`, `design`, `samples` and `seed` of a study into the cases of its first family,
 * each with the study's `set` before its own overrides.
 *  @param[in] set  mapping KEY: VALUE, or NULL */
SUP_NODISCARD sup_status sup_design_read(sup_study *study, const sup_section *section,
                                         const sup_node *set);
/** Value of the parameter in a case, as in the study: "1.5 mm". */
const char *sup_parameter_value(const sup_parameter *parameter, const sup_level *level);
/** Next random number in [0, 1) of a generator; its state begins as the seed. */
double sup_random_unit(uint64_t *state);
