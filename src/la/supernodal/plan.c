#include "la/supernodal/plan.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"

static int align_up(int rows) {
  return (rows + SUP_PANEL_ALIGN - 1) / SUP_PANEL_ALIGN * SUP_PANEL_ALIGN;
}

/** Append a row to the runs of a panel, which begin at number `first`; a row that continues the
 * last run extends it. */
static sup_status append_run(sup_plan *plan, size_t first, sup_run next) {
  sup_run *last = plan->num_row_runs > first ? &plan->row_run[plan->num_row_runs - 1] : NULL;
  if (last && last->source + last->length == next.source &&
      last->target + last->length == next.target) {
    last->length += next.length;
    return SUP_OK;
  }
  SUP_TRY(SUP_GROW(plan->row_run, plan->capacity[1], plan->num_row_runs + 1));
  plan->row_run[plan->num_row_runs++] = next;
  return SUP_OK;
}

/** Sizes and places of the panels, and the runs of their rows in the new order. */
static sup_status lay_out_panels(sup_plan *plan, const sup_symbolic *s) {
  plan->num_values = 0;
  plan->num_row_runs = 0;
  plan->max_height = plan->max_top = 0;
  for (int k = 0; k < s->num_supernodes; k++) {
    sup_panel *panel = &plan->panel[k];
    size_t     run = plan->num_row_runs;
    int        below = 0;
    if (run > (size_t)INT_MAX) return SUP_FAIL(SUP_E_ARG, "analysis: the factor is too large");
    for (int r = s->row_start[k]; r < s->row_start[k + 1]; r++) {
      int size = sup_symbolic_size(s, s->row[r]);
      SUP_TRY(append_run(plan, run, (sup_run){below, s->offset[s->row[r]], size}));
      below += size;
    }
    panel->first = s->offset[s->super_start[k]];
    panel->width = s->offset[s->super_start[k + 1]] - panel->first;
    panel->top = align_up(panel->width);
    panel->below = below;
    panel->height = panel->top + align_up(below);
    panel->ld = panel->height % 64 == 0 ? panel->height + 8
                                        : panel->height; /* put columns into different cache sets */
    panel->start = plan->num_values;
    panel->row_run = (int)run;
    if (panel->ld > INT_MAX / panel->width)
      return SUP_FAIL(SUP_E_ARG, "analysis: a dense block of %d x %d is too large", panel->height,
                      panel->width);
    plan->num_values += (size_t)panel->ld * (size_t)panel->width;
    if (panel->height > plan->max_height) plan->max_height = panel->height;
    if (panel->top > plan->max_top) plan->max_top = panel->top;
  }
  plan->panel[s->num_supernodes].row_run = (int)plan->num_row_runs;
  return SUP_OK;
}

/** First row of supernode k after r that belongs to another supernode than row r. */
static int end_of_segment(const sup_symbolic *s, int k, int r) {
  int owner = s->super_of[s->row[r]];
  while (r < s->row_start[k + 1] && s->super_of[s->row[r]] == owner) r++;
  return r;
}

/** Segments bucketed by target; `piece` holds the first block row of the segment until
 * build_pieces. */
static sup_status build_segments(sup_plan *plan, const sup_symbolic *s) {
  int num_panels = s->num_supernodes, num_segments = 0;
  for (int k = 0; k <= num_panels; k++) plan->panel[k].segment = 0;
  for (int k = 0; k < num_panels; k++)
    for (int r = s->row_start[k]; r < s->row_start[k + 1]; r = end_of_segment(s, k, r))
      plan->panel[s->super_of[s->row[r]]].segment++;
  for (int k = 0; k <= num_panels; k++) {
    int count = plan->panel[k].segment;
    plan->panel[k].segment = num_segments;
    num_segments += count;
  }
  SUP_TRY(SUP_GROW(plan->segment, plan->capacity[2], num_segments + 1));
  for (int k = 0; k < num_panels; k++) {
    int first = 0;
    for (int r = s->row_start[k], end; r < s->row_start[k + 1]; r = end) {
      int count = 0;
      end = end_of_segment(s, k, r);
      for (int q = r; q < end; q++) count += sup_symbolic_size(s, s->row[q]);
      plan->segment[plan->panel[s->super_of[s->row[r]]].segment++] =
          (sup_segment){k, first, count, r};
      first += count;
    }
  }
  for (int k = num_panels; k > 0; k--) plan->panel[k].segment = plan->panel[k - 1].segment;
  if (num_panels) plan->panel[0].segment = 0;
  return SUP_OK;
}

void sup_plan_locate(const sup_plan *plan, const sup_symbolic *s, int k) {
  int first = plan->panel[k].first, row = plan->panel[k].top;
  for (int b = s->super_start[k]; b < s->super_start[k + 1]; b++)
    plan->position[b] = s->offset[b] - first;
  for (int r = s->row_start[k]; r < s->row_start[k + 1]; r++) {
    plan->position[s->row[r]] = row;
    row += sup_symbolic_size(s, s->row[r]);
  }
}

/** Append row `source` of a segment whose first piece is number `first`: it goes to row `target`.
 */
static void append_row(sup_plan *plan, size_t first, int source, int target) {
  sup_piece *last = plan->piece + plan->num_pieces - 1;
  int        vector = target / SUP_PANEL_ALIGN * SUP_PANEL_ALIGN;
  if (plan->num_pieces == first || last->target != vector || source % SUP_PIECE_GROUP == 0) {
    *++last = (sup_piece){source, vector, 0};
    plan->num_pieces++;
  }
  last->mask |= 1U << (target - vector);
}

static sup_status build_pieces(sup_plan *plan, const sup_symbolic *s, int k) {
  for (int g = plan->panel[k].segment; g < plan->panel[k + 1].segment; g++) {
    sup_segment *segment = &plan->segment[g];
    size_t       first = plan->num_pieces;
    int          source = segment->first;
    if (first > (size_t)INT_MAX) return SUP_FAIL(SUP_E_ARG, "analysis: the factor is too large");
    for (int r = segment->piece; r < s->row_start[segment->source + 1]; r++) {
      int size = sup_symbolic_size(s, s->row[r]), target = plan->position[s->row[r]];
      SUP_TRY(SUP_GROW(plan->piece, plan->capacity[3], plan->num_pieces + (size_t)size));
      for (int i = 0; i < size; i++) append_row(plan, first, source++, target + i);
    }
    segment->piece = (int)first;
  }
  return SUP_OK;
}

/** Blocks of the matrix in the columns of panel k, sorted with diagonal ones first, so that
 * placement has no unpredictable branch. */
static void place_blocks(sup_plan *plan, const sup_symbolic *s, const sup_block_pattern *pattern,
                         int k, sup_placement **next) {
  int ld = plan->panel[k].ld;
  for (int b = s->super_start[k]; b < s->super_start[k + 1]; b++) {
    int    width = sup_symbolic_size(s, b), column = (s->offset[b] - plan->panel[k].first) * ld;
    size_t diagonal = pattern->value_start[pattern->col_start[s->order[b]]];
    *(*next)++ =
        (sup_placement){diagonal, column + plan->position[b], width, width, SUP_PLACE_DIAGONAL};
  }
  for (int b = s->super_start[k]; b < s->super_start[k + 1]; b++) {
    int old = s->order[b], width = sup_symbolic_size(s, b),
        column = (s->offset[b] - plan->panel[k].first) * ld;
    for (int p = s->graph.start[old]; p < s->graph.start[old + 1]; p++) {
      int neighbor = s->graph.neighbor[p], row = s->position[neighbor];
      if (row < b) continue;
      *(*next)++ = (sup_placement){pattern->value_start[s->neighbor_entry[p]],
                                   column + plan->position[row], sup_symbolic_size(s, row), width,
                                   neighbor > old ? SUP_PLACE_PLAIN : SUP_PLACE_TRANSPOSED};
    }
  }
}

sup_status sup_plan_build(sup_plan *plan, const sup_symbolic *s, const sup_block_pattern *pattern) {
  int num_panels = s->num_supernodes, num_blocks = s->num_blocks;
  plan->num_panels = 0;
  plan->num_pieces = 0;
  SUP_TRY(SUP_GROW(plan->panel, plan->capacity[0], num_panels + 1));
  SUP_TRY(SUP_GROW(plan->placement, plan->capacity[4],
                   num_blocks ? pattern->col_start[num_blocks] : 0));
  SUP_TRY(SUP_GROW(plan->position, plan->capacity[5], num_blocks));
  SUP_TRY(lay_out_panels(plan, s));
  SUP_TRY(build_segments(plan, s));
  sup_placement *placement = plan->placement;
  for (int k = 0; k < num_panels; k++) {
    sup_plan_locate(plan, s, k);
    SUP_TRY(build_pieces(plan, s, k));
    plan->panel[k].placement = (int)(placement - plan->placement);
    place_blocks(plan, s, pattern, k, &placement);
  }
  plan->panel[num_panels].placement = (int)(placement - plan->placement);
  plan->segment[plan->panel[num_panels].segment].piece = (int)plan->num_pieces;
  plan->num_panels = num_panels;
  return SUP_OK;
}

void sup_plan_free(sup_plan *plan) {
  SUP_FREE_ALL(&plan->panel, &plan->row_run, &plan->segment, &plan->piece, &plan->placement,
               &plan->position);
  memset(plan, 0, sizeof *plan);
}
