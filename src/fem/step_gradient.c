/* Derivatives of a linear step by its start, cell by cell, backwards.  In the axes of R, with arms
 * d = R^T x, r = dt R^T v, m = R^T u, l = R^T l of a cell's vertices, U = sum of d g^T, M = tr U -
 * U,
 *
 *      phi = s l.Km + dt^2 o.Pz + dt [(l - b).Kp - t.o - l.Ke - rate l.Ky - rate b.Kq]
 *      o = sum of g x l,  z = sum of g x m,  b = (M^-T o) x d,  p = d - X,  t = P M (R^T dt w),
 *      y = (Q - 1) d,  q = r - (1 - Q^T) d  with the cell's own turn Q,  e = (Q_w - 1) d
 *
 *  with s = dt (beta + dt), rate = beta/dt and P of fem/tension.c. */
#include "fem/step_gradient.h"

#include "base/wide.h"
#include "fem/body_parts.h"
#include "fem/law/stretch_law.h"

enum { MOST = SUP_CELL_MAX_VERTICES };

/** A cell: arms and their derivatives in slot order, in the axes of R. */
typedef struct cell {
  const sup_fem_body *body;
  int                 c, n;
  double              dt, beta, moduli[2];
  sup_m3              R, U, M;
  bool                turns; /* M has an inverse */
  sup_m3              M_inverse, P;
  double              value[3];
  sup_m3              axes; /* eigenvalues and axes of the form with the positive part P */
  sup_v3              g[MOST], X[MOST], d[MOST], r[MOST], m[MOST], l[MOST];
  sup_v3              at_d[MOST], at_r[MOST], at_m[MOST], at_l[MOST];
  sup_m3              at_U, at_M, at_W, at_P;
  sup_v3              at_o, at_z;
  double             *moments; /* of the cell, as sup_fem_moments.cell; NULL: not asked for */
} cell;

static double trace(const sup_m3 *A) { return A->m[0][0] + A->m[1][1] + A->m[2][2]; }
static sup_m3 trace_less(sup_m3 A) {
  return sup_m3_add(sup_m3_scale(trace(&A), sup_m3_identity()), sup_m3_scale(-1, A));
}
static double inner(const sup_m3 *A, const sup_m3 *B) {
  sup_m3 C = sup_m3_mul(sup_m3_transpose(*A), *B);
  return trace(&C);
}
static void add(sup_v3 *to, sup_v3 a) { *to = sup_v3_add(*to, a); }
static void add_m3(sup_m3 *to, double s, sup_m3 A) { *to = sup_m3_add(*to, sup_m3_scale(s, A)); }
/** a with [a]x = A - A^T. */
static sup_v3 axial(const sup_m3 *A) {
  return (sup_v3){A->m[2][1] - A->m[1][2], A->m[0][2] - A->m[2][0], A->m[1][0] - A->m[0][1]};
}

/* ---- a cell ---------------------------------------------------------------------------------- */

/** out [n] := vectors from slot 0 to the others in the axes of R, times s. */
static void gather(const cell *k, const double *x, double s, const sup_m3 *R, sup_v3 *out) {
  const int *vertex = k->body->vertex + (size_t)k->n * (size_t)k->c;
  for (int a = 0; a < k->n; a++)
    out[a] =
        sup_v3_scale(s, sup_m3_apply_t(*R, sup_v3_sub(sup_v3_load(x + 3 * (size_t)vertex[a]),
                                                      sup_v3_load(x + 3 * (size_t)vertex[0]))));
}

/** (tr A - A)^-1; 0: the cell counts as flat. */
static bool invert(const sup_m3 *M, sup_m3 *out) {
  bool has = sup_m3_det(M) > SUP_FEM_LEAST_TURN;
  *out = has ? sup_m3_inverse(*M) : sup_m3_zero();
  return has;
}

/** P and the eigenvalues of its form. */
static void find_pull(cell *k) {
  double S[3][3], V[3][3], shift = 0.5 * ((k->moduli[0] + k->moduli[1]) * (trace(&k->U) - 3));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      S[i][j] = -0.25 * k->moduli[1] * (k->U.m[i][j] + k->U.m[j][i]) +
                (i == j ? shift + 0.5 * k->moduli[1] : 0);
  sup_fem_eigen(S, k->value, V);
  k->P = sup_m3_zero();
  for (int e = 0; e < 3; e++) {
    for (int i = 0; i < 3; i++) k->axes.m[i][e] = V[i][e];
    sup_v3 axis = sup_m3_column(&k->axes, e);
    if (k->value[e] > 0) add_m3(&k->P, k->value[e], sup_m3_outer(axis, axis));
  }
}

static void begin(cell *k, const sup_fem_step *step, const double *u, const double *l) {
  const sup_fem_body *body = k->body;
  const double       *g = sup_fem_lane_of(body, body->lane_gradient, 3 * (size_t)k->n, k->c),
               *moduli = sup_fem_lane_of(body, body->lane_moduli, 2, k->c);
  const sup_m3 one = sup_m3_identity();
  k->dt = step->dt, k->beta = sup_fem_matter_of(body, k->c)->material.stiffness_damping;
  k->moduli[0] = moduli[0], k->moduli[1] = moduli[SUP_BATCH];
  k->R = step->R[k->c];
  gather(k, body->mesh->x, 1, &one, k->X);
  gather(k, step->x, 1, &k->R, k->d);
  gather(k, step->v, k->dt, &k->R, k->r);
  gather(k, u, 1, &k->R, k->m);
  gather(k, l, 1, &k->R, k->l);
  k->U = k->at_U = k->at_M = k->at_W = k->at_P = sup_m3_zero();
  k->at_o = k->at_z = (sup_v3){0, 0, 0};
  for (int a = 0; a < k->n; a++) {
    k->g[a] =
        (sup_v3){g[SUP_BATCH * 3 * a], g[SUP_BATCH * (3 * a + 1)], g[SUP_BATCH * (3 * a + 2)]};
    add_m3(&k->U, 1, sup_m3_outer(k->d[a], k->g[a]));
    k->at_d[a] = k->at_r[a] = k->at_m[a] = k->at_l[a] = (sup_v3){0, 0, 0};
  }
  k->M = trace_less(k->U);
  k->turns = invert(&k->M, &k->M_inverse);
  find_pull(k);
}

enum { PRODUCTS = 4 };

/** Gradients, strain Y + Y^T of each x and stress of a tetrahedron. */
typedef struct tetrahedron {
  sup_v3 g[4];
  sup_m3 strain[PRODUCTS], stress[PRODUCTS];
} tetrahedron;

static tetrahedron find_stress(const double *k, sup_v3 x[][MOST]) {
  double      lambda = k[9 * SUP_BATCH], mu = k[10 * SUP_BATCH];
  tetrahedron t;
  for (int a = 1; a < 4; a++) {
    const double *from = k + 3 * SUP_BATCH * (a - 1);
    t.g[a] = (sup_v3){from[0], from[SUP_BATCH], from[2 * SUP_BATCH]};
  }
  for (int q = 0; q < PRODUCTS; q++) {
    sup_m3 Y = sup_m3_zero();
    for (int a = 1; a < 4; a++) add_m3(&Y, 1, sup_m3_outer(x[q][a], t.g[a]));
    t.strain[q] = sup_m3_add(Y, sup_m3_transpose(Y));
    t.stress[q] = sup_m3_scale(mu, t.strain[q]);
    add_m3(&t.stress[q], lambda * trace(&Y), sup_m3_identity());
  }
  return t;
}

/** out := K0 x of a tetrahedron, from its gradients and moduli. */
static void multiply_t4(const double *k, sup_v3 x[][MOST], sup_v3 out[][MOST]) {
  tetrahedron t = find_stress(k, x);
  for (int q = 0; q < PRODUCTS; q++) {
    out[q][0] = (sup_v3){0, 0, 0};
    for (int a = 1; a < 4; a++) {
      out[q][a] = sup_m3_apply(t.stress[q], t.g[a]);
      out[q][0] = sup_v3_sub(out[q][0], out[q][a]);
    }
  }
}

typedef double several __attribute__((vector_size(8 * PRODUCTS)));

/** z := K0 y from the pairs of slots a >= b. */
SUP_WIDE static void multiply_dense(int n, const double *k, const several *y, several *z) {
  for (int a = 0; a < n; a++, y += 3, z += 3) {
    several sum[3] = {{0}};
    for (int b = -3 * a; b < 0; b += 3)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++, k += SUP_BATCH) sum[i] += *k * y[b + j], z[b + j] += *k * y[i];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++, k += SUP_BATCH) sum[i] += *k * y[j];
    for (int i = 0; i < 3; i++) z[i] = sum[i];
  }
}

/** out := K0 x of several vectors. */
static void multiply(const cell *of, sup_v3 x[][MOST], sup_v3 out[][MOST]) {
  const double *k = sup_fem_stiffness_of(of->body, of->c);
  if (!of->body->element->is_dense) {
    multiply_t4(k, x, out);
    return;
  }
  several y[3 * MOST], z[3 * MOST];
  for (int q = 0; q < PRODUCTS; q++)
    for (int a = 0; a < of->n; a++)
      y[3 * a][q] = x[q][a].x, y[3 * a + 1][q] = x[q][a].y, y[3 * a + 2][q] = x[q][a].z;
  multiply_dense(of->n, k, y, z);
  for (int q = 0; q < PRODUCTS; q++)
    for (int a = 0; a < of->n; a++)
      out[q][a] = (sup_v3){z[3 * a][q], z[3 * a + 1][q], z[3 * a + 2][q]};
}

/** Moments by K0 of x[0] . K0 x[2] + x[1] . K0 x[3]. */
static void leave_t4(const cell *of, sup_v3 x[][MOST]) {
  tetrahedron t = find_stress(sup_fem_stiffness_of(of->body, of->c), x);
  double     *at = of->moments;
  for (int q = 0; q < PRODUCTS; q++)
    for (int a = 1; a < 4; a++)
      sup_v3_accumulate(at + 3 * (a - 1), 1, sup_m3_apply(t.stress[(q + 2) % PRODUCTS], x[q][a]));
  for (int q = 0; q < 2; q++) {
    at[9] += trace(&t.strain[q]) * trace(&t.strain[q + 2]) / 4;
    at[10] += inner(&t.strain[q], &t.strain[q + 2]) / 2;
  }
}

static void leave_dense(const cell *of, sup_v3 x[][MOST]) {
  double *at = of->moments, y[PRODUCTS][3 * MOST];
  for (int q = 0; q < PRODUCTS; q++)
    for (int a = 0; a < of->n; a++) sup_v3_store(y[q] + 3 * a, x[q][a]);
  for (int a = 0; a < of->n; a++)
    for (int b = 0; b <= a; b++, at += 9)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          const int r = 3 * a + i, s = 3 * b + j;
          double    sum = y[0][r] * y[2][s] + y[1][r] * y[3][s];
          if (a != b) sum += y[2][r] * y[0][s] + y[3][r] * y[1][s];
          at[3 * i + j] += sum;
        }
}

/** Moments by K0, by arms at rest, moduli, damping and gradients, behind each other. */
static double *moments_of(const cell *k, int of) {
  return k->moments + k->body->element->stiffness_size + of * 3 * k->n;
}

/* ---- turns ----------------------------------------------------------------------------------- */

/** Q of the axis g = tan(angle/2). */
static sup_m3 turn_of(sup_v3 g) {
  sup_m3 S = sup_m3_skew(g), Q = sup_m3_identity();
  double factor = 2 / (1 + sup_v3_dot(g, g));
  add_m3(&Q, factor, sup_m3_add(S, sup_m3_mul(S, S)));
  return Q;
}

/** Derivative by g from that by Q: dQ = [2/(1 + g^2) (dg + g x dg)]x Q. */
static sup_v3 turn_gradient(sup_v3 g, const sup_m3 *Q, const sup_m3 *at_Q) {
  sup_m3 S = sup_m3_mul(*at_Q, sup_m3_transpose(*Q));
  sup_v3 c = axial(&S);
  return sup_v3_scale(2 / (1 + sup_v3_dot(g, g)), sup_v3_add(c, sup_v3_cross(c, g)));
}

/** Own turn of the cell: (tr N - N) g = axial(W - W^T), N = 2 U - W. */
typedef struct own_turn {
  sup_m3 W, inverse, Q;
  sup_v3 g;
} own_turn;

static own_turn find_turn(const cell *k) {
  own_turn t = {.W = sup_m3_zero()};
  for (int a = 0; a < k->n; a++) add_m3(&t.W, 1, sup_m3_outer(k->r[a], k->g[a]));
  sup_m3 N = trace_less(sup_m3_add(sup_m3_scale(2, k->U), sup_m3_scale(-1, t.W)));
  invert(&N, &t.inverse);
  t.g = sup_m3_apply(t.inverse, axial(&t.W));
  t.Q = turn_of(t.g);
  return t;
}

static void leave_turn(cell *k, const own_turn *t, const sup_m3 *at_Q) {
  sup_v3 at_g = turn_gradient(t->g, &t->Q, at_Q), h = sup_m3_apply_t(t->inverse, at_g);
  sup_m3 at_N = trace_less(sup_m3_scale(-1, sup_m3_outer(h, t->g)));
  add_m3(&k->at_U, 2, at_N);
  add_m3(&k->at_W, -1, at_N);
  add_m3(&k->at_W, 1, sup_m3_skew(h));
}

/* ---- backwards ------------------------------------------------------------------------------- */

/** Terms of K0. */
static void leave_forces(cell *k, sup_v3 half, sup_v3 *at_half) {
  double   dt = k->dt, s = dt * (k->beta + dt), rate = k->beta / dt;
  own_turn own = find_turn(k);
  sup_m3   carried = turn_of(half), at_Q = sup_m3_zero(), at_carried = sup_m3_zero(),
         less = sup_m3_add(own.Q, sup_m3_scale(-1, sup_m3_identity())),
         carried_less = sup_m3_add(carried, sup_m3_scale(-1, sup_m3_identity()));
  sup_v3 x[PRODUCTS][MOST], K[PRODUCTS][MOST], o = {0, 0, 0}, at_turn = {0, 0, 0};
  for (int a = 0; a < k->n; a++) add(&o, sup_v3_cross(k->g[a], k->l[a]));
  sup_v3 turn = sup_m3_apply_t(k->M_inverse, o);
  for (int a = 0; a < k->n; a++) {
    sup_v3 p = sup_v3_sub(k->d[a], k->X[a]), y = sup_m3_apply(less, k->d[a]),
           e = sup_m3_apply(carried_less, k->d[a]),
           q = sup_v3_add(k->r[a], sup_m3_apply_t(less, k->d[a]));
    x[0][a] = k->l[a], x[1][a] = sup_v3_cross(turn, k->d[a]);
    x[2][a] = sup_v3_scale(s, k->m[a]);
    x[2][a] = sup_v3_madd(x[2][a], dt, sup_v3_sub(sup_v3_sub(p, e), sup_v3_scale(rate, y)));
    x[3][a] = sup_v3_scale(-dt, sup_v3_madd(p, rate, q));
  }
  multiply(k, x, K);
  if (k->moments) (k->body->element->is_dense ? leave_dense : leave_t4)(k, x);
  for (int a = 0; a < k->n && k->moments; a++) {
    sup_v3 y = sup_m3_apply(less, k->d[a]), q = sup_v3_add(k->r[a], sup_m3_apply_t(less, k->d[a]));
    sup_v3_accumulate(moments_of(k, 1) + 3 * a, -dt, sup_v3_sub(K[0][a], K[1][a]));
    moments_of(k, 2)[2] +=
        sup_v3_dot(K[0][a], sup_v3_madd(sup_v3_scale(dt, k->m[a]), -1, y)) - sup_v3_dot(K[1][a], q);
  }
  for (int a = 0; a < k->n; a++) {
    sup_v3 at_y = sup_v3_scale(-dt * rate, K[0][a]), at_q = sup_v3_scale(-dt * rate, K[1][a]),
           at_e = sup_v3_scale(-dt, K[0][a]);
    add(&k->at_l[a], K[2][a]);
    add(&k->at_m[a], sup_v3_scale(s, K[0][a]));
    add(&at_turn, sup_v3_cross(k->d[a], K[3][a]));
    add(&k->at_d[a], sup_v3_cross(K[3][a], turn));
    add(&k->at_d[a], sup_v3_scale(dt, sup_v3_sub(K[0][a], K[1][a])));
    add(&k->at_d[a], sup_m3_apply_t(less, at_y));
    add(&k->at_d[a], sup_m3_apply(less, at_q));
    add(&k->at_r[a], at_q);
    add(&k->at_d[a], sup_m3_apply_t(carried_less, at_e));
    add_m3(&at_Q, 1, sup_m3_add(sup_m3_outer(at_y, k->d[a]), sup_m3_outer(k->d[a], at_q)));
    add_m3(&at_carried, 1, sup_m3_outer(at_e, k->d[a]));
  }
  sup_v3 at_o = sup_m3_apply(k->M_inverse, at_turn);
  add(&k->at_o, at_o);
  add_m3(&k->at_M, -1, sup_m3_outer(turn, at_o));
  leave_turn(k, &own, &at_Q);
  *at_half = turn_gradient(half, &carried, &at_carried);
}

/** Terms of tension; w in the axes of R, times dt. */
static void leave_tension(cell *k, sup_v3 w, sup_v3 *at_w) {
  double dt = k->dt;
  sup_v3 o = {0, 0, 0}, z = {0, 0, 0}, way = sup_m3_apply(k->M, w);
  for (int a = 0; a < k->n; a++)
    add(&o, sup_v3_cross(k->g[a], k->l[a])), add(&z, sup_v3_cross(k->g[a], k->m[a]));
  sup_v3 at_t = sup_v3_scale(-dt, o), at_way = sup_m3_apply(k->P, at_t);
  add(&k->at_o, sup_m3_apply(k->P, sup_v3_sub(sup_v3_scale(dt * dt, z), sup_v3_scale(dt, way))));
  add(&k->at_z, sup_v3_scale(dt * dt, sup_m3_apply(k->P, o)));
  add_m3(&k->at_P, dt * dt, sup_m3_outer(o, z));
  add_m3(&k->at_P, 1, sup_m3_outer(at_t, way));
  add_m3(&k->at_M, 1, sup_m3_outer(at_way, w));
  *at_w = sup_m3_apply_t(k->M, at_way);
}

/** Derivative of the positive part (Daleckii and Krein). */
static void leave_pull(cell *k) {
  sup_m3 S = sup_m3_scale(0.5, sup_m3_add(k->at_P, sup_m3_transpose(k->at_P))), V = k->axes;
  S = sup_m3_mul(sup_m3_transpose(V), sup_m3_mul(S, V));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double a = k->value[i], b = k->value[j], high = sup_max(a, 0), low = sup_max(b, 0);
      S.m[i][j] *= a == b ? a > 0 : (high - low) / (a - b);
    }
  S = sup_m3_mul(V, sup_m3_mul(S, sup_m3_transpose(V)));
  add_m3(&k->at_U, 0.5 * (k->moduli[0] + k->moduli[1]) * trace(&S), sup_m3_identity());
  add_m3(&k->at_U, -0.5 * k->moduli[1], S);
  if (!k->moments) return;
  double shift = 0.5 * (trace(&k->U) - 3) * trace(&S);
  moments_of(k, 2)[0] += shift;
  moments_of(k, 2)[1] += shift + 0.5 * trace(&S) - 0.5 * inner(&S, &k->U);
}

/** Derivatives by the arms through sums over the vertices, then through the turn of R. */
static void leave_axes(cell *k, sup_v3 turned) {
  add_m3(&k->at_U, 1, trace_less(k->at_M));
  for (int a = 0; a < k->n; a++) {
    add(&k->at_l[a], sup_v3_cross(k->at_o, k->g[a]));
    add(&k->at_m[a], sup_v3_cross(k->at_z, k->g[a]));
    add(&k->at_d[a], sup_m3_apply(k->at_U, k->g[a]));
    add(&k->at_r[a], sup_m3_apply(k->at_W, k->g[a]));
    turned = sup_v3_sub(turned, sup_v3_cross(k->d[a], k->at_d[a]));
    turned = sup_v3_sub(turned, sup_v3_cross(k->r[a], k->at_r[a]));
    turned = sup_v3_sub(turned, sup_v3_cross(k->m[a], k->at_m[a]));
    turned = sup_v3_sub(turned, sup_v3_cross(k->l[a], k->at_l[a]));
  }
  sup_v3 rho = sup_m3_apply_t(k->M_inverse, turned);
  for (int a = 0; a < k->n && k->moments; a++) {
    sup_v3 by_g = sup_v3_add(sup_m3_apply_t(k->at_U, k->d[a]), sup_m3_apply_t(k->at_W, k->r[a]));
    by_g = sup_v3_add(by_g, sup_v3_cross(k->l[a], k->at_o));
    by_g = sup_v3_add(by_g, sup_v3_cross(k->m[a], k->at_z));
    sup_v3_accumulate(moments_of(k, 0) + 3 * a, 1, sup_v3_add(by_g, sup_v3_cross(k->d[a], rho)));
  }
  for (int a = 0; a < k->n; a++) add(&k->at_d[a], sup_v3_cross(rho, k->g[a]));
}

/** Arms from slot 0 -> vertices, in the world. */
static void scatter(const cell *k, const sup_v3 *at, double s, double *out) {
  const int *vertex = k->body->vertex + (size_t)k->n * (size_t)k->c;
  for (int a = 1; a < k->n; a++) {
    sup_v3 d = sup_m3_apply(k->R, at[a]);
    sup_v3_accumulate(out + 3 * (size_t)vertex[a], s, d);
    sup_v3_accumulate(out + 3 * (size_t)vertex[0], -s, d);
  }
}

/** Axis tan(a/2) of an axis sin(a), as in sup_fem_step_system. */
static sup_v3 half_turn(sup_v3 sine) {
  double square = sup_v3_dot(sine, sine);
  if (square > 1) return sup_v3_scale(1 / sqrt(square), sine);
  return sup_v3_scale(1 / (1 + sqrt(1 - square)), sine);
}

static sup_v3 half_turn_gradient(sup_v3 sine, sup_v3 at) {
  double square = sup_v3_dot(sine, sine), along = sup_v3_dot(sine, at);
  if (square > 1) return sup_v3_scale(1 / sqrt(square), sup_v3_madd(at, -along / square, sine));
  double root = sqrt(1 - square), f = 1 / (1 + root);
  return sup_v3_madd(sup_v3_scale(f, at), root > 0 ? f * f / root * along : 0, sine);
}

void sup_fem_step_gradient(const sup_fem_body *body, const sup_fem_step *step, const double *u,
                           const double *l, const sup_fem_slopes *slopes, sup_v3 *by_w) {
  sup_fem_moments *moments = slopes->moments;
  sup_v3           w = sup_v3_scale(step->dt, step->w), half = half_turn(w), at_w = {0, 0, 0},
         at_half = {0, 0, 0};
  for (int c = 0; c < body->mesh->num_cells; c++) {
    cell   k = {.body = body, .c = c, .n = body->element->num_vertices};
    sup_v3 own_w = sup_m3_apply_t(step->R[c], w), own_half = sup_m3_apply_t(step->R[c], half);
    sup_v3 at_own_w, at_own_half;
    begin(&k, step, u, l);
    k.moments = moments ? moments->cell + moments->size * (size_t)c : NULL;
    if (!(k.moduli[1] > 0)) own_half = (sup_v3){0, 0, 0};
    leave_forces(&k, own_half, &at_own_half);
    leave_tension(&k, own_w, &at_own_w);
    leave_pull(&k);
    if (!(k.moduli[1] > 0)) at_own_half = (sup_v3){0, 0, 0};
    leave_axes(&k, sup_v3_scale(-1, sup_v3_add(sup_v3_cross(own_w, at_own_w),
                                               sup_v3_cross(own_half, at_own_half))));
    add(&at_w, sup_m3_apply(k.R, at_own_w));
    add(&at_half, sup_m3_apply(k.R, at_own_half));
    scatter(&k, k.at_d, 1, slopes->x);
    scatter(&k, k.at_r, step->dt, slopes->v);
    scatter(&k, k.at_m, 1, slopes->u);
  }
  *by_w = sup_v3_madd(*by_w, step->dt, sup_v3_add(at_w, half_turn_gradient(w, at_half)));
}

/* ---- spin of the whole body ------------------------------------------------------------------ */

/** Mean over the volume. */
static sup_v3 mean_of(const sup_fem_body *body, const double *x) {
  sup_v3 sum = {0, 0, 0};
  double volume = 0;
  for (int a = 0; a < body->mesh->num_vertices; a++) {
    sum = sup_v3_madd(sum, body->vertex_volume[a], sup_v3_load(x + 3 * (size_t)a));
    volume += body->vertex_volume[a];
  }
  return sup_v3_scale(1 / volume, sum);
}

void sup_fem_spin_gradient(const sup_fem_body *body, const double *x, const double *v, sup_v3 by_w,
                           const sup_fem_slopes *slopes) {
  sup_v3 centre = mean_of(body, x), drift = mean_of(body, v), w = sup_fem_spin(body, x, v);
  sup_m3 I = sup_m3_zero();
  for (int a = 0; a < body->mesh->num_vertices; a++) {
    sup_m3 S = sup_m3_skew(sup_v3_sub(sup_v3_load(x + 3 * (size_t)a), centre));
    add_m3(&I, body->vertex_volume[a], sup_m3_mul(sup_m3_transpose(S), S));
  }
  sup_v3 k = sup_m3_apply(sup_m3_inverse(I), by_w); /* dw = I^-1 (dL - dI w) */
  for (int a = 0; a < body->mesh->num_vertices && sup_v3_norm(w) > 0; a++) {
    double *x_a = slopes->x + 3 * (size_t)a, *v_a = slopes->v + 3 * (size_t)a,
           m = body->vertex_volume[a];
    sup_v3 r = sup_v3_sub(sup_v3_load(x + 3 * (size_t)a), centre),
           u = sup_v3_sub(sup_v3_load(v + 3 * (size_t)a), drift);
    sup_v3_accumulate(v_a, m, sup_v3_cross(k, r));
    sup_v3_accumulate(x_a, m, sup_v3_cross(u, k));
    sup_v3_accumulate(x_a, -2 * m * sup_v3_dot(k, w), r);
    sup_v3_accumulate(x_a, m * sup_v3_dot(r, w), k);
    sup_v3_accumulate(x_a, m * sup_v3_dot(r, k), w);
    if (slopes->moments)
      slopes->moments->volume[a] +=
          sup_v3_dot(k, sup_v3_cross(r, sup_v3_sub(u, sup_v3_cross(w, r))));
  }
}
