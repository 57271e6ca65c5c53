#include "base/collective.h"

#include <string.h>

/* ---- one rank -------------------------------------------------------------------------------- */

static void keep(const sup_collective *self, size_t count, double *x) {
  (void)self, (void)count, (void)x;
}

static void keep_integers(const sup_collective *self, size_t count, int64_t *x) {
  (void)self, (void)count, (void)x;
}

static void copy(const sup_collective *self, size_t bytes, const void *own, void *all) {
  (void)self;
  if (bytes) memcpy(all, own, bytes);
}

static void copy_parts(const sup_collective *self, const size_t *bytes, const void *own,
                       void *all) {
  copy(self, bytes[0], own, all);
}

static void copy_to(const sup_collective *self, int to, const size_t *bytes, const void *own,
                    void *all) {
  (void)to;
  copy(self, bytes[0], own, all);
}

static void keep_data(const sup_collective *self, int from, size_t bytes, void *data) {
  (void)self, (void)from, (void)bytes, (void)data;
}

static void send_nothing(const sup_collective *self, int count, const sup_message *message) {
  (void)self, (void)message;
  SUP_ASSERT(count == 0);
}

static int meet_nobody(const sup_collective *self, double seconds) {
  (void)self, (void)seconds;
  return 1;
}

static void abort_nobody(const sup_collective *self, int code) { (void)self, (void)code; }

const sup_collective sup_one_rank = {.rank = 0,
                                     .size = 1,
                                     .sum = keep,
                                     .sum_integers = keep_integers,
                                     .max = keep,
                                     .max_integers = keep_integers,
                                     .gather = copy,
                                     .gather_parts = copy_parts,
                                     .collect = copy_to,
                                     .broadcast = keep_data,
                                     .exchange = send_nothing,
                                     .meet = meet_nobody,
                                     .abort = abort_nobody};

/* ---- several --------------------------------------------------------------------------------- */

sup_status sup_agree(const sup_collective *c, sup_status own) {
  enum { TEXT = 1024 };
  char text[TEXT];
  if (!sup_has_ranks(c)) return own;
  int64_t first = own == SUP_OK ? 0 : c->size - c->rank; /* largest of the lowest rank */
  c->max_integers(c, 1, &first);
  if (first == 0) return SUP_OK;
  int     failed = c->size - (int)first;
  int64_t code = own;
  strncpy(text, own == SUP_OK ? "" : sup_error_message(), TEXT - 1);
  text[TEXT - 1] = '\0';
  c->broadcast(c, failed, sizeof code, &code);
  c->broadcast(c, failed, TEXT, text);
  return c->rank == failed ? own : SUP_FAIL((sup_status)code, "%s", text);
}

double sup_sum_of_ranks(const sup_collective *c, double x) {
  if (sup_has_ranks(c)) c->sum(c, 1, &x);
  return x;
}

double sup_max_of_ranks(const sup_collective *c, double x) {
  if (sup_has_ranks(c)) c->max(c, 1, &x);
  return x;
}
