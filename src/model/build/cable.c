/* Cables of a model: paths, winches, what is given. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "base/text.h"
#include "model/body_point.h"
#include "model/build/build.h"
#include "model/cable.h"
#include "model/constraint.h"
#include "model/kinematics.h"
#include "model/numerics.h"

enum { WHAT_SIZE = SUP_NAME_MAX + 16, MOST_VERTICES = 100 };

static sup_status check_numbers(const sup_cable_def *def, const char *what) {
  const sup_table *table = &def->schedule;
  bool             is_tension = def->drive == SUP_CABLE_TENSION;
  if (table->num_rows > 0 && table->width != 1)
    return SUP_FAIL(SUP_E_ARG, "%s: a row of its schedule has %d values; 1 is expected", what,
                    table->width);
  for (int i = 0; i < table->num_rows; i++)
    if (!isfinite(table->value[i]) || (is_tension && !(table->value[i] >= 0)))
      return SUP_FAIL(SUP_E_ARG, "%s: its schedule has %g at %g s; %s is expected", what,
                      table->value[i], table->time[i],
                      is_tension ? "a tension of 0 or more" : "a number");
  if (!(def->tension >= 0) || !isfinite(def->tension))
    return SUP_FAIL(SUP_E_ARG, "%s: its tension is %g N; a cable pulls, 0 or more is expected",
                    what, def->tension);
  if (!(def->stiffness >= 0) || !isfinite(def->stiffness))
    return SUP_FAIL(SUP_E_ARG, "%s: its stiffness is %g N; it must be positive, or 0: inextensible",
                    what, def->stiffness);
  if (!(def->friction >= 0) || !isfinite(def->friction))
    return SUP_FAIL(SUP_E_ARG, "%s: its friction is %g; a coefficient of 0 or more is expected",
                    what, def->friction);
  if (is_tension && ((def->stiffness > 0 && !(def->friction > 0)) || def->winch[0]))
    return SUP_FAIL(
        SUP_E_ARG,
        "%s: with a given tension it has no winch, and a stiffness with friction alone; "
        "those go with a given length",
        what);
  return SUP_OK;
}

/** Wheel of a point: of a body with directions. */
static sup_status find_sheave(const sup_model *model, const sup_cable_point_def *def, int body,
                              const char *what, sup_cable_sheave *sheave) {
  sup_v3 axis = sup_v3_load(def->axis);
  double size = sup_v3_norm(axis);
  if (def->radius == 0) return SUP_OK;
  if (!(def->radius > 0) || !isfinite(def->radius))
    return SUP_FAIL(SUP_E_ARG, "%s: the radius of a sheave is %g m; it must be positive", what,
                    def->radius);
  if (!(size > 0) || !isfinite(size))
    return SUP_FAIL(SUP_E_ARG, "%s: the axis of its sheave on '%s' is no direction", what,
                    def->body);
  if (body != SUP_NONE && model->body[body].soft != SUP_NONE)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: a sheave is on a link, a rigid body or the world, which hold its axis; "
                    "'%s' is soft",
                    what, def->body);
  *sheave = (sup_cable_sheave){
      .radius = def->radius, .axis = sup_v3_scale(1 / size, axis), .least = -0.5 * acos(-1)};
  return SUP_OK;
}

static sup_status find_point(const sup_model *model, const sup_model_def *all,
                             const sup_cable_point_def *def, const char *what, sup_body_point *at,
                             sup_cable_sheave *sheave) {
  int body;
  SUP_TRY(sup_model_find_side(model, def->body, what, &body));
  if (!isfinite(sup_v3_norm(sup_v3_load(def->point))))
    return SUP_FAIL(SUP_E_ARG, "%s: a point of its path is not finite", what);
  SUP_TRY(find_sheave(model, def, body, what, sheave));
  SUP_TRY(sup_body_point_of(at, model, all, body, def->point, def->has_region ? &def->region : NULL,
                            what));
  if (at->num_vertices == 0) return SUP_OK;
  if (at->num_vertices > MOST_VERTICES)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: its region of '%s' has %d vertices, which the cable would all couple with "
                    "each other; at most %d: take a point [x, y, z] of the body",
                    what, def->body, at->num_vertices, MOST_VERTICES);
  return sup_body_point_check(at, model, what);
}

/** Joint of the drum. */
static sup_status find_winch(const sup_model *model, const sup_cable_def *def, const char *what,
                             sup_cable *c) {
  c->winch_tree = SUP_NONE;
  if (!def->winch[0]) return SUP_OK;
  SUP_TRY(sup_model_find_axis(model, def->winch, what, &c->winch_tree, &c->winch_q, &c->winch_v));
  if (!isfinite(def->radius) || def->radius == 0)
    return SUP_FAIL(SUP_E_ARG, "%s: the radius of its winch is %g m; another number is expected",
                    what, def->radius);
  c->radius = def->radius;
  c->winch_q0 = model->q0[model->q_start[c->winch_tree] + c->winch_q];
  return SUP_OK;
}

/** E_ARG: a way at time 0 is not in the plane of a sheave at its end e. */
static sup_status check_plane(const sup_cable *c, const sup_cable_leg *leg, int e,
                              const sup_frame *X_WL, const char *what) {
  sup_v3 zero = {0, 0, 0}, axis[2];
  axis[0] = sup_cable_node_at(c, leg->from, zero, X_WL).axis;
  axis[1] = sup_cable_node_at(c, leg->to, zero, X_WL).axis;
  double off = fabs(sup_v3_dot(axis[e], leg->t));
  off = sup_max(off, sup_v3_norm(sup_v3_cross(axis[0], axis[1])));
  if (off <= sup_model_numerics.cable_fleet) return SUP_OK;
  return SUP_FAIL(
      SUP_E_ARG,
      "%s: its way from point %d of its path to point %d leaves the plane of a sheave by "
      "%.3g degrees at time 0; at most %.3g are taken",
      what, leg->from + 1, leg->to + 1, asin(sup_min(off, 1)) * 180 / acos(-1),
      asin(sup_model_numerics.cable_fleet) * 180 / acos(-1));
}

/** Branches and marks of wraps, and lengths of strands, from the ways at time 0. */
static sup_status set_sheaves(sup_cable *c, const sup_frame *X_WL, const double *x,
                              const char *what) {
  const double  pi = acos(-1);
  sup_cable_leg leg[SUP_CABLE_MOST_SHEAVES + 1];
  for (int k = 0; k + 1 < c->num_points; k = sup_cable_next(c, k)) {
    int num = sup_cable_legs_at(c, k, X_WL, x, leg);
    for (int i = k + 1; i < sup_cable_next(c, k); i++) c->sheave[i].least = -pi;
    for (int i = 0; i < num; i++) {
      sup_cable_sheave *sheave = &c->sheave[leg[i].from];
      int               body = c->point[leg[i].from].body;
      for (int e = 0; e < 2; e++) SUP_TRY(check_plane(c, &leg[i], e, X_WL, what));
      c->segment0[leg[i].from] = leg[i].length;
      if (i == 0) continue;
      sheave->least = sup_max(-pi, sup_min(leg[i].wrap - pi, -0.5 * pi));
      sup_cable_node node = sup_cable_node_at(c, leg[i].from, (sup_v3){0, 0, 0}, X_WL);
      sup_v3         side = sup_v3_cross(leg[i].t, node.axis);
      double         half = 0.5 * leg[i].wrap;
      sup_v3         mark = sup_v3_madd(sup_v3_scale(cos(half), side), -sin(half), leg[i].t);
      sheave->mark = body == SUP_NONE ? mark : sup_m3_apply_t(X_WL[body].R, mark);
      c->segment0[leg[i].from] += sheave->radius * half;
      c->segment0[leg[i].from - 1] += sheave->radius * half;
    }
  }
  return SUP_OK;
}

/** Length of the path at time 0; E_ARG: neighbours in one place. */
static sup_status measure_rest(const sup_model *model, sup_cable *c, const char *what) {
  SUP_OWN(sup_arena) *arena = NULL;
  sup_kinematics      kin;
  double             *x;
  sup_v3             *at;
  SUP_TRY(sup_arena_create(&arena, 1 << 12));
  SUP_TRY(sup_model_start(model, arena, &x, &kin));
  SUP_TRY(SUP_ARENA(arena, at, c->num_points));
  for (int i = 0; i < c->num_points; i++)
    at[i] = sup_body_point_position(&c->point[i], kin.X_WL, x);
  c->length0 = 0;
  c->length0 = sup_cable_length(c, kin.X_WL, x);
  for (int i = 0; i + 1 < c->num_points; i++)
    if (!(sup_v3_norm(sup_v3_sub(at[i + 1], at[i])) > sup_model_numerics.cable_points * c->length0))
      return SUP_FAIL(SUP_E_ARG,
                      "%s: the points %d and %d of its path are both at (%.4g, %.4g, %.4g) m at "
                      "time 0; neighbours have different places",
                      what, i + 1, i + 2, at[i].x, at[i].y, at[i].z);
  SUP_TRY(set_sheaves(c, kin.X_WL, x, what));
  c->length0 = sup_cable_length(c, kin.X_WL, x);
  return sup_cable_check(c, kin.X_WL, x, 0);
}

static sup_status check_lengths(const sup_cable *c, const char *what) {
  for (int k = -1; k < c->schedule.num_rows && c->drive == SUP_CABLE_LENGTH; k++) {
    double length = k < 0 ? c->length : c->schedule.value[k];
    if (c->is_added) length += c->length0;
    if (!(length > 0) && (k >= 0 || c->schedule.num_rows == 0))
      return SUP_FAIL(SUP_E_ARG,
                      "%s: its length is %.4g m, where the path is %.4g m long at time 0; it must "
                      "be positive",
                      what, length, c->length0);
  }
  return SUP_OK;
}

/** E_ARG: no block column moves a point of the path. */
static sup_status check_moves(const sup_model *model, const sup_cable *c, const char *what) {
  SUP_FREED int *block = NULL;
  bool           moves = c->winch_tree != SUP_NONE;
  SUP_TRY(SUP_CALLOC(block, sup_cable_most_blocks(c)));
  for (int i = 0; i < c->num_points; i++) {
    int n = sup_body_point_blocks(&c->point[i], model, block);
    for (int k = 0; k < n; k++) moves = moves || block[k] != SUP_NONE;
  }
  if (moves) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "%s: all points of its path are fixed or move as prescribed; a cable would do "
                  "nothing",
                  what);
}

static sup_status build_cable(sup_model *model, const sup_model_def *all, const sup_cable_def *def,
                              sup_cable *c) {
  char what[WHAT_SIZE];
  SUP_TRY(sup_text_copy(c->name, sizeof c->name, def->name));
  snprintf(what, sizeof what, "cable '%s'", c->name);
  if (model->ranks) return SUP_FAIL(SUP_E_ARG, "%s: cables work on one rank", what);
  if (def->num_points < 2)
    return SUP_FAIL(SUP_E_ARG, "%s: its path has %d points; 2 or more are expected", what,
                    def->num_points);
  SUP_TRY(check_numbers(def, what));
  c->drive = def->drive, c->is_added = def->is_added;
  c->tension = def->tension, c->length = def->length;
  c->stiffness = def->stiffness, c->friction = def->friction;
  c->num_strands = c->friction > 0 ? def->num_points - 1 : 1;
  c->first_strand = model->num_strands, model->num_strands += c->num_strands;
  SUP_TRY(sup_table_copy(&c->schedule, &def->schedule));
  SUP_TRY(SUP_CALLOC(c->point, def->num_points));
  SUP_TRY(SUP_CALLOC(c->segment0, def->num_points));
  SUP_TRY(SUP_CALLOC(c->sheave, def->num_points));
  for (int i = 0, row = 0; i < def->num_points; i++) {
    SUP_TRY(find_point(model, all, &def->points[i], what, &c->point[i], &c->sheave[i]));
    c->num_points = i + 1;
    row = c->sheave[i].radius > 0 ? row + 1 : 0;
    if (row > SUP_CABLE_MOST_SHEAVES)
      return SUP_FAIL(SUP_E_ARG, "%s: its path has %d sheaves one after another; at most %d", what,
                      row, SUP_CABLE_MOST_SHEAVES);
    if (row > 0 && (i == 0 || i + 1 == def->num_points))
      return SUP_FAIL(SUP_E_ARG, "%s: its path begins and ends at points, not at sheaves", what);
  }
  SUP_TRY(find_winch(model, def, what, c));
  SUP_TRY(measure_rest(model, c, what));
  SUP_TRY(check_lengths(c, what));
  return check_moves(model, c, what);
}

sup_status sup_model_build_cables(sup_model *model, const sup_model_def *def) {
  SUP_TRY(SUP_CALLOC(model->cable, def->num_cables + def->num_constraints));
  for (int i = 0; i < def->num_cables; i++) {
    for (int k = 0; k < i; k++)
      if (strcmp(def->cables[k].name, def->cables[i].name) == 0)
        return SUP_FAIL(SUP_E_ARG, "two cables have the name '%s'", def->cables[i].name);
    model->num_cables = i + 1;
    SUP_TRY(build_cable(model, def, &def->cables[i], &model->cable[i]));
  }
  return SUP_OK;
}

static sup_status copy_point(const sup_body_point *from, sup_body_point *to) {
  const size_t n = (size_t)from->num_vertices;
  *to = *from, to->vertex = NULL, to->weight = NULL, to->num_vertices = 0;
  SUP_TRY(SUP_CALLOC(to->vertex, from->num_vertices));
  SUP_TRY(SUP_CALLOC(to->weight, from->num_vertices));
  if (n > 0) memcpy(to->vertex, from->vertex, n * sizeof *to->vertex);
  if (n > 0) memcpy(to->weight, from->weight, n * sizeof *to->weight);
  to->num_vertices = from->num_vertices;
  return SUP_OK;
}

sup_status sup_model_add_line(sup_model *model, sup_body_constraint *of, double length,
                              double apart) {
  sup_cable *c = &model->cable[model->num_cables + model->num_lines];
  if (of->a.num_vertices > MOST_VERTICES || of->point[0].num_vertices > MOST_VERTICES)
    return SUP_OK;
  of->line = model->num_cables + model->num_lines++;
  SUP_TRY(sup_text_copy(c->name, sizeof c->name, of->name));
  c->drive = SUP_CABLE_LENGTH, c->winch_tree = SUP_NONE, c->pushes = of->kind == SUP_CONSTRAINT_ROD;
  c->length = length, c->length0 = apart, c->stiffness = of->stiffness * length;
  c->num_strands = 1, c->first_strand = model->num_strands++;
  SUP_TRY(SUP_CALLOC(c->point, 2));
  SUP_TRY(SUP_CALLOC(c->sheave, 2));
  SUP_TRY(SUP_CALLOC(c->segment0, 1));
  for (c->num_points = 0; c->num_points < 2; c->num_points++)
    SUP_TRY(copy_point(c->num_points == 0 ? &of->a : of->point, &c->point[c->num_points]));
  c->segment0[0] = apart;
  return SUP_OK;
}

void sup_cable_free(sup_cable *c) {
  for (int i = 0; i < c->num_points; i++) sup_body_point_free(&c->point[i]);
  SUP_FREE_ALL(&c->point, &c->sheave, &c->segment0);
  sup_table_free(&c->schedule);
}
