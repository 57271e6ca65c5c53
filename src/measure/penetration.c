#include "measure/penetration.h"

sup_status sup_penetration_begin(sup_penetration *p, const sup_model *model) {
  *p = (sup_penetration){.rigid_body = {SUP_NONE, SUP_NONE}};
  SUP_TRY(sup_overlaps_create(&p->overlaps, model));
  return SUP_OK;
}

void sup_penetration_free(sup_penetration *p) { sup_overlaps_free(&p->overlaps); }

static bool is_compliant(const sup_model *model, int geometry) {
  return model->geometry[geometry].contact.modulus > 0;
}

bool sup_pair_is_rigid(const sup_model *model, const sup_pair *pair) {
  if (pair->geometry_a == SUP_NONE || pair->geometry_b == SUP_NONE) return 0;
  return !is_compliant(model, pair->geometry_a) && !is_compliant(model, pair->geometry_b);
}

/** Budget of measurements, about a hundredth of the cost of steps: number of evaluations for a
 * step, a soft vertex, a tree and a contact, times two. */
static bool can_afford(const sup_penetration *p, long steps, long contacts) {
  enum { A_STEP = 25, A_VERTEX = 1, A_TREE = 10, A_CONTACT = 1 };
  const sup_model *model = p->overlaps.model;
  long             a_step = A_STEP + A_VERTEX * model->num_vertices + A_TREE * model->num_trees;
  return p->measures == 0 || 2 * p->looks <= steps * a_step + A_CONTACT * contacts;
}

sup_status sup_penetration_measure(sup_penetration *p, double t, long steps, long contacts,
                                   const sup_frame *X_WL, const double *x, bool must,
                                   int *measured) {
  const sup_overlaps *o = &p->overlaps;
  *measured = must || can_afford(p, steps, contacts);
  if (!*measured) return SUP_OK;
  SUP_TRY(sup_overlaps_measure(&p->overlaps, X_WL, x));
  for (int k = 0; k < o->num_near; k++) {
    const sup_pair *pair = &o->model->pair[o->near[k]];
    double          depth = o->depth[o->near[k]];
    p->depth_max = sup_max(p->depth_max, depth);
    if (!sup_pair_is_rigid(o->model, pair) || !(depth > p->rigid_depth_max)) continue;
    p->rigid_depth_max = depth, p->rigid_time = t;
    p->rigid_body[0] = pair->a, p->rigid_body[1] = pair->b;
  }
  p->measures++;
  p->looks += o->evaluations;
  return SUP_OK;
}
