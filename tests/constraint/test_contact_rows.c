/* Contacts -> rows: laws, numbers, and effects of belts and friction tensors on whole bodies. */
#include "constraint/contact_rows.h"

#include <stdlib.h>

#include "scene_test.h"
#include "step/stepper.h"

static const sup_shape half_space = {.type = SUP_SHAPE_HALF_SPACE};

/** A contact in a point at p, n from `a` to `b`. */
static sup_contact point_contact(const sup_model *model, const char *a, const char *b, sup_v3 p,
                                 sup_v3 n, double phi, double k) {
  for (int i = 0; i < model->num_pairs; i++) {
    const sup_pair *pair = &model->pair[i];
    const char     *x = model->body[pair->a].name, *y = model->body[pair->b].name;
    if (strcmp(x, a) != 0 || strcmp(y, b) != 0) continue;
    return (sup_contact){.pair = i,
                         .body_a = pair->a,
                         .body_b = pair->b,
                         .geometry_a = pair->geometry_a,
                         .geometry_b = pair->geometry_b,
                         .item_a = SUP_NONE,
                         .item_b = SUP_NONE,
                         .num_points = 1,
                         .point = {p},
                         .centroid = p,
                         .foot = p,
                         .normal = n,
                         .facing = 1,
                         .phi = phi,
                         .point_stiffness = k,
                         .dissipation = pair->dissipation};
  }
  CU_FAIL_FATAL("no such pair");
  return (sup_contact){0};
}

/** Rows of the contacts at the present state. */
static sup_status make_rows(test_scene *s, sup_contact *contact, int count) {
  sup_stepper  *st = s->stepper;
  sup_increment inc = test_increment(s);
  OK(sup_stepper_begin(st, &inc, s->state));
  OK(sup_step_dynamics(&st->start, &st->contact.list, &st->assembly));
  sup_contact_list    list = {contact, (size_t)count, count};
  sup_contact_context context = {.model = s->model,
                                 .inc = &inc,
                                 .kin = &st->start.kin,
                                 .A_pattern = &st->layout->A_pattern,
                                 .A = st->assembly.A,
                                 .v0 = st->assembly.v0,
                                 .arena = st->arena};
  sup_rows_reset(&st->contact.rows);
  return sup_contact_rows(&st->contact.rows, &context, &list);
}

/** A ball on a floor, both in point contact. */
static void ball_on_floor(test_scene *s, double mass, double radius) {
  test_scene_init(s);
  sup_link_def *ball =
      test_add_rigid(s, "ball", (sup_shape){.type = SUP_SHAPE_SPHERE, .size = {radius}}, mass, 0);
  ball->q0[2] = radius;
  test_add_rigid(s, "floor", half_space, 1, 1);
  for (int g = 0; g < 2; g++) s->geometry[g].contact.point_stiffness = 2e5;
}

static const sup_v3 origin = {0, 0, 0}, down = {0, 0, -1};

static void a_ball_gives_each_model_its_numbers(void) {
  double m = .3, R = .05, phi = -1e-4, k = 1e5, wt = (1 + 2.5) / m;
  for (int model = 0; model < SUP_NUM_CONTACT_MODELS; model++)
    for (int delassus = 0; delassus < SUP_NUM_DELASSUS; delassus++) {
      test_scene s;
      ball_on_floor(&s, m, R);
      sup_options *o = &s.options;
      s.def.contact.model = (sup_contact_model)model, o->delassus = (sup_delassus)delassus;
      o->dt = 2e-3;
      s.geometry[0].contact.relaxation_time = .02, s.geometry[1].contact.relaxation_time = .01;
      s.link[0][0].v0[5] = -.01, s.link[0][0].v0[3] = .04;
      test_start(&s);
      sup_contact contact = point_contact(s.model, "ball", "floor", origin, down, phi, k);
      OK(make_rows(&s, &contact, 1));
      const sup_law *law = &s.stepper->contact.rows.constraint[0].law;
      if (model == SUP_MODEL_SAP) {
        CHECK(law->kind == SUP_LAW_SAP);
        NEAR(law->sap.Rt, 1e-3 * wt, 1e-12, 0);
        NEAR(law->sap.Rn, 1 / (2e-3 * k * .032), 1e-12, 0);
        NEAR(law->sap.vhat, 1e-4 / .032, 1e-12, 0);
        NEAR(contact.stiffness, k, 1e-12, 0);
      } else {
        double gn0 = 2e-3 * k * 1e-4 * (1 - 10 * -.01);
        int    is_regularized = sup_contact_model_is_regularized((sup_contact_model)model);
        CHECK(law->kind == sup_contact_model_law((sup_contact_model)model));
        NEAR(law->coulomb.gn0, gn0, 1e-12, 0);
        NEAR(law->coulomb.normal.tau, .03, 1e-12, 0);
        NEAR(law->coulomb.regularise, is_regularized ? 1e-3 * wt : 0, 1e-12, 0);
        NEAR(law->coulomb.eps, fmax(1e-4, law->coulomb.regularise * .5 * gn0), 1e-12, 0);
      }
      /* stiffer than the step resolves: SAP stops at a period of beta steps, the others keep what
       * was asked for */
      contact.point_stiffness = 1e12;
      OK(make_rows(&s, &contact, 1));
      double limit = 4 * 3.14159265358979 * 3.14159265358979 * m / (2e-3 * .032);
      NEAR(contact.stiffness, model == SUP_MODEL_SAP ? limit : 1e12, 1e-12, 0);
      test_end(&s);
    }
}

/* P0 eq. 26 in an impact: eps = sigma w mu gn0. */
static void an_impact_regularises_friction(void) {
  static const sup_contact_model models[2] = {SUP_MODEL_LAGGED_REGULARIZED,
                                              SUP_MODEL_SIMILAR_REGULARIZED};
  for (int k = 0; k < 2; k++) {
    test_scene s;
    ball_on_floor(&s, .3, .05);
    s.def.contact.model = models[k];
    s.options.beta = 0;
    test_start(&s);
    sup_contact contact = point_contact(s.model, "ball", "floor", origin, down, -.02, 1e5);
    OK(make_rows(&s, &contact, 1));
    const sup_coulomb *c = &s.stepper->contact.rows.constraint[0].law.coulomb;
    NEAR(c->gn0, .01 * 1e5 * .02, 1e-12, 0);
    NEAR(c->eps, 1e-3 * 3.5 / .3 * .5 * 20, 1e-12, 0);
    test_end(&s);
  }
}

/** W = J A^-1 J^T, or J diag(A)^-1 J^T, of the first row by Gauss elimination of its one block. */
static void dense_delassus(const sup_stepper *st, int full, double W[9]) {
  const sup_jacobian_block *b =
      &st->contact.rows.jacobian[st->contact.rows.constraint[0].first_block];
  int n = st->layout->A_pattern.offset[b->block + 1] - st->layout->A_pattern.offset[b->block];
  const double *A =
      st->assembly.A + st->layout->A_pattern.value_start[st->layout->A_pattern.col_start[b->block]];
  const double *J = st->contact.rows.jacobian_value + b->value;
  CHECK(st->contact.rows.constraint[0].num_blocks == 1);
  for (int r = 0; r < 3; r++) {
    double M[8][9];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++)
        M[i][j] = i == j || full ? A[(i < j ? i : j) * n + (i < j ? j : i)] : 0;
      M[i][n] = J[r * n + i];
    }
    for (int p = 0; p < n; p++)
      for (int i = 0; i < n; i++) {
        double factor = i == p ? 0 : M[i][p] / M[p][p];
        for (int j = p; j <= n; j++) M[i][j] -= factor * M[p][j];
      }
    for (int q = 0; q < 3; q++) {
      W[3 * q + r] = 0;
      for (int i = 0; i < n; i++) W[3 * q + r] += J[q * n + i] * M[i][n] / M[i][i];
    }
  }
}

static void inverse_masses_of_an_arm_are_those_of_the_dense_matrix(void) {
  double found[2];
  for (int delassus = 0; delassus < SUP_NUM_DELASSUS; delassus++) {
    test_scene    s;
    sup_tree_def *arm;
    test_scene_init(&s);
    arm = test_add_tree(&s, "arm", 3);
    for (int l = 0; l < 3; l++) {
      sup_link_def *link = &arm->links[l];
      link->joint = SUP_JOINT_REVOLUTE;
      link->axis[0] = l == 1, link->axis[1] = l != 1;
      link->X_PJ.p[0] = l ? .4 : 0;
      link->mass = 1, link->com[0] = .2;
      for (int i = 0; i < 3; i++) link->inertia[i] = .02;
      link->q0[0] = .3;
    }
    s.geometry[0] = (sup_geometry_def){{.type = SUP_SHAPE_SPHERE, .size = {.05}},
                                       {{.4, .1, 0}, {1, 0, 0, 0}},
                                       sup_default_contact_def(),
                                       .marker = SUP_INITIALISED};
    arm->links[2].num_geometries = 1, arm->links[2].geometries = &s.geometry[0];
    test_add_rigid(&s, "floor", half_space, 1, 1);
    for (int g = 0; g < 2; g++) s.geometry[g].contact.point_stiffness = 2e9;
    s.def.contact.model = SUP_MODEL_SAP;
    s.options.delassus = (sup_delassus)delassus;
    test_start(&s);
    sup_contact contact = point_contact(s.model, "arm/link2", "floor", (sup_v3){.9, .2, -.3},
                                        sup_v3_unit((sup_v3){.2, .1, -1}), 0, 1e12);
    OK(make_rows(&s, &contact, 1));
    double W[9], pi = 3.14159265358979323846;
    dense_delassus(s.stepper, delassus == SUP_DELASSUS_FULL, W);
    const sup_sap *sap = &s.stepper->contact.rows.constraint[0].law.sap;
    NEAR(sap->Rn, W[8] / (4 * pi * pi), 1e-10, 0);
    NEAR(sap->Rt, 1e-3 * sqrt((W[0] * W[0] + 2 * W[1] * W[1] + W[4] * W[4]) / 2), 1e-10, 0);
    found[delassus] = W[8];
    test_end(&s);
  }
  CHECK(fabs(found[0] / found[1] - 1) > .05); /* the two estimates differ on a coupled arm */
}

static void pairs_have_models_and_friction_of_their_own(void) {
  test_scene s;
  ball_on_floor(&s, .3, .05);
  sup_pair_def pair = sup_default_pair_def();
  strcpy(pair.a, "floor"), strcpy(pair.b, "ball");
  pair.model = SUP_MODEL_SIMILAR, pair.normal_law = SUP_NORMAL_IPC_BARRIER;
  pair.friction = .2, pair.static_friction = .6, pair.barrier_range = 2e-3;
  s.def.pairs = &pair, s.def.num_pairs = 1;
  s.link[0][0].v0[3] =
      1e-3; /* ten times the stiction tolerance: half way between the coefficients */
  test_start(&s);
  sup_contact contact = point_contact(s.model, "ball", "floor", origin, down, 1e-3, 1e5);
  OK(make_rows(&s, &contact, 1));
  const sup_law *law = &s.stepper->contact.rows.constraint[0].law;
  CHECK(law->kind == SUP_LAW_SIMILAR && law->coulomb.normal.kind == SUP_NORMAL_IPC_BARRIER);
  CHECK(law->coulomb.normal.barrier_range == 2e-3);
  NEAR(law->coulomb.normal.barrier_energy, 1e-5, 1e-15, 0);
  NEAR(law->coulomb.mu, .4, 1e-12, 0);
  s.state->v[3] = 0;
  OK(make_rows(&s, &contact, 1));
  NEAR(s.stepper->contact.rows.constraint[0].law.coulomb.mu, .6, 1e-12, 0);
  s.state->v[3] = 1;
  OK(make_rows(&s, &contact, 1));
  NEAR(s.stepper->contact.rows.constraint[0].law.coulomb.mu, .2, 0, .002);
  test_end(&s);
}

/* A belt moves in the tangent plane of the contact; its part along the normal does nothing. */
static void surface_velocity_is_a_bias_in_the_tangent_plane(void) {
  test_scene s;
  ball_on_floor(&s, .3, .05);
  s.tree[1].X_WB.q[0] = s.tree[1].X_WB.q[3] =
      sqrt(.5); /* the floor's x axis is the world's y axis */
  s.geometry[1].contact.surface_velocity[0] = .7;
  s.geometry[1].contact.surface_velocity[2] = 5;
  s.geometry[0].contact.surface_velocity[0] = .1;
  test_start(&s);
  sup_contact contact = point_contact(s.model, "ball", "floor", origin, down, -1e-4, 1e5);
  OK(make_rows(&s, &contact, 1));
  sup_m3        R = sup_m3_frame_of_normal(contact.normal);
  const double *bias = s.stepper->contact.rows.constraint[0].bias;
  sup_v3        world = sup_m3_apply(R, sup_v3_load(bias));
  NEAR(world.x, -.1, 1e-12, 0);
  NEAR(world.y, .7, 1e-12, 0);
  NEAR(world.z, 0, 0, 1e-15);
  test_end(&s);
}

/* A swinging belt has the velocity of the step's end. */
static void surface_velocity_swings(void) {
  test_scene s;
  ball_on_floor(&s, .3, .05);
  s.geometry[1].contact.surface_velocity[0] = .7;
  s.geometry[1].contact.surface_amplitude[0] = .2;
  s.geometry[1].contact.surface_frequency = 3;
  s.geometry[1].contact.surface_phase = .4;
  test_start(&s);
  for (int i = 0; i < 3; i++) {
    sup_contact contact = point_contact(s.model, "ball", "floor", origin, down, -1e-4, 1e5);
    OK(make_rows(&s, &contact, 1));
    sup_m3 R = sup_m3_frame_of_normal(contact.normal);
    sup_v3 world = sup_m3_apply(R, sup_v3_load(s.stepper->contact.rows.constraint[0].bias));
    double end = s.state->time + s.options.dt;
    NEAR(world.x, .7 + .2 * sin(6 * acos(-1) * end + .4), 1e-13, 0);
    test_step(&s);
  }
  test_end(&s);
}

/** S in the world's x, y axes for a contact with the normal -z. */
static void world_tensor(const sup_law *law, double S[4]) {
  sup_m3 R = sup_m3_frame_of_normal(down);
  double C[4] = {law->anisotropy.xx, law->anisotropy.xy, law->anisotropy.xy, law->anisotropy.yy};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      S[2 * i + j] = 0;
      for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) S[2 * i + j] += R.m[i][a] * C[2 * a + b] * R.m[j][b];
    }
}

static void friction_tensors_follow_their_bodies_and_combine_by_the_harmonic_mean(void) {
  for (int both = 0; both < 2; both++) {
    test_scene s;
    ball_on_floor(&s, .3, .05);
    s.tree[1].X_WB.q[0] = s.tree[1].X_WB.q[3] = sqrt(.5);
    sup_contact_def *ball = &s.geometry[0].contact, *floor = &s.geometry[1].contact;
    floor->anisotropy_axis[0] = 2, floor->anisotropy_ratio = .4, floor->friction = .8;
    if (both) ball->anisotropy_axis[0] = 1, ball->anisotropy_ratio = 3;
    ball->friction = .3;
    test_start(&s);
    sup_contact contact = point_contact(s.model, "ball", "floor", origin, down, -1e-4, 1e5);
    OK(make_rows(&s, &contact, 1));
    const sup_law *law = &s.stepper->contact.rows.constraint[0].law;
    double         S[4], mu = law->coulomb.mu;
    world_tensor(law, S);
    /* M_floor = .8 diag(1, .4), M_ball = .3 diag(3 or 1, 1) in the world */
    NEAR(mu * S[0], 2 / (1 / .8 + 1 / (both ? .9 : .3)), 1e-12, 0);
    NEAR(mu * S[3], 2 / (1 / .32 + 1 / .3), 1e-12, 0);
    NEAR(S[1], 0, 0, 1e-14);
    test_end(&s);
  }
}

/* A pair's own coefficient scales the bodies' tensors, also where a body has no friction. */
static void a_coefficient_of_the_pair_keeps_the_tensors_of_its_bodies(void) {
  static const double of_ball[] = {0, .3, 0}, of_floor[] = {0, 0, .8};
  for (int k = 0; k < 3; k++) {
    test_scene s;
    ball_on_floor(&s, .3, .05);
    sup_pair_def pair = sup_default_pair_def();
    strcpy(pair.a, "floor"), strcpy(pair.b, "ball"), pair.friction = .5;
    s.def.pairs = &pair, s.def.num_pairs = 1;
    sup_contact_def *ball = &s.geometry[0].contact, *floor = &s.geometry[1].contact;
    ball->friction = of_ball[k], floor->friction = of_floor[k];
    floor->anisotropy_axis[0] = 1, floor->anisotropy_ratio = .4;
    test_start(&s);
    sup_contact contact = point_contact(s.model, "ball", "floor", origin, down, -1e-4, 1e5);
    OK(make_rows(&s, &contact, 1));
    const sup_law *law = &s.stepper->contact.rows.constraint[0].law;
    double         S[4], share = k == 0 ? .5 : k - 1; /* of the ball in the inverse tensor */
    world_tensor(law, S);
    NEAR(law->coulomb.mu, .5, 1e-14, 0);
    NEAR(S[0], 1 / (share + (1 - share) / .4), 1e-12, 0);
    NEAR(S[3], 1, 1e-12, 0);
    test_end(&s);
  }
}

/* THEORY 6.6: a box slides with M = mu diag(1, .4): its acceleration is -g M t(M v).  Not with SAP
 * and Similar: they glide above the floor, where patches end. */
static void a_box_on_an_anisotropic_floor_curves(void) {
  for (int model = 0; model <= SUP_MODEL_LAGGED_REGULARIZED; model++) {
    test_scene s;
    test_scene_init(&s);
    s.options.dt = 1e-3;
    s.def.contact.model = (sup_contact_model)model;
    sup_link_def *box =
        test_add_rigid(&s, "box", (sup_shape){.type = SUP_SHAPE_BOX, .size = {.4, .4, .02}}, 1, 0);
    test_add_rigid(&s, "floor", half_space, 1, 1);
    box->q0[2] = .01;
    box->v0[3] = 3, box->v0[4] = 4;
    s.geometry[0].contact.resolution = 1;
    s.geometry[1].contact.anisotropy_axis[1] = 1, s.geometry[1].contact.anisotropy_ratio = 1 / 4.;
    test_start(&s);
    for (int i = 0; i < 100; i++) test_step(&s);
    double v[2] = {s.state->v[3], s.state->v[4]};
    for (int i = 0; i < 20; i++) test_step(&s);
    /* the box's tensor is 1: the harmonic mean of 1 and 1/4 is .4; at the velocity half way */
    double dv[2] = {s.state->v[3] - v[0], s.state->v[4] - v[1]};
    double u[2] = {.5 * (v[0] + .5 * dv[0]), .5 * .4 * (v[1] + .5 * dv[1])},
           size = hypot(u[0], u[1]);
    NEAR(dv[0] / .02, -9.81 * .5 * u[0] / size, 1e-3, 0);
    NEAR(dv[1] / .02, -9.81 * .5 * .4 * u[1] / size, 1e-3, 0);
    test_end(&s);
  }
}

/* A box on a belt is accelerated by mu g until it moves with the belt. */
static void a_belt_takes_a_box_along_with_every_model(void) {
  for (int model = 0; model < SUP_NUM_CONTACT_MODELS; model++) {
    test_scene s;
    test_scene_init(&s);
    s.options.dt = 2e-3;
    s.def.contact.model = (sup_contact_model)model;
    sup_link_def *box =
        test_add_rigid(&s, "box", (sup_shape){.type = SUP_SHAPE_BOX, .size = {.4, .4, .02}}, 1, 0);
    test_add_rigid(&s, "floor", half_space, 1, 1);
    box->q0[2] = .01;
    s.geometry[0].contact.resolution = 1;
    s.geometry[1].contact.surface_velocity[0] = 1;
    test_start(&s);
    for (int i = 0; i < 50; i++) test_step(&s);
    /* the first step of a contact has no friction, THEORY 6.4; SAP and Similar glide off the
     * patches now and then */
    if (model <= SUP_MODEL_LAGGED_REGULARIZED) NEAR(s.state->v[3], 49 * 2e-3 * .5 * 9.81, 1e-6, 0);
    for (int i = 0; i < 250; i++) test_step(&s);
    NEAR(s.state->v[3], 1, 1e-4, 0);
    NEAR(s.state->v[4], 0, 0, 1e-6);
    test_end(&s);
  }
}

static void what_a_law_cannot_do_is_said(void) {
  test_scene s;
  ball_on_floor(&s, .3, .05);
  s.def.contact.model = SUP_MODEL_SAP, s.options.sigma = 0;
  OK(sup_model_create(&s.model, &s.def));
  FAILS(sup_options_check(&s.options, s.model), SUP_E_ARG, "sigma is 0; the contact model sap");
  sup_model_destroy(&s.model);
  s.options = sup_default_options(), s.def.contact = sup_default_contact_rules();
  s.def.contact.normal_law = SUP_NORMAL_HERTZ;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG, "hertz_modulus");
  s.geometry[1].contact.hertz_modulus = 1e6 / .91;
  OK(sup_model_create(&s.model, &s.def));
  NEAR(s.model->pair[0].hertz_stiffness, 4. / 3 * 1e6 / .91 * sqrt(.05), 1e-13, 0);
  sup_model_destroy(&s.model);
  s.geometry[0].contact.point_stiffness = 0;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "touch in patches; the normal law hertz is for point contact");
  s.geometry[0].contact.point_stiffness = 1e5;
  s.def.contact.normal_law = SUP_NORMAL_IPC_BARRIER, s.def.contact.barrier_range = 1;
  OK(sup_model_create(&s.model, &s.def)); /* contacts are looked for as far as the barrier begins */
  NEAR(s.model->pair[0].reach_range, 1, 0, 0);
  sup_model_destroy(&s.model);
  s.def.contact.barrier_range = 0;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG, "range 0 m; all must be positive");
  s.def.contact.barrier_range = 1e-3;
  s.geometry[1].contact.anisotropy_ratio = 0;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "anisotropy_ratio of the contact of 'link0' is 0; a number above 0 is expected");
  s.geometry[1].contact.anisotropy_ratio = 1;
  test_start(&s);
  sup_contact contact = point_contact(s.model, "ball", "floor", origin, down, -1e-4, 1e5);
  FAILS(make_rows(&s, &contact, 1), SUP_E_GEOMETRY,
        "'ball' and 'floor' overlap by 0.0001 m; the normal law ipc_barrier");
  test_end(&s);
}

/** The step's problem with a Hessian of all pairs of block columns. */
static sup_problem problem_of(const sup_stepper *st, const sup_block_pattern *H_pattern,
                              const int *A_to_H, int with_clusters) {
  const sup_rows *rows = &st->contact.rows;
  return (sup_problem){.A_pattern = &st->layout->A_pattern,
                       .A = st->assembly.A,
                       .p = st->assembly.p,
                       .H_pattern = H_pattern,
                       .A_to_H = A_to_H,
                       .num_constraints = rows->num_constraints,
                       .num_vc = rows->num_vc,
                       .num_jacobian_blocks = rows->num_jacobian_blocks,
                       .constraint = rows->constraint,
                       .jacobian = rows->jacobian,
                       .jacobian_value = rows->jacobian_value,
                       .cluster = rows->cluster,
                       .num_clusters = with_clusters ? rows->num_clusters : 0};
}

/** Pattern of the full lower triangle, and the positions of A in it. */
static void couple_everything(const sup_block_pattern *A, sup_block_pattern *out, int **A_to_H) {
  int n = A->num_blocks, *size = calloc((size_t)n, sizeof *size),
      *pair = calloc((size_t)(n * n), 2 * sizeof *pair);
  for (int b = 0; b < n * n; b++) pair[2 * b] = b / n, pair[2 * b + 1] = b % n;
  for (int b = 0; b < n; b++) size[b] = A->offset[b + 1] - A->offset[b];
  *out = (sup_block_pattern){0};
  OK(sup_block_pattern_build(out, n, size, (size_t)(n * n), pair));
  *A_to_H = calloc((size_t)A->col_start[n], sizeof **A_to_H);
  for (int j = 0; j < n; j++)
    for (int e = A->col_start[j]; e < A->col_start[j + 1]; e++)
      (*A_to_H)[e] = sup_block_pattern_find(out, A->row[e], j);
  free(size);
  free(pair);
}

static double largest_of(const double *x, size_t n) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

/** An arm with fields on its first and last link, which touch each other, a ball that the last one
 * pushes to the floor.
 */
static void arm_on_a_ball(test_scene *s) {
  test_scene_init(s);
  sup_tree_def *arm = test_add_tree(s, "arm", 3);
  for (int l = 0; l < 3; l++) {
    sup_link_def *link = &arm->links[l];
    link->joint = SUP_JOINT_REVOLUTE, link->axis[0] = 0, link->axis[1] = 1, link->axis[2] = 0;
    link->X_PJ.p[0] = l ? .1 : 0;
    link->mass = 1, link->com[0] = .05;
    for (int i = 0; i < 3; i++) link->inertia[i] = .02;
    if (l != 1) {
      sup_geometry_def *g = &s->geometry[10 + l];
      *g = (sup_geometry_def){{.type = SUP_SHAPE_SPHERE, .size = {.11}},
                              sup_pose_identity(),
                              sup_default_contact_def(),
                              .marker = SUP_INITIALISED};
      g->contact.modulus = 1e6, g->contact.resolution = .05;
      link->num_geometries = 1, link->geometries = g;
    }
  }
  sup_link_def *ball = test_add_rigid(s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.1}}, 1, 0);
  ball->geometries[0].contact.modulus = 1e6, ball->geometries[0].contact.resolution = .04;
  ball->q0[0] = .22, ball->q0[2] = -.205;
  sup_link_def *base = test_add_rigid(s, "floor", half_space, 1, 1);
  base->X_PJ.p[2] = -.3;
}

/* A patch between two links, whatever they are part of, acts through their twists: velocities,
 * impulses and the Hessian are those of its pieces one by one. */
static void clusters_of_contacts_change_nothing(void) {
  test_scene  s;
  test_random random = {5};
  arm_on_a_ball(&s);
  test_start(&s);
  test_step(&s);
  const sup_stepper *st = s.stepper;
  sup_block_pattern  H_pattern;
  int               *A_to_H;
  couple_everything(&st->layout->A_pattern, &H_pattern, &A_to_H);
  sup_problem one = problem_of(st, &H_pattern, A_to_H, 0),
              all = problem_of(st, &H_pattern, A_to_H, 1);
  int in_clusters = 0, n = st->layout->A_pattern.num_scalars, m = all.num_vc;
  for (int k = 0; k < all.num_clusters; k++) in_clusters += all.cluster[k].count;
  printf("%d of %d contacts in %d clusters; ", in_clusters, all.num_constraints, all.num_clusters);
  CHECK(all.num_clusters == 3 && in_clusters > 30);
  size_t  size = sup_block_pattern_num_values(&H_pattern);
  double *v = calloc((size_t)n, sizeof *v), *gamma = calloc((size_t)m, sizeof *gamma);
  double *G = calloc(9 * (size_t)all.num_constraints, sizeof *G);
  double *out[2], *vc[2], *H[2];
  for (int i = 0; i < n; i++) v[i] = test_uniform(&random);
  for (int i = 0; i < m; i++) gamma[i] = test_uniform(&random);
  for (int i = 0; i < all.num_constraints; i++) /* a rank-one matrix a contact, some of them zero */
    for (int k = 0; k < 9 && i % 5; k++) G[9 * i + k] = gamma[3 * i + k / 3] * gamma[3 * i + k % 3];
  for (int with = 0; with < 2; with++) {
    const sup_problem *problem = with ? &all : &one;
    sup_hessian_map    map;
    out[with] = calloc((size_t)n, sizeof(double)), vc[with] = calloc((size_t)m, sizeof(double));
    H[with] = calloc(size, sizeof(double));
    OK(sup_hessian_map_create(&map, problem, st->arena));
    sup_problem_constraint_velocity(problem, v, 1, vc[with]);
    sup_problem_generalized_impulse(problem, gamma, out[with]);
    sup_hessian_set_dynamics(problem, H[with]);
    sup_hessian_set_constraints(problem, &map, G, H[with]);
  }
  for (int i = 0; i < m; i++) NEAR(vc[1][i], vc[0][i], 0, 1e-13 * largest_of(vc[0], (size_t)m));
  for (int i = 0; i < n; i++) NEAR(out[1][i], out[0][i], 0, 1e-13 * largest_of(out[0], (size_t)n));
  for (size_t i = 0; i < size; i++) NEAR(H[1][i], H[0][i], 0, 1e-13 * largest_of(H[0], size));
  for (int with = 0; with < 2; with++) free(out[with]), free(vc[with]), free(H[with]);
  sup_block_pattern_free(&H_pattern);
  free(A_to_H);
  free(v), free(gamma), free(G);
  test_end(&s);
}

SUITE_TESTS(contact_rows, TEST(clusters_of_contacts_change_nothing),
            TEST(a_ball_gives_each_model_its_numbers), TEST(an_impact_regularises_friction),
            TEST(inverse_masses_of_an_arm_are_those_of_the_dense_matrix),
            TEST(pairs_have_models_and_friction_of_their_own),
            TEST(surface_velocity_is_a_bias_in_the_tangent_plane), TEST(surface_velocity_swings),
            TEST(friction_tensors_follow_their_bodies_and_combine_by_the_harmonic_mean),
            TEST(a_coefficient_of_the_pair_keeps_the_tensors_of_its_bodies),
            TEST(a_box_on_an_anisotropic_floor_curves),
            TEST(a_belt_takes_a_box_along_with_every_model), TEST(what_a_law_cannot_do_is_said));
