/** Facets of a surface that cannot follow the other shape.  Layer collide, private to the narrow
 * phase.
 *
 *  The depth phi of a convex shape is a convex function with |grad phi| = 1: each value phi_k with
 * its gradient g_k at a point x_k bounds it from below by a plane, phi(x) >= phi_k + g_k (x - x_k)
 * (THEORY 19.1).  Depth interpolated from the corners of a facet is never deeper than phi, and
 * misses a shape that fits inside the facet.  Such facets are cut into pieces (facet_pieces.c), the
 * pieces' overlaps are merged into three contacts (facet_merge.c).
 */
#pragma once

#include "collide/surface/surface_depth.h"

/** A triangle of the surface, flat. */
typedef struct sup_facet {
  int    triangle;
  sup_v3 corner[3];       /* world */
  sup_v3 velocity[3];     /* velocities of the corners past the shape [m/s] */
  sup_v3 axis[2], normal; /* unit vectors in its plane and outward */
  sup_v3 pressed;         /* contact normal of the present overlap; 0: none */
  double area;
  double error;                /* bound on phi interpolated from the corners less phi [m] */
  double nearest;              /* bound on the depth of its points [m] */
  double turn;                 /* largest difference of the gradients at its corners */
  double volume, volume_ahead; /* overlap by the corners, now and within the step [m^3] */
  double share; /* share of its stiffness from pieces; the rest is from the depth at the corners */
  double corners;  /* share of its stiffness from the depth at the corners, without pieces */
  double followed; /* deepest point of facets that follow the shape [m]; 0: none */
  int    first_contact, num_contacts; /* contacts by the depth at the corners */
  int    first_piece;                 /* first piece; SUP_NONE: no part can overlap */
} sup_facet;

/** A part of a facet. */
typedef struct sup_facet_piece {
  int              facet, next; /* next piece of the facet, or SUP_NONE */
  sup_v3           corner[3];
  sup_plane        plane[4]; /* bounds from below, from the corners and the centroid */
  double           volume;   /* overlap by a few points [m^3] */
  double           error;    /* bound on its error [m^3] */
  sup_piece_origin origin;
} sup_facet_piece;

/** Time of a search: overlap at the step's start, or while the facet moves straight for a step. */
typedef enum sup_facet_time { SUP_FACET_NOW, SUP_FACET_AHEAD } sup_facet_time;

typedef struct sup_facet_query {
  const sup_moving_shape *b;
  double                  dt, drop;
  sup_facet_time          time;
  double                  tolerance; /* relative, of the volume of overlap */
  double                  least;     /* least depth of an overlap [m] */
} sup_facet_query;

enum { SUP_FACET_BANDS = 6 };

/** Sums over points of a patch of one facet, by area times facing. */
typedef struct sup_facet_moments {
  sup_v3 origin; /* the first point */
  double area, sum, x[2], xx[3], phi, phi_phi, phi_x[2];
  double n, n_t[2], tt[3]; /* components of the shape's normal along the facet's normal and in its
                              plane, and their squares */
  double xt[3];            /* in-plane component times x, symmetric */
} sup_facet_moments;

/** Tolerance of the overlap volume by pieces, relative.  The error of the force is about 0.002, for
 * balls, boxes and ends of cylinders of any size, since the force is integrated with the depth
 * itself, not with its bounds. */
#define SUP_FACET_TOLERANCE 0.3

/** Facet of a triangle with these velocities of its corners; the caller sets its depth. */
sup_facet sup_facet_make(int triangle, const sup_v3 corner[3], const sup_v3 velocity[3]);
/** Cut the list's facets [first, list->num_facets) into pieces until the overlap with b is known to
 * the tolerance.
 *  @param[in] volume  overlap of the other facets of the pair [m^3] */
SUP_NODISCARD sup_status sup_facet_cut(sup_contact_list *list, const sup_facet_query *query,
                                       double volume);
/** Piece of a facet by its origin. */
sup_facet_piece sup_facet_place_piece(const sup_facet_query *query, const sup_facet *f,
                                      const sup_piece_origin *origin);
/** Add the points of facet f's pieces to moments [SUP_FACET_BANDS].  The overlap now is in
 * moments[0]; overlap within the step is sorted by gaps into bands, each half as wide as the band
 * before.  Returns the deepest overlap of the points [m]. */
double sup_facet_gather(const sup_contact_list *list, const sup_facet_query *query, int f,
                        sup_facet_moments *moments);
/** Velocity of a point of the facet past the shape [m/s]. */
sup_v3 sup_facet_velocity(const sup_facet *f, sup_v3 x);

void sup_facet_moments_add(sup_facet_moments *m, const sup_facet *facet, double area, sup_v3 x,
                           double phi, sup_v3 n);
/** Three contacts with the sums of the points: area, force, moment and, as far as the patch has one
 * normal, second moments of the area, so that the contacts resist tilting as the patch does.  The
 * depth is the best linear fit; the normal is the shape's normal on the patch that is nearest to
 * the facet's normal. `to` [3] hold the prototype; the caller sets the carriers. */
void sup_facet_merge(const sup_facet_moments *m, const sup_facet *facet, double slope,
                     sup_contact *to);

/** Contacts of the list's facets, by their pieces.
 *  @param[in] volume  overlap of the other facets of the pair [m^3] */
SUP_NODISCARD sup_status sup_facet_contacts(sup_contact_list *list, const sup_contact *prototype,
                                            const sup_moving_surface *a, const sup_moving_shape *b,
                                            double dt, double drop, double volume);
/** Contacts of the origins from[*at ..] of the list's facets; *at := first origin of another kind.
 */
SUP_NODISCARD sup_status sup_facet_measure(sup_contact_list *list, const sup_contact *prototype,
                                           const sup_moving_surface *a, const sup_moving_shape *b,
                                           double dt, double drop, const sup_pair_origins *from,
                                           int *at);
