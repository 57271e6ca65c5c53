/* Profiles from tables of points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "profile/drawing.h"
#include "profile/formats.h"

static const struct {
  const char *name;
  double      metres;
} units[] = {{"m", 1}, {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}, {"in", 0.0254}};

/** Words of a row, cut at commas, semicolons and white space in place; at most three are kept. */
static int words_of(char *line, char *word[3]) {
  int n = 0;
  for (char *w = strtok(line, ",; \t\r"); w; w = strtok(NULL, ",; \t\r"))
    if (n < 3) word[n++] = w;
  return n;
}

/** The unit in brackets of a first line "x [mm], y [mm]"; 0: none that is known. */
static double unit_of_header(const char *line) {
  const char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
  if (!close) return 0;
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    if (strlen(units[k].name) == (size_t)(close - open - 1) &&
        strncmp(units[k].name, open + 1, strlen(units[k].name)) == 0)
      return units[k].metres;
  return 0;
}

/** 1: the row begins with a word that is no number. */
static bool is_header(const char *line) {
  char   word[64];
  double value;
  size_t from = strspn(line, " \t"), length = strcspn(line + from, ",; \t\r");
  snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), line + from);
  return word[0] && !sup_text_number(word, &value);
}

typedef struct csv {
  const char *name;
  long        line;
  double      unit;
  sup_drawing drawing;
  int         is_open;  /* a loop has begun */
  char        loop[64]; /* third column of its rows */
} csv;

static sup_status take_row(csv *c, char *line) {
  char  *word[3] = {"", "", ""};
  double x[2];
  int    n = words_of(line, word);
  if (n == 0) {
    if (c->is_open) sup_drawing_close(&c->drawing);
    c->is_open = 0;
    return SUP_OK;
  }
  for (int d = 0; d < 2; d++)
    if (!sup_text_number(word[d], &x[d]))
      return SUP_FAIL(SUP_E_PARSE, "%s:%ld: found '%.40s', expected a number for %c", c->name,
                      c->line, word[d], "xy"[d]);
  if (c->unit == 0)
    return SUP_FAIL(SUP_E_PARSE,
                    "%s:%ld: the unit of these numbers is not known; expected a first line 'x "
                    "[mm], y [mm]', or --unit mm",
                    c->name, c->line);
  bool is_new = !c->is_open || strncmp(c->loop, word[2], sizeof c->loop - 1) != 0;
  if (is_new && c->is_open) sup_drawing_close(&c->drawing);
  snprintf(c->loop, sizeof c->loop, "%s", word[2]);
  c->is_open = 1;
  c->drawing.affine[0] = c->drawing.affine[3] = c->unit;
  return is_new ? sup_drawing_begin(&c->drawing, x[0], x[1])
                : sup_drawing_line(&c->drawing, x[0], x[1]);
}

sup_status sup_profile_parse_csv(sup_profile **profile, const char *name, const char *data,
                                 double unit) {
  csv        c = {.name = name, .unit = unit};
  sup_status status = SUP_OK;
  *profile = NULL;
  while (*data && status == SUP_OK) {
    char   line[512];
    size_t length = strcspn(data, "\n");
    snprintf(line, sizeof line, "%.*s", (int)(length < 511 ? length : 511), data);
    data += data[length] ? length + 1 : length;
    c.line++;
    if (line[0] == '#') continue;
    line[strcspn(line, "#")] = '\0';
    if (c.drawing.num_paths == 0 && is_header(line)) {
      if (unit == 0) c.unit = unit_of_header(line);
      continue;
    }
    status = take_row(&c, line);
  }
  if (status == SUP_OK && c.is_open) sup_drawing_close(&c.drawing);
  if (status == SUP_OK) status = sup_drawing_finish(&c.drawing, name, profile);
  sup_drawing_free(&c.drawing);
  return status;
}
