/* Soft vertices that are held by axes: elimination from A and p, and reactions. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "la/vector.h"
#include "model/event.h"
#include "model/inputs.h"
#include "model/kinematics.h"
#include "step/assembly.h"
#include "step/numerics.h"

sup_status sup_assembly_begin_holds(const sup_step_start *s, sup_assembly *assembly) {
  const sup_model *model = s->model;
  unsigned char   *axes;
  assembly->held_axes = s->layout->held_axes;
  for (int i = 0; i < model->num_softs; i++) assembly->soft[i].holder = model->soft[i].holder;
  if (model->num_events == 0) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, axes, model->num_blocks));
  memset(axes, 0, (size_t)model->num_blocks);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    int            *holder;
    SUP_TRY(SUP_ARENA(s->arena, holder, 3 * soft->num_vertices));
    sup_soft_active_holders(soft, s->state->event, holder);
    assembly->soft[i].holder = holder;
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      if (soft->block[a / 3] != SUP_NONE && holder[a] != SUP_NONE)
        axes[soft->block[a / 3]] |= (unsigned char)(1 << a % 3);
  }
  assembly->held_axes = axes;
  return SUP_OK;
}

void sup_assembly_dirichlet_motion(const sup_step_start *s, sup_assembly *assembly, int i,
                                   const double *x, double t, double rate) {
  const sup_soft *soft = &s->model->soft[i];
  double         *held = assembly->soft[i].held;
  const double   *rest =
      s->state->hold_rest ? s->state->hold_rest + 3 * (size_t)soft->first_vertex : soft->x0;
  sup_soft_prescribed_displacement(soft, s->inc->inputs, t, assembly->soft[i].holder, rest, x,
                                   held);
  for (int a = 0; a < 3 * soft->num_vertices; a++) held[a] *= rate;
}

/** p -= A held of one body. */
static void move_to_right(sup_assembly *assembly, int i) {
  const sup_soft *soft = &assembly->layout->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  int             moving = 0;
  for (int a = 0; a < 3 * soft->num_vertices; a++) moving |= work->held[a] != 0;
  if (!moving) return;
  sup_assembly_multiply_soft(assembly, i, work->held, work->Av);
  for (int a = 0; a < soft->num_vertices; a++) {
    const double *Av = work->Av + 3 * a, minus[3] = {-Av[0], -Av[1], -Av[2]};
    sup_assembly_add_momentum(assembly, i, a, minus);
  }
}

/** Set held rows and columns of a block of m x n values (column-major) to 0, except the diagonal of
 * a diagonal block. */
static void clear_block(double *block, int m, int n, int held_rows, int held_cols,
                        int is_diagonal) {
  for (int j = 0; j < n; j++)
    for (int r = 0; r < m; r++) {
      int is_held = (r < 3 && (held_rows & (1 << r))) || (j < 3 && (held_cols & (1 << j)));
      if (is_held && !(is_diagonal && r == j)) block[j * m + r] = 0;
    }
}

void sup_assembly_dirichlet(sup_assembly *assembly) {
  const sup_model         *model = assembly->layout->model;
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  const unsigned char     *axes = assembly->held_axes;
  if (model->num_dirichlet == 0) {
    sup_assembly_share_softs(assembly);
    return;
  }
  for (int i = 0; i < model->num_softs; i++)
    if (model->soft[i].num_dirichlet > 0 || model->soft[i].num_tied > 0) move_to_right(assembly, i);
  for (int j = 0; j < P->num_blocks; j++)
    for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++) {
      int row = sup_block_row(P, e);
      if (!(axes[row] | axes[j])) continue;
      clear_block(assembly->A + sup_block_value(P, e), sup_block_size(P, row), sup_block_size(P, j),
                  axes[row], axes[j], row == j);
    }
  sup_assembly_share_softs(assembly);
  sup_assembly_dirichlet_velocity(assembly, assembly->p);
  for (int j = 0; j < P->num_blocks; j++)
    for (int c = 0; c < 3; c++)
      if (axes[j] & (1 << c))
        assembly->p[sup_block_first(P, j) + c] *= sup_assembly_diagonal_block(assembly, j)[4 * c];
}

void sup_assembly_dirichlet_velocity(const sup_assembly *assembly, double *u) {
  const sup_model *model = assembly->layout->model;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    if (soft->num_dirichlet == 0) continue;
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      if (assembly->soft[i].holder[a] != SUP_NONE && soft->block[a / 3] != SUP_NONE)
        u[sup_block_first(&assembly->layout->A_pattern, soft->block[a / 3]) + a % 3] =
            assembly->soft[i].held[a];
  }
}

void sup_assembly_reactions(const sup_assembly *assembly, int i, const double *Au, const double *x,
                            double scale, const double *external, sup_wrench *out) {
  const sup_soft      *soft = &assembly->layout->model->soft[i];
  const sup_soft_work *work = &assembly->soft[i];
  for (int k = 0; k < soft->num_dirichlet; k++) out[k] = (sup_wrench){{0, 0, 0}, {0, 0, 0}};
  if (soft->num_dirichlet == 0) return;
  for (int a = 0; a < 3 * soft->num_vertices; a++) {
    int k = work->holder[a];
    if (k == SUP_NONE) continue;
    double f[3] = {0, 0, 0};
    f[a % 3] = scale * (Au[a] - work->p[a]) - (external ? external[a] : 0);
    sup_v3 arm = sup_v3_sub(sup_v3_load(x + a - a % 3), soft->dirichlet[k].about);
    out[k].force = sup_v3_add(out[k].force, sup_v3_load(f));
    out[k].moment = sup_v3_add(out[k].moment, sup_v3_cross(arm, sup_v3_load(f)));
  }
}

/* ---- holds that begin and end ----------------------------------------------------------------
 */

/** All bodies at the moment of events; arrays [num_vertices x 3] of the model. */
typedef struct moment {
  const sup_model *model;
  int              n;             /* components */
  int             *before, *now;  /* holders */
  double          *dv, *Mdv;      /* change of velocities, and of momenta */
  double          *r, *z, *d, *w; /* workspace of conjugate gradients */
} moment;

/** out := M v, tied vertices with the velocities of their movers. */
static void multiply(const moment *m, double *v, double *out) {
  for (int i = 0; i < m->model->num_softs; i++) {
    size_t first = 3 * (size_t)m->model->soft[i].first_vertex;
    sup_soft_move_tied(m->model, i, NULL, v);
    sup_fem_mass_multiply(m->model->soft[i].fem, v + first, out + first);
  }
}

/** out := T^T M v at free components, 0 at others; T: motion of tied vertices by their movers. */
static void multiply_free(const moment *m, double *v, double *out) {
  multiply(m, v, out);
  for (int i = 0; i < m->model->num_softs; i++) {
    const sup_soft *soft = &m->model->soft[i];
    for (int k = 0; k < soft->num_tied; k++)
      for (int j = soft->mover_start[k]; j < soft->mover_start[k + 1]; j++) {
        const sup_mover *mover = &soft->mover[j];
        double          *to = out + 3 * (m->model->soft[mover->soft].first_vertex + mover->vertex);
        sup_v3_accumulate(to, mover->weight,
                          sup_v3_load(out + 3 * (soft->first_vertex + soft->tied_vertex[k])));
      }
  }
  for (int i = 0; i < m->model->num_softs; i++) {
    const sup_soft *soft = &m->model->soft[i];
    for (int a = 0, c = 3 * soft->first_vertex; a < 3 * soft->num_vertices; a++, c++)
      if (m->now[c] != SUP_NONE || soft->kind[a / 3] != SUP_VERTEX_FREE) out[c] = 0;
  }
}

/** z := r over the masses of vertices. */
static void precondition(const moment *m) {
  for (int i = 0; i < m->model->num_softs; i++) {
    const double *mass = sup_fem_vertex_mass(m->model->soft[i].fem);
    size_t        first = 3 * (size_t)m->model->soft[i].first_vertex;
    for (int a = 0; a < 3 * m->model->soft[i].num_vertices; a++) /* T10 has some below 0 */
      m->z[first + (size_t)a] = m->r[first + (size_t)a] / fabs(mass[a / 3]);
  }
}

/** Changes of free components that keep their momenta: (T^T M dv) = 0 there, by conjugate
 * gradients; with a lumped mass and without ties there are none. */
static void carry_along(const moment *m) {
  multiply_free(m, m->dv, m->r);
  for (int a = 0; a < m->n; a++) m->r[a] = -m->r[a];
  precondition(m);
  memcpy(m->d, m->z, (size_t)m->n * sizeof *m->d);
  double first = sup_dot(m->r, m->z, m->n), rz = first;
  for (int k = 0; k < m->n && rz > sup_step_numerics.carried * first; k++) {
    multiply_free(m, m->d, m->w);
    double alpha = rz / sup_dot(m->d, m->w, m->n), last = rz;
    for (int a = 0; a < m->n; a++) m->dv[a] += alpha * m->d[a], m->r[a] -= alpha * m->w[a];
    precondition(m);
    rz = sup_dot(m->r, m->z, m->n);
    for (int a = 0; a < m->n; a++) m->d[a] = m->z[a] + rz / last * m->d[a];
  }
}

/** Vertices of a body that a hold takes stay where they are, with its velocity in the step of
 * length h; true if its holds have changed. */
static bool take_vertices(const moment *m, int i, const sup_state *state, double h) {
  const sup_soft *soft = &m->model->soft[i];
  size_t          first = 3 * (size_t)soft->first_vertex;
  const double   *x = state->x + first;
  const int      *before = m->before + first, *now = m->now + first;
  bool            changed = false;
  for (int a = 0; a < 3 * soft->num_vertices; a++) {
    int k = now[a];
    changed = changed || k != before[a];
    if (k == SUP_NONE || k == before[a]) continue;
    const sup_dirichlet *hold = &soft->dirichlet[k];
    sup_table            motion =
        sup_inputs_table(state->inputs, SUP_DRIVEN_HOLD, soft->first_dirichlet + k, &hold->motion);
    sup_v3 from = sup_dirichlet_rest(hold, &motion, sup_v3_load(x + a - a % 3), state->time), to;
    to = sup_dirichlet_position(hold, &motion, from, state->time + h);
    double place[3], next[3];
    sup_v3_store(place, from), sup_v3_store(next, to);
    state->hold_rest[first + (size_t)a] = place[a % 3];
    m->dv[first + (size_t)a] = (next[a % 3] - x[a]) / h - state->xdot[first + (size_t)a];
  }
  return changed;
}

sup_status sup_step_switch_holds(const sup_model *model, const sup_options *options,
                                 const sup_event_state *before, sup_state *state,
                                 sup_step_report *report) {
  SUP_FREED double *value = NULL;
  SUP_FREED int    *holder = NULL;
  size_t            n = 3 * (size_t)model->num_vertices;
  SUP_TRY(SUP_CALLOC(value, 6 * n));
  SUP_TRY(SUP_CALLOC(holder, 2 * n));
  const moment m = {model,     (int)n,        holder,        holder + n,    value,
                    value + n, value + 2 * n, value + 3 * n, value + 4 * n, value + 5 * n};
  bool         changed = false;
  for (int i = 0; i < model->num_softs; i++) {
    size_t first = 3 * (size_t)model->soft[i].first_vertex;
    sup_soft_active_holders(&model->soft[i], before, m.before + first);
    sup_soft_active_holders(&model->soft[i], state->event, m.now + first);
    bool own = take_vertices(&m, i, state, options->dt);
    changed = changed || own;
    for (int k = 0; k < model->num_softs && own && state->has_history; k++)
      if (model->soft[k].group == model->soft[i].group) state->has_history[k] = 0;
  }
  if (!changed) return SUP_OK;
  carry_along(&m);
  for (size_t a = 0; a < n; a++) state->xdot[a] += m.dv[a];
  multiply(&m, m.dv, m.Mdv);
  report->hold_loss += 0.5 * sup_dot(m.dv, m.Mdv, m.n);
  report->soft_work += sup_dot(state->xdot, m.Mdv, m.n);
  return SUP_OK;
}
