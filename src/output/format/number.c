#define _DEFAULT_SOURCE /* htole64 */
#include "output/format/number.h"

#include <endian.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- as printf's %g writes it, without printf ---------------------------------------------------
 */

enum { MOST_DIGITS = SUP_MOST_DIGITS, PLACES = 16 };

/** The doubles nearest to the powers of ten; exact from 10^0 to 10^22. */
enum { FIRST_POWER = -60, LAST_POWER = 23, EXACT_POWERS = 23 };
static const double power_of_ten[LAST_POWER - FIRST_POWER + 1] = {
    1e-60, 1e-59, 1e-58, 1e-57, 1e-56, 1e-55, 1e-54, 1e-53, 1e-52, 1e-51, 1e-50, 1e-49,
    1e-48, 1e-47, 1e-46, 1e-45, 1e-44, 1e-43, 1e-42, 1e-41, 1e-40, 1e-39, 1e-38, 1e-37,
    1e-36, 1e-35, 1e-34, 1e-33, 1e-32, 1e-31, 1e-30, 1e-29, 1e-28, 1e-27, 1e-26, 1e-25,
    1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13,
    1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,  1e-1,
    1e0,   1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,   1e10,  1e11,
    1e12,  1e13,  1e14,  1e15,  1e16,  1e17,  1e18,  1e19,  1e20,  1e21,  1e22,  1e23};
static const uint64_t whole_power[MOST_DIGITS + 1] = {1,
                                                      10,
                                                      100,
                                                      1000,
                                                      10000,
                                                      100000,
                                                      1000000,
                                                      10000000,
                                                      100000000,
                                                      1000000000,
                                                      UINT64_C(10000000000),
                                                      UINT64_C(100000000000),
                                                      UINT64_C(1000000000000),
                                                      UINT64_C(10000000000000),
                                                      UINT64_C(100000000000000),
                                                      UINT64_C(1000000000000000)};

/** The first 64 bits of 10^LEAST .. 10^MOST, cut off; exact from 0 to 27. */
enum { LEAST = -12, MOST = 70 };
static const uint64_t power_bits[MOST - LEAST + 1] = {
    0x8cbccc096f5088cb, 0xafebff0bcb24aafe, 0xdbe6fecebdedd5be, 0x89705f4136b4a597,
    0xabcc77118461cefc, 0xd6bf94d5e57a42bc, 0x8637bd05af6c69b5, 0xa7c5ac471b478423,
    0xd1b71758e219652b, 0x83126e978d4fdf3b, 0xa3d70a3d70a3d70a, 0xcccccccccccccccc,
    0x8000000000000000, 0xa000000000000000, 0xc800000000000000, 0xfa00000000000000,
    0x9c40000000000000, 0xc350000000000000, 0xf424000000000000, 0x9896800000000000,
    0xbebc200000000000, 0xee6b280000000000, 0x9502f90000000000, 0xba43b74000000000,
    0xe8d4a51000000000, 0x9184e72a00000000, 0xb5e620f480000000, 0xe35fa931a0000000,
    0x8e1bc9bf04000000, 0xb1a2bc2ec5000000, 0xde0b6b3a76400000, 0x8ac7230489e80000,
    0xad78ebc5ac620000, 0xd8d726b7177a8000, 0x878678326eac9000, 0xa968163f0a57b400,
    0xd3c21bcecceda100, 0x84595161401484a0, 0xa56fa5b99019a5c8, 0xcecb8f27f4200f3a,
    0x813f3978f8940984, 0xa18f07d736b90be5, 0xc9f2c9cd04674ede, 0xfc6f7c4045812296,
    0x9dc5ada82b70b59d, 0xc5371912364ce305, 0xf684df56c3e01bc6, 0x9a130b963a6c115c,
    0xc097ce7bc90715b3, 0xf0bdc21abb48db20, 0x96769950b50d88f4, 0xbc143fa4e250eb31,
    0xeb194f8e1ae525fd, 0x92efd1b8d0cf37be, 0xb7abc627050305ad, 0xe596b7b0c643c719,
    0x8f7e32ce7bea5c6f, 0xb35dbf821ae4f38b, 0xe0352f62a19e306e, 0x8c213d9da502de45,
    0xaf298d050e4395d6, 0xdaf3f04651d47b4c, 0x88d8762bf324cd0f, 0xab0e93b6efee0053,
    0xd5d238a4abe98068, 0x85a36366eb71f041, 0xa70c3c40a64e6c51, 0xd0cf4b50cfe20765,
    0x82818f1281ed449f, 0xa321f2d7226895c7, 0xcbea6f8ceb02bb39, 0xfee50b7025c36a08,
    0x9f4f2726179a2245, 0xc722f0ef9d80aad6, 0xf8ebad2b84e0d58b, 0x9b934c3b330c8577,
    0xc2781f49ffcfa6d5, 0xf316271c7fc3908a, 0x97edd871cfda3a56, 0xbde94e8e43d0c8ec,
    0xed63a231d4c4fb27, 0x945e455f24fb1cf8, 0xb975d6b6ee39e436};

/** A number as an integer of so many digits times 10^(exponent - digits + 1). */
typedef struct decimal {
  uint64_t integer;
  int      exponent;
} decimal;

__extension__ typedef unsigned __int128 twice;

/** The upper half of a product. */
static inline uint64_t upper_product(uint64_t a, uint64_t b) {
  return (uint64_t)(((twice)a * b) >> 64);
}

/** 1: done; 0: what follows the digits may be a half, or the number is too large or small for this:
 * printf knows.  value > 0.  Branch-free where the branch depends on the value, because it would be
 * mispredicted. */
static inline int round_to(decimal *d, double value, int digits) {
  const uint64_t band = 4;
  uint64_t       bits;
  memcpy(&bits, &value, sizeof bits);
  int binary = (int)(bits >> 52) - 1023;
  if (binary < -190 || binary > 70) return 0;
  int e = ((binary + 4096) * 1233 >> 12) - 1233; /* by log10(2): right or one too small */
  e += value >= power_of_ten[e + 1 - FIRST_POWER];
  int shift = digits - 1 - e, ten = shift * 217706 >> 16; /* by log2(10) */
  if (shift < LEAST || shift > MOST) return 0;
  /* value 10^shift times 2^places, cut off by less than 2 */
  uint64_t mantissa = bits << 11 | UINT64_C(1) << 63,
           scaled = upper_product(mantissa, power_bits[shift - LEAST]);
  int            places = 62 - binary - ten;
  const uint64_t half = UINT64_C(1) << (places - 1);
  uint64_t       rest = scaled & (2 * half - 1);
  if (rest + band - half <= 2 * band) return 0;
  d->integer = (scaled >> places) + (rest > half), d->exponent = e;
  if (d->integer >= whole_power[digits]) d->integer /= 10, d->exponent++;
  return 1;
}

/** The eight digits of an integer, the first in the lowest byte: halves, quarters and eighths side
 * by side in a register. */
static inline uint64_t eight_digits(uint32_t integer) {
  uint64_t fours = integer / 10000 | (uint64_t)(integer % 10000) << 32;
  uint64_t hundreds = fours * 10486 >> 20 & UINT64_C(0x0000007f0000007f);
  uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  uint64_t tens = twos * 103 >> 10 & UINT64_C(0x000f000f000f000f);
  return tens | (twos - 10 * tens) << 8;
}

static inline void put_eight(char *text, uint64_t letters) {
  letters = htole64(letters);
  memcpy(text, &letters, sizeof letters);
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

/** Eight letters with a point behind so many of them, at most seven; the last has no room. */
static inline uint64_t with_point(uint64_t letters, int before) {
  uint64_t place = UINT64_C(1) << 8 * before, low = letters & (place - 1);
  return low | (letters ^ low) << 8 | '.' * place;
}

/** Sixteen letters with a point behind so many of them, at most fifteen. */
static inline void put_with_point(char *text, uint64_t first, uint64_t last, int before) {
  put_eight(text + 9, last);
  if (before < 8) {
    put_eight(text + 1, first);
    put_eight(text, with_point(first, before));
  } else {
    put_eight(text, first);
    put_eight(text + 8, with_point(last, before - 8));
  }
}

/** The digits of a number as %g would place them; the length.  What is written are always PLACES
 * letters: SUP_NUMBER_SIZE has room for those behind the end. */
static inline int put_decimal(char *text, decimal d, int digits) {
  static const uint64_t zeros = UINT64_C(0x3030303030303030);
  uint64_t              all = d.integer * whole_power[PLACES - digits];
  uint64_t              first = eight_digits((uint32_t)(all / 100000000)),
           last = eight_digits((uint32_t)(all % 100000000));
  /* up to the last that is no zero */
  int used = last ? 16 - __builtin_clzll(last) / 8 : 8 - __builtin_clzll(first) / 8;
  int e = d.exponent;
  first += zeros, last += zeros;
  if (e < 0 && e >= -4) {
    memcpy(text, "0.0000", 6);
    put_eight(text + 1 - e, first), put_eight(text + 9 - e, last);
    return 1 - e + used;
  }
  int is_short = e < 0 || e >= digits, before = is_short ? 1 : e + 1; /* d.ddde-XX */
  put_with_point(text, first, last, before);
  int length = used > before ? used + 1 : before;
  if (!is_short) return length;
  int  size = abs(e);
  char ending[4] = {'e', e < 0 ? '-' : '+', (char)('0' + size / 10), (char)('0' + size % 10)};
  memcpy(text + length, ending, sizeof ending);
  return length + 4;
}

/** 1: the decimal reads back to the value.  From shift 0 on integer and power of ten are exact, so
 * that their quotient rounds as reading does (Clinger 1990). */
static int reads_back(decimal d, double value, int digits) {
  int shift = digits - 1 - d.exponent;
  return shift >= 0 && shift < EXACT_POWERS &&
         (double)d.integer / power_of_ten[shift - FIRST_POWER] == value;
}

/** digits 0: the fewest from 15 on.  Length; 0: printf knows. */
static int fast_text(char *text, double value, int digits) {
  decimal d;
  bool    is_negative = value < 0;
  int     most = digits > 0 ? digits : MOST_DIGITS;
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
