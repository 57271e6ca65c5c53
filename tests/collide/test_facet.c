/* Facets that cannot follow the shape they meet: pieces find every overlap (THEORY 19), three
 * contacts carry it. */
#include "collide/surface/facet.h"

#include <string.h>

#include "base/memory.h"
#include "collide/collide.h"
#include "geom/surface_bvh.h"
#include "mesh/hull.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

/** Triangles with points of their own against one shape, alone in the world. */
typedef struct meeting {
  int              num_triangles;
  double           points[64 * 9]; /* in frame X */
  sup_frame        X;              /* of the surface */
  sup_v3           v;              /* of the surface */
  sup_moving_shape b;
  double           dt, drop;
} meeting;

static meeting meet(const sup_shape *shape, sup_frame X) {
  return (meeting){.X = sup_frame_identity(), .b = {shape, X, X, {0, 0, 0}, {0, 0, 0}}, .dt = 1e-3};
}

static void add(meeting *m, sup_v3 a, sup_v3 b, sup_v3 c) {
  double *to = m->points + 9 * m->num_triangles++;
  sup_v3_store(to, a), sup_v3_store(to + 3, b), sup_v3_store(to + 6, c);
}

/** Contacts of a rigid surface, C = 1. */
static sup_contact_list contacts_of(const meeting *m) {
  sup_contact_list list = {0};
  sup_surface     *surface;
  sup_bvh         *bvh;
  sup_contact      prototype = {.slope = 1};
  OK(sup_surface_create(&surface, 3 * m->num_triangles, m->num_triangles, 3));
  for (int i = 0; i < 3 * m->num_triangles; i++) surface->face[i] = i;
  OK(sup_surface_bvh_create(&bvh, surface, m->points));
  double             speed = sup_v3_norm(m->v);
  sup_moving_surface a = {.surface = surface,
                          .node = bvh->node,
                          .X_WS = m->X,
                          .points = m->points,
                          .v = m->v,
                          .speed = speed,
                          .fastest = speed};
  sup_surface_motion motion = {.v_a = m->v, .w_b = m->b.w, .v_b = m->b.v, .speed_a = speed};
  sup_surface_query  how = {
       .motion = &motion, .num_motions = 1, .dt = m->dt, .ahead = m->dt, .drop = m->drop};
  int               *face;
  sup_surface_point *point;
  unsigned char     *known;
  OK(SUP_CALLOC(face, m->num_triangles));
  OK(SUP_CALLOC(point, 3 * m->num_triangles));
  OK(SUP_CALLOC(known, 3 * m->num_triangles));
  OK(sup_collide_surface_depth(&list, &prototype, &a, &m->b, &how,
                               &(sup_surface_workspace){face, point, known}));
  SUP_FREE(face);
  SUP_FREE(point);
  SUP_FREE(known);
  sup_bvh_destroy(&bvh);
  sup_surface_destroy(&surface);
  return list;
}

/** Contacts that overlap: area, force over C by size and as a vector, moment about the origin,
 * deepest. */
typedef struct sums {
  int    count;
  double area, size, deepest;
  sup_v3 force, moment;
} sums;

static sums sum_up(sup_contact_list *list) {
  sums s = {0};
  for (int i = 0; i < list->count; i++) {
    const sup_contact *c = &list->contact[i];
    if (c->phi >= 0) continue;
    double f = -c->slope * c->area * c->facing * c->phi;
    s.count++, s.area += c->area, s.size += f;
    s.deepest = fmax(s.deepest, c->penetration);
    s.force = sup_v3_madd(s.force, f, c->normal);
    s.moment = sup_v3_madd(s.moment, f, sup_v3_cross(c->centroid, c->normal));
  }
  sup_contact_list_free(list);
  return s;
}

static sums overlap(const meeting *m) {
  sup_contact_list list = contacts_of(m);
  return sum_up(&list);
}

static sup_frame at(double x, double y, double z) {
  return (sup_frame){sup_m3_identity(), {x, y, z}};
}

/** A facet in the plane z = 0 some 7 by 11 wide, times h. */
static void add_big(meeting *m, double h) {
  add(m, sup_v3_make(-5 * h, -4 * h, 0), sup_v3_make(6 * h, -3 * h, 0), sup_v3_make(-h, 7 * h, 0));
}

/* F = pi C (R - d) d^2 with the area that the ball sees, on an area pi (R^2 - (R - d)^2), whatever
 * the sizes. */
static void a_ball_inside_a_facet_displaces_its_cap(void) {
  static const double R[] = {1, .1, .01, 1e-3}, depth[] = {.2, .02, 1e-3, 1e-5};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) {
      double    d = depth[k] * R[i], h = R[i] - d;
      sup_shape ball = {SUP_SHAPE_SPHERE, {R[i]}};
      meeting   m = meet(&ball, at(.3, .2, h));
      add_big(&m, 1);
      sums s = overlap(&m);
      CHECK(s.count == 3);
      NEAR(s.size, pi * h * d * d, .02, 0);
      NEAR(s.area, pi * (R[i] * R[i] - h * h), .15, 0);
      CHECK(s.deepest > .8 * d && s.deepest <= d * (1 + 1e-12));
      double rim = sqrt(R[i] * R[i] - h * h);
      NEAR(-s.moment.y / s.force.z, .3, 0, .02 * rim);
      NEAR(s.moment.x / s.force.z, .2, 0, .02 * rim);
      NEAR(s.force.x, 0, 0, .02 * s.force.z), NEAR(s.force.y, 0, 0, .02 * s.force.z);
    }
}

/** Force over C of pieces cut to a tolerance, and their number. */
static double force_of_pieces(const sup_shape *shape, sup_frame X, double tolerance, int *pieces) {
  sup_contact_list  list = {0};
  sup_moving_shape  b = {shape, X, X, {0, 0, 0}, {0, 0, 0}};
  sup_facet_query   how = {&b, 1e-3, 0, SUP_FACET_NOW, tolerance, 1e-12};
  sup_facet_moments moments[SUP_FACET_BANDS];
  sup_v3            corner[3] = {{-5, -4, 0}, {6, -3, 0}, {-1, 7, 0}}, still[3] = {{0, 0, 0}};
  OK(SUP_GROW(list.facet, list.facet_capacity, 1));
  list.facet[list.num_facets++] = sup_facet_make(0, corner, still);
  OK(sup_facet_cut(&list, &how, 0));
  memset(moments, 0, sizeof moments);
  sup_facet_gather(&list, &how, 0, moments);
  *pieces = list.num_facet_pieces;
  sup_contact_list_free(&list);
  return -moments[0].phi;
}

static void force_converges_with_the_tolerance(void) {
  double    R = .1, d = .01, exact = pi * (R - d) * d * d, error[3];
  sup_shape ball = {SUP_SHAPE_SPHERE, {R}};
  int       pieces[3];
  for (int k = 0; k < 3; k++)
    error[k] =
        fabs(force_of_pieces(&ball, at(.3, .2, R - d), .4 / pow(8, k), &pieces[k]) / exact - 1);
  CHECK(error[0] < .1 && error[1] < .02 && error[2] < 2e-3);
  CHECK(error[2] < .2 * error[0]);
  CHECK(pieces[0] < 60 && pieces[2] < 1000);
}

/* The faces of a box are seen as they are: exact with few pieces, however shallow the overlap is.
 */
static void a_box_inside_a_facet_is_exact(void) {
  sup_shape box = {SUP_SHAPE_BOX, {.2, .3, .4}};
  for (int k = 0; k < 5; k++) {
    double  d = .02 * pow(.01, k);
    meeting m = meet(&box, at(.3, .2, .2 - d));
    add_big(&m, 1);
    sums s = overlap(&m);
    NEAR(s.size, (.2 - 2 * d) * (.3 - 2 * d) * d, .01,
         0); /* within d of the rim its sides are nearer */
    NEAR(-s.moment.y / s.force.z, .3, 0, 1e-3);
    NEAR(s.moment.x / s.force.z, .2, 0, 1e-3);
    CHECK(s.deepest <= d * (1 + 1e-9) && s.deepest > .99 * d);
  }
}

/** Volume that a shape displaces below z = 0 inside the triangle, by n x n samples of its bounds.
 */
static double sampled(const sup_moving_shape *b, const sup_facet *f, double *deepest) {
  enum { N = 400 };
  sup_v3 lower, upper, gradient;
  double sum = 0;
  sup_shape_bounds(b->shape, &b->X_WG, 0, &lower, &upper);
  *deepest = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      sup_v3 x = {lower.x + (i + .5) / N * (upper.x - lower.x),
                  lower.y + (j + .5) / N * (upper.y - lower.y), 0};
      double phi = sup_shape_depth(b->shape, sup_frame_apply_inverse(&b->X_WG, x), &gradient);
      int    in = 1;
      for (int k = 0; k < 3; k++) {
        sup_v3 p = f->corner[k], q = f->corner[(k + 1) % 3];
        in = in && (q.x - p.x) * (x.y - p.y) - (q.y - p.y) * (x.x - p.x) >= 0;
      }
      if (in && phi < 0) sum -= phi, *deepest = fmax(*deepest, -phi);
    }
  return sum * (upper.x - lower.x) * (upper.y - lower.y) / (N * N);
}

static sup_shape random_shape(test_random *r, sup_hull *hull) {
  static const sup_shape_type type[] = {SUP_SHAPE_SPHERE,  SUP_SHAPE_BOX,       SUP_SHAPE_CYLINDER,
                                        SUP_SHAPE_CAPSULE, SUP_SHAPE_ELLIPSOID, SUP_SHAPE_CONVEX};
  sup_shape                   s = {.type = type[test_one_of(r, 6)]};
  for (int k = 0; k < 3; k++) s.size[k] = test_between(r, .05, .3);
  if (s.type == SUP_SHAPE_CONVEX) s.hull = hull;
  return s;
}

static sup_hull *random_hull(test_random *r) {
  double    points[3 * 12];
  sup_hull *hull;
  for (int i = 0; i < 36; i++) points[i] = .2 * test_uniform(r);
  OK(sup_hull_create(&hull, 12, points));
  return hull;
}

static sup_frame random_frame(test_random *r, double spread) {
  sup_v3 turn = {3 * test_uniform(r), 3 * test_uniform(r), 3 * test_uniform(r)};
  return (sup_frame){
      sup_quat_matrix(sup_quat_exp(turn)),
      {spread * test_uniform(r), spread * test_uniform(r), spread * test_uniform(r)}};
}

/* Random shapes through random facets of 1/30 to 30 times their size: the volume of the pieces is
 * that of dense samples, and what the samples find is found. */
static void no_overlap_is_lost(void) {
  test_random r = {5};
  int         num_met = 0;
  for (int n = 0; n < 200; n++) {
    sup_hull *hull = random_hull(&r);
    sup_shape shape = random_shape(&r, hull);
    double    h = test_between(&r, .02, 6), deepest, all;
    sup_v3    corner[3], still[3] = {{0, 0, 0}};
    for (int c = 0; c < 3; c++)
      corner[c] = sup_v3_make(h * (cos(2.1 * c) + .3 * test_uniform(&r)),
                              h * (sin(2.1 * c) + .3 * test_uniform(&r)), 0);
    sup_facet        f = sup_facet_make(0, corner, still);
    sup_frame        X = random_frame(&r, .15);
    sup_moving_shape b = {&shape, X, X, {0, 0, 0}, {0, 0, 0}};
    sup_contact_list list = {0};
    sup_facet_query  how = {&b, 1e-3, 0, SUP_FACET_NOW, SUP_FACET_TOLERANCE, 1e-12};
    OK(SUP_GROW(list.facet, list.facet_capacity, 1));
    list.facet[list.num_facets++] = f;
    OK(sup_facet_cut(&list, &how, 0));
    all = sampled(&b, &f, &deepest);
    double volume = 0, bound = 0;
    for (int i = 0; i < list.num_facet_pieces; i++)
      volume += list.facet_piece[i].volume,
          bound += list.facet_piece[i].volume + list.facet_piece[i].error;
    CHECK(!(deepest > 0) || list.num_facet_pieces > 0);
    num_met += deepest > 0;
    if (deepest > .02 &&
        !(bound >= all * .98 && bound - volume <= SUP_FACET_TOLERANCE * volume * (1 + 1e-9) &&
          volume <= all * 1.02))
      printf("type %d h %g n %d deepest %g all %g bound %g volume %g pieces %d\n", shape.type, h, n,
             deepest, all, bound, volume, list.num_facet_pieces);
    if (deepest > .02)
      CHECK(bound >= all * .98 && bound - volume <= SUP_FACET_TOLERANCE * volume * (1 + 1e-9) &&
            volume <= all * 1.02);
    sup_contact_list_free(&list);
    sup_hull_destroy(&hull);
  }
  CHECK(num_met > 120);
}

/** 1: a point of the facet gets deeper than `least` into the shape within the step, by samples of
 * place and time. */
static int enters(const sup_moving_shape *b, const sup_facet *f, double dt, double least) {
  enum { N = 40, TIMES = 20 };
  for (int i = 0; i <= N; i++)
    for (int j = 0; i + j <= N; j++) {
      sup_v3 x = sup_v3_madd(f->corner[0], (double)i / N, sup_v3_sub(f->corner[1], f->corner[0])),
             gradient;
      x = sup_v3_madd(x, (double)j / N, sup_v3_sub(f->corner[2], f->corner[0]));
      for (int k = 0; k <= TIMES; k++) {
        sup_v3 p = sup_v3_madd(x, dt * k / TIMES, sup_facet_velocity(f, x));
        if (sup_shape_depth(b->shape, sup_frame_apply_inverse(&b->X_WG, p), &gradient) < -least)
          return 1;
      }
    }
  return 0;
}

/* Facets that move, turn and stretch past shapes: none that meets its shape within the step is
 * dropped. */
static void what_comes_within_the_step_is_found(void) {
  test_random r = {11};
  int         num_met = 0;
  for (int n = 0; n < 300; n++) {
    sup_hull *hull = random_hull(&r);
    sup_shape shape = random_shape(&r, hull);
    double    h = test_between(&r, .05, 2), z = test_uniform(&r);
    sup_v3    corner[3], velocity[3], v = {test_uniform(&r), test_uniform(&r), -2 * z};
    for (int c = 0; c < 3; c++) {
      corner[c] = sup_v3_make(h * (cos(2.1 * c) + .3 * test_uniform(&r)),
                              h * (sin(2.1 * c) + .3 * test_uniform(&r)), z);
      velocity[c] = sup_v3_add(v, sup_v3_make(.3 * h * test_uniform(&r), .3 * h * test_uniform(&r),
                                              .3 * h * test_uniform(&r)));
    }
    sup_facet        f = sup_facet_make(0, corner, velocity);
    sup_frame        X = random_frame(&r, .3);
    sup_moving_shape b = {&shape, X, X, {0, 0, 0}, {0, 0, 0}};
    sup_contact_list list = {0};
    sup_facet_query how = {&b,  .5 + .5 * test_uniform(&r), 0, SUP_FACET_AHEAD, SUP_FACET_TOLERANCE,
                           1e-6};
    OK(SUP_GROW(list.facet, list.facet_capacity, 1));
    list.facet[list.num_facets++] = f;
    OK(sup_facet_cut(&list, &how, 0));
    int met = enters(&b, &f, how.dt, 1e-3);
    CHECK(!met || list.num_facet_pieces > 0);
    num_met += met;
    CHECK(list.num_facet_pieces < 4000);
    sup_contact_list_free(&list);
    sup_hull_destroy(&hull);
  }
  CHECK(num_met > 50);
}

/* A ball faster than its own size per step, above the middle of a large facet: seen before it is
 * through; one that flies along the facet is not touched. */
static void a_fast_ball_is_seen_and_one_that_passes_is_not(void) {
  sup_shape ball = {SUP_SHAPE_SPHERE, {.01}};
  for (int k = 0; k < 3; k++) { /* falls, falls aslant, passes */
    meeting m = meet(&ball, at(.3, .2, .05));
    m.b.v = k == 2 ? sup_v3_make(200, 30, 0) : sup_v3_make(k * 50, k * 20, -150);
    add_big(&m, 1);
    sup_contact_list list = contacts_of(&m);
    if (k == 2) CHECK(list.count == 0);
    if (k < 2) CHECK(list.count > 0);
    for (int i = 0; i < list.count; i++) {
      const sup_contact *c = &list.contact[i];
      CHECK(c->phi > 0 && c->phi + m.dt * sup_v3_dot(c->normal, m.b.v) < 0);
      CHECK(c->phi < .08);
    }
    sup_contact_list_free(&list);
  }
}

/* Nothing moves: what lies within the fall of a step is seen, nothing else. */
static void a_body_at_rest_is_seen_within_its_fall(void) {
  sup_shape shape[] = {{SUP_SHAPE_SPHERE, {.01}},
                       {SUP_SHAPE_BOX, {.02, .02, .02}},
                       {SUP_SHAPE_CYLINDER, {.01, .02}}};
  for (int k = 0; k < 3; k++)
    for (int near = 0; near < 2; near++) {
      meeting m = meet(&shape[k], at(.3, .2, .01 + (near ? 5e-6 : 2e-5)));
      m.drop = 1e-5;
      add_big(&m, 1);
      sup_contact_list list = contacts_of(&m);
      CHECK((list.count > 0) == near);
      for (int i = 0; i < list.count; i++)
        CHECK(list.contact[i].phi >= 5e-6 * (1 - 1e-9) && list.contact[i].phi < 1e-5);
      sup_contact_list_free(&list);
    }
}

/* The same scene elsewhere, turned, and of any size. */
static void sums_do_not_depend_on_place_turn_or_size(void) {
  static const double scale[] = {1, 1e-6, 1e3};
  sup_hull           *hull;
  test_random         r = {3};
  OK(sup_hull_create(&hull, 4, (double[]){-.1, 0, 0, .1, 0, 0, 0, .1, .1, 0, -.1, .1}));
  sup_shape shape[] = {{SUP_SHAPE_SPHERE, {.1}},
                       {SUP_SHAPE_BOX, {.2, .1, .2}},
                       {SUP_SHAPE_CYLINDER, {.05, .2}},
                       {SUP_SHAPE_CAPSULE, {.05, .1}},
                       {SUP_SHAPE_ELLIPSOID, {.1, .2, .1}}};
  for (int k = 0; k < 5; k++) {
    double size = 0, area = 0, force = 0;
    for (int n = 0; n < 6; n++) {
      double    u = scale[n % 3];
      sup_shape s = shape[k];
      for (int i = 0; i < 3; i++) s.size[i] *= u;
      sup_frame X = n < 3 ? sup_frame_identity() : random_frame(&r, .5 * u),
                Y = {sup_m3_identity(), {.3 * u, .2 * u, .09 * u}};
      meeting m = meet(&s, sup_frame_mul(&X, &Y));
      add_big(&m, u);
      m.X = X;
      sums t = overlap(&m);
      if (n == 0) size = t.size, area = t.area, force = sup_v3_norm(t.force);
      CHECK(size > 0);
      NEAR(t.size, size * u * u * u, 1e-6, 0);
      NEAR(t.area, area * u * u, 1e-6, 0);
      NEAR(sup_v3_norm(t.force), force * u * u * u, 1e-6, 0);
    }
  }
  sup_hull_destroy(&hull);
}

/* A ball that rolls over facets of ten times its radius at fixed depth: the ripple of its force. */
static void rolling_over_facets_is_smooth(void) {
  sup_shape ball = {SUP_SHAPE_SPHERE, {.1}};
  double    exact = pi * .08 * .02 * .02, low = 2, high = 0, off = 0;
  for (int i = 0; i <= 100; i++) {
    double  y = .35 + 1.1 * i / 100;
    meeting m = meet(&ball, at(y, .42, .08));
    for (int k = 0; k < 2; k++) {
      add(&m, sup_v3_make(k, 0, 0), sup_v3_make(k + 1, 0, 0), sup_v3_make(k, 1, 0));
      add(&m, sup_v3_make(k + 1, 0, 0), sup_v3_make(k + 1, 1, 0), sup_v3_make(k, 1, 0));
    }
    sums s = overlap(&m);
    low = fmin(low, s.size / exact), high = fmax(high, s.size / exact);
    off = fmax(off, fabs(-s.moment.y / s.force.z - y));
  }
  CHECK(high - low < .02 && low > .98 && high < 1.02);
  CHECK(off < .03 * .06);
}

/* The three contacts have the area, the force, its moment, the energy and the second moments of
 * what they stand for. */
static void three_contacts_carry_what_the_points_do(void) {
  test_random r = {9};
  for (int n = 0; n < 50; n++) {
    sup_frame         X = random_frame(&r, 1);
    sup_v3            corner[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, still[3] = {{0, 0, 0}};
    sup_facet_moments m;
    sup_contact       c[3];
    double            area = 0, force = 0, energy = 0, second[3] = {0}, check[3] = {0}, slope = 7;
    sup_v3            moment = {0, 0, 0}, sum = {0, 0, 0};
    memset(&m, 0, sizeof m), memset(c, 0, sizeof c);
    for (int k = 0; k < 3; k++) corner[k] = sup_frame_apply(&X, corner[k]);
    sup_facet f = sup_facet_make(0, corner, still);
    double    tilt[2] = {.3 * test_uniform(&r), .3 * test_uniform(&r)};
    for (int i = 0; i < 20; i++) {
      double w = test_between(&r, .1, 1), u = .1 + .05 * test_uniform(&r),
             v = .2 + .02 * test_uniform(&r);
      double phi = -.1 + tilt[0] * (u - .1) + tilt[1] * (v - .2) + 1e-3 * test_uniform(&r);
      sup_v3 x = sup_frame_apply(&X, sup_v3_make(u, v, 0)),
             g = sup_v3_scale(-slope * w * phi, f.normal);
      sup_facet_moments_add(&m, &f, w, x, phi, f.normal);
      area += w, force -= slope * w * phi, energy += .5 * slope * w * phi * phi;
      sum = sup_v3_add(sum, g), moment = sup_v3_add(moment, sup_v3_cross(x, g));
      second[0] += w * u * u, second[1] += w * u * v, second[2] += w * v * v;
    }
    sup_facet_merge(&m, &f, slope, c);
    for (int a = 0; a < 3; a++) {
      double k = c[a].slope * c[a].area * c[a].facing;
      sup_v3 p = sup_frame_apply_inverse(&X, c[a].centroid),
             g = sup_v3_scale(k * c[a].phi, c[a].normal);
      NEAR(p.z, 0, 0, 1e-14);
      area -= c[a].area, force += k * c[a].phi,
          energy -= .5 * k * (c[a].phi * c[a].phi + c[a].spread);
      sum = sup_v3_add(sum, g), moment = sup_v3_add(moment, sup_v3_cross(c[a].centroid, g));
      check[0] += c[a].area * p.x * p.x, check[1] += c[a].area * p.x * p.y,
          check[2] += c[a].area * p.y * p.y;
    }
    NEAR(area, 0, 0, 1e-12), NEAR(force, 0, 0, 1e-11), NEAR(energy, 0, 0, 1e-12);
    NEAR(sup_v3_norm(sum), 0, 0, 1e-11), NEAR(sup_v3_norm(moment), 0, 0, 1e-11);
    for (int i = 0; i < 3; i++) NEAR(check[i], second[i], 1e-11, 0);
  }
}

/** Sum over contacts of what only the places of the points change: the cube of their distance. */
static double sum_cubes(const sup_contact_list *list, sup_v3 from) {
  double sum = 0;
  for (int i = 0; i < list->count; i++) {
    const sup_contact *c = &list->contact[i];
    sum += c->area * c->phi * pow(sup_v3_norm(sup_v3_sub(c->centroid, from)), 3);
  }
  return sum;
}

/* The three points of a facet stay where they are, whichever of its corners is told first. */
static void the_first_corner_decides_nothing(void) {
  test_random r = {3};
  for (int trial = 0; trial < 200; trial++) {
    sup_shape box = {SUP_SHAPE_BOX, {.02, .015, .01}, NULL, NULL};
    sup_v3    corner[3], from = {.1, .2, .3};
    double    sum[3];
    for (int k = 0; k < 3; k++)
      corner[k] = sup_v3_make(.05 * cos(2 * pi / 3 * k) + .02 * test_uniform(&r),
                              .05 * sin(2 * pi / 3 * k) + .02 * test_uniform(&r), 0);
    sup_frame X = random_frame(&r, .004);
    for (int first = 0; first < 3; first++) {
      meeting m = meet(&box, X);
      add(&m, corner[first], corner[(first + 1) % 3], corner[(first + 2) % 3]);
      sup_contact_list list = contacts_of(&m);
      sum[first] = sum_cubes(&list, from);
      sup_contact_list_free(&list);
    }
    CHECK(sum[0] < 0);
    for (int k = 1; k < 3; k++) NEAR(sum[k], sum[0], 1e-7, 0);
  }
}

/* A ball at a corner, at the middle of an edge and on the diagonal of two facets, of radii near
 * their size: the force and the places of its points change little by a step of 1e-9, though
 * corners of cells are then equally far from the middle (7.5e-5 by fans from the nearest one). */
static void points_are_smooth_at_symmetric_places(void) {
  static const double place[][2] = {{.5, .5}, {.5, 0}, {0, 0}, {.5, 1. / 3}};
  double              jump = 0;
  for (int k = 0; k < 48; k++) {
    double    R = 1.2 + .2 * (k % 4), d = 1e-3 * pow(10, -(k / 16)), sum[2][3];
    sup_shape ball = {SUP_SHAPE_SPHERE, {R}};
    for (int side = 0; side < 2; side++) {
      double  step = side ? 1e-9 : -1e-9;
      meeting m =
          meet(&ball, at(place[k / 4 % 4][0] + step, place[k / 4 % 4][1] + step / 3, R - d));
      for (int i = -1; i < 2; i++)
        for (int j = -1; j < 2; j++) {
          add(&m, sup_v3_make(i, j, 0), sup_v3_make(i + 1, j, 0), sup_v3_make(i, j + 1, 0));
          add(&m, sup_v3_make(i + 1, j, 0), sup_v3_make(i + 1, j + 1, 0), sup_v3_make(i, j + 1, 0));
        }
      sup_contact_list list = contacts_of(&m);
      sum[side][2] = sum_cubes(&list, (sup_v3){.1, .2, .3});
      sums s = sum_up(&list);
      sum[side][0] = s.size, sum[side][1] = sup_v3_norm(s.moment);
    }
    for (int i = 0; i < 3; i++) jump = fmax(jump, fabs(sum[1][i] / sum[0][i] - 1));
  }
  printf("%.1e; ", jump);
  CHECK(jump < 1e-6);
}

/** Sum of squares of the points about their mean, over their number. */
static double spread_of(const sup_v3 *x, int n) {
  sup_v3 mean = {0, 0, 0};
  double sum = 0;
  for (int i = 0; i < n; i++) mean = sup_v3_madd(mean, 1. / n, x[i]);
  for (int i = 0; i < n; i++) {
    sup_v3 d = sup_v3_sub(x[i], mean);
    sum += sup_v3_dot(d, d) / n;
  }
  return sum;
}

/* A strip under an edge that the facet cuts askew: the part of its second moments that resists
 * tilting is no more than all of them (1.5 times when the reduced tensor was not symmetric). */
static void an_edge_askew_resists_no_more_than_its_patch(void) {
  const sup_v3 corner[3] = {{0, 0, 0}, {.1, 0, 0}, {0, .1, 0}}, still[3] = {{0, 0, 0}};
  sup_facet    f = sup_facet_make(0, corner, still);
  for (double along = 0; along < pi; along += .1)
    for (double turn = -.6; turn < .7; turn += .2) {
      sup_v3 u = {cos(along), sin(along), 0}, w = {-sin(along + turn), cos(along + turn), 0};
      sup_facet_moments m = {.area = 0};
      sup_v3            x[82];
      for (int i = 0; i < 82; i++) {
        double side = i % 2 ? 1 : -1, slope = .7, depth = 1e-4;
        x[i] = sup_v3_madd(sup_v3_make(.03, .03, 0), .01 * (i / 2 - 20) / 20., u);
        x[i] = sup_v3_madd(x[i], side * depth / slope, w);
        sup_v3 n = sup_v3_unit(sup_v3_madd(f.normal, -side * slope, w));
        sup_facet_moments_add(&m, &f, 1e-6, x[i], -depth, n);
      }
      sup_contact to[3] = {{.area = 0}};
      sup_facet_merge(&m, &f, 1e6, to);
      const sup_v3 c[3] = {to[0].centroid, to[1].centroid, to[2].centroid};
      CHECK(spread_of(c, 3) < 1.001 * spread_of(x, 82));
      if (fabs(turn) < .01) NEAR(spread_of(c, 3), spread_of(x, 82), .01, 0);
    }
}

SUITE_TESTS(facet, TEST(the_first_corner_decides_nothing),
            TEST(points_are_smooth_at_symmetric_places),
            TEST(an_edge_askew_resists_no_more_than_its_patch),
            TEST(a_ball_inside_a_facet_displaces_its_cap), TEST(force_converges_with_the_tolerance),
            TEST(a_box_inside_a_facet_is_exact), TEST(no_overlap_is_lost),
            TEST(what_comes_within_the_step_is_found),
            TEST(a_fast_ball_is_seen_and_one_that_passes_is_not),
            TEST(a_body_at_rest_is_seen_within_its_fall),
            TEST(sums_do_not_depend_on_place_turn_or_size), TEST(rolling_over_facets_is_smooth),
            TEST(three_contacts_carry_what_the_points_do));
