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
  int        has_region; /* 0: closed inner surfaces of the body */
  sup_region region;
} sup_chamber_wall_def;

/** Closed volume.  Rims of its walls ride on a link, are held, or slide in a plane. */
typedef struct sup_chamber_def {
  char                  name[SUP_NAME_MAX];
  int                   num_walls;
  sup_chamber_wall_def *walls;
  sup_chamber_fill      fill;
  double                pressure;     /* over ambient, given, or of gas at time 0 [Pa] */
  double                volume;       /* given volume of liquid [m^3] */
  int                   is_added;     /* 1: `volume` is added to that at time 0 */
  double                bulk_modulus; /* liquid [Pa] */
  double                exponent;     /* adiabatic exponent of gas [-]; 1: isothermal */
  double                ambient;      /* pressure outside [Pa] */
  sup_table schedule; /* width 1: pressure [Pa], volume [m^3] or amount of gas over that at time 0
                         [-]; empty: constant */
  /* inlet of isothermal gas: P V flows in by the conductance times the difference of pressures */
  double    conductance;         /* [m^3/s]; 0: none */
  char      inlet[SUP_NAME_MAX]; /* the chamber it comes from; empty: a source */
  double    source;              /* pressure of the source over ambient [Pa] .. */
  sup_table source_schedule;     /* .. or width 1 [Pa] */
  int       marker;              /* SUP_INITIALISED */
} sup_chamber_def;
#define SUP_DEFAULT_CHAMBER_DEF \
  { .marker = SUP_INITIALISED, .bulk_modulus = 2.2e9, .exponent = 1, .ambient = 101325 }

SUP_API sup_chamber_def sup_default_chamber_def(void);

#ifdef __cplusplus
}
#endif
