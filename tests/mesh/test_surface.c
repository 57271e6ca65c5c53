#include "mesh/surface.h"

#include "mesh/generate.h"
#include "test.h"

/** Volume inside a closed surface, by the divergence theorem. */
static double enclosed_volume(const sup_surface *surface, const double *points) {
  double volume = 0;
  for (int t = 0; t < surface->num_triangles; t++) {
    sup_v3 a = sup_surface_corner(surface, points, t, 0), b = sup_surface_corner(surface, points, t, 1);
    volume += sup_v3_dot(a, sup_v3_cross(b, sup_surface_corner(surface, points, t, 2))) / 6;
  }
  return volume;
}

/** Closed, outward and of the given area and volume. */
static void check_closed(const sup_surface *surface, const double *points, double area, double volume, double rtol) {
  sup_v3 sum;
  int    open_edges;
  NEAR(sup_surface_area(surface, points, &sum), area, rtol, 0);
  NEAR(sup_v3_norm(sum), 0, 0, 1e-13 * area);
  NEAR(enclosed_volume(surface, points), volume, rtol, 0);
  OK(sup_surface_open_edges(surface, &open_edges));
  CHECK(open_edges == 0);
}

static void boundary_of_a_box_is_its_surface(void) {
  const double size[3] = {0.3, 0.2, 0.5};
  const int    n[3] = {3, 4, 5};
  for (int pattern = SUP_PATTERN_HEX; pattern <= SUP_PATTERN_MIRROR; pattern++) {
    sup_mesh    *mesh;
    sup_surface *surface;
    OK(sup_mesh_box(&mesh, size, n, (sup_mesh_pattern)pattern));
    OK(sup_surface_of_mesh(&surface, mesh));
    /* the area is exact only when neighbouring bricks agree on the diagonal of their common face */
    check_closed(surface, mesh->x, 2 * (0.06 + 0.15 + 0.1), 0.03, 1e-13);
    int quads = 2 * (3 * 4 + 4 * 5 + 5 * 3);
    CHECK(surface->num_faces == (pattern == SUP_PATTERN_HEX ? quads : 2 * quads));
    CHECK(surface->num_triangles == (pattern == SUP_PATTERN_HEX ? 4 * quads : 2 * quads));
    for (int f = 1; f < surface->num_faces; f++) CHECK(surface->face_cell[f] >= surface->face_cell[f - 1]);
    sup_surface_destroy(&surface);
    sup_mesh_destroy(&mesh);
  }
}

static void corners_are_convex_combinations(void) {
  const double size[3] = {1, 1, 1};
  const int    n[3] = {2, 1, 1};
  sup_mesh    *mesh;
  sup_surface *surface;
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_HEX));
  OK(sup_surface_of_mesh(&surface, mesh));
  for (int t = 0; t < surface->num_triangles; t++)
    for (int corner = 0; corner < 3; corner++) {
      const double *w = surface->weight + (3 * t + corner) * SUP_FACE_MAX_VERTICES;
      double        sum = 0;
      for (int a = 0; a < 4; a++) sum += fmax(w[a], 0);
      NEAR(sum, 1, 0, 0);
    }
  sup_v3 centre = sup_surface_corner(surface, mesh->x, 0, 2); /* of the first face, z = 0 of the first brick */
  NEAR(centre.x, 0.25, 1e-15, 0), NEAR(centre.y, 0.5, 1e-15, 0), NEAR(centre.z, 0, 0, 0);
  sup_surface_destroy(&surface);
  sup_mesh_destroy(&mesh);
}

static void face_of_three_cells_is_refused(void) {
  sup_mesh    *mesh;
  sup_surface *surface;
  const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2, 0, 0, -1};
  const int    cell[12] = {0, 1, 2, 3, 0, 1, 2, 4, 0, 2, 1, 5};
  OK(sup_mesh_create(&mesh, SUP_CELL_T4, 6, 3));
  for (int i = 0; i < 18; i++) mesh->x[i] = x[i];
  for (int i = 0; i < 12; i++) mesh->cell[i] = cell[i];
  FAILS(sup_surface_of_mesh(&surface, mesh), SUP_E_GEOMETRY, "cells 0, 1 and 2 share one face");
  CHECK(surface == NULL);
  sup_mesh_destroy(&mesh);
}

static void missing_face_leaves_open_edges(void) {
  const double size[3] = {1, 1, 1};
  const int    n[3] = {1, 1, 1};
  sup_mesh    *mesh;
  sup_surface *surface;
  int          open_edges;
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_HEX));
  OK(sup_surface_of_mesh(&surface, mesh));
  surface->num_faces--;
  OK(sup_surface_open_edges(surface, &open_edges));
  CHECK(open_edges == 4);
  sup_surface_destroy(&surface);
  sup_mesh_destroy(&mesh);
}

SUITE_TESTS(surface, TEST(boundary_of_a_box_is_its_surface), TEST(corners_are_convex_combinations),
            TEST(face_of_three_cells_is_refused), TEST(missing_face_leaves_open_edges));
