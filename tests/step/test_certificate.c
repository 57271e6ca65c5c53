/* Certificate of the contact model and condition number, over runs of sup_step. */
#include "scene_test.h"

enum { NUM_MODELS = 5 };
static const sup_contact_model models[NUM_MODELS] = {
    SUP_MODEL_SAP, SUP_MODEL_LAGGED, SUP_MODEL_LAGGED_REGULARIZED, SUP_MODEL_SIMILAR,
    SUP_MODEL_SIMILAR_REGULARIZED};

/** A box of 1 kg on or above the floor. */
static sup_link_def *add_box(test_scene *s, double height, double speed) {
  test_scene_init(s);
  test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *box = test_add_rigid(s, "box", (sup_shape){SUP_SHAPE_BOX, {.1, .1, .1}}, 1, 0);
  box->q0[2] = .05 + height;
  box->v0[3] = speed;
  for (int i = 0; i < 2; i++)
    s->geometry[i].contact.friction = .5, s->geometry[i].contact.stiffness = 2e6;
  s->geometry[1].contact.resolution = .1; /* two triangles a face */
  s->options.certificate = 1;
  return box;
}

/* ---- certificate ----------------------------------------------------------------------------- */

/* Steady sliding: Lagged meets Coulomb's law but for v_s/|v_t|; SAP and Similar glide, which
 * complementarity sees. */
static void sliding_is_coulombs_for_lagged_and_glides_for_the_others(void) {
  double complementarity[NUM_MODELS];
  for (int k = 0; k < NUM_MODELS; k++) {
    test_scene    s;
    sup_link_def *box = add_box(&s, -1e-5, 2);
    for (int i = 0; i < 3; i++) box->inertia[i] = 1e6; /* no tipping */
    s.def.contact.model = models[k];
    s.options.dt = 1e-3;
    s.options.tolerance = 1e-9;
    test_start(&s);
    for (int i = 0; i < 100; i++) test_step(&s);
    complementarity[k] = 0;
    for (int i = 0; i < 100; i++) {
      test_step(&s);
      const sup_step_result *r = sup_stepper_result(s.stepper);
      double                 U = s.state->v[3];
      complementarity[k] = fmax(complementarity[k], s.report.ncp_complementarity);
      CHECK(s.report.ncp_primal < 1e-3 && s.report.ncp_dual < 1e-9);
      CHECK(s.report.friction_lag < 1e-3 && s.report.stick_speed_max == 0);
      for (int j = 0; j < r->num_contacts; j++) {
        const sup_contact *c = &r->contact[j];
        double expected = (sup_contact_model_law(models[k]) == SUP_LAW_SIMILAR) ? .5 * 1e-3 * U : 0;
        if (models[k] != SUP_MODEL_SAP) NEAR(c->gliding_offset, expected, 1e-3, 1e-15);
        CHECK(c->effective_stiffness > 0 && c->slip_tolerance > 0);
      }
    }
    NEAR(s.state->v[3], 2 - .5 * 9.81 * .2, 3e-2, 0);
    test_end(&s);
  }
  CHECK(complementarity[1] < 1e-6);
  CHECK(complementarity[0] > 100 * complementarity[1] &&
        complementarity[3] > 100 * complementarity[1]);
}

/* Measured in every step, asked or not.  SAP meets its own law to round-off, Lagged Coulomb's as
 * far as the certificate says; slip tolerances are those of the contacts. */
static void complementarity_and_slip_tolerance_are_those_of_the_model(void) {
  for (int k = 0; k < NUM_MODELS; k++) {
    test_scene    s;
    sup_link_def *box = add_box(&s, -1e-5, 2);
    for (int i = 0; i < 3; i++) box->inertia[i] = 1e6;
    s.def.contact.model = models[k];
    s.options.dt = 1e-3, s.options.tolerance = 1e-9, s.options.stiction_tolerance = 2e-3;
    test_start(&s);
    for (int i = 0; i < 100; i++) test_step(&s);
    const sup_step_result *r = sup_stepper_result(s.stepper);
    double                 most = 0, error = s.report.complementarity_error;
    for (int j = 0; j < r->num_contacts; j++) most = fmax(most, r->contact[j].slip_tolerance);
    NEAR(s.report.slip_tolerance, most, 1e-12, 0);
    if (models[k] == SUP_MODEL_SAP) CHECK(error < 1e-15);
    if (models[k] == SUP_MODEL_LAGGED) {
      NEAR(most, 2e-3, 1e-12, 0);
      NEAR(error, s.report.ncp_complementarity, 1e-9, 0);
      CHECK(error > 1e-12);
    }
    /* relaxation of Coulomb's law, except for the soft norm */
    if (sup_contact_model_law(models[k]) == SUP_LAW_SIMILAR)
      CHECK(error > 0 && error < .1 * s.report.ncp_complementarity);
    test_end(&s);
  }
}

/* A body that lands while it slides: plain Lagged friction uses the impulse of before, the sweeps
 * end that; coupled friction needs none. */
static void friction_lags_on_landing_and_sweeps_end_it(void) {
  double lag[2], primal[2];
  for (int k = 0; k < 2; k++) {
    test_scene s;
    add_box(&s, 1e-4, 1);
    s.def.contact.model = SUP_MODEL_LAGGED;
    s.options.friction_sweeps = k ? 20 : 1;
    s.options.sweep_tolerance = 1e-3;
    test_start(&s);
    lag[k] = primal[k] = 0;
    for (int i = 0; i < 5; i++) {
      test_step(&s);
      lag[k] = fmax(lag[k], s.report.friction_lag),
      primal[k] = fmax(primal[k], s.report.ncp_primal);
    }
    test_end(&s);
  }
  CHECK(lag[0] > .9 && lag[1] < 2e-3);
  CHECK(primal[1] < 2e-3);
}

/* On a floor that speeds up evenly, or turns so a metre beside the box, the box presses evenly: the
 * impulse at the step's start is that of the floor's velocity before the step, which dissipation of
 * 50 s/m would feel by half of the force. */
static void friction_does_not_lag_on_a_floor_that_speeds_up(void) {
  enum { STEPS = 30 };
  for (int turns = 0; turns < 2; turns++) {
    double        time[STEPS + 1], motion[6 * (STEPS + 1)] = {0};
    test_scene    s;
    sup_link_def *box = add_box(&s, -2e-6, 0);
    box->q0[1] = turns;
    s.def.contact.model = SUP_MODEL_LAGGED;
    s.options.dt = .01;
    for (int i = 0; i < 2; i++) s.geometry[i].contact.dissipation = 50;
    for (int i = 0; i <= STEPS; i++) {
      time[i] = i * s.options.dt;
      motion[6 * i + (turns ? 3 : 2)] = .5 * time[i] * time[i]; /* 1 m/s^2 up, 1 rad/s^2 */
    }
    s.tree[0].motion =
        (sup_table){.num_rows = STEPS + 1, .width = 6, .time = time, .value = motion};
    test_start(&s);
    for (int i = 0; i < STEPS; i++) {
      test_step(&s);
      if (i > STEPS / 2) CHECK(s.report.friction_lag < (turns ? .02 : 2e-4));
    }
    NEAR(s.state->v[5], s.options.dt * (STEPS - .5), turns ? .05 : 1e-3, 0);
    test_end(&s);
  }
}

/* At rest on an incline the box creeps: what the report says is what the box does. */
static void the_creep_of_a_held_box_is_reported(void) {
  for (int k = 0; k < NUM_MODELS; k++) {
    test_scene    s;
    sup_link_def *box = add_box(&s, -5e-6, 0);
    for (int i = 0; i < 3; i++) box->inertia[i] = 1e6;
    s.options.gravity[0] = 9.81 * .2;
    s.def.contact.model = models[k];
    s.options.tolerance = 1e-10;
    test_start(&s);
    for (int i = 0; i < 200; i++) test_step(&s);
    const sup_contact *c = sup_stepper_result(s.stepper)->contact;
    double             v = sup_v3_norm(c->slip);
    NEAR(s.report.stick_speed_max, v, 1e-6, 0);
    NEAR(c->stick_creep, v, .1, 0); /* linear in the force; friction is at 0.4 of its bound */
    CHECK(v > 0 && v < 1e-4);
    test_end(&s);
  }
}

static void nothing_is_measured_unless_asked(void) {
  test_scene s;
  add_box(&s, -1e-5, 1);
  s.options.certificate = 0;
  test_start(&s);
  for (int i = 0; i < 3; i++) test_step(&s);
  CHECK(s.report.ncp_complementarity == 0 && s.report.condition == 0);
  CHECK(sup_stepper_result(s.stepper)->contact->effective_stiffness == 0);
  test_end(&s);
}

/* ---- condition number ------------------------------------------------------------------------ */

/* Two sliders of masses 3 and 1 in series: A = [4 1; 1 1], eigenvalues (5 +- sqrt(13))/2; with
 * springs in A too. */
static void the_condition_number_is_that_of_the_matrix(void) {
  for (int sprung = 0; sprung < 2; sprung++) {
    test_scene s;
    test_scene_init(&s);
    sup_tree_def *d = test_add_tree(&s, "sliders", 2);
    for (int l = 0; l < 2; l++) {
      d->links[l].joint = SUP_JOINT_PRISMATIC;
      d->links[l].mass = l ? 1 : 3;
      for (int i = 0; i < 3; i++) d->links[l].inertia[i] = 1e-3;
    }
    if (sprung) d->links[1].spring = 4e4;
    s.options.report_condition = 1;
    test_start(&s);
    test_step(&s);
    double b = sprung ? 5 : 1, root = sqrt((4 - b) * (4 - b) + 4); /* dt^2 k = 4 */
    NEAR(s.report.condition, (4 + b + root) / (4 + b - root), 1e-4, 0);
    test_end(&s);
  }
}

/* A body of unit mass and inertia on frictionless elastic contact: H = 1 but for the vertical, 1 +
 * dt^2 k. */
static void contact_raises_the_condition_number(void) {
  for (int touching = 0; touching < 2; touching++) {
    test_scene    s;
    sup_link_def *box = add_box(&s, touching ? -1e-4 : .1, 0);
    for (int i = 0; i < 3; i++) box->inertia[i] = 1;
    for (int g = 0; g < 2; g++)
      s.geometry[g].contact.dissipation = s.geometry[g].contact.friction = 0,
      s.geometry[g].contact.stiffness = 4e6;
    s.options.report_condition = 1;
    s.options.beta = 1e-9; /* as stiff as it is */
    test_start(&s);
    test_step(&s);
    double k = 2e6 * .01; /* two surfaces in series */
    /* an estimate: rotations have eigenvalues of 1.001, from which power iterations part slowly */
    NEAR(s.report.condition, touching ? 1 + 1e-4 * k : 1, 2e-3, 0);
    test_end(&s);
  }
}

SUITE_TESTS(certificate, TEST(sliding_is_coulombs_for_lagged_and_glides_for_the_others),
            TEST(complementarity_and_slip_tolerance_are_those_of_the_model),
            TEST(friction_lags_on_landing_and_sweeps_end_it),
            TEST(friction_does_not_lag_on_a_floor_that_speeds_up),
            TEST(the_creep_of_a_held_box_is_reported), TEST(nothing_is_measured_unless_asked),
            TEST(the_condition_number_is_that_of_the_matrix),
            TEST(contact_raises_the_condition_number));
