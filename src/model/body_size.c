#include "model/body_size.h"

#include <math.h>

#include "base/memory.h"
#include "geom/shape.h"
#include "model/kinematics.h"
#include "model/numerics.h"

/** Bounding radius of a body's geometries [m]. */
static double radius_of(const sup_model *model, const sup_body *body) {
  double radius = 0;
  for (int g = 0; g < body->num_geometries; g++) {
    const sup_geometry *geometry = &model->geometry[body->first_geometry + g];
    radius = fmax(radius, sup_shape_radius(&geometry->shape) + sup_v3_norm(geometry->X_LG.p));
  }
  return radius;
}

/** Keys of the shapes: sums of their dimensions [m], least dimensions [m], facets, properties. */
static void set_shape_keys(const sup_model *model, const sup_body *body, double key[6]) {
  for (int g = 0; g < body->num_geometries; g++) {
    const sup_geometry *geometry = &model->geometry[body->first_geometry + g];
    const double       *z = geometry->shape.size;
    key[0] += z[0] + z[1] + z[2], key[1] += fmin(z[0], fmin(z[1], z[2]));
    key[2] -= geometry->surface ? geometry->surface->num_faces
                                : 0; /* finely meshed bodies offer facets */
    key[3] += geometry->contact.stiffness;
    key[4] += geometry->contact.friction;
    key[5] += geometry->contact.dissipation;
  }
}

static sup_v3 middle_of(const sup_model *model, const sup_kinematics *kin, const sup_body *body) {
  if (body->soft == SUP_NONE) return kin->X_WL[body - model->body].p;
  const sup_soft *soft = &model->soft[body->soft];
  sup_v3          sum = {0, 0, 0};
  for (int i = 0; i < soft->num_vertices; i++)
    sum = sup_v3_madd(sum, 1. / soft->num_vertices, sup_v3_load(soft->x0 + 3 * (size_t)i));
  return sum;
}

/** Keys of position and motion: sums of distances from all other bodies [m] and of velocities
 * relative to other moving bodies [m/s]; angular velocity [rad/s]. */
static void set_place_keys(const sup_model *model, const sup_kinematics *kin, const sup_v3 *middle,
                           int body, double key[3]) {
  for (int k = 0; k < model->num_bodies; k++) {
    key[0] += sup_v3_norm(sup_v3_sub(middle[k], middle[body]));
    if (model->body[k].movable && model->body[k].soft == SUP_NONE)
      key[1] += sup_v3_norm(sup_v3_sub(kin->v[k], kin->v[body]));
  }
  key[2] = sup_v3_norm(kin->w[body]);
}

static sup_status set_keys(const sup_model *model, sup_arena *arena, sup_body_size *size) {
  const sup_increment any = {.t0 = 0, .h = 1};
  sup_kinematics      kin;
  sup_v3             *middle;
  SUP_TRY(sup_kinematics_compute(&kin, model, &any, model->q0, model->v0, arena));
  SUP_TRY(SUP_ARENA(arena, middle, model->num_bodies));
  for (int b = 0; b < model->num_bodies; b++) middle[b] = middle_of(model, &kin, &model->body[b]);
  for (int b = 0; b < model->num_bodies; b++) {
    const sup_body *body = &model->body[b];
    double         *key = size[b].key;
    if (body->soft != SUP_NONE) continue;
    const sup_tree_link *link = &model->tree[body->tree]->links[body->link];
    size[b].X_WL = kin.X_WL[b];
    key[0] = radius_of(model, body);
    set_shape_keys(model, body, key + 1);
    key[7] = link->mass;
    key[8] = link->inertia.m[0][0] + link->inertia.m[1][1] + link->inertia.m[2][2];
    set_place_keys(model, &kin, middle, b, key + 9);
  }
  return SUP_OK;
}

sup_status sup_body_sizes(const sup_model *model, sup_body_size **size) {
  sup_arena *arena = NULL;
  sup_status status;
  SUP_TRY(SUP_CALLOC(*size, model->num_bodies));
  SUP_TRY_GOTO(sup_arena_create(&arena, 1 << 12), status, done);
  SUP_TRY_GOTO(set_keys(model, arena, *size), status, done);
done:
  sup_arena_destroy(&arena);
  if (status != SUP_OK) SUP_FREE(*size);
  return status;
}

/** -1, 0, 1; round-off and that of units does not choose. */
static int compare(double a, double b) {
  if (a == b || fabs(a - b) <= sup_model_numerics.same_size * fmin(fabs(a), fabs(b)))
    return 0; /* as half spaces are */
  return a > b ? 1 : -1;
}

bool sup_body_is_larger(const sup_body_size *i, const sup_body_size *j) {
  for (int k = 0; k < SUP_SIZE_KEYS; k++) {
    int order = compare(i->key[k], j->key[k]);
    if (order != 0) return order > 0;
  }
  sup_v3 way = sup_v3_sub(j->X_WL.p, i->X_WL.p);
  sup_v3 seen_i = sup_m3_apply_t(i->X_WL.R, way), seen_j = sup_m3_apply_t(j->X_WL.R, way);
  double of_i[3] = {seen_i.x, seen_i.y, seen_i.z}, of_j[3] = {seen_j.x, seen_j.y, seen_j.z};
  for (int k = 0; k < 3; k++) {
    int order = compare(fabs(of_i[k]), fabs(of_j[k]));
    if (order != 0) return order > 0;
  }
  return 0;
}
