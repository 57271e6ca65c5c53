/** States of rest at the end of a load step: the machinery of a step without inertia, damping and
 * relaxation. Private to layer step.
 *
 *  Unknowns are v = displacement / h with h the duration of the load step.  Elastic forces,
 * contacts, springs and the positions of attached vertices are linear about the end of the last
 * iteration, so that the iteration converges to the equilibrium of the true forces; only friction
 * and drives depend on the load step's start. */
#pragma once

#include "step/static/stopping.h"
#include "step/stepper.h"

/** One tree, about s->statics->q; from the arena, column- or row-major as they are symmetric. */
typedef struct sup_statics_tree {
  double *K;                /* [nv x nv] geometric stiffness of gravity, springs and loads on it */
  double  pull;             /* proximal weight, over its forces per size of the bodies [-] */
  double  bend;             /* factor of K in A: h^2 or 0 */
  double *held;             /* [nv] proximal weights on A's diagonal */
  double *pulled;           /* [nv] stiffness of its forces per size of the bodies */
  int     raises;           /* of the proximal weight that made A positive definite */
  double  first, round_off; /* size of the forces at the load step's start; to which they are known
                               [N or N m] */
} sup_statics_tree;

/** Phase of the iteration: the K in A, and the test of the next step (THEORY 18.2). */
typedef enum sup_static_phase {
  SUP_STATIC_START,     /* exact K about the start of the load step; the cost must fall */
  SUP_STATIC_GLOBAL,    /* exact K about the iterate; the cost must fall */
  SUP_STATIC_LOCAL,     /* near a balance: A may be reused; the next error must fall */
  SUP_STATIC_PROJECTED, /* after a refused step: positive semidefinite K; the cost must fall */
  SUP_STATIC_ESCAPE     /* after a saddle: exact K, shifted where A is not positive definite */
} sup_static_phase;

struct sup_statics {
  double soft_weight; /* proximal weight of soft bodies: M in A over the cells' K; has no effect on
                         the solution [-] */
  double tree_weight; /* least one of trees: beside stiff contact less would be round-off [-] */
  sup_static_phase phase;
  /* of trees, from the arena */
  sup_statics_tree *tree;      /* [num_trees] */
  double           *tree_mass; /* [num_v] diagonal of their inertia */
  double *tree_force; /* [num_v] size of gravity, springs and loads in each joint, as if all pulled
                         together */
  double    *q, *v;   /* [num_q], [num_v] about which A and p are linear */
  double     length;  /* of the bodies [m] */
  sup_frame *X_start, *X_end; /* [num_bodies] workspace of the energy */
  sup_v3    *w, *w_linear;    /* [num_bodies] workspace */
  sup_arena *turn[2];         /* of iterations, in turns: memory of one is valid in the next */
  sup_arena *inner; /* of a search for contacts with the analysis, then of the convex problem's
                       solution: forgotten with the next of either */
  sup_arena *kept;  /* the result of the last load step that found its equilibrium */
};

/** Outcome of one load step: data, not a status. */
typedef struct sup_equilibrium {
  sup_static_end  end;
  sup_step_report report;
  sup_reason      reason;      /* of the last convex problem */
  double          error;       /* largest residual of a body over its forces [-] .. */
  int             worst_block; /* .. of this body's largest */
  char            place[SUP_BLOCK_NAME_SIZE]; /* "joint 'wrist' of 'arm'", without a balance .. */
  char            force[32];                  /* .. and its residual: "0.1 N m" */
} sup_equilibrium;

SUP_NODISCARD sup_status sup_statics_create(sup_statics **statics);
void                     sup_statics_destroy(sup_statics **statics);
/** Equilibrium at the end of a load step of duration h from `state`; s->end.next, s->end.kin_next
 * and the result then describe it.  s->statics and s->start.inc are set.
 *  @param[in] is_held    no body moves rigidly against nothing but contact
 *  @param[in] is_cut     a longer load step from there failed: no prediction
 *  @param[in] o  tolerance of `error`, and should_stop */
SUP_NODISCARD sup_status sup_equilibrium_find(sup_stepper *s, const sup_state *state, int is_held,
                                              int is_cut, const sup_static_options *o,
                                              sup_equilibrium *out);
/** out->place and out->force of a load step that found no equilibrium; r [num_scalars] residual [N
 * or N m]. */
SUP_NODISCARD sup_status sup_equilibrium_describe(sup_stepper *s, const double *r,
                                                  sup_equilibrium *out);
/** Fail with the reason that no equilibrium was found between state->time and h later, and advice.
 */
SUP_NODISCARD sup_status sup_equilibrium_not_found(const sup_stepper *s, const sup_state *state,
                                                   const sup_static_options *o, double h,
                                                   const sup_equilibrium *out);
/** Copy the result's arrays, so that the next load step may fail or be stopped. */
SUP_NODISCARD sup_status sup_statics_store_result(sup_statics *statics, const sup_model *model,
                                                  sup_step_result *result);
/** v [num_scalars] := block velocities over the load step, extrapolated from the last two.  0:
 * there are none, they differ too much, or trees have unknowns. */
int sup_statics_predict(const sup_stepper *s, const sup_state *state, double *v);
/** next->path after a load step from `state`; only smooth ones are extrapolated. */
SUP_NODISCARD sup_status sup_statics_update_path(sup_state *next, const sup_state *state,
                                                 int is_smooth);
/** Soft bodies at the start of a load step from `state`: scheme, held components, attachments; v0
 * := 0. */
SUP_NODISCARD sup_status sup_statics_start_softs(sup_stepper *s, const sup_state *state);
/** Attachments of soft bodies about `at`, which is the start of the load step or s->end.next. */
SUP_NODISCARD sup_status sup_statics_attach(sup_stepper *s, const sup_state *state,
                                            const sup_state *at);
/** Inertia and start of all soft bodies: proximal term by M about the block velocities v (NULL:
 * about the start), with the weight grip. */
void sup_statics_add_proximal(sup_stepper *s, const double *v);
/** Assemble A and p about s->end.next, after the block velocities v; NULL: about `state`. */
SUP_NODISCARD sup_status sup_statics_assemble(sup_stepper *s, const sup_state *state,
                                              const double *v);
/** s->end.next and s->end.kin_next from the solution of a load step: integrated from the positions
 * about which A and p are linear, so that turns do not add up. */
SUP_NODISCARD sup_status sup_statics_integrate(sup_stepper *s);
/** Arrays of trees for a load step from `state`. */
SUP_NODISCARD sup_status sup_statics_allocate_trees(sup_stepper *s, const sup_state *state);
/** Proximal weights of trees on A's diagonal, and the least size of that diagonal [num_scalars]. */
void sup_statics_proximal(const sup_stepper *s, double *held, double *least);
/** Size of gravity, springs and loads on tree t, at the load step's start or now, the larger: scale
 * of the residual, at least its round-off over the tolerance [N or N m]. */
double sup_statics_tree_force(const sup_stepper *s, int t, double tolerance);
/** Energy of gravity, springs and loads on links at the block velocities v less the part in A and
 * p, up to a constant [J].  Torques of loads have no energy and count as A and p see them. */
double sup_statics_tree_excess(const void *stepper, const double *v);
