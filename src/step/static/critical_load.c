/* Limit loads and bifurcations ahead of an equilibrium (THEORY 18.9): lowest eigenvector z of K,
 * and second derivatives of z . r, about the equilibrium. */
#include "step/static/critical_load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "la/vector.h"
#include "step/static/numerics.h"
#include "step/static/static_equations.h"

/** Reduced equation of the load step along z and u. */
typedef struct reduction {
  sup_static_equations   e;
  const sup_step_layout *layout;
  int                    n;
  double                 width;             /* of differences [m or rad] */
  double                *z, *u, *g, *q, *r; /* [n] eigenvector, tangent, load, workspace */
} reduction;

/** Components of held vertices := 0. */
static void clear_held(const reduction *c, double *x) {
  const sup_block_pattern *P = &c->layout->A_pattern;
  for (int b = 0; b < P->num_blocks; b++)
    for (int i = sup_block_first(P, b); i < sup_block_first(P, b + 1); i++)
      if (c->layout->held_axes[b] >> (i - sup_block_first(P, b)) & 1) x[i] = 0;
}

static double largest(const reduction *c, const double *x) {
  double most = 0;
  for (int i = 0; i < c->n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/** c->z := lowest eigenvector of K, its largest component 1, to a per cent of its eigenvalue. */
static sup_status iterate(reduction *c) {
  enum { MOST = 60 };
  double value = 0, before = HUGE_VAL;
  for (int i = 0; i < c->n; i++) c->z[i] = 1 + 0.5 * sin(1 + 3. * i);
  for (int k = 0; k < MOST && !(fabs(value - before) < 1e-3 * fabs(value)); k++) {
    clear_held(c, c->z);
    double size = sup_norm(c->z, c->n);
    for (int i = 0; i < c->n; i++) c->q[i] = c->z[i] /= size;
    SUP_TRY(sup_static_equations_solve(&c->e, c->z));
    before = value, value = sup_dot(c->z, c->q, c->n);
  }
  clear_held(c, c->z);
  double most = 0;
  for (int i = 0; i < c->n; i++)
    if (fabs(c->z[i]) > fabs(most)) most = c->z[i];
  for (int i = 0; i < c->n; i++) c->z[i] /= most;
  return SUP_OK;
}

/** *out := z . r at a z + b u. */
static sup_status along(reduction *c, double a, double b, double *out) {
  for (int i = 0; i < c->n; i++) c->q[i] = a * c->z[i] + b * c->u[i];
  SUP_TRY(sup_static_equations_residual(&c->e, c->q, c->r));
  *out = sup_dot(c->z, c->r, c->n);
  return SUP_OK;
}

/** Eigenvalue lambda of z, and derivatives of z . K z along z and along u. */
static sup_status differentiate(reduction *c, double *lambda, double *by_z, double *by_u) {
  double a = c->width, b = a / largest(c, c->u), zero, up, down, corner[2][2];
  SUP_TRY(along(c, 0, 0, &zero));
  SUP_TRY(along(c, a, 0, &up));
  SUP_TRY(along(c, -a, 0, &down));
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) SUP_TRY(along(c, i ? a : -a, j ? b : -b, &corner[i][j]));
  *lambda = (up - down) / (2 * a), *by_z = (up - 2 * zero + down) / (a * a);
  *by_u = (corner[1][1] - corner[1][0] - corner[0][1] + corner[0][0]) / (4 * a * b);
  return SUP_OK;
}

/** Share of the load step at which lambda vanishes; out->kind. */
static sup_status reduce(reduction *c, double *share, sup_critical_kind *kind) {
  double lambda, by_z, by_u;
  SUP_TRY(sup_static_equations_residual(&c->e, c->q, c->g));
  for (int i = 0; i < c->n; i++) c->u[i] = c->g[i] = -c->g[i];
  SUP_TRY(sup_static_equations_solve(&c->e, c->u));
  clear_held(c, c->u);
  SUP_TRY(iterate(c));
  if (!(largest(c, c->u) > 0)) return SUP_OK;
  SUP_TRY(differentiate(c, &lambda, &by_z, &by_u));
  double push = sup_dot(c->z, c->g, c->n),
         cosine = push / sup_norm(c->g, c->n) / sup_norm(c->z, c->n);
  if (fabs(cosine) > sup_static_numerics.aside_load) {
    *share = -lambda * lambda / (2 * by_z * push), *kind = SUP_CRITICAL_LIMIT;
    if (push < 0)
      for (int i = 0; i < c->n; i++) c->z[i] = -c->z[i];
  } else {
    *share = -lambda / by_u, *kind = SUP_CRITICAL_BIFURCATION;
  }
  return SUP_OK;
}

static int block_of(const reduction *c) {
  const sup_block_pattern *P = &c->layout->A_pattern;
  for (int b = 0; b < P->num_blocks; b++)
    for (int i = sup_block_first(P, b); i < sup_block_first(P, b + 1); i++)
      if (fabs(c->z[i]) == 1) return b;
  return SUP_NONE;
}

static sup_status find(reduction *c, double h, const sup_state *state, sup_critical_load *out) {
  sup_critical_kind kind = SUP_CRITICAL_NONE;
  double            share = 0;
  c->width = sup_static_numerics.critical_width * sup_static_equations_width(&c->e, 0);
  sup_status status = reduce(c, &share, &kind);
  if (status == SUP_E_NOT_SPD) return SUP_OK;
  SUP_TRY(status);
  if (!(share > 0) || share > sup_static_numerics.critical_share) return SUP_OK;
  *out = (sup_critical_load){.kind = kind,
                             .time = sup_state_time(state) + share * h,
                             .block = block_of(c),
                             .direction = c->z};
  return SUP_OK;
}

sup_status sup_critical_load_find(const sup_step_layout *layout, const sup_static_options *options,
                                  const sup_state *state, double h, sup_arena *arena,
                                  sup_critical_load *out) {
  const sup_increment inc = sup_static_increment(&layout->options, state, options, h);
  reduction           c = {.layout = layout, .n = layout->A_pattern.num_scalars};
  *out = (sup_critical_load){.block = SUP_NONE};
  if (layout->model->ranks) return SUP_OK;
  for (int i = 0; i < layout->model->num_chambers; i++) /* volume, gas: no limit */
    if (layout->model->chamber[i].fill != SUP_CHAMBER_PRESSURE) return SUP_OK;
  if (layout->model->num_cables + layout->model->num_ties + layout->model->num_constraints > 0)
    return SUP_OK;
  SUP_TRY(SUP_ARENA_VECTORS(arena, c.n, &c.z, &c.u, &c.g, &c.q, &c.r));
  memset(c.q, 0, (size_t)c.n * sizeof *c.q);
  SUP_TRY(sup_static_equations_create(&c.e, layout, &inc, state, NULL, c.q));
  sup_status status = find(&c, h, state, out);
  sup_static_equations_free(&c.e);
  return status;
}

/** Pressures that turn with the surface at time t: " at 31.2 kPa on 'finger', 4.1 cm^3 swept",
 * " at 13.7 kPa in 'air', 1.9 cm^3". */
static void describe_pressures(const sup_model *model, const sup_state *state,
                               const sup_inputs *inputs, double t, double load, double *scratch,
                               char *text, size_t size) {
  size_t length = 0;
  text[0] = 0;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int k = 0; k < soft->num_tractions && length < size; k++)
      if (soft->traction[k].pressure != 0)
        length +=
            (size_t)snprintf(text + length, size - length, " at %.4g kPa on '%s', %.3g cm^3 swept",
                             1e-3 * sup_soft_pressure(soft, inputs, k, t, load), soft->name,
                             -1e6 * sup_fem_faces_swept(&soft->traction[k].faces, soft->x0,
                                                        state->x + 3 * soft->first_vertex, 0));
  }
  for (int c = 0; c < model->num_chambers && length < size; c++) {
    const sup_chamber *chamber = &model->chamber[c];
    sup_chamber_law    law = sup_chamber_law_at(model, inputs, c, t, load);
    double             volume = sup_chamber_volume(chamber, model, state->x, scratch);
    length +=
        (size_t)snprintf(text + length, size - length, " at %.4g kPa in '%s', %.3g cm^3",
                         1e-3 * sup_chamber_pressure(&law, volume), chamber->name, 1e6 * volume);
  }
}

sup_status sup_critical_load_explain(const sup_step_layout *layout, const sup_assembly *assembly,
                                     const sup_static_options *o, const sup_state *state, double h,
                                     sup_arena *arena, char text[SUP_EQUILIBRIUM_TEXT]) {
  const sup_increment  inc = sup_static_increment(&layout->options, state, o, h);
  const sup_step_start start = {
      .model = layout->model, .layout = layout, .inc = &inc, .state = state, .arena = arena};
  sup_critical_load critical;
  char              place[SUP_BLOCK_NAME_SIZE], pressures[SUP_BLOCK_NAME_SIZE];
  SUP_TRY(sup_critical_load_find(layout, o, state, h, arena, &critical));
  if (critical.kind == SUP_CRITICAL_NONE) return SUP_OK;
  SUP_TRY(
      sup_step_describe_block(&start, assembly, state, critical.block, critical.direction, place));
  double *scratch;
  SUP_TRY(SUP_ARENA(arena, scratch, 3 * layout->model->num_vertices));
  memset(scratch, 0, 3 * (size_t)layout->model->num_vertices * sizeof *scratch);
  describe_pressures(layout->model, state, inc.inputs, critical.time, inc.load, scratch, pressures,
                     sizeof pressures);
  snprintf(
      text, SUP_EQUILIBRIUM_TEXT,
      critical.kind == SUP_CRITICAL_LIMIT
          ? "the load reaches its maximum at %.4g of 1%s: the stiffness vanishes where %s moves "
            "most, and equilibria beyond have less load; `supple run` shows where it goes"
          : "the equilibrium buckles at %.4g of 1%s: the stiffness vanishes where %s moves most, "
            "aside of the load; `supple run` shows where it goes",
      critical.time / o->end, pressures, place);
  return SUP_OK;
}
