/* `converge`, `--estimate` and `modes` on several ranks, which work together: the numbers of one
 * rank, and failures and signals that end no more than they must. */
#include <math.h>

#include "ranks/mpiexec_test.h"

#define TWO MPIEXEC "-n 2 "
#define WITH_PETSC "set: {solver.backend: petsc, solver.tolerance: 1.0e-12, output.format: none}\n"

static const char scene[] =
    "supple: 1\n"
    "time: {step: 5 ms, end: 0.03 s}\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {gel: {youngs_modulus: 1 MPa, poissons_ratio: 0.4, density: 1000, source: test}}\n"
    "rigid: {floor: {shape: {half_space: {}}, fixed: true, contact: {friction: 0.6}}}\n"
    "soft:\n"
    "  bar:\n"
    "    mesh: {box: {size: [80 mm, 20 mm, 20 mm], cells: [4, 1, 1]}}\n"
    "    material: gel\n"
    "    pose: {position: [0, 0, 0.1 mm]}\n"
    "    clamp: [{half_space: {normal: [1, 0, 0], offset: 0.1 mm}}]\n"
    "    contact: {friction: 0.6}\n"
    "output: {probes: {tip: {body: bar, point: [80 mm, 10 mm, 10 mm]}}}\n";

/** FOLDER/study.yaml of three meshes of the bar. */
static void write_study(const char *mode, const char *set) {
  char text[1000];
  app_write_file("bar.yaml", scene);
  snprintf(text, sizeof text,
           "supple: 1\nscene: bar.yaml\nmode: %s\n%s"
           "ladder: [{soft.bar.mesh.box.cells: [4, 1, 1]}, {soft.bar.mesh.box.cells: [8, 2, 2]}, "
           "{soft.bar.mesh.box.cells: [16, 4, 4]}]\n"
           "quantities: {tip: {column: probe.tip.z, take: change}, energy: {column: "
           "energy.elastic}}\n",
           mode, set);
  app_write_file("study.yaml", text);
}

/** Columns of numbers in a file of the tests' folder, in the rows that have them. */
static int read_column(const char *name, const char *column, double *value, int capacity) {
  char  path[600], line[4000], *next;
  int   at = SUP_NONE, num = 0;
  FILE *file;
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  file = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  while (fgets(line, sizeof line, file)) {
    if (line[0] == '#') continue;
    int k = 0, is_head = at == SUP_NONE;
    for (char *word = line; word; word = next, k++) {
      char *end = word[0] == '"' ? strchr(word + 1, '"') : word; /* a list has commas of its own */
      next = end ? strchr(end, ',') : NULL;
      if (next) *next++ = '\0';
      word[strcspn(word, "\n")] = '\0';
      if (is_head && strcmp(word, column) == 0) at = k;
      if (!is_head && k == at && num < capacity) value[num++] = strtod(word, NULL);
    }
    CU_ASSERT_FATAL(at != SUP_NONE);
  }
  fclose(file);
  return num;
}

/** Check that a column is equal in two files, to within a share of its largest number: histories
 * have nine digits. */
static void check_columns(const char *one, const char *two, const char *column, double share) {
  enum { MOST = 100 };
  double a[MOST], b[MOST], largest = 0;
  int    num = read_column(one, column, a, MOST);
  CHECK(num > 1 && read_column(two, column, b, MOST) == num);
  for (int i = 0; i < num; i++)
    if (isfinite(a[i])) largest = fmax(largest, fabs(a[i]));
  for (int i = 0; i < num; i++) NEAR(b[i], a[i], 0, share * largest);
}

static void a_study_on_two_ranks_has_the_numbers_of_one(void) {
  NEED_RANKS;
  static const char *const mode[] = {"static", "run"};
  for (int k = 0; k < 2; k++) {
    write_study(mode[k], WITH_PETSC);
    check_shell(
        "rm -rf FOLDER/one FOLDER/two; PROGRAM converge FOLDER/study.yaml -o FOLDER/one "
        "--no-plot",
        0, "tip [m]");
    check_shell(TWO "PROGRAM converge FOLDER/study.yaml -o FOLDER/two --no-plot", 0,
                "each on 2 ranks");
    check_columns("one/convergence.csv", "two/convergence.csv", "tip.value", 1e-8);
    check_columns("one/convergence.csv", "two/convergence.csv", "energy.value", 1e-8);
  }
}

/** Levels do not depend on the number of ranks: what two have done one need not do again. */
static void levels_that_are_complete_are_not_run_again(void) {
  NEED_RANKS;
  int code;
  write_study("static", WITH_PETSC);
  check_shell("rm -rf FOLDER/two; " TWO
              "PROGRAM converge FOLDER/study.yaml -o FOLDER/two --no-plot -q && rm -r "
              "FOLDER/two/level_02",
              0, "tip [m]");
  const char *text =
      shell(TWO "PROGRAM converge FOLDER/study.yaml -o FOLDER/two --no-plot 2>&1", &code);
  CHECK(code == 0 && count_of(text, "is complete and unchanged") == 2);
  text = shell("PROGRAM converge FOLDER/study.yaml -o FOLDER/two --no-plot", &code);
  CHECK(code == 0 && count_of(text, "is complete and unchanged") == 3);
}

static void what_of_a_study_needs_one_rank_is_refused_before_it_runs(void) {
  NEED_RANKS;
  write_study("static", "set: {solver.backend: cholmod}\n");
  check_shell("rm -rf FOLDER/two; " TWO "PROGRAM converge FOLDER/study.yaml -o FOLDER/two", 2,
              "'solver.backend: petsc' works on several");
  check_shell(TWO "PROGRAM converge FOLDER/study.yaml -o FOLDER/two -j 2", 2,
              "start it without mpiexec");
  check_shell(TWO "PROGRAM converge FOLDER/none.yaml -o FOLDER/two", 3, "cannot read");
  write_study("run", "set: {solver.backend: petsc, contact.solver: ncp_pgs}\n");
  check_shell(TWO "PROGRAM converge FOLDER/study.yaml -o FOLDER/two", 2, "the contact solver");
  write_study("static", WITH_PETSC);
  check_shell(MPIEXEC "-n 5 PROGRAM converge FOLDER/study.yaml -o FOLDER/two", 2,
              "each of 5 ranks needs at least one");
  check_shell(TWO "PROGRAM converge FOLDER/study.yaml --check", 0, "level_03");
  check_shell("ls -d FOLDER/two", 2, "cannot access");
}

/** The second level fails on all ranks, the third runs. */
static void a_level_that_fails_ends_that_level_alone(void) {
  NEED_RANKS;
  int  code;
  char text[1000];
  app_write_file("bar.yaml", scene);
  snprintf(text, sizeof text,
           "supple: 1\nscene: bar.yaml\n" WITH_PETSC
           "ladder: [{time.step: 5 ms}, {time.step: 2.5 ms, solver.max_iterations: 1, "
           "solver.tolerance: 1.0e-14}, {time.step: 1.25 ms}]\n"
           "quantities: {tip: {column: probe.tip.z, take: change}}\n");
  app_write_file("study.yaml", text);
  const char *said =
      shell("rm -rf FOLDER/two; " TWO "PROGRAM converge FOLDER/study.yaml -o FOLDER/two --no-plot",
            &code);
  CHECK(code == 1 && count_of(said, "level_02 failed") == 1);
  if (code != 1) printf("%s", said);
  check_shell("grep -c 'too many Newton iterations' FOLDER/two/level_02/log.txt", 0, "1");
  check_shell("ls FOLDER/two/level_03/level.json", 0, "level.json");
}

/** One of the ranks is told to end while a level runs: none is killed, and the same command goes
 * on.
 */
static void a_study_that_is_told_to_end_goes_on_where_it_was(void) {
  NEED_RANKS;
  write_study("run",
              "set: {solver.backend: petsc, output.format: none, time.step: 0.1 ms, time.end: 2 "
              "s}\n");
  static const char *const until[] = {
      "test -f FOLDER/two/level_01/history.csv",
      "grep -q resumed FOLDER/two/level_01/manifest.json 2> /dev/null"};
  check_shell("rm -rf FOLDER/two; echo removed", 0, "removed");
  for (int k = 0; k < 2; k++) {
    char command[1500];
    int  code;
    snprintf(command, sizeof command,
             MPIEXEC
             "-n 1 PROGRAM converge FOLDER/study.yaml -o FOLDER/two --no-plot : -n 1 sh -c "
             "'PROGRAM converge FOLDER/study.yaml -o FOLDER/two --no-plot & rank=$!; "
             "timeout 20 sh -c \"while ! %s; do sleep 0.1; done\"; sleep 0.5; kill -TERM "
             "$rank; wait $rank'",
             until[k]);
    const char *said = shell(command, &code);
    CHECK(code == 4 && count_of(said, "the same command goes on from there") == 1);
    if (code != 4) printf("%s", said);
    CHECK(mpiexec_seconds < 30);
    check_shell("ls FOLDER/two/level_01/level.json", 2, "cannot access");
    check_shell("cat FOLDER/two/level_01/log.txt", 0, "everything up to there was written");
    check_shell("tail -1 FOLDER/two/level_01/log.txt", 0,
                "to go on: mpiexec -n 2 supple run --resume");
  }
  check_shell("grep -c resumed FOLDER/two/level_01/manifest.json", 0, "1");
}

static void an_estimate_on_two_ranks_has_the_numbers_of_one(void) {
  NEED_RANKS;
#define ESTIMATE                                                                              \
  "PROGRAM static FOLDER/bar.yaml --estimate --set solver.backend=petsc --set output.format=" \
  "none -o FOLDER/"
  app_write_file("bar.yaml", scene);
  check_shell("rm -rf FOLDER/one FOLDER/two; " ESTIMATE "one", 0, "largest error bar");
  check_shell(TWO ESTIMATE "two", 0, "largest error bar");
  check_columns("one/estimate.csv", "two/estimate.csv", "value", 1e-8);
  check_shell(TWO ESTIMATE "two --set solver.backend=cholmod", 2,
              "'solver.backend: petsc' works on several");
  check_shell(TWO ESTIMATE "two --check", 0, "4 H8 cells");
}

static const char modes_scene[] =
    "supple: 1\ntime: {step: 5 ms, end: 30 ms}\ngravity: [0, 0, -9.81]\nstatic: {steps: 4}\n"
    "materials:\n"
    "  gel: {youngs_modulus: 1 MPa, poissons_ratio: 0.4, density: 1000, stiffness_damping: 1 ms, "
    "mass_damping: 0.5, prony: [[0.3, 10 ms]]}\n"
    "  hard: {youngs_modulus: 3 MPa, poissons_ratio: 0.4, density: 1000}\n"
    "rigid:\n"
    "  floor: {shape: {half_space: {}}, fixed: true, contact: {friction: 0.6}}\n"
    "  arm: {shape: {box: {size: [40 mm, 22 mm, 20 mm]}}, mass: 100 g, pose: {position: [0, 0, 10 "
    "mm]}, contact: {friction: 0.6, resolution: 10 mm}}\n"
    "soft:\n"
    "  bar: {mesh: {box: {size: [60 mm, 20 mm, 12 mm], cells: [12, 4, 3]}}, material: gel, attach: "
    "{link: arm, region: {named: x_min}}, pose: {position: [20 mm, -10 mm, 5 mm]}}\n"
    "  block: {mesh: {box: {size: [30 mm, 24 mm, 20 mm], cells: [4, 3, 3]}}, material: hard, pose: "
    "{position: [-80 mm, -10 mm, 0]}, contact: {friction: 0.6}}\n";

/** Square twins: each eigenvalue of bending four times, which one Krylov space does not have. */
static const char twins_scene[] =
    "supple: 1\ntime: {step: 5 ms, end: 30 ms}\ngravity: [0, 0, 0]\n"
    "materials: {gel: {youngs_modulus: 1 MPa, poissons_ratio: 0.4, density: 1000}}\n"
    "soft:\n"
    "  a: &bar {mesh: {box: {size: [80 mm, 10 mm, 10 mm], cells: [16, 2, 2]}}, material: gel, "
    "clamp: [{half_space: {normal: [1, 0, 0], offset: 0.1 mm}}], tractions: [{region: {half_space: "
    "{normal: [-1, 0, 0], offset: -79.9 mm}}, force: [-0.1 N, 0, 0]}]}\n"
    "  b: {<<: *bar, pose: {position: [0, 1, 0]}}\n";

/** Free, and on the ground with attached and lying bodies; damping, buckling, copies. */
static void modes_on_ranks_are_those_of_one(void) {
  NEED_RANKS;
  static const struct {
    const char *scene, *options, *said, *column[4];
  } cases[] = {{modes_scene, "--modes 16", "12 rigid motions", {"frequency[Hz]", "damping_ratio"}},
               {modes_scene,
                "--modes 12 --loaded --set soft.block.mesh.box.cells=[4,3,4]",
                "a material relaxes",
                {"frequency[Hz]", "damping_ratio", "effective_mass_x[kg]", "share_of_body"}},
               {twins_scene, "--modes 9", "none is missed: 10 below", {"frequency[Hz]"}},
               {twins_scene, "--modes 3 --buckling", "none is missed: 4 below", {"load_factor"}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char command[600];
    app_write_file("modes.yaml", cases[i].scene);
    snprintf(command, sizeof command,
             "PROGRAM modes FOLDER/modes.yaml -o FOLDER/one --set output.format=none %s",
             cases[i].options);
    check_shell(command, 0, cases[i].said);
    snprintf(command, sizeof command,
             TWO
             "PROGRAM modes FOLDER/modes.yaml -o FOLDER/two --set solver.backend=petsc --set "
             "output.format=none %s",
             cases[i].options);
    int         code;
    const char *said = shell(command, &code);
    if (strstr(said, "need SLEPc")) { /* the plug-in of a machine without it */
      CHECK(code != 0 && strstr(said, "(libslepc-real-dev)") && strstr(said, "without mpiexec"));
      return;
    }
    CHECK(code == 0 && count_of(said, cases[i].said) == 1);
    for (int c = 0; c < 4 && cases[i].column[c]; c++)
      check_columns("one/modes.csv", "two/modes.csv", cases[i].column[c], 1e-8);
  }
}

SUITE_TESTS(rank_studies, TEST(a_study_on_two_ranks_has_the_numbers_of_one),
            TEST(levels_that_are_complete_are_not_run_again),
            TEST(what_of_a_study_needs_one_rank_is_refused_before_it_runs),
            TEST(a_level_that_fails_ends_that_level_alone),
            TEST(a_study_that_is_told_to_end_goes_on_where_it_was),
            TEST(an_estimate_on_two_ranks_has_the_numbers_of_one),
            TEST(modes_on_ranks_are_those_of_one));
