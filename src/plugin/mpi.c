/* MPI as the ranks of a run (base/collective.h); part of the plug-in that PETSc is in, which starts
 * it.  A failure ends all ranks, as MPI's own handler does. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plugin/petsc_parts.h"

enum {
  PIECE = 1 << 16, /* numbers that are summed at a time */
  FEW = 64,
  MESSAGE = 1 << 24 /* bytes that are sent at a time: MPI counts by an int */
};

static MPI_Comm world = MPI_COMM_NULL, meeting = MPI_COMM_NULL;
static void    *memory; /* of sums */

/** The others' numbers of a piece, then the sums: enough for any number of ranks. */
static void *scratch(const sup_collective *self, size_t size) {
  if (memory) return memory;
  size_t share = (PIECE + (size_t)self->size - 1) / (size_t)self->size;
  memory = calloc((2 * (size_t)self->size + 1) * (share > FEW ? share : FEW), size);
  if (!memory) MPI_Abort(world, 1);
  return memory;
}

/* Few numbers are gathered and added up by everybody; of many each rank adds up its share and hands
 * it to all.  Either way in the order of the ranks. */
#define REDUCE(NAME, TYPE, MPI_TYPE, COMBINE)                                     \
  static void NAME##_few(const sup_collective *self, size_t n, TYPE *x) {         \
    TYPE *in = scratch(self, sizeof *in);                                         \
    MPI_Allgather(x, (int)n, MPI_TYPE, in, (int)n, MPI_TYPE, world);              \
    memcpy(x, in, n * sizeof *x);                                                 \
    for (size_t r = 1; r < (size_t)self->size; r++)                               \
      for (size_t i = 0; i < n; i++) COMBINE(x[i], in[r * n + i]);                \
  }                                                                               \
  static void NAME(const sup_collective *self, size_t count, TYPE *x) {           \
    size_t ranks = (size_t)self->size;                                            \
    TYPE  *in = scratch(self, sizeof *in);                                        \
    for (size_t n; count > FEW; count -= n, x += n) {                             \
      n = count < PIECE ? count : PIECE;                                          \
      size_t share = (n + ranks - 1) / ranks;                                     \
      TYPE  *out = in + ranks * share, *sum = out + ranks * share;                \
      memcpy(out, x, n * sizeof *x);                                              \
      memset(out + n, 0, (ranks * share - n) * sizeof *x);                        \
      MPI_Alltoall(out, (int)share, MPI_TYPE, in, (int)share, MPI_TYPE, world);   \
      memcpy(sum, in, share * sizeof *sum);                                       \
      for (size_t r = 1; r < ranks; r++)                                          \
        for (size_t i = 0; i < share; i++) COMBINE(sum[i], in[r * share + i]);    \
      MPI_Allgather(sum, (int)share, MPI_TYPE, out, (int)share, MPI_TYPE, world); \
      memcpy(x, out, n * sizeof *x);                                              \
    }                                                                             \
    if (count > 0) NAME##_few(self, count, x);                                    \
  }

#define ADD(a, b) ((a) += (b))
#define LARGER(a, b) ((a) = (b) > (a) ? (b) : (a))
#define LARGER_OR_NONE(a, b) ((a) = !((b) <= (a)) && !isnan(a) ? (b) : (a)) /* NaN stays */
REDUCE(sum, double, MPI_DOUBLE, ADD)
REDUCE(sum_integers, int64_t, MPI_INT64_T, ADD)
REDUCE(largest, double, MPI_DOUBLE, LARGER_OR_NONE)
REDUCE(largest_integers, int64_t, MPI_INT64_T, LARGER)

/** Bytes of the piece that begins at `done`. */
static int piece_of(size_t bytes, size_t done) {
  return (int)(bytes - done < MESSAGE ? bytes - done : MESSAGE);
}

static void broadcast(const sup_collective *self, int from, size_t bytes, void *data) {
  char *to = data;
  (void)self;
  for (size_t done = 0; done < bytes; done += MESSAGE)
    MPI_Bcast(to + done, piece_of(bytes, done), MPI_BYTE, from, world);
}

static void gather_parts(const sup_collective *self, const size_t *bytes, const void *own,
                         void *all) {
  char *to = all;
  for (int r = 0; r < self->size; to += bytes[r++]) {
    if (r == self->rank && bytes[r]) memmove(to, own, bytes[r]);
    broadcast(self, r, bytes[r], to);
  }
}

static void gather(const sup_collective *self, size_t bytes, const void *own, void *all) {
  size_t *each = calloc((size_t)self->size, sizeof *each);
  if (!each) MPI_Abort(world, 1);
  for (int r = 0; r < self->size; r++) each[r] = bytes;
  gather_parts(self, each, own, all);
  free(each);
}

/** Receive in the order of the ranks, one after the other: nothing waits in memory. */
static void collect(const sup_collective *self, int to, const size_t *bytes, const void *own,
                    void *all) {
  char       *in = all;
  const char *out = own;
  if (self->rank != to) {
    for (size_t done = 0; done < bytes[self->rank]; done += MESSAGE)
      MPI_Send(out + done, piece_of(bytes[self->rank], done), MPI_BYTE, to, 1, world);
    return;
  }
  for (int r = 0; r < self->size; in += bytes[r++]) {
    if (r == to && bytes[r]) memcpy(in, own, bytes[r]);
    for (size_t done = 0; done < bytes[r] && r != to; done += MESSAGE)
      MPI_Recv(in + done, piece_of(bytes[r], done), MPI_BYTE, r, 1, world, MPI_STATUS_IGNORE);
  }
}

/** Pieces between two ranks arrive in the order in which they were sent. */
static void exchange(const sup_collective *self, int count, const sup_message *message) {
  size_t pieces = 0;
  int    num = 0;
  (void)self;
  for (int k = 0; k < count; k++) pieces += (message[k].bytes + MESSAGE - 1) / MESSAGE;
  MPI_Request *request = calloc(2 * pieces + 1, sizeof *request);
  if (!request) MPI_Abort(world, 1);
  for (int k = 0; k < count; k++)
    for (size_t done = 0; done < message[k].bytes; done += MESSAGE)
      MPI_Irecv((char *)message[k].in + done, piece_of(message[k].bytes, done), MPI_BYTE,
                message[k].rank, 0, world, &request[num++]);
  for (int k = 0; k < count; k++)
    for (size_t done = 0; done < message[k].bytes; done += MESSAGE)
      MPI_Isend((const char *)message[k].out + done, piece_of(message[k].bytes, done), MPI_BYTE,
                message[k].rank, 0, world, &request[num++]);
  MPI_Waitall(num, request, MPI_STATUSES_IGNORE);
  free(request);
}

static int meet(const sup_collective *self, double seconds) {
  const struct timespec pause = {0, 2000000};
  MPI_Request           request;
  int                   are_all = 0;
  (void)self;
  double end = MPI_Wtime() + seconds;
  MPI_Ibarrier(meeting, &request);
  for (;;) {
    MPI_Test(&request, &are_all, MPI_STATUS_IGNORE);
    if (are_all || MPI_Wtime() > end) return are_all;
    nanosleep(&pause, NULL);
  }
}

static void end_all(const sup_collective *self, int code) {
  (void)self;
  MPI_Abort(MPI_COMM_WORLD, code);
}

static sup_collective ranks = {.sum = sum,
                               .sum_integers = sum_integers,
                               .max = largest,
                               .max_integers = largest_integers,
                               .gather = gather,
                               .gather_parts = gather_parts,
                               .collect = collect,
                               .broadcast = broadcast,
                               .exchange = exchange,
                               .cut = sup_petsc_cut,
                               .meet = meet,
                               .abort = end_all};

const sup_collective *sup_mpi_ranks(void) {
  if (world != MPI_COMM_NULL) return &ranks;
  if (MPI_Comm_dup(MPI_COMM_WORLD, &world) != MPI_SUCCESS ||
      MPI_Comm_dup(MPI_COMM_WORLD, &meeting) != MPI_SUCCESS)
    return NULL;
  MPI_Comm_rank(world, &ranks.rank);
  MPI_Comm_size(world, &ranks.size);
  return &ranks;
}

void sup_mpi_forget(void) {
  if (world == MPI_COMM_NULL) return;
  MPI_Comm_free(&world);
  MPI_Comm_free(&meeting);
  free(memory);
  memory = NULL;
}
