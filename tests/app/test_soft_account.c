/* The energy account of soft bodies as a person finds it: summary.json, history.csv and the line at
 * the end of a run, against the work that a traction does on the way of its vertices. */
#include "app/app_test.h"
#include "study/quantity.h"

static const double force = -0.02; /* N, along z on the free end */

/** A clamped bar, a traction on its end from the start on.  The end has four vertices, which share
 * the force alike. */
static void write_bar(const char *damping) {
  char path[512];
  snprintf(path, sizeof path, "%s/bar.yaml", test_folder());
  FILE *file = fopen(path, "w");
  CU_ASSERT_FATAL(file != NULL);
  fprintf(
      file,
      "supple: 1\ntime: {step: 1 ms, end: 0.1 s}\ngravity: [0, 0, 0]\nsolver: {tolerance: "
      "1.0e-10}\nmaterials:\n"
      "  rubber: {youngs_modulus: 2.5 MPa, poissons_ratio: 0.3, density: 1000 kg/m^3, "
      "stiffness_damping: %s}\nsoft:\n"
      "  bar:\n    mesh: {box: {size: [100 mm, 10 mm, 10 mm], cells: [10, 1, 1], pattern: hex}}\n"
      "    material: rubber\n    clamp: [{named: x_min}]\n"
      "    tractions: [{region: {named: x_max}, force: [0, 0, %g]}]\noutput:\n  format: none\n  "
      "every: 1 ms\n"
      "  probes:\n",
      damping, force);
  for (int i = 0; i < 4; i++)
    fprintf(file, "    p%d: {body: bar, point: [100 mm, %d mm, %d mm]}\n", i, 10 * (i & 1),
            10 * (i >> 1));
  fclose(file);
}

typedef struct account {
  double work, kinetic, elastic;     /* at the end, by probes and columns */
  double put_in, damping, numerical; /* of summary.json */
  double column_damping, column_numerical;
} account;

static double column(const char *folder, const char *name, sup_window_value take) {
  double           value = 0;
  sup_quantity_def def = {.source = name, .take = take, .from = -1, .to = 1e9, .scale = 1};
  OK(sup_quantity_value(&def, folder, &value));
  return value;
}

static double summary(const char *folder, const char *name) {
  char             path[SUP_NAME_MAX];
  double           value = 0;
  sup_quantity_def def = {.source = path, .is_summary = 1, .scale = 1};
  snprintf(path, sizeof path, "soft_energy.%s", name);
  OK(sup_quantity_value(&def, folder, &value));
  return value;
}

/** Run it and read what it left; the line at the end says the same. */
static account run_bar(const char *options) {
  char    command[1024], folder[512], line[200], name[SUP_NAME_MAX];
  account a = {0};
  snprintf(folder, sizeof folder, "%s/bar", test_folder());
  snprintf(command, sizeof command, "run FOLDER/bar.yaml -o FOLDER/bar %s", options);
  const char *said = check_run(command, 0, "numerical dissipation: ");
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "probe.p%d.z", i);
    a.work += 0.25 * force * column(folder, name, SUP_WINDOW_CHANGE);
  }
  a.kinetic = column(folder, "energy.kinetic", SUP_WINDOW_END),
  a.elastic = column(folder, "energy.elastic", SUP_WINDOW_END);
  a.put_in = summary(folder, "put_in"), a.damping = summary(folder, "damping");
  a.numerical = summary(folder, "numerical_dissipation");
  a.column_damping = column(folder, "energy.damping", SUP_WINDOW_END);
  a.column_numerical = column(folder, "energy.numerical_dissipation", SUP_WINDOW_END);
  snprintf(line, sizeof line,
           "numerical dissipation: %.3g mJ, %.2g %% of the energy put into soft bodies; material "
           "damping: %.3g mJ",
           1e3 * a.numerical, 100 * a.numerical / a.put_in, 1e3 * a.damping);
  CHECK(strstr(said, line) != NULL);
  return a;
}

static void check_balance(const account *a) {
  CHECK(a->work > 1e-6 && a->put_in >= a->work);
  NEAR(a->work - a->kinetic - a->elastic, a->damping + a->numerical, 0, 1e-7 * a->work);
  NEAR(a->column_damping, a->damping, 1e-9, 0);
  NEAR(a->column_numerical, a->numerical, 1e-9, 0);
}

/** The most that was put in is the traction's work when the end is deepest: half a period after the
 * start. */
static void a_tractions_work_is_what_was_put_in(void) {
  char   path[512];
  double deepest = 0;
  write_bar("0 ms");
  account a = run_bar("--set time.scheme=bdf2");
  check_balance(&a);
  snprintf(path, sizeof path, "%s/bar", test_folder());
  for (int i = 0; i < 2;
       i++) /* the bar does not twist: either side of the end is as deep as the other */
    deepest += 0.5 * column(path, i ? "probe.p3.z" : "probe.p0.z", SUP_WINDOW_EXCURSION);
  NEAR(a.put_in, force * deepest, 1e-4, 0);
  CHECK(a.damping == 0 && a.numerical > 0 && a.numerical < 0.02 * a.put_in);
}

/** Energy taken by the material has the same limit with both schemes; that taken by a scheme falls
 * with its order. */
static void what_is_missing_is_taken_by_the_scheme_and_by_damping(void) {
  write_bar("0.5 ms");
  account coarse = run_bar("--set time.step=0.125e-3"), fine = run_bar("--set time.step=0.0625e-3");
  account second[] = {run_bar("--set time.scheme=bdf2 --set time.step=0.5e-3"),
                      run_bar("--set time.scheme=bdf2 --set time.step=0.25e-3")};
  check_balance(&coarse);
  check_balance(&fine);
  check_balance(&second[0]);
  check_balance(&second[1]);
  NEAR(fine.numerical / coarse.numerical, 0.5, 0, 0.02);
  NEAR(second[1].numerical / second[0].numerical, 0.25, 0, 0.03);
  NEAR(2 * fine.damping - coarse.damping, second[1].damping, 0.01, 0);
}

SUITE_TESTS(soft_account, TEST(a_tractions_work_is_what_was_put_in),
            TEST(what_is_missing_is_taken_by_the_scheme_and_by_damping));
