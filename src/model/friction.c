#include "model/friction.h"

#include <math.h>

static double harmonic(double a, double b) { return a + b > 0 ? 2 * a * b / (a + b) : 0; }

/** Friction at rest is at least friction in motion. */
static double static_friction(const sup_contact_def *c) {
  return fmax(c->static_friction, c->friction);
}

static sup_friction_tensor tensor_of(const sup_contact_def *c, double weight) {
  sup_v3 axis = sup_v3_load(c->anisotropy_axis);
  double length = sup_v3_norm(axis);
  if (!(length > 0)) return (sup_friction_tensor){{1, 0, 0}, 1, weight};
  return (sup_friction_tensor){sup_v3_scale(1 / length, axis), c->anisotropy_ratio, weight};
}

sup_contact_def sup_friction_without_condim(sup_contact_def c) {
  if (c.condim == 1) c.friction = c.static_friction = 0;
  if (c.condim > 0 && c.condim < 4) c.torsional_friction = 0;
  if (c.condim > 0 && c.condim < 6) c.rolling_friction = 0;
  c.condim = 0;
  return c;
}

/** A body's friction with the condim of a pair, 0: its own. */
static sup_contact_def with_condim(sup_contact_def c, int condim) {
  if (condim > 0) c.condim = condim;
  return sup_friction_without_condim(c);
}

sup_friction sup_friction_combine(const sup_contact_def *first, const sup_contact_def *second) {
  bool larger = first->condim && second->condim;
  if (larger && first->priority > second->priority) second = first;
  if (larger && second->priority > first->priority) first = second;
  int condim = !larger ? 0 : first->condim > second->condim ? first->condim : second->condim;
  sup_contact_def        own[2] = {with_condim(*first, condim), with_condim(*second, condim)};
  const sup_contact_def *a = &own[0], *b = &own[1];
  double                 sum = a->friction + b->friction;
  double (*rule)(double, double) = larger ? fmax : harmonic;
  double mu = rule(a->friction, b->friction);
  double spin = fmax(a->friction * a->torsional_friction, b->friction * b->torsional_friction);
  return (sup_friction){.mu = mu,
                        .mu_static = rule(static_friction(a), static_friction(b)),
                        .rolling = fmax(a->rolling_friction, b->rolling_friction),
                        .torsional = larger && mu > 0
                                         ? spin / mu
                                         : fmax(a->torsional_friction, b->torsional_friction),
                        .side = {tensor_of(a, sum > 0 ? b->friction / sum : 0.5),
                                 tensor_of(b, sum > 0 ? a->friction / sum : 0.5)}};
}

bool sup_friction_is_anisotropic(const sup_friction *f) {
  return f->side[0].ratio != 1 || f->side[1].ratio != 1;
}

void sup_friction_tensor_at(const sup_friction *f, const sup_m3 *R_A, const sup_m3 *R_B,
                            const sup_m3 *R, double S[3]) {
  double sum[3] = {0, 0, 0};
  for (int k = 0; k < 2; k++) { /* w M^-1 of a side */
    const sup_friction_tensor *side = &f->side[k];
    sup_v3                     a = sup_m3_apply_t(*R, sup_m3_apply(k ? *R_B : *R_A, side->axis));
    double                     e = side->ratio - 1, w = side->weight;
    double scale = e / (1 + e * (a.x * a.x + a.y * a.y)); /* Sherman and Morrison */
    sum[0] += w * (1 - scale * a.x * a.x), sum[1] -= w * (scale * a.x * a.y);
    sum[2] += w * (1 - scale * a.y * a.y);
  }
  double det = sum[0] * sum[2] - sum[1] * sum[1];
  S[0] = sum[2] / det, S[1] = -sum[1] / det, S[2] = sum[0] / det;
}

double sup_friction_most(const sup_friction *f) {
  double ratio = fmax(1, fmax(f->side[0].ratio, f->side[1].ratio));
  return fmax(f->mu, f->mu_static) * ratio;
}

/* mu_d + (mu_s - mu_d)/2 (1 - sig(s - 10)/sig(10)) */
double sup_friction_coefficient(const sup_friction *f, double s) {
  if (!(f->mu_static > f->mu)) return f->mu;
  double x = s - 10, sig = x / sqrt(1 + x * x), sig10 = 10 / sqrt(101.);
  return f->mu + (f->mu_static - f->mu) / 2 * (1 - sig / sig10);
}
