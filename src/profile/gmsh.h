/** Sections cut into quadrilaterals by Gmsh, run as a program.  Layer profile; gmsh.c and
 * gmsh_file.c are the only files that know the program. */
#pragma once

#include "profile/quads.h"

typedef struct sup_quads_options {
  double largest;    /* edge of a cell [m]; 0: a tenth of the section's shorter side */
  int    wall_cells; /* through each wall, at least */
  double corner;     /* size of cells at corners of holes and notches over that in walls, .1 to 1 */
  double time_limit; /* of a run of Gmsh [s] */
} sup_quads_options;

sup_quads_options sup_default_quads_options(void);

/** Report on the quadrilaterals. */
typedef struct sup_quads_report {
  double          quality; /* smallest scaled Jacobian */
  double          where[2];
  sup_wall_report walls;
  double          largest; /* edge that was asked for [m] */
} sup_quads_report;

/** Quadrilaterals that fill a finished profile: sizes follow the thickness of walls, several of
 * Gmsh's algorithms are tried until no triangle is left, the quality is at least 0.3 and every wall
 * has its cells.  Sets: "outer", "side_1" .. (from corner to corner, counter-clockwise from the
 * lowest), "hole_1" .. (from below).  E_IO: gmsh is missing; E_GEOMETRY: nothing that would do was
 * found, with the best that was. */
SUP_NODISCARD sup_status sup_quads_of_profile(sup_quads **quads, const sup_profile *profile,
                                              const sup_quads_options *options,
                                              sup_quads_report        *report);
/** Quadrilaterals, as by sup_quads_of_profile, of a file that Gmsh reads (.geo, .step, .stp, .iges,
 * .brep): plane surfaces at one height z.  Sets are its physical curves.
 *  @param unit     [m] of the file's numbers
 *  @param outline  the profile with its curves, for meshes that are refined; NULL: not needed */
SUP_NODISCARD sup_status sup_quads_of_geometry(sup_quads **quads, const char *path, double unit,
                                               const sup_quads_options *options,
                                               sup_profile **outline, sup_quads_report *report);
