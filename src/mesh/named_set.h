/** Named sets of vertices and cells: names of parts of a mesh by files and generators.  Layer mesh.
 *
 *  A set of vertices and one of cells may have the same name.  Sets follow the mesh: refined, made
 * quadratic or cut, a new vertex at the mean of others belongs to a set if all of these do; a piece
 * of a cell belongs to a set if the cell does. */
#pragma once

#include "mesh/mesh.h"

typedef enum sup_set_kind { SUP_SET_VERTICES, SUP_SET_CELLS } sup_set_kind;

typedef struct sup_named_set {
  char           name[SUP_NAME_MAX];
  sup_set_kind   kind;
  unsigned char *member; /* [num_vertices or num_cells] 1: belongs to the set */
} sup_named_set;

enum { SUP_MESH_MAX_SETS = 1024 };

/** Members a set of this kind can have. */
static inline int sup_mesh_set_size(const sup_mesh *mesh, sup_set_kind kind) {
  return kind == SUP_SET_VERTICES ? mesh->num_vertices : mesh->num_cells;
}
/** NULL when there is none. */
const sup_named_set *sup_mesh_find_set(const sup_mesh *mesh, sup_set_kind kind, const char *name);
/** The members of a set, which is made without any when it is not there.  E_ARG: too long a name,
 * too many sets.
 *  @param[out] holds  as in sup_named_set; belongs to the mesh */
SUP_NODISCARD sup_status sup_mesh_add_set(sup_mesh *mesh, sup_set_kind kind, const char *name,
                                          unsigned char **member);
int                      sup_mesh_count_set(const sup_mesh *mesh, const sup_named_set *set);
/** Forget sets that hold nothing. */
void sup_mesh_drop_empty_sets(sup_mesh *mesh);
/** Copy the sets of a mesh to a mesh made from it, whose first vertices are the old ones and which
 * has `pieces` consecutive cells for each old cell. sup_mesh_set_mean adds new vertices to sets. */
SUP_NODISCARD sup_status sup_mesh_inherit_sets(sup_mesh *made, const sup_mesh *mesh, int pieces);
/** Put vertex `to` in the middle of others, and into the sets that hold all of them. */
void sup_mesh_set_mean(sup_mesh *mesh, int to, const int *vertex, int n);
void sup_mesh_free_sets(sup_mesh *mesh);
