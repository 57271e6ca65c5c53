/** Updates of a panel by earlier ones, the bulk of a factorisation.  Layer la.
 *
 *  Two ways with the same bits: strips of six columns straight from the source, and, where the source does not stay in
 *  the cache from strip to strip, tiles of rows that are packed once and meet all columns. */
#pragma once

#include "la/kernel.h"

/** Working memory of one thread, aligned to 64 bytes. */
typedef struct sup_update_room {
  double *strip;   /* the product before it is added to the panel */
  double *tile;    /* packed rows of the source */
  double *operand; /* packed rows of the source that are columns of the target */
} sup_update_room;

/** Doubles that a plan needs for one thread's room, a multiple of SUP_PANEL_ALIGN. */
size_t          sup_update_room_size(const sup_plan *plan);
sup_update_room sup_update_room_carve(const sup_plan *plan, double *memory);
/** Subtract from a panel what a segment's source contributes.
 *  @param[in] value  all panels; the source is factored
 *  @param[in,out] to  the target panel, to_ld from column to column */
void sup_update_apply(const sup_kernels *kernels, const sup_plan *plan, const sup_update_room *room,
                      const sup_segment *segment, const double *value, int to_ld, double *to);
