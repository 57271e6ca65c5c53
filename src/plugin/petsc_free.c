/* A matrix of which little is stored: conjugate gradients with two levels of our own above GAMG.
 *
 *  The unknowns are D^-1 x, so that the diagonal is one and Jacobi's smoother the identity: the
 * smoother is Chebyshev's polynomial of D A D.  The coarse level is the trilinear functions of
 * lattices of twice the points' distance that are laid over the bodies (petsc_lattice.c); its
 * matrix P^T A P is assembled cell by cell and left to GAMG.
 *
 *  Contact couples and stiffens few vertices by orders of magnitude.  These, and joints, are solved
 * exactly before and after each cycle (petsc_free_zone.c), and the smoother leaves them alone: it
 * sees the block of A that has no contact, and the largest eigenvalue of that is one that a random
 * vector tells.  Each part takes no energy norm above itself, so that the cycle is positive
 * definite: the zone is a projection, the polynomial one of a block of A, the coarse correction
 * Galerkin's.
 *
 *  One process. */
#include "plugin/petsc_free.h"
#include "la/petsc_numerics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = SUP_TILE, SMOOTHINGS = 3 };

struct sup_petsc_free {
  const sup_petsc_system *system;
  sup_linear_operator     op;
  sup_petsc_lattice       lattice;
  sup_petsc_free_zone     zone;
  double                 *x, *y;          /* [num_scalars] */
  Mat                     A, inside;      /* D A D; without the zone's rows and columns */
  Mat                     coarse;         /* NULL: the zone is all */
  KSP                     smoother, down; /* of the inside, of the coarse matrix */
  PetscReal               largest;        /* end of the smoother's interval */
  Vec                     r, d, way, coarse_b, coarse_x;
};

/* ---- A --------------------------------------------------------------------------------------- */

/** y += stored blocks times x: the lower triangle. */
static void add_stored(const sup_linear_operator *op, const double *x, double *y) {
  const sup_block_pattern *P = op->pattern;
  for (int j = 0; j < P->num_blocks; j++) {
    int           n = sup_block_size(P, j), e = sup_block_column(P, j);
    const double *xj = x + sup_block_first(P, j), *K = op->values + sup_block_value(P, e);
    double       *yj = y + sup_block_first(P, j);
    for (int c = 0; c < n; c++) { /* of the diagonal the lower triangle */
      yj[c] += K[c * n + c] * xj[c];
      for (int r = c + 1; r < n; r++) yj[r] += K[c * n + r] * xj[c], yj[c] += K[c * n + r] * xj[r];
    }
    for (e++; e < sup_block_column(P, j + 1); e++) {
      int           i = sup_block_row(P, e), m = sup_block_size(P, i);
      const double *xi = x + sup_block_first(P, i);
      double       *yi = y + sup_block_first(P, i);
      K = op->values + sup_block_value(P, e);
      for (int c = 0; c < n; c++)
        for (int r = 0; r < m; r++) yi[r] += K[c * m + r] * xj[c], yj[c] += K[c * m + r] * xi[r];
    }
  }
}

static PetscErrorCode multiply(Mat A, Vec in, Vec out) {
  sup_petsc_free    *f;
  const PetscScalar *x;
  PetscScalar       *y;
  PetscCall(MatShellGetContext(A, &f));
  PetscCall(VecGetArrayRead(in, &x));
  sup_petsc_from(f->system, x, f->x);
  PetscCall(VecRestoreArrayRead(in, &x));
  memset(f->y, 0, (size_t)f->op.pattern->num_scalars * sizeof *f->y);
  add_stored(&f->op, f->x, f->y);
  f->op.rest->add(f->op.rest, f->x, f->y);
  PetscCall(VecGetArray(out, &y));
  sup_petsc_to(f->system, f->y, y);
  PetscCall(VecRestoreArray(out, &y));
  return 0;
}

/** out := A in outside of the zone; entries of `in` in the zone count as zero. */
static PetscErrorCode multiply_inside(Mat A, Vec in, Vec out) {
  sup_petsc_free *f;
  PetscCall(MatShellGetContext(A, &f));
  if (f->zone.num > 0) {
    PetscCall(VecCopy(in, f->d));
    PetscCall(sup_petsc_free_zone_clear(&f->zone, f->d));
    in = f->d;
  }
  PetscCall(multiply(f->A, in, out));
  return sup_petsc_free_zone_clear(&f->zone, out);
}

/* ---- the cycle ------------------------------------------------------------------------------- */

/** r := b - A x */
static PetscErrorCode find_rest(const sup_petsc_free *f, Vec b, Vec x) {
  PetscCall(MatMult(f->A, x, f->r));
  return VecAYPX(f->r, -1, b);
}

/** x += the smoother applied to r outside of the zone; overwrites r. */
static PetscErrorCode smooth(sup_petsc_free *f, Vec x) {
  PetscCall(sup_petsc_free_zone_clear(&f->zone, f->r));
  PetscCall(KSPSolve(f->smoother, f->r, f->way));
  return VecAXPY(x, 1, f->way);
}

static PetscErrorCode correct(sup_petsc_free *f, Vec x) {
  PetscCall(sup_petsc_lattice_restrict(&f->lattice, f->r, f->coarse_b));
  PetscCall(KSPSolve(f->down, f->coarse_b, f->coarse_x));
  PetscCall(sup_petsc_lattice_prolong(&f->lattice, f->coarse_x, f->d));
  return VecAXPY(x, 1, f->d);
}

static PetscErrorCode cycle(PC pc, Vec b, Vec x) {
  sup_petsc_free *f;
  PetscCall(PCShellGetContext(pc, &f));
  PetscCall(VecZeroEntries(x));
  PetscCall(sup_petsc_free_zone_correct(&f->zone, b, x));
  if (!f->coarse) return 0;
  if (f->zone.num > 0)
    PetscCall(find_rest(f, b, x));
  else
    PetscCall(VecCopy(b, f->r));
  PetscCall(smooth(f, x));
  PetscCall(find_rest(f, b, x));
  PetscCall(correct(f, x));
  PetscCall(find_rest(f, b, x));
  PetscCall(smooth(f, x));
  if (f->zone.num == 0) return 0;
  PetscCall(find_rest(f, b, x));
  return sup_petsc_free_zone_correct(&f->zone, f->r, x);
}

/* ---- the solver ------------------------------------------------------------------------------ */

static PetscErrorCode make_shell(sup_petsc_free *f, void (*product)(void), Mat *out) {
  PetscInt n = DIM * f->system->num_rows;
  PetscCall(MatCreateShell(PETSC_COMM_SELF, n, n, n, n, f, out));
  PetscCall(MatShellSetOperation(*out, MATOP_MULT, product));
  return MatSetOption(*out, MAT_SYMMETRIC, PETSC_TRUE);
}

/** Largest eigenvalue outside of the zone: 1.1 times the estimate of conjugate gradients. */
static PetscErrorCode find_largest(const sup_petsc_free *f, PetscReal *largest) {
  enum { STEPS = 15 };
  KSP          ksp;
  PC           none;
  PetscScalar *x;
  PetscReal    least;
  PetscInt     n = DIM * f->system->num_rows;
  PetscCall(VecGetArray(f->r, &x));
  for (PetscInt i = 0; i < n; i++) x[i] = sin(1 + 3. * (double)i + sin((double)i)); /* no pattern */
  PetscCall(VecRestoreArray(f->r, &x));
  PetscCall(sup_petsc_free_zone_clear(&f->zone, f->r));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, f->inside, f->inside));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetComputeSingularValues(ksp, PETSC_TRUE));
  PetscCall(KSPSetTolerances(ksp, 1e-12, 0, PETSC_DEFAULT, STEPS));
  PetscCall(KSPGetPC(ksp, &none));
  PetscCall(PCSetType(none, PCNONE));
  PetscCall(KSPSolve(ksp, f->r, f->way));
  PetscCall(KSPComputeExtremeSingularValues(ksp, largest, &least));
  *largest *= sup_petsc_numerics.eigenvalue;
  return KSPDestroy(&ksp);
}

static PetscErrorCode make_smoother(sup_petsc_free *f) {
  PC none;
  PetscCall(make_shell(f, (void (*)(void))multiply_inside, &f->inside));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &f->smoother));
  PetscCall(KSPSetOperators(f->smoother, f->inside, f->inside));
  PetscCall(KSPSetOptionsPrefix(f->smoother, "free_")); /* mg_levels_ are those of GAMG below */
  PetscCall(KSPSetType(f->smoother, KSPCHEBYSHEV));
  PetscCall(KSPSetNormType(f->smoother, KSP_NORM_NONE));
  PetscCall(KSPSetConvergenceTest(f->smoother, KSPConvergedSkip, NULL, NULL));
  PetscCall(KSPSetTolerances(f->smoother, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, SMOOTHINGS));
  PetscCall(KSPGetPC(f->smoother, &none));
  PetscCall(PCSetType(none, PCNONE));
  PetscCall(find_largest(f, &f->largest));
  PetscCall(KSPChebyshevSetEigenvalues(f->smoother, f->largest,
                                       sup_petsc_numerics.chebyshev * f->largest));
  return KSPSetUp(f->smoother);
}

static PetscErrorCode make_coarse(sup_petsc_free *f, PetscOptions options) {
  PC             gamg;
  PetscErrorCode code = sup_petsc_lattice_lay(&f->lattice, f->system, f->op.space);
  if (code) return code;
  code = sup_petsc_lattice_matrix(&f->lattice, &f->op, f->zone.is_in, &f->coarse);
  if (code) return code;
  PetscCall(MatCreateVecs(f->coarse, &f->coarse_x, &f->coarse_b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &f->down));
  PetscCall(KSPSetOptionsPrefix(f->down, "coarse_")); /* -ksp_type is that of the whole */
  PetscCall(KSPSetType(f->down, KSPPREONLY));
  PetscCall(KSPSetOperators(f->down, f->coarse, f->coarse));
  PetscCall(KSPGetPC(f->down, &gamg));
  PetscCall(PCSetOptionsPrefix(gamg, NULL));
  PetscCall(PCSetType(gamg, PCGAMG));
  PetscCall(sup_petsc_gamg_choose(f->down, options, NULL));
  PetscCall(KSPSetType(f->down, KSPPREONLY));
  return sup_petsc_gamg_set_up(f->down);
}

static PetscErrorCode make_solver(sup_petsc_free *f, KSP *ksp) {
  PC shell;
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetType(*ksp, KSPCG));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetOperators(*ksp, f->A, f->A));
  PetscCall(KSPGetPC(*ksp, &shell));
  PetscCall(PCSetType(shell, PCSHELL));
  PetscCall(PCShellSetContext(shell, f));
  PetscCall(PCShellSetApply(shell, cycle));
  PetscCall(KSPSetFromOptions(*ksp));
  return KSPSetUp(*ksp);
}

PetscErrorCode sup_petsc_free_update(sup_petsc_free *f, const sup_linear_operator *op) {
  f->op = *op;
  PetscErrorCode code = sup_petsc_free_zone_update(&f->zone, op);
  if (code || !f->coarse) return code;
  code = sup_petsc_lattice_update(&f->lattice, op, f->coarse);
  if (code) return code;
  PetscCall(KSPSetOperators(f->down, f->coarse, f->coarse));
  return sup_petsc_gamg_set_up(f->down);
}

PetscErrorCode sup_petsc_free_create(sup_petsc_free **out, const sup_petsc_system *system,
                                     const sup_linear_operator *op, const unsigned char *last,
                                     PetscOptions options, KSP *ksp) {
  size_t          n = (size_t)op->pattern->num_scalars;
  sup_petsc_free *f = calloc(1, sizeof *f);
  *out = f;
  if (!f) return PETSC_ERR_MEM;
  f->system = system, f->op = *op;
  f->x = malloc(n * sizeof *f->x + 1), f->y = malloc(n * sizeof *f->y + 1);
  if (!f->x || !f->y) return PETSC_ERR_MEM;
  PetscErrorCode code = sup_petsc_free_zone_mark(&f->zone, system, op->space, last);
  if (code) return code;
  PetscCall(make_shell(f, (void (*)(void))multiply, &f->A));
  PetscCall(MatCreateVecs(f->A, &f->r, &f->d));
  PetscCall(VecDuplicate(f->r, &f->way));
  PetscCall(sup_petsc_free_zone_factor(&f->zone, op, options));
  if (f->zone.num < DIM * system->num_rows) {
    code = make_coarse(f, options);
    if (code) return code;
    PetscCall(make_smoother(f));
  }
  return make_solver(f, ksp);
}

Mat            sup_petsc_free_matrix(const sup_petsc_free *f) { return f->A; }
PetscErrorCode sup_petsc_free_calm(sup_petsc_free *f) {
  if (!f->coarse) return 0;
  f->largest *= sup_petsc_numerics.calmer;
  return KSPChebyshevSetEigenvalues(f->smoother, f->largest,
                                    sup_petsc_numerics.chebyshev * f->largest);
}

KSP sup_petsc_free_zone_solver(const sup_petsc_free *f) { return f->zone.ksp; }

void sup_petsc_free_destroy(sup_petsc_free **handle) {
  sup_petsc_free *f = *handle;
  if (!f) return;
  (void)KSPDestroy(&f->smoother);
  (void)KSPDestroy(&f->down);
  (void)MatDestroy(&f->A);
  (void)MatDestroy(&f->inside);
  (void)MatDestroy(&f->coarse);
  (void)VecDestroy(&f->r);
  (void)VecDestroy(&f->d);
  (void)VecDestroy(&f->way);
  (void)VecDestroy(&f->coarse_b);
  (void)VecDestroy(&f->coarse_x);
  sup_petsc_free_zone_destroy(&f->zone);
  sup_petsc_lattice_free(&f->lattice);
  free(f->x), free(f->y);
  free(f);
  *handle = NULL;
}
