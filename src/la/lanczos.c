#include "la/lanczos.h"

#include <math.h>
#include <string.h>

#include "la/dense_eigen.h"
#include "la/numerics.h"
#include "la/vector.h"

enum { BLOCK = 4 };

sup_status sup_lanczos_create(sup_lanczos **out, const sup_lanczos_operator *op) {
  SUP_OWN(sup_lanczos) *k = NULL;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(k, 1));
  k->op = *op;
  SUP_TRY(sup_arena_create(&k->arena, (size_t)op->n * BLOCK * 16 * sizeof(double)));
  *out = k, k = NULL;
  return SUP_OK;
}

void sup_lanczos_destroy(sup_lanczos **lanczos) {
  if (!*lanczos) return;
  sup_arena_destroy(&(*lanczos)->arena);
  SUP_FREE_ALL(&(*lanczos)->v, &(*lanczos)->theta, &(*lanczos)->S, lanczos);
}

/** Take the basis off x, t += what is taken off; Cx := C x before. */
static void take_off(const sup_lanczos *k, const double *Cx, double *x, double *t) {
  for (int i = 0; i < k->m; i++) {
    double part = sup_dot(k->v[i].q, Cx, k->op.n);
    if (t) t[i] += part;
    for (int a = 0; a < k->op.n; a++) x[a] -= part * k->v[i].q[a];
  }
}

/** x becomes orthogonal to the basis, and a part of it unless nothing is left; t [m + 1] := what
 * was taken off, NULL: not asked for.  Gram-Schmidt, twice. */
static sup_status add(sup_lanczos *k, double *x, double *t) {
  int     n = k->op.n;
  double *Cx, size = 0;
  SUP_TRY(SUP_ARENA(k->arena, Cx, n));
  for (int round = 0; round < 3; round++) { /* the last one measures */
    k->op.metric(k->op.user, x, Cx);
    double norm = sqrt(fmax(sup_dot(x, Cx, n), 0));
    if (round == 0) size = norm;
    if (!(norm > sup_la_numerics.lanczos_zero * size)) return SUP_OK;
    if (round < 2) {
      take_off(k, Cx, x, t);
      continue;
    }
    for (int a = 0; a < n; a++) x[a] /= norm, Cx[a] /= norm;
    if (t) t[k->m] = norm;
  }
  SUP_TRY(SUP_GROW(k->v, k->capacity, k->m + 1));
  k->v[k->m++] = (sup_lanczos_vector){.q = x, .Cq = Cx};
  return SUP_OK;
}

sup_status sup_lanczos_restart(sup_lanczos *k) {
  for (int b = 0; b < BLOCK; b++) {
    double *x, *Cx, phase = .7 * ++k->seeds;
    SUP_TRY(SUP_ARENA_VECTORS(k->arena, k->op.n, &x, &Cx));
    for (int i = 0; i < k->op.n; i++) x[i] = sin(1 + 3. * i + phase * (1 + 1.9 * i));
    for (int round = 0; round < 2; round++) /* T would leave nothing but its largest values */
      k->op.metric(k->op.user, x, Cx), take_off(k, Cx, x, NULL);
    SUP_TRY(k->op.apply(k->op.user, x));
    SUP_TRY(add(k, x, NULL));
  }
  return SUP_OK;
}

/** Apply T to the vectors to which it was not. */
static sup_status expand(sup_lanczos *k) {
  for (int end = k->m; k->used < end; k->used++) {
    int     room = k->m + 1;
    double *x, *t;
    SUP_TRY(SUP_ARENA(k->arena, x, k->op.n));
    SUP_TRY(SUP_ARENA(k->arena, t, room));
    memset(t, 0, (size_t)room * sizeof *t);
    memcpy(x, k->v[k->used].q, (size_t)k->op.n * sizeof *x);
    SUP_TRY(k->op.apply(k->op.user, x));
    SUP_TRY(add(k, x, t));
    k->v[k->used].t = t, k->v[k->used].num_t = room;
  }
  return SUP_OK;
}

static double entry(const sup_lanczos *k, int i, int j) {
  return i < k->v[j].num_t ? k->v[j].t[i] : 0;
}

/** Norm of T x - theta x of vector i: its part in vectors to which T was not applied. */
static double residual(const sup_lanczos *k, int i) {
  double sum = 0;
  for (int r = k->used; r < k->m; r++) {
    double part = 0;
    for (int j = 0; j < k->used; j++) part += entry(k, r, j) * k->S[i * k->used + j];
    sum += part * part;
  }
  return sqrt(sum);
}

/** theta, S and num: Rayleigh and Ritz. */
static sup_status project(sup_lanczos *k, double tolerance) {
  int               p = k->used;
  SUP_FREED double *A = NULL, *Q = NULL;
  SUP_FREED int    *order = NULL;
  SUP_TRY(SUP_CALLOC(A, p * p));
  SUP_TRY(SUP_CALLOC(Q, p * p));
  SUP_TRY(SUP_CALLOC(order, p));
  SUP_FREE_ALL(&k->theta, &k->S);
  SUP_TRY(SUP_CALLOC(k->theta, p));
  SUP_TRY(SUP_CALLOC(k->S, p * p));
  for (int i = 0; i < p; i++)
    for (int j = 0; j < p; j++) A[i * p + j] = (entry(k, i, j) + entry(k, j, i)) / 2;
  sup_dense_eigen(p, A, Q);
  for (int i = 0; i < p; i++) {
    int at = i;
    for (; at > 0 && A[order[at - 1] * (p + 1)] < A[i * (p + 1)]; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  for (int i = 0; i < p; i++) {
    k->theta[i] = A[order[i] * (p + 1)];
    for (int j = 0; j < p; j++) k->S[i * p + j] = Q[j * p + order[i]];
  }
  k->num = 0;
  while (k->num < p && k->theta[k->num] > 0 && residual(k, k->num) <= tolerance * k->theta[k->num])
    k->num++;
  return SUP_OK;
}

sup_status sup_lanczos_find(sup_lanczos *k, int num, double tolerance) {
  int due = num + BLOCK;
  for (;;) {
    int before = k->m;
    if (k->used == k->m) SUP_TRY(sup_lanczos_restart(k));
    bool is_over = k->m == before && k->used == k->m;
    SUP_TRY(expand(k));
    if (!is_over && k->used < due) continue;
    SUP_TRY(project(k, tolerance));
    if (is_over || k->num >= num) return SUP_OK;
    due = k->used + BLOCK + k->used / 8;
  }
}

void sup_lanczos_get(const sup_lanczos *k, int i, double *x) {
  memset(x, 0, (size_t)k->op.n * sizeof *x);
  for (int j = 0; j < k->used; j++)
    for (int a = 0; a < k->op.n; a++) x[a] += k->S[i * k->used + j] * k->v[j].q[a];
}
