#include "output/series.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/json.h"
#include "output/number.h"

enum { PATH_SIZE = 4096 };

static sup_status join(char *out, size_t size, const char *folder, const char *name) {
  int length = snprintf(out, size, "%s/%s", folder, name);
  if (length < 0 || (size_t)length >= size)
    return SUP_FAIL(SUP_E_IO, "the path %.60s... is too long", folder);
  return SUP_OK;
}

sup_status sup_series_frame_name(char *out, size_t size, const char *stem, long k) {
  int length = snprintf(out, size, "%s_%04ld.vtk", stem, k);
  if (length < 0 || (size_t)length >= size)
    return SUP_FAIL(SUP_E_IO, "the name %.60s... is too long", stem);
  return SUP_OK;
}

/** Text of the next frame behind that of those before. */
static sup_status add_item(sup_series *series, const char *stem, double time) {
  char name[PATH_SIZE], number[SUP_NUMBER_SIZE];
  if (!series->items) series->items = open_memstream(&series->text, &series->size);
  if (!series->items) return SUP_FAIL(SUP_E_MEMORY, "no memory for the list of frames");
  snprintf(name, sizeof name, "%.200s_%04ld.vtk", stem, series->count);
  sup_number_text(number, time, 0);
  fputs(series->count > 0 ? ",\n    {\n      \"name\": " : "\n    {\n      \"name\": ",
        series->items);
  sup_json_quote(series->items, name);
  fprintf(series->items, ",\n      \"time\": %s\n    }", number);
  if (fflush(series->items) != 0)
    return SUP_FAIL(SUP_E_MEMORY, "no memory for a list of %ld frames", series->count);
  series->count++;
  return SUP_OK;
}

static sup_status write_list(const sup_series *series, const char *folder, const char *stem) {
  char            name[PATH_SIZE], path[PATH_SIZE];
  sup_file_writer out;
  snprintf(name, sizeof name, "%.200s.vtk.series", stem);
  SUP_TRY(join(path, sizeof path, folder, name));
  SUP_TRY(sup_file_open(&out, path));
  out.is_one_of_many = 1;
  fputs("{\n  \"file-series-version\": \"1.0\",\n  \"files\": [", out.file);
  fwrite(series->text, 1, series->size, out.file);
  fputs("\n  ]\n}\n", out.file);
  SUP_TRY(sup_file_commit(&out));
  return SUP_OK;
}

sup_status sup_series_add(sup_series *series, const char *folder, const char *stem, double time) {
  SUP_TRY(add_item(series, stem, time));
  SUP_TRY(write_list(series, folder, stem));
  return SUP_OK;
}

sup_status sup_series_go_on(sup_series *series, const char *folder, const char *stem,
                            const double *time, long count) {
  for (long k = 0; k < count; k++) SUP_TRY(add_item(series, stem, time[k]));
  if (count > 0) SUP_TRY(write_list(series, folder, stem));
  return SUP_OK;
}

void sup_series_free(sup_series *series) {
  if (series->items) fclose(series->items);
  free(series->text); /* the C library's own */
  *series = (sup_series){.items = NULL};
}

/** STEM_<digits>.vtk with a number of `first` or more, or STEM.vtk.series, perhaps with the .part
 * of an interrupted write. */
static int belongs(const char *name, const char *stem, long first) {
  size_t length = strlen(stem);
  if (strncmp(name, stem, length) != 0) return 0;
  const char *rest = name + length;
  if (*rest == '_') {
    size_t digits = strspn(rest + 1, "0123456789");
    if (digits < 4 || strtol(rest + 1, NULL, 10) < first) return 0;
    rest += 1 + digits;
    return strcmp(rest, ".vtk") == 0 || strcmp(rest, ".vtk.part") == 0;
  }
  return strcmp(rest, ".vtk.series") == 0 || strcmp(rest, ".vtk.series.part") == 0;
}

sup_status sup_series_remove(const char *folder, const char *stem, long first) {
  DIR *handle = opendir(folder);
  if (!handle) return SUP_FAIL(SUP_E_IO, "cannot read folder %s: %s", folder, strerror(errno));
  sup_status status = SUP_OK;
  for (struct dirent *entry = readdir(handle); entry && status == SUP_OK; entry = readdir(handle)) {
    char path[PATH_SIZE];
    if (!belongs(entry->d_name, stem, first)) continue;
    status = join(path, sizeof path, folder, entry->d_name);
    if (status == SUP_OK && unlink(path) != 0)
      status = SUP_FAIL(SUP_E_IO, "cannot remove %s of an earlier run: %s", path, strerror(errno));
  }
  closedir(handle);
  return status;
}

/** The group whose series this file is; 0: it is none. */
static int stem_of(char stem[PATH_SIZE], const char *name) {
  static const char ending[] = ".vtk.series";
  size_t            length = strlen(name), tail = sizeof ending - 1;
  if (length <= tail || length >= PATH_SIZE || strcmp(name + length - tail, ending) != 0) return 0;
  snprintf(stem, PATH_SIZE, "%.*s", (int)(length - tail), name);
  return 1;
}

sup_status sup_series_remove_all(const char *folder) {
  DIR *handle = opendir(folder);
  if (!handle && errno == ENOENT) return SUP_OK;
  if (!handle) return SUP_FAIL(SUP_E_IO, "cannot read folder %s: %s", folder, strerror(errno));
  sup_status status = SUP_OK;
  for (struct dirent *entry = readdir(handle); entry && status == SUP_OK; entry = readdir(handle)) {
    char stem[PATH_SIZE];
    if (stem_of(stem, entry->d_name)) status = sup_series_remove(folder, stem, 0);
  }
  closedir(handle);
  return status;
}
