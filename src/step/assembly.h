/** Dynamics of a step: A and p of the convex problem, the velocities v0 of the start, and their
 * parts.  Layer step.
 *
 *  The stage reads the start; soft_scheme.c also reads the contacts that were found.  Strategies
 * call the stage again about another solution.  Functions that take only the assembly read nothing
 * of the start.
 */
#pragma once

#include "collide/contact.h"
#include "constraint/attachment.h"
#include "fem/cell_operator.h"
#include "fem/viscoelastic.h"
#include "model/chamber.h"
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
  /* body that is not assembled (free_matrix.c): A holds the diagonal blocks [num_vertices x 9],
   * whose parts by cells are `known`, then the blocks of sup_soft_map.link; in, out, cell_pull
   * [num_vertices x 3] are vectors of products */
  sup_fem_cells cells;
  double       *known, *in, *out, *cell_pull;
  /* stiffness damping of nonlinear materials: strains [sup_fem_strain_size] at the step's start,
   * workspace, and strains that increments are relative to; NULL: no such damping */
  double           *strain0, *strain, *reference;
  sup_fem_increment increment;
  /* viscoelastic bodies (fem/viscoelastic.h), else 0; R_end: workspace for rotations after the step
   */
  sup_fem_relaxing   relaxing;
  sup_fem_relaxation relaxation;
  sup_m3            *R_end;
  double *p; /* [num_vertices x 3] start + C M lag + (damping - 1) dt D u_{-1} + dt f, nonlinear
                materials + dt^2 K u */
  double *x; /* [num_vertices x 3] positions about which elastic forces are linear */
  sup_fem_prediction
          ahead; /* predicted rotations; its damping NULL: stiffness damping does not use them */
  double *pull;  /* [sup_fem_tension_size] tension that is in A; NULL: a nonlinear material */
  double
      *elastic; /* [num_vertices x 3] elastic forces at x of a nonlinear material, else NULL [N] */
  int  is_nonlinear;
  int  inverted, inverted_now; /* cells inside out: number to report, and number at x */
  sup_attachment attachment;   /* load steps: written by static_softs.c */
  const int     *holder; /* [num_vertices x 3] holds that are active in the increment; SUP_NONE */
  double *held; /* [num_vertices x 3] velocities (statics: displacements) of held components, 0 for
                   others.  Written by dirichlet.c */
  sup_soft_scheme scheme;
  /* [num_vertices x 3] workspace of the running stage */
  double *v, *Av, *f, *g;
} sup_soft_work;

/** Volume of a chamber or path of a cable at the linearisation of A and p (THEORY 4.9, 4.10): its
 * force, pressure or tension, in p, the term of rank one in a row beside A.  Signs are those of
 * volumes: the force grows the way; of a cable y is minus the rate of its length.  By column/. */
typedef struct sup_column {
  const char *name;
  double      way;              /* [m^3] or [m] */
  double      force, stiffness; /* [Pa] or [N]; its fall over the way; 0: no row */
  double      lowest;           /* of the force */
  int         is_given;         /* 1: a given volume or length, whose force is an unknown */
  double      excess;           /* given way less the way */
  /* given way: force of the last row, and its fall over excess in line searches */
  double  multiplier, penalty;
  double *column; /* [num_scalars] gradient of the way in block order [m^2] or [-] */
  double  known;  /* rate of the way by known velocities, less that of the linearisation */
  double  grip;   /* most that the force is times that of the column before, or the reverse; 0: no
                     matter */
  double slip;    /* given way passed on from the column before since the step's start */
} sup_column;

/** Chamber at the linearisation, -dt^2 pressure d2V/dx2 in A.  Arrays from the arena. */
typedef struct sup_chamber_work {
  sup_chamber_law law; /* law at the step's end */
  sup_column      row;
  double **area; /* [num_walls][num_vertices of the body x 3] minus the volume's gradient [m^2] */
} sup_chamber_work;

/** Cable at the linearisation: column/cables.h. */
typedef struct sup_cable_work sup_cable_work;
/** Way between two points: column/carried.h. */
typedef struct sup_carried sup_carried;

/** A and p of the increment and their parts; arrays from the arena, but A and D.  Strategies of
 * load steps also shift the diagonal of A where A is not positive definite. */
typedef struct sup_assembly {
  const sup_step_layout *layout;
  double *A; /* [layout.num_values]; several ranks: this rank's part of the sum, trees in the part
                of rank 0. By dynamics.c, links.c, trees.c, springs.c, dirichlet.c */
  double         *D;     /* several ranks: diagonal blocks of the sum, else NULL.  By ranks.c */
  sup_block_rest  rest;  /* part of A that is not stored, if layout.is_free.  By free_matrix.c */
  sup_block_ranks ranks; /* set if there are several; read by sup_assembly_ranks */
  double         *p;     /* [num_scalars] by dynamics.c, trees.c, springs.c, loads.c, dirichlet.c */
  double         *v0;    /* [num_scalars] velocities of the start, in block order.  By dynamics.c */
  double *linear_at; /* [num_scalars] velocities about which nonlinear soft bodies in A and p are
                        linear; linear bodies are linear about the start.  By dynamics.c */
  sup_soft_work       *soft;      /* [num_softs] */
  const unsigned char *held_axes; /* [num_blocks] layout.held_axes, or with events those that are
                                     held in the increment */
  sup_kinematics within; /* poses at which springs and loads act: q_th by the scheme's theta and the
                            velocity `about`; theta = 0 and statics: kin.  By trees.c */
  double *about;  /* [num_scalars] velocities of trees about which A and p are linear; theta = 0:
                     NULL.  By trees.c */
  double elapsed; /* time of kin, poses and velocities, after the increment's start [s] */
  int    is_nonlinear; /* some body needs Newton's method on the elastic energy */
  bool   is_apart; /* true: A of soft bodies is left out, and from p momenta, and forces of those
                      linear in a step.  By equations.c */
  int is_exact;    /* 1: K of nonlinear bodies in A is the second derivative of the energies; 0:
                      it is positive semidefinite.  By dynamics.c, as the caller wants it */
  sup_carried      *spring;         /* [num_springs] by springs.c */
  sup_chamber_work *chamber;        /* [num_chambers].  This and the next seven by column/ */
  double           *chamber_volume; /* [num_chambers] at the step's end [m^3] */
  int               num_cables;     /* that act, in load steps with lines */
  sup_cable_work   *cable;          /* [cables and lines of the model] */
  sup_column       *strand;         /* [num_strands] of all cables */
  double           *mobility;       /* [columns x columns] chambers, then strands: rates of ways by
                                       impulses of forces; 0: not found yet */
  bool            is_shifted;       /* true: the last factor is of A with a shifted diagonal */
  double         *known_v;          /* [num_scalars] velocities of held components, else 0 */
  sup_block_space space;            /* positions of the vertices.  By assembly.c */
} sup_assembly;

/* ---- A (assembly.c, ranks.c) ----------------------------------------------------------------- */

/** Memory of A, zero; the layout outlives it.  Returned empty on failure. */
SUP_NODISCARD sup_status sup_assembly_create(sup_assembly *assembly, const sup_step_layout *layout);
void                     sup_assembly_free(sup_assembly *assembly);
/** Ranks that share the cells; NULL: a single rank.  A is the sum of the ranks' parts; all other
 * data are complete and equal on all ranks. */
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
/** Sum the diagonal blocks of assembled soft bodies over ranks; afterwards the trees' blocks of A
 * are complete on all ranks, for springs and drives. */
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
 * the step's start.  The trees' columns then hold only the terms of attached vertices.
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
 * that of the last assembly.  Bodies must be assembled, on one rank. */
SUP_NODISCARD sup_status sup_assembly_renew_forces(const sup_step_start *s, sup_assembly *assembly,
                                                   const double *v);
/** Report the cells that are inverted now: inverted := inverted_now. */
void sup_assembly_report_inverted(sup_assembly *assembly);
/** out := dt D u of soft body i, with D = alpha M + beta K for linear bodies and alpha M for
 * others; arrays are [num_vertices x 3].  Overwrites f and g of the body's work. */
void sup_assembly_multiply_damping(const sup_step_start *s, const sup_assembly *assembly, int i,
                                   const double *u, double *out);
/** out := dt^2 K u of soft body i of a nonlinear material, with damping in K; Mu is workspace;
 * arrays are [num_vertices x 3].  Overwrites g of the body's work. */
void sup_assembly_multiply_stiffness(const sup_step_start *s, const sup_assembly *assembly, int i,
                                     const double *u, double *Mu, double *out);
/** out += dt times weight and tractions on soft body i in the step [N s]. */
void sup_assembly_external_impulse(const sup_step_start *s, const sup_assembly *assembly, int i,
                                   double *out);
/** Stiffness damping and relaxation of a nonlinear body; NULL: neither. */
const sup_fem_increment *sup_soft_work_increment(const sup_soft_work *work);

/* ---- time schemes of soft bodies (soft_scheme.c, spin.c) --------------------------------------
 */

/** c, start and lag of each soft body's time scheme, by the contacts that were found. */
SUP_NODISCARD sup_status sup_assembly_schemes(const sup_step_start   *s,
                                              const sup_contact_list *contacts,
                                              sup_assembly           *assembly);
/** 1: soft body i has the history of the previous step that BDF2 needs. */
int sup_assembly_has_history(const sup_step_start *s, int i);
/** Ratio of the length of this step to the length of the previous step. */
double sup_assembly_length_ratio(const sup_step_start *s);
/** u [num_scalars] := block velocities of the previous step; for trees and bodies without history,
 * velocities of the step's start. */
void sup_assembly_mean_before(const sup_step_start *s, const sup_assembly *assembly, double *u);
/** u [num_scalars] := block velocities of the step, extrapolated from previous steps. */
void sup_assembly_predict(const sup_step_start *s, const sup_assembly *assembly, double *u);
/** Restart BDF2 steps of bodies in an impact as steps of first order; *any := 1 if a body restarts:
 * A and p must then be assembled again. */
SUP_NODISCARD sup_status sup_assembly_restart_impacts(const sup_step_start *s,
                                                      sup_assembly *assembly, int *any);
/** Scheme of soft body i in a load step, without inertia; `start` is from the arena.
 *  @param[in] surface  sup_soft_scheme.surface */
SUP_NODISCARD sup_status sup_assembly_start_rest(const sup_step_start *s, sup_assembly *assembly,
                                                 int i, const double *surface);
/** Proximal term of a load step: `inertia` times M, about the velocities v [num_vertices x 3];
 * NULL: about 0. */
void sup_assembly_add_mass_proximal(sup_assembly *assembly, int i, double inertia, const double *v);
/** Correct the start momentum of soft body i, if the body turns freely: add the angular momentum
 * about its centre that vertices of first order lose in the step, and the moment by lever_rate. */
void sup_assembly_add_lost_spin(const sup_step_start *s, sup_assembly *assembly, int i);
/** 1: this step adds the moments that levers of the previous step lacked. */
int sup_step_restores_spin(const sup_step_start *s);
/** Add moments by lever_rate of links to p. */
SUP_NODISCARD sup_status sup_assembly_add_lever_moments(const sup_step_start *s,
                                                        sup_assembly         *assembly);
/** Store internal variables of soft body i after the step in `next`, whose positions are set.  Call
 * once: overwrites the data of the step's forces.
 *  @param[out] done  [2] energy taken by the terms of its materials, work of growth [J] */
void sup_assembly_relax(const sup_step_start *s, const sup_assembly *assembly, int i,
                        sup_state *next, double done[2]);
/** Store in `next` the velocities of soft body i after the step and the history for the next step,
 * from the mean velocities u [num_vertices x 3]. */
void sup_assembly_update_history(const sup_step_start *s, const sup_assembly *assembly, int i,
                                 const double *u, sup_state *next);
/** Angular velocity of the rigid motion with the body's angular momentum about its centre of mass
 * [rad/s]; 0: a body thin as a line. */
sup_v3 sup_soft_angular_velocity(const sup_soft *soft, const double *x, const double *xdot);
/** True if a material of the body has mass damping. */
int sup_soft_has_drag(const sup_soft *soft);
/** Rotation of soft body i in the step to `next`, whose lever_rate by BDF2 becomes all that the
 * scheme has taken; impulse [num_vertices x 3]: external impulse without mass damping; this
 * function adds mass damping.  Overwrites g of the body's work.
 *  @param[in] axes  sup_soft_turning_axes; components about others are 0 */
sup_soft_spin sup_assembly_spin(const sup_step_start *s, const sup_assembly *assembly, int i,
                                int axes, const double *u, sup_state *next, double *impulse);
/** spin := angular velocity of soft body i and of those tied to it in the spins that its holds
 * leave, 0: none [rad/s]; returns whether there are some.
 *  @param[in] x, xdot  of all vertices; event of a state */
bool sup_soft_free_spin(const sup_model *model, int i, const struct sup_event_state *event,
                        const double *x, const double *xdot, sup_v3 *spin);
/** Bits SUP_AXIS_X .. about which reactions have no moment: all, of a body whose vertices are held
 * along one axis alone that axis, or none.
 *  @param[in] event  of the state; NULL: the model has none */
int sup_soft_turning_axes(const sup_model *model, const sup_soft *soft,
                          const struct sup_event_state *event);
/** True if no vertex of the body is attached, tied, held or in an active constraint.
 *  @param[in] event  of the state; NULL: the model has none */
int sup_soft_turns_freely(const sup_model *model, const sup_soft *soft,
                          const struct sup_event_state *event);

/* ---- held vertices (dirichlet.c) ---------------------------------------------------------------
 */

/** soft[].holder and held_axes of the state's events; arrays from the arena. */
SUP_NODISCARD sup_status sup_assembly_begin_holds(const sup_step_start *s, sup_assembly *assembly);
/** soft[i].held := rate times the displacement of held components from x [num_vertices x 3] to
 * their places at time t: for a step rate 1/dt and t its end, for statics rate 1. */
void sup_assembly_dirichlet_motion(const sup_step_start *s, sup_assembly *assembly, int i,
                                   const double *x, double t, double rate);
/** Eliminate the held components of all soft bodies from the assembled A and p, whose unknowns are
 * velocities or displacements as soft[i].held.  Reads soft[i].A, the matrix on all vertices of the
 * body: p -= A held for every unknown, of free vertices and of the trees that carry attached
 * vertices; held components of vertices without a block are included.  In vertices with a block,
 * rows and columns of held components become 0 except the diagonal, which keeps its value; p there
 * becomes diagonal times held, so that the solution equals held exactly.  Overwrites soft[i].Av. */
void sup_assembly_dirichlet(sup_assembly *assembly);
/** Held components of u := soft[i].held; u is in block order. */
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

/** A += T^T K T (THEORY 15.2) for the blocks of soft body i with attached vertices; bodies on one
 * tree share these blocks of A. */
SUP_NODISCARD sup_status sup_assembly_add_links(const sup_step_start *s, sup_assembly *assembly,
                                                int i);
/** out := A v of soft body i at its attached vertices; at all vertices if only attached ones move.
 * Arrays are [num_vertices x 3]. */
void sup_assembly_multiply_links(const sup_assembly *assembly, int i, const double *v, double *out);
/** Add pa [3] at vertex k of soft body i to p, mapped to the unknowns that move the vertex; held
 * vertices add nothing. */
void sup_assembly_add_momentum(sup_assembly *assembly, int i, int k, const double pa[3]);
/** As sup_assembly_add_momentum, without held components. */
void sup_assembly_add_free_momentum(sup_assembly *assembly, int i, int k, const double pa[3]);
/** v [num_vertices x 3] := motion of the bases of links at vertices of soft body i that they move;
 * returns 0, v as it was, if there is none. */
int sup_assembly_base_velocity(const sup_assembly *assembly, int i, double *v);
/** Velocities of all vertices of soft body i from block velocities u; attached vertices include the
 * base's prescribed motion, clamped vertices have 0. */
void sup_assembly_vertex_velocity(const sup_assembly *assembly, int i, const double *u, double *v);

/* ---- tied vertices (tie/ties.c)
 * -------------------------------------------------------------------
 */

/** Blocks of A of movers := 0, before bodies overwrite those of cells. */
void sup_assembly_clear_ties(sup_assembly *assembly);
/** A += T^T K T for the blocks of soft body i with tied vertices, once all bodies are in A. */
void sup_assembly_add_ties(sup_assembly *assembly, int i);
/** soft[].held of tied vertices := weighted means of those of their movers. */
void sup_assembly_hold_tied(sup_assembly *assembly);
/** Tied vertices and their movers have steps of one order. */
void sup_assembly_join_orders(sup_assembly *assembly);

/* ---- bodies that are not assembled (free_matrix.c) ---------------------------------------------
 */

SUP_NODISCARD sup_status sup_assembly_allocate_free(const sup_step_start *s, sup_assembly *assembly,
                                                    int i);
/** Part of A that cells of soft bodies apply without storage; `assembly` must keep its address. */
sup_block_rest sup_assembly_rest_of_cells(const sup_assembly *assembly);
/** Set A and known of body i's work to the diagonal blocks of its cells; A also gets the blocks of
 * links.
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

/** Add trees to A and p and set `within` and `about`: linear about the free motion, or about v
 * (block order; NULL: none) in schemes of second order. */
SUP_NODISCARD sup_status sup_assembly_trees(const sup_step_start *s, sup_assembly *assembly,
                                            const double *v);
/** Blocks of A that springs give to vertices := 0, before bodies overwrite those of cells. */
void sup_assembly_clear_springs(sup_assembly *assembly);
/** Memory of springs from the arena, at the step's start. */
SUP_NODISCARD sup_status sup_springs_begin(const sup_step_start *s, sup_assembly *assembly);
/** Add springs to A and p; v [num_v]: velocities of trees at the time of `kin`. */
void sup_assembly_springs(const sup_step_start *s, sup_assembly *assembly, const double *v);
/** Mean loads on a tree over the step; from the arena. */
SUP_NODISCARD sup_status sup_step_tree_loads(const sup_step_start *s, int tree,
                                             const sup_tree_load **loads, int *num_loads);
/** Add loads on links to p, except loads that the free motion of a tree contains. */
SUP_NODISCARD sup_status sup_assembly_loads(const sup_step_start *s, sup_assembly *assembly);
/** Add loads at points of soft bodies to p. */
void sup_assembly_point_loads(const sup_step_start *s, sup_assembly *assembly);
/** force [num_vertices of the model x 3] += these loads [N]. */
void sup_assembly_point_forces(const sup_step_start *s, double *force);
/** force [num_vertices of the model x 3] += mean forces of springs in the step with the solution v
 * [N].
 *  @param[in] tree_v  velocities of trees at the time of assembly->within */
void sup_assembly_spring_forces(const sup_step_start *s, const sup_assembly *assembly,
                                const double *tree_v, const double *v, double *force);
/** Add efforts set on joints to p. */
void sup_assembly_efforts(const sup_step_start *s, sup_assembly *assembly);
