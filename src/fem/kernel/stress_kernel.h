/** Stress of several cells or vertices at once, one a lane of a vector.  Layer fem, private.
 *
 *  Multiply-adds are written out (fem/kernel/fused.inc): AVX-512 and AVX2 have the same bits, plain
 * code others. */
#pragma once

#include "fem/kernel/batch.h"

/** Input and output of the stresses of bricks or linear tetrahedra besides their batch. */
typedef struct sup_batch_stress {
  const double *X, *x; /* positions at rest and now, of all vertices [m] */
  const double
      *compliance; /* [45 x SUP_BATCH] of bricks' internal modes (fem/element/element.h), aligned */
  double lambda[SUP_BATCH], mu[SUP_BATCH]; /* of each lane's cell [Pa] */
  double is_linear[SUP_BATCH];             /* 1: small strains without rotations; else 0 */
  const double
      *strained; /* [num_cells x 3 vertices] of a viscoelastic body: positions, cell order, in the
                    axes of the cell, at which K0 has its stress; NULL: those of x */
  double *point[SUP_BATCH]; /* [points x 6] output of each lane's Cauchy stress at the points [Pa];
                               the first NULL: none */
} sup_batch_stress;

/** Stress of the cells of a batch; tensors as xx yy zz xy yz xz. */
typedef struct sup_batch_points {
  double point[SUP_BATCH][8][6]; /* for the stress of lanes without a cell */
  double weight[8]
               [SUP_BATCH]; /* share of volume; this and all following members: one cell a lane */
  double cauchy[6][SUP_BATCH], von_mises[SUP_BATCH]; /* means over the points [Pa] */
  double energy_density[SUP_BATCH];                  /* [J/m^3] */
  double volume_ratio[SUP_BATCH];                    /* [-] */
  double strain[SUP_BATCH];                          /* of sup_fem_stress [-] */
} sup_batch_points;

/** Stress at vertices from the stress at samples of the cells around them. */
typedef struct sup_stress_rows {
  const size_t *row;    /* [vertices + 1] into `cell` */
  const int    *cell;   /* of each entry */
  const double *weight; /* [samples] of each entry */
  const double *point;  /* [cells x points x 6], of which `samples` count, from first_sample on */
  int           points, first_sample, samples;
} sup_stress_rows;

typedef struct sup_stress_kernels {
  /** F = dx/dxi (dX/dxi)^-1 + sum_k mode_k (grad M_k)^T at each integration point, the strain about
   * the rotation of the cell. */
  void (*brick)(const sup_batch *batch, const sup_batch_stress *in, sup_batch_points *out);
  /** Linear tetrahedra, whose one point is the cell; of the weights the first. */
  void (*t4)(const sup_batch *batch, const sup_batch_stress *in, sup_batch_points *out);
  /** site [6] of vertices first .. end := sum of weights times stresses, in the order of the row.
   */
  void (*rows)(int first, int end, const sup_stress_rows *rows, double *site);
  /** sum[0] := sum_q share_q s : s, sum[1] the same of the traces' squares, s the stresses at the
   * points of a brick; sum[2], sum[3] of sum_a N_a(q) v_a - s.
   *  @param[in] v      [8] tensors at the vertices
   *  @param[in] s      [8 x 6] */
  void (*brick_difference)(const double *const v[8], const double *s, const double *share,
                           double sum[4]);
  /** Principal values of tensors xx yy zz xy yz xz, the largest first.
   *  @param[in]  six    [count x 6]
   *  @param[out] value  [count x 3] */
  void (*principal)(int count, const double *six, double *value);
} sup_stress_kernels;

/** Best set of kernels that this processor supports. */
const sup_stress_kernels *sup_stress_kernels_select(void);
/** Set number k, best first; NULL: this processor lacks the set; *end := 1 if k is past the last
 * set. */
const sup_stress_kernels *sup_stress_kernels_set(int k, int *end);
