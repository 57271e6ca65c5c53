/* Arcs in the place of inner corners: a circle that rolls along one side until it touches the
 * other. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "profile/numerics.h"
#include "profile/profile.h"

/** Side that leaves a corner: a straight piece or the chords of a curve, up to the next corner. */
typedef struct chain {
  const sup_loop *loop;
  int             corner, step, num; /* step 1: along the loop, -1: against it; pieces */
  double          length;
} chain;

/** The arc of a corner: lengths cut off the sides before and behind, its circle. */
typedef struct fillet {
  double reach[2], centre[2], start[2], end[2];
} fillet;

static const double *chain_point(const chain *c, int k) {
  int n = c->loop->num_points;
  return sup_loop_point(c->loop, ((c->corner + c->step * k) % n + n) % n);
}

static double distance(const double *a, const double *b) { return hypot(b[0] - a[0], b[1] - a[1]); }

/** The side before (step -1) or behind a corner. */
static chain chain_of(const sup_loop *loop, int corner, int step) {
  chain c = {.loop = loop, .corner = corner, .step = step};
  int   n = loop->num_points;
  do {
    c.length += distance(chain_point(&c, c.num), chain_point(&c, c.num + 1));
    c.num++;
  } while (c.num < n && !sup_loop_is_corner(loop, ((corner + step * c.num) % n + n) % n));
  return c;
}

/** Unit way of piece k of a chain, away from the corner. */
static void way_of(const chain *c, int k, double way[2]) {
  const double *a = chain_point(c, k), *b = chain_point(c, k + 1);
  double        length = distance(a, b);
  way[0] = (b[0] - a[0]) / length, way[1] = (b[1] - a[1]) / length;
}

/** The point s along a chain and its unit normal into the hole: that of a curve, between those of
 * its chords, which belong to their middles. */
static void look_at(const chain *c, double s, double x[2], double normal[2]) {
  int    k = 0;
  double length, way[2], next[2];
  for (; length = distance(chain_point(c, k), chain_point(c, k + 1)), k + 1 < c->num && s > length;
       k++)
    s -= length;
  double share = s / length - 0.5;
  int    other = share < 0 ? k - 1 : k + 1;
  way_of(c, k, way);
  way_of(c, other < 0 || other >= c->num ? k : other, next);
  for (int d = 0; d < 2; d++) {
    x[d] = chain_point(c, k)[d] + s * way[d];
    way[d] = (1 - fabs(share)) * way[d] + fabs(share) * next[d];
  }
  length = hypot(way[0], way[1]) * c->step; /* the hole is on the right of the loop */
  normal[0] = way[1] / length, normal[1] = -way[0] / length;
}

/** Arc length s along a chain of its point nearest to x; @return the distance. */
static double nearest_of(const chain *c, const double x[2], double *s) {
  double least = HUGE_VAL, before = 0;
  for (int k = 0; k < c->num; k++) {
    const double *a = chain_point(c, k), *b = chain_point(c, k + 1);
    double        length = distance(a, b), way[2], p[2];
    way_of(c, k, way);
    double t = fmin(fmax((x[0] - a[0]) * way[0] + (x[1] - a[1]) * way[1], 0), length);
    for (int d = 0; d < 2; d++) p[d] = a[d] + t * way[d];
    if (distance(x, p) < least) least = distance(x, p), *s = before + t;
    before += length;
  }
  return least;
}

/** The circle that touches the side before the corner at s, on the side of the hole. */
static double gap_at(const chain *before, const chain *behind, double radius, double s, fillet *f) {
  double normal[2];
  look_at(before, s, f->start, normal);
  for (int d = 0; d < 2; d++) f->centre[d] = f->start[d] + radius * normal[d];
  f->reach[0] = s;
  return nearest_of(behind, f->centre, &f->reach[1]) - radius;
}

/** Roll the circle away from the corner until it touches both sides; 0: they end before. */
static int roll(const chain *before, const chain *behind, double radius, fillet *f) {
  enum { STATIONS = 400, HALVINGS = 60 };
  double low = 0, high = 0, normal[2];
  for (int k = 1; k <= STATIONS && high == 0; k++) {
    double s = before->length * k / STATIONS;
    if (gap_at(before, behind, radius, s, f) >= 0)
      high = s;
    else
      low = s;
  }
  if (high == 0) return 0;
  for (int k = 0; k < HALVINGS; k++) {
    double middle = 0.5 * (low + high);
    if (gap_at(before, behind, radius, middle, f) >= 0)
      high = middle;
    else
      low = middle;
  }
  gap_at(before, behind, radius, high, f);
  look_at(behind, f->reach[1], f->end, normal);
  return f->reach[0] < sup_profile_numerics.taken * before->length &&
         f->reach[1] < sup_profile_numerics.taken * behind->length;
}

/** 1: the corner is re-entrant, where stress concentrates; 0 also at a corner of a polygon that was
 * drawn for a curve: little stress concentrates there, and the arc would be far smaller than a
 * cell. */
static bool is_rounded(const sup_loop *loop, int i) {
  return sup_loop_is_corner(loop, i) && sup_loop_turn(loop, i) < -sup_profile_numerics.smooth;
}

/** Largest radius that fits at a corner if the other ends of its sides were free. */
static double largest_at(const chain *before, const chain *behind, double radius) {
  enum { HALVINGS = 30 };
  double low = 0, high = radius;
  fillet f;
  for (int k = 0; k < HALVINGS; k++) {
    double middle = 0.5 * (low + high);
    if (roll(before, behind, middle, &f))
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* ---- a loop ---------------------------------------------------------------------------------- */

static sup_status find_arcs(const sup_loop *loop, double radius, fillet *arcs) {
  for (int i = 0; i < loop->num_points; i++) {
    if (!is_rounded(loop, i)) continue;
    chain before = chain_of(loop, i, -1), behind = chain_of(loop, i, 1);
    if (roll(&before, &behind, radius, &arcs[i])) continue;
    return SUP_FAIL(SUP_E_GEOMETRY,
                    "a fillet of %g mm does not fit at the corner (%g, %g) mm; the largest that "
                    "does has %.3g mm",
                    1e3 * radius, 1e3 * loop->x[2 * i], 1e3 * loop->x[2 * i + 1],
                    990 * largest_at(&before, &behind, radius));
  }
  return SUP_OK;
}

/** The arcs at both ends of each side must leave some of it. */
static sup_status check_sides(const sup_loop *loop, double radius, const fillet *arcs) {
  for (int i = 0; i < loop->num_points; i++) {
    if (!is_rounded(loop, i)) continue;
    chain         side = chain_of(loop, i, 1);
    int           j = (i + side.num) % loop->num_points;
    double        reach = arcs[i].reach[1] + (is_rounded(loop, j) ? arcs[j].reach[0] : 0);
    const double *a = sup_loop_point(loop, i), *b = sup_loop_point(loop, j);
    if (reach >= sup_profile_numerics.taken * side.length)
      return SUP_FAIL(SUP_E_GEOMETRY,
                      "a fillet of %g mm does not fit at the corners (%g, %g) and (%g, %g) mm; the "
                      "largest that does has %.3g mm",
                      1e3 * radius, 1e3 * a[0], 1e3 * a[1], 1e3 * b[0], 1e3 * b[1],
                      1e3 * 0.99 * radius * side.length / reach);
  }
  return SUP_OK;
}

/** Chords of at most 5 degrees, in the place of corner i. */
static sup_status add_arc(sup_loop *to, const sup_loop *loop, int i, const fillet *f) {
  double u = f->start[0] - f->centre[0], v = f->start[1] - f->centre[1],
         p = f->end[0] - f->centre[0], q = f->end[1] - f->centre[1];
  double turn = atan2(u * q - v * p, u * p + v * q), step = 5 * acos(-1) / 180;
  int    pieces = (int)fmax(1, ceil(fabs(turn) / step - 1e-9));
  for (int k = 0; k < pieces; k++) {
    double t = turn * k / pieces;
    SUP_TRY(sup_loop_add_point(to, f->centre[0] + cos(t) * u - sin(t) * v,
                               f->centre[1] + sin(t) * u + cos(t) * v, 2));
  }
  return sup_loop_add_point(to, f->end[0], f->end[1], loop->is_curved[i]);
}

/** Points of a curve that arcs at its ends cut off, and those so near to one that the chord would
 * be far shorter than the others. */
static void mark_taken(const sup_loop *loop, int corner, const fillet *f, unsigned char *is_taken) {
  const double nearest = 0.3; /* of a chord */
  for (int end = 0; end < 2; end++) {
    chain  c = chain_of(loop, corner, end ? 1 : -1);
    double s = 0;
    for (int k = 1; k < c.num; k++) {
      double length = distance(chain_point(&c, k - 1), chain_point(&c, k));
      s += length;
      if (s > f->reach[end] + nearest * length) break;
      int n = loop->num_points;
      is_taken[((corner + c.step * k) % n + n) % n] = 1;
    }
  }
}

static sup_status round_loop(sup_loop *loop, double radius, fillet *arcs, unsigned char *is_taken) {
  sup_loop   made = {0};
  sup_status status;
  SUP_TRY(find_arcs(loop, radius, arcs));
  SUP_TRY(check_sides(loop, radius, arcs));
  for (int i = 0; i < loop->num_points; i++)
    if (is_rounded(loop, i)) mark_taken(loop, i, &arcs[i], is_taken);
  for (int i = 0; i < loop->num_points; i++) {
    if (is_taken[i]) continue;
    status = is_rounded(loop, i) ? add_arc(&made, loop, i, &arcs[i])
                                 : sup_loop_add_point(&made, loop->x[2 * i], loop->x[2 * i + 1],
                                                      loop->is_curved[i]);
    if (status != SUP_OK) goto failed;
  }
  sup_loop old = *loop;
  *loop = made, made = old;
  status = SUP_OK;
failed:
  SUP_FREE_ALL(&made.x, &made.is_curved);
  return status;
}

sup_status sup_profile_fillet(sup_profile *profile, double radius) {
  sup_status status = SUP_OK;
  for (int l = 0; l < profile->num_loops && status == SUP_OK; l++) {
    fillet        *arcs = NULL;
    unsigned char *is_taken = NULL;
    int            n = profile->loop[l].num_points;
    status = SUP_CALLOC(arcs, n);
    if (status == SUP_OK) status = SUP_CALLOC(is_taken, n);
    if (status == SUP_OK) status = round_loop(&profile->loop[l], radius, arcs, is_taken);
    SUP_FREE_ALL(&arcs, &is_taken);
  }
  return status;
}
