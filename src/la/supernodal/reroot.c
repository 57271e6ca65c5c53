#include "la/supernodal/reroot.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "la/numerics.h"

/** Kept: the subtree contains no `last` column.  Root: kept, but the parent is not; all rows below
 * a root are nodes. */
enum { ANEW, KEPT, ROOT };

/** One analysis.  Supernodes and columns are those of the base unless marked as top's; nodes (the
 * blocks of top) are the columns ordered anew. */
typedef struct graft {
  const sup_symbolic *base;
  sup_symbolic       *top;
  int                 num_nodes;
  unsigned char      *kind;        /* [supernodes] */
  int                *node;        /* [columns] SUP_NONE: of a kept supernode */
  int                *column;      /* [num_nodes] */
  unsigned char      *is_last;     /* [num_nodes] */
  int                *offset;      /* [num_nodes + 1] scalars */
  int                *start;       /* [num_nodes + 1] graph of the nodes; later places in `kept` */
  int                *above_start; /* [num_nodes + 2] kept supernodes that have a node as row */
  int                *above;       /* ascending for each node */
  int                *target; /* [supernodes] leading supernode of top that follows a kept one */
  int                *kept;   /* [supernodes] by targets */
  int *source;      /* [supernodes of the result] kept supernode; -1 - k: supernode k of top */
  int *fill, *mark; /* [supernodes], [num_nodes] */
} graft;

static sup_status allocate(sup_reroot *r, const sup_symbolic *base, graft *g) {
  size_t n = (size_t)base->num_blocks + 2, num_rows = (size_t)base->row_start[base->num_supernodes];
  int  **array[] = {&g->node,   &g->column, &g->offset, &g->start, &g->above_start,
                    &g->target, &g->kept,   &g->source, &g->fill,  &g->mark};
  size_t count = sizeof array / sizeof *array;
  SUP_TRY(SUP_GROW(r->work, r->capacity[0], count * n + num_rows));
  SUP_TRY(SUP_GROW(r->kind, r->capacity[2], 2 * n));
  for (size_t k = 0; k < count; k++) *array[k] = r->work + k * n;
  g->above = r->work + count * n;
  g->kind = r->kind, g->is_last = r->kind + n;
  return SUP_OK;
}

static void find_kept(graft *g, const unsigned char *last) {
  const sup_symbolic *f = g->base;
  memset(g->kind, KEPT, (size_t)f->num_supernodes);
  for (int k = 0; k < f->num_supernodes; k++) { /* children come before their parents */
    int up = sup_symbolic_parent(f, k);
    for (int c = f->super_start[k]; c < f->super_start[k + 1]; c++)
      if (last[f->order[c]]) g->kind[k] = ANEW;
    if (g->kind[k] == ANEW && up != SUP_NONE) g->kind[up] = ANEW;
  }
  for (int k = 0; k < f->num_supernodes; k++) {
    int up = sup_symbolic_parent(f, k);
    if (g->kind[k] == KEPT && (up == SUP_NONE || g->kind[up] == ANEW)) g->kind[k] = ROOT;
  }
}

static void number_nodes(graft *g, const unsigned char *last) {
  const sup_symbolic *f = g->base;
  g->num_nodes = g->offset[0] = 0;
  for (int c = 0; c < f->num_blocks; c++) {
    g->node[c] = SUP_NONE;
    if (g->kind[f->super_of[c]] != ANEW) continue;
    int i = g->num_nodes++;
    g->node[c] = i, g->column[i] = c;
    g->offset[i + 1] = g->offset[i] + f->offset[c + 1] - f->offset[c];
    g->is_last[i] = last[f->order[c]] != 0;
    g->mark[i] = SUP_NONE;
  }
}

static void list_above(graft *g) {
  const sup_symbolic *f = g->base;
  int                *start = g->above_start;
  memset(start, 0, ((size_t)g->num_nodes + 2) * sizeof *start);
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < f->num_supernodes; k++)
      for (int r = f->row_start[k]; g->kind[k] != ANEW && r < f->row_start[k + 1]; r++) {
        int i = g->node[f->row[r]];
        if (i == SUP_NONE) continue;
        if (pass == 0)
          start[i + 2]++;
        else
          g->above[start[i + 1]++] = k;
      }
    for (int i = 0; pass == 0 && i < g->num_nodes; i++) start[i + 2] += start[i + 1];
  }
}

/** Add j to the neighbours of node i, once. */
static void add_neighbor(graft *g, int i, int j, int *neighbor, int *count) {
  if (j == SUP_NONE || j == i || g->mark[j] == i) return;
  g->mark[j] = i;
  neighbor[(*count)++] = j;
}

/** Graph of the matrix among the nodes, plus a clique for each root. */
static sup_status build_graph(sup_reroot *r, graft *g, sup_graph *graph) {
  const sup_symbolic *f = g->base;
  size_t              capacity = 0;
  for (int i = 0; i < g->num_nodes; i++) {
    int old = f->order[g->column[i]];
    capacity += (size_t)(f->graph.start[old + 1] - f->graph.start[old]);
  }
  for (int k = 0; k < f->num_supernodes; k++) {
    size_t rows = (size_t)(f->row_start[k + 1] - f->row_start[k]);
    if (g->kind[k] == ROOT) capacity += rows * rows;
  }
  if (capacity > (size_t)INT_MAX / 4)
    return SUP_FAIL(SUP_E_ARG, "analysis: %zu couplings do not fit into int", capacity);
  SUP_TRY(SUP_GROW(r->neighbor, r->capacity[1], capacity));
  int count = 0;
  for (int i = 0; i < g->num_nodes; i++) {
    int old = f->order[g->column[i]];
    g->start[i] = count;
    for (int p = f->graph.start[old]; p < f->graph.start[old + 1]; p++)
      add_neighbor(g, i, g->node[f->position[f->graph.neighbor[p]]], r->neighbor, &count);
    for (int a = g->above_start[i]; a < g->above_start[i + 1]; a++) {
      int k = g->above[a];
      if (g->kind[k] != ROOT) continue;
      for (int q = f->row_start[k]; q < f->row_start[k + 1]; q++)
        add_neighbor(g, i, g->node[f->row[q]], r->neighbor, &count);
    }
  }
  g->start[g->num_nodes] = count;
  *graph = (sup_graph){g->num_nodes, g->start, r->neighbor};
  return SUP_OK;
}

/** Place each kept supernode directly before the supernode of top to which its subtree is attached,
 * so that subtrees of the result are contiguous.  Subtrees attached to `last` supernodes, or to
 * none, follow all supernodes that are not `last`. */
static void sort_kept(graft *g) {
  const sup_symbolic *f = g->base, *top = g->top;
  int                *start = g->start, end = top->num_leading;
  for (int k = f->num_supernodes - 1; k >= 0; k--) {
    g->target[k] = end;
    if (g->kind[k] == KEPT) g->target[k] = g->target[sup_symbolic_parent(f, k)];
    for (int r = f->row_start[k]; g->kind[k] == ROOT && r < f->row_start[k + 1]; r++) {
      int up = top->super_of[top->position[g->node[f->row[r]]]];
      if (up < g->target[k]) g->target[k] = up;
    }
  }
  memset(start, 0, ((size_t)end + 2) * sizeof *start);
  for (int k = 0; k < f->num_supernodes; k++)
    if (g->kind[k] != ANEW) start[g->target[k] + 1]++;
  for (int t = 0; t <= end; t++) start[t + 1] += start[t];
  for (int k = 0; k < f->num_supernodes; k++)
    if (g->kind[k] != ANEW) g->kept[start[g->target[k]]++] = k;
  for (int t = end; t >= 0; t--) start[t + 1] = start[t];
  start[0] = 0;
}

static void begin_supernode(graft *g, sup_symbolic *out, int source) {
  g->source[out->num_supernodes] = source;
  out->super_start[out->num_supernodes++] = out->num_blocks;
}

static void add_column(const sup_symbolic *f, sup_symbolic *out, int column) {
  int at = out->num_blocks++, old = f->order[column];
  out->order[at] = old, out->position[old] = at;
  out->super_of[at] = out->num_supernodes - 1;
  out->offset[at + 1] = out->offset[at] + f->offset[column + 1] - f->offset[column];
}

static void add_top(graft *g, sup_symbolic *out, int k) {
  begin_supernode(g, out, -1 - k);
  for (int c = g->top->super_start[k]; c < g->top->super_start[k + 1]; c++)
    add_column(g->base, out, g->column[g->top->order[c]]);
}

static void merge_orders(graft *g, sup_symbolic *out) {
  const sup_symbolic *f = g->base;
  out->num_blocks = out->num_supernodes = out->offset[0] = 0;
  for (int t = 0; t <= g->top->num_leading; t++) {
    for (int a = g->start[t]; a < g->start[t + 1]; a++) {
      begin_supernode(g, out, g->kept[a]);
      for (int c = f->super_start[g->kept[a]]; c < f->super_start[g->kept[a] + 1]; c++)
        add_column(f, out, c);
    }
    if (t < g->top->num_leading) add_top(g, out, t);
  }
  out->num_leading = out->num_supernodes;
  for (int k = g->top->num_leading; k < g->top->num_supernodes; k++) add_top(g, out, k);
  out->super_start[out->num_supernodes] = out->num_blocks;
}

/** Rows of top keep their order.  In a kept supernode, rows of kept ones come first in their order,
 * then nodes in the new order. */
static sup_status merge_rows(graft *g, sup_symbolic *out) {
  const sup_symbolic *f = g->base, *top = g->top;
  size_t              capacity =
      (size_t)f->row_start[f->num_supernodes] + (size_t)top->row_start[top->num_supernodes];
  int count = 0;
  if (capacity > INT_MAX)
    return SUP_FAIL(SUP_E_ARG, "analysis: a factor of %zu blocks does not fit", capacity);
  SUP_TRY(SUP_GROW(out->row, out->capacity[2], capacity + 1));
  for (int k = 0; k < out->num_supernodes; k++) {
    int from = g->source[k], own = -1 - from;
    out->row_start[k] = count;
    if (from >= 0) {
      int end = count + f->row_start[from + 1] - f->row_start[from];
      for (int r = f->row_start[from]; r < f->row_start[from + 1]; r++)
        if (g->node[f->row[r]] == SUP_NONE) out->row[count++] = out->position[f->order[f->row[r]]];
      g->fill[from] = count;
      count = end;
    } else {
      for (int r = top->row_start[own]; r < top->row_start[own + 1]; r++)
        out->row[count++] = out->position[f->order[g->column[top->order[top->row[r]]]]];
    }
  }
  out->row_start[out->num_supernodes] = count;
  for (int c = 0; c < g->num_nodes; c++) {
    int i = top->order[c], row = out->position[f->order[g->column[i]]];
    for (int a = g->above_start[i]; a < g->above_start[i + 1]; a++)
      out->row[g->fill[g->above[a]]++] = row;
  }
  return SUP_OK;
}

static sup_status graft_root(sup_reroot *r, sup_symbolic *out, const sup_symbolic *base,
                             const unsigned char *last) {
  graft     g = {.base = base, .top = &r->top};
  sup_graph graph;
  out->num_blocks = out->num_supernodes = out->num_leading = 0;
  SUP_TRY(allocate(r, base, &g));
  SUP_TRY(sup_symbolic_reserve(out, base->num_blocks));
  find_kept(&g, last);
  number_nodes(&g, last);
  list_above(&g);
  SUP_TRY(build_graph(r, &g, &graph));
  SUP_TRY(sup_symbolic_analyze_graph(g.top, &graph, g.offset, g.is_last, 0));
  sort_kept(&g);
  merge_orders(&g, out);
  SUP_TRY(merge_rows(&g, out));
  out->graph = base->graph;
  out->is_dissected = 0;
  sup_symbolic_count(out);
  return SUP_OK;
}

static double leading_flops(const sup_symbolic *s) { return s->flops - s->trailing_flops; }

sup_status sup_reroot_analyze(sup_reroot *r, sup_symbolic *out, const sup_symbolic *base,
                              const sup_block_pattern *pattern, const unsigned char *last) {
  if (!base->is_dissected) SUP_TRY(graft_root(r, out, base, last));
  if (base->is_dissected || leading_flops(out) > sup_la_numerics.reroot * base->flops) {
    SUP_TRY(sup_symbolic_analyze_graph(&r->whole, &base->graph, pattern->offset, last,
                                       base->is_dissected));
    if (base->is_dissected || leading_flops(&r->whole) < leading_flops(out)) {
      sup_symbolic better = r->whole;
      r->whole = *out, *out = better;
    }
  }
  out->neighbor_entry = base->neighbor_entry;
  return SUP_OK;
}

void sup_reroot_free(sup_reroot *r) {
  sup_symbolic_free(&r->top);
  sup_symbolic_free(&r->whole);
  SUP_FREE_ALL(&r->work, &r->neighbor, &r->kind);
  memset(r, 0, sizeof *r);
}
