/** The program under test: what it prints, its exit code, the files it leaves. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { APP_TEXT_SIZE = 32768 };

/** `arguments` with every FOLDER replaced by the folder of the tests. */
static inline const char *app_arguments(const char *arguments) {
  static char line[4096];
  size_t      used = 0;
  while (*arguments && used + 1 < sizeof line) {
    if (strncmp(arguments, "FOLDER", 6) == 0) {
      used += (size_t)snprintf(line + used, sizeof line - used, "%s", test_folder());
      arguments += 6;
    } else {
      line[used++] = *arguments++;
    }
  }
  CU_ASSERT_FATAL(used < sizeof line);
  line[used] = '\0';
  return line;
}

/** The program with these arguments ends with this code and says this.  Returns all that it says. */
static inline const char *check_run(const char *arguments, int code, const char *text) {
  static char out[APP_TEXT_SIZE];
  const char *line = app_arguments(arguments);
  int         actual = test_run_program(line, out, sizeof out);
  if (actual != code || !strstr(out, text))
    printf("\n    supple %s\n    gave %d: %s\n    expected %d: %s\n", line, actual, out, code, text);
  CHECK(actual == code && strstr(out, text) != NULL);
  return out;
}

static inline const char *app_program(void) {
  const char *program = getenv("SUPPLE");
  return program ? program : "build/release/supple";
}
