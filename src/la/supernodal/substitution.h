/** Substitution with the panels of a factor: x := L^-1 x, x := L^-T x.  Layer la.
 *
 *  Both substitutions process panels like the factorisation, with the same schedule for threads.
 * The forward substitution is left-looking: a panel stores its contribution to the rows below it,
 * and each target collects the contributions of its sources in order.  A panel can thus be used
 * directly after its factorisation, while it is in the cache, and the bits do not depend on the
 * number of threads.  In the backward substitution a panel reads the solution of its ancestors;
 * separate subtrees are independent. */
#pragma once

#include "la/supernodal/kernel.h"
#include "la/supernodal/schedule.h"

typedef struct sup_substitution {
  const sup_kernels  *kernels;
  const sup_symbolic *symbolic;
  const sup_plan     *plan;
  sup_schedule       *schedule;
  size_t             *start; /* [num_panels + 1] of the panels in y */
  size_t              capacity;
  int                 num_workspaces; /* number of threads with workspace */
  /* from the caller's memory, 64-byte aligned */
  const double *value;     /* the panels */
  double       *x;         /* [num_scalars] in the new order */
  double       *y;         /* [start[num_panels]] contributions of panels to the rows below them */
  double       *workspace; /* [num_workspaces x sup_substitution_workspace_size] */
} sup_substitution;

/** Part of the matrix that a substitution covers. */
typedef enum sup_substitution_part { SUP_PART_LEADING, SUP_PART_WHOLE } sup_substitution_part;

/** Lay out the numbers of panels; the pointers are stored.  Zero the struct before the first call;
 * E_MEMORY. */
SUP_NODISCARD sup_status sup_substitution_build(sup_substitution *s, const sup_kernels *kernels,
                                                const sup_symbolic *symbolic, const sup_plan *plan,
                                                sup_schedule *schedule);
void                     sup_substitution_free(sup_substitution *s);
/** Doubles of one thread's workspace, a multiple of SUP_PANEL_ALIGN. */
size_t sup_substitution_workspace_size(const sup_plan *plan);
/** Useful number of threads for a factor with so many nonzeros. */
int sup_substitution_threads(double nonzeros);
/** Permute b in the order of the matrix to x, or back. */
void sup_substitution_load(sup_substitution *s, const sup_block_pattern *pattern, const double *b);
void sup_substitution_store(const sup_substitution *s, const sup_block_pattern *pattern, double *b);
/** Compute panel k's part of L^-1 x; all earlier panels are done or in work on other threads. */
void sup_substitution_forward_panel(sup_substitution *s, int k, int thread);
/** Add the updates of the leading panels to the rows of trailing panel k. */
void sup_substitution_gather(sup_substitution *s, int k);
/** x_l := L_ll^-1 x_l, x_t -= L_tl x_l; or x := L^-1 x for the whole matrix. */
void sup_substitution_forward(sup_substitution *s, sup_substitution_part part);
/** x_l := L_ll^-T (x_l - L_tl^T x_t); or x := L^-T x for the whole matrix. */
void sup_substitution_backward(sup_substitution *s, sup_substitution_part part);
