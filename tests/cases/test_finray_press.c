/* A cylinder pressed into a FinRay finger through states of rest: case G01b on coarse meshes. */
#include "example.h"

/** Force of the cylinder after the finger was pressed in by 5 mm [N], by `cells` cells through its walls. */
static double pressed(int cells) {
  char               mesh[200];
  const char        *sets[] = {mesh, "time.end=0.5 s"};
  test_example       e;
  sup_static_options o;
  int                cuts = 0;
  snprintf(mesh, sizeof mesh, "soft.finger.mesh.finray.cells={wall: %d, inner: %d, cavity: %d, rib: %d, depth: 4}",
           cells, 4 * cells, 4 * cells, cells);
  test_example_start(&e, "studies/finray_pressed", sets, 2);
  o = e.scene->statics;
  o.steps = 2, o.end = 0.5;
  while (e.s.state->time < o.end) {
    OK(sup_static_step(e.s.stepper, e.s.state, &o, &e.s.report));
    cuts += e.s.report.load_cuts;
  }
  CHECK(cuts == 0); /* the patch that comes and goes at 2.5 mm is no reason */
  sup_v3 force = test_contact_force(&e.s, "finger");
  sup_v3 base = sup_stepper_result(e.s.stepper)->reaction[0].force;
  NEAR(sup_v3_norm(sup_v3_add(force, base)), 0, 0, 1e-8 * sup_v3_norm(force));
  test_example_end(&e);
  return force.x;
}

static void a_finger_softens_as_its_mesh_is_refined_and_its_base_bears_the_contact(void) {
  double coarse = pressed(1), fine = pressed(2);
  printf("%.4f N, %.4f N ", coarse, fine);
  CHECK(fine < coarse);
  NEAR(fine, coarse, .04, 0);
}

SUITE_TESTS(finray_press, TEST(a_finger_softens_as_its_mesh_is_refined_and_its_base_bears_the_contact));
