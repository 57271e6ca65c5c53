/** Things by the vertex that they begin with.  Layer mesh, private.
 *
 *  What is to be sorted by lists of vertices goes into buckets by the first of each list and is
 *  sorted there: some tens of bytes for a bucket instead of the keys of all, and linear time where
 *  vertices have few things. */
#pragma once

#include "base/status.h"

typedef struct sup_buckets {
  int  num_buckets, largest; /* things of the fullest */
  int *start;                /* [num_buckets + 1] */
  int *item;                 /* [start[num_buckets]] ascending in each bucket */
} sup_buckets;

/** The bucket of a thing, 0 .. num_buckets - 1. */
typedef int sup_bucket_of(const void *user, int item);

/** Zero the struct before.  E_MEMORY. */
SUP_NODISCARD sup_status sup_buckets_fill(sup_buckets *buckets, int num_buckets, int num_items,
                                          sup_bucket_of *bucket_of, const void *user);
void                     sup_buckets_free(sup_buckets *buckets);
