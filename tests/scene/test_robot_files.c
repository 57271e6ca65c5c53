/* Robots in MJCF and SDF against what MuJoCo and libsdformat read. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/table.h"
#include "base/vec.h"
#include "la/dense_eigen.h"
#include "model/friction.h"
#include "output/shape_display.h"
#include "scene/robot/mjcf.h"
#include "scene/robot/sdf.h"
#include "scene/scene.h"
#include "test.h"
#include "tree/tree.h"

static const char *const packages[] = {"../shared/data/packages"};

/** Path of a file of this test with this text. */
static const char *test_file(const char *name, const char *text) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  FILE *file = fopen(path, "wb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  CHECK(fwrite(text, 1, strlen(text), file) == strlen(text));
  fclose(file);
  return path;
}

typedef sup_status reader(sup_tree_def *def, const char *path, const sup_robot_context *context);

static sup_robot_context context_with(sup_model_def *model) {
  *model = sup_default_model_def();
  sup_robot_context context = {sup_default_contact_def(), packages, 1, NULL, NULL, model, "r"};
  return context;
}

static void free_parts(sup_model_def *model) {
  for (int i = 0; i < model->num_actuators; i++) sup_table_free(&model->actuators[i].target);
  SUP_FREE_ALL(&model->actuators, &model->constraints, &model->pairs);
}

/** A file as it stands at the start. */
typedef struct robot {
  sup_tree_def  def;
  sup_model_def model;
  sup_tree     *tree;
  sup_frame     X[SUP_TREE_MAX_LINKS];
} robot;

static void read_robot(robot *r, reader *read, const char *path) {
  sup_robot_context        context = context_with(&r->model);
  double                   q[7 * SUP_TREE_MAX_LINKS], v[SUP_TREE_MAX_NV];
  sup_v3                   w[SUP_TREE_MAX_LINKS], u[SUP_TREE_MAX_LINKS];
  sup_tree_kinematics_data kin = {r->X, w, u};
  sup_base_motion          base = {.X_WB = sup_frame_identity()};
  OK(read(&r->def, path, &context));
  OK(sup_tree_create(&r->tree, &r->def));
  sup_tree_initial(&r->def, r->tree, q, v);
  sup_tree_kinematics(r->tree, &base, q, v, &kin);
}

static void free_robot(robot *r) {
  sup_tree_destroy(&r->tree);
  sup_tree_def_free(&r->def);
  free_parts(&r->model);
}

static int find(const sup_tree_def *def, const char *name, int is_joint) {
  for (int i = 0; i < def->num_links; i++)
    if (strcmp(is_joint ? def->links[i].joint_name : def->links[i].name, name) == 0) return i;
  return SUP_NONE;
}

/** Numbers of a field "1 2 3"; how many there are. */
static int numbers(const char *field, double *to) {
  int   count = 0;
  char *end;
  for (const char *at = field;; at = end) {
    to[count] = strtod(at, &end);
    if (end == at) return count;
    count++;
  }
}

static double largest(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(a[i] == b[i])) most = fmax(most, fabs(a[i] - b[i]) / fmax(1, fabs(b[i])));
  return most;
}

/** Three principal moments, in any order, or the six of the tensor in the world's axes; relative to
 * the largest. */
static double inertia_error(const sup_link_def *link, const sup_frame *X, const double *want,
                            int n) {
  const double *a = link->inertia;
  double        Q[9], e[9], most = 0, scale = 0;
  sup_m3        I = {{{a[0], a[3], a[4]}, {a[3], a[1], a[5]}, {a[4], a[5], a[2]}}};
  I = sup_m3_mul(sup_m3_mul(X->R, I), sup_m3_transpose(X->R));
  double got[6] = {I.m[0][0], I.m[1][1], I.m[2][2], I.m[0][1], I.m[0][2], I.m[1][2]};
  for (int k = 0; k < n; k++) scale = fmax(scale, fabs(want[k]));
  if (n == 6) {
    for (int k = 0; k < 6; k++) most = fmax(most, fabs(got[k] - want[k]));
    return most / scale;
  }
  for (int k = 0; k < 9; k++) e[k] = I.m[k / 3][k % 3];
  sup_dense_eigen(3, e, Q);
  for (int k = 0; k < 3; k++) {
    double nearest = HUGE_VAL;
    for (int l = 0; l < 3; l++) nearest = fmin(nearest, fabs(e[4 * l] - want[k]));
    most = fmax(most, nearest);
  }
  return most / scale;
}

static double body_error(const robot *r, char *const *field) {
  double want[16], e;
  int    k = find(&r->def, field[1], 0);
  CU_ASSERT_FATAL(k != SUP_NONE);
  const sup_link_def *link = &r->def.links[k];
  sup_v3              com = sup_frame_apply(&r->X[k], sup_v3_load(link->com));
  double              c[3] = {com.x, com.y, com.z}, p[3] = {r->X[k].p.x, r->X[k].p.y, r->X[k].p.z};
  numbers(field[2], want);
  e = fabs(link->mass - want[0]) / want[0];
  numbers(field[3], want);
  e = fmax(e, largest(c, want, 3));
  int n = numbers(field[4], want);
  e = fmax(e, inertia_error(link, &r->X[k], want, n));
  numbers(field[5], want);
  e = fmax(e, largest(p, want, 3));
  numbers(field[6], want);
  sup_m3 R = sup_quat_matrix(sup_quat_unit((sup_quat){want[0], want[1], want[2], want[3]}));
  for (int i = 0; i < 9; i++) e = fmax(e, fabs(R.m[i / 3][i % 3] - r->X[k].R.m[i / 3][i % 3]));
  return e;
}

static double joint_error(const robot *r, char *const *field) {
  double want[16], e;
  char   first[SUP_NAME_MAX + 4];
  snprintf(first, sizeof first, "%s:1", field[1]);
  int k = find(&r->def, field[1], 1);
  CU_ASSERT_FATAL(k != SUP_NONE);
  const sup_link_def *link = &r->def.links[k];
  sup_v3              axis = sup_m3_apply(r->X[k].R, sup_v3_load(link->axis));
  double got[3] = {axis.x, axis.y, axis.z}, law[3] = {link->damping, link->spring, link->armature},
         range[2] = {link->lower, link->upper};
  numbers(field[2], want);
  e = largest(got, want, 3);
  numbers(field[3], want);
  e = fmax(e, largest(law, want, 3));
  numbers(field[4], want);
  return fmax(e, largest(range, want, 2));
}

/** Compare all bodies and joints of a file with the numbers of another program. */
static void check_against(reader *read, const char *path, const char *name, int bodies) {
  char         list[256], line[2048], *field[8];
  int          found = 0;
  double       worst = 0;
  static robot r;
  snprintf(list, sizeof list, "tests/data/robots/%s.txt", name);
  read_robot(&r, read, path);
  FILE *file = fopen(list, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  while (fgets(line, sizeof line, file)) {
    int n = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; at && n < 8; n++) {
      field[n] = at;
      at = strchr(at, '|');
      if (at) *at++ = '\0';
    }
    bool   is_body = strcmp(field[0], "body") == 0;
    double e = line[0] == '#' ? 0 : is_body ? body_error(&r, field) : joint_error(&r, field);
    if (!(e < 1e-9)) printf("\n    %s: %s %s differs by %g", name, field[0], field[1], e);
    found += is_body;
    worst = fmax(worst, e);
  }
  fclose(file);
  CHECK(found == bodies && worst < 1e-9);
  free_robot(&r);
}

static void mjcf_has_the_numbers_of_mujoco(void) {
  check_against(sup_mjcf_read, "tests/data/robots/walker.xml", "walker", 7);
  check_against(sup_mjcf_read, "tests/data/robots/lift.xml", "lift", 3);
}

static void sdf_has_the_numbers_of_libsdformat(void) {
  check_against(sup_sdf_read, "tests/data/robots/hand.sdf", "hand", 11);
}

static void public_models_have_the_numbers_of_others(void) {
  static const struct {
    reader     *read;
    const char *path, *name;
    int         bodies;
  } models[] = {
      {sup_mjcf_read, "mjcf/humanoid.xml", "humanoid", 16},
      {sup_mjcf_read, "mjcf/car.xml", "car", 3},
      {sup_mjcf_read, "mjcf/slider_crank.xml", "slider_crank", 3},
      {sup_mjcf_read, "mjcf/arm26.xml", "arm26", 2},
      {sup_sdf_read, "packages/wsg_50_description/sdf/schunk_wsg_50_hydro_bubble.sdf",
       "schunk_wsg_50_hydro_bubble", 5},
      {sup_sdf_read, "packages/wsg_50_description/sdf/schunk_wsg_50_deformable_bubble.sdf",
       "schunk_wsg_50_deformable_bubble", 3},
      {sup_sdf_read, "packages/wsg_50_description/sdf/schunk_wsg_50_welded_fingers.sdf",
       "schunk_wsg_50_welded_fingers", 3}};
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    char        path[256];
    struct stat info;
    snprintf(path, sizeof path, "../shared/data/%s", models[k].path);
    if (stat(path, &info) != 0) SKIP("%s is absent ", path);
    check_against(models[k].read, path, models[k].name, models[k].bodies);
  }
}

/* ---- what acts on bodies --------------------------------------------------------------------- */

static const sup_actuator_def *find_drive(const sup_model_def *model, const char *name) {
  for (int i = 0; i < model->num_actuators; i++)
    if (strcmp(model->actuators[i].name, name) == 0) return &model->actuators[i];
  CU_FAIL_FATAL("no such drive");
  return NULL;
}

static int is_filtered(const sup_tree_def *def, const char *a, const char *b) {
  int i = find(def, a, 0), j = find(def, b, 0);
  for (int k = 0; k < def->num_filters; k++) {
    const int *f = def->filter + 2 * k;
    if ((f[0] == i && f[1] == j) || (f[0] == j && f[1] == i)) return 1;
  }
  return 0;
}

/** A drive acts through its gear, twice on gains and once on forces; a motor limits its joint. */
static void drives_and_constraints_of_mjcf_arrive(void) {
  static robot r;
  read_robot(&r, sup_mjcf_read, "tests/data/robots/walker.xml");
  CHECK(r.model.num_actuators == 3 && r.model.num_constraints == 1);
  const sup_actuator_def *p = find_drive(&r.model, "r/p"), *ge = find_drive(&r.model, "r/ge");
  CHECK(strcmp(p->joint, "r/a1") == 0 && p->kp == 200 && p->kd == 12 && p->effort == 60);
  CHECK(ge->kp == 100 && ge->kd == 5 && isinf(ge->effort));
  NEAR(ge->target.value[0], 0.1, 1e-15, 0); /* where 10 - 100 q is zero */
  CHECK(find_drive(&r.model, "r/ve")->kp == 0 && find_drive(&r.model, "r/ve")->kd == 4);
  CHECK(r.def.links[find(&r.def, "knee", 1)].effort_limit == 30);
  const sup_link_def *toe = &r.def.links[find(&r.def, "toe", 1)];
  CHECK(toe->mimic == find(&r.def, "knee", 1) && toe->mimic_ratio == 0.5);
  NEAR(toe->mimic_offset, 0.1 + 0.5 * 10 * acos(-1.0) / 180, 1e-14, 0); /* knee: ref -10 deg */
  const sup_constraint_def *c = &r.model.constraints[0];
  CHECK(c->kind == SUP_CONSTRAINT_BALL && strcmp(c->a, "r/trunk") == 0 &&
        strcmp(c->b, "r/arm2") == 0 && c->point_b[2] == 0.2);
  CHECK(r.def.links[find(&r.def, "neck", 1)].joint == SUP_JOINT_BALL);
  /* an exclude; a body and the one that carries it by three joints; neither */
  CHECK(is_filtered(&r.def, "trunk", "lower") && is_filtered(&r.def, "trunk", "upper"));
  CHECK(!is_filtered(&r.def, "world", "trunk") && r.def.base_touches);
  free_robot(&r);
}

static void joints_of_sdf_arrive(void) {
  static robot r;
  read_robot(&r, sup_sdf_read, "tests/data/robots/hand.sdf");
  const sup_link_def *knuckle = &r.def.links[find(&r.def, "knuckle", 1)],
                     *thread = &r.def.links[find(&r.def, "thread", 1)],
                     *palm = &r.def.links[find(&r.def, "palm", 0)];
  CHECK(knuckle->effort_limit == 12 && knuckle->velocity_limit == 3 && knuckle->spring_rest == 0.3);
  CHECK(thread->joint == SUP_JOINT_SCREW);
  NEAR(thread->pitch, 0.01 / (2 * acos(-1.0)), 1e-15, 0);
  CHECK(r.def.links[find(&r.def, "socket", 1)].joint == SUP_JOINT_BALL);
  CHECK(r.def.links[find(&r.def, "cross:2", 1)].parent == find(&r.def, "cross", 1));
  CHECK(r.def.links[find(&r.def, "inner::block", 0)].joint == SUP_JOINT_FIXED);
  CHECK(palm->num_geometries == 1 && palm->geometries[0].contact.friction == 0.7);
  CHECK(palm->parent == SUP_NONE && find(&r.def, "world", 0) == SUP_NONE);
  free_robot(&r);
}

/** MuJoCo's torsional friction is a moment over the normal force, here over that of sliding. */
static void condim_gives_geoms_their_moments(void) {
  static robot r;
  const char  *path =
      test_file("moments.xml",
                "<mujoco><default><geom size='.1'/><default class='rolls'>"
                "<geom condim='6' friction='.8'/></default></default><worldbody>"
                "<body name='a'><freejoint/><geom condim='4' friction='.5 .01 .02'/></body>"
                "<body name='b'><freejoint/><geom class='rolls'/></body>"
                "<body name='c'><freejoint/><geom friction='.5 .01 .02'/></body>"
                "</worldbody></mujoco>");
  static const double lengths[3][2] = {{.02, .02}, {.005 / .8, 1e-4}, {.02, .02}};
  read_robot(&r, sup_mjcf_read, path);
  for (int k = 0; k < 3; k++) {
    const char            *name[] = {"a", "b", "c"};
    const sup_contact_def *c = &r.def.links[find(&r.def, name[k], 0)].geometries[0].contact;
    CHECK(c->torsional_friction == lengths[k][0] && c->rolling_friction == lengths[k][1]);
  }
  /* of two geoms MuJoCo takes the larger of each, and of condim: mu .8, a moment of .01 m N */
  sup_contact_def pair[2];
  for (int k = 0; k < 2; k++) pair[k] = r.def.links[1 + k].geometries[0].contact;
  sup_friction both = sup_friction_combine(&pair[0], &pair[1]);
  CHECK(both.mu == .8 && both.mu * both.torsional == .01 && both.rolling == .02);
  pair[1] = sup_default_contact_def(); /* with a body of the scene its own rule */
  both = sup_friction_combine(&pair[0], &pair[1]);
  CHECK(both.mu == .5 && both.torsional == .02 && both.rolling == 0); /* condim 4 */
  free_robot(&r);
}

/** The larger condim of two geoms counts, and all of the one of higher priority. */
static void condim_and_priority_are_those_of_the_pair(void) {
  static robot r;
  const char  *path =
      test_file("priority.xml",
                "<mujoco><default><geom size='.1' friction='.9'/></default><worldbody>"
                "<body name='ice'><freejoint/><geom condim='1'/></body>"
                "<body name='skin'><freejoint/><geom priority='1' friction='.3'/></body>"
                "<body name='rock'><freejoint/><geom/></body></worldbody></mujoco>");
  read_robot(&r, sup_mjcf_read, path);
  sup_contact_def ice = r.def.links[find(&r.def, "ice", 0)].geometries[0].contact,
                  skin = r.def.links[find(&r.def, "skin", 0)].geometries[0].contact,
                  rock = r.def.links[find(&r.def, "rock", 0)].geometries[0].contact,
                  plain = sup_default_contact_def();
  CHECK(sup_friction_combine(&ice, &ice).mu == 0 && sup_friction_combine(&ice, &plain).mu == 0);
  CHECK(sup_friction_combine(&plain, &ice).mu_static == 0);
  CHECK(sup_friction_combine(&ice, &rock).mu == .9);
  CHECK(sup_friction_combine(&rock, &skin).mu == .3 && sup_friction_combine(&skin, &rock).mu == .3);
  CHECK(sup_friction_combine(&ice, &skin).mu == .3);
  ice.priority = 2;
  CHECK(sup_friction_combine(&rock, &ice).mu == 0 && sup_friction_combine(&skin, &ice).mu == 0);
  free_robot(&r);
}

/** A pair has its own friction and condim, MuJoCo's unless it or its class says them, and joins
 * geoms without bits. */
static void pairs_have_their_friction(void) {
  static robot r;
  const char  *path = test_file(
       "pairs.xml",
       "<mujoco><default><geom size='.1' friction='.9' contype='0' conaffinity='0'/>"
        "<default class='slick'><pair friction='.2 .2 .01' "
        "condim='4'/></default></default><worldbody>"
        "<body name='a'><freejoint/><geom name='a'/></body>"
        "<body name='b'><freejoint/><geom name='b'/></body>"
        "<body name='c'><freejoint/><geom name='c'/></body>"
        "<body name='d'><freejoint/><geom/></body></worldbody><contact>"
        "<pair geom1='a' geom2='b'/><pair class='slick' geom1='b' geom2='c'/>"
        "<pair geom1='a' geom2='c' condim='6' friction='.5 .5 .01 .02 .02'/></contact></mujoco>");
  read_robot(&r, sup_mjcf_read, path);
  static const double numbers[3][3] = {{1, 0, 0}, {.2, .01 / .2, 0}, {.5, .02, .02}};
  CU_ASSERT_EQUAL_FATAL(r.model.num_pairs, 3);
  for (int k = 0; k < 3; k++) {
    const sup_pair_def *p = &r.model.pairs[k];
    CHECK(p->friction == numbers[k][0] && p->torsional_friction == numbers[k][1]);
    CHECK(p->rolling_friction == numbers[k][2] && isnan(p->dissipation));
  }
  CHECK(strcmp(r.model.pairs[1].a, "r/b") == 0 && strcmp(r.model.pairs[1].b, "r/c") == 0);
  for (int k = 0; k < 4; k++) CHECK(r.def.links[1 + k].num_geometries == (k < 3));
  free_robot(&r);
}

/** Two geoms touch where contype of one has a bit of conaffinity of the other. */
static void bits_of_geoms_are_pairs_of_links(void) {
  static robot r;
  const char  *path =
      test_file("bits.xml",
                "<mujoco><default><geom size='.1'/></default><worldbody>"
                "<body name='a'><freejoint/><geom contype='1' conaffinity='2'/></body>"
                "<body name='b'><freejoint/><geom contype='2' conaffinity='4'/></body>"
                "<body name='c'><freejoint/><geom name='c' contype='4' conaffinity='8'/></body>"
                "<body name='d'><freejoint/><geom name='d' contype='0' conaffinity='1'/></body>"
                "<body name='e'><freejoint/><geom contype='0' conaffinity='0'/></body>"
                "</worldbody><contact><pair geom1='c' geom2='d'/></contact></mujoco>");
  read_robot(&r, sup_mjcf_read, path);
  CHECK(!is_filtered(&r.def, "a", "b") && !is_filtered(&r.def, "b", "c"));
  CHECK(is_filtered(&r.def, "a", "c") && !is_filtered(&r.def, "a", "d"));
  CHECK(is_filtered(&r.def, "b", "d") && !is_filtered(&r.def, "c", "d")); /* by the pair */
  const sup_link_def *e = &r.def.links[find(&r.def, "e", 0)];
  CHECK(e->num_geometries == 0 && e->mass > 4);
  free_robot(&r);
}

/* ---- in scenes ------------------------------------------------------------------------------- */

/** Friction of the pair of two bodies. */
static double friction_of(const sup_model *model, const char *const name[2]) {
  int a = sup_model_find_body(model, name[0]), b = sup_model_find_body(model, name[1]);
  for (int i = 0; i < model->num_pairs; i++)
    if ((model->pair[i].a == a && model->pair[i].b == b) ||
        (model->pair[i].a == b && model->pair[i].b == a))
      return model->pair[i].friction.mu;
  return -1;
}

/** Free bodies start where the file has them, and fall on its plane; a scene's drive takes the
 * numbers of the file's on its joint, and its place. */
static void models_run_in_scenes(void) {
  sup_scene  *scene = NULL;
  const char *path = test_file(
      "ball.xml",
      "<mujoco><worldbody><geom name='plane' type='plane' size='1 1 1' friction='.4'/>"
      "<body name='ball' pos='0 0 .3'><freejoint name='free'/><geom name='ball' size='.1'/></body>"
      "<body name='arm' pos='1 0 1'><joint name='j' axis='0 1 0'/>"
      "<geom name='arm' type='capsule' fromto='0 0 0 .3 0 0' size='.02'/></body></worldbody>"
      "<actuator><position joint='j' kp='80' kv='4' forcerange='-20 20'/></actuator>"
      "<contact><pair geom1='plane' geom2='ball' friction='.7 .7'/>"
      "<pair geom1='ball' geom2='arm' friction='.6 .6'/></contact></mujoco>");
  (void)path;
  path = test_file("ball.yaml",
                   "supple: 1\ntime: {step: 10 ms, end: 1 s}\n"
                   "robots: {r: {mjcf: ball.xml}}\n"
                   "actuators: {a: {joint: r/j, kd: 5 N m s/rad, targets: [[0 s, 30 "
                   "deg]]}}\ncontact: {pairs: [{bodies: [r/arm, r/ball], friction: 0.1}]}\n");
  OK(sup_scene_load(&scene, path, NULL, 0));
  const sup_model_def *m = &scene->model;
  CHECK(m->num_actuators == 1 && strcmp(m->actuators[0].name, "a") == 0);
  CHECK(m->actuators[0].kp == 80 && m->actuators[0].kd == 5 && m->actuators[0].effort == 20);
  const sup_link_def *ball = &m->trees[0].links[1];
  CHECK(ball->joint == SUP_JOINT_FLOATING && ball->q0[2] == 0.3);
  CHECK(m->trees[0].links[0].geometries[0].contact.friction == 0.4);
  sup_model     *model;
  sup_simulator *simulator;
  OK(sup_model_create(&model, m));
  const char *world[2] = {"r/world", "r/ball"}, *arm[2] = {"r/arm", "r/ball"};
  CHECK(friction_of(model, world) == .7 && friction_of(model, arm) == .1); /* the scene's before */
  OK(sup_scene_simulator_create(&simulator, scene, model));
  OK(sup_simulator_run(simulator, 1, NULL, NULL));
  const double *q = sup_simulator_state(simulator)->q;
  NEAR(q[2], 0.1, 0, 1e-3); /* the ball on the plane, the arm at its target */
  NEAR(q[7], acos(-1.0) / 6, 0.1, 0);
  sup_simulator_destroy(&simulator);
  sup_model_destroy(&model);
  sup_scene_destroy(&scene);
}

/* ---- what is seen ---------------------------------------------------------------------------- */

static const char seen[] =
    "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry>"
    "</collision><visual><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/><geometry><mesh "
    "filename='%s' scale='1 2 1'/></geometry></visual><visual><geometry><box size='1 1 1'/>"
    "</geometry></visual></link><link name='b'><collision><geometry><box size='1 1 1'/></geometry>"
    "</collision><visual><geometry><mesh filename='none.obj'/></geometry></visual></link>"
    "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>";

/** Read `seen` with this file in a model, and the last corner of its first visual, which the file
 * has at (0, 0, 3): the corner farthest along y is at (0, 2, 0). */
static void check_seen(const char *mesh, bool is_read) {
  char              text[2048];
  sup_model_def     def = sup_default_model_def(), none;
  sup_robot_context context = context_with(&none);
  sup_tree_def      tree;
  sup_model        *model;
  double            top = -HUGE_VAL, left = HUGE_VAL;
  snprintf(text, sizeof text, seen, mesh);
  context.has_visuals = true;
  OK(sup_urdf_read_with(&tree, test_file("seen.urdf", text), &context));
  def.num_trees = 1, def.trees = &tree;
  OK(sup_model_create(&model, &def));
  CHECK(tree.links[0].num_visuals == 1 + is_read && tree.links[1].num_visuals == 0);
  CHECK(model->num_visuals == 1 + is_read && model->num_geometries == 2);
  CHECK(sup_num_shown(model) == 3 + is_read && !sup_shown_geometry(model, 0));
  CHECK(sup_shown_geometry(model, 1) == &model->geometry[1]); /* it has no visual that was read */
  const sup_geometry *visual = sup_shown_geometry(model, 2);
  for (int i = 0; is_read && i < visual->surface->num_points; i++) {
    top = fmax(top, visual->points[3 * i + 2]);
    left = fmin(left, visual->points[3 * i]);
  }
  if (is_read) NEAR(top, 3, 1e-6, 0);
  if (is_read) NEAR(left, 1 - 4, 1e-6, 0); /* y of 2, twice as large, turned to -x, moved by 1 */
  sup_model_destroy(&model);
  sup_tree_def_free(&tree);
}

static void visuals_are_shown_in_place_of_collision_shapes(void) {
  static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\n";
  char              dae[600], here[512];
  test_file("open.obj", obj); /* one face is missing */
  check_seen("open.obj", true);
  check_seen("absent.obj", false);
  if (!getcwd(here, sizeof here)) return;
  snprintf(dae, sizeof dae, "%s/tests/data/robots/meshes/corner.dae", here);
  check_seen(dae, test_has_program("assimp")); /* z points up */
}

/* ---- broken files ---------------------------------------------------------------------------- */

static void broken_files_say_line_and_remedy(void) {
  static const struct {
    reader     *read;
    const char *text, *message;
  } files[] = {
      {sup_mjcf_read, "<robot/>", "robot.xml:1: the file begins with <robot>; an MJCF file begins"},
      {sup_mjcf_read, "<mujoco>\n<compiler coordinate='global'/></mujoco>",
       "robot.xml:2: coordinate=\"global\" is not possible; local coordinates are"},
      {sup_mjcf_read, "<mujoco><compiler eulerseq='xyw'/></mujoco>", "eulerseq is 'xyw'; it must"},
      {sup_mjcf_read, "<mujoco><include file='none.xml'/></mujoco>",
       "robot.xml:1: the included file cannot be read"},
      {sup_mjcf_read, "<mujoco>\n\n<include file='robot.xml'/></mujoco>",
       "robot.xml:3: the file 'robot.xml' includes itself"},
      {sup_mjcf_read, "<mujoco><worldbody><body childclass='c'/></worldbody></mujoco>",
       "childclass 'c' of <body> is not defined; <default class=\"c\"> would do"},
      {sup_mjcf_read,
       "<mujoco><worldbody><body>\n<joint type='screw'/></body></worldbody></mujoco>",
       "robot.xml:2: a joint has the type 'screw'; known: hinge, slide, ball, free"},
      {sup_mjcf_read, "<mujoco><worldbody><body><joint axis='0 0 0'/></body></worldbody></mujoco>",
       "joint 'joint0' has the axis (0 0 0); it must be a direction"},
      {sup_mjcf_read, "<mujoco><worldbody><body><joint range='1 0'/></body></worldbody></mujoco>",
       "joint 'joint0' has limits from 1 to 0; the lower one must not be above the upper"},
      {sup_mjcf_read, "<mujoco><worldbody><geom type='cone'/></worldbody></mujoco>",
       "a geom has the unknown type 'cone'; known: plane, sphere"},
      {sup_mjcf_read, "<mujoco><worldbody><geom type='box' size='1 0 1'/></worldbody></mujoco>",
       "size 2 of a geom of link 'world' is 0 m; it must be positive"},
      {sup_mjcf_read, "<mujoco><worldbody>\n<geom size='1' condim='5'/></worldbody></mujoco>",
       "robot.xml:2: condim is 5; it must be 1, 3, 4 or 6"},
      {sup_mjcf_read,
       "<mujoco><worldbody><geom name='g' size='1'/></worldbody><contact>\n"
       "<pair geom1='g' geom2='g' friction='1 1 0 -1'/></contact></mujoco>",
       "robot.xml:2: friction has -1; it must be 0 or more"},
      {sup_mjcf_read,
       "<mujoco><worldbody><geom size='1' condim='6' friction='1 -1'/></worldbody></mujoco>",
       "friction has -1; it must be 0 or more"},
      {sup_mjcf_read, "<mujoco><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
       "the mesh 'm' is not defined; <mesh name=\"m\"> in <asset> would do"},
      {sup_mjcf_read,
       "<mujoco><worldbody><body><freejoint/><geom type='plane'/></body></worldbody></mujoco>",
       "link 'body1' moves and has a plane; planes rest"},
      {sup_mjcf_read, "<mujoco><worldbody><body quat='0 0 0 0 1'/></worldbody></mujoco>",
       "attribute 'quat' of <body> has 5 numbers; it must have 4"},
      {sup_mjcf_read, "<mujoco><worldbody><body xyaxes='1 0 0 2 0 0'/></worldbody></mujoco>",
       "'xyaxes' of <body> gives no rotation: 1 0 0 2 0 0"},
      {sup_mjcf_read,
       "<mujoco><worldbody><body name='a'/></worldbody><contact><exclude body1='a' body2='aa'/>"
       "</contact></mujoco>",
       "<exclude> names the body 'aa', which is not defined; did you mean 'a'?"},
      {sup_mjcf_read, "<mujoco><actuator><motor joint='k'/></actuator></mujoco>",
       "<motor> names the joint 'k', which is not defined"},
      {sup_mjcf_read, "<mujoco><worldbody><body name='a'/><body name='a'/></worldbody></mujoco>",
       "a second body is named 'a'"},
      {sup_sdf_read, "<robot/>", "the file begins with <robot>; an SDF file begins with <sdf>"},
      {sup_sdf_read, "<sdf><world name='w'/></sdf>", "<sdf> has no <model>; one <model> in it is"},
      {sup_sdf_read, "<sdf><model name='m'/></sdf>", "the model has no <link>"},
      {sup_sdf_read, "<sdf><model name='m'><link/></model></sdf>", "<link> has no <name>"},
      {sup_sdf_read,
       "<sdf><model name='m'><link name='a'>\n<pose relative_to='b'/></link></model></sdf>",
       "robot.xml:2: <pose> names 'b', which is not defined"},
      {sup_sdf_read,
       "<sdf><model name='m'><link name='a'><pose relative_to='f'/></link><frame name='f'>"
       "<pose relative_to='a'/></frame></model></sdf>",
       "the pose of 'a' is relative to itself"},
      {sup_sdf_read, "<sdf><model name='m'><link name='a'><pose>1 2</pose></link></model></sdf>",
       "<pose> has 2 numbers; it must have 6"},
      {sup_sdf_read,
       "<sdf><model name='m'><link name='a'/><link name='b'/><joint name='j' type='gearbox'>"
       "<parent>a</parent><child>b</child></joint></model></sdf>",
       "joint 'j' has the type 'gearbox'; known: fixed, revolute, continuous, prismatic, ball"},
      {sup_sdf_read,
       "<sdf><model name='m'><link name='a'/><link name='b'/><joint name='j' type='revolute'>"
       "<parent>a</parent><child>b</child></joint></model></sdf>",
       "joint 'j' has no <axis>"},
      {sup_sdf_read,
       "<sdf><model name='m'><link name='a'/><joint name='j' type='fixed'><parent>a</parent>"
       "<child>world</child></joint></model></sdf>",
       "the <child> of joint 'j' is the world"},
      {sup_sdf_read,
       "<sdf><model name='m'><include><uri>model://none</uri></include></model></sdf>",
       "the included model: 'model://none' was not found"},
      {sup_sdf_read, "<sdf><model name='m'><link name='a'/><link name='b'/></model></sdf>",
       "link 'b' and link 'a' (line 1) both have no parent; only one root is possible"}};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    sup_tree_def      def;
    sup_model_def     model;
    sup_robot_context context = context_with(&model);
    FAILS(files[k].read(&def, test_file("robot.xml", files[k].text), &context), SUP_E_PARSE,
          files[k].message);
    sup_tree_def_free(&def);
    free_parts(&model);
  }
}

/** A text with some bytes, words and pieces changed. */
static size_t mutate(test_random *random, char *text, size_t n) {
  static const char *const words[] = {
      "<",     ">",     "'",    "=",    "/",      "1e308",
      "nan",   "-1",    "0",    "::",   "<body>", "<link>",
      "class", "world", "pose", "\xff", "ref",    "<include file='robot.xml'/>"};
  int changes = 1 + test_one_of(random, 3);
  for (int c = 0; c < changes && n > 30; c++) {
    size_t      at = (size_t)test_one_of(random, (int)n - 25);
    const char *word = words[test_one_of(random, (int)(sizeof words / sizeof *words))];
    size_t      length = (size_t)(1 + test_one_of(random, 20));
    int         choice = test_one_of(random, 8);
    if (choice < 4) { /* another digit, mostly still a file */
      while (at + 1 < n && !(text[at] >= '0' && text[at] <= '9')) at++;
      text[at] = "0123456789-. e"[test_one_of(random, 14)];
    } else if (choice < 6) {
      memmove(text + at, text + at + length, n - at - length);
      n -= length;
    } else {
      memmove(text + at + strlen(word), text + at, n - at);
      memcpy(text + at, word, strlen(word));
      n += strlen(word);
    }
  }
  return n;
}

static void check_mutated(reader *read, const char *path) {
  test_random random = {7};
  char       *from = NULL, *text = NULL;
  size_t      size;
  int         accepted = 0, rejected = 0;
  OK(sup_file_read_most(path, SUP_FILE_MOST_TEXT, &from, &size));
  text = calloc(2 * size, 1);
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  for (int round = 0; round < 1500; round++) {
    sup_tree_def      def;
    sup_model_def     model;
    sup_robot_context context = context_with(&model);
    memcpy(text, from, size);
    size_t n = mutate(&random, text, size);
    text[n] = '\0';
    sup_status status = read(&def, test_file("robot.xml", text), &context);
    accepted += status == SUP_OK;
    rejected += status == SUP_E_PARSE && strstr(sup_error_message(), "robot.xml") != NULL;
    if (status != SUP_OK && status != SUP_E_PARSE) printf("\n    %s", sup_error_message());
    sup_tree_def_free(&def);
    free_parts(&model);
  }
  CHECK(accepted + rejected == 1500);
  CHECK(accepted > 200 && rejected > 300);
  free(text);
  SUP_FREE(from);
}

static void mutated_files_are_read_or_refused(void) {
  check_mutated(sup_mjcf_read, "tests/fuzz/corpus/mjcf/walker.xml");
  check_mutated(sup_sdf_read, "tests/fuzz/corpus/sdf/hand.sdf");
}

static void check_memory(reader *read, const char *path) {
  sup_status status = SUP_E_MEMORY;
  for (long k = 1; k < 400 && status != SUP_OK; k++) {
    sup_tree_def      def;
    sup_model_def     model;
    sup_robot_context context = context_with(&model);
    sup_memory_fail_at(k);
    status = read(&def, path, &context);
    sup_memory_fail_at(0);
    CHECK(status == SUP_E_MEMORY || (status == SUP_OK && k > 4));
    sup_tree_def_free(&def);
    free_parts(&model);
  }
  CHECK(status == SUP_OK);
}

static void memory_failures_are_reported(void) {
  check_memory(sup_mjcf_read, "tests/data/robots/walker.xml");
  check_memory(sup_sdf_read, "tests/data/robots/hand.sdf");
}

SUITE_TESTS(robot_files, TEST(mjcf_has_the_numbers_of_mujoco),
            TEST(sdf_has_the_numbers_of_libsdformat),
            TEST(public_models_have_the_numbers_of_others),
            TEST(drives_and_constraints_of_mjcf_arrive), TEST(joints_of_sdf_arrive),
            TEST(bits_of_geoms_are_pairs_of_links), TEST(condim_gives_geoms_their_moments),
            TEST(condim_and_priority_are_those_of_the_pair), TEST(pairs_have_their_friction),
            TEST(models_run_in_scenes), TEST(visuals_are_shown_in_place_of_collision_shapes),
            TEST(broken_files_say_line_and_remedy), TEST(mutated_files_are_read_or_refused),
            TEST(memory_failures_are_reported));
