#include "collide/collide.h"

#include "collide/travel.h"

#include "scene_test.h"

/** Contacts of a started scene at its state. */
static sup_contact_list collide(test_scene *s, sup_arena **arena) {
  sup_contact_list list = {0};
  sup_kinematics   kin;
  sup_travel      *travel;
  OK(sup_arena_create(arena, 1 << 16));
  sup_increment inc = test_increment(s);
  OK(sup_kinematics_compute(&kin, s->model, &inc, s->state->q, s->state->v, *arena));
  OK(sup_travel_start(s->model, &inc, &kin, *arena, &travel));
  OK(sup_collide(&list, s->model, &inc, &kin, s->state->x, s->state->xdot, travel, *arena));
  return list;
}

/** Sum of seen area times (-phi) over the overlapping polygons: the force over C. */
static double overlap(const sup_contact_list *list, sup_v3 *moment) {
  double sum = 0;
  *moment = sup_v3_make(0, 0, 0);
  for (int i = 0; i < list->count; i++) {
    const sup_contact *c = &list->contact[i];
    if (c->phi >= 0) continue;
    sum -= c->area * c->facing * c->phi;
    *moment = sup_v3_madd(*moment, -c->area * c->facing * c->phi, c->centroid);
  }
  return sum;
}

static void floor_and(test_scene *s, sup_shape shape, double z, double resolution) {
  test_scene_init(s);
  test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *body = test_add_rigid(s, "body", shape, 1, 0);
  body->q0[2] = z;
  s->geometry[1].contact.resolution = resolution;
  test_start(s);
}

static void finish(test_scene *s, sup_contact_list *list, sup_arena **arena) {
  sup_contact_list_free(list);
  sup_arena_destroy(arena);
  test_end(s);
}

/* The depth is linear on a plane face: force over C is the displaced volume exactly, for any
 * tessellation and tilt. */
static void a_box_in_a_half_space_displaces_its_volume_exactly(void) {
  for (int k = 0; k < 3; k++) {
    test_scene s;
    sup_arena *arena;
    sup_v3     moment;
    floor_and(&s, (sup_shape){SUP_SHAPE_BOX, {.1, .06, .04}}, .02 - 1e-4, k ? .013 * k : 1);
    sup_contact_list list = collide(&s, &arena);
    NEAR(overlap(&list, &moment), .006 * 1e-4, 1e-12, 0);
    NEAR(moment.x, 0, 0, 1e-18);
    for (int i = 0; i < list.count; i++)
      if (list.contact[i].phi < 0)
        NEAR(list.contact[i].normal.z, -1, 1e-12, 0); /* from the box into the floor */
    finish(&s, &list, &arena);
  }
}

static void a_tilted_box_displaces_a_prism(void) {
  test_scene s;
  sup_arena *arena;
  sup_v3     moment;
  double     angle = 1e-3, half = .05;
  test_scene_init(&s);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *body = test_add_rigid(&s, "body", (sup_shape){SUP_SHAPE_BOX, {.1, .06, .04}}, 1, 0);
  sup_quat      q = sup_quat_exp(sup_v3_make(0, angle, 0));
  body->q0[2] = .02 * cos(angle), body->q0[3] = q.w,
  body->q0[5] = q.y; /* the bottom's middle line at z = 0 */
  test_start(&s);
  sup_contact_list list = collide(&s, &arena);
  double           h = half * sin(angle);
  NEAR(overlap(&list, &moment), .06 * .5 * h * half * cos(angle), 1e-6, 0);
  finish(&s, &list, &arena);
}

/* The patch is that of the exact shapes, whatever the resolution; depths are those along the
 * shapes' normals: what is displaced is off by a share of depth/radius. */
static void a_sphere_displaces_its_cap(void) {
  static const double depth[] = {1e-2, 4e-3, 1.5e-3}; /* more than a step of the fall */
  const double        R = .05;
  for (int k = 0; k < 3; k++) {
    double     d = depth[k], exact = 3.14159265358979323846 * d * d * (R - d / 3);
    test_scene s;
    sup_arena *arena;
    sup_v3     moment;
    floor_and(&s, (sup_shape){SUP_SHAPE_SPHERE, {R}}, R - d, .016);
    sup_contact_list list = collide(&s, &arena);
    NEAR(overlap(&list, &moment), exact, .2 * d / R + 1e-3, 0);
    finish(&s, &list, &arena);
  }
}

/* Contacts ahead: a falling body has them before it overlaps, a resting one at the same gap has
 * none. */
static void approaching_faces_are_seen_before_they_overlap(void) {
  test_scene s;
  sup_arena *arena;
  test_scene_init(&s);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *body = test_add_rigid(&s, "body", (sup_shape){SUP_SHAPE_BOX, {.1, .06, .04}}, 1, 0);
  body->q0[2] = .02 + 5e-3, body->v0[5] = -1; /* reaches the floor within 10 ms */
  test_start(&s);
  sup_contact_list list = collide(&s, &arena);
  double           area = 0;
  for (int i = 0; i < list.count; i++)
    area += list.contact[i].area, NEAR(list.contact[i].phi, 5e-3, 1e-12, 0);
  NEAR(area, .006, 1e-12, 0);
  s.state->v[5] = 0;
  sup_contact_list_free(&list);
  sup_arena_destroy(&arena);
  list = collide(&s, &arena);
  CHECK(list.count == 0);
  for (int i = 0; i < 20; i++) { /* falling 5 mm and landing: never deeper than the contact needs */
    test_step(&s);
    CHECK(s.state->q[2] > .02 - 1e-4);
  }
  finish(&s, &list, &arena);
}

/* Faces that look away from the other body do not touch it, however thin the body is. */
static void the_far_side_of_a_thin_plate_does_not_touch(void) {
  test_scene s;
  sup_arena *arena;
  floor_and(&s, (sup_shape){SUP_SHAPE_BOX, {.1, .06, .001}}, -.003, 1);
  sup_contact_list list = collide(&s, &arena);
  double           area = 0;
  for (int i = 0; i < list.count; i++)
    if (list.contact[i].point[0].z > -.003 &&
        fabs(list.contact[i].point[0].z - list.contact[i].point[1].z) < 1e-9 &&
        fabs(list.contact[i].point[0].z - list.contact[i].point[2].z) < 1e-9)
      area += list.contact[i].area;
  CHECK(list.count > 0 && area == 0);
  finish(&s, &list, &arena);
}

/* One step of a turned and shifted scene is the turned and shifted step. */
static void contact_is_objective(void) {
  double z[2], force[2];
  for (int turned = 0; turned < 2; turned++) {
    test_scene s;
    test_scene_init(&s);
    sup_link_def *table =
        test_add_rigid(&s, "table", (sup_shape){SUP_SHAPE_BOX, {.4, .4, .1}}, 1, 1);
    sup_link_def *body =
        test_add_rigid(&s, "body", (sup_shape){SUP_SHAPE_CYLINDER, {.03, .05}}, .7, 0);
    (void)table;
    s.geometry[1].contact.resolution = .03;
    s.options.tolerance = 1e-10;
    sup_frame X = sup_frame_identity(), X_WT = {sup_m3_identity(), {0, 0, -.05}},
              X_WC = {sup_m3_identity(), {.01, .02, .02499}};
    if (turned)
      X = (sup_frame){sup_quat_matrix(sup_quat_exp(sup_v3_make(.4, -1.1, .7))), {.3, -.2, .9}};
    sup_frame T = sup_frame_mul(&X, &X_WT), C = sup_frame_mul(&X, &X_WC);
    s.tree[0].X_WB = sup_pose_from_frame(&T);
    sup_pose pose = sup_pose_from_frame(&C);
    memcpy(body->q0, pose.p, sizeof pose.p);
    memcpy(body->q0 + 3, pose.q, sizeof pose.q);
    sup_v3_store(s.options.gravity, sup_m3_apply(X.R, sup_v3_make(.5, 0, -9.81)));
    test_start(&s);
    for (int i = 0; i < 3; i++) test_step(&s);
    z[turned] = sup_frame_apply_inverse(&X, sup_v3_load(s.state->q)).z;
    force[turned] = sup_m3_apply_t(X.R, test_contact_force(&s, "body")).z;
    test_end(&s);
  }
  NEAR(z[1], z[0], 0, 1e-9);
  NEAR(force[1], force[0], 1e-6, 0);
}

SUITE_TESTS(collide, TEST(a_box_in_a_half_space_displaces_its_volume_exactly),
            TEST(a_tilted_box_displaces_a_prism), TEST(a_sphere_displaces_its_cap),
            TEST(approaching_faces_are_seen_before_they_overlap),
            TEST(the_far_side_of_a_thin_plate_does_not_touch), TEST(contact_is_objective));
