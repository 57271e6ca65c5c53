/** Options of a command: "--height 80mm", "--height=80mm", "-o FILE", "--ascii"; "--" ends them.
 * Layer app: prints to stderr. */
#pragma once

typedef enum app_option_kind {
  APP_OPTION_LENGTH,  /* double [m] from a number with unit m, cm, mm or um; metres without unit */
  APP_OPTION_NUMBER,  /* double, positive */
  APP_OPTION_ANGLE,   /* double [rad] from a number of degrees, "deg" behind it or not */
  APP_OPTION_LENGTHS, /* app_values: of these, separated by commas, `count` at most .. */
  APP_OPTION_ANGLES,  /* .. and of these */
  APP_OPTION_COUNT,   /* int */
  APP_OPTION_CHOICE,  /* int: index into `choices` */
  APP_OPTION_TEXT,    /* const char * */
  APP_OPTION_LIST,    /* app_word_list: may be repeated, every value is kept */
  APP_OPTION_FLAG     /* int, set to 1 */
} app_option_kind;

enum { APP_MAX_WORDS = 256 };

typedef struct app_word_list {
  const char *word[APP_MAX_WORDS];
  int         count;
} app_word_list;

typedef struct app_values {
  int     num;
  double *value; /* [count of the option] */
} app_values;

typedef struct app_option {
  const char        *name; /* with its dashes; two names as "-o, --output" */
  app_option_kind    kind;
  int                count;  /* values: 1, or 3 separated by commas: "30mm,20mm,10mm" */
  void              *target; /* [count], holds the default */
  const char *const *choices;
  int                num_choices;
  const char        *help;
  const char        *value_name; /* text of the help for the value; NULL: the default itself */
} app_option;

/** Rows of one value; `value` is the word for it in the help, NULL: the default. */
#define APP_ROW(name, kind, target, help, value) \
  { name, kind, 1, target, NULL, 0, help, value }
/** Row of a flag; the conditional lets the compiler refuse targets that are no int. */
#define APP_FLAG(name, target, help) \
  APP_ROW(name, APP_OPTION_FLAG, 1 ? (target) : (int *)0, help, NULL)
#define APP_TEXT(name, target, help, value) APP_ROW(name, APP_OPTION_TEXT, target, help, value)
#define APP_COUNT(name, target, help, value) APP_ROW(name, APP_OPTION_COUNT, target, help, value)
#define APP_NUMBER(name, target, help, value) APP_ROW(name, APP_OPTION_NUMBER, target, help, value)

#define APP_SETS(target)                                                                    \
  APP_ROW("--set", APP_OPTION_LIST, target, "override a key of the scene; may be repeated", \
          "KEY=VALUE")

typedef enum app_parse { APP_PARSE_OK, APP_PARSE_HELP, APP_PARSE_BAD } app_parse;

/** Parse argv[1 ...] of `command`.  Words without a dash go to positional[max_positional] in order,
 * the rest of which is left as it is.  BAD: the reason was printed with the nearest known option.
 * HELP: -h or --help was found. */
app_parse app_parse_options(int argc, char **argv, const char *command, const app_option *options,
                            int num_options, const char **positional, int max_positional);
/** Texts of a command's help. */
typedef struct app_help {
  const char *usage;   /* up to the table of options */
  const char *codes;   /* behind the table; "": none */
  const char *example; /* words after the program's name */
} app_help;

/** Parse the options of `supple argv[0]` with a positional word at most; the help where asked for.
 *  @return SUP_NONE: parsed; otherwise the exit code of the command */
int app_parse_command(int argc, char **argv, const app_help *help, const app_option *options,
                      int num_options, const char **positional);
/** The table of options with their present values, for a help text, on stdout. */
void app_print_options(const app_option *options, int num_options);
