#include "output/format/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/timer.h"
#include "output/format/number.h"
#include "output/numerics.h"

static sup_status open_with(sup_csv *csv, const char *path, int flags) {
  *csv = (sup_csv){.file = -1, .digits = SUP_CSV_DIGITS};
  int length = snprintf(csv->path, sizeof csv->path, "%s", path);
  if (length < 0 || (size_t)length >= sizeof csv->path)
    return SUP_FAIL(SUP_E_IO, "the path %.60s... is too long", path);
  csv->file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0666);
  if (csv->file < 0) return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", path, strerror(errno));
  return SUP_OK;
}

sup_status sup_csv_open(sup_csv *csv, const char *path) {
  SUP_TRY(open_with(csv, path, O_CREAT | O_TRUNC));
  return SUP_OK;
}

void sup_csv_begin(sup_csv *csv) { *csv = (sup_csv){.file = -1, .digits = SUP_CSV_DIGITS}; }

sup_status sup_csv_reopen(sup_csv *csv, const char *path, long bytes) {
  struct stat info;
  SUP_TRY(open_with(csv, path, 0));
  if (fstat(csv->file, &info) != 0 || info.st_size < bytes)
    return SUP_FAIL(
        SUP_E_IO,
        "%s has %ld bytes, expected at least the %ld bytes of the rows before the checkpoint", path,
        (long)info.st_size, bytes);
  if (ftruncate(csv->file, bytes) != 0)
    return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", path, strerror(errno));
  csv->bytes = bytes;
  return SUP_OK;
}

/** Room for `length` letters behind the present text; NULL: no memory. */
static char *room(sup_csv *csv, size_t length) {
  if (csv->status == SUP_OK && csv->used + length > csv->capacity)
    csv->status = SUP_GROW(csv->text, csv->capacity, csv->used + length);
  return csv->status == SUP_OK ? csv->text + csv->used : NULL;
}

static void append(sup_csv *csv, const char *text, size_t length) {
  char *to = room(csv, length);
  if (!to) return;
  memcpy(to, text, length);
  csv->used += length;
}

static void begin_field(sup_csv *csv) {
  if (csv->fields++ > 0) append(csv, ",", 1);
}

void sup_csv_text(sup_csv *csv, const char *text) {
  begin_field(csv);
  if (!strpbrk(text, ",\"\n\r")) {
    append(csv, text, strlen(text));
    return;
  }
  append(csv, "\"", 1);
  for (; *text; text++) {
    if (*text == '"') append(csv, "\"", 1);
    append(csv, text, 1);
  }
  append(csv, "\"", 1);
}

void sup_csv_numbers(sup_csv *csv, const double *value, int count) {
  char *start = room(csv, (size_t)count * (SUP_NUMBER_SIZE + 1)), *to = start;
  for (int i = 0; i < count && start; i++) {
    if (csv->fields++ > 0) *to++ = ',';
    int length = sup_number_text(to, value[i], csv->digits);
    csv->nonfinite += length == 0, to += length;
  }
  csv->used += (size_t)(to - start);
}

void sup_csv_number(sup_csv *csv, double value) { sup_csv_numbers(csv, &value, 1); }

void sup_csv_integer(sup_csv *csv, long value) {
  begin_field(csv);
  char *to = room(csv, SUP_NUMBER_SIZE);
  if (to) csv->used += (size_t)sup_integer_text(to, value);
}

void sup_csv_end_row(sup_csv *csv) {
  append(csv, "\n", 1);
  csv->fields = 0;
}

sup_status sup_csv_flush(sup_csv *csv) {
  SUP_TRY(csv->status);
  struct stat info;
  bool        is_regular = fstat(csv->file, &info) == 0 && S_ISREG(info.st_mode);
  if (is_regular && info.st_nlink == 0)
    return SUP_FAIL(SUP_E_IO, "cannot write %s: it was removed during the run", csv->path);
  if (sup_file_put(csv->file, csv->text, csv->used) < 0) {
    int reason = errno;
    if (is_regular) (void)!ftruncate(csv->file, info.st_size); /* no part of a row */
    csv->used = 0;
    return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", csv->path, strerror(reason));
  }
  csv->bytes += (long)csv->used;
  csv->used = 0;
  return SUP_OK;
}

sup_status sup_csv_flush_often(sup_csv *csv) {
  double now = sup_wall_time();
  if (csv->status == SUP_OK && now < csv->written + sup_output_numerics.pause) return SUP_OK;
  csv->written = now;
  SUP_TRY(sup_csv_flush(csv));
  return SUP_OK;
}

sup_status sup_csv_sync(sup_csv *csv) {
  SUP_TRY(sup_csv_flush(csv));
  if (csv->file >= 0 && fdatasync(csv->file) != 0 && errno != EINVAL)
    return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", csv->path, strerror(errno));
  return SUP_OK;
}

static sup_status save(const sup_csv *csv, const char *path) {
  sup_file_writer file;
  SUP_TRY(csv->status);
  SUP_TRY(sup_file_open(&file, path));
  (void)!fwrite(csv->text, 1, csv->used, file.file); /* a failure is kept by the writer */
  SUP_TRY(sup_file_commit(&file));
  return SUP_OK;
}

sup_status sup_csv_save(sup_csv *csv, const char *path) {
  sup_status status = save(csv, path);
  sup_csv_close(csv);
  return status;
}

void sup_csv_close(sup_csv *csv) {
  if (csv->file >= 0) {
    if (csv->used > 0) (void)!sup_csv_flush(csv); /* of a run that ended early */
    close(csv->file);
  }
  csv->file = -1;
  SUP_FREE(csv->text);
  csv->used = csv->capacity = 0;
}
