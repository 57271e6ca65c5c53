/* Proximal weights of load steps (THEORY 18.4). */
#include "step/static/proximal_weight.h"

#include <math.h>

#include "fem/material.h"
#include "step/static/numerics.h"

double sup_proximal_least(int is_held) { return is_held ? 0 : sup_static_numerics.weight_least; }

double sup_proximal_first(int is_held) { return is_held ? 0 : sup_static_numerics.weight_first; }

double sup_proximal_lower(double weight, int is_held) {
  return fmax(sup_static_numerics.weight_lower * weight, sup_proximal_least(is_held));
}

double sup_proximal_raise(double weight) {
  return fmax(sup_static_numerics.weight_raise * weight, sup_static_numerics.weight_least);
}

int sup_proximal_is_last(double weight) { return weight >= sup_static_numerics.weight_most; }

double sup_proximal_shift_first(double last) { return sup_static_numerics.shift_first * last; }

double sup_proximal_shift_next(double shift) { return sup_static_numerics.shift_more * shift; }

int sup_proximal_shift_is_last(double shift) { return shift >= sup_static_numerics.shift_most; }

double sup_proximal_inertia(double weight, double h, const sup_fem_body *fem) {
  const sup_material_def *m = sup_fem_material(fem, 0);
  double volume = sup_fem_mass(fem) / (m->density * sup_fem_mesh(fem)->num_vertices);
  double size = cbrt(volume);
  return weight * h * h * m->youngs_modulus / (m->density * size * size);
}
