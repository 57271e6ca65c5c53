#include "app/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/app.h"
#include "app/app_numerics.h"
#include "app/signals.h"
#include "la/linear_solver.h"

static struct {
  const sup_collective *ranks;
  FILE                 *kept;   /* stderr of the ranks other than 0 .. */
  int                   screen; /* .. which would have gone there */
} app = {NULL, NULL, -1};

const sup_collective *sup_app_ranks(void) { return app.ranks; }

/** Open MPI, then MPICH, Slurm and others. */
static int from_environment(const char *name, const char *other) {
  const char *text = getenv(name);
  if (!text) text = getenv(other);
  return text ? atoi(text) : 0;
}

int sup_app_local_ranks(void) {
  int local = from_environment("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS");
  if (!app.ranks) return 1;
  return local > 0 ? local : app.ranks->size;
}

static void keep_words(void) {
  if (!freopen("/dev/null", "w", stdout)) return;
  app.kept = tmpfile();
  app.screen = dup(STDERR_FILENO);
  if (app.kept) dup2(fileno(app.kept), STDERR_FILENO);
}

static void show_words(void) {
  char text[4096];
  fflush(stderr);
  if (!app.kept) return;
  dup2(app.screen, STDERR_FILENO);
  rewind(app.kept);
  for (size_t n; (n = fread(text, 1, sizeof text, app.kept)) > 0;)
    if (fwrite(text, 1, n, stderr) < n) break;
  fflush(stderr);
  fclose(app.kept);
  app.kept = NULL;
}

int sup_app_begin(void) {
  if (from_environment("OMPI_COMM_WORLD_SIZE", "PMI_SIZE") < 2) return SUP_NONE;
  if (from_environment("OMPI_COMM_WORLD_RANK", "PMI_RANK") > 0) keep_words();
  if (sup_ranks_start(&app.ranks) == SUP_OK) return SUP_NONE;
  app.ranks = NULL;
  fprintf(stderr, "supple: error: several ranks: %s\n", sup_error_message());
  return SUP_EXIT_INPUT;
}

/** The code of the lowest rank that failed, on all ranks; *speaker is that rank, or SUP_NONE. */
static int agree(const sup_collective *ranks, int code, int *speaker) {
  *speaker = SUP_NONE;
  if (code != SUP_EXIT_OK && !ranks->meet(ranks, sup_app_numerics.patience)) {
    show_words();
    ranks->abort(ranks, code);
  } else if (code == SUP_EXIT_OK) {
    while (!ranks->meet(ranks, 1e9)) continue;
  }
  int *all = calloc((size_t)ranks->size, sizeof *all);
  if (!all) ranks->abort(ranks, SUP_EXIT_SOLVER);
  if (!all) return SUP_EXIT_SOLVER;
  ranks->gather(ranks, sizeof code, &code, all);
  for (int r = 0; r < ranks->size && *speaker == SUP_NONE; r++)
    if (all[r] != SUP_EXIT_OK) *speaker = r, code = all[r];
  free(all);
  return code;
}

int sup_app_end(int code) {
  int speaker;
  fflush(stdout);
  if (!sup_has_ranks(app.ranks)) return code;
  code = agree(app.ranks, code, &speaker);
  if (speaker == app.ranks->rank) show_words();
  return code;
}

void sup_app_fail_together(const sup_failure *failure) {
  if (!sup_has_ranks(app.ranks) || app.ranks->meet(app.ranks, sup_app_numerics.patience)) return;
  sup_app_print(failure, 0);
  show_words();
  app.ranks->abort(app.ranks, failure->code);
}

/** Print the kept stderr of the failed rank, unless it is 0, on stderr of rank 0; discard that of
 * the others. */
static void pass_words(int speaker) {
  const sup_collective *ranks = app.ranks;
  char                  text[4096] = "";
  if (app.kept) {
    fflush(stderr);
    rewind(app.kept);
    if (fread(text, 1, sizeof text - 1, app.kept) == 0) text[0] = '\0';
    rewind(app.kept);
    if (ftruncate(fileno(app.kept), 0) != 0) text[0] = '\0';
    lseek(STDERR_FILENO, 0, SEEK_SET);
  }
  if (speaker <= 0) return;
  ranks->broadcast(ranks, speaker, sizeof text, text);
  if (ranks->rank == 0) fputs(text, stderr);
}

int sup_app_agree(int code) {
  int speaker;
  code = agree(app.ranks, code, &speaker);
  pass_words(speaker);
  if (code == SUP_EXIT_INTERRUPTED) sup_app_interrupted = 1; /* perhaps another rank was told */
  return code;
}

bool sup_app_is_interrupted(void) {
  return sup_max_of_ranks(app.ranks, sup_app_interrupted ? 1 : 0) > 0;
}

int sup_app_refuse_ranks(const char *command) {
  fprintf(stderr, "supple: error: `%s` runs in one process; start it without mpiexec\n", command);
  return SUP_EXIT_INPUT;
}
