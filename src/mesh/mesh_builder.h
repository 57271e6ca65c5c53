/** A mesh from numbered points and cells, in any order, as files give them.  Layer mesh, private to
 * the readers. */
#pragma once

#include "mesh/format/mesh_file.h"
#include "mesh/format/scan.h"
#include "mesh/format/surface_parse.h"
#include "mesh/named_set.h"

enum { SUP_BUILDER_MAX_KINDS = 16 };

/** Position of a point or cell in a file. */
typedef struct sup_file_position {
  const char *name; /* of the file; belongs to the reader */
  int         is_binary;
  long        line; /* or byte (sup_scan) */
} sup_file_position;

/** Members of a set: numbers of the file first, first + step, ... last, or all of another set. */
typedef struct sup_builder_members {
  int set;
  int source; /* a set; of cells for one of vertices: their vertices.  SUP_NONE: numbers */
  int first, last, step;
} sup_builder_members;

typedef struct sup_builder_set {
  char         name[SUP_NAME_MAX];
  sup_set_kind kind;
} sup_builder_set;

typedef struct sup_mesh_builder {
  int                num_points, num_cells;
  double            *x;                            /* [num_points x 3] */
  int               *tag;                          /* [num_points] their numbers in the file */
  sup_file_position *point_place;                  /* [num_points] */
  char               type_name[SUP_SCAN_WORD_MAX]; /* type of the first cell, by the file */
  int                num_corners;
  int               *corner;       /* [num_corners] tags, cell by cell */
  unsigned char     *num_vertices; /* [num_cells] */
  bool               is_mixed;     /* true: sup_builder_finish cuts the cells */
  int               *cell_tag;     /* [num_cells] */
  sup_file_position *place;        /* [num_cells] */
  size_t x_capacity, tag_capacity, point_place_capacity, corner_capacity, num_vertices_capacity,
      cell_tag_capacity, place_capacity;
  int                  num_sets, num_members;
  sup_builder_set     *set;
  sup_builder_members *members;
  size_t               set_capacity, members_capacity;
  int                  keeps_faces;          /* 1: read faces of a surface as triangles of tags */
  int                  num_faces, has_cells; /* volume cells were passed over */
  int                 *face;                 /* [num_faces x 3] */
  size_t               face_capacity;
  int ignores_case; /* names of sets that differ in the case of letters are the same */
  int num_kinds;    /* of things that are passed over */
  struct {
    char what[SUP_SCAN_WORD_MAX];
    long count;
  } kind[SUP_BUILDER_MAX_KINDS];
} sup_mesh_builder;

SUP_NODISCARD sup_status sup_builder_add_point(sup_mesh_builder *b, const sup_scan *s, int tag,
                                               const double x[3]);
/** Add a cell at the place of `s`, of 4, 8 or 10 points or one that sup_cut_takes, with the tags of
 * its points in the order of sup_cell_kind and sup_cut, and its type in words of the file.
 * sup_builder_finish cuts wedges, pyramids and mixed cells into T4.  E_PARSE: T10 beside others. */
SUP_NODISCARD sup_status sup_builder_add_cell(sup_mesh_builder *b, const sup_scan *s,
                                              int num_vertices, const char *type_name, int tag,
                                              const int *corner);
/** Add a face of 3, 4, 6, 8 or 9 points when faces are wanted: corners in their order around it,
 * then the middles of the edges from the first corner on, then the middle.  Curved ones become flat
 * triangles between all of their points. */
SUP_NODISCARD sup_status sup_builder_add_face(sup_mesh_builder *b, const sup_scan *s,
                                              int num_points, const int *point);
/** The faces as a surface.  E_PARSE: none, cells that `t` refuses, or one on a point that is not
 * there. */
SUP_NODISCARD sup_status sup_builder_surface(const sup_mesh_builder *b, const char *name,
                                             sup_triangles *t);
/** Count something that is passed over: "triangles". */
void sup_builder_skip(sup_mesh_builder *b, const char *what, long count);
/** "24 triangles, 2 members of sets that are no part of the mesh"; empty when nothing was passed
 * over. */
void sup_builder_passed_over(const sup_mesh_builder *b, long missing, char *text, size_t size);
/** The number of a set by its name; SUP_NONE when there is none. */
int sup_builder_find_set(const sup_mesh_builder *b, sup_set_kind kind, const char *name);
/** The number of a set by its name; a new set when there is none.  E_PARSE: too long a name, too
 * many sets. */
SUP_NODISCARD sup_status sup_builder_need_set(sup_mesh_builder *b, const sup_scan *s,
                                              sup_set_kind kind, const char *name, int *set);
SUP_NODISCARD sup_status sup_builder_add_members(sup_mesh_builder *b, sup_builder_members members);
SUP_NODISCARD sup_status sup_builder_add_member(sup_mesh_builder *b, int set, int tag);
/** Build the cleaned mesh with its sets; members of sets that are not in the mesh count as skipped.
 * E_PARSE: a number of two points, a cell on a point that is not there (with its line), no cells.
 *  @param[in]     name    of the file
 *  @param[in]     advice  what to do when there are no cells
 *  @param[in,out] report  repair and skipped are set; may be NULL */
SUP_NODISCARD sup_status sup_builder_finish(const sup_mesh_builder *b, const char *name,
                                            const char *advice, sup_mesh **mesh,
                                            sup_mesh_report *report);
void                     sup_builder_free(sup_mesh_builder *b);
