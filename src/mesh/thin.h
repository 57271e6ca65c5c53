/** Edge lengths and aspect of bricks.  Layer mesh. */
#pragma once

#include "mesh/mesh.h"

/** Means of the four edges along each direction of the reference cube. */
typedef struct sup_brick_size {
  double length[3]; /* [m] */
  int    thinnest;  /* direction 0, 1 or 2 */
  double aspect;    /* the shorter of the other two over the thinnest [-] */
} sup_brick_size;

/** @param[in] X  [8 x 3] VTK order */
sup_brick_size sup_brick_measure(const double *X);

/** Bricks that are at least this thin can be solid-shells (fem/element/element_shell.c); below,
 * bricks with incompatible modes are within 1 % on curved strips and fibres need not be straight.
 */
#define SUP_THIN_BRICK_ASPECT 2.0

/** Thin bricks of a mesh. */
typedef struct sup_thin_bricks {
  int    num;       /* with an aspect of at least SUP_THIN_BRICK_ASPECT */
  int    single;    /* of these such with the surface on both sides: one layer */
  double aspect;    /* the largest of single ones, 0: there is none [-] */
  double thickness; /* of the same cell [m] */
} sup_thin_bricks;

/** Find the thin bricks of a mesh; all 0 unless its cells are H8. */
SUP_NODISCARD sup_status sup_thin_bricks_find(const sup_mesh *mesh, sup_thin_bricks *thin);
