/* Error bars of values that converge by a known order, and of such that do not. */
#include "study/estimate.h"
#include "test.h"

static void one_repeat_is_taken_to_be_of_first_order(void) {
  double        finer = 2 + 0.15; /* of 2 + 0.3 h */
  sup_error_bar bar = sup_error_bar_of(2.3, &finer, 1);
  NEAR(bar.error, 1.25 * 0.3, 1e-12, 0);
  CHECK(isnan(bar.order));
}

static void more_repeats_tell_the_order_up_to_the_second(void) {
  static const double order[] = {0.7, 1, 1.5, 2};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    double half = exp2(-order[i]), finer[] = {-5 + half, -5 + half * half, -5 + half * half * half};
    sup_error_bar two = sup_error_bar_of(-4, finer, 2), three = sup_error_bar_of(-4, finer, 3);
    NEAR(two.error, 1.25, 1e-8, 0);
    NEAR(three.error, 1.25, 1e-8, 0);
    NEAR(two.order, order[i], 1e-8, 0);
  }
  double        finer[] = {1.0625, 1.00390625}; /* fourth order: believed to the second */
  sup_error_bar bar = sup_error_bar_of(2, finer, 2);
  NEAR(bar.order, 4, 1e-8, 0);
  NEAR(bar.error, 1.25 * (2 - (1.00390625 - 0.05859375 / 3)), 1e-9, 0);
}

static void what_does_not_converge_gets_no_bar(void) {
  const double changes_sign = -0.1, doubles = 2.1, grows[] = {1.1, 1.3}, swings[] = {1.1, 1.05},
               slow[] = {1.1, 1.19};
  CHECK(isnan(sup_error_bar_of(1, &changes_sign, 1).error));
  CHECK(isnan(sup_error_bar_of(1, &doubles, 1).error));
  CHECK(isnan(sup_error_bar_of(1, grows, 2).error));
  CHECK(isnan(sup_error_bar_of(1, swings, 2).error));
  CHECK(isnan(sup_error_bar_of(1, slow, 2).error));
  CHECK(isnan(sup_error_bar_of(0, &doubles, 1).error));
}

SUITE_TESTS(error_bar, TEST(one_repeat_is_taken_to_be_of_first_order),
            TEST(more_repeats_tell_the_order_up_to_the_second),
            TEST(what_does_not_converge_gets_no_bar));
