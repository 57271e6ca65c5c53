/* K and M about a state, and the eigenvalues of their pencil (THEORY 18.10). */
#include "step/static/modes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "fem/growth.h"
#include "fem/material.h"
#include "step/static/mode_shapes.h"
#include "step/static/numerics.h"
#include "step/static/static_softs.h"

/** Values of A of a load step that soft bodies give, with `inertia` times their mass. */
static sup_status soft_values(sup_static_equations *e, double inertia, double *values) {
  sup_static_iteration *it = &e->it;
  for (int i = 0; i < it->start.model->num_softs; i++)
    sup_assembly_add_mass_proximal(&e->assembly, i, inertia, NULL);
  SUP_TRY(sup_assembly_softs(&it->start, &e->assembly, NULL, 1));
  sup_assembly_share_trees(&e->assembly);
  memcpy(values, e->assembly.A,
         sup_block_pattern_num_values(&it->start.layout->A_pattern) * sizeof *values);
  return SUP_OK;
}

/** Factor of M at which it is as large as h^2 K of the stiffest cells. */
static double heavy(const sup_static_equations *e) {
  const sup_model *model = e->it.start.model;
  double           most = 0, h = e->it.start.inc->h;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_fem_body *fem = model->soft[i].fem;
    for (int m = 0; m < sup_fem_num_materials(fem); m++) {
      const sup_material_def *material = sup_fem_material(fem, m);
      double size = cbrt(sup_fem_mass(fem) / (material->density * sup_fem_mesh(fem)->num_vertices));
      most = fmax(most, h * h * sup_fem_instantaneous_modulus(material) /
                            (material->density * size * size));
    }
  }
  return most > 0 ? most : 1;
}

/** M [num_values of A] of soft bodies, less that of held components, and of trees. */
static sup_status mass_values(sup_static_equations *e, double *M) {
  const sup_step_layout   *layout = e->it.start.layout;
  const sup_model         *model = layout->model;
  const sup_block_pattern *P = &layout->A_pattern;
  size_t                   size = sup_block_pattern_num_values(P);
  double                   inertia = heavy(e);
  SUP_FREED double        *less = NULL;
  SUP_TRY(SUP_CALLOC(less, size));
  SUP_TRY(soft_values(e, 0, less));
  SUP_TRY(soft_values(e, inertia, M));
  for (size_t i = 0; i < size; i++) M[i] = (M[i] - less[i]) / inertia;
  for (int b = 0; b < P->num_blocks; b++)
    for (int c = 0; c < 3; c++)
      if (layout->held_axes[b] >> c & 1) M[sup_block_diagonal(P, b) + (size_t)(4 * c)] = 0;
  for (int t = 0; t < model->num_trees; t++) {
    int     n = model->tree[t]->nv;
    double *H;
    if (model->tree_block[t] == SUP_NONE || !sup_is_first_rank(model->ranks)) continue;
    SUP_TRY(SUP_ARENA(e->arena, H, n * n));
    sup_tree_mass_matrix(model->tree[t], e->it.start.state->q + model->q_start[t], H);
    double *block = M + sup_block_diagonal(P, model->tree_block[t]);
    for (int i = 0; i < n * n; i++) block[i] += H[i];
  }
  return SUP_OK;
}

/** Pattern of K: that of A with the couplings by rows. */
static sup_status build_pattern(const sup_problem *problem, sup_block_pattern *out) {
  const sup_block_pattern *P = problem->A_pattern;
  size_t                   num = (size_t)sup_block_column(P, P->num_blocks), k = 0;
  SUP_FREED int           *pair = NULL, *size = NULL;
  for (int i = 0; i < problem->num_constraints; i++)
    num += (size_t)(problem->constraint[i].num_blocks * problem->constraint[i].num_blocks);
  SUP_TRY(SUP_CALLOC(pair, 2 * num));
  SUP_TRY(SUP_CALLOC(size, P->num_blocks));
  for (int j = 0; j < P->num_blocks; j++) {
    size[j] = sup_block_size(P, j);
    for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++)
      pair[2 * k] = sup_block_row(P, e), pair[2 * k++ + 1] = j;
  }
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint     *row = &problem->constraint[i];
    const sup_jacobian_block *block = problem->jacobian + row->first_block;
    for (int a = 0; a < row->num_blocks; a++)
      for (int b = 0; b < a; b++) pair[2 * k] = block[a].block, pair[2 * k++ + 1] = block[b].block;
  }
  SUP_TRY(sup_block_pattern_build(out, P->num_blocks, size, k, pair));
  return SUP_OK;
}

/** A without the proximal weights of trees. */
static void remove_weights(sup_static_equations *e) {
  const sup_model         *model = e->it.start.model;
  const sup_block_pattern *P = &e->it.start.layout->A_pattern;
  for (int t = 0; t < model->num_trees; t++) {
    int b = model->tree_block[t], n = model->tree[t]->nv;
    for (int i = 0; b != SUP_NONE && sup_is_first_rank(model->ranks) && i < n; i++)
      e->assembly.A[sup_block_diagonal(P, b) + (size_t)(i * (n + 1))] -=
          e->it.trees.held[sup_block_first(P, b) + i];
  }
}

/** shapes->K and, if asked for, M in shapes->pattern. */
static sup_status make_matrices(sup_mode_shapes *s, bool has_mass) {
  sup_static_equations *e = &s->equations;
  sup_problem           problem = e->it.problem;
  sup_arena            *arena = e->arena;
  sup_hessian_map       map;
  double               *G, h = e->it.start.inc->h;
  int                  *A_to_H;
  SUP_FREED double     *A = NULL, *M = NULL;
  size_t                num = sup_block_pattern_num_values(problem.A_pattern);
  remove_weights(e);
  SUP_TRY(SUP_CALLOC(A, num));
  SUP_TRY(SUP_CALLOC(M, num));
  memcpy(A, e->assembly.A, num * sizeof *A);
  SUP_TRY(build_pattern(&problem, &s->pattern));
  size_t size = sup_block_pattern_num_values(&s->pattern);
  SUP_TRY(SUP_CALLOC(s->K, size));
  SUP_TRY(SUP_CALLOC(s->M, size));
  SUP_TRY(
      SUP_ARENA(arena, A_to_H, sup_block_column(problem.A_pattern, problem.A_pattern->num_blocks)));
  SUP_TRY(SUP_ARENA(arena, G, 9 * problem.num_constraints));
  sup_problem_map_entries(problem.A_pattern, &s->pattern, A_to_H);
  sup_problem_evaluate(&problem, e->solution.law, e->solution.vc, e->solution.gamma, G);
  problem.H_pattern = &s->pattern, problem.A_to_H = A_to_H, problem.A = A;
  SUP_TRY(sup_hessian_map_create(&map, &problem, arena));
  sup_hessian_set_dynamics(&problem, s->K);
  sup_hessian_set_constraints(&problem, &map, G, s->K);
  for (size_t i = 0; i < size; i++) s->K[i] /= h * h;
  if (!has_mass) return SUP_OK;
  SUP_TRY(mass_values(e, M));
  problem.A = M;
  sup_hessian_set_dynamics(&problem, s->M);
  return SUP_OK;
}

/** Trees to which soft bodies are attached: K of their joints by differences of the residual, in
 * which forces on attached vertices turn with the links. */
static sup_status correct_trees(sup_mode_shapes *s) {
  sup_static_equations  *e = &s->equations;
  const sup_step_layout *layout = e->it.start.layout;
  const sup_model       *model = layout->model;
  int                    n = layout->A_pattern.num_scalars;
  double                *unit, *K_unit, *true_unit;
  SUP_TRY(SUP_ARENA_VECTORS(e->arena, n, &unit, &K_unit, &true_unit));
  memset(unit, 0, (size_t)n * sizeof *unit);
  for (int t = 0; t < model->num_trees; t++) {
    int     b = model->tree_block[t], size = model->tree[t]->nv, carries = 0;
    double *more, *block;
    for (int i = 0; i < model->num_softs; i++)
      for (int k = 0; k < model->soft[i].num_attachments; k++)
        carries |= model->soft[i].attachment[k].tree == t;
    if (b == SUP_NONE || !carries) continue;
    int first = sup_block_first(&layout->A_pattern, b);
    SUP_TRY(SUP_ARENA(e->arena, more, size * size));
    for (int j = 0; j < size; j++) {
      unit[first + j] = 1;
      sup_block_multiply_all(sup_assembly_ranks(&e->assembly), &s->pattern, s->K, unit, K_unit);
      SUP_TRY(sup_static_equations_multiply(e, unit, true_unit));
      unit[first + j] = 0;
      for (int i = 0; i < size; i++) more[j * size + i] = true_unit[first + i] - K_unit[first + i];
    }
    block = s->K + sup_block_diagonal(&s->pattern, b);
    for (int i = 0; sup_is_first_rank(model->ranks) && i < size; i++)
      for (int j = 0; j < size; j++)
        block[j * size + i] += (more[j * size + i] + more[i * size + j]) / 2;
  }
  return sup_static_equations_residual(e, e->q, K_unit);
}

/** The stress of soft body i, whose places stay, becomes that at the positions x: a history of the
 * material, which has no part in its stiffness. */
static sup_status take_stress(const sup_step_start *s, sup_assembly *assembly, int i,
                              const double *x) {
  const sup_soft  *soft = &s->model->soft[i];
  sup_soft_work   *work = &assembly->soft[i];
  size_t           size = sup_fem_history_size(soft->fem);
  double           from[SUP_FEM_MOST_HISTORY], to[SUP_FEM_MOST_HISTORY], more[SUP_FEM_MOST_HISTORY];
  const double    *internal = s->state->internal + soft->first_internal;
  sup_fem_relaxing start, end;
  sup_fem_relaxation relaxation;
  sup_m3            *R;
  int                inverted;
  SUP_TRY(SUP_ARENA(s->arena, R, sup_fem_mesh(soft->fem)->num_cells));
  SUP_TRY(
      SUP_ARENA_VECTORS(s->arena, size, &start.start, &start.history, &end.start, &end.history));
  SUP_TRY(SUP_ARENA(s->arena, start.growth, sup_fem_num_growths(soft->fem)));
  sup_soft_growth(soft, s->inc->t1, s->inc->load, start.growth);
  end.growth = start.growth;
  sup_fem_rotations(soft->fem, x, R, &inverted);
  sup_fem_begin_relaxation(soft->fem, work->R, work->x, s->inc->rest, internal, &start,
                           &relaxation);
  sup_fem_begin_relaxation(soft->fem, R, x, s->inc->rest, internal, &end, &relaxation);
  for (int c = 0; c < sup_fem_mesh(soft->fem)->num_cells; c++) {
    double share = relaxation.share[sup_fem_cell_material(soft->fem)[c]];
    sup_fem_history_load(soft->fem, start.start, c, from);
    sup_fem_history_load(soft->fem, end.start, c, to);
    sup_fem_history_load(soft->fem, start.history, c, more);
    for (int k = 0; k < sup_fem_cell_history(soft->fem); k++) more[k] += share * (to[k] - from[k]);
    sup_fem_history_store(soft->fem, more, c, start.history);
  }
  work->relaxing = start, work->relaxation = relaxation;
  work->relaxation.history = start.history, work->increment.relaxation = &work->relaxation;
  return SUP_OK;
}

/** E_ARG: a body or constraint without a matrix. */
static sup_status check(const sup_step_layout *layout) {
  const sup_model *model = layout->model;
  if (layout->is_free)
    return SUP_FAIL(SUP_E_ARG, "modes need the matrices of bodies: leave out solver.petsc_matrix");
  return sup_statics_check_constraints(model);
}

/** Equations of a load step that ends at the state, with its shapes' matrices.
 *  @param[in] next  equilibrium whose loads and stress act in place of those of the state; NULL */
static sup_status begin(sup_mode_shapes *s, const sup_step_layout *layout, const sup_state *state,
                        const sup_state *next, const sup_static_options *options, bool is_loaded) {
  const sup_model *model = layout->model;
  double           h = (options->end > 0 ? options->end : 1) / options->steps;
  SUP_TRY(check(layout));
  SUP_TRY(sup_state_create(&s->state, model, &layout->options));
  SUP_TRY(sup_state_copy(s->state, state));
  if (state->num_v) memset(s->state->v, 0, (size_t)state->num_v * sizeof *state->v);
  s->state->time = (next ? next : state)->time - h;
  sup_increment inc = sup_static_increment(&layout->options, s->state, options, h);
  if (!is_loaded) inc.load = 0, inc.gravity = (sup_v3){0, 0, 0};
  SUP_FREED double *q = NULL;
  SUP_TRY(SUP_CALLOC(q, layout->A_pattern.num_scalars));
  SUP_TRY(sup_static_equations_begin(&s->equations, layout, &inc, s->state, NULL, q));
  for (int i = 0; next && i < model->num_softs; i++)
    SUP_TRY(take_stress(&s->equations.it.start, &s->equations.assembly, i,
                        next->x + 3 * (size_t)model->soft[i].first_vertex));
  if (next) SUP_TRY(sup_statics_linearise(&s->equations.it, 0));
  SUP_TRY(make_matrices(s, !next));
  return is_loaded && !next && model->num_trees > 0 ? correct_trees(s) : SUP_OK;
}

/** Warn of pressures that follow a surface with a free edge, whose work depends on the way. */
static sup_status tell_open_pressures(const sup_model *model) {
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    int             count;
    for (int k = 0; k < soft->num_tractions; k++) {
      SUP_TRY(sup_static_softs_open_edges(soft, k, &count));
      if (count > 0)
        sup_log(SUP_LOG_WARNING,
                "pressure %d on '%s' ends at %d free edges: its stiffness is not symmetric, and "
                "modes and buckling loads are those of the symmetric part, which may be far off; "
                "supple run has all of it",
                k, model->body[soft->body].name, count);
    }
  }
  return SUP_OK;
}

/** Row of chamber c, or of the strand after all chambers; NULL: none, or a slack cable. */
static const sup_column *row_of(const sup_assembly *assembly, int c) {
  int               first = assembly->layout->model->num_chambers;
  const sup_column *row = c < first ? &assembly->chamber[c].row : &assembly->strand[c - first];
  return row->stiffness > 0 && row->force > row->lowest ? row : NULL;
}

/** Dense terms of K by chambers and cables. */
static sup_status find_rows(const sup_static_equations *e, sup_eigen_rows *out) {
  const sup_model *model = e->it.start.model;
  int              all = model->num_chambers + model->num_strands;
  double          *softness;
  SUP_TRY(SUP_ARENA(e->arena, out->u, all));
  SUP_TRY(SUP_ARENA(e->arena, softness, all));
  *out = (sup_eigen_rows){0, out->u, softness};
  for (int c = 0; c < all; c++) {
    const sup_column *row = row_of(&e->assembly, c);
    if (row) out->u[out->num] = row->column, softness[out->num++] = 1 / row->stiffness;
  }
  return SUP_OK;
}

static sup_status find(sup_modes *modes, const sup_step_layout *layout, const sup_state *state,
                       const sup_static_options *options, bool is_loaded, int num) {
  sup_mode_shapes *s;
  SUP_TRY(SUP_CALLOC(s, 1));
  modes->shapes = s;
  if (is_loaded) SUP_TRY(tell_open_pressures(layout->model));
  SUP_TRY(begin(s, layout, state, NULL, options, is_loaded));
  sup_eigen_problem problem = {.kind = SUP_EIGEN_MASS,
                               .pattern = &s->pattern,
                               .K = s->K,
                               .M = s->M,
                               .ranks = sup_assembly_ranks(&s->equations.assembly)};
  SUP_TRY(find_rows(&s->equations, &problem.rows));
  SUP_TRY(sup_eigen_find(&problem, num, &s->pairs));
  if (s->pairs.num == 0)
    return SUP_FAIL(SUP_E_ARG, "no mode: all bodies are fixed, held or driven");
  return sup_mode_shapes_measure(modes);
}

sup_status sup_modes_find(const sup_step_layout *layout, const sup_state *state,
                          const sup_static_options *options, bool is_loaded, int num,
                          sup_modes *modes) {
  *modes = (sup_modes){0};
  sup_status status = find(modes, layout, state, options, is_loaded, num);
  if (status != SUP_OK) sup_modes_free(modes);
  return status;
}

/** E_ARG: a chamber or cable whose force changes with the load's displacements. */
static sup_status check_forces(const sup_model *model) {
  const char *name = NULL;
  for (int c = 0; c < model->num_chambers; c++)
    if (model->chamber[c].fill != SUP_CHAMBER_PRESSURE) name = model->chamber[c].name;
  for (int c = 0; c < model->num_cables + model->num_lines; c++)
    if (model->cable[c].drive != SUP_CABLE_TENSION) name = model->cable[c].name;
  if (!name) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "buckling loads take chambers of a given pressure and cables of a given "
                  "tension, not '%s', whose force changes with the displacement",
                  name);
}

static sup_status buckle(sup_modes *modes, const sup_step_layout *layout, const sup_state *state,
                         const sup_state *next, double share, const sup_static_options *options,
                         int num) {
  sup_mode_shapes *s, loaded = {0};
  SUP_TRY(check_forces(layout->model));
  SUP_TRY(tell_open_pressures(layout->model));
  SUP_TRY(SUP_CALLOC(s, 1));
  modes->shapes = s;
  SUP_TRY(begin(s, layout, state, NULL, options, share < 0));
  sup_status status = begin(&loaded, layout, state, next, options, 1);
  if (status == SUP_OK && sup_max_of_ranks(layout->model->ranks,
                                           !sup_block_pattern_equal(&s->pattern, &loaded.pattern)))
    status =
        SUP_FAIL(SUP_E_ARG, "contacts that begin or end with the load have no linear buckling");
  if (status == SUP_OK) {
    for (size_t i = 0; i < sup_block_pattern_num_values(&s->pattern); i++)
      loaded.K[i] = (s->K[i] - loaded.K[i]) / share;
    status =
        sup_eigen_find(&(sup_eigen_problem){.kind = SUP_EIGEN_FACTOR,
                                            .pattern = &s->pattern,
                                            .K = s->K,
                                            .M = loaded.K,
                                            .noise = 256 * DBL_EPSILON / fabs(share),
                                            .ranks = sup_assembly_ranks(&s->equations.assembly)},
                       num, &s->pairs);
  }
  sup_mode_shapes_free(&loaded);
  SUP_TRY(status);
  for (int k = 0; k < s->pairs.num; k++) s->pairs.lambda[k] += share < 0;
  s->pairs.bound += share < 0;
  return sup_mode_shapes_measure(modes);
}

sup_status sup_modes_buckle(const sup_step_layout *layout, const sup_state *state,
                            const sup_state *next, double share, const sup_static_options *options,
                            int num, sup_modes *modes) {
  *modes = (sup_modes){.is_buckling = 1};
  sup_status status = buckle(modes, layout, state, next, share, options, num);
  if (status != SUP_OK) sup_modes_free(modes);
  return status;
}

void sup_modes_free(sup_modes *modes) {
  if (modes->shapes) sup_mode_shapes_free(modes->shapes);
  SUP_FREE_ALL(&modes->mode, &modes->shapes);
  *modes = (sup_modes){0};
}
