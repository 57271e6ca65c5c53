/* Classic problems of linear statics, small versions of examples/studies: Cook's membrane (F09), the twisted bar (F10)
 * and the thick cylinder (F11).  Numbers of the validation catalogue. */
#include "step/scene_test.h"

static sup_region named(const char *set) {
  sup_region r = {.type = SUP_REGION_NAMED};
  snprintf(r.name, sizeof r.name, "%s", set);
  return r;
}

/** A body with a mesh that the scene owns from here on. */
static sup_soft_def *add_body(test_scene *s, sup_mesh *mesh, double E, double nu) {
  test_scene_init(s);
  sup_soft_def *d = &s->soft[s->def.num_softs];
  *d = sup_default_soft_def();
  snprintf(d->name, sizeof d->name, "body");
  d->mesh = s->mesh[s->def.num_softs++] = mesh;
  d->material.model = SUP_MATERIAL_LINEAR;
  d->material.youngs_modulus = E, d->material.poissons_ratio = nu;
  memset(s->def.options.gravity, 0, sizeof s->def.options.gravity);
  return d;
}

/** Mean deflection of the loaded edge of Cook's membrane by plain tetrahedra. */
static double cook(int n, double nu, int is_held_in_z) {
  static const double corner[24] = {0, 0, 0, 48, 44, 0, 48, 60, 0, 0, 44, 0, 0, 0, 1, 48, 44, 1, 48, 60, 1, 0, 44, 1};
  const int           cells[3] = {n, n, 1};
  test_scene          s;
  sup_mesh           *mesh;
  sup_region          clamp = named("x_min");
  sup_hold_def        hold[2] = {{.region = named("z_min"), .axes = SUP_AXIS_Z},
                                 {.region = named("z_max"), .axes = SUP_AXIS_Z}};
  sup_traction_def    shear = {.region = named("x_max"), .total_force = {0, 1, 0}};
  OK(sup_mesh_between_corners(&mesh, corner, cells, SUP_PATTERN_KUHN));
  sup_soft_def *d = add_body(&s, mesh, 1, nu);
  d->num_clamps = 1, d->clamps = &clamp, d->num_tractions = 1, d->tractions = &shear;
  d->num_holds = is_held_in_z ? 2 : 0, d->holds = hold;
  test_start(&s);
  test_static(&s, 1);
  double work = 0;
  for (int i = 0; i < 3 * s.model->num_vertices; i++)
    work += s.model->soft[0].traction[0].force[i] * (s.state->x[i] - s.model->soft[0].x0[i]);
  test_end(&s);
  return work;
}

static void cooks_membrane_equals_the_catalogue_on_the_same_mesh(void) {
  NEAR(cook(4, 1. / 3, 0), 10.194, 1e-4, 0);
  NEAR(cook(8, 1. / 3, 0), 16.156, 1e-4, 0);
  NEAR(cook(16, 1. / 3, 0), 20.992, 1e-4, 0);
  NEAR(cook(4, .49, 1), 5.872, 1e-4, 0);
  NEAR(cook(8, .49, 1), 7.423, 1e-4, 0);
  NEAR(cook(16, .49, 1), 10.593, 1e-4, 0);
  NEAR(cook(4, .4999, 1), 5.184, 1e-4, 0);
  NEAR(cook(8, .4999, 1), 5.248, 1e-4, 0);
  NEAR(cook(16, .4999, 1), 5.393, 1e-4, 0);
}

/** Torque over Saint-Venant's less 1, n x n bricks across; ends are free to warp, so few along suffice. */
static double torque_error(int n, double nu, double exact) {
  const double size[3] = {.01, .01, .1};
  const int    cells[3] = {n, n, 8};
  double       time[] = {0}, down[6] = {[5] = -.025}, up[6] = {[5] = .025};
  test_scene   s;
  sup_mesh    *mesh;
  sup_hold_def hold[3] = {
      {.region = named("z_min"), .axes = SUP_AXIS_X | SUP_AXIS_Y, .motion = {1, 6, time, down}},
      {.region = named("z_max"), .axes = SUP_AXIS_X | SUP_AXIS_Y, .motion = {1, 6, time, up}},
      {.region = {.type = SUP_REGION_BOX, .lower = {.0049, .0049, -1}, .upper = {.0051, .0051, .001}},
       .axes = SUP_AXIS_Z}};
  OK(sup_mesh_box(&mesh, size, cells, SUP_PATTERN_HEX));
  sup_soft_def *d = add_body(&s, mesh, 2.5e6, nu);
  d->num_holds = 3, d->holds = hold;
  test_start(&s);
  test_static(&s, 1);
  const sup_wrench *reaction = sup_stepper_result(s.stepper)->reaction;
  double            torque = reaction[1].moment.z;
  NEAR(reaction[0].moment.z, -torque, 1e-8, 0);
  NEAR(sup_v3_norm(reaction[1].force), 0, 0, 1e-9);
  test_end(&s);
  return torque / exact - 1;
}

static void a_twisted_bar_takes_the_torque_of_saint_venant(void) {
  static const double nu[2] = {.3, .49}, torque[2] = {6.758510e-4, 5.896687e-4};
  for (int r = 0; r < 2; r++) {
    double coarse = torque_error(4, nu[r], torque[r]), fine = torque_error(8, nu[r], torque[r]);
    printf("%.2f %%, %.2f %%, order %.2f ", 100 * coarse, 100 * fine, log2(coarse / fine));
    NEAR(fine, 0, 0, .02);
    NEAR(log2(coarse / fine), 2, 0, .25);
  }
}

static void a_thick_cylinder_swells_as_lame_says(void) {
  static const struct {
    double nu, inner, outer;
  } row[] = {
      {.3, 7.626666667e-5, 4.853333333e-5}, {.49, 7.9864e-5, 4.0528e-5}, {.4999, 7.999866640e-5, 4.000533280e-5}};
  const sup_ring ring = {.inner_radius = .01, .outer_radius = .02, .length = .002, .angle = 2 * atan(1)};
  const int      n[3] = {8, 16, 1};
  for (int r = 0; r < 3; r++) {
    test_scene       s;
    sup_mesh        *mesh;
    sup_hold_def     hold[4] = {{.region = named("start"), .axes = SUP_AXIS_Y},
                                {.region = named("end"), .axes = SUP_AXIS_X},
                                {.region = named("z_min"), .axes = SUP_AXIS_Z},
                                {.region = named("z_max"), .axes = SUP_AXIS_Z}};
    sup_traction_def load = {.region = named("inner"), .pressure = 1e4};
    OK(sup_mesh_ring(&mesh, &ring, n, SUP_PATTERN_HEX));
    sup_soft_def *d = add_body(&s, mesh, 2.5e6, row[r].nu);
    d->num_holds = 4, d->holds = hold, d->num_tractions = 1, d->tractions = &load;
    test_start(&s);
    test_static(&s, 1);
    const double *x0 = s.model->soft[0].x0;
    for (int i = 0; i < s.model->num_vertices; i++) { /* along the x axis */
      if (fabs(x0[3 * i + 1]) > 1e-9) continue;
      double u = s.state->x[3 * i] - x0[3 * i];
      if (x0[3 * i] < .01001) NEAR(u, row[r].inner, .004, 0);
      if (x0[3 * i] > .01999) NEAR(u, row[r].outer, .004, 0);
    }
    /* the symmetry planes carry p a L, by which the halves are driven apart */
    NEAR(sup_stepper_result(s.stepper)->reaction[0].force.y, -1e4 * .01 * .002, 1e-2, 0);
    test_end(&s);
  }
}

SUITE_TESTS(classics, TEST(cooks_membrane_equals_the_catalogue_on_the_same_mesh),
            TEST(a_twisted_bar_takes_the_torque_of_saint_venant), TEST(a_thick_cylinder_swells_as_lame_says));
