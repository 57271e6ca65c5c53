/* The files below the frames: numbers, CSV, JSON, series. */
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "output/format/csv.h"
#include "output/format/json.h"
#include "output/format/number.h"
#include "output/format/series.h"
#include "test.h"

static void in_folder(char path[4096], const char *name) {
  snprintf(path, 4096, "%s/%s", test_folder(), name);
}

/** Contents of a file equal the text. */
static void holds(const char *path, const char *text) {
  char  *data = NULL;
  size_t size;
  OK(sup_file_read(path, &data, &size));
  if (strcmp(data, text) != 0) printf("\n    %s holds\n%s\n    expected\n%s\n", path, data, text);
  CU_ASSERT(strcmp(data, text) == 0);
  SUP_FREE(data);
}

static int exists(const char *path) { return access(path, F_OK) == 0; }

static int is_json(const char *path) {
  char command[4200];
  snprintf(command, sizeof command, "python3 -m json.tool '%s' >/dev/null 2>&1", path);
  return system(command) == 0;
}

static void numbers_read_back_to_the_same_bits(void) {
  test_random random = {7};
  char        text[SUP_NUMBER_SIZE];
  for (int i = 0; i < 2000; i++) {
    double value = test_uniform(&random) * pow(10, 300 * test_uniform(&random));
    CHECK(sup_number_text(text, value, 0));
    CHECK(strtod(text, NULL) == value);
    CHECK(sup_number_text(text, value, 12));
    NEAR(strtod(text, NULL), value, 1e-11, 0);
  }
  /* negative powers of ten are not exact: 15 digits, 1.69308864289383e+20, read as another number
   */
  CHECK(sup_number_text(text, 1.6930886428938302e+20, 0) && atof(text) == 1.6930886428938302e+20);
  CHECK(sup_number_text(text, 0.07, 0) && strcmp(text, "0.07") == 0);
  CHECK(sup_number_text(text, -0.0, 0) && strcmp(text, "0") == 0);
  CHECK(sup_number_text(text, 7 * 0.01, 12) && strcmp(text, "0.07") == 0);
  CHECK(!sup_number_text(text, nan(""), 0) && text[0] == '\0');
  CHECK(!sup_number_text(text, -HUGE_VAL, 12) && text[0] == '\0');
}

/* Whatever way a number takes, its text is that of printf in the C locale. */
static void numbers_with_digits_are_those_of_printf(void) {
  static const double edge[] = {1,
                                10,
                                0.1,
                                1e-4,
                                9.99999999999e-5,
                                999999999999.5,
                                1e12,
                                1e11,
                                5e-324,
                                1.7e308,
                                0.5,
                                2.5,
                                1e15,
                                1e22,
                                1e23,
                                123456789012.5,
                                99999999999.95,
                                1e-16,
                                1e-300,
                                7e-5,
                                0.000123456789012345,
                                123456.7890125};
  test_random         random = {11};
  char                text[SUP_NUMBER_SIZE], expected[64];
  int                 wrong = 0;
  for (int i = 0; i < 200000; i++) {
    int    digits = i % 3 == 0 ? 15 : i % 3 == 1 ? 12 : 1 + i % 15;
    double value = i % 5 == 0   ? round(1e6 * test_uniform(&random)) / 1024 /* ties */
                   : i % 5 == 1 ? test_uniform(&random)
                                : test_uniform(&random) * pow(10, 40 * test_uniform(&random));
    if (i < 2 * (int)(sizeof edge / sizeof *edge)) value = (i % 2 ? -1 : 1) * edge[i / 2];
    snprintf(expected, sizeof expected, "%.*g", digits, value);
    if (!sup_number_text(text, value, digits) || strcmp(text, expected) != 0)
      if (wrong++ == 0) printf("%s, expected %s ", text, expected);
  }
  CHECK(wrong == 0);
  static const long whole[] = {0, 7, -7, 1234567890, LONG_MAX, LONG_MIN};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
    int length = snprintf(expected, sizeof expected, "%ld", whole[i]);
    CHECK(sup_integer_text(text, whole[i]) == length && strcmp(text, expected) == 0);
  }
}

static void decimal_comma_of_the_process_does_not_reach_numbers(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "cs_CZ.UTF-8",
                                      "de_DE"};
  char                     text[SUP_NUMBER_SIZE], plain[32];
  const char              *found = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
    found = setlocale(LC_ALL, names[i]);
  if (!found) SKIP("no locale with a decimal comma is installed; ");
  snprintf(plain, sizeof plain, "%g", 1.5);
  sup_number_text(text, 1.5, 0);
  setlocale(LC_ALL, "C");
  CHECK(strcmp(plain, "1,5") == 0);
  CHECK(strcmp(text, "1.5") == 0);
}

static void csv_grows_by_whole_lines(void) {
  char    path[4096];
  sup_csv csv;
  in_folder(path, "grow.csv");
  OK(sup_csv_open(&csv, path));
  sup_csv_text(&csv, "time");
  sup_csv_text(&csv, "a,\"b\"");
  sup_csv_end_row(&csv);
  OK(sup_csv_flush(&csv));
  holds(path, "time,\"a,\"\"b\"\"\"\n");
  sup_csv_number(&csv, 0.1);
  sup_csv_integer(&csv, -3);
  holds(path, "time,\"a,\"\"b\"\"\"\n"); /* an unfinished row is not on disk */
  sup_csv_end_row(&csv);
  OK(sup_csv_flush(&csv));
  holds(path, "time,\"a,\"\"b\"\"\"\n0.1,-3\n");
  sup_csv_close(&csv);
}

static void numbers_that_are_not_finite_become_empty_fields(void) {
  char         path[4096];
  sup_csv      csv;
  const double values[] = {1, nan(""), HUGE_VAL, -HUGE_VAL, 2};
  in_folder(path, "nan.csv");
  OK(sup_csv_open(&csv, path));
  sup_csv_numbers(&csv, values, 5);
  sup_csv_end_row(&csv);
  OK(sup_csv_flush(&csv));
  holds(path, "1,,,,2\n");
  CHECK(csv.nonfinite == 3);
  sup_csv_close(&csv);
}

static void csv_errors_are_statuses(void) {
  sup_csv csv;
  FAILS(sup_csv_open(&csv, "/no/such/folder/x.csv"), SUP_E_IO, "/no/such/folder/x.csv");
  sup_csv_close(&csv);
  if (!exists("/dev/full")) SKIP("no /dev/full; ");
  OK(sup_csv_open(&csv, "/dev/full"));
  sup_csv_number(&csv, 1);
  sup_csv_end_row(&csv);
  FAILS(sup_csv_flush(&csv), SUP_E_IO, "No space left");
  sup_csv_close(&csv);
}

static void csv_survives_every_allocation_failure(void) {
  char path[4096];
  in_folder(path, "memory.csv");
  int finished = 0;
  for (long k = 1; k < 50 && !finished; k++) {
    sup_csv csv;
    OK(sup_csv_open(&csv, path));
    sup_memory_fail_at(k);
    for (int i = 0; i < 1000; i++) sup_csv_number(&csv, i);
    sup_csv_end_row(&csv);
    sup_status status = sup_csv_flush(&csv);
    sup_memory_fail_at(0);
    CHECK(status == SUP_OK || status == SUP_E_MEMORY);
    finished = status == SUP_OK;
    sup_csv_close(&csv);
  }
  CHECK(finished);
}

static void json_escapes_and_nests(void) {
  char     path[4096];
  sup_json json;
  in_folder(path, "nest.json");
  OK(sup_json_open(&json, path));
  sup_json_begin_object(&json, NULL);
  sup_json_text(&json, "quote\"", "a\\b\n\t\x01 \xc3\xa4 \xff");
  sup_json_begin_array(&json, "list");
  sup_json_number(&json, NULL, 0.1);
  sup_json_number(&json, NULL, nan(""));
  sup_json_begin_object(&json, NULL);
  sup_json_end(&json);
  sup_json_end(&json);
  sup_json_integer(&json, "n", -7);
  sup_json_hash(&json, "hash", UINT64_C(0x12ab));
  sup_json_text(&json, "none", NULL);
  sup_json_end(&json);
  CHECK(!exists(path)); /* whole or not at all */
  OK(sup_json_close(&json));
  CHECK(json.nonfinite == 1);
  holds(path,
        "{\n  \"quote\\\"\": \"a\\\\b\\n\\t\\u0001 \xc3\xa4 \\ufffd\",\n  \"list\": [\n    0.1,\n  "
        "  null,\n    {}\n  ],\n"
        "  \"n\": -7,\n  \"hash\": \"00000000000012ab\",\n  \"none\": null\n}\n");
  CHECK(is_json(path));
}

static void json_of_any_bytes_parses(void) {
  char        path[4096], text[64];
  test_random random = {11};
  sup_json    json;
  in_folder(path, "bytes.json");
  OK(sup_json_open(&json, path));
  sup_json_begin_array(&json, NULL);
  for (int i = 0; i < 400; i++) {
    for (int k = 0; k < 63; k++) text[k] = (char)(1 + (int)(127.4 * (1 + test_uniform(&random))));
    text[63] = '\0';
    sup_json_text(&json, NULL, text);
  }
  sup_json_end(&json);
  OK(sup_json_close(&json));
  CHECK(is_json(path));
}

static void add(sup_series *series, const char *stem, double time) {
  OK(sup_series_append_frame(series, stem, time));
  OK(sup_series_save(series, test_folder(), stem));
}

static void series_lists_frames_and_replaces_the_old_list(void) {
  char       path[4096], *data;
  size_t     size;
  sup_series series = {.text = NULL};
  in_folder(path, "finger.vtk.series");
  add(&series, "finger", 0);
  holds(path,
        "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n    {\"name\": "
        "\"finger_0000.vtk\", \"time\": 0}\n  ]\n}\n");
  CHECK(is_json(path));
  add(&series, "finger", 0.02);
  add(&series, "finger", 0.1 + 0.2);
  sup_series_free(&series);
  CHECK(is_json(path));
  OK(sup_file_read(path, &data, &size));
  CHECK(strstr(data, "\"file-series-version\": \"1.0\"") != NULL);
  CHECK(strstr(data, "\"name\": \"finger_0002.vtk\"") != NULL);
  CHECK(strstr(data, "\"time\": 0.30000000000000004") != NULL);
  SUP_FREE(data);
}

/* Replacements of the list of 4,000 frames, counted by inodes. */
static void a_long_series_grows_in_its_place(void) {
  char        path[4096], *data;
  size_t      size;
  struct stat info;
  ino_t       last = 0;
  int         replaced = 0, frames = 4000;
  sup_series  series = {.text = NULL};
  in_folder(path, "long.vtk.series");
  for (int i = 0; i < frames; i++) {
    add(&series, "long", .001 * i);
    CHECK(stat(path, &info) == 0 && (size_t)info.st_size < 80 * ((size_t)i + 2));
    replaced += info.st_ino != last, last = info.st_ino;
    if (i % 1000 == 7) CHECK(is_json(path));
  }
  CHECK(is_json(path));
  CHECK(replaced < frames / 40);
  CHECK(truncate(path, 100) == 0); /* somebody else's file is replaced, too */
  add(&series, "long", 4);
  CHECK(is_json(path));
  OK(sup_file_read(path, &data, &size));
  for (int i = 0; i <= frames; i += 500) {
    char name[100];
    snprintf(name, sizeof name, "\"long_%04d.vtk\", \"time\": %g}", i, .001 * i);
    CHECK(strstr(data, name) != NULL);
  }
  SUP_FREE(data);
  sup_series_free(&series);
}

/* Entries of 2 kB, as XDMF has them, cross a page each second time. */
static void a_long_list_of_long_entries_is_seldom_replaced(void) {
  enum { FRAMES = 4000, ENTRY = 2000 };
  char        path[4096], item[ENTRY + 1], *data;
  struct stat info;
  size_t      size, written = 0, lacking = 0;
  ino_t       last = 0;
  sup_series  series = {.kind = &sup_series_xdmf};
  in_folder(path, "slow.xdmf");
  for (int i = 0; i < FRAMES; i++) {
    snprintf(item, sizeof item, "<Grid Name=\"%06d\">%*s</Grid>", i, ENTRY - 30, "");
    OK(sup_series_append(&series, item));
    OK(sup_series_extend(&series, test_folder(), "slow"));
    int is_there = stat(path, &info) == 0;
    CHECK(is_there);
    if (is_there && info.st_ino != last) written += (size_t)info.st_size, last = info.st_ino;
    size_t lacks = series.size - series.saved;
    lacking = lacks > lacking ? lacks : lacking;
    CHECK(lacks <= series.size / 64 + ENTRY);
  }
  printf("%.0f MB written ", 1e-6 * (double)written);
  CHECK(lacking > ENTRY);
  CHECK(written < 70 * (size_t)FRAMES * ENTRY); /* of 8 GB */
  OK(sup_series_save(&series, test_folder(), "slow"));
  OK(sup_file_read(path, &data, &size));
  CHECK(size == series.size + strlen(sup_series_xdmf.end));
  CHECK(memcmp(data, series.text, series.size) == 0);
  CHECK(strcmp(data + series.size, sup_series_xdmf.end) == 0);
  SUP_FREE(data);
  sup_series_free(&series);
}

/* Batched writes as in runs: frames wait in memory, and one write has several of them. */
static void frames_may_share_a_write(void) {
  char       path[4096], one[4096], *data, *same;
  size_t     size, same_size;
  sup_series series = {.text = NULL}, each = {.text = NULL};
  in_folder(path, "many.vtk.series"), in_folder(one, "one.vtk.series");
  for (int i = 0; i < 400; i++) {
    OK(sup_series_append_frame(&series, "many", .01 * i));
    if (i == 0) CHECK(!exists(path));
    if (i % 7 == 0 || i > 390 || (i > 100 && i % 90 == 0))
      OK(sup_series_save(&series, test_folder(), "many"));
    OK(sup_series_append_frame(&each, "many", .01 * i));
  }
  OK(sup_series_save(&series, test_folder(), "many"));
  OK(sup_series_save(&each, test_folder(), "one"));
  CHECK(is_json(path));
  OK(sup_file_read(path, &data, &size));
  OK(sup_file_read(one, &same, &same_size));
  CHECK(size == same_size && memcmp(data, same, size) == 0);
  SUP_FREE(data);
  SUP_FREE(same);
  sup_series_free(&series), sup_series_free(&each);
}

static void interrupted_series_leaves_the_last_whole_one(void) {
  char       path[4096], part[4200];
  sup_series series = {.text = NULL};
  in_folder(path, "cut.vtk.series");
  add(&series, "cut", 0);
  sup_series_free(&series);
  sup_json json; /* a writer that is killed half-way */
  OK(sup_json_open(&json, path));
  sup_json_begin_object(&json, NULL);
  sup_json_text(&json, "file-series-version", "1.0");
  fflush(json.out.file);
  CHECK(is_json(path));
  sup_file_abandon(&json.out);
  snprintf(part, sizeof part, "%s.part", path);
  CHECK(!exists(part));
  CHECK(is_json(path));
}

static void only_our_own_frames_are_removed(void) {
  static const char *const gone[] = {"a_0000.vtk",         "a_12345.vtk",       "a.vtk.series",
                                     "a_0001.vtk.part",    "a.vtk.series.part", "a_rank0_0000.vtk",
                                     "a_rank12.vtk.series"};
  static const char *const kept[] = {"a_000.vtk", "a_0000.vtk.bak", "ab_0000.vtk", "a_0000x.vtk",
                                     "a.vtk",     "a_.vtk",         "b_0000.vtk"};
  char                     folder[4096], path[4200];
  in_folder(folder, "stale");
  OK(sup_make_folder(folder));
  for (size_t i = 0; i < sizeof gone / sizeof *gone + sizeof kept / sizeof *kept; i++) {
    size_t n = sizeof gone / sizeof *gone;
    snprintf(path, sizeof path, "%s/%s", folder, i < n ? gone[i] : kept[i - n]);
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fclose(file);
  }
  OK(sup_series_remove(folder, "a", 0));
  for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, gone[i]);
    CHECK(!exists(path));
  }
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, kept[i]);
    CHECK(exists(path));
  }
}

SUITE_TESTS(output_files, TEST(numbers_read_back_to_the_same_bits),
            TEST(numbers_with_digits_are_those_of_printf),
            TEST(decimal_comma_of_the_process_does_not_reach_numbers),
            TEST(csv_grows_by_whole_lines), TEST(numbers_that_are_not_finite_become_empty_fields),
            TEST(csv_errors_are_statuses), TEST(csv_survives_every_allocation_failure),
            TEST(json_escapes_and_nests), TEST(json_of_any_bytes_parses),
            TEST(series_lists_frames_and_replaces_the_old_list),
            TEST(a_long_series_grows_in_its_place),
            TEST(a_long_list_of_long_entries_is_seldom_replaced), TEST(frames_may_share_a_write),
            TEST(interrupted_series_leaves_the_last_whole_one),
            TEST(only_our_own_frames_are_removed));
