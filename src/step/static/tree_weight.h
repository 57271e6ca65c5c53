/** Proximal weights of one tree in a load step (THEORY 18.4).  Private to layer step. */
#pragma once

/** A tree's block of A and its forces; all matrices [n x n]. */
typedef struct sup_tree_weight {
  int           n;
  const double *A, *K; /* block of A without geometric stiffness, and geometric stiffness .. */
  double        bend;  /* .. whose factor in A is h^2 or 0 */
  const double *force; /* [n] sizes of forces on each joint [N or N m] */
  const double *mass;  /* [n] diagonal of inertia */
  double        h;     /* duration [s] */
  double        size;  /* of the bodies [m] */
  double        pull;  /* weight over the forces per size, adapted to the trust radius [-] */
} sup_tree_weight;

/** G [n] := the least weights tried, from `weight` on, with which A + bend K + diag(G) is positive
 * definite.  Returns how often they were raised.
 *  @param[out] pulled  [n] stiffness of forces per size: the least size of A's diagonal
 *  @param[out] L       [n x n] workspace */
int sup_tree_weight_find(const sup_tree_weight *tree, double weight, double *pulled, double *L,
                         double *G);
/** True if a factor of A shows the curvature of a tree's energy, since no proximal weight changed
 * A. */
int sup_tree_weight_shows(int raises, double pull);
/** Pull of a tree after a step whose largest displacement over the trust radius is given. */
double sup_tree_weight_update(double pull, double overshoot);
