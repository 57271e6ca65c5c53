/* Derivatives of a linear step by its start and by numbers of the body (fem/step_gradient.h)
 * against central differences. */
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

/** A case: kind of body, and whether its own spin carries it. */
typedef struct kind {
  const char        *name;
  sup_cell_type      type;
  int                form;
  sup_material_model model;
  int                is_free;
} kind;

/** A case whose body has its numbers moved by s, at equal positions. */
static moving begin(const kind *of, double s) {
  sup_material_model model = of->model;
  sup_material_def   material[2] = {fem_test_material(model, 1e5 * (1 + s), .3 - .1 * s),
                                    fem_test_material(model, 3e5, .4 + .2 * s)};
  test_random        random = {17};
  sup_mesh          *mesh = fem_test_irregular_box(of->type, 18);
  moving             t = {.n = 3 * mesh->num_vertices, .is_free = of->is_free};
  double           **vector[] = {&t.x,       &t.v,  &t.u,  &t.l,        &t.f,
                                 &t.damping, &t.dx, &t.dv, &t.moved[0], &t.moved[1]};
  int               *cell_material = NULL;
  OK(SUP_CALLOC(cell_material, mesh->num_cells));
  for (int c = 0; c < mesh->num_cells; c++) cell_material[c] = c % 2;
  material[0].stiffness_damping = 5e-3 + 1e-2 * s, material[1].stiffness_damping = 1e-3;
  material[0].mass_damping = 20 * (1 + s), material[1].mass_damping = 30;
  material[1].density *= 1 + s;
  double *rest = fem_test_array((size_t)t.n);
  memcpy(rest, mesh->x, (size_t)t.n * sizeof *rest);
  for (int a = 0; a < t.n; a++) mesh->x[a] += .02 * s * sin(a + 1);
  OK(sup_fem_body_create_parts(&t.body, mesh, 2, material, cell_material, of->form));
  memcpy(mesh->x, rest, (size_t)t.n * sizeof *rest);
  SUP_FREE(rest);
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

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void near(const kind *of, const char *by, double found, double expected, double most) {
  printf("\n    %s by %s: %.12g, expected %.12g: %.1e", of->name, by, found, expected,
         fabs(found / expected - 1));
  CHECK(fabs(found - expected) <= most * fabs(expected));
}

/** Moments of the body against differences between bodies with other numbers. */
static void check_numbers(const kind *of, const moving *t, const sup_fem_moments *moments) {
  double h = 1e-5, expected = 0, found = 0;
  for (int side = -1; side <= 1; side += 2) {
    moving moved = begin(of, side * h);
    expected += side * value(&moved, 0) / (2 * h);
    found += side * sup_fem_moments_change(moments, t->body, moved.body) / (2 * h);
    end(&moved);
  }
  near(of, "numbers", found, expected, 1e-7);
}

static void check(const kind *of) {
  moving t = begin(of, 0);
  double h = 1e-5, differences = (8 * (value(&t, h) - value(&t, -h)) -
                                  (value(&t, 2 * h) - value(&t, -2 * h))) /
                                 (12 * h);
  double         *by_u = fem_test_array((size_t)t.n), *drag = fem_test_array((size_t)t.n);
  int             inverted;
  sup_v3          by_w = {0, 0, 0};
  sup_fem_moments moments;
  sup_fem_slopes  slopes = {t.moved[0], t.moved[1], by_u, &moments};
  sup_fem_step    step = {dt, t.R, t.x, t.v, spin(&t, t.x, t.v)};
  value(&t, 0);
  sup_fem_multiply(t.body, t.values, t.u, t.f);
  sup_fem_damped_mass_multiply(t.body, dt, t.u, drag);
  for (int i = 0; i < t.n; i++) t.f[i] -= drag[i], drag[i] = dt * t.u[i];
  sup_fem_rotations(t.body, t.x, t.R, &inverted);
  OK(sup_fem_moments_create(&moments, t.body, true));
  memset(slopes.x, 0, (size_t)t.n * sizeof(double));
  memset(slopes.v, 0, (size_t)t.n * sizeof(double));
  sup_fem_step_gradient(t.body, &step, t.u, t.l, &slopes, &by_w);
  if (of->is_free) sup_fem_spin_gradient(t.body, t.x, t.v, by_w, &slopes);
  sup_fem_moments_add_mass(&moments, t.body, t.l, t.u, drag);
  double sum = dot(t.n, slopes.x, t.dx) + dot(t.n, slopes.v, t.dv) / dt;
  near(of, "the start", sum, differences, 1e-8);
  near(of, "the solution", dot(t.n, by_u, t.u), dot(t.n, t.l, t.f), 1e-10);
  check_numbers(of, &t, &moments);
  sup_fem_moments_free(&moments);
  SUP_FREE(by_u);
  SUP_FREE(drag);
  end(&t);
}

static void derivatives_are_those_of_differences(void) {
  const sup_material_model model = SUP_MATERIAL_LINEAR_COROTATIONAL;
  for (int is_free = 0; is_free < 2; is_free++) {
    check(&(kind){"T4", SUP_CELL_T4, 0, model, is_free});
    check(&(kind){"H8", SUP_CELL_H8, 0, model, is_free});
    check(&(kind){"solid-shell", SUP_CELL_H8, SUP_FEM_SOLID_SHELL, model, is_free});
    check(&(kind){"T10", SUP_CELL_T10, 0, model, is_free});
    check(&(kind){"linear", SUP_CELL_H8, 0, SUP_MATERIAL_LINEAR, is_free});
  }
}

SUITE_TESTS(step_gradient, TEST(derivatives_are_those_of_differences));
