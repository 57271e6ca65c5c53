#include "step/column/cables.h"

#include <math.h>
#include <string.h>

#include "model/body_point.h"
#include "model/numerics.h"
#include "step/column/column_rows.h"

typedef struct sup_cable_work cable_work;

/* ---- start ----------------------------------------------------------------------------------- */

static sup_status begin(const sup_step_start *s, int i, cable_work *work) {
  const sup_cable *c = &s->model->cable[i];
  int              n = c->num_points;
  *work = (cable_work){.law = sup_cable_law_at(c, s->inc->t0 + s->inc->h, s->inc->load),
                       .row = {.name = c->name,
                               .is_given = c->drive == SUP_CABLE_LENGTH,
                               .multiplier = s->state->cable_tension[i]}};
  if (c->winch_tree != SUP_NONE)
    work->wound =
        c->radius * (s->state->q[s->model->q_start[c->winch_tree] + c->winch_q] - c->winch_q0);
  if (c->drive == SUP_CABLE_LENGTH && !(work->law.rest - work->wound > 0))
    return SUP_FAIL(
        SUP_E_ARG,
        "cable '%s' has an unstretched length of %.4g m at %.4g s%s; it must be positive", c->name,
        work->law.rest - work->wound, s->inc->t0,
        c->winch_tree != SUP_NONE ? ", as its winch has wound up all of it" : "");
  SUP_TRY(SUP_ARENA(s->arena, work->point, n));
  for (int k = 0; k < n; k++)
    SUP_TRY(sup_carried_reserve(s->model, &c->point[k], s->arena, &work->point[k]));
  sup_v3 **vectors[] = {&work->place,   &work->moved, &work->x,
                        &work->impulse, &work->t,     &work->t_of_A};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    SUP_TRY(SUP_ARENA(s->arena, *vectors[k], n));
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, n, &work->segment, &work->w_of_A));
  return SUP_ARENA(s->arena, work->row.column, s->layout->A_pattern.num_scalars);
}

sup_status sup_cables_begin(const sup_step_start *s, sup_assembly *assembly) {
  assembly->cable = NULL;
  SUP_TRY(SUP_ARENA(s->arena, assembly->cable, s->model->num_cables));
  for (int i = 0; i < s->model->num_cables; i++) SUP_TRY(begin(s, i, &assembly->cable[i]));
  return SUP_OK;
}

void sup_cables_clear(sup_assembly *assembly) {
  const sup_model *model = assembly->layout->model;
  for (int i = 0; i < model->num_cables; i++) {
    const sup_body_point *point = model->cable[i].point;
    for (int k = 0; k + 1 < model->cable[i].num_points; k++)
      for (int e = 0; e < 4; e++) sup_carried_clear(assembly, &point[k + e / 2], &point[k + e % 2]);
  }
}

/* ---- law ------------------------------------------------------------------------------------- */

/** Tension without bounds at a length, by the last row [N]. */
static double free_tension(const cable_work *work, double way) {
  const sup_column *r = &work->row;
  return r->multiplier + r->penalty * (way - work->law.rest - r->multiplier / r->stiffness);
}

static double tension_at(const cable_work *work, double way) {
  const sup_column *r = &work->row;
  if (!r->is_given) return work->law.tension;
  return fmax(free_tension(work, way), r->lowest);
}

/** Energy at a length less that at the linearisation [J]: the integral of tension_at. */
static double energy_beyond(const cable_work *work, double way) {
  const sup_column *r = &work->row;
  double            from = r->way, to = way, sum = 0, sign = to < from ? -1 : 1;
  if (!r->is_given || !(r->penalty > 0)) return tension_at(work, way) * (to - from);
  double zero = way - free_tension(work, way) / r->penalty; /* length at the lower bound 0 */
  double low = fmax(fmin(from, to), zero), high = fmax(from, to);
  if (low < high) sum = 0.5 * (tension_at(work, low) + tension_at(work, high)) * (high - low);
  return sign * sum;
}

/* ---- linearisation --------------------------------------------------------------------------- */

/** Velocity of point k at the block velocities v; NULL: of held motions alone. */
static sup_v3 velocity_of(const sup_assembly *assembly, const cable_work *work, int k,
                          const double *v) {
  const sup_carried *d = &work->point[k];
  sup_v3             sum = d->base;
  for (int e = 0; e < d->num_parts && v; e++)
    sum = sup_v3_add(
        sum, sup_carried_apply(
                 &d->part[e], v + sup_block_first(&assembly->layout->A_pattern, d->part[e].block)));
  return sum;
}

/** Scalar of the winch's joint; SUP_NONE: no winch, or its tree stands. */
static int winch_scalar(const sup_assembly *assembly, const sup_cable *c) {
  if (c->winch_tree == SUP_NONE) return SUP_NONE;
  return sup_block_first(&assembly->layout->A_pattern,
                         assembly->layout->model->tree_block[c->winch_tree]) +
         c->winch_v;
}

/** Gradient of the length by point k. */
static sup_v3 gradient(const cable_work *work, int num_points, int k) {
  sup_v3 g = {0, 0, 0};
  if (k > 0) g = work->t[k - 1];
  return k + 1 < num_points ? sup_v3_sub(g, work->t[k]) : g;
}

/** to [num_scalars] += J^T a for a vector at point k. */
static void add_transposed(const sup_assembly *assembly, const cable_work *work, int k, sup_v3 a,
                           double *to) {
  const sup_carried *d = &work->point[k];
  for (int e = 0; e < d->num_parts; e++) {
    const sup_carried_part *p = &d->part[e];
    double                 *at = to + sup_block_first(&assembly->layout->A_pattern, p->block);
    for (int j = 0; j < p->n; j++)
      at[j] += p->J[j] * a.x + p->J[p->n + j] * a.y + p->J[2 * p->n + j] * a.z;
  }
}

/** Stiffness of segment i in A times a way of its ends apart. */
static sup_v3 pull_of_A(const cable_work *work, int i, sup_v3 way) {
  sup_v3 across = sup_v3_madd(way, -sup_v3_dot(work->t_of_A[i], way), work->t_of_A[i]);
  return sup_v3_scale(work->w_of_A[i], across);
}

/** f [num_points] := forces on the points with the tension, after ways d [num_points] beyond the
 * linearisation [N]. */
static void forces(const cable_work *work, int n, double tension, const sup_v3 *d, sup_v3 *f) {
  for (int k = 0; k < n; k++) f[k] = sup_v3_scale(-tension, gradient(work, n, k));
  for (int i = 0; i + 1 < n; i++) {
    sup_v3 pull = pull_of_A(work, i, sup_v3_sub(d[i + 1], d[i]));
    f[i] = sup_v3_add(f[i], pull), f[i + 1] = sup_v3_sub(f[i + 1], pull);
  }
}

/** Column and rate of the length, as those of a volume. */
static void set_column(const sup_step_start *s, const sup_assembly *assembly, const sup_cable *c,
                       cable_work *work) {
  double h = s->inc->h;
  int    winch = winch_scalar(assembly, c);
  memset(work->row.column, 0, (size_t)s->layout->A_pattern.num_scalars * sizeof *work->row.column);
  work->row.known = work->turned / h;
  for (int k = 0; k < c->num_points; k++) {
    sup_v3 g = gradient(work, c->num_points, k);
    add_transposed(assembly, work, k, sup_v3_scale(-1, g), work->row.column);
    work->row.known -= sup_v3_dot(g, sup_v3_madd(work->point[k].base, -1 / h, work->moved[k]));
  }
  if (winch != SUP_NONE) work->row.column[winch] -= c->radius;
}

/** Stiffness of the law [N/m]; inextensible: infinite. */
static double stiffness_of(const sup_cable *c, const cable_work *work) {
  double rest = work->law.rest - work->wound - work->turned;
  return c->stiffness > 0 ? c->stiffness / fmax(rest, sup_model_numerics.cable_points * c->length0)
                          : HUGE_VAL;
}

/** Length, directions and column after a step with the block velocities v. */
static void measure(const sup_step_start *s, const sup_assembly *assembly, const sup_cable *c,
                    cable_work *work, const double *v) {
  int winch = winch_scalar(assembly, c);
  work->turned = v && winch != SUP_NONE ? s->inc->h * c->radius * v[winch] : 0;
  for (int k = 0; k < c->num_points; k++) {
    work->moved[k] = (sup_v3){0, 0, 0};
    if (v) work->moved[k] = sup_v3_scale(s->inc->h, velocity_of(assembly, work, k, v));
    work->x[k] = sup_v3_add(work->place[k], work->moved[k]);
  }
  work->row.way =
      sup_cable_measure(c, work->x, work->t, work->segment) + work->wound + work->turned;
  work->row.excess = work->row.way - work->law.rest;
  if (work->row.is_given) work->row.stiffness = stiffness_of(c, work);
  work->row.force = tension_at(work, work->row.way);
  set_column(s, assembly, c, work);
}

/** Impulses of the tension at the linearisation into p, in the place of those before. */
static void set_impulses(const sup_step_start *s, sup_assembly *assembly, const sup_cable *c,
                         cable_work *work, double tension_before) {
  int    n = c->num_points, winch = winch_scalar(assembly, c);
  double h = s->inc->h;
  for (int k = 0; k < n; k++)
    work->moved[k] = sup_v3_sub(sup_v3_scale(h, work->point[k].base), work->moved[k]);
  forces(work, n, work->row.force, work->moved, work->x);
  for (int k = 0; k < n; k++) {
    work->moved[k] = sup_v3_sub(sup_v3_scale(h, work->point[k].base), work->moved[k]);
    sup_v3 impulse = sup_v3_scale(h, work->x[k]);
    add_transposed(assembly, work, k, sup_v3_sub(impulse, work->impulse[k]), assembly->p);
    work->impulse[k] = impulse;
  }
  if (winch != SUP_NONE) assembly->p[winch] -= h * c->radius * (work->row.force - tension_before);
}

/** Block (row part, column part) of A += sign J_r^T W J_c with W = dt^2 T/l (1 - t t^T). */
static void add_block(const sup_step_start *s, sup_assembly *assembly, const cable_work *work,
                      int i, const sup_carried_part *row, const sup_carried_part *col,
                      double sign) {
  double *to = sup_carried_block(assembly, row->block, col->block);
  double  scale = sign * s->inc->h * s->inc->h;
  for (int j = 0; j < col->n; j++) {
    sup_v3 way = {col->J[j], col->J[col->n + j], col->J[2 * col->n + j]};
    sup_v3 f = sup_v3_scale(scale, pull_of_A(work, i, way));
    for (int k = 0; k < row->n; k++)
      to[j * row->n + k] +=
          row->J[k] * f.x + row->J[row->n + k] * f.y + row->J[2 * row->n + k] * f.z;
  }
}

/** Stiffness of the tension across segment i into A. */
static void add_segment(const sup_step_start *s, sup_assembly *assembly, cable_work *work, int i) {
  const sup_carried *end = &work->point[i];
  for (int a = 0; a < 4; a++)
    for (int e = 0; e < end[a / 2].num_parts; e++)
      for (int f = 0; f < end[a % 2].num_parts; f++) {
        const sup_carried_part *row = &end[a / 2].part[e], *col = &end[a % 2].part[f];
        if (row->block >= col->block) /* lower triangle; both orders if ends share a block */
          add_block(s, assembly, work, i, row, col, a / 2 == a % 2 ? 1 : -1);
      }
}

static sup_status find_places(const sup_step_start *s, const sup_assembly *assembly,
                              const double *all_v, const sup_cable *c, cable_work *work) {
  for (int k = 0; k < c->num_points; k++) {
    sup_carried *d = &work->point[k];
    *d = (sup_carried){.part = d->part};
    SUP_TRY(sup_carried_add(s, assembly, s->arena, all_v, &c->point[k], 1, d));
    work->place[k] = sup_v3_sub(
        sup_body_point_position(&c->point[k], assembly->within.X_WL, s->state->x), d->back);
  }
  return SUP_OK;
}

sup_status sup_cables_assemble(const sup_step_start *s, sup_assembly *assembly, const double *all_v,
                               const double *v) {
  for (int i = 0; i < s->model->num_cables; i++) {
    const sup_cable *c = &s->model->cable[i];
    cable_work      *work = &assembly->cable[i];
    SUP_TRY(find_places(s, assembly, all_v, c, work));
    measure(s, assembly, c, work, v);
    for (int k = 0; k + 1 < c->num_points; k++) {
      work->t_of_A[k] = work->t[k], work->w_of_A[k] = work->row.force / work->segment[k];
      if (work->row.force > 0) add_segment(s, assembly, work, k);
    }
    memset(work->impulse, 0, (size_t)c->num_points * sizeof *work->impulse);
    set_impulses(s, assembly, c, work, 0);
  }
  return SUP_OK;
}

void sup_cables_renew(const sup_step_start *s, sup_assembly *assembly, const double *v) {
  for (int i = 0; i < s->model->num_cables; i++) {
    const sup_cable *c = &s->model->cable[i];
    cable_work      *work = &assembly->cable[i];
    double           before = work->row.force;
    measure(s, assembly, c, work, v);
    set_impulses(s, assembly, c, work, before);
  }
}

sup_v3 sup_cable_pull(const sup_assembly *assembly, int i, int k) {
  const cable_work *work = &assembly->cable[i];
  return sup_v3_scale(-work->row.force,
                      gradient(work, assembly->layout->model->cable[i].num_points, k));
}

/* ---- the solution ---------------------------------------------------------------------------- */

/** x [num_points] := ways beyond the linearisation at the block velocities v. */
static void ways(const sup_step_start *s, const sup_assembly *assembly, const sup_cable *c,
                 const cable_work *work, const double *v) {
  for (int k = 0; k < c->num_points; k++)
    work->x[k] =
        sup_v3_sub(sup_v3_scale(s->inc->h, velocity_of(assembly, work, k, v)), work->moved[k]);
}

/** Way of the row at the points x [num_points] and the block velocities v. */
static double way_at(const sup_step_start *s, const sup_assembly *assembly, const sup_cable *c,
                     const cable_work *work, const sup_v3 *x, const double *v) {
  int    winch = winch_scalar(assembly, c);
  double turned = winch != SUP_NONE ? s->inc->h * c->radius * v[winch] : 0;
  return sup_cable_measure(c, x, NULL, NULL) + work->wound + turned;
}

void sup_cables_add_forces(const sup_step_start *s, const sup_assembly *assembly, const double *v,
                           double *force) {
  for (int i = 0; i < s->model->num_cables; i++) {
    const sup_cable  *c = &s->model->cable[i];
    const cable_work *work = &assembly->cable[i];
    ways(s, assembly, c, work, v);
    for (int k = 0; k < c->num_points; k++) {
      sup_v3 f = sup_v3_scale(-work->row.force, gradient(work, c->num_points, k));
      for (int e = k > 0 ? k - 1 : 0; e <= k && e + 1 < c->num_points; e++)
        f = sup_v3_madd(f, e == k ? 1 : -1,
                        pull_of_A(work, e, sup_v3_sub(work->x[e + 1], work->x[e])));
      for (int a = 0; a < c->point[k].num_vertices; a++)
        sup_v3_accumulate(force + 3 * c->point[k].vertex[a], c->point[k].weight[a], f);
    }
  }
}

static double excess(const sup_step_start *s, const sup_assembly *assembly, int i, const double *v,
                     const sup_frame *X_end) {
  const sup_cable  *c = &s->model->cable[i];
  const cable_work *work = &assembly->cable[i];
  double            linear = 0, square = 0;
  ways(s, assembly, c, work, v);
  for (int k = 0; k < c->num_points; k++)
    linear += sup_v3_dot(gradient(work, c->num_points, k), work->x[k]);
  for (int k = 0; k + 1 < c->num_points; k++) {
    sup_v3 way = sup_v3_sub(work->x[k + 1], work->x[k]);
    square += sup_v3_dot(way, pull_of_A(work, k, way));
  }
  for (int k = 0; k < c->num_points; k++) {
    const sup_body_point *at = &c->point[k];
    work->x[k] = X_end && at->body != SUP_NONE && at->num_vertices == 0
                     ? sup_frame_apply(&X_end[at->body], at->point)
                     : sup_v3_add(work->place[k], sup_v3_add(work->moved[k], work->x[k]));
  }
  int winch = winch_scalar(assembly, c);
  if (winch != SUP_NONE) linear += s->inc->h * c->radius * v[winch] - work->turned;
  return energy_beyond(work, way_at(s, assembly, c, work, work->x, v)) - work->row.force * linear -
         0.5 * square;
}

double sup_cables_excess(const sup_step_start *s, const sup_assembly *assembly, const double *v,
                         const sup_frame *X_end) {
  double sum = 0;
  for (int i = 0; i < s->model->num_cables; i++) sum += excess(s, assembly, i, v, X_end);
  return sum;
}

double sup_cables_size(const sup_assembly *assembly) {
  double sum = 0;
  for (int i = 0; i < assembly->layout->model->num_cables; i++)
    sum += assembly->cable[i].row.force * assembly->cable[i].row.way;
  return sum;
}

/** Work of the tension on the length that becomes shorter, less that of the forces on the points,
 * which act at the step's end while a stressed body turns with its cable [J]. */
static double work_beyond_forces(const sup_step_start *s, const sup_assembly *assembly,
                                 const sup_cable *c, const cable_work *work, const double *v) {
  double length = sup_cable_measure(c, work->place, NULL, NULL), sum = 0;
  bool   is_soft = false;
  ways(s, assembly, c, work, v);
  for (int k = 0; k < c->num_points; k++) {
    sup_v3 d = sup_v3_scale(s->inc->h, velocity_of(assembly, work, k, v));
    sum += work->row.force * sup_v3_dot(gradient(work, c->num_points, k), d);
    is_soft = is_soft || c->point[k].num_vertices > 0;
  }
  for (int k = 0; k + 1 < c->num_points; k++) {
    sup_v3 d = sup_v3_sub(velocity_of(assembly, work, k + 1, v), velocity_of(assembly, work, k, v));
    sum += s->inc->h * sup_v3_dot(d, pull_of_A(work, k, sup_v3_sub(work->x[k + 1], work->x[k])));
  }
  for (int k = 0; k < c->num_points; k++)
    work->x[k] = sup_v3_madd(work->place[k], s->inc->h, velocity_of(assembly, work, k, v));
  double shorter = length - sup_cable_measure(c, work->x, NULL, NULL);
  return is_soft ? work->row.force * shorter + sum : 0;
}

double sup_cables_end(const sup_step_start *s, const sup_assembly *assembly, const double *v,
                      sup_state *next) {
  double sum = 0;
  for (int i = 0; i < s->model->num_cables; i++) {
    const sup_cable  *c = &s->model->cable[i];
    const cable_work *work = &assembly->cable[i];
    sum += work_beyond_forces(s, assembly, c, work, v);
    for (int k = 0; k < c->num_points; k++)
      work->x[k] = sup_v3_madd(work->place[k], s->inc->h, velocity_of(assembly, work, k, v));
    next->cable_tension[i] = tension_at(work, way_at(s, assembly, c, work, work->x, v));
  }
  return sum;
}
