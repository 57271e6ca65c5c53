#include "output/number.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- as printf's %g writes it, without printf ---------------------------------------------------
 */

/* Powers of ten that a double holds exactly. */
enum { POWERS = 23, MOST_DIGITS = 15, PLACES = 16 };
static const double power[POWERS] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/** A number as an integer of so many digits times 10^(exponent - digits + 1). */
typedef struct decimal {
  uint64_t integer;
  int      exponent;
} decimal;

/** A number as a sum of two, the second of which is round-off of the first. */
typedef struct two {
  double high, low;
} two;

/** a b to the last bit (Dekker 1971, Numer. Math. 18, 224). */
static inline two product(double a, double b) {
  static const double split = 134217729; /* 2^27 + 1 */
  double              ca = split * a, cb = split * b, p = a * b;
  double              a1 = ca - (ca - a), a2 = a - a1, b1 = cb - (cb - b), b2 = b - b1;
  return (two){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

/** value 10^shift to some 100 bits, shift >= 0. */
static inline two scale(double value, int shift) {
  const int most = POWERS - 1;
  two       x = product(value, power[shift < most ? shift : most]);
  while ((shift -= most) > 0) {
    double by = power[shift < most ? shift : most];
    two    y = product(x.high, by);
    x.high = y.high, x.low = y.low + x.low * by;
  }
  return x;
}

/** 1: done; 0: what follows the digits may be a half, or the number is too large or small for this:
 * printf knows.  value > 0. */
static inline int round_to(decimal *d, double value, int digits) {
  static const double half_band = 1e-9;
  uint64_t            bits;
  two                 x;
  memcpy(&bits, &value, sizeof bits);
  int binary = (int)(bits >> 52) - 1023;
  if (binary < -180 || binary > 49) return 0;
  d->exponent = (binary + 4096) * 1233 / 4096 - 1233; /* by log10(2): right or one too small */
  for (;; d->exponent++) {
    int shift = digits - 1 - d->exponent;
    if (shift < 0) return 0;
    x = scale(value, shift);
    if (x.high < power[digits]) break;
  }
  int64_t whole = (int64_t)x.high;
  double  rest = (x.high - (double)whole) + x.low;
  if (fabs(fabs(rest) - 0.5) < half_band) return 0;
  whole += (rest > 0.5) - (rest < -0.5);
  d->integer = (uint64_t)whole;
  if ((double)whole >= power[digits]) d->integer /= 10, d->exponent++;
  return 1;
}

/** Eight digits, zeros first. */
static inline void put_eight(char *text, uint32_t integer) {
  static const char pair[] =
      "00010203040506070809101112131415161718192021222324"
      "25262728293031323334353637383940414243444546474849"
      "50515253545556575859606162636465666768697071727374"
      "75767778798081828384858687888990919293949596979899";
  uint32_t high = integer / 10000, low = integer % 10000;
  memcpy(text, pair + 2 * (high / 100), 2), memcpy(text + 2, pair + 2 * (high % 100), 2);
  memcpy(text + 4, pair + 2 * (low / 100), 2), memcpy(text + 6, pair + 2 * (low % 100), 2);
}

/** Digits, of which those from the returned place on are zeros; `all` has room for twice as many.
 */
static int put_digits(char all[2 * PLACES], uint64_t integer, int digits) {
  char padded[2 * PLACES];
  put_eight(padded, (uint32_t)(integer / 100000000));
  put_eight(padded + 8, (uint32_t)(integer % 100000000));
  memcpy(all, padded + PLACES - digits, PLACES); /* what is behind the digits is never read */
  while (digits > 1 && all[digits - 1] == '0') digits--;
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

/** The digits of a number as %g would place them; the length.  What is copied are always PLACES
 * letters: SUP_NUMBER_SIZE has room for those behind the end. */
static int put_decimal(char *text, decimal d, int digits) {
  char  all[2 * PLACES];
  char *start = text;
  int   used = put_digits(all, d.integer, digits), e = d.exponent;
  if (e < -4 || e >= digits) { /* d.ddde-XX */
    text[0] = all[0], text[1] = '.';
    memcpy(text + 2, all + 1, PLACES);
    text += used > 1 ? used + 1 : 1;
    *text++ = 'e', *text++ = e < 0 ? '-' : '+', e = abs(e);
    *text++ = (char)('0' + e / 10), *text++ = (char)('0' + e % 10);
    return (int)(text - start);
  }
  if (e < 0) {
    memcpy(text, "0.0000", 6);
    memcpy(text + 1 - e, all, PLACES);
    return 1 - e + used;
  }
  memcpy(text, all, PLACES); /* with the zeros before the point */
  if (used <= e + 1) return e + 1;
  text[e + 1] = '.';
  memcpy(text + e + 2, all + e + 1, PLACES);
  return used + 1;
}

/** Does the decimal read back to the value?  Both its numbers are exact, so that one operation is
 * rounded as reading rounds it (Clinger 1990). */
static int reads_back(decimal d, double value, int digits) {
  int shift = digits - 1 - d.exponent;
  return shift < POWERS && (double)d.integer / power[shift] == value;
}

/** digits 0: the fewest from 15 on.  Length; 0: printf knows. */
static int fast_text(char *text, double value, int digits) {
  decimal d;
  int     is_negative = value<0, most = digits> 0 ? digits : MOST_DIGITS;
  if (most > MOST_DIGITS) return 0;
  if (value == 0) return memcpy(text, "0", 2) != NULL;
  if (!round_to(&d, fabs(value), most)) return 0;
  if (digits == 0 && !reads_back(d, fabs(value), most)) return 0;
  if (is_negative) *text++ = '-';
  int length = put_decimal(text, d, most);
  text[length] = '\0';
  return length + is_negative;
}

/* ---- any number ------------------------------------------------------------------------------ */

int sup_number_text(char text[SUP_NUMBER_SIZE], double value, int digits) {
  text[0] = '\0';
  if (!isfinite(value)) return 0;
  if (value == 0) value = 0; /* no minus sign on zero */
  int length = fast_text(text, value, digits);
  if (length > 0) return length;
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t old = c ? uselocale(c) : (locale_t)0;
  if (digits > 0) {
    length = snprintf(text, SUP_NUMBER_SIZE, "%.*g", digits, value);
  } else {
    for (digits = 15; digits <= 17; digits++) {
      length = snprintf(text, SUP_NUMBER_SIZE, "%.*g", digits, value);
      if (strtod(text, NULL) == value) break;
    }
  }
  if (c) uselocale(old), freelocale(c);
  return length;
}
