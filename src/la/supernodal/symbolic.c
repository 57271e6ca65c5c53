#include "la/supernodal/symbolic.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "la/numerics.h"
#include "la/supernodal/nested_dissection.h"

/** Working arrays, all of num_blocks items.  A node is the position of a block column in the
 * fill-reducing order; until the final order is known, a supernode is identified by its top node.
 */
typedef struct forest {
  int *old, *node_of;               /* old block of a node and back */
  int *parent, *ancestor;           /* elimination tree and its compressed paths */
  int *width, *is_last;             /* scalars of a node, later of a supernode; its kind */
  int *below, *below_blocks;        /* rows of the factor below a node: scalars, blocks */
  int *first_col, *last_col, *next; /* nodes of a supernode, bottom up */
  int *first_child, *next_child;    /* supernodes below a supernode */
  int *top; /* supernode of a node; a supernode is alive while top[k] == k */
  int *work;
} forest;

enum {
  NUM_FOREST_ARRAYS = 15,
  DISSECT_FLOPS = 8000, /* a coupling, see choose_order */
  MAX_WIDTH = 192,      /* scalars of a supernode; a block is never cut */
  PIECE_ALIGN = 24      /* whole strips of the kernels and whole vectors */
};

static sup_status build_graph(sup_symbolic *s, const sup_block_pattern *pattern, sup_graph *graph) {
  int    n = pattern->num_blocks;
  size_t num_half = n ? (size_t)(pattern->col_start[n] - n) : 0;
  if (num_half > (size_t)INT_MAX / 4)
    return SUP_FAIL(SUP_E_ARG, "analysis: %zu couplings do not fit into int", num_half);
  SUP_TRY(SUP_GROW(s->graph_memory, s->capacity[0], (size_t)n + 1 + 4 * num_half));
  int *start = s->graph_memory, *neighbor = start + n + 1, *entry = neighbor + 2 * num_half;
  memset(start, 0, ((size_t)n + 1) * sizeof *start);
  for (int j = 0; j < n; j++) {
    for (int e = pattern->col_start[j] + 1; e < pattern->col_start[j + 1]; e++) {
      start[j + 1]++;
      start[pattern->row[e] + 1]++;
    }
  }
  for (int b = 0; b < n; b++) start[b + 1] += start[b];
  for (int j = 0; j < n; j++) {
    for (int e = pattern->col_start[j] + 1; e < pattern->col_start[j + 1]; e++) {
      int i = pattern->row[e];
      entry[start[j]] = entry[start[i]] = e;
      neighbor[start[j]++] = i;
      neighbor[start[i]++] = j;
    }
  }
  memmove(start + 1, start, (size_t)n * sizeof *start);
  start[0] = 0;
  *graph = (sup_graph){n, start, neighbor};
  s->neighbor_entry = entry;
  return SUP_OK;
}

static forest carve_forest(int *memory, size_t n) {
  int *part[NUM_FOREST_ARRAYS];
  for (int k = 0; k < NUM_FOREST_ARRAYS; k++) part[k] = memory + (size_t)k * n;
  return (forest){part[0], part[1], part[2],  part[3],  part[4],  part[5],  part[6], part[7],
                  part[8], part[9], part[10], part[11], part[12], part[13], part[14]};
}

/** Elimination tree by compressed paths (Liu 1990). */
static void build_tree(const sup_graph *graph, forest *f) {
  for (int k = 0; k < graph->num_nodes; k++) {
    f->parent[k] = f->ancestor[k] = SUP_NONE;
    for (int p = graph->start[f->old[k]]; p < graph->start[f->old[k] + 1]; p++) {
      int j = f->node_of[graph->neighbor[p]];
      while (j < k) {
        int up = f->ancestor[j];
        f->ancestor[j] = k;
        if (up == SUP_NONE) f->parent[j] = k;
        j = up == SUP_NONE ? k : up;
      }
    }
  }
}

/** Rows below every node: row k has an entry in each column of its subtree, the paths from its
 * neighbours up to k. */
static void count_rows(const sup_graph *graph, forest *f) {
  int *mark = f->work;
  for (int k = 0; k < graph->num_nodes; k++) {
    mark[k] = k;
    f->below[k] = f->below_blocks[k] = 0;
    for (int p = graph->start[f->old[k]]; p < graph->start[f->old[k] + 1]; p++) {
      for (int j = f->node_of[graph->neighbor[p]]; j < k && mark[j] != k; j = f->parent[j]) {
        mark[j] = k;
        f->below_blocks[j]++;
        f->below[j] += f->width[k];
      }
    }
  }
}

/** Join each node with its parent if both have the same structure: chains of such nodes are the
 * first supernodes. */
static void build_chains(int n, forest *f) {
  int *lower = f->work; /* the child whose chain continues in a node */
  for (int k = 0; k < n; k++) {
    lower[k] = SUP_NONE;
    f->first_col[k] = f->last_col[k] = f->top[k] = k;
    f->next[k] = f->first_child[k] = SUP_NONE;
  }
  for (int k = 0; k < n; k++) {
    int up = f->parent[k];
    if (up != SUP_NONE && lower[up] == SUP_NONE && f->is_last[k] == f->is_last[up] &&
        f->below[k] == f->width[up] + f->below[up])
      lower[up] = k;
  }
  for (int k = 0; k < n; k++) {
    if (lower[k] == SUP_NONE) continue;
    f->first_col[k] = f->first_col[lower[k]];
    f->next[lower[k]] = k;
    f->width[k] +=
        f->width[lower[k]]; /* after the last use of the node's own width as a width of rows */
  }
  for (int k = n - 1; k >= 0; k--) {
    int up = f->parent[k];
    if (up == SUP_NONE) continue;
    if (lower[up] == k) {
      f->top[k] = f->top[up];
    } else {
      f->next_child[k] = f->first_child[f->top[up]];
      f->first_child[f->top[up]] = k;
    }
  }
}

/** Operations to factor a supernode with so many columns and rows below and to form its update. */
static double count_flops(double width, double below) {
  return width * width * (width / 3 + below) + width * below * (below + 1);
}

/** Elimination tree, rows and operations [flop] of the order in f->old. */
static double weigh_order(const sup_graph *graph, const int *offset, const unsigned char *last,
                          forest *f) {
  double flops = 0;
  for (int k = 0; k < graph->num_nodes; k++) {
    int old = f->old[k];
    f->node_of[old] = k;
    f->is_last[k] = last && last[old];
    f->width[k] = offset[old + 1] - offset[old];
  }
  build_tree(graph, f);
  count_rows(graph, f);
  for (int k = 0; k < graph->num_nodes; k++) flops += count_flops(f->width[k], f->below[k]);
  return flops;
}

/** Minimum degree, with nodes numbered as they are or by levels: 5 % fewer operations on fingers, 8
 * % on two of them, 19 % on a block of tetrahedra by levels, 40 % more on a plate.  The order by
 * levels is not tried with `last` nodes, since a second try in each step takes too long, nor if
 * most nodes are neighbours. */
static sup_status order_by_degree(sup_symbolic *s, const int *offset, const unsigned char *last,
                                  forest *f, double *flops) {
  int    n = s->graph.num_nodes;
  size_t bytes = (size_t)n * sizeof(int);
  int   *first = f->next_child; /* free until supernodes are built */
  SUP_TRY(sup_order_compute(&s->order_work, &s->graph, last, 0, f->old));
  *flops = weigh_order(&s->graph, offset, last, f);
  if (last || (double)s->graph.start[n] > sup_la_numerics.dense * n * n) return SUP_OK;
  memcpy(first, f->old, bytes);
  SUP_TRY(sup_order_compute(&s->order_work, &s->graph, last, 1, f->old));
  double by_levels = weigh_order(&s->graph, offset, last, f);
  if (by_levels < *flops) {
    *flops = by_levels;
    return SUP_OK;
  }
  memcpy(f->old, first, bytes);
  weigh_order(&s->graph, offset, last, f);
  return SUP_OK;
}

/** Minimum degree, or nested dissection where it pays.  METIS takes about as long as a
 * factorisation with DISSECT_FLOPS operations a coupling, for any mesh, so that it cannot pay below
 * that: grids of 4 x 4 x 63 vertices have 900 flop a coupling, a block of tetrahedra with 1,050
 * vertices 5,200 (dissection would gain nothing), cubes of 10^3 11,400 (it gains 30 %), of 20^3
 * 159,000 (two thirds).  If dissection nevertheless gives more operations, minimum degree is kept.
 */
static sup_status choose_order(sup_symbolic *s, const int *offset, const unsigned char *last,
                               int may_dissect, forest *f) {
  int    n = s->graph.num_nodes, num_leading = n;
  size_t bytes = (size_t)n * sizeof(int);
  int   *minimum_degree = f->next_child; /* free until supernodes are built */
  double flops;
  SUP_TRY(order_by_degree(s, offset, last, f, &flops));
  if (!may_dissect || flops <= (double)DISSECT_FLOPS * s->graph.start[n]) return SUP_OK;
  for (int b = 0; last && b < n; b++) num_leading -= last[b] != 0;
  memcpy(minimum_degree, f->old, bytes);
  SUP_TRY(sup_nested_dissection(&s->order_work, &s->graph, num_leading, f->old));
  s->is_dissected = weigh_order(&s->graph, offset, last, f) < flops;
  if (s->is_dissected) return SUP_OK;
  memcpy(f->old, minimum_degree, bytes);
  weigh_order(&s->graph, offset, last, f);
  return SUP_OK;
}

double sup_symbolic_time(double width, double below) {
  return 150 + count_flops(width, below) / 50 + 0.35 * below * (below + 1) / 2 +
         0.15 * width * (width + below);
}

static void merge(forest *f, int child, int into) {
  f->width[into] += f->width[child];
  f->top[child] = into;
  f->next[f->last_col[child]] = f->first_col[into];
  f->first_col[into] = f->first_col[child];
}

/** Merge children into their parents while the modelled time falls.  The rows below the union are
 * the parent's. */
static void amalgamate(int n, forest *f) {
  for (int k = 0; k < n; k++) {
    if (f->top[k] != k) continue;
    int pending = f->first_child[k], kept = SUP_NONE;
    while (pending != SUP_NONE) {
      int child = pending;
      pending = f->next_child[child];
      double apart = sup_symbolic_time(f->width[k], f->below[k]) +
                     sup_symbolic_time(f->width[child], f->below[child]);
      double merged = sup_symbolic_time(f->width[k] + f->width[child], f->below[k]);
      if (f->is_last[child] != f->is_last[k] || merged >= apart) {
        f->next_child[child] = kept;
        kept = child;
        continue;
      }
      merge(f, child, k);
      for (int c = f->first_child[child], after; c != SUP_NONE;
           c = after) { /* its children are now candidates of k */
        after = f->next_child[c];
        f->next_child[c] = pending;
        pending = c;
      }
    }
    f->first_child[k] = kept;
  }
}

/** Append a supernode's columns to the final order, wide supernodes in pieces of about equal width:
 * a piece and the rows multiplied with it stay in the cache, and several threads can share the
 * pieces. */
static void emit_supernode(sup_symbolic *s, const int *offset, const forest *f, int node,
                           int *num_cols) {
  int pieces = (f->width[node] + MAX_WIDTH - 1) / MAX_WIDTH, width = 0, num_left = 0;
  int most = (f->width[node] / pieces + PIECE_ALIGN) / PIECE_ALIGN * PIECE_ALIGN;
  for (int col = f->first_col[node]; col != SUP_NONE; col = f->next[col]) num_left++;
  for (int col = f->first_col[node]; col != SUP_NONE; col = f->next[col]) {
    int old = f->old[col], size = offset[old + 1] - offset[old];
    if (width == 0 || width + size > most) {
      width = 0;
      s->super_start[s->num_supernodes++] = *num_cols;
    }
    width += size;
    num_left--;
    s->row_start[s->num_supernodes - 1] =
        num_left + f->below_blocks[node]; /* upper bound until build_rows */
    s->super_of[*num_cols] = s->num_supernodes - 1;
    s->order[*num_cols] = old;
    s->position[old] = (*num_cols)++;
  }
}

/** Append the columns of one kind of supernodes below a root to the final order, in postorder. */
static void emit_subtree(sup_symbolic *s, const int *offset, forest *f, int root, int *num_cols) {
  int depth = 0, *stack = f->work;
  for (stack[depth++] = root; depth > 0;) {
    int node = stack[depth - 1], child = f->first_child[node];
    while (child != SUP_NONE && f->is_last[child] != f->is_last[root]) child = f->next_child[child];
    if (child != SUP_NONE) {
      f->first_child[node] = f->next_child[child];
      stack[depth++] = child;
      continue;
    }
    depth--;
    emit_supernode(s, offset, f, node, num_cols);
  }
}

/** Final order: a postorder of the supernodes that are not last, then of the last ones. */
static void build_final_order(sup_symbolic *s, const int *offset, forest *f) {
  int n = s->num_blocks, num_cols = 0;
  s->num_supernodes = 0;
  for (int kind = 0; kind < 2; kind++) {
    for (int k = 0; k < n; k++) {
      int up = f->parent[k];
      if (f->top[k] == k && f->is_last[k] == kind && (up == SUP_NONE || f->is_last[up] != kind))
        emit_subtree(s, offset, f, k, &num_cols);
    }
    if (kind == 0) s->num_leading = s->num_supernodes;
  }
  s->super_start[s->num_supernodes] = num_cols;
  s->offset[0] = 0;
  for (int k = 0; k < n; k++)
    s->offset[k + 1] = s->offset[k] + offset[s->order[k] + 1] - offset[s->order[k]];
}

/** Pieces of an amalgamated supernode may need fewer rows than were counted. */
static void close_gaps(sup_symbolic *s, const int *end) {
  int num_rows = 0;
  for (int k = 0; k < s->num_supernodes; k++) {
    int start = s->row_start[k], count = end[k] - start;
    memmove(s->row + num_rows, s->row + start, (size_t)count * sizeof *s->row);
    s->row_start[k] = num_rows;
    num_rows += count;
  }
  s->row_start[s->num_supernodes] = num_rows;
}

/** Row structure of the supernodes, walking every row's subtree: rows ascend because they are
 * walked in order, and the first row of a supernode gives its parent. */
static sup_status build_rows(sup_symbolic *s, forest *f) {
  int    num_supernodes = s->num_supernodes;
  size_t num_rows = 0;
  for (int k = 0; k < num_supernodes; k++) num_rows += (size_t)s->row_start[k];
  if (num_rows > (size_t)INT_MAX)
    return SUP_FAIL(SUP_E_ARG, "analysis: a factor of %zu blocks does not fit", num_rows);
  SUP_TRY(SUP_GROW(s->row, s->capacity[2], num_rows + 1));
  int *mark = f->work, *fill = f->ancestor, *parent = f->first_child;
  for (int k = 0, start = 0; k < num_supernodes; k++) {
    int count = s->row_start[k];
    s->row_start[k] = fill[k] = start;
    start += count;
    mark[k] = parent[k] = SUP_NONE;
  }
  s->row_start[num_supernodes] = (int)num_rows;
  for (int i = 0; i < s->num_blocks; i++) {
    int own = s->super_of[i], old = s->order[i];
    for (int p = s->graph.start[old]; p < s->graph.start[old + 1]; p++) {
      int j = s->position[s->graph.neighbor[p]];
      if (j > i) continue;
      for (int k = s->super_of[j]; k != own && mark[k] != i; k = parent[k]) {
        mark[k] = i;
        if (parent[k] == SUP_NONE) parent[k] = own;
        s->row[fill[k]++] = i;
      }
    }
  }
  close_gaps(s, fill);
  return SUP_OK;
}

void sup_symbolic_count(sup_symbolic *s) {
  s->nonzeros = s->flops = s->trailing_flops = 0;
  for (int k = 0; k < s->num_supernodes; k++) {
    double width = s->offset[s->super_start[k + 1]] - s->offset[s->super_start[k]], below = 0;
    for (int r = s->row_start[k]; r < s->row_start[k + 1]; r++)
      below += s->offset[s->row[r] + 1] - s->offset[s->row[r]];
    double flops = count_flops(width, below);
    s->nonzeros += width * (width + 1) / 2 + width * below;
    s->flops += flops;
    if (k >= s->num_leading) s->trailing_flops += flops;
  }
}

sup_status sup_symbolic_reserve(sup_symbolic *s, int num_blocks) {
  size_t n = (size_t)num_blocks;
  SUP_TRY(SUP_GROW(s->memory, s->capacity[1], 6 * n + 3));
  s->order = s->memory, s->position = s->order + n, s->super_of = s->position + n;
  s->offset = s->super_of + n, s->super_start = s->offset + n + 1,
  s->row_start = s->super_start + n + 1;
  return SUP_OK;
}

sup_status sup_symbolic_analyze_graph(sup_symbolic *s, const sup_graph *graph, const int *offset,
                                      const unsigned char *last, int may_dissect) {
  size_t n = (size_t)graph->num_nodes;
  s->num_blocks = 0;
  s->num_supernodes = s->num_leading = s->is_dissected = 0;
  s->graph = *graph;
  SUP_TRY(sup_symbolic_reserve(s, graph->num_nodes));
  SUP_TRY(SUP_GROW(s->scratch, s->capacity[3], NUM_FOREST_ARRAYS * n + 1));
  forest f = carve_forest(s->scratch, n);
  SUP_TRY(choose_order(s, offset, last, may_dissect, &f));
  s->num_blocks = graph->num_nodes;
  build_chains(s->num_blocks, &f);
  amalgamate(s->num_blocks, &f);
  build_final_order(s, offset, &f);
  SUP_TRY(build_rows(s, &f));
  sup_symbolic_count(s);
  return SUP_OK;
}

sup_status sup_symbolic_analyze(sup_symbolic *s, const sup_block_pattern *pattern,
                                const unsigned char *last) {
  sup_graph graph;
  s->num_blocks = s->num_supernodes = s->num_leading = 0;
  SUP_TRY(build_graph(s, pattern, &graph));
  SUP_TRY(sup_symbolic_analyze_graph(s, &graph, pattern->offset, last, 1));
  return SUP_OK;
}

void sup_symbolic_free(sup_symbolic *s) {
  SUP_FREE_ALL(&s->graph_memory, &s->memory, &s->row, &s->scratch);
  sup_order_work_free(&s->order_work);
  memset(s, 0, sizeof *s);
}
