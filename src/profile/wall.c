#include "profile/wall.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"
#include "profile/numerics.h"

enum {
  NUM_DIRECTIONS = 24,
  MOST_SQUARES = 160, /* along the longer side of the profile */
  SPREAD = 3          /* squares around the profile that take the sizes of their neighbours */
};

typedef struct hit {
  double distance, normal[2]; /* outwards, of the side that was met */
} hit;

/** The first piece that a ray meets beyond `least` of its beginning. */
static hit first_hit(const sup_profile *p, const double x[2], const double d[2], double least) {
  hit found = {HUGE_VAL, {0, 0}};
  for (int l = 0; l < p->num_loops; l++) {
    const sup_loop *loop = &p->loop[l];
    for (int i = 0; i < loop->num_points; i++) {
      const double *a = sup_loop_point(loop, i), *b = sup_loop_point(loop, i + 1);
      double        e[2] = {b[0] - a[0], b[1] - a[1]}, w[2] = {a[0] - x[0], a[1] - x[1]};
      double        det = d[0] * e[1] - d[1] * e[0];
      double        u = (w[0] * d[1] - w[1] * d[0]) / det, t = (w[0] * e[1] - w[1] * e[0]) / det;
      if (!(u >= 0 && u <= 1 && t > least && t < found.distance)) continue;
      double length = hypot(e[0], e[1]);
      found = (hit){t, {e[1] / length, -e[0] / length}};
    }
  }
  return found;
}

double sup_profile_thickness(const sup_profile *p, const double x[2]) {
  double thickness = HUGE_VAL;
  for (int k = 0; k < NUM_DIRECTIONS; k++) {
    double angle = acos(-1) * (k + 0.01) / NUM_DIRECTIONS; /* not along the axes exactly */
    double there[2] = {cos(angle), sin(angle)}, back[2] = {-there[0], -there[1]};
    hit    a = first_hit(p, x, there, 0), b = first_hit(p, x, back, 0);
    if (a.normal[0] * b.normal[0] + a.normal[1] * b.normal[1] < sup_profile_numerics.facing)
      thickness = fmin(thickness, a.distance + b.distance);
  }
  return thickness;
}

double sup_profile_thickness_behind(const sup_profile *p, const double x[2],
                                    const double normal[2]) {
  double inwards[2] = {-normal[0], -normal[1]};
  hit    h = first_hit(p, x, inwards, 1e-3 * sup_profile_size(p) / MOST_SQUARES);
  return h.normal[0] * normal[0] + h.normal[1] * normal[1] < sup_profile_numerics.facing
             ? h.distance
             : (double)HUGE_VAL;
}

double sup_profile_thinnest(const sup_profile *p, double where[2]) {
  double thinnest = HUGE_VAL, step = sup_profile_size(p) / 100;
  for (int l = 0; l < p->num_loops; l++)
    for (int i = 0; i < p->loop[l].num_points; i++) {
      const double *a = sup_loop_point(&p->loop[l], i), *b = sup_loop_point(&p->loop[l], i + 1);
      double        length = hypot(b[0] - a[0], b[1] - a[1]);
      double        normal[2] = {(b[1] - a[1]) / length, (a[0] - b[0]) / length};
      int           n = 1 + (int)(length / step);
      for (int k = 0; k < n; k++) {
        double t = (k + 0.5) / n, x[2] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])};
        double thickness = sup_profile_thickness_behind(p, x, normal);
        if (thickness < thinnest) memcpy(where, x, sizeof x);
        thinnest = fmin(thinnest, thickness);
      }
    }
  return thinnest;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/** Fill squares outside the profile with the least size around them, so that sizes at the boundary
 * are those of the material; -1: not known. */
static void spread(const sup_size_grid *g, const double *from, double *to) {
  int nx = g->n[0] + 1, ny = g->n[1] + 1;
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      double least = HUGE_VAL;
      for (int b = j > 0 ? j - 1 : 0; b <= j + 1 && b < ny; b++)
        for (int a = i > 0 ? i - 1 : 0; a <= i + 1 && a < nx; a++)
          if (from[b * nx + a] > 0) least = fmin(least, from[b * nx + a]);
      int k = j * nx + i;
      to[k] = from[k] > 0 ? from[k] : isfinite(least) ? least : -1.0;
    }
}

/** Points on the boundary have no chords to both sides. */
static bool is_well_inside(const sup_profile *p, const double x[2], double margin) {
  double nearest[2];
  return sup_profile_contains(p, x) && sup_profile_nearest(p, x, nearest) > margin;
}

/** Distance to the nearest corner at which the material's angle is above 200 degrees, or to the arc
 * that rounds it; INFINITY: there is none. */
static double distance_to_corner(const sup_profile *p, const double x[2]) {
  double least = HUGE_VAL;
  for (int l = 0; l < p->num_loops; l++) {
    const sup_loop *loop = &p->loop[l];
    for (int i = 0; i < loop->num_points; i++) {
      const double *c = sup_loop_point(loop, i);
      if (loop->is_curved[i] != 2 && sup_loop_turn(loop, i) > -sup_profile_numerics.inner_corner)
        continue;
      least = fmin(least, hypot(x[0] - c[0], x[1] - c[1]));
    }
  }
  return least;
}

sup_status sup_size_grid_create(sup_size_grid *g, const sup_profile *p, double cells_of_wall,
                                double largest, double corner) {
  double upper[2], where[2], thinnest = sup_profile_thinnest(p, where), least, *other = NULL;
  *g = (sup_size_grid){.step = 0};
  sup_profile_bounds(p, g->lower, upper);
  double longest = fmax(upper[0] - g->lower[0], upper[1] - g->lower[1]);
  g->step = fmax(fmin(0.4 * thinnest, longest / 20), longest / MOST_SQUARES);
  least = isfinite(thinnest) ? fmin(thinnest / cells_of_wall, largest) / 20 : largest / 20;
  for (int d = 0; d < 2; d++) {
    g->lower[d] -= SPREAD * g->step;
    g->n[d] = (int)ceil((upper[d] - g->lower[d]) / g->step) + SPREAD;
  }
  size_t num = (size_t)(g->n[0] + 1) * (size_t)(g->n[1] + 1);
  SUP_TRY(SUP_CALLOC(g->size, num));
  sup_status status = SUP_CALLOC(other, num);
  if (status != SUP_OK) {
    sup_size_grid_free(g);
    return status;
  }
  for (size_t k = 0; k < num; k++) {
    size_t row = k / (size_t)(g->n[0] + 1), column = k % (size_t)(g->n[0] + 1);
    double x[2] = {g->lower[0] + g->step * (double)column, g->lower[1] + g->step * (double)row};
    g->size[k] = -1;
    if (is_well_inside(p, x, 1e-3 * g->step))
      g->size[k] = fmax(least, fmin(largest, sup_profile_thickness(p, x) / cells_of_wall));
    if (g->size[k] > 0 && corner < 1)
      g->size[k] = fmin(g->size[k], corner * fmin(thinnest / cells_of_wall, largest) +
                                        sup_profile_numerics.growth * distance_to_corner(p, x));
  }
  for (int k = 0; k < SPREAD; k++) {
    spread(g, g->size, other);
    double *made = other;
    other = g->size, g->size = made;
  }
  for (size_t k = 0; k < num; k++)
    if (g->size[k] < 0) g->size[k] = largest;
  SUP_FREE(other);
  return SUP_OK;
}

void sup_size_grid_free(sup_size_grid *grid) { SUP_FREE(grid->size); }
