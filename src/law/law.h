/** Constraint laws: constraint velocity v_c -> cost l, impulse gamma = -dl/dv_c, Hessian G = d2l/dv_c2.  Layer law.
 *
 *  Every law is convex and C1, so that the step's problem (THEORY 5) has one minimiser.  Adding a law: one file with
 * its point function and one row of the table in law.c. */
#pragma once

#include "law/hunt_crossley.h"

enum { SUP_LAW_MAX_DIMENSION = 3 };

typedef struct sup_law_value {
  double cost;     /* [J] */
  double gamma[3]; /* [N s] or [N m s] */
  double G[9];     /* row-major, dimension x dimension, positive semidefinite [kg] */
} sup_law_value;

typedef enum sup_law_kind { SUP_LAW_LAGGED, SUP_LAW_LIMIT, SUP_LAW_PD, SUP_NUM_LAWS } sup_law_kind;

/** Lagged contact, THEORY 6.4 (P0 eq. 17): v_c = [v_t (2), v_n]. */
typedef struct sup_lagged {
  sup_hunt_crossley normal;
  double            mu;  /* friction coefficient [-] */
  double            gn0; /* normal impulse that friction uses [N s] */
  double            eps; /* stiction tolerance v_s [m/s] */
} sup_lagged;

/** One-sided joint limit, THEORY 11: l = H/2 (vhat - v)+^2. */
typedef struct sup_limit {
  double vhat; /* [rad/s or m/s] */
  double H;    /* [kg m^2 or kg] */
} sup_limit;

/** PD controller with effort limit, THEORY 11: u~(v) = u0 - slope v, gamma = dt clamp(u~, -effort, effort). */
typedef struct sup_pd {
  double dt;
  double u0;     /* -kp (q0 - target) + kd dtarget/dt [N or N m] */
  double slope;  /* dt kp + kd > 0 */
  double effort; /* may be infinite */
} sup_pd;

typedef struct sup_law {
  sup_law_kind kind;
  union {
    sup_lagged lagged;
    sup_limit  limit;
    sup_pd     pd;
  };
} sup_law;

/** Components of v_c. */
int         sup_law_dimension(sup_law_kind kind);
const char *sup_law_name(sup_law_kind kind);
void        sup_law_evaluate(const sup_law *law, const double *vc, sup_law_value *out);

/** Point functions of the table. */
void sup_lagged_evaluate(const sup_law *law, const double *vc, sup_law_value *out);
void sup_limit_evaluate(const sup_law *law, const double *vc, sup_law_value *out);
void sup_pd_evaluate(const sup_law *law, const double *vc, sup_law_value *out);
