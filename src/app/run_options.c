#include "app/run_options.h"

#include <stdio.h>

#include "app/app.h"
#include "study/study.h"

int sup_app_parse_run(int argc, char **argv, const char *usage, const char *example,
                      sup_run_options *o) {
  const app_option options[] = {
      {"-o, --output", APP_OPTION_TEXT, 1, &o->folder, NULL, 0,
       "folder for the results (default: out/<scene name>)", "DIR"},
      {"--set", APP_OPTION_LIST, 1, &o->sets, NULL, 0,
       "override a key of the scene; may be repeated", "KEY=VALUE"},
      {"--resume", APP_OPTION_TEXT, 1, &o->resume, NULL, 0,
       "resume a run that ended early from its last checkpoint, in its own folder", "DIR"},
      {"--from", APP_OPTION_TEXT, 1, &o->from, NULL, 0,
       "begin a branch from the last checkpoint of a run, with other keys by --set", "DIR"},
      {"--at", APP_OPTION_NUMBER, 1, &o->at, NULL, 0,
       "of --from: from the last checkpoint up to this time [s]", "TIME"},
      {"--threads", APP_OPTION_COUNT, 1, &o->threads, NULL, 0,
       "default: solver.threads of the scene, else 1; bodies and the solution are shared among "
       "them",
       "N"},
      {"--estimate", APP_OPTION_FLAG, 1, &o->estimate, NULL, 0,
       "repeat it with half the time step (static: twice the load steps), a refined mesh, stiffer "
       "contact layers: error bars",
       NULL},
      {"--refinements", APP_OPTION_COUNT, 1, &o->refinements, NULL, 0,
       "of --estimate: refined meshes, each of eight times the cells (default: 1; with 2 the order "
       "is observed)",
       "N"},
      {"--models", APP_OPTION_FLAG, 1, &o->compare_models, NULL, 0,
       "of --estimate: repeat it with the other friction models; their spread is "
       "reported separately",
       NULL},
      {"--check", APP_OPTION_FLAG, 1, &o->check, NULL, 0,
       "read all files, report bodies, sizes, quality, overlaps and output; stop", NULL},
      {"-q, --quiet", APP_OPTION_FLAG, 1, &o->quiet, NULL, 0,
       "print nothing but errors, WARN and FAIL lines", NULL},
      {"--strict", APP_OPTION_FLAG, 1, &o->strict, NULL, 0,
       "exit code 5 when a WARN line stands at the end (warnings before it do not "
       "count)",
       NULL},
      {"-v, --verbose", APP_OPTION_FLAG, 1, &o->verbose, NULL, 0,
       "a line for each step; source lines of errors", NULL}};
  enum { NUM_OPTIONS = sizeof options / sizeof *options };
  char command[SUP_NAME_MAX];
  *o = (sup_run_options){.refinements = 1};
  snprintf(command, sizeof command, "supple %s", argv[0]);
  app_parse parsed = app_parse_options(argc, argv, command, options, NUM_OPTIONS, &o->scene, 1);
  if (parsed == APP_PARSE_HELP) {
    printf("usage: %s SCENE.yaml [options]\n       %s --resume DIR\n\n%s\n\n", command, command,
           usage);
    app_print_options(options, NUM_OPTIONS);
    printf("\n" SUP_EXIT_HELP);
    sup_app_print_example(stdout, example);
    return SUP_EXIT_OK;
  }
  if (parsed == APP_PARSE_BAD) return SUP_EXIT_INPUT;
  if (o->threads < 0 || o->threads > 1024) {
    fprintf(stderr, "%s: found %d for --threads, expected 0 to 1024\n", command, o->threads);
    return SUP_EXIT_INPUT;
  }
  if (o->refinements < 1 || o->refinements > SUP_MAX_HALVINGS) {
    fprintf(stderr, "%s: found %d for --refinements, expected 1 to %d\n", command, o->refinements,
            SUP_MAX_HALVINGS);
    return SUP_EXIT_INPUT;
  }
  if (o->compare_models && !o->estimate) {
    fprintf(stderr, "%s: --models goes with --estimate\n", command);
    return SUP_EXIT_INPUT;
  }
  if (o->at > 0 && !o->from) {
    fprintf(stderr, "%s: --at goes with --from\n", command);
    return SUP_EXIT_INPUT;
  }
  if (o->scene || o->resume || o->from) return SUP_NONE;
  fprintf(stderr, "%s: a scene is missing, expected %s SCENE.yaml (%s --help tells more)\n",
          command, command, command);
  return SUP_EXIT_INPUT;
}
