/* Contacts measured by the origins of a search at positions that have moved since. */
#include <math.h>
#include <string.h>

#include "cases/example.h"
#include "collide/gradient.h"

/** A search at a state, and bodies moved from there. */
typedef struct replay {
  sup_arena       *arena;
  sup_increment    inc;
  sup_kinematics   kin, moved;
  double          *x, *xdot; /* [num_vertices x 3] moved */
  sup_contact_list found, measured, fresh;
} replay;

static void start(replay *r) {
  *r = (replay){0};
  OK(sup_arena_create(&r->arena, 1 << 16));
}

static void end(replay *r) {
  sup_contact_list_free(&r->found);
  sup_contact_list_free(&r->measured);
  sup_contact_list_free(&r->fresh);
  sup_arena_destroy(&r->arena);
}

static void search(replay *r, const test_scene *s, const sup_kinematics *kin, const double *x,
                   const double *xdot, sup_contact_list *out) {
  sup_travel *travel;
  OK(sup_travel_start(s->model, &r->inc, kin, r->arena, &travel));
  OK(sup_collide(out, s->model, &r->inc, kin, x, xdot, travel, r->arena));
}

static void search_start(replay *r, const test_scene *s, int motion) {
  int bodies = s->model->num_bodies, n = 3 * s->model->num_vertices;
  OK(sup_arena_reset(r->arena));
  r->inc = test_increment(s), r->inc.motion = motion;
  OK(sup_kinematics_compute(&r->kin, s->model, &r->inc, s->state->q, s->state->v, r->arena));
  search(r, s, &r->kin, s->state->x, s->state->xdot, &r->found);
  r->moved = r->kin;
  OK(SUP_ARENA(r->arena, r->moved.X_WL, bodies));
  OK(SUP_ARENA(r->arena, r->moved.w, bodies));
  OK(SUP_ARENA(r->arena, r->moved.v, bodies));
  OK(SUP_ARENA(r->arena, r->x, n));
  OK(SUP_ARENA(r->arena, r->xdot, n));
}

static void measure(replay *r, const test_scene *s) {
  OK(sup_collide_measure(&r->found.origins, s->model, &r->inc, &r->moved, r->x, r->xdot, NULL,
                         r->arena, &r->measured));
}

/* ---- motions --------------------------------------------------------------------------------- */

/** Everything moved by one frame. */
static void move_all(replay *r, const test_scene *s, const sup_frame *M) {
  for (int b = 0; b < s->model->num_bodies; b++) {
    r->moved.X_WL[b] =
        s->model->body[b].soft == SUP_NONE ? sup_frame_mul(M, &r->kin.X_WL[b]) : r->kin.X_WL[b];
    r->moved.w[b] = sup_m3_apply(M->R, r->kin.w[b]);
    r->moved.v[b] = sup_m3_apply(M->R, r->kin.v[b]);
  }
  for (int i = 0; i < s->model->num_vertices; i++) {
    sup_v3_store(r->x + 3 * i, sup_frame_apply(M, sup_v3_load(s->state->x + 3 * i)));
    sup_v3_store(r->xdot + 3 * i, sup_m3_apply(M->R, sup_v3_load(s->state->xdot + 3 * i)));
  }
}

/** A number in [-1, 1] that depends on i alone. */
static double scatter(int i) { return sin(12.9898 * i + 1.3); }

static sup_v3 scatter3(int i) {
  return sup_v3_make(scatter(3 * i), scatter(3 * i + 1), scatter(3 * i + 2));
}

enum { SMOOTH = 30 };

/** Links moved and turned, vertices by a smooth field of the wave number 30/m, each by about
 * `way` [m]; velocities stay. */
static void move_each(replay *r, const test_scene *s, double way) {
  int bodies = s->model->num_bodies, n = s->model->num_vertices;
  for (int b = 0; b < bodies; b++) {
    sup_frame X = r->kin.X_WL[b];
    r->moved.w[b] = r->kin.w[b], r->moved.v[b] = r->kin.v[b];
    if (s->model->body[b].soft == SUP_NONE) {
      sup_quat turn = sup_quat_exp(sup_v3_scale(SMOOTH * way, scatter3(2 * b)));
      X.R = sup_m3_mul(sup_quat_matrix(turn), X.R);
      X.p = sup_v3_madd(X.p, way, scatter3(2 * b + 1));
    }
    r->moved.X_WL[b] = X;
  }
  for (int i = 0; i < n; i++) {
    sup_v3 x = sup_v3_load(s->state->x + 3 * i);
    double phase = SMOOTH * (x.x + 2 * x.y - x.z);
    sup_v3 u = sup_v3_make(sin(phase), sin(phase + 2), sin(1.7 * phase + 4));
    sup_v3_store(r->x + 3 * i, sup_v3_madd(x, way, u));
    sup_v3_store(r->xdot + 3 * i, sup_v3_load(s->state->xdot + 3 * i));
  }
}

/* ---- comparison ------------------------------------------------------------------------------ */

static double stiffness(const sup_contact *c) {
  return c->point_stiffness > 0 ? c->point_stiffness : c->slope * c->area * c->facing;
}

/** Sums over the contacts of each pair of the model. */
typedef struct sums {
  double *k, *kp; /* stiffness, and by the amount of the gap [N/m], [N] */
  sup_v3 *force;  /* k phi n [N] */
} sums;

static sums sum_pairs(replay *r, const test_scene *s, const sup_contact_list *list) {
  int  n = s->model->num_pairs;
  sums out;
  OK(SUP_ARENA(r->arena, out.k, n));
  OK(SUP_ARENA(r->arena, out.kp, n));
  OK(SUP_ARENA(r->arena, out.force, n));
  for (int p = 0; p < n; p++) out.k[p] = out.kp[p] = 0, out.force[p] = (sup_v3){0, 0, 0};
  for (int i = 0; i < list->count; i++) {
    const sup_contact *c = &list->contact[i];
    double             k = stiffness(c);
    out.k[c->pair] += k, out.kp[c->pair] += k * fabs(c->phi);
    out.force[c->pair] = sup_v3_madd(out.force[c->pair], k * c->phi, c->normal);
  }
  return out;
}

/** Largest of what round-off may change. */
typedef struct changes {
  double k, phi, n, x; /* by their share of the pair's stiffness: [-], [m], [-], [m] */
} changes;

/** Everything moved together: contacts move with it. */
static void check_moved_together(replay *r, const test_scene *s, changes *most) {
  sup_quat  turn = sup_quat_exp(sup_v3_make(0.3, -0.5, 0.4));
  sup_frame M = {sup_quat_matrix(turn), {0.1, -0.2, 0.3}};
  move_all(r, s, &M);
  measure(r, s);
  CHECK(r->measured.count == r->found.count);
  sums sum = sum_pairs(r, s, &r->found);
  for (int i = 0; i < r->found.count && i < r->measured.count; i++) {
    const sup_contact *a = &r->found.contact[i], *b = &r->measured.contact[i];
    double             all = sum.k[a->pair], share = all > 0 ? stiffness(a) / all : 0;
    sup_v3             n = sup_m3_apply(M.R, a->normal), x = sup_frame_apply(&M, a->centroid);
    if (!(all > 0)) continue;
    most->k = fmax(most->k, fabs(stiffness(b) / all - share));
    most->phi = fmax(most->phi, share * fabs(b->phi - a->phi));
    most->n = fmax(most->n, share * sup_v3_norm(sup_v3_sub(b->normal, n)));
    most->x = fmax(most->x, share * sup_v3_norm(sup_v3_sub(b->centroid, x)));
  }
}

#define SAME(a, b, array, count) \
  ((a)->count == (b)->count &&   \
   ((a)->count == 0 ||           \
    memcmp((a)->array, (b)->array, (size_t)(a)->count * sizeof *(a)->array) == 0))

static int decides_the_same(const sup_origins *a, const sup_origins *b) {
  return SAME(a, b, pair, num_pairs) && SAME(a, b, contact, num_contacts) &&
         SAME(a, b, face, num_faces) && SAME(a, b, facet, num_facets) &&
         SAME(a, b, piece, num_pieces) && SAME(a, b, join, num_joins);
}

/** Pairs with shares between 0 and 1, which the turns of the shape's normal set: they are kept. */
static void mark_shared(const sup_origins *o, unsigned char *shared) {
  for (int k = 0; k < o->num_pairs; k++) {
    sup_pair_origins from = sup_origins_of_pair(o, k);
    unsigned char   *is = &shared[from.pair->pair];
#define IS_BETWEEN(share) ((share) > 0 && (share) < 1)
    for (int i = 0; i < from.num_faces; i++) *is |= IS_BETWEEN(from.face[i].share);
    for (int i = 0; i < from.num_facets; i++) *is |= IS_BETWEEN(from.facet[i].share);
    for (int i = 0; i < from.num_contacts; i++)
      *is |= IS_BETWEEN(from.contact[i].share[0]) || IS_BETWEEN(from.contact[i].share[1]);
  }
}

/** Replays of one example. */
typedef struct tally {
  int     num_contacts, num_same, num_other; /* searches that decide the same, and others */
  changes together;
  double  miss[2]; /* of the two ways; of the first order: they are equal */
} tally;

static const double ways[] = {1e-8, 1e-9};

/** Each body moved on its own: the force of a pair by the origins is that of another search there
 * to second order, and the contacts are those of a search that decides the same. */
static void check_moved_each(replay *r, const test_scene *s, tally *out) {
  int            n = s->model->num_pairs;
  unsigned char *shared;
  sums           from = sum_pairs(r, s, &r->found);
  OK(SUP_ARENA(r->arena, shared, n));
  memset(shared, 0, (size_t)n);
  mark_shared(&r->found.origins, shared);
  for (int w = 0; w < 2; w++) {
    move_each(r, s, ways[w]);
    measure(r, s);
    search(r, s, &r->moved, r->x, r->xdot, &r->fresh);
    sums to = sum_pairs(r, s, &r->measured), fresh = sum_pairs(r, s, &r->fresh);
    for (int p = 0; p < n; p++) {
      double scale = sup_max(ways[w] * from.k[p], 1e-9 * from.kp[p]);
      if (!(scale > 0) || shared[p]) continue;
      double d = sup_v3_norm(sup_v3_sub(to.force[p], fresh.force[p])) / scale;
      out->miss[w] = sup_max(out->miss[w], d);
    }
    int is_same = decides_the_same(&r->found.origins, &r->fresh.origins);
    out->num_same += is_same, out->num_other += !is_same;
    if (is_same)
      CHECK(r->measured.count == r->fresh.count &&
            sup_contacts_are_same(r->measured.contact, r->fresh.contact, r->fresh.count));
  }
}

/** Replays over steps `first` to `steps` of an example. */
static void run(const char *name, const char *const *sets, int num_sets, int first, int steps,
                int every, int num_kinds[SUP_ORIGIN_KINDS]) {
  test_example e;
  replay       r;
  tally        t = {0};
  start(&r);
  test_example_start(&e, name, sets, num_sets);
  for (int k = 0; k < steps; k++) {
    OK(sup_step(e.s.stepper, e.s.state, &e.s.report));
    if (k < first || (k - first) % every) continue;
    search_start(&r, &e.s, 1);
    t.num_contacts += r.found.count;
    for (int i = 0; i < r.found.origins.num_contacts; i++)
      num_kinds[r.found.origins.contact[i].kind]++;
    check_moved_together(&r, &e.s, &t.together);
    check_moved_each(&r, &e.s, &t);
  }
  printf("\n    %s: %d contacts, %d same, %d other, missed %.1e %.1e; ", name, t.num_contacts,
         t.num_same, t.num_other, t.miss[0], t.miss[1]);
  CHECK(t.num_contacts > 0 && t.num_same > 0);
  CHECK(t.together.k < 1e-10 && t.together.phi < 1e-14);
  CHECK(t.together.n < 1e-9 && t.together.x < 1e-12);
  CHECK(t.miss[1] <= sup_max(t.miss[0] / 5, 1e-9));
  test_example_end(&e);
  end(&r);
}

static void surfaces_in_shapes(void) {
  static const char *const vertices[] = {"contact.soft_surface=vertices"};
  int                      kinds[SUP_ORIGIN_KINDS] = {0};
  run("finray_press", NULL, 0, 3, 30, 3, kinds);
  run("finray_press", vertices, 1, 3, 30, 3, kinds);
  run("soft_cube_drop", NULL, 0, 0, 60, 4, kinds);
  run("soft_cube_drop", vertices, 1, 0, 60, 4, kinds);
  run("finray_grasp", NULL, 0, 0, 60, 20, kinds);
  CHECK(kinds[SUP_ORIGIN_VERTEX] > 0 && kinds[SUP_ORIGIN_POLYGON] > 0 &&
        kinds[SUP_ORIGIN_FACET] > 0);
}

static void points_of_shapes(void) {
  int kinds[SUP_ORIGIN_KINDS] = {0};
  run("clutter", NULL, 0, 40, 161, 20, kinds);
  run("incline", NULL, 0, 0, 60, 12, kinds);
  run("conveyor", NULL, 0, 0, 60, 12, kinds);
  run("shaken_mug", NULL, 0, 0, 60, 12, kinds);
  run("screw_nut", NULL, 0, 0, 20, 5, kinds);
  CHECK(kinds[SUP_ORIGIN_POINT] > 100);
}

static void patches_of_fields(void) {
  int kinds[SUP_ORIGIN_KINDS] = {0};
  run("chain", NULL, 0, 6, 30, 6, kinds);
  run("coin", NULL, 0, 0, 60, 20, kinds);
  run("spatula", NULL, 0, 0, 30, 15, kinds);
  run("soft_stack", NULL, 0, 20, 60, 10, kinds);
  run("finray_grasp_ball", NULL, 0, 0, 60, 20, kinds);
  run("finray_self_contact", NULL, 0, 40, 140, 20, kinds);
  CHECK(kinds[SUP_ORIGIN_PATCH] > 3000);
}

/* ---- derivatives ----------------------------------------------------------------------------- */

/** A direction of all positions and velocities. */
static void move_along(replay *r, const test_scene *s, double way) {
  enum { FAST = 10 };
  move_each(r, s, way);
  for (int b = 0; b < s->model->num_bodies; b++) {
    if (s->model->body[b].soft != SUP_NONE) continue;
    r->moved.v[b] = sup_v3_madd(r->kin.v[b], FAST * way, scatter3(5 * b + 1));
    if (r->inc.motion == 0)
      r->moved.w[b] = sup_v3_madd(r->kin.w[b], FAST * way, scatter3(5 * b + 2));
  }
  for (int i = 0; i < s->model->num_vertices; i++)
    sup_v3_accumulate(r->xdot + 3 * i, FAST * way, scatter3(7 * i));
}

/** Derivative along that direction of what has these derivatives. */
static double along(replay *r, const test_scene *s, const sup_place_slopes *d) {
  double sum = 0;
  move_along(r, s, 1); /* turns are those of the way itself */
  for (int b = 0; b < s->model->num_bodies; b++) {
    if (s->model->body[b].soft != SUP_NONE) continue;
    sum += sup_v3_dot(d->place[b], sup_v3_sub(r->moved.X_WL[b].p, r->kin.X_WL[b].p));
    sum += sup_v3_dot(d->turn[b], sup_v3_scale(SMOOTH, scatter3(2 * b)));
    sum += sup_v3_dot(d->v[b], sup_v3_sub(r->moved.v[b], r->kin.v[b]));
    sum += sup_v3_dot(d->w[b], sup_v3_sub(r->moved.w[b], r->kin.w[b]));
  }
  for (int i = 0; i < 3 * s->model->num_vertices; i++)
    sum += d->x[i] * (r->x[i] - s->state->x[i]) + d->xdot[i] * (r->xdot[i] - s->state->xdot[i]);
  return sum;
}

enum { OF_GAP, OF_STIFFNESS, OF_NORMAL, OF_PLACE, OF_CARRIER, NUM_OF };

/** Random factors of one kind of number of each contact whose origin has derivatives. */
static void set_slopes(const sup_origins *o, int of, sup_contact_slopes *out) {
  for (int i = 0; i < o->num_contacts; i++) {
    sup_origin_kind kind = o->contact[i].kind;
    out[i] = (sup_contact_slopes){0};
    if (kind != SUP_ORIGIN_VERTEX && kind != SUP_ORIGIN_POLYGON) continue;
    if (of == OF_GAP) out[i].phi = scatter(i);
    if (of == OF_STIFFNESS) out[i].k = scatter(i);
    if (of == OF_NORMAL) out[i].normal = scatter3(i);
    if (of == OF_PLACE) out[i].centroid = scatter3(i);
    for (int k = 0; k < SUP_FACE_MAX_VERTICES && of == OF_CARRIER && kind == SUP_ORIGIN_POLYGON;
         k++)
      out[i].carrier[k] = scatter(4 * i + k);
  }
}

/** Sum of the contacts' numbers by the factors, `way` along the direction, less that of no way. */
static double value(replay *r, const test_scene *s, double way, const sup_contact_slopes *slopes) {
  double sum = 0;
  move_along(r, s, way);
  measure(r, s);
  CHECK(r->measured.count == r->found.origins.num_contacts);
  for (int i = 0; i < r->measured.count; i++) {
    const sup_contact *a = &r->found.contact[i], *b = &r->measured.contact[i];
    sum += slopes[i].phi * (b->phi - a->phi) + slopes[i].k * (stiffness(b) - stiffness(a));
    sum += sup_v3_dot(slopes[i].normal, sup_v3_sub(b->normal, a->normal));
    sum += sup_v3_dot(slopes[i].centroid, sup_v3_sub(b->centroid, a->centroid));
    for (int k = 0; k < SUP_FACE_MAX_VERTICES && k < b->carrier_a.num_vertices; k++)
      sum += slopes[i].carrier[k] * (b->carrier_a.weight[k] - a->carrier_a.weight[k]);
  }
  return sum;
}

/** Size of what round-off is a part of. */
static double size_of(const replay *r, const sup_contact_slopes *slopes) {
  static const double place = 0.1; /* coordinates [m] */
  double              sum = 0;
  for (int i = 0; i < r->found.count; i++) {
    const sup_contact_slopes *s = &slopes[i];
    sum += fabs(s->k) * stiffness(&r->found.contact[i]) + sup_v3_norm(s->normal);
    sum += place * (fabs(s->phi) + sup_v3_norm(s->centroid));
    for (int k = 0; k < SUP_FACE_MAX_VERTICES; k++) sum += fabs(s->carrier[k]);
  }
  return sum;
}

/** Difference of central differences and the derivative, over the derivative; the least of three
 * widths. */
static double check_derivative(replay *r, const test_scene *s, int of) {
  static const double widths[] = {4e-8, 1e-8, 2.5e-9}, digits = 1e-15;
  sup_place_slopes    d;
  sup_contact_slopes *slopes;
  int                 bodies = s->model->num_bodies, n = 3 * s->model->num_vertices;
  sup_gradient_lack   lack;
  OK(SUP_ARENA(r->arena, slopes, r->found.origins.num_contacts));
  OK(SUP_ARENA(r->arena, d.x, n));
  OK(SUP_ARENA(r->arena, d.xdot, n));
  OK(SUP_ARENA(r->arena, d.place, bodies));
  OK(SUP_ARENA(r->arena, d.turn, bodies));
  OK(SUP_ARENA(r->arena, d.v, bodies));
  OK(SUP_ARENA(r->arena, d.w, bodies));
  for (int i = 0; i < n; i++) d.x[i] = d.xdot[i] = 0;
  for (int b = 0; b < bodies; b++) d.place[b] = d.turn[b] = d.v[b] = d.w[b] = (sup_v3){0, 0, 0};
  set_slopes(&r->found.origins, of, slopes);
  OK(sup_collide_gradient(&r->found.origins, s->model, &r->inc, &r->kin, s->state->x,
                          s->state->xdot, slopes, r->arena, &d, &lack));
  CHECK(!lack.why);
  double exact = along(r, s, &d), least = HUGE_VAL;
  for (int i = 0; i < 3; i++) {
    double f[4], h = widths[i], size = fabs(exact) + 1e8 * digits * size_of(r, slopes) / h;
    for (int k = 0; k < 4; k++) f[k] = value(r, s, (k - 2 + (k > 1)) * h, slopes);
    double differences = (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h);
    if (size > 0) least = fmin(least, fabs(differences - exact) / size);
  }
  return least < HUGE_VAL ? least : 0;
}

static void differentiate(const char *name, const char *const *sets, int num_sets, int motion,
                          int first, int steps, int every) {
  test_example e;
  replay       r;
  double       worst[NUM_OF] = {0};
  start(&r);
  test_example_start(&e, name, sets, num_sets);
  for (int k = 0; k < steps; k++) {
    OK(sup_step(e.s.stepper, e.s.state, &e.s.report));
    if (k < first || (k - first) % every) continue;
    search_start(&r, &e.s, motion);
    for (int of = 0; of < NUM_OF; of++) worst[of] = fmax(worst[of], check_derivative(&r, &e.s, of));
  }
  for (int of = 0; of < NUM_OF; of++) CHECK(worst[of] < 2e-8);
  printf("\n    %s: gap %.1e, stiffness %.1e, normal %.1e, place %.1e, carriers %.1e; ", name,
         worst[0], worst[1], worst[2], worst[3], worst[4]);
  test_example_end(&e);
  end(&r);
}

static void derivatives_are_those_of_differences(void) {
  static const char *const vertices[] = {"contact.soft_surface=vertices"};
  for (int motion = 0; motion < 2; motion++) {
    differentiate("finray_press", NULL, 0, motion, 3, 30, 9);
    differentiate("finray_press", vertices, 1, motion, 3, 30, 9);
  }
  differentiate("soft_cube_drop", NULL, 0, 0, 0, 60, 10);
  differentiate("soft_cube_drop", vertices, 1, 0, 0, 60, 10);
}

SUITE_TESTS(replay, TEST(surfaces_in_shapes), TEST(points_of_shapes), TEST(patches_of_fields),
            TEST(derivatives_are_those_of_differences));
