#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/cleanup.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "base/table.h"
#include "base/text.h"
#include "base/vec.h"
#include "test.h"

static sup_status inner(void) {
  return SUP_FAIL(SUP_E_PARSE, "stack.yaml:%d: unknown material", 14);
}
static sup_status outer(void) {
  SUP_TRY(inner());
  return SUP_OK;
}

static void failure_keeps_message_and_call_chain(void) {
  FAILS(outer(), SUP_E_PARSE, "stack.yaml:14: unknown material");
  CHECK(strstr(sup_error_trace(), "#0 inner at ") != NULL);
  CHECK(strstr(sup_error_trace(), "#1 outer at ") != NULL);
}

static void arena_is_aligned_and_grows_to_its_peak(void) {
  sup_arena *arena;
  double    *a, *b;
  OK(sup_arena_create(&arena, 256));
  for (int round = 0; round < 3; round++) {
    OK(SUP_ARENA(arena, a, 3));
    OK(SUP_ARENA(arena, b, 1000));
    CHECK((uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0);
    memset(a, 0, 3 * sizeof *a);
    memset(b, 0, 1000 * sizeof *b);
    OK(sup_arena_reset(arena));
  }
  CHECK(sup_arena_peak(arena) >= 8024);
  FAILS(sup_arena_alloc(arena, &a, SIZE_MAX / 2, 8), SUP_E_MEMORY, "out of memory");
  sup_arena_destroy(&arena);
  CHECK(arena == NULL);
}

static void memory_failure_is_a_status(void) {
  double *a = NULL;
  sup_memory_fail_at(1);
  FAILS(SUP_CALLOC(a, 4), SUP_E_MEMORY, "4 items of 8 bytes");
  OK(SUP_CALLOC(a, 4));
  SUP_FREE(a);
  CHECK(a == NULL);
}

static void table_means_are_exact(void) {
  double          time[3] = {1, 2, 4}, value[6] = {1, 0, 3, 5, -1, 5}, mean[2];
  const sup_table table = {3, 2, time, value};
  static const struct {
    double from, to, mean;
  } cases[] = {{0, 1, 1},       {1, 2, 2},     {2, 4, 1},
               {1.25, 1.75, 2}, {0, 2, 1.5},   {3, 6, (0 - 2) / 3.},
               {5, 6, -1},      {0, 6, 3 / 6.}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sup_table_mean(&table, cases[i].from, cases[i].to, mean);
    NEAR(mean[0], cases[i].mean, 1e-15, 1e-15);
  }
  NEAR(mean[1], (2.5 + 4 * 5) / 6, 1e-15, 0);
  mean[0] = 7;
  sup_table_mean(&(sup_table){0}, 0, 1, mean);
  CHECK(mean[0] == 7);
}

/** Derivative at t by a difference. */
static double slope(const sup_table *table, double t, double h) {
  double a[2], b[2];
  sup_table_at(table, t - h, a), sup_table_at(table, t + h, b);
  return (b[0] - a[0]) / (2 * h);
}

static void smooth_tables_have_their_values_and_slopes(void) {
  double    time[4] = {1, 2, 4, 5}, value[8] = {1, 0, 3, 5, -1, 5, -1, 2}, at[2];
  sup_table table = {4, 2, time, value};
  for (int kind = 1; kind < SUP_NUM_INTERPOLATIONS; kind++) {
    table.interpolation = (sup_interpolation)kind;
    for (int i = 0; i < 4; i++) {
      sup_table_at(&table, time[i], at);
      CHECK(at[0] == value[2 * i] && at[1] == value[2 * i + 1]);
      double before = slope(&table, time[i] - 2e-6, 1e-6),
             after = slope(&table, time[i] + 2e-6, 1e-6);
      NEAR(before, after, 0, 2e-4); /* no jump */
      if (kind != SUP_INTERPOLATION_CUBIC || i % 3 == 0) NEAR(after, 0, 0, 1e-4);
    }
  }
  /* peaks of velocity in the middle of a way of 2 in 1 s, and what was covered after a quarter */
  table.interpolation = SUP_INTERPOLATION_MINIMUM_JERK;
  NEAR(slope(&table, 1.5, 1e-5), 2 * 15 / 8., 1e-9, 0);
  sup_table_at(&table, 1.25, at);
  NEAR(at[0], 1 + 2 * (10 / 64. - 15 / 256. + 6 / 1024.), 1e-15, 0);
  table.interpolation = SUP_INTERPOLATION_TRAPEZOID;
  NEAR(slope(&table, 1.5, 1e-5), 2 * 1.5, 1e-9, 0);
  sup_table_at(&table, 1.25, at);
  NEAR(at[0], 1 + 2 * 9 / 64., 1e-15, 0);
  /* the parabola through (1, 1), (2, 3), (4, -1) has the slope 2/3 at 2 */
  table.interpolation = SUP_INTERPOLATION_CUBIC;
  NEAR(slope(&table, 2, 1e-6), 2 / 3., 2e-6, 0);
}

/** Against slopes at many times. */
static void fastest_moments_are_found(void) {
  double    time[5] = {1, 2, 4, 5, 5.1}, value[5] = {1, 3, -1, 2, 2}, when;
  sup_table table = {5, 1, time, value};
  for (int kind = 0; kind < SUP_NUM_INTERPOLATIONS; kind++) {
    double most = 0;
    table.interpolation = (sup_interpolation)kind;
    for (double t = 1.0005; t < 5.1; t += 1e-3) most = fmax(most, fabs(slope(&table, t, 1e-7)));
    NEAR(sup_table_fastest(&table, &when), most, 1e-5, 0);
    NEAR(fabs(slope(&table, when + 1e-6, 1e-7)), most, 1e-5, 0);
  }
  table.num_rows = 1;
  CHECK(sup_table_fastest(&table, &when) == 0);
}

/** Means against sums over many short intervals, in pieces that begin and end anywhere. */
static void means_of_smooth_tables_are_exact(void) {
  double       time[4] = {1, 2, 4, 5}, value[4] = {1, 3, -1, 2}, mean, at;
  sup_table    table = {4, 1, time, value};
  const double from[] = {0, 1.1, 1.2, 2, 0.5, 4.9, 1.5}, to[] = {6, 1.2, 4.7, 4, 1, 5, 1.5 + 1e-9};
  for (int kind = 1; kind < SUP_NUM_INTERPOLATIONS; kind++)
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
      const int n = 20000;
      double    sum = 0;
      table.interpolation = (sup_interpolation)kind;
      for (int k = 0; k < n; k++) {
        sup_table_at(&table, from[i] + (to[i] - from[i]) * (k + .5) / n, &at);
        sum += at / n;
      }
      sup_table_mean(&table, from[i], to[i], &mean);
      NEAR(mean, sum, 0, 2e-8);
    }
  table.interpolation = SUP_INTERPOLATION_MINIMUM_JERK, table.num_rows = 2;
  sup_table_mean(&table, 1, 1.5, &mean); /* integral of the share: 5/2 s^4 - 3 s^5 + s^6 */
  NEAR(mean, 1 + 2 * 2 * (2.5 / 16 - 3 / 32. + 1 / 64.), 1e-15, 0);
}

/** Long steps see the start and the end of a motion; a way that goes on has no corner. */
static void corners_of_smooth_tables_are_starts_and_ends(void) {
  double    time[4] = {1, 2, 3, 4}, value[4] = {0, 1, 2.5, 2.5};
  sup_table table = {4, 1, time, value};
  CHECK(sup_table_next_corner(&table, 1, 0.1) == 2);
  for (int kind = 1; kind < SUP_NUM_INTERPOLATIONS; kind++) {
    table.interpolation = (sup_interpolation)kind;
    CHECK(sup_table_next_corner(&table, 0, 0.1) == 1);
    CHECK(sup_table_next_corner(&table, 1, 0.1) == 3);
    CHECK(isinf(sup_table_next_corner(&table, 3, 0.1)));
  }
}

static void quaternions_and_matrices_agree(void) {
  test_random random = {7};
  for (int i = 0; i < 200; i++) {
    sup_v3   r = {3 * test_uniform(&random), 0.3 * test_uniform(&random), test_uniform(&random)};
    sup_quat q = sup_quat_exp(r),
             p = sup_quat_exp(sup_v3_make(test_uniform(&random), 2, test_uniform(&random)));
    sup_m3 R = sup_quat_matrix(q), RP = sup_m3_mul(R, sup_quat_matrix(p));
    sup_m3 S = sup_quat_matrix(sup_quat_mul(q, p)), T = sup_quat_matrix(sup_quat_from_matrix(R));
    NEAR(sup_m3_det(&R), 1, 1e-14, 0);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        NEAR(S.m[a][b], RP.m[a][b], 0, 1e-14), NEAR(T.m[a][b], R.m[a][b], 0, 1e-13);
    sup_m3 back = sup_quat_matrix(sup_quat_exp(sup_quat_log(q)));
    for (int a = 0; a < 3; a++) NEAR(back.m[a][a], R.m[a][a], 0, 1e-13);
    sup_v3 n = sup_v3_unit(r);
    sup_m3 C = sup_m3_frame_of_normal(n);
    NEAR(sup_m3_det(&C), 1, 1e-14, 0);
    NEAR(sup_v3_dot(sup_m3_column(&C, 2), n), 1, 1e-14, 0);
  }
}

static void nearest_word_is_suggested(void) {
  const char *words[] = {"friction", "dissipation", "stiffness"};
  CHECK(sup_text_nearest("fricton", words, 3) == 0);
  CHECK(sup_text_nearest("disipation", words, 3) == 1);
  CHECK(sup_text_nearest("colour", words, 3) == SUP_NONE);
}

static void numbers_are_parsed_whole(void) {
  double value;
  CHECK(sup_text_number("1e6", &value) && value == 1e6);
  CHECK(sup_text_number("-.5", &value) && value == -0.5);
  CHECK(!sup_text_number("1e6x", &value));
  CHECK(!sup_text_number("nan", &value));
  CHECK(!sup_text_number("1e999", &value));
  CHECK(!sup_text_number("", &value));
  CHECK(!sup_text_number("0x10", &value));
}

static void files_appear_whole_or_not_at_all(void) {
  char            path[256], *data;
  size_t          size;
  sup_file_writer writer;
  snprintf(path, sizeof path, "%s/base/a/b.txt", test_folder());
  FAILS(sup_file_open(&writer, path), SUP_E_IO, "cannot write");
  char folder[256];
  snprintf(folder, sizeof folder, "%s/base/a", test_folder());
  OK(sup_make_folder(folder));
  OK(sup_file_open(&writer, path));
  fputs("hello", writer.file);
  FAILS(sup_file_read(path, &data, &size), SUP_E_IO, "cannot read");
  OK(sup_file_commit(&writer));
  OK(sup_file_read(path, &data, &size));
  CHECK(size == 5 && strcmp(data, "hello") == 0);
  SUP_FREE(data);
}

/* Files, holes in files and pipes without an end. */
static void files_above_a_limit_are_refused(void) {
  char   path[256], *data;
  size_t size;
  int    ends[2];
  FILE  *file;
  snprintf(path, sizeof path, "%s/large", test_folder());
  file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  for (int k = 0; k < 100; k++) fputs("0123456789", file);
  fclose(file);
  OK(sup_file_read_most(path, 1000, &data, &size));
  CHECK(size == 1000);
  SUP_FREE(data);
  FAILS(sup_file_read_most(path, 999, &data, &size), SUP_E_IO, "the file has more than");
  CHECK(truncate(path, (off_t)1 << 42) == 0); /* 4 TB on no disk */
  FAILS(sup_file_read_most(path, SUP_FILE_MOST_CELLS, &data, &size), SUP_E_IO,
        "the file has more than 4000 MB, the limit for its kind");
  CHECK(data == NULL);
  remove(path);
  CHECK(pipe(ends) == 0 && write(ends[1], "0123456789", 10) == 10);
  close(ends[1]);
  snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
  FAILS(sup_file_read_most(path, 9, &data, &size), SUP_E_IO, "the file has more than");
  close(ends[0]);
}

/** A child makes a temporary folder with a file in it, and waits to be killed. */
static pid_t leave(char path[256]) {
  int pipes[2];
  CHECK(pipe(pipes) == 0);
  pid_t child = fork();
  if (child == 0) {
    char file[300];
    alarm(20);
    if (sup_temporary_folder(path, 256) != SUP_OK) _exit(1);
    snprintf(file, sizeof file, "%s/page", path);
    fclose(fopen(file, "w"));
    if (write(pipes[1], path, 256) != 256) _exit(1);
    for (;;) pause();
  }
  CHECK(read(pipes[0], path, 256) == 256);
  close(pipes[0]), close(pipes[1]);
  return child;
}

/** The next temporary folder sweeps those of killed processes, not those in use. */
static void folders_of_killed_processes_are_swept(void) {
  static char killed[256], living[256], first[256], second[256];
  const char *before = getenv("TMPDIR");
  const char *names[] = {"supple-temporary-results", "supple-temporary-folder", "supple-bar"};
  char        others[3][300];
  setenv("TMPDIR", test_folder(), 1);
  for (int k = 0; k < 3; k++) { /* of users */
    snprintf(others[k], sizeof others[k], "%s/%s", test_folder(), names[k]);
    OK(sup_make_folder(others[k]));
  }
  pid_t child = leave(killed), holder = leave(living);
  OK(sup_temporary_folder(first, sizeof first));
  CHECK(access(killed, F_OK) == 0 && access(living, F_OK) == 0);
  kill(child, SIGKILL);
  CHECK(waitpid(child, NULL, 0) == child && access(killed, F_OK) == 0);
  OK(sup_temporary_folder(second, sizeof second));
  CHECK(access(killed, F_OK) != 0 && access(living, F_OK) == 0 && access(first, F_OK) == 0);
  for (int k = 0; k < 3; k++) CHECK(access(others[k], F_OK) == 0);
  kill(holder, SIGKILL);
  CHECK(waitpid(holder, NULL, 0) == holder);
  sup_temporary_folder_remove(first), sup_temporary_folder_remove(second);
  OK(sup_temporary_folder(first, sizeof first));
  CHECK(access(living, F_OK) != 0 && access(second, F_OK) != 0);
  sup_temporary_folder_remove(first);
  if (before)
    setenv("TMPDIR", before, 1);
  else
    unsetenv("TMPDIR");
}

SUITE_TESTS(base, TEST(failure_keeps_message_and_call_chain),
            TEST(arena_is_aligned_and_grows_to_its_peak), TEST(memory_failure_is_a_status),
            TEST(table_means_are_exact), TEST(smooth_tables_have_their_values_and_slopes),
            TEST(fastest_moments_are_found), TEST(means_of_smooth_tables_are_exact),
            TEST(corners_of_smooth_tables_are_starts_and_ends),
            TEST(quaternions_and_matrices_agree), TEST(nearest_word_is_suggested),
            TEST(numbers_are_parsed_whole), TEST(files_appear_whole_or_not_at_all),
            TEST(files_above_a_limit_are_refused), TEST(folders_of_killed_processes_are_swept));
