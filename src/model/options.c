/* Check of a run's options against a model. */
#include <math.h>

#include "base/status.h"
#include "fem/cell_operator.h"
#include "la/lu.h"
#include "law/normal.h"
#include "model/constraint.h"
#include "model/event.h"
#include "model/members.h"
#include "solve/solver.h"

static sup_status check_accuracy(const sup_accuracy *a) {
  if (!(a->tolerance > 0 && a->tolerance < 1))
    return SUP_FAIL(SUP_E_ARG, "the accuracy of steps is %g; it must lie between 0 and 1",
                    a->tolerance);
  if (!(a->length > 0 && a->time > 0 && a->reference_step > 0))
    return SUP_FAIL(SUP_E_ARG,
                    "the accuracy has the length %g m, the time %g s and the reference step %g s; "
                    "they must be positive",
                    a->length, a->time, a->reference_step);
  if (!(a->min_step > 0 && a->min_step <= a->max_step))
    return SUP_FAIL(SUP_E_ARG,
                    "the shortest step is %g s and the longest %g s; 0 < shortest <= longest is "
                    "expected",
                    a->min_step, a->max_step);
  return SUP_OK;
}

#define OF(member, range, count) SUP_MEMBER(sup_options, member, range, count)
static const sup_member members[] = {OF(soft_bdf2, WORD, 2),
                                     OF(gravity, FINITE, 3),
                                     OF(quasi_newton, WORD, 2),
                                     OF(newton, WORD, SUP_NUM_NEWTONS),
                                     OF(line_search, WORD, SUP_NUM_LINE_SEARCHES),
                                     OF(convergence_control, WORD, 2),
                                     OF(backend, WORD, SUP_BACKEND_PETSC + 1),
                                     OF(petsc_matrix, WORD, SUP_PETSC_MATRIX_FREE + 1),
                                     OF(contact_solver, WORD, SUP_NUM_CONTACT_SOLVERS),
                                     OF(dual.hand_over, WORD, SUP_NUM_CONTACT_SOLVERS),
                                     OF(tamsi.coupling, WORD, 2),
                                     OF(delassus, WORD, SUP_NUM_DELASSUS),
                                     OF(softening, WORD, SUP_NUM_FRICTION_SOFTENINGS),
                                     OF(stick, WORD, SUP_NUM_STICKS),
                                     OF(static_slip, NOT_NEGATIVE, 1),
                                     OF(sigma, NOT_NEGATIVE, 1),
                                     OF(beta, NOT_NEGATIVE, 1),
                                     OF(sweep_tolerance, NOT_NEGATIVE, 1)};
#undef OF

static sup_status check_numbers(const sup_options *o) {
  SUP_TRY(sup_members_check(members, (int)(sizeof members / sizeof *members), o, "", "options"));
  if (!(o->dt > 0) || !isfinite(o->dt))
    return SUP_FAIL(SUP_E_ARG, "the time step is %g s; it must be positive", o->dt);
  if (o->accuracy.tolerance != 0) SUP_TRY(check_accuracy(&o->accuracy));
  if (!(o->tolerance > 0 && o->tolerance < 1))
    return SUP_FAIL(SUP_E_ARG, "the solver tolerance is %g; it must lie between 0 and 1",
                    o->tolerance);
  if (!(o->stiction_tolerance > 0))
    return SUP_FAIL(SUP_E_ARG, "the stiction tolerance is %g m/s; it must be positive",
                    o->stiction_tolerance);
  if (o->max_iterations < 1)
    return SUP_FAIL(SUP_E_ARG, "max_iterations is %d; it must be at least 1", o->max_iterations);
  if (o->friction_sweeps < 1)
    return SUP_FAIL(SUP_E_ARG, "friction_sweeps is %d; it must be at least 1", o->friction_sweeps);
  return SUP_OK;
}

/** Check that soft bodies have forces of the step's end and positions q0 + dt v; otherwise they
 * oscillate (THEORY 2.2). */
static sup_status check_scheme(const sup_options *o, const sup_model *model) {
  const sup_scheme *c = &o->scheme;
  const double      weight[3] = {c->theta, c->theta_stiff, c->theta_vq};
  for (int i = 0; i < 3; i++)
    if (!(weight[i] >= 0 && weight[i] <= 1))
      return SUP_FAIL(SUP_E_ARG,
                      "the time scheme has the weights theta %g, theta_stiff %g, theta_vq %g; each "
                      "must lie between 0 and 1",
                      c->theta, c->theta_stiff, c->theta_vq);
  if (o->soft_bdf2 && model->num_softs == 0)
    return SUP_FAIL(SUP_E_ARG,
                    "the scheme soft_bdf2 needs soft bodies; for trees alone the scheme midpoint "
                    "is of second order");
  for (int t = 0; o->soft_bdf2 && o->accuracy.tolerance > 0 && t < model->num_trees; t++)
    if (model->v_start[t] < model->v_start[t + 1])
      return SUP_FAIL(SUP_E_ARG,
                      "time.accuracy with the scheme bdf2 needs scenes in which soft bodies alone "
                      "move, and '%s' has moving joints; use symplectic_euler, whose steps are "
                      "then extrapolated to second order",
                      model->body[model->tree_body[t]].name);
  if (model->num_softs > 0 && (c->theta_stiff < 1 || c->theta_vq < 1))
    return SUP_FAIL(
        SUP_E_ARG,
        "soft body '%s' moves by q0 + dt v under the forces of the step's end (theta_stiff = "
        "theta_vq = 1): with theta_stiff %g and theta_vq %g it would ring and gain angular "
        "momentum; use symplectic_euler or implicit_euler, for second order with soft_bdf2",
        model->soft[0].name, c->theta_stiff, c->theta_vq);
  return SUP_OK;
}

static sup_status check_sigma(const sup_options *o, const sup_model *model) {
  for (int p = 0; p < model->num_pairs && !(o->sigma > 0); p++)
    if (model->pair[p].model == SUP_MODEL_SAP)
      return SUP_FAIL(
          SUP_E_ARG, "sigma is %g; the contact model sap of '%s' and '%s' needs a positive one",
          o->sigma, model->body[model->pair[p].a].name, model->body[model->pair[p].b].name);
  return SUP_OK;
}

/** Name of the first bit that is set. */
static const char *first_model(unsigned bits) {
#define NAME(NAME, name, ...) #name,
  static const char *const names[] = {SUP_CONTACT_MODEL_LIST(NAME)};
#undef NAME
  int k = 0;
  while (!(bits >> k & 1)) k++;
  return names[k];
}

/** Check for pairs that the contact solver does not support. */
static sup_status check_pairs(const sup_options *o, const sup_model *model) {
  const sup_contact_solver_row *row = sup_contact_solver_table(o->contact_solver);
  for (int p = 0; p < model->num_pairs; p++) {
    const sup_pair *pair = &model->pair[p];
    const char     *a = model->body[pair->a].name, *b = model->body[pair->b].name;
    if (!(row->models >> pair->model & 1))
      return SUP_FAIL(SUP_E_ARG,
                      "the contact solver %s does not take the contact model %s of '%s' and '%s'; "
                      "it takes %s, and the solver newton takes all models",
                      row->name, first_model(1u << pair->model), a, b, first_model(row->models));
    if (pair->model != SUP_MODEL_SAP && sup_normal_table(pair->normal_law)->is_barrier &&
        !row->takes_barriers)
      return SUP_FAIL(SUP_E_ARG,
                      "the contact solver %s does not take the normal law %s of '%s' and '%s'; it "
                      "takes %s, and the solver newton takes all laws",
                      row->name, sup_normal_name(pair->normal_law), a, b,
                      sup_normal_name(SUP_NORMAL_HUNT_CROSSLEY));
  }
  if (model->has_rolling && sup_options_solver_compliance(o))
    return SUP_FAIL(
        SUP_E_ARG,
        "the contact solver %s%s does not take rolling_friction and torsional_friction, "
        "whose bounds follow from the stiffness of points; the solver newton does",
        row->name, o->dual.rigid ? " with contact.dual.compliance rigid" : "");
  return SUP_OK;
}

static sup_status check_dual(const sup_dual_options *o) {
  if (!(o->tolerance > 0 && o->tolerance < 1))
    return SUP_FAIL(SUP_E_ARG, "contact.dual.tolerance is %g; it must lie between 0 and 1",
                    o->tolerance);
  if (!(o->restitution >= 0 && o->restitution <= 1))
    return SUP_FAIL(SUP_E_ARG, "contact.dual.restitution is %g; it must lie between 0 and 1",
                    o->restitution);
  if (!(o->baumgarte >= 0 && o->baumgarte <= 1))
    return SUP_FAIL(SUP_E_ARG, "contact.dual.baumgarte is %g; it must lie between 0 and 1",
                    o->baumgarte);
  if (!(o->over_relaxation > 0 && o->over_relaxation < 2))
    return SUP_FAIL(SUP_E_ARG, "contact.dual.over_relaxation is %g; it must lie between 0 and 2",
                    o->over_relaxation);
  return SUP_OK;
}

int sup_options_solver_compliance(const sup_options *o) {
  return o->dual.rigid || o->contact_solver == SUP_CONTACT_SOLVER_MUJOCO;
}

/** Check that restitution has rigid contact: with a compliance Newton's law of impacts, v_n := -e
 * v_n, fails by R lambda.  The compliance of SAP cannot be switched off. */
static sup_status check_impacts(const sup_options *o, const sup_model *model) {
  const sup_contact_solver_row *row = sup_contact_solver_table(o->contact_solver);
  bool                          is_mujoco = o->contact_solver == SUP_CONTACT_SOLVER_MUJOCO;
  if (!row->iterates_on_impulses && !is_mujoco && (o->dual.rigid || o->dual.restitution > 0))
    return SUP_FAIL(SUP_E_ARG,
                    "the contact solver %s has no rigid contact and no restitution; ncp_pgs has "
                    "contact.dual.compliance and contact.dual.restitution; with other solvers "
                    "'dissipation' of the contact sets the rebound",
                    row->name);
  if (!(o->dual.restitution > 0)) return SUP_OK;
  if (is_mujoco)
    return SUP_FAIL(SUP_E_ARG,
                    "the contact solver mujoco takes no contact.dual.restitution: its compliance "
                    "absorbs a part of the rebound; ncp_pgs has restitution");
  if (!o->dual.rigid)
    return SUP_FAIL(SUP_E_ARG,
                    "contact.dual.restitution %g needs 'contact.dual.compliance: rigid', since the "
                    "compliance of the normal law absorbs a part of the rebound; without "
                    "restitution, 'dissipation' of the contact sets the rebound",
                    o->dual.restitution);
  for (int p = 0; p < model->num_pairs; p++)
    if (model->pair[p].model == SUP_MODEL_SAP)
      return SUP_FAIL(SUP_E_ARG,
                      "contact.dual.restitution %g with the contact model sap of '%s' and '%s', "
                      "which has a compliance of its own; coupled, lagged and similar have "
                      "restitution",
                      o->dual.restitution, model->body[model->pair[p].a].name,
                      model->body[model->pair[p].b].name);
  return SUP_OK;
}

static sup_status check_tamsi(const sup_options *o, const sup_model *model) {
  if (o->contact_solver != SUP_CONTACT_SOLVER_TAMSI) return SUP_OK;
  if (o->tamsi.coupling == SUP_TAMSI_TWO_WAY && !sup_lu_is_built_in())
    return SUP_FAIL(
        SUP_E_ARG,
        "the contact solver tamsi with two-way coupling needs UMFPACK, which this program was "
        "built without; use 'contact.tamsi.coupling: one_way', or build with UMFPACK=1");
  if (o->tamsi.max_iterations < 1 || o->tamsi.max_substeps < 1)
    return SUP_FAIL(SUP_E_ARG, "tamsi: %d iterations, %d substeps; at least 1 of each",
                    o->tamsi.max_iterations, o->tamsi.max_substeps);
  for (int p = 0; p < model->num_pairs && o->tamsi.coupling == SUP_TAMSI_ONE_WAY; p++)
    if (model->pair[p].model == SUP_MODEL_COUPLED)
      return SUP_FAIL(SUP_E_ARG,
                      "the contact model coupled of '%s' and '%s' needs 'contact.tamsi.coupling: "
                      "two_way'; with one_way, use the contact model lagged",
                      model->body[model->pair[p].a].name, model->body[model->pair[p].b].name);
  return SUP_OK;
}

static sup_status check_ranks(const sup_options *o, const sup_model *model) {
  if (!model->ranks) return SUP_OK;
  if (o->contact_solver != SUP_CONTACT_SOLVER_NEWTON)
    return SUP_FAIL(SUP_E_ARG, "the contact solver %s works on one rank; newton works on several",
                    sup_contact_solver_table(o->contact_solver)->name);
  for (int a = 0; a < model->num_actuators; a++)
    if (model->actuator[a].feedforward)
      return SUP_FAIL(SUP_E_ARG, "actuator '%s': feedforward works on one rank, not on several",
                      model->actuator[a].name);
  return SUP_OK;
}

static const sup_spring *spring_on(const sup_model *model, int body) {
  for (int i = 0; i < model->num_springs; i++)
    for (int e = 0; e < 2; e++)
      if (model->spring[i].end[e].body == body) return &model->spring[i];
  return NULL;
}

/** Check soft bodies without a stored matrix. */
static sup_status check_free_body(const sup_model *model, const sup_soft *soft) {
  static const char key[] = "solver.petsc_matrix free";
  if (spring_on(model, soft->body))
    return SUP_FAIL(SUP_E_ARG, "%s: a spring pulls at '%s', which needs 'petsc_matrix: stored'",
                    key, soft->name);
  if (!sup_fem_has_cell_stiffness(soft->fem))
    return SUP_FAIL(
        SUP_E_ARG,
        "%s: '%s' has cells without a constant stiffness matrix; bricks, and T10 with the model "
        "linear or linear_corotational, have one; 'petsc_matrix: stored' takes all cells",
        key, soft->name);
  if (sup_fem_has_solid_shells(soft->fem))
    return SUP_FAIL(SUP_E_ARG, "%s: '%s' has solid-shells, which need 'petsc_matrix: stored'", key,
                    soft->name);
  return SUP_OK;
}

static sup_status check_free(const sup_options *o, const sup_model *model) {
  if (o->petsc_matrix != SUP_PETSC_MATRIX_FREE) return SUP_OK;
  if (o->backend != SUP_BACKEND_PETSC)
    return SUP_FAIL(SUP_E_ARG, "solver.petsc_matrix free needs the backend petsc");
  if (model->ranks)
    return SUP_FAIL(SUP_E_ARG,
                    "solver.petsc_matrix free works on one rank; stored works on several");
  if (o->contact_solver != SUP_CONTACT_SOLVER_NEWTON)
    return SUP_FAIL(
        SUP_E_ARG,
        "solver.petsc_matrix free: the contact solver %s needs a stored matrix; newton does not",
        sup_contact_solver_table(o->contact_solver)->name);
  if (model->num_ties > 0)
    return SUP_FAIL(SUP_E_ARG, "solver.petsc_matrix free: tie '%s' needs 'petsc_matrix: stored'",
                    model->tie[0].name);
  for (int i = 0; i < model->num_softs; i++) SUP_TRY(check_free_body(model, &model->soft[i]));
  return SUP_OK;
}

static sup_status check_columns(const sup_options *o, const char *kind, const char *quantity,
                                const char *name) {
  if (o->petsc_matrix == SUP_PETSC_MATRIX_FREE)
    return SUP_FAIL(SUP_E_ARG, "solver.petsc_matrix free: %s '%s' needs 'petsc_matrix: stored'",
                    kind, name);
  if (o->contact_solver != SUP_CONTACT_SOLVER_NEWTON)
    return SUP_FAIL(SUP_E_ARG,
                    "the contact solver %s does not take %s '%s'; the solver newton does",
                    sup_contact_solver_table(o->contact_solver)->name, kind, name);
  if (o->report_condition)
    return SUP_FAIL(SUP_E_ARG,
                    "solver.report_condition: the condition of a step with %s '%s' is not known; "
                    "leave the key out",
                    kind, name);
  if (o->accuracy.tolerance > 0)
    return SUP_FAIL(
        SUP_E_ARG,
        "time.accuracy: the %s of %s '%s' is that of a whole step, not of two half ones "
        "together; take 'time.step'",
        quantity, kind, name);
  return SUP_OK;
}

/** Check what the rows of chambers and cables beside A do not take. */
static sup_status check_rows(const sup_options *o, const sup_model *model) {
  const sup_scheme *c = &o->scheme;
  if (model->num_chambers > 0)
    SUP_TRY(check_columns(o, "chamber", "pressure", model->chamber[0].name));
  if (model->num_cables == 0) return SUP_OK;
  const char *name = model->cable[0].name;
  SUP_TRY(check_columns(o, "cable", "tension", name));
  if (c->theta_stiff < 1 || c->theta_vq < 1)
    return SUP_FAIL(SUP_E_ARG,
                    "cable '%s' pulls with the tension of the step's end (theta_stiff = theta_vq = "
                    "1); the time scheme has theta_stiff %g and theta_vq %g; use symplectic_euler "
                    "or implicit_euler",
                    name, c->theta_stiff, c->theta_vq);
  if (o->soft_bdf2)
    return SUP_FAIL(SUP_E_ARG,
                    "cable '%s' works with soft bodies of first order; use the time scheme "
                    "symplectic_euler or implicit_euler instead of bdf2",
                    name);
  return SUP_OK;
}

static sup_status check_constraints(const sup_options *o, const sup_model *model) {
  const sup_scheme *c = &o->scheme;
  if (c->theta_stiff < 1 || c->theta_vq < 1)
    SUP_TRY(sup_model_refuse_constraints(model, "time schemes of second order"));
  if (o->accuracy.tolerance > 0) SUP_TRY(sup_model_refuse_constraints(model, "time.accuracy"));
  if (o->soft_bdf2) SUP_TRY(sup_model_refuse_constraints(model, "the time scheme bdf2"));
  return SUP_OK;
}

static sup_status check_events(const sup_options *o, const sup_model *model) {
  if (o->accuracy.tolerance > 0) SUP_TRY(sup_model_refuse_events(model, "time.accuracy"));
  if (o->petsc_matrix == SUP_PETSC_MATRIX_FREE)
    SUP_TRY(sup_model_refuse_events(model, "solver.petsc_matrix free"));
  return SUP_OK;
}

sup_status sup_options_check(const sup_options *o, const sup_model *model) {
  if (o->marker != SUP_INITIALISED)
    return SUP_FAIL(SUP_E_ARG, "the options were not begun with sup_default_options");
  SUP_TRY(check_ranks(o, model));
  SUP_TRY(check_free(o, model));
  SUP_TRY(check_rows(o, model));
  SUP_TRY(check_events(o, model));
  SUP_TRY(check_constraints(o, model));
  SUP_TRY(check_numbers(o));
  SUP_TRY(check_scheme(o, model));
  SUP_TRY(check_sigma(o, model));
  SUP_TRY(check_pairs(o, model));
  SUP_TRY(check_dual(&o->dual));
  SUP_TRY(check_tamsi(o, model));
  SUP_TRY(check_impacts(o, model));
  return SUP_OK;
}
