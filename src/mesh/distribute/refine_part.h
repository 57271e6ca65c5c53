/** Refinement of a mesh distributed over ranks.  Layer mesh. */
#pragma once

#include "base/collective.h"
#include "mesh/distribute/part.h"

/** Part of a rank without neighbouring cells. */
typedef struct sup_mesh_piece {
  int            num_cells, num_vertices; /* of the whole mesh */
  sup_mesh      *mesh;                    /* own cells and their vertices */
  int           *cell, *vertex;           /* numbers in the whole mesh, ascending */
  unsigned char *is_shared; /* [mesh->num_vertices] 0: all cells at the vertex are own */
} sup_mesh_piece;

/** Cells of this rank, from a mesh that all ranks have read (mesh/distribute/distribute.h).  All
 * ranks call this function; a failure may concern this rank alone.  E_ARG: more ranks than cells.
 */
SUP_NODISCARD sup_status sup_mesh_piece_create(sup_mesh_piece **piece, const sup_mesh *mesh,
                                               const sup_collective *ranks);
void                     sup_mesh_piece_destroy(sup_mesh_piece **piece);
/** Refine the own cells of each rank; all ranks together number the new vertices.  Numbers,
 * coordinates and sets equal those of sup_mesh_refine_levels on the whole mesh bit by bit, for any
 * number of ranks.  Collective; a failure on one rank is returned on all. */
SUP_NODISCARD sup_status sup_mesh_piece_refine(sup_mesh_piece *piece, int levels,
                                               const sup_collective *ranks);
/** Gather the whole mesh of all pieces, with its sets, on every rank.  Collective; a failure on one
 * rank is returned on all. */
SUP_NODISCARD sup_status sup_mesh_piece_gather(sup_mesh **whole, const sup_mesh_piece *piece,
                                               const sup_collective *ranks);
/** sup_mesh_refine_levels of a mesh that all ranks have: each refines a part and receives the
 * others.  The bits do not depend on the number of ranks.  Collective; a failure on one rank is
 * returned on all. ranks NULL: a single rank. */
SUP_NODISCARD sup_status sup_mesh_refine_on(sup_mesh **mesh, int levels,
                                            const sup_collective *ranks);
