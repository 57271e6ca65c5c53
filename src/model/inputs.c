#include "model/inputs.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

int sup_driven_width(sup_driven what) {
  static const int width[SUP_NUM_DRIVEN] = {1, 6, 6, 1, 3, 3, 1, 1, 1};
  return width[what];
}

/** Set the pointers of the arrays into `value`. */
static void set_views(sup_inputs *in, size_t num_pairs, size_t num_v, size_t num_bodies) {
  size_t num_actuators = (size_t)in->start[SUP_DRIVEN_TARGET + 1];
  in->gravity = in->value;
  in->friction = in->gravity + 3;
  in->limit = in->friction + 2 * num_pairs;
  in->gains = in->limit + num_actuators;
  in->effort = in->gains + 2 * num_actuators;
  in->wrench = in->effort + num_v;
  in->vertex_force = in->wrench + 6 * num_bodies;
}

static sup_status allocate(sup_inputs **out, const sup_inputs *sizes, size_t num_pairs,
                           size_t num_v, size_t num_bodies) {
  SUP_OWN(sup_inputs) *in = NULL;
  SUP_TRY(SUP_CALLOC(in, 1));
  *in = *sizes;
  in->ramp = NULL, in->value = NULL;
  SUP_TRY(SUP_CALLOC(in->ramp, in->start[SUP_NUM_DRIVEN]));
  SUP_TRY(SUP_CALLOC(in->value, in->num_values));
  set_views(in, num_pairs, num_v, num_bodies);
  *out = in;
  in = NULL;
  return SUP_OK;
}

sup_status sup_inputs_need(sup_state *state, const sup_model *model) {
  if (!state->inputs) {
    const int count[SUP_NUM_DRIVEN] = {
        model->num_actuators, model->num_trees,    model->num_dirichlet,
        model->num_tractions, model->num_loads,    model->num_loads,
        model->num_chambers,  model->num_chambers, model->num_cables};
    size_t pairs = (size_t)model->num_pairs, bodies = (size_t)model->num_bodies,
           num_v = (size_t)state->num_v;
    sup_inputs sizes = {.is_set = 0};
    for (int w = 0; w < SUP_NUM_DRIVEN; w++) sizes.start[w + 1] = sizes.start[w] + count[w];
    sizes.num_values = 3 + 2 * pairs + 3 * (size_t)model->num_actuators + num_v + 6 * bodies +
                       3 * (size_t)model->num_vertices;
    SUP_TRY(allocate(&state->inputs, &sizes, pairs, num_v, bodies));
    sup_inputs_clear(state->inputs);
  }
  state->inputs->is_set = 1;
  return SUP_OK;
}

void sup_inputs_destroy(sup_inputs **inputs) {
  if (!*inputs) return;
  SUP_FREE_ALL(&(*inputs)->ramp, &(*inputs)->value, inputs);
}

sup_status sup_inputs_copy(sup_inputs **to, const sup_inputs *from) {
  if (!from || !from->is_set) {
    if (*to) sup_inputs_clear(*to);
    return SUP_OK;
  }
  if (!*to)
    SUP_TRY(allocate(to, from, (size_t)(from->limit - from->friction) / 2,
                     (size_t)(from->wrench - from->effort),
                     (size_t)(from->vertex_force - from->wrench) / 6));
  size_t ramps = (size_t)from->start[SUP_NUM_DRIVEN];
  if (ramps) memcpy((*to)->ramp, from->ramp, ramps * sizeof *from->ramp);
  memcpy((*to)->value, from->value, from->num_values * sizeof *from->value);
  (*to)->is_set = 1;
  return SUP_OK;
}

void sup_inputs_clear(sup_inputs *in) {
  memset(in->value, 0, in->num_values * sizeof *in->value);
  for (double *v = in->gravity; v < in->effort; v++) *v = (double)NAN;
  for (int i = 0; i < in->start[SUP_NUM_DRIVEN]; i++) in->ramp[i] = (sup_ramp){.num_rows = 0};
  in->is_set = 0;
}

sup_table sup_inputs_table(const sup_inputs *in, sup_driven what, int i, const sup_table *own) {
  if (!in) return *own;
  sup_ramp *ramp = &in->ramp[in->start[what] + i];
  if (!(ramp->num_rows > 0)) return *own;
  return (sup_table){.num_rows = (int)ramp->num_rows,
                     .width = sup_driven_width(what),
                     .interpolation = (sup_interpolation)ramp->interpolation,
                     .time = ramp->time,
                     .value = ramp->value};
}

void sup_inputs_ramp(sup_inputs *in, sup_driven what, int i, const sup_table *own, double constant,
                     double t, double h, const double *value, double duration) {
  int       width = sup_driven_width(what);
  sup_table before = sup_inputs_table(in, what, i, own);
  sup_ramp  next = {.num_rows = duration > 0 ? 3 : 1,
                    .time = {duration > 0 ? t - h : t, t, t + duration}};
  for (int k = 0; k < 3 * SUP_RAMP_MAX_WIDTH; k++) next.value[k] = constant;
  if (duration > 0) {
    sup_table_at(&before, t - h, next.value);
    sup_table_at(&before, t, next.value + width);
  }
  memcpy(next.value + ((int)next.num_rows - 1) * width, value, (size_t)width * sizeof *value);
  in->ramp[in->start[what] + i] = next;
}

void sup_inputs_path(sup_inputs *in, int a, double t, double duration, int num_rows,
                     sup_interpolation interpolation, const double *rows) {
  sup_ramp *path = &in->ramp[in->start[SUP_DRIVEN_TARGET] + a];
  *path = (sup_ramp){.num_rows = num_rows, .interpolation = interpolation};
  for (int k = 0; k < num_rows; k++)
    path->time[k] = t + duration * k / (num_rows > 1 ? num_rows - 1 : 1), path->value[k] = rows[k];
}

double sup_inputs_limit(const sup_inputs *in, int a, const sup_actuator *own) {
  return in && !isnan(in->limit[a]) ? fmin(in->limit[a], own->effort) : own->effort;
}

sup_actuator sup_inputs_gains(const sup_inputs *in, int a, const sup_actuator *own) {
  sup_actuator out = *own;
  if (in && !isnan(in->gains[2 * a])) out.kp = in->gains[2 * a], out.kd = in->gains[2 * a + 1];
  return out;
}

sup_friction sup_inputs_friction(const sup_inputs *in, const sup_model *model, int p) {
  sup_friction friction = model->pair[p].friction;
  if (!in || isnan(in->friction[2 * p])) return friction;
  friction.mu = in->friction[2 * p], friction.mu_static = in->friction[2 * p + 1];
  return friction;
}
