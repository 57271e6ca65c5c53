/* Impulses that do not depend on the velocity: laws in force of solvers that iterate on impulses.
 */
#include <string.h>

#include "law/law.h"

static void evaluate(const sup_law *law, int dimension, const double *vc, sup_law_value *out) {
  memset(out, 0, sizeof *out);
  for (int k = 0; k < dimension; k++) {
    out->gamma[k] = law->impulse.gamma[k];
    out->cost -= out->gamma[k] * vc[k];
  }
}

void sup_impulse_evaluate(const sup_law *law, const double *vc, sup_law_value *out) {
  evaluate(law, 3, vc, out);
}

void sup_joint_impulse_evaluate(const sup_law *law, const double *vc, sup_law_value *out) {
  evaluate(law, 1, vc, out);
}
