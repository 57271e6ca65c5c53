/* An operator that is never assembled: conjugate gradients with two levels of our own above GAMG.
 *
 *  The unknowns are D^-1 x, so that the diagonal is one and Jacobi's smoother the identity: the
 * smoother is Chebyshev's polynomial of D A D.  The coarse level is the trilinear functions of a
 * lattice of twice the points' distance that is laid over the bodies (Xu 1996, auxiliary space),
 * which have the rigid motions whatever the cells are; they are evaluated where they are needed,
 * from the coordinates.  Its matrix P^T A P is assembled cell by cell and left to GAMG.
 *
 *  One process; all block columns of three scalars that are points, or stand alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "la/petsc_parts.h"

enum { DIM = SUP_TILE, CORNERS = 8, MOST_NODES = 512, SMOOTHINGS = 3 };
static const double lattice = 2;      /* distances of points */
static const double no_share = 1e-9;  /* of a point on a side of its lattice cell */
static const double damped_to = 0.12; /* Chebyshev's interval, of the largest eigenvalue */

struct sup_petsc_free {
  const sup_petsc_system *system;
  sup_linear_operator     op;
  double                 *x, *y;       /* [num_scalars] */
  double                  lower[3], H; /* of the lattice [m] */
  PetscInt                n[3];        /* nodes in each direction */
  PetscInt               *node;        /* [n0 x n1 x n2] number of a node that is used, or -1 */
  PetscInt                num_nodes;
  Mat                     A, P, coarse;
};

/* ---- A --------------------------------------------------------------------------------------- */

static PetscErrorCode multiply(Mat A, Vec in, Vec out) {
  sup_petsc_free    *f;
  const PetscScalar *x;
  PetscScalar       *y;
  PetscCall(MatShellGetContext(A, &f));
  PetscInt      num = f->op.pattern->num_scalars;
  const double *D = f->system->scale;
  PetscCall(VecGetArrayRead(in, &x));
  for (PetscInt i = 0; i < num; i++) f->x[i] = D[i] * x[i];
  PetscCall(VecRestoreArrayRead(in, &x));
  f->op.apply(&f->op, f->x, f->y);
  PetscCall(VecGetArray(out, &y));
  for (PetscInt i = 0; i < num; i++) y[i] = D[i] * f->y[i];
  PetscCall(VecRestoreArray(out, &y));
  return 0;
}

/* ---- the lattice ----------------------------------------------------------------------------- */

/** Nodes that have a share of block column b, and the shares; their number. */
static int nodes_of(const sup_petsc_free *f, int b, PetscInt node[CORNERS], double share[CORNERS]) {
  PetscInt first[3];
  double   along[3];
  int      count = 0;
  if (f->op.space->body[b] == SUP_NONE) return 0;
  for (int k = 0; k < 3; k++) {
    double at = (f->op.space->coordinate[3 * b + k] - f->lower[k]) / f->H;
    first[k] = (PetscInt)floor(at);
    if (first[k] > f->n[k] - 2) first[k] = f->n[k] - 2;
    along[k] = at - (double)first[k];
  }
  for (int c = 0; c < CORNERS; c++) {
    int    at[3] = {c & 1, c >> 1 & 1, c >> 2};
    double w = 1;
    for (int k = 0; k < 3; k++) w *= at[k] ? along[k] : 1 - along[k];
    if (fabs(w) < no_share) continue;
    node[count] = ((first[0] + at[0]) * f->n[1] + first[1] + at[1]) * f->n[2] + first[2] + at[2];
    share[count++] = w;
  }
  return count;
}

/** From the lowest corner of what is about the points; nodes that some point has a share in are
 * numbered. */
static PetscErrorCode lay_lattice(sup_petsc_free *f) {
  const sup_block_space *space = f->op.space;
  double                 upper[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  PetscInt               all = 1;
  for (int k = 0; k < 3; k++) f->lower[k] = HUGE_VAL;
  for (int b = 0; b < f->op.pattern->num_blocks; b++)
    for (int k = 0; k < 3 && space->body[b] != SUP_NONE; k++) {
      f->lower[k] = fmin(f->lower[k], space->coordinate[3 * b + k]);
      upper[k] = fmax(upper[k], space->coordinate[3 * b + k]);
    }
  f->H = lattice * space->distance;
  for (int k = 0; k < 3; k++) {
    f->n[k] = (PetscInt)ceil((upper[k] - f->lower[k]) / f->H * (1 - 1e-9)) + 1;
    if (f->n[k] < 2) f->n[k] = 2;
    all *= f->n[k];
  }
  f->node = malloc((size_t)all * sizeof *f->node);
  if (!f->node) return PETSC_ERR_MEM;
  for (PetscInt i = 0; i < all; i++) f->node[i] = -1;
  f->num_nodes = 0;
  for (int b = 0; b < f->op.pattern->num_blocks; b++) {
    PetscInt node[CORNERS];
    double   share[CORNERS];
    for (int c = nodes_of(f, b, node, share); c-- > 0;) f->node[node[c]] = 0;
  }
  for (PetscInt i = 0; i < all; i++)
    if (f->node[i] == 0) f->node[i] = f->num_nodes++;
  return 0;
}

/** out := D^-1 P in */
static PetscErrorCode prolong(Mat P, Vec in, Vec out) {
  sup_petsc_free    *f;
  const PetscScalar *x;
  PetscScalar       *y;
  PetscCall(MatShellGetContext(P, &f));
  PetscCall(VecGetArrayRead(in, &x));
  PetscCall(VecGetArray(out, &y));
  for (int b = 0; b < f->op.pattern->num_blocks; b++) {
    PetscInt node[CORNERS];
    double   share[CORNERS], sum[DIM] = {0, 0, 0};
    for (int c = nodes_of(f, b, node, share); c-- > 0;)
      for (int k = 0; k < DIM; k++) sum[k] += share[c] * x[DIM * f->node[node[c]] + k];
    for (int k = 0; k < DIM; k++) y[DIM * b + k] = sum[k] / f->system->scale[DIM * b + k];
  }
  PetscCall(VecRestoreArray(out, &y));
  PetscCall(VecRestoreArrayRead(in, &x));
  return 0;
}

/** out := P^T D^-1 in */
static PetscErrorCode restrict_to(Mat P, Vec in, Vec out) {
  sup_petsc_free    *f;
  const PetscScalar *x;
  PetscScalar       *y;
  PetscCall(MatShellGetContext(P, &f));
  PetscCall(VecGetArrayRead(in, &x));
  PetscCall(VecGetArray(out, &y));
  memset(y, 0, DIM * (size_t)f->num_nodes * sizeof *y);
  for (int b = 0; b < f->op.pattern->num_blocks; b++) {
    PetscInt node[CORNERS];
    double   share[CORNERS];
    for (int c = nodes_of(f, b, node, share); c-- > 0;)
      for (int k = 0; k < DIM; k++)
        y[DIM * f->node[node[c]] + k] += share[c] * x[DIM * b + k] / f->system->scale[DIM * b + k];
  }
  PetscCall(VecRestoreArray(out, &y));
  PetscCall(VecRestoreArrayRead(in, &x));
  return 0;
}

/* ---- P^T A P --------------------------------------------------------------------------------- */

/** Of a cell: shares of its points in the nodes that they have together. */
typedef struct cell_nodes {
  int      num;
  PetscInt node[MOST_NODES], place[MOST_NODES]; /* its number; where it is in the lattice */
  double   share[SUP_CLIQUE_MOST][MOST_NODES];
} cell_nodes;

static void gather_nodes(const sup_petsc_free *f, int n, const int *block, cell_nodes *cell) {
  cell->num = 0;
  for (int a = 0; a < n; a++) {
    PetscInt node[CORNERS];
    double   share[CORNERS];
    int      count = nodes_of(f, block[a], node, share);
    for (int c = 0; c < count; c++) {
      int at = 0;
      while (at < cell->num && cell->node[at] != f->node[node[c]]) at++;
      if (at == cell->num) {
        cell->place[at] = node[c], cell->node[cell->num++] = f->node[node[c]];
        for (int i = 0; i < n; i++) cell->share[i][at] = 0;
      }
      cell->share[a][at] = share[c];
    }
  }
}

/** The first failure stays. */
typedef struct projection {
  sup_petsc_free *f;
  PetscErrorCode  code;
  cell_nodes      cell;
  PetscScalar     half[DIM * SUP_CLIQUE_MOST * DIM * CORNERS * SUP_CLIQUE_MOST],
      value[DIM * CORNERS * SUP_CLIQUE_MOST * DIM * CORNERS * SUP_CLIQUE_MOST];
} projection;

static void project(void *user, int n, const int *block, const double *K) {
  projection *p = user;
  cell_nodes *cell = &p->cell;
  gather_nodes(p->f, n, block, cell);
  int size = DIM * n, width = DIM * cell->num;
  memset(p->half, 0, (size_t)(size * width) * sizeof *p->half);
  for (int i = 0; i < size; i++)
    for (int b = 0; b < n; b++)
      for (int m = 0; m < cell->num; m++) {
        double share = cell->share[b][m];
        if (share == 0) continue;
        for (int k = 0; k < DIM; k++)
          p->half[i * width + DIM * m + k] += K[i * size + DIM * b + k] * share;
      }
  memset(p->value, 0, (size_t)(width * width) * sizeof *p->value);
  for (int a = 0; a < n; a++)
    for (int m = 0; m < cell->num; m++) {
      double share = cell->share[a][m];
      if (share == 0) continue;
      for (int k = 0; k < DIM; k++)
        for (int j = 0; j < width; j++)
          p->value[(DIM * m + k) * width + j] += share * p->half[(DIM * a + k) * width + j];
    }
  if (!p->code && cell->num > 0)
    p->code = MatSetValuesBlocked(p->f->coarse, cell->num, cell->node, cell->num, cell->node,
                                  p->value, ADD_VALUES);
}

static PetscErrorCode set_coarse_modes(sup_petsc_free *f) {
  Vec          place;
  PetscScalar *x;
  MatNullSpace nearly;
  PetscCall(MatCreateVecs(f->coarse, &place, NULL));
  PetscCall(VecSetBlockSize(place, DIM));
  PetscCall(VecGetArray(place, &x));
  for (PetscInt i = 0, at = 0; i < f->n[0]; i++)
    for (PetscInt j = 0; j < f->n[1]; j++)
      for (PetscInt k = 0; k < f->n[2]; k++, at++)
        if (f->node[at] >= 0) {
          PetscScalar *to = x + DIM * f->node[at];
          to[0] = (double)i, to[1] = (double)j, to[2] = (double)k;
        }
  PetscCall(VecRestoreArray(place, &x));
  PetscCall(MatNullSpaceCreateRigidBody(place, &nearly));
  PetscCall(MatSetNearNullSpace(f->coarse, nearly));
  PetscCall(MatNullSpaceDestroy(&nearly));
  PetscCall(VecDestroy(&place));
  return 0;
}

/** Which nodes of the 125 around it a node meets in a cell. */
typedef struct links {
  const sup_petsc_free *f;
  unsigned char (*met)[125];
  cell_nodes cell;
} links;

static int offset(const sup_petsc_free *f, PetscInt from, PetscInt to) {
  PetscInt slab = f->n[1] * f->n[2];
  PetscInt i = to / slab - from / slab, j = to / f->n[2] % f->n[1] - from / f->n[2] % f->n[1],
           k = to % f->n[2] - from % f->n[2];
  if (i < -2 || i > 2 || j < -2 || j > 2 || k < -2 || k > 2) return -1;
  return (int)((i + 2) * 25 + (j + 2) * 5 + k + 2);
}

static void link_nodes(void *user, int n, const int *block, const double *K) {
  links      *l = user;
  cell_nodes *cell = &l->cell;
  (void)K;
  gather_nodes(l->f, n, block, cell);
  for (int a = 0; a < cell->num; a++)
    for (int b = 0; b < cell->num; b++) {
      int at = offset(l->f, cell->place[a], cell->place[b]);
      if (at >= 0) l->met[cell->node[a]][at] = 1;
    }
}

/** Scalars of each row, but for those of cells that are larger than two of the lattice. */
static PetscErrorCode count_coarse(const sup_petsc_free *f, PetscInt *row) {
  links *l = calloc(1, sizeof *l);
  if (!l) return PETSC_ERR_MEM;
  l->f = f, l->met = calloc((size_t)f->num_nodes + 1, sizeof *l->met);
  for (PetscInt i = 0; i < DIM * f->num_nodes; i++) row[i] = 0;
  if (l->met) f->op.cliques(&f->op, link_nodes, l);
  for (PetscInt i = 0; l->met && i < f->num_nodes; i++)
    for (int k = 0; k < 125; k++)
      for (int d = 0; d < DIM; d++) row[DIM * i + d] += DIM * l->met[i][k];
  PetscErrorCode code = l->met ? 0 : PETSC_ERR_MEM;
  free(l->met), free(l);
  return code;
}

/** Where the lattice has more nodes than there are points, some of its functions are dependent: a
 * little more on the diagonal lets them rest. */
static PetscErrorCode steady_coarse(Mat A) {
  static const double little = 1e-6;
  Vec                 d;
  PetscCall(MatCreateVecs(A, &d, NULL));
  PetscCall(MatGetDiagonal(A, d));
  PetscCall(VecScale(d, 1 + little));
  PetscCall(MatDiagonalSet(A, d, INSERT_VALUES));
  PetscCall(VecDestroy(&d));
  return 0;
}

static PetscErrorCode assemble_coarse(sup_petsc_free *f) {
  PetscInt    n = DIM * f->num_nodes, *row;
  projection *p = malloc(sizeof *p);
  if (!p) return PETSC_ERR_MEM;
  p->f = f, p->code = 0;
  PetscCall(PetscMalloc1(n, &row));
  PetscCall(count_coarse(f, row));
  PetscCall(MatCreate(PETSC_COMM_SELF, &f->coarse));
  PetscCall(MatSetSizes(f->coarse, n, n, n, n));
  PetscCall(MatSetType(f->coarse, MATSEQAIJ));
  PetscCall(MatSetBlockSize(f->coarse, DIM));
  PetscCall(MatSeqAIJSetPreallocation(f->coarse, 0, row));
  PetscCall(PetscFree(row));
  PetscCall(MatSetOption(f->coarse, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  f->op.cliques(&f->op, project, p);
  PetscErrorCode code = p->code;
  free(p);
  PetscCall(code);
  PetscCall(MatAssemblyBegin(f->coarse, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(f->coarse, MAT_FINAL_ASSEMBLY));
  PetscCall(steady_coarse(f->coarse));
  PetscCall(MatSetOption(f->coarse, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(f->coarse, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  return set_coarse_modes(f);
}

/* ---- the solver ------------------------------------------------------------------------------ */

static PetscErrorCode make_shells(sup_petsc_free *f) {
  PetscInt n = f->op.pattern->num_scalars, m = DIM * f->num_nodes;
  PetscCall(MatCreateShell(PETSC_COMM_SELF, n, n, n, n, f, &f->A));
  PetscCall(MatShellSetOperation(f->A, MATOP_MULT, (void (*)(void))multiply));
  PetscCall(MatSetOption(f->A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatCreateShell(PETSC_COMM_SELF, n, m, n, m, f, &f->P));
  PetscCall(MatShellSetOperation(f->P, MATOP_MULT, (void (*)(void))prolong));
  PetscCall(MatShellSetOperation(f->P, MATOP_MULT_TRANSPOSE, (void (*)(void))restrict_to));
  return 0;
}

static PetscErrorCode choose_smoother(PC cycle, Mat A) {
  KSP smoother;
  PC  none;
  PetscCall(PCMGGetSmoother(cycle, 1, &smoother));
  PetscCall(KSPSetOperators(smoother, A, A));
  PetscCall(KSPSetOptionsPrefix(smoother, "free_")); /* mg_levels_ are those of GAMG below */
  PetscCall(KSPSetType(smoother, KSPCHEBYSHEV));
  PetscCall(KSPChebyshevEstEigSet(smoother, 0, damped_to, 0, 1.1));
  PetscCall(KSPSetTolerances(smoother, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, SMOOTHINGS));
  PetscCall(KSPGetPC(smoother, &none));
  PetscCall(PCSetType(none, PCNONE));
  return 0;
}

static PetscErrorCode choose_coarse(PC cycle, Mat A, PetscOptions options) {
  KSP ksp;
  PC  gamg;
  PetscCall(PCMGGetCoarseSolve(cycle, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, NULL));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &gamg));
  PetscCall(PCSetType(gamg, PCGAMG));
  PetscCall(sup_petsc_gamg_choose(ksp, options, NULL));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(sup_petsc_gamg_set_up(ksp));
  return 0;
}

PetscErrorCode sup_petsc_free_create(sup_petsc_free **out, const sup_petsc_system *system,
                                     const sup_linear_operator *op, PetscOptions options,
                                     KSP *ksp) {
  size_t          n = (size_t)op->pattern->num_scalars;
  sup_petsc_free *f = calloc(1, sizeof *f);
  PC              cycle;
  *out = f;
  if (!f) return PETSC_ERR_MEM;
  f->system = system, f->op = *op;
  f->x = malloc(n * sizeof *f->x + 1), f->y = malloc(n * sizeof *f->y + 1);
  if (!f->x || !f->y) return PETSC_ERR_MEM;
  PetscCall(lay_lattice(f));
  PetscCall(make_shells(f));
  PetscCall(assemble_coarse(f));
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetType(*ksp, KSPCG));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetOperators(*ksp, f->A, f->A));
  PetscCall(KSPGetPC(*ksp, &cycle));
  PetscCall(PCSetType(cycle, PCMG));
  PetscCall(PCMGSetLevels(cycle, 2, NULL));
  PetscCall(PCMGSetGalerkin(cycle, PC_MG_GALERKIN_NONE));
  PetscCall(PCMGSetInterpolation(cycle, 1, f->P));
  PetscCall(choose_smoother(cycle, f->A));
  PetscCall(choose_coarse(cycle, f->coarse, options));
  PetscCall(KSPSetUp(*ksp));
  return 0;
}

Mat sup_petsc_free_matrix(const sup_petsc_free *f) { return f->A; }

void sup_petsc_free_destroy(sup_petsc_free **handle) {
  sup_petsc_free *f = *handle;
  if (!f) return;
  (void)MatDestroy(&f->A);
  (void)MatDestroy(&f->P);
  (void)MatDestroy(&f->coarse);
  free(f->x), free(f->y), free(f->node);
  free(f);
  *handle = NULL;
}
