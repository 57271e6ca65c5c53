/* F13: an elastic bar flies against a rigid wall, against an independent program of bars (lumped
 * mass, implicit Euler) and against the waves of the continuous bar. */
#include "scene_test.h"

/** Bar of the catalogue: 0.1 m, 10 mm square, E = 2.5 MPa, rho = 1000 kg/m^3, nu = 0: waves run at
 * 50 m/s. */
static const double length = .1, width = .01, modulus = 2.5e6, density = 1000, speed = .5;

typedef struct impact {
  double rebound;  /* of the centre of mass over the speed before */
  double contact;  /* time until the last touch [s] */
  double plateau;  /* mean force from 10 to 90 % of the contact [N] */
  double impulse;  /* [N s] */
  double momentum; /* largest error of a step's momentum balance over m v0 */
} impact;

/** Fly for 1.1 contact times; `wall` [N/m]: stiffness of the wall, 0: the layer of the surface
 * (THEORY 15.3). */
static impact fly(int cells, double dt, double damping, int is_lumped, double wall) {
  test_scene s;
  impact     out = {0};
  test_scene_init(&s);
  s.options.dt = dt, s.options.tolerance = 1e-12;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  test_add_rigid(&s, "wall", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
  sup_soft_def *d = test_add_soft_box(&s, "bar", width, width, length, 1, 1, cells, SUP_PATTERN_HEX,
                                      modulus, 0, density);
  d->lumped_mass = is_lumped;
  d->material.stiffness_damping = damping;
  d->v0[2] = -speed;
  d->contact.friction = 0, d->contact.dissipation = 0;
  sup_pair_def pair = sup_default_pair_def();
  snprintf(pair.a, sizeof pair.a, "wall");
  snprintf(pair.b, sizeof pair.b, "bar");
  pair.stiffness = wall / (width * width);
  if (wall > 0) s.def.num_pairs = 1, s.def.pairs = &pair;
  test_start(&s);
  double before = test_soft_momentum(&s, 0).z, mass = length * width * width * density,
         time = 2 * length / 50;
  double start = before, sum = 0;
  int    count = 0;
  for (double t = 0; t < 1.1 * time; t += dt) {
    test_step(&s);
    double f = test_contact_force(&s, "bar").z, after = test_soft_momentum(&s, 0).z;
    out.momentum = fmax(out.momentum, fabs(after - before - f * dt) / fabs(start));
    if (f > 0) out.contact = s.state->time;
    if (t >= .1 * time && t < .9 * time) sum += f, count++;
    out.impulse += f * dt, before = after;
  }
  out.rebound = before / (mass * speed), out.plateau = sum / count;
  test_end(&s);
  return out;
}

/** Rows of the catalogue: rebounds of its program. */
typedef struct row {
  int    cells;
  double dt, damping, rebound;
} row;
static const row catalogue[] = {{20, 1e-3, 0, .2751}, {20, 2.5e-4, 0, .6030},
                                {20, 5e-5, 0, .8204}, {20, 1e-5, 0, .9152},
                                {80, 1e-5, 0, .9202}, {20, 2.5e-4, .01, .0110}};

static impact show(row r, int is_lumped, double wall) {
  impact i = fly(r.cells, r.dt, r.damping, is_lumped, wall);
  printf("\n    %d cells, %g s%s: %.4f v0, %.4g ms, %.5g N, %.5g N s ", r.cells, r.dt,
         is_lumped ? "" : ", consistent", i.rebound, 1e3 * i.contact, i.plateau, i.impulse);
  CHECK(i.momentum < 1e-12);
  return i;
}

/* With the program's wall of 1e7 N/m, the same discrete bar: all four digits. */
static void a_bar_rebounds_as_an_independent_program_says(void) {
  for (size_t k = 0; k < sizeof catalogue / sizeof *catalogue; k++)
    NEAR(show(catalogue[k], 1, 1e7).rebound, catalogue[k].rebound, 0, 5.1e-5);
}

/* With the layer of the surface, which is ten times as stiff as the element (5e5 N/m, 20 cells),
   lumped and consistent mass.  Measured, 20 cells, 1 ms to 10 us: .2771, .6070, .8245, .9197
   (consistent .2773, .6076, .8263, .9227); 80 cells, 10 us: .9212 (.9214); 2 us: .9645 (program
   .9635).  Force 2.493 N, contact 4.05 ms (3.98) at 20 cells and 10 us. */
static void a_bar_rebounds_on_its_own_layer(void) {
  for (int is_lumped = 0; is_lumped < 2; is_lumped++)
    for (int k = 0; k < 5; k++) {
      impact i = show(catalogue[k], is_lumped, 0);
      NEAR(i.rebound, catalogue[k].rebound, .01, 0);
      if (catalogue[k].dt > 1e-5) continue;
      NEAR(i.plateau, 2.5, .01, 0);
      NEAR(i.contact, 4e-3, .02, 0);
    }
  impact fine = show((row){80, 2e-6, 0, 0}, 1, 0);
  NEAR(fine.rebound, .9635, .01, 0);
  NEAR(fine.plateau, 2.5, .001, 0);
  NEAR(fine.contact, 4e-3, .005, 0);
  NEAR(fine.impulse, .01, .02, 0); /* what implicit Euler keeps of 2 m v0 */
}

/* Damped so much that it hardly yields within a step, the bar springs back from its layer, which
   has no damping: .0277 of the speed at 20 cells where the stiffer wall leaves .0110.  The layer's
   share goes with the mesh: .0112 at 80. */
static void the_rebound_of_a_damped_bar_goes_with_the_layer(void) {
  impact coarse = show((row){20, 2.5e-4, .01, 0}, 1, 0),
         fine = show((row){80, 2.5e-4, .01, 0}, 1, 0);
  CHECK(coarse.rebound < .03);
  NEAR(fine.rebound, .0110, .05, 0);
  NEAR(coarse.impulse, .0050550, .02, 0);
}

SUITE_TESTS(bar_impact, TEST(a_bar_rebounds_as_an_independent_program_says),
            TEST(a_bar_rebounds_on_its_own_layer),
            TEST(the_rebound_of_a_damped_bar_goes_with_the_layer));
