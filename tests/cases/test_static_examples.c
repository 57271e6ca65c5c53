/* Load steps of examples: every one is a balance, and their iterations are those of
 * tests/load_steps.c.
 */
#include "example.h"

/** The first `most` load steps of examples/NAME.yaml. */
static void load(const char *name, int most) {
  test_example e;
  test_example_start(&e, name, NULL, 0);
  const sup_static_options *o = &e.scene->statics;
  for (int i = 0; i < most && e.s.state->time < o->end; i++) {
    OK(sup_static_step(e.s.stepper, e.s.state, o, &e.s.report));
    CHECK(e.s.report.momentum_error <= o->tolerance);
  }
  test_example_end(&e);
}

static void a_relaxed_bar(void) { load("relaxation", 20); }
static void a_stiff_finray_finger(void) { load("finray_stiffness", 1); }
static void a_finger_of_spring_steel(void) { load("spring_finger", 6); }
static void a_cantilever(void) { load("studies/cantilever_bar", 1); }
static void cooks_membrane(void) { load("studies/cook_membrane", 1); }
static void an_elastica(void) { load("studies/elastica", 5); }
static void a_measured_finger(void) { load("studies/finray_measured", 4); }
static void a_pressed_finger(void) { load("studies/finray_pressed", 8); }
static void a_ball_on_a_block(void) { load("studies/hertz_contact", 2); }
static void a_rib_that_buckles(void) { load("studies/rib", 4); }
static void a_bar_that_swings(void) { load("studies/swinging_bar", 1); }

SUITE_TESTS(static_examples, TEST(a_relaxed_bar), TEST(a_stiff_finray_finger),
            TEST(a_finger_of_spring_steel), TEST(a_cantilever), TEST(cooks_membrane),
            TEST(an_elastica), TEST(a_measured_finger), TEST(a_pressed_finger),
            TEST(a_ball_on_a_block), TEST(a_rib_that_buckles), TEST(a_bar_that_swings));
