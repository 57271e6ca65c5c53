#include "fem/growth.h"

#include "base/memory.h"
#include "fem/body_parts.h"
#include "fem/viscoelastic.h"

sup_status sup_fem_add_growth(sup_fem_body *body, const double strain[3],
                              const unsigned char *is_cell) {
  sup_growths *g = &body->growth;
  int          n = body->mesh->num_cells;
  if (body->is_hyperelastic)
    return SUP_FAIL(SUP_E_ARG,
                    "growth is for the material models linear and linear_corotational, and "
                    "corotational of H8; laws of stretches have no rest shape of their own");
  if (g->num == SUP_FEM_MAX_GROWTHS)
    return SUP_FAIL(SUP_E_ARG, "a body has at most %d growths", SUP_FEM_MAX_GROWTHS);
  if (!g->of_cell) SUP_TRY(SUP_CALLOC(g->of_cell, n));
  for (int k = 0; k < 3; k++) g->strain[g->num][k] = strain[k];
  for (int c = 0; c < n; c++)
    if (is_cell[sup_fem_given(body, c)]) g->of_cell[c] |= 1u << g->num;
  g->num++;
  return SUP_OK;
}

int sup_fem_num_growths(const sup_fem_body *body) { return body->growth.num; }

void sup_fem_growth_of_cell(const sup_fem_body *body, int c, const double *share, double *y) {
  const sup_growths *g = &body->growth;
  int                n = body->element->num_vertices;
  const int         *vertex = body->vertex + (size_t)n * (size_t)c;
  double             e[3] = {0, 0, 0};
  for (int k = 0; k < g->num; k++)
    for (int i = 0; i < 3 && g->of_cell[c] >> k & 1; i++) e[i] += share[k] * g->strain[k][i];
  const double *X = body->mesh->x, *X0 = X + 3 * (size_t)vertex[0];
  for (int a = 0; a < n; a++)
    for (int i = 0; i < 3; i++)
      y[3 * a + i] = -e[i] * (X[3 * (size_t)vertex[a] + (size_t)i] - X0[i]);
}

void sup_fem_set_growth(const sup_fem_body *body, const double *share, double *internal) {
  double *set = internal + sup_fem_growth_set(body), y[SUP_FEM_MOST_HISTORY];
  for (int c = 0; c < body->mesh->num_cells && body->growth.num > 0; c++) {
    sup_fem_growth_of_cell(body, c, share, y);
    sup_fem_history_store(body, y, c, set);
  }
}
