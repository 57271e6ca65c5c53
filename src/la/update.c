#include "la/update.h"

#include <string.h>

enum {
  TILE = 96,           /* rows of a packed tile: the tallest register tile */
  PACK_SOURCE = 32768, /* doubles of a source that the second-level cache does not keep from strip to strip */
  PACK_COLUMNS = 24    /* columns that repay the packing */
};

static size_t align_up(size_t count) { return (count + SUP_PANEL_ALIGN - 1) / SUP_PANEL_ALIGN * SUP_PANEL_ALIGN; }

static size_t strip_size(const sup_plan *plan) {
  size_t strip = (size_t)plan->max_height * SUP_KERNEL_STRIP, tile = (size_t)TILE * SUP_KERNEL_STRIP;
  return strip > tile ? strip : tile;
}

static size_t tile_size(const sup_plan *plan) { return (size_t)TILE * (size_t)plan->max_top; }

static size_t operand_size(const sup_plan *plan) {
  return align_up((size_t)plan->max_top * ((size_t)plan->max_top + SUP_KERNEL_STRIP));
}

size_t sup_update_room_size(const sup_plan *plan) { return strip_size(plan) + tile_size(plan) + operand_size(plan); }

sup_update_room sup_update_room_carve(const sup_plan *plan, double *memory) {
  double *tile = memory + strip_size(plan);
  return (sup_update_room){memory, tile, tile + tile_size(plan)};
}

/** A segment with its panels and the runs that are left of it. */
typedef struct update {
  const sup_kernels *kernels;
  const sup_run     *run, *end;
  const double      *below; /* rows below the source's diagonal block */
  double            *to;    /* the target panel */
  int                ld, to_ld, inner, rows;
} update;

/** Columns of the target that a strip's columns are; runs that end above the strip are passed. */
static void find_columns(update *u, int first, int cols, double *column[SUP_KERNEL_STRIP]) {
  while (u->run->source + u->run->length <= first) u->run++;
  const sup_run *at = u->run;
  for (int j = 0; j < cols; j++) {
    if (first + j >= at->source + at->length) at++;
    column[j] = u->to + (ptrdiff_t)(at->target + first + j - at->source) * u->to_ld;
  }
}

static int strip_cols(int first, int last) { return last - first < SUP_KERNEL_STRIP ? last - first : SUP_KERNEL_STRIP; }

static void apply_strips(update u, const sup_segment *segment, double *strip) {
  double *column[SUP_KERNEL_STRIP];
  int     last = segment->first + segment->count;
  for (int first = segment->first; first < last; first += SUP_KERNEL_STRIP) {
    int cols = strip_cols(first, last), base = first / SUP_PANEL_ALIGN * SUP_PANEL_ALIGN, rows = u.rows - base;
    find_columns(&u, first, cols, column);
    u.kernels->update(rows, cols, u.inner, u.below + base, u.ld, u.below + first, u.ld, strip);
    u.kernels->scatter(u.run, u.end, base, first, rows, cols, strip, column);
  }
}

/** to[k * rows + i] = from[k * ld + i]. */
static void pack(int rows, int inner, const double *from, int ld, double *to) {
  for (int k = 0; k < inner; k++, from += ld, to += rows) memcpy(to, from, (size_t)rows * sizeof *to);
}

static void apply_tiles(update u, const sup_segment *segment, const sup_update_room *room) {
  double        *column[SUP_KERNEL_STRIP];
  int            begin = segment->first, last = begin + segment->count;
  const sup_run *run = u.run; /* of the tile's rows */
  for (int first = begin; first < last; first += SUP_KERNEL_STRIP)
    pack(strip_cols(first, last), u.inner, u.below + first, u.ld, room->operand + (ptrdiff_t)(first - begin) * u.inner);
  for (int base = begin / SUP_PANEL_ALIGN * SUP_PANEL_ALIGN; base < u.rows; base += TILE) {
    int rows = u.rows - base < TILE ? u.rows - base : TILE;
    pack(rows, u.inner, u.below + base, u.ld, room->tile);
    update columns = u;
    while (run < u.end && run->source + run->length <= base) run++;
    for (int first = begin; first < last && first < base + rows; first += SUP_KERNEL_STRIP) {
      int cols = strip_cols(first, last);
      find_columns(&columns, first, cols, column);
      u.kernels->update(rows, cols, u.inner, room->tile, rows, room->operand + (ptrdiff_t)(first - begin) * u.inner,
                        cols, room->strip);
      u.kernels->scatter(run, u.end, base, first > base ? first : base, rows, cols, room->strip, column);
    }
  }
}

void sup_update_apply(const sup_kernels *kernels, const sup_plan *plan, const sup_update_room *room,
                      const sup_segment *segment, const double *value, int to_ld, double *to) {
  const sup_panel *source = &plan->panel[segment->source];
  int              rows = source->height - source->top;
  update           u = {kernels,
                        &plan->run[segment->run],
                        &plan->run[segment[1].run],
                        value + source->start + source->top,
                        to,
                        source->ld,
                        to_ld,
                        source->width,
                        rows};
  if (segment->count >= PACK_COLUMNS && (ptrdiff_t)source->width * (rows - segment->first) >= PACK_SOURCE)
    apply_tiles(u, segment, room);
  else
    apply_strips(u, segment, room->strip);
}
