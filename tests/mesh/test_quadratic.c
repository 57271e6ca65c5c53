/* Quadratic tetrahedra: shape functions, curved volumes, conversion, surfaces, files. */
#include "mesh/quadratic.h"

#include <string.h>

#include "base/memory.h"
#include "mesh/format/convert.h"
#include "mesh/format/vtk.h"
#include "mesh/generate/generate.h"
#include "mesh/surface.h"
#include "test.h"

static sup_mesh *box(int nx, int ny, int nz, int order) {
  sup_mesh    *t4, *t10;
  const double size[3] = {.3, .2, .1};
  const int    n[3] = {nx, ny, nz};
  OK(sup_mesh_box(&t4, size, n, SUP_PATTERN_MIRROR));
  if (order == 1) return t4;
  OK(sup_mesh_to_t10(&t10, t4));
  sup_mesh_destroy(&t4);
  return t10;
}

static void random_point(test_random *random, double L[4]) {
  double sum = 0;
  for (int i = 0; i < 4; i++) L[i] = 0.05 + fabs(test_uniform(random)), sum += L[i];
  for (int i = 0; i < 4; i++) L[i] /= sum;
}

/* With vertices at their own places quadratic functions are reproduced, and so are their
 * derivatives. */
static void shape_functions_reproduce_quadratic_functions(void) {
  test_random random = {1};
  sup_mesh   *mesh = box(1, 1, 1, 2);
  double      x[30], value[10];
  for (int a = 0; a < 10; a++) {
    sup_v3 p = sup_mesh_vertex(mesh, sup_mesh_cell(mesh, 0)[a]);
    sup_v3_store(x + 3 * a, p);
    value[a] = 1 + p.x - 2 * p.y + p.x * p.y - 3 * p.z * p.z + 2 * p.x * p.x;
  }
  for (int trial = 0; trial < 20; trial++) {
    double L[4], N[10], sum = 0;
    sup_v3 dN[10], p = {0, 0, 0}, slope = {0, 0, 0};
    sup_m3 J[SUP_T10_POINTS];
    random_point(&random, L);
    sup_t10_shape(L, N);
    sup_t10_gradient(L, dN);
    sup_t10_jacobians(x, J);
    for (int a = 0; a < 10; a++) {
      p = sup_v3_madd(p, N[a], sup_v3_load(x + 3 * a));
      sum += N[a] * value[a];
      slope = sup_v3_madd(slope, value[a], dN[a]);
    }
    slope = sup_m3_apply_t(sup_m3_inverse(sup_t10_jacobian(J, L)), slope);
    NEAR(sum, 1 + p.x - 2 * p.y + p.x * p.y - 3 * p.z * p.z + 2 * p.x * p.x, 1e-14, 0);
    NEAR(slope.x, 1 + p.y + 4 * p.x, 1e-12, 0);
    NEAR(slope.y, -2 + p.x, 1e-12, 0);
    NEAR(slope.z, -6 * p.z, 0, 1e-12);
  }
  sup_mesh_destroy(&mesh);
}

/* dx/dxi by its definition, on a curved cell. */
static void jacobians_are_sums_over_the_vertices(void) {
  test_random random = {2};
  double      x[30], L[4];
  sup_m3      J[SUP_T10_POINTS];
  for (int i = 0; i < 30; i++) x[i] = 10 + test_uniform(&random);
  sup_t10_jacobians(x, J);
  for (int q = 0; q < SUP_T10_POINTS + 10; q++) {
    sup_v3 dN[10];
    sup_m3 sum = sup_m3_zero(), found;
    if (q < SUP_T10_POINTS)
      memcpy(L, sup_t10_point[q], sizeof L), found = J[q];
    else
      random_point(&random, L), found = sup_t10_jacobian(J, L);
    sup_t10_gradient(L, dN);
    for (int a = 0; a < 10; a++) sum = sup_m3_add(sum, sup_m3_outer(sup_v3_load(x + 3 * a), dN[a]));
    for (int k = 0; k < 9; k++) NEAR(found.m[k / 3][k % 3], sum.m[k / 3][k % 3], 0, 1e-13);
  }
}

/* The map x -> x + c (quadratic in x) is one of quadratic cells: det of its gradient integrated
 * over the box. */
static void volume_of_curved_cells_is_exact(void) {
  sup_mesh    *mesh = box(2, 2, 1, 2);
  const double a = .3, b = .2, c = .1;
  for (int i = 0; i < mesh->num_vertices; i++) {
    double *x = mesh->x + 3 * i, y[3] = {x[0], x[1], x[2]};
    x[0] += 2 * y[0] * y[0], x[1] += y[0] * y[1],
        x[2] += 3 * y[2] * y[2]; /* det (1 + 4x) (1 + x) (1 + 6z) */
  }
  double exact = (a + 2.5 * a * a + 4 * a * a * a / 3) * b * (c + 3 * c * c);
  NEAR(sup_mesh_volume(mesh), exact, 1e-13, 0);
  for (int k = 0; k < mesh->num_cells; k++) CHECK(sup_mesh_cell_quality(mesh, k) > 0);
  sup_mesh_destroy(&mesh);
}

static void conversion_there_and_back_keeps_body_and_surface(void) {
  sup_mesh    *t4 = box(3, 2, 1, 1), *t10, *parts, *copy;
  sup_surface *surface;
  sup_v3       sum;
  int          open;
  OK(sup_mesh_to_t10(&t10, t4));
  CHECK(t10->type == SUP_CELL_T10 && t10->num_cells == t4->num_cells);
  CHECK(memcmp(t10->x, t4->x, 3 * (size_t)t4->num_vertices * sizeof *t4->x) == 0);
  for (int c = 0; c < t4->num_cells; c++) {
    NEAR(sup_mesh_cell_volume(t10, c), sup_mesh_cell_volume(t4, c), 1e-14, 0);
    NEAR(sup_mesh_cell_quality(t10, c), sup_mesh_cell_quality(t4, c), 1e-12, 0);
  }
  OK(sup_mesh_to_t4(&parts, t10));
  CHECK(parts->num_cells == 8 * t4->num_cells && parts->num_vertices == t10->num_vertices);
  for (int c = 0; c < parts->num_cells; c++)
    NEAR(sup_mesh_cell_volume(parts, c), sup_mesh_cell_volume(t4, c / 8) / 8, 1e-13, 0);
  OK(sup_surface_of_mesh(&surface, t10));
  OK(sup_surface_open_edges(surface, &open));
  CHECK(open == 0 && surface->vertices_per_face == 3 && surface->num_faces == 4 * 2 * 22);
  NEAR(sup_surface_area(surface, t10->x, &sum), .22, 1e-13, 0);
  NEAR(sup_v3_norm(sum), 0, 0, 1e-15);
  NEAR(sup_surface_volume(surface, t10->x), .006, 1e-13, 0);
  for (int f = 0; f < surface->num_faces;
       f += 4) /* the corners' triangles, then the middle one: one area, one cell */
    for (int k = 1; k < 4; k++) CHECK(surface->face_cell[f + k] == surface->face_cell[f]);
  sup_surface_destroy(&surface);
  OK(sup_mesh_to_t10(&copy, t10));
  CHECK(copy->num_vertices == t10->num_vertices);
  sup_mesh_destroy(&copy), sup_mesh_destroy(&t4), sup_mesh_destroy(&t10), sup_mesh_destroy(&parts);
  const double size[3] = {1, 1, 1};
  const int    n[3] = {1, 1, 1};
  OK(sup_mesh_box(&t4, size, n, SUP_PATTERN_HEX));
  FAILS(sup_mesh_to_t10(&t10, t4), SUP_E_ARG, "only T4 cells can be made quadratic");
  sup_mesh_destroy(&t4);
}

/* The parts fill the cell and are positive, whatever diagonal is the shortest. */
static void a_cell_is_the_sum_of_its_parts(void) {
  test_random random = {3};
  int         diagonals[3] = {0, 0, 0};
  for (int trial = 0; trial < 100; trial++) {
    sup_mesh *mesh = box(1, 1, 1, 2), *parts;
    sup_m3    A;
    for (int k = 0; k < 9; k++) A.m[k / 3][k % 3] = test_uniform(&random) + (k % 4 == 0 ? 1.5 : 0);
    for (int i = 0; i < mesh->num_vertices; i++)
      sup_v3_store(mesh->x + 3 * i, sup_m3_apply(A, sup_mesh_vertex(mesh, i)));
    OK(sup_mesh_clean(mesh, NULL));
    OK(sup_mesh_to_t4(&parts, mesh));
    for (int c = 0; c < parts->num_cells; c++)
      NEAR(sup_mesh_cell_volume(parts, c), sup_mesh_cell_volume(mesh, c / 8) / 8, 1e-11, 0);
    double x[30];
    int    tet[8][4];
    for (int a = 0; a < 10; a++)
      sup_v3_store(x + 3 * a, sup_mesh_vertex(mesh, sup_mesh_cell(mesh, 0)[a]));
    sup_t10_cut(x, tet);
    diagonals[tet[4][0] == 6 ? 0 : tet[4][0] == 4 ? 1 : 2]++;
    sup_mesh_destroy(&mesh), sup_mesh_destroy(&parts);
  }
  CHECK(diagonals[0] > 5 && diagonals[1] > 5 && diagonals[2] > 5);
}

static void inverted_and_folded_cells_are_found(void) {
  sup_mesh       *mesh = box(1, 1, 1, 2), *turned;
  sup_mesh_repair repair;
  OK(sup_mesh_copy(&turned, mesh));
  for (int i = 0; i < mesh->num_vertices; i++) turned->x[3 * i] *= -1;
  OK(sup_mesh_clean(turned, &repair));
  CHECK(repair.cells_reoriented == mesh->num_cells);
  NEAR(sup_mesh_volume(turned), .006, 1e-13, 0);
  for (int c = 0; c < mesh->num_cells; c++)
    NEAR(sup_mesh_cell_quality(turned, c), sup_mesh_cell_quality(mesh, c), 1e-12, 0);
  sup_mesh_destroy(&turned);
  int *cell = mesh->cell, keep = cell[8]; /* the order of some other programs */
  cell[8] = cell[9], cell[9] = keep;
  CHECK(sup_mesh_cell_quality(mesh, 0) < 0);
  FAILS(sup_mesh_clean(mesh, NULL), SUP_E_GEOMETRY, "cell 0 (T10");
  sup_mesh_destroy(&mesh);
}

static void neighbours_must_share_the_vertices_on_their_edges(void) {
  sup_mesh    *mesh = box(1, 1, 1, 2), *torn;
  sup_surface *surface;
  OK(sup_mesh_create(&torn, SUP_CELL_T10, mesh->num_vertices + 1, mesh->num_cells));
  memcpy(torn->x, mesh->x, 3 * (size_t)mesh->num_vertices * sizeof *mesh->x);
  memcpy(torn->cell, mesh->cell, 10 * (size_t)mesh->num_cells * sizeof *mesh->cell);
  for (int a = 4; a < 10; a++) { /* a vertex of its own for an edge of cell 0 that others share */
    int shared = 0;
    for (int k = 10; k < 10 * mesh->num_cells; k++) shared += mesh->cell[k] == mesh->cell[a];
    if (!shared) continue;
    sup_v3_store(torn->x + 3 * mesh->num_vertices, sup_mesh_vertex(mesh, mesh->cell[a]));
    torn->cell[a] = mesh->num_vertices;
    break;
  }
  FAILS(sup_surface_of_mesh(&surface, torn), SUP_E_GEOMETRY, "but not the vertices on its edges");
  sup_mesh_destroy(&mesh), sup_mesh_destroy(&torn);
}

static void files_keep_every_bit(void) {
  for (int binary = 0; binary < 2; binary++) {
    sup_mesh       *mesh = box(2, 1, 1, 2), *back;
    sup_mesh_report report;
    char            path[256];
    snprintf(path, sizeof path, "%s/t10.vtk", test_folder());
    for (int v = 0; v < 3 * mesh->num_vertices; v++) mesh->x[v] = mesh->x[v] / 3 + 1e-17;
    OK(sup_vtk_write_mesh(mesh, path, binary));
    OK(sup_mesh_read(&back, path, &report));
    CHECK(back->type == SUP_CELL_T10 && back->num_cells == mesh->num_cells &&
          report.repair.cells_reoriented == 0);
    CHECK(memcmp(back->x, mesh->x, 3 * (size_t)mesh->num_vertices * sizeof *mesh->x) == 0);
    CHECK(memcmp(back->cell, mesh->cell, 10 * (size_t)mesh->num_cells * sizeof *mesh->cell) == 0);
    sup_mesh_destroy(&mesh), sup_mesh_destroy(&back);
  }
}

SUITE_TESTS(quadratic, TEST(shape_functions_reproduce_quadratic_functions),
            TEST(jacobians_are_sums_over_the_vertices), TEST(volume_of_curved_cells_is_exact),
            TEST(conversion_there_and_back_keeps_body_and_surface),
            TEST(a_cell_is_the_sum_of_its_parts), TEST(inverted_and_folded_cells_are_found),
            TEST(neighbours_must_share_the_vertices_on_their_edges), TEST(files_keep_every_bit));
