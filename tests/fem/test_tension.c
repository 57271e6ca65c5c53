/* Geometric stiffness of cells under tension (fem/tension.c). */
#include "fem_test.h"

enum { NUM_TYPES = 3 };
static const sup_cell_type types[NUM_TYPES] = {SUP_CELL_T4, SUP_CELL_H8, SUP_CELL_T10};

typedef struct pulled {
  sup_fem_body *body;
  sup_m3       *R;
  size_t        size; /* scalars */
  double       *x, *u, *f, *T, *Tu;
} pulled;

/** A cell with the stretches 1 + e, turned. */
static pulled begin(sup_cell_type type, sup_material_model model, sup_v3 e, test_random *random) {
  sup_material_def material = fem_test_material(model, 3, .3);
  sup_mesh        *mesh = fem_test_distorted_cell(type, 7);
  pulled           p = {.body = fem_test_body(mesh, &material, 0)};
  double         **array[] = {&p.x, &p.u, &p.f, &p.Tu};
  const double    *X = sup_fem_mesh(p.body)->x;
  sup_m3           turn = fem_test_rotation(random),
         F = {{{1 + e.x, 0, 0}, {0, 1 + e.y, 0}, {0, 0, 1 + e.z}}};
  p.size = 3 * (size_t)sup_fem_mesh(p.body)->num_vertices;
  for (int k = 0; k < 4; k++) *array[k] = fem_test_array(p.size);
  p.T = fem_test_array(sup_block_pattern_num_values(sup_fem_pattern(p.body)));
  for (size_t i = 0; i < p.size; i += 3)
    sup_v3_store(p.x + i, sup_m3_apply(sup_m3_mul(turn, F), sup_v3_load(X + i)));
  p.R = fem_test_rotations(p.body, p.x);
  return p;
}

static void end(pulled *p) {
  sup_fem_body_destroy(&p->body);
  SUP_FREE(p->R), SUP_FREE(p->x), SUP_FREE(p->u), SUP_FREE(p->f), SUP_FREE(p->T), SUP_FREE(p->Tu);
}

static sup_v3 random_vector(test_random *random) {
  return (sup_v3){test_uniform(random), test_uniform(random), test_uniform(random)};
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* The energy does not change when a body turns, x + t w x x + t^2/2 w x (w x x): u.(d^2E) u = f.(w
   x (w x x)) with u = w x x and f = -dE/dx. The lagged stiffness knows no part of it, T has it all
   where all pairs of principal stresses pull. */
static void what_is_pulled_resists_turning(void) {
  double worst = 0;
  for (int k = 0; k < NUM_TYPES; k++)
    for (int seed = 0; seed < 5; seed++) {
      test_random random = {(uint64_t)(31 + seed)};
      pulled      p =
          begin(types[k], SUP_MATERIAL_LINEAR_COROTATIONAL, (sup_v3){1e-4, 5e-5, -2e-5}, &random);
      sup_v3 w = random_vector(&random);
      double expected = 0;
      sup_fem_add_tension(p.body, p.R, p.x, 2, w, NULL, p.T, p.Tu);
      sup_fem_energy_force(p.body, p.R, p.x, p.f);
      for (size_t i = 0; i < p.size; i += 3) {
        sup_v3 turn = sup_v3_cross(w, sup_v3_load(p.x + i));
        sup_v3_store(p.u + i, turn);
        expected += sup_v3_dot(sup_v3_load(p.f + i), sup_v3_cross(w, turn));
      }
      NEAR(dot(p.u, p.Tu, p.size) / 2, expected, 1e-3, 0);
      worst = fmax(worst, fabs(dot(p.u, p.Tu, p.size) / (2 * expected) - 1));
      sup_block_multiply(sup_fem_pattern(p.body), p.T, p.u,
                         p.f); /* the force of a turn is the matrix times it */
      for (size_t i = 0; i < p.size; i++)
        NEAR(p.f[i], p.Tu[i], 0, 1e-12 * sqrt(dot(p.f, p.f, p.size)));
      end(&p);
    }
  printf("%.1e ", worst);
}

/* Without the matrix, of bodies whose cells do not fill their last batch; some are pressed. */
static void work_of_tension_is_that_of_its_matrix(void) {
  for (int k = 0; k < NUM_TYPES; k++) {
    test_random      random = {43};
    sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 3, .3);
    sup_fem_body    *body = fem_test_body(fem_test_irregular_box(types[k], 71), &material, 1);
    size_t           size = 3 * (size_t)sup_fem_mesh(body)->num_vertices;
    size_t           num_values = sup_block_pattern_num_values(sup_fem_pattern(body));
    double *x = fem_test_array(size), *u = fem_test_array(size), *f = fem_test_array(size), *pull;
    double *T = fem_test_array(num_values), *A = fem_test_array(num_values);
    sup_arena *arena = NULL;
    OK(sup_arena_create(&arena, 1 << 16));
    OK(SUP_ARENA(arena, pull, sup_fem_tension_size(body)));
    for (size_t i = 0; i < size; i++)
      x[i] = 1.02 * sup_fem_mesh(body)->x[i] + .02 * test_uniform(&random),
      u[i] = test_uniform(&random);
    sup_m3 *R = fem_test_rotations(body, x);
    sup_fem_step_system(body, R, x, .01, NULL, 1, (sup_v3){0, 0, 0}, NULL, NULL, NULL, A, f, pull);
    sup_fem_add_tension(body, R, x, 1, (sup_v3){0, 0, 0}, NULL, T, NULL);
    sup_block_multiply(sup_fem_pattern(body), T, u, f);
    NEAR(sup_fem_tension_work(body, R, pull, u), dot(u, f, size), 1e-12, 0);
    CHECK(dot(u, f, size) > 0);
    sup_arena_destroy(&arena);
    sup_fem_body_destroy(&body);
    SUP_FREE(x), SUP_FREE(u), SUP_FREE(f), SUP_FREE(T), SUP_FREE(A), SUP_FREE(R);
  }
}

static void pressed_cells_and_laws_of_stretches_get_nothing(void) {
  static const struct {
    sup_cell_type      type;
    sup_material_model model;
    double             strain;
  } row[] = {{SUP_CELL_H8, SUP_MATERIAL_LINEAR_COROTATIONAL, -.01},
             {SUP_CELL_T10, SUP_MATERIAL_COROTATIONAL, -.01},
             {SUP_CELL_H8, SUP_MATERIAL_LINEAR, .01},
             {SUP_CELL_T4, SUP_MATERIAL_COROTATIONAL, .01},
             {SUP_CELL_T10, SUP_MATERIAL_NEO_HOOKEAN, .01}};
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    test_random random = {41};
    double      e = row[k].strain;
    pulled      p = begin(row[k].type, row[k].model, (sup_v3){e, e, e}, &random);
    sup_fem_add_tension(p.body, p.R, p.x, 1, (sup_v3){0, 0, 0}, NULL, p.T, NULL);
    for (size_t i = 0; i < sup_block_pattern_num_values(sup_fem_pattern(p.body)); i++)
      NEAR(p.T[i], 0, 0, 0);
    end(&p);
  }
}

/* Pulled one way, pressed another: positive semidefinite, and without a force in sum. */
static void tension_is_positive_semidefinite(void) {
  for (int k = 0; k < NUM_TYPES; k++) {
    test_random random = {51};
    pulled p = begin(types[k], SUP_MATERIAL_LINEAR_COROTATIONAL, (sup_v3){.05, -.1, .02}, &random);
    double most = 0;
    sup_fem_add_tension(p.body, p.R, p.x, 1, (sup_v3){0, 0, 0}, NULL, p.T, NULL);
    for (int trial = 0; trial < 200; trial++) {
      double sum[3] = {0, 0, 0};
      for (size_t i = 0; i < p.size; i++) p.u[i] = test_uniform(&random);
      sup_block_multiply(sup_fem_pattern(p.body), p.T, p.u, p.Tu);
      double energy = dot(p.u, p.Tu, p.size);
      most = fmax(most, energy);
      CHECK(energy >= -1e-12 * most);
      for (size_t i = 0; i < p.size; i++) sum[i % 3] += p.Tu[i];
      for (int c = 0; c < 3; c++) NEAR(sum[c], 0, 0, 1e-12 * sqrt(dot(p.Tu, p.Tu, p.size)));
    }
    CHECK(most > 0);
    end(&p);
  }
}

/* The rigid part of any motion of a body: exact for rigid ones, and a vertex has none. */
static void the_spin_of_a_rigid_motion_is_its_own(void) {
  test_random random = {61};
  pulled p = begin(SUP_CELL_H8, SUP_MATERIAL_LINEAR_COROTATIONAL, (sup_v3){.1, 0, -.1}, &random);
  sup_v3 w = random_vector(&random), v = random_vector(&random);
  for (size_t i = 0; i < p.size; i += 3)
    sup_v3_store(p.u + i, sup_v3_add(v, sup_v3_cross(w, sup_v3_load(p.x + i))));
  NEAR(sup_v3_norm(sup_v3_sub(sup_fem_spin(p.body, p.x, p.u), w)), 0, 0, 1e-12);
  for (size_t i = 0; i < p.size; i += 3)
    sup_v3_store(p.x + i, (sup_v3){(double)i, 0, 0}); /* a line */
  NEAR(sup_v3_norm(sup_fem_spin(p.body, p.x, p.u)), 0, 0, 0);
  end(&p);
}

/* A rod of 1 x w x w has 6.75 w^2 of the determinant of a ball: it turns about its axis at w =
 * 2e-5, at 6e-6 it is a line. */
static void a_line_does_not_spin_about_itself(void) {
  const double width[2] = {2e-5, 6e-6}, spin[2] = {3, 0};
  for (int k = 0; k < 2; k++) {
    const double     size[3] = {1, width[k], width[k]};
    const int        cells[3] = {1, 1, 1};
    sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1, .3);
    sup_mesh        *mesh;
    OK(sup_mesh_box(&mesh, size, cells, SUP_PATTERN_HEX));
    sup_fem_body *body = fem_test_body(mesh, &material, 0);
    const double *x = sup_fem_mesh(body)->x;
    double        v[24];
    for (int a = 0; a < 8; a++)
      sup_v3_store(v + 3 * a, sup_v3_cross((sup_v3){3, 0, 0}, sup_v3_load(x + 3 * a)));
    NEAR(sup_fem_spin(body, x, v).x, spin[k], 1e-5, 1e-12);
    sup_fem_body_destroy(&body);
  }
}

SUITE_TESTS(tension, TEST(what_is_pulled_resists_turning),
            TEST(pressed_cells_and_laws_of_stretches_get_nothing),
            TEST(work_of_tension_is_that_of_its_matrix), TEST(tension_is_positive_semidefinite),
            TEST(the_spin_of_a_rigid_motion_is_its_own), TEST(a_line_does_not_spin_about_itself));
