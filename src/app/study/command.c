#include "app/study/command.h"

#include "app/app.h"
#include "app/options.h"

enum { NAME_SIZE = 32 };

static int run_prepared(sup_study *study, const sup_study_options *o, const char *program,
                        const sup_study_command *command) {
  char folder[SUP_STUDY_PATH_SIZE];
  if (o->check) {
    command->print_plan(study);
    return SUP_EXIT_OK;
  }
  snprintf(folder, sizeof folder, "%s%.3800s", o->folder ? "" : "out/",
           o->folder ? o->folder : study->name);
  sup_level_runner runner = {.program = program, .folder = folder, .run = sup_app_run_case};
  runner.jobs = o->jobs ? o->jobs : sup_app_jobs(study->threads);
  runner.memory = o->memory > 0 ? SUP_MEGA * o->memory : sup_app_memory();
  return command->run(study, &runner, o);
}

static int run_study(const sup_study_options *o, const sup_study_command *command) {
  char       program[SUP_STUDY_PATH_SIZE];
  sup_study *study;
  if (!sup_app_find_program(program)) return SUP_EXIT_FILE;
  int code = sup_app_load_study(&study, o->study, command->kind, o->check, o->verbose);
  if (code != SUP_NONE) return code;
  sup_status status = sup_study_prepare(study, program);
  code = status == SUP_OK ? run_prepared(study, o, program, command)
                          : sup_app_report(status, o->verbose);
  sup_study_destroy(&study);
  return code;
}

int sup_app_study_main(int argc, char **argv, const sup_study_command *command) {
  sup_study_options o = {0};
  char              name[NAME_SIZE];
  const app_option  options[] = {
       APP_TEXT("-o, --output", &o.folder, "folder for the results (default: out/<study name>)",
                "DIR"),
       APP_COUNT("-j, --jobs", &o.jobs,
                 "runs at a time (default: one a core), fewer where memory does not suffice", "N"),
       APP_NUMBER("--memory", &o.memory,
                  "for all runs at a time (default: 80 % of what is available)", "MB"),
       APP_FLAG("--no-plot", &o.no_plot, "numbers only"),
       APP_FLAG("--check", &o.check, command->check),
       APP_FLAG("-q, --quiet", &o.quiet, "print the tables and errors only"),
       APP_FLAG("-v, --verbose", &o.verbose, "source lines of errors"),
       APP_FLAG("--verify", &o.verify, command->verify)};
  const int num_options = (int)(sizeof options / sizeof *options) - !command->verify;
  snprintf(name, sizeof name, "supple %s", command->name);
  app_parse parsed = app_parse_options(argc, argv, name, options, num_options, &o.study, 1);
  if (parsed == APP_PARSE_BAD) return SUP_EXIT_INPUT;
  if (parsed == APP_PARSE_HELP) {
    printf("usage: %s STUDY.yaml [options]\n\n%s\n\n", name, command->help);
    app_print_options(options, num_options);
    printf("\nExit codes: %s\n", command->codes);
    sup_app_print_example(stdout, command->example);
    return SUP_EXIT_OK;
  }
  if (o.study && o.jobs >= 0) return run_study(&o, command);
  if (o.jobs < 0)
    fprintf(stderr, "%s: found %d for --jobs, expected 1 or more\n", name, o.jobs);
  else
    fprintf(stderr, "%s: a study is missing, expected %s STUDY.yaml (--help tells more)\n", name,
            name);
  return SUP_EXIT_INPUT;
}
