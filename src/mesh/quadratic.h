/** Ten-node tetrahedra, straight or curved: shape functions and the map from the reference cell.
 * Layer mesh.
 *
 *  Barycentric coordinates L of the reference cell, xi_k = L_(k+1): vertices have N = L (2 L - 1),
 * the vertex on an edge (a, b) has 4 La Lb (THEORY 4.6).  dx/dxi is linear in L, hence defined by
 * its values at the four corners. */
#pragma once

#include "mesh/mesh.h"

/** Rule of degree 3 with positive weights: the corners with 1/40 of the volume each, the centres of
 * the faces with 9/40.  Products of two strains of a straight cell are of degree 2; on curved cells
 * volume and patch test remain exact, since cof J dN is of degree 3. */
enum { SUP_T10_POINTS = 8 };
extern const double sup_t10_point[SUP_T10_POINTS][4];
/** Weight of point q times det J is its share of the volume; they add up to 1/6. */
extern const double sup_t10_weight[SUP_T10_POINTS];

void sup_t10_shape(const double L[4], double N[10]);
/** dN/dxi. */
void sup_t10_gradient(const double L[4], sup_v3 dN[10]);
/** dx/dxi at the points of the rule, the corners first.
 *  @param[in] x  [10 x 3] */
void sup_t10_jacobians(const double *x, sup_m3 J[SUP_T10_POINTS]);
/** dx/dxi anywhere from its values at the corners. */
sup_m3 sup_t10_jacobian(const sup_m3 corner[4], const double L[4]);
/** Numbers within the cell of the eight straight T4 that its vertices span: one at each corner,
 * then four about the shortest diagonal of the octahedron between them. */
void sup_t10_cut(const double *x, int tet[8][4]);
