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

const char *meta_left_out(const meta_scene *s, meta_change change) {
  int turns = change == META_TURN || change == META_MIRROR;
  if (turns && any_material(s, is_linear)) return "small strains know their frame";
  if (change == META_BOOST && any_material(s, is_braked)) return "mass damping brakes in the world";
  if (change == META_UNITS) return "to come";
  if (change == META_ORDER && s->options.stick == SUP_STICK_ELASTIC)
    return "anchors go by the order of bodies";
  if (change == META_VERTEX_ORDER && s->role > META_MIXED)
    return "pieces of soft surfaces go by the order of vertices";
  if (change == META_MIRROR && has_triangles(s)) /* whose first corner is another one there */
    return "pieces of soft triangles go by their first corner";
  return NULL;
}
