/** Facets of a surface that cannot follow the shape that they meet.  Layer collide, private to the
 * narrow phase.
 *
 *  The depth phi of a convex shape is a convex function with |grad phi| = 1: each value phi_k with
 * its gradient g_k at a point x_k bounds it from below by a plane, phi(x) >= phi_k + g_k (x - x_k)
 * (THEORY 19.1).  What is interpolated from the corners of a facet is never deeper than phi; a
 * shape that fits inside the facet is not seen at all.  Such facets are cut into pieces
 * (facet_pieces.c), the pieces' overlaps are merged into three contacts (facet_merge.c).
 */
#pragma once

#include "collide/surface/surface_depth.h"

/** A triangle of the surface, flat. */
typedef struct sup_facet {
  int    triangle;
  sup_v3 corner[3];       /* world */
  sup_v3 velocity[3];     /* of the corners past the shape [m/s] */
  sup_v3 axis[2], normal; /* unit vectors in its plane and outward */
  sup_v3 pressed;         /* contact normal of the present overlap; 0: none */
  double area;
  double error;                /* bound on phi interpolated from the corners less phi [m] */
  double nearest;              /* no point of it is deeper than this [m] */
  double turn;                 /* largest difference of the gradients at its corners */
  double volume, volume_ahead; /* overlap by the corners, now and within the step [m^3] */
  double share; /* of its stiffness that its pieces bring; the rest is that of the corners' depth */
  double corners;  /* of its stiffness that the corners' depth brings where there are no pieces */
  double followed; /* deepest point of the facets that follow the shape [m]; 0: none */
  int    first_contact, num_contacts; /* those of the corners' depth */
  int    first_piece;                 /* SUP_NONE: nothing of it can overlap */
} sup_facet;

/** A part of a facet. */
typedef struct sup_facet_piece {
  int              facet, next; /* of the same facet, or SUP_NONE */
  sup_v3           corner[3];
  sup_plane        plane[4]; /* bounds from below, from the corners and the centroid */
  double           volume;   /* of the overlap as seen at few points [m^3] */
  double           error;    /* by how much it may be larger */
  sup_piece_origin origin;
} sup_facet_piece;

/** Time of a search: overlap at the step's start, or while the facet moves straight for a step. */
typedef enum sup_facet_time { SUP_FACET_NOW, SUP_FACET_AHEAD } sup_facet_time;

typedef struct sup_facet_look {
  const sup_moving_shape *b;
  double                  dt, drop;
  sup_facet_time          time;
  double                  tolerance; /* relative, of the volume of overlap */
  double                  least;     /* least depth of an overlap [m] */
} sup_facet_look;

enum { SUP_FACET_BANDS = 6 };

/** Sums over points of a patch of one facet, by area times facing. */
typedef struct sup_facet_moments {
  sup_v3 origin; /* the first point */
  double area, sum, x[2], xx[3], phi, phi_phi, phi_x[2];
  double n, n_t[2], tt[3]; /* the shape's normal along the facet's and in its plane, and squares */
  double xt[3];            /* the latter by x, symmetric */
} sup_facet_moments;

/** Tolerance of the overlap volume by pieces, relative.  The force error is then
 * about 0.002: force is integrated with the depth itself, not with its bounds (balls, boxes, ends
 * of cylinders, any size). */
#define SUP_FACET_TOLERANCE 0.3

/** Facet of a triangle with these velocities of its corners; the caller sets its depth. */
sup_facet sup_facet_make(int triangle, const sup_v3 corner[3], const sup_v3 velocity[3]);
/** Cut the list's facets [first, list->num_facets) into pieces until the overlap with b is known to
 * the tolerance.
 *  @param[in] volume  overlap of the other facets of the pair [m^3] */
SUP_NODISCARD sup_status sup_facet_cut(sup_contact_list *list, const sup_facet_look *look,
                                       double volume);
/** Piece of a facet by its origin. */
sup_facet_piece sup_facet_place_piece(const sup_facet_look *look, const sup_facet *f,
                                      const sup_piece_origin *origin);
/** Add the points of facet f's pieces to moments [SUP_FACET_BANDS]: of the overlap now, in
 * moments[0]; ahead, by their gaps, each band reaching half as far as the one before.  Returns the
 * deepest overlap of the points [m]. */
double sup_facet_gather(const sup_contact_list *list, const sup_facet_look *look, int f,
                        sup_facet_moments *moments);
/** Velocity of a point of the facet past the shape [m/s]. */
sup_v3 sup_facet_velocity(const sup_facet *f, sup_v3 x);

void sup_facet_moments_add(sup_facet_moments *m, const sup_facet *facet, double area, sup_v3 x,
                           double phi, sup_v3 n);
/** Three contacts with the sums of the points: area, force, its moment and, as far as the patch has
 * one normal, the second moments of the area, so that they resist tilting as the patch does; the
 * depth is that of the best linear fit, the normal that of the shape on the patch which is nearest
 * to the facet's own.  `to` [3] hold the prototype; the carriers are left to the caller. */
void sup_facet_merge(const sup_facet_moments *m, const sup_facet *facet, double slope,
                     sup_contact *to);

/** Contacts of the list's facets, by their pieces.
 *  @param[in] volume  overlap of the other facets of the pair [m^3] */
SUP_NODISCARD sup_status sup_facet_contacts(sup_contact_list *list, const sup_contact *prototype,
                                            const sup_moving_surface *a, const sup_moving_shape *b,
                                            double dt, double drop, double volume);
/** Contacts of the origins from[*at ..] of facets, which are the list's; *at := first of another
 * kind. */
SUP_NODISCARD sup_status sup_facet_measure(sup_contact_list *list, const sup_contact *prototype,
                                           const sup_moving_surface *a, const sup_moving_shape *b,
                                           double dt, double drop, const sup_pair_origins *from,
                                           int *at);
