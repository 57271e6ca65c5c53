/** Random scenes for the oracles of contact: some bodies of any shape and role near each other,
 * belts, driven and pushed bodies, a step as long as it likes.  A scene follows from its seed,
 * whatever the compiler: no expression draws two numbers whose order C leaves open. */
#pragma once

#include <stdlib.h>

#include "geom/support.h"
#include "scene_test.h"

enum { RANDOM_MAX_BODIES = 6, RANDOM_MOTION_ROWS = 2 };

/** Kind of contact of a body. */
typedef enum random_role { RANDOM_POINT, RANDOM_SURFACE, RANDOM_FIELD } random_role;

typedef struct random_scene {
  test_scene  s;
  test_random r;
  uint64_t    seed;
  int         num_rigid;
  int         all_points;              /* every pair touches in points */
  double      size[RANDOM_MAX_BODIES]; /* radius of the rigid bodies [m] */
  sup_frame   X[RANDOM_MAX_BODIES];    /* of the shapes at time 0 */
  sup_hull   *hull[RANDOM_MAX_BODIES];
  double      motion_time[RANDOM_MAX_BODIES][RANDOM_MOTION_ROWS];
  double      motion_value[RANDOM_MAX_BODIES][6 * RANDOM_MOTION_ROWS];
  double      load_time[1], load_force[3];
} random_scene;

/** n scenes, or as many as SUPPLE_FUZZ says. */
static inline long random_num_scenes(long n) {
  const char *text = getenv("SUPPLE_FUZZ");
  long        asked = text ? strtol(text, NULL, 10) : 0;
  return asked > 0 ? asked : n;
}

static inline int random_chance(random_scene *k, double p) {
  return 0.5 * (1 + test_uniform(&k->r)) < p;
}

static inline sup_v3 random_direction(random_scene *k) {
  for (;;) {
    double x = test_uniform(&k->r), y = test_uniform(&k->r), z = test_uniform(&k->r);
    double n = sqrt(x * x + y * y + z * z);
    if (n > 0.1 && n < 1) return sup_v3_make(x / n, y / n, z / n);
  }
}

/** Vector of a length between two positive bounds, in any direction. */
static inline sup_v3 random_vector(random_scene *k, double shortest, double longest) {
  double length = test_between(&k->r, shortest, longest);
  return sup_v3_scale(length, random_direction(k));
}

/** Vector of a length up to a bound, in any direction. */
static inline sup_v3 random_within(random_scene *k, double longest) {
  double length = longest * test_uniform(&k->r);
  return sup_v3_scale(length, random_direction(k));
}

static inline sup_shape random_convex(random_scene *k, int body, double radius) {
  double points[3 * 16];
  int    n = 4 + test_one_of(&k->r, 12);
  for (int i = 0; i < n; i++) sup_v3_store(points + 3 * i, random_vector(k, .4 * radius, radius));
  if (sup_hull_create(&k->hull[body], n, points) != SUP_OK)
    return (sup_shape){SUP_SHAPE_SPHERE, {radius}, NULL, NULL};
  return (sup_shape){SUP_SHAPE_CONVEX, {0, 0, 0}, k->hull[body], NULL};
}

/** A slab of eight corners, each face of two triangles, as a mesh. */
static inline sup_shape random_slab(random_scene *k, int body, double radius) {
  static const int face[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                  {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  double           points[24], h[3];
  for (int c = 0; c < 3; c++) h[c] = radius * test_between(&k->r, .1, .55);
  for (int i = 0; i < 8; i++)
    for (int c = 0; c < 3; c++) points[3 * i + c] = i >> c & 1 ? h[c] : -h[c];
  OK(sup_polyhedron_create(&k->hull[body], 8, points, 12, &face[0][0]));
  return (sup_shape){SUP_SHAPE_MESH, {0, 0, 0}, k->hull[body], NULL};
}

static inline sup_shape random_shape_of(random_scene *k, int body, double radius, int can_be_mesh) {
  double a = test_between(&k->r, .05, 1), b = test_between(&k->r, .05, 1);
  switch (test_one_of(&k->r, can_be_mesh ? 7 : 6)) {
    case 0:
      return (sup_shape){SUP_SHAPE_SPHERE, {radius}, NULL, NULL};
    case 1: {
      double norm = .5 * sqrt(1 + a * a + b * b);
      return (sup_shape){
          SUP_SHAPE_BOX, {radius / norm, a * radius / norm, b * radius / norm}, NULL, NULL};
    }
    case 2:
      return (sup_shape){
          SUP_SHAPE_CYLINDER, {a * radius / hypot(a, b), 2 * b * radius / hypot(a, b)}, NULL, NULL};
    case 3:
      return (sup_shape){SUP_SHAPE_CAPSULE, {radius * a, 2 * radius * (1 - a)}, NULL, NULL};
    case 4:
      return (sup_shape){
          SUP_SHAPE_ELLIPSOID, {radius, radius * fmax(a, .1), radius * fmax(b, .1)}, NULL, NULL};
    case 5:
      return random_convex(k, body, radius);
    default:
      return random_slab(k, body, radius);
  }
}

/** Largest extent of a shape along n from its frame's origin [m]. */
static inline double random_extent(const sup_shape *shape, sup_m3 R, sup_v3 n) {
  if (shape->type == SUP_SHAPE_HALF_SPACE) return 0;
  sup_posed_shape p = {shape, {R, {0, 0, 0}}};
  return sup_v3_dot(sup_support(&p, n), n) + sup_rounding(shape);
}

/** Near an earlier body, overlapping or apart by a share of the smaller one; on a half space above
 * it. */
static inline sup_frame random_place(random_scene *k, const sup_shape *shape, double radius,
                                     int body) {
  sup_quat  q = sup_quat_exp(random_within(k, 3));
  sup_frame X = {random_chance(k, .3) ? sup_m3_identity() : sup_quat_matrix(q), {0, 0, 0}};
  if (body == 0) return X;
  int              to = test_one_of(&k->r, body);
  const sup_shape *other = &k->s.geometry[to].shape;
  sup_v3           n = random_direction(k);
  if (random_chance(k, .5)) n = sup_m3_column(&k->X[to].R, test_one_of(&k->r, 3));
  double near = fmin(radius, k->size[to]);
  double gap = near * test_between(&k->r, 1e-4, .5);
  if (random_chance(k, .4)) gap *= -.5;
  sup_v3 from = k->X[to].p;
  if (other->type == SUP_SHAPE_HALF_SPACE) {
    n = sup_m3_column(&k->X[to].R, 2);
    sup_v3 aside = random_within(k, 3 * radius);
    from = sup_v3_add(from, sup_v3_madd(aside, -sup_v3_dot(aside, n), n));
  }
  double way =
      random_extent(other, k->X[to].R, n) + random_extent(shape, X.R, sup_v3_scale(-1, n)) + gap;
  X.p = sup_v3_madd(from, way, n);
  /* beside the middle of the other one's face */
  sup_v3 aside = random_within(k, .5 * k->size[to]);
  if (random_chance(k, .5) && other->type != SUP_SHAPE_HALF_SPACE)
    X.p = sup_v3_add(X.p, sup_v3_madd(aside, -sup_v3_dot(aside, n), n));
  return X;
}

static inline void random_contact_def(random_scene *k, random_role role, double radius, double mass,
                                      sup_contact_def *c) {
  double dt = k->s.options.dt, stiffness = mass / (dt * dt) * test_between(&k->r, 1e-3, 1e2);
  c->friction = random_chance(k, .2) ? 0 : test_between(&k->r, .05, 1.5);
  if (random_chance(k, .2)) c->static_friction = 1.5 * c->friction;
  c->dissipation = random_chance(k, .5) ? 0 : test_between(&k->r, .1, 100);
  c->relaxation_time = random_chance(k, .3) ? 0 : dt * test_between(&k->r, .01, 2);
  c->resolution = radius * (random_chance(k, .5) ? 10 : test_between(&k->r, .3, 2));
  c->field_margin = random_chance(k, .5) ? 0 : radius * test_between(&k->r, .01, .3);
  c->field_resolution = radius * test_between(&k->r, .5, 2);
  c->field_thickness = radius;
  c->hertz_modulus = stiffness / radius;
  if (role == RANDOM_POINT) c->point_stiffness = random_chance(k, .1) ? 1e30 : stiffness;
  if (role == RANDOM_SURFACE) c->stiffness = stiffness / (radius * radius);
  if (role == RANDOM_FIELD) c->modulus = stiffness / radius;
  if (random_chance(k, .2)) {
    sup_v3_store(c->anisotropy_axis, random_direction(k));
    c->anisotropy_ratio = test_between(&k->r, .3, 3);
  }
  double belt = radius / dt * test_between(&k->r, 1e-4, .3);
  if (random_chance(k, .3))
    sup_v3_store(c->surface_velocity, sup_v3_scale(belt, random_direction(k)));
  if (random_chance(k, .3)) {
    sup_v3_store(c->surface_amplitude, sup_v3_scale(belt, random_direction(k)));
    c->surface_phase = 3 * test_uniform(&k->r),
    c->surface_frequency = test_between(&k->r, .01, .5) / dt;
  }
}

/** At rest where it is, or on its way; turns by less than .2 rad a step. */
static inline void random_motion(random_scene *k, int body, double radius, int is_driven) {
  double        dt = k->s.options.dt;
  sup_v3        v = random_vector(k, 1e-4 * radius / dt, .5 * radius / dt);
  sup_v3        w = random_vector(k, 1e-4 / dt, .2 / dt);
  sup_tree_def *tree = &k->s.tree[body];
  if (random_chance(k, .3)) v = sup_v3_make(0, 0, 0);
  if (random_chance(k, .3)) w = sup_v3_make(0, 0, 0);
  if (is_driven) {
    double *value = k->motion_value[body];
    k->motion_time[body][1] = 10 * dt;
    sup_v3_store(value + 6, sup_v3_scale(10 * dt, v)),
        sup_v3_store(value + 9, sup_v3_scale(10 * dt, w));
    tree->motion = (sup_table){RANDOM_MOTION_ROWS, 6, k->motion_time[body], value};
    return;
  }
  sup_link_def *l = &tree->links[0];
  if (l->joint != SUP_JOINT_FLOATING) return;
  sup_v3_store(l->v0, sup_m3_apply_t(k->X[body].R, w)),
      sup_v3_store(l->v0 + 3, sup_m3_apply_t(k->X[body].R, v));
}

/** The shape's frame becomes the body's place in the world. */
static inline void random_put(random_scene *k, int body) {
  const sup_m3 *R = &k->X[body].R;
  sup_pose     *X = &k->s.tree[body].X_WB;
  sup_quat      q = sup_quat_from_matrix(*R);
  sup_v3_store(X->p, k->X[body].p);
  X->q[0] = q.w, X->q[1] = q.x, X->q[2] = q.y, X->q[3] = q.z;
}

static inline void random_rigid(random_scene *k, double size, random_role role, int can_be_mesh) {
  int       body = k->s.def.num_trees, is_ground = body == 0 && random_chance(k, .4);
  double    radius = size * test_between(&k->r, .01, 100);
  sup_shape shape = {SUP_SHAPE_HALF_SPACE, {0}, NULL, NULL};
  char      name[8];
  if (random_chance(k, .5)) radius = size;
  if (!is_ground) shape = random_shape_of(k, body, radius, can_be_mesh);
  snprintf(name, sizeof name, "b%d", body);
  double mass = test_between(&k->r, .03, 30);
  int is_fixed = body == 0 && random_chance(k, .5), is_driven = !is_fixed && random_chance(k, .15);
  k->size[body] = radius;
  k->X[body] = random_place(k, &shape, radius, body);
  sup_link_def *l = test_add_rigid(&k->s, name, shape, mass,
                                   is_fixed || is_driven || (is_ground && random_chance(k, .7)));
  for (int c = 0; c < 3; c++) l->inertia[c] = .3 * mass * radius * radius;
  if (!is_fixed && !is_driven && random_chance(k, .1)) l->joint = SUP_JOINT_TRANSLATION;
  random_put(k, body);
  random_motion(k, body, radius, is_driven);
  random_contact_def(k, role, radius, mass, &k->s.geometry[body].contact);
}

/** A soft box of a few cells near the first body. */
static inline void random_soft(random_scene *k, double size) {
  static const sup_mesh_pattern pattern[] = {SUP_PATTERN_HEX, SUP_PATTERN_KUHN};
  double                        h[3], dt = k->s.options.dt, reach = 0;
  int                           n[3];
  char                          name[8];
  for (int c = 0; c < 3; c++)
    h[c] = size * test_between(&k->r, .3, 2), n[c] = 1 + test_one_of(&k->r, 2);
  for (int c = 0; c < 3; c++) reach += .25 * h[c] * h[c];
  reach = sqrt(reach);
  snprintf(name, sizeof name, "s%d", k->s.def.num_softs);
  double density = test_between(&k->r, .03, 30) / (h[0] * h[1] * h[2]);
  double E = 1 / (size * dt * dt) * test_between(&k->r, 1e-2, 1e2);
  k->s.def.contact.soft_surface = n[0] % 2 ? SUP_SOFT_SURFACE_VERTICES : SUP_SOFT_SURFACE_POLYGONS;
  sup_soft_def    *d = test_add_soft_box(&k->s, name, h[0], h[1], h[2], n[0], n[1], n[2],
                                         pattern[test_one_of(&k->r, 2)], E, .3, density);
  sup_v3           n1 = random_direction(k), half = {.5 * h[0], .5 * h[1], .5 * h[2]};
  int              to = test_one_of(&k->r, k->num_rigid);
  const sup_shape *other = &k->s.geometry[to].shape;
  if (other->type == SUP_SHAPE_HALF_SPACE) n1 = sup_m3_column(&k->X[to].R, 2);
  double way = random_extent(other, k->X[to].R, n1) + reach * test_between(&k->r, .4, 1.3);
  sup_v3 p = sup_v3_sub(sup_v3_madd(k->X[to].p, way, n1), half);
  if (k->s.def.num_softs == 2)
    p = sup_v3_madd(sup_v3_load(k->s.soft[0].X_WS.p), 2 * reach * test_between(&k->r, .4, 1), n1);
  sup_v3_store(d->X_WS.p, p);
  sup_v3_store(d->v0, random_vector(k, 1e-4 * size / dt, .2 * size / dt));
  d->contact.friction = test_between(&k->r, .05, 1);
  d->contact.relaxation_time = dt * test_between(&k->r, .01, 1);
}

static inline void random_options(random_scene *k, double size) {
  sup_options *o = &k->s.options;
  o->dt = test_between(&k->r, 1e-4, 5e-2);
  k->s.def.contact.model = (sup_contact_model)test_one_of(&k->r, SUP_NUM_CONTACT_MODELS);
  o->tolerance = 1e-12;
  o->max_iterations = 300;
  o->stiction_tolerance = size / o->dt * test_between(&k->r, 1e-6, 1e-3);
  o->gravity[2] =
      random_chance(k, .2) ? 0 : -size / (o->dt * o->dt) * test_between(&k->r, 1e-6, 1e-2);
  o->delassus = (sup_delassus)test_one_of(&k->r, SUP_NUM_DELASSUS);
  k->s.def.contact.normal_law =
      random_chance(k, .3) ? SUP_NORMAL_KELVIN_VOIGT : SUP_NORMAL_HUNT_CROSSLEY;
  o->patch_thirds = random_chance(k, .2);
  if (random_chance(k, .1)) o->scheme = sup_scheme_implicit_euler();
}

/** Forces and springs that accelerate bodies within the step. */
static inline void random_loads(random_scene *k, double size) {
  double dt = k->s.options.dt;
  char   a[8], b[8];
  int    i = test_one_of(&k->r, k->num_rigid), j = test_one_of(&k->r, k->num_rigid);
  snprintf(a, sizeof a, "b%d", i), snprintf(b, sizeof b, "b%d", j);
  if (random_chance(k, .3)) {
    sup_v3_store(k->load_force, random_vector(k, 1e-3 * size / (dt * dt), size / (dt * dt)));
    test_add_force(&k->s, a, 1, k->load_time, k->load_force);
  }
  if (i == j || !random_chance(k, .3)) return;
  sup_spring_def *spring = test_add_spring(&k->s, a, b, test_between(&k->r, 1e-3, 1) / (dt * dt));
  spring->stiffness[1] = spring->stiffness[2] = spring->stiffness[0];
}

static inline void random_scene_free(random_scene *k) {
  test_end(&k->s);
  for (int i = 0; i < RANDOM_MAX_BODIES; i++)
    if (k->hull[i]) sup_hull_destroy(&k->hull[i]);
}

/** The definition that follows from a seed; E_ARG when the model refuses it. */
static inline sup_status random_scene_start(random_scene *k, uint64_t seed) {
  memset(k, 0, sizeof *k);
  k->seed = seed, k->r = (test_random){seed};
  test_scene_init(&k->s);
  double size = test_between(&k->r, 1e-2, 10);
  random_options(k, size);
  k->all_points = random_chance(k, .5);
  int num = 2 + test_one_of(&k->r, k->all_points ? 5 : 2),
      mesh = random_chance(k, .3) ? test_one_of(&k->r, num) : -1;
  k->num_rigid = num;
  for (int i = 0; i < num; i++) {
    random_role role = k->all_points || random_chance(k, .2) ? RANDOM_POINT
                       : random_chance(k, .6)                ? RANDOM_SURFACE
                                                             : RANDOM_FIELD;
    random_rigid(k, size, role, !k->all_points && i == mesh);
  }
  if (k->all_points && random_chance(k, .2)) {
    k->s.def.contact.normal_law = SUP_NORMAL_IPC_BARRIER;
    k->s.def.contact.barrier_range = size * test_between(&k->r, 1e-3, 1);
  }
  if (!k->all_points && random_chance(k, .4)) random_soft(k, size);
  if (k->s.def.num_softs == 1 && random_chance(k, .3)) random_soft(k, size);
  random_loads(k, size);
  SUP_TRY(sup_model_create(&k->s.model, &k->s.def));
  SUP_TRY(sup_state_create(&k->s.state, k->s.model, &k->s.options));
  SUP_TRY(sup_stepper_create(&k->s.stepper, k->s.model, &k->s.options));
  return SUP_OK;
}
