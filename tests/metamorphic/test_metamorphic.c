/* Random scenes do not care where they stand, in which units they are told, in which order, from
 * what train they are watched: the trajectory of a scene's image is the image of its trajectory.
 * SUPPLE_FUZZ=10000 sets the number of pairs; SUPPLE_FUZZ_SEED=77 the first one, and each is told
 * then: SUPPLE_FUZZ=1 SUPPLE_FUZZ_SEED=77 runs pair 77 alone.  SUPPLE_FUZZ_CHANGE=scale and
 * SUPPLE_FUZZ_ROLE=field leave out all other pairs. */
#include "base/status.h"
#include "meta_scene.h"

static const char *const role_name[] = {
#define META_ENTRY(NAME, name) #name,
    META_ROLE_LIST(META_ENTRY)
#undef META_ENTRY
};
static const char *const change_name[] = {
#define META_ENTRY(NAME, name) #name,
    META_CHANGE_LIST(META_ENTRY)
#undef META_ENTRY
};

/** Largest difference over a run, of what is compared with in record.c.  Round-off of a step is
 * some 1e-15 of the size; contact that is stiff and comes and goes makes 1e-12 of it in fields
 * within a run.  Facets leave out corners that turn by less than 1e-10 of a polygon's size
 * (sup_polygon_simplify).  The nearest points of two shapes that are found by iteration are known
 * to the root of round-off, 3e-8 of the distance by which they are looked at. */
static const double bound[META_NUM_ROLES] = {
    [META_POINT] = 1e-5,      [META_SURFACE] = 1e-6,   [META_FIELD] = 1e-9,
    [META_MIXED] = 1e-9,      [META_VERTICES] = 1e-6,  [META_POLYGONS] = 1e-6,
    [META_SOFT_FIELD] = 1e-8, [META_SOFT_SOFT] = 1e-6, [META_SELF] = 1e-6};

/** Bound for scales that change no digit: fields of meshes alone differ, by 2e-13. */
static const double to_the_digit = 1e-11;

/** A scene that answers to a start that is off by this share of its size with as much as the pair
 * differs by is unstable: a corner that comes down on an edge, a slip that just begins. */
static const double disturbance = 1e-11;
/** No more than this share of the pairs may be. */
static const double unstable = 0.05;
/** Share of the pairs in patches that may be off: cells of facets that end within 1e-9 of a corner
 * are cut in another way (collide/surface/facet_pieces.c), 1e-3 of a pair's largest force.  None of
 * 100. */
static const double rare = 0.004;

typedef struct tally {
  long pairs, unstable, failed, left_out;
} tally;

/** Difference of the scene from itself with another start. */
static double sensitivity(uint64_t seed, meta_change change, const meta_record *ra) {
  static meta_scene c;
  meta_map          map = {sup_m3_identity(), 0, {0, 0, 0}, {0, 0, 0}, 1, 1, 1, 0};
  double            most = 0;
  for (int k = 0; k < 3; k++) {
    meta_record rc;
    char        place[400];
    meta_scene_create(&c, seed, change);
    c.r.state += (uint64_t)k;
    meta_disturb(&c, c.role == META_POINT ? 1e3 * disturbance : disturbance);
    sup_status status = meta_run(&c, &c, &rc);
    if (status == SUP_OK && ra->num_steps == rc.num_steps)
      most = fmax(most, meta_compare(&c, &map, ra, &rc, place, sizeof place));
    else if (status != SUP_OK)
      most = HUGE_VAL;
    meta_record_free(&rc), meta_scene_free(&c);
  }
  return most;
}

static void judge(const meta_scene *a, meta_change change, const meta_record *ra,
                  const meta_record *rb, const meta_map *map, tally *sum) {
  static const double margin = 30; /* of another start over three that were tried */
  char                place[400];
  double              off = meta_compare(a, map, ra, rb, place, sizeof place);
  int                 is_exact = change == META_THREADS;
  double              most = map->is_exact ? to_the_digit : bound[a->role];
  if (getenv("SUPPLE_FUZZ_SEED")) printf(" %.1e (%s)", off, place);
  if (is_exact ? ra->hash == rb->hash && off == 0 : off <= most) return;
  double own = is_exact ? 0 : sensitivity(a->seed, change, ra);
  if (off <= margin * own) {
    sum->unstable++;
    return;
  }
  sum->failed++;
  printf("\n    pair %llu (%s, %s) differs by %.2g, of itself by %.2g: %s\n",
         (unsigned long long)a->seed, role_name[a->role], change_name[change], off, own, place);
}

/** Read the scene from a file that is written in SI numbers or in units of any kind. */
static sup_status run_file(const meta_scene *s, int in_units, meta_record *record) {
  char       path[400];
  sup_scene *scene;
  meta_scene read = *s;
  meta_write(s, test_folder(), in_units, path, sizeof path);
  SUP_TRY(sup_scene_load(&scene, path, NULL, 0));
  read.def = *sup_scene_model_def(scene);
  read.options = sup_scene_simulator_def(scene, NULL).options;
  sup_status status = meta_run(&read, s, record);
  sup_scene_destroy(&scene);
  return status;
}

/** @param[out] message  [400] of the one that failed */
static sup_status run_both(const meta_scene *a, const meta_scene *b, meta_change change,
                           meta_record *ra, meta_record *rb, char *message) {
  int        is_file = change == META_UNITS;
  sup_status sa = is_file ? run_file(a, 0, ra) : meta_run(a, a, ra);
  snprintf(message, 400, "the scene after %d steps: %.370s", ra->num_steps, sup_error_message());
  sup_status sb = is_file ? run_file(a, 1, rb) : meta_run(b, a, rb);
  if (sa == SUP_OK)
    snprintf(message, 400, "the image after %d steps: %.370s", rb->num_steps, sup_error_message());
  return sa == SUP_OK && sb == SUP_OK ? SUP_OK : sa == sb ? sa : SUP_E_ARG;
}

/** Both run, or neither does: a solver that fails does so in both. */
static void run_pair(uint64_t seed, meta_change change, tally *sum) {
  static meta_scene a, b;
  meta_record       ra = {0}, rb = {0};
  meta_scene_create(&a, seed, change), meta_scene_create(&b, seed, change);
  const char *why = meta_left_out(&a, change);
  if (getenv("SUPPLE_FUZZ_SEED"))
    printf("\n%llu %s %s%s%s", (unsigned long long)seed, role_name[a.role], change_name[change],
           why ? " left out: " : "", why ? why : "");
  sum->pairs++;
  if (why) {
    sum->left_out++;
  } else {
    meta_map   map = meta_transform(&b, change);
    char       message[400];
    sup_status status = run_both(&a, &b, change, &ra, &rb, message);
    if (status == SUP_OK) {
      judge(&a, change, &ra, &rb, &map, sum);
    } else if (status != SUP_E_ARG && sensitivity(seed, change, &ra) == HUGE_VAL) {
      sum->left_out++;
    } else {
      sum->failed++;
      printf("\n    pair %llu (%s, %s): %s\n", (unsigned long long)seed, role_name[a.role],
             change_name[change], message);
    }
  }
  meta_record_free(&ra), meta_record_free(&rb);
  meta_scene_free(&a), meta_scene_free(&b);
}

/** Is it the one that the environment asks for, if any? */
static int is_asked(const char *variable, const char *name) {
  const char *only = getenv(variable);
  return !only || strcmp(only, name) == 0;
}

static void images_of_scenes_move_as_they_do(void) {
  const char *first = getenv("SUPPLE_FUZZ_SEED"), *asked = getenv("SUPPLE_FUZZ");
  long  num = asked ? strtol(asked, NULL, 10) : 100, start = first ? strtol(first, NULL, 10) : 0;
  tally sum = {0};
  for (long i = start; i < start + num; i++) {
    meta_change change = (meta_change)(i / META_NUM_ROLES % META_NUM_CHANGES);
    if (!is_asked("SUPPLE_FUZZ_CHANGE", change_name[change])) continue;
    if (!is_asked("SUPPLE_FUZZ_ROLE", role_name[i % META_NUM_ROLES])) continue;
    run_pair((uint64_t)i, change, &sum);
  }
  printf("%ld pairs, %ld left out, %ld unstable ", sum.pairs, sum.left_out, sum.unstable);
  CHECK(sum.failed <= (long)(rare * (double)sum.pairs));
  CHECK((double)sum.unstable <= unstable * (double)sum.pairs + 1);
  CHECK(num < 10 || (double)sum.left_out <= .35 * (double)sum.pairs);
}

/* Deepest points of meshes, moments that the law does not know, overlaps of what does not press,
 * frames of elastic sticks, bodies of one shape, images of points in soft bodies,
 * logarithmic barriers on a train, overlaps of contacts that just do not press, cells by
 * coordinates that differ by round-off, lines of contact as short as it, triangles with a fourth
 * corner, corners of a hull and the far end of a line within the reach of a faster body. */
static void pairs_that_differed_once_do_not(void) {
  static const uint64_t seeds[] = {25,     429,    589,    754,    1159,    1439,    3211,
                                   3464,   20187,  56639,  70089,  70250,   70328,   71604,
                                   80372,  100162, 100486, 110449, 110472,  208674,  209808,
                                   209978, 322902, 337158, 338130, 7700301, 7700626, 7700873};
  tally                 sum = {0};
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
    run_pair(seeds[i], (meta_change)(seeds[i] / META_NUM_ROLES % META_NUM_CHANGES), &sum);
  CHECK(sum.failed == 0 && sum.left_out == 0);
}

SUITE_TESTS(metamorphic, TEST(images_of_scenes_move_as_they_do),
            TEST(pairs_that_differed_once_do_not));
