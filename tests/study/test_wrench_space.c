/* Wrench spaces of point contacts, by closed forms and by directions at random. */
#include "study/holding/wrench_space.h"

#include <math.h>

#include "study/design.h"
#include "test.h"

#define R .02 /* [m], distance of the points from the origin, and length of moments */

static sup_grasp_contact at(double x, double y, double z, double load, double mu) {
  sup_v3 p = {x, y, z};
  sup_m3 T = sup_m3_frame_of_normal(p);
  return (sup_grasp_contact){
      .point = sup_v3_scale(R, p),
      .normal = sup_v3_scale(-1, p),
      .load = load,
      .friction = {sup_m3_apply(T, sup_v3_make(mu, 0, 0)), sup_m3_apply(T, sup_v3_make(0, mu, 0))}};
}

/* Points of 10 N on a line along y, mu = 0.5. */
static void two_points_resist_no_moment_about_their_line(void) {
  const sup_grasp_contact c[] = {at(0, 1, 0, 10, .5), at(0, -1, 0, 10, .5)};
  const double            x[] = {1, 0, 0}, y[] = {0, 1, 0}, z[] = {0, 0, 1};
  NEAR(sup_wrench_held(c, 2, 0, x), 10, 1e-14, 0);     /* 2 mu N */
  NEAR(sup_wrench_held(c, 2, 0, y), 0, 0, 1e-14);      /* the normal forces balance */
  NEAR(sup_wrench_held(c, 2, 1, z), 10 * R, 1e-14, 0); /* 2 mu N R */
  NEAR(sup_wrench_held(c, 2, 1, y), 0, 0, 1e-14);
  CHECK(sup_grasp_quality(c, 2, R) < 1e-6);
}

/* Points of 10 N at 120 degrees.  Force along z and moments about x, y share the friction along z:
 * for alpha^2 + beta^2 = 1 the least of sum_i |alpha + beta s_i|, s = (1, -1/2, -1/2), is at the
 * kink alpha = beta/2, 3/sqrt(5) mu N. */
static void three_points_at_120_degrees_meet_the_closed_form(void) {
  const double            s = sqrt(.75);
  const sup_grasp_contact c[] = {at(1, 0, 0, 10, .5), at(-.5, s, 0, 10, .5),
                                 at(-.5, -s, 0, 10, .5)};
  NEAR(sup_grasp_quality(c, 3, R), 10 * .5 * 3 / sqrt(5), 1e-6, 0);
  NEAR(sup_grasp_quality(c, 3, 1e6 * R), 0, 0, 1e-4); /* moments count for nothing then */
}

/* Nine points of several loads: no direction has less than epsilon, and one nearly as little; loads
 * scale it, and so do lengths of the moments with those of the object. */
static void no_direction_has_less_than_epsilon(void) {
  enum { NUM = 9 };
  sup_grasp_contact c[NUM], other[NUM];
  uint64_t          state = 7;
  double            w[6], d[6], least = HUGE_VAL;
  for (int i = 0; i < NUM; i++) {
    sup_v3 p = {sup_random_unit(&state) - .5, sup_random_unit(&state) - .5,
                sup_random_unit(&state) - .5};
    p = sup_v3_unit(p);
    other[i] = c[i] = at(p.x, p.y, p.z, 1 + i, .4 + .05 * i);
    c[i].friction[0] = other[i].friction[0] = sup_v3_scale(1 - .1 * i, c[i].friction[0]);
    other[i].load *= 1e6, other[i].point = sup_v3_scale(1e-3, c[i].point);
  }
  double epsilon = sup_grasp_quality(c, NUM, R);
  for (int n = 0; n < 200000; n++) {
    double norm = 0;
    for (int k = 0; k < 6; k++) d[k] = sup_random_unit(&state) - .5, norm += d[k] * d[k];
    double h = sup_wrench_support(c, NUM, R, d, w), along = 0;
    for (int k = 0; k < 6; k++) along += w[k] * d[k];
    if (n < 100) NEAR(along, h, 1e-12, 0);
    least = fmin(least, h / sqrt(norm));
  }
  CHECK(epsilon > 0 && epsilon <= least && least < 1.2 * epsilon);
  NEAR(sup_grasp_quality(other, NUM, 1e-3 * R), 1e6 * epsilon, 1e-6, 0);
  printf("epsilon %.6g N, %.3f of the least at random ", epsilon, epsilon / least);
}

SUITE_TESTS(wrench_space, TEST(two_points_resist_no_moment_about_their_line),
            TEST(three_points_at_120_degrees_meet_the_closed_form),
            TEST(no_direction_has_less_than_epsilon));
