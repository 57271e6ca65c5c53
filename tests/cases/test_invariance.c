/* A scene may stand anywhere: one step of a scene that was turned and moved as a whole gives turned
 * velocities. */
#include "scene_test.h"

static sup_frame frame(sup_v3 turn, sup_v3 place) {
  return (sup_frame){sup_quat_matrix(sup_quat_exp(turn)), place};
}

static sup_pose moved(const sup_frame *X, sup_frame local) {
  sup_frame world = sup_frame_mul(X, &local);
  return sup_pose_from_frame(&world);
}

/** A soft cube comes down obliquely, turned, with friction, on: 0 a rigid floor, 1 a compliant box,
 * 2 a rigid box, 3 a soft plate of the other kind of cells, 4 a ball that is fixed, 5 the edge of a
 * box that is fixed. */
static void add_scene(test_scene *s, int partner, int is_tet, const sup_frame *X) {
  sup_mesh_pattern pattern[2] = {SUP_PATTERN_HEX, SUP_PATTERN_MIRROR};
  test_scene_init(s);
  s->options.dt = 2e-3, s->options.tolerance = 1e-13;
  sup_v3_store(s->options.gravity, sup_m3_apply(X->R, sup_v3_make(0, 0, -9.81)));
  sup_soft_def *cube =
      test_add_soft_box(s, "cube", .05, .05, .05, 2, 2, 2, pattern[is_tet], 1e5, .3, 1000);
  cube->X_WS = moved(X, frame(sup_v3_make(.1, -.06, .4), sup_v3_make(-.02, -.03, 4e-4)));
  sup_v3_store(cube->v0, sup_m3_apply(X->R, sup_v3_make(.3, -.2, -1)));
  cube->material.stiffness_damping = 1e-3;
  if (partner == 3) {
    sup_soft_def *plate =
        test_add_soft_box(s, "plate", .2, .2, .02, 4, 4, 1, pattern[!is_tet], 1e6, .3, 1000);
    plate->X_WS = moved(X, frame(sup_v3_make(0, 0, 0), sup_v3_make(-.1, -.1, -.02)));
    return;
  }
  sup_shape shape = {partner == 0 ? SUP_SHAPE_HALF_SPACE : SUP_SHAPE_BOX, {.2, .2, .04}};
  if (partner == 4) shape = (sup_shape){SUP_SHAPE_SPHERE, {.02}};
  if (partner == 5) shape = (sup_shape){SUP_SHAPE_BOX, {.2, .03, .03}};
  int           is_fixed = partner == 0 || partner > 3;
  double        depth = partner == 0 ? 0 : partner == 5 ? .015 * sqrt(2) : .02;
  sup_link_def *l = test_add_rigid(s, "base", shape, .5, is_fixed);
  sup_pose      pose = moved(
           X, frame(sup_v3_make(partner == 5 ? atan(1) : 0, 0, 0), sup_v3_make(.003, -.004, -depth)));
  if (partner == 1) s->geometry[0].contact.modulus = 1e6;
  if (is_fixed)
    s->tree[0].X_WB = pose;
  else
    memcpy(l->q0, pose.p, sizeof pose.p), memcpy(l->q0 + 3, pose.q, sizeof pose.q);
}

static void a_soft_scene_may_stand_anywhere(void) {
  sup_frame identity = sup_frame_identity(),
            X = frame(sup_v3_make(1, -2, .5), sup_v3_make(3, -2, 1));
  double worst = 0;
  for (int partner = 0; partner < 4; partner++)
    for (int k = 0; k < 4; k++) { /* with SAP, whose friction goes by inverse masses, too */
      test_scene s, t;
      double     most = 0, size = 0, force = 0;
      add_scene(&s, partner, k % 2, &identity), add_scene(&t, partner, k % 2, &X);
      if (k > 1) s.def.contact.model = t.def.contact.model = SUP_MODEL_SAP;
      test_start(&s), test_start(&t);
      for (int i = 0; i < 3; i++) {
        test_step(&s), test_step(&t);
        force = fmax(force, sup_v3_norm(test_contact_force(&s, "cube")));
      }
      for (int i = 0; i < s.model->num_vertices; i++) {
        sup_v3 v = sup_m3_apply(X.R, sup_v3_load(s.state->xdot + 3 * i)),
               w = sup_v3_load(t.state->xdot + 3 * i);
        most = fmax(most, sup_v3_norm(sup_v3_sub(v, w))), size = fmax(size, sup_v3_norm(v));
      }

      NEAR(most / size, 0, 0, 1e-9);
      CHECK(force > .1);
      worst = fmax(worst, most / size);
      test_end(&s), test_end(&t);
    }
  printf("%.1e ", worst);
}

/** The image of a vector in the mirror x -> -x; of an axial one. */
static sup_v3 image(sup_v3 a) { return sup_v3_make(-a.x, a.y, a.z); }
static sup_v3 axial_image(sup_v3 a) { return sup_v3_make(a.x, -a.y, -a.z); }

/** A rigid body that turns and moves, or its image, both in the frame of the shape. */
static void add_tumbling(test_scene *s, const char *name, const sup_shape *shape, double modulus,
                         const sup_v3 motion[4], int mirrored) {
  sup_link_def *l = test_add_rigid(s, name, *shape, .1, 0);
  sup_v3        turn = mirrored ? axial_image(motion[1]) : motion[1];
  sup_pose      pose = moved(
           &(sup_frame){sup_quat_matrix(sup_quat_exp(turn)), mirrored ? image(motion[0]) : motion[0]},
           sup_frame_identity());
  memcpy(l->q0, pose.p, sizeof pose.p), memcpy(l->q0 + 3, pose.q, sizeof pose.q);
  sup_m3 R = sup_quat_matrix(sup_quat_exp(turn));
  sup_v3 v = mirrored ? image(motion[2]) : motion[2],
         w = mirrored ? axial_image(motion[3]) : motion[3];
  sup_v3_store(l->v0, sup_m3_apply(sup_m3_transpose(R), w));
  sup_v3_store(l->v0 + 3, v);
  l->inertia[0] = 2e-5, l->inertia[1] = 3e-5, l->inertia[2] = 1.5e-5;
  s->geometry[s->def.num_trees - 1].contact.modulus = modulus;
  s->geometry[s->def.num_trees - 1].contact.resolution = 4e-3;
}

/** Two bodies that meet obliquely, with facets or pressure fields: forces in the mirror are those
 * of the scene, mirrored. */
static void tessellated_shapes_push_in_a_mirror_as_they_do(void) {
  const sup_shape shape[][2] = {
      {{SUP_SHAPE_CYLINDER, {.0163, .0255}}, {SUP_SHAPE_CAPSULE, {.0175, .0318}}},
      {{SUP_SHAPE_BOX, {.032, .024, .04}}, {SUP_SHAPE_CYLINDER, {.02, .007}}},
      {{SUP_SHAPE_ELLIPSOID, {.02, .015, .012}}, {SUP_SHAPE_SPHERE, {.018}}}};
  const sup_v3 motion[2][4] = {
      {{.004, -.0036, .021}, {.9, -.2, 1.4}, {-.3, .1, .6}, {3.5, -6, -.8}},
      {{-.003, -.004, .052}, {.4, .9, .2}, {.1, -.2, -.9}, {1, 2, -4}}};
  for (size_t pair = 0; pair < sizeof shape / sizeof *shape; pair++)
    for (int has_field = 0; has_field < 2; has_field++) {
      test_scene s[2];
      double     most = 0, size = 0;
      for (int k = 0; k < 2; k++) {
        test_scene_init(&s[k]);
        s[k].options.dt = 5e-4, s[k].options.tolerance = 1e-13;
        for (int b = 0; b < 2; b++)
          add_tumbling(&s[k], b ? "b" : "a", &shape[pair][b], has_field ? 1e6 : 0, motion[b], k);
        test_start(&s[k]);
      }
      for (int i = 0; i < 40; i++) {
        test_step(&s[0]), test_step(&s[1]);
        sup_v3 f = image(test_contact_force(&s[0], "a")), g = test_contact_force(&s[1], "a");
        most = fmax(most, sup_v3_norm(sup_v3_sub(f, g))), size = fmax(size, sup_v3_norm(f));
      }
      CHECK(size > 1);
      /* a prism of a field that a plane of symmetry crosses has one diagonal: pieces of a patch */
      NEAR(most / size, 0, 0, has_field ? 1e-4 : 1e-8);
      test_end(&s[0]), test_end(&s[1]);
    }
}

/** Each tetrahedron by another of its corners first, its sense kept. */
static void turn_cells(sup_mesh *mesh) {
  static const int turn[4][4] = {{1, 2, 0, 3}, {3, 2, 1, 0}, {0, 3, 1, 2}, {2, 3, 0, 1}};
  for (int c = 0; c < mesh->num_cells; c++) {
    int old[4], *cell = mesh->cell + 4 * c;
    memcpy(old, cell, sizeof old);
    for (int k = 0; k < 4; k++) cell[k] = old[turn[c % 4][k]];
  }
}

/* Contacts of a triangle that the floor cuts are the same whichever of its corners is told first:
 * by its order they were off by a few thousandths of the force.  Pieces of facets that cannot
 * follow a ball (4) or an edge (5) go by the longest side: by the order they were off by as much.
 */
static void forces_do_not_depend_on_the_order_of_corners(void) {
  static const int partners[] = {0, 4, 5};
  for (int k = 0; k < 3; k++) {
    test_scene s, t;
    sup_frame  identity = sup_frame_identity();
    double     force = 0, off = 0;
    add_scene(&s, partners[k], 1, &identity), add_scene(&t, partners[k], 1, &identity);
    turn_cells(t.mesh[0]);
    test_start(&s), test_start(&t);
    for (int i = 0; i < 25; i++) {
      test_step(&s), test_step(&t);
      sup_v3 f = test_contact_force(&s, "cube"), g = test_contact_force(&t, "cube");
      force = fmax(force, sup_v3_norm(f)), off = fmax(off, sup_v3_norm(sup_v3_sub(f, g)));
    }
    printf("%.1e of %.3g N; ", off, force);
    CHECK(force > 1);
    NEAR(off, 0, 0, 1e-8 * force);
    test_end(&s), test_end(&t);
  }
}

SUITE_TESTS(invariance, TEST(a_soft_scene_may_stand_anywhere),
            TEST(tessellated_shapes_push_in_a_mirror_as_they_do),
            TEST(forces_do_not_depend_on_the_order_of_corners));
