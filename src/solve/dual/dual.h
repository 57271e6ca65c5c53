/** The contact problem in impulses (P4; THEORY 8), for solvers that iterate on them.  Layer solve.
 *
 *  With G = J A^-1 J^T, g = J v_f + b and v_f = A^-1 p the velocities of the rows are c = G lambda
 * + g. Each row has a compliance R and a target c*, and
 *
 *      u = c + R lambda - c*
 *
 *  is complementary to lambda on the row's cone: the friction cone of a contact (NCP: after de
 * Saxce's correction), or an interval of limits, couplers and drives.  R and c* are those of the
 * laws: exact for linear laws, else the tangent at the present normal velocity, updated by
 * sup_dual_linearise.  Among friction models only SAP has a tangential compliance; the others have
 * Coulomb's law itself.
 *
 *  G is never formed.  Velocities are stored with lambda, and a changed row adds W dlambda with W =
 * A^-1 J_i^T. A row with zero impulse costs one product with its Jacobian; its W is never computed.
 */
#pragma once

#include "la/linear_solver.h"
#include "law/cone.h"
#include "solve/solver.h"

typedef enum sup_cone {
  SUP_CONE_FRICTION, /* |lambda_T| <= mu lambda_N */
  SUP_CONE_INTERVAL  /* lower <= lambda <= upper, either may be infinite */
} sup_cone;

/** Complementarity of the friction cone. */
typedef enum sup_cone_law {
  SUP_CONE_LAW_NCP,   /* Coulomb and Signorini: u + [0, 0, mu |u_T|] is in the dual cone */
  SUP_CONE_LAW_CCP,   /* convex relaxation: u is in the dual cone */
  SUP_CONE_LAW_LCP,   /* Coulomb's law with the box |lambda_x|, |lambda_y| <= mu lambda_N instead of
                         the disc */
  SUP_CONE_LAW_RAISIM /* RaiSim: slip opposite to lambda_T + mu^2 lambda_N / G_NN G_NT, with R in G
                         (P4 21) */
} sup_cone_law;

typedef struct sup_dual_row {
  sup_cone cone;
  int      dimension, first;      /* first components: in lambda and in the problem's v_c */
  double   mu;                    /* friction cone */
  double   lower, upper;          /* interval [N s or N m s] */
  double   R[3];                  /* diagonal compliance [1/kg] */
  double   target[3];             /* c* [m/s] */
  int      is_nonlinear;          /* 1: R[2] and target[2] are a tangent */
  double   open;                  /* normal velocity from which a nonlinear law is 0 [m/s] */
  double   rebound;               /* least target of an impact with restitution [m/s] */
  int      is_active;             /* 1: W and G are computed */
  int      first_part, num_parts; /* parts of the velocities that the row moves */
  double  *W;                     /* W of each part in turn [dimension x size], row-major [1/kg] */
  double   G[9];                  /* own block of J A^-1 J^T, dimension x dimension [1/kg] */
  double   g[3];                  /* g: velocity without any impulse [m/s] */
  double   normal;                /* estimate of G_NN, J A_cc^-1 J^T (THEORY 5.4) [1/kg] */
  double   w; /* mean of the estimate's diagonal: impulse times sqrt(w) is in sqrt(J) */
} sup_dual_row;

/** A Jacobian block in the dual's own order of scalars. */
typedef struct sup_dual_block {
  int           first, size;
  const double *J; /* row-major; of anisotropic friction stretched, so that the cone is round */
} sup_dual_block;

typedef struct sup_dual {
  const sup_problem *problem;
  sup_linear_solver *factor; /* of A */
  sup_arena         *arena;
  sup_dual_options   options;
  sup_cone_law       law;
  int                num_rows, n, has_nonlinear, log;
  sup_dual_row      *row;
  sup_dual_block *block;  /* [num_jacobian_blocks], those of row i from constraint[i].first_block */
  double         *bias;   /* [num_vc] */
  double         *lambda; /* [num_vc] impulses on round cones [N s, N m s] */
  double         *impulse;      /* [num_vc] workspace: gamma of lambda */
  double         *v;            /* [n] velocities of lambda, in the dual's order */
  double         *free;         /* [n] v_f, in the dual's order */
  int            *place;        /* [num_blocks] first scalar of a block column in that order */
  int            *part_start;   /* [num_parts + 1] parts that A alone connects */
  int            *part;         /* parts of rows, sup_dual_row.first_part */
  double         *work, *start; /* [n] in the problem's order: a solution; the warm start's v */
  double         *solved;       /* [3 x n] A^-1 J_i^T of a row, in the problem's order */
  double         *dynamics;     /* values of H_pattern for A */
  int             has_dynamics; /* 1: `factor` has these values */
  int             still;        /* iterations since the residual last fell by a tenth */
} sup_dual;

/** Set up rows, the factor of A, v_f, and the velocities of the start: solution->gamma projected on
 * the cones.  report->reason < 0: A is not positive definite.  E_ARG: a law without a dual form. */
SUP_NODISCARD sup_status sup_dual_create(sup_dual *dual, const sup_problem *problem,
                                         sup_linear_solver *linear, sup_cone_law law,
                                         const sup_solve_options *options, sup_arena *arena,
                                         sup_solution *solution, sup_solve_report *report);
/** W and G of row i, once. */
SUP_NODISCARD sup_status sup_dual_activate(sup_dual *dual, int i);
/** out [n], in the dual's order, := x in the problem's. */
void sup_dual_arrange(const sup_dual *dual, const double *x, double *out);
/** lambda [num_vc] := impulses of the problem on round cones. */
void sup_dual_round_impulse(const sup_dual *dual, const double *impulse, double *lambda);
/** impulse [num_vc] := lambda on the problem's cones, which need not be round. */
void sup_dual_impulse(const sup_dual *dual, const double *lambda, double *impulse);
/** c [num_vc] := J v + b of all rows, on round cones. */
void sup_dual_velocity(const sup_dual *dual, double *c);
/** rate [num_vc] := J v of velocities in the dual's order. */
void sup_dual_rate(const sup_dual *dual, const double *v, double *rate);
/** u = c + R lambda - c* of row i. */
void sup_dual_slack(const sup_dual *dual, int i, double u[3]);
/** Add `change` to lambda_i and update v.  The row becomes active. */
void sup_dual_add(sup_dual *dual, int i, const double *change);
/** 1: row i has no impulse and its slack u requires none. */
bool sup_dual_is_open(const sup_dual *dual, int i, const double u[3]);
/** Tangents of nonlinear laws at the present velocities. */
void sup_dual_linearise(sup_dual *dual);
/** v := velocities of lambda, by one substitution. */
SUP_NODISCARD sup_status sup_dual_solve_velocity(sup_dual *dual);
/** lambda of a row := its projection on the row's cone. */
void sup_dual_clamp(const sup_dual_row *row, double *lambda);
/** Residual of lambda and v in the law dual->law. */
void sup_dual_measure(const sup_dual *dual, sup_law_residual *residual);
/** Properties of a method that sup_dual_iterate runs. */
typedef struct sup_dual_method {
  sup_status (*iterate)(sup_dual *dual, void *user);
  int is_sweep; /* 1: sweeps from contact to contact, with options.subspace steps of all contacts
                   between them */
  int cap;      /* default number of iterations */
  int patience; /* number of iterations after which the residual must have fallen by a tenth; 0: no
                   limit */
} sup_dual_method;

/** Iterate until the residual is below the tolerance, the cap is reached or progress stalls;
 * without convergence the best iterate is the result. */
SUP_NODISCARD sup_status sup_dual_iterate(sup_dual *dual, const sup_dual_method *method, void *user,
                                          sup_solve_report *report);
/** Store impulses, velocities v = A^-1 (p + J^T gamma) and laws in force in the solution, the
 * momentum error in the report. */
SUP_NODISCARD sup_status sup_dual_finish(sup_dual *dual, sup_solution *solution,
                                         sup_solve_report *report);

/** Laws that have a dual form, for sup_contact_solver_row. */
int sup_dual_accepts(sup_law_kind law);
#define SUP_DUAL_ACCEPTS .accepts = sup_dual_accepts, .models = ~0u

/* ---- cones (dual_cone.c) --------------------------------------------------------------------- */

/** Set R, c*, mu and bounds of a law; is_nonlinear 1: the normal law is nonlinear and its tangent
 * must follow.  Returns 0 if the law has no dual form. */
int sup_dual_row_of_law(const sup_law *law, const sup_dual_options *options, sup_dual_row *row);
/** Tangent of a nonlinear normal law at the velocity vn. */
void sup_dual_row_linearise(sup_dual_row *row, const sup_law *law, double vn);
/** Law whose impulse is that of the solution (law.h, "impulse"); u and lambda on the round cone. */
sup_law sup_dual_row_impulse(const sup_dual_row *row, const sup_law *law, const double *lambda);
/** Direction e [2] opposite to slip: the direction of friction, except in RaiSim's law (P4 21); 0
 * without a direction. */
void sup_dual_row_axis(const sup_dual_row *row, sup_cone_law law, const double *lambda,
                       double e[2]);
/** x := its projection on the cone |x_T| <= mu x_N. */
void sup_cone_project(double mu, double x[3]);
/** x_T := projection on the disc |x_T| <= radius. */
void sup_disc_project(double radius, double x[2]);
/** y := nearest point of the cone to y in the metric diag(rt, rt, rn). */
void sup_cone_project_metric(double mu, double rt, double rn, double y[3]);
