#include "study/convergence.h"

#include <math.h>

#include "base/status.h"
#include "study/numerics.h"

/** (h3^p - h2^p) / (h2^p - h1^p) without h2^p: grows with p, at p = 0 its limit. */
static double change_ratio(double log_coarse, double log_fine, double p) {
  return p == 0 ? log_coarse / log_fine : expm1(p * log_coarse) / -expm1(-p * log_fine);
}

double sup_order_of_three(const double h[3], const double value[3]) {
  const double largest = 20;
  double coarse = value[0] - value[1], fine = value[1] - value[2], low = -largest, high = largest;
  double log_coarse = log(h[0] / h[1]), log_fine = log(h[1] / h[2]);
  if (coarse == 0 || coarse * fine < 0) return SUP_NO_NUMBER;
  if (fine == 0) return largest;
  for (int i = 0; i < 100; i++) {
    double p = 0.5 * (low + high);
    if (change_ratio(log_coarse, log_fine, p) < coarse / fine)
      low = p;
    else
      high = p;
  }
  return 0.5 * (low + high);
}

static double spread(const sup_ladder_values *l, double *scale) {
  double low = l->value[0], high = l->value[0];
  for (int i = 1; i < l->num_levels; i++)
    low = fmin(low, l->value[i]), high = fmax(high, l->value[i]);
  *scale = fmax(fabs(low), fabs(high));
  return high - low;
}

static void set_orders(sup_convergence *c, const sup_ladder_values *l) {
  c->num_changes = l->num_levels < 3 ? 0 : l->num_levels - 2;
  for (int i = 0; i < c->num_changes; i++)
    c->change_order[i] = sup_order_of_three(l->h + i, l->value + i);
  c->num_orders = l->has_reference ? l->num_levels - 1 : c->num_changes;
  for (int i = 0; i < c->num_orders; i++) {
    double coarse = fabs(l->value[i] - l->reference), fine = fabs(l->value[i + 1] - l->reference);
    c->order[i] = l->has_reference ? SUP_NO_NUMBER : c->change_order[i];
    if (l->has_reference && coarse > 0 && fine > 0)
      c->order[i] = log(coarse / fine) / log(l->h[i] / l->h[i + 1]);
  }
}

/** Upper bound of believable orders; HUGE_VAL: no bound. */
static double most_order(const sup_ladder_values *l) {
  double given = l->formal_order > 0 ? l->formal_order : HUGE_VAL,
         known = l->most_order > 0 ? l->most_order : HUGE_VAL;
  return fmin(given, known);
}

/** Richardson's value and the error bar from the last levels. */
static void extrapolate(sup_convergence *c, const sup_ladder_values *l) {
  int    n = l->num_levels, assumed = n == 2;
  double p = assumed ? l->formal_order : c->change_order[n - 3];
  c->is_above = p > (1 + sup_study_numerics.agreement) * most_order(l);
  p = fmin(p, most_order(l));
  if (!(p > 0)) return;
  double change = l->value[n - 1] - l->value[n - 2],
         error = change / expm1(p * log(l->h[n - 2] / l->h[n - 1]));
  c->order_used = p;
  c->extrapolated = l->value[n - 1] + error;
  c->band = (assumed ? 3 : 1.25) * fabs(error);
  c->is_by_change = fabs(change) > c->band;
  c->band = fmax(c->band, fabs(change));
  double layer = l->layer_error * fabs(l->value[n - 1]);
  c->is_by_layer = layer > c->band;
  c->band = fmax(c->band, layer);
  if (l->value[n - 1] != 0) c->gci = c->band / fabs(l->value[n - 1]);
}

double sup_ladder_ratio(const sup_ladder_values *l) {
  double least = HUGE_VAL;
  for (int i = l->num_levels > 3 ? l->num_levels - 2 : 1; i < l->num_levels; i++)
    least = fmin(least, l->h[i - 1] / l->h[i]);
  return least;
}

static sup_behaviour behaviour_of(const sup_convergence *c, const sup_ladder_values *l) {
  int n = l->num_levels;
  if (n < 3) return SUP_BEHAVIOUR_TOO_FEW;
  if ((l->value[n - 1] - l->value[n - 2]) * (l->value[n - 2] - l->value[n - 3]) < 0)
    return SUP_BEHAVIOUR_NOT_MONOTONE;
  double last = c->change_order[n - 3], before = n > 3 ? c->change_order[n - 4] : last;
  if (!(last > 0)) return SUP_BEHAVIOUR_DIVERGING;
  if (!(fmin(last, before) >= sup_study_numerics.lowest_order &&
        fmax(last, before) <= sup_study_numerics.highest_order))
    return SUP_BEHAVIOUR_PREASYMPTOTIC;
  if (isnan(before) || fabs(last - before) > sup_study_numerics.agreement * fmax(last, before))
    return SUP_BEHAVIOUR_PREASYMPTOTIC;
  return n > 3 ? SUP_BEHAVIOUR_ASYMPTOTIC : SUP_BEHAVIOUR_SINGLE_ORDER;
}

static void set_errors(sup_convergence *c, const sup_ladder_values *l) {
  double base = l->has_reference ? l->reference : c->extrapolated;
  c->base = l->has_reference ? SUP_ERROR_REFERENCE
            : isfinite(base) ? SUP_ERROR_RICHARDSON
                             : SUP_ERROR_NONE;
  for (int i = 0; i < l->num_levels; i++) c->error[i] = fabs(l->value[i] - base);
}

/** 1: extrapolation is unreliable: orders change, levels are too close, or the error bar is most of
 * the value. */
static void drop_guesses(sup_convergence *c, const sup_ladder_values *l) {
  if (c->behaviour == SUP_BEHAVIOUR_SINGLE_ORDER && c->gci > sup_study_numerics.largest_bar)
    c->behaviour = SUP_BEHAVIOUR_PREASYMPTOTIC;
  int leads = c->behaviour == SUP_BEHAVIOUR_SINGLE_ORDER ||
              c->behaviour == SUP_BEHAVIOUR_ASYMPTOTIC || isfinite(c->extrapolated);
  if (leads && sup_ladder_ratio(l) < SUP_LEAST_RATIO * (1 - sup_study_numerics.noise))
    c->behaviour = SUP_BEHAVIOUR_TOO_CLOSE;
  if (c->behaviour == SUP_BEHAVIOUR_PREASYMPTOTIC || c->behaviour == SUP_BEHAVIOUR_TOO_CLOSE)
    c->extrapolated = c->band = c->gci = SUP_NO_NUMBER;
}

sup_convergence sup_converge(const sup_ladder_values *l) {
  sup_convergence c = {.num_levels = l->num_levels,
                       .order_used = SUP_NO_NUMBER,
                       .extrapolated = SUP_NO_NUMBER,
                       .band = SUP_NO_NUMBER,
                       .gci = SUP_NO_NUMBER};
  double          scale;
  SUP_ASSERT(l->num_levels > 0 && l->num_levels <= SUP_MAX_LEVELS);
  if (l->num_levels > 1 && spread(l, &scale) <= sup_study_numerics.noise * scale) {
    c.behaviour = SUP_BEHAVIOUR_CONSTANT;
    c.extrapolated = l->value[l->num_levels - 1];
    c.band = c.gci = 0;
  } else {
    set_orders(&c, l);
    c.behaviour = behaviour_of(&c, l);
    if (c.behaviour != SUP_BEHAVIOUR_NOT_MONOTONE && l->num_levels > 1 &&
        !sup_ladder_is_of_errors(l))
      extrapolate(&c, l);
    drop_guesses(&c, l);
  }
  set_errors(&c, l);
  return c;
}
