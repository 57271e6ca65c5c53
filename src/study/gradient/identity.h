/** Identities of dimension that derivatives of an equilibrium keep (THEORY 24.4): with all numbers
 * that carry stress, or all lengths, scaled by s, a quantity goes with a power of s.  Layer study.
 */
#pragma once

#include "study/gradient/gradient.h"

/** Scale of an identity; densities keep their values. */
typedef enum sup_scale { SUP_SCALE_STRESS, SUP_SCALE_LENGTH, SUP_NUM_SCALES } sup_scale;

enum { SUP_MISSING_SIZE = 600 };

/** "scale of stress" */
const char *sup_scale_name(sup_scale scale);
/** Exponent of a number of the dimension; load times count as numbers. */
int sup_scale_exponent(sup_scale scale, sup_dimension dimension);
/** Exponent of a quantity by its unit.  false: the unit does not tell it. */
bool sup_scale_of_quantity(sup_scale scale, const sup_quantity_def *def, int *exponent);
/** Test of a number of the scene without a parameter: it changes a quantity. */
typedef struct sup_number_probe {
  bool (*matters)(void *user, const char *key, double value);
  void *user;
} sup_number_probe;
/** Keys of numbers that go with the scale, that matter and that no parameter has, or files that
 * hold such numbers; "": none. */
SUP_NODISCARD sup_status sup_scale_missing(const sup_study *study, sup_scale scale,
                                           const sup_number_probe *probe,
                                           char                    text[SUP_MISSING_SIZE]);
