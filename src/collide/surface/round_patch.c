#include "collide/surface/round_patch.h"

#include <math.h>

#include "base/memory.h"
#include "collide/surface/numerics.h"
#include "geom/shape.h"

enum { SLICES = 8, ACROSS = 3 };

/** Gauss points and weights on [-1, 1]. */
static const double slice_point[SLICES] = {
    -0.96028985649753623, -0.79666647741362674, -0.52553240991632899, -0.18343464249564980,
    0.18343464249564980,  0.52553240991632899,  0.79666647741362674,  0.96028985649753623};
static const double slice_weight[SLICES] = {
    0.10122853629037626, 0.22238103445337447, 0.31370664587788729, 0.36268378337836198,
    0.36268378337836198, 0.31370664587788729, 0.22238103445337447, 0.10122853629037626};
static const double across_point[ACROSS] = {-0.77459666924148338, 0, 0.77459666924148338};
static const double across_weight[ACROSS] = {5. / 9, 8. / 9, 5. / 9};

int sup_round_patch_is_for(const sup_shape *a, const sup_shape *b) {
  return a->type != SUP_SHAPE_MESH && b->type != SUP_SHAPE_MESH &&
         (sup_shape_is_round(a) || sup_shape_is_round(b));
}

/* ---- the gap --------------------------------------------------------------------------------- */

/** Decrease of the gap at p along n with this motion in time t [m]. */
static double closing(const sup_round_case *c, const sup_surface_motion *m, sup_v3 p, sup_v3 n,
                      double t) {
  sup_v3 va = sup_surface_rigid_velocity(m->v_a, m->w_a, c->X_WS.p, p),
         vb = sup_surface_rigid_velocity(m->v_b, m->w_b, c->X_WL.p, p);
  return t * sup_v3_dot(n, sup_v3_sub(va, vb));
}

/** Smallest level of the law (THEORY 6.2, 6.5) over the motions first .. end - 1 [m]. */
static double nearest(const sup_round_case *c, const sup_witness *w, sup_v3 n, int first, int end) {
  const sup_surface_query *query = c->query;
  sup_v3                   p = sup_v3_scale(0.5, sup_v3_add(w->a, w->b));
  double at_start = w->phi + closing(c, &query->motion[0], p, n, query->elapsed), least = HUGE_VAL;
  for (int k = first; k < end; k++) {
    const sup_surface_motion *m = &query->motion[k];
    double                    level = at_start - closing(c, m, p, n, query->ahead);
    if (query->glide > 0) {
      sup_v3 va = sup_surface_rigid_velocity(m->v_a, m->w_a, c->X_WS.p, p),
             vb = sup_surface_rigid_velocity(m->v_b, m->w_b, c->X_WL.p, p);
      sup_v3 slip = sup_v3_add(sup_v3_sub(va, vb), query->belt);
      level -= query->glide * sup_v3_norm(sup_v3_madd(slip, -sup_v3_dot(slip, n), n));
    }
    least = sup_min(least, level);
  }
  return least;
}

/** The point of the set that is deepest. */
static int deepest_of(const sup_point_set *set) {
  int best = 0;
  for (int k = 1; k < set->count; k++)
    if (set->point[k].phi < set->point[best].phi) best = k;
  return best;
}

/** Keep the points whose gap exceeds the least one by at most `more`. */
static void keep_near(sup_point_set *set, double more) {
  double least = set->point[deepest_of(set)].phi;
  int    kept = 0;
  for (int k = 0; k < set->count; k++)
    if (set->point[k].phi <= least + more) set->point[kept++] = set->point[k];
  set->count = kept;
}

/** Nearest points of the shapes within a small share of the size, independent of the search's
 * reach; two on a line, more on flat features. */
static void find_points(const sup_round_case *c, sup_point_set *set) {
  sup_moving_shape b = {c->b.shape, c->b.X, c->X_WL, {0, 0, 0}, {0, 0, 0}};
  double           margin = c->query->everything ? HUGE_VAL : sup_surface_reach(&b, c->query);
  double           size = sup_min(sup_shape_radius(c->a.shape), sup_shape_radius(c->b.shape)),
         beside = sup_surface_numerics.round_line * size;
  sup_collide_point(&c->a, &c->b, margin + beside, HUGE_VAL, set);
  if (set->count > 0) keep_near(set, beside);
  if (set->count > 2) keep_near(set, sup_surface_numerics.round_flat * size);
  if (set->count != 2) return;
  double apart = sup_v3_norm(sup_v3_sub(set->point[1].a, set->point[0].a));
  if (apart > sup_surface_numerics.round_apart * size) return;
  set->point[0] = set->point[deepest_of(set)], set->count = 1;
}

int sup_round_patch_missed(const sup_round_case *c) {
  sup_point_set set;
  int           last = c->query->num_motions - 1, is_missed = 0;
  find_points(c, &set);
  if (set.count > 2) return -1;
  double size = sup_min(sup_shape_radius(c->a.shape), sup_shape_radius(c->b.shape));
  for (int k = 0; k < set.count; k++) {
    const sup_witness *w = &set.point[k];
    is_missed |=
        sup_min(w->phi, nearest(c, w, set.normal, 0, last)) > c->query->drop &&
        nearest(c, w, set.normal, last, last + 1) < -sup_surface_numerics.round_missed * size;
  }
  return is_missed;
}

/* ---- the overlap ----------------------------------------------------------------------------- */

/** The patch in the plane through m across n; s along e[0], t along e[1]. */
typedef struct patch {
  const sup_round_case *c;
  sup_v3                m, n, e[2];
  double                shift;      /* psi at the rim [m]: 0, or the largest decrease of a gap */
  double                lean, from; /* slope along s of this decrease; s where it is `shift` [m] */
  double                scale;      /* width of the patch of two balls of the same curvature [m] */
  int                   is_line;
  double                area, volume, square; /* of shift - psi: [m^2], [m^3], [m^4] */
  double                sum[2], moment[2];    /* of shift - psi times s, t; s^2, t^2 */
  double                first[2], second[2];  /* of the area: s, t; s^2, t^2 */
  double                end[2][2];   /* lower and upper limits of the rim: s, and t at the middle */
  double                along[2][2]; /* part of a place's offset that elastic forces have */
  double                depth;       /* of the deepest point below the rim [m] */
  double                expected;    /* depth of the secant [m]; 0: the tangent alone */
  double                tilt[2];     /* slope along s of the gaps of tangent and secant */
} patch;

static sup_v3 place(const patch *p, double s, double t) {
  return sup_v3_madd(sup_v3_madd(p->m, s, p->e[0]), t, p->e[1]);
}

/** psi at the rim. */
static double rim_level(const patch *p, double s) { return p->shift + p->lean * (s - p->from); }

/** psi less that at the rim. */
static double level(const patch *p, double s, double t) {
  sup_v3 x = place(p, s, t), g;
  return sup_shape_depth(p->c->a.shape, sup_frame_apply_inverse(&p->c->a.X, x), &g) +
         sup_shape_depth(p->c->b.shape, sup_frame_apply_inverse(&p->c->b.X, x), &g) -
         rim_level(p, s);
}

/** Distance from an inner point with level `inside` to the rim along a direction of the plane;
 * since the level is convex, secants from outside stay outside. */
static double rim(const patch *p, double s, double t, double ds, double dt, double inside) {
  enum { DOUBLINGS = 40, MOST = 40 };
  double low = 0, f_low = inside, high = p->scale, f_high = level(p, s + ds * high, t + dt * high);
  for (int k = 0; k < DOUBLINGS && f_high < 0; k++) {
    low = high, f_low = f_high, high *= 2;
    f_high = level(p, s + ds * high, t + dt * high);
  }
  for (int k = 0; k < MOST && high - low > 1e-9 * high && f_high > 0; k++) {
    double x = low + (high - low) * (f_low / (f_low - f_high));
    if (k % 2) x = 0.5 * (low + high); /* for levels with a kink at an edge */
    double f = level(p, s + ds * x, t + dt * x);
    if (f < 0)
      low = x, f_low = f;
    else
      high = x, f_high = f;
  }
  /* root up to round-off: an end of the bracket would depend on the iterations */
  return f_high > 0 ? low + (high - low) * (f_low / (f_low - f_high)) : high;
}

/** Point of least level among samples towards the deepest point; it does not pass the end of a
 * line, beyond which the level is the distance from the end's face (0 for two flush faces). */
static double find_inside(const patch *p, const sup_witness *deepest, double *inside) {
  static const double share[] = {0, 0.5, 0.9, 1 - 1e-9};
  double              at = 0, end = sup_v3_dot(p->e[0], sup_v3_sub(deepest->a, p->m));
  *inside = level(p, 0, 0);
  for (size_t k = 1; p->is_line && k < sizeof share / sizeof *share; k++) {
    double f = level(p, share[k] * end, 0);
    if (f < *inside) *inside = f, at = share[k] * end;
  }
  return at;
}

/** Direction e[0] of the longest extent of the patch; among equal extents an axis of b. */
static void set_axes(patch *p, const sup_point_set *set) {
  sup_v3 along = {0, 0, 0};
  double least = HUGE_VAL;
  for (int k = 0; k < 3; k++) {
    sup_v3 axis = sup_m3_column(&p->c->b.X.R, k);
    double c = fabs(sup_v3_dot(axis, p->n));
    if (c < least - 1e-6) least = c, along = axis;
  }
  if (p->is_line) along = sup_v3_sub(set->point[1].a, set->point[0].a);
  p->e[0] = sup_v3_unit(sup_v3_madd(along, -sup_v3_dot(along, p->n), p->n));
  p->e[1] = sup_v3_cross(p->n, p->e[0]);
  if (p->is_line) return;
  double c0 = 0, c1 = 0, c2 = 0, middle = level(p, 0, 0), h = p->scale;
  for (int k = 0; k < 3; k++) {
    double angle = k * 1.0471975511965976, c = h * cos(angle), s = h * sin(angle);
    double rise = 0.5 * (level(p, c, s) + level(p, -c, -s)) - middle;
    c0 += rise, c1 += rise * cos(2 * angle), c2 += rise * sin(2 * angle);
  }
  if (!(hypot(c1, c2) > 1e-3 * c0)) return;
  double turn = 0.5 * atan2(-c2, -c1); /* direction of least rise */
  sup_v3 e = sup_v3_madd(sup_v3_scale(cos(turn), p->e[0]), sin(turn), p->e[1]);
  p->e[0] = e, p->e[1] = sup_v3_cross(p->n, e);
}

/** The same place with other levels, unmeasured. */
static patch rest_of(const patch *p, double shift) {
  patch out = {.c = p->c, .n = p->n, .m = p->m, .shift = shift, .scale = p->scale};
  out.is_line = p->is_line, out.along[0][0] = p->along[0][0];
  for (int k = 0; k < 2; k++) out.e[k] = p->e[k];
  return out;
}

/** One slice at s of weight ds. */
static void add_slice(patch *p, double s, double ds) {
  double inside = level(p, s, 0);
  if (!(inside < 0)) return;
  double upper = rim(p, s, 0, 0, 1, inside), lower = -rim(p, s, 0, 0, -1, inside);
  double half = 0.5 * (upper - lower), middle = 0.5 * (upper + lower);
  p->area += ds * 2 * half;
  for (int k = 0; k < ACROSS; k++) {
    double t = middle + half * across_point[k], f = sup_max(0, -level(p, s, t));
    double a = ds * half * across_weight[k], w = a * f;
    p->volume += w, p->square += w * f;
    p->sum[0] += w * s, p->sum[1] += w * t;
    p->moment[0] += w * s * s, p->moment[1] += w * t * t;
    p->first[0] += a * s, p->first[1] += a * t;
    p->second[0] += a * s * s, p->second[1] += a * t * t;
  }
}

static void measure(patch *p, double inside_at, double inside) {
  p->end[0][1] = inside_at + rim(p, inside_at, 0, 1, 0, inside);
  p->end[0][0] = inside_at - rim(p, inside_at, 0, -1, 0, inside);
  double half = 0.5 * (p->end[0][1] - p->end[0][0]), middle = 0.5 * (p->end[0][1] + p->end[0][0]);
  for (int k = 0; k < SLICES; k++)
    add_slice(p, middle + half * slice_point[k], half * slice_weight[k]);
  double at_middle = level(p, middle, 0);
  p->end[1][0] = -rim(p, middle, 0, 0, -1, at_middle);
  p->end[1][1] = rim(p, middle, 0, 0, 1, at_middle);
}

/* ---- lines of action ------------------------------------------------------------------------- */

/** Directions in the plane along which a line of action may leave the deepest point: an elastic
 * force has no moment about the axis of a shape that turns into itself. */
static void free_directions(const patch *p, const sup_posed_shape *of, double out[2][2]) {
  int    axis = sup_shape_axis(of->shape);
  sup_v3 z = axis < 3 ? sup_m3_column(&of->X.R, axis) : (sup_v3){0, 0, 0};
  double e[2] = {sup_v3_dot(z, p->e[0]), sup_v3_dot(z, p->e[1])},
         square = e[0] * e[0] + e[1] * e[1];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      out[i][j] =
          axis < 3 && square > 0 ? e[i] * e[j] / square : i == j && axis == SUP_SHAPE_NO_AXIS;
}

/** Radius about a shape's straight line; 0: it has none. */
static double radius_of_line(const sup_shape *s) {
  return s->type == SUP_SHAPE_CAPSULE || s->type == SUP_SHAPE_CYLINDER ? s->size[0] : 0;
}

/** Variance along direction k of the places that resist tilting as the patch does: by parts, a
 * patch of a shape that turns on its own curve moves along and resists with none. */
static double resisting(const patch *p, int k) {
  double ra = radius_of_line(p->c->a.shape), rb = radius_of_line(p->c->b.shape),
         radius = ra > 0 && rb > 0 ? sup_min(ra, rb) : sup_max(ra, rb);
  double centre = p->first[k] / p->area;
  if (!(radius > 0)) return 0;
  return sup_max(0, p->second[k] / p->area - centre * centre - radius * p->volume / p->area);
}

static void set_along(patch *p) {
  double a[2][2], b[2][2];
  p->along[0][0] = p->is_line;
  if (p->is_line) return;
  free_directions(p, &p->c->a, a), free_directions(p, &p->c->b, b);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      p->along[i][j] =
          0.5 * (a[i][0] * b[0][j] + a[i][1] * b[1][j] + b[i][0] * a[0][j] + b[i][1] * a[1][j]);
}

/* ---- contacts -------------------------------------------------------------------------------- */

/** Outline for output: quarter of the patch towards (i, j), between two shares of the distance to
 * the rim; pressures are those at its corners. */
static void draw(const patch *p, double slope, int i, int j, const double centre[2],
                 const double way[2], sup_contact *out) {
  double s = p->end[0][i] - centre[0], t = p->end[1][j] - centre[1],
         f = p->is_line ? sup_surface_numerics.round_drawn : 1;
  double       corner = p->is_line ? f : 0.70710678118654752;
  const double at[3][2] = {{f * s, 0}, {corner * s, (p->is_line ? 1 : corner) * t}, {0, t}};
  int          inner = way[0] > 0 ? 3 : 1; /* the middle, or as many inner corners as outer ones */
  out->num_points = 3 + inner;
  for (int k = 0; k < out->num_points; k++) {
    int    m = i == j ? k : (out->num_points - k) % out->num_points; /* counter-clockwise */
    double share = way[m >= inner];
    int    c = m >= inner ? m - inner : 2 - m;
    double x = centre[0] + share * at[c][0], y = centre[1] + share * at[c][1];
    out->point[k] = place(p, x, y);
    out->level[k] = slope * sup_max(0, -level(p, x, y));
  }
}

/** Linear models in d of the force C V(d), with d the depth at the centre of pressure: the tangent
 * at the present depth and, unless the bodies are already pressed together, the secant at the
 * expected depth, with V ~ d^(A d/V).  With the tangent at small depth alone, an unresolved impact
 * penetrates too deep.  A part of a line keeps its length: d and V are those of its slice at
 * centre. */
static void set_lines(const patch *p, const double centre[2], sup_contact *to) {
  double mean = p->volume / p->area, depth = p->depth, power = depth / mean;
  if (p->is_line) {
    patch slice = rest_of(p, rim_level(p, centre[0]));
    add_slice(&slice, centre[0], 1);
    depth = -level(p, centre[0], 0), power = depth * slice.area / slice.volume;
  }
  to->patch_area = p->area;
  to->phi = rim_level(p, centre[0]) - mean,
  to->spread = sup_max(0, p->square / p->area - mean * mean);
  if (!(p->expected > 0)) return;
  to->secant_slope = to->slope * mean / depth * pow(sup_max(p->expected, depth) / depth, power - 1);
  to->secant_phi = rim_level(p, centre[0]) - depth, to->power = power;
}

/** Contacts of the same area at centre +- wide. */
typedef struct ring {
  double wide[2]; /* along s and t [m] */
  double depth;   /* reduction against the patch's mean [m] */
  double way[2];  /* shares of the distance to the rim, for the outline */
} ring;

/** Points whose elastic force and moment equal those of the patch.  One ring has the standard
 * deviations of the pressure, as damping by Hunt and Crossley requires.  A damper independent of
 * the pressure requires the standard deviations of the area: two rings have both, and the square of
 * the pressure. */
static int set_rings(const patch *p, const double centre[2], ring out[2]) {
  double mean = p->volume / p->area;
  double vary = sqrt(sup_min(sup_max(0, p->square / (p->area * mean * mean) - 1), 1));
  int    is_two = p->c->pair->look_ahead > 0 && vary > 0;
  for (int r = 0; r < 1 + is_two; r++) {
    static const double sqrt_half =
        0.70710678118654752; /* share of the area within the inner ring */
    out[r] = (ring){.depth = is_two ? (r ? vary : -vary) * mean : 0, .way = {r ? sqrt_half : 0, 1}};
    if (is_two && r == 0) out[r].way[1] = sqrt_half;
  }
  for (int k = 0; k < 2; k++) {
    double m = sup_max(0, p->moment[k] / p->volume - centre[k] * centre[k]);
    double a = (p->second[k] - 2 * centre[k] * p->first[k]) / p->area + centre[k] * centre[k];
    double apart = is_two && a > 0 ? sup_min(sup_max(0, (1 - m / a) / vary), 1) : 0;
    out[0].wide[k] = sqrt(is_two ? a * (1 - apart) : m);
    out[1].wide[k] = sqrt(a * (1 + apart));
  }
  return 1 + is_two;
}

/** Place of the elastic force of the quarter towards (i, j).  A secant of power n has 1/n of the
 * stiffness of the force's moment, which stands at n times the variance. */
static sup_v3 foot_of(const patch *p, const sup_contact *lines, const double centre[2], int i,
                      int j) {
  double more = lines->secant_slope > 0 ? lines->power : 1;
  double s = sqrt(more * resisting(p, 0)), t = sqrt(more * resisting(p, 1));
  s = centre[0] + (i ? s : -s), t = centre[1] + (j ? t : -t);
  return place(p, p->along[0][0] * s + p->along[0][1] * t, p->along[1][0] * s + p->along[1][1] * t);
}

/** A quarter of the ring's area towards each quarter of the patch. */
static void add_ring(sup_contact_list *list, const sup_contact *lines, const patch *p,
                     const double centre[2], const ring *r, double area, int first) {
  const sup_round_case     *c = p->c;
  const sup_surface_motion *now = &c->query->motion[0];
  int                       is_damped = c->pair->dissipation > 0 || c->pair->look_ahead > 0;
  double                    axis = closing(c, now, p->m, p->n, c->query->dt);
  for (int q = 0; q < 4; q++) {
    int          i = q & 1, j = q >> 1;
    double       s = centre[0] + (i ? r->wide[0] : -r->wide[0]);
    double       t = centre[1] + (j ? r->wide[1] : -r->wide[1]);
    sup_contact *to = &list->contact[list->count++];
    *to = *lines;
    to->item_a = first + q, to->item_b = SUP_NONE;
    to->normal = p->n, to->facing = 1;
    to->area = 0.25 * area;
    to->phi += r->depth + p->tilt[0] * (s - centre[0]);
    to->secant_phi += p->tilt[1] * (s - centre[0]);
    to->centroid = to->foot = place(p, s, t);
    if (!is_damped) to->foot = foot_of(p, lines, centre, i, j);
    /* a point carried away by spin is replaced by another point of the same depth */
    if (!(c->query->elapsed > 0))
      to->advance = axis - closing(c, now, to->foot, p->n, c->query->dt);
    draw(p, lines->slope, i, j, centre, r->way, to);
  }
}

static sup_status add_places(sup_contact_list *list, const sup_contact *prototype, const patch *p,
                             int first) {
  const double centre[2] = {p->sum[0] / p->volume, p->sum[1] / p->volume};
  ring         place_at[2];
  int          count = set_rings(p, centre, place_at);
  sup_contact  lines = *prototype;
  set_lines(p, centre, &lines);
  if (count > 1) lines.spread = 0;
  SUP_TRY(SUP_GROW(list->contact, list->capacity, list->count + 4 * count));
  for (int r = 0; r < count; r++)
    add_ring(list, &lines, p, centre, &place_at[r], p->area / count, first + 4 * r);
  return SUP_OK;
}

static double roundness(const sup_shape *a, const sup_shape *b) {
  double ra = sup_shape_is_round(a) ? sup_shape_radius(a) : HUGE_VAL,
         rb = sup_shape_is_round(b) ? sup_shape_radius(b) : HUGE_VAL;
  return sup_min(ra, rb);
}

/** Depth for the area of a patch, of an expected one [m]. */
static double bounded(const sup_round_case *c, double depth) {
  double radius = roundness(c->a.shape, c->b.shape);
  double least = sup_max(sup_surface_numerics.round_rest * c->query->drop,
                         sup_surface_numerics.round_least * radius);
  return sup_min(sup_max(depth, least), sup_surface_numerics.round_most * radius);
}

/** Contacts where a tilted line is still open, from the rim of the patch to end `side` of the line:
 * without them the body turns about the patch and its other end falls in unresisted. */
static sup_status add_open(sup_contact_list *list, const sup_contact *prototype, const patch *whole,
                           const sup_point_set *set, int side) {
  const sup_round_case *c = whole->c;
  double                near = whole->end[0][side],
         far = sup_v3_dot(whole->e[0], sup_v3_sub(set->point[side].a, whole->m));
  double length = side ? far - near : near - far, at = 0.5 * (near + far);
  int    count = c->query->num_motions,
      is_long = length > sup_surface_numerics.round_apart * fabs(far);
  if (!is_long || nearest(c, &set->point[side], whole->n, 0, count) > c->query->drop) return SUP_OK;
  double      gap = level(whole, at, 0) + rim_level(whole, at);
  sup_v3      x = place(whole, at, 0);
  sup_witness w = {.a = x, .b = x, .phi = gap};
  double      depth = bounded(c, -nearest(c, &w, whole->n, 0, count));
  patch       p = rest_of(whole, gap + depth);
  p.depth = depth, p.expected = sup_max(c->query->drop, depth);
  p.tilt[0] = p.tilt[1] = (level(&p, far, 0) - level(&p, near, 0)) / (far - near);
  add_slice(&p, at, length);
  if (!(p.volume > 0)) return SUP_OK;
  p.moment[0] += p.volume * length * length / 12, p.second[0] += p.area * length * length / 12;
  p.end[0][!side] = near, p.end[0][side] = far;
  p.end[1][1] = 0.5 * p.area / length, p.end[1][0] = -p.end[1][1];
  return add_places(list, prototype, &p, 8 * (1 + side));
}

/** Smallest level of the law at a point over all motions, or its gap [m]. */
static double ahead_of(const sup_round_case *c, const sup_point_set *set, int k) {
  const sup_witness *w = &set->point[k];
  return sup_min(w->phi, nearest(c, w, set->normal, 0, c->query->num_motions));
}

/** Slope of the decrease of the gap from point `deepest` of a line to its other end. */
static double lean_of(const patch *p, const sup_point_set *set, int deepest) {
  const sup_witness *w = set->point;
  double             way[2], s[2];
  for (int k = 0; k < 2; k++) {
    way[k] = w[k].phi - ahead_of(p->c, set, k);
    s[k] = sup_v3_dot(p->e[0], sup_v3_sub(w[k].a, p->m));
  }
  return (way[!deepest] - way[deepest]) / (s[!deepest] - s[deepest]);
}

/** The point of the set from which a patch is made: the deepest at the start, of bodies that land
 * the deepest ahead. */
typedef struct landing {
  int    deepest;
  double gap, ahead;
  bool   is_lasting;
} landing;

static landing landing_of(const sup_round_case *c, const sup_point_set *set) {
  landing at = {.deepest = deepest_of(set)};
  at.gap = set->point[at.deepest].phi, at.ahead = ahead_of(c, set, at.deepest);
  at.is_lasting = at.gap < 0 && at.ahead >= at.gap - c->query->drop;
  if (at.is_lasting || set->count != 2 || !(ahead_of(c, set, !at.deepest) < at.ahead)) return at;
  at.deepest = !at.deepest;
  at.gap = set->point[at.deepest].phi, at.ahead = ahead_of(c, set, at.deepest);
  return at;
}

/** Place, axes and rim of a patch that is not yet measured. */
static patch patch_of(const sup_round_case *c, const sup_point_set *set, const landing *at) {
  int                is_line = set->count == 2;
  const sup_witness *w = &set->point[at->deepest], *first = is_line ? &set->point[0] : w,
                    *last = is_line ? &set->point[1] : w;
  double depth = bounded(c, at->is_lasting ? -at->gap : -at->ahead), drop = c->query->drop;
  patch  p = {.c = c, .n = set->normal, .is_line = is_line};
  sup_v3 a = sup_v3_scale(0.5, sup_v3_add(first->a, last->a)),
         b = sup_v3_scale(0.5, sup_v3_add(first->b, last->b));
  p.m = sup_v3_madd(sup_v3_scale(c->pair->share_a, a), 1 - c->pair->share_a, b);
  p.shift = at->gap + depth, p.scale = sqrt(2 * roundness(c->a.shape, c->b.shape) * depth);
  p.depth = depth, p.expected = at->is_lasting && drop <= depth ? 0 : sup_max(drop, depth);
  set_axes(&p, set);
  if (p.is_line && !at->is_lasting) {
    p.from = sup_v3_dot(p.e[0], sup_v3_sub(w->a, p.m));
    p.tilt[0] = p.tilt[1] = p.lean = lean_of(&p, set, at->deepest);
  }
  return p;
}

sup_status sup_collide_round_patch(sup_contact_list *list, const sup_contact *prototype,
                                   const sup_round_case *c, int *is_flat) {
  sup_point_set set;
  find_points(c, &set);
  *is_flat = set.count > 2;
  if (set.count == 0 || *is_flat) return SUP_OK;
  landing at = landing_of(c, &set);
  if (at.ahead > c->query->drop) return SUP_OK;
  patch  p = patch_of(c, &set, &at);
  double radius = roundness(c->a.shape, c->b.shape), inside,
         inside_at = find_inside(&p, &set.point[at.deepest], &inside);
  /* in a thin part depths refer to its other side; at round-off size they do not count */
  *is_flat = !(inside < 0) ||
             (at.gap < -sup_surface_numerics.round_least * radius &&
              inside + rim_level(&p, inside_at) > sup_surface_numerics.round_through * at.gap);
  if (*is_flat) return SUP_OK;
  measure(&p, inside_at, inside);
  set_along(&p);
  if (!(p.volume > 0)) return SUP_OK;
  sup_contact lines = *prototype;
  lines.penetration = sup_max(0, -at.gap);
  SUP_TRY(add_places(list, &lines, &p, 0));
  for (int side = 0; side < 2 * p.is_line; side++)
    SUP_TRY(add_open(list, prototype, &p, &set, side));
  return SUP_OK;
}
