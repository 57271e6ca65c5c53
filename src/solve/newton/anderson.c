#include "solve/newton/anderson.h"

#include <math.h>
#include <string.h>

#include "la/vector.h"
#include "solve/newton/numerics.h"

sup_status sup_anderson_create(sup_anderson *a, int n, int memory, const double *scale,
                               sup_arena *arena) {
  *a = (sup_anderson){.n = n, .memory = memory, .scale = scale};
  SUP_TRY(SUP_ARENA(arena, a->step, n));
  SUP_TRY(SUP_ARENA(arena, a->image, n));
  SUP_TRY(SUP_ARENA(arena, a->steps, memory * n));
  SUP_TRY(SUP_ARENA(arena, a->images, memory * n));
  SUP_TRY(SUP_ARENA(arena, a->gram, memory * memory));
  SUP_TRY(SUP_ARENA(arena, a->work, memory * (memory + 2)));
  return SUP_OK;
}

void sup_anderson_reset(sup_anderson *a) { a->count = a->next = a->has_before = 0; }

/** Store differences to the previous iteration in place of the oldest ones. */
static void remember(sup_anderson *a, const double *x, const double *image) {
  int     m = a->memory, c = a->next;
  double *dF = a->steps + (size_t)(c * a->n), *dG = a->images + (size_t)(c * a->n);
  for (int k = 0; k < a->n; k++) {
    double step = a->scale[k] * (image[k] - x[k]);
    dF[k] = step - a->step[k], dG[k] = image[k] - a->image[k];
    a->step[k] = step, a->image[k] = image[k];
  }
  if (!a->has_before) {
    a->has_before = 1;
    return;
  }
  a->next = (c + 1) % m;
  if (a->count < m) a->count++;
  for (int j = 0; j < a->count; j++)
    a->gram[m * c + j] = a->gram[m * j + c] = sup_dot(dF, a->steps + (size_t)(j * a->n), a->n);
}

/** share [count] := least squares of step - sum share_j steps_j, by Cholesky with a little on the
 * diagonal; returns 0 if the columns are dependent. */
static int combine(sup_anderson *a, double *share) {
  int     m = a->memory, n = a->count;
  double *L = a->work;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = a->gram[m * i + j] * (i == j ? 1 + sup_newton_numerics.anderson_regular : 1);
      for (int k = 0; k < j; k++) sum -= L[m * i + k] * L[m * j + k];
      if (i == j && !(sum > 0)) return 0;
      L[m * i + j] = i == j ? sqrt(sum) : sum / L[m * j + j];
    }
    share[i] = sup_dot(a->steps + (size_t)(i * a->n), a->step, a->n);
    for (int k = 0; k < i; k++) share[i] -= L[m * i + k] * share[k];
    share[i] /= L[m * i + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) share[i] -= L[m * k + i] * share[k];
    share[i] /= L[m * i + i];
  }
  return 1;
}

int sup_anderson_next(sup_anderson *a, const double *x, const double *image, double *out) {
  double *share = a->work + (size_t)(a->memory * a->memory);
  if (a->memory == 0) {
    memmove(out, image, (size_t)(size_t)a->n * sizeof *out);
    return 0;
  }
  remember(a, x, image);
  memcpy(out, a->image, (size_t)(size_t)a->n * sizeof *out);
  if (a->count == 0) return 0;
  if (!combine(a, share)) {
    sup_anderson_reset(a);
    return 0;
  }
  for (int j = 0; j < a->count; j++)
    for (int k = 0; k < a->n; k++) out[k] -= share[j] * a->images[j * a->n + k];
  return 1;
}
