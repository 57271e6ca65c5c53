/** Constant part of a stepper: pattern of A, maps of the bodies into it.  Layer step.
 *
 *  Built once from the model and the options; constant and shared by all steps. */
#pragma once

#include "base/team.h"
#include "la/block_matrix.h"
#include "model/model.h"
#include "solve/reduction.h"

/** Run of blocks that are contiguous both in a soft body's matrix and in A. */
typedef struct sup_soft_run {
  int from, to, count; /* entries of both patterns */
} sup_soft_run;
/** A block with a vertex that others move: attached to a link, or tied. */
typedef struct sup_soft_link {
  int entry, row, col; /* of the body's pattern */
} sup_soft_link;
/** A free vertex next to attached ones. */
typedef struct sup_soft_border {
  int vertex, tree, to; /* entry of A that couples them */
} sup_soft_border;
/** Part of such a block with a tied vertex that goes to the blocks of two movers. */
typedef struct sup_soft_share {
  size_t           link;
  const sup_mover *row, *col;
  double           weight;
  size_t           to;                                             /* place in A */
  enum { SUP_SHARE_PLAIN, SUP_SHARE_TURNED, SUP_SHARE_BOTH } form; /* B, B^T, B + B^T */
} sup_soft_share;
/** Map of the blocks of a soft body's matrix into A. */
typedef struct sup_soft_map {
  sup_soft_run    *run;
  sup_soft_link   *link;
  sup_soft_border *border;
  size_t           num_runs, num_links, num_borders, run_capacity, link_capacity, border_capacity;
  sup_soft_share  *share;
  sup_mover       *self; /* [num_vertices] vertices as their own movers; NULL: no tied one */
  size_t           num_shares, share_capacity;
  size_t *place; /* [entries of the body's pattern] body assembled directly into A: start of each
                    block in A, or behind A's values for blocks in no run; NULL: the body has a
                    separate matrix */
} sup_soft_map;

typedef struct sup_step_layout {
  const sup_model  *model;
  sup_options       options;
  sup_block_pattern A_pattern;
  size_t num_values; /* number of values of A, with those behind its pattern (sup_soft_map.place) */
  sup_soft_map  *soft_map;   /* [num_softs] */
  unsigned char *held_axes;  /* [num_blocks] bits SUP_AXIS_X.. of a vertex's held axes; trees: 0 */
  unsigned char *alone;      /* [num_trees] 1: A does not couple the tree to other block columns */
  int           *block_body; /* [num_blocks] soft body of a vertex; SUP_NONE: a tree */
  int     is_free; /* 1: soft bodies are not assembled, part of A is not stored (free_matrix.c) */
  double *reference, *distance; /* [num_blocks x 3], [num_softs x 3] [m] of sup_block_space;
                                   NULL: all of A is stored */
  sup_block_pattern D_pattern;  /* with ranks: diagonal blocks alone */
} sup_step_layout;

SUP_NODISCARD sup_status sup_step_layout_create(sup_step_layout **layout, const sup_model *model,
                                                const sup_options *options);
void                     sup_step_layout_destroy(sup_step_layout **layout);
/** Pass to the reduction the block columns that the unstored part of A connects. */
SUP_NODISCARD sup_status sup_step_layout_join(const sup_step_layout *layout,
                                              sup_reduction         *reduction);
/** True if soft body i needs Newton's method.  With BDF2 linear_corotational needs it, too:
 * rotations at the step's start are of first order and would add energy to a turning body with
 * little damping. */
int sup_soft_steps_nonlinearly(const sup_model *model, int i, int soft_bdf2);
/** A loop over the soft bodies, on threads when they are large enough. */
void sup_step_for_bodies(const sup_model *model, sup_team_item *item, void *user);
