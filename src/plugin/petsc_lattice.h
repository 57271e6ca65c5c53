/** Lattices over the bodies as a coarse level (petsc_lattice.c).  Private to the plug-in; one
 * process. */
#pragma once

#include "plugin/petsc_parts.h"

enum { SUP_LATTICE_CORNERS = 8 };

/** The lattice of a body. */
typedef struct sup_petsc_lattice_box {
  double   lower[3], H[3]; /* first node; distance of nodes along each axis [m] */
  PetscInt n[3];           /* nodes in each direction; 0: the body has no points */
  PetscInt first;          /* its first place */
} sup_petsc_lattice_box;

typedef struct sup_petsc_lattice {
  const sup_petsc_system *system;
  const sup_block_space  *space;
  sup_petsc_lattice_box  *box; /* [num_bodies] */
  PetscInt                num_places, num_nodes;
  PetscInt               *node;    /* [num_places] number of a node that is used, or -1 */
  PetscInt               *place;   /* [num_nodes] and back */
  int                    *body;    /* [num_nodes] */
  const unsigned char    *changes; /* [num_blocks] 1: its diagonal block and what is stored beside
                                      it change from one matrix to the next */
  PetscInt    *row, *col;          /* rows of blocks of the coarse matrix */
  PetscInt    *start, *scalar_col; /* and the arrays of that matrix */
  PetscScalar *value, *constant;   /* constant columns; NULL: nothing changes */
} sup_petsc_lattice;

/** Both must outlive the lattice, which the caller frees, also after a failure.  PETSC_ERR_MEM,
 * PETSC_ERR_ARG_OUTOFRANGE: it has too many nodes for PETSc. */
PetscErrorCode sup_petsc_lattice_lay(sup_petsc_lattice *lattice, const sup_petsc_system *system,
                                     const sup_block_space *space);
void           sup_petsc_lattice_free(sup_petsc_lattice *lattice);
/** out := D^-1 P in, and back: out := P^T D^-1 in, in PETSc's unknowns and those of the nodes. */
PetscErrorCode sup_petsc_lattice_prolong(const sup_petsc_lattice *lattice, Vec in, Vec out);
PetscErrorCode sup_petsc_lattice_restrict(const sup_petsc_lattice *lattice, Vec in, Vec out);
/** P^T A P of an operator with a rest, with its near-null space; once, and the lattice outlives
 * it.
 *  @param[in] changes  [num_blocks], outlives the lattice */
PetscErrorCode sup_petsc_lattice_matrix(sup_petsc_lattice *lattice, const sup_linear_operator *op,
                                        const unsigned char *changes, Mat *coarse);
/** Update P^T A P for an operator that differs from that of sup_petsc_lattice_matrix only in the
 * block columns marked in `changes`. */
PetscErrorCode sup_petsc_lattice_update(sup_petsc_lattice *lattice, const sup_linear_operator *op,
                                        Mat coarse);
