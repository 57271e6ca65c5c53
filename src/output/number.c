#include "output/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int sup_number_text(char text[SUP_NUMBER_SIZE], double value, int digits) {
  text[0] = '\0';
  if (!isfinite(value)) return 0;
  if (value == 0) value = 0; /* no minus sign on zero */
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t old = c ? uselocale(c) : (locale_t)0;
  if (digits > 0) {
    snprintf(text, SUP_NUMBER_SIZE, "%.*g", digits, value);
  } else {
    for (digits = 15; digits <= 17; digits++) {
      snprintf(text, SUP_NUMBER_SIZE, "%.*g", digits, value);
      if (strtod(text, NULL) == value) break;
    }
  }
  if (c) uselocale(old), freelocale(c);
  return 1;
}
