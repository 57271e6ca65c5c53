#define _DEFAULT_SOURCE /* wait4 */
#include "base/file/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file/cleanup.h"
#include "base/timer.h"

/** Set up a child: input and output of a line, or empty input and all output into one file; end
 * with the parent.
 *  @return errno of the failure */
static int settle(const char *output, int line) {
  int in = line < 0 ? open("/dev/null", O_RDONLY) : line,
      out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600), error = 0;
  if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 ||
      dup2(line < 0 ? out : line, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
    error = errno;
  if (in > STDERR_FILENO) close(in);
  if (out > STDERR_FILENO) close(out);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return error;
}

/** The new process becomes the program; errors are sent through the pipe `report`, which closes
 * otherwise. */
static _Noreturn void become(const char *const *argv, const char *output, int line, pid_t parent,
                             int report) {
  int error = settle(output, line);
  signal(SIGPIPE, SIG_DFL), signal(SIGXFSZ, SIG_DFL); /* restore signals that the command ignores */
  if (!error && getppid() == parent) {
    execvp(argv[0], (char *const *)(uintptr_t)argv); /* promises not to change its arguments */
    error = errno;
  }
  ssize_t told = write(report, &error, sizeof error);
  _exit(told == sizeof error ? 0 : 127);
}

/** *error: errno of the failed start. */
static pid_t start(const char *const *argv, const char *output, int line, int *error) {
  int   report[2];
  pid_t parent = getpid();
  *error = 0;
  if (pipe(report) != 0) {
    *error = errno;
    return 0;
  }
  fcntl(report[0], F_SETFD, FD_CLOEXEC);
  fcntl(report[1], F_SETFD, FD_CLOEXEC);
  pid_t child = fork();
  if (child == 0) become(argv, output, line, parent, report[1]);
  if (child < 0) *error = errno;
  close(report[1]);
  while (child > 0 && read(report[0], error, sizeof *error) < 0 && errno == EINTR) continue;
  close(report[0]);
  while (child > 0 && *error && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  return *error ? 0 : child;
}

static sup_status start_on(const char *const *argv, const char *output, int line, long *id) {
  int error;
  *id = start(argv, output, line, &error);
  if (error && error != ENOENT)
    return SUP_FAIL(SUP_E_IO, "cannot run %s: %s", argv[0], strerror(error));
  return SUP_OK;
}

sup_status sup_process_start(const char *const *argv, const char *output, long *id) {
  return start_on(argv, output, -1, id);
}

sup_status sup_process_connect(const char *const *argv, const char *errors, long *id, int *line) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return SUP_FAIL(SUP_E_IO, "cannot connect to %s: %s", argv[0], strerror(errno));
  sup_status status = start_on(argv, errors, ends[1], id);
  close(ends[1]);
  *line = ends[0];
  if (status != SUP_OK) close(ends[0]);
  return status;
}

sup_status sup_process_fork(int (*run)(void *user), void *user, const char *output, long *id) {
  pid_t parent = getpid();
  fflush(NULL); /* flush output before the fork, so that it is printed once */
  pid_t child = fork();
  *id = child;
  if (child < 0) return SUP_FAIL(SUP_E_IO, "cannot start a process: %s", strerror(errno));
  if (child > 0) return SUP_OK;
  int code = settle(output, -1) == 0 && getppid() == parent ? run(user) : 127;
  fflush(NULL);
  _exit(code);
}

int sup_process_poll(long id, sup_process_end *end) {
  struct rusage usage = {0};
  int           state = 0;
  pid_t         got = wait4((pid_t)id, &state, WNOHANG, &usage);
  if (got == 0 || (got < 0 && errno == EINTR)) return 0;
  *end = (sup_process_end){.exit_code = 127}; /* the child was already collected by another call */
  if (got < 0) return 1;
  *end = (sup_process_end){.peak_bytes = 1024.0 * (double)usage.ru_maxrss};
  if (WIFSIGNALED(state)) end->signal = WTERMSIG(state);
  if (WIFEXITED(state)) end->exit_code = WEXITSTATUS(state);
  return 1;
}

void sup_process_wait(double seconds) {
  const double    whole = floor(seconds);
  struct timespec most = {(time_t)whole, (long)(1e9 * (seconds - whole))};
  siginfo_t       info = {.si_pid = 0};
  sigset_t        child, before;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &child,
                  &before); /* a child that ends from now on keeps its signal pending */
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
    sigtimedwait(&child, NULL, &most);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void sup_process_stop(long id, int at_once) { kill((pid_t)id, at_once ? SIGKILL : SIGTERM); }

/** Poll with increasing intervals: short runs return quickly, long runs cost little. */
sup_status sup_process_run(const char *const *argv, const char *output, double limit,
                           sup_process_end *end) {
  double until = sup_wall_time() + limit;
  long   id, pause = 200000; /* [ns] */
  bool   is_late = 0;
  *end = (sup_process_end){0};
  SUP_TRY(sup_process_start(argv, output, &id));
  end->is_missing = id == 0;
  if (id) sup_cleanup_add_process(id);
  while (id && !sup_process_poll(id, end)) {
    if (!is_late && sup_wall_time() > until) is_late = 1, sup_process_stop(id, 1);
    nanosleep(&(struct timespec){0, pause}, NULL);
    if (pause < 20000000) pause *= 2;
  }
  if (id) sup_cleanup_forget_process(id);
  if (is_late) *end = (sup_process_end){.is_timed_out = 1, .peak_bytes = end->peak_bytes};
  return SUP_OK;
}

double sup_process_peak(void) {
  char          line[256];
  double        kilobytes = 0;
  struct rusage usage;
  FILE         *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %lf kB", &kilobytes) == 1) break;
  if (file) fclose(file);
  if (kilobytes > 0) return 1024 * kilobytes;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0;
}

void sup_process_forget_peak(void) {
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (!file) return;
  fputs("5\n", file);
  fclose(file);
}

int sup_program_path(char *path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  path[length > 0 ? length : 0] = '\0';
  return length > 0;
}

int sup_program_folder(char *folder, size_t size) {
  bool  is_known = sup_program_path(folder, size);
  char *end = strrchr(folder, '/');
  if (end) *end = '\0';
  return is_known && end;
}
