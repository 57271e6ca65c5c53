#include "field_test.h"

/** Sum of A p over the contacts of two fields, its moment about the origin, and their number. */
static sup_v3 force_of(const sup_moving_field *a, const sup_moving_field *b,
                       sup_patch_options options, sup_v3 *moment, int *count) {
  sup_contact_list list = {0};
  sup_contact      prototype = {0};
  sup_v3           force = {0, 0, 0};
  options.candidate = item, options.highest = HUGE_VAL, options.workspace_a = workspace_a,
  options.workspace_b = workspace_b;
  memset(state, SUP_CELL_UNKNOWN, sizeof state);
  *moment = force;
  OK(sup_collide_field_field(&list, &prototype, a, b, &options));
  for (int i = 0; i < list.count; i++) {
    const sup_contact *c = &list.contact[i];
    sup_v3             f = sup_v3_scale(-c->phi * c->slope * c->area, c->normal);
    force = sup_v3_add(force, f), *moment = sup_v3_add(*moment, sup_v3_cross(c->centroid, f));
    NEAR(sup_v3_norm(c->normal), 1, 1e-12, 0);
    CHECK(c->phi <= 0 && c->num_points >= 3);
  }
  *count = list.count;
  sup_contact_list_free(&list);
  return force;
}

static double normal_force(const sup_moving_field *a, const sup_moving_field *b) {
  sup_v3 moment;
  int    count;
  return -force_of(a, b, (sup_patch_options){0}, &moment, &count).z;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static double   wedge_point[18] = {0, -.1, -.05, .12, -.1, -.05, 0, -.1, .1,
                                   0, .1,  -.05, .12, .1,  -.05, 0, .1,  .1};
static int      wedge_triangle[24] = {0, 1, 2, 3, 5, 4, 0, 3, 4, 0, 4, 1,
                                      0, 2, 5, 0, 5, 3, 1, 4, 5, 1, 5, 2};
static sup_hull wedge = {6, wedge_point, 8, wedge_triangle};

static const sup_shape shapes[] = {
    {SUP_SHAPE_BOX, {.2, .3, .1}},   {SUP_SHAPE_BOX, {.1, .1, .1}},
    {SUP_SHAPE_CYLINDER, {.1, .25}}, {SUP_SHAPE_CYLINDER, {.1, .05}},
    {SUP_SHAPE_CYLINDER, {.1, .2}},  {SUP_SHAPE_SPHERE, {.15}},
    {SUP_SHAPE_CAPSULE, {.08, .2}},  {SUP_SHAPE_ELLIPSOID, {.1, .06, .15}},
    {SUP_SHAPE_CONVEX, {0}, &wedge}};
enum { NUM_SHAPES = sizeof shapes / sizeof *shapes };

/* The cells fill exactly the faceted shape, also with a margin about it; pressure is 0 at the true
 * surface. */
static void fields_fill_their_shapes(void) {
  for (int s = 0; s < NUM_SHAPES; s++) {
    sup_surface *surface;
    double      *points, volume = 0, sum = 0;
    OK(sup_surface_of_shape(&surface, &points, &shapes[s], .04));
    for (int t = 0; t < surface->num_triangles; t++)
      volume += sup_v3_dot(sup_surface_corner(surface, points, t, 0),
                           sup_v3_cross(sup_surface_corner(surface, points, t, 1),
                                        sup_surface_corner(surface, points, t, 2))) /
                6;
    sup_field *f = field_of(&shapes[s], 1, .04, 0), *wide = field_of(&shapes[s], 1, .04, .01);
    for (int t = 0; t < f->num_tets; t++) {
      const sup_v3 *c = f->cell[t].corner;
      sum += sup_v3_dot(sup_v3_cross(sup_v3_sub(c[1], c[0]), sup_v3_sub(c[2], c[0])),
                        sup_v3_sub(c[3], c[0])) /
             6;
    }
    NEAR(sum, volume, 1e-12, 0);
    CHECK(f->num_tets == wide->num_tets);
    for (int t = 0; t < f->num_tets; t++) { /* the margin changes nothing inside */
      NEAR(wide->cell[t].pressure.normal.x, f->cell[t].pressure.normal.x, 1e-9, 1e-9);
      NEAR(wide->cell[t].pressure.offset, f->cell[t].pressure.offset, 1e-9, 1e-9);
    }
    sup_field_destroy(&f);
    sup_field_destroy(&wide);
    sup_surface_destroy(&surface);
    SUP_FREE(points);
  }
}

/* Box and cylinder: distance to the nearest face; the box exactly, the cylinder as its facets
 * allow. */
static void extent_of_a_box_is_its_depth(void) {
  test_random random = {4};
  for (int s = 0; s < 2; s++) {
    sup_field *f = field_of(&shapes[s], 1, HUGE_VAL, .02);
    double     deepest = .05;
    int        found = 0;
    for (int trial = 0; trial < 500; trial++) {
      sup_v3 x = {.12 * test_uniform(&random), .17 * test_uniform(&random),
                  .07 * test_uniform(&random)},
             g;
      double inside = -HUGE_VAL, depth = sup_shape_depth(&shapes[s], x, &g);
      if (depth > 0) continue;
      for (int t = 0; t < f->num_tets; t++) {
        int in = 1;
        for (int k = 0; k < 4; k++) in = in && sup_plane_value(&f->cell[t].inside[k], x) > -1e-12;
        if (in) inside = sup_plane_value(&f->cell[t].pressure, x), found++;
      }
      NEAR(inside, -depth / deepest, 1e-12, 1e-12);
    }
    CHECK(found > 40);
    sup_field_destroy(&f);
  }
}

/* ---- resultants ------------------------------------------------------------------------------ */

/* H01: F = pi E d^2 (1 - 2d/3R); the inscribed tessellation is smaller by about h^2/(6 R d):
 * order 2. */
static void compliant_sphere_on_a_rigid_plane(void) {
  static const double depth[] = {1e-3, 2e-3, 5e-3},
                      exact[] = {3.099704752, 12.231267398, 73.303828584};
  sup_shape  ball = {SUP_SHAPE_SPHERE, {.05}};
  sup_field *plane = layer(1, 1);
  double     error[3][4];
  for (int k = 0; k < 4; k++) {
    double     h = .01 / (1 << k);
    sup_field *f = field_of(&ball, 1e6, h, 0);
    for (int i = 0; i < 3; i++) {
      sup_moving_field a = placed(f, at_height(.05 - depth[i])), b = placed(plane, at_height(0));
      error[i][k] = 1 - normal_force(&a, &b) / exact[i];
      CHECK(error[i][k] < 2 * h * h / (6 * .05 * depth[i]));
    }
    sup_field_destroy(&f);
  }
  for (int i = 0; i < 3; i++) {
    double order = log2(error[i][2] / error[i][3]);
    printf("H01 d %g mm: 1 - F/F_exact %.4f %.4f %.4f %.4f, order %.2f\n", 1e3 * depth[i],
           error[i][0], error[i][1], error[i][2], error[i][3], order);
    CHECK(order > 1.8 && order < 2.2);
  }
  sup_field_destroy(&plane);
}

/* H02: a rigid sphere in a layer feels the buoyancy of the displaced part. */
static void rigid_sphere_in_a_compliant_layer(void) {
  static const double depth[] = {2e-3, 10e-3}, exact[] = {6.199409503, 146.607657168};
  sup_shape           ball = {SUP_SHAPE_SPHERE, {.05}};
  sup_field          *soft = layer(1e6 / .1, 0);
  double              error[2][3];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 2; i++) {
      double           h = .01 / (1 << k), F = 0;
      sup_surface     *surface;
      sup_bvh         *bvh;
      double          *points;
      sup_contact_list list = {0};
      sup_contact      prototype = {0};
      sup_moving_field b = placed(soft, at_height(0));
      OK(sup_surface_of_shape(&surface, &points, &ball, h));
      bvh = bvh_of(surface, points);
      sup_moving_surface a = {.surface = surface,
                              .node = bvh->node,
                              .points = points,
                              .X_WS = at_height(.05 - depth[i])};
      OK(sup_collide_surface_field(&list, &prototype, &a, &b,
                                   &(sup_patch_options){.candidate = item,
                                                        .workspace_a = workspace_a,
                                                        .workspace_b = workspace_b,
                                                        .workspace_faces = workspace_faces}));
      for (int c = 0; c < list.count; c++)
        F += list.contact[c].phi * list.contact[c].slope * list.contact[c].area *
             list.contact[c].normal.z;
      error[i][k] = 1 - F / exact[i];
      CHECK(error[i][k] < 2 * h * h / (6 * .05 * depth[i]));
      sup_contact_list_free(&list);
      sup_bvh_destroy(&bvh);
      sup_surface_destroy(&surface);
      SUP_FREE(points);
    }
  for (int i = 0; i < 2; i++) NEAR(log2(error[i][1] / error[i][2]), 2, .1, 0);
  sup_field_destroy(&soft);
}

/* H03: a box's mitred field is exact. */
static void compliant_boxes_on_a_rigid_plane(void) {
  static const double size[2][3] = {{.1, .1, .1}, {.2, .1, .06}}, depth[] = {.5e-3, 1e-3, 5e-3};
  sup_field          *plane = layer(1, 1);
  for (int s = 0; s < 2; s++) {
    const double *w = size[s];
    sup_shape     box = {SUP_SHAPE_BOX, {w[0], w[1], w[2]}};
    for (int fine = 0; fine < 2; fine++) {
      sup_field *f = field_of(&box, 1e6, fine ? .025 : HUGE_VAL, 0);
      for (int i = 0; i < 3; i++) {
        double d = depth[i], H = w[2] / 2;
        double F = 1e6 / H * (w[0] * w[1] * d - (w[0] + w[1]) * d * d + 4. / 3 * d * d * d);
        sup_moving_field a = placed(f, at_height(w[2] / 2 - d)), b = placed(plane, at_height(0));
        NEAR(normal_force(&a, &b), F, 1e-10, 0);
      }
      sup_field_destroy(&f);
    }
  }
  sup_field_destroy(&plane);
}

/* H04: layers in series (two half spaces' slopes seen through a flat box), equal spheres, a sphere
 * on a layer. */
static void two_compliant_bodies_share_the_overlap(void) {
  sup_shape ball = {SUP_SHAPE_SPHERE, {.05}};
  for (int k = 0; k < 2; k++) {
    double           d = k ? 10e-3 : 2e-3, exact = k ? 73.303828584 : 3.099704752, h = 2e-3;
    sup_field       *f = field_of(&ball, 1e6, h, 0);
    sup_moving_field a = placed(f, at_height(.1 - d)), b = placed(f, at_height(0));
    NEAR(normal_force(&a, &b), exact, 2 * 2 * h * h / (6 * .05 * d), 0);
    sup_field_destroy(&f);
  }
  for (int k = 0; k < 3; k++) {
    double           d = k ? 5e-3 : 2e-3, E = k == 2 ? 1e5 : 1e6, h = 2e-3;
    double           exact = k == 0 ? 6.157521601 : k == 1 ? 37.306412761 : 6.880347547;
    sup_field       *f = field_of(&ball, 1e6, h, 0), *g = layer(E / .05, 0);
    sup_moving_field a = placed(f, at_height(.05 - d)), b = placed(g, at_height(0));
    NEAR(normal_force(&a, &b), exact, 2 * h * h / (6 * .05 * d), 0);
    sup_field_destroy(&f);
    sup_field_destroy(&g);
  }
}

/* Two layers in series: p = d/(H1/E1 + H2/E2), in the middle of a wide box that the mitres do not
 * reach. */
static void layers_in_series(void) {
  double E1 = 1e6, H1 = .05, E2 = 2e5, H2 = .02, d = 2e-3,
         share = d * (E2 / H2) / (E1 / H1 + E2 / H2);
  sup_shape        slab = {SUP_SHAPE_BOX, {.4, .4, 2 * H1}};
  sup_field       *f = field_of(&slab, E1, HUGE_VAL, 0), *g = layer(E2 / H2, 0);
  sup_moving_field a = placed(f, at_height(H1 - d)), b = placed(g, at_height(0));
  double           p = d / (H1 / E1 + H2 / E2), w = .4;
  NEAR(p, 13333.333333333, 1e-10, 0);
  /* equilibrium plane at the depth `share` of the box, mitred rim included */
  sup_v3           moment;
  int              count;
  sup_contact_list list = {0};
  sup_contact      prototype = {0};
  OK(sup_collide_field_field(&list, &prototype, &a, &b,
                             &(sup_patch_options){.candidate = item,
                                                  .workspace_a = workspace_a,
                                                  .workspace_b = workspace_b,
                                                  .workspace_faces = workspace_faces}));
  double flat = 0, area = 0;
  for (int i = 0; i < list.count; i++) {
    const sup_contact *c = &list.contact[i];
    area += c->area;
    if (c->normal.z > -1 + 1e-12) continue;
    flat += c->area;
    NEAR(-c->phi * c->slope, p, 1e-10, 0);
    NEAR(c->slope, 1 / (H1 / E1 + H2 / E2), 1e-12, 0);
    NEAR(c->centroid.z, -d + share, 1e-9, 0);
  }
  NEAR(flat, (w - 2 * share) * (w - 2 * share), 1e-10, 0);
  CHECK(area > flat);
  /* the resultant is that of p over the projected area */
  double F = -force_of(&a, &b, (sup_patch_options){0}, &moment, &count).z;
  CHECK(F > p * flat && F < p * w * w);
  sup_contact_list_free(&list);
  sup_field_destroy(&f);
  sup_field_destroy(&g);
}

/* H10: polygons or triangles, the force is the same to round-off; with forces at centres of
 * pressure the moment, too.
 */
static void resultants_do_not_depend_on_how_patches_are_cut(void) {
  test_random random = {9};
  for (int trial = 0; trial < 60; trial++) {
    int              s = trial % NUM_SHAPES, r = (trial / NUM_SHAPES) % NUM_SHAPES;
    sup_field       *f = field_of(&shapes[s], 1e5, .06, 0), *g = field_of(&shapes[r], 2e5, .05, 0);
    sup_frame        X = {sup_quat_matrix(sup_quat_exp(random_vector(&random, 2))),
                          random_vector(&random, .1)};
    sup_moving_field a = placed(f, X), b = placed(g, at_height(0));
    sup_v3           M1, M2, M3;
    int              n1, n2;
    sup_v3           F1 = force_of(&a, &b, (sup_patch_options){.at_pressure = 1}, &M1, &n1);
    sup_v3 F2 = force_of(&a, &b, (sup_patch_options){.at_pressure = 1, .triangles = 1}, &M2, &n2);
    force_of(&a, &b, (sup_patch_options){0}, &M3, &n1);
    double size = sup_v3_norm(F1) + 1e-6;
    CHECK(n2 >= n1);
    NEAR(sup_v3_norm(sup_v3_sub(F1, F2)), 0, 0, 1e-12 * size);
    NEAR(sup_v3_norm(sup_v3_sub(M1, M2)), 0, 0, 1e-12 * size);
    NEAR(sup_v3_norm(sup_v3_sub(M1, M3)), 0, 0, .02 * size);
    sup_field_destroy(&f);
    sup_field_destroy(&g);
  }
}

/* Forces are those between bodies: who is called a does not matter, and where both stand in the
 * world neither. */
static void forces_are_mutual_and_move_along(void) {
  test_random random = {12};
  for (int trial = 0; trial < 40; trial++) {
    int              s = trial % NUM_SHAPES, r = (trial * 5 + 2) % NUM_SHAPES;
    sup_field       *f = field_of(&shapes[s], 1e5, .08, 0), *g = field_of(&shapes[r], 2e5, .08, 0);
    sup_frame        X = {sup_quat_matrix(sup_quat_exp(random_vector(&random, 2))),
                          random_vector(&random, .1)};
    sup_frame        Y = {sup_quat_matrix(sup_quat_exp(random_vector(&random, 2))),
                          random_vector(&random, 3)};
    sup_moving_field a = placed(f, X), b = placed(g, at_height(0));
    sup_v3           M1, M2;
    int              n1, n2;
    sup_v3           F1 = force_of(&a, &b, (sup_patch_options){0}, &M1, &n1);
    sup_v3           F2 = force_of(&b, &a, (sup_patch_options){0}, &M2, &n2);
    double           size = sup_v3_norm(F1) + 1e-6;
    CHECK(n1 == n2);
    NEAR(sup_v3_norm(sup_v3_add(F1, F2)), 0, 0, 1e-10 * size);
    NEAR(sup_v3_norm(sup_v3_add(M1, M2)), 0, 0, 1e-10 * size);
    a.X_WF = sup_frame_mul(&Y, &X), b.X_WF = Y;
    F2 = force_of(&a, &b, (sup_patch_options){0}, &M2, &n2);
    NEAR(sup_v3_norm(sup_v3_sub(sup_m3_apply(Y.R, F1), F2)), 0, 0, 1e-9 * size);
    sup_field_destroy(&f);
    sup_field_destroy(&g);
  }
}

/* The equilibrium plane in faces that cells share: every piece is counted once. */
static void coplanar_cells_are_counted_once(void) {
  sup_shape  cube = {SUP_SHAPE_BOX, {.1, .1, .1}};
  sup_field *f = field_of(&cube, 1e6, .025, 0);
  double     F[2];
  for (int k = 0; k < 2;
       k++) { /* half overlapped: the plane holds the cube's own mitre edges and cell corners */
    double           d = k ? .05 : .05 * (1 + 1e-9);
    sup_moving_field a = placed(f, at_height(.1 - d)), b = placed(f, at_height(0));
    F[k] = normal_force(&a, &b);
    CHECK(F[k] > 0);
  }
  NEAR(F[0], F[1], 1e-6, 0);
  sup_field_destroy(&f);
}

/** The largest pressure that a triangle over the cube's top will feel within the step, over the
 * modulus: at its corners (N = 1), or at points N to an edge. */
static double most_ahead(const double x[9], const double xdot[9], double depth, double dt,
                         double reach, int N) {
  sup_v3 a = sup_v3_load(x), u = sup_v3_sub(sup_v3_load(x + 3), a),
         v = sup_v3_sub(sup_v3_load(x + 6), a);
  sup_v3 n = sup_v3_unit(sup_v3_cross(u, v));
  double most = -HUGE_VAL;
  for (int i = 0; i <= N; i++)
    for (int j = 0; i + j <= N; j++) {
      double s = (double)i / N, t = (double)j / N, z = a.z + s * u.z + t * v.z, speed = 0;
      for (int k = 0; k < 3; k++)
        speed += (k == 0 ? 1 - s - t : k == 1 ? s : t) * sup_v3_dot(n, sup_v3_load(xdot + 3 * k));
      most = fmax(most, (.05 - z - n.z * fmin(fmax(0, dt * speed), reach)) / depth);
    }
  return most;
}

/* Triangles of a soft surface above a cube's top, whose corners move at random: those that reach
 * the surface within the step give a contact, the others none. */
static void what_arrives_within_the_step_is_seen(void) {
  enum { NUM = 2000 };
  const double dt = .01, depth = .05;
  sup_shape    cube = {SUP_SHAPE_BOX, {.1, .1, .1}};
  sup_field   *f = field_of(&cube, 1e6, HUGE_VAL, .02);
  sup_surface *surface;
  test_random  r = {3};
  int          num_seen = 0;
  OK(sup_surface_create(&surface, 3, 1, 3));
  for (int k = 0; k < 3; k++) surface->face[k] = k;
  for (int i = 0; i < NUM; i++) {
    double x[9], xdot[9], reach = i % 2 ? .02 : .006;
    for (int k = 0; k < 3; k++) {
      double turn =
          -2 * k - test_uniform(&r); /* seen from above clockwise: the normal points down */
      x[3 * k] = .02 * cos(turn), x[3 * k + 1] = .02 * sin(turn),
            x[3 * k + 2] = .057 + .006 * test_uniform(&r);
      for (int c = 0; c < 3; c++) xdot[3 * k + c] = 1.2 * test_uniform(&r) - (c == 2 ? .3 : 0);
    }
    sup_bvh           *bvh = bvh_of(surface, x);
    sup_moving_surface a = {.surface = surface, .node = bvh->node, .points = x, .xdot = xdot};
    sup_moving_field   b = placed(f, at_height(0));
    sup_contact_list   list = {0};
    sup_contact        prototype = {0};
    a.X_WS = sup_frame_identity();
    OK(sup_collide_surface_field(&list, &prototype, &a, &b,
                                 &(sup_patch_options){.dt = dt,
                                                      .highest = HUGE_VAL,
                                                      .reach = reach,
                                                      .moving = reach,
                                                      .candidate = item,
                                                      .workspace_a = workspace_a,
                                                      .workspace_b = workspace_b,
                                                      .workspace_faces = workspace_faces}));
    if (most_ahead(x, xdot, depth, dt, reach, 1) > 1e-6) CHECK(list.count > 0);
    if (most_ahead(x, xdot, depth, dt, reach, 40) < -1e-3) CHECK(list.count == 0);
    num_seen += list.count > 0;
    sup_contact_list_free(&list);
    sup_bvh_destroy(&bvh);
  }
  printf("%d of %d arrive; ", num_seen, NUM);
  CHECK(num_seen > NUM / 5 && num_seen < 4 * NUM / 5);
  sup_surface_destroy(&surface);
  sup_field_destroy(&f);
}

SUITE_TESTS(field, TEST(what_arrives_within_the_step_is_seen), TEST(fields_fill_their_shapes),
            TEST(extent_of_a_box_is_its_depth), TEST(compliant_sphere_on_a_rigid_plane),
            TEST(rigid_sphere_in_a_compliant_layer), TEST(compliant_boxes_on_a_rigid_plane),
            TEST(two_compliant_bodies_share_the_overlap), TEST(layers_in_series),
            TEST(resultants_do_not_depend_on_how_patches_are_cut),
            TEST(forces_are_mutual_and_move_along), TEST(coplanar_cells_are_counted_once));
