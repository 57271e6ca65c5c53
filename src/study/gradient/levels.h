/** Gradient on the levels of a ladder: a study a level, and orders, limits and error bars by the
 * rules of `supple converge`.  Layer study. */
#pragma once

#include "study/gradient/gradient.h"

typedef struct sup_gradient_levels {
  int        num;                   /* 1: without a ladder */
  sup_study *study[SUP_MAX_LEVELS]; /* from coarse to fine; the last is the caller's */
} sup_gradient_levels;

/** Load and prepare the levels below a prepared study, which is the finest.  E_PARSE: one is not
 * finer than the one before.  Empty on failure. */
SUP_NODISCARD sup_status sup_gradient_levels_create(sup_gradient_levels *levels, sup_study *study,
                                                    const char *program);
void                     sup_gradient_levels_free(sup_gradient_levels *levels);
/** gradient.curve of the finest study := orders, error bars and verdicts of all slopes.  The
 * studies have run.  Without a ladder nothing happens. */
SUP_NODISCARD sup_status sup_gradient_levels_judge(const sup_gradient_levels *levels);
/** Curve of a slope over the levels; NULL: there is no ladder. */
const sup_curve *sup_gradient_curve(const sup_study *study, int quantity, int parameter);
