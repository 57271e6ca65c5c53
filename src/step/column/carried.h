/** Ways between two points of bodies as functions of the unknown velocities, for springs and
 * cables. Layer step. */
#pragma once

#include "step/assembly.h"

/** Block column that moves an end. */
typedef struct sup_carried_part {
  int     block, n;
  bool    is_vertex; /* J is diagonal */
  double *J;         /* [3 x n] world Jacobian of the way */
} sup_carried_part;

/** Way from end[0] to end[1] at the poses `within` and the vertices of the step's start. */
struct sup_carried {
  const sup_body_point *end[2];
  int                   num_parts;
  sup_carried_part     *part;      /* [num_parts] */
  int                  *part_of;   /* vertices of both ends, or links; SUP_NONE: none moves it */
  size_t               *at;        /* values of A of pairs of parts, i (i + 1)/2 + j, j <= i */
  sup_v3                base, now; /* velocities by held motions alone, and of the step's start */
  sup_v3                back;      /* way of links from the start to the poses [m] */
};

/** Memory and blocks of A, from the arena. */
SUP_NODISCARD sup_status sup_carried_begin(const sup_step_layout *layout, sup_arena *arena,
                                           const sup_body_point *a, const sup_body_point *b,
                                           sup_carried *d);
/** Jacobians and velocities.
 *  @param[in] all_v  velocities of trees at the time of `within` */
void sup_carried_set(const sup_step_start *s, const sup_assembly *assembly, const double *all_v,
                     sup_carried *d);
/** Velocity of a point of a soft body at the block velocities v [num_scalars]; NULL: by held
 * motions alone. */
sup_v3 sup_carried_soft_velocity(const sup_assembly *assembly, const sup_body_point *at,
                                 const double *v);
/** Velocity of the way at the block velocities v; NULL: by held motions alone. */
sup_v3 sup_carried_velocity(const sup_assembly *assembly, const sup_carried *d, const double *v);
/** to [num_scalars] += J^T a */
void sup_carried_add_transposed(const sup_assembly *assembly, const sup_carried *d, sup_v3 a,
                                double *to);
/** A += J^T W J, W symmetric. */
void sup_carried_add_stiffness(sup_assembly *assembly, const sup_carried *d, const sup_m3 *W);
/** force [num_vertices of the model x 3] += f on the vertices of end 1, -f on those of end 0 [N].
 */
void sup_carried_add_force(const sup_carried *d, sup_v3 f, double *force);
/** Zero the way's blocks of A, but those of trees. */
void sup_carried_clear(sup_assembly *assembly, const sup_carried *d);
