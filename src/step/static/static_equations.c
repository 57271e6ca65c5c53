#include "step/static/static_equations.h"

#include <math.h>
#include <string.h>

#include "step/static/numerics.h"
#include "step/static/static_softs.h"

typedef sup_static_equations equations;

static int size_of(const equations *e) { return e->it.start.layout->A_pattern.num_scalars; }

/** The iterate := q, in memory that the next one takes. */
static sup_status move_to(equations *e, const double *q) {
  sup_static_iteration *it = &e->it;
  it->start.arena = e->memory->turn[0];
  SUP_TRY(sup_arena_reset(it->start.arena));
  for (int i = 0; i < size_of(e); i++) e->solution.v[i] = q[i] / it->start.inc->h;
  return sup_statics_move(it);
}

static sup_status linearise(equations *e, const double *q, int is_kept) {
  e->it.phase = SUP_STATIC_GLOBAL;
  SUP_TRY(move_to(e, q));
  return sup_statics_linearise(
      &e->it, is_kept && sup_assembly_can_reuse(&e->it.start) && e->it.start.state->num_v == 0);
}

static sup_status create(equations *e, const double *q) {
  sup_static_iteration *it = &e->it;
  int                   n = size_of(e);
  SUP_TRY(sup_statics_create(&e->memory));
  SUP_TRY(sup_arena_create(&e->arena, 1 << 16));
  SUP_TRY(sup_assembly_create(&e->assembly, it->start.layout));
  SUP_TRY(sup_state_create(&e->end.next, it->start.model, &it->start.layout->options));
  SUP_TRY(SUP_CALLOC(e->column, n));
  SUP_TRY(SUP_CALLOC(e->first, n + 1));
  it->memory = e->memory, it->start.arena = e->arena;
  SUP_TRY(sup_equilibrium_begin(it));
  SUP_TRY(SUP_ARENA_VECTORS(e->arena, n, &e->q, &e->trial, &e->out, &e->sum));
  memcpy(e->q, q, (size_t)n * sizeof *q);
  it->soft_weight = 0;
  sup_assembly_begin_softs(&it->start, &e->assembly);
  return linearise(e, q, 0);
}

sup_status sup_static_equations_create(equations *e, const sup_step_layout *layout,
                                       const sup_increment *inc, const sup_state *state,
                                       const sup_origins *origins, const double *q) {
  if (layout->model->ranks)
    return SUP_FAIL(SUP_E_ARG, "equations of a load step are those of one rank");
  *e = (equations){.inc = *inc, .options = sup_default_static_options()};
  e->it = (sup_static_iteration){
      .assembly = &e->assembly,
      .contacts = &e->contacts,
      .solution = &e->solution,
      .end = &e->end,
      .options = &e->options,
      .origins = origins,
      .start = {.model = layout->model, .layout = layout, .inc = &e->inc, .state = state}};
  e->assembly.layout = layout;
  sup_status status = create(e, q);
  if (status != SUP_OK) sup_static_equations_free(e);
  return status;
}

void sup_static_equations_free(equations *e) {
  sup_reduction_destroy(&e->reduction);
  sup_statics_destroy(&e->memory);
  sup_arena_destroy(&e->arena);
  sup_assembly_free(&e->assembly);
  sup_contact_problem_free(&e->contacts);
  sup_state_destroy(&e->end.next);
  SUP_FREE_ALL(&e->column, &e->first, &e->entry);
}

sup_status sup_static_equations_residual(equations *e, const double *q, double *r) {
  SUP_TRY(linearise(e, q, 1));
  memcpy(r, e->it.r, (size_t)size_of(e) * sizeof *r);
  return SUP_OK;
}

/* ---- differences ----------------------------------------------------------------------------- */

/** f [num_scalars] := r at q without the forces of constraints. */
static sup_status other_forces(equations *e, const double *q, double *f) {
  SUP_TRY(linearise(e, q, 1));
  for (int i = 0; i < size_of(e); i++)
    f[i] = e->it.r[i] + e->it.cost.impulse[i] / e->it.start.inc->h;
  return SUP_OK;
}

/** f [num_scalars] := - J^T gamma/h at q: contacts, limits and drives. */
static sup_status constraint_forces(equations *e, const double *q, double *f) {
  sup_static_iteration *it = &e->it;
  sup_step_solution    *x = &e->solution;
  SUP_TRY(move_to(e, q));
  it->start.kin = e->end.kin_next;
  SUP_TRY(sup_static_softs_attach(&it->start, e->end.next, e->end.next, &e->assembly));
  SUP_TRY(sup_statics_constrain(it, e->end.next));
  sup_problem_constraint_velocity(&it->problem, x->v, 1, x->vc);
  sup_problem_evaluate(&it->problem, x->law, x->vc, x->gamma, NULL);
  sup_problem_generalized_impulse(&it->problem, x->gamma, f);
  for (int i = 0; i < size_of(e); i++) f[i] /= -it->start.inc->h;
  return SUP_OK;
}

typedef sup_status forces_at(equations *e, const double *q, double *f);

/** sum [num_scalars] += derivative of the forces along x by central differences of fourth order,
 * whose least displacement is at most `step` [m]. */
static sup_status add_derivative(equations *e, forces_at *forces, double step, const double *x,
                                 double *sum) {
  static const struct {
    double at, weight;
  } point[] = {{-2, 1. / 12}, {-1, -2. / 3}, {1, 2. / 3}, {2, -1. / 12}};
  double largest = 0;
  for (int i = 0; i < size_of(e); i++) largest = fmax(largest, fabs(x[i]));
  if (!(largest > 0)) return SUP_OK;
  for (size_t k = 0; k < sizeof point / sizeof *point; k++) {
    double a = step / largest;
    for (int i = 0; i < size_of(e); i++) e->trial[i] = e->q[i] + point[k].at * a * x[i];
    SUP_TRY(forces(e, e->trial, e->out));
    for (int i = 0; i < size_of(e); i++) sum[i] += point[k].weight * e->out[i] / a;
  }
  return SUP_OK;
}

sup_status sup_static_equations_multiply(equations *e, const double *x, double *y) {
  double size = e->it.trust.size;
  memset(y, 0, (size_t)size_of(e) * sizeof *y);
  SUP_TRY(add_derivative(e, other_forces, sup_static_numerics.difference * size, x, y));
  return add_derivative(e, constraint_forces, sup_static_numerics.difference_contact * size, x, y);
}

/* ---- factor ---------------------------------------------------------------------------------- */

/** Factor H at q; memory of the factor is the arena `kept`. */
static sup_status factor(equations *e) {
  const sup_step_layout   *layout = e->it.start.layout;
  const sup_problem       *problem = &e->it.problem;
  const sup_step_solution *x = &e->solution;
  sup_arena               *arena = e->memory->kept;
  double                  *G;
  int                      analysed;
  SUP_TRY(sup_reduction_create(&e->reduction, layout->options.backend, layout->options.petsc,
                               &layout->A_pattern));
  if (layout->is_free) SUP_TRY(sup_step_layout_join(layout, e->reduction));
  SUP_TRY(linearise(e, e->q, 0));
  SUP_TRY(sup_reduction_analyse(e->reduction, problem, arena, &analysed));
  SUP_TRY(SUP_ARENA(arena, G, 9 * problem->num_constraints));
  sup_problem_evaluate(problem, x->law, x->vc, x->gamma, G);
  return sup_reduction_factor(e->reduction, problem, G, arena);
}

sup_status sup_static_equations_solve(equations *e, double *x) {
  double     h = e->it.start.inc->h;
  sup_status status = e->reduction ? SUP_OK : factor(e);
  if (status != SUP_OK) sup_reduction_destroy(&e->reduction);
  SUP_TRY(status);
  SUP_TRY(sup_reduction_apply_inverse(e->reduction, x, e->out));
  for (int i = 0; i < size_of(e); i++) x[i] *= h * h;
  return SUP_OK;
}

/* ---- transposed ------------------------------------------------------------------------------ */

/** near [num_vertices of the model] := 1: a contact acts on the vertex or on a face that has it. */
static sup_status find_near(const equations *e, sup_arena *arena, unsigned char **near) {
  const sup_model *model = e->it.start.model;
  unsigned char   *acts;
  size_t           n = (size_t)model->num_vertices;
  SUP_TRY(SUP_ARENA(arena, acts, n));
  SUP_TRY(SUP_ARENA(arena, *near, n));
  memset(acts, 0, n);
  for (int k = 0; k < e->contacts.list.count; k++) {
    const sup_contact *c = &e->contacts.list.contact[k];
    for (int side = 0; side < 2; side++) {
      const sup_carrier *carrier = side ? &c->carrier_b : &c->carrier_a;
      int                soft = model->body[side ? c->body_b : c->body_a].soft;
      for (int a = 0; a < carrier->num_vertices && soft != SUP_NONE; a++)
        acts[model->soft[soft].first_vertex + carrier->vertex[a]] = 1;
    }
  }
  memcpy(*near, acts, n);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_surface *surface = model->soft[i].surface;
    int                first = model->soft[i].first_vertex, m = surface->vertices_per_face;
    for (int f = 0; f < surface->num_faces; f++) {
      int any = 0;
      for (int a = 0; a < m; a++) any |= acts[first + surface->face[f * m + a]];
      for (int a = 0; a < m && any; a++) (*near)[first + surface->face[f * m + a]] = 1;
    }
  }
  return SUP_OK;
}

/** Append the column of the scalar `at`; unit [num_scalars] is 0 before and after. */
static sup_status add_column(equations *e, int at, double *unit) {
  int    n = size_of(e);
  double step = sup_static_numerics.difference_contact * e->it.trust.size;
  memset(e->sum, 0, (size_t)n * sizeof *e->sum);
  unit[at] = 1;
  SUP_TRY(add_derivative(e, constraint_forces, step, unit, e->sum));
  unit[at] = 0;
  for (int i = 0; i < n; i++) {
    if (e->sum[i] == 0) continue;
    SUP_TRY(SUP_GROW(e->entry, e->entry_capacity, e->num_entries + 1));
    e->entry[e->num_entries++] = (sup_static_entry){i, e->sum[i]};
  }
  e->column[e->num_columns] = at;
  e->first[++e->num_columns] = e->num_entries;
  return SUP_OK;
}

static sup_status make_columns(equations *e) {
  const sup_step_start *s = &e->it.start;
  const size_t          size = (size_t)size_of(e) * sizeof(double);
  unsigned char        *near;
  double               *unit;
  SUP_TRY(find_near(e, e->arena, &near));
  SUP_TRY(SUP_ARENA(e->arena, unit, size_of(e)));
  memset(unit, 0, size);
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      if (near[soft->first_vertex + a / 3] && soft->block[a / 3] != SUP_NONE)
        SUP_TRY(add_column(e, sup_block_first(&s->layout->A_pattern, soft->block[a / 3]) + a % 3,
                           unit));
  }
  return SUP_OK;
}

sup_status sup_static_equations_multiply_transposed(equations *e, const double *x, double *y) {
  const sup_step_start *s = &e->it.start;
  if (s->state->num_v > 0 || s->model->num_tractions > 0)
    return SUP_FAIL(SUP_E_ARG, "the stiffness of trees and of tractions has no transpose yet");
  if (e->num_columns == 0 && e->contacts.list.count > 0) SUP_TRY(make_columns(e));
  memset(y, 0, (size_t)size_of(e) * sizeof *y);
  SUP_TRY(add_derivative(e, other_forces, sup_static_numerics.difference * e->it.trust.size, x, y));
  for (int k = 0; k < e->num_columns; k++)
    for (size_t j = e->first[k]; j < e->first[k + 1]; j++)
      y[e->column[k]] += e->entry[j].value * x[e->entry[j].row];
  return SUP_OK;
}
