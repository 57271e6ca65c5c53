#include "scene/file/table_file.h"

#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"

/** Place in a file, for messages. */
typedef struct reader {
  const char         *path, *row;
  sup_source_position place;
  int                 line, index[SUP_TABLE_MOST_COLUMNS]; /* of the file, by column */
} reader;

/** Cut a line at its commas, blanks about fields left out. */
static int cut(char *line, char **field) {
  int count = 0;
  for (char *next = line; next && count < SUP_TABLE_MOST_COLUMNS;) {
    char *start = next + strspn(next, " \t"), *end;
    next = strchr(start, ',');
    if (next) *next++ = '\0';
    end = start + strlen(start);
    while (end > start && strchr(" \t\r", end[-1])) *--end = '\0';
    field[count++] = start;
  }
  return count;
}

/** A heading is found by all of it, or without its unit. */
static bool is_named(const char *field, const char *name) {
  size_t length = strlen(name);
  return strncmp(field, name, length) == 0 &&
         (field[length] == '\0' || strncmp(field + length, " [", 2) == 0);
}

static sup_status find(reader *r, int k, sup_table_column *column, char **field, int count) {
  char        known[512];
  const char *open, *heading = column->heading;
  double      number;
  for (r->index[k] = heading[0] ? 0 : k; heading[0] && r->index[k] < count; r->index[k]++)
    if (is_named(field[r->index[k]], heading)) break;
  if (r->index[k] >= count && sup_text_number(heading, &number) && number >= 1 && number <= count)
    r->index[k] = (int)number - 1;
  if (r->index[k] >= count && heading[0])
    return SUP_FAIL_AT(r->place, "%s has no column '%s'%s", r->path, heading,
                       sup_known_text(heading, (const char **)field, count, known, sizeof known));
  if (r->index[k] >= count)
    return SUP_FAIL_AT(r->place, "%s has %d columns; %d or more are needed", r->path, count, k + 1);
  column->unit[0] = '\0', open = strchr(field[r->index[k]], '[');
  if (open)
    snprintf(column->unit, sizeof column->unit, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
  return SUP_OK;
}

/** Place of a field of the line, or of its end. */
static sup_source_position place_of(const reader *r, char **field, int count, int i) {
  char *at = i < count ? field[i] : field[count - 1] + strlen(field[count - 1]);
  return (sup_source_position){r->path, r->line, 1 + (int)(at - r->row)};
}

static sup_status read_number(const reader *r, int k, char **field, int count,
                              const sup_table_column *column, int n) {
  int     i = r->index[k];
  double *value = &column->value[n];
  if (i >= count || !sup_text_number(field[i], value))
    return SUP_FAIL_AT(place_of(r, field, count, i),
                       "column %d holds '%.40s', a number was expected", i + 1,
                       i < count ? field[i] : "");
  if (column->increases && n > 0 && !(value[0] > value[-1]))
    return SUP_FAIL_AT(place_of(r, field, count, i), "column %d must increase; %g comes after %g",
                       i + 1, value[0], value[-1]);
  return SUP_OK;
}

/** Find the columns in the first line; *is_heading: it holds no numbers. */
static sup_status read_heading(reader *r, char **field, int count, int num_columns,
                               sup_table_column *column, bool *is_heading) {
  double number;
  *is_heading = count > 0 && !sup_text_number(field[0], &number);
  for (int k = 0; k < num_columns; k++) SUP_TRY(find(r, k, &column[k], field, count));
  return SUP_OK;
}

/** Go through the lines; the first is the heading, if it begins with a word. */
static sup_status read_lines(reader *r, char *text, int num_columns, sup_table_column *column,
                             int *num_rows) {
  char  *field[SUP_TABLE_MOST_COLUMNS];
  size_t capacity[SUP_TABLE_MOST_COLUMNS] = {0};
  bool   is_heading = 0;
  *num_rows = SUP_NONE;
  for (char *row = text, *next; row; row = next) {
    next = strchr(row, '\n');
    if (next) *next++ = '\0';
    r->line++, r->row = row;
    if (row[strspn(row, " \t\r")] == '\0' || row[0] == '#') continue;
    int count = cut(row, field);
    if (*num_rows == SUP_NONE) {
      SUP_TRY(read_heading(r, field, count, num_columns, column, &is_heading));
      *num_rows = 0;
      if (is_heading) continue;
    }
    for (int k = 0; k < num_columns; k++) {
      SUP_TRY(SUP_GROW(column[k].value, capacity[k], *num_rows + 1));
      SUP_TRY(read_number(r, k, field, count, &column[k], *num_rows));
    }
    ++*num_rows;
  }
  return *num_rows > 0 ? SUP_OK : SUP_FAIL_AT(r->place, "%s holds no point", r->path);
}

sup_status sup_table_file_read(const char *path, sup_source_position place, int num_columns,
                               sup_table_column *column, int *num_rows) {
  SUP_FREED char *text = NULL;
  reader          r = {.path = path, .place = place};
  size_t          size;
  for (int k = 0; k < num_columns; k++) column[k].value = NULL;
  sup_status status = sup_file_read(path, &text, &size);
  if (status != SUP_OK) return SUP_FAIL_WRAP(SUP_E_PARSE, place);
  status = read_lines(&r, text, num_columns, column, num_rows);
  for (int k = 0; k < num_columns && status != SUP_OK; k++) SUP_FREE(column[k].value);
  return status;
}
