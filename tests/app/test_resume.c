/* Runs that end early and go on: killed, interrupted, failed; branches; what is refused. */
#include "app_test.h"

#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "supple.h"

#define GRASP "examples/finray_grasp.yaml --set time.end=0.6 --set output.every=0.03 -q "
#define OFTEN "--set output.checkpoint.wall_interval=0.02 "

/** Rows, contacts, frames of one run in two folders; the summary but for what times and how often
 * matrices were analysed. */
static void check_same_results(const char *a, const char *b) {
  char command[1024];
  app_check_same(a, b, "history.csv");
  app_check_same(a, b, "contacts.csv");
  snprintf(command, sizeof command,
           "cd %s && diff -r %s/vtk %s/vtk && for d in %s %s; do sed -e '/^  \"wall\": {/,/^  }/d' "
           "-e '/analyses/d' $d/summary.json >$d/untimed.txt; done && diff %s/untimed.txt "
           "%s/untimed.txt",
           test_folder(), a, b, a, b, a, b);
  CHECK(system(command) == 0);
}

static void sleep_for(double seconds) {
  long whole = (long)seconds;
  nanosleep(&(struct timespec){whole, (long)((seconds - (double)whole) * 1e9)}, NULL);
}

/** Start the program with these words, kill it after a while; 1: it was still at work. */
static int kill_after(double seconds, int signal, const char *const *argv) {
  sup_process_end end;
  long            id = app_start(argv, "/dev/null");
  sleep_for(seconds);
  kill((pid_t)id, signal);
  while (!sup_process_poll(id, &end)) sleep_for(0.002);
  return end.signal == signal || end.exit_code == 4;
}

/** Number of kills; SUPPLE_FUZZ sets another number. */
static int num_kills(void) {
  const char *text = getenv("SUPPLE_FUZZ");
  return text ? atoi(text) : 8;
}

/** The folder may be there before the first file that is whole. */
static int has_checkpoint(const char *run) {
  static const char ending[] = ".checkpoint";
  const size_t      tail = sizeof ending - 1;
  char              path[4200];
  int               count = 0;
  struct dirent    *entry;
  snprintf(path, sizeof path, "%s/checkpoint", run);
  DIR *folder = opendir(path);
  while (folder && (entry = readdir(folder)) != NULL)
    count += strlen(entry->d_name) > tail &&
             strcmp(entry->d_name + strlen(entry->d_name) - tail, ending) == 0;
  if (folder) closedir(folder);
  return count > 0;
}

/** Killed at random moments until it comes to its end. */
static void a_killed_run_goes_on_seamlessly(void) {
  enum { MOST_TRIES = 1000 };
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/killed", test_folder());
  test_random random = {20};
  check_run("run " GRASP "-o FOLDER/straight", 0, "");
  const char *const begin[] = {app_program(),
                               "run",
                               "examples/finray_grasp.yaml",
                               "-q",
                               "-o",
                               folder,
                               "--set",
                               "time.end=0.6",
                               "--set",
                               "output.every=0.03",
                               "--set",
                               "output.checkpoint.wall_interval=0.02",
                               NULL};
  const char *const go_on[] = {app_program(), "run", "--resume", folder, "-q", NULL};
  int               kills = 0;
  for (int i = 0; i < MOST_TRIES && kills < num_kills(); i++) {
    if (!kill_after(test_between(&random, 0.02, 0.4), SIGKILL,
                    has_checkpoint(folder) ? go_on : begin)) {
      check_same_results("straight", "killed"); /* it came to its end first: once more */
      CHECK(system(app_arguments("rm -rf FOLDER/killed")) == 0);
    } else {
      kills++;
    }
  }
  CHECK(kills == num_kills());
  if (has_checkpoint(folder))
    check_run("run --resume FOLDER/killed -q", 0, "");
  else
    check_run("run " GRASP OFTEN "-o FOLDER/killed", 0, "");
  check_same_results("straight", "killed");
  check_run("run --resume FOLDER/killed", 2, "nothing is left to do; --set time.end=");
  check_run("run --resume FOLDER/killed -q --set time.end=0.63", 0, "");
  check_run("run " GRASP "--set time.end=0.63 -o FOLDER/longer", 0, "");
  check_same_results("longer", "killed");
}

static void an_interrupted_run_goes_on(void) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/stopped", test_folder());
  const char *const argv[] = {
      app_program(), "run",   "examples/soft_cube_drop.yaml", "-q",    "-o",
      folder,        "--set", "output.solver_log=true",       "--set", "time.end=0.5",
      NULL};
  CHECK(kill_after(0.2, SIGTERM, argv));
  char *summary = app_read_file("stopped", "summary.json");
  CHECK(strstr(summary, "\"interrupted\"") != NULL);
  SUP_FREE(summary);
  check_run("run --resume FOLDER/stopped -q", 0, "");
  check_run(
      "run examples/soft_cube_drop.yaml -q --set output.solver_log=true --set time.end=0.5 -o "
      "FOLDER/cube",
      0, "");
  check_same_results("cube", "stopped");
  app_check_same("cube", "stopped", "solver.csv");
  char *manifest = app_read_file("stopped", "manifest.json");
  CHECK(strstr(manifest, "\"resumed\"") != NULL && strstr(manifest, "\"completed\"") != NULL);
  CHECK(strstr(manifest, "soft_cube_drop.yaml") != NULL);
  SUP_FREE(manifest);
}

/** Everything that a run can be made of goes on: the checkpoint of its middle is a kept one, and
 * what it leaves is that of the whole run, whose folder is copied. */
static void check_kind(const char *command, const char *scene, const char *every,
                       const char *more) {
  char line[1024];
  CHECK(system(app_arguments("rm -rf FOLDER/kind FOLDER/half")) == 0);
  snprintf(line, sizeof line, "%s %s -q -o FOLDER/half %s --set output.checkpoint.every=%s",
           command, scene, more, every);
  check_run(line, 0, "");
  CHECK(system(app_arguments(
            "cd FOLDER && cp -r half kind && cd half/checkpoint && f=$(ls kept_* | head -1) && "
            "ls | grep -v $f | xargs rm -f")) == 0);
  snprintf(line, sizeof line, "%s --resume FOLDER/half -q", command);
  check_run(line, 0, "");
  check_same_results("kind", "half");
}

static void all_kinds_of_runs_go_on(void) {
  check_kind("static", "examples/finray_press.yaml", "0.3", "--set static.steps=5");
  check_kind("run", "examples/soft_cube_drop.yaml", "0.2",
             "--set time.accuracy=1e-2 --set time.end=0.3");
  check_kind("run", "examples/soft_cube_drop.yaml", "0.2",
             "--set time.scheme=bdf2 --set time.end=0.3");
  check_kind("run", "examples/coin.yaml", "0.1", "--set time.end=0.15");
  check_kind("run", "tests/data/gradient/brake.yaml", "0.1",
             "--set contact.solver=ncp_pgs --set 'output={every: 20 ms}' "
             "--set rigid.ball.contact.torsional_friction=2e-3");
}

/** A failed run fails again when it is resumed; a branch with the remedy succeeds. */
static void a_failed_step_leaves_the_state_before_it(void) {
  check_run("run examples/soft_cube_drop.yaml -q --set solver.max_iterations=2 -o FOLDER/failed", 1,
            "to go on: supple run --resume");
  check_run("run --resume FOLDER/failed -q", 1, "too many Newton iterations");
  check_run(
      "run --from FOLDER/failed -o FOLDER/better -q --set time.end=0.3 --set "
      "solver.max_iterations=100",
      0, "");
}

/** Number behind the n-th comma of the last row; 0: the first. */
static double last_of(const char *folder, int n) {
  char *rows = app_read_file(folder, "history.csv"), *at = rows + strlen(rows) - 1;
  while (at > rows && at[-1] != '\n') at--;
  for (; n > 0; n--) at = strchr(at, ',') + 1;
  double value = strtod(at, NULL);
  SUP_FREE(rows);
  return value;
}

static void a_branch_has_another_friction(void) {
  check_run("run examples/incline.yaml -q --set output.checkpoint.every=0.25 -o FOLDER/trunk", 0,
            "");
  check_run("run --from FOLDER/trunk --at 0.3 -q -o FOLDER/same", 0, "");
  check_run(
      "run --from FOLDER/trunk --at 0.3 -q -o FOLDER/branch "
      "--set contact.pairs.2.friction=0.1",
      0, "");
  char *rows = app_read_file("branch", "history.csv"),
       *manifest = app_read_file("branch", "manifest.json");
  CHECK(strstr(rows, "\n0.25,") == strchr(rows, '\n'));
  CHECK(strstr(manifest, "kept_") != NULL);
  SUP_FREE(rows);
  SUP_FREE(manifest);
  for (int k = 0; k < 12; k++) { /* with the same keys it is the same motion */
    CHECK(last_of("same", k) == last_of("trunk", k));
  }
  CHECK(last_of("branch", 0) == last_of("trunk", 0));
  int different = 0;
  for (int k = 1; k < 60; k++) different += last_of("branch", k) != last_of("trunk", k);
  CHECK(different > 0);
}

enum { BRANCH_STEP = 100, BRANCH_END = 130 };

/** The grasp up to 2 s, and on from there by the model with another friction, through the library:
 * the hash of the state. */
static void branch_by_the_library(const char *friction, char hash[20]) {
  static const char grasp[] = "examples/finray_grasp.yaml";
  const char       *sets[] = {"time.step=20ms", friction};
  sup_scene        *scene[2];
  sup_model        *model[2];
  sup_simulator    *sim[2];
  for (int k = 0; k < 2; k++) {
    OK(sup_scene_load(&scene[k], grasp, sets, k + 1));
    OK(sup_model_create(&model[k], sup_scene_model_def(scene[k])));
    OK(sup_scene_simulator_create(&sim[k], scene[k], model[k]));
  }
  for (int i = 0; i < BRANCH_STEP; i++) OK(sup_simulator_step(sim[0], NULL));
  OK(sup_simulator_set_state(sim[1], sup_simulator_state(sim[0])));
  for (int i = BRANCH_STEP; i < BRANCH_END; i++) OK(sup_simulator_step(sim[1], NULL));
  snprintf(hash, 20, "%016llx", (unsigned long long)sup_state_hash(sup_simulator_state(sim[1])));
  for (int k = 0; k < 2; k++) {
    sup_simulator_destroy(&sim[k]);
    sup_model_destroy(&model[k]);
    sup_scene_destroy(&scene[k]);
  }
}

/** Held at 2 s, lifted from then on: with a branch's friction of 0.02 the cylinder slides down
 * between the fingers, and ends in the bits of the library's model with that friction. */
static void the_grasp_branches_at_two_seconds(void) {
  static const char slippery[] = "rigid.cylinder.contact.friction=0.02";
  char              line[500], hash[20];
  int               column = 0;
  check_run(
      "run examples/finray_grasp.yaml -q --set time.step=20ms --set time.end=2.6 --set "
      "output.every=0.2 "
      "--set output.checkpoint.every=1 -o FOLDER/held",
      0, "");
  snprintf(line, sizeof line, "run --from FOLDER/held --at 2 -q --set %s -o FOLDER/slid", slippery);
  check_run(line, 0, "");
  char *held = app_read_file("held", "history.csv"), *slid = app_read_file("slid", "history.csv");
  int   rows = 0;
  for (const char *c = slid; (c = strchr(c, '\n')) != NULL; c++) rows++;
  CHECK(strstr(slid, "\n2,") == strchr(slid, '\n') && rows == 2 + BRANCH_END - BRANCH_STEP);
  const char *const name = strstr(held, "cylinder.z"), *const end = strchr(held, '\n');
  CHECK(name && name < end && strncmp(held, slid, (size_t)(end - held)) == 0);
  for (const char *c = held; c < name; c++) column += *c == ',';
  CHECK(last_of("held", column) > last_of("slid", column) + 2e-3);
  char *summary = app_read_file("slid", "summary.json");
  branch_by_the_library(slippery, hash);
  CHECK(strstr(summary, hash) != NULL);
  SUP_FREE(summary);
  SUP_FREE(held);
  SUP_FREE(slid);
}

static void what_does_not_fit_is_refused_by_name(void) {
  check_run("run " GRASP OFTEN "-o FOLDER/first", 0, "");
  check_run("run --resume FOLDER/first --set time.step=0.005", 2,
            "'time.step' was 0.01 and is 0.005 now; --from");
  check_run("run --resume FOLDER/first --set gravity=[0,0,-1]", 2, "'gravity' was");
  check_run("run --from FOLDER/first -o FOLDER/other --set soft.left_finger.mesh.finray.ribs=6", 2,
            "soft body 'left_finger' has another mesh");
  check_run("run --from FOLDER/first -o FOLDER/other --set time.end=0.7 --set time.step=0.009", 2,
            "no whole number of steps");
  check_run("run --from FOLDER/first -o FOLDER/other --set contact.stick=elastic --set time.end=1",
            0, "");
  check_run("run --from FOLDER/first -o FOLDER/other --set time.scheme=bdf2 --set time.end=1", 2,
            "it has no '");
  check_run("run --from FOLDER/first", 2, "--from needs a folder");
  check_run("run --from FOLDER/first -o FOLDER/first", 2, "give the branch another folder");
  check_run("run --resume FOLDER/first -o FOLDER/other", 2, "leave -o out");
  check_run("run --resume FOLDER/first --from FOLDER/first", 2, "give one");
  check_run("run --resume FOLDER/first --at 0.1", 2, "--at goes with --from");
  check_run("static --resume FOLDER/first", 2, "found results of `supple run`");
  check_run("run --resume FOLDER/nothing", 3, "no such folder");
  check_run("run examples/incline.yaml -q -o FOLDER/short", 0, "");
  check_run("run --resume FOLDER/short", 3, "there is no checkpoint");
}

/** The newest is cut off, as a disk might leave it: the one before it is taken. */
static void a_broken_checkpoint_gives_way_to_the_one_before(void) {
  check_run("run " GRASP OFTEN "-o FOLDER/broken", 0, "");
  CHECK(system(app_arguments("cd FOLDER/broken/checkpoint && f=$(ls | tail -1) && "
                             "head -c 5000 $f >cut && mv cut $f")) == 0);
  check_run("run --resume FOLDER/broken", 0,
            "its hash does not match its bytes; the one before it is taken");
  app_check_same("first", "broken", "history.csv");
}

static void a_broken_checkpoint_alone_is_named(void) {
  check_run("run examples/incline.yaml -q --set output.checkpoint.every=0.25 -o FOLDER/lone", 0,
            "");
  CHECK(system(app_arguments("cd FOLDER/lone/checkpoint && f=$(ls | tail -1) && head -c 900 $f "
                             ">cut && rm *.checkpoint && mv cut kept_00000050.checkpoint")) == 0);
  const char *text =
      check_run("run --resume FOLDER/lone", 3, "no checkpoint of the folder is complete");
  CHECK(strstr(text, "kept_00000050.checkpoint") != NULL);
}

/** Dissipation by scheme and damping of a swinging bar continues in a branch. */
static void a_branch_begins_with_the_energies_of_its_trunk(void) {
  check_run(
      "run examples/studies/swinging_bar.yaml -q --set output.checkpoint.every=0.05 "
      "--set time.end=0.1 -o FOLDER/swing",
      0, "");
  check_run("run --from FOLDER/swing --at 0.05 -q -o FOLDER/swung", 0, "");
  check_run(
      "run --from FOLDER/swing --at 0.05 -q -o FOLDER/stiffened "
      "--set materials.rubber.youngs_modulus=5MPa",
      0, "");
  CHECK(system(app_arguments(
            "cd FOLDER && python3 -c \"import csv\n"
            "def rows(f): return {r['time']: float(r['energy.numerical_dissipation']) for r in "
            "csv.DictReader(open(f + '/history.csv'))}\n"
            "a, b, c = rows('swing'), rows('swung'), rows('stiffened')\n"
            "t = min(b, key=float)\n"
            "assert a[t] > 0 and len(b) > 5, a\n"
            "for k in b: assert abs(b[k] - a[k]) <= 1e-9 * a[t], (k, a[k], b[k])\n"
            "assert abs(c[t] - a[t]) <= 1e-9 * a[t], (a[t], c[t])\"")) == 0);
}

SUITE_TESTS(resume, TEST(a_broken_checkpoint_alone_is_named),
            TEST(a_branch_begins_with_the_energies_of_its_trunk),
            TEST(a_killed_run_goes_on_seamlessly), TEST(an_interrupted_run_goes_on),
            TEST(all_kinds_of_runs_go_on), TEST(a_failed_step_leaves_the_state_before_it),
            TEST(a_branch_has_another_friction), TEST(the_grasp_branches_at_two_seconds),
            TEST(what_does_not_fit_is_refused_by_name),
            TEST(a_broken_checkpoint_gives_way_to_the_one_before));
