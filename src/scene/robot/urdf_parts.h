/** Types and functions that the parts of the URDF reader share.  Private to urdf.c and
 * urdf_collision.c. */
#pragma once

#include "scene/file/xml.h"
#include "scene/robot/urdf.h"
#include "tree/tree.h"

enum {
  SUP_URDF_MAX_NOTED = 64,
  SUP_URDF_NOTED_SIZE = 2 * SUP_NAME_MAX,
  SUP_URDF_PATH_SIZE = 4096,
  SUP_URDF_MAX_LINKS = SUP_TREE_MAX_LINKS
};

typedef struct sup_urdf_link {
  const char         *name;
  const sup_xml_node *node;
  int                 parent_joint; /* SUP_NONE: a root */
  int                 index;        /* in the tree, SUP_NONE until placed */
} sup_urdf_link;

typedef struct sup_urdf_joint {
  const char         *name;
  const sup_xml_node *node;
  int                 parent, child; /* links */
} sup_urdf_joint;

/** Names for one message, as many as there is room for. */
typedef struct sup_urdf_list {
  int  count, listed;
  char text[600];
} sup_urdf_list;

typedef struct sup_urdf_reader {
  const char             *path;
  const sup_urdf_context *context;
  int                     num_links, num_joints;
  sup_urdf_link           links[SUP_URDF_MAX_LINKS];
  sup_urdf_joint          joints[SUP_URDF_MAX_LINKS];
  sup_tree_def           *def;
  int                     num_noted;
  char                noted[SUP_URDF_MAX_NOTED][SUP_URDF_NOTED_SIZE]; /* names of warnings so far */
  int                 missing_visual_meshes, hulls;
  sup_urdf_list       visuals;       /* files of pictures */
  sup_urdf_list       missing;       /* collision meshes that are not there */
  const sup_xml_node *first_missing; /* element that names the first of them */
  sup_urdf_list       free_joints;   /* revolute and prismatic ones without limits */
  const sup_xml_node *first_free;
  char                remedy[400]; /* its link, and where it was looked for */
} sup_urdf_reader;

/** @return 0 when the list names it already */
int sup_urdf_list_add(sup_urdf_list *list, const char *what);
/** 1 for the first mention of `what` in this file. */
int sup_urdf_first_mention(sup_urdf_reader *r, const char *what);
/** Foreign elements are no errors; but a name close to a known one is probably a slip of the pen.
 */
void sup_urdf_warn_unknown(sup_urdf_reader *r, const sup_xml_node *node, const char *const *known,
                           int n);
/** Attributes that are not among the n known ones are probably misspelt. */
void sup_urdf_check_attributes(sup_urdf_reader *r, const sup_xml_node *node,
                               const char *const *known, int n);
/** <origin xyz rpy> of an element; the identity when there is none. */
SUP_NODISCARD sup_status sup_urdf_read_origin(sup_urdf_reader *r, const sup_xml_node *parent,
                                              sup_pose *pose);
/** A <collision> as the link's next geometry, for which there is memory. */
SUP_NODISCARD sup_status sup_urdf_read_collision(sup_urdf_reader *r, const sup_xml_node *node,
                                                 sup_link_def *link);
/** Fails once for all collision meshes that were not found. */
SUP_NODISCARD sup_status sup_urdf_check_meshes(const sup_urdf_reader *r);
/** <drake:collision_filter_group>s of the robot, whose links are placed: pairs of links that never
 * touch. */
SUP_NODISCARD sup_status sup_urdf_read_filters(sup_urdf_reader *r, const sup_xml_node *robot);
