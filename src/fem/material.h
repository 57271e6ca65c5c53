/** Isotropic material laws at a point: F -> psi, P.  Layer fem: knows no mesh.  Pure functions.
 *
 *  F is the deformation gradient, P = d psi / dF the first Piola stress [Pa], psi the energy per
 * rest volume [J/m^3].
 */
#pragma once

#include "base/status.h"
#include "base/vec.h"
#include "supple/soft.h"

typedef struct sup_lame {
  double lambda, mu; /* [Pa]; mu is the shear modulus */
} sup_lame;

/** Lame constants of Young's modulus E and Poisson's ratio nu (THEORY 4.1). */
sup_lame sup_fem_lame(double youngs_modulus, double poissons_ratio);
/** Prony series of the stress s0 by the instantaneous moduli:
 *      s(t) = long_term s0 + sum h_i,   h_i' + h_i/time_i = share_i s0'        (THEORY 22). */
typedef struct sup_prony {
  int    num; /* 0: elastic */
  double share[SUP_PRONY_MAX], time[SUP_PRONY_MAX];
  double long_term; /* 1 - sum of the shares */
} sup_prony;
/** Prony series of a checked material; loss factor eta at w: time 1/w, share/(2 - share) = eta. */
sup_prony sup_fem_prony(const sup_material_def *material);
/** Update of a Prony term in a step of duration dt: h <- decay h + answer (s0_new - s0_old), exact
 * if s0 is linear in the step. dt = 0 and INFINITY are limits. */
typedef struct sup_prony_step {
  double decay, answer; /* e = exp(-dt/time), g (1 - e) time/dt */
} sup_prony_step;
sup_prony_step sup_fem_prony_step(const sup_prony *prony, int i, double dt);
/** Young's modulus of a sudden strain [Pa]. */
double sup_fem_instantaneous_modulus(const sup_material_def *material);

/** 1: the force is linear in the positions while rotations are frozen. */
static inline bool sup_fem_is_linear(sup_material_model model) {
  return model == SUP_MATERIAL_LINEAR || model == SUP_MATERIAL_LINEAR_COROTATIONAL;
}
/** "linear_corotational", as scenes write it. */
const char *sup_fem_material_name(sup_material_model model);
/** E_ARG names the constant that is out of its range. */
SUP_NODISCARD sup_status sup_fem_check_material(const sup_material_def *material);

/** Linear elasticity about the fixed rotation R: e = sym(R^T F) - I, psi = mu e:e + lambda/2
 * tr(e)^2, P = R (2 mu e + lambda tr(e) I) (THEORY 4.2).  R = I: the linear law; R of the step's
 * start: linear corotational.
 *  @param[out] P  may be NULL
 *  @return psi */
double sup_fem_linear(const sup_lame *lame, const sup_m3 *R, const sup_m3 *F, sup_m3 *P);
/** The corotational law: the same with R the polar rotation of F itself; P = 2 mu (F - R) + lambda
 * tr(S - I) R. */
double sup_fem_corotational(const sup_lame *lame, const sup_m3 *F, sup_m3 *P);
/** Stiffness density of two shape functions with gradients a and b for the linear law with R = I:
 *  K_ij = (dP_in / dF_jl) a_n b_l = mu (a.b) I + mu b a^T + lambda a b^T [Pa/m^2]. */
sup_m3 sup_fem_tangent(const sup_lame *lame, sup_v3 a, sup_v3 b);

/** Cauchy stress sym(P F^T) / det F; |det F| is taken as at least 1e-6, so that a flattened cell
 * gives finite numbers. The linear law is one of small strains, where P is the stress: returned as
 * it is. */
sup_m3 sup_fem_cauchy(sup_material_model model, const sup_m3 *P, const sup_m3 *F);
/** sqrt(3/2 s:s) of the deviator s. */
double sup_fem_von_mises(const sup_m3 *cauchy);
