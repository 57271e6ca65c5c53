/* A small scene whose steps are written by hand: a floor, a free box of two shapes, a robot whose
 * jaw carries a T4 finger, a free H8 cube. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "mesh/generate/generate.h"
#include "output/output.h"
#include "test.h"

typedef struct scene {
  sup_mesh   *finger, *cube;
  sup_options options;
  sup_model  *model;
  sup_state  *state;
} scene;

/** Everything that a step leaves, at rest and without contact until a test says otherwise. */
typedef struct fake_step {
  sup_contact     contact[4];
  double          effort[16], force[3 * 64];
  sup_wrench      wrench[2];
  sup_frame       X[8];
  sup_v3          w[8], v[8];
  sup_step_result result;
  sup_step_report report;
} fake_step;

static inline sup_link_def link_def(const char *name, const char *joint_name, sup_joint_type joint,
                                    int parent) {
  sup_link_def link = sup_default_link_def();
  snprintf(link.name, sizeof link.name, "%s", name);
  snprintf(link.joint_name, sizeof link.joint_name, "%s", joint_name);
  link.joint = joint, link.parent = parent, link.mass = 0.1;
  for (int i = 0; i < 3; i++) link.inertia[i] = 1e-4;
  return link;
}

static inline sup_geometry_def geometry_def(sup_shape shape) {
  return (sup_geometry_def){shape, sup_pose_identity(), sup_default_contact_def(),
                            .marker = SUP_INITIALISED};
}

static inline sup_status build(scene *s, const char *finger_name) {
  const double     finger_size[3] = {0.01, 0.01, 0.03}, cube_size[3] = {0.02, 0.02, 0.02};
  const int        finger_n[3] = {1, 1, 2}, cube_n[3] = {1, 1, 1};
  sup_geometry_def floor_shape = geometry_def((sup_shape){SUP_SHAPE_HALF_SPACE, {0}});
  sup_geometry_def box_shapes[2] = {geometry_def((sup_shape){SUP_SHAPE_BOX, {0.04, 0.04, 0.02}}),
                                    geometry_def((sup_shape){SUP_SHAPE_SPHERE, {0.02}})};
  sup_geometry_def jaw_shape = geometry_def((sup_shape){SUP_SHAPE_CYLINDER, {0.01, 0.03}});
  sup_link_def     floor = link_def("floor", "", SUP_JOINT_FIXED, SUP_NONE);
  sup_link_def     box = link_def("box", "", SUP_JOINT_FLOATING, SUP_NONE);
  sup_link_def     robot[2] = {link_def("base", "mount", SUP_JOINT_FIXED, SUP_NONE),
                               link_def("jaw", "slide", SUP_JOINT_PRISMATIC, 0)};
  sup_tree_def trees[3] = {sup_default_tree_def(), sup_default_tree_def(), sup_default_tree_def()};
  sup_soft_def softs[2] = {sup_default_soft_def(), sup_default_soft_def()};
  floor.num_geometries = 1, floor.geometries = &floor_shape;
  box.num_geometries = 2, box.geometries = box_shapes;
  box.q0[0] = 0.1, box.q0[2] = 0.01;
  robot[1].num_geometries = 1, robot[1].geometries = &jaw_shape;
  trees[0] =
      (sup_tree_def){"floor", 1, 1, &floor, sup_pose_identity(), {0}, .marker = SUP_INITIALISED};
  trees[1] = (sup_tree_def){"box", 1, 1, &box, sup_pose_identity(), {0}, .marker = SUP_INITIALISED};
  trees[2] = (sup_tree_def){
      "robot", 0, 2, robot, {{0, 0, 0.2}, {1, 0, 0, 0}}, {0}, .marker = SUP_INITIALISED};
  SUP_TRY(sup_mesh_box(&s->finger, finger_size, finger_n, SUP_PATTERN_KUHN));
  SUP_TRY(sup_mesh_box(&s->cube, cube_size, cube_n, SUP_PATTERN_HEX));
  snprintf(softs[0].name, sizeof softs[0].name, "%s", finger_name);
  softs[0].mesh = s->finger;
  sup_attach_def attachment = sup_default_attach_def();
  attachment.region =
      (sup_region){.type = SUP_REGION_HALF_SPACE, .normal = {0, 0, -1}, .offset = -0.029};
  snprintf(attachment.link, sizeof attachment.link, "robot/jaw");
  softs[0].num_attachments = 1, softs[0].attachments = &attachment;
  softs[0].X_WS.p[2] = -0.05;
  snprintf(softs[1].name, sizeof softs[1].name, "cube");
  snprintf(softs[1].material.name, sizeof softs[1].material.name, "other");
  softs[1].mesh = s->cube, softs[1].contact.self = 1;
  softs[1].X_WS.p[0] = 0.2;
  s->options = sup_default_options();
  sup_model_def def = {.marker = SUP_INITIALISED,
                       .contact = sup_default_contact_rules(),
                       .num_trees = 3,
                       .trees = trees,
                       .num_softs = 2,
                       .softs = softs};
  SUP_TRY(sup_model_create(&s->model, &def));
  SUP_TRY(sup_state_create(&s->state, s->model, &s->options));
  return SUP_OK;
}

static inline void destroy(scene *s) {
  sup_state_destroy(&s->state);
  sup_model_destroy(&s->model);
  sup_mesh_destroy(&s->finger);
  sup_mesh_destroy(&s->cube);
}

static inline int body(const scene *s, const char *name) {
  return sup_model_find_body(s->model, name);
}

/** A step that leaves everything where it is. */
static inline void rest(fake_step *f, const scene *s) {
  memset(f, 0, sizeof *f);
  for (int b = 0; b < s->model->num_bodies; b++) f->X[b] = sup_frame_identity();
  f->X[body(s, "box")].p = sup_v3_make(0.1, 0, 0.01);
  f->X[body(s, "robot/base")].p = f->X[body(s, "robot/jaw")].p = sup_v3_make(0, 0, 0.2);
  f->result = (sup_step_result){.increment = sup_increment_of_motion(&s->options, 0, 0),
                                .contact = f->contact,
                                .contact_energy = 2.5e-4,
                                .joint_effort = f->effort,
                                .attach_wrench = f->wrench,
                                .contact_force = f->force,
                                .X_WL = f->X,
                                .link_w = f->w,
                                .link_v = f->v};
  f->report = (sup_step_report){.reason = SUP_REASON_TOLERANCE,
                                .iterations = 4,
                                .momentum_error = 2e-6,
                                .momentum_residual = 3e-9,
                                .penetration_max = 1e-5,
                                .seconds = {1e-3, 2e-3}};
}

/** A square contact of the box's shape `which` with the floor, or of the cube with it. */
static inline sup_contact contact_on_floor(const scene *s, const char *name, int which,
                                           sup_v3 centroid, sup_v3 force_on_floor) {
  sup_contact c = {
      .pair = SUP_NONE, .body_a = body(s, name), .body_b = body(s, "floor"), .num_points = 4};
  for (int p = 0; p < s->model->num_pairs; p++)
    if (s->model->pair[p].a == c.body_a && s->model->pair[p].b == c.body_b && which-- == 0)
      c.pair = p;
  CU_ASSERT_FATAL(c.pair != SUP_NONE);
  c.geometry_a = s->model->pair[c.pair].geometry_a,
  c.geometry_b = s->model->pair[c.pair].geometry_b;
  for (int k = 0; k < 4; k++)
    c.point[k] = sup_v3_add(centroid,
                            sup_v3_make(k == 1 || k == 2 ? 5e-4 : -5e-4, k >= 2 ? 5e-4 : -5e-4, 0));
  c.centroid = c.foot = centroid, c.normal = sup_v3_make(0, 0, -1), c.area = 1e-6, c.phi = -2e-6,
  c.penetration = 2e-6;
  c.force = force_on_floor, c.pressure = -force_on_floor.z / c.area,
  c.slip = sup_v3_make(1e-3, 0, 0);
  return c;
}

static inline const char *run_folder(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  return path;
}

/** Contents of a file of a run, freed by the caller. */
static inline char *load(const char *folder, const char *name) {
  char   path[4200], *data = NULL;
  size_t size;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  OK(sup_file_read(path, &data, &size));
  CU_ASSERT_PTR_NOT_NULL_FATAL(data);
  return data;
}

static inline int exists(const char *folder, const char *name) {
  char path[2 * 4200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

/** Index of a column in the header, SUP_NONE when absent. */
static inline int column(const char *csv, const char *name) {
  size_t length = strlen(name);
  int    index = 0;
  for (const char *p = csv;; index++) {
    size_t field = strcspn(p, ",\n");
    if (field == length && strncmp(p, name, length) == 0) return index;
    if (p[field] != ',') return SUP_NONE;
    p += field + 1;
  }
}

/** Value in data row `row` (0: the first after the header) of a named column; nan("") for an empty
 * field. */
static inline double value_at(const char *csv, int row, const char *name) {
  int at = column(csv, name);
  if (at == SUP_NONE) printf("\n    no column %s\n", name);
  CU_ASSERT_FATAL(at != SUP_NONE);
  const char *p = csv;
  for (int i = 0; i <= row; i++) p = strchr(p, '\n') + 1;
  for (int i = 0; i < at; i++) p = strchr(p, ',') + 1;
  return *p == ',' || *p == '\n' ? nan("") : strtod(p, NULL);
}

static inline int count_lines(const char *text) {
  int lines = 0;
  for (; *text; text++) lines += *text == '\n';
  return lines;
}
