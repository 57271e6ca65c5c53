/** CSV files that grow by whole lines, so that a reader finds a table at any moment, and tables
 * that appear whole.  Layer output. */
#pragma once

#include "base/status.h"

enum { SUP_CSV_DIGITS = 12 };

typedef struct sup_csv {
  int        file; /* descriptor; -1: not open */
  char       path[4096];
  char      *text; /* rows not yet written */
  size_t     used, capacity;
  int        fields;    /* of the row under way */
  int        digits;    /* of numbers; 0: the fewest that read back to the same bits */
  long       bytes;     /* of the rows that are in the file */
  long       nonfinite; /* numbers that were not finite and became empty fields */
  double     written;   /* when that was [s] */
  sup_status status;    /* of the appends since the last flush */
} sup_csv;

/** Start an empty file. */
SUP_NODISCARD sup_status sup_csv_open(sup_csv *csv, const char *path);
/** Append behind the first `bytes` of a file, which loses the rest.  E_IO: the file has fewer. */
SUP_NODISCARD sup_status sup_csv_reopen(sup_csv *csv, const char *path, long bytes);
/** Start a table that no file has yet, for sup_csv_save. */
void sup_csv_begin(sup_csv *csv);
/** Fields of the current row; a failure is reported by sup_csv_flush or sup_csv_save. */
void sup_csv_text(sup_csv *csv, const char *text);
void sup_csv_number(sup_csv *csv, double value);
void sup_csv_numbers(sup_csv *csv, const double *value, int count);
void sup_csv_integer(sup_csv *csv, long value);
void sup_csv_end_row(sup_csv *csv);
/** Hand all ended rows to the system in one write.  E_IO: none of them is in the file. */
SUP_NODISCARD sup_status sup_csv_flush(sup_csv *csv);
/** sup_csv_flush at most every 20 ms: short steps share a write.  A row is in the file some 20 ms
 * after its end, or with the next row where steps are longer. */
SUP_NODISCARD sup_status sup_csv_flush_often(sup_csv *csv);
/** The rows so far are on the disk when this returns. */
SUP_NODISCARD sup_status sup_csv_sync(sup_csv *csv);
/** Put a table that was begun into a file, which appears whole or not at all, and close it. */
SUP_NODISCARD sup_status sup_csv_save(sup_csv *csv, const char *path);
/** Write waiting rows as far as possible, and close the file. */
void sup_csv_close(sup_csv *csv);
