#include "app/study/estimate.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "app/ranks.h"
#include "app/script.h"
#include "app/signals.h"
#include "app/study/levels.h"
#include "app/study/rank_runs.h"
#include "base/timer.h"
#include "study/budget.h"

enum { FIELD_SIZE = 40 };

/* ---- costs ----------------------------------------------------------------------------------- */

/** Estimated wall time of a repeat, relative to the run. */
static double times_of(const sup_repeat *repeat) {
  return repeat->source == SUP_SOURCE_STEP   ? exp2(repeat->halvings)
         : repeat->source == SUP_SOURCE_MESH ? pow(8, repeat->halvings)
                                             : 1;
}

void sup_app_print_costs(const sup_estimate *e, FILE *out) {
  for (int f = 0; f < e->study->num_families; f++) {
    const sup_level  *level = e->study->family[f].level;
    const sup_repeat *repeat = &e->repeat[f];
    fprintf(out, "estimate: %s: ", level->label);
    if (repeat->source == SUP_SOURCE_MESH)
      fprintf(out, "%.0f cells instead of %.0f", e->cells * pow(8, repeat->halvings), e->cells);
    else if (repeat->source != SUP_SOURCE_STEP)
      fprintf(out, "the time of the run");
    else if (repeat->halvings == 1)
      fprintf(out, e->has_accuracy ? "1.4 times the time of the run, or up to twice"
                                   : "twice the time of the run");
    else
      fprintf(out, "up to %.0f times the time of the run", times_of(repeat));
    fprintf(out, ", about %.0f MB\n", level->need / SUP_MEGA);
  }
}

/** Print the estimated wall times of the repeats by that of the run. */
static void print_times(const sup_estimate *e, double wall) {
  fprintf(stderr, "estimate: the run took %.1f s;", wall);
  for (int f = 0; f < e->study->num_families; f++)
    fprintf(stderr, "%s %s about %.0f s", f ? "," : "", e->study->family[f].name,
            ceil(wall * times_of(&e->repeat[f])));
  fprintf(stderr, "\n");
}

/* ---- the table ------------------------------------------------------------------------------- */

static const char *percent(char text[FIELD_SIZE], double part, double whole) {
  snprintf(text, FIELD_SIZE, "-");
  if (isfinite(part)) snprintf(text, FIELD_SIZE, "%.2g %%", 100 * part / whole + 0.0); /* no "-0" */
  return text;
}

static int name_width(const sup_estimate *e) {
  size_t width = strlen("quantity");
  for (int i = 0; i < e->num_rows; i++)
    if (strlen(e->row[i].def.source) > width) width = strlen(e->row[i].def.source);
  return (int)width;
}

/** Changes by the first repeat of each source, relative to the size of the value: its sign does not
 * matter. */
static void print_row(const sup_estimate *e, const sup_estimate_row *row, int width) {
  char value[FIELD_SIZE], bar[FIELD_SIZE] = "not converged", text[FIELD_SIZE];
  snprintf(value, sizeof value, "%.5g %s", row->value, row->def.unit);
  if (isfinite(row->error)) snprintf(bar, sizeof bar, "+- %.2g %s", row->error, row->def.unit);
  printf("  %-*s %-9s %16s", width, row->def.source, sup_window_value_name(row->def.take), value);
  for (int s = 0; s < SUP_NUM_SOURCES; s++) {
    if (e->num[s] == 0) continue;
    double first = row->repeat[sup_estimate_find(e, (sup_source)s, 1)];
    printf(" %11s", percent(text, first - row->value, row->value));
  }
  if (e->num[SUP_SOURCE_MESH] > 1) printf(" %6.2g", row->part[SUP_SOURCE_MESH].order);
  if (e->num_models) printf(" %11s", percent(text, row->spread, fabs(row->value)));
  printf(" %16s %8s\n", bar, percent(text, row->error, fabs(row->value)));
}

static const char *step_name(const sup_estimate *e) {
  return e->study->is_static ? "by 2n steps" : e->has_accuracy ? "by acc./2" : "by dt/2";
}

static void print_heads(const sup_estimate *e, int width) {
  printf("  %-*s %-9s %16s", width, "quantity", "take", "value");
  if (e->num[SUP_SOURCE_STEP]) printf(" %11s", step_name(e));
  if (e->num[SUP_SOURCE_MESH]) printf(" %11s", "by mesh");
  if (e->num[SUP_SOURCE_LAYER]) printf(" %11s", "by layer");
  if (e->num[SUP_SOURCE_MESH] > 1) printf(" %6s", "order");
  if (e->num_models) printf(" %11s", "models");
  printf(" %16s %8s\n", "error bar", "");
}

static void print_table(const sup_estimate *e) {
  int width = name_width(e), meshes = e->num[SUP_SOURCE_MESH];
  if (e->num_rows > 0) print_heads(e, width);
  for (int i = 0; i < e->num_rows; i++) print_row(e, &e->row[i], width);
  if (e->num_small + e->num_exact > 0)
    printf("  left out: %d below 1 %% of the largest of their kind, %d that no repeat changes\n",
           e->num_small, e->num_exact);
  if (e->num_unwritten > 0)
    printf("  without an error bar: %d quantities whose columns output.history leaves out\n",
           e->num_unwritten);
  printf("error bars: 1.25 x (2 |change %s|%s%s), %s\n", step_name(e),
         meshes > 1   ? " + 2^p/(2^p - 1) |change by mesh|"
         : meshes > 0 ? " + 2 |change by mesh|"
                      : "",
         e->num[SUP_SOURCE_LAYER] ? " + 2 |change by layer|" : "",
         meshes > 1 ? "first order in the step, observed order p of the mesh, at most 2"
                    : "first order assumed");
  if (e->study->is_static) printf("n: the load steps of the run itself\n");
  printf("%s\n", e->advice);
  fflush(stdout);
}

/* ---- the command ----------------------------------------------------------------------------- */

/** @return exit code when there can be no estimate, else SUP_NONE */
static int begin(const sup_run_options *o, bool is_static, const char *program, sup_estimate **e) {
  sup_estimate_def def = {.program = program,
                          .scene = o->scene,
                          .sets = o->sets.word,
                          .num_sets = o->sets.count,
                          .threads = o->threads,
                          .num_ranks = sup_app_ranks() ? sup_app_ranks()->size : 1,
                          .is_static = is_static,
                          .budget = sup_default_budget(),
                          .memory = sup_app_memory()};
  def.budget.halvings[SUP_SOURCE_MESH] = o->refinements;
  if (o->compare_models) def.budget.models = ~0u;
  sup_app_log(0); /* the run says the same */
  sup_status status = sup_estimate_create(e, &def);
  sup_app_log(1);
  if (status == SUP_OK) return SUP_NONE;
  int code = sup_app_report(status, o->verbose);
  return status == SUP_E_IO && access(o->scene, R_OK) == 0 ? SUP_EXIT_INPUT
                                                           : code; /* it names a file that is not */
}

/** The repeats of a run that is complete. */
static int repeat(sup_estimate *e, const sup_simulation *s, const char *program) {
  char             folder[SUP_STUDY_PATH_SIZE];
  sup_level_runner schedule = {.program = program, .folder = folder};
  snprintf(folder, sizeof folder, "%.3900s/estimate", s->folder);
  schedule.jobs =
      sup_app_jobs(s->options.threads > e->study->threads ? s->options.threads : e->study->threads);
  schedule.memory = sup_app_memory();
  sup_app_level_ranks(&schedule);
  sup_status status = sup_app_run_levels(e->study, &schedule, s->options.quiet);
  if (status == SUP_E_INTERRUPTED) return sup_app_interrupted_code(e->study, "repeats");
  if (status == SUP_OK) status = sup_estimate_evaluate(e, s->folder, folder);
  if (status == SUP_OK) status = sup_estimate_write(e, s->folder);
  if (status != SUP_OK) return sup_app_report(status, s->options.verbose);
  if (!s->options.quiet) print_table(e);
  return sup_app_failed_code(e->study);
}

/** Rank 0 has the estimate; SUP_NONE or an exit code on all ranks. */
static int begin_on_ranks(const sup_simulation *s, const char *program, sup_estimate **e) {
  const sup_collective *ranks = sup_app_ranks();
  int                   code = SUP_NONE;
  if (sup_is_first_rank(ranks)) code = begin(&s->options, s->is_static, program, e);
  if (ranks) ranks->broadcast(ranks, 0, sizeof code, &code);
  return code;
}

/** Run the repeats on all ranks after a run that is complete. */
static int repeat_on_ranks(sup_estimate *e, const sup_simulation *s, const char *program) {
  if (!sup_is_first_rank(sup_app_ranks())) return sup_app_serve_rank();
  int code = repeat(e, s, program);
  if (sup_app_ranks()) sup_app_release_ranks();
  return code;
}

static int run_with_estimate(sup_simulation *s, int (*run)(sup_simulation *, int, char **),
                             int argc, char **argv) {
  char          program[SUP_STUDY_PATH_SIZE];
  sup_estimate *e = NULL;
  int           asked = s->options.estimate;
  if (asked) {
    if (!sup_app_find_program(program)) return SUP_EXIT_FILE;
    int code = begin_on_ranks(s, program, &e);
    if (code != SUP_NONE) return code;
    if (e && !s->options.quiet) sup_app_print_costs(e, s->options.check ? stdout : stderr);
  }
  double start = sup_wall_time();
  int    code = run(s, argc, argv);
  sup_simulation_close(s);
  if (asked && sup_app_ranks()) code = sup_app_agree(code);
  int is_complete = (code == SUP_EXIT_OK || code == SUP_EXIT_WARNINGS) && !s->options.check,
      own = code;
  if (e && is_complete && !s->options.quiet) print_times(e, sup_wall_time() - start);
  if (asked && is_complete) code = repeat_on_ranks(e, s, program);
  if (code == SUP_EXIT_OK && is_complete) code = own; /* --strict */
  sup_estimate_destroy(&e);
  return code;
}

int sup_app_run_with_estimate(bool is_static, const char *usage, const char *example,
                              int (*run)(sup_simulation *, int, char **), int argc, char **argv) {
  sup_simulation s = {.is_static = is_static};
  int            code = sup_app_parse_run(argc, argv, usage, example, &s.options);
  if (code == SUP_NONE) code = sup_resume_open(&s.resume, &s.options, is_static ? "static" : "run");
  if (code != SUP_NONE) return code;
  if (s.options.check)
    sup_app_end_at_signals(); /* nothing to complete */
  else if (sup_app_ranks())
    sup_app_catch_signals(1);
  else
    sup_app_catch_signals_while_reading();
  code = run_with_estimate(&s, run, argc, argv);
  if (s.options.share && !s.options.check && code != SUP_EXIT_INPUT && code != SUP_EXIT_FILE &&
      sup_is_first_rank(sup_app_ranks()))
    sup_app_plot("share.py", s.folder, "share.html", s.options.quiet);
  return code;
}
