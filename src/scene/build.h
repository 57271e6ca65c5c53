/** Stages of sup_scene_load.  Private to layer scene: each file reads its sections into the scene's
 * definitions. */
#pragma once

#include "base/log.h"
#include "scene/material_library.h"
#include "scene/scene.h"
#include "scene/schema/section.h"

typedef struct sup_scene_build {
  sup_scene            *scene;
  sup_section           root;
  sup_contact_def       contact; /* defaults of bodies */
  int                   num_materials;
  sup_material_def     *material;
  const sup_collective *ranks;      /* that read the scene together; NULL: one */
  double                most_cells; /* of a plan's meshes; infinite: as the scene has them */
} sup_scene_build;

/** Kind of a body, which determines the properties that its `contact` may name. */
typedef enum sup_contact_kind {
  SUP_CONTACT_SHAPE,
  SUP_CONTACT_MESH,  /* a shape `mesh` */
  SUP_CONTACT_CELLS, /* one whose file holds the cells of its field */
  SUP_CONTACT_HALF_SPACE,
  SUP_CONTACT_SOFT
} sup_contact_kind;

/* ---- tables of the sections, each in the file that reads it ---------------------------------- */

extern const sup_schema sup_schema_time;                                       /* time.c */
extern const sup_schema sup_schema_solver, sup_schema_static;                  /* solver.c */
extern const sup_schema sup_schema_contact;                                    /* contact.c */
extern const sup_schema sup_schema_rigid_contact, sup_schema_soft_contact;     /* body_contact.c */
extern const sup_schema sup_schema_contact_defaults, sup_schema_point;         /* body_contact.c */
extern const sup_schema sup_schema_material, sup_schema_material_choice;       /* materials.c */
extern const sup_schema sup_schema_robot;                                      /* robots.c */
extern const sup_schema sup_schema_actuator;                                   /* actuators.c */
extern const sup_schema sup_schema_rigid;                                      /* rigid.c */
extern const sup_schema sup_schema_soft;                                       /* soft.c */
extern const sup_schema sup_schema_mesh;                                       /* soft_mesh.c */
extern const sup_schema sup_schema_finray;                                     /* finray_mesh.c */
extern const sup_schema sup_schema_shape;                                      /* shapes.c */
extern const sup_schema sup_schema_spring;                                     /* springs.c */
extern const sup_schema sup_schema_load;                                       /* loads.c */
extern const sup_schema sup_schema_chamber;                                    /* chambers.c */
extern const sup_schema sup_schema_cable;                                      /* cables.c */
extern const sup_schema sup_schema_constraint;                                 /* constraints.c */
extern const sup_schema sup_schema_tie;                                        /* ties.c */
extern const sup_schema sup_schema_task;                                       /* tasks.c */
extern const sup_schema sup_schema_event;                                      /* events.c */
extern const sup_schema sup_schema_output;                                     /* observers.c */
extern const sup_schema sup_schema_pose, sup_schema_region, sup_schema_motion; /* values.c */

/* ---- sections, in the order in which they are read ------------------------------------------- */

/** `time`: the run ends at a whole step, if all steps are alike. */
SUP_NODISCARD sup_status sup_scene_read_time(sup_scene_build *b);
SUP_NODISCARD sup_status sup_scene_read_solver(sup_scene_build *b);
/** `static`, once all bodies are there: load steps of `supple static`; the last one ends with the
 * scene's time. */
SUP_NODISCARD sup_status sup_scene_read_static(sup_scene_build *b);
/** Check the time scheme once all bodies are read: soft bodies only work with q0 + dt v and the
 * forces of the step's end (THEORY 2.2). */
SUP_NODISCARD sup_status sup_scene_check_scheme(const sup_scene_build *b);
/** Replace a `materials` list by one mapping that holds the materials of the files and mappings in
 * it. */
SUP_NODISCARD sup_status sup_scene_include_materials(sup_scene *scene);
SUP_NODISCARD sup_status sup_scene_read_materials(sup_scene_build *b);
/** `contact` without its pairs. */
SUP_NODISCARD sup_status sup_scene_read_contact(sup_scene_build *b);
SUP_NODISCARD sup_status sup_scene_read_robots(sup_scene_build *b, sup_node *robots);
SUP_NODISCARD sup_status sup_scene_read_rigid(sup_scene_build *b, sup_node *rigid);
SUP_NODISCARD sup_status sup_scene_read_softs(sup_scene_build *b, sup_node *softs);
/** A point [x, y, z], or a region of the soft body with this mesh (NULL: a link) in its place. */
SUP_NODISCARD sup_status sup_scene_read_point(sup_node *node, const char *name,
                                              const sup_mesh *mesh, double point[3],
                                              int *has_region, sup_region *region);
/** A body of a spring or constraint.
 *  @param[out] mesh  mesh of a soft body; unchanged: a link or the world */
SUP_NODISCARD sup_status sup_scene_read_end(const sup_scene_build *b, const sup_node *node,
                                            const char *what, int may_be_world,
                                            char name[2 * SUP_NAME_MAX], const sup_mesh **mesh);
SUP_NODISCARD sup_status sup_scene_read_constraints(sup_scene_build *b, sup_node *constraints);
SUP_NODISCARD sup_status sup_scene_read_springs(sup_scene_build *b, sup_node *springs);
SUP_NODISCARD sup_status sup_scene_read_loads(sup_scene_build *b, sup_node *loads);
SUP_NODISCARD sup_status sup_scene_read_cables(sup_scene_build *b, sup_node *cables);
SUP_NODISCARD sup_status sup_scene_read_tasks(sup_scene_build *b, sup_node *tasks);
SUP_NODISCARD sup_status sup_scene_read_ties(sup_scene_build *b, sup_node *ties);
SUP_NODISCARD sup_status sup_scene_read_chambers(sup_scene_build *b, sup_node *chambers);
SUP_NODISCARD sup_status sup_scene_read_actuators(sup_scene_build *b, sup_node *actuators);
/** Choose v_s of a scene that names none once all bodies are read, from the size of the smallest
 * body, so that grasps hold; the tree gets the number. */
SUP_NODISCARD sup_status sup_scene_read_stiction(sup_scene_build *b);
SUP_NODISCARD sup_status sup_scene_choose_stiction(const sup_section   *contact,
                                                   const sup_model_def *model,
                                                   sup_options         *options);
/** Least radius of shapes with contact and of soft bodies; infinite when there is none [m]. */
double sup_scene_smallest_radius(const sup_model_def *model);
/** An entry of the section with a value as if the scene had it; *value := the value written. */
SUP_NODISCARD sup_status sup_scene_write_entry(const sup_section *section, const char *key,
                                               const char *unit, double *value);
/** A scene has steps of one length, or an accuracy and what belongs to it (scene/accuracy.c). */
SUP_NODISCARD sup_status sup_scene_check_accuracy(const sup_section *time,
                                                  const sup_options *options);
/** sup_scene_choose_accuracy with the scene's own `time`. */
SUP_NODISCARD sup_status sup_scene_read_accuracy(sup_scene_build *b);
/** Choose the numbers that go with the accuracy once all bodies and the output are read, from sizes
 * and times of the scene; the tree gets the numbers. */
SUP_NODISCARD sup_status sup_scene_choose_accuracy(const sup_section *time, sup_scene *scene);
SUP_NODISCARD sup_status sup_scene_read_pairs(sup_scene_build *b);
SUP_NODISCARD sup_status sup_scene_read_output(sup_scene_build *b);

/* ---- pieces ---------------------------------------------------------------------------------- */

/** Section `key` of a scene whose keys are names; NULL when absent. */
SUP_NODISCARD sup_status sup_scene_collection(const sup_scene_build *b, const char *key,
                                              sup_node **node);
/** Kind of a link with several shapes: it has the properties of all of them. */
sup_contact_kind sup_contact_kind_of(const sup_link_def *link);
/** Entry `contact` of a body. */
SUP_NODISCARD sup_status sup_read_body_contact(const sup_scene_build *b, const sup_section *body,
                                               sup_contact_kind kind, sup_contact_def *contact);
/** `contact.defaults`; *contact holds the defaults of absent keys. */
SUP_NODISCARD sup_status sup_read_contact_defaults(sup_node *node, sup_contact_def *contact);
/** Contact properties that the scene gives a robot's link, for each of its geometries (at least
 * one); properties without a key keep the URDF's values.  The node shows all properties afterwards
 * when the link has one geometry. */
SUP_NODISCARD sup_status sup_read_link_contact(sup_node *node, sup_link_def *link);
/** The material of a mapping; *material holds the defaults of absent keys, NULL keys are required
 * when `is_complete`. */
SUP_NODISCARD sup_status sup_read_material(sup_node *node, const char *what, bool has_base,
                                           sup_material_def *material);
/** `range` of such a mapping; numbers without one keep theirs. */
SUP_NODISCARD sup_status
sup_read_material_ranges(sup_node *material, const sup_material_def *m,
                         sup_material_range range[SUP_MATERIAL_NUM_RANGES]);
/** A material's name, or a mapping {base: NAME, overrides}, or a mapping with all its numbers. */
SUP_NODISCARD sup_status sup_read_material_choice(const sup_scene_build *b, sup_node *node,
                                                  const char *body, sup_material_def *material);
/** Mesh of a soft body from its `mesh` entry, and how many cells the scene asks for, of which a
 * plan may make less. */
SUP_NODISCARD sup_status sup_read_mesh(sup_scene_build *b, sup_node *node, const char *body,
                                       sup_mesh **mesh, double *cells);
/** Mesh of a FinRay finger from its entry; a plan has fewer layers over the depth.  *share: cells
 * of the scene for each. */
SUP_NODISCARD sup_status sup_read_finray(const sup_scene_build *b, sup_node *node, sup_mesh **mesh,
                                         double *share);
/** Words of sup_interpolation, in its order. */
extern const sup_word sup_interpolation_words[SUP_NUM_INTERPOLATIONS];
/** Words of the patterns of bricks, in the order of sup_mesh_pattern. */
extern const sup_word sup_mesh_pattern_words[3];
/** Cells from one side of a body to the other, in the median. */
SUP_NODISCARD sup_status sup_cells_through_walls(const sup_mesh *mesh, double *median);

/** Entry {at: TIME} or {when: {column, above | below, for}}; absent: *event stays as it is. */
SUP_NODISCARD sup_status sup_scene_read_event(const sup_scene_build *b, const sup_section *owner,
                                              const char *key, sup_event_def *event);
/** Entry {position, rpy | quaternion}; identity when absent. */
SUP_NODISCARD sup_status sup_read_pose(const sup_section *section, const char *key, sup_pose *pose);
/** Unit quaternion of the keys rpy or quaternion. */
SUP_NODISCARD sup_status sup_read_rotation(const sup_section *section, const char *name,
                                           double q[4]);
SUP_NODISCARD sup_status sup_node_pose(sup_node *node, const char *name, sup_pose *pose);
/** {box: {lower, upper}}, {half_space: {normal, offset}} or {named: SET}; whether the mesh has the
 * set is not asked. */
SUP_NODISCARD sup_status sup_node_region(sup_node *node, const char *name, sup_region *region);
/** Words x, y, z in a list -> bits SUP_AXIS_X .. */
SUP_NODISCARD sup_status sup_node_axes(const sup_node *node, const char *name, int *axes);
/** {box: {size}}, {cylinder: {radius, length}}, {sphere: {radius}}, {capsule: {radius, length}},
 * {ellipsoid: {radii}}, {convex: {vertices}}, {convex: {file, scale}}, {half_space: {}}; a hull is
 * the caller's to destroy, also after a failure */
SUP_NODISCARD sup_status sup_node_shape(sup_scene *scene, sup_node *node, const char *name,
                                        sup_shape *shape);
/** Table over time: rows [t, value ...] with strictly increasing t, or a section with them
 * or a file;
 * dimension [width] of the values.  The table is the caller's to free, also after a failure. */
SUP_NODISCARD sup_status sup_node_table(const sup_scene_build *b, sup_node *node, const char *name,
                                        int width, const sup_dimension *dimension,
                                        sup_table *table);
/** A number, or a table of it. */
SUP_NODISCARD sup_status sup_scene_read_over_time(const sup_scene_build *b, sup_node *node,
                                                  const char *name, sup_dimension dimension,
                                                  double *constant, sup_table *table);
/** A vector [x, y, z], which makes a table of one row, or a table of it. */
SUP_NODISCARD sup_status sup_scene_read_vector_over_time(const sup_scene_build *b, sup_node *node,
                                                         const char *name, sup_dimension dimension,
                                                         sup_table *table);
/** Rows [t, x, y, z, rx, ry, rz], or a section with them, or {position: rows of 4, rotation: rows
 * of 4}, or {sine: {amplitude, period, phase}}; the table is the caller's to free, also after a
 * failure. */
SUP_NODISCARD sup_status sup_node_motion(const sup_scene_build *b, sup_node *node, const char *name,
                                         sup_table *motion);
/** Path of a file relative to the file that names it; the node then holds the absolute path. */
SUP_NODISCARD sup_status sup_node_path(const sup_scene *scene, sup_node *node, const char *name,
                                       char *path, size_t size);
/** Remember a file that was read; *path becomes the scene's copy. */
SUP_NODISCARD sup_status sup_scene_add_input(sup_scene *scene, const char **path);

/* ---- names (names.c) ------------------------------------------------------------------------- */

/** Body by its name: a link of a tree or a soft body. */
typedef struct sup_body_name {
  int tree, link; /* SUP_NONE for a soft body */
  int soft;       /* SUP_NONE for a link */
} sup_body_name;

/** The text of the node must name a body; `name` receives it. */
SUP_NODISCARD sup_status sup_scene_find_body(const sup_scene_build *b, const sup_node *node,
                                             const char *what, char name[2 * SUP_NAME_MAX],
                                             sup_body_name *body);
/** The text of the node must name a joint "ROBOT/JOINT". */
SUP_NODISCARD sup_status sup_scene_find_joint(const sup_scene_build *b, const sup_node *node,
                                              const char *what, char name[2 * SUP_NAME_MAX],
                                              const sup_link_def **link);
/** A robot or body may not have the name of an earlier one of another section. */
SUP_NODISCARD sup_status sup_scene_check_name(const sup_scene_build *b, const sup_node *node);
/** Dimension of the joint's position. */
sup_dimension sup_joint_dimension(sup_joint_type joint);
