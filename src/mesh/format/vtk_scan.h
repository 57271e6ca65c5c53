/** Words and numbers of legacy VTK files, ASCII and binary.  Layer mesh, private to the reader of
 * meshes. */
#pragma once

#include "base/status.h"

enum { SUP_VTK_WORD_MAX = 128 };

/** File in memory and position of the last word. */
typedef struct sup_vtk_scan {
  const char *name, *data;
  size_t      size, at;
  long        line;
  int         binary;
  char        word[SUP_VTK_WORD_MAX];
  size_t      word_at;
  long        word_line;
} sup_vtk_scan;

/** E_PARSE "file:line: ..." about the word or number that was read last, with its byte in binary
 * files. */
sup_status sup_vtk_malformed(const sup_vtk_scan *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** "found ..., expected ...". */
sup_status sup_vtk_unexpected(const sup_vtk_scan *r, const char *expected, ...)
    __attribute__((format(printf, 2, 3)));

/** The next word between blanks; empty at the end of the file.  A line that starts a word with # is
 * a comment. */
void sup_vtk_next_word(sup_vtk_scan *r);
/** 1: this is the last word, in letters of any case. */
bool sup_vtk_is_word(const sup_vtk_scan *r, const char *word);
/** The next line becomes the last word, without its end. */
void sup_vtk_next_line(sup_vtk_scan *r);
/** Go to the line after the next empty one. */
void sup_vtk_skip_paragraph(sup_vtk_scan *r);
/** The next number, from 1 to 99, when it stands on this line. */
int sup_vtk_number_in_line(sup_vtk_scan *r, int absent);
/** A count of things that take at least `bytes` bytes each: never more than the rest of the file
 * can hold. */
SUP_NODISCARD sup_status sup_vtk_read_count(sup_vtk_scan *r, const char *what, size_t bytes,
                                            int *count);

typedef enum sup_vtk_number {
  SUP_VTK_BIT,
  SUP_VTK_INTEGER,
  SUP_VTK_FLOAT,
  SUP_VTK_STRING
} sup_vtk_number;
typedef struct sup_vtk_type {
  const char    *name;
  size_t         bytes;
  sup_vtk_number kind;
} sup_vtk_type;

/** Read the name of a number type. */
SUP_NODISCARD sup_status sup_vtk_read_type(sup_vtk_scan *r, sup_vtk_type *type);
/** Finite numbers: three a point. */
SUP_NODISCARD sup_status sup_vtk_read_coordinates(sup_vtk_scan *r, sup_vtk_type type, size_t count,
                                                  double *value);
/** Skip the numbers of an array. */
SUP_NODISCARD sup_status sup_vtk_pass_numbers(sup_vtk_scan *r, sup_vtk_type type, size_t count);
/** Flags of the numbers of an array, 1 where a number is not 0; `name` is used in messages. */
SUP_NODISCARD sup_status sup_vtk_read_flags(sup_vtk_scan *r, const char *name, sup_vtk_type type,
                                            int count, unsigned char *flag);

/** Integers one after the other, from words or from a binary block. */
typedef struct sup_vtk_run {
  size_t at, bytes; /* of the next number in a binary block */
} sup_vtk_run;

/** `what` is used in messages: of `count` integers in all, of the next one, from lower to upper. */
SUP_NODISCARD sup_status sup_vtk_run_open(sup_vtk_scan *r, sup_vtk_run *s, const char *what,
                                          sup_vtk_type type, size_t count);
SUP_NODISCARD sup_status sup_vtk_run_next(sup_vtk_scan *r, sup_vtk_run *s, const char *what,
                                          int lower, int upper, int *value);
