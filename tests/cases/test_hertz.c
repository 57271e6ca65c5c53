/* F15, F16: soft bodies in contact against Hertz, the flat punch and a thin layer. */
#include "scene_test.h"

/* ---- graded meshes --------------------------------------------------------------------------- */

#define PI 3.14159265358979323846

enum { MAX_GRID = 64, STEPS = 4 }; /* pressed in by the first step, then to rest */

/** Coordinates from 0: cells of `fine` up to `to`, then each `ratio` times the last, to `end`
 * exactly. */
static int grade(double fine, double to, double ratio, double end, double *x) {
  int    n = 0, uniform = (int)lround(to / fine);
  double h = fine;
  for (x[0] = 0; n < uniform; n++) x[n + 1] = to * (n + 1) / uniform;
  while (x[n] < end * (1 - 1e-9)) h *= ratio, x[n + 1] = x[n] + h, n++;
  SUP_ASSERT(n < MAX_GRID);
  double scale = (end - to) / (x[n] - to);
  for (int i = uniform + 1; i <= n; i++) x[i] = to + scale * (x[i] - to);
  return n;
}

/** A grid symmetric in x, -x[n] to x[n], and in y unless it is one cell of `thickness`, 0 to it (0:
 * symmetric); z [nz+1] downwards from 0. */
static sup_soft_def *add_block(test_scene *s, const double *x, int n, double thickness,
                               const double *z, int nz, double E, double nu) {
  int           ny = thickness > 0 ? 1 : 2 * n;
  sup_soft_def *d =
      test_add_soft_box(s, "block", 2 * n, ny, nz, 2 * n, ny, nz, SUP_PATTERN_HEX, E, nu, 1000);
  sup_mesh *mesh = s->mesh[s->def.num_softs - 1];
  for (int i = 0; i < mesh->num_vertices; i++) {
    double *p = mesh->x + 3 * i;
    int     at[2] = {(int)lround(p[0]) - n, (int)lround(p[1]) - n};
    p[0] = at[0] < 0 ? -x[-at[0]] : x[at[0]];
    p[1] = thickness > 0 ? thickness * p[1] : at[1] < 0 ? -x[-at[1]] : x[at[1]];
    p[2] = -z[nz - (int)lround(p[2])];
  }
  d->contact.friction = 0, d->contact.dissipation = 0;
  return d;
}

/** Steps so long that nothing is left of the inertia. */
static void quiet(test_scene *s) {
  s->options.dt = 1, s->options.tolerance = 1e-10;
  memset(s->options.gravity, 0, sizeof s->options.gravity);
}

/** Measures of a contact. */
typedef struct print {
  double force, radius;     /* [N], [m] of a disk of the loaded area */
  double peak, vertex_peak; /* of the pieces, of the vertices' shares [Pa] */
  double layer;             /* mean depth in the contact layer [m] */
} print;

static print print_of(const test_scene *s, const char *name) {
  const sup_step_result *r = sup_stepper_result(s->stepper);
  int                    body = sup_model_find_body(s->model, name);
  print                  out = {0};
  double                 area = 0, work = 0;
  for (int i = 0; i < r->num_contacts; i++) {
    const sup_contact *c = &r->contact[i];
    if ((c->body_a != body && c->body_b != body) || !(c->pressure > 0)) continue;
    double f = fabs(sup_v3_dot(c->force, c->normal));
    area += c->area, out.peak = fmax(out.peak, c->pressure);
    out.force += f, work += f * f / c->stiffness;
  }
  for (int k = 0; k < s->model->num_softs; k++)
    for (int i = 0; i < s->model->soft[k].num_vertices; i++)
      if (s->model->soft[k].vertex_area[i] > 0) {
        const double *f = r->contact_force + 3 * (s->model->soft[k].first_vertex + i);
        out.vertex_peak =
            fmax(out.vertex_peak, sup_v3_norm(sup_v3_load(f)) / s->model->soft[k].vertex_area[i]);
      }
  out.radius = sqrt(area / PI), out.layer = work / out.force;
  return out;
}

/* ---- F16: indentation ------------------------------------------------------------------------ */

typedef struct block {
  double fine, fine_to, ratio; /* cells of `fine` up to `fine_to` from the axis, then growing */
  double fine_z;               /* height of the first two layers of cells */
  double half_width, depth;
} block;

/** A rigid shape, its lowest point at the origin, pressed in by `depth`; the base is clamped. */
static print indent(sup_shape shape, double top, double depth, block b, double E, double nu) {
  double     x[MAX_GRID], z[MAX_GRID], time[] = {0, 1}, move[12] = {[8] = -depth};
  int        n = grade(b.fine, b.fine_to, b.ratio, b.half_width, x);
  int        nz = grade(b.fine_z, 2 * b.fine_z, b.ratio, b.depth, z);
  test_scene s;
  test_scene_init(&s);
  quiet(&s);
  test_add_rigid(&s, "indenter", shape, 1, 1);
  s.tree[0].X_WB.p[2] = top;
  s.tree[0].motion = (sup_table){2, 6, time, move};
  sup_soft_def *d = add_block(&s, x, n, 0, z, nz, E, nu);
  sup_region    base = {
         .type = SUP_REGION_HALF_SPACE, .normal = {0, 0, 1}, .offset = -b.depth * (1 - 1e-9)};
  d->num_clamps = 1, d->clamps = &base;
  test_start(&s);
  for (int i = 0; i < STEPS; i++) test_step(&s);
  print p = print_of(&s, "indenter");
  printf("\n    %d vertices: %.6g N, radius %.4g mm, peak %.5g Pa (vertices %.5g), layer %.2g %% ",
         s.model->num_vertices, p.force, 1e3 * p.radius, p.peak, p.vertex_peak,
         100 * p.layer / depth);
  test_end(&s);
  return p;
}

/* ---- F15: Hertz ------------------------------------------------------------------------------ */

/** The cube [-1, 1]^2 x [-1, 0] to the lower half of the unit ball, smooth. */
static sup_v3 to_ball(sup_v3 p) {
  double x = p.x * p.x, y = p.y * p.y, z = p.z * p.z;
  return sup_v3_make(p.x * sqrt(1 - y / 2 - z / 2 + y * z / 3),
                     p.y * sqrt(1 - x / 2 - z / 2 + x * z / 3),
                     p.z * sqrt(1 - x / 2 - y / 2 + x * y / 3));
}

/** The strip [-1, 1] x [-1, 0] to the lower half of the unit disk. */
static sup_v3 to_disk(sup_v3 p) {
  return sup_v3_make(p.x * sqrt(1 - p.z * p.z / 2), p.y, p.z * sqrt(1 - p.x * p.x / 2));
}

typedef struct squeeze {
  print  print;
  double approach; /* of the middle plane to the floor [m] */
} squeeze;

/** The lower half of a ball, or of a cylinder of this length between two planes, on the floor: a
 * plane is its middle and comes down by `depth`.  Cells of `fine` up to `fine_to` from the axis. */
static squeeze press_round(double R, double length, double depth, double fine, double fine_to,
                           double E, double nu) {
  double x[MAX_GRID], up[MAX_GRID], z[MAX_GRID], unit = sqrt(.5) * R, time[] = {0, 1},
                                                 move[12] = {[8] = -depth};
  int        n = grade(fine / unit, fine_to / unit, length > 0 ? 1.3 : 2.5, 1, x);
  int        nz = grade(fine / R, 2 * fine / R, length > 0 ? 1.3 : 2.5, 1, up);
  test_scene s;
  for (int i = 0; i <= nz; i++) z[i] = 1 - up[nz - i];
  test_scene_init(&s);
  quiet(&s);
  sup_pose     side[] = {{{0, 0, 0}, {1, 0, 0, 0}},
                         {{0, 0, R}, {0, 1, 0, 0}},
                         {{0, 0, 0}, {sqrt(.5), -sqrt(.5), 0, 0}},
                         {{0, length, 0}, {sqrt(.5), sqrt(.5), 0, 0}}};
  const char  *name[] = {"floor", "middle", "left", "right"};
  sup_pair_def stiff[2]; /* plane strain to a thousandth */
  for (int i = 0; i < (length > 0 ? 4 : 2); i++) {
    test_add_rigid(&s, name[i], (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
    s.tree[i].X_WB = side[i];
    if (i < 2) continue;
    sup_pair_def *pair = &stiff[s.def.num_pairs++];
    *pair = sup_default_pair_def();
    snprintf(pair->a, sizeof pair->a, "%s", name[i]);
    snprintf(pair->b, sizeof pair->b, "block");
    pair->stiffness = 1e4 * E / length;
  }
  s.def.pairs = stiff;
  s.tree[1].motion = (sup_table){2, 6, time, move};
  add_block(&s, x, n, length, z, nz, E, nu)->material.mass_damping =
      1e4; /* [1/s]: nothing else holds it sideways */
  for (int i = 0; i < s.mesh[0]->num_vertices; i++) {
    double *p = s.mesh[0]->x + 3 * i;
    sup_v3  q = length > 0 ? to_disk(sup_v3_load(p)) : to_ball(sup_v3_load(p));
    sup_v3_store(p, sup_v3_make(R * q.x, length > 0 ? q.y : R * q.y, R + R * q.z));
  }
  test_start(&s);
  for (int i = 0; i < STEPS; i++) test_step(&s);
  squeeze out = {print_of(&s, "floor"), 0};
  int     count = 0;
  for (int i = 0; i < s.model->num_vertices; i++)
    if (s.model->soft[0].x0[3 * i + 2] > R * (1 - 1e-9))
      out.approach += R - s.state->x[3 * i + 2], count++;
  out.approach /= count;
  if (length > 0)
    out.print.radius *= out.print.radius * PI / (2 * length); /* half width of the strip */
  printf(
      "\n    %d vertices: %.6g N, approach %.5g mm, radius %.4g mm, peak %.5g Pa (vertices %.5g), "
      "layer %.2g %% ",
      s.model->num_vertices, out.print.force, 1e3 * out.approach, 1e3 * out.print.radius,
      out.print.peak, out.print.vertex_peak, 100 * out.print.layer / out.approach);
  test_end(&s);
  return out;
}

/* F15.  Measured (2,023 vertices, h = a/4): force of Hertz at this approach + 3.2 % (nu = .3),
   + 3.4 % (.49); cells that grow by 2 instead of 2.5: + 2.4, 1.9 %; the ball is no half space.  a -
   1 %, peak - 1 %.  At nu = .49 the layer is so stiff that the ball's facets touch the floor one by
   one: the peak of a piece is 1.4 to 1.8 of Hertz's, the loaded area 0.8; the vertices' mean
   pressure is within 2 %. */
static void a_ball_on_the_floor_is_pressed_as_hertz_says(void) {
  static const double E[] = {1e6, 2.5e6}, nu[] = {.3, .49}, R[] = {.05, .02};
  static const double a[] = {5.546439e-3, 2.089196e-3}, depth[] = {6.152597e-4, 2.182370e-4};
  for (int k = 0; k < 2; k++) {
    double  h = a[k] / 4, Es = E[k] / (1 - nu[k] * nu[k]);
    squeeze q = press_round(R[k], 0, depth[k], h, 5 * h, E[k], nu[k]);
    double  radius = sqrt(R[k] * q.approach), F = 4. / 3 * Es * radius * q.approach,
           p0 = 1.5 * F / (PI * a[k] * a[k]);
    printf("(Hertz %.6g N, %.4g mm, %.5g Pa) ", F, 1e3 * radius, p0);
    NEAR(q.approach, depth[k], .005, 0); /* less the layer of the middle plane */
    NEAR(q.print.force, F, .05, 0);
    NEAR(q.print.radius, radius, 0, h);
    NEAR(k ? q.print.vertex_peak : q.print.peak, p0, .1, 0);
  }
}

/* F15, a line contact in plane strain.  Measured, h = a/4: - 1.0 % in force, - 0.3 % in a, - 0.7 %
 * in pressure. */
static void a_cylinder_on_the_floor_is_pressed_as_hertz_says(void) {
  double E = 1e6, Es = E / (1 - .09), R = .05, width = 2.406915e-3, h = width / 4, force = 100,
         a = width;
  squeeze q = press_round(R, h, 2.270934e-4, h, 6 * h, E, .3);
  for (int i = 0; i < 50; i++) { /* force at this approach, log(R/a) hardly changes */
    a = sqrt(4 * force * R / (PI * Es));
    force = q.approach * PI * Es / (2 * log(4 * R / a) - 1);
  }
  printf("(Hertz %.6g N, %.4g mm, %.5g Pa) ", h * force, 1e3 * a, sqrt(force * Es / (PI * R)));
  NEAR(force, 100, .01, 0);
  NEAR(q.print.force / h, force, .05, 0);
  NEAR(q.print.radius, a, 0, h);
  NEAR(q.print.peak, sqrt(force * Es / (PI * R)), .1, 0);
}

/* F16.  The block is 20 a deep: its exact force is 1.7137 N (examples/papers/layer.py), 4.6 % above
   a half space. Measured: 1.706 N, a 2.21 mm.  Punch: 11.13 N on a block that is 10 radii deep and
   wide to each side. */
static void a_block_is_indented_as_a_half_space(void) {
  double    R = .01, d = 5e-4, a = sqrt(R * d);
  sup_shape ball = {SUP_SHAPE_SPHERE, {R}}, punch = {SUP_SHAPE_CYLINDER, {R, .02}};
  print     p = indent(ball, R, d, (block){a / 4, 1.25 * a, 2, a / 4, 20 * a, 20 * a}, 1e6, .3);
  NEAR(p.force, 1.638145038, .08, 0);
  NEAR(p.force, 1.713728, .02, 0);
  NEAR(p.radius, 2.236068e-3, 0, a / 4);
  p = indent(punch, R, d, (block){R / 4, 1.25 * R, 1.8, R / 4, 10 * R, 10 * R}, 1e6, .3);
  NEAR(p.force, 10.989010989, .08, 0);
}

/* A layer of 5 mm that is bonded to its base against the integral equation
   (examples/papers/layer.py).  Measured: - 0.6 and + 0.2 % at a depth of 0.1 mm.  At 0.5 mm the
   ball is no paraboloid and strains are no longer small: - 3.3 %. */
static void a_thin_layer_is_indented_as_the_integral_equation_says(void) {
  static const double nu[] = {.3, .49, .3}, depth[] = {1e-4, 1e-4, 5e-4},
                      force[] = {.1781155, .2264486, 2.642353};
  static const double tolerance[] = {.02, .02, .05};
  for (int k = 0; k < 3; k++) {
    double    R = .01, h = sqrt(R * depth[k]) / 3;
    sup_shape ball = {SUP_SHAPE_SPHERE, {R}};
    print     p = indent(ball, R, depth[k], (block){h, 5 * h, 2, h, .02, .005}, 1e6, nu[k]);
    NEAR(p.force, force[k], tolerance[k], 0);
  }
}

SUITE_TESTS(hertz, TEST(a_ball_on_the_floor_is_pressed_as_hertz_says),
            TEST(a_cylinder_on_the_floor_is_pressed_as_hertz_says),
            TEST(a_block_is_indented_as_a_half_space),
            TEST(a_thin_layer_is_indented_as_the_integral_equation_says));
