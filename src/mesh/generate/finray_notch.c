#include "mesh/generate/finray_notch.h"

static const char *const wall_names[2] = {"front", "back"};

/** A wall beside a cavity: grid lines that may move along it. */
typedef struct stretch {
  const sup_finray_side *side;
  const sup_finray      *finray;
  sup_finray_faces      *faces;
  int                    wall, first, last; /* grid lines */
  int                    cut, other;        /* columns of grid points: the notched face's */
} stretch;

/** Part of a stretch, on the notched face: between notches, or a notch. */
typedef struct piece {
  double low, high; /* heights of the piece's ends [m] */
  double other[2];  /* the same on the other face */
  int    is_notch, rows;
} piece;

enum { MOST_PIECES = 2 * SUP_FINRAY_MOST_SINGLE + 1 };

static sup_v3 *point(const stretch *s, int column, int line) {
  return s->side->x + column * (s->side->n[1] + 1) + line;
}

static sup_v3 on_face(const stretch *s, int column, double y) {
  double x[4];
  bool   is_outer = column == 0 || column == s->side->n[0];
  s->faces(s->finray, y, x);
  return sup_v3_make(x[s->wall ? 2 + is_outer : 1 - is_outer], y, 0);
}

static int num_notches(const sup_finray *f, int wall) {
  return wall ? f->num_back_notches : f->num_front_notches;
}

static const double *notches(const sup_finray *f, int wall) {
  return wall ? f->back_notches : f->front_notches;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static sup_status check_notches(const sup_finray *f) {
  for (int wall = 0; wall < 2; wall++) {
    int           num = num_notches(f, wall);
    const double *at = notches(f, wall);
    if (num < 0 || num > SUP_FINRAY_MOST_SINGLE)
      return SUP_FAIL(SUP_E_ARG, "finray: %d notches of the %s wall; expected 0 to %d", num,
                      wall_names[wall], SUP_FINRAY_MOST_SINGLE);
    for (int i = 1; i < num; i++)
      if (!(at[i] - at[i - 1] >= f->notch_length))
        return SUP_FAIL(SUP_E_ARG,
                        "finray: notches of the %s wall at %g mm and %g mm are %g mm long; "
                        "expected ascending heights, that far from each other",
                        wall_names[wall], 1e3 * at[i - 1], 1e3 * at[i], 1e3 * f->notch_length);
  }
  if (!(f->notch_length > 0 && f->notch_length <= f->height))
    return SUP_FAIL(SUP_E_ARG, "finray: notches are %g mm long; expected 0 to the height, %g mm",
                    1e3 * f->notch_length, 1e3 * f->height);
  if (!(f->notch_depth > 0 && f->notch_depth <= 0.5 * f->notch_length))
    return SUP_FAIL(SUP_E_ARG,
                    "finray: notches of %g mm are %g mm deep; they are arcs of circles: expected "
                    "at most half of their length, %g mm",
                    1e3 * f->notch_length, 1e3 * f->notch_depth, 500 * f->notch_length);
  if (f->grading > 1)
    return SUP_FAIL(SUP_E_ARG, "finray: notches with grading %g; expected equal cells (grading 1)",
                    f->grading);
  return SUP_OK;
}

/** Largest range of rows beside one cavity: there no grid points behind the wall need to move. */
static sup_status refuse_place(const sup_finray *f, int wall, double at, double free[2]) {
  return SUP_FAIL(SUP_E_ARG,
                  "finray: the notch of the %s wall at %g mm goes from %g to %g mm; expected one "
                  "beside a cavity, between its fillets: the nearest goes from %g to %g mm",
                  wall_names[wall], 1e3 * at, 1e3 * (at - 0.5 * f->notch_length),
                  1e3 * (at + 0.5 * f->notch_length), 1e3 * free[0], 1e3 * free[1]);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/** Distribute the rows of a stretch: 2 `notch_cells` for a notch, the rest by length, at least one
 * for each piece. */
static sup_status share_rows(const stretch *s, piece *pieces, int num) {
  int rows = s->last - s->first, left = rows, between = 0;
  for (int i = 0; i < num; i++) {
    pieces[i].rows = pieces[i].is_notch ? 2 * s->finray->notch_cells : 1;
    left -= pieces[i].rows;
    between += !pieces[i].is_notch;
  }
  if (left < 0 || (left > 0 && between == 0))
    return SUP_FAIL(
        SUP_E_ARG,
        "finray: the cavity beside the notch of the %s wall at %g mm has %d rows of "
        "cells between its fillets; its notches and what is between them need %d: "
        "expected that many cavity cells",
        wall_names[s->wall],
        1e3 * (pieces[num > 1 && !pieces[0].is_notch].low + 0.5 * s->finray->notch_length), rows,
        rows - left);
  while (left > 0) { /* to the piece with the longest rows */
    int longest = SUP_NONE;
    for (int i = 0; i < num; i++) {
      if (pieces[i].is_notch) continue;
      if (longest == SUP_NONE || (pieces[i].high - pieces[i].low) * pieces[longest].rows >
                                     (pieces[longest].high - pieces[longest].low) * pieces[i].rows)
        longest = i;
    }
    pieces[longest].rows++, left--;
  }
  return SUP_OK;
}

/** Half the angle of an arc over a chord of length 2 `half`. */
static double half_angle(double half, double depth) { return 2 * atan(depth / half); }

/** Point k of an arc of 2 n chords from a to b, which is `depth` deep to the right of that way. */
static sup_v3 arc_point(sup_v3 a, sup_v3 b, double depth, int k, int n) {
  sup_v3 middle = sup_v3_scale(0.5, sup_v3_add(a, b)), way = sup_v3_sub(b, a);
  double half = 0.5 * sup_v3_norm(way), radius = 0.5 * (half * half / depth + depth);
  sup_v3 along = sup_v3_scale(0.5 / half, way), right = sup_v3_make(along.y, -along.x, 0);
  double angle = half_angle(half, depth) * (k - n) / n;
  return sup_v3_madd(sup_v3_madd(middle, radius * sin(angle), along),
                     depth - radius * (1 - cos(angle)), right);
}

/** Equal cells between notches. */
static void place_between(const stretch *s, const piece *p, int line) {
  for (int r = 0; r <= p->rows; r++) {
    double share = (double)r / p->rows;
    *point(s, s->cut, line + r) = on_face(s, s->cut, p->low + (p->high - p->low) * share);
    *point(s, s->other, line + r) =
        on_face(s, s->other, p->other[0] + (p->other[1] - p->other[0]) * share);
  }
}

/** Points of the arc, and points on the other face along lines that halve the angle between arc and
 * face, as far as there is space, since bricks at the ends of the arc share its corner. */
static void place_notch(const stretch *s, piece *before, piece *notch, piece *behind, int line) {
  int    n = s->finray->notch_cells;
  bool   is_right = s->cut == 0 || (s->wall && s->cut < s->side->n[0]);
  sup_v3 a = on_face(s, s->cut, notch->low), b = on_face(s, s->cut, notch->high);
  double across = fabs(on_face(s, s->other, notch->low).x - a.x), depth = s->finray->notch_depth;
  double most = across * tan(0.5 * half_angle(0.5 * sup_v3_norm(sup_v3_sub(b, a)), depth));
  double space[2] = {before ? 0.3 * (before->high - before->low) : 0,
                     behind ? 0.3 * (behind->high - behind->low) : 0};
  for (int k = 0; k <= 2 * n; k++) {
    int    end = k > n;
    double share = (double)(k - n) / n, way = fmin(most, space[end]);
    sup_v3 x = is_right ? arc_point(a, b, depth, k, n) : arc_point(b, a, depth, 2 * n - k, n);
    double y = x.y + way * share;
    if (end ? !behind : !before) y += fabs(share) * (notch->other[end] - x.y);
    *point(s, s->cut, line + k) = x;
    *point(s, s->other, line + k) = on_face(s, s->other, y);
  }
  if (before) before->other[1] = point(s, s->other, line)->y;
  if (behind) behind->other[0] = point(s, s->other, line + 2 * n)->y;
}

/** Grid points within the wall: on straight lines between its faces. */
static void fill(const stretch *s) {
  int low = s->cut < s->other ? s->cut : s->other, high = s->cut < s->other ? s->other : s->cut;
  for (int line = s->first; line <= s->last; line++)
    for (int i = low + 1; i < high; i++) {
      double share = (double)(i - low) / (high - low);
      *point(s, i, line) =
          sup_v3_madd(sup_v3_scale(1 - share, *point(s, low, line)), share, *point(s, high, line));
    }
}

/** The notches `at` of the wall lie within the stretch. */
static sup_status cut_stretch(const stretch *s, const double *at, int num) {
  piece  pieces[MOST_PIECES];
  int    count = 0, line = s->first;
  double half = 0.5 * s->finray->notch_length, tiny = 1e-9 * s->finray->height;
  double low = point(s, s->cut, s->first)->y, high = point(s, s->cut, s->last)->y;
  double end[2] = {point(s, s->other, s->first)->y, point(s, s->other, s->last)->y}, from = low;
  for (int i = 0; i <= num; i++) {
    double to = i < num ? at[i] - half : high;
    if (to - from > tiny) pieces[count++] = (piece){.low = from, .high = to};
    if (i < num)
      pieces[count++] =
          (piece){.low = fmax(to, low), .high = fmin(at[i] + half, high), .is_notch = 1};
    from = at[i < num ? i : 0] + half;
  }
  SUP_TRY(share_rows(s, pieces, count));
  for (int i = 0; i < count; i++) {
    pieces[i].other[0] = i == 0 ? end[0] : pieces[i].low;
    pieces[i].other[1] = i + 1 == count ? end[1] : pieces[i].high;
  }
  for (int i = 0; i < count; line += pieces[i++].rows) {
    piece *before = i > 0 && !pieces[i - 1].is_notch ? &pieces[i - 1] : NULL,
          *behind = i + 1 < count && !pieces[i + 1].is_notch ? &pieces[i + 1] : NULL;
    if (pieces[i].is_notch) place_notch(s, before, &pieces[i], behind, line);
  }
  line = s->first;
  for (int i = 0; i < count; line += pieces[i++].rows)
    if (!pieces[i].is_notch) place_between(s, &pieces[i], line);
  fill(s);
  return SUP_OK;
}

/* ---- walls ----------------------------------------------------------------------------------- */

static sup_status notch_wall(const sup_finray_side *side, const sup_finray *f,
                             sup_finray_faces *faces, int wall) {
  const double *at = notches(f, wall);
  double        nearest[2] = {0, 0}, least = HUGE_VAL, tiny = 1e-9 * f->height;
  int           done = 0, num = num_notches(f, wall), outer = wall ? side->n[0] : 0,
      arc = f->fillet > 0 ? f->fillet_cells : 0;
  for (int row[2] = {0, 0}; row[0] < side->n[1] && done < num; row[0] = row[1]) {
    for (row[1] = row[0] + 1;
         row[1] < side->n[1] && side->is_hollow[row[1]] == side->is_hollow[row[0]];)
      row[1]++;
    if (!side->is_hollow[row[0]]) continue;
    stretch s = {side, f, faces, wall, row[0] + arc, row[1] - arc, outer, side->between[wall]};
    if (f->notch_is_inside) s.cut = side->between[wall], s.other = outer;
    double low = point(&s, s.cut, s.first)->y, high = point(&s, s.cut, s.last)->y;
    int    first = done;
    while (done < num && at[done] - 0.5 * f->notch_length >= low - tiny &&
           at[done] + 0.5 * f->notch_length <= high + tiny)
      done++;
    if (done > first) SUP_TRY(cut_stretch(&s, at + first, done - first));
    if (done == num || fabs(at[done] - 0.5 * (low + high)) >= least) continue;
    least = fabs(at[done] - 0.5 * (low + high)), nearest[0] = low, nearest[1] = high;
  }
  return done == num ? SUP_OK : refuse_place(f, wall, at[done], nearest);
}

sup_status sup_finray_notch(const sup_finray_side *side, const sup_finray *f,
                            sup_finray_faces *faces) {
  sup_v3 x;
  SUP_TRY(check_notches(f));
  for (int wall = 0; wall < 2; wall++) SUP_TRY(notch_wall(side, f, faces, wall));
  if (!sup_finray_has_turned_brick(side, &x)) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "finray: notches of %g mm turn a brick near (%.3g, %.3g) mm inside out; expected "
                  "shallower ones, or thicker walls",
                  1e3 * f->notch_depth, 1e3 * x.x, 1e3 * x.y);
}
