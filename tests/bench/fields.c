/* Pressure fields: a pile of balls, and the narrow phase alone on two shapes that get finer. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "bench.h"
#include "collide/collide.h"
#include "collide/travel.h"
#include "scene/scene.h"

/** The balls as polygons on one and two threads and as fans of triangles; the numbers count from
 * 0.8 s. */
static int run_balls(void) {
  enum { CASES = 3 };
  static const char *const        path = "examples/peers/balls_fields.yaml",
                           *const fans = "contact.patch.cut=triangles";
  static bench_totals             t[CASES];
  sup_scene                      *scene = NULL, *cut = NULL;
  int                             ok = sup_scene_load(&scene, path, NULL, 0) == SUP_OK &&
           sup_scene_load(&cut, path, &fans, 1) == SUP_OK;
  if (ok) {
    const bench_case cases[CASES] = {{"peer_balls_fields", scene, 1},
                                     {"peer_balls_fields.two_threads", scene, 2},
                                     {"peer_balls_fields.fans", cut, 1}};
    ok = bench_steps(cases, CASES, .8, 1.1, t) == SUP_OK;
    for (int k = 0; k < CASES && ok; k++) bench_report_totals(cases[k].name, &t[k], 1);
    for (int k = 1; k < CASES && ok; k++) bench_report_ratios(cases[k].name, &t[k], &t[0]);
  }
  sup_scene_destroy(&scene);
  sup_scene_destroy(&cut);
  return ok ? 0 : bench_fail();
}

/* ---- narrow phase ---------------------------------------------------------------------------- */

/** Two bodies that overlap: a fixed, b placed. */
typedef struct couple {
  const char *name;
  sup_shape   a, b;
  double      modulus_a; /* 0: a is its surface only */
  double      z;         /* of b [m] */
  double      finest;    /* [m] */
} couple;

static void add_body(sup_tree_def *tree, sup_link_def *link, sup_geometry_def *g, sup_shape shape,
                     double modulus, double resolution) {
  *tree = sup_default_tree_def(), *link = sup_default_link_def();
  *g = (sup_geometry_def){shape, sup_pose_identity(), sup_default_contact_def(),
                          .marker = SUP_INITIALISED};
  g->contact.modulus = modulus, g->contact.resolution = g->contact.field_resolution = resolution;
  link->mass = 1, link->num_geometries = 1, link->geometries = g;
  for (int k = 0; k < 3; k++) link->inertia[k] = .01;
  tree->is_rigid_body = tree->num_links = 1, tree->links = link;
}

/** Least time of one collision [ms] and its polygons, or the triangles of their fans. */
static sup_status collide(const couple *c, double resolution, int triangles, double *ms,
                          double *polygons) {
  sup_tree_def     tree[2];
  sup_link_def     link[2];
  sup_geometry_def geometry[2];
  sup_model_def    def = {.marker = SUP_INITIALISED,
                          .contact = sup_default_contact_rules(),
                          .num_trees = 2,
                          .trees = tree};
  sup_options      options = sup_default_options();
  sup_model       *model = NULL;
  sup_state       *state = NULL;
  sup_arena       *arena = NULL;
  sup_contact_list list = {0};
  sup_kinematics   kin;
  sup_travel      *travel;
  sup_status       status;
  add_body(&tree[0], &link[0], &geometry[0], c->a, c->modulus_a, resolution);
  add_body(&tree[1], &link[1], &geometry[1], c->b, 1e6, resolution);
  snprintf(tree[0].name, sizeof tree[0].name, "a"),
      snprintf(tree[1].name, sizeof tree[1].name, "b");
  snprintf(link[0].name, sizeof link[0].name, "a"),
      snprintf(link[1].name, sizeof link[1].name, "b");
  options.patch_triangles = triangles;
  link[0].joint = SUP_JOINT_FIXED, link[1].joint = SUP_JOINT_FLOATING;
  link[1].q0[0] = .0123, link[1].q0[1] = -.0071, link[1].q0[2] = c->z;
  link[1].q0[3] = cos(.2), link[1].q0[6] = sin(.2); /* turned about the normal: no facets in line */
  *ms = HUGE_VAL;
  SUP_TRY_GOTO(sup_model_create(&model, &def), status, done);
  SUP_TRY_GOTO(sup_state_create(&state, model, &options), status, done);
  SUP_TRY_GOTO(sup_arena_create(&arena, 1 << 20), status, done);
  for (double spent = 0; spent < 300;) {
    SUP_TRY_GOTO(sup_arena_reset(arena), status, done);
    sup_increment inc = sup_increment_of_motion(&options, 0, 0);
    SUP_TRY_GOTO(sup_kinematics_compute(&kin, model, &inc, state->q, state->v, arena), status,
                 done);
    SUP_TRY_GOTO(sup_travel_start(model, &inc, &kin, arena, &travel), status, done);
    double start = bench_thread_time();
    SUP_TRY_GOTO(sup_collide(&list, model, &inc, &kin, state->x, state->xdot, travel, arena),
                 status, done);
    double taken = 1e3 * (bench_thread_time() - start);
    *ms = fmin(*ms, taken), spent += taken;
  }
  *polygons = list.count;
done:
  sup_contact_list_free(&list);
  sup_arena_destroy(&arena);
  sup_state_destroy(&state);
  sup_model_destroy(&model);
  return status;
}

/** Time per polygon while facets are halved. */
static int run_series(const couple *c) {
  enum { MAX_SIZES = 12 };
  double ms[MAX_SIZES], polygons[MAX_SIZES], fans_ms, fans;
  char   name[96];
  int    n = 0;
  for (double h = c->finest * 64; n < MAX_SIZES && h > .9 * c->finest; h /= 2) {
    if (collide(c, h, 0, &ms[n], &polygons[n]) != SUP_OK) return bench_fail();
    if (polygons[n] < 100) continue;
    if (collide(c, h, 1, &fans_ms, &fans) != SUP_OK) return bench_fail();
    snprintf(name, sizeof name, "fields.%s.%.0f_polygons", c->name, polygons[n]);
    bench_report(name, 1e6 * ms[n] / polygons[n], "ns/polygon", 1);
    n++;
  }
  snprintf(name, sizeof name, "fields.%s.fans.contacts.ratio", c->name); /* of the finest */
  bench_report(name, fans / polygons[n - 1], "1", 1);
  snprintf(name, sizeof name, "fields.%s.fans.ratio", c->name);
  bench_report(name, fans_ms / ms[n - 1], "1", 1);
  snprintf(name, sizeof name, "fields.%s.exponent_polygons", c->name);
  bench_report(name, bench_exponent(polygons, ms, n), "1", n);
  return 0;
}

int bench_fields(void) {
  static const couple couples[] = {
      {"spheres", {SUP_SHAPE_SPHERE, {.1}}, {SUP_SHAPE_SPHERE, {.1}}, 1e6, .18, .0018},
      {"sphere_box", {SUP_SHAPE_SPHERE, {.1}}, {SUP_SHAPE_BOX, {.2, .2, .1}}, 1e6, .13, .0036},
      {"boxes", {SUP_SHAPE_BOX, {.2, .2, .05}}, {SUP_SHAPE_BOX, {.2, .2, .05}}, 1e6, .046, .005},
      {"mesh_box", {SUP_SHAPE_SPHERE, {.1}}, {SUP_SHAPE_BOX, {.2, .2, .1}}, 0, .13, .0036},
  };
  for (size_t k = 0; k < sizeof couples / sizeof *couples; k++)
    if (run_series(&couples[k])) return 1;
  return run_balls();
}
