/** Updates of a panel by earlier ones, the bulk of a factorisation.  Layer la. */
#pragma once

#include "la/supernodal/kernel.h"

/** Working memory of one thread, aligned to 64 bytes. */
typedef struct sup_update_workspace {
  double  *operand; /* rows of a source that are columns of the target */
  double **column;  /* their columns */
} sup_update_workspace;

/** Doubles that a plan needs for one thread's workspace, a multiple of SUP_PANEL_ALIGN. */
size_t               sup_update_workspace_size(const sup_plan *plan);
sup_update_workspace sup_update_workspace_carve(const sup_plan *plan, double *memory);
/** Subtract the contribution of a segment's source from a panel.
 *  @param[in] value  all panels; the source is factored
 *  @param[in,out] to  the target panel, to_ld from column to column */
void sup_update_apply(const sup_kernels *kernels, const sup_plan *plan,
                      const sup_update_workspace *workspace, const sup_segment *segment,
                      const double *value, int to_ld, double *to);
