/* supple static */
#include "app/check.h"
#include "app/ranks.h"
#include "app/signals.h"
#include "app/simulation.h"
#include "app/study/estimate.h"
#include "step/step.h"

static int is_interrupted(void *user) {
  (void)user;
  return sup_app_is_interrupted();
}

static void solve(sup_simulation *s, sup_progress *progress) {
  sup_static_options o = s->scene->statics;
  o.should_stop = is_interrupted;
  while (sup_simulation_goes_on(s)) {
    sup_step_report report = {0};
    sup_status      status = sup_static_step(s->stepper, s->state, &o, &report);
    if (status == SUP_OK && report.reason == SUP_REASON_STOPPED) break;
    if (status != SUP_OK) {
      sup_simulation_record_failure(s, status);
      if (status == SUP_E_NOT_CONVERGED) s->failure.code = SUP_EXIT_SOLVER;
      sup_app_fail_together(&s->failure);
      sup_checkpoints_write(s);
      sup_simulation_write_failed_step(s, &report);
      return;
    }
    s->has_stepped = 1;
    status = sup_output_step(s->output, s->state, sup_stepper_result(s->stepper), &report);
    if (status != SUP_OK) {
      sup_app_record_failure(&s->failure, status);
      return;
    }
    sup_checkpoints_step(s);
    sup_progress_load(progress, sup_state_time(s->state), &report);
  }
  if (!sup_simulation_is_over(s)) sup_checkpoints_write(s);
}

static void print_displacements(const sup_simulation *s) {
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    double          largest = 0;
    int             where = 0;
    for (int a = 0; a < soft->num_vertices; a++) {
      sup_v3 u = sup_v3_sub(sup_v3_load(s->state->x + 3 * (soft->first_vertex + a)),
                            sup_v3_load(soft->x0 + 3 * a));
      if (sup_v3_norm(u) > largest) largest = sup_v3_norm(u), where = a;
    }
    printf("soft '%s': largest displacement %.6g mm, at vertex %d\n", soft->name, 1e3 * largest,
           where);
  }
}

/** Print the positions of the first 20 joints and free bodies at rest; the history has all. */
static void print_places(const sup_simulation *s) {
  enum { MOST = 20 };
  int num = 0;
  if (!s->has_stepped) return;
  for (int t = 0; t < s->model->num_trees; t++) {
    const sup_tree *tree = s->model->tree[t];
    for (int l = 0; l < tree->num_links && num < MOST; l++) {
      const sup_tree_link *link = &tree->links[l];
      const double        *q = s->state->q + sup_model_link_q(s->model, t, l);
      if (link->nv == 0) continue;
      num++;
      if (link->nv == 1) {
        printf("joint '%s' of '%s': %.6g %s\n", link->joint_name, tree->name, q[0],
               sup_joint_turns(link, 0) ? "rad" : "m");
        continue;
      }
      int    body = sup_model_link_body(s->model, t, l);
      sup_v3 p = sup_stepper_result(s->stepper)->X_WL[body].p;
      printf("rigid '%s': at (%.6g, %.6g, %.6g) m\n", s->model->body[body].name, p.x, p.y, p.z);
    }
  }
}

/** Print the reaction of each clamp and hold on its body. */
static void print_reactions(const sup_simulation *s) {
  if (!s->has_stepped) return;
  const sup_wrench *reaction = sup_stepper_result(s->stepper)->reaction;
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    for (int k = 0; k < soft->num_dirichlet; k++) {
      sup_v3 f = reaction[soft->first_dirichlet + k].force,
             m = reaction[soft->first_dirichlet + k].moment;
      printf("soft '%s': reaction of '%s' (%.6g, %.6g, %.6g) N, moment (%.6g, %.6g, %.6g) N m\n",
             soft->name, soft->dirichlet[k].name, f.x, f.y, f.z, m.x, m.y, m.z);
    }
  }
}

static int run(sup_simulation *s, int argc, char **argv) {
  sup_progress progress;
  char         what[100];
  int          quiet = s->options.quiet;
  if (s->options.check) return sup_app_check(s, 1);
  if (sup_simulation_open(s) != SUP_OK) return sup_simulation_finish(s, SUP_OUTCOME_FAILED, NULL);
  sup_app_catch_signals(1);
  s->scene->output.static_tolerance = s->scene->statics.tolerance;
  s->scene->output.every = s->scene->output.history_every = 0; /* their times are of motion */
  sup_progress_begin(&progress, quiet ? NULL : stderr, s->state->time, s->scene->end_time,
                     s->scene->options.contact_solver);
  if (sup_simulation_open_output(s, argc, argv) != SUP_OK)
    return sup_simulation_finish(s, SUP_OUTCOME_FAILED, NULL);
  snprintf(what, sizeof what, "equilibrium in %d load step%s", s->scene->statics.steps,
           s->scene->statics.steps == 1 ? "" : "s");
  if (!quiet) sup_simulation_banner(s, what);
  solve(s, &progress);
  int code = sup_simulation_finish(s, sup_simulation_outcome(s), &progress);
  if (code == SUP_EXIT_INTERRUPTED)
    fprintf(stderr, "supple: interrupted at load %.3g %%; everything up to there was written\n",
            100 * sup_state_time(s->state) / s->scene->statics.end);
  if (!sup_simulation_is_over(s)) sup_simulation_print_resume(s);
  if (quiet) return code;
  if (code == SUP_EXIT_OK || code == SUP_EXIT_WARNINGS) {
    print_displacements(s);
    print_places(s);
    print_reactions(s);
  }
  fflush(stdout); /* the lines come in order when both streams go to one place */
  fprintf(stderr, "results: %s\n", s->folder);
  return code;
}

int sup_app_static(int argc, char **argv) {
  static const char usage[] =
      "Equilibrium of a scene at the end of its time: large displacements, contact with friction, "
      "no inertia, no\n"
      "damping.  Gravity and constant loads grow in static.steps load steps, tables are followed; "
      "a load step that\n"
      "does not converge is cut in half.  The same files as `supple run`, a frame each load step.\n"
      "Ctrl-C ends the run before the present load step, with all results written; twice: at "
      "once.\n" SUP_APP_ESTIMATE_USAGE;
  return sup_app_run_with_estimate(1, usage, "static examples/finray_stiffness.yaml", run, argc,
                                   argv);
}
