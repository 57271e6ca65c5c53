/* Setting of inputs of the state between steps (model/inputs.h). */
#include <math.h>
#include <string.h>

#include "law/law.h"
#include "model/inputs.h"
#include "simulator/simulator_parts.h"

static const struct {
  const char *name;
  sup_object  object;
  int         may_last;
} inputs[] = {
#define SUP_INPUT_ENTRY(NAME, name, OBJECT, may_last) {#name, SUP_OBJECT_##OBJECT, may_last},
    SUP_INPUT_LIST(SUP_INPUT_ENTRY)
#undef SUP_INPUT_ENTRY
};

sup_object  sup_input_object(sup_input input) { return inputs[input].object; }
const char *sup_input_name(sup_input input) {
  return (int)input >= 0 && input < SUP_NUM_INPUTS ? inputs[input].name : NULL;
}

/** An object that follows a table, and the table that the model has for it; or its constant. */
typedef struct followed {
  sup_driven       what;
  const sup_table *own;
  double           constant; /* where that table is empty */
} followed;

/** The input that acts on a chamber: of gas that flows its source's pressure alone. */
static sup_input input_of_chamber(const sup_chamber *c) {
  if (c->fill == SUP_CHAMBER_PRESSURE || (c->conductance > 0 && c->inlet == SUP_NONE))
    return SUP_SET_PRESSURE;
  if (c->fill == SUP_CHAMBER_VOLUME) return SUP_SET_VOLUME;
  return c->flows ? SUP_NUM_INPUTS : SUP_SET_AMOUNT;
}

static followed follow_chamber(const sup_chamber *c) {
  if (c->flows) return (followed){SUP_DRIVEN_SOURCE, &c->source_schedule, c->source};
  double constant[] = {[SUP_CHAMBER_PRESSURE] = c->pressure,
                       [SUP_CHAMBER_VOLUME] = c->volume,
                       [SUP_CHAMBER_GAS] = 1};
  return (followed){SUP_DRIVEN_CHAMBER, &c->schedule, constant[c->fill]};
}

static followed follow_cable(const sup_cable *c) {
  return (followed){SUP_DRIVEN_CABLE, &c->schedule,
                    c->drive == SUP_CABLE_TENSION ? c->tension : c->length};
}

static followed find_followed(const sup_model *model, sup_input input, int handle) {
  switch (input) {
    case SUP_SET_TARGET:
      return (followed){SUP_DRIVEN_TARGET, &model->actuator[handle].target, 0};
    case SUP_SET_BASE:
      return (followed){SUP_DRIVEN_BASE, &model->tree[handle]->motion, 0};
    case SUP_SET_FORCE:
      return (followed){SUP_DRIVEN_FORCE, &model->load[handle].force, 0};
    case SUP_SET_TORQUE:
      return (followed){SUP_DRIVEN_TORQUE, &model->load[handle].torque, 0};
    case SUP_SET_PRESSURE:
    case SUP_SET_VOLUME:
    case SUP_SET_AMOUNT:
      return follow_chamber(&model->chamber[handle]);
    case SUP_SET_TENSION:
    case SUP_SET_LENGTH:
      return follow_cable(&model->cable[handle]);
    default:
      break;
  }
  for (const sup_soft *soft = model->soft;; soft++) {
    int hold = handle - soft->first_dirichlet, traction = handle - soft->first_traction;
    if (input == SUP_SET_HOLD && hold < soft->num_dirichlet)
      return (followed){SUP_DRIVEN_HOLD, &soft->dirichlet[hold].motion, 0};
    if (input == SUP_SET_TRACTION && traction < soft->num_tractions)
      return (followed){SUP_DRIVEN_TRACTION, &soft->traction[traction].scale, 1};
  }
}

/** Numbers that an input takes. */
static int count_of(const sup_simulator *s, sup_input input, int handle) {
  int tree, link;
  switch (input) {
    case SUP_SET_EFFORT:
      sup_simulator_link(s, handle, &tree, &link);
      return s->model->tree[tree]->links[link].nv;
    case SUP_SET_WRENCH:
      return 6;
    case SUP_SET_VERTEX_FORCE:
      return 3 * s->model->soft[handle].num_vertices;
    case SUP_SET_GRAVITY:
      return 3;
    case SUP_SET_LIMIT:
      return 1;
    case SUP_SET_FRICTION:
    case SUP_SET_GAINS:
      return 2;
    default:
      return sup_driven_width(find_followed(s->model, input, handle).what);
  }
}

/** Contacts of models whose cone opens with sliding act as far away as the coefficient says, and
 * the model looks for them as far as that of its definition (model/build/pairs.c). */
static sup_status check_friction(const sup_simulator *s, int pair, const double mu[2]) {
  if (!(mu[0] >= 0 && mu[1] >= 0))
    return SUP_FAIL(SUP_E_ARG, "friction: the coefficients are %g and %g; none may be negative",
                    mu[0], mu[1]);
  double raised = sup_max(mu[0], mu[1]);
  for (int p = 0; p < s->model->num_pairs; p++) {
    const sup_pair *q = &s->model->pair[p];
    int             opens = sup_law_table(sup_contact_model_law(q->model))->opens;
    if (s->obs.body_pair[p] == pair && opens && raised > sup_friction_most(&q->friction))
      return SUP_FAIL(SUP_E_ARG,
                      "friction: the coefficient %g is above the definition's %g, which sets the "
                      "search distance of the models sap and similar; define the pair with the "
                      "largest coefficient, or use the model lagged or coupled",
                      raised, sup_friction_most(&q->friction));
  }
  return SUP_OK;
}

/** Check that a chamber or cable takes this input, and its value. */
static sup_status check_fill(sup_input input, const char *name, sup_input taken, double value,
                             double added, bool may_vanish) {
  if (taken == SUP_NUM_INPUTS)
    return SUP_FAIL(SUP_E_ARG,
                    "%s of '%s': its gas flows between chambers; set the pressure of one whose "
                    "inlet has a source",
                    inputs[input].name, name);
  if (taken != input)
    return SUP_FAIL(SUP_E_ARG, "%s of '%s': its definition gives another quantity; set its %s",
                    inputs[input].name, name, inputs[taken].name);
  if (!(value + added > 0 || (may_vanish && value == 0)))
    return SUP_FAIL(SUP_E_ARG, "%s of '%s': found %g; it must be %s %g", inputs[input].name, name,
                    value, may_vanish ? "at least" : "above", 0 - added);
  return SUP_OK;
}

static sup_status check_chamber(const sup_chamber *c, sup_input input, double value) {
  double added = input == SUP_SET_AMOUNT ? 0 : c->ambient;
  if (input == SUP_SET_VOLUME) added = c->is_added ? c->volume0 : 0;
  return check_fill(input, c->name, input_of_chamber(c), value, added, false);
}

static sup_status check_cable(const sup_cable *c, sup_input input, double value) {
  bool is_tension = c->drive == SUP_CABLE_TENSION;
  return check_fill(input, c->name, is_tension ? SUP_SET_TENSION : SUP_SET_LENGTH, value,
                    !is_tension && c->is_added ? c->length0 : 0, is_tension);
}

/** Check that the input acts on this object. */
static sup_status check_object(const sup_simulator *s, sup_input input, int handle) {
  const sup_model *model = s->model;
  if (input == SUP_SET_WRENCH && model->body[handle].soft != SUP_NONE)
    return SUP_FAIL(SUP_E_ARG, "wrench: '%s' is a soft body; set its vertex_force",
                    model->body[handle].name);
  if (input == SUP_SET_WRENCH && !model->body[handle].movable)
    return SUP_FAIL(SUP_E_ARG, "wrench: '%s' is fixed or moves as prescribed",
                    model->body[handle].name);
  if (input == SUP_SET_BASE && model->tree[handle]->motion.num_rows == 0)
    return SUP_FAIL(
        SUP_E_ARG,
        "base: '%s' has no `motion`; give its definition one (a row at time 0 is enough)",
        model->tree[handle]->name);
  return SUP_OK;
}

static sup_status check_values(const sup_simulator *s, sup_input input, int handle,
                               const double *value, int count, double duration) {
  char name[4 * SUP_NAME_MAX + 2];
  SUP_TRY(check_object(s, input, handle));
  int wanted = count_of(s, input, handle);
  sup_simulator_name(s, inputs[input].object, handle, name, sizeof name);
  if (count != wanted)
    return SUP_FAIL(SUP_E_ARG, "%s of '%s' takes %d number%s; found %d", inputs[input].name, name,
                    wanted, wanted == 1 ? "" : "s", count);
  for (int i = 0; i < count; i++)
    if (!isfinite(value[i]))
      return SUP_FAIL(SUP_E_ARG, "%s of '%s': number %d is not finite", inputs[input].name, name,
                      i);
  if (!(duration >= 0 && isfinite(duration)))
    return SUP_FAIL(SUP_E_ARG, "%s of '%s': the duration is %g s; it must be 0 or more",
                    inputs[input].name, name, duration);
  if (duration > 0 && !inputs[input].may_last)
    return SUP_FAIL(SUP_E_ARG, "%s of '%s' takes no duration; found %g s, expected 0",
                    inputs[input].name, name, duration);
  if (input == SUP_SET_LIMIT && !(value[0] >= 0))
    return SUP_FAIL(SUP_E_ARG, "limit of '%s': found %g; it must be 0 or more", name, value[0]);
  if (input == SUP_SET_GAINS && !(value[0] >= 0 && value[1] >= 0 && value[0] + value[1] > 0))
    return SUP_FAIL(SUP_E_ARG,
                    "gains of '%s': found kp %g, kd %g; none may be negative, and one must be "
                    "above 0",
                    name, value[0], value[1]);
  if (inputs[input].object == SUP_OBJECT_CHAMBER)
    SUP_TRY(check_chamber(&s->model->chamber[handle], input, value[0]));
  if (inputs[input].object == SUP_OBJECT_CABLE)
    SUP_TRY(check_cable(&s->model->cable[handle], input, value[0]));
  if (input == SUP_SET_FRICTION) SUP_TRY(check_friction(s, handle, value));
  return SUP_OK;
}

static void set_friction(const sup_simulator *s, int pair, const double mu[2]) {
  sup_inputs *in = s->state->inputs;
  for (int p = 0; p < s->model->num_pairs; p++)
    if (s->obs.body_pair[p] == pair) in->friction[2 * p] = mu[0], in->friction[2 * p + 1] = mu[1];
}

sup_status sup_simulator_set(sup_simulator *s, sup_input input, int handle, const double *value,
                             int count, double duration) {
  int tree, link;
  if ((int)input < 0 || input >= SUP_NUM_INPUTS)
    return SUP_FAIL(SUP_E_ARG, "there is no input %d: there are %d, from 0 on", (int)input,
                    (int)SUP_NUM_INPUTS);
  SUP_TRY(sup_simulator_check(s, inputs[input].object, handle));
  SUP_TRY(check_values(s, input, handle, value, count, duration));
  SUP_TRY(sup_inputs_need(s->state, s->model));
  sup_inputs *in = s->state->inputs;
  size_t      bytes = (size_t)count * sizeof *value;
  switch (input) {
    case SUP_SET_EFFORT:
      sup_simulator_link(s, handle, &tree, &link);
      if (count) memcpy(in->effort + sup_model_link_v(s->model, tree, link), value, bytes);
      break;
    case SUP_SET_WRENCH:
      memcpy(in->wrench + 6 * (size_t)handle, value, bytes);
      break;
    case SUP_SET_VERTEX_FORCE:
      memcpy(in->vertex_force + 3 * (size_t)s->model->soft[handle].first_vertex, value, bytes);
      break;
    case SUP_SET_LIMIT:
      in->limit[handle] = value[0];
      break;
    case SUP_SET_GAINS:
      memcpy(in->gains + 2 * (size_t)handle, value, bytes);
      break;
    case SUP_SET_GRAVITY:
      memcpy(in->gravity, value, bytes);
      break;
    case SUP_SET_FRICTION:
      set_friction(s, handle, value);
      break;
    default: {
      followed f = find_followed(s->model, input, handle);
      sup_inputs_ramp(in, f.what, handle, f.own, f.constant, s->state->time, s->options.dt, value,
                      duration);
      break;
    }
  }
  return SUP_OK;
}

void sup_simulator_clear(sup_simulator *s) {
  if (s->state->inputs) sup_inputs_clear(s->state->inputs);
}
