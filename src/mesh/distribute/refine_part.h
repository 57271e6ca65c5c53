/** Refinement of a mesh that is spread over ranks, of which each has a part.  Layer mesh. */
#pragma once

#include "base/collective.h"
#include "mesh/distribute/part.h"

/** A part without the cells that only its neighbours' values need. */
typedef struct sup_mesh_piece {
  int            num_cells, num_vertices; /* of the whole mesh */
  sup_mesh      *mesh;                    /* own cells and their vertices */
  int           *cell, *vertex;           /* numbers in the whole mesh, ascending */
  unsigned char *is_shared; /* [mesh->num_vertices] 0: all cells at the vertex are own */
} sup_mesh_piece;

/** This rank's cells of a mesh that all have read whole (mesh/distribute/distribute.h).  All ranks
 * call it; a failure may be of this rank alone.  E_ARG: more ranks than cells. */
SUP_NODISCARD sup_status sup_mesh_piece_create(sup_mesh_piece **piece, const sup_mesh *mesh,
                                               const sup_collective *ranks);
void                     sup_mesh_piece_destroy(sup_mesh_piece **piece);
/** Each rank refines its own cells, and all together number what is new: numbers, coordinates and
 * sets are those of sup_mesh_refine_levels on the whole mesh, to the bit, for any number of ranks.
 * Called by all; a failure on one is that of all. */
SUP_NODISCARD sup_status sup_mesh_piece_refine(sup_mesh_piece *piece, int levels,
                                               const sup_collective *ranks);
/** The whole mesh of all pieces, with its sets, on every rank.  Called by all; a failure on one is
 * that of all. */
SUP_NODISCARD sup_status sup_mesh_piece_gather(sup_mesh **whole, const sup_mesh_piece *piece,
                                               const sup_collective *ranks);
/** sup_mesh_refine_levels of a mesh that all ranks have: each refines a part of it and gets those
 * of the others.  The same bits for any number of ranks.  Called by all; a failure on one is that
 * of all.  ranks NULL: this one alone. */
SUP_NODISCARD sup_status sup_mesh_refine_on(sup_mesh **mesh, int levels,
                                            const sup_collective *ranks);
