/** Random contact problems for solvers that iterate on impulses: bodies of six scalars, contacts
 * between two of them or with the ground, and a limit, a coupler and two drives, one of which
 * saturates. */
#pragma once

#include <string.h>

#include "law_case.h"
#include "solve/dual/dual.h"

enum {
  CASE_BODIES = 3,
  CASE_CONTACTS = 4,
  CASE_JOINTS = 4,
  CASE_ROWS = CASE_CONTACTS + CASE_JOINTS
};
enum { CASE_SCALARS = 6 * CASE_BODIES, CASE_VC = 3 * CASE_CONTACTS + CASE_JOINTS };

typedef struct dual_case {
  sup_block_pattern  A_pattern, H_pattern;
  double             A[36 * CASE_BODIES], p[CASE_SCALARS];
  int                A_to_H[CASE_BODIES];
  int                num_contacts, num_joints;
  sup_constraint     constraint[CASE_ROWS];
  sup_jacobian_block jacobian[2 * CASE_ROWS];
  double             value[36 * CASE_ROWS];
  sup_problem        problem;
  sup_linear_solver *factor;
  sup_arena         *arena;
  double             v[CASE_SCALARS], gamma[CASE_VC]; /* start in, solution out */
  sup_law            law[CASE_ROWS];                  /* in force after a solution */
} dual_case;

/** B B^T + 6, B random, times mass. */
static inline void dual_case_body(dual_case *q, int body, double mass, test_random *random) {
  double B[36], *D = q->A + 36 * body;
  for (int i = 0; i < 36; i++) B[i] = test_uniform(random);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      D[6 * j + i] = i == j ? 6 : 0;
      for (int k = 0; k < 6; k++) D[6 * j + i] += B[6 * i + k] * B[6 * j + k];
      D[6 * j + i] *= mass;
    }
}

static inline void dual_case_row(dual_case *q, const sup_law *law, int num_blocks, const int *block,
                                 test_random *random) {
  sup_problem    *p = &q->problem;
  sup_constraint *c = &q->constraint[p->num_constraints];
  int             dim = sup_law_dimension(law->kind);
  *c = (sup_constraint){.law = *law,
                        .first_vc = p->num_vc,
                        .first_block = p->num_jacobian_blocks,
                        .num_blocks = num_blocks};
  for (int k = 0; k < num_blocks; k++) {
    size_t at = (size_t)(36 * p->num_constraints + 18 * k);
    q->jacobian[p->num_jacobian_blocks++] = (sup_jacobian_block){block[k], at};
    for (int j = 0; j < dim * 6; j++) q->value[at + (size_t)j] = test_uniform(random);
  }
  for (int r = 0; r < dim; r++) c->bias[r] = .2 * test_uniform(random);
  if (dim == 3) c->bias[2] -= 1; /* approaching */
  p->num_constraints++, p->num_vc += dim;
}

static inline void dual_case_pattern(dual_case *q) {
  static const int size[CASE_BODIES] = {6, 6, 6};
  int              pair[4 * CASE_ROWS], num = 0;
  OK(sup_block_pattern_build(&q->A_pattern, CASE_BODIES, size, 0, NULL));
  for (int i = 0; i < q->problem.num_constraints; i++) {
    const sup_constraint *c = &q->constraint[i];
    if (c->num_blocks < 2) continue;
    pair[2 * num] = q->jacobian[c->first_block].block;
    pair[2 * num++ + 1] = q->jacobian[c->first_block + 1].block;
  }
  OK(sup_block_pattern_build(&q->H_pattern, CASE_BODIES, size, (size_t)num, pair));
  sup_problem_map_entries(&q->A_pattern, &q->H_pattern, q->A_to_H);
}

/** With contacts of the law `contact`, whose friction coefficients are drawn anew. */
static inline void dual_case_make(dual_case *q, uint64_t seed, const sup_law *contact, int joints) {
  static const double dt = .01;
  test_random         random = {seed * 7919};
  memset(q, 0, sizeof *q);
  for (int b = 0; b < CASE_BODIES; b++) dual_case_body(q, b, 1, &random);
  for (int i = 0; i < CASE_CONTACTS; i++) {
    int     block[2] = {i % CASE_BODIES, (i + 1) % CASE_BODIES};
    sup_law law = *contact;
    double  mu = .55 + .35 * test_uniform(&random);
    if (law.kind == SUP_LAW_SAP)
      law.sap.mu = mu;
    else
      law.coulomb.mu = mu;
    dual_case_row(q, &law, 1 + i % 2, block, &random);
  }
  sup_law joint[CASE_JOINTS] = {{.kind = SUP_LAW_LIMIT, .limit = {.05, 2e3}},
                                {.kind = SUP_LAW_COUPLER, .limit = {.02, 2e3}},
                                {.kind = SUP_LAW_PD, .pd = {dt, 30, 40, 1e3}},
                                {.kind = SUP_LAW_PD, .pd = {dt, 50, 40, 5}}};
  for (int i = 0; i < CASE_JOINTS && joints; i++)
    dual_case_row(q, &joint[i], 1, &(int){i % CASE_BODIES}, &random);
  q->num_contacts = CASE_CONTACTS, q->num_joints = joints ? CASE_JOINTS : 0;
  for (int k = 0; k < CASE_SCALARS; k++) q->p[k] = test_uniform(&random);
  dual_case_pattern(q);
  sup_problem own = q->problem;
  q->problem = (sup_problem){&q->A_pattern, q->A,
                             q->p,          &q->H_pattern,
                             q->A_to_H,     own.num_constraints,
                             own.num_vc,    own.num_jacobian_blocks,
                             q->constraint, q->jacobian,
                             q->value};
  OK(sup_linear_solver_create(&q->factor, SUP_BACKEND_SUPERNODAL, NULL));
  OK(sup_linear_solver_analyse(q->factor, &q->H_pattern, NULL));
  OK(sup_arena_create(&q->arena, 1 << 16));
}

static inline void dual_case_drop(dual_case *q) {
  sup_block_pattern_free(&q->A_pattern);
  sup_block_pattern_free(&q->H_pattern);
  sup_linear_solver_destroy(&q->factor);
  sup_arena_destroy(&q->arena);
}

static inline sup_solve_options dual_options(sup_contact_solver solver, double tolerance) {
  sup_solve_options o = {.tolerance = 1e-13,
                         .max_iterations = 1000,
                         .sweeps = 1,
                         .solver = solver,
                         .dual = sup_default_options().dual};
  o.dual.tolerance = tolerance;
  o.dual.subspace = 0, o.dual.hand_over_above = 0; /* the methods as the papers have them */
  o.dual.max_iterations = 200000;
  return o;
}

static inline sup_solve_report dual_case_solve(dual_case *q, const sup_solve_options *options) {
  sup_solve_report report;
  OK(sup_arena_reset(q->arena));
  sup_problem_copy_laws(&q->problem, q->law);
  OK(sup_solve(&q->problem, q->factor, options, q->arena, &(sup_solution){q->v, q->gamma, q->law},
               &report));
  return report;
}

/** c = J v + b of all rows. */
static inline void dual_case_velocity(const dual_case *q, double *c) {
  sup_problem_constraint_velocity(&q->problem, q->v, 1, c);
}
