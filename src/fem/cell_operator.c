/* The stiffness of a body without its matrix: cell by cell. */
#include "fem/cell_operator.h"

#include <string.h>

#include "fem/body_parts.h"

/** K0 of cell c turned by R, 3n x 3n by rows. */
static void turned_stiffness(const sup_fem_body *body, int c, const sup_m3 *R, double scale,
                             double *K) {
  const double *K0 = sup_fem_stiffness_of(body, c);
  int           n = body->element->num_vertices, size = 3 * n;
  for (int a = 0; a < n; a++)
    for (int b = 0; b <= a; b++) {
      sup_m3 block;
      for (int i = 0; i < 9; i++, K0 += SUP_BATCH) block.m[i / 3][i % 3] = scale * K0[0];
      block = sup_m3_mul(*R, sup_m3_mul(block, sup_m3_transpose(*R)));
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          K[(3 * a + i) * size + 3 * b + j] = K[(3 * b + j) * size + 3 * a + i] = block.m[i][j];
    }
}

int sup_fem_has_cell_stiffness(const sup_fem_body *body) {
  return body->element->is_dense && !body->is_hyperelastic;
}

void sup_fem_visit_stiffness(const sup_fem_body *body, const sup_m3 *R, double scale,
                             sup_clique_visitor *visit, void *user) {
  int    n = body->element->num_vertices;
  double K[9 * SUP_CELL_MAX_VERTICES * SUP_CELL_MAX_VERTICES];
  SUP_ASSERT(sup_fem_has_cell_stiffness(body));
  for (int c = 0; c < body->mesh->num_cells; c++) {
    turned_stiffness(body, c, R + c, scale, K);
    visit(user, n, body->vertex + (size_t)n * (size_t)c, K);
  }
}
