/** Growth of bodies: strains of cells that are free of stress, as of heat, swelling, shrinkage and
 * pre-stretch (THEORY 22.1).  Layer fem.
 *
 *  A cell with the strain e is at rest in every rotation of (1 + e) X; its stiffness and mass stay
 * those of X. */
#pragma once

#include "fem/body.h"

/** Add a growth to a body with K0 or linear T4.  E_ARG: laws of stretches, or too many.
 *  @param[in] strain   [3] along the axes of the mesh at share 1
 *  @param[in] is_cell  [num_cells] of the given mesh, 1: the cell grows */
SUP_NODISCARD sup_status sup_fem_add_growth(sup_fem_body *body, const double strain[3],
                                            const unsigned char *is_cell);
int                      sup_fem_num_growths(const sup_fem_body *body);
/** Internal variables of the growths at these shares.
 *  @param[in]  share     [sup_fem_num_growths]
 *  @param[out] internal  [sup_fem_num_internal]; other variables stay */
void sup_fem_set_growth(const sup_fem_body *body, const double *share, double *internal);
