#include "collide/passage.h"

#include "geom/gjk.h"
#include "test.h"

static sup_v3 any(test_random *random) {
  double x = test_uniform(random), y = test_uniform(random), z = test_uniform(random);
  return sup_v3_make(x, y, z);
}

static sup_posed_shape place(test_random *random, const sup_shape *shape, double apart) {
  sup_v3 turn = sup_v3_scale(3, any(random));
  return (sup_posed_shape){shape,
                           {sup_quat_matrix(sup_quat_exp(turn)), sup_v3_scale(apart, any(random))}};
}

static double gap(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 shift) {
  double rounding = sup_rounding(a->shape) + sup_rounding(b->shape);
  return fmax(0, sup_gjk_distance(a, b, shift, .1).distance - rounding);
}

/* Samples lie so close that a gap changes by no more than `step` from one to the next. */
static void meetings_are_those_of_samples(void) {
  enum { SAMPLES = 50 };
  static const sup_shape shape[] = {{SUP_SHAPE_SPHERE, {.05}},
                                    {SUP_SHAPE_BOX, {.1, .04, .06}},
                                    {SUP_SHAPE_CAPSULE, {.02, .1}},
                                    {SUP_SHAPE_ELLIPSOID, {.02, .03, .06}}};
  const double           slack = .002;
  test_random            random = {11};
  int                    meet = 0, apart = 0;
  for (int k = 0; k < 2000; k++) {
    sup_posed_shape a = place(&random, &shape[k % 4], 0),
                    b = place(&random, &shape[k / 4 % 4], .15);
    sup_v3 travel = sup_v3_scale(k % 3 ? .3 : .02, any(&random));
    double least = HUGE_VAL, step = sup_v3_norm(travel) / SAMPLES;
    for (int i = 0; i <= SAMPLES; i++)
      least = fmin(least, gap(&a, &b, sup_v3_scale((double)i / SAMPLES, travel)));
    int meets = sup_meets_shape(&a, &b, travel, slack);
    if (least <= slack) CHECK(meets);
    if (least > slack + step) CHECK(!meets);
    meet += least <= slack, apart += least > slack + step;
  }
  printf("%d meet, %d stay apart, ", meet, apart);
  CHECK(meet > 300 && apart > 300);
}

SUITE_TESTS(passage, TEST(meetings_are_those_of_samples));
