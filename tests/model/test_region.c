#include <string.h>

#include "mesh/format/convert.h"
#include "mesh/generate/generate.h"
#include "mesh/named_set.h"
#include "model/model.h"
#include "test.h"

static const sup_region half_space = {
    .type = SUP_REGION_HALF_SPACE, .normal = {-1, 0, 0}, .offset = -.299}; /* x >= 0.299 */
static const sup_region named = {.type = SUP_REGION_NAMED, .name = "x_max"};

static void a_named_side_is_the_one_that_geometry_finds(void) {
  const double size[3] = {.3, .2, .1};
  const int    n[3] = {3, 2, 2};
  sup_mesh    *linear, *mesh;
  OK(sup_mesh_box(&linear, size, n, SUP_PATTERN_MIRROR));
  OK(sup_mesh_to_t10(&mesh, linear));
  unsigned char a[1024] = {0}, b[1024] = {0};
  OK(sup_region_select(&half_space, mesh, 3, a));
  OK(sup_region_select(&named, mesh, 3, b));
  CHECK(memcmp(a, b, (size_t)mesh->num_vertices) == 0 && memchr(a, 3, sizeof a));
  sup_mesh_destroy(&linear);
  sup_mesh_destroy(&mesh);
}

static void a_set_of_cells_stands_for_their_vertices(void) {
  const double   size[3] = {.3, .2, .1};
  const int      n[3] = {3, 2, 2};
  sup_mesh      *mesh;
  unsigned char *member, mark[1024] = {0};
  sup_region     region = {.type = SUP_REGION_NAMED, .name = "part"};
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_HEX));
  OK(sup_mesh_add_set(mesh, SUP_SET_CELLS, "part", &member));
  member[5] = 1;
  OK(sup_region_select(&region, mesh, 1, mark));
  for (int i = 0; i < mesh->num_vertices; i++) {
    int in = 0;
    for (int a = 0; a < 8; a++) in = in || sup_mesh_cell(mesh, 5)[a] == i;
    CHECK(mark[i] == in);
  }
  strcpy(region.name, "parts");
  FAILS(sup_region_select(&region, mesh, 1, mark), SUP_E_ARG,
        "names the unknown set 'parts'; did you mean 'part'?");
  sup_mesh_destroy(&mesh);
}

SUITE_TESTS(region, TEST(a_named_side_is_the_one_that_geometry_finds),
            TEST(a_set_of_cells_stands_for_their_vertices));
