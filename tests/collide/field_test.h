/** Fields of shapes, placed, for tests of the narrow phase. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "collide/field/field_contact.h"
#include "geom/surface_bvh.h"
#include "mesh/generate/shape_field.h"
#include "mesh/hull.h"
#include "mesh/surface.h"
#include "test.h"

static inline sup_field *field_of(const sup_shape *shape, double modulus, double resolution,
                                  double margin) {
  sup_mesh  *mesh;
  sup_field *field = NULL;
  double    *p, depth;
  OK(sup_mesh_of_shape_field(&mesh, &p, &depth, shape, resolution, margin));
  for (int i = 0; i < mesh->num_vertices; i++) p[i] *= modulus;
  OK(sup_field_create(&field, mesh->num_vertices, mesh->x, p, mesh->num_cells, mesh->cell, margin));
  sup_mesh_destroy(&mesh);
  SUP_FREE(p);
  return field;
}

static inline sup_field *layer(double slope, int is_rigid) {
  sup_field *field;
  sup_plane  p = {{0, 0, -slope}, 0};
  OK(sup_field_create_half_space(&field, &p, is_rigid, 0));
  return field;
}

static sup_field_cell cell[1 << 17];
static unsigned char  state[1 << 17];

static inline sup_moving_field placed(const sup_field *field, sup_frame X) {
  memset(state, SUP_CELL_UNKNOWN, sizeof state);
  return (sup_moving_field){.field = field,
                            .source = field->cell,
                            .node = field->bvh ? field->bvh->node : NULL,
                            .inner = field->inner,
                            .lowest = field->lowest,
                            .X_WF = X,
                            .cell = cell,
                            .state = state};
}

static inline sup_frame at_height(double z) { return (sup_frame){sup_m3_identity(), {0, 0, z}}; }

static int                        item[1 << 20];
static sup_bvh_relative           seen_a[1 << 19], seen_b[1 << 18];
static unsigned char              known_a[1 << 19], known_b[1 << 18];
static const sup_search_workspace workspace_a = {seen_a, known_a}, workspace_b = {seen_b, known_b};
static sup_seen_triangle          triangle[1 << 18];
static unsigned char              face_known[1 << 18];
static const sup_face_workspace   workspace_faces = {triangle, face_known};

static inline sup_v3 random_vector(test_random *random, double size) {
  double x = test_uniform(random), y = test_uniform(random), z = test_uniform(random);
  return sup_v3_make(size * x, size * y, size * z);
}

static inline sup_bvh *bvh_of(const sup_surface *surface, const double *points) {
  sup_bvh *bvh;
  OK(sup_surface_bvh_create(&bvh, surface, points));
  return bvh;
}
