#include "scene/robot/robot_loops.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "model/linkage.h"
#include "scene/numerics.h"
#include "tree/joint.h"

enum { SIZE = 7 }; /* of sup_link_def.q0 */

/** Index of a link, ROBOT/LINK. */
static int link_of(const sup_tree_def *tree, const char *name) {
  int l = tree->num_links - 1;
  while (l > 0 && strcmp(tree->links[l].name, strchr(name, '/') + 1) != 0) l--;
  return l;
}

/** Frame of a link, ROBOT/LINK, in the robot's base. */
static sup_frame frame_of(const sup_tree_def *tree, const char *name) {
  sup_frame X = sup_frame_identity();
  for (int l = link_of(tree, name); l != SUP_NONE; l = tree->links[l].parent) {
    const sup_link_def *d = &tree->links[l];
    sup_tree_link       link = {.joint = d->joint,
                                .axis = sup_v3_unit(sup_v3_load(d->axis)),
                                .X_PJ = sup_frame_from_pose(&d->X_PJ)};
    sup_frame           X_PL = sup_joint_frame(&link, d->q0 + (d->joint == SUP_JOINT_BALL ? 3 : 0));
    X = sup_frame_mul(&X_PL, &X);
  }
  return X;
}

/** Frame of the second end of the robot's constraint k past its first. */
static sup_frame frame_between(const sup_robot_loops *loops, const sup_tree_def *tree, int k) {
  const sup_constraint_def *c = &loops->model->constraints[loops->first + k];
  sup_frame                 a = frame_of(tree, c->a), b = frame_of(tree, c->b);
  return (sup_frame){sup_m3_mul(sup_m3_transpose(a.R), b.R),
                     sup_m3_apply_t(a.R, sup_v3_sub(b.p, a.p))};
}

sup_status sup_robot_find_loops(sup_robot_loops *loops, const sup_model_def *model, int first,
                                const sup_tree_def *tree) {
  *loops = (sup_robot_loops){.model = model, .first = first, .num = model->num_constraints - first};
  SUP_TRY(SUP_CALLOC(loops->X_AB, loops->num));
  SUP_TRY(SUP_CALLOC(loops->q0, SIZE * tree->num_links));
  for (int l = 0; l < tree->num_links; l++)
    memcpy(loops->q0 + SIZE * l, tree->links[l].q0, sizeof tree->links[l].q0);
  for (int k = 0; k < loops->num; k++) loops->X_AB[k] = frame_between(loops, tree, k);
  return SUP_OK;
}

void sup_robot_start_at(sup_robot_loops *loops, const double *start, sup_tree_def *tree) {
  memcpy(loops->q0, start, SIZE * (size_t)tree->num_links * sizeof *start);
  for (int l = 0; l < tree->num_links; l++)
    memcpy(tree->links[l].q0, start + SIZE * l, sizeof tree->links[l].q0);
}

void sup_robot_loops_free(sup_robot_loops *loops) { SUP_FREE_ALL(&loops->q0, &loops->X_AB); }

/** Constraint with the largest gap [m] past its frame of the file; SUP_NONE: all are closed. */
static int find_open(const sup_robot_loops *loops, const sup_tree_def *tree, double *gap) {
  int worst = SUP_NONE;
  *gap = 0;
  for (int k = 0; k < loops->num; k++) {
    sup_v3    p = sup_v3_load(loops->model->constraints[loops->first + k].point_b);
    sup_frame now = frame_between(loops, tree, k), before = loops->X_AB[k];
    double    off = sup_v3_norm(sup_v3_sub(sup_frame_apply(&before, p), sup_frame_apply(&now, p)));
    double    size = sup_v3_norm(p) + sup_v3_norm(before.p);
    if (off > *gap && off > sup_scene_numerics.loop_gap * size) *gap = off, worst = k;
  }
  return worst == SUP_NONE ? SUP_NONE : loops->first + worst;
}

void sup_robot_warn_of_loops(const sup_robot_loops *loops, const sup_tree_def *tree,
                             sup_source_position joints) {
  double gap;
  char   where[SUP_SOURCE_POSITION_SIZE];
  int    worst = find_open(loops, tree, &gap);
  if (worst == SUP_NONE) return;
  sup_log(SUP_LOG_WARNING,
          "%s: these joints open the loop of the constraint '%s' by %.4g mm; it holds its ends "
          "where they stand, another mechanism than the file's. Have the others found that close "
          "it ('loops: closed'), or leave them out and move there by drives",
          sup_source_position_text(joints, where), loops->model->constraints[worst].name,
          1e3 * gap);
}

/* ---- closing --------------------------------------------------------------------------------- */

/** The tree with the file's positions, joints that are named to be moved, and the loops. */
static sup_status start_linkage(sup_linkage *out, const sup_robot_loops *loops,
                                const sup_node *joints, const sup_tree_def *def,
                                const sup_tree *tree) {
  *out = (sup_linkage){.num_links = tree->num_links, .link = SUP_NONE, .tree = *tree};
  out->base.X_WB = sup_frame_identity();
  if (loops->num > SUP_IK_MAX_CLOSURES || (1 + loops->num) * tree->nv > SUP_IK_MAX_COLUMNS)
    return SUP_FAIL(SUP_E_ARG, "%d loops and %d joint velocities are too many to be closed",
                    loops->num, tree->nv);
  SUP_TRY(SUP_CALLOC(out->tree.links, tree->num_links)); /* its own, freed with the linkage */
  memcpy(out->tree.links, tree->links, (size_t)tree->num_links * sizeof *tree->links);
  SUP_TRY(SUP_CALLOC(out->q, tree->nq));
  SUP_TRY(SUP_CALLOC(out->may_move, tree->num_links));
  for (int l = 0; l < tree->num_links; l++) {
    const sup_link_def *link = &def->links[l];
    bool is_named = link->joint != SUP_JOINT_FIXED && sup_node_find(joints, link->joint_name);
    bool is_single = sup_joint_is_single(link->joint);
    bool stays = link->joint == SUP_JOINT_FIXED || (is_named && !is_single);
    out->may_move[l] = stays ? SUP_IK_STAYS : is_named ? SUP_IK_MOVES : SUP_IK_FOLLOWS;
    sup_joint_start(&tree->links[l], stays ? link->q0 : loops->q0 + SIZE * l, out->q);
  }
  for (int k = 0; k < loops->num; k++) {
    const sup_constraint_def *c = &loops->model->constraints[loops->first + k];
    sup_frame                 at = {sup_m3_identity(), sup_v3_load(c->point_b)};
    out->closure[out->num_closures++] =
        (sup_ik_closure){{link_of(def, c->a), link_of(def, c->b)},
                         {sup_frame_mul(&loops->X_AB[k], &at), at},
                         c->kind == SUP_CONSTRAINT_WELD ? SUP_IK_POSE : SUP_IK_POSITION,
                         0};
  }
  return SUP_OK;
}

sup_status sup_robot_close_loops(const sup_robot_loops *loops, const sup_node *joints,
                                 sup_tree_def *def) {
  SUP_OWN(sup_tree)         *tree = NULL;
  SUP_OWN_VALUE(sup_linkage) linkage = {0};
  SUP_FREED double          *q = NULL;
  double                     gap;
  if (loops->num == 0)
    return SUP_FAIL_AT(joints->place, "robot '%s': its file has no loop to close", def->name);
  SUP_TRY(sup_tree_create(&tree, def));
  SUP_TRY(start_linkage(&linkage, loops, joints, def, tree));
  SUP_TRY(SUP_CALLOC(q, tree->nq));
  for (int l = 0; l < tree->num_links; l++) sup_joint_start(&tree->links[l], def->links[l].q0, q);
  sup_linkage_close(&linkage, tree->nq, q);
  for (int l = 0; l < tree->num_links; l++) sup_joint_store(&tree->links[l], q, def->links[l].q0);
  int worst = find_open(loops, def, &gap);
  if (worst == SUP_NONE) return SUP_OK;
  return SUP_FAIL_AT(joints->place,
                     "robot '%s': no positions of the joints that are not named here, within "
                     "their limits, close the loop of the constraint '%s'; %.4g mm are left at the "
                     "nearest that were found on the way from the file's own",
                     def->name, loops->model->constraints[worst].name, 1e3 * gap);
}
