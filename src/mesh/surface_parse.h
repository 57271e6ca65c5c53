/** What the readers of text formats share.  Private to surface_*.c and tetgen_read.c. */
#pragma once

#include "mesh/surface_file.h"

enum { SUP_SCAN_WORD_MAX = 64 };

/** A text in memory, read word by word. */
typedef struct sup_scan {
  const char *name; /* of the file, for messages */
  const char *at, *end;
  long        line;                    /* of the last word, from 1 */
  char        word[SUP_SCAN_WORD_MAX]; /* the last word; empty at the end of the line or text */
} sup_scan;

/** Triangles as a file gives them: points may repeat. */
typedef struct sup_triangles {
  int     num_points, num_triangles;
  double *point;    /* [num_points x 3] */
  int    *triangle; /* [num_triangles x 3] */
  size_t  point_capacity, triangle_capacity;
} sup_triangles;

sup_scan sup_scan_open(const char *name, const char *data, size_t size);
/** Next word of the line; 0 at its end.  A backslash at the end of a line joins the next one to it. */
int sup_scan_in_line(sup_scan *s);
/** Go to the next line; 0 at the end of the text. */
int sup_scan_next_line(sup_scan *s);
/** Next word of the text; 0 at its end. */
int sup_scan_anywhere(sup_scan *s);
/** The last word as a finite number. */
SUP_NODISCARD sup_status sup_scan_number(const sup_scan *s, const char *what, double *value);
/** E_PARSE "file:line: found '...', expected ...". */
SUP_NODISCARD sup_status sup_scan_unexpected(const sup_scan *s, const char *expected);
#define SUP_SCAN_FAIL(s, format, ...) SUP_FAIL(SUP_E_PARSE, "%s:%ld: " format, (s)->name, (s)->line, __VA_ARGS__)

SUP_NODISCARD sup_status sup_triangles_point(sup_triangles *t, const double p[3]);
SUP_NODISCARD sup_status sup_triangles_add(sup_triangles *t, int a, int b, int c);

SUP_NODISCARD sup_status sup_stl_parse(sup_triangles *t, const char *name, const char *data, size_t size);
SUP_NODISCARD sup_status sup_obj_parse(sup_triangles *t, const char *name, const char *data, size_t size);
