#include "output/series.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
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

static const char head[] = "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [";
static const char end[] = "\n  ]\n}\n";
enum { END = sizeof end - 1, PAGE = 4096 };

static sup_status append(sup_series *series, const char *text) {
  size_t length = strlen(text);
  SUP_TRY(SUP_GROW(series->text, series->capacity, series->size + length));
  memcpy(series->text + series->size, text, length);
  series->size += length;
  return SUP_OK;
}

/** The next frame behind those before.  The name has no letter that JSON would quote but those of
 * the stem. */
static sup_status add_item(sup_series *series, const char *stem, double time) {
  char   name[PATH_SIZE], number[SUP_NUMBER_SIZE], *item = NULL;
  size_t size = 0;
  FILE  *stream = open_memstream(&item, &size);
  if (!stream) return SUP_FAIL(SUP_E_MEMORY, "no memory for the list of frames");
  snprintf(name, sizeof name, "%.200s_%04ld.vtk", stem, series->frame);
  sup_number_text(number, time, 0);
  fputs(series->count > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ", stream);
  sup_json_quote(stream, name);
  fprintf(stream, ", \"time\": %s}", number);
  sup_status status = fclose(stream) == 0 ? SUP_OK : SUP_E_MEMORY;
  if (status != SUP_OK)
    status = SUP_FAIL(SUP_E_MEMORY, "no memory for a list of %ld frames", series->count);
  if (status == SUP_OK) status = append(series, item);
  free(item); /* the C library's own */
  series->count += status == SUP_OK, series->frame += status == SUP_OK;
  return status;
}

static sup_status replace(const sup_series *series, const char *path) {
  sup_file_writer out;
  SUP_TRY(sup_file_open(&out, path));
  out.is_one_of_many = 1;
  fwrite(series->text, 1, series->size, out.file);
  fputs(end, out.file);
  SUP_TRY(sup_file_commit(&out));
  return SUP_OK;
}

/** Write the text from `before` on over the end of the file.  1: done; 0: the file is as it was and
 * must be replaced, because it is not the one of this run, or a page would be crossed. */
static int grow_in_place(const sup_series *series, size_t before, const char *path) {
  char        bytes[PAGE];
  struct stat info;
  size_t      count = series->size - before + END;
  if (before / PAGE != (before + count - 1) / PAGE) return 0;
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return 0;
  memcpy(bytes, series->text + before, count - END);
  memcpy(bytes + count - END, end, END);
  int is_ours = fstat(file, &info) == 0 && info.st_size == (off_t)(before + END) &&
                lseek(file, (off_t)before, SEEK_SET) == (off_t)before;
  int is_done = is_ours && sup_file_put(file, bytes, count) == (ssize_t)count;
  if (is_ours && !is_done && /* the old end again, whose bytes have their place on the disk */
      (pwrite(file, end, END, (off_t)before) < 0 || ftruncate(file, info.st_size) < 0))
    unlink(path); /* rather none than half a one: it is replaced anyway */
  close(file);
  return is_done;
}

sup_status sup_series_add(sup_series *series, const char *folder, const char *stem, double time) {
  char name[PATH_SIZE], path[PATH_SIZE];
  if (!series->text) SUP_TRY(append(series, head));
  size_t before = series->size;
  snprintf(name, sizeof name, "%.200s.vtk.series", stem);
  SUP_TRY(join(path, sizeof path, folder, name));
  SUP_TRY(add_item(series, stem, time));
  if (series->count > 1 && grow_in_place(series, before, path)) return SUP_OK;
  SUP_TRY(replace(series, path));
  return SUP_OK;
}

sup_status sup_series_go_on(sup_series *series, const char *folder, const char *stem,
                            const double *time, const unsigned char *is_there, long count) {
  char name[PATH_SIZE], path[PATH_SIZE];
  for (long k = 0; k < count; k++) {
    series->frame = k;
    if (is_there && !is_there[k]) continue;
    if (!series->text) SUP_TRY(append(series, head));
    SUP_TRY(add_item(series, stem, time[k]));
  }
  series->frame = count;
  if (series->count == 0) return SUP_OK;
  snprintf(name, sizeof name, "%.200s.vtk.series", stem);
  SUP_TRY(join(path, sizeof path, folder, name));
  SUP_TRY(replace(series, path));
  return SUP_OK;
}

void sup_series_free(sup_series *series) {
  SUP_FREE(series->text);
  *series = (sup_series){.text = NULL};
}

/** Behind _rank<digits>, where that is what follows. */
static const char *behind_rank(const char *rest) {
  static const char word[] = "_rank";
  size_t            length = sizeof word - 1;
  if (strncmp(rest, word, length) != 0) return rest;
  size_t digits = strspn(rest + length, "0123456789");
  return digits > 0 ? rest + length + digits : rest;
}

/** STEM_<digits>.vtk with a number of `first` or more, or STEM.vtk.series, or those of a rank,
 * perhaps with the .part of an interrupted write. */
static int belongs(const char *name, const char *stem, long first) {
  size_t length = strlen(stem);
  if (strncmp(name, stem, length) != 0) return 0;
  const char *rest = behind_rank(name + length);
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
