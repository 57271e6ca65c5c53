/* Rigid shapes of a scene. */
#include "base/memory.h"
#include "mesh/mesh_file.h"
#include "scene/build.h"
#include "scene/hull_file.h"

static sup_status read_round(sup_node *node, const char *name, int has_length, sup_shape *shape) {
  sup_section section;
  if (has_length)
    SUP_TRY(SUP_SECTION_OPEN(&section, node, name, "radius", "length"));
  else
    SUP_TRY(SUP_SECTION_OPEN(&section, node, name, "radius"));
  SUP_TRY(sup_need_number(&section, "radius", SUP_DIM_LENGTH, SUP_POSITIVE, &shape->size[0]));
  if (has_length) SUP_TRY(sup_need_number(&section, "length", SUP_DIM_LENGTH, SUP_POSITIVE, &shape->size[1]));
  return SUP_OK;
}

static sup_status read_box(sup_node *node, sup_shape *shape) {
  sup_section section;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "box", "size"));
  SUP_TRY(sup_need_vector(&section, "size", SUP_DIM_LENGTH, shape->size));
  for (int i = 0; i < 3; i++)
    if (!(shape->size[i] > 0))
      return SUP_FAIL_AT(node->place, "the size of a box must be positive; in %c it is %g m", "xyz"[i],
                         shape -> size[i]);
  return SUP_OK;
}

static sup_status read_ellipsoid(sup_node *node, sup_shape *shape) {
  sup_section section;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "ellipsoid", "radii"));
  SUP_TRY(sup_need_vector(&section, "radii", SUP_DIM_LENGTH, shape->size));
  for (int i = 0; i < 3; i++)
    if (!(shape->size[i] > 0))
      return SUP_FAIL_AT(node->place, "the radii of an ellipsoid must be positive; in %c it is %g m", "xyz"[i],
                         shape -> size[i]);
  return SUP_OK;
}

static sup_status read_vertices(sup_node *vertices, sup_shape *shape) {
  double    *x = NULL;
  int        count = 0;
  sup_status status;
  SUP_TRY(sup_node_check_list(vertices, "vertices"));
  SUP_TRY(SUP_CALLOC(x, 3 * (size_t)vertices->num_children));
  for (sup_node *c = vertices->child; c; c = c->next)
    SUP_TRY_GOTO(sup_node_vector(c, "a vertex", SUP_DIM_LENGTH, x + 3 * (ptrdiff_t)count++), status, done);
  status = sup_hull_create(&shape->hull, count, x);
  if (status != SUP_OK) status = SUP_FAIL_WRAP(status, vertices->place);
done:
  SUP_FREE(x);
  return status;
}

/** The polyhedron of a file, of a file of cells these, too. */
static sup_status polyhedron_of_file(sup_shape *shape, const char *path, const double scale[3], const char *where) {
  if (shape->type == SUP_SHAPE_CONVEX)
    SUP_TRY(sup_hull_of_file(&shape->hull, path, scale, where));
  else if (sup_mesh_is_file_name(path))
    SUP_TRY(sup_cells_of_file(&shape->cells, &shape->hull, path, scale, where));
  else
    SUP_TRY(sup_polyhedron_of_file(&shape->hull, path, scale, where));
  return SUP_OK;
}

static sup_status read_file(sup_scene *scene, const sup_section *section, sup_node *file, sup_shape *shape) {
  char        path[4096], where[SUP_PLACE_SIZE];
  const char *input = path;
  double      scale = 1;
  SUP_TRY(sup_get_number(section, "scale", SUP_DIM_NUMBER, SUP_POSITIVE, &scale));
  SUP_TRY(sup_node_path(scene, file, "file", path, sizeof path));
  SUP_TRY(sup_scene_add_input(scene, &input));
  const double scales[3] = {scale, scale, scale};
  sup_status   status = polyhedron_of_file(shape, input, scales, sup_place_text(file->place, where));
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, file->place);
  return SUP_OK;
}

static sup_status read_convex(sup_scene *scene, sup_node *node, sup_shape *shape) {
  sup_section section;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "convex", "vertices", "file", "scale"));
  sup_node *vertices = sup_section_find(&section, "vertices"), *file = sup_section_find(&section, "file");
  sup_node *scale = sup_section_find(&section, "scale");
  if ((vertices != NULL) + (file != NULL) != 1)
    return SUP_FAIL_AT(
        node->place, "convex needs 'file: part.obj' (or .stl) or 'vertices: [[0, 0, 0], [1 cm, 0, 0], ...]'; found %s",
        file ? "both" : "neither");
  if (scale && vertices)
    return SUP_FAIL_AT(scale->key_place, "scale belongs to a file; vertices are lengths with their own units");
  if (file)
    SUP_TRY(read_file(scene, &section, file, shape));
  else
    SUP_TRY(read_vertices(vertices, shape));
  return SUP_OK;
}

/** `mesh: {file, scale}`: the surface as it is, or cells and theirs. */
static sup_status read_mesh(sup_scene *scene, sup_node *node, sup_shape *shape) {
  sup_section section;
  sup_node   *file;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "mesh", "file", "scale"));
  SUP_TRY(sup_section_need(&section, "file", "part.obj", &file));
  SUP_TRY(read_file(scene, &section, file, shape));
  return SUP_OK;
}

sup_status sup_node_shape(sup_scene *scene, sup_node *node, const char *name, sup_shape *shape) {
  static const sup_shape_type types[] = {SUP_SHAPE_BOX,     SUP_SHAPE_CYLINDER,  SUP_SHAPE_SPHERE,
                                         SUP_SHAPE_CAPSULE, SUP_SHAPE_ELLIPSOID, SUP_SHAPE_CONVEX,
                                         SUP_SHAPE_MESH,    SUP_SHAPE_HALF_SPACE};
  sup_section                 section;
  int                         choice;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, name, "box", "cylinder", "sphere", "capsule", "ellipsoid", "convex", "mesh",
                           "half_space"));
  SUP_TRY(sup_section_choice(&section, &choice));
  *shape = (sup_shape){.type = types[choice]};
  sup_node *child = node->child;
  switch (shape->type) {
    case SUP_SHAPE_BOX:
      SUP_TRY(read_box(child, shape));
      break;
    case SUP_SHAPE_CYLINDER:
    case SUP_SHAPE_CAPSULE:
      SUP_TRY(read_round(child, child->key, 1, shape));
      break;
    case SUP_SHAPE_SPHERE:
      SUP_TRY(read_round(child, child->key, 0, shape));
      break;
    case SUP_SHAPE_ELLIPSOID:
      SUP_TRY(read_ellipsoid(child, shape));
      break;
    case SUP_SHAPE_CONVEX:
      SUP_TRY(read_convex(scene, child, shape));
      break;
    case SUP_SHAPE_MESH:
      SUP_TRY(read_mesh(scene, child, shape));
      break;
    case SUP_SHAPE_HALF_SPACE:
      SUP_TRY(sup_node_check_mapping(child, "half_space"));
      if (child->child)
        return SUP_FAIL_AT(child->child->key_place,
                           "half_space: {} has no keys; it fills z <= 0 of the body's pose, found '%.60s'",
                           child->child->key);
      break;
  }
  return SUP_OK;
}
