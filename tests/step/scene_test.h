/** Small models for tests, built from definitions. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/format/convert.h"
#include "mesh/generate/generate.h"
#include "step/result.h"
#include "test.h"

enum { TEST_MAX_TREES = 16, TEST_MAX_SOFTS = 4, TEST_MAX_ATTACHMENTS = 3 };

typedef struct test_scene {
  sup_model_def    def;
  sup_options      options;
  sup_tree_def     tree[TEST_MAX_TREES];
  sup_link_def     link[TEST_MAX_TREES][4];
  sup_geometry_def geometry[TEST_MAX_TREES];
  sup_soft_def     soft[TEST_MAX_SOFTS];
  sup_attach_def   attachment[TEST_MAX_SOFTS][TEST_MAX_ATTACHMENTS];
  sup_mesh        *mesh[TEST_MAX_SOFTS];
  sup_actuator_def actuator[4];
  sup_spring_def   spring[4];
  sup_load_def     load[2];
  sup_model       *model;
  sup_state       *state;
  sup_stepper     *stepper;
  sup_step_report  report;
} test_scene;

static inline void test_scene_init(test_scene *s) {
  memset(s, 0, sizeof *s);
  s->options = sup_default_options();
  s->def = sup_default_model_def();
  s->def.trees = s->tree;
  s->def.softs = s->soft;
  s->def.actuators = s->actuator;
  s->def.springs = s->spring;
  s->def.loads = s->load;
}

static inline sup_tree_def *test_add_tree(test_scene *s, const char *name, int num_links) {
  int           t = s->def.num_trees++;
  sup_tree_def *d = &s->tree[t];
  *d = sup_default_tree_def();
  snprintf(d->name, sizeof d->name, "%s", name);
  d->num_links = num_links;
  d->links = s->link[t];
  for (int l = 0; l < num_links; l++) {
    d->links[l] = sup_default_link_def();
    snprintf(d->links[l].name, SUP_NAME_MAX, "link%d", l);
    snprintf(d->links[l].joint_name, SUP_NAME_MAX, "joint%d", l);
    d->links[l].parent = l - 1;
  }
  return d;
}

/** Tree "star": `branches` chains of `joints` uniform rods, each chain 1 m and 1 kg, hang on a hub
 * of 1 kg that floats or is fixed; the caller frees its links. */
static inline sup_link_def *test_add_star(test_scene *s, int branches, int joints, int floats) {
  sup_tree_def *d = test_add_tree(s, "star", 1);
  double        l = 1.0 / joints, m = 1.0 / joints;
  d->num_links = 1 + branches * joints;
  d->links = calloc((size_t)d->num_links, sizeof *d->links);
  for (int i = 0; i < d->num_links; i++) {
    sup_link_def *link = &d->links[i];
    int           k = (i - 1) % joints;
    *link = sup_default_link_def();
    snprintf(link->name, SUP_NAME_MAX, "link%d", i);
    snprintf(link->joint_name, SUP_NAME_MAX, "joint%d", i);
    link->parent = i == 0 ? SUP_NONE : k == 0 ? 0 : i - 1;
    link->joint = i > 0 ? SUP_JOINT_REVOLUTE : floats ? SUP_JOINT_FLOATING : SUP_JOINT_FIXED;
    link->axis[0] = k % 2 == 0 || branches == 1, link->axis[1] = 1 - link->axis[0];
    link->axis[2] = 0;
    link->mass = i == 0 ? 1 : m, link->com[2] = i == 0 ? 0 : -.5 * l;
    for (int c = 0; c < 3; c++) link->inertia[c] = i == 0 ? .1 : (c < 2 ? 1 : .1) * m * l * l / 12;
    if (k > 0 && i > 0) link->X_PJ.p[2] = -l;
    if (k == 0 && i > 0 && branches > 1) { /* the branches point outwards */
      double turn = 3.14159265358979323846 * i / d->num_links;
      link->X_PJ.q[0] = cos(turn), link->X_PJ.q[1] = 0, link->X_PJ.q[2] = sin(turn);
    }
  }
  return d->links;
}

/** A rigid body: uniform solid of a shape, floating unless fixed. */
static inline sup_link_def *test_add_rigid(test_scene *s, const char *name, sup_shape shape,
                                           double mass, int fixed) {
  int           t = s->def.num_trees;
  sup_tree_def *d = test_add_tree(s, name, 1);
  d->is_rigid_body = 1;
  sup_link_def *l = &d->links[0];
  l->joint = fixed ? SUP_JOINT_FIXED : SUP_JOINT_FLOATING;
  l->mass = mass;
  const double *z = shape.size;
  double        xx = 0, zz = 0;
  if (shape.type == SUP_SHAPE_SPHERE) xx = zz = .4 * mass * z[0] * z[0];
  if (shape.type == SUP_SHAPE_CYLINDER)
    xx = mass * (3 * z[0] * z[0] + z[1] * z[1]) / 12, zz = .5 * mass * z[0] * z[0];
  if (shape.type == SUP_SHAPE_BOX)
    xx = mass * (z[1] * z[1] + z[2] * z[2]) / 12, zz = mass * (z[0] * z[0] + z[1] * z[1]) / 12;
  l->inertia[0] = l->inertia[1] = xx;
  l->inertia[2] = zz;
  if (shape.type == SUP_SHAPE_BOX) l->inertia[1] = mass * (z[0] * z[0] + z[2] * z[2]) / 12;
  s->geometry[t] = (sup_geometry_def){shape, sup_pose_identity(), sup_default_contact_def(),
                                      .marker = SUP_INITIALISED};
  l->num_geometries = 1;
  l->geometries = &s->geometry[t];
  return l;
}

/** A soft box [0,size] of n bricks. */
static inline sup_soft_def *test_add_soft_box(test_scene *s, const char *name, double sx, double sy,
                                              double sz, int nx, int ny, int nz,
                                              sup_mesh_pattern pattern, double E, double nu,
                                              double rho) {
  int           i = s->def.num_softs++;
  double        size[3] = {sx, sy, sz};
  int           n[3] = {nx, ny, nz};
  sup_soft_def *d = &s->soft[i];
  OK(sup_mesh_box(&s->mesh[i], size, n, pattern));
  *d = sup_default_soft_def();
  snprintf(d->name, sizeof d->name, "%s", name);
  d->mesh = s->mesh[i];
  d->material.youngs_modulus = E;
  d->material.poissons_ratio = nu;
  d->material.density = rho;
  return d;
}

/** The region of a soft body rides on a link, too. */
static inline void test_attach(test_scene *s, int soft, const char *link, sup_region region) {
  sup_soft_def   *d = &s->soft[soft];
  sup_attach_def *a = &s->attachment[soft][d->num_attachments++];
  *a = sup_default_attach_def();
  a->region = region;
  snprintf(a->link, sizeof a->link, "%s", link);
  d->attachments = s->attachment[soft];
}

/** Replace the body's mesh by quadratic tetrahedra: a vertex on each edge. */
static inline void test_make_quadratic(test_scene *s, int soft) {
  sup_mesh *linear = s->mesh[soft];
  OK(sup_mesh_to_t10(&s->mesh[soft], linear));
  sup_mesh_destroy(&linear);
  s->soft[soft].mesh = s->mesh[soft];
}

/** A slider along x of 0.5 kg, "slider/link0", without gravity, and the soft bar of 100 x 20 x 20
 * mm, 3n x n x n bricks, that it carries by its end. */
static inline sup_link_def *test_add_bar_on_slider(test_scene *s, int n, double E) {
  sup_link_def *l = &test_add_tree(s, "slider", 1)->links[0];
  l->joint = SUP_JOINT_PRISMATIC, l->mass = .5;
  l->inertia[0] = l->inertia[1] = l->inertia[2] = 1e-3;
  int bar = s->def.num_softs;
  test_add_soft_box(s, "bar", .1, .02, .02, 3 * n, n, n, SUP_PATTERN_HEX, E, .3, 1000);
  test_attach(s, bar, "slider/link0",
              (sup_region){SUP_REGION_BOX, {-1, -1, -1}, {1e-6, 1, 1}, {0}, 0, {0}});
  s->options.gravity[2] = 0;
  return l;
}

/** A spring along x between the origins of two bodies. */
static inline sup_spring_def *test_add_spring(test_scene *s, const char *a, const char *b,
                                              double stiffness) {
  sup_spring_def *spring = &s->spring[s->def.num_springs++];
  *spring = sup_default_spring_def();
  snprintf(spring->name, sizeof spring->name, "spring%d", s->def.num_springs);
  snprintf(spring->a, sizeof spring->a, "%s", a);
  snprintf(spring->b, sizeof spring->b, "%s", b);
  spring->stiffness[0] = stiffness;
  return spring;
}

/** A force over time at a body's origin; time [num_rows], force [num_rows x 3] stay the caller's.
 */
static inline sup_load_def *test_add_force(test_scene *s, const char *body, int num_rows,
                                           double *time, double *force) {
  sup_load_def *load = &s->load[s->def.num_loads++];
  *load = sup_default_load_def();
  snprintf(load->name, sizeof load->name, "load%d", s->def.num_loads);
  snprintf(load->body, sizeof load->body, "%s", body);
  load->force = (sup_table){num_rows, 3, time, force};
  return load;
}

static inline void test_start(test_scene *s) {
  OK(sup_model_create(&s->model, &s->def));
  OK(sup_state_create(&s->state, s->model, &s->options));
  OK(sup_stepper_create(&s->stepper, s->model, &s->options));
}

/** Increment of the step that would follow. */
static inline sup_increment test_increment(const test_scene *s) {
  return sup_increment_of_motion(&s->options, s->state->time, s->state->step);
}

static inline void test_step(test_scene *s) {
  OK(sup_step(s->stepper, s->state, &s->report));
  CHECK(s->report.momentum_error <= s->options.tolerance || s->report.momentum_residual <= 1e-14 ||
        s->report.reason == SUP_REASON_ABSOLUTE || s->report.reason == SUP_REASON_STALL ||
        s->report.reason == SUP_REASON_ROUND_OFF);
}

/** Equilibrium at the end of a second, in so many load steps. */
static inline void test_static(test_scene *s, int steps) {
  sup_static_options o = sup_default_static_options();
  o.steps = steps;
  while (s->state->time < o.end) OK(sup_static_step(s->stepper, s->state, &o, &s->report));
  CHECK(s->report.momentum_error <= o.tolerance);
}

static inline void test_end(test_scene *s) {
  sup_stepper_destroy(&s->stepper);
  sup_state_destroy(&s->state);
  sup_model_destroy(&s->model);
  for (int i = 0; i < s->def.num_softs; i++) sup_mesh_destroy(&s->mesh[i]);
}

/** Sum of contact forces on body b. */
static inline sup_v3 test_contact_force(const test_scene *s, const char *name) {
  const sup_step_result *r = sup_stepper_result(s->stepper);
  int                    body = sup_model_find_body(s->model, name);
  sup_v3                 sum = {0, 0, 0};
  for (int i = 0; i < r->num_contacts; i++) {
    if (r->contact[i].body_b == body) sum = sup_v3_add(sum, r->contact[i].force);
    if (r->contact[i].body_a == body) sum = sup_v3_sub(sum, r->contact[i].force);
  }
  return sum;
}

/** Sum of a soft body's contact forces at its vertices. */
static inline sup_v3 test_vertex_force(const test_scene *s, int soft) {
  const sup_soft *b = &s->model->soft[soft];
  const double   *f = sup_stepper_result(s->stepper)->contact_force + 3 * b->first_vertex;
  sup_v3          sum = {0, 0, 0};
  for (int i = 0; i < b->num_vertices; i++) sum = sup_v3_add(sum, sup_v3_load(f + 3 * i));
  return sum;
}

/** Linear momentum of a soft body. */
static inline sup_v3 test_soft_momentum(const test_scene *s, int i) {
  const sup_soft *soft = &s->model->soft[i];
  const double   *v = s->state->xdot + 3 * soft->first_vertex;
  double         *Mv;
  sup_v3          sum = {0, 0, 0};
  OK(SUP_CALLOC(Mv, 3 * soft->num_vertices));
  sup_fem_mass_multiply(soft->fem, v, Mv);
  for (int a = 0; a < soft->num_vertices; a++) sum = sup_v3_add(sum, sup_v3_load(Mv + 3 * a));
  SUP_FREE(Mv);
  return sum;
}
