#include "solve/strategy.h"

#define STRATEGY(NAME, name, cap, what) {#name, cap},
static const struct {
  const char *name;
  int         cap;
} table[SUP_NUM_STRATEGIES] = {SUP_STRATEGY_LIST(STRATEGY)};
#undef STRATEGY

int sup_strategy_cap(sup_strategy strategy) { return table[strategy].cap; }

const char *sup_strategy_name(sup_strategy strategy) { return table[strategy].name; }
