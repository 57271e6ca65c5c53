#include "measure/softening.h"

#include "measure/numerics.h"

#include <math.h>
#include <string.h>

static int soft_of(const sup_observation *obs, int body) { return obs->model->body[body].soft; }

/** Add f^2 times the compliances of one contact.  What a field sees edge-on is no depth. */
static void add_depths(sup_softening *s, const sup_model *model, const sup_contact *c, double f) {
  double share = sup_contact_overlap_share(c), layer = 1 / c->stiffness, field = 0; /* [m/N] */
  if (model->pair[c->pair].touch == SUP_TOUCH_SURFACE_FIELD) {
    double C = model->soft[model->body[c->body_a].soft].triangle_stiffness[c->item_a];
    field = fmax(0, 1 / c->slope - 1 / C) / (c->area * c->facing);
    s->layer += f * f * (layer - field), s->field += f * f * share * share * field;
  } else {
    s->layer += f * f * share * share * layer;
  }
}

/** True if the last digits of coordinates make the force. */
static bool is_round_off(const sup_contact *c, double f) {
  return f <= c->stiffness * sup_measure_numerics.force_digits *
                  (sup_v3_norm(c->centroid) + sqrt(c->area));
}

/** Normal force of a contact that presses on a soft body [N]; 0 otherwise. */
static double normal_force(const sup_observation *obs, const sup_contact *c) {
  int    is_soft = soft_of(obs, c->body_a) != SUP_NONE || soft_of(obs, c->body_b) != SUP_NONE;
  double f = is_soft && sup_contact_presses(c) ? sup_v3_dot(c->force, c->normal) : 0;
  return is_round_off(c, f) ? 0 : f;
}

void sup_softening_add(sup_softening *softening, const sup_observation *obs, double *force) {
  const sup_model *model = obs->model;
  memset(force, 0, (size_t)model->num_softs * sizeof *force);
  for (int i = 0; i < obs->num_contacts; i++) {
    const sup_contact *c = &obs->contact[i];
    double             f = normal_force(obs, c);
    int                a = soft_of(obs, c->body_a), b = soft_of(obs, c->body_b);
    if (a != SUP_NONE) force[a] += f;
    if (b != SUP_NONE && b != a) force[b] += f;
  }
  for (int i = 0; i < obs->num_contacts; i++) {
    const sup_contact *c = &obs->contact[i];
    double             f = normal_force(obs, c);
    if (!(f > 0) || sup_pair_has_barrier(&model->pair[c->pair])) continue; /* a gap is no layer */
    sup_softening *s = &softening[obs->body_pair[c->pair]];
    int            a = soft_of(obs, c->body_a), b = soft_of(obs, c->body_b);
    add_depths(s, model, c, f);
    if (a != SUP_NONE) s->own += f * 2 * obs->soft[a].elastic_energy / force[a];
    if (b != SUP_NONE && b != a) s->own += f * 2 * obs->soft[b].elastic_energy / force[b];
  }
}
