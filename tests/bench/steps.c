/* Scenes in steps: what they cost, and the one with balls. */
#include <time.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "bench.h"
#include "step/result.h"

enum { MAX_STEPS = 2000 };

sup_status bench_steps(const sup_model_def *def, double begin, double end, bench_totals *out) {
  static double   wall[MAX_STEPS];
  sup_model      *model = NULL;
  sup_state      *state = NULL;
  sup_stepper    *stepper = NULL;
  sup_step_report r;
  sup_status      status;
  *out = (bench_totals){0};
  SUP_TRY_GOTO(sup_model_create(&model, def), status, done);
  SUP_TRY_GOTO(sup_state_create(&state, model), status, done);
  SUP_TRY_GOTO(sup_stepper_create(&stepper, model), status, done);
  for (double dt = def->options.dt; sup_state_time(state) < end - .5 * dt;) {
    clock_t start = clock();
    double  wall_start = sup_wall_time();
    SUP_TRY_GOTO(sup_step(stepper, state, &r), status, done);
    double ms = 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
    double now = sup_wall_time();
    if (sup_state_time(state) < begin + .5 * dt || out->steps == MAX_STEPS) continue;
    wall[out->steps] = 1e3 * (now - wall_start);
    out->steps++, out->ms += ms, out->contacts += r.num_contacts, out->iterations += r.iterations;
    for (int p = 0; p < SUP_NUM_PHASES; p++) out->phase[p] += 1e3 * r.seconds[p];
  }
  out->median_ms = bench_median(wall, out->steps);
  out->ms /= out->steps, out->contacts /= out->steps, out->iterations /= out->steps;
  for (int p = 0; p < SUP_NUM_PHASES; p++) out->phase[p] /= out->steps;
done:
  sup_stepper_destroy(&stepper);
  sup_state_destroy(&state);
  sup_model_destroy(&model);
  return status;
}

void bench_report_totals(const char *scene, const bench_totals *t, int with_phases) {
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

/* ---- balls ------------------------------------------------------------------------------------------------------- */

enum { BALLS = 160, WALLS = 5, BODIES = BALLS + WALLS };

typedef struct crowd {
  sup_tree_def     tree[BODIES];
  sup_link_def     link[BODIES];
  sup_geometry_def geometry[BODIES];
} crowd;

static sup_link_def *add_body(crowd *c, int i, sup_shape shape, double mass, const sup_contact_def *contact) {
  c->tree[i] = sup_default_tree_def();
  c->tree[i].is_rigid_body = c->tree[i].num_links = 1, c->tree[i].links = &c->link[i];
  snprintf(c->tree[i].name, sizeof c->tree[i].name, "b%d", i);
  sup_link_def *link = &c->link[i];
  *link = sup_default_link_def();
  snprintf(link->name, sizeof link->name, "b%d", i);
  link->joint = mass > 0 ? SUP_JOINT_FLOATING : SUP_JOINT_FIXED, link->mass = mass;
  for (int k = 0; k < 3; k++) link->inertia[k] = .4 * mass * shape.size[0] * shape.size[0];
  c->geometry[i] = (sup_geometry_def){shape, sup_pose_identity(), *contact};
  c->geometry[i].contact.friction = .5;
  link->num_geometries = 1, link->geometries = &c->geometry[i];
  return link;
}

sup_model_def bench_balls(const sup_contact_def *contact, double modulus) {
  static crowd c;
  const double s = sqrt(.5), half = .25;
  const double turn[WALLS][4] = {{1, 0, 0, 0}, {s, 0, s, 0}, {s, 0, -s, 0}, {s, -s, 0, 0}, {s, s, 0, 0}};
  const double place[WALLS][2] = {{0, 0}, {-half, 0}, {half, 0}, {0, -half}, {0, half}};
  c = (crowd){0};
  for (int i = 0; i < WALLS; i++) {
    sup_link_def *wall = add_body(&c, i, (sup_shape){.type = SUP_SHAPE_HALF_SPACE}, 0, contact);
    memcpy(wall->X_PJ.p, place[i], sizeof place[i]);
    memcpy(wall->X_PJ.q, turn[i], sizeof turn[i]);
  }
  for (int i = 0; i < BALLS; i++) { /* layers of 16, shifted so that none stands on another */
    sup_link_def *ball = add_body(&c, WALLS + i, (sup_shape){SUP_SHAPE_SPHERE, {.05}}, .5, contact);
    c.geometry[WALLS + i].contact.modulus = modulus;
    ball->q0[0] = -.17 + .11 * (i % 4) + .008 * sin(7. * i),
    ball->q0[1] = -.17 + .11 * (i / 4 % 4) + .008 * cos(5. * i);
    ball->q0[2] = .06 + .11 * (i / 16);
  }
  return (sup_model_def){.options = sup_default_options(), .num_trees = BODIES, .trees = c.tree};
}
