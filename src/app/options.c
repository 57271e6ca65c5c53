#include "app/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "base/text.h"

enum { WORD_MAX = 64, MAX_NAMES = 64 };

/** "80mm", "8 cm", "0.08": metres. */
static int parse_length(const char *text, double *length) {
  static const struct {
    const char *unit;
    double      per_metre;
  } units[] = {{"", 1}, {"m", 1}, {"cm", 100}, {"mm", 1000}, {"um", 1e6}};
  char        number[WORD_MAX];
  size_t      digits = strspn(text, "0123456789+-.eE");
  const char *unit = text + digits;
  if (digits >= sizeof number) return 0;
  memcpy(number, text, digits);
  number[digits] = '\0';
  if (!sup_text_number(number, length)) return 0;
  unit += strspn(unit, " ");
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(unit, units[i].unit) == 0) {
      *length /= units[i].per_metre; /* the division is exact to the last bit: 80mm is the same
                                        number as 0.08 */
      return 1;
    }
  return 0;
}

static const double degree = 3.14159265358979323846 / 180;

static int parse_angle(const char *text, double *angle) {
  char   number[WORD_MAX];
  size_t length = strlen(text);
  if (length >= sizeof number) return 0;
  memcpy(number, text, length + 1);
  if (length > 3 && strcmp(number + length - 3, "deg") == 0) number[length - 3] = '\0';
  if (!sup_text_number(number, angle)) return 0;
  *angle *= degree;
  return 1;
}

static int parse_count(const char *text, int *count) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (end == text || *end || errno != 0 || value < INT_MIN || value > INT_MAX) return 0;
  *count = (int)value;
  return 1;
}

static int parse_one(const app_option *option, const char *text, int index) {
  switch (option->kind) {
    case APP_OPTION_LENGTH:
      return parse_length(text, (double *)option->target + index);
    case APP_OPTION_NUMBER:
      return sup_text_number(text, (double *)option->target + index) &&
             ((double *)option->target)[index] > 0;
    case APP_OPTION_ANGLE:
      return parse_angle(text, (double *)option->target + index);
    case APP_OPTION_LENGTHS:
      return parse_length(text, ((app_values *)option->target)->value + index);
    case APP_OPTION_ANGLES:
      return parse_angle(text, ((app_values *)option->target)->value + index);
    case APP_OPTION_COUNT:
      return parse_count(text, (int *)option->target + index);
    case APP_OPTION_TEXT:
      *(const char **)option->target = text;
      return 1;
    case APP_OPTION_LIST: {
      app_word_list *list = option->target;
      if (list->count == APP_MAX_WORDS) return 0;
      list->word[list->count++] = text;
      return 1;
    }
    case APP_OPTION_FLAG:
      return 0;
    case APP_OPTION_CHOICE:
      for (int i = 0; i < option->num_choices; i++)
        if (strcmp(text, option->choices[i]) == 0) {
          *(int *)option->target = i;
          return 1;
        }
      return 0;
  }
  return 0;
}

static bool has_any_number(const app_option *option) {
  return option->kind == APP_OPTION_LENGTHS || option->kind == APP_OPTION_ANGLES;
}

/** All values of an option, separated by commas when there are several. */
static int parse_values(const app_option *option, const char *text) {
  int num = option->count;
  if (num == 1) return parse_one(option, text, 0);
  if (has_any_number(option)) {
    int *given = &((app_values *)option->target)->num;
    *given = 1;
    for (const char *c = text; *c; c++) *given += *c == ',';
    if (*given > num) return 0;
    num = *given;
  }
  for (int i = 0; i < num; i++) {
    char   word[WORD_MAX];
    size_t length = strcspn(text, ",");
    if (length >= sizeof word || (text[length] == ',') != (i + 1 < num)) return 0;
    memcpy(word, text, length);
    word[length] = '\0';
    if (!parse_one(option, word, i)) return 0;
    text += length + (text[length] == ',');
  }
  return 1;
}

static void print_bad_value(const char *command, const app_option *option, const char *name,
                            const char *text) {
  int several = option->count > 1;
  fprintf(stderr, "%s: found '%s' for %s, expected ", command, text, name);
  switch (option->kind) {
    case APP_OPTION_LENGTH:
      fputs(several ? "three lengths such as 30mm,20mm,10mm\n"
                    : "a length such as 80mm, 8cm or 0.08 (metres)\n",
            stderr);
      return;
    case APP_OPTION_NUMBER:
      fputs("a positive number such as 0.001\n", stderr);
      return;
    case APP_OPTION_ANGLE:
      fputs("an angle in degrees such as 15 or -10deg\n", stderr);
      return;
    case APP_OPTION_LENGTHS:
    case APP_OPTION_ANGLES:
      fprintf(stderr, "up to %d values such as %s\n", option->count, option->value_name);
      return;
    case APP_OPTION_COUNT:
      fputs(several ? "three whole numbers such as 6,4,2\n" : "a whole number such as 4\n", stderr);
      return;
    case APP_OPTION_CHOICE:
      for (int i = 0; i < option->num_choices; i++)
        fprintf(stderr, "%s%s", i ? ", " : "one of ", option->choices[i]);
      fputs("\n", stderr);
      return;
    case APP_OPTION_FLAG:
      fputs("no value\n", stderr);
      return;
    case APP_OPTION_LIST:
      fprintf(stderr, "at most %d of them\n", APP_MAX_WORDS);
      return;
    case APP_OPTION_TEXT:
      fputs("a word\n", stderr);
      return;
  }
}

/** The next of the names "-o, --output"; returns the rest after it, NULL when there is none. */
static const char *next_name(const char *names, char name[WORD_MAX]) {
  names += strspn(names, ", ");
  size_t length = strcspn(names, ",");
  if (length == 0) return NULL;
  snprintf(name, WORD_MAX, "%.*s", (int)length, names);
  return names + length;
}

static const app_option *find_option(const char *name, const app_option *options, int num_options) {
  char one[WORD_MAX];
  for (int i = 0; i < num_options; i++)
    for (const char *rest = options[i].name; (rest = next_name(rest, one)) != NULL;)
      if (strcmp(one, name) == 0) return &options[i];
  return NULL;
}

static void print_unknown(const char *command, const char *word, const app_option *options,
                          int num_options) {
  char        name[MAX_NAMES][WORD_MAX] = {"--help"};
  const char *names[MAX_NAMES] = {name[0]};
  int         n = 1;
  for (int i = 0; i < num_options; i++)
    for (const char *rest = options[i].name;
         n < MAX_NAMES && (rest = next_name(rest, name[n])) != NULL; n++)
      names[n] = name[n];
  int nearest = sup_text_nearest(word, names, n);
  for (int i = 0; i < n; i++) /* the beginning of a name is nearer than any slip of the pen */
    if (strlen(word) > 3 && strncmp(names[i], word, strlen(word)) == 0) nearest = i;
  fprintf(stderr, "%s: unknown option %s", command, word);
  if (nearest != SUP_NONE) { /* with its short name, which many know alone */
    const app_option *meant = find_option(names[nearest], options, num_options);
    fprintf(stderr, "; did you mean %s?", meant ? meant->name : names[nearest]);
  }
  fprintf(stderr, " (%s --help lists them)\n", command);
}

/** Handle the option at argv[*i]; moves *i over its value. */
static app_parse parse_option(int argc, char **argv, int *i, const char *command,
                              const app_option *options, int num_options) {
  char        name[WORD_MAX];
  const char *word = argv[*i], *value = strchr(word, '=');
  size_t      length = value ? (size_t)(value - word) : strlen(word);
  snprintf(name, sizeof name, "%.*s", (int)(length < WORD_MAX ? length : WORD_MAX - 1), word);
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return APP_PARSE_HELP;
  const app_option *option = find_option(name, options, num_options);
  if (!option) {
    print_unknown(command, name, options, num_options);
    return APP_PARSE_BAD;
  }
  if (option->kind == APP_OPTION_FLAG && !value) {
    *(int *)option->target = 1;
    return APP_PARSE_OK;
  }
  if (value)
    value++;
  else if (*i + 1 < argc)
    value = argv[++*i];
  if (!value) {
    fprintf(stderr, "%s: %s needs a value\n", command, name);
    return APP_PARSE_BAD;
  }
  if (parse_values(option, value)) return APP_PARSE_OK;
  print_bad_value(command, option, name, value);
  return APP_PARSE_BAD;
}

app_parse app_parse_options(int argc, char **argv, const char *command, const app_option *options,
                            int num_options, const char **positional, int max_positional) {
  int found = 0, are_over = 0;
  for (int i = 1; i < argc; i++) {
    if (!are_over && strcmp(argv[i], "--") == 0) {
      are_over = 1;
    } else if (!are_over && argv[i][0] == '-' && argv[i][1] != '\0') {
      app_parse result = parse_option(argc, argv, &i, command, options, num_options);
      if (result != APP_PARSE_OK) return result;
    } else if (found < max_positional) {
      positional[found++] = argv[i];
    } else {
      fprintf(stderr, "%s: '%s' is one word too many (%s --help shows the usage)\n", command,
              argv[i], command);
      return APP_PARSE_BAD;
    }
  }
  return APP_PARSE_OK;
}

static void print_value(const app_option *option, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  if (option->value_name) {
    snprintf(out, size, "%s", option->value_name);
    return;
  }
  for (int i = 0; i < option->count && used < size; i++) {
    const char *comma = i ? "," : "";
    switch (option->kind) {
      case APP_OPTION_LENGTH:
        used += (size_t)snprintf(out + used, size - used, "%s%gmm", comma,
                                 1e3 * ((double *)option->target)[i]);
        break;
      case APP_OPTION_NUMBER:
        used +=
            (size_t)snprintf(out + used, size - used, "%s%g", comma, ((double *)option->target)[i]);
        break;
      case APP_OPTION_ANGLE:
        used += (size_t)snprintf(out + used, size - used, "%s%gdeg", comma,
                                 ((double *)option->target)[i] / degree);
        break;
      case APP_OPTION_COUNT:
        used +=
            (size_t)snprintf(out + used, size - used, "%s%d", comma, ((int *)option->target)[i]);
        break;
      case APP_OPTION_CHOICE:
        used += (size_t)snprintf(out + used, size - used, "%s",
                                 option->choices[*(int *)option->target]);
        break;
      case APP_OPTION_LENGTHS:
      case APP_OPTION_ANGLES:
      case APP_OPTION_TEXT:
      case APP_OPTION_LIST:
      case APP_OPTION_FLAG:
        break;
    }
  }
}

void app_print_options(const app_option *options, int num_options) {
  for (int i = 0; i < num_options; i++) {
    char value[WORD_MAX], left[2 * WORD_MAX];
    print_value(options + i, value, sizeof value);
    snprintf(left, sizeof left, "%s %s", options[i].name, value);
    printf("  %-28s %s\n", left, options[i].help);
  }
}

int app_parse_command(int argc, char **argv, const app_help *help, const app_option *options,
                      int num_options, const char **positional) {
  char command[WORD_MAX];
  snprintf(command, sizeof command, "supple %s", argv[0]);
  app_parse parsed =
      app_parse_options(argc, argv, command, options, num_options, positional, positional != NULL);
  if (parsed == APP_PARSE_BAD) return SUP_EXIT_INPUT;
  if (parsed == APP_PARSE_OK) return SUP_NONE;
  fputs(help->usage, stdout);
  app_print_options(options, num_options);
  fputs(help->codes, stdout);
  sup_app_print_example(stdout, help->example);
  return SUP_EXIT_OK;
}
