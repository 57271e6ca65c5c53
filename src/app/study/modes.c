/* supple modes */
#include <math.h>
#include <string.h>

#include "app/app_numerics.h"
#include "app/ranks.h"
#include "app/signals.h"
#include "app/simulation.h"
#include "base/file/file.h"
#include "output/manifest.h"
#include "output/mode_file.h"
#include "step/equations.h"
#include "step/static/modes.h"

typedef struct modes_options {
  sup_run_options run; /* scene, folder, sets, threads, quiet, verbose */
  int             num, is_loaded, is_buckling;
} modes_options;

/** Buckling by the equilibrium at a share of the load, or, negative, at all of it but that share.
 */
static sup_status buckle_at(sup_simulation *s, const modes_options *o, double share,
                            sup_modes *modes) {
  SUP_OWN(sup_state) *next = NULL;
  sup_static_options  options = s->scene->statics;
  sup_step_report     report = {0};
  options.ramp = 1, options.steps = (int)(1 / fabs(share) + .5);
  SUP_TRY(sup_state_create(&next, s->model, &s->scene->options));
  SUP_TRY(sup_state_copy(next, s->state));
  if (o->is_loaded) next->time += 2 * share * options.end;
  SUP_TRY(sup_static_step(s->stepper, next, &options, &report));
  return sup_modes_buckle(sup_stepper_layout(s->stepper), s->state, next, share, &options, o->num,
                          modes);
}

/** Buckling by a share of the load that is as small a share of the lowest buckling load, but not
 * more than the whole; anew until it is. */
static sup_status buckle(sup_simulation *s, const modes_options *o, sup_modes *modes) {
  const double small = sup_app_numerics.buckling, near = sup_app_numerics.buckling_near,
               least = sup_app_numerics.buckling_least;
  if (o->is_loaded) return buckle_at(s, o, -small, modes);
  double share = small, factor = 1 / small;
  for (int round = 0; round < 10; round++) {
    sup_status status = buckle_at(s, o, share, modes);
    if (status != SUP_OK && (status != SUP_E_NOT_CONVERGED || share < least)) return status;
    factor = status != SUP_OK ? share : modes->num > 0 ? modes->mode[0].omega2 : 1 / small;
    double next = fmin(1, small * factor);
    if (status == SUP_OK && fmax(next / share, share / next) <= near) return SUP_OK;
    sup_modes_free(modes);
    if (next < .01 * least) break; /* no load step is as small */
    share = next;
  }
  return SUP_FAIL(SUP_E_ARG, "bodies buckle at %.2g of the loads: give loads of about that size",
                  factor);
}

static sup_status find(sup_simulation *s, const modes_options *o, sup_modes *modes) {
  if (o->is_loaded) SUP_TRY(sup_static(s->stepper, s->state, &s->scene->statics));
  if (o->is_buckling) return buckle(s, o, modes);
  return sup_modes_find(sup_stepper_layout(s->stepper), s->state, &s->scene->statics, o->is_loaded,
                        o->num, modes);
}

/** manifest.json and resolved.yaml. */
static sup_status write_scene(sup_simulation *s, int argc, char **argv) {
  sup_manifest     manifest;
  sup_manifest_def def = sup_simulation_manifest(s, argc, argv);
  char             path[sizeof s->folder + 16];
  SUP_TRY(sup_make_folder(s->folder));
  SUP_TRY(sup_manifest_create(&manifest, &def));
  snprintf(path, sizeof path, "%s/manifest.json", s->folder);
  sup_status status = sup_manifest_write(&manifest, path, "completed", 0);
  sup_manifest_free(&manifest);
  SUP_TRY(status);
  snprintf(path, sizeof path, "%s/resolved.yaml", s->folder);
  return sup_scene_write_resolved(s->scene, path);
}

static sup_status write(sup_simulation *s, const sup_modes *modes, int argc, char **argv) {
  sup_output_def output = s->scene->output;
  sup_status     status = SUP_OK;
  if (sup_is_first_rank(sup_app_ranks())) status = write_scene(s, argc, argv);
  SUP_TRY(sup_agree(sup_app_ranks(), status));
  return sup_modes_write(modes, s->model, &s->scene->options, &output, s->folder, s->scene->title,
                         s->state);
}

static void print_mode(const sup_modes *modes, const sup_model *model, int k) {
  const sup_mode *mode = &modes->mode[k];
  const char     *name = sup_mode_body_name(model, mode->body);
  if (modes->is_buckling) {
    printf("%4d %14.7g   %s\n", k + 1, mode->omega2, name);
    return;
  }
  printf("%4d %14.7g %11.4g %9.5f", k + 1, mode->frequency, 1 / mode->frequency, mode->damping);
  for (int c = 0; c < 3; c++)
    printf(" %9.3g %5.1f", mode->mass[c], 100 * mode->mass[c] / modes->mass);
  printf("   %s%s\n", name,
         mode->omega2 == 0  ? ": a rigid motion"
         : mode->omega2 < 0 ? ": it grows"
                            : "");
}

static void print_table(const sup_modes *modes, const sup_model *model, int wanted) {
  if (modes->is_buckling)
    printf("mode    load factor   body\n");
  else
    printf(
        "mode frequency [Hz]  period [s]   damping  x mass kg    %%  y mass kg    %%  z mass kg    "
        "%%  "
        " body\n");
  for (int k = 0; k < modes->num; k++) print_mode(modes, model, k);
  if (!modes->is_buckling && modes->num_zero > 0)
    printf("%d rigid motion%s without stiffness\n", modes->num_zero,
           modes->num_zero == 1 ? "" : "s");
  if (modes->relaxes)
    printf(
        "a material relaxes: %d modes were found by one modulus of it, the frequencies are by "
        "that at each; ask for more modes to see that none lies between them\n",
        modes->below);
  else if (modes->is_buckling && modes->num < modes->below && modes->num < wanted)
    printf("%s factors are round-off: the load hardly changes the stiffness\n",
           modes->num ? "other" : "all");
  else if (isinf(modes->bound))
    printf("these are all %d\n", modes->below);
  else
    printf("none is missed: %d below %.6g%s by the inertia of the matrix\n", modes->below,
           modes->bound, modes->is_buckling ? "" : " Hz");
}

static int solve(const modes_options *o, int argc, char **argv) {
  sup_simulation s = {.options = o->run, .is_static = 1};
  sup_modes      modes = {0};
  sup_status     status = sup_simulation_open(&s);
  if (status == SUP_OK) {
    snprintf(s.folder, sizeof s.folder, "%s%s", o->run.folder ? o->run.folder : "out/",
             o->run.folder ? "" : s.scene->name);
    status = sup_simulation_record_failure(&s, find(&s, o, &modes));
    if (status == SUP_E_NOT_CONVERGED || status == SUP_E_NOT_SPD) s.failure.code = SUP_EXIT_SOLVER;
  }
  if (status == SUP_OK) status = sup_simulation_record_failure(&s, write(&s, &modes, argc, argv));
  if (status == SUP_OK && !o->run.quiet) {
    print_table(&modes, s.model, o->num);
    fflush(stdout);
    fprintf(stderr, "results: %s\n", s.folder);
  }
  int code = status == SUP_OK ? SUP_EXIT_OK : sup_app_print(&s.failure, o->run.verbose);
  sup_modes_free(&modes);
  sup_simulation_close(&s);
  return code;
}

int sup_app_modes(int argc, char **argv) {
  static const char usage[] =
      "usage: supple modes SCENE.yaml [options]\n"
      "\n"
      "Eigenfrequencies and modes of a scene's bodies, soft ones and robots in one problem, about "
      "its start without\n"
      "gravity and loads; with --loaded about the equilibrium of `supple static`, with its "
      "stresses, pressures and\n"
      "contacts, which stick.  Damping ratios are those of materials, joints and drives; effective "
      "masses are those\n"
      "that a shaken base moves.  No mode below the last one is missed: their number is that of "
      "negative pivots.\n"
      "Files: modes.csv, summary.json, vtk with a period of each mode, mode k from time k on.\n"
      "\n";
  modes_options    o = {.num = 10};
  const app_option options[] = {
      APP_COUNT("--modes", &o.num, "number of modes, the lowest ones", NULL),
      APP_FLAG("--loaded", &o.is_loaded, "about the equilibrium under gravity and all loads"),
      APP_FLAG("--buckling", &o.is_buckling,
               "instead of frequencies the factors of the load at which the bodies buckle, "
               "linearised about their start; with --loaded about the equilibrium"),
      APP_TEXT("-o, --output", &o.run.folder, "folder for the results (default: out/<scene name>)",
               "DIR"),
      APP_SETS(&o.run.sets),
      APP_COUNT("--threads", &o.run.threads, "default: solver.threads of the scene, else 1", "N"),
      APP_FLAG("-q, --quiet", &o.run.quiet, "print nothing but errors"),
      APP_FLAG("-v, --verbose", &o.run.verbose, "source lines of errors")};
  enum { NUM_OPTIONS = sizeof options / sizeof *options };
  static const app_help help = {usage, "\n" SUP_EXIT_HELP,
                                "modes examples/finray_stiffness.yaml --modes 5"};
  int code = app_parse_command(argc, argv, &help, options, NUM_OPTIONS, &o.run.scene);
  if (code != SUP_NONE) return code;
  if (!o.run.scene) {
    fprintf(stderr,
            "supple modes: a scene is missing, expected supple modes SCENE.yaml (supple modes "
            "--help tells more)\n");
    return SUP_EXIT_INPUT;
  }
  if (o.num < 1 || o.run.threads < 0 || o.run.threads > 1024) {
    fprintf(stderr, "supple modes: found %d for %s, expected %s\n",
            o.num < 1 ? o.num : o.run.threads, o.num < 1 ? "--modes" : "--threads",
            o.num < 1 ? "1 or more" : "0 to 1024");
    return SUP_EXIT_INPUT;
  }
  sup_app_end_at_signals();
  return solve(&o, argc, argv);
}
