/** Wall thickness of a profile, and the size of cells that follows from it.  Layer profile. */
#pragma once

#include "profile/profile.h"

/** The length of the shortest chord through a point whose ends lie on sides that face each other
 * (normals that differ by more than 120 degrees): the thickness of the wall there [m].  INFINITY
 * where there is none. */
double sup_profile_thickness(const sup_profile *profile, const double x[2]);
/** Thickness of the wall behind a point of the boundary with its outer normal; INFINITY where the
 * inner normal leads to no side that faces it. */
double sup_profile_thickness_behind(const sup_profile *profile, const double x[2],
                                    const double normal[2]);
/** The thinnest wall [m], looked for at the middles of all pieces and along the long ones.
 *  @param[out] where  a side of it [m] */
double sup_profile_thinnest(const sup_profile *profile, double where[2]);

/** Sizes of cells on a grid of squares, bilinear in each. */
typedef struct sup_size_grid {
  int     n[2]; /* squares */
  double  lower[2], step;
  double *size; /* [(n[0] + 1) x (n[1] + 1)] [m], row by row along x */
} sup_size_grid;

/** Thickness over the number of cells that walls shall have, at most `largest`, at least a 20th of
 * the thinnest wall.
 *  @param corner  of that in the thinnest wall what cells have at corners of holes and notches,
 * from where they grow; at least 1: corners are as other places */
SUP_NODISCARD sup_status sup_size_grid_create(sup_size_grid *grid, const sup_profile *profile,
                                              double cells_of_wall, double largest, double corner);
void                     sup_size_grid_free(sup_size_grid *grid);
