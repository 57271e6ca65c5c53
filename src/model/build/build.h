/** Parts of sup_model_create, in the order in which they run.  Private to layer model. */
#pragma once

#include "model/kinematics.h"

/** Markers, ranges of members, tables: E_ARG names the first that is not possible. */
SUP_NODISCARD sup_status sup_model_check_definitions(const sup_model_def *def);
/** Trees, their numbering, link bodies, geometries. */
SUP_NODISCARD sup_status sup_model_build_trees(sup_model *model, const sup_model_def *def);
/** FEM bodies, surfaces, clamps, attachments, loads; block columns. */
SUP_NODISCARD sup_status sup_model_build_softs(sup_model *model, const sup_model_def *def);
/** Attachments of one soft body to links, and positions of its vertices at time 0. */
SUP_NODISCARD sup_status sup_model_build_attachments(sup_model *model, sup_soft *soft,
                                                     const sup_soft_def *def);
/** Faces of an attached body that touch its links; after its surface and hierarchy. */
SUP_NODISCARD sup_status sup_model_build_left_out(const sup_model *model, sup_soft *soft,
                                                  const sup_soft_def *def);
/** Root of the chain of fixed joints that ends in `link`; links of one group never touch each
 * other. */
int sup_model_weld_root(const sup_tree *tree, int link);
/** First attachment of the soft body to this link or to one welded to it; SUP_NONE: none. */
int sup_model_carrier(const sup_model *model, const sup_soft *soft, const sup_body *link);
/** Prefix a failure's message with file, line and column of its cause; line 0: file alone; file
 * NULL: no prefix. */
sup_status sup_model_blame(const char *file, int line, int column, sup_status status);
/** Clamps and holds of one soft body, whose attached vertices are known. */
SUP_NODISCARD sup_status sup_model_build_dirichlet(sup_model *model, sup_soft *soft,
                                                   const sup_soft_def *def);
/** Mark the vertices of a region with `value`; E_ARG when it holds none.
 *  @param[in,out] mark  [mesh->num_vertices] */
SUP_NODISCARD sup_status sup_model_select_region(const sup_mesh *mesh, const sup_region *region,
                                                 const char *body, const char *what,
                                                 unsigned char value, unsigned char *mark);
SUP_NODISCARD sup_status sup_model_build_springs(sup_model *model, const sup_model_def *def);
SUP_NODISCARD sup_status sup_model_build_loads(sup_model *model, const sup_model_def *def);
/** Walls and fills of chambers; after bodies, attachments and holds. */
SUP_NODISCARD sup_status sup_model_build_chambers(sup_model *model, const sup_model_def *def);
void                     sup_chamber_free(sup_chamber *chamber);
/** Paths and winches of cables; after attachments. */
SUP_NODISCARD sup_status sup_model_build_cables(sup_model *model, const sup_model_def *def);
/** Line of a rod or rope `of`, whose points are `apart` at time 0 [m]; none of regions that couple
 * too many vertices. */
SUP_NODISCARD sup_status sup_model_add_line(sup_model *model, struct sup_body_constraint *of,
                                            double length, double apart);
void                     sup_cable_free(sup_cable *cable);
/** Bodies, points and joints of constraints, their places at time 0; after attachments and holds.
 */
SUP_NODISCARD sup_status sup_model_build_constraints(sup_model *model, const sup_model_def *def);
void                     sup_constraint_free(struct sup_body_constraint *constraint);
/** Body of this name, SUP_NONE for "world"; E_ARG: there is none. */
SUP_NODISCARD sup_status sup_model_find_side(const sup_model *model, const char *name,
                                             const char *what, int *body);
/** Joint of one coordinate: its tree and places in the tree's q and v; E_ARG: none of this name, or
 * of several. */
SUP_NODISCARD sup_status sup_model_find_axis(const sup_model *model, const char *name,
                                             const char *what, int *tree, int *q, int *v);
/** Vertices x [num_vertices x 3] and kinematics of links at time 0; from the arena. */
SUP_NODISCARD sup_status sup_model_start(const sup_model *model, sup_arena *arena, double **x,
                                         sup_kinematics *kin);
/** Movers of tied vertices; after bodies, before points of bodies are found. */
SUP_NODISCARD sup_status sup_model_build_ties(sup_model *model, const sup_model_def *def);
/** Number the block columns of vertices. */
void sup_model_number_vertices(sup_model *model);
/** Block pairs of A: elements of soft bodies, springs between trees. */
SUP_NODISCARD sup_status sup_model_build_pattern(sup_model *model);
/** Frames, drives and guards of tasks; after actuators. */
SUP_NODISCARD sup_status sup_model_build_tasks(sup_model *model, const sup_model_def *def);
/** E_ARG: a goal out of reach; warns of joints that are too fast; of the complete model. */
SUP_NODISCARD sup_status sup_model_check_tasks(sup_model *model);
void                     sup_task_free(struct sup_task *task);
SUP_NODISCARD sup_status sup_model_build_actuators(sup_model *model, const sup_model_def *def);
/** Pairs that may touch: filters, roles, combination rules. */
SUP_NODISCARD sup_status sup_model_build_pairs(sup_model *model, const sup_model_def *def);
/** Pair definition that overrides the combination rules for two bodies; NULL: none. */
const sup_pair_def *sup_override_find(const sup_model_def *def, const char *a, const char *b);
void                sup_override_apply(sup_pair *pair, const sup_pair_def *override);
/** E_ARG: a pair definition has an entry without effect on any of its pairs of shapes. */
SUP_NODISCARD sup_status sup_override_check(const sup_model *model, const sup_model_def *def);
/** Warn of changed contact rules and contact properties that have no effect. */
void sup_override_warn(const sup_model *model);
