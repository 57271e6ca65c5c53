#include "la/supernodal/order.h"

#include <amd.h>
#include <camd.h>
#include <limits.h>
#include <string.h>

#include "base/memory.h"

/** 1: some columns are `last` and some are not; CAMD allows no empty constraint set. */
static int constraints_matter(int n, const unsigned char *last) {
  int num_last = 0;
  for (int b = 0; last && b < n; b++) num_last += last[b] != 0;
  return num_last > 0 && num_last < n;
}

static int degree_of(const sup_graph *graph, int node) {
  return graph->start[node + 1] - graph->start[node];
}

/** Nodes of a connected part, breadth first from `first`, neighbours by rising degree; their marks
 * become `stamp`, which none of them has.  Returns their number. */
static int walk(const sup_graph *graph, int first, int stamp, int *mark, int *node) {
  int count = 0;
  node[count++] = first;
  mark[first] = stamp;
  for (int k = 0; k < count; k++) {
    int from = node[k], begin = count;
    for (int p = graph->start[from]; p < graph->start[from + 1]; p++) {
      int next = graph->neighbor[p], place;
      if (mark[next] == stamp) continue;
      mark[next] = stamp;
      for (place = count++;
           place > begin && degree_of(graph, node[place - 1]) > degree_of(graph, next); place--)
        node[place] = node[place - 1];
      node[place] = next;
    }
  }
  return count;
}

/** Numbers by levels from an end of each connected part: the node that was reached last, twice. */
static void number_by_levels(const sup_graph *graph, int *mark, int *node) {
  memset(mark, 0, (size_t)graph->num_nodes * sizeof *mark);
  for (int b = 0, count = 0; b < graph->num_nodes; b++) {
    if (mark[b]) continue;
    int size = walk(graph, b, 1, mark, node + count);
    walk(graph, node[count + size - 1], 2, mark, node + count);
    walk(graph, node[count + size - 1], 3, mark, node + count);
    count += size;
  }
}

/** The graph with its node node[k] as number k, neighbours ascending; `place` is the inverse. */
static void copy_graph(const sup_graph *graph, const int *node, int *place, int *pointer,
                       int *length, int *matrix) {
  int n = graph->num_nodes, fill = 0;
  for (int k = 0; k < n; k++) {
    place[node[k]] = k;
    pointer[k] = fill;
    length[k] = 0;
    fill += degree_of(graph, node[k]);
  }
  for (int k = 0; k < n; k++)
    for (int p = graph->start[node[k]]; p < graph->start[node[k] + 1]; p++) {
      int j = place[graph->neighbor[p]];
      matrix[pointer[j] + length[j]++] = k;
    }
}

sup_status sup_order_compute(sup_order_work *work, const sup_graph *graph,
                             const unsigned char *last, int by_levels, int *order) {
  int n = graph->num_nodes;
  if (n == 0) return SUP_OK;
  /* Use the second-level routines with own memory, so that nothing is allocated once this memory
   * has grown.  They need elbow room of at least n, and are fast with a fifth more entries. */
  size_t num_entries = (size_t)graph->start[n],
         size = num_entries + num_entries / 5 + (size_t)n + 1, stride = (size_t)n + 1;
  if (size > INT_MAX)
    return SUP_FAIL(SUP_E_ARG, "ordering: %zu couplings of %d block columns do not fit into int",
                    num_entries, n);
  SUP_TRY(SUP_GROW(work->memory, work->capacity, size + 11 * stride));
  int *matrix = work->memory, *pointer = matrix + size, *length = pointer + stride,
      *weight = length + stride, *inverse = weight + stride, *head = inverse + stride,
      *element_length = head + stride, *degree = element_length + stride, *flag = degree + stride,
      *set = flag + stride, *bucket = set + stride, *node = bucket + stride;
  for (int b = 0; b < n; b++) node[b] = b;
  if (by_levels) number_by_levels(graph, flag, node);
  copy_graph(graph, node, inverse, pointer, length, matrix);
  double info[AMD_INFO > CAMD_INFO ? AMD_INFO : CAMD_INFO];
  if (constraints_matter(n, last)) {
    for (int b = 0; b < n; b++) set[b] = last[node[b]] != 0;
    camd_2(n, pointer, matrix, length, (int)size, (int)num_entries, weight, inverse, order, head,
           element_length, degree, flag, NULL, info, set, bucket);
  } else {
    amd_2(n, pointer, matrix, length, (int)size, (int)num_entries, weight, inverse, order, head,
          element_length, degree, flag, NULL, info);
  }
  for (int k = 0; k < n; k++) order[k] = node[order[k]];
  return SUP_OK;
}

void sup_order_work_free(sup_order_work *work) {
  SUP_FREE(work->memory);
  memset(work, 0, sizeof *work);
}
