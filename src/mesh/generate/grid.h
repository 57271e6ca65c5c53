/** Bricks of a structured grid made into cells: shared by boxes and FinRay fingers.  Layer mesh,
 * private. */
#pragma once

#include "mesh/generate/generate.h"

enum { SUP_GRID_MAX_PARTS = 4 };

/** A grid of n[0] x n[1] x n[2] bricks; brick (i,j,k) is number (i n[1] + j) n[2] + k, grid point
 * (i,j,k) is number (i (n[1]+1) + j) (n[2]+1) + k.  n must have passed sup_grid_check. */
typedef struct sup_grid {
  int              n[3];
  double          *x;    /* [points x 3], increasing i, j, k must be a right-handed frame */
  unsigned char   *keep; /* [bricks] 0: hollow; k: solid, of the part k */
  sup_mesh_pattern pattern;
  const char      *part[SUP_GRID_MAX_PARTS]; /* names of the sets of cells; NULL: none */
  const char *
      side[6]; /* of the sets of vertices on the sides: lower and upper along x, y, z; NULL: none */
} sup_grid;

/** E_ARG when a direction has no brick or the mesh would be too large. */
SUP_NODISCARD sup_status sup_grid_check(const int n[3], sup_mesh_pattern pattern);
/** Arrays for n bricks, all kept.  Freed with sup_grid_free, which accepts a zeroed grid. */
SUP_NODISCARD sup_status sup_grid_init(sup_grid *grid, const int n[3], sup_mesh_pattern pattern);
void                     sup_grid_free(sup_grid *grid);
/** Cells of the kept bricks in the order of the bricks, with the named sets; grid points without a
 * cell are left out.
 */
SUP_NODISCARD sup_status sup_grid_mesh(sup_mesh **mesh, const sup_grid *grid);
