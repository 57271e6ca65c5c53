#include "mesh/buckets.h"

#include "base/memory.h"

sup_status sup_buckets_fill(sup_buckets *b, int num_buckets, int num_items,
                            sup_bucket_of *bucket_of, const void *user) {
  b->num_buckets = num_buckets, b->largest = 0;
  SUP_TRY(SUP_CALLOC(b->start, (size_t)num_buckets + 1));
  SUP_TRY(SUP_CALLOC(b->item, num_items));
  for (int i = 0; i < num_items; i++) b->start[bucket_of(user, i) + 1]++;
  for (int k = 0; k < num_buckets; k++) {
    if (b->start[k + 1] > b->largest) b->largest = b->start[k + 1];
    b->start[k + 1] += b->start[k];
  }
  for (int i = 0; i < num_items; i++) b->item[b->start[bucket_of(user, i)]++] = i;
  for (int k = num_buckets; k > 0; k--) b->start[k] = b->start[k - 1];
  b->start[0] = 0;
  return SUP_OK;
}

void sup_buckets_free(sup_buckets *b) {
  SUP_FREE_ALL(&b->start, &b->item);
  *b = (sup_buckets){0};
}
