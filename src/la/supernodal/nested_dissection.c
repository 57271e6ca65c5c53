#include "la/supernodal/nested_dissection.h"

#include <limits.h>
#include <metis.h>
#include <pthread.h>
#include <signal.h>

#include "base/memory.h"

/** Graph among the first `count` nodes of the order, numbered by their positions in it. */
static void induce_graph(const sup_graph *graph, int count, const int *order, int *place,
                         idx_t *start, idx_t *neighbor) {
  idx_t fill = 0;
  for (int k = 0; k < graph->num_nodes; k++) place[order[k]] = k;
  for (int k = 0; k < count; k++) {
    start[k] = fill;
    for (int p = graph->start[order[k]]; p < graph->start[order[k] + 1]; p++)
      if (place[graph->neighbor[p]] < count) neighbor[fill++] = place[graph->neighbor[p]];
  }
  start[count] = fill;
}

/** Run METIS under a lock, with SIGTERM blocked: METIS uses the C library's random numbers, which
 * all threads share, and treats SIGTERM as its own failure. */
static int call_metis(idx_t count, idx_t *start, idx_t *neighbor, idx_t *permutation,
                      idx_t *inverse) {
  idx_t    option[METIS_NOPTIONS];
  sigset_t ours, before;
  int      code;
  sigemptyset(&ours);
  sigaddset(&ours, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ours, &before);
  METIS_SetDefaultOptions(option);
  option[METIS_OPTION_SEED] = 1;
  option[METIS_OPTION_COMPRESS] = 0; /* few block columns have equal neighbours */
#pragma omp critical(sup_metis)
  code = METIS_NodeND(&count, start, neighbor, NULL, option, permutation, inverse);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return code;
}

sup_status sup_nested_dissection(sup_order_work *work, const sup_graph *graph, int count,
                                 int *order) {
  if (count <= 1) return SUP_OK;
  size_t nodes = (size_t)graph->num_nodes, capacity = (size_t)graph->start[graph->num_nodes];
  if (sizeof(idx_t) != sizeof(int) || capacity > INT_MAX / 2)
    return SUP_FAIL(
        SUP_E_ARG,
        "nested dissection: %zu couplings of %zu block columns do not fit METIS's integers",
        capacity, nodes);
  SUP_TRY(SUP_GROW(work->memory, work->capacity, capacity + 5 * nodes + 1));
  int *start = work->memory, *neighbor = start + count + 1, *permutation = neighbor + capacity,
      *inverse = permutation + count, *old = inverse + count, *place = old + count;
  induce_graph(graph, count, order, place, start, neighbor);
  int code = call_metis(count, start, neighbor, permutation, inverse);
  if (code == METIS_ERROR_MEMORY)
    return SUP_FAIL(SUP_E_MEMORY, "nested dissection: METIS ran out of memory");
  if (code != METIS_OK)
    return SUP_FAIL(SUP_E_EXTERNAL, "nested dissection: METIS failed with status %d", code);
  for (int k = 0; k < count; k++) old[k] = order[k];
  for (int k = 0; k < count; k++) order[k] = old[permutation[k]];
  return SUP_OK;
}
