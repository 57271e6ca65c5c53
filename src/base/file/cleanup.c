#define _DEFAULT_SOURCE /* kill, waitid, flock */
#include "base/file/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/** Capacity for paths and for processes, larger than the number at any time; further ones are not
 * registered. */
enum { MOST = 64 };
/* Names of temporary folders, which their process locks, and of nothing else. */
#define PREFIX "supple-temporary-"
#define NAME PREFIX "XXXXXX"

static struct {
  pthread_mutex_t lock;
  const char     *path[MOST];
  int             held[MOST];    /* descriptor that locks a folder; -1: none */
  long            process[MOST]; /* 0: none */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/** Replace a path with its descriptor, which is closed with the path it belongs to. */
static void replace_path(const char *from, const char *to, int held) {
  int k = 0;
  pthread_mutex_lock(&all.lock);
  while (k < MOST && all.path[k] != from) k++;
  int unused = k < MOST && from ? all.held[k] : -1;
  if (k < MOST) all.path[k] = to, all.held[k] = held;
  pthread_mutex_unlock(&all.lock);
  if (unused >= 0) close(unused);
}

static void replace_process(long from, long to) {
  int k = 0;
  pthread_mutex_lock(&all.lock);
  while (k < MOST && all.process[k] != from) k++;
  if (k < MOST) all.process[k] = to;
  pthread_mutex_unlock(&all.lock);
}

void sup_cleanup_add(const char *path) { replace_path(NULL, path, -1); }
void sup_cleanup_forget(const char *path) { replace_path(path, NULL, -1); }
void sup_cleanup_add_process(long id) { replace_process(0, id); }
void sup_cleanup_forget_process(long id) { replace_process(id, 0); }

/** Remove a file, or a folder with the files in it. */
static void remove_path(const char *path) {
  char           file[4096];
  struct dirent *entry;
  DIR           *folder = opendir(path);
  while (folder && (entry = readdir(folder)) != NULL) {
    int length = snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    if (length > 0 && (size_t)length < sizeof file) unlink(file); /* . and .. are refused */
  }
  if (folder) closedir(folder);
  (void)!remove(path);
}

/** Open and lock a folder that mkdtemp made for this user; -1: it is none, or another process has
 * it. */
static int hold(const char *path, int wait) {
  struct stat at, open_one;
  int         file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return -1;
  bool is_held = fstat(file, &open_one) == 0 && open_one.st_uid == geteuid() &&
                 (open_one.st_mode & 07777) == 0700 &&
                 (flock(file, LOCK_EX | (wait ? 0 : LOCK_NB)) == 0 || wait) &&
                 stat(path, &at) == 0 && at.st_ino == open_one.st_ino &&
                 at.st_dev == open_one.st_dev;
  if (is_held) return file;
  close(file);
  return -1;
}

/** Remove folders that killed processes have left: nobody holds their locks. */
static void remove_left(const char *root) {
  char           path[4096];
  struct dirent *entry;
  DIR           *folder = opendir(root);
  while (folder && (entry = readdir(folder)) != NULL) {
    int length = snprintf(path, sizeof path, "%s/%s", root, entry->d_name);
    if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0 ||
        strlen(entry->d_name) != sizeof NAME - 1 || length < 0 || (size_t)length >= sizeof path)
      continue;
    int file = hold(path, 0);
    if (file < 0) continue;
    remove_path(path);
    close(file);
  }
  if (folder) closedir(folder);
}

sup_status sup_temporary_folder(char *path, size_t size) {
  const char *root = getenv("TMPDIR");
  if (!root || !*root) root = "/tmp";
  int file;
  remove_left(root);
  do {
    int length = snprintf(path, size, "%s/" NAME, root);
    if (length < 0 || (size_t)length >= size)
      return SUP_FAIL(SUP_E_IO, "the path of TMPDIR is too long: %.60s ...", root);
    if (!mkdtemp(path))
      return SUP_FAIL(SUP_E_IO, "cannot make a folder in %s: %s", root, strerror(errno));
    file = hold(path, 1);
  } while (file < 0 && access(path, F_OK) != 0); /* another process removed it before the lock */
  replace_path(NULL, path, file);
  return SUP_OK;
}

void sup_temporary_folder_remove(const char *path) {
  remove_path(path);
  sup_cleanup_forget(path);
}

void sup_cleanup_run(void) {
  pthread_mutex_lock(&all.lock); /* for ever */
  for (int k = 0; k < MOST; k++)
    if (all.process[k]) kill((pid_t)all.process[k], SIGKILL);
  for (int k = 0; k < MOST;
       k++) /* the process id stays valid until the waiting thread has collected it */
    if (all.process[k]) {
      siginfo_t info;
      waitid(P_PID, (id_t)all.process[k], &info, WEXITED | WNOWAIT);
    }
  for (int k = 0; k < MOST; k++)
    if (all.path[k]) remove_path(all.path[k]);
}
