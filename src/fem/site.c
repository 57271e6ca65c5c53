#include "fem/site.h"

#include "base/memory.h"

/** Bits of the materials below m. */
static uint32_t below(int m) { return ((uint32_t)1 << m) - 1; }

static int count_bits(uint32_t bits) {
  int count = 0;
  for (; bits; bits &= bits - 1) count++;
  return count;
}

/** Input of sites: mesh, materials, volumes. */
typedef struct given {
  const sup_mesh *mesh;
  const int      *cell_material;
  const double   *volume, *vertex_volume;
} given;

/** Materials around each vertex as bits, and the first site of each. */
static void number_sites(const given *in, uint32_t *materials, int *first) {
  const sup_mesh *mesh = in->mesh;
  int             n = sup_cell_num_vertices(mesh->type);
  for (int c = 0; c < mesh->num_cells; c++)
    for (int a = 0; a < n; a++)
      materials[sup_mesh_cell(mesh, c)[a]] |= (uint32_t)1 << in->cell_material[c];
  for (int i = 0; i < mesh->num_vertices; i++) first[i + 1] = first[i] + count_bits(materials[i]);
}

static sup_status fill(sup_fem_sites *sites, const given *in, const uint32_t *materials,
                       const int *first) {
  const sup_mesh *mesh = in->mesh;
  int             n = sup_cell_num_vertices(mesh->type), num_sites = first[mesh->num_vertices];
  SUP_TRY(sup_mesh_create(&sites->mesh, mesh->type, num_sites, mesh->num_cells));
  SUP_TRY(SUP_CALLOC(sites->vertex, num_sites));
  SUP_TRY(SUP_CALLOC(sites->share, num_sites));
  for (int i = 0; i < mesh->num_vertices; i++)
    for (int s = first[i]; s < first[i + 1]; s++) {
      sites->vertex[s] = i;
      sup_v3_store(sites->mesh->x + 3 * s, sup_mesh_vertex(mesh, i));
    }
  for (int k = 0; k < n * mesh->num_cells; k++) {
    int vertex = mesh->cell[k], c = k / n;
    int site = first[vertex] + count_bits(materials[vertex] & below(in->cell_material[c]));
    sites->mesh->cell[k] = site;
    sites->share[site] += in->volume[c] / in->vertex_volume[vertex];
  }
  return SUP_OK;
}

sup_status sup_fem_sites_create(sup_fem_sites *sites, const sup_mesh *mesh,
                                const int *cell_material, const double *volume,
                                const double *vertex_volume) {
  _Static_assert(SUP_FEM_MAX_MATERIALS <= 32, "a bit for each material");
  const given in = {mesh, cell_material, volume, vertex_volume};
  uint32_t   *materials = NULL;
  int        *first = NULL;
  sup_status  status;
  *sites = (sup_fem_sites){0};
  SUP_TRY_GOTO(SUP_CALLOC(materials, mesh->num_vertices), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(first, mesh->num_vertices + 1), status, done);
  number_sites(&in, materials, first);
  SUP_TRY_GOTO(fill(sites, &in, materials, first), status, done);
done:
  SUP_FREE_ALL(&materials, &first);
  if (status != SUP_OK) sup_fem_sites_free(sites);
  return status;
}

void sup_fem_sites_free(sup_fem_sites *sites) {
  sup_mesh_destroy(&sites->mesh);
  SUP_FREE_ALL(&sites->vertex, &sites->share);
}
