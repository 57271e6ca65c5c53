#include "app/run_options.h"

#include <stdio.h>

#include "app/app.h"
#include "study/study.h"

int sup_app_parse_run(int argc, char **argv, const char *usage, const char *example,
                      sup_run_options *o) {
  const app_option options[] = {
      APP_TEXT("-o, --output", &o->folder, "folder for the results (default: out/<scene name>)",
               "DIR"),
      APP_SETS(&o->sets),
      APP_TEXT("--resume", &o->resume,
               "resume a run that ended early from its last checkpoint, in its own folder", "DIR"),
      APP_TEXT("--from", &o->from,
               "begin a branch from the last checkpoint of a run, with other keys by --set", "DIR"),
      APP_NUMBER("--at", &o->at, "of --from: from the last checkpoint up to this time [s]", "TIME"),
      APP_COUNT("--threads", &o->threads,
                "default: solver.threads of the scene, else 1; bodies and the solution are shared "
                "among them",
                "N"),
      APP_FLAG("--estimate", &o->estimate,
               "repeat it with half the time step (static: twice the load steps), a refined mesh, "
               "stiffer contact layers: error bars"),
      APP_COUNT("--refinements", &o->refinements,
                "of --estimate: refined meshes, each of eight times the cells (default: 1; with 2 "
                "the order is observed)",
                "N"),
      APP_FLAG("--models", &o->compare_models,
               "of --estimate: repeat it with the other friction models; their spread is reported "
               "separately"),
      APP_FLAG("--check", &o->check,
               "read all files, report bodies, sizes, quality, overlaps and output; stop"),
      APP_FLAG("--share", &o->share, "write the results as one page for a browser, share.html"),
      APP_FLAG(
          "--live", &o->live,
          "print an address at which a browser on this machine shows the run while it goes on, "
          "with pause and stop"),
      APP_COUNT("--port", &o->port, "of --live, on 127.0.0.1 (default: a free one)", "PORT"),
      APP_FLAG("-q, --quiet", &o->quiet, "print nothing but errors, WARN and FAIL lines"),
      APP_FLAG("--strict", &o->strict,
               "exit code 5 when a WARN line stands at the end (warnings before it do not count)"),
      APP_FLAG("-v, --verbose", &o->verbose, "a line for each step; source lines of errors")};
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
  if (o->port < 0 || o->port > 65535 || (o->port && !o->live)) {
    fprintf(stderr, "%s: found %d for --port, expected 0 to 65535 and --live\n", command, o->port);
    return SUP_EXIT_INPUT;
  }
  if (o->scene || o->resume || o->from) return SUP_NONE;
  fprintf(stderr, "%s: a scene is missing, expected %s SCENE.yaml (%s --help tells more)\n",
          command, command, command);
  return SUP_EXIT_INPUT;
}
