/** Words and lines of text formats.  Layer mesh, private: shared by the readers of surfaces and
 * meshes. */
#pragma once

#include "base/status.h"

enum { SUP_SCAN_WORD_MAX = 64 };

/** A text in memory, read word by word; '#' begins a comment. */
typedef struct sup_scan {
  const char *name; /* of the file, for messages */
  const char *at, *end;
  int         is_binary;               /* 1: `line` is a byte of the file, from 0 */
  long        line;                    /* of the last word, from 1 */
  char        word[SUP_SCAN_WORD_MAX]; /* the last word; empty at the end of the line or text */
} sup_scan;

sup_scan sup_scan_open(const char *name, const char *data, size_t size);
/** Next word of the line; 0 at its end.  A backslash at the end of a line joins the next one to it.
 */
int sup_scan_in_line(sup_scan *s);
/** Go to the next line; 0 at the end of the text. */
int sup_scan_next_line(sup_scan *s);
/** Next word of the text; 0 at its end. */
int sup_scan_anywhere(sup_scan *s);
/** Make the next `length` characters the last word: unprintable ones as '?', the end of a long word
 * as "...". */
void sup_scan_set_word(sup_scan *s, const char *text, size_t length);
/** The last word as a finite number; `what` was expected. */
SUP_NODISCARD sup_status sup_scan_number(const sup_scan *s, const char *what, double *value);
/** The last word as a whole number from low to high. */
SUP_NODISCARD sup_status sup_scan_integer(const sup_scan *s, const char *what, int low, int high,
                                          int *value);
/** The next word of the line as a number. */
SUP_NODISCARD sup_status sup_scan_read_number(sup_scan *s, const char *what, double *value);
SUP_NODISCARD sup_status sup_scan_read_integer(sup_scan *s, const char *what, int low, int high,
                                               int *value);
/** First number of the next nonempty line. */
SUP_NODISCARD sup_status sup_scan_begin_line(sup_scan *s, const char *what, int low, int high,
                                             int *value);
/** E_PARSE "file:line: found '...', expected ...". */
SUP_NODISCARD sup_status sup_scan_unexpected(const sup_scan *s, const char *expected);
#define SUP_SCAN_FAIL(s, format, ...)                                                              \
  SUP_FAIL(SUP_E_PARSE, "%s:%s%ld: " format, (s)->name, (s)->is_binary ? " byte " : "", (s)->line, \
           __VA_ARGS__)
