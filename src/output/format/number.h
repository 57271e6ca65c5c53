/** Numbers as text in the C locale, whatever locale the process has set.  Layer output. */
#pragma once

#include <stddef.h>

/** Room for 24 letters and some that are written and not counted. */
enum { SUP_NUMBER_SIZE = 40, SUP_MOST_DIGITS = 15 };

/** Finite value with `digits` significant digits; 0: the fewest of 15 to 17 that read back to the
 * same bits.
 *  @return length of the text; 0, and an empty text, when the value is not finite */
int sup_number_text(char text[SUP_NUMBER_SIZE], double value, int digits);
/** @return length of the text */
int sup_integer_text(char text[SUP_NUMBER_SIZE], long value);
