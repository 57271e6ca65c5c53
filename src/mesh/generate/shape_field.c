#include "mesh/generate/shape_field.h"

#include <string.h>

#include "base/memory.h"
#include "mesh/hull.h"
#include "mesh/surface.h"

/** Medial set of a shape, onto which surface points are projected. */
typedef struct medial {
  const sup_shape *shape;
  double           depth;  /* largest distance to the surface [m] */
  sup_v3           centre; /* of shapes whose medial set is taken as one point */
} medial;

/** Smallest distance of the faces from a point inside. */
static double distance_to_faces(const sup_hull *hull, sup_v3 centre) {
  double least = HUGE_VAL;
  for (int t = 0; t < hull->num_triangles; t++) {
    sup_v3 a = sup_hull_corner(hull, t, 0), b = sup_hull_corner(hull, t, 1),
           c = sup_hull_corner(hull, t, 2);
    sup_v3 normal = sup_v3_unit(sup_v3_cross(sup_v3_sub(b, a), sup_v3_sub(c, a)));
    least = fmin(least, sup_v3_dot(normal, sup_v3_sub(a, centre)));
  }
  return least;
}

static medial medial_of(const sup_shape *shape) {
  const double *size = shape->size;
  medial        m = {.shape = shape};
  switch (shape->type) {
    case SUP_SHAPE_BOX:
      m.depth = 0.5 * fmin(size[0], fmin(size[1], size[2]));
      break;
    case SUP_SHAPE_ELLIPSOID:
      m.depth = fmin(size[0], fmin(size[1], size[2]));
      break;
    case SUP_SHAPE_CYLINDER:
      m.depth = fmin(size[0], 0.5 * size[1]);
      break;
    case SUP_SHAPE_SPHERE:
    case SUP_SHAPE_CAPSULE:
      m.depth = size[0];
      break;
    case SUP_SHAPE_CONVEX: {
      double volume, inertia[6];
      sup_hull_moments(shape->hull, &volume, &m.centre, inertia);
      m.depth = distance_to_faces(shape->hull, m.centre);
      break;
    }
    case SUP_SHAPE_HALF_SPACE:
    case SUP_SHAPE_MESH:
      break;
  }
  return m;
}

/** Shadow of a surface point: lines from facets to it have the direction in which the extent grows.
 */
static sup_v3 shadow(const medial *m, sup_v3 p) {
  const double *size = m->shape->size;
  if (m->shape->type == SUP_SHAPE_BOX)
    return sup_v3_make(p.x * (1 - 2 * m->depth / size[0]), p.y * (1 - 2 * m->depth / size[1]),
                       p.z * (1 - 2 * m->depth / size[2]));
  if (m->shape->type == SUP_SHAPE_CYLINDER) {
    double round = 1 - m->depth / size[0], along = 1 - 2 * m->depth / size[1];
    return sup_v3_make(p.x * round, p.y * round, p.z * along);
  }
  if (m->shape->type == SUP_SHAPE_CAPSULE)
    return sup_v3_make(0, 0, fmax(-0.5 * size[1], fmin(p.z, 0.5 * size[1])));
  return m->centre;
}

/* ---- prisms ---------------------------------------------------------------------------------- */

/** The vertices: outer ones (points of the surface, then centres of its quads), and as many
 * shadows. */
typedef struct prisms {
  const sup_surface *surface;
  const double      *points;
  int                num_outer;
  sup_mesh          *mesh;
} prisms;

/** Outer vertex of a triangle's corner: a point of its face, or the face's centre. */
static int outer_vertex(const prisms *b, int triangle, int corner) {
  const double *weight = sup_surface_weights(b->surface, triangle) + corner * SUP_FACE_MAX_VERTICES;
  int           n = b->surface->vertices_per_face, face = b->surface->triangle_face[triangle];
  for (int k = 0; k < n; k++)
    if (weight[k] == 1) return b->surface->face[face * n + k];
  return b->surface->num_points + face;
}

static void set_vertices(const prisms *b, const medial *m, double margin) {
  double grow = 1 + margin / m->depth;
  for (int t = 0; t < b->surface->num_triangles; t++)
    for (int c = 0; c < 3; c++) {
      int    i = outer_vertex(b, t, c);
      sup_v3 p = sup_surface_corner(b->surface, b->points, t, c), q = shadow(m, p);
      sup_v3_store(b->mesh->x + 3 * i, sup_v3_madd(q, grow, sup_v3_sub(p, q)));
      sup_v3_store(b->mesh->x + 3 * (b->num_outer + i), q);
    }
}

/** Least height of a tetrahedron over its volume's sign; measured from the corner with the shortest
 * edges, so that corners that coincide or are in line give zero. */
static double height_of(const sup_mesh *mesh, const int v[4]) {
  double least = HUGE_VAL, volume = 0, face = 0;
  for (int k = 0; k < 4; k++) {
    sup_v3 a = sup_mesh_vertex(mesh, v[k]), e[3];
    for (int i = 0; i < 3; i++) e[i] = sup_v3_sub(sup_mesh_vertex(mesh, v[(k + 1 + i) % 4]), a);
    double lengths = sup_v3_norm(e[0]) * sup_v3_norm(e[1]) * sup_v3_norm(e[2]);
    sup_v3 normal = sup_v3_cross(e[0], e[1]);
    face = fmax(face, sup_v3_norm(normal));
    if (lengths >= least) continue;
    least = lengths, volume = (k % 2 ? -1 : 1) * sup_v3_dot(normal, e[2]);
  }
  return face > 0 ? volume / face : 0;
}

/** Append a cell, except one made flat by coincident shadows. */
static void add_cell(sup_mesh *mesh, int a, int b, int c, int d, double least) {
  int    v[4] = {a, b, c, d};
  double height = height_of(mesh, v);
  if (fabs(height) <= least) return;
  if (height < 0) v[2] = d, v[3] = c;
  memcpy(mesh->cell + 4 * mesh->num_cells++, v, sizeof v);
}

/** An order of the outer vertices that the shape's planes of symmetry do not change, but for a
 * vertex and its own image. */
static int comes_after(const prisms *b, int u, int v) {
  const double *p = b->mesh->x + 3 * (size_t)u, *q = b->mesh->x + 3 * (size_t)v;
  for (int k = 0; k < 3; k++)
    if (fabs(p[k]) != fabs(q[k])) return fabs(p[k]) > fabs(q[k]);
  return u > v;
}

/** Kuhn's cut of a prism in one order of all vertices, so that neighbours agree about their
 * diagonals. */
static void fill_cells(prisms *b, double least) {
  for (int t = 0; t < b->surface->num_triangles; t++) {
    int v[3];
    for (int c = 0; c < 3; c++) v[c] = outer_vertex(b, t, c);
    for (int i = 1; i < 3; i++)
      for (int j = i; j > 0 && comes_after(b, v[j - 1], v[j]); j--) {
        int swap = v[j];
        v[j] = v[j - 1], v[j - 1] = swap;
      }
    int w[3] = {v[0] + b->num_outer, v[1] + b->num_outer, v[2] + b->num_outer};
    add_cell(b->mesh, v[0], v[1], v[2], w[2], least);
    add_cell(b->mesh, v[0], v[1], w[1], w[2], least);
    add_cell(b->mesh, v[0], w[0], w[1], w[2], least);
  }
}

static double largest_size(const double *x, int n) {
  double largest = 0;
  for (int i = 0; i < 3 * n; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

static sup_status build(sup_mesh **mesh, double **extent, const medial *m,
                        const sup_surface *surface, const double *points, double margin) {
  int        n = surface->num_points + (surface->vertices_per_face == 4 ? surface->num_faces : 0);
  prisms     b = {surface, points, n, NULL};
  sup_status status;
  SUP_TRY(sup_mesh_create(&b.mesh, SUP_CELL_T4, 2 * n, 3 * surface->num_triangles));
  SUP_TRY_GOTO(SUP_CALLOC(*extent, 2 * n), status, fail);
  set_vertices(&b, m, margin);
  b.mesh->num_cells = 0;
  fill_cells(&b, 1e-12 * largest_size(b.mesh->x, 2 * n));
  for (int i = 0; i < n; i++) (*extent)[i] = -margin / m->depth, (*extent)[n + i] = 1;
  *mesh = b.mesh;
  return SUP_OK;
fail:
  sup_mesh_destroy(&b.mesh);
  return status;
}

sup_status sup_mesh_of_shape_field(sup_mesh **mesh, double **extent, double *depth,
                                   const sup_shape *shape, double resolution, double margin) {
  SUP_OWN(sup_surface) *surface = NULL;
  SUP_FREED double     *points = NULL;
  *mesh = NULL, *extent = NULL;
  SUP_ASSERT(margin >= 0 && isfinite(margin));
  if (shape->type == SUP_SHAPE_MESH)
    return SUP_FAIL(SUP_E_ARG,
                    "a triangle mesh without cells inside has no pressure field; "
                    "sup_mesh_of_polyhedron fills it");
  SUP_TRY(sup_surface_of_shape(&surface, &points, shape, fmin(resolution, 1e30)));
  medial m = medial_of(shape);
  *depth = m.depth;
  SUP_TRY(build(mesh, extent, &m, surface, points, margin));
  return SUP_OK;
}

void sup_shape_field_widen(sup_mesh *mesh, double *extent, double depth, double from, double to) {
  int    n = mesh->num_vertices / 2; /* shadows come after the outer points, in their order */
  double grow = (1 + to / depth) / (1 + from / depth);
  for (int i = 0; i < n; i++) {
    sup_v3 p = sup_mesh_vertex(mesh, i), q = sup_mesh_vertex(mesh, n + i);
    sup_v3_store(mesh->x + 3 * i, sup_v3_madd(q, grow, sup_v3_sub(p, q)));
    extent[i] = -to / depth;
  }
}
