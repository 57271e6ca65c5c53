/** Closed triangle surfaces and boxes of cells for tests. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "mesh/format/convert.h"
#include "mesh/generate/generate.h"
#include "mesh/hull.h"
#include "test.h"

enum { SOLID_MAX_POINTS = 12000, SOLID_MAX_TRIANGLES = 24000 };

typedef struct solid_surface {
  int    num_points, num_triangles;
  double point[3 * SOLID_MAX_POINTS];
  int    triangle[3 * SOLID_MAX_TRIANGLES];
} solid_surface;

static inline int solid_point(solid_surface *s, double x, double y, double z) {
  double *p = s->point + 3 * s->num_points;
  p[0] = x, p[1] = y, p[2] = z;
  return s->num_points++;
}

static inline void solid_triangle(solid_surface *s, int a, int b, int c) {
  int *v = s->triangle + 3 * s->num_triangles++;
  v[0] = a, v[1] = b, v[2] = c;
}

static inline void solid_quad(solid_surface *s, int a, int b, int c, int d) {
  solid_triangle(s, a, b, c);
  solid_triangle(s, a, c, d);
}

/** A box of bricks, or of tetrahedra of either order, cut into n cells along its edges. */
static inline sup_mesh *solid_box_cells(sup_cell_type type, const double size[3], const int n[3]) {
  sup_mesh *mesh, *quadratic;
  OK(sup_mesh_box(&mesh, size, n, type == SUP_CELL_H8 ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN));
  if (type != SUP_CELL_T10) return mesh;
  OK(sup_mesh_to_t10(&quadratic, mesh));
  sup_mesh_destroy(&mesh);
  return quadratic;
}

static inline sup_hull *solid_hull(const solid_surface *s) {
  sup_hull *hull = NULL;
  OK(sup_polyhedron_create(&hull, s->num_points, s->point, s->num_triangles, s->triangle));
  return hull;
}

static inline sup_mesh *solid_cells(const sup_hull *hull, double edge) {
  sup_mesh          *mesh = NULL;
  sup_tetgen_options options = sup_default_tetgen_options();
  options.max_volume = sup_tetgen_volume(edge);
  OK(sup_mesh_of_polyhedron(&mesh, hull, &options));
  return mesh;
}

/** A polygon [n x 2], counter-clockwise, from z = low to z = high; its ends are fans of the given
 * triangles. */
static inline void solid_prism(solid_surface *s, int n, const double (*polygon)[2], int num_ends,
                               const int (*end)[3], double low, double high) {
  s->num_points = s->num_triangles = 0;
  for (int i = 0; i < n; i++) solid_point(s, polygon[i][0], polygon[i][1], low);
  for (int i = 0; i < n; i++) solid_point(s, polygon[i][0], polygon[i][1], high);
  for (int i = 0; i < n; i++) solid_quad(s, i, (i + 1) % n, n + (i + 1) % n, n + i);
  for (int t = 0; t < num_ends; t++) {
    solid_triangle(s, end[t][0], end[t][2], end[t][1]);
    solid_triangle(s, n + end[t][0], n + end[t][1], n + end[t][2]);
  }
}

/** Centred about the origin. */
static inline void solid_box(solid_surface *s, double a, double b, double c) {
  const double polygon[4][2] = {{-a / 2, -b / 2}, {a / 2, -b / 2}, {a / 2, b / 2}, {-a / 2, b / 2}};
  const int    end[2][3] = {{0, 1, 2}, {0, 2, 3}};
  solid_prism(s, 4, polygon, 2, end, -c / 2, c / 2);
}

/** A square of edge `size` without its upper right quarter, from z = 0 to `high`. */
static inline void solid_angle(solid_surface *s, double size, double high) {
  const double h = size / 2;
  const double polygon[6][2] = {{0, 0}, {size, 0}, {size, h}, {h, h}, {h, size}, {0, size}};
  const int    end[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  solid_prism(s, 6, polygon, 4, end, 0, high);
}

/** About z: radius of the ring, radius of its tube, segments around both. */
static inline void solid_torus(solid_surface *s, double ring, double tube, int n, int m) {
  const double pi = 3.14159265358979323846;
  s->num_points = s->num_triangles = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) {
      double u = 2 * pi * i / n, v = 2 * pi * k / m, r = ring + tube * cos(v);
      solid_point(s, r * cos(u), r * sin(u), tube * sin(v));
    }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) {
      int j = (i + 1) % n, l = (k + 1) % m;
      solid_quad(s, i * m + k, j * m + k, j * m + l, i * m + l);
    }
}

/** The point of the unit sphere between two others, made once an edge. */
static inline int solid_middle(solid_surface *s, int a, int b) {
  sup_v3 p = sup_v3_unit(sup_v3_add(sup_v3_load(s->point + 3 * a), sup_v3_load(s->point + 3 * b)));
  for (int i = s->num_points - 1; i >= 0; i--) /* slow and simple */
    if (sup_v3_norm(sup_v3_sub(p, sup_v3_load(s->point + 3 * i))) < 1e-9) return i;
  return solid_point(s, p.x, p.y, p.z);
}

/** An octahedron whose triangles are cut into four `levels` times, on the unit sphere, times the
 * radius. */
static inline void solid_sphere(solid_surface *s, double radius, int levels) {
  static int old[3 * SOLID_MAX_TRIANGLES];
  s->num_points = s->num_triangles = 0;
  for (int k = 0; k < 6; k++) {
    double x[3] = {0, 0, 0};
    x[k / 2] = k % 2 ? -1 : 1;
    solid_point(s, x[0], x[1], x[2]);
  }
  for (int k = 0; k < 8; k++) {
    int a = k & 1, b = 2 + (k >> 1 & 1), c = 4 + (k >> 2 & 1), is_odd = (a + b + c) & 1;
    solid_triangle(s, a, is_odd ? c : b, is_odd ? b : c);
  }
  for (int level = 0; level < levels; level++) {
    int n = s->num_triangles;
    memcpy(old, s->triangle, 3 * (size_t)n * sizeof *old);
    s->num_triangles = 0;
    for (int t = 0; t < n; t++) {
      const int *v = old + 3 * t;
      int        m[3];
      for (int k = 0; k < 3; k++) m[k] = solid_middle(s, v[k], v[(k + 1) % 3]);
      for (int k = 0; k < 3; k++) solid_triangle(s, v[k], m[k], m[(k + 2) % 3]);
      solid_triangle(s, m[0], m[1], m[2]);
    }
  }
  for (int i = 0; i < 3 * s->num_points; i++) s->point[i] *= radius;
}
