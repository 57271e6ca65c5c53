/** Tests on several ranks: a test starts itself again under mpiexec, where it does what it claims;
 * what the ranks print is shown when they fail.  Skipped without mpiexec or PETSc's plug-in. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "la/linear_solver.h"
#include "test.h"

enum { TEST_NUM_RANKS = 2 };
/* Memory that Open MPI keeps to its end is no leak of ours; all else that the sanitizer sees
 * counts. */
#ifdef __SANITIZE_ADDRESS__
#define TEST_SANITIZER_OPTIONS "ASAN_OPTIONS=detect_leaks=0 "
#else
#define TEST_SANITIZER_OPTIONS ""
#endif
/* Environment without what is not needed: MPI that runs in this process has left its own in it. */
#define TEST_MPI_ENVIRONMENT                                                         \
  "env -i PATH=\"$PATH\" HOME=\"$HOME\" SUPPLE=\"${SUPPLE:-build/release/supple}\" " \
  "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 " TEST_SANITIZER_OPTIONS
#define TEST_MPIEXEC \
  TEST_MPI_ENVIRONMENT "mpiexec -n 2 --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 "

static inline int test_is_under_mpiexec(void) {
  const char *size = getenv("OMPI_COMM_WORLD_SIZE");
  return size && atoi(size) > 1;
}

/* Clang's sanitizers, that of threads among them, take libraries that were built without for
 * errors.
 */
#if defined SUP_SANITIZED && !defined __SANITIZE_ADDRESS__
#define NEED_RANKS SKIP("ranks are tried with gcc's address sanitizer alone; ")
#else
#define NEED_RANKS                                                                    \
  if (system("command -v mpiexec >/dev/null 2>&1") != 0) SKIP("there is no mpiexec"); \
  NEED_PETSC
#endif

/** SUITE.TEST on all ranks; what rank 0 prints after "= " is printed again. */
static inline void test_start_again(const char *test) {
  char    program[4096], command[8192], line[1024];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = '\0';
  snprintf(command, sizeof command, TEST_MPIEXEC "'%s' %s > '%s/%s.log' 2>&1", program, test,
           test_folder(), test);
  int code = system(command);
  CHECK(code == 0);
  snprintf(command, sizeof command, "%s/%s.log", test_folder(), test);
  FILE *log = fopen(command, "r");
  while (log && fgets(line, sizeof line, log)) {
    const char *told = strstr(line, "= ");
    if (code != 0)
      printf("%s", line);
    else if (told == line)
      printf("\n    %.*s ", (int)strcspn(told + 2, "\n"), told + 2);
  }
  if (log) fclose(log);
}

/** Each rank does the rest; c is the table of all. */
#define ON_RANKS(test)            \
  if (!test_is_under_mpiexec()) { \
    NEED_RANKS;                   \
    test_start_again(test);       \
    return;                       \
  }                               \
  const sup_collective *c;        \
  OK(sup_ranks_start(&c));        \
  CHECK(c->size == TEST_NUM_RANKS && c->rank >= 0 && c->rank < c->size)
