/* Derivatives of a sum over steps by numbers of a body (fem/step_gradient.h). */
#include "base/memory.h"
#include "fem/body_parts.h"
#include "fem/step_gradient.h"

static size_t num_entries(const sup_fem_body *body) {
  int n = body->mesh->num_vertices;
  return (size_t)(body->entry_mass ? sup_block_column(&body->pattern, n) : n);
}

sup_status sup_fem_moments_create(sup_fem_moments *m, const sup_fem_body *body, bool has_cells) {
  const sup_element *element = body->element;
  *m = (sup_fem_moments){.size = (size_t)element->stiffness_size +
                                 6 * (size_t)element->num_vertices + 3};
  SUP_TRY(SUP_CALLOC(m->mass, num_entries(body)));
  SUP_TRY(SUP_CALLOC(m->damped, num_entries(body)));
  SUP_TRY(SUP_CALLOC(m->volume, body->mesh->num_vertices));
  return has_cells ? SUP_CALLOC(m->cell, m->size * (size_t)body->mesh->num_cells) : SUP_OK;
}

void sup_fem_moments_free(sup_fem_moments *m) {
  SUP_FREE_ALL(&m->cell, &m->mass, &m->damped, &m->volume);
}

/** Sum of the moments `at` times differences of n numbers that are `stride` apart. */
static double sum_of(const double *at, size_t n, const double *b, const double *a, size_t stride) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += at[i] * (b[stride * i] - a[stride * i]);
  return sum;
}

/** Arms of cell c at rest [num_vertices x 3]. */
static void find_arms(const sup_fem_body *body, int c, double *arm) {
  int        n = body->element->num_vertices;
  const int *vertex = body->vertex + (size_t)n * (size_t)c;
  for (int i = 0; i < 3 * n; i++)
    arm[i] = body->mesh->x[3 * vertex[i / 3] + i % 3] - body->mesh->x[3 * vertex[0] + i % 3];
}

/** Change from cell c of body a to the same one, d, of body b. */
static double change_of_cell(const sup_fem_body *a, int c, const sup_fem_body *b, int d,
                             const double *at) {
  size_t n = 3 * (size_t)a->element->num_vertices, size = (size_t)a->element->stiffness_size;
  double from[3 * SUP_CELL_MAX_VERTICES], to[3 * SUP_CELL_MAX_VERTICES];
  find_arms(a, c, from), find_arms(b, d, to);
  double sum = sum_of(at, size, sup_fem_stiffness_of(b, d), sup_fem_stiffness_of(a, c), SUP_BATCH);
  at += size;
  sum += sum_of(at, n, sup_fem_lane_of(b, b->lane_gradient, n, d),
                sup_fem_lane_of(a, a->lane_gradient, n, c), SUP_BATCH);
  sum += sum_of(at + n, n, to, from, 1);
  at += 2 * n;
  sum += sum_of(at, 2, sup_fem_lane_of(b, b->lane_moduli, 2, d),
                sup_fem_lane_of(a, a->lane_moduli, 2, c), SUP_BATCH);
  return sum + at[2] * (sup_fem_matter_of(b, d)->material.stiffness_damping -
                        sup_fem_matter_of(a, c)->material.stiffness_damping);
}

/** Mass at an entry, or this times its mass damping. */
static double mass_of(const sup_fem_body *body, size_t e, bool is_damped) {
  double m = (body->entry_mass ? body->entry_mass : body->own_mass)[e];
  if (!is_damped) return m;
  return body->damping ? body->damping[e] : body->matter[0].material.mass_damping * m;
}

double sup_fem_moments_change(const sup_fem_moments *m, const sup_fem_body *body,
                              const sup_fem_body *other) {
  double sum = 0;
  for (int c = 0; c < body->mesh->num_cells && m->cell; c++) {
    int given = sup_fem_given(body, c), d = other->place ? other->place[given] : given;
    sum += change_of_cell(body, c, other, d, m->cell + m->size * (size_t)c);
  }
  for (size_t e = 0; e < num_entries(body); e++)
    sum += m->mass[e] * (mass_of(other, e, false) - mass_of(body, e, false)) +
           m->damped[e] * (mass_of(other, e, true) - mass_of(body, e, true));
  for (int a = 0; a < body->mesh->num_vertices; a++)
    sum += m->volume[a] * (other->vertex_volume[a] - body->vertex_volume[a]);
  return sum;
}

static double product(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void sup_fem_moments_add_mass(sup_fem_moments *m, const sup_fem_body *body, const double *l,
                              const double *a, const double *b) {
  const sup_block_pattern *P = &body->pattern;
  for (int j = 0; j < body->mesh->num_vertices; j++) {
    int first = body->entry_mass ? sup_block_column(P, j) : j,
        end = body->entry_mass ? sup_block_column(P, j + 1) : j + 1;
    for (int e = first; e < end; e++) {
      int i = e > first ? sup_block_row(P, e) : j;
      m->mass[e] += product(l + 3 * i, a + 3 * j), m->damped[e] += product(l + 3 * i, b + 3 * j);
      if (e == first) continue;
      m->mass[e] += product(l + 3 * j, a + 3 * i), m->damped[e] += product(l + 3 * j, b + 3 * i);
    }
  }
}
