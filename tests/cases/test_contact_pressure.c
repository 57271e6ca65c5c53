/* Pressure of contact on soft surfaces, pointwise: rigid cylinders, balls and punches on blocks
 * against Hertz and the flat punch, by the mean of forces over the area of vertices (THEORY 20).
 */
#include "measure/contact_pressure.h"
#include "scene_test.h"

#define PI 3.14159265358979323846

enum { MAX_GRID = 64, STEPS = 4 }; /* pressed in by the first step, then to rest */

/** Elements of a block. */
typedef struct element {
  const char      *name;
  sup_mesh_pattern pattern;
  int              is_quadratic;
} element;

/** Coordinates from 0: n cells up to `to`, then each `ratio` times the last, to `end` exactly. */
static int grade(double to, int n, double ratio, double end, double *x) {
  double h = to / n;
  int    count = n;
  for (int i = 0; i <= n; i++) x[i] = to * i / n;
  while (x[count] < end * (1 - 1e-9)) h *= ratio, x[count + 1] = x[count] + h, count++;
  SUP_ASSERT(count < MAX_GRID);
  double scale = (end - to) / (x[count] - to);
  for (int i = n + 1; i <= count; i++) x[i] = to + scale * (x[i] - to);
  return count;
}

/** A quarter of a block under a shape at the origin, or half of a strip of it in plane strain. */
typedef struct block {
  element element;
  double  nu, a;       /* a: where the fine cells are [m] */
  int     n, is_strip; /* cells across a; 1: the strip, one cell thick */
  double  size;        /* width to one side and depth [m] */
} block;

static const double modulus = 1e6;

/** The block with planes of symmetry, clamped at its base. */
static void add_block(test_scene *s, const block *b, sup_dirichlet_def hold[4]) {
  static double x[MAX_GRID], z[MAX_GRID];
  double        h = b->a / b->n, fine = 1.25 * b->a;
  int           nx = grade(fine, (int)lround(1.25 * b->n), b->is_strip ? 1.3 : 1.5, b->size, x),
      nz = grade(b->a / 2, b->n / 2, b->is_strip ? 1.3 : 1.5, b->size, z),
      ny = b->is_strip ? 1 : nx;
  sup_soft_def *d = test_add_soft_box(s, "block", nx, ny, nz, nx, ny, nz, b->element.pattern,
                                      modulus, b->nu, 1000);
  sup_mesh     *mesh = s->mesh[s->def.num_softs - 1];
  for (int i = 0; i < mesh->num_vertices; i++) {
    double *p = mesh->x + 3 * i;
    p[0] = x[lround(p[0])], p[1] = b->is_strip ? h * p[1] : x[lround(p[1])];
    p[2] = -z[nz - lround(p[2])];
  }
  if (b->element.is_quadratic) test_make_quadratic(s, s->def.num_softs - 1);
  double tiny = 1e-9 * b->size;
  for (int k = 0; k < 4; k++) {
    hold[k] = sup_default_dirichlet_def();
    hold[k].region.type = SUP_REGION_HALF_SPACE;
    hold[k].region.normal[k < 3 ? k : 1] = k < 3 ? 1 : -1;
    hold[k].region.offset = k == 2 ? tiny - b->size : k == 3 ? tiny - h : tiny;
    hold[k].axes = k == 2 ? 7 : k == 3 ? SUP_AXIS_Y : 1 << k;
    snprintf(hold[k].name, sizeof hold[k].name, "plane%d", k);
  }
  d->num_dirichlet = b->is_strip ? 4 : 3, d->dirichlet = hold;
  d->contact.friction = 0, d->contact.dissipation = 0;
}

static sup_soft_surface surface = SUP_SOFT_SURFACE_POLYGONS; /* of the blocks that are pressed */

typedef struct pressed {
  double force;  /* of the quarter or the half [N] */
  double worst;  /* |p - exact|/p0 over vertices inside of .8 a */
  double square; /* the same, squared, mean by area */
  double radius; /* outermost pressed vertex [m] */
  double p0, a;  /* exact, by the force */
  double lost;   /* of the resultant: integral of the pressure over the force less 1 */
  double lowest; /* pressure, over p0 */
} pressed;

/** Exact pressure at r over p0, the radius 1: p0 is that of the middle, under a punch the mean. */
typedef double profile(double r);
static double  hertz(double r) { return sqrt(fmax(0, 1 - r * r)); }
static double  flat(double r) { return 2 / PI / sqrt(fmax(1e-9, 1 - r * r)); }

static void compare(const test_scene *s, const block *b, profile *exact, pressed *out) {
  const sup_step_result *r = sup_stepper_result(s->stepper);
  sup_contact_pressure  *p;
  OK(sup_contact_pressure_create(&p, s->model));
  sup_contact_pressure_add(p, r->num_contacts, r->contact, NULL, SUP_NONE, s->state->x);
  double area = 0, sum = 0;
  out->lowest = HUGE_VAL;
  for (int k = 0; k < p->num_loaded; k++) {
    int           i = p->loaded[k];
    const double *at = s->model->soft[0].x0 + 3 * i;
    double        radius = b->is_strip ? at[0] : hypot(at[0], at[1]);
    sum += p->pressure[i] * p->area[i];
    out->lowest = fmin(out->lowest, p->pressure[i] / out->p0);
    if (p->pressure[i] > 1e-9 * out->p0) out->radius = fmax(out->radius, radius);
    if (radius > .8 * out->a) continue;
    double error = fabs(p->pressure[i] / out->p0 - exact(radius / out->a));
    out->worst = fmax(out->worst, error);
    out->square += p->area[i] * error * error, area += p->area[i];
  }
  out->square = sqrt(out->square / area), out->lost = sum / out->force - 1;
  sup_contact_pressure_destroy(&p);
}

/** The shape, its lowest point at the origin, comes down by `depth`. */
static pressed press(const block *b, sup_shape shape, sup_pose pose, double depth, double R,
                     profile *exact) {
  double            time[] = {0, 1}, move[12] = {[8] = -depth}, Es = modulus / (1 - b->nu * b->nu);
  sup_dirichlet_def hold[4];
  test_scene        s;
  pressed           out = {0};
  test_scene_init(&s);
  s.options.dt = 1, s.options.tolerance = 1e-10;
  s.def.contact.soft_surface = surface;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  test_add_rigid(&s, "indenter", shape, 1, 1);
  s.tree[0].X_WB = pose;
  s.tree[0].motion = (sup_table){2, 6, time, move};
  add_block(&s, b, hold);
  test_start(&s);
  for (int i = 0; i < STEPS; i++) test_step(&s);
  out.force = -test_contact_force(&s, "block").z;
  if (exact == flat) {
    out.a = R, out.p0 = out.force / (b->a / b->n) / R; /* half of a strip */
  } else if (b->is_strip) {
    double line = 2 * out.force / (b->a / b->n);
    out.a = sqrt(4 * line * R / (PI * Es)), out.p0 = 2 * line / (PI * out.a);
  } else {
    out.a = cbrt(.75 * 4 * out.force * R / Es), out.p0 = 6 * out.force / (PI * out.a * out.a);
  }
  compare(&s, b, exact, &out);
  printf(
      "\n    %s nu %g, a/h %d, %d vertices: %.6g N, worst %.2f %% of p0, L2 %.2f %%, radius %.3f "
      "a, resultant %.1e ",
      b->element.name, b->nu, b->n, s.model->num_vertices, out.force, 100 * out.worst,
      100 * out.square, out.radius / out.a, out.lost);
  test_end(&s);
  return out;
}

static pressed press_cylinder_anew(element e, double nu, int n) {
  double R = .2, a = R / 100;
  block  b = {e, nu, a, n, 1, 24 * a};
  /* its axis along y */
  return press(&b, (sup_shape){SUP_SHAPE_CYLINDER, {R, 1}},
               (sup_pose){{0, 0, R}, {sqrt(.5), sqrt(.5), 0, 0}}, (nu > .4 ? 1.6 : 1.8) * a * a / R,
               R, hertz);
}

/** The one that several tests read is pressed once. */
static pressed press_cylinder(element e, double nu, int n) {
  static pressed known[3][2];
  if (n != 8 || surface != SUP_SOFT_SURFACE_POLYGONS) return press_cylinder_anew(e, nu, n);
  pressed *k = &known[e.is_quadratic ? 0 : e.pattern == SUP_PATTERN_HEX ? 1 : 2][nu > .4];
  if (k->force == 0) *k = press_cylinder_anew(e, nu, n);
  return *k;
}

static pressed press_ball(element e, double nu, int n) {
  double R = .2, a = R / 100;
  block  b = {e, nu, a, n, 0, 12 * a};
  return press(&b, (sup_shape){SUP_SHAPE_SPHERE, {R}}, (sup_pose){{0, 0, R}, {1, 0, 0, 0}},
               a * a / R, R, hertz);
}

/** A flat punch of this half width, on the strip. */
static pressed press_punch(element e, double nu, int n) {
  double a = .002;
  block  b = {e, nu, a, n, 1, 24 * a};
  return press(&b, (sup_shape){SUP_SHAPE_BOX, {2 * a * (1 + 1e-6), 1, .02}},
               (sup_pose){{0, 0, .01}, {1, 0, 0, 0}}, .01 * a, a, flat);
}

static const element elements[] = {
    {"H8", SUP_PATTERN_HEX, 0}, {"T10", SUP_PATTERN_MIRROR, 1}, {"T4", SUP_PATTERN_MIRROR, 0}};

/* Measured in % of p0 at 4, 8, 16 cells over the radius of contact, nu .3 and .49: H8 2.3 .4 .2, .4
   .2 .1; T10 2.8 1.1 .9, 1.7 .9 .8; T4 13 7 4, 41 26 15.  T4 is as far as its own constant stress
   goes, and locks at .49.  Pieces of polygons are off by 110, 53 and 19 % (H8, nu .49). */
static void pressure_under_a_cylinder_converges_to_hertz(void) {
  static const double worst[3][2] = {{.01, .01}, {.02, .02}, {.1, .3}};
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 2; j++) {
      double  nu = j ? .49 : .3;
      pressed p = press_cylinder(elements[k], nu, 8), q = press_cylinder(elements[k], nu, 16);
      NEAR(p.worst, 0, 0, worst[k][j]);
      NEAR(q.worst, 0, 0, k < 2 ? worst[k][j] : .6 * worst[k][j]);
      NEAR(p.radius, p.a, 0, p.a / 8);
      NEAR(q.radius, q.a, 0, q.a / 16);
      NEAR(p.lost, 0, 0, 1e-4);
      CHECK(p.lowest >= 0 && q.lowest >= 0);
      CHECK(q.square < 6e-3 || q.square < .7 * p.square);
    }
}

/* Measured: H8 with 4 and 8 cells 3.4 and .8 % (nu .3), 3.3 and .7 % (.49), T10 with 4 cells 4.4
   and 3.9 %. */
static void pressure_under_a_ball_converges_to_hertz(void) {
  for (int j = 0; j < 2; j++) {
    double  nu = j ? .49 : .3;
    pressed coarse = press_ball(elements[0], nu, 4), fine = press_ball(elements[0], nu, 8);
    NEAR(fine.worst, 0, 0, .05);
    CHECK(fine.square < .5 * coarse.square && fine.lowest >= 0);
    NEAR(press_ball(elements[1], nu, 4).worst, 0, 0, .05);
  }
}

/* Measured at 8 and 16 cells: H8 4.5 and 1.3 % (nu .3), 5.4 and 1.5 % (.49), T10 1.7 and .6, 3.0
   and 4.8 % of the mean pressure. */
static void pressure_under_a_flat_punch_converges(void) {
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < 2; j++) {
      double  nu = j ? .49 : .3;
      pressed p = press_punch(elements[k], nu, 8), q = press_punch(elements[k], nu, 16);
      NEAR(p.worst, 0, 0, .06);
      NEAR(q.worst, 0, 0, .05);
    }
}

/** A cube with nu = 0 at rest on a floor; the most that a pressure differs from its weight over its
 * area. */
static double rest(element e) {
  test_scene s;
  double     worst = 0, size = .1, weight = 1000 * 9.81 * size;
  int        count = 0;
  test_scene_init(&s);
  s.options.dt = .5, s.options.tolerance = 1e-12;
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
  s.def.contact.soft_surface = surface;
  sup_soft_def *d =
      test_add_soft_box(&s, "cube", size, size, size, 2, 2, 2, e.pattern, 1e5, 0, 1000);
  if (e.is_quadratic) test_make_quadratic(&s, 0);
  d->material.stiffness_damping = .1;
  test_start(&s);
  for (int i = 0; i < 60; i++) test_step(&s);
  const sup_step_result *r = sup_stepper_result(s.stepper);
  sup_contact_pressure  *p;
  OK(sup_contact_pressure_create(&p, s.model));
  sup_contact_pressure_add(p, r->num_contacts, r->contact, NULL, SUP_NONE, s.state->x);
  for (int i = 0; i < s.model->num_vertices; i++) {
    if (s.model->soft[0].x0[3 * i + 2] > 1e-9) continue;
    worst = fmax(worst, fabs(sup_contact_pressure_at(p, i) / weight - 1)), count++;
  }
  CHECK(count == (e.is_quadratic ? 25 : 9));
  sup_contact_pressure_destroy(&p);
  test_end(&s);
  return worst;
}

/* Vertices at its edges carry the floor's pressure over the bottom alone, not over the sides.
   Contact on the straight parts of T10 bends its faces; gravity's loads on T4 are not uniform. */
static void a_cube_at_rest_presses_with_its_weight_over_its_area(void) {
  NEAR(rest(elements[0]), 0, 0, 1e-5);
  NEAR(rest(elements[2]), 0, 0, .05);
  NEAR(rest(elements[1]), 0, 0, .1);
}

/* A cylinder put flush on a floor had 6e15 Pa at its first step. */
static void depths_of_round_off_have_the_mean_pressure(void) {
  sup_contact c = {.pressure = 100, .area = 1, .slope = 1, .phi = -1, .num_points = 3, .top = 3};
  c.level[0] = 3;
  NEAR(sup_contact_peak_pressure(&c), 300, 1e-15, 0);
  NEAR(sup_contact_corner_pressure(&c, 1), 0, 0, 0);
  c.phi = -1e-12;
  NEAR(sup_contact_peak_pressure(&c), 100, 1e-15, 0);
}

/** Share of the floor's pressure on a cube that a plate squeezes by `share` of its height is on the
 * sides, which bulge, and how much of the force the pressures hold. */
static void squeeze(double share, double *sides, double *held) {
  test_scene s;
  double     size = .1, time[] = {0, .2}, move[12] = {[8] = -share * size};
  test_scene_init(&s);
  s.options.dt = .01;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
  test_add_rigid(&s, "plate", (sup_shape){SUP_SHAPE_BOX, {.3, .3, .02}}, 1, 1);
  s.tree[1].X_WB.p[0] = s.tree[1].X_WB.p[1] = .05, s.tree[1].X_WB.p[2] = size + .01;
  s.tree[1].motion = (sup_table){2, 6, time, move};
  sup_soft_def *d =
      test_add_soft_box(&s, "cube", size, size, size, 4, 4, 4, SUP_PATTERN_HEX, 1e5, .45, 1000);
  d->material.stiffness_damping = .01, d->contact.friction = 1;
  test_start(&s);
  for (int i = 0; i < 20; i++) test_step(&s);
  const sup_step_result *r = sup_stepper_result(s.stepper);
  sup_contact_pressure  *p;
  double                 all = 0, force = 0;
  OK(sup_contact_pressure_create(&p, s.model));
  sup_contact_pressure_add(p, r->num_contacts, r->contact, NULL, SUP_NONE, s.state->x);
  *sides = 0;
  for (int i = 0; i < s.model->num_vertices; i++) {
    double z = s.model->soft[0].x0[3 * i + 2], load = p->pressure[i] * p->area[i];
    all += load;
    if (z > 1e-9 && z < size - 1e-9) *sides += load;
  }
  for (int i = 0; i < r->num_contacts; i++)
    force += fabs(sup_v3_dot(r->contact[i].force, r->contact[i].normal));
  CHECK(force > 10);
  *held = all / force, *sides /= force;
  sup_contact_pressure_destroy(&p);
  test_end(&s);
}

/* At 20 % the bulging sides touch the floor, too: the bottom has what they carry. */
static void sides_that_bulge_carry_nothing(void) {
  for (double share = .05; share < .25; share *= 2) {
    double sides, held;
    squeeze(share, &sides, &held);
    printf("%.2g ", held - 1);
    NEAR(sides, 0, 0, 0);
    NEAR(held, 1, 0, .01);
  }
}

/** A cube is squeezed between two plates without friction; the most that a pressure on it differs
 * from their mean. */
static double press_evenly(element e) {
  test_scene s;
  double     worst = 0, mean = 0, size = .1, time[] = {0, 1}, move[12] = {[8] = -.01 * size};
  int        count = 0;
  test_scene_init(&s);
  s.options.dt = 1, s.options.tolerance = 1e-13;
  s.def.contact.soft_surface = surface;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
  test_add_rigid(&s, "plate", (sup_shape){SUP_SHAPE_BOX, {.3, .3, .02}}, 1, 1);
  s.tree[1].X_WB.p[0] = s.tree[1].X_WB.p[1] = .05, s.tree[1].X_WB.p[2] = size + .01;
  s.tree[1].motion = (sup_table){2, 6, time, move};
  sup_soft_def *d =
      test_add_soft_box(&s, "cube", size, size, size, 2, 2, 2, e.pattern, 1e5, .3, 1000);
  if (e.is_quadratic) test_make_quadratic(&s, 0);
  d->contact.friction = 0, d->contact.dissipation = 0;
  d->material.model = SUP_MATERIAL_LINEAR;
  test_start(&s);
  for (int i = 0; i < STEPS; i++) test_step(&s);
  const sup_step_result *r = sup_stepper_result(s.stepper);
  sup_contact_pressure  *p;
  OK(sup_contact_pressure_create(&p, s.model));
  sup_contact_pressure_add(p, r->num_contacts, r->contact, NULL, SUP_NONE, s.state->x);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < s.model->num_vertices; i++) {
      double z = s.model->soft[0].x0[3 * i + 2];
      if (z > 1e-9 && z < size - 1e-9) continue;
      if (pass == 0) mean += sup_contact_pressure_at(p, i), count++;
      if (pass == 1) worst = fmax(worst, fabs(sup_contact_pressure_at(p, i) * count / mean - 1));
    }
  CHECK(count == (e.is_quadratic ? 50 : 18) && mean > 0);
  sup_contact_pressure_destroy(&p);
  test_end(&s);
  return worst;
}

static void uniform_pressure_is_uniform(void) {
  for (int k = 0; k < 3; k++) {
    surface = SUP_SOFT_SURFACE_VERTICES;
    NEAR(press_evenly(elements[k]), 0, 0, 1e-8);
    surface = SUP_SOFT_SURFACE_POLYGONS;
    /* T10: of vertices of straight parts 1.7 %, of the middles of its sides nothing */
    double polygons = press_evenly(elements[k]);
    CHECK(k == 1 ? polygons > .01 : polygons < 1e-8);
  }
}

/* Measured in % of p0 at 8 cells over the radius, nu .3 and .49: cylinder H8 .5 .2, T10 .5 .4
   (16 cells .15 .2: of order 2 in the mean, polygons .9 .7); ball H8 .7 .5 (4 cells 2.8 2.9); flat
   punch H8 4.0 4.6 (16 cells 1.5 1.1), T10 1.7 9.6 (16 cells .3 4.9). T4 as with polygons. */
static void one_contact_a_vertex_gives_the_pressure_itself(void) {
  static const double punch[2][2] = {{.05, .05}, {.03, .1}};
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < 2; j++) {
      double nu = j ? .49 : .3;
      surface = SUP_SOFT_SURFACE_POLYGONS;
      double force = press_cylinder(elements[k], nu, 8).force;
      surface = SUP_SOFT_SURFACE_VERTICES;
      pressed p = press_cylinder(elements[k], nu, 8);
      NEAR(p.force, force, 1e-3, 0);
      NEAR(p.worst, 0, 0, .01);
      NEAR(p.radius, p.a, 0, p.a / 8);
      CHECK(k == 0 || press_cylinder(elements[k], nu, 16).square < .6 * p.square);
      NEAR(press_punch(elements[k], nu, 8).worst, 0, 0, punch[k][j]);
      if (k == 0) NEAR(press_ball(elements[k], nu, 4).worst, 0, 0, .04);
    }
  surface = SUP_SOFT_SURFACE_POLYGONS;
}

/** A cylinder, or the edge of a box, is pressed a tenth of a cell into a block and dragged along it
 * by four cells; mean and spread of the force along the way over what is normal to it. */
static void drag(int is_edge, double friction, double *mean, double *spread) {
  enum { N = 8, DRAG = 800 };
  test_scene s;
  double     size = .08, h = size / N, R = .04, low = is_edge ? R * sqrt(.5) : R, square = 0,
         end = (DRAG + 40) * 1.25e-3, time[] = {0, 40 * 1.25e-3, end},
         move[18] = {[8] = -.1 * h, [14] = -.1 * h, [12] = 4 * h};
  sup_dirichlet_def hold = sup_default_dirichlet_def();
  test_scene_init(&s);
  s.options.dt = 1.25e-3, s.options.tolerance = 1e-8;
  s.def.contact.soft_surface = surface;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  sup_quat q =
      is_edge ? sup_quat_exp(sup_v3_make(0, PI / 4, 0)) : sup_quat_exp(sup_v3_make(PI / 2, 0, 0));
  sup_shape shape =
      is_edge ? (sup_shape){SUP_SHAPE_BOX, {R, 1, R}} : (sup_shape){SUP_SHAPE_CYLINDER, {R, 1}};
  test_add_rigid(&s, "tool", shape, 1, 1);
  s.tree[0].X_WB = (sup_pose){{.3 * size, 0, size / 2 + low}, {q.w, q.x, q.y, q.z}};
  s.tree[0].motion = (sup_table){3, 6, time, move};
  sup_soft_def *d = test_add_soft_box(&s, "block", size, h, size / 2, N, 1, N / 2, SUP_PATTERN_HEX,
                                      modulus, .3, 1000);
  hold.region.type = SUP_REGION_HALF_SPACE, hold.region.normal[2] = 1, hold.region.offset = 1e-9;
  hold.axes = 7;
  d->num_dirichlet = 1, d->dirichlet = &hold;
  d->contact.friction = s.geometry[0].contact.friction = friction;
  d->material.stiffness_damping = 1e-4;
  test_start(&s);
  *mean = 0;
  for (int i = 0; i < DRAG + 40; i++) {
    test_step(&s);
    sup_v3 f = test_contact_force(&s, "block");
    if (i < 40 + DRAG / 4) continue; /* three cells are left */
    double share = f.x / -f.z;
    *mean += share / (.75 * DRAG), square += share * share / (.75 * DRAG);
  }
  *spread = sqrt(fmax(0, square - *mean * *mean));
  test_end(&s);
}

/* Measured: the cylinder -.0002 and .295 by polygons, -.0005 and .297 by vertices, +- .012 to .021
 * from cell to cell; the edge .014 and .314 by both, +- .056 to .066, whose faces lean before and
 * behind it.  With the normals of its two sides the edge was held by .29 and .65 (polygons), .37
 * and .82 (vertices). */
static void what_is_dragged_has_its_friction_and_no_more(void) {
  for (int k = 0; k < 8; k++) {
    double friction = k & 1 ? .3 : 0, mean, spread;
    surface = k & 2 ? SUP_SOFT_SURFACE_VERTICES : SUP_SOFT_SURFACE_POLYGONS;
    drag(k >= 4, friction, &mean, &spread);
    surface = SUP_SOFT_SURFACE_POLYGONS;
    printf("%.4f +- %.4f; ", mean, spread);
    NEAR(mean, friction, 0, k >= 4 ? .02 : .01);
    CHECK(spread < (k >= 4 ? .08 : .025));
  }
}

/** A cube of T10 that is tilted by so many degrees falls on its corner; how deep a vertex dives in
 * at most [m]. */
static double fall_on_corner(double tilt) {
  test_scene s;
  double     size = .1, half = .5 * tilt * PI / 180, deepest = 0;
  test_scene_init(&s);
  s.options.dt = .002;
  s.def.contact.soft_surface = surface;
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
  sup_soft_def *d =
      test_add_soft_box(&s, "cube", size, size, size, 3, 3, 3, SUP_PATTERN_MIRROR, 1e5, .3, 1000);
  test_make_quadratic(&s, 0);
  double q[4] = {cos(half), .6 * sin(half), .8 * sin(half), 0};
  memcpy(d->X_WS.q, q, sizeof q);
  d->X_WS.p[2] = size * sin(2 * half) + .005;
  test_start(&s);
  for (int i = 0; i < 150; i++) {
    test_step(&s);
    for (int k = 0; k < s.model->num_vertices; k++) deepest = fmax(deepest, -s.state->x[3 * k + 2]);
  }
  test_end(&s);
  return deepest;
}

/* Polygons and vertices measured: 98 and 254 um of cells of 33 mm when it falls flat, 171 and 302,
   473 and 322, 1,398 and 1,086, 2,873 and 2,999; without contacts at corners 287, 682, 2,266, 7,397
   and 9,720 um. */
static void corners_of_quadratic_bodies_meet_the_floor(void) {
  static const double tilt[] = {0, 2, 10, 30, 55};
  for (int k = 0; k < 5; k++) {
    surface = SUP_SOFT_SURFACE_POLYGONS;
    double polygons = fall_on_corner(tilt[k]);
    surface = SUP_SOFT_SURFACE_VERTICES;
    double vertices = fall_on_corner(tilt[k]);
    surface = SUP_SOFT_SURFACE_POLYGONS;
    printf("%g degrees: %.0f and %.0f um; ", tilt[k], 1e6 * polygons, 1e6 * vertices);
    CHECK(vertices > 0 && vertices < 1.1 * polygons + 2e-4);
  }
}

/** Force of a cube of one brick on a ball in the middle of its top that is far smaller. */
static double push_small_ball(void) {
  test_scene s;
  test_scene_init(&s);
  s.options.dt = 1e-3;
  s.def.contact.soft_surface = surface;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  test_add_rigid(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.004}}, 1, 1);
  s.tree[0].X_WB.p[0] = s.tree[0].X_WB.p[1] = .052, s.tree[0].X_WB.p[2] = .103;
  test_add_soft_box(&s, "cube", .1, .1, .1, 1, 1, 1, SUP_PATTERN_HEX, 1e5, .3, 1000);
  test_start(&s);
  test_step(&s);
  double force = -test_contact_force(&s, "cube").z;
  test_end(&s);
  return force;
}

static void what_fits_into_a_face_meets_its_pieces_whatever_contacts_there_are(void) {
  double polygons = push_small_ball();
  surface = SUP_SOFT_SURFACE_VERTICES;
  CHECK(polygons > 0 && push_small_ball() == polygons);
  surface = SUP_SOFT_SURFACE_POLYGONS;
}

SUITE_TESTS(contact_pressure, TEST(pressure_under_a_cylinder_converges_to_hertz),
            TEST(pressure_under_a_ball_converges_to_hertz),
            TEST(pressure_under_a_flat_punch_converges),
            TEST(a_cube_at_rest_presses_with_its_weight_over_its_area),
            TEST(depths_of_round_off_have_the_mean_pressure), TEST(sides_that_bulge_carry_nothing),
            TEST(one_contact_a_vertex_gives_the_pressure_itself), TEST(uniform_pressure_is_uniform),
            TEST(what_is_dragged_has_its_friction_and_no_more),
            TEST(corners_of_quadratic_bodies_meet_the_floor),
            TEST(what_fits_into_a_face_meets_its_pieces_whatever_contacts_there_are));
