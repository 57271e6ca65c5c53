/** Thickness of bodies, to which limits of verdicts are relative.  Layer measure. */
#pragma once

#include "model/model.h"

/** Smallest size of a shape [m]; HUGE_VAL for half spaces and for polyhedra, which have no sizes.
 */
double sup_primitive_thickness(const sup_shape *shape);
/** Smallest size of a rigid shape, median thickness of a soft body at rest and of a rigid mesh [m];
 * the least of a link with several shapes; HUGE_VAL for half spaces and bodies without a shape. */
double sup_body_thickness(const sup_model *model, int body);
/** 1: the body is rigid and one of its shapes has a pressure field. */
bool sup_body_is_compliant(const sup_model *model, int body);
