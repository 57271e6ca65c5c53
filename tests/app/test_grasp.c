/* Behaviour of the FinRay grasp, step by step, from examples/finray_grasp.yaml itself. */
#include <string.h>

#include "base/memory.h"
#include "cases/creep.h"

typedef struct grasp {
  sup_scene      *scene;
  sup_model      *model;
  sup_state      *state, *before;
  sup_stepper    *stepper;
  sup_step_report report;
} grasp;

static void open_grasp(grasp *g, const char *path, const char *const *sets, int num_sets) {
  memset(g, 0, sizeof *g);
  OK(sup_scene_load(&g->scene, path, sets, num_sets));
  OK(sup_model_create(&g->model, &g->scene->model));
  OK(sup_state_create(&g->state, g->model, &g->scene->options));
  OK(sup_state_create(&g->before, g->model, &g->scene->options));
  OK(sup_stepper_create(&g->stepper, g->model, &g->scene->options));
}

static void close_grasp(grasp *g) {
  sup_stepper_destroy(&g->stepper);
  sup_state_destroy(&g->state);
  sup_state_destroy(&g->before);
  sup_model_destroy(&g->model);
  sup_scene_destroy(&g->scene);
}

static void advance(grasp *g) {
  OK(sup_state_copy(g->before, g->state));
  OK(sup_step(g->stepper, g->state, &g->report));
}

/** Contact force on a body and its moment about `origin`. */
static sup_wrench contact_wrench(const grasp *g, const char *name, sup_v3 origin) {
  const sup_step_result *r = sup_stepper_result(g->stepper);
  int                    body = sup_model_find_body(g->model, name);
  sup_wrench             sum = {{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < r->num_contacts; i++) {
    const sup_contact *c = &r->contact[i];
    double             sign = c->body_b == body ? 1 : c->body_a == body ? -1 : 0;
    sum.force = sup_v3_madd(sum.force, sign, c->force);
    sum.moment =
        sup_v3_madd(sum.moment, sign, sup_v3_cross(sup_v3_sub(c->centroid, origin), c->force));
  }
  return sum;
}

/** Position of the cylinder relative to the hand. */
static sup_v3 in_hand(const grasp *g) {
  const sup_step_result *r = sup_stepper_result(g->stepper);
  return sup_v3_sub(r->X_WL[sup_model_find_body(g->model, "cylinder")].p,
                    r->X_WL[sup_model_find_body(g->model, "gripper/hand")].p);
}

/** Mean of the vertical force on the cylinder in 0.5 s; a step balances to the tolerance. */
static double weigh(grasp *g, double tolerance) {
  double force = 0;
  for (int i = 0; i < 50; i++) {
    advance(g);
    CHECK(g->report.reason == SUP_REASON_TOLERANCE && g->report.momentum_error <= tolerance);
    force += contact_wrench(g, "cylinder", sup_v3_make(0, 0, 0)).force.z / 50;
  }
  return force;
}

/** The last 0.5 s again by a tighter tolerance, after ten steps of it. */
static double weigh_tightly(const grasp *held) {
  grasp       g;
  const char *sets[] = {"solver.tolerance=1e-8"};
  open_grasp(&g, "examples/finray_grasp.yaml", sets, 1);
  OK(sup_state_copy(g.state, held->state));
  for (int i = 0; i < 10; i++) advance(&g);
  double force = weigh(&g, 1e-8);
  close_grasp(&g);
  return force;
}

/* The whole grasp, of which every step up to half a second after the lift is also made from the
 * file of the state before it.  With regularised friction the cylinder creeps by 10.7 um/s. */
static void the_cylinder_is_lifted_and_held(void) {
  grasp      g;
  double     slip = 0;
  long       different = 0;
  sup_v3     held = {0, 0, 0};
  test_creep creep = {.from = 4};
  open_grasp(&g, "examples/finray_grasp.yaml", NULL, 0);
  int cylinder = sup_model_find_body(g.model, "cylinder");
  while (g.state->step < 450) {
    sup_state *again = NULL;
    if (g.state->step < 350) again = test_step_from_file(g.scene, g.model, g.state, 0);
    advance(&g);
    if (again) different += sup_state_hash(again) != sup_state_hash(g.state);
    sup_state_destroy(&again);
    CHECK(g.report.reason == SUP_REASON_TOLERANCE && g.report.momentum_error <= 1e-5);
    CHECK(g.report.inverted_cells == 0);
    if (g.state->step == 300) held = in_hand(&g);
    if (g.state->step > 300) slip = fmax(slip, sup_v3_norm(sup_v3_sub(in_hand(&g), held)));
    test_creep_step(&creep, g.stepper, cylinder);
  }
  double tight = weigh_tightly(&g), force = weigh(&g, 1e-5);
  slip = fmax(slip, sup_v3_norm(sup_v3_sub(in_hand(&g), held)));
  CHECK(slip < 1e-3 && different == 0);
  CHECK(test_creep_speed(&creep, "cylinder") < 1e-7);
  NEAR(force, .1 * 9.81, 1e-3, 0);
  NEAR(tight, .1 * 9.81, 1e-5, 0);
  CHECK(sup_stepper_result(g.stepper)->X_WL[cylinder].p.z >
        .025 + .095); /* lifted by 0.1 m, less what it sank in the fingers */
  printf("slip %.3f mm, vertical force off by %.2g, tightly %.2g ... ", 1e3 * slip,
         force / .981 - 1, tight / .981 - 1);
  close_grasp(&g);
}

/* Contact forces, attachment wrenches and joint efforts come from three pieces of code that do not
 * know each other: momentum of the fingers and RNEA of the gripper tie them together in every phase
 * of the grasp. */
static void contact_attachment_and_joint_forces_agree(void) {
  grasp       g;
  const char *sets[] = {"solver.tolerance=1e-10", "time.step=20ms"};
  int         checked = 0;
  open_grasp(&g, "examples/finray_grasp.yaml", sets, 2);
  const double dt = g.scene->options.dt;
  const sup_v3 gravity = sup_v3_load(g.scene->options.gravity);
  int          t = g.model->soft[0].attachment->tree;
  sup_tree    *tree = g.model->tree[t];
  while (g.state->step < 140) {
    advance(&g);
    CHECK(g.report.reason == SUP_REASON_TOLERANCE && g.report.momentum_error <= 1e-10);
    if (g.state->step % 7 != 0) continue;
    const sup_step_result *r = sup_stepper_result(g.stepper);
    sup_wrench             external[8];
    memset(external, 0, sizeof external);
    for (int s = 0; s < g.model->num_softs; s++) {
      const sup_soft *soft = &g.model->soft[s];
      size_t          at = 3 * (size_t)soft->first_vertex;
      double          dp[3] = {0, 0, 0}, *Mdv, *dv;
      OK(SUP_CALLOC(Mdv, 3 * soft->num_vertices));
      OK(SUP_CALLOC(dv, 3 * soft->num_vertices));
      for (int i = 0; i < 3 * soft->num_vertices; i++)
        dv[i] = g.state->xdot[at + (size_t)i] - g.before->xdot[at + (size_t)i];
      sup_fem_mass_multiply(soft->fem, dv, Mdv);
      for (int i = 0; i < 3 * soft->num_vertices; i++) dp[i % 3] += Mdv[i];
      SUP_FREE(Mdv);
      SUP_FREE(dv);
      /* finger: change of momentum = weight + contact - what it gives to the jaw */
      sup_v3 balance = sup_v3_madd(contact_wrench(&g, soft->name, gravity).force,
                                   sup_fem_mass(soft->fem), gravity);
      balance = sup_v3_sub(balance, r->attach_wrench[soft->first_attachment].force);
      NEAR(dp[0] / dt, balance.x, 0, 1e-6);
      NEAR(dp[1] / dt, balance.y, 0, 1e-6);
      NEAR(dp[2] / dt, balance.z, 0, 1e-6);
      external[soft->attachment->link] = r->attach_wrench[soft->first_attachment];
    }
    double vdot[8], tau[8];
    for (int l = 0; l < tree->num_links;
         l++) { /* nothing else touches the gripper, but RNEA would carry it */
      sup_wrench c = contact_wrench(&g, g.model->body[g.model->tree_body[t] + l].name,
                                    r->X_WL[g.model->tree_body[t] + l].p);
      external[l].force = sup_v3_add(external[l].force, c.force);
      external[l].moment = sup_v3_add(external[l].moment, c.moment);
    }
    const double *v0 = g.before->v + g.model->v_start[t], *v = g.state->v + g.model->v_start[t];
    for (int j = 0; j < tree->nv; j++) vdot[j] = (v[j] - v0[j]) / dt;
    sup_base_motion base = sup_tree_base_motion(tree, g.before->time, dt);
    sup_tree_inverse_dynamics(tree, &base, g.before->q + g.model->q_start[t], v0, vdot, gravity,
                              external, tau);
    for (int l = 0; l < tree->num_links; l++)
      if (tree->links[l].nv == 1) {
        int j = tree->links[l].v_start;
        NEAR(r->joint_effort[g.model->v_start[t] + j] - tree->links[l].damping * v[j], tau[j], 1e-6,
             1e-6);
      }
    checked++;
  }
  CHECK(checked == 20);
  CHECK(g.report.num_contacts > 20);
  close_grasp(&g);
}

/* The other backend is an independent factorisation of the same problem. */
static void cholmod_gives_the_same_grasp(void) {
#ifndef SUP_WITH_CHOLMOD
  SKIP("built with CHOLMOD=0; ");
#endif
  double      x[2][3];
  const char *sets[2][3] = {
      {"solver.backend=supernodal", "solver.tolerance=1e-9", "time.step=20ms"},
      {"solver.backend=cholmod", "solver.tolerance=1e-9", "time.step=20ms"}};
  for (int k = 0; k < 2; k++) {
    grasp g;
    open_grasp(&g, "examples/finray_grasp.yaml", sets[k], 3);
    while (g.state->step < 55) advance(&g);
    int cylinder = sup_model_find_body(g.model, "cylinder");
    sup_v3_store(x[k], sup_stepper_result(g.stepper)->X_WL[cylinder].p);
    close_grasp(&g);
  }
  for (int c = 0; c < 3; c++) NEAR(x[1][c], x[0][c], 0, 1e-9);
}

/* Loading and unloading of the pressed finger: the force follows the way, hysteresis is friction's,
 * nothing is left. */
static void the_pressed_finger_loads_and_unloads(void) {
  grasp  g;
  double up = 0, down = 0, peak = 0;
  open_grasp(&g, "examples/finray_press.yaml", NULL, 0);
  while (g.state->time < 2.2 - 1e-9) {
    advance(&g);
    double fx = -contact_wrench(&g, "cylinder", sup_v3_make(0, 0, 0)).force.x;
    CHECK(fx > -1e-6);
    if (g.state->step == 60) up = fx;
    if (g.state->step == 160) down = fx;
    peak = fmax(peak, fx);
  }
  CHECK(peak > 5 && peak < 15);
  CHECK(down < up && down > .5 * up);
  NEAR(contact_wrench(&g, "cylinder", sup_v3_make(0, 0, 0)).force.x, 0, 0, 1e-9);
  for (int i = 0; i < 3 * g.model->num_vertices; i++)
    NEAR(g.state->x[i], g.model->soft[0].x0[i], 0, 2e-5);
  close_grasp(&g);
}

SUITE_TESTS(grasp, TEST(the_cylinder_is_lifted_and_held),
            TEST(contact_attachment_and_joint_forces_agree), TEST(cholmod_gives_the_same_grasp),
            TEST(the_pressed_finger_loads_and_unloads));
