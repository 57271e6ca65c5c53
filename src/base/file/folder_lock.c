#define _DEFAULT_SOURCE /* flock, gethostname */
#include "base/file/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/log.h"
#include "base/text.h"

enum { NOTE_SIZE = 256, TRIES = 100 };

static sup_status lock_path(char *path, size_t size, const char *folder) {
  int length = snprintf(path, size, "%s/.lock", folder);
  if (length < 0 || (size_t)length >= size)
    return SUP_FAIL(SUP_E_IO, "the path %.60s... is too long", folder);
  return SUP_OK;
}

/** 1: the open file and the path are one file. */
static bool is_same(int file, const char *path) {
  struct stat a, b;
  return fstat(file, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

/** Fail with the owner of the folder, as the lock file names it. */
static sup_status refuse(int file, const char *folder) {
  char    note[NOTE_SIZE] = "";
  ssize_t size = pread(file, note, sizeof note - 1, 0);
  note[size > 0 ? size : 0] = '\0';
  note[strcspn(note, "\n")] = '\0';
  return SUP_FAIL(SUP_E_IO, "folder %s is in use by %s: let it end, or choose another folder (-o)",
                  folder, note[0] ? note : "another run");
}

/** Write process, host and time to the lock file, for users and messages; the lock does not depend
 * on them. */
static void sign(int file) {
  char      note[NOTE_SIZE], host[65] = "", when[32] = "";
  time_t    now = time(NULL);
  struct tm parts;
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  if (gmtime_r(&now, &parts)) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &parts);
  int length = snprintf(note, sizeof note, "process %ld on %.64s since %s\n", (long)getpid(),
                        host[0] ? host : "this machine", when);
  if (ftruncate(file, 0) != 0 || pwrite(file, note, (size_t)length, 0) != length)
    sup_log(SUP_LOG_NOTE, "the lock of a folder could not be signed: %s", strerror(errno));
}

/** *Lock the file; *is_stale := 1 if the previous owner removed the file after it was opened here.
 */
static sup_status take_file(sup_folder_lock *lock, const char *path, bool *is_stale) {
  *is_stale = 0;
  lock->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock->file < 0) return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", path, strerror(errno));
  while (flock(lock->file, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    sup_status status = SUP_OK;
    if (errno == EWOULDBLOCK)
      status = refuse(lock->file, lock->path);
    else /* some file systems of networks */
      sup_log(SUP_LOG_NOTE, "folder %s cannot be locked (%s): no other run may write into it",
              lock->path, strerror(errno));
    close(lock->file);
    lock->file = -1;
    return status;
  }
  *is_stale = !is_same(lock->file, path);
  if (*is_stale)
    close(lock->file);
  else
    sign(lock->file);
  return SUP_OK;
}

sup_status sup_folder_lock_acquire(sup_folder_lock *lock, const char *path) {
  char file[PATH_MAX];
  bool is_stale = 1;
  *lock = (sup_folder_lock){.file = -1, .folder = -1};
  SUP_TRY(sup_text_copy(lock->path, sizeof lock->path, path));
  SUP_TRY(lock_path(file, sizeof file, path));
  SUP_TRY(sup_make_folder(path));
  for (int k = 0; is_stale; k++) {
    if (k == TRIES)
      return SUP_FAIL(SUP_E_IO,
                      "folder %s cannot be locked: other runs lock and release it all the time",
                      path);
    SUP_TRY(take_file(lock, file, &is_stale));
  }
  lock->is_held = 1;
  lock->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock->folder >= 0) return SUP_OK;
  int reason = errno;
  sup_folder_lock_release(lock);
  return SUP_FAIL(SUP_E_IO, "cannot read folder %s: %s", path, strerror(reason));
}

sup_status sup_folder_lock_check(const sup_folder_lock *lock) {
  if (!lock->is_held || is_same(lock->folder, lock->path)) return SUP_OK;
  return SUP_FAIL(SUP_E_IO, "folder %s is gone: it was removed, moved or replaced during the run",
                  lock->path);
}

void sup_folder_lock_release(sup_folder_lock *lock) {
  char path[PATH_MAX];
  if (!lock->is_held) return;
  if (lock->file >= 0) { /* removed while locked: no other process can have locked this file */
    if (lock_path(path, sizeof path, lock->path) == SUP_OK && is_same(lock->file, path))
      unlink(path);
    close(lock->file);
  }
  if (lock->folder >= 0) close(lock->folder);
  lock->is_held = 0;
}
