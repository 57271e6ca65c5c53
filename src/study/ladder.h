/** Ladders of STUDY.yaml: lists of overrides, from coarse to fine.  Layer study, private. */
#pragma once

#include "scene/schema/reader.h"
#include "study/study.h"

/** Read `ladder` into the family's levels; each gets the overrides of the study and of the family
 * before its own.
 *  @param[in] before  [num_before] mappings KEY: VALUE; entries may be NULL */
SUP_NODISCARD sup_status sup_ladder_read(sup_node *ladder, const sup_node *const *before,
                                         int num_before, sup_family *family);
/** One more override KEY=VALUE of a level; every number of the value times the factor. */
SUP_NODISCARD sup_status sup_level_add(sup_level *level, const char *key, const sup_node *value,
                                       double factor);
/** One more override, printed. */
SUP_NODISCARD sup_status sup_level_print(sup_level *level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** sup_level_add for every entry of a mapping. */
SUP_NODISCARD sup_status sup_level_add_all(sup_level *level, const sup_node *mapping);
/** The overrides from the first one on, joined: name of the level in messages. */
SUP_NODISCARD sup_status sup_level_label(sup_level *level, int first);
/** The number that a text begins with, and its unit in *unit.  0: none. */
int sup_leading_number(const char *text, double *value, const char **unit);
/** Free all levels but the first `count`. */
void sup_ladder_keep(sup_family *family, int count);
/** Free the levels. */
void sup_ladder_free(sup_family *family);
