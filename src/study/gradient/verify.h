/** Checks of a study's derivatives that need no reference: remainders of Taylor's formula, adjoint
 * against tangent, identities of dimension.  Layer study. */
#pragma once

#include "study/gradient/identity.h"

/** One row of the table. */
typedef struct sup_gradient_check {
  const char *name;                 /* "Taylor order", "adjoint - tangent", "scale of stress" */
  char        on[2 * SUP_NAME_MAX]; /* a parameter, "random direction" or "all" */
  int         quantity;
  double      value, bound;
  bool        is_most; /* the value must not exceed the bound; else not be below it */
  bool        holds;
} sup_gradient_check;

typedef struct sup_gradient_checks {
  sup_gradient_check *row; /* [count] */
  int                 count;
  size_t              capacity;
  int                 num_broken;
  char                missing[SUP_NUM_SCALES][SUP_MISSING_SIZE]; /* that an identity lacks, or "" */
} sup_gradient_checks;

/** Run all checks of a prepared study of load steps.  E_ARG as sup_gradient_run_adjoint. */
SUP_NODISCARD sup_status sup_gradient_verify(sup_study *study, sup_gradient_checks *checks);
void                     sup_gradient_checks_free(sup_gradient_checks *checks);
/** verify.csv, a row a check. */
SUP_NODISCARD sup_status sup_gradient_checks_write(const sup_study           *study,
                                                   const sup_gradient_checks *checks,
                                                   const char                *folder);
