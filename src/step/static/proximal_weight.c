/* Proximal weights of load steps (THEORY 18.4). */
#include "step/static/proximal_weight.h"

#include <math.h>

static const double least = 1e-8, loose = 1e-3;

double sup_proximal_least(int is_held) { return is_held ? 0 : least; }

double sup_proximal_first(int is_held) { return is_held ? 0 : loose; }

double sup_proximal_lower(double weight, int is_held) {
  return fmax(0.1 * weight, sup_proximal_least(is_held));
}

double sup_proximal_raise(double weight) { return fmax(100 * weight, least); }
