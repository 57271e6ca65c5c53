/* Every scene of the folder examples, also those that are added later, runs with a certified step
 * each time. */
#include <dirent.h>
#include <stdlib.h>

#include "app/app_test.h"
#include "base/file/file.h"
#include "base/memory.h"

enum { MOST_SCENES = 64, MOST_STEPS = 300 };

/** Scenes that need less than MOST_STEPS steps to show everything, and verdicts that are known to
 * fail, with the reason. */
static const struct {
  const char *scene;
  double      end;        /* [s] */
  const char *failing[4]; /* beginnings of their lines */
} known[] = {
    {"arm_grasp", .7, {NULL}},
    {"finray_grasp", .7, {NULL}},
    {"finray_grasp_ball", .2, {NULL}}, /* the grasps are run by finray_grasps */
    {"finray_grasp_box", .2, {NULL}},
    {"finray_press", .7, {NULL}},
    /* its stiction_tolerance is 1 mm/s: the cylinder creeps by 1 mm while it presses */
    {"finray_self_contact", .9, {"WARN  friction: "}},
    /* made for statics: the load jumps on, 10 ms are long: 5 mJ appear; at 5 ms 1.4 mJ are lost */
    {"finray_stiffness", .1, {"WARN  energy: "}},
    /* few cells across the cube: its layers yield 10 % of what it does; implicit Euler and damping
       bring the cubes to rest; the corner of the block that the first one falls on goes 1.2 mm into
       its layer, in the middle of a facet */
    {"soft_cube_drop",
     .5,
     {"WARN  contact layers: ", "WARN  energy: ", "WARN  penetration: ",
      "WARN  angular momentum: "}},
    {"chain", .5, {NULL}},
    {"own_finger", .25, {NULL}}, /* its cylinder moves from .1 s on */
    {"soft_barrier", .4, {NULL}},
    {"spring_finger", .6, {NULL}},
    {"pneumatic_finger", .2, {NULL}},
    {"balloon", .3, {NULL}},
    {"cable_finger", .2, {NULL}},
    {"shrinking_gripper", .3, {NULL}},
    {"tied_pad", .2, {NULL}},
    {"delta_gripper", 1.5, {NULL}},
    {"linkage_gripper", .2, {NULL}},
    {"peg_in_hole", .1, {NULL}},
    {"barrett_finger", .02, {NULL}},
    {"franka_kitchen_gripper", .1, {NULL}},
    {"dual_arm", .1, {NULL}},
    {"bottle_shake", .1, {NULL}},
    {"pancake", .1, {NULL}},
    {"spatula_bubbles", .05, {"WARN  energy: "}}, /* still filled */
    {"hand_mug", .1, {NULL}},
    /* soft_robots runs them; the bubble is made for statics and is filled within 0.3 s */
    {"bubble_gripper", .1, {"WARN  energy: "}},
    {"pneunet_egg", .2, {NULL}},
    {"bellows", .1, {NULL}},
    {"continuum_arm", .25, {NULL}},
    {"finray_insert", .2, {NULL}},
    {"tape_peel", .2, {NULL}},
    {"soft_stack", .2, {"WARN  energy: "}},
    /* contact normals of tumbling boxes jump: grows by 58, 0.79, 0.17, 4e-4 J of 200 J at 4, 2, 1,
       0.5 ms */
    {"clutter", .5, {"WARN  energy: "}}};

static int compare(const void *a, const void *b) { return strcmp(a, b); }

static int list_scenes(char (*name)[128]) {
  DIR *folder = opendir("examples");
  int  count = 0;
  CU_ASSERT_PTR_NOT_NULL_FATAL(folder);
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    const char *end = strstr(entry->d_name, ".yaml");
    if (!end || end[5] != '\0') continue;
    if (strncmp(entry->d_name, "own_finger", 10) == 0 && !test_has_program("gmsh")) continue;
    CU_ASSERT_FATAL(count < MOST_SCENES);
    snprintf(name[count++], 128, "%.*s", (int)(end - entry->d_name), entry->d_name);
  }
  closedir(folder);
  qsort(name, (size_t)count, sizeof *name, compare);
  return count;
}

/** End time for a run of the scene, which is known or of the steps that --check prints. */
static double end_time(const char *scene, const char *failing[4]) {
  char   line[256];
  double steps, step, end;
  failing[0] = failing[1] = failing[2] = failing[3] = NULL;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].scene, scene) == 0) {
      memcpy(failing, known[i].failing, sizeof known[i].failing);
      return known[i].end;
    }
  snprintf(line, sizeof line, "run examples/%.100s.yaml --check", scene);
  const char *text = check_run(line, 0, " steps of "), *at = strstr(text, " steps of ");
  while (at > text && at[-1] != '\n') at--;
  CU_ASSERT_FATAL(sscanf(at, "%lf steps of %lf s to %lf s", &steps, &step, &end) == 3);
  return fmin(end, MOST_STEPS * step);
}

static char *load(const char *scene, const char *name) {
  char   path[512], *data = NULL;
  size_t size;
  snprintf(path, sizeof path, "%s/%s/%s", test_folder(), scene, name);
  OK(sup_file_read(path, &data, &size));
  return data;
}

/** Number of the column in the first line; SUP_NONE: none. */
static int column(const char *csv, const char *name) {
  size_t length = strlen(name);
  for (int i = 0;; i++) {
    if (strncmp(csv, name, length) == 0 && strchr(",\n", csv[length])) return i;
    csv += strcspn(csv, ",\n");
    if (*csv++ != ',') return SUP_NONE;
  }
}

static double field(const char *row, int index) {
  while (index-- > 0) row = strchr(row, ',') + 1;
  return strtod(row, NULL);
}

/** Rows whose momentum error is above the tolerance and whose residual is above 1e-14 sqrt(J). */
static int count_bad_steps(const char *csv, double tolerance, int *rows) {
  int error = column(csv, "momentum_error"), residual = column(csv, "momentum_residual"), bad = 0;
  *rows = 0;
  CU_ASSERT_FATAL(error != SUP_NONE && residual != SUP_NONE);
  for (const char *row = strchr(csv, '\n') + 1; *row; row = strchr(row, '\n') + 1, ++*rows)
    bad += !(field(row, error) <= tolerance || field(row, residual) <= 1e-14);
  return bad;
}

static double number_after(const char *text, const char *key) {
  const char *at = strstr(text, key);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  return strtod(at + strlen(key), NULL);
}

static void run_scene(const char *scene) {
  char        line[512];
  const char *failing[4];
  double      end = end_time(scene, failing);
  snprintf(line, sizeof line,
           "run examples/%.100s.yaml -o FOLDER/%.100s --set output.format=none --set "
           "output.every=0 --set time.end=%.17g",
           scene, scene, end);
  const char *text = check_run(line, 0, "PASS  momentum error: at most ");
  double      tolerance = number_after(text, "(tolerance ");
  for (const char *at = text; (at = strstr(at, "WARN  ")) != NULL; at++) {
    int is_known = 0;
    for (int k = 0; k < 4; k++)
      is_known |= failing[k] && strncmp(at, failing[k], strlen(failing[k])) == 0;
    if (!is_known) printf("\n    %s: %.*s\n", scene, (int)strcspn(at, "\n"), at);
    CHECK(is_known);
  }
  for (int k = 0; k < 4; k++)
    if (failing[k] && !strstr(text, failing[k]))
      printf("\n    %s: '%s' passes now and need not be on the list\n", scene, failing[k]);
  char *history = load(scene, "history.csv"), *summary = load(scene, "summary.json");
  int   rows;
  CHECK(count_bad_steps(history, tolerance, &rows) == 0);
  CHECK(rows == 1 + (int)number_after(summary, "\"steps\": ") && rows > 5);
  CHECK(number_after(summary, "\"momentum_error_max\": ") <= tolerance);
  CHECK(strstr(summary, "\"status\": \"completed\"") &&
        strstr(summary, "\"steps_not_converged\": 0,"));
  SUP_FREE(history);
  SUP_FREE(summary);
}

static void every_example_runs_with_certified_steps(void) {
  char name[MOST_SCENES][128];
  int  count = list_scenes(name);
  for (int i = 0; i < count; i++) run_scene(name[i]);
  printf("%d scenes ", count);
  CHECK(count >= 5);
}

SUITE_TESTS(examples, TEST(every_example_runs_with_certified_steps));
