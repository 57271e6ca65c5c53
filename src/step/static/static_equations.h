/** Equations of a load step as functions of values, outside of its iteration (THEORY 18.8).  Layer
 * step.
 *
 *  The residual r(q) = f(q) - (load factor) g - J^T gamma(q)/h of the true forces at displacements
 * q from the load step's start, and products of its derivative K_T and its transpose.  The search's
 * decisions are given as origins: contacts, their normals, areas, weights and stiffness follow q.
 */
#pragma once

#include "step/static/equilibrium.h"

/** Derivative of a contact force by one displacement. */
typedef struct sup_static_entry {
  int    row;
  double value; /* [N/m] */
} sup_static_entry;

/** Central difference of fourth order: sum of weight f(at a)/a over four points. */
typedef struct sup_difference_point {
  double at, weight;
} sup_difference_point;
enum { SUP_DIFFERENCE_POINTS = 4 };
extern const sup_difference_point sup_difference[SUP_DIFFERENCE_POINTS];

/** Equations about one q; they keep their address. */
typedef struct sup_static_equations {
  sup_static_iteration it; /* linear about the last q that was asked for */
  sup_increment        inc;
  sup_assembly         assembly;
  sup_contact_problem  contacts;
  sup_step_solution    solution;
  sup_step_end         end;
  sup_reduction       *reduction; /* NULL: H is not factored */
  sup_statics         *memory;
  sup_arena           *arena;
  sup_static_options   options;
  double              *slip; /* [num_scalars] displacement of the start at one end [m or rad] */
  int                  has_slip;
  bool                 is_symmetric; /* checked: K_T without contacts */
  double               depth;        /* of the deepest contact about q [m] */
  double              *q;            /* [num_scalars] about which the equations are [m] */
  double              *trial, *out, *sum, *minus; /* [num_scalars] workspace */
  /* derivatives of contact forces, by columns: those whose displacement changes a contact; of all
   * forces by joints */
  int               num_columns, *column; /* [num_columns] scalars */
  size_t           *first;                /* [num_columns + 1] of its entries */
  sup_static_entry *entry;
  size_t            num_entries, entry_capacity;
} sup_static_equations;

/** Increment of a load step of duration h from the state: implicit Euler without inertia and
 * dissipation, Coulomb's law, and the full stiffness of surfaces, since nothing vibrates. */
sup_increment sup_static_increment(const sup_options *run, const sup_state *state,
                                   const sup_static_options *options, double h);
/** Equations about block displacements q of a load step from `state`; held components of q are
 * those of their motion.  Layout, state and origins outlive them.  Empty on failure; with ranks
 * E_ARG.
 *  @param[in] inc      of the load step: sup_step_result.increment, with inputs of `state`
 *  @param[in] origins  of the contacts, as sup_contact_list.origins; NULL: contacts are searched
 *  @param[in] q        [num_scalars] turns of joints in radian */
SUP_NODISCARD sup_status sup_static_equations_create(sup_static_equations  *equations,
                                                     const sup_step_layout *layout,
                                                     const sup_increment   *inc,
                                                     const sup_state       *state,
                                                     const sup_origins *origins, const double *q);
/** The same of models for which only the residual and H are made here: with chambers of gas,
 * cables, ties and constraints of bodies. */
SUP_NODISCARD sup_status sup_static_equations_begin(sup_static_equations  *equations,
                                                    const sup_step_layout *layout,
                                                    const sup_increment   *inc,
                                                    const sup_state       *state,
                                                    const sup_origins *origins, const double *q);
void                     sup_static_equations_free(sup_static_equations *equations);
/** r [num_scalars] := r(q) [N or N m]; it->out.error is its size over the forces. */
SUP_NODISCARD sup_status sup_static_equations_residual(sup_static_equations *equations,
                                                       const double *q, double *r);
/** Residual r [num_scalars] and result at the displacements q: contacts and their forces,
 * reactions, poses; the state there is e->end.next. */
SUP_NODISCARD sup_status sup_static_equations_result(sup_static_equations *equations,
                                                     const double *q, double *r);
/** Result at q of contacts and poses alone, at less cost. */
SUP_NODISCARD sup_status sup_static_equations_contacts(sup_static_equations *equations,
                                                       const double         *q);
/** From now on the load step starts displaced by x [num_scalars] [m or rad], and ends where it did:
 * friction sees a shorter way; NULL: it starts where it did. */
void sup_static_equations_slip(sup_static_equations *equations, const double *x);
/** y [num_scalars] := K_T x at the equations' q, by central differences [N]. */
SUP_NODISCARD sup_status sup_static_equations_multiply(sup_static_equations *equations,
                                                       const double *x, double *y);
/** y [num_scalars] := derivative of r by the load step's start, moved along x, at one end: that of
 * friction, symmetric [N]. */
SUP_NODISCARD sup_status sup_static_equations_multiply_start(sup_static_equations *equations,
                                                             const double *x, double *y);
/** Largest displacement a of differences of contact forces: of the bodies with the start of the
 * load step, or of their way in it [m or rad]. */
double sup_static_equations_width(const sup_static_equations *equations, int is_of_way);
/** Columns of contact forces, which the transposed product makes with its first call. */
SUP_NODISCARD sup_status sup_static_equations_columns(sup_static_equations *equations);
/** x [num_scalars] := h^2 H^-1 x with H = A + J^T G J, symmetric and near h^2 K_T: normals, areas
 * and weights of contacts are constant.  The first call factors it.  E_NOT_SPD: a saddle. */
SUP_NODISCARD sup_status sup_static_equations_solve(sup_static_equations *equations, double *x);
/** y [num_scalars] := K_T^T x: elastic forces are the gradient of an energy, derivatives of contact
 * forces and those by joints are made with the first product.  E_ARG: pressures follow a surface
 * with a free rim; their stiffness is not symmetric. */
SUP_NODISCARD sup_status sup_static_equations_multiply_transposed(sup_static_equations *equations,
                                                                  const double *x, double *y);
/** x [num_scalars] := K_T^-1 x, or of the transpose, by GMRES with that factor.
 *  @param[out] residual  over x on entry, at most the tolerance where it converged */
SUP_NODISCARD sup_status sup_static_equations_invert(sup_static_equations *equations,
                                                     bool is_transposed, double tolerance,
                                                     double *x, sup_arena *arena, double *residual);
