/** Overrides of the command line: --set KEY=VALUE.  Layer scene. */
#pragma once

#include "scene/file/node.h"

/** Put VALUE (YAML flow style: "5 ms", "[0, 0, -1.6]", "{radius: 2 cm}") at the dotted path KEY
 * ("time.step", "contact.pairs.0.friction").  A missing last key is added, and so is a missing
 * section on the way, except a body, robot, material, actuator or probe: those must exist.  Whether
 * the keys mean anything shows when the tree is read.
 *  @param[in] argument  "KEY=VALUE"
 *  @param[in] shown     the same with "--set " before it, for messages; outlives the tree */
SUP_NODISCARD sup_status sup_set_apply(sup_node *root, const char *argument, const char *shown);
