#include <string.h>

#include "base/collective.h"
#include "mesh/distribute/part.h"
#include "mesh/named_set.h"
#include "solids.h"

enum { MOST = 7 };

static sup_mesh *box_of(sup_cell_type type) {
  const double size[3] = {.4, .2, .1};
  const int    n[3] = {8, 4, 3};
  return solid_box_cells(type, size, n);
}

static void cells_are_shared_out_evenly(void) {
  for (int type = 0; type < SUP_NUM_CELL_TYPES; type++) {
    sup_mesh *mesh = box_of((sup_cell_type)type);
    int      *part = calloc((size_t)mesh->num_cells, sizeof *part);
    for (int n = 1; n <= MOST; n++) {
      int count[MOST] = {0}, least = mesh->num_cells, most = 0;
      OK(sup_mesh_bisect(mesh, n, part));
      for (int c = 0; c < mesh->num_cells; c++) count[part[c]]++;
      for (int p = 0; p < n; p++) {
        least = count[p] < least ? count[p] : least;
        most = count[p] > most ? count[p] : most;
      }
      CHECK(most - least <= 3);
    }
    free(part);
    sup_mesh_destroy(&mesh);
  }
}

/* Two halves of a bar meet in its middle. */
static void a_bar_is_cut_across(void) {
  sup_mesh *mesh = box_of(SUP_CELL_H8);
  int      *part = calloc((size_t)mesh->num_cells, sizeof *part);
  OK(sup_mesh_bisect(mesh, 2, part));
  for (int c = 0; c < mesh->num_cells; c++) {
    double x = 0;
    for (int a = 0; a < 8; a++) x += mesh->x[3 * sup_mesh_cell(mesh, c)[a]] / 8;
    CHECK(part[c] == (x > .2));
  }
  free(part);
  sup_mesh_destroy(&mesh);
}

/** Own numbers lead to the same cells, places and sets. */
static void check_numbers(const sup_mesh *mesh, const int *part, const sup_mesh_part *p) {
  int n = sup_cell_num_vertices(mesh->type);
  for (int i = 0; i < p->mesh->num_vertices; i++) {
    CHECK(i == 0 || p->vertex[i] > p->vertex[i - 1]);
    CHECK(memcmp(p->mesh->x + 3 * i, mesh->x + 3 * p->vertex[i], 3 * sizeof(double)) == 0);
  }
  for (int c = 0; c < p->mesh->num_cells; c++) {
    CHECK(part[p->cell[c]] == p->rank && (c == 0 || p->cell[c] > p->cell[c - 1]));
    for (int a = 0; a < n; a++)
      CHECK(p->vertex[sup_mesh_cell(p->mesh, c)[a]] == sup_mesh_cell(mesh, p->cell[c])[a]);
  }
  CHECK(p->mesh->num_sets == mesh->num_sets);
  for (int s = 0; s < mesh->num_sets; s++)
    for (int i = 0; i < sup_mesh_set_size(p->mesh, mesh->set[s].kind); i++)
      CHECK(p->mesh->set[s].member[i] ==
            mesh->set[s].member[mesh->set[s].kind == SUP_SET_CELLS ? p->cell[i] : p->vertex[i]]);
}

/** Vertices that a rank shares with each neighbour are those that the neighbour shares with the
 * rank, in the same order. */
static void check_neighbours(sup_mesh_part *const *part, int rank) {
  const sup_mesh_part *p = part[rank];
  for (int k = 0; k < p->num_neighbours; k++) {
    const sup_mesh_part *q = part[p->neighbour[k]];
    int                  back = 0;
    while (back < q->num_neighbours && q->neighbour[back] != rank) back++;
    CHECK(back < q->num_neighbours);
    int first = p->shared_start[k], other = q->shared_start[back];
    int count = p->shared_start[k + 1] - first;
    CHECK(count > 0 && count == q->shared_start[back + 1] - other);
    for (int i = 0; i < count; i++)
      CHECK(p->vertex[p->shared[first + i]] == q->vertex[q->shared[other + i]]);
  }
}

static void parts_cover_the_mesh_and_agree_on_what_they_share(void) {
  for (int type = 0; type < SUP_NUM_CELL_TYPES; type++) {
    sup_mesh      *mesh = box_of((sup_cell_type)type);
    int           *part = calloc((size_t)mesh->num_cells, sizeof *part), n = 5, cells = 0;
    int           *owned = calloc((size_t)mesh->num_vertices, sizeof *owned);
    sup_mesh_part *p[5];
    OK(sup_mesh_bisect(mesh, n, part));
    for (int r = 0; r < n; r++) OK(sup_mesh_part_create(&p[r], mesh, part, n, r));
    for (int r = 0; r < n; r++) {
      check_numbers(mesh, part, p[r]);
      check_neighbours(p, r);
      cells += p[r]->mesh->num_cells;
      for (int i = 0; i < p[r]->mesh->num_vertices; i++)
        owned[p[r]->vertex[i]] += p[r]->owner[i] == r;
    }
    CHECK(cells == mesh->num_cells);
    for (int v = 0; v < mesh->num_vertices; v++) CHECK(owned[v] == 1);
    for (int r = 0; r < n; r++) sup_mesh_part_destroy(&p[r]);
    free(part), free(owned);
    sup_mesh_destroy(&mesh);
  }
}

static void a_part_may_keep_the_numbers_of_the_vertices(void) {
  sup_mesh *mesh = box_of(SUP_CELL_T4), *own;
  int      *part = calloc((size_t)mesh->num_cells, sizeof *part);
  double    volume = 0;
  OK(sup_mesh_bisect(mesh, 3, part));
  for (int r = 0; r < 3; r++) {
    OK(sup_mesh_cells_of_part(&own, mesh, part, r));
    CHECK(own->num_vertices == mesh->num_vertices && own->num_sets == mesh->num_sets);
    volume += sup_mesh_volume(own);
    sup_mesh_destroy(&own);
  }
  NEAR(volume, sup_mesh_volume(mesh), 1e-14, 0);
  free(part);
  sup_mesh_destroy(&mesh);
}

static void wrong_parts_are_refused(void) {
  sup_mesh      *mesh = box_of(SUP_CELL_H8);
  int           *part = calloc((size_t)mesh->num_cells, sizeof *part);
  sup_mesh_part *p;
  FAILS(sup_mesh_bisect(mesh, 97, part), SUP_E_ARG, "96 cells cannot be distributed to 97 ranks");
  OK(sup_mesh_bisect(mesh, 96, part));
  part[3] = 96;
  FAILS(sup_mesh_part_create(&p, mesh, part, 96, 0), SUP_E_ARG, "cell 3 is in part 96 of 96");
  free(part);
  sup_mesh_destroy(&mesh);
}

static void one_rank_is_alone(void) {
  double  x = 3, y = 0;
  int64_t count = 4;
  sup_one_rank.sum(&sup_one_rank, 1, &x);
  sup_one_rank.max_integers(&sup_one_rank, 1, &count);
  sup_one_rank.gather(&sup_one_rank, sizeof x, &x, &y);
  CHECK(x == 3 && y == 3 && count == 4 && sup_one_rank.meet(&sup_one_rank, 0));
  CHECK(sup_sum_of_ranks(NULL, 2) == 2 && !sup_has_ranks(NULL) && !sup_has_ranks(&sup_one_rank));
  OK(sup_agree(&sup_one_rank, SUP_OK));
  FAILS(sup_agree(NULL, SUP_E_IO), SUP_E_IO, "");
}

SUITE_TESTS(part, TEST(cells_are_shared_out_evenly), TEST(a_bar_is_cut_across),
            TEST(parts_cover_the_mesh_and_agree_on_what_they_share),
            TEST(a_part_may_keep_the_numbers_of_the_vertices), TEST(wrong_parts_are_refused),
            TEST(one_rank_is_alone));
