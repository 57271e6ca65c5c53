/** Narrow phase of one pair, and its origins in a search. */
#pragma once

#include "collide/collision.h"
#include "collide/gradient.h"

/** Contacts of pair p with its links turned.  Pairs searched at the poses of the start get none:
 * turning moves these pairs into each other, so that normals may be those of another side, or past
 * each other.
 */
SUP_NODISCARD sup_status sup_collide_turned_pair(sup_contact_list *list, const sup_collision *c,
                                                 sup_collision_workspace *workspace, int p);
/** Contacts of a pair measured by its origins. */
SUP_NODISCARD sup_status sup_collide_measure_pair(sup_contact_list *list, const sup_collision *c,
                                                  sup_collision_workspace *workspace,
                                                  const sup_pair_origins  *from);
/** Add the derivatives of a pair's contacts (gradient.h). */
SUP_NODISCARD sup_status sup_collide_gradient_pair(const sup_collision           *c,
                                                   const sup_collision_workspace *workspace,
                                                   const sup_pair_origins        *from,
                                                   const sup_contact_slopes      *slopes,
                                                   sup_arena *arena, sup_place_slopes *out,
                                                   sup_gradient_lack *lack);
/** 1: the last motion moves a part of the surface into the shape that no other motion does. */
int sup_collide_pair_missed(const sup_collision *c, const sup_collision_workspace *workspace,
                            const sup_pair *pair, unsigned motions);
