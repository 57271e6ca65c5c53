#include "mesh/generate/shape_field.h"

#include <string.h>

#include "base/memory.h"
#include "mesh/distribute/part_set.h"
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

/** The vertices: outer ones (points of the surface, then centres of its quads, then middles of
 * vertices that are images of each other, which no cell has), and as many shadows. */
typedef struct prisms {
  const medial      *medial;
  const sup_surface *surface;
  const double      *points;
  double             grow, round_off; /* [m] by which coordinates that are equal may differ */
  int                num_corners, num_outer;
  unsigned char     *is_last; /* [num_corners] centres of quads that have a side between images */
  sup_part_set       middle;  /* the two or three vertices about each */
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

static sup_v3 surface_point(const prisms *b, int i) {
  sup_v3 sum = {0, 0, 0};
  int    n = 0;
  if (i < b->surface->num_points) return sup_v3_load(b->points + 3 * i);
  if (i < b->num_corners)
    return sup_surface_centre(b->surface, b->points, i - b->surface->num_points);
  const int *about = b->middle.part[i - b->num_corners].vertex;
  for (int k = 0; k < 4; k++)
    if (about[k] != SUP_NONE) sum = sup_v3_add(sum, surface_point(b, about[k])), n++;
  return sup_v3_scale(1. / n, sum);
}

/** Place of an outer vertex, at the end of the margin, and of its shadow. */
static sup_v3 outer_place(const prisms *b, int i, sup_v3 *shade) {
  sup_v3 p = surface_point(b, i);
  *shade = shadow(b->medial, p);
  return sup_v3_madd(*shade, b->grow, sup_v3_sub(p, *shade));
}

static void set_vertices(const prisms *b) {
  for (int i = 0; i < b->num_outer; i++) {
    sup_v3 shade, p = outer_place(b, i, &shade);
    sup_v3_store(b->mesh->x + 3 * i, p);
    sup_v3_store(b->mesh->x + 3 * (b->num_outer + i), shade);
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

/** An order of the outer vertices that the planes of symmetry of shapes do not change: more than 0
 * when u comes after v, 0 for a vertex and its image.  A centre of a quad with images comes last:
 * the prisms below have one tetrahedron less. */
static int compare(const prisms *b, int u, int v) {
  if (b->is_last[u] != b->is_last[v]) return b->is_last[u] ? 1 : -1;
  sup_v3       unused, a = outer_place(b, u, &unused), c = outer_place(b, v, &unused);
  const double p[3] = {a.x, a.y, a.z}, q[3] = {c.x, c.y, c.z};
  for (int k = 0; k < 3; k++)
    if (fabs(fabs(p[k]) - fabs(q[k])) > b->round_off) return fabs(p[k]) > fabs(q[k]) ? 1 : -1;
  return 0;
}

/** Number of a triangle's sides between images; v: its vertices, a side between images last. */
static int num_images(const prisms *b, int triangle, int v[3]) {
  int count = 0, first = 0;
  for (int c = 0; c < 3; c++) v[c] = outer_vertex(b, triangle, c);
  for (int c = 0; c < 3; c++)
    if (compare(b, v[(c + 1) % 3], v[(c + 2) % 3]) == 0) first = c, count++;
  int turned[3] = {v[first], v[(first + 1) % 3], v[(first + 2) % 3]};
  memcpy(v, turned, sizeof turned);
  return count;
}

static sup_status collect_middles(prisms *b) {
  SUP_TRY(SUP_CALLOC(b->is_last, b->num_corners));
  for (int t = 0; t < b->surface->num_triangles && b->surface->vertices_per_face == 4; t++) {
    int v[3];
    if (num_images(b, t, v) > 0) b->is_last[v[0]] = 1;
  }
  for (int t = 0; t < b->surface->num_triangles; t++) {
    int v[3], images = num_images(b, t, v);
    for (int c = 0; c < 3 && images == 3; c++) {
      int side[2] = {v[c], v[(c + 1) % 3]};
      SUP_TRY(sup_part_add(&b->middle, side, 2));
    }
    if (images > 0) SUP_TRY(sup_part_add(&b->middle, images == 3 ? v : v + 1, images == 3 ? 3 : 2));
  }
  sup_part_sort(&b->middle);
  b->num_outer = b->num_corners + b->middle.count;
  return SUP_OK;
}

/** Shadow of the middle of vertices. */
static int middle_shadow(const prisms *b, const int *vertex, int n) {
  return b->num_outer + b->num_corners + sup_part_find(&b->middle, vertex, n);
}

/** Side of a prism between images, about the shadow of its middle, joined to a point. */
static void join_side(const prisms *b, const int end[2], int apex, double least) {
  int m = middle_shadow(b, end, 2);
  add_cell(b->mesh, end[0], end[1], m, apex, least);
  for (int k = 0; k < 2; k++) add_cell(b->mesh, end[k], end[k] + b->num_outer, m, apex, least);
}

/** v[1] and v[2] are images: from v[0] when it comes before them, else from its shadow. */
static void cut_about_side(const prisms *b, const int v[3], double least) {
  int p = v[0], q = p + b->num_outer, m = middle_shadow(b, v + 1, 2);
  int is_first = compare(b, p, v[1]) < 0;
  join_side(b, v + 1, is_first ? p : q, least);
  if (!is_first) add_cell(b->mesh, v[1], v[2], p, q, least);
  for (int k = 1; k < 3 && is_first; k++) add_cell(b->mesh, v[k] + b->num_outer, m, q, p, least);
}

static void cut_about_centre(const prisms *b, const int v[3], double least) {
  int centre = middle_shadow(b, v, 3);
  add_cell(b->mesh, v[0], v[1], v[2], centre, least);
  for (int k = 0; k < 3; k++) {
    int side[2] = {v[k], v[(k + 1) % 3]};
    join_side(b, side, centre, least);
  }
}

/** Kuhn's cut in one order of all vertices: the first one is joined to all shadows. */
static void cut_along_diagonals(const prisms *b, int v[3], double least) {
  for (int i = 1; i < 3; i++)
    for (int j = i; j > 0 && compare(b, v[j - 1], v[j]) > 0; j--) {
      int swap = v[j];
      v[j] = v[j - 1], v[j - 1] = swap;
    }
  int w[3] = {v[0] + b->num_outer, v[1] + b->num_outer, v[2] + b->num_outer};
  add_cell(b->mesh, v[0], v[1], v[2], w[2], least);
  add_cell(b->mesh, v[0], v[1], w[1], w[2], least);
  add_cell(b->mesh, v[0], w[0], w[1], w[2], least);
}

/** Tetrahedra of the prisms, such that neighbours agree and that the shape's planes of symmetry
 * change none: a side between images has no diagonal. */
static void fill_cells(const prisms *b, double least) {
  for (int t = 0; t < b->surface->num_triangles; t++) {
    int v[3], images = num_images(b, t, v);
    if (images == 0) cut_along_diagonals(b, v, least);
    if (images == 1) cut_about_side(b, v, least);
    if (images == 3) cut_about_centre(b, v, least);
  }
}

static double largest_size(const double *x, int n) {
  double largest = 0;
  for (int i = 0; i < 3 * n; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

static void prisms_free(prisms *b) {
  SUP_FREE(b->is_last);
  sup_part_free(&b->middle);
  sup_mesh_destroy(&b->mesh);
}

static sup_status build(sup_mesh **mesh, double **extent, const medial *m,
                        const sup_surface *surface, const double *points, double margin) {
  SUP_OWN_VALUE(prisms) b = {.medial = m, .surface = surface, .points = points};
  b.grow = 1 + margin / m->depth, b.num_corners = surface->num_points;
  b.round_off = 1e-9 * largest_size(points, surface->num_points);
  if (surface->vertices_per_face == 4) b.num_corners += surface->num_faces;
  SUP_TRY(collect_middles(&b));
  int n = b.num_outer;
  SUP_TRY(sup_mesh_create(&b.mesh, SUP_CELL_T4, 2 * n, 10 * surface->num_triangles));
  SUP_TRY(SUP_CALLOC(*extent, 2 * n));
  set_vertices(&b);
  b.mesh->num_cells = 0;
  fill_cells(&b, 1e-12 * largest_size(b.mesh->x, 2 * n));
  for (int i = 0; i < n; i++) (*extent)[i] = -margin / m->depth, (*extent)[n + i] = 1;
  *mesh = b.mesh;
  b.mesh = NULL;
  return SUP_OK;
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
