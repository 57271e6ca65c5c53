#include "mesh/surface.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geom/shape.h"
#include "mesh/generate/generate.h"
#include "test.h"

/** Volume inside a closed surface, by the divergence theorem. */
static double enclosed_volume(const sup_surface *surface, const double *points) {
  double volume = 0;
  for (int t = 0; t < surface->num_triangles; t++) {
    sup_v3 a = sup_surface_corner(surface, points, t, 0),
           b = sup_surface_corner(surface, points, t, 1);
    volume += sup_v3_dot(a, sup_v3_cross(b, sup_surface_corner(surface, points, t, 2))) / 6;
  }
  return volume;
}

/** Closed, outward and of the given area and volume. */
static void check_closed(const sup_surface *surface, const double *points, double area,
                         double volume, double rtol) {
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
    for (int f = 1; f < surface->num_faces; f++)
      CHECK(surface->face_cell[f] >= surface->face_cell[f - 1]);
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
      const double *w = sup_surface_weights(surface, t) + corner * SUP_FACE_MAX_VERTICES;
      double        sum = 0;
      for (int a = 0; a < 4; a++) sum += fmax(w[a], 0);
      NEAR(sum, 1, 0, 0);
    }
  sup_v3 centre =
      sup_surface_corner(surface, mesh->x, 0, 2); /* of the first face, z = 0 of the first brick */
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

static double longest_face_edge(const sup_surface *surface, const double *points) {
  double longest = 0;
  int    n = surface->vertices_per_face;
  for (int e = 0; e < surface->num_faces * n; e++) {
    int a = surface->face[e], b = surface->face[e % n == n - 1 ? e - n + 1 : e + 1];
    longest = fmax(
        longest, sup_v3_norm(sup_v3_sub(sup_v3_load(points + 3 * a), sup_v3_load(points + 3 * b))));
  }
  return longest;
}

/** Check that the points lie on the shape, placed symmetrically, and that the surface is closed;
 * returns its area. */
static double check_shape(const sup_shape *shape, double resolution, double *volume) {
  sup_surface *surface;
  double      *points;
  OK(sup_surface_of_shape(&surface, &points, shape, resolution));
  sup_v3 gradient, sum = {0, 0, 0};
  double farthest = 0;
  for (int i = 0; i < surface->num_points; i++) {
    farthest = fmax(farthest, fabs(sup_shape_depth(shape, sup_v3_load(points + 3 * i), &gradient)));
    sum = sup_v3_add(sum, sup_v3_load(points + 3 * i));
  }
  NEAR(farthest, 0, 0, 1e-16);
  NEAR(sup_v3_norm(sum), 0, 0, 1e-13 * surface->num_points);
  /* the diagonal of a square; rows along a straight shell may be half as long again */
  int has_shell = shape->type == SUP_SHAPE_CYLINDER || shape->type == SUP_SHAPE_CAPSULE;
  CHECK(longest_face_edge(surface, points) <= (has_shell ? 1.8028 : 1.4143) * resolution);
  double area = sup_surface_area(surface, points, NULL);
  *volume = enclosed_volume(surface, points);
  check_closed(surface, points, area, *volume, 0);
  for (int f = 0; f < surface->num_faces; f++) CHECK(surface->face_cell[f] == SUP_NONE);
  sup_surface_destroy(&surface);
  SUP_FREE(points);
  return area;
}

static void surface_of_a_box_shape_is_exact(void) {
  const sup_shape box = {SUP_SHAPE_BOX, {0.03, 0.02, 0.05}};
  for (double resolution = 0.1; resolution > 0.003; resolution *= 0.5) {
    double volume, area = check_shape(&box, resolution, &volume);
    NEAR(area, 2 * (0.0006 + 0.001 + 0.0015), 1e-12, 0);
    NEAR(volume, 0.00003, 1e-12, 0);
  }
  sup_surface *surface;
  double      *points;
  OK(sup_surface_of_shape(&surface, &points, &box,
                          0.01)); /* round-off in 0.03 / 0.01 adds no quad */
  CHECK(surface->num_faces == 2 * (6 + 10 + 15) && surface->vertices_per_face == 4);
  CHECK(surface->num_points == 4 * 3 * 6 - 2 * 1 * 4); /* all grid points but the inner ones */
  sup_surface_destroy(&surface);
  SUP_FREE(points);
}

static void round_surfaces_converge_at_second_order(void) {
  const double    pi = acos(-1), r = 0.02, l = 0.05;
  const sup_shape shape[3] = {
      {SUP_SHAPE_CYLINDER, {r, l}}, {SUP_SHAPE_SPHERE, {r}}, {SUP_SHAPE_CAPSULE, {r, l}}};
  const double area[3] = {2 * pi * r * (r + l), 4 * pi * r * r, 4 * pi * r * r + 2 * pi * r * l};
  const double volume[3] = {pi * r * r * l, 4 * pi * r * r * r / 3,
                            4 * pi * r * r * r / 3 + pi * r * r * l};
  for (int i = 0; i < 3; i++) {
    double last_a = 0, last_v = 0;
    for (int level = 0; level < 4; level++) {
      double v, a = check_shape(shape + i, 0.006 / (1 << level), &v);
      double error_a = 1 - a / area[i], error_v = 1 - v / volume[i];
      CHECK(error_a > 0 && error_v > 0); /* inscribed */
      if (level > 1) CHECK(log2(last_a / error_a) > 1.7 && log2(last_v / error_v) > 1.7);
      last_a = error_a, last_v = error_v;
    }
    CHECK(last_v < 2e-3 && last_a < 2e-3);
  }
}

static void rim_of_a_cylinder_has_at_least_twelve_segments(void) {
  const sup_shape coarse = {SUP_SHAPE_CYLINDER, {0.02, 0.05}};
  sup_surface    *surface;
  double         *points;
  OK(sup_surface_of_shape(&surface, &points, &coarse, 10));
  CHECK(surface->num_points == 2 * (1 + 4 + 8 + 12) + 6 && surface->num_faces == 2 * 36 + 36);
  sup_surface_destroy(&surface);
  SUP_FREE(points);
}

/** Corners of a triangle of the surface, rounded to 1e-10 m: the first two, whichever comes first,
 * and the third, towards which contacts of a facet are drawn (sup_facet_make). */
typedef struct corners {
  long x[3][3];
} corners;

static int compare_rows(const void *a, const void *b) {
  const long *p = a, *q = b;
  for (int k = 0; k < 3; k++)
    if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
  return 0;
}

static int compare_corners(const void *a, const void *b) {
  const corners *p = a, *q = b;
  for (int c = 0; c < 3; c++) {
    int order = compare_rows(p->x[c], q->x[c]);
    if (order) return order;
  }
  return 0;
}

/** All triangles, mirrored across axis d (3: not at all). */
static corners *triangles_of(const sup_surface *surface, const double *points, int d) {
  corners *all = calloc((size_t)surface->num_triangles, sizeof *all);
  for (int t = 0; t < surface->num_triangles; t++) {
    for (int c = 0; c < 3; c++) {
      double x[3];
      sup_v3_store(x, sup_surface_corner(surface, points, t, c));
      for (int k = 0; k < 3; k++) all[t].x[c][k] = lround((k == d ? -1 : 1) * x[k] * 1e10);
    }
    qsort(all[t].x, 2, sizeof all[t].x[0], compare_rows);
  }
  qsort(all, (size_t)surface->num_triangles, sizeof *all, compare_corners);
  return all;
}

/** A mirrored scene has the forces of the scene itself mirrored, whatever the shape's facets. */
static void facets_of_shapes_are_their_own_mirror_images(void) {
  const sup_shape shape[] = {{SUP_SHAPE_BOX, {0.03, 0.02, 0.05}},
                             {SUP_SHAPE_SPHERE, {0.02}},
                             {SUP_SHAPE_CYLINDER, {0.02, 0.053}},
                             {SUP_SHAPE_CAPSULE, {0.017, 0.029}},
                             {SUP_SHAPE_ELLIPSOID, {0.02, 0.05, 0.013}}};
  for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
    for (double resolution = 0.1; resolution > 0.003; resolution *= 0.83) {
      sup_surface *surface;
      double      *points;
      OK(sup_surface_of_shape(&surface, &points, &shape[i], resolution));
      corners *own = triangles_of(surface, points, 3);
      for (int d = 0; d < 3; d++) {
        corners *mirrored = triangles_of(surface, points, d);
        CHECK(memcmp(own, mirrored, (size_t)surface->num_triangles * sizeof *own) == 0);
        free(mirrored);
      }
      free(own);
      sup_surface_destroy(&surface);
      SUP_FREE(points);
    }
}

static void shapes_without_a_surface_are_refused(void) {
  sup_surface    *surface;
  double         *points;
  const sup_shape plane = {SUP_SHAPE_HALF_SPACE, {0}}, ball = {SUP_SHAPE_SPHERE, {0.02}};
  const sup_shape inside_out = {SUP_SHAPE_BOX, {1, -2, 1}}, brick = {SUP_SHAPE_BOX, {1, 1, 1}};
  FAILS(sup_surface_of_shape(&surface, &points, &plane, 0.01), SUP_E_ARG, "half space");
  CHECK(surface == NULL && points == NULL);
  FAILS(sup_surface_of_shape(&surface, &points, &ball, 0), SUP_E_ARG,
        "resolution of a contact surface is 0 m");
  FAILS(sup_surface_of_shape(&surface, &points, &ball, 1e-9), SUP_E_ARG, "at most 4000000");
  FAILS(sup_surface_of_shape(&surface, &points, &brick, 1e-300), SUP_E_ARG, "at most 4000000");
  FAILS(sup_surface_of_shape(&surface, &points, &inside_out, 0.1), SUP_E_ARG, "size -2 m");
}

/** Every allocation on the way fails once: a status each time, nothing left behind (the sanitizer
 * looks). */
static void failed_allocations_leave_nothing(void) {
  const sup_shape  shape[2] = {{SUP_SHAPE_BOX, {1, 1, 1}}, {SUP_SHAPE_CAPSULE, {1, 1}}};
  const sup_finray f = sup_default_finray();
  int              failures = 0;
  for (int kind = 0; kind < 3; kind++)
    for (int k = 1, failed = 1; failed && k < 100; k++) {
      sup_mesh    *mesh = NULL;
      sup_surface *surface = NULL;
      double      *points = NULL;
      sup_memory_fail_at(k);
      sup_status status = kind < 2 ? sup_surface_of_shape(&surface, &points, shape + kind, 0.5)
                                   : sup_mesh_finray(&mesh, &f);
      if (kind == 2 && status == SUP_OK) status = sup_surface_of_mesh(&surface, mesh);
      failed = status != SUP_OK;
      failures += failed;
      CHECK(failed ? status == SUP_E_MEMORY && !surface && !points : surface != NULL);
      sup_memory_fail_at(0);
      sup_mesh_destroy(&mesh);
      sup_surface_destroy(&surface);
      SUP_FREE(points);
    }
  CHECK(failures > 20);
}

SUITE_TESTS(surface, TEST(boundary_of_a_box_is_its_surface), TEST(corners_are_convex_combinations),
            TEST(face_of_three_cells_is_refused), TEST(missing_face_leaves_open_edges),
            TEST(surface_of_a_box_shape_is_exact), TEST(round_surfaces_converge_at_second_order),
            TEST(rim_of_a_cylinder_has_at_least_twelve_segments),
            TEST(facets_of_shapes_are_their_own_mirror_images),
            TEST(shapes_without_a_surface_are_refused), TEST(failed_allocations_leave_nothing));
