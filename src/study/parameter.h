/** Parameters of gradients and fits: keys of the scene with numbers.  Layer study, private. */
#pragma once

#include "scene/schema/reader.h"
#include "study/study.h"

/** Read `parameters`; keys of ladders and budgets are refused. */
SUP_NODISCARD sup_status sup_parameters_read(sup_study *study, const sup_section *section);
/** Value, unit, width and bounds of a parameter by the scene.  E_PARSE: a key is absent, no number
 * or a whole one, or one of a parameter before with another value; a value of 0 without a width; a
 * value beyond its bounds. */
SUP_NODISCARD sup_status sup_parameter_find(const sup_study *study, sup_parameter *parameter,
                                            sup_scene *scene);
/** First overrides of a case: numbers to the last bit, no frames, then those of the study.
 *  @param[in] set  mapping KEY: VALUE, or NULL */
SUP_NODISCARD sup_status sup_level_begin(sup_level *level, const sup_node *set,
                                         sup_source_position place);
/** Override of all keys of a parameter [its unit], to the last bit. */
SUP_NODISCARD sup_status sup_level_set(sup_level *level, const sup_parameter *parameter,
                                       double value);
