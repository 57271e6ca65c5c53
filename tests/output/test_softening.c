/* Deflection of contact layers and pressure fields over that of the soft bodies: bars in one
 * dimension. */
#include "measure/softening.h"

#include "scene_test.h"

static const double length = .04, width = .01, modulus = 1e6;
static double       press = 1e-4;

/** Sums of one frame of a bar of `cells` (nu = 0) that a plate presses against the floor; E_h > 0:
 * the plate's field; stiffness > 0: of its contact [Pa/m] instead of the layer's own. */
static sup_softening squeeze(int cells, double field, sup_contact_model model, int is_floor,
                             double stiffness) {
  test_scene      s;
  sup_pair_def    contact = sup_default_pair_def();
  sup_observation obs;
  double          time[] = {0, 1}, move[12] = {[8] = -press};
  test_scene_init(&s);
  s.options.dt = 1, s.options.tolerance = 1e-12, s.def.contact.model = model;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  test_add_rigid(&s, "plate", (sup_shape){SUP_SHAPE_BOX, {.02, .02, .02}}, 1, 1);
  s.tree[0].X_WB.p[0] = s.tree[0].X_WB.p[1] = .005, s.tree[0].X_WB.p[2] = length + .01;
  s.tree[0].motion = (sup_table){2, 6, time, move};
  s.geometry[0].contact.modulus = field;
  if (is_floor) test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
  sup_soft_def *d = test_add_soft_box(&s, "bar", width, width, length, 1, 1, cells, SUP_PATTERN_HEX,
                                      modulus, 0, 1000);
  sup_region    base = {.type = SUP_REGION_HALF_SPACE, .normal = {0, 0, 1}, .offset = 1e-9};
  d->contact.friction = 0, d->contact.dissipation = 0;
  d->num_clamps = !is_floor, d->clamps = &base;
  snprintf(contact.a, sizeof contact.a, "plate"), snprintf(contact.b, sizeof contact.b, "bar");
  contact.stiffness = stiffness;
  s.def.pairs = &contact, s.def.num_pairs = stiffness > 0;
  test_start(&s);
  for (int i = 0; i < 4; i++) test_step(&s);
  OK(sup_observation_create(&obs, s.model, &s.options));
  sup_observation_update(&obs, s.state, sup_stepper_result(s.stepper));
  sup_softening sum[3] = {{0}};
  double        force[1];
  sup_softening_add(sum, &obs, force);
  int pair = sup_observation_find_pair(&obs, sup_model_find_body(s.model, "bar"),
                                       sup_model_find_body(s.model, "plate"));
  sup_softening_add(sum, &obs, force); /* a second frame doubles both */
  sup_observation_free(&obs);
  test_end(&s);
  return sum[pair];
}

/* A layer yields F h/(10 E A) of a cell's height h, the bar F L/(E A): held at its end, all of it
   under the plate; between two plates half of it under each. */
static void layers_yield_a_tenth_of_a_cell(void) {
  for (int cells = 1; cells <= 8; cells *= 2)
    for (int is_floor = 0; is_floor < 2; is_floor++) {
      sup_softening s = squeeze(cells, 0, SUP_MODEL_LAGGED, is_floor, 0);
      NEAR(sup_softening_share(s.layer, &s), (1 + is_floor) * .1 / cells, 1e-6, 0);
      CHECK(s.field == 0);
    }
}

/* A plate of half thickness H and modulus E_h yields F H/(E_h A), whatever the layer. */
static void a_pressure_field_is_not_the_layer(void) {
  double        E_h = 2e6, H = .01;
  sup_softening s = squeeze(4, E_h, SUP_MODEL_LAGGED, 0, 0);
  NEAR(sup_softening_share(s.field, &s), H / E_h * modulus / length, 3e-3,
       0); /* the bar's sides are in the field */
  NEAR(sup_softening_share(s.layer, &s), .1 / 4, 3e-3, 0);
}

/* SAP may not be stiffer than a step resolves: what that costs belongs to the layer.  The other
   models have the stiffness of the scene. */
static void regularisation_belongs_to_the_layer(void) {
  double        stiffness = 1e4 * modulus / length;
  sup_softening lagged = squeeze(4, 0, SUP_MODEL_LAGGED, 0, stiffness);
  sup_softening sap = squeeze(4, 0, SUP_MODEL_SAP, 0, stiffness);
  printf("%.3g, %.3g ", sup_softening_share(lagged.layer, &lagged),
         sup_softening_share(sap.layer, &sap));
  NEAR(sup_softening_share(lagged.layer, &lagged), 1e-4, 1e-3, 0);
  CHECK(sup_softening_share(sap.layer, &sap) > 10 * sup_softening_share(lagged.layer, &lagged));
}

/* A plate that reaches into the bar by the last digits of its height. */
static void touches_of_round_off_have_no_layer(void) {
  for (int k = 1; k < 100; k++) {
    press = k * 2e-17;
    sup_softening s = squeeze(4, 0, SUP_MODEL_COUPLED, 0, 0);
    CHECK(s.layer == 0 && s.own == 0);
  }
  press = 1e-4;
}

SUITE_TESTS(softening, TEST(layers_yield_a_tenth_of_a_cell),
            TEST(touches_of_round_off_have_no_layer), TEST(a_pressure_field_is_not_the_layer),
            TEST(regularisation_belongs_to_the_layer));
