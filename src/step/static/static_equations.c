#include "step/static/static_equations.h"
#include "model/constraint.h"

#include <math.h>
#include <string.h>

#include "fem/material.h"
#include "la/gmres.h"
#include "la/vector.h"
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
  sup_assembly_dirichlet_velocity(&e->assembly, e->solution.v);
  return sup_statics_move(it);
}

/** Trees go from the start of the load step. */
static void begin_trees(equations *e) {
  sup_static_trees *trees = &e->it.trees;
  const sup_state  *state = e->it.start.state;
  if (state->num_v == 0) return;
  memcpy(trees->q, state->q, (size_t)state->num_q * sizeof *trees->q);
  memset(trees->v, 0, (size_t)state->num_v * sizeof *trees->v);
}

static sup_status linearise(equations *e, const double *q, int is_kept) {
  e->it.phase = SUP_STATIC_GLOBAL;
  SUP_TRY(move_to(e, q));
  return sup_statics_linearise(
      &e->it, is_kept && sup_assembly_can_reuse(&e->it.start) && e->it.start.state->num_v == 0);
}

/** Displacement in differences of elastic forces [m or rad]: a share of the least mean cell. */
static double element_width(const equations *e) {
  const sup_model *model = e->it.start.model;
  double           least = HUGE_VAL;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_fem_body *fem = model->soft[i].fem;
    double              volume = sup_fem_mass(fem) / sup_fem_material(fem, 0)->density;
    least = fmin(least, cbrt(volume / sup_fem_mesh(fem)->num_vertices));
  }
  return sup_static_numerics.difference * fmin(least, e->it.trust.size);
}

/** Largest depth of a contact that presses [m]; 0: none does. */
static double deepest(const equations *e) {
  double most = 0;
  for (int k = 0; k < e->contacts.list.count; k++)
    most = fmax(most, -e->contacts.list.contact[k].phi);
  return most;
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
  SUP_TRY(SUP_ARENA_VECTORS(e->arena, n, &e->q, &e->trial, &e->out, &e->sum, &e->slip, &e->minus));
  memcpy(e->q, q, (size_t)n * sizeof *q);
  it->soft_weight = 0;
  begin_trees(e);
  sup_assembly_begin_softs(&it->start, &e->assembly);
  SUP_TRY(linearise(e, q, 0));
  e->depth = deepest(e);
  return SUP_OK;
}

sup_status sup_static_equations_begin(equations *e, const sup_step_layout *layout,
                                      const sup_increment *inc, const sup_state *state,
                                      const sup_origins *origins, const double *q) {
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

sup_status sup_static_equations_create(equations *e, const sup_step_layout *layout,
                                       const sup_increment *inc, const sup_state *state,
                                       const sup_origins *origins, const double *q) {
  if (layout->model->ranks)
    return SUP_FAIL(SUP_E_ARG, "equations of a load step are those of one rank");
  for (int c = 0; c < layout->model->num_chambers; c++)
    if (layout->model->chamber[c].fill != SUP_CHAMBER_PRESSURE)
      return SUP_FAIL(SUP_E_ARG,
                      "equilibria with a given volume or gas in chamber '%s' have no derivatives "
                      "here; method: differences takes them, and given pressures have them",
                      layout->model->chamber[c].name);
  if (layout->model->num_constraints > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "equilibria with constraint '%s' have no derivatives here; method: differences "
                    "takes them",
                    layout->model->constraint[0].name);
  if (layout->model->num_cables > 0)
    return SUP_FAIL(
        SUP_E_ARG,
        "equilibria with cable '%s' have no derivatives here; method: differences takes "
        "them",
        layout->model->cable[0].name);
  if (layout->model->num_ties > 0)
    return SUP_FAIL(
        SUP_E_ARG,
        "equilibria with tie '%s' have no derivatives here; method: differences takes them",
        layout->model->tie[0].name);
  SUP_TRY(sup_static_equations_begin(e, layout, inc, state, origins, q));
  return SUP_OK;
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

/** Impulses and f [num_scalars] := their generalised impulse, where the way of each contact within
 * the load step is shorter by the slip. */
static sup_status evaluate(equations *e, double *f) {
  sup_static_iteration *it = &e->it;
  sup_step_solution    *x = &e->solution;
  const sup_problem    *problem = &it->problem;
  sup_problem_constraint_velocity(problem, x->v, 1, x->vc);
  if (e->has_slip) {
    double *vc;
    SUP_TRY(SUP_ARENA(it->start.arena, vc, problem->num_vc));
    sup_problem_constraint_velocity(problem, e->slip, 0, vc);
    for (int i = 0; i < problem->num_constraints; i++) {
      int at = problem->constraint[i].first_vc;
      for (int c = 0; c < 2 && sup_law_dimension(problem->constraint[i].law.kind) == 3; c++)
        x->vc[at + c] -= vc[at + c] / it->start.inc->h;
    }
  }
  sup_problem_evaluate(problem, x->law, x->vc, x->gamma, NULL);
  sup_problem_generalized_impulse(problem, x->gamma, f);
  return SUP_OK;
}

sup_status sup_static_equations_residual(equations *e, const double *q, double *r) {
  SUP_TRY(linearise(e, q, 1));
  SUP_TRY(evaluate(e, e->out));
  for (int i = 0; i < size_of(e); i++)
    r[i] = e->it.r[i] + (e->it.cost.impulse[i] - e->out[i]) / e->it.start.inc->h;
  return SUP_OK;
}

void sup_static_equations_slip(equations *e, const double *x) {
  e->has_slip = x != NULL;
  for (int i = 0; i < size_of(e) && x; i++) e->slip[i] = x[i];
}

sup_status sup_static_equations_result(equations *e, const double *q, double *r) {
  SUP_TRY(sup_static_equations_residual(e, q, r));
  return sup_statics_result(&e->it, e->it.start.arena);
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
  SUP_TRY(move_to(e, q));
  it->start.kin = e->end.kin_next;
  SUP_TRY(sup_static_softs_attach(&it->start, e->end.next, e->end.next, &e->assembly));
  SUP_TRY(sup_statics_constrain(it, e->end.next));
  SUP_TRY(evaluate(e, f));
  for (int i = 0; i < size_of(e); i++) f[i] /= -it->start.inc->h;
  return SUP_OK;
}

sup_status sup_static_equations_contacts(equations *e, const double *q) {
  SUP_TRY(constraint_forces(e, q, e->out));
  sup_contact_forces(&e->contacts.rows, 0, e->solution.gamma, e->solution.vc, e->it.start.inc->h,
                     &e->contacts.list);
  e->end.result.increment = *e->it.start.inc;
  e->end.result.num_contacts = e->contacts.list.count;
  e->end.result.contact = e->contacts.list.contact;
  e->end.result.X_WL = e->end.kin_next.X_WL;
  e->end.result.link_w = e->end.kin_next.w, e->end.result.link_v = e->end.kin_next.v;
  return SUP_OK;
}

/** f [num_scalars] := - J^T gamma/h with the start moved by q - e->q, at one end. */
static sup_status start_forces(equations *e, const double *q, double *f) {
  for (int i = 0; i < size_of(e); i++) e->slip[i] = q[i] - e->q[i];
  e->has_slip = 1;
  sup_status status = constraint_forces(e, e->q, f);
  e->has_slip = 0;
  return status;
}

/** The same with the end moved, too. */
static sup_status moved_forces(equations *e, const double *q, double *f) {
  for (int i = 0; i < size_of(e); i++) e->slip[i] = q[i] - e->q[i];
  e->has_slip = 1;
  sup_status status = constraint_forces(e, q, f);
  e->has_slip = 0;
  return status;
}

const sup_difference_point sup_difference[] = {
    {-2, 1. / 12}, {-1, -2. / 3}, {1, 2. / 3}, {2, -1. / 12}};

double sup_static_equations_width(const equations *e, int is_of_way) {
  double slip = e->inc.stiction_tolerance * e->inc.h;
  if (is_of_way) return sup_static_numerics.difference_slip * slip;
  return e->depth > 0 ? sup_static_numerics.difference_contact * e->depth : element_width(e);
}

typedef sup_status forces_at(equations *e, const double *q, double *f);

/** sum [num_scalars] += derivative of the forces along x by central differences of fourth order,
 * whose least displacement is at most `step` [m]. */
static sup_status add_derivative(equations *e, forces_at *forces, double step, const double *x,
                                 double *sum) {
  double largest = 0;
  for (int i = 0; i < size_of(e); i++) largest = fmax(largest, fabs(x[i]));
  if (!(largest > 0)) return SUP_OK;
  for (int k = 0; k < SUP_DIFFERENCE_POINTS; k++) {
    const sup_difference_point *point = &sup_difference[k];
    double                      a = step / largest;
    for (int i = 0; i < size_of(e); i++) e->trial[i] = e->q[i] + point->at * a * x[i];
    SUP_TRY(forces(e, e->trial, e->out));
    for (int i = 0; i < size_of(e); i++) sum[i] += point->weight * e->out[i] / a;
  }
  return SUP_OK;
}

/** sum [num_scalars] += K_T x of constraints: bodies move with the start of the load step, less
 * what that start does at one end. */
static sup_status add_constraint_product(equations *e, const double *x, double *sum) {
  SUP_TRY(add_derivative(e, moved_forces, sup_static_equations_width(e, 0), x, sum));
  for (int i = 0; i < size_of(e); i++) e->minus[i] = -x[i];
  return add_derivative(e, start_forces, sup_static_equations_width(e, 1), e->minus, sum);
}

sup_status sup_static_equations_multiply(equations *e, const double *x, double *y) {
  memset(y, 0, (size_t)size_of(e) * sizeof *y);
  SUP_TRY(add_derivative(e, other_forces, element_width(e), x, y));
  return add_constraint_product(e, x, y);
}

sup_status sup_static_equations_multiply_start(equations *e, const double *x, double *y) {
  memset(y, 0, (size_t)size_of(e) * sizeof *y);
  return add_derivative(e, start_forces, sup_static_equations_width(e, 1), x, y);
}

/* ---- factor ---------------------------------------------------------------------------------- */

/** Factor H at q. */
static sup_status factor(equations *e) {
  const sup_step_layout   *layout = e->it.start.layout;
  const sup_problem       *problem = &e->it.problem;
  const sup_step_solution *x = &e->solution;
  sup_arena               *arena = e->arena;
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

/** Append the column of the scalar `at`, of a tree with all forces; unit [num_scalars] is 0 before
 * and after. */
static sup_status add_column(equations *e, int at, int is_of_tree, double *unit) {
  int n = size_of(e);
  memset(e->sum, 0, (size_t)n * sizeof *e->sum);
  unit[at] = 1;
  SUP_TRY(add_constraint_product(e, unit, e->sum));
  if (is_of_tree) SUP_TRY(add_derivative(e, other_forces, element_width(e), unit, e->sum));
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

sup_status sup_static_equations_columns(equations *e) {
  const sup_step_start *s = &e->it.start;
  const size_t          size = (size_t)size_of(e) * sizeof(double);
  unsigned char        *near;
  double               *unit;
  if (e->num_columns > 0) return SUP_OK;
  SUP_TRY(find_near(e, e->arena, &near));
  SUP_TRY(SUP_ARENA(e->arena, unit, size_of(e)));
  memset(unit, 0, size);
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      if (near[soft->first_vertex + a / 3] && soft->block[a / 3] != SUP_NONE)
        SUP_TRY(add_column(e, sup_block_first(&s->layout->A_pattern, soft->block[a / 3]) + a % 3, 0,
                           unit));
  }
  for (int t = 0; t < s->model->num_trees; t++)
    for (int j = 0; s->model->tree_block[t] != SUP_NONE && j < s->model->tree[t]->nv; j++)
      SUP_TRY(add_column(e, sup_block_first(&s->layout->A_pattern, s->model->tree_block[t]) + j, 1,
                         unit));
  return SUP_OK;
}

/** Rows of trees of y := 0: their columns have all. */
static void clear_trees(const equations *e, double *y) {
  const sup_model *model = e->it.start.model;
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE)
      memset(y + sup_block_first(&e->it.start.layout->A_pattern, model->tree_block[t]), 0,
             (size_t)model->tree[t]->nv * sizeof *y);
}

/** x [num_scalars] := a rough vector without held components. */
static void rough(const equations *e, double seed, double *x) {
  const sup_step_layout   *layout = e->it.start.layout;
  const sup_block_pattern *P = &layout->A_pattern;
  for (int b = 0; b < P->num_blocks; b++)
    for (int i = sup_block_first(P, b); i < sup_block_first(P, b + 1); i++)
      x[i] = layout->held_axes[b] >> (i - sup_block_first(P, b)) & 1 ? 0 : sin(seed + 1.7 * i);
}

/** E_ARG: pressures turn with a surface whose rim is free, so that they have no energy. */
static sup_status check_symmetry(equations *e) {
  const sup_model *model = e->it.start.model;
  int              n = size_of(e), any = 0;
  double          *x[2] = {NULL}, *Kx[2] = {NULL};
  for (int i = 0; i < model->num_softs; i++) any |= sup_soft_has_follower(&model->soft[i]);
  if (!any) return SUP_OK;
  SUP_TRY(SUP_ARENA_VECTORS(e->arena, n, &x[0], &x[1], &Kx[0], &Kx[1]));
  for (int k = 0; k < 2; k++) {
    rough(e, k, x[k]);
    memset(Kx[k], 0, (size_t)n * sizeof *Kx[k]);
    SUP_TRY(add_derivative(e, other_forces, element_width(e), x[k], Kx[k]));
  }
  double a = sup_dot(x[0], Kx[1], n), b = sup_dot(x[1], Kx[0], n);
  if (fabs(a - b) <= sup_static_numerics.symmetry * sup_norm(x[0], n) * sup_norm(Kx[1], n))
    return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "a pressure turns with a surface whose rim is free: its stiffness is not "
                  "symmetric and has no transpose here; close the surface or hold its rim, or "
                  "method: tangent or differences takes it");
}

sup_status sup_static_equations_multiply_transposed(equations *e, const double *x, double *y) {
  if (!e->is_symmetric) SUP_TRY(check_symmetry(e));
  e->is_symmetric = true;
  SUP_TRY(sup_static_equations_columns(e));
  memset(y, 0, (size_t)size_of(e) * sizeof *y);
  SUP_TRY(add_derivative(e, other_forces, element_width(e), x, y));
  clear_trees(e, y);
  for (int k = 0; k < e->num_columns; k++)
    for (size_t j = e->first[k]; j < e->first[k + 1]; j++)
      y[e->column[k]] += e->entry[j].value * x[e->entry[j].row];
  return SUP_OK;
}

/* ---- inverse --------------------------------------------------------------------------------- */

static sup_status multiply(void *e, double *x, double *y) {
  return sup_static_equations_multiply(e, x, y);
}
static sup_status multiply_transposed(void *e, double *x, double *y) {
  return sup_static_equations_multiply_transposed(e, x, y);
}
static sup_status precondition(void *e, double *x, double *y) {
  (void)y;
  return sup_static_equations_solve(e, x);
}

sup_status sup_static_equations_invert(equations *e, bool is_transposed, double tolerance,
                                       double *x, sup_arena *arena, double *residual) {
  return sup_gmres_solve(size_of(e), is_transposed ? multiply_transposed : multiply, precondition,
                         e, tolerance, x, arena, residual);
}
