#include "law/parameter.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ALL(FORM) (1u << SUP_FORM_##FORM), SUP_NONE
#define STICK (1u << SUP_FORM_COULOMB), SUP_LAW_ELASTIC_STICK
#define CONTACT (1u << SUP_FORM_COULOMB | 1u << SUP_FORM_SAP), SUP_NONE
#define AT(member) offsetof(sup_law, member)

const sup_law_parameter sup_law_parameters[SUP_NUM_LAW_PARAMETERS] = {
    {"mu", "-", "friction coefficient", ALL(SAP), AT(sap.mu)},
    {"mu", "-", "friction coefficient", ALL(COULOMB), AT(coulomb.mu)},
    {"Rt", "1/kg", "tangential regularisation", ALL(SAP), AT(sap.Rt)},
    {"Rt", "1/kg", "tangential regularisation", STICK, AT(coulomb.Rt)},
    {"Rn", "1/kg", "normal regularisation", ALL(SAP), AT(sap.Rn)},
    {"vhat", "m/s", "velocity at which the spring is at rest", ALL(SAP), AT(sap.vhat)},
    {"vhat", "m/s or rad/s", "velocity at which the limit is reached", ALL(LIMIT), AT(limit.vhat)},
    {"delay", "s", "dt + tau", ALL(SAP), AT(sap.delay)},
    {"eps", "m/s", "of the soft norm", ALL(COULOMB), AT(coulomb.eps)},
    {"gn0", "N s", "lagged normal impulse", ALL(COULOMB), AT(coulomb.gn0)},
    {"is_coupled", "-", "1: gn0 is to be that of the solution", ALL(COULOMB),
     AT(coulomb.is_coupled), 1},
    {"slip", "m/s", "stiction tolerance v_s, the least eps", ALL(COULOMB), AT(coulomb.slip)},
    {"vn0", "m/s", "normal velocity at the start", ALL(COULOMB), AT(coulomb.vn0)},
    {"regularise", "1/kg", "sigma w of eps", ALL(COULOMB), AT(coulomb.regularise)},
    {"tau_t", "s", "relaxation time of the elastic stick", STICK, AT(coulomb.tau_t)},
    {"vhat_x", "m/s", "velocity at which the elastic stick is at rest", STICK, AT(coulomb.vhat[0])},
    {"vhat_y", "m/s", "velocity at which the elastic stick is at rest", STICK, AT(coulomb.vhat[1])},
    {"dt", "s", "duration of the step", ALL(COULOMB), AT(coulomb.normal.dt)},
    {"dt", "s", "duration of the step", ALL(PD), AT(pd.dt)},
    {"phi0", "m", "gap at the start, negative inside", ALL(COULOMB), AT(coulomb.normal.phi0)},
    {"f0", "N", "elastic force at the start", ALL(COULOMB), AT(coulomb.normal.f0)},
    {"k", "N/m", "stiffness", ALL(COULOMB), AT(coulomb.normal.k)},
    {"d", "s/m", "Hunt-Crossley dissipation", ALL(COULOMB), AT(coulomb.normal.d)},
    {"tau", "s", "relaxation time", ALL(COULOMB), AT(coulomb.normal.tau)},
    {"hertz", "N/m^1.5", "4/3 E* sqrt(R*)", ALL(COULOMB), AT(coulomb.normal.hertz)},
    {"barrier_energy", "J", "of barriers", ALL(COULOMB), AT(coulomb.normal.barrier_energy)},
    {"barrier_range", "m", "of barriers", ALL(COULOMB), AT(coulomb.normal.barrier_range)},
    {"S_xx", "-", "anisotropy of friction", CONTACT, AT(anisotropy.xx)},
    {"S_xy", "-", "anisotropy of friction", CONTACT, AT(anisotropy.xy)},
    {"S_yy", "-", "anisotropy of friction", CONTACT, AT(anisotropy.yy)},
    {"H", "kg or kg m^2", "impulse per velocity", ALL(LIMIT), AT(limit.H)},
    {"u0", "N or N m", "effort at rest", ALL(PD), AT(pd.u0)},
    {"slope", "N s/m or N m s", "effort per velocity", ALL(PD), AT(pd.slope)},
    {"effort", "N or N m", "its limit", ALL(PD), AT(pd.effort)},
};

static int has(const sup_law_parameter *p, const sup_law *law) {
  if (p->only != SUP_NONE && p->only != (int)law->kind) return 0;
  return p->forms >> sup_law_table(law->kind)->form & 1;
}

static bool is_coulomb(const sup_law *law) {
  return sup_law_table(law->kind)->form == SUP_FORM_COULOMB;
}

const char *sup_law_normal_name(const sup_law *law) {
  return is_coulomb(law) ? sup_normal_name(law->coulomb.normal.kind) : "";
}

const char *sup_law_softening_name(const sup_law *law) {
  return is_coulomb(law) ? sup_friction_softening_name(law->coulomb.softening) : "";
}

bool sup_law_parameter_is_first(int k) {
  return k == 0 || strcmp(sup_law_parameters[k].name, sup_law_parameters[k - 1].name) != 0;
}

static const sup_law_parameter *find(const char *name, const sup_law *law) {
  for (int k = 0; k < SUP_NUM_LAW_PARAMETERS; k++)
    if (has(&sup_law_parameters[k], law) && strcmp(sup_law_parameters[k].name, name) == 0)
      return &sup_law_parameters[k];
  return NULL;
}

double sup_law_parameter_get(const char *name, const sup_law *law) {
  const sup_law_parameter *p = find(name, law);
  double                   value = (double)NAN;
  int                      integer;
  if (p && p->is_integer) {
    memcpy(&integer, (const char *)law + p->offset, sizeof integer);
    value = integer;
  } else if (p) {
    memcpy(&value, (const char *)law + p->offset, sizeof value);
  }
  return value;
}

void sup_law_parameter_set(const char *name, sup_law *law, double value) {
  const sup_law_parameter *p = find(name, law);
  int                      integer = value != 0;
  if (p && p->is_integer)
    memcpy((char *)law + p->offset, &integer, sizeof integer);
  else if (p)
    memcpy((char *)law + p->offset, &value, sizeof value);
}
