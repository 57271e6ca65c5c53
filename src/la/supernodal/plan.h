/** Storage layout and data movement of the supernodal factor, computed once per pattern.  Layer la.
 *
 *  A panel holds one supernode column-major: its diagonal block padded to a multiple of 8 rows,
 * then the rows below, padded to a multiple of 8; padding is zero.  So every column is aligned to
 * 64 bytes and the kernels need no masks. */
#pragma once

#include "la/supernodal/symbolic.h"

enum {
  SUP_PANEL_ALIGN = 8,
  SUP_PIECE_GROUP = 32 /* rows that kernels multiply before they add them to the target */
};

/** Doubles up to the next multiple of SUP_PANEL_ALIGN. */
static inline size_t sup_panel_align(size_t count) {
  return (count + SUP_PANEL_ALIGN - 1) / SUP_PANEL_ALIGN * SUP_PANEL_ALIGN;
}

/** Place of scalar i of a block column in the new order, and back.  A tree of more unknowns than a
 * branch has is eliminated from its leaves to the root: branches then remain apart (Featherstone,
 * Int. J. Robot. Res. 24 (2005) 487), and kernels pass over the zeros between them. */
static inline int sup_plan_scalar(int size, int i) {
  enum { BRANCH = 12 };
  return size > BRANCH ? size - 1 - i : i;
}

typedef struct sup_panel {
  size_t start;     /* of its values, in doubles */
  int    ld;        /* doubles from column to column */
  int    width;     /* columns */
  int    top;       /* rows of the diagonal block with padding: the first row below */
  int    below;     /* rows below */
  int    height;    /* top + below with padding: rows that the kernels touch */
  int    first;     /* first scalar column in the new order */
  int    row_run;   /* first of its runs in row_run; the next panel's is the end */
  int    segment;   /* first of the segments that update it; end: the next panel's */
  int    placement; /* first of its placements; end: the next panel's */
} sup_panel;

/** Rows source .. source + length of one panel's below part are scalars target .. of a vector. */
typedef struct sup_run {
  int source, target, length;
} sup_run;

/** Consecutive rows of a panel's below part, from `source` on, that update one aligned vector of
 * rows in another panel: bit i of the mask is row target + i.  The rows belong to one group of
 * SUP_PIECE_GROUP source rows. */
typedef struct sup_piece {
  int      source, target; /* target: a multiple of SUP_PANEL_ALIGN */
  unsigned mask;
} sup_piece;

/** Update of a panel by an earlier one: `count` rows of the source's below part, from `first`, are
 * columns of the target. */
typedef struct sup_segment {
  int source, first, count;
  int piece; /* first of its pieces; the next segment's is the end */
} sup_segment;

/** Kinds of copies of a block to a panel; of a 3x3 block also the stride of its values from row to
 * row. */
enum { SUP_PLACE_DIAGONAL = 0, SUP_PLACE_PLAIN = 1, SUP_PLACE_TRANSPOSED = 3 };

/** A block of the matrix and its place in a panel. */
typedef struct sup_placement {
  size_t value; /* first value of the block */
  int    place; /* in the panel, in doubles */
  int    rows, cols;
  int    kind; /* SUP_PLACE_ */
} sup_placement;

typedef struct sup_plan {
  int            num_panels;
  sup_panel     *panel;      /* [num_panels + 1] */
  sup_run       *row_run;    /* rows below a panel -> scalars of the new order */
  sup_segment   *segment;    /* [panel[num_panels].segment + 1] by target, sources ascending */
  sup_piece     *piece;      /* of the segments */
  sup_placement *placement;  /* by panel */
  size_t         num_values; /* of all panels */
  int            max_height, max_top;
  int           *position; /* working array: row of each block in the current panel */
  size_t         num_row_runs, num_pieces;
  size_t         capacity[6];
} sup_plan;

/** Zero the struct before the first call; memory is kept between calls.  E_MEMORY, E_ARG when a
 * panel is too large. */
SUP_NODISCARD sup_status sup_plan_build(sup_plan *plan, const sup_symbolic *symbolic,
                                        const sup_block_pattern *pattern);
/** plan->position := row in panel k of every block that occurs there. */
void sup_plan_locate(const sup_plan *plan, const sup_symbolic *symbolic, int k);
void sup_plan_free(sup_plan *plan);
