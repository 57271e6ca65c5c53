/** One piece of contact between two bodies.  Layer collide: geometry; a step adds its solution. */
#pragma once

#include "collide/origin.h"
#include "model/model.h"

enum { SUP_CONTACT_MAX_POINTS = 9 };

/** One contact polygon: a piece of body a's surface inside body b (THEORY 15.3); or one point
 * between two rigid shapes: num_points = 1, area 0, stiffness k given by the pair. */
typedef struct sup_contact {
  int    pair;                   /* of the model */
  int    body_a, body_b;         /* the normal points from a to b */
  int    geometry_a, geometry_b; /* SUP_NONE: soft */
  int    item_a, item_b;         /* triangle of a surface or cell of a field; SUP_NONE: neither */
  int    cell_a, cell_b;         /* fields: cells of soft meshes; surfaces: the face; or SUP_NONE */
  int    num_points;             /* corners of the polygon */
  sup_v3 point[SUP_CONTACT_MAX_POINTS]; /* world [m] */
  double level[SUP_CONTACT_MAX_POINTS]; /* patches: pressures at the corners at the step's start, p
                                           = -g phi [Pa] */
  double top; /* largest level at corners of merged pieces, inside of their outline, too [Pa] */
  sup_v3 centroid, normal; /* world */
  sup_v3 foot;    /* point of action of the normal force (friction acts at the centroid); world */
  double area;    /* of the polygon [m^2] */
  int    parts;   /* number of contacts that share the stiffness of one; 0: a single contact */
  double facing;  /* cosine between a's outward normal and n: projected share of the area */
  double phi;     /* signed depth at the centroid, negative inside; fields: -p/g [m] */
  double advance; /* opening of the gap by the turning of both bodies within the step, contained in
                     position and phi: the law's gap at the start is phi - advance [m] */
  sup_v3 shift; /* displacement of b past a before the search, since normals of curved surfaces move
                   over the other surface; else 0 [m] */
  sup_v3 lever; /* subtracted from the point when levers of links are computed [m]: b's share of the
                   shift by curvature.  One point for two links conserves angular momentum; soft
                   bodies have levers of the unchanged point */
  double penetration; /* overlap at the centroid; round patches: at the deepest point [m]; fields:
                         p/g with g along the gradients */
  sup_v3 drift; /* slip of b past a that the turning of joints adds by the step's end, at the start
                   velocities [m/s]; 0 if slip is measured in the axes of the start */
  double point_stiffness; /* > 0: k [N/m] of a point contact, before the near-rigid rule */
  double beyond; /* patches: part of |phi| that is no overlap, as in fields seen edge-on; mean of
                    the pieces, weighted by stiffness [m] */
  double spread; /* patches: variance of the overlap |phi| - beyond [m^2] */
  double slope;  /* of a patch: pressure per approach, k = slope area facing [Pa/m] */
  /* patches whose force is nonlinear in the depth: slope and phi are those of the tangent, these of
   * the secant from first touch, for steps that do not resolve the tangent; slope 0: none */
  double secant_slope, secant_phi;
  double patch_area;  /* area of a patch of round shapes [m^2]; else 0 */
  double power;       /* secant: force ~ depth^power; 0: the force is linear in the depth */
  double stiffness;   /* k [N/m] after the near-rigid rule */
  double dissipation; /* d [s/m] */
  double start_force, start_friction; /* normal force and bound of friction at the step's start,
                                         which bound moments [N] */
  sup_carrier carrier_a, carrier_b; /* material points at the centroid; across a gap, the points at
                                       which the normal through the centroid meets each body */
  sup_v3 force;                     /* on b, world [N] */
  sup_v3 couple;                    /* on b, of rolling and torsional friction, world [N m] */
  double pressure;                  /* normal force / area [Pa]; 0 for a point */
  double rate;                      /* opening speed of the gap at the end of the step [m/s] */
  double stored;                    /* elastic energy at the end of the step [J] .. */
  double elastic;                   /* .. and the normal force without dissipation [N] */
  double given; /* power to a rolling soft body by the motion of its lever within the step [W]
                 */
  sup_v3 slip;  /* tangential velocity of b relative to a at the end of the step, world [m/s] */
  /* properties of the law at this contact (THEORY 6.7); all except slip_tolerance need
   * sup_options.certificate */
  double gliding_offset;      /* gap that sliding adds [m] */
  double effective_stiffness; /* while sliding [N/m] */
  double slip_tolerance;      /* scale of the slip at which friction reaches its bound [m/s] */
  double stick_creep;         /* slip at the present friction in stiction [m/s] */
} sup_contact;

/** Share of phi that is an overlap, over all merged pieces; the energy is proportional to the
 * square of the overlap. */
static inline double sup_contact_stored_share(const sup_contact *c) {
  return c->beyond > 0 ? 1 - c->beyond / fabs(c->phi) : 1;
}

/** Overlap at the centroid without the shift of b along the normal [m]. */
static inline double sup_contact_depth(const sup_contact *c) {
  return c->penetration + sup_v3_dot(c->normal, c->shift);
}

/** Moment about `origin` of force and couple on b [N m], with the lever of side a (0) or b (1). */
static inline sup_v3 sup_contact_moment(const sup_contact *c, int side, sup_v3 origin) {
  sup_v3 normal = sup_v3_scale(sup_v3_dot(c->force, c->normal), c->normal);
  if (side || c->geometry_a != SUP_NONE) origin = sup_v3_add(origin, c->lever);
  sup_v3 moment =
      sup_v3_add(sup_v3_cross(sup_v3_sub(c->centroid, origin), sup_v3_sub(c->force, normal)),
                 sup_v3_cross(sup_v3_sub(c->foot, origin), normal));
  return sup_v3_add(moment, c->couple);
}

/** Share of phi that is an overlap: 1, decreasing to 0 for patches whose normal is more than 60
 * degrees from the gradient of their field (edge-on or from behind), as on the sides of a thin
 * finger.  In such patches phi is pressure over a small slope. */
static inline double sup_contact_overlap_share(const sup_contact *c) {
  double cosine = c->phi != 0 && !(c->patch_area > 0) ? fabs(c->penetration / c->phi) : 1;
  return sup_min(1, 2 * cosine);
}

enum { SUP_PIECE_NEAREST = 4 };

/** Key of pieces that belong together: ints alone, without padding. */
typedef struct sup_piece_key {
  int cell[2];                       /* of a, of b */
  int nearest[2][SUP_PIECE_NEAREST]; /* vertices with the largest weight; several may be equal */
} sup_piece_key;

/** Key and order of a contact among the pieces of one contact. */
typedef struct sup_piece {
  sup_piece_key key;
  int item[2]; /* items of a and b, which order the pieces of a group independently of the search */
  int next;    /* of the group, or SUP_NONE */
} sup_piece;

/** Contacts of one step; the memory is kept from step to step. */
typedef struct sup_contact_list {
  sup_contact *contact;
  size_t       capacity;
  int          count;
  sup_origins  origins; /* origins of the contacts, to measure them again */
  /* counts of pieces of fields under pressure without contact */
  int discarded_small;    /* area below 1e-12 of the squared size of the smaller body */
  int discarded_backward; /* pressure does not grow along the normal: seen edge-on, or too deep */
  int discarded_inverted; /* cell of a soft body turned inside out */
  double opened;   /* sup_surface_opened of the pair searched last [m]; HUGE_VAL: not known */
  int num_silent;  /* pairs that overlap too deep for any contact: a thin body was pushed through */
  int silent_pair; /* the first of them, or SUP_NONE */
  int num_passed;  /* pairs that pass each other within the step, beyond the reach of their margins
                    */
  int                     passed_pair; /* the first of them, or SUP_NONE */
  int                    *candidate;   /* pairs of the broad phase */
  size_t                  candidate_capacity;
  int                     num_candidates;
  sup_piece              *piece; /* scratch */
  int                    *group; /* scratch: first pieces of the groups, hashed by their keys */
  size_t                  piece_capacity, group_capacity;
  struct sup_facet       *facet; /* scratch: facets of one pair that are cut into pieces */
  struct sup_facet_piece *facet_piece;
  int                     num_facets, num_facet_pieces;
  size_t                  facet_capacity, facet_piece_capacity;
  int everything; /* 1: search all pairs, facets and cells at any distance; reference for tests */
  struct sup_collision    *of;   /* search that filled the list, in the step's arena */
  struct sup_contact_list *part; /* contacts of each thread, before they are merged; or NULL */
} sup_contact_list;
