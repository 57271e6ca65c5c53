/* Kinds of wrong files that people have, kept in tests/data/wrong: each is refused by its own
 * reader with a place, what was found there and what would be right.  messages.txt has a line
 * "FILE | MESSAGE" for each, without the folder. */
#include <dirent.h>
#include <stdio.h>

#include "fuzz/targets.h"
#include "solve/stored/stored_problem.h"
#include "test.h"

static const char folder[] = "tests/data/wrong/";

static sup_status read_contact_problem(const char *path, const char *data, size_t size) {
  sup_stored_problem *stored = NULL;
  sup_status          status = sup_stored_problem_read(&stored, path);
  (void)data, (void)size;
  sup_stored_problem_destroy(&stored);
  return status;
}

static const struct {
  const char  *ending;
  fuzz_target *read;
} others[] = {{".node", fuzz_mesh}, {".ele", fuzz_mesh}, {".npz", read_contact_problem},
              {".step", fuzz_mesh}, {".vtu", fuzz_mesh}, {".exo", fuzz_mesh},
              {".h5", fuzz_mesh},   {".geo", fuzz_mesh}, {".txt", fuzz_mesh}};

/** By the end of the name; what begins with study_ or scene_ is a .yaml of that kind. */
static fuzz_target *reader_of(const char *name) {
  const char *ending = strrchr(name, '.');
  for (int i = 0; i < FUZZ_NUM_TARGETS && ending; i++)
    if (strcmp(ending, fuzz_targets[i].ending) == 0 &&
        (strcmp(ending, ".yaml") != 0 ||
         strncmp(name, fuzz_targets[i].name, strlen(fuzz_targets[i].name)) == 0))
      return fuzz_targets[i].run;
  for (size_t i = 0; i < sizeof others / sizeof *others && ending; i++)
    if (strcmp(ending, others[i].ending) == 0) return others[i].read;
  return NULL;
}

/** The message with every mention of the folder taken out. */
static void without_folder(const char *message, char *text, size_t size) {
  size_t used = 0;
  while (*message && used + 1 < size) {
    if (strncmp(message, folder, strlen(folder)) == 0)
      message += strlen(folder);
    else
      text[used++] = *message++;
  }
  text[used] = '\0';
}

/** @return 1 when the file was refused as the line says */
static int check_line(const char *line) {
  char   path[300], said[2048];
  size_t length = strcspn(line, " "), size;
  char  *data = NULL;
  snprintf(path, sizeof path, "%s%.*s", folder, (int)length, line);
  fuzz_target *read = reader_of(path + strlen(folder));
  if (!read || sup_file_read(path, &data, &size) != SUP_OK) {
    printf("\n    %s: no file that is read", path);
    return 0;
  }
  sup_status status = read(path, data, size);
  SUP_FREE(data);
  without_folder(sup_error_message(), said, sizeof said);
  int good = (status == SUP_E_PARSE || status == SUP_E_GEOMETRY || status == SUP_E_IO) &&
             strcmp(said, line + length + strlen(" | ")) == 0;
  if (!good)
    printf("\n    status '%s'\n      said     %s\n      expected %s", sup_status_text(status), said,
           line);
  return good;
}

static int count_files(void) {
  int                  count = 0;
  const struct dirent *entry;
  DIR                 *handle = opendir(folder);
  CU_ASSERT_PTR_NOT_NULL_FATAL(handle);
  while ((entry = readdir(handle)) != NULL) count += entry->d_name[0] != '.';
  closedir(handle);
  return count;
}

static void wrong_files_are_refused_with_place_finding_and_remedy(void) {
  char  *text = NULL, *line;
  size_t size;
  int    count = 0;
  OK(sup_file_read("tests/data/wrong/messages.txt", &text, &size));
  for (char *next = text; *next; count++) {
    line = next;
    next += strcspn(next, "\n");
    if (*next) *next++ = '\0';
    CHECK(check_line(line));
  }
  SUP_FREE(text);
  CHECK(count >= 50 && count == count_files() - 1);
}

SUITE_TESTS(wrong_files, TEST(wrong_files_are_refused_with_place_finding_and_remedy));
