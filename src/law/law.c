#include "law/law.h"

static const struct {
  const char *name;
  int         dimension;
  void (*evaluate)(const sup_law *law, const double *vc, sup_law_value *out);
} table[SUP_NUM_LAWS] = {
    [SUP_LAW_LAGGED] = {"lagged", 3, sup_lagged_evaluate},
    [SUP_LAW_LIMIT] = {"limit", 1, sup_limit_evaluate},
    [SUP_LAW_PD] = {"pd", 1, sup_pd_evaluate},
};

int         sup_law_dimension(sup_law_kind kind) { return table[kind].dimension; }
const char *sup_law_name(sup_law_kind kind) { return table[kind].name; }
void        sup_law_evaluate(const sup_law *law, const double *vc, sup_law_value *out) {
         table[law->kind].evaluate(law, vc, out);
}
