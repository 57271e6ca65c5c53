/** Matrix-free operator of a body in a step, by cells, recomputed in each product.  Layer fem. */
#pragma once

#include "fem/body.h"
#include "la/linear_operator.h"

/** 1: cells have a rotation and a K0: H8, and T10 whose materials all are linear in a step or
 * corotational. */
bool sup_fem_has_cell_stiffness(const sup_fem_body *body);
/** 1: thin cells are solid-shells, for which matrix-free smoothers are unsuitable. */
bool sup_fem_has_solid_shells(const sup_fem_body *body);

/** Operator of such a body, equal to the matrix of fem/body.h.  Arrays are the caller's and outlive
 * the products. */
typedef struct sup_fem_cells {
  const sup_fem_body *body;
  const sup_m3       *R;                            /* [num_cells] at x */
  const double       *x;                            /* [num_vertices x 3] [m] */
  double              scale[SUP_FEM_MAX_MATERIALS]; /* of K(R) */
  double              turning; /* of what turning rotations add to K (sup_fem_add_tangent), which
                                  is `scale` but for damping and relaxation; 0: nothing */
  double                    tension;    /* of T; 0: none */
  double                   *pull;       /* [sup_fem_tension_size] P of T; only with tension */
  const sup_fem_increment  *inc;        /* damping and relaxation; with turning; NULL: none */
  const sup_fem_relaxation *relaxation; /* with tension; NULL: none */
  sup_fem_mass_terms        mass;
} sup_fem_cells;

/** scale K(R) alone. */
sup_fem_cells sup_fem_cells_of_stiffness(const sup_fem_body *body, const sup_m3 *R, double scale);
/** Matrix of sup_fem_step_matrix with tension, whose P is in `pull`.
 *  @param[in] relaxation  NULL: elastic */
sup_fem_cells sup_fem_cells_of_step(const sup_fem_body *body, const sup_m3 *R, const double *x,
                                    double dt, const double *c, double damping,
                                    const sup_fem_relaxation *relaxation, double *pull);
/** `mass` plus the matrix of sup_fem_add_step_stiffness; if is_exact is 0 with tension, whose P is
 * written to `pull`. */
sup_fem_cells sup_fem_cells_of_tangent(const sup_fem_body *body, const sup_m3 *R, const double *x,
                                       double scale, const sup_fem_increment *inc, bool is_exact,
                                       const sup_fem_mass_terms *mass, double *pull);

/** out := A v, both [num_vertices x 3].  Collective. */
void sup_fem_cells_multiply(const sup_fem_cells *cells, const double *v, double *out);
/** block [num_vertices x 9] := sum of the diagonal blocks of A over this rank's cells. */
void sup_fem_cells_diagonal(const sup_fem_cells *cells, double *block);
/** Visit the terms of A except masses on its diagonal: matrices of cells, vertices as block
 * columns, and couplings of two vertices by mass.
 *  @param[in] is_valued  0: K is NULL */
void sup_fem_cells_visit(const sup_fem_cells *cells, bool is_valued, sup_clique_visitor *visit,
                         void *user);
