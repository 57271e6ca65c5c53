/* A rigid body of the T4 cells of a .vtk file with a pressure field, from the command line to its
 * frames. */
#include "app/app_test.h"
#include "base/file/file.h"
#include "base/memory.h"

/** Run a slab of 40 x 40 x 20 mm whose field is 1 MPa at its middle, with a margin of 2 mm, onto a
 * floor. */
static void run_slab(void) {
  static const char scene[] =
      "supple: 1\n"
      "time: {step: 2 ms, end: 0.1 s}\n"
      "rigid:\n"
      "  floor: {shape: {half_space: {}}, fixed: true}\n"
      "  slab:\n"
      "    shape: {mesh: {file: slab.vtk}}\n"
      "    density: 1000\n"
      "    contact: {compliant: {modulus: 1 MPa, margin: 2 mm}}\n"
      "output: {fields: true, every: 50 ms, pairs: [[floor, slab]]}\n";
  check_run("mesh box --size 40mm,40mm,20mm --cells 4,4,2 --pattern kuhn -o FOLDER/slab.vtk", 0,
            "192 T4 cells");
  FILE *file = fopen(app_arguments("FOLDER/slab.yaml"), "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  CHECK(fputs(scene, file) >= 0 && fclose(file) == 0);
  check_run("run FOLDER/slab.yaml -o FOLDER/slab", 0, "PASS");
}

static double last_value(const char *csv, const char *name) {
  int         column = 0;
  const char *at = strstr(csv, name), *row = csv;
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  for (const char *c = csv; c < at; c++) column += *c == ',';
  for (const char *end = strchr(row, '\n'); end && end[1]; end = strchr(row, '\n')) row = end + 1;
  for (; column > 0; column--) row = strchr(row, ',') + 1;
  return strtod(row, NULL);
}

static void a_slab_of_cells_rests_on_its_field(void) {
  char  *csv;
  size_t size;
  run_slab();
  OK(sup_file_read(app_arguments("FOLDER/slab/history.csv"), &csv, &size));
  double weight = 9.81 * .032;
  NEAR(last_value(csv, "contact.floor.slab.fz"), weight, 1e-3, 0);
  /* the slope is E_h over half the height */
  NEAR(last_value(csv, "contact.floor.slab.penetration"), weight / (.04 * .04) / (1e6 / .01), .02,
       0);
  NEAR(last_value(csv, "slab.z"), -weight / (.04 * .04) / (1e6 / .01), .02, 0);
  SUP_FREE(csv);
  check_run("run FOLDER/slab/resolved.yaml -o FOLDER/slab_again", 0, "PASS");
}

static void its_field_is_drawn(void) {
  char        command[1024], text[4096];
  const char *folder = test_folder();
  run_slab();
  snprintf(command, sizeof command,
           "/usr/bin/python3 tests/output/load_vtk.py %s/slab/vtk/fields_0000.vtk 2>&1", folder);
  FILE *pipe = popen(command, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
  size_t got = fread(text, 1, sizeof text - 1, pipe);
  text[got] = '\0';
  int code = WEXITSTATUS(pclose(pipe));
  if (code == 77) SKIP("python3-vtk9 is not installed; ");
  CHECK(code == 0);
  int points = 0, cells = 0;
  CHECK(sscanf(text, "fields_0000.vtk vtkUnstructuredGrid points %d cells %d", &points, &cells) ==
        2);
  CHECK(points >= 75 + 66 &&
        cells >=
            192 + 3 * 128); /* cells of the mesh, and outside a prism of three cells a triangle */
  /* from E_h at 10 mm to 2 mm outside; the floor is body 0 */
  if (!strstr(text, "fields_0000.vtk range pressure=-200000..1e+06 body_id=1..1\n"))
    printf("\n    %s", text);
  CHECK(strstr(text, "fields_0000.vtk range pressure=-200000..1e+06 body_id=1..1\n") != NULL);
}

SUITE_TESTS(cells_body, TEST(a_slab_of_cells_rests_on_its_field), TEST(its_field_is_drawn));
