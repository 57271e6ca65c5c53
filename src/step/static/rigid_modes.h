/** Rigid motions that no support prevents.  Private to layer step. */
#pragma once

#include "model/model.h"

/** The freest rigid motion of soft body i at positions x when only clamps, attachments and held
 * axes count, in words
 *  ("a shift along (1, 0, 0)", "a turn about (0, 0, 1) through (.., .., ..) m"); 0 when there is
 * none. */
int sup_rigid_mode(const sup_model *model, int soft, const double *x, char *text, size_t size);
