#include "app/script.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/levels.h"

int sup_app_find_script(const char *name, char *path, size_t size) {
  static const char *const places[] = {"../share/supple/postproc", "../../postproc"};
  char                     program[SUP_STUDY_PATH_SIZE];
  if (sup_app_find_program(program)) {
    int folder = (int)(strrchr(program, '/') - program);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
      snprintf(path, size, "%.*s/%s/%s", folder, program, places[i], name);
      if (access(path, R_OK) == 0) return 1;
    }
  }
  snprintf(path, size, "postproc/%s", name);
  return access(path, R_OK) == 0;
}
