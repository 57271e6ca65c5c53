/** Pressure fields: linear on tetrahedra, or on a half space.  Layer geom: knows no bodies, no
 * forces.
 *
 *  p is zero on the surface of a body, grows inwards to its modulus E_h, and continues below zero
 * within the margin around the body (THEORY 9.1).  A field is constant in the frame of the body
 * that carries it. */
#pragma once

#include "geom/bvh.h"
#include "geom/polygon.h"

/** A convex cell with linear p, in the frame of the request. */
typedef struct sup_field_cell {
  int       num_planes; /* 4 of a tetrahedron, 0 of a half space */
  sup_plane inside[4];  /* barycentric coordinates: >= 0 inside */
  sup_plane pressure;   /* p(x) [Pa]; its normal is grad p [Pa/m] */
  double    steepness;  /* |grad p| */
  sup_v3    corner[4];
} sup_field_cell;

typedef struct sup_field {
  int     num_sharers;          /* number of references besides the creator's */
  int     num_points, num_tets; /* both 0: a half space */
  double *x;                    /* [num_points x 3] in the carrier's frame [m] */
  double *p;                    /* [num_points] [Pa] */
  int    *tet;                  /* [num_tets x 4], positive */
  double  size;                 /* largest extent along an axis without the margin [m]: round-off is
                                   measured by it */
  double          margin;       /* extent of x and p outside the surface [m] */
  double          far;          /* extent of far_cell: margin, or more (sup_field_extend) [m] */
  int             is_rigid;     /* 1: rigid half space: only the plane p = 0 counts */
  sup_field_cell *cell;         /* [num_tets], or one */
  sup_field_cell *far_cell;     /* the same cells, extended outside the body; or NULL */
  double          lowest, highest; /* of p at the points [Pa]; a half space has neither */
  double          far_lowest;      /* of far_cell */
  double          steepest; /* largest steepness of a cell [Pa/m]; HUGE_VAL of what is rigid */
  double swell; /* the part with -q <= p extends at most q times this beyond the part with 0 <= p
                   [m/Pa] */
  double
      stretch; /* largest way to where -p is a cell's slope times 1 m, on which a gap is 1 m [-] */
  double
      slab; /* range of p over which surfaces of equal pressure move by the size of a facet [Pa] */
  /* Hierarchy of the cells; NULL for a half space.  Where all points are at the lowest or at the
     highest pressure, a cell's section of equal pressure moves linearly from its lowest points
     (bvh->node, far_outer) to its highest (inner).  Otherwise inner is NULL and the hierarchy holds
     whole cells. */
  sup_bvh      *bvh;
  sup_bvh_node *inner, *far_outer;
} sup_field;

/** A field from the arrays of a T4 mesh, which it copies.  E_GEOMETRY: a flat cell, with its
 * number. */
SUP_NODISCARD sup_status sup_field_create(sup_field **field, int num_points, const double *x,
                                          const double *p, int num_tets, const int *tet,
                                          double margin);
/** Make cells that extend outside up to `far` [m], for points x, p of the same tetrahedra.
 * E_GEOMETRY: a flat cell.  Long cells cost digits and serve only fast approaches. */
SUP_NODISCARD sup_status sup_field_extend(sup_field *field, const double *x, const double *p,
                                          double far);
/** Unbounded half space with positive `pressure`. */
SUP_NODISCARD sup_status sup_field_create_half_space(sup_field **field, const sup_plane *pressure,
                                                     bool is_rigid, double margin);
/** Add a reference to the field. */
sup_field *sup_field_retain(sup_field *field);
/** Drop a reference; the last one frees the field. */
void sup_field_destroy(sup_field **field);

/** The cell of a tetrahedron with linear p; 0 when it is flat or inverted. */
int sup_field_cell_of(const sup_v3 corner[4], const double p[4], sup_field_cell *cell);
/** The cell in the frame that X maps to. */
void sup_field_cell_transform(const sup_frame *X, const sup_field_cell *cell, sup_field_cell *out);
