/* Numbers that decide, a table for each room: its numerics.h has rows
 *
 *      X(name, value, unit, meaning, why, test)
 *
 * with the reason of the value and the test that fails by another one, "" where none is known.
 * Constants of the room and `supple help numerics` come from the rows. */
#pragma once

/** A row as data. */
typedef struct sup_number {
  const char *name;
  double      value;
  const char *unit, *meaning, *why, *test;
} sup_number;

#define SUP_NUMBER_MEMBER(name, value, unit, meaning, why, test) double name;
#define SUP_NUMBER_VALUE(name, value, unit, meaning, why, test) .name = (value),
#define SUP_NUMBER_ROW(name, value, unit, meaning, why, test) \
  {#name, value, unit, meaning, why, test},

/** A constant structure of a table's values, which compilers fold like literals. */
#define SUP_NUMERICS(structure, LIST) \
  static const struct structure { LIST(SUP_NUMBER_MEMBER) } structure = {LIST(SUP_NUMBER_VALUE)}
