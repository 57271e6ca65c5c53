#include "fem/material.h"

#include "fem/kernel/polar.h"

sup_lame sup_fem_lame(double youngs_modulus, double poissons_ratio) {
  double E = youngs_modulus, nu = poissons_ratio;
  return (sup_lame){E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))};
}

sup_prony sup_fem_prony(const sup_material_def *m) {
  static const double pi = 3.14159265358979323846;
  sup_prony           p = {.num = m->num_prony, .long_term = 1};
  for (int i = 0; i < m->num_prony; i++)
    p.share[i] = m->prony[i].share, p.time[i] = m->prony[i].time;
  if (m->loss_factor > 0) {
    p.num = 1;
    p.share[0] = 2 * m->loss_factor / (1 + m->loss_factor);
    p.time[0] = 1 / (2 * pi * m->loss_frequency);
  }
  for (int i = 0; i < p.num; i++) p.long_term -= p.share[i];
  return p;
}

sup_prony_step sup_fem_prony_step(const sup_prony *p, int i, double dt) {
  double z = dt / p->time[i];
  if (!isfinite(z)) return (sup_prony_step){0, 0};
  return (sup_prony_step){exp(-z), p->share[i] * (z > 0 ? -expm1(-z) / z : 1)};
}

double sup_fem_instantaneous_modulus(const sup_material_def *m) {
  double E = m->youngs_modulus;
  return m->moduli == SUP_MODULI_LONG_TERM ? E / sup_fem_prony(m).long_term : E;
}

const char *sup_fem_material_name(sup_material_model model) {
  static const char *const name[SUP_NUM_MATERIALS] = {
#define NAME_OF(NAME, name, meaning) #name,
      SUP_MATERIAL_LIST(NAME_OF)
#undef NAME_OF
  };
  return name[model];
}

static sup_status check_prony(const sup_material_def *m, const char *name) {
  double sum = 0;
  if (m->num_prony < 0 || m->num_prony > SUP_PRONY_MAX)
    return SUP_FAIL(SUP_E_ARG, "material '%s': a Prony series of %d terms; expected at most %d",
                    name, m->num_prony, SUP_PRONY_MAX);
  for (int i = 0; i < m->num_prony; i++) {
    double g = m->prony[i].share, time = m->prony[i].time;
    if (!(g > 0) || !isfinite(g) || !(time > 0) || !isfinite(time))
      return SUP_FAIL(SUP_E_ARG,
                      "material '%s': term %d of its Prony series has the share %g and the time %g "
                      "s, both must be positive",
                      name, i, g, time);
    sum += g;
  }
  if (!(sum < 1))
    return SUP_FAIL(SUP_E_ARG,
                    "material '%s': the shares of its Prony series add up to %g; expected less "
                    "than 1: the part that does not relax is the rest",
                    name, sum);
  if (!(m->loss_factor >= 0 && m->loss_factor < 1))
    return SUP_FAIL(SUP_E_ARG,
                    "material '%s': loss factor is %g; one Maxwell element has 0 to 1 (write a "
                    "Prony series)",
                    name, m->loss_factor);
  if (m->loss_factor > 0 && (!(m->loss_frequency > 0) || !isfinite(m->loss_frequency)))
    return SUP_FAIL(SUP_E_ARG,
                    "material '%s': loss frequency is %g Hz, it must be positive: at which "
                    "frequency is the loss factor %g?",
                    name, m->loss_frequency, m->loss_factor);
  if (m->loss_factor > 0 && m->num_prony > 0)
    return SUP_FAIL(
        SUP_E_ARG, "material '%s': found a Prony series and a loss factor, expected one of the two",
        name);
  return SUP_OK;
}

sup_status sup_fem_check_material(const sup_material_def *material) {
  const char *name = material->name[0] ? material->name : "(no name)";
  double      E = material->youngs_modulus, nu = material->poissons_ratio;
  if (!((int)material->model >= 0 && material->model < SUP_NUM_MATERIALS))
    return SUP_FAIL(SUP_E_ARG, "material '%s': unknown model %d", name, (int)material->model);
  if (!(E > 0) || !isfinite(E))
    return SUP_FAIL(SUP_E_ARG, "material '%s': Young's modulus is %g Pa, it must be positive", name,
                    E);
  if (!(nu > -1 && nu < 0.5))
    return SUP_FAIL(
        SUP_E_ARG,
        "material '%s': Poisson's ratio is %g, it must be above -1 and below 0.5 (rubber: 0.49)",
        name, nu);
  if (!(material->density > 0) || !isfinite(material->density))
    return SUP_FAIL(SUP_E_ARG, "material '%s': density is %g kg/m^3, it must be positive", name,
                    material->density);
  if (!(material->mass_damping >= 0) || !isfinite(material->mass_damping))
    return SUP_FAIL(SUP_E_ARG, "material '%s': mass damping is %g 1/s, it must be zero or positive",
                    name, material->mass_damping);
  if (!(material->stiffness_damping >= 0) || !isfinite(material->stiffness_damping))
    return SUP_FAIL(SUP_E_ARG,
                    "material '%s': stiffness damping is %g s, it must be zero or positive", name,
                    material->stiffness_damping);
  if (!(material->strength >= 0) || !isfinite(material->strength))
    return SUP_FAIL(SUP_E_ARG, "material '%s': strength is %g Pa, it must be zero or positive",
                    name, material->strength);
  if (!(material->strain_at_break >= 0) || !isfinite(material->strain_at_break))
    return SUP_FAIL(SUP_E_ARG, "material '%s': strain at break is %g, it must be zero or positive",
                    name, material->strain_at_break);
  SUP_TRY(check_prony(material, name));
  return SUP_OK;
}

double sup_fem_linear(const sup_lame *lame, const sup_m3 *R, const sup_m3 *F, sup_m3 *P) {
  sup_m3 RtF = sup_m3_mul(sup_m3_transpose(*R), *F);
  double exx = RtF.m[0][0] - 1, eyy = RtF.m[1][1] - 1, ezz = RtF.m[2][2] - 1;
  double eyz = 0.5 * (RtF.m[1][2] + RtF.m[2][1]), exz = 0.5 * (RtF.m[0][2] + RtF.m[2][0]);
  double exy = 0.5 * (RtF.m[0][1] + RtF.m[1][0]), trace = exx + eyy + ezz;
  if (P) {
    double m2 = 2 * lame->mu, p = lame->lambda * trace;
    sup_m3 sigma = {{{m2 * exx + p, m2 * exy, m2 * exz},
                     {m2 * exy, m2 * eyy + p, m2 * eyz},
                     {m2 * exz, m2 * eyz, m2 * ezz + p}}};
    *P = sup_m3_mul(*R, sigma);
  }
  return lame->mu * (exx * exx + eyy * eyy + ezz * ezz + 2 * (eyz * eyz + exz * exz + exy * exy)) +
         0.5 * lame->lambda * trace * trace;
}

double sup_fem_corotational(const sup_lame *lame, const sup_m3 *F, sup_m3 *P) {
  sup_m3 R = sup_fem_polar(F);
  return sup_fem_linear(lame, &R, F, P);
}

sup_m3 sup_fem_tangent(const sup_lame *lame, sup_v3 a, sup_v3 b) {
  double mu = lame->mu, lambda = lame->lambda, d = mu * sup_v3_dot(a, b);
  return (sup_m3){{{d + (mu + lambda) * a.x * b.x, mu * b.x * a.y + lambda * a.x * b.y,
                    mu * b.x * a.z + lambda * a.x * b.z},
                   {mu * b.y * a.x + lambda * a.y * b.x, d + (mu + lambda) * a.y * b.y,
                    mu * b.y * a.z + lambda * a.y * b.z},
                   {mu * b.z * a.x + lambda * a.z * b.x, mu * b.z * a.y + lambda * a.z * b.y,
                    d + (mu + lambda) * a.z * b.z}}};
}

sup_m3 sup_fem_cauchy(sup_material_model model, const sup_m3 *P, const sup_m3 *F) {
  if (model == SUP_MATERIAL_LINEAR) return *P;
  double J = sup_m3_det(F);
  if (fabs(J) < 1e-6) J = J < 0 ? -1e-6 : 1e-6;
  sup_m3 T = sup_m3_mul(*P, sup_m3_transpose(*F)), sigma;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) sigma.m[i][j] = 0.5 * (T.m[i][j] + T.m[j][i]) / J;
  return sigma;
}

double sup_fem_von_mises(const sup_m3 *cauchy) {
  const double(*s)[3] = cauchy->m;
  double a = s[0][0] - s[1][1], b = s[1][1] - s[2][2], c = s[2][2] - s[0][0];
  double shear = s[0][1] * s[0][1] + s[1][2] * s[1][2] + s[0][2] * s[0][2];
  return sqrt(0.5 * (a * a + b * b + c * c) + 3 * shear);
}
