/* Entries of a pair or of the options of contact: those without effect are refused or warned of,
 * the others pass without a word. */
#include "base/log.h"
#include "law/normal.h"
#include "step/scene_test.h"

typedef struct messages {
  char text[2048];
  int  warnings;
} messages;

static void keep(sup_log_level level, const char *message, void *user) {
  messages *m = user;
  size_t    used = strlen(m->text);
  m->warnings += level == SUP_LOG_WARNING;
  snprintf(m->text + used, sizeof m->text - used, "%s\n", message);
}

/** A ball and a fixed floor and wall, in point contact or with surfaces; one pair of ball and
 * floor. */
static void ball_and_floor(test_scene *s, sup_pair_def *pair, int in_points) {
  test_scene_init(s);
  sup_link_def *ball = test_add_rigid(s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.05}}, 1, 0);
  test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  test_add_rigid(s, "wall", (sup_shape){SUP_SHAPE_BOX, {.1, .1, .1}}, 0, 1);
  ball->q0[2] = .06, ball->q0[3] = 1;
  for (int t = 0; t < 3; t++) s->geometry[t].contact.point_stiffness = in_points ? 1e5 : 0;
  *pair = sup_default_pair_def();
  strcpy(pair->a, "floor"), strcpy(pair->b, "ball");
  s->def.pairs = pair, s->def.num_pairs = 1;
}

static sup_status create(test_scene *s, messages *m) {
  *m = (messages){.warnings = 0};
  sup_log_set(keep, m);
  sup_status status = sup_model_create(&s->model, &s->def);
  if (status == SUP_OK) status = sup_stepper_create(&s->stepper, s->model, &s->options);
  sup_log_set(NULL, NULL);
  sup_stepper_destroy(&s->stepper);
  sup_model_destroy(&s->model);
  return status;
}

/** Field number k of a pair definition. */
static const char *set_field(sup_pair_def *p, int k) {
  static const char *const names[] = {"dissipation",    "relaxation_time", "hertz_radius",
                                      "barrier.energy", "barrier.range",   "point"};
  double *const            fields[] = {&p->dissipation,   &p->relaxation_time,  //
                                       &p->hertz_radius,  &p->barrier_energy,
                                       &p->barrier_range, &p->point_stiffness};
  *fields[k] = .01;
  return names[k];
}

/* Each law with each number, given by the pair itself: accepted when its row says that it uses it,
 * else refused. */
static void a_pair_may_name_what_its_law_uses_and_nothing_else(void) {
  static const int parameter[] = {SUP_USES_DISSIPATION,     SUP_USES_RELAXATION,
                                  SUP_USES_HERTZ_STIFFNESS, SUP_USES_BARRIER_ENERGY,
                                  SUP_USES_BARRIER_RANGE,   SUP_USES_STIFFNESS};
  int              refused = 0, used = 0;
  for (int law = 0; law < SUP_NUM_NORMAL_LAWS; law++)
    for (int k = 0; k < 6; k++) {
      test_scene   s;
      sup_pair_def pair;
      messages     m;
      char         message[256];
      ball_and_floor(&s, &pair, 1);
      s.geometry[0].contact.hertz_modulus = 1e6;
      pair.normal_law = law;
      const char *name = set_field(&pair, k);
      snprintf(message, sizeof message,
               "'%s' of the contact pair of 'floor' and 'ball' has no effect: their normal law %s "
               "does not use it",
               name, sup_normal_name((sup_normal_law)law));
      if (sup_normal_table((sup_normal_law)law)->uses & parameter[k]) {
        OK(create(&s, &m));
        used++;
      } else {
        FAILS(create(&s, &m), SUP_E_ARG, message);
        refused++;
      }
      CHECK(m.warnings == 0);
      /* the same number under a law of the whole scene is a warning, so that laws can be compared
       */
      pair.normal_law = SUP_NONE;
      s.def.contact.normal_law = (sup_normal_law)law;
      OK(create(&s, &m));
      CHECK((strstr(m.text, message) != NULL) ==
            !(sup_normal_table((sup_normal_law)law)->uses & parameter[k]));
    }
  CHECK(refused > used && used >= SUP_NUM_NORMAL_LAWS); /* a law uses one number at least */
}

static void sap_uses_stiffness_and_relaxation(void) {
  test_scene   s;
  sup_pair_def pair;
  messages     m;
  ball_and_floor(&s, &pair, 1);
  pair.model = SUP_MODEL_SAP;
  pair.relaxation_time = .01, pair.dissipation = 3,
  pair.point_stiffness = 2e5; /* one damping acts: fine */
  OK(create(&s, &m));
  CHECK(m.warnings == 0);
  pair.relaxation_time = (double)NAN;
  FAILS(create(&s, &m), SUP_E_ARG,
        "'dissipation' of the contact pair of 'floor' and 'ball' has no effect: their contact "
        "model sap does not use it");
  pair.dissipation = (double)NAN, pair.normal_law = SUP_NORMAL_HERTZ;
  FAILS(create(&s, &m), SUP_E_ARG,
        "'normal_law' of the contact pair of 'floor' and 'ball' has no effect");
}

static void stiffness_must_fit_how_the_pair_touches(void) {
  for (int in_points = 0; in_points < 2; in_points++) {
    test_scene   s;
    sup_pair_def pair;
    messages     m;
    ball_and_floor(&s, &pair, in_points);
    pair.stiffness = 1e9;
    if (in_points)
      FAILS(create(&s, &m), SUP_E_ARG,
            "'stiffness' of the contact pair of 'floor' and 'ball' has no effect: they touch in "
            "points, whose stiffness is 'point: {stiffness: ...}' [N/m]");
    else
      OK(create(&s, &m));
    pair.stiffness = (double)NAN, pair.point_stiffness = 1e4;
    if (in_points)
      OK(create(&s, &m));
    else
      FAILS(create(&s, &m), SUP_E_ARG,
            "'point' of the contact pair of 'floor' and 'ball' has no effect: they touch with "
            "their surfaces, whose stiffness is 'stiffness' [Pa/m]");
  }
}

static void pairs_that_never_meet_and_friction_that_never_acts_are_refused(void) {
  test_scene   s;
  sup_pair_def pair;
  messages     m;
  ball_and_floor(&s, &pair, 0);
  pair.rolling_friction = 1e-3;
  FAILS(create(&s, &m), SUP_E_ARG,
        "'rolling_friction' of the contact pair of 'floor' and 'ball' has no effect: they touch "
        "with their surfaces");
  ball_and_floor(&s, &pair, 1);
  pair.friction = .5, pair.static_friction = .4;
  FAILS(create(&s, &m), SUP_E_ARG,
        "'static_friction' of the contact pair of 'floor' and 'ball' has no effect: it is not "
        "above the pair's friction");
  pair.static_friction = .6;
  OK(create(&s, &m));
  strcpy(pair.b, "wall");
  FAILS(create(&s, &m), SUP_E_ARG,
        "the contact pair of 'floor' and 'wall' has no effect: both are fixed, or neighbours");
  pair.disabled = 1; /* what does not meet may be told not to */
  OK(create(&s, &m));
  CHECK(m.warnings == 0);
}

/* The radius of a pair stands in for shapes whose curvature is not known. */
static void hertz_says_what_it_lacks(void) {
  test_scene   s;
  sup_pair_def pair;
  messages     m;
  ball_and_floor(&s, &pair, 1);
  s.def.num_pairs = 0;
  s.def.contact.normal_law = SUP_NORMAL_HERTZ;
  FAILS(create(&s, &m), SUP_E_ARG,
        "needs 'hertz_modulus', E/(1 - nu^2) [Pa], of at least one body");
  s.geometry[0].contact.hertz_modulus = 1e6;
  OK(create(&s, &m));
  s.geometry[0].shape = (sup_shape){SUP_SHAPE_CYLINDER, {.05, .1}};
  FAILS(create(&s, &m), SUP_E_ARG,
        "'ball' (cylinder) and 'floor' (half_space) finds the radius of a sphere against");
  s.geometry[0].shape = (sup_shape){SUP_SHAPE_BOX, {.1, .1, .1}};
  FAILS(create(&s, &m), SUP_E_ARG,
        "'ball' (box) and 'floor' (half_space)"); /* flat on flat has no radius */
  s.def.num_pairs = 1, s.def.num_trees = 2;
  pair.hertz_radius = .02;
  OK(sup_model_create(&s.model, &s.def));
  NEAR(s.model->pair[0].hertz_stiffness, 4. / 3 * 1e6 * sqrt(.02), 1e-14, 0);
  sup_model_destroy(&s.model);
  s.geometry[0].contact.point_stiffness = 0;
  FAILS(
      create(&s, &m), SUP_E_ARG,
      "the normal law hertz is for point contact: give both 'contact: {point: {stiffness: ...}}'");
}

/* Points have an energy, soft surfaces one by area. */
static void barriers_are_as_strong_as_their_kind_of_contact_says(void) {
  test_scene   s;
  sup_pair_def pair;
  messages     m;
  ball_and_floor(&s, &pair, 1);
  pair.normal_law = SUP_NORMAL_IPC_BARRIER;
  pair.barrier_surface_energy = 2;
  FAILS(create(&s, &m), SUP_E_ARG, "points have 'energy' [J]");
}

static void options_without_effect_are_warned_of(void) {
  static const char *const expected[] = {
      "contact.normal_law has no effect: it belongs to models other than sap, which no pair has",
      "contact.barrier.energy has no effect", "contact.barrier.range has no effect",
      "contact.layer has no effect: it belongs to soft bodies",
      "contact.friction_sweeps has no effect: it belongs to the lagged models"};
  test_scene   s;
  sup_pair_def pair;
  messages     m;
  ball_and_floor(&s, &pair, 1);
  s.def.num_pairs = 0;
  sup_options       *o = &s.options;
  sup_contact_rules *rules = &s.def.contact;
  rules->model = SUP_MODEL_SAP, rules->normal_law = SUP_NORMAL_IPC_BARRIER;
  rules->barrier_energy = rules->barrier_range = 1, rules->layer = 20;
  o->friction_sweeps = 2, o->stiction_tolerance = 1;
  OK(create(&s, &m));
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    CHECK(strstr(m.text, expected[i]) != NULL);
  CHECK(m.warnings == 5); /* sigma and v_s serve scenes in which models are compared */
  rules->model = SUP_MODEL_LAGGED, rules->layer = 10;
  OK(create(&s, &m));
  CHECK(m.warnings == 0);
  *o = sup_default_options(), *rules = sup_default_contact_rules();
  o->sweep_tolerance = .5, o->sigma = .1;
  OK(create(&s, &m));
  CHECK(m.warnings == 1 && strstr(m.text, "contact.sweep_tolerance") != NULL);
  *o = sup_default_options();
  s.geometry[1].contact.point_stiffness = s.geometry[2].contact.point_stiffness = 0;
  OK(create(&s, &m));
  CHECK(m.warnings == 1 &&
        strstr(m.text, "'ball' has 'point' in its contact, but no rigid body that it may touch") !=
            NULL);
}

/* Largest mu(s) s/sqrt(1 + s^2) of mu from .6 to .4 (THEORY 6.4): .5897, at 6.4 stiction
 * tolerances; of min(s, 1) it is .59988, which nobody needs to know. */
static void static_friction_that_does_not_hold_is_told(void) {
  test_scene   s;
  sup_pair_def pair;
  messages     m;
  ball_and_floor(&s, &pair, 1);
  s.def.num_pairs = 0;
  for (int i = 0; i < 3; i++)
    s.geometry[i].contact.friction = .4, s.geometry[i].contact.static_friction = .6;
  OK(create(&s, &m));
  CHECK(m.warnings == 1 && strstr(m.text,
                                  "static_friction 0.6 of 'ball' and 'floor' holds as "
                                  "0.5897:") != NULL);
  s.options.softening = SUP_FRICTION_SOFTENING_LINEAR;
  OK(create(&s, &m));
  CHECK(m.warnings == 0);
  s.options = sup_default_options();
  s.options.stick = SUP_STICK_ELASTIC;
  OK(create(&s, &m));
  CHECK(m.warnings == 0);
  s.options = sup_default_options();
  s.options.contact_solver = SUP_CONTACT_SOLVER_NCP_PGS; /* has Coulomb's law */
  OK(create(&s, &m));
  CHECK(m.warnings == 0);
}

/* Restitution came back as .003 for .5 with the model sap, in silence. */
static void options_of_impulses_that_do_not_act_are_told(void) {
  static const char *const told[] = {"contact.dual has no effect: contact.solver is newton",
                                     "baumgarte has no effect", "dual.compliance has no effect"};
  for (int k = 0; k < 5; k++) {
    test_scene   s;
    sup_pair_def pair;
    messages     m;
    ball_and_floor(&s, &pair, 0);
    if (k > 0) s.options.contact_solver = SUP_CONTACT_SOLVER_NCP_PGS;
    if (k == 0) s.options.dual.max_iterations = 5;
    if (k == 1) s.options.dual.baumgarte = .2;
    if (k == 2) s.options.dual.rigid = 1, s.def.contact.model = SUP_MODEL_SAP;
    if (k > 2) s.options.dual.rigid = 1, s.options.dual.restitution = .5;
    if (k == 3) pair.model = SUP_MODEL_SAP;
    sup_status status = create(&s, &m);
    if (k == 3) {
      FAILS(status, SUP_E_ARG, "the contact model sap of 'ball' and 'floor'");
      continue;
    }
    OK(status);
    CHECK(m.warnings == (k < 3) && (k > 2 || strstr(m.text, told[k]) != NULL));
  }
}

/* The spring would be another one for every step of another length. */
static void the_near_rigid_rule_of_soft_bodies_is_warned_of_where_steps_change(void) {
  test_scene s;
  messages   m;
  test_scene_init(&s);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  test_add_soft_box(&s, "cube", .02, .02, .02, 1, 1, 1, SUP_PATTERN_HEX, 1e5, .3, 1000);
  for (int k = 0; k < 4; k++) {
    s.def.contact.model = k == 1 ? SUP_MODEL_COUPLED : SUP_MODEL_SAP;
    s.options.accuracy = (sup_accuracy){.tolerance = k == 2 ? 0 : 1e-3,
                                        .length = .02,
                                        .time = .02,
                                        .min_step = 1e-6,
                                        .max_step = .02,
                                        .reference_step = .01};
    s.options.beta = k == 3 ? 0 : 1;
    OK(create(&s, &m));
    CHECK((strstr(m.text, "the soft body 'cube' are by the model sap changes") != NULL) ==
          (k == 0));
  }
  sup_mesh_destroy(&s.mesh[0]);
}

SUITE_TESTS(override, TEST(a_pair_may_name_what_its_law_uses_and_nothing_else),
            TEST(sap_uses_stiffness_and_relaxation), TEST(stiffness_must_fit_how_the_pair_touches),
            TEST(pairs_that_never_meet_and_friction_that_never_acts_are_refused),
            TEST(hertz_says_what_it_lacks), TEST(options_of_impulses_that_do_not_act_are_told),
            TEST(barriers_are_as_strong_as_their_kind_of_contact_says),
            TEST(options_without_effect_are_warned_of),
            TEST(static_friction_that_does_not_hold_is_told),
            TEST(the_near_rigid_rule_of_soft_bodies_is_warned_of_where_steps_change));
