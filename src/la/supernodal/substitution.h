/** Substitution with the panels of a factor: x := L^-1 x, x := L^-T x.  Layer la.
 *
 *  Both go by panels as the factor does, and on threads by the same schedule.  Forward is
 * left-looking: a panel keeps what it takes from the rows below it, and who needs that fetches it,
 * from its sources in their order; so a panel can be solved with at once while it is in the cache,
 * and the bits do not depend on the number of threads.  Backward, a panel reads the solution of its
 * ancestors, and all that is side by side in the tree goes by itself. */
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
  int                 num_workspaces; /* threads that there is memory for */
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
/** Threads that are worth having for a factor with so many nonzeros. */
int sup_substitution_threads(double nonzeros);
/** x from b in the order of the matrix, or back. */
void sup_substitution_load(sup_substitution *s, const sup_block_pattern *pattern, const double *b);
void sup_substitution_store(const sup_substitution *s, const sup_block_pattern *pattern, double *b);
/** Panel k's part of L^-1 x, all panels before it being done or under way on other threads. */
void sup_substitution_forward_panel(sup_substitution *s, int k, int thread);
/** Add the updates of the leading panels to the rows of trailing panel k. */
void sup_substitution_gather(sup_substitution *s, int k);
/** x_l := L_ll^-1 x_l, x_t -= L_tl x_l; or L^-1 of the whole. */
void sup_substitution_forward(sup_substitution *s, sup_substitution_part part);
/** x_l := L_ll^-T (x_l - L_tl^T x_t); or L^-T of the whole. */
void sup_substitution_backward(sup_substitution *s, sup_substitution_part part);
