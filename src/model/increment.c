#include "model/increment.h"

#include "base/table.h"
#include "solve/solver.h"

static double reference_of(const sup_options *o) {
  return o->accuracy.tolerance > 0 ? o->accuracy.reference_step : o->dt;
}

/** The solvers tamsi and mujoco have friction of their own: sup_options_warn. */
static int has_elastic_sticks(const sup_options *o) {
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

void sup_increment_load(const sup_increment *inc, const sup_table *table, double value[3]) {
  if (inc->motion > 0) {
    sup_table_mean(table, inc->t0, inc->t0 + inc->h, value);
    return;
  }
  sup_table_at(table, inc->t0 + inc->h, value);
  for (int r = 0; r < 3 && table->num_rows == 1; r++) value[r] *= inc->load;
}
