#include "app/script.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/study/levels.h"
#include "base/file/process.h"
#include "base/memory.h"

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

int sup_app_start_script(const char *name, int argc, char **argv) {
  char         script[SUP_STUDY_PATH_SIZE + 64];
  const char **words = NULL;
  if (!sup_app_find_script(name, script, sizeof script)) {
    fprintf(stderr,
            "supple: error: the script postproc/%s is not there: it is installed in "
            "PREFIX/share/supple\n",
            name);
    return SUP_EXIT_FILE;
  }
  sup_status status = SUP_CALLOC(words, argc + 2);
  if (status != SUP_OK) return sup_app_report(status, 0);
  words[0] = SUP_PYTHON, words[1] = script;
  for (int i = 1; i < argc; i++) words[i + 1] = argv[i];
  execv(SUP_PYTHON, (char *const *)words);
  fprintf(stderr, "supple: error: cannot run %s: %s\n", SUP_PYTHON, strerror(errno));
  SUP_FREE(words);
  return SUP_EXIT_FILE;
}

void sup_app_plot(const char *script, const char *folder, const char *picture, int quiet) {
  const double    limit = 120; /* [s] */
  char            path[SUP_STUDY_PATH_SIZE + 64], log[SUP_STUDY_PATH_SIZE];
  sup_process_end end = {.is_missing = 1};
  snprintf(log, sizeof log, "%.3900s/plot.log", folder);
  const char *const argv[] = {SUP_PYTHON, path, folder, NULL};
  int               good = sup_app_find_script(script, path, sizeof path) &&
             sup_process_run(argv, log, limit, &end) == SUP_OK && !end.is_missing &&
             !end.is_timed_out && !end.signal && end.exit_code == 0;
  if (good) unlink(log);
  if (quiet) return;
  if (good)
    fprintf(stderr, "plot: %s/%s\n", folder, picture);
  else
    fprintf(stderr, "no plot: postproc/%s failed%s%s (it needs the package python3-matplotlib)\n",
            script, access(log, R_OK) == 0 ? ", see " : "", access(log, R_OK) == 0 ? log : "");
}
