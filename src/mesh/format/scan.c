#include "mesh/format/scan.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

sup_scan sup_scan_open(const char *name, const char *data, size_t size) {
  return (sup_scan){.name = name, .at = data, .end = data + size, .line = 1};
}

/** A line ends with LF, CR LF, or a CR alone. */
static bool is_line_end(char c) { return c == '\n' || c == '\r'; }

static void pass_line_end(sup_scan *s) {
  if (*s->at == '\r' && s->at + 1 < s->end && s->at[1] == '\n') s->at++;
  s->at++, s->line++;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v'; }

/** Blanks, and line ends behind a backslash. */
static void pass_blanks(sup_scan *s) {
  for (;;) {
    while (s->at < s->end && is_blank(*s->at)) s->at++;
    if (s->end - s->at < 2 || *s->at != '\\' || !is_line_end(s->at[1])) return;
    s->at++;
    pass_line_end(s);
  }
}

void sup_scan_set_word(sup_scan *s, const char *text, size_t length) {
  size_t kept = length < SUP_SCAN_WORD_MAX - 1 ? length : SUP_SCAN_WORD_MAX - 1;
  for (size_t i = 0; i < kept; i++) s->word[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
  s->word[kept] = '\0';
  /* no number or keyword is that long: its beginning must not be taken for one */
  if (kept < length) memcpy(s->word + SUP_SCAN_WORD_MAX - 4, "...", 4);
}

int sup_scan_in_line(sup_scan *s) {
  pass_blanks(s);
  if (s->at < s->end && *s->at == '#')
    while (s->at < s->end && !is_line_end(*s->at)) s->at++;
  const char *word = s->at;
  for (; s->at < s->end && !is_blank(*s->at) && !is_line_end(*s->at); s->at++)
    if (*s->at == '\\' && s->end - s->at >= 2 && is_line_end(s->at[1])) break;
  sup_scan_set_word(s, word, (size_t)(s->at - word));
  return s->at > word;
}

int sup_scan_next_line(sup_scan *s) {
  while (s->at < s->end && !is_line_end(*s->at)) {
    if (*s->at == '\\' && s->end - s->at >= 2 && is_line_end(s->at[1]))
      pass_blanks(s);
    else
      s->at++;
  }
  if (s->at == s->end) return 0;
  pass_line_end(s);
  return 1;
}

int sup_scan_anywhere(sup_scan *s) {
  while (!sup_scan_in_line(s))
    if (!sup_scan_next_line(s)) return 0;
  return 1;
}

sup_status sup_scan_unexpected(const sup_scan *s, const char *expected) {
  const char *end = s->at == s->end ? "the end of the file" : "the end of the line";
  return SUP_SCAN_FAIL(s, "found %s%s%s, expected %s", s->word[0] ? "'" : "",
                       s->word[0] ? s->word : end, s->word[0] ? "'" : "", expected);
}

sup_status sup_scan_number(const sup_scan *s, const char *what, double *value) {
  if (s->word[0] && sup_text_number(s->word, value)) return SUP_OK;
  return sup_scan_unexpected(s, what);
}

sup_status sup_scan_integer(const sup_scan *s, const char *what, int low, int high, int *value) {
  double number;
  SUP_TRY(sup_scan_number(s, what, &number));
  if (low == high && number != low)
    return SUP_SCAN_FAIL(s, "found %.12g for %s, expected %d", number, what, low);
  if (!(number >= low && number <= high && number == floor(number)))
    return SUP_SCAN_FAIL(s, "found %.12g for %s, expected a whole number from %d to %d", number,
                         what, low, high);
  *value = (int)number;
  return SUP_OK;
}

sup_status sup_scan_read_number(sup_scan *s, const char *what, double *value) {
  sup_scan_in_line(s);
  SUP_TRY(sup_scan_number(s, what, value));
  return SUP_OK;
}

sup_status sup_scan_read_integer(sup_scan *s, const char *what, int low, int high, int *value) {
  sup_scan_in_line(s);
  SUP_TRY(sup_scan_integer(s, what, low, high, value));
  return SUP_OK;
}

sup_status sup_scan_begin_line(sup_scan *s, const char *what, int low, int high, int *value) {
  sup_scan_anywhere(s);
  SUP_TRY(sup_scan_integer(s, what, low, high, value));
  return SUP_OK;
}
