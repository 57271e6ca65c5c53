/** Hyperelastic laws as functions of principal stretches, one file a law.  Layer fem: knows no
 * mesh.
 *
 *  F = U diag(s) V^T with rotations U, V and signed stretches s1 >= s2 >= |s3|, s3 < 0 when det F <
 * 0 (THEORY 4.4).  An isotropic law is psi(s), symmetric in the stretches; P = U diag(p) V^T with
 * p_i = d psi/d s_i, and dP/dF has nine modes: three that change the stretches, by the Hessian A_ij
 * of psi, and for each pair of axes (i, j) a flip with (p_i - p_j)/(s_i - s_j) and a twist with
 * (p_i + p_j)/(s_i + s_j) (THEORY 4.3).
 *
 *  New law: one file law_NAME.c with its row, and one line in SUP_STRETCH_LAW_LIST of
 * supple/soft.h. */
#pragma once

#include "fem/material.h"

/** Row of the table. */
typedef struct sup_stretch_law {
  /** psi [J/m^3] at stretches s; p [3] and its derivative A [3 x 3] (may both be NULL) [Pa].
   * INFINITY: undefined, as Neo-Hookean for det F <= 0; p and A are zero then. */
  double (*evaluate)(const sup_lame *lame, const double s[3], double p[3], double A[3][3]);
  /** The part of psi with lambda is lambda U(d): the dilatation d(s), 0 at rest, and its
   * derivatives (may be NULL). */
  double (*dilatation)(const double s[3], double p[3], double A[3][3]);
  /** U(d) with its first two derivatives; INFINITY and zeros where it is undefined. */
  double (*volumetric)(double d, double slope[2]);
  double least,
      most; /* stretches between which the law is trusted: strains of moderate size, or any */
} sup_stretch_law;

#define SUP_STRETCH_LAW_ROW(NAME, name, meaning) \
  extern const sup_stretch_law sup_stretch_law_##name;
SUP_STRETCH_LAW_LIST(SUP_STRETCH_LAW_ROW)
#undef SUP_STRETCH_LAW_ROW

/** s1 s2 s3 - 1 of strains e_i = s_i - 1, to round-off of the strains: energies of bodies that only
 * turn are zero. */
static inline double sup_fem_volume_strain(const double e[3]) {
  return e[0] + e[1] + e[2] + e[0] * e[1] + e[1] * e[2] + e[0] * e[2] + e[0] * e[1] * e[2];
}

/** d = J - 1, and U = d^2/2, of several laws. */
double sup_stretch_volume(const double s[3], double p[3], double A[3][3]);
double sup_stretch_square(double d, double slope[2]);

/** The law of a material model; NULL: a linear one. */
const sup_stretch_law *sup_fem_stretch_law_of(sup_material_model model);

/** dP/dF by its eigenmodes: dP = sum_k value_k (mode_k : dF) mode_k with orthonormal modes. */
typedef struct sup_tangent_modes {
  double value[9]; /* [Pa] */
  sup_m3 mode[9];
} sup_tangent_modes;

/** Eigenvalues and eigenvectors (columns of V, right-handed) of a symmetric matrix, in no order;
 * overwrites S. */
void sup_fem_eigen(double S[3][3], double value[3], double V[3][3]);
/** F = U diag(s) V^T as above; finite for every finite F. */
void sup_fem_svd(const sup_m3 *F, sup_m3 *U, double s[3], sup_m3 *V);
/** psi at F.
 *  @param[out] P        first Piola stress [Pa]; may be NULL
 *  @param[out] tangent  may be NULL; the sums of stretches that twists are divided by are taken as
 * at least 1e-4 of the largest stretch or of 1 (THEORY 4.4)
 *  @param[in]  project  negative values become zero: K is positive semidefinite */
double sup_fem_stretch_law(const sup_stretch_law *law, const sup_lame *lame, const sup_m3 *F,
                           sup_m3 *P, int project, sup_tangent_modes *tangent);
/** Law psi with lambda = 0 plus pressure times d: the part of a law at a point if the dilatation is
 * that of the whole cell (THEORY 4.7).  Returns psi with lambda = 0. */
double sup_fem_split_law(const sup_stretch_law *law, const sup_lame *lame, double pressure,
                         const sup_m3 *F, sup_m3 *P, int project, sup_tangent_modes *tangent);
/** d at F; its derivative may be NULL. */
double sup_fem_dilatation(const sup_stretch_law *law, const sup_m3 *F, sup_m3 *gradient);
