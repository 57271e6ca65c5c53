/* Smoothed aggregation that is positive definite for every positive definite matrix.
 *
 *  GAMG smooths by Chebyshev's polynomial of D^-1 A over an interval whose end it estimates in ten
 * iterations from a random vector.  What contact stiffens are a few modes that such a vector hardly
 * has: the estimate is too low, the polynomial grows beyond 1 there, and the preconditioner is
 * indefinite.  Symmetric Gauss-Seidel needs no estimate: the eigenvalues of its M^-1 A lie in
 * (0, 1] for every symmetric positive definite A (M - A = L D^-1 L^T is positive semidefinite).
 * Over (0, b] with b >= 1 the polynomial of Chebyshev stays below 1 in magnitude, so that a V-cycle
 * with the same polynomial before and after the coarse correction is positive definite.  On ranks
 * each sweeps its own rows: with two that meet, the eigenvalues end at 2.
 *
 *  Contact couples and stiffens few vertices, by orders of magnitude, in a way that aggregates of
 * the bodies know nothing of.  These vertices are solved exactly (a Cholesky factor of their block
 * of A) before and after each cycle: the symmetric multiplicative product of a projection and a
 * positive definite preconditioner with eigenvalues below 2 is positive definite.  On ranks each
 * has a block of its own, and the two are added.
 *
 *  An aggregate of one vertex has three unknowns and six rigid motions.  GAMG leaves the other
 * three in the coarse space as columns of zeros, and Gauss-Seidel divides by their diagonal. */
#include "la/petsc_numerics.h"
#include "plugin/petsc_parts.h"

typedef struct default_option {
  const char *name, *value;
} default_option;

static const default_option cycle[] = {{"-pc_gamg_threshold", "0.02"}};
static const default_option smoother[] = {{"-mg_levels_ksp_type", "chebyshev"},
                                          {"-mg_levels_pc_type", "sor"},
                                          {"-mg_levels_ksp_max_it", "2"}};
static const char           interval[] = "-mg_levels_ksp_chebyshev_eigenvalues";
static const default_option in_zone[] = {{"-contact_sub_pc_type", "cholesky"},
                                         {"-contact_sub_pc_factor_mat_solver_type", "mumps"}};
enum {
  NUM_CYCLE = sizeof cycle / sizeof *cycle,
  NUM_SMOOTHER = sizeof smoother / sizeof *smoother,
  NUM_ZONE = sizeof in_zone / sizeof *in_zone
};

/** *gamg := the preconditioner GAMG; NULL: GAMG has no part. */
static PetscErrorCode find_gamg(KSP ksp, PC *gamg) {
  PC        pc;
  PetscBool is;
  *gamg = NULL;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCCOMPOSITE, &is));
  if (is) PetscCall(PCCompositeGetPC(pc, 1, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSHELL, &is));
  if (is) PetscCall(sup_petsc_zone_cycle(pc, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCGAMG, &is));
  if (is) *gamg = pc;
  return 0;
}

static PetscErrorCode set_unless_said(PetscOptions options, const char *name, const char *value) {
  PetscBool is_said;
  PetscCall(PetscOptionsHasName(options, NULL, name, &is_said));
  if (!is_said) PetscCall(PetscOptionsSetValue(options, name, value));
  return 0;
}

/** Set the smoother, unless the user sets its type or preconditioner: the interval would be that of
 * another smoother. */
static PetscErrorCode set_smoother(PetscOptions options, int num_ranks) {
  PetscBool is_said;
  for (int k = 0; k < 2; k++) {
    PetscCall(PetscOptionsHasName(options, NULL, smoother[k].name, &is_said));
    if (is_said) return 0;
  }
  for (int k = 0; k < NUM_SMOOTHER; k++)
    PetscCall(set_unless_said(options, smoother[k].name, smoother[k].value));
  PetscCall(set_unless_said(options, interval, num_ranks > 1 ? "0.2,2" : "0.1,1"));
  return 0;
}

/** The zone and the cycle side by side; or, on one rank, the zone before and after it. */
static PetscErrorCode combine(PC both, Mat A, IS zone, int num_ranks, PC *of_zone, PC *gamg) {
  PetscBool is_known;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &is_known));
  if (is_known) return sup_petsc_zone_create(both, A, zone, of_zone, gamg);
  PetscCall(PCSetType(both, PCCOMPOSITE));
  PetscCall(PCCompositeSetType(
      both, num_ranks > 1 ? PC_COMPOSITE_ADDITIVE : PC_COMPOSITE_SYMMETRIC_MULTIPLICATIVE));
  PetscCall(PCCompositeAddPCType(both, PCASM));
  PetscCall(PCCompositeAddPCType(both, PCGAMG));
  PetscCall(PCCompositeGetPC(both, 0, of_zone));
  PetscCall(PCCompositeGetPC(both, 1, gamg));
  PetscCall(PCSetOperators(*gamg, A, A));
  return 0;
}

static PetscErrorCode add_zone(KSP ksp, IS zone, PetscOptions options, int num_ranks) {
  PC  both, of_zone, gamg;
  Mat A;
  for (int k = 0; k < NUM_ZONE; k++)
    PetscCall(set_unless_said(options, in_zone[k].name, in_zone[k].value));
  PetscCall(KSPGetPC(ksp, &both));
  PetscCall(PCGetOperators(both, &A, NULL));
  PetscCall(combine(both, A, zone, num_ranks, &of_zone, &gamg));
  PetscCall(PCSetOptionsPrefix(of_zone, "contact_"));
  PetscCall(PCASMSetLocalSubdomains(of_zone, 1, &zone, NULL));
  PetscCall(PCASMSetOverlap(of_zone, 0));
  PetscCall(PCASMSetType(of_zone, PC_ASM_BASIC)); /* the symmetric one */
  PetscCall(PCSetFromOptions(of_zone));
  PetscCall(PCSetOptionsPrefix(gamg, NULL));
  PetscCall(PCGAMGSetReuseInterpolation(gamg, PETSC_TRUE));
  PetscCall(PCSetFromOptions(gamg));
  return 0;
}

PetscErrorCode sup_petsc_gamg_choose(KSP ksp, PetscOptions options, IS zone) {
  PC          gamg;
  PetscMPIInt num_ranks;
  PetscCall(find_gamg(ksp, &gamg));
  if (!gamg) return 0;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &num_ranks));
  for (int k = 0; k < NUM_CYCLE; k++)
    PetscCall(set_unless_said(options, cycle[k].name, cycle[k].value));
  PetscCall(set_smoother(options, num_ranks));
  PetscCall(PCGAMGSetReuseInterpolation(gamg, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(ksp));
  if (zone) PetscCall(add_zone(ksp, zone, options, num_ranks));
  return 0;
}

/** Ones on the diagonal where it is zero. */
static PetscErrorCode complete_diagonal(Mat A) {
  Vec                d;
  const PetscScalar *diagonal;
  PetscReal          largest;
  PetscInt           begin, end, num_missing = 0;
  PetscCall(MatCreateVecs(A, &d, NULL));
  PetscCall(MatGetDiagonal(A, d));
  PetscCall(VecMax(d, NULL, &largest));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(VecGetArrayRead(d, &diagonal));
  for (PetscInt i = begin; i < end; i++)
    if (diagonal[i - begin] <= sup_petsc_numerics.nothing * largest) {
      PetscCall(MatSetValue(A, i, i, 1, INSERT_VALUES));
      num_missing++;
    }
  PetscCall(VecRestoreArrayRead(d, &diagonal));
  PetscCall(VecDestroy(&d));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &num_missing, 1, MPIU_INT, MPI_SUM,
                             PetscObjectComm((PetscObject)A)));
  if (num_missing == 0) return 0;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return 0;
}

int sup_petsc_is_gamg(KSP ksp) {
  PC gamg;
  return !find_gamg(ksp, &gamg) && gamg;
}

PetscErrorCode sup_petsc_gamg_set_up(KSP ksp) {
  PC       gamg;
  PetscInt num_levels;
  PetscCall(KSPSetUp(ksp));
  PetscCall(find_gamg(ksp, &gamg));
  if (!gamg) return 0;
  PetscCall(PCSetUp(gamg)); /* of two, PETSc sets each up when it is applied */
  PetscCall(PCMGGetLevels(gamg, &num_levels));
  for (PetscInt level = 0; level + 1 < num_levels; level++) {
    KSP of;
    Mat A;
    PetscCall(PCMGGetSmoother(gamg, level, &of));
    PetscCall(KSPGetOperators(of, &A, NULL));
    PetscCall(complete_diagonal(A));
  }
  return 0;
}
