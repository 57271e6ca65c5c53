/* Boxes between eight corners and parts of rings. */
#include "base/memory.h"
#include "mesh/generate/generate.h"
#include "test.h"

static const sup_mesh_pattern pattern[] = {SUP_PATTERN_HEX, SUP_PATTERN_KUHN, SUP_PATTERN_MIRROR};

static void corners_of_a_box_give_the_box(void) {
  static const double corner[24] = {0, 0, 0, 2, 0, 0, 2, 3, 0, 0, 3, 0,
                                    0, 0, 4, 2, 0, 4, 2, 3, 4, 0, 3, 4};
  static const double size[3] = {2, 3, 4};
  static const int    n[3] = {2, 3, 2};
  for (int k = 0; k < 3; k++) {
    sup_mesh *a, *b;
    OK(sup_mesh_between_corners(&a, corner, n, pattern[k]));
    OK(sup_mesh_box(&b, size, n, pattern[k]));
    CHECK(a->num_vertices == b->num_vertices && a->num_cells == b->num_cells);
    for (int i = 0; i < 3 * a->num_vertices; i++) NEAR(a->x[i], b->x[i], 0, 1e-15);
    for (int i = 0; i < a->num_cells * sup_cell_num_vertices(a->type); i++)
      CHECK(a->cell[i] == b->cell[i]);
    sup_mesh_destroy(&a);
    sup_mesh_destroy(&b);
  }
}

static void a_tapered_box_has_its_volume(void) {
  static const double cook[24] = {0, 0, 0, 48, 44, 0, 48, 60, 0, 0, 44, 0,
                                  0, 0, 1, 48, 44, 1, 48, 60, 1, 0, 44, 1};
  static const int    n[3] = {4, 4, 1};
  for (int k = 0; k < 3; k++) {
    sup_mesh *mesh;
    OK(sup_mesh_between_corners(&mesh, cook, n, pattern[k]));
    NEAR(sup_mesh_volume(mesh), 48 * (44 + 16) / 2., 1e-13, 0);
    sup_mesh_destroy(&mesh);
  }
}

static void a_ring_converges_to_its_volume(void) {
  const sup_ring ring = {.inner_radius = 1, .outer_radius = 2, .length = .5, .angle = 1.5};
  for (int k = 0; k < 3; k++)
    for (int m = 4; m <= 16; m *= 4) {
      sup_mesh *mesh;
      int       n[3] = {2, m, 1};
      OK(sup_mesh_ring(&mesh, &ring, n, pattern[k]));
      NEAR(sup_mesh_volume(mesh), .5 * .5 * 3 * m * sin(1.5 / m), 1e-12,
           0); /* inscribed triangles */
      NEAR(mesh->x[3 * (mesh->num_vertices - 1)], 2 * cos(1.5), 0, 1e-15);
      sup_mesh_destroy(&mesh);
    }
}

SUITE_TESTS(mapped, TEST(corners_of_a_box_give_the_box), TEST(a_tapered_box_has_its_volume),
            TEST(a_ring_converges_to_its_volume));
