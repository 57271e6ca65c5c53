/* Penetration found by samples of both surfaces is what the contacts say: at random states of
 * random scenes every pair is measured by brute force.  SUPPLE_FUZZ=100000 sets the number of
 * scenes, SUPPLE_FUZZ_SEED the first seed. */
#include "collide/collide.h"
#include "geom/depth.h"
#include "geom/triangle.h"
#include "model/kinematics.h"
#include "random_scene.h"
#include "step/step.h"

enum { MOST_SAMPLES = 4000, SAMPLES_A_TRIANGLE = 6 };

/** A body's surface in the world, and the shape that knows its depth. */
typedef struct solid {
  const sup_shape *shape; /* NULL: the triangles are the body */
  sup_frame        X;
  int              num_triangles, num_samples;
  sup_v3           corner[1024][3], sample[MOST_SAMPLES];
  double           low[3], high[3];    /* of the triangles */
  double           size, facing_error; /* what the contact surface lacks of the exact one [m] */
} solid;

static double distance_to_triangles(const solid *s, sup_v3 p) {
  double best = HUGE_VAL;
  for (int t = 0; t < s->num_triangles; t++)
    best = fmin(
        best, sup_v3_norm(sup_v3_sub(
                  p, sup_triangle_nearest(s->corner[t][0], s->corner[t][1], s->corner[t][2], p))));
  return best;
}

/** Sum of solid angles over 4 pi. */
static double winding(const solid *s, sup_v3 p) {
  double sum = 0;
  for (int t = 0; t < s->num_triangles; t++) {
    sup_v3 a = sup_v3_sub(s->corner[t][0], p), b = sup_v3_sub(s->corner[t][1], p),
           c = sup_v3_sub(s->corner[t][2], p);
    double la = sup_v3_norm(a), lb = sup_v3_norm(b), lc = sup_v3_norm(c);
    sum += 2 * atan2(sup_v3_dot(a, sup_v3_cross(b, c)), la * lb * lc + sup_v3_dot(a, b) * lc +
                                                            sup_v3_dot(b, c) * la +
                                                            sup_v3_dot(c, a) * lb);
  }
  return sum / (4 * acos(-1));
}

/** Below the surface; outside less than 0. */
static double depth_in(const solid *s, sup_v3 p) {
  if (s->shape) return -sup_shape_depth(s->shape, sup_frame_apply_inverse(&s->X, p), &(sup_v3){0});
  double at[3];
  sup_v3_store(at, p);
  for (int c = 0; c < 3; c++)
    if (at[c] < s->low[c] || at[c] > s->high[c]) return -1;
  return winding(s, p) > .5 ? distance_to_triangles(s, p) : -1;
}

static void add_sample(solid *s, sup_v3 p) {
  if (s->num_samples < MOST_SAMPLES) s->sample[s->num_samples++] = p;
}

static void bound(solid *s, sup_v3 p) {
  double at[3];
  sup_v3_store(at, p);
  for (int c = 0; c < 3; c++)
    s->low[c] = fmin(s->low[c], at[c]), s->high[c] = fmax(s->high[c], at[c]);
}

/** Corners, middles of edges, and random points of all triangles. */
static void sample_triangles(solid *s, test_random *r, const sup_surface *surface,
                             const double *points, const sup_frame *X, int keep) {
  for (int c = 0; c < 3; c++) s->low[c] = HUGE_VAL, s->high[c] = -HUGE_VAL;
  for (int t = 0; t < surface->num_triangles; t++) {
    sup_v3 c[3];
    for (int k = 0; k < 3; k++)
      c[k] = sup_frame_apply(X, sup_surface_corner(surface, points, t, k));
    if (keep && s->num_triangles < 1024) memcpy(s->corner[s->num_triangles++], c, sizeof c);
    for (int k = 0; k < 3; k++) {
      bound(s, c[k]);
      add_sample(s, c[k]);
      add_sample(s, sup_v3_scale(.5, sup_v3_add(c[k], c[(k + 1) % 3])));
    }
    for (int i = 0; i < SAMPLES_A_TRIANGLE; i++) {
      double u = .5 * (1 + test_uniform(r)), v = .5 * (1 + test_uniform(r));
      if (u + v > 1) u = 1 - u, v = 1 - v;
      add_sample(
          s, sup_v3_madd(sup_v3_madd(c[0], u, sup_v3_sub(c[1], c[0])), v, sup_v3_sub(c[2], c[0])));
    }
  }
}

static void place_rigid(solid *s, test_random *r, const sup_geometry *g, const sup_frame *X_WL) {
  int is_curved = g->shape.type != SUP_SHAPE_MESH && g->shape.type != SUP_SHAPE_CONVEX &&
                  g->shape.type != SUP_SHAPE_BOX && g->shape.type != SUP_SHAPE_HALF_SPACE;
  s->num_triangles = s->num_samples = 0, s->facing_error = 0;
  s->X = sup_frame_mul(X_WL, &g->X_LG), s->size = sup_shape_radius(&g->shape);
  s->shape = g->shape.type == SUP_SHAPE_MESH ? NULL : &g->shape;
  if (!g->surface) return;
  sample_triangles(s, r, g->surface, g->points, X_WL, 1);
  if (!is_curved) return;
  sup_surface *fine;
  double      *points;
  s->num_samples = 0;
  OK(sup_surface_of_shape(&fine, &points, &g->shape, .15 * s->size));
  for (int i = 0; i < fine->num_points; i++) {
    add_sample(s, sup_frame_apply(&s->X, sup_v3_load(points + 3 * i)));
    s->facing_error =
        fmax(s->facing_error, distance_to_triangles(s, s->sample[s->num_samples - 1]));
  }
  sup_surface_destroy(&fine);
  SUP_FREE(points);
}

static void place_soft(solid *s, test_random *r, const sup_soft *soft, const double *x) {
  sup_frame none = sup_frame_identity();
  s->shape = NULL, s->num_triangles = s->num_samples = 0, s->facing_error = 0, s->size = 0;
  sample_triangles(s, r, soft->surface, x + 3 * soft->first_vertex, &none, 1);
}

/** The deepest sample of a in b. */
static double deepest_in(const solid *a, const solid *b) {
  double depth = 0;
  for (int i = 0; i < a->num_samples; i++) depth = fmax(depth, depth_in(b, a->sample[i]));
  return depth;
}

/** Penetration depth by the contacts of a pair: deepest corner of their polygons, or point [m]. */
static double deepest_contact(const sup_contact_list *list, int pair, int *count) {
  double depth = 0;
  *count = 0;
  for (int i = 0; i < list->count; i++) {
    const sup_contact *c = &list->contact[i];
    if (c->pair != pair) continue;
    ++*count;
    depth = fmax(depth, c->penetration);
    for (int k = 0; k < c->num_points && c->slope > 0; k++)
      depth = fmax(depth, c->level[k] / c->slope);
  }
  return depth;
}

static solid body_a, body_b;

static void place(solid *s, test_random *r, const sup_model *model, const sup_kinematics *kin,
                  const double *x, int body, int geometry) {
  if (geometry == SUP_NONE)
    place_soft(s, r, &model->soft[model->body[body].soft], x);
  else
    place_rigid(s, r, &model->geometry[geometry], &kin->X_WL[body]);
}

typedef struct tally {
  long   compared, overlapping;
  double worst; /* largest depth over what contacts say, of facets */
} tally;

/** Point inside a solid that is about the farthest from its surface; returns 0: a half space has
 * none. */
static int middle_of(const solid *s, sup_v3 *middle) {
  *middle = s->X.p;
  if (s->shape && s->shape->type == SUP_SHAPE_HALF_SPACE) return 0;
  if (s->shape) sup_shape_middle(s->shape, middle), *middle = sup_frame_apply(&s->X, *middle);
  if (s->shape || s->size > 0) return 1;
  *middle = sup_v3_make(0, 0, 0); /* of a soft box, the mean of its corners */
  for (int i = 0; i < s->num_samples; i++)
    *middle = sup_v3_madd(*middle, 1. / s->num_samples, s->sample[i]);
  return 1;
}

/** Depth of a solid's middle below its surface [m]. */
static double inner_radius(const solid *s) {
  sup_v3 middle;
  return middle_of(s, &middle) ? depth_in(s, middle) : HUGE_VAL;
}

/** 1: two bodies overlap by more than a third of the thinner one's inner radius, or one contains
 * the other's middle: run through rather than pressed.  Coinciding surfaces do not tell. */
static int are_run_through(const solid *a, const solid *b, double depth, double inner) {
  sup_v3 middle[2];
  if (fmax(depth, deepest_in(b, a)) > inner / 3) return 1;
  return (middle_of(a, &middle[0]) && depth_in(b, middle[0]) > 0) ||
         (middle_of(b, &middle[1]) && depth_in(a, middle[1]) > 0);
}

/* Points: the least way out is at least the depth of any sample of either.  Surfaces say how deep
 * they are in the other shape: those of rigid bodies to 30 % of the overlap (SUP_FACET_TOLERANCE),
 * less what their tessellation lacks of a curved shape, and parts of triangles below 1e-9 of their
 * area, which are round-off.  Faces that look away from the way out carry no load: of bodies that
 * are run through nothing is said here.  Facets of soft bodies may bend around what they meet, and
 * leave to the next step what is less deep than a tenth of the inner radius: contacts say no depth,
 * but they are there. */
static void check_pair(const random_scene *k, const sup_contact_list *list, int p, tally *sum) {
  const sup_pair *pair = &k->s.model->pair[p];
  int    count, is_point = pair->touch == SUP_TOUCH_POINT, is_soft = pair->geometry_a == SUP_NONE;
  double depth = deepest_in(&body_a, &body_b), said = deepest_contact(list, p, &count), most;
  double lack = body_a.facing_error, inner = fmin(inner_radius(&body_a), inner_radius(&body_b));
  int    is_deep = are_run_through(&body_a, &body_b, depth - lack, inner);
  if (is_point) depth = fmax(depth, deepest_in(&body_b, &body_a));
  if (!(inner > 0)) return; /* a soft body inside out */
  sum->compared++, sum->overlapping += depth > 0;
  if (is_point)
    most = said + 1e-4 * inner;
  else if (is_deep)
    most = HUGE_VAL;
  else if (is_soft)
    most = count > 0 ? HUGE_VAL : lack + .01 * inner;
  else
    most = said / .7 + lack + 1e-4 * inner;
  if (!is_point && !is_soft && !is_deep)
    sum->worst = fmax(sum->worst, (depth - lack) / fmax(said, 1e-2 * inner));
  CHECK(depth <= most);
  if (!(depth <= most))
    printf(
        "    seed %llu: '%s' and '%s' (touch %d, %s, %s) by %g m, contacts say %g, %g at most; "
        "inner radius %g, facets lack %g, %d contacts\n",
        (unsigned long long)k->seed, k->s.model->body[pair->a].name, k->s.model->body[pair->b].name,
        pair->touch,
        is_soft ? "soft" : sup_shape_name(k->s.model->geometry[pair->geometry_a].shape.type),
        sup_shape_name(k->s.model->geometry[pair->geometry_b].shape.type), depth, said, most, inner,
        lack, count);
}

/** Contacts of fields say no depth but a pressure. */
static int is_measured(const sup_model *model, const sup_pair *pair) {
  if (pair->geometry_a == SUP_NONE) return pair->touch == SUP_TOUCH_SURFACE_DEPTH;
  const sup_geometry *a = &model->geometry[pair->geometry_a];
  if (pair->touch == SUP_TOUCH_POINT) return 1;
  return pair->touch == SUP_TOUCH_SURFACE_DEPTH && a->surface->num_triangles <= 1024;
}

static void check_scene(uint64_t seed, tally *sum) {
  static random_scene k;
  sup_arena          *arena;
  sup_contact_list    list = {0};
  sup_kinematics      kin;
  sup_travel         *travel;
  test_random         r = {seed + 77};
  OK(sup_arena_create(&arena, 1 << 16));
  if (random_scene_start(&k, seed) == SUP_OK) {
    int steps = test_one_of(&r, 4), is_good = 1;
    for (int i = 0; i < steps && is_good; i++)
      is_good = sup_step(k.s.stepper, k.s.state, &k.s.report) == SUP_OK;
    const sup_model *model = k.s.model;
    const sup_state *at = k.s.state;
    sup_increment    inc = test_increment(&k.s);
    inc.motion = 0; /* samples are of bodies as they stand */
    OK(sup_kinematics_compute(&kin, model, &inc, at->q, at->v, arena));
    OK(sup_travel_start(model, &inc, &kin, arena, &travel));
    OK(sup_collide(&list, model, &inc, &kin, at->x, at->xdot, travel, arena));
    for (int p = 0; p < model->num_pairs; p++) {
      const sup_pair *pair = &model->pair[p];
      if (!is_measured(model, pair)) continue;
      place(&body_a, &r, model, &kin, at->x, pair->a, pair->geometry_a);
      place(&body_b, &r, model, &kin, at->x, pair->b, pair->geometry_b);
      check_pair(&k, &list, p, sum);
    }
  }
  random_scene_free(&k);
  sup_contact_list_free(&list);
  sup_arena_destroy(&arena);
}

static void no_sample_is_deeper_than_the_contacts_say(void) {
  const char *first = getenv("SUPPLE_FUZZ_SEED");
  uint64_t    seed = first ? strtoull(first, NULL, 10) : 1;
  long        n = random_num_scenes(1000);
  tally       sum = {0, 0, 0};
  for (long i = 0; i < n; i++) check_scene(seed + (uint64_t)i, &sum);
  printf("%ld pairs measured, %ld overlap, facets at most %.3g times what contacts say; ",
         sum.compared, sum.overlapping, sum.worst);
  CHECK(n < 100 || sum.overlapping > n / 10);
}

SUITE_TESTS(fuzz_depth, TEST(no_sample_is_deeper_than_the_contacts_say));
