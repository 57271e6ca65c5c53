#include "base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/timer.h"

extern char **environ;

static int spawn(pid_t *child, const char *const *argv, const char *output) {
  posix_spawn_file_actions_t actions;
  int                        error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!error)
    error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  /* posix_spawnp promises not to change its arguments */
  if (!error) error = posix_spawnp(child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/** Wait, looking ever less often: short runs return at once, long ones cost nothing. */
static int wait_for(pid_t child, double limit, int *state) {
  double until = sup_wall_time() + limit;
  long   pause = 200000; /* [ns] */
  for (;;) {
    pid_t got = waitpid(child, state, WNOHANG);
    if (got == child) return 1;
    if (got < 0 && errno != EINTR) return 0;
    if (sup_wall_time() > until) return 0;
    nanosleep(&(struct timespec){0, pause}, NULL);
    if (pause < 20000000) pause *= 2;
  }
}

sup_status sup_process_run(const char *const *argv, const char *output, double limit, sup_process_end *end) {
  pid_t child;
  int   state = 0, error = spawn(&child, argv, output);
  *end = (sup_process_end){.is_missing = error == ENOENT};
  if (end->is_missing) return SUP_OK;
  if (error) return SUP_FAIL(SUP_E_IO, "cannot run %s: %s", argv[0], strerror(error));
  if (!wait_for(child, limit, &state)) {
    kill(child, SIGKILL);
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) continue;
    end->is_timed_out = 1;
    return SUP_OK;
  }
  if (WIFSIGNALED(state)) end->signal = WTERMSIG(state);
  if (WIFEXITED(state)) end->exit_code = WEXITSTATUS(state);
  return SUP_OK;
}

sup_status sup_temporary_folder(char *path, size_t size) {
  const char *root = getenv("TMPDIR");
  if (!root || !*root) root = "/tmp";
  int length = snprintf(path, size, "%s/supple-XXXXXX", root);
  if (length < 0 || (size_t)length >= size)
    return SUP_FAIL(SUP_E_IO, "the path of TMPDIR is too long: %.60s ...", root);
  if (!mkdtemp(path)) return SUP_FAIL(SUP_E_IO, "cannot make a folder in %s: %s", root, strerror(errno));
  return SUP_OK;
}

void sup_temporary_folder_remove(const char *path) {
  char           file[4096];
  struct dirent *entry;
  DIR           *folder = opendir(path);
  while (folder && (entry = readdir(folder)) != NULL) {
    int length = snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    if (length > 0 && (size_t)length < sizeof file) unlink(file); /* . and .. are refused */
  }
  if (folder) closedir(folder);
  rmdir(path);
}
