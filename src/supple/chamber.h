/** Definitions of chambers: volumes that the walls of soft bodies enclose. */
#pragma once

#include "supple/soft.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Contents of a chamber. */
typedef enum sup_chamber_fill {
  SUP_CHAMBER_PRESSURE, /* a given pressure */
  SUP_CHAMBER_VOLUME,   /* a given volume of liquid */
  SUP_CHAMBER_GAS       /* a given amount of an ideal gas */
} sup_chamber_fill;

/** Part of a soft body's surface that bounds a chamber. */
typedef struct sup_chamber_wall_def {
  char       body[SUP_NAME_MAX];
  int        has_region; /* 0: the closed inner surfaces of the body */
  sup_region region;
} sup_chamber_wall_def;

/** A closed volume.  Rims of its walls are closed where they ride on a link, are held, or slide in
 * a plane. */
typedef struct sup_chamber_def {
  char                  name[SUP_NAME_MAX];
  int                   num_walls;
  sup_chamber_wall_def *walls;
  sup_chamber_fill      fill;
  double    pressure; /* over ambient: given, or of the gas at time 0 and the volume then [Pa] */
  double    volume;   /* given [m^3] */
  int       is_added; /* 1: `volume` comes on top of the volume at time 0 */
  double    bulk_modulus; /* of the liquid [Pa] */
  double    exponent;     /* adiabatic exponent of the gas; 1: isothermal */
  double    ambient;      /* pressure outside [Pa] */
  sup_table schedule; /* over time, width 1: pressure [Pa], volume [m^3], or the amount of gas over
                         that at time 0; empty: constant */
  int marker;         /* SUP_INITIALISED */
} sup_chamber_def;
#define SUP_DEFAULT_CHAMBER_DEF \
  { .marker = SUP_INITIALISED, .bulk_modulus = 2.2e9, .exponent = 1, .ambient = 101325 }

SUP_API sup_chamber_def sup_default_chamber_def(void);

#ifdef __cplusplus
}
#endif
