#include "solve/reduction_set.h"

#include <string.h>

#include "base/memory.h"

sup_status sup_reduction_set_create(sup_reduction_set *set, sup_backend backend,
                                    const sup_block_pattern *A_pattern) {
  SUP_TRY(SUP_CALLOC(set->touched, A_pattern->num_blocks));
  SUP_TRY(sup_reduction_create(&set->first, backend, A_pattern));
  set->reduction[set->count++] = set->first;
  return SUP_OK;
}

void sup_reduction_set_free(sup_reduction_set *set) {
  for (int k = 0; k < set->count; k++)
    if (set->reduction[k] != set->first) sup_reduction_destroy(&set->reduction[k]);
  sup_reduction_destroy(&set->first);
  SUP_FREE(set->touched);
  memset(set, 0, sizeof *set);
}

/** Number k comes to the front. */
static void use(sup_reduction_set *set, int k) {
  sup_reduction *now = set->reduction[k];
  memmove(set->reduction + 1, set->reduction, (size_t)k * sizeof(sup_reduction *));
  set->reduction[0] = now;
}

/** One for a set that none of them knows: the only one while it has analysed nothing, and of large
 * factors. */
static sup_status take_oldest(sup_reduction_set *set) {
  double nonzeros = sup_reduction_info(set->reduction[0]).nonzeros;
  if (!(nonzeros > 0) || nonzeros > sup_kept_nonzeros) return SUP_OK;
  if (set->count < SUP_KEPT_REDUCTIONS) {
    SUP_TRY(sup_reduction_create_like(&set->reduction[set->count], set->first));
    set->count++;
  }
  use(set, set->count - 1);
  return SUP_OK;
}

sup_status sup_reduction_set_analyse(sup_reduction_set *set, const sup_problem *problem,
                                     sup_arena *arena, sup_reduction **now, int *analysed) {
  int k = 0;
  sup_reduction_mark_touched(problem, set->touched);
  while (k < set->count && !sup_reduction_is_for(set->reduction[k], set->touched)) k++;
  if (k < set->count)
    use(set, k);
  else
    SUP_TRY(take_oldest(set));
  *now = set->reduction[0];
  SUP_TRY(sup_reduction_analyse(*now, problem, arena, analysed));
  return SUP_OK;
}
