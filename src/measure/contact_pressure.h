/** Contact forces as a pressure on the surfaces of soft bodies: the lumped projection (THEORY
 * 20.3).  Layer measure.
 *
 *  A contact acts on vertices with weights w_ca of sum 1.  The normal forces f_a = sum w_ca f_c n_c
 * of a vertex over the area A_a = int N_a that sees them, facing included, are its pressure p_a =
 * |f_a|/A_a; on the faces it is sum p_a N_a: not negative, continuous, and its integral is the
 * resultant.  Pieces of contact polygons have their own pressures, which come as islands where a
 * flat face meets a round shape.  On quadratic tetrahedra p is linear on the whole face: the middle
 * of a side has the mean of its ends. */
#pragma once

#include "step/result.h"

typedef struct sup_contact_pressure {
  const sup_model *model;
  int             *first_face, *face; /* [num_vertices + 1]; faces of their body at each vertex */
  int    *end; /* [num_vertices x 2] of the side that a vertex is the middle of, or itself twice */
  int     has_taken, index, has_all; /* what was taken: of which pair, SUP_NONE or all the same */
  int     num_loaded;
  int    *loaded;          /* [num_vertices] vertices of the state that a contact acts on */
  double *force;           /* [num_vertices x 3] of contacts on it, friction included [N] */
  double *normal;          /* [num_vertices x 3] of that the normal forces [N] */
  double *area;            /* [num_vertices] of the surface that sees them [m^2]; 0 inside */
  double *pressure;        /* [num_vertices] [Pa]; 0 inside */
  unsigned char *is_steep; /* [num_vertices] all faces there lean from the force */
} sup_contact_pressure;

SUP_NODISCARD sup_status sup_contact_pressure_create(sup_contact_pressure **p,
                                                     const sup_model       *model);
void                     sup_contact_pressure_destroy(sup_contact_pressure **p);
/** 1: the contact is one of a soft surface with the exact depth of a rigid shape.  Contacts of
 * pressure fields are finer than the surface's faces, and contacts of soft bodies lie inside of the
 * cells. */
bool sup_contact_is_on_surface(const sup_contact *contact, const sup_model *model);
/** Pressure at a corner of its polygon: linear with its mean at the centroid, as at the step's
 * start; the mean where that says nothing [Pa]. */
double sup_contact_corner_pressure(const sup_contact *contact, int corner);
/** Largest pressure of a patch [Pa]: at corners of the pieces that were merged, too, as an outline
 * may lie where fields end and drops corners by round-off. */
double sup_contact_peak_pressure(const sup_contact *contact);
/** Compute the pressure of the contacts with which[model pair] == index; SUP_NONE: all.  Repeated
 * calls with the same arguments reuse the last result until it is discarded.
 *  @param[in] x  [num_vertices x 3] where the soft bodies are [m] */
void sup_contact_pressure_add(sup_contact_pressure *p, int num_contacts, const sup_contact *contact,
                              const int *which, int index, const double *x);
/** Discard the pressure: contacts or bodies have changed. */
void sup_contact_pressure_forget(sup_contact_pressure *p);
/** Projection of vertex i's share of a face on the direction of its normal force [m^2]; 0 for a
 * face that leans by more than 73 degrees, unless all faces of the vertex do. */
double sup_contact_pressure_projected_area(const sup_contact_pressure *p, int i, sup_v3 share);
/** Pressure at vertex i of the state [Pa]. */
double sup_contact_pressure_at(const sup_contact_pressure *p, int i);

/* Faces of elements: those of the surface, of T10 four of them each. */

enum { SUP_FACE_OUTLINE_MAX_VERTICES = 6 };
int sup_contact_pressure_num_faces(const sup_soft *soft);
/** 3 or 4 */
int sup_contact_pressure_num_corners(const sup_soft *soft);
/** Vertex of the body. */
int sup_contact_pressure_corner(const sup_soft *soft, int f, int k);
/** Vertices around the face, middles of sides included; returns their number. */
int sup_contact_pressure_outline(const sup_soft *soft, int f,
                                 int vertex[SUP_FACE_OUTLINE_MAX_VERTICES]);
/** Area vectors that the corners of face f carry, at the body's points [m^2]. */
void sup_contact_pressure_shares(const sup_soft *soft, const double *points, int f,
                                 sup_v3 share[SUP_FACE_MAX_VERTICES]);
