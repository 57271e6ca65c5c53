/** Gradients by the program against closed forms and against each other. */
#pragma once

#include <unistd.h>

#include "app/app_test.h"
#include "study/gradient/gradient.h"

/** Columns of gradient.csv. */
enum { GRADIENT_SLOPE = 7, GRADIENT_ORDER = 20, GRADIENT_BAR = 22 };

/** Number of a quantity and a parameter in FOLDER/STUDY/gradient.csv, where its row has no remark
 * with a comma. */
static inline double gradient_field(const char *study, const char *quantity, const char *parameter,
                                    int fields) {
  char   path[512], start[64], *text = NULL, *row;
  size_t size;
  snprintf(path, sizeof path, "%s/%s/gradient.csv", test_folder(), study);
  OK(sup_file_read(path, &text, &size));
  for (row = text; row; row = strchr(row, '\n') ? strchr(row, '\n') + 1 : NULL) {
    const char *name = row;
    snprintf(start, sizeof start, "%s,", quantity);
    if (strncmp(row, start, strlen(start)) != 0) continue;
    for (int i = 0; i < 3; i++) name = strchr(name, ',') + 1;
    snprintf(start, sizeof start, "%s,", parameter);
    if (strncmp(name, start, strlen(start)) == 0) break;
  }
  CU_ASSERT_PTR_NOT_NULL_FATAL(row);
  while (fields-- > 0) row = strchr(row, ',') + 1;
  double value = strtod(row, NULL);
  SUP_FREE(text);
  return value;
}

/** Derivative of a quantity by a parameter. */
static inline double gradient_entry(const char *study, const char *quantity,
                                    const char *parameter) {
  return gradient_field(study, quantity, parameter, GRADIENT_SLOPE);
}

/** FOLDER/NAME.yaml := tests/data/gradient/by_STUDY.yaml with a method; NAME: "STUDY_METHOD". */
static inline const char *gradient_study(const char *study, const char *method) {
  static char name[128];
  char        path[256], folder[2048], text[8192];
  char       *read = NULL;
  size_t      size;
  snprintf(path, sizeof path, "tests/data/gradient/by_%s.yaml", study);
  snprintf(name, sizeof name, "%s_%s", study, method);
  OK(sup_file_read(path, &read, &size));
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder));
  char *scene = strstr(read, "scene: ");
  CU_ASSERT_PTR_NOT_NULL_FATAL(scene);
  *scene = '\0', scene += strlen("scene: ");
  snprintf(text, sizeof text, "%sgradient: {method: %s}\nscene: %s/tests/data/gradient/%s", read,
           method, folder, scene);
  snprintf(path, sizeof path, "%s.yaml", name);
  app_write_file(path, text);
  SUP_FREE(read);
  return name;
}

/** Run a study of tests/data/gradient by a method, once; returns its folder below the test's. */
static inline const char *gradient_run(const char *study, const char *method) {
  char        command[512];
  const char *name = gradient_study(study, method);
  if (app_exists(name, "gradient.json")) return name;
  snprintf(command, sizeof command, "gradient FOLDER/%s.yaml -o FOLDER/%s -q --no-plot", name,
           name);
  check_run(command, 0, " = ");
  return name;
}

typedef struct gradient_closed {
  const char *study, *quantity, *parameter;
  double      slope, tolerance; /* relative; of slope 0 absolute */
} gradient_closed;

static const gradient_closed gradient_closed_forms[] = {
    {"bar", "F", "E", 1e-6, 1e-8},
    {"bar", "F", "nu", 0, 1e-8},
    {"bar", "F", "b", 100, 1e-8},
    {"bar", "F", "L", -20, 1e-8},
    {"bar", "F", "d", 4000, 1e-8},
    {"bar", "y", "nu", -1e-4, 1e-7},
    {"bar", "y", "b", 0.9985, 1e-8},
    {"bar", "y", "L", 3e-4, 1e-6},
    {"layer", "F", "E", -7.80487804878e-5, 1e-8},
    {"layer", "F", "side", -3902.43902439, 1e-8},
    {"layer", "F", "layer", -0.190362879239, 1e-7},
    {"slider", "F", "mu", 2.4525, 3e-6},
    {"slider", "F", "kp", -0.004, 3e-6},
    {"slider", "F", "s1", -300, 3e-6},
    {"slider", "F", "s2", 300, 3e-6},
    {"osc", "x", "m", -0.0983251604311, 1e-7},
    {"osc", "x", "k", 0.0039064521114, 1e-7},
    {"osc", "x", "c", 8.85143528127e-4, 1e-7},
    {"osc", "x", "x0", 0.106614698192, 1e-8},
    {"osc", "x", "v0", -0.11813522839, 1e-8},
    {"coast", "x", "m", .4 / 4 * 1e-4 * 11325, 3e-5},
    {"coast", "x", "F", -1e-4 * 11325 / 2, 3e-5},
    {"coast", "x", "v0", 1.5, 3e-5},
    {"brake", "x", "c", -5. / 7 * 9.81 / .05 * 1e-6 * 20100, 1e-4},
    {"bounce", "z", "h0", 0.692484731, 1e-6},
    {"bounce", "z", "k", -2.71174550e-7, 1e-7},
    {"bounce", "z", "d", -0.0707014251, 1e-7},
    {"bounce", "z", "m", 0.0271174549872, 1e-7},
    {"roll", "x", "v0", 5. / 7 * .2, 2e-5},
    {"pend", "q", "m", 0.0967080410104, 1e-7},
    {"pend", "q", "l", 0.193416082021, 1e-7},
    {"pend", "q", "kp", -0.00193416082021, 1e-7},
    {"pend", "q", "target", 0.990528006034 * 3.14159265358979 / 180, 1e-8}};

/** All closed forms of studies of load steps, or of runs of motion, by a method.
 *  @param[in] least  tolerance [-] */
static inline void gradient_check_closed(int is_static, const char *method, double least) {
  const char *done = "", *name = NULL;
  for (size_t i = 0; i < sizeof gradient_closed_forms / sizeof *gradient_closed_forms; i++) {
    const gradient_closed *c = &gradient_closed_forms[i];
    if ((strcmp(c->study, "osc") != 0 && strcmp(c->study, "bounce") != 0 &&
         strcmp(c->study, "coast") != 0 && strcmp(c->study, "brake") != 0 &&
         strcmp(c->study, "roll") != 0) != is_static)
      continue;
    if (strcmp(c->study, "brake") == 0 && strcmp(method, "adjoint") == 0) continue; /* refused */
    if (strcmp(c->study, done) != 0) name = gradient_run(c->study, method);
    done = c->study;
    double found = gradient_entry(name, c->quantity, c->parameter),
           error = fabs(found - c->slope) / (c->slope != 0 ? fabs(c->slope) : 1),
           tolerance = fmax(c->tolerance, least);
    if (!(error <= tolerance))
      printf("\n    d%s/d%s of %s by %s: %.12g, expected %.12g", c->quantity, c->parameter,
             c->study, method, found, c->slope);
    CHECK(error <= tolerance);
  }
}
