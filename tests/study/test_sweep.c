/* Sweeps: which cases a study's parameters make. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "study/design.h"
#include "study/ladder.h"
#include "test.h"

static sup_study *sweep_of(const char *text) {
  char       path[512], folder[4096];
  sup_study *study = NULL;
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder));
  snprintf(path, sizeof path, "%s/sweep.yaml", test_folder());
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fprintf(file,
          "supple: 1\nscene: %s/examples/studies/oscillator.yaml\nquantities: {place: "
          "mass.x}\nset: {time.end: 1 s}\n%s",
          folder, text);
  fclose(file);
  OK(sup_study_load(&study, path, SUP_STUDY_SWEEP));
  return study;
}

/** Check the overrides of the cases, "a b | c d"; destroys the study. */
static void check_cases(const char *text, const char *expected) {
  sup_study *study = sweep_of(text);
  char       all[2048] = "";
  for (int i = 0; i < study->family[0].num_levels; i++) {
    size_t used = strlen(all);
    CHECK(strcmp(study->family[0].level[i].set[0], "time.end=1 s") == 0);
    snprintf(all + used, sizeof all - used, "%s%s", i ? " | " : "",
             study->family[0].level[i].label);
  }
  if (strcmp(all, expected) != 0) printf("\n    found    %s\n    expected %s\n", all, expected);
  CHECK(strcmp(all, expected) == 0);
  sup_study_destroy(&study);
}

static void a_grid_has_each_value_with_each(void) {
  check_cases(
      "parameters: {a: {key: x, values: [1 mm, 2 mm]}, b: {key: y, values: [p, [1, 2], q]}}",
      "x=1 mm y=p | x=1 mm y=[1, 2] | x=1 mm y=q | x=2 mm y=p | x=2 mm y=[1, 2] | x=2 mm y=q");
  check_cases("parameters: {a: {key: [x, y], from: 1 m, to: 100 m, count: 3, spacing: log}}",
              "x=1 m y=1 m | x=10 m y=10 m | x=100 m y=100 m");
  check_cases("parameters: {n: {key: x, from: 3, to: 8, count: 3, whole: true}}",
              "x=3 | x=6 | x=8");
}

static void a_list_has_the_kth_values_together(void) {
  check_cases(
      "design: list\nparameters: {a: {key: x, values: [1, 2]}, b: {key: y, from: 5 s, to: 7 s, "
      "count: 2}}",
      "x=1 y=5 s | x=2 y=7 s");
}

static int part_of(double value, double from, double to, int n) {
  return (int)floor(n * (value - from) / (to - from));
}

static void a_latin_hypercube_has_each_part_of_each_range_once(void) {
  enum { N = 40 };
  const char *text =
      "design: latin_hypercube\nsamples: 40\nparameters: {a: {key: x, from: 2 mm, to: 6 mm}, b: "
      "{key: y, from: 1, to: 1000, spacing: log}, c: {key: z, values: [p, q]}}";
  sup_study  *study = sweep_of(text), *again = sweep_of(text);
  sup_family *family = &study->family[0];
  int         seen[2][N] = {{0}}, words = 0, differ = 0;
  CU_ASSERT_FATAL(family->num_levels == N);
  CHECK(study->parameter[0].is_number && strcmp(study->parameter[0].unit, "mm") == 0);
  CHECK(study->parameter[1].is_number && !study->parameter[2].is_number);
  for (int i = 0; i < N; i++) {
    const char *rest, *a = sup_parameter_value(&study->parameter[0], &family->level[i]),
                      *b = sup_parameter_value(&study->parameter[1], &family->level[i]);
    double x = 0, y = 0;
    CHECK(sup_leading_number(a, &x, &rest) && sup_leading_number(b, &y, &rest));
    seen[0][part_of(x, 2, 6, N)]++, seen[1][part_of(log10(y), 0, 3, N)]++;
    words += *sup_parameter_value(&study->parameter[2], &family->level[i]) == 'p';
    differ += part_of(x, 2, 6, N) != part_of(log10(y), 0, 3, N);
    CHECK(strcmp(family->level[i].label, again->family[0].level[i].label) == 0);
  }
  for (int k = 0; k < N; k++) CHECK(seen[0][k] == 1 && seen[1][k] == 1);
  CHECK(words == N / 2 && differ > N / 2);
  sup_study_destroy(&study);
  sup_study_destroy(&again);
}

static void every_allocation_failure_is_a_status(void) {
  sup_study *study = sweep_of(
      "design: latin_hypercube\nsamples: 3\nparameters: {a: {key: x, from: 2 mm, to: 6 mm}}");
  char path[4096];
  snprintf(path, sizeof path, "%s", study->path);
  sup_study_destroy(&study);
  int failures = 0;
  for (long k = 1; k < 10000; k++) {
    sup_memory_fail_at(k);
    sup_status status = sup_study_load(&study, path, SUP_STUDY_SWEEP);
    sup_memory_fail_at(0);
    if (status == SUP_OK) break;
    CHECK(status == SUP_E_MEMORY);
    failures++;
  }
  CHECK(failures > 20);
  sup_study_destroy(&study);
}

SUITE_TESTS(sweep, TEST(a_grid_has_each_value_with_each), TEST(a_list_has_the_kth_values_together),
            TEST(a_latin_hypercube_has_each_part_of_each_range_once),
            TEST(every_allocation_failure_is_a_status));
