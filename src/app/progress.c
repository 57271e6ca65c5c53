#include "app/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/app_numerics.h"
#include "base/timer.h"
#include "solve/solver.h"

/** Pairs that are listed at the end; summary.json has all. */
enum { MAX_LISTED_PAIRS = 12 };

static bool is_terminal(FILE *stream) {
  const char *terminal = getenv("TERM");
  return stream && isatty(fileno(stream)) && !(!terminal || strcmp(terminal, "dumb") == 0);
}

static bool has_colour(FILE *stream) {
  const char *no_colour = getenv("NO_COLOR");
  return is_terminal(stream) && (!no_colour || !*no_colour);
}

const char *sup_progress_solver(sup_contact_solver solver) {
  return solver == SUP_CONTACT_SOLVER_NEWTON ? "Newton" : sup_contact_solver_table(solver)->name;
}

void sup_progress_begin(sup_progress *progress, FILE *stream, double time, double time_end,
                        sup_contact_solver solver) {
  *progress = (sup_progress){.stream = stream,
                             .time_start = time,
                             .time_end = time_end,
                             .solver = sup_progress_solver(solver)};
  progress->is_terminal = is_terminal(stream);
  progress->start = sup_wall_time();
  progress->last = progress->start;
}

/** A duration for reading: "0.04 s", "1.4 s", "12 s", "3 min 05 s", "2 h 10 min". */
static void duration_text(char *text, size_t size, double seconds) {
  long s = (long)(seconds + 0.5);
  if (!(seconds < 1e9))
    snprintf(text, size, "long");
  else if (seconds < 10)
    snprintf(text, size, seconds < 1 ? "%.2f s" : "%.1f s", seconds);
  else if (s < 60)
    snprintf(text, size, "%ld s", s);
  else if (s < 3600)
    snprintf(text, size, "%ld min %02ld s", s / 60, s % 60);
  else
    snprintf(text, size, "%ld h %02ld min", s / 3600, s % 3600 / 60);
}

/** Characters that fit on the terminal's line; a longer one could not be rewritten in place. */
static int terminal_columns(const sup_progress *progress) {
  struct winsize window;
  int known = ioctl(fileno(progress->stream), TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
  return known ? window.ws_col - 1 : 79;
}

/** Estimate the remaining wall time by the mean speed so far; "?" at the start. */
static void eta_text(char *text, size_t size, const sup_progress *progress, double now,
                     double time) {
  double done = time - progress->time_start, left = fmax(progress->time_end - time, 0);
  if (done > 0)
    duration_text(text, size, left * (now - progress->start) / done);
  else
    snprintf(text, size, "?");
}

static void write_line(sup_progress *progress, double now, double time,
                       const sup_step_report *report) {
  char   line[200], eta[40];
  double done = time - progress->time_start, left = fmax(progress->time_end - time, 0),
         wall = now - progress->start;
  double share = done + left > 0 ? done / (done + left) : 1;
  eta_text(eta, sizeof eta, progress, now, time);
  int length = snprintf(line, sizeof line,
                        "t %.4g of %.4g s (%.0f %%), %.2g x real time, %s %d, contacts %d, ETA %s",
                        time, progress->time_end, 100 * share, wall > 0 ? done / wall : 0.0,
                        progress->solver, report->iterations, report->num_contacts, eta);
  if (progress->is_terminal) {
    int columns = terminal_columns(progress);
    if (length > columns) length = columns;
    int blanks = progress->line_length > length ? progress->line_length - length : 0;
    fprintf(progress->stream, "\r%.*s%*s", length, line, blanks, "");
    progress->line_length = length;
  } else {
    fprintf(progress->stream, "%s\n", line);
  }
  fflush(progress->stream);
  progress->last = now;
}

void sup_progress_step(sup_progress *progress, double time, const sup_step_report *report) {
  if (!progress->stream) return;
  double now = sup_wall_time();
  double interval = progress->is_terminal ? sup_app_numerics.terminal : sup_app_numerics.plain;
  if (now - progress->last >= interval) write_line(progress, now, time, report);
}

void sup_progress_load(sup_progress *progress, double time, const sup_step_report *report) {
  char eta[40];
  if (!progress->stream) return;
  double end = progress->time_end;
  fprintf(progress->stream, "load %5.1f %%: %d iteration%s, force error %.1e",
          end > 0 ? 100 * time / end : 100, report->linearisations,
          report->linearisations == 1 ? "" : "s", report->momentum_error);
  if (report->num_contacts) fprintf(progress->stream, ", contacts %d", report->num_contacts);
  if (report->load_cuts)
    fprintf(progress->stream, ", load step cut %d time%s", report->load_cuts,
            report->load_cuts == 1 ? "" : "s");
  if (report->held_back)
    fprintf(progress->stream, ", held back %d time%s", report->held_back,
            report->held_back == 1 ? "" : "s");
  if (report->saddles)
    fprintf(progress->stream, ", %s a saddle of %d direction%s at %s",
            report->is_saddle ? "on" : "left", report->saddle_directions,
            report->saddle_directions == 1 ? "" : "s", report->saddle_place);
  eta_text(eta, sizeof eta, progress, sup_wall_time(), time);
  fprintf(progress->stream, time < end ? ", ETA %s\n" : "\n", eta);
  fflush(progress->stream);
}

void sup_progress_clear(sup_progress *progress) {
  if (!progress->stream || progress->line_length == 0) return;
  fprintf(progress->stream, "\r%*s\r", progress->line_length, "");
  fflush(progress->stream);
  progress->line_length = 0;
}

/* ---- closing table --------------------------------------------------------------------------- */

static void table_row(FILE *stream, const char *name, double seconds, double total, long steps) {
  double percent = total > 0 ? 100 * seconds / total : 0;
  fprintf(stream, "  %-12s %9.3f s  %5.1f %%  %9.3f ms\n", name, seconds, percent,
          steps ? 1e3 * seconds / (double)steps : 0);
}

/** Name of the solver whose iterations are counted. */
static const char *solver_name(const sup_statistics *statistics) {
  return sup_progress_solver(statistics->obs ? statistics->obs->options.contact_solver
                                             : SUP_CONTACT_SOLVER_NEWTON);
}

static void print_table(FILE *stream, const sup_statistics *statistics, double simulated,
                        double wall) {
  char             text[40];
  double           known = statistics->wall_output;
  sup_step_seconds step;
  for (int i = 0; i < SUP_NUM_PHASES; i++) known += statistics->phase[i];
  duration_text(text, sizeof text, wall);
  fprintf(stream, "%ld %sstep%s to %.6g s in %s", statistics->steps,
          statistics->is_static ? "load " : "", statistics->steps == 1 ? "" : "s", statistics->time,
          text);
  if (statistics->is_static)
    fprintf(stream, ", cut in half %ld time%s\n", statistics->load_cuts,
            statistics->load_cuts == 1 ? "" : "s");
  else
    fprintf(stream, ": %.2f x real time\n", wall > 0 ? simulated / wall : 0.0);
  fprintf(stream, "  %-12s %11s  %7s  %12s\n", "phase", "time", "share", "per step");
  for (int i = 0; i < SUP_NUM_PHASES; i++)
    table_row(stream, sup_phase_name(i), statistics->phase[i], wall, statistics->steps);
  table_row(stream, "output", statistics->wall_output, wall, statistics->steps);
  table_row(stream, "other", fmax(wall - known, 0), wall, statistics->steps);
  if (sup_statistics_seconds(statistics, &step) == SUP_OK)
    fprintf(stream, "  step: median %.3f ms, mean %.3f ms, longest %.3f ms\n", 1e3 * step.median,
            1e3 * step.mean, 1e3 * step.max);
  const sup_running *newton = sup_statistics_of(statistics, "newton"),
                    *contacts = sup_statistics_of(statistics, "contacts"),
                    *islands = sup_statistics_of(statistics, "islands"),
                    *all = sup_statistics_of(statistics, "newton_all_islands");
  fprintf(stream, "  %s iterations: mean %.1f, most %.0f; contacts: mean %.0f, most %.0f\n",
          solver_name(statistics), sup_running_mean(newton), newton->max,
          sup_running_mean(contacts), contacts->max);
  if (islands->max > 1)
    fprintf(stream, "  islands: mean %.1f, most %.0f; %s iterations of all: mean %.1f, most %.0f\n",
            sup_running_mean(islands), islands->max, solver_name(statistics), sup_running_mean(all),
            all->max);
}

/** Pairs with soft bodies, one a line. */
static void list_softening(FILE *stream, const sup_statistics *s) {
  int listed = 0, count = 0;
  for (int i = 0; i < s->obs->num_pairs; i++) {
    const sup_softening *pair = &s->softening[i];
    char                 name[5 * SUP_NAME_MAX], field[32] = "-";
    if (!(pair->layer > 0) || count++ >= MAX_LISTED_PAIRS) continue;
    if (listed++ == 0)
      fprintf(stream, "  %-32s %9s %9s   of the soft bodies' own deflection\n", "soft contact",
              "layer", "field");
    if (pair->field > 0)
      snprintf(field, sizeof field, "%.2g %%", 100 * sup_softening_share(pair->field, pair));
    snprintf(name, sizeof name, "%s, %s", s->obs->model->body[s->obs->pair[i].a].name,
             s->obs->model->body[s->obs->pair[i].b].name);
    fprintf(stream, "  %-32s %7.2g %% %9s\n", name, 100 * sup_softening_share(pair->layer, pair),
            field);
  }
  if (count > listed) fprintf(stream, "  and %d more in summary.json\n", count - listed);
}

/** Print the energy of soft bodies that the time scheme dissipated: for information, no verdict. */
static void list_dissipation(FILE *stream, const sup_statistics *s) {
  const sup_soft_account *account = &s->account;
  if (s->is_static || !s->obs || s->obs->model->num_softs == 0 || !(account->most > 0)) return;
  fprintf(stream,
          "  numerical dissipation: %.3g mJ, %.2g %% of the energy put into soft bodies; material "
          "damping: %.3g mJ",
          1e3 * account->numerical, 100 * account->numerical / account->most,
          1e3 * account->damping);
  if (s->obs->model->num_internal > 0)
    fprintf(stream, "; viscoelasticity: %.3g mJ", 1e3 * account->relaxation);
  if (s->obs->options.soft_bdf2) fprintf(stream, "; impacts of BDF2: %ld", s->impacts);
  fputc('\n', stream);
}

void sup_progress_end(sup_progress *progress, const sup_statistics *statistics) {
  double wall = sup_wall_time() - progress->start;
  double simulated = statistics->time - progress->time_start;
  if (!progress->stream) return;
  sup_progress_clear(progress);
  if (statistics->steps == 0) {
    fprintf(progress->stream, "no step was done\n");
    return;
  }
  print_table(progress->stream, statistics, simulated, wall);
  if (statistics->obs) list_softening(progress->stream, statistics);
  list_dissipation(progress->stream, statistics);
  fflush(progress->stream);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

void sup_progress_verdicts(FILE *stream, int quiet, const sup_verdicts *verdicts) {
  static const char *const colour[] = {"\033[32m", "\033[33m", "\033[31m"};
  bool                     is_coloured = has_colour(stream);
  for (int i = 0; i < verdicts->count; i++) {
    const sup_verdict *v = &verdicts->list[i];
    bool               is_good = v->severity == SUP_SEVERITY_PASS;
    if ((quiet && is_good) || v->severity == SUP_SEVERITY_LOG) continue;
    fprintf(stream, "%s%s%s  %s%s%s\n", is_coloured ? colour[v->severity] : "",
            sup_severity_text(v->severity), is_coloured ? "\033[0m" : "", v->text,
            is_good || !v->remedy[0] ? "" : "; ", is_good ? "" : v->remedy);
  }
  fflush(stream);
}
