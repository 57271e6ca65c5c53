/** Vertices of a body of several materials, once for each of their materials.  Layer fem, used by
 * fem/recovery.c: at an interface stress jumps, and each side has its own. */
#pragma once

#include "fem/body.h"

typedef struct sup_fem_sites {
  sup_mesh *mesh;   /* of the body, its materials apart: its vertices are the sites */
  int      *vertex; /* [sites] of the body */
  double   *share;  /* [sites] what the site's material has of the volume of the cells around the
                       vertex [-] */
} sup_fem_sites;

SUP_NODISCARD sup_status sup_fem_sites_create(sup_fem_sites *sites, const sup_fem_body *body);
/** Accepts zeroed sites. */
void sup_fem_sites_free(sup_fem_sites *sites);
