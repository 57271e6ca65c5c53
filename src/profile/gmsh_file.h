/** Files of a section that Gmsh reads and writes.  Layer profile, private. */
#pragma once

#include "profile/quads.h"
#include "profile/wall.h"

/** Write the .geo file of a profile, or of another geometry file that it merges.
 *  @param scale  numbers in a metre
 *  @param sizes  NULL: Gmsh's own
 *  @param way    numbers of the recombination and of the algorithm */
SUP_NODISCARD sup_status sup_gmsh_write_section(const char *path, const sup_profile *profile,
                                                const char *geometry, double scale,
                                                const sup_size_grid *sizes, const int way[2]);
/** Read Gmsh's .msh 2.2: quadrilaterals turned counter-clockwise, edges of named curves.
 *  E_PARSE: not such a file, or surfaces that are not at one height z. */
SUP_NODISCARD sup_status sup_gmsh_read_section(sup_quads **quads, const char *path, double scale,
                                               int *num_triangles);
