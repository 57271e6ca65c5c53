/** Options that `run` and `static` share.  Layer app. */
#pragma once

#include "app/options.h"

typedef struct sup_run_options {
  const char   *scene;
  const char   *folder;        /* -o; NULL: out/<scene name> */
  const char   *resume, *from; /* folder of a run to go on with, or from; NULL: begin */
  double        at;            /* of --from, time of the checkpoint [s]; 0: the last one */
  app_word_list sets;
  int           threads;               /* 0: the scene's solver.threads */
  int           estimate, refinements; /* error bars, with so many refined meshes */
  int           compare_models;        /* of an estimate: other friction models, too */
  int           share;                 /* the results as one page, by `supple share` */
  int           live, port;            /* as a page while it goes on; 0: a free port */
  int           strict;                /* WARN lines end with exit code 5 */
  int           check, quiet, verbose;
} sup_run_options;

/** Exit code when something is wrong (already printed), SUP_NONE otherwise.
 *  @param[in] usage purpose of the command, for --help
 *  @param[in] example  arguments of a command that can be pasted */
int sup_app_parse_run(int argc, char **argv, const char *usage, const char *example,
                      sup_run_options *options);
