/* `converge` of a study with a budget: the parts of each quantity's error, the spread over contact
 * models, what is refused. */
#include "app/app_test.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "study/quantity.h"

/** A soft cube on the ground is pressed by a driven plate and then pushed along. */
static void write_scene(void) {
  char path[512];
  snprintf(path, sizeof path, "%s/press.yaml", test_folder());
  FILE *file = fopen(path, "w");
  CU_ASSERT_FATAL(file != NULL);
  fprintf(
      file,
      "supple: 1\ntime: {step: 5 ms, end: 0.1 s}\ngravity: [0, 0, 0]\nmaterials:\n"
      "  rubber: {youngs_modulus: 1 MPa, poissons_ratio: 0.3, density: 1000 kg/m^3, model: "
      "corotational}\nsoft:\n"
      "  cube:\n    mesh: {box: {size: [20 mm, 20 mm, 20 mm], cells: [2, 2, 2], pattern: hex}}\n"
      "    material: rubber\n    clamp: [{named: z_min}]\nrigid:\n"
      "  plate: {shape: {box: {size: [60 mm, 60 mm, 10 mm]}}, mass: 1 kg, pose: {position: [11 mm, "
      "9 mm, 25.2 mm]},\n"
      "          motion: [[0 s, 0, 0, 0, 0, 0, 0], [0.05 s, 0, 0, -1.2 mm, 0, 0, 0],\n"
      "                   [0.1 s, 0.3 mm, 0, -1.2 mm, 0, 0, 0]]}\n"
      "output: {pairs: [[plate, cube]]}\n");
  fclose(file);
}

static void write_study(const char *name, const char *budget) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.yaml", test_folder(), name);
  FILE *file = fopen(path, "w");
  CU_ASSERT_FATAL(file != NULL);
  fprintf(file,
          "supple: 1\nscene: press.yaml\n%s\nset: {output.format: none}\ntolerance: 1 %%\n"
          "quantities:\n  push: {column: contact.plate.cube.fz, scale: -1, unit: N}\n"
          "  drag: contact.plate.cube.fx\n",
          budget);
  fclose(file);
}

static double value_of(const char *folder, const char *column) {
  char             path[512];
  double           value = 0;
  sup_quantity_def def = {
      .source = column, .take = SUP_WINDOW_END, .from = -1, .to = 1e9, .scale = 1};
  snprintf(path, sizeof path, "%s/%s", test_folder(), folder);
  OK(sup_quantity_value(&def, path, &value));
  return value;
}

/** A field of a row of estimate.csv by the name of its column. */
static double field(const char *csv, const char *row, const char *column) {
  const char *name = csv, *at = strstr(csv, row);
  char        wanted[64];
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  at++; /* the line's end before it */
  snprintf(wanted, sizeof wanted, "%s", column);
  size_t length = strlen(wanted);
  while (strncmp(name, wanted, length) != 0 || (name[length] != ',' && name[length] != '\n')) {
    name = strpbrk(name, ",\n") + 1, at = strchr(at, ',') + 1;
    CU_ASSERT_FATAL(name[-1] == ',');
  }
  return strtod(at, NULL);
}

static void a_budget_tells_what_makes_the_error_of_what_is_asked_for(void) {
  static const char parts[] = "budget: {mesh: 1, step: 1, layer: 2, models: [coupled, sap]}";
  write_scene();
  write_study("parts", parts);
  const char *said =
      check_run("converge FOLDER/parts.yaml -o FOLDER/parts --no-plot", 0, "largest error bar: ");
  CHECK(strstr(said, "of 2 quantities are within 1 %") != NULL);
  CHECK(strstr(said, "contact models, which are a choice and no error, differ by at most ") !=
        NULL);
  CHECK(strstr(said, "model_coupled") == NULL); /* the scene's own */
  char *csv = app_read_file("parts", "estimate.csv");
  NEAR(field(csv, "\npush,", "value"), -value_of("parts/base", "contact.plate.cube.fz"), 1e-12, 0);
  NEAR(field(csv, "\npush,", "layer_2"), -value_of("parts/layer_2", "contact.plate.cube.fz"), 1e-12,
       0);
  double sum = field(csv, "\npush,", "error_step") + field(csv, "\npush,", "error_mesh") +
               field(csv, "\npush,", "error_layer");
  NEAR(field(csv, "\npush,", "error"), sum, 1e-9, 0);
  CHECK(field(csv, "\npush,", "error_layer") > 0 && field(csv, "\npush,", "error_mesh") > 0);
  NEAR(field(csv, "\ndrag,", "spread_models"),
       fabs(field(csv, "\ndrag,", "model_sap") - field(csv, "\ndrag,", "value")), 1e-9, 0);
  char *json = app_read_file("parts", "estimate.json");
  CHECK(strstr(json, "\"tolerance\": 0.01") != NULL && strstr(json, "\"share\": ") != NULL);
  SUP_FREE(json);
  SUP_FREE(csv);
  said = check_run("converge FOLDER/parts.yaml -o FOLDER/parts --no-plot", 0,
                   "mesh  is complete and unchanged: ");
  CHECK(strstr(said, "plot") == NULL);
}

/* Deflection of a layer is force over stiffness: halved by twice the stiffness. */
static void the_error_of_the_layer_falls_as_its_inverse(void) {
  double order = 0;
  write_scene();
  write_study("layer", "budget: {mesh: 0, step: 0, layer: 3}");
  check_run("converge FOLDER/layer.yaml -o FOLDER/layer --no-plot", 0, "");
  char  *csv = app_read_file("layer", "estimate.csv");
  double a = field(csv, "\npush,", "value"), b = field(csv, "\npush,", "layer"),
         c = field(csv, "\npush,", "layer_2"), d = field(csv, "\npush,", "layer_3");
  order = log2((c - b) / (d - c));
  CHECK(a < b && b < c && c < d && order > 0.9 && order < 1.1);
  double limit = d + (d - c); /* of a layer that does not yield */
  double error = field(csv, "\npush,", "error_layer");
  CHECK(limit - a < error && error < 1.6 * (limit - a));
  SUP_FREE(csv);
}

/* Each repeat changes one thing; all at once change as much as the sum of them, to second order. */
static void the_parts_of_the_error_add_up(void) {
  write_scene();
  write_study("sum", "budget: {mesh: 1, step: 1, layer: 1}");
  check_run("converge FOLDER/sum.yaml -o FOLDER/sum --no-plot", 0, "");
  check_run(
      "run FOLDER/press.yaml -q -o FOLDER/all --set time.step=2.5e-3 --set "
      "soft.cube.mesh.refine=1",
      0, ""); /* thinner cells have stiffer layers */
  char  *csv = app_read_file("sum", "estimate.csv");
  double value = field(csv, "\npush,", "value");
  double sum = field(csv, "\npush,", "step") + field(csv, "\npush,", "mesh") +
               field(csv, "\npush,", "layer") - 3 * value;
  double all = -value_of("all", "contact.plate.cube.fz") - value;
  double parts =
      fabs(field(csv, "\npush,", "mesh") - value) + fabs(field(csv, "\npush,", "layer") - value);
  CHECK(parts > 0.02 * value);
  CHECK(fabs(sum - all) < 0.1 * parts);
  SUP_FREE(csv);
}

static void an_estimate_tells_the_spread_over_models_apart(void) {
  write_scene();
  check_run("run FOLDER/press.yaml --estimate --models -o FOLDER/models --set output.format=none",
            0, "contact models, which are a choice and no error, differ by at most ");
  char  *csv = app_read_file("models", "estimate.csv");
  double value = field(csv, "\ncontact.plate.cube.fx,peak,", "value"), low = value, high = value;
  static const char *const model[] = {"lagged", "lagged_regularized", "similar",
                                      "similar_regularized", "sap"};
  for (int m = 0; m < 5; m++) {
    char column[64];
    snprintf(column, sizeof column, "model_%s", model[m]);
    double other = field(csv, "\ncontact.plate.cube.fx,peak,", column);
    low = fmin(low, other), high = fmax(high, other);
  }
  CHECK(high > low);
  NEAR(field(csv, "\ncontact.plate.cube.fx,peak,", "spread_models"), high - low, 1e-9, 0);
  SUP_FREE(csv);
  check_run("run FOLDER/press.yaml --models", 2, "--models goes with --estimate");
}

static void budgets_that_make_no_sense_are_refused(void) {
  static const struct {
    const char *budget, *message;
  } bad[] = {{"budget: {mesh: 4}", "bad.yaml:3:16: mesh is 4; it is at most 3"},
             {"budget: {mesh: 0, step: 0, layer: 0}", "the budget asks for no repetition"},
             {"budget: {meshes: 1}", "unknown key 'meshes' in budget; did you mean 'mesh'?"},
             {"budget: {models: [sapp]}", "did you mean 'sap'"},
             {"budget: {mesh: 1}\nladder: [{time.step: 1 ms}, {time.step: 2 ms}]",
              "bad.yaml:4:1: ladder does not go with a budget, which repeats the scene itself"}};
  write_scene();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    write_study("bad", bad[i].budget);
    check_run("converge FOLDER/bad.yaml -o FOLDER/bad", 2, bad[i].message);
  }
  write_study("large", "budget: {mesh: 3}");
  check_run("converge FOLDER/large.yaml -o FOLDER/large --memory 40", 2,
            "or say 'mesh: 0' in the budget, or a smaller number");
  check_run("converge FOLDER/large.yaml --check", 0, "soft.cube.mesh.refine=3: 4096 cells");
}

/** Load steps are doubled in the place of the time step. */
static void a_budget_of_an_equilibrium_doubles_its_load_steps(void) {
  write_scene();
  write_study("rest", "mode: static\nbudget: {mesh: 1, step: 1, layer: 1}");
  check_run("converge FOLDER/rest.yaml --check", 0, "static.steps");
  check_run("converge FOLDER/rest.yaml -o FOLDER/rest --no-plot", 0, "+-");
  char *csv = app_read_file("rest", "estimate.csv");
  CHECK(fabs(field(csv, "\npush,", "mesh") / field(csv, "\npush,", "value") - 1) > 1e-4);
  SUP_FREE(csv);
}

SUITE_TESTS(budget, TEST(a_budget_of_an_equilibrium_doubles_its_load_steps),
            TEST(a_budget_tells_what_makes_the_error_of_what_is_asked_for),
            TEST(the_error_of_the_layer_falls_as_its_inverse), TEST(the_parts_of_the_error_add_up),
            TEST(an_estimate_tells_the_spread_over_models_apart),
            TEST(budgets_that_make_no_sense_are_refused));
