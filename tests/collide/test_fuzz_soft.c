/* Random shapes of two soft boxes of T4, H8 and T10 cells, beside, in and through each other and
 * themselves, from gently bent to crumpled with cells turned inside out.  SUPPLE_FUZZ=100000 sets
 * the number of shapes. */
#include <stdlib.h>

#include "../step/scene_test.h"
#include "collide/collide.h"
#include "collide/field/soft_field.h"
#include "collide/travel.h"
#include "model/kinematics.h"
#include "step/step.h"

enum { NUM_KINDS = 5 };

/** Result of one shape. */
typedef struct outcome {
  int         touching, selfish, inverted;
  double      forces; /* sum of their sizes at the step's start [N] */
  sup_v3      force;  /* of b on a [N] */
  const char *fault;  /* the first that was found */
} outcome;

/** Two boxes of 60 mm, self contact on; bit 0: a of tetrahedra, bit 1: b; 4: a of quadratic ones.
 */
static void make_boxes(test_scene *s, int kind) {
  test_scene_init(s);
  s->options.dt = 5e-3;
  for (int i = 0; i < 2; i++) {
    int              n = 3 + i;
    sup_mesh_pattern pattern = kind >> i & 1 || kind == 4 ? SUP_PATTERN_MIRROR : SUP_PATTERN_HEX;
    if (kind == 4) n = 1 + i;
    sup_soft_def *d =
        test_add_soft_box(s, i ? "b" : "a", .06, .06, .06, n, i ? 2 : n, n, pattern, 1e5, .3, 1000);
    if (kind == 4 && i == 0) test_make_quadratic(s, i);
    d->contact.self = 1;
  }
  test_start(s);
}

static sup_v3 any(test_random *r, double size) {
  double x = test_uniform(r), y = test_uniform(r), z = test_uniform(r);
  return sup_v3_make(size * x, size * y, size * z);
}

/** Turned, stretched and sheared, folded about a plane, every vertex astray: each by little or
 * much, or not at all. */
static void random_shape(test_random *r, const test_scene *s, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_m3          F = sup_quat_matrix(sup_quat_exp(any(r, 3)));
  sup_v3          middle = {.03, .03, .03}, at = any(r, .05), v = any(r, test_between(r, 1e-3, 10)),
         axis = any(r, 1);
  double strain = test_between(r, 1e-3, 2), astray = test_between(r, 1e-6, .03),
         jitter = test_between(r, 1e-4, 5), w = test_uniform(r);
  double fold = test_uniform(r) > 0 ? test_between(r, .1, 1) : 0;
  if (test_uniform(r) > .5) strain = 0;
  if (test_uniform(r) > .3) astray = 0;
  for (int k = 0; k < 9; k++) F.m[k / 3][k % 3] += strain * test_uniform(r);
  for (int a = 0; a < soft->num_vertices; a++) {
    sup_v3 X = sup_v3_sub(sup_v3_load(soft->x0 + 3 * a), middle);
    double side = sup_v3_dot(axis, X);
    if (side > 0)
      X = sup_v3_madd(X, -2 * fold * side / sup_v3_dot(axis, axis), axis); /* 1: mirrored there */
    sup_v3 x = sup_v3_add(sup_v3_add(at, sup_m3_apply(F, X)), any(r, astray));
    sup_v3_store(s->state->x + 3 * (soft->first_vertex + a), x);
    sup_v3_store(
        s->state->xdot + 3 * (soft->first_vertex + a),
        sup_v3_add(sup_v3_add(v, sup_v3_scale(20 * w, sup_v3_cross(axis, X))), any(r, jitter)));
  }
}

static int is_finite(sup_v3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

/** Weights add up to one, and carry the point where the contact is, or would be below the shell. */
static const char *fault_of_carrier(const test_scene *s, const sup_contact *c, int body,
                                    const sup_carrier *carrier) {
  const sup_soft *soft = &s->model->soft[s->model->body[body].soft];
  double          sum = 0;
  sup_v3          x = {0, 0, 0};
  if (carrier->num_vertices < 1 || carrier->num_vertices > SUP_CARRIER_MAX_VERTICES)
    return "number of carriers";
  for (int k = 0; k < carrier->num_vertices; k++) {
    sum += carrier->weight[k];
    x = sup_v3_madd(x, carrier->weight[k],
                    sup_v3_load(s->state->x + 3 * (soft->first_vertex + carrier->vertex[k])));
  }
  if (!(fabs(sum - 1) < 1e-6)) return "weights do not add up to one";
  if (c->phi < 0 && c->spread <= 0 && !(sup_v3_norm(sup_v3_sub(x, c->centroid)) < 1e-6))
    return "a force beside its point";
  return NULL;
}

static int is_inverted(const test_scene *s, int body, int cell) {
  const sup_soft *soft = &s->model->soft[s->model->body[body].soft];
  const sup_mesh *mesh = sup_fem_mesh(soft->fem);
  const double   *x = s->state->x + 3 * soft->first_vertex;
  const int      *v = sup_mesh_cell(mesh, cell);
  if (mesh->type != SUP_CELL_T4) return 0; /* some of the tetrahedra of a brick may be right */
  sup_v3 o = sup_v3_load(x + 3 * v[0]), a = sup_v3_sub(sup_v3_load(x + 3 * v[1]), o);
  sup_v3 b = sup_v3_sub(sup_v3_load(x + 3 * v[2]), o), c = sup_v3_sub(sup_v3_load(x + 3 * v[3]), o);
  return sup_v3_dot(sup_v3_cross(a, b), c) < -1e-15;
}

static const char *fault_of(const test_scene *s, const sup_contact *c, double reach) {
  const char *fault;
  if (!(isfinite(c->slope) && c->slope > 0 && isfinite(c->area) && c->area > 0))
    return "slope or area";
  if (!(isfinite(c->spread) && c->spread >= 0 && isfinite(c->penetration)))
    return "spread or penetration";
  if (!(c->phi <= reach)) return "a gap that cannot close within the step";
  if (c->num_points < 3 || c->num_points > SUP_CONTACT_MAX_POINTS) return "number of corners";
  if (!(is_finite(c->centroid) && fabs(sup_v3_norm(c->normal) - 1) < 1e-9))
    return "centroid or normal";
  for (int k = 0; k < c->num_points; k++)
    if (!is_finite(c->point[k])) return "a corner";
  if (c->phi < 0 && c->penetration > 1e-9 &&
      (is_inverted(s, c->body_a, c->cell_a) || is_inverted(s, c->body_b, c->cell_b)))
    return "pressure in a cell that is inside out";
  if ((fault = fault_of_carrier(s, c, c->body_a, &c->carrier_a)) != NULL) return fault;
  return fault_of_carrier(s, c, c->body_b, &c->carrier_b);
}

/** All contacts as the step finds them. */
static outcome collide(const test_scene *s) {
  outcome          out = {0};
  sup_contact_list list = {0};
  sup_arena       *arena = NULL;
  sup_kinematics   kin;
  double           speed = 0;
  sup_travel      *travel;
  OK(sup_arena_create(&arena, 1 << 20));
  sup_increment inc = test_increment(s);
  OK(sup_kinematics_compute(&kin, s->model, &inc, s->state->q, s->state->v, arena));
  OK(sup_travel_start(s->model, &inc, &kin, arena, &travel));
  OK(sup_collide(&list, s->model, &inc, &kin, s->state->x, s->state->xdot, travel, arena));
  for (int i = 0; i < s->model->num_vertices; i++)
    speed = fmax(speed, sup_v3_norm(sup_v3_load(s->state->xdot + 3 * i)));
  double reach = 2 * s->options.dt * speed + 9.82 * s->options.dt * s->options.dt;
  for (int i = 0; i < list.count; i++) {
    const char *fault = fault_of(s, &list.contact[i], reach);
    if (fault && !out.fault) out.fault = fault;
    out.selfish += list.contact[i].body_a == list.contact[i].body_b;
  }
  out.touching = list.count, out.inverted = list.discarded_inverted;
  sup_contact_list_free(&list);
  sup_arena_destroy(&arena);
  return out;
}

/** Forces at the step's start of the pair (a, b) or (b, a), on the first of them.  Which pieces
 * join depends on the order, and what joins keeps its force but for the square of the angles
 * between pieces and for pieces across a gap. */
static outcome force_between(const test_scene *s, int first) {
  outcome           out = {0};
  sup_contact_list  list = {0};
  sup_contact       prototype = {0};
  sup_arena        *arena = NULL;
  sup_moving_field  f[2];
  sup_patch_options options = {.dt = s->options.dt, .reach = 1, .moving = 1, .drop = 0};
  OK(sup_arena_create(&arena, 1 << 20));
  for (int i = 0; i < 2; i++) {
    const sup_soft *soft = &s->model->soft[i];
    size_t          at = 3 * (size_t)soft->first_vertex;
    OK(sup_soft_field_place(soft, s->state->x + at, s->state->xdot + at, 1e-3, arena, &f[i]));
  }
  OK(sup_collide_field_field(&list, &prototype, &f[first], &f[1 - first], &options));
  for (int i = 0; i < list.count; i++) {
    const sup_contact *c = &list.contact[i];
    double             f_n = c->area * c->slope * fmax(0, -c->phi);
    out.forces += f_n;
    out.force = sup_v3_madd(out.force, -f_n, c->normal);
  }
  sup_contact_list_free(&list);
  sup_arena_destroy(&arena);
  return out;
}

/** A step from there: solved, and all velocities are numbers. */
static const char *step_from_here(test_scene *s) {
  if (sup_step(s->stepper, s->state, &s->report) != SUP_OK) return "the step is not solved";
  for (int i = 0; i < 3 * s->model->num_vertices; i++)
    if (!isfinite(s->state->x[i]) || !isfinite(s->state->xdot[i])) return "a velocity is no number";
  return NULL;
}

static long num_shapes(void) {
  const char *text = getenv("SUPPLE_FUZZ");
  long        n = text ? strtol(text, NULL, 10) : 0;
  return n > 0 ? n : 160;
}

static void random_shapes_of_soft_boxes(void) {
  test_random random = {77};
  long        n = num_shapes(), touching = 0, selfish = 0, inverted = 0;
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    test_scene s;
    make_boxes(&s, kind);
    for (long done = 0; done < n / NUM_KINDS; done++) {
      unsigned long long seed = random.state;
      for (int i = 0; i < 2; i++) random_shape(&random, &s, i);
      outcome all = collide(&s), one = force_between(&s, 0), two = force_between(&s, 1);
      double  off = sup_v3_norm(sup_v3_add(one.force, two.force));
      touching += all.touching > all.selfish, selfish += all.selfish > 0,
          inverted += all.inverted > 0;
      if (!all.fault && !(off <= .02 * one.forces + .02)) all.fault = "forces are not mutual";
      if (!all.fault && done % 10 == 0) all.fault = step_from_here(&s);
      if (all.fault)
        printf("\n    kind %d seed %llu: %s (%g of %g N); ", kind, seed, all.fault, off,
               one.forces);
      CHECK(!all.fault);
    }
    test_end(&s);
  }
  printf("%ld shapes: %ld touch, %ld themselves, %ld with cells inside out; ", n, touching, selfish,
         inverted);
  CHECK(2 * touching > n && 10 * selfish > n && 10 * inverted > n);
}

SUITE_TESTS(fuzz_soft, TEST(random_shapes_of_soft_boxes));
