#include "la/linear_operator.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"

void sup_linear_operator_apply(const sup_linear_operator *op, const double *x, double *y) {
  sup_block_multiply(op->pattern, op->values, x, y);
  if (op->rest) op->rest->add(op->rest, x, y);
}

void sup_linear_operator_diagonal(const sup_linear_operator *op, double *d) {
  const sup_block_pattern *P = op->pattern;
  for (int b = 0; b < P->num_blocks; b++) {
    int           size = sup_block_size(P, b);
    const double *D = op->values + sup_block_diagonal(P, b);
    for (int i = 0; i < size; i++) d[P->offset[b] + i] = D[i * size + i];
  }
}

static int is_of(const sup_block_space *space, const sup_block_pattern *P, int b, int body) {
  return space->body[b] == body && sup_block_size(P, b) == 3;
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/** Modified Gram-Schmidt against the modes before; 0 when nothing is left. */
static int make_orthonormal(double *mode, int count, int n) {
  static const double least = 1e-8;
  double             *own = mode + (size_t)count * (size_t)n, before = sqrt(dot(own, own, n));
  for (int k = 0; k < count; k++) {
    const double *other = mode + (size_t)k * (size_t)n;
    double        share = dot(other, own, n);
    for (int i = 0; i < n; i++) own[i] -= share * other[i];
  }
  double size = sqrt(dot(own, own, n));
  if (!(size > least * before)) return 0;
  for (int i = 0; i < n; i++) own[i] /= size;
  return 1;
}

int sup_block_space_rigid_modes(const sup_block_space *space, const sup_block_pattern *P, int body,
                                double *mode) {
  sup_v3 centre = {0, 0, 0};
  int    num_points = 0, count = 0;
  for (int b = 0; b < P->num_blocks; b++)
    if (is_of(space, P, b, body))
      centre = sup_v3_add(centre, sup_v3_load(space->coordinate + 3 * b)), num_points++;
  if (num_points == 0) return 0;
  centre = sup_v3_scale(1.0 / num_points, centre);
  for (int k = 0; k < 6; k++) {
    double *own = mode + (size_t)count * (size_t)P->num_scalars, axis[3] = {0, 0, 0};
    axis[k % 3] = 1;
    memset(own, 0, (size_t)P->num_scalars * sizeof *own);
    for (int b = 0; b < P->num_blocks; b++) {
      if (!is_of(space, P, b, body)) continue;
      sup_v3 arm = sup_v3_sub(sup_v3_load(space->coordinate + 3 * b), centre),
             e = sup_v3_load(axis);
      sup_v3_store(own + P->offset[b], k < 3 ? e : sup_v3_cross(e, arm));
    }
    count += make_orthonormal(mode, count, P->num_scalars);
  }
  return count;
}
