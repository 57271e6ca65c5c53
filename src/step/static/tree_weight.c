/* Proximal weights of one tree (THEORY 18.4): they make the tree's block of A positive definite and
 * bound the step of joints with little resistance. */
#include "step/static/tree_weight.h"
#include "step/static/numerics.h"

#include <math.h>

/** True if A + a K + diag(G), all n x n, is positive definite.  L is workspace. */
static int is_definite(int n, const double *A, double a, const double *K, const double *G,
                       double *L) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double sum = A[j * n + i] + a * K[i * n + j] + (i == j ? G[i] : 0), whole = sum;
      for (int k = 0; k < j; k++) sum -= L[k * n + i] * L[k * n + j];
      if (i == j && !(sum > sup_static_numerics.definite * fabs(whole))) return 0;
      L[j * n + i] = i == j ? sqrt(sum) : sum / L[j * n + j];
    }
  return 1;
}

/** Raise G to a share of the largest G over inertia of a joint; if all are 0, to `unit` times
 * inertia. */
static void spread(int n, const double *mass, double share, double unit, double *G) {
  double rate = 0;
  for (int i = 0; i < n; i++) rate = fmax(rate, G[i] / mass[i]);
  for (int i = 0; i < n; i++) G[i] = fmax(G[i], (rate > 0 ? share * rate : unit) * mass[i]);
}

/** G [n] := weight max(diagonal of A, pulled) + pull pulled, with pulled [n] := h^2 times the
 * forces over the size of the bodies, both spread over the joints. */
static void weigh(const sup_tree_weight *tree, double weight, double *pulled, double *G) {
  int    n = tree->n;
  double h = tree->h;
  for (int i = 0; i < n; i++) pulled[i] = h * h * tree->force[i] / tree->size;
  for (int i = 0; i < n; i++) G[i] = fmax(tree->A[i * (n + 1)], pulled[i]);
  spread(n, tree->mass, sup_static_numerics.tree_spread, h * h, G);
  spread(n, tree->mass, 1, h * h, pulled);
  for (int i = 0; i < n; i++) G[i] = weight * G[i] + tree->pull * pulled[i];
}

int sup_tree_weight_find(const sup_tree_weight *tree, double weight, double *pulled, double *L,
                         double *G) {
  for (int k = 0; k < sup_static_numerics.tree_rounds;
       k++, weight =
                fmax(sup_static_numerics.tree_raise * weight, sup_static_numerics.tree_raised)) {
    weigh(tree, weight, pulled, G);
    if (is_definite(tree->n, tree->A, tree->bend, tree->K, G, L)) return k;
  }
  return (int)sup_static_numerics.tree_rounds;
}

double sup_tree_weight_update(double pull, double overshoot) {
  return pull * (overshoot > 1 ? fmin(overshoot, sup_static_numerics.pull_raise)
                               : sup_static_numerics.pull_lower);
}

int sup_tree_weight_shows(int raises, double pull) {
  return raises == 0 && pull <= sup_static_numerics.free_pull;
}
