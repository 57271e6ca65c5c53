/* Laws that no random scene may break, whatever its shapes, laws and solver: forces of contact
 * cancel, and bodies that meet in free flight keep their momentum and the moment of it. SUPPLE_FUZZ
 * and SUPPLE_FUZZ_SEED as in test_metamorphic.c. */
#include "mesh/mesh.h"
#include "meta_scene.h"

/** Round-off over the sums of sizes. */
static const double bound = 1e-12;

typedef struct sums {
  sup_v3 force, momentum, angular;
  double most_force, most_momentum, most_angular; /* sums of sizes */
} sums;

static const double *read(sup_simulator *sim, sup_quantity quantity, const char *name) {
  int       handle;
  sup_array array;
  OK(sup_simulator_find(sim, sup_quantity_object(quantity), name, &handle));
  OK(sup_simulator_read(sim, quantity, handle, &array));
  return array.data;
}

static void add_force(sup_simulator *sim, const char *name, sums *sum) {
  sup_v3 force = sup_v3_load(read(sim, SUP_READ_RESULTANT, name));
  sum->force = sup_v3_add(sum->force, force), sum->most_force += sup_v3_norm(force);
}

/** Momentum of a rigid body and its moment about the world's origin. */
static void add_momentum(sup_simulator *sim, const char *name, const sup_link_def *l, sums *sum) {
  const double *pose = read(sim, SUP_READ_POSE, name);
  sup_v3        x = sup_v3_load(pose);
  const double *v = read(sim, SUP_READ_VELOCITY, name), *i = l->inertia;
  sup_m3        R = sup_quat_matrix((sup_quat){pose[3], pose[4], pose[5], pose[6]});
  sup_v3        w = sup_v3_load(v + 3), own = sup_m3_apply_t(R, w),
         arm = sup_m3_apply(R, sup_v3_load(l->com));
  sup_v3 spin = {i[0] * own.x + i[3] * own.y + i[4] * own.z,
                 i[3] * own.x + i[1] * own.y + i[5] * own.z,
                 i[4] * own.x + i[5] * own.y + i[2] * own.z};
  sup_v3 p = sup_v3_scale(l->mass, sup_v3_add(sup_v3_load(v), sup_v3_cross(w, arm)));
  sup_v3 L = sup_v3_add(sup_m3_apply(R, spin), sup_v3_cross(sup_v3_add(x, arm), p));
  sum->momentum = sup_v3_add(sum->momentum, p), sum->angular = sup_v3_add(sum->angular, L);
  sum->most_momentum += sup_v3_norm(p);
  sum->most_angular +=
      sup_v3_norm(sup_m3_apply(R, spin)) + sup_v3_norm(sup_v3_add(x, arm)) * sup_v3_norm(p);
}

static sums add_bodies(const meta_scene *s, sup_simulator *sim) {
  sums sum = {0};
  char name[2 * SUP_NAME_MAX + 2];
  for (int t = 0; t < s->def.num_trees; t++)
    for (int l = 0; l < s->tree[t].num_links; l++) {
      const sup_link_def *link = &s->tree[t].links[l];
      if (s->tree[t].is_rigid_body)
        snprintf(name, sizeof name, "%s", s->tree[t].name);
      else
        snprintf(name, sizeof name, "%s/%s", s->tree[t].name, link->name);
      add_force(sim, name, &sum);
      if (link->joint == SUP_JOINT_FLOATING) add_momentum(sim, name, link, &sum);
    }
  for (int i = 0; i < s->def.num_softs; i++) add_force(sim, s->soft[i].name, &sum);
  return sum;
}

/** Free bodies alone, without weight, the lowest on its way up. */
static void set_free(meta_scene *s) {
  int kept = 0;
  for (int t = 0; t < s->def.num_trees; t++)
    if (s->tree[t].links[0].joint == SUP_JOINT_FLOATING) s->tree[kept++] = s->tree[t];
  s->def.num_trees = kept, s->def.num_softs = 0;
  s->def.num_actuators = s->def.num_loads = s->def.num_springs = 0;
  memset(s->options.gravity, 0, sizeof s->options.gravity);
  if (kept == 0) return;
  sup_link_def *l = &s->tree[0].links[0];
  sup_quat      q = {l->q0[3], l->q0[4], l->q0[5], l->q0[6]};
  sup_m3        R = sup_m3_mul(sup_frame_from_pose(&s->tree[0].X_WB).R, sup_quat_matrix(q));
  sup_v3_store(l->v0 + 3, sup_m3_apply_t(R, sup_v3_make(.02, -.01, .4)));
}

enum { FORCE, MOMENTUM, ANGULAR, NUM_SUMS };

/** Largest relative imbalance over the steps; of momenta against those of the start. */
static sup_status run(const meta_scene *s, double worst[NUM_SUMS]) {
  sup_model               *model;
  sup_simulator           *sim;
  sup_simulator_def        def = sup_default_simulator_def();
  const sup_contact_patch *patch;
  int                      num_patches;
  OK(sup_model_create(&model, &s->def));
  def.model = model, def.options = s->options;
  OK(sup_simulator_create(&sim, &def));
  /* Barriers refuse bodies that overlap at the start. */
  sup_status status = sup_simulator_contacts(sim, SUP_NONE, &patch, &num_patches);
  sums       first = status ? (sums){0} : add_bodies(s, sim);
  for (int k = 0; k < NUM_SUMS; k++) worst[k] = 0;
  for (int i = 0; i < s->num_steps && status == SUP_OK; i++) {
    status = sup_simulator_step(sim, NULL);
    if (status) break;
    sums   now = add_bodies(s, sim);
    sup_v3 p = sup_v3_sub(now.momentum, first.momentum), L = sup_v3_sub(now.angular, first.angular);
    double off[NUM_SUMS] = {sup_v3_norm(now.force) / now.most_force,
                            sup_v3_norm(p) / first.most_momentum,
                            sup_v3_norm(L) / first.most_angular};
    for (int k = 0; k < NUM_SUMS; k++)
      if (k >= MOMENTUM || now.most_force > 0) worst[k] = fmax(worst[k], off[k]);
  }
  sup_simulator_destroy(&sim);
  sup_model_destroy(&model);
  return status;
}

static void judge(int is_free) {
  static meta_scene s;
  const char       *first = getenv("SUPPLE_FUZZ_SEED"), *asked = getenv("SUPPLE_FUZZ");
  long   num = (is_free ? 6 : 1) * (asked ? strtol(asked, NULL, 10) : 60), run_to_end = 0;
  long   start = first ? strtol(first, NULL, 10) : 0;
  double most[NUM_SUMS] = {0};
  for (long seed = start; seed < start + num; seed++) {
    double worst[NUM_SUMS];
    meta_scene_create(&s, (uint64_t)seed, META_TURN);
    if (is_free) set_free(&s);
    int is_run = s.def.num_trees + s.def.num_softs > 1 && (!is_free || s.options.scheme.theta == 0);
    if (is_run && run(&s, worst) == SUP_OK) {
      run_to_end++;
      for (int k = 0; k < (is_free ? NUM_SUMS : FORCE + 1); k++) {
        most[k] = fmax(most[k], worst[k]);
        if (!(worst[k] < bound))
          printf("\n    scene %ld: sum %d is off by %.2g", seed, k, worst[k]);
        CHECK(worst[k] < bound);
      }
    }
    meta_scene_free(&s);
  }
  printf("%ld scenes, off by %.1e %.1e %.1e ", run_to_end, most[FORCE], most[MOMENTUM],
         most[ANGULAR]);
  CHECK(run_to_end >= num / 10);
}

static void forces_of_contact_cancel(void) { judge(0); }
/* By the default scheme; implicit Euler and midpoint change momenta of what flies and turns about a
 * point that is not its centre of mass, without contact, too. */
static void free_bodies_keep_their_momenta(void) { judge(1); }

SUITE_TESTS(balance, TEST(forces_of_contact_cancel), TEST(free_bodies_keep_their_momenta));
