/* Frames of a run as VTK and the scripts of postproc/ see them. */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "output/fake_run.h"

/** Output of the VTK loader on files of the run's vtk folder, freed by the caller; NULL when VTK is
 * not installed. */
static char *load_with_vtk(const char *folder, const char *files) {
  char   command[9000], part[4096], *text = NULL;
  size_t used = 0, capacity = 0;
  snprintf(command, sizeof command,
           "cd '%s/vtk' && /usr/bin/python3 \"$OLDPWD\"/tests/output/load_vtk.py %s 2>&1", folder,
           files);
  FILE *pipe = popen(command, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
  for (size_t got = fread(part, 1, sizeof part, pipe); got > 0;
       got = fread(part, 1, sizeof part, pipe)) {
    OK(SUP_GROW(text, capacity, used + got + 1));
    memcpy(text + used, part, got);
    used += got;
    text[used] = '\0';
  }
  int code = WEXITSTATUS(pclose(pipe));
  if (code == 77) SUP_FREE(text);
  if (code != 0 && code != 77) printf("\n%s\n", text);
  CHECK(code == 0 || code == 77);
  return text;
}

/** Check the first vertex, whose principal values and von Mises stress are those of the tensor, and
 * the first cell, which has an error. */
static void check_recovered(const char *text) {
  double S[9], p[3], von_mises, error;
  CHECK(sscanf(strstr(text, " cauchy_stress_recovered[9]="),
               " cauchy_stress_recovered[9]=%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf "
               "principal_stress[3]=%lf,%lf,%lf von_mises_recovered[1]=%lf",
               S, S + 1, S + 2, S + 3, S + 4, S + 5, S + 6, S + 7, S + 8, p, p + 1, p + 2,
               &von_mises) == 13);
  double size = fabs(p[0]) + fabs(p[2]);
  CHECK(size > 0 && p[0] >= p[1] && p[1] >= p[2]);
  NEAR(S[0] + S[4] + S[8], p[0] + p[1] + p[2], 0, 1e-5 * size);
  NEAR(S[1] - S[3], 0, 0, 1e-5 * size);
  double a = p[0] - p[1], b = p[1] - p[2], c = p[2] - p[0];
  NEAR(von_mises, sqrt(0.5 * (a * a + b * b + c * c)), 1e-4, 0);
  CHECK(sscanf(strstr(text, " stress_error[1]="), " stress_error[1]=%lf", &error) == 1 &&
        error > 0);
}

static void frames(int binary, const char *name) {
  scene          s = {.model = NULL};
  sup_output    *out;
  fake_step      f;
  sup_output_def def = sup_default_output_def();
  def.format = binary ? SUP_VTK_BINARY : SUP_VTK_ASCII, def.arrays = UINT32_MAX;
  OK(build(&s, "finger"));
  OK(sup_output_create(&out, s.model, &s.options, run_folder(name), &def, "frames\nof a test"));
  OK(sup_output_initial(out, s.state, NULL));
  rest(&f, &s);
  f.contact[0] = contact_on_floor(&s, "box", 0, sup_v3_make(0.1, 0, 0), sup_v3_make(0.5, 0, -2));
  f.contact[1] = contact_on_floor(&s, "box", 0, sup_v3_make(0.1, 0, 0), sup_v3_make(0, 0, 0));
  f.contact[2] = contact_on_floor(&s, "cube", 0, sup_v3_make(0.2, 0, 0), sup_v3_make(1, 0, -5));
  f.contact[2].carrier_a = (sup_carrier){1, {0}, {1}};
  f.result.num_contacts = 3, f.result.time = s.state->time = 0.01, s.state->step = 1;
  const sup_soft *cube = &s.model->soft[1];
  s.state->x[3 * cube->first_vertex + 2] -= 0.001;
  s.state->xdot[3 * cube->first_vertex + 2] = -0.1;
  f.force[3 * cube->first_vertex + 2] = 5;
  f.v[body(&s, "box")] = sup_v3_make(0, 0, 1);
  OK(sup_output_step(out, s.state, &f.result, &f.report));
  sup_output_destroy(&out); /* as if killed: everything is on disk */
  char *text = load_with_vtk(
      run_folder(name),
      "finger.vtk.series cube.vtk.series rigid.vtk.series contact.vtk.series pressure.vtk.series");
  if (!text) {
    destroy(&s);
    SKIP("python3-vtk9 is not installed; ");
  }
  CHECK(strstr(text, "finger.vtk.series times 0 0.01\n") != NULL);
  CHECK(strstr(text, "contact.vtk.series times 0 0.01\n") != NULL);
  CHECK(strstr(text, "finger_0000.vtk vtkUnstructuredGrid points 12 cells 12 |") != NULL);
  CHECK(strstr(
            text,
            "cube_0001.vtk vtkUnstructuredGrid points 8 cells 1 | point displacement[3]=0,0,-0.001 "
            "velocity[3]=0,0,-0.1 contact_force[3]=0,0,5 contact_pressure[1]=") != NULL);
  double pressure; /* 5 N on a vertex that carries a quarter of the face that sees them */
  CHECK(sscanf(strstr(strstr(text, "cube_0001.vtk"), "contact_pressure[1]="),
               "contact_pressure[1]=%lf", &pressure) == 1);
  NEAR(pressure, 5 / (.25 * .02 * .02), 1e-5, 0);
  CHECK(strstr(strstr(text, "cube_0001.vtk"), " von_mises_nodal[1]=") != NULL);
  CHECK(strstr(text, "| cell cauchy_stress[9]=") != NULL);
  check_recovered(strstr(text, "cube_0001.vtk"));
  const char *cells = strstr(text, "finger_0000.vtk");
  double      von_mises, density, ratio;
  CHECK(sscanf(strstr(cells, " von_mises[1]="),
               " von_mises[1]=%lf strain_energy_density[1]=%lf volume_ratio[1]=%lf", &von_mises,
               &density, &ratio) == 3);
  NEAR(von_mises, 0, 0, 1e-7);
  NEAR(density, 0, 0, 1e-12);
  NEAR(ratio, 1, 1e-6, 0);
  CHECK(strstr(cells, " material_id[1]=0\n") != NULL);
  cells = strstr(text, "cube_0000.vtk");
  CHECK(strstr(cells, "material_id[1]=1\n") != NULL);
  CHECK(strstr(
            text,
            "contact_0000.vtk vtkUnstructuredGrid points 0 cells 0 | point pressure[1]=none | cell "
            "pressure[1]=none traction[3]=none normal[3]=none slip_velocity[3]=none "
            "penetration[1]=none area[1]=none body_a[1]=none body_b[1]=none\n") != NULL);
  char expected[400];
  snprintf(
      expected, sizeof expected,
      "contact_0001.vtk vtkUnstructuredGrid points 8 cells 2 | point pressure[1]=2e+06 | cell "
      "pressure[1]=2e+06 traction[3]=500000,0,-2e+06 normal[3]=0,0,-1 slip_velocity[3]=0.001,0,0 "
      "penetration[1]=2e-06 area[1]=1e-06 body_a[1]=%d body_b[1]=%d\n",
      body(&s, "box"), body(&s, "floor"));
  CHECK(strstr(text, expected) != NULL);
  CHECK(
      strstr(
          text,
          "pressure_0000.vtk vtkUnstructuredGrid points 0 cells 0 | point pressure[1]=none | cell "
          "pressure[1]=none traction[3]=none normal[3]=none area[1]=none body_a[1]=none "
          "body_b[1]=none\n") != NULL);
  CHECK(strstr(text, "pressure_0001.vtk vtkUnstructuredGrid points 8 cells 2 |") != NULL);
  CHECK(strstr(text,
               "pressure_0001.vtk range pressure=0..2e+06 pressure=50000..2e+06 "
               "area=1e-06..0.0001 ") != NULL);
  snprintf(expected, sizeof expected,
           "| point velocity[3]=0,0,0 | cell body_id[1]=%d link_id[1]=0\n", body(&s, "floor"));
  CHECK(strstr(text, expected) != NULL);
  SUP_FREE(text);
  destroy(&s);
}
static void vtk_loads_binary_frames_and_series(void) { frames(1, "binary"); }
static void vtk_loads_ascii_frames_and_series(void) { frames(0, "ascii"); }

/** Bounds of z of the points of an ASCII file of the run "fields". */
static void heights(const char *name, double *lower, double *upper) {
  char   path[4200], line[200];
  double x[3];
  int    n = 0;
  snprintf(path, sizeof path, "%s/%s", run_folder("fields"), name);
  FILE *file = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  while (n == 0 && fgets(line, sizeof line, file)) sscanf(line, "POINTS %d", &n);
  *lower = HUGE_VAL, *upper = -HUGE_VAL;
  for (int i = 0; i < n && fscanf(file, "%lf %lf %lf", &x[0], &x[1], &x[2]) == 3; i++)
    *lower = fmin(*lower, x[2]), *upper = fmax(*upper, x[2]);
  fclose(file);
}

/* The fields of two compliant bodies (a box of 12 cells about its centre and a margin, and another)
 * ride on them. */
static void fields_follow_their_bodies(void) {
  sup_geometry_def shape[3];
  sup_link_def     link[3];
  sup_tree_def     trees[3];
  sup_output_def   def = sup_default_output_def();
  sup_output      *out;
  scene            s = {.model = NULL};
  def.fields = 1, def.format = SUP_VTK_ASCII, def.precision = SUP_PRECISION_DOUBLE;
  for (int t = 0; t < 3; t++) {
    char name[8];
    snprintf(name, sizeof name, "body%d", t);
    shape[t] = geometry_def((sup_shape){t ? SUP_SHAPE_BOX : SUP_SHAPE_HALF_SPACE, {.04, .04, .04}});
    shape[t].contact.modulus = 1e5 * (t + 1), shape[t].contact.field_margin = .01;
    link[t] = link_def(name, "", t ? SUP_JOINT_FLOATING : SUP_JOINT_FIXED, SUP_NONE);
    link[t].num_geometries = 1, link[t].geometries = &shape[t];
    link[t].q0[0] = .1 * t;
    trees[t] =
        (sup_tree_def){"", 1, 1, &link[t], sup_pose_identity(), {0}, .marker = SUP_INITIALISED};
    snprintf(trees[t].name, sizeof trees[t].name, "%s", name);
  }
  s.options = sup_default_options();
  sup_model_def model = {.marker = SUP_INITIALISED,
                         .contact = sup_default_contact_rules(),
                         .num_trees = 3,
                         .trees = trees};
  OK(sup_model_create(&s.model, &model));
  OK(sup_state_create(&s.state, s.model, &s.options));
  sup_output_plan plan = sup_output_plan_of(s.model, &def, &s.options, 0);
  CHECK(plan.files == 3);
  OK(sup_output_create(&out, s.model, &s.options, run_folder("fields"), &def, NULL));
  OK(sup_output_initial(out, s.state, NULL));
  s.state->q[2] += .5, s.state->time = .01, s.state->step = 1;
  OK(sup_output_step(out, s.state, NULL, &(sup_step_report){.reason = SUP_REASON_TOLERANCE}));
  sup_output_destroy(&out);
  int points = s.model->geometry[1].field->num_points, cells = s.model->geometry[1].field->num_tets;
  const sup_field *field = s.model->geometry[1].field;
  char             expected[300], *text = load_with_vtk(run_folder("fields"), "fields.vtk.series");
  if (text) {
    CHECK(strstr(text, "fields.vtk.series times 0 0.01\n") != NULL);
    snprintf(expected, sizeof expected,
             "fields_0000.vtk vtkUnstructuredGrid points %d cells %d | point pressure[1]=%.6g | "
             "cell body_id[1]=1\n",
             2 * points, 2 * cells, field->p[0]);
    if (!strstr(text, expected)) printf("\n%s%s", text, expected);
    CHECK(strstr(text, expected) != NULL);
    NEAR(field->p[0], -1e5, 1e-12, 0); /* slope E/depth = 1e7 Pa/m over the margin of 10 mm */
  }
  SUP_FREE(text);
  for (int frame = 0; frame < 2;
       frame++) { /* the first body has risen by half a metre, margins included */
    double lower, upper;
    heights(frame ? "vtk/fields_0001.vtk" : "vtk/fields_0000.vtk", &lower, &upper);
    NEAR(lower, -.03, 1e-9, 0);
    NEAR(upper, frame ? .53 : .03, 1e-9, 0);
  }
  destroy(&s);
}

/** 1: a file of the run holds this text. */
static int file_has(const char *folder, const char *name, const char *expected) {
  char *text = load(folder, name);
  int   has = strstr(text, expected) != NULL;
  SUP_FREE(text);
  return has;
}

/* Bodies and arrays of a scene: those that the definition names, as float or double; what a
 * number of a body means is in the file. */
static void frames_hold_what_is_asked_for(void) {
  for (int is_double = 0; is_double < 2; is_double++) {
    scene          s = {.model = NULL};
    sup_output    *out;
    char           bodies[2][2 * SUP_NAME_MAX] = {"cube", "box"}, expected[200];
    sup_output_def def = sup_default_output_def();
    const char    *folder = run_folder("chosen"), *real = is_double ? "double" : "float";
    def.format = SUP_VTK_ASCII, def.precision = (sup_precision)is_double;
    def.num_bodies = 2, def.body = bodies, def.arrays = 0;
    for (int k = 0; sup_frame_array_name(k); k++)
      if (strcmp(sup_frame_array_name(k), "principal_stress") == 0 ||
          strcmp(sup_frame_array_name(k), "volume_ratio") == 0)
        def.arrays |= UINT32_C(1) << k;
    OK(build(&s, "finger"));
    sup_output_plan plan = sup_output_plan_of(s.model, &def, &s.options, 0);
    CHECK(plan.files == 4); /* cube, rigid, contact, pressure */
    OK(sup_output_create(&out, s.model, &s.options, folder, &def, NULL));
    OK(sup_output_initial(out, s.state, NULL));
    sup_output_destroy(&out);
    CHECK(!exists(folder, "vtk/finger_0000.vtk") && !exists(folder, "vtk/finger.vtk.series"));
    snprintf(expected, sizeof expected, "POINTS 8 %s\n", real);
    CHECK(file_has(folder, "vtk/cube_0000.vtk", expected));
    snprintf(expected, sizeof expected, "POINT_DATA 8\nVECTORS principal_stress %s\n", real);
    CHECK(file_has(folder, "vtk/cube_0000.vtk", expected));
    snprintf(expected, sizeof expected, "CELL_DATA 1\nSCALARS volume_ratio %s 1\n", real);
    CHECK(file_has(folder, "vtk/cube_0000.vtk", expected));
    CHECK(!file_has(folder, "vtk/cube_0000.vtk", "displacement"));
    CHECK(file_has(folder, "vtk/cube_0000.vtk", "SCALARS material_id int 1\n"));
    snprintf(expected, sizeof expected, "body.box 1 1 int\n%d\n", body(&s, "box"));
    CHECK(file_has(folder, "vtk/rigid_0000.vtk", expected));
    snprintf(expected, sizeof expected, "\n%d\nSCALARS link_id", body(&s, "floor"));
    CHECK(!file_has(folder, "vtk/rigid_0000.vtk", expected)); /* the floor would be first to last */
    destroy(&s);
  }
}

/* The box has six faces, the sphere beside it 200 triangles, however fine or coarse contact sees
 * them. */
static void rigid_shapes_are_as_fine_as_an_eye_needs(void) {
  scene          s = {.model = NULL};
  sup_output    *out;
  char           bodies[1][2 * SUP_NAME_MAX] = {"box"};
  sup_output_def def = sup_default_output_def();
  def.format = SUP_VTK_ASCII, def.num_bodies = 1, def.body = bodies;
  OK(build(&s, "finger"));
  OK(sup_output_create(&out, s.model, &s.options, run_folder("eye"), &def, NULL));
  OK(sup_output_initial(out, s.state, NULL));
  sup_output_destroy(&out);
  const sup_surface *box = s.model->geometry[1].surface, *sphere = s.model->geometry[2].surface;
  CHECK(box->num_faces > 6 && sphere->num_faces != 200);
  CHECK(file_has(run_folder("eye"), "vtk/rigid_0000.vtk", "CELL_DATA 206\n"));
  destroy(&s);
}

static void nothing_that_is_not_finite_reaches_a_file(void) {
  scene          s = {.model = NULL};
  sup_output    *out;
  fake_step      f;
  sup_output_def def = sup_default_output_def();
  def.format = SUP_VTK_ASCII;
  OK(build(&s, "finger"));
  OK(sup_output_create(&out, s.model, &s.options, run_folder("broken"), &def, NULL));
  OK(sup_output_initial(out, s.state, NULL));
  rest(&f, &s);
  const sup_soft *cube = &s.model->soft[1];
  f.contact[0] =
      contact_on_floor(&s, "box", 0, sup_v3_make(0.1, 0, 0), sup_v3_make(nan(""), 0, -HUGE_VAL));
  f.result.num_contacts = 1, f.result.time = s.state->time = 0.01, s.state->step = 1;
  f.report.momentum_error = nan("");
  f.w[body(&s, "box")].x = HUGE_VAL;
  s.state->x[3 * cube->first_vertex] = nan("");
  s.state->xdot[3 * cube->first_vertex] = HUGE_VAL;
  OK(sup_output_step(out, s.state, &f.result, &f.report));
  OK(sup_output_finish(out, s.state, &f.result, SUP_OUTCOME_FAILED, "not \"finite\""));
  CHECK(sup_output_statistics(out)->nonfinite > 5);
  sup_output_destroy(&out);
  char command[9000];
  snprintf(command, sizeof command, "grep -rliE '\\b(nan|inf|infinity)\\b' '%s'",
           run_folder("broken"));
  CHECK(system(command) != 0); /* no file matches */
  snprintf(command, sizeof command, "python3 -m json.tool '%s/summary.json' > /dev/null",
           run_folder("broken"));
  CHECK(system(command) == 0);
  char *csv = load(run_folder("broken"), "history.csv");
  CHECK(isnan(value_at(csv, 1, "momentum_error")));
  CHECK(isnan(value_at(csv, 1, "box.wx")));
  NEAR(value_at(csv, 1, "box.wy"), 0, 0, 0);
  SUP_FREE(csv);
  char *text =
      load_with_vtk(run_folder("broken"),
                    "finger.vtk.series cube.vtk.series rigid.vtk.series contact.vtk.series");
  SUP_FREE(text);
  destroy(&s);
}

static void failed_step_leaves_residual_and_nonfinite(void) {
  scene          s = {.model = NULL};
  sup_output    *out;
  sup_output_def def = sup_default_output_def();
  double         residual[3 * 20];
  OK(build(&s, "finger"));
  CU_ASSERT_FATAL(s.model->num_vertices == 20);
  for (int i = 0; i < 60; i++) residual[i] = 0.5;
  residual[3 * s.model->soft[1].first_vertex + 1] = nan("");
  OK(sup_output_create(&out, s.model, &s.options, run_folder("failed"), &def, NULL));
  OK(sup_output_initial(out, s.state, NULL));
  OK(sup_output_failed_step(out, s.state, residual, NULL));
  OK(sup_output_finish(out, s.state, NULL, SUP_OUTCOME_FAILED, "why"));
  sup_output_destroy(&out);
  char *text = load(run_folder("failed"), "summary.json");
  CHECK(strstr(text, "\"status\": \"failed\"") != NULL);
  CHECK(strstr(text, "\"message\": \"why\"") != NULL);
  SUP_FREE(text);
  text = load_with_vtk(run_folder("failed"), "finger.vtk.series cube.vtk.series");
  destroy(&s);
  if (!text) SKIP("python3-vtk9 is not installed; ");
  CHECK(strstr(text, "cube.vtk.series times 0 0.01\n") != NULL);
  CHECK(strstr(text, "residual[3]=0.5,0,0.5 nonfinite[1]=1 |") != NULL);
  CHECK(strstr(text, "residual[3]=0.5,0.5,0.5 nonfinite[1]=0 |") != NULL);
  SUP_FREE(text);
}

static int has_program(const char *test) {
  char command[300];
  snprintf(command, sizeof command, "%s >/dev/null 2>&1", test);
  return system(command) == 0;
}

/** The file exists and holds more than a blank picture would. */
static int is_picture(const char *folder, const char *name) {
  char        path[4200];
  struct stat info;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return stat(path, &info) == 0 && info.st_size > 4000;
}

static void scripts_draw_a_run(void) {
  scene          s = {.model = NULL};
  sup_output    *out;
  fake_step      f;
  sup_output_def def = sup_default_output_def();
  char           command[21000], pair[1][2][2 * SUP_NAME_MAX] = {{"floor", "box"}};
  const char    *folder = run_folder("pictures");
  def.num_pairs = 1, def.pair = pair;
  if (!has_program("/usr/bin/python3 -c 'from importlib.util import find_spec as f; exit(not "
                   "all(map(f, [\"vtk\", \"matplotlib\", \"PIL\", \"yaml\"])))'") ||
      !has_program("command -v xvfb-run"))
    SKIP("python3-vtk9, python3-matplotlib, python3-pil, python3-yaml or xvfb is not installed; ");
  OK(build(&s, "finger"));
  OK(sup_output_create(&out, s.model, &s.options, folder, &def, "pictures"));
  OK(sup_output_initial(out, s.state, NULL));
  rest(&f, &s);
  f.contact[0] = contact_on_floor(&s, "box", 0, sup_v3_make(0.1, 0, 0), sup_v3_make(0.5, 0, -2));
  f.result.num_contacts = 1, f.result.time = s.state->time = 0.01, s.state->step = 1;
  OK(sup_output_step(out, s.state, &f.result, &f.report));
  f.contact[0].num_points = 1, f.contact[0].area = f.contact[0].pressure = 0; /* then in a point */
  f.result.time = s.state->time = 0.02, s.state->step = 2;
  OK(sup_output_step(out, s.state, &f.result, &f.report));
  sup_output_destroy(&out); /* the run has not finished: no summary */
  for (int k = 1; k <= 2; k++) {
    const char *name = k == 1 ? "patch.png" : "point.png";
    snprintf(command, sizeof command,
             "env -u DISPLAY /usr/bin/python3 postproc/render.py '%s' --time 0.0%d --size 320x240 "
             "-o '%s/%s' >/dev/null",
             folder, k, folder, name);
    CHECK(system(command) == 0);
    CHECK(is_picture(folder, name));
  }
  snprintf(command, sizeof command,
           "env -u DISPLAY /usr/bin/python3 postproc/render.py '%s' --time .01 .02 --range 0,1kPa "
           "--map magma --size 320x240 --no-title --no-mesh --transparent -o '%s/row0.png' "
           ">/dev/null && env -u DISPLAY /usr/bin/python3 postproc/render.py '%s' --camera "
           "-1,-2,0.5 --size 320x240 -o '%s/row.svg' >/dev/null && grep -q '<image' '%s/row.svg'",
           folder, folder, folder, folder, folder);
  CHECK(system(command) == 0);
  CHECK(is_picture(folder, "row0.png"));
  snprintf(command, sizeof command,
           "env -u DISPLAY /usr/bin/python3 postproc/render.py '%s' --size 321x241 --animation "
           "'%s/a.mp4' >/dev/null && ffprobe -v error -count_frames -show_entries "
           "stream=width,height,nb_read_frames -of csv=p=0 '%s/a.mp4' | grep -qE '^320,240,[1-9]'",
           folder, folder, folder);
  bool has_ffmpeg = has_program("command -v ffmpeg ffprobe");
  if (has_ffmpeg) CHECK(system(command) == 0);
  snprintf(command, sizeof command,
           "env -u DISPLAY /usr/bin/python3 postproc/render.py '%s' --animation /none/a.mp4 2>&1 | "
           "tail -n 1 | grep -q '%s'",
           folder, has_ffmpeg ? "ffmpeg could not write /none/a.mp4: " : "MP4 needs ffmpeg");
  CHECK(system(command) == 0);
  static const char *const refused[][2] = {{"--range 3,1", "'3,1' is no range"},
                                           {"--range 0,inf", "'0,inf' is no range"},
                                           {"--size 64x99999", "64 to 8000 pixels"},
                                           {"--camera nan,0,0", "'nan,0,0' is neither"},
                                           {"--time nan", "--time must be finite"},
                                           {"--scale 1e300", "--scale must be"},
                                           {"--transparent -o a.jpg", "ends in .png"},
                                           {"--fps 1e-9 --animation a.gif", "0.01 to 100"},
                                           {"-o a.xyz", "cannot write a.xyz: unknown"},
                                           {"--zoom nobody", "no body 'nobody'"},
                                           {"-o /none/a.png", "cannot write /none/a.png"}};
  for (int k = 0; k < (int)(sizeof refused / sizeof *refused); k++) {
    snprintf(command, sizeof command,
             "cd '%s' && env -u DISPLAY /usr/bin/python3 \"$OLDPWD\"/postproc/render.py . %s "
             ">said.txt 2>&1; tail -n 1 said.txt | grep -qF -- \"%s\" || { cat said.txt; exit 1; }",
             folder, refused[k][0], refused[k][1]);
    int status = system(command);
    if (status) printf("\n    render.py %s: not '%s'", refused[k][0], refused[k][1]);
    CHECK(status == 0);
  }
  snprintf(command, sizeof command, "%s/summary.json", folder);
  FILE *summary = fopen(command, "w");
  fputs("{\"title\": null, \"bodies\": [\"floor\", \"box\"]}", summary);
  fclose(summary);
  snprintf(
      command, sizeof command,
      "env -u DISPLAY /usr/bin/python3 postproc/patches.py '%s' --body box --time 0.01 >/dev/null",
      folder);
  CHECK(system(command) == 0);
  CHECK(is_picture(folder, "patches.png"));
  snprintf(command, sizeof command, "/usr/bin/python3 postproc/plot_history.py '%s' >/dev/null",
           folder);
  CHECK(system(command) == 0);
  CHECK(is_picture(folder, "history.png"));
  snprintf(command, sizeof command,
           "mkdir '%s/few' && printf 'time,box.z\\n0,1\\n1,2\\n' >'%s/few/history.csv' && "
           "/usr/bin/python3 postproc/plot_history.py '%s/few' >/dev/null",
           folder, folder, folder);
  CHECK(system(command) == 0); /* as output.history leaves columns */
  CHECK(is_picture(folder, "few/history.png"));
  snprintf(command, sizeof command,
           "/usr/bin/python3 postproc/plot_history.py '%s' -c box.z -c 'box.vx box.wy' -o "
           "'%s/chosen.png' >/dev/null",
           folder, folder);
  CHECK(system(command) == 0);
  CHECK(is_picture(folder, "chosen.png"));
  snprintf(command, sizeof command,
           "/usr/bin/python3 postproc/plot_history.py '%s' -c box.zz 2>&1 | grep -q \"there is no "
           "column 'box.zz'\"",
           folder);
  CHECK(system(command) == 0);
  destroy(&s);
}

SUITE_TESTS(output_frames, TEST(vtk_loads_binary_frames_and_series),
            TEST(vtk_loads_ascii_frames_and_series), TEST(fields_follow_their_bodies),
            TEST(frames_hold_what_is_asked_for), TEST(rigid_shapes_are_as_fine_as_an_eye_needs),
            TEST(nothing_that_is_not_finite_reaches_a_file),
            TEST(failed_step_leaves_residual_and_nonfinite), TEST(scripts_draw_a_run));
