#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

sup_status sup_file_read(const char *path, char **data, size_t *size) {
  char  *buffer = NULL;
  size_t capacity = 0, used = 0;
  FILE  *file = fopen(path, "rb");
  *data = NULL, *size = 0;
  if (!file) return SUP_FAIL(SUP_E_IO, "cannot read %s: %s", path, strerror(errno));
  sup_status  status = SUP_OK;
  struct stat info; /* a regular file says its size: what grows holds up to 2.5 times as much */
  int         is_known = fstat(fileno(file), &info) == 0;
  if (is_known && !S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) { /* /dev/zero has no end */
    status = SUP_FAIL(SUP_E_IO, "cannot read %s: it is no regular file but a %s", path,
                      S_ISDIR(info.st_mode) ? "folder" : "device");
    goto fail;
  }
  if (is_known && S_ISREG(info.st_mode))
    SUP_TRY_GOTO(SUP_GROW(buffer, capacity, (size_t)info.st_size + 2), status, fail);
  for (;;) {
    if (capacity - used < 2) SUP_TRY_GOTO(SUP_GROW(buffer, capacity, used + 65536), status, fail);
    size_t got = fread(buffer + used, 1, capacity - used - 1, file);
    used += got;
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

/** Close the stream and give back its buffer.  @return 0 when what was written before reached the
 * system */
static int close_stream(sup_file_writer *writer) {
  int bad = ferror(writer->file);
  bad = fclose(writer->file) != 0 || bad;
  writer->file = NULL;
  SUP_FREE(writer->buffer);
  return bad;
}

sup_status sup_file_open(sup_file_writer *writer, const char *path) {
  enum { BUFFER_SIZE = 1 << 16 };
  int length = snprintf(writer->path, sizeof writer->path, "%s", path);
  snprintf(writer->temporary, sizeof writer->temporary, "%s.part", path);
  writer->file = NULL, writer->buffer = NULL;
  if (length < 0 || (size_t)length + 6 > sizeof writer->path)
    return SUP_FAIL(SUP_E_IO, "the path %.60s... is too long", path);
  SUP_TRY(SUP_CALLOC(writer->buffer, BUFFER_SIZE));
  writer->file = fopen(writer->temporary, "wb");
  if (writer->file && setvbuf(writer->file, writer->buffer, _IOFBF, BUFFER_SIZE) == 0)
    return SUP_OK;
  int reason = errno;
  sup_file_abandon(writer);
  return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", path, strerror(reason));
}

sup_status sup_file_commit(sup_file_writer *writer) {
  if (!close_stream(writer) && rename(writer->temporary, writer->path) == 0) return SUP_OK;
  int reason = errno;
  unlink(writer->temporary);
  return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", writer->path, strerror(reason));
}

/** fsync of the folder that has the file. */
static int sync_folder(const char *path) {
  char        folder[sizeof((sup_file_writer *)0)->path];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  int file = open(folder[0] ? folder : "/", O_RDONLY);
  if (file < 0) return -1;
  int bad = fsync(file);
  close(file);
  return bad;
}

sup_status sup_file_commit_durably(sup_file_writer *writer) {
  if (fflush(writer->file) != 0 || fsync(fileno(writer->file)) != 0) {
    int reason = errno;
    sup_file_abandon(writer);
    return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", writer->path, strerror(reason));
  }
  SUP_TRY(sup_file_commit(writer));
  if (sync_folder(writer->path) == 0) return SUP_OK;
  return SUP_FAIL(SUP_E_IO, "cannot write the folder of %s: %s", writer->path, strerror(errno));
}

void sup_file_abandon(sup_file_writer *writer) {
  if (writer->file) {
    close_stream(writer);
    unlink(writer->temporary);
  }
  SUP_FREE(writer->buffer);
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

sup_status sup_path_beside(char *out, size_t size, const char *path, const char *name) {
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
