/* Rigid shapes of a scene. */
#include "base/memory.h"
#include "mesh/format/mesh_file.h"
#include "mesh/format/surface_file.h"
#include "scene/build.h"
#include "scene/hull_file.h"

/* ---- keys ------------------------------------------------------------------------------------ */

#define ROUND(key, member, meaning)                                                         \
  SUP_NUMBER(key, SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_shape, member), "2 cm", meaning, \
             .need = SUP_NEEDED)

static const sup_key box_keys[] = {SUP_VECTOR("size", SUP_DIM_LENGTH, SUP_POSITIVE,
                                              SUP_AT(sup_shape, size), "[1 cm, 2 cm, 3 cm]",
                                              "Full lengths of the edges.", .need = SUP_NEEDED)};
static const sup_key cylinder_keys[] = {ROUND("radius", size[0], "Radius."),
                                        ROUND("length", size[1], "Length along z.")};
static const sup_key sphere_keys[] = {ROUND("radius", size[0], "Radius.")};
static const sup_key capsule_keys[] = {
    ROUND("radius", size[0], "Radius of the cylinder and its round ends."),
    ROUND("length", size[1], "Length of the cylinder along z, without its ends.")};
static const sup_key ellipsoid_keys[] = {SUP_VECTOR("radii", SUP_DIM_LENGTH, SUP_POSITIVE,
                                                    SUP_AT(sup_shape, size), "[1 cm, 2 cm, 3 cm]",
                                                    "Half axes.", .need = SUP_NEEDED)};
#undef ROUND
#define SCALE                                                             \
  SUP_NUMBER("scale", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_BY_CODE, "0.001", \
             "Factor on the coordinates of the file.", .absent = "1")
static const sup_key convex_keys[] = {
    SUP_CUSTOM("vertices", SUP_KEY_LIST, "[[0, 0, 0], [1 cm, 0, 0], [0, 1 cm, 0], [0, 0, 1 cm]]",
               "Points [x, y, z] whose convex hull is the shape.", .dimension = SUP_DIM_LENGTH,
               .absent = "needed, or file"),
    SUP_CUSTOM("file", SUP_KEY_FILE, "part.obj",
               "Surface (.obj, .stl, .ply, .msh) whose convex hull is the shape.",
               .absent = "needed, or vertices"),
    SCALE};
static const sup_key mesh_keys[] = {
    SUP_CUSTOM("file", SUP_KEY_FILE, "part.obj",
               "A closed surface (.obj, .stl, .ply, .msh), or a mesh of "
               "T4 or H8 cells (.vtk, .msh, .inp, .node, .mesh).",
               .need = SUP_NEEDED),
    SCALE};
#undef SCALE

static const sup_schema
    box = SUP_SCHEMA("box", box_keys, "A box about its centre."),
    cylinder = SUP_SCHEMA("cylinder", cylinder_keys, "A cylinder along z about its centre."),
    sphere = SUP_SCHEMA("sphere", sphere_keys, "A sphere about its centre."),
    capsule = SUP_SCHEMA("capsule", capsule_keys,
                         "A cylinder along z with round ends, about its centre."),
    ellipsoid = SUP_SCHEMA("ellipsoid", ellipsoid_keys, "An ellipsoid about its centre."),
    convex = SUP_SCHEMA("convex", convex_keys, "The convex hull of points or of a file."),
    mesh = SUP_SCHEMA("mesh", mesh_keys, "A closed surface as it is, or a body of cells."),
    half_space = {.title = "half_space",
                  .meaning = "What is below z = 0 in the body's frame; it has no keys."};

static const sup_key shape_keys[] = {
    SUP_SECTION("box", box, SUP_BY_CODE, "{size: [1 cm, 2 cm, 3 cm]}", "A box about its centre."),
    SUP_SECTION("cylinder", cylinder, SUP_BY_CODE, "{radius: 2 cm, length: 10 cm}",
                "A cylinder along z about its centre."),
    SUP_SECTION("sphere", sphere, SUP_BY_CODE, "{radius: 2 cm}", "A sphere about its centre."),
    SUP_SECTION("capsule", capsule, SUP_BY_CODE, "{radius: 2 cm, length: 10 cm}",
                "A cylinder along z with round ends, about its centre."),
    SUP_SECTION("ellipsoid", ellipsoid, SUP_BY_CODE, "{radii: [1 cm, 2 cm, 3 cm]}",
                "An ellipsoid about its centre."),
    SUP_SECTION("convex", convex, SUP_BY_CODE,
                "{vertices: [[0, 0, 0], [1 cm, 0, 0], [0, 1 cm, 0], [0, 0, 1 cm]]}",
                "The convex hull of points or of a file."),
    SUP_SECTION("mesh", mesh, SUP_BY_CODE, "{file: part.obj}",
                "A closed surface as it is, which touches convex or compliant bodies; or cells "
                "with a pressure field."),
    SUP_SECTION("half_space", half_space, SUP_BY_CODE, "{}",
                "The half space below z = 0 in the body's frame; the body must be fixed or "
                "have a motion.")};
static const sup_shape_type types[] = {SUP_SHAPE_BOX,     SUP_SHAPE_CYLINDER,  SUP_SHAPE_SPHERE,
                                       SUP_SHAPE_CAPSULE, SUP_SHAPE_ELLIPSOID, SUP_SHAPE_CONVEX,
                                       SUP_SHAPE_MESH,    SUP_SHAPE_HALF_SPACE};
const sup_schema            sup_schema_shape =
    SUP_SCHEMA("shape", shape_keys, "One rigid shape: one of the keys.", .is_choice = 1);

/* ---- convex hulls and meshes ----------------------------------------------------------------- */

static sup_status read_vertices(sup_node *vertices, sup_shape *shape) {
  SUP_FREED double *x = NULL;
  int               count = 0;
  SUP_TRY(sup_node_check_list(vertices, "vertices"));
  SUP_TRY(SUP_CALLOC(x, 3 * (size_t)vertices->num_children));
  for (sup_node *c = vertices->child; c; c = c->next)
    SUP_TRY(sup_node_vector(c, "a vertex", SUP_DIM_LENGTH, SUP_ANY, x + 3 * (ptrdiff_t)count++));
  sup_status status = sup_hull_create(&shape->hull, count, x);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, vertices->place);
  return SUP_OK;
}

/** The polyhedron of a file, of a file of cells these, too. */
static sup_status polyhedron_of_file(sup_shape *shape, const char *path, const double scale[3],
                                     const char *where) {
  if (shape->type == SUP_SHAPE_CONVEX)
    SUP_TRY(sup_hull_of_file(&shape->hull, path, scale, where));
  else if (sup_mesh_is_file_name(path) && !sup_surface_is_all(path))
    SUP_TRY(sup_cells_of_file(&shape->cells, &shape->hull, path, scale, where));
  else
    SUP_TRY(sup_polyhedron_of_file(&shape->hull, path, scale, where));
  return SUP_OK;
}

static sup_status read_file(sup_scene *scene, const sup_section *section, sup_node *file,
                            sup_shape *shape) {
  char        path[4096], where[SUP_SOURCE_POSITION_SIZE];
  const char *input = path;
  double      scale = 1;
  SUP_TRY(sup_read_number(section, "scale", &scale));
  SUP_TRY(sup_node_path(scene, file, "file", path, sizeof path));
  SUP_TRY(sup_scene_add_input(scene, &input));
  const double scales[3] = {scale, scale, scale};
  sup_status   status =
      polyhedron_of_file(shape, input, scales, sup_source_position_text(file->place, where));
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, file->place);
  return SUP_OK;
}

static sup_status read_convex(sup_scene *scene, sup_node *node, sup_shape *shape) {
  sup_section section;
  SUP_TRY(sup_section_open(&section, node, &convex, NULL));
  sup_node *vertices = sup_section_entry(&section, "vertices"),
           *file = sup_section_entry(&section, "file");
  sup_node *scale = sup_section_entry(&section, "scale");
  if ((vertices != NULL) + (file != NULL) != 1)
    return SUP_FAIL_AT(node->place,
                       "convex needs 'file: part.obj' (or .stl) or 'vertices: [[0, 0, 0], [1 cm, "
                       "0, 0], ...]'; found %s",
                       file ? "both" : "neither");
  if (scale && vertices)
    return SUP_FAIL_AT(scale->key_place,
                       "scale belongs to a file; vertices are lengths with their own units");
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
  SUP_TRY(sup_section_open(&section, node, &mesh, NULL));
  SUP_TRY(sup_section_require(&section, "file", &file));
  SUP_TRY(read_file(scene, &section, file, shape));
  return SUP_OK;
}

sup_status sup_node_shape(sup_scene *scene, sup_node *node, const char *name, sup_shape *shape) {
  sup_section section;
  int         choice;
  SUP_TRY(sup_section_open(&section, node, &sup_schema_shape, name));
  SUP_TRY(sup_section_choice(&section, &choice));
  *shape = (sup_shape){.type = types[choice]};
  if (shape->type == SUP_SHAPE_HALF_SPACE && node->child->child)
    return SUP_FAIL_AT(
        node->child->child->key_place,
        "half_space: {} has no keys; it fills z <= 0 of the body's pose, found '%.60s'",
        node->child->child->key);
  if (shape->type == SUP_SHAPE_CONVEX)
    SUP_TRY(read_convex(scene, node->child, shape));
  else if (shape->type == SUP_SHAPE_MESH)
    SUP_TRY(read_mesh(scene, node->child, shape));
  else
    SUP_TRY(sup_section_load(node->child, shape_keys[choice].schema, NULL, shape));
  return SUP_OK;
}
