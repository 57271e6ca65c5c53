/** The program under test: what it prints, its exit code, the files it leaves. */
#pragma once

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/process.h"
#include "base/memory.h"
#include "test.h"

enum { APP_TEXT_SIZE = 131072 };

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

/** The program with these arguments ends with this code and says this.  Returns all that it says.
 */
static inline const char *check_run(const char *arguments, int code, const char *text) {
  static char out[APP_TEXT_SIZE];
  const char *line = app_arguments(arguments);
  int         actual = test_run_program(line, out, sizeof out);
  if (actual != code || !strstr(out, text))
    printf("\n    supple %s\n    gave %d: %s\n    expected %d: %s\n", line, actual, out, code,
           text);
  CHECK(actual == code && strstr(out, text) != NULL);
  return out;
}

/** A file of the tests' folder with this text. */
static inline void app_write_file(const char *name, const char *text) {
  char path[600];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  CHECK(fputs(text, file) >= 0);
  CHECK(fclose(file) == 0);
}

/** Contents of a file in a folder of the tests' folder, "." being the tests' folder; freed by
 * SUP_FREE. */
static inline char *app_read_file(const char *folder, const char *name) {
  char   path[600], *data = NULL;
  size_t size;
  snprintf(path, sizeof path, "%s/%s/%s", test_folder(), folder, name);
  OK(sup_file_read(path, &data, &size));
  CU_ASSERT_PTR_NOT_NULL_FATAL(data);
  return data;
}

static inline int app_exists(const char *folder, const char *name) {
  char path[600];
  snprintf(path, sizeof path, "%s/%s/%s", test_folder(), folder, name);
  return access(path, F_OK) == 0;
}

static inline const char *app_program(void) {
  const char *program = getenv("SUPPLE");
  return program ? program : "build/release/supple";
}

enum { APP_NUM_SIGNALS = 3 };
static const int app_signals[APP_NUM_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

/** Restore the default action of signals that end a run: nohup and shells without job control start
 * processes that ignore them. */
static inline void app_heed_signals(void) {
  for (int i = 0; i < APP_NUM_SIGNALS; i++) signal(app_signals[i], SIG_DFL);
}

/** Wait until the program catches this signal: what comes before its first lines ends it anyhow. */
static inline void app_wait_for_handler(long id, int number) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%ld/status", id);
  for (int k = 0; k < 20000; k++) {
    unsigned long caught = 0;
    FILE         *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
      if (sscanf(line, "SigCgt: %lx", &caught) == 1) break;
    if (file) fclose(file);
    if (caught >> (number - 1) & 1) return;
    nanosleep(&(struct timespec){0, 500000}, NULL);
  }
  CU_FAIL("the program does not catch the signal");
}

/** sup_process_start of a program that heeds signals. */
static inline long app_start(const char *const *argv, const char *output) {
  void (*before[APP_NUM_SIGNALS])(int);
  long id;
  for (int i = 0; i < APP_NUM_SIGNALS; i++) before[i] = signal(app_signals[i], SIG_DFL);
  sup_status status = sup_process_start(argv, output, &id);
  for (int i = 0; i < APP_NUM_SIGNALS; i++) signal(app_signals[i], before[i]);
  OK(status);
  return id;
}

/** Column of the last row of a run's history. */
static inline double app_last_value(const char *run, const char *column) {
  char   path[512], *data, *name;
  size_t size;
  int    index = 0;
  snprintf(path, sizeof path, "%s/%s/history.csv", test_folder(), run);
  OK(sup_file_read(path, &data, &size));
  char *end = data + strcspn(data, "\n");
  *end = '\0';
  for (name = strtok(data, ","); name && strcmp(name, column) != 0; name = strtok(NULL, ","))
    index++;
  if (!name) printf("\n    no column %s", column);
  CU_ASSERT_PTR_NOT_NULL_FATAL(name);
  char *row = end + 1;
  for (char *next; (next = strchr(row, '\n')) != NULL && next[1];) row = next + 1;
  for (; index > 0; index--) row = strchr(row, ',') + 1;
  double value = strtod(row, NULL);
  SUP_FREE(data);
  return value;
}

/** A file is the same, byte by byte, in two folders of the tests' folder. */
static inline void app_check_same(const char *a, const char *b, const char *name) {
  char *one = app_read_file(a, name), *other = app_read_file(b, name);
  int   same = strcmp(one, other) == 0;
  if (!same) printf("\n    %s/%s and %s/%s differ\n", a, name, b, name);
  CHECK(same);
  SUP_FREE(one);
  SUP_FREE(other);
}
