/* Friction tensors (THEORY 6.6) on a soft body: a pad is pressed on a plate and drawn across it at
 * an angle to the tensor's axes, whatever says what friction is and how they touch. */
#include "scene_test.h"

/** Contact geometry of the plate under the pad. */
typedef enum plate { HALF_SPACE, BOX, COMPLIANT_BOX, NUM_PLATES } plate;

typedef struct choice {
  sup_contact_model  model;
  sup_contact_solver solver;
  int                stick, barrier;
} choice;

static const choice choices[] = {
    {SUP_MODEL_LAGGED, SUP_CONTACT_SOLVER_NEWTON, SUP_STICK_SOFT, 0},
    {SUP_MODEL_LAGGED_REGULARIZED, SUP_CONTACT_SOLVER_NEWTON, SUP_STICK_SOFT, 0},
    {SUP_MODEL_SIMILAR, SUP_CONTACT_SOLVER_NEWTON, SUP_STICK_SOFT, 0},
    {SUP_MODEL_SIMILAR_REGULARIZED, SUP_CONTACT_SOLVER_NEWTON, SUP_STICK_SOFT, 0},
    {SUP_MODEL_SAP, SUP_CONTACT_SOLVER_NEWTON, SUP_STICK_SOFT, 0},
    {SUP_MODEL_COUPLED, SUP_CONTACT_SOLVER_NEWTON, SUP_STICK_SOFT, 0},
    {SUP_MODEL_LAGGED, SUP_CONTACT_SOLVER_NEWTON, SUP_STICK_ELASTIC, 0},
    {SUP_MODEL_COUPLED, SUP_CONTACT_SOLVER_NEWTON, SUP_STICK_ELASTIC, 0},
    {SUP_MODEL_COUPLED, SUP_CONTACT_SOLVER_NEWTON, SUP_STICK_SOFT, 1},
    {SUP_MODEL_LAGGED, SUP_CONTACT_SOLVER_NCP_PGS, SUP_STICK_SOFT, 0},
    {SUP_MODEL_LAGGED, SUP_CONTACT_SOLVER_CCP_ADMM, SUP_STICK_SOFT, 0}};
enum { NUM_CHOICES = sizeof choices / sizeof *choices };

static const double mu = .5, ratio = .25, speed = .05, direction[2] = {.6, .8};

/** The pad's and the plate's tensors have ratio 1 and 1/4 along x; the mean of both is 2/5. */
static void start(test_scene *s, const choice *c, plate kind, sup_dirichlet_def *top, double *time,
                  double *move) {
  static const sup_shape shapes[NUM_PLATES] = {{SUP_SHAPE_HALF_SPACE, {0}, NULL, NULL},
                                               {SUP_SHAPE_BOX, {.2, .2, .02}, NULL, NULL},
                                               {SUP_SHAPE_BOX, {.2, .2, .02}, NULL, NULL}};
  test_scene_init(s);
  test_add_rigid(s, "plate", shapes[kind], 1, 1);
  if (kind != HALF_SPACE) s->geometry[0].X_LG.p[2] = -.01;
  if (kind == COMPLIANT_BOX) s->geometry[0].contact.modulus = 1e6;
  s->geometry[0].contact.anisotropy_axis[0] = 1, s->geometry[0].contact.anisotropy_ratio = ratio;
  sup_soft_def *pad =
      test_add_soft_box(s, "pad", .04, .04, .01, 3, 3, 2, SUP_PATTERN_HEX, 1e5, .3, 1000);
  pad->X_WS.p[0] = pad->X_WS.p[1] = -.02, pad->X_WS.p[2] = 5e-4;
  s->geometry[0].contact.friction = pad->contact.friction = mu;
  *top =
      (sup_dirichlet_def){.marker = SUP_INITIALISED,
                          .region = {SUP_REGION_BOX, {-1, -1, .01 - 1e-6}, {1, 1, 1}, {0}, 0, {0}},
                          .axes = SUP_AXIS_ALL,
                          .motion = {3, 6, time, move}};
  pad->num_dirichlet = 1, pad->dirichlet = top;
  s->def.contact.model = c->model;
  s->options.contact_solver = c->solver;
  s->options.stick = (sup_stick_kind)c->stick;
  s->options.stiction_tolerance = 1e-5;
  s->options.dt = 2e-3, s->options.tolerance = 1e-8, s->options.gravity[2] = 0;
  s->options.dual.tolerance = 1e-6, s->options.dual.max_iterations = 2000;
  if (c->barrier) s->def.contact.normal_law = SUP_NORMAL_IPC_BARRIER;
}

static void a_pad_is_held_by_the_tensor_whatever_says_what_friction_is(void) {
  double off[NUM_PLATES] = {0};
  for (int k = 0; k < NUM_CHOICES; k++)
    for (int kind = 0; kind < NUM_PLATES; kind++) {
      test_scene        s;
      sup_dirichlet_def top;
      double            time[3] = {0, .1, .5}, way = .4 * speed, worst = 0;
      double            move[18] = {0};
      move[8] = move[14] = choices[k].barrier || kind == COMPLIANT_BOX ? -9e-4 : -6e-4;
      move[12] = way * direction[0], move[13] = way * direction[1];
      if (choices[k].barrier && kind == COMPLIANT_BOX) continue;                   /* refused */
      if (choices[k].solver != SUP_CONTACT_SOLVER_NEWTON && kind == BOX) continue; /* takes long */
      start(&s, &choices[k], (plate)kind, &top, time, move);
      test_start(&s);
      while (s.state->time < .24 - 1e-9) {
        test_step(&s);
        if (s.state->time < .2) continue;
        sup_v3 f = test_contact_force(&s, "pad");
        double m[2] = {mu * .4, mu}, u[2] = {m[0] * direction[0], m[1] * direction[1]};
        double size = hypot(u[0], u[1]);
        for (int d = 0; d < 2; d++) {
          double expected = -f.z * m[d] * u[d] / size, own = d ? f.y : f.x;
          worst = fmax(worst, fabs(own - expected) / (mu * f.z));
        }
        CHECK(f.z > .5);
      }
      /* the normals of a field are those of the pad's own surface, which shear tilts; SAP glides,
       * too */
      double most = kind == COMPLIANT_BOX ? 3e-2 : 1e-3;
      off[kind] = fmax(off[kind], worst);
      if (worst > most) printf("\n    choice %d plate %d: off by %.2g mu N", k, kind, worst);
      CHECK(worst < most);
      test_end(&s);
    }
  printf("off by %.1e, %.1e, %.1e of mu N ", off[0], off[1], off[2]);
}

SUITE_TESTS(soft_anisotropy, TEST(a_pad_is_held_by_the_tensor_whatever_says_what_friction_is));
