#include "simulator/watch.h"

#include "simulator/simulator_parts.h"

sup_status sup_simulator_watch_begin(sup_simulator *s, const sup_simulator_watch *watch) {
  if (s->watch)
    return SUP_FAIL(SUP_E_ARG, "the simulator is recorded already; finish that record first");
  SUP_TRY(sup_simulator_arrive(s));
  s->watch = watch;
  return SUP_OK;
}

void               sup_simulator_watch_end(sup_simulator *s) { s->watch = NULL; }
const sup_model   *sup_simulator_model(const sup_simulator *s) { return s->model; }
const sup_options *sup_simulator_options(const sup_simulator *s) { return &s->options; }

sup_status sup_simulator_result(sup_simulator *s, const sup_step_result **result) {
  *result = NULL;
  SUP_TRY(sup_simulator_arrive(s));
  *result = s->result;
  return SUP_OK;
}

const double *sup_simulator_residual(const sup_simulator *s) {
  return s->has_failed ? sup_stepper_residual(s->stepper) : NULL;
}
