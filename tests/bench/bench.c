/** `make bench`: ratios and phase times of this machine in one run, as a table and
 * build/bench.json.
 *
 *  Times are medians over `runs`; absolute times of shared machines are noise, ratios within one
 * run are not. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "cholmod_yardstick.h"
#include "matrices.h"

static FILE *json;
static int   num_lines;

void bench_report(const char *name, double value, const char *unit, int runs) {
  printf("%-48s %12.4g %s\n", name, value, unit);
  fprintf(json, "%s\n  {\"name\": \"%s\", \"value\": %.9g, \"unit\": \"%s\", \"runs\": %d}",
          num_lines++ ? "," : "", name, value, unit, runs);
}

static double seconds_of(clockid_t clock_id) {
  struct timespec now;
  clock_gettime(clock_id, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_thread_time(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

double bench_process_time(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *value, int n) {
  qsort(value, (size_t)n, sizeof *value, ascending);
  return n % 2 ? value[n / 2] : 0.5 * (value[n / 2 - 1] + value[n / 2]);
}

double bench_exponent(const double *x, const double *y, int n) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    double a = log(x[i]), b = log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

int bench_fail(void) {
  fprintf(stderr, "bench: %s\n%s", sup_error_message(), sup_error_trace());
  return 1;
}

/** A part of the benchmark. */
typedef struct part {
  const char *name;
  int (*run)(void);
  int (*run_scenes)(const char *folder);
} part;

static int write_matrices(const char *folder) {
  return bench_matrices_write(folder) == SUP_OK ? 0 : bench_fail();
}

static int is_on_request(const char *name) {
  return strcmp(name, "matrices") == 0 || strcmp(name, "rank_work") == 0;
}

int main(int argc, char **argv) {
  static const part parts[] = {{"factor", bench_factor},
                               {"assembly", bench_assembly},
                               {"peers", bench_peers},
                               {"library", bench_library},
                               {"growth", NULL, bench_growth},
                               {"accuracy", bench_accuracy},
                               {"rigid", NULL, bench_rigid},
                               {"trees", NULL, bench_trees},
                               {"fields", bench_fields},
                               {"compare", NULL, bench_compare},
                               {"petsc", bench_petsc},
                               {"rank_work", bench_rank_work},
                               {"matrices", NULL, write_matrices}};
  if (bench_choose_blas(argv)) return 1;
  if (argc < 3 || argc > 4 || !(json = fopen(argv[1], "w"))) {
    fprintf(stderr, "usage: bench OUT.json FOLDER_OF_SCENES [PART]; PART is one of");
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) fprintf(stderr, " %s", parts[k].name);
    fprintf(stderr, "\n");
    return 2;
  }
  int code = 0, known = argc == 3;
  omp_set_num_threads(1);
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a pipe sees each line, too */
  fputc('[', json);
  for (size_t k = 0; k < sizeof parts / sizeof *parts && !code; k++) {
    int asked = argc == 4 && !strcmp(argv[3], parts[k].name);
    known |= asked;
    if (!asked && (argc == 4 || is_on_request(parts[k].name))) continue;
    code = parts[k].run ? parts[k].run() : parts[k].run_scenes(argv[2]);
  }
  if (!known) fprintf(stderr, "bench: there is no part '%s'\n", argv[3]);
  fprintf(json, "\n]\n");
  return fclose(json) != 0 || code || !known;
}
