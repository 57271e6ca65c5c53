/** Efforts of a tree's dynamics that its drives add to those of their gains.  Layer constraint. */
#pragma once

#include "constraint/body_rows.h"

/** 1: a drive of the tree has a feedforward. */
bool sup_tree_feeds_forward(const sup_model *model, int tree);
/** Soft body whose weight hangs on a link of a tree and nothing else; SUP_NONE: not all of it does.
 */
int sup_soft_carrier(const sup_soft *soft);
/** tau [nv of the tree]: efforts that hold links, springs of joints and
 * carried soft bodies against gravity; of drives with inverse dynamics those that also move the
 * tree along their targets at its velocity.  Loads and contacts are not in it.
 *  @param[in] at  places of links, vertices and joints of all bodies
 *  @param[in] v0  of all trees */
void sup_feed_forward(const sup_model *model, const sup_increment *inc, int tree, sup_placed at,
                      const double *v0, double *tau);
