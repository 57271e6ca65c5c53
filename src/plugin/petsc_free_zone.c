/* Contact zone of an operator that is not stored: the diagonal block of the columns that contact
 * stiffens and of joints, from the stored entries and the cells, solved exactly. */
#include <stdlib.h>
#include <string.h>

#include "plugin/petsc_free.h"

enum { DIM = SUP_TILE };

PetscErrorCode sup_petsc_free_zone_mark(sup_petsc_free_zone *z, const sup_petsc_system *of,
                                        const sup_block_space *space, const unsigned char *last) {
  PetscInt rows = DIM * of->num_rows;
  z->system = of, z->num = 0;
  z->row = malloc((size_t)rows * sizeof *z->row + 1);
  z->position = malloc((size_t)rows * sizeof *z->position + 1);
  z->is_in = calloc((size_t)of->pattern->num_blocks + 1, 1);
  if (!z->row || !z->position || !z->is_in) return PETSC_ERR_MEM;
  for (PetscInt r = 0; r < rows; r++) z->position[r] = -1;
  for (int b = 0; b < of->pattern->num_blocks; b++) {
    if (space->body[b] != SUP_NONE && !(last && last[b])) continue;
    z->is_in[b] = 1;
    for (PetscInt r = DIM * of->first[b]; r < DIM * of->first[b + 1]; r++)
      z->position[r] = z->num, z->row[z->num++] = r;
  }
  return 0;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/** Entries in pairs of rows of PETSc's, both in the zone.  The first failure stays. */
typedef struct filling {
  const sup_petsc_free_zone *z;
  Mat                        to;
  PetscErrorCode             code;
} filling;

static void add(filling *f, PetscInt row, PetscInt col, double value) {
  PetscInt at = f->z->position[row], to = f->z->position[col];
  if (at >= 0 && to >= 0 && !f->code) f->code = MatSetValue(f->to, at, to, value, ADD_VALUES);
}

static void add_stored(filling *f, const sup_linear_operator *op) {
  const sup_petsc_system  *of = f->z->system;
  const sup_block_pattern *P = op->pattern;
  for (int j = 0; j < P->num_blocks; j++) {
    PetscInt col = DIM * of->first[j];
    if (of->first[j] == of->first[j + 1] || f->z->position[col] < 0) continue;
    for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++) {
      int           i = sup_block_row(P, e), m = sup_block_size(P, i), n = sup_block_size(P, j);
      const double *K = op->values + sup_block_value(P, e);
      PetscInt      row = DIM * of->first[i];
      for (int c = 0; c < n; c++)
        for (int r = i == j ? c : 0; r < m; r++) {
          add(f, row + r, col + c, K[c * m + r]);
          if (row + r != col + c) add(f, col + c, row + r, K[c * m + r]);
        }
    }
    for (PetscInt r = col + sup_block_size(P, j); r < DIM * of->first[j + 1]; r++)
      add(f, r, r, 1); /* padding: its scale is 1 */
  }
}

static void add_cell(void *user, int n, const int *block, const double *K) {
  filling *f = user;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      PetscInt row = DIM * f->z->system->first[block[a]], col = DIM * f->z->system->first[block[b]];
      if (a == b || f->z->position[row] < 0 || f->z->position[col] < 0) continue;
      for (int i = 0; i < DIM; i++)
        for (int j = 0; j < DIM; j++)
          add(f, row + i, col + j, K ? K[(DIM * a + i) * DIM * n + DIM * b + j] : 0);
    }
}

static PetscErrorCode assemble(Mat A) {
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
}

/** z->A with the pattern of all and no values. */
static PetscErrorCode make_pattern(sup_petsc_free_zone *z, const sup_linear_operator *op) {
  PetscInt n = z->num;
  filling  f = {z, NULL, 0};
  PetscCall(MatCreate(PETSC_COMM_SELF, &f.to));
  PetscCall(MatSetSizes(f.to, n, n, n, n));
  PetscCall(MatSetType(f.to, MATPREALLOCATOR));
  PetscCall(MatSetUp(f.to));
  add_stored(&f, op);
  op->rest->cliques(op->rest, 0, add_cell, &f);
  PetscCall(f.code);
  PetscCall(assemble(f.to));
  PetscCall(MatCreate(PETSC_COMM_SELF, &z->A));
  PetscCall(MatSetSizes(z->A, n, n, n, n));
  PetscCall(MatSetType(z->A, MATSEQAIJ));
  PetscCall(MatPreallocatorPreallocate(f.to, PETSC_TRUE, z->A));
  PetscCall(MatDestroy(&f.to));
  PetscCall(MatSetOption(z->A, MAT_SYMMETRIC, PETSC_TRUE)); /* as SPD, MUMPS counts no pivots */
  return MatSetOption(z->A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE);
}

/** Keep the sum over cells without D: contact changes, the cells do not. */
static PetscErrorCode take_cells(sup_petsc_free_zone *z, const sup_linear_operator *op) {
  filling            f = {z, z->A, 0};
  MatInfo            info;
  const PetscScalar *value;
  op->rest->cliques(op->rest, 1, add_cell, &f);
  PetscCall(f.code);
  PetscCall(assemble(z->A));
  PetscCall(MatGetInfo(z->A, MAT_LOCAL, &info));
  size_t bytes = (size_t)info.nz_used * sizeof *z->of_cells;
  z->of_cells = malloc(bytes + 1);
  if (!z->of_cells) return PETSC_ERR_MEM;
  PetscCall(MatSeqAIJGetArrayRead(z->A, &value));
  memcpy(z->of_cells, value, bytes);
  return MatSeqAIJRestoreArrayRead(z->A, &value);
}

static PetscErrorCode put_values(sup_petsc_free_zone *z, const sup_linear_operator *op) {
  filling      f = {z, z->A, 0};
  MatInfo      info;
  PetscScalar *value, *D;
  PetscCall(MatGetInfo(z->A, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetArray(z->A, &value));
  memcpy(value, z->of_cells, (size_t)info.nz_used * sizeof *value);
  PetscCall(MatSeqAIJRestoreArray(z->A, &value));
  add_stored(&f, op);
  PetscCall(f.code);
  PetscCall(assemble(z->A));
  PetscCall(VecGetArray(z->x, &D));
  for (PetscInt k = 0; k < z->num; k++) D[k] = z->system->scale[z->row[k]];
  PetscCall(VecRestoreArray(z->x, &D));
  return MatDiagonalScale(z->A, z->x, z->x);
}

PetscErrorCode sup_petsc_free_zone_update(sup_petsc_free_zone *z, const sup_linear_operator *op) {
  if (z->num == 0) return 0;
  PetscErrorCode code = put_values(z, op);
  if (code) return code;
  PetscCall(KSPSetOperators(z->ksp, z->A, z->A));
  return KSPSetUp(z->ksp);
}

PetscErrorCode sup_petsc_free_zone_factor(sup_petsc_free_zone *z, const sup_linear_operator *op,
                                          PetscOptions options) {
  PC pc;
  if (z->num == 0) return 0;
  PetscCall(make_pattern(z, op));
  PetscErrorCode code = take_cells(z, op);
  if (code) return code;
  PetscCall(MatCreateVecs(z->A, &z->x, &z->b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &z->ksp));
  PetscCall(PetscObjectSetOptions((PetscObject)z->ksp, options));
  PetscCall(KSPSetOptionsPrefix(z->ksp, "contact_sub_"));
  PetscCall(KSPSetType(z->ksp, KSPPREONLY));
  PetscCall(KSPSetOperators(z->ksp, z->A, z->A));
  PetscCall(KSPGetPC(z->ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  PetscCall(KSPSetFromOptions(z->ksp));
  return sup_petsc_free_zone_update(z, op);
}

/* ---- corrections ----------------------------------------------------------------------------- */

PetscErrorCode sup_petsc_free_zone_correct(sup_petsc_free_zone *z, Vec r, Vec x) {
  const PetscScalar *from;
  PetscScalar       *to;
  if (z->num == 0) return 0;
  PetscCall(VecGetArrayRead(r, &from));
  PetscCall(VecGetArray(z->b, &to));
  for (PetscInt k = 0; k < z->num; k++) to[k] = from[z->row[k]];
  PetscCall(VecRestoreArray(z->b, &to));
  PetscCall(VecRestoreArrayRead(r, &from));
  PetscCall(KSPSolve(z->ksp, z->b, z->x));
  PetscCall(VecGetArrayRead(z->x, &from));
  PetscCall(VecGetArray(x, &to));
  for (PetscInt k = 0; k < z->num; k++) to[z->row[k]] += from[k];
  PetscCall(VecRestoreArray(x, &to));
  PetscCall(VecRestoreArrayRead(z->x, &from));
  return 0;
}

PetscErrorCode sup_petsc_free_zone_clear(const sup_petsc_free_zone *z, Vec x) {
  PetscScalar *to;
  PetscCall(VecGetArray(x, &to));
  for (PetscInt k = 0; k < z->num; k++) to[z->row[k]] = 0;
  PetscCall(VecRestoreArray(x, &to));
  return 0;
}

void sup_petsc_free_zone_destroy(sup_petsc_free_zone *z) {
  (void)MatDestroy(&z->A);
  (void)KSPDestroy(&z->ksp);
  (void)VecDestroy(&z->x);
  (void)VecDestroy(&z->b);
  free(z->row), free(z->position), free(z->is_in), free(z->of_cells);
  *z = (sup_petsc_free_zone){0};
}
