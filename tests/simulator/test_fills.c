/* Fills of chambers, cables and tractions that a program sets between steps. */
#include <math.h>
#include <string.h>

#include "driven.h"

static const char sphere[] = "tests/data/chambers/sphere.yaml",
                  finger[] = "tests/data/cables/finger.yaml";
static const double ms = 1e-3;

/** A fill of the scene, the same with a ramp of 10 ms, and the input that makes it so. */
static const struct ramp {
  const char *scene, *constant, *table, *name;
  sup_input   input;
  double      value;
} ramps[] = {
    {sphere, "chambers.air={surface: [sphere.inner], pressure: 5 kPa}",
     "chambers.air={surface: [sphere.inner], pressure: [[0 s, 5 kPa], [10 ms, 8 kPa]]}", "air",
     SUP_SET_PRESSURE, 8e3},
    {sphere, "chambers.air={surface: [sphere.inner], added_volume: 10 mm^3}",
     "chambers.air={surface: [sphere.inner], added_volume: [[0 s, 10 mm^3], [10 ms, 90 mm^3]]}",
     "air", SUP_SET_VOLUME, 90e-9},
    {sphere, "chambers.air={surface: [sphere.inner], gas: {}}",
     "chambers.air={surface: [sphere.inner], gas: {amount: [[0 s, 1], [10 ms, 1.2]]}}", "air",
     SUP_SET_AMOUNT, 1.2},
    {sphere,
     "chambers.air={surface: [sphere.inner], gas: {inlet: {pressure: 1 kPa, conductance: 10 "
     "cm^3/s}}}",
     "chambers.air={surface: [sphere.inner], gas: {inlet: {pressure: [[0 s, 1 kPa], [10 ms, 40 "
     "kPa]], conductance: 10 cm^3/s}}}",
     "air", SUP_SET_PRESSURE, 40e3},
    {finger,
     "cables.pull={path: [{world: [9 mm, 5 mm, -1 mm]}, {finger: [9 mm, 5 mm, 59 mm]}], "
     "tension: 0.1 N}",
     "cables.pull={path: [{world: [9 mm, 5 mm, -1 mm]}, {finger: [9 mm, 5 mm, 59 mm]}], "
     "tension: [[0 s, 0.1 N], [10 ms, 0.2 N]]}",
     "pull", SUP_SET_TENSION, .2},
    {finger,
     "cables.line={path: [{world: [20 mm, 5 mm, 100 mm]}, {ball: [0, 0, 5 mm]}], "
     "added_length: 1 mm, stiffness: 20 N}",
     "cables.line={path: [{world: [20 mm, 5 mm, 100 mm]}, {ball: [0, 0, 5 mm]}], "
     "added_length: [[0 s, 1 mm], [10 ms, -1 mm]], stiffness: 20 N}",
     "line", SUP_SET_LENGTH, -1e-3},
    {sphere, "soft.sphere.tractions=[{region: {named: inner}, pressure: 1 kPa}]",
     "soft.sphere.tractions=[{region: {named: inner}, pressure: 1 kPa, scale: [[0 s, 1], [10 ms, "
     "3]]}]",
     "sphere/0", SUP_SET_TRACTION, 3},
};

static int find(const driven *d, sup_input input, const char *name) {
  int handle = SUP_NONE;
  OK(sup_simulator_find(d->sim, sup_input_object(input), name, &handle));
  return handle;
}

/** Largest distance of a vertex or a position of a link from the other's [m]. */
static double apart(const driven *d, const driven *e) {
  const sup_state *a = sup_simulator_state(d->sim), *b = sup_simulator_state(e->sim);
  double           most = 0;
  for (int i = 0; i < 3 * d->model->num_vertices; i++) most = fmax(most, fabs(a->x[i] - b->x[i]));
  for (int i = 0; i < a->num_q; i++) most = fmax(most, fabs(a->q[i] - b->q[i]));
  return most;
}

static void steps(const driven *d, int count) {
  for (int i = 0; i < count; i++) OK(sup_simulator_step(d->sim, NULL));
}

/** Without the input they differ by 1,000 times more. */
static void a_ramp_is_the_table_of_the_scene(void) {
  for (const struct ramp *r = ramps; r < ramps + sizeof ramps / sizeof *ramps; r++) {
    driven           d, e;
    const sup_state *after;
    uint64_t         hash;
    start(&d, r->scene, 1, &r->constant), start(&e, r->scene, 1, &r->table);
    steps(&d, 8), steps(&e, 8);
    double without = apart(&d, &e);
    OK(sup_simulator_reset(d.sim));
    OK(sup_simulator_set(d.sim, r->input, find(&d, r->input, r->name), &r->value, 1, 10 * ms));
    steps(&d, 8);
    CHECK(without > 1e-6 && apart(&d, &e) <= 1e-9 * without);
    after = sup_simulator_state(d.sim), hash = sup_state_hash(after);
    OK(sup_simulator_set_state(e.sim, after));
    steps(&d, 2), steps(&e, 2);
    CHECK(apart(&d, &e) == 0 && sup_state_hash(after) != hash);
    end(&d), end(&e);
  }
}

/** A constant of the definition acts again once inputs are cleared; a jump needs no ramp. */
static void a_jump_acts_until_it_is_cleared(void) {
  for (const struct ramp *r = ramps; r < ramps + sizeof ramps / sizeof *ramps; r++) {
    driven d, e;
    start(&d, r->scene, 1, &r->constant), start(&e, r->scene, 1, &r->constant);
    OK(sup_simulator_set(d.sim, r->input, find(&d, r->input, r->name), &r->value, 1, 0));
    sup_simulator_clear(d.sim);
    steps(&d, 3), steps(&e, 3);
    CHECK(apart(&d, &e) == 0);
    OK(sup_simulator_set(d.sim, r->input, find(&d, r->input, r->name), &r->value, 1, 0));
    steps(&d, 2), steps(&e, 2);
    CHECK(apart(&d, &e) > 1e-6);
    end(&d), end(&e);
  }
}

static void refuse(const struct ramp *r, sup_input input, double value, const char *message) {
  driven d;
  start(&d, r->scene, 1, &r->constant);
  FAILS(sup_simulator_set(d.sim, input, find(&d, input, r->name), &value, 1, 0), SUP_E_ARG,
        message);
  end(&d);
}

static void other_quantities_and_values_are_refused(void) {
  refuse(&ramps[0], SUP_SET_AMOUNT, 1,
         "amount of 'air': its definition gives another quantity; "
         "set its pressure");
  refuse(&ramps[1], SUP_SET_PRESSURE, 1, "set its volume");
  refuse(&ramps[2], SUP_SET_PRESSURE, 1, "set its amount");
  refuse(&ramps[3], SUP_SET_AMOUNT, 1, "set its pressure");
  refuse(&ramps[4], SUP_SET_LENGTH, .1, "set its tension");
  refuse(&ramps[5], SUP_SET_TENSION, 1, "set its length");
  refuse(&ramps[0], SUP_SET_PRESSURE, (double)NAN, "is not finite");
  refuse(&ramps[0], SUP_SET_PRESSURE, -2e5, "it must be above -101325");
  refuse(&ramps[1], SUP_SET_VOLUME, -1, "volume of 'air': found -1; it must be above -");
  refuse(&ramps[2], SUP_SET_AMOUNT, 0, "it must be above 0");
  refuse(&ramps[3], SUP_SET_PRESSURE, -2e5, "it must be above -101325");
  refuse(&ramps[4], SUP_SET_TENSION, -1, "found -1; it must be at least 0");
  refuse(&ramps[5], SUP_SET_LENGTH, -1, "length of 'line': found -1; it must be above -");
}

/** Gas that flows from one chamber to another has no amount of its own. */
static void gas_of_another_chamber_is_not_set(void) {
  static const char *const sets[] = {
      "soft.other={mesh: {file: ../pressure/octant.msh, scale: 0.001}, material: silicone, pose: "
      "{position: [1 m, 0, 0]}, hold: [{region: {named: x0}, axes: [x]}, {region: {named: y0}, "
      "axes: [y]}, {region: {named: z0}, axes: [z]}]}",
      "chambers={air: {surface: [sphere.inner], gas: {}}, more: {surface: [other.inner], gas: "
      "{inlet: {chamber: air, conductance: 1 cm^3/s}}}}"};
  const double one = 1;
  driven       d;
  start(&d, sphere, 2, sets);
  for (int k = 0; k < 2; k++)
    FAILS(sup_simulator_set(d.sim, k ? SUP_SET_AMOUNT : SUP_SET_PRESSURE, k, &one, 1, 0), SUP_E_ARG,
          "its gas flows between chambers");
  end(&d);
}

SUITE_TESTS(fills, TEST(a_ramp_is_the_table_of_the_scene), TEST(a_jump_acts_until_it_is_cleared),
            TEST(other_quantities_and_values_are_refused), TEST(gas_of_another_chamber_is_not_set));
