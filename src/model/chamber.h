/** Chambers: closed volumes behind walls of soft bodies (THEORY 4.9).  Layer model.
 *
 *  The volume is a function of the vertices alone.  A fill is a law of the volume, p = -dPi/dV. */
#pragma once

#include "model/inputs.h"

/** Law of the fill at one time. */
typedef struct sup_chamber_law {
  sup_chamber_fill fill;
  double           pressure;          /* given pressure over ambient [Pa] */
  double           volume, stiffness; /* given volume [m^3], bulk modulus over it [Pa/m^3] */
  double           content;           /* gas: P V^exponent [Pa m^(3 exponent)] */
  double           exponent, ambient; /* [-], [Pa] */
} sup_chamber_law;

/** Law of chamber i at time t [s].
 *  @param[in] load  share of constant fills, 0 to 1 in load steps */
sup_chamber_law sup_chamber_law_at(const sup_model *model, const sup_inputs *inputs, int i,
                                   double t, double load);
/** Flow through the inlets in a time h [s] up to t [s], at constant volumes: exact for each inlet,
 * one after another (THEORY 4.9).
 *  @param[in]     volume    [num_chambers] [m^3]
 *  @param[in,out] pressure  [num_chambers] over ambient [Pa] */
void sup_chambers_flow(const sup_model *model, const sup_inputs *inputs, double t, double h,
                       const double *volume, double *pressure);
/** Pressure over ambient at a volume [Pa], and -dp/dV [Pa/m^3]. */
double sup_chamber_pressure(const sup_chamber_law *law, double volume);
double sup_chamber_stiffness(const sup_chamber_law *law, double volume);
/** Energy at `volume` less that at `from` [J], - int p dV; gas without volume: infinite. */
double sup_chamber_energy_between(const sup_chamber_law *law, double from, double volume);
/** Energy of gas or liquid at a pressure over ambient [Pa], less that at ambient [J]; given
 * pressure: 0. */
double sup_chamber_energy(const sup_chamber *chamber, double volume, double pressure);

/** Share of wall w in the volume [m^3], and g [num_vertices of its body x 3] += minus its gradient,
 * areas along the outward normals of the body [m^2].
 *  @param[in] x  [num_vertices of its body x 3] */
double sup_chamber_wall_volume(const sup_chamber *chamber, int w, const double *x, double *g);
/** Volume at the vertices x [num_vertices of the model x 3]; overwrites scratch [num_vertices of
 * the model x 3]. */
double sup_chamber_volume(const sup_chamber *chamber, const sup_model *model, const double *x,
                          double *scratch);
/** Index of a chamber by name; SUP_NONE: none. */
int sup_model_find_chamber(const sup_model *model, const char *name);
/** Energy of all chambers at their pressures [num_chambers] and the vertices x [J]; x, scratch as
 * of sup_chamber_volume. */
double sup_model_chamber_energy(const sup_model *model, const double *pressure, const double *x,
                                double *scratch);
