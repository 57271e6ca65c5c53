/** Record of load steps: the values about which their equations are linear.  Layer adjoint. */
#pragma once

#include "adjoint/observer.h"
#include "collide/origin.h"
#include "step/equations.h"
#include "step/static/static_equations.h"

/** Observer of the steps of a run of motion. */
typedef struct sup_motion_watch {
  sup_status (*step)(void *user, const sup_state *state, const sup_step_result *result,
                     const sup_step_report *report);
  void *user;
} sup_motion_watch;

/** Scene whose load steps, or steps, are looked at; all of it outlives the path. */
typedef struct sup_load_scene {
  const sup_model          *model;
  const sup_options        *options;
  const sup_static_options *statics;
  const sup_column_def     *def;
  const sup_state          *start;
  sup_stepper              *stepper;
  double                    end; /* of a run of motion [s] */
  double every[2];               /* between its rows, and between its frames, which have rows [s] */
  const sup_motion_watch *watch; /* of a run of motion; NULL: none */
} sup_load_scene;

/** Load step, or step of motion. */
typedef struct sup_load_record {
  double      h;       /* duration [s] */
  sup_state  *before;  /* state at the start */
  sup_origins origins; /* load step: origins of its contacts */
  double *q;  /* [num_scalars] load step: displacements of the layout [m or rad]; motion: velocities
                 [m/s or rad/s], NULL: the step is no function of its start and velocities */
  int    row; /* row of the path at the end; SUP_NONE: none */
  int    all_limits, num_pressing; /* motion: sup_step_decisions.all_limits; pressing contacts */
  double depth;                    /* motion: depth of the deepest contact at the start [m] */
} sup_load_record;

enum { SUP_MOTION_SAMPLES = 16 };

/** Records of a run of motion: the states `before` of all steps with their solutions, or of each
 * `interval`-th step, from which the others are run again. */
typedef struct sup_motion_records {
  double memory;     /* that the process may take [byte] */
  int    interval;   /* 1: all records are kept */
  int    first;      /* record of the first of the steps that were run again; SUP_NONE: none were */
  double back;       /* bytes that the way back is given */
  double whole;      /* bytes of all records */
  double bytes;      /* most that they take at a time */
  int    num_deep;   /* steps with a depth */
  int    num, every; /* samples: each `every`-th of these */
  sup_load_record sample[SUP_MOTION_SAMPLES]; /* [num] with the origins of their contacts */
} sup_motion_records;

typedef struct sup_load_path {
  sup_load_scene     scene;
  int                num_scalars, num_steps;
  int                num_records; /* motion: steps, where num_steps counts rows */
  sup_load_record   *step;        /* [num_records] */
  size_t             capacity;
  sup_motion_records records;
  int                num_columns;
  double    *time;  /* [num_steps + 1] of the rows: the start, then the end of each step [s] */
  double    *value; /* [num_steps + 1][num_columns] */
  size_t     row_capacity, value_capacity;
  sup_state *end; /* of load steps: the state after the last one */
} sup_load_path;

/** True if component a of a body's vertices is an unknown. */
static inline bool sup_load_is_unknown(const sup_soft *soft, int a) {
  return soft->block[a / 3] != SUP_NONE && soft->holder[a] == SUP_NONE;
}
/** Run all load steps of the scene and measure the columns.  E_NOT_CONVERGED as sup_static_step;
 * E_ARG: a saddle or limit load on the way.  Empty on failure. */
SUP_NODISCARD sup_status sup_load_path_run(sup_load_path *path, const sup_load_scene *scene,
                                           const char *const *column, int num_columns);
void                     sup_load_path_free(sup_load_path *path);
/** Append an empty record; *record is valid until the next one. */
SUP_NODISCARD sup_status sup_load_path_append(sup_load_path *path, sup_load_record **record);
/** record->before := copy of a state. */
SUP_NODISCARD sup_status sup_load_record_keep(const sup_load_path *path, sup_load_record *record,
                                              const sup_state *before);
void                     sup_load_record_free(sup_load_record *record);
/** Unknown positions and velocities, time and step number of `state` := those at the record's
 * start. */
void sup_load_record_place(const sup_load_record *record, const sup_model *model, sup_state *state);
/** Equations of load step m of `path` for another scene with equal cells, contacts and unknowns.
 * Unknowns of `state` become those of the record; held vertices and driven bodies stay.  `state`
 * outlives the equations.
 *  @param[in,out] state  of that scene at the start of the load step */
SUP_NODISCARD sup_status sup_load_path_equations(const sup_load_path *path, int m,
                                                 const sup_load_scene *scene, sup_state *state,
                                                 sup_static_equations *equations);
/** E_ARG: the scenes differ in what an adjoint holds fixed: numbers of vertices, faces, bodies,
 * pairs, unknowns. */
SUP_NODISCARD sup_status sup_load_scene_check(const sup_load_scene *a, const sup_load_scene *b);
