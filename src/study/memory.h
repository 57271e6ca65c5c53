/** Memory of a run before it runs.  Layer study. */
#pragma once

#include "mesh/mesh.h"
#include "supple.h"

/** Memory estimate of a run, of each rank where there are several, by parts [byte]. */
typedef struct sup_memory_estimate {
  double unknowns, cells; /* of its soft bodies */
  double blocks;          /* of 3 x 3 numbers, of the lower triangle of the matrix of soft bodies */
  double nonzeros;        /* of the direct solvers' factor; 0 for those that iterate */
  int    is_rough;        /* they were not counted, the matrix being too large for a check */
  double program;         /* libraries and a run without soft bodies */
  double elements;        /* meshes and data of elements */
  double assembly;        /* the matrix with its pattern, states */
  double solver;          /* the factor, or PETSc's own matrix with the preconditioner */
  double output;          /* observers of a run: stress and its recovery */
  double total;
} sup_memory_estimate;

/** Bytes for so many cells without the factor of their matrix: less than a run needs. */
double sup_memory_of_cells(sup_cell_type type, double cells);
/** Estimate the memory of a run of the model, without contact and robots.  For iterative solvers
 * pairs of vertices are counted; for direct ones the factor's size follows from the run's own
 * elimination order, which takes about the time of an ordering, or above 500,000 unknowns from a
 * formula.  E_MEMORY.
 *  @param[in] cells  [num_softs] of bodies whose meshes are coarser (sup_scene_plan); NULL: none is
 */
SUP_NODISCARD sup_status sup_memory_of_model(const sup_model_def *model, const double *cells,
                                             const sup_options   *options,
                                             sup_memory_estimate *estimate);
