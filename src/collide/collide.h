/** Contacts from positions: candidates by bounding volumes, then the narrow phase of each pair.
 * Layer collide.
 *
 *  Links with patches are turned by their spin within the step, each about its fixed centre of mass
 * (collide/turned.h), before the search.
 *
 *  Surface x depth (THEORY 15.3): the part of each surface triangle that is inside the rigid shape,
 * or will be at the end of the step at the present velocities, becomes one polygon; the signed
 * depth is linear on the triangle. Points of two rigid shapes: all that can act while the shapes
 * travel no farther than a bound (collide/travel.h). */
#pragma once

#include "base/memory.h"
#include "collide/contact.h"
#include "collide/travel.h"

/** Fill `list` with the contacts of the state (x, xdot of soft vertices, kinematics of links at the
 * step's start), in an order that depends on the model and the positions only.
 *  @param[in] travel  [num_geometries] bounds on the motion of each shape within the step */
SUP_NODISCARD sup_status sup_collide(sup_contact_list *list, const sup_model *model,
                                     const sup_increment *inc, const sup_kinematics *kin,
                                     const double *x, const double *xdot, const sup_travel *travel,
                                     sup_arena *arena);

enum { SUP_MAX_MOTIONS = 8 };

/** Velocities of all bodies by a solution of the step. */
typedef struct sup_motion {
  const sup_v3 *w, *v; /* [num_bodies] of links, as sup_kinematics */
  const double *xdot;  /* [num_vertices x 3] */
} sup_motion;

/** Count the pairs (surface x depth) in which the last motion, the solution with the list, moves a
 * part of a surface without contacts into a shape, deeper than a thousandth of its triangle.  The
 * list has the contacts found with the start velocities; elastic forces, impacts and friction
 * change velocities.
 *  @param[in] motion [num_motions] motions before the last were checked before; kept by the caller
 *  @param[out] num_missed number of pairs; other pairs are searched without the motions */
SUP_NODISCARD sup_status sup_collide_check(sup_contact_list *list, const sup_motion *motion,
                                           int num_motions, sup_arena *arena, int *num_missed);
/** Search again; pairs with missed contacts are also searched with the motions that missed them. */
SUP_NODISCARD sup_status sup_collide_again(sup_contact_list *list, sup_arena *arena);
/** Contacts of origins, in their order.  At the positions and velocities of the search they are its
 * contacts to the bit.  Elsewhere they have the same faces, corners inside, pieces and merges: a
 * piece of fields that has gone has no area, and none is added.  Pairs of round patches and of gaps
 * have no origins: they are searched again.
 *  @param[in] motion motions of the search, NULL if there were none
 *  @param[in,out] out  another list, filled anew, without origins of its own */
SUP_NODISCARD sup_status sup_collide_measure(const sup_origins *origins, const sup_model *model,
                                             const sup_increment *inc, const sup_kinematics *kin,
                                             const double *x, const double *xdot,
                                             const sup_motion *motion, sup_arena *arena,
                                             sup_contact_list *out);
/** 1: contacts [count] of two searches from one state are the same. */
int sup_contacts_are_same(const sup_contact *a, const sup_contact *b, int count);
/** Free the memory of a list; the list is empty afterwards. */
void sup_contact_list_free(sup_contact_list *list);
