#define _DEFAULT_SOURCE /* kill, waitid */
#include "base/file/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/** Capacity for paths and for processes, larger than the number at any time; further ones are not
 * registered. */
enum { MOST = 64 };

static struct {
  pthread_mutex_t lock;
  const char     *path[MOST];
  long            process[MOST]; /* 0: none */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void replace_path(const char *from, const char *to) {
  int k = 0;
  pthread_mutex_lock(&all.lock);
  while (k < MOST && all.path[k] != from) k++;
  if (k < MOST) all.path[k] = to;
  pthread_mutex_unlock(&all.lock);
}

static void replace_process(long from, long to) {
  int k = 0;
  pthread_mutex_lock(&all.lock);
  while (k < MOST && all.process[k] != from) k++;
  if (k < MOST) all.process[k] = to;
  pthread_mutex_unlock(&all.lock);
}

void sup_cleanup_add(const char *path) { replace_path(NULL, path); }
void sup_cleanup_forget(const char *path) { replace_path(path, NULL); }
void sup_cleanup_add_process(long id) { replace_process(0, id); }
void sup_cleanup_forget_process(long id) { replace_process(id, 0); }

sup_status sup_temporary_folder(char *path, size_t size) {
  const char *root = getenv("TMPDIR");
  if (!root || !*root) root = "/tmp";
  int length = snprintf(path, size, "%s/supple-XXXXXX", root);
  if (length < 0 || (size_t)length >= size)
    return SUP_FAIL(SUP_E_IO, "the path of TMPDIR is too long: %.60s ...", root);
  if (!mkdtemp(path))
    return SUP_FAIL(SUP_E_IO, "cannot make a folder in %s: %s", root, strerror(errno));
  sup_cleanup_add(path);
  return SUP_OK;
}

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
