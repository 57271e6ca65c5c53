/** Problems of one block column for tests: min 1/2 v^T A v - p^T v + sum l_i(J_i v + b_i) with a
 * dense A. */
#pragma once

#include <string.h>

#include "law_case.h"
#include "solve/solver.h"

enum { ONE_MAX_SCALARS = 24, ONE_MAX_CONTACTS = 9 };

typedef struct one_block {
  int     n, num; /* scalars, contacts */
  double  A[ONE_MAX_SCALARS * ONE_MAX_SCALARS], p[ONE_MAX_SCALARS];
  double  J[ONE_MAX_CONTACTS][3 * ONE_MAX_SCALARS], bias[ONE_MAX_CONTACTS][3];
  sup_law law[ONE_MAX_CONTACTS];
  double  v[ONE_MAX_SCALARS]; /* warm start in, solution out */
  double  gamma[3 * ONE_MAX_CONTACTS];
} one_block;

/** Memory that many solves share. */
typedef struct one_block_solver {
  sup_linear_solver *factor;
  sup_arena         *arena;
} one_block_solver;

static inline void one_block_solver_create(one_block_solver *s) {
  OK(sup_linear_solver_create(&s->factor, SUP_BACKEND_SUPERNODAL, NULL));
  OK(sup_arena_create(&s->arena, 1 << 16));
}

static inline void one_block_solver_destroy(one_block_solver *s) {
  sup_linear_solver_destroy(&s->factor);
  sup_arena_destroy(&s->arena);
}

static inline sup_solve_report one_block_solve(one_block *b, one_block_solver *s,
                                               const sup_solve_options *options) {
  static const unsigned char last = 1;
  sup_block_pattern          pattern = {0};
  sup_constraint             constraint[ONE_MAX_CONTACTS];
  sup_jacobian_block         jacobian[ONE_MAX_CONTACTS];
  double                     value[ONE_MAX_CONTACTS * 3 * ONE_MAX_SCALARS];
  int                        A_to_H = 0;
  sup_solve_report           report;
  OK(sup_block_pattern_build(&pattern, 1, &b->n, 0, NULL));
  for (int i = 0; i < b->num; i++) {
    constraint[i] =
        (sup_constraint){.law = b->law[i], .first_vc = 3 * i, .first_block = i, .num_blocks = 1};
    memcpy(constraint[i].bias, b->bias[i], sizeof b->bias[i]);
    jacobian[i] = (sup_jacobian_block){0, (size_t)(3 * b->n * i)};
    memcpy(value + 3 * b->n * i, b->J[i], (size_t)(3 * b->n) * sizeof *value);
  }
  sup_problem problem = {&pattern,   b->A,   b->p,       &pattern, &A_to_H, b->num,
                         3 * b->num, b->num, constraint, jacobian, value};
  OK(sup_linear_solver_analyse(s->factor, &pattern, &last));
  OK(sup_arena_reset(s->arena));
  OK(sup_solve(&problem, s->factor, options, s->arena, &(sup_solution){b->v, b->gamma, b->law},
               &report));
  sup_block_pattern_free(&pattern);
  return report;
}
