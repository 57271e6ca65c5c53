/** Parallel loops over independent items, and sums over them.  Layer base. */
#pragma once

#include <stddef.h>

#include "base/team.h"

/** Number of threads for an amount of work, each with at least `least` of it: one thread for less
 * than twice `least`. */
int sup_threads_worth(size_t work, size_t least);

/** Items first .. end of a loop. */
typedef void sup_share_items(void *user, int first, int end);
/** Items 0 .. count, each once. */
void sup_share_run(int threads, int count, sup_share_items *items, void *user);

enum { SUP_TERMS_MAX = 16 };
/** term := contribution of item i to the sums. */
typedef void sup_terms_of(void *user, int i, double *term);
/** sum[k mod columns] += term k of each item, item after item and term after term: the bits do not
 * depend on the number of threads that compute the terms.
 *  @param[in] width    terms of an item, at most SUP_TERMS_MAX
 *  @param[in] columns  sums; 1 or width */
void sup_sum_terms(int threads, int count, int width, int columns, sup_terms_of *terms, void *user,
                   double *sum);
