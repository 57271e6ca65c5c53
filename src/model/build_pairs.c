#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/build.h"

/** The link at the top of the chain of fixed joints that ends in `link`; links of one group never touch each other. */
static int weld_root(const sup_tree *tree, int link) {
  while (tree->links[link].joint == SUP_JOINT_FIXED && tree->links[link].parent != SUP_NONE)
    link = tree->links[link].parent;
  return link;
}

/** Links of one weld group, or of two groups joined by one joint. */
static int adjacent(const sup_tree *tree, int a, int b) {
  int ra = weld_root(tree, a), rb = weld_root(tree, b);
  int pa = tree->links[ra].parent, pb = tree->links[rb].parent;
  return ra == rb || (pa != SUP_NONE && weld_root(tree, pa) == rb) || (pb != SUP_NONE && weld_root(tree, pb) == ra);
}

static int filtered(const sup_model *model, const sup_body *a, const sup_body *b) {
  if (!a->movable && !b->movable) return 1;
  if (a->soft != SUP_NONE && b->soft != SUP_NONE) return 1; /* soft against soft needs pressure fields */
  if (a->soft == SUP_NONE && b->soft == SUP_NONE)
    return a->tree == b->tree && adjacent(model->tree[a->tree], a->link, b->link);
  const sup_soft *soft = &model->soft[a->soft != SUP_NONE ? a->soft : b->soft];
  const sup_body *link = a->soft != SUP_NONE ? b : a;
  return soft->attach_tree == link->tree &&
         weld_root(model->tree[link->tree], soft->attach_link) == weld_root(model->tree[link->tree], link->link);
}

/** One half space makes a body the side that offers depth; otherwise the larger body is. */
static double body_radius(const sup_model *model, const sup_body *body) {
  double radius = 0;
  for (int g = 0; g < body->num_geometries; g++) {
    const sup_geometry *geometry = &model->geometry[body->first_geometry + g];
    radius = fmax(radius, sup_shape_radius(&geometry->shape) + sup_v3_norm(geometry->X_LG.p));
  }
  return radius;
}

static const sup_pair_def *find_override(const sup_model_def *def, const char *a, const char *b) {
  for (int i = 0; i < def->num_pairs; i++) {
    const sup_pair_def *p = &def->pairs[i];
    if ((strcmp(p->a, a) == 0 && strcmp(p->b, b) == 0) || (strcmp(p->a, b) == 0 && strcmp(p->b, a) == 0)) return p;
  }
  return NULL;
}

static double harmonic(double a, double b) { return a + b > 0 ? 2 * a * b / (a + b) : 0; }

/** THEORY 9.4: mu harmonic mean, C in series, d weighted by the other side's stiffness; a rigid side next to a soft one
 *  counts as infinitely stiff. */
static sup_pair combine(const sup_model *model, int a, int geometry_a, int b, int geometry_b) {
  const sup_contact_def *ca =
      geometry_a == SUP_NONE ? &model->soft[model->body[a].soft].contact : &model->geometry[geometry_a].contact;
  const sup_contact_def *cb = &model->geometry[geometry_b].contact;
  sup_pair               pair = {.a = a,
                                 .b = b,
                                 .geometry_a = geometry_a,
                                 .geometry_b = geometry_b,
                                 .friction = harmonic(ca->friction, cb->friction)};
  if (geometry_a == SUP_NONE) {
    pair.dissipation = ca->dissipation;
    return pair;
  }
  int    is_point = ca->point_stiffness > 0 && cb->point_stiffness > 0;
  double ka = is_point ? ca->point_stiffness : ca->stiffness, kb = is_point ? cb->point_stiffness : cb->stiffness;
  pair.stiffness = ca->stiffness * cb->stiffness / (ca->stiffness + cb->stiffness);
  pair.point_stiffness = is_point ? ka * kb / (ka + kb) : 0;
  pair.share_a = ka / (ka + kb);
  pair.dissipation = (kb * ca->dissipation + ka * cb->dissipation) / (ka + kb);
  return pair;
}

/** Two half spaces never take part; without point contact, a offers its surface and must have one. */
static int can_touch(const sup_model *model, const sup_pair *pair) {
  const sup_geometry *a = &model->geometry[pair->geometry_a], *b = &model->geometry[pair->geometry_b];
  if (pair->point_stiffness > 0) return a->shape.type != SUP_SHAPE_HALF_SPACE || b->shape.type != SUP_SHAPE_HALF_SPACE;
  return a->surface != NULL;
}

static sup_status add_pair(sup_model *model, size_t *capacity, sup_pair pair, const sup_pair_def *override) {
  if (override) {
    if (!isnan(override->friction)) pair.friction = override->friction;
    if (!isnan(override->dissipation)) pair.dissipation = override->dissipation;
    if (!isnan(override->stiffness)) pair.stiffness = override->stiffness;
    if (pair.point_stiffness > 0 && override->point_stiffness > 0) pair.point_stiffness = override->point_stiffness;
  }
  SUP_TRY(SUP_GROW(model->pair, *capacity, model->num_pairs + 1));
  model->pair[model->num_pairs++] = pair;
  return SUP_OK;
}

static sup_status add_body_pair(sup_model *model, size_t *capacity, int i, int j, const sup_pair_def *override) {
  int a = i, b = j;
  int i_is_soft = model->body[i].soft != SUP_NONE, j_is_soft = model->body[j].soft != SUP_NONE;
  if (j_is_soft || (!i_is_soft && body_radius(model, &model->body[j]) < body_radius(model, &model->body[i])))
    a = j, b = i;
  const sup_body *A = &model->body[a], *B = &model->body[b];
  for (int gb = 0; gb < B->num_geometries; gb++) {
    if (A->soft != SUP_NONE)
      SUP_TRY(add_pair(model, capacity, combine(model, a, SUP_NONE, b, B->first_geometry + gb), override));
    for (int ga = 0; ga < A->num_geometries; ga++) {
      sup_pair pair = combine(model, a, A->first_geometry + ga, b, B->first_geometry + gb);
      if (can_touch(model, &pair)) SUP_TRY(add_pair(model, capacity, pair, override));
    }
  }
  return SUP_OK;
}

sup_status sup_model_build_pairs(sup_model *model, const sup_model_def *def) {
  size_t capacity = 0;
  for (int k = 0; k < def->num_pairs; k++) {
    const char *name[2] = {def->pairs[k].a, def->pairs[k].b};
    for (int s = 0; s < 2; s++)
      if (sup_model_find_body(model, name[s]) == SUP_NONE)
        return SUP_FAIL(SUP_E_ARG, "contact pair %d names '%s', which is no body", k + 1, name[s]);
  }
  for (int i = 0; i < model->num_bodies; i++)
    for (int j = i + 1; j < model->num_bodies; j++) {
      if (filtered(model, &model->body[i], &model->body[j])) continue;
      const sup_pair_def *override = find_override(def, model->body[i].name, model->body[j].name);
      if (override && override->disabled) continue;
      SUP_TRY(add_body_pair(model, &capacity, i, j, override));
    }
  return SUP_OK;
}
