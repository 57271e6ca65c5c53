/** The command line: one function a command.  Layer app: the only one that prints or exits. */
#pragma once

#include <stdio.h>

#include "supple.h"

/** Exit codes of design: done, the solver failed or its result is void (a FAIL line), bad input,
 * file trouble, interrupted, WARN lines with --strict. */
enum {
  SUP_EXIT_OK = 0,
  SUP_EXIT_SOLVER = 1,
  SUP_EXIT_INPUT = 2,
  SUP_EXIT_FILE = 3,
  SUP_EXIT_INTERRUPTED = 4,
  SUP_EXIT_WARNINGS = 5
};
/** Exit codes in words, the last line of a help but one. */
#define SUP_EXIT_HELP                                                            \
  "Exit codes: 0 done, 1 failure of the solver or a void result (FAIL line), 2 " \
  "bad input, 3 file trouble,\n4 interrupted, 5 WARN lines with --strict.\n"

typedef struct sup_command {
  const char *name;
  const char *summary;                /* one line for `supple help` */
  int (*main)(int argc, char **argv); /* argv[0] is the command's name */
  int on_ranks;                       /* runs under mpiexec, too */
} sup_command;

/** All commands; the last entry has name NULL. */
extern const sup_command sup_commands[];

int sup_app_run(int argc, char **argv);
int sup_app_static(int argc, char **argv);
int sup_app_modes(int argc, char **argv);
int sup_app_converge(int argc, char **argv);
int sup_app_sweep(int argc, char **argv);
int sup_app_gradient(int argc, char **argv);
int sup_app_fit(int argc, char **argv);
int sup_app_optimize(int argc, char **argv);
int sup_app_stiffness(int argc, char **argv);
int sup_app_control(int argc, char **argv);
int sup_app_holding(int argc, char **argv);
int sup_app_export(int argc, char **argv);
int sup_app_contact(int argc, char **argv);
int sup_app_mesh(int argc, char **argv);
int sup_app_ik(int argc, char **argv);
int sup_app_view(int argc, char **argv);
int sup_app_share(int argc, char **argv);
int sup_app_materials(int argc, char **argv);
int sup_app_version(int argc, char **argv);
int sup_app_help(int argc, char **argv);
/** Help on a topic, argv[0]: columns of history.csv, entries of summary.json, features of solvers,
 * numbers that decide, keys of the files "scene" and "study", then a path to a key. */
int sup_app_help_columns(int argc, char **argv);
int sup_app_help_summary(int argc, char **argv);
int sup_app_help_solvers(int argc, char **argv);
int sup_app_help_numerics(int argc, char **argv);
int sup_app_help_keys(int argc, char **argv);

/** The last line of a help: a command that can be pasted as it stands, with the program named as it
 * was called. */
void sup_app_print_example(FILE *out, const char *arguments);

/** Warnings and notes on stderr, or nowhere. */
void sup_app_log(bool is_on);
/** Print a message of the log on stderr. */
void sup_app_print_log(sup_log_level level, const char *message);

/** A failure that is kept while something else may fail. */
typedef struct sup_failure {
  int  code; /* SUP_EXIT_OK: none */
  char message[1024], trace[2048];
} sup_failure;

/** Keep the last failure with the exit code of its status. */
void sup_app_record_failure(sup_failure *failure, sup_status status);
/** Print "supple: error: <message>" to stderr (with the call chain when verbose) and return the
 * exit code. */
int sup_app_print(const sup_failure *failure, int verbose);
/** Keep and print the last failure; exit code of its status. */
int sup_app_report(sup_status status, int verbose);
