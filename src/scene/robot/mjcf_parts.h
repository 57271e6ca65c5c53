/** Types and functions that the parts of the MJCF reader share.  Private to mjcf*.c. */
#pragma once

#include "base/vec.h"
#include "scene/robot/robot_reader.h"

enum { SUP_MJCF_MAX_FILES = 32, SUP_MJCF_DEPTH = 16 };

/** A <default>: attributes of elements that do not name them themselves. */
typedef struct sup_mjcf_default {
  const char         *name;
  const sup_xml_node *node;
  int                 parent; /* SUP_NONE: the class of all */
} sup_mjcf_default;

/** A geom that touches, for the filters. */
typedef struct sup_mjcf_touch {
  const char *name; /* NULL: none */
  int         link;
  unsigned    type, affinity;
} sup_mjcf_touch;

/** <compiler>. */
typedef struct sup_mjcf_compiler {
  bool        is_radian, has_no_autolimits, balances, ignores_inertial, needs_inertial;
  char        eulerseq[4];
  const char *mesh_folder, *asset_folder;
  double      bound_mass, bound_inertia, total_mass, groups[2];
} sup_mjcf_compiler;

typedef struct sup_mjcf {
  sup_robot_reader   *r;
  const sup_xml_node *root;
  int                 num_files;
  sup_xml            *file[SUP_MJCF_MAX_FILES]; /* that <include> names */
  size_t              default_capacity, touch_capacity;
  int                 num_defaults, num_touches;
  sup_mjcf_default   *defaults;
  sup_mjcf_touch     *touch;
  sup_mjcf_compiler   compiler;
  int                 num_bodies, num_joints;
  const sup_xml_node *key;              /* the keyframe that is asked for; NULL: none */
  sup_robot_list      keys;             /* names of all */
  int                 num_controls;     /* of drives so far */
  int parent_body[SUP_ROBOT_MAX_LINKS]; /* link of the body that carries the link's */
} sup_mjcf;

/** Children of an element, with those of files that it includes and of its <frame>s. */
typedef struct sup_mjcf_children {
  int depth;
  struct {
    const sup_xml_node *next;
    const char         *file;
    sup_frame           X;          /* of the <frame>s about it */
    int                 childclass; /* in force */
  } level[SUP_MJCF_DEPTH];
} sup_mjcf_children;

/* ---- the document (mjcf_document.c) ---------------------------------------------------------- */

sup_mjcf_children sup_mjcf_children_of(const sup_xml_node *node, int childclass);
/** *child := the next one, NULL behind the last; its frame and class are those of the level
 * `depth`. */
SUP_NODISCARD sup_status sup_mjcf_next(sup_mjcf *m, sup_mjcf_children *at,
                                       const sup_xml_node **child);
SUP_NODISCARD sup_status sup_mjcf_read_defaults(sup_mjcf *m, const sup_xml_node *root);
/** Class that an attribute names, else `otherwise`. */
SUP_NODISCARD sup_status sup_mjcf_class(const sup_mjcf *m, const sup_xml_node *node,
                                        const char *attribute, int otherwise, int *found);
/** The element that says one of the n attributes for a node of this class: itself, or one of a
 * default.  NULL: nobody does.  *which is the attribute's number. */
const sup_xml_node *sup_mjcf_find(const sup_mjcf *m, const sup_xml_node *node, int class,
                                  const char *const *names, int n, int *which);
/** sup_mjcf_find of one attribute, and its value; NULL when nobody says it. */
const sup_xml_node *sup_mjcf_holder(const sup_mjcf *m, const sup_xml_node *node, int class,
                                    const char *name);
const char *sup_mjcf_text(const sup_mjcf *m, const sup_xml_node *node, int class, const char *name);
/** Up to n numbers of an attribute; `to` keeps its values where there are fewer. */
SUP_NODISCARD sup_status sup_mjcf_numbers(const sup_mjcf *m, const sup_xml_node *node, int class,
                                          const char *name, int n, double *to);
/** Place of a body, geom, frame or inertia: pos and one of quat, axisangle, euler, xyaxes, zaxis.
 */
SUP_NODISCARD sup_status sup_mjcf_place(const sup_mjcf *m, const sup_xml_node *node, int class,
                                        sup_frame *X);
/** The least rotation that takes z to the vector. */
sup_quat sup_mjcf_turn_z(sup_v3 to);
/** Note once each attribute that is neither used nor a matter of looks. */
void sup_mjcf_note_attributes(sup_mjcf *m, const sup_xml_node *node, const char *used);

/* ---- geoms (mjcf_geom.c) --------------------------------------------------------------------- */

/** Sum of solids: mass [kg], first moment [kg m], inertia about the origin [kg m^2]. */
typedef struct sup_mjcf_mass {
  double mass;
  sup_v3 moment;
  sup_m3 inertia;
} sup_mjcf_mass;

/** A geom as a shape of the link, if it touches, and its mass into *sum; NULL: the mass is given.
 *  @param capacity  of the link's geometries */
SUP_NODISCARD sup_status sup_mjcf_read_geom(sup_mjcf *m, const sup_xml_node *node,
                                            const sup_frame *X, int childclass, int link,
                                            size_t *capacity, sup_mjcf_mass *sum);
/** condim, and torsional and rolling friction, which act if that of the pair is 4 and 6.  MuJoCo's
 * torsional coefficient is the moment over the normal force, ours that over sliding friction. */
SUP_NODISCARD sup_status sup_mjcf_read_moments(sup_mjcf *m, const sup_xml_node *node, int class,
                                               const double friction[3], sup_contact_def *contact);
/** Mass, centre and inertia of a link: of <inertial>, or the sum of its geoms. */
SUP_NODISCARD sup_status sup_mjcf_set_inertia(sup_mjcf *m, const sup_xml_node *inertial,
                                              const sup_mjcf_mass *sum, sup_link_def *link);

/* ---- what acts on bodies (mjcf_rows.c) ------------------------------------------------------- */

SUP_NODISCARD sup_status sup_mjcf_read_contact(sup_mjcf *m, const sup_xml_node *section);
SUP_NODISCARD sup_status sup_mjcf_read_actuators(sup_mjcf *m, const sup_xml_node *section);
SUP_NODISCARD sup_status sup_mjcf_read_equality(sup_mjcf *m, const sup_xml_node *section);
/** Positions of joints at the keyframe, if it is the one that is asked for. */
SUP_NODISCARD sup_status sup_mjcf_read_keyframes(sup_mjcf *m, const sup_xml_node *section);
/** Pairs of links that never touch: a body and the one that carries it, and those whose geoms have
 * no bits in common. */
SUP_NODISCARD sup_status sup_mjcf_filter(sup_mjcf *m);
