/** Narrow phase: points between two rigid shapes.  Layer collide.
 *
 *  phi = max over unit n of -h_A(n) - h_B(-n), h the support functions: the distance of shapes
 * apart, minus the least translation that separates them when they overlap.  Closed forms for a
 * sphere against every shape, a half space against every shape, two capsules, overlapping boxes;
 * GJK on the cores for other shapes, started from EPA's direction if the cores overlap.  Flat
 * features then give several points. */
#pragma once

#include "geom/support.h"

enum { SUP_POINT_MAX = 16 };

typedef struct sup_witness {
  sup_v3 a, b;    /* on the surfaces of the two shapes, world */
  double phi;     /* normal . (b - a), negative inside [m] */
  int    feature; /* feature: number of the point in the manifold, or one of the values below */
} sup_witness;

enum {
  SUP_POINT_NEAREST = -1, /* point of shapes whose nearest points lie on no flat feature */
  SUP_POINT_MIDDLE = -2   /* nearest point of shapes apart */
};

typedef struct sup_point_set {
  sup_v3      normal; /* unit, from a to b, world; of all points */
  int         count;
  sup_witness point[SUP_POINT_MAX];
} sup_point_set;

/** Points of a pair: none when the shapes are more than `margin` apart; one, the nearest, when they
 * are more than `reach` apart; otherwise all points of the manifold with phi <= reach. */
void sup_collide_point(const sup_posed_shape *a, const sup_posed_shape *b, double margin,
                       double reach, sup_point_set *out);
/** Points of given features [count] of a pair, as sup_collide_point finds them; the nearest point
 * for a feature that no longer exists. */
void sup_measure_point(const sup_posed_shape *a, const sup_posed_shape *b, const int *feature,
                       int count, sup_point_set *out);
