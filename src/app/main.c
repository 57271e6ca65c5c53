#include <string.h>

#include "app/app.h"
#include "app/options.h"
#include "app/ranks.h"
#include "app/streams.h"
#include "base/log.h"
#include "base/status.h"
#include "base/text.h"

const sup_command sup_commands[] = {
    {"run", "simulate a scene", sup_app_run, 1},
    {"static", "equilibrium of a scene under its loads", sup_app_static, 1},
    {"modes", "eigenfrequencies and modes of a scene, loads at which it buckles", sup_app_modes, 1},
    {"converge", "refinement study of a scene", sup_app_converge, 1},
    {"sweep", "runs of a scene over values of its parameters", sup_app_sweep, 0},
    {"gradient", "derivatives of a scene's numbers by its parameters", sup_app_gradient, 0},
    {"fit", "parameters of a scene from measured curves", sup_app_fit, 0},
    {"optimize", "best parameters of a scene under constraints", sup_app_optimize, 0},
    {"holding", "pulls and turns of a held object until it slips or is lost", sup_app_holding, 0},
    {"stiffness", "stiffness of a soft body along its face", sup_app_stiffness, 0},
    {"control", "controls of a scene that minimise a cost", sup_app_control, 0},
    {"export", "write the contact problem of a step", sup_app_export, 0},
    {"contact", "solve a stored contact problem", sup_app_contact, 0},
    {"mesh", "generate and inspect meshes", sup_app_mesh, 1},
    {"ik", "joint positions that place a frame of a robot", sup_app_ik, 0},
    {"view", "window on the results of a run", sup_app_view, 0},
    {"share", "one page for a browser with the results of a run", sup_app_share, 0},
    {"materials", "materials that come with the program, their ranges and sources",
     sup_app_materials, 0},
    {"version", "version of the program and its libraries", sup_app_version, 1},
    {"help", "this list, or the help of a command or of the keys of files", sup_app_help, 1},
    {NULL, NULL, NULL, 0}};

/** Topics of `help` that are no commands. */
static const sup_command topics[] = {
    {"scene", "keys of scene files: SECTION[.KEY] tells more", sup_app_help_keys, 0},
    {"study", "keys of study files: SECTION[.KEY] tells more", sup_app_help_keys, 0},
    {"columns", "columns of history.csv", sup_app_help_columns, 0},
    {"summary", "entries of summary.json", sup_app_help_summary, 0},
    {"solvers", "models, laws and joints of each contact.solver", sup_app_help_solvers, 0},
    {"numerics", "numbers that decide, their reasons and tests", sup_app_help_numerics, 0},
    {NULL, NULL, NULL, 0}};

static const char *program = "supple"; /* as it was called */

void sup_app_print_log(sup_log_level level, const char *message) {
  fprintf(stderr, "supple: %s: %s\n", level == SUP_LOG_WARNING ? "warning" : "note", message);
}

static void print_log(sup_log_level level, const char *message, void *user) {
  (void)user;
  sup_app_print_log(level, message);
}

void sup_app_log(bool is_on) { sup_log_set(is_on ? print_log : NULL, NULL); }

/* ---- failures -------------------------------------------------------------------------------- */

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

void sup_app_record_failure(sup_failure *failure, sup_status status) {
  failure->code = exit_code(status);
  snprintf(failure->message, sizeof failure->message, "%s", sup_error_message());
  snprintf(failure->trace, sizeof failure->trace, "%s", sup_error_trace());
}

int sup_app_print(const sup_failure *failure, int verbose) {
  fprintf(stderr, "supple: error: %s\n", failure->message);
  if (verbose) fputs(failure->trace, stderr);
  return failure->code;
}

int sup_app_report(sup_status status, int verbose) {
  sup_failure failure;
  sup_app_record_failure(&failure, status);
  return sup_app_print(&failure, verbose);
}

/* ---- commands -------------------------------------------------------------------------------- */

static const sup_command *find(const sup_command *table, const char *name) {
  for (const sup_command *c = table; c->name; c++)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}

static int unknown_command(const char *name, bool is_help) {
  enum { MOST = sizeof sup_commands / sizeof *sup_commands + sizeof topics / sizeof *topics };
  const char *names[MOST];
  int         n = 0;
  for (const sup_command *c = sup_commands; c->name; c++) names[n++] = c->name;
  for (const sup_command *c = topics; c->name && is_help; c++) names[n++] = c->name;
  int nearest = sup_text_nearest(name, names, n);
  fprintf(stderr, "supple: unknown command '%s'", name);
  if (nearest != SUP_NONE) fprintf(stderr, "; did you mean '%s'?", names[nearest]);
  fprintf(stderr, "%s known:", nearest == SUP_NONE ? ";" : "");
  for (int i = 0; i < n; i++) fprintf(stderr, "%s %s", i ? "," : "", names[i]);
  fputc('\n', stderr);
  return SUP_EXIT_INPUT;
}

void sup_app_print_example(FILE *out, const char *arguments) {
  fprintf(out, "\nexample:\n  %s %s\n", program, arguments);
}

static void print_overview(FILE *out) {
  fprintf(out,
          "Supple simulates soft bodies and robots in contact.\n\nusage: supple COMMAND ...\n\n");
  for (const sup_command *c = sup_commands; c->name; c++)
    fprintf(out, "  %-10s %s\n", c->name, c->summary);
  fprintf(out, "\n`supple help COMMAND` tells more, `supple help TOPIC` of a topic:\n\n");
  for (const sup_command *c = topics; c->name; c++)
    fprintf(out, "  %-10s %s\n", c->name, c->summary);
  sup_app_print_example(out, "run examples/finray_press.yaml");
}

/** `help mesh box` is `mesh box --help`. */
int sup_app_help(int argc, char **argv) {
  enum { MAX_WORDS = 8 };
  char *words[MAX_WORDS + 2], option[] = "--help";
  int   n = argc - 1 < MAX_WORDS ? argc - 1 : MAX_WORDS;
  if (n == 0 || strcmp(argv[1], "help") == 0 || argv[1][0] == '-') {
    print_overview(stdout);
    return SUP_EXIT_OK;
  }
  const sup_command *topic = find(topics, argv[1]);
  if (topic) return topic->main(argc - 1, argv + 1);
  const sup_command *c = find(sup_commands, argv[1]);
  if (!c) return unknown_command(argv[1], 1);
  memcpy(words, argv + 1, (size_t)n * sizeof *words);
  words[n] = option;
  words[n + 1] = NULL;
  return c->main(n + 1, words);
}

int main(int argc, char **argv) {
  sup_streams_begin();
  sup_app_log(1);
  if (argc > 0 && argv[0][0]) program = argv[0];
  if (argc < 2) {
    print_overview(stderr);
    return SUP_EXIT_INPUT;
  }
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
  if (strcmp(name, "--version") == 0) name = "version";
  const sup_command *command = find(sup_commands, name);
  int                code = sup_app_begin();
  if (code != SUP_NONE) return code;
  if (!command)
    code = unknown_command(name, 0);
  else if (sup_app_ranks() && !command->on_ranks)
    code = sup_app_refuse_ranks(name);
  else
    code = command->main(argc - 1, argv + 1);
  return sup_app_end(sup_streams_end(code));
}
