/* supple static */
#include "app/check.h"
#include "app/simulation.h"

static sup_status solve(sup_simulation *s) {
  sup_static_options o = s->scene->statics;
  while (sup_state_time(s->state) < o.end) {
    sup_step_report report;
    SUP_TRY(sup_static_step(s->stepper, s->state, &o, &report));
    SUP_TRY(sup_output_step(s->output, s->state, sup_stepper_result(s->stepper), &report));
    if (!s->options.quiet)
      fprintf(stderr, "load %.4g of 1: %d iterations, force error %.1e, %d contacts, %d cuts, snap %.3g J\n",
              sup_state_time(s->state) / o.end, report.linearisations, report.momentum_error, report.num_contacts,
              report.load_cuts, report.snap_energy);
  }
  return SUP_OK;
}

static void print_displacements(const sup_simulation *s) {
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    double          largest = 0;
    int             where = 0;
    for (int a = 0; a < soft->num_vertices; a++) {
      sup_v3 u = sup_v3_sub(sup_v3_load(s->state->x + 3 * (soft->first_vertex + a)), sup_v3_load(soft->x0 + 3 * a));
      if (sup_v3_norm(u) > largest) largest = sup_v3_norm(u), where = a;
    }
    printf("soft '%s': largest displacement %.6g mm, at vertex %d\n", soft->name, 1e3 * largest, where);
  }
}

static int run(sup_simulation *s, int argc, char **argv) {
  int quiet = s->options.quiet;
  if (sup_simulation_open(s) != SUP_OK) return sup_simulation_finish(s, SUP_OUTCOME_FAILED);
  if (s->options.check) return sup_app_check_static(s);
  if (sup_simulation_open_output(s, argc, argv) != SUP_OK) return sup_simulation_finish(s, SUP_OUTCOME_FAILED);
  if (!quiet) sup_simulation_banner(s, "linear equilibrium");
  sup_status status = solve(s);
  if (status != SUP_OK) sup_app_keep(&s->failure, status);
  int code = sup_simulation_finish(s, status == SUP_OK ? SUP_OUTCOME_COMPLETED : SUP_OUTCOME_FAILED);
  if (quiet) return code;
  if (code == SUP_EXIT_OK) print_displacements(s);
  fflush(stdout); /* the lines come in order when both streams go to one place */
  fprintf(stderr, "results: %s\n", s->folder);
  return code;
}

int sup_app_static(int argc, char **argv) {
  static const char usage[] =
      "Linear equilibrium K u = f of the soft bodies under gravity and tractions; rigid bodies stay where they\n"
      "are and contact takes no part.  The same files as `supple run`, in two frames.";
  sup_simulation s = {0};
  int            code = sup_app_parse_run(argc, argv, usage, "static examples/finray_stiffness.yaml", &s.options);
  if (code != SUP_NONE) return code;
  code = run(&s, argc, argv);
  sup_simulation_close(&s);
  return code;
}
