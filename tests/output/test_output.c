/* The observer of a run on a small scene whose contacts are written by hand: every file, column and
 * number. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "measure/probe.h"
#include "output/fake_run.h"

static void columns_have_the_promised_names_and_order(void) {
  static const char header[] =
      "time,floor.x,floor.y,floor.z,floor.qw,floor.qx,floor.qy,floor.qz,floor.vx,floor.vy,floor.vz,"
      "floor.wx,floor.wy,floor.wz,box.x,box.y,box.z,box.qw,box.qx,box.qy,box.qz,box.vx,box.vy,box."
      "vz,box.wx,box.wy,box.wz,robot.slide.q,robot.slide.v,robot.slide.tau,finger.com_x,finger.com_"
      "y,finger.com_z,finger.volume,finger.elastic_energy,finger.von_mises_max,finger.von_mises_"
      "p99,cube.com_x,cube.com_y,cube.com_z,cube.volume,cube.elastic_energy,"
      "cube.von_mises_max,cube.von_mises_p99,contact.floor.robot/"
      "jaw.fx,contact.floor.robot/jaw.fy,contact.floor.robot/jaw.fz,contact.floor.robot/"
      "jaw.tx,contact.floor.robot/jaw.ty,contact.floor.robot/jaw.tz,contact.floor.robot/"
      "jaw.count,contact.floor.robot/jaw.area,contact.floor.robot/"
      "jaw.penetration,contact.floor.robot/jaw.peak_pressure,contact.floor.robot/"
      "jaw.cpx,contact.floor.robot/jaw.cpy,contact.floor.robot/"
      "jaw.cpz,contact.floor.robot/"
      "jaw.wrap,contact.floor.robot/jaw.length,contact.floor.robot/"
      "jaw.conformity,contact.floor.robot/"
      "jaw.slip_margin,contact.floor.robot/jaw.slip_margin_mean,"
      "contact.floor.robot/jaw.slip_share,contact.floor.robot/"
      "jaw.friction_power,energy.kinetic,energy.elastic,energy.potential,energy.contact,energy."
      "total,energy."
      "damping,"
      "energy.numerical_dissipation,newton,momentum_error,momentum_residual,newton_all_islands,"
      "islands,contacts,"
      "island_error,round_off,friction_lag,sweeps,ambiguous,complementarity_error,slip_tolerance,"
      "penetration,inverted_elements,"
      "attach.finger.fx,"
      "attach.finger.fy,attach.finger.fz,attach.finger.tx,attach.finger.ty,attach.finger.tz,probe."
      "tip.x,probe.tip.y,probe.tip.z\n";
  scene          s = {.model = NULL};
  sup_output    *out;
  sup_output_def def = sup_default_output_def();
  char           pair[1][2][2 * SUP_NAME_MAX] = {{"floor", "robot/jaw"}};
  sup_probe_def  probe = {"tip", "finger", {0.005, 0.005, 0}, .marker = SUP_INITIALISED};
  def.num_pairs = 1, def.pair = pair, def.num_probes = 1, def.probes = &probe;
  OK(build(&s, "finger"));
  OK(sup_output_create(&out, s.model, &s.options, run_folder("columns"), &def, NULL));
  OK(sup_output_flush(out));
  char *csv = load(run_folder("columns"), "history.csv");
  if (strcmp(csv, header) != 0) printf("\n%s\n", csv);
  CHECK(strcmp(csv, header) == 0);
  SUP_FREE(csv);
  OK(sup_output_flush(out));
  csv = load(run_folder("columns"), "contacts.csv");
  CHECK(strcmp(csv, "time,a,b,fx,fy,fz,tx,ty,tz,count,area,penetration\n") == 0);
  SUP_FREE(csv);
  sup_output_destroy(&out);
  destroy(&s);
}

static void percentiles_weigh_by_volume(void) {
  const double value[5] = {3, 50, 1, 4, 2}, volume[5] = {2, 0.5, 3, 1.5, 3},
               equal[5] = {1, 1, 1, 1, 1};
  sup_weighted workspace[5];
  /* sorted: 1 2 3 4 50 with 3 3 2 1.5 0.5 of 10 */
  NEAR(sup_percentile(0.99, 5, value, volume, workspace), 50, 0, 0);
  NEAR(sup_percentile(0.95, 5, value, volume, workspace), 4, 0, 0);
  NEAR(sup_percentile(0.951, 5, value, volume, workspace), 50, 0, 0);
  NEAR(sup_percentile(0.8, 5, value, volume, workspace), 3, 0, 0);
  NEAR(sup_percentile(0.5, 5, value, volume, workspace), 2, 0, 0);
  NEAR(sup_percentile(0, 5, value, volume, workspace), 1, 0, 0);
  NEAR(sup_percentile(1, 5, value, equal, workspace), 50, 0, 0);
  NEAR(sup_percentile(0.6, 5, value, equal, workspace), 3, 0, 0);
  NEAR(sup_percentile(0.99, 1, value, volume, workspace), 3, 0, 0);
  NEAR(sup_percentile(0.99, 0, value, volume, workspace), 0, 0, 0);
  const double bad[3] = {1, (double)NAN, 2};
  CHECK(isnan(sup_percentile(1, 3, bad, equal, workspace)));
  NEAR(sup_percentile(0.6, 3, bad, equal, workspace), 2, 0, 0);
}

static void history_holds_the_state(void) {
  scene          s = {.model = NULL};
  sup_output    *out;
  fake_step      f;
  sup_output_def def = sup_default_output_def();
  sup_probe_def  probes[2] = {{"tip", "finger", {0.005, 0.005, 0}},
                              {"jaw", "robot/jaw", {0, 0, -0.01}}};
  def.num_probes = 2, def.probes = probes, def.arrays = UINT32_MAX;
  OK(build(&s, "finger"));
  OK(sup_output_create(&out, s.model, &s.options, run_folder("state"), &def, "state"));
  OK(sup_output_initial(out, s.state, NULL));
  /* everything moves by (0.001, 0, 0); the box turns by a right angle about z; the cube grows by a
   * tenth in x */
  rest(&f, &s);
  int box = body(&s, "box"), jaw = body(&s, "robot/jaw");
  f.X[box].R = sup_quat_matrix(sup_quat_exp(sup_v3_make(0, 0, 2 * atan(1))));
  f.X[jaw].p.x += 0.001, f.v[jaw].x = 0.1;
  f.w[box] = sup_v3_make(0, 0, 3);
  s.state->q[s.model->q_start[2]] = 0.001, s.state->v[s.model->v_start[2]] = 0.1;
  f.effort[s.model->v_start[2]] = 7.5;
  f.wrench[0] = (sup_wrench){{1, 2, 3}, {4, 5, 6}};
  const sup_soft *finger = &s.model->soft[0], *cube = &s.model->soft[1];
  for (int i = 0; i < finger->num_vertices; i++)
    s.state->x[3 * (finger->first_vertex + i)] += 0.001;
  for (int i = 0; i < cube->num_vertices; i++) {
    double *x = s.state->x + 3 * (cube->first_vertex + i);
    x[0] = 0.2 + 1.1 * (x[0] - 0.2);
  }
  s.state->time = f.result.time = 0.01, s.state->step = 1;
  OK(sup_output_step(out, s.state, &f.result, &f.report));
  OK(sup_output_flush(out));
  char *csv = load(run_folder("state"), "history.csv");
  CHECK(count_lines(csv) == 3);
  NEAR(value_at(csv, 0, "time"), 0, 0, 0);
  NEAR(value_at(csv, 0, "box.x"), 0.1, 1e-12, 0);
  NEAR(value_at(csv, 0, "box.qw"), 1, 1e-12, 0);
  NEAR(value_at(csv, 0, "finger.com_z"), 0.2 - 0.05 + 0.015, 1e-11, 0);
  NEAR(value_at(csv, 0, "finger.volume"), 3e-6, 1e-11, 0);
  NEAR(value_at(csv, 0, "finger.elastic_energy"), 0, 0, 1e-15);
  NEAR(value_at(csv, 0, "probe.tip.z"), 0.15, 1e-11, 0);
  NEAR(value_at(csv, 1, "time"), 0.01, 1e-11, 0);
  NEAR(value_at(csv, 1, "box.qw"), sqrt(0.5), 1e-11, 0);
  NEAR(value_at(csv, 1, "box.qz"), sqrt(0.5), 1e-11, 0);
  NEAR(value_at(csv, 1, "box.wz"), 3, 1e-11, 0);
  NEAR(value_at(csv, 1, "robot.slide.q"), 0.001, 1e-11, 0);
  NEAR(value_at(csv, 1, "robot.slide.v"), 0.1, 1e-11, 0);
  NEAR(value_at(csv, 1, "robot.slide.tau"), 7.5, 1e-11, 0);
  NEAR(value_at(csv, 1, "finger.com_x"), 0.006, 1e-11, 0);
  NEAR(value_at(csv, 1, "cube.volume"), 8.8e-6, 1e-10, 0);
  /* uniaxial strain e of a linear material: energy (lambda + 2 mu) e^2 / 2, von Mises 2 mu e */
  double E = 1e7, nu = 0.45, mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
  NEAR(value_at(csv, 1, "cube.elastic_energy"), 0.5 * (lambda + 2 * mu) * 0.01 * 8e-6, 1e-9, 0);
  CHECK(value_at(csv, 1, "cube.von_mises_max") > 0.5 * 2 * mu * 0.1);
  NEAR(value_at(csv, 1, "cube.von_mises_p99"), value_at(csv, 1, "cube.von_mises_max"), 1e-9,
       0);                                                 /* one cell */
  NEAR(value_at(csv, 1, "cube.stress_error"), 0, 0, 1e-6); /* one stress */
  NEAR(value_at(csv, 0, "cube.stress_error"), 0, 0, 0);
  NEAR(value_at(csv, 1, "energy.elastic"), value_at(csv, 1, "cube.elastic_energy"), 1e-9, 1e-12);
  double masses = 0.1 * 9.81 * 0.01 +
                  0.2 * 9.81 * 0.2; /* box, both robot links; centre of mass in the origin */
  masses += 1200 * 9.81 * (3e-6 * (0.2 - 0.05 + 0.015) + 8e-6 * 0.01);
  NEAR(value_at(csv, 0, "energy.potential"), masses, 1e-9, 0);
  NEAR(value_at(csv, 1, "energy.kinetic"), 0.5 * 0.1 * 0.01 + 0.5 * 1e-4 * 9, 1e-9, 0);
  NEAR(value_at(csv, 1, "newton"), 4, 0, 0);
  NEAR(value_at(csv, 1, "momentum_error"), 2e-6, 1e-11, 0);
  NEAR(value_at(csv, 1, "energy.contact"), 2.5e-4, 1e-11, 0);
  NEAR(sup_statistics_of(sup_output_statistics(out), "energy.total")->final,
       value_at(csv, 1, "energy.kinetic") + value_at(csv, 1, "energy.elastic") +
           value_at(csv, 1, "energy.potential") + 2.5e-4,
       1e-9, 0);
  NEAR(value_at(csv, 1, "energy.total"),
       sup_statistics_of(sup_output_statistics(out), "energy.total")->final, 1e-11, 0);
  NEAR(value_at(csv, 1, "momentum_residual"), 3e-9, 1e-11, 0);
  NEAR(value_at(csv, 1, "attach.finger.fz"), 3, 1e-11, 0);
  NEAR(value_at(csv, 1, "attach.finger.tx"), 4, 1e-11, 0);
  NEAR(value_at(csv, 1, "probe.tip.x"), 0.006, 1e-11, 0);
  NEAR(value_at(csv, 1, "probe.jaw.x"), 0.001, 1e-11, 0);
  NEAR(value_at(csv, 1, "probe.jaw.z"), 0.19, 1e-11, 0);
  SUP_FREE(csv);
  sup_output_destroy(&out);
  destroy(&s);
}

/** Two shapes of the box and the cube press on the floor; sums, signs and moments in both orders of
 * the names. */
static void forces_and_moments_refer_to_b(void) {
  scene          s = {.model = NULL};
  sup_output    *out;
  fake_step      f;
  sup_output_def def = sup_default_output_def();
  char           pair[5][2][2 * SUP_NAME_MAX] = {
                [0] = {"floor", "box"}, [1] = {"box", "floor"}, [2] = {"floor", "cube"},
                [3] = {"all", "floor"}, [4] = {"all", "cube"},
  };
  def.num_pairs = 5, def.pair = pair, def.format = SUP_VTK_ASCII;
  OK(build(&s, "finger"));
  OK(sup_output_create(&out, s.model, &s.options, run_folder("forces"), &def, "forces"));
  OK(sup_output_initial(out, s.state, NULL));
  rest(&f, &s);
  sup_v3 c0 = {0.11, 0.02, 0}, c1 = {0.08, 0, 0}, c2 = {0.205, 0, 0};
  f.contact[0] = contact_on_floor(&s, "box", 0, c0, sup_v3_make(0.5, 0, -2));
  f.contact[1] = contact_on_floor(&s, "box", 1, c1, sup_v3_make(0, 0, -1));
  f.contact[2] = contact_on_floor(&s, "cube", 0, c2, sup_v3_make(0, 0.25, -4));
  f.contact[1].phi = -3e-6, f.contact[1].penetration = 3e-6;
  f.contact[3] =
      contact_on_floor(&s, "box", 0, c0, sup_v3_make(0, 0, 0)); /* near, but without force */
  f.result.num_contacts = 4, f.result.time = s.state->time = 0.01, s.state->step = 1;
  OK(sup_output_step(out, s.state, &f.result, &f.report));
  OK(sup_output_flush(out));
  char *csv = load(run_folder("forces"), "history.csv");
  NEAR(value_at(csv, 0, "contact.floor.box.fz"), 0, 0, 0);
  NEAR(value_at(csv, 1, "contact.floor.box.fx"), -0.5, 1e-11, 0);
  NEAR(value_at(csv, 1, "contact.floor.box.fz"), 3, 1e-11, 0);
  NEAR(value_at(csv, 1, "contact.floor.box.count"), 2, 0, 0);
  NEAR(value_at(csv, 1, "contact.floor.box.area"), 2e-6, 1e-11, 0);
  NEAR(value_at(csv, 1, "contact.floor.box.penetration"), 3e-6, 1e-11, 0);
  /* about the box's origin (0.1, 0, 0.01): (0.01, 0.02, -0.01) x (-0.5, 0, 2) + (-0.02, 0, -0.01) x
   * (0, 0, 1) */
  NEAR(value_at(csv, 1, "contact.floor.box.tx"), 0.04, 1e-10, 0);
  NEAR(value_at(csv, 1, "contact.floor.box.ty"), 0.005 - 0.02 + 0.02, 1e-10, 0);
  NEAR(value_at(csv, 1, "contact.floor.box.tz"), 0.01, 1e-10, 0);
  NEAR(value_at(csv, 1, "contact.box.floor.fx"), 0.5, 1e-11, 0);
  NEAR(value_at(csv, 1, "contact.box.floor.fz"), -3, 1e-11, 0);
  /* about the floor's origin: c0 x (0.5, 0, -2) + c1 x (0, 0, -1) */
  NEAR(value_at(csv, 1, "contact.box.floor.tx"), -0.04, 1e-10, 0);
  NEAR(value_at(csv, 1, "contact.box.floor.ty"), 0.22 + 0.08, 1e-10, 0);
  NEAR(value_at(csv, 1, "contact.box.floor.tz"), -0.01, 1e-10, 0);
  /* about the cube's centre of mass (0.21, 0.01, 0.01): (-0.005, -0.01, -0.01) x (0, -0.25, 4) */
  NEAR(value_at(csv, 1, "contact.floor.cube.tx"), -0.04 - 0.0025, 1e-10, 0);
  NEAR(value_at(csv, 1, "contact.floor.cube.ty"), 0.02, 1e-10, 0);
  NEAR(value_at(csv, 1, "contact.floor.cube.tz"), 0.00125, 1e-10, 0);
  /* both on the floor, moments about its origin: those of the box and c2 x (0, 0.25, -4) */
  NEAR(value_at(csv, 1, "contact.all.floor.fx"), 0.5, 1e-11, 0);
  NEAR(value_at(csv, 1, "contact.all.floor.fy"), 0.25, 1e-11, 0);
  NEAR(value_at(csv, 1, "contact.all.floor.fz"), -7, 1e-11, 0);
  NEAR(value_at(csv, 1, "contact.all.floor.tx"), -0.04, 1e-10, 0);
  NEAR(value_at(csv, 1, "contact.all.floor.ty"), 0.22 + 0.08 + 0.82, 1e-10, 0);
  NEAR(value_at(csv, 1, "contact.all.floor.tz"), -0.01 + 0.05125, 1e-10, 0);
  NEAR(value_at(csv, 1, "contact.all.floor.count"), 3, 0, 0);
  NEAR(value_at(csv, 1, "contact.all.floor.penetration"), 3e-6, 1e-11, 0);
  NEAR(value_at(csv, 1, "contact.all.cube.fz"), 4, 1e-11, 0);
  NEAR(value_at(csv, 1, "contact.all.cube.tx"), value_at(csv, 1, "contact.floor.cube.tx"), 0, 0);
  SUP_FREE(csv);
  OK(sup_output_flush(out));
  csv = load(run_folder("forces"), "contacts.csv");
  CHECK(count_lines(csv) == 3);
  CHECK(strstr(csv, "\n0.01,floor,box,-0.5,0,3,") != NULL);
  CHECK(strstr(csv, "\n0.01,floor,cube,0,-0.25,4,") != NULL);
  SUP_FREE(csv);
  char  ids[100]; /* in the frames, too, b is the one that was named last */
  char *vtk = load(run_folder("forces"), "vtk/contact_0001.vtk");
  snprintf(ids, sizeof ids, "SCALARS body_b int 1\nLOOKUP_TABLE default\n%d %d %d\n",
           body(&s, "box"), body(&s, "box"), body(&s, "cube"));
  CHECK(strstr(vtk, ids) != NULL);
  CHECK(strstr(vtk, "VECTORS traction float\n-500000 0 2000000\n") != NULL);
  CHECK(strstr(vtk, "VECTORS normal float\n0 0 1\n") != NULL);
  SUP_FREE(vtk);
  sup_output_destroy(&out);
  destroy(&s);
}

/* The order of the sides of a fold is arbitrary: forces of self-contact cancel in the sums of the
 * body, normal forces are summed. */
static void a_body_touches_itself_with_normal_force_only(void) {
  scene          s = {.model = NULL};
  sup_output    *out;
  fake_step      f;
  sup_output_def def = sup_default_output_def();
  char           pair[3][2][2 * SUP_NAME_MAX] = {{"cube", "cube"}, {"all", "cube"}, {"box", "box"}};
  def.num_pairs = 3, def.pair = pair;
  OK(build(&s, "finger"));
  FAILS(sup_output_create(&out, s.model, &s.options, run_folder("self"), &def, NULL), SUP_E_ARG,
        "'box' is paired with itself");
  def.num_pairs = 2;
  OK(sup_output_create(&out, s.model, &s.options, run_folder("self"), &def, NULL));
  OK(sup_output_initial(out, s.state, NULL));
  rest(&f, &s);
  f.contact[0] =
      contact_on_floor(&s, "cube", 0, sup_v3_make(0.205, 0, 0), sup_v3_make(0, 0.25, -4));
  for (int i = 1; i < 3; i++) {
    sup_contact *c = &f.contact[i];
    *c = f.contact[0], c->body_b = c->body_a;
    for (int p = 0; p < s.model->num_pairs; p++)
      if (s.model->pair[p].a == s.model->pair[p].b) c->pair = p;
    c->penetration = 1e-4 * i, c->force = sup_v3_make(3, i, -2 * i);
  }
  f.result.num_contacts = 3, f.result.time = s.state->time = 0.01, s.state->step = 1;
  OK(sup_output_step(out, s.state, &f.result, &f.report));
  OK(sup_output_flush(out));
  char *csv = load(run_folder("self"), "history.csv");
  CHECK(strstr(csv, "contact.cube.cube.fx") == NULL);
  NEAR(value_at(csv, 0, "contact.cube.cube.fn"), 0, 0, 0);
  NEAR(value_at(csv, 1, "contact.cube.cube.fn"), 6, 1e-11, 0);
  NEAR(value_at(csv, 1, "contact.cube.cube.count"), 2, 0, 0);
  NEAR(value_at(csv, 1, "contact.cube.cube.area"), 2e-6, 1e-11, 0);
  NEAR(value_at(csv, 1, "contact.cube.cube.penetration"), 2e-4, 1e-11, 0);
  /* contacts of others on the cube: those of the floor */
  NEAR(value_at(csv, 1, "contact.all.cube.fy"), -.25, 1e-11, 0);
  NEAR(value_at(csv, 1, "contact.all.cube.fz"), 4, 1e-11, 0);
  NEAR(value_at(csv, 1, "contact.all.cube.count"), 1, 0, 0);
  NEAR(value_at(csv, 1, "contact.all.cube.cpx"), .205, 1e-11, 0);
  SUP_FREE(csv);
  OK(sup_output_flush(out));
  csv = load(run_folder("self"), "contacts.csv");
  CHECK(strstr(csv, "\n0.01,cube,cube,0,0,0,0,0,0,2,") != NULL);
  SUP_FREE(csv);
  sup_output_destroy(&out);
  destroy(&s);
}

/* Patches on a cylinder along y, normals within +-30 degrees, two of them leaning out of the plane;
 * the loads shift the mean normal and the centre of pressure, but not the angle between the
 * outermost. */
static void arc_of_a_pair_has_a_centre_and_a_wrap_angle(void) {
  static const double angle[4] = {-30, -10, 5, 30}, newton[4] = {1, 4, 2, 1};
  scene               s = {.model = NULL};
  sup_output         *out;
  fake_step           f;
  sup_output_def      def = sup_default_output_def();
  double              radian = atan(1) / 45, x = 0, sum = 0;
  char pair[3][2][2 * SUP_NAME_MAX] = {{"box", "floor"}, {"floor", "box"}, {"all", "floor"}};
  def.num_pairs = 3, def.pair = pair;
  OK(build(&s, "finger"));
  OK(sup_output_create(&out, s.model, &s.options, run_folder("arc"), &def, NULL));
  OK(sup_output_initial(out, s.state, NULL));
  rest(&f, &s);
  for (int i = 0; i < 4; i++) {
    sup_v3 n = {sin(radian * angle[i]), i % 2 ? .02 : -.02, -cos(radian * angle[i])};
    sup_v3 place = {.1 + .01 * n.x, 0, .01 * n.z};
    n = sup_v3_unit(n);
    f.contact[i] = contact_on_floor(&s, "box", 0, place, sup_v3_scale(newton[i], n));
    f.contact[i].normal = n, f.contact[i].pressure = newton[i] / f.contact[i].area;
    x += newton[i] * place.x, sum += newton[i];
  }
  f.result.num_contacts = 4, f.result.time = s.state->time = 0.01, s.state->step = 1;
  OK(sup_output_step(out, s.state, &f.result, &f.report));
  f.result.num_contacts = 1, f.result.time = s.state->time = 0.02, s.state->step = 2;
  OK(sup_output_step(out, s.state, &f.result, &f.report));
  OK(sup_output_flush(out));
  char *csv = load(run_folder("arc"), "history.csv");
  CHECK(isnan(value_at(csv, 0, "contact.box.floor.cpx")) &&
        isnan(value_at(csv, 0, "contact.box.floor.wrap")));
  for (int k = 0; k < 3; k++) {
    char column[2000];
    snprintf(column, sizeof column, "contact.%s.%s.cpx", pair[k][0], pair[k][1]);
    NEAR(value_at(csv, 1, column), x / sum, 1e-9, 0);
    snprintf(column, sizeof column, "contact.%s.%s.wrap", pair[k][0], pair[k][1]);
    NEAR(value_at(csv, 1, column), 60, 2e-3, 0);
    NEAR(value_at(csv, 2, column), 0, 0, 1e-9);
    snprintf(column, sizeof column, "contact.%s.%s.length", pair[k][0], pair[k][1]);
    NEAR(value_at(csv, 1, column), .01, 1e-3, 0); /* the chord of 60 degrees */
    NEAR(value_at(csv, 2, column), 0, 0, 1e-12);
  }
  SUP_FREE(csv);
  sup_output_destroy(&out);
  destroy(&s);
}

/** The contacts of a step were found where the box was before it moved. */
static void moments_refer_to_where_the_contacts_were_found(void) {
  scene          s = {.model = NULL};
  sup_output    *out;
  fake_step      f;
  sup_output_def def = sup_default_output_def();
  char           pair[1][2][2 * SUP_NAME_MAX] = {{"floor", "box"}};
  def.num_pairs = 1, def.pair = pair;
  OK(build(&s, "finger"));
  OK(sup_output_create(&out, s.model, &s.options, run_folder("moving"), &def, NULL));
  rest(&f, &s);
  int box = body(&s, "box");
  f.v[box] = sup_v3_make(1, 0, 0);
  f.X[box].p.x += 1 * s.options.dt;
  f.contact[0] = contact_on_floor(&s, "box", 0, sup_v3_make(0.1, 0, 0), sup_v3_make(0, 0, -2));
  f.result.num_contacts = 1, f.result.time = s.state->time = 0.01, s.state->step = 1;
  OK(sup_output_step(out, s.state, &f.result, &f.report));
  OK(sup_output_flush(out));
  char *csv = load(run_folder("moving"), "history.csv");
  NEAR(value_at(csv, 0, "contact.floor.box.fz"), 2, 1e-11, 0);
  NEAR(value_at(csv, 0, "contact.floor.box.ty"), 0, 0, 1e-15);
  SUP_FREE(csv);
  sup_output_destroy(&out);
  destroy(&s);
}

/** Steps of 10 ms with summed times, a frame every 25 ms and the last state; a row of the history
 * each step, or every 55 ms and with each frame. */
static void frames_and_rows_come_when_due(double history_every, int num_rows,
                                          const double *expected) {
  scene          s = {.model = NULL};
  sup_output    *out;
  fake_step      f;
  sup_output_def def = sup_default_output_def();
  def.every = 0.025, def.history_every = history_every;
  OK(build(&s, "finger"));
  rest(&f, &s);
  OK(sup_output_create(&out, s.model, &s.options, run_folder("due"), &def, NULL));
  OK(sup_output_initial(out, s.state, NULL));
  for (int i = 1; i <= 11; i++) {
    s.state->time += 0.01, s.state->step = i;
    f.result.time = s.state->time;
    OK(sup_output_step(out, s.state, &f.result, &f.report));
  }
  OK(sup_output_finish(out, s.state, &f.result, SUP_OUTCOME_COMPLETED, NULL));
  CHECK(sup_output_statistics(out)->frames == 6 && sup_output_statistics(out)->steps == 11);
  char *csv = load(run_folder("due"), "history.csv");
  CHECK(count_lines(csv) == 1 + num_rows);
  for (int i = 0; i < num_rows; i++) NEAR(value_at(csv, i, "time"), expected[i], 1e-11, 0);
  SUP_FREE(csv);
  CHECK(exists(run_folder("due"), "vtk/rigid_0005.vtk") &&
        !exists(run_folder("due"), "vtk/rigid_0006.vtk"));
  sup_output_destroy(&out);
  destroy(&s);
}

static void a_history_has_every_step_or_a_row_when_due(void) {
  static const double each[] = {0, .01, .02, .03, .04, .05, .06, .07, .08, .09, .1, .11},
                      some[] = {0, .03, .05, .06, .08, .1, .11};
  frames_and_rows_come_when_due(0, 12, each);
  frames_and_rows_come_when_due(.055, 7, some);
}

static void summary_and_manifest_have_the_promised_keys(void) {
  static const char *const argv[] = {"supple", "run", "a \"b\".yaml"}, *const library[] = {"AMD",
                                                                                           "2.4.6"};
  static const char check[] =
      "import json,sys\n"
      "s = json.load(open(sys.argv[1] + '/summary.json'))\n"
      "keys = 'status steps time step_size dofs wall newton contacts momentum_error_max "
      "momentum_residual_max penetration_max inverted_elements_max energy_final "
      "state_hash'.split()\n"
      "assert not [k for k in keys if k not in s], s\n"
      "assert s['bodies'] == ['floor', 'box', 'robot/base', 'robot/jaw', 'finger', 'cube'], "
      "s['bodies']\n"
      "assert s['status'] == 'completed' and s['steps'] == 3 and s['step_size'] == 0.01, s\n"
      "assert s['dofs'] == {'total': 55, 'fem': 48, 'rigid': 7}, s['dofs']\n"
      "w = s['wall']\n"
      "assert abs(w['step_mean_ms'] - 6) < 1e-9 and abs(w['step_median_ms'] - 5) < 1e-9 and "
      "abs(w['step_max_ms'] - 10) < 1e-9, w\n"
      "assert w['total'] > 0 and abs(sum(v for k, v in w['phases'].items() if k != 'output') "
      "- 0.018) < 1e-12, w\n"
      "assert s['newton_all_islands'] == {'mean': 15, 'max': 18} and s['islands'] == {'mean': "
      "3, 'max': 3}, s\n"
      "assert s['analyses'] == 2, s\n"
      "assert s['newton'] == {'mean': 5, 'max': 6} and s['contacts'] == {'mean': 2, 'max': "
      "4}, s\n"
      "assert s['momentum_error_max'] == 2e-6 and s['momentum_residual_max'] == 3e-9, s\n"
      "assert abs(s['penetration_max'] - 0.01) < 1e-15 and s['inverted_elements_max'] == 2, "
      "s\n" /* its ball's */
      "assert s['discarded_patches'] == {'small': 3, 'backward': 6, 'inverted': 9, "
      "'silent_steps': 3, 'passed_steps': 0}, s\n"
      "assert len(s['state_hash']) == 16 and isinstance(s['energy_final'], float), s\n"
      "m = json.load(open(sys.argv[1] + '/manifest.json'))\n"
      "assert m['status'] == 'completed' and m['command'] == ['supple', 'run', 'a "
      "\"b\".yaml'], m\n"
      "assert m['version'] == '1.2' and m['libraries'] == {'AMD': '2.4.6'} and m['threads'] "
      "== 2 and m['host'], m\n"
      "assert m['start'] <= m['end'] and m['inputs'][0]['fnv1a'] == sys.argv[2] and "
      "m['inputs'][0]['bytes'] == 3, m\n";
  static const double seconds[3] = {3e-3, 5e-3, 10e-3};
  scene               s = {.model = NULL};
  sup_output         *out;
  fake_step           f;
  sup_output_def      def = sup_default_output_def();
  char                path[4200], script[4200], command[13000];
  OK(build(&s, "finger"));
  rest(&f, &s);
  OK(sup_output_create(&out, s.model, &s.options, run_folder("summary"), &def, NULL));
  snprintf(path, sizeof path, "%s/input.yaml", run_folder("summary"));
  snprintf(script, sizeof script, "%s/check.py", run_folder("summary"));
  FILE *file = fopen(path, "w");
  fputs("abc", file);
  fclose(file);
  file = fopen(script, "w");
  fputs(check, file);
  fclose(file);
  const char      *input[] = {path};
  sup_manifest_def manifest = {.argc = 3,
                               .argv = argv,
                               .version = "1.2",
                               .compiler = "cc",
                               .threads = 2,
                               .num_libraries = 1,
                               .library = library,
                               .num_inputs = 1,
                               .input = input};
  OK(sup_output_manifest(out, &manifest));
  char *text = load(run_folder("summary"), "manifest.json");
  CHECK(strstr(text, "\"status\": \"running\"") != NULL);
  SUP_FREE(text);
  OK(sup_output_initial(out, s.state, &f.result)); /* its contacts are strained from the start on */
  for (int i = 0; i < 3; i++) {
    s.state->time = f.result.time = 0.01 * (i + 1), s.state->step = i + 1;
    f.report.seconds[0] = seconds[i], f.report.seconds[1] = 0;
    f.report.iterations_sum = 3 * (4 + i), f.report.islands = 3, f.report.analysed = i != 1;
    f.report.iterations = 4 + i, f.report.num_contacts = 2 * i, f.report.inverted_cells = i,
    f.report.inverted_body = body(&s, "cube");
    f.report.discarded_small = 1, f.report.discarded_backward = 2, f.report.discarded_inverted = 3;
    f.report.silent_pairs = 1, f.report.silent_pair = 0;
    OK(sup_output_step(out, s.state, &f.result, &f.report));
  }
  OK(sup_output_finish(out, s.state, &f.result, SUP_OUTCOME_COMPLETED, NULL));
  snprintf(command, sizeof command, "python3 '%s' '%s' %016llx", script, run_folder("summary"),
           (unsigned long long)sup_hash_bytes(sup_hash_begin(), "abc", 3));
  CHECK(system(command) == 0);
  sup_output_destroy(&out);
  destroy(&s);
}

static void count_warning(sup_log_level level, const char *message, void *user) {
  if (level == SUP_LOG_WARNING && strstr(message, "never push each other")) (*(int *)user)++;
}

static void wrong_names_are_refused_with_the_nearest(void) {
  scene          s = {.model = NULL};
  sup_output    *out;
  sup_output_def def = sup_default_output_def();
  char           pair[1][2][2 * SUP_NAME_MAX] = {{"flor", "box"}};
  sup_probe_def  probe = {"tip", "fingr", {0, 0, 0}, .marker = SUP_INITIALISED};
  const char    *folder = run_folder("wrong_names");
  OK(build(&s, "finger"));
  def.num_pairs = 1, def.pair = pair;
  FAILS(sup_output_create(&out, s.model, &s.options, folder, &def, NULL), SUP_E_ARG,
        "there is no body 'flor'; did you mean 'floor'?");
  CHECK(out == NULL);
  snprintf(pair[0][0], sizeof pair[0][0], "box");
  FAILS(sup_output_create(&out, s.model, &s.options, folder, &def, NULL), SUP_E_ARG,
        "paired with itself");
  def.num_pairs = 0, def.num_probes = 1, def.probes = &probe;
  FAILS(sup_output_create(&out, s.model, &s.options, folder, &def, NULL), SUP_E_ARG,
        "probe 'tip': there is no body 'fingr'; did you mean 'finger'?");
  snprintf(probe.body, sizeof probe.body, "finger");
  probe.point[2] = 0.05;
  FAILS(sup_output_create(&out, s.model, &s.options, folder, &def, NULL), SUP_E_ARG,
        "nearest vertex is (0, 0, 0.03) m");
  def.num_probes = 0, def.every = -1;
  FAILS(sup_output_create(&out, s.model, &s.options, folder, &def, NULL), SUP_E_ARG, "every -1 s");
  CHECK(!exists(folder, "")); /* nothing is touched before all names are good */
  FAILS(sup_output_check(s.model, &s.options, &def), SUP_E_ARG, "every -1 s");
  /* a pair that the model filters out is a warning, and its columns are zero */
  int warnings = 0;
  def.every = 0, def.num_pairs = 1;
  snprintf(pair[0][0], sizeof pair[0][0], "finger");
  snprintf(pair[0][1], sizeof pair[0][1], "robot/jaw");
  sup_log_set(count_warning, &warnings);
  OK(sup_output_create(&out, s.model, &s.options, folder, &def, NULL));
  sup_log_set(NULL, NULL);
  CHECK(warnings == 1);
  OK(sup_output_initial(out, s.state, NULL));
  char *csv = load(folder, "history.csv");
  NEAR(value_at(csv, 0, "contact.finger.robot/jaw.fz"), 0, 0, 0);
  SUP_FREE(csv);
  sup_output_destroy(&out);
  destroy(&s);
}

static void names_that_are_no_file_names_are_refused(void) {
  static const char *const bad[] = {"rigid", "contact", "a/b", ".hidden"};
  sup_output_def           def = sup_default_output_def();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    scene       s = {.model = NULL};
    sup_output *out;
    OK(build(&s, bad[i]));
    FAILS(sup_output_create(&out, s.model, &s.options, run_folder("bad"), &def, NULL), SUP_E_ARG,
          bad[i]);
    destroy(&s);
  }
}

static void unwritable_folders_are_statuses(void) {
  scene          s = {.model = NULL};
  sup_output    *out;
  sup_output_def def = sup_default_output_def();
  OK(build(&s, "finger"));
  FAILS(sup_output_create(&out, s.model, &s.options, "/proc/no/such", &def, NULL), SUP_E_IO,
        "/proc/no");
  FAILS(sup_output_create(&out, s.model, &s.options, "/dev/null", &def, NULL), SUP_E_IO,
        "/dev/null");
  FAILS(sup_output_create(&out, s.model, &s.options, "", &def, NULL), SUP_E_ARG, "folder");
  /* the folder disappears while the run goes on */
  char command[4200];
  OK(sup_output_create(&out, s.model, &s.options, run_folder("gone"), &def, NULL));
  snprintf(command, sizeof command, "rm -r '%s'", run_folder("gone"));
  CHECK(system(command) == 0);
  FAILS(sup_output_initial(out, s.state, NULL), SUP_E_IO, "removed, moved or replaced");
  sup_output_destroy(&out);
  destroy(&s);
}

static void a_folder_is_taken_by_one_run_at_a_time(void) {
  scene          s = {.model = NULL};
  sup_output    *first, *second;
  sup_output_def def = sup_default_output_def();
  const char    *folder = run_folder("taken");
  char           who[64];
  OK(build(&s, "finger"));
  OK(sup_output_create(&first, s.model, &s.options, folder, &def, NULL));
  OK(sup_output_initial(first, s.state, NULL));
  snprintf(who, sizeof who, "in use by process %ld on ", (long)getpid());
  FAILS(sup_output_create(&second, s.model, &s.options, folder, &def, NULL), SUP_E_IO, who);
  CHECK(exists(folder, "vtk/cube_0000.vtk") && exists(folder, "history.csv"));
  sup_output_destroy(&first);
  CHECK(!exists(folder, ".lock"));
  OK(sup_output_create(&second, s.model, &s.options, folder, &def, NULL));
  /* moved away, and another one in its place */
  char command[3 * 4200];
  snprintf(command, sizeof command, "mv '%s' '%s.away' && mkdir -p '%s/vtk'", folder, folder,
           folder);
  CHECK(system(command) == 0);
  FAILS(sup_output_initial(second, s.state, NULL), SUP_E_IO, "removed, moved or replaced");
  sup_output_destroy(&second);
  destroy(&s);
}

/* Frames of bodies that the next run has not go; other files stay. */
static void frames_of_all_bodies_of_an_earlier_run_are_removed(void) {
  static const char *const        old[] = {"bodies_gone_0000.vtk", "bodies_gone_0001.vtk.part",
                                           "bodies_gone.vtk.series"},
                           *const other[] = {"mine_0000.vtk", "notes.txt", "bodies_gone_1.vtk"};
  scene                           s = {.model = NULL};
  sup_output                     *out;
  sup_output_def                  def = sup_default_output_def();
  const char                     *folder = run_folder("bodies");
  char                            path[4200];
  OK(build(&s, "finger"));
  snprintf(path, sizeof path, "%s/vtk", folder);
  OK(sup_make_folder(path));
  for (int i = 0; i < 6; i++) {
    snprintf(path, sizeof path, "%s/vtk/%s", folder, i < 3 ? old[i] : other[i - 3]);
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fclose(file);
  }
  OK(sup_output_create(&out, s.model, &s.options, folder, &def, NULL));
  for (int i = 0; i < 6; i++) {
    snprintf(path, sizeof path, "vtk/%s", i < 3 ? old[i] : other[i - 3]);
    CHECK(exists(folder, path) == (i >= 3));
  }
  sup_output_destroy(&out);
  destroy(&s);
}

static void second_run_replaces_the_first(void) {
  scene          s = {.model = NULL};
  sup_output    *out;
  fake_step      f;
  sup_output_def def = sup_default_output_def();
  const char    *folder = run_folder("again");
  OK(build(&s, "finger"));
  rest(&f, &s);
  for (int run = 0; run < 2; run++) {
    s.state->time = 0, s.state->step = 0;
    OK(sup_output_create(&out, s.model, &s.options, folder, &def, NULL));
    CHECK(!exists(folder, "summary.json"));
    OK(sup_output_initial(out, s.state, NULL));
    for (int i = 0; i < 3 - 2 * run; i++) {
      s.state->time += 0.01, f.result.time = s.state->time;
      OK(sup_output_step(out, s.state, &f.result, &f.report));
    }
    OK(sup_output_finish(out, s.state, &f.result, SUP_OUTCOME_COMPLETED, NULL));
    sup_output_destroy(&out);
  }
  CHECK(exists(folder, "vtk/cube_0001.vtk") && !exists(folder, "vtk/cube_0002.vtk"));
  char *csv = load(folder, "history.csv");
  CHECK(count_lines(csv) == 3);
  SUP_FREE(csv);
  destroy(&s);
}

/** Points of a distorted hexahedron and of tetrahedra are found again after the body moved
 * affinely. */
static void probes_follow_their_material_point(void) {
  scene           s = {.model = NULL};
  sup_observation obs;
  test_random     random = {3};
  OK(build(&s, "finger"));
  OK(sup_observation_create(&obs, s.model, &s.options));
  sup_m3 F = {{{1.1, 0.2, 0}, {-0.1, 0.9, 0.3}, {0, 0.1, 1.05}}};
  for (int soft = 0; soft < 2; soft++) {
    const sup_soft *body_of = &s.model->soft[soft];
    const sup_mesh *mesh = sup_fem_mesh(body_of->fem);
    sup_v3          lower, upper;
    sup_mesh_bounds(mesh, &lower, &upper);
    for (int i = 0; i < body_of->num_vertices; i++)
      sup_v3_store(s.state->x + 3 * (body_of->first_vertex + i),
                   sup_m3_apply(F, sup_mesh_vertex(mesh, i)));
    sup_observation_update(&obs, s.state, NULL);
    for (int i = 0; i < 50; i++) {
      sup_probe_def def = {"p", "", {0}, .marker = SUP_INITIALISED};
      sup_probe     probe;
      snprintf(def.body, sizeof def.body, "%s", body_of->name);
      sup_v3 X = {0.5 * (lower.x + upper.x) + 0.5 * (upper.x - lower.x) * test_uniform(&random),
                  0.5 * (lower.y + upper.y) + 0.5 * (upper.y - lower.y) * test_uniform(&random),
                  0.5 * (lower.z + upper.z) + 0.5 * (upper.z - lower.z) * test_uniform(&random)};
      sup_v3_store(def.point, X);
      OK(sup_probe_find(&probe, s.model, &def));
      sup_v3 error = sup_v3_sub(sup_probe_position(&probe, &obs), sup_m3_apply(F, X));
      NEAR(sup_v3_norm(error), 0, 0, 1e-14);
      sup_body_point_free(&probe.at);
    }
  }
  sup_observation_free(&obs);
  destroy(&s);
}

/* Recovered stress takes as long as all other arrays: steps of motion have it where an array asks
 * for it, load steps always; the summary has the error of the end in any case, the same. */
static void recovered_stress_is_taken_where_it_is_asked_for(void) {
  static const struct {
    uint32_t arrays;
    double   static_tolerance;
    int      has_error, has_tensors;
  } way[] = {{SUP_ARRAYS_USUAL, 0, 0, 0},
             {SUP_ARRAYS_USUAL, 1e-6, 1, 0},
             {UINT32_MAX, 0, 1, 1},
             {0, 0, 0, 0}};
  char   first[200] = "";
  scene  s = {.model = NULL};
  double size = 0;
  OK(build(&s, "finger"));
  for (int i = 0; i < s.model->soft[0].num_vertices; i++) { /* bent: stress that is not alike */
    double *x = s.state->x + 3 * (s.model->soft[0].first_vertex + i);
    x[0] += 5 * x[2] * x[2];
  }
  for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
    sup_output    *out;
    sup_output_def def = sup_default_output_def();
    const char    *folder = run_folder("recovered");
    char           error[200] = "";
    def.format = SUP_VTK_ASCII;
    def.arrays = way[k].arrays, def.static_tolerance = way[k].static_tolerance;
    OK(sup_output_create(&out, s.model, &s.options, folder, &def, NULL));
    OK(sup_output_initial(out, s.state, NULL));
    OK(sup_output_finish(out, s.state, NULL, SUP_OUTCOME_COMPLETED, NULL));
    sup_output_destroy(&out);
    char *history = load(folder, "history.csv"), *frame = load(folder, "vtk/finger_0000.vtk"),
         *summary = load(folder, "summary.json");
    CHECK((strstr(history, "finger.stress_error") != NULL) == way[k].has_error);
    CHECK((strstr(frame, "SCALARS stress_error") != NULL) == way[k].has_error);
    CHECK((strstr(frame, "SCALARS von_mises_recovered") != NULL) == way[k].has_error);
    CHECK((strstr(frame, "VECTORS principal_stress") != NULL) == way[k].has_tensors);
    CHECK((strstr(frame, "VECTORS displacement") != NULL) == (way[k].arrays != 0));
    const char *found = strstr(summary, "\"stress_error\"");
    CU_ASSERT_PTR_NOT_NULL_FATAL(found);
    CHECK(sscanf(found, "\"stress_error\": %lf", &size) == 1 && size > 0.01 && size < 1);
    snprintf(error, sizeof error, "%.40s", found);
    if (k == 0) memcpy(first, error, sizeof first);
    CHECK(strcmp(first, error) == 0);
    SUP_FREE(history);
    SUP_FREE(frame);
    SUP_FREE(summary);
  }
  destroy(&s);
}

static void every_allocation_failure_is_a_status(void) {
  scene          s = {.model = NULL};
  sup_output_def def = sup_default_output_def();
  int            finished = 0;
  OK(build(&s, "finger"));
  for (long k = 1; k < 1000 && !finished; k++) {
    sup_output *out = NULL;
    sup_memory_fail_at(k);
    sup_status status =
        sup_output_create(&out, s.model, &s.options, run_folder("memory"), &def, NULL);
    if (status == SUP_OK) status = sup_output_initial(out, s.state, NULL);
    if (status == SUP_OK)
      status = sup_output_finish(out, s.state, NULL, SUP_OUTCOME_COMPLETED, NULL);
    sup_memory_fail_at(0);
    CHECK(status == SUP_OK || status == SUP_E_MEMORY);
    finished = status == SUP_OK;
    sup_output_destroy(&out);
  }
  CHECK(finished);
  destroy(&s);
}

SUITE_TESTS(output, TEST(columns_have_the_promised_names_and_order),
            TEST(percentiles_weigh_by_volume), TEST(history_holds_the_state),
            TEST(recovered_stress_is_taken_where_it_is_asked_for),
            TEST(forces_and_moments_refer_to_b), TEST(a_body_touches_itself_with_normal_force_only),
            TEST(arc_of_a_pair_has_a_centre_and_a_wrap_angle),
            TEST(moments_refer_to_where_the_contacts_were_found),
            TEST(a_history_has_every_step_or_a_row_when_due),
            TEST(summary_and_manifest_have_the_promised_keys),
            TEST(wrong_names_are_refused_with_the_nearest),
            TEST(names_that_are_no_file_names_are_refused), TEST(unwritable_folders_are_statuses),
            TEST(a_folder_is_taken_by_one_run_at_a_time),
            TEST(frames_of_all_bodies_of_an_earlier_run_are_removed),
            TEST(second_run_replaces_the_first), TEST(probes_follow_their_material_point),
            TEST(every_allocation_failure_is_a_status));
