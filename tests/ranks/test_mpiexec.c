/* The program on several ranks, as mpiexec starts it: files that do not depend on their number, and
 * failures that end all.  Without mpiexec or PETSc's plug-in all is skipped. */
#include "ranks/mpiexec_test.h"

#define REFINE "PROGRAM mesh refine FOLDER/box.vtk --levels "

static void refined_meshes_are_those_of_one_rank(void) {
  NEED_RANKS;
  static const char *const kind[] = {"--pattern hex", "--pattern kuhn", "--pattern kuhn --order 2"};
  static const char *const as[] = {"", " --ascii"};
  for (int k = 0; k < 3; k++) {
    char command[600];
    snprintf(command, sizeof command, "PROGRAM mesh box --cells 3,2,2 %s -o FOLDER/box.vtk",
             kind[k]);
    check_shell(command, 0, "cells");
    snprintf(command, sizeof command, REFINE "2 -o FOLDER/one.vtk%s", as[k % 2]);
    check_shell(command, 0, "cells");
    for (int ranks = 2; ranks <= 3; ranks++) {
      snprintf(command, sizeof command,
               "rm -f FOLDER/many*; " MPIEXEC "-n %d " REFINE "2 -o FOLDER/many.vtk%s", ranks,
               as[k % 2]);
      check_shell(command, 0, "cells");
      check_shell(
          "/usr/bin/python3 postproc/gather.py FOLDER/many.vtk && cmp FOLDER/one.vtk "
          "FOLDER/many.vtk && echo equal",
          0, "equal");
    }
  }
}

/* A scene with `refine`: large enough at once, or after a level on one rank. */
static void meshes_of_scenes_are_those_of_one_rank(void) {
  NEED_RANKS;
  static const char *const box[] = {"7, 7, 7]}", "6, 6, 6], pattern: mirror}",
                                    "3, 2, 2], pattern: mirror}"};
  static const char *const more[] = {"refine: 2", "refine: 1, order: 2", "refine: 2"};
  for (int k = 0; k < 3; k++) {
    char text[1000];
    snprintf(text, sizeof text,
             "supple: 1\ntime: {step: 1 ms, end: 1 ms}\n"
             "materials: {m: {density: 1e3 kg/m^3, youngs_modulus: 1 MPa, poissons_ratio: 0.3}}\n"
             "soft:\n  b:\n    mesh: {box: {size: [1 cm, 1 cm, 1 cm], cells: [%s, %s}\n"
             "    material: m\n",
             box[k], more[k]);
    app_write_file("scene.yaml", text);
    check_shell("PROGRAM mesh extract FOLDER/scene.yaml -o FOLDER/one.vtk", 0, "vertices,");
    check_shell("rm -f FOLDER/many*; " MPIEXEC
                "-n 3 PROGRAM mesh extract FOLDER/scene.yaml -o FOLDER/many.vtk",
                0, "vertices,");
    check_shell(
        "/usr/bin/python3 postproc/gather.py FOLDER/many.vtk && cmp FOLDER/one.vtk "
        "FOLDER/many.vtk && echo equal",
        0, "equal");
  }
  check_shell(MPIEXEC "-n 2 PROGRAM mesh extract FOLDER/scene.yaml -o FOLDER/many.inp", 2,
              "several ranks write .vtk alone");
}

/* Elements and matrix are divided, what is whole is not. */
static void a_check_says_what_each_rank_will_hold(void) {
  NEED_RANKS;
#define CHECK_BAR                                                                         \
  "PROGRAM static tests/data/bar.yaml --check --set soft.bar.mesh.box.cells=[100,20,20] " \
  "--set solver.backend=petsc --set solver.petsc='-pc_type gamg'"
  int         code;
  const char *said = "memory: about ";
  const char *text = strstr(shell(CHECK_BAR, &code), said);
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  CHECK(code == 0 && !strstr(text, "ranks"));
  double one = strtod(text + strlen(said), NULL);
  text = strstr(shell(MPIEXEC "-n 2 " CHECK_BAR, &code), said);
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  CHECK(code == 0 && strstr(text, "on each of 2 ranks"));
  double each = strtod(text + strlen(said), NULL);
  CHECK(each > .5 * one && each < .8 * one);
}

static void a_missing_piece_is_named(void) {
  NEED_RANKS;
  check_shell("PROGRAM mesh box -o FOLDER/box.vtk", 0, "cells");
  check_shell("rm -f FOLDER/many*; " MPIEXEC "-n 2 " REFINE "1 -o FOLDER/many.vtk", 0,
              "and 1 more");
  check_shell("rm FOLDER/many_rank0.vtk; /usr/bin/python3 postproc/gather.py FOLDER/many.vtk", 1,
              "expected all ranks");
}

static void what_is_wrong_for_all_is_said_once(void) {
  NEED_RANKS;
  check_shell("PROGRAM mesh box --cells 1,1,2 -o FOLDER/box.vtk", 0, "cells");
  check_shell(MPIEXEC "-n 2 PROGRAM mesh refine FOLDER/none.vtk --levels 1 -o FOLDER/many.vtk", 3,
              "cannot read");
  check_shell(MPIEXEC "-n 2 PROGRAM mesh refine FOLDER/box.vtk --level 1 -o FOLDER/many.vtk", 2,
              "did you mean --levels?");
  check_shell(MPIEXEC "-n 3 " REFINE "1 -o FOLDER/many.vtk", 2,
              "2 cells cannot be distributed to 3 ranks; take at most 2");
  check_shell(MPIEXEC "-n 2 PROGRAM mesh info FOLDER/box.vtk", 2, "runs in one process");
  check_shell(MPIEXEC "-n 2 " REFINE "1 -o FOLDER/many.msh", 2, "several ranks write .vtk alone");
}

/** The second of two ranks alone fails, where the first waits for it. */
static void the_failure_of_one_rank_ends_all(void) {
  NEED_RANKS;
  check_shell("PROGRAM mesh box --cells 4,4,4 -o FOLDER/box.vtk", 0, "cells");
  check_shell("rm -rf FOLDER/many*; mkdir FOLDER/many_rank1.vtk; " MPIEXEC "-n 2 " REFINE
              "1 -o FOLDER/many.vtk",
              3, "many_rank1.vtk");
  check_shell(MPIEXEC "-n 1 " REFINE
                      "1 -o FOLDER/many.vtk : -n 1 PROGRAM mesh refine "
                      "FOLDER/none.vtk --levels 1 -o FOLDER/many.vtk",
              3, "cannot read");
  CHECK(mpiexec_seconds < 30);
}

/** A file that a rank cannot complete does not appear: the file of an earlier run stays as it
 * was. */
static void a_full_disk_leaves_whole_files(void) {
  NEED_RANKS;
  check_shell("rm -rf FOLDER/many*; PROGRAM mesh box --cells 4,4,4 -o FOLDER/box.vtk", 0, "cells");
  check_shell(MPIEXEC "-n 2 " REFINE "1 -o FOLDER/many.vtk", 0, "and 1 more");
  check_shell("cp FOLDER/many_rank1.vtk FOLDER/kept.vtk; " MPIEXEC "-n 1 " REFINE
              "2 -o FOLDER/many.vtk : -n 1 sh -c \"trap '' XFSZ; ulimit -f 64; exec " REFINE
              "2 -o FOLDER/many.vtk\"",
              3, "many_rank1.vtk");
  check_shell("cmp FOLDER/kept.vtk FOLDER/many_rank1.vtk && ls FOLDER/*many* | wc -l", 0, "2");
}

/** Killed, or told to end: nobody waits for it. */
static void a_killed_rank_ends_all(void) {
  NEED_RANKS;
  int code;
  check_shell("PROGRAM mesh box --cells 20,20,20 -o FOLDER/box.vtk", 0, "cells");
  for (int k = 0; k < 2; k++) {
    char command[1000];
    snprintf(command, sizeof command,
             MPIEXEC "-n 1 " REFINE "3 -o FOLDER/killed.vtk : -n 1 sh -c '" REFINE
                     "3 -o FOLDER/killed.vtk & rank=$!; sleep 0.7; kill -%s $rank; wait $rank'",
             k ? "TERM" : "KILL");
    shell(command, &code);
    CHECK(code != 0 && mpiexec_seconds < 30);
  }
  shell("timeout -s TERM 0.7 " MPIEXEC "-n 2 " REFINE "3 -o FOLDER/killed.vtk", &code);
  CHECK(code != 0 && mpiexec_seconds < 30);
  CHECK(shell("ls FOLDER/killed_rank0.vtk", &code) != NULL && code != 0);
  check_shell("ls FOLDER | grep killed | wc -l", 0, "0"); /* nor a piece of one */
}

/** SIGTERM in the middle of a piece, to the rank that speaks: mpiexec ends the others. Sent to
 * mpiexec when one rank is through, the signal may leave the other to complete its piece. */
static void told_to_end_nothing_half_written_stays(void) {
  NEED_RANKS;
  int code;
  check_shell("PROGRAM mesh box --cells 30,30,30 -o FOLDER/box.vtk", 0, "cells");
  const char *said =
      shell(MPIEXEC "-n 1 sh -c '" REFINE
                    "2 -o FOLDER/ended.vtk & rank=$!; until [ -e FOLDER/ended_rank0.vtk.part ] || "
                    "! kill -0 $rank; do :; done; kill -STOP $rank; [ -e "
                    "FOLDER/ended_rank0.vtk.part ] && echo in the middle; kill -TERM $rank; kill "
                    "-CONT $rank; wait $rank' : -n 1 " REFINE "2 -o FOLDER/ended.vtk",
            &code);
  CHECK(code != 0 && mpiexec_seconds < 30 && count_of(said, "in the middle") == 1);
  CHECK(count_of(said, "supple: interrupted") == 1);
  check_shell("sleep 0.5; ls FOLDER | grep ended.*part | wc -l", 0, "0"); /* whole ones may */
  check_shell("ls FOLDER | grep ended_rank0 | wc -l", 0, "0");
}

SUITE_TESTS(mpiexec, TEST(refined_meshes_are_those_of_one_rank),
            TEST(meshes_of_scenes_are_those_of_one_rank),
            TEST(a_check_says_what_each_rank_will_hold), TEST(a_missing_piece_is_named),
            TEST(what_is_wrong_for_all_is_said_once), TEST(the_failure_of_one_rank_ends_all),
            TEST(a_full_disk_leaves_whole_files), TEST(a_killed_rank_ends_all),
            TEST(told_to_end_nothing_half_written_stays));
