#include "geom/epa.h"

#include "base/status.h"
#include "geom/numerics.h"

enum { MAX_POINTS = 128, MAX_FACES = 2 * MAX_POINTS };

/** The difference a - b and an inner polytope of it.  The origin need not be inside: a face that
 * leaves it outside has a negative offset and is the first to grow. */
typedef struct polytope {
  const sup_posed_shape *a, *b;
  int                    num_points, num_faces;
  sup_v3                 point[MAX_POINTS];
  struct {
    int    corner[3]; /* counter-clockwise from outside */
    sup_v3 normal;    /* unit, outward */
    double offset;    /* of the face's plane from the origin */
  } face[MAX_FACES];
} polytope;

static sup_v3 support(const polytope *p, sup_v3 d) {
  return sup_v3_sub(sup_support(p->a, d), sup_support(p->b, sup_v3_scale(-1, d)));
}

/** 0: no room, or the face has no normal. */
static int add_face(polytope *p, int i, int j, int k) {
  sup_v3 a = p->point[i], n = sup_v3_cross(sup_v3_sub(p->point[j], a), sup_v3_sub(p->point[k], a));
  double area = sup_v3_norm(n);
  if (p->num_faces == MAX_FACES || !(area > 0)) return 0;
  int f = p->num_faces++;
  p->face[f].corner[0] = i, p->face[f].corner[1] = j, p->face[f].corner[2] = k;
  p->face[f].normal = sup_v3_scale(1 / area, n);
  p->face[f].offset = sup_v3_dot(p->face[f].normal, a);
  return 1;
}

/** The support point along d or -d that is farther from the plane through p0. */
static sup_v3 farther(const polytope *p, sup_v3 d, double *height) {
  sup_v3 up = support(p, d), down = support(p, sup_v3_scale(-1, d));
  double above = sup_v3_dot(d, sup_v3_sub(up, p->point[0])),
         below = sup_v3_dot(d, sup_v3_sub(down, p->point[0]));
  *height = fabs(above) >= fabs(below) ? above : below;
  return fabs(above) >= fabs(below) ? up : down;
}

/** A first tetrahedron; 0 when the difference is flat. */
static int start(polytope *p, double size) {
  sup_v3 d = sup_v3_sub(p->a->X.p, p->b->X.p), e;
  double height;
  d = sup_v3_norm(d) > sup_geom_numerics.flat * size ? sup_v3_unit(d) : sup_v3_make(1, 0, 0);
  p->point[0] = support(p, d);
  p->point[1] = farther(p, d, &height);
  d = sup_v3_sub(p->point[1], p->point[0]);
  if (!(sup_v3_norm(d) > sup_geom_numerics.flat * size)) return 0;
  d = sup_v3_unit(d);
  for (int k = 0;; k++) { /* the first axis across the edge along which there is width */
    sup_v3 axis = sup_v3_make(k == 0, k == 1, k == 2);
    if (k == 3) return 0;
    e = sup_v3_madd(axis, -sup_v3_dot(axis, d), d);
    if (!(sup_v3_norm(e) > 0.1)) continue;
    e = sup_v3_unit(e);
    p->point[2] = farther(p, e, &height);
    if (fabs(height) > sup_geom_numerics.flat * size) break;
  }
  e = sup_v3_cross(d, sup_v3_sub(p->point[2], p->point[0]));
  if (!(sup_v3_norm(e) > sup_geom_numerics.flat * size)) return 0;
  p->point[3] = farther(p, sup_v3_unit(e), &height);
  if (!(fabs(height) > sup_geom_numerics.flat * size)) return 0;
  p->num_points = 4;
  int i = height > 0 ? 1 : 2, j = 3 - i; /* 0, i, j turn clockwise seen from point 3 */
  return add_face(p, 0, j, i) && add_face(p, 0, i, 3) && add_face(p, i, j, 3) &&
         add_face(p, j, 0, 3);
}

/** Replace the faces that see point w by faces between w and their rim; 0: the rim is not a closed
 * loop. */
static int grow(polytope *p, sup_v3 w, double eps) {
  int rim[MAX_FACES][2], num_rim = 0, i_w = p->num_points;
  if (i_w == MAX_POINTS) return 0;
  p->point[p->num_points++] = w;
  for (int f = p->num_faces - 1; f >= 0; f--) {
    if (!(sup_v3_dot(p->face[f].normal, w) > p->face[f].offset + eps)) continue;
    for (int c = 0; c < 3; c++) { /* an edge of two such faces is inside */
      int i = p->face[f].corner[c], j = p->face[f].corner[(c + 1) % 3], k = 0;
      while (k < num_rim && !(rim[k][0] == j && rim[k][1] == i)) k++;
      if (k < num_rim) {
        num_rim--;
        rim[k][0] = rim[num_rim][0], rim[k][1] = rim[num_rim][1];
      } else {
        if (num_rim == MAX_FACES) return 0;
        rim[num_rim][0] = i, rim[num_rim++][1] = j;
      }
    }
    p->face[f] = p->face[--p->num_faces];
  }
  for (int k = 0; k < num_rim; k++)
    if (!add_face(p, rim[k][0], rim[k][1], i_w)) return 0;
  return num_rim > 0;
}

int sup_epa_direction(const sup_posed_shape *a, const sup_posed_shape *b, double size,
                      sup_v3 *direction) {
  polytope p;
  double   least = HUGE_VAL;
  p.a = a, p.b = b, p.num_points = p.num_faces = 0;
  if (!start(&p, size)) return 0;
  for (;;) {
    int near = 0;
    for (int f = 1; f < p.num_faces; f++)
      if (p.face[f].offset < p.face[near].offset) near = f;
    sup_v3 n = p.face[near].normal, w = support(&p, n);
    double height = sup_v3_dot(n, w), rise = height - p.face[near].offset;
    if (height < least) least = height, *direction = n; /* every direction seen is an upper bound */
    if (!(rise > sup_geom_numerics.overlap * size) ||
        !(least - p.face[near].offset > sup_geom_numerics.overlap * size))
      return 1;
    if (!grow(&p, w, 1e-12 * size)) return 1;
  }
}
