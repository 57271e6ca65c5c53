/* Inverse kinematics through closed loops: coupler points of four-bars, delta robots and
 * parallelograms against closed forms. */
#include "model/linkage.h"
#include "scene/scene.h"
#include "step/scene_test.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

enum { NUM_POSES = 1000, NUM_PIECES = 200, MOST = 6 };

static sup_link_def *set_joint(sup_link_def *l, int parent, sup_joint_type joint, double x,
                               double y, double z) {
  l->parent = parent, l->joint = joint;
  l->axis[0] = l->axis[2] = 0, l->axis[1] = 1;
  l->X_PJ.p[0] = x, l->X_PJ.p[1] = y, l->X_PJ.p[2] = z;
  l->mass = .1, l->inertia[0] = l->inertia[1] = l->inertia[2] = 1e-3;
  return l;
}

static sup_constraint_def *close_loop(test_scene *s, sup_constraint_def *list, const char *a,
                                      const char *b, sup_constraint_kind kind) {
  sup_constraint_def *c = &list[s->def.num_constraints++];
  *c = sup_default_constraint_def();
  snprintf(c->name, sizeof c->name, "c%d", s->def.num_constraints);
  snprintf(c->a, sizeof c->a, "%s", a), snprintf(c->b, sizeof c->b, "%s", b);
  c->kind = kind, c->axis[1] = 1, c->axis[2] = 0;
  s->def.constraints = list;
  return c;
}

/* ---- four-bar -------------------------------------------------------------------------------- */

/* Crank a, coupler b, rocker c over the ground d along x; angles turn about y, which takes x to -z.
 */
static const double a = .1, b = .3, c = .25, d = .3, point_x = .15, point_z = -.1;

/** Coupler's and rocker's angle, and the coupler's point, of the crank's angle; the rocker above.
 */
static void four_bar(double theta, int side, double *coupler, double *rocker, sup_v3 *point) {
  double bx = a * cos(theta), bz = -a * sin(theta), dx = d - bx, r2 = dx * dx + bz * bz;
  double along = (r2 + b * b - c * c) / (2 * sqrt(r2));
  double ux = dx / sqrt(r2), uz = -bz / sqrt(r2), off = side * sqrt(b * b - along * along);
  double cx = bx + along * ux - off * uz, cz = bz + along * uz + off * ux;
  *coupler = atan2(-(cz - bz), cx - bx), *rocker = atan2(-cz, cx - d);
  *point = (sup_v3){bx + point_x * cos(*coupler) + point_z * sin(*coupler), 0,
                    bz - point_x * sin(*coupler) + point_z * cos(*coupler)};
}

/** As one chain whose rocker has a hinge on the world, or a crank with two free bars. */
static void start_four_bar(test_scene *s, sup_constraint_def *list, int in_pieces) {
  double coupler, rocker;
  sup_v3 at;
  test_scene_init(s);
  four_bar(-1, 1, &coupler, &rocker, &at);
  sup_tree_def *t = test_add_tree(s, "bars", in_pieces ? 2 : 3);
  set_joint(&t->links[0], SUP_NONE, SUP_JOINT_REVOLUTE, 0, 0, 0)->q0[0] = -1;
  set_joint(&t->links[1], 0, SUP_JOINT_REVOLUTE, a, 0, 0)->q0[0] = coupler + 1;
  if (!in_pieces) {
    set_joint(&t->links[2], 1, SUP_JOINT_REVOLUTE, b, 0, 0)->q0[0] = rocker - coupler + pi;
    close_loop(s, list, "world", "bars/link2", SUP_CONSTRAINT_HINGE)->point_b[0] = c;
    return;
  }
  sup_link_def *bar = test_add_rigid(s, "rocker", (sup_shape){SUP_SHAPE_BOX, {c, .02, .02}}, .1, 0);
  bar->num_geometries = 0, bar->q0[0] = d;
  bar->q0[3] = cos(rocker / 2), bar->q0[5] = sin(rocker / 2);
  close_loop(s, list, "world", "rocker", SUP_CONSTRAINT_HINGE);
  close_loop(s, list, "bars/link1", "rocker", SUP_CONSTRAINT_HINGE)->point_b[0] = c;
}

/** Points one after the other along the coupler's curve, each reached from the one before. */
static void coupler_points_are_reached(void) {
  for (int in_pieces = 0; in_pieces < 2; in_pieces++) {
    sup_constraint_def         list[MOST];
    test_scene                 s;
    test_random                random = {1};
    double                     worst = 0, theta = -1, q[3];
    int                        num_iterations = 0;
    SUP_OWN_VALUE(sup_linkage) linkage = {0};
    start_four_bar(&s, list, in_pieces);
    test_start(&s);
    memcpy(q, s.state->q, sizeof q);
    OK(sup_linkage_create(&linkage, s.model, s.state, SUP_NONE,
                          sup_model_find_body(s.model, "bars/link1"), NULL));
    for (int n = 0; n < (in_pieces ? NUM_PIECES : NUM_POSES); n++) {
      double      coupler, rocker;
      sup_ik_goal goal = {1, sup_frame_identity(), sup_frame_identity(), SUP_IK_POSITION};
      sup_v3      at;
      theta += .25 * test_uniform(&random);
      four_bar(theta, 1, &coupler, &rocker, &goal.X_WF.p);
      goal.X_LF.p = (sup_v3){point_x, 0, point_z};
      sup_ik_report r = sup_linkage_inverse_kinematics(&linkage, goal, in_pieces ? 2 : 3, q);
      num_iterations += r.iterations;
      CHECK(r.is_reached && r.num_joints == 3);
      four_bar(q[0], 1, &coupler, &rocker, &at); /* another angle where the curve meets itself */
      worst = fmax(worst, sup_v3_norm(sup_v3_sub(at, goal.X_WF.p)));
      worst = fmax(worst, a * fabs(remainder(q[0] + q[1] - coupler, 2 * pi)));
    }
    printf("off by %.2g m, %.1f steps a pose; ", worst,
           (double)num_iterations / (in_pieces ? NUM_PIECES : NUM_POSES));
    CHECK(worst < 1e-9);
    test_end(&s);
  }
}

/** Points off the coupler's curve: the frame is at the nearest one of it, the loop closed and the
 * rocker on its side. */
static void the_nearest_place_of_a_loop_is_found(void) {
  sup_constraint_def list[MOST];
  test_scene         s;
  test_random        random = {3};
  enum { NUM_ANGLES = 20000, NUM_GOALS = 40 };
  sup_v3 curve[NUM_ANGLES];
  double coupler, rocker, q[3];
  start_four_bar(&s, list, 0);
  test_start(&s);
  for (int k = 0; k < NUM_ANGLES; k++)
    four_bar(-1 + 2 * pi * k / NUM_ANGLES, 1, &coupler, &rocker, &curve[k]);
  for (int n = 0; n < NUM_GOALS; n++) {
    SUP_OWN_VALUE(sup_linkage) linkage = {0};
    double                     nearest = HUGE_VAL;
    sup_ik_goal                goal = {.X_WF = sup_frame_identity(), .rotation = SUP_IK_POSITION};
    for (int k = 0; k < 3; k++) (&goal.X_WF.p.x)[k] = (k == 1 ? .1 : 1) * test_uniform(&random);
    goal.X_LF.p = (sup_v3){point_x, 0, point_z};
    memcpy(q, s.state->q, sizeof q);
    OK(sup_linkage_create(&linkage, s.model, s.state, SUP_NONE,
                          sup_model_find_body(s.model, "bars/link1"), NULL));
    sup_ik_report r = sup_linkage_inverse_kinematics(&linkage, goal, 3, q);
    for (int k = 0; k < NUM_ANGLES; k++)
      nearest = fmin(nearest, sup_v3_norm(sup_v3_sub(curve[k], goal.X_WF.p)));
    four_bar(q[0], 1, &coupler, &rocker, &curve[0]);
    NEAR(remainder(q[0] + q[1] - coupler, 2 * pi), 0, 0, 1e-7);
    four_bar(-1, 1, &coupler, &rocker, &curve[0]);
    CHECK(!r.is_reached);
    CHECK(fabs(a * sin(q[0]) + b * sin(q[0] + q[1]) + c * sin(q[0] + q[1] + q[2])) < 1e-8);
    CHECK(fabs(a * cos(q[0]) + b * cos(q[0] + q[1]) + c * cos(q[0] + q[1] + q[2]) - d) < 1e-8);
    NEAR(r.position_error, nearest, 3e-5, 0);
  }
  test_end(&s);
}

/** Points anywhere on the coupler's curve, most of which the frame does not come to by moving
 * nearer all the time. */
static void a_goal_behind_the_curve_is_reached(void) {
  for (int in_pieces = 0; in_pieces < 2; in_pieces++) {
    sup_constraint_def list[MOST];
    test_scene         s;
    int                num_reached[2] = {0};
    start_four_bar(&s, list, in_pieces);
    test_start(&s);
    for (int n = 0; n < 200; n++) {
      SUP_OWN_VALUE(sup_linkage) linkage = {0};
      sup_ik_goal goal = {1, sup_frame_identity(), sup_frame_identity(), SUP_IK_POSITION};
      double      coupler, rocker, q[3];
      sup_v3      at;
      four_bar(2 * pi * (n / 2) / 100, 1, &coupler, &rocker, &goal.X_WF.p);
      goal.X_LF.p = (sup_v3){point_x, 0, point_z}, goal.is_local = n % 2;
      memcpy(q, s.state->q, sizeof q);
      OK(sup_linkage_create(&linkage, s.model, s.state, SUP_NONE,
                            sup_model_find_body(s.model, "bars/link1"), NULL));
      sup_ik_report r = sup_linkage_inverse_kinematics(&linkage, goal, in_pieces ? 2 : 3, q);
      num_reached[n % 2] += r.is_reached;
      four_bar(q[0], 1, &coupler, &rocker, &at);
      NEAR(remainder(q[0] + q[1] - coupler, 2 * pi), 0, 0, 1e-6);
    }
    printf("%d of 100, %d without detours; ", num_reached[0], num_reached[1]);
    CHECK(num_reached[0] == 100 && num_reached[1] < 80);
    test_end(&s);
  }
}

/* ---- delta robot ----------------------------------------------------------------------------- */

/* Hips at `base` from the axis, arms, rods and the platform's joints at `hub` from its middle. */
static const double base = .2, arm = .3, rod = .6, hub = .05, half = .04, home = .4;

static void turned(double x, double y, double turn, double *out) {
  out[0] = cos(turn) * x - sin(turn) * y, out[1] = sin(turn) * x + cos(turn) * y;
}

/** Angle of a hip below the horizontal that takes the platform to p; its knee outside. */
static double hip_of(int k, sup_v3 p) {
  double in[2], turn = 2 * pi * k / 3;
  turned(p.x, p.y, -turn, in);
  double x = in[0] + hub - base, h2 = rod * rod - in[1] * in[1];
  double r = hypot(x, p.z), gamma = acos((arm * arm + r * r - h2) / (2 * arm * r));
  return atan2(-p.z, x) - gamma;
}

/** Three arms; the platform hangs by balls on a rod of the first, and by five others, or is a free
 * body on six. */
static void start_delta(test_scene *s, sup_constraint_def *list, bool is_free) {
  sup_v3      at = {0, 0, 0};
  const char *platform = is_free ? "platform" : "delta/link4";
  test_scene_init(s);
  sup_tree_def *t = test_add_tree(s, "delta", 4);
  sup_link_def *links = calloc(5, sizeof *links);
  memcpy(links, t->links, 4 * sizeof *links);
  links[4] = links[3], strcpy(links[4].name, "link4"), strcpy(links[4].joint_name, "joint4");
  t->links = links, t->num_links = 5;
  double knee = base + arm * cos(home) - hub;
  at.z = -arm * sin(home) - sqrt(rod * rod - knee * knee);
  for (int k = 0; k < 3; k++) {
    sup_link_def *hip = set_joint(&links[k], SUP_NONE, SUP_JOINT_REVOLUTE, 0, 0, 0);
    double        turn = 2 * pi * k / 3;
    turned(base, 0, turn, hip->X_PJ.p);
    hip->X_PJ.q[0] = cos(turn / 2), hip->X_PJ.q[3] = sin(turn / 2);
    hip->q0[0] = home, hip->lower = -.5, hip->upper = 1.5;
  }
  /* the rod's axes are the arm's at home, turned about y by the angle to its direction */
  double tilt = atan2(-(at.z + arm * sin(home)), -knee) - home;
  set_joint(&links[3], 0, SUP_JOINT_BALL, arm, half, 0)->q0[3] = cos(tilt / 2);
  links[3].q0[5] = sin(tilt / 2);
  set_joint(&links[4], 3, SUP_JOINT_BALL, rod, 0, 0)->q0[3] = cos((home + tilt) / 2);
  links[4].q0[5] = -sin((home + tilt) / 2);
  links[4].mass = .2;
  if (is_free) {
    t->num_links = 3;
    sup_link_def *l = test_add_rigid(s, platform, (sup_shape){SUP_SHAPE_SPHERE, {.01}}, .2, 0);
    l->num_geometries = 0, l->q0[0] = hub, l->q0[1] = half, l->q0[2] = at.z;
  }
  for (int i = is_free ? 0 : 1; i < 6;
       i++) { /* the platform's origin is the joint of the first rod */
    char   name[32];
    double turn = 2 * pi * (i / 2) / 3, at_platform[2];
    snprintf(name, sizeof name, "delta/link%d", i / 2);
    sup_constraint_def *r = close_loop(s, list, name, platform, SUP_CONSTRAINT_ROD);
    r->point_a[0] = arm, r->point_a[1] = i % 2 ? -half : half;
    turned(hub, r->point_a[1], turn, at_platform);
    r->point_b[0] = at_platform[0] - hub, r->point_b[1] = at_platform[1] - half;
    r->length = rod;
  }
}

static void check_delta(bool is_free) {
  const int          num_poses = is_free ? NUM_PIECES : NUM_POSES;
  sup_constraint_def list[MOST];
  test_scene         s;
  test_random        random = {2};
  double             worst = 0, tilted = 0;
  int                num_steps = 0, num_outside = 0;
  start_delta(&s, list, is_free);
  test_start(&s);
  const int body = sup_model_find_body(s.model, is_free ? "platform" : "delta/link4");
  for (int n = 0; n < num_poses; n++) {
    SUP_OWN_VALUE(sup_linkage) linkage = {0};
    double                     q[11];
    sup_ik_goal                goal = {.X_LF = sup_frame_identity(), .X_WF = sup_frame_identity()};
    goal.rotation = n % 2 ? SUP_IK_POSE : SUP_IK_POSITION;
    goal.X_LF.p = (sup_v3){-hub, -half, 0};
    goal.X_WF.p = (sup_v3){.2 * test_uniform(&random), .2 * test_uniform(&random),
                           -.55 + .1 * test_uniform(&random)};
    memcpy(q, s.state->q, (size_t)s.state->num_q * sizeof *q);
    OK(sup_linkage_create(&linkage, s.model, s.state, SUP_NONE, body, NULL));
    sup_ik_report r = sup_linkage_inverse_kinematics(&linkage, goal, is_free ? 3 : 11, q);
    num_steps += r.iterations;
    CHECK(r.is_reached);
    double off = 0;
    for (int k = 0; k < 3; k++) off = fmax(off, fabs(q[k] - hip_of(k, goal.X_WF.p)));
    if (off < 1e-3) worst = fmax(worst, off), num_outside++;
    sup_frame X = sup_linkage_frame(&linkage, &goal.X_LF);
    worst = fmax(worst, sup_v3_norm(sup_v3_sub(X.p, goal.X_WF.p)));
    tilted = fmax(tilted, fabs(X.R.m[0][0] - 1) + fabs(X.R.m[1][2]) + fabs(X.R.m[2][0]));
  }
  printf("%d of %d with the knees outside, off by %.2g rad, tilted by %.2g, %.1f steps a pose ",
         num_outside, num_poses, worst, tilted, (double)num_steps / num_poses);
  CHECK(num_outside == num_poses && worst < 1e-8 && tilted < 1e-8);
  free(s.tree[0].links);
  test_end(&s);
}

static void a_delta_robot_reaches_places(void) {
  check_delta(false);
  check_delta(true);
}

/** Goals above the hips, which other assemblies of the loops reach: the platform stops below, its
 * arms at their upper limits.  Loops that drives close at other places are of that assembly, too.
 */
static void a_delta_robot_keeps_its_assembly(void) {
  for (int is_free = 0; is_free < 2; is_free++) {
    sup_constraint_def list[MOST];
    test_scene         s;
    test_random        random = {4};
    double             knee = base + arm * cos(-.5) - hub;
    double             highest = arm * sin(.5) - sqrt(rod * rod - knee * knee);
    start_delta(&s, list, is_free);
    test_start(&s);
    for (int n = 0; n < 8; n++) {
      SUP_OWN_VALUE(sup_linkage) linkage = {0};
      double                     q[11];
      sup_ik_goal goal = {.X_LF = sup_frame_identity(), .X_WF = sup_frame_identity()};
      goal.rotation = SUP_IK_POSITION;
      goal.X_LF.p = (sup_v3){-hub, -half, 0}, goal.X_WF.p.z = .1 * n;
      memcpy(q, s.state->q, (size_t)s.state->num_q * sizeof *q);
      OK(sup_linkage_create(&linkage, s.model, s.state, SUP_NONE,
                            sup_model_find_body(s.model, is_free ? "platform" : "delta/link4"),
                            NULL));
      sup_ik_report r = sup_linkage_inverse_kinematics(&linkage, goal, is_free ? 3 : 11, q);
      CHECK(!r.is_reached);
      NEAR(r.position_error, .1 * n - highest, 1e-6, 0);
      for (int k = 0; k < 3; k++) NEAR(q[k], -.5, 0, 1e-6);
    }
    for (int n = 0; n < 20 && is_free; n++) {
      SUP_OWN_VALUE(sup_linkage) linkage = {0};
      sup_frame                  X_LF = sup_frame_identity();
      double                     q[3];
      X_LF.p = (sup_v3){-hub, -half, 0};
      for (int k = 0; k < 3; k++) q[k] = .5 + .9 * test_uniform(&random);
      OK(sup_linkage_create(&linkage, s.model, s.state, 0, sup_model_find_body(s.model, "platform"),
                            (char[]){1, 1, 1}));
      sup_linkage_close(&linkage, 3, q);
      sup_frame X = sup_linkage_frame(&linkage, &X_LF);
      for (int k = 0; k < 3; k++) NEAR(hip_of(k, X.p), q[k], 0, 1e-8);
      NEAR(X.R.m[0][0] + X.R.m[1][1], 2, 0, 1e-8);
    }
    free(s.tree[0].links);
    test_end(&s);
  }
}

/* A chain of balls that hangs on a link, more than a linkage takes, is no loop; held at its other
 * end it is. */
static void what_hangs_is_no_loop(void) {
  enum { NUM = TEST_MAX_TREES - 1 };
  for (int is_held = 0; is_held < 2; is_held++) {
    sup_constraint_def         list[NUM + 1];
    test_scene                 s;
    char                       name[2][16] = {"arm/link1"};
    SUP_OWN_VALUE(sup_linkage) linkage = {0};
    SUP_OWN_VALUE(sup_linkage) linkage_of_ball = {0};
    test_scene_init(&s);
    sup_tree_def *t = test_add_tree(&s, "arm", 2);
    set_joint(&t->links[0], SUP_NONE, SUP_JOINT_REVOLUTE, 0, 0, 0);
    set_joint(&t->links[1], 0, SUP_JOINT_REVOLUTE, .1, 0, 0);
    for (int i = 0; i < NUM; i++) {
      snprintf(name[1], sizeof name[1], "ball%d", i);
      test_add_rigid(&s, name[1], (sup_shape){SUP_SHAPE_SPHERE, {.01}}, .1, 0)->num_geometries = 0;
      close_loop(&s, list, name[0], name[1], SUP_CONSTRAINT_BALL);
      strcpy(name[0], name[1]);
    }
    if (is_held) close_loop(&s, list, "world", name[0], SUP_CONSTRAINT_BALL);
    test_start(&s);
    const int at = sup_model_find_body(s.model, "arm/link1"),
              ball = sup_model_find_body(s.model, "ball0");
    if (is_held)
      FAILS(sup_linkage_create(&linkage, s.model, s.state, SUP_NONE, at, NULL), SUP_E_ARG,
            "more than 15");
    else
      OK(sup_linkage_create(&linkage, s.model, s.state, SUP_NONE, at, NULL));
    if (!is_held)
      FAILS(sup_linkage_create(&linkage_of_ball, s.model, s.state, SUP_NONE, ball, NULL), SUP_E_ARG,
            "no joints move 'ball0', a free body that constraints now hold in no loop");
    CHECK(is_held || (linkage.num_closures == 0 && linkage.tree.nv == 2));
    test_end(&s);
  }
}

/* ---- starts of a file's loops ---------------------------------------------------------------- */

/** Scene of a four-bar from MJCF that stands at the crank's angle -1 and starts at another.
 *  @param[in] keys  of the robot, for instance "loops: closed, joints: {crank: 2}" */
static sup_status load_four_bar(sup_scene **scene, const char *keys, const char *extra) {
  char   path[2][512];
  double coupler, rocker;
  sup_v3 at;
  four_bar(-1, 1, &coupler, &rocker, &at);
  for (int k = 0; k < 2; k++)
    snprintf(path[k], sizeof path[k], "%s/%s", test_folder(), k ? "bars.yaml" : "bars.xml");
  FILE *file = fopen(path[0], "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fprintf(
      file,
      "<mujoco><compiler angle='radian' autolimits='true'/><default><joint axis='0 1 0'/>"
      "<geom size='.01' contype='0' conaffinity='0'/></default><worldbody>"
      "<body name='a' euler='0 -1 0'><joint name='crank' ref='-1'/><geom/>"
      "<body name='b' pos='%.17g 0 0' euler='0 %.17g 0'><joint name='pin'/><geom/></body></body>"
      "<body name='c' pos='%.17g 0 0' euler='0 %.17g 0'>"
      "<joint name='rocker' ref='%.17g'/><geom/></body></worldbody>"
      "<equality><connect body1='c' body2='b' anchor='%.17g 0 0'/></equality>%s</mujoco>",
      a, coupler + 1, d, rocker, rocker, c, extra);
  fclose(file);
  file = fopen(path[1], "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fprintf(file,
          "supple: 1\ntime: {step: 1 ms, end: 1 s}\n"
          "robots: {r: {mjcf: bars.xml, %s}}\n",
          keys);
  fclose(file);
  return sup_scene_load(scene, path[1], NULL, 0);
}

/** A drive of a fixed tendon of a joint and its follower drives the joint: with 2 q - q' and q' = 3
 * q
 * + 1 the length is -q - 1; of joints that follow none it is named. */
static void a_drive_of_a_tendon_drives_the_joint_that_leads(void) {
  static const char text[] =
      "<tendon><fixed name='t'><joint joint='crank' coef='2'/><joint joint='%s' coef='-1'/></fixed>"
      "</tendon><equality><joint joint1='pin' joint2='crank' polycoef='-2 3'/></equality>"
      "<actuator><position tendon='t' kp='5' gear='2' forcerange='-7 7'/></actuator>";
  for (int other = 0; other < 2; other++) {
    char                extra[512];
    SUP_OWN(sup_scene) *scene = NULL;
    snprintf(extra, sizeof extra, text, other ? "rocker" : "pin");
    OK(load_four_bar(&scene, "base: fixed", extra));
    CHECK(scene->model.num_actuators == !other);
    if (other) break;
    const sup_actuator_def *drive = scene->model.actuators;
    CHECK(strcmp(drive->joint, "r/crank") == 0);
    NEAR(drive->kp, 5 * 2 * 2, 1e-15, 0);
    NEAR(drive->effort, 14, 1e-15, 0);
    NEAR(drive->target.value[0], -1, 1e-15, 0); /* where the length is 0 */
  }
}

/** Joints that a scene does not name close the loop on the file's side, to the closed form; a crank
 * that no rocker reaches is refused, and the place stands. */
static void joints_of_a_file_close_its_loops(void) {
  double worst = 0;
  for (int n = 0; n < 60; n++) {
    double              coupler, rocker, theta = -pi + pi / 30 * n;
    char                keys[80];
    sup_v3              at;
    SUP_OWN(sup_scene) *scene = NULL;
    four_bar(theta, 1, &coupler, &rocker, &at);
    snprintf(keys, sizeof keys, "loops: closed, joints: {crank: %.17g rad}", theta);
    OK(load_four_bar(&scene, keys, ""));
    const sup_link_def *link = scene->model.trees[0].links;
    CHECK(link[1].q0[0] == theta);
    worst = fmax(worst, fabs(remainder(link[3].q0[0] - rocker, 2 * pi)));
    double coupler_now = theta + link[2].q0[0], before, unused;
    four_bar(-1, 1, &before, &unused, &at); /* the pin is 0 there */
    worst = fmax(worst, fabs(remainder(coupler_now + before + 1 - coupler, 2 * pi)));
  }
  printf("off by %.2g rad ", worst);
  CHECK(worst < 1e-8);
  SUP_OWN(sup_scene) *scene = NULL;
  FAILS(load_four_bar(&scene, "loops: closed, joints: {rocker: 0.5 rad}", ""), SUP_E_PARSE,
        "bars.yaml:3:53: robot 'r': no positions of the joints that are not named here");
  /* a keyframe with three digits is closed; the file's frame of the loop counts, and its drive */
  static const char key[] =
      "<keyframe><key name='k' qpos='0.5 0.1 -1.2' ctrl='0 .7'/></keyframe>"
      "<actuator><motor joint='pin'/><position joint='crank' kp='4'/>"
      "</actuator>";
  OK(load_four_bar(&scene, "keyframe: k", key));
  const sup_link_def *link = scene->model.trees[0].links;
  CHECK(link[1].q0[0] == .5 && link[2].q0[0] == .1 && link[3].q0[0] == -1.2);
  CHECK(scene->model.num_actuators == 1);
  NEAR(scene->model.actuators[0].target.value[0], .7, 1e-15, 0);
  sup_scene_destroy(&scene);
  OK(load_four_bar(&scene, "keyframe: k, loops: closed, joints: {crank: 0.5 rad}", key));
  double coupler, rocker;
  sup_v3 at;
  four_bar(.5, 1, &coupler, &rocker, &at);
  NEAR(scene->model.trees[0].links[3].q0[0], rocker, 0, 1e-8);
  sup_scene_destroy(&scene);
  FAILS(load_four_bar(&scene, "keyframe: none", key), SUP_E_PARSE,
        "there is no keyframe 'none'; known: k");
  FAILS(load_four_bar(&scene, "keyframe: k", "<keyframe><key name='k' qpos='1 2'/></keyframe>"),
        SUP_E_PARSE, "bars.xml:1: the keyframe 'k' has 2 positions; the joints have 3");
  FAILS(load_four_bar(&scene, "loops: shut", ""), SUP_E_PARSE, "known: as_given, closed");
}

SUITE_TESTS(linkages, TEST(what_hangs_is_no_loop), TEST(coupler_points_are_reached),
            TEST(the_nearest_place_of_a_loop_is_found), TEST(a_goal_behind_the_curve_is_reached),
            TEST(a_delta_robot_reaches_places), TEST(a_delta_robot_keeps_its_assembly),
            TEST(joints_of_a_file_close_its_loops),
            TEST(a_drive_of_a_tendon_drives_the_joint_that_leads));
