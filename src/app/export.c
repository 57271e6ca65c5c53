/* supple export: the contact problem of a step as a file. */
#include <string.h>
#include <sys/stat.h>

#include "app/signals.h"
#include "app/simulation.h"
#include "base/memory.h"
#include "output/problem_folder.h"

typedef struct export_options {
  sup_run_options run; /* scene, sets, threads, quiet, verbose */
  const char     *output;
  int             step, operators;
} export_options;

/** Format of an export by the ending of its name. */
typedef enum ending { ENDING_NPZ, ENDING_FOLDER, ENDING_UNKNOWN } ending;

static ending ending_of(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  struct stat info;
  if (dot && dot != name && strcmp(dot, ".npz") == 0) return ENDING_NPZ;
  if (!dot || dot == name || (stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
    return ENDING_FOLDER;
  return ENDING_UNKNOWN;
}

static sup_status write(const export_options *o, sup_simulation *s) {
  sup_stored_problem  stored;
  SUP_OWN(sup_arena) *arena = NULL;
  SUP_TRY(sup_arena_create(&arena, 1 << 20));
  SUP_TRY(sup_stepper_store_problem(s->stepper, !o->operators, arena, &stored));
  stored.scene = o->run.scene;
  SUP_TRY(ending_of(o->output) == ENDING_NPZ ? sup_stored_problem_write(&stored, o->output)
                                             : sup_problem_folder_write(&stored, o->output));
  if (!o->run.quiet)
    printf("%s: step %ld at %.6g s, %d contact%s, %d joint row%s, %d velocities\n", o->output,
           stored.step, stored.time, stored.delassus.num_contacts,
           stored.delassus.num_contacts == 1 ? "" : "s", stored.delassus.num_joints,
           stored.delassus.num_joints == 1 ? "" : "s", stored.problem.A_pattern->num_scalars);
  return SUP_OK;
}

static int export(const export_options *o) {
  sup_simulation  s = {.options = o->run};
  sup_step_report report;
  sup_status      status = sup_simulation_open(&s);
  while (status == SUP_OK && s.state->step < o->step && !sup_simulation_is_over(&s))
    status = sup_simulation_step(&s, &report);
  int code = SUP_EXIT_OK;
  if (status != SUP_OK) {
    code = sup_app_print(&s.failure, o->run.verbose);
  } else if (s.state->step < o->step) {
    fprintf(stderr,
            "supple export: found %d for --step, expected 1 to %ld, where %s ends at %g s\n",
            o->step, s.state->step, o->run.scene, s.scene->end_time);
    code = SUP_EXIT_INPUT;
  } else if ((status = write(o, &s)) != SUP_OK) {
    code = sup_app_report(status, o->run.verbose);
  }
  sup_simulation_close(&s);
  return code;
}

int sup_app_export(int argc, char **argv) {
  static const char usage[] =
      "usage: supple export SCENE.yaml --step N -o FILE [options]\n"
      "\n"
      "Write the contact problem of a step with its solution: the Delassus matrix G = J A^-1 J^T, "
      "g, friction\n"
      "coefficients, compliance R and targets c*, and the velocity form A, p, J with its laws.  "
      "FILE.npz is for numpy\n"
      "and `supple contact`, with the names G, g and mus of contactbench; a name without an ending "
      "is a folder of\n"
      "Matrix Market and CSV files.  A, p and J are those of the last linear problem that the step "
      "solved.\n"
      "\n";
  export_options   o = {.step = 1};
  const app_option options[] = {
      APP_COUNT("--step", &o.step, "number of the step, from 1", "N"),
      APP_TEXT("-o, --output", &o.output, "file or folder of the results (needed)", "FILE"),
      APP_FLAG("--operators", &o.operators,
               "without G, which is formed up to 6000 rows (2000 contacts): only A and J"),
      APP_SETS(&o.run.sets),
      APP_COUNT("--threads", &o.run.threads, "default: solver.threads of the scene, else 1", "N"),
      APP_FLAG("-q, --quiet", &o.run.quiet, "print nothing but errors"),
      APP_FLAG("-v, --verbose", &o.run.verbose, "source lines of errors")};
  enum { NUM_OPTIONS = sizeof options / sizeof *options };
  static const app_help help = {usage, "",
                                "export examples/soft_cube_drop.yaml --step 40 -o cube.npz"};
  int code = app_parse_command(argc, argv, &help, options, NUM_OPTIONS, &o.run.scene);
  if (code != SUP_NONE) return code;
  if (!o.run.scene || !o.output) {
    fprintf(stderr, "supple export: %s is missing, expected supple export SCENE.yaml -o FILE\n",
            o.run.scene ? "-o FILE" : "a scene");
    return SUP_EXIT_INPUT;
  }
  if (o.step < 1 || o.run.threads < 0 || o.run.threads > 1024) {
    fprintf(stderr, "supple export: found %d for %s, expected %s\n",
            o.step < 1 ? o.step : o.run.threads, o.step < 1 ? "--step" : "--threads",
            o.step < 1 ? "1 or more" : "0 to 1024");
    return SUP_EXIT_INPUT;
  }
  if (ending_of(o.output) == ENDING_UNKNOWN) {
    fprintf(stderr,
            "supple export: found the ending of %s, expected .npz, or none for a folder of text "
            "files\n",
            o.output);
    return SUP_EXIT_INPUT;
  }
  sup_app_end_at_signals();
  return export(&o);
}
