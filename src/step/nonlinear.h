/** Descent on the whole cost of a step or a state of rest, elastic energies as they are.  Private
 * to layer step.
 *
 *  A and p of the stepper are linear about some velocities; sup_solve finds where the convex
 * problem with them has its minimum.  The true cost phi differs by what the elastic energies are
 * not quadratic, and is made to fall on the way there. */
#pragma once

#include "step/stepper.h"

/** Vectors of one descent, from the arena. */
typedef struct sup_descent {
  sup_stepper       *s;
  const sup_state   *state;
  const sup_problem *problem;
  /* what else the true cost has beside that of A and p, at block velocities; NULL: nothing [J] */
  double (*excess)(const sup_stepper *s, const double *v);
  struct {
    double *v;      /* [num_scalars] block velocities about which A and p are linear */
    double *energy; /* [num_softs] elastic energies there; NAN: nobody asked */
  } base;
  double  *tried; /* [num_softs] energies where the cost was asked for last; NAN, NULL: not known */
  double  *trial, *way, *Av, *impulse, *inv_sqrt_d, *size;
  double **force; /* [num_softs][num_vertices x 3] elastic forces at x */
  sup_m3  *R;     /* [most cells of a body] rotations where an energy is asked for */
} sup_descent;

/** Vectors for s, state and problem, which are set. */
SUP_NODISCARD sup_status sup_descent_allocate(sup_descent *descent);
/** Elastic energy of body i at the base [J]. */
double sup_descent_base_energy(const sup_descent *descent, int i);
/** A and p are linear about v now: forces there, and energies once somebody asks. */
void sup_descent_note(const sup_descent *descent, const double *v);
/** s->solution.v := the point between the base (0) and s->solution.v (1), from `length` on halved
 * until phi has fallen: how many were tried; 0 when it does not.  In the end it falls by less than
 * the round-off of the energies in it: what counts then is the residual. */
int sup_descent_go(const sup_descent *descent, double length);
/** s->solution.v := base + a direction with the a of longest, longest/2, .. at which phi is lowest,
 * less what holds on to the base on A's diagonal (`held` [num_scalars]); 0 when it falls nowhere.
 */
int sup_descent_fall(const sup_descent *descent, const double *held, const double *direction,
                     double longest);
/** Momentum error at s->solution.v of A and p that are linear there (THEORY 5.2), with its
 * impulses. */
void sup_descent_measure(const sup_descent *descent, sup_solve_report *solved);
