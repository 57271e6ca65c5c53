#include "mesh/generate/finray_fillet.h"

/** An arc that rounds a corner. */
typedef struct arc {
  sup_v3 centre, middle; /* unit way from the centre to the middle of the arc */
  sup_v3 end[2]; /* unit directions to its ends on the wall (0) and on the rib or block (1) */
  double half;   /* of its angle */
  double cut;    /* from the sharp corner to the ends */
} arc;

typedef struct cavity {
  const sup_finray_side *side;
  double                 radius;
  int                    cells, number; /* from the base, from 1 */
  int                    row[2];        /* first and last grid line */
  sup_v3                 corner[2][2];  /* front and back, low and high */
  arc                    arc[2][2];
} cavity;

static sup_v3 *point(const sup_finray_side *side, int i, int j) {
  return side->x + i * (side->n[1] + 1) + j;
}

static sup_v3 between(sup_v3 a, sup_v3 b, double s) {
  return sup_v3_madd(sup_v3_scale(1 - s, a), s, b);
}

static arc round_corner(sup_v3 corner, sup_v3 along_wall, sup_v3 along_rib, double radius) {
  sup_v3 w = sup_v3_unit(sup_v3_sub(along_wall, corner)),
         r = sup_v3_unit(sup_v3_sub(along_rib, corner));
  sup_v3 inward = sup_v3_unit(sup_v3_add(w, r));
  double half_corner = 0.5 * acos(sup_v3_dot(w, r));
  arc    a = {.middle = sup_v3_scale(-1, inward), .cut = radius / tan(half_corner)};
  a.half = 0.5 * acos(-1) - half_corner;
  a.centre = sup_v3_madd(corner, radius / sin(half_corner), inward);
  a.end[0] = sup_v3_scale(1 / radius, sup_v3_sub(sup_v3_madd(corner, a.cut, w), a.centre));
  a.end[1] = sup_v3_scale(1 / radius, sup_v3_sub(sup_v3_madd(corner, a.cut, r), a.centre));
  return a;
}

/** Vertex k of `cells` + 1 from the middle of the arc to one of its ends. */
static sup_v3 arc_point(const cavity *c, const arc *a, int end, int k) {
  double s = (double)k / c->cells, near = sin((1 - s) * a->half), far = sin(s * a->half);
  sup_v3 way = sup_v3_add(sup_v3_scale(near, a->middle), sup_v3_scale(far, a->end[end]));
  return sup_v3_madd(a->centre, c->radius / sin(a->half), way);
}

/** Side of the cavity: two corners, the arcs at the corners, the ends of the arcs on the side,
 * bricks along it. */
typedef struct edge {
  sup_v3     corner[2];
  const arc *arc[2];
  int        end, num;
} edge;

/** Vertex k of an edge, and the share at which the line through it meets the opposite side. */
static sup_v3 edge_point(const cavity *c, const edge *e, int k, double *share) {
  double length = sup_v3_norm(sup_v3_sub(e->corner[1], e->corner[0]));
  double low = e->arc[0]->cut / length, high = 1 - e->arc[1]->cut / length;
  int    m = c->cells, from_end = e->num - k;
  if (k < m) return *share = low * k / m, arc_point(c, e->arc[0], e->end, k);
  if (from_end < m)
    return *share = 1 - (1 - high) * from_end / m, arc_point(c, e->arc[1], e->end, from_end);
  *share = low + (high - low) * (k - m) / (e->num - 2 * m);
  return between(e->corner[0], e->corner[1], *share);
}

static sup_status check_edge(const cavity *c, const edge *e, const char *name) {
  double length = sup_v3_norm(sup_v3_sub(e->corner[1], e->corner[0])),
         cut = e->arc[0]->cut + e->arc[1]->cut;
  if (cut < (1 - 1e-6) * length) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "finray: fillets of %g mm need %g mm along the %s cavity %d from the base, which "
                  "is %g mm long; expected a radius below %g mm",
                  1e3 * c->radius, 1e3 * cut, name, c->number, 1e3 * length,
                  1e3 * c->radius * length / cut);
}

static edge wall_edge(const cavity *c, int wall) {
  return (edge){.corner = {c->corner[wall][0], c->corner[wall][1]},
                .arc = {&c->arc[wall][0], &c->arc[wall][1]},
                .end = 0,
                .num = c->row[1] - c->row[0]};
}

static edge rib_edge(const cavity *c, int high) {
  return (edge){.corner = {c->corner[0][high], c->corner[1][high]},
                .arc = {&c->arc[0][high], &c->arc[1][high]},
                .end = 1,
                .num = c->side->between[1] - c->side->between[0]};
}

/** The rows beside the cavity, on the inner and the outer face of a wall. */
static void move_wall(const cavity *c, int wall) {
  const sup_finray_side *s = c->side;
  int                    inner = s->between[wall], outer = wall ? s->n[0] : 0;
  sup_v3                 low = *point(s, outer, c->row[0]), high = *point(s, outer, c->row[1]);
  edge                   e = wall_edge(c, wall);
  for (int k = 0; k <= e.num; k++) {
    double share;
    *point(s, inner, c->row[0] + k) = edge_point(c, &e, k, &share);
    if (k > 0 && k < e.num) *point(s, outer, c->row[0] + k) = between(low, high, share);
  }
}

/** The columns below or above the cavity, on the face of the rib or block and, of a block, at the
 * finger's end. */
static void move_rib(const cavity *c, int high) {
  const sup_finray_side *s = c->side;
  int                    far = high ? s->n[1] : 0, first = s->between[0], is_block = 1;
  edge                   e = rib_edge(c, high);
  sup_v3                 left = *point(s, first, far), right = *point(s, first + e.num, far);
  for (int j = high ? c->row[1] : 0; j < (high ? s->n[1] : c->row[0]); j++)
    is_block = is_block && !s->is_hollow[j];
  for (int k = 0; k <= e.num; k++) {
    double share;
    *point(s, first + k, c->row[high]) = edge_point(c, &e, k, &share);
    if (is_block && k > 0 && k < e.num) *point(s, first + k, far) = between(left, right, share);
  }
}

static sup_status round_cavity(const sup_finray_side *s, int number, const int row[2],
                               double radius, int cells) {
  static const char *const name[2][2] = {{"front wall of", "back wall of"},
                                         {"lower side of", "upper side of"}};
  cavity                   c = {.side = s, .radius = radius, .cells = cells, .number = number};
  c.row[0] = row[0], c.row[1] = row[1];
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) c.corner[a][b] = *point(s, s->between[a], row[b]);
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++)
      c.arc[a][b] = round_corner(c.corner[a][b], c.corner[a][1 - b], c.corner[1 - a][b], radius);
  for (int a = 0; a < 2; a++) {
    edge wall = wall_edge(&c, a), rib = rib_edge(&c, a);
    SUP_TRY(check_edge(&c, &wall, name[0][a]));
    SUP_TRY(check_edge(&c, &rib, name[1][a]));
  }
  for (int a = 0; a < 2; a++) move_wall(&c, a), move_rib(&c, a);
  return SUP_OK;
}

/** Grid points inside of ribs and blocks, rows [first, last], then of the walls beside: on straight
 * lines. */
static void fill_band(const sup_finray_side *s, int first, int last) {
  for (int i = s->between[0]; i <= s->between[1]; i++)
    for (int j = first + 1; j < last; j++)
      *point(s, i, j) =
          between(*point(s, i, first), *point(s, i, last), (double)(j - first) / (last - first));
}

static void fill_walls(const sup_finray_side *s) {
  for (int j = 0; j <= s->n[1]; j++)
    for (int wall = 0; wall < 2; wall++) {
      int first = wall ? s->between[1] : 0, last = wall ? s->n[0] : s->between[0];
      for (int i = first + 1; i < last; i++)
        *point(s, i, j) =
            between(*point(s, first, j), *point(s, last, j), (double)(i - first) / (last - first));
    }
}

/** Twice the area of the triangle of a corner of brick (i, j) and its neighbours, corners counted
 * around. */
static double corner_area(const sup_finray_side *s, int i, int j, int corner) {
  static const int at[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  const int       *before = at[(corner + 3) % 4], *here = at[corner], *after = at[(corner + 1) % 4];
  sup_v3           x = *point(s, i + here[0], j + here[1]);
  return sup_v3_cross(sup_v3_sub(*point(s, i + after[0], j + after[1]), x),
                      sup_v3_sub(*point(s, i + before[0], j + before[1]), x))
      .z;
}

bool sup_finray_has_turned_brick(const sup_finray_side *s, sup_v3 *at) {
  for (int i = 0; i < s->n[0]; i++)
    for (int j = 0; j < s->n[1]; j++)
      for (int corner = 0; corner < 4; corner++) {
        if (s->is_hollow[j] && i >= s->between[0] && i < s->between[1]) continue;
        if (corner_area(s, i, j, corner) > 0) continue;
        *at = *point(s, i, j);
        return 1;
      }
  return 0;
}

sup_status sup_finray_round(const sup_finray_side *side, double radius, int cells) {
  int number = 0;
  for (int pass = 0; pass < 2; pass++) /* cavities, then the blocks between them */
    for (int row[2] = {0, 0}; row[0] < side->n[1]; row[0] = row[1]) {
      bool is_hollow = side->is_hollow[row[0]];
      for (row[1] = row[0]; row[1] < side->n[1] && side->is_hollow[row[1]] == is_hollow;) row[1]++;
      if (pass == 0 && is_hollow) SUP_TRY(round_cavity(side, ++number, row, radius, cells));
      if (pass == 1 && !is_hollow) fill_band(side, row[0], row[1]);
    }
  fill_walls(side);
  sup_v3 x;
  if (!sup_finray_has_turned_brick(side, &x)) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "finray: fillets of %g mm turn a brick near (%.3g, %.3g) mm inside out, where a "
                  "rib and a wall are far from perpendicular; expected a smaller radius or rib "
                  "angle, or thicker ribs",
                  1e3 * radius, 1e3 * x.x, 1e3 * x.y);
}

/* ---- tip ------------------------------------------------------------------------------------- */

/** A corner, the unit ways along its two sides, the arc. */
typedef struct tip_corner {
  sup_v3 at, u, w, centre;
  double radius, cut;
} tip_corner;

/** Distance from x to the arc along the unit vector d. */
static double way_to_arc(const tip_corner *c, sup_v3 x, sup_v3 d) {
  sup_v3 from = sup_v3_sub(x, c->centre);
  double along = sup_v3_dot(from, d);
  return -along + sqrt(fmax(0, along * along + c->radius * c->radius - sup_v3_dot(from, from)));
}

static void round_point(const tip_corner *c, sup_v3 *x) {
  sup_v3 way = sup_v3_sub(*x, c->at), inner, d;
  double det = c->u.x * c->w.y - c->u.y * c->w.x;
  double a = (way.x * c->w.y - way.y * c->w.x) / det, b = (c->u.x * way.y - c->u.y * way.x) / det;
  if (!(a < c->cut && b < c->cut)) return;
  inner = sup_v3_madd(sup_v3_madd(c->at, c->cut, c->u), c->cut, c->w);
  d = sup_v3_sub(*x, inner);
  double length = sup_v3_norm(d), share = fmax(c->cut - a, c->cut - b) / c->cut;
  if (!(length > 0)) return;
  double side = length / share; /* to the sharp outline */
  double to_arc = way_to_arc(c, inner, sup_v3_scale(1 / length, d));
  *x = sup_v3_madd(inner, 1 + (to_arc / side - 1) * share * share, d);
}

sup_status sup_finray_round_tip(const sup_finray_side *side, double radius, double block) {
  int    n = side->n[0], top = side->n[1], low = top;
  sup_v3 place;
  while (low > 0 && !side->is_hollow[low - 1]) low--;
  double     width = sup_v3_norm(sup_v3_sub(*point(side, n, top), *point(side, 0, top)));
  tip_corner corner[2];
  for (int k = 0; k < 2; k++) {
    sup_v3 at = *point(side, k ? n : 0, top);
    arc    a = round_corner(at, *point(side, k ? n : 0, low), *point(side, k ? 0 : n, top), radius);
    corner[k] = (tip_corner){.at = at, .centre = a.centre, .radius = radius, .cut = a.cut};
    corner[k].u = sup_v3_unit(sup_v3_sub(*point(side, k ? 0 : n, top), at));
    corner[k].w = sup_v3_unit(sup_v3_sub(*point(side, k ? n : 0, low), at));
  }
  if (corner[0].cut + corner[1].cut > width || fmax(corner[0].cut, corner[1].cut) > block)
    return SUP_FAIL(SUP_E_ARG,
                    "finray: corners of the tip with a radius of %g mm take %g of its width of %g "
                    "mm and %g of its block's %g mm; expected a smaller radius",
                    1e3 * radius, 1e3 * (corner[0].cut + corner[1].cut), 1e3 * width,
                    1e3 * fmax(corner[0].cut, corner[1].cut), 1e3 * block);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i <= n; i++)
      for (int j = low; j <= top; j++) round_point(&corner[k], point(side, i, j));
  if (!sup_finray_has_turned_brick(side, &place)) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "finray: corners of the tip with a radius of %g mm turn a brick near (%.3g, "
                  "%.3g) mm inside out; expected a smaller radius, or fewer cells in the tip",
                  1e3 * radius, 1e3 * place.x, 1e3 * place.y);
}
