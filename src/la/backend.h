/** What a factorisation backend provides; factor.c checks arguments and state and dispatches.  Layer la. */
#pragma once

#include "la/factor.h"

typedef struct sup_factor_backend {
  sup_status (*create)(void **self);
  void (*destroy)(void *self);
  void (*share)(void *self, void *lender); /* NULL: each has its own memory */
  sup_status (*analyze)(void *self, const sup_block_pattern *pattern, const unsigned char *last);
  /** From the analysis without `last`; NULL: not provided. */
  sup_status (*analyze_from)(void *self, const sup_block_pattern *pattern, const sup_symbolic *base,
                             const unsigned char *last);
  /** trailing != 0: only blocks among `last` changed since the last full call.  E_NOT_SPD with *failed_block set. */
  sup_status (*numeric)(void *self, const double *values, int trailing, int *failed_block);
  sup_status (*solve)(void *self, double *b);
  sup_factor_info (*info)(const void *self);
  /** Pivots, of the leading part alone or of all; NULL: not provided. */
  void (*pivots)(const void *self, int leading_only, double *pivot);
  /* Elimination of the leading part alone; NULL: not provided. */
  sup_status (*schur_pattern)(void *self, sup_block_pattern *out);
  sup_status (*eliminate)(void *self, const double *values, const sup_block_pattern *pattern, double *S, double *b,
                          int *failed_block);
  void (*forward)(void *self, double *b);
  void (*backward)(void *self, double *b);
} sup_factor_backend;

const sup_factor_backend *sup_supernodal_backend(void);
/** NULL when built with CHOLMOD=0. */
const sup_factor_backend *sup_cholmod_backend(void);
