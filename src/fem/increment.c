/* Stiffness damping by increments of strain (THEORY 23.2a), of bodies that are solved to the end of
 * a step.
 *
 *  With the strain e of a cell in its own axes, the damping forces of a step are the gradient of
 *
 *      D(x) = rate/2 sum of beta (e(x) - start) . K0 (e(x) - start):
 *
 *  turns do not change e, whatever the strain, so that nothing is taken of them and the forces have
 * no moment; and D joins the elastic energy that a step makes least.  Cells with one rotation: e is
 * R^T x - X, D is the elastic energy of another shape at rest, times a number, and costs no product
 * more.  Points of tetrahedra: e is S = sym(R^T F), its stress 2 mu d + lambda tr d, d = S -
 * S_start, with the moduli of small strains whatever the law.  There
 *
 *      dD = tau : dS = R (tau - [y]x) : dF,   (tr S - S) y = axial(S tau - tau S),
 *      d2D = dS : C : dS + 2 Lambda : (dG^T dG - dS^2),   S Lambda + Lambda S = tau,  dG = R^T dF,
 *
 *  the last from S^2 = F^T F.  Without Lambda it is positive semidefinite. */
#include <string.h>

#include "base/share.h"
#include "fem/body_parts.h"
#include "fem/polar.h"
#include "fem/stretch_law.h"

static const double no_stiffness_limit =
    1e-4; /* sums of stretches that Lambda is divided by (THEORY 4.4) */

/** Do cells have a rotation and a K0, not points? */
static int has_dense_strain(const sup_fem_body *body) {
  return !body->is_hyperelastic && body->element->is_dense;
}

static int num_points(const sup_fem_body *body) {
  return body->element == &sup_element_t4 ? 1 : SUP_ELEMENT_MAX_POINTS;
}

static double beta_of(const sup_fem_body *body, int c) {
  return sup_fem_matter_of(body, c)->material.stiffness_damping;
}

size_t sup_fem_strain_size(const sup_fem_body *body) {
  if (has_dense_strain(body))
    return 3 * SUP_BATCH * (size_t)body->element->num_vertices * (size_t)sup_fem_num_batches(body);
  return 6 * (size_t)num_points(body) * (size_t)body->mesh->num_cells;
}

/* ---- points ---------------------------------------------------------------------------------- */

/** A cell of tetrahedra at x. */
typedef struct cell_points {
  int           num, turns;
  double        weight[SUP_ELEMENT_MAX_POINTS];
  const double *gradient[SUP_ELEMENT_MAX_POINTS]; /* [num_vertices x 3] cell order: of the body, or
                                                     in storage */
  double storage[SUP_ELEMENT_MAX_POINTS * 3 * SUP_CELL_MAX_VERTICES];
  sup_m3 R[SUP_ELEMENT_MAX_POINTS], S[SUP_ELEMENT_MAX_POINTS];
} cell_points;

static sup_m3 subtract(sup_m3 A, sup_m3 B) { return sup_m3_add(A, sup_m3_scale(-1, B)); }
static sup_m3 symmetric_part(sup_m3 A) {
  return sup_m3_scale(0.5, sup_m3_add(A, sup_m3_transpose(A)));
}

/** @param[in] R  of the cell: that of the only point */
static void look_at(const sup_fem_body *body, int c, const sup_m3 *R, const double *x,
                    cell_points *p) {
  const int *cell = sup_mesh_cell(body->mesh, c);
  int        n = body->element->num_vertices;
  p->num = 1, p->weight[0] = sup_fem_volume_of(body, c),
  p->gradient[0] = sup_fem_gradient_of(body, c);
  p->turns = sup_fem_matter_of(body, c)->material.model != SUP_MATERIAL_LINEAR;
  if (body->element->integration) {
    double X[3 * SUP_CELL_MAX_VERTICES];
    sup_fem_gather(body->mesh->x, cell, n, X);
    p->num = body->element->integration(X, p->weight, p->storage);
    for (int q = 0; q < p->num; q++) p->gradient[q] = p->storage + 3 * n * q;
  }
  for (int q = 0; q < p->num; q++) {
    sup_m3 F = sup_m3_zero();
    for (int a = 1; a < n; a++) {
      sup_v3 arm =
          sup_v3_sub(sup_v3_load(x + 3 * (size_t)cell[a]), sup_v3_load(x + 3 * (size_t)cell[0]));
      F = sup_m3_add(F, sup_m3_outer(arm, sup_v3_load(p->gradient[q] + 3 * a)));
    }
    p->R[q] = p->num == 1 ? *R : sup_fem_polar(&F);
    p->S[q] = symmetric_part(sup_m3_mul(sup_m3_transpose(p->R[q]), F));
  }
}

static sup_m3 load_strain(const double *s) {
  return (sup_m3){{{s[0], s[5], s[4]}, {s[5], s[1], s[3]}, {s[4], s[3], s[2]}}};
}

static double contract(const sup_m3 *A, const sup_m3 *B) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += A->m[i / 3][i % 3] * B->m[i / 3][i % 3];
  return sum;
}

static double trace(const sup_m3 *A) { return A->m[0][0] + A->m[1][1] + A->m[2][2]; }

/** The dilatation that a point has: its own, or the mean of the cell's (THEORY 4.7). */
static void dilatations(const sup_fem_body *body, int num, const double *weight,
                        const sup_m3 d[SUP_ELEMENT_MAX_POINTS], double *out) {
  double mean = 0, volume = 0;
  for (int q = 0; q < num; q++)
    out[q] = trace(&d[q]), mean += weight[q] * out[q], volume += weight[q];
  for (int q = 0; q < num && body->element == &sup_element_t10b; q++) out[q] = mean / volume;
}

/** d_q, and its stress tau_q with beta. */
static void stresses(const sup_fem_body *body, int c, const cell_points *p, const double *start,
                     sup_m3 *tau) {
  const sup_lame *lame = &sup_fem_matter_of(body, c)->lame;
  double          theta[SUP_ELEMENT_MAX_POINTS], beta = beta_of(body, c);
  sup_m3          d[SUP_ELEMENT_MAX_POINTS] = {{{{0}}}};
  start += 6 * (size_t)num_points(body) * (size_t)c;
  for (int q = 0; q < p->num; q++) d[q] = subtract(p->S[q], load_strain(start + 6 * q));
  dilatations(body, p->num, p->weight, d, theta);
  for (int q = 0; q < p->num; q++) {
    tau[q] = sup_m3_scale(2 * beta * lame->mu, d[q]);
    for (int i = 0; i < 3; i++) tau[q].m[i][i] += beta * lame->lambda * theta[q];
  }
}

/** (tr S - S)^-1; 0: the cell does not turn, or is turned inside out or flat. */
static sup_m3 turn_inverse(const cell_points *p, int q) {
  sup_m3 T = sup_m3_scale(-1, p->S[q]);
  for (int i = 0; i < 3; i++) T.m[i][i] += trace(&p->S[q]);
  return p->turns && sup_m3_det(&T) > SUP_FEM_LEAST_TURN ? sup_m3_inverse(T) : sup_m3_zero();
}

/** A_kj - A_jk for i, j, k in turn. */
static sup_v3 axial(const sup_m3 *A) {
  return sup_v3_make(A->m[2][1] - A->m[1][2], A->m[0][2] - A->m[2][0], A->m[1][0] - A->m[0][1]);
}

/** First Piola stress of damping. */
static sup_m3 piola(const cell_points *p, int q, const sup_m3 *tau) {
  sup_m3 A = sup_m3_mul(*tau, p->S[q]);
  sup_v3 y = sup_m3_apply(turn_inverse(p, q), axial(&A));
  return sup_m3_mul(p->R[q], subtract(*tau, sup_m3_skew(y)));
}

/** S Lambda + Lambda S = tau */
static sup_m3 lambda_of(const sup_m3 *S, const sup_m3 *tau) {
  double A[3][3], s[3], V[3][3];
  memcpy(A, S->m, sizeof A);
  sup_fem_eigen(A, s, V);
  sup_m3 Q, own;
  memcpy(Q.m, V, sizeof V);
  own = sup_m3_mul(sup_m3_transpose(Q), sup_m3_mul(*tau, Q));
  double most = fmax(1, fmax(s[0], fmax(s[1], s[2])));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) own.m[i][j] /= fmax(s[i] + s[j], no_stiffness_limit * most);
  return sup_m3_mul(Q, sup_m3_mul(own, sup_m3_transpose(Q)));
}

/** The second derivative of tau's potential by the nine numbers of G = R^T dF, without the
 * dilatation of the cell.
 *  @param[in] rate  of tau by S */
static void tangent_of(const cell_points *p, int q, const sup_lame *rate, const sup_m3 *tau,
                       int is_exact, double H[9][9]) {
  double lambda = rate->lambda, mu = rate->mu;
  sup_m3 inverse = turn_inverse(p, q), dS[9], product[9];
  sup_m3 L = is_exact && p->turns ? lambda_of(&p->S[q], tau) : sup_m3_zero();
  for (int a = 0; a < 9; a++) {
    sup_m3 G = sup_m3_zero();
    G.m[a / 3][a % 3] = 1;
    sup_v3 w = sup_m3_apply(inverse, axial(&G));
    dS[a] = symmetric_part(subtract(G, sup_m3_mul(sup_m3_skew(w), p->S[q])));
    product[a] = subtract(sup_m3_scale(2 * mu, dS[a]), sup_m3_scale(2, sup_m3_mul(L, dS[a])));
  }
  for (int a = 0; a < 9; a++)
    for (int b = 0; b <= a; b++) {
      double sum = contract(&product[a], &dS[b]);
      if (a % 4 == 0 && b % 4 == 0) sum += lambda;
      if (a / 3 == b / 3) sum += 2 * L.m[a % 3][b % 3];
      H[a][b] = H[b][a] = sum;
    }
}

/** values += scale K_ab of a point, K_ab = R (sum of H_(ij)(kl) a_j b_l) R^T. */
static void add_point(int n, const int *at, const double *g, const sup_m3 *R, double H[9][9],
                      double scale, const int *entry, const unsigned char *owned, double *values) {
  for (int a = 0; a < n; a++) {
    const double *ga = g + 3 * at[a];
    sup_m3        T[3]; /* of l: i, k */
    for (int l = 0; l < 3; l++) {
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
          double sum = 0;
          for (int j = 0; j < 3; j++) sum += H[3 * i + j][3 * k + l] * ga[j];
          T[l].m[i][k] = scale * sum;
        }
      T[l] = sup_m3_mul(*R, sup_m3_mul(T[l], sup_m3_transpose(*R)));
    }
    for (int b = 0; b <= a; b++, entry++) {
      const double *gb = g + 3 * at[b];
      double       *K = values + 9 * (size_t)*entry;
      if (!owned[b]) continue;
      for (int i = 0; i < 9; i++)
        K[i] += T[0].m[i % 3][i / 3] * gb[0] + T[1].m[i % 3][i / 3] * gb[1] +
                T[2].m[i % 3][i / 3] * gb[2];
    }
  }
}

/** values += scale beta lambda/V h h^T with h_a = sum of w_q R_q g_qa: the dilatation of the cell.
 */
static void add_dilatation(const sup_fem_body *body, int c, const int *at, const cell_points *p,
                           double scale, const int *entry, const unsigned char *owned,
                           double *values) {
  int    n = body->element->num_vertices;
  sup_v3 h[SUP_CELL_MAX_VERTICES];
  double modulus = scale * beta_of(body, c) * sup_fem_matter_of(body, c)->lame.lambda /
                   sup_fem_volume_of(body, c);
  for (int a = 0; a < n; a++) {
    h[a] = sup_v3_make(0, 0, 0);
    for (int q = 0; q < p->num; q++)
      h[a] = sup_v3_madd(h[a], p->weight[q],
                         sup_m3_apply(p->R[q], sup_v3_load(p->gradient[q] + 3 * at[a])));
  }
  for (int a = 0; a < n; a++)
    for (int b = 0; b <= a; b++, entry++) {
      double *K = values + 9 * (size_t)*entry;
      sup_m3  block = sup_m3_outer(h[a], h[b]);
      if (!owned[b]) continue;
      for (int i = 0; i < 9; i++) K[i] += modulus * block.m[i % 3][i / 3];
    }
}

/* What all cells are asked for. */
typedef struct pass {
  const sup_fem_body      *body;
  const sup_m3            *R;
  const double            *x;
  const sup_fem_increment *inc;
  double                   scale;
  int                      is_exact;
  double                  *values, *f;
} pass;

static void add_cell_points(void *user, const sup_range *range, int c) {
  const pass         *t = user;
  const sup_fem_body *body = t->body;
  int                 n = body->element->num_vertices, at[SUP_CELL_MAX_VERTICES];
  const int          *vertex = body->vertex + (size_t)n * (size_t)c;
  const int          *entry = body->entry + (size_t)body->element->num_pairs * (size_t)c;
  double              scale = t->scale * t->inc->rate;
  unsigned char       owned[SUP_CELL_MAX_VERTICES];
  const sup_lame     *lame = &sup_fem_matter_of(body, c)->lame;
  double              beta = beta_of(body, c);
  cell_points         p;
  sup_m3              tau[SUP_ELEMENT_MAX_POINTS];
  if (beta == 0) return;
  sup_lame rate = {body->element == &sup_element_t10b ? 0 : beta * lame->lambda, beta * lame->mu};
  for (int a = 0; a < n; a++) owned[a] = (unsigned char)sup_range_owns(range, vertex[a]);
  look_at(body, c, t->R + c, t->x, &p);
  sup_fem_cell_order(body, c, at);
  if (t->is_exact) stresses(body, c, &p, t->inc->start, tau);
  for (int q = 0; q < p.num; q++) {
    double H[9][9];
    tangent_of(&p, q, &rate, &tau[q], t->is_exact, H);
    add_point(n, at, p.gradient[q], &p.R[q], H, scale * p.weight[q], entry, owned, t->values);
  }
  if (body->element == &sup_element_t10b)
    add_dilatation(body, c, at, &p, scale, entry, owned, t->values);
}

/* ---- history of linear T4 -------------------------------------------------------------------- */

/** Stress of the history of a viscoelastic cell of linear T4, in its own axes (fem/viscoelastic.h):
 * with the potential V tau : S. */
static sup_m3 history_stress(const sup_fem_body *body, int c, const double *history) {
  const sup_lame *lame = &sup_fem_matter_of(body, c)->lame;
  const double   *g = sup_fem_stiffness_of(body, c);
  sup_m3          H = sup_m3_zero();
  history += 3 * SUP_BATCH * 4 * (size_t)(c / SUP_BATCH) + (size_t)(c % SUP_BATCH);
  for (int a = 1; a < 4; a++, g += 3 * SUP_BATCH) {
    const double *h = history + 3 * SUP_BATCH * a;
    H = sup_m3_add(H, sup_m3_outer(sup_v3_make(h[0], h[SUP_BATCH], h[2 * SUP_BATCH]),
                                   sup_v3_make(g[0], g[SUP_BATCH], g[2 * SUP_BATCH])));
  }
  double pressure = lame->lambda * trace(&H);
  H = sup_m3_scale(2 * lame->mu, symmetric_part(H));
  for (int i = 0; i < 3; i++) H.m[i][i] += pressure;
  return H;
}

static int has_t4_history(const sup_fem_body *body, const sup_fem_increment *inc) {
  return inc && inc->relaxation && !body->is_hyperelastic && !body->element->is_dense;
}

/** What turns of it: exact tangents alone. */
static void add_cell_history(void *user, const sup_range *range, int c) {
  const pass         *t = user;
  const sup_fem_body *body = t->body;
  int                 at[SUP_CELL_MAX_VERTICES];
  const int          *vertex = body->vertex + 4 * (size_t)c;
  unsigned char       owned[SUP_CELL_MAX_VERTICES];
  cell_points         p;
  double              H[9][9];
  if (sup_fem_matter_of(body, c)->prony.num == 0) return;
  for (int a = 0; a < 4; a++) owned[a] = (unsigned char)sup_range_owns(range, vertex[a]);
  look_at(body, c, t->R + c, t->x, &p);
  sup_fem_cell_order(body, c, at);
  sup_m3 tau = history_stress(body, c, t->inc->relaxation->history);
  tangent_of(&p, 0, &(sup_lame){0, 0}, &tau, 1, H);
  add_point(4, at, p.gradient[0], &p.R[0], H, t->scale * p.weight[0],
            body->entry + (size_t)body->element->num_pairs * (size_t)c, owned, t->values);
}

static void t4_energy(void *user, int c, double *term) {
  const pass               *t = user;
  const sup_fem_body       *body = t->body;
  const sup_fem_relaxation *relaxation = t->inc->relaxation;
  const int                *vertex = body->vertex + 4 * (size_t)c;
  double                    X[12], x[12];
  cell_points               p;
  sup_fem_gather(body->mesh->x, vertex, 4, X);
  sup_fem_gather(t->x, vertex, 4, x);
  *term = relaxation->share[body->cell_material[c]] *
          body->element->force(sup_fem_stiffness_of(body, c), t->R + c, X, x, NULL);
  if (sup_fem_matter_of(body, c)->prony.num == 0) return;
  look_at(body, c, t->R + c, t->x, &p);
  for (int i = 0; i < 3; i++) p.S[0].m[i][i] -= 1;
  sup_m3 tau = history_stress(body, c, relaxation->history);
  *term += p.weight[0] * contract(&tau, &p.S[0]);
}

static void add_cell_force(void *user, const sup_range *range, int c) {
  const pass         *t = user;
  const sup_fem_body *body = t->body;
  const int          *cell = sup_mesh_cell(body->mesh, c);
  cell_points         p;
  sup_m3              tau[SUP_ELEMENT_MAX_POINTS];
  if (beta_of(body, c) == 0) return;
  look_at(body, c, t->R + c, t->x, &p);
  stresses(body, c, &p, t->inc->start, tau);
  for (int q = 0; q < p.num; q++) {
    sup_m3 P = piola(&p, q, &tau[q]);
    for (int a = 0; a < body->element->num_vertices; a++)
      if (sup_range_owns(range, cell[a]))
        sup_v3_accumulate(t->f + 3 * (size_t)cell[a], -t->inc->rate * p.weight[q],
                          sup_m3_apply(P, sup_v3_load(p.gradient[q] + 3 * a)));
  }
}

/* ---- strains --------------------------------------------------------------------------------- */

static void dense_strain(const sup_fem_body *body, int c, const sup_m3 *R, const double *x,
                         double *out) {
  int           n = body->element->num_vertices;
  const int    *vertex = body->vertex + (size_t)n * (size_t)c;
  const double *x0 = x + 3 * (size_t)vertex[0];
  for (int a = 0; a < n; a++) {
    sup_v3 arm =
        sup_m3_apply_t(*R, sup_v3_sub(sup_v3_load(x + 3 * (size_t)vertex[a]), sup_v3_load(x0)));
    out[SUP_BATCH * 3 * a] = arm.x, out[SUP_BATCH * (3 * a + 1)] = arm.y,
                        out[SUP_BATCH * (3 * a + 2)] = arm.z;
  }
}

/** What threads share. */
typedef struct strains {
  const sup_fem_body *body;
  const sup_m3       *R;
  const double       *x;
  double             *strain;
} strains;

/** Those of cells first .. end. */
static void take_strains(void *user, int first, int end) {
  const strains      *s = user;
  const sup_fem_body *body = s->body;
  size_t              lanes = 3 * SUP_BATCH * (size_t)body->element->num_vertices,
         points = 6 * (size_t)num_points(body);
  for (int c = first; c < end; c++) {
    if (has_dense_strain(body)) {
      dense_strain(body, c, s->R + c, s->x,
                   s->strain + lanes * (size_t)(c / SUP_BATCH) + c % SUP_BATCH);
      continue;
    }
    cell_points p;
    if (beta_of(body, c) == 0) continue;
    look_at(body, c, s->R + c, s->x, &p);
    double *to = s->strain + points * (size_t)c;
    for (int q = 0; q < p.num; q++, to += 6)
      for (int i = 0; i < 3; i++)
        to[i] = p.S[q].m[i][i], to[3 + i] = p.S[q].m[(i + 1) % 3][(i + 2) % 3];
  }
}

void sup_fem_strains(const sup_fem_body *body, const sup_m3 *R, const double *x, double *strain) {
  if (has_dense_strain(body))
    memset(strain, 0, sup_fem_strain_size(body) * sizeof *strain); /* lanes without a cell */
  sup_share_run(sup_fem_threads(body), body->mesh->num_cells, take_strains,
                &(strains){body, R, x, strain});
}

static double dense_work(const sup_fem_body *body, int c, const double *e, const double *a,
                         const double *b) {
  static const double zero[3 * SUP_CELL_MAX_VERTICES];
  int                 n = 3 * body->element->num_vertices;
  size_t from = SUP_BATCH * (size_t)n * (size_t)(c / SUP_BATCH) + (size_t)(c % SUP_BATCH);
  double d[3 * SUP_CELL_MAX_VERTICES] = {0}, f[3 * SUP_CELL_MAX_VERTICES], sum = 0;
  sup_m3 I = sup_m3_identity();
  for (int i = 0; i < n; i++)
    d[i] = e[from + (size_t)(SUP_BATCH * i)] - b[from + (size_t)(SUP_BATCH * i)];
  body->element->force(sup_fem_stiffness_of(body, c), &I, zero, d, f);
  for (int i = 0; i < n; i++)
    sum -= f[i] * (e[from + (size_t)(SUP_BATCH * i)] - a[from + (size_t)(SUP_BATCH * i)]);
  return sum;
}

static double point_work(const sup_fem_body *body, int c, const double *e, const double *a,
                         const double *b) {
  const sup_lame *lame = &sup_fem_matter_of(body, c)->lame;
  double          weight[SUP_ELEMENT_MAX_POINTS] = {sup_fem_volume_of(body, c)},
         theta[2][SUP_ELEMENT_MAX_POINTS], sum = 0;
  sup_m3 d[2][SUP_ELEMENT_MAX_POINTS] = {{{{{0}}}}};
  int    num = 1, n = body->element->num_vertices;
  if (body->element->integration) {
    double X[3 * SUP_CELL_MAX_VERTICES],
        storage[SUP_ELEMENT_MAX_POINTS * 3 * SUP_CELL_MAX_VERTICES];
    sup_fem_gather(body->mesh->x, sup_mesh_cell(body->mesh, c), n, X);
    num = body->element->integration(X, weight, storage);
  }
  size_t at = 6 * (size_t)num_points(body) * (size_t)c;
  for (int q = 0; q < num; q++, at += 6) {
    d[0][q] = subtract(load_strain(e + at), load_strain(a + at));
    d[1][q] = subtract(load_strain(e + at), load_strain(b + at));
  }
  for (int k = 0; k < 2; k++) dilatations(body, num, weight, d[k], theta[k]);
  for (int q = 0; q < num; q++)
    sum += weight[q] *
           (2 * lame->mu * contract(&d[0][q], &d[1][q]) + lame->lambda * theta[0][q] * theta[1][q]);
  return sum;
}

/** Strains whose work is asked for. */
typedef struct work {
  const sup_fem_body *body;
  const double       *e, *a, *b;
} work;

static void cell_work(void *user, int c, double *term) {
  const work *w = user;
  double      beta = beta_of(w->body, c);
  *term = 0;
  if (beta > 0)
    *term =
        beta * (has_dense_strain(w->body) ? dense_work : point_work)(w->body, c, w->e, w->a, w->b);
}

double sup_fem_strain_work(const sup_fem_body *body, const double *e, const double *a,
                           const double *b) {
  double sum = 0;
  sup_sum_terms(sup_fem_threads(body), body->mesh->num_cells, 1, 1, cell_work,
                &(work){body, e, a, b}, &sum);
  return sup_sum_of_ranks(body->ranks, sum);
}

/* ---- with the elastic energy ----------------------------------------------------------------- */

/** Elastic, with what relaxes, without damping. */
static double elastic_energy(const sup_fem_body *body, const sup_m3 *R, const double *x,
                             const sup_fem_increment *inc) {
  double sum = 0;
  if (!inc->relaxation) return sup_fem_elastic_energy(body, R, x);
  if (body->is_hyperelastic)
    sum = sup_fem_hyperelastic_energy(body, x, inc->relaxation);
  else
    sup_sum_terms(sup_fem_threads(body), body->mesh->num_cells, 1, 1, t4_energy,
                  &(pass){.body = body, .R = R, .x = x, .inc = inc}, &sum);
  return sup_sum_of_ranks(body->ranks, sum);
}

double sup_fem_step_energy(const sup_fem_body *body, const sup_m3 *R, const double *x,
                           const sup_fem_increment *inc, double *strain) {
  double sum = 0;
  if (!inc) return sup_fem_elastic_energy(body, R, x);
  if (!has_dense_strain(body)) {
    sum = elastic_energy(body, R, x, inc);
    if (!inc->start) return sum;
    sup_fem_strains(body, R, x, strain);
    return sum + 0.5 * inc->rate * sup_fem_strain_work(body, strain, inc->start, inc->start);
  }
  return sup_sum_of_ranks(body->ranks, sup_fem_dense_energy(body, R, x, inc));
}

void sup_fem_step_force(const sup_fem_body *body, const sup_m3 *R, const double *x,
                        const sup_fem_increment *inc, double *f) {
  if (!inc) {
    sup_fem_energy_force(body, R, x, f);
    return;
  }
  sup_fem_cells_force(body, R, x, inc, f); /* of cells at hand, to which others' are added */
  if (inc->start && !has_dense_strain(body))
    sup_fem_run_cells(body, add_cell_force,
                      &(pass){.body = body, .R = R, .x = x, .inc = inc, .f = f});
  sup_fem_end_sum(body, f);
}

void sup_fem_add_step_stiffness(const sup_fem_body *body, const sup_m3 *R, const double *x,
                                double scale, const sup_fem_increment *inc, int is_exact,
                                double *values) {
  if (is_exact)
    sup_fem_add_tangent(body, R, x, scale, inc, values);
  else
    sup_fem_add_projected(body, R, x, scale, inc, values);
  pass p = {body, R, x, inc, scale, is_exact, values, NULL};
  if (inc && inc->start && !has_dense_strain(body)) sup_fem_run_cells(body, add_cell_points, &p);
  if (is_exact && has_t4_history(body, inc)) sup_fem_run_cells(body, add_cell_history, &p);
}
