/* A stored contact problem through Siconos' solvers: siconos FILE.npz SOLVER TOLERANCE ITERATIONS.
 *
 *  FILE.npz has G, g, mus and perhaps R and cstar, without joint rows; SOLVER is Siconos' number
 * (Friction_cst.h).  Prints "info N", the code of the driver, then a line "x y n" of impulses
 * [N s] for each contact.  Some of its solvers end the process or never return: whoever calls this
 * sets a limit of time. */
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <stdio.h>
#include <stdlib.h>

#include "solve/stored/stored_problem.h"

/** Row k of ours, [x, y, n], in Siconos' order, (n, t1, t2). */
static size_t place(size_t k) { return k % 3 == 2 ? k - 2 : k + 1; }

static int solve(const sup_delassus_problem *q, int solver, double tolerance, int iterations) {
  size_t  n = (size_t)q->size;
  double *M = malloc(n * n * sizeof *M), *g = malloc(n * sizeof *g);
  double *reaction = calloc(n, sizeof *reaction), *velocity = calloc(n, sizeof *velocity);
  if (!M || !g || !reaction || !velocity) return 1;
  for (size_t i = 0; i < n; i++) {
    g[place(i)] = q->g[i] - q->target[i];
    for (size_t j = 0; j < n; j++) /* column-major; symmetric */
      M[place(j) * n + place(i)] = q->G[i * n + j] + (i == j ? q->R[i] : 0);
  }
  FrictionContactProblem *problem = frictionContactProblem_new_with_data(
      3, q->num_contacts, NM_create_from_data(NM_DENSE, q->size, q->size, M), g, q->mu);
  SolverOptions *options = solver_options_create(solver);
  if (!problem || !options) return 1;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
  int info = fc3d_driver(problem, reaction, velocity, options);
  printf("info %d\n", info);
  for (size_t i = 0; i < n; i += 3)
    printf("%.17g %.17g %.17g\n", reaction[i + 1], reaction[i + 2], reaction[i]);
  return 0;
}

int main(int argc, char **argv) {
  sup_stored_problem *stored;
  if (argc != 5) {
    fprintf(stderr, "usage: siconos FILE.npz SOLVER TOLERANCE ITERATIONS\n");
    return 2;
  }
  if (sup_stored_problem_read(&stored, argv[1]) != SUP_OK) {
    fprintf(stderr, "siconos: %s\n", sup_error_message());
    return 2;
  }
  if (!stored->delassus.G || stored->delassus.num_joints > 0) {
    fprintf(stderr, "siconos: %s: expected G and no joint rows\n", argv[1]);
    return 2;
  }
  int code = solve(&stored->delassus, atoi(argv[2]), atof(argv[3]), atoi(argv[4]));
  sup_stored_problem_destroy(&stored);
  return code;
}
