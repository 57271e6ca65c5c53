/** True cost of a step or a load step, with the nonlinear elastic energies, and its line searches.
 * Private to layer step.
 *
 *  A and p are linear about some velocities, the base; sup_solve finds the minimum
 * of the convex problem with them.  The true cost phi differs by the parts of the elastic energies
 * that are not quadratic.  Its line searches are those of solve/newton/line_search.h that use
 * values alone. */
#pragma once

#include "step/solution.h"

/** True cost phi about one base; vectors from the arena. */
typedef struct sup_true_cost {
  const sup_step_start *start;
  const sup_problem    *problem;
  sup_assembly         *assembly;
  sup_step_solution    *solution;
  /* further part of the true cost beside that of A and p, at block velocities; NULL: none [J] */
  double (*excess)(const void *user, const double *v);
  const void *user;
  struct {
    double *v;      /* [num_scalars] block velocities about which A and p are linear */
    double *energy; /* [num_softs] elastic energies there; NAN: not computed yet */
  } base;
  double  *trial_energy; /* [num_softs] energies at the last trial point; NAN, NULL: not known */
  double  *trial, *direction, *Av, *impulse, *inv_sqrt_d, *size;
  double **force; /* [num_softs][num_vertices x 3] elastic forces at x */
  sup_m3  *R;     /* [most cells of a body] rotations for an energy */
} sup_true_cost;

/** Create the vectors; start, problem, assembly and solution are set.
 *  @param[in] remembers  energies of the last trial point serve a base there */
SUP_NODISCARD sup_status sup_true_cost_allocate(sup_true_cost *cost, int remembers);
/** Elastic energy of body i at the base [J]. */
double sup_true_cost_base_energy(const sup_true_cost *cost, int i);
/** Record the linearisation point x of A and p.  Elastic forces, and energies if `is_tried`, are
 * those of the last trial at x; otherwise energies are computed when needed. */
void sup_true_cost_record_linearisation_point(const sup_true_cost *cost, int is_tried);
/** Set the base of the line search to v, about which A and p are linear: forces there; energies
 * when they are needed. */
void sup_line_search_set_base(const sup_true_cost *cost, const double *v);
/** cost->solution->v := the point between the base (0) and cost->solution->v (1), with the step
 * length halved from `length` on until phi has fallen.  Returns the number of trials; 0: phi does
 * not fall.  Near the minimum phi falls by less than the round-off of its energies; then the
 * residual decides.
 */
int sup_line_search_backtrack(const sup_true_cost *cost, double length);
/** cost->solution->v := base + a direction with the a of longest, longest/2, .. at which phi, less
 * the proximal energy of `held` [num_scalars], is lowest; returns 0 if it falls nowhere. */
int sup_line_search_negative_curvature(const sup_true_cost *cost, const double *held,
                                       const double *direction, double longest);
/** Momentum error at cost->solution->v (THEORY 5.2), with A and p linear about this v and the
 * solution's impulses. */
void sup_true_cost_residual(const sup_true_cost *cost, sup_solve_report *solved);
