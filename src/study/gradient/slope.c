#include "study/gradient/slope.h"

#include <float.h>
#include <math.h>

#include "study/numerics.h"

enum { N = SUP_NUM_WIDTHS };

static double half_width(const sup_slope_samples *s, int k) {
  return 0.5 * (s->x_above[k] - s->x_below[k]);
}

static bool all_finite(const double *f) {
  for (int k = 0; k < N; k++)
    if (!isfinite(f[k])) return false;
  return true;
}

static sup_slope_sides sides_of(const sup_slope_samples *s) {
  bool above = all_finite(s->f_above), below = all_finite(s->f_below);
  if (!isfinite(s->f)) return SUP_SLOPE_NO_SIDE;
  return above && below ? SUP_SLOPE_BOTH_SIDES
         : above        ? SUP_SLOPE_ABOVE
         : below        ? SUP_SLOPE_BELOW
                        : SUP_SLOPE_NO_SIDE;
}

/** Round-off of a value as large as the samples. */
static double round_off(const sup_slope_samples *s) {
  double largest = fabs(s->f);
  for (int k = 0; k < N; k++)
    largest = fmax(largest, fmax(isfinite(s->f_above[k]) ? fabs(s->f_above[k]) : 0,
                                 isfinite(s->f_below[k]) ? fabs(s->f_below[k]) : 0));
  return sup_study_numerics.round_off * DBL_EPSILON * largest;
}

/* ---- both sides ------------------------------------------------------------------------------ */

/** Noise of a value from what remains of second differences beside the largest one times the ratio
 * of widths to `power`: remainders of one size are noise, others a jump.
 *  @param[out] most  the largest remainder */
static double remainder_noise(const sup_slope_samples *s, int power, double *most) {
  double d[N], rest[N - 1], low = HUGE_VAL, high = 0;
  for (int k = 0; k < N; k++) d[k] = (s->f_above[k] - s->f) + (s->f_below[k] - s->f);
  for (int k = 1; k < N; k++) {
    rest[k - 1] = fabs(d[k] - d[0] * pow(half_width(s, k) / half_width(s, 0), power));
    low = fmin(low, rest[k - 1]), high = fmax(high, rest[k - 1]);
  }
  *most = high;
  return fmax(round_off(s), 0.5 * (high > sup_study_numerics.jump * low ? low : high));
}

static void take_width(const sup_slope_samples *s, int k, double error, sup_slope *slope) {
  slope->error = error, slope->width = k, slope->gradient = slope->of_width[k];
  slope->right = (s->f_above[k] - s->f) / (s->x_above[k] - s->x);
  slope->left = (s->f - s->f_below[k]) / (s->x - s->x_below[k]);
}

/** The width of least error of a smooth function, whose slopes are told. */
static void choose_width(const sup_slope_samples *s, sup_slope *slope) {
  double change = fabs(slope->of_width[0] - slope->of_width[1]);
  slope->error = HUGE_VAL;
  for (int k = 0; k < N; k++) {
    double h = half_width(s, k), ratio = h / half_width(s, 0),
           error = change * ratio * ratio * ratio + slope->noise / h;
    if (error < slope->error) take_width(s, k, error, slope);
  }
}

/** The smallest width whose noise is below the change of slopes with the width: kinks lie beyond
 * it, or its change from the width before bounds their part. */
static void choose_near_kinks(const sup_slope_samples *s, sup_slope *slope) {
  double change[N] = {0}, most = 0;
  for (int k = 1; k < N; k++) {
    change[k] = fabs(slope->of_width[k] - slope->of_width[k - 1]);
    most = fmax(most, change[k]);
  }
  for (int k = 1; k < N; k++) {
    double noise = slope->noise / half_width(s, k);
    if (k == 1 || noise < most) take_width(s, k, change[k] + noise, slope);
  }
}

static bool widths_differ(const sup_slope_samples *s, const sup_slope *slope, double limit) {
  for (int i = 0; i < N; i++)
    for (int j = i + 1; j < N; j++) {
      double noise = slope->noise * (1 / half_width(s, i) + 1 / half_width(s, j));
      if (fabs(slope->of_width[i] - slope->of_width[j]) >
          limit + sup_study_numerics.deviations * noise)
        return true;
    }
  return false;
}

/** Change of the slope from the chosen width to width 0 (Richardson). */
static double beyond(const sup_slope_samples *s, const sup_slope *slope) {
  double ratio = half_width(s, slope->width) / half_width(s, 0), square = ratio * ratio;
  if (slope->width == 0) return 0;
  return (slope->of_width[slope->width] - slope->of_width[0]) * square / (1 - square);
}

static void measure_both(const sup_slope_samples *s, double kink, sup_slope *slope) {
  double of_smooth, of_kink;
  double smooth = remainder_noise(s, 2, &of_smooth), sharp = remainder_noise(s, 1, &of_kink);
  bool   is_sharp = of_kink < sup_study_numerics.sharper * of_smooth;
  slope->noise = is_sharp ? sharp : smooth;
  for (int k = 0; k < N; k++)
    slope->of_width[k] = (s->f_above[k] - s->f_below[k]) / (s->x_above[k] - s->x_below[k]);
  choose_width(s, slope);
  double limit = kink * fabs(slope->gradient),
         noise = sup_study_numerics.deviations * slope->noise / half_width(s, slope->width);
  slope->sides_differ = is_sharp && fabs(slope->right - slope->left) > limit + 2 * noise;
  slope->widths_differ = widths_differ(s, slope, limit);
  if (slope->widths_differ) choose_near_kinks(s, slope);
  if (slope->sides_differ)
    slope->error = fmax(slope->error, 0.5 * fabs(slope->right - slope->left));
  slope->is_zero =
      !slope->sides_differ && fabs(slope->gradient) <= sup_study_numerics.deviations * slope->error;
  if (!slope->widths_differ) slope->gradient += beyond(s, slope);
}

/* ---- one side -------------------------------------------------------------------------------- */

static void measure_one(const sup_slope_samples *s, sup_slope *slope) {
  const double *x = slope->sides == SUP_SLOPE_ABOVE ? s->x_above : s->x_below,
               *f = slope->sides == SUP_SLOPE_ABOVE ? s->f_above : s->f_below;
  double one[N], h = x[N - 1] - s->x, ratio = h / (x[N - 2] - s->x);
  for (int k = 0; k < N; k++) one[k] = (f[k] - s->f) / (x[k] - s->x);
  double change = (one[N - 1] - one[N - 2]) * ratio / (1 - ratio);
  slope->width = N - 1, slope->noise = round_off(s);
  slope->gradient = one[N - 1] + change;
  slope->error = fabs(change) + 2 * slope->noise / fabs(h);
  slope->is_zero = fabs(slope->gradient) <= sup_study_numerics.deviations * slope->error;
  for (int k = 0; k < N; k++) slope->of_width[k] = SUP_NO_NUMBER;
  slope->left = slope->right = SUP_NO_NUMBER;
  *(slope->sides == SUP_SLOPE_ABOVE ? &slope->right : &slope->left) = one[N - 1];
}

sup_slope sup_slope_measure(const sup_slope_samples *s, double kink) {
  sup_slope slope = {.sides = sides_of(s), .gradient = SUP_NO_NUMBER, .error = SUP_NO_NUMBER};
  slope.left = slope.right = slope.noise = SUP_NO_NUMBER;
  for (int k = 0; k < N; k++) slope.of_width[k] = SUP_NO_NUMBER;
  if (slope.sides == SUP_SLOPE_BOTH_SIDES)
    measure_both(s, kink, &slope);
  else if (slope.sides != SUP_SLOPE_NO_SIDE)
    measure_one(s, &slope);
  return slope;
}

/* ---- three points ---------------------------------------------------------------------------- */

double sup_slope_through(double x, double f, const double at[2], const double beside[2]) {
  double chord[2], distance[2];
  for (int k = 0; k < 2; k++) distance[k] = at[k] - x, chord[k] = (beside[k] - f) / distance[k];
  if (!isfinite(chord[0])) return chord[1];
  if (!isfinite(chord[1])) return chord[0];
  return (chord[0] * distance[1] - chord[1] * distance[0]) / (distance[1] - distance[0]);
}

sup_slope sup_slope_of_point(double gradient, double left, double right, double kink) {
  sup_slope slope = {.sides = SUP_SLOPE_OF_POINT,
                     .gradient = gradient,
                     .left = left,
                     .right = right,
                     .is_zero = gradient == 0,
                     .sides_differ = fabs(right - left) > kink * fabs(gradient)};
  slope.error = slope.noise = SUP_NO_NUMBER;
  for (int k = 0; k < SUP_NUM_WIDTHS; k++) slope.of_width[k] = SUP_NO_NUMBER;
  return slope;
}
