/* Runs on ranks that end early and go on: on as many ranks with equal bits, on others to the
 * tolerance of the solver. */
#include <math.h>

#include "ranks/mpiexec_test.h"

#define GAMG "--set solver.backend=petsc --set solver.petsc='-pc_type gamg' "
/* It falls for 0.1 s, then it is in contact. */
#define DROP                                                                          \
  "examples/soft_cube_drop.yaml -q --set 'soft.cube.mesh.box.cells=[3, 3, 3]' --set " \
  "time.end=0.14 --set output.every=0.02 --set solver.tolerance=1e-9 "
#define CUBE DROP GAMG
#define ON(n) MPIEXEC "-n " #n " PROGRAM "

/** The command ends well, whatever its verdicts are. */
static void go(const char *command) {
  int         code;
  const char *said = shell(command, &code);
  if (code != 0) printf("\n    %s\n    gave %d: %s\n", command, code, said);
  CHECK(code == 0);
}

/** Rows, contacts, frames, the summary but for what times, how often matrices were analysed and by
 * which path the scene was read that the log warns of. */
static void check_same_results(const char *a, const char *b) {
  char command[1500];
  snprintf(command, sizeof command,
           "cd FOLDER && cmp %s/history.csv %s/history.csv && cmp %s/contacts.csv %s/contacts.csv "
           "&& diff -r %s/vtk %s/vtk && for d in %s %s; do sed -e '/^  \"wall\": {/,/^  }/d' "
           "-e '/analyses/d' -e 's|\"text\": \"[^ ]*/|\"text\": \"|' $d/summary.json "
           ">$d/untimed.txt; done && diff %s/untimed.txt "
           "%s/untimed.txt && echo equal",
           a, b, a, b, a, b, a, b, a, b);
  check_shell(command, 0, "equal");
}

/** Largest difference of a column in two histories over its largest value. */
static double difference(const char *a, const char *b, const char *column) {
  char command[600];
  int  code;
  snprintf(command, sizeof command,
           "cd FOLDER && paste -d, %s/history.csv %s/history.csv | awk -F, 'NR == 1 {for (i = 1; i "
           "<= NF; i++) if ($i == \"%s\" && !k) k = i} NR > 1 {d = $k - $(k + NF / 2); if (d < 0) "
           "d = -d; x = $k < 0 ? -$k : $k; if (d > D) D = d; if (x > X) X = x} END {print D / X}'",
           a, b, column);
  double found = strtod(shell(command, &code), NULL);
  CHECK(code == 0);
  return found;
}

/** FOLDER/straight; FOLDER/other with a checkpoint of its middle. */
static void begin(void) {
  int code;
  (void)shell("ls FOLDER/other", &code);
  if (code == 0) return; /* another test did it */
  go(ON(2) "run " CUBE "-o FOLDER/straight");
  go(ON(2) "run " CUBE "--set output.checkpoint.every=0.11 -o FOLDER/other");
  check_shell("ls FOLDER/other/checkpoint", 0, "kept_00000022.checkpoint");
}

static void a_run_goes_on_with_equal_bits(void) {
  NEED_RANKS;
  begin();
  check_same_results("straight", "other");
  go("cp -r FOLDER/other FOLDER/half; " ON(2) "run --resume FOLDER/half -q");
  check_same_results("straight", "half");
  check_shell("grep -c resumed FOLDER/half/manifest.json", 0, "1");
}

/** Frames before the checkpoint stay in their pieces and each list has its own frames; the pieces
 * together are as if one rank had written them all. */
static void another_number_of_ranks_agrees_to_the_tolerance(void) {
  NEED_RANKS;
  begin();
  static const char *const how[] = {ON(1), ON(3)};
  for (int k = 0; k < 2; k++) {
    char command[1000];
    snprintf(
        command, sizeof command,
        "rm -rf FOLDER/half && cp -r FOLDER/other FOLDER/half && %s run --resume FOLDER/half -q "
        "--set solver.petsc='-pc_type gamg -pc_gamg_threshold 0.01'",
        how[k]);
    go(command);
    CHECK(difference("straight", "half", "block.z") < 1e-5);
    check_shell("ls FOLDER/half/vtk/cube*.series | wc -l", 0, "3");
    check_shell("grep -c name FOLDER/half/vtk/cube_rank1.vtk.series", 0, k ? "8" : "6");
    check_shell(k ? "grep -c name FOLDER/half/vtk/cube_rank2.vtk.series"
                  : "grep -c name FOLDER/half/vtk/cube.vtk.series",
                0, "2");
    go("/usr/bin/python3 postproc/gather.py FOLDER/half");
    check_shell("grep -c name FOLDER/half/vtk/cube.vtk.series", 0, "8");
    check_shell("ls FOLDER/half/vtk/cube_0000.vtk", 0, "cube_0000.vtk");
  }
  check_shell("rm -rf FOLDER/half && cp -r FOLDER/other FOLDER/half && " ON(
                  2) "run --resume FOLDER/half -q --set solver.petsc=-ksp_type",
              2, "'solver.petsc' was");
}

/** A bar that bends under its weight: what forces differ by does not grow. */
static void one_rank_hands_on_to_two_and_these_to_three(void) {
  NEED_RANKS;
#define BENT                                                                                  \
  "run tests/data/bar.yaml -q --set 'soft.bar.mesh.box.cells=[10, 3, 3]' --set time.end=0.1 " \
  "--set solver.backend=petsc --set solver.tolerance=1e-9 --set output.every=0.02 --set "     \
  "output.checkpoint.every=0.035 "
  go("rm -rf FOLDER/all FOLDER/one; PROGRAM " BENT "-o FOLDER/all");
  go("cp -r FOLDER/all FOLDER/one; cd FOLDER/one/checkpoint; ls | tail -n +2 | xargs rm");
  go(ON(2) "run --resume FOLDER/one -q");
  CHECK(difference("all", "one", "bar.elastic_energy") < 1e-7);
  check_shell("grep -c name FOLDER/one/vtk/bar.vtk.series", 0, "3");
  go("cd FOLDER/one/checkpoint; ls | tail -n +3 | xargs rm -f");
  go(ON(3) "run --resume FOLDER/one -q");
  CHECK(difference("all", "one", "bar.elastic_energy") < 1e-7);
}

/** The second rank dies, or is told to end. */
static void what_ended_early_goes_on(void) {
  NEED_RANKS;
  begin();
  static const char *const name[] = {"KILL", "TERM"};
#define OFTEN "run " CUBE "--set output.checkpoint.wall_interval=0.01 -o FOLDER/half "
  for (int k = 0; k < 2; k++) {
    char command[3000];
    int  code;
    snprintf(
        command, sizeof command,
        "rm -rf FOLDER/half; " MPIEXEC "-n 1 PROGRAM " OFTEN ": -n 1 sh -c \"PROGRAM " OFTEN
        "& rank=\\$!; timeout 20 sh -c 'until grep -q ^0.06, FOLDER/half/history.csv; do sleep "
        "0.05; done' 2>/dev/null; kill -%s \\$rank; wait \\$rank\"",
        name[k]);
    shell(command, &code);
    CHECK(code != 0 && mpiexec_seconds < 30);
    go(ON(2) "run --resume FOLDER/half -q");
    check_same_results("straight", "half");
  }
}

static void load_steps_go_on(void) {
  NEED_RANKS;
#define BAR                                           \
  "static tests/data/bar.yaml -q " GAMG               \
  "--set 'soft.bar.mesh.box.cells=[10, 3, 3]' --set " \
  "static.steps=4 "
  go("rm -rf FOLDER/kind FOLDER/half; " ON(2) BAR "-o FOLDER/kind");
  go(ON(2) BAR "--set output.checkpoint.every=5ms -o FOLDER/half");
  go("cd FOLDER/half/checkpoint && f=$(ls kept_* | head -1) && ls | grep -v $f | xargs rm -f");
  go(ON(2) "static --resume FOLDER/half -q");
  check_same_results("kind", "half");
}

static void what_does_not_fit_is_said_once(void) {
  NEED_RANKS;
  begin();
  check_shell(ON(2) "run --resume FOLDER/nothing", 3, "no such folder");
  check_shell(ON(2) "static --resume FOLDER/straight", 3, "there is no checkpoint");
  check_shell(ON(2) "run --from FOLDER/other -o FOLDER/other", 2, "give the branch another folder");
  check_shell(ON(2) "run --from FOLDER/other -q -o FOLDER/branch "
                    "--set 'soft.cube.mesh.box.cells=[3, 3, 4]'",
              2, "soft body 'cube' has another mesh");
  go(ON(2) "run --from FOLDER/other -q -o FOLDER/branch --set contact.defaults.friction=0.2");
  check_shell("grep -c '\"checkpoint\"' FOLDER/branch/manifest.json", 0, "1");
}

/** The last row's value of a column. */
static double last_of(const char *folder, const char *column) {
  char command[400];
  int  code;
  snprintf(command, sizeof command,
           "awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == \"%s\") k = i} END {print $k}' "
           "FOLDER/%s/history.csv",
           column, folder);
  return strtod(shell(command, &code), NULL);
}

/** Internal variables of relaxation move between ranks with their cells: bricks and T4 in batches,
 * laws at points. */
static void what_relaxes_goes_on(void) {
  NEED_RANKS;
#define RELAX                                                                                \
  "-q " GAMG                                                                                 \
  "--set solver.tolerance=1e-8 --set 'soft.bar.mesh.box.cells=[11, 3, 3]' --set 'materials." \
  "rubber.prony=[[0.25, 20 ms], [0.1, 4 ms]]' --set output.checkpoint.every=25ms --set "     \
  "time.end=60ms --set output.every=0.01 "
  static const char *const kinds[] = {
      "run tests/data/bar.yaml " RELAX,
      "run tests/data/bar.yaml " RELAX
      "--set soft.bar.mesh.box.pattern=mirror --set materials.rubber.model=neo_hookean ",
      "run tests/data/bar.yaml " RELAX
      "--set soft.bar.mesh.box.pattern=mirror --set soft.bar.mesh.order=2 --set time.scheme=bdf2 "};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    char command[3000];
    snprintf(command, sizeof command, "rm -rf FOLDER/relax* && " ON(2) "%s -o FOLDER/relax",
             kinds[k]);
    go(command);
    snprintf(command, sizeof command, "PROGRAM %s -o FOLDER/relax1", kinds[k]);
    go(command);
    CHECK(last_of("relax", "energy.relaxation") > 0);
    CHECK(difference("relax1", "relax", "bar.com_z") < 1e-8);
    CHECK(difference("relax1", "relax", "bar.elastic_energy") < 1e-6);
    CHECK(difference("relax1", "relax", "energy.relaxation") < 1e-6);
    go("cp -r FOLDER/relax FOLDER/relaxh && cd FOLDER/relaxh/checkpoint && ls | tail -n +2 | "
       "xargs rm -f; cp -r ../../relaxh ../../relax3; cp -r ../../relaxh ../../relaxb");
    go(ON(2) "run --resume FOLDER/relaxh -q");
    check_same_results("relax", "relaxh");
    go(ON(3) "run --resume FOLDER/relax3 -q"); /* to another number of ranks .. */
    CHECK(difference("relax1", "relax3", "bar.elastic_energy") < 1e-6);
    CHECK(difference("relax1", "relax3", "energy.relaxation") < 1e-6);
    go("PROGRAM run --resume FOLDER/relaxb -q"); /* .. and to one */
    CHECK(difference("relax1", "relaxb", "energy.relaxation") < 1e-6);
  }
  go("cd FOLDER/relax1/checkpoint && ls | tail -n +2 | xargs rm -f"); /* from one */
  go(ON(2) "run --resume FOLDER/relax1 -q");
  CHECK(difference("relax", "relax1", "energy.relaxation") < 1e-6);
}

SUITE_TESTS(rank_resume, TEST(a_run_goes_on_with_equal_bits),
            TEST(another_number_of_ranks_agrees_to_the_tolerance),
            TEST(one_rank_hands_on_to_two_and_these_to_three), TEST(what_ended_early_goes_on),
            TEST(load_steps_go_on), TEST(what_does_not_fit_is_said_once),
            TEST(what_relaxes_goes_on));
