/** Patch: polygon where a triangle or a section of equal pressure is inside a cell, and its
 * contact.  Layer collide, private to the narrow phases with pressure fields. */
#pragma once

#include "collide/field/field_contact.h"

/** Least slope along the normal as a share of the gradient.  The pressure on faces seen edge-on
 * hardly depends on the approach; the least slope conserves their force. */
#define SUP_FIELD_MIN_SLOPE 1e-6

/** A soft side at a patch. */
typedef struct sup_patch_side {
  int              num_corners; /* 3, 4; 0: rigid */
  const sup_plane *lambda;      /* [num_corners] barycentric functions, in a's frame */
} sup_patch_side;

/** One polygon with its data of both bodies; in a's frame unless stated otherwise. */
typedef struct sup_patch {
  sup_polygon    polygon;
  sup_v3         n; /* a to b */
  sup_plane      pressure;
  sup_plane      approach;  /* velocity of a less that of b, along n [m/s] */
  double         slope;     /* along n [Pa/m] */
  double         steepness; /* along the gradients [Pa/m] */
  sup_patch_side a, b;
} sup_patch;

/** The search of one pair of bodies for patches. */
typedef struct sup_patch_job {
  sup_contact_list         *list;
  const sup_contact        *prototype;
  const sup_moving_surface *surface_a; /* or NULL */
  const sup_moving_field   *field_a, *field_b;
  const sup_patch_options  *options;
  sup_frame                 X_WA, X_AB;
  int                       is_world;    /* X_WA is the identity */
  sup_v3                    v, w;        /* of the rigid sides, a less b: v + w x in a's frame */
  double                    lift;        /* [m] */
  double                    min_area;    /* smaller pieces are left out [m^2] */
  double                    drop, reach; /* of the search, as in the options [m] */
  double                    slab[2];     /* [Pa] */
  const sup_contact_origin *wanted;      /* origin to measure; NULL: search */
} sup_patch_job;

/** 1: no part of a polygon can come under pressure within the step or be in this slab.  `slope`:
 * bound on the pressure's slope along the normal [Pa/m]. */
int sup_patch_stays_apart(const sup_patch_job *j, const sup_polygon *polygon,
                          const sup_plane *pressure, double steepness, double slope);
/** 1: the highest pressure of a piece is in the slab. */
int sup_patch_is_in_slab(const sup_patch_job *j, const sup_patch *p, const sup_plane *pressure);
/** 1: a piece with this highest pressure counts as discarded if seen from behind; 0: the piece is
 * in the margins, or the bodies just touch. */
int sup_patch_counts_backward(const sup_patch_job *j, double steepness, double highest);
/** Count a discarded piece that is seen from behind. */
void sup_patch_count_backward(const sup_patch_job *j, const sup_patch *p);
/** Append contacts of the part of a patch that is, or may come within the step, under pressure. */
SUP_NODISCARD sup_status sup_patch_add(sup_patch_job *j, sup_patch *p, int item_a, int item_b);

/** Set the poses of both bodies and the motion of their rigid sides: a's is v, w about the origin
 * of its frame.  size: of the field [m]. */
void sup_patch_place(sup_patch_job *j, double size, sup_v3 v, sup_v3 w);
/** Visit all pairs of items that may touch; if none is under pressure within the step, again with
 * the drop of a body at rest. */
SUP_NODISCARD sup_status sup_patch_search(sup_patch_job *j, const sup_bvh_node *node_a,
                                          int num_items_a, sup_bvh_visit *visit);

/** Measure the pair's origins by visiting the items of each. */
SUP_NODISCARD sup_status sup_patch_measure(sup_patch_job *j, sup_bvh_visit *visit);

/** Cell t in the target frame of X, computed once; NULL: inverted. */
const sup_field_cell *sup_moving_field_cell(sup_patch_job *j, const sup_moving_field *f,
                                            const sup_frame *X, int t);
/** Direction of a's frame in the world. */
static inline sup_v3 sup_patch_in_world(const sup_patch_job *j, sup_v3 n) {
  return j->is_world ? n : sup_m3_apply(j->X_WA.R, n);
}
/** Approach of the rigid sides along n. */
sup_plane sup_patch_rigid_approach(const sup_patch_job *j, sup_v3 n);
/** Set the side of a field at its cell t; `sign` times a soft one's velocity along n is added to
 * the approach. */
void sup_moving_field_side(const sup_patch_job *j, const sup_moving_field *f, int t,
                           const sup_field_cell *cell, double sign, sup_patch *p,
                           sup_patch_side *s);
/** Pressure per approach along n, a unit vector into the body of this pressure; 0: seen from
 * behind. */
double               sup_field_slope_along(const sup_field_cell *cell, sup_v3 n);
static inline double sup_in_series(double a, double b) { return 1 / (1 / a + 1 / b); }
