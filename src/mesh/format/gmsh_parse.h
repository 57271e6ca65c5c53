/** Gmsh's .msh in its text and its binary form: shared by the readers of both.  Private to
 * gmsh_*.c. */
#pragma once

#include <limits.h>
#include "mesh/mesh_builder.h"

enum { SUP_GMSH_MAX_COUNT = INT_MAX / 32, SUP_GMSH_MAX_POINTS = 32 };

/** Element types of the manual. */
typedef struct sup_gmsh_type {
  int         number, dimension, num_points;
  const char *name;
} sup_gmsh_type;

/** A physical group, or a group to which an entity of the geometry belongs (4.1). */
typedef struct sup_gmsh_group {
  int  dimension, number; /* of the group, or of the entity */
  int  physical;          /* number of the group to which the entity belongs */
  char name[SUP_NAME_MAX];
} sup_gmsh_group;

typedef struct sup_gmsh_reader {
  sup_scan         s;
  sup_mesh_builder mesh;
  const char      *begin; /* of the file */
  int              is_version_4;
  int              is_binary, is_swapped; /* 1: numbers have the other byte order */
  size_t           size_bytes;            /* of a count or tag of a binary file of 4.1 */
  sup_gmsh_group  *physical, *entity;     /* with names; of entities */
  int              num_physical, num_entity, num_sets;
  size_t           physical_capacity, entity_capacity, sets_capacity;
  int             *set; /* [num_sets] to which the next element belongs */
} sup_gmsh_reader;

SUP_NODISCARD sup_status sup_gmsh_find_type(const sup_scan *s, int number,
                                            const sup_gmsh_type **type);
/** The next elements belong to a physical group, too. */
SUP_NODISCARD sup_status sup_gmsh_join_group(sup_gmsh_reader *r, int dimension, int physical);
/** Let the items that follow belong to the groups of the entity, and to no others. */
SUP_NODISCARD sup_status sup_gmsh_enter_entity(sup_gmsh_reader *r, int dimension, int entity);
SUP_NODISCARD sup_status sup_gmsh_add_entity(sup_gmsh_reader *r, sup_gmsh_group entity);
/** E_PARSE: a cell type that is not supported. */
SUP_NODISCARD sup_status sup_gmsh_check_type(const sup_gmsh_reader *r, const sup_gmsh_type *type);
/** A cell or another element, whose points may belong to sets and faces.
 *  @param[in] point  [type->num_points] numbers in the file's order */
SUP_NODISCARD sup_status sup_gmsh_add_element(sup_gmsh_reader *r, const sup_gmsh_type *type,
                                              int tag, const int *point);
SUP_NODISCARD sup_status sup_gmsh_check_remaining(const sup_gmsh_reader *r, const char *what,
                                                  int left);

/* ---- binary files: `s` is behind the line of the section's name or count --------------------- */

/** Read the number 1, which tells the byte order of numbers. */
SUP_NODISCARD sup_status sup_gmsh_read_order(sup_gmsh_reader *r);
SUP_NODISCARD sup_status sup_gmsh_binary_entities(sup_gmsh_reader *r);
/** @param[in] count  of 2.2, where it stands as text before the bytes */
SUP_NODISCARD sup_status sup_gmsh_binary_points(sup_gmsh_reader *r, int count);
SUP_NODISCARD sup_status sup_gmsh_binary_elements(sup_gmsh_reader *r, int count);
