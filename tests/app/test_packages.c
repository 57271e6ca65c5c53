/* `make deb` and `make dist` (tests/app/packages.sh). */
#include <string.h>

#include "app_test.h"

static void packages_have_what_they_say(void) {
#ifdef SUP_SANITIZED
  SKIP("libraries with a sanitizer are not packaged; ");
#else
  char        command[2048], build[512];
  const char *program = app_program(), *slash = strrchr(program, '/');
  if (system("command -v dpkg-shlibdeps >/dev/null") != 0) SKIP("dpkg-dev is not installed; ");
  snprintf(build, sizeof build, "%.*s", (int)(slash - program), program);
  snprintf(command, sizeof command,
           "sh tests/app/packages.sh %s %s >%s/packages.txt 2>&1 || { cat %s/packages.txt; exit 1; "
           "}",
           build, test_folder(), test_folder(), test_folder());
  CHECK(system(command) == 0);
#endif
}

SUITE_TESTS(packages, TEST(packages_have_what_they_say));
