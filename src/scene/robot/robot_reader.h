/** Types and functions that the readers of robots share.  Private to scene/robot. */
#pragma once

#include "scene/file/xml.h"
#include "scene/robot/urdf.h"
#include "tree/tree.h"

enum {
  SUP_ROBOT_MAX_NOTED = 64,
  SUP_ROBOT_NOTED_SIZE = 2 * SUP_NAME_MAX,
  SUP_ROBOT_PATH_SIZE = 4096,
  SUP_ROBOT_MAX_LINKS = SUP_TREE_MAX_LINKS
};

typedef struct sup_robot_link {
  const char         *name;
  const sup_xml_node *node;
  int                 parent_joint; /* SUP_NONE: a root */
  int                 index;        /* in the tree, SUP_NONE until placed */
} sup_robot_link;

typedef struct sup_robot_joint {
  const char         *name;
  const sup_xml_node *node;
  int                 parent, child; /* links */
} sup_robot_joint;

/** Names for one message, as many as there is room for. */
typedef struct sup_robot_list {
  int  count, listed;
  char text[600];
} sup_robot_list;

typedef struct sup_robot_reader sup_robot_reader;

/** Differences between the formats. */
typedef struct sup_robot_format {
  sup_status (*read)(sup_robot_reader *r, const sup_xml_node *root);
  /** Pose of a part of a link in the link's frame. */
  sup_status (*read_pose)(sup_robot_reader *r, const sup_xml_node *part, const sup_link_def *link,
                          sup_pose *pose);
  const char        *link_pose;     /* element of a link that gives its own pose; NULL: none */
  const char *const *link_children; /* that are not used */
  int                num_link_children;
} sup_robot_format;

struct sup_robot_reader {
  const sup_robot_format  *format;
  void                    *state; /* of the format */
  const char              *path;
  const sup_robot_context *context;
  int                      num_links, num_joints;
  sup_robot_link           links[SUP_ROBOT_MAX_LINKS];
  sup_robot_joint          joints[SUP_ROBOT_MAX_LINKS];
  sup_tree_def            *def;
  int                      num_noted;
  char           noted[SUP_ROBOT_MAX_NOTED][SUP_ROBOT_NOTED_SIZE]; /* names of warnings so far */
  int            missing_visual_meshes, hulls;
  sup_robot_list visuals;            /* files of pictures */
  sup_robot_list missing;            /* collision meshes that are not there */
  const sup_xml_node *first_missing; /* element that names the first of them */
  sup_robot_list      free_joints;   /* revolute and prismatic ones without limits */
  const sup_xml_node *first_free;
  char                remedy[400]; /* its link, and where it was looked for */
};

/** @return 0 when the list names it already */
int sup_robot_list_add(sup_robot_list *list, const char *what);
/** 1 for the first mention of `what` in this file. */
int sup_robot_first_mention(sup_robot_reader *r, const char *what);
/** Foreign elements are no errors; but a name close to a known one is probably a slip of the pen.
 */
void sup_robot_warn_unknown(sup_robot_reader *r, const sup_xml_node *node, const char *const *known,
                            int n);
/** Attributes that are not among the n known ones are probably misspelt. */
void sup_robot_check_attributes(sup_robot_reader *r, const sup_xml_node *node,
                                const char *const *known, int n);
/** The name of an element, which must be there. */
SUP_NODISCARD sup_status sup_robot_element_name(const sup_xml_node *node, const char *what,
                                                const char **name);
/** Names must be unique, and a link has one parent. */
SUP_NODISCARD sup_status sup_robot_add_link(sup_robot_reader *r, const sup_xml_node *node,
                                            const char *name);
SUP_NODISCARD sup_status sup_robot_add_joint(sup_robot_reader *r, const sup_robot_joint *joint);
SUP_NODISCARD sup_status sup_robot_find_link(const sup_robot_reader *r, const sup_xml_node *node,
                                             const char *joint, const char *name, int *link);
/** Number the links depth first, the joints of one link in the order of the file; order [k] is link
 * k of the tree.  Walks back up instead of recursing. */
SUP_NODISCARD sup_status sup_robot_order_links(sup_robot_reader *r, int *order);
/** The link whose joint the link's joint follows. */
SUP_NODISCARD sup_status sup_robot_find_leader(const sup_robot_reader *r, const sup_xml_node *node,
                                               const char *name, sup_link_def *link);
/** Rotation about x, then y, then z, all fixed axes. */
void sup_robot_turn(sup_pose *pose, const double rpy[3]);
/** Inertia and collision shapes of a <link>. */
SUP_NODISCARD sup_status sup_robot_read_link(sup_robot_reader *r, const sup_xml_node *node,
                                             sup_link_def *link);
SUP_NODISCARD sup_status sup_robot_read_limits(sup_robot_reader *r, const sup_xml_node *node,
                                               int continuous, sup_link_def *link);
SUP_NODISCARD sup_status sup_robot_read_axis(sup_robot_reader *r, const sup_xml_node *node,
                                             sup_link_def *link);
/** Dry friction is of joints of one coordinate; that of others goes, with a note. */
void sup_robot_check_friction(sup_robot_reader *r, const sup_xml_node *node, sup_link_def *link);
/** A <collision> as the link's next geometry, for which there is memory. */
SUP_NODISCARD sup_status sup_robot_read_collision(sup_robot_reader *r, const sup_xml_node *node,
                                                  sup_link_def *link);
/** Surface or cells of a file as a shape; files that are absent are named together at the end.
 *  @param[in] from       the file that the uri is relative to
 *  @param[in] is_convex  whatever the file holds, its hull is meant */
SUP_NODISCARD sup_status sup_robot_load_mesh(sup_robot_reader *r, const sup_xml_node *node,
                                             const char *from, const char *link, const char *uri,
                                             const double scale[3], bool is_convex,
                                             sup_shape *shape);
/** The pose of a collision whose shape is a <plane> turns z into its <normal>. */
SUP_NODISCARD sup_status sup_robot_turn_plane(const sup_xml_node *collision, sup_pose *pose);
/** Two links that never touch each other. */
SUP_NODISCARD sup_status sup_robot_add_filter(sup_tree_def *def, int a, int b);
/** A <visual> as the link's next one, for which there is memory; one whose file cannot be read is
 * left out. */
SUP_NODISCARD sup_status sup_robot_read_visual(sup_robot_reader *r, const sup_xml_node *node,
                                               sup_link_def *link);
/** Triangles of a file that is seen, without a hull after a warning; `from` as above. */
SUP_NODISCARD sup_status sup_robot_load_visual(sup_robot_reader *r, const sup_xml_node *node,
                                               const char *from, const char *uri,
                                               const double scale[3], sup_shape *shape);
/** Fails once for all collision meshes that were not found. */
SUP_NODISCARD sup_status sup_robot_check_meshes(const sup_robot_reader *r);
/** <drake:collision_filter_group>s of the robot, whose links are placed: pairs of links that never
 * touch. */
SUP_NODISCARD sup_status sup_urdf_read_filters(sup_robot_reader *r, const sup_xml_node *robot);
/** Read a file by its format's functions, and tell the log what belongs to the file as a whole. */
SUP_NODISCARD sup_status sup_robot_read(sup_tree_def *def, const char *path,
                                        const sup_robot_format  *format,
                                        const sup_robot_context *context);
