/* `supple run`, `static`, `help`, `version` as a person at the terminal meets them. */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/app_test.h"
#include "base/file/file.h"
#include "base/memory.h"

/* A finger that is pressed from t = 0.1 s on, coarse enough for tests. */
#define COARSE "'soft.finger.mesh.finray.cells={wall: 1, inner: 2, cavity: 2, rib: 1, depth: 1}'"
#define PRESS "run examples/finray_press.yaml --set " COARSE " "

/* ---- files of a run -------------------------------------------------------------------------- */

static char *file_of(const char *folder, const char *name) {
  char   path[512], *data = NULL;
  size_t size;
  snprintf(path, sizeof path, "%s/run_%s/%s", test_folder(), folder, name);
  OK(sup_file_read(path, &data, &size));
  return data;
}

/** 1: the text file holds these words. */
static int holds(const char *folder, const char *name, const char *text) {
  char *data = file_of(folder, name);
  int   found = strstr(data, text) != NULL;
  if (!found) printf("\n    %s/%s holds\n%s\n    expected\n%s\n", folder, name, data, text);
  SUP_FREE(data);
  return found;
}

static int exists(const char *folder, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/run_%s/%s", test_folder(), folder, name);
  return access(path, F_OK) == 0;
}

static void state_hash(const char *folder, char hash[17]) {
  char       *data = file_of(folder, "summary.json");
  const char *at = strstr(data, "\"state_hash\": \"");
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  snprintf(hash, 17, "%.16s", at + strlen("\"state_hash\": \""));
  SUP_FREE(data);
}

/** The run in folder ends at the same bits as the one in `first`. */
static void check_same_state(const char *first, const char *folder) {
  char a[17], b[17];
  state_hash(first, a);
  state_hash(folder, b);
  if (strcmp(a, b) != 0) printf("\n    state %s in %s, %s in %s\n", a, first, b, folder);
  CHECK(strcmp(a, b) == 0);
}

/** VTK itself loads all series of a run; 0 when there is no VTK. */
static int load_series(const char *folder, char *out, size_t size) {
  char command[1024];
  snprintf(command, sizeof command,
           "/usr/bin/python3 tests/output/load_vtk.py %s/run_%s/vtk/*.series 2>&1", test_folder(),
           folder);
  FILE *pipe = popen(command, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
  size_t got = fread(out, 1, size - 1, pipe);
  char   rest[4096];
  out[got] = '\0';
  while (fread(rest, 1, sizeof rest, pipe) > 0) continue;
  int code = WEXITSTATUS(pclose(pipe));
  if (code != 0 && code != 77) printf("\n    VTK: %s\n", out);
  CHECK(code == 0 || code == 77);
  return code == 0;
}

/* ---- help ------------------------------------------------------------------------------------ */

static void every_help_ends_with_an_example_that_runs(void) {
  static const char *const commands[][3] = {
      {"help", " -q --set time.end=0.02 -o FOLDER/run_h"},
      {"help run", " -q --set time.end=0.02 -o FOLDER/run_h"},
      {"help static", " -q -o FOLDER/run_h"},
      {"help converge", " -q --check"},
      {"help version", ""},
      {"help mesh", " -o FOLDER/run_h.vtk"},
      {"help mesh box", " -o FOLDER/run_h.vtk"},
      {"help mesh finray", " -o FOLDER/run_h.vtk"},
      {"help mesh convert", " -o FOLDER/run_h.inp"},
      {"help mesh refine", " -o FOLDER/run_h.vtk"},
      {"help mesh extract", " -o FOLDER/run_h.vtk"},
      {"help mesh extrude", " -o FOLDER/run_h.vtk", "gmsh"},
      {"help mesh tetrahedralize", " -o FOLDER/run_h.vtk", "tetgen"},
      {"help sweep", " -q --check"},
      {"help gradient", " -q --check"},
      {"help fit", " -q --check"},
      {"help optimize", " -q --check"},
      {"help stiffness", " -q --check"},
      {"help control", " -q --check"},
      {"help materials", ""},
      {"help export", " -q -o FOLDER/run_h.npz"},
      {"help contact", " -q -o FOLDER/run_h.csv"},
      {"mesh info --help", ""},
      {"run --help", " -q --set time.end=0 -o FOLDER/run_h"}};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    char        text[APP_TEXT_SIZE], before[512], arguments[1024];
    const char *example;
    snprintf(before, sizeof before, "command -v %s >/dev/null",
             commands[i][2] ? commands[i][2] : "sh");
    if (system(before) != 0) continue;
    snprintf(before, sizeof before, "example:\n  %s ",
             app_program()); /* as it was called: it can be pasted */
    snprintf(text, sizeof text, "%s", check_run(commands[i][0], 0, before));
    CHECK(strstr(text, "usage: supple ") != NULL);
    example = strstr(text, before) + strlen(before);
    CHECK(example[strcspn(example, "\n") + 1] == '\0');
    snprintf(arguments, sizeof arguments, "%.*s%s", (int)strcspn(example, "\n"), example,
             commands[i][1]);
    check_run(arguments, 0, "");
  }
}

static void help_lists_commands(void) {
  check_run("help", 0, "run        simulate a scene");
  check_run("--help", 0, "run        simulate a scene");
  check_run("help help", 0, "usage: supple COMMAND");
  check_run("", 2, "usage: supple COMMAND");
  check_run("version", 0, "supple   0.");
  check_run("--version", 0, "libxml2  2.");
  check_run("rnu", 2, "unknown command 'rnu'; did you mean 'run'? known: run, static");
  check_run("help staitc", 2, "did you mean 'static'?");
  check_run("xyzzy", 2, "unknown command 'xyzzy'; known: run");
}

/* ---- exit codes ------------------------------------------------------------------------------ */

static void mistakes_at_the_command_line_end_with_code_2(void) {
  check_run("run", 2, "a scene is missing");
  check_run("run a.yaml b.yaml", 2, "'b.yaml' is one word too many");
  check_run("run a.yaml --chekc", 2, "unknown option --chekc; did you mean --check?");
  check_run("run a.yaml --out x", 2, "unknown option --out; did you mean -o, --output?");
  check_run("run /dev/zero", 2, "cannot read /dev/zero: found a device, expected a regular file");
  const char *out = check_run("run examples/finray_grasp.yaml --check --set time.end=400", 0,
                              "finray_grasp.yaml: 20001 frames will take about 4.");
  CHECK(strstr(out, "output.every: 0.04") != NULL && strstr(out, " keeps to 2 GB") != NULL);
  out = check_run("run tests/data/scene/planet.yaml --check", 0, "about ");
  CHECK(strstr(out, "GB") == NULL && strstr(out, "warning") == NULL);
  check_run("run a.yaml --hlep", 2, "did you mean --help?");
  check_run("run a.yaml --ouput x", 2, "did you mean -o, --output?");
  check_run("run a.yaml --threads", 2, "--threads needs a value");
  check_run("run a.yaml --threads two", 2, "found 'two' for --threads, expected a whole number");
  check_run("run a.yaml --threads=-1", 2, "found -1 for --threads, expected 0 to 1024");
  check_run("run a.yaml --check=1", 2, "found '1' for --check, expected no value");
  check_run("run -- --check", 3, "cannot read --check"); /* "--" ends the options */
  check_run("version now", 2, "'now' is one word too many");
}

static void bad_scenes_end_with_code_2_and_leave_no_folder(void) {
  check_run("static tests/data/bad/mesh_flat_cell.yaml --check", 2,
            "tests/data/bad/mesh_flat_cell.yaml:6:3: soft body 'cube' is free to move");
  check_run("static tests/data/scene/drop.yaml --set contact.solver=tamsi --check", 2,
            "--set contact.solver=tamsi: static equilibria are found by");
  static const char *const sets[][2] = {
      {"tmie.step=1", "unknown key 'tmie' in the scene; did you mean 'time'?"},
      {"time.stpe=1", "unknown key 'stpe' in time; did you mean 'step'?"},
      {"time.step=5mm", "step must be a time, for instance 10 ms; '5mm' is a length"},
      {"time.step", "expected KEY=VALUE"},
      {"time.step=", "a value is missing"},
      {"time.step=-1", "it must be positive"},
      {"solver.max_iterations=0", "it must be a whole number of at least 1"},
      {"soft.fingr.material=tpu_85a", "there is no 'fingr' in soft; did you mean 'finger'?"},
      {"soft.finger.material=tpu_8a", "unknown material 'tpu_8a'; did you mean 'tpu_85a'?"},
      {"'soft.finger.mesh={file: nowhere.vtk}'", "cannot read examples/nowhere.vtk"},
      {"'output.pairs=[[cylinder, fingr]]'", "no body 'fingr'; did you mean 'finger'?"}};
  char arguments[512];
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    snprintf(arguments, sizeof arguments,
             "run examples/finray_press.yaml -o FOLDER/run_bad --set %s", sets[i][0]);
    check_run(arguments, 2, sets[i][1]);
    check_run(arguments, 2, "supple: error: --set ");
  }
  check_run("run README.md -o FOLDER/run_bad", 2, "supple: error: README.md:");
  CHECK(!exists("bad", ""));
}

static void file_trouble_ends_with_code_3(void) {
  check_run("run nowhere.yaml", 3, "cannot read nowhere.yaml: No such file");
  check_run(PRESS "-o /proc/none", 3, "cannot make folder /proc/none");
  check_run(PRESS "-o README.md", 3, "README.md is not a folder");
}

/* ---- a step that fails ----------------------------------------------------------------------- */

static void a_failing_step_is_explained_and_left_as_a_frame(void) {
  const char *text =
      check_run(PRESS "-o FOLDER/run_fails --set time.end=0.3 --set solver.max_iterations=1", 1,
                "supple: error: step 11, from 0.1 to 0.11 s: too many Newton iterations");
  CHECK(strstr(text, "momentum error") && strstr(text, "(tolerance 1e-05)"));
  CHECK(strstr(text, "worst at vertex ") && strstr(text, " of 'finger' at (") &&
        strstr(text, "may help"));
  CHECK(holds("fails", "summary.json", "\"status\": \"failed\""));
  CHECK(holds("fails", "summary.json", "\"message\": \"step 11, from"));
  CHECK(holds("fails", "summary.json", "\"steps\": 10,"));
  CHECK(holds("fails", "manifest.json", "\"status\": \"failed\""));
  CHECK(exists("fails", "vtk/finger_0011.vtk") && !exists("fails", "vtk/finger_0012.vtk"));
  char out[1 << 16];
  if (!load_series("fails", out, sizeof out)) SKIP("no VTK; ");
  const char *frame = strstr(out, "finger_0011.vtk ");
  CU_ASSERT_PTR_NOT_NULL_FATAL(frame);
  CHECK(strstr(frame, "residual[3]=") && strstr(frame, "nonfinite[1]=0"));
  CHECK(strstr(out, "residual[3]=") > frame); /* ordinary frames have none */
}

static void the_residual_of_a_failed_step_is_not_zero(void) {
  check_run(PRESS
            "-q -o FOLDER/run_ascii --set output.format=ascii --set time.end=0.3 --set "
            "solver.max_iterations=1",
            1, "may help");
  char       *frame = file_of("ascii", "vtk/finger_0011.vtk");
  const char *field = strstr(frame, "VECTORS residual");
  CU_ASSERT_PTR_NOT_NULL_FATAL(field);
  const char *end = strstr(field, "nonfinite");
  double      largest = 0;
  for (char *at = strchr(field, '\n'); at && at < end;) {
    char  *next;
    double value = strtod(at, &next);
    if (next == at) break;
    largest = fmax(largest, fabs(value)), at = next;
  }
  CHECK(largest > 1e-9);
  SUP_FREE(frame);
}

/* ---- interrupted ----------------------------------------------------------------------------- */

/** Start the program with these words, send the signal when the file is there, return how it ended.
 */
static int interrupt(char *const *words, const char *file, int number, int is_ignored) {
  const struct timespec pause = {0, 2000000};
  pid_t                 child = fork();
  if (child == 0) {
    app_heed_signals();
    if (is_ignored) signal(number, SIG_IGN);
    if (!freopen("/dev/null", "w", stderr)) _exit(127);
    execv(words[0], words);
    _exit(127);
  }
  CU_ASSERT_FATAL(child > 0);
  for (int i = 0; i < 5000 && access(file, F_OK) != 0; i++) nanosleep(&pause, NULL);
  kill(child, number);
  int code = -1;
  waitpid(child, &code, 0);
  return code;
}

/** The time of the last step is that of the last frame and of the last row. */
static void check_last_time(const char *folder) {
  char  *summary = file_of(folder, "summary.json"), *history = file_of(folder, "history.csv");
  char  *series = file_of(folder, "vtk/finger.vtk.series");
  double time, row = -1, frame = -1;
  CU_ASSERT_FATAL(sscanf(strstr(summary, "\"time\":"), "\"time\": %lf", &time) == 1);
  history[strlen(history) - 1] = '\0';
  CHECK(sscanf(strrchr(history, '\n'), "%lf", &row) == 1);
  for (const char *at = series; (at = strstr(at, "\"time\":")) != NULL; at++)
    sscanf(at, "\"time\": %lf", &frame);
  NEAR(row, time, 0, 1e-12);
  NEAR(frame, time, 0, 1e-12);
  SUP_FREE(summary);
  SUP_FREE(history);
  SUP_FREE(series);
}

/** Run the press until the signal comes after its third frame; the folder is its name. */
static int press_until(const char *command, const char *name, int number, int is_ignored,
                       const char *end_time) {
  char program[512], folder[512], file[600], end[64], run[16],
      scene[] = "examples/finray_press.yaml", o[] = "-o";
  char  set[] = "--set", every[] = "output.every=0.03";
  char *words[] = {program, run, scene, o, folder, set, every, set, end, NULL};
  snprintf(program, sizeof program, "%s", app_program());
  snprintf(run, sizeof run, "%s", command);
  snprintf(folder, sizeof folder, "%s/run_%s", test_folder(), name);
  snprintf(file, sizeof file, "%s/vtk/rigid_0003.vtk", folder);
  snprintf(end, sizeof end, "time.end=%s", end_time);
  return interrupt(words, file, number, is_ignored);
}

static void signals_end_a_run_with_everything_written(void) {
  char name[32], out[1 << 16];
  for (int i = 0; i < APP_NUM_SIGNALS; i++) {
    snprintf(name, sizeof name, "signal%d", i);
    int code = press_until("run", name, app_signals[i], 0, "100");
    CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 4);
    CHECK(holds(name, "summary.json", "\"status\": \"interrupted\""));
    CHECK(holds(name, "manifest.json", "\"status\": \"interrupted\""));
    check_last_time(name);
  }
  if (!load_series("signal0", out, sizeof out)) SKIP("no VTK; ");
}

/* Within a load step, of which nothing may be left; frames are due after some of them only. */
static void a_signal_ends_a_load_step_with_the_one_before_written(void) {
  int code = press_until("static", "static_signal", SIGINT, 0, "0.4");
  CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 4);
  CHECK(holds("static_signal", "summary.json", "\"status\": \"interrupted\""));
  check_last_time("static_signal");
}

/* As nohup and shells without job control start it. */
static void ignored_signals_stay_ignored(void) {
  int code = press_until("run", "ignored", SIGHUP, 1, "0.3");
  CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 0);
  CHECK(holds("ignored", "summary.json", "\"status\": \"completed\""));
}

/* ---- what is printed ------------------------------------------------------------------------- */

/* A belt that swings, by steps of 50 ms: stiffness and dissipation make 3e-10 of the last bits of
 * velocities. */
static void a_tolerance_below_round_off_is_said_once(void) {
  const char *text = check_run(
      "run examples/conveyor.yaml --set 'time.step=50 ms' --set contact.model=similar --set "
      "solver.tolerance=1e-13 --set output.format=none -o FOLDER/run_rounded",
      0, "round-off of its sums, accepted though the tolerance is 1e-13");
  const char *first = strstr(text, "round-off of its sums");
  CHECK(!strstr(first + 1, "round-off of its sums") && !strstr(text, "WARN"));
  CHECK(strstr(text, "PASS  round-off: in ") != NULL &&
        strstr(text, "a solver.tolerance above it can be met") != NULL);
  char *summary = file_of("rounded", "summary.json");
  CHECK(strtol(strstr(summary, "\"round_off_steps\":") + strlen("\"round_off_steps\":"), NULL, 10) >
        10); /* 23 of 60: in the others Newton's last iterations came below it */
  SUP_FREE(summary);
  check_run(
      "run examples/conveyor.yaml -q --set 'time.step=50 ms' --set contact.model=similar --set "
      "solver.tolerance=1e-13 --set solver.max_iterations=3 --set output.format=none -o "
      "FOLDER/run_few",
      1, "too many Newton iterations");
}

static void a_run_says_what_it_does_and_how_it_went(void) {
  const char *text = check_run(PRESS "-o FOLDER/run_said --set time.end=0.15", 0,
                               "FinRay press\n15 steps of 0.01 s to 0.15 s: ");
  CHECK(strstr(text, "unknowns, 1 soft body, 1 rigid body, 1 thread -> ") != NULL);
  CHECK(strstr(text, "15 steps to 0.15 s in ") && strstr(text, "x real time"));
  CHECK(strstr(text, "kinematics") && strstr(text, "solve") && strstr(text, "output"));
  CHECK(strstr(text, "PASS  momentum error: at most ") &&
        strstr(text, "PASS  penetration: at most "));
  CHECK(strstr(text, "PASS  inverted elements: 0\n") && strstr(text, "PASS  energy: "));
  CHECK(strstr(text, "results: ") && !strchr(text, '\r') && !strchr(text, '\033'));
  text = check_run(PRESS "-v -o FOLDER/run_said --set time.end=0.02", 0,
                   "step 2  t 0.02 s  Newton 0  contacts 0");
  CHECK(strstr(check_run(PRESS "-o FOLDER/run_said --set time.end=0", 0, "no step was done\n"),
               "nan") == NULL);
}

static void a_quiet_run_prints_nothing(void) {
  CHECK(check_run(PRESS "-q -o FOLDER/run_quiet --set time.end=0.02", 0, "")[0] == '\0');
  CHECK(check_run(PRESS "--quiet -o FOLDER/run_quiet --set time.end=0.02 --set "
                        "soft.finger.mesh.finray.pattern=kuhn",
                  0, "")[0] == '\0');
  CHECK(check_run("static examples/finray_stiffness.yaml -q -o FOLDER/run_quiet", 0, "")[0] ==
        '\0');
}

/** Output of the program on a terminal. */
static const char *on_terminal(const char *environment, const char *arguments) {
  static char out[APP_TEXT_SIZE];
  char        command[8192];
  snprintf(command, sizeof command, "%s script -qec '%s %s' /dev/null </dev/null 2>&1", environment,
           app_program(), app_arguments(arguments));
  FILE *pipe = popen(command, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
  out[fread(out, 1, sizeof out - 1, pipe)] = '\0';
  CHECK(pclose(pipe) == 0);
  return out;
}

static void a_terminal_sees_one_line_that_is_rewritten_and_colour(void) {
  if (system("command -v script >/dev/null") != 0) SKIP("no program script; ");
  const char *arguments =
      "run examples/finray_press.yaml --set time.end=0.7 -o FOLDER/run_terminal";
  const char *text = on_terminal("TERM=xterm", arguments);
  CHECK(strstr(text, "\rt 0.") && strstr(text, "x real time, Newton ") &&
        strstr(text, "contacts ") && strstr(text, "ETA "));
  CHECK(strstr(text, "\033[32mPASS\033[0m  momentum error") != NULL);
  arguments = "run examples/finray_press.yaml --set time.end=0.02 -o FOLDER/run_terminal";
  CHECK(strchr(on_terminal("NO_COLOR=1 TERM=xterm", arguments), '\033') == NULL);
  CHECK(strchr(on_terminal("TERM=dumb", arguments), '\033') == NULL);
}

static void plain_tetrahedra_are_warned_about_in_every_run(void) {
  const char *text = check_run(
      PRESS "-o FOLDER/run_t4 --set time.end=0.01 --set soft.finger.mesh.finray.pattern=kuhn", 0,
      "supple: warning: examples/finray_press.yaml:");
  CHECK(strstr(text,
               "soft body 'finger' is made of plain T4 cells, 1 through its walls in the median, "
               "which are too stiff in bending"));
  CHECK(strstr(text, "remedy: 'pattern: hex', or 'order: 2' in mesh") &&
        !strstr(strstr(text, "plain T4") + 1, "plain T4"));
  check_run(
      "run examples/finray_press.yaml --check --set 'soft.finger.mesh={file: "
      "../meshes/finray_s_t4.vtk}'",
      0, "remedy: 'order: 2' in mesh (quadratic tetrahedra), or a mesh of hexahedra");
  CHECK(!strstr(check_run(PRESS "--check", 0, "H8 cells"), "T4"));
}

static void check_reports_the_scene_and_writes_nothing(void) {
  const char *text =
      check_run("run examples/finray_grasp.yaml --check -o FOLDER/run_checked", 0,
                "robot 'gripper': 4 links, 3 unknowns, 1.2 kg\nrigid 'floor': fixed\n"
                "rigid 'cylinder': free, 6 unknowns, 0.1 kg\n"
                "soft 'left_finger': 408 H8 cells, 1032 vertices (36 attached, 0 clamped), ");
  CHECK(strstr(text, "cell quality: worst 0.9") &&
        strstr(text, "5985 unknowns, 17 pairs of shapes that may touch\n"));
  CHECK(strstr(text,
               "no bodies overlap at the start\n500 steps of 0.01 s to 5 s; 251 frames of 5 VTK "
               "files, about 5"));
  CHECK(strstr(text, "the first step takes ") && strstr(text, "; memory "));
  check_run(
      "run examples/finray_press.yaml --check --set 'rigid.cylinder.pose.position=[-19 mm, 45 mm, "
      "10 mm]'",
      0, "overlap: 'finger' is 0.99");
  check_run(
      "run examples/soft_cube_drop.yaml --check --set solver.tolerance=1e-5 --set "
      "output.format=ascii",
      0, "300 steps of 0.005 s to 1.5 s; 151 frames of 4 VTK files");
  check_run("run examples/finray_press.yaml --check --set soft.finger.mesh.finray.tip=3mm", 2,
            "the back wall meets");
  check_run("static examples/finray_stiffness.yaml --check -o FOLDER/run_checked", 0,
            "the solution takes ");
  check_run("static examples/finray_stiffness.yaml --check --set soft.finger.clamp=[]", 2,
            "is free to move");
  CHECK(!exists("checked", ""));
}

#define BAR_CHECK "static tests/data/bar.yaml --check --set soft.bar.mesh.box.cells="

/** Memory that is foreseen for a run is the memory that the process held. */
static void check_foresees_memory(void) {
  static const char *const backend[] = {"supernodal", "cholmod", "cg"};
  for (int b = 0; b < 3; b++) {
    char line[200];
    snprintf(line, sizeof line, BAR_CHECK "[40,8,8] --set solver.backend=%s", backend[b]);
    const char *text = check_run(line, 0, "\nmemory: about ");
    const char *held = strstr(text, "; memory ");
    CU_ASSERT_PTR_NOT_NULL_FATAL(held);
#ifndef SUP_SANITIZED /* sanitizers hold memory of their own */
    double need = strtod(strstr(text, "memory: about ") + 14, NULL),
           output = strtod(strstr(text, ", output ") + 9, NULL); /* of which a check has none */
    NEAR((need - output) / strtod(held + 9, NULL), 1, 0, 0.2);
#endif
  }
}

/** Twenty million cells, of which a check makes none but a few. */
static void what_memory_can_not_hold_is_not_made_by_a_check(void) {
  const char *text = check_run(BAR_CHECK "[20,4,4] --set soft.bar.mesh.refine=5", 0, "not built:");
  CHECK(strstr(text, ", roughly: program ") != NULL);
}

static void what_takes_more_than_seconds_is_not_solved_by_a_check(void) {
  check_run(BAR_CHECK "[60,12,12] --set solver.backend=cg", 0,
            "not solved: with so many unknowns cg would take more than seconds");
}

/** A check has nothing to complete: a signal ends it where it is. */
static void signals_end_a_check(void) {
  const char *const     argv[] = {app_program(), "static", "tests/data/bar.yaml",
                                  "--check",     "--set",  "soft.bar.mesh.box.cells=[100,30,30]",
                                  NULL};
  const struct timespec pause = {0, 200000000};
  long                  id = app_start(argv, "/dev/null");
  nanosleep(&pause, NULL);
  kill((pid_t)id, SIGTERM);
  int status = 0;
  CHECK(waitpid((pid_t)id, &status, 0) == (pid_t)id);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 4);
}

static void the_planned_size_is_the_size_of_the_files(void) {
  static const char *const series[] = {"finger", "rigid", "contact", "pressure"};
  double                   planned, frames, written = 0;
  char                     path[600];
  const char              *text = strstr(
                   check_run(PRESS "--check --set time.end=0.05 --set output.every=20ms", 0, "5 steps of"),
                   "5 steps of");
  CHECK(sscanf(text, "5 steps of 0.01 s to 0.05 s; %lf frames of 4 VTK files, about %lf MB",
               &frames, &planned) == 2);
  check_run(PRESS "-q -o FOLDER/run_size --set time.end=0.05 --set output.every=20ms", 0, "");
  CHECK(frames == 4 && exists("size", "vtk/finger_0003.vtk") &&
        !exists("size", "vtk/finger_0004.vtk"));
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) {
      snprintf(path, sizeof path, "%s/run_size/vtk/%s_%04d.vtk", test_folder(), series[k], i);
      FILE *file = fopen(path, "rb");
      CU_ASSERT_PTR_NOT_NULL_FATAL(file);
      CHECK(fseek(file, 0, SEEK_END) == 0);
      written += (double)ftell(file);
      fclose(file);
    }
  NEAR(1e6 * planned, written, 0.01, 0);
}

/* ---- the same bits --------------------------------------------------------------------------- */

#define GRASP_CELLS(finger) \
  "--set 'soft." finger ".mesh.finray.cells={wall: 1, inner: 1, cavity: 1, rib: 1, depth: 1}' "
#define GRASP                                                                                  \
  "run examples/finray_grasp.yaml -q --set time.end=0.95 --set output.every=0.5 " GRASP_CELLS( \
      "left_finger") GRASP_CELLS("right_finger")

static void the_state_depends_neither_on_threads_nor_on_the_folder(void) {
  char line[2048];
  check_run(GRASP "--threads 1 -o FOLDER/run_one", 0, "");
  CHECK(holds("one", "contacts.csv", "0.95,left_finger,cylinder,") &&
        holds("one", "contacts.csv", "0.95,right_finger,cylinder,"));
  check_run(GRASP "--threads 2 -o FOLDER/run_two", 0, "");
  check_same_state("one", "two");
  check_run(GRASP "--threads 1 --set solver.threads=2 -o FOLDER/run_two", 0,
            ""); /* again, into the same folder */
  check_same_state("one", "two");
  /* what is resolved runs as it is, from anywhere, also into its own folder */
  snprintf(line, sizeof line,
           "p=$(realpath %s) && cd %s && mkdir run_else && mv run_one run_else/one && cd run_else "
           "&& $p run one/resolved.yaml -q -o two && $p run two/resolved.yaml -q -o two",
           app_program(), test_folder());
  CHECK(system(line) == 0);
  check_same_state("else/one", "two");
  check_same_state("else/one", "else/two");
}

static void overrides_of_every_kind_reach_the_run(void) {
  check_run("run examples/finray_press.yaml -q -o FOLDER/run_sets --set " COARSE
            " --set time.step=5ms --set time.end=20e-3 --set 'gravity=[0, -1, 0]' --set "
            "soft.finger.clamp.0.half_space.offset=0.2mm --set contact.friction_sweeps=1 --set "
            "'soft.finger.material={base: tpu_85a, youngs_modulus: 5 MPa}' --set "
            "output.format=ascii --set output.probes.tip.point.1='79 mm' --set title='a \"new\" "
            "one' --set rigid.cylinder.motion.2.1=0.02",
            0, "");
  CHECK(holds("sets", "resolved.yaml", "time: {step: 0.005, end: 0.02"));
  CHECK(holds("sets", "resolved.yaml", "gravity: [0, -1, 0]"));
  CHECK(holds("sets", "resolved.yaml", "offset: 0.0002"));
  CHECK(holds("sets", "resolved.yaml", "friction_sweeps: 1"));
  CHECK(holds("sets", "resolved.yaml", "youngs_modulus: 5000000"));
  CHECK(holds("sets", "resolved.yaml", "0.079"));
  CHECK(holds("sets", "resolved.yaml", "1.1, 0.02, 0"));
  CHECK(holds("sets", "summary.json", "\"title\": \"a \\\"new\\\" one\""));
  CHECK(holds("sets", "summary.json", "\"step_size\": 0.005"));
  CHECK(holds("sets", "vtk/finger_0000.vtk", "\nASCII\n"));
}

static void the_state_under_valgrind_has_the_same_bits(void) {
#ifdef SUP_SANITIZED
  SKIP("valgrind does not run programs with sanitizers; ");
#else
  if (system("command -v valgrind >/dev/null") != 0) SKIP("no valgrind; ");
  char line[8192];
  check_run(PRESS "-q --set time.end=0.3 --set output.every=0.1 -o FOLDER/run_native", 0, "");
  CHECK(holds("native", "contacts.csv", "0.3,cylinder,finger,"));
  snprintf(
      line, sizeof line, "valgrind -q --tool=none %s %s", app_program(),
      app_arguments(PRESS "-q --set time.end=0.3 --set output.every=0.1 -o FOLDER/run_valgrind"));
  CHECK(system(line) == 0);
  check_same_state("native", "valgrind");
#endif
}

/* ---- files ----------------------------------------------------------------------------------- */

static void the_summary_has_the_names_of_the_readme(void) {
  static const char *const names[] = {"status",
                                      "steps",
                                      "time",
                                      "step_size",
                                      "dofs",
                                      "total",
                                      "fem",
                                      "rigid",
                                      "wall",
                                      "step_mean_ms",
                                      "step_median_ms",
                                      "step_max_ms",
                                      "phases",
                                      "newton",
                                      "mean",
                                      "max",
                                      "contacts",
                                      "momentum_error_max",
                                      "penetration_max",
                                      "inverted_elements_max",
                                      "series_softening",
                                      "field_softening",
                                      "energy_final",
                                      "state_hash"};
  char                     name[64];
  check_run(PRESS "-q -o FOLDER/run_summary --set time.end=0.02", 0, "");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(name, sizeof name, "\"%s\": ", names[i]);
    CHECK(holds("summary", "summary.json", name));
  }
  CHECK(holds("summary", "summary.json", "\"status\": \"completed\""));
  CHECK(holds("summary", "history.csv", "time,cylinder.x,"));
  CHECK(holds("summary", "history.csv", "contact.cylinder.finger.fx,"));
}

static void a_shorter_run_into_the_same_folder_leaves_no_old_frame(void) {
  check_run(PRESS "-q -o FOLDER/run_again --set time.end=0.05", 0, "");
  CHECK(exists("again", "vtk/finger_0005.vtk"));
  check_run(PRESS "-q -o FOLDER/run_again/ --set time.end=0.02", 0, "");
  CHECK(exists("again", "vtk/finger_0002.vtk") && !exists("again", "vtk/finger_0003.vtk"));
  CHECK(!exists("again", "vtk/rigid_0003.vtk") && !exists("again", "vtk/contact_0003.vtk"));
  CHECK(holds("again", "summary.json", "\"steps\": 2,"));
}

static void vtk_loads_every_series_of_a_run(void) {
  char out[1 << 16];
  check_run(PRESS "-q -o FOLDER/run_loaded --set time.end=0.2 --set output.every=20ms", 0, "");
  if (!load_series("loaded", out, sizeof out)) SKIP("no VTK; ");
  CHECK(strstr(out, "finger_0010.vtk") && strstr(out, "rigid_0010.vtk") &&
        strstr(out, "contact_0010.vtk"));
}

static void static_equilibrium_writes_two_frames(void) {
  const char *text = check_run("static examples/finray_stiffness.yaml -o FOLDER/run_static", 0,
                               "equilibrium in 1 load step: 2799 unknowns");
  CHECK(strstr(text, "soft 'finger': largest displacement ") && strstr(text, " mm, at vertex "));
  double      force[3] = {0};
  const char *reaction = strstr(text, "soft 'finger': reaction of '0' (");
  CHECK(reaction &&
        sscanf(strchr(reaction, '('), "(%lf, %lf, %lf) N", &force[0], &force[1], &force[2]) == 3);
  NEAR(sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]), 1, .05,
       0); /* its load of 1 N, and weight */
  CHECK(exists("static", "vtk/finger_0001.vtk") &&
        holds("static", "summary.json", "\"status\": \"completed\""));
  check_run("static examples/finray_stiffness.yaml -o FOLDER/run_static --set soft.finger.clamp=[]",
            2, "is free to move");
  CHECK(holds("static", "summary.json", "\"status\": \"failed\""));
}

static void load_steps_press_a_finger_and_say_so(void) {
  const char *text = check_run(
      "static examples/finray_press.yaml -o FOLDER/run_pressed --set time.end=0.6 --set "
      "static.steps=3",
      0, "load  66.7 %:");
  CHECK(strstr(text, "3 load steps to 0.6 s in ") && strstr(text, "PASS  force error: at most "));
  CHECK(!strstr(text, "real time") && !strstr(text, "momentum error"));
  CHECK(exists("pressed", "vtk/finger_0003.vtk") && exists("pressed", "vtk/contact_0003.vtk"));
  CHECK(holds("pressed", "resolved.yaml", "steps: 3"));
}

static void what_has_no_equilibrium_ends_with_code_1(void) {
  check_run(
      "static examples/soft_cube_drop.yaml -o FOLDER/run_unheld --set "
      "rigid.floor.pose.position=[0,0,-10] --set time.end=0.1",
      1, "no equilibrium between load ");
  CHECK(holds("unheld", "summary.json", "\"status\": \"failed\""));
#define PRESSED_BADLY                                                                         \
  "static examples/finray_press.yaml -q -o FOLDER/run_balance --set solver.max_iterations=1 " \
  "--set time.end=0.3 --set static.steps=1"
  check_run(PRESSED_BADLY, 1, "'contact: {soft_surface: vertices}', more load steps");
  const char *text = check_run(PRESSED_BADLY " --set contact.soft_surface=vertices", 1,
                               "more load steps (static.steps) or a finer mesh may help");
  CHECK(!strstr(text, "'contact:")); /* what the scene has */
}

SUITE_TESTS(
    run, TEST(every_help_ends_with_an_example_that_runs), TEST(help_lists_commands),
    TEST(mistakes_at_the_command_line_end_with_code_2),
    TEST(bad_scenes_end_with_code_2_and_leave_no_folder), TEST(file_trouble_ends_with_code_3),
    TEST(a_failing_step_is_explained_and_left_as_a_frame),
    TEST(the_residual_of_a_failed_step_is_not_zero),
    TEST(signals_end_a_run_with_everything_written),
    TEST(a_signal_ends_a_load_step_with_the_one_before_written), TEST(ignored_signals_stay_ignored),
    TEST(a_tolerance_below_round_off_is_said_once), TEST(a_run_says_what_it_does_and_how_it_went),
    TEST(a_quiet_run_prints_nothing), TEST(a_terminal_sees_one_line_that_is_rewritten_and_colour),
    TEST(plain_tetrahedra_are_warned_about_in_every_run),
    TEST(check_reports_the_scene_and_writes_nothing), TEST(check_foresees_memory),
    TEST(what_memory_can_not_hold_is_not_made_by_a_check),
    TEST(what_takes_more_than_seconds_is_not_solved_by_a_check), TEST(signals_end_a_check),
    TEST(the_planned_size_is_the_size_of_the_files),
    TEST(the_state_depends_neither_on_threads_nor_on_the_folder),
    TEST(overrides_of_every_kind_reach_the_run), TEST(the_state_under_valgrind_has_the_same_bits),
    TEST(the_summary_has_the_names_of_the_readme),
    TEST(a_shorter_run_into_the_same_folder_leaves_no_old_frame),
    TEST(vtk_loads_every_series_of_a_run), TEST(static_equilibrium_writes_two_frames),
    TEST(load_steps_press_a_finger_and_say_so), TEST(what_has_no_equilibrium_ends_with_code_1));
