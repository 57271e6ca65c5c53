#include "app/app.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/status.h"
#include "base/text.h"

const sup_command sup_commands[] = {{"run", "simulate a scene", sup_app_run},
                                    {"static", "linear equilibrium of a scene's soft bodies", sup_app_static},
                                    {"mesh", "generate, convert and inspect meshes", sup_app_mesh},
                                    {"version", "version of the program and its libraries", sup_app_version},
                                    {"help", "this list, or the help of one command", sup_app_help},
                                    {NULL, NULL, NULL}};

static void print_log(sup_log_level level, const char *message, void *user) {
  (void)user;
  fprintf(stderr, "supple: %s: %s\n", level == SUP_LOG_WARNING ? "warning" : "note", message);
}

static int exit_code(sup_status status) {
  switch (status) {
    case SUP_OK:
      return SUP_EXIT_OK;
    case SUP_E_ARG:
    case SUP_E_PARSE:
    case SUP_E_GEOMETRY:
    case SUP_E_NONFINITE:
      return SUP_EXIT_INPUT;
    case SUP_E_IO:
      return SUP_EXIT_FILE;
    case SUP_E_INTERRUPTED:
      return SUP_EXIT_INTERRUPTED;
    default:
      return SUP_EXIT_SOLVER;
  }
}

int sup_app_report(sup_status status, int verbose) {
  fprintf(stderr, "supple: error: %s\n", sup_error_message());
  if (verbose) fputs(sup_error_trace(), stderr);
  return exit_code(status);
}

static const sup_command *find(const char *name) {
  for (const sup_command *c = sup_commands; c->name; c++)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}

static int unknown_command(const char *name) {
  const char *names[16];
  int         n = 0;
  for (const sup_command *c = sup_commands; c->name; c++) names[n++] = c->name;
  int nearest = sup_text_nearest(name, names, n);
  fprintf(stderr, "supple: unknown command '%s'", name);
  if (nearest != SUP_NONE) fprintf(stderr, "; did you mean '%s'?", names[nearest]);
  fprintf(stderr, "\nsupple help lists the commands\n");
  return SUP_EXIT_INPUT;
}

int sup_app_help(int argc, char **argv) {
  if (argc > 1) {
    const sup_command *c = find(argv[1]);
    if (!c) return unknown_command(argv[1]);
    char  name[SUP_NAME_MAX], option[] = "--help";
    char *arguments[] = {name, option, NULL};
    snprintf(name, sizeof name, "%s", c->name);
    return c->main == sup_app_help ? sup_app_help(1, argv) : c->main(2, arguments);
  }
  printf("Supple simulates soft bodies and robots in contact.\n\nusage: supple COMMAND ...\n\n");
  for (const sup_command *c = sup_commands; c->name; c++) printf("  %-10s %s\n", c->name, c->summary);
  printf(
      "\nsupple help COMMAND tells more.  An example that can be pasted:\n\n  supple run examples/finray_grasp.yaml\n");
  return SUP_EXIT_OK;
}

int main(int argc, char **argv) {
  sup_log_set(print_log, NULL);
  if (argc < 2) {
    sup_app_help(1, argv);
    return SUP_EXIT_INPUT;
  }
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
  if (strcmp(name, "--version") == 0) name = "version";
  const sup_command *command = find(name);
  return command ? command->main(argc - 1, argv + 1) : unknown_command(name);
}
