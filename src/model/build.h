/** Parts of sup_model_create, in the order in which they run.  Private to layer model. */
#pragma once

#include "model/model.h"

/** Trees, their numbering, link bodies, geometries. */
SUP_NODISCARD sup_status sup_model_build_trees(sup_model *model, const sup_model_def *def);
/** FEM bodies, surfaces, clamps, attachments, loads; block columns. */
SUP_NODISCARD sup_status sup_model_build_softs(sup_model *model, const sup_model_def *def);
SUP_NODISCARD sup_status sup_model_build_springs(sup_model *model, const sup_model_def *def);
SUP_NODISCARD sup_status sup_model_build_loads(sup_model *model, const sup_model_def *def);
/** Block pairs of A: elements of soft bodies, springs between trees. */
SUP_NODISCARD sup_status sup_model_build_pattern(sup_model *model);
SUP_NODISCARD sup_status sup_model_build_actuators(sup_model *model, const sup_model_def *def);
/** Pairs that may touch: filters, roles, combination rules. */
SUP_NODISCARD sup_status sup_model_build_pairs(sup_model *model, const sup_model_def *def);
/** Hierarchy over a surface's triangles at the given points. */
SUP_NODISCARD sup_status sup_model_surface_bvh(sup_bvh **bvh, const sup_surface *surface, const double *points);
