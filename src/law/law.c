#include "law/law.h"

#include <math.h>

#define ROW(NAME, name) [SUP_LAW_##NAME] = &sup_law_##name,
static const sup_law_row *const table[SUP_NUM_LAWS] = {SUP_LAW_LIST(ROW)};
#undef ROW
#define ROW(NAME, name) [SUP_LAW_##NAME] = #name,
static const char *const names[SUP_NUM_LAWS] = {SUP_LAW_LIST(ROW)};
#undef ROW

static const struct {
  sup_law_kind law;
  int          is_regularized;
} of_model[SUP_NUM_CONTACT_MODELS] = {
#define ROW(NAME, name, LAW, is_regularized, meaning) \
  [SUP_MODEL_##NAME] = {SUP_LAW_##LAW, is_regularized},
    SUP_CONTACT_MODEL_LIST(ROW)
#undef ROW
};

const sup_law_row *sup_law_table(sup_law_kind kind) { return table[kind]; }
int                sup_law_dimension(sup_law_kind kind) { return table[kind]->dimension; }
const char        *sup_law_name(sup_law_kind kind) { return names[kind]; }
sup_law_kind       sup_contact_model_law(sup_contact_model model) { return of_model[model].law; }
bool               sup_contact_model_is_regularized(sup_contact_model model) {
                return of_model[model].is_regularized;
}

/** gamma := T gamma, G := T G T with T = diag(S, 1). */
static void stretch(const sup_anisotropy *S, sup_law_value *value) {
  double gx = value->gamma[0], gy = value->gamma[1], *G = value->G;
  value->gamma[0] = S->xx * gx + S->xy * gy;
  value->gamma[1] = S->xy * gx + S->yy * gy;
  for (int r = 0; r < 3; r++) { /* columns */
    double a = G[3 * r], b = G[3 * r + 1];
    G[3 * r] = a * S->xx + b * S->xy;
    G[3 * r + 1] = a * S->xy + b * S->yy;
  }
  for (int c = 0; c < 3; c++) { /* rows */
    double a = G[c], b = G[3 + c];
    G[c] = S->xx * a + S->xy * b;
    G[3 + c] = S->xy * a + S->yy * b;
  }
  G[3] = G[1]; /* equal but for round-off */
}

void sup_law_evaluate(const sup_law *law, const double *vc, sup_law_value *out) {
  if (!law->anisotropy.on) {
    table[law->kind]->evaluate(law, vc, out);
    return;
  }
  const sup_anisotropy *S = &law->anisotropy;
  double u[3] = {S->xx * vc[0] + S->xy * vc[1], S->xy * vc[0] + S->yy * vc[1], vc[2]};
  table[law->kind]->evaluate(law, u, out);
  stretch(S, out);
}

void sup_law_evaluate_coupled(sup_law *law, const double *vc, sup_law_value *out) {
  double cost, n, slope;
  bool   is_coupled = sup_law_is_coupled(law);
  if (is_coupled) {
    sup_normal_evaluate(&law->coulomb.normal, vc[2], &cost, &n, &slope);
    sup_law_set_lagged_impulse(law, n);
  }
  if (is_coupled && law->kind == SUP_LAW_LAGGED && !law->anisotropy.on)
    sup_lagged_add_friction(&law->coulomb, vc, cost, n, slope, out);
  else
    sup_law_evaluate(law, vc, out);
}

bool sup_law_has_bound(const sup_law *law) { return table[law->kind]->has_bound; }

bool sup_law_is_coupled(const sup_law *law) {
  return sup_law_has_bound(law) && law->coulomb.is_coupled && law->coulomb.mu > 0;
}

void sup_law_bound_slope(const sup_law *law, const double *vc, const double *gamma, double out[2]) {
  const sup_anisotropy *S = &law->anisotropy;
  double                bound = law->coulomb.gn0;
  if (law->kind == SUP_LAW_ELASTIC_STICK) {
    double u[2] = {S->on ? S->xx * vc[0] + S->xy * vc[1] : vc[0],
                   S->on ? S->xy * vc[0] + S->yy * vc[1] : vc[1]};
    if (!sup_elastic_stick_slides(&law->coulomb, u)) bound = 0;
  }
  for (int k = 0; k < 2; k++) out[k] = bound > 0 ? gamma[k] / bound : 0;
}

void sup_law_set_lagged_impulse(sup_law *law, double gn0) {
  sup_coulomb *c = &law->coulomb;
  c->gn0 = gn0;
  c->eps = fmax(c->slip, c->regularise * c->mu * gn0);
}
