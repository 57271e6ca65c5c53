/** Collision data of one step: surfaces, fields, boxes of all bodies at their poses.  Private to
 * layer collide. */
#pragma once

#include "collide/collide.h"
#include "collide/field/field_contact.h"
#include "collide/turned.h"

/** Poses at which a pair is searched; decided by the first search of a step. */
typedef enum sup_pair_poses {
  SUP_POSES_UNDECIDED,
  SUP_POSES_TURNED,
  SUP_POSES_OF_START
} sup_pair_poses;

/** Collision data of bodies at the poses of the start, or turned within the step.  Constant after
 * creation except `seen`, the only data shared by pairs. */
typedef struct sup_collision {
  const sup_model      *model;
  const sup_increment  *inc;
  const sup_kinematics *kin;
  const double         *x, *xdot; /* [num_vertices x 3] of soft bodies */
  const sup_turned
      *turned; /* links turned within the step; NULL: links at the poses of the start */
  struct sup_collision
      *start; /* with turned links: data at the poses of the start; NULL: not needed yet */
  sup_pair_poses   *seen;     /* [num_pairs]; shared by both */
  double            dt, drop; /* step length, and fall distance of a body at rest within the step */
  int               everything; /* 1: search everything (sup_contact_list) */
  const sup_travel *travel;     /* [num_geometries] */
  sup_frame        *X_WG;       /* [num_geometries] */
  double            spin;  /* largest angular speed of a geometry over all motions tried [rad/s] */
  double           *reach; /* [num_geometries] distance within which contacts may act [m] */
  double            largest_reach; /* of all geometries and soft bodies [m] */
  sup_box          *box;           /* [num_items] grown by the reach of the narrow phase */
  sup_moving_surface *soft;        /* [num_softs] */
  sup_moving_field *field;  /* [num_softs] fields of soft bodies that may touch another soft body */
  const sup_motion *motion; /* motions by solutions of the step */
  unsigned char    *missed; /* [num_pairs] bit k: contacts by motion k are searched; NULL: none */
} sup_collision;

/** Workspace of one pair at a time. */
typedef struct sup_collision_workspace {
  sup_field_cell       *cell; /* for the second field of a pair */
  unsigned char        *state;
  sup_search_workspace  a, b;
  int                  *candidate;
  sup_face_workspace    faces;
  sup_surface_workspace surface; /* its faces share memory with the candidates */
} sup_collision_workspace;

/** Create all data but the fields of soft bodies; arguments as of sup_collide.
 *  @param[in] turned  NULL: bodies as they stand
 *  @param[in] travel  NULL: without reaches and boxes, which a search needs */
SUP_NODISCARD sup_status sup_collision_create(sup_collision *c, const sup_model *model,
                                              const sup_increment *inc, const sup_kinematics *kin,
                                              const double *x, const double *xdot,
                                              const sup_turned *turned, const sup_travel *travel,
                                              int everything, sup_arena *arena);
/** c->start := c with links at the poses of the start. */
SUP_NODISCARD sup_status sup_collision_at_start(sup_collision *c, sup_arena *arena);
/** 1: at this distance only the surfaces of two soft bodies are searched, not the fields. */
int sup_collision_is_apart(const sup_collision *c, const sup_pair *pair);
/** Place the fields of soft bodies in these pairs of the model; shells extend as far as two soft
 * bodies may approach within the step. */
SUP_NODISCARD sup_status sup_collision_place_fields(sup_collision *c, const int *candidate,
                                                    int num_candidates, sup_arena *arena);
/** Grow boxes by the reach of another motion; 1: at least one has grown. */
int sup_collision_grow(sup_collision *c, const sup_motion *motion);
/** Allocate a workspace for any pair of the model. */
SUP_NODISCARD sup_status sup_collision_workspace_create(sup_collision_workspace *workspace,
                                                        const sup_model *model, sup_arena *arena);
/** Largest speed of the velocities xdot [num_vertices x 3]. */
double sup_largest_speed(const double *xdot, int num_vertices);
/** Bound on the speed, relative to the velocity `past`, of points fixed to a geometry and at most
 * `outside` [m] away from it; infinite for a turning half space. */
double sup_collision_speed(const sup_geometry *geometry, const sup_v3 *w, const sup_v3 *v,
                           sup_v3 past, double outside);
/** Surface of one body of a pair. */
sup_moving_surface sup_collision_surface(const sup_collision *c, int body, int geometry);
