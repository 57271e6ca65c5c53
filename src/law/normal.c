#include "law/normal.h"

#define ROW(NAME, name, meaning) [SUP_NORMAL_##NAME] = &sup_normal_##name,
static const sup_normal_row *const table[SUP_NUM_NORMAL_LAWS] = {SUP_NORMAL_LAW_LIST(ROW)};
#undef ROW
#define ROW(NAME, name, meaning) [SUP_NORMAL_##NAME] = #name,
static const char *const names[SUP_NUM_NORMAL_LAWS] = {SUP_NORMAL_LAW_LIST(ROW)};
#undef ROW

const sup_normal_row *sup_normal_table(sup_normal_law kind) { return table[kind]; }
const char           *sup_normal_name(sup_normal_law kind) { return names[kind]; }
