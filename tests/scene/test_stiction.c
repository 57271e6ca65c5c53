/* The stiction tolerance that a scene gets when it names none. */
#include "scene/scene.h"
#include "test.h"

static const char *const path = "build/stiction_scene.yaml";

/** v_s and the slip of statics of a ball on a floor. */
static sup_options options_of(const char *radius, const char *contact) {
  FILE      *f = fopen(path, "w");
  sup_scene *scene;
  CHECK(f != NULL);
  fprintf(f,
          "supple: 1\ntime: {step: 10 ms, end: 1 s}\ncontact: {%s}\nrigid:\n"
          "  floor: {shape: {half_space: {}}, fixed: true}\n"
          "  ball: {shape: {sphere: {radius: %s}}, mass: 1 kg}\n",
          contact, radius);
  fclose(f);
  OK(sup_scene_load(&scene, path, NULL, 0));
  sup_options o = scene->options;
  sup_scene_destroy(&scene);
  remove(path);
  return o;
}

static void it_goes_with_the_size_of_the_smallest_body(void) {
  static const struct {
    const char *radius;
    double      speed;
  } cases[] = {{"20 um", 6e-12}, {"20 mm", 6e-9}, {"20 m", 6e-6}, {"20 km", 6e-3}};
  for (int i = 0; i < 4; i++)
    NEAR(options_of(cases[i].radius, "").stiction_tolerance, cases[i].speed, 1e-12, 0);
}

static void a_number_that_is_given_is_kept(void) {
  sup_options o = options_of("20 mm", "stiction_tolerance: 0.3 mm/s");
  NEAR(o.stiction_tolerance, 3e-4, 1e-12, 0);
  CHECK(o.static_slip == 0);
  NEAR(options_of("20 mm", "static_slip: 5 um").static_slip, 5e-6, 1e-12, 0);
}

/* Load steps do not last: nothing creeps in them, and their friction builds up over 0.1 mm/s times
 * the step as before.
 */
static void equilibria_keep_their_slip(void) {
  NEAR(options_of("20 mm", "").static_slip, 1e-6, 1e-12, 0);
}

/* Two seconds without frames. */
static void controlled_steps_are_at_most_a_fiftieth_of_the_run(void) {
  FILE      *f = fopen(path, "w");
  sup_scene *scene;
  CHECK(f != NULL);
  fprintf(f,
          "supple: 1\ntime: {accuracy: 1.0e-3, end: 2 s}\nrigid:\n"
          "  ball: {shape: {sphere: {radius: 20 mm}}, mass: 1 kg}\n");
  fclose(f);
  OK(sup_scene_load(&scene, path, NULL, 0));
  NEAR(scene->options.accuracy.max_step, .04, 1e-12, 0);
  sup_scene_destroy(&scene);
  remove(path);
}

SUITE_TESTS(stiction, TEST(controlled_steps_are_at_most_a_fiftieth_of_the_run),
            TEST(it_goes_with_the_size_of_the_smallest_body), TEST(a_number_that_is_given_is_kept),
            TEST(equilibria_keep_their_slip));
