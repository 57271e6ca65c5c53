/** Workspace of the pipeline.  Private to layer step: each stage fills its part, step.c runs them
 * in order. */
#pragma once

#include "base/team.h"
#include "base/timer.h"
#include "collide/collide.h"
#include "constraint/contact_rows.h"
#include "constraint/joint_rows.h"
#include "fem/cell_operator.h"
#include "fem/viscoelastic.h"
#include "solve/reduction.h"
#include "step/free_motion.h"
#include "step/result.h"

enum {
  SUP_PHASE_KINEMATICS,
  SUP_PHASE_DYNAMICS,
  SUP_PHASE_COLLIDE,
  SUP_PHASE_ROWS,
  SUP_PHASE_ANALYSE,
  SUP_PHASE_SOLVE,
  SUP_PHASE_INTEGRATE
};

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
  /* of a viscoelastic body (fem/viscoelastic.h), else 0; rotations after the step, and energy taken
   * by the terms of its materials [J] */
  sup_fem_relaxing   relaxing;
  sup_fem_relaxation relaxation;
  sup_m3            *R_end;
  double             relaxed;
  double *p; /* [num_vertices x 3] start + C M lag + (damping - 1) dt D u_{-1} + dt f, nonlinear
                materials + dt^2 K u */
  double *x; /* [num_vertices x 3] positions about which elastic forces are linear; overwritten by
                the account of energies after the step */
  sup_fem_prediction
          ahead; /* turns that are predicted; damping NULL: no stiffness damping that knows them */
  double *pull;  /* [sup_fem_pull_size] tension that is in A; NULL: a nonlinear material */
  double
      *elastic; /* [num_vertices x 3] elastic forces at x of a nonlinear material, else NULL [N] */
  int  is_nonlinear;
  int  inverted, inverted_now; /* cells inside out: number to report, and number at x */
  sup_attachment attachment;   /* of load steps static_equilibrium.c */
  double *held; /* [num_vertices x 3] velocities (statics: displacements) of held components, 0 for
                   others.  Written by dirichlet.c */
  sup_soft_scheme scheme;
  double          work, dissipation; /* of the step: done on the body, and taken by damping [J].
                                        Written by soft_scheme.c */
  /* [num_vertices x 3] workspace of the running stage; after the stage integrate v has the mean
   * velocities u of the solution (step.c, equilibrium.c) and Av what result.c makes of them, A u */
  double *v, *Av, *f, *g;
} sup_soft_work;

/** Blocks of a soft body's matrix that lie in A as they lie in the body's. */
typedef struct sup_soft_run {
  int from, to, count; /* entries of both patterns */
} sup_soft_run;
/** A block with a vertex that is attached to a link. */
typedef struct sup_soft_link {
  int entry, row, col; /* of the body's pattern */
} sup_soft_link;
/** A free vertex next to attached ones. */
typedef struct sup_soft_border {
  int vertex, tree, to; /* entry of A that couples them */
} sup_soft_border;
/** Map of the blocks of a soft body's matrix into A; constant. */
typedef struct sup_soft_map {
  sup_soft_run    *run;
  sup_soft_link   *link;
  sup_soft_border *border;
  size_t           num_runs, num_links, num_borders, run_capacity, link_capacity, border_capacity;
  size_t *place; /* [entries of the body's pattern] of a body that is assembled straight into A:
                    where its blocks begin; those that are in no run lie behind A's own values;
                    NULL: it has a matrix of its own first */
} sup_soft_map;

/** Workspace of steps that are done in parts (step/control/parts.h). */
typedef struct sup_step_parts sup_step_parts;

/** Workspace of load steps (step/static/static_equilibrium.h). */
typedef struct sup_statics sup_statics;

/** A and p of the increment and their parts.  Written by the files of dynamics: dynamics.c,
 * links.c, assembly.c, soft_scheme.c, trees.c, springs.c, loads.c, dirichlet.c; of load steps
 * static_equilibrium.c, static_trees.c.  Read by all later stages; equilibrium.c and saddle.c also
 * shift the diagonal of A where A is not positive definite. */
typedef struct sup_assembly {
  double *A;             /* values of A_pattern; behind them sup_soft_map.place's; with ranks a part
                            of the sum over them, of which trees are the first one's */
  double *D;             /* with ranks the diagonal blocks of the sum; else NULL */
  double *p;             /* [num_scalars] */
  double *v0;            /* [num_scalars] velocities of the start, in block order */
  double *linear_at;     /* [num_scalars] velocities about which soft bodies in A, p are linear;
                            of bodies that are not nonlinear the start counts */
  sup_soft_work *soft;   /* [num_softs] */
  sup_kinematics within; /* where springs and loads act: q_th of the scheme's theta and the velocity
                            `about`; theta = 0 and statics: kin */
  double *
      about; /* [num_scalars] velocities of trees about which A and p are linear; theta = 0: NULL */
  double elapsed;      /* since the increment's start when kin was seen, with its velocities [s] */
  int    is_nonlinear; /* some body needs Newton's method on the elastic energy */
  sup_block_space space; /* where the vertices are */
} sup_assembly;

/** Contacts and the constraints that they, joints and drives make, with the analysis that fits
 * them. Written by the stages collide, rows and analyse: step.c, of load steps equilibrium.c. */
typedef struct sup_contact_problem {
  sup_contact_list list;
  sup_rows         rows;
  sup_joint_rows   joints;
  int              all_limits; /* of joints have rows: a solution passed one that had none */
} sup_contact_problem;

/** Solution of the step: velocities, impulses, laws.  Written by the stage solve and its
 * strategies: step.c, nonlinear.c, trees.c (passes), diagnostics.c; of load steps equilibrium.c,
 * saddle.c. */
typedef struct sup_step_solution {
  double           *v;          /* [num_scalars] in block order */
  double           *gamma, *vc; /* [num_vc] */
  sup_law          *law;        /* [num_constraints] in force: sup_solution.law */
  const double     *Av;         /* [num_scalars] A v, as the certificate has it; NULL: it has not */
  const double     *residual;   /* [num_vertices x 3] of a solver that failed; NULL: it did not */
  double            contact_energy, stick_energy; /* the first has the second */
  sup_iteration_log log;                          /* of all iterations of the step */
} sup_step_solution;

/** State and result after the increment.  Written by the stages integrate and result: step.c,
 * soft_scheme.c, result.c; of load steps static_trees.c. */
typedef struct sup_step_end {
  sup_state     *next; /* the state after the step, until it is accepted */
  sup_kinematics kin_next;
  sup_soft_spin *spin;       /* [num_softs] of the result */
  sup_v3        *lever_rate; /* [num_softs] sup_state.lever_rate of the step, whatever its scheme */
  sup_step_result result;
} sup_step_end;

struct sup_stepper {
  /* constant */
  const sup_model  *model;
  sup_options       options;
  sup_block_pattern A_pattern;
  sup_soft_map     *soft_map; /* [num_softs] */
  unsigned char *held_axes;   /* [num_blocks] bits SUP_AXIS_X.. of a vertex's held axes; trees: 0 */
  unsigned char *alone;       /* [num_trees] 1: A couples the tree to nothing */
  int           *block_body;  /* [num_blocks] soft body of a vertex; SUP_NONE: a tree */
  int            is_free;     /* soft bodies are not assembled, A has a rest */
  sup_block_rest rest;
  /* only with a rest, for sup_block_space */
  double           *reference, *distance; /* [num_blocks x 3], [num_softs x 3] [m] */
  sup_block_pattern D_pattern;            /* with ranks: diagonal blocks alone, of assembly.D */
  sup_block_ranks   ranks;                /* with ranks; ask sup_stepper_ranks */
  /* memory that outlives an increment and changes no bits */
  sup_arena      *arena;     /* of the increment */
  sup_reduction  *reduction; /* analysed for the block columns that constraints touched last */
  sup_statics    *statics;   /* NULL until there was a load step */
  sup_step_parts *parts;     /* NULL: steps of fixed length that are not done in parts */
  int             told_round_off, told_tolerance; /* 1: already warned of */
  /* of the increment under way */
  const sup_increment *inc; /* its maker's: step.c, statics.c; NULL between increments */
  sup_kinematics kin; /* of its start; load steps: where A and p are linear.  Written by step.c,
                         equilibrium.c */
  int is_exact; /* set by nonlinear.c and equilibrium.c for the assembly: K of nonlinear bodies is
                   1: the second derivative of the energies, 0: positive semidefinite */
  sup_assembly        assembly;
  sup_contact_problem contact;
  sup_step_solution   solution;
  sup_step_end        end;
};

/* ---- stages ---------------------------------------------------------------------------------- */

/** The time since `start` belongs to a phase; `start` becomes now. */
static inline void sup_stepper_lap(double *seconds, int phase, double *start) {
  double now = sup_wall_time();
  seconds[phase] += now - *start;
  *start = now;
}

/** The pipeline: sup_step over the caller's increment of motion, instead of the duration, gravity
 * and scheme of the options. */
SUP_NODISCARD sup_status sup_stepper_advance(sup_stepper *s, const sup_increment *inc,
                                             sup_state *state, sup_step_report *report);
/** solution.gamma := the state's impulses of constraints that it knows, 0 for others. */
SUP_NODISCARD sup_status sup_stepper_recall_impulses(sup_stepper *s, const sup_state *state);
/** The solution's impulses into s->end.next, where the solver starts from such. */
SUP_NODISCARD sup_status sup_stepper_remember_impulses(sup_stepper *s);
/* Several ranks (step/ranks.c).  A is the sum of what they have of it; all else is whole and equal
 * on all of them. */

/** Ranks that share the cells; NULL: one alone. */
static inline const sup_block_ranks *sup_stepper_ranks(const sup_stepper *s) {
  return s->model->ranks ? &s->ranks : NULL;
}
/** Diagonal block b of A. */
static inline const double *sup_stepper_diagonal_block(const sup_stepper *s, int b) {
  return sup_block_diagonal_all(sup_stepper_ranks(s), &s->A_pattern, s->assembly.A, b);
}
/** out := A v. */
static inline void sup_stepper_multiply(const sup_stepper *s, const double *v, double *out) {
  sup_block_multiply_all(sup_stepper_ranks(s), &s->A_pattern, s->assembly.A, v, out);
  if (s->is_free) s->rest.add(&s->rest, v, out);
}
/** Pattern and values for readers of diagonal blocks and sizes only. */
static inline const sup_block_pattern *sup_stepper_diagonal_pattern(const sup_stepper *s) {
  return s->model->ranks ? &s->D_pattern : &s->A_pattern;
}
static inline const double *sup_stepper_diagonal_values(const sup_stepper *s) {
  return s->model->ranks ? s->assembly.D : s->assembly.A;
}
/** Set up the ranks, once the pattern of A and its maps are built. */
SUP_NODISCARD sup_status sup_stepper_build_ranks(sup_stepper *s);
/** Sum the diagonal blocks of assembled soft bodies over ranks; those of trees are then whole in A
 * on all ranks, for springs and drives. */
void sup_stepper_share_softs(sup_stepper *s);
/** Clear the trees' blocks of A on all ranks but the first, after springs and drives were added. */
void sup_stepper_share_trees(sup_stepper *s);

/* Soft bodies that are not assembled (step/free_matrix.c). */

/** Pattern of the stored part of A. */
SUP_NODISCARD sup_status sup_stepper_build_free(sup_stepper *s);
/** Tell the reduction which block columns the rest of A connects. */
SUP_NODISCARD sup_status sup_stepper_join_free(const sup_stepper *s);
SUP_NODISCARD sup_status sup_stepper_allocate_free(sup_stepper *s, int i);
/** work->A and known of body i := the diagonal blocks of work->cells; in A also the blocks of
 * links. */
void sup_stepper_take_cells(const sup_stepper *s, int i);
/** The block of the k-th link of body i, assembled or not. */
const double *sup_stepper_link_block(const sup_stepper *s, int i, size_t k);
/** Copy the diagonal blocks of vertices with unknowns of body i into s->assembly.A. */
void sup_stepper_place_diagonal(sup_stepper *s, int i);
/** out := A u of soft body i on all its vertices, stored or not. */
void sup_stepper_multiply_soft(const sup_stepper *s, int i, const double *u, double *out);

/** Pattern of A and the maps into it. */
SUP_NODISCARD sup_status sup_stepper_build_dynamics(sup_stepper *s);
/** diagonal [num_scalars] := diagonal of A. */
void sup_stepper_diagonal(const sup_stepper *s, double *diagonal);
/** Diagonal of A := diagonal [num_scalars]. */
void sup_stepper_set_diagonal(sup_stepper *s, const double *diagonal);
/** Add a proximal term about the block velocities v: A += scale diagonal, p += scale diagonal v. */
void sup_stepper_add_hold(sup_stepper *s, const double *diagonal, double scale, const double *v);
/** A, p and v0 at the state, with the contacts that were found there (THEORY 2.3, 15.2, 15.5). */
SUP_NODISCARD sup_status sup_stepper_dynamics(sup_stepper *s, const sup_state *state);
/** Start of sup_stepper_assemble_softs without v: soft bodies at the step's start, with the elastic
 * forces of nonlinear ones. */
void sup_stepper_begin_softs(sup_stepper *s, const sup_state *state);
/** Assemble soft bodies into A and p, with held components eliminated.  Elastic forces of nonlinear
 * materials are linear about the positions after a step with the block velocities v; NULL: about
 * the step's start.  Columns of trees then have nothing else. */
SUP_NODISCARD sup_status sup_stepper_assemble_softs(sup_stepper *s, const sup_state *state,
                                                    const double *v);
/** u [num_scalars] := block velocities predicted for a step from those before. */
void sup_stepper_predict(const sup_stepper *s, const sup_state *state, double *u);
/** Assemble A and p about the block velocities v; NULL: about the step's start. */
SUP_NODISCARD sup_status sup_stepper_relinearise(sup_stepper *s, const sup_state *state,
                                                 const double *v);
/** True if p can be updated while A is kept: not with trees of second order, ranks or bodies
 * without a matrix. */
int sup_stepper_keeps(const sup_stepper *s);
/** Update p about v for nonlinear bodies and keep A: the residual at v is exact, the tangent is
 * that of the last assembly.  For assembled bodies on one rank. */
SUP_NODISCARD sup_status sup_stepper_renew_forces(sup_stepper *s, const sup_state *state,
                                                  const double *v);
/** A loop over the soft bodies, on threads when they are large enough. */
void sup_stepper_for_bodies(const sup_stepper *s, sup_team_item *item, void *user);
/** Arrays of the step from its arena: s->assembly.soft, p, v0, v. */
SUP_NODISCARD sup_status sup_stepper_allocate(sup_stepper *s);
/** s->assembly.space for vertices at x, the state's positions. */
SUP_NODISCARD sup_status sup_stepper_place_blocks(sup_stepper *s, const double *x);
/** Start of each soft body's time scheme, with the contacts that were found: c, start, lag. */
SUP_NODISCARD sup_status sup_stepper_soft_schemes(sup_stepper *s, const sup_state *state);
/** Scheme of soft body i in a load step, without inertia; `start` is from the arena.
 *  @param[in] surface  sup_soft_scheme.surface */
SUP_NODISCARD sup_status sup_stepper_start_rest(sup_stepper *s, int i, const double *surface);
/** Proximal term of a load step: M, `inertia` times, about the velocities v [num_vertices x 3];
 * NULL: about 0. */
void sup_stepper_hold_on(sup_stepper *s, int i, double inertia, const double *v);
/** Mark the bodies for which the solution is an impact. */
SUP_NODISCARD sup_status sup_stepper_find_impacts(sup_stepper *s, const sup_problem *problem,
                                                  const sup_state *state);
/** Assemble BDF2 steps of bodies in an impact as steps of first order; *again := 1 if there are
 * any. */
SUP_NODISCARD sup_status sup_stepper_repeat_impacts(sup_stepper *s, const sup_state *state,
                                                    int *again);
/** Internal variables of soft body i after the step to s->end.next, whose positions are set.  Call
 * once: overwrites the data of the step's forces. */
void sup_stepper_relax(sup_stepper *s, int i, const sup_state *state);
/** Velocities of soft body i after the step and history for the next one, into s->end.next, from
 * the solution's work[i].v. */
void sup_stepper_keep_history(sup_stepper *s, int i, const sup_state *state);
/** True if a material of the body has mass damping. */
int sup_stepper_has_drag(const sup_soft *soft);
/** True if nothing of the body is attached or held. */
int sup_stepper_turns_freely(const sup_soft *soft);
/** lever_rate of s->end.next and s->end after the step, and the power that contacts have given. */
SUP_NODISCARD sup_status sup_stepper_keep_lever_rates(sup_stepper *s);
/** Add to the start momentum of soft body i, if it turns freely, the angular momentum about its
 * centre that vertices of first order lose in the step. */
void sup_stepper_lead_levers(sup_stepper *s, int i, const sup_state *state);
/** Turning of soft body i in the step to s->end.next; impulse [num_vertices x 3]: external impulse
 * without mass damping, which is added.  Overwrites g of its work. */
sup_soft_spin sup_stepper_spin(sup_stepper *s, int i, const sup_state *state, double *impulse);
/** Work done on soft bodies in this step and energy taken by damping, into the report; after
 * sup_stepper_fill_result. */
SUP_NODISCARD sup_status sup_stepper_audit(sup_stepper *s, const sup_state *state,
                                           sup_step_report *report);
/** out += dt times weight and tractions on soft body i in the step [N s]. */
void sup_stepper_external_impulse(const sup_stepper *s, int i, double *out);
/** out := dt D u of soft body i, D = alpha M and beta K where the body is linear, all [num_vertices
 * x 3]; overwrites f and g of its work. */
void sup_stepper_damping_multiply(const sup_stepper *s, int i, const double *u, double *out);
/** Stiffness damping and relaxation of a nonlinear body; NULL: neither. */
const sup_fem_increment *sup_stepper_increment(const sup_soft_work *work);
/** out := dt^2 K u of soft body i, damping in K, with a nonlinear material; Mu is workspace, all
 * [num_vertices x 3]; overwrites g. */
void sup_stepper_stiffness_multiply(const sup_stepper *s, int i, const double *u, double *Mu,
                                    double *out);
/** Soft body i needs Newton's method; with BDF2 linear_corotational, too: rotations of the step's
 * start are of first order, and with little damping give energy to a body that turns. */
int sup_stepper_soft_is_nonlinear(const sup_model *model, int i, int soft_bdf2);
/** Minimise the whole cost of the step, nonlinear elastic energies included, from the solution
 * s->solution.v of the linearised problem. */
SUP_NODISCARD sup_status sup_stepper_solve_nonlinear(sup_stepper *s, const sup_state *state,
                                                     const sup_problem       *problem,
                                                     const sup_solve_options *options,
                                                     sup_step_report         *report,
                                                     sup_solve_report        *solved);
/** Set of held components (step/dirichlet.c); constant. */
SUP_NODISCARD sup_status sup_stepper_build_dirichlet(sup_stepper *s);
/** soft[i].held := rate times the displacement of held components from x [num_vertices x 3] to
 * their places at time t: for a step rate 1/dt and t its end, for statics rate 1. */
void sup_stepper_dirichlet_motion(sup_stepper *s, int i, const double *x, double t, double rate);
/** Eliminate the held components of all soft bodies from the assembled s->assembly.A and
 * s->assembly.p, whose unknowns are velocities or displacements as soft[i].held.  Reads soft[i].A,
 * the matrix on all vertices of the body: p -= A held for every unknown, free or of the tree that
 * carries attached vertices (of the components without unknowns, too: nothing else does it); rows
 * and columns of held components of vertices with a block become 0 but for the diagonal, which
 * keeps its value, and p there diagonal times held: the solution has held exactly.  Overwrites
 * soft[i].Av. */
void sup_stepper_dirichlet(sup_stepper *s);
/** u's held components := soft[i].held, u in block order. */
void sup_stepper_dirichlet_velocity(const sup_stepper *s, double *u);
/** Forces of clamps and holds on soft body i [N, N m]: scale (A u - p) - external at the held
 * components, with soft[i].Av = A u and soft[i].p as they were assembled; moments about
 * sup_dirichlet.about with the levers of x.
 *  @param[in]  external  [num_vertices x 3] forces that are not in p; NULL: none
 *  @param[out] out       [num_holds of the body] */
void sup_stepper_reactions(const sup_stepper *s, int i, const double *x, double scale,
                           const double *external, sup_wrench *out);
/** A += T^T K T of THEORY 15.2 of the blocks of soft body i with attached vertices, which bodies on
 * one tree share (links.c). */
SUP_NODISCARD sup_status sup_stepper_add_links(sup_stepper *s, int i);
/** out := A v of soft body i at its attached vertices, and at all when only they move;
 * [num_vertices x 3] both. */
void sup_stepper_multiply_links(const sup_stepper *s, int i, const double *v, double *out);
/** s->assembly.p += pa [3] at vertex a of soft body i, mapped to the unknowns that move it; nothing
 * for a held vertex. */
void sup_stepper_add_momentum(sup_stepper *s, int i, int a, const double pa[3]);
/** Trees into A and p, with s->assembly.within and s->assembly.about: linear about their free
 * motion or, with a scheme of second order and v (block order, else NULL), about v. */
SUP_NODISCARD sup_status sup_stepper_trees(sup_stepper *s, const sup_state *state, const double *v);
/** Schemes of second order: linearise A and p about the solution s->solution.v and solve again
 * until both agree. E_NOT_CONVERGED names the tree that moves most. */
SUP_NODISCARD sup_status sup_stepper_settle_trees(sup_stepper *s, const sup_state *state,
                                                  const sup_problem       *problem,
                                                  const sup_solve_options *options,
                                                  sup_solve_report        *solved);
/** Springs between links into A and p. */
SUP_NODISCARD sup_status sup_stepper_springs(sup_stepper *s, const sup_state *state);
/** Loads on a tree, means over the step; from the arena. */
SUP_NODISCARD sup_status sup_stepper_tree_loads(sup_stepper *s, int tree,
                                                const sup_tree_load **loads, int *num_loads);
/** Loads on links into p, where they are no part of a tree's free motion. */
SUP_NODISCARD sup_status sup_stepper_loads(sup_stepper *s);
/** Efforts that were set on joints into p. */
void sup_stepper_efforts(sup_stepper *s);
/** Complementarity and slip tolerance of the solution `solved` into the report. */
SUP_NODISCARD sup_status sup_stepper_measure_laws(sup_stepper *s, const sup_problem *problem,
                                                  const sup_solve_report *solved,
                                                  sup_step_report        *report);
/** Properties of each contact's law and the residuals of Coulomb's law into the report. */
SUP_NODISCARD sup_status sup_stepper_certify(sup_stepper *s, const sup_problem *problem,
                                             sup_step_report *report);
/** Condition number of H at the solution; the reduction then holds its factor. */
SUP_NODISCARD sup_status sup_stepper_condition(sup_stepper *s, const sup_problem *problem,
                                               double *condition);
/** y [2 num_scalars]: its first half := H x = (A + J^T G J) x; vc, gamma [num_vc] and the other
 * half are workspace. */
void sup_stepper_hessian_multiply(const sup_stepper *s, const sup_problem *problem, const double *G,
                                  const double *x, double *vc, double *gamma, double *y);
/** Report the cells that are inverted now: inverted := inverted_now. */
void sup_stepper_report_inverted(sup_stepper *s);
/** Velocities of soft body i's vertices from block velocities u: free, attached with the base's
 * motion, clamped 0. */
void sup_stepper_vertex_velocity(const sup_stepper *s, int i, const double *u, double *v);
/** Contact problem of the present rows. */
sup_problem sup_stepper_problem(sup_stepper *s);
/** Solver's report of the solution into the report. */
void sup_stepper_report_solution(sup_stepper *s, const sup_solve_report *solved,
                                 sup_step_report *report);
/** Elastic energy of the contacts at the gaps to which a solution leads; without one, NULL, at
 * those of the step's start.  A compliance of the solver's own replaces the law's. */
double sup_stepper_contact_energy(sup_stepper *s, const double *gamma, const double *rate);
/** Lag, work and caps of friction into the report; contact energy at the gaps after the step into
 * the solution. */
SUP_NODISCARD sup_status sup_stepper_measure_contacts(sup_stepper *s, const sup_problem *problem,
                                                      sup_step_report *report);
/** Contacts, depths and cells that are inside out, into the report. */
void sup_stepper_measure(const sup_stepper *s, sup_step_report *report);
/** s->end.next: the state, but at the increment's end. */
SUP_NODISCARD sup_status sup_stepper_begin_next(sup_stepper *s, const sup_state *state);
/** Kinematics of s->end.next into s->end.kin_next; a driven base has the velocity of this step, not
 * of the next. */
SUP_NODISCARD sup_status sup_stepper_look_ahead(sup_stepper *s);
/** s->end.kin_next and the soft bodies of s->end.next, whose trees are set. */
SUP_NODISCARD sup_status sup_stepper_arrive(sup_stepper *s, const sup_state *state);
/** s->end.next and s->end.kin_next from the solution of a step of motion. */
SUP_NODISCARD sup_status sup_stepper_integrate(sup_stepper *s, const sup_state *state);
/** Forces, wrenches, efforts and the poses after the step; no energies.  Leaves A u in the Av of
 * soft bodies. */
SUP_NODISCARD sup_status sup_stepper_fill_result(sup_stepper *s, const sup_state *before);
/** Residual [num_scalars] of the free vertices for sup_stepper_residual; no unknown of their own
 * moves the others. */
SUP_NODISCARD sup_status sup_stepper_keep_residual(sup_stepper *s, const double *residual);
/** Keep the residual and fail with the place and reason of the solver's failure.  Always fails. */
SUP_NODISCARD sup_status sup_stepper_not_converged(sup_stepper *s, const sup_state *state,
                                                   const sup_solve_report *solved);
enum { SUP_BLOCK_NAME_SIZE = 400 };
/** "vertex 3 of 'pad' at (..) m", "joint 'wrist' of 'arm'", "'box'": description of a block column
 * for the user.
 *  @param[in]  residual  [num_scalars] the joint of the largest; NULL: that of the least pivot of
 * the tree's inertia
 *  @param[out] text      [SUP_BLOCK_NAME_SIZE] */
SUP_NODISCARD sup_status sup_stepper_describe_place(sup_stepper *s, const sup_state *state,
                                                    int block, const double *residual, char *text);
/** Islands of block columns that act on each other at the impulses s->solution.gamma: constraints
 * unite when they push.
 *  @param[out] island  [num_blocks] a block column of the island, the same for all */
void sup_stepper_find_islands(const sup_stepper *s, const sup_problem *problem, int *island);
/** Solve again with a smaller tolerance while the residual of an island is large against its own
 * momenta, as of light bodies in reach of a heavy one (linear materials).
 *  @param[out] error  largest momentum error of such an island relative to its own momenta */
SUP_NODISCARD sup_status sup_stepper_settle_islands(sup_stepper *s, const sup_problem *problem,
                                                    const sup_solve_options *options,
                                                    sup_solve_report *solved, double *error);
/** Body with the largest residual where the momentum error of all, or of an island, is above its
 * limit; else SUP_NONE.
 */
int sup_stepper_error_body(const sup_stepper *s, const sup_solve_report *solved,
                           double island_error);
/** Note, once, that a momentum error above the tolerance was accepted as round-off. */
SUP_NODISCARD sup_status sup_stepper_tell_tolerance(sup_stepper *s, const sup_state *state,
                                                    const sup_solve_report *solved);
/** Warn, once, where round-off has cancelled the resistance to a motion. */
SUP_NODISCARD sup_status sup_stepper_tell_round_off(sup_stepper *s, const sup_state *state,
                                                    const sup_solve_report *solved);
