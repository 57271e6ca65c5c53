/* Pairs that need not agree, and those that do not yet. */
#include "mesh/mesh.h"
#include "meta_scene.h"

static int any_material(const meta_scene *s, int (*is)(const sup_material_def *m)) {
  for (int i = 0; i < s->def.num_softs; i++)
    if (is(&s->soft[i].material)) return 1;
  return 0;
}
static int is_linear(const sup_material_def *m) { return m->model == SUP_MATERIAL_LINEAR; }
static int is_braked(const sup_material_def *m) { return m->mass_damping > 0; }

static int has_triangles(const meta_scene *s) {
  for (int i = 0; i < s->def.num_softs; i++)
    if (s->mesh[i]->type != SUP_CELL_H8) return 1;
  return 0;
}

/** Whose shape has a field of one of these types, as bits. */
static int has_field(const meta_scene *s, unsigned types) {
  for (int t = 0; t < s->def.num_trees; t++)
    for (int l = 0; l < s->tree[t].num_links; l++)
      for (int g = 0; g < s->tree[t].links[l].num_geometries; g++) {
        const sup_geometry_def *geometry = &s->tree[t].links[l].geometries[g];
        if (geometry->contact.modulus > 0 && types >> geometry->shape.type & 1) return 1;
      }
  return 0;
}

static const char *by_definition(const meta_scene *s, meta_change change) {
  int turns = change == META_TURN || change == META_MIRROR;
  if (turns && any_material(s, is_linear)) return "small strains know their frame";
  if (change == META_BOOST && any_material(s, is_braked)) return "mass damping brakes in the world";
  return NULL;
}

const char *meta_left_out(const meta_scene *s, meta_change change) {
  static const unsigned mesh = 1u << SUP_SHAPE_MESH,
                        flat = 1u << SUP_SHAPE_MESH | 1u << SUP_SHAPE_BOX | 1u << SUP_SHAPE_CONVEX;
  int is_soft = s->role > META_MIXED, two = s->role == META_SOFT_SOFT || s->role == META_SELF;
  if (change == META_UNITS) return "to come";
  if (change == META_ORDER && s->options.stick == SUP_STICK_ELASTIC)
    return "anchors go by the order of bodies";
  if (change == META_ORDER && s->role == META_SOFT_SOFT)
    return "pieces of two soft surfaces go by which is first";
  if (change == META_VERTEX_ORDER && is_soft)
    return "pieces of soft surfaces go by the order of vertices";
  if (change == META_MIRROR && is_soft && (two || has_triangles(s)))
    return "pieces of soft faces go by their first corner, which is another one in the mirror";
  if (change == META_MIRROR && has_field(s, flat))
    return "diagonals of prisms over faces of a field are not mirrored";
  if (change == META_VERTEX_ORDER && has_field(s, mesh))
    return "diagonals of prisms over faces of a field go by the order of vertices";
  return by_definition(s, change);
}
