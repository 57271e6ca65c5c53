#include "mesh/named_set.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

const sup_named_set *sup_mesh_find_set(const sup_mesh *mesh, sup_set_kind kind, const char *name) {
  for (int s = 0; s < mesh->num_sets; s++)
    if (mesh->set[s].kind == kind && strcmp(mesh->set[s].name, name) == 0) return &mesh->set[s];
  return NULL;
}

sup_status sup_mesh_add_set(sup_mesh *mesh, sup_set_kind kind, const char *name,
                            unsigned char **member) {
  const sup_named_set *there = sup_mesh_find_set(mesh, kind, name);
  sup_named_set        set = {.kind = kind};
  if (there) {
    *member = there->member;
    return SUP_OK;
  }
  if (mesh->num_sets == SUP_MESH_MAX_SETS)
    return SUP_FAIL(SUP_E_ARG, "the mesh has more than %d named sets", SUP_MESH_MAX_SETS);
  SUP_TRY(sup_text_copy(set.name, sizeof set.name, name));
  SUP_TRY(SUP_GROW(mesh->set, mesh->set_capacity, mesh->num_sets + 1));
  SUP_TRY(SUP_CALLOC(set.member, sup_mesh_set_size(mesh, kind)));
  mesh->set[mesh->num_sets++] = set;
  *member = set.member;
  return SUP_OK;
}

int sup_mesh_count_set(const sup_mesh *mesh, const sup_named_set *set) {
  int count = 0;
  for (int i = 0; i < sup_mesh_set_size(mesh, set->kind); i++) count += set->member[i];
  return count;
}

void sup_mesh_drop_empty_sets(sup_mesh *mesh) {
  int kept = 0;
  for (int s = 0; s < mesh->num_sets; s++) {
    if (sup_mesh_count_set(mesh, &mesh->set[s]) > 0)
      mesh->set[kept++] = mesh->set[s];
    else
      SUP_FREE(mesh->set[s].member);
  }
  mesh->num_sets = kept;
}

sup_status sup_mesh_inherit_sets(sup_mesh *made, const sup_mesh *mesh, int pieces) {
  for (int s = 0; s < mesh->num_sets; s++) {
    const sup_named_set *set = &mesh->set[s];
    size_t               n = (size_t)sup_mesh_set_size(mesh, set->kind), each = 1;
    unsigned char       *member;
    SUP_TRY(sup_mesh_add_set(made, set->kind, set->name, &member));
    if (set->kind == SUP_SET_CELLS) each = (size_t)pieces;
    for (size_t i = 0; i < n; i++) memset(member + each * i, set->member[i], each);
  }
  return SUP_OK;
}

void sup_mesh_set_mean(sup_mesh *mesh, int to, const int *vertex, int n) {
  sup_v3 sum = {0, 0, 0};
  for (int k = 0; k < n; k++) sum = sup_v3_madd(sum, 1. / n, sup_mesh_vertex(mesh, vertex[k]));
  sup_v3_store(mesh->x + 3 * to, sum);
  for (int s = 0; s < mesh->num_sets; s++) {
    unsigned char *member = mesh->set[s].member;
    if (mesh->set[s].kind != SUP_SET_VERTICES) continue;
    member[to] = 1;
    for (int k = 0; k < n; k++) member[to] = member[to] && member[vertex[k]];
  }
}

void sup_mesh_free_sets(sup_mesh *mesh) {
  for (int s = 0; s < mesh->num_sets; s++) SUP_FREE(mesh->set[s].member);
  SUP_FREE(mesh->set);
  mesh->num_sets = 0;
}
