/* The one file that knows libzip. */
#include "base/file/npz.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "base/file/file.h"
#include "base/memory.h"

/* ---- reading --------------------------------------------------------------------------------- */

static sup_status open_archive(zip_t **out, const char *path) {
  static const unsigned char end_of_directory[4] = {'P', 'K', 5, 6};
  struct stat                info;
  int                        code = 0;
  if (access(path, R_OK) != 0 || stat(path, &info) != 0)
    return SUP_FAIL(SUP_E_IO, "cannot read %s: %s", path, strerror(errno));
  if (S_ISDIR(info.st_mode))
    return SUP_FAIL(SUP_E_IO, "cannot read %s: it is a folder, expected a .npz file", path);
  *out = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, &code);
  if (*out) return SUP_OK;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  sup_status status =
      SUP_FAIL(SUP_E_PARSE,
               "%s:%lld: found no zip archive that ends with the directory %c%c 5 6 (%s), "
               "expected a file of numpy.savez",
               path, (long long)info.st_size, end_of_directory[0], end_of_directory[1],
               zip_error_strerror(&error));
  zip_error_fini(&error);
  return status;
}

static int ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

/** All bytes of a member; their sum is checked by libzip when the end is read. */
static sup_status read_member(zip_t *zip, const zip_stat_t *info, const char *where, char **data) {
  static const uint64_t most_inflated = 1100; /* ratio: upper bound for deflated data */
  char                  more;
  sup_status            status;
  uint64_t              have = 0;
  if (info->size / most_inflated > info->comp_size + 1)
    return SUP_FAIL(
        SUP_E_PARSE,
        "%s:0: found %llu bytes compressed to %llu bytes, expected at most %llu times as many",
        where, (unsigned long long)info->size, (unsigned long long)info->comp_size,
        (unsigned long long)most_inflated);
  SUP_TRY(SUP_CALLOC(*data, info->size + 1));
  zip_file_t *file = zip_fopen_index(zip, info->index, 0);
  if (!file) {
    status = SUP_FAIL(SUP_E_PARSE, "%s:0: cannot be unpacked: %s", where, zip_strerror(zip));
    goto fail;
  }
  for (zip_int64_t got = 1; got > 0 && have<info->size; have += got> 0 ? (uint64_t)got : 0)
    got = zip_fread(file, *data + have, info->size - have);
  if (have < info->size || zip_fread(file, &more, 1) != 0) {
    const char *reason = zip_error_strerror(zip_file_get_error(file));
    status = SUP_FAIL(SUP_E_PARSE, "%s:%llu: damaged, expected %llu bytes: %s", where,
                      (unsigned long long)have, (unsigned long long)info->size, reason);
    zip_fclose(file);
    goto fail;
  }
  zip_fclose(file);
  return SUP_OK;
fail:
  SUP_FREE(*data);
  return status;
}

static sup_status read_array(sup_npz *npz, zip_t *zip, zip_uint64_t index) {
  zip_stat_t info;
  char       where[4400], *data = NULL;
  sup_npy   *to = &npz->array[npz->num_arrays];
  zip_stat_init(&info);
  if (zip_stat_index(zip, index, 0, &info) != 0 || !info.name ||
      (info.valid & (ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE)) != (ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE))
    return SUP_FAIL(SUP_E_PARSE, "%s:0: member %llu of the archive has no name or size", npz->path,
                    (unsigned long long)index);
  if (!ends_with(info.name, ".npy")) return SUP_OK;
  size_t length = strlen(info.name) - 4;
  snprintf(where, sizeof where, "%s:%.200s", npz->path, info.name);
  if (length + 1 > sizeof to->name)
    return SUP_FAIL(SUP_E_PARSE, "%s:0: found a name of %zu letters, expected at most %zu", where,
                    length, sizeof to->name - 1);
  SUP_TRY(read_member(zip, &info, where, &data));
  npz->num_arrays++; /* freed by the caller from now on */
  sup_status status = sup_npy_parse(to, where, data, info.size);
  memcpy(to->name, info.name, length);
  to->name[length] = '\0';
  SUP_FREE(data);
  SUP_TRY(status);
  return SUP_OK;
}

static sup_status read_all(sup_npz *npz, zip_t *zip, const char *path) {
  zip_int64_t num = zip_get_num_entries(zip, 0);
  SUP_TRY(SUP_CALLOC(npz->path, strlen(path) + 1));
  memcpy(npz->path, path, strlen(path));
  SUP_TRY(SUP_CALLOC(npz->array, num));
  for (zip_int64_t i = 0; i < num; i++) SUP_TRY(read_array(npz, zip, (zip_uint64_t)i));
  return SUP_OK;
}

sup_status sup_npz_read(sup_npz **out, const char *path) {
  zip_t     *zip = NULL;
  sup_npz   *npz = NULL;
  sup_status status;
  *out = NULL;
  SUP_TRY(open_archive(&zip, path));
  SUP_TRY_GOTO(SUP_CALLOC(npz, 1), status, end);
  SUP_TRY_GOTO(read_all(npz, zip, path), status, end);
  *out = npz;
  npz = NULL;
end:
  zip_discard(zip);
  sup_npz_destroy(&npz);
  return status;
}

void sup_npz_destroy(sup_npz **handle) {
  sup_npz *npz = *handle;
  if (!npz) return;
  for (int i = 0; i < npz->num_arrays; i++) sup_npy_free(&npz->array[i]);
  SUP_FREE_ALL(&npz->array, &npz->path, handle);
}

const sup_npy *sup_npz_find(const sup_npz *npz, const char *name) {
  for (int i = 0; i < npz->num_arrays; i++)
    if (strcmp(npz->array[i].name, name) == 0) return &npz->array[i];
  return NULL;
}

/* ---- writing --------------------------------------------------------------------------------- */

/** Output of libzip: a temporary file, renamed at its commit. */
typedef struct sup_npz_target {
  sup_file_writer file;
  off_t           at;
  zip_error_t     error;
} target;

static zip_int64_t fails_by_errno(target *t, int code) {
  zip_error_set(&t->error, code, errno);
  return -1;
}

static zip_int64_t put(target *t, const void *data, zip_uint64_t size) {
  if (lseek(t->file.descriptor, t->at, SEEK_SET) != t->at ||
      sup_file_put(t->file.descriptor, data, size) < 0)
    return fails_by_errno(t, ZIP_ER_WRITE);
  t->at += (off_t)size;
  return (zip_int64_t)size;
}

static zip_int64_t seek(target *t, void *data, zip_uint64_t size) {
  struct stat info = {0};
  if (fstat(t->file.descriptor, &info) != 0) return fails_by_errno(t, ZIP_ER_SEEK);
  zip_int64_t at = zip_source_seek_compute_offset((zip_uint64_t)t->at, (zip_uint64_t)info.st_size,
                                                  data, size, &t->error);
  if (at >= 0) t->at = (off_t)at;
  return at >= 0 ? 0 : -1;
}

/** Source callbacks of a new archive: libzip never reads it, and the writer commits it. */
static zip_int64_t serve(void *user, void *data, zip_uint64_t size, zip_source_cmd_t command) {
  target *t = user;
  switch (command) {
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(
          ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
          ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE,
          ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE,
          ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
    case ZIP_SOURCE_STAT: {
      zip_stat_t *info = ZIP_SOURCE_GET_ARGS(zip_stat_t, data, size, &t->error);
      if (!info) return -1;
      zip_stat_init(info);
      info->valid = ZIP_STAT_SIZE, info->size = 0;
      return sizeof *info;
    }
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&t->error, data, size);
    case ZIP_SOURCE_WRITE:
      return put(t, data, size);
    case ZIP_SOURCE_SEEK_WRITE:
      return seek(t, data, size);
    case ZIP_SOURCE_TELL_WRITE:
      return (zip_int64_t)t->at;
    case ZIP_SOURCE_BEGIN_WRITE:
      t->at = 0;
      return 0;
    default: /* nothing to do */
      return 0;
  }
}

static sup_status open_target(sup_npz_writer *w, const char *path) {
  zip_error_t error;
  zip_error_init(&error);
  SUP_TRY(SUP_CALLOC(w->target, 1));
  zip_error_init(&w->target->error);
  SUP_TRY(sup_file_open(&w->target->file, path));
  zip_source_t *source = zip_source_function_create(serve, w->target, &error);
  if (source) w->zip = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
  sup_status status = SUP_OK;
  if (!w->zip) {
    status = SUP_FAIL(SUP_E_IO, "cannot write %s: %s", path, zip_error_strerror(&error));
    zip_source_free(source);
  }
  zip_error_fini(&error);
  return status;
}

sup_status sup_npz_create(sup_npz_writer *w, const char *path) {
  *w = (sup_npz_writer){.status = SUP_OK};
  int length = snprintf(w->path, sizeof w->path, "%s", path);
  if (length < 0 || (size_t)length >= sizeof w->path)
    return SUP_FAIL(SUP_E_IO, "the path %.60s... is too long", path);
  sup_status status = open_target(w, path);
  if (status != SUP_OK) sup_npz_abandon(w);
  return status;
}

/** `data` belongs to the writer from now on. */
static sup_status add_member(sup_npz_writer *w, const char *name, char *data, size_t size) {
  enum { YEAR_1980 = 1 << 5 | 1 }; /* its first day, the earliest that zip knows */
  char text[SUP_NPY_MAX_NAME + 8];
  snprintf(text, sizeof text, "%s.npy", name);
  w->member[w->num_members++] = data;
  zip_source_t *source = zip_source_buffer(w->zip, data, size, 0);
  zip_int64_t   index = source ? zip_file_add(w->zip, text, source, ZIP_FL_ENC_UTF_8) : -1;
  if (index < 0) {
    zip_source_free(source);
    return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", w->path, zip_strerror(w->zip));
  }
  if (zip_set_file_compression(w->zip, (zip_uint64_t)index, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(w->zip, (zip_uint64_t)index, 0, YEAR_1980, 0) != 0)
    return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", w->path, zip_strerror(w->zip));
  return SUP_OK;
}

/** A member with its header; *values is where its values go. */
static sup_status begin(sup_npz_writer *w, const char *name, const char *type, int num_dimensions,
                        const size_t *shape, size_t width, char **values) {
  size_t count = 1;
  char  *data = NULL;
  for (int d = 0; d < num_dimensions; d++) count *= shape[d];
  SUP_ASSERT(strlen(name) < SUP_NPY_MAX_NAME);
  SUP_TRY(SUP_GROW(w->member, w->capacity, w->num_members + 1));
  SUP_TRY(SUP_CALLOC(data, SUP_NPY_HEADER_SIZE + count * width));
  sup_npy_header(data, type, num_dimensions, shape);
  *values = data + SUP_NPY_HEADER_SIZE;
  SUP_TRY(add_member(w, name, data, SUP_NPY_HEADER_SIZE + count * width));
  return SUP_OK;
}

/** The member's bytes are read when the archive is closed, so they may be filled in later. */
static bool is_begun(sup_npz_writer *w, const char *name, const char *type, int num_dimensions,
                     const size_t *shape, size_t width, char **values) {
  if (w->status == SUP_OK) w->status = begin(w, name, type, num_dimensions, shape, width, values);
  return w->status == SUP_OK;
}

static const char *byte_order(void) {
  const int one = 1;
  return *(const char *)&one == 1 ? "<" : ">";
}

void sup_npz_add_numbers(sup_npz_writer *w, const char *name, int num_dimensions,
                         const size_t *shape, const double *value) {
  char  *to, type[8];
  size_t count = 1;
  for (int d = 0; d < num_dimensions; d++) count *= shape[d];
  snprintf(type, sizeof type, "%sf%zu", byte_order(), sizeof *value);
  if (is_begun(w, name, type, num_dimensions, shape, sizeof *value, &to) && count)
    memcpy(to, value, count * sizeof *value);
}

void sup_npz_add_integers(sup_npz_writer *w, const char *name, size_t count, const int *value) {
  char *to, type[8];
  snprintf(type, sizeof type, "%si%zu", byte_order(), sizeof *value);
  if (is_begun(w, name, type, 1, &count, sizeof *value, &to) && count)
    memcpy(to, value, count * sizeof *value);
}

void sup_npz_add_texts(sup_npz_writer *w, const char *name, size_t count, const char *const *text) {
  char  *to, type[24];
  size_t width = 1;
  for (size_t j = 0; j < count; j++) width = strlen(text[j]) > width ? strlen(text[j]) : width;
  snprintf(type, sizeof type, "|S%zu", width);
  if (!is_begun(w, name, type, 1, &count, width, &to)) return;
  for (size_t j = 0; j < count; j++) memcpy(to + j * width, text[j], strlen(text[j]));
}

static void release(sup_npz_writer *w) {
  for (int i = 0; i < w->num_members; i++) SUP_FREE(w->member[i]);
  SUP_FREE(w->member);
  w->num_members = 0, w->capacity = 0;
}

sup_status sup_npz_commit(sup_npz_writer *w) {
  sup_status status = w->status;
  if (status == SUP_OK && zip_close(w->zip) != 0)
    status = SUP_FAIL(SUP_E_IO, "cannot write %s: %s", w->path, zip_strerror(w->zip));
  else if (status == SUP_OK)
    w->zip = NULL, status = sup_file_commit(&w->target->file);
  sup_npz_abandon(w);
  return status;
}

void sup_npz_abandon(sup_npz_writer *w) {
  if (w->zip) zip_discard(w->zip);
  w->zip = NULL;
  if (w->target) {
    sup_file_abandon(&w->target->file);
    zip_error_fini(&w->target->error);
  }
  SUP_FREE(w->target);
  release(w);
}
