/** R06, P2 IV-A: a box of 0.33 kg on the ground, mu = 1, pushed by f = 4 cos(2 pi t) N; g = 9.8
 * m/s^2. */
#pragma once

#include "scene_test.h"

#define BOX_FORCE 4. /* amplitude [N] */
static const double box_mass = .33, box_mu = 1, box_g = 9.8, box_pi = 3.14159265358979323846;

/** The push at a time [N]. */
static inline double box_push(double t) { return BOX_FORCE * cos(2 * box_pi * t); }

/** The box as a point mass with one ball under it: P2's case is 2-D without pitch.  What differs
 * between tests is set before test_start. */
static inline void box_init(test_scene *s, double dt, int num_rows, double *time, double *force) {
  test_scene_init(s);
  test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *box = test_add_rigid(s, "box", (sup_shape){SUP_SHAPE_SPHERE, {.05}}, box_mass, 0);
  for (int i = 0; i < 3; i++) box->inertia[i] = 1e6; /* no rolling */
  box->q0[2] = .05 - box_mass * box_g / 1e5;
  for (int i = 0; i < 2; i++) {
    s->geometry[i].contact.point_stiffness = 2e5;
    s->geometry[i].contact.friction = box_mu;
  }
  test_add_force(s, "box", num_rows, time, force);
  s->options.gravity[2] = -box_g;
  s->options.dt = dt;
}

static inline double box_speed(const test_scene *s) { return s->state->v[3]; }
static inline double box_place(const test_scene *s) { return s->state->q[0]; }
