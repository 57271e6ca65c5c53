/** Declarations shared by the files of operators that are not stored: petsc_free.c (the cycle and
 * the solver), petsc_free_zone.c (the zone that is solved exactly).  Private to the plug-in; one
 * process. */
#pragma once

#include "plugin/petsc_lattice.h"

/** Rows of PETSc's that are solved exactly: columns in contact, and block columns that are no
 * points. */
typedef struct sup_petsc_free_zone {
  const sup_petsc_system *system;
  PetscInt                num;
  PetscInt               *row, *position; /* [num]; [3 num_rows] and back, or -1 */
  unsigned char          *is_in;          /* [num_blocks] */
  Mat                     A;              /* D A D of them */
  PetscScalar            *of_cells;       /* values of A that the cells add up to */
  KSP                     ksp;
  Vec                     x, b;
} sup_petsc_free_zone;

/** Mark the rows of the zone.  PETSC_ERR_MEM.
 *  @param[in] last  [num_blocks] nonzero: contact touches it; NULL: none */
PetscErrorCode sup_petsc_free_zone_mark(sup_petsc_free_zone *zone, const sup_petsc_system *system,
                                        const sup_block_space *space, const unsigned char *last);
/** Cholesky factor of the zone; an empty zone has none. */
PetscErrorCode sup_petsc_free_zone_factor(sup_petsc_free_zone *zone, const sup_linear_operator *op,
                                          PetscOptions options);
/** Refactor the zone for an operator with the cells of the one before. */
PetscErrorCode sup_petsc_free_zone_update(sup_petsc_free_zone *zone, const sup_linear_operator *op);
/** x += (D A D)^-1 r in the zone. */
PetscErrorCode sup_petsc_free_zone_correct(sup_petsc_free_zone *zone, Vec r, Vec x);
/** x := 0 in the zone. */
PetscErrorCode sup_petsc_free_zone_clear(const sup_petsc_free_zone *zone, Vec x);
void           sup_petsc_free_zone_destroy(sup_petsc_free_zone *zone);
