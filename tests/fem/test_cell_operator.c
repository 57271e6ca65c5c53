/* The matrix of a body cell by cell (fem/cell_operator.c): what is stored elsewhere. */
#include "fem/cell_operator.h"

#include <stdlib.h>

#include "fem_test.h"
#include "la/linear_solver.h"

/** A bar of distorted cells, 2:1:1. */
static sup_mesh *bar(int n, sup_cell_type type) {
  const double size[3] = {2, 1, 1};
  test_random  random = {3};
  sup_mesh    *mesh = NULL, *t10 = NULL;
  OK(sup_mesh_box(&mesh, size, (int[3]){2 * n, n, n},
                  type == SUP_CELL_H8 ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN));
  for (int i = 0; i < mesh->num_vertices; i++) {
    double *x = mesh->x + 3 * i;
    if (x[0] > 1e-9) /* the clamped side stays where it is */
      for (int k = 0; k < 3; k++) x[k] += 0.1 / n * test_uniform(&random);
  }
  if (type == SUP_CELL_H8) return mesh;
  OK(sup_mesh_to_t10(&t10, mesh));
  sup_mesh_destroy(&mesh);
  return t10;
}

enum { STEP, FROZEN, EXACT, NUM_KINDS };

/** A body that is stretched, turned and bent, and its matrix both ways. */
typedef struct system {
  sup_fem_body *body;
  sup_m3       *R;
  double       *A, *x, *c, *pull, *v, *y, *z;
  int           n, m; /* scalars; cells across */
  sup_cell_type type;
  sup_fem_cells cells;
} system_;

static void store(system_ *s, int kind, double h) {
  size_t             num = sup_block_pattern_num_values(sup_fem_pattern(s->body));
  sup_fem_mass_terms mass = sup_fem_mass_of_step(s->body, h, s->c);
  s->A = fem_test_array(num);
  if (kind == STEP) {
    double *f = fem_test_array((size_t)s->n), *g = fem_test_array((size_t)s->n);
    sup_fem_step_system(s->body, s->R, s->x, h, s->c, 1.5, (sup_v3){1, 2, 3}, NULL, NULL, NULL,
                        s->A, f, s->pull);
    sup_fem_step_system(s->body, s->R, s->x, h, s->c, 1.5, (sup_v3){1, 2, 3}, NULL, NULL, NULL,
                        NULL, g, s->pull);
    for (int i = 0; i < s->n; i++) CHECK(f[i] == g[i]); /* without the matrix the same bits */
    SUP_FREE(f), SUP_FREE(g);
    s->cells = sup_fem_cells_of_step(s->body, s->R, s->x, h, s->c, 1.5, NULL, s->pull);
    return;
  }
  sup_fem_step_mass(s->body, h, s->c, NULL, s->A);
  sup_fem_add_step_stiffness(s->body, s->R, s->x, h * h, NULL, kind == EXACT, s->A);
  if (kind == FROZEN)
    sup_fem_add_tension(s->body, s->R, s->x, h * h, (sup_v3){0, 0, 0}, NULL, s->A, NULL);
  s->cells =
      sup_fem_cells_of_tangent(s->body, s->R, s->x, h * h, NULL, kind == EXACT, &mass, s->pull);
}

static system_ begin(int n, sup_cell_type type, int is_lumped, int kind, double h) {
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 1e5, 0.3);
  material.stiffness_damping = 1e-3, material.mass_damping = 2;
  system_       s = {.body = fem_test_body(bar(n, type), &material, is_lumped)};
  test_random   random = {5};
  const double *X = sup_fem_mesh(s.body)->x, pi = acos(-1);
  s.n = 3 * sup_fem_mesh(s.body)->num_vertices, s.m = n, s.type = type;
  s.x = fem_test_array((size_t)s.n), s.y = fem_test_array((size_t)s.n);
  s.v = fem_test_array((size_t)s.n), s.z = fem_test_array((size_t)s.n);
  s.c = fem_test_array((size_t)s.n);
  s.pull = aligned_alloc(64, sup_fem_tension_size(s.body) * sizeof *s.pull);
  for (int i = 0; i < s.n; i += 3) { /* an arc that is pulled */
    double along = 1.1 * X[i] * pi / 4, r = 2 - X[i + 1];
    s.x[i] = r * sin(along), s.x[i + 1] = -r * cos(along), s.x[i + 2] = 1.05 * X[i + 2];
    s.c[i / 3] = 1.5 + 0.1 * test_uniform(&random);
  }
  for (int i = 0; i < s.n; i++) s.x[i] += 0.01 / n * test_uniform(&random);
  s.R = fem_test_rotations(s.body, s.x);
  store(&s, kind, h);
  for (int i = 0; i < s.n; i++) s.v[i] = test_uniform(&random);
  return s;
}

static void end(system_ *s) {
  sup_fem_body_destroy(&s->body);
  SUP_FREE(s->R), SUP_FREE(s->A), SUP_FREE(s->x), SUP_FREE(s->y), SUP_FREE(s->c);
  free(s->pull), SUP_FREE(s->v), SUP_FREE(s->z);
}

static double largest(const double *a, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

/** Each kind of matrix of H8 and T10, of consistent and lumped masses. */
static void for_all(void (*check)(system_ *)) {
  for (int kind = 0; kind < NUM_KINDS; kind++)
    for (int type = 0; type < 2; type++)
      for (int is_lumped = 0; is_lumped < 2; is_lumped++) {
        system_ s = begin(type ? 2 : 3, type ? SUP_CELL_T10 : SUP_CELL_H8, is_lumped, kind, 1e-2);
        CHECK(sup_fem_has_cell_stiffness(s.body));
        check(&s);
        end(&s);
      }
}

static void check_products(system_ *s) {
  sup_block_multiply(sup_fem_pattern(s->body), s->A, s->v, s->z);
  sup_fem_cells_multiply(&s->cells, s->v, s->y);
  double most = largest(s->z, s->n);
  for (int i = 0; i < s->n; i++) NEAR(s->y[i], s->z[i], 0, 1e-13 * most);
}

static void products_are_those_of_the_matrix(void) { for_all(check_products); }

static void check_diagonal(system_ *s) {
  const sup_block_pattern *P = sup_fem_pattern(s->body);
  double                  *block = fem_test_array(3 * (size_t)s->n);
  sup_fem_cells_diagonal(&s->cells, block);
  double most = largest(block, 3 * s->n);
  for (int v = 0; v < P->num_blocks; v++)
    for (int i = 0; i < 9; i++)
      NEAR(block[9 * v + i], s->A[sup_block_diagonal(P, v) + (size_t)i], 0, 1e-13 * most);
  SUP_FREE(block);
}

static void diagonal_blocks_are_those_of_the_matrix(void) { for_all(check_diagonal); }

typedef struct sum {
  const sup_block_pattern *P;
  double                  *values;
} sum;

static void add(void *user, int n, const int *block, const double *K) {
  sum *s = user;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      if (block[b] >= block[a]) continue;
      double *to =
          s->values + sup_block_value(s->P, sup_block_pattern_find(s->P, block[a], block[b]));
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[3 * j + i] += K[(3 * a + i) * 3 * n + 3 * b + j];
    }
}

static void check_cells(system_ *s) {
  const sup_block_pattern *P = sup_fem_pattern(s->body);
  size_t                   num = sup_block_pattern_num_values(P);
  sum                      all = {P, fem_test_array(num)};
  sup_fem_cells_visit(&s->cells, 1, add, &all);
  double most = largest(s->A, (int)num);
  for (int v = 0; v < P->num_blocks; v++)
    for (size_t i = sup_block_value(P, sup_block_column(P, v) + 1);
         i < sup_block_value(P, sup_block_column(P, v + 1)); i++)
      NEAR(all.values[i], s->A[i], 0, 1e-13 * most);
  SUP_FREE(all.values);
}

static void cells_add_up_to_the_matrix(void) { for_all(check_cells); }

/* ---- solutions ------------------------------------------------------------------------------- */

/** A clamped bar, on one side of which springs as stiff as contact tie vertices to their neighbours
 * in number; its matrix stored and not. */
typedef struct bar_problem {
  system_           of;
  sup_block_pattern alone;                    /* diagonal blocks and springs */
  double           *values, *known, *without; /* springs */
  unsigned char    *last, *held;
  int              *whose;
} bar_problem;

static int is_held(const system_ *s, int v) { return sup_fem_mesh(s->body)->x[3 * v] < 1e-9; }
static int is_touched(const system_ *s, int v) {
  return !is_held(s, v) && sup_fem_mesh(s->body)->x[3 * v + 2] > 1 - 1e-9;
}

/** The rest of what is coupled to nothing. */
static void clear_held(const bar_problem *p, double *x) {
  for (int i = 0; i < p->of.n; i++)
    if (p->held[i / 3]) x[i] = 0;
}

static void add_rest(const sup_block_rest *rest, const double *x, double *y) {
  const bar_problem *p = rest->self;
  double            *in = fem_test_array((size_t)p->of.n), *out = fem_test_array((size_t)p->of.n);
  memcpy(in, x, (size_t)p->of.n * sizeof *in);
  clear_held(p, in);
  sup_fem_cells_multiply(&p->of.cells, in, out);
  for (int i = 0; i < p->of.n; i++)
    for (int j = 0; j < 3; j++) out[i] -= p->known[9 * (i / 3) + 3 * j + i % 3] * in[i / 3 * 3 + j];
  clear_held(p, out);
  for (int i = 0; i < p->of.n; i++) y[i] += out[i];
  SUP_FREE(in), SUP_FREE(out);
}

typedef struct visit_free {
  const bar_problem  *p;
  sup_clique_visitor *visit;
  void               *user;
} visit_free;

static void pass_free(void *user, int n, const int *vertex, const double *K) {
  const visit_free *f = user;
  double            own[9 * SUP_CLIQUE_MOST * SUP_CLIQUE_MOST];
  for (int i = 0; i < 9 * n * n && K; i++)
    own[i] = f->p->held[vertex[i / (9 * n)]] || f->p->held[vertex[i % (3 * n) / 3]] ? 0 : K[i];
  f->visit(f->user, n, vertex, K ? own : NULL);
}

static void visit_rest(const sup_block_rest *rest, bool is_valued, sup_clique_visitor *visit,
                       void *user) {
  const bar_problem *p = rest->self;
  sup_fem_cells_visit(&p->of.cells, is_valued, pass_free, &(visit_free){p, visit, user});
}

/** Block of vertices a > b, in the matrix and in the part stored of the other. */
static void add_spring(bar_problem *p, int a, int b, double k) {
  const sup_block_pattern *P[2] = {sup_fem_pattern(p->of.body), &p->alone};
  double                  *values[2] = {p->of.A, p->values};
  for (int m = 0; m < 2; m++)
    for (int i = 0; i < 3; i++) {
      size_t at = (size_t)(4 * i);
      values[m][sup_block_diagonal(P[m], a) + at] += k;
      values[m][sup_block_diagonal(P[m], b) + at] += k;
      values[m][sup_block_value(P[m], sup_block_pattern_find(P[m], a, b)) + at] -= k;
    }
}

/** Rows and columns of held vertices of the stored matrix but for the diagonal blocks. */
static void clear_matrix(bar_problem *p) {
  const sup_block_pattern *P = sup_fem_pattern(p->of.body);
  for (int j = 0; j < P->num_blocks; j++)
    for (int e = sup_block_column(P, j) + 1; e < sup_block_column(P, j + 1); e++)
      if (p->held[j] || p->held[sup_block_row(P, e)])
        memset(p->of.A + sup_block_value(P, e), 0, 9 * sizeof(double));
}

static bar_problem begin_bar(int n, sup_cell_type type, int kind, double h, double stiffness) {
  bar_problem              p = {.of = begin(n, type, 0, kind, h)};
  const sup_block_pattern *P = sup_fem_pattern(p.of.body);
  int                      num = P->num_blocks, *size = NULL, *pair = NULL, before = SUP_NONE;
  size_t                   count = 0;
  OK(SUP_CALLOC(p.whose, num));
  OK(SUP_CALLOC(p.last, num));
  OK(SUP_CALLOC(p.held, num));
  OK(SUP_CALLOC(size, num));
  OK(SUP_CALLOC(pair, 2 * num));
  for (int v = 0; v < num; v++) {
    size[v] = 3, p.held[v] = is_held(&p.of, v) ? 7 : 0;
    if (!is_touched(&p.of, v)) continue;
    p.last[v] = 1;
    if (before != SUP_NONE && sup_block_pattern_find(P, v, before) != SUP_NONE)
      pair[2 * count] = v, pair[2 * count++ + 1] = before;
    before = v;
  }
  OK(sup_block_pattern_build(&p.alone, num, size, count, pair));
  p.values = fem_test_array(sup_block_pattern_num_values(&p.alone));
  p.known = fem_test_array(9 * (size_t)num);
  sup_fem_cells_diagonal(&p.of.cells, p.known);
  clear_matrix(&p);
  for (int v = 0; v < num; v++)
    memcpy(p.values + sup_block_diagonal(&p.alone, v), p.known + 9 * (size_t)v, 9 * sizeof(double));
  p.without = fem_test_array(sup_block_pattern_num_values(&p.alone));
  memcpy(p.without, p.values, sup_block_pattern_num_values(&p.alone) * sizeof *p.without);
  for (size_t k = 0; k < count; k++) add_spring(&p, pair[2 * k], pair[2 * k + 1], stiffness);
  SUP_FREE(size), SUP_FREE(pair);
  return p;
}

static void end_bar(bar_problem *p) {
  end(&p->of);
  sup_block_pattern_free(&p->alone);
  SUP_FREE(p->values), SUP_FREE(p->known), SUP_FREE(p->last), SUP_FREE(p->held);
  SUP_FREE(p->whose), SUP_FREE(p->without);
}

/** y := the solution to 1e-10 without the matrix, which had no springs at first, z: by its factor;
 * iterations. */
static int solve_bar(bar_problem *p, sup_backend backend) {
  const sup_block_pattern *P = sup_fem_pattern(p->of.body);
  sup_linear_solver       *direct = NULL, *solver = NULL;
  sup_linear_report        report = {0};
  const double             d = p->of.type == SUP_CELL_T10 ? 0.5 / p->of.m : 1. / p->of.m;
  const double             distance[] = {d, d, d}, *X = sup_fem_mesh(p->of.body)->x;
  sup_block_space          space = {p->of.x, p->whose, 1, p->held, X, distance};
  sup_block_rest           rest = {add_rest, visit_rest, p};
  sup_linear_operator      op = {&p->alone, p->without, &rest, &space, NULL};
  OK(sup_linear_solver_create(&solver, backend, NULL));
  OK(sup_linear_solver_analyse(solver, &p->alone, p->last));
  OK(sup_linear_solver_setup(solver, &op));
  memcpy(p->of.y, p->of.v, (size_t)p->of.n * sizeof *p->of.y);
  OK(sup_linear_solver_solve(solver, 1e-2, p->of.y, NULL));
  op.values = p->values; /* of which those of last block columns have changed */
  OK(sup_linear_solver_update(solver, &op));
  memcpy(p->of.y, p->of.v, (size_t)p->of.n * sizeof *p->of.y);
  OK(sup_linear_solver_solve(solver, 1e-10, p->of.y, &report));
  if (report.is_missed) printf("%s, residual %g ", report.reason, report.residual);
  CHECK(!report.is_missed && report.residual <= 1.1e-10);
  OK(sup_linear_solver_create(&direct, SUP_BACKEND_SUPERNODAL, NULL));
  OK(sup_linear_solver_analyse(direct, P, NULL));
  OK(sup_linear_solver_setup(direct, SUP_MATRIX(P, p->of.A)));
  memcpy(p->of.z, p->of.v, (size_t)p->of.n * sizeof *p->of.z);
  OK(sup_linear_solver_solve(direct, 0, p->of.z, NULL));
  sup_linear_solver_destroy(&solver), sup_linear_solver_destroy(&direct);
  return report.iterations;
}

/** Iterations of a bar that is stiff (a step h of 1 s) or heavy (10 ms). */
static int solve(int n, sup_cell_type type, int kind, double h, double stiffness,
                 sup_backend backend) {
  bar_problem p = begin_bar(n, type, kind, h, stiffness);
  int         iterations = solve_bar(&p, backend);
  double      most = largest(p.of.z, p.of.n);
  for (int i = 0; i < p.of.n; i++) NEAR(p.of.y[i], p.of.z[i], 0, 1e-6 * most);
  end_bar(&p);
  return iterations;
}

static void solutions_are_those_of_the_matrix(void) {
  NEED_PETSC;
  int coarse = solve(6, SUP_CELL_H8, FROZEN, 1, 0, SUP_BACKEND_PETSC),
      fine = solve(12, SUP_CELL_H8, FROZEN, 1, 0, SUP_BACKEND_PETSC),
      coarse10 = solve(3, SUP_CELL_T10, FROZEN, 1, 0, SUP_BACKEND_PETSC),
      fine10 = solve(6, SUP_CELL_T10, FROZEN, 1, 0, SUP_BACKEND_PETSC),
      heavy10 = solve(6, SUP_CELL_T10, FROZEN, 1e-2, 0, SUP_BACKEND_PETSC);
  printf("iterations of H8 %d, %d, of T10 %d, %d, heavy %d ... ", coarse, fine, coarse10, fine10,
         heavy10);
  CHECK(fine <= 1.5 * coarse && fine10 <= 1.5 * coarse10);
  CHECK(fine < 40 && fine10 < 50 && heavy10 < 50);
}

/** A chain that is five orders of magnitude stiffer than the bar takes some more iterations. */
static void contact_is_solved_exactly(void) {
  NEED_PETSC;
  int soft = solve(6, SUP_CELL_H8, FROZEN, 1, 0, SUP_BACKEND_PETSC),
      stiff = solve(6, SUP_CELL_H8, FROZEN, 1, 1e9, SUP_BACKEND_PETSC),
      stiff10 = solve(3, SUP_CELL_T10, STEP, 1e-2, 1e9, SUP_BACKEND_PETSC);
  printf("iterations %d, with contact %d, of T10 %d ... ", soft, stiff, stiff10);
  CHECK(soft < 20 && stiff < 40 && stiff10 < 50);
}

static void conjugate_gradients_need_no_matrix(void) {
  for (int kind = 0; kind < NUM_KINDS; kind++)
    for (int type = 0; type < 2; type++)
      solve(2, type ? SUP_CELL_T10 : SUP_CELL_H8, kind, 1e-2, type ? 0 : 10,
            SUP_BACKEND_CONJUGATE_GRADIENT);
}

SUITE_TESTS(cell_operator, TEST(products_are_those_of_the_matrix),
            TEST(diagonal_blocks_are_those_of_the_matrix), TEST(cells_add_up_to_the_matrix),
            TEST(solutions_are_those_of_the_matrix), TEST(contact_is_solved_exactly),
            TEST(conjugate_gradients_need_no_matrix));
