/* supple stiffness */
#include <math.h>
#include <stdio.h>

#include "app/app.h"
#include "app/script.h"
#include "app/study/command.h"
#include "study/stiffness/stiffness.h"

static void print_plan(const sup_study *study) {
  const sup_stiffness *t = study->stiffness;
  printf("%d positions on '%s', %d radii, %d depths: %d runs, about %.0f MB each\n", t->count,
         t->body, t->num_radii, t->num_depths, t->num_depths ? t->count * t->num_radii : 0,
         t->need / SUP_MEGA);
}

static void print_table(const sup_stiffness *t) {
  printf("%9s %9s %12s %12s %12s %11s", "radius", "position", "normal", "along", "across",
         "adaptivity");
  for (int k = 0; k < t->num_depths; k++) printf(" %9.4g mm", SUP_MILLI * t->depth[k]);
  printf("%s\n%9s %9s %12s %12s %12s %11s", t->num_depths ? "        along" : "", "[mm]", "[mm]",
         "[N/mm]", "[N/mm]", "[N/mm]", "[-]");
  for (int k = 0; k < t->num_depths; k++) printf(" %12s", "[N/mm]");
  printf("%s\n", t->num_depths ? "       [N/mm]" : "");
  for (int i = 0; i < t->num; i++) {
    const sup_station *s = &t->station[i];
    printf("%9.4g %9.4g", SUP_MILLI * s->radius, SUP_MILLI * s->along);
    for (int c = 0; c < 3; c++) printf(" %12.5g", s->tangent[c] / SUP_MILLI);
    printf(" %11.4f", s->adaptivity);
    for (int k = 0; k < t->num_depths; k++)
      printf(" %12.5g", s->force[k] / t->depth[k] / SUP_MILLI);
    if (t->num_depths) printf(" %12.5g", s->secant_along / SUP_MILLI);
    printf("\n");
  }
}

static int run(sup_study *study, sup_level_runner *runner, const sup_study_options *o) {
  sup_watcher watcher;
  if (!o->quiet)
    fprintf(stderr, "supple stiffness: %s: %d positions, %d radii, %d runs at a time -> %s\n",
            study->title, study->stiffness->count, study->stiffness->num_radii, runner->jobs,
            runner->folder);
  sup_app_watch_levels(runner, &watcher, o->quiet);
  sup_status status = sup_stiffness_run(study, runner);
  if (status == SUP_E_INTERRUPTED) return sup_app_interrupted_code(study, "runs");
  if (status == SUP_OK) status = sup_stiffness_write(study, runner->folder);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  print_table(study->stiffness);
  for (int k = 0; k < study->stiffness->num_warnings; k++)
    fprintf(stderr, "WARN  %s\n", study->stiffness->warning[k]);
  if (study->stiffness->refusal[0]) printf("no tangents: %s\n", study->stiffness->refusal);
  fflush(stdout);
  if (!o->no_plot) sup_app_plot("plot_stiffness.py", runner->folder, "stiffness.png", o->quiet);
  if (!o->quiet) fprintf(stderr, "results: %s\n", runner->folder);
  return sup_app_failed_code(study);
}

int sup_app_stiffness(int argc, char **argv) {
  static const sup_study_command command = {
      .name = "stiffness",
      .kind = SUP_STUDY_STIFFNESS,
      .help =
          "Stiffness of a soft body at positions along its face (`supple help study stiffness`): "
          "normal, along the face and\n"
          "across it.  Tangents are force over mean displacement of a patch about the equilibrium "
          "of `supple static`, all\n"
          "from one factor; secants are force over depth of rigid indenters, a run for each.  "
          "Adaptivity, as defined here:\n"
          "way of the last position against the force, over that of the loaded one.  Results: a "
          "table; DIR/stiffness.csv,\n"
          "stiffness.json, stiffness.png.",
      .codes = "0 done, 1 a run failed, 2 bad input, 3 file trouble, 4 interrupted.",
      .example = "stiffness examples/studies/finray_stiffness_map.yaml -o out/map",
      .check = "read study and scene, tell the number of runs; stop",
      .print_plan = print_plan,
      .run = run};
  return sup_app_study_main(argc, argv, &command);
}
