#include "output/format/series.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "output/format/json.h"
#include "output/format/number.h"

enum { PATH_SIZE = 4096 };

static sup_status join(char *out, size_t size, const char *folder, const char *name) {
  if (sup_text_join(out, size, (const char *[]){folder, "/", name}, 3) == SUP_OK) return SUP_OK;
  return SUP_FAIL(SUP_E_IO, "the path %.60s... is too long", folder);
}

/** Write the frame's number with at least four digits. */
static void put_frame_number(char text[SUP_NUMBER_SIZE], long k) {
  int length = sup_integer_text(text, k), zeros = length < 4 ? 4 - length : 0;
  memmove(text + zeros, text, (size_t)length + 1);
  memset(text, '0', (size_t)zeros);
}

sup_status sup_series_frame_name(char *out, size_t size, const char *stem, long k) {
  char number[SUP_NUMBER_SIZE];
  put_frame_number(number, k);
  if (sup_text_join(out, size, (const char *[]){stem, "_", number, ".vtk"}, 4) == SUP_OK)
    return SUP_OK;
  return SUP_FAIL(SUP_E_IO, "the name %.60s... is too long", stem);
}

const sup_series_kind sup_series_vtk = {
    .ending = ".vtk.series",
    .head = "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n    ",
    .between = ",\n    ",
    .end = "\n  ]\n}\n"};
const sup_series_kind sup_series_xdmf = {
    .ending = ".xdmf",
    .head =
        "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
        "<Grid Name=\"frames\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
    .between = "\n",
    .end = "\n</Grid>\n</Domain>\n</Xdmf>\n"};
static const sup_series_kind *const kinds[] = {&sup_series_vtk, &sup_series_xdmf};
enum { NUM_KINDS = sizeof kinds / sizeof *kinds, PAGE = 4096 };

static const sup_series_kind *kind_of(const sup_series *series) {
  return series->kind ? series->kind : &sup_series_vtk;
}

static sup_status append(sup_series *series, const char *text) {
  size_t length = strlen(text);
  SUP_TRY(SUP_GROW(series->text, series->capacity, series->size + length));
  memcpy(series->text + series->size, text, length);
  series->size += length;
  return SUP_OK;
}

/** Common prefix of the items of a VTK series: {"name": "STEM_, quoted as in JSON. */
static sup_status take_before(sup_series *series, const char *stem) {
  char  *text = NULL, name[PATH_SIZE];
  size_t size = 0;
  FILE  *stream = open_memstream(&text, &size);
  if (!stream) return SUP_FAIL(SUP_E_MEMORY, "no memory for the list of frames");
  snprintf(name, sizeof name, "%.200s_", stem);
  fputs("{\"name\": ", stream);
  sup_json_quote(stream, name);
  sup_status status = SUP_OK;
  if (fclose(stream) != 0) status = SUP_FAIL(SUP_E_MEMORY, "no memory for the list of frames");
  if (status == SUP_OK) status = SUP_GROW(series->before, series->before_capacity, size);
  if (status == SUP_OK) memcpy(series->before, text, size - 1), series->before[size - 1] = '\0';
  free(text); /* the C library's own */
  return status;
}

/** A frame of VTK. */
static sup_status vtk_item(sup_series *series, const char *stem, const char *time, char *item) {
  char number[SUP_NUMBER_SIZE];
  if (!series->before) SUP_TRY(take_before(series, stem));
  put_frame_number(number, series->frame);
  const char *piece[] = {series->before, number, ".vtk\", \"time\": ", time, "}"};
  SUP_TRY(sup_text_join(item, PATH_SIZE, piece, sizeof piece / sizeof *piece));
  return SUP_OK;
}

sup_status sup_series_append(sup_series *series, const char *item) {
  size_t before = series->size;
  SUP_TRY(append(series, before > 0 ? kind_of(series)->between : kind_of(series)->head));
  sup_status status = append(series, item);
  if (status != SUP_OK) series->size = before; /* without half an item */
  series->count += status == SUP_OK, series->frame += status == SUP_OK;
  return status;
}

sup_status sup_series_append_frame_at(sup_series *series, const char *stem, const char *time) {
  char item[PATH_SIZE];
  SUP_TRY(vtk_item(series, stem, time, item));
  SUP_TRY(sup_series_append(series, item));
  return SUP_OK;
}

sup_status sup_series_append_frame(sup_series *series, const char *stem, double time) {
  char number[SUP_NUMBER_SIZE];
  sup_number_text(number, time, 0);
  SUP_TRY(sup_series_append_frame_at(series, stem, number));
  return SUP_OK;
}

static sup_status path_of(const sup_series *series, const char *folder, const char *stem,
                          char path[PATH_SIZE]) {
  char name[PATH_SIZE];
  snprintf(name, sizeof name, "%.200s%s", stem, kind_of(series)->ending);
  SUP_TRY(join(path, PATH_SIZE, folder, name));
  return SUP_OK;
}

static sup_status replace(const sup_series *series, const char *path) {
  sup_file_writer out;
  SUP_TRY(sup_file_open(&out, path));
  out.is_one_of_many = 1;
  fwrite(series->text, 1, series->size, out.file);
  fputs(kind_of(series)->end, out.file);
  SUP_TRY(sup_file_commit(&out));
  return SUP_OK;
}

/** Write the text from `before` on over the end of the file.  1: done; 0: the file is as it was and
 * must be replaced, because it is not the one of this run, or a page would be crossed. */
static int grow_in_place(const sup_series *series, size_t before, const char *path) {
  char        bytes[PAGE];
  struct stat info;
  const char *end = kind_of(series)->end;
  size_t      tail = strlen(end), count = series->size - before + tail;
  if (before / PAGE != (before + count - 1) / PAGE) return 0;
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return 0;
  memcpy(bytes, series->text + before, count - tail);
  memcpy(bytes + count - tail, end, tail);
  bool is_ours = fstat(file, &info) == 0 && info.st_size == (off_t)(before + tail) &&
                 lseek(file, (off_t)before, SEEK_SET) == (off_t)before;
  bool is_done = is_ours && sup_file_put(file, bytes, count) == (ssize_t)count;
  if (is_ours && !is_done && /* the old end again, whose bytes have their place on the disk */
      (pwrite(file, end, tail, (off_t)before) < 0 || ftruncate(file, info.st_size) < 0))
    unlink(path); /* remove a partial file, which is replaced anyway */
  close(file);
  return is_done;
}

sup_status sup_series_write(sup_series *series, const char *folder, const char *stem) {
  char path[PATH_SIZE];
  if (series->count == 0) return SUP_OK;
  SUP_TRY(path_of(series, folder, stem, path));
  SUP_TRY(replace(series, path));
  series->saved = series->replaced = series->size;
  return SUP_OK;
}

/** @param least  growth in bytes before a file that cannot grow in place is replaced */
static sup_status save(sup_series *series, const char *folder, const char *stem, size_t least) {
  char path[PATH_SIZE];
  if (series->saved == series->size) return SUP_OK;
  SUP_TRY(path_of(series, folder, stem, path));
  if (series->saved > 0 && grow_in_place(series, series->saved, path))
    series->saved = series->size;
  else if (series->size - series->replaced >= least)
    SUP_TRY(sup_series_write(series, folder, stem));
  return SUP_OK;
}

sup_status sup_series_save(sup_series *series, const char *folder, const char *stem) {
  SUP_TRY(save(series, folder, stem, 0));
  return SUP_OK;
}

sup_status sup_series_extend(sup_series *series, const char *folder, const char *stem) {
  SUP_TRY(save(series, folder, stem, series->replaced / 64));
  return SUP_OK;
}

sup_status sup_series_restore(sup_series *series, const char *folder, const char *stem,
                              const double *time, const unsigned char *is_there, long count) {
  for (long k = 0; k < count; k++) {
    series->frame = k;
    if (is_there && !is_there[k]) continue;
    SUP_TRY(sup_series_append_frame(series, stem, time[k]));
  }
  series->frame = count;
  SUP_TRY(sup_series_write(series, folder, stem));
  return SUP_OK;
}

void sup_series_free(sup_series *series) {
  SUP_FREE_ALL(&series->text, &series->before);
  *series = (sup_series){.kind = series->kind};
}

/** Text behind _rank<digits>, if it begins with that. */
static const char *behind_rank(const char *rest) {
  static const char word[] = "_rank";
  size_t            length = sizeof word - 1;
  if (strncmp(rest, word, length) != 0) return rest;
  size_t digits = strspn(rest + length, "0123456789");
  return digits > 0 ? rest + length + digits : rest;
}

/** 1: `rest` is this ending, perhaps with the .part of an interrupted write. */
static bool is_ending(const char *rest, const char *ending) {
  size_t length = strlen(ending);
  return strncmp(rest, ending, length) == 0 &&
         (rest[length] == '\0' || strcmp(rest + length, ".part") == 0);
}

/** STEM_<digits>.vtk or .h5 with a number of `first` or more, or the mesh of all of the latter when
 * that is 0, or the series, or those of a rank, perhaps with the .part of an interrupted write. */
static int belongs(const char *name, const char *stem, long first) {
  size_t length = strlen(stem);
  if (strncmp(name, stem, length) != 0) return 0;
  const char *rest = behind_rank(name + length);
  if (*rest == '_') {
    size_t digits = strspn(rest + 1, "0123456789");
    if (digits == 0) return first == 0 && is_ending(rest, "_mesh.h5");
    if (digits < 4 || strtol(rest + 1, NULL, 10) < first) return 0;
    rest += 1 + digits;
    return is_ending(rest, ".vtk") || is_ending(rest, ".h5");
  }
  for (int k = 0; k < NUM_KINDS; k++)
    if (is_ending(rest, kinds[k]->ending)) return 1;
  return 0;
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
  size_t length = strlen(name);
  for (int k = 0; k < NUM_KINDS; k++) {
    size_t tail = strlen(kinds[k]->ending);
    if (length <= tail || length >= PATH_SIZE ||
        strcmp(name + length - tail, kinds[k]->ending) != 0)
      continue;
    snprintf(stem, PATH_SIZE, "%.*s", (int)(length - tail), name);
    return 1;
  }
  return 0;
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
