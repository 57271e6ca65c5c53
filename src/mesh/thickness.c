#include "mesh/thickness.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct triangle {
  sup_v3 a, ab, ac;
} triangle;

/** Length of the chord from a face inward, weighted by the face's area. */
typedef struct chord {
  double length, area;
} chord;

static int compare(const void *x, const void *y) {
  double a = ((const chord *)x)->length, b = ((const chord *)y)->length;
  return (a > b) - (a < b);
}

/** Distance along the unit ray to the triangle's plane when it passes inside of its edges, else
 * HUGE_VAL (Moeller and Trumbore, 1997). */
static double hit(const triangle *t, sup_v3 origin, sup_v3 ray) {
  sup_v3 p = sup_v3_cross(ray, t->ac), from = sup_v3_sub(origin, t->a),
         q = sup_v3_cross(from, t->ab);
  double det = sup_v3_dot(t->ab, p);
  if (det == 0) return HUGE_VAL;
  double u = sup_v3_dot(from, p) / det, v = sup_v3_dot(ray, q) / det;
  return u >= 0 && v >= 0 && u + v <= 1 ? sup_v3_dot(t->ac, q) / det : HUGE_VAL;
}

/** Chord inward from the middle of triangle `own`. */
static chord chord_of(const triangle *t, int num, int own) {
  sup_v3 normal = sup_v3_cross(t[own].ab, t[own].ac);
  double area = 0.5 * sup_v3_norm(normal), nearest = HUGE_VAL;
  if (!(area > 0)) return (chord){0, 0};
  sup_v3 middle = sup_v3_madd(t[own].a, 1. / 3, sup_v3_add(t[own].ab, t[own].ac));
  sup_v3 inward = sup_v3_scale(-0.5 / area, normal);
  double least = 1e-6 * sqrt(area); /* the face itself, and its neighbours in its plane */
  for (int i = 0; i < num; i++) {
    double length = i == own ? HUGE_VAL : hit(&t[i], middle, inward);
    if (length > least && length < nearest) nearest = length;
  }
  return nearest < HUGE_VAL ? (chord){nearest, area} : (chord){0, 0};
}

sup_status sup_surface_thickness(const sup_surface *surface, const double *points,
                                 double *thickness) {
  enum { MOST_CHORDS = 128 };
  chord     chords[MOST_CHORDS] = {{0, 0}};
  triangle *t = NULL;
  int       num = surface->num_triangles, count = num < MOST_CHORDS ? num : MOST_CHORDS;
  double    area = 0, below = 0;
  *thickness = 0;
  SUP_TRY(SUP_CALLOC(t, num));
  for (int i = 0; i < num; i++) {
    sup_v3 a = sup_surface_corner(surface, points, i, 0);
    t[i] = (triangle){a, sup_v3_sub(sup_surface_corner(surface, points, i, 1), a),
                      sup_v3_sub(sup_surface_corner(surface, points, i, 2), a)};
  }
  for (int k = 0; k < count; k++) {
    chords[k] = chord_of(t, num, (int)((long)k * num / count));
    area += chords[k].area;
  }
  SUP_FREE(t);
  qsort(chords, (size_t)count, sizeof *chords, compare);
  for (int k = 0; k < count; k++) {
    below += chords[k].area;
    if (below >= 0.5 * area && chords[k].area > 0) {
      *thickness = chords[k].length;
      break;
    }
  }
  return SUP_OK;
}
