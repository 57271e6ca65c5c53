/* Numbers that decide: each has a unit, a meaning, a reason and a test that there is. */
#include "app/app_test.h"
#include "app/numerics.h"

#define SUITE(name) extern const test_entry sup_suite_##name[];
#include "suites.inc"
#undef SUITE

static const struct {
  const char       *name;
  const test_entry *tests;
} suites[] = {
#define SUITE(name) {#name, sup_suite_##name},
#include "suites.inc"
#undef SUITE
};

typedef struct room {
  const char       *name;
  const sup_number *row;
  int               count;
} room;

#define ROWS(name, LIST)                             \
  {name, (const sup_number[]){LIST(SUP_NUMBER_ROW)}, \
   (int)(sizeof(const sup_number[]){LIST(SUP_NUMBER_ROW)} / sizeof(sup_number))},
static const room rooms[] = {SUP_NUMERICS_ROOMS(ROWS)};
#undef ROWS
enum { NUM_ROOMS = sizeof rooms / sizeof *rooms };

static int is_test(const char *name) {
  size_t length = strcspn(name, ".");
  for (size_t s = 0; s < sizeof suites / sizeof *suites; s++) {
    if (strncmp(suites[s].name, name, length) != 0 || suites[s].name[length]) continue;
    for (const test_entry *t = suites[s].tests; t->name; t++)
      if (name[length] && strcmp(t->name, name + length + 1) == 0) return 1;
  }
  return 0;
}

static void every_number_has_a_meaning_a_reason_and_a_test_that_there_is(void) {
  for (int r = 0; r < NUM_ROOMS; r++)
    for (int i = 0; i < rooms[r].count; i++) {
      const sup_number *n = &rooms[r].row[i];
      int good = n->unit[0] && n->meaning[0] && n->why[0] && (!n->test[0] || is_test(n->test));
      if (!good) printf("\n    %s.%s: test '%s'", rooms[r].name, n->name, n->test);
      CHECK(good);
      for (int k = 0; k < i; k++) CHECK(strcmp(rooms[r].row[k].name, n->name) != 0);
    }
  CHECK(!is_test("numerics") && !is_test("numerics.none") && !is_test("none.none"));
}

/* Fewer may be without a test, never more: a new number comes with one. */
static void numbers_without_a_test_get_no_more(void) {
  enum { MOST = 124 };
  int count = 0;
  for (int r = 0; r < NUM_ROOMS; r++)
    for (int i = 0; i < rooms[r].count; i++) count += !rooms[r].row[i].test[0];
  if (count != MOST) printf("\n    %d numbers have no test", count);
  CHECK(count <= MOST);
}

static void help_lists_every_number(void) {
  char        name[96], row[128];
  const char *said = check_run("help numerics", 0, "Numbers that decide, by room");
  for (int r = 0; r < NUM_ROOMS; r++)
    for (int i = 0; i < rooms[r].count; i++) {
      const sup_number *n = &rooms[r].row[i];
      snprintf(name, sizeof name, "\n  %s.%s ", rooms[r].name, n->name);
      snprintf(row, sizeof row, " %.6g: %s; ", n->value, n->meaning);
      const char *line = strstr(said, name), *found = line ? strstr(line, row) : NULL;
      if (!found) printf("\n    no row %s%s", name, row);
      CHECK(found && found < strchr(line + 1, '\n'));
    }
  check_run("help numerics --format json", 0,
            "{\"name\": \"solve/dual.exact\", \"unit\": \"-\", \"meaning\": \"1e-13: ");
}

SUITE_TESTS(numerics, TEST(every_number_has_a_meaning_a_reason_and_a_test_that_there_is),
            TEST(numbers_without_a_test_get_no_more), TEST(help_lists_every_number));
