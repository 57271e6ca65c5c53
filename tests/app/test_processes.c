/* Runs in a hostile system: streams that are closed, disks that are full, other runs, signals. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/app_test.h"
#include "base/file/file.h"
#include "base/memory.h"

/** A command of the shell in which SUPPLE is the program and FOLDER the folder of the tests; stderr
 * is what `out` gets.  Its exit code. */
static int shell(const char *command, char *out, size_t size) {
  char        line[4096];
  const char *rest = app_arguments(command);
  size_t      used = 0;
  for (const char *at; (at = strstr(rest, "SUPPLE")) != NULL; rest = at + 6)
    used += (size_t)snprintf(line + used, sizeof line - used, "%.*s'%s'", (int)(at - rest), rest,
                             app_program());
  snprintf(line + used, sizeof line - used, "%s", rest);
  FILE *pipe = popen(line, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
  size_t got = fread(out, 1, size - 1, pipe);
  out[got] = '\0';
  int state = pclose(pipe);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
}

/** Check that a command of the shell ends with this code and prints this text. */
static void check_shell(const char *command, int code, const char *text) {
  static char out[APP_TEXT_SIZE];
  int         actual = shell(command, out, sizeof out);
  if (actual != code || !strstr(out, text))
    printf("\n    %s\n    gave %d: %s\n    expected %d: %s\n", command, actual, out, code, text);
  CHECK(actual == code && strstr(out, text) != NULL);
}

#define DROP "tests/data/scene/drop.yaml"

static void read_history(const char *folder, char **text) {
  char   path[512];
  size_t size;
  snprintf(path, sizeof path, "%s/%s/history.csv", test_folder(), folder);
  OK(sup_file_read(path, text, &size));
}

/* Files of a run must not get the numbers of closed streams, into which the log goes. */
static void closed_streams_change_no_file(void) {
  static const char *const closed[] = {"", "<&-", ">&-", "2>&-", "<&- >&- 2>&-"};
  char                    *first = NULL, *text = NULL, command[512];
  for (int i = 0; i < 5; i++) {
    snprintf(command, sizeof command, "SUPPLE run " DROP " -o FOLDER/proc_closed 2>&1 %s",
             closed[i]);
    check_shell(command, 0, "");
    read_history("proc_closed", i ? &text : &first);
    if (i) CHECK(strcmp(first, text) == 0);
    SUP_FREE(text);
  }
  SUP_FREE(first);
}

static void output_that_cannot_be_printed_is_an_error(void) {
  static const char *const commands[] = {
      "help",        "help scene", "version", "mesh info examples/coin.obj", "run " DROP " --check",
      "help columns"};
  char command[512];
  for (int i = 0; i < 6; i++) {
    snprintf(command, sizeof command, "SUPPLE %s 2>&1 >/dev/full", commands[i]);
    check_shell(command, 3, "error: cannot write standard output");
    snprintf(command, sizeof command, "SUPPLE %s 2>&1 >&-", commands[i]);
    check_shell(command, 3, "error: cannot write standard output");
  }
  /* nobody listens: the run does not care */
  check_shell("SUPPLE run " DROP " -o FOLDER/proc_full 2>/dev/full", 0, "");
}

static void a_limit_of_the_size_of_files_is_an_error(void) {
  check_shell("(ulimit -f 8; SUPPLE run " DROP " -q -o FOLDER/proc_limit) 2>&1", 3,
              "File too large");
  char *text = NULL;
  read_history("proc_limit", &text);
  CHECK(text[0] == '\0' || text[strlen(text) - 1] == '\n');
  SUP_FREE(text);
}

/** Wait until a file is there. */
static void wait_for(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  for (int k = 0; k < 3000 && access(path, F_OK) != 0; k++)
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  CHECK(access(path, F_OK) == 0);
}

static int end_of(long id) {
  sup_process_end end;
  while (!sup_process_poll(id, &end)) nanosleep(&(struct timespec){0, 5000000}, NULL);
  return end.signal ? -end.signal : end.exit_code;
}

static long start_long_run(const char *name) {
  char              folder[512], log[520];
  const char *const argv[] = {app_program(), "run",   DROP,          "-q", "-o",
                              folder,        "--set", "time.end=20", NULL};
  snprintf(folder, sizeof folder, "%s/%s", test_folder(), name);
  snprintf(log, sizeof log, "%s.log", folder);
  return app_start(argv, log);
}

static void a_second_run_into_a_folder_names_the_first(void) {
  char who[64];
  long id = start_long_run("proc_taken");
  wait_for("proc_taken/vtk/rigid_0002.vtk");
  snprintf(who, sizeof who, "proc_taken is in use by process %ld on ", id);
  check_run("run " DROP " -q -o FOLDER/proc_taken", 3, who);
  kill((pid_t)id, SIGKILL);
  CHECK(end_of(id) == -SIGKILL);
  check_run("run " DROP " -q -o FOLDER/proc_taken", 0, ""); /* what was killed holds nothing */
}

/** Number of times that the log of a run has this text. */
static int count_in_log(const char *name, const char *text) {
  char *log = app_read_file(".", name);
  int   count = 0;
  for (const char *at = log; (at = strstr(at, text)) != NULL; at++) count++;
  SUP_FREE(log);
  return count;
}

static void a_folder_that_vanishes_ends_the_run(void) {
  static const char *const how[] = {"rm -r", "mv -t FOLDER/proc_elsewhere"};
  char                     command[512], out[64];
  for (int i = 0; i < 2; i++) {
    long id = start_long_run("proc_gone");
    wait_for("proc_gone/vtk/rigid_0002.vtk");
    snprintf(command, sizeof command,
             "mkdir -p FOLDER/proc_elsewhere; for k in 1 2 3 4 5 6 7 8 9; do %s FOLDER/proc_gone "
             "&& break; "
             "done 2>/dev/null",
             how[i]);
    shell(command, out, sizeof out);
    CHECK(end_of(id) == 3);
    CHECK(count_in_log("proc_gone.log", "supple: error: ") > 0); /* of the folder or a file in it */
    CHECK(count_in_log("proc_gone.log", "proc_gone is gone: it was removed") <= 1);
  }
}

/* METIS takes SIGTERM for a failure of its own; reading and building have nothing to complete. */
static void a_signal_at_any_moment_ends_with_code_4(void) {
  char              folder[512];
  const char *const argv[] = {app_program(), "run", "tests/data/scene/dissected.yaml", "-q", "-o",
                              folder,        NULL};
  int               numbers[] = {SIGTERM, SIGINT};
  snprintf(folder, sizeof folder, "%s/proc_signal", test_folder());
  for (int k = 0; k < 12; k++) {
    long id = app_start(argv, "/dev/null");
    app_wait_for_handler(id, SIGHUP);
    nanosleep(&(struct timespec){0, 40000000 * k}, NULL);
    kill((pid_t)id, numbers[k % 2]);
    int code = end_of(id);
    if (code != 4) printf("\n    signal %d after %d ms: %d\n", numbers[k % 2], 40 * k, code);
    CHECK(code == 4);
  }
}

/* Reading waits as long as nobody writes; nothing is there to complete yet. */
static void a_pipe_without_a_writer_waits_until_a_signal(void) {
  char path[512], folder[512];
  snprintf(path, sizeof path, "%s/proc_pipe.yaml", test_folder());
  snprintf(folder, sizeof folder, "%s/proc_pipe", test_folder());
  CHECK(mkfifo(path, 0600) == 0);
  static const char *const command[] = {"run", "static", "run", "converge", "sweep"};
  for (size_t k = 0; k < sizeof command / sizeof *command; k++) {
    const char *const argv[] = {app_program(), command[k], path, "-o", folder, NULL};
    int               writer = -1;
    long              id = app_start(argv, "/dev/null");
    app_wait_for_handler(id, SIGHUP);
    if (k == 2) /* there is one, and it says nothing */
      while ((writer = open(path, O_WRONLY | O_NONBLOCK)) < 0)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    kill((pid_t)id, SIGTERM);
    alarm(60); /* rather than wait forever */
    CHECK(end_of(id) == 4);
    alarm(0);
    if (writer >= 0) close(writer);
  }
  CHECK(access(folder, F_OK) != 0);
}

/** Number of files and folders in a folder whose names begin with these letters. */
static int count_files(const char *folder, const char *prefix) {
  int            count = 0;
  struct dirent *entry;
  DIR           *handle = opendir(folder);
  while (handle && (entry = readdir(handle)) != NULL)
    count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
  if (handle) closedir(handle);
  return count;
}

/** A command is hit by signals, later each time by more until it is through: it ends with code 4,
 * or 0, and its file is not there, or is the one that it writes undisturbed.  @return how often it
 * was hit in time */
static int hit(const char *const *argv, const char *output, const char *whole) {
  static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
  int              hits = 0, code = 4;
  const char      *name = strrchr(output, '/') + 1;
  long             pause = 100000; /* [ns] */
  for (int k = 0; k < 60 && code != 0; k++, pause += pause / 3) {
    unlink(output);
    long id = app_start(argv, "/dev/null");
    app_wait_for_handler(id, SIGHUP);
    nanosleep(&(struct timespec){pause / 1000000000, pause % 1000000000}, NULL);
    kill((pid_t)id, numbers[k % 3]);
    code = end_of(id);
    if (code != 4 && code != 0) printf("\n    %s %s: %d\n", argv[1], argv[2], code);
    CHECK(code == 4 || code == 0);
    hits += code == 4;
    int  files = count_files(test_folder(), name);
    char command[1200];
    snprintf(command, sizeof command, "cmp -s '%s' '%s'", output, whole);
    CHECK(files == 0 || (files == 1 && system(command) == 0));
  }
  CHECK(code == 0);
  return hits;
}

/* They write at their end, and have nothing to complete: no part of a file stays, no folder of
 * TetGen's or Gmsh's, and nobody else's programs. */
static void signals_end_other_commands_at_once_and_cleanly(void) {
  static const char *const words[][8] = {
      {"mesh", "box", "--size", "1m,1m,1m", "--cells", "60,60,60"},
      {"mesh", "refine", "meshes/finray_h8.vtk", "--levels", "2"},
      {"mesh", "tetrahedralize", "examples/coin.obj", "--resolution", "1mm"},
      {"export", "examples/soft_cube_drop.yaml", "--step", "20"},
      {"contact", "examples/incline_contact.npz", "--tolerance", "1e-14"}};
  static const char *const ending[] = {"vtk", "vtk", "vtk", "npz", "csv"};
  char                     output[300], whole[300], folder[300];
  snprintf(folder, sizeof folder, "%s/hit_temporary", test_folder());
  CHECK(mkdir(folder, 0777) == 0 || errno == EEXIST);
  const char *before = getenv("TMPDIR");
  setenv("TMPDIR", folder, 1);
  int is_there = system("tetgen -h >/dev/null 2>&1") == 0;
  for (int c = 0; c < 5; c++) {
    const char *argv[12] = {app_program()};
    int         argc = 1;
    if (c == 2 && !is_there) continue;
    while (words[c][argc - 1]) argv[argc] = words[c][argc - 1], argc++;
    snprintf(output, sizeof output, "%s/hit_%d.%s", test_folder(), c, ending[c]);
    snprintf(whole, sizeof whole, "%s/whole_%d.%s", test_folder(), c, ending[c]);
    argv[argc] = "-o", argv[argc + 1] = whole;
    CHECK(end_of(app_start(argv, "/dev/null")) == 0);
    argv[argc + 1] = output;
    CHECK(hit(argv, output, whole) > 2);
  }
  CHECK(count_files(folder, "supple") == 0);
  if (before)
    setenv("TMPDIR", before, 1);
  else
    unsetenv("TMPDIR");
}

static void a_second_ctrl_c_ends_at_once_with_code_4(void) {
  char              folder[512];
  const char *const argv[] = {app_program(), "static", "examples/finray_stiffness.yaml", "-q", "-o",
                              folder,        NULL};
  snprintf(folder, sizeof folder, "%s/proc_twice", test_folder());
  long id = app_start(argv, "/dev/null");
  app_wait_for_handler(id, SIGHUP);
  kill((pid_t)id, SIGINT);
  nanosleep(&(struct timespec){0, 20000000}, NULL); /* two that wait are one */
  kill((pid_t)id, SIGINT);
  CHECK(end_of(id) == 4);
}

SUITE_TESTS(processes, TEST(closed_streams_change_no_file),
            TEST(output_that_cannot_be_printed_is_an_error),
            TEST(a_limit_of_the_size_of_files_is_an_error),
            TEST(a_second_run_into_a_folder_names_the_first),
            TEST(a_folder_that_vanishes_ends_the_run),
            TEST(a_signal_at_any_moment_ends_with_code_4),
            TEST(a_pipe_without_a_writer_waits_until_a_signal),
            TEST(signals_end_other_commands_at_once_and_cleanly),
            TEST(a_second_ctrl_c_ends_at_once_with_code_4));
