/** Steps of a run of motion as functions of their start, their solution and the scene.  Private to
 * the adjoint of motion. */
#pragma once

#include "adjoint/motion_gradient.h"
#include "adjoint/observer.h"
#include "step/equations.h"

/** Step of the run as a function of its start, its solution and the scene. */
typedef struct sup_motion_place {
  const sup_load_scene *scene;
  sup_observer          observer;
  sup_state            *state; /* at the start */
  sup_step_end          end;
  sup_step_equations    e;
  sup_increment         inc;
  sup_step_decisions    decisions;
  sup_arena            *arena;
  int                   num_pressing; /* number of pressing contacts */
  double               *r;            /* [num_scalars] */
  double               *value;        /* [num_columns] */
} sup_motion_place;

void sup_motion_place_close(sup_motion_place *p);
/** A place at the start of scene s; closed also after an error.  E_ARG: another model. */
SUP_NODISCARD sup_status sup_motion_place_open(sup_motion_place *p, const sup_motion_gradient *g,
                                               const sup_load_scene *s);
/** p->state := that of the record; held vertices and driven bodies of the scene at that time. */
void sup_motion_place_set(sup_motion_place *p, const sup_load_record *record);
/** p->e := equations of the record's step from p->state about v; closed by the caller. */
SUP_NODISCARD sup_status sup_motion_place_begin(sup_motion_place *p, const sup_load_record *record,
                                                const double *v);
/** Residual, end and, if asked for, columns of the record's step with the solution v. */
SUP_NODISCARD sup_status sup_motion_place_evaluate(sup_motion_place      *p,
                                                   const sup_load_record *record, const double *v,
                                                   bool has_columns);

/** Sizes of a state's parts in a vector k: x and xdot each, then q and v of trees. */
size_t sup_motion_size_of_softs(const sup_motion_gradient *g);
size_t sup_motion_size_of_trees(const sup_motion_gradient *g);
/** Weight of a row in objective k; row SUP_NONE: 0. */
double sup_motion_weight(const sup_motion_gradient *g, int k, int row);
/** True if an objective has a row. */
bool sup_motion_has_row(const sup_motion_gradient *g, int row);
/** Parts of a row in objective k: of the path, of a place. */
double sup_motion_own_columns(const sup_motion_gradient *g, int k, int row);
double sup_motion_columns(const sup_motion_gradient *g, int k, const sup_motion_place *p, int row);
/** k . q, v of trees. */
double sup_motion_dot_trees(const sup_motion_gradient *g, const double *k, const sup_state *state);

/** Steps of the path backwards, from the last row with a weight (motion_back.c). */
typedef struct sup_motion_back sup_motion_back;

SUP_NODISCARD sup_status sup_motion_back_create(sup_motion_back **back, sup_motion_gradient *g);
void                     sup_motion_back_destroy(sup_motion_back **back);
/** Adjoints of all objectives in step m, which precedes the step before. */
SUP_NODISCARD sup_status sup_motion_back_step(sup_motion_back *back, int m);
/** E_ARG: contacts touched flush in a step where an objective depends on them. */
SUP_NODISCARD sup_status sup_motion_back_check(const sup_motion_back *back);
