/** Collective operations of the ranks of one run: processes, perhaps on several machines, each with
 * a share of the work.  Layer base.
 *
 *  A constant table of functions that is handed on from above.  One rank needs no other program;
 * several are MPI's, whose table is in the plug-in (plugin/mpi.c).  All ranks call the same
 * functions in the same order.  Sums are added once in the order of the ranks and sent to all:
 * their bits depend only on the number of ranks and are equal on all ranks, so that decisions based
 * on them agree.  A failure in a collective operation (a rank that died) ends the process. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct sup_collective sup_collective;

/** Pair of messages with one other rank; both sides state the same sizes. */
typedef struct sup_message {
  int         rank;
  size_t      bytes; /* each way */
  const void *out;
  void       *in;
} sup_message;

/** A graph whose vertices are shared out to the ranks in their order; symmetric, without loops. */
typedef struct sup_graph_share {
  int        num_vertices; /* of all ranks */
  int        num_own;      /* vertices of this rank */
  const int *start;        /* [num_own + 1] into neighbour */
  const int *neighbour;    /* [start[num_own]] numbers among all vertices */
} sup_graph_share;

struct sup_collective {
  int rank, size; /* rank 0 .. size - 1 */
  /** x[i] := sum or largest of the ranks' x[i]. */
  void (*sum)(const sup_collective *self, size_t count, double *x);
  void (*sum_integers)(const sup_collective *self, size_t count, int64_t *x);
  void (*max)(const sup_collective *self, size_t count, double *x);
  void (*max_integers)(const sup_collective *self, size_t count, int64_t *x);
  /** all [size x bytes] := `own` [bytes] of each rank, on all ranks. */
  void (*gather)(const sup_collective *self, size_t bytes, const void *own, void *all);
  /** gather of sizes that differ: all [sum of bytes] in the order of the ranks.
   *  @param[in] bytes  [size] of each rank, the same on all */
  void (*gather_parts)(const sup_collective *self, const size_t *bytes, const void *own, void *all);
  /** gather_parts to rank `to` alone; elsewhere `all` is not read. */
  void (*collect)(const sup_collective *self, int to, const size_t *bytes, const void *own,
                  void *all);
  /** data [bytes] := that of rank `from`. */
  void (*broadcast)(const sup_collective *self, int from, size_t bytes, void *data);
  /** Exchange messages with several ranks at once, each at most once. */
  void (*exchange)(const sup_collective *self, int count, const sup_message *message);
  /** Partition a graph into parts 0 .. num_parts - 1 of about equal size with few edges between
   * parts.  NULL or returned 0: no partitioner, or it failed; the same on all ranks.  Some parts of
   * a small graph may be empty.
   *  @param[out] part  [num_own] of the vertices of this rank */
  int (*cut)(const sup_collective *self, const sup_graph_share *graph, int num_parts, int *part);
  /** Wait for all ranks; returns 0 if some rank does not arrive within `seconds`, after which no
   * further wait is possible. */
  int (*meet)(const sup_collective *self, double seconds);
  /** End all ranks, also waiting ones, with this exit code; returns if there is a single rank. */
  void (*abort)(const sup_collective *self, int code);
};

/** Table of operations for a run on one rank; only `gather` copies data. */
extern const sup_collective sup_one_rank;

/** 1: there are several ranks. */
static inline int sup_has_ranks(const sup_collective *c) { return c && c->size > 1; }
/** 1: this rank does work that is needed once for all ranks. */
static inline int sup_is_first_rank(const sup_collective *c) { return !c || c->rank == 0; }

/** Agree on the status of an operation that may fail on some ranks only: all ranks get the status
 * and message of the lowest rank that failed.  NULL, or one rank: `own`. */
SUP_NODISCARD sup_status sup_agree(const sup_collective *c, sup_status own);
/** Sum of one number over the ranks; NULL: x. */
double sup_sum_of_ranks(const sup_collective *c, double x);
double sup_max_of_ranks(const sup_collective *c, double x);
