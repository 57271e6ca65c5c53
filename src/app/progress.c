#include "app/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/timer.h"
#include "fem/material.h"

static const double terminal_interval = 0.1, plain_interval = 5; /* [s] */

/** Deepest penetration into what does not yield, as a fraction of the smallest element or shape, that a person would
 * not ask about. */
static const double penetration_limit = 0.1;
/** Energy that an undriven scene may gain, as a fraction of the energy at play: round-off and the solver's tolerance.
 */
static const double growth_limit = 1e-3;
/** Energy that the time scheme may put into soft bodies, as a fraction of what all else puts in. */
static const double created_limit = 0.1;

/** What the layers of soft surfaces may yield, as a fraction of the bodies' own deflection, before a person should know
 *  that the contact is softer than the bodies. */
static const double softening_limit = 0.01;
/** Pairs that are listed at the end; summary.json has all. */
enum { MAX_LISTED_PAIRS = 12 };

void sup_progress_begin(sup_progress *progress, FILE *stream, double time, double time_end) {
  const char *terminal = getenv("TERM");
  const char *no_colour = getenv("NO_COLOR");
  int         is_dumb = !terminal || strcmp(terminal, "dumb") == 0;
  *progress = (sup_progress){.stream = stream, .time_start = time, .time_end = time_end};
  progress->is_terminal = stream && isatty(fileno(stream)) && !is_dumb;
  progress->has_colour = progress->is_terminal && (!no_colour || !*no_colour);
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
  int            known = ioctl(fileno(progress->stream), TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
  return known ? window.ws_col - 1 : 79;
}

static void write_line(sup_progress *progress, double now, double time, const sup_step_report *report) {
  char   line[200], eta[40] = "?";
  double done = time - progress->time_start, left = fmax(progress->time_end - time, 0), wall = now - progress->start;
  double share = done + left > 0 ? done / (done + left) : 1;
  if (done > 0) duration_text(eta, sizeof eta, left * wall / done);
  int length = snprintf(
      line, sizeof line, "t %.4g of %.4g s (%.0f %%), %.2g x real time, Newton %d, contacts %d, ETA %s", time,
      progress->time_end, 100 * share, wall > 0 ? done / wall : 0.0, report->iterations, report->num_contacts, eta);
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
  double interval = progress->is_terminal ? terminal_interval : plain_interval;
  if (now - progress->last >= interval) write_line(progress, now, time, report);
}

void sup_progress_load(sup_progress *progress, double time, const sup_step_report *report) {
  if (!progress->stream) return;
  double end = progress->time_end;
  fprintf(progress->stream, "load %5.1f %%: %d iteration%s, force error %.1e", end > 0 ? 100 * time / end : 100,
          report->linearisations, report->linearisations == 1 ? "" : "s", report->momentum_error);
  if (report->num_contacts) fprintf(progress->stream, ", contacts %d", report->num_contacts);
  if (report->load_cuts)
    fprintf(progress->stream, ", load step cut %d time%s", report->load_cuts, report->load_cuts == 1 ? "" : "s");
  if (report->held_back)
    fprintf(progress->stream, ", held back %d time%s", report->held_back, report->held_back == 1 ? "" : "s");
  fputc('\n', progress->stream);
  fflush(progress->stream);
}

void sup_progress_clear(sup_progress *progress) {
  if (!progress->stream || progress->line_length == 0) return;
  fprintf(progress->stream, "\r%*s\r", progress->line_length, "");
  fflush(progress->stream);
  progress->line_length = 0;
}

/* ---- closing table ------------------------------------------------------------------------------------------------
 */

static void table_row(FILE *stream, const char *name, double seconds, double total, long steps) {
  double percent = total > 0 ? 100 * seconds / total : 0;
  fprintf(stream, "  %-12s %9.3f s  %5.1f %%  %9.3f ms\n", name, seconds, percent,
          steps ? 1e3 * seconds / (double)steps : 0);
}

static void print_table(FILE *stream, const sup_statistics *statistics, double simulated, double wall) {
  char             text[40];
  double           known = statistics->wall_output;
  sup_step_seconds step;
  for (int i = 0; i < SUP_NUM_PHASES; i++) known += statistics->phase[i];
  duration_text(text, sizeof text, wall);
  fprintf(stream, "%ld %sstep%s to %.6g s in %s", statistics->steps, statistics->is_static ? "load " : "",
          statistics->steps == 1 ? "" : "s", statistics->time, text);
  if (statistics->is_static)
    fprintf(stream, ", cut in half %ld time%s\n", statistics->load_cuts, statistics->load_cuts == 1 ? "" : "s");
  else
    fprintf(stream, ": %.2f x real time\n", wall > 0 ? simulated / wall : 0.0);
  fprintf(stream, "  %-12s %11s  %7s  %12s\n", "phase", "time", "share", "per step");
  for (int i = 0; i < SUP_NUM_PHASES; i++)
    table_row(stream, sup_phase_name(i), statistics->phase[i], wall, statistics->steps);
  table_row(stream, "output", statistics->wall_output, wall, statistics->steps);
  table_row(stream, "other", fmax(wall - known, 0), wall, statistics->steps);
  if (sup_statistics_seconds(statistics, &step) == SUP_OK)
    fprintf(stream, "  step: median %.3f ms, mean %.3f ms, longest %.3f ms\n", 1e3 * step.median, 1e3 * step.mean,
            1e3 * step.max);
  fprintf(stream, "  Newton iterations: mean %.1f, most %d; contacts: mean %.0f, most %d\n",
          (double)statistics->newton_sum / (double)statistics->steps, statistics->newton_max,
          (double)statistics->contacts_sum / (double)statistics->steps, statistics->contacts_max);
  if (statistics->islands_max > 1)
    fprintf(stream, "  islands: mean %.1f, most %d; Newton iterations of all: mean %.1f, most %d\n",
            (double)statistics->islands_sum / (double)statistics->steps, statistics->islands_max,
            (double)statistics->all_newton_sum / (double)statistics->steps, statistics->all_newton_max);
}

/* ---- verdicts -----------------------------------------------------------------------------------------------------
 */

/** "PASS  text" or "WARN  text"; returns 1 for a warning. */
static int verdict(const sup_progress *progress, int is_good, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int verdict(const sup_progress *progress, int is_good, const char *format, ...) {
  va_list     args;
  const char *on = !progress->has_colour ? "" : is_good ? "\033[32m" : "\033[33m";
  const char *off = progress->has_colour ? "\033[0m" : "";
  fprintf(progress->stream, "%s%s%s  ", on, is_good ? "PASS" : "WARN", off);
  va_start(args, format);
  vfprintf(progress->stream, format, args);
  va_end(args);
  fputc('\n', progress->stream);
  return !is_good;
}

static const double island_error_limit = 0.01;

static int judge_solver(const sup_progress *progress, const sup_statistics *s) {
  int warnings =
      verdict(progress, s->momentum_error_max <= s->tolerance, "%s error: at most %.2g at t = %.4g s (tolerance %.2g)",
              s->is_static ? "force" : "momentum", s->momentum_error_max, s->momentum_error_time, s->tolerance);
  if (s->island_error_max > island_error_limit)
    warnings += verdict(progress, 0,
                        "momentum error of bodies that touch each other, relative to theirs alone: at most %.2g at t = "
                        "%.4g s (limit %.2g): beside much heavier or faster ones light things are rough; a smaller "
                        "solver.tolerance or scenes of their own help",
                        s->island_error_max, s->island_error_time, island_error_limit);
  if (s->not_converged > 0)
    warnings += verdict(progress, 0, "solver: %ld of %ld steps did not converge", s->not_converged, s->steps);
  return warnings;
}

static int judge_incidents(const sup_progress *progress, const sup_incidents *incidents, const char *what) {
  if (incidents->steps == 0) return 0;
  return verdict(progress, 0, "pressure fields: in %ld step%s, first at t = %.4g s between '%s' and '%s', bodies %s",
                 incidents->steps, incidents->steps == 1 ? "" : "s", incidents->time, incidents->body[0],
                 incidents->body[1], what);
}

static int judge_geometry(const sup_progress *progress, const sup_statistics *s) {
  int    warnings = 0;
  double fraction = s->feature_size > 0 ? s->stiff_penetration_max / s->feature_size : 0;
  warnings +=
      verdict(progress, fraction <= penetration_limit,
              "penetration%s: at most %.3g mm, %.2g %% of the smallest element or shape (%.3g mm; limit %.0f %%)",
              s->stiff_penetration_max < s->penetration_max ? " (not into compliant bodies)" : "",
              1e3 * s->stiff_penetration_max, 100 * fraction, 1e3 * s->feature_size, 100 * penetration_limit);
  warnings += verdict(progress, s->inverted_max == 0, "inverted elements: %s%d", s->inverted_max ? "up to " : "",
                      s->inverted_max);
  warnings += judge_incidents(progress, &s->silent,
                              "overlapped too deep to touch: a smaller step, a larger modulus or a thicker body holds "
                              "them apart");
  warnings += judge_incidents(progress, &s->passed,
                              "passed each other within the step without contact: a smaller step or a larger margin of "
                              "their fields makes them meet");
  return warnings;
}

/** Pairs with soft bodies, one a line. */
static void list_softening(FILE *stream, const sup_statistics *s) {
  int listed = 0, count = 0;
  for (int i = 0; i < s->obs->num_pairs; i++) {
    const sup_softening *pair = &s->softening[i];
    char                 name[5 * SUP_NAME_MAX], field[32] = "-";
    if (!(pair->layer > 0) || count++ >= MAX_LISTED_PAIRS) continue;
    if (listed++ == 0)
      fprintf(stream, "  %-32s %9s %9s   of the soft bodies' own deflection\n", "soft contact", "layer", "field");
    if (pair->field > 0) snprintf(field, sizeof field, "%.2g %%", 100 * sup_softening_share(pair->field, pair));
    snprintf(name, sizeof name, "%s, %s", s->obs->model->body[s->obs->pair[i].a].name,
             s->obs->model->body[s->obs->pair[i].b].name);
    fprintf(stream, "  %-32s %7.2g %% %9s\n", name, 100 * sup_softening_share(pair->layer, pair), field);
  }
  if (count > listed) fprintf(stream, "  and %d more in summary.json\n", count - listed);
}

static int judge_softening(const sup_progress *progress, const sup_statistics *s) {
  int i = sup_statistics_softest(s);
  if (i == SUP_NONE) return 0;
  const sup_body *body = s->obs->model->body, *a = &body[s->obs->pair[i].a], *b = &body[s->obs->pair[i].b];
  double          share = sup_softening_share(s->softening[i].layer, &s->softening[i]);
  const char     *remedy = share <= softening_limit ? ""
                           : a->soft != SUP_NONE && b->soft != SUP_NONE
                               ? "; more cells across the bodies make it stiffer"
                               : "; more cells across the soft body, or a larger 'stiffness' of the contact pair when the "
                                 "other is not compliant, make it stiffer";
  return verdict(progress, share <= softening_limit,
                 "contact layers: yield at most %.2g %% of the soft bodies' own deflection, between '%s' and '%s' "
                 "(limit %.0f %%)%s",
                 100 * share, a->name, b->name, 100 * softening_limit, remedy);
}

/** What to do where stretches leave the range of a law. */
static const char *remedy_of_stretch(sup_material_model model, double value) {
  int goes_far = model == SUP_MATERIAL_NEO_HOOKEAN || model == SUP_MATERIAL_STABLE_NEO_HOOKEAN;
  if (value < 0 && model != SUP_MATERIAL_STABLE_NEO_HOOKEAN)
    return " (below 0: a cell is inside out); stable_neo_hookean, smaller steps or loads may keep cells upright";
  if (value < 0) return " (below 0: a cell is inside out); smaller steps or loads may keep cells upright";
  return goes_far ? "; no law here goes farther: smaller loads or a stiffer material"
                  : "; neo_hookean and stable_neo_hookean go farther";
}

static int judge_stretches(const sup_progress *progress, const sup_statistics *s) {
  const sup_overstretch *worst = &s->overstretch;
  if (!s->obs || worst->soft == SUP_NONE) return 0;
  const sup_soft    *soft = &s->obs->model->soft[worst->soft];
  sup_material_model model = sup_fem_material(soft->fem, worst->material)->model;
  return verdict(progress, 0, "stretches: %.3g in '%s' at t = %.4g s; its law %s is trusted from %.2g to %.2g%s",
                 worst->value, s->obs->model->body[soft->body].name, worst->time, sup_fem_material_name(model),
                 worst->least, worst->most, remedy_of_stretch(model, worst->value));
}

static int judge_snaps(const sup_progress *progress, const sup_statistics *s) {
  if (s->snaps.steps == 0) return 0;
  return verdict(
      progress, 0,
      "stability: unstable on the way in %ld load step%s, first to t = %.4g s; %.3g mJ were set free and taken "
      "by a damping that has vanished at the end: more load steps show where it snaps",
      s->snaps.steps, s->snaps.steps == 1 ? "" : "s", s->snaps.time, 1e3 * s->snaps.energy);
}

/** What the time scheme took of the soft bodies' energy: for information, no verdict. */
static void list_dissipation(FILE *stream, const sup_statistics *s) {
  const sup_soft_account *account = &s->account;
  if (s->is_static || !s->obs || s->obs->model->num_softs == 0 || !(account->most > 0)) return;
  fprintf(stream,
          "  numerical dissipation: %.3g mJ, %.2g %% of the energy put into soft bodies; material damping: %.3g mJ",
          1e3 * account->numerical, 100 * account->numerical / account->most, 1e3 * account->damping);
  if (s->obs->model->options.soft_bdf2) fprintf(stream, "; impacts of BDF2: %ld", s->impacts);
  fputc('\n', stream);
}

static int judge_energy(const sup_progress *progress, const sup_statistics *s) {
  double limit = growth_limit * s->energy_scale;
  if (s->nonfinite > 0)
    return verdict(progress, 0, "energy: %ld numbers were NaN or infinite and are missing in the files", s->nonfinite);
  if (s->is_static) return 0;
  if (s->account.numerical < -created_limit * s->account.most)
    return verdict(
        progress, 0,
        "energy: the time scheme put %.3g mJ into soft bodies, %.2g %% of what all else did (limit %.0f %%): with "
        "rotations "
        "of the step's start walls that are pulled hard swing; a smaller time.step or 'model: corotational' helps",
        -1e3 * s->account.numerical, -100 * s->account.numerical / s->account.most, 100 * created_limit);
  if (s->is_driven)
    return verdict(progress, 1, "energy: %.4g J at the end, finite throughout (the scene is driven from outside)",
                   s->energy_last);
  if (s->is_explicit)
    return verdict(progress, 1,
                   "energy: %.4g J at the end, finite throughout; swings by %.2g J (springs of an explicit scheme)",
                   s->energy_last, s->energy_growth);
  return verdict(progress, s->energy_growth <= limit,
                 "energy: %.4g J at the end; grew by at most %.2g J without a drive (limit %.2g J)", s->energy_last,
                 s->energy_growth, limit);
}

int sup_progress_end(sup_progress *progress, const sup_statistics *statistics) {
  double wall = sup_wall_time() - progress->start;
  double simulated = statistics->time - progress->time_start;
  if (!progress->stream) return 0;
  sup_progress_clear(progress);
  if (statistics->steps == 0) {
    fprintf(progress->stream, "no step was done\n");
    return 0;
  }
  print_table(progress->stream, statistics, simulated, wall);
  if (statistics->obs) list_softening(progress->stream, statistics);
  list_dissipation(progress->stream, statistics);
  int warnings = judge_solver(progress, statistics) + judge_geometry(progress, statistics) +
                 judge_softening(progress, statistics) + judge_stretches(progress, statistics) +
                 judge_snaps(progress, statistics) + judge_energy(progress, statistics);
  fflush(progress->stream);
  return warnings;
}
