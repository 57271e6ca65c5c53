/* Message of a load step that found no equilibrium: place, reason and advice. */
#include <math.h>
#include <stdio.h>

#include "la/vector.h"
#include "step/static/statics.h"

/** Largest residual of a joint of a tree: forces and moments apart. */
static void joint_force(const sup_tree *tree, const double *r, char *text, size_t size) {
  double force = 0, moment = 0;
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    double               part[2] = {0, 0};
    for (int k = 0; k < link->nv; k++)
      part[sup_joint_turns(link, k)] += r[link->v_start + k] * r[link->v_start + k];
    force = fmax(force, sqrt(part[0])), moment = fmax(moment, sqrt(part[1]));
  }
  snprintf(text, size, "%.4g %s", force > 0 ? force : moment, force > 0 ? "N" : "N m");
}

sup_status sup_equilibrium_describe(sup_stepper *s, const double *r, sup_equilibrium *out) {
  const sup_model *model = s->model;
  int              b = out->worst_block;
  SUP_TRY(sup_step_describe_block(&s->start, &s->assembly, s->end.next, b, r, out->place));
  if (b == SUP_NONE) return SUP_OK;
  const sup_body *body = &model->body[model->block_body[b]];
  const double   *at = r + sup_block_first(&s->layout->A_pattern, b);
  if (body->soft == SUP_NONE)
    joint_force(model->tree[body->tree], at, out->force, sizeof out->force);
  else
    snprintf(out->force, sizeof out->force, "%.4g N", sup_norm(at, 3));
  return SUP_OK;
}

/** True if polygons of the soft body's surface are contacts, whose number changes along edges
 * of the other shape (DECISIONS, One contact a vertex). */
static int is_pressed_by_polygons(const sup_stepper *s, int body) {
  int found = 0;
  if (body == SUP_NONE || s->model->body[body].soft == SUP_NONE) return 0;
  for (int i = 0; i < s->contact.list.count && !found; i++) {
    const sup_pair *pair = &s->model->pair[s->contact.list.contact[i].pair];
    found = pair->touch == SUP_TOUCH_SURFACE_DEPTH && (pair->a == body || pair->b == body);
  }
  return found && s->model->contact.soft_surface == SUP_SOFT_SURFACE_POLYGONS;
}

/** Reason of the failure at the worst place, and advice. */
static void explain(const sup_stepper *s, const sup_equilibrium *out, const sup_static_options *o,
                    char *text, size_t size) {
  const sup_model *model = s->model;
  int body = out->worst_block == SUP_NONE ? SUP_NONE : model->block_body[out->worst_block];
  int is_tree = body != SUP_NONE && model->body[body].soft == SUP_NONE;
  if (out->end == SUP_STATIC_FALLS)
    snprintf(text, size,
             "%s is pulled by %s and nothing holds it; give it a %s, or something to touch that is "
             "not far away (`supple run` lets it fall)",
             out->place, out->force, is_tree ? "spring, a drive" : "clamp, a hold");
  else if (out->end == SUP_STATIC_SLIDES)
    snprintf(text, size,
             "%s slides, rolls or falls on, %s on it find no balance; more friction or a %s may "
             "hold it, and `supple run` shows where it goes",
             out->place, out->force, is_tree ? "spring" : "hold");
  else
    snprintf(text, size, "the forces at %s are off by %s, %.2g of their size (tolerance %.2g); %s",
             out->place, out->force, out->error, o->tolerance,
             out->reason == SUP_REASON_NOT_SPD && !is_tree
                 ? "is every part of its mesh connected and held, with a Poisson's ratio below 0.5?"
             : is_pressed_by_polygons(s, body)
                 ? "'contact: {soft_surface: vertices}', more load steps (static.steps) or a finer "
                   "mesh may help"
                 : "more load steps (static.steps) or a finer mesh may help");
}

sup_status sup_equilibrium_not_found(const sup_stepper *s, const sup_state *state,
                                     const sup_static_options *o, double h,
                                     const sup_equilibrium *out) {
  char text[3 * SUP_BLOCK_NAME_SIZE];
  explain(s, out, o, text, sizeof text);
  return SUP_FAIL(SUP_E_NOT_CONVERGED,
                  "no equilibrium between load %.4g and %.4g of 1 was found (load step cut to %.3g "
                  "s): after %d iterations %s",
                  o->end > 0 ? state->time / o->end : 1,
                  o->end > 0 ? (state->time + h) / o->end : 1, h, out->report.linearisations, text);
}
