#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/surface.h"

enum { MAX_FACES = 4 * 1000 * 1000 };

static const double pi = 3.14159265358979323846;

static sup_status too_fine(double resolution, double faces) {
  return SUP_FAIL(
      SUP_E_ARG,
      "a resolution of %g m gives a contact surface of %.3g faces; at most %d are possible: give "
      "its contact a coarser 'resolution'",
      resolution, faces, MAX_FACES);
}

/** ceil(length / resolution), at least `least`; forgiving round-off when it divides. */
static double pieces(double length, double resolution, int least) {
  return fmax(least, ceil(length / resolution * (1 - 1e-12)));
}

/* ---- box ------------------------------------------------------------------------------------- */

/** Number of the surface point (i,j,k) of a grid of n quads a direction: bottom layer, rims of the
 * layers between, top.
 */
static int box_point(const int n[3], int i, int j, int k) {
  int layer = (n[0] + 1) * (n[1] + 1), rim = 2 * (n[0] + n[1]);
  if (k == 0) return i * (n[1] + 1) + j;
  if (k == n[2]) return layer + (n[2] - 1) * rim + i * (n[1] + 1) + j;
  int before = layer + (k - 1) * rim;
  if (i == 0) return before + j;
  if (i == n[0]) return before + (n[1] + 1) + 2 * (n[0] - 1) + j;
  return before + (n[1] + 1) + 2 * (i - 1) + (j == n[1]);
}

/** Coordinate from -size/2 to size/2 in n steps; opposite values differ only in sign. */
static double half_way(double size, int i, int n) { return 0.5 * size * (2 * i - n) / n; }

static void fill_box_points(double *points, const int n[3], const double size[3]) {
  for (int i = 0; i <= n[0]; i++)
    for (int j = 0; j <= n[1]; j++) {
      bool is_side = i == 0 || i == n[0] || j == 0 || j == n[1];
      for (int k = 0; k <= n[2]; k += is_side ? 1 : n[2])
        sup_v3_store(points + 3 * box_point(n, i, j, k),
                     sup_v3_make(half_way(size[0], i, n[0]), half_way(size[1], j, n[1]),
                                 half_way(size[2], k, n[2])));
    }
}

/** The quads of the two faces across direction d; (d, a, b) is right-handed. */
static int *fill_box_faces(int *face, const int n[3], int d) {
  const int a = (d + 1) % 3, b = (d + 2) % 3;
  for (int side = 0; side < 2; side++)
    for (int s = 0; s < n[a]; s++)
      for (int t = 0; t < n[b]; t++, face += 4)
        for (int corner = 0; corner < 4; corner++) {
          /* around (0,0) (1,0) (1,1) (0,1) seen from outside on the far side, the other way around
           * on the near side */
          int p[3], ds = corner == 1 || corner == 2, dt = corner >= 2;
          p[d] = side * n[d];
          p[a] = s + (side ? ds : dt), p[b] = t + (side ? dt : ds);
          face[corner] = box_point(n, p[0], p[1], p[2]);
        }
  return face;
}

static sup_status box_surface(sup_surface **surface, double **points, const double size[3],
                              double resolution) {
  int        n[3];
  double     m[3];
  sup_status status;
  for (int d = 0; d < 3; d++) m[d] = pieces(size[d], resolution, 1);
  double faces = 2 * (m[0] * m[1] + m[1] * m[2] + m[2] * m[0]);
  if (!(faces <= MAX_FACES)) return too_fine(resolution, faces);
  for (int d = 0; d < 3; d++) n[d] = (int)m[d];
  int num_points = 2 * (n[0] + 1) * (n[1] + 1) + (n[2] - 1) * 2 * (n[0] + n[1]);
  SUP_TRY(sup_surface_create(surface, num_points, (int)faces, 4));
  SUP_TRY_GOTO(SUP_CALLOC(*points, 3 * (size_t)num_points), status, fail);
  fill_box_points(*points, n, size);
  int *face = (*surface)->face;
  for (int d = 0; d < 3; d++) face = fill_box_faces(face, n, d);
  return SUP_OK;
fail:
  sup_surface_destroy(surface);
  return status;
}

/* ---- surfaces of revolution: a stack of rings from the top pole to the bottom pole ----------- */

/** Rings of an octahedron's eight faces: ring j of a cap (0 = pole) has 4 j points, the rim and the
 * shell's rings 4 k. So all triangles are about equally large, edges meet at the rim, and the
 * pattern has the symmetries of a square and is its own mirror image from top to bottom.  This
 * requires a ring half way along the shell; if one row of quads were enough, this ring has the odd
 * points of the other rings, each in the middle of six triangles. */
typedef struct stack {
  int    k;          /* rings of a cap; 4 k points on the rim */
  int    shell_rows; /* rows of quads between the two rims, even; 0: the caps share one rim */
  int    is_flat;    /* the ring between two rows has 2 k points */
  int    is_domed;   /* caps: half spheres, otherwise discs */
  double radius, half_length;
} stack;

static int  stack_num_rings(const stack *s) { return 2 * s->k + 1 + s->shell_rows; }
static bool is_half_ring(const stack *s, int ring) { return s->is_flat && ring == s->k + 1; }
static int  ring_size(const stack *s, int ring) {
   int from_bottom = stack_num_rings(s) - 1 - ring, j = ring < from_bottom ? ring : from_bottom;
   if (is_half_ring(s, ring)) return 2 * s->k;
  return j == 0 ? 1 : 4 * (j < s->k ? j : s->k);
}

static void ring_profile(const stack *s, int ring, double *radius, double *z) {
  int from_bottom = stack_num_rings(s) - 1 - ring, is_top = ring < from_bottom,
      j = is_top ? ring : from_bottom;
  if (j <= s->k) {
    double angle = 0.5 * pi * j / s->k, sign = ring == from_bottom ? 0 : is_top ? 1 : -1;
    *radius = s->is_domed ? s->radius * sin(angle) : s->radius * j / s->k;
    *z = sign * (s->half_length + (s->is_domed && j < s->k ? s->radius * cos(angle) : 0));
  } else {
    *radius = s->radius;
    *z = s->half_length * (s->shell_rows - 2 * (ring - s->k)) / s->shell_rows;
  }
}

/** Point i of n, a multiple of 4, on a circle.  Quarter turns exchange coordinates and so does the
 * half of each quarter with the other: points that are opposite have the same numbers. */
static sup_v3 on_circle(double radius, int i, int n, double z) {
  int    quarter = n / 4, turn = i / quarter, k = i % quarter, other = quarter - k;
  double angle = 0.5 * pi * (k < other ? k : other) / quarter;
  double c = radius * (k == other ? sqrt(0.5) : cos(angle)),
         t = radius * (k == other ? sqrt(0.5) : sin(angle));
  sup_v3 p = k <= other ? sup_v3_make(c, t, z) : sup_v3_make(t, c, z);
  return turn == 0   ? p
         : turn == 1 ? sup_v3_make(-p.y, p.x, z)
         : turn == 2 ? sup_v3_make(-p.x, -p.y, z)
                     : sup_v3_make(p.y, -p.x, z);
}

static void fill_stack_points(double *x, const stack *s) {
  for (int ring = 0; ring < stack_num_rings(s); ring++) {
    double radius, z;
    int    n = ring_size(s, ring);
    ring_profile(s, ring, &radius, &z);
    for (int i = 0; i < n; i++, x += 3)
      sup_v3_store(x, n == 1                  ? sup_v3_make(0, 0, z)
                      : is_half_ring(s, ring) ? on_circle(radius, 2 * i + 1, 2 * n, z)
                                              : on_circle(radius, i, n, z));
  }
}

/** Triangles between a ring of 4 j points (inner) and one of 4 j + 4 (outer).  Downward: inner is
 * the upper ring. */
static int *join_growing(int *face, int inner, int j, int outer, bool is_downward) {
  int n = j == 0 ? 1 : 4 * j, m = 4 * j + 4;
  for (int quarter = 0; quarter < 4; quarter++)
    for (int i = 0; i <= j; i++) {
      int o0 = outer + quarter * (j + 1) + i, o1 = outer + (quarter * (j + 1) + i + 1) % m;
      int i0 = inner + (quarter * j + i) % n, i1 = inner + (quarter * j + i + 1) % n;
      face[0] = is_downward ? o0 : o1, face[1] = is_downward ? o1 : o0, face[2] = i0;
      face += 3;
      if (i == j) continue;
      face[0] = is_downward ? i1 : i0, face[1] = is_downward ? i0 : i1, face[2] = o1;
      face += 3;
    }
  return face;
}

/** Two triangles a quad between rings of 4 k points; diagonals alternate, so that the pattern does
 * not wind. */
static int *join_equal(int *face, int upper, int lower, int n, int row) {
  for (int i = 0; i < n; i++) {
    int a = lower + i, b = lower + (i + 1) % n, c = upper + (i + 1) % n, d = upper + i;
    if ((i + row) % 2 == 0)
      face[0] = c, face[1] = a, face[2] = b, face[3] = a, face[4] = c, face[5] = d;
    else
      face[0] = b, face[1] = d, face[2] = a, face[3] = d, face[4] = b, face[5] = c;
    face += 6;
  }
  return face;
}

/** Six triangles about each point of the middle ring, between rings of n points. */
static int *join_flat(int *face, int upper, int middle, int lower, int n) {
  for (int i = 0; i < n; i += 2) {
    int end = (i + 2) % n;
    int around[] = {lower + i, lower + i + 1, lower + end, upper + end, upper + i + 1, upper + i};
    for (int k = 0; k < 6; k++, face += 3)
      face[0] = around[k], face[1] = around[(k + 1) % 6], face[2] = middle + i / 2;
  }
  return face;
}

static void fill_stack_faces(int *face, const stack *s) {
  int upper = 0, rings = stack_num_rings(s);
  for (int ring = 0; ring + 1 < rings; ring++) {
    int n = ring_size(s, ring), m = ring_size(s, ring + 1), lower = upper + n;
    if (is_half_ring(s, ring + 1)) {
      face = join_flat(face, upper, lower, lower + m, n);
      lower += m, ring++;
    } else if (n == m)
      face = join_equal(face, upper, lower, n, ring - s->k);
    else if (n < m)
      face = join_growing(face, upper, n == 1 ? 0 : n / 4, lower, 1);
    else
      face = join_growing(face, lower, m == 1 ? 0 : m / 4, upper, 0);
    upper = lower;
  }
}

static sup_status stack_surface(sup_surface **surface, double **points, stack s,
                                double shell_length, double resolution) {
  /* a quarter of the rim is pi/2 r long; on a dome the edges range from pi/2 r/k at the rim to
   * pi^2/4 r/k at the pole
   */
  double     k = pieces((s.is_domed ? 2 : 0.5 * pi) * s.radius, resolution, 3);
  double     rows = shell_length > 0 ? pieces(shell_length, resolution, 1) : 0;
  double     faces;
  sup_status status;
  s.is_flat = rows == 1;
  rows = s.is_flat ? 2 : rows - fmod(rows, 2); /* fewer: lines along the shell are straight */
  faces = 8 * k * k + (s.is_flat ? 12 * k : 8 * k * rows);
  if (!(faces <= MAX_FACES)) return too_fine(resolution, faces);
  s.k = (int)k, s.shell_rows = (int)rows;
  int num_points = 0;
  for (int ring = 0; ring < stack_num_rings(&s); ring++) num_points += ring_size(&s, ring);
  SUP_TRY(sup_surface_create(surface, num_points, (int)faces, 3));
  SUP_TRY_GOTO(SUP_CALLOC(*points, 3 * (size_t)num_points), status, fail);
  fill_stack_points(*points, &s);
  fill_stack_faces((*surface)->face, &s);
  return SUP_OK;
fail:
  sup_surface_destroy(surface);
  return status;
}

static sup_status ellipsoid_surface(sup_surface **surface, double **points, const double size[3],
                                    double resolution) {
  double largest = fmax(size[0], fmax(size[1], size[2]));
  SUP_TRY(stack_surface(surface, points, (stack){.radius = largest, .is_domed = 1}, 0, resolution));
  for (int i = 0; i < 3 * (*surface)->num_points; i++) (*points)[i] *= size[i % 3] / largest;
  return SUP_OK;
}

/** Faces of the hull without subdivision: a polyhedron is as fine as its definition. */
static sup_status hull_surface(sup_surface **surface, double **points, const sup_hull *hull) {
  sup_status status;
  if (!hull) return SUP_FAIL(SUP_E_ARG, "a polyhedron has no triangles");
  SUP_TRY(sup_surface_create(surface, hull->num_points, hull->num_triangles, 3));
  SUP_TRY_GOTO(SUP_CALLOC(*points, 3 * (size_t)hull->num_points), status, fail);
  memcpy(*points, hull->point, 3 * (size_t)hull->num_points * sizeof **points);
  memcpy((*surface)->face, hull->triangle,
         3 * (size_t)hull->num_triangles * sizeof *hull->triangle);
  return SUP_OK;
fail:
  sup_surface_destroy(surface);
  return status;
}

/* ---- all shapes ------------------------------------------------------------------------------ */

static int num_sizes(sup_shape_type type) {
  switch (type) {
    case SUP_SHAPE_HALF_SPACE:
      return 0;
    case SUP_SHAPE_BOX:
    case SUP_SHAPE_ELLIPSOID:
      return 3;
    case SUP_SHAPE_CYLINDER:
    case SUP_SHAPE_CAPSULE:
      return 2;
    case SUP_SHAPE_SPHERE:
      return 1;
    case SUP_SHAPE_CONVEX:
    case SUP_SHAPE_MESH:
      return 0;
  }
  return 0;
}

static double largest_dimension(const sup_shape *shape) {
  const double *s = shape->size;
  double        lower[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, upper[3] = {0}, most = 0;
  switch (shape->type) {
    case SUP_SHAPE_HALF_SPACE:
      return 0;
    case SUP_SHAPE_BOX:
      return fmax(s[0], fmax(s[1], s[2]));
    case SUP_SHAPE_ELLIPSOID:
      return 2 * fmax(s[0], fmax(s[1], s[2]));
    case SUP_SHAPE_CYLINDER:
      return fmax(2 * s[0], s[1]);
    case SUP_SHAPE_CAPSULE:
      return 2 * s[0] + s[1];
    case SUP_SHAPE_SPHERE:
      return 2 * s[0];
    case SUP_SHAPE_CONVEX:
    case SUP_SHAPE_MESH:
      break;
  }
  for (int k = 0; k < 3; k++) upper[k] = -HUGE_VAL;
  for (int i = 0; shape->hull && i < 3 * shape->hull->num_points; i++) {
    lower[i % 3] = fmin(lower[i % 3], shape->hull->point[i]);
    upper[i % 3] = fmax(upper[i % 3], shape->hull->point[i]);
  }
  for (int k = 0; k < 3; k++) most = fmax(most, upper[k] - lower[k]);
  return most;
}

double sup_surface_resolution(const sup_shape *shape, double resolution) {
  const double usual = 0.01, share = 1. / 50;
  if (resolution != 0) return resolution; /* errors are reported where the surface is made */
  return fmax(usual, share * largest_dimension(shape));
}

sup_status sup_surface_of_shape(sup_surface **surface, double **points, const sup_shape *shape,
                                double resolution) {
  const double *size = shape->size;
  *surface = NULL, *points = NULL;
  if (!(resolution > 0) || !isfinite(resolution))
    return SUP_FAIL(SUP_E_ARG,
                    "the resolution of a contact surface is %g m; expected a positive length",
                    resolution);
  for (int d = 0; d < num_sizes(shape->type); d++)
    if (!(size[d] > 0) || !isfinite(size[d]))
      return SUP_FAIL(SUP_E_ARG, "a shape has the size %g m; expected a positive length", size[d]);
  stack s = {.radius = size[0], .half_length = shape->type == SUP_SHAPE_SPHERE ? 0 : 0.5 * size[1]};
  s.is_domed = shape->type != SUP_SHAPE_CYLINDER;
  switch (shape->type) {
    case SUP_SHAPE_BOX:
      SUP_TRY(box_surface(surface, points, size, resolution));
      return SUP_OK;
    case SUP_SHAPE_CYLINDER:
    case SUP_SHAPE_CAPSULE:
      SUP_TRY(stack_surface(surface, points, s, size[1], resolution));
      return SUP_OK;
    case SUP_SHAPE_SPHERE:
      SUP_TRY(stack_surface(surface, points, s, 0, resolution));
      return SUP_OK;
    case SUP_SHAPE_ELLIPSOID:
      SUP_TRY(ellipsoid_surface(surface, points, size, resolution));
      return SUP_OK;
    case SUP_SHAPE_CONVEX:
    case SUP_SHAPE_MESH:
      SUP_TRY(hull_surface(surface, points, shape->hull));
      return SUP_OK;
    case SUP_SHAPE_HALF_SPACE:
      break;
  }
  return SUP_FAIL(SUP_E_ARG, "a half space has no closed surface");
}
