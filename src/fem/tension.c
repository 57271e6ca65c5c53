/* What a cell's stress gives to its rotations.
 *
 *  With rotations of the step's start the force of a cell is linear and knows nothing of the second derivative of the
 * turn: a wall that is pulled keeps pulling along the axis that it had. Where the pull is stronger than the load at
 * which the same wall would buckle, each step turns the wall farther back than it had gone, and thin walls swing with
 * growing amplitude however small the strains are. In the axes of R, with the mean stress sigma and the turn theta =
 * 1/2 sum of g_a x u_a, what is missing is
 *
 *      1/2 V theta^T (tr sigma I - sigma) theta,
 *
 *  the twist modes of the corotational law (Smith, de Goes, Kim 2019) at small strains. Its positive part is added: A
 * stays positive definite, and under compression bodies buckle by themselves. It holds on to the turn that the body as
 * a whole has at the step's start, not to rest: forces without a moment about the positions of the step's start are
 * what keeps the angular momentum (THEORY 2.2). */
#include <math.h>

#include "fem/body_parts.h"
#include "fem/stretch_law.h"

/** Axes [rows] of the turns that tension resists, in the world, times the root of the stiffness; their number. */
static int tension_axes(const sup_fem_body *body, int c, const sup_m3 *R, const double *x, sup_v3 axis[3]) {
  const sup_lame *lame = &sup_fem_matter_of(body, c)->lame;
  sup_m3          F = sup_fem_deformation(body, c, x), U = sup_m3_mul(sup_m3_transpose(*R), F);
  double          T[3][3], value[3], Q[3][3];
  double          trace = U.m[0][0] + U.m[1][1] + U.m[2][2] - 3, pull = 3 * lame->lambda * trace + 2 * lame->mu * trace;
  int             num = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double strain = 0.5 * (U.m[i][j] + U.m[j][i]) - (i == j);
      T[i][j] = (i == j ? pull - lame->lambda * trace : 0) - 2 * lame->mu * strain;
    }
  sup_fem_eigen(T, value, Q);
  for (int k = 0; k < 3; k++)
    if (value[k] > 0)
      axis[num++] =
          sup_v3_scale(0.5 * sqrt(body->volume[c] * value[k]), sup_m3_apply(*R, (sup_v3){Q[0][k], Q[1][k], Q[2][k]}));
  return num;
}

/** Turning with the angular velocity w gives axis k the rate axis . (tr B - B) w, B = sum of x_a g_a the stretch in the
 * world. */
static void hold_back(const sup_fem_body *body, int c, const sup_m3 *R, const double *x, double scale, sup_v3 w,
                      int num, const sup_v3 *axis, sup_v3 turn[][3], double *f) {
  sup_m3     B = sup_m3_mul(sup_fem_deformation(body, c, x), sup_m3_transpose(*R));
  sup_v3     rate = sup_v3_sub(sup_v3_scale(B.m[0][0] + B.m[1][1] + B.m[2][2], w), sup_m3_apply(B, w));
  const int *vertex = body->vertex + (size_t)body->element->num_vertices * (size_t)c;
  for (int a = 0; a < body->element->num_vertices; a++)
    for (int k = 0; k < num; k++) {
      sup_v3 part = sup_v3_scale(scale * sup_v3_dot(axis[k], rate), turn[a][k]);
      f[3 * vertex[a]] += part.x, f[3 * vertex[a] + 1] += part.y, f[3 * vertex[a] + 2] += part.z;
    }
}

static void add_cell(const sup_fem_body *body, int c, const sup_m3 *R, const double *x, double scale, sup_v3 w,
                     double *values, double *f) {
  int        n = body->element->num_vertices, at[SUP_CELL_MAX_VERTICES];
  const int *entry = body->entry + (size_t)body->element->num_pairs * (size_t)c;
  sup_v3     axis[3], turn[SUP_CELL_MAX_VERTICES][3];
  int        num = tension_axes(body, c, R, x, axis);
  sup_fem_cell_order(body, c, at);
  for (int a = 0; a < n; a++) {
    sup_v3 g = sup_m3_apply(*R, sup_v3_load(body->gradient + 3 * ((size_t)n * (size_t)c + (size_t)at[a])));
    for (int k = 0; k < num; k++) turn[a][k] = sup_v3_cross(axis[k], g);
  }
  if (f) hold_back(body, c, R, x, scale, w, num, axis, turn, f);
  for (int a = 0; a < n; a++)
    for (int b = 0; b <= a; b++) {
      double *to = values + 9 * (size_t)*entry++;
      for (int k = 0; k < num; k++) {
        sup_v3 ta = turn[a][k], tb = sup_v3_scale(scale, turn[b][k]);
        to[0] += ta.x * tb.x, to[1] += ta.y * tb.x, to[2] += ta.z * tb.x;
        to[3] += ta.x * tb.y, to[4] += ta.y * tb.y, to[5] += ta.z * tb.y;
        to[6] += ta.x * tb.z, to[7] += ta.y * tb.z, to[8] += ta.z * tb.z;
      }
    }
}

sup_v3 sup_fem_spin(const sup_fem_body *body, const double *x, const double *v) {
  static const double least = 1e-9; /* of the determinant against that of a ball */
  sup_v3              center = {0, 0, 0}, drift = {0, 0, 0}, L = {0, 0, 0};
  sup_m3              I = sup_m3_zero();
  double              volume = 0;
  int                 n = body->mesh->num_vertices;
  for (int a = 0; a < n; a++) {
    center = sup_v3_add(center, sup_v3_scale(body->vertex_volume[a], sup_v3_load(x + 3 * (size_t)a)));
    drift = sup_v3_add(drift, sup_v3_scale(body->vertex_volume[a], sup_v3_load(v + 3 * (size_t)a)));
    volume += body->vertex_volume[a];
  }
  center = sup_v3_scale(1 / volume, center), drift = sup_v3_scale(1 / volume, drift);
  for (int a = 0; a < n; a++) {
    sup_v3 r = sup_v3_sub(sup_v3_load(x + 3 * (size_t)a), center);
    sup_v3 u = sup_v3_sub(sup_v3_load(v + 3 * (size_t)a), drift);
    sup_m3 S = sup_m3_skew(r);
    L = sup_v3_add(L, sup_v3_scale(body->vertex_volume[a], sup_v3_cross(r, u)));
    I = sup_m3_add(I, sup_m3_scale(body->vertex_volume[a], sup_m3_mul(sup_m3_transpose(S), S)));
  }
  double trace = I.m[0][0] + I.m[1][1] + I.m[2][2];
  if (!(sup_m3_det(&I) > least * trace * trace * trace / 27)) return (sup_v3){0, 0, 0};
  return sup_m3_apply(sup_m3_inverse(I), L);
}

void sup_fem_add_tension(const sup_fem_body *body, const sup_m3 *R, const double *x, double scale, sup_v3 w,
                         double *values, double *f) {
  if (body->is_hyperelastic) return;
  for (int c = 0; c < body->mesh->num_cells; c++)
    if (sup_fem_matter_of(body, c)->material.model != SUP_MATERIAL_LINEAR)
      add_cell(body, c, R + c, x, scale, w, values, f);
}
