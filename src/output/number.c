#include "output/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- as printf's %g writes it, without printf --------------------------------------------------
 */

/* Powers of ten that a long double of 64 bits holds exactly. */
enum { POWERS = 28, MOST_DIGITS = 15 };
static const long double power[POWERS] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                          1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                          1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                          1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/** A number as an integer of so many digits times 10^(exponent - digits + 1). */
typedef struct decimal {
  uint64_t integer;
  int      exponent;
} decimal;

/** value 10^shift with one or two roundings to 64 bits. */
static long double scale(double value, int shift) {
  const int   most = POWERS - 1;
  long double x = value;
  if (shift > most) x *= power[most], shift -= most;
  if (shift < -most) x /= power[most], shift += most;
  return shift >= 0 ? x * power[shift] : x / power[-shift];
}

/** 1: done; 0: what follows the digits is too near to a half for two roundings of 64 bits to tell,
 * or the number is too large or small: printf knows.  value > 0. */
static int round_to(decimal *d, double value, int digits) {
  static const long double half_band = 1e-3L;
  int                      binary;
  (void)frexp(value, &binary);
  d->exponent = (int)floor((binary - 1) * 0.30102999566398120);
  for (;; d->exponent++) { /* the guess is right or one too small */
    int shift = digits - 1 - d->exponent;
    if (abs(shift) > 2 * (POWERS - 1)) return 0;
    long double scaled = scale(value, shift);
    if (scaled >= power[digits]) continue;
    d->integer = (uint64_t)scaled;
    long double rest = scaled - (long double)d->integer;
    if (fabsl(rest - 0.5L) < half_band) return 0;
    d->integer += rest > 0.5L;
    if ((long double)d->integer >= power[digits]) d->integer /= 10, d->exponent++;
    return 1;
  }
}

/** Digits without the zeros at the end; their number. */
static int put_digits(char *text, uint64_t integer, int digits) {
  static const char pair[] =
      "00010203040506070809101112131415161718192021222324"
      "25262728293031323334353637383940414243444546474849"
      "50515253545556575859606162636465666768697071727374"
      "75767778798081828384858687888990919293949596979899";
  int i = digits;
  for (; i >= 2; integer /= 100) i -= 2, memcpy(text + i, pair + 2 * (integer % 100), 2);
  if (i > 0) text[0] = (char)('0' + integer);
  while (digits > 1 && text[digits - 1] == '0') digits--;
  return digits;
}

int sup_integer_text(char text[SUP_NUMBER_SIZE], long value) {
  uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
  char     digit[SUP_NUMBER_SIZE];
  int      used = 0, length = 0;
  do digit[used++] = (char)('0' + size % 10);
  while ((size /= 10) > 0);
  if (value < 0) text[length++] = '-';
  while (used > 0) text[length++] = digit[--used];
  text[length] = '\0';
  return length;
}

static int fast_text(char *text, double value, int digits) {
  char    all[MOST_DIGITS + 1];
  decimal d;
  if (LDBL_MANT_DIG < 64 || digits > MOST_DIGITS) return 0;
  if (value < 0) *text++ = '-', value = -value;
  if (value == 0) return memcpy(text, "0", 2) != NULL;
  if (!round_to(&d, value, digits)) return 0;
  int used = put_digits(all, d.integer, digits), e = d.exponent;
  if (e < -4 || e >= digits) { /* d.ddde-XX */
    *text++ = all[0];
    if (used > 1) *text++ = '.', memcpy(text, all + 1, (size_t)used - 1), text += used - 1;
    *text++ = 'e', *text++ = e < 0 ? '-' : '+', e = abs(e);
    if (e >= 100) *text++ = (char)('0' + e / 100);
    *text++ = (char)('0' + e / 10 % 10), *text++ = (char)('0' + e % 10), *text = '\0';
    return 1;
  }
  int whole = e < 0 ? 0 : e + 1; /* digits before the point */
  if (whole == 0) *text++ = '0';
  for (int i = 0; i < whole; i++) *text++ = i < used ? all[i] : '0';
  if (used > whole) {
    *text++ = '.';
    for (int i = e + 1; i < 0; i++) *text++ = '0';
    memcpy(text, all + whole, (size_t)(used - whole)), text += used - whole;
  }
  *text = '\0';
  return 1;
}

/* ---- any number ------------------------------------------------------------------------------ */

int sup_number_text(char text[SUP_NUMBER_SIZE], double value, int digits) {
  text[0] = '\0';
  if (!isfinite(value)) return 0;
  if (value == 0) value = 0; /* no minus sign on zero */
  if (digits > 0 && fast_text(text, value, digits)) return 1;
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
