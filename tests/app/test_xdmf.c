/* Frames of soft bodies as XDMF with HDF5: the numbers of VTK's, on one rank and on several, whole
 * after a kill and on a full disk. */
#include "output/format/array_file.h"
#include "ranks/mpiexec_test.h"

#define XDMF "--set output.format=xdmf "
#define GAMG "--set solver.backend=petsc --set solver.petsc='-pc_type gamg' "
#define ON(n) MPIEXEC "-n " #n " PROGRAM "
#define COMPARE "/usr/bin/python3 tests/output/compare_xdmf.py "
#if defined SUP_SANITIZED && !defined __SANITIZE_ADDRESS__ /* clang sees 41 bytes leak in HDF5 */
#define NEED_HDF5 SKIP("HDF5 is tried with gcc's address sanitizer alone; ")
#else
#define NEED_HDF5 \
  if (sup_array_file_check() != SUP_OK) SKIP("no HDF5: `make hdf5` installs it")
#endif

/** 0: h5py or VTK is not there. */
static int alike(const char *command) {
  int         code;
  const char *said = shell(command, &code);
  if (code != 0 && code != 77) printf("\n    %s\n    %s\n", command, said);
  CHECK(code == 0 || code == 77);
  return code == 0;
}

static void frames_have_the_numbers_of_vtk(void) {
  NEED_HDF5;
  static const struct {
    const char *scene, *body;
  } kinds[] = {
      {"tests/data/bar.yaml --set time.end=30ms --set 'soft.bar.mesh.box.cells=[6, 2, 2]'", "bar"},
      {"tests/data/bar.yaml --set 'soft.bar.mesh.box.cells=[6, 2, 2]' --set "
       "soft.bar.mesh.box.pattern=kuhn --set output.precision=double",
       "bar"},
      {"tests/data/bar.yaml --set 'soft.bar.mesh.box.cells=[6, 2, 2]' --set "
       "soft.bar.mesh.box.pattern=mirror --set soft.bar.mesh.order=2 --set "
       "'output.arrays=[all]'",
       "bar"},
      {"examples/soft_cube_drop.yaml --set time.end=0.14", "cube"}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    char command[2000];
    int  code;
    snprintf(command, sizeof command,
             "rm -rf FOLDER/x FOLDER/v; PROGRAM run %s -q " XDMF
             "-o FOLDER/x && PROGRAM run %s -q -o FOLDER/v",
             kinds[k].scene, kinds[k].scene);
    const char *said = shell(command, &code);
    if (code != 0) printf("\n    %s\n", said);
    CHECK(code == 0);
    snprintf(command, sizeof command, COMPARE "FOLDER/x FOLDER/v %s", kinds[k].body);
    if (!alike(command)) SKIP("no h5py or VTK; ");
  }
  check_shell("ls FOLDER/x/vtk/*.part FOLDER/x/vtk/cube*.vtk* 2>/dev/null | wc -l", 0, "0");
  check_shell(
      "PROGRAM run examples/soft_cube_drop.yaml --set time.end=10ms -q -o FOLDER/x "
      ">FOLDER/said 2>&1; ls FOLDER/x/vtk | grep -e h5 -e xdmf | wc -l",
      0, "0"); /* another format leaves nothing of this one */
}

static void a_step_that_fails_leaves_its_residual(void) {
  NEED_HDF5;
#define FAILING                                                                     \
  "examples/finray_press.yaml -q --set time.end=0.3 --set solver.max_iterations=1 " \
  "--set 'soft.finger.mesh.finray.cells={wall: 1, inner: 2, cavity: 2, rib: 1, depth: 1}' "
  int code;
  shell("rm -rf FOLDER/x FOLDER/v; PROGRAM run " FAILING XDMF "-o FOLDER/x; PROGRAM run " FAILING
        "-o FOLDER/v",
        &code);
  CHECK(code == 1);
  check_shell("grep -c residual FOLDER/x/vtk/finger.xdmf", 0, "1");
  if (!alike(COMPARE "FOLDER/x FOLDER/v finger")) SKIP("no h5py or VTK; ");
}

/** The bar of a thousand bricks bends. */
#define BAR                                                                                       \
  "run tests/data/bar.yaml -q --set time.end=40ms --set 'output.arrays=[all]' --set output.every" \
  "=10ms --set solver.tolerance=1e-9 --set 'soft.bar.mesh.box.cells=[40, 5, 5]' " GAMG

static void files_do_not_depend_on_the_number_of_ranks(void) {
  NEED_HDF5;
  NEED_RANKS;
  int code;
  shell("rm -rf FOLDER/r*; " ON(1) BAR XDMF "-o FOLDER/r1; " ON(2) BAR XDMF "-o FOLDER/r2; " ON(3)
            BAR XDMF "-o FOLDER/r3; " ON(2) BAR "-o FOLDER/rv",
        &code);
  CHECK(code == 0);
  check_shell(
      "cd FOLDER; for f in bar.xdmf bar_mesh.h5; do cmp r1/vtk/$f r2/vtk/$f && cmp "
      "r1/vtk/$f r3/vtk/$f || exit 1; done; for r in 1 2 3; do ls r$r/vtk >r$r/names; "
      "done; cmp r1/names r2/names && cmp r1/names r3/names && echo equal",
      0, "equal");
  shell("/usr/bin/python3 postproc/gather.py FOLDER/rv", &code);
  CHECK(code == 0);
  if (!alike(COMPARE "FOLDER/r2 FOLDER/rv bar")) SKIP("no h5py or VTK; ");
  /* the first frame, without load, has round-off for stress */
  shell("cd FOLDER; for r in 1 2 3; do sed -i '5,/<.Grid>/d' r$r/vtk/bar.xdmf; done", &code);
  alike(COMPARE "FOLDER/r2 FOLDER/r1 bar 1e-5");
  alike(COMPARE "FOLDER/r3 FOLDER/r1 bar 1e-5");
}

static void runs_go_on_with_equal_bits(void) {
  NEED_HDF5;
#define DROP                                                                        \
  "run examples/soft_cube_drop.yaml -q --set 'soft.cube.mesh.box.cells=[3, 3, 3]' " \
  "--set time.end=0.14 --set output.every=0.01 --set output.checkpoint.wall_interval=0 " XDMF
  int code;
  shell("rm -rf FOLDER/straight FOLDER/half; PROGRAM " DROP "-o FOLDER/straight", &code);
  CHECK(code == 0);
  shell("PROGRAM " DROP
        "-o FOLDER/half & run=$!; timeout 20 sh -c 'until grep -q ^0.06, "
        "FOLDER/half/history.csv; do sleep 0.01; done' 2>/dev/null; kill -KILL $run; wait $run; "
        "PROGRAM run --resume FOLDER/half -q",
        &code);
  CHECK(code == 0);
  check_shell(
      "cd FOLDER; diff -r straight/vtk half/vtk && cmp straight/history.csv "
      "half/history.csv && echo equal",
      0, "equal");
}

/** Every file that has its name is whole, whatever ended the run; what a kill leaves half written
 * ends in .part. */
static void a_full_disk_and_a_kill_leave_whole_files(void) {
  NEED_HDF5;
#define LONG                                                                                       \
  "run tests/data/bar.yaml -q --set time.end=10 --set 'soft.bar.mesh.box.cells=[20, 5, 5]' --set " \
  "output.every=10ms " XDMF
#define WHOLE                                                                                 \
  "cd FOLDER/full/vtk; for f in $(ls | grep h5$); do /usr/bin/python3 -c 'import h5py, sys\n" \
  "h5py.File(sys.argv[1]).visititems(lambda n, a: a[()] if isinstance(a, h5py.Dataset) else " \
  "None)' $f || exit 1; done; { test ! -e bar.xdmf || "                                       \
  "/usr/bin/python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse(\"bar.xdmf\")'; } && "  \
  "echo whole"
  static const int sizes[] = {20, 50}; /* of the largest file: the mesh has 27, a frame 64 kB */
  int              code;
  char             command[2000];
  shell("/usr/bin/python3 -c 'import h5py'", &code);
  if (code != 0) SKIP("no h5py; ");
  for (int k = 0; k < 2; k++) {
    snprintf(command, sizeof command,
             "rm -rf FOLDER/full; (ulimit -f %d; PROGRAM " LONG "-o FOLDER/full)", 2 * sizes[k]);
    check_shell(command, 3, k ? "bar_0000.h5: File too large" : "bar_mesh.h5: File too large");
    check_shell(WHOLE, 0, "whole");
    check_shell("ls FOLDER/full/vtk | grep part | wc -l", 0, "0");
  }
  for (int k = 0; k < 4; k++) {
    snprintf(command, sizeof command,
             "rm -rf FOLDER/full; PROGRAM " LONG
             "-o FOLDER/full & run=$!; timeout 20 sh -c 'until grep -q ^0.0%d, "
             "FOLDER/full/history.csv; do sleep 0.01; done' 2>/dev/null; kill -KILL $run; wait "
             "$run",
             k + 1);
    shell(command, &code);
    CHECK(code == 128 + SIGKILL);
    check_shell(WHOLE, 0, "whole");
  }
}

static void a_program_without_the_plug_in_says_so(void) {
  check_shell(
      "mkdir -p FOLDER/alone && cp PROGRAM FOLDER/alone/supple && SUPPLE_PLUGINS= "
      "FOLDER/alone/supple run tests/data/bar.yaml " XDMF "-o FOLDER/alone/out",
      2, "`make hdf5` installs HDF5 and builds it");
  check_shell("ls FOLDER/alone", 0, "supple\n");
}

SUITE_TESTS(xdmf, TEST(frames_have_the_numbers_of_vtk), TEST(a_step_that_fails_leaves_its_residual),
            TEST(files_do_not_depend_on_the_number_of_ranks), TEST(runs_go_on_with_equal_bits),
            TEST(a_full_disk_and_a_kill_leave_whole_files),
            TEST(a_program_without_the_plug_in_says_so));
