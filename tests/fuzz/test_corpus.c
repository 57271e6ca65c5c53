/* Files that fuzzing keeps, and what a few wrong bytes make of them: each is read or refused. */
#include <dirent.h>

#include "fuzz/targets.h"
#include "test.h"

/** 0 <= x < n */
static size_t below(test_random *seed, size_t n) { return (size_t)test_one_of(seed, (int)n); }

/** Cut short, or some bytes changed, doubled or taken out. */
static size_t spoil(test_random *seed, char *data, size_t size) {
  static const char letters[] = "0123456789-.eE[]{}<>\n";
  for (int n = test_one_of(seed, 4) + 1; n > 0 && size > 4; n--) {
    size_t at = below(seed, size - 2), some = below(seed, 8) + 1;
    if (at + some > size) some = size - at;
    switch (test_one_of(seed, 8)) {
      case 0:
      case 1:
        data[at] = (char)test_one_of(seed, 256);
        break;
      case 2:
      case 3:
        data[at] = letters[below(seed, sizeof letters - 1)];
        break;
      case 4:
        size = at + 1;
        break;
      default:
        memmove(data + at, data + at + some, size - at - some);
        size -= some;
    }
  }
  data[size] = '\0';
  return size;
}

static void check_file(int target, const char *folder, const char *name) {
  enum { TRIALS = 40 };
  char        path[600], input[600], *data = NULL;
  size_t      size;
  test_random seed = {1};
  snprintf(path, sizeof path, "%s/%.200s", folder, name);
  snprintf(input, sizeof input, "%s/input%s", test_folder(), fuzz_targets[target].ending);
  OK(sup_file_read(path, &data, &size));
  char *copy = malloc(size + 1);
  CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
  for (int k = 0; k <= TRIALS; k++) {
    memcpy(copy, data, size + 1);
    size_t     length = k ? spoil(&seed, copy, size) : size;
    sup_status status = fuzz_run(target, input, copy, length);
    int        good = status == SUP_OK || sup_error_message()[0];
    if (!good) printf("\n    %s, trial %d: no word\n", path, k);
    CHECK(good);
  }
  free(copy);
  SUP_FREE(data);
}

static void every_file_is_read_or_refused(void) {
  int count = 0;
  for (int target = 0; target < FUZZ_NUM_TARGETS; target++) {
    char           folder[300];
    struct dirent *entry;
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", fuzz_targets[target].name);
    DIR *handle = opendir(folder);
    CU_ASSERT_PTR_NOT_NULL_FATAL(handle);
    while ((entry = readdir(handle)) != NULL)
      if (entry->d_name[0] != '.') check_file(target, folder, entry->d_name), count++;
    closedir(handle);
  }
  CHECK(count >= FUZZ_NUM_TARGETS);
}

SUITE_TESTS(corpus, TEST(every_file_is_read_or_refused));
