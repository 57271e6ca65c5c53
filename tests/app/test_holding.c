/* Holding studies: loads at which a can leaves rigid pads, by closed forms. */
#include <math.h>

#include "app_test.h"
#include "study/holding/holding.h"

/** A cell of FOLDER/holding.csv by row (from 1) and heading; text with commas is quoted. */
static double cell(const char *folder, int row, const char *heading) {
  SUP_FREED char *text = app_read_file(folder, "holding.csv");
  int             column = -1, k = 0, line = 0, is_quoted = 0;
  double          value = NAN;
  size_t          length = strlen(heading);
  for (char *c = text, *start = text; *c; c++) {
    is_quoted ^= *c == '"';
    if (is_quoted || (*c != ',' && *c != '\n')) continue;
    if (line == 0 && (size_t)(c - start) == length && strncmp(start, heading, length) == 0)
      column = k;
    if (line == row && k == column && c > start) value = strtod(start, NULL);
    k++;
    if (*c == '\n') line++, k = 0;
    start = c + 1;
  }
  CU_ASSERT_FATAL(column >= 0 && line > row);
  return value;
}

static void write_study_of(const char *scene, const char *name, const char *text) {
  char folder[1024], whole[4096];
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder));
  snprintf(whole, sizeof whole, "supple: 1\nscene: %s/examples/studies/%s\n%s", folder, scene,
           text);
  app_write_file(name, whole);
}
static void write_study(const char *name, const char *text) {
  write_study_of("pads_can.yaml", name, text);
}

/* Two pads press with N = 20 N each: 2 mu N along their faces in every direction, by rows from 1
 * on, 2 mu N r about the can's axis, and nothing of friction against the pads. */
static void a_can_slips_between_rigid_pads_at_two_mu_n(void) {
  write_study("pull.yaml",
              "holding: {object: can, directions: {circle: 5, normal: [0, 1, 0]}, axes: [[0, 0, "
              "-2]], travel: 4 mm, angle: 10 deg}\n");
  const char *said = check_run("holding FOLDER/pull.yaml -o FOLDER/pull", 0, "can along (1, 0, 0)");
  CHECK(strstr(said, "WARN") == NULL);
  if (system("/usr/bin/python3 -c 'import matplotlib' 2>/dev/null") == 0)
    CHECK(app_exists("pull", "holding.png"));
  for (int i = 1; i <= 5; i++) {
    NEAR(cell("pull", i, "slip force [N]"), 20, 1e-6, 0);
    NEAR(cell("pull", i, "peak force [N]"), 20, 1e-6, 0);
    NEAR(cell("pull", i, "held [N or N m]"), 20, 1e-6, 0);
    NEAR(cell("pull", i, "grip force [N]"), 0, 0, 1e-9);
    NEAR(cell("pull", i, "energy [J]"), 20 * .0035, 1e-6, 0); /* a step of 1 mm from 0 to 20 N */
    CHECK(isnan(cell("pull", i, "loss force [N]")));
    NEAR(cell("pull", i, "path [m or rad]"), .004, 1e-9, 0);
  }
  NEAR(cell("pull", 6, "slip moment [N m]"), .2, 3e-3, 0); /* the layers yield by 0.05 mm of 10 */
  NEAR(cell("pull", 6, "held [N or N m]"), cell("pull", 6, "slip moment [N m]"), 1e-6, 0);
  CHECK(fabs(cell("pull", 6, "slip force [N]")) < 1e-6);
}

/* A can that turns freely on the line, or moves freely as it is turned, is held by the same
 * friction where forces are symmetric. */
static void a_loose_can_slips_at_two_mu_n(void) {
  write_study("loose.yaml",
              "holding: {object: can, guide: loose, directions: [[1, 0, 0], [0, 0, 1]], axes: [[0, "
              "0, 1]], travel: 4 mm, angle: 10 deg}\n");
  check_run("holding FOLDER/loose.yaml -o FOLDER/loose --no-plot", 0, "can about (0, 0, 1)");
  for (int i = 1; i <= 2; i++) NEAR(cell("loose", i, "peak force [N]"), 20, 1e-6, 0);
  NEAR(cell("loose", 3, "peak moment [N m]"), .2, 3e-3, 0);
  CHECK(cell("loose", 1, "peak moment [N m]") < 1e-6); /* nothing holds it */
}

/* A box of weight W on a floor, pulled by a line across which it is free: F cos a = mu (W - F sin
 * a) up a slope of the angle a, down it with the other sign; the contacts' force, without the
 * weight, is F - W sin a.  Held on the line it would be lifted or jam. */
static void an_object_that_is_free_across_stays_on_its_floor(void) {
  const double W = 9.81, mu = .5, angle[] = {0, .5, -.5};
  app_write_file("floor.yaml",
                 "supple: 1\ntime: {step: 5 ms, end: 0.2 s}\nstatic: {steps: 4}\nrigid:\n"
                 "  floor: {shape: {half_space: {}}, fixed: true, contact: {friction: 0.5}}\n"
                 "  box: {shape: {box: {size: [40 mm, 40 mm, 20 mm]}}, mass: 1, pose: {position: "
                 "[0, 0, 10 mm]}, contact: {friction: 0.5}}\noutput: {format: none}\n");
  for (int k = 0; k < 3; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "supple: 1\nscene: floor.yaml\nmode: static\nholding: {object: box, guide: across, "
             "directions: [[%.17g, 0, %.17g]], travel: 2 mm}\n",
             cos(angle[k]), sin(angle[k]));
    app_write_file("across.yaml", text);
    check_run("holding FOLDER/across.yaml -o FOLDER/across --no-plot", 0, "box along");
    double F = mu * W / (cos(angle[k]) + mu * sin(angle[k]));
    NEAR(cell("across", 1, "peak force [N]"), F - W * sin(angle[k]), 1e-4, 0);
    NEAR(cell("across", 1, "slip path [m or rad]"), .5e-3, 1e-9, 0);
  }
}

static void soft_objects_are_told_what_works(void) {
  write_study_of("finray_hold.yaml", "soft.yaml",
                 "mode: static\nholding: {object: left, directions: [[1, 0, 0]], travel: 1 mm}\n");
  check_run("holding FOLDER/soft.yaml --check", 2,
            "'left' is soft, and pulls drive rigid bodies; give it a hold with a motion and sweep "
            "that: contact.all.left.fx");
}

/* The pads are 30 mm high and the can as long as 40 mm: it leaves them after 35 mm. */
static void a_can_that_leaves_its_pads_is_lost(void) {
  write_study("lost.yaml",
              "set: {static.steps: 10}\nholding: {object: can, directions: [[0, 0, 1]], travel: 40 "
              "mm, time: 0.4 s}\n");
  const char *said = check_run("holding FOLDER/lost.yaml -o FOLDER/lost --no-plot", 0, "lost");
  CHECK(strstr(said, "travel") == NULL);
  NEAR(cell("lost", 1, "loss path [m or rad]"), .034, 1e-9, 0);
  NEAR(cell("lost", 1, "loss force [N]"), 20, 1e-2, 0);
}

static void what_is_not_gripped_has_no_energy(void) {
  write_study("beside.yaml",
              "set: {rigid.can.pose: {position: [0, 0, 0.5]}}\nholding: {object: can, directions: "
              "[[0, 0, 1]], travel: 4 mm}\n");
  check_run("holding FOLDER/beside.yaml -o FOLDER/beside --no-plot", 1, "-  no grip");
  CHECK(isnan(cell("beside", 1, "energy [J]")));
}

static void a_pull_ends_at_the_load_that_is_asked_for(void) {
  write_study("limit.yaml",
              "holding: {object: can, directions: [[1, 0, 0]], travel: 1 mm, force: 15 N}\n"
              "parameters: {mu: {key: rigid.can.contact.friction, values: [0.2, 0.5]}}\n");
  check_run("holding FOLDER/limit.yaml -o FOLDER/limit --no-plot", 0, "mu 0.5");
  NEAR(cell("limit", 1, "peak force [N]"), 40 * 2 * .2 * .5 / .7, 1e-6, 0); /* combined mu */
  NEAR(cell("limit", 1, "path [m or rad]"), 1e-3, 1e-9, 0);
  NEAR(cell("limit", 2, "path [m or rad]"), .25e-3, 1e-9, 0); /* the first step passes 15 N */
}

/* Ball of 20 mm between one of 5 mm that moves to it by 1 mm and one that is fixed 1 mm inside it,
 * points of 1e4 N/m each: 5 N on either side.  Pulled by 0.5 mm it meets 7.5 N against 2.5 N,
 * turned mu N r.  At 5 mm/s the points' 2 ms of relaxation add 0.1 N. */
static void fixed_and_moved_bodies_resist(void) {
  app_write_file(
      "between.yaml",
      "supple: 1\ntime: {step: 5 ms, end: 0.1 s}\ngravity: [0, 0, 0]\nstatic: {steps: 4}\n"
      "contact: {normal_law: kelvin_voigt}\nrigid:\n"
      "  ball: {shape: {sphere: {radius: 20 mm}}, mass: 100 g,\n"
      "         contact: {friction: 0.5, point: {stiffness: 1.0e+4}}}\n"
      "  left: {shape: {sphere: {radius: 5 mm}}, fixed: true, pose: {position: [-24 mm, 0, 0]},\n"
      "         contact: {friction: 0.5, point: {stiffness: 1.0e+4}}}\n"
      "  right: {shape: {sphere: {radius: 5 mm}}, pose: {position: [25 mm, 0, 0]},\n"
      "          motion: [[0 s, 0, 0, 0, 0, 0, 0], [0.1 s, -1 mm, 0, 0, 0, 0, 0]],\n"
      "          contact: {friction: 0.5, point: {stiffness: 1.0e+4}}}\n"
      "output: {format: none}\n");
  static const char *const modes[] = {"static", "run"};
  for (int k = 0; k < 2; k++) {
    char text[600], run[100];
    snprintf(
        text, sizeof text,
        "supple: 1\nscene: between.yaml\nmode: %s\nholding: {object: ball, directions: [[1, 0, "
        "0], [-1, 0, 0]], axes: [[0, 0, 1]], travel: 0.5 mm, angle: 10 deg}\n",
        modes[k]);
    app_write_file("between_pull.yaml", text);
    snprintf(run, sizeof run, "holding FOLDER/between_pull.yaml -o FOLDER/between_%s --no-plot",
             modes[k]);
    check_run(run, 0, "ball along (-1, 0, 0)");
    snprintf(run, sizeof run, "between_%s", modes[k]);
    for (int i = 1; i <= 2; i++) NEAR(cell(run, i, "peak force [N]"), k ? 5.1 : 5, 1e-6, 0);
    NEAR(cell(run, 3, "peak moment [N m]"), .5 * 10 * .0195, 1e-6, 0);
  }
}

/* One pad presses with 20 N, the other with 5 N. */
static void a_grip_out_of_balance_is_told(void) {
  write_study("uneven.yaml",
              "set: {actuators.right.effort: 5 N}\n"
              "holding: {object: can, directions: [[1, 0, 0]], travel: 1 mm}\n");
  check_run("holding FOLDER/uneven.yaml -o FOLDER/uneven --no-plot", 0,
            "WARN  the guide carries 15 N");
}

/* A can with a quarter of the friction along x, 0.2 of 0.5 combined with the pads: |M d| N. */
static void friction_may_depend_on_the_direction(void) {
  const double right[] = {8, 20, sqrt((64 + 400) / 2.)};
  write_study("tensor.yaml",
              "set: {rigid.can.contact.anisotropy: {axis: [1, 0, 0], ratio: 0.25}}\n"
              "holding: {object: can, directions: [[1, 0, 0], [0, 0, 1], [1, 0, 1]], travel: 2 "
              "mm}\n");
  check_run("holding FOLDER/tensor.yaml -o FOLDER/tensor --no-plot", 0, "can along");
  for (int i = 0; i < 3; i++) {
    NEAR(cell("tensor", i + 1, "slip force [N]"), right[i], 1e-6, 0);
    NEAR(cell("tensor", i + 1, "peak force [N]"), right[i], 1e-6, 0);
    NEAR(cell("tensor", i + 1, "held [N or N m]"), right[i], 1e-6, 0);
  }
  write_study("smooth.yaml",
              "set: {rigid.can.contact.friction: 0}\n"
              "holding: {object: can, directions: [[1, 0, 0]], travel: 2 mm}\n");
  const char *said =
      check_run("holding FOLDER/smooth.yaml -o FOLDER/smooth --no-plot", 0, "travel");
  CHECK(strstr(said, "-0 ") == NULL);
  NEAR(cell("smooth", 1, "slip path [m or rad]"), .0005, 1e-9, 0);
}

static void what_has_no_effect_is_refused(void) {
  static const struct {
    const char *text, *said;
  } wrong[] = {{"holding: {object: can, directions: [[1, 0, 0]], travel: 1 mm, angle: 5 deg}\n",
                "angle is a limit of turns about 'axes', of which there are none"},
               {"holding: {object: can, axes: [[1, 0, 0]], angle: 5 deg, force: 5 N}\n",
                "force is a limit of pulls along 'directions', of which there are none"},
               {"set: {rigid.can.joint: translation}\n"
                "holding: {object: can, axes: [[1, 0, 0]], angle: 5 deg}\n",
                "'can' has a joint in the scene"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    write_study("wrong.yaml", wrong[i].text);
    check_run("holding FOLDER/wrong.yaml -o FOLDER/wrong --no-plot", 2, wrong[i].said);
  }
}

/* Motion at 4 mm/s: the pads' inertia and the approach to the bound leave less than 1 %. */
static void motion_at_small_speed_agrees(void) {
  write_study("run.yaml",
              "mode: run\nholding: {object: can, directions: [[1, 0, 0], [0.6, 0, 0.8]], travel: 1 "
              "mm, time: 0.25 s}\n");
  check_run("holding FOLDER/run.yaml -o FOLDER/run --no-plot -q", 0, "greatest");
  for (int i = 1; i <= 2; i++) NEAR(cell("run", i, "peak force [N]"), 20, 1e-2, 0);
}

/* Steps of half the length: the force of rigid pads stays, and its bar is 0. */
static void a_ladder_gives_error_bars(void) {
  write_study("bars.yaml",
              "ladder: {key: static.steps, values: [4, 8, 16]}\nholding: {object: can, directions: "
              "[[1, 0, 0], [0, 0, 1]], travel: 4 mm}\n");
  check_run("holding FOLDER/bars.yaml -o FOLDER/bars --no-plot", 0, "20 +- 0");
  for (int i = 1; i <= 6; i++) NEAR(cell("bars", i, "slip force [N]"), 20, 1e-6, 0);
  for (int i = 1; i <= 4; i++) CHECK(isnan(cell("bars", i, "slip bar [N or N m]")));
  for (int i = 5; i <= 6; i++) CHECK(cell("bars", i, "slip bar [N or N m]") < 1e-5);
  NEAR(cell("bars", 1, "slip path [m or rad]"), .001, 1e-9, 0);
  NEAR(cell("bars", 5, "slip path [m or rad]"), .00025, 1e-9, 0);
  write_study("two.yaml", /* levels without an order: the change from one repeat */
              "ladder: {key: rigid.can.contact.friction, values: [0.2, 0.5]}\nsize: [2 mm, 1 mm]\n"
              "holding: {object: can, directions: [[1, 0, 0]], travel: 1 mm}\n");
  check_run("holding FOLDER/two.yaml -o FOLDER/two --no-plot", 0, "20 +- 11");
  double change = cell("two", 2, "peak force [N]") - cell("two", 1, "peak force [N]");
  NEAR(cell("two", 2, "peak bar [N or N m]"), 1.25 * change, 1e-6, 0);
}

/* Eight directions across (1, 1, 1) in steps of 45 degrees, forty axes with the moments of a
 * sphere. */
static void directions_are_even(void) {
  char       path[600];
  sup_study *study = NULL;
  double     second[3][3] = {{0}};
  write_study("even.yaml",
              "holding: {object: can, directions: {circle: 8, normal: [1, 1, 1]}, axes: {sphere: "
              "40}, travel: 1 mm, angle: 1 deg}\n");
  snprintf(path, sizeof path, "%s/even.yaml", test_folder());
  OK(sup_study_load(&study, path, SUP_STUDY_HOLDING));
  const sup_holding *h = study->holding;
  CU_ASSERT_FATAL(h->num_pulls == 48);
  for (int p = 0; p < 48; p++) {
    const double *a = h->pull[p].axis, *next = h->pull[(p + 1) % 8].axis;
    NEAR(a[0] * a[0] + a[1] * a[1] + a[2] * a[2], 1, 1e-14, 0);
    CHECK(h->pull[p].turns == (p >= 8));
    for (int k = 0; p >= 8 && k < 9; k++) second[k / 3][k % 3] += a[k / 3] * a[k % 3] / 40;
    if (p >= 8) continue;
    NEAR(a[0] + a[1] + a[2], 0, 0, 1e-14);
    NEAR(a[0] * next[0] + a[1] * next[1] + a[2] * next[2], sqrt(.5), 1e-14, 0);
    NEAR(h->pull[p].angle, p * atan(1), 1e-14, 0);
  }
  for (int k = 0; k < 9; k++) NEAR(second[k / 3][k % 3], k % 4 ? 0 : 1. / 3, 0, .01);
  sup_study_destroy(&study);
}

#define COARSE "{wall: 1, inner: 2, cavity: 2, rib: 1, depth: 1}"
#define FINGERS                                                                               \
  "set: {soft.right.mesh.finray.cells: " COARSE ", soft.left.mesh.finray.cells: " COARSE      \
  ", time.step: 5 ms, time.scheme: implicit_euler, contact.stiction_tolerance: 1.0e-5 m/s}\n" \
  "holding: {object: cylinder, directions: [[0, -1, 0]], travel: 3 mm, time: 1 s}\n"

/* Out of soft fingers at 3 mm/s, by load steps and by motion. */
static void soft_fingers_hold_alike_in_motion(void) {
  write_study_of("finray_hold.yaml", "fingers.yaml", FINGERS);
  check_run("holding FOLDER/fingers.yaml -o FOLDER/still --no-plot", 0, "epsilon");
  write_study_of("finray_hold.yaml", "fingers.yaml", "mode: run\n" FINGERS);
  check_run("holding FOLDER/fingers.yaml -o FOLDER/moved --no-plot", 0, "travel");
  double peak = cell("still", 1, "peak force [N]");
  NEAR(cell("moved", 1, "peak force [N]"), peak, 1e-2, 0);
  CHECK(cell("still", 1, "slip force [N]") < peak && isnan(cell("moved", 1, "held [N or N m]")));
  CHECK(peak < cell("still", 1, "held [N or N m]")); /* the pull opens the fingers */
}

SUITE_TESTS(holding, TEST(a_can_slips_between_rigid_pads_at_two_mu_n),
            TEST(a_loose_can_slips_at_two_mu_n), TEST(a_can_that_leaves_its_pads_is_lost),
            TEST(what_is_not_gripped_has_no_energy),
            TEST(an_object_that_is_free_across_stays_on_its_floor),
            TEST(soft_objects_are_told_what_works), TEST(a_pull_ends_at_the_load_that_is_asked_for),
            TEST(fixed_and_moved_bodies_resist), TEST(a_grip_out_of_balance_is_told),
            TEST(friction_may_depend_on_the_direction), TEST(what_has_no_effect_is_refused),
            TEST(motion_at_small_speed_agrees), TEST(a_ladder_gives_error_bars),
            TEST(directions_are_even), TEST(soft_fingers_hold_alike_in_motion));
