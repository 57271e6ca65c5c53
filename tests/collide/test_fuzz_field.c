/* Random pairs of shapes, deep, touching, coplanar, one inside the other, through both narrow
 * phases with fields. SUPPLE_FUZZ=100000 sets the number of pairs. */
#include "collide/point/point.h"
#include "field_test.h"

/** A shape, its field and its surface. */
typedef struct solid {
  sup_shape    shape;
  double       size, modulus, depth; /* largest extent [m], E_h [Pa], of the medial set [m] */
  sup_field   *field;
  sup_surface *surface;
  double      *points;
  sup_bvh     *bvh;
} solid;

/** Result of a narrow phase. */
typedef struct outcome {
  int         count;
  double      area, perimeter, least_slope;
  double      dropped;       /* bound on the area of pieces that were too small to count */
  sup_v3      force, moment; /* on b, about the world's origin */
  const char *fault;         /* first that was found */
} outcome;

static sup_shape random_shape(test_random *r) {
  static const sup_shape_type types[] = {SUP_SHAPE_BOX,     SUP_SHAPE_SPHERE,    SUP_SHAPE_CYLINDER,
                                         SUP_SHAPE_CAPSULE, SUP_SHAPE_ELLIPSOID, SUP_SHAPE_CONVEX};
  sup_shape                   shape = {.type = types[test_one_of(r, 6)]};
  double                      thin = test_one_of(r, 4) ? .4 : .02;
  for (int k = 0; k < 3; k++) shape.size[k] = test_between(r, thin * .1, .1);
  if (test_one_of(r, 4) == 0) shape.size[1] = shape.size[2] = shape.size[0];
  if (shape.type == SUP_SHAPE_CYLINDER && test_one_of(r, 4) == 0) shape.size[1] = 2 * shape.size[0];
  if (shape.type != SUP_SHAPE_CONVEX) return shape;
  double points[3 * 24];
  int    n = 4 + test_one_of(r, 20);
  for (int i = 0; i < 3 * n; i++) points[i] = shape.size[i % 3] * test_uniform(r);
  OK(sup_hull_create(&shape.hull, n, points));
  return shape;
}

static solid random_solid(test_random *r) {
  solid     s = {.shape = random_shape(r), .modulus = test_between(r, 1e4, 1e8)};
  sup_mesh *mesh;
  double   *p, resolution = HUGE_VAL;
  s.size = sup_shape_radius(&s.shape);
  if (test_one_of(r, 2)) resolution = s.size * test_between(r, .5, 1);
  OK(sup_mesh_of_shape_field(&mesh, &p, &s.depth, &s.shape, resolution, 0));
  sup_mesh_destroy(&mesh);
  SUP_FREE(p);
  s.field = field_of(&s.shape, s.modulus, resolution, test_one_of(r, 2) ? 0 : .01 * s.size);
  OK(sup_surface_of_shape(&s.surface, &s.points, &s.shape, fmin(resolution, 1e30)));
  s.bvh = bvh_of(s.surface, s.points);
  return s;
}

static void forget(solid *s) {
  sup_field_destroy(&s->field);
  sup_surface_destroy(&s->surface);
  sup_bvh_destroy(&s->bvh);
  SUP_FREE(s->points);
  if (s->shape.hull) sup_hull_destroy(&s->shape.hull);
}

/** Turned by right angles, or any way. */
static sup_m3 random_rotation(test_random *r, int aligned) {
  if (!aligned) return sup_quat_matrix(sup_quat_exp(random_vector(r, 3)));
  sup_m3 R = sup_m3_zero();
  int    k = test_one_of(r, 3);
  for (int i = 0; i < 3; i++) R.m[i][(i + k) % 3] = 1;
  return R;
}

/** b relative to a: anywhere within reach, on a grid of fractions of a's size, or about the same
 * centre. */
static sup_frame random_pose(test_random *r, const solid *a, const solid *b, int aligned) {
  sup_frame X = {random_rotation(r, aligned), {0, 0, 0}};
  int       how = test_one_of(r, 8);
  if (how == 0) return X;
  if (how == 1) {
    X.p = random_vector(r, 1e-3 * a->size);
  } else if (aligned) {
    const double *u = a->shape.size, *w = b->shape.size;
    X.p = sup_v3_make(.5 * u[0] * test_one_of(r, 3), .25 * u[1] * test_one_of(r, 3),
                      .5 * (u[2] + w[test_one_of(r, 3)]));
  } else {
    X.p = random_vector(r, .8 * (a->size + b->size));
  }
  return X;
}

/* ---- what must hold -------------------------------------------------------------------------- */

static int is_finite(sup_v3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

/** Signed distance of a world point from a solid, negative inside [m]. */
static double outside(const solid *s, const sup_frame *X, sup_v3 x) {
  sup_v3 gradient;
  return sup_shape_depth(&s->shape, sup_frame_apply_inverse(X, x), &gradient);
}

/** Largest sum of the depths in both solids at the corners of a patch [m]: so far at least they
 * must be moved to part, as each holds a ball of its depth. */
static double overlap_at_corners(const sup_contact *c, const solid *a, const sup_frame *X,
                                 const solid *b, const sup_frame *Y) {
  double most = 0;
  for (int i = 0; i < c->num_points; i++)
    most = fmax(most, -outside(a, X, c->point[i]) - outside(b, Y, c->point[i]));
  return most;
}

static int is_box(const solid *s) { return s->shape.type == SUP_SHAPE_BOX; }

/** First fault of a contact; NULL: none. */
static const char *fault_of(const sup_contact *c, const solid *a, const sup_frame *X,
                            const solid *b, const sup_frame *Y, double modulus, int is_fan) {
  double p = -c->phi * c->slope, tolerance = 1e-9 * a->size;
  if (c->num_points < 3 || c->num_points > SUP_CONTACT_MAX_POINTS) return "number of corners";
  if (!(isfinite(c->slope) && c->slope > 0 && isfinite(c->area) && c->area > 0))
    return "slope or area";
  if (!(isfinite(c->spread) && c->spread >= 0)) return "spread";
  if (!(p >= -1e-12 * modulus && p <= modulus * (1 + 1e-9))) return "pressure";
  if (!(is_finite(c->centroid) && fabs(sup_v3_norm(c->normal) - 1) < 1e-12))
    return "centroid or normal";
  if (b && !(c->penetration <= a->size + b->size)) return "more penetration than the bodies' sizes";
  if (b && !is_fan && is_box(a) && is_box(b) &&
      !(c->penetration <= overlap_at_corners(c, a, X, b, Y) + 1e-9 * (a->size + b->size)))
    return "more penetration than overlap";
  for (int i = 0; i < c->num_points && !is_fan; i++) {
    if (!(outside(a, X, c->point[i]) < tolerance)) return "a corner outside of a";
    if (b && !(outside(b, Y, c->point[i]) < tolerance + 1e-9 * b->size))
      return "a corner outside of b";
  }
  return NULL;
}

static double perimeter_of(const sup_contact *c) {
  double sum = 0;
  for (int i = 0; i < c->num_points; i++)
    sum += sup_v3_norm(sup_v3_sub(c->point[i + 1 < c->num_points ? i + 1 : 0], c->point[i]));
  return sum;
}

/** Either narrow phase with the field of b, polygons or fans; b NULL: the field is that of a half
 * space. */
static outcome collide(const solid *a, const sup_frame *X, int by_surface, const solid *b,
                       const sup_field *field, const sup_frame *Y, int triangles) {
  outcome           out = {.least_slope = HUGE_VAL};
  sup_contact_list  list = {0};
  sup_contact       prototype = {0};
  sup_patch_options options = {.candidate = item,
                               .highest = HUGE_VAL,
                               .workspace_a = workspace_a,
                               .workspace_faces = workspace_faces,
                               .workspace_b = workspace_b,
                               .triangles = triangles,
                               .at_pressure = 1};
  sup_moving_field  to = placed(field, *Y);
  if (by_surface) {
    sup_moving_surface from = {
        .surface = a->surface, .node = a->bvh->node, .points = a->points, .X_WS = *X};
    OK(sup_collide_surface_field(&list, &prototype, &from, &to, &options));
  } else {
    sup_moving_field from = placed(a->field, *X);
    OK(sup_collide_field_field(&list, &prototype, &from, &to, &options));
  }
  out.count = list.count, out.dropped = 1e-14 * list.discarded_small;
  for (int i = 0; i < list.count; i++) {
    const sup_contact *c = &list.contact[i];
    sup_v3             f = sup_v3_scale(-c->phi * c->slope * c->area, c->normal);
    const char        *fault = fault_of(c, a, X, b, Y,
                                 !by_surface ? a->modulus
                                        : b         ? b->modulus
                                                    : HUGE_VAL,
                                        triangles);
    if (fault && !out.fault) out.fault = fault;
    out.area += c->area, out.perimeter += perimeter_of(c);
    out.least_slope = fmin(out.least_slope, c->slope);
    out.force = sup_v3_add(out.force, f),
    out.moment = sup_v3_add(out.moment, sup_v3_cross(c->centroid, f));
  }
  sup_contact_list_free(&list);
  if (out.fault) printf("\n    %s; ", out.fault);
  CHECK(!out.fault);
  return out;
}

static double distance(sup_v3 a, sup_v3 b) { return sup_v3_norm(sup_v3_sub(a, b)); }

/** A pair, in the world frame Y of b. */
static int check_pair(test_random *r, const solid *a, const solid *b) {
  int       aligned = test_one_of(r, 3) == 0, by_surface = test_one_of(r, 3) == 0;
  sup_frame Y = {random_rotation(r, aligned && test_one_of(r, 2)), random_vector(r, 1)};
  sup_frame relative = random_pose(r, a, b, aligned), X = sup_frame_mul(&Y, &relative);
  outcome   one = collide(a, &X, by_surface, b, b->field, &Y, 0),
          fan = collide(a, &X, by_surface, b, b->field, &Y, 1);
  double size = fmin(a->size, b->size), pressure = fmin(a->modulus, b->modulus);
  if (by_surface) pressure = b->modulus;
  double area = 1e-9 * size * size + fan.dropped, force = pressure * area,
         arm = sup_v3_norm(Y.p) + a->size + b->size;
  NEAR(fan.area, one.area, 1e-9, area);
  NEAR(distance(fan.force, one.force), 0, 0, force);
  NEAR(distance(fan.moment, one.moment), 0, 0, force * arm);
  if (!by_surface) {
    outcome back = collide(b, &Y, 0, a, a->field, &X, 0);
    NEAR(sup_v3_norm(sup_v3_add(back.force, one.force)), 0, 0, force);
    NEAR(sup_v3_norm(sup_v3_add(back.moment, one.moment)), 0, 0, force * arm);
  }
  if (aligned) return one.count;
  /* surfaces of equal pressure move by |grad pB| shift / |grad pA - grad pB|, and the latter is at
   * least 4 slopes */
  double shift = 1e-9 * size, steep = b->modulus / b->depth;
  X.p = sup_v3_madd(X.p, shift, sup_v3_unit(random_vector(r, 1)));
  outcome moved = collide(a, &X, by_surface, b, b->field, &Y, 1);
  double  speed = 1 + (by_surface ? 0 : steep / (4 * fmin(fan.least_slope, moved.least_slope)));
  NEAR(moved.area, fan.area, 0, 100 * shift * speed * (fan.perimeter + moved.perimeter) + area);
  return one.count;
}

/** A solid in a layer, or on a rigid floor. */
static int check_floor(test_random *r, const solid *a) {
  int is_rigid = test_one_of(r, 2), aligned = test_one_of(r, 3) == 0,
      by_surface = !is_rigid && test_one_of(r, 3) == 0;
  double     steepest = test_between(r, 1e5, 1e10);
  sup_field *floor_field = layer(steepest, is_rigid);
  sup_frame  Y = {random_rotation(r, aligned && test_one_of(r, 2)), random_vector(r, 1)};
  sup_frame  relative = {random_rotation(r, aligned),
                         {0, 0, aligned ? .25 * a->shape.size[2] * test_one_of(r, 4) : 0}};
  if (!aligned) relative.p.z = a->size * test_uniform(r);
  sup_frame X = sup_frame_mul(&Y, &relative);
  outcome   one = collide(a, &X, by_surface, NULL, floor_field, &Y, 0);
  outcome   fan = collide(a, &X, by_surface, NULL, floor_field, &Y, 1);
  double    area = 1e-9 * a->size * a->size + fan.dropped;
  NEAR(fan.area, one.area, 1e-9, area);
  NEAR(distance(fan.force, one.force), 0, 0,
       1e-9 * sup_v3_norm(one.force) + area * steepest * 2 * a->size);
  sup_field_destroy(&floor_field);
  return one.count;
}

static long num_pairs(void) {
  const char *text = getenv("SUPPLE_FUZZ");
  long        n = text ? strtol(text, NULL, 10) : 0;
  return n > 0 ? n : 2000;
}

static void random_pairs_of_shapes(void) {
  enum { NUM_POSES = 8 };
  test_random random = {2024};
  long        touching = 0, n = num_pairs();
  for (long done = 0; done < n; done += NUM_POSES) {
    uint64_t seed = random.state;
    unsigned failures = CU_get_number_of_failures();
    solid    a = random_solid(&random), b = test_one_of(&random, 8) ? random_solid(&random) : a;
    int      same = b.field == a.field;
    for (int k = 0; k < NUM_POSES; k++) {
      unsigned before = CU_get_number_of_failures();
      touching += (k % 4 == 3 ? check_floor(&random, &a) : check_pair(&random, &a, &b)) > 0;
      if (CU_get_number_of_failures() > before)
        printf("    seed %llu pose %d: type %d (%g %g %g) and %d (%g %g %g)\n",
               (unsigned long long)seed, k, a.shape.type, a.shape.size[0], a.shape.size[1],
               a.shape.size[2], b.shape.type, b.shape.size[0], b.shape.size[1], b.shape.size[2]);
    }
    forget(&a);
    if (!same) forget(&b);
    if (CU_get_number_of_failures() > failures + 200) break;
  }
  printf("%ld pairs, %ld touch; ", n, touching);
  CHECK(2 * touching > n / 2);
}

/* ---- the search ------------------------------------------------------------------------------ */

/** A hierarchy with the same leaves whose boxes all overlap. */
static sup_bvh_node *boundless(const sup_bvh *bvh) {
  size_t        n = 2 * (size_t)bvh->num_items - 1;
  sup_bvh_node *node = malloc(n * sizeof *node);
  for (size_t i = 0; i < n; i++)
    node[i] = bvh->node[i], node[i].box = (sup_box){{-9, -9, -9}, {9, 9, 9}};
  return node;
}

static int by_place(const void *a, const void *b) {
  const sup_contact *c = a, *d = b;
  int                order = memcmp(&c->centroid, &d->centroid, sizeof c->centroid);
  return order ? order : memcmp(&c->area, &d->area, sizeof c->area);
}

static int are_same(const sup_contact *c, const sup_contact *d) {
  return memcmp(&c->centroid, &d->centroid, sizeof c->centroid) == 0 && c->area == d->area &&
         c->phi == d->phi && c->slope == d->slope && c->num_points == d->num_points &&
         memcmp(c->point, d->point, (size_t)c->num_points * sizeof *c->point) == 0;
}

/** A random solid with a margin that bodies may fall through in a step. */
static solid solid_with_margin(test_random *r) {
  solid s = random_solid(r);
  sup_field_destroy(&s.field);
  s.field = field_of(&s.shape, s.modulus, .5 * s.size, fmin(.1 * s.size, s.depth));
  return s;
}

static double drop_of(const solid *a, const solid *b) {
  return .8 * fmin(a->field->margin, b->field->margin);
}

/** Move a so that it is apart from b, which stands at the origin, by less than bodies may fall in
 * the search. */
static void part(test_random *r, const solid *a, sup_frame *X, const solid *b) {
  sup_posed_shape placed_a = {&a->shape, *X}, placed_b = {&b->shape, at_height(0)};
  sup_point_set   set;
  sup_collide_point(&placed_a, &placed_b, HUGE_VAL, HUGE_VAL, &set);
  double least = HUGE_VAL, gap = test_between(r, .01, .99) * drop_of(a, b);
  for (int k = 0; k < set.count; k++) least = fmin(least, set.point[k].phi);
  if (set.count > 0) X->p = sup_v3_madd(X->p, least - gap, set.normal);
}

/** A moving pair through the narrow phase; `all`: past the search. */
static sup_contact_list search(const solid *a, sup_bvh_node *all_a, const sup_field *b,
                               sup_bvh_node *all_b, const sup_frame *X, const sup_v3 motion[2],
                               int by_surface, double highest, double drop) {
  sup_contact_list  list = {0};
  sup_contact       prototype = {0};
  double            speed = sup_v3_norm(motion[0]) + 3 * a->size * sup_v3_norm(motion[1]), dt = .01;
  sup_patch_options options = {.dt = dt,
                               .workspace_a = workspace_a,
                               .workspace_b = workspace_b,
                               .workspace_faces = workspace_faces,
                               .candidate = item,
                               .highest = highest,
                               .reach = dt * speed + drop,
                               .moving = dt * speed,
                               .drop = drop};
  sup_moving_field  to = placed(b, at_height(0));
  if (all_b) to.node = all_b, to.inner = NULL;
  if (by_surface) {
    sup_moving_surface from = {.surface = a->surface,
                               .node = a->bvh->node,
                               .points = a->points,
                               .X_WS = *X,
                               .v = motion[0],
                               .w = motion[1]};
    if (all_a) from.node = all_a;
    OK(sup_collide_surface_field(&list, &prototype, &from, &to, &options));
  } else {
    sup_moving_field from = placed(a->field, *X);
    from.v = motion[0], from.w = motion[1];
    if (all_a) from.node = all_a, from.inner = NULL;
    OK(sup_collide_field_field(&list, &prototype, &from, &to, &options));
  }
  if (list.count > 0) qsort(list.contact, (size_t)list.count, sizeof *list.contact, by_place);
  return list;
}

/* Pairs that the boxes exclude give nothing: the same pieces, to the bit, as from all pairs of
 * cells, for bodies that overlap, fly at each other or rest in each other's margins, also in a
 * layer. */
static void the_search_finds_what_all_pairs_give(void) {
  test_random random = {7};
  int         touching = 0, pieces = 0;
  for (int k = 0; k < 80; k++) {
    solid      a = solid_with_margin(&random), b = solid_with_margin(&random);
    int        by_surface = k % 4 == 1, in_layer = k % 4 == 2;
    sup_field *floor_field = in_layer ? layer(b.modulus / b.size, test_one_of(&random, 2)) : NULL;
    sup_bvh_node *all_a = boundless(by_surface ? a.bvh : a.field->bvh),
                 *all_b = in_layer ? NULL : boundless(b.field->bvh);
    if (floor_field && floor_field->is_rigid) by_surface = 0;
    for (int pose = 0; pose < 4; pose++) {
      sup_frame X = random_pose(&random, &a, &b, pose == 3);
      if (pose < 2 && !in_layer) part(&random, &a, &X, &b);
      double fast = test_one_of(&random, 3) ? .3 : 0,
             highest = test_one_of(&random, 2) ? HUGE_VAL : fmax(a.modulus, b.modulus);
      sup_v3 motion[2] = {random_vector(&random, fast), random_vector(&random, 10 * fast)};
      const sup_field *f = in_layer ? floor_field : b.field;
      sup_contact_list found =
          search(&a, NULL, f, NULL, &X, motion, by_surface, highest, drop_of(&a, &b));
      sup_contact_list all =
          search(&a, all_a, f, all_b, &X, motion, by_surface, HUGE_VAL, drop_of(&a, &b));
      int same = found.count == all.count;
      for (int i = 0; i < found.count && same; i++)
        same = are_same(&found.contact[i], &all.contact[i]);
      if (!same)
        printf("    pair %d pose %d: %d pieces, all pairs give %d\n", k, pose, found.count,
               all.count);
      CHECK(same);
      touching += all.count > 0, pieces += all.count;
      sup_contact_list_free(&found);
      sup_contact_list_free(&all);
    }
    free(all_a);
    free(all_b);
    sup_field_destroy(&floor_field);
    forget(&a);
    forget(&b);
  }
  printf("%d of 320 touch, %d pieces; ", touching, pieces);
  CHECK(touching > 200);
}

SUITE_TESTS(fuzz_field, TEST(random_pairs_of_shapes), TEST(the_search_finds_what_all_pairs_give));
