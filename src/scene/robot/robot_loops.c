#include "scene/robot/robot_loops.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "scene/numerics.h"
#include "tree/joint.h"

/** Frame of a link, ROBOT/LINK, in the robot's base. */
static sup_frame frame_of(const sup_tree_def *tree, const char *name) {
  sup_frame X = sup_frame_identity();
  int       l = tree->num_links - 1;
  while (l > 0 && strcmp(tree->links[l].name, strchr(name, '/') + 1) != 0) l--;
  for (; l != SUP_NONE; l = tree->links[l].parent) {
    const sup_link_def *d = &tree->links[l];
    sup_tree_link       link = {.joint = d->joint,
                                .axis = sup_v3_unit(sup_v3_load(d->axis)),
                                .X_PJ = sup_frame_from_pose(&d->X_PJ)};
    sup_frame           X_PL = sup_joint_frame(&link, d->q0 + (d->joint == SUP_JOINT_BALL ? 3 : 0));
    X = sup_frame_mul(&X_PL, &X);
  }
  return X;
}

void sup_robot_find_loops(const sup_model_def *model, int first, const sup_tree_def *tree,
                          sup_frame *X_AB) {
  for (int i = first; i < model->num_constraints; i++) {
    sup_frame a = frame_of(tree, model->constraints[i].a),
              b = frame_of(tree, model->constraints[i].b);
    X_AB[i - first] = (sup_frame){sup_m3_mul(sup_m3_transpose(a.R), b.R),
                                  sup_m3_apply_t(a.R, sup_v3_sub(b.p, a.p))};
  }
}

void sup_robot_warn_of_loops(const sup_model_def *model, int first, const sup_frame *before,
                             const sup_frame *now, sup_source_position joints) {
  double gap = 0;
  int    worst = SUP_NONE;
  char   where[SUP_SOURCE_POSITION_SIZE];
  for (int i = first; i < model->num_constraints; i++) {
    sup_v3 p = sup_v3_load(model->constraints[i].point_b);
    double off = sup_v3_norm(
        sup_v3_sub(sup_frame_apply(&before[i - first], p), sup_frame_apply(&now[i - first], p)));
    double size = sup_v3_norm(p) + sup_v3_norm(before[i - first].p);
    if (off > gap && off > sup_scene_numerics.loop_gap * size) gap = off, worst = i;
  }
  if (worst == SUP_NONE) return;
  sup_log(SUP_LOG_WARNING,
          "%s: these joints open the loop of the constraint '%s' by %.4g mm; it holds its ends "
          "where they stand, another mechanism than the file's. Leave them out and move there by "
          "drives, or give all joints of the loop, balls and free bodies too, so that it closes",
          sup_source_position_text(joints, where), model->constraints[worst].name, 1e3 * gap);
}
