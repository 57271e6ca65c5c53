#include "app/study/rank_runs.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/ranks.h"
#include "app/signals.h"

/* ---- output of rank 0 ------------------------------------------------------------------------ */

sup_app_streams sup_app_send_streams(const char *log) {
  sup_app_streams kept = {-1, -1};
  int             file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  fflush(stdout), fflush(stderr);
  if (file < 0) return kept;
  kept = (sup_app_streams){dup(STDOUT_FILENO), dup(STDERR_FILENO)};
  dup2(file, STDOUT_FILENO), dup2(file, STDERR_FILENO);
  close(file);
  return kept;
}

void sup_app_return_streams(sup_app_streams kept) {
  fflush(stdout), fflush(stderr);
  if (kept.out < 0) return;
  dup2(kept.out, STDOUT_FILENO), dup2(kept.err, STDERR_FILENO);
  close(kept.out), close(kept.err);
}

/* ---- a level --------------------------------------------------------------------------------- */

/** Run a command on all ranks at once. */
static int perform(int argc, char **argv, double *peak) {
  bool is_static = strcmp(argv[0], "static") == 0;
  sup_process_forget_peak();
  int code = sup_app_agree(is_static ? sup_app_static(argc, argv) : sup_app_run(argc, argv));
  *peak = sup_max_of_ranks(sup_app_ranks(), sup_process_peak());
  return code;
}

/** Arguments one after the other, each with its end. */
typedef struct message {
  int64_t argc, bytes; /* argc 0: there is no more to do */
} message;

static void send_arguments(int argc, const char *const *argv) {
  const sup_collective *ranks = sup_app_ranks();
  message               m = {.argc = argc};
  for (int i = 0; i < argc; i++) m.bytes += (int64_t)strlen(argv[i]) + 1;
  char *text = malloc((size_t)m.bytes + 1), *to = text;
  if (!text) ranks->abort(ranks, SUP_EXIT_SOLVER);
  if (!text) return;
  for (int i = 0; i < argc; i++) to += strlen(strcpy(to, argv[i])) + 1;
  ranks->broadcast(ranks, 0, sizeof m, &m);
  if (argc > 0) ranks->broadcast(ranks, 0, (size_t)m.bytes, text);
  free(text);
}

void sup_app_run_on_ranks(int argc, const char *const *argv, const char *log,
                          sup_process_end *end) {
  *end = (sup_process_end){0};
  send_arguments(argc, argv);
  sup_app_streams kept = sup_app_send_streams(log);
  end->exit_code = perform(argc, (char **)(uintptr_t)argv, &end->peak_bytes); /* which it reads */
  sup_app_return_streams(kept);
}

void sup_app_release_ranks(void) { send_arguments(0, NULL); }

static void follow(const message *m) {
  const sup_collective *ranks = sup_app_ranks();
  char  *text = malloc((size_t)m->bytes + 1), **argv = calloc((size_t)m->argc + 1, sizeof *argv);
  double peak;
  if (!text || !argv) ranks->abort(ranks, SUP_EXIT_SOLVER);
  if (text && argv) {
    char *next = text;
    ranks->broadcast(ranks, 0, (size_t)m->bytes, text);
    for (int i = 0; i < (int)m->argc; i++) argv[i] = next, next += strlen(next) + 1;
    perform((int)m->argc, argv, &peak);
  }
  free(argv);
  free(text);
}

int sup_app_serve_rank(void) {
  const sup_collective *ranks = sup_app_ranks();
  sup_app_catch_signals(0);
  for (;;) {
    message m;
    ranks->broadcast(ranks, 0, sizeof m, &m);
    if (m.argc == 0) return SUP_EXIT_OK;
    follow(&m);
  }
}
