/* Rigid motions of the bodies as near-null space. */
#include <stdlib.h>
#include <string.h>

#include "plugin/petsc_parts.h"

enum { BLOCK = SUP_TILE, NUM_MODES = 6 };

static int is_point(const sup_petsc_system *s, const sup_block_space *space, int b) {
  return sup_block_size(s->pattern, b) == BLOCK && space->body[b] != SUP_NONE;
}

/** Centres of the bodies, [num_bodies x 3], about which they turn. */
static void find_centres(const sup_petsc_system *s, const sup_block_space *space, double *centre,
                         double *count) {
  for (int b = 0; b < s->pattern->num_blocks; b++)
    if (is_point(s, space, b)) {
      count[space->body[b]]++;
      for (int k = 0; k < 3; k++) centre[3 * space->body[b] + k] += space->coordinate[3 * b + k];
    }
  for (int i = 0; i < space->num_bodies; i++)
    for (int k = 0; k < 3; k++) centre[3 * i + k] /= count[i] > 0 ? count[i] : 1;
}

/** Mode `mode` of all bodies at once, in scaled unknowns D^-1 v: aggregates are smaller than
 * bodies.  Joint velocities move alone. */
static void fill_mode(const sup_petsc_system *s, const sup_block_space *space, const double *centre,
                      int mode, PetscScalar *v) {
  int axis = mode % 3, next = (axis + 1) % 3, last = (axis + 2) % 3;
  memset(v, 0, BLOCK * (size_t)(s->end - s->begin) * sizeof *v);
  for (int b = 0; b < s->pattern->num_blocks; b++)
    for (PetscInt r = s->first[b]; r < s->first[b + 1] && sup_petsc_is_own(s, r); r++) {
      PetscScalar *to = v + BLOCK * sup_petsc_own_number(s, r);
      if (mode < 3) {
        to[axis] = 1;
      } else if (is_point(s, space, b)) { /* e_axis x arm */
        const double *x = space->coordinate + 3 * b, *c = centre + 3 * space->body[b];
        to[last] = x[next] - c[next];
        to[next] = -(x[last] - c[last]);
      }
      for (int k = 0; k < BLOCK; k++) to[k] /= s->scale[BLOCK * r + k];
    }
}

static PetscErrorCode make_orthonormal(Vec *mode) {
  for (int k = 0; k < NUM_MODES; k++) {
    for (int i = 0; i < k; i++) {
      PetscScalar share;
      PetscCall(VecDot(mode[k], mode[i], &share));
      PetscCall(VecAXPY(mode[k], -share, mode[i]));
    }
    PetscCall(VecNormalize(mode[k], NULL));
  }
  return 0;
}

PetscErrorCode sup_petsc_set_near_null_space(const sup_petsc_system *s,
                                             const sup_block_space *space, Mat A) {
  Vec          mode[NUM_MODES];
  MatNullSpace nearly;
  double      *centre = calloc(4 * (size_t)space->num_bodies + 1, sizeof *centre);
  if (!centre) return PETSC_ERR_MEM;
  find_centres(s, space, centre, centre + 3 * space->num_bodies);
  for (int k = 0; k < NUM_MODES; k++) {
    PetscScalar *v;
    PetscCall(MatCreateVecs(A, &mode[k], NULL));
    PetscCall(VecGetArray(mode[k], &v));
    fill_mode(s, space, centre, k, v);
    PetscCall(VecRestoreArray(mode[k], &v));
  }
  free(centre);
  PetscCall(make_orthonormal(mode));
  PetscCall(MatNullSpaceCreate(sup_petsc_comm(s), PETSC_FALSE, NUM_MODES, mode, &nearly));
  PetscCall(MatSetNearNullSpace(A, nearly));
  PetscCall(MatNullSpaceDestroy(&nearly));
  for (int k = 0; k < NUM_MODES; k++) PetscCall(VecDestroy(&mode[k]));
  return 0;
}
