/** The constant model and the state.  Layer model: definitions -> model; knows no files.
 *
 *  const sup_model never changes after creation; sup_state holds all variables.  Numbering:
 *  - trees hold all rigid bodies; q and v of all trees are concatenated;
 *  - soft vertices of all bodies are concatenated;
 *  - bodies are units of contact: first every link of every tree in order, then every soft body;
 *  - block columns of the Hessian: trees with nv > 0 first, then the free vertices of the soft
 * bodies. */
#pragma once

#include "base/collective.h"
#include "base/vec.h"
#include "fem/body.h"
#include "fem/manufactured.h"
#include "geom/bvh.h"
#include "geom/field/field.h"
#include "geom/field/mesh_field.h"
#include "geom/mesh_near.h"
#include "geom/shape.h"
#include "la/block_matrix.h"
#include "law/normal.h"
#include "mesh/surface.h"
#include "model/friction.h"
#include "solve/kept_matrix.h"
#include "supple/cable.h"
#include "supple/chamber.h"
#include "supple/state.h"
#include "tree/tree.h"

/** A contact body. */
typedef struct sup_body {
  char name[2 * SUP_NAME_MAX];         /* "ROBOT/LINK", or the rigid or soft body's own name */
  int  tree, link;                     /* SUP_NONE for a soft body */
  int  soft;                           /* SUP_NONE for a link */
  int  movable;                        /* 0: no unknown moves it */
  int  first_geometry, num_geometries; /* links only */
  int  num_visuals;
} sup_body;

/** A rigid shape on a link. */
typedef struct sup_geometry {
  int             body;
  sup_shape       shape;
  sup_hull       *hull; /* of a convex shape: the model's own, shape.hull */
  sup_frame       X_LG;
  sup_contact_def contact;
  sup_surface    *surface;   /* NULL for a half space */
  double         *points;    /* [surface->num_points x 3] in the link's frame */
  sup_bvh        *bvh;       /* of the surface's faces in the link's frame; NULL for a half space */
  double          curvature; /* mean over its surface, both directions [1/m] */
  double          field_slope; /* largest gradient of its pressure [Pa/m] */
  sup_field      *field; /* in the link's frame; of a compliant shape and of every half space */
  double reach_factor, reach_range, reach_slide, reach_delay; /* largest of its pairs in point
                                                                  contact; 0: none */
  bool is_endless; /* the normal law of one of these is (law/normal.h) */
} sup_geometry;

static inline bool sup_geometry_is_half_space(const sup_geometry *g) {
  return g->shape.type == SUP_SHAPE_HALF_SPACE;
}

typedef enum sup_vertex_kind {
  SUP_VERTEX_FREE, /* vertex with a block column, also if some axes are held */
  SUP_VERTEX_ATTACHED,
  SUP_VERTEX_HELD, /* along all axes */
  SUP_VERTEX_TIED  /* moved by vertices of other bodies */
} sup_vertex_kind;

/** A region that is clamped or held by axes. */
typedef struct sup_dirichlet {
  char           name[SUP_NAME_MAX];
  sup_table      motion;      /* width 6, sup_dirichlet_def; empty: at rest */
  int            from, until; /* events by which it begins and ends; SUP_NONE */
  int            held;        /* bits SUP_AXIS_X.. of the world's axes along which it holds */
  unsigned char *axes;        /* [num_vertices] those of each vertex; without events NULL */
  sup_v3 about; /* centre of the motion and point of the reaction's moment, world, at rest [m] */
} sup_dirichlet;

/** A link that carries vertices of a soft body. */
typedef struct sup_attachment_link {
  int            body, tree, link;
  int            nv;             /* of the tree; 0: the vertices have prescribed motion */
  double         contact_beyond; /* of sup_attach_def [m] */
  unsigned char *close; /* [surface->num_faces] 1: within that distance; NULL: no face touches it */
} sup_attachment_link;

/** A load on a part of a soft body's surface. */
typedef struct sup_traction {
  double       *force; /* [num_vertices x 3] that of a dead load [N] */
  double        pressure;
  sup_fem_faces faces;
  sup_table     scale; /* over time; empty: 1 */
} sup_traction;

/** Vertex that moves a tied one. */
typedef struct sup_mover {
  int    soft, vertex; /* not tied itself */
  double weight;
} sup_mover;

typedef struct sup_soft {
  char          name[SUP_NAME_MAX];
  int           body;
  sup_fem_body *fem;         /* with ranks: of the own cells and all vertices .. */
  int          *cell_number; /* [cells of fem] .. and their numbers in the whole; NULL: the same */
  int           num_cells;   /* of all ranks */
  int          *owner;       /* [num_vertices] lowest rank that has a cell at it; NULL: no ranks */
  sup_surface  *surface;
  sup_contact_def contact;
  int             num_vertices, first_vertex;  /* in the state's x and xdot */
  sup_table      *growth;                      /* [sup_fem_num_growths] shares over time */
  size_t         num_internal, first_internal; /* of a viscoelastic body, in the state's internal */
  unsigned char *kind;                         /* [num_vertices] sup_vertex_kind */
  int           *block; /* [num_vertices] block column; SUP_NONE: no unknown of its own moves it */
  int            num_attachments, first_attachment; /* links; in sup_step_result.attach_wrench */
  sup_attachment_link *attachment;
  int     num_attach_trees, *attach_tree; /* trees with unknowns that carry it, each once */
  int     num_attached, attach_nv;        /* vertices; most velocities of a tree that carries it */
  int    *attach_slot;  /* [num_vertices] 0 .. num_attached - 1; SUP_NONE when not attached */
  int    *attach_of;    /* [num_vertices] which link carries it; SUP_NONE when not attached */
  double *attach_point; /* [num_vertices x 3] in the frame of that link; attached vertices only */
  int     group;        /* first soft body of those tied to each other */
  bool    in_tie;       /* it has tied vertices, or moves others */
  int     num_tied;     /* vertices that are weighted means of their movers */
  int    *tied_slot;    /* [num_vertices] 0 .. num_tied - 1; SUP_NONE when not tied */
  int    *tied_vertex, *tied_by; /* [num_tied] ascending; the tie */
  int    *mover_start;           /* [num_tied + 1] */
  sup_mover *mover;              /* sums of weights are 1, of weights times places at time 0 x0 */
  sup_bvh   *bvh;                /* of the faces at x0; a step refits a copy */
  double    *triangle_stiffness; /* [surface->num_triangles] C [Pa/m] */
  sup_mesh_field
      *mesh_field; /* tetrahedra of its pressure field and how the vertices carry their points */
  sup_mesh_near *near;        /* cells that do not touch each other; NULL: no self contact */
  sup_field     *field;       /* at rest; a step moves its points.  NULL: touches no soft body */
  int           *vertex_face; /* [num_vertices] the first face that has it; SUP_NONE inside */
  double        *vertex_area; /* [num_vertices] share of the surface at rest [m^2]; 0 inside */
  double        *curvature;   /* [num_vertices] of the surface at rest, both directions [1/m] */
  sup_frame      X_WM;        /* pose of the mesh's coordinates at time 0 */
  double        *x0;          /* [num_vertices x 3] positions at time 0 */
  double         v0[3];
  int            num_dirichlet, first_dirichlet; /* in sup_step_result.reaction */
  sup_dirichlet *dirichlet;
  int *holder; /* [num_vertices x 3] hold that keeps the vertex along a world axis, without events
                  if there is one; SUP_NONE: none */
  int              num_tractions, first_traction; /* of those of all bodies */
  sup_traction    *traction;
  int              bounds_chamber; /* 1: a chamber has walls on the body */
  sup_manufactured manufactured;   /* amplitudes 0: none */
  double          *body_force; /* [num_vertices x 3] of the manufactured solution [N]; NULL: none */
} sup_soft;

typedef struct sup_actuator {
  char            name[SUP_NAME_MAX];
  int             tree, link;
  double          kp, kd, effort;
  sup_table       target;
  sup_feedforward feedforward;
} sup_actuator;

/** Point fixed to a body, or mean of vertices of a soft one (body_point.h). */
typedef struct sup_body_point {
  int     body;         /* SUP_NONE: the world */
  sup_v3  point;        /* in the frame of a link, or at rest in the mesh of a soft body [m] */
  int     num_vertices; /* vertices of the cell around the point, or of the region; links: 0 */
  int    *vertex;       /* [num_vertices] of the state, none tied: a tied one's movers */
  double *weight;       /* [num_vertices], sum 1 */
} sup_body_point;

/** THEORY 2.3: part of A, since its G never changes. */
typedef struct sup_spring {
  sup_body_point end[2]; /* A may be in the world */
  sup_v3         rest;
  double         stiffness[3], damping[3]; /* along the world's axes */
} sup_spring;

/** Force and torque on a link, or force at a point of a soft body, world axes. */
typedef struct sup_load {
  char           name[SUP_NAME_MAX];
  sup_body_point at;
  sup_table      force, torque; /* empty: none */
} sup_load;

/** Rim on a link or held along all axes, closed by a fan about its mean. */
typedef struct sup_chamber_fan {
  int           num_edges;
  sup_fem_edge *edge; /* [num_edges] a loop */
} sup_chamber_fan;

/** Wall of a chamber: boundary faces of a soft body, and the fans that close them. */
typedef struct sup_chamber_wall {
  int              soft, num_vertices; /* the body, and its number of vertices */
  sup_fem_faces    faces;
  int              num_fans;
  sup_chamber_fan *fan;
} sup_chamber_wall;

/** Closed volume with its fill (chamber.h). */
typedef struct sup_chamber {
  char              name[SUP_NAME_MAX];
  int               num_walls;
  sup_chamber_wall *wall;
  sup_v3            centre;  /* apex of the cones of the volume, in the planes of open rims [m] */
  double            volume0; /* volume at time 0 [m^3] */
  sup_chamber_fill  fill;
  int               is_added;
  double            pressure, volume, bulk_modulus, exponent, ambient; /* sup_chamber_def */
  sup_table         schedule;
  bool              flows;               /* the amount of gas is that of the state */
  double            conductance, source; /* of the inlet, sup_chamber_def; 0: none */
  int               inlet;               /* chamber of the other end; SUP_NONE: a source */
  sup_table         source_schedule;
} sup_chamber;

/** Wheel at a point of a path. */
typedef struct sup_cable_sheave {
  double radius;     /* [m]; 0: an eyelet */
  sup_v3 axis, mark; /* unit, of the body; direction from which friction counts arcs */
  double least;      /* [rad] of the branch of the wrap */
} sup_cable_sheave;

/** Cable with its path (cable.h). */
typedef struct sup_cable {
  char              name[SUP_NAME_MAX];
  int               num_points;
  sup_body_point   *point;
  sup_cable_sheave *sheave;   /* [num_points] */
  double            length0;  /* of the path at time 0 [m] */
  double           *segment0; /* [num_points - 1] its parts [m] */
  sup_cable_drive   drive;
  int               is_added;
  double            tension, length, stiffness;   /* sup_cable_def */
  int               winch_tree, winch_q, winch_v; /* SUP_NONE: no winch; of the tree */
  double            radius, winch_q0;             /* position of its joint at time 0 */
  sup_table         schedule;
  double            friction;    /* coefficient at its points; 0: none */
  bool              pushes;      /* a rod: its tension may be negative */
  int num_strands, first_strand; /* parts of one tension: 1, with friction each between
                                    neighbours; number of the first in the state */
} sup_cable;

/** Soft bodies tied to each other (tie.h). */
typedef struct sup_tie {
  char   name[SUP_NAME_MAX];
  int    slave, master; /* soft bodies */
  int    num_tied;      /* vertices of the slave */
  double area, covered; /* of the slave's region, and its tied part [m^2]; inside: 0 */
  double gap;           /* largest at time 0 [m] */
} sup_tie;

/** Contact geometry of a pair: surface, depth, field or point of each side. */
typedef enum sup_touch {
  SUP_TOUCH_SURFACE_DEPTH, /* a's triangles, b's exact depth */
  SUP_TOUCH_SURFACE_FIELD, /* a's triangles, b's pressure field */
  SUP_TOUCH_FIELD_FIELD,   /* both fields; b may be any half space, a none */
  SUP_TOUCH_POINT          /* two rigid shapes that touch in points */
} sup_touch;

/** A surface and a rigid shape that may touch, with their combined properties (THEORY 9.4). */
typedef struct sup_pair {
  int               a, b; /* bodies */
  sup_touch         touch;
  int               geometry_a, geometry_b; /* SUP_NONE: soft */
  sup_contact_model model;
  sup_normal_law    normal_law;
  sup_friction      friction;
  double            dissipation;     /* d [s/m] */
  double            relaxation_time; /* tau_d [s] */
  double            stiffness;       /* C [Pa/m] of surface against depth; 0: the soft side's own */
  double            point_stiffness; /* k [N/m] of point contact, 0 otherwise */
  double            look_ahead;      /* tau of laws that see phi + (dt + tau) v_n, else 0 [s] */
  double            glide;           /* mu of models whose cone opens with sliding, else 0 */
  double half_thickness; /* half thickness of the sides whose depth defines normals; patches [m] */
  double share_a; /* k_a / (k_a + k_b): where between the witness points the contact point lies */
  double hertz_radius;     /* R* [m] */
  double hertz_compliance; /* 1/E* [1/Pa] */
  double hertz_stiffness;  /* 4/3 E* sqrt(R*) [N/m^1.5] */
  double barrier_energy, barrier_range;
  double barrier_surface_energy; /* of soft surfaces, for each area [N/m] */
  const unsigned char *left_out; /* [faces of soft body a] 1: near its attachment to b, or NULL */
  /* point contact acts only if phi0 <= reach_range + reach_factor T/h times the travel, T = h +
   * reach_delay; reach_slide = mu for laws that depend on sliding, else 0 (THEORY 19.6) */
  double reach_factor, reach_range, reach_delay, reach_slide;
} sup_pair;

/** True if a barrier keeps a soft surface off a shape. */
static inline bool sup_pair_has_barrier(const sup_pair *pair) {
  return pair->touch == SUP_TOUCH_SURFACE_DEPTH && pair->model != SUP_MODEL_SAP &&
         sup_normal_table(pair->normal_law)->is_barrier;
}

/** True if the pair touches in patches whose gap is computed from an overlap; its bodies are turned
 * before the search (collide/turned.h). */
static inline int sup_pair_turns(const sup_pair *pair) {
  return pair->touch != SUP_TOUCH_POINT && !sup_pair_has_barrier(pair);
}

struct sup_model {
  sup_contact_rules     contact;
  const sup_collective *ranks;   /* ranks that share the cells of soft bodies; NULL: one rank */
  int                  *owner;   /* [num_blocks] with ranks: the rank that has the row, else NULL */
  unsigned char        *touched; /* [num_blocks] with ranks, else NULL; 1: own cells add to it */
  int                   num_trees;
  sup_tree            **tree;
  int                  *q_start, *v_start; /* [num_trees + 1] */
  int                  *tree_block;        /* [num_trees] block column, SUP_NONE when nv = 0 */
  int                  *tree_body;         /* [num_trees] body of link 0 */
  double               *q0, *v0;           /* initial, concatenated */
  double                look_ahead, glide; /* largest of the pairs of surface and depth */
  double                gap_range; /* largest at which a barrier of a pair acts; 0: none [m] */
  int                   has_surface_pairs; /* of surface and depth */
  int                   has_patches;       /* sup_pair_turns of some pair */
  bool                  has_rolling;       /* rolling or torsional friction of some pair */
  int                   num_softs;
  sup_soft             *soft;
  int                   num_vertices;                   /* of all soft bodies */
  size_t                num_internal;                   /* likewise */
  int                   num_dirichlet, num_attachments; /* of all soft bodies */
  int                   num_tractions;                  /* likewise */
  int                   num_bodies;
  sup_body             *body;
  int                   num_geometries;
  sup_geometry         *geometry;
  int                   num_visuals; /* shapes that frames show in place of those of their links */
  sup_geometry         *visual;      /* shape, surface and points alone */
  int                   num_actuators;
  sup_actuator         *actuator;
  int                   num_springs;
  sup_spring           *spring;
  int                   num_loads;
  sup_load             *load;
  int                   num_chambers;
  sup_chamber          *chamber;
  int                   num_cables, num_lines; /* lines: rods and ropes, behind the cables, as load
                                                  steps take them */
  int                         num_strands;     /* of cables and lines */
  sup_cable                  *cable;
  int                         num_ties;
  sup_tie                    *tie;
  int                         num_constraints, num_constraint_places;
  struct sup_body_constraint *constraint;       /* model/constraint.h */
  double                     *constraint_place; /* [num_constraint_places] at time 0 */
  int                         num_events;
  struct sup_event           *event; /* model/event.h */
  size_t                      event_capacity;
  int                         num_tasks, num_phases; /* of all tasks */
  struct sup_task            *task;                  /* model/task.h */
  int                         num_pairs;
  sup_pair                   *pair;
  int *pair_start; /* [num_items + 1] pairs by their lower item: geometries first, then soft bodies
                    */
  int   *pair_other; /* [num_pairs] the higher item; of one lower item in increasing order */
  int   *pair_index; /* [num_pairs] into pair */
  int    num_blocks;
  int   *block_size;     /* [num_blocks] */
  int   *block_body;     /* [num_blocks] soft body or tree root, for messages */
  size_t num_base_pairs; /* pattern of A: block pairs that are always there */
  int   *base_pair;      /* [num_base_pairs x 2] */
};

/** Force of a constraint in the last step, with a key of the constraint (step/warm_start.c). */
typedef struct sup_known_impulse {
  int    key[6];
  double force[3]; /* of a contact: on b, world [N]; of a joint [N or N m] */
} sup_known_impulse;
/** Anchor of an elastic stick: model/anchor.h. */
typedef struct sup_anchor sup_anchor;

/** Inputs set from outside: model/inputs.h. */
typedef struct sup_inputs sup_inputs;

/** Memory of the step-size control (THEORY 17.3). */
typedef struct sup_step_control {
  double step;       /* length of the next step, unless a stop cuts it; 0: before the first [s] */
  double error;      /* of the last accepted step, over the tolerance [-] */
  int    num_second; /* last accepted steps in which no contact of a soft body opened or closed */
} sup_step_control;

struct sup_state {
  double  time;
  long    step;
  int     num_q, num_v, num_vertices;
  double *q, *v;    /* trees */
  double *x, *xdot; /* soft vertices, [num_vertices x 3] */
  double *internal; /* [num_internal] of viscoelastic bodies (fem/viscoelastic.h); with ranks of
                       their own cells */
  size_t  num_internal;
  double *lever_rate; /* [num_levers x 3] rate of the moment of each body's contacts by the motion
                         of contact points relative to centres of mass, which the step's levers lack
                         (step/spin.c) [N m/s]; then [num_levers] energy that contacts have
                         taken and these levers may give [J] */
  int    num_levers;  /* number of bodies; 0 without soft ones */
  double load_step;   /* statics: duration that the next load step may have, after cuts [s]; 0: a
                         whole one */
  double *path;       /* statics in three load steps or more, else NULL: [2 x num_vertices x 3] mean
                         velocities over the last one and the one before [m/s] */
  double *chamber_pressure; /* [num_chambers] at the end of the last step, over ambient [Pa] */
  int     num_chambers;
  struct sup_strand      *strand; /* [num_strands] of all cables (cable.h) */
  int                     num_strands;
  struct sup_event_state *event; /* [num_events] model/event.h */
  int                     num_events;
  struct sup_task_state  *task; /* [num_tasks] model/task.h */
  int                     num_tasks, num_phases;
  double                *phase_failures; /* [num_phases] ends by a timeout or for want of a place */
  struct sup_task_entry *task_log;       /* [num_task_log] since the start */
  int                    num_task_log;
  size_t                 task_log_capacity;
  double *constraint_place; /* [num_constraint_places] model/constraint.h; of constraints that began
                               by an event at that moment */
  int     num_constraint_places;
  double *hold_rest; /* [num_vertices x 3] with events, else NULL: places of held points without
                        motion; of holds that began later those from which they began [m] */
  double           path_step[2]; /* their durations; 0: no load step to extrapolate from [s] */
  sup_step_control control;      /* with options.accuracy: length of the next step */
  /* with options.soft_bdf2, else NULL: history of BDF2 */
  double *mean; /* [num_vertices x 3] (x - x before)/dt, of attached vertices J_a v_tree [m/s] */
  double *momentum_before; /* [num_vertices x 3] M xdot before; of this state after a step of first
                              order [N s] */
  double *impulse_before;  /* [num_vertices x 3] external impulse of that step, as far as contained
                              in xdot; 0 after a step of first order [N s] */
  double *partner; /* [num_softs x 3] velocity of the other side of a body's last contacts [m/s] */
  double  mean_step; /* length of the step of `mean`; 0: as long as the next step [s] */
  double *past; /* with options.accuracy, too, else NULL: [2 x 2 x num_vertices x 3] x and xdot at
                   the two times before */
  double         past_step[2]; /* from each of them to the time after it [s] */
  unsigned char *has_history;  /* [num_softs] 0: no step was done yet */
  int            num_softs;    /* 0 without BDF2 */
  /* start of solvers that iterate on impulses; other solvers store none */
  sup_known_impulse *known; /* [num_known] */
  int                num_known;
  size_t             known_capacity;
  sup_anchor *anchor; /* [num_anchors] with options.stick elastic: of the contacts that pressed */
  int         num_anchors;
  size_t      anchor_capacity;
  sup_kept_matrix *kept_matrix; /* NULL: each step factors its own */
  sup_inputs      *inputs;      /* NULL: nothing was ever set */
};

struct sup_increment; /* model/increment.h */
/** Attached vertices get their link's velocity at the start of an increment; at the start of a run
 * the others of a body on one hub, too, unless the body has a velocity of its own. */
SUP_NODISCARD sup_status sup_state_set_attached_velocities(sup_state *state, const sup_model *model,
                                                           const struct sup_increment *inc,
                                                           bool                        is_start);
/** Forget impulses, anchors and past steps, which do not belong to positions that were set. */
void sup_state_forget_history(sup_state *state);
/** From now on steps of linear materials use the factors of steps before them. */
SUP_NODISCARD sup_status sup_state_keep_matrix(sup_state *state);
/** Create state->path, zeroed, if it does not exist. */
SUP_NODISCARD sup_status sup_state_need_path(sup_state *state);
/** Items of the broad phase: geometry g is item g, soft body s item num_geometries + s. */
static inline int sup_model_num_items(const sup_model *model) {
  return model->num_geometries + model->num_softs;
}
/** Wrenches of a step's result: of attachments and, behind them, of constraints and ties. */
static inline int sup_model_num_wrenches(const sup_model *model) {
  return model->num_attachments + model->num_constraints + model->num_ties;
}
/** Place of the first of a tie. */
static inline int sup_model_first_tie_wrench(const sup_model *model) {
  return model->num_attachments + model->num_constraints;
}
/** Item of a geometry of a body; SUP_NONE: of the soft body. */
static inline int sup_model_item(const sup_model *model, int body, int geometry) {
  return geometry == SUP_NONE ? model->num_geometries + model->body[body].soft : geometry;
}
/** Contact properties of such an item. */
static inline const sup_contact_def *sup_model_contact_def(const sup_model *model, int body,
                                                           int geometry) {
  return geometry == SUP_NONE ? &model->soft[model->body[body].soft].contact
                              : &model->geometry[geometry].contact;
}
/** Index of the state's first velocity of a tree's link, and of its first position. */
static inline int sup_model_link_v(const sup_model *model, int tree, int link) {
  return model->v_start[tree] + model->tree[tree]->links[link].v_start;
}
static inline int sup_model_link_q(const sup_model *model, int tree, int link) {
  return model->q_start[tree] + model->tree[tree]->links[link].q_start;
}
/** Block column that moves vertex i of a soft body: its own, that of the tree which carries it;
 * SUP_NONE: its motion is prescribed. */
static inline int sup_soft_moving_block(const sup_model *model, const sup_soft *soft, int i) {
  return soft->attach_of[i] == SUP_NONE
             ? soft->block[i]
             : model->tree_block[soft->attachment[soft->attach_of[i]].tree];
}
/** Movers of vertex i; *count := 0 when it is not tied. */
static inline const sup_mover *sup_soft_movers(const sup_soft *soft, int i, int *count) {
  int slot = soft->tied_slot ? soft->tied_slot[i] : SUP_NONE;
  *count = slot == SUP_NONE ? 0 : soft->mover_start[slot + 1] - soft->mover_start[slot];
  return slot == SUP_NONE ? NULL : soft->mover + soft->mover_start[slot];
}
/** Soft body of a vertex of the state, and its number there. */
static inline const sup_soft *sup_model_vertex(const sup_model *model, int vertex, int *own) {
  const sup_soft *soft = model->soft;
  while (vertex >= soft->first_vertex + soft->num_vertices) soft++;
  *own = vertex - soft->first_vertex;
  return soft;
}
/** A tie of two soft bodies; NULL: none. */
static inline const sup_tie *sup_model_tie_of(const sup_model *model, int soft_a, int soft_b) {
  for (int k = 0; k < model->num_ties; k++) {
    const sup_tie *t = &model->tie[k];
    if ((t->slave == soft_a && t->master == soft_b) || (t->slave == soft_b && t->master == soft_a))
      return t;
  }
  return NULL;
}
/** Body of a link. */
static inline int sup_model_link_body(const sup_model *model, int tree, int link) {
  return model->tree_body[tree] + link;
}

/** Energy of all springs at the poses X_WL [num_bodies] of the links and the vertices x [J]. */
double sup_model_spring_energy(const sup_model *model, const sup_frame *X_WL, const double *x);
/** p_b - p_a - rest of a spring at these poses and vertices, world axes [m]. */
sup_v3 sup_spring_stretch(const sup_spring *spring, const sup_frame *X_WL, const double *x);
/** Block columns that move the ends, at most. */
int sup_spring_most_blocks(const sup_spring *spring);
/** Prescribed world position at time t of a held point, `rest` its position without motion [m]. */
sup_v3 sup_dirichlet_position(const sup_dirichlet *dirichlet, const sup_table *motion, sup_v3 rest,
                              double t);
/** Place `rest` of sup_dirichlet_position that is at x [m] at time t. */
sup_v3 sup_dirichlet_rest(const sup_dirichlet *dirichlet, const sup_table *motion, sup_v3 x,
                          double t);
/** u [num_vertices x 3]: displacement of the held components from x to their prescribed positions
 * at time t; 0 for the others.
 *  @param[in] holder  [num_vertices x 3] holds that are active; SUP_NONE
 *  @param[in] rest    [num_vertices x 3] places without motion */
void sup_soft_prescribed_displacement(const sup_soft *soft, const sup_inputs *inputs, double t,
                                      const int *holder, const double *rest, const double *x,
                                      double *u);
/** f [num_vertices x 3] += weight times the tractions and pressures at time t on the surface at x,
 * and the body force [N].  @param[in] constant  share of tractions without a table */
void sup_soft_add_tractions(const sup_soft *soft, const sup_inputs *inputs, double t,
                            const double *x, double weight, double constant, double *f);
/** Pressure of traction k at time t [Pa]. */
double sup_soft_pressure(const sup_soft *soft, const sup_inputs *inputs, int k, double t,
                         double constant);
/** 1: a pressure, also of a chamber, turns with the surface; small strains keep the first one. */
int sup_soft_has_follower(const sup_soft *soft);
/** Set what constant pressures, tensions and growths make of the state at time 0.
 *  @param[in] load  their share: 1 in motion, 0 before load steps */
void sup_state_set_loads(sup_state *state, const sup_model *model, double load);
/** Shares of a body's growths at time t [s].
 *  @param[in]  constant  of growths without a table
 *  @param[out] share     [sup_fem_num_growths] */
void sup_soft_growth(const sup_soft *soft, double t, double constant, double *share);
/** values, of the body's own pattern, += weight times the stiffness of its pressures at time t on
 * the surface at x [N/m]. */
void sup_soft_add_load_stiffness(const sup_soft *soft, const sup_inputs *inputs, double t,
                                 const double *x, double weight, double constant, double *values);
/** Energy of the pressures at time t along the straight way from x0 to x1, beyond that of their
 * forces at x0 [J]. */
double sup_soft_pressure_energy(const sup_soft *soft, const sup_inputs *inputs, double t,
                                const double *x0, const double *x1, double constant);
/** Mark the vertices of the mesh that a region holds, with mark[i] = value; the others stay as they
 * are. E_ARG: no vertex, or the mesh has no set of that name.
 *  @param[in,out] mark  [num_vertices] */
SUP_NODISCARD sup_status sup_region_select(const sup_region *region, const sup_mesh *mesh,
                                           unsigned char value, unsigned char *mark);
/** Give the cells of a named set a material: material[c] = k > 0, which must have been 0.
 *  E_ARG: the mesh has no such set of cells, or a cell of it has a material.
 *  @param[in,out] material  [num_cells] */
SUP_NODISCARD sup_status sup_region_assign(const sup_mesh *mesh, const char *set, int k,
                                           int *material);
/** Body by name ("ROBOT/LINK", rigid or soft name), SUP_NONE when unknown. */
int sup_model_find_body(const sup_model *model, const char *name);
/** Warn of changed options without effect in the model. */
void sup_options_warn(const sup_options *options, const sup_model *model);
/** True if contacts are rigid or have the solver's own compliance, instead of the law's stiffness.
 */
int sup_options_solver_compliance(const sup_options *options);
/** Reason why two bodies can never push each other, as the end of a sentence; NULL: they can. */
const char *sup_model_exclusion_reason(const sup_model *model, int a, int b);
/** Tree and link of a joint "ROBOT/JOINT"; 0 when unknown. */
int sup_model_find_joint(const sup_model *model, const char *name, int *tree, int *link);
