#include <string.h>

#include "base/memory.h"
#include "mesh/generate/grid.h"

static const char *const sides[6] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

sup_status sup_mesh_box(sup_mesh **mesh, const double size[3], const int n[3],
                        sup_mesh_pattern pattern) {
  SUP_OWN_VALUE(sup_grid) grid = {0};
  *mesh = NULL;
  for (int d = 0; d < 3; d++)
    if (!(size[d] > 0) || !isfinite(size[d]))
      return SUP_FAIL(SUP_E_ARG, "the box has length %g m along %c; expected a positive length",
                      size[d], "xyz"[d]);
  SUP_TRY(sup_grid_check(n, pattern));
  SUP_TRY(sup_grid_init(&grid, n, pattern));
  memcpy(grid.side, sides, sizeof sides);
  double *x = grid.x;
  for (int i = 0; i <= n[0]; i++)
    for (int j = 0; j <= n[1]; j++)
      for (int k = 0; k <= n[2]; k++, x += 3)
        sup_v3_store(x, sup_v3_make(size[0] * i / n[0], size[1] * j / n[1], size[2] * k / n[2]));
  SUP_TRY(sup_grid_mesh(mesh, &grid));
  return SUP_OK;
}
