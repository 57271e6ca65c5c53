/** Verdicts in words on what a study found.  Layer study. */
#pragma once

#include <stddef.h>

#include "study/convergence.h"

enum { SUP_VERDICT_SIZE = 1000 };

/** How good a verdict is; a study's is the worst of its quantities'. */
typedef enum sup_verdict_grade { SUP_VERDICT_CONVERGED, SUP_VERDICT_OPEN, SUP_VERDICT_BAD } sup_verdict_grade;

/** One quantity on one ladder, for instance "converged: the error of the finest level is 0.8 % (GCI)".
 *  @param[in] tolerance  relative error that is asked for */
sup_verdict_grade sup_verdict_ladder(const sup_ladder_values *ladder, const sup_convergence *convergence,
                                     double tolerance, char text[SUP_VERDICT_SIZE]);
/** The limits of the same quantity in several families of levels, for instance of two elements: numbers that depend on
 *  the family are no result.
 *  @param[in] name   [num_families]
 *  @param[in] limit  [num_families] Richardson's values; SUP_NO_NUMBER: none
 *  @param[in] finest  [num_families] values of the finest levels; SUP_NO_NUMBER: none */
sup_verdict_grade sup_verdict_families(int num_families, const char *const *name, const double *limit,
                                       const double *finest, double tolerance, char text[SUP_VERDICT_SIZE]);
