#include "solve/newton/visits.h"
#include "solve/newton/numerics.h"

#include <math.h>
#include <string.h>

/* ---- laws for visits ------------------------------------------------------------------------- */

static bool can_visit(const sup_law *law) {
  switch (law->kind) {
    case SUP_LAW_LAGGED:
      return !law->anisotropy.on && !sup_law_is_barrier(law) &&
             law->coulomb.softening == SUP_FRICTION_SOFTENING_SOFT_NORM;
    case SUP_LAW_ELASTIC_STICK:
      return !law->anisotropy.on && !sup_law_is_barrier(law);
    case SUP_LAW_LIMIT:
    case SUP_LAW_COUPLER:
    case SUP_LAW_PD:
      return 1;
    default:
      return 0;
  }
}

int sup_visits_apply(const sup_problem *problem) {
  const sup_block_pattern *P = problem->A_pattern;
  if (problem->ranks || problem->rest || sup_block_column(P, P->num_blocks) != P->num_blocks)
    return 0;
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    if (c->num_blocks < 1 || c->num_blocks > 2 || !can_visit(&c->law)) return 0;
  }
  return 1;
}

/* ---- coordinates in which A is 1 ------------------------------------------------------------- */

/** Compute the lower triangle L of A = L^T L [n x n], from the last row up; returns 0 if A is not
 * positive definite. */
static int factor(const double *A, int n, double *L) {
  memcpy(L, A, (size_t)(n * n) * sizeof *L);
  for (int k = n - 1; k >= 0; k--) {
    double *row = L + (ptrdiff_t)k * n;
    if (!(row[k] > 0)) return 0;
    double inverse = 1 / sqrt(row[k]);
    for (int j = 0; j <= k; j++) row[j] *= inverse;
    for (int i = 0; i < k; i++) {
      double share = row[i];
      if (share == 0) continue; /* another branch of a tree */
      for (int j = 0; j <= i; j++) L[(ptrdiff_t)i * n + j] -= share * row[j];
    }
  }
  return 1;
}

/** x := L^-T x. */
static void backward(const double *L, int n, double *x) {
  for (int k = n - 1; k >= 0; k--) {
    const double *row = L + (ptrdiff_t)k * n;
    if (x[k] == 0) continue;
    double share = x[k] /= row[k];
    for (int j = 0; j < k; j++) x[j] -= row[j] * share;
  }
}

/** x := L^-1 x. */
static void forward(const double *L, int n, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= L[(ptrdiff_t)i * n + k] * x[k];
    x[i] /= L[(ptrdiff_t)i * n + i];
  }
}

/** Places of the parts of the next constraint, and workspace for a block column. */
typedef struct room {
  sup_visit_part *part;
  double         *J, *rows; /* rows [SUP_LAW_MAX_DIMENSION x n] */
  sup_span       *span;
} room;

/** Compute J L^-1 and W of constraint i; room advances behind its parts. */
static void prepare(sup_visits *s, int i, room *to) {
  const sup_problem       *p = s->problem;
  const sup_block_pattern *P = p->A_pattern;
  const sup_constraint    *c = &p->constraint[i];
  sup_visit               *q = &s->visit[i];
  int                      d = sup_law_dimension(c->law.kind);
  *q = (sup_visit){.dimension = d, .part = to->part};
  for (int k = 0; k < c->num_blocks; k++) {
    const sup_jacobian_block *b = &p->jacobian[c->first_block + k];
    int                       n = sup_block_size(P, b->block);
    double                   *J = to->rows;
    memcpy(J, p->jacobian_value + b->value, (size_t)(d * n) * sizeof *J);
    for (int a = 0; a < d; a++) backward(s->L + sup_block_diagonal(P, b->block), n, J + a * n);
    for (int a = 0; a < d; a++)
      for (int e = 0; e < d; e++)
        for (int j = 0; j < n; j++) q->W[a * d + e] += J[a * n + j] * J[e * n + j];
    int num = sup_nonzero_spans(d, n, J, to->span);
    for (const sup_span *span = to->span; span < to->span + num; span++) {
      int size = span->end - span->first;
      *to->part++ = (sup_visit_part){sup_block_first(P, b->block) + span->first, size, to->J};
      for (int a = 0; a < d; a++, to->J += size)
        memcpy(to->J, J + a * n + span->first, (size_t)size * sizeof *J);
    }
  }
  q->num_parts = (int)(to->part - q->part);
  double mean = 0.5 * (q->W[0] + q->W[4]);
  q->tangential = mean + hypot(0.5 * (q->W[0] - q->W[4]), q->W[1]);
}

sup_status sup_visits_create(sup_visits *s, const sup_problem *problem, sup_arena *arena) {
  const sup_block_pattern *P = problem->A_pattern;
  room                     to;
  size_t                   size = 0, num_parts = 0;
  int                      largest = 0;
  for (int i = 0; i < problem->num_constraints; i++)
    for (int k = 0; k < problem->constraint[i].num_blocks; k++) {
      int n = sup_block_size(P, problem->jacobian[problem->constraint[i].first_block + k].block);
      size += (size_t)(sup_law_dimension(problem->constraint[i].law.kind) * n);
      num_parts += (size_t)(n + 1) / 2;
      if (n > largest) largest = n;
    }
  *s = (sup_visits){.problem = problem};
  SUP_TRY(SUP_ARENA(arena, s->visit, problem->num_constraints));
  SUP_TRY(SUP_ARENA(arena, s->L, sup_block_pattern_num_values(P)));
  SUP_TRY(SUP_ARENA(arena, s->w, P->num_scalars));
  SUP_TRY(SUP_ARENA(arena, s->impulse, problem->num_vc));
  SUP_TRY(SUP_ARENA(arena, s->local, problem->num_vc));
  SUP_TRY(SUP_ARENA(arena, to.J, size));
  SUP_TRY(SUP_ARENA(arena, to.part, num_parts));
  SUP_TRY(SUP_ARENA(arena, to.rows, SUP_LAW_MAX_DIMENSION * largest));
  SUP_TRY(SUP_ARENA(arena, to.span, (largest + 1) / 2));
  for (int b = 0; b < P->num_blocks; b++) {
    size_t at = sup_block_diagonal(P, b);
    if (!factor(problem->A + at, sup_block_size(P, b), s->L + at))
      return SUP_FAIL(SUP_E_NOT_SPD, "block column %d of A is not positive definite", b);
  }
  for (int i = 0; i < problem->num_constraints; i++) prepare(s, i, &to);
  return SUP_OK;
}

/* ---- products -------------------------------------------------------------------------------- */

#define INLINE static inline __attribute__((always_inline))

INLINE double along(const double *row, const double *w, const int size) {
  double sum = 0;
  for (int j = 0; j < size; j++) sum += row[j] * w[j];
  return sum;
}

INLINE void add_rows(const double *J, const double *change, double *w, const int size) {
  for (int j = 0; j < size; j++)
    w[j] += J[j] * change[0] + J[size + j] * change[1] + J[2 * size + j] * change[2];
}

/** J_a v of row a. */
static double velocity(const sup_visit *q, int a, const double *w) {
  double sum = 0;
  for (const sup_visit_part *k = q->part; k < q->part + q->num_parts; k++) {
    const double *row = k->J + a * k->size, *at = w + k->first;
    sum += k->size == 6 ? along(row, at, 6) : along(row, at, k->size);
  }
  return sum;
}

/** w += (J L^-1)^T change. */
static void push(const sup_visit *q, const double *change, double *w) {
  for (const sup_visit_part *k = q->part; k < q->part + q->num_parts; k++) {
    double *at = w + k->first;
    int     size = k->size;
    if (q->dimension < 3)
      for (int a = 0; a < q->dimension; a++)
        for (int j = 0; j < size; j++) at[j] += k->J[a * size + j] * change[a];
    else if (size == 6)
      add_rows(k->J, change, at, 6);
    else
      add_rows(k->J, change, at, size);
  }
}

/** Recompute w from the impulses, since sums of changes accumulate round-off. */
static void renew(sup_visits *s) {
  const sup_problem       *p = s->problem;
  const sup_block_pattern *P = p->A_pattern;
  memcpy(s->w, p->p, (size_t)P->num_scalars * sizeof *s->w);
  for (int b = 0; b < P->num_blocks; b++)
    backward(s->L + sup_block_diagonal(P, b), sup_block_size(P, b), s->w + sup_block_first(P, b));
  for (int i = 0; i < p->num_constraints; i++)
    push(&s->visit[i], s->impulse + p->constraint[i].first_vc, s->w);
}

void sup_visits_start(sup_visits *s) {
  const sup_problem *p = s->problem;
  memset(s->impulse, 0, (size_t)p->num_vc * sizeof *s->impulse);
  memset(s->local, 0, (size_t)p->num_vc * sizeof *s->local);
  for (int i = 0; i < p->num_constraints; i++)
    if (sup_law_has_bound(&p->constraint[i].law))
      s->impulse[p->constraint[i].first_vc + 2] = p->constraint[i].law.coulomb.gn0;
  renew(s);
}

void sup_visits_velocity(sup_visits *s, double *v) {
  const sup_block_pattern *P = s->problem->A_pattern;
  renew(s);
  memcpy(v, s->w, (size_t)P->num_scalars * sizeof *v);
  for (int b = 0; b < P->num_blocks; b++)
    forward(s->L + sup_block_diagonal(P, b), sup_block_size(P, b), v + sup_block_first(P, b));
}

/* ---- one visit ------------------------------------------------------------------------------- */

/** Change that ends Newton's method of a contact, visited before or for the first time [-]. */
static double digits_after(bool is_visited) {
  return is_visited ? sup_newton_numerics.visit_again : sup_newton_numerics.visit_digits;
}

/** Normal impulse n(x) with x = free + W n(x), by Newton's method from x.  n is convex, so that
 * from the second iterate on values rise monotonically to the solution. */
static double normal_impulse(const sup_normal *law, double W, double free, double *x) {
  enum { MOST = 30 };
  double cost, n = 0, slope, step, at = fmax(*x, free), digits = digits_after(*x != 0);
  for (int k = 0; k < MOST; k++) {
    sup_normal_evaluate(law, at, &cost, &n, &slope);
    step = -(at - free - W * n) / (1 - W * slope);
    at += step, n += slope * step;
    if (fabs(step) <= digits * (fabs(at - free) + fabs(free))) break;
  }
  *x = at;
  return fmax(0, n);
}

/** Start for slip_left.  Stuck contacts have z/sqrt(z^2 + e^2) = y/(w + e), sliding ones z = y - w;
 * z^3 = w e^2/2 at y = w bounds both.  From a start far too large the next iterate would be 0. */
static double slip_start(double y, double w, double e) {
  double cube = 0.5 * w * e * e, past = y - w;
  if (past > 0) return 0.125 * past * past * past > cube ? past : fmax(past, cbrt(cube));
  double s = y / (w + e), stuck = e * s / sqrt(1 - s * s);
  return 8 * stuck * stuck * stuck < cube ? stuck : fmin(stuck, cbrt(cube));
}

/** Slip z after friction, from the slip y without friction: z (1 + w/sqrt(z^2 + e^2)) = y.  The
 * left side is concave.
 *  @param[in] last  slip of the visit before, as the start unless it is 0 or far too large */
static double slip_left(double y, double w, double e, double last) {
  enum { MOST = 30 };
  double z = last > 0 ? last : slip_start(y, w, e), digits = digits_after(last > 0);
  for (int k = 0; k < MOST; k++) {
    double square = z * z + e * e, r = sqrt(square); /* divisions are most of the time */
    double step = ((y - z) * r - w * z) * square / (r * square + w * (e * e));
    z += step;
    if (!(z > 0)) {
      z = slip_start(y, w, e);
      continue;
    }
    if (fabs(step) <= digits * (z + e)) break;
  }
  return z;
}

/** Friction with bound f, for the slip y without friction and the tangential W equal to w times 1;
 * `last` is the slip with friction of the visit before. */
static void friction(const sup_law *law, double f, double w, const double y[2], double last,
                     double t[2]) {
  const sup_coulomb *c = &law->coulomb;
  double             size, share;
  if (law->kind == SUP_LAW_ELASTIC_STICK) {
    for (int k = 0; k < 2; k++) t[k] = (c->vhat[k] - y[k]) / (c->Rt + w);
    size = hypot(t[0], t[1]), share = size > f ? f / size : 1;
    t[0] *= share, t[1] *= share;
    return;
  }
  size = sqrt(y[0] * y[0] + y[1] * y[1]), share = 0;
  if (f > 0 && size > 0) {
    double e = fmax(c->slip, c->regularise * f), z = slip_left(size, w * f, e, last);
    share = f * z / (sqrt(z * z + e * e) * size);
  }
  t[0] = -share * y[0], t[1] = -share * y[1];
}

/** Visit contact i; returns the square of the change of w. */
static double visit_contact(sup_visits *s, const sup_law *law, int i) {
  const sup_constraint *c = &s->problem->constraint[i];
  const sup_visit      *q = &s->visit[i];
  double               *impulse = s->impulse + c->first_vc, *local = s->local + c->first_vc;
  double                change[3], t[2], y[2], cost, n, slope;
  double                u = c->bias[2] + velocity(q, 2, s->w);
  if (impulse[2] == 0) { /* contact open before and after: half of all contacts */
    sup_normal_evaluate(&law->coulomb.normal, u, &cost, &n, &slope);
    if (n == 0 && impulse[0] == 0 && impulse[1] == 0) {
      local[2] = u;
      return 0;
    }
  }
  n = normal_impulse(&law->coulomb.normal, q->W[8], u - q->W[8] * impulse[2], &local[2]);
  change[2] = n - impulse[2];
  for (int a = 0; a < 2; a++)
    y[a] = c->bias[a] + velocity(q, a, s->w) + q->W[3 * a + 2] * change[2] -
           q->tangential * impulse[a];
  friction(law, law->coulomb.mu * (sup_law_is_coupled(law) ? n : law->coulomb.gn0), q->tangential,
           y, sqrt(local[0] * local[0] + local[1] * local[1]), t);
  for (int a = 0; a < 2; a++) {
    change[a] = t[a] - impulse[a];
    local[a] = y[a] + q->tangential * t[a];
  }
  impulse[0] = t[0], impulse[1] = t[1], impulse[2] = n;
  push(q, change, s->w);
  return q->tangential * (change[0] * change[0] + change[1] * change[1]) +
         q->W[8] * change[2] * change[2];
}

static double joint_impulse(const sup_law *law, double W, double free) {
  if (law->kind == SUP_LAW_PD) {
    const sup_pd *c = &law->pd;
    double        u = (c->u0 - c->slope * free) / (1 + c->dt * c->slope * W);
    return c->dt * fmax(-c->effort, fmin(c->effort, u));
  }
  double impulse = law->limit.H * (law->limit.vhat - free) / (1 + law->limit.H * W);
  return law->kind == SUP_LAW_LIMIT ? fmax(0, impulse) : impulse;
}

static double visit_joint(sup_visits *s, const sup_law *law, int i) {
  const sup_constraint *c = &s->problem->constraint[i];
  const sup_visit      *q = &s->visit[i];
  double               *impulse = s->impulse + c->first_vc;
  double                free = c->bias[0] + velocity(q, 0, s->w) - q->W[0] * *impulse;
  double                next = joint_impulse(law, q->W[0], free);
  double                change[SUP_LAW_MAX_DIMENSION] = {next - *impulse};
  s->local[c->first_vc] = free + q->W[0] * next;
  *impulse = next;
  push(q, change, s->w);
  return q->W[0] * change[0] * change[0];
}

int sup_visits_sweep(sup_visits *s, const sup_law *law, int most) {
  const sup_problem *p = s->problem;
  for (int k = 0; k < most; k++) {
    double change = 0, size = 0;
    for (int i = 0; i < p->num_constraints; i++)
      change +=
          s->visit[i].dimension == 3 ? visit_contact(s, &law[i], i) : visit_joint(s, &law[i], i);
    for (int j = 0; j < p->A_pattern->num_scalars; j++) size += s->w[j] * s->w[j];
    if (change <= sup_newton_numerics.visit_still * sup_newton_numerics.visit_still * size)
      return k + 1;
  }
  return most;
}
