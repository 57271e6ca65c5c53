/* Rooms with a table of numbers that decide, X(room, rows): what `supple help numerics` lists. */
#pragma once

#include "collide/field/numerics.h"
#include "collide/numerics.h"
#include "collide/point/numerics.h"
#include "collide/surface/numerics.h"
#include "constraint/numerics.h"
#include "geom/field/numerics.h"
#include "geom/numerics.h"
#include "measure/numerics.h"
#include "mesh/numerics.h"
#include "profile/numerics.h"
#include "solve/dual/numerics.h"
#include "solve/numerics.h"
#include "solve/stored/numerics.h"
#include "step/control/numerics.h"
#include "step/numerics.h"
#include "step/static/numerics.h"
#include "study/numerics.h"

#define SUP_NUMERICS_ROOMS(X)                \
  X("collide", SUP_COLLIDE_NUMERICS)         \
  X("collide/field", SUP_FIELD_NUMERICS)     \
  X("collide/point", SUP_POINT_NUMERICS)     \
  X("collide/surface", SUP_SURFACE_NUMERICS) \
  X("constraint", SUP_CONSTRAINT_NUMERICS)   \
  X("geom/field", SUP_GEOM_FIELD_NUMERICS)   \
  X("geom", SUP_GEOM_NUMERICS)               \
  X("measure", SUP_MEASURE_NUMERICS)         \
  X("mesh", SUP_MESH_NUMERICS)               \
  X("profile", SUP_PROFILE_NUMERICS)         \
  X("study", SUP_STUDY_NUMERICS)             \
  X("solve", SUP_SOLVE_NUMERICS)             \
  X("solve/dual", SUP_DUAL_NUMERICS)         \
  X("solve/stored", SUP_STORED_NUMERICS)     \
  X("step", SUP_STEP_NUMERICS)               \
  X("step/control", SUP_CONTROL_NUMERICS)    \
  X("step/static", SUP_STATIC_NUMERICS)
