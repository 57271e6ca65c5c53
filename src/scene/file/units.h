/** Numbers with units: "2 mm", "12 MPa", "30 deg", "1.0e+4 N/m", "5".  Layer scene.
 *
 *  A unit is a product of known symbols: factors separated by a blank, * or /, each with an
 * optional ^ and a whole exponent ("kg/m^3", "N m", "1/s").  A number without unit is in SI and
 * radians. */
#pragma once

#include "base/status.h"

/** Physical dimension of a number. */
typedef enum sup_dimension {
  SUP_DIM_NUMBER,
  SUP_DIM_LENGTH,
  SUP_DIM_TIME,
  SUP_DIM_MASS,
  SUP_DIM_ANGLE,
  SUP_DIM_FORCE,
  SUP_DIM_TORQUE,
  SUP_DIM_PRESSURE,
  SUP_DIM_DENSITY,
  SUP_DIM_VELOCITY,
  SUP_DIM_ANGULAR_VELOCITY,
  SUP_DIM_ACCELERATION,
  SUP_DIM_RATE,               /* 1/s */
  SUP_DIM_DISSIPATION,        /* s/m */
  SUP_DIM_CONTACT_STIFFNESS,  /* Pa/m */
  SUP_DIM_STIFFNESS,          /* N/m */
  SUP_DIM_DAMPING,            /* N s/m */
  SUP_DIM_ROTATION_STIFFNESS, /* N m/rad */
  SUP_DIM_ROTATION_DAMPING,   /* N m s/rad */
  SUP_DIM_ENERGY,             /* J */
  SUP_DIM_INERTIA,            /* kg m^2 */
  SUP_DIM_VOLUME,             /* m^3 */
  SUP_DIM_CONDUCTANCE,        /* m^3/s */
  SUP_NUM_DIMENSIONS
} sup_dimension;

/** "a length", "a number without unit" */
const char *sup_dimension_name(sup_dimension dimension);
/** Example of a number of the dimension: "2 mm" */
const char *sup_dimension_example(sup_dimension dimension);
/** SI unit of the dimension: "N m/rad", "-" for a number without unit */
const char *sup_dimension_unit(sup_dimension dimension);

enum { SUP_UNIT_WORD_SIZE = 32 };

typedef enum sup_quantity_result {
  SUP_QUANTITY_OK,
  SUP_QUANTITY_NO_NUMBER,    /* the text does not begin with a finite number */
  SUP_QUANTITY_UNKNOWN_UNIT, /* `word` names the symbol */
  SUP_QUANTITY_OTHER_DIMENSION
} sup_quantity_result;

/** Read `text` as a number of the given dimension, in SI.
 *  @param[out] word       the unknown symbol, or the whole unit when its dimension is another
 *  @param[out] found      that other dimension's name, "" when it has none */
sup_quantity_result sup_quantity_read(const char *text, sup_dimension dimension, double *value,
                                      char word[SUP_UNIT_WORD_SIZE], const char **found);
/** Name of the i-th unit symbol, NULL after the last; for messages. */
const char *sup_unit_symbol(int i);
