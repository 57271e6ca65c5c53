/** Dynamics of a step: A and p of the convex problem, v0, and what they are made of.  Layer step.
 *
 *  The stage reads the start and the contacts that were found (soft_scheme.c alone); strategies
 * call it again about another solution.  Functions of the assembly alone need nothing of the start.
 */
#pragma once

#include "collide/contact.h"
#include "constraint/attachment.h"
#include "fem/cell_operator.h"
#include "fem/viscoelastic.h"
#include "step/free_motion.h"
#include "step/result.h"
#include "step/start.h"

/** Time scheme of a soft body: velocity after the step v = C u - lag, balance C M v - start = dt f.
 * Written by soft_scheme.c, for load steps, too. */
typedef struct sup_soft_scheme {
  double       *c;       /* [num_vertices] C; NULL: 1 */
  double       *start;   /* [num_vertices x 3] [N s]; statics: the proximal term */
  double        inertia; /* factor of M in A: 1; statics: the proximal weight [-] */
  const double *surface; /* [num_vertices x 3] where tractions and reactions act: at the step's
                            start; statics: about where A and p are linear */
  double       *lag;     /* [num_vertices x 3]; NULL: 0 */
  double        damping; /* the damping force sees the velocity damping u - (damping - 1) u_{-1} */
  const double *mean;    /* [num_vertices x 3] u_{-1}; with lag only */
  int           is_impact;
} sup_soft_scheme;

/** One soft body within the increment; arrays from the arena.  Written by dynamics.c, except
 * members that name another writer. */
typedef struct sup_soft_work {
  sup_m3 *R; /* [num_cells] rotations at x */
  double *A; /* C M C + damping dt D + dt^2 K on all its vertices: blocks of the fem pattern .. */
  const size_t *place; /* .. and where they begin, [entries of the fem pattern] */
  /* of a body that is not assembled (free_matrix.c): A are the diagonal blocks, [num_vertices x 9],
     of which the cells have `known`, and behind them those of sup_soft_map.link; vectors
     [num_vertices x 3] of its products */
  sup_fem_cells cells;
  double       *known, *in, *out, *cell_pull;
  /* stiffness damping of nonlinear materials: strains [sup_fem_strain_size] at the step's start,
     workspace, and those from which increments are measured; NULL: none */
  double           *strain0, *strain, *reference;
  sup_fem_increment increment;
  /* of a viscoelastic body (fem/viscoelastic.h), else 0; workspace for rotations after the step */
  sup_fem_relaxing   relaxing;
  sup_fem_relaxation relaxation;
  sup_m3            *R_end;
  double *p; /* [num_vertices x 3] start + C M lag + (damping - 1) dt D u_{-1} + dt f, nonlinear
                materials + dt^2 K u */
  double *x; /* [num_vertices x 3] positions about which elastic forces are linear */
  sup_fem_prediction
          ahead; /* turns that are predicted; damping NULL: no stiffness damping that knows them */
  double *pull;  /* [sup_fem_tension_size] tension that is in A; NULL: a nonlinear material */
  double
      *elastic; /* [num_vertices x 3] elastic forces at x of a nonlinear material, else NULL [N] */
  int  is_nonlinear;
  int  inverted, inverted_now; /* cells inside out: number to report, and number at x */
  sup_attachment attachment;   /* of load steps static_softs.c */
  double *held; /* [num_vertices x 3] velocities (statics: displacements) of held components, 0 for
                   others.  Written by dirichlet.c */
  sup_soft_scheme scheme;
  /* [num_vertices x 3] workspace of the running stage */
  double *v, *Av, *f, *g;
} sup_soft_work;

/** A and p of the increment and their parts; arrays from the arena, but A and D.  Strategies of
 * load steps also shift the diagonal of A where A is not positive definite. */
typedef struct sup_assembly {
  const sup_step_layout *layout;
  double *A;         /* [layout.num_values] with ranks a part of the sum over them, of which trees
                        are the first one's.  By dynamics.c, links.c, trees.c, springs.c,
                        dirichlet.c */
  double         *D; /* with ranks the diagonal blocks of the sum, else NULL.  By ranks.c */
  sup_block_rest  rest;  /* part of A that is not stored; with layout.is_free.  By free_matrix.c */
  sup_block_ranks ranks; /* with ranks; ask sup_assembly_ranks */
  double         *p;     /* [num_scalars] by dynamics.c, trees.c, springs.c, loads.c, dirichlet.c */
  double         *v0;    /* [num_scalars] velocities of the start, in block order.  By dynamics.c */
  double *linear_at;     /* [num_scalars] velocities about which soft bodies in A, p are linear; of
                            bodies that are not nonlinear the start counts.  By dynamics.c */
  sup_soft_work *soft;   /* [num_softs] */
  sup_kinematics within; /* where springs and loads act: q_th of the scheme's theta and the velocity
                            `about`; theta = 0 and statics: kin.  By trees.c */
  double *about;  /* [num_scalars] velocities of trees about which A and p are linear; theta = 0:
                     NULL.  By trees.c */
  double elapsed; /* since the increment's start when kin was seen, with its velocities [s] */
  int    is_nonlinear; /* some body needs Newton's method on the elastic energy */
  int    is_exact;     /* 1: K of nonlinear bodies in A is the second derivative of the energies; 0:
                          it is positive semidefinite.  By dynamics.c, as the caller wants it */
  sup_block_space space; /* where the vertices are.  By assembly.c */
} sup_assembly;

/* ---- A (assembly.c, ranks.c) ----------------------------------------------------------------- */

/** Memory of A, zero; the layout outlives it.  Returned empty on failure. */
SUP_NODISCARD sup_status sup_assembly_create(sup_assembly *assembly, const sup_step_layout *layout);
void                     sup_assembly_free(sup_assembly *assembly);
/** Ranks that share the cells; NULL: one alone.  A is the sum of the ranks' parts; all else is
 * whole and equal on all ranks. */
static inline const sup_block_ranks *sup_assembly_ranks(const sup_assembly *assembly) {
  return assembly->layout->model->ranks ? &assembly->ranks : NULL;
}
/** Set `space` to vertices at the start. */
SUP_NODISCARD sup_status sup_assembly_set_space(const sup_step_start *s, sup_assembly *assembly);
/** Diagonal block b of A. */
static inline const double *sup_assembly_diagonal_block(const sup_assembly *assembly, int b) {
  return sup_block_diagonal_all(sup_assembly_ranks(assembly), &assembly->layout->A_pattern,
                                assembly->A, b);
}
/** out := A v. */
static inline void sup_assembly_multiply(const sup_assembly *assembly, const double *v,
                                         double *out) {
  sup_block_multiply_all(sup_assembly_ranks(assembly), &assembly->layout->A_pattern, assembly->A, v,
                         out);
  if (assembly->layout->is_free) assembly->rest.add(&assembly->rest, v, out);
}
/** Pattern and values for readers of diagonal blocks and sizes only. */
static inline const sup_block_pattern *sup_assembly_diagonal_pattern(const sup_assembly *assembly) {
  return assembly->layout->model->ranks ? &assembly->layout->D_pattern
                                        : &assembly->layout->A_pattern;
}
static inline const double *sup_assembly_diagonal_values(const sup_assembly *assembly) {
  return assembly->layout->model->ranks ? assembly->D : assembly->A;
}
/** diagonal [num_scalars] := diagonal of A. */
void sup_assembly_diagonal(const sup_assembly *assembly, double *diagonal);
/** Diagonal of A := diagonal [num_scalars]. */
void sup_assembly_set_diagonal(sup_assembly *assembly, const double *diagonal);
/** Add a proximal term about the block velocities v: A += scale diagonal, p += scale diagonal v. */
void sup_assembly_add_proximal(sup_assembly *assembly, const double *diagonal, double scale,
                               const double *v);
/** Sum the diagonal blocks of assembled soft bodies over ranks; those of trees are then whole in A
 * on all ranks, for springs and drives. */
void sup_assembly_share_softs(sup_assembly *assembly);
/** Clear the trees' blocks of A on all ranks but the first, after springs and drives were added. */
void sup_assembly_share_trees(sup_assembly *assembly);

/* ---- the stage (dynamics.c) ------------------------------------------------------------------ */

/** A, p and v0 at the start, with the contacts that were found there (THEORY 2.3, 15.2, 15.5). */
SUP_NODISCARD sup_status sup_step_dynamics(const sup_step_start   *s,
                                           const sup_contact_list *contacts,
                                           sup_assembly           *assembly);
/** Arrays of the step from its arena: soft, p, v0, linear_at; space. */
SUP_NODISCARD sup_status sup_assembly_begin(const sup_step_start *s, sup_assembly *assembly);
/** Start of sup_assembly_softs without v: soft bodies at the step's start, with the elastic forces
 * of nonlinear ones. */
void sup_assembly_begin_softs(const sup_step_start *s, sup_assembly *assembly);
/** Assemble soft bodies into A and p, with held components eliminated.  Elastic forces of nonlinear
 * materials are linear about the positions after a step with the block velocities v; NULL: about
 * the step's start.  Columns of trees then have nothing else.
 *  @param[in] is_exact  sup_assembly.is_exact */
SUP_NODISCARD sup_status sup_assembly_softs(const sup_step_start *s, sup_assembly *assembly,
                                            const double *v, int is_exact);
/** Assemble A and p about the block velocities v; NULL: about the step's start. */
SUP_NODISCARD sup_status sup_assembly_about(const sup_step_start *s, sup_assembly *assembly,
                                            const double *v, int is_exact);
/** True if p can be updated while A is kept: not with trees of second order, ranks or bodies
 * without a matrix. */
int sup_assembly_can_reuse(const sup_step_start *s);
/** Update p about v for nonlinear bodies and keep A: the residual at v is exact, the tangent is
 * that of the last assembly.  For assembled bodies on one rank. */
SUP_NODISCARD sup_status sup_assembly_renew_forces(const sup_step_start *s, sup_assembly *assembly,
                                                   const double *v);
/** Report the cells that are inverted now: inverted := inverted_now. */
void sup_assembly_report_inverted(sup_assembly *assembly);
/** out := dt D u of soft body i, D = alpha M and beta K where the body is linear, all [num_vertices
 * x 3]; overwrites f and g of its work. */
void sup_assembly_multiply_damping(const sup_step_start *s, const sup_assembly *assembly, int i,
                                   const double *u, double *out);
/** out := dt^2 K u of soft body i, damping in K, with a nonlinear material; Mu is workspace, all
 * [num_vertices x 3]; overwrites g. */
void sup_assembly_multiply_stiffness(const sup_step_start *s, const sup_assembly *assembly, int i,
                                     const double *u, double *Mu, double *out);
/** out += dt times weight and tractions on soft body i in the step [N s]. */
void sup_assembly_external_impulse(const sup_step_start *s, const sup_assembly *assembly, int i,
                                   double *out);
/** Stiffness damping and relaxation of a nonlinear body; NULL: neither. */
const sup_fem_increment *sup_soft_work_increment(const sup_soft_work *work);

/* ---- time schemes of soft bodies (soft_scheme.c, spin.c) --------------------------------------
 */

/** Start of each soft body's time scheme, with the contacts that were found: c, start, lag. */
SUP_NODISCARD sup_status sup_assembly_schemes(const sup_step_start   *s,
                                              const sup_contact_list *contacts,
                                              sup_assembly           *assembly);
/** 1: soft body i has a step before this one, for BDF2. */
int sup_assembly_has_history(const sup_step_start *s, int i);
/** Length of the step over that of the one before. */
double sup_assembly_length_ratio(const sup_step_start *s);
/** u [num_scalars] := block velocities of the step before; of bodies without history, and of trees,
 * those of the step's start. */
void sup_assembly_mean_before(const sup_step_start *s, const sup_assembly *assembly, double *u);
/** u [num_scalars] := block velocities predicted for a step from those before. */
void sup_assembly_predict(const sup_step_start *s, const sup_assembly *assembly, double *u);
/** Restart BDF2 steps of bodies in an impact as steps of first order; *any := 1 if there are any:
 * A and p then are to be assembled again. */
SUP_NODISCARD sup_status sup_assembly_restart_impacts(const sup_step_start *s,
                                                      sup_assembly *assembly, int *any);
/** Scheme of soft body i in a load step, without inertia; `start` is from the arena.
 *  @param[in] surface  sup_soft_scheme.surface */
SUP_NODISCARD sup_status sup_assembly_start_rest(const sup_step_start *s, sup_assembly *assembly,
                                                 int i, const double *surface);
/** Proximal term of a load step: M, `inertia` times, about the velocities v [num_vertices x 3];
 * NULL: about 0. */
void sup_assembly_add_mass_proximal(sup_assembly *assembly, int i, double inertia, const double *v);
/** Add to the start momentum of soft body i, if it turns freely, the angular momentum about its
 * centre that vertices of first order lose in the step, and the moment by its lever_rate. */
void sup_assembly_add_lost_spin(const sup_step_start *s, sup_assembly *assembly, int i);
/** 1: moments by levers are put back in this step. */
int sup_step_restores_spin(const sup_step_start *s);
/** Add moments by lever_rate of links to p. */
SUP_NODISCARD sup_status sup_assembly_lead_links(const sup_step_start *s, sup_assembly *assembly);
/** Internal variables of soft body i after the step to `next`, whose positions are set.  Call once:
 * overwrites the data of the step's forces.
 *  @return  energy taken by the terms of its materials [J] */
double sup_assembly_relax(const sup_step_start *s, const sup_assembly *assembly, int i,
                          sup_state *next);
/** Velocities of soft body i after the step and history for the next one, into `next`, from the
 * mean velocities u [num_vertices x 3]. */
void sup_assembly_update_history(const sup_step_start *s, const sup_assembly *assembly, int i,
                                 const double *u, sup_state *next);
/** True if a material of the body has mass damping. */
int sup_soft_has_drag(const sup_soft *soft);
/** lever_rate of `next` and of the step, [num_softs] from the arena, and the power that contacts
 * have given. */
SUP_NODISCARD sup_status sup_step_lever_rates(const sup_step_start *s, const sup_assembly *assembly,
                                              sup_contact_list *contacts, sup_state *next,
                                              sup_v3 **lever_rate);
/** Turning of soft body i in the step to `next`; impulse [num_vertices x 3]: external impulse
 * without mass damping, which is added.  Overwrites g of its work. */
sup_soft_spin sup_assembly_spin(const sup_step_start *s, const sup_assembly *assembly, int i,
                                const double *u, const sup_state *next, sup_v3 lever_rate,
                                double *impulse);
/** True if nothing of the body is attached or held. */
int sup_soft_turns_freely(const sup_soft *soft);

/* ---- held vertices (dirichlet.c) ---------------------------------------------------------------
 */

/** soft[i].held := rate times the displacement of held components from x [num_vertices x 3] to
 * their places at time t: for a step rate 1/dt and t its end, for statics rate 1. */
void sup_assembly_dirichlet_motion(const sup_step_start *s, sup_assembly *assembly, int i,
                                   const double *x, double t, double rate);
/** Eliminate the held components of all soft bodies from the assembled A and p, whose unknowns are
 * velocities or displacements as soft[i].held.  Reads soft[i].A, the matrix on all vertices of the
 * body: p -= A held for every unknown, free or of the tree that carries attached vertices (of the
 * components without unknowns, too: nothing else does it); rows and columns of held components of
 * vertices with a block become 0 but for the diagonal, which keeps its value, and p there diagonal
 * times held: the solution has held exactly.  Overwrites soft[i].Av. */
void sup_assembly_dirichlet(sup_assembly *assembly);
/** u's held components := soft[i].held, u in block order. */
void sup_assembly_dirichlet_velocity(const sup_assembly *assembly, double *u);
/** Forces of clamps and holds on soft body i [N, N m]: scale (A u - p) - external at the held
 * components, with Au = A u and soft[i].p as they were assembled; moments about
 * sup_dirichlet.about with the levers of x.
 *  @param[in]  external  [num_vertices x 3] forces that are not in p; NULL: none
 *  @param[out] out       [num_holds of the body] */
void sup_assembly_reactions(const sup_assembly *assembly, int i, const double *Au, const double *x,
                            double scale, const double *external, sup_wrench *out);

/* ---- attached vertices (links.c) ---------------------------------------------------------------
 */

/** A += T^T K T of THEORY 15.2 of the blocks of soft body i with attached vertices, which bodies on
 * one tree share. */
SUP_NODISCARD sup_status sup_assembly_add_links(const sup_step_start *s, sup_assembly *assembly,
                                                int i);
/** out := A v of soft body i at its attached vertices, and at all when only they move;
 * [num_vertices x 3] both. */
void sup_assembly_multiply_links(const sup_assembly *assembly, int i, const double *v, double *out);
/** p += pa [3] at vertex k of soft body i, mapped to the unknowns that move it; nothing for a held
 * vertex. */
void sup_assembly_add_momentum(sup_assembly *assembly, int i, int k, const double pa[3]);
/** Velocities of soft body i's vertices from block velocities u: free, attached with the base's
 * motion, clamped 0. */
void sup_assembly_vertex_velocity(const sup_assembly *assembly, int i, const double *u, double *v);

/* ---- bodies that are not assembled (free_matrix.c) ---------------------------------------------
 */

SUP_NODISCARD sup_status sup_assembly_allocate_free(const sup_step_start *s, sup_assembly *assembly,
                                                    int i);
/** The rest of A that the cells of soft bodies make; `assembly` keeps its address. */
sup_block_rest sup_assembly_rest_of_cells(const sup_assembly *assembly);
/** A and known of body i's work := the diagonal blocks of its cells; in A also the blocks of links.
 */
void sup_assembly_copy_cells(const sup_assembly *assembly, int i);
/** The block of the k-th link of body i, assembled or not. */
const double *sup_assembly_link_block(const sup_assembly *assembly, int i, size_t k);
/** Copy the diagonal blocks of vertices with unknowns of body i into A. */
void sup_assembly_copy_diagonal(sup_assembly *assembly, int i);
/** out := A u of soft body i on all its vertices, stored or not. */
void sup_assembly_multiply_soft(const sup_assembly *assembly, int i, const double *u, double *out);

/* ---- trees and what acts on links (trees.c, springs.c, loads.c) ---------------------------------
 */

/** Trees into A and p, with `within` and `about`: linear about their free motion or, with a scheme
 * of second order and v (block order, else NULL), about v. */
SUP_NODISCARD sup_status sup_assembly_trees(const sup_step_start *s, sup_assembly *assembly,
                                            const double *v);
/** Springs between links into A and p, with the trees' velocities v [num_v] when `kin` was seen. */
SUP_NODISCARD sup_status sup_assembly_springs(const sup_step_start *s, sup_assembly *assembly,
                                              const double *v);
/** Loads on a tree, means over the step; from the arena. */
SUP_NODISCARD sup_status sup_step_tree_loads(const sup_step_start *s, int tree,
                                             const sup_tree_load **loads, int *num_loads);
/** Loads on links into p, where they are no part of a tree's free motion. */
SUP_NODISCARD sup_status sup_assembly_loads(const sup_step_start *s, sup_assembly *assembly);
/** Efforts that were set on joints into p. */
void sup_assembly_efforts(const sup_step_start *s, sup_assembly *assembly);
