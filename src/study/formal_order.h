/** Largest order with which errors of a quantity can fall, by element, quantity and time scheme;
 * higher observed orders are not believed.  Layer study. */
#pragma once

#include "study/study.h"

/** Degree of the shape functions of the soft bodies' cells, the lowest of all (T4, H8 1; T10 2); 0
 * without any. */
int sup_degree_of_meshes(const sup_model_def *model);
/** Order of the time scheme: 2 if all trees use midpoint and all soft bodies BDF2, else 1. */
double sup_order_in_time(const sup_model_def *model, const sup_options *options);
/** Share of a quantity by a unit share of yield of the contact layers, with a safety factor: forces
 * and displacements have this share, energies twice as much, as products of both; 0: positions,
 * whose origin is arbitrary, and unknown quantities. */
double sup_layer_factor(const sup_quantity_def *def);
/** @param[in] level  of the ladder, with degree and order in time */
double sup_formal_order(sup_size_kind size, const sup_level *level, const sup_quantity_def *def);
