/** Friction of a pair: the only source of coefficients in contact laws.  Two bodies are
 *  combined here, a scene's `contact.pairs` replaces the coefficients (override.c), the rows of a
 *  contact read them (constraint/contact_rows.c).  Layer model. */
#pragma once

#include "base/vec.h"
#include "supple/contact.h"

/** One side's friction tensor M = I + (ratio - 1) a a^T in the tangent plane (THEORY 6.6). */
typedef struct sup_friction_tensor {
  sup_v3 axis;   /* a, of unit length, in the body's axes */
  double ratio;  /* friction along the axis over friction across it; 1: isotropic */
  double weight; /* of M^-1 in the pair's inverse tensor; both sides' add up to 1 */
} sup_friction_tensor;

typedef struct sup_friction {
  double mu;                 /* coefficient of sliding friction */
  double mu_static;          /* coefficient at rest; no effect when not above mu */
  double rolling, torsional; /* lengths of points: moment over normal force, over sliding friction;
                                of patches 0 [m] */
  sup_friction_tensor side[2]; /* of the bodies A and B */
} sup_friction;

/** Friction of two surfaces: harmonic means of the coefficients (THEORY 9.4).  Inverse tensors are
 *  weighted by the inverse coefficients, so that mu S is the harmonic mean of mu_A M_A and mu_B M_B
 *  (THEORY 6.6); two surfaces without friction have equal weights, for pairs that are given a
 *  coefficient.  Lengths are the larger ones. */
sup_friction sup_friction_combine(const sup_contact_def *a, const sup_contact_def *b);
/** The body's friction and moments as its condim leaves them, with condim 0. */
sup_contact_def sup_friction_without_condim(sup_contact_def c);
bool            sup_friction_is_anisotropic(const sup_friction *f);
/** S of a contact in the tangent axes of R, whose third is the normal, as xx, xy, yy; the bodies'
 * axes are R_A and R_B.  Friction is at most mu N S e, e of length 1 (THEORY 6.6). */
void sup_friction_tensor_at(const sup_friction *f, const sup_m3 *R_A, const sup_m3 *R_B,
                            const sup_m3 *R, double S[3]);
/** The largest coefficient of all directions, at rest or sliding. */
double sup_friction_most(const sup_friction *f);
/** Coefficient between rest and motion, s = |v_t| / v_s (THEORY 6.4). */
double sup_friction_coefficient(const sup_friction *f, double s);
