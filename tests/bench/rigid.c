/* Steps of rigid clutter and of balls in a box: processor time in the mean, as other programs state theirs. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "bench.h"
#include "scene/scene.h"
#include "step/result.h"

typedef struct totals {
  int    steps;
  double ms, contacts, iterations; /* means per step */
  double phase[SUP_NUM_PHASES];    /* mean wall time [ms] */
} totals;

/** Steps from `begin` to `end` [s]; those before are made, too. */
static sup_status run(const sup_model_def *def, double begin, double end, totals *out) {
  sup_model      *model = NULL;
  sup_state      *state = NULL;
  sup_stepper    *stepper = NULL;
  sup_step_report r;
  sup_status      status;
  *out = (totals){0};
  SUP_TRY_GOTO(sup_model_create(&model, def), status, done);
  SUP_TRY_GOTO(sup_state_create(&state, model), status, done);
  SUP_TRY_GOTO(sup_stepper_create(&stepper, model), status, done);
  for (double dt = def->options.dt; sup_state_time(state) < end - .5 * dt;) {
    clock_t start = clock();
    SUP_TRY_GOTO(sup_step(stepper, state, &r), status, done);
    double ms = 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
    if (sup_state_time(state) < begin + .5 * dt) continue;
    out->steps++, out->ms += ms, out->contacts += r.num_contacts, out->iterations += r.iterations;
    for (int p = 0; p < SUP_NUM_PHASES; p++) out->phase[p] += 1e3 * r.seconds[p];
  }
  out->ms /= out->steps, out->contacts /= out->steps, out->iterations /= out->steps;
  for (int p = 0; p < SUP_NUM_PHASES; p++) out->phase[p] /= out->steps;
done:
  sup_stepper_destroy(&stepper);
  sup_state_destroy(&state);
  sup_model_destroy(&model);
  return status;
}

static void report_totals(const char *scene, const totals *t, int with_phases) {
  char name[96];
  snprintf(name, sizeof name, "step.%s.mean_ms", scene);
  bench_report(name, t->ms, "ms", t->steps);
  snprintf(name, sizeof name, "step.%s.contacts.mean", scene);
  bench_report(name, t->contacts, "1", t->steps);
  snprintf(name, sizeof name, "step.%s.newton.mean", scene);
  bench_report(name, t->iterations, "1", t->steps);
  for (int p = 0; p < SUP_NUM_PHASES && with_phases; p++) {
    snprintf(name, sizeof name, "step.%s.%s.mean_ms", scene, sup_phase_name(p));
    bench_report(name, t->phase[p], "ms", t->steps);
  }
}

static int run_scene(const char *folder, const char *scene, double end, totals *t) {
  char       path[512];
  sup_scene *loaded = NULL;
  snprintf(path, sizeof path, "%s/%s.yaml", folder, scene);
  int ok = sup_scene_load(&loaded, path, NULL, 0) == SUP_OK && run(&loaded->model, 0, end, t) == SUP_OK;
  sup_scene_destroy(&loaded);
  return ok ? 0 : bench_fail();
}

/** Slope of log time against log contacts, least squares. */
static double exponent(const totals *t, int n) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < n; i++) {
    double a = log(t[i].contacts), b = log(t[i].ms);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

/* ---- balls ------------------------------------------------------------------------------------------------------- */

enum { BALLS = 160, WALLS = 5, BODIES = BALLS + WALLS };

typedef struct crowd {
  sup_tree_def     tree[BODIES];
  sup_link_def     link[BODIES];
  sup_geometry_def geometry[BODIES];
} crowd;

static sup_link_def *add_body(crowd *c, int i, sup_shape shape, double mass) {
  c->tree[i] = sup_default_tree_def();
  c->tree[i].is_rigid_body = c->tree[i].num_links = 1, c->tree[i].links = &c->link[i];
  snprintf(c->tree[i].name, sizeof c->tree[i].name, "b%d", i);
  sup_link_def *link = &c->link[i];
  *link = sup_default_link_def();
  snprintf(link->name, sizeof link->name, "b%d", i);
  link->joint = mass > 0 ? SUP_JOINT_FLOATING : SUP_JOINT_FIXED, link->mass = mass;
  for (int k = 0; k < 3; k++) link->inertia[k] = .4 * mass * shape.size[0] * shape.size[0];
  c->geometry[i] = (sup_geometry_def){shape, sup_pose_identity(), sup_default_contact_def()};
  c->geometry[i].contact.point_stiffness = 2e5, c->geometry[i].contact.friction = .5;
  c->geometry[i].contact.resolution = 1;
  link->num_geometries = 1, link->geometries = &c->geometry[i];
  return link;
}

/** 160 balls of 5 cm and 0.5 kg fall into a box of 0.5 m; the numbers count from 0.8 s to 2 s, step 10 ms. */
static int bench_balls(void) {
  static crowd  c;
  sup_model_def def = {.options = sup_default_options(), .num_trees = BODIES, .trees = c.tree};
  totals        t;
  const double  s = sqrt(.5), half = .25;
  const double  turn[WALLS][4] = {{1, 0, 0, 0}, {s, 0, s, 0}, {s, 0, -s, 0}, {s, -s, 0, 0}, {s, s, 0, 0}};
  const double  place[WALLS][2] = {{0, 0}, {-half, 0}, {half, 0}, {0, -half}, {0, half}};
  for (int i = 0; i < WALLS; i++) {
    sup_link_def *wall = add_body(&c, i, (sup_shape){.type = SUP_SHAPE_HALF_SPACE}, 0);
    memcpy(wall->X_PJ.p, place[i], sizeof place[i]);
    memcpy(wall->X_PJ.q, turn[i], sizeof turn[i]);
  }
  for (int i = 0; i < BALLS; i++) { /* layers of 16, shifted so that none stands on another */
    sup_link_def *ball = add_body(&c, WALLS + i, (sup_shape){SUP_SHAPE_SPHERE, {.05}}, .5);
    ball->q0[0] = -.17 + .11 * (i % 4) + .008 * sin(7. * i),
    ball->q0[1] = -.17 + .11 * (i / 4 % 4) + .008 * cos(5. * i);
    ball->q0[2] = .06 + .11 * (i / 16);
  }
  if (run(&def, .8, 2, &t) != SUP_OK) return bench_fail();
  report_totals("balls160", &t, 1);
  return 0;
}

int bench_rigid(const char *scenes) {
  enum { SIZES = 5 };
  totals t[SIZES];
  if (run_scene(scenes, "clutter40", 3, &t[0])) return 1;
  report_totals("clutter40", &t[0], 1);
  if (run_scene(scenes, "clutter160deep", 3, &t[0])) return 1;
  report_totals("clutter160deep", &t[0], 1);
  for (int i = 0; i < SIZES; i++) { /* one second: all have fallen, some lie */
    char name[32];
    snprintf(name, sizeof name, "clutter%d", 40 << i);
    if (run_scene(scenes, name, 1, &t[i])) return 1;
    snprintf(name, sizeof name, "clutter%d.1s", 40 << i);
    report_totals(name, &t[i], 0);
  }
  bench_report("step.clutter.exponent_contacts", exponent(t, SIZES), "1", SIZES);
  return bench_balls();
}
