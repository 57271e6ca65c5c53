/** Wrenches that contacts with friction can exert on an object.  Layer study: pure numbers.
 *
 *  A contact pushes with a normal force from 0 to its load, and friction up to mu times it.  The
 * wrenches of all contacts together are a convex set W, whose support function
 *
 *      h(d) = max over w in W of d . w = sum_i load_i max(0, n_i . a_i + |M_i a_i|),
 *      a_i = d_force + d_moment x r_i, M_i = mu_i S_i in the tangent plane,
 *
 * is known exactly, round cones and all.  The quality epsilon of Ferrari and Canny (1992; their sum
 * of contacts with bounded forces each) is the radius of the largest ball about 0 in W: the least
 * of h over all directions of length 1, moments divided by a length. */
#pragma once

#include "base/status.h"
#include "base/vec.h"

typedef struct sup_grasp_contact {
  sup_v3 point, normal; /* from the object's origin [m], into the object */
  double load;          /* normal force [N] */
  sup_v3 friction[2];   /* mu S e of orthogonal tangents e of length 1; S = 1: isotropic */
} sup_grasp_contact;

/** h(d), with the wrench (force [N], moment over the length [N]) that attains it in w. */
double sup_wrench_support(const sup_grasp_contact *contact, int num, double length,
                          const double d[6], double w[6]);
/** The force along an axis, or moment about it through the origin, that friction adds at most to
 * the contacts' normal forces, all at their loads: what a pull against it meets, if pressures stay.
 */
double sup_wrench_held(const sup_grasp_contact *contact, int num, int turns, const double axis[3]);
/** Epsilon [N] from many starts: each goes from the direction d to the normal of the face of W
 * that the ray along d meets, which never raises h. */
double sup_grasp_quality(const sup_grasp_contact *contact, int num, double length);
