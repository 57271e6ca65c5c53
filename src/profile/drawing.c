#include "profile/drawing.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "profile/numerics.h"

void sup_drawing_free(sup_drawing *d) {
  for (int k = 0; k < d->num_paths; k++) {
    SUP_FREE_ALL(&d->path[k].line.x, &d->path[k].line.is_curved);
  }
  SUP_FREE(d->path);
}

/* ---- the pen --------------------------------------------------------------------------------- */

static sup_status add_point(sup_loop *line, double x, double y, bool is_curved) {
  size_t n = (size_t)line->num_points;
  SUP_TRY(SUP_GROW(line->x, line->x_capacity, 2 * (n + 1)));
  SUP_TRY(SUP_GROW(line->is_curved, line->curved_capacity, n + 1));
  if (n > 0) line->is_curved[n - 1] = is_curved != 0; /* the piece that ends here */
  line->x[2 * n] = x, line->x[2 * n + 1] = y;
  line->num_points++;
  return SUP_OK;
}

static sup_status go_to(sup_drawing *d, double x, double y, bool is_curved) {
  const double *a = d->affine;
  d->at[0] = x, d->at[1] = y;
  return add_point(&d->path[d->num_paths - 1].line, a[0] * x + a[2] * y + a[4],
                   a[1] * x + a[3] * y + a[5], is_curved);
}

sup_status sup_drawing_begin(sup_drawing *d, double x, double y) {
  SUP_TRY(SUP_GROW(d->path, d->capacity, d->num_paths + 1));
  d->path[d->num_paths] = (sup_path){.is_closed = 0};
  memcpy(d->path[d->num_paths++].line.id, d->id, sizeof d->id);
  return go_to(d, x, y, 0);
}

sup_status sup_drawing_line(sup_drawing *d, double x, double y) { return go_to(d, x, y, 0); }
sup_status sup_drawing_curve(sup_drawing *d, double x, double y) { return go_to(d, x, y, 1); }

sup_status sup_drawing_ellipse(sup_drawing *d, const double centre[2], const double axis[2],
                               double turn, double t0, double t1) {
  int pieces = (int)fmin(72, fmax(1, ceil(fabs(t1 - t0) / (5 * acos(-1) / 180) - 1e-9)));
  for (int k = 1; k <= pieces; k++) {
    double t = t0 + (t1 - t0) * k / pieces, u = axis[0] * cos(t), v = axis[1] * sin(t);
    SUP_TRY(go_to(d, centre[0] + cos(turn) * u - sin(turn) * v,
                  centre[1] + sin(turn) * u + cos(turn) * v, 1));
  }
  return SUP_OK;
}

/** Angle between two legs of the control polygon [rad]; legs without length turn by nothing. */
static double angle_between(const double a[2], const double b[2], const double c[2]) {
  double u[2] = {b[0] - a[0], b[1] - a[1]}, v[2] = {c[0] - b[0], c[1] - b[1]};
  if (hypot(u[0], u[1]) == 0 || hypot(v[0], v[1]) == 0) return 0;
  return fabs(atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1]));
}

sup_status sup_drawing_bezier(sup_drawing *d, const double p[6]) {
  double a[2] = {d->at[0], d->at[1]};
  double turn = angle_between(a, p, p + 2) + angle_between(p, p + 2, p + 4);
  if (!(turn >= 1e-6)) return go_to(d, p[4], p[5], 0); /* straight */
  int pieces = 2 + (int)ceil(turn / (5 * acos(-1) / 180));
  for (int k = 1; k <= pieces; k++) {
    double t = (double)k / pieces, s = 1 - t, x[2];
    for (int c = 0; c < 2; c++)
      x[c] =
          s * s * s * a[c] + 3 * s * s * t * p[c] + 3 * s * t * t * p[2 + c] + t * t * t * p[4 + c];
    SUP_TRY(go_to(d, x[0], x[1], 1));
  }
  return SUP_OK;
}

void sup_drawing_close(sup_drawing *d) { d->path[d->num_paths - 1].is_closed = 1; }

/* ---- open paths ------------------------------------------------------------------------------ */

static const double *end_of(const sup_loop *line, bool is_last) {
  return line->x + 2 * (is_last ? line->num_points - 1 : 0);
}

static double distance(const double *a, const double *b) { return hypot(a[0] - b[0], a[1] - b[1]); }

/** Put `line` behind `to`, from its last point on when it is reversed. */
static sup_status append(sup_loop *to, const sup_loop *line, bool is_reversed) {
  int n = line->num_points;
  for (int k = 1; k < n; k++) {
    int i = is_reversed ? n - 1 - k : k, piece = is_reversed ? i : i - 1;
    SUP_TRY(add_point(to, line->x[2 * i], line->x[2 * i + 1], line->is_curved[piece]));
  }
  return SUP_OK;
}

/** The open path with an end nearest to a point. */
static int nearest_path(const sup_drawing *d, int except, const double *x, bool *is_last) {
  int    found = SUP_NONE;
  double least = HUGE_VAL;
  for (int k = 0; k < d->num_paths; k++) {
    const sup_path *p = &d->path[k];
    if (k == except || p->is_closed || p->line.num_points < 2) continue;
    for (int e = 0; e < 2; e++)
      if (distance(x, end_of(&p->line, e)) < least)
        least = distance(x, end_of(&p->line, e)), found = k, *is_last = e;
  }
  return found;
}

/** Prolong path k by others until it ends where it began. */
static sup_status join(sup_drawing *d, int k, double tolerance, const char *name) {
  sup_loop *line = &d->path[k].line;
  for (;;) {
    const double *end = end_of(line, 1);
    bool          is_last = 0;
    if (line->num_points > 2 && distance(end, line->x) <= tolerance) {
      line->num_points--; /* the last piece leads to the first point now */
      d->path[k].is_closed = 1;
      return SUP_OK;
    }
    int next = nearest_path(d, k, end, &is_last);
    if (next == SUP_NONE || distance(end, end_of(&d->path[next].line, is_last)) > tolerance) {
      char where[SUP_PLACE_SIZE];
      bool has_id = line->id[0];
      return SUP_FAIL(SUP_E_GEOMETRY,
                      "%s: an open end%s%s%s at %s; the boundary and its holes are closed lines "
                      "(ends within %.2g mm are joined)",
                      name, has_id ? " of '" : "", line->id, has_id ? "'" : "",
                      sup_profile_place(d->scale, d->shift, end, where), 1e3 * tolerance);
    }
    SUP_TRY(append(line, &d->path[next].line, is_last));
    d->path[next].line.num_points = 0;
  }
}

static double size_of(const sup_drawing *d) {
  double lower[2] = {HUGE_VAL, HUGE_VAL}, upper[2] = {-HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < d->num_paths; k++)
    for (int i = 0; i < 2 * d->path[k].line.num_points; i++)
      lower[i % 2] = fmin(lower[i % 2], d->path[k].line.x[i]),
                upper[i % 2] = fmax(upper[i % 2], d->path[k].line.x[i]);
  return hypot(upper[0] - lower[0], upper[1] - lower[1]);
}

sup_status sup_drawing_finish(sup_drawing *d, const char *name, sup_profile **profile) {
  double     tolerance = d->num_paths > 0 ? sup_profile_numerics.same_end * size_of(d) : 0;
  sup_status status;
  SUP_TRY(sup_profile_create(profile));
  memcpy((*profile)->scale, d->scale, sizeof d->scale);
  memcpy((*profile)->shift, d->shift, sizeof d->shift);
  for (int k = 0; k < d->num_paths; k++) {
    sup_path *p = &d->path[k];
    if (p->line.num_points < 2) continue;
    if (!p->is_closed) SUP_TRY_GOTO(join(d, k, tolerance, name), status, failed);
    int n = p->line.num_points;
    if (n > 1 && distance(p->line.x, end_of(&p->line, 1)) <= tolerance) n--;
    SUP_TRY_GOTO(sup_profile_begin_loop(*profile), status, failed);
    memcpy((*profile)->loop[(*profile)->num_loops - 1].id, p->line.id, sizeof p->line.id);
    for (int i = 0; i < n; i++)
      SUP_TRY_GOTO(sup_profile_add_point(*profile, p->line.x[2 * i], p->line.x[2 * i + 1],
                                         p->line.is_curved[i]),
                   status, failed);
  }
  SUP_TRY_GOTO(sup_profile_finish(*profile, name), status, failed);
  SUP_TRY_GOTO(sup_profile_find_curves(*profile), status, failed);
  return SUP_OK;
failed:
  sup_profile_destroy(profile);
  return status;
}
