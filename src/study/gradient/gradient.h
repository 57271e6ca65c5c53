/** Gradient of a study's quantities by parameters of its scene: cases of central differences,
 * slopes by them or by the adjoint (adjoint.h), files.  Layer study. */
#pragma once

#include "scene/schema/reader.h"
#include "study/gradient/slope.h"

enum { SUP_GRADIENT_UNIT_SIZE = 3 * SUP_UNIT_SIZE, SUP_GRADIENT_TEXT_SIZE = 512 };

/** Read `gradient`, which may be absent. */
SUP_NODISCARD sup_status sup_gradient_read_section(sup_study *study, const sup_section *section);
/** Read `gradient`, `parameters` and `ladder`, whose finest level is the study's; the only level of
 * the first family is the scene with the study's overrides.
 *  @param[in] set  mapping KEY: VALUE, or NULL */
SUP_NODISCARD sup_status sup_gradient_read(sup_study *study, const sup_section *section,
                                           const sup_node *set);
/** Overrides of the study's level of the ladder for all cases. */
SUP_NODISCARD sup_status sup_gradient_refine(sup_study *study);
/** Values, units and widths of the parameters by the scene of the first level, and the levels of
 * all cases.  E_PARSE: a key is absent, no number or a whole one; a value of 0 without a width. */
SUP_NODISCARD sup_status sup_gradient_fill(sup_study *study, sup_scene *scene);
/** "differences", "adjoint" or "tangent": the way that was taken. */
const char *sup_gradient_method_name(const sup_study *study);
/** Slope of a quantity by a parameter from the cases that are complete. */
sup_slope sup_gradient_slope(const sup_study *study, int quantity, int parameter);
/** d ln(quantity)/d ln(parameter); not finite where one of them is 0. */
double sup_gradient_logarithmic(const sup_study *study, int quantity, int parameter,
                                const sup_slope *slope);
/** "N/mm"; "1/(kg/m^3)"; "-" */
void sup_gradient_unit(const sup_study *study, int quantity, int parameter,
                       char unit[SUP_GRADIENT_UNIT_SIZE]);
/** k-th width of the differences, from the largest [unit of the parameter]. */
double sup_gradient_width(const sup_parameter *parameter, int k);
/** "kink: slopes 1.2 below, 3.4 above; steps 8 to 9 at +1.5e-06 m", "jump", "noise", "of one side";
 * "": nothing to say. */
void sup_gradient_remark(const sup_study *study, int parameter, const sup_slope *slope,
                         char text[SUP_GRADIENT_TEXT_SIZE]);
/** gradient.csv, a row for each quantity and parameter, and gradient.json. */
SUP_NODISCARD sup_status sup_gradient_write(const sup_study *study, const char *folder);
