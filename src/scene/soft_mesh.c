/* The mesh of a soft body: a file of cells or of a closed surface, a box or a FinRay finger. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "geom/wall.h"
#include "mesh/convert.h"
#include "mesh/generate.h"
#include "mesh/mesh_file.h"
#include "mesh/refine.h"
#include "scene/build.h"
#include "scene/hull_file.h"

enum { SOURCE_FILE, SOURCE_SURFACE, SOURCE_BOX, SOURCE_RING, SOURCE_FINRAY, NUM_SOURCES };

static sup_status read_pattern(const sup_section *section, sup_mesh_pattern *pattern) {
  static const char *const      words[] = {"hex", "kuhn", "mirror"};
  static const sup_mesh_pattern patterns[] = {SUP_PATTERN_HEX, SUP_PATTERN_KUHN, SUP_PATTERN_MIRROR};
  int                           word = 0;
  while (patterns[word] != *pattern) word++;
  SUP_TRY(sup_get_word(section, "pattern", words, 3, &word));
  *pattern = patterns[word];
  return SUP_OK;
}

/* ---- generators ---- */

static sup_status read_box_cells(sup_node *node, int cells[3]) {
  double count[3];
  SUP_TRY(sup_node_vector(node, "cells", SUP_DIM_NUMBER, count));
  for (int i = 0; i < 3; i++) {
    if (!(count[i] >= 1 && count[i] <= 10000 && count[i] == floor(count[i])))
      return SUP_FAIL_AT(node->place, "%g cells in %c; expected a whole number from 1 to 10000", count[i], "xyz"[i]);
    cells[i] = (int)count[i];
  }
  return SUP_OK;
}

/** `cells` and `pattern`. */
static sup_status read_bricks(const sup_section *section, int cells[3], sup_mesh_pattern *pattern) {
  sup_node *cells_node;
  SUP_TRY(sup_section_need(section, "cells", "[4, 4, 4]", &cells_node));
  SUP_TRY(read_box_cells(cells_node, cells));
  *pattern = SUP_PATTERN_HEX;
  SUP_TRY(read_pattern(section, pattern));
  return SUP_OK;
}

static sup_status read_corners(sup_node *node, double corner[24]) {
  SUP_TRY(sup_node_check_list(node, "corners"));
  if (node->num_children != 8)
    return SUP_FAIL_AT(node->place,
                       "corners must be a list of 8 points, in the order 000 100 110 010 001 101 111 011; found %d",
                       node->num_children);
  for (sup_node *c = node->child; c; c = c->next, corner += 3)
    SUP_TRY(sup_node_vector(c, "a corner", SUP_DIM_LENGTH, corner));
  return SUP_OK;
}

static sup_status make_box(sup_node *node, sup_mesh **mesh) {
  sup_section      section;
  double           size[3], corner[24];
  int              cells[3];
  sup_mesh_pattern pattern;
  sup_status       status;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "box", "size", "corners", "cells", "pattern"));
  sup_node *corners = sup_section_find(&section, "corners"), *sizes = sup_section_find(&section, "size");
  if (corners && sizes)
    return SUP_FAIL_AT(corners->key_place, "a box has both size and corners; one of them is enough");
  if (corners)
    SUP_TRY(read_corners(corners, corner));
  else
    SUP_TRY(sup_need_vector(&section, "size", SUP_DIM_LENGTH, size));
  SUP_TRY(read_bricks(&section, cells, &pattern));
  if (corners)
    status = sup_mesh_between_corners(mesh, corner, cells, pattern);
  else
    status = sup_mesh_box(mesh, size, cells, pattern);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, node->place);
  return SUP_OK;
}

static sup_status make_ring(sup_node *node, sup_mesh **mesh) {
  sup_section      section;
  sup_ring         ring;
  int              cells[3];
  sup_mesh_pattern pattern;
  SUP_TRY(
      SUP_SECTION_OPEN(&section, node, "ring", "inner_radius", "outer_radius", "length", "angle", "cells", "pattern"));
  SUP_TRY(sup_need_number(&section, "inner_radius", SUP_DIM_LENGTH, SUP_POSITIVE, &ring.inner_radius));
  SUP_TRY(sup_need_number(&section, "outer_radius", SUP_DIM_LENGTH, SUP_POSITIVE, &ring.outer_radius));
  SUP_TRY(sup_need_number(&section, "length", SUP_DIM_LENGTH, SUP_POSITIVE, &ring.length));
  SUP_TRY(sup_need_number(&section, "angle", SUP_DIM_ANGLE, SUP_POSITIVE, &ring.angle));
  SUP_TRY(read_bricks(&section, cells, &pattern));
  sup_status status = sup_mesh_ring(mesh, &ring, cells, pattern);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, node->place);
  return SUP_OK;
}

static sup_status read_finray_cells(const sup_section *finray, sup_finray *f) {
  sup_section section;
  sup_node   *node;
  SUP_TRY(sup_section_mapping(finray, "cells", &node));
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "cells", "wall", "inner", "cavity", "rib", "depth", "fillet"));
  SUP_TRY(sup_get_integer(&section, "wall", 1, &f->wall_cells));
  SUP_TRY(sup_get_integer(&section, "inner", 1, &f->inner_cells));
  SUP_TRY(sup_get_integer(&section, "cavity", 1, &f->cavity_cells));
  SUP_TRY(sup_get_integer(&section, "rib", 1, &f->rib_cells));
  SUP_TRY(sup_get_integer(&section, "depth", 1, &f->depth_cells));
  SUP_TRY(sup_get_integer(&section, "fillet", 1, &f->fillet_cells));
  return SUP_OK;
}

static sup_status make_finray(sup_node *node, sup_mesh **mesh) {
  static const char *const thickness[] = {"horizontal", "perpendicular"}; /* is_perpendicular */
  sup_section              section;
  sup_finray               f = sup_default_finray();
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "finray", "height", "base", "tip", "depth", "wall", "rib", "front_angle",
                           "rib_angle", "ribs", "base_block", "tip_block", "cavity", "thickness", "fillet", "cells",
                           "grading", "pattern"));
  SUP_TRY(sup_get_number(&section, "height", SUP_DIM_LENGTH, SUP_POSITIVE, &f.height));
  SUP_TRY(sup_get_number(&section, "base", SUP_DIM_LENGTH, SUP_POSITIVE, &f.base));
  SUP_TRY(sup_get_number(&section, "tip", SUP_DIM_LENGTH, SUP_POSITIVE, &f.tip));
  SUP_TRY(sup_get_number(&section, "depth", SUP_DIM_LENGTH, SUP_POSITIVE, &f.depth));
  SUP_TRY(sup_get_number(&section, "wall", SUP_DIM_LENGTH, SUP_POSITIVE, &f.wall));
  SUP_TRY(sup_get_number(&section, "rib", SUP_DIM_LENGTH, SUP_POSITIVE, &f.rib));
  SUP_TRY(sup_get_number(&section, "front_angle", SUP_DIM_ANGLE, SUP_ANY, &f.front_angle));
  SUP_TRY(sup_get_number(&section, "rib_angle", SUP_DIM_ANGLE, SUP_ANY, &f.rib_angle));
  SUP_TRY(sup_get_integer(&section, "ribs", 0, &f.num_ribs));
  SUP_TRY(sup_get_number(&section, "base_block", SUP_DIM_LENGTH, SUP_POSITIVE, &f.base_block));
  SUP_TRY(sup_get_number(&section, "tip_block", SUP_DIM_LENGTH, SUP_POSITIVE, &f.tip_block));
  SUP_TRY(sup_get_number(&section, "cavity", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, &f.cavity));
  SUP_TRY(sup_get_number(&section, "fillet", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, &f.fillet));
  SUP_TRY(sup_get_word(&section, "thickness", thickness, 2, &f.is_perpendicular));
  SUP_TRY(read_finray_cells(&section, &f));
  SUP_TRY(sup_get_number(&section, "grading", SUP_DIM_NUMBER, SUP_POSITIVE, &f.grading));
  SUP_TRY(read_pattern(&section, &f.pattern));
  sup_status status = sup_mesh_finray(mesh, &f);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, node->place);
  return SUP_OK;
}

/* ---- files ---- */

/** Tell the log what a reader did to a file, and the manifest which files it read beside it. */
static sup_status note_reading(sup_scene_build *b, const sup_node *file, const char *path,
                               const sup_mesh_report *report) {
  char text[512], where[SUP_PLACE_SIZE];
  sup_mesh_report_text(report, text, sizeof text);
  if (text[0]) sup_log(SUP_LOG_NOTE, "%s: %s: %s", sup_place_text(file->place, where), path, text);
  for (int i = 0; i < report->num_more; i++) {
    const char *more = report->more[i];
    SUP_TRY(sup_scene_add_input(b->scene, &more));
  }
  return SUP_OK;
}

static sup_status load_file(sup_scene_build *b, sup_node *file, double scale, sup_mesh **mesh) {
  char             path[4096];
  const char      *input = path;
  sup_mesh_report *report = NULL;
  sup_status       status;
  SUP_TRY(sup_node_path(b->scene, file, "file", path, sizeof path));
  SUP_TRY(sup_scene_add_input(b->scene, &input));
  SUP_TRY(SUP_CALLOC(report, 1));
  status = sup_mesh_read(mesh, input, report);
  if (status != SUP_OK) {
    status = SUP_FAIL_WRAP(status, file->place);
    goto done;
  }
  SUP_TRY_GOTO(note_reading(b, file, input, report), status, done);
  for (int i = 0; i < 3 * (*mesh)->num_vertices; i++) (*mesh)->x[i] *= scale;
done:
  SUP_FREE(report);
  return status;
}

/** Fill the closed surface of a file with tetrahedra. */
static sup_status fill_surface(sup_scene_build *b, const sup_section *section, sup_node *file, double scale,
                               sup_mesh **mesh) {
  sup_tetgen_options options = sup_default_tetgen_options();
  const double       scales[3] = {scale, scale, scale};
  char               path[4096], where[SUP_PLACE_SIZE];
  const char        *input = path;
  sup_hull          *hull = NULL;
  double             size;
  SUP_TRY(sup_need_number(section, "size", SUP_DIM_LENGTH, SUP_POSITIVE, &size));
  SUP_TRY(sup_get_number(section, "quality", SUP_DIM_NUMBER, SUP_POSITIVE, &options.quality));
  options.max_volume = sup_tetgen_volume(size);
  SUP_TRY(sup_node_path(b->scene, file, "surface", path, sizeof path));
  SUP_TRY(sup_scene_add_input(b->scene, &input));
  sup_status status = sup_polyhedron_of_file(&hull, input, scales, sup_place_text(file->place, where));
  if (status == SUP_OK) status = sup_mesh_of_polyhedron(mesh, hull, &options);
  sup_hull_destroy(&hull);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, file->place);
  return SUP_OK;
}

/** refine: each level cuts every cell into eight. */
static sup_status refine(const sup_section *section, sup_mesh **mesh) {
  const sup_node *node = sup_section_find(section, "refine");
  int             levels = 0;
  SUP_TRY(sup_get_integer(section, "refine", 0, &levels));
  sup_status status = sup_mesh_refine_levels(mesh, levels);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, node->place);
  return SUP_OK;
}

/** order: 2 makes quadratic tetrahedra of linear ones. */
static sup_status raise_order(const sup_section *section, sup_mesh **mesh) {
  const sup_node *node = sup_section_find(section, "order");
  sup_mesh       *linear = *mesh;
  int             order = linear->type == SUP_CELL_T10 ? 2 : 1;
  SUP_TRY(sup_get_integer(section, "order", 1, &order));
  if (order > 2)
    return SUP_FAIL_AT(node->place, "order is %d; expected 1 (as given) or 2 (quadratic tetrahedra)", order);
  if (order == 1 && linear->type == SUP_CELL_T10)
    return SUP_FAIL_AT(node->place, "order is 1, but the file holds quadratic tetrahedra (T10)");
  if (order == 1 || linear->type == SUP_CELL_T10) return SUP_OK;
  sup_status status = sup_mesh_to_t10(mesh, linear);
  if (status != SUP_OK) {
    *mesh = linear;
    return SUP_FAIL_AT(node->place, "order: 2: %s (box and finray make T4 cells with 'pattern: mirror')",
                       sup_error_message());
  }
  sup_mesh_destroy(&linear);
  return SUP_OK;
}

static sup_status check_size(const sup_node *node, const char *body, const sup_mesh *mesh) {
  const double largest = 10;
  char         where[SUP_PLACE_SIZE];
  sup_v3       lower, upper;
  sup_mesh_bounds(mesh, &lower, &upper);
  sup_v3 size = sup_v3_sub(upper, lower);
  if (!isfinite(size.x + size.y + size.z))
    return SUP_FAIL_AT(node->place, "the mesh of %s is infinitely large after scaling", body);
  if (fmax(size.x, fmax(size.y, size.z)) > largest)
    sup_log(SUP_LOG_WARNING,
            "%s: the mesh of %s measures %g x %g x %g m; is it in millimetres? then give it 'scale: 0.001'",
            sup_place_text(node->place, where), body, size.x, size.y, size.z);
  return SUP_OK;
}

sup_status sup_cells_through_walls(const sup_mesh *mesh, double *median) {
  sup_surface *surface = NULL;
  sup_wall     wall;
  SUP_TRY(sup_surface_of_mesh(&surface, mesh));
  sup_status status = sup_wall_measure(&wall, mesh, surface);
  sup_surface_destroy(&surface);
  SUP_TRY(status);
  *median = wall.median;
  return SUP_OK;
}

/** Nobody should take the stiffness of plain tetrahedra for a result without having been told. */
static sup_status warn_of_locking(const sup_node *node, const char *body, const sup_mesh *mesh, int is_file) {
  char   where[SUP_PLACE_SIZE];
  double cells;
  if (mesh->type != SUP_CELL_T4) return SUP_OK;
  SUP_TRY(sup_cells_through_walls(mesh, &cells));
  sup_log(
      SUP_LOG_WARNING,
      "%s: %s is made of plain T4 cells, %.2g through its walls in the median, which are too stiff in bending: about "
      "four times with one, twice with two, by a quarter with four, 7 %% with eight, more near nu = 0.5; remedy: %s",
      sup_place_text(node->place, where), body, cells,
      is_file ? "'order: 2' in mesh (quadratic tetrahedra), or a mesh of hexahedra (box and finray make them with "
                "'pattern: hex')"
              : "'pattern: hex', or 'order: 2' in mesh (quadratic tetrahedra)");
  return SUP_OK;
}

/** The one key that says where the mesh comes from. */
static sup_status find_source(const sup_section *section, sup_node **source, int *which) {
  static const char *const keys[] = {"file", "surface", "box", "ring", "finray"}; /* SOURCE_FILE and so on */
  int                      found = 0;
  for (int k = 0; k < NUM_SOURCES; k++) {
    sup_node *node = sup_section_find(section, keys[k]);
    if (node) *source = node, *which = k, found++;
  }
  if (found != 1)
    return SUP_FAIL_AT(section->node->place,
                       "mesh needs exactly one of the keys file, surface, box, ring, finray; found %d", found);
  return SUP_OK;
}

/** Keys that belong to some of the sources only. */
static sup_status check_keys(const sup_section *section, int which) {
  const sup_node *scale = sup_section_find(section, "scale"), *size = sup_section_find(section, "size");
  const sup_node *quality = sup_section_find(section, "quality");
  if (scale && which > SOURCE_SURFACE)
    return SUP_FAIL_AT(scale->key_place, "scale belongs to the mesh of a file; here the sizes are given");
  if ((size || quality) && which != SOURCE_SURFACE)
    return SUP_FAIL_AT((size ? size : quality)->key_place, "%s belongs to a surface that is filled with cells",
                       size ? "size" : "quality");
  return SUP_OK;
}

sup_status sup_read_mesh(sup_scene_build *b, sup_node *node, const char *body, sup_mesh **mesh) {
  sup_section section;
  sup_node   *source = NULL;
  int         which = 0;
  double      scale = 1;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "mesh", "file", "surface", "box", "ring", "finray", "scale", "size",
                           "quality", "refine", "order"));
  SUP_TRY(find_source(&section, &source, &which));
  SUP_TRY(check_keys(&section, which));
  if (which <= SOURCE_SURFACE) SUP_TRY(sup_get_number(&section, "scale", SUP_DIM_NUMBER, SUP_POSITIVE, &scale));
  if (which == SOURCE_FILE) SUP_TRY(load_file(b, source, scale, mesh));
  if (which == SOURCE_SURFACE) SUP_TRY(fill_surface(b, &section, source, scale, mesh));
  if (which == SOURCE_BOX) SUP_TRY(make_box(source, mesh));
  if (which == SOURCE_RING) SUP_TRY(make_ring(source, mesh));
  if (which == SOURCE_FINRAY) SUP_TRY(make_finray(source, mesh));
  SUP_TRY(refine(&section, mesh));
  SUP_TRY(raise_order(&section, mesh));
  SUP_TRY(check_size(node, body, *mesh));
  SUP_TRY(warn_of_locking(node, body, *mesh, which == SOURCE_FILE || which == SOURCE_SURFACE));
  return SUP_OK;
}
