#include "profile/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profile/numerics.h"

sup_status sup_profile_create(sup_profile **profile) { return SUP_CALLOC(*profile, 1); }

void sup_profile_destroy(sup_profile **profile) {
  if (!*profile) return;
  for (size_t l = 0; l < (*profile)->capacity; l++) {
    SUP_FREE_ALL(&(*profile)->loop[l].x, &(*profile)->loop[l].is_curved);
  }
  SUP_FREE_ALL(&(*profile)->loop, profile);
}

sup_status sup_profile_begin_loop(sup_profile *profile) {
  SUP_TRY(SUP_GROW(profile->loop, profile->capacity, profile->num_loops + 1));
  profile->loop[profile->num_loops++].num_points = 0;
  return SUP_OK;
}

sup_status sup_loop_add_point(sup_loop *l, double x, double y, int curve) {
  int n = l->num_points;
  SUP_TRY(SUP_GROW(l->x, l->x_capacity, 2 * ((size_t)n + 1)));
  SUP_TRY(SUP_GROW(l->is_curved, l->curved_capacity, n + 1));
  l->x[2 * n] = x, l->x[2 * n + 1] = y;
  l->is_curved[n] = (unsigned char)curve;
  l->num_points++;
  return SUP_OK;
}

sup_status sup_profile_add_point(sup_profile *profile, double x, double y, bool is_curved) {
  return sup_loop_add_point(&profile->loop[profile->num_loops - 1], x, y, is_curved != 0);
}

/* ---- measures -------------------------------------------------------------------------------- */

double sup_loop_area(const sup_loop *loop) {
  double        area = 0;
  const double *o = loop->x;
  for (int i = 1; i + 1 < loop->num_points; i++) {
    const double *a = sup_loop_point(loop, i), *b = sup_loop_point(loop, i + 1);
    area += 0.5 * ((a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]));
  }
  return area;
}

int sup_loop_contains(const sup_loop *loop, const double x[2]) {
  int inside = 0;
  for (int i = 0; i < loop->num_points; i++) {
    const double *a = sup_loop_point(loop, i), *b = sup_loop_point(loop, i + 1);
    if ((a[1] > x[1]) != (b[1] > x[1]) &&
        x[0] < a[0] + (x[1] - a[1]) * (b[0] - a[0]) / (b[1] - a[1]))
      inside = !inside;
  }
  return inside;
}

int sup_profile_contains(const sup_profile *profile, const double x[2]) {
  if (!sup_loop_contains(&profile->loop[0], x)) return 0;
  for (int l = 1; l < profile->num_loops; l++)
    if (sup_loop_contains(&profile->loop[l], x)) return 0;
  return 1;
}

double sup_profile_area(const sup_profile *profile) {
  double area = 0;
  for (int l = 0; l < profile->num_loops; l++) area += sup_loop_area(&profile->loop[l]);
  return area;
}

void sup_profile_bounds(const sup_profile *profile, double lower[2], double upper[2]) {
  lower[0] = lower[1] = HUGE_VAL, upper[0] = upper[1] = -HUGE_VAL;
  for (int l = 0; l < profile->num_loops; l++)
    for (int i = 0; i < profile->loop[l].num_points; i++)
      for (int d = 0; d < 2; d++) {
        double x = profile->loop[l].x[2 * i + d];
        lower[d] = fmin(lower[d], x), upper[d] = fmax(upper[d], x);
      }
}

double sup_profile_size(const sup_profile *profile) {
  double lower[2], upper[2];
  sup_profile_bounds(profile, lower, upper);
  return hypot(upper[0] - lower[0], upper[1] - lower[1]);
}

/** @param[out] loop, piece  of the nearest point
 *  @param[out] along        its place on the piece, 0 to 1 */
static double nearest_on(const sup_profile *profile, const double x[2], double nearest[2],
                         const sup_loop **loop, int *piece, double *along) {
  double least = HUGE_VAL;
  for (int l = 0; l < profile->num_loops; l++)
    for (int i = 0; i < profile->loop[l].num_points; i++) {
      const double *a = sup_loop_point(&profile->loop[l], i),
                   *b = sup_loop_point(&profile->loop[l], i + 1);
      double u = b[0] - a[0], v = b[1] - a[1];
      double t = ((x[0] - a[0]) * u + (x[1] - a[1]) * v) / (u * u + v * v);
      t = fmin(fmax(t, 0), 1);
      double p = a[0] + t * u, q = a[1] + t * v, distance = hypot(x[0] - p, x[1] - q);
      if (distance >= least) continue;
      least = distance, nearest[0] = p, nearest[1] = q;
      *loop = &profile->loop[l], *piece = i, *along = t;
    }
  return least;
}

double sup_profile_nearest(const sup_profile *profile, const double x[2], double nearest[2]) {
  const sup_loop *loop;
  int             piece;
  double          along;
  return nearest_on(profile, x, nearest, &loop, &piece, &along);
}

/** Tangent at the begin (0) or end (1) of a curved piece, times its length: of the parabola through
 * the points on both sides, or through the three from a corner on. */
static void tangent_of(const sup_loop *loop, int piece, int end, double to[2]) {
  int           n = loop->num_points, sign = end ? -1 : 1, at = piece + end + n;
  const double *p = sup_loop_point(loop, at), *q = sup_loop_point(loop, at + sign);
  bool          is_end = sup_loop_is_corner(loop, at),
       is_chord = is_end && sup_loop_is_corner(loop, at + sign);
  const double *r = sup_loop_point(loop, is_end ? at + 2 * sign : at - sign);
  for (int k = 0; k < 2; k++)
    to[k] = sign * (is_chord ? q[k] - p[k]
                    : is_end ? (4 * q[k] - 3 * p[k] - r[k]) / 2
                             : (q[k] - r[k]) / 2);
}

bool sup_profile_onto_curve(const sup_profile *profile, double x[2]) {
  const sup_loop *loop = NULL;
  int             i = 0;
  double          t = 0, on[2], u[2], v[2];
  nearest_on(profile, x, on, &loop, &i, &t);
  if (!loop || !loop->is_curved[i]) return 0;
  const double *a = sup_loop_point(loop, i), *b = sup_loop_point(loop, i + 1);
  tangent_of(loop, i, 0, u), tangent_of(loop, i, 1, v);
  for (int k = 0; k < 2; k++) /* Hermite's cubic */
    x[k] = a[k] + t * t * (3 - 2 * t) * (b[k] - a[k]) + t * (1 - t) * ((1 - t) * u[k] - t * v[k]);
  return 1;
}

double sup_loop_length(const sup_loop *loop, int i) {
  const double *a = sup_loop_point(loop, i), *b = sup_loop_point(loop, i + 1);
  return hypot(b[0] - a[0], b[1] - a[1]);
}

double sup_loop_turn(const sup_loop *loop, int i) {
  const double *a = sup_loop_point(loop, i + loop->num_points - 1), *b = sup_loop_point(loop, i),
               *c = sup_loop_point(loop, i + 1);
  double u[2] = {b[0] - a[0], b[1] - a[1]}, v[2] = {c[0] - b[0], c[1] - b[1]};
  return atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1]) * 180 / acos(-1);
}

bool sup_loop_is_corner(const sup_loop *loop, int i) {
  int n = loop->num_points;
  if (!loop->is_curved[i % n] || loop->is_curved[i % n] != loop->is_curved[(i + n - 1) % n])
    return 1;
  return fabs(sup_loop_turn(loop, i % n)) > sup_profile_numerics.corner;
}

/* ---- finished -------------------------------------------------------------------------------- */

static void drop_same_points(sup_loop *loop, double tolerance) {
  int kept = 0, n = loop->num_points;
  for (int i = 0; i < n; i++) {
    const double *a = loop->x + 2 * i, *b = sup_loop_point(loop, i + 1);
    if (hypot(b[0] - a[0], b[1] - a[1]) <= tolerance) continue;
    loop->is_curved[kept] = loop->is_curved[i];
    memmove(loop->x + 2 * kept, a, 2 * sizeof *a);
    kept++;
  }
  loop->num_points = kept;
}

static void reverse(sup_loop *loop) {
  int n = loop->num_points;
  for (int i = 0, j = n - 1; i < j; i++, j--)
    for (int d = 0; d < 2; d++) {
      double x = loop->x[2 * i + d];
      loop->x[2 * i + d] = loop->x[2 * j + d], loop->x[2 * j + d] = x;
    }
  for (int i = 0, j = n - 2; i < j; i++, j--) { /* the last piece stays the last */
    unsigned char c = loop->is_curved[i];
    loop->is_curved[i] = loop->is_curved[j], loop->is_curved[j] = c;
  }
}

static double lowest_of(const sup_loop *loop) {
  double lowest = HUGE_VAL;
  for (int i = 0; i < loop->num_points; i++) lowest = fmin(lowest, loop->x[2 * i + 1]);
  return lowest;
}

static int from_below(const void *one, const void *two) {
  double a = lowest_of(one), b = lowest_of(two);
  if (a != b) return a < b ? -1 : 1;
  a = ((const sup_loop *)one)->x[0], b = ((const sup_loop *)two)->x[0];
  return (a > b) - (a < b);
}

/** Begin with the corner that is lowest, then leftmost: numbers of sides do not depend on where a
 * drawing began. */
static void begin_below(sup_loop *loop) {
  int n = loop->num_points, first = 0;
  for (int i = 1; i < n; i++) {
    const double *a = sup_loop_point(loop, i), *b = sup_loop_point(loop, first);
    int           is_corner = sup_loop_is_corner(loop, i), was = sup_loop_is_corner(loop, first);
    if (is_corner > was || (is_corner == was && (a[1] < b[1] || (a[1] == b[1] && a[0] < b[0]))))
      first = i;
  }
  for (int k = 0; k < first; k++) { /* one place at a time: loops are short */
    double        x = loop->x[0], y = loop->x[1];
    unsigned char c = loop->is_curved[0];
    memmove(loop->x, loop->x + 2, 2 * (size_t)(n - 1) * sizeof *loop->x);
    memmove(loop->is_curved, loop->is_curved + 1, (size_t)(n - 1));
    loop->x[2 * n - 2] = x, loop->x[2 * n - 1] = y, loop->is_curved[n - 1] = c;
  }
}

/* ---- curves drawn as polylines --------------------------------------------------------------- */

/** 1: the boundary turns smoothly to this side (-1, 1) at point i, so that pieces i - 1 and i are
 * of one curve. */
static int goes_on(const sup_loop *loop, int i, int side) {
  const double least = 0.05; /* [degrees] */
  double       turn = side * sup_loop_turn(loop, i);
  return turn >= least && turn <= sup_profile_numerics.smooth;
}

/** Side to which straight piece i turns at both ends, when it and its neighbours are straight; 0:
 * it is no part of a curve. */
static int side_of_curve(const sup_loop *loop, int i) {
  int n = loop->num_points, before = (i + n - 1) % n, behind = (i + 1) % n;
  if (loop->is_curved[i] || loop->is_curved[before] || loop->is_curved[behind]) return 0;
  for (int side = -1; side <= 1; side += 2)
    if (goes_on(loop, i, side) && goes_on(loop, behind, side)) return side;
  return 0;
}

/** Pieces `first` to `first + num - 1` turn to one side; with them those at their ends that are no
 * longer than a curve's pieces are. */
static void mark_curve(sup_loop *loop, int first, int num, unsigned char *is_found) {
  int n = loop->num_points, before = (first + n - 1) % n, last = (first + num - 1) % n,
      behind = (last + 1) % n;
  for (int k = 0; k < num; k++) is_found[(first + k) % n] = 1;
  if (sup_loop_length(loop, before) <= 2 * sup_loop_length(loop, first)) is_found[before] = 1;
  if (sup_loop_length(loop, behind) <= 2 * sup_loop_length(loop, last)) is_found[behind] = 1;
}

static void find_curves(sup_loop *loop, unsigned char *is_found) {
  enum { FEWEST = 3 };
  int n = loop->num_points, start = 0;
  while (start < n && side_of_curve(loop, start) != 0) start++;
  if (start == n) { /* a closed curve */
    memset(is_found, 1, (size_t)n);
    return;
  }
  for (int k = 1, num; k < n; k += num ? num : 1) {
    int first = (start + k) % n, side = side_of_curve(loop, first);
    for (num = 0; side != 0 && side_of_curve(loop, (first + num) % n) == side;) num++;
    if (num >= FEWEST) mark_curve(loop, first, num, is_found);
  }
}

sup_status sup_profile_find_curves(sup_profile *profile) {
  for (int l = 0; l < profile->num_loops; l++) {
    sup_loop      *loop = &profile->loop[l];
    unsigned char *is_found = NULL;
    SUP_TRY(SUP_CALLOC(is_found, loop->num_points));
    find_curves(loop, is_found);
    for (int i = 0; i < loop->num_points; i++) loop->is_curved[i] |= is_found[i];
    SUP_FREE(is_found);
    begin_below(loop);
  }
  return SUP_OK;
}

/* ---- checks ---------------------------------------------------------------------------------- */

const char *sup_profile_place(const double scale[2], const double shift[2], const double x[2],
                              char text[SUP_PLACE_SIZE]) {
  bool is_own = scale[0] != 0;
  for (int i = 0, used = 0; i < 2; i++) {
    double number = is_own ? (x[i] - shift[i]) / scale[i] : 1e3 * x[i];
    if (fabs(number) < 1e-9 * fabs(shift[i] / (is_own ? scale[i] : 1))) number = 0; /* round-off */
    used +=
        snprintf(text + used, (size_t)(SUP_PLACE_SIZE - used), "%s%.6g", i ? ", " : "(", number);
    if (i == 1)
      snprintf(text + used, (size_t)(SUP_PLACE_SIZE - used), is_own ? ") of the drawing" : ") mm");
  }
  return text;
}

static double side_of(const double *a, const double *b, const double *p) {
  return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

static int overlap(double a, double b, double c, double d) {
  return fmin(a, b) <= fmax(c, d) && fmin(c, d) <= fmax(a, b);
}

/** 1: two pieces have a point in common. */
static int do_meet(const double *a, const double *b, const double *c, const double *d) {
  if (!overlap(a[0], b[0], c[0], d[0]) || !overlap(a[1], b[1], c[1], d[1])) return 0;
  return side_of(a, b, c) * side_of(a, b, d) <= 0 && side_of(c, d, a) * side_of(c, d, b) <= 0;
}

/** " 'id'", or nothing. */
static const char *named(const sup_loop *loop, char text[SUP_LOOP_ID_SIZE + 4]) {
  snprintf(text, SUP_LOOP_ID_SIZE + 4, loop->id[0] ? " '%s'" : "", loop->id);
  return text;
}

static sup_status check_pair(const sup_profile *p, int l, int m, const char *name) {
  char            where[SUP_PLACE_SIZE], of[SUP_LOOP_ID_SIZE + 4], other[SUP_LOOP_ID_SIZE + 4];
  const sup_loop *one = &p->loop[l], *two = &p->loop[m];
  for (int i = 0; i < one->num_points; i++)
    for (int j = l == m ? i + 2 : 0; j < two->num_points; j++) {
      if (l == m && i == 0 && j == two->num_points - 1) continue;
      const double *a = sup_loop_point(one, i);
      if (!do_meet(a, sup_loop_point(one, i + 1), sup_loop_point(two, j),
                   sup_loop_point(two, j + 1)))
        continue;
      bool has_both = one->id[0] && two->id[0];
      sup_profile_place(p->scale, p->shift, a, where);
      if (l == m)
        return SUP_FAIL(SUP_E_GEOMETRY,
                        "%s: a loop%s crosses or touches itself near %s; a profile has loops that "
                        "do not meet",
                        name, named(one, of), where);
      return SUP_FAIL(SUP_E_GEOMETRY,
                      "%s: two loops%s%s%s cross or touch near %s; holes lie apart inside of the "
                      "outer boundary",
                      name, named(one, of), has_both ? " and" : "",
                      has_both ? named(two, other) : "", where);
    }
  return SUP_OK;
}

static sup_status check_places(const sup_profile *p, const char *name) {
  for (int l = 1; l < p->num_loops; l++) {
    const double   *x = p->loop[l].x;
    const sup_loop *loop = &p->loop[l];
    char            where[SUP_PLACE_SIZE], of[SUP_LOOP_ID_SIZE + 4];
    sup_profile_place(p->scale, p->shift, x, where);
    if (!sup_loop_contains(&p->loop[0], x))
      return SUP_FAIL(SUP_E_GEOMETRY,
                      "%s: the loop%s near %s lies outside of the largest one; a profile is one "
                      "piece: an outer boundary and holes",
                      name, named(loop, of), where);
    for (int m = 1; m < p->num_loops; m++)
      if (m != l && sup_loop_contains(&p->loop[m], x))
        return SUP_FAIL(SUP_E_GEOMETRY,
                        "%s: the loop%s near %s lies inside of a hole; a profile is one piece: an "
                        "outer boundary and holes",
                        name, named(loop, of), where);
  }
  return SUP_OK;
}

sup_status sup_profile_finish(sup_profile *p, const char *name) {
  if (p->num_loops == 0)
    return SUP_FAIL(SUP_E_GEOMETRY, "%s: found no closed loop; expected an outer boundary", name);
  double size = sup_profile_size(p);
  int    outer = 0;
  for (int l = 0; l < p->num_loops; l++) {
    sup_loop *loop = &p->loop[l];
    char      where[SUP_PLACE_SIZE], of[SUP_LOOP_ID_SIZE + 4];
    sup_profile_place(p->scale, p->shift, loop->x, where);
    drop_same_points(loop, sup_profile_numerics.same_point * size);
    if (loop->num_points < 3 || !(fabs(sup_loop_area(loop)) > 1e-12 * size * size))
      return SUP_FAIL(
          SUP_E_GEOMETRY,
          "%s: the loop%s near %s has no area; expected at least three points that do not lie on "
          "a line, in an order in which its sides do not cross",
          name, named(loop, of), where);
    if (fabs(sup_loop_area(loop)) > fabs(sup_loop_area(&p->loop[outer]))) outer = l;
  }
  sup_loop first = p->loop[outer];
  p->loop[outer] = p->loop[0], p->loop[0] = first;
  for (int l = 0; l < p->num_loops; l++) {
    if ((sup_loop_area(&p->loop[l]) > 0) != (l == 0)) reverse(&p->loop[l]);
    begin_below(&p->loop[l]);
  }
  qsort(p->loop + 1, (size_t)p->num_loops - 1, sizeof *p->loop, from_below);
  for (int l = 0; l < p->num_loops; l++)
    for (int m = l; m < p->num_loops; m++) SUP_TRY(check_pair(p, l, m, name));
  return check_places(p, name);
}
