/** Cables and their bodies in models of tests. */
#pragma once

#include "model/cable.h"
#include "scene_test.h"

static const double mm = 1e-3, g0 = 9.81;

enum { MOST = 12 };
/** Cables of a scene with the points of their paths. */
typedef struct lines {
  int                 num;
  sup_cable_def       def[16];
  sup_cable_point_def point[16][MOST];
} lines;

static inline sup_cable_def *add_cable(test_scene *s, lines *l, sup_cable_drive drive) {
  sup_cable_def *c = &l->def[l->num];
  *c = sup_default_cable_def();
  snprintf(c->name, sizeof c->name, "line%d", l->num);
  c->drive = drive, c->points = l->point[l->num++], c->is_added = 1;
  s->def.cables = l->def, s->def.num_cables = l->num;
  return c;
}

static inline void add_point(sup_cable_def *c, const char *body, double x, double y, double z) {
  sup_cable_point_def *p = &c->points[c->num_points++];
  *p = (sup_cable_point_def){.point = {x, y, z}};
  snprintf(p->body, sizeof p->body, "%s", body);
}

static inline sup_link_def *add_ball(test_scene *s, const char *name, double mass, double z) {
  sup_link_def *link = test_add_rigid(s, name, (sup_shape){SUP_SHAPE_SPHERE, {10 * mm}}, mass, 0);
  link->q0[2] = z;
  return link;
}

/** A drum on a hinge along y, with an axle's inertia I, of 20 mm. */
static inline sup_link_def *add_drum(test_scene *s, double inertia) {
  sup_link_def *drum = &test_add_tree(s, "drum", 1)->links[0];
  drum->joint = SUP_JOINT_REVOLUTE, drum->mass = 1;
  drum->axis[0] = 0, drum->axis[1] = 1, drum->axis[2] = 0;
  drum->inertia[0] = drum->inertia[1] = drum->inertia[2] = inertia;
  return drum;
}
