/* Forces on a finger that was measured (examples/studies/finray_measured.py): with the friction
 * that is fitted there once, computed curves are as near to the measured ones as that says. */
#include "app/app_test.h"
#include "study/quantity.h"

enum { MOST = 8 };

/** Force on the cylinder at a time of the approach [N]. */
static double force_at(const char *folder, double time) {
  static const char *const column[] = {"contact.cylinder.front.fx", "contact.cylinder.front.fy"};
  double                   f[2] = {0};
  char                     path[512];
  snprintf(path, sizeof path, "%s/%s", test_folder(), folder);
  for (int k = 0; k < 2; k++) {
    sup_quantity_def def = {.source = column[k],
                            .take = SUP_WINDOW_AT,
                            .from = -1e9,
                            .to = 1e9,
                            .at = time,
                            .scale = 1};
    OK(sup_quantity_value(&def, path, &f[k]));
  }
  return hypot(f[0], f[1]);
}

/** Every 5 mm of the approach within a share of the measured force [N]. */
static void check_curve(const char *folder, int count, const double *measured, double share) {
  for (int k = 0; k < count; k++)
    NEAR(force_at(folder, (k + 1) / (double)count), measured[k], share, 0);
}

#define FRICTION                                                                         \
  "--set rigid.cylinder.contact.friction=0.291 --set soft.front.contact.friction=0.291 " \
  "--set output.format=none"

static void a_finger_with_bars_pushes_as_the_mean_of_two_runs(void) {
  static const double mean[] = {1.275, 2.62, 4.37, 6.35, 9.09, 12.69};
  check_run("static examples/studies/finray_measured.yaml -q -o FOLDER/bars " FRICTION, 0, "");
  check_curve("bars", 6, mean, 0.05);
}

#define ENDS                                                    \
  "[{\"link\":\"bars/base\",\"region\":{\"named\":\"y_min\"}}," \
  "{\"link\":\"bars/tip\",\"region\":{\"named\":\"y_max\"}}]"

static void a_finger_without_bars_pushes_as_it_was_measured(void) {
  static const double measured[MOST] = {1.10, 2.35, 3.85, 5.37, 6.74, 8.06, 9.18, 10.01};
  check_run("static examples/studies/finray_measured.yaml -q -o FOLDER/large " FRICTION
            " --set rigid.cylinder.shape.cylinder.radius=31.5mm"
            " --set rigid.cylinder.pose.position=[-32mm,66.5mm,14mm]"
            " --set rigid.cylinder.motion=[[0s,0,0,0,0,0,0],[1s,40mm,0,0,0,0,0]]"
            " --set static.steps=16 --set 'soft.front.attach=" ENDS
            "'"
            " --set 'soft.back.attach=" ENDS "'",
            0, "");
  check_curve("large", MOST, measured, 0.08);
}

SUITE_TESTS(measured, TEST(a_finger_with_bars_pushes_as_the_mean_of_two_runs),
            TEST(a_finger_without_bars_pushes_as_it_was_measured));
