/** Cells whose stress determines the stress at a rank's vertices: its own cells and neighbouring
 * cells of other ranks.  Private to layer fem. */
#pragma once

#include "base/collective.h"
#include "fem/body.h"

/** Cells whose data one rank sends to another. */
typedef struct sup_recovery_link {
  int    num_sent, num_got;
  int   *sent; /* [num_sent] own cells, numbers of the given mesh */
  int   *got;  /* [num_got] their numbers here */
  size_t sent_capacity, got_capacity;
} sup_recovery_link;

typedef struct sup_recovery_area {
  int num_cells, num_own;
  /* valid until sup_recovery_area_trim: */
  const sup_mesh *mesh;   /* own cells first, in the order of the body; all vertices */
  sup_mesh       *joined; /* mesh with cells of other ranks; NULL: the body's own mesh */
  int            *place;  /* [cells] of each among the stresses of points: own by the given mesh */
  int            *material; /* [cells] */
  double         *volume;   /* [cells] */
  int            *rank;     /* [cells] rank of each cell; NULL: one rank */
  int             num_links;
  sup_recovery_link *link;     /* [ranks] */
  int                width;    /* numbers sent for a cell: those of all its points */
  double            *out, *in; /* scratch of a round of an exchange .. */
  sup_message       *message;  /* .. and [ranks] its messages */
} sup_recovery_area;

/** Collect cells of other ranks around own cells, `layers` layers by common vertices.  Collective
 * with ranks. */
SUP_NODISCARD sup_status sup_recovery_area_create(sup_recovery_area *area, const sup_fem_body *body,
                                                  int layers);
/** Release data that only the fits need. */
void sup_recovery_area_trim(sup_recovery_area *area);
void sup_recovery_area_free(sup_recovery_area *area);
/** Send the stresses of own cells to the ranks that need them, receive those of others' cells.
 *  @param[in,out] point  [cells x width] those of own cells are set */
void sup_recovery_area_exchange(const sup_recovery_area *area, const sup_collective *ranks,
                                double *point);
