/* Use of the files of `make install` from outside: C, C++, Python (tests/app/library.sh). */
#include <string.h>
#include <unistd.h>

#include "app_test.h"

static void installed_files_serve_others(void) {
#ifdef SUP_SANITIZED
  SKIP("libraries with a sanitizer serve only programs that have it; ");
#else
  char        command[2048], build[512];
  const char *program = app_program(), *slash = strrchr(program, '/');
  if (access("/usr/bin/python3", X_OK) != 0 || system("command -v pkg-config >/dev/null") != 0)
    SKIP("python3 or pkg-config is not installed; ");
  snprintf(build, sizeof build, "%.*s", (int)(slash - program), program);
  snprintf(command, sizeof command,
           "sh tests/app/library.sh %s %s $PWD/tests/app/library.py >%s/library.txt 2>&1 || "
           "{ cat %s/library.txt; exit 1; }",
           build, test_folder(), test_folder(), test_folder());
  CHECK(system(command) == 0);
#endif
}

SUITE_TESTS(library, TEST(installed_files_serve_others));
