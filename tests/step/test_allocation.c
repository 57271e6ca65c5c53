#include <stdlib.h>

#include "scene_test.h"

/* Every call to the heap of this program, whoever makes it; the sanitizers have their own. */
#if defined(__GLIBC__) && !defined(SUP_SANITIZED)
#define COUNTS 1
static long num_calls;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  num_calls++;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  num_calls++;
  return __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
  num_calls++;
  return __libc_realloc(block, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  num_calls++;
  return __libc_memalign(alignment, size);
}
#else
#define COUNTS 0
static long num_calls;
#endif

static void fill(test_scene *s, sup_hull *hull) {
  static const sup_shape shape[7] = {{SUP_SHAPE_HALF_SPACE, {0}},
                                     {SUP_SHAPE_BOX, {.1, .1, .1}},
                                     {SUP_SHAPE_CONVEX, {0}},
                                     {SUP_SHAPE_CYLINDER, {.05, .1}},
                                     {SUP_SHAPE_SPHERE, {.05}},
                                     {SUP_SHAPE_BOX, {.1, .1, .1}},
                                     {SUP_SHAPE_ELLIPSOID, {.05, .04, .06}}};
  test_scene_init(s);
  for (int i = 0; i < 7; i++) {
    char      name[8];
    sup_shape own = shape[i];
    snprintf(name, sizeof name, "b%d", i);
    own.hull = own.type == SUP_SHAPE_CONVEX ? hull : NULL;
    sup_link_def *l = test_add_rigid(s, name, own, 1, i == 0);
    for (int k = 0; k < 3; k++) l->inertia[k] = 2e-3;
    l->q0[0] = .01 * i, l->q0[2] = .07 + .085 * (i - 1); /* neighbours overlap: EPA has work */
    if (i > 0) l->q0[3] = cos(.3 * i), l->q0[4] = .6 * sin(.3 * i), l->q0[5] = .8 * sin(.3 * i);
    s->geometry[i].contact.point_stiffness = 1e5;
  }
}

/* The first pass grows what is kept; the second makes the same steps. */
static void a_step_allocates_nothing_once_its_memory_has_grown(void) {
  if (!COUNTS) SKIP("the heap's calls are not counted here");
  enum { STEPS = 150 };
  test_scene  s;
  test_random r = {12};
  sup_hull   *hull;
  sup_state  *start;
  double      x[36];
  long        first = 0, second = 0;
  for (int i = 0; i < 36; i++) x[i] = .06 * test_uniform(&r);
  OK(sup_hull_create(&hull, 12, x));
  fill(&s, hull);
  test_start(&s);
  OK(sup_state_create(&start, s.model, &s.options));
  int contacts = 0;
  for (int pass = 0; pass < 2; pass++) {
    long *calls = pass ? &second : &first;
    OK(sup_state_copy(s.state, start));
    for (int k = 0; k < STEPS; k++) {
      long       before = num_calls;
      sup_status status = sup_step(s.stepper, s.state, &s.report);
      *calls += num_calls - before;
      OK(status);
      contacts += s.report.num_contacts;
    }
  }
  printf("%ld calls of the heap, then %ld; %.1f contacts, ", first, second,
         contacts / (2. * STEPS));
  CHECK(first > 0);
  CHECK(second == 0);
  CHECK(contacts > 4 * STEPS);
  sup_state_destroy(&start);
  test_end(&s);
  sup_hull_destroy(&hull);
}

SUITE_TESTS(allocation, TEST(a_step_allocates_nothing_once_its_memory_has_grown));
