/** Constraint laws: constraint velocity v_c -> cost l, impulse gamma = -dl/dv_c, Hessian G =
 * d2l/dv_c2.  Layer law.
 *
 *  Every law is convex and C1 where it is defined, so that the step's problem (THEORY 5) has one
 * minimiser.  Adding a law: one file that ends with its row, and its name in SUP_CONTACT_LAW_LIST
 * of supple/contact.h or, of other laws, in SUP_LAW_LIST.  Contact laws have v_c = [v_t (2), v_n];
 * a normal law (normal.h) is inside `coulomb`. */
#pragma once

#include "law/friction_softening.h"
#include "law/normal.h"

enum { SUP_LAW_MAX_DIMENSION = 3 };

typedef struct sup_law_value {
  double cost;     /* [J] */
  double gamma[3]; /* [N s] or [N m s] */
  double G[9];     /* row-major, dimension x dimension, symmetric positive semidefinite [kg] */
} sup_law_value;

/** ELASTIC_STICK replaces Lagged in contacts.  IMPULSE and JOINT_IMPULSE: impulse of a contact or
 * joint found by a solver of the dual form. */
#define SUP_LAW_LIST(X)           \
  SUP_CONTACT_LAW_LIST(X)         \
  X(ELASTIC_STICK, elastic_stick) \
  X(LIMIT, limit)                 \
  X(COUPLER, coupler)             \
  X(PD, pd)                       \
  X(IMPULSE, impulse)             \
  X(JOINT_IMPULSE, joint_impulse)
typedef enum sup_law_kind {
#define SUP_LAW_ENTRY(NAME, name) SUP_LAW_##NAME,
  SUP_LAW_LIST(SUP_LAW_ENTRY)
#undef SUP_LAW_ENTRY
      SUP_NUM_LAWS
} sup_law_kind;

/** SAP, THEORY 6.2 (P3): gamma is the projection of R^-1 (vhat - v_c) on the friction cone in the
 * metric R. */
typedef struct sup_sap {
  double mu;
  double Rt, Rn; /* regularisation [1/kg] */
  double vhat;   /* -phi0/(dt + tau) [m/s] */
  double delay;  /* dt + tau [s]; the law itself does not use it */
} sup_sap;

/** Coulomb friction with a normal law: regularised, Lagged, THEORY 6.4 (P0 eq. 17), and Similar,
 * THEORY 6.5; with an elastic stick in the place of the regularisation, THEORY 16.6. */
typedef struct sup_coulomb {
  sup_normal             normal;
  sup_friction_softening softening;  /* f: how friction grows with |v_t|/eps */
  double                 mu;         /* friction coefficient [-] */
  double                 eps;        /* of f [m/s] */
  double                 gn0;        /* Lagged: normal impulse that friction uses [N s] */
  int                    is_coupled; /* Lagged: gn0 is to be that of the solution (THEORY 16) */
  double                 slip;       /* v_s, the least eps [m/s] */
  double Rt, tau_t, vhat[2]; /* elastic stick: 1/(dt k_t (dt + tau_t)) [1/kg], relaxation time [s],
                                -s0/(dt + tau_t) [m/s] of the stretch s0 at the step's start */
  double vn0; /* normal velocity at the step's start, for impacts (solve/dual/dual.h) [m/s] */
  double regularise; /* sigma w: eps = max(v_s, sigma w mu gn0), P0 eq. 26; 0: eps = v_s [1/kg] */
} sup_coulomb;

/** One-sided joint limit, THEORY 11: l = H/2 (vhat - v)+^2; of a coupler l = H/2 (vhat - v)^2. */
typedef struct sup_limit {
  double vhat; /* [rad/s or m/s] */
  double H;    /* [kg m^2 or kg] */
} sup_limit;

/** PD controller with effort limit, THEORY 11: u~(v) = u0 - slope v, gamma = dt clamp(u~, -effort,
 * effort). */
typedef struct sup_pd {
  double dt;
  double u0;     /* -kp (q0 - target) + kd dtarget/dt [N or N m] */
  double slope;  /* dt kp + kd > 0 */
  double effort; /* may be infinite */
} sup_pd;

/** Friction tensor M_mu = mu S of a contact (THEORY 6.6), S symmetric positive definite in the
 * contact's tangent axes: every contact law is its isotropic form at [S v_t, v_n]; for SAP that is
 * R_t = Rt S^-2. */
typedef struct sup_anisotropy {
  int    on;
  double xx, xy, yy; /* S */
} sup_anisotropy;

/** Impulse independent of the velocity, l = -gamma . v_c: the law in force where a solver iterates
 * on impulses (solve/dual/dual.h).  The rest is its origin: u = v_c + diag(Rt, Rt, Rn) gamma
 * - [0, 0, vhat] was complementary to gamma on the cone of mu. */
typedef struct sup_impulse {
  double gamma[3]; /* of anisotropic friction at S v_t */
  double mu, Rt, Rn, vhat;
  double delay; /* sup_sap.delay; of other laws dt [s] */
} sup_impulse;

typedef struct sup_law {
  sup_law_kind   kind;
  sup_anisotropy anisotropy; /* contact laws */
  union {
    sup_sap     sap;
    sup_coulomb coulomb; /* Lagged and Similar */
    sup_limit   limit;   /* couplers too */
    sup_pd      pd;
    sup_impulse impulse; /* joints' too */
  };
} sup_law;

/** Member of sup_law that contains the parameters of a law. */
typedef enum sup_law_form {
  SUP_FORM_SAP,
  SUP_FORM_COULOMB,
  SUP_FORM_LIMIT,
  SUP_FORM_PD,
  SUP_FORM_IMPULSE
} sup_law_form;

struct sup_law_properties;

/** Row of the table, at the end of the law's file. */
typedef struct sup_law_row {
  sup_law_form form;
  int          dimension; /* of v_c */
  int          has_bound; /* 1: friction is bounded by a given normal impulse gn0 */
  int          opens;     /* 1: sliding opens the contact: its cone is that of v_n - mu |v_t| */
  int          is_soft;   /* 1: friction has the soft norm of eps (slip.c) */
  void (*evaluate)(const sup_law *law, const double *vc, sup_law_value *out);
  /** Properties but mu, slip and traction, which are set, where gamma_n or traction acts
   * (properties.h); NULL: no contact law. */
  void (*properties)(const sup_law *law, const double *vc, double gn,
                     struct sup_law_properties *out);
} sup_law_row;

#define SUP_LAW_ROW(NAME, name) extern const sup_law_row sup_law_##name;
SUP_LAW_LIST(SUP_LAW_ROW)
#undef SUP_LAW_ROW

const sup_law_row *sup_law_table(sup_law_kind kind);
/** Contact law of a friction model, and 1 if its eps follows the impulse of the step's start. */
sup_law_kind sup_contact_model_law(sup_contact_model model);
bool         sup_contact_model_is_regularized(sup_contact_model model);

/** Slip that friction sees: u = S v_t. */
static inline void sup_law_slip(const sup_law *law, const double *vc, double u[2]) {
  const sup_anisotropy *S = &law->anisotropy;
  u[0] = S->on ? S->xx * vc[0] + S->xy * vc[1] : vc[0];
  u[1] = S->on ? S->xy * vc[0] + S->yy * vc[1] : vc[1];
}

/** Components of v_c. */
int         sup_law_dimension(sup_law_kind kind);
const char *sup_law_name(sup_law_kind kind);
void        sup_law_evaluate(const sup_law *law, const double *vc, sup_law_value *out);
/** Set the bound of coupled friction to the normal impulse at v_c, and evaluate the law. */
void sup_law_evaluate_coupled(sup_law *law, const double *vc, sup_law_value *out);
/** Value of Lagged from that of its normal law. */
void sup_lagged_add_friction(const sup_coulomb *law, const double *vc, double normal_cost, double n,
                             double slope, sup_law_value *out);

/** 1: friction is bounded by a given normal impulse gn0. */
bool sup_law_has_bound(const sup_law *law);
/** 1: gn0 is to be the normal impulse of the solution. */
bool sup_law_is_coupled(const sup_law *law);
/** d gamma_t / d gn0 of a law with a bound, at v_c with impulse gamma there: B of THEORY 16.1 is
 * J_t^T times it. */
void sup_law_bound_slope(const sup_law *law, const double *vc, const double *gamma, double out[2]);
/* An elastic stick is a tangential spring from an anchor that is carried from step to step;
 * friction bounds its force.  Its stretch is in the coordinates of friction: S times the
 * displacement with a tensor. */

/** A law with Coulomb friction becomes one with an elastic stick of stiffness kt [N/m] and
 * relaxation time tau [s], stretched by `stretch` [m] at the step's start. */
void   sup_law_set_spring(sup_law *law, double kt, double tau, const double stretch[2]);
double sup_law_spring_stiffness(const sup_law *law); /* [N/m] */
/** Stretch after the step with the impulse gamma: in stiction the stretch at the step's start plus
 * the displacement since, in sliding the stretch that friction balances. */
void sup_law_spring_stretch(const sup_law *law, const double *gamma, double stretch[2]);
/** 1: friction is at its bound at the tangential velocity vt of the law. */
int sup_elastic_stick_slides(const sup_coulomb *law, const double *vt);
/** Set the normal impulse gn0 that bounds friction, and eps; for laws with a bound. */
void sup_law_set_lagged_impulse(sup_law *law, double gn0);

/* ---- slip directions (slip.c) ----------------------------------------------------------------
 *
 * The soft norm is strongly nonlinear within eps, so that Newton's method, with the curvature at
 * the present velocity, needs many steps through stiction.  Written with a direction s of its own,
 * w s = v_t with w = sqrt(|v_t|^2 + eps^2), the same equations are nearly linear.  Newton on both
 * eliminates s: the tangential Hessian is bound/w (1 - sym(s t^T)) in place of bound/w (1 - t t^T),
 * positive semidefinite for |s| <= 1; at the solution s = t and both agree.  Laws without the soft
 * norm have no slip directions. */

/** s := t at v_c. */
void sup_slip_start(const sup_law *law, const double *vc, double direction[2]);
/** G at v_c, with normal impulse gn, as the primal-dual one. */
void sup_slip_hessian(const sup_law *law, const double *vc, double gn, const double direction[2],
                      double *G);
/** s after Newton's full step dv_c from v_c, shortened to 1. */
void sup_slip_advance(const sup_law *law, const double *vc, const double *dvc, double direction[2]);

/* ---- barriers (barrier.c): laws that are defined for phi0 + dt z > 0 only, z the velocity their
 * normal law sees ----
 */

bool sup_law_is_barrier(const sup_law *law);
/** Distance z + phi0/dt to the end of the domain [m/s]; infinite for other laws. */
double sup_law_domain_distance(const sup_law *law, const double *vc);
/** Largest alpha for which vc + alpha dvc is in the domain, vc being inside; infinite when there is
 * none. */
double sup_law_max_step(const sup_law *law, const double *vc, const double *dvc);
/** A one-sided spring of slope G [kg] that begins half way to the end of the barrier's domain and
 * is defined everywhere: with G -> infinity its minimiser is inside. */
sup_law sup_law_relaxed_barrier(const sup_law *law, double G);
