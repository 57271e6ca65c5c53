/** Assembly of eight cells at once, one a lane of a vector.  Layer fem, private.
 *
 *  Data of cells are stored lane by lane: number k of cell c of a batch is at 8 k + c.  Results of
 * a cell do not depend on its neighbours in the batch and are added to matrices and forces in the
 * order of the cells: the bits depend neither on batches nor on threads.  All sets with fused
 * multiply-adds give the same bits; the plain set gives different bits. */
#pragma once

#include "fem/element/element.h"

/** Least det(tr U - U), U = R^T F, which is 8 at rest: below it a cell counts as inverted or flat,
 * without a rotation. */
#define SUP_FEM_LEAST_TURN 1e-3

typedef struct sup_batch {
  int           num_cells; /* 1 to SUP_BATCH; lanes without a cell have zeros below */
  int           num_vertices, num_pairs;
  const double *stiffness; /* [stiffness_size x SUP_BATCH] of the element, 64-byte aligned */
  const double *gradient;  /* [num_vertices x 3 x SUP_BATCH] mean shape gradients in slot order
                              [1/m], aligned; zero of  cells that do not turn */
  const double
            *moduli; /* [2 x SUP_BATCH] volume times lambda and mu [N m]; zero as well, aligned */
  const int *cell;   /* [num_cells x num_vertices] vertices in the cell's order */
  const int *vertex; /* [num_cells x num_vertices] and those of the slots */
  const int *entry;  /* [num_cells x num_pairs] */
} sup_batch;

/** Input and output of a pass over the cells of a batch. */
typedef struct sup_batch_step {
  const double *X, *x; /* positions at rest and now, of all vertices [m]; X NULL: x are velocities
                          times the scale, and f the force of K on them */
  const sup_m3 *R;     /* [num_cells] of the batch */
  const double *scale; /* [num_cells] of the batch; scale of the stiffness, and of x if X is NULL */
  const double
      *arms; /* [3 x num_vertices x SUP_BATCH] of the batch, aligned: with X, f has scale times the
                force of R^T (x - x_0) - arms beside the elastic one; dense cells; NULL: not */
  /* of a viscoelastic body: the share m of K0 that the force of R^T (x - x_0) - (X - X_0) has, and
     displacements [3 x num_vertices x SUP_BATCH] whose force comes beside it; only with X; NULL */
  const double *share, *history;
  const unsigned char
      *owned; /* [num_cells x num_vertices] of the batch, slots: 1: block columns and forces of the
                 vertex are added, 0: another range owns the vertex; NULL: all are added */
  double       *values;     /* += scale R K0 R^T, column-major blocks; NULL: not computed */
  const size_t *place;      /* of each entry in the values; only with values */
  double       *f;          /* += elastic force [N] of all vertices; NULL: not computed */
  int           is_turning; /* the force includes terms of rotations that turn with x */
  double tension; /* values += tension T (fem/tension.c), f += T times the turn w at x; only with f;
                     0: none */
  sup_v3 w;
  /* predicted rotations (THEORY 23.2c, 23.3), displacements y = (Q - 1) x about each cell; only
   * with f and X */
  int    is_carried; /* f += K y of a common rotation of all cells .. */
  sup_v3 turn;       /* .. by the angle a about an axis: axis tan(a/2) */
  const double
      *v; /* velocities of all vertices at the step's start [m/s], from which each cell's own
             rotation follows: f, turned += rate K y, turned_work := rate y .  K y; NULL: nothing */
  double        dt;                   /* [s] */
  const double *rate;                 /* [num_cells] of the batch */
  double       *turned, *turned_work; /* of all vertices; [num_cells] of the batch */
  double *pull; /* [9 x SUP_BATCH] := P of tension, in the axes of R [N m], aligned; NULL: not asked
                   for */
} sup_batch_step;

typedef struct sup_batch_kernels {
  const char *name;
  /** Elements with a dense K0: component 3 i + j of pair p is number 9 p + 3 i + j. */
  void (*dense)(const sup_batch *batch, const sup_batch_step *step);
  /** T4: its stiffness is cheaper to compute from rotated gradients than to rotate,
   * R K0_ab R^T = V (mu (h_a.h_b) I + mu h_b h_a^T + lambda h_a h_b^T) with h_a = R grad N_a.
   * Without terms of turning rotations. */
  void (*t4)(const sup_batch *batch, const sup_batch_step *step);
  /** Geometric stiffness under tension alone, all elements; tension = 1, with the scale; f and
   * values may be NULL. */
  void (*tension)(const sup_batch *batch, const sup_batch_step *step);
  /** The sum of x . T x over the cells, from R, x, the scale, which x has, and pull. */
  double (*pull_work)(const sup_batch *batch, const sup_batch_step *step);
  /** f += scale T x, from R, x, the scale and pull. */
  void (*pull_multiply)(const sup_batch *batch, const sup_batch_step *step);
} sup_batch_kernels;

/** Best set of kernels that this processor runs. */
const sup_batch_kernels *sup_batch_select(void);
/** Set number k, best first; NULL: this processor lacks the set; *end := 1 if k is past the last
 * set. */
const sup_batch_kernels *sup_batch_set(int k, int *end);

/** Rotations of the cells of consecutive batches (fem/kernel/rotation.c), the polar factors of
 * their mean deformation; the identity of cells that do not turn.  The bits are the same in every
 * set and for any grouping of batches; groups of two use the processor best.
 *  @param[in]  batch  [num_batches] all but the last full
 *  @param[out] R      [their cells]
 *  @return T4, H8: cells that the map to x turns inside out at any integration point; other
 * elements: 0 */
typedef int sup_batch_rotate(const sup_batch *batch, int num_batches, const double *x, sup_m3 *R);
sup_batch_rotate *sup_batch_rotate_select(void);
sup_batch_rotate *sup_batch_rotate_set(int k, int *end);
