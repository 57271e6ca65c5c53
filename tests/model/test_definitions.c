/* Members of definitions that programs fill: what is not possible is refused by its name. */
#include <math.h>
#include <string.h>

#include "supple.h"
#include "test.h"

typedef struct scene {
  sup_mesh         *mesh;
  sup_soft_def      soft;
  sup_geometry_def  ball;
  sup_link_def      link;
  sup_tree_def      tree;
  sup_pair_def      pair;
  sup_load_def      load;
  sup_dirichlet_def hold;
  double            time[2], force[6];
  sup_model_def     model;
} scene;

static scene s;

static void fill(void) {
  const double size[3] = {0.1, 0.1, 0.1};
  const int    n[3] = {1, 1, 1};
  s = (scene){.soft = sup_default_soft_def(),
              .ball = sup_default_geometry_def(),
              .link = sup_default_link_def(),
              .tree = sup_default_tree_def(),
              .pair = sup_default_pair_def(),
              .load = sup_default_load_def(),
              .hold = sup_default_dirichlet_def(),
              .time = {0, 1},
              .model = sup_default_model_def()};
  OK(sup_mesh_box(&s.mesh, size, n, SUP_PATTERN_HEX));
  strcpy(s.soft.name, "cube"), s.soft.mesh = s.mesh;
  s.soft.X_WS.p[2] = 1;
  s.soft.num_dirichlet = 1, s.soft.dirichlet = &s.hold;
  s.hold.region = (sup_region){.type = SUP_REGION_NAMED, .name = "z_max"};
  s.ball.shape.type = SUP_SHAPE_SPHERE, s.ball.shape.size[0] = 0.1;
  strcpy(s.tree.name, "ball"), strcpy(s.link.name, "ball");
  s.tree.is_rigid_body = 1, s.tree.num_links = 1, s.tree.links = &s.link;
  s.link.joint = SUP_JOINT_FLOATING, s.link.mass = 1;
  for (int k = 0; k < 3; k++) s.link.inertia[k] = 0.01;
  s.link.num_geometries = 1, s.link.geometries = &s.ball;
  strcpy(s.pair.a, "cube"), strcpy(s.pair.b, "ball");
  strcpy(s.load.name, "push"), strcpy(s.load.body, "ball");
  s.load.force = (sup_table){.num_rows = 2, .width = 3, .time = s.time, .value = s.force};
  s.model.num_trees = s.model.num_softs = s.model.num_pairs = s.model.num_loads = 1;
  s.model.trees = &s.tree, s.model.softs = &s.soft, s.model.pairs = &s.pair;
  s.model.loads = &s.load;
}

static void refused(const char *name) {
  sup_model *model = NULL;
  FAILS(sup_model_create(&model, &s.model), SUP_E_ARG, name);
  CHECK(model == NULL);
  sup_mesh_destroy(&s.mesh);
}

static void good_ones_are_taken(void) {
  sup_model *model = NULL;
  fill();
  OK(sup_model_create(&model, &s.model));
  sup_model_destroy(&model);
  sup_mesh_destroy(&s.mesh);
}

#define NUMBERS(X, C, value, name)  \
  X(C.friction, value, name)        \
  X(C.static_friction, value, name) \
  X(C.dissipation, value, name) X(C.relaxation_time, value, name) X(C.stiffness, value, name)

/** Numbers of contacts, poses and tables that are NAN or below their range. */
static void numbers_are_refused_by_name(void) {
#define REFUSED(member, value, name) fill(), member = (value), refused(name);
  NUMBERS(REFUSED, s.soft.contact, NAN, "of the contact of 'cube' is nan")
  NUMBERS(REFUSED, s.soft.contact, -1, "of the contact of 'cube' is -1")
  NUMBERS(REFUSED, s.ball.contact, NAN, "of the contact of 'ball' is nan")
  NUMBERS(REFUSED, s.ball.contact, -1, "of the contact of 'ball' is -1")
  NUMBERS(REFUSED, s.pair, -1, "of the pair of 'cube' is -1")
  REFUSED(s.soft.contact.friction, -1, "friction of the contact of 'cube' is -1; a number of 0")
  REFUSED(s.soft.contact.surface_velocity[1], INFINITY, "surface_velocity of the contact")
  REFUSED(s.soft.contact.anisotropy_ratio, 0, "anisotropy_ratio of the contact of 'cube' is 0")
  REFUSED(s.soft.contact.resolution, NAN, "resolution of the contact")
  REFUSED(s.soft.X_WS.q[0], 0, "X_WS.q of 'cube' is 0 0 0 0")
  REFUSED(s.soft.X_WS.q[1], NAN, "X_WS.q of 'cube'")
  REFUSED(s.soft.v0[0], NAN, "v0 of 'cube' is nan")
  REFUSED(s.ball.X_LG.p[2], NAN, "X_LG.p of a shape of 'ball' is nan")
  REFUSED(s.hold.about[0], INFINITY, "about of a hold of 'cube' is inf")
  REFUSED(s.model.contact.barrier_margin, NAN, "barrier_margin of 'contact_rules' is nan")
  REFUSED(s.time[1], -1, "the force of 'push': row 1 has the time -1 s")
  REFUSED(s.time[0], NAN, "row 0 has the time nan s")
  REFUSED(s.force[3], NAN, "load 'push': a value is not finite")
  REFUSED(s.load.force.num_rows, -1, "a table of -1 rows")
  REFUSED(s.load.force.time, NULL, "times and values are expected")
  REFUSED(s.load.force.period, NAN, "period of the force of 'push' is nan")
  REFUSED(s.soft.mesh, NULL, "soft body 'cube' has no mesh")
}

static void words_are_refused_by_name(void) {
  static const int bad[] = {99, -3};
  for (int i = 0; i < 2; i++) {
    const int word = bad[i];
    REFUSED(s.model.contact.model, (sup_contact_model)word, "model of 'contact_rules' is")
    REFUSED(s.model.contact.normal_law, (sup_normal_law)word, "normal_law of 'contact_rules' is")
    REFUSED(s.model.contact.soft_surface, (sup_soft_surface)word, "soft_surface")
    REFUSED(s.pair.model, word, "model of the pair of 'cube' is")
    REFUSED(s.pair.normal_law, word, "normal_law of the pair")
    REFUSED(s.pair.disabled, word, "disabled of the pair")
    REFUSED(s.soft.material.moduli, (sup_moduli)word, "material.moduli of 'cube'")
    REFUSED(s.soft.lumped_mass, word, "lumped_mass of 'cube'")
    REFUSED(s.soft.contact.self, word, "self of the contact")
    REFUSED(s.soft.contact.field_kind, (sup_field_kind)word, "field_kind of the contact")
    REFUSED(s.hold.region.type, (sup_region_type)word, "type of a hold of 'cube'")
    REFUSED(s.ball.shape.type, (sup_shape_type)word, "shape.type of a shape of 'ball'")
    REFUSED(s.load.force.interpolation, (sup_interpolation)word, "interpolation of the force")
  }
}

static void options_are_refused_by_name(void) {
  sup_model *model = NULL;
  fill();
  OK(sup_model_create(&model, &s.model));
#define WRONG(member, wrong, name)                                           \
  do {                                                                       \
    sup_options o = sup_default_options();                                   \
    o.member = wrong;                                                        \
    FAILS(sup_options_check(&o, model), SUP_E_ARG, name " of 'options' is"); \
  } while (0)
  WRONG(newton, 99, "newton");
  WRONG(line_search, 99, "line_search");
  WRONG(backend, 99, "backend");
  WRONG(petsc_matrix, 99, "petsc_matrix");
  WRONG(contact_solver, 99, "contact_solver");
  WRONG(dual.hand_over, 99, "dual.hand_over");
  WRONG(tamsi.coupling, 2, "tamsi.coupling");
  WRONG(delassus, 99, "delassus");
  WRONG(softening, 99, "softening");
  WRONG(stick, 99, "stick");
  WRONG(soft_bdf2, 2, "soft_bdf2");
  WRONG(quasi_newton, -1, "quasi_newton");
  WRONG(gravity[0], NAN, "gravity");
  WRONG(sigma, NAN, "sigma");
  WRONG(beta, -1, "beta");
  WRONG(static_slip, -1, "static_slip");
  WRONG(sweep_tolerance, NAN, "sweep_tolerance");
  sup_model_destroy(&model);
  sup_mesh_destroy(&s.mesh);
}

SUITE_TESTS(definitions, TEST(good_ones_are_taken), TEST(numbers_are_refused_by_name),
            TEST(words_are_refused_by_name), TEST(options_are_refused_by_name));
