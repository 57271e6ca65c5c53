/** Viscoelasticity of bodies: generalised Maxwell elements, a Prony series for each material, of
 * all laws and elements (THEORY 22).  Layer fem.
 *
 *  The state of a body has internal variables, one set for each term.  Of cells with K0 and of
 * linear T4 they are displacements y_i in the axes of the cell, so that K0 y_i is the force of the
 * term; of laws at points the second Piola stress H_i.  All moduli relax alike. */
#pragma once

#include "fem/body.h"
#include "fem/element/element.h"

/** Numbers of a cell in a set, no less than 3 of each vertex. */
enum { SUP_FEM_MOST_HISTORY = 6 * SUP_ELEMENT_MAX_POINTS };

/** Numbers of the internal variables of a body in a state; 0: it is elastic. */
size_t sup_fem_num_internal(const sup_fem_body *body);
/** Numbers of one set of them. */
size_t sup_fem_history_size(const sup_fem_body *body);

/** Number of sets of internal variables: the largest number of terms of a material, and one of
 * growths (fem/growth.h). */
int sup_fem_num_sets(const sup_fem_body *body);
/** Size of one set for a body of the same kind with num_cells cells. */
size_t sup_fem_history_size_of(const sup_fem_body *body, int num_cells);
/** Numbers of a cell in a set. */
int sup_fem_cell_history(const sup_fem_body *body);
/** Read or write the numbers of cell c in a set of this body or a like one with other cells. */
void sup_fem_history_load(const sup_fem_body *body, const double *set, int c, double *numbers);
void sup_fem_history_store(const sup_fem_body *body, const double *numbers, int c, double *set);

/** Workspace of a viscoelastic body's step; arrays of sup_fem_history_size. */
typedef struct sup_fem_relaxing {
  double *start;   /* displacements or stress at the step's start */
  double *history; /* 64-byte aligned */
  double *growth;  /* [sup_fem_num_growths] shares at the step's end */
} sup_fem_relaxing;

/** Fill `work` and out of a step of duration dt from x, with the rotations R there; dt = INFINITY:
 * complete relaxation; dt = 0: none. */
void sup_fem_begin_relaxation(const sup_fem_body *body, const sup_m3 *R, const double *x, double dt,
                              const double *internal, const sup_fem_relaxing *work,
                              sup_fem_relaxation *out);
/** internal := internal variables after the step from x0 to x, with the rotations R at x.
 *  @param[in] work  of its begin
 *  @param[out] done  [2] dissipation of the terms along the path [J]: work of their stress, less
 * what they store now, of cells with K0 and linear T4 never negative; work of growth at the step's
 * start [J].  dt = INFINITY: 0 */
void sup_fem_end_relaxation(const sup_fem_body *body, const double *x0, const sup_m3 *R,
                            const double *x, double dt, const sup_fem_relaxing *work,
                            double *internal, double done[2]);
/** Stored energy at x: of the long-term moduli, and of the terms [J].  Of laws at points the latter
 * is 1/2 H : C^-1 : H/g with C of small strains. */
double sup_fem_stored_energy(const sup_fem_body *body, const sup_m3 *R, const double *x,
                             const double *internal);
