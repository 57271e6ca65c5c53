#include "mesh/quadratic.h"
#include "mesh/numerics.h"

#define THIRD (1.0 / 3)
const double sup_t10_point[SUP_T10_POINTS][4] = {{1, 0, 0, 0},
                                                 {0, 1, 0, 0},
                                                 {0, 0, 1, 0},
                                                 {0, 0, 0, 1},
                                                 {0, THIRD, THIRD, THIRD},
                                                 {THIRD, 0, THIRD, THIRD},
                                                 {THIRD, THIRD, 0, THIRD},
                                                 {THIRD, THIRD, THIRD, 0}};
const double sup_t10_weight[SUP_T10_POINTS] = {1. / 240, 1. / 240, 1. / 240, 1. / 240,
                                               9. / 240, 9. / 240, 9. / 240, 9. / 240};

/** Number of the vertex between two corners. */
static const int between[4][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};

void sup_t10_shape(const double L[4], double N[10]) {
  for (int a = 0; a < 4; a++) {
    N[a] = L[a] * (2 * L[a] - 1);
    for (int b = 0; b < a; b++) N[between[a][b]] = 4 * L[a] * L[b];
  }
}

void sup_t10_gradient(const double L[4], sup_v3 dN[10]) {
  static const sup_v3 dL[4] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int a = 0; a < 4; a++) {
    dN[a] = sup_v3_scale(4 * L[a] - 1, dL[a]);
    for (int b = 0; b < a; b++)
      dN[between[a][b]] = sup_v3_add(sup_v3_scale(4 * L[b], dL[a]), sup_v3_scale(4 * L[a], dL[b]));
  }
}

/* ---- the map --------------------------------------------------------------------------------- */

/** dx/dxi at the corners: by the edges of parabolas, dx/dL_k at corner i is 4 x_ik - x_k - (3 x_i)
 * with itself. */
static void corner_jacobians(const double *x, sup_m3 J[4]) {
  sup_v3 e[10]; /* from vertex 0: keeps the digits of a small cell far from the origin */
  for (int a = 0; a < 10; a++) e[a] = sup_v3_sub(sup_v3_load(x + 3 * a), sup_v3_load(x));
  for (int i = 0; i < 4; i++) {
    sup_v3 slope[4];
    for (int k = 0; k < 4; k++)
      slope[k] =
          k == i ? sup_v3_scale(3, e[i]) : sup_v3_sub(sup_v3_scale(4, e[between[i][k]]), e[k]);
    J[i] = sup_m3_columns(sup_v3_sub(slope[1], slope[0]), sup_v3_sub(slope[2], slope[0]),
                          sup_v3_sub(slope[3], slope[0]));
  }
}

sup_m3 sup_t10_jacobian(const sup_m3 corner[4], const double L[4]) {
  sup_m3 sum = sup_m3_scale(L[0], corner[0]);
  for (int i = 1; i < 4; i++) sum = sup_m3_add(sum, sup_m3_scale(L[i], corner[i]));
  return sum;
}

void sup_t10_jacobians(const double *x, sup_m3 J[SUP_T10_POINTS]) {
  corner_jacobians(x, J);
  for (int q = 4; q < SUP_T10_POINTS; q++) J[q] = sup_t10_jacobian(J, sup_t10_point[q]);
}

/* ---- straight parts -------------------------------------------------------------------------- */

static double distance(const double *x, int a, int b) {
  return sup_v3_norm(sup_v3_sub(sup_v3_load(x + 3 * a), sup_v3_load(x + 3 * b)));
}

/** Length of the longer one of the two edges that a diagonal joins. */
static double longer_edge(const double *x, const int middle[2]) {
  static const int end[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  double           longest = 0;
  for (int k = 0; k < 2; k++)
    longest = fmax(longest, distance(x, end[middle[k] - 4][0], end[middle[k] - 4][1]));
  return longest;
}

void sup_t10_cut(const double *x, int tet[8][4]) {
  /* ends of a diagonal, then the ring around it: (d0, d1, r_i, r_i+1) is positive */
  /* Kuhn's cells have two diagonals of one length, of which one leaves Kuhn's cells: that which
   * joins the shorter edges */
  static const int around[3][6] = {{6, 8, 4, 5, 9, 7}, {4, 9, 5, 6, 7, 8}, {5, 7, 4, 8, 9, 6}};
  int              best = 0;
  double           least = HUGE_VAL, joined = HUGE_VAL;
  for (int d = 0; d < 3; d++) {
    double length = distance(x, around[d][0], around[d][1]), edge = longer_edge(x, around[d]);
    bool   is_equal = fabs(length - least) <= sup_mesh_numerics.same_diagonal * length;
    if (is_equal ? edge < joined * (1 - sup_mesh_numerics.same_diagonal) : length < least)
      least = is_equal ? least : length, joined = edge, best = d;
  }
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) tet[a][b] = between[a][b];
  for (int k = 0; k < 4; k++) {
    const int *d = around[best];
    int        part[4] = {d[0], d[1], d[2 + k], d[2 + (k + 1) % 4]};
    for (int b = 0; b < 4; b++) tet[4 + k][b] = part[b];
  }
}
