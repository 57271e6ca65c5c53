/** Chambers: closed volumes behind walls of soft bodies (THEORY 4.9).  Layer model.
 *
 *  The volume is a function of the vertices alone.  What fills a chamber is a law of its volume,
 * p = -dPi/dV; `load` is the share of constant fills in load steps. */
#pragma once

#include "model/model.h"

/** Law of the fill at a time. */
typedef struct sup_chamber_law {
  sup_chamber_fill fill;
  double           pressure;          /* given, over ambient [Pa] */
  double           volume, stiffness; /* given [m^3], bulk modulus over it [Pa/m^3] */
  double           content;           /* gas: P V^exponent */
  double           exponent, ambient;
} sup_chamber_law;

sup_chamber_law sup_chamber_law_at(const sup_chamber *chamber, double t, double load);
/** Pressure over ambient at a volume [Pa], and -dp/dV [Pa/m^3]. */
double sup_chamber_pressure(const sup_chamber_law *law, double volume);
double sup_chamber_stiffness(const sup_chamber_law *law, double volume);
/** Energy at a volume less that at another [J]: - int p dV; infinite without volume. */
double sup_chamber_energy_between(const sup_chamber_law *law, double from, double volume);
/** Energy that gas or liquid stores at a pressure over ambient, above that at ambient pressure [J];
 * of a given pressure 0. */
double sup_chamber_energy(const sup_chamber *chamber, double volume, double pressure);

/** Share of wall w in the volume [m^3], and g [num_vertices of its body x 3] += minus its gradient,
 * areas along the outward normals of the body [m^2].
 *  @param[in] x  [num_vertices of its body x 3] */
double sup_chamber_wall_volume(const sup_chamber *chamber, int w, const double *x, double *g);
/** Volume at the vertices x [num_vertices of the model x 3]; overwrites scratch [num_vertices of
 * the model x 3]. */
double sup_chamber_volume(const sup_chamber *chamber, const sup_model *model, const double *x,
                          double *scratch);
/** Chamber by name; SUP_NONE. */
int sup_model_find_chamber(const sup_model *model, const char *name);
/** Energy of all chambers at their pressures [num_chambers] and the vertices x [J]; scratch as
 * above. */
double sup_model_chamber_energy(const sup_model *model, const double *pressure, const double *x,
                                double *scratch);
