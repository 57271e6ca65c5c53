/* A stored problem and one of our solvers: no step, no scene. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "solve/dual/dual.h"
#include "solve/reduction.h"
#include "solve/stored/numerics.h"
#include "solve/stored/stored_problem.h"

/** Check that laws are compliant, which Newton needs; mujoco adds compliance to contacts. */
static sup_status check_compliance(const sup_problem *p, const sup_contact_solver_row *solver) {
  int makes_own = solver == sup_contact_solver_table(SUP_CONTACT_SOLVER_MUJOCO);
  if (solver->iterates_on_impulses) return SUP_OK;
  for (int i = 0; i < p->num_constraints; i++) {
    const sup_law *law = &p->constraint[i].law;
    bool is_rigid = law->kind == SUP_LAW_SAP ? !makes_own && !(law->sap.Rt > 0 && law->sap.Rn > 0)
                    : law->kind == SUP_LAW_LIMIT || law->kind == SUP_LAW_COUPLER
                        ? !isfinite(law->limit.H)
                        : law->kind == SUP_LAW_PD && !isfinite(law->pd.slope);
    if (is_rigid)
      return SUP_FAIL(
          SUP_E_ARG,
          "%s needs a compliance R > 0 in every row, and constraint %d (from 0) has none; "
          "ncp_pgs, ccp_admm and the other solvers of impulses take it",
          solver->name, i);
  }
  return SUP_OK;
}

/** Restitution and rigid contact that go with the laws of the file. */
static sup_status check_options(const sup_stored_problem *s, const sup_contact_solver_row *solver) {
  if (solver->iterates_on_impulses || solver->leaves_residual) return SUP_OK;
  if (!s->rigid && !(s->restitution > 0)) return SUP_OK;
  return SUP_FAIL(
      SUP_E_ARG,
      "%s has no rigid contact and no restitution, which the file asks for; ncp_pgs and the other "
      "solvers of impulses have both, and so have G, R and cstar of the file",
      solver->name);
}

/** Problem to solve: the velocity form, or one made from G. */
static sup_status choose(sup_stored_problem *s, int delassus, sup_problem *problem) {
  const sup_delassus_problem *q = &s->delassus;
  if (s->has_dynamics && !delassus) {
    *problem = s->problem;
    return SUP_OK;
  }
  if (!q->G)
    return SUP_FAIL(SUP_E_ARG, "the file has no G, only A and J: it was written with --operators");
  if (!s->delassus_form.A)
    SUP_TRY(sup_delassus_to_problem(q, &s->delassus_pattern, s->arena, &s->delassus_form));
  *problem = s->delassus_form;
  return SUP_OK;
}

/** Residuals of both laws at lambda, for any solver. */
static sup_status measure(const sup_problem *problem, sup_linear_solver *factor, sup_arena *arena,
                          const sup_solve_options *options, const sup_stored_solution *solution,
                          sup_cone_law law, sup_law_residual *out) {
  sup_dual         dual;
  sup_solve_report report;
  sup_problem      own = *problem;
  double          *v, *lambda;
  int             *same, num = sup_block_column(problem->A_pattern, problem->A_pattern->num_blocks);
  SUP_TRY(SUP_ARENA(arena, v, problem->A_pattern->num_scalars));
  SUP_TRY(SUP_ARENA(arena, lambda, problem->num_vc));
  SUP_TRY(SUP_ARENA(arena, same, num));
  for (int e = 0; e < num; e++) same[e] = e;
  for (int k = 0; k < problem->A_pattern->num_scalars; k++) v[k] = solution->v[k];
  for (int k = 0; k < problem->num_vc; k++) lambda[k] = solution->impulse[k];
  own.H_pattern = problem->A_pattern, own.A_to_H = same, own.eliminated = NULL;
  SUP_TRY(sup_dual_create(&dual, &own, factor, law, options, arena,
                          &(sup_solution){v, lambda, NULL}, &report));
  *out = (sup_law_residual){0};
  if (report.reason < 0) return SUP_OK;
  sup_dual_round_impulse(&dual, solution->impulse, dual.lambda);
  sup_dual_arrange(&dual, solution->v, dual.v);
  sup_dual_linearise(&dual);
  sup_dual_measure(&dual, out);
  return SUP_OK;
}

static sup_status measure_both(sup_stored_problem *s, const sup_problem *problem,
                               const sup_solve_options *options, sup_stored_solution *out) {
  SUP_OWN(sup_linear_solver) *factor = NULL;
  SUP_TRY(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  SUP_TRY(sup_linear_solver_analyse(factor, problem->A_pattern, NULL));
  SUP_TRY(measure(problem, factor, s->arena, options, out, SUP_CONE_LAW_NCP, &out->ncp));
  SUP_TRY(measure(problem, factor, s->arena, options, out, SUP_CONE_LAW_CCP, &out->ccp));
  return SUP_OK;
}

static sup_status solve(const sup_problem *problem, const sup_solve_options *options,
                        sup_arena *arena, sup_stored_solution *out) {
  SUP_OWN(sup_reduction) *reduction = NULL;
  sup_law                *law;
  int                     analysed = 0;
  SUP_TRY(SUP_ARENA(arena, law, problem->num_constraints));
  sup_problem_copy_laws(problem, law);
  double start = sup_wall_time();
  SUP_TRY(sup_reduction_create(&reduction, SUP_BACKEND_SUPERNODAL, NULL, problem->A_pattern));
  SUP_TRY(sup_reduction_analyse(reduction, problem, arena, &analysed));
  SUP_TRY(sup_reduction_solve(reduction, problem, options, arena,
                              &(sup_solution){out->v, out->impulse, law}, &out->report));
  out->seconds = sup_wall_time() - start;
  return SUP_OK;
}

sup_status sup_stored_problem_solve(sup_stored_problem *s, const sup_solve_options *options,
                                    int delassus, sup_stored_solution *out) {
  sup_problem      *problem;
  sup_solve_options own = *options;
  *out = (sup_stored_solution){0};
  SUP_TRY(SUP_ARENA(s->arena, problem, 1));
  SUP_TRY(choose(s, delassus, problem));
  SUP_TRY(check_compliance(problem, sup_contact_solver_table(options->solver)));
  if (problem->A_pattern == s->problem.A_pattern)
    SUP_TRY(check_options(s, sup_contact_solver_table(options->solver)));
  int n = problem->A_pattern->num_scalars, is_own = problem->A_pattern == s->problem.A_pattern;
  SUP_TRY(SUP_ARENA(s->arena, out->v, n));
  SUP_TRY(SUP_ARENA(s->arena, out->impulse, problem->num_vc));
  SUP_TRY(SUP_ARENA(s->arena, out->velocity, problem->num_vc));
  own.dual.hand_over_above = 0;        /* the question is the result of this solver */
  own.dual.rigid = is_own && s->rigid; /* R and cstar of a Delassus form contain both */
  own.dual.baumgarte = is_own ? s->baumgarte : 0;
  own.dual.restitution = is_own ? s->restitution : 0;
  for (int k = 0; k < n; k++) out->v[k] = is_own ? s->v_start[k] : 0;
  for (int k = 0; k < problem->num_vc; k++) out->impulse[k] = s->start ? s->start[k] : 0;
  SUP_TRY(solve(problem, &own, s->arena, out));
  sup_problem_constraint_velocity(problem, out->v, 1, out->velocity);
  for (int k = 0; k < problem->num_vc && !is_own; k++)
    out->velocity[k] += s->delassus.target[k]; /* since the bias contains it */
  out->problem = problem;
  SUP_TRY(measure_both(s, problem, &own, out));
  return SUP_OK;
}

/** 1: constraint velocities differ by more than 1 % of the largest. */
static int differs(const sup_problem *p, const sup_stored_solution *a,
                   const sup_stored_solution *b) {
  double most = 0, change = 0;
  for (int k = 0; k < p->num_vc; k++) {
    most = fmax(most, fmax(fabs(a->velocity[k]), fabs(b->velocity[k])));
    change = fmax(change, fabs(a->velocity[k] - b->velocity[k]));
  }
  return change > sup_stored_numerics.differs * most;
}

sup_status sup_stored_problem_second(sup_stored_problem *s, const sup_solve_options *options,
                                     int delassus, const sup_stored_solution *found,
                                     sup_stored_solution *other, int *exists) {
  const double       *start = s->start;
  sup_solve_options   own = *options;
  sup_stored_solution relaxed;
  sup_status          status;
  *exists = 0, own.log = 0;
  if (!(found->ncp.relative <= sup_stored_numerics.law) || found->problem->num_constraints == 0)
    return SUP_OK;
  s->start = NULL;
  own.solver = SUP_CONTACT_SOLVER_CCP_ADMM;
  SUP_TRY_GOTO(sup_stored_problem_solve(s, &own, delassus, &relaxed), status, end);
  own.solver = SUP_CONTACT_SOLVER_NCP_PGS;
  for (int k = 0; k < 2 && !*exists; k++) {
    s->start = k ? relaxed.impulse : NULL;
    SUP_TRY_GOTO(sup_stored_problem_solve(s, &own, delassus, other), status, end);
    *exists = other->report.reason > 0 && other->ncp.relative <= sup_stored_numerics.law &&
              differs(found->problem, found, other);
  }
end:
  s->start = start;
  return status;
}
