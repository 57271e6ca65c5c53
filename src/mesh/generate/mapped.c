/* Grids of bricks that are bent: between eight corners, around an axis. */
#include "base/memory.h"
#include "mesh/generate/grid.h"

#define PI 3.14159265358979323846

/** Position of the grid point at s in [0,1]^3. */
typedef sup_v3 map_function(const void *shape, const double s[3]);

static sup_status make(sup_mesh **mesh, const int n[3], sup_mesh_pattern pattern,
                       const char *const side[6], map_function *map, const void *shape) {
  SUP_OWN_VALUE(sup_grid) grid = {0};
  *mesh = NULL;
  SUP_TRY(sup_grid_check(n, pattern));
  SUP_TRY(sup_grid_init(&grid, n, pattern));
  for (int k = 0; k < 6; k++) grid.side[k] = side[k];
  double *x = grid.x;
  for (int i = 0; i <= n[0]; i++)
    for (int j = 0; j <= n[1]; j++)
      for (int k = 0; k <= n[2]; k++, x += 3) {
        double s[3] = {(double)i / n[0], (double)j / n[1], (double)k / n[2]};
        sup_v3_store(x, map(shape, s));
      }
  SUP_TRY(sup_grid_mesh(mesh, &grid));
  return SUP_OK;
}

static sup_v3 between_corners(const void *shape, const double s[3]) {
  static const int at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                               {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const double    *corner = shape;
  sup_v3           x = {0, 0, 0};
  for (int c = 0; c < 8; c++) {
    double N = 1;
    for (int d = 0; d < 3; d++) N *= at[c][d] ? s[d] : 1 - s[d];
    x = sup_v3_madd(x, N, sup_v3_load(corner + 3 * c));
  }
  return x;
}

sup_status sup_mesh_between_corners(sup_mesh **mesh, const double corner[24], const int n[3],
                                    sup_mesh_pattern pattern) {
  static const char *const side[6] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
  return make(mesh, n, pattern, side, between_corners, corner);
}

static sup_v3 around_axis(const void *shape, const double s[3]) {
  const sup_ring *ring = shape;
  double          r = (1 - s[0]) * ring->inner_radius + s[0] * ring->outer_radius,
         angle = s[1] * ring->angle;
  return sup_v3_make(r * cos(angle), r * sin(angle), s[2] * ring->length);
}

sup_status sup_mesh_ring(sup_mesh **mesh, const sup_ring *ring, const int n[3],
                         sup_mesh_pattern pattern) {
  static const char *const side[6] = {"inner", "outer", "start", "end", "z_min", "z_max"};
  *mesh = NULL;
  if (!(ring->inner_radius > 0 && ring->outer_radius > ring->inner_radius &&
        isfinite(ring->outer_radius)))
    return SUP_FAIL(SUP_E_ARG, "the ring has radii from %g to %g m; expected 0 < inner < outer",
                    ring->inner_radius, ring->outer_radius);
  if (!(ring->length > 0) || !isfinite(ring->length))
    return SUP_FAIL(SUP_E_ARG, "the ring has length %g m; expected a positive length",
                    ring->length);
  if (!(ring->angle > 0 && ring->angle < 2 * PI))
    return SUP_FAIL(SUP_E_ARG,
                    "the ring spans %g rad; expected a part of a circle, less than 360 degrees",
                    ring->angle);
  return make(mesh, n, pattern, side, around_axis, ring);
}
