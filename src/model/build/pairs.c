#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geom/shape.h"
#include "law/law.h"
#include "mesh/hull.h"
#include "model/body_size.h"
#include "model/build/build.h"
#include "model/constraint.h"

/** Links of one weld group, or of two groups joined by one joint. */
static int adjacent(const sup_tree *tree, int a, int b) {
  int ra = sup_model_weld_root(tree, a), rb = sup_model_weld_root(tree, b);
  int pa = tree->links[ra].parent, pb = tree->links[rb].parent;
  return ra == rb || (pa != SUP_NONE && sup_model_weld_root(tree, pa) == rb) ||
         (pb != SUP_NONE && sup_model_weld_root(tree, pb) == ra);
}

/** Links that a joint keeps apart, and pairs of the robot's file. */
static int ignored(const sup_tree_def *def, const sup_tree *tree, int a, int b) {
  bool touches_base = def->base_touches && sup_tree_def_moves(def, a) != sup_tree_def_moves(def, b);
  if (!touches_base && adjacent(tree, a, b)) return 1;
  for (int i = 0; i < def->num_filters; i++) {
    const int *pair = def->filter + 2 * i;
    if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) return 1;
  }
  return 0;
}

/** True if a weld that never ends joins the links. */
static bool welded(const sup_model *model, const sup_body *a, const sup_body *b) {
  int number[2] = {(int)(a - model->body), (int)(b - model->body)};
  for (int i = 0; i < model->num_constraints; i++) {
    const sup_body_constraint *c = &model->constraint[i];
    if (c->kind == SUP_CONSTRAINT_WELD && c->from == SUP_NONE && c->until == SUP_NONE &&
        sup_constraint_is_on(c, number[0]) && sup_constraint_is_on(c, number[1]))
      return true;
  }
  return false;
}

static int filtered(const sup_model *model, const sup_model_def *def, const sup_body *a,
                    const sup_body *b) {
  bool is_measured = (a->soft == SUP_NONE && def->trees[a->tree].is_measured) ||
                     (b->soft == SUP_NONE && def->trees[b->tree].is_measured);
  if (!a->movable && !b->movable && !is_measured) return 1;
  if (a->soft != SUP_NONE && b->soft != SUP_NONE)
    return sup_model_tie_of(model, a->soft, b->soft) != NULL;
  if (a->soft == SUP_NONE && b->soft == SUP_NONE && welded(model, a, b)) return 1;
  if (a->soft == SUP_NONE && b->soft == SUP_NONE)
    return a->tree == b->tree &&
           ignored(&def->trees[a->tree], model->tree[a->tree], a->link, b->link);
  const sup_soft *soft = &model->soft[a->soft != SUP_NONE ? a->soft : b->soft];
  int             carrier = sup_model_carrier(model, soft, a->soft != SUP_NONE ? b : a);
  return carrier != SUP_NONE && !soft->attachment[carrier].close;
}

/** 1/R of a side of the Hertz law; negative: not known, because it depends on the place of contact.
 * Faces count: the law of an edge or a corner is not Hertz's. */
static double curvature(const sup_shape *shape) {
  switch (shape->type) {
    case SUP_SHAPE_SPHERE:
      return sup_shape_is_point(shape) ? HUGE_VAL : 1 / shape->size[0];
    case SUP_SHAPE_HALF_SPACE:
    case SUP_SHAPE_BOX:
    case SUP_SHAPE_CONVEX:
      return 0;
    case SUP_SHAPE_CYLINDER:
    case SUP_SHAPE_CAPSULE:
    case SUP_SHAPE_ELLIPSOID:
    case SUP_SHAPE_MESH:
      break;
  }
  return -1;
}

/** R* = 1/(1/R_a + 1/R_b) when one side is a sphere and the other is a sphere or flat (THEORY 6.3);
 * else 0. */
static double hertz_radius(const sup_shape *a, const sup_shape *b) {
  double ca = curvature(a), cb = curvature(b);
  return ca >= 0 && cb >= 0 && ca + cb > 0 ? 1 / (ca + cb) : 0;
}

static double hertz_compliance(const sup_contact_def *c) {
  return c->hertz_modulus > 0 ? 1 / c->hertz_modulus : 0;
}

/** Contact geometry of a pair: points before fields before depth; *swap 1: exchange a and b. */
static sup_touch touch_of(const sup_model *model, int geometry_a, int geometry_b, int *swap) {
  *swap = 0;
  if (geometry_b == SUP_NONE) return SUP_TOUCH_FIELD_FIELD; /* both soft */
  const sup_geometry *b = &model->geometry[geometry_b];
  if (geometry_a == SUP_NONE)
    return b->contact.modulus > 0 ? SUP_TOUCH_SURFACE_FIELD : SUP_TOUCH_SURFACE_DEPTH;
  const sup_geometry *a = &model->geometry[geometry_a];
  int                 yields_a = a->contact.modulus > 0, yields_b = b->contact.modulus > 0;
  if (a->contact.point_stiffness > 0 && b->contact.point_stiffness > 0) return SUP_TOUCH_POINT;
  if (!yields_a && !yields_b) {
    *swap = b->shape.type == SUP_SHAPE_MESH; /* it has no depth */
    return SUP_TOUCH_SURFACE_DEPTH;
  }
  if ((yields_a && yields_b) || sup_geometry_is_half_space(yields_a ? b : a)) {
    *swap = sup_geometry_is_half_space(a);
    return SUP_TOUCH_FIELD_FIELD;
  }
  *swap = yields_a;
  return SUP_TOUCH_SURFACE_FIELD;
}

/** Weight of a side's dissipation: its stiffness in this kind of contact. */
static double side_stiffness(const sup_contact_def *c, sup_touch touch) {
  return touch == SUP_TOUCH_POINT           ? c->point_stiffness
         : touch == SUP_TOUCH_SURFACE_DEPTH ? c->stiffness
                                            : c->modulus;
}

/** d weighted by the other side's stiffness; a rigid side has weight 0. */
static double combined_dissipation(const sup_contact_def *a, double ka, const sup_contact_def *b,
                                   double kb) {
  if (!(ka > 0)) return b->dissipation;
  if (!(kb > 0)) return a->dissipation;
  return (kb * a->dissipation + ka * b->dissipation) / (ka + kb);
}

/** THEORY 9.4: mu harmonic mean, C in series, d weighted by the other side's stiffness; a rigid
 * side next to a soft one counts as infinitely stiff.  Relaxation times add up (P3). */
static sup_pair combine(const sup_model *model, int a, int geometry_a, int b, int geometry_b) {
  int       swap;
  sup_touch touch = touch_of(model, geometry_a, geometry_b, &swap);
  if (swap) {
    int body = a, geometry = geometry_a;
    a = b, b = body, geometry_a = geometry_b, geometry_b = geometry;
  }
  const sup_contact_def *ca = sup_model_contact_def(model, a, geometry_a),
                        *cb = sup_model_contact_def(model, b, geometry_b);
  sup_pair pair = {.a = a,
                   .b = b,
                   .touch = touch,
                   .geometry_a = geometry_a,
                   .geometry_b = geometry_b,
                   .model = model->contact.model,
                   .normal_law = model->contact.normal_law,
                   .friction = sup_friction_combine(ca, cb),
                   .relaxation_time = ca->relaxation_time + cb->relaxation_time,
                   .barrier_energy = model->contact.barrier_energy,
                   .barrier_surface_energy = model->contact.barrier_surface_energy,
                   .barrier_range = model->contact.barrier_range};
  if (geometry_a == SUP_NONE) {
    pair.share_a = 0.5;
    pair.dissipation =
        geometry_b == SUP_NONE ? 0.5 * (ca->dissipation + cb->dissipation) : ca->dissipation;
    return pair;
  }
  double ka = side_stiffness(ca, touch), kb = side_stiffness(cb, touch);
  pair.dissipation = combined_dissipation(ca, ka, cb, kb);
  pair.share_a = ka + kb > 0 ? ka / (ka + kb) : 0.5;
  if (touch == SUP_TOUCH_SURFACE_DEPTH) pair.stiffness = ka * kb / (ka + kb);
  if (touch != SUP_TOUCH_POINT) return pair;
  pair.point_stiffness = ka * kb / (ka + kb);
  pair.hertz_radius =
      hertz_radius(&model->geometry[geometry_a].shape, &model->geometry[geometry_b].shape);
  pair.hertz_compliance = hertz_compliance(ca) + hertz_compliance(cb);
  return pair;
}

static bool is_point(const sup_model *model, int geometry) {
  return geometry != SUP_NONE && sup_shape_is_point(&model->geometry[geometry].shape);
}

/** Two half spaces never take part; a surface against a depth must have one; a sphere of radius 0
 * touches in points only. */
static bool can_touch(const sup_model *model, const sup_pair *pair) {
  if (is_point(model, pair->geometry_a) || is_point(model, pair->geometry_b))
    return pair->touch == SUP_TOUCH_POINT;
  if (pair->geometry_a == SUP_NONE) return 1;
  const sup_geometry *a = &model->geometry[pair->geometry_a],
                     *b = &model->geometry[pair->geometry_b];
  if (sup_geometry_is_half_space(a) && sup_geometry_is_half_space(b)) return 0;
  return pair->touch != SUP_TOUCH_SURFACE_DEPTH || a->surface != NULL;
}

static sup_status check_anisotropy(const sup_contact_def *def, const char *name) {
  if (!(def->anisotropy_ratio > 0))
    return SUP_FAIL(SUP_E_ARG, "the anisotropy ratio of '%s' is %g; it must be positive", name,
                    def->anisotropy_ratio);
  return SUP_OK;
}

/** Triangle meshes offer a surface and nothing else. */
static sup_status check_shapes(const sup_model *model, const sup_pair *pair, const char *a,
                               const char *b) {
  int mesh_a = pair->geometry_a != SUP_NONE &&
               model->geometry[pair->geometry_a].shape.type == SUP_SHAPE_MESH;
  int mesh_b = pair->geometry_b != SUP_NONE &&
               model->geometry[pair->geometry_b].shape.type == SUP_SHAPE_MESH;
  if (pair->touch == SUP_TOUCH_POINT && (mesh_a || mesh_b))
    return SUP_FAIL(SUP_E_ARG,
                    "'%s' and '%s': a triangle mesh cannot touch in points; use a convex shape", a,
                    b);
  if (pair->touch == SUP_TOUCH_SURFACE_DEPTH && mesh_b)
    return SUP_FAIL(
        SUP_E_ARG,
        "'%s' and '%s': the triangle mesh of '%s' is a surface without an inside, and so is the "
        "other side; make one of them compliant or convex, or disable the pair",
        a, b, b);
  return SUP_OK;
}

static sup_status check_hertz(const sup_model *model, const sup_pair *pair, const char *a,
                              const char *b) {
  if (!(pair->hertz_compliance > 0))
    return SUP_FAIL(SUP_E_ARG,
                    "the normal law hertz of '%s' and '%s' needs 'hertz_modulus', E/(1 - nu^2) "
                    "[Pa], of at least one body; without a modulus both bodies are rigid",
                    a, b);
  if (pair->hertz_radius > 0) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "the normal law hertz of '%s' (%s) and '%s' (%s) finds the radius of a sphere "
                  "against a sphere, a half space or a flat face only: give the pair its "
                  "'hertz_radius', 1/(1/R_A + 1/R_B) [m], or another normal_law",
                  a, sup_shape_name(model->geometry[pair->geometry_a].shape.type), b,
                  sup_shape_name(model->geometry[pair->geometry_b].shape.type));
}

/** Barriers need gaps: of shapes in point contact, and of a soft surface before a rigid shape. */
static sup_status check_barrier(const sup_pair *pair, const char *a, const char *b) {
  const char *law = sup_normal_name(pair->normal_law);
  int         is_soft = pair->geometry_a == SUP_NONE;
  if (pair->point_stiffness > 0 || (is_soft && pair->touch == SUP_TOUCH_SURFACE_DEPTH))
    return SUP_OK;
  if (is_soft && pair->geometry_b == SUP_NONE)
    return SUP_FAIL(SUP_E_ARG,
                    "'%s' and '%s' are soft: the normal law %s needs the gap between a soft and a "
                    "rigid body; give the pair another normal_law",
                    a, b, law);
  if (is_soft)
    return SUP_FAIL(SUP_E_ARG,
                    "'%s' is compliant: the normal law %s needs the gap between a soft and a rigid "
                    "body; leave out its 'compliant', or give the pair of '%s' and '%s' another "
                    "normal_law",
                    b, law, a, b);
  return SUP_FAIL(SUP_E_ARG,
                  "'%s' and '%s' touch in patches; between rigid bodies the normal law %s is for "
                  "point contact: give both 'contact: {point: {stiffness: ...}}', or give the pair "
                  "another normal_law",
                  a, b, law);
}

/** Check that the pair has the shapes and parameters that its laws need.  E_ARG. */
static sup_status check_pair(const sup_model *model, const sup_pair *pair) {
  const char *a = model->body[pair->a].name, *b = model->body[pair->b].name;
  SUP_TRY(check_shapes(model, pair, a, b));
  if (pair->geometry_a != SUP_NONE)
    SUP_TRY(check_anisotropy(&model->geometry[pair->geometry_a].contact, a));
  if (pair->geometry_b != SUP_NONE)
    SUP_TRY(check_anisotropy(&model->geometry[pair->geometry_b].contact, b));
  if (pair->model == SUP_MODEL_SAP) return SUP_OK;
  if (sup_normal_table(pair->normal_law)->is_barrier)
    SUP_TRY(check_barrier(pair, a, b));
  else if (sup_normal_table(pair->normal_law)->needs_point && !(pair->point_stiffness > 0))
    return SUP_FAIL(
        SUP_E_ARG,
        "'%s' and '%s' touch in patches; the normal law %s is for point contact: %sgive the pair "
        "another normal_law",
        a, b, sup_normal_name(pair->normal_law),
        pair->geometry_a == SUP_NONE ? "" : "give both 'contact: {point: {stiffness: ...}}', or ");
  if (sup_normal_table(pair->normal_law)->uses & SUP_USES_HERTZ_STIFFNESS)
    SUP_TRY(check_hertz(model, pair, a, b));
  return SUP_OK;
}

/** 1: the law's force acts by the gap a relaxation time after the step. */
static int looks_ahead(const sup_pair *pair) {
  return pair->model == SUP_MODEL_SAP ||
         sup_normal_table(pair->normal_law)->uses & SUP_USES_RELAXATION;
}

/** A law gives no force while phi0 + T (v_n - mu |v_t|) > range: T = dt, or dt + tau where
 * relaxation looks ahead; mu of the models whose cone opens with sliding (THEORY 6.2, 6.5).  The
 * logarithmic barrier always acts. */
static void set_reach(sup_model *model, sup_pair *pair) {
  if (pair->touch != SUP_TOUCH_POINT) return;
  sup_geometry *a = &model->geometry[pair->geometry_a], *b = &model->geometry[pair->geometry_b];
  bool          is_sap = pair->model == SUP_MODEL_SAP;
  double        mu = sup_friction_most(&pair->friction);
  if (!sup_law_table(sup_contact_model_law(pair->model))->opens) mu = 0;
  pair->reach_delay = looks_ahead(pair) ? pair->relaxation_time : 0;
  pair->reach_slide = mu, pair->reach_factor = sqrt(1 + mu * mu);
  if (!is_sap && sup_normal_table(pair->normal_law)->is_barrier)
    pair->reach_range = pair->barrier_range;
  a->is_endless |= sup_normal_is_endless(pair->normal_law);
  b->is_endless |= sup_normal_is_endless(pair->normal_law);
  a->reach_factor = fmax(a->reach_factor, pair->reach_factor),
  b->reach_factor = fmax(b->reach_factor, pair->reach_factor);
  a->reach_delay = fmax(a->reach_delay, pair->reach_delay);
  b->reach_delay = fmax(b->reach_delay, pair->reach_delay);
  a->reach_slide = fmax(a->reach_slide, pair->reach_slide);
  b->reach_slide = fmax(b->reach_slide, pair->reach_slide);
  a->reach_range = fmax(a->reach_range, pair->reach_range),
  b->reach_range = fmax(b->reach_range, pair->reach_range);
}

/** Set look_ahead and glide of a pair of surface and depth; raise the model's maxima. */
static void set_horizon(sup_model *model, sup_pair *pair) {
  if (pair->touch != SUP_TOUCH_SURFACE_DEPTH) return;
  if (looks_ahead(pair)) pair->look_ahead = pair->relaxation_time;
  if (sup_law_table(sup_contact_model_law(pair->model))->opens)
    pair->glide = sup_friction_most(&pair->friction);
  if (sup_pair_has_barrier(pair)) model->gap_range = fmax(model->gap_range, pair->barrier_range);
  model->has_surface_pairs = 1;
  model->look_ahead = fmax(model->look_ahead, pair->look_ahead);
  model->glide = fmax(model->glide, pair->glide);
}

/** Half the thickness of a shape where it is thinnest [m]; HUGE_VAL without a depth. */
static double half_thickness_of(const sup_geometry *g) {
  const double *s = g->shape.size;
  sup_v3        middle = {0, 0, 0}, gradient;
  switch (g->shape.type) {
    case SUP_SHAPE_SPHERE:
    case SUP_SHAPE_CAPSULE:
      return s[0];
    case SUP_SHAPE_BOX:
      return 0.5 * fmin(s[0], fmin(s[1], s[2]));
    case SUP_SHAPE_CYLINDER:
      return fmin(s[0], 0.5 * s[1]);
    case SUP_SHAPE_ELLIPSOID:
      return fmin(s[0], fmin(s[1], s[2]));
    case SUP_SHAPE_CONVEX:
      for (int i = 0; i < g->hull->num_points; i++)
        middle = sup_v3_madd(middle, 1. / g->hull->num_points, sup_hull_point(g->hull, i));
      return fmax(0, -sup_shape_depth(&g->shape, middle, &gradient));
    case SUP_SHAPE_MESH:
      return g->field && g->field->steepest > 0 ? g->field->highest / g->field->steepest : HUGE_VAL;
    case SUP_SHAPE_HALF_SPACE:
      break;
  }
  return HUGE_VAL;
}

/** Radius of the ball with the same ratio of volume to surface, at rest. */
static double half_thickness_of_soft(const sup_soft *soft) {
  double area = 0, volume = 0;
  for (int t = 0; t < soft->surface->num_triangles; t++) {
    sup_v3 p[3];
    for (int c = 0; c < 3; c++) p[c] = sup_surface_corner(soft->surface, soft->x0, t, c);
    sup_v3 twice = sup_v3_cross(sup_v3_sub(p[1], p[0]), sup_v3_sub(p[2], p[0]));
    area += 0.5 * sup_v3_norm(twice), volume += sup_v3_dot(twice, p[0]) / 6;
  }
  return area > 0 ? 3 * fabs(volume) / area : 0;
}

/** Set half_thickness: the least of both fields, or of the side that offers depth to a surface. */
static void set_thickness(sup_model *model, sup_pair *pair) {
  int    sides = pair->touch == SUP_TOUCH_FIELD_FIELD ? 2 : 1;
  double least = HUGE_VAL;
  for (int k = 0; k < sides; k++) {
    int g = k == 0 ? pair->geometry_b : pair->geometry_a, body = k == 0 ? pair->b : pair->a;
    least =
        fmin(least, g != SUP_NONE ? half_thickness_of(&model->geometry[g])
                                  : half_thickness_of_soft(&model->soft[model->body[body].soft]));
  }
  pair->half_thickness = least;
  model->has_patches |= sup_pair_turns(pair);
}

static sup_status add_pair(sup_model *model, size_t *capacity, sup_pair pair,
                           const sup_pair_def *override) {
  if (override) sup_override_apply(&pair, override);
  SUP_TRY(check_pair(model, &pair));
  if (pair.touch != SUP_TOUCH_POINT) /* patches have friction of rotation by themselves */
    pair.friction.rolling = pair.friction.torsional = 0;
  model->has_rolling |= pair.friction.rolling > 0 || pair.friction.torsional > 0;
  if (sup_normal_is_endless(pair.normal_law)) /* acts within the range of the search */
    pair.barrier_range = model->contact.barrier_margin;
  if (pair.hertz_compliance > 0)
    pair.hertz_stiffness = 4. / 3 / pair.hertz_compliance * sqrt(pair.hertz_radius);
  set_reach(model, &pair);
  set_horizon(model, &pair);
  set_thickness(model, &pair);
  SUP_TRY(SUP_GROW(model->pair, *capacity, model->num_pairs + 1));
  model->pair[model->num_pairs++] = pair;
  return SUP_OK;
}

static sup_status add_body_pair(sup_model *model, const sup_body_size *size, size_t *capacity,
                                int i, int j, const sup_pair_def *override) {
  int a = i, b = j;
  int i_is_soft = model->body[i].soft != SUP_NONE, j_is_soft = model->body[j].soft != SUP_NONE;
  if (j_is_soft || (!i_is_soft && sup_body_is_larger(&size[i], &size[j]))) a = j, b = i;
  const sup_body *A = &model->body[a], *B = &model->body[b];
  if (i_is_soft && j_is_soft) {
    SUP_TRY(add_pair(model, capacity, combine(model, i, SUP_NONE, j, SUP_NONE), override));
    return SUP_OK;
  }
  for (int gb = 0; gb < B->num_geometries; gb++) {
    if (A->soft != SUP_NONE) {
      const sup_soft *soft = &model->soft[A->soft];
      int             carrier = sup_model_carrier(model, soft, B);
      sup_pair        pair = combine(model, a, SUP_NONE, b, B->first_geometry + gb);
      if (carrier != SUP_NONE) pair.left_out = soft->attachment[carrier].close;
      if (can_touch(model, &pair)) SUP_TRY(add_pair(model, capacity, pair, override));
    }
    for (int ga = 0; ga < A->num_geometries; ga++) {
      sup_pair pair = combine(model, a, A->first_geometry + ga, b, B->first_geometry + gb);
      if (can_touch(model, &pair)) SUP_TRY(add_pair(model, capacity, pair, override));
    }
  }
  return SUP_OK;
}

static bool has_shape(const sup_body *body) {
  return body->soft != SUP_NONE || body->num_geometries > 0;
}

/** 1: the body is driven or fixed, no unknown moves it. */
static bool is_prescribed(const sup_model *model, const sup_body *body) {
  return body->soft == SUP_NONE && model->tree[body->tree]->motion.num_rows > 1;
}

const char *sup_model_exclusion_reason(const sup_model *model, int a, int b) {
  const sup_body *A = &model->body[a], *B = &model->body[b];
  for (int p = 0; p < model->num_pairs; p++)
    if ((model->pair[p].a == a && model->pair[p].b == b) ||
        (model->pair[p].a == b && model->pair[p].b == a))
      return NULL;
  if (a == b) return "folds of a soft body touch each other with 'contact: {self: true}' only";
  if (!A->movable && !B->movable)
    return is_prescribed(model, A) && is_prescribed(model, B)
               ? "the motion of both is prescribed, and neither is 'measured'"
           : is_prescribed(model, A) || is_prescribed(model, B)
               ? "the motion of one is prescribed, the other is fixed, and neither is 'measured'"
               : "both are fixed, and neither is 'measured'";
  if (A->soft != SUP_NONE && B->soft != SUP_NONE && sup_model_tie_of(model, A->soft, B->soft))
    return "a tie joins them";
  if (!has_shape(A) || !has_shape(B)) return "one of them has no shape for contact";
  if (A->soft != SUP_NONE || B->soft != SUP_NONE) {
    const sup_soft *soft = &model->soft[A->soft != SUP_NONE ? A->soft : B->soft];
    const sup_body *link = A->soft != SUP_NONE ? B : A;
    if (link->soft == SUP_NONE && sup_model_carrier(model, soft, link) != SUP_NONE)
      return "the soft body is attached to the other, and its 'attach' has no 'contact_beyond'";
  } else if (A->tree == B->tree && adjacent(model->tree[A->tree], A->link, B->link)) {
    return "a joint connects them: neighbours in a robot do not touch";
  }
  return "the scene or the robot's file leaves this pair out, or their kinds of shapes never touch";
}

static void items_of(const sup_model *model, const sup_pair *pair, int *low, int *high) {
  int a = sup_model_item(model, pair->a, pair->geometry_a),
      b = sup_model_item(model, pair->b, pair->geometry_b);
  *low = a < b ? a : b, *high = a < b ? b : a;
}

/** Pairs sorted by lower item, then by higher item, for look-ups of the broad phase. */
static sup_status index_pairs(sup_model *model) {
  int items = sup_model_num_items(model), *start;
  SUP_TRY(SUP_CALLOC(model->pair_start, items + 2));
  SUP_TRY(SUP_CALLOC(model->pair_other, model->num_pairs));
  SUP_TRY(SUP_CALLOC(model->pair_index, model->num_pairs));
  start = model->pair_start + 1; /* one ahead while filling */
  for (int p = 0; p < model->num_pairs; p++) {
    int low, high;
    items_of(model, &model->pair[p], &low, &high);
    start[low + 1]++;
  }
  for (int i = 0; i < items; i++) start[i + 1] += start[i];
  for (int p = 0; p < model->num_pairs; p++) {
    int low, high;
    items_of(model, &model->pair[p], &low, &high);
    int at = start[low]++;
    model->pair_other[at] = high, model->pair_index[at] = p;
  }
  /* pairs are made body by body, geometry by geometry: each list is in order already */
  for (int i = 0; i < items; i++)
    for (int k = model->pair_start[i] + 1; k < model->pair_start[i + 1]; k++)
      SUP_ASSERT(model->pair_other[k - 1] < model->pair_other[k]);
  return SUP_OK;
}

static sup_status add_pairs_of(sup_model *model, const sup_model_def *def,
                               const sup_body_size *size, size_t *capacity, int i) {
  int is_soft = model->body[i].soft != SUP_NONE;
  if (is_soft && model->soft[model->body[i].soft].contact.self)
    SUP_TRY(add_pair(model, capacity, combine(model, i, SUP_NONE, i, SUP_NONE), NULL));
  for (int j = i + 1; j < model->num_bodies; j++) {
    if (filtered(model, def, &model->body[i], &model->body[j])) continue;
    const sup_pair_def *override = sup_override_find(def, model->body[i].name, model->body[j].name);
    if (override && override->disabled) continue;
    SUP_TRY(add_body_pair(model, size, capacity, i, j, override));
  }
  return SUP_OK;
}

static sup_status add_pairs(sup_model *model, const sup_model_def *def) {
  size_t         capacity = 0;
  sup_body_size *size;
  sup_status     status = SUP_OK;
  SUP_TRY(sup_body_sizes(model, &size));
  for (int i = 0; i < model->num_bodies && status == SUP_OK; i++)
    status = add_pairs_of(model, def, size, &capacity, i);
  SUP_FREE(size);
  return status;
}

sup_status sup_model_build_pairs(sup_model *model, const sup_model_def *def) {
  for (int k = 0; k < def->num_pairs; k++) {
    const char *name[2] = {def->pairs[k].a, def->pairs[k].b};
    for (int s = 0; s < 2; s++)
      if (sup_model_find_body(model, name[s]) == SUP_NONE)
        return SUP_FAIL(SUP_E_ARG, "contact pair %d names '%s', which is no body", k + 1, name[s]);
  }
  SUP_TRY(add_pairs(model, def));
  SUP_TRY(sup_override_check(model, def));
  sup_override_warn(model);
  SUP_TRY(index_pairs(model));
  return SUP_OK;
}
