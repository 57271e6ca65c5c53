/** Vertices of a body of several materials, once for each of their materials.  Layer fem, used by
 * fem/recovery/recovery.c: at an interface stress jumps, and each side has its own. */
#pragma once

#include "fem/body.h"

typedef struct sup_fem_sites {
  sup_mesh *mesh;   /* of the body, its materials apart: its vertices are the sites */
  int      *vertex; /* [sites] of the body */
  double   *share;  /* [sites] share of the site's material in the volume of the cells around
                       the vertex [-] */
} sup_fem_sites;

/** @param[in] cell_material, volume  [mesh->num_cells] of cells, which may be others' than the
 * body's
 *  @param[in] vertex_volume  [mesh->num_vertices] of all cells around */
SUP_NODISCARD sup_status sup_fem_sites_create(sup_fem_sites *sites, const sup_mesh *mesh,
                                              const int *cell_material, const double *volume,
                                              const double *vertex_volume);
/** Accepts zeroed sites. */
void sup_fem_sites_free(sup_fem_sites *sites);
