/* P4's scenes by all contact solvers, short: the cube that slides (R08), is dragged (R09), and a
 * ton on a gram (R10).  examples/papers/cube_*.py run them in full.  Closed forms of each law. */
#include "example.h"

static const double mu = .95, g = 9.81, v0 = 3, rest = .104, half = .1, inertia = 6.667e-3;

static const char *const solver_name[] = {
#define NAME(NAME_, name, ...) #name,
    SUP_CONTACT_SOLVER_LIST(NAME)
#undef NAME
};

typedef enum kind { COULOMB, CONVEX, SQUARE, RAISIM } kind;

static kind kind_of(sup_contact_solver solver) {
  switch (solver) {
    case SUP_CONTACT_SOLVER_CCP_PGS:
    case SUP_CONTACT_SOLVER_CCP_ADMM:
    case SUP_CONTACT_SOLVER_MUJOCO:
      return CONVEX;
    case SUP_CONTACT_SOLVER_LCP_PGS:
    case SUP_CONTACT_SOLVER_LCP_STAGGERED:
      return SQUARE;
    case SUP_CONTACT_SOLVER_RAISIM:
      return RAISIM;
    default:
      return COULOMB;
  }
}

/** Does it go from contact to contact? */
static int sweeps(sup_contact_solver solver) {
  return solver == SUP_CONTACT_SOLVER_RAISIM || solver == SUP_CONTACT_SOLVER_LCP_PGS ||
         solver == SUP_CONTACT_SOLVER_CCP_PGS || solver == SUP_CONTACT_SOLVER_NCP_PGS;
}

/** A scene of examples/papers by a solver, ready to step.
 *  @param[in] subspace  0: sweeps alone, as in the paper */
static void start(test_example *e, const char *scene, sup_contact_solver solver,
                  const char *tolerance, int subspace, const char *other) {
  char        key[64], eps[64], steps[64];
  const char *sets[] = {key,  eps, steps, "solver.tolerance=1e-8", "contact.dual.hand_over_above=0",
                        other};
  snprintf(key, sizeof key, "contact.solver=%s", solver_name[solver]);
  snprintf(eps, sizeof eps, "contact.dual.tolerance=%s", tolerance);
  snprintf(steps, sizeof steps, "contact.dual.subspace=%d", subspace);
  test_example_start(e, scene, sets, other ? 6 : 5);
}

static void step(test_example *e, int steps) {
  for (int n = 0; n < steps; n++) test_step(&e->s);
}

/* ---- R08 ------------------------------------------------------------------------------------- */

/** Kinetic and potential energy of the cube, 0 at rest on the floor. */
static double energy(const test_example *e) {
  sup_v3 v = test_example_velocity(e, "cube"), w = test_example_spin(e, "cube");
  return .5 * sup_v3_dot(v, v) + .5 * inertia * sup_v3_dot(w, w) +
         g * (test_example_place(e, "cube").z - rest);
}

/** Deceleration of a slide along x. */
static double brake(kind k) {
  double aside = mu * mu * rest * half / inertia / (1 + 2 * half * half / inertia);
  return k == RAISIM ? g * sqrt(mu * mu - aside * aside) : mu * g;
}

/* The convex relaxation throws the cube on the edge of the dual cone; of the others v = v0 - a t,
 * RaiSim's a is less: its friction is turned by G_NT of each corner (P4 21). */
static void a_sliding_cube_brakes_as_each_law_says(void) {
  for (int m = 0; m < SUP_NUM_CONTACT_SOLVERS; m++) {
    test_example e;
    kind         k = kind_of((sup_contact_solver)m);
    start(&e, "papers/cube_slide", (sup_contact_solver)m, "1e-6", 0, "time.step=0.01");
    step(&e, 1);
    if (k == CONVEX) {
      double slip = v0 - mu * (mu * v0 + g * .01) / (1 + mu * mu);
      sup_v3 v = test_example_velocity(&e, "cube");
      /* MuJoCo's compliance yields */
      double near = m == SUP_CONTACT_SOLVER_MUJOCO ? .03 : 1e-3;
      NEAR(v.x, slip, near, 0);
      NEAR(v.z, mu * slip, near, 0);
      test_example_end(&e);
      continue;
    }
    step(&e, 19);
    double v = v0 - brake(k) * .2, t = .2;
    NEAR(energy(&e), .5 * v * v, 1e-3, 0);
    NEAR(test_example_place(&e, "cube").x, v0 * t - .5 * brake(k) * t * (t + .01), 1e-4, 0);
    NEAR(test_example_place(&e, "cube").z, rest, 0, 1e-6);
    if (k == COULOMB) NEAR(test_example_place(&e, "cube").y, 0, 0, 1e-5);
    test_example_end(&e);
  }
}

/* The start of a step has impulses before any sweep, and its residual needs their G: rigid contact
 * has no compliance that would stand in for it. */
static void raisims_slide_is_the_same_on_rigid_contact(void) {
  test_example e;
  double       v = v0 - brake(RAISIM) * .2;
  start(&e, "papers/cube_slide", SUP_CONTACT_SOLVER_RAISIM, "1e-6", 0,
        "contact.dual.compliance=rigid");
  step(&e, 200);
  NEAR(energy(&e), .5 * v * v, 2e-3, 0);
  test_example_end(&e);
}

/* Each axis of the square brakes by mu g; the others keep to their line. */
static void friction_on_a_square_deviates_a_sliding_cube(void) {
  for (int m = 0; m < SUP_NUM_CONTACT_SOLVERS; m++) {
    test_example e;
    kind         k = kind_of((sup_contact_solver)m);
    if (k != COULOMB && k != SQUARE) continue;
    start(&e, "papers/cube_slide", (sup_contact_solver)m, "1e-6", 0,
          "rigid.cube.velocity=[2.598076211353316, 1.5, 0]");
    step(&e, 400); /* at rest */
    double x = 3 * v0 * v0 / (8 * mu * g), y = v0 * v0 / (8 * mu * g);
    sup_v3 p = test_example_place(&e, "cube");
    if (k == SQUARE) {
      NEAR(p.x, x, .01, 0);
      NEAR(p.y, y, .01, 0);
    } else {
      NEAR(p.y, p.x / sqrt(3), 0, 1e-5);
      NEAR(p.x, v0 * v0 / (2 * mu * g) * sqrt(3) / 2, .01, 0);
    }
    test_example_end(&e);
  }
}

/* ---- R09 ------------------------------------------------------------------------------------- */

typedef struct corners {
  double along[4], aside[4], normal[4]; /* rear 0 and 2, front 1 and 3 [N] */
} corners;

static corners forces_at_corners(const test_example *e) {
  const sup_step_result *r = sup_stepper_result(e->s.stepper);
  double                 middle = test_example_place(e, "cube").x;
  corners                out = {.along = {0}};
  for (int i = 0; i < r->num_contacts; i++) {
    const sup_contact *c = &r->contact[i];
    sup_v3             f = c->force.z < 0 ? sup_v3_scale(-1, c->force) : c->force;
    int                k = 2 * (c->point[0].y > 0) + (c->point[0].x > middle);
    out.along[k] = f.x, out.aside[k] = f.y, out.normal[k] = f.z;
  }
  return out;
}

/* Coulomb's cube slips at mu/4 s; forces that pull corners apart stay where solvers go from contact
 * to contact, RaiSim's even while it slides. */
static void a_dragged_cube_slips_on_time_and_solvers_leave_their_own_internal_forces(void) {
  for (int m = 0; m < SUP_NUM_CONTACT_SOLVERS; m++) {
    test_example e;
    kind         k = kind_of((sup_contact_solver)m);
    double       aside = 0, off = 0, turned = 0;
    start(&e, "papers/cube_drag", (sup_contact_solver)m, "1e-6", 0, NULL);
    for (int n = 1; n <= 338; n++) {
      step(&e, 1);
      corners f = forces_at_corners(&e);
      for (int i = 0; i < 4; i++) {
        if (n < 230) aside = fmax(aside, fabs(f.aside[i]));
        if (n == 100) off = fmax(off, fabs(f.along[i] + g * (.1 - 5e-4)));
        if (n == 338) turned = fmax(turned, fabs(f.aside[i]));
        if (n == 338 && (k == COULOMB || k == SQUARE)) {
          double normal = i & 1 ? 4.875570 : .029430;
          NEAR(.5 * (f.normal[i] + f.normal[i ^ 2]), normal, 0, 1e-3);
        }
      }
    }
    double v = test_example_velocity(&e, "cube").x - .5 * 4 * g * 1e-4; /* at .3375 s */
    double onset = .3375 - sqrt(v / (2 * g));
    printf("\n    %s: onset %.5f s, lateral %.2e N stuck, %.2e N sliding; off equal shares %.2e N",
           solver_name[m], onset, aside, turned, off);
    if (k == COULOMB || k == SQUARE) NEAR(onset, mu / 4, 0, 2e-3);
    if (k == CONVEX) CHECK(onset > mu / 4 && onset < mu / 4 + 2e-3);
    if (k == RAISIM) CHECK(onset < mu / 4 - .01 && turned > 1);
    if (k == COULOMB || k == CONVEX) CHECK(turned < 1e-3);
    if (sweeps((sup_contact_solver)m))
      CHECK(aside > .01);
    else
      CHECK(aside < 1e-6);
    if (k == CONVEX && !sweeps((sup_contact_solver)m)) CHECK(off < 1e-3);
    test_example_end(&e);
  }
}

/* ---- R10 ------------------------------------------------------------------------------------- */

/* A mass ratio of 1e6: what goes from contact to contact does not carry the ton and says so, and
 * MuJoCo's compliance, a share of the gram's inverse mass, lets it sink. */
/* Sweeps alone do not carry it; with steps of all contacts in between they do. */
static void a_ton_on_a_gram_is_carried_by_solvers_of_all_contacts_at_once(void) {
  for (int trial = 0; trial < 2 * SUP_NUM_CONTACT_SOLVERS; trial++) {
    test_example e;
    int          m = trial / 2, is_plain = trial % 2 == 0;
    if (!is_plain && !sweeps((sup_contact_solver)m)) continue;
    start(&e, "papers/cube_stack", (sup_contact_solver)m, "1e-12", is_plain ? 0 : 6,
          "contact.dual.max_iterations=300");
    step(&e, 10);
    sup_v3 ground = test_contact_force(&e.s, "floor"), heavy = test_contact_force(&e.s, "heavy");
    double off = fmax(fabs(-ground.z / 9810.009810 - 1), fabs(heavy.z / 9810 - 1));
    double speed = fabs(test_example_velocity(&e, "heavy").z), left = e.s.report.law_residual;
    printf("\n    %s%s: forces off by %.1e, speed %.1e m/s, residual %.1e", solver_name[m],
           is_plain ? "" : " with steps of all", off, speed, left);
    if (m == SUP_CONTACT_SOLVER_MUJOCO || (is_plain && sweeps((sup_contact_solver)m))) {
      CHECK(off > 1e-3);
      if (m != SUP_CONTACT_SOLVER_MUJOCO) CHECK(left > 1e-4);
    } else { /* velocities count against g dt, what the contacts take away */
      CHECK(off < (m == SUP_CONTACT_SOLVER_NEWTON ? 1e-6 : 1e-5));
      CHECK(left <= (is_plain ? 1e-9 : 1e-8)); /* sums of the gram lose 4e-10 of g dt */
    }
    test_example_end(&e);
  }
}

SUITE_TESTS(cube_solvers, TEST(a_sliding_cube_brakes_as_each_law_says),
            TEST(raisims_slide_is_the_same_on_rigid_contact),
            TEST(friction_on_a_square_deviates_a_sliding_cube),
            TEST(a_dragged_cube_slips_on_time_and_solvers_leave_their_own_internal_forces),
            TEST(a_ton_on_a_gram_is_carried_by_solvers_of_all_contacts_at_once));
