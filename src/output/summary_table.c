/* The entries of summary.json, a row each. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/timer.h"
#include "la/linear_solver.h"
#include "output/summary.h"
#include "solve/solver.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* A member of a struct that a source returns, as sup_summary_entry.from and what follows it. */
#define KIND(value) \
  _Generic((value),           \
      int: SUP_SUMMARY_INT,   \
      long: SUP_SUMMARY_LONG, \
      double: SUP_SUMMARY_DOUBLE, char *: SUP_SUMMARY_ARRAY, const char *: SUP_SUMMARY_TEXT)
#define FROM(source, type, member) \
  .from = source, .offset = offsetof(type, member), .kind = KIND(((type *)0)->member)
#define SUMMARY(member) FROM(summary_of, sup_summary, member)
#define STATISTIC(member) FROM(statistics_of, sup_statistics, member)
#define BODY(member) FROM(body_of, sup_soft_sum, member)
#define VERDICT(member) FROM(verdict_of, sup_verdict, member)

/* Functions that write a member which is derived: a number, an integer, a text. */
#define NUMBER(function, value)                                                  \
  static void function(sup_json *json, const char *key, const sup_summary *of) { \
    sup_json_number(json, key, value);                                           \
  }
#define INTEGER(function, value)                                                 \
  static void function(sup_json *json, const char *key, const sup_summary *of) { \
    sup_json_integer(json, key, value);                                          \
  }
#define TEXT(function, value)                                                    \
  static void function(sup_json *json, const char *key, const sup_summary *of) { \
    sup_json_text(json, key, value);                                             \
  }

/* ---- the run --------------------------------------------------------------------------------- */

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

static const void      *summary_of(const sup_summary *of) { return of; }
static const void      *statistics_of(const sup_summary *of) { return of->statistics; }
static const sup_model *model_of(const sup_summary *of) { return of->statistics->model; }

TEXT(status, sup_outcome_text(of->outcome))
NUMBER(time_reached, of->state->time)
NUMBER(step_size, of->statistics->obs->options.dt)

static void bodies(sup_json *json, const char *key, const sup_summary *of) {
  const sup_model *model = model_of(of);
  sup_json_begin_array(json, key);
  for (int b = 0; b < model->num_bodies; b++) sup_json_text(json, NULL, model->body[b].name);
  sup_json_end(json);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static long rigid_unknowns(const sup_model *model) { return model->v_start[model->num_trees]; }

static long fem_unknowns(const sup_model *model) {
  long sum = 0;
  for (int s = 0; s < model->num_softs; s++)
    for (int i = 0; i < model->soft[s].num_vertices; i++)
      if (model->soft[s].kind[i] == SUP_VERTEX_FREE) sum += 3;
  return sum;
}

INTEGER(dofs_total, rigid_unknowns(model_of(of)) + fem_unknowns(model_of(of)))
INTEGER(dofs_fem, fem_unknowns(model_of(of)))
INTEGER(dofs_rigid, rigid_unknowns(model_of(of)))

/* ---- wall time ------------------------------------------------------------------------------- */

NUMBER(wall_total, sup_wall_time() - of->statistics->wall_start)
NUMBER(step_mean, 1e3 * of->step.mean)
NUMBER(step_median, 1e3 * of->step.median)
NUMBER(step_max, 1e3 * of->step.max)
NUMBER(phase, of->statistics->phase[of->index])

static int num_phases(const sup_summary *of) { return of ? SUP_NUM_PHASES : 0; }

static int phase_name(const sup_summary *of, int i, char *text) {
  (void)of;
  snprintf(text, SUP_SUMMARY_NAME, "%s", sup_phase_name(i));
  return 1;
}

/* ---- the solver and contacts, besides statistics of observables ------------------------------ */

NUMBER(penetration, fmax(sup_statistics_of(of->statistics, "penetration")->max,
                         of->statistics->penetration.depth_max))

static bool iterates(const sup_summary *of) {
  return sup_backend_iterates(of->statistics->obs->options.backend);
}

static bool has_law(const sup_summary *of) {
  return sup_contact_solver_table(of->statistics->obs->options.contact_solver)
      ->iterates_on_impulses;
}

static bool has_accuracy(const sup_summary *of) {
  return of->statistics->obs->options.accuracy.tolerance > 0;
}

static bool has_bdf2(const sup_summary *of) { return of->statistics->obs->options.soft_bdf2; }

static void state_hash(sup_json *json, const char *key, const sup_summary *of) {
  sup_json_hash(json, key, sup_state_hash(of->state));
}

/* ---- softening of contacts, pairs of bodies -------------------------------------------------- */

static int num_pairs(const sup_summary *of) { return of->statistics->obs->num_pairs; }

static int pair_name(const sup_summary *of, int i, double depth, char *text) {
  const sup_observation *obs = of->statistics->obs;
  snprintf(text, SUP_SUMMARY_NAME, "%s.%s", obs->model->body[obs->pair[i].a].name,
           obs->model->body[obs->pair[i].b].name);
  return depth > 0;
}

static int layer_name(const sup_summary *of, int i, char *text) {
  return pair_name(of, i, of->statistics->softening[i].layer, text);
}

static int field_name(const sup_summary *of, int i, char *text) {
  return pair_name(of, i, of->statistics->softening[i].field, text);
}

static double layer_share(const sup_softening *s) { return sup_softening_share(s->layer, s); }
static double field_share(const sup_softening *s) { return sup_softening_share(s->field, s); }
NUMBER(series_softening, layer_share(&of->statistics->softening[of->index]))
NUMBER(field_softening, field_share(&of->statistics->softening[of->index]))

/* ---- soft bodies ----------------------------------------------------------------------------- */

static int num_softs(const sup_summary *of) { return model_of(of)->num_softs; }

static int soft_name(const sup_summary *of, int i, char *text) {
  snprintf(text, SUP_SUMMARY_NAME, "%s", model_of(of)->soft[i].name);
  return 1;
}

static int spin_name(const sup_summary *of, int i, char *text) {
  return of->statistics->spin[i].most > 0 && soft_name(of, i, text);
}

static bool has_softs(const sup_summary *of) { return num_softs(of) > 0; }

static bool has_viscoelastic(const sup_summary *of) {
  return has_softs(of) && of->statistics->obs->model->num_internal > 0;
}

static bool has_moving_softs(const sup_summary *of) {
  return has_softs(of) && !of->statistics->is_static;
}

static const void *body_of(const sup_summary *of) { return &of->statistics->obs->soft[of->index]; }

INTEGER(without_fit, sup_recovery_num_means(of->statistics->obs->recovery[of->index]))
NUMBER(spin_taken, sup_v3_norm(of->statistics->spin[of->index].taken))
NUMBER(spin_most, of->statistics->spin[of->index].most)
NUMBER(spin_share, sup_spin_share(&of->statistics->spin[of->index]))

/* ---- warnings: verdicts that are not PASS, those of the terminal ----------------------------- */

static int num_verdicts(const sup_summary *of) { return of->verdicts->count; }

static int is_warning(const sup_summary *of, int i, char *text) {
  (void)text;
  return of->verdicts->list[i].severity != SUP_SEVERITY_PASS;
}

static const void *verdict_of(const sup_summary *of) { return &of->verdicts->list[of->index]; }

/** The only body, or NULL. */
static const char *only_body(const sup_verdict *v) {
  return v->body[0][0] && !v->body[1][0] ? v->body[0] : NULL;
}

TEXT(warning_level, sup_severity_text(((const sup_verdict *)verdict_of(of))->severity))
TEXT(warning_body, only_body(verdict_of(of)))
NUMBER(warning_limit, sup_verdict_limit(verdict_of(of)))

static void warning_pair(sup_json *json, const char *key, const sup_summary *of) {
  const sup_verdict *v = verdict_of(of);
  if (!v->body[1][0]) {
    sup_json_text(json, key, NULL);
    return;
  }
  sup_json_begin_array(json, key);
  for (int k = 0; k < 2; k++) sup_json_text(json, NULL, v->body[k]);
  sup_json_end(json);
}

/* ---- the tables ------------------------------------------------------------------------------ */

static const sup_summary_list lists[] = {{"wall.phases.PHASE", 0, num_phases, phase_name},
                                         {"series_softening.PAIR", 0, num_pairs, layer_name},
                                         {"field_softening.PAIR", 0, num_pairs, field_name},
                                         {"stress.BODY", 0, num_softs, soft_name},
                                         {"angular_momentum_loss.BODY", 0, num_softs, spin_name},
                                         {"warnings.N", 1, num_verdicts, is_warning}};

/** Rows before those of observables .. */
static const sup_summary_entry first_rows[] = {
    {"title", "-", "`title` of the scene", SUMMARY(title)},
    {"status", "-", "`completed`, `failed` or `interrupted`", status},
    {"message", "-", "reason of a failure, or null", SUMMARY(message)},
    {"steps", "-", "completed steps; in `supple static` load steps", STATISTIC(steps)},
    {"frames", "-", "frames in vtk/", STATISTIC(frames)},
    {"time", "s", "time at the end", time_reached},
    {"step_size", "s", "duration of a step; with `time.accuracy` of the first step", step_size},
    {"bodies", "-", "names of all bodies, in the order of their numbers in VTK files", bodies},
    {"dofs.total", "-", "unknowns of a step: `dofs.fem` + `dofs.rigid`", dofs_total},
    {"dofs.fem", "-", "coordinates of the free vertices of soft bodies", dofs_fem},
    {"dofs.rigid", "-", "joint velocities, six of a free rigid body", dofs_rigid},
    {"wall.total", "s", "wall time of the run with its output", wall_total},
    {"wall.step_mean_ms", "ms", "mean wall time of a step without output", step_mean},
    {"wall.step_median_ms", "ms", "median wall time of a step without output", step_median},
    {"wall.step_max_ms", "ms", "longest wall time of a step without output", step_max},
    {"wall.phases.PHASE", "s", "wall time of all steps in each phase of a step", phase},
    {"wall.phases.output", "s", "wall time of observation and files", STATISTIC(wall_output)},
    {"analyses", "-", "steps with a new symbolic analysis", STATISTIC(analyses)}};

/** .. and behind them. */
static const sup_summary_entry last_rows[] = {
    {"round_off_steps", "-", "steps with an error above `solver.tolerance` and within round-off",
     STATISTIC(rounded)},
    {"round_off_error_max", "-", "largest momentum error of `round_off_steps`",
     STATISTIC(rounded_error_max)},
    {"linear_missed", "-", "solutions of the linear solver above their tolerance",
     STATISTIC(linear.missed), .applies = iterates},
    {"linear_reason", "-",
     "the solver's reason for the end of the solution with the largest residual",
     STATISTIC(linear.reason), .applies = iterates},
    {"law_missed_steps", "-", "steps with a `law_residual` above `contact.dual.tolerance`",
     STATISTIC(law_missed), .applies = has_law},
    {"handed_over_steps", "-", "steps with islands solved by `contact.dual.hand_over`",
     STATISTIC(handed_over), .applies = has_law},
    {"friction_cap_steps", "-", "steps with friction sweeps at their cap",
     STATISTIC(friction_cap.steps)},
    {"ambiguous_steps", "-", "steps with several solutions of coupled friction",
     STATISTIC(ambiguous.steps)},
    {"penetration_max", "m", "deepest overlap of contacts or of geometries", penetration},
    {"discarded_patches.small", "-", "patches without contact: area below 1e-12 of a squared size",
     STATISTIC(discarded_small)},
    {"discarded_patches.backward", "-",
     "patches without contact: pressure decreases along the normal", STATISTIC(discarded_backward)},
    {"discarded_patches.inverted", "-", "patches without contact: inverted cell of a soft body",
     STATISTIC(discarded_inverted)},
    {"discarded_patches.silent_steps", "-", "steps with a pair in overlap too deep for a contact",
     STATISTIC(silent.steps)},
    {"discarded_patches.passed_steps", "-",
     "steps with a pair that passed through each other without contact", STATISTIC(passed.steps)},
    {"series_softening.PAIR", "-",
     "of each pair `A.B`: deflection of contact layers over that of the soft bodies",
     series_softening},
    {"field_softening.PAIR", "-",
     "of each pair `A.B`: deflection of the pressure field of a compliant body over "
     "that of the soft bodies",
     field_softening},
    {"stress.BODY.von_mises_max", "Pa", "of the last frame: largest von Mises stress of its cells",
     BODY(von_mises_max)},
    {"stress.BODY.von_mises_p99", "Pa",
     "of the last frame: von Mises stress exceeded in 1 % of the volume", BODY(von_mises_p99)},
    {"stress.BODY.stress_error", "-",
     "of the last frame: estimated error of the stress in the energy norm", BODY(stress_error)},
    {"stress.BODY.vertices_without_fit", "-",
     "vertices with the mean of their cells as recovered stress", without_fit},
    {"soft_energy.put_in", "J",
     "largest energy of the soft bodies: energy at the start and energy put in",
     STATISTIC(account.most), .applies = has_softs},
    {"soft_energy.damping", "J", "energy of soft bodies dissipated by material damping",
     STATISTIC(account.damping), .applies = has_softs},
    {"soft_energy.relaxation", "J", "energy of soft bodies dissipated by viscoelasticity",
     STATISTIC(account.relaxation), .applies = has_viscoelastic},
    {"soft_energy.numerical_dissipation", "J",
     "energy of soft bodies dissipated by the time scheme", STATISTIC(account.numerical),
     .applies = has_softs},
    {"angular_momentum_loss.BODY.taken", "kg m^2/s",
     "of each soft body, free or held along one axis: angular momentum that the scheme took",
     spin_taken, has_moving_softs},
    {"angular_momentum_loss.BODY.most", "kg m^2/s", "largest angular momentum of the body",
     spin_most, has_moving_softs},
    {"angular_momentum_loss.BODY.share", "-",
     "`taken` over `most`; WARN above 1 % for bodies that turn far", spin_share, has_moving_softs},
    {"impact_steps", "-",
     "with `scheme: bdf2`: steps of first order because of an impact, sum over "
     "bodies",
     STATISTIC(impacts), .applies = has_bdf2},
    {"shortest_step", "s", "with `time.accuracy`: the shortest step", STATISTIC(lengths.least),
     .applies = has_accuracy},
    {"rejected_steps", "-", "with `time.accuracy`: rejected attempts at steps",
     STATISTIC(lengths.rejected), .applies = has_accuracy},
    {"unresolved_steps", "-",
     "with `time.accuracy`: steps of `min_step` with an error above the accuracy",
     STATISTIC(lengths.unresolved), .applies = has_accuracy},
    {"steps_not_converged", "-", "steps that reached a limit of iterations",
     STATISTIC(not_converged)},
    {"nonfinite_numbers", "-", "numbers that were not finite, missing in the files",
     STATISTIC(nonfinite)},
    {"state_hash", "-", "hash of all positions and velocities: equal bits give equal hashes",
     state_hash},
    {"warnings.N.name", "-", "of each WARN and FAIL line: the name of the verdict", VERDICT(name)},
    {"warnings.N.level", "-", "`WARN`, `FAIL`, or `LOG` of a warning of the log, which `-q` hides",
     warning_level},
    {"warnings.N.text", "-", "text of the line", VERDICT(text)},
    {"warnings.N.body", "-", "body of the warning, or null", warning_body},
    {"warnings.N.pair", "-", "two bodies of the warning, or null", warning_pair},
    {"warnings.N.time", "s", "time of the event, or null", VERDICT(time)},
    {"warnings.N.value", "-", "measured value, in `unit`", VERDICT(value)},
    {"warnings.N.limit", "-", "exceeded limit, in `unit`", warning_limit},
    {"warnings.N.unit", "-", "unit of `value` and `limit`; empty for none", VERDICT(unit)},
    {"warnings.N.remedy", "-", "remedy", VERDICT(remedy)}};

/* ---- statistics of observables --------------------------------------------------------------- */

static const sup_running *running_of(const sup_summary *of) {
  return &of->statistics->running[of->entry->index];
}

NUMBER(statistic_max, running_of(of)->max)
NUMBER(statistic_mean, sup_running_mean(running_of(of)))
NUMBER(statistic_final, running_of(of)->final)

/** 1: the history has the column of the entry's observable. */
static bool is_observed(const sup_summary *of) {
  const sup_column_def     def = {0};
  const sup_observed_scene scene = {model_of(of), &of->statistics->obs->options, &def};
  char                     prefix[SUP_COLUMN_MAX];
  return of->entry->group->prefix(&scene, 0, prefix);
}

static void add_row(sup_summary_table *table, const sup_summary_entry *row) {
  SUP_ASSERT(table->count < SUP_SUMMARY_MAX);
  table->entry[table->count++] = *row;
}

static void add_statistic(sup_summary_table *table, const sup_observable *o,
                          const sup_observable_group *group, int index) {
  sup_summary_entry row = {.unit = o->unit,
                           .meaning = o->meaning,
                           .put = statistic_max,
                           .applies = is_observed,
                           .observable = o,
                           .group = group,
                           .index = index};
  if (!o->entry) return;
  snprintf(row.path, sizeof row.path, "%s", o->entry);
  if (o->statistic == SUP_STATISTIC_FINAL) row.put = statistic_final;
  if (o->statistic == SUP_STATISTIC_MEAN_AND_MAX) {
    snprintf(row.path, sizeof row.path, "%s.mean", o->entry);
    row.put = statistic_mean;
    add_row(table, &row);
    snprintf(row.path, sizeof row.path, "%s.max", o->entry);
    row.put = statistic_max;
  }
  add_row(table, &row);
}

void sup_summary_table_make(sup_summary_table *table) {
  const sup_observable_group *group;
  const sup_observable       *o;
  table->count = 0;
  for (int i = 0; i < COUNT(first_rows); i++) add_row(table, &first_rows[i]);
  for (int i = 0; (o = sup_observable_with_statistic(i, &group)) != NULL; i++)
    add_statistic(table, o, group, i);
  for (int i = 0; i < COUNT(last_rows); i++) add_row(table, &last_rows[i]);
}

char *sup_summary_meaning(const sup_summary_entry *entry, char *text, size_t size) {
  static const char *const of[] = {
      "", "largest of all steps: ", "largest of all steps: ", "at the end: "};
  const char *kind = !entry->observable             ? ""
                     : entry->put == statistic_mean ? "mean of all steps: "
                                                    : of[entry->observable->statistic];
  snprintf(text, size, "%s%s", kind, entry->meaning);
  return text;
}

const sup_summary_list *sup_summary_list_of(const char *path, size_t length) {
  for (int i = 0; i < COUNT(lists); i++)
    if (strlen(lists[i].path) == length && strncmp(path, lists[i].path, length) == 0)
      return &lists[i];
  return NULL;
}
