/** Rounded corners of the cavities of a FinRay finger.  Layer mesh, private to
 * mesh/generate/finray.c. */
#pragma once

#include "base/vec.h"
#include "mesh/generate/generate.h"

/** The grid of a finger in its side view, its cavities empty. */
typedef struct sup_finray_side {
  int                  n[2];       /* bricks across and up */
  int                  between[2]; /* first and last grid line of the cavities across */
  const unsigned char *is_hollow;  /* [n[1]] row of bricks beside a cavity */
  sup_v3              *x;          /* [(n[0] + 1) x (n[1] + 1)] */
} sup_finray_side;

/** 1: a brick is turned inside out.
 *  @param[out] at  its first corner */
bool sup_finray_has_turned_brick(const sup_finray_side *side, sup_v3 *at);
/** Move grid points, so that each corner of a cavity is an arc of 2 `cells` chords whose vertices
 * lie on a circle that touches both of its sides.  Its middle is the grid point of the sharp
 * corner, where three bricks meet, each in a third of a half turn; rows and columns of bricks,
 * `cells` of them along half of an arc, follow through walls, ribs and blocks.  E_ARG: a side of a
 * cavity that is too short for its two arcs, bricks that are turned inside out. */
SUP_NODISCARD sup_status sup_finray_round(const sup_finray_side *side, double radius, int cells);
/** Move grid points of the tip block, so that its outer corners are arcs: points in the
 * parallelogram of a corner and its arc move outwards from the inner corner, in proportion to the
 * distance to the arc.  E_ARG: a radius that the block has no space for, bricks that are turned
 * inside out. */
SUP_NODISCARD sup_status sup_finray_round_tip(const sup_finray_side *side, double radius,
                                              double block);
