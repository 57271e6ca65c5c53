/** Slope of a function from its values at a point and at three distances on both sides.  Layer
 * study. */
#pragma once

#include "study/study.h"

/** Values of a run's number; not finite: the run failed. */
typedef struct sup_slope_samples {
  double x, f;                                             /* at the point itself */
  double x_below[SUP_NUM_WIDTHS], f_below[SUP_NUM_WIDTHS]; /* at x - h, the largest h first */
  double x_above[SUP_NUM_WIDTHS], f_above[SUP_NUM_WIDTHS];
} sup_slope_samples;

/** Sides whose values are there. */
typedef enum sup_slope_sides {
  SUP_SLOPE_NO_SIDE,
  SUP_SLOPE_ABOVE,
  SUP_SLOPE_BELOW,
  SUP_SLOPE_BOTH_SIDES,
  SUP_SLOPE_OF_POINT /* derivative at the point: no values beside it */
} sup_slope_sides;

typedef struct sup_slope {
  sup_slope_sides sides;
  double          gradient;    /* by the width of least error, extrapolated to width 0 */
  double          error;       /* estimate: truncation and noise */
  double          left, right; /* one-sided slopes of that width */
  double          of_width[SUP_NUM_WIDTHS];    /* central, the largest width first */
  int             width;                       /* the chosen one */
  double          noise;                       /* of a value */
  bool            is_zero;                     /* not above its error */
  bool            sides_differ, widths_differ; /* by more than the limit: a kink, or a jump */
} sup_slope;

/** Central differences: error of truncation by the change from the first width to the second, noise
 * by second differences, which fall with the square of the width where the function is smooth, with
 * the width at a kink, and not at all in noise.
 *  @param[in] kink  limit of the difference of slopes, over the slope */
sup_slope sup_slope_measure(const sup_slope_samples *s, double kink);
/** Slope at x of the parabola through three values, where one of `at` has none of the chord: by
 * central differences, or of second order from one side.
 *  @param[in] f  value at x
 *  @param[in] at, beside  other places and values; not finite: none
 *  @return not finite without both */
double sup_slope_through(double x, double f, const double at[2], const double beside[2]);
/** A derivative at the point itself, and slopes on both sides, which may be unknown (NaN). */
sup_slope sup_slope_of_point(double gradient, double left, double right, double kink);
