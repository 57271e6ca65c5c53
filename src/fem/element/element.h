/** Element interface: one table of functions a cell type.  Layer fem, used by the files of this
 * folder.
 *
 *  Linear corotational: the nodal force is f_a = -R sum_b K0_ab ubar_b with ubar_b = R^T (x_b -
 * x_0) - (X_b - X_0), and the stiffness is R K0_ab R^T (THEORY 4.2).  Two orders of a cell's
 * vertices occur: the cell's own (VTK), in which geometry is read, and its slots: ascending vertex
 * number.  In slot order the pairs (a, b), a >= b, are blocks of the lower triangle as they are,
 * without transposing.  Pairs are numbered a (a + 1) / 2 + b. */
#pragma once

#include "base/vec.h"
#include "fem/material.h"
#include "mesh/mesh.h"

enum { SUP_CELL_MAX_PAIRS = SUP_CELL_MAX_VERTICES * (SUP_CELL_MAX_VERTICES + 1) / 2 };
/** Cells of a batch (fem/kernel/batch.h): data of assembly and forces are stored lane by lane,
 * SUP_BATCH numbers from one number of a cell to its next. */
enum { SUP_BATCH = 8 };

/** Stress at one point of a cell. */
typedef struct sup_point_stress {
  sup_m3 cauchy;         /* [Pa] */
  double energy_density; /* per rest volume [J/m^3] */
  double volume_ratio;   /* current over rest volume [-] */
  double weight;         /* share of the cell's rest volume; they add up to 1 */
} sup_point_stress;

/** Points of a cell, and numbers of a brick's internal modes: the lower triangle of K_aa^-1, row by
 * row. */
enum { SUP_ELEMENT_MAX_POINTS = 12, SUP_ELEMENT_MAX_COMPLIANCE = 45 };

/** Output of sup_element.prepare. */
typedef struct sup_element_data {
  double *stiffness;  /* [stiffness_size] for assembly and forces */
  double *compliance; /* [compliance_size] of the internal modes, for stress alone */
  double *gradient;   /* [num_vertices x 3] volume means of the shape gradients, cell order [1/m] */
  double  volume;     /* [m^3] */
} sup_element_data;

typedef struct sup_element {
  int num_vertices;
  int num_pairs;
  int stiffness_size, compliance_size; /* doubles a cell */
  int is_dense;                        /* stiffness is a K0 (fem/kernel/dense.h) */
  int lumps_diagonal; /* lumped mass: the diagonal, scaled; 0: row sums, where these are positive */
  int num_points;     /* where stress is known: points of integration, perhaps others of weight 0 */
  int first_sample;   /* first point that a patch samples (fem/recovery/recovery.h) */

  /** Precompute a cell.
   *  @param[in] X     [num_vertices x 3] rest positions, cell order
   *  @param[in] slot  [num_vertices] slot of each vertex of the cell
   *  @return the smallest Jacobian at an integration point over the cube of the longest edge; the
   * data are usable when it is above SUP_ELEMENT_MIN_JACOBIAN */
  double (*prepare)(const sup_lame *lame, const double *X, const int *slot, sup_element_data *data);
  /** Nodal forces in slot order and the stored energy [J].
   *  @param[in]  stiffness  output of prepare, a number every SUP_BATCH
   *  @param[in]  X, x  [num_vertices x 3] rest and current positions, slot order
   *  @param[out] f     [num_vertices x 3]; NULL: energy only */
  double (*force)(const double *stiffness, const sup_m3 *R, const double *X, const double *x,
                  double *f);
  /** Integrals of N_a N_b in cell order, [num_vertices^2]; row sums are the integrals of N_a [m^3].
   */
  void (*mass)(const double *X, double *N);
  /** Values of the shape functions at a point, cell order. */
  void (*shape)(int point, double *N);
  /** Points at which stretch laws are integrated; NULL: one, with the mean gradients.
   *  @param[out] weight    [number of points] of the rest volume [m^3]
   *  @param[out] gradient  [number of points x num_vertices x 3] of the shape functions, cell order
   * [1/m]
   *  @return their number, SUP_ELEMENT_MAX_POINTS at most */
  int (*integration)(const double *X, double *weight, double *gradient);
  /** Deformation gradients, weights and ratios of the volume at the points of stress; NULL as
   * above.
   *  @param[in]  lame      of the cell's internal modes; NULL: without these
   *  @param[out] F, point  [num_points] */
  void (*deformations)(const sup_lame *lame, const double *X, const double *x, sup_m3 *F,
                       sup_point_stress *point);
  /** Stress at x with the cell's rotation R; X and x in cell order; NULL: bricks
   * and linear tetrahedra (fem/kernel/stress_kernel.h).
   *  @param[out] point  [num_points] */
  void (*stress)(const sup_lame *lame, sup_material_model model, const sup_m3 *R, const double *X,
                 const double *x, sup_point_stress *point);
} sup_element;

#define SUP_ELEMENT_MIN_JACOBIAN 1e-13
/** Corners of the reference cube of H8 in VTK order. */
extern const double sup_h8_corner[8][3];
/** Integration points of H8: 1 / sqrt(3) of the corners. */
#define SUP_H8_GAUSS 0.57735026918962576451

/** Linear tetrahedron (THEORY 4.1), trilinear hexahedron with incompatible modes (15.1), quadratic
 * tetrahedron (4.6) and the same with the mean of the dilatation (4.7). */
extern const sup_element sup_element_t4;
extern const sup_element sup_element_h8;
extern const sup_element sup_element_t10;
extern const sup_element sup_element_t10b;
/** Solid-shell where cells are thin, sup_element_h8 where they are not (THEORY 21). */
extern const sup_element sup_element_shell;
