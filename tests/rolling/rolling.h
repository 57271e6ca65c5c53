/* Scenes of what rolls: bodies of a text on a floor, with a step and gravity. */
#pragma once

#include <math.h>

#include "cases/example.h"

static const double pi = 3.14159265358979323846, g = 9.81;
static const double steps[] = {1e-3, 2e-3, 5e-3, 1e-2};
enum { NUM_STEPS = sizeof steps / sizeof *steps };

static const char floor_text[] = "rigid:\n  floor: {shape: {half_space: {}}, fixed: true}\n";

static const char *scheme = ""; /* of time, beside steps */

/** A scene of the bodies in `rest`, YAML below `rigid:` but for the floor; `set`: an override. */
static void start_set(test_example *e, const char *set, double step, double friction,
                      double dissipation, const double gravity[3], const char *top,
                      const char *rest) {
  char  path[512];
  FILE *file;
  e->scene = NULL;
  snprintf(path, sizeof path, "%s/rolling.yaml", test_folder());
  CHECK((file = fopen(path, "w")) != NULL);
  fprintf(file,
          "supple: 1\ntime: {step: %.17g, end: 100%s}\ngravity: [%.17g, %.17g, %.17g]\n"
          "contact: {defaults: {friction: %g, dissipation: %g}}\n%s%s",
          step, scheme, gravity[0], gravity[1], gravity[2], friction, dissipation, top, rest);
  fclose(file);
  test_scene_init(&e->s);
  OK(sup_scene_load(&e->scene, path, &set, set != NULL));
  e->s.def = e->scene->model, e->s.options = e->scene->options;
  test_start(&e->s);
}

static void start(test_example *e, double step, double friction, double dissipation,
                  const double gravity[3], const char *top, const char *rest) {
  start_set(e, NULL, step, friction, dissipation, gravity, top, rest);
}

static void go(test_example *e, double time) {
  int count = (int)lround(time / e->s.options.dt);
  for (int i = 0; i < count; i++) test_step(&e->s);
}

static const double down[3] = {0, 0, -9.81};

/** A flat plate, its top of nx x ny squares of two triangles. */
static inline void write_plate(const char *path, int nx, int ny) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  int n = (nx + 1) * (ny + 1), row = ny + 1;
  for (int k = 0; k < 2 * n; k++) {
    int i = k % n / row, j = k % n % row;
    fprintf(file, "v %.17g %.17g %g\n", 2.4 * ((double)i / nx - .5), .2 * ((double)j / ny - .5),
            k < n ? .05 : -.05);
  }
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < ny; j++) {
      int a = i * row + j + 1, b = a + row, c = b + 1, d = a + 1;
      fprintf(file, "f %d %d %d\nf %d %d %d\n", a, b, c, a, c, d);
      fprintf(file, "f %d %d %d\nf %d %d %d\n", a + n, c + n, b + n, a + n, d + n, c + n);
    }
  for (int i = 0, first = 1; i < nx; i++, first += row) {
    int a = first, b = a + row, c = a + ny, d = b + ny;
    fprintf(file, "f %d %d %d\nf %d %d %d\n", a, a + n, b + n, a, b + n, b);
    fprintf(file, "f %d %d %d\nf %d %d %d\n", c, d + n, c + n, c, d, d + n);
  }
  for (int j = 1, last = nx * row; j <= ny; j++) {
    int a = j, b = j + 1, c = last + j, d = c + 1;
    fprintf(file, "f %d %d %d\nf %d %d %d\n", a, b + n, a + n, a, b, b + n);
    fprintf(file, "f %d %d %d\nf %d %d %d\n", c, c + n, d + n, c, d + n, d);
  }
  fclose(file);
}
