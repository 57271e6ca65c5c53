/* Random bodies with hollows, deep in each other and beside: no NaN, no negative pressure, nothing
 * outside of either body, forces mutual, polygons and triangles alike.  SUPPLE_FUZZ=10000 sets the
 * number of pairs. */
#include "mesh_solid.h"

static solid_surface surface;

/** A ball with dents and horns, a ring, an angle, stretched any way. */
static mesh_solid random_solid(test_random *r) {
  int    shape = test_one_of(r, 4);
  double size = test_between(r, .02, .2), stretch[3];
  if (shape == 0)
    solid_torus(&surface, size, size * test_between(r, .2, .8), 5 + test_one_of(r, 8),
                3 + test_one_of(r, 6));
  if (shape == 1) solid_angle(&surface, size, test_between(r, .1, 2) * size);
  if (shape >= 2) {
    solid_sphere(&surface, size, 1 + test_one_of(r, 2));
    for (int i = 0; i < surface.num_points; i++) {
      double factor = test_between(r, .4, 1.5);
      for (int k = 0; k < 3; k++) surface.point[3 * i + k] *= factor;
    }
  }
  for (int k = 0; k < 3; k++) stretch[k] = test_between(r, .5, 1.5);
  for (int i = 0; i < 3 * surface.num_points; i++) surface.point[i] *= stretch[i % 3];
  double margin = test_one_of(r, 2) ? size * test_between(r, .01, .5) : 0;
  return solid_filled(&surface, size * test_between(r, .3, 1), test_between(r, 1e4, 1e8),
                      (sup_field_kind)test_one_of(r, 2), margin);
}

static sup_frame random_pose(test_random *r, double reach) {
  sup_frame X = {sup_m3_identity(), {0, 0, 0}};
  int       how = test_one_of(r, 5);
  if (how > 0) X.R = sup_quat_matrix(sup_quat_exp(random_vector(r, 3)));
  if (how > 1) X.p = random_vector(r, reach);
  return X;
}

static int check_pair(test_random *r, const mesh_solid *a, const mesh_solid *b) {
  double    reach = .7 * (a->field->size + b->field->size), least = fmin(a->modulus, b->modulus);
  double    size = fmin(a->field->size, b->field->size), force = 1e-8 * least * size * size;
  sup_frame Y = {random_pose(r, 1).R, random_vector(r, 1)}, relative = random_pose(r, .5 * reach);
  sup_frame X = sup_frame_mul(&Y, &relative);
  solid_outcome one = solid_touch(a, &X, b, b->field, &Y, 0),
                fan = solid_touch(a, &X, b, b->field, &Y, 1);
  solid_outcome back = solid_touch(b, &Y, a, a->field, &X, 0);
  CHECK(isfinite(sup_v3_norm(one.force)) && isfinite(sup_v3_norm(one.moment)));
  NEAR(fan.area, one.area, 1e-8, 1e-8 * size * size);
  NEAR(sup_v3_norm(sup_v3_sub(fan.force, one.force)), 0, 0, force);
  NEAR(sup_v3_norm(sup_v3_add(back.force, one.force)), 0, 0, force);
  NEAR(sup_v3_norm(sup_v3_add(back.moment, one.moment)), 0, 0, force * (sup_v3_norm(Y.p) + reach));
  return one.count;
}

/** On a rigid floor or in a layer: the force points up and nothing but it acts. */
static int check_floor(test_random *r, const mesh_solid *a) {
  int        is_rigid = test_one_of(r, 2);
  sup_field *ground = layer(test_between(r, 1e5, 1e9), is_rigid);
  sup_frame  Y = {random_pose(r, 1).R, random_vector(r, 1)},
            relative = random_pose(r, .3 * a->field->size);
  sup_frame     X = sup_frame_mul(&Y, &relative);
  solid_outcome out = solid_touch(a, &X, NULL, ground, &Y, 0);
  if (is_rigid && out.count > 0) CHECK(sup_v3_dot(sup_m3_column(&Y.R, 2), out.force) <= 0);
  sup_field_destroy(&ground);
  return out.count;
}

enum {
  NUM_POSES = 10,
  MANY = 80
}; /* of two bodies; pairs of which at least half touch, whatever the bodies */

/** Whole bodies: a multiple of the poses. */
static long num_pairs(void) {
  const char *text = getenv("SUPPLE_FUZZ");
  long        n = text ? strtol(text, NULL, 10) : 0;
  return n > 0 ? (n + NUM_POSES - 1) / NUM_POSES * NUM_POSES : MANY;
}

static void random_pairs_of_hollow_bodies(void) {
  test_random random = {77};
  long        touching = 0, n = num_pairs();
  for (long done = 0; done < n; done += NUM_POSES) {
    uint64_t   seed = random.state;
    unsigned   before = CU_get_number_of_failures();
    mesh_solid a = random_solid(&random), b = random_solid(&random);
    for (int k = 0; k < NUM_POSES; k++)
      touching += (k % 4 == 3 ? check_floor(&random, &a) : check_pair(&random, &a, &b)) > 0;
    if (CU_get_number_of_failures() > before) printf("    seed %llu\n", (unsigned long long)seed);
    solid_forget(&a);
    solid_forget(&b);
    if (CU_get_number_of_failures() > 100) break;
  }
  printf("%ld pairs, %ld touch; ", n, touching);
  CHECK(n < MANY ? touching > 0 : 2 * touching > n); /* a few bodies may be far apart */
}

SUITE_TESTS(fuzz_mesh, TEST(random_pairs_of_hollow_bodies));
