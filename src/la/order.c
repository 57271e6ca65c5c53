#include "la/order.h"

#include <amd.h>
#include <camd.h>
#include <limits.h>
#include <string.h>

#include "base/memory.h"

/** Both kinds present?  CAMD wants no empty constraint set. */
static int constraints_matter(int n, const unsigned char *last) {
  int num_last = 0;
  for (int b = 0; last && b < n; b++) num_last += last[b] != 0;
  return num_last > 0 && num_last < n;
}

sup_status sup_order_compute(sup_order_work *work, const sup_graph *graph, const unsigned char *last, int *order) {
  int n = graph->num_nodes;
  if (n == 0) return SUP_OK;
  /* The second-level routines take our memory, so that nothing is allocated here once it has grown; they want elbow
   * room of n at least and are fast with a fifth of the entries more. */
  size_t num_entries = (size_t)graph->start[n], room = num_entries + num_entries / 5 + (size_t)n + 1,
         stride = (size_t)n + 1;
  if (room > INT_MAX)
    return SUP_FAIL(SUP_E_ARG, "ordering: %zu couplings of %d block columns do not fit into int", num_entries, n);
  SUP_TRY(SUP_GROW(work->memory, work->capacity, room + 10 * stride));
  int *matrix = work->memory, *pointer = matrix + room, *length = pointer + stride, *weight = length + stride,
      *inverse = weight + stride, *head = inverse + stride, *element_length = head + stride,
      *degree = element_length + stride, *flag = degree + stride, *set = flag + stride, *bucket = set + stride;
  memcpy(matrix, graph->neighbor, num_entries * sizeof *matrix);
  for (int b = 0; b < n; b++) {
    pointer[b] = graph->start[b];
    length[b] = graph->start[b + 1] - graph->start[b];
  }
  double info[AMD_INFO > CAMD_INFO ? AMD_INFO : CAMD_INFO];
  if (constraints_matter(n, last)) {
    for (int b = 0; b < n; b++) set[b] = last[b] != 0;
    camd_2(n, pointer, matrix, length, (int)room, (int)num_entries, weight, inverse, order, head, element_length,
           degree, flag, NULL, info, set, bucket);
  } else {
    amd_2(n, pointer, matrix, length, (int)room, (int)num_entries, weight, inverse, order, head, element_length, degree,
          flag, NULL, info);
  }
  return SUP_OK;
}

void sup_order_work_free(sup_order_work *work) {
  SUP_FREE(work->memory);
  memset(work, 0, sizeof *work);
}
