/** Notches in the walls of a FinRay finger.  Layer mesh, private to mesh/generate/finray.c. */
#pragma once

#include "mesh/generate/finray_fillet.h"

/** Positions of the faces of the walls at the height y, from front to back: x of the outer one, the
 * inner ones, the outer one [m]. */
typedef void sup_finray_faces(const sup_finray *finray, double y, double x[4]);

/** Move grid points of the walls beside cavities, so that each notch is an arc of a circle in 2
 * `notch_cells` chords.  Rows beside a cavity, between its fillets, are redistributed to the
 * notches and the pieces between them.  E_ARG: notches that are not beside a cavity, that overlap,
 * that are deeper than half of their length or than the wall, cavities with too few rows.
 *  @param faces positions of grid points outside of notches */
SUP_NODISCARD sup_status sup_finray_notch(const sup_finray_side *side, const sup_finray *finray,
                                          sup_finray_faces *faces);
