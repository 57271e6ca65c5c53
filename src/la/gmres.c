#include "la/gmres.h"

#include <math.h>
#include <string.h>

#include "la/vector.h"

/** Rotate the last column. */
static void rotate(sup_gmres *g) {
  int     k = g->count;
  double *h = g->h[k];
  for (int i = 0; i < k; i++) {
    double a = h[i];
    h[i] = g->cos[i] * a + g->sin[i] * h[i + 1], h[i + 1] = g->cos[i] * h[i + 1] - g->sin[i] * a;
  }
  g->is_negative = h[k] < 0;
  double size = hypot(h[k], h[k + 1]);
  g->cos[k] = size > 0 ? h[k] / size : 1, g->sin[k] = size > 0 ? h[k + 1] / size : 0;
  h[k] = size;
  g->rest[k + 1] = -g->sin[k] * g->rest[k], g->rest[k] *= g->cos[k];
}

void sup_gmres_extend(sup_gmres *g, double *basis, int n) {
  double *h = g->h[g->count], *w = basis + (size_t)(g->count + 1) * (size_t)n;
  for (int k = 0; k <= g->count; k++) { /* modified Gram-Schmidt */
    const double *e = basis + (size_t)k * (size_t)n;
    h[k] = sup_dot(w, e, n);
    for (int i = 0; i < n; i++) w[i] -= h[k] * e[i];
  }
  double next = h[g->count + 1] = sup_norm(w, n);
  for (int i = 0; i < n && next > 0; i++) w[i] /= next;
  rotate(g);
  g->count++, g->is_invariant = !(next > 0);
}

void sup_gmres_finish(sup_gmres *g) {
  for (int k = g->count; k-- > 0;) {
    for (int j = k + 1; j < g->count; j++) g->rest[k] -= g->h[j][k] * g->rest[j];
    g->rest[k] = g->h[k][k] > 0 ? g->rest[k] / g->h[k][k] : 0;
  }
}

sup_status sup_gmres_solve(int n, sup_gmres_product *K, sup_gmres_product *M, void *user,
                           double tolerance, double *x, sup_arena *arena, double *residual) {
  sup_gmres g;
  double   *basis, *moved;
  double    size = sup_norm(x, n);
  *residual = 0;
  if (!(size > 0)) return SUP_OK;
  SUP_TRY(SUP_ARENA(arena, basis, (size_t)(SUP_GMRES_MOST + 1) * (size_t)n));
  SUP_TRY(SUP_ARENA(arena, moved, (size_t)SUP_GMRES_MOST * (size_t)n));
  for (int i = 0; i < n; i++) basis[i] = x[i] / size;
  sup_gmres_begin(&g, size);
  while (g.count < SUP_GMRES_MOST && !g.is_invariant && fabs(g.rest[g.count]) > tolerance * size) {
    size_t  at = (size_t)g.count * (size_t)n;
    double *u = basis + at, *Mu = moved + at;
    memcpy(Mu, u, (size_t)n * sizeof *Mu);
    SUP_TRY(M(user, Mu, NULL));
    SUP_TRY(K(user, Mu, u + n));
    sup_gmres_extend(&g, basis, n);
  }
  *residual = fabs(g.rest[g.count]) / size;
  sup_gmres_finish(&g);
  memset(x, 0, (size_t)n * sizeof *x);
  for (int k = 0; k < g.count; k++)
    for (int i = 0; i < n; i++) x[i] += g.rest[k] * moved[(size_t)k * (size_t)n + (size_t)i];
  return SUP_OK;
}
