#include "mesh/mesh.h"

#include "base/memory.h"
#include "mesh/generate/generate.h"
#include "test.h"

static const double unit_cube[3] = {1, 1, 1};

/** One cell of the reference shape, mapped by x -> A x + b. */
static sup_mesh *one_cell(sup_cell_type type, sup_m3 A, sup_v3 b) {
  static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  static const int    tet_corner[4] = {0, 1, 3, 4};
  sup_mesh           *mesh;
  int                 n = sup_cell_num_vertices(type);
  OK(sup_mesh_create(&mesh, type, n, 1));
  for (int a = 0; a < n; a++) {
    const double *r = corner[type == SUP_CELL_T4 ? tet_corner[a] : a];
    sup_v3_store(mesh->x + 3 * a, sup_v3_add(b, sup_m3_apply(A, sup_v3_load(r))));
    mesh->cell[a] = a;
  }
  return mesh;
}

static sup_m3 random_matrix(test_random *random) {
  sup_m3 A;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A.m[i][j] = test_uniform(random) + (i == j ? 2 : 0);
  return A;
}

static void volume_follows_the_determinant_of_an_affine_map(void) {
  test_random random = {1};
  for (int trial = 0; trial < 50; trial++) {
    sup_m3    A = random_matrix(&random);
    sup_v3    b = {100 * test_uniform(&random), test_uniform(&random), test_uniform(&random)};
    sup_mesh *tet = one_cell(SUP_CELL_T4, A, b), *hex = one_cell(SUP_CELL_H8, A, b);
    NEAR(sup_mesh_cell_volume(tet, 0), sup_m3_det(&A) / 6, 1e-12, 0);
    NEAR(sup_mesh_cell_volume(hex, 0), sup_m3_det(&A), 1e-12, 0);
    sup_mesh_destroy(&tet);
    sup_mesh_destroy(&hex);
  }
}

/** Volume of a trilinear hexahedron by the divergence theorem: sum over its bilinear faces, each
 * integrated exactly. */
static double hex_volume_by_faces(const sup_mesh *mesh) {
  static const int face[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                 {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  const double     g = 0.5 / sqrt(3);
  double           volume = 0;
  for (int f = 0; f < 6; f++)
    for (int q = 0; q < 4; q++) {
      double s = 0.5 + (q % 2 ? g : -g), t = 0.5 + (q / 2 ? g : -g);
      sup_v3 x[4];
      for (int a = 0; a < 4; a++) x[a] = sup_mesh_vertex(mesh, mesh->cell[face[f][a]]);
      sup_v3 ds =
          sup_v3_madd(sup_v3_scale(1 - t, sup_v3_sub(x[1], x[0])), t, sup_v3_sub(x[2], x[3]));
      sup_v3 dt =
          sup_v3_madd(sup_v3_scale(1 - s, sup_v3_sub(x[3], x[0])), s, sup_v3_sub(x[2], x[1]));
      sup_v3 p = sup_v3_madd(sup_v3_scale((1 - s) * (1 - t), x[0]), s * (1 - t), x[1]);
      p = sup_v3_madd(sup_v3_madd(p, s * t, x[2]), (1 - s) * t, x[3]);
      volume += sup_v3_dot(p, sup_v3_cross(ds, dt)) / 3 / 4;
    }
  return volume;
}

static void volume_of_a_trilinear_hexahedron_is_exact(void) {
  test_random random = {2};
  for (int trial = 0; trial < 50; trial++) {
    sup_mesh *hex = one_cell(SUP_CELL_H8, sup_m3_identity(), sup_v3_make(0, 0, 0));
    for (int i = 0; i < 24; i++) hex->x[i] += 0.3 * test_uniform(&random);
    NEAR(sup_mesh_cell_volume(hex, 0), hex_volume_by_faces(hex), 1e-13, 0);
    sup_mesh_destroy(&hex);
  }
}

static void quality_is_one_for_the_best_cell_and_falls_to_zero(void) {
  sup_mesh *tet = one_cell(SUP_CELL_T4, sup_m3_identity(), sup_v3_make(0, 0, 0));
  /* four corners of a cube that are no neighbours make the regular tetrahedron */
  const double regular[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
  for (int i = 0; i < 12; i++) tet->x[i] = regular[i];
  NEAR(fabs(sup_mesh_cell_quality(tet, 0)), 1, 1e-14, 0);
  CHECK(sup_mesh_cell_quality(tet, 0) * sup_mesh_cell_volume(tet, 0) > 0);
  sup_m3 flat = sup_m3_identity(), mirror = sup_m3_identity();
  flat.m[2][2] = 1e-3, mirror.m[0][0] = -1;
  sup_mesh *thin = one_cell(SUP_CELL_T4, flat, sup_v3_make(0, 0, 0));
  sup_mesh *hex = one_cell(SUP_CELL_H8, flat, sup_v3_make(0, 0, 0)),
           *inverted = one_cell(SUP_CELL_H8, mirror, sup_v3_make(0, 0, 0));
  CHECK(sup_mesh_cell_quality(thin, 0) > 0 && sup_mesh_cell_quality(thin, 0) < 0.05);
  NEAR(sup_mesh_cell_quality(hex, 0), 1, 1e-14, 0); /* a brick has right angles however flat */
  NEAR(sup_mesh_cell_quality(inverted, 0), -1, 1e-14, 0);
  sup_mesh_destroy(&tet);
  sup_mesh_destroy(&thin);
  sup_mesh_destroy(&hex);
  sup_mesh_destroy(&inverted);
}

static void clean_turns_inverted_cells(void) {
  const int n[3] = {3, 2, 2};
  for (int pattern = SUP_PATTERN_HEX; pattern <= SUP_PATTERN_MIRROR; pattern++) {
    sup_mesh       *mesh;
    sup_mesh_repair repair;
    OK(sup_mesh_box(&mesh, unit_cube, n, (sup_mesh_pattern)pattern));
    int per_cell = sup_cell_num_vertices(mesh->type), expected = 0;
    for (int c = 0; c < mesh->num_cells; c += 3, expected++) {
      int *cell = mesh->cell + c * per_cell, keep[8];
      for (int a = 0; a < per_cell; a++) keep[a] = cell[a];
      if (mesh->type == SUP_CELL_T4)
        cell[2] = keep[3], cell[3] = keep[2];
      else
        for (int a = 0; a < 8; a++) cell[a] = keep[(a + 4) % 8];
      CHECK(sup_mesh_cell_volume(mesh, c) < 0);
    }
    OK(sup_mesh_clean(mesh, &repair));
    CHECK(repair.cells_reoriented == expected && repair.vertices_removed == 0);
    for (int c = 0; c < mesh->num_cells; c++)
      CHECK(sup_mesh_cell_volume(mesh, c) > 0 && sup_mesh_cell_quality(mesh, c) > 0);
    NEAR(sup_mesh_volume(mesh), 1, 1e-14, 0);
    sup_mesh_destroy(&mesh);
  }
}

static void clean_drops_unused_vertices_and_keeps_the_shape(void) {
  const int       n[3] = {2, 2, 2};
  sup_mesh       *box, *mesh;
  sup_mesh_repair repair;
  OK(sup_mesh_box(&box, unit_cube, n, SUP_PATTERN_KUHN));
  int last = 0; /* keep the first half of the cells */
  OK(sup_mesh_create(&mesh, SUP_CELL_T4, box->num_vertices, box->num_cells / 2));
  for (int i = 0; i < 3 * box->num_vertices; i++) mesh->x[i] = box->x[i];
  for (int i = 0; i < 4 * mesh->num_cells; i++)
    mesh->cell[i] = box->cell[i], last = box->cell[i] > last ? box->cell[i] : last;
  OK(sup_mesh_clean(mesh, &repair));
  CHECK(repair.vertices_removed == 27 - 18 &&
        mesh->num_vertices == 18); /* the half x <= 1/2 has 2 x 3 x 3 vertices */
  sup_v3 lower, upper;
  sup_mesh_bounds(mesh, &lower, &upper);
  NEAR(upper.x, 0.5, 0, 0), NEAR(upper.y, 1, 0, 0), NEAR(lower.z, 0, 0, 0);
  NEAR(sup_mesh_volume(mesh), 0.5, 1e-14, 0);
  sup_mesh_destroy(&box);
  sup_mesh_destroy(&mesh);
}

static void clean_names_the_bad_cell(void) {
  const int n[3] = {2, 1, 1};
  sup_mesh *good, *mesh;
  OK(sup_mesh_box(&good, unit_cube, n, SUP_PATTERN_KUHN));
#define BROKEN(change, text)                                 \
  do {                                                       \
    OK(sup_mesh_copy(&mesh, good));                          \
    change;                                                  \
    FAILS(sup_mesh_clean(mesh, NULL), SUP_E_GEOMETRY, text); \
    sup_mesh_destroy(&mesh);                                 \
  } while (0)
  BROKEN(mesh->cell[4 * 5 + 1] = 12, "cell 5 refers to vertex 12; the mesh has 12 vertices");
  BROKEN(mesh->cell[4 * 5 + 3] = -1, "cell 5 refers to vertex -1");
  BROKEN(mesh->cell[4 * 7] = mesh->cell[4 * 7 + 2], "cell 7 has vertex ");
  BROKEN(mesh->x[5] = (double)NAN, "vertex 1 has the position (0, 0, nan)");
  BROKEN(mesh->x[5] = (double)INFINITY, "expected finite numbers");
  BROKEN(for (int i = 0; i < 12; i++) mesh->x[3 * i + 1] = 0, "cell 0 (T4) has volume 0 m^3");
  BROKEN(for (int i = 0; i < 36; i++) mesh->x[i] *= 1e200, "cell 0 (T4) has volume ");
  sup_mesh_destroy(&good);
}

static void folded_hexahedron_is_refused(void) {
  sup_mesh *hex = one_cell(SUP_CELL_H8, sup_m3_identity(), sup_v3_make(0, 0, 0));
  sup_v3_store(hex->x + 18,
               sup_v3_make(0.3, 0.3, 0.3)); /* beyond the plane of its three neighbours */
  CHECK(sup_mesh_cell_volume(hex, 0) > 0);
  FAILS(sup_mesh_clean(hex, NULL), SUP_E_GEOMETRY, "cell 0 (H8, volume ");
  FAILS(sup_mesh_clean(hex, NULL), SUP_E_GEOMETRY, "at its vertex 6");
  sup_mesh_destroy(&hex);
  hex = one_cell(SUP_CELL_H8, sup_m3_identity(),
                 sup_v3_make(0, 0, 0)); /* voxel order instead of VTK's hexahedron */
  hex->cell[2] = 3, hex->cell[3] = 2, hex->cell[6] = 7, hex->cell[7] = 6;
  FAILS(sup_mesh_clean(hex, NULL), SUP_E_GEOMETRY, "cell 0 (H8");
  sup_mesh_destroy(&hex);
}

static void failed_allocation_leaves_nothing(void) {
  sup_mesh *mesh;
  for (int k = 1; k <= 3; k++) {
    sup_memory_fail_at(k);
    FAILS(sup_mesh_create(&mesh, SUP_CELL_T4, 4, 1), SUP_E_MEMORY, "out of memory");
    CHECK(mesh == NULL);
  }
  sup_memory_fail_at(0);
  FAILS(sup_mesh_create(&mesh, SUP_CELL_H8, 4, INT32_MAX / 2), SUP_E_ARG, "cells");
  FAILS(sup_mesh_create(&mesh, SUP_CELL_H8, -1, 1), SUP_E_ARG, "vertices");
}

SUITE_TESTS(mesh, TEST(volume_follows_the_determinant_of_an_affine_map),
            TEST(volume_of_a_trilinear_hexahedron_is_exact),
            TEST(quality_is_one_for_the_best_cell_and_falls_to_zero),
            TEST(clean_turns_inverted_cells), TEST(clean_drops_unused_vertices_and_keeps_the_shape),
            TEST(clean_names_the_bad_cell), TEST(folded_hexahedron_is_refused),
            TEST(failed_allocation_leaves_nothing));
