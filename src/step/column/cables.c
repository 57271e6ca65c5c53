#include "step/column/cables.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/body_point.h"
#include "model/numerics.h"
#include "step/column/column_rows.h"
#include "step/numerics.h"

typedef struct sup_cable_work cable_work;

/* ---- start ----------------------------------------------------------------------------------- */

/** Unstretched lengths before the step, what the drive gives being in the first strand. */
static sup_status begin_rest(const sup_step_start *s, const sup_cable *c, cable_work *work) {
  const sup_strand *strand = s->state->strand + c->first_strand;
  double            rest = work->law.rest, sum = 0;
  if (c->winch_tree != SUP_NONE)
    rest -= c->radius * (s->state->q[s->model->q_start[c->winch_tree] + c->winch_q] - c->winch_q0);
  for (int k = 0; k < c->num_strands; k++)
    work->rest[k] = strand[k].rest, sum += k > 0 ? strand[k].rest : 0;
  if (c->drive == SUP_CABLE_TENSION) return SUP_OK;
  work->rest[0] = rest - sum;
  if (work->rest[0] > 0) return SUP_OK;
  return SUP_FAIL(
      SUP_E_ARG,
      "cable '%s' has an unstretched length of %.4g m before its %s point at %.4g s%s; it must be "
      "positive",
      c->name, work->rest[0], c->num_strands > 1 ? "second" : "last", s->inc->t0,
      c->winch_tree != SUP_NONE ? ", as its winch has wound up all of it" : "");
}

/** All ways that the cable can have as it leaves sheaves. */
static sup_status begin_ways(const sup_step_start *s, const sup_cable *c, cable_work *work) {
  if (s->kin.X_WL) /* modes find theirs later */
    SUP_TRY(sup_cable_check(c, s->kin.X_WL, s->state->x, s->inc->t0));
  for (int k = 0; k + 1 < c->num_points; k++) work->num_all += sup_cable_next(c, k) - k;
  SUP_TRY(SUP_ARENA(s->arena, work->way, c->num_points - 1));
  SUP_TRY(SUP_ARENA(s->arena, work->all, work->num_all));
  sup_cable_way *w = work->all;
  for (int k = 0; k + 1 < c->num_points; k++)
    for (int to = k + 1; to <= sup_cable_next(c, k); to++, w++) {
      *w = (sup_cable_way){.from = k, .to = to, .at = {c->point[k], c->point[to]}};
      SUP_TRY(sup_carried_begin(s->layout, s->arena, &w->at[0], &w->at[1], &w->ends));
    }
  return SUP_OK;
}

static sup_status begin(const sup_step_start *s, int i, sup_assembly *assembly) {
  const sup_cable *c = &s->model->cable[i];
  cable_work      *work = &assembly->cable[i];
  *work = (cable_work){
      .law = sup_cable_law_at(s->model, s->inc->inputs, i, s->inc->t0 + s->inc->h, s->inc->load),
      .strand = assembly->strand + c->first_strand};
  SUP_TRY(SUP_ARENA(s->arena, work->rest, c->num_strands));
  SUP_TRY(begin_ways(s, c, work)); /* with blocks of A to clear */
  if (i >= assembly->num_cables) return SUP_OK;
  SUP_TRY(begin_rest(s, c, work));
  for (int k = 0; k < c->num_strands; k++) {
    work->strand[k] = (sup_column){.name = c->name,
                                   .is_given = c->drive == SUP_CABLE_LENGTH || k > 0,
                                   .lowest = c->pushes ? -HUGE_VAL : 0,
                                   .multiplier = s->state->strand[c->first_strand + k].tension};
    SUP_TRY(SUP_ARENA(s->arena, work->strand[k].column, s->layout->A_pattern.num_scalars));
  }
  return SUP_OK;
}

sup_status sup_cables_begin(const sup_step_start *s, sup_assembly *assembly) {
  assembly->cable = NULL;
  int all = s->model->num_cables + s->model->num_lines;
  assembly->num_cables = s->inc->motion > 0 ? s->model->num_cables : all;
  SUP_TRY(SUP_ARENA(s->arena, assembly->cable, all));
  SUP_TRY(SUP_ARENA(s->arena, assembly->strand, s->model->num_strands));
  for (int k = 0; k < s->model->num_strands; k++) assembly->strand[k] = (sup_column){0};
  for (int i = 0; i < all; i++) SUP_TRY(begin(s, i, assembly));
  return SUP_OK;
}

void sup_cables_clear(sup_assembly *assembly) {
  const sup_model *model = assembly->layout->model;
  for (int i = 0; i < model->num_cables + model->num_lines; i++)
    for (int k = 0; k < assembly->cable[i].num_all; k++)
      sup_carried_clear(assembly, &assembly->cable[i].all[k].ends);
}

/* ---- law ------------------------------------------------------------------------------------- */

/** Unstretched length of a strand, with what friction let pass in the step [m]. */
static double rest_of(const sup_cable *c, const cable_work *work, int k) {
  double passed = k + 1 < c->num_strands ? work->strand[k + 1].slip : 0;
  return work->rest[k] + work->strand[k].slip - passed;
}

/** Tension without bounds at a length, by the last row, or by the law where there is none [N]. */
static double free_tension(const sup_column *r, double rest, double way) {
  double held = r->stiffness > 0 ? r->multiplier / r->stiffness : 0;
  return r->multiplier + r->penalty * (way - rest - held);
}

static double tension_at(const cable_work *work, const sup_column *r, double rest, double way) {
  if (!r->is_given) return work->law.tension;
  return fmax(free_tension(r, rest, way), r->lowest);
}

/** Energy at a length less that at the linearisation [J]: the integral of tension_at. */
static double energy_beyond(const cable_work *work, const sup_column *r, double rest, double way) {
  double from = r->way, to = way, sum = 0, sign = to < from ? -1 : 1;
  if (!r->is_given || !(r->penalty > 0)) return tension_at(work, r, rest, way) * (to - from);
  double zero = way - (free_tension(r, rest, way) - r->lowest) / r->penalty; /* at the bound */
  double low = fmax(fmin(from, to), zero), high = fmax(from, to);
  if (low < high)
    sum = 0.5 * (tension_at(work, r, rest, low) + tension_at(work, r, rest, high)) * (high - low);
  return sign * sum;
}

/* ---- linearisation --------------------------------------------------------------------------- */

/** Scalar of the winch's joint; SUP_NONE: no winch, or its tree stands. */
static int winch_scalar(const sup_assembly *assembly, const sup_cable *c) {
  if (c->winch_tree == SUP_NONE) return SUP_NONE;
  return sup_block_first(&assembly->layout->A_pattern,
                         assembly->layout->model->tree_block[c->winch_tree]) +
         c->winch_v;
}

/** Wound up in the step at the block velocities v [m]. */
static double turned(const sup_step_start *s, const sup_assembly *assembly, const sup_cable *c,
                     const double *v) {
  int winch = winch_scalar(assembly, c);
  return v && winch != SUP_NONE ? s->inc->h * c->radius * v[winch] : 0;
}

/** Force by the stiffness of a way in A when its ends move apart [N]. */
static sup_v3 pull_of_A(const sup_cable_way *w, sup_v3 apart) {
  sup_v3 across = sup_v3_madd(apart, -sup_v3_dot(w->t_of_A, apart), w->t_of_A);
  return sup_v3_madd(sup_v3_scale(w->w_of_A, across), w->k_of_A * sup_v3_dot(w->t_of_A, apart),
                     w->t_of_A);
}

/** Motion of a way beyond the linearisation at the block velocities v; NULL: by held motions. */
static sup_v3 beyond(const sup_step_start *s, const sup_assembly *assembly, const sup_cable_way *w,
                     const double *v) {
  return sup_v3_sub(sup_v3_scale(s->inc->h, sup_carried_velocity(assembly, &w->ends, v)), w->moved);
}

/** Force on the end of a way that is so far beyond the linearisation [N]. */
static sup_v3 force_on_end(const sup_cable_way *w, double tension, sup_v3 apart) {
  return sup_v3_sub(sup_v3_scale(-tension, w->t), pull_of_A(w, apart));
}

/** Stiffness of the law [N/m]; inextensible: infinite. */
static double stiffness_of(const sup_cable *c, double rest) {
  return c->stiffness > 0 ? c->stiffness / fmax(rest, sup_model_numerics.cable_points * c->length0)
                          : HUGE_VAL;
}

/** An elastic rod is a spring in A; its row would leave A indefinite under pressure. */
static bool is_spring(const sup_cable *c) { return c->pushes && c->stiffness > 0; }

/** Columns and rates of lengths, as those of a volume, and grips at points. */
static void set_columns(const sup_step_start *s, const sup_assembly *assembly, const sup_cable *c,
                        cable_work *work) {
  int winch = winch_scalar(assembly, c);
  for (int k = 0; k < c->num_strands; k++) {
    sup_column *r = &work->strand[k];
    memset(r->column, 0, (size_t)s->layout->A_pattern.num_scalars * sizeof *r->column);
    r->known = k == 0 ? work->turned / s->inc->h : 0;
    if (k > 0) {
      sup_v3 a = work->way[k - 1]->t, b = work->way[k]->t;
      double turn = atan2(sup_v3_norm(sup_v3_cross(a, b)), sup_v3_dot(a, b));
      if (c->sheave[k].radius > 0) turn = work->way[k]->wrap;
      r->grip = exp(c->friction * turn);
    }
  }
  for (int i = 0; i < work->num_ways; i++) {
    const sup_cable_way *w = work->way[i];
    sup_column          *r = &work->strand[sup_cable_strand_of(c, w->from)];
    sup_carried_add_transposed(assembly, &w->ends, sup_v3_scale(-1, w->t), r->column);
    r->known -= sup_v3_dot(w->t, beyond(s, assembly, w, NULL)) / s->inc->h;
  }
  if (winch != SUP_NONE) work->strand->column[winch] -= c->radius;
}

/** Tension of strand k at the linearisation [N]. */
static double tension_of(const sup_cable *c, const cable_work *work, int k) {
  return tension_at(work, &work->strand[k], rest_of(c, work, k), work->strand[k].way);
}

/** Slips at the linearisation's lengths, eyelet by eyelet: those of the last rows are of theirs. */
static void settle_slips(const sup_cable *c, cable_work *work) {
  double most = HUGE_VAL;
  for (int sweep = 0;
       sweep < (int)sup_step_numerics.slip_sweeps && most > sup_step_numerics.column_row; sweep++) {
    most = 0;
    for (int k = 1; k < c->num_strands && work->strand[k].penalty > 0; k++) {
      sup_column *r = &work->strand[k];
      double      E = r->grip, before = r[-1].penalty, slip = r->slip;
      double      most_grip = E * (1 + sup_step_numerics.column_row); /* as in column_rows.c */
      double      a = tension_of(c, work, k - 1), b = tension_of(c, work, k);
      double      forth = slip + (b - E * a) / (r->penalty + E * before);
      double      back = slip + (E * b - a) / (E * r->penalty + before);
      if (slip == 0 && b <= most_grip * a && a <= most_grip * b) continue;
      r->slip = forth > 0 ? forth : back < 0 ? back : 0;
      most = fmax(most, fabs(r->slip - slip) * r->penalty / (a + b + DBL_MIN));
    }
  }
}

/** Lengths, directions and columns after a step with the block velocities v. */
static void measure(const sup_step_start *s, const sup_assembly *assembly, const sup_cable *c,
                    cable_work *work, const double *v) {
  work->turned = turned(s, assembly, c, v);
  for (int k = 0; k < c->num_strands; k++) work->strand[k].way = k == 0 ? work->turned : 0;
  for (int i = 0; i < work->num_ways; i++) {
    sup_cable_way *w = work->way[i];
    w->moved = (sup_v3){0, 0, 0};
    if (v) w->moved = beyond(s, assembly, w, v);
    w->length = sup_cable_span(c, sup_v3_add(w->place, w->moved), &w->t);
    work->strand[sup_cable_strand_of(c, w->from)].way += w->length + w->arc;
  }
  for (int k = 0; k < c->num_strands; k++) {
    sup_column *r = &work->strand[k];
    r->excess = r->way - work->rest[k];
    if (is_spring(c))
      r->penalty = stiffness_of(c, work->rest[k]), r->multiplier = 0;
    else if (r->is_given)
      r->stiffness = stiffness_of(c, rest_of(c, work, k) - (k == 0 ? work->turned : 0));
  }
  set_columns(s, assembly, c, work);
  settle_slips(c, work);
  for (int k = 0; k < c->num_strands; k++) work->strand[k].force = tension_of(c, work, k);
}

/** Impulses of the tension at the linearisation into p, in the place of those before. */
static void set_impulses(const sup_step_start *s, sup_assembly *assembly, const sup_cable *c,
                         cable_work *work, double tension_before) {
  int    winch = winch_scalar(assembly, c);
  double h = s->inc->h;
  for (int i = 0; i < work->num_ways; i++) {
    sup_cable_way *w = work->way[i];
    double         tension = work->strand[sup_cable_strand_of(c, w->from)].force;
    sup_v3         force = force_on_end(w, tension, beyond(s, assembly, w, NULL));
    sup_v3         impulse = sup_v3_scale(h, force);
    sup_carried_add_transposed(assembly, &w->ends, sup_v3_sub(impulse, w->impulse), assembly->p);
    w->impulse = impulse;
  }
  if (winch != SUP_NONE)
    assembly->p[winch] -= h * c->radius * (work->strand->force - tension_before);
}

/** Stiffness along a rigid way that its row keeps, so much that what is across it leaves the
 * saddles of the whole [N/m]. */
static double stiffness_along(const sup_column *r, const sup_cable_way *w) {
  return sup_step_numerics.line_along * fabs(r->force) / w->length;
}

/** Stiffness dt^2 (T/l (1 - t t^T) + k t t^T) of a way into A; across a rod under pressure only
 * where A may be indefinite. */
static void add_stiffness(const sup_step_start *s, sup_assembly *assembly, sup_cable_way *w,
                          const sup_cable *c, const sup_column *r) {
  double h = s->inc->h, tension = assembly->is_exact ? r->force : sup_max(r->force, 0);
  w->t_of_A = w->t, w->w_of_A = tension / w->length;
  w->k_of_A = is_spring(c) ? r->penalty : tension < 0 ? stiffness_along(r, w) : 0;
  if (w->w_of_A == 0 && w->k_of_A == 0) return;
  sup_m3 along = sup_m3_outer(w->t, w->t), W = sup_m3_scale(-1, along);
  W = sup_m3_scale(h * h * w->w_of_A, sup_m3_add(sup_m3_identity(), W));
  if (w->k_of_A > 0) W = sup_m3_add(W, sup_m3_scale(h * h * w->k_of_A, along));
  sup_carried_add_stiffness(assembly, &w->ends, &W);
}

void sup_cables_add_rows(const sup_step_start *s, sup_assembly *assembly) {
  double h = s->inc->h;
  for (int i = 0; i < assembly->num_cables; i++) {
    const sup_cable_way *w = assembly->cable[i].way[0];
    const sup_column    *r = assembly->cable[i].strand;
    if (assembly->cable[i].num_ways > 1 || s->model->cable[i].winch_tree != SUP_NONE ||
        !(r->stiffness > 0 && r->force > r->lowest))
      continue;
    double k = sup_min(r->stiffness, stiffness_along(r, w));
    sup_m3 W = sup_m3_scale(h * h * k, sup_m3_outer(w->t, w->t));
    sup_carried_add_stiffness(assembly, &w->ends, &W);
  }
}

/** Position of a point at the block velocities v, of links at the poses X_end [m]. */
static sup_v3 place_at(const sup_step_start *s, const sup_assembly *assembly,
                       const sup_body_point *at, const double *v, const sup_frame *X_end) {
  sup_v3 x = sup_body_point_position(at, X_end, s->state->x);
  if (at->num_vertices == 0) return x;
  return sup_v3_madd(x, s->inc->h, sup_carried_soft_velocity(assembly, at, v));
}

/** As sup_cable_legs at the block velocities v and the poses X_end. */
static int legs_at(const sup_step_start *s, const sup_assembly *assembly, const sup_cable *c, int k,
                   const double *v, const sup_frame *X_end, sup_cable_leg *leg) {
  sup_cable_node node[SUP_CABLE_MOST_SHEAVES + 2];
  for (int i = k; i <= sup_cable_next(c, k); i++)
    node[i - k] = sup_cable_node_at(c, i, place_at(s, assembly, &c->point[i], v, X_end), X_end);
  return sup_cable_legs(c, k, node, leg);
}

/** Ways at the linearisation, whose ends are fixed to the sheaves: the length of a tangent with its
 * arcs has their derivatives, and those of the first order of its own. */
static void choose_ways(const sup_step_start *s, const sup_assembly *assembly, const sup_cable *c,
                        cable_work *work, const double *v) {
  const sup_frame *X_WL = assembly->within.X_WL;
  sup_cable_leg    leg[SUP_CABLE_MOST_SHEAVES + 1];
  sup_cable_way   *w = work->all;
  work->num_ways = 0;
  for (int k = 0; k + 1 < c->num_points; k = sup_cable_next(c, k)) {
    int num = legs_at(s, assembly, c, k, v, X_WL, leg);
    for (int i = 0; i < num; i++) {
      while (w->from != leg[i].from || w->to != leg[i].to) w++;
      for (int e = 0; e < 2; e++)
        if (c->sheave[e ? w->to : w->from].radius > 0)
          w->at[e].point = w->at[e].body == SUP_NONE
                               ? leg[i].end[e]
                               : sup_frame_apply_inverse(&X_WL[w->at[e].body], leg[i].end[e]);
      w->arc = leg[i].arc, w->wrap = leg[i].wrap;
      work->way[work->num_ways++] = w;
    }
  }
}

void sup_cables_assemble(const sup_step_start *s, sup_assembly *assembly, const double *all_v,
                         const double *v) {
  for (int i = 0; i < assembly->num_cables; i++) {
    const sup_cable *c = &s->model->cable[i];
    cable_work      *work = &assembly->cable[i];
    choose_ways(s, assembly, c, work, v);
    for (int k = 0; k < work->num_ways; k++) {
      sup_cable_way *w = work->way[k];
      sup_v3         end[2];
      sup_carried_set(s, assembly, all_v, &w->ends);
      for (int e = 0; e < 2; e++)
        end[e] = sup_body_point_position(&w->at[e], assembly->within.X_WL, s->state->x);
      w->place = sup_v3_sub(sup_v3_sub(end[1], end[0]), w->ends.back);
      w->moved = w->impulse = (sup_v3){0, 0, 0};
    }
    measure(s, assembly, c, work, v);
    for (int k = 0; k < work->num_ways; k++)
      add_stiffness(s, assembly, work->way[k], c,
                    &work->strand[sup_cable_strand_of(c, work->way[k]->from)]);
    set_impulses(s, assembly, c, work, 0);
  }
}

void sup_cables_renew(const sup_step_start *s, sup_assembly *assembly, const double *v) {
  for (int i = 0; i < assembly->num_cables; i++) {
    const sup_cable *c = &s->model->cable[i];
    cable_work      *work = &assembly->cable[i];
    double           before = work->strand->force;
    measure(s, assembly, c, work, v);
    set_impulses(s, assembly, c, work, before);
  }
}

sup_v3 sup_cable_pull(const sup_assembly *assembly, int i, const sup_cable_way *way, int e) {
  const sup_cable *c = &assembly->layout->model->cable[i];
  double           tension = assembly->cable[i].strand[sup_cable_strand_of(c, way->from)].force;
  return sup_v3_scale(e ? -tension : tension, way->t);
}

/* ---- the solution ---------------------------------------------------------------------------- */

void sup_cables_add_forces(const sup_step_start *s, const sup_assembly *assembly, const double *v,
                           double *force) {
  for (int i = 0; i < assembly->num_cables; i++) {
    const sup_cable *c = &s->model->cable[i];
    for (int k = 0; k < assembly->cable[i].num_ways; k++) {
      const sup_cable_way *w = assembly->cable[i].way[k];
      double tension = assembly->cable[i].strand[sup_cable_strand_of(c, w->from)].force;
      sup_carried_add_force(&w->ends, force_on_end(w, tension, beyond(s, assembly, w, v)), force);
    }
  }
}

/** Length of strand k with what its winch winds up, at the block velocities v; X_end as of
 * sup_cables_excess [m]. */
static double length_at(const sup_step_start *s, const sup_assembly *assembly, int i, int k,
                        const double *v, const sup_frame *X_end) {
  const sup_cable  *c = &s->model->cable[i];
  const cable_work *work = &assembly->cable[i];
  sup_cable_leg     leg[SUP_CABLE_MOST_SHEAVES + 1];
  double            sum = k == 0 ? turned(s, assembly, c, v) : 0;
  for (int e = 0; !X_end && e < work->num_ways; e++) {
    const sup_cable_way *w = work->way[e];
    sup_v3               d = sup_v3_scale(s->inc->h, sup_carried_velocity(assembly, &w->ends, v));
    if (sup_cable_strand_of(c, w->from) == k)
      sum += sup_cable_span(c, sup_v3_add(w->place, d), NULL) + w->arc;
  }
  for (int p = 0; X_end && p + 1 < c->num_points; p = sup_cable_next(c, p)) {
    int num = legs_at(s, assembly, c, p, v, X_end, leg);
    for (int e = 0; e < num; e++)
      if (sup_cable_strand_of(c, leg[e].from) == k) sum += leg[e].length + leg[e].arc;
  }
  return sum;
}

static double excess(const sup_step_start *s, const sup_assembly *assembly, int i, const double *v,
                     const sup_frame *X_end) {
  const sup_cable  *c = &s->model->cable[i];
  const cable_work *work = &assembly->cable[i];
  double            sum = 0;
  for (int k = 0; k < c->num_strands; k++) {
    const sup_column *r = &work->strand[k];
    int               last = c->num_strands > 1 ? k + 1 : work->num_ways;
    double            linear = k == 0 ? turned(s, assembly, c, v) - work->turned : 0, square = 0;
    double            way = length_at(s, assembly, i, k, v, X_end);
    for (int e = k; e < last; e++) {
      const sup_cable_way *w = work->way[e];
      sup_v3               d = beyond(s, assembly, w, v);
      linear += sup_v3_dot(w->t, d), square += sup_v3_dot(d, pull_of_A(w, d));
    }
    sum += energy_beyond(work, r, rest_of(c, work, k), way) - r->force * linear - 0.5 * square;
  }
  return sum;
}

double sup_cables_excess(const sup_step_start *s, const sup_assembly *assembly, const double *v,
                         const sup_frame *X_end) {
  double sum = 0;
  for (int i = 0; i < assembly->num_cables; i++) sum += excess(s, assembly, i, v, X_end);
  return sum;
}

double sup_cables_size(const sup_assembly *assembly) {
  double sum = 0;
  for (int k = 0; k < assembly->layout->model->num_strands; k++)
    sum += fabs(assembly->strand[k].force) * assembly->strand[k].way;
  return sum;
}

/** Work that friction takes where a strand begins [J]. */
static double slip_work(const sup_cable *c, const sup_strand *strand, double slip) {
  double sum = strand[0].tension + strand[-1].tension, gap = strand[0].tension - strand[-1].tension;
  return slip * gap * (c->stiffness > 0 ? 1 + 0.5 * sum / c->stiffness : 1);
}

/** Lengths and tensions of the solution v in `next`; returns the work of the tension on the length
 * that becomes shorter, less that of the forces on soft bodies, which act at the step's end while a
 * stressed body turns with its cable [J]. */
static double end(const sup_step_start *s, const sup_assembly *assembly, int i, const double *v,
                  sup_state *state) {
  const sup_cable  *c = &s->model->cable[i];
  const sup_strand *before = s->state->strand + c->first_strand;
  sup_strand       *next = state->strand + c->first_strand;
  const cable_work *work = &assembly->cable[i];
  double            beyond_forces = 0, wound = turned(s, assembly, c, v);
  bool              is_soft = c->point[c->num_points - 1].num_vertices > 0;
  for (int k = 0; k < c->num_strands; k++) {
    const sup_column *r = &work->strand[k];
    double            way = k == 0 ? wound : 0, rest = rest_of(c, work, k);
    int               last = c->num_strands > 1 ? k + 1 : work->num_ways;
    for (int e = k; e < last; e++) {
      const sup_cable_way *w = work->way[e];
      sup_v3               force = force_on_end(w, r->force, beyond(s, assembly, w, v));
      sup_v3               d = sup_v3_scale(s->inc->h, sup_carried_velocity(assembly, &w->ends, v));
      double               length = sup_cable_span(c, sup_v3_add(w->place, d), NULL);
      beyond_forces += r->force * (sup_cable_span(c, w->place, NULL) - length);
      beyond_forces -= sup_v3_dot(force, d);
      way += length + w->arc;
      is_soft = is_soft || w->at[0].num_vertices > 0;
    }
    next[k].tension = tension_at(work, r, rest, way);
    next[k].rest = rest - (k == 0 ? wound : 0);
    if (k > 0) next[k].slip_work = before[k].slip_work + slip_work(c, next + k, r->slip);
  }
  return is_soft ? beyond_forces : 0;
}

double sup_cables_end(const sup_step_start *s, const sup_assembly *assembly, const double *v,
                      sup_state *next) {
  double sum = 0;
  for (int i = 0; i < assembly->num_cables; i++) sum += end(s, assembly, i, v, next);
  return sum;
}
