/** Convergence of one number on a ladder of ever finer levels: observed orders, Richardson's value,
 * the grid convergence index.  Layer study: pure numbers.
 *
 *  The model is value(h) = limit + C h^p.  Three levels give p and the limit, whatever the ratios
 * of their h; with a known limit two levels give p.  The GCI (Roache, J. Fluids Eng. 116, 1994)
 * is 1.25 times the extrapolated error of the finest of three levels or more, relative to its
 * value, and 3 times that of two levels with an order that is assumed.  The error bar is the larger
 * of the GCI and the last change, since cancelling errors of several kinds give high apparent
 * orders and an arbitrarily small GCI (energy of H8, observed order 3.5: 0.08 % for a true 0.6 %).
 * The error bar is also at least the known error of contact layers, which yield where coarse cells
 * are too stiff. */
#pragma once

#include <math.h>
#include <stdbool.h>

#define SUP_NO_NUMBER ((double)NAN)

enum { SUP_MAX_LEVELS = 24 };

/** The numbers of a ladder, from coarse to fine. */
typedef struct sup_ladder_values {
  int           num_levels; /* at most SUP_MAX_LEVELS */
  const double *h;          /* [num_levels] positive, strictly decreasing */
  const double *value;      /* [num_levels] finite */
  int           has_reference;
  double        reference; /* the exact number */
  double formal_order;     /* of the method, as the user has it: assumed of two levels; 0: none */
  double layer_error;      /* of the finest value, relative, that contact layers make, which get
                              stiffer from level to level; 0: none */
  double most_order;       /* that the errors can have (sup_formal_order); 0: not known.  No order
                              above either is believed. */
} sup_ladder_values;

/** 1: the numbers are errors themselves, or should be 0: only their orders are meaningful, not
 * relative errors. */
static inline bool sup_ladder_is_of_errors(const sup_ladder_values *l) {
  return l->has_reference && l->reference == 0;
}

typedef enum sup_behaviour {
  SUP_BEHAVIOUR_TOO_FEW,      /* too few levels */
  SUP_BEHAVIOUR_CONSTANT,     /* the values do not depend on h (1e-9 of their size) */
  SUP_BEHAVIOUR_NOT_MONOTONE, /* the last two changes have opposite signs */
  SUP_BEHAVIOUR_DIVERGING,    /* changes do not shrink as h does */
  SUP_BEHAVIOUR_TOO_CLOSE, /* h shrinks by less than 1.3: the noise of meshes decides on orders */
  SUP_BEHAVIOUR_PREASYMPTOTIC, /* varying orders, or an order too small for extrapolation */
  SUP_BEHAVIOUR_SINGLE_ORDER,  /* one order, in [0.4, 6]: nothing to compare it with */
  SUP_BEHAVIOUR_ASYMPTOTIC     /* the last two orders of the changes agree within a quarter */
} sup_behaviour;

/** Reference of the errors. */
typedef enum sup_error_base {
  SUP_ERROR_REFERENCE,
  SUP_ERROR_RICHARDSON,
  SUP_ERROR_NONE
} sup_error_base;

/** SUP_NO_NUMBER: unknown. */
typedef struct sup_convergence {
  sup_behaviour  behaviour;
  sup_error_base base;
  int            num_levels;
  double         error[SUP_MAX_LEVELS]; /* [num_levels] |value - base| */
  int            num_orders;            /* levels - 1 with a reference, else levels - 2 */
  double         order[SUP_MAX_LEVELS]; /* [num_orders]; the last belongs to the finest level */
  int            num_changes;
  double change_order[SUP_MAX_LEVELS]; /* [num_changes = levels - 2] of three levels each, without a
                                          reference */
  double order_used;   /* by the two below: of the last three levels, at most the formal one */
  int    is_above;     /* the observed one is higher by more than a quarter */
  int    is_by_change; /* the band is the last change, which is more than the GCI */
  int    is_by_layer;  /* .. is the error of contact layers, which exceeds both */
  double extrapolated; /* Richardson's value; not of errors nor before the asymptotic range, nor
                          what follows */
  double band;         /* half width of the error bar: GCI or last change, the larger */
  double gci;          /* it, relative to the finest value; 0 when the values are constant */
} sup_convergence;

/** Least ratio of h from level to level by which a limit is extrapolated. */
#define SUP_LEAST_RATIO 1.3

/** Least ratio of h between consecutive levels among the last three (Celik, Ghia, Roache, Freitas,
 * J. Fluids Eng. 130, 2008). */
double sup_ladder_ratio(const sup_ladder_values *ladder);

sup_convergence sup_converge(const sup_ladder_values *ladder);

/** Order p of the last of three values with f_i = limit + C h_i^p; NaN when the changes have
 * opposite signs or the first of them is zero.  Clamped to [-20, 20]. */
double sup_order_of_three(const double h[3], const double value[3]);
