/** Closed surfaces inside of another: parts of one mesh as sets of cells.  Layer mesh. */
#pragma once

#include "mesh/mesh.h"

/** Solid angle of a closed surface seen from a point, over 4 pi: 1 inside, 0 outside, of hollows 0.
 * A. Van Oosterom, J. Strackee, IEEE Trans. Biomed. Eng. 30, 1983. */
double sup_surface_winding(const sup_hull *surface, sup_v3 point);
/** E_ARG: a name that is empty or twice there; E_GEOMETRY: an insert that is not closed, or with a
 * point outside of the surface. */
SUP_NODISCARD sup_status sup_inserts_check(const sup_hull           *surface,
                                           const sup_tetgen_options *options);
/** The set of cells region_N of the mesher, which parts it by all surfaces, becomes that of the
 * smallest insert around its cells; of cells in none it goes. */
SUP_NODISCARD sup_status sup_inserts_name_sets(sup_mesh *mesh, const sup_tetgen_options *options);
