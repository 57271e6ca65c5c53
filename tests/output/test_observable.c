#include <string.h>

#include "measure/observable.h"
#include "test.h"

static void every_observable_has_a_name_a_unit_and_a_meaning(void) {
  const sup_observable_group *group;
  CHECK(sup_observable_group_at(10) != NULL);
  for (int g = 0; (group = sup_observable_group_at(g)) != NULL; g++) {
    CHECK(group->what[0] && group->count && group->prefix && group->num_rows > 0);
    for (int r = 0; r < group->num_rows; r++) {
      const sup_observable *o = &group->row[r];
      CHECK(o->names[0] && o->unit[0] && strlen(o->meaning) > 3 && o->value);
      CHECK(sup_observable_width(o) <= SUP_OBSERVABLE_MAX_WIDTH);
    }
  }
}

static void no_column_of_a_group_has_the_name_of_another(void) {
  const sup_observable_group *group;
  for (int g = 0; (group = sup_observable_group_at(g)) != NULL; g++)
    for (int a = 0; a < group->num_rows; a++)
      for (int b = 0; b < a; b++)
        for (int k = 0; k < sup_observable_width(&group->row[a]); k++)
          for (int l = 0; l < sup_observable_width(&group->row[b]); l++) {
            char x[SUP_COLUMN_MAX], y[SUP_COLUMN_MAX];
            sup_observable_column(&group->row[a], k, "", x);
            sup_observable_column(&group->row[b], l, "", y);
            CHECK(strcmp(x, y) != 0);
          }
}

static void columns_are_split_at_blanks(void) {
  const sup_observable o = {"fx fy fz", "N", "a force", NULL, SUP_QUOTED_FORCE};
  char                 text[SUP_COLUMN_MAX];
  CHECK(sup_observable_width(&o) == 3);
  sup_observable_column(&o, 0, "contact.A.B.", text);
  CHECK(strcmp(text, "contact.A.B.fx") == 0);
  sup_observable_column(&o, 2, "", text);
  CHECK(strcmp(text, "fz") == 0);
}

static void a_column_is_found_by_its_name(void) {
  static const struct {
    const char *column, *unit;
    sup_quoted  quoted;
  } known[] = {{"time", "s", SUP_QUOTED_NOT},
               {"box.x", "m", SUP_QUOTED_RIGID},
               {"robot/hand.wz", "rad/s", SUP_QUOTED_NOT},
               {"arm.elbow.tau", "N m or N", SUP_QUOTED_EFFORT},
               {"finger.von_mises_p99", "Pa", SUP_QUOTED_STRESS},
               {"finger.com_y", "m", SUP_QUOTED_CENTRE},
               {"contact.arm/hand.box.fx", "N", SUP_QUOTED_FORCE},
               {"contact.toy.toy.fn", "N", SUP_QUOTED_FORCE},
               {"contact.a.b.wrap", "deg", SUP_QUOTED_NOT},
               {"energy.kinetic", "J", SUP_QUOTED_ENERGY},
               {"reaction.finger.0.fz", "N", SUP_QUOTED_FORCE},
               {"reaction.finger.0.tz", "N m", SUP_QUOTED_NOT},
               {"attach.finger.fx", "N", SUP_QUOTED_FORCE},
               {"probe.tip.z", "m", SUP_QUOTED_PROBE},
               {"newton", "-", SUP_QUOTED_NOT},
               {"momentum_residual", "sqrt(J)", SUP_QUOTED_NOT}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const sup_observable *o = sup_observable_find(known[i].column);
    CHECK(o != NULL);
    if (o && (strcmp(o->unit, known[i].unit) || o->quoted != known[i].quoted))
      printf(" [%s] ", known[i].column);
    CHECK(o && strcmp(o->unit, known[i].unit) == 0 && o->quoted == known[i].quoted);
  }
  CHECK(!sup_observable_find("box.weight") && !sup_observable_find("Newton") &&
        !sup_observable_find(""));
}

static void statistics_are_of_columns_of_one_number_that_every_scene_has_once(void) {
  int                         i = 0;
  const sup_observable_group *group, *times = sup_observable_group_at(0);
  const sup_observable       *o;
  for (; (o = sup_observable_with_statistic(i, &group)) != NULL; i++) {
    CHECK(sup_observable_width(o) == 1 && group->count == times->count);
    CHECK((!o->counts && !o->body) || group->is_of_step);
    CHECK(o->statistic == SUP_STATISTIC_MAX || o->entry);
  }
  CHECK(i > 10 && i <= SUP_MAX_STATISTICS);
}

static void a_running_statistic_keeps_largest_mean_and_last(void) {
  static const double number[] = {-3, 2, 7, 1};
  sup_running         r;
  sup_running_begin(&r);
  CHECK(r.max == 0 && r.max_body == SUP_NONE && sup_running_mean(&r) == 0 && r.final == 0);
  for (int i = 0; i < 4; i++) sup_running_add(&r, number[i], 0.5 * i, i);
  CHECK(r.max == 7 && r.max_time == 1 && r.max_body == 2 && r.final == 1);
  NEAR(sup_running_mean(&r), 7. / 4, 0, 0);
  sup_running_add(&r, nan(""), 9, 9); /* is neither the largest nor the last */
  CHECK(r.max == 7 && r.max_time == 1 && r.final == 1);
  sup_running_add(&r, HUGE_VAL, 10, 3); /* is void, and says so */
  CHECK(r.max == HUGE_VAL && r.max_body == 3 && r.final == 1);
}

SUITE_TESTS(observable, TEST(every_observable_has_a_name_a_unit_and_a_meaning),
            TEST(no_column_of_a_group_has_the_name_of_another), TEST(columns_are_split_at_blanks),
            TEST(a_column_is_found_by_its_name),
            TEST(statistics_are_of_columns_of_one_number_that_every_scene_has_once),
            TEST(a_running_statistic_keeps_largest_mean_and_last));
