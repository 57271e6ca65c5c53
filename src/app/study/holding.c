/* supple holding */
#include <math.h>
#include <stdio.h>

#include "app/app.h"
#include "app/script.h"
#include "app/study/command.h"
#include "study/design.h"
#include "study/holding/holding.h"
#include "study/numerics.h"

static void print_plan(const sup_study *study) {
  const sup_family *family = &study->family[0];
  printf("%d pulls, about %.0f MB each\n", family->num_levels, family->level[0].need / SUP_MEGA);
  for (int i = 0; i < family->num_levels; i++)
    printf("case_%05d  %s\n", i + 1, family->level[i].label);
}

/** "19.9 +- 0.2", without a number "-" */
static const char *number(char text[40], double value, double bar) {
  if (!isfinite(value)) return "-";
  if (isfinite(bar))
    snprintf(text, 40, "%.5g +- %.2g", value, bar);
  else
    snprintf(text, 40, "%.5g", value);
  return text;
}

static void print_pull(const sup_study *study, int i) {
  const sup_holding     *h = study->holding;
  const sup_pull        *pull = &h->pull[i % h->num_pulls];
  const sup_pull_result *r = &h->result[i];
  const sup_pull_state  *slip = &r->at[SUP_PULL_SLIP], *peak = &r->at[SUP_PULL_PEAK];
  double                 scale = pull->turns ? 45 / atan(1) : 1e3;
  char                   text[6][40];
  char                   name[200];
  sup_pull_name(h, pull, name);
  printf("%-32s %18s %10s %18s %10s %10s %-4s %-4s %11s  %s\n", name,
         number(text[0], sup_pull_load(pull, slip), sup_pull_bar(&r->slip)),
         number(text[1], scale * slip->path, NAN),
         number(text[2], sup_pull_load(pull, peak), sup_pull_bar(&r->peak)),
         number(text[3], scale * peak->path, NAN), number(text[4], r->held, NAN),
         pull->turns ? "N m" : "N", pull->turns ? "deg" : "mm", number(text[5], r->energy, NAN),
         sup_pull_end_name(r->end));
}

static void print_grasp(const sup_grasp *g) {
  printf("grasp: %d contacts of %.5g N, epsilon %.5g N with moments over %.4g mm\n", g->num,
         g->load, g->epsilon, 1e3 * g->length);
  if (g->guide > sup_study_numerics.guide * g->load)
    printf(
        "WARN  the guide carries %.3g N of the grip, which is out of balance where it holds the "
        "object: give\n      that the pose at which `supple static` of the scene leaves it, or "
        "turn it with 'guide: loose'\n",
        g->guide);
}

/** The finest level of each case.  @return the number of pulls without a result */
static int print_result(const sup_study *study) {
  const sup_holding *h = study->holding;
  int                rungs = sup_holding_num_rungs(h), missing = 0;
  printf("%-32s %18s %10s %18s %10s %10s %-9s %11s  %s\n", "", "slip", "at", "greatest", "at",
         "held", "", "energy [J]", "end");
  for (int i = 0; i < study->family[0].num_levels; i++) {
    missing += h->result[i].end == SUP_PULL_MISSING;
    if (i / h->num_pulls % rungs < rungs - 1) continue;
    for (int p = 0; i % h->num_pulls == 0 && p < study->num_parameters; p++)
      printf("%s%s %s%s", p ? ", " : "", study->parameter[p].name,
             sup_parameter_value(&study->parameter[p], &study->family[0].level[i]),
             p < study->num_parameters - 1 ? "" : "\n");
    print_pull(study, i);
    if (study->is_static && (i + 1) % (h->num_pulls * rungs) == 0)
      print_grasp(&h->grasp[i / h->num_pulls / rungs]);
  }
  printf(
      "slip: %.3g %% of the contact area slides at the end of a step; held: by friction at the "
      "pressures of the grip\n",
      100 * h->slip_share);
  fflush(stdout);
  return missing;
}

static int run(sup_study *study, sup_level_runner *runner, const sup_study_options *o) {
  if (!o->quiet)
    fprintf(stderr, "supple holding: %s: %d pulls of %s %s, %d at a time -> %s\n", study->title,
            study->family[0].num_levels, study->is_static ? "static" : "run", study->scene,
            runner->jobs, runner->folder);
  sup_status status = sup_app_run_levels(study, runner, o->quiet);
  if (status == SUP_E_INTERRUPTED) return sup_app_interrupted_code(study, "pulls");
  if (status == SUP_OK) status = sup_holding_collect(study, runner->folder);
  if (status == SUP_OK) status = sup_holding_write(study, runner->folder);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  int missing = print_result(study);
  if (!o->no_plot) sup_app_plot("plot_holding.py", runner->folder, "holding.png", o->quiet);
  if (!o->quiet) fprintf(stderr, "results: %s\n", runner->folder);
  return missing > 0 ? SUP_EXIT_SOLVER : SUP_EXIT_OK;
}

int sup_app_holding(int argc, char **argv) {
  static const sup_study_command command = {
      .name = "holding",
      .kind = SUP_STUDY_HOLDING,
      .help =
          "Forces and moments that a grip resists: an object is pulled along directions or turned "
          "about axes (`supple\n"
          "help study holding`) from the end of the scene on, held in its other degrees of "
          "freedom or free in some, until\n"
          "it is lost or meets a limit.  Results: a table of the finest level; DIR/holding.csv, "
          "holding.json, holding.png;\n"
          "DIR/case_NNNNN has the files of each pull.  The same command resumes a study.",
      .codes = "0 done, 1 a pull has no result, 2 bad input, 3 file trouble, 4 interrupted.",
      .example = "holding examples/studies/pads_holding.yaml -o out/holding",
      .check = "read the study and its scenes, list the pulls; stop",
      .print_plan = print_plan,
      .run = run};
  return sup_app_study_main(argc, argv, &command);
}
