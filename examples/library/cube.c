/* A soft cube of rubber falls onto a floor and comes to rest, made without any file.
 *
 *   cc cube.c $(pkg-config --cflags --libs supple-core) -lm -o cube */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <supple.h>

static void check(sup_status status) {
  if (status == SUP_OK) return;
  fprintf(stderr, "%s\n", sup_error_message());
  exit(1);
}

int main(void) {
  const double   size[3] = {0.02, 0.02, 0.02}; /* [m] */
  const int      bricks[3] = {4, 4, 4};
  sup_mesh      *mesh;
  sup_model     *model;
  sup_simulator *sim;
  check(sup_mesh_box(&mesh, size, bricks, SUP_PATTERN_HEX));

  sup_soft_def cube = sup_default_soft_def();
  strcpy(cube.name, "cube");
  cube.mesh = mesh;
  cube.material.youngs_modulus = 2e5; /* [Pa] */
  cube.material.density = 1100;       /* [kg/m^3] */
  cube.material.stiffness_damping = 1e-3;
  cube.X_WS.p[2] = 0.01; /* its lower face above the floor [m] */

  sup_geometry_def plane = sup_default_geometry_def();
  plane.shape.type = SUP_SHAPE_HALF_SPACE;
  sup_link_def ground = sup_default_link_def();
  strcpy(ground.name, "floor");
  ground.num_geometries = 1, ground.geometries = &plane;
  sup_tree_def floor = sup_default_tree_def();
  strcpy(floor.name, "floor");
  floor.is_rigid_body = 1, floor.num_links = 1, floor.links = &ground;

  sup_model_def parts = sup_default_model_def();
  parts.num_trees = 1, parts.trees = &floor;
  parts.num_softs = 1, parts.softs = &cube;
  check(sup_model_create(&model, &parts)); /* which copies all of them */
  sup_mesh_destroy(&mesh);

  sup_simulator_def def = sup_default_simulator_def();
  def.model = model, def.options.dt = 2e-3;
  check(sup_simulator_create(&sim, &def));
  check(sup_simulator_run(sim, 0.5, NULL, NULL));

  sup_array force, x, energy;
  double    low = 1;
  int       handle;
  check(sup_simulator_find(sim, SUP_OBJECT_BODY, "cube", &handle));
  check(sup_simulator_read(sim, SUP_READ_RESULTANT, handle, &force));
  check(sup_simulator_read(sim, SUP_READ_VERTICES, 0, &x));
  check(sup_simulator_read(sim, SUP_READ_ENERGY, 0, &energy));
  for (int i = 0; i < x.rows; i++) low = x.data[3 * i + 2] < low ? x.data[3 * i + 2] : low;
  printf(
      "the floor carries %.4f N of %.4f N, the lowest of %d vertices is at %.3g mm, %.2g J move\n",
      force.data[2], 1100 * 8e-6 * 9.81, x.rows, 1e3 * low, energy.data[0]);
  sup_simulator_destroy(&sim);
  sup_model_destroy(&model);
  return 0;
}
