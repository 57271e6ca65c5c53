/** A step's contact problem as data, in and out of files.  Layer solve.
 *
 *  It has the velocity form {A, p, J, b, laws}, the form in impulses {G, g, mu, R, c*}, or both.
 * Members of a .npz file, numpy's names for shapes; "size" counts components, contacts first with
 * [x, y, n] each, then joints with one each:
 *
 *      G (size, size), g (size), mus (contacts)      contactbench's names
 *      R, cstar (size)                               absent: 0
 *      lower, upper (joints)                         intervals of joint rows; absent: no joints
 *      lam (size)                                    impulses of the step's solution
 *      lam0 (size)                                   impulses to start from; absent: 0
 *      A_data, A_indices, A_indptr, A_blocks, p      A as CSR with both triangles; first scalars of
 *                                                    its block columns and, last, their number
 *      J_data, J_indices, J_indptr, b                J as CSR
 *      law, law_normal, law_NAME (constraints)       kinds and parameters (law/parameter.h), NaN
 *                                                    where the law has none
 *      v_start, v                                    velocities: warm start, solution
 *      contact_name, contact_position, contact_normal, joint_name
 *      rigid, baumgarte, restitution                 options that go with the laws; absent: 0
 *      scene, solver, step, time
 *
 *  For contacts with anisotropic friction, G and g refer to S v_t (law_S_xx ..), where cones are
 * round, and lam is the impulse on J. */
#pragma once

#include "la/csr.h"
#include "solve/solver.h"
#include "solve/stored/delassus_problem.h"

typedef struct sup_stored_problem {
  int                  has_dynamics;      /* 1: `problem` and the members after it are set */
  sup_problem          problem;           /* without H_pattern */
  const double        *v_start, *v;       /* [num_scalars]; v may be NULL */
  const double        *impulse;           /* [num_vc] of the step's solution; NULL: not known */
  const double        *start;             /* [num_vc] impulses that solvers start from; NULL: 0 */
  sup_delassus_problem delassus;          /* size 0: not set */
  const char *const   *contact_name;      /* [num_contacts] names; NULL: none */
  const double        *position, *normal; /* [num_contacts x 3] world */
  const char *const   *joint_name;        /* [num_joints] */
  const char          *scene, *solver;    /* NULL: not known */
  int                  rigid;             /* options of solvers on impulses, as in scenes */
  double               baumgarte, restitution;
  long                 step;
  double               time; /* time of the step's end [s] */
  /* arena of the arrays that were read */
  sup_arena        *arena;
  sup_block_pattern pattern, delassus_pattern;
  sup_problem       delassus_form; /* velocity form made from G; A NULL: not made yet */
  double           *A;
} sup_stored_problem;

/** Export J as CSR, the blocks of a row in the problem's order; freed by sup_csr_free, also after a
 * failure.
 */
SUP_NODISCARD sup_status sup_problem_jacobian_csr(sup_csr *out, const sup_problem *problem);
/** Write into one .npz file. */
SUP_NODISCARD sup_status sup_stored_problem_write(const sup_stored_problem *stored,
                                                  const char               *path);
/** E_IO, E_PARSE and E_ARG name the file and its member.  Unknown members are ignored.
 */
SUP_NODISCARD sup_status sup_stored_problem_read(sup_stored_problem **stored, const char *path);
void                     sup_stored_problem_destroy(sup_stored_problem **stored);

/** Solution of a stored problem by one solver. */
typedef struct sup_stored_solution {
  double          *v, *impulse, *velocity; /* [num_scalars], [num_vc], c = G lambda + g [num_vc] */
  sup_solve_report report;
  sup_law_residual ncp,
      ccp; /* residuals in Coulomb's law and in its convex relaxation, for any solver */
  double             seconds;
  const sup_problem *problem; /* problem that was solved */
} sup_stored_solution;

/** Solve in the velocity form if there is one, unless `delassus` asks for the impulse form; arrays
 * from the stored problem's arena.  E_ARG: the solver does not take such constraints, or needs a
 * compliance that the file has not. */
SUP_NODISCARD sup_status sup_stored_problem_solve(sup_stored_problem      *stored,
                                                  const sup_solve_options *options, int delassus,
                                                  sup_stored_solution *out);
/** Search for a second solution of Coulomb's law beside `found`: the result of ncp_pgs from zero
 * impulses or from those of the convex relaxation, if it satisfies the law to 1e-3 and contacts
 * move differently. *exists := 0: none was found, or `found` is no solution itself. */
SUP_NODISCARD sup_status sup_stored_problem_second(sup_stored_problem      *stored,
                                                   const sup_solve_options *options, int delassus,
                                                   const sup_stored_solution *found,
                                                   sup_stored_solution *other, int *exists);
