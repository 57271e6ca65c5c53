/* H06, P1 V-A: a coin slides and spins on a table with a pressure field, examples/coin.yaml. */
#include "example.h"

static const double R = .01213, m = 5.67e-3, g = 9.81, mu = .2;

typedef struct measures {
  double eps, stop, path, force; /* v/(w R) at the last step faster than v0/100, time and path of
                                    the stop, mean force */
} measures;

static measures run(const char *velocity, const char *spin) {
  const char  *sets[] = {"time.step=1ms", velocity, spin};
  measures     out = {0};
  test_example e;
  test_example_start(&e, "coin", sets, 3);
  double v0 = 0, before = 0, speed = 0;
  for (int i = 0; i < 80; i++) {
    test_step(&e.s);
    double v = sup_v3_norm(test_example_velocity(&e, "coin")), w = test_example_spin(&e, "coin").z;
    if (i == 0) v0 = v;
    if (v > .01 * v0) out.eps = v / (w * R);
    out.force += test_contact_force(&e.s, "coin").z / 80;
    before = speed, speed = v + fabs(w) * R;
    if (!(out.stop > 0) && speed < 1e-6) out.stop = e.s.state->time - e.s.options.dt;
  }
  CHECK(before < 1e-6);
  sup_v3 at = test_example_place(&e, "coin");
  out.path = hypot(at.x, at.y);
  test_example_end(&e);
  return out;
}

/* The fan of 152 triangles is a ring of friction at 2/3 R: Coulomb in these points gives .07064825
 * s, 3.238433 mm (exact() of examples/papers/coin.py); a uniform disk .0683129 s, 3.24871 mm. */
static void it_stops_when_coulombs_coin_does(void) {
  measures r = run("rigid.coin.velocity=[.1,0,0]", "rigid.coin.angular_velocity=[0,0,8.244023]");
  NEAR(r.stop, .07064825, 0, 1e-3);
  NEAR(r.path, 3.238433e-3, 0, .5 * .1 * 1e-3); /* half a step at v0: first order */
  NEAR(r.eps, .6442, 0, 5e-3);
  NEAR(r.force, m * g, 1e-6, 0);
}

/* d v/v = d w/w there: implicit steps of any size keep the ratio. */
static void the_ratio_of_the_end_stays(void) {
  measures r = run("rigid.coin.velocity=[.05,0,0]", "rigid.coin.angular_velocity=[0,0,6.39864]");
  NEAR(r.eps, .644206, 0, 3e-4);
}

static void spin_alone_stops_on_the_spot(void) {
  double   w = 12, exact = .75 * w * R / (mu * g * cos(3.14159265 / 152));
  measures r = run("rigid.coin.velocity=[0,0,0]", "rigid.coin.angular_velocity=[0,0,12]");
  NEAR(r.stop, exact, 0, 1e-3);
  NEAR(r.path, 0, 0, 1e-9);
}

SUITE_TESTS(coin, TEST(it_stops_when_coulombs_coin_does), TEST(the_ratio_of_the_end_stays),
            TEST(spin_alone_stops_on_the_spot));
