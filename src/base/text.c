#include "base/text.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

/** Levenshtein distance with transpositions of neighbours, for words up to 63 letters. */
static int edit_distance(const char *a, const char *b) {
  enum { MAX = 64 };
  int rows[3][MAX];
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na >= MAX || nb >= MAX) return MAX;
  for (int j = 0; j <= nb; j++) rows[0][j] = j;
  for (int i = 1; i <= na; i++) {
    int *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= nb; j++) {
      int cost = a[i - 1] == b[j - 1] ? 0 : 1;
      int best = last[j - 1] + cost;
      if (last[j] + 1 < best) best = last[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      now[j] = best;
    }
  }
  return rows[na % 3][nb];
}

int sup_text_nearest(const char *word, const char *const *words, int n) {
  int best = SUP_NONE, best_distance = (int)strlen(word) / 3 + 2;
  for (int i = 0; i < n; i++) {
    int distance = edit_distance(word, words[i]);
    if (distance < best_distance) best_distance = distance, best = i;
  }
  return best;
}

int sup_text_number(const char *text, double *value) {
  static const char digits[] = "0123456789+-.eE";
  if (!*text || strspn(text, digits) != strlen(text)) return 0;
  static _Thread_local locale_t c_locale;
  if (!c_locale) c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  locale_t old = uselocale(c_locale);
  char    *end;
  *value = strtod(text, &end);
  uselocale(old);
  return end != text && *end == '\0' && isfinite(*value);
}

sup_status sup_text_copy(char *to, size_t size, const char *from) {
  size_t length = strlen(from);
  if (length >= size)
    return SUP_FAIL(SUP_E_ARG, "the name '%.40s...' is longer than %zu characters", from, size - 1);
  memcpy(to, from, length + 1);
  return SUP_OK;
}

sup_status sup_text_join(char *to, size_t size, const char *const *piece, int count) {
  size_t used = 0;
  for (int i = 0; i < count; i++) {
    size_t length = strlen(piece[i]);
    if (length >= size - used)
      return SUP_FAIL(SUP_E_ARG, "'%.60s...' is too long by %.60s", piece[0], piece[i]);
    memcpy(to + used, piece[i], length);
    used += length;
  }
  to[used] = '\0';
  return SUP_OK;
}

const char *sup_known_text(const char *word, const char *const *known, int num_known, char *buffer,
                           size_t size) {
  int    near = sup_text_nearest(word, known, num_known);
  size_t used = 0;
  buffer[0] = '\0';
  if (near != SUP_NONE) used = (size_t)snprintf(buffer, size, "; did you mean '%s'?", known[near]);
  for (int i = 0; i < num_known && used < size; i++)
    used += (size_t)snprintf(buffer + used, size - used, "%s%s",
                             i                  ? ", "
                             : near != SUP_NONE ? " known: "
                                                : "; known: ",
                             known[i]);
  if (used >= size && size > 4) strcpy(buffer + size - 4, "...");
  return buffer;
}

sup_status sup_text_new(char **to, const char *from) {
  SUP_TRY(SUP_CALLOC(*to, strlen(from) + 1));
  strcpy(*to, from);
  return SUP_OK;
}

int sup_text_ends_with(const char *text, const char *ending) {
  size_t length = strlen(text), n = strlen(ending);
  return length > n && strcasecmp(text + length - n, ending) == 0;
}
