#include "solve/condenser_set.h"

#include <string.h>

#include "base/memory.h"

sup_status sup_condenser_set_create(sup_condenser_set *set, sup_backend backend,
                                    const sup_block_pattern *A_pattern) {
  SUP_TRY(SUP_CALLOC(set->touched, A_pattern->num_blocks));
  SUP_TRY(sup_condenser_create(&set->first, backend, A_pattern));
  set->condenser[set->count++] = set->first;
  return SUP_OK;
}

void sup_condenser_set_free(sup_condenser_set *set) {
  for (int k = 0; k < set->count; k++)
    if (set->condenser[k] != set->first) sup_condenser_destroy(&set->condenser[k]);
  sup_condenser_destroy(&set->first);
  SUP_FREE(set->touched);
  memset(set, 0, sizeof *set);
}

/** Number k comes to the front. */
static void use(sup_condenser_set *set, int k) {
  sup_condenser *now = set->condenser[k];
  memmove(set->condenser + 1, set->condenser, (size_t)k * sizeof(sup_condenser *));
  set->condenser[0] = now;
}

/** One for a set that none of them knows: the only one while it has analysed nothing, and of large
 * factors. */
static sup_status take_oldest(sup_condenser_set *set) {
  double nonzeros = sup_condenser_info(set->condenser[0]).nonzeros;
  if (!(nonzeros > 0) || nonzeros > sup_kept_nonzeros) return SUP_OK;
  if (set->count < SUP_KEPT_CONDENSERS) {
    SUP_TRY(sup_condenser_create_like(&set->condenser[set->count], set->first));
    set->count++;
  }
  use(set, set->count - 1);
  return SUP_OK;
}

sup_status sup_condenser_set_analyse(sup_condenser_set *set, const sup_problem *problem,
                                     sup_arena *arena, sup_condenser **now, int *analysed) {
  int k = 0;
  sup_condenser_mark_touched(problem, set->touched);
  while (k < set->count && !sup_condenser_is_for(set->condenser[k], set->touched)) k++;
  if (k < set->count)
    use(set, k);
  else
    SUP_TRY(take_oldest(set));
  *now = set->condenser[0];
  SUP_TRY(sup_condenser_analyse(*now, problem, arena, analysed));
  return SUP_OK;
}
