/** Tables of numbers with a heading: CSV files of measurements and targets.  Layer study. */
#pragma once

#include "scene/file/node.h"

enum { SUP_TABLE_MOST_COLUMNS = 64, SUP_TABLE_UNIT_SIZE = 16 };

/** A column that is asked for. */
typedef struct sup_table_column {
  const char *heading;                   /* with its unit or without; "": the next of the file */
  char        unit[SUP_TABLE_UNIT_SIZE]; /* "N" of "force [N]"; "": none */
  double     *value;                     /* [rows], freed by the caller */
} sup_table_column;

/** Read columns; lines that are empty or begin with # do not count.  E_PARSE at the place: no such
 * column, no number, no row; then no value is left. */
SUP_NODISCARD sup_status sup_table_file_read(const char *path, sup_source_position place,
                                             int num_columns, sup_table_column *column,
                                             int *num_rows);
