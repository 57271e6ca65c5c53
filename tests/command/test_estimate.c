/* `run --estimate` and `static --estimate`: kind of repeat, what the error bars are, what is told
 * and refused. */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "app/app_test.h"
#include "base/file/file.h"
#include "base/file/process.h"
#include "base/memory.h"
#include "base/timer.h"
#include "study/quantity.h"

/** A soft cube of T4 cells on the ground is pressed by a driven plate. */
static void write_press(const char *name, const char *step) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.yaml", test_folder(), name);
  FILE *file = fopen(path, "w");
  CU_ASSERT_FATAL(file != NULL);
  fprintf(
      file,
      "supple: 1\ntime: {step: %s, end: 0.1 s}\ngravity: [0, 0, 0]\nmaterials:\n"
      "  rubber: {youngs_modulus: 1 MPa, poissons_ratio: 0.3, density: 1000 kg/m^3, model: "
      "corotational}\nsoft:\n"
      "  cube:\n    mesh: {box: {size: [20 mm, 20 mm, 20 mm], cells: [2, 2, 2], pattern: kuhn}}\n"
      "    material: rubber\n    clamp: [{named: z_min}]\nrigid:\n"
      "  plate: {shape: {box: {size: [40 mm, 40 mm, 10 mm]}}, mass: 1 kg, pose: {position: [11 mm, "
      "9 mm, 25.2 mm]},\n"
      "          motion: [[0 s, 0, 0, 0, 0, 0, 0], [0.1 s, 0, 0, -1.2 mm, 0, 0, 0]]}\n"
      "output: {pairs: [[plate, cube]], probes: {edge: {body: cube, point: [0, 10 mm, 10 mm]}}}\n",
      step);
  fclose(file);
}

static double number(const char *folder, const char *path) {
  char   file[512];
  double value = 0;
  snprintf(file, sizeof file, "%s/%s", test_folder(), folder);
  OK(sup_json_file_number(file, path, &value));
  return value;
}

static double end_of(const char *folder, const char *column, sup_window_value take) {
  char             path[512];
  double           value = 0;
  sup_quantity_def def = {.source = column, .take = take, .from = -1, .to = 1e9, .scale = 1};
  snprintf(path, sizeof path, "%s/%s", test_folder(), folder);
  OK(sup_quantity_value(&def, path, &value));
  return value;
}

/** A field of the row of estimate.csv that begins so. */
static double field(const char *csv, const char *row, int column) {
  const char *at = strstr(csv, row);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  while (column-- > 0) at = strchr(at, ',') + 1;
  return strtod(at, NULL);
}

enum {
  VALUE = 3,
  ERROR,
  RELATIVE,
  ERROR_STEP,
  ERROR_MESH,
  ERROR_LAYER,
  ORDER,
  SPREAD,
  STEP,
  MESH,
  LAYER,
  MESH_2 = LAYER, /* without contact */
  FIRST_MODEL
};

static void the_error_bar_is_what_the_repeats_say(void) {
  write_press("press", "5 ms");
  const char *said =
      check_run("run FOLDER/press.yaml --estimate -o FOLDER/press", 0, "largest error bar: ");
  CHECK(strstr(said, "estimate: time.step=0.0025: twice the time of the run") != NULL);
  CHECK(strstr(said, "soft.cube.mesh.refine=1: 384 cells instead of 48") != NULL);
  CHECK(strstr(said, "the mesh makes most of the error in ") != NULL);
  char       *csv = app_read_file("press", "estimate.csv");
  const char *row = "\ncontact.plate.cube.fz,peak,N,";
  check_run("run FOLDER/press.yaml -o FOLDER/half -q --set time.step=2.5e-3", 0, "");
  check_run(
      "run FOLDER/press.yaml -o FOLDER/fine -q --set soft.cube.mesh.refine=1 --set contact.layer=5",
      0, ""); /* of cells half as thin: the layer as it was */
  check_run("run FOLDER/press.yaml -o FOLDER/stiff -q --set contact.layer=20", 0, "");
  double value = end_of("press", "contact.plate.cube.fz", SUP_WINDOW_MIN);
  double half = end_of("half", "contact.plate.cube.fz", SUP_WINDOW_MIN);
  double fine = end_of("fine", "contact.plate.cube.fz", SUP_WINDOW_MIN);
  double stiff = end_of("stiff", "contact.plate.cube.fz", SUP_WINDOW_MIN);
  CHECK(stiff < value && stiff > 1.1 * value);
  CHECK(value < -10 && half != value && fine != value);
  NEAR(field(csv, row, VALUE), value, 1e-12, 0);
  NEAR(field(csv, row, STEP), half, 1e-12, 0);
  NEAR(field(csv, row, MESH), fine, 1e-12, 0);
  NEAR(field(csv, row, ERROR_STEP), 2.5 * fabs(half - value), 1e-9, 0);
  NEAR(field(csv, row, ERROR_MESH), 2.5 * fabs(fine - value), 1e-9, 0);
  NEAR(field(csv, row, LAYER), stiff, 1e-12, 0);
  NEAR(field(csv, row, ERROR_LAYER), 2.5 * fabs(stiff - value), 1e-9, 0);
  NEAR(field(csv, row, ERROR),
       2.5 * (fabs(half - value) + fabs(fine - value) + fabs(stiff - value)), 1e-9, 0);
  NEAR(field(csv, row, RELATIVE), field(csv, row, ERROR) / fabs(value), 1e-9, 0);
  CHECK(strstr(csv, "plate.z") == NULL); /* driven: no repeat changes it */
  CHECK(strstr(csv, "\ncube.von_mises_p99,max,Pa,") && strstr(csv, "\nprobe.edge.x,excursion,m,"));
  char *json = app_read_file("press", "estimate.json");
  CHECK(strstr(json, "\"words\": \"contact.plate.cube.fz = -") != NULL &&
        strstr(json, "%): mesh ") != NULL);
  SUP_FREE(json);
  SUP_FREE(csv);
}

static void a_second_refinement_gives_the_order_of_an_equilibrium(void) {
  check_run("static examples/studies/cantilever_bar.yaml --estimate --refinements 2 -o FOLDER/bar",
            0, "observed order p of the mesh");
  char  *csv = app_read_file("bar", "estimate.csv");
  double value = field(csv, "\nprobe.tip.z,change,m,", VALUE),
         fine = field(csv, "\nprobe.tip.z,change,m,", MESH);
  double finest = field(csv, "\nprobe.tip.z,change,m,", MESH_2),
         order = log2((fine - value) / (finest - fine));
  double believed = exp2(fmin(order, 2));
  NEAR(field(csv, "\nprobe.tip.z,change,m,", ORDER), order, 1e-6, 0);
  CHECK(order > 0.5 && order < 2.5);
  NEAR(field(csv, "\nprobe.tip.z,change,m,", ERROR_MESH),
       1.25 * fabs(finest + (finest - fine) / (believed - 1) - value), 1e-6, 0);
  CHECK(strstr(csv, ",step,mesh,mesh_2\n") != NULL &&
        app_exists("bar", "estimate/step/level.json"));
  CHECK(field(csv, "\nprobe.tip.z,change,m,", ERROR_STEP) <
        1e-7 * fabs(value)); /* an elastic bar has no memory */
  CHECK(app_exists("bar", "estimate/mesh_2/level.json"));
  SUP_FREE(csv);
}

/* A block on the ground, pressed and then pushed: friction remembers the way, and load steps are
 * the way. */
static void load_steps_of_an_equilibrium_are_repeated(void) {
  write_press("slide", "5 ms");
  const char *set =
      "static FOLDER/slide.yaml -q --set "
      "rigid.plate.motion=[[0s,0,0,0,0,0,0],[0.05s,0,0,-1.2mm,0,0,0],[0.1s,0.5mm,0,-1.2mm,0,0,0]] "
      "--set static.steps=";
  char line[1024];
  snprintf(line, sizeof line, "%s4 --estimate -o FOLDER/slide", set);
  check_run(line, 0, "");
  snprintf(line, sizeof line, "%s8 -o FOLDER/slide_8", set);
  check_run(line, 0, "");
  char       *csv = app_read_file("slide", "estimate.csv");
  const char *row = "\ncontact.plate.cube.fx,end,N,";
  double      value = end_of("slide", "contact.plate.cube.fx", SUP_WINDOW_END);
  double      more = end_of("slide_8", "contact.plate.cube.fx", SUP_WINDOW_END);
  CHECK(fabs(more - value) > 1e-5 * fabs(value));
  NEAR(field(csv, row, STEP), more, 1e-12, 0);
  NEAR(field(csv, row, ERROR_STEP), 2.5 * fabs(more - value), 1e-9, 0);
  SUP_FREE(csv);
}

static void what_stops_an_estimate_keeps_the_run_and_what_is_complete(void) {
  char              scene[512], out[512], log[512];
  const char *const argv[] = {app_program(), "run", scene, "--estimate", "-o", out, NULL};
  sup_process_end   end;
  double            until = sup_wall_time() + 60;
  snprintf(scene, sizeof scene, "%s/long.yaml", test_folder());
  snprintf(out, sizeof out, "%s/stopped", test_folder());
  snprintf(log, sizeof log, "%s/stopped.log", test_folder());
  write_press("long", "0.4 ms");
  long id = app_start(argv, log);
  while (!app_exists("stopped", "estimate/mesh/manifest.json") && sup_wall_time() < until)
    nanosleep(&(struct timespec){0, 2000000}, NULL);
  kill((pid_t)id, SIGINT);
  while (!sup_process_poll(id, &end)) nanosleep(&(struct timespec){0, 2000000}, NULL);
  CHECK(end.exit_code == 4);
  char *said = app_read_file(".", "stopped.log"),
       *summary = app_read_file("stopped", "summary.json");
  CHECK(strstr(said, " of 3 repeats are complete, the same command goes on from there") != NULL);
  CHECK(strstr(summary, "\"status\": \"completed\"") != NULL &&
        !app_exists("stopped", "estimate.json"));
  SUP_FREE(said);
  SUP_FREE(summary);
}

static void what_cannot_be_estimated_is_refused_before_it_runs(void) {
  write_press("press", "5 ms");
  check_run(
      "run FOLDER/press.yaml --estimate --refinements 3 --set soft.cube.mesh.box.cells=[30,30,30] "
      "-o FOLDER/big",
      2, "no estimate: with its meshes refined ");
  CHECK(!app_exists(".", "big"));
  check_run(
      "static examples/studies/cantilever_bar.yaml --estimate --set output.history=[bar.com_z] "
      "-o FOLDER/few",
      0, "without an error bar: ");
  check_run("run FOLDER/press.yaml --estimate --refinements 4", 2,
            "found 4 for --refinements, expected 1 to 3");
  check_run("run FOLDER/press.yaml --estimate --set soft.cube.materia=1", 2,
            "did you mean 'material'");
  check_run("run FOLDER/nowhere.yaml --estimate", 3, "nowhere.yaml");
  check_run("run FOLDER/press.yaml --estimate --check", 0,
            "estimate: soft.cube.mesh.refine=1: 384 cells instead of 48");
  const char *said =
      check_run("run examples/studies/oscillator.yaml --estimate -o FOLDER/mass", 0, "mass.x");
  CHECK(strstr(said, "by mesh") == NULL &&
        strstr(said, "2 |change by dt/2|), first order assumed") != NULL);
  NEAR(number("mass/estimate.json", "repeats.step.unknowns"), 3, 0, 0);
}

SUITE_TESTS(estimate, TEST(the_error_bar_is_what_the_repeats_say),
            TEST(a_second_refinement_gives_the_order_of_an_equilibrium),
            TEST(load_steps_of_an_equilibrium_are_repeated),
            TEST(what_stops_an_estimate_keeps_the_run_and_what_is_complete),
            TEST(what_cannot_be_estimated_is_refused_before_it_runs));
