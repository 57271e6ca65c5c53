/* Derivatives of a linear step by its start (fem/step_gradient.h) against central differences. */
#include "fem/step_gradient.h"

#include <stdlib.h>

#include "fem_test.h"

static const double dt = 2e-3;

/** A body under strain that moves, and vectors u and l. */
typedef struct moving {
  sup_fem_body *body;
  int           n, is_free; /* scalars; 1: it is carried by its own spin */
  sup_m3       *R;
  double       *x, *v, *u, *l, *values, *f, *damping, *cell_work, *pull, *dx, *dv, *moved[2];
} moving;

static moving begin(sup_cell_type type, int form, sup_material_model model, int is_free) {
  sup_material_def material[2] = {fem_test_material(model, 1e5, .3),
                                  fem_test_material(model, 3e5, .4)};
  test_random      random = {17};
  sup_mesh        *mesh = fem_test_irregular_box(type, 18);
  moving           t = {.n = 3 * mesh->num_vertices, .is_free = is_free};
  double         **vector[] = {&t.x,       &t.v,  &t.u,  &t.l,        &t.f,
                               &t.damping, &t.dx, &t.dv, &t.moved[0], &t.moved[1]};
  int             *cell_material = NULL;
  OK(SUP_CALLOC(cell_material, mesh->num_cells));
  for (int c = 0; c < mesh->num_cells; c++) cell_material[c] = c % 2;
  material[0].stiffness_damping = 5e-3, material[1].stiffness_damping = 1e-3;
  OK(sup_fem_body_create_parts(&t.body, mesh, 2, material, cell_material, form));
  for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
    *vector[k] = fem_test_array((size_t)t.n);
  t.values = fem_test_array(sup_block_pattern_num_values(sup_fem_pattern(t.body)));
  t.pull = aligned_alloc(64, sup_fem_tension_size(t.body) * sizeof *t.pull);
  OK(SUP_CALLOC(t.R, mesh->num_cells + SUP_CELL_MAX_VERTICES));
  OK(SUP_CALLOC(t.cell_work, mesh->num_cells + SUP_CELL_MAX_VERTICES));
  sup_m3 Q = model == SUP_MATERIAL_LINEAR ? sup_m3_identity() : fem_test_rotation(&random);
  for (int a = 0; a < t.n; a += 3) {
    sup_v3 X = sup_v3_load(mesh->x + a), w = {3, -5, 8};
    for (int k = 0; k < 3; k++) t.x[a + k] = X.x * .1 * (k == 0) + .04 * test_uniform(&random);
    sup_v3_store(t.x + a, sup_m3_apply(Q, sup_v3_add(X, sup_v3_load(t.x + a))));
    sup_v3_store(t.v + a, sup_v3_cross(w, sup_v3_load(t.x + a)));
    for (int k = 0; k < 3; k++) {
      t.v[a + k] += test_uniform(&random), t.u[a + k] = test_uniform(&random);
      t.l[a + k] = test_uniform(&random), t.dx[a + k] = test_uniform(&random);
      t.dv[a + k] = test_uniform(&random);
    }
  }
  SUP_FREE(cell_material);
  sup_mesh_destroy(&mesh);
  return t;
}

static void end(moving *t) {
  sup_fem_body_destroy(&t->body);
  SUP_FREE_ALL(&t->R, &t->x, &t->v, &t->u, &t->l, &t->values, &t->f, &t->damping, &t->cell_work,
               &t->dx, &t->dv, &t->moved[0], &t->moved[1]);
  free(t->pull);
}

static sup_v3 spin(const moving *t, const double *x, const double *v) {
  return t->is_free ? sup_fem_spin(t->body, x, v) : (sup_v3){2, -1, .5};
}

/** l . (A u - dt f) with the start moved by s along dx and dv. */
static double value(moving *t, double s) {
  double *x = t->moved[0], *v = t->moved[1], sum = 0;
  int     inverted;
  for (int i = 0; i < t->n; i++) x[i] = t->x[i] + s * t->dx[i], v[i] = t->v[i] + s / dt * t->dv[i];
  sup_fem_prediction ahead = {.v = v, .damping = t->damping, .cell_work = t->cell_work};
  sup_fem_rotations(t->body, x, t->R, &inverted);
  sup_fem_step_system(t->body, t->R, x, dt, NULL, 1, spin(t, x, v), &ahead, NULL, NULL, t->values,
                      t->f, t->pull);
  sup_fem_multiply(t->body, t->values, t->u, v);
  for (int i = 0; i < t->n; i++) sum += t->l[i] * (v[i] - dt * t->f[i]);
  return sum;
}

static void check(const char *name, sup_cell_type type, int form, sup_material_model model,
                  int is_free) {
  moving t = begin(type, form, model, is_free);
  double h = 1e-5, differences = (8 * (value(&t, h) - value(&t, -h)) -
                                  (value(&t, 2 * h) - value(&t, -2 * h))) /
                                 (12 * h);
  double      *by_x = t.moved[0], *by_v = t.moved[1], sum = 0;
  int          inverted;
  sup_v3       by_w = {0, 0, 0};
  sup_fem_step step = {dt, t.R, t.x, t.v, spin(&t, t.x, t.v)};
  sup_fem_rotations(t.body, t.x, t.R, &inverted);
  memset(by_x, 0, (size_t)t.n * sizeof *by_x), memset(by_v, 0, (size_t)t.n * sizeof *by_v);
  sup_fem_step_gradient(t.body, &step, t.u, t.l, by_x, by_v, &by_w);
  if (is_free) sup_fem_spin_gradient(t.body, t.x, t.v, by_w, by_x, by_v);
  for (int i = 0; i < t.n; i++) sum += by_x[i] * t.dx[i] + by_v[i] / dt * t.dv[i];
  printf("\n    %s: %.12g, by differences %.12g: %.1e", name, sum, differences,
         fabs(sum / differences - 1));
  CHECK(fabs(sum - differences) <= 1e-8 * fabs(differences));
  end(&t);
}

static void derivatives_are_those_of_differences(void) {
  for (int is_free = 0; is_free < 2; is_free++) {
    check("T4", SUP_CELL_T4, 0, SUP_MATERIAL_LINEAR_COROTATIONAL, is_free);
    check("H8", SUP_CELL_H8, 0, SUP_MATERIAL_LINEAR_COROTATIONAL, is_free);
    check("solid-shell", SUP_CELL_H8, SUP_FEM_SOLID_SHELL, SUP_MATERIAL_LINEAR_COROTATIONAL,
          is_free);
    check("T10", SUP_CELL_T10, 0, SUP_MATERIAL_LINEAR_COROTATIONAL, is_free);
    check("linear", SUP_CELL_H8, 0, SUP_MATERIAL_LINEAR, is_free);
  }
}

SUITE_TESTS(step_gradient, TEST(derivatives_are_those_of_differences));
