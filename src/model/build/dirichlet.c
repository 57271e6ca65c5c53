/* Clamps and holds: the hold of each component of each vertex, events by which holds begin and end.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "model/build/build.h"
#include "model/event.h"
#include "model/inputs.h"
#include "model/task.h"

/** Rotation of the motion at time t and the place of the point about which it turns. */
static sup_frame moved(const sup_dirichlet *dirichlet, const sup_table *motion, double t) {
  double row[6];
  sup_table_at(motion, t, row);
  return (sup_frame){sup_quat_matrix(sup_quat_exp(sup_v3_load(row + 3))),
                     sup_v3_add(dirichlet->about, sup_v3_load(row))};
}

sup_v3 sup_dirichlet_position(const sup_dirichlet *dirichlet, const sup_table *motion, sup_v3 rest,
                              double t) {
  if (motion->num_rows == 0) return rest;
  sup_frame X = moved(dirichlet, motion, t);
  return sup_v3_add(X.p, sup_m3_apply(X.R, sup_v3_sub(rest, dirichlet->about)));
}

sup_v3 sup_dirichlet_rest(const sup_dirichlet *dirichlet, const sup_table *motion, sup_v3 x,
                          double t) {
  if (motion->num_rows == 0) return x;
  sup_frame X = moved(dirichlet, motion, t);
  return sup_v3_add(dirichlet->about, sup_m3_apply_t(X.R, sup_v3_sub(x, X.p)));
}

void sup_soft_prescribed_displacement(const sup_soft *soft, const sup_inputs *inputs, double t,
                                      const int *holder, const double *rest, const double *x,
                                      double *u) {
  memset(u, 0, 3 * (size_t)soft->num_vertices * sizeof *u);
  if (soft->num_dirichlet == 0) return;
  for (int i = 0; i < 3 * soft->num_vertices; i++) {
    if (holder[i] == SUP_NONE) continue;
    int                  k = holder[i];
    const sup_dirichlet *hold = &soft->dirichlet[k];
    sup_table            motion =
        sup_inputs_table(inputs, SUP_DRIVEN_HOLD, soft->first_dirichlet + k, &hold->motion);
    double to[3];
    sup_v3_store(to, sup_dirichlet_position(hold, &motion, sup_v3_load(rest + i - i % 3), t));
    u[i] = to[i % 3] - x[i];
  }
}

/* ---- events ---------------------------------------------------------------------------------- */

static sup_status check_event(const sup_event_def *def, const char *what) {
  if (def->kind == SUP_EVENT_TIME && !(def->time > 0 && isfinite(def->time)))
    return SUP_FAIL(SUP_E_ARG, "%s at %g s; the time of an event must be above 0", what, def->time);
  if (!isfinite(def->value) || !(def->duration >= 0 && isfinite(def->duration)))
    return SUP_FAIL(SUP_E_ARG,
                    "%s when '%s' is beyond %g for %g s; both must be finite and the duration "
                    "not negative",
                    what, def->column, def->value, def->duration);
  return SUP_OK;
}

static sup_status add_event(sup_model *model, const sup_event_def *def, int after, const char *what,
                            int *index) {
  *index = SUP_NONE;
  if (def->kind == SUP_EVENT_NONE) return SUP_OK;
  SUP_TRY(sup_model_blame(def->file, def->line, def->place, check_event(def, what)));
  SUP_TRY(SUP_GROW(model->event, model->event_capacity, model->num_events + 1));
  sup_event *event = &model->event[ *index = model->num_events++];
  *event = (sup_event){.def = *def, .after = after, .task = SUP_NONE};
  snprintf(event->what, sizeof event->what, "%s", what);
  return SUP_OK;
}

sup_status sup_model_add_events(sup_model *model, const sup_event_def *from,
                                const sup_event_def *until, const char *of, int *begins,
                                int *ends) {
  char what[3 * SUP_NAME_MAX];
  snprintf(what, sizeof what, "%s begins", of);
  SUP_TRY(add_event(model, from, SUP_NONE, what, begins));
  snprintf(what, sizeof what, "%s ends", of);
  SUP_TRY(add_event(model, until, *begins, what, ends));
  if (model->ranks && (*begins != SUP_NONE || *ends != SUP_NONE))
    return SUP_FAIL(SUP_E_ARG, "%s by an event, which several ranks do not take; run one", what);
  if (until->kind == SUP_EVENT_TIME && from->kind == SUP_EVENT_TIME && until->time <= from->time)
    return SUP_FAIL(SUP_E_ARG, "%s at %g s, but begins at %g s; the end must be later", what,
                    until->time, from->time);
  return SUP_OK;
}

sup_status sup_event_blame(const sup_event *event, sup_status status) {
  return sup_model_blame(event->def.file, event->def.line, event->def.place, status);
}

int sup_soft_held_axes(const sup_soft *soft, const sup_event_state *event) {
  int axes = 0;
  for (int k = 0; k < soft->num_dirichlet; k++)
    if (sup_hold_is_active(&soft->dirichlet[k], event)) axes |= soft->dirichlet[k].held;
  return axes;
}

void sup_soft_active_holders(const sup_soft *soft, const sup_event_state *event, int *holder) {
  for (int a = 0; a < 3 * soft->num_vertices; a++) {
    int k = soft->holder[a];
    holder[a] = k != SUP_NONE && !sup_hold_has_event(&soft->dirichlet[k]) ? k : SUP_NONE;
  }
  for (int k = 0; k < soft->num_dirichlet; k++) {
    const sup_dirichlet *hold = &soft->dirichlet[k];
    if (!sup_hold_has_event(hold) || !sup_hold_is_active(hold, event)) continue;
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      if (holder[a] == SUP_NONE && hold->axes[a / 3] >> a % 3 & 1) holder[a] = k;
  }
}

sup_status sup_model_refuse_events(const sup_model *model, const char *user) {
  if (model->num_tasks > 0)
    return SUP_FAIL(SUP_E_ARG, "%s: task '%s', for which it is not made; leave it out", user,
                    model->task[0].name);
  if (model->num_events == 0) return SUP_OK;
  const sup_event *event = &model->event[0];
  return sup_event_blame(
      event, SUP_FAIL(SUP_E_ARG, "%s: %s by an event, for which it is not made; leave it out", user,
                      event->what));
}

/* ---- clamps and holds ------------------------------------------------------------------------ */

static sup_status check_motion(const sup_dirichlet_def *def, const char *body) {
  const sup_table *motion = &def->motion;
  if (def->axes < 1 || def->axes > SUP_AXIS_ALL)
    return SUP_FAIL(SUP_E_ARG, "soft body '%s': a hold needs one of the axes x, y, z at least",
                    body);
  if (motion->num_rows > 0 && motion->width != 6)
    return SUP_FAIL(
        SUP_E_ARG,
        "soft body '%s': the motion of a hold has %d values a row; it must have x y z rx ry rz",
        body, motion->width);
  for (int i = 0; i < motion->num_rows * motion->width; i++)
    if (!isfinite(motion->value[i]))
      return SUP_FAIL(SUP_E_ARG,
                      "soft body '%s': the motion of a hold has a number that is not finite", body);
  return SUP_OK;
}

/** Largest distance along an axis between the positions that two holds prescribe for a point, over
 * all times of both tables and, of different interpolations, some between. */
static double disagreement(const sup_dirichlet *a, const sup_dirichlet *b, const double *rest,
                           int axis) {
  const sup_table *table[2] = {&a->motion, &b->motion};
  double           most = 0, pa[3], pb[3];
  bool             is_alike = a->motion.interpolation == b->motion.interpolation;
  for (int k = 0; k < 2; k++)
    for (int r = 0; r < 2 * table[k]->num_rows; r++) {
      const double *t = &table[k]->time[r / 2];
      if (r % 2 && (is_alike || r / 2 + 1 == table[k]->num_rows)) continue;
      double at = r % 2 ? 0.75 * t[0] + 0.25 * t[1] : t[0];
      sup_v3_store(pa, sup_dirichlet_position(a, &a->motion, sup_v3_load(rest), at));
      sup_v3_store(pb, sup_dirichlet_position(b, &b->motion, sup_v3_load(rest), at));
      most = fmax(most, fabs(pa[axis] - pb[axis]));
    }
  return most;
}

/** Hold k has its selected components, except those of earlier holds; those of holds with events
 * are not at all times theirs. */
static sup_status take(sup_soft *soft, int k, int axes, const unsigned char *selected,
                       double size) {
  bool has_event = sup_hold_has_event(&soft->dirichlet[k]);
  for (int i = 0; i < 3 * soft->num_vertices; i++) {
    int axis = i % 3, *holder = &soft->holder[i];
    if (!selected[i / 3] || !(axes & (1 << axis))) continue;
    if (*holder == SUP_NONE || (!has_event && sup_hold_has_event(&soft->dirichlet[*holder]))) {
      *holder = k;
      continue;
    }
    if (has_event || sup_hold_has_event(&soft->dirichlet[*holder])) continue;
    const double *rest = soft->x0 + i - axis;
    double        most = disagreement(&soft->dirichlet[*holder], &soft->dirichlet[k], rest, axis);
    if (most > 1e-9 * size)
      return SUP_FAIL(SUP_E_ARG,
                      "soft body '%s': the holds '%s' and '%s' prescribe two positions of the "
                      "vertex at (%g %g %g) m along %c, %g m apart; leave the vertex out of one "
                      "region, or give both holds the same motion",
                      soft->name, soft->dirichlet[*holder].name, soft->dirichlet[k].name, rest[0],
                      rest[1], rest[2], "xyz"[axis], most);
  }
  return SUP_OK;
}

/** Mean of the selected vertices at rest. */
static sup_v3 centroid(const sup_soft *soft, const unsigned char *selected) {
  sup_v3 sum = {0, 0, 0};
  int    count = 0;
  for (int i = 0; i < soft->num_vertices; i++)
    if (selected[i]) sum = sup_v3_add(sum, sup_v3_load(soft->x0 + 3 * i)), count++;
  return sup_v3_scale(1. / count, sum);
}

/** 1: a region is a side or a hole of a drawing, and no hold before k has its name. */
static bool is_new_side(const sup_soft *soft, int k, const sup_region *region) {
  bool is_side = region->type == SUP_REGION_NAMED &&
                 (strncmp(region->name, "side_", 5) == 0 || strncmp(region->name, "hole_", 5) == 0);
  for (int j = 0; j < k; j++) is_side &= strcmp(soft->dirichlet[j].name, region->name) != 0;
  return is_side;
}

/** Set the name of hold k: the given one, that of its side of a drawing, or its number. */
static sup_status name_hold(const sup_soft *soft, int k, const sup_dirichlet_def *def) {
  sup_dirichlet *dirichlet = &soft->dirichlet[k];
  const char    *name = def->name[0] ? def->name : def->region.name;
  if (def->name[0] || is_new_side(soft, k, &def->region))
    snprintf(dirichlet->name, sizeof dirichlet->name, "%s", name);
  else
    snprintf(dirichlet->name, sizeof dirichlet->name, "%d", k);
  for (int j = 0; j < k; j++)
    if (strcmp(soft->dirichlet[j].name, dirichlet->name) == 0)
      return SUP_FAIL(SUP_E_ARG, "soft body '%s' has two holds with the name '%s'", soft->name,
                      dirichlet->name);
  return SUP_OK;
}

/** Events by which hold k begins and ends, and the components that it then has. */
static sup_status add_events(sup_model *model, sup_soft *soft, int k, const sup_dirichlet_def *def,
                             const unsigned char *selected) {
  sup_dirichlet *hold = &soft->dirichlet[k];
  char           what[2 * SUP_NAME_MAX + 16];
  snprintf(what, sizeof what, "hold '%s' of '%s'", hold->name, soft->name);
  SUP_TRY(sup_model_add_events(model, &def->from, &def->until, what, &hold->from, &hold->until));
  if (!sup_hold_has_event(hold)) return SUP_OK;
  SUP_TRY(SUP_CALLOC(hold->axes, soft->num_vertices));
  for (int a = 0; a < soft->num_vertices; a++)
    hold->axes[a] = (unsigned char)(selected[a] ? def->axes : 0);
  return SUP_OK;
}

static sup_status add_dirichlet(sup_model *model, sup_soft *soft, const sup_mesh *mesh,
                                const sup_dirichlet_def *def, const char *what,
                                unsigned char *selected) {
  int    k = soft->num_dirichlet++;
  sup_v3 lower, upper;
  SUP_TRY(check_motion(def, soft->name));
  SUP_TRY(name_hold(soft, k, def));
  soft->dirichlet[k].held = def->axes;
  memset(selected, 0, (size_t)soft->num_vertices);
  SUP_TRY(sup_model_select_region(mesh, &def->region, soft->name, what, 1, selected));
  SUP_TRY(sup_table_copy(&soft->dirichlet[k].motion, &def->motion));
  SUP_TRY(add_events(model, soft, k, def, selected));
  soft->dirichlet[k].about = def->has_about ? sup_frame_apply(&soft->X_WM, sup_v3_load(def->about))
                                            : centroid(soft, selected);
  sup_mesh_bounds(mesh, &lower, &upper);
  SUP_TRY(take(soft, k, def->axes, selected, sup_v3_norm(sup_v3_sub(upper, lower))));
  return SUP_OK;
}

/** Prefix a failure's message with the place of the hold in its file. */
static sup_status blame(const sup_dirichlet_def *def, sup_status status) {
  return sup_model_blame(def->file, def->line, def->column, status);
}

/** Remove the unknowns of vertices always held along all axes, also of attached ones.
 *  @param[out] culprit hold that fixes an attached vertex along some axes only; clamps, which fix
 * all, are counted first
 */
static sup_status mark_held(sup_soft *soft, int *culprit) {
  for (int i = 0; i < soft->num_vertices; i++) {
    int  count = 0;
    bool has_event = false;
    for (int c = 0; c < 3; c++)
      if (soft->holder[3 * i + c] != SUP_NONE) {
        count++, *culprit = soft->holder[3 * i + c];
        has_event = has_event || sup_hold_has_event(&soft->dirichlet[*culprit]);
      }
    if (has_event && soft->kind[i] == SUP_VERTEX_ATTACHED)
      return SUP_FAIL(
          SUP_E_ARG,
          "soft body '%s': the vertex at (%g %g %g) m is attached to a link and in a "
          "hold that begins or ends by an event; leave it out of one of the two regions",
          soft->name, soft->x0[3 * i], soft->x0[3 * i + 1], soft->x0[3 * i + 2]);
    if (count == 3 && !has_event) soft->kind[i] = SUP_VERTEX_HELD;
    if (count > 0 && count < 3 && soft->kind[i] == SUP_VERTEX_ATTACHED)
      return SUP_FAIL(SUP_E_ARG,
                      "soft body '%s': the vertex at (%g %g %g) m is attached to a link and held "
                      "along %s; hold it along all axes or leave it out of one of the two regions",
                      soft->name, soft->x0[3 * i], soft->x0[3 * i + 1], soft->x0[3 * i + 2],
                      count == 1 ? "an axis" : "two axes");
  }
  return SUP_OK;
}

sup_status sup_model_build_dirichlet(sup_model *model, sup_soft *soft, const sup_soft_def *def) {
  SUP_FREED unsigned char *selected = NULL;
  int                      culprit = 0;
  SUP_TRY(SUP_CALLOC(soft->dirichlet, def->num_clamps + def->num_dirichlet));
  SUP_TRY(SUP_CALLOC(soft->holder, 3 * soft->num_vertices));
  SUP_TRY(SUP_CALLOC(selected, soft->num_vertices));
  for (int i = 0; i < 3 * soft->num_vertices; i++) soft->holder[i] = SUP_NONE;
  for (int k = 0; k < def->num_clamps; k++) {
    sup_dirichlet_def clamp = sup_default_dirichlet_def();
    clamp.region = def->clamps[k];
    SUP_TRY(add_dirichlet(model, soft, def->mesh, &clamp, "clamp", selected));
  }
  for (int k = 0; k < def->num_dirichlet; k++)
    SUP_TRY(blame(&def->dirichlet[k],
                  add_dirichlet(model, soft, def->mesh, &def->dirichlet[k], "hold", selected)));
  sup_status status = mark_held(soft, &culprit);
  if (status != SUP_OK) SUP_TRY(blame(&def->dirichlet[culprit - def->num_clamps], status));
  soft->first_dirichlet = model->num_dirichlet;
  model->num_dirichlet += soft->num_dirichlet;
  return SUP_OK;
}
