/* Faces by which rigid shapes are shown, whatever contact sees of them. */
#include "output/shape_display.h"

#include "scene_test.h"

static const double pi = 3.14159265358979323846;

/** Volume that is shown of a shape whose contact surface has edges of `resolution` in a scene of
 * this extent [m]. */
static double volume_shown(sup_shape shape, double resolution, double extent, int *faces) {
  test_scene        s;
  sup_shape_display display;
  test_scene_init(&s);
  test_add_rigid(&s, "shape", shape, 1, 1);
  s.geometry[0].contact.resolution = resolution;
  s.geometry[0].X_LG.p[0] = 1; /* beside its body's origin */
  test_start(&s);
  OK(sup_shape_display_create(&display, &s.model->geometry[0], extent));
  double volume = sup_surface_volume(display.surface, display.points), farthest = 0;
  for (int i = 0; i < display.surface->num_points; i++)
    farthest = fmax(farthest, fabs(display.points[3 * (size_t)i] - 1));
  NEAR(farthest, 0.5 * shape.size[0] * (shape.type == SUP_SHAPE_BOX ? 1 : 2), 0, 1e-12);
  *faces = display.surface->num_faces;
  sup_shape_display_free(&display);
  CHECK(!display.surface && !display.own_surface && !display.own_points);
  test_end(&s);
  return volume;
}

/* The contact surface of the coarsest is a 12-gon, of the finest has thousands of triangles. */
static void round_shapes_are_shown_alike_however_contact_sees_them(void) {
  static const double resolution[] = {1, 0.01, 0.001};
  const double        r = .015, l = .04;
  double              rim = 16 * sin(pi / 16) * r * r; /* a regular polygon of 32 corners */
  for (int k = 0; k < 3; k++) {
    int faces;
    NEAR(volume_shown((sup_shape){SUP_SHAPE_CYLINDER, {r, l}}, resolution[k], 0, &faces), rim * l,
         1e-12, 0);
    CHECK(faces == 2 * 32 + 2 * 30);
    NEAR(volume_shown((sup_shape){SUP_SHAPE_SPHERE, {r}}, resolution[k], 0, &faces),
         4. / 3 * pi * r * r * r, .015, 0); /* inscribed */
    CHECK(faces == 800);
    NEAR(volume_shown((sup_shape){SUP_SHAPE_BOX, {r, l, l}}, resolution[k], 0, &faces), r * l * l,
         1e-12, 0);
    CHECK(faces == 6);
  }
}

/* Spheres whose circle of 20 or 16 segments is as exact as a pixel of a picture of the scene. */
static void small_spheres_have_fewer_faces(void) {
  const double r = .015, sphere = 4. / 3 * pi * r * r * r;
  int          faces;
  NEAR(volume_shown((sup_shape){SUP_SHAPE_SPHERE, {r}}, .01, 9 * r, &faces), sphere, .015, 0);
  CHECK(faces == 800);
  NEAR(volume_shown((sup_shape){SUP_SHAPE_SPHERE, {r}}, .01, 11 * r, &faces), sphere, .06, 0);
  CHECK(faces == 200);
  NEAR(volume_shown((sup_shape){SUP_SHAPE_SPHERE, {r}}, .01, 29 * r, &faces), sphere, .06, 0);
  CHECK(faces == 200);
  NEAR(volume_shown((sup_shape){SUP_SHAPE_SPHERE, {r}}, .01, 31 * r, &faces), sphere, .09, 0);
  CHECK(faces == 128);
}

SUITE_TESTS(shape_display, TEST(round_shapes_are_shown_alike_however_contact_sees_them),
            TEST(small_spheres_have_fewer_faces));
