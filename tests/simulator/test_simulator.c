/* A simulation driven from outside, through supple.h. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "driven.h"
#include "measure/drive_work.h"

static uint64_t hash_after(sup_simulator *sim, int steps) {
  for (int i = 0; i < steps; i++) OK(sup_simulator_step(sim, NULL));
  return sup_state_hash(sup_simulator_state(sim));
}

static int find(const driven *d, sup_object kind, const char *name) {
  int handle = SUP_NONE;
  OK(sup_simulator_find(d->sim, kind, name, &handle));
  return handle;
}

static sup_array read_of(const driven *d, sup_quantity quantity, const char *name) {
  sup_array array = {NULL, 0, 0};
  OK(sup_simulator_read(d->sim, quantity, find(d, sup_quantity_object(quantity), name), &array));
  return array;
}

static void set_on(const driven *d, sup_input input, const char *name, const double *value,
                   int count, double duration) {
  OK(sup_simulator_set(d->sim, input, find(d, sup_input_object(input), name), value, count,
                       duration));
}

static const char        grasp[] = "examples/finray_grasp.yaml";
static const char *const grasp_sets[] = {"actuators.close_left.targets=[[0.0, 0], [0.1, 30 mm]]",
                                         "actuators.close_right.targets=[[0.0, 0], [0.1, 30 mm]]",
                                         "actuators.lift.targets=[[0, 0]]",
                                         "robots.gripper.joints.lift=0"};
enum { GRASP_SETS = sizeof grasp_sets / sizeof *grasp_sets };

static void a_reset_repeats_the_bits(void) {
  driven d;
  start(&d, grasp, GRASP_SETS, grasp_sets);
  uint64_t first = sup_state_hash(sup_simulator_state(d.sim)), straight = hash_after(d.sim, 25);
  OK(sup_simulator_reset(d.sim));
  CHECK(sup_simulator_time(d.sim) == 0 && sup_simulator_steps(d.sim) == 0);
  CHECK(sup_state_hash(sup_simulator_state(d.sim)) == first);
  CHECK(hash_after(d.sim, 25) == straight && straight != first);
  end(&d);
}

static void a_state_of_the_middle_goes_on_with_equal_bits(void) {
  driven     d, e;
  sup_state *middle = NULL;
  start(&d, grasp, GRASP_SETS, grasp_sets);
  start(&e, grasp, GRASP_SETS, grasp_sets);
  const sup_options options = sup_default_options();
  OK(sup_state_create(&middle, d.model, &options));
  for (int i = 0; i < 20; i++) {
    OK(sup_state_copy(middle, sup_simulator_state(d.sim)));
    OK(sup_simulator_set_state(e.sim, middle));
    CHECK(hash_after(e.sim, 1) == hash_after(d.sim, 1));
  }
  sup_state_destroy(&middle);
  end(&e);
  end(&d);
}

/** A file of a state is gone on from with equal bits, and broken ones are refused whole. */
static void a_saved_state_goes_on_with_equal_bits(void) {
  static const char path[] = "build/test_state.bin", cut[] = "build/test_state_cut.bin";
  driven            d;
  sup_state        *state = NULL;
  const double      target[1] = {0.02};
  start(&d, grasp, GRASP_SETS, grasp_sets);
  const sup_simulator_def def = sup_scene_simulator_def(d.scene, d.model);
  set_on(&d, SUP_SET_TARGET, "lift", target, 1, 0.5);
  hash_after(d.sim, 10);
  OK(sup_state_save(sup_simulator_state(d.sim), path));
  uint64_t straight = hash_after(d.sim, 15);
  OK(sup_state_load(&state, d.model, &def.options, path));
  OK(sup_simulator_set_state(d.sim, state));
  sup_state_destroy(&state);
  CHECK(hash_after(d.sim, 15) == straight);

  char   bytes[1 << 16];
  FILE  *file = fopen(path, "rb");
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  for (size_t keep = 0; keep < size; keep += 1 + size / 40) {
    file = fopen(cut, "wb");
    CHECK(fwrite(bytes, 1, keep, file) == keep);
    fclose(file);
    FAILS(sup_state_load(&state, d.model, &def.options, cut), SUP_E_PARSE, "test_state_cut.bin");
    CHECK(state == NULL);
  }
  end(&d);
  start(&d, "examples/soft_cube_drop.yaml", 0, NULL);
  const sup_simulator_def other = sup_scene_simulator_def(d.scene, d.model);
  FAILS(sup_state_load(&state, d.model, &other.options, path), SUP_E_ARG, "another model: its 'q'");
  FAILS(sup_state_load(&state, d.model, &other.options, "build/nothing.bin"), SUP_E_IO, "nothing");
  remove(path), remove(cut);
  end(&d);
}

static void states_of_one_model_step_in_parallel(void) {
  enum { NUM = 4, STEPS = 12 };
  driven         d;
  sup_simulator *sim[NUM];
  uint64_t       alone, hash[NUM];
  start(&d, grasp, GRASP_SETS, grasp_sets);
  const sup_simulator_def def = sup_scene_simulator_def(d.scene, d.model);
  for (int i = 0; i < NUM; i++) OK(sup_simulator_create(&sim[i], &def));
  alone = hash_after(d.sim, STEPS);
  int failed = 0;
#pragma omp parallel for num_threads(2) schedule(dynamic, 1) reduction(+ : failed)
  for (int i = 0; i < NUM; i++) {
    sup_threads_set(1);
    for (int k = 0; k < STEPS; k++) failed += sup_simulator_step(sim[i], NULL) != SUP_OK;
    hash[i] = sup_state_hash(sup_simulator_state(sim[i]));
  }
  CHECK(failed == 0);
  for (int i = 0; i < NUM; i++) {
    CHECK(hash[i] == alone);
    sup_simulator_destroy(&sim[i]);
  }
  end(&d);
}

static void what_is_read_of_a_pair_is_one(void) {
  driven                   d;
  const sup_contact_patch *patch;
  int                      count, column, pair;
  double                   sum[3] = {0, 0, 0}, area = 0, normal = 0, value;
  start(&d, grasp, GRASP_SETS, grasp_sets);
  hash_after(d.sim, 30);
  pair = find(&d, SUP_OBJECT_PAIR, "left_finger+cylinder");
  CHECK(pair == find(&d, SUP_OBJECT_PAIR, "cylinder+left_finger"));
  OK(sup_simulator_contacts(d.sim, pair, &patch, &count));
  CHECK(count > 5);
  for (int i = 0; i < count; i++) {
    CHECK(patch[i].pair == pair && patch[i].num_points >= 3 && patch[i].area > 0);
    for (int k = 0; k < 3; k++) {
      sum[k] += patch[i].force[k];
      NEAR(patch[i].traction[k] * patch[i].area, patch[i].force[k], 1e-12, 1e-12);
    }
    double load = 0;
    for (int k = 0; k < 3; k++) load += patch[i].force[k] * patch[i].normal[k];
    NEAR(patch[i].pressure * patch[i].area, fabs(load), 1e-12, 1e-12);
    area += patch[i].area, normal += fabs(load);
  }
  char            name[300];
  const char     *both = sup_simulator_name(d.sim, SUP_OBJECT_PAIR, pair, name, sizeof name);
  double          sign = strcmp(both, "left_finger+cylinder") == 0 ? 1 : -1;
  const sup_array wrench = read_of(&d, SUP_READ_PAIR_WRENCH, both);
  const sup_array contact = read_of(&d, SUP_READ_PAIR_CONTACT, both);
  static const char *const axis[] = {"contact.left_finger.cylinder.fx",
                                     "contact.left_finger.cylinder.fy",
                                     "contact.left_finger.cylinder.fz"};
  for (int k = 0; k < 3; k++) {
    NEAR(wrench.data[k], sum[k], 1e-10, 1e-10);
    OK(sup_simulator_find_observable(d.sim, axis[k], &column));
    OK(sup_simulator_observe(d.sim, column, &value));
    NEAR(value, sign * wrench.data[k], 1e-12, 1e-12);
  }
  NEAR(contact.data[0], count, 0, 0);
  NEAR(contact.data[1], area, 1e-12, 0);
  NEAR(contact.data[2], normal, 1e-12, 0);
  end(&d);
}

static void contact_forces_of_vertices_are_those_of_the_body(void) {
  driven d;
  start(&d, grasp, GRASP_SETS, grasp_sets);
  hash_after(d.sim, 30);
  const sup_array force = read_of(&d, SUP_READ_VERTEX_FORCES, "left_finger"),
                  all = read_of(&d, SUP_READ_RESULTANT, "left_finger"),
                  x = read_of(&d, SUP_READ_VERTICES, "left_finger");
  CHECK(force.rows == x.rows && force.width == 3 && x.rows > 1000);
  for (int k = 0; k < 3; k++) {
    double sum = 0;
    for (int i = 0; i < force.rows; i++) sum += force.data[3 * i + k];
    NEAR(sum, all.data[k], 1e-8, 1e-8);
  }
  CHECK(fabs(all.data[0]) > 0.1);
  const sup_array again = read_of(&d, SUP_READ_VERTICES, "left_finger");
  hash_after(d.sim, 1);
  CHECK(again.data == read_of(&d, SUP_READ_VERTICES, "left_finger").data);
  CHECK(force.data == read_of(&d, SUP_READ_VERTEX_FORCES, "left_finger").data);
  end(&d);
}

/** A target that goes there in a time is the table that the scene could have had. */
static void ramps_are_tables(void) {
  static const char *const        still[] = {"actuators.lift.targets=[[0, 40 mm]]"},
                           *const table[] = {"actuators.lift.targets=[[0, 40 mm], [0.2, 20 mm]]"};
  const double                    to = 0.02;
  driven                          d, e;
  start(&d, grasp, 1, still);
  start(&e, grasp, 1, table);
  set_on(&d, SUP_SET_TARGET, "lift", &to, 1, 0.2);
  for (int i = 0; i < 25; i++) {
    hash_after(d.sim, 1);
    hash_after(e.sim, 1);
    NEAR(read_of(&d, SUP_READ_JOINT_POSITION, "gripper/lift").data[0],
         read_of(&e, SUP_READ_JOINT_POSITION, "gripper/lift").data[0], 1e-12, 1e-14);
  }
  sup_simulator_clear(d.sim);
  hash_after(d.sim, 100);
  NEAR(read_of(&d, SUP_READ_JOINT_POSITION, "gripper/lift").data[0], 0.04, 0.02, 0);
  end(&e);
  end(&d);
}

static sup_link_def *add_ball(sup_tree_def *tree, sup_link_def *link, double mass) {
  *tree = sup_default_tree_def(), *link = sup_default_link_def();
  strcpy(tree->name, "ball"), strcpy(link->name, "link"), strcpy(link->joint_name, "free");
  tree->is_rigid_body = 1, tree->num_links = 1, tree->links = link;
  link->joint = SUP_JOINT_FLOATING, link->mass = mass;
  for (int k = 0; k < 3; k++) link->inertia[k] = 0.01 * mass;
  return link;
}

/** Forces, moments and gravity that are set act as they say: a free ball's momentum. */
static void wrenches_and_gravity_are_accelerations(void) {
  driven        d = {NULL, NULL, NULL};
  sup_tree_def  tree;
  sup_link_def  link;
  sup_model_def def = {.marker = SUP_INITIALISED,
                       .contact = sup_default_contact_rules(),
                       .num_trees = 1,
                       .trees = &tree};
  add_ball(&tree, &link, 2);
  OK(sup_model_create(&d.model, &def));
  sup_simulator_def sim = sup_default_simulator_def();
  sim.model = d.model;
  OK(sup_simulator_create(&d.sim, &sim));
  const double wrench[6] = {3, -4, 5, 0, 0, 0.1}, g[3] = {1, 0, -2};
  set_on(&d, SUP_SET_WRENCH, "ball", wrench, 6, 0);
  set_on(&d, SUP_SET_GRAVITY, "", g, 3, 0);
  hash_after(d.sim, 10);
  const sup_array v = read_of(&d, SUP_READ_VELOCITY, "ball");
  for (int k = 0; k < 3; k++) NEAR(v.data[k], 0.1 * (g[k] + wrench[k] / 2), 1e-12, 1e-14);
  NEAR(v.data[5], 0.1 * 0.1 / 0.02, 1e-12, 0);
  NEAR(read_of(&d, SUP_READ_GRAVITY, "").data[0], 1, 0, 0);
  end(&d);
}

static void forces_on_vertices_move_the_body(void) {
  driven        d = {NULL, NULL, NULL};
  sup_mesh     *mesh = NULL;
  const double  size[3] = {0.1, 0.1, 0.1};
  const int     n[3] = {2, 2, 2};
  sup_soft_def  soft = sup_default_soft_def();
  sup_model_def def = {.marker = SUP_INITIALISED,
                       .contact = sup_default_contact_rules(),
                       .num_softs = 1,
                       .softs = &soft};
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_HEX));
  strcpy(soft.name, "cube"), soft.mesh = mesh;
  OK(sup_model_create(&d.model, &def));
  sup_mesh_destroy(&mesh);
  sup_simulator_def sim = sup_default_simulator_def();
  sim.model = d.model;
  memset(sim.options.gravity, 0, sizeof sim.options.gravity);
  OK(sup_simulator_create(&d.sim, &sim));
  double force[81] = {0};
  for (int i = 0; i < 27; i++) force[3 * i] = 6.0 / 27;
  set_on(&d, SUP_SET_VERTEX_FORCE, "cube", force, 81, 0);
  hash_after(d.sim, 20);
  NEAR(read_of(&d, SUP_READ_VELOCITY, "cube").data[0], 0.2 * 6 / 1.2, 1e-6, 0);
  end(&d);
}

/** A box on a slope of 20 degrees (examples/incline.yaml) stands or slides as friction is set. */
static void friction_that_is_set_acts(void) {
  driven       d;
  const double rough[2] = {0.9, 0.9}, smooth[2] = {0.05, 0.05};
  start(&d, "examples/incline.yaml", 0, NULL);
  int pairs = sup_simulator_count(d.sim, SUP_OBJECT_PAIR);
  for (int p = 0; p < pairs; p++) OK(sup_simulator_set(d.sim, SUP_SET_FRICTION, p, rough, 2, 0));
  hash_after(d.sim, 20);
  const double held = read_of(&d, SUP_READ_ENERGY, "").data[0];
  for (int p = 0; p < pairs; p++) OK(sup_simulator_set(d.sim, SUP_SET_FRICTION, p, smooth, 2, 0));
  hash_after(d.sim, 20);
  CHECK(read_of(&d, SUP_READ_ENERGY, "").data[0] > 100 * held);
  end(&d);
}

/** Models of gliding friction search for contacts within a distance set by the definition's
 * friction. */
static void friction_is_not_raised_for_models_that_glide(void) {
  static const char *const model[][1] = {
      {"contact.model=sap"}, {"contact.model=similar"}, {"contact.model=lagged"}};
  for (int k = 0; k < 3; k++) {
    driven       d;
    const double more[2] = {5, 5}, less[2] = {0.01, 0.01};
    start(&d, "examples/incline.yaml", 1, model[k]);
    sup_status expected = k < 2 ? SUP_E_ARG : SUP_OK;
    CHECK(sup_simulator_set(d.sim, SUP_SET_FRICTION, 0, more, 2, 0) == expected);
    OK(sup_simulator_set(d.sim, SUP_SET_FRICTION, 0, less, 2, 0));
    end(&d);
  }
}

static void matrices_of_a_tree_are_those_of_its_energy(void) {
  driven d;
  double M[9], bias[3], gravity[3], J[18];
  start(&d, grasp, 0, NULL);
  const double push[1] = {3};
  set_on(&d, SUP_SET_EFFORT, "gripper/left", push, 1, 0);
  hash_after(d.sim, 10);
  int             tree = find(&d, SUP_OBJECT_TREE, "gripper"), body;
  const sup_array rate = read_of(&d, SUP_READ_TREE_VELOCITY, "gripper");
  CHECK(rate.width == 3);
  OK(sup_simulator_mass_matrix(d.sim, tree, M));
  OK(sup_simulator_bias(d.sim, tree, bias));
  OK(sup_simulator_gravity_efforts(d.sim, tree, gravity));
  for (int i = 0; i < 3; i++) {
    CHECK(M[3 * i + i] > 0);
    for (int k = 0; k < i; k++) NEAR(M[3 * i + k], M[3 * k + i], 1e-14, 1e-16);
    NEAR(bias[i], gravity[i], 1e-9, 1e-9); /* joints that slide: no velocity forces */
  }
  body = find(&d, SUP_OBJECT_BODY, "gripper/left_jaw");
  const double point[3] = {0, 0, 0};
  OK(sup_simulator_jacobian(d.sim, body, point, J));
  const sup_array at = read_of(&d, SUP_READ_VELOCITY, "gripper/left_jaw");
  for (int r = 0; r < 6; r++) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += J[3 * r + k] * rate.data[k];
    NEAR(sum, at.data[r], 1e-12, 1e-14);
  }
  end(&d);
}

/** The jaw's slide is its joint position; a turn is no place that a slide has. */
static void a_frame_is_placed_by_joints(void) {
  driven        d;
  double        q[3];
  sup_ik_report report;
  start(&d, grasp, 0, NULL);
  int             body = find(&d, SUP_OBJECT_BODY, "gripper/left_jaw");
  const sup_array pose = read_of(&d, SUP_READ_POSE, "gripper/left_jaw"),
                  at = read_of(&d, SUP_READ_TREE_POSITION, "gripper");
  double   J[18], point[3] = {0, 0, 0};
  sup_pose frame = sup_pose_identity(), goal;
  memcpy(goal.p, pose.data, sizeof goal.p), memcpy(goal.q, pose.data + 3, sizeof goal.q);
  OK(sup_simulator_jacobian(d.sim, body, point, J));
  for (int k = 0; k < 3; k++) /* both of its joints slide: J is constant */
    for (int j = 0; j < 3; j++) goal.p[k] += J[3 * k + j] * (j == 0 ? 2e-3 : 1e-3);
  memcpy(q, at.data, sizeof q);
  OK(sup_simulator_inverse_kinematics(d.sim, body, &frame, &goal, SUP_IK_POSE, q, &report));
  CHECK(report.is_reached);
  for (int k = 0; k < 3; k++) {
    double moves = fabs(J[k]) + fabs(J[3 + k]) + fabs(J[6 + k]);
    NEAR(q[k], at.data[k] + (moves > 0 ? k == 0 ? 2e-3 : 1e-3 : 0), 0, 1e-9);
  }
  goal.q[0] = cos(0.5), goal.q[1] = sin(0.5), goal.q[2] = goal.q[3] = 0;
  OK(sup_simulator_inverse_kinematics(d.sim, body, &frame, &goal, SUP_IK_POSE, q, &report));
  CHECK(!report.is_reached && report.rotation_error > 0.1);
  goal.p[1] = (double)NAN;
  FAILS(sup_simulator_inverse_kinematics(d.sim, body, &frame, &goal, SUP_IK_POSE, q, &report),
        SUP_E_ARG, "the goal has a number that is not finite");
  body = find(&d, SUP_OBJECT_BODY, "left_finger");
  FAILS(sup_simulator_inverse_kinematics(d.sim, body, &frame, &goal, SUP_IK_POSE, q, &report),
        SUP_E_ARG, "soft body");
  end(&d);
}

static void what_cannot_be_is_refused_by_name(void) {
  driven    d;
  int       handle, column;
  double    value[6] = {0, 0, 0, 0, 0, 0};
  sup_array array;
  start(&d, grasp, 0, NULL);
  FAILS(sup_simulator_find(d.sim, SUP_OBJECT_BODY, "cylindre", &handle), SUP_E_ARG, "cylinder");
  FAILS(sup_simulator_find(d.sim, SUP_OBJECT_JOINT, "gripper/lft", &handle), SUP_E_ARG,
        "there is no joint 'gripper/lft'");
  FAILS(sup_simulator_find_observable(d.sim, "energy.kinetik", &column), SUP_E_ARG,
        "energy.kinetic");
  FAILS(sup_simulator_read(d.sim, SUP_READ_POSE, 1000, &array), SUP_E_ARG, "handle 1000");
  FAILS(sup_simulator_set(d.sim, SUP_SET_TARGET, 0, value, 2, 0), SUP_E_ARG, "takes 1 number");
  value[0] = (double)NAN;
  FAILS(sup_simulator_set(d.sim, SUP_SET_TARGET, 0, value, 1, 0), SUP_E_ARG, "not finite");
  value[0] = 0;
  FAILS(sup_simulator_set(d.sim, SUP_SET_GRAVITY, 0, value, 3, 0.1), SUP_E_ARG,
        "takes no duration");
  FAILS(sup_simulator_set(d.sim, SUP_SET_BASE, find(&d, SUP_OBJECT_TREE, "gripper"), value, 6, 0),
        SUP_E_ARG, "no `motion`");
  FAILS(sup_simulator_set(d.sim, SUP_SET_WRENCH, find(&d, SUP_OBJECT_BODY, "floor"), value, 6, 0),
        SUP_E_ARG, "'floor' is fixed");
  const sup_simulator_def none = sup_default_simulator_def();
  sup_simulator          *sim;
  FAILS(sup_simulator_create(&sim, &none), SUP_E_ARG, "needs a model");
  end(&d);
}

/** Markers of a model's definition, each spoilt in turn. */
typedef struct marked {
  int        *marker;
  const char *function; /* that the message names */
} marked;

/** A definition that sup_default_* did not begin is an error, whatever its bytes. */
static void definitions_that_were_not_initialised_are_noticed(void) {
  sup_model        *model = NULL;
  sup_mesh         *mesh = NULL;
  const double      size[3] = {0.1, 0.1, 0.1};
  const int         n[3] = {1, 1, 1};
  sup_tree_def      tree;
  sup_link_def      link;
  sup_geometry_def  shape = sup_default_geometry_def();
  sup_soft_def      soft = sup_default_soft_def();
  sup_part_def      part = sup_default_part_def();
  sup_dirichlet_def hold = sup_default_dirichlet_def();
  sup_traction_def  pull = sup_default_traction_def();
  sup_attach_def    grip = sup_default_attach_def();
  sup_actuator_def  drive = sup_default_actuator_def();
  sup_spring_def    spring = sup_default_spring_def();
  sup_load_def      load = sup_default_load_def();
  sup_pair_def      pair = sup_default_pair_def();
  sup_model_def     def = sup_default_model_def();
  add_ball(&tree, &link, 2);
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_HEX));
  strcpy(soft.name, "cube"), soft.mesh = mesh;
  link.num_geometries = 1, link.geometries = &shape;
  soft.num_parts = 1, soft.parts = &part;
  soft.num_dirichlet = 1, soft.dirichlet = &hold;
  soft.num_tractions = 1, soft.tractions = &pull;
  soft.num_attachments = 1, soft.attachments = &grip;
  def.num_trees = 1, def.trees = &tree, def.num_softs = 1, def.softs = &soft;
  def.num_actuators = 1, def.actuators = &drive, def.num_springs = 1, def.springs = &spring;
  def.num_loads = 1, def.loads = &load, def.num_pairs = 1, def.pairs = &pair;
  const marked markers[] = {{&def.marker, "sup_default_model_def:"},
                            {&def.contact.marker, "sup_default_contact_rules:"},
                            {&tree.marker, "sup_default_tree_def:"},
                            {&link.marker, "sup_default_link_def:"},
                            {&shape.marker, "sup_default_geometry_def:"},
                            {&shape.contact.marker, "sup_default_contact_def:"},
                            {&soft.marker, "sup_default_soft_def:"},
                            {&soft.contact.marker, "sup_default_contact_def:"},
                            {&soft.material.marker, "sup_default_material_def:"},
                            {&part.marker, "sup_default_part_def:"},
                            {&part.material.marker, "sup_default_material_def:"},
                            {&hold.marker, "sup_default_dirichlet_def:"},
                            {&pull.marker, "sup_default_traction_def:"},
                            {&grip.marker, "sup_default_attach_def:"},
                            {&drive.marker, "sup_default_actuator_def:"},
                            {&spring.marker, "sup_default_spring_def:"},
                            {&load.marker, "sup_default_load_def:"},
                            {&pair.marker, "sup_default_pair_def:"}};
  for (size_t i = 0; i < sizeof markers / sizeof *markers; i++) {
    *markers[i].marker = 17;
    FAILS(sup_model_create(&model, &def), SUP_E_ARG, markers[i].function);
    *markers[i].marker = SUP_INITIALISED;
  }
  sup_mesh_destroy(&mesh);
}

static void options_that_were_not_initialised_are_noticed(void) {
  sup_model         *model = NULL;
  sup_simulator     *sim = NULL;
  sup_mesh          *mesh = NULL;
  sup_hull          *hull = NULL;
  sup_model_def      def = sup_default_model_def();
  sup_simulator_def  bare = {.model = NULL};
  sup_probe_def      probe = {.name = "tip"};
  sup_finray         finger = sup_default_finray();
  sup_tetgen_options tetgen = {.quality = 1.4, .time_limit = 10};
  const double       corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  OK(sup_model_create(&model, &def));
  FAILS(sup_simulator_create(&sim, &bare), SUP_E_ARG, "sup_default_simulator_def");
  bare = sup_default_simulator_def();
  bare.model = model, bare.options = (sup_options){.dt = 1};
  FAILS(sup_simulator_create(&sim, &bare), SUP_E_ARG, "sup_default_options");
  bare.options = sup_default_options();
  bare.num_probes = 1, bare.probes = &probe;
  FAILS(sup_simulator_create(&sim, &bare), SUP_E_ARG, "sup_default_probe_def");
  sup_model_destroy(&model);
  finger.marker = 0;
  FAILS(sup_mesh_finray(&mesh, &finger), SUP_E_ARG, "sup_default_finray");
  OK(sup_hull_create(&hull, 4, corner));
  FAILS(sup_mesh_of_polyhedron(&mesh, hull, &tetgen), SUP_E_ARG, "sup_default_tetgen_options");
  sup_hull_destroy(&hull);
}

static int count_load_steps(const sup_simulator *sim, const sup_step_report *report, void *user) {
  CHECK(report->reason > 0 && sup_simulator_time(sim) > 0);
  return ++*(int *)user < 0;
}

/** A clamped cube's reaction is its weight, and then what is set from outside in addition. */
static void equilibria_carry_what_acts(void) {
  driven        d = {NULL, NULL, NULL};
  sup_mesh     *mesh = NULL;
  const double  size[3] = {0.1, 0.1, 0.1};
  const int     n[3] = {2, 2, 2};
  double        force[81] = {0};
  int           calls = 0;
  sup_soft_def  soft = sup_default_soft_def();
  sup_region    top = {.type = SUP_REGION_NAMED, .name = "z_max"};
  sup_model_def def = sup_default_model_def();
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_HEX));
  strcpy(soft.name, "cube"), soft.mesh = mesh, soft.num_clamps = 1, soft.clamps = &top;
  soft.material.model = SUP_MATERIAL_COROTATIONAL, soft.material.youngs_modulus = 3e5;
  def.num_softs = 1, def.softs = &soft;
  OK(sup_model_create(&d.model, &def));
  sup_mesh_destroy(&mesh);
  sup_simulator_def sim = sup_default_simulator_def();
  sim.model = d.model;
  OK(sup_simulator_create(&d.sim, &sim));
  sup_static_options options = sup_default_static_options();
  options.steps = 3;
  OK(sup_simulator_equilibrate(d.sim, &options, count_load_steps, &calls));
  CHECK(calls == 3);
  NEAR(sup_simulator_time(d.sim), 1, 0, 0);
  sup_array reaction = {NULL, 0, 0};
  OK(sup_simulator_read(d.sim, SUP_READ_REACTION, 0, &reaction));
  /* the lumped mass of the clamped vertices weighs on nothing that gives way: they count, too */
  NEAR(reaction.data[2], 1.2 * 9.81, 1e-6, 0);
  FAILS(sup_simulator_equilibrate(d.sim, &options, NULL, NULL), SUP_E_ARG, "not before the end");
  for (int i = 0; i < 27; i++)
    force[3 * i] = i % 3 == 0 ? -0.5 : 0; /* of its lower face, along x */
  set_on(&d, SUP_SET_VERTEX_FORCE, "cube", force, 81, 0);
  options.end = 2, options.steps = 1, options.ramp = 0;
  OK(sup_simulator_equilibrate(d.sim, &options, NULL, NULL));
  OK(sup_simulator_read(d.sim, SUP_READ_REACTION, 0, &reaction));
  NEAR(reaction.data[0], 4.5, 1e-6, 0);
  NEAR(reaction.data[2], 1.2 * 9.81, 1e-6, 0);
  end(&d);
}

/** Work of inputs counts as energy put in, for the verdict on energy: as much as that of the same
 * load by a table, and as the kinetic energy that results. */
static void work_of_what_is_set_is_that_of_tables(void) {
  enum { STEPS = 20, WAYS = 3 };
  const double      force[6] = {0, 3, 0, 0, 0, 0};
  double            work[WAYS] = {0, 0, 0}, time[1] = {0};
  const sup_options options = sup_default_options();
  for (int way = 0; way < WAYS; way++) {
    driven       d = {NULL, NULL, NULL};
    sup_tree_def tree;
    sup_link_def link;
    sup_load_def load = sup_default_load_def();
    add_ball(&tree, &link, 2);
    strcpy(load.name, "push"), strcpy(load.body, "ball");
    if (way == 0)
      load.force = (sup_table){.num_rows = 1, .width = 3, .time = time, .value = (double *)force};
    sup_model_def def = sup_default_model_def();
    def.num_trees = 1, def.trees = &tree, def.num_loads = 1, def.loads = &load;
    OK(sup_model_create(&d.model, &def));
    sup_simulator_def sim = sup_default_simulator_def();
    sim.model = d.model, sim.options = options;
    memset(sim.options.gravity, 0, sizeof sim.options.gravity);
    OK(sup_simulator_create(&d.sim, &sim));
    if (way == 1) set_on(&d, SUP_SET_FORCE, "push", force, 3, 0);
    if (way == 2) set_on(&d, SUP_SET_WRENCH, "ball", force, 6, 0);
    for (int i = 0; i < STEPS; i++) {
      OK(sup_simulator_step(d.sim, NULL));
      work[way] += sup_drive_work(d.model, d.sim->state, d.sim->result);
    }
    /* the velocity of a step's end acts over the step: (n + 1)/n of m v^2/2 */
    NEAR(work[way], read_of(&d, SUP_READ_ENERGY, "").data[0] * (STEPS + 1) / STEPS, 1e-12, 0);
    end(&d);
  }
}

static int stop_at_five(const sup_simulator *sim, const sup_step_report *report, void *user) {
  CHECK(report->reason > 0);
  *(int *)user += 1;
  return sup_simulator_steps(sim) >= 5;
}

static void progress_is_told_and_may_stop(void) {
  driven d;
  int    calls = 0;
  start(&d, "examples/soft_cube_drop.yaml", 0, NULL);
  FAILS(sup_simulator_run(d.sim, 1, stop_at_five, &calls), SUP_E_INTERRUPTED, "stopped at");
  CHECK(calls == 5);
  OK(sup_simulator_run(d.sim, 2 * sup_simulator_time(d.sim), NULL, NULL));
  CHECK(sup_simulator_steps(d.sim) == 10);
  end(&d);
}

SUITE_TESTS(simulator, TEST(a_reset_repeats_the_bits),
            TEST(a_state_of_the_middle_goes_on_with_equal_bits),
            TEST(a_saved_state_goes_on_with_equal_bits), TEST(states_of_one_model_step_in_parallel),
            TEST(what_is_read_of_a_pair_is_one),
            TEST(contact_forces_of_vertices_are_those_of_the_body), TEST(ramps_are_tables),
            TEST(wrenches_and_gravity_are_accelerations), TEST(forces_on_vertices_move_the_body),
            TEST(friction_that_is_set_acts), TEST(friction_is_not_raised_for_models_that_glide),
            TEST(matrices_of_a_tree_are_those_of_its_energy), TEST(a_frame_is_placed_by_joints),
            TEST(what_cannot_be_is_refused_by_name),
            TEST(definitions_that_were_not_initialised_are_noticed),
            TEST(options_that_were_not_initialised_are_noticed), TEST(equilibria_carry_what_acts),
            TEST(work_of_what_is_set_is_that_of_tables), TEST(progress_is_told_and_may_stop));
