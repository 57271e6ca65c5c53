/** Commands of the shell with the program under mpiexec: what they print, how they end, how long
 * they take. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "app/app_test.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "base/timer.h"
#include "ranks/ranks_test.h"

#define MPIEXEC                                           \
  TEST_MPI_ENVIRONMENT                                    \
  "mpiexec --quiet --oversubscribe --bind-to none --mca " \
  "mpi_yield_when_idle 1 "

static double mpiexec_seconds; /* that the last command took */

/** Output of a command of the shell, in which PROGRAM and FOLDER are replaced; *code is its exit
 * code. */
static inline const char *shell(const char *format, int *code) {
  static char text[APP_TEXT_SIZE];
  char        line[8192] = "{ ", path[600];
  size_t      used = 2;
  for (const char *c = app_arguments(format); *c;) {
    int is_program = strncmp(c, "PROGRAM", 7) == 0;
    used += (size_t)snprintf(line + used, sizeof line - used, "%.*s",
                             is_program ? (int)strlen(app_program()) : 1,
                             is_program ? app_program() : c);
    c += is_program ? 7 : 1;
  }
  snprintf(path, sizeof path, "%s/shell.log", test_folder());
  snprintf(line + used, sizeof line - used, "; } > '%s' 2>&1", path);
  double start = sup_wall_time();
  int    status = system(line);
  mpiexec_seconds = sup_wall_time() - start;
  *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  char  *data = NULL;
  size_t size;
  OK(sup_file_read(path, &data, &size));
  snprintf(text, sizeof text, "%s", data);
  SUP_FREE(data);
  return text;
}

static inline int count_of(const char *text, const char *word) {
  int n = 0;
  for (; (text = strstr(text, word)) != NULL; text++) n++;
  return n;
}

/** The command ends with this code, and says so once (NULL: whatever it says). */
static inline void check_shell(const char *command, int code, const char *said) {
  int         actual;
  const char *text = shell(command, &actual);
  int         is_right = actual == code && (!said || count_of(text, said) == 1);
  if (!is_right)
    printf("\n    %s\n    gave %d: %s\n    expected %d and once: %s\n", command, actual, text, code,
           said ? said : "(anything)");
  CHECK(is_right);
}
