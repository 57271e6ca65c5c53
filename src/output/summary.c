#include "output/summary.h"

#include <math.h>

#include "base/timer.h"
#include "output/json.h"

const char *sup_outcome_text(sup_outcome outcome) {
  switch (outcome) {
    case SUP_OUTCOME_COMPLETED:
      return "completed";
    case SUP_OUTCOME_FAILED:
      return "failed";
    case SUP_OUTCOME_INTERRUPTED:
      return "interrupted";
  }
  return "failed";
}

/** Unknowns: joint velocities and the coordinates of free vertices. */
static void put_dofs(sup_json *json, const sup_model *model) {
  long rigid = model->v_start[model->num_trees], fem = 0;
  for (int s = 0; s < model->num_softs; s++)
    for (int i = 0; i < model->soft[s].num_vertices; i++)
      if (model->soft[s].kind[i] == SUP_VERTEX_FREE) fem += 3;
  sup_json_begin_object(json, "dofs");
  sup_json_integer(json, "total", rigid + fem);
  sup_json_integer(json, "fem", fem);
  sup_json_integer(json, "rigid", rigid);
  sup_json_end(json);
}

/** Names in the order of the ids in VTK files. */
static void put_bodies(sup_json *json, const sup_model *model) {
  sup_json_begin_array(json, "bodies");
  for (int b = 0; b < model->num_bodies; b++) sup_json_text(json, NULL, model->body[b].name);
  sup_json_end(json);
}

static void put_wall(sup_json *json, const sup_statistics *statistics,
                     const sup_step_seconds *step) {
  sup_json_begin_object(json, "wall");
  sup_json_number(json, "total", sup_wall_time() - statistics->wall_start);
  sup_json_number(json, "step_mean_ms", 1e3 * step->mean);
  sup_json_number(json, "step_median_ms", 1e3 * step->median);
  sup_json_number(json, "step_max_ms", 1e3 * step->max);
  sup_json_begin_object(json, "phases");
  for (int i = 0; i < SUP_NUM_PHASES; i++)
    sup_json_number(json, sup_phase_name(i), statistics->phase[i]);
  sup_json_number(json, "output", statistics->wall_output);
  sup_json_end(json);
  sup_json_end(json);
}

static void put_mean_and_max(sup_json *json, const char *key, long sum, long steps, int max) {
  sup_json_begin_object(json, key);
  sup_json_number(json, "mean", steps > 0 ? (double)sum / (double)steps : 0);
  sup_json_integer(json, "max", max);
  sup_json_end(json);
}

/** What the scene asked the steps to measure. */
static void put_certificate(sup_json *json, const sup_options *options,
                            const sup_statistics *statistics) {
  if (options->certificate) {
    sup_json_number(json, "ncp_primal_max", statistics->ncp_primal_max);
    sup_json_number(json, "ncp_dual_max", statistics->ncp_dual_max);
    sup_json_number(json, "ncp_complementarity_max", statistics->ncp_complementarity_max);
    sup_json_number(json, "friction_lag_max", statistics->friction_lag_max);
    sup_json_number(json, "stick_speed_max", statistics->stick_speed_max);
    sup_json_number(json, "friction_work_max", statistics->friction_work_max);
  }
  if (options->report_condition) sup_json_number(json, "condition_max", statistics->condition_max);
}

/** Pieces of pressure fields that gave no contact, over all steps. */
static void put_discarded(sup_json *json, const sup_statistics *statistics) {
  sup_json_begin_object(json, "discarded_patches");
  sup_json_integer(json, "small", statistics->discarded_small);
  sup_json_integer(json, "backward", statistics->discarded_backward);
  sup_json_integer(json, "inverted", statistics->discarded_inverted);
  sup_json_integer(json, "silent_steps", statistics->silent.steps);
  sup_json_integer(json, "passed_steps", statistics->passed.steps);
  sup_json_end(json);
}

/** Of each pair with a soft body that pressed: contact layers, pressure field over the bodies' own
 * deflection. */
static void put_softening(sup_json *json, const sup_statistics *statistics) {
  const sup_observation *obs = statistics->obs;
  for (int field = 0; field < 2; field++) {
    sup_json_begin_object(json, field ? "field_softening" : "series_softening");
    for (int i = 0; i < obs->num_pairs; i++) {
      const sup_softening *s = &statistics->softening[i];
      char                 name[5 * SUP_NAME_MAX];
      double               depth = field ? s->field : s->layer;
      if (!(depth > 0)) continue;
      snprintf(name, sizeof name, "%s.%s", obs->model->body[obs->pair[i].a].name,
               obs->model->body[obs->pair[i].b].name);
      sup_json_number(json, name, sup_softening_share(depth, s));
    }
    sup_json_end(json);
  }
}

/** Of each soft body, as it is observed now. */
static void put_stress(sup_json *json, const sup_observation *obs) {
  sup_json_begin_object(json, "stress");
  for (int s = 0; s < obs->model->num_softs; s++) {
    sup_json_begin_object(json, obs->model->soft[s].name);
    sup_json_number(json, "von_mises_max", obs->soft[s].von_mises_max);
    sup_json_number(json, "von_mises_p99", obs->soft[s].von_mises_p99);
    sup_json_number(json, "stress_error", obs->soft[s].stress_error);
    sup_json_integer(json, "vertices_without_fit", sup_recovery_num_means(obs->recovery[s]));
    sup_json_end(json);
  }
  sup_json_end(json);
}

/** Energy of the soft bodies that the time scheme and damping took. */
static void put_account(sup_json *json, const sup_soft_account *account) {
  sup_json_begin_object(json, "soft_energy");
  sup_json_number(json, "put_in", account->most);
  sup_json_number(json, "damping", account->damping);
  sup_json_number(json, "numerical_dissipation", account->numerical);
  sup_json_end(json);
}

/** Angular momentum of each free soft body that the time scheme took. */
static void put_spin(sup_json *json, const sup_statistics *statistics) {
  const sup_model *model = statistics->model;
  sup_json_begin_object(json, "angular_momentum_loss");
  for (int i = 0; i < model->num_softs; i++) {
    const sup_spin_account *account = &statistics->spin[i];
    if (!(account->most > 0)) continue;
    sup_json_begin_object(json, model->soft[i].name);
    sup_json_number(json, "taken", sup_v3_norm(account->taken));
    sup_json_number(json, "most", account->most);
    sup_json_number(json, "share", sup_spin_share(account));
    sup_json_end(json);
  }
  sup_json_end(json);
}

/** A body, a pair of bodies, or null: nobody. */
static void put_bodies_of(sup_json *json, const sup_verdict *v) {
  if (v->body[1][0]) {
    sup_json_text(json, "body", NULL);
    sup_json_begin_array(json, "pair");
    for (int k = 0; k < 2; k++) sup_json_text(json, NULL, v->body[k]);
    sup_json_end(json);
  } else {
    sup_json_text(json, "body", v->body[0][0] ? v->body[0] : NULL);
    sup_json_text(json, "pair", NULL);
  }
}

/** Verdicts that are not PASS, those of the terminal. */
static void put_warnings(sup_json *json, const sup_verdicts *verdicts) {
  sup_json_begin_array(json, "warnings");
  for (int i = 0; i < verdicts->count; i++) {
    const sup_verdict *v = &verdicts->list[i];
    if (v->severity == SUP_SEVERITY_PASS) continue;
    sup_json_begin_object(json, NULL);
    sup_json_text(json, "name", v->name);
    sup_json_text(json, "level", sup_severity_text(v->severity));
    sup_json_text(json, "text", v->text);
    put_bodies_of(json, v);
    sup_json_number(json, "time", v->time);
    sup_json_number(json, "value", v->value);
    sup_json_number(json, "limit", sup_verdict_limit(v));
    sup_json_text(json, "unit", v->unit);
    sup_json_text(json, "remedy", v->remedy);
    sup_json_end(json);
  }
  sup_json_end(json);
}

sup_status sup_summary_write(const char *path, const sup_summary *summary,
                             const sup_statistics *statistics) {
  sup_json         json;
  sup_step_seconds step;
  SUP_TRY(sup_statistics_seconds(statistics, &step));
  SUP_TRY(sup_json_open(&json, path));
  sup_json_begin_object(&json, NULL);
  sup_json_text(&json, "title", summary->title);
  sup_json_text(&json, "status", sup_outcome_text(summary->outcome));
  sup_json_text(&json, "message", summary->message);
  sup_json_integer(&json, "steps", statistics->steps);
  sup_json_integer(&json, "frames", statistics->frames);
  sup_json_number(&json, "time", summary->state->time);
  sup_json_number(&json, "step_size", statistics->obs->options.dt);
  put_bodies(&json, summary->model);
  put_dofs(&json, summary->model);
  put_wall(&json, statistics, &step);
  put_mean_and_max(&json, "newton", statistics->newton_sum, statistics->steps,
                   statistics->newton_max);
  put_mean_and_max(&json, "newton_all_islands", statistics->all_newton_sum, statistics->steps,
                   statistics->all_newton_max);
  put_mean_and_max(&json, "islands", statistics->islands_sum, statistics->steps,
                   statistics->islands_max);
  sup_json_integer(&json, "analyses", statistics->analyses);
  put_mean_and_max(&json, "contacts", statistics->contacts_sum, statistics->steps,
                   statistics->contacts_max);
  sup_json_number(&json, "momentum_error_max", statistics->momentum_error_max);
  sup_json_integer(&json, "round_off_steps", statistics->rounded);
  sup_json_number(&json, "round_off_error_max", statistics->rounded_error_max);
  sup_json_number(&json, "island_error_max", statistics->island_error_max);
  sup_json_number(&json, "round_off_max", statistics->round_off_max);
  sup_json_number(&json, "momentum_residual_max", statistics->momentum_residual_max);
  sup_json_number(&json, "penetration_max",
                  fmax(statistics->penetration_max, statistics->penetration.depth_max));
  put_certificate(&json, &statistics->obs->options, statistics);
  sup_json_integer(&json, "inverted_elements_max", statistics->inverted_max);
  put_discarded(&json, statistics);
  put_softening(&json, statistics);
  put_stress(&json, statistics->obs);
  sup_json_number(&json, "energy_final", statistics->energy_last);
  if (summary->model->num_softs > 0) {
    put_account(&json, &statistics->account);
    if (!statistics->is_static) put_spin(&json, statistics);
  }
  if (statistics->obs->options.soft_bdf2)
    sup_json_integer(&json, "impact_steps", statistics->impacts);
  sup_json_integer(&json, "steps_not_converged", statistics->not_converged);
  sup_json_integer(&json, "nonfinite_numbers", statistics->nonfinite);
  sup_json_hash(&json, "state_hash", sup_state_hash(summary->state));
  put_warnings(&json, summary->verdicts);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}
