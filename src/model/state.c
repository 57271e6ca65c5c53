#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "fem/growth.h"
#include "model/anchor.h"
#include "model/cable.h"
#include "model/chamber.h"
#include "model/event.h"
#include "model/inputs.h"
#include "model/kinematics.h"
#include "model/task.h"
#include "supple/options.h"

/** Held components start with the velocity of the first step. */
static sup_status set_held_velocities(double *xdot, const sup_soft *soft,
                                      const sup_event_state *event, double dt) {
  SUP_FREED int *holder = NULL;
  SUP_TRY(SUP_CALLOC(holder, 3 * soft->num_vertices));
  sup_soft_active_holders(soft, event, holder);
  for (int i = 0; i < soft->num_vertices; i++)
    for (int c = 0; c < 3; c++) {
      int k = holder[3 * i + c];
      if (k == SUP_NONE) continue;
      sup_v3               rest = sup_v3_load(soft->x0 + 3 * i);
      const sup_dirichlet *hold = &soft->dirichlet[k];
      double               v[3];
      sup_v3_store(v, sup_v3_sub(sup_dirichlet_position(hold, &hold->motion, rest, dt),
                                 sup_dirichlet_position(hold, &hold->motion, rest, 0)));
      xdot[3 * i + c] = v[c] / dt;
    }
  return SUP_OK;
}

/** True for a body on one hub alone without a velocity of its own: it starts with the hub's. */
static bool starts_with_hub(const sup_model *model, const sup_soft *soft) {
  return soft->num_attachments == 1 && sup_attachment_on_hub(model, &soft->attachment[0]) &&
         sup_v3_norm(sup_v3_load(soft->v0)) == 0;
}

sup_status sup_state_set_attached_velocities(sup_state *state, const sup_model *model,
                                             const sup_increment *inc, bool is_start) {
  SUP_OWN(sup_arena) *arena = NULL;
  sup_kinematics      kin;
  SUP_TRY(sup_arena_create(&arena, 1 << 12));
  SUP_TRY(sup_kinematics_compute(&kin, model, inc, state->q, state->v, arena));
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft *soft = &model->soft[s];
    bool            is_carried = is_start && starts_with_hub(model, soft);
    for (int k = 0; k < soft->num_attachments; k++) {
      const sup_attachment_link *on = &soft->attachment[k];
      sup_tree_kinematics_data   part = sup_kinematics_tree(&kin, model, on->tree);
      for (int i = 0; i < soft->num_vertices; i++) {
        size_t at = 3 * (size_t)(soft->first_vertex + i);
        if (soft->attach_of[i] == k || (is_carried && soft->kind[i] == SUP_VERTEX_FREE))
          sup_v3_store(state->xdot + at,
                       sup_tree_point_velocity(&part, on->link, sup_v3_load(state->x + at)));
      }
    }
  }
  return SUP_OK;
}

void sup_state_set_loads(sup_state *state, const sup_model *model, double load) {
  for (int i = 0; i < model->num_chambers; i++) {
    sup_chamber_law law = sup_chamber_law_at(model, NULL, i, 0, load);
    if (law.fill != SUP_CHAMBER_VOLUME)
      state->chamber_pressure[i] = sup_chamber_pressure(&law, model->chamber[i].volume0);
  }
  for (int i = 0; i < model->num_cables + model->num_lines; i++) {
    const sup_cable *c = &model->cable[i];
    sup_cable_law    law = sup_cable_law_at(model, NULL, i, 0, load);
    double           stretched = c->stiffness * (c->length0 / law.rest - 1);
    double           tension = c->drive == SUP_CABLE_TENSION ? law.tension : sup_max(stretched, 0);
    for (int k = 0; k < c->num_strands; k++) {
      double stretch = c->stiffness > 0 ? 1 + tension / c->stiffness : 1;
      state->strand[c->first_strand + k] =
          (sup_strand){.tension = tension, .rest = c->segment0[k] / stretch};
    }
  }
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft *soft = &model->soft[s];
    double          share[SUP_FEM_MAX_GROWTHS];
    sup_soft_growth(soft, 0, load, share);
    sup_fem_set_growth(soft->fem, share, state->internal + soft->first_internal);
  }
}

/** No event has happened. */
static sup_status set_events(sup_state *state, const sup_model *model) {
  state->num_events = model->num_events;
  SUP_TRY(SUP_CALLOC(state->event, state->num_events));
  for (int i = 0; i < state->num_events; i++)
    state->event[i] = (sup_event_state){.since = -1, .fired = -1};
  state->num_tasks = model->num_tasks, state->num_phases = model->num_phases;
  SUP_TRY(SUP_CALLOC(state->task, state->num_tasks));
  SUP_TRY(SUP_CALLOC(state->phase_failures, state->num_phases));
  if (state->num_events > 0) SUP_TRY(SUP_CALLOC(state->hold_rest, 3 * state->num_vertices));
  for (int s = 0; s < model->num_softs && state->hold_rest; s++)
    memcpy(state->hold_rest + 3 * model->soft[s].first_vertex, model->soft[s].x0,
           3 * (size_t)model->soft[s].num_vertices * sizeof *state->hold_rest);
  return SUP_OK;
}

static sup_status fill(sup_state *state, const sup_model *model, const sup_options *options) {
  state->num_q = model->q_start[model->num_trees];
  state->num_v = model->v_start[model->num_trees];
  state->num_vertices = model->num_vertices;
  SUP_TRY(SUP_CALLOC(state->q, state->num_q));
  SUP_TRY(SUP_CALLOC(state->v, state->num_v));
  SUP_TRY(SUP_CALLOC(state->x, 3 * state->num_vertices));
  SUP_TRY(SUP_CALLOC(state->xdot, 3 * state->num_vertices));
  state->num_internal = model->num_internal;
  SUP_TRY(SUP_CALLOC(state->internal, state->num_internal));
  if (state->num_q) memcpy(state->q, model->q0, (size_t)state->num_q * sizeof *state->q);
  if (state->num_v) memcpy(state->v, model->v0, (size_t)state->num_v * sizeof *state->v);
  SUP_TRY(set_events(state, model));
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft *soft = &model->soft[s];
    double *x = state->x + 3 * soft->first_vertex, *xdot = state->xdot + 3 * soft->first_vertex;
    memcpy(x, soft->x0, 3 * (size_t)soft->num_vertices * sizeof *x);
    for (int i = 0; i < soft->num_vertices; i++)
      if (soft->kind[i] == SUP_VERTEX_FREE) memcpy(xdot + 3 * i, soft->v0, sizeof soft->v0);
    SUP_TRY(set_held_velocities(xdot, soft, state->event, options->dt));
  }
  const sup_increment first = sup_increment_of_motion(options, 0, 0);
  SUP_TRY(sup_state_set_attached_velocities(state, model, &first, true));
  for (int s = 0; s < model->num_softs; s++) sup_soft_move_tied(model, s, NULL, state->xdot);
  state->num_levers = model->num_softs > 0 ? model->num_bodies : 0;
  SUP_TRY(SUP_CALLOC(state->lever_rate, 4 * state->num_levers));
  state->num_chambers = model->num_chambers, state->num_strands = model->num_strands;
  SUP_TRY(SUP_CALLOC(state->chamber_pressure, state->num_chambers));
  SUP_TRY(SUP_CALLOC(state->strand, state->num_strands));
  sup_state_set_loads(state, model, 1);
  state->num_constraint_places = model->num_constraint_places;
  SUP_TRY(SUP_CALLOC(state->constraint_place, state->num_constraint_places));
  if (model->num_constraint_places)
    memcpy(state->constraint_place, model->constraint_place,
           (size_t)model->num_constraint_places * sizeof *state->constraint_place);
  SUP_TRY(sup_tasks_begin(model, state));
  if (!options->soft_bdf2) return SUP_OK;
  state->num_softs = model->num_softs;
  SUP_TRY(SUP_CALLOC(state->mean, 3 * state->num_vertices));
  SUP_TRY(SUP_CALLOC(state->momentum_before, 3 * state->num_vertices));
  SUP_TRY(SUP_CALLOC(state->impulse_before, 3 * state->num_vertices));
  SUP_TRY(SUP_CALLOC(state->partner, 3 * state->num_softs));
  SUP_TRY(SUP_CALLOC(state->has_history, state->num_softs));
  if (options->accuracy.tolerance > 0) SUP_TRY(SUP_CALLOC(state->past, 12 * state->num_vertices));
  return SUP_OK;
}

sup_status sup_state_create(sup_state **out, const sup_model *model, const sup_options *options) {
  SUP_OWN(sup_state) *state = NULL;
  *out = NULL;
  SUP_TRY(sup_options_check(options, model));
  SUP_TRY(SUP_CALLOC(state, 1));
  SUP_TRY(fill(state, model, options));
  *out = state;
  state = NULL;
  return SUP_OK;
}

void sup_state_destroy(sup_state **state) {
  if (!*state) return;
  SUP_FREE_ALL(&(*state)->q, &(*state)->v, &(*state)->x, &(*state)->xdot, &(*state)->internal,
               &(*state)->lever_rate, &(*state)->chamber_pressure, &(*state)->strand,
               &(*state)->event, &(*state)->task, &(*state)->phase_failures, &(*state)->task_log,
               &(*state)->hold_rest, &(*state)->constraint_place, &(*state)->mean,
               &(*state)->momentum_before, &(*state)->impulse_before, &(*state)->partner,
               &(*state)->path, &(*state)->past, &(*state)->has_history, &(*state)->known,
               &(*state)->anchor);
  if ((*state)->kept_matrix) sup_kept_matrix_free((*state)->kept_matrix);
  SUP_FREE((*state)->kept_matrix);
  sup_inputs_destroy(&(*state)->inputs);
  SUP_FREE(*state);
}

void sup_state_forget_history(sup_state *state) {
  state->num_known = state->num_anchors = 0;
  if (state->kept_matrix) sup_kept_matrix_forget(state->kept_matrix);
  state->control = (sup_step_control){0};
  state->mean_step = 0;
  memset(state->path_step, 0, sizeof state->path_step);
  memset(state->past_step, 0, sizeof state->past_step);
  if (state->num_softs) memset(state->has_history, 0, (size_t)state->num_softs);
  if (state->num_levers)
    memset(state->lever_rate, 0, 4 * (size_t)state->num_levers * sizeof *state->lever_rate);
}

sup_status sup_state_need_path(sup_state *state) {
  if (!state->path) SUP_TRY(SUP_CALLOC(state->path, 6 * state->num_vertices));
  return SUP_OK;
}

sup_status sup_state_keep_matrix(sup_state *state) {
  if (!state->kept_matrix) SUP_TRY(SUP_CALLOC(state->kept_matrix, 1));
  return SUP_OK;
}

static sup_status copy_kept_matrix(sup_state *to, const sup_state *from) {
  if (!from->kept_matrix) {
    if (to->kept_matrix) sup_kept_matrix_forget(to->kept_matrix);
    return SUP_OK;
  }
  SUP_TRY(sup_state_keep_matrix(to));
  return sup_kept_matrix_copy(to->kept_matrix, from->kept_matrix);
}

static sup_status copy_path(sup_state *to, const sup_state *from) {
  memcpy(to->path_step, from->path_step, sizeof to->path_step);
  if (!from->path) return SUP_OK;
  SUP_TRY(sup_state_need_path(to));
  memcpy(to->path, from->path, 6 * (size_t)to->num_vertices * sizeof *to->path);
  return SUP_OK;
}

sup_status sup_state_copy(sup_state *to, const sup_state *from) {
  if (to->num_q != from->num_q || to->num_v != from->num_v ||
      to->num_vertices != from->num_vertices || to->num_softs != from->num_softs ||
      to->num_levers != from->num_levers || to->num_chambers != from->num_chambers ||
      to->num_events != from->num_events || to->num_phases != from->num_phases ||
      to->num_strands != from->num_strands || to->num_internal != from->num_internal ||
      to->num_constraint_places != from->num_constraint_places)
    return SUP_FAIL(SUP_E_ARG, "the two states belong to different models");
  SUP_TRY(sup_inputs_copy(&to->inputs, from->inputs));
  if (from->num_known > 0) {
    SUP_TRY(SUP_GROW(to->known, to->known_capacity, from->num_known));
    memcpy(to->known, from->known, (size_t)from->num_known * sizeof *to->known);
  }
  to->num_known = from->num_known;
  SUP_TRY(SUP_GROW(to->task_log, to->task_log_capacity, from->num_task_log));
  to->num_task_log = from->num_task_log;
  if (to->num_task_log)
    memcpy(to->task_log, from->task_log, (size_t)to->num_task_log * sizeof *to->task_log);
  SUP_TRY(SUP_GROW(to->anchor, to->anchor_capacity, from->num_anchors));
  to->num_anchors = from->num_anchors;
  if (to->num_anchors)
    memcpy(to->anchor, from->anchor, (size_t)to->num_anchors * sizeof *to->anchor);
  SUP_TRY(copy_path(to, from));
  SUP_TRY(copy_kept_matrix(to, from));
  to->time = from->time;
  to->step = from->step;
  to->load_step = from->load_step;
  to->control = from->control;
  if (to->num_q) memcpy(to->q, from->q, (size_t)to->num_q * sizeof *to->q);
  if (to->num_v) memcpy(to->v, from->v, (size_t)to->num_v * sizeof *to->v);
  size_t bytes = 3 * (size_t)to->num_vertices * sizeof *to->x;
  if (bytes) memcpy(to->x, from->x, bytes), memcpy(to->xdot, from->xdot, bytes);
  if (to->num_internal)
    memcpy(to->internal, from->internal, to->num_internal * sizeof *to->internal);
  if (to->num_levers)
    memcpy(to->lever_rate, from->lever_rate, 4 * (size_t)to->num_levers * sizeof *to->lever_rate);
  if (to->num_chambers)
    memcpy(to->chamber_pressure, from->chamber_pressure,
           (size_t)to->num_chambers * sizeof *to->chamber_pressure);
  if (to->num_strands)
    memcpy(to->strand, from->strand, (size_t)to->num_strands * sizeof *to->strand);
  if (to->num_constraint_places)
    memcpy(to->constraint_place, from->constraint_place,
           (size_t)to->num_constraint_places * sizeof *to->constraint_place);
  if (to->num_tasks) {
    memcpy(to->task, from->task, (size_t)to->num_tasks * sizeof *to->task);
    memcpy(to->phase_failures, from->phase_failures,
           (size_t)to->num_phases * sizeof *to->phase_failures);
  }
  if (to->num_events) {
    memcpy(to->event, from->event, (size_t)to->num_events * sizeof *to->event);
    memcpy(to->hold_rest, from->hold_rest, 3 * (size_t)to->num_vertices * sizeof *to->hold_rest);
  }
  if (to->num_softs == 0) return SUP_OK;
  memcpy(to->mean, from->mean, bytes), memcpy(to->momentum_before, from->momentum_before, bytes);
  memcpy(to->impulse_before, from->impulse_before, bytes);
  memcpy(to->partner, from->partner, 3 * (size_t)to->num_softs * sizeof *to->partner);
  memcpy(to->has_history, from->has_history, (size_t)to->num_softs);
  to->mean_step = from->mean_step;
  if (!to->past || !from->past) return SUP_OK;
  memcpy(to->past, from->past, 4 * bytes);
  memcpy(to->past_step, from->past_step, sizeof to->past_step);
  return SUP_OK;
}

double sup_state_time(const sup_state *state) { return state->time; }

uint64_t sup_state_hash(const sup_state *state) {
  uint64_t hash = sup_hash_begin();
  hash = sup_hash_bytes(hash, state->q, (size_t)state->num_q * sizeof *state->q);
  hash = sup_hash_bytes(hash, state->v, (size_t)state->num_v * sizeof *state->v);
  hash = sup_hash_bytes(hash, state->x, 3 * (size_t)state->num_vertices * sizeof *state->x);
  hash = sup_hash_bytes(hash, state->xdot, 3 * (size_t)state->num_vertices * sizeof *state->xdot);
  hash = sup_hash_bytes(hash, state->internal, state->num_internal * sizeof *state->internal);
  hash = sup_hash_bytes(hash, state->anchor, (size_t)state->num_anchors * sizeof *state->anchor);
  hash = sup_hash_bytes(hash, state->lever_rate,
                        4 * (size_t)state->num_levers * sizeof *state->lever_rate);
  hash = sup_hash_bytes(hash, state->chamber_pressure,
                        (size_t)state->num_chambers * sizeof *state->chamber_pressure);
  hash = sup_hash_bytes(hash, state->strand, (size_t)state->num_strands * sizeof *state->strand);
  hash = sup_hash_bytes(hash, state->event, (size_t)state->num_events * sizeof *state->event);
  hash = sup_hash_bytes(hash, state->task, (size_t)state->num_tasks * sizeof *state->task);
  hash = sup_hash_bytes(hash, state->constraint_place,
                        (size_t)state->num_constraint_places * sizeof *state->constraint_place);
  if (state->num_softs == 0) return hash;
  hash = sup_hash_bytes(hash, state->mean, 3 * (size_t)state->num_vertices * sizeof *state->mean);
  hash = sup_hash_bytes(hash, state->momentum_before,
                        3 * (size_t)state->num_vertices * sizeof *state->momentum_before);
  return sup_hash_bytes(hash, state->has_history, (size_t)state->num_softs);
}
