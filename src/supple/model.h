/** The constant model: made of definitions, shared by any number of simulations. */
#pragma once

#include "supple/cable.h"
#include "supple/chamber.h"
#include "supple/constraint.h"
#include "supple/robot.h"
#include "supple/soft.h"
#include "supple/task.h"
#include "supple/tie.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sup_model_def {
  sup_contact_rules            contact;
  int                          num_trees;
  sup_tree_def                *trees;
  int                          num_softs;
  sup_soft_def                *softs;
  int                          num_actuators;
  sup_actuator_def            *actuators;
  int                          num_springs;
  sup_spring_def              *springs;
  int                          num_loads;
  sup_load_def                *loads;
  int                          num_chambers;
  sup_chamber_def             *chambers;
  int                          num_cables;
  sup_cable_def               *cables;
  int                          num_constraints;
  sup_constraint_def          *constraints;
  int                          num_ties;
  sup_tie_def                 *ties;
  int                          num_tasks;
  sup_task_def                *tasks;
  int                          num_pairs;
  sup_pair_def                *pairs;
  const struct sup_collective *ranks;  /* processes that share the cells; NULL: this one alone */
  int                          marker; /* SUP_INITIALISED */
} sup_model_def;
#define SUP_DEFAULT_MODEL_DEF \
  { .marker = SUP_INITIALISED, .contact = SUP_DEFAULT_CONTACT_RULES }

SUP_API sup_model_def sup_default_model_def(void); /* nothing in it */

typedef struct sup_model   sup_model;   /* constant after creation */
typedef struct sup_options sup_options; /* of a run: options.h */

/** Build a constant model.  E_ARG, E_GEOMETRY with the name of the offending part. */
SUP_API SUP_NODISCARD sup_status sup_model_create(sup_model **model, const sup_model_def *def);
SUP_API void                     sup_model_destroy(sup_model **model);

/** Options that a run with the model may have.  E_ARG says which one may not. */
SUP_API SUP_NODISCARD sup_status sup_options_check(const sup_options *options,
                                                   const sup_model   *model);

#ifdef __cplusplus
}
#endif
