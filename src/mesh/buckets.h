/** Items bucketed by their first vertex.  Layer mesh, private.  Items to be sorted by lists of
 * vertices are put into buckets by the first vertex and sorted within each bucket.  This takes some
 * tens of bytes for a bucket instead of keys for all items, and linear time if vertices have few
 * items. */
#pragma once

#include "base/status.h"

typedef struct sup_buckets {
  int  num_buckets, largest; /* number of items in the fullest bucket */
  int *start;                /* [num_buckets + 1] */
  int *item;                 /* [start[num_buckets]] ascending in each bucket */
} sup_buckets;

/** Bucket of an item, 0 .. num_buckets - 1. */
typedef int sup_bucket_of(const void *user, int item);

/** Zero the struct before the call.  E_MEMORY. */
SUP_NODISCARD sup_status sup_buckets_fill(sup_buckets *buckets, int num_buckets, int num_items,
                                          sup_bucket_of *bucket_of, const void *user);
void                     sup_buckets_free(sup_buckets *buckets);
