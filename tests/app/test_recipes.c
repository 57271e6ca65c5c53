/* Recipes of the page for contributors: the files that a kind of change touches. */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "test.h"

static const char page[] = "src/README.md";

/** Next word between backquotes in [at, end); NULL: none. */
static const char *next_word(const char *at, const char *end, char word[128]) {
  const char *from = memchr(at, '`', (size_t)(end - at)),
             *to = from ? memchr(from + 1, '`', (size_t)(end - from - 1)) : NULL;
  if (!to || to - from - 1 >= 128) return NULL;
  snprintf(word, 128, "%.*s", (int)(to - from - 1), from + 1);
  return to + 1;
}

/** A file of src/, or a new one, NAME in capitals, of a folder there. */
static int is_file_or_new(const char *path) {
  char        full[256];
  struct stat s;
  snprintf(full, sizeof full, "src/%s", path);
  for (char *c = full; *c; c++)
    if (isupper((unsigned char)c[0]) && isupper((unsigned char)c[1])) {
      while (c > full && *c != '/') c--;
      *c = '\0';
      break;
    }
  return stat(full, &s) == 0;
}

/** tests/LAYER/test_NAME.c of some layer. */
static int is_suite(const char *name) {
  DIR *folder = opendir("tests");
  int  found = 0;
  while (folder && !found) {
    struct dirent *entry = readdir(folder);
    char           path[512];
    struct stat    s;
    if (!entry) break;
    snprintf(path, sizeof path, "tests/%s/test_%s.c", entry->d_name, name);
    found = stat(path, &s) == 0;
  }
  if (folder) closedir(folder);
  return found;
}

/** Words of [at, end): existing files of src/, at most two; or suites. */
static int count_words(const char *at, const char *end, int are_files) {
  int  count = 0;
  char word[128];
  while ((at = next_word(at, end, word)) != NULL) {
    int is_there = are_files ? is_file_or_new(word) : is_suite(word);
    if (!is_there) printf("\n    %s names %s, which is not there\n", page, word);
    CHECK(is_there);
    count++;
  }
  return count;
}

static void recipes_touch_two_files_and_name_their_tests(void) {
  char  *text = NULL;
  size_t size = 0;
  int    recipes = 0;
  FILE  *file = fopen(page, "r");
  CHECK(file && getdelim(&text, &size, '\0', file) > 0);
  if (file) fclose(file);
  for (const char *at = text ? text : ""; (at = strstr(at, "Files:")) != NULL; recipes++) {
    const char *tests = strstr(at, "tests:"), *end = tests ? strchr(tests, '.') : NULL;
    CHECK(end != NULL);
    if (!end) break;
    int files = count_words(at, tests, 1);
    CHECK(1 <= files && files <= 2);
    CHECK(count_words(tests, end, 0) >= 1);
    at = end;
  }
  CHECK(recipes >= 10);
  free(text);
}

SUITE_TESTS(recipes, TEST(recipes_touch_two_files_and_name_their_tests));
