/* Gradients by the equations of load steps: closed forms, differences of whole runs, identities. */
#include "gradient_test.h"
#include "study/quantity.h"

static void gradients_are_those_of_closed_forms(void) {
  gradient_check_closed(1, "adjoint", 1e-7);
  gradient_check_closed(1, "tangent", 1e-7);
}

/** A finger with friction, pressed in load steps: forces, their mean, a place. */
static const char *const quantities[] = {"force", "fy", "mean", "tip"};
static const struct {
  const char *name;
  double      value;
} parameters[] = {{"E", 2.5e6},  {"nu", .45},     {"mu", .5},           {"wall", 2e-3},
                  {"rib", 2e-3}, {"radius", .02}, {"displacement", .01}};
enum { NUM_QUANTITIES = 4, NUM_PARAMETERS = 7 };

static const char *run_objectives(const char *method) {
  CHECK(system(app_arguments("cp tests/data/gradient/press*.csv FOLDER")) == 0);
  return gradient_run("objectives", method);
}

/* A vertex that touches within the width of the differences is averaged by them: 2e-6. */
static void friction_remembers_its_load_steps(void) {
  const char *const methods[] = {"adjoint", "tangent"};
  const double      tolerance[] = {3e-6, 3e-6};
  char              judge[64];
  snprintf(judge, sizeof judge, "%s", run_objectives("differences"));
  for (int m = 0; m < 2; m++) {
    const char *name = run_objectives(methods[m]);
    double      most = 0;
    for (int q = 0; q < NUM_QUANTITIES; q++)
      for (int p = 0; p < NUM_PARAMETERS; p++) {
        double expected = gradient_entry(judge, quantities[q], parameters[p].name);
        double found = gradient_entry(name, quantities[q], parameters[p].name);
        double scale = fmax(fabs(expected), 1e-3 / parameters[p].value);
        most = fmax(most, fabs(found - expected) / scale);
        if (fabs(found - expected) > tolerance[m] * scale)
          printf("\n    d%s/d%s by %s: %.10g, by differences %.10g", quantities[q],
                 parameters[p].name, methods[m], found, expected);
        CHECK(fabs(found - expected) <= tolerance[m] * scale);
      }
    printf("\n    %s: %.2g of differences", methods[m], most);
  }
}

/** Objectives that are no sums over rows, or that two columns decide: 3 load steps, of which the
 * second has a friction that the first left. */
static void objectives_have_derivatives_by_their_rows(void) {
  static const char *const objectives[] = {"impulse", "norm", "off", "off_by_way", "all"};
  static const char *const units[] = {"N s", "N", "N^2", "N^2", "N"};
  const char              *judge = "objectives_differences", *name = "objectives_adjoint";
  run_objectives("differences");
  run_objectives("adjoint");
  char *csv = app_read_file(judge, "gradient.csv");
  for (int q = 0; q < 5; q++) {
    char row[64];
    snprintf(row, sizeof row, "\n%s,%s,", objectives[q], units[q]);
    CHECK(strstr(csv, row) != NULL);
    for (int p = 0; p < NUM_PARAMETERS; p++) {
      double expected = gradient_entry(judge, objectives[q], parameters[p].name);
      double found = gradient_entry(name, objectives[q], parameters[p].name);
      NEAR(found, expected, 3e-6, 1e-3 / parameters[p].value * 3e-6);
    }
  }
  SUP_FREE(csv);
}

/** Without weight, E dF/dE is F; all lengths scaled together, forces grow with their square. */
static void gradients_keep_the_scales_of_stress(void) {
  const char *name = run_objectives("adjoint");
  double      dE = gradient_entry(name, "force", "E"), F = 0;
  char       *text = app_read_file(name, "gradient.csv"), *row = strstr(text, "\nforce,N,");
  CU_ASSERT_PTR_NOT_NULL_FATAL(row);
  F = strtod(row + strlen("\nforce,N,"), NULL);
  SUP_FREE(text);
  NEAR(2.5e6 * dE, F, 3e-8, 0);
}

static void tangents_of_runs_are_those_of_closed_forms(void) {
  gradient_check_closed(0, "tangent", 1e-6);
}

/** Derivatives of a press in motion by runs beside it, and by differences of whole runs. */
static void tangents_of_runs_are_those_of_differences(void) {
  static const char *const name[] = {"force", "mean", "tip", "stress", "lost"}, *const by[] = {
                                                                                    "wall", "mu",
                                                                                    "way"};
  char   judge[64];
  double most = 0;
  snprintf(judge, sizeof judge, "%s", gradient_run("press", "differences"));
  const char *tangent = gradient_run("press", "tangent");
  for (int q = 0; q < 5; q++)
    for (int p = 0; p < 3; p++) {
      double expected = gradient_entry(judge, name[q], by[p]),
             error = fabs(gradient_entry(tangent, name[q], by[p]) / expected - 1);
      /* the time scheme takes 1e-7 J, a small difference of energies */
      CHECK(error <= (q == 4 ? 1e-4 : 1e-5));
      most = fmax(most, q == 4 ? 0 : error);
    }
  printf("\n    tangent: %.2g of differences", most);
}

/** Vertices on a hub go on arcs by its spin at the start of a step. */
static void tangents_of_bodies_on_hubs_are_those_of_differences(void) {
  static const char *const by[] = {"E", "w", "m"};
  char                     judge[64];
  snprintf(judge, sizeof judge, "%s", gradient_run("hub", "differences"));
  const char *tangent = gradient_run("hub", "tangent");
  for (int p = 0; p < 3; p++)
    for (int q = 0; q < 2; q++)
      NEAR(gradient_entry(tangent, q ? "y" : "x", by[p]),
           gradient_entry(judge, q ? "y" : "x", by[p]), 1e-5, 0);
}

/* Two bounds of rounding: positions of a ball to 1e-10 of a difference, 2,500 steps. */
static void adjoints_of_runs_are_those_of_closed_forms(void) {
  gradient_check_closed(0, "adjoint", 2e-7);
}

/** Largest difference of the adjoint and another method over all rows of a study, over the slope;
 * slopes that move a quantity by less than `least` of itself count as this. */
static double difference_of_ways(const char *study, const char *method, double least) {
  char   judge[64], row[512], *text, *line, *save = NULL;
  double most = 0;
  snprintf(judge, sizeof judge, "%s", gradient_run(study, method));
  const char *adjoint = gradient_run(study, "adjoint");
  text = app_read_file(judge, "gradient.csv");
  for (line = strtok_r(text, "\n", &save); (line = strtok_r(NULL, "\n", &save));) {
    char quantity[32], parameter[32];
    snprintf(row, sizeof row, "%s", line);
    CHECK(sscanf(row, "%31[^,],%*[^,],%*[^,],%31[^,]", quantity, parameter) == 2);
    double expected = gradient_entry(judge, quantity, parameter),
           found = gradient_entry(adjoint, quantity, parameter),
           value = fabs(gradient_field(judge, quantity, parameter, 2) /
                        gradient_field(judge, quantity, parameter, 5)),
           error = fabs(found - expected) / fmax(fabs(expected), least * value);
    if (error > 1e-5)
      printf("\n    d%s/d%s of %s: %.10g, by %s %.10g", quantity, parameter, study, found, method,
             expected);
    most = fmax(most, error);
  }
  SUP_FREE(text);
  printf("\n    %s: %.1e of %s", study, most, method);
  return most;
}

/* Corrections of the tangent end at a thousandth: 1e-6. Its width is too large where a finger is
 * just touched. */
static void adjoints_of_runs_are_tangents(void) {
  static const char *const studies[] = {"beam", "bent", "held", "slide", "small", "stiff"};
  for (int i = 0; i < 6; i++) CHECK(difference_of_ways(studies[i], "tangent", 1e-3) <= 5e-6);
  CHECK(difference_of_ways("touch", "differences", 1e-2) <= 1e-5);
}

/* Two bodies that do not touch: derivatives of one by the other are 0, by the adjoint as far as its
 * products are exact. Small derivatives stay above the error that is told. */
static void what_is_zero_is_not_above_its_error(void) {
  static const char *const of[] = {"bx", "qx", "fz"}, *const by[] = {"m", "vs", "mb", "R", "ks"};
  const char *adjoint = gradient_run("apart", "adjoint");
  for (int i = 0; i < 15; i++) {
    double slope = fabs(gradient_field(adjoint, of[i / 5], by[i % 5], 7)),
           error = gradient_field(adjoint, of[i / 5], by[i % 5], 8);
    CHECK(error > 0);
    if (i % 5 < 2) CHECK(slope > 20 * error);
    if (i % 5 >= 2) CHECK(slope <= 3 * error);
  }
}

static void refuse(const char *study, const char *said) {
  char        command[512];
  const char *name = gradient_study(study, "adjoint");
  snprintf(command, sizeof command, "gradient FOLDER/%s.yaml -o FOLDER/%s -q --no-plot", name,
           name);
  check_run(command, 2, said);
  check_run(command, 2, "differences takes it");
}

/** The entry of a summary is that of another one. */
static void check_entry(const char *name, const char *summary, const char *other) {
  const char *a = strstr(summary, name), *b = strstr(other, name);
  CU_ASSERT_FATAL(a && b);
  CHECK(strncmp(a, b, strcspn(b, "\n")) == 0);
}

/* The run at the point is that of `supple run`, whose steps are solved as far: summary, state and
 * warnings are of its end. */
static void the_point_has_the_files_of_a_run(void) {
  static const char *const kept[] = {"\"steps\"", "\"time\"", "\"state_hash\"", "\"warnings\""};
  const char              *name = gradient_run("beam", "adjoint");
  check_run("run tests/data/gradient/beam.yaml --set solver.tolerance=1e-10 -q -o FOLDER/beam_run",
            0, "");
  char *point = app_read_file(name, "case_00001/summary.json"),
       *run = app_read_file("beam_run", "summary.json");
  for (int i = 0; i < 4; i++) check_entry(kept[i], point, run);
  free(point), free(run);
}

/** A study of a run of 2,000 steps with a memory [MB]; its gradient.csv. */
static char *run_with(const char *study, int memory, int code, const char *said) {
  char        command[512], name[64];
  const char *file = gradient_study(study, "adjoint");
  snprintf(name, sizeof name, "%s_%d", study, memory);
  snprintf(command, sizeof command, "gradient FOLDER/%s.yaml -o FOLDER/%s --memory %d --no-plot",
           file, name, memory);
  check_run(command, code, said);
  if (code != 0) return NULL;
#ifndef SUP_SANITIZED /* sanitizers hold memory of their own */
  double peak;
  snprintf(command, sizeof command, "%s/%s/case_00001/level.json", test_folder(), name);
  OK(sup_json_file_number(command, "memory", &peak));
  CHECK(peak < 1e6 * memory);
#endif
  return app_read_file(name, "gradient.csv");
}

/* Records of a beam take 30 MB beside 30 MB of the program. Within the memory a 27th of them is
 * kept at a time; derivatives have equal bits, of contacts, too, whose steps are run again. */
static void records_keep_to_a_memory(void) {
  char *whole = run_with("long", 1000, 0, ""),
       *part = run_with("long", 65, 0, "each 38 steps are run again from a state");
  CHECK(strcmp(whole, part) == 0);
  free(whole), free(part);
  run_with("long", 30, 2, "for --memory, expected ");
  whole = run_with("slide", 1000, 0, ""), part = run_with("slide", 49, 0, "");
  CHECK(strcmp(whole, part) == 0);
  free(whole), free(part);
}

/** A cylinder that rests on the finger and just touches it: forces begin on one side, of a body
 * that can slide, too. */
static void kinks_are_refused(void) {
  refuse("flush", "bodies just touch in the step from");
  refuse("carried", "have two sides: in the step from ");
}

static void other_studies_are_refused_with_what_works(void) {
  refuse("press", "does not have the column 'finger.von_mises_max'");
  refuse("bdf2", "does not have BDF2");
  refuse("stick", "does not have elastic stick");
  refuse("patch", "has point contacts of rigid bodies, not the patch of 'box' and 'floor' at");
  refuse("brake", "does not have rolling and torsional friction of '");
  refuse("length", "has no derivative by the length of the step or of the run");
  refuse("lagged", "has coupled friction of soft bodies, not that of 'finger' and 'cylinder'");
  refuse("hub", "does not have 'block', which rides on a link");
  refuse("hinge", "does not have 'bar', which turns in its holds");
  gradient_run("osc", "auto");
}

/** Contacts of a ball that presses a block, with the remedy. */
static void refused_contacts_are_told_with_the_reason(void) {
  refuse("pieces", "'block' and 'ball' at 0.028 s, at pieces of facets; finer cells have none");
  refuse("turns", "'block' and 'ball' at 0.028 s, of a body that turns");
  CHECK(difference_of_ways("fine", "tangent", 1e-3) <= 5e-6);
}

/* Slider: 4 parameters; pressed bar: 5, with a reaction, which the tangent has; block: 5, of which
 * friction has no value below 0; slide: 5 of a run of motion. */
static void the_choice_is_by_the_number_of_parameters(void) {
  static const struct {
    const char *study, *method;
    int         code; /* 2: the scene of a case is wrong */
  } chosen[] = {{"slider", "differences", 0},
                {"bar", "tangent", 0},
                {"block", "differences", 2},
                {"slide", "adjoint", 0}};
  for (int i = 0; i < 4; i++) {
    const char *name = gradient_study(chosen[i].study, "auto");
    char        text[512];
    snprintf(text, sizeof text, "gradient FOLDER/%s.yaml -o FOLDER/%s -q --no-plot", name, name);
    check_run(text, chosen[i].code, " = ");
    char *json = app_read_file(name, "gradient.json");
    snprintf(text, sizeof text, "\"method\": \"%s\"", chosen[i].method);
    CHECK(strstr(json, text) != NULL);
    SUP_FREE(json);
  }
}

static void derivatives_pass_their_own_checks(void) {
  check_run("gradient tests/data/gradient/by_layer.yaml -o FOLDER/layer -q --verify", 0,
            "0 of 8 checks fail");
  check_run("gradient tests/data/gradient/by_finger.yaml -o FOLDER/finger -q --verify", 0,
            "0 of 64 checks fail");
  check_run("gradient tests/data/gradient/by_osc.yaml -o FOLDER/osc -q --verify", 0,
            "0 of 11 checks fail");
}

/** Terms of third order at the first lengths: an order of 1.58 along the random direction. */
static void orders_are_those_of_short_lengths(void) {
  char   text[8192], folder[2048], *read = NULL;
  size_t size;
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder));
  OK(sup_file_read("tests/data/gradient/by_osc.yaml", &read, &size));
  char *scene = strstr(read, "scene: ");
  *scene = '\0', scene += strlen("scene: ");
  snprintf(text, sizeof text, "%sgradient: {width: 0.2}\nscene: %s/tests/data/gradient/%s", read,
           folder, scene);
  app_write_file("wide.yaml", text);
  SUP_FREE(read);
  check_run("gradient FOLDER/wide.yaml -o FOLDER/wide -q --verify", 0, "0 of 11 checks fail");
}

/** FOLDER/NAME.yaml := the cylinder's study with one line replaced; verify.csv, freed by the
 * caller. */
static char *verify_cylinder(const char *name, const char *line, const char *other, int code,
                             const char *said) {
  char   path[64], text[8192], command[256], folder[2048], *read = NULL;
  size_t size;
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder));
  OK(sup_file_read("tests/data/gradient/by_cylinder.yaml", &read, &size));
  char *at = strstr(read, line), *scene = strstr(read, "scene: ") + strlen("scene: ");
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  snprintf(text, sizeof text, "supple: 1\nscene: %s/tests/data/gradient/%.*s%s%s", folder,
           (int)(at - scene), scene, other, at + strlen(line));
  snprintf(path, sizeof path, "%s.yaml", name);
  app_write_file(path, text);
  SUP_FREE(read);
  snprintf(command, sizeof command, "gradient FOLDER/%s.yaml -o FOLDER/%s -q --verify", name, name);
  check_run(command, code, said);
  return app_read_file(name, "verify.csv");
}

static void derivatives_keep_the_scales_of_stress_and_length(void) {
  static const char p[] = "  p: {key: soft.tube.tractions.0.pressure}\n";
  static const char twice[] =
      "  p: {key: soft.tube.tractions.0.pressure}\n"
      "  q: {key: soft.tube.tractions.0.pressure}\n";
  static const char outer[] =
      "  outer: {key: [soft.tube.mesh.ring.outer_radius, output.probes.outer.point.0]}\n";
  char *csv = verify_cylinder("whole", p, p, 0, "0 of 13 checks fail");
  CHECK(strstr(csv, "\nscale of stress,u,all,") && strstr(csv, "\nscale of length,u,all,"));
  SUP_FREE(csv);
  csv = verify_cylinder("no_load", p, "", 0,
                        "scale of stress: not checked; it needs as parameters, too: "
                        "soft.tube.tractions.0.pressure\n");
  CHECK(!strstr(csv, "\nscale of stress") && strstr(csv, "\nscale of length,u,all,"));
  SUP_FREE(csv);
  csv = verify_cylinder("no_wall", outer, "", 0,
                        "scale of length: not checked; it needs as parameters, too: "
                        "soft.tube.mesh.ring.outer_radius");
  SUP_FREE(csv);
  csv = verify_cylinder("twice", p, twice, 1, "checks fail"); /* counted twice */
  const char *row = strstr(csv, "\nscale of stress,u,all,");
  CU_ASSERT_PTR_NOT_NULL_FATAL(row);
  CHECK(row[1 + strcspn(row + 1, "\n") - 1] == '0');
  row = strstr(csv, "\nscale of length,u,all,");
  CHECK(row && row[1 + strcspn(row + 1, "\n") - 1] == '1');
  SUP_FREE(csv);
}

SUITE_TESTS(adjoint, TEST(derivatives_keep_the_scales_of_stress_and_length),
            TEST(gradients_are_those_of_closed_forms), TEST(friction_remembers_its_load_steps),
            TEST(gradients_keep_the_scales_of_stress),
            TEST(tangents_of_runs_are_those_of_closed_forms),
            TEST(tangents_of_runs_are_those_of_differences),
            TEST(tangents_of_bodies_on_hubs_are_those_of_differences),
            TEST(refused_contacts_are_told_with_the_reason),
            TEST(objectives_have_derivatives_by_their_rows),
            TEST(adjoints_of_runs_are_those_of_closed_forms), TEST(adjoints_of_runs_are_tangents),
            TEST(the_point_has_the_files_of_a_run), TEST(records_keep_to_a_memory),
            TEST(kinks_are_refused), TEST(what_is_zero_is_not_above_its_error),
            TEST(other_studies_are_refused_with_what_works),
            TEST(the_choice_is_by_the_number_of_parameters),
            TEST(derivatives_pass_their_own_checks), TEST(orders_are_those_of_short_lengths));
