/* The stiction tolerance of a scene that names none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "geom/shape.h"
#include "scene/build.h"
#include "scene/numerics.h"

/** Half the diagonal of the box about a mesh [m]. */
static double mesh_radius(const sup_mesh *mesh) {
  sup_v3 lower = sup_mesh_vertex(mesh, 0), upper = lower;
  for (int i = 1; i < mesh->num_vertices; i++) {
    sup_v3 x = sup_mesh_vertex(mesh, i);
    lower = sup_v3_make(fmin(lower.x, x.x), fmin(lower.y, x.y), fmin(lower.z, x.z));
    upper = sup_v3_make(fmax(upper.x, x.x), fmax(upper.y, x.y), fmax(upper.z, x.z));
  }
  return 0.5 * sup_v3_norm(sup_v3_sub(upper, lower));
}

double sup_scene_smallest_radius(const sup_model_def *model) {
  double least = HUGE_VAL;
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->trees[t].num_links; l++) {
      const sup_link_def *link = &model->trees[t].links[l];
      for (int g = 0; g < link->num_geometries; g++)
        if (link->geometries[g].shape.type != SUP_SHAPE_HALF_SPACE &&
            !sup_shape_is_point(&link->geometries[g].shape))
          least = fmin(least, sup_shape_radius(&link->geometries[g].shape));
    }
  for (int s = 0; s < model->num_softs; s++) least = fmin(least, mesh_radius(model->softs[s].mesh));
  return least;
}

sup_status sup_scene_write_entry(const sup_section *section, const char *key, const char *unit,
                                 double *value) {
  char      text[64];
  sup_node *node;
  snprintf(text, sizeof text, "%.1e %s", *value, unit);
  *value = strtod(text, NULL); /* resolved.yaml runs alike */
  SUP_TRY(sup_node_create_scalar(&node, text, section->node->place));
  sup_status status = sup_node_set_key(node, key, section->node->place);
  if (status == SUP_OK)
    sup_node_append(section->node, &node);
  else
    sup_node_destroy(&node);
  return status;
}

sup_status sup_scene_choose_stiction(const sup_section *contact, const sup_model_def *model,
                                     sup_options *o) {
  double size = sup_scene_smallest_radius(model);
  if (sup_section_entry(contact, "stiction_tolerance")) return SUP_OK;
  if (!sup_section_entry(contact, "static_slip")) { /* equilibria do not creep */
    double step = o->accuracy.tolerance > 0 ? o->accuracy.reference_step : o->dt;
    o->static_slip = o->stiction_tolerance * step;
    SUP_TRY(sup_scene_write_entry(contact, "static_slip", "m", &o->static_slip));
  }
  if (size > 0 && isfinite(size)) o->stiction_tolerance = sup_scene_numerics.creep * size;
  SUP_TRY(sup_scene_write_entry(contact, "stiction_tolerance", "m/s", &o->stiction_tolerance));
  return SUP_OK;
}
