#include "base/row_gather.h"

#include <string.h>

#include "base/memory.h"

/** Bytes of a row between ranks: its number, then the row. */
static size_t parcel(size_t bytes) { return sizeof(int) + bytes; }

static int number_of(const sup_row_gather *g, int own) { return g->number ? g->number[own] : own; }

int sup_row_gather_block(const sup_row_gather *g, int block) {
  int left = g->num_rows - block * SUP_ROW_BLOCK;
  return left < SUP_ROW_BLOCK ? left : SUP_ROW_BLOCK;
}

static sup_status create(sup_row_gather *g, int num_own, size_t most_bytes) {
  size_t size = sup_has_ranks(g->ranks) ? (size_t)g->ranks->size : 1,
         block = (size_t)sup_row_gather_block(g, 0);
  int own = 0, most = 0;
  SUP_TRY(SUP_CALLOC(g->first, g->num_blocks + 1));
  for (int b = 1; b <= g->num_blocks; b++) {
    while (own < num_own && number_of(g, own) / SUP_ROW_BLOCK < b) own++;
    g->first[b] = own;
    if (own - g->first[b - 1] > most) most = own - g->first[b - 1];
  }
  if (sup_is_first_rank(g->ranks)) SUP_TRY(SUP_CALLOC(g->in_order, block * most_bytes));
  if (size == 1) return SUP_OK;
  SUP_TRY(SUP_CALLOC(g->bytes, size));
  SUP_TRY(SUP_CALLOC(g->count, size * (size_t)g->num_blocks));
  SUP_TRY(SUP_CALLOC(g->own, (size_t)most * parcel(most_bytes)));
  if (sup_is_first_rank(g->ranks)) SUP_TRY(SUP_CALLOC(g->all, block * parcel(most_bytes)));
  return SUP_OK;
}

/** Gather on all ranks how many rows of each block each rank has. */
static sup_status tell(sup_row_gather *g) {
  int *own = NULL;
  SUP_TRY(sup_agree(g->ranks, SUP_CALLOC(own, g->num_blocks)));
  for (int b = 0; b < g->num_blocks; b++) own[b] = g->first[b + 1] - g->first[b];
  g->ranks->gather(g->ranks, (size_t)g->num_blocks * sizeof *own, own, g->count);
  SUP_FREE(own);
  return SUP_OK;
}

sup_status sup_row_gather_create(sup_row_gather *g, const sup_collective *ranks, const int *number,
                                 int num_own, int num_rows, size_t most_bytes) {
  *g = (sup_row_gather){.ranks = ranks,
                        .number = number,
                        .num_rows = num_rows,
                        .num_blocks = (num_rows + SUP_ROW_BLOCK - 1) / SUP_ROW_BLOCK};
  sup_status status = sup_agree(ranks, create(g, num_own, most_bytes));
  if (status == SUP_OK && sup_has_ranks(ranks)) status = tell(g);
  if (status != SUP_OK) sup_row_gather_free(g);
  return status;
}

void sup_row_gather_free(sup_row_gather *g) {
  SUP_FREE_ALL(&g->first, &g->count, &g->bytes, &g->own, &g->all, &g->in_order);
}

/** Copy the parcels of all ranks to their places. */
static void sort_in(sup_row_gather *g, int block, size_t bytes) {
  int n = sup_row_gather_block(g, block), number;
  for (int i = 0; i < n; i++) {
    const char *at = g->all + (size_t)i * parcel(bytes);
    memcpy(&number, at, sizeof number);
    memcpy(g->in_order + (size_t)(number - block * SUP_ROW_BLOCK) * bytes, at + sizeof number,
           bytes);
  }
}

const char *sup_row_gather_collect(sup_row_gather *g, int block, size_t bytes,
                                   void (*pack)(void *self, int own, char *row), void *self) {
  int first = g->first[block], end = g->first[block + 1];
  if (!g->count) {
    for (int c = first; c < end; c++) pack(self, c, g->in_order + (size_t)(c - first) * bytes);
    return g->in_order;
  }
  for (int c = first; c < end; c++) {
    char *at = g->own + (size_t)(c - first) * parcel(bytes);
    int   number = number_of(g, c);
    memcpy(at, &number, sizeof number);
    pack(self, c, at + sizeof number);
  }
  for (int r = 0; r < g->ranks->size; r++)
    g->bytes[r] = (size_t)g->count[r * g->num_blocks + block] * parcel(bytes);
  g->ranks->collect(g->ranks, 0, g->bytes, g->own, g->all);
  if (g->ranks->rank != 0) return NULL;
  sort_in(g, block, bytes);
  return g->in_order;
}
