#include "fem/manufactured.h"

#include "fem/body_parts.h"
#include "mesh/quadratic.h"

enum { GAUSS = 4, RULE = GAUSS * GAUSS * GAUSS };

/** Shape functions of a cell at a point of its rule. */
typedef struct point {
  double N[SUP_CELL_MAX_VERTICES];
  sup_v3 gradient[SUP_CELL_MAX_VERTICES]; /* [1/m] */
  sup_v3 x;
  double volume; /* [m^3] */
} point;

/** Displacement, its gradient and the body force at a point. */
typedef struct field {
  double u[3];
  sup_m3 gradient;
  double force[3];
} field;

sup_manufactured sup_fem_manufactured(const sup_fem_body *body, const double amplitude[3]) {
  sup_manufactured m = {.amplitude = {amplitude[0], amplitude[1], amplitude[2]}};
  sup_mesh_bounds(body->mesh, &m.lower, &m.upper);
  return m;
}

/** Long-term moduli, after complete relaxation. */
static field field_at(const sup_manufactured *m, const sup_fem_matter *matter, sup_v3 x) {
  sup_lame     lame = {matter->prony.long_term * matter->lame.lambda,
                       matter->prony.long_term * matter->lame.mu};
  const double pi = 3.14159265358979323846, *a = m->amplitude;
  double       at[3], length[3], s[3], d[3], second[3][3], trace = 0;
  field        out;
  sup_v3_store(at, sup_v3_sub(x, m->lower));
  sup_v3_store(length, sup_v3_sub(m->upper, m->lower));
  for (int i = 0; i < 3; i++) {
    double k = pi / length[i];
    s[i] = sin(k * at[i]), d[i] = k * cos(k * at[i]);
    second[i][i] = -k * k;
  }
  double product = s[0] * s[1] * s[2],
         slope[3] = {d[0] * s[1] * s[2], s[0] * d[1] * s[2], s[0] * s[1] * d[2]};
  for (int i = 0; i < 3; i++) {
    second[i][i] *= product;
    trace += second[i][i];
    for (int j = 0; j < 3; j++)
      if (j != i) second[i][j] = d[i] * d[j] * s[3 - i - j];
  }
  for (int i = 0; i < 3; i++) {
    out.u[i] = a[i] * product;
    out.force[i] = -lame.mu * a[i] * trace;
    for (int j = 0; j < 3; j++) {
      out.gradient.m[i][j] = a[i] * slope[j];
      out.force[i] -= (lame.lambda + lame.mu) * a[j] * second[i][j];
    }
  }
  return out;
}

/* ---- the rule -------------------------------------------------------------------------------- */

/** Gauss points of the unit cube; returns the weight, the sum of which is 1. */
static double cube_point(int q, double s[3]) {
  static const double at[GAUSS] = {-0.86113631159405258, -0.33998104358485626, 0.33998104358485626,
                                   0.86113631159405258};
  static const double weight[GAUSS] = {0.34785484513745386, 0.65214515486254614,
                                       0.65214515486254614, 0.34785484513745386};
  const int           i[3] = {q / GAUSS / GAUSS, q / GAUSS % GAUSS, q % GAUSS};
  double              product = 1;
  for (int k = 0; k < 3; k++) s[k] = 0.5 * (1 + at[i[k]]), product *= 0.5 * weight[i[k]];
  return product;
}

/** The cube folded into a tetrahedron (Duffy): barycentric coordinates; the weights add up to 1/6.
 */
static double tet_point(int q, double L[4]) {
  double s[3], weight = cube_point(q, s);
  L[1] = s[0], L[2] = (1 - s[0]) * s[1], L[3] = (1 - s[0]) * (1 - s[1]) * s[2];
  L[0] = 1 - L[1] - L[2] - L[3];
  return weight * (1 - s[0]) * (1 - s[0]) * (1 - s[1]);
}

/** N, dN/dxi and the weight. */
static double reference_point(sup_cell_type type, int q, double *N, sup_v3 *dN) {
  static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  double           L[4], s[3];
  if (type == SUP_CELL_H8) {
    double weight = cube_point(q, s);
    for (int a = 0; a < 8; a++) {
      double f[3], sign[3];
      for (int k = 0; k < 3; k++)
        f[k] = corner[a][k] ? s[k] : 1 - s[k], sign[k] = corner[a][k] ? 1 : -1;
      N[a] = f[0] * f[1] * f[2];
      dN[a] = sup_v3_make(sign[0] * f[1] * f[2], f[0] * sign[1] * f[2], f[0] * f[1] * sign[2]);
    }
    return weight;
  }
  double weight = tet_point(q, L);
  if (type == SUP_CELL_T10) {
    sup_t10_shape(L, N);
    sup_t10_gradient(L, dN);
    return weight;
  }
  for (int a = 0; a < 4; a++)
    N[a] = L[a], dN[a] = sup_v3_make(a ? a == 1 : -1, a ? a == 2 : -1, a ? a == 3 : -1);
  return weight;
}

static point point_of(const sup_fem_body *body, int c, int q) {
  const int *vertex = sup_mesh_cell(body->mesh, c);
  int        n = body->element->num_vertices;
  point      p = {.x = {0, 0, 0}};
  sup_m3     J = sup_m3_zero();
  p.volume = reference_point(body->mesh->type, q, p.N, p.gradient);
  for (int a = 0; a < n; a++) {
    sup_v3 X = sup_mesh_vertex(body->mesh, vertex[a]);
    p.x = sup_v3_madd(p.x, p.N[a], X);
    J = sup_m3_add(J, sup_m3_outer(X, p.gradient[a]));
  }
  sup_m3 inverse = sup_m3_inverse(J);
  p.volume *= sup_m3_det(&J);
  for (int a = 0; a < n; a++) p.gradient[a] = sup_m3_apply_t(inverse, p.gradient[a]);
  return p;
}

/* ---- load and error -------------------------------------------------------------------------- */

void sup_fem_manufactured_load(const sup_fem_body *body, const sup_manufactured *solution,
                               double *f) {
  for (int c = 0; c < body->mesh->num_cells; c++)
    for (int q = 0; q < RULE; q++) {
      point p = point_of(body, c, q);
      field exact = field_at(solution, sup_fem_matter_of(body, c), p.x);
      for (int a = 0; a < body->element->num_vertices; a++)
        sup_v3_accumulate(f + 3 * (ptrdiff_t)sup_mesh_cell(body->mesh, c)[a], p.volume * p.N[a],
                          sup_v3_load(exact.force));
    }
}

void sup_fem_manufactured_error(const sup_fem_body *body, const sup_manufactured *solution,
                                const double *u, double *l2, double *h1) {
  double sum[2] = {0, 0};
  for (int c = 0; c < body->mesh->num_cells; c++)
    for (int q = 0; q < RULE; q++) {
      point  p = point_of(body, c, q);
      field  exact = field_at(solution, sup_fem_matter_of(body, c), p.x);
      sup_v3 e = sup_v3_scale(-1, sup_v3_load(exact.u));
      sup_m3 slope = sup_m3_scale(-1, exact.gradient);
      for (int a = 0; a < body->element->num_vertices; a++) {
        sup_v3 ua = sup_v3_load(u + 3 * (ptrdiff_t)sup_mesh_cell(body->mesh, c)[a]);
        e = sup_v3_madd(e, p.N[a], ua);
        slope = sup_m3_add(slope, sup_m3_outer(ua, p.gradient[a]));
      }
      sum[0] += p.volume * sup_v3_dot(e, e);
      for (int i = 0; i < 3; i++)
        sum[1] += p.volume * sup_v3_dot(sup_m3_row(&slope, i), sup_m3_row(&slope, i));
    }
  *l2 = sqrt(sum[0]), *h1 = sqrt(sum[1]);
}
