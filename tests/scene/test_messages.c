/* Every message of the scene layer: the files of tests/data/bad say in their first lines what
 * loading them must say. # EXPECT: text    the load, or making the model, fails with a message that
 * contains the text after "FILE:" (or after a --set) # WARN: text      it succeeds and logs it #
 * SET: KEY=VALUE  overrides of the command line */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "scene/scene.h"
#include "test.h"

enum { MAX_FILES = 1000, MAX_SETS = 8 };

static void collect(sup_log_level level, const char *message, void *user) {
  char  *log = user;
  size_t used = strlen(log);
  (void)level;
  snprintf(log + used, 4096 - used, "%s\n", message);
}

/** Rest of the line at text, which begins with this tag, cut off in place; NULL: another tag.
 * *next: text behind the line. */
static char *tagged_line(char *text, const char *tag, char **next) {
  if (strncmp(text, tag, strlen(tag)) != 0) return NULL;
  char *end = text + strcspn(text, "\n");
  *next = *end ? end + 1 : end;
  *end = '\0';
  return text + strlen(tag);
}

static void check_file(const char *path) {
  char       *text, *next, *expected, log[4096] = "", place[2048];
  const char *sets[MAX_SETS];
  size_t      size;
  int         num_sets = 0;
  sup_scene  *scene;
  sup_model  *model = NULL;
  OK(sup_file_read(path, &text, &size));
  expected = tagged_line(text, "# EXPECT: ", &next);
  int fails = expected != NULL;
  if (!fails) expected = tagged_line(text, "# WARN: ", &next);
  if (!expected) {
    printf("\n    %s does not begin with '# EXPECT: ' or '# WARN: '", path);
    CU_FAIL_FATAL("no expectation");
    return;
  }
  while (num_sets < MAX_SETS && (sets[num_sets] = tagged_line(next, "# SET: ", &next)) != NULL)
    num_sets++;
  int has_place = expected[0] >= '0' && expected[0] <= '9'; /* of this file */
  snprintf(place, sizeof place, "%s%s%s", has_place ? path : "", has_place ? ":" : "", expected);
  sup_log_set(collect, log);
  sup_status status = sup_scene_load(&scene, path, sets, num_sets);
  if (fails && status == SUP_OK)
    status = sup_scene_locate(scene, sup_model_create(&model, &scene->model));
  sup_log_set(NULL, NULL);
  const char *said = fails ? sup_error_message() : log;
  int         good = (status != SUP_OK) == fails && strstr(said, place) != NULL;
  if (!good)
    printf("\n    %s: status '%s'\n      said     %s\n      expected %s", path,
           sup_status_text(status), said, place);
  CU_ASSERT(good);
  CU_ASSERT(!fails || status == SUP_E_PARSE || status == SUP_E_IO || status == SUP_E_ARG ||
            status == SUP_E_GEOMETRY);
  sup_model_destroy(&model);
  sup_scene_destroy(&scene);
  SUP_FREE(text);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static void bad_scenes_say_where_what_and_what_would_be_right(void) {
  static char    name[MAX_FILES][256];
  size_t         count = 0;
  char           path[1024];
  struct dirent *entry;
  DIR           *folder = opendir("tests/data/bad");
  CU_ASSERT_FATAL(folder != NULL);
  while (count < MAX_FILES && (entry = readdir(folder)) != NULL)
    if (strstr(entry->d_name, ".yaml"))
      snprintf(name[count++], sizeof name[0], "%s", entry->d_name);
  closedir(folder);
  CHECK(count > 150);
  qsort(name, count, sizeof name[0], by_name);
  for (size_t i = 0; i < count; i++) {
    snprintf(path, sizeof path, "tests/data/bad/%.255s", name[i]);
    check_file(path);
  }
}

static void missing_scene_names_the_file(void) {
  sup_scene *scene;
  FAILS(sup_scene_load(&scene, "tests/data/no such.yaml", NULL, 0), SUP_E_IO,
        "cannot read tests/data/no such.yaml");
  CHECK(scene == NULL);
}

SUITE_TESTS(messages, TEST(bad_scenes_say_where_what_and_what_would_be_right),
            TEST(missing_scene_names_the_file));
