#include "control/ilqr.h"

#include <math.h>
#include <string.h>

#include "la/dense_cholesky.h"

/** Halvings of a step; those after which the weight grows; the share 1/ARMIJO of the decrease by
 * the model that is accepted; the weight 10^power, 0 below FIRST_POWER. */
enum { MAX_HALVINGS = 9, MANY_HALVINGS = 2, ARMIJO = 100, FIRST_POWER = -6, LAST_POWER = 8 };

/** Workspace of one minimisation. */
typedef struct ilqr {
  const sup_ilqr_problem *p;
  sup_ilqr_model          model;
  sup_ilqr_policy        *policy;
  double                 *memory;            /* of the model and of all below */
  double                 *Vx, *Vxx;          /* [n], [n x n] of the cost to go */
  double                 *Qx, *Qu;           /* [n], [m] */
  double                 *Qxx, *Qux, *Quu;   /* [n x n], [m x n], [m x m] */
  double                 *damped, *damped_x; /* [m x m], [m x n] Quu, Qux with the weight */
  double                 *BB, *BA;           /* [m x m], [m x n] B^T B, B^T A */
  double                 *VA, *VB;           /* [n x n], [n x m] */
  double                 *low, *high, *L;    /* [m], [m], [m x m + 3 m] */
  int                    *free;              /* [m] */
  double slope, curvature; /* of the cost along the policy: alpha slope + alpha^2 curvature */
  int    power;            /* of the weight on changes of the next state, over the curvature in u */
} ilqr;

static sup_status allocate(ilqr *w) {
  size_t N = (size_t)w->p->N, n = (size_t)w->p->n, m = (size_t)w->p->m;
  struct {
    double **to;
    size_t   size;
  } part[] = {{&w->model.A, N * n * n},
              {&w->model.B, N * n * m},
              {&w->model.lx, (N + 1) * n},
              {&w->model.lxx, (N + 1) * n * n},
              {&w->model.lu, N * m},
              {&w->model.luu, N * m * m},
              {&w->Vx, n},
              {&w->Vxx, n * n},
              {&w->Qx, n},
              {&w->Qu, m},
              {&w->Qxx, n * n},
              {&w->Qux, m * n},
              {&w->Quu, m * m},
              {&w->damped, m * m},
              {&w->damped_x, m * n},
              {&w->BB, m * m},
              {&w->BA, m * n},
              {&w->VA, n * n},
              {&w->VB, n * m},
              {&w->low, m},
              {&w->high, m},
              {&w->L, m * m + 3 * m}};
  enum { PARTS = sizeof part / sizeof *part };
  size_t total = 0;
  for (int i = 0; i < PARTS; i++) total += part[i].size;
  SUP_TRY(SUP_CALLOC(w->memory, total));
  SUP_TRY(SUP_CALLOC(w->free, m));
  double *at = w->memory;
  for (int i = 0; i < PARTS; i++) *part[i].to = at, at += part[i].size;
  return SUP_OK;
}

static void ilqr_free(ilqr *w) { SUP_FREE_ALL(&w->memory, &w->free); }

/* ---- backward pass --------------------------------------------------------------------------- */

/** out [r x c] += X^T Y, X [k x r], Y [k x c]. */
static void add_product(int k, int r, int c, const double *X, const double *Y, double *out) {
  for (int l = 0; l < k; l++)
    for (int i = 0; i < r; i++) {
      double x = X[l * r + i];
      for (int j = 0; j < c && x != 0; j++) out[i * c + j] += x * Y[l * c + j];
    }
}

/** Q of step k from V of step k + 1. */
static void expand_step(ilqr *w, int k) {
  int           n = w->p->n, m = w->p->m;
  const double *A = w->model.A + (size_t)k * (size_t)(n * n),
               *B = w->model.B + (size_t)k * (size_t)(n * m);
  memset(w->VA, 0, (size_t)(n * n) * sizeof *w->VA);
  memset(w->VB, 0, (size_t)(n * m) * sizeof *w->VB);
  memset(w->Qux, 0, (size_t)(n * m) * sizeof *w->Qux);
  memcpy(w->Qx, w->model.lx + (size_t)k * (size_t)n, (size_t)n * sizeof *w->Qx);
  memcpy(w->Qu, w->model.lu + (size_t)k * (size_t)m, (size_t)m * sizeof *w->Qu);
  memcpy(w->Qxx, w->model.lxx + (size_t)k * (size_t)(n * n), (size_t)(n * n) * sizeof *w->Qxx);
  memcpy(w->Quu, w->model.luu + (size_t)k * (size_t)(m * m), (size_t)(m * m) * sizeof *w->Quu);
  add_product(n, n, n, w->Vxx, A, w->VA);
  add_product(n, n, m, w->Vxx, B, w->VB);
  add_product(n, n, 1, A, w->Vx, w->Qx);
  add_product(n, m, 1, B, w->Vx, w->Qu);
  add_product(n, n, n, A, w->VA, w->Qxx);
  add_product(n, m, n, B, w->VA, w->Qux);
  add_product(n, m, m, B, w->VB, w->Quu);
}

static double weight(const ilqr *w) { return w->power < FIRST_POWER ? 0 : pow(10, w->power); }

static double largest_diagonal(int m, const double *X) {
  double most = 0;
  for (int i = 0; i < m; i++) most = fmax(most, X[i * (m + 1)]);
  return most;
}

/** Quu and Qux with a weight on the change of the next state: a direction that stays near the
 * trajectory (Tassa, Erez and Todorov 2012). */
static void damp(ilqr *w, int k) {
  int           n = w->p->n, m = w->p->m;
  const double *A = w->model.A + (size_t)k * (size_t)(n * n),
               *B = w->model.B + (size_t)k * (size_t)(n * m);
  memcpy(w->damped, w->Quu, (size_t)(m * m) * sizeof *w->Quu);
  memcpy(w->damped_x, w->Qux, (size_t)(m * n) * sizeof *w->Qux);
  if (weight(w) == 0) return;
  memset(w->BB, 0, (size_t)(m * m) * sizeof *w->BB);
  memset(w->BA, 0, (size_t)(m * n) * sizeof *w->BA);
  add_product(n, m, m, B, B, w->BB);
  add_product(n, m, n, B, A, w->BA);
  double most = largest_diagonal(m, w->BB),
         scale = most > 0 ? weight(w) * largest_diagonal(m, w->Quu) / most : 0;
  for (int i = 0; i < m * m; i++) w->damped[i] += scale * w->BB[i];
  for (int i = 0; i < m * n; i++) w->damped_x[i] += scale * w->BA[i];
}

/** Gains of step k; 0: Quu is not positive definite. */
static int solve_step(ilqr *w, int k) {
  int           n = w->p->n, m = w->p->m, num_free;
  double       *of_k = w->policy->k + (size_t)k * (size_t)m;
  double       *K = w->policy->K + (size_t)k * (size_t)(m * n);
  const double *u = w->p->u + (size_t)k * (size_t)m;
  for (int i = 0; i < m; i++) w->low[i] = w->p->low[i] - u[i], w->high[i] = w->p->high[i] - u[i];
  memset(of_k, 0, (size_t)m * sizeof *of_k);
  if (!sup_bounded_step(m, w->damped, w->Qu, w->low, w->high, of_k, w->L, w->free, &num_free))
    return 0;
  memset(K, 0, (size_t)(m * n) * sizeof *K);
  double *column = w->L + (size_t)(m * m);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < num_free; i++) column[i] = -w->damped_x[w->free[i] * n + j];
    sup_dense_cholesky_solve(num_free, w->L, column);
    for (int i = 0; i < num_free; i++) K[w->free[i] * n + j] = column[i];
  }
  return 1;
}

/** V of step k by its gains: the value of the policy, whatever the bounds hold. */
static void value_of_step(ilqr *w, int k) {
  int           n = w->p->n, m = w->p->m;
  const double *of_k = w->policy->k + (size_t)k * (size_t)m,
               *K = w->policy->K + (size_t)k * (size_t)(m * n);
  for (int i = 0; i < m; i++) {
    double Qk = 0;
    for (int j = 0; j < m; j++) Qk += w->Quu[i * m + j] * of_k[j];
    w->slope += of_k[i] * w->Qu[i];
    w->curvature += .5 * of_k[i] * Qk;
    w->Qu[i] += Qk; /* Qu + Quu k */
  }
  memset(w->VB, 0, (size_t)(n * m) * sizeof *w->VB);
  add_product(m, m, n, w->Quu, K, w->VB); /* Quu K, m x n */
  add_product(m, n, 1, K, w->Qu, w->Qx);
  add_product(m, n, 1, w->Qux, of_k, w->Qx);
  add_product(m, n, n, K, w->VB, w->Qxx);
  add_product(m, n, n, K, w->Qux, w->Qxx);
  add_product(m, n, n, w->Qux, K, w->Qxx);
  memcpy(w->Vx, w->Qx, (size_t)n * sizeof *w->Vx);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) w->Vxx[i * n + j] = .5 * (w->Qxx[i * n + j] + w->Qxx[j * n + i]);
}

/** Policy of all steps; 0: not with this weight. */
static int backward(ilqr *w) {
  size_t n = (size_t)w->p->n, N = (size_t)w->p->N;
  memcpy(w->Vx, w->model.lx + N * n, n * sizeof *w->Vx);
  memcpy(w->Vxx, w->model.lxx + N * n * n, n * n * sizeof *w->Vxx);
  w->slope = w->curvature = 0;
  for (int k = w->p->N - 1; k >= 0; k--) {
    expand_step(w, k);
    damp(w, k);
    if (!solve_step(w, k)) return 0;
    value_of_step(w, k);
  }
  return 1;
}

/* ---- iterations ------------------------------------------------------------------------------ */

/** Increase the weight; 0: it is too large. */
static int increase(ilqr *w) { return ++w->power <= LAST_POWER; }

static void decrease(ilqr *w) {
  if (w->power >= FIRST_POWER) w->power--;
}

/** Halve the policy until the cost decreases; *alpha := 0: it does not. */
static sup_status search(ilqr *w, sup_ilqr_report *report, double *alpha, int *halvings) {
  double cost;
  *alpha = 1;
  for (*halvings = 0; *halvings <= MAX_HALVINGS; ++*halvings, *alpha /= 2) {
    double expected = -*alpha * (w->slope + *alpha * w->curvature);
    SUP_TRY(w->p->roll(w->p->user, w->policy, *alpha, &cost));
    report->rollouts++;
    if (ARMIJO * (report->cost - cost) < expected || !(cost < report->cost)) continue;
    w->p->accept(w->p->user);
    report->decrease = (report->cost - cost) / fabs(cost);
    report->cost = cost;
    return SUP_OK;
  }
  *alpha = 0;
  return SUP_OK;
}

/** True if the model promises less than the tolerance. */
static int is_flat(const ilqr *w, const sup_ilqr_report *report, double tolerance) {
  return -(w->slope + w->curvature) <= tolerance * fabs(report->cost);
}

/** One direction and a step along it, with as much weight as it takes; *alpha := 0: the end, for
 * the report's reason. */
static sup_status iterate(ilqr *w, const sup_ilqr_options *options, sup_ilqr_report *report,
                          double *alpha) {
  int halvings = 0;
  for (*alpha = 0; *alpha == 0;) {
    int has_policy = backward(w);
    if (has_policy && is_flat(w, report, options->tolerance)) {
      report->reason = SUP_ILQR_CONVERGED;
      return SUP_OK;
    }
    if (has_policy) SUP_TRY(search(w, report, alpha, &halvings));
    if (*alpha == 0 && !increase(w)) {
      report->reason = SUP_ILQR_STALLED;
      return SUP_OK;
    }
  }
  if (halvings <= MANY_HALVINGS)
    decrease(w);
  else
    increase(w);
  report->iterations++;
  return SUP_OK;
}

static sup_status start(ilqr *w, sup_ilqr_report *report) {
  size_t N = (size_t)w->p->N, n = (size_t)w->p->n, m = (size_t)w->p->m;
  memset(w->policy->k, 0, N * m * sizeof *w->policy->k);
  memset(w->policy->K, 0, N * m * n * sizeof *w->policy->K);
  SUP_TRY(w->p->roll(w->p->user, w->policy, 1, &report->cost));
  report->rollouts = 1, report->first = report->cost;
  if (!isfinite(report->cost))
    return SUP_FAIL(SUP_E_NOT_CONVERGED, "a step of the first trajectory has no solution");
  w->p->accept(w->p->user);
  SUP_TRY(w->p->expand(w->p->user, &w->model));
  return SUP_OK;
}

static sup_status minimise(ilqr *w, const sup_ilqr_options *options, sup_ilqr_report *report) {
  double alpha;
  int    stops = 0;
  SUP_TRY(start(w, report));
  while (report->iterations < options->max_iterations && !stops) {
    SUP_TRY(iterate(w, options, report, &alpha));
    if (alpha == 0) return SUP_OK;
    SUP_TRY(w->p->expand(w->p->user, &w->model));
    stops = options->progress && options->progress(options->user, report, alpha);
    if (report->decrease > options->tolerance) continue;
    report->reason = SUP_ILQR_CONVERGED;
    break;
  }
  backward(w); /* gains about the last trajectory */
  return SUP_OK;
}

sup_status sup_ilqr(const sup_ilqr_problem *problem, const sup_ilqr_options *options,
                    sup_ilqr_policy *policy, sup_ilqr_report *report) {
  ilqr w = {.p = problem, .policy = policy, .power = FIRST_POWER - 1};
  *report = (sup_ilqr_report){.reason = SUP_ILQR_ITERATIONS};
  sup_status status = allocate(&w);
  if (status == SUP_OK) status = minimise(&w, options, report);
  ilqr_free(&w);
  return status;
}
