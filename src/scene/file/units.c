#include "scene/file/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { M, KG, S, RAD, NUM_BASES, WORD_SIZE = SUP_UNIT_WORD_SIZE };

#define PI 3.14159265358979323846
#define PSI 6894.757293168361 /* Pa: a pound, 4.4482216152605 N, on a squared inch */

/** A symbol is numerator/denominator SI units: dividing by a power of ten rounds once, so that "35
 * mm" has the bits of 0.035. */
typedef struct symbol {
  const char *name;
  double      numerator, denominator;
  int         exponent[NUM_BASES];
} symbol;

static const symbol symbols[] = {{"m", 1, 1, {1, 0, 0, 0}},       {"km", 1e3, 1, {1, 0, 0, 0}},
                                 {"cm", 1, 1e2, {1, 0, 0, 0}},    {"mm", 1, 1e3, {1, 0, 0, 0}},
                                 {"um", 1, 1e6, {1, 0, 0, 0}},    {"kg", 1, 1, {0, 1, 0, 0}},
                                 {"g", 1, 1e3, {0, 1, 0, 0}},     {"mg", 1, 1e6, {0, 1, 0, 0}},
                                 {"t", 1e3, 1, {0, 1, 0, 0}},     {"s", 1, 1, {0, 0, 1, 0}},
                                 {"ms", 1, 1e3, {0, 0, 1, 0}},    {"us", 1, 1e6, {0, 0, 1, 0}},
                                 {"min", 60, 1, {0, 0, 1, 0}},    {"Hz", 1, 1, {0, 0, -1, 0}},
                                 {"rad", 1, 1, {0, 0, 0, 1}},     {"deg", PI, 180, {0, 0, 0, 1}},
                                 {"N", 1, 1, {1, 1, -2, 0}},      {"mN", 1, 1e3, {1, 1, -2, 0}},
                                 {"kN", 1e3, 1, {1, 1, -2, 0}},   {"Pa", 1, 1, {-1, 1, -2, 0}},
                                 {"kPa", 1e3, 1, {-1, 1, -2, 0}}, {"MPa", 1e6, 1, {-1, 1, -2, 0}},
                                 {"GPa", 1e9, 1, {-1, 1, -2, 0}}, {"bar", 1e5, 1, {-1, 1, -2, 0}},
                                 {"psi", PSI, 1, {-1, 1, -2, 0}}, {"J", 1, 1, {2, 1, -2, 0}},
                                 {"mJ", 1, 1e3, {2, 1, -2, 0}},   {"%", 1, 1e2, {0, 0, 0, 0}}};
enum { NUM_SYMBOLS = sizeof symbols / sizeof *symbols };

static const struct {
  const char *name, *example, *unit; /* SI */
  int         exponent[NUM_BASES];
} dimensions[SUP_NUM_DIMENSIONS] = {
    [SUP_DIM_NUMBER] = {"a number without unit", "0.5", "-", {0, 0, 0, 0}},
    [SUP_DIM_LENGTH] = {"a length", "2 mm", "m", {1, 0, 0, 0}},
    [SUP_DIM_TIME] = {"a time", "10 ms", "s", {0, 0, 1, 0}},
    [SUP_DIM_MASS] = {"a mass", "100 g", "kg", {0, 1, 0, 0}},
    [SUP_DIM_ANGLE] = {"an angle", "30 deg", "rad", {0, 0, 0, 1}},
    [SUP_DIM_FORCE] = {"a force", "15 N", "N", {1, 1, -2, 0}},
    [SUP_DIM_TORQUE] = {"a torque", "2 N m", "N m", {2, 1, -2, 0}},
    [SUP_DIM_PRESSURE] = {"a pressure", "12 MPa", "Pa", {-1, 1, -2, 0}},
    [SUP_DIM_DENSITY] = {"a density", "1200 kg/m^3", "kg/m^3", {-3, 1, 0, 0}},
    [SUP_DIM_VELOCITY] = {"a velocity", "20 mm/s", "m/s", {1, 0, -1, 0}},
    [SUP_DIM_ANGULAR_VELOCITY] = {"an angular velocity", "30 deg/s", "rad/s", {0, 0, -1, 1}},
    [SUP_DIM_ACCELERATION] = {"an acceleration", "-9.81 m/s^2", "m/s^2", {1, 0, -2, 0}},
    [SUP_DIM_RATE] = {"a rate", "0.1 1/s", "1/s", {0, 0, -1, 0}},
    [SUP_DIM_DISSIPATION] = {"a dissipation", "10 s/m", "s/m", {-1, 0, 1, 0}},
    [SUP_DIM_CONTACT_STIFFNESS] = {"a contact stiffness", "2.0e+10 Pa/m", "Pa/m", {-2, 1, -2, 0}},
    [SUP_DIM_STIFFNESS] = {"a stiffness", "1.0e+4 N/m", "N/m", {0, 1, -2, 0}},
    [SUP_DIM_DAMPING] = {"a damping", "50 N s/m", "N s/m", {0, 1, -1, 0}},
    [SUP_DIM_ROTATION_STIFFNESS] = {"a rotational stiffness",
                                    "100 N m/rad",
                                    "N m/rad",
                                    {2, 1, -2, -1}},
    [SUP_DIM_ROTATION_DAMPING] = {"a rotational damping",
                                  "1 N m s/rad",
                                  "N m s/rad",
                                  {2, 1, -1, -1}},
    [SUP_DIM_ENERGY] = {"an energy", "1.0e-5 J", "J", {2, 1, -2, 0}},
    [SUP_DIM_INERTIA] = {"a moment of inertia", "2.0e-4 kg m^2", "kg m^2", {2, 1, 0, 0}},
    [SUP_DIM_VOLUME] = {"a volume", "10 cm^3", "m^3", {3, 0, 0, 0}},
    [SUP_DIM_CONDUCTANCE] = {"a flow conductance", "10 cm^3/s", "m^3/s", {3, 0, -1, 0}}};

const char *sup_dimension_name(sup_dimension dimension) { return dimensions[dimension].name; }
const char *sup_dimension_example(sup_dimension dimension) { return dimensions[dimension].example; }
const char *sup_dimension_unit(sup_dimension dimension) { return dimensions[dimension].unit; }

const char *sup_unit_symbol(int i) { return i < NUM_SYMBOLS ? symbols[i].name : NULL; }

/** Length of the number at the start of text, 0 when there is none: sign, digits with a point,
 * exponent. */
static size_t number_length(const char *text) {
  size_t i = 0, digits = 0;
  if (text[i] == '+' || text[i] == '-') i++;
  for (; isdigit((unsigned char)text[i]); i++) digits++;
  if (text[i] == '.') i++;
  for (; isdigit((unsigned char)text[i]); i++) digits++;
  if (digits == 0) return 0;
  if (text[i] == 'e' || text[i] == 'E') {
    size_t j = i + 1;
    if (text[j] == '+' || text[j] == '-') j++;
    if (isdigit((unsigned char)text[j])) {
      while (isdigit((unsigned char)text[j])) j++;
      i = j;
    }
  }
  return i;
}

typedef struct unit {
  double numerator, denominator;
  int    exponent[NUM_BASES];
} unit;

/** One factor "name^power".  0 when the symbol is not known. */
static int multiply(unit *u, const char *name, size_t length, int power) {
  const symbol *found = NULL;
  for (int i = 0; i < NUM_SYMBOLS; i++)
    if (strlen(symbols[i].name) == length && memcmp(symbols[i].name, name, length) == 0)
      found = &symbols[i];
  if (length == 1 && name[0] == '1' && name[1] == '/') return 1;
  if (!found) return 0;
  for (int n = power; n != 0; n += n > 0 ? -1 : 1) {
    u->numerator *= n > 0 ? found->numerator : found->denominator;
    u->denominator *= n > 0 ? found->denominator : found->numerator;
  }
  for (int b = 0; b < NUM_BASES; b++) u->exponent[b] += power * found->exponent[b];
  return 1;
}

/** "^n" at *text with 1 <= |n| <= 9; without it 1; 0 when not understood. */
static int read_power(const char **text) {
  const char *p = *text;
  int         sign = 1;
  if (*p != '^') return 1;
  p++;
  if (*p == '-') sign = -1, p++;
  if (*p < '1' || *p > '9' || isdigit((unsigned char)p[1])) return 0;
  *text = p + 1;
  return sign * (*p - '0');
}

/** @return 0 with the part that is not understood in word */
static int read_unit(const char *text, unit *u, char word[WORD_SIZE]) {
  int sign = 1, wants_factor = 1;
  *u = (unit){1, 1, {0, 0, 0, 0}};
  while (*text) {
    const char *start = text;
    if (*text == ' ') {
      text++;
      continue;
    }
    if (*text == '*' || *text == '/') {
      if (wants_factor) break;
      sign = *text == '/' ? -1 : 1, wants_factor = 1;
      text++;
      continue;
    }
    while (*text && !strchr(" */^", *text)) text++;
    size_t length = (size_t)(text - start);
    int    power = read_power(&text);
    if (power == 0 || !multiply(u, start, length, sign * power)) {
      snprintf(word, WORD_SIZE, "%.*s",
               (int)(text - start < WORD_SIZE ? text - start : WORD_SIZE - 1), start);
      return 0;
    }
    sign = 1, wants_factor = 0; /* "N m/s kg": the slash binds one factor */
  }
  if (!wants_factor) return 1;
  snprintf(word, WORD_SIZE, "%s", text);
  return 0;
}

/** N m is a rotational stiffness too: there the radian may be left out. */
static int matches(const unit *u, sup_dimension dimension) {
  const int *wanted = dimensions[dimension].exponent, *found = u->exponent;
  int        same = found[M] == wanted[M] && found[KG] == wanted[KG] && found[S] == wanted[S];
  int implied = dimension == SUP_DIM_ROTATION_STIFFNESS || dimension == SUP_DIM_ROTATION_DAMPING;
  return same && (found[RAD] == wanted[RAD] || (found[RAD] == 0 && implied));
}

static const char *name_of(const unit *u) {
  for (int d = 0; d < SUP_NUM_DIMENSIONS; d++)
    if (memcmp(u->exponent, dimensions[d].exponent, sizeof u->exponent) == 0)
      return dimensions[d].name;
  return "";
}

/** Signs of typesetting as those of ASCII: minus signs, blanks that do not break, exponents. */
static void spell_in_ascii(char *to, size_t size, const char *text) {
  static const char *const signs[][2] = {
      {"\u2212", "-"}, {"\u2013", "-"}, {"\u00a0", " "}, {"\u202f", " "},  {"\u2009", " "},
      {"\u00b7", " "}, {"\u00b5", "u"}, {"\u03bc", "u"}, {"\u00b2", "^2"}, {"\u00b3", "^3"}};
  size_t used = 0;
  while (*text && used + 2 < size) {
    size_t length = 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs && length == 0; i++)
      if (strncmp(text, signs[i][0], strlen(signs[i][0])) == 0) {
        length = strlen(signs[i][0]);
        used += (size_t)snprintf(to + used, size - used, "%s", signs[i][1]);
      }
    if (length == 0) to[used++] = *text;
    text += length ? length : 1;
  }
  to[used] = '\0';
}

sup_quantity_result sup_quantity_read(const char *text, sup_dimension dimension, double *value,
                                      char word[WORD_SIZE], const char **found) {
  char number[64], spelled[128];
  unit u;
  if (strlen(text) >= sizeof spelled) return SUP_QUANTITY_NO_NUMBER;
  spell_in_ascii(spelled, sizeof spelled, text);
  text = spelled;
  size_t length = number_length(text);
  word[0] = '\0', *found = "";
  if (length == 0 || length >= sizeof number) return SUP_QUANTITY_NO_NUMBER;
  memcpy(number, text, length);
  number[length] = '\0';
  if (!sup_text_number(number, value)) return SUP_QUANTITY_NO_NUMBER;
  text += length;
  while (*text == ' ') text++;
  if (!*text) return SUP_QUANTITY_OK;
  if (!isalpha((unsigned char)*text) && *text != '1' && *text != '%') return SUP_QUANTITY_NO_NUMBER;
  if (!read_unit(text, &u, word)) return SUP_QUANTITY_UNKNOWN_UNIT;
  if (!matches(&u, dimension)) {
    snprintf(word, WORD_SIZE, "%.31s", text);
    *found = name_of(&u);
    return SUP_QUANTITY_OTHER_DIMENSION;
  }
  *value = *value * u.numerator / u.denominator;
  return isfinite(*value) ? SUP_QUANTITY_OK : SUP_QUANTITY_NO_NUMBER;
}
