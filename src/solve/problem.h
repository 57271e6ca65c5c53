/** The convex problem of one step (THEORY 5):
 *
 *      min over v:  1/2 v^T A v - p^T v + sum_i l_i(J_i v + b_i),      p = A v*
 *
 *  v* itself is not needed, only its momentum p.  Layer solve: knows neither geometry nor meshes;
 * unknowns are block columns, constraints are laws with Jacobian blocks. */
#pragma once

#include "base/memory.h"
#include "la/linear_operator.h"
#include "law/law.h"

/** Columns first .. end - 1. */
typedef struct sup_span {
  int first, end;
} sup_span;
/** J_i restricted to one block column: row-major, dimension of the law x size of the block. */
typedef struct sup_jacobian_block {
  int    block;
  size_t value;           /* index in the problem's jacobian_value */
  int    span, num_spans; /* in the problem's `span`: where columns are not zero; 0: anywhere */
} sup_jacobian_block;

typedef struct sup_constraint {
  sup_law law;
  double  bias[SUP_LAW_MAX_DIMENSION];
  int     first_vc;            /* first component in v_c and gamma */
  int first_block, num_blocks; /* Jacobian blocks of the constraint; no block column occurs twice */
} sup_constraint;

/** Constraints of dimension 3 in a row on the same block columns whose Jacobians have a factor in
 * common: J_i = S_i T with S_i 3 x 6 and T 6 x size of each block.  A patch between two links
 * depends on their relative twist; sums over its pieces are 6 x 6 for trees of any size. */
typedef struct sup_cluster {
  int first, count;
  sup_jacobian_block
         T[2]; /* in the order of the constraints' blocks, of which there are at most two */
  size_t S;    /* index in jacobian_value of S [count x 18], row-major each */
} sup_cluster;

/** Terms of eliminated block columns in the momentum error of the whole problem (reduction.h).  The
 * residual in eliminated block columns is 0. */
typedef struct sup_eliminated {
  const double *inv_sqrt_d; /* [num_scalars] diag^(-1/2) of the whole A */
  const double
        *momentum; /* [num_scalars] momentum A v of the whole problem minus A v of this one [N s] */
  double square;   /* ||D A v||^2 of eliminated columns [J] */
} sup_eliminated;

typedef struct sup_problem {
  const sup_block_pattern *A_pattern;
  const double            *A; /* values in A_pattern [kg, kg m, kg m^2] */
  const double            *p; /* [num_scalars] momentum of the free motion [N s, N m s] */
  const sup_block_pattern
            *H_pattern; /* A's entries and every pair of block columns that a constraint couples */
  const int *A_to_H;    /* entry of H_pattern for each entry of A_pattern; ascending */
  int        num_constraints, num_vc, num_jacobian_blocks;
  const sup_constraint     *constraint;
  const sup_jacobian_block *jacobian;
  const double             *jacobian_value;
  const sup_span           *span;    /* NULL where no Jacobian block has spans */
  const sup_cluster        *cluster; /* in the order of their constraints */
  int                       num_clusters;
  const sup_eliminated     *eliminated; /* NULL: nothing */
  const sup_block_space    *space;      /* positions for the block columns; NULL: not known */
  const sup_block_ranks *ranks; /* ranks over which A is summed; NULL: this rank alone.  All other
                                   data are complete and equal on all ranks. */
  const sup_block_rest *rest;   /* part of A beside its values; NULL: none */
} sup_problem;

/** out := A v. */
static inline void sup_problem_multiply(const sup_problem *problem, const double *v, double *out) {
  sup_block_multiply_all(problem->ranks, problem->A_pattern, problem->A, v, out);
  if (problem->rest) problem->rest->add(problem->rest, v, out);
}
/** 1: this rank adds the constraint's term of H. */
static inline bool sup_problem_is_owned(const sup_problem *problem, const sup_constraint *c) {
  return !problem->ranks || c->num_blocks == 0 ||
         sup_block_is_owned(problem->ranks, problem->jacobian[c->first_block].block);
}

/** Iterate of a solver.  The problem is constant: a solver changes only these arrays. */
typedef struct sup_solution {
  double *v;     /* [num_scalars] warm start in, solution out */
  double *gamma; /* [num_vc] impulses: the start of solvers that iterate on them in, those of the
                    solution out */
  sup_law *law;  /* [num_constraints] laws in force, in and out: the problem's laws with the normal
                    impulses of friction, which solvers update.  NULL: start with the problem's laws
                    and return none */
} sup_solution;

/** Copy the laws of the problem to law [num_constraints]. */
void sup_problem_copy_laws(const sup_problem *problem, sup_law *law);
/** Entries A_to_H of A in a pattern H that has all entries of A. */
void sup_problem_map_entries(const sup_block_pattern *A, const sup_block_pattern *H, int *A_to_H);
/** v_c := J v (+ bias when with_bias). */
void sup_problem_constraint_velocity(const sup_problem *problem, const double *v, int with_bias,
                                     double *vc);
/** out := J^T gamma. */
void sup_problem_generalized_impulse(const sup_problem *problem, const double *gamma, double *out);
/** out := J^T G J x, G [num_constraints x 9]; vc, gamma [num_vc] are workspace. */
void sup_problem_multiply_laws(const sup_problem *problem, const double *G, const double *x,
                               double *vc, double *gamma, double *out);
/** Common factor T of a cluster's Jacobians: twist [6] := T v; out += T^T wrench. */
void sup_problem_cluster_twist(const sup_problem *problem, const sup_cluster *cluster,
                               const double *v, double twist[6]);
void sup_problem_cluster_impulse(const sup_problem *problem, const sup_cluster *cluster,
                                 const double wrench[6], double *out);
/** Sum of the constraints' costs at v_c, with gamma [num_vc] and, unless NULL, G [num_constraints x
 * 9].
 *  @param[in] law  [num_constraints] laws in force; NULL: the problem's */
double sup_problem_evaluate(const sup_problem *problem, const sup_law *law, const double *vc,
                            double *gamma, double *G);
/** The same with bounds of coupled friction at v_c, which are set in the laws. */
double sup_problem_evaluate_coupled(const sup_problem *problem, sup_law *law, const double *vc,
                                    double *gamma, double *G);

/** Spans of the columns of J [dim x size], row-major, that are not all zero, into span [(size + 1)
 * / 2]; returns their number.  Of a tree they are the joints between a link and its base. */
int sup_nonzero_spans(int dim, int size, const double *J, sup_span *span);

/** Entries of H for J^T G J: of each pair r >= l of Jacobian blocks of each constraint; and the
 * entries that occur, each once, with their entries of A (SUP_NONE: 0). */
typedef struct sup_hessian_map {
  int    *H_entry; /* SUP_NONE: another rank adds it */
  int     num_pairs;
  int    *touched, *touched_A;
  int     num_touched;
  double *GJ; /* [6 x the largest block column] workspace */
} sup_hessian_map;

/** E_ARG when H_pattern lacks a coupled pair. */
SUP_NODISCARD sup_status sup_hessian_map_create(sup_hessian_map *map, const sup_problem *problem,
                                                sup_arena *arena);
/** H := A in all entries. */
void sup_hessian_set_dynamics(const sup_problem *problem, double *H);
/** Entries that constraints touch: H := A + J^T G J.  All others keep their values. */
void sup_hessian_set_constraints(const sup_problem *problem, const sup_hessian_map *map,
                                 const double *G, double *H);
/** Entries of H = A + J^T G J for G that is not symmetric: two triangles for
 * sup_linear_solver_setup_general. */
void sup_hessian_set_general(const sup_problem *problem, const sup_hessian_map *map,
                             const double *G, double *lower, double *upper);
