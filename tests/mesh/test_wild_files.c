/* Meshes that other programs wrote, where they are installed: PETSc's and OpenCASCADE's. */
#include <unistd.h>

#include "base/memory.h"
#include "mesh/format/mesh_file.h"
#include "mesh/format/surface_file.h"
#include "test.h"

#define PETSC "/usr/share/petsc/3.18/share/petsc/datafiles/meshes/"
#define OCC "/usr/share/opencascade/data/stl/"

static int is_absent(const char *path) { return access(path, R_OK) != 0; }

static void meshes_of_gmsh_load(void) {
  static const struct {
    const char   *path;
    sup_cell_type type;
    int           num_cells, num_vertices;
  } file[] = {{PETSC "doublet-tet.msh", SUP_CELL_T4, 2, 5},
              {PETSC "gmsh-tet.msh", SUP_CELL_T4, 1, 4},
              {PETSC "gmsh-3d-ascii-32.msh", SUP_CELL_T4, 364, 131},
              {PETSC "gmsh-3d-binary-32.msh", SUP_CELL_T4, 364, 131},
              {PETSC "gmsh-3d-binary-64.msh", SUP_CELL_T4, 364, 131},
              {PETSC "mesh-3d-box-innersphere.msh", SUP_CELL_T4, 577, 150},
              {PETSC "mesh-3d-box-innersphere_bin.msh", SUP_CELL_T4, 577, 150}};
  for (size_t k = 0; k < sizeof file / sizeof *file; k++) {
    sup_mesh *mesh = NULL;
    if (is_absent(file[k].path)) SKIP("%s is absent ", file[k].path);
    OK(sup_mesh_read(&mesh, file[k].path, NULL));
    CHECK(mesh->type == file[k].type);
    CHECK(mesh->num_cells == file[k].num_cells);
    CHECK(mesh->num_vertices == file[k].num_vertices);
    sup_mesh_destroy(&mesh);
  }
}

static void surfaces_of_cad_load(void) {
  static const struct {
    const char *path;
    int         num_faces;
  } file[] = {{PETSC "cow.msh", 5804},    {PETSC "surfacesphere_bin.msh", 396},
              {OCC "sh1.stl", 3290},      {OCC "shape.stl", 494},
              {OCC "bearing.stl", 24680}, {OCC "propeller.stl", 7374},
              {OCC "motor.stl", 13502},   {OCC "video_part.stl", 9694}};
  for (size_t k = 0; k < sizeof file / sizeof *file; k++) {
    const double scale[3] = {1e-3, 1e-3, 1e-3};
    sup_surface *surface = NULL;
    double      *points = NULL;
    if (is_absent(file[k].path)) SKIP("%s is absent ", file[k].path);
    OK(sup_surface_read(&surface, &points, file[k].path, scale, NULL));
    CHECK(surface->num_faces == file[k].num_faces);
    sup_surface_destroy(&surface);
    SUP_FREE(points);
  }
}

static void what_is_not_read_has_a_remedy(void) {
  static const char *const file[][2] = {
      {PETSC "nozzle.stp", "found a shape (STEP)"},
      {PETSC "cylinder.med", "gmsh IN -save -o OUT.msh"},
      {PETSC "annulus-20.exo", "meshio convert"},
      {PETSC "gmsh-hex-20node.msh", "mesh the shape with gmsh -order 1"},
      {PETSC "quads-q3.msh", "mesh the shape with gmsh -order 2"}};
  for (size_t k = 0; k < sizeof file / sizeof *file; k++) {
    sup_mesh *mesh = NULL;
    if (is_absent(file[k][0])) SKIP("%s is absent ", file[k][0]);
    FAILS(sup_mesh_read(&mesh, file[k][0], NULL), SUP_E_PARSE, file[k][1]);
  }
}

SUITE_TESTS(wild_files, TEST(meshes_of_gmsh_load), TEST(surfaces_of_cad_load),
            TEST(what_is_not_read_has_a_remedy));
