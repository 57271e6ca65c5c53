/* Parts of a scene that a change leaves alone, and scenes that have no file. */
#include "mesh/mesh.h"
#include "meta_scene.h"

/** Parts of which a change makes another scene by definition go: small strains know their frame,
 * mass damping brakes in the world; files have robots in SI units, and not all that is drawn here.
 */
void meta_fit(meta_scene *s, meta_change change) {
  for (int i = 0; i < s->def.num_softs; i++) {
    sup_soft_def *d = &s->soft[i];
    int           turns = change == META_TURN || change == META_MIRROR;
    if (turns && d->material.model == SUP_MATERIAL_LINEAR)
      d->material.model = SUP_MATERIAL_LINEAR_COROTATIONAL;
    if (change == META_BOOST) d->material.mass_damping = 0;
    if (change == META_UNITS) d->num_dirichlet = d->num_tractions = 0;
  }
  if (change != META_UNITS) return;
  if (!s->tree[s->def.num_trees - 1].is_rigid_body && s->def.num_softs == 0) s->def.num_trees--;
  s->def.num_actuators = s->def.num_loads = s->def.num_springs = 0;
  s->options.contact_solver = SUP_CONTACT_SOLVER_NEWTON;
  if (s->def.contact.normal_law >= SUP_NORMAL_LOG_BARRIER)
    s->def.contact.normal_law = SUP_NORMAL_HUNT_CROSSLEY;
}

const char *meta_left_out(const meta_scene *s, meta_change change) {
  if (change == META_UNITS) return meta_why_no_file(s);
  return NULL;
}
