#define _GNU_SOURCE /* fopencookie */
#include "base/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/cleanup.h"
#include "base/memory.h"

static sup_status check_size(const char *path, uint64_t bytes, uint64_t most) {
  if (bytes <= most) return SUP_OK;
  return SUP_FAIL(SUP_E_IO,
                  "cannot read %s: the file has more than %llu MB, the limit for its kind; is it "
                  "the right file?",
                  path, (unsigned long long)most / 1000000);
}

sup_status sup_file_read(const char *path, char **data, size_t *size) {
  return sup_file_read_most(path, UINT64_MAX, data, size);
}

sup_status sup_file_read_most(const char *path, uint64_t most, char **data, size_t *size) {
  char  *buffer = NULL;
  size_t capacity = 0, used = 0;
  FILE  *file = fopen(path, "rb");
  *data = NULL, *size = 0;
  if (!file) return SUP_FAIL(SUP_E_IO, "cannot read %s: %s", path, strerror(errno));
  sup_status  status = SUP_OK;
  struct stat info; /* size of a regular file is known, while a growing buffer takes up to 2.5 times
                       as much */
  bool is_known = fstat(fileno(file), &info) == 0;
  if (is_known && !S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) { /* /dev/zero has no end */
    status = SUP_FAIL(SUP_E_IO, "cannot read %s: found a %s, expected a regular file", path,
                      S_ISDIR(info.st_mode) ? "folder" : "device");
    goto fail;
  }
  if (is_known && S_ISREG(info.st_mode)) {
    SUP_TRY_GOTO(check_size(path, (uint64_t)info.st_size, most), status, fail);
    SUP_TRY_GOTO(SUP_GROW(buffer, capacity, (size_t)info.st_size + 2), status, fail);
  }
  for (;;) {
    if (capacity - used < 2) SUP_TRY_GOTO(SUP_GROW(buffer, capacity, used + 65536), status, fail);
    size_t got = fread(buffer + used, 1, capacity - used - 1, file);
    used += got;
    SUP_TRY_GOTO(check_size(path, used, most), status, fail);
    if (got == 0) break;
  }
  if (ferror(file)) {
    status = SUP_FAIL(SUP_E_IO, "cannot read %s: %s", path, strerror(errno));
    goto fail;
  }
  fclose(file);
  buffer[used] = '\0';
  *data = buffer, *size = used;
  return SUP_OK;
fail:
  fclose(file);
  SUP_FREE(buffer);
  return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static struct {
  sup_file_fault fault; /* tests only */
  long           count;
} calls;

long sup_file_fail(sup_file_fault fault) {
  long count = calls.count;
  calls.fault = fault, calls.count = 0;
  return count;
}

/** 1: the fault that a test asks for is at this call. */
static bool is_at_fault(void) {
  if (calls.fault.at == 0) return 0;
  calls.count++;
  return calls.fault.lasts ? calls.count >= calls.fault.at : calls.count == calls.fault.at;
}

/** Fail with the errno that a test asks for; 1: it does. */
static int fails(void) {
  if (!is_at_fault() || calls.fault.error == 0) return 0;
  errno = calls.fault.error;
  return 1;
}

ssize_t sup_file_put(int descriptor, const void *data, size_t size) {
  const char *bytes = data;
  for (size_t done = 0; done < size;) {
    size_t part = size - done;
    if (is_at_fault()) {
      if (calls.fault.error == 0) part = (part + 1) / 2;
      errno = calls.fault.error;
      if (errno) return -1;
    }
    ssize_t wrote = write(descriptor, bytes + done, part);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return -1;
    done += (size_t)wrote;
  }
  return (ssize_t)size;
}

/** Write callback of the stream.  Bytes after a failure are not written. */
static ssize_t put(void *cookie, const char *data, size_t size) {
  sup_file_writer *writer = cookie;
  if (writer->error == 0 && sup_file_put(writer->descriptor, data, size) < 0) writer->error = errno;
  return writer->error ? 0 : (ssize_t)size;
}

/** 1: the path is a device or a pipe, which must not be replaced by a file. */
static bool is_special(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static sup_status open_descriptor(sup_file_writer *writer) {
  const char *path = writer->is_in_place ? writer->path : writer->temporary;
  int         flags = O_WRONLY | O_CLOEXEC | (writer->is_in_place ? 0 : O_CREAT | O_TRUNC);
  SUP_TRY(sup_malloc(&writer->buffer, SUP_FILE_ROOM));
  writer->descriptor = open(path, flags, 0666);
  if (writer->descriptor >= 0) return SUP_OK;
  return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", writer->path, strerror(errno));
}

static sup_status open_stream(sup_file_writer *writer) {
  writer->file = fopencookie(writer, "wb", (cookie_io_functions_t){.write = put});
  if (writer->file && setvbuf(writer->file, writer->buffer, _IOFBF, SUP_FILE_ROOM) == 0)
    return SUP_OK;
  return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", writer->path, strerror(errno));
}

/** Writer without an open file. */
static sup_status begin(sup_file_writer *writer, const char *path) {
  static const char ending[] = ".part";
  size_t            length = strlen(path);
  writer->file = NULL, writer->buffer = NULL, writer->descriptor = -1, writer->error = 0;
  writer->is_one_of_many = writer->is_in_place = 0, writer->used = 0;
  writer->path[0] = writer->temporary[0] = '\0';
  if (length + sizeof ending > sizeof writer->path)
    return SUP_FAIL(SUP_E_IO, "the path %.60s... is too long", path);
  memcpy(writer->path, path, length + 1);
  memcpy(writer->temporary, path, length);
  memcpy(writer->temporary + length, ending, sizeof ending);
  return SUP_OK;
}

static sup_status open_writer(sup_file_writer *writer, const char *path, bool has_stream,
                              bool is_one_of_many) {
  SUP_TRY(begin(writer, path));
  writer->is_one_of_many = is_one_of_many;
  writer->is_in_place = !is_one_of_many && is_special(path);
  if (!writer->is_in_place) sup_cleanup_add(writer->temporary);
  sup_status status = open_descriptor(writer);
  if (status == SUP_OK && has_stream) status = open_stream(writer);
  if (status != SUP_OK) sup_file_abandon(writer);
  return status;
}

sup_status sup_file_open(sup_file_writer *writer, const char *path) {
  return open_writer(writer, path, 1, 0);
}

sup_status sup_file_open_bytes(sup_file_writer *writer, const char *path, bool is_one_of_many) {
  return open_writer(writer, path, 0, is_one_of_many);
}

static void empty(sup_file_writer *writer) {
  if (writer->used > 0) (void)!put(writer, writer->buffer, writer->used);
  writer->used = 0;
}

void sup_file_add(sup_file_writer *writer, const void *bytes, size_t size) {
  if (writer->used + size > SUP_FILE_ROOM) empty(writer);
  if (size > SUP_FILE_ROOM) {
    (void)!put(writer, bytes, size);
    return;
  }
  memcpy(writer->buffer + writer->used, bytes, size);
  writer->used += size;
}

void *sup_file_reserve(sup_file_writer *writer, size_t size) {
  SUP_ASSERT(size <= SUP_FILE_ROOM);
  if (writer->used + size > SUP_FILE_ROOM) empty(writer);
  writer->used += size;
  return writer->buffer + writer->used - size;
}

/** 1: the writer is open; a zeroed writer is not. */
static bool is_open(const sup_file_writer *writer) {
  return writer->buffer && writer->descriptor >= 0;
}

/** Close the file and free the buffer.  @return errno of the first failure */
static int close_writer(sup_file_writer *writer, bool is_kept) {
  if (is_kept && is_open(writer) && !writer->file) empty(writer);
  if (writer->file && fclose(writer->file) != 0 && writer->error == 0) writer->error = errno;
  writer->file = NULL;
  if (is_open(writer)) {
    if (is_kept && writer->error == 0 && !writer->is_in_place && !writer->is_one_of_many &&
        (fails() || fsync(writer->descriptor) != 0))
      writer->error = errno;
    if (close(writer->descriptor) != 0 && writer->error == 0) writer->error = errno;
  }
  writer->descriptor = -1;
  SUP_FREE(writer->buffer);
  return writer->error;
}

sup_status sup_file_commit(sup_file_writer *writer) {
  int reason = close_writer(writer, 1);
  if (reason == 0 && !writer->is_in_place &&
      (fails() || rename(writer->temporary, writer->path) != 0))
    reason = errno;
  if (reason && !writer->is_in_place) unlink(writer->temporary);
  sup_cleanup_forget(writer->temporary);
  if (reason == 0) return SUP_OK;
  return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", writer->path, strerror(reason));
}

/** fsync of the folder that has the file. */
static int sync_folder(const char *path) {
  char        folder[sizeof((sup_file_writer *)0)->path];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  int file = open(folder[0] ? folder : "/", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  int bad = fails() || fsync(file) != 0, reason = errno;
  close(file);
  errno = reason;
  return bad;
}

sup_status sup_file_commit_durably(sup_file_writer *writer) {
  writer->is_one_of_many = 0;
  SUP_TRY(sup_file_commit(writer));
  if (writer->is_in_place || sync_folder(writer->path) == 0) return SUP_OK;
  return SUP_FAIL(SUP_E_IO, "cannot write the folder of %s: %s", writer->path, strerror(errno));
}

void sup_file_abandon(sup_file_writer *writer) {
  bool has_file = is_open(writer);
  close_writer(writer, 0);
  if (has_file && !writer->is_in_place) unlink(writer->temporary);
  sup_cleanup_forget(writer->temporary);
}

/* ---- paths ----------------------------------------------------------------------------------- */

void sup_file_print(FILE *file, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vfprintf(file, format, args);
  va_end(args);
}

sup_status sup_make_folder(const char *path) {
  char   part[4096];
  size_t length = strlen(path);
  if (length >= sizeof part) return SUP_FAIL(SUP_E_IO, "the path %.60s... is too long", path);
  for (size_t i = 1; i <= length; i++) {
    if (path[i] != '/' && path[i] != '\0') continue;
    memcpy(part, path, i);
    part[i] = '\0';
    if (mkdir(part, 0777) != 0 && errno != EEXIST)
      return SUP_FAIL(SUP_E_IO, "cannot make folder %s: %s", part, strerror(errno));
  }
  struct stat info;
  if (length && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)))
    return SUP_FAIL(SUP_E_IO, "%s is not a folder", path);
  return SUP_OK;
}

sup_status sup_path_relative_to(char *out, size_t size, const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  int         length;
  if (name[0] == '/' || !slash)
    length = snprintf(out, size, "%s", name);
  else
    length = snprintf(out, size, "%.*s/%s", (int)(slash - path), path, name);
  if (length < 0 || (size_t)length >= size)
    return SUP_FAIL(SUP_E_ARG, "the path %.60s... is too long", name);
  return SUP_OK;
}
