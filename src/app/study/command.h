/** Frame of commands that run a study about a point of its parameters.  Layer app. */
#pragma once

#include "app/study/levels.h"

typedef struct sup_study_options {
  const char *study, *folder;
  int         jobs;
  double      memory; /* [MB]; 0: sup_app_memory */
  int         no_plot, check, verify, quiet, verbose;
} sup_study_options;

typedef struct sup_study_command {
  const char    *name; /* "fit" */
  sup_study_kind kind;
  const char    *help, *codes, *example; /* purpose, exit codes, arguments that can be pasted */
  const char    *check;                  /* meaning of --check */
  const char    *verify;                 /* meaning of --verify; NULL: there is none */
  void (*print_plan)(const sup_study *study);
  /** Run what is not complete, write and print results.  @return exit code */
  int (*run)(sup_study *study, sup_level_runner *runner, const sup_study_options *options);
} sup_study_command;

/** Main function of the command.  @return exit code */
int sup_app_study_main(int argc, char **argv, const sup_study_command *command);
