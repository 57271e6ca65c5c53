/* A FinRay gripper closes on a cylinder by force: each finger goes on until it presses with 2 N,
 * and holds that while the hand lifts.
 *
 *   cc grasp.c $(pkg-config --cflags --libs supple) -lm -o grasp
 *   ./grasp share/supple/examples/finray_grasp.yaml 500 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <supple.h>

static void check(sup_status status) {
  if (status == SUP_OK) return;
  fprintf(stderr, "%s\n", sup_error_message());
  exit(1);
}

/** Sum of the normal forces of a pair's contacts [N]. */
static double load_of(sup_simulator *sim, int pair) {
  const sup_contact_patch *patch;
  int                      count;
  double                   load = 0;
  check(sup_simulator_contacts(sim, pair, &patch, &count));
  for (int i = 0; i < count; i++) load += patch[i].pressure * patch[i].area;
  return load;
}

int main(int argc, char **argv) {
  const double   wanted = 2, speed = 0.03; /* [N], [m/s] */
  const int      steps = argc > 2 ? atoi(argv[2]) : 500;
  sup_scene     *scene;
  sup_model     *model;
  sup_simulator *sim;
  check(sup_scene_load(&scene, argc > 1 ? argv[1] : "examples/finray_grasp.yaml", NULL, 0));
  check(sup_model_create(&model, sup_scene_model_def(scene)));
  sup_simulator_def def = sup_scene_simulator_def(scene, model);
  check(sup_simulator_create(&sim, &def));

  static const char *const drive[2] = {"close_left", "close_right"};
  static const char *const pair[2] = {"left_finger+cylinder", "right_finger+cylinder"};
  int                      actuator[2], touch[2], cylinder;
  for (int k = 0; k < 2; k++) {
    check(sup_simulator_find(sim, SUP_OBJECT_ACTUATOR, drive[k], &actuator[k]));
    check(sup_simulator_find(sim, SUP_OBJECT_PAIR, pair[k], &touch[k]));
  }
  check(sup_simulator_find(sim, SUP_OBJECT_BODY, "cylinder", &cylinder));

  double    target[2] = {0, 0}, load[2] = {0, 0}, dt = def.options.dt;
  sup_array pose;
  for (int i = 0; i < steps; i++) {
    for (int k = 0; k < 2; k++) {
      double rate = fmax(-1, fmin(1, wanted - load[k])) * speed;
      if (sup_simulator_time(sim) > 0.5) target[k] += rate * dt;
      check(sup_simulator_set(sim, SUP_SET_TARGET, actuator[k], &target[k], 1, dt));
    }
    check(sup_simulator_step(sim, NULL));
    for (int k = 0; k < 2; k++) load[k] = load_of(sim, touch[k]);
  }
  check(sup_simulator_read(sim, SUP_READ_POSE, cylinder, &pose));
  printf(
      "%.2f s: the fingers press with %.3f N and %.3f N, the cylinder is at %.4f m, hash %016llx\n",
      sup_simulator_time(sim), load[0], load[1], pose.data[2],
      (unsigned long long)sup_state_hash(sup_simulator_state(sim)));
  sup_simulator_destroy(&sim);
  sup_model_destroy(&model);
  sup_scene_destroy(&scene);
  return 0;
}
