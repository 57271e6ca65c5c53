/* Rods and ropes in equilibria (THEORY 11.1, 18): closed forms of weights, trusses and soft bodies,
 * saddles, modes. */
#include "app/app_test.h"
#include "model/constraint.h"
#include "step/equations.h"
#include "step/scene_test.h"
#include "step/static/modes.h"

static const double g0 = 9.81;

enum { MOST = 6 };
/** Rods and ropes of a scene. */
typedef struct lines {
  sup_constraint_def def[MOST];
} lines;

static sup_constraint_def *join(test_scene *s, lines *l, sup_constraint_kind kind, const char *a,
                                const char *b, sup_v3 from) {
  sup_constraint_def *c = &l->def[s->def.num_constraints++];
  *c = sup_default_constraint_def();
  snprintf(c->name, sizeof c->name, "c%d", s->def.num_constraints);
  snprintf(c->a, sizeof c->a, "%s", a), snprintf(c->b, sizeof c->b, "%s", b);
  c->kind = kind, sup_v3_store(c->point_a, from);
  s->def.constraints = l->def;
  return c;
}

static void add_node(test_scene *s, double mass, double x, double z) {
  sup_link_def *l = test_add_rigid(s, "node", (sup_shape){SUP_SHAPE_SPHERE, {.01}}, mass, 0);
  l->num_geometries = 0;
  l->q0[0] = x, l->q0[2] = z;
}

static double force(const test_scene *s, int i) {
  return sup_v3_norm(sup_stepper_result(s->stepper)->constraint_wrench[i].force);
}

/* Ropes of 0.5 m and 0.4 m from (0, 0) and (0.6 m, 0): a triangle, whose ropes take the weight as
 * the sines of their angles say; elastic ones as long as that under the same forces. */
static void two_ropes_carry_a_weight(void) {
  double d = .6, L[2] = {.5, .4}, x = (d * d + L[0] * L[0] - L[1] * L[1]) / (2 * d),
         z = -sqrt(L[0] * L[0] - x * x), m = 2,
         T[2] = {m * g0 * (d - x) * L[0] / (d * -z), m * g0 * x * L[1] / (d * -z)};
  for (int k = 0; k < 2; k++) { /* 0 inextensible, slack at the start; 1 elastic */
    test_scene s;
    lines      l;
    test_scene_init(&s);
    add_node(&s, m, k ? .2 : .35, k ? z : -.15);
    for (int i = 0; i < 2; i++) {
      sup_constraint_def *c =
          join(&s, &l, SUP_CONSTRAINT_ROPE, "world", "node", (sup_v3){i * d, 0, 0});
      c->stiffness = k * 1e4, c->length = L[i] - (k ? T[i] / 1e4 : 0);
    }
    test_start(&s);
    test_static(&s, 3);
    CHECK(s.report.saddles == 0);
    for (int i = 0; i < 2; i++) NEAR(force(&s, i), T[i], 1e-7, 0);
    NEAR(s.state->q[0], x, 1e-7, 0);
    NEAR(s.state->q[2], z, 1e-7, 0);
    test_end(&s);
  }
}

/** Height of a node on three rods that meet at its centre, radius r at the ground. */
static double tripod(double z, double stiffness, double mass, double *T) {
  test_scene s;
  lines      l;
  test_scene_init(&s);
  add_node(&s, mass, 0, z);
  for (int i = 0; i < 3; i++)
    join(&s, &l, SUP_CONSTRAINT_ROD, "world", "node",
         (sup_v3){.2 * cos(2.0943951023931953 * i), .2 * sin(2.0943951023931953 * i), 0})
        ->stiffness = stiffness;
  test_start(&s);
  test_static(&s, 4);
  *T = force(&s, 0);
  for (int i = 1; i < 3; i++) NEAR(force(&s, i), *T, 1e-6, 0);
  NEAR(s.state->q[0], 0, 0, 1e-8);
  double end = s.state->q[2];
  CHECK(s.report.saddles == 0);
  test_end(&s);
  return end;
}

/* Rigid rods push with a third of the weight over the sine of their slope, also shallow ones, and
 * there is no saddle; of elastic ones the node sinks until their law balances it, or snaps through
 * where a shallow truss cannot. */
static void rods_carry_a_node(void) {
  const double height[3] = {.3, .05, .002};
  double       T, m = 2;
  for (int k = 0; k < 3; k++) {
    double l = hypot(.2, height[k]);
    NEAR(tripod(height[k], 0, m, &T), height[k], 0, 1e-9);
    NEAR(T, m * g0 / 3 * l / height[k], 1e-6, 0);
  }
  for (int k = 0; k < 2; k++) { /* 0 stands, 1 snaps: 2/3^1.5 k h^3/r^2 = 2.4 N is its limit */
    double z0 = k ? .05 : .3, l0 = hypot(.2, z0), stiffness = 2e3;
    double z = tripod(z0, stiffness, k ? m : 1, &T), l = hypot(.2, z);
    CHECK((z > 0) == (k == 0));
    NEAR(T, stiffness * fabs(l0 - l), 1e-7, 0);
    NEAR(3 * stiffness * (l0 - l) * z / l, (k ? m : 1) * g0, 1e-7, 0);
  }
}

/* A node on a rod that stands aslant turns over and hangs. */
static void a_rod_turns_over(void) {
  test_scene s;
  lines      l;
  test_scene_init(&s);
  add_node(&s, 2, .01, .3);
  join(&s, &l, SUP_CONSTRAINT_ROD, "world", "node", (sup_v3){0, 0, 0});
  test_start(&s);
  test_static(&s, 1);
  NEAR(s.state->q[2], -hypot(.01, .3), 1e-9, 0);
  NEAR(force(&s, 0), 2 * g0, 1e-8, 0);
  test_end(&s);
}

/* A rope on the tip holds an arm, whose hinge takes no moment. */
static void a_rope_holds_an_arm(void) {
  test_scene s;
  lines      l;
  test_scene_init(&s);
  sup_link_def *arm = &test_add_tree(&s, "arm", 1)->links[0];
  arm->joint = SUP_JOINT_REVOLUTE, arm->axis[0] = 0, arm->axis[1] = 1, arm->axis[2] = 0;
  arm->mass = 3, arm->com[0] = .2, arm->inertia[0] = arm->inertia[1] = arm->inertia[2] = .01;
  join(&s, &l, SUP_CONSTRAINT_ROPE, "world", "arm/link0", (sup_v3){0, 0, .5})->point_b[0] = .4;
  test_start(&s);
  test_static(&s, 1);
  NEAR(s.state->q[0], 0, 0, 1e-8);
  NEAR(force(&s, 0), 3 * g0 * .2 / (.4 * .5 / hypot(.4, .5)), 1e-7, 0);
  CHECK(s.report.saddles == 0);
  test_end(&s);
}

/* A soft block hangs upright on a rope with its weight, also one that carries a node beneath, and
 * on a rope longer than its way down it rests on the ground. */
static void a_soft_block_hangs_on_a_rope(void) {
  for (int k = 0; k < 3; k++) { /* 0 block, 1 with a node, 2 on the ground */
    test_scene s;
    lines      l;
    test_scene_init(&s);
    test_add_soft_box(&s, "block", .04, .04, .04, 4, 4, 4, SUP_PATTERN_HEX, 1e6, .3, 1000);
    if (k == 1) add_node(&s, .1, .02, -.15), s.def.trees[0].links[0].q0[1] = .02;
    if (k == 2) test_add_rigid(&s, "ground", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
    sup_constraint_def *c =
        join(&s, &l, SUP_CONSTRAINT_ROPE, "world", "block", (sup_v3){.02, .02, .1});
    c->point_b[0] = c->point_b[1] = .02, c->point_b[2] = .04, c->length = k == 2 ? .07 : 0;
    if (k == 1) {
      c = join(&s, &l, SUP_CONSTRAINT_ROPE, "block", "node", (sup_v3){.02, .02, 0});
    }
    test_start(&s);
    test_static(&s, 1);
    double weight = 64e-6 * 1000 * g0;
    NEAR(force(&s, 0), k == 2 ? 0 : weight + k * .1 * g0, 1e-7, 0);
    if (k == 1) NEAR(force(&s, 1), .1 * g0, 1e-7, 0);
    if (k == 2) NEAR(test_contact_force(&s, "ground").z, -weight, 1e-6, 0);
    test_end(&s);
  }
}

/* A node on a rigid rod swings as a pendulum; one on an elastic rod bounces, too. */
static void a_node_on_a_rod_has_its_modes(void) {
  for (int k = 0; k < 2; k++) {
    test_scene         s;
    lines              l;
    sup_modes          modes;
    sup_static_options o = sup_default_static_options();
    test_scene_init(&s);
    add_node(&s, 2, 0, -.3);
    join(&s, &l, SUP_CONSTRAINT_ROD, "world", "node", (sup_v3){0, 0, 0})->stiffness = k * 5e3;
    test_start(&s);
    test_static(&s, 1);
    OK(sup_modes_find(sup_stepper_layout(s.stepper), s.state, &o, 1, 5 + k, &modes));
    double length = -s.state->q[2];
    NEAR(length, .3 + k * 2 * g0 / 5e3, 1e-9, 0);
    for (int i = 3; i < 5; i++) NEAR(modes.mode[i].omega2, g0 / length, 1e-6, 0);
    if (k) NEAR(modes.mode[5].omega2, 5e3 / 2, 1e-6, 0);
    sup_modes_free(&modes);
    test_end(&s);
  }
}

/* A weight that motion has brought to rest on its ropes is the one of the equilibrium. */
static void a_settled_run_is_the_equilibrium(void) {
  double q[2][3], T[2][2];
  for (int k = 0; k < 2; k++) {
    test_scene s;
    lines      l;
    test_scene_init(&s);
    add_node(&s, 1, .2, -.4);
    for (int i = 0; i < 2; i++) {
      sup_constraint_def *c =
          join(&s, &l, SUP_CONSTRAINT_ROPE, "world", "node", (sup_v3){.5 * i, 0, 0});
      c->stiffness = 500, c->damping = 100;
    }
    s.options.dt = .05;
    test_start(&s);
    if (k == 0) test_static(&s, 1);
    for (int step = 0; k == 1 && step < 4000; step++) test_step(&s);
    memcpy(q[k], s.state->q, sizeof q[k]);
    for (int i = 0; i < 2; i++) T[k][i] = force(&s, i);
    test_end(&s);
  }
  for (int a = 0; a < 3; a++) NEAR(q[1][a], q[0][a], 0, 1e-6);
  for (int i = 0; i < 2; i++) NEAR(T[1][i], T[0][i], 1e-5, 0);
}

/* Constraints of links alone but rods and ropes, and derivatives are refused by name; differences
 * have them: m g = -k z of a node on a rod.  */
static void what_equilibria_do_not_take_is_named(void) {
  check_run("static tests/data/constraints/pin.yaml --set constraints.pin.type=ball -o FOLDER/l", 2,
            "the ball 'pin' joins rigid ones");
  app_write_file("hung.yaml",
                 "supple: 1\ntime: {step: 1 s, end: 1 s}\noutput: {format: none}\nrigid: {node: "
                 "{shape: {sphere: {radius: 1 cm}}, mass: 2 kg, pose: {position: [0, 0, -1]}}}\n"
                 "constraints: {c: {type: rod, bodies: [world, node], points: [[0, 0, 0], [0, 0, "
                 "0]], stiffness: 981 N/m}}\n");
  for (int k = 0; k < 2; k++) {
    char text[256];
    snprintf(text, sizeof text,
             "supple: 1\nscene: hung.yaml\nmode: static\ngradient: {method: %s}\nparameters: {m: "
             "{key: rigid.node.mass}}\nquantities: {z: node.z}\n",
             k ? "differences" : "adjoint");
    app_write_file("hung_study.yaml", text);
    check_run("gradient FOLDER/hung_study.yaml -o FOLDER/l --no-plot", k ? 0 : 2,
              k ? "-0.01 m/kg"
                : "equilibria with constraint 'c' have no derivatives here; method: differences");
  }
}

SUITE_TESTS(static_lines, TEST(two_ropes_carry_a_weight), TEST(rods_carry_a_node),
            TEST(a_rod_turns_over), TEST(a_rope_holds_an_arm), TEST(a_soft_block_hangs_on_a_rope),
            TEST(a_node_on_a_rod_has_its_modes), TEST(a_settled_run_is_the_equilibrium),
            TEST(what_equilibria_do_not_take_is_named));
