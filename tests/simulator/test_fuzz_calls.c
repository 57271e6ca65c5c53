/* Random calls of the library with arguments that programs get wrong. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "supple.h"
#include "test.h"

static unsigned long long seed = 88172645463325252ULL;

static int below(int n) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return (int)(seed % (unsigned)n);
}

static int bad_int(int good) {
  const int some[] = {-1, -2, good, good + 1, 100000, 2147483647, -2147483647 - 1};
  return below(3) ? below(good + 1) : some[below(7)];
}

static double bad_double(void) {
  const double some[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 1e300, -1e300, 1e-300, 0, -1};
  return below(6) ? .01 * (below(201) - 100) : some[below(8)];
}

static const char scene[] =
    "supple: 1\ntime: {step: 1 ms, end: 1 s}\ncontact: {defaults: {friction: 0.5}}\n"
    "materials: {soft: {youngs_modulus: 1 MPa, poissons_ratio: 0.4, density: 1000}}\n"
    "rigid:\n  floor: {shape: {half_space: {}}, fixed: true}\n"
    "  ball: {shape: {sphere: {radius: 1 cm}}, mass: 10 g, pose: {position: [5 cm, 0, 1 cm]}}\n"
    "  box: {shape: {box: {size: [1 cm, 1 cm, 1 cm]}}, mass: 10 g,\n"
    "        pose: {position: [5 cm, 0, 3 cm]}}\n"
    "cables:\n  pull: {path: [{world: [0, 0, 5 cm]}, {ball: [0, 0, 0]}], tension: 10 mN}\n"
    "  lift: {path: [{world: [1 cm, 1 cm, 3 cm]}, {cube: [1 cm, 1 cm, 1 cm]}],\n"
    "         added_length: 1 mm, stiffness: 10 N}\n"
    "constraints: {rope: {type: rope, bodies: [ball, box], points: [[0, 0, 0], [0, 0, 0]]}}\n"
    "soft:\n  cube: {mesh: {box: {size: [1 cm, 1 cm, 1 cm], cells: [1, 1, 1]}}, material: soft}\n";

static void call_record(sup_record **record, const sup_scene *loaded, sup_simulator *sim) {
  sup_finding found;
  int         count = 0;
  if (!*record) {
    (void)!sup_record_create(record, loaded, sim, NULL);
    return;
  }
  (void)!sup_record_frame(*record);
  (void)!sup_record_verdicts(*record, &count);
  if (sup_record_verdict(*record, bad_int(count), &found) == SUP_OK) CHECK(found.text[0] != '\0');
  if (below(3) == 0) (void)!sup_record_finish(*record, below(2));
  if (below(3) == 0) sup_record_destroy(record);
}

/** One call; numbers of the state stay finite whatever it was given. */
static void call(sup_simulator *sim, double *value, int most) {
  const sup_contact_patch *patch;
  sup_array                array;
  double                   number;
  int                      handle = bad_int(4), count = below(4) ? 3 + below(5) : bad_int(most);
  if (count < 0 || count > most) count = most; /* a length that the caller has */
  for (int i = 0; i < most; i++) value[i] = bad_double();
  switch (below(10)) {
    case 0:
      (void)!sup_simulator_read(sim, (sup_quantity)bad_int(SUP_NUM_QUANTITIES), handle, &array);
      break;
    case 1: {
      sup_assignment all[2];
      for (int i = 0; i < 2; i++)
        all[i] = (sup_assignment){(sup_quantity)below(SUP_NUM_QUANTITIES), bad_int(4), value,
                                  below(2) ? count : 6 + below(2)};
      (void)!sup_simulator_assign_all(sim, all, below(3));
      break;
    }
    case 2:
      (void)!sup_simulator_assign(sim, (sup_quantity)bad_int(SUP_NUM_QUANTITIES), handle, value,
                                  count);
      break;
    case 3:
      (void)!sup_simulator_set(sim, (sup_input)bad_int(SUP_NUM_INPUTS), handle, value, count,
                               bad_double());
      break;
    case 4:
      (void)!sup_simulator_contacts(sim, handle, &patch, &count);
      break;
    case 5:
      (void)!sup_simulator_observe(sim, bad_int(100), &number);
      sup_simulator_observable_name(sim, bad_int(100));
      (void)!sup_simulator_find(sim, (sup_object)bad_int(SUP_NUM_OBJECTS), "ball", &count);
      break;
    case 6:
      (void)!sup_simulator_tune(sim, below(2) ? 1e-3 : bad_double(), below(2) ? 0 : bad_double());
      break;
    case 7:
      (void)!sup_simulator_evaluate(sim, NULL);
      break;
    case 8:
      (void)!sup_simulator_step(sim, NULL);
      break;
    default:
      (void)!sup_simulator_reset(sim);
      break;
  }
}

static void random_calls_leave_a_simulation(void) {
  enum { MOST = 24 };
  const char    *asked = getenv("SUPPLE_FUZZ"), *other = getenv("SUPPLE_SEED");
  const int      calls = asked ? atoi(asked) : 3000;
  sup_scene     *loaded = NULL;
  sup_model     *model = NULL;
  sup_simulator *sim = NULL;
  sup_record    *record = NULL;
  sup_array      x;
  double         value[MOST];
  uint64_t       first;
  if (other) seed += strtoull(other, NULL, 10);
  OK(sup_scene_load(&loaded, scene, NULL, 0));
  OK(sup_model_create(&model, sup_scene_model_def(loaded)));
  OK(sup_scene_simulator_create(&sim, loaded, model));
  first = sup_state_hash(sup_simulator_state(sim));
  for (int i = 0; i < calls; i++) {
    if (below(10))
      call(sim, value, MOST);
    else
      call_record(&record, loaded, sim);
    OK(sup_simulator_read(sim, SUP_READ_VERTICES, 0, &x));
    for (int k = 0; k < x.rows * x.width; k++) CU_ASSERT_FATAL(isfinite(x.data[k]));
  }
  sup_record_destroy(&record);
  OK(sup_simulator_tune(sim, 1e-3, 1e-5));
  OK(sup_simulator_reset(sim));
  CHECK(sup_state_hash(sup_simulator_state(sim)) == first);
  for (int i = 0; i < 3; i++) OK(sup_simulator_step(sim, NULL));
  sup_simulator_destroy(&sim);
  sup_model_destroy(&model);
  sup_scene_destroy(&loaded);
}

SUITE_TESTS(fuzz_calls, TEST(random_calls_leave_a_simulation));
