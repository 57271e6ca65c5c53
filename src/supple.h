/** Supple: soft bodies and articulated robots in contact.
 *
 *  A program fills definitions (or loads them from a scene file), creates a constant sup_model of
 * them, and advances simulations of it.  SI units and radians everywhere.  Quaternions are unit,
 * order (w, x, y, z).  World frame W, link frame L, geometry frame G; X_WL is the pose of L in W;
 * p_WL its origin.
 *
 *  Life cycle: sup_<x>_create(&out, ...) copies what it needs; sup_<x>_destroy(&x) accepts NULL and
 * sets NULL. */
#pragma once

#include "supple/cable.h"
#include "supple/chamber.h"
#include "supple/choices.h"
#include "supple/constraint.h"
#include "supple/contact.h"
#include "supple/control.h"
#include "supple/event.h"
#include "supple/kinematics.h"
#include "supple/log.h"
#include "supple/mesh.h"
#include "supple/model.h"
#include "supple/options.h"
#include "supple/record.h"
#include "supple/report.h"
#include "supple/robot.h"
#include "supple/scene.h"
#include "supple/shape.h"
#include "supple/simulator.h"
#include "supple/soft.h"
#include "supple/state.h"
#include "supple/status.h"
#include "supple/task.h"
#include "supple/tie.h"
