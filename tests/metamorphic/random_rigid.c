/* Ground, rigid bodies in a stack above it, and a robot that comes down on them. */
#include "geom/support.h"
#include "mesh/hull.h"
#include "mesh/mesh.h"
#include "meta_scene.h"

static sup_shape random_convex(meta_scene *s) {
  double points[3 * 14];
  int    n = 6 + meta_one_of(s, 8);
  for (int i = 0; i < n; i++) {
    double radius = s->size * meta_between(s, .7, 1);
    sup_v3_store(points + 3 * i, sup_v3_scale(radius, meta_direction(s)));
  }
  OK(sup_hull_create(&s->hull[s->num_hulls], n, points));
  return (sup_shape){SUP_SHAPE_CONVEX, {0, 0, 0}, s->hull[s->num_hulls++], NULL};
}

/** A brick bent a little, of tetrahedra. */
static sup_shape random_mesh(meta_scene *s) {
  double    size[3];
  const int n[3] = {2, 2, 1};
  for (int c = 0; c < 3; c++) size[c] = s->size * meta_between(s, .8, 1.6);
  sup_mesh **cells = &s->cells[s->num_cells++];
  double     bend = meta_between(s, .02, .2) / s->size;
  OK(sup_mesh_box(cells, size, n, SUP_PATTERN_MIRROR));
  for (int i = 0; i < (*cells)->num_vertices; i++) {
    double *x = (*cells)->x + 3 * i;
    for (int c = 0; c < 3; c++) x[c] -= .5 * size[c];
    x[2] += bend * (x[0] * x[0] - .7 * x[0] * x[1]);
  }
  OK(sup_polyhedron_of_mesh(&s->hull[s->num_hulls], *cells));
  return (sup_shape){SUP_SHAPE_MESH, {0, 0, 0}, s->hull[s->num_hulls++], *cells};
}

static sup_shape random_shape(meta_scene *s, int can_be_mesh) {
  double r = s->size, a = meta_between(s, .4, 1), b = meta_between(s, .4, 1);
  switch (meta_one_of(s, can_be_mesh ? 7 : 6)) {
    case 0:
      return (sup_shape){SUP_SHAPE_SPHERE, {r * a}, NULL, NULL};
    case 1:
      return (sup_shape){SUP_SHAPE_BOX, {1.5 * r, 1.5 * r * a, 1.5 * r * b}, NULL, NULL};
    case 2:
      return (sup_shape){SUP_SHAPE_CYLINDER, {r * a, 1.5 * r * b}, NULL, NULL};
    case 3:
      return (sup_shape){SUP_SHAPE_CAPSULE, {.7 * r * a, 1.5 * r * b}, NULL, NULL};
    case 4:
      return (sup_shape){SUP_SHAPE_ELLIPSOID, {r, r * a, r * b}, NULL, NULL};
    case 5:
      return random_convex(s);
    default:
      return random_mesh(s);
  }
}

/** Reach along a direction from the frame's origin. */
static double extent(const sup_shape *shape, sup_m3 R, sup_v3 n) {
  double most = 0;
  if (shape->type != SUP_SHAPE_MESH) {
    sup_posed_shape p = {shape, {R, {0, 0, 0}}};
    return sup_v3_dot(sup_support(&p, n), n) + sup_rounding(shape);
  }
  for (int i = 0; i < shape->hull->num_points; i++) {
    double d = sup_v3_dot(sup_m3_apply(R, sup_v3_load(shape->hull->point + 3 * i)), n);
    most = i == 0 || d > most ? d : most;
  }
  return most;
}

static sup_tree_def *add_tree(meta_scene *s, const char *name, int num_links) {
  int           t = s->def.num_trees++;
  sup_tree_def *d = &s->tree[t];
  *d = sup_default_tree_def();
  snprintf(d->name, sizeof d->name, "%s", name);
  d->num_links = num_links, d->links = s->link[t];
  for (int l = 0; l < num_links; l++) {
    d->links[l] = sup_default_link_def();
    snprintf(d->links[l].name, SUP_NAME_MAX, "link%d", l);
    snprintf(d->links[l].joint_name, SUP_NAME_MAX, "joint%d", l);
    d->links[l].parent = l - 1;
  }
  return d;
}

static void add_shape(meta_scene *s, int tree, int link, sup_shape shape, int has_field) {
  sup_geometry_def *g = &s->geometry[tree][link];
  *g = sup_default_geometry_def();
  g->shape = shape;
  meta_contact(s, &g->contact, has_field);
  s->link[tree][link].num_geometries = 1, s->link[tree][link].geometries = g;
}

static void random_inertia(meta_scene *s, sup_link_def *l, double mass) {
  double m = mass * s->size * s->size;
  l->mass = mass;
  sup_v3_store(l->com, meta_within(s, .1 * s->size));
  for (int c = 0; c < 3; c++) l->inertia[c] = m * meta_between(s, .3, .5);
  for (int c = 3; c < 6; c++) l->inertia[c] = .03 * m * test_uniform(&s->r);
}

static void store_pose(sup_pose *pose, sup_m3 R, sup_v3 p) {
  sup_frame X = {R, p};
  *pose = sup_pose_from_frame(&X);
}

static void add_ground(meta_scene *s, int has_field) {
  sup_tree_def *d = add_tree(s, "ground", 1);
  int           is_box = meta_chance(s, .3);
  sup_v3        tilt = sup_v3_make(.15 * test_uniform(&s->r), .15, 0);
  double        edge = 12 * s->size;
  d->is_rigid_body = 1;
  d->links[0].joint = SUP_JOINT_FIXED, d->links[0].mass = 1;
  for (int c = 0; c < 3; c++) d->links[0].inertia[c] = 1;
  sup_shape box = {SUP_SHAPE_BOX, {edge, .9 * edge, .3 * edge}, NULL, NULL};
  sup_shape half = {SUP_SHAPE_HALF_SPACE, {0}, NULL, NULL};
  add_shape(s, s->def.num_trees - 1, 0, is_box ? box : half, has_field);
  s->geometry[0][0].contact.resolution = .2 * edge;
  sup_m3 R = meta_chance(s, .3) ? sup_quat_matrix(sup_quat_exp(tilt)) : sup_m3_identity();
  sup_v3 down = {0, 0, is_box ? -.15 * edge : 0};
  store_pose(&d->X_WB, R, sup_m3_apply(R, down));
  if (!meta_chance(s, .15)) return;
  double *time = meta_own(s, 2 * sizeof *time), *value = meta_own(s, 12 * sizeof *value);
  time[1] = s->options.dt * s->num_steps * 1.5;
  sup_v3_store(value + 6, meta_within(s, .2 * s->size));
  sup_v3_store(value + 9, meta_within(s, .05));
  d->motion = (sup_table){2, 6, time, value, 0, 0};
}

/** Every fifth body has the shape and the contact of the one before it. */
static int is_twin(const meta_scene *s, int tree) {
  test_random r = {(s->seed + 1) * UINT64_C(0xd1342543de82ef95) + (uint64_t)tree};
  return tree > 1 && test_one_of(&r, 5) == 0;
}

/** Above what there is, a little aside, on its way down; its place in its joint or in its base. */
static void add_body(meta_scene *s, int has_field) {
  char name[8];
  int  t = s->def.num_trees, is_free = meta_chance(s, .9);
  snprintf(name, sizeof name, "b%d", t);
  sup_tree_def *d = add_tree(s, name, 1);
  sup_link_def *l = &d->links[0];
  int           can_be_mesh = s->role == META_FIELD || s->role == META_SOFT_FIELD;
  sup_shape     shape = random_shape(s, can_be_mesh && has_field);
  d->is_rigid_body = 1;
  l->joint = is_free ? SUP_JOINT_FLOATING : SUP_JOINT_TRANSLATION;
  random_inertia(s, l, 1000 * s->size * s->size * s->size * meta_between(s, 1, 4));
  add_shape(s, t, 0, shape, has_field);
  if (is_twin(s, t)) {
    s->geometry[t][0] = s->geometry[t - 1][0];
    shape = s->geometry[t][0].shape;
  }
  sup_v3 turn = meta_within(s, 2), v = meta_within(s, .2), w = meta_within(s, 8);
  sup_m3 R = sup_quat_matrix(sup_quat_exp(turn));
  sup_v3 p = meta_within(s, .3 * s->size);
  v.z = -meta_between(s, .1, .5);
  p.z = s->top + s->size * meta_between(s, .005, .1) + extent(&shape, R, sup_v3_make(0, 0, -1));
  s->top = p.z + extent(&shape, R, sup_v3_make(0, 0, 1));
  if (!is_free || meta_chance(s, .5)) {
    store_pose(&d->X_WB, R, p);
  } else {
    sup_pose pose;
    store_pose(&pose, R, p);
    memcpy(l->q0, pose.p, sizeof pose.p), memcpy(l->q0 + 3, pose.q, sizeof pose.q);
  }
  sup_v3_store(l->v0, is_free ? sup_m3_apply_t(R, w) : sup_m3_apply_t(R, v));
  if (is_free) sup_v3_store(l->v0 + 3, sup_m3_apply_t(R, v));
}

static void add_drive(meta_scene *s, const sup_tree_def *d, int link) {
  sup_actuator_def *a = &s->actuator[s->def.num_actuators++];
  *a = sup_default_actuator_def();
  snprintf(a->name, sizeof a->name, "drive%d", link);
  snprintf(a->joint, sizeof a->joint, "robot/joint%d", link);
  double unit = d->links[link].joint == SUP_JOINT_REVOLUTE ? s->size * s->size : 1;
  a->kp = 300 * unit * meta_between(s, .3, 3), a->kd = 2 * unit * meta_between(s, .3, 3);
  a->effort = meta_chance(s, .5) ? HUGE_VAL : .5 * a->kp;
  double *time = meta_own(s, 2 * sizeof *time), *value = meta_own(s, 2 * sizeof *value);
  time[1] = s->options.dt * s->num_steps;
  value[1] = d->links[link].joint == SUP_JOINT_REVOLUTE ? .3 : .2 * s->size;
  a->target = (sup_table){2, 1, time, value, 0, 0};
}

/** A chain that hangs from the world above the stack: its last link meets the highest body. */
static void add_robot(meta_scene *s, int has_field) {
  int           t = s->def.num_trees, n = 2 + meta_one_of(s, META_MAX_LINKS - 1);
  sup_tree_def *d = add_tree(s, "robot", n);
  double        arm = 1.2 * s->size;
  sup_v3        turn = {0, 0, 3 * test_uniform(&s->r)};
  sup_shape     tip = {SUP_SHAPE_SPHERE, {.5 * s->size}, NULL, NULL};
  if (meta_chance(s, .5)) tip = (sup_shape){SUP_SHAPE_CAPSULE, {.4 * s->size, s->size}, NULL, NULL};
  store_pose(&d->X_WB, sup_quat_matrix(sup_quat_exp(turn)),
             sup_v3_make(-arm * (n - 1), 0, s->top + .55 * s->size));
  for (int i = 0; i < n; i++) {
    sup_link_def *l = &d->links[i];
    l->joint = meta_chance(s, .7) ? SUP_JOINT_REVOLUTE : SUP_JOINT_PRISMATIC;
    store_pose(&l->X_PJ, sup_quat_matrix(sup_quat_exp(meta_within(s, .3))),
               sup_v3_make(i > 0 ? arm : 0, 0, 0));
    sup_v3_store(l->axis,
                 l->joint == SUP_JOINT_REVOLUTE ? sup_v3_make(0, 1, 0) : sup_v3_make(0, 0, 1));
    double unit = l->joint == SUP_JOINT_REVOLUTE ? s->size * s->size : 1;
    random_inertia(s, l, 2000 * s->size * s->size * s->size);
    l->damping = .05 * unit, l->armature = meta_chance(s, .5) ? 1e-3 * unit : 0;
    if (meta_chance(s, .3)) l->spring = 20 * unit;
    l->v0[0] = (l->joint == SUP_JOINT_REVOLUTE ? 4 : -.2) * meta_between(s, .3, 1);
    if (meta_chance(s, .3)) {
      double reach = l->joint == SUP_JOINT_REVOLUTE ? .05 : .03 * s->size;
      l->lower = -2 * reach, l->upper = reach;
    }
  }
  add_shape(s, t, n - 1, tip, has_field);
  if (meta_chance(s, .7)) add_drive(s, d, n - 1);
}

static void add_load(meta_scene *s) {
  sup_load_def *l = &s->load[s->def.num_loads++];
  *l = sup_default_load_def();
  snprintf(l->name, sizeof l->name, "load");
  snprintf(l->body, sizeof l->body, "%s", s->tree[1].name);
  sup_v3_store(l->point, meta_within(s, .3 * s->size));
  double *time = meta_own(s, 2 * sizeof *time), *force = meta_own(s, 6 * sizeof *force);
  time[1] = s->options.dt * s->num_steps * .7;
  for (int row = 0; row < 2; row++) sup_v3_store(force + 3 * row, meta_within(s, .2));
  l->force = (sup_table){2, 3, time, force, 0, 0};
}

static void add_spring(meta_scene *s) {
  sup_spring_def *p = &s->spring[s->def.num_springs++];
  *p = sup_default_spring_def();
  snprintf(p->name, sizeof p->name, "spring");
  snprintf(p->a, sizeof p->a, "%s", s->tree[1].name),
      snprintf(p->b, sizeof p->b, "%s", s->tree[2].name);
  sup_v3_store(p->point_a, meta_within(s, .3 * s->size));
  sup_v3_store(p->rest, meta_within(s, .3 * s->size));
  for (int c = 0; c < 3; c++) p->stiffness[c] = 30, p->damping[c] = .1;
}

void meta_add_rigid(meta_scene *s) {
  int is_soft = s->role > META_MIXED, num = is_soft ? meta_one_of(s, 2) : 1 + meta_one_of(s, 3);
  int all = s->role == META_FIELD, some = s->role == META_MIXED || s->role == META_SOFT_FIELD;
  if (s->role == META_SOFT_FIELD && num == 0) num = 1;
  add_ground(s, all && meta_chance(s, .3));
  for (int i = 0; i < num; i++) add_body(s, all || (some && (i == 0 || meta_chance(s, .5))));
  if (!is_soft && num < 3 && meta_chance(s, .4)) add_robot(s, all);
  if (num > 0 && meta_chance(s, .3)) add_load(s);
  if (num > 1 && meta_chance(s, .3)) add_spring(s);
}
