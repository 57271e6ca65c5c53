#include "model/chamber.h"

#include <math.h>
#include <string.h>

#include "base/table.h"

/* ---- fills ----------------------------------------------------------------------------------- */

/** P V^exponent of gas at time t [s]: amount by the schedule, else pressure by the share `load`. */
static double content_at(const sup_chamber *c, const sup_table *schedule, double t, double load) {
  double amount = 1, all = c->ambient + c->pressure;
  if (schedule->num_rows > 0)
    sup_table_at(schedule, t, &amount);
  else
    all = c->ambient + load * c->pressure;
  return all * pow(amount * c->volume0, c->exponent);
}

sup_chamber_law sup_chamber_law_at(const sup_model *model, const sup_inputs *inputs, int i,
                                   double t, double load) {
  const sup_chamber *c = &model->chamber[i];
  const sup_table    schedule = sup_inputs_table(inputs, SUP_DRIVEN_CHAMBER, i, &c->schedule);
  sup_chamber_law    law = {.fill = c->fill, .exponent = c->exponent, .ambient = c->ambient};
  bool               is_constant = schedule.num_rows == 0;
  if (c->fill == SUP_CHAMBER_PRESSURE) {
    law.pressure = load * c->pressure;
    sup_table_at(&schedule, t, &law.pressure);
  } else if (c->fill == SUP_CHAMBER_VOLUME) {
    law.volume = c->volume;
    sup_table_at(&schedule, t, &law.volume);
    if (c->is_added) law.volume += c->volume0;
    if (is_constant) law.volume = c->volume0 + load * (law.volume - c->volume0);
    law.stiffness = c->bulk_modulus / law.volume;
  } else {
    law.content = content_at(c, &schedule, t, load);
  }
  return law;
}

void sup_chambers_flow(const sup_model *model, const sup_inputs *inputs, double t, double h,
                       const double *volume, double *pressure) {
  for (int i = 0; i < model->num_chambers; i++) {
    const sup_chamber *c = &model->chamber[i];
    int                k = c->inlet;
    double             source = c->source;
    if (!(c->conductance > 0)) continue;
    const sup_table schedule = sup_inputs_table(inputs, SUP_DRIVEN_SOURCE, i, &c->source_schedule);
    sup_table_at(&schedule, t, &source);
    double other = k == SUP_NONE ? 0 : 1 / volume[k], own = 1 / volume[i];
    double drop = (k == SUP_NONE ? source : pressure[k]) - pressure[i];
    double fallen = -drop * expm1(-c->conductance * h * (own + other));
    double share = other / (own + other); /* of the change, that of the other chamber */
    pressure[i] += (1 - share) * fallen;
    if (k != SUP_NONE) pressure[k] -= share * fallen;
  }
}

double sup_chamber_pressure(const sup_chamber_law *law, double volume) {
  if (law->fill == SUP_CHAMBER_PRESSURE) return law->pressure;
  if (law->fill == SUP_CHAMBER_VOLUME) return law->stiffness * (law->volume - volume);
  return law->content * pow(volume, -law->exponent) - law->ambient;
}

double sup_chamber_stiffness(const sup_chamber_law *law, double volume) {
  if (law->fill == SUP_CHAMBER_PRESSURE) return 0;
  if (law->fill == SUP_CHAMBER_VOLUME) return law->stiffness;
  return law->exponent * law->content * pow(volume, -law->exponent - 1);
}

/** Energy of gas between two volumes [J], without cancellation at small changes. */
static double energy_of_gas(const sup_chamber_law *law, double from, double volume) {
  double change = volume - from, grown = log1p(change / from), k = law->exponent - 1;
  if (!(volume > 0)) return HUGE_VAL;
  double work = k > 0 ? -law->content * pow(from, -k) * expm1(-k * grown) / k
                      : law->content * grown; /* work of the absolute pressure */
  return law->ambient * change - work;
}

double sup_chamber_energy_between(const sup_chamber_law *law, double from, double volume) {
  double change = volume - from;
  if (law->fill == SUP_CHAMBER_PRESSURE) return -law->pressure * change;
  if (law->fill == SUP_CHAMBER_VOLUME)
    return law->stiffness * change * (0.5 * (from + volume) - law->volume);
  return energy_of_gas(law, from, volume);
}

double sup_chamber_energy(const sup_chamber *c, double volume, double pressure) {
  if (c->fill == SUP_CHAMBER_PRESSURE) return 0;
  if (c->fill == SUP_CHAMBER_VOLUME) return 0.5 * pressure * pressure * volume / c->bulk_modulus;
  sup_chamber_law law = {.fill = c->fill, .exponent = c->exponent, .ambient = c->ambient};
  double          absolute = c->ambient + pressure;
  law.content = absolute * pow(volume, c->exponent);
  return energy_of_gas(&law, volume * pow(absolute / c->ambient, 1 / c->exponent), volume);
}

/* ---- volumes --------------------------------------------------------------------------------- */

double sup_chamber_wall_volume(const sup_chamber *c, int w, const double *x, double *g) {
  const sup_chamber_wall *wall = &c->wall[w];
  double                  volume = sup_fem_faces_volume(&wall->faces, x, c->centre, g);
  for (int k = 0; k < wall->num_fans; k++)
    volume += sup_fem_fan_volume(wall->fan[k].edge, wall->fan[k].num_edges, x, c->centre, g);
  return -volume;
}

double sup_chamber_volume(const sup_chamber *c, const sup_model *model, const double *x,
                          double *scratch) {
  double volume = 0;
  for (int w = 0; w < c->num_walls; w++)
    volume += sup_chamber_wall_volume(
        c, w, x + 3 * (ptrdiff_t)model->soft[c->wall[w].soft].first_vertex, scratch);
  return volume;
}

int sup_model_find_chamber(const sup_model *model, const char *name) {
  for (int i = 0; i < model->num_chambers; i++)
    if (strcmp(model->chamber[i].name, name) == 0) return i;
  return SUP_NONE;
}

double sup_model_chamber_energy(const sup_model *model, const double *pressure, const double *x,
                                double *scratch) {
  double sum = 0;
  for (int i = 0; i < model->num_chambers; i++)
    sum += sup_chamber_energy(
        &model->chamber[i], sup_chamber_volume(&model->chamber[i], model, x, scratch), pressure[i]);
  return sum;
}
