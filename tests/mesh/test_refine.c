#include <string.h>

#include "mesh/format/convert.h"
#include "mesh/generate/generate.h"
#include "mesh/refine.h"
#include "mesh/surface.h"
#include "solids.h"

/** A box whose vertices inside and outside were moved: no two cells alike. */
static sup_mesh *crooked(sup_mesh_pattern pattern) {
  const double size[3] = {.3, .2, .1};
  const int    n[3] = {3, 2, 2};
  test_random  random = {7};
  sup_mesh    *mesh;
  OK(sup_mesh_box(&mesh, size, n, pattern));
  for (int i = 0; i < 3 * mesh->num_vertices; i++) mesh->x[i] += .008 * test_uniform(&random);
  return mesh;
}

/** The boundary faces of the coarse mesh carry those of the fine one: same area, and every vertex
 * of it in a face. */
static void check_boundary(const sup_mesh *coarse, const sup_mesh *fine) {
  sup_surface *a, *b;
  int          open;
  OK(sup_surface_of_mesh(&a, coarse));
  OK(sup_surface_of_mesh(&b, fine));
  OK(sup_surface_open_edges(b, &open));
  CHECK(open == 0 && b->num_faces == 4 * a->num_faces);
  if (coarse->type == SUP_CELL_T4) {
    NEAR(sup_surface_area(b, fine->x, NULL), sup_surface_area(a, coarse->x, NULL), 1e-13, 0);
    for (int i = 0; i < b->num_faces * 3; i++) {
      double least = 1;
      sup_v3 p = sup_mesh_vertex(fine, b->face[i]);
      for (int t = 0; t < a->num_faces; t++) {
        sup_v3 x0 = sup_mesh_vertex(coarse, a->face[3 * t]);
        sup_v3 u = sup_v3_sub(sup_mesh_vertex(coarse, a->face[3 * t + 1]), x0);
        sup_v3 v = sup_v3_sub(sup_mesh_vertex(coarse, a->face[3 * t + 2]), x0),
               w = sup_v3_sub(p, x0);
        sup_v3 normal = sup_v3_cross(u, v);
        double nn = sup_v3_dot(normal, normal), beta = sup_v3_dot(sup_v3_cross(w, v), normal) / nn;
        double gamma = sup_v3_dot(sup_v3_cross(u, w), normal) / nn,
               off = fabs(sup_v3_dot(w, normal)) / sqrt(nn);
        if (beta > -1e-12 && gamma > -1e-12 && beta + gamma < 1 + 1e-12) least = fmin(least, off);
      }
      CHECK(least < 1e-15);
    }
  }
  sup_surface_destroy(&a);
  sup_surface_destroy(&b);
}

static void eight_cells_fill_each_and_fit_their_neighbours(void) {
  static const sup_mesh_pattern patterns[] = {SUP_PATTERN_KUHN, SUP_PATTERN_MIRROR,
                                              SUP_PATTERN_HEX};
  for (int p = 0; p < 3; p++) {
    sup_mesh *coarse = crooked(patterns[p]), *fine;
    OK(sup_mesh_refine(&fine, coarse));
    CHECK(fine->type == coarse->type && fine->num_cells == 8 * coarse->num_cells);
    for (int c = 0; c < coarse->num_cells; c++) {
      double sum = 0;
      for (int k = 0; k < 8; k++) {
        double volume = sup_mesh_cell_volume(fine, 8 * c + k);
        CHECK(volume > 0);
        sum += volume;
      }
      NEAR(sum, sup_mesh_cell_volume(coarse, c), 1e-13, 0);
    }
    check_boundary(coarse, fine); /* closed: no face inside lacks its neighbour */
    OK(sup_mesh_clean(fine, NULL));
    sup_mesh_destroy(&coarse);
    sup_mesh_destroy(&fine);
  }
}

static double worst_quality(const sup_mesh *mesh) {
  double worst = 1;
  for (int c = 0; c < mesh->num_cells; c++) worst = fmin(worst, sup_mesh_cell_quality(mesh, c));
  return worst;
}

/* With the shortest diagonal the pieces are of a few shapes: the worst of them does not get worse
 * from level to level.
 */
static void quality_does_not_decay(void) {
  sup_mesh *mesh = crooked(SUP_PATTERN_MIRROR);
  double    first, start = worst_quality(mesh);
  OK(sup_mesh_refine_levels(&mesh, 1));
  first = worst_quality(mesh);
  OK(sup_mesh_refine_levels(&mesh, 2));
  CHECK(mesh->num_cells == 512 * 72);
  CHECK(first > .5 * start && worst_quality(mesh) > .9 * first);
  sup_mesh_destroy(&mesh);
}

/* The cells of a box stay the cells of the finer box, a Kuhn cube the Kuhn cubes in it. */
static void boxes_stay_boxes(void) {
  static const sup_mesh_pattern patterns[] = {SUP_PATTERN_KUHN, SUP_PATTERN_HEX};
  const double                  size[3] = {.3, .2, .1};
  const int                     n[3] = {3, 2, 1}, twice[3] = {6, 4, 2};
  for (int p = 0; p < 2; p++) {
    sup_mesh *mesh, *direct;
    OK(sup_mesh_box(&mesh, size, n, patterns[p]));
    OK(sup_mesh_box(&direct, size, twice, patterns[p]));
    OK(sup_mesh_refine_levels(&mesh, 1));
    CHECK(mesh->num_vertices == direct->num_vertices && mesh->num_cells == direct->num_cells);
    NEAR(worst_quality(mesh), worst_quality(direct), 1e-12, 0);
    sup_mesh_destroy(&mesh);
    sup_mesh_destroy(&direct);
  }
}

static void quadratic_cells_stay_quadratic(void) {
  sup_mesh *linear = crooked(SUP_PATTERN_KUHN), *mesh;
  double    volume = sup_mesh_volume(linear);
  int       cells = linear->num_cells;
  OK(sup_mesh_to_t10(&mesh, linear));
  OK(sup_mesh_refine_levels(&mesh, 1));
  CHECK(mesh->type == SUP_CELL_T10 && mesh->num_cells == 8 * cells);
  NEAR(sup_mesh_volume(mesh), volume, 1e-13, 0);
  sup_mesh_destroy(&linear);
  sup_mesh_destroy(&mesh);
}

static void too_many_cells_are_refused(void) {
  sup_mesh *mesh = crooked(SUP_PATTERN_HEX), *fine, large = *mesh;
  large.num_cells = 5000000;
  FAILS(sup_mesh_refine(&fine, &large), SUP_E_ARG,
        "refining 5000000 cells 1 times gives 4e+07 cells");
  OK(sup_mesh_refine_levels(&mesh, 0));
  CHECK(mesh->num_cells == 12);
  sup_mesh_destroy(&mesh);
}

SUITE_TESTS(refine, TEST(eight_cells_fill_each_and_fit_their_neighbours),
            TEST(quality_does_not_decay), TEST(boxes_stay_boxes),
            TEST(quadratic_cells_stay_quadratic), TEST(too_many_cells_are_refused));
