#include "constraint/body_rows.h"

#include <math.h>
#include <string.h>

#include "constraint/moment_rows.h"
#include "constraint/numerics.h"
#include "model/body_point.h"
#include "model/event.h"

/** The constraint whose rows are made. */
typedef struct maker {
  sup_body_rows             *out;
  sup_rows                  *rows;
  const sup_contact_context *c;
  const sup_body_constraint *of;
  const double              *place;
  sup_placed                 start, ahead;
  sup_body_row               row;       /* the present one */
  double                     w, either; /* inverse mass of a group of rows; of its ends, any way */
} maker;

/** The present row += sign times the motion of a link along or about its axis. */
static sup_status add_link(const maker *m, int body, sup_v3 at, double sign) {
  const sup_model         *model = m->c->model;
  int                      t = model->body[body].tree, link = model->body[body].link;
  const sup_tree          *tree = model->tree[t];
  sup_tree_kinematics_data part = sup_kinematics_tree(m->c->kin, model, t);
  double                   world[3 * SUP_TREE_MAX_NV], own[3], *J;
  sup_v3_store(own, m->row.axis);
  if (tree->nv == 0) return SUP_OK;
  if (m->row.turns) return sup_rows_turn(m->rows, m->c, body, 0, sup_v3_scale(sign, m->row.axis));
  sup_tree_point_jacobian(tree, &part, link, at, world);
  SUP_TRY(sup_rows_block(m->rows, model->tree_block[t], tree->nv, &J));
  for (int j = 0; j < tree->nv; j++)
    for (int k = 0; k < 3; k++) J[j] += sign * own[k] * world[k * tree->nv + j];
  return SUP_OK;
}

/** The present row += sign times the motion of a point along its axis. */
static sup_status add_end(const maker *m, const sup_body_point *at, sup_v3 place, double sign) {
  const sup_model *model = m->c->model;
  double           axis[3], *J;
  if (at->body == SUP_NONE) return SUP_OK;
  if (at->num_vertices == 0) return add_link(m, at->body, place, sign);
  sup_v3_store(axis, m->row.axis);
  for (int k = 0; k < at->num_vertices; k++) {
    int             i;
    const sup_soft *soft = sup_model_vertex(model, at->vertex[k], &i);
    int             s = (int)(soft - model->soft);
    double          weight = sign * at->weight[k];
    if (soft->block[i] == SUP_NONE) continue;
    SUP_TRY(sup_rows_block(m->rows, soft->block[i], 3, &J));
    for (int j = 0; j < 3; j++)
      if (m->c->holder[s][3 * i + j] == SUP_NONE) J[j] += weight * axis[j];
  }
  return SUP_OK;
}

/** J v0 of the last row, its inverse mass J D^-1 J^T with the diagonal D of A, of a vertex its mean
 * [1/kg], and whether vertices are in it. */
static double start_rate(const maker *m, double *w, bool *is_soft) {
  const sup_constraint *row = sup_rows_last(m->rows);
  double                sum = 0;
  *w = 0, *is_soft = false;
  for (int k = 0; k < row->num_blocks; k++) {
    const sup_jacobian_block *b = &m->rows->jacobian[row->first_block + k];
    int                       n = sup_block_size(m->c->A_pattern, b->block);
    const double             *v = m->c->v0 + sup_block_first(m->c->A_pattern, b->block),
                 *D = m->c->A + sup_block_diagonal(m->c->A_pattern, b->block),
                 *J = m->rows->jacobian_value + b->value;
    bool   is_vertex = m->c->model->body[m->c->model->block_body[b->block]].soft != SUP_NONE;
    double mean = is_vertex ? (D[0] + D[4] + D[8]) / 3 : 0;
    *is_soft = *is_soft || is_vertex;
    bool counts = is_vertex || m->c->inc->motion > 0; /* links have no inertia in load steps */
    for (int j = 0; j < n; j++) {
      sum += J[j] * v[j];
      if (counts) *w += J[j] * J[j] / (is_vertex ? mean : D[j * n + j]);
    }
  }
  return sum;
}

/** As stiff as the step resolves, or with a stiffness and damping of its own.  A rope that is not
 * taut yet is stopped at its length at the end of the step. */
static sup_law law_of(const maker *m, double gap, double R) {
  const sup_increment       *inc = m->c->inc;
  const sup_body_constraint *of = m->of;
  double                     h = inc->h, tau = inc->motion * inc->reference;
  double                     k = of->stiffness, d = inc->motion * of->damping;
  bool                       is_rope = of->kind == SUP_CONSTRAINT_ROPE;
  if (is_rope && gap > 0) tau = 0;
  sup_law law = {.kind = is_rope ? SUP_LAW_LIMIT : SUP_LAW_COUPLER};
  law.limit = (sup_limit){-gap / (h + tau), 1 / R};
  if (tau != h && tau > 0) law.limit.H *= h * (h + tau) / (2 * tau * tau);
  if (!(k > 0)) return law;
  law.limit = (sup_limit){-k * gap / (h * k + d), sup_min(law.limit.H, h * (h * k + d))};
  if (is_rope && gap > 0) law.limit.vhat = -gap / h;
  return law;
}

/** End the row whose blocks are there; a row that moves nothing but round-off is dropped. */
static sup_status end_row(maker *m, double gap, double gap_ahead) {
  sup_constraint *row = sup_rows_last(m->rows);
  bool            is_soft;
  double          w, rate = start_rate(m, &w, &is_soft);
  m->w += w;
  if (!(w > sup_constraint_numerics.round_off * m->either)) {
    m->rows->num_constraints--, m->rows->num_vc--;
    m->rows->num_jacobian_blocks = row->first_block;
    return SUP_OK;
  }
  double share = !is_soft                ? sup_constraint_numerics.rigid
                 : m->c->inc->motion > 0 ? sup_constraint_numerics.rigid_soft
                                         : sup_constraint_numerics.rigid_static;
  /* below the round-off of places there is no curvature, only noise of the force */
  double bias = (gap_ahead - gap) / m->c->inc->h - rate,
         place = fabs(m->row.at.x) + fabs(m->row.at.y) + fabs(m->row.at.z);
  row->bias[0] = fabs(bias) * m->c->inc->h > sup_constraint_numerics.place * place ? bias : 0;
  row->law = law_of(m, gap, share * w);
  m->out->row[m->out->num_rows++] = m->row;
  return SUP_OK;
}

static sup_status begin_row(maker *m, sup_v3 axis, bool turns) {
  sup_law law = {.kind = m->of->kind == SUP_CONSTRAINT_ROPE ? SUP_LAW_LIMIT : SUP_LAW_COUPLER};
  m->row.axis = axis, m->row.turns = turns;
  return sup_rows_begin(m->rows, &law);
}

static sup_v3 unit(int k) { return (sup_v3){k == 0, k == 1, k == 2}; }

/** Three rows of point k.  The impulse acts in one place on both sides: on the soft one, or between
 * the two. */
static sup_status add_point(maker *m, int k) {
  const sup_body_constraint *of = m->of;
  const sup_frame           *X = m->c->kin->X_WL;
  const double              *x = m->c->x;
  sup_v3 from = sup_constraint_shift(of, m->place, k, m->start.X_WL, m->start.x),
         to = sup_constraint_shift(of, m->place, k, m->ahead.X_WL, m->ahead.x);
  sup_v3 b = sup_body_point_position(&of->point[k], X, x),
         a = sup_constraint_end(of, m->place, k, X, x);
  bool soft_a = of->a.num_vertices > 0, soft_b = of->point[k].num_vertices > 0;
  m->row.at = soft_b ? b : soft_a ? a : sup_v3_scale(.5, sup_v3_add(a, b));
  m->row.point = k;
  for (int j = 0; j < 3; j++) {
    SUP_TRY(begin_row(m, unit(j), false));
    SUP_TRY(add_end(m, &of->a, m->row.at, -1));
    SUP_TRY(add_end(m, &of->point[k], m->row.at, 1));
    SUP_TRY(end_row(m, sup_v3_dot(unit(j), from), sup_v3_dot(unit(j), to)));
  }
  return SUP_OK;
}

/** Rows of the rotation of links: three, of a hinge two normal to its axis. */
static sup_status add_turns(maker *m) {
  const sup_body_constraint *of = m->of;
  sup_v3                     axis, none;
  sup_v3                     from = sup_constraint_turn(of, m->place, m->start.X_WL, &none),
         to = sup_constraint_turn(of, m->place, m->ahead.X_WL, &none);
  sup_constraint_turn(of, m->place, m->c->kin->X_WL, &axis);
  bool   is_hinge = of->kind == SUP_CONSTRAINT_HINGE;
  sup_m3 R = is_hinge ? sup_m3_frame_of_normal(axis) : sup_frame_identity().R;
  for (int j = 0; j < (is_hinge ? 2 : 3); j++) {
    sup_v3 e = {R.m[0][j], R.m[1][j], R.m[2][j]};
    SUP_TRY(begin_row(m, e, true));
    if (of->a.body != SUP_NONE) SUP_TRY(add_link(m, of->a.body, m->row.at, -1));
    SUP_TRY(add_link(m, of->point[0].body, m->row.at, 1));
    SUP_TRY(end_row(m, sup_v3_dot(e, from), sup_v3_dot(e, to)));
  }
  return SUP_OK;
}

/** A rod's distance less its length, a rope's length less its distance. */
static double slack_of(const maker *m, const sup_placed *at) {
  double apart = sup_v3_norm(sup_constraint_shift(m->of, m->place, 0, at->X_WL, at->x));
  double over = apart - m->place[3 * m->of->num_points + 4];
  return m->of->kind == SUP_CONSTRAINT_ROPE ? -over : over;
}

/** The row of a rod or rope along the line through its points, where the impulse acts. */
static sup_status add_distance(maker *m) {
  const sup_body_constraint *of = m->of;
  const sup_frame           *X = m->c->kin->X_WL;
  const double              *x = m->c->x;
  sup_v3                     along = sup_v3_unit(sup_constraint_shift(of, m->place, 0, X, x));
  double                     sign = of->kind == SUP_CONSTRAINT_ROPE ? -1 : 1;
  m->row.point = 0;
  m->row.at = sup_body_point_position(&of->point[0], X, x);
  SUP_TRY(begin_row(m, sup_v3_scale(sign, along), false));
  SUP_TRY(add_end(m, &of->a, sup_constraint_end(of, m->place, 0, X, x), -1));
  SUP_TRY(add_end(m, &of->point[0], m->row.at, 1));
  return end_row(m, slack_of(m, &m->start), slack_of(m, &m->ahead));
}

static double lag_of(const maker *m, const sup_placed *at) {
  const sup_body_constraint *of = m->of;
  const int                 *first = m->c->model->q_start;
  return at->q[first[of->tree[1]] + of->q[1]] - of->ratio * at->q[first[of->tree[0]] + of->q[0]] -
         of->offset;
}

static sup_status add_coupler(maker *m) {
  const sup_model *model = m->c->model;
  SUP_TRY(begin_row(m, unit(0), true));
  m->row.point = SUP_NONE;
  for (int k = 0; k < 2; k++) {
    int     t = m->of->tree[k];
    double *J;
    SUP_TRY(sup_rows_block(m->rows, model->tree_block[t], model->tree[t]->nv, &J));
    J[m->of->v[k]] += k == 0 ? -m->of->ratio : 1;
  }
  return end_row(m, lag_of(m, &m->start), lag_of(m, &m->ahead));
}

/** Inverse mass J D^-1 J^T of a link at a point, along or about all three axes together. */
static double free_mass(const maker *m, int body, bool turns) {
  const sup_model         *model = m->c->model;
  int                      t = model->body[body].tree, link = model->body[body].link;
  int                      n = model->tree[t]->nv;
  sup_tree_kinematics_data part = sup_kinematics_tree(m->c->kin, model, t);
  double                   J[3 * SUP_TREE_MAX_NV], sum = 0;
  if (n == 0 || !(m->c->inc->motion > 0)) return 0; /* links have no inertia in load steps */
  const double *D = m->c->A + sup_block_diagonal(m->c->A_pattern, model->tree_block[t]);
  if (turns)
    sup_tree_angular_jacobian(model->tree[t], &part, link, J);
  else
    sup_tree_point_jacobian(model->tree[t], &part, link, m->row.at, J);
  for (int k = 0; k < 3 * n; k++) sum += J[k] * J[k] / D[k % n * (n + 1)];
  return sum;
}

/** Set what either end of a group moves, of points with levers as long as coordinates. */
static void look_at_ends(maker *m, int k) {
  const sup_body_constraint *of = m->of;
  const sup_body_point      *b = &of->point[k == SUP_NONE ? 0 : k], *end[2] = {&of->a, b};
  m->w = m->either = 0;
  m->row.at = sup_body_point_position(b, m->c->kin->X_WL, m->c->x);
  for (int i = 0; i < 2; i++) {
    if (end[i]->body == SUP_NONE || end[i]->num_vertices > 0) continue;
    sup_v3 p = m->c->kin->X_WL[end[i]->body].p;
    double square = sup_v3_dot(p, p) + sup_v3_dot(m->row.at, m->row.at);
    double about = free_mass(m, end[i]->body, true);
    m->either += k == SUP_NONE ? about : free_mass(m, end[i]->body, false) + square * about;
  }
}

/** The rows of point k, or of rotations, or of a distance: none if both ends move alike, but for
 * round-off. */
static sup_status add_group(maker *m, int k) {
  int before = m->rows->num_constraints, rows = m->out->num_rows, vc = m->rows->num_vc,
      blocks = m->rows->num_jacobian_blocks;
  bool is_distance = m->of->kind == SUP_CONSTRAINT_ROD || m->of->kind == SUP_CONSTRAINT_ROPE;
  look_at_ends(m, k);
  SUP_TRY(k == SUP_NONE ? add_turns(m) : is_distance ? add_distance(m) : add_point(m, k));
  if (m->w > sup_constraint_numerics.alike * m->either) return SUP_OK;
  m->rows->num_constraints = before, m->out->num_rows = rows;
  m->rows->num_vc = vc, m->rows->num_jacobian_blocks = blocks;
  return SUP_OK;
}

static sup_status add_constraint(maker *m) {
  switch (m->of->kind) {
    case SUP_CONSTRAINT_COUPLER:
      return add_coupler(m);
    case SUP_CONSTRAINT_ROD:
    case SUP_CONSTRAINT_ROPE:
      return add_group(m, 0);
    default:
      break;
  }
  for (int k = 0; k < m->of->num_points; k++) SUP_TRY(add_group(m, k));
  return sup_constraint_turns(m->of) ? add_group(m, SUP_NONE) : SUP_OK;
}

sup_status sup_body_rows_add(sup_body_rows *out, sup_rows *rows, const sup_contact_context *c,
                             const sup_state *state, sup_placed start, sup_placed ahead) {
  const sup_model *model = c->model;
  int              most = 0;
  for (int i = 0; i < model->num_constraints; i++) most += 3 * model->constraint[i].num_points + 3;
  *out = (sup_body_rows){.first = rows->num_constraints};
  SUP_TRY(SUP_ARENA(c->arena, out->row, most));
  for (int i = 0; i < model->num_constraints; i++) {
    const sup_body_constraint *of = &model->constraint[i];
    if (!sup_constraint_is_active(of, state->event)) continue;
    if (of->line != SUP_NONE && !(c->inc->motion > 0)) continue; /* a cable of load steps */
    maker m = {out,   rows,  c,        of, state->constraint_place + of->first_place,
               start, ahead, {.of = i}};
    SUP_TRY(add_constraint(&m));
  }
  return SUP_OK;
}

/** The Jacobian of a row over the velocities of trees, of unit length; false: of soft bodies. */
static bool take_row(const sup_rows *all, const sup_model *model, int row, double *J) {
  const sup_constraint *c = &all->constraint[row];
  int                   n = model->v_start[model->num_trees];
  double                square = 0;
  memset(J, 0, (size_t)n * sizeof *J);
  for (int k = 0; k < c->num_blocks; k++) {
    const sup_jacobian_block *b = &all->jacobian[c->first_block + k];
    const sup_body           *body = &model->body[model->block_body[b->block]];
    if (body->soft != SUP_NONE) return false;
    for (int j = 0; j < model->tree[body->tree]->nv; j++)
      J[model->v_start[body->tree] + j] = all->jacobian_value[b->value + (size_t)j];
  }
  for (int j = 0; j < n; j++) square += J[j] * J[j];
  for (int j = 0; j < n; j++) J[j] /= sqrt(square);
  return true;
}

sup_status sup_body_rows_redundant(const sup_body_rows *rows, const sup_rows *all,
                                   const sup_model *model, sup_arena *arena, int *num) {
  int     n = model->v_start[model->num_trees], kept = 0;
  double *J;
  memset(num, 0, (size_t)model->num_constraints * sizeof *num);
  SUP_TRY(SUP_ARENA(arena, J, (size_t)(rows->num_rows + 1) * (size_t)n));
  for (int r = 0; r < rows->num_rows; r++) {
    double *row = J + (size_t)kept * (size_t)n, left = 0;
    if (!take_row(all, model, rows->first + r, row)) continue;
    for (int again = 0; again < 2; again++)
      for (int k = 0; k < kept; k++) {
        const double *other = J + (size_t)k * (size_t)n;
        double        along = 0;
        for (int j = 0; j < n; j++) along += row[j] * other[j];
        for (int j = 0; j < n; j++) row[j] -= along * other[j];
      }
    for (int j = 0; j < n; j++) left += row[j] * row[j];
    if (!(sqrt(left) > sup_constraint_numerics.redundant)) {
      num[rows->row[r].of]++;
      continue;
    }
    for (int j = 0; j < n; j++) row[j] /= sqrt(left);
    kept++;
  }
  return SUP_OK;
}

static sup_v3 mean_of(const sup_body_constraint *c, const sup_frame *X_WL, const double *x) {
  sup_v3 sum = {0, 0, 0};
  if (c->num_points == 0) return sum;
  for (int k = 0; k < c->num_points; k++)
    sum = sup_v3_add(sum, sup_body_point_position(&c->point[k], X_WL, x));
  return sup_v3_scale(1. / c->num_points, sum);
}

static void add_to_vertices(const sup_body_point *at, double sign, sup_v3 f, double *force) {
  for (int k = 0; k < at->num_vertices; k++)
    sup_v3_accumulate(force + 3 * (ptrdiff_t)at->vertex[k], sign * at->weight[k], f);
}

void sup_body_rows_forces(const sup_body_rows *rows, const sup_rows *all, const sup_model *model,
                          const double *gamma, double h, const sup_frame *X_WL, const double *x,
                          sup_wrench *wrench, double *force) {
  for (int i = 0; i < model->num_constraints; i++) wrench[i] = (sup_wrench){{0, 0, 0}, {0, 0, 0}};
  int    last = SUP_NONE;
  sup_v3 about = {0, 0, 0};
  for (int r = 0; r < rows->num_rows; r++) {
    const sup_body_row        *row = &rows->row[r];
    const sup_body_constraint *c = &model->constraint[row->of];
    if (row->of != last) about = mean_of(c, X_WL, x), last = row->of;
    sup_wrench *w = &wrench[row->of];
    sup_v3      f = sup_v3_scale(gamma[all->constraint[rows->first + r].first_vc] / h, row->axis);
    if (row->turns) {
      w->moment = sup_v3_add(w->moment, f);
    } else {
      w->force = sup_v3_add(w->force, f);
      w->moment = sup_v3_add(w->moment, sup_v3_cross(sup_v3_sub(row->at, about), f));
      add_to_vertices(&c->point[row->point], 1, f, force);
      add_to_vertices(&c->a, -1, f, force);
    }
  }
}
