/* Rooms with a table of numbers that decide, X(room, rows): what `supple help numerics` lists. */
#pragma once

#include "adjoint/numerics.h"
#include "app/app_numerics.h"
#include "base/base_numerics.h"
#include "collide/field/numerics.h"
#include "collide/numerics.h"
#include "collide/point/numerics.h"
#include "collide/surface/numerics.h"
#include "constraint/numerics.h"
#include "control/numerics.h"
#include "fem/numerics.h"
#include "geom/field/numerics.h"
#include "geom/numerics.h"
#include "la/numerics.h"
#include "la/petsc_numerics.h"
#include "measure/numerics.h"
#include "mesh/numerics.h"
#include "model/numerics.h"
#include "output/numerics.h"
#include "profile/numerics.h"
#include "scene/numerics.h"
#include "simulator/numerics.h"
#include "solve/dual/numerics.h"
#include "solve/newton/numerics.h"
#include "solve/numerics.h"
#include "solve/stored/numerics.h"
#include "step/control/numerics.h"
#include "step/gradient/numerics.h"
#include "step/numerics.h"
#include "step/static/numerics.h"
#include "study/numerics.h"
#include "tree/numerics.h"

#define SUP_NUMERICS_ROOMS(X)                    \
  X("adjoint", SUP_ADJOINT_NUMERICS)             \
  X("app", SUP_APP_NUMERICS)                     \
  X("base", SUP_BASE_NUMERICS)                   \
  X("collide", SUP_COLLIDE_NUMERICS)             \
  X("collide/field", SUP_FIELD_NUMERICS)         \
  X("collide/point", SUP_POINT_NUMERICS)         \
  X("collide/surface", SUP_SURFACE_NUMERICS)     \
  X("constraint", SUP_CONSTRAINT_NUMERICS)       \
  X("control", SUP_ILQR_NUMERICS)                \
  X("fem", SUP_FEM_NUMERICS)                     \
  X("geom", SUP_GEOM_NUMERICS)                   \
  X("geom/field", SUP_GEOM_FIELD_NUMERICS)       \
  X("la", SUP_LA_NUMERICS)                       \
  X("measure", SUP_MEASURE_NUMERICS)             \
  X("mesh", SUP_MESH_NUMERICS)                   \
  X("model", SUP_MODEL_NUMERICS)                 \
  X("output", SUP_OUTPUT_NUMERICS)               \
  X("plugin", SUP_PETSC_NUMERICS)                \
  X("profile", SUP_PROFILE_NUMERICS)             \
  X("scene", SUP_SCENE_NUMERICS)                 \
  X("simulator", SUP_SIMULATOR_NUMERICS)         \
  X("solve", SUP_SOLVE_NUMERICS)                 \
  X("solve/dual", SUP_DUAL_NUMERICS)             \
  X("solve/newton", SUP_NEWTON_NUMERICS)         \
  X("solve/stored", SUP_STORED_NUMERICS)         \
  X("step", SUP_STEP_NUMERICS)                   \
  X("step/control", SUP_CONTROL_NUMERICS)        \
  X("step/gradient", SUP_STEP_GRADIENT_NUMERICS) \
  X("step/static", SUP_STATIC_NUMERICS)          \
  X("study", SUP_STUDY_NUMERICS)                 \
  X("tree", SUP_IK_NUMERICS)
