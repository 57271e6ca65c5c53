/* Closed loops in motion: a slider-crank and a delta robot against closed forms, their energy. */
#include "model/constraint.h"
#include "scene_test.h"

static const double pi = 3.14159265358979323846;

enum { MOST = 6 };

static sup_constraint_def *join(test_scene *s, sup_constraint_def *list, sup_constraint_kind kind,
                                const char *a, const char *b) {
  sup_constraint_def *c = &list[s->def.num_constraints++];
  *c = sup_default_constraint_def();
  snprintf(c->name, sizeof c->name, "c%d", s->def.num_constraints);
  snprintf(c->a, sizeof c->a, "%s", a), snprintf(c->b, sizeof c->b, "%s", b);
  c->kind = kind, s->def.constraints = list;
  return c;
}

/** Link of mass m on a joint along or about an axis through (x, y, 0) of the world. */
static sup_link_def *add_link(test_scene *s, const char *name, sup_joint_type joint, sup_v3 axis,
                              double m, double x, double y) {
  sup_link_def *l = &test_add_tree(s, name, 1)->links[0];
  l->joint = joint, l->mass = m;
  l->X_PJ.p[0] = x, l->X_PJ.p[1] = y;
  sup_v3_store(l->axis, axis);
  return l;
}

static double energy_of(const test_scene *s) {
  const sup_step_result *r = sup_stepper_result(s->stepper);
  double                 sum = 0;
  for (int t = 0; t < s->model->num_trees; t++) {
    const sup_tree_link *l = &s->model->tree[t]->links[0];
    int                  b = sup_model_link_body(s->model, t, 0);
    sup_v3               arm = sup_m3_apply(r->X_WL[b].R, l->com), w = r->link_w[b],
           local = sup_m3_apply_t(r->X_WL[b].R, w);
    sup_v3 v = sup_v3_add(r->link_v[b], sup_v3_cross(w, arm));
    sum +=
        .5 * l->mass * sup_v3_dot(v, v) + .5 * sup_v3_dot(local, sup_m3_apply(l->inertia, local));
  }
  return sum;
}

/* The slider is where the crank says, over several turns, and the energy stays. */
static void a_slider_crank_closes(void) {
  const double       r = .1, l = .3, m[3] = {.5, .2, .4}, theta = .7, spin = 30;
  double             worst = 0, turned = 0, before = theta, low = 0, high = 0;
  double             lean = asin(r * sin(theta) / l);
  sup_constraint_def list[MOST];
  test_scene         s;
  test_scene_init(&s);
  sup_link_def *crank = add_link(&s, "crank", SUP_JOINT_REVOLUTE, (sup_v3){0, -1, 0}, m[0], 0, 0);
  crank->com[0] = r / 2, crank->q0[0] = theta, crank->v0[0] = spin;
  sup_link_def *slider = add_link(&s, "slider", SUP_JOINT_PRISMATIC, (sup_v3){1, 0, 0}, m[2], 0, 0);
  slider->q0[0] = r * cos(theta) + l * cos(lean);
  slider->v0[0] = -r * spin * (sin(theta) + cos(theta) * tan(lean));
  sup_link_def *rod = test_add_rigid(&s, "rod", (sup_shape){SUP_SHAPE_BOX, {l, .01, .01}}, m[1], 0);
  rod->num_geometries = 0;
  rod->q0[0] = r * cos(theta) + l / 2 * cos(lean), rod->q0[2] = r * sin(theta) - l / 2 * sin(lean);
  rod->q0[3] = cos(lean / 2), rod->q0[5] = sin(lean / 2);
  for (int k = 0; k < 3; k++) /* about the joints, of no account but for y */
    crank->inertia[k] = m[0] * r * r / 12, slider->inertia[k] = 1e-4;
  double sway = r * spin * cos(theta) / (l * cos(lean));
  rod->v0[1] = sway;
  rod->v0[3] = -r * spin * sin(theta) - l / 2 * sin(lean) * sway;
  rod->v0[5] = r * spin * cos(theta) - l / 2 * cos(lean) * sway;
  for (int i = 0; i < 2; i++) {
    sup_constraint_def *h =
        join(&s, list, SUP_CONSTRAINT_HINGE, i ? "slider/link0" : "crank/link0", "rod");
    h->point_b[0] = i ? l / 2 : -l / 2, h->axis[1] = 1, h->axis[2] = 0;
  }
  s.options.gravity[2] = 0, s.options.dt = 1e-4;
  test_start(&s);
  for (int i = 0; i < 10000; i++) {
    test_step(&s);
    double t = s.state->q[0], E = energy_of(&s);
    turned += t - before, before = t;
    worst = fmax(worst, fabs(s.state->q[1] - r * cos(t) - sqrt(l * l - r * r * sin(t) * sin(t))));
    low = i == 0 ? E : fmin(low, E), high = fmax(high, E);
  }
  printf("%.3g turns, slider off by %.2g m, energy %.7g to %.7g J; ", turned / (2 * pi), worst, low,
         high);
  CHECK(turned > 6 * pi);
  CHECK(worst < 1e-6);
  CHECK(high - low < 1e-4 * high);
  test_end(&s);
}

/* Arms on a circle of the base, pairs of bars to a platform. */
static const double base = .1, platform = .04, arm = .15, bar = .3, half = .02;

static sup_v3 radial(int i) { return (sup_v3){cos(2 * pi * i / 3), sin(2 * pi * i / 3), 0}; }

/** Place of the platform at the angles q of the arms: below, where spheres about the ends of the
 * arms meet. */
static sup_v3 platform_at(const double q[3]) {
  sup_v3 c[3], z = {0, 0, 1};
  for (int i = 0; i < 3; i++)
    c[i] = sup_v3_madd(sup_v3_scale(base - platform + arm * cos(q[i]), radial(i)), -arm * sin(q[i]),
                       z);
  sup_v3 a = sup_v3_sub(c[1], c[0]), b = sup_v3_sub(c[2], c[0]), n = sup_v3_cross(a, b);
  double aa = sup_v3_dot(a, a), bb = sup_v3_dot(b, b), nn = sup_v3_dot(n, n);
  sup_v3 middle =
      sup_v3_scale(.5 / nn, sup_v3_cross(sup_v3_sub(sup_v3_scale(aa, b), sup_v3_scale(bb, a)), n));
  double up = sqrt((bar * bar - sup_v3_dot(middle, middle)) / nn);
  return sup_v3_madd(sup_v3_add(c[0], middle), -up, n);
}

/* The platform of arms that turn is where their angles say, and does not turn; the energy stays. */
static void a_delta_robot_closes(void) {
  const double       q0[3] = {.3, .35, .4}, spin[3] = {3, -1, -2}, dq = 1e-5;
  double             ahead[3], behind[3];
  double             worst = 0, turn = 0, low = 0, high = 0, way = 0;
  sup_constraint_def list[MOST];
  test_scene         s;
  test_scene_init(&s);
  for (int i = 0; i < 3; i++) ahead[i] = q0[i] + dq * spin[i], behind[i] = q0[i] - dq * spin[i];
  sup_v3 at = platform_at(q0), z = {0, 0, 1};
  sup_v3 v = sup_v3_scale(.5 / dq, sup_v3_sub(platform_at(ahead), platform_at(behind)));
  for (int i = 0; i < 3; i++) {
    char          name[16];
    sup_v3        e = radial(i), t = sup_v3_cross(z, e);
    sup_link_def *l;
    snprintf(name, sizeof name, "arm%d", i);
    l = add_link(&s, name, SUP_JOINT_REVOLUTE, t, .1, base * e.x, base * e.y);
    l->q0[0] = q0[i], l->v0[0] = spin[i];
    sup_v3_store(l->com, sup_v3_scale(arm / 2, e));
    for (int k = 0; k < 3; k++) l->inertia[k] = 2e-4;
  }
  sup_link_def *node =
      test_add_rigid(&s, "platform", (sup_shape){SUP_SHAPE_BOX, {.08, .08, .01}}, .3, 0);
  node->num_geometries = 0;
  sup_v3_store(node->q0, at), sup_v3_store(node->v0 + 3, v);
  for (int i = 0; i < 6; i++) {
    char   name[32];
    sup_v3 e = radial(i / 2), t = sup_v3_scale(i % 2 ? half : -half, sup_v3_cross(z, e));
    snprintf(name, sizeof name, "arm%d/link0", i / 2);
    sup_constraint_def *c = join(&s, list, SUP_CONSTRAINT_ROD, name, "platform");
    sup_v3_store(c->point_a, sup_v3_madd(t, arm, e));
    sup_v3_store(c->point_b, sup_v3_madd(t, platform, e));
  }
  s.options.gravity[2] = 0, s.options.dt = 1e-4;
  test_start(&s);
  for (int i = 0; i < 2000; i++) {
    test_step(&s);
    const sup_frame *X =
        &sup_stepper_result(s.stepper)->X_WL[sup_model_find_body(s.model, "platform")];
    sup_v3 off = sup_v3_sub(X->p, platform_at(s.state->q));
    double E = energy_of(&s);
    worst = fmax(worst, sup_v3_norm(off));
    way = fmax(way, sup_v3_norm(sup_v3_sub(X->p, at)));
    turn = fmax(turn, fmax(fabs(X->R.m[0][1]), fmax(fabs(X->R.m[0][2]), fabs(X->R.m[1][2]))));
    if (i == 0) low = high = E;
    low = fmin(low, E), high = fmax(high, E);
  }
  printf("%.3g m of way, off by %.2g m, turned by %.2g rad, energy %.7g to %.7g J; ", way, worst,
         turn, low, high);
  CHECK(way > .02);
  CHECK(worst < 1e-6);
  CHECK(turn < 1e-5);
  CHECK(high - low < 1e-4 * high);
  test_end(&s);
}

SUITE_TESTS(loops, TEST(a_slider_crank_closes), TEST(a_delta_robot_closes));
