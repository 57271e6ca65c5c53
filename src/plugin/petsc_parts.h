/** Declarations shared by the files of the PETSc plug-in: petsc.c (the solver), petsc_matrix.c (the
 * matrix on one process), petsc_space.c (rigid motions), petsc_gamg.c (smoothed aggregation as this
 * program uses it), petsc_galerkin.c (its products), petsc_zone.c (what contact couples),
 * petsc_mumps.c (Cholesky), petsc_free.c (matrices that are not stored), petsc_ranks.c (the matrix
 * on several ranks), petsc_added.c (solutions with a matrix beside it), petsc_cut.c (graphs in
 * parts), slepc.c (eigenvalues), mpi.c (the ranks).  Private to the plug-in. */
#pragma once

#include <petscksp.h>

#include "la/petsc_plugin.h"

enum { SUP_TILE = 3 }; /* scalars of a row of blocks */

/** The table of MPI_COMM_WORLD once MPI runs; NULL: MPI would not. */
const sup_collective *sup_mpi_ranks(void);
/** sup_collective.cut, by PT-Scotch. */
int sup_petsc_cut(const sup_collective *self, const sup_graph_share *graph, int num_parts,
                  int *part);
/** Free communicators and memory of the ranks, before MPI ends. */
void sup_mpi_forget(void);

/** Values of a tile by rows: `entry` is of block column j, r and c count tiles in the order of the
 * block columns; scaled. */
typedef void sup_tile_reader(void *user, int entry, int j, PetscInt r, PetscInt c, double *tile);

/** Rows of tiles that belong to this rank, of a matrix that is the sum over all. */
typedef struct sup_petsc_rows sup_petsc_rows;
/** Owners of the rows, and destinations of the entries of each rank.  Collective.
 *  @param[in] first   [num_blocks + 1] first tile of each block column
 *  @return PETSC_ERR_MEM on any rank: on all */
PetscErrorCode sup_petsc_rows_create(sup_petsc_rows **rows, const sup_block_pattern *pattern,
                                     const sup_block_ranks *ranks, const PetscInt *first);
void           sup_petsc_rows_destroy(sup_petsc_rows **rows);
/** AIJ on PETSC_COMM_WORLD over the arrays of `rows`. */
PetscErrorCode sup_petsc_rows_matrix(sup_petsc_rows *rows, Mat *A);
/** The values of all ranks into the matrix, added in the order of the ranks. */
PetscErrorCode sup_petsc_rows_fill(sup_petsc_rows *rows, Mat A, sup_tile_reader *read, void *user);
/** PETSc's number of each tile [num tiles], and those of this rank: begin .. end - 1. */
const PetscInt *sup_petsc_rows_number(const sup_petsc_rows *rows, PetscInt *begin, PetscInt *end);
/** b [num_scalars] := D x' with the vector x' of all ranks; collective.
 *  @param[in] own    [3 (end - begin)] x' of this rank
 *  @param[in] scale  [3 x num tiles] D, in the order of the block columns */
void sup_petsc_rows_gather(const sup_petsc_rows *rows, const PetscScalar *own, const double *scale,
                           double *b);

/** D A D in rows of tiles, filled up with ones on the diagonal where a block column has no multiple
 * of three scalars. */
typedef struct sup_petsc_system {
  const sup_block_ranks   *ranks;      /* NULL: this process alone */
  sup_petsc_rows          *rows;       /* with ranks, in the place of start, col, value */
  const PetscInt          *number;     /* with ranks: PETSc's numbers of rows of tiles .. */
  PetscInt                 begin, end; /* .. and those of this rank; alone 0 and num_rows */
  const sup_block_pattern *pattern;
  int                      num_rows;    /* of tiles */
  PetscInt                *first;       /* [num_blocks + 1] first of these of each block column */
  PetscInt                *start, *col; /* the matrix by scalar rows */
  PetscScalar             *value;
  const double            *source;       /* values of the operator, while they are taken */
  PetscInt                *cursor;       /* [num_rows] tiles that a row has so far, of the build */
  double                  *scale;        /* [3 num_rows] D */
  int                      is_filled_up; /* 0: with zeros */
} sup_petsc_system;
/** Rows and entries of a pattern, which outlives them; memory is kept.  PETSC_ERR_MEM,
 * PETSC_ERR_ARG_OUTOFRANGE: more entries than PETSc can number. */
PetscErrorCode sup_petsc_lay_out(sup_petsc_system *system, const sup_block_pattern *pattern);
void           sup_petsc_system_free(sup_petsc_system *system);
/** AIJ on the system's arrays, which outlive it; without values. */
PetscErrorCode sup_petsc_make_matrix(sup_petsc_system *system, Mat *A);
/** D of the values; SUP_NONE, or the block column whose diagonal is not positive.  Collective. */
int sup_petsc_compute_scale(sup_petsc_system *system, const double *values);
/** A := D A D of the values.  Collective. */
PetscErrorCode sup_petsc_fill_matrix(sup_petsc_system *system, const double *values, Mat A);
/** 1: row r of tiles is this rank's; and its number among the rank's rows. */
int      sup_petsc_is_own(const sup_petsc_system *system, PetscInt r);
PetscInt sup_petsc_own_number(const sup_petsc_system *system, PetscInt r);
/** Into PETSc's unknowns of this rank, b' = D b; and back where it is alone, x = D x'. */
void sup_petsc_to(const sup_petsc_system *system, const double *b, PetscScalar *to);
void sup_petsc_from(const sup_petsc_system *system, const PetscScalar *x, double *to);
/** b [num_scalars] := D x', whole on all ranks; collective. */
PetscErrorCode         sup_petsc_gather(const sup_petsc_system *system, Vec x, double *b);
static inline MPI_Comm sup_petsc_comm(const sup_petsc_system *system) {
  return system->ranks ? PETSC_COMM_WORLD : PETSC_COMM_SELF;
}
/** Rigid motions of the bodies become A's near-null space. */
PetscErrorCode sup_petsc_set_near_null_space(const sup_petsc_system *system,
                                             const sup_block_space *space, Mat A);

/** A solver of D A D, of which little is stored, by products and cells (petsc_free.c).  The system
 * and what the operator points to outlive it.  PETSC_ERR_MEM, PETSC_ERR_ARG_OUTOFRANGE: more
 * coarse entries than PETSc can number.
 *  @param[in] last  [num_blocks] nonzero: contact touches it; NULL: nothing */
typedef struct sup_petsc_free sup_petsc_free;
PetscErrorCode sup_petsc_free_create(sup_petsc_free **out, const sup_petsc_system *system,
                                     const sup_linear_operator *op, const unsigned char *last,
                                     PetscOptions options, KSP *ksp);
Mat            sup_petsc_free_matrix(const sup_petsc_free *f);
/** Update for an operator that differs from the last in the stored entries of `last` columns. */
PetscErrorCode sup_petsc_free_update(sup_petsc_free *f, const sup_linear_operator *op);
/** Widen the interval of the smoother, after a solution that met an indefinite preconditioner. */
PetscErrorCode sup_petsc_free_calm(sup_petsc_free *f);
/** Solver of the zone that is solved by a factor; NULL: there is none. */
KSP  sup_petsc_free_zone_solver(const sup_petsc_free *f);
void sup_petsc_free_destroy(sup_petsc_free **f);

/** Configure GAMG, if it is the preconditioner: set the options not in `options` that make it
 * positive definite for every positive definite matrix, and solve the contact zone exactly before
 * and after its cycle.  Call after KSPSetFromOptions and KSPSetOperators; does nothing for other
 * preconditioners.
 *  @param[in] options  those that are pushed
 *  @param[in] zone     unknowns of this rank that contact stiffens; NULL: no rank has any */
PetscErrorCode sup_petsc_gamg_choose(KSP ksp, PetscOptions options, IS zone);

/** x := (A + C)^-1 b in PETSc's unknowns, where `of_A` has been set up for A (petsc_added.c);
 * arguments are those of sup_petsc_plugin.solve_added.  Collective.
 *  @param[out] work  a vector like x */
PetscErrorCode sup_petsc_solve_added(const sup_petsc_system *system, KSP of_A, Vec b, Vec x,
                                     Vec work, void (*add)(const void *, const double *, double *),
                                     const void *self, double tolerance, sup_petsc_report *report,
                                     int *is_negative);

/** `shell` becomes: the zone by `exact` (PCASM) before and after `cycle` (PCGAMG), for a symmetric
 * seqaij A, which outlives it.  Both belong to it and wait for their options.
 *  @param[in] zone  rows */
PetscErrorCode sup_petsc_zone_create(PC shell, Mat A, IS zone, PC *exact, PC *cycle);
PetscErrorCode sup_petsc_zone_cycle(PC shell, PC *cycle);

/** MatPtAP of A and of what comes of it goes by tiles (petsc_galerkin.c), as long as A is symmetric
 * and -matptap_via asks for no other way. */
PetscErrorCode sup_petsc_use_galerkin(Mat A);
/** C = P^T A P on several ranks becomes the product by tiles (petsc_galerkin_ranks.c), if the
 * matrices have tiles on all ranks; collective. */
PetscErrorCode sup_petsc_galerkin_on_ranks(Mat C, Mat A, Mat P, int *is_ours);
/** C = A P on several ranks becomes the product by tiles (petsc_smooth_ranks.c), as above. */
PetscErrorCode sup_petsc_smooth_on_ranks(Mat C, Mat A, Mat P, int *is_ours);

/** KSPSetUp, and then a diagonal for coarse unknowns that stand for nothing. */
PetscErrorCode sup_petsc_gamg_set_up(KSP ksp);
/** 1: GAMG is part of the preconditioner. */
int sup_petsc_is_gamg(KSP ksp);

/** 1: MUMPS is expected to solve with A in less time than GAMG, and in little more memory.  Small
 * systems are, of larger ones MUMPS is asked for its prediction, which orders them.  Collective. */
PetscErrorCode sup_petsc_mumps_is_quicker(Mat A, int *is_quicker);

/** Pairs M x = theta A x that are found so far (slepc.c), whose functions are not there without
 * SLEPc; all are collective.  PETSC_ERR_MEM, or SLEPc's. */
typedef struct sup_slepc sup_slepc;
/** @param[in] A  of the system, whose values stay */
PetscErrorCode sup_slepc_begin(sup_slepc **out, sup_petsc_system *system, Mat A, const double *M,
                               int is_positive) __attribute__((weak));
void           sup_slepc_destroy(sup_slepc **s) __attribute__((weak));
/** Add the `more` largest of the others, or as many as there are.
 *  @param[in] of_A  factor of A */
PetscErrorCode sup_slepc_find(sup_slepc *s, Mat A, KSP of_A, PetscInt more, PetscReal tolerance)
    __attribute__((weak));
/** Their number; theta, x: [number] descending. */
PetscInt sup_slepc_pairs(const sup_slepc *s, const PetscReal **theta, const Vec **x)
    __attribute__((weak));

/** Negative pivots that MUMPS met and went on after; 0 when it is not what `ksp` uses. */
PetscErrorCode sup_petsc_mumps_negative_pivots(KSP ksp, PetscInt *num);
