/* `run` and `static` on two ranks end together: a step that diverges, signals, a rank that dies, a
 * full disk, wrong options and what is missing give one message and one exit code, and nobody
 * waits.
 */
#include "ranks/mpiexec_test.h"

#define CUBE                                                                             \
  "run examples/soft_cube_drop.yaml -q --set solver.backend=petsc --set "                \
  "'soft.cube.mesh.box.cells=[3, 3, 3]' --set time.step=0.1ms --set time.end=20s --set " \
  "output.history_every=0.1ms -o FOLDER/run "
#define TWO MPIEXEC "-n 2 PROGRAM "
#define FRESH "rm -rf FOLDER/run; "
/* Until there are rows of steps. */
#define WAIT                                                                                \
  "timeout 20 sh -c 'until grep -q ^0.002, FOLDER/run/history.csv; do sleep 0.1; done' 2> " \
  "/dev/null; "

/** The program on two ranks, of which one is started by the shell in another way. */
static void check_pair(int odd_one, const char *odd, const char *arguments, int code,
                       const char *said) {
  char command[4000], odd_part[1800], part[1500];
  snprintf(odd_part, sizeof odd_part, "-n 1 sh -c \"%s\"", odd);
  snprintf(part, sizeof part, "-n 1 PROGRAM %s", arguments);
  snprintf(command, sizeof command, FRESH MPIEXEC "%s : %s", odd_one ? part : odd_part,
           odd_one ? odd_part : part);
  check_shell(command, code, said);
  CHECK(mpiexec_seconds < 30);
}

static void a_step_that_diverges_ends_all(void) {
  NEED_RANKS;
  check_shell(FRESH TWO CUBE
              "--set time.step=5ms --set solver.max_iterations=1 --set "
              "solver.tolerance=1e-14",
              1, "too many Newton iterations");
  check_shell("ls FOLDER/run/summary.json FOLDER/run/history.csv | wc -l", 0, "2");
  check_shell(FRESH TWO
              "static examples/soft_cube_drop.yaml -q --set solver.backend=petsc --set "
              "'soft.cube.mesh.box.cells=[2, 2, 2]' --set 'gravity=[0, 0, 9.81]' -o "
              "FOLDER/run",
              1, "no equilibrium between load 0 and 0.25");
}

/** Ctrl-C comes to all, a batch system's signal often to one. */
static void a_signal_to_one_rank_ends_all_with_whole_files(void) {
  NEED_RANKS;
  static const char *const name[] = {"INT", "TERM"};
  for (int k = 0; k < 2; k++) {
    char odd[1500];
    snprintf(odd, sizeof odd,
             "env --default-signal=INT PROGRAM " CUBE "& rank=\\$!; " WAIT
             "kill -%s \\$rank; wait \\$rank",
             name[k]);
    check_pair(k, odd, CUBE, 4, "everything up to there was written");
    check_shell("ls FOLDER/run/summary.json", 0, "summary.json");
  }
}

/** mpiexec passes it on and has an exit code of its own. */
static void a_signal_to_mpiexec_ends_all_with_whole_files(void) {
  NEED_RANKS;
  int         code;
  const char *said = shell(FRESH TWO CUBE "& all=$!; " WAIT "kill -TERM $all; wait $all", &code);
  CHECK(code != 0 && count_of(said, "everything up to there was written") == 1);
  CHECK(mpiexec_seconds < 30);
  check_shell("ls FOLDER/run/summary.json", 0, "summary.json");
}

/** mpiexec may end the shell of the killed rank before that prints anything. */
static void a_rank_that_is_killed_ends_all(void) {
  NEED_RANKS;
  for (int k = 0; k < 2; k++) {
    check_pair(k, "PROGRAM " CUBE "& rank=\\$!; " WAIT "kill -KILL \\$rank; wait \\$rank; exit 137",
               CUBE, 137, NULL);
    check_shell("tail -c 1 FOLDER/run/history.csv | wc -l", 0, "1"); /* whole rows */
  }
}

/** Full disk of the first rank, which writes the tables, and of the second, which writes pieces of
 * frames. */
static void a_full_disk_on_one_rank_ends_all(void) {
  NEED_RANKS;
  check_pair(0, "ulimit -f 60; exec PROGRAM " CUBE "--set output.format=none",
             CUBE "--set output.format=none", 3, "run/history.csv");
  check_pair(1, "ulimit -f 4; exec PROGRAM " CUBE, CUBE, 3, "cube_rank1_0000.vtk");
  check_shell("ls FOLDER/run/vtk/cube_rank1_0000.vtk", 2, "cannot access");
  check_shell(TWO CUBE "-o /proc/none", 3, "cannot make folder /proc/none");
}

static void wrong_options_are_said_once(void) {
  NEED_RANKS;
  check_shell(TWO CUBE "--set solver.petsc='-pc_type nonsense'", 2, "requested PC type nonsense");
  check_shell(TWO CUBE "--set solver.petsc='-pc_tpye gamg'", 2, "no use for the option -pc_tpye");
  check_shell(TWO CUBE "--set solver.petcs='-pc_type gamg'", 2, "did you mean 'petsc'");
}

/** Features for one rank are refused by each command, before anything is written. */
static void what_needs_one_rank_is_refused_by_name(void) {
  NEED_RANKS;
  static const char *const solvers[] = {"ncp_pgs", "tamsi"};
  char                     command[1500], said[200];
  check_shell(FRESH "echo removed", 0, "removed");
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
    snprintf(command, sizeof command, TWO CUBE "--check --set contact.solver=%s", solvers[k]);
    snprintf(said, sizeof said, "the contact solver %s works on one rank", solvers[k]);
    check_shell(command, 2, said);
  }
  for (int k = 0; k < 2; k++) {
    static const char *const backend[] = {"supernodal", "cg"};
    snprintf(command, sizeof command, TWO CUBE "--set solver.backend=%s", backend[k]);
    check_shell(command, 2, "'solver.backend: petsc' works on several");
  }
  check_shell(TWO "static examples/studies/mms_cube.yaml --set solver.backend=petsc", 2,
              "a manufactured solution is for one rank");
  check_shell(TWO "run examples/coin.yaml --set solver.backend=petsc", 2,
              "the scene has no soft body");
  check_shell(MPIEXEC "-n 28 PROGRAM " CUBE, 2, "has 27 cells, and each of 28 ranks");
  check_shell(TWO "export examples/soft_cube_drop.yaml -o FOLDER/a.npz", 2, "runs in one process");
  check_shell(TWO "contact examples/incline_contact.npz", 2, "runs in one process");
  check_shell("ls FOLDER/run", 2, "cannot access");
}

/** The program alone, as it is where nobody built the plug-in. */
static void a_missing_library_is_said_once(void) {
  NEED_RANKS;
  check_shell("mkdir -p FOLDER/alone; cp PROGRAM FOLDER/alone/supple; " MPIEXEC
              "-n 2 FOLDER/alone/supple " CUBE,
              2, "there is no supple-petsc.so beside the program");
}

SUITE_TESTS(rank_failures, TEST(a_step_that_diverges_ends_all),
            TEST(a_signal_to_one_rank_ends_all_with_whole_files),
            TEST(a_signal_to_mpiexec_ends_all_with_whole_files),
            TEST(a_rank_that_is_killed_ends_all), TEST(a_full_disk_on_one_rank_ends_all),
            TEST(wrong_options_are_said_once), TEST(what_needs_one_rank_is_refused_by_name),
            TEST(a_missing_library_is_said_once));
