/** Tables of numbers: CSV files of measurements, targets and motions.  Layer scene. */
#pragma once

#include "scene/file/node.h"

enum { SUP_TABLE_MOST_COLUMNS = 64, SUP_TABLE_UNIT_SIZE = 16 };

/** A column that is asked for. */
typedef struct sup_table_column {
  const char *heading; /* with its unit or without, or its number from 1; "": the next of the file
                        */
  int     increases;   /* 1: a number that is not above the last is an error */
  char    unit[SUP_TABLE_UNIT_SIZE]; /* "N" of "force [N]"; "": none */
  double *value;                     /* [rows], freed by the caller */
} sup_table_column;

/** Read columns; lines that are empty or begin with # do not count, and a first line of numbers is
 * no heading.  E_PARSE at the place: no such column, no row; in the file: no number, none that
 * increases; then no value is left. */
SUP_NODISCARD sup_status sup_table_file_read(const char *path, sup_source_position place,
                                             int num_columns, sup_table_column *column,
                                             int *num_rows);
