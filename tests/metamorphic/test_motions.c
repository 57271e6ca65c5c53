/* Motions that are known for random bodies, floors, weights and steps: what is round rolls on and
 * spins on (R31), rolls down inclines as its inertia says (R20), and contact without dissipation
 * gives no energy.  SUPPLE_FUZZ and SUPPLE_FUZZ_SEED as in test_metamorphic.c. */
#include "meta_scene.h"

typedef enum motion { ROLLS, SPINS, DESCENDS, NUM_MOTIONS } motion;
static const char *const motion_name[] = {"rolls", "spins", "descends"};

/** Errors of the speed, of the spin, of the speed (R31). */
static const double bound[NUM_MOTIONS] = {[ROLLS] = 1e-3, [SPINS] = 1e-6, [DESCENDS] = 5e-3};

/** Error of the spin, about other axes: what lies on a line does not rock.  Flat ellipsoids stand
 * on their rims and fall when round-off has grown, by exp(t sqrt(g (1 - b^2)/.6 r)). */
static const double rocks = 1e-8, falls = 1e-4;

typedef struct round_body {
  double radius, mass, share; /* inertia about its axis over mass radius^2 */
  double angle, speed;
  sup_m3 R;    /* of the floor in the world: its normal is z, the body moves along x */
  sup_v3 spin; /* in the axes of the floor */
} round_body;

/** A round shape of this radius about the frame's z. */
static sup_shape round_shape(meta_scene *s, double r) {
  double b = meta_between(s, .4, 1.5);
  switch (meta_one_of(s, 4)) {
    case 0:
      return (sup_shape){SUP_SHAPE_SPHERE, {r}, NULL, NULL};
    case 1:
      return (sup_shape){SUP_SHAPE_CYLINDER, {r, b * r}, NULL, NULL};
    case 2:
      return (sup_shape){SUP_SHAPE_CAPSULE, {r, b * r}, NULL, NULL};
    default:
      return (sup_shape){SUP_SHAPE_ELLIPSOID, {r, r, fmin(1, b) * r}, NULL, NULL};
  }
}

static void add_link(meta_scene *s, const char *name, sup_shape shape, sup_joint_type joint) {
  int           t = s->def.num_trees++;
  sup_tree_def *d = &s->tree[t];
  sup_link_def *l = &s->link[t][0];
  *d = sup_default_tree_def(), *l = sup_default_link_def();
  snprintf(d->name, sizeof d->name, "%s", name);
  snprintf(l->name, SUP_NAME_MAX, "link0"), snprintf(l->joint_name, SUP_NAME_MAX, "joint0");
  d->is_rigid_body = 1, d->num_links = 1, d->links = l;
  l->parent = SUP_NONE, l->joint = joint, l->mass = 1;
  s->geometry[t][0] = sup_default_geometry_def();
  s->geometry[t][0].shape = shape;
  s->geometry[t][0].contact.dissipation = 0;
  l->num_geometries = 1, l->geometries = s->geometry[t];
}

static sup_pose pose_of(sup_m3 R, sup_v3 p) {
  sup_frame X = {R, p};
  return sup_pose_from_frame(&X);
}

static void place_body(meta_scene *s, const round_body *b, sup_v3 origin) {
  static const double quarter = 1.57079632679489661923;
  sup_tree_def       *d = &s->tree[1];
  sup_link_def       *l = &d->links[0];
  sup_m3              lies = sup_quat_matrix(sup_quat_exp(sup_v3_make(quarter, 0, 0)));
  sup_m3              R = sup_m3_mul(b->R, lies);
  sup_v3              up = sup_v3_make(0, 0, b->radius), along = {b->speed, 0, 0};
  double              inertia = b->mass * b->radius * b->radius;
  d->X_WB = pose_of(R, sup_v3_add(origin, sup_m3_apply(b->R, up)));
  l->mass = b->mass;
  l->inertia[0] = l->inertia[1] = .6 * inertia, l->inertia[2] = b->share * inertia;
  if (s->geometry[1][0].shape.type == SUP_SHAPE_SPHERE)
    l->inertia[0] = l->inertia[1] = l->inertia[2];
  sup_v3_store(l->v0, sup_m3_apply_t(lies, b->spin));
  sup_v3_store(l->v0 + 3, sup_m3_apply_t(lies, along));
}

/** The scene of a seed: a body that rolls or spins on a plane that lies in any direction. */
static round_body create(meta_scene *s, uint64_t seed, motion what) {
  round_body b = {0};
  memset(s, 0, sizeof *s);
  s->seed = seed, s->r = (test_random){seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
  s->def = sup_default_model_def(), s->options = sup_default_options();
  s->def.trees = s->tree;
  b.R = sup_quat_matrix(sup_quat_exp(meta_within(s, 3)));
  b.radius = meta_between(s, .01, .3), b.share = meta_between(s, .3, .9);
  b.mass = 1000 * b.radius * b.radius * b.radius * meta_between(s, 1, 8);
  sup_v3 origin = meta_within(s, 10 * b.radius);
  s->options.dt = meta_between(s, 1e-3, 1e-2);
  add_link(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}, NULL, NULL}, SUP_JOINT_FIXED);
  add_link(s, "body", round_shape(s, b.radius), SUP_JOINT_FLOATING);
  s->def.contact.model = meta_chance(s, .5) ? SUP_MODEL_LAGGED : SUP_MODEL_COUPLED;
  b.angle = what == DESCENDS ? meta_between(s, .1, .4) : 0;
  for (int t = 0; t < 2; t++)
    s->geometry[t][0].contact.friction = what == SPINS ? 0 : meta_between(s, .6, 1.2);
  if (what == ROLLS) b.speed = sqrt(b.radius) * meta_between(s, .5, 6);
  if (what == ROLLS) b.spin.y = b.speed / b.radius;
  if (what == SPINS) b.spin.y = meta_between(s, 5, 20);
  if (what == SPINS && s->geometry[1][0].shape.type == SUP_SHAPE_SPHERE)
    b.spin = sup_v3_scale(b.spin.y, meta_direction(s));
  sup_v3 weight = {9.81 * sin(b.angle), 0, -9.81 * cos(b.angle)};
  sup_v3_store(s->options.gravity, sup_m3_apply(b.R, weight));
  s->tree[0].X_WB = pose_of(b.R, origin);
  place_body(s, &b, origin);
  return b;
}

static const double *read(sup_simulator *sim, sup_quantity quantity, const char *name) {
  int       handle = 0;
  sup_array array;
  if (name) OK(sup_simulator_find(sim, sup_quantity_object(quantity), name, &handle));
  OK(sup_simulator_read(sim, quantity, handle, &array));
  return array.data;
}

static sup_simulator *begin(const meta_scene *s, sup_model **model) {
  sup_simulator    *sim;
  sup_simulator_def def = sup_default_simulator_def();
  OK(sup_model_create(model, &s->def));
  def.model = *model, def.options = s->options;
  OK(sup_simulator_create(&sim, &def));
  return sim;
}

/** Relative error of the motion after its time. */
static double motion_error(const meta_scene *s, const round_body *b, motion what) {
  sup_model     *model;
  sup_simulator *sim = begin(s, &model);
  int            num = what == DESCENDS ? (int)ceil(.5 / s->options.dt) : 150;
  for (int i = 0; i < num; i++) OK(sup_simulator_step(sim, NULL));
  const double *v = read(sim, SUP_READ_VELOCITY, "body");
  sup_v3        speed = sup_m3_apply_t(b->R, sup_v3_load(v));
  sup_v3        spin = sup_m3_apply_t(b->R, sup_v3_load(v + 3));
  double        a = 9.81 * sin(b->angle) / (1 + b->share), end = a * num * s->options.dt, off;
  sup_v3        lost = sup_v3_sub(spin, b->spin);
  double        full = sup_v3_norm(b->spin);
  int           stands = s->geometry[1][0].shape.type == SUP_SHAPE_ELLIPSOID;
  if (what == SPINS) CHECK(sup_v3_norm(lost) < (stands ? falls : rocks) * full);
  if (what == SPINS)
    off = fabs(sup_v3_dot(lost, b->spin)) / (full * full);
  else
    off = fabs(speed.x / (what == ROLLS ? b->speed : end) - 1);
  sup_simulator_destroy(&sim);
  sup_model_destroy(&model);
  return off;
}

static long environment(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text ? strtol(text, NULL, 10) : otherwise;
}

static void check_motion(motion what) {
  static meta_scene s;
  long   start = environment("SUPPLE_FUZZ_SEED", 0), num = environment("SUPPLE_FUZZ", 24);
  double most = 0;
  for (long seed = start; seed < start + num; seed++) {
    round_body b = create(&s, (uint64_t)seed, what);
    double     off = motion_error(&s, &b, what);
    if (!(off < bound[what]))
      printf("\n    scene %ld (shape %d) %s off by %.2g", seed, s.geometry[1][0].shape.type,
             motion_name[what], off);
    CHECK(off < bound[what]);
    most = fmax(most, off);
    meta_scene_free(&s);
  }
  printf("%ld scenes, off by %.1e ", num, most);
}

static void what_is_round_rolls_on(void) { check_motion(ROLLS); }
static void what_is_round_spins_on(void) { check_motion(SPINS); }
static void what_is_round_rolls_down_as_its_inertia_says(void) { check_motion(DESCENDS); }

/* ---- energy ---------------------------------------------------------------------------------- */

/** Nothing that drives, and no dissipation in contact. */
static void set_passive(meta_scene *s) {
  int kept = 0;
  for (int t = 0; t < s->def.num_trees; t++) {
    if (!s->tree[t].is_rigid_body) continue;
    s->tree[t].motion = (sup_table){0};
    s->tree[kept] = s->tree[t], kept++;
  }
  s->def.num_trees = kept;
  s->def.num_actuators = s->def.num_loads = 0;
  for (int t = 0; t < META_MAX_TREES; t++) {
    sup_contact_def *c = &s->geometry[t][0].contact;
    c->dissipation = 0, c->relaxation_time = 0;
    memset(c->surface_velocity, 0, sizeof c->surface_velocity);
  }
  s->options.scheme = sup_scheme_implicit_euler();
}

/** Largest growth of the energy outside of contacts over the largest kinetic one. */
static double energy_growth(const meta_scene *s) {
  sup_model     *model;
  sup_simulator *sim = begin(s, &model);
  double         first = 0, most = 0, largest = 0;
  for (int i = 0; i <= s->num_steps; i++) {
    if (i > 0 && sup_simulator_step(sim, NULL) != SUP_OK) break;
    const double *e = read(sim, SUP_READ_ENERGY, NULL);
    double        freed = e[0] + e[1] + e[2]; /* what contact stores is not given yet */
    if (i == 0) first = e[4], largest = e[0];
    largest = fmax(largest, e[0]);
    most = fmax(most, freed - first);
  }
  sup_simulator_destroy(&sim);
  sup_model_destroy(&model);
  return most / largest;
}

/** Error of the kinetic energy. */
static const double given = 1e-4;

static double growth_of(long seed) {
  static meta_scene s;
  meta_scene_create(&s, (uint64_t)(seed * META_NUM_ROLES + seed % 4), META_TURN);
  set_passive(&s);
  if (s.def.contact.normal_law >= SUP_NORMAL_LOG_BARRIER)
    s.def.contact.normal_law = SUP_NORMAL_KELVIN_VOIGT; /* stores energy before it is pressed */
  double growth = energy_growth(&s);
  if (getenv("SUPPLE_FUZZ_SEED")) printf("\n%ld role %d %.2e", seed, s.role, growth);
  CHECK(growth < given);
  meta_scene_free(&s);
  return growth;
}

static void contact_gives_no_energy(void) {
  long   start = environment("SUPPLE_FUZZ_SEED", 0), num = environment("SUPPLE_FUZZ", 24);
  double most = 0;
  for (long seed = start; seed < start + num; seed++) most = fmax(most, growth_of(seed));
  printf("%ld scenes, at most %.1e ", num, most);
}

/** By a force at the deepest point of a capsule that lies askew 5.2 %. */
static void a_tilted_line_gives_no_energy(void) { (void)growth_of(805); }

SUITE_TESTS(motions, TEST(what_is_round_rolls_on), TEST(what_is_round_spins_on),
            TEST(what_is_round_rolls_down_as_its_inertia_says), TEST(contact_gives_no_energy),
            TEST(a_tilted_line_gives_no_energy));
