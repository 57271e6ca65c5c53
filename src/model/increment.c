#include "model/increment.h"

#include <math.h>

#include "base/table.h"
#include "solve/solver.h"

static double reference_of(const sup_options *o) {
  return o->accuracy.tolerance > 0 ? o->accuracy.reference_step : o->dt;
}

/** The solvers tamsi and mujoco have friction of their own: sup_options_warn. */
static bool has_elastic_sticks(const sup_options *o) {
  return o->stick == SUP_STICK_ELASTIC &&
         sup_contact_solver_table(o->contact_solver)->accepts(SUP_LAW_ELASTIC_STICK);
}

sup_increment sup_increment_of_motion(const sup_options *o, double t0, long step) {
  return (sup_increment){.t0 = t0,
                         .h = o->dt,
                         .t1 = (double)(step + 1) * o->dt,
                         .motion = 1,
                         .load = 1,
                         .gravity = sup_v3_load(o->gravity),
                         .scheme = o->scheme,
                         .soft_bdf2 = o->soft_bdf2,
                         .stiction_tolerance = o->stiction_tolerance,
                         .is_controlled = o->accuracy.tolerance > 0,
                         .base_at_end = o->accuracy.tolerance > 0 && !(o->scheme.theta > 0),
                         .elastic_stick = has_elastic_sticks(o),
                         .softening = o->softening,
                         .sigma = o->sigma,
                         .beta = o->beta,
                         .reference = reference_of(o),
                         .delassus = o->delassus,
                         .patch_triangles = o->patch_triangles,
                         .patch_at_pressure = o->patch_at_pressure,
                         .patch_thirds = o->patch_thirds};
}

sup_increment sup_increment_of_state(const sup_options *o, const sup_state *state) {
  sup_increment     inc = sup_increment_of_motion(o, state->time, state->step);
  const sup_inputs *in = state->inputs;
  if (!in || !in->is_set) return inc;
  inc.inputs = in;
  if (!isnan(in->gravity[0])) inc.gravity = sup_v3_load(in->gravity);
  return inc;
}

int sup_increment_num_externals(const sup_increment *inc, const sup_model *model) {
  return model->num_loads + (inc->inputs ? model->num_bodies : 0);
}

/** Write the input wrench of body b; 0: none acts. */
static int external_on_body(const sup_increment *inc, const sup_model *model, int b,
                            sup_external *out) {
  const double *wrench = inc->inputs->wrench + 6 * (size_t)b;
  int           acts = 0;
  for (int k = 0; k < 6; k++) acts |= wrench[k] != 0;
  if (!acts || model->body[b].soft != SUP_NONE) return 0;
  *out = (sup_external){.body = b};
  for (int k = 0; k < 3; k++)
    out->force[k] = inc->load * wrench[k], out->torque[k] = inc->load * wrench[3 + k];
  return 1;
}

int sup_increment_external(const sup_increment *inc, const sup_model *model, int i,
                           sup_external *out) {
  if (i >= model->num_loads) return external_on_body(inc, model, i - model->num_loads, out);
  const sup_load *load = &model->load[i];
  sup_table       force = sup_inputs_table(inc->inputs, SUP_DRIVEN_FORCE, i, &load->force),
            torque = sup_inputs_table(inc->inputs, SUP_DRIVEN_TORQUE, i, &load->torque);
  *out = (sup_external){.body = load->at.body,
                        .point = load->at.point,
                        .cell = load->at.num_vertices > 0 ? &load->at : NULL};
  sup_increment_load(inc, &force, out->force);
  sup_increment_load(inc, &torque, out->torque);
  return 1;
}

void sup_increment_load(const sup_increment *inc, const sup_table *table, double value[3]) {
  if (inc->motion > 0) {
    sup_table_mean(table, inc->t0, inc->t0 + inc->h, value);
    return;
  }
  sup_table_at(table, inc->t0 + inc->h, value);
  for (int r = 0; r < 3 && table->num_rows == 1; r++) value[r] *= inc->load;
}
