#include "measure/statistics.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"
#include "base/timer.h"
#include "la/linear_solver.h"
#include "measure/drive_work.h"
#include "measure/numerics.h"
#include "measure/observable.h"
#include "measure/thickness.h"
#include "mesh/hull.h"

/** Shortest edge of a mesh's cells. */
static double shortest_edge(const sup_mesh *mesh) {
  const sup_cell_kind *kind = sup_cell_kind_of(mesh->type);
  double               least = HUGE_VAL;
  for (int c = 0; c < mesh->num_cells; c++) {
    const int *cell = sup_mesh_cell(mesh, c);
    for (int e = 0; e < kind->num_edges; e++) {
      sup_v3 a = sup_mesh_vertex(mesh, cell[kind->edge[e][0]]),
             b = sup_mesh_vertex(mesh, cell[kind->edge[e][1]]);
      least = fmin(least, sup_v3_norm(sup_v3_sub(b, a)));
    }
  }
  return least;
}

static double polyhedron_thickness(const sup_hull *hull) {
  double volume, inertia[6], area = 0;
  sup_v3 centre;
  sup_hull_moments(hull, &volume, &centre, inertia);
  for (int t = 0; t < hull->num_triangles; t++) {
    sup_v3 a = sup_hull_corner(hull, t, 0), b = sup_hull_corner(hull, t, 1),
           c = sup_hull_corner(hull, t, 2);
    area += 0.5 * sup_v3_norm(sup_v3_cross(sup_v3_sub(b, a), sup_v3_sub(c, a)));
  }
  return 2 * volume / area;
}

static sup_v3 hull_middle(const sup_hull *hull) {
  sup_v3 sum = {0, 0, 0};
  for (int i = 0; i < hull->num_points; i++)
    sum = sup_v3_add(sum, sup_v3_load(hull->point + 3 * i));
  return sup_v3_scale(1.0 / hull->num_points, sum);
}

static double smallest_size(const sup_shape *shape) {
  if (shape->type == SUP_SHAPE_MESH)
    return polyhedron_thickness(shape->hull); /* of a plate of this volume and surface */
  if (shape->type == SUP_SHAPE_CONVEX)
    return 2 * -sup_shape_depth(shape, hull_middle(shape->hull), &(sup_v3){0});
  return sup_primitive_thickness(shape);
}

static bool has_springs(const sup_model *model) {
  if (model->num_springs > 0) return 1;
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->tree[t]->num_links; l++)
      if (model->tree[t]->links[l].spring > 0) return 1;
  return 0;
}

/** Find the observables with a statistic once: each step and row needs all of them. */
static void find_observables(sup_statistics *statistics) {
  for (int i = 0; i < SUP_MAX_STATISTICS; i++) {
    sup_recorded_observable *kept = &statistics->observable[i];
    kept->row = sup_observable_with_statistic(i, &kept->group);
    statistics->num_observables += kept->row != NULL;
  }
  statistics->contacts = sup_statistics_index("contacts");
}

sup_status sup_statistics_begin(sup_statistics *statistics, const sup_observation *obs,
                                double static_tolerance) {
  const sup_model *model = obs->model;
  double           feature = HUGE_VAL;
  *statistics = (sup_statistics){
      .wall_start = sup_wall_time(), .model = model, .tolerance = obs->options.tolerance};
  for (int s = 0; s < model->num_softs; s++)
    feature = fmin(feature, shortest_edge(sup_fem_mesh(model->soft[s].fem)));
  for (int g = 0; g < model->num_geometries; g++) {
    double size = smallest_size(&model->geometry[g].shape);
    if (size > 0) feature = fmin(feature, size); /* points have none */
  }
  feature = -sup_max_of_ranks(model->ranks, -feature);
  statistics->feature_size = isfinite(feature) ? feature : 0;
  statistics->is_explicit = obs->options.scheme.theta_stiff < 0.5 && has_springs(model);
  statistics->is_driven = sup_model_is_driven(model);
  statistics->is_static = static_tolerance > 0;
  if (statistics->is_static) statistics->tolerance = static_tolerance;
  statistics->obs = obs;
  statistics->overstretch.soft = SUP_NONE;
  for (int i = 0; i < SUP_MAX_STATISTICS; i++) sup_running_begin(&statistics->running[i]);
  find_observables(statistics);
  statistics->stiff_penetration_body[0] = statistics->stiff_penetration_body[1] = SUP_NONE;
  statistics->explosion.body = statistics->energy_growth_body = SUP_NONE;
  SUP_TRY(sup_penetration_begin(&statistics->penetration, model));
  SUP_TRY(SUP_CALLOC(statistics->softening, obs->num_pairs));
  SUP_TRY(SUP_CALLOC(statistics->contact_force, model->num_softs));
  SUP_TRY(SUP_CALLOC(statistics->watch, obs->num_pairs));
  SUP_TRY(SUP_CALLOC(statistics->flight, model->num_trees + model->num_softs));
  SUP_TRY(SUP_CALLOC(statistics->slide, model->v_start[model->num_trees]));
  SUP_TRY(SUP_CALLOC(statistics->stick, obs->num_pairs));
  SUP_TRY(SUP_CALLOC(statistics->is_idle, obs->num_pairs));
  SUP_TRY(SUP_CALLOC(statistics->spin, model->num_softs));
  return SUP_OK;
}

double sup_spin_share(const sup_spin_account *account) {
  return account->most > 0 ? sup_v3_norm(account->taken) / account->most : 0;
}

double sup_statistics_energy_input(const sup_statistics *statistics) {
  return fabs(statistics->start_energy) + statistics->drive_work + statistics->gravity_high -
         statistics->gravity_low;
}

/* ---- statistics of observables
 * ------------------------------------------------------------------- */

int sup_statistics_index(const char *column) {
  const sup_observable_group *group;
  const sup_observable       *o;
  char                        name[SUP_COLUMN_MAX];
  int                         i = 0;
  for (; (o = sup_observable_with_statistic(i, &group)) != NULL; i++) {
    sup_observable_column(o, 0, group->pattern, name);
    if (strcmp(name, column) == 0) break;
  }
  SUP_ASSERT(o);
  return i;
}

const sup_running *sup_statistics_of(const sup_statistics *statistics, const char *column) {
  return &statistics->running[sup_statistics_index(column)];
}

/** Add the numbers of a step, or those of a row from the present observation. */
static void keep(sup_statistics *statistics, const sup_step_report *report, double time) {
  sup_observed at = {.obs = statistics->obs, .report = report};
  double       value;
  for (int i = 0; i < statistics->num_observables; i++) {
    const sup_observable_group *group = statistics->observable[i].group;
    const sup_observable       *o = statistics->observable[i].row;
    if (group->is_of_step != (report != NULL) || (o->counts && !o->counts(report))) continue;
    (void)o->value(&at, &value);
    sup_running_add(&statistics->running[i], value, time, o->body ? o->body(report) : SUP_NONE);
  }
}

/* ---- energy ---------------------------------------------------------------------------------- */

/** Update the largest ratio of the energy to the energy put in. */
static void note_explosion(sup_statistics *statistics) {
  const sup_observation *obs = statistics->obs;
  sup_explosion         *e = &statistics->explosion;
  double                 energy = obs->kinetic + obs->elastic + obs->spring_energy;
  double                 gravity = obs->potential - obs->spring_energy;
  if (!statistics->has_energy) {
    statistics->start_energy = energy + fabs(obs->contact_energy);
    statistics->gravity_low = statistics->gravity_high = gravity;
  }
  statistics->gravity_low = fmin(statistics->gravity_low, gravity);
  statistics->gravity_high = fmax(statistics->gravity_high, gravity);
  double put_in = sup_statistics_energy_input(statistics) + statistics->soft_work +
                  sup_measure_numerics.least_energy;
  double ratio = energy / put_in;
  if (!(ratio > e->ratio)) return;
  if (!(e->ratio > sup_measure_numerics.explosion)) e->time = obs->time, e->body = obs->energy_body;
  e->ratio = ratio, e->energy = energy, e->put_in = put_in;
}

/** Error of the energy of patches whose force is a secant [J]: the line stores F depth/(q + 1). */
static double energy_of_secants(const sup_observation *obs) {
  double sum = 0;
  for (int i = 0; i < obs->num_contacts; i++)
    if (obs->contact[i].power > 0) sum += obs->contact[i].stored;
  return sup_measure_numerics.secant * sum;
}

void sup_statistics_energy(sup_statistics *statistics) {
  const sup_observation *obs = statistics->obs;
  double                 internal = obs->kinetic + obs->elastic + obs->contact_energy,
         total = internal + obs->potential;
  keep(statistics, NULL, obs->time);
  if (!isfinite(total)) {
    statistics->nonfinite++;
    return;
  }
  note_explosion(statistics);
  sup_soft_account *account = &statistics->account;
  if (!statistics->has_energy) {
    account->first = obs->soft_kinetic + obs->elastic;
    if (statistics->is_branch) /* other keys may give the same state another energy */
      account->first += account->numerical + account->damping + account->relaxation +
                        account->holds - account->work;
    account->most = fmax(account->most, account->first + account->work);
    statistics->has_energy = 1;
    statistics->energy_low = total;
    statistics->potential_first = obs->potential;
  }
  double scale = fmax(internal, fabs(obs->potential - statistics->potential_first));
  account->numerical = account->first + account->work - account->damping - account->relaxation -
                       account->holds - obs->soft_kinetic - obs->elastic;
  statistics->energy_low = fmin(statistics->energy_low, total);
  double growth = total - energy_of_secants(obs) - statistics->energy_low;
  if (growth > statistics->energy_growth)
    statistics->energy_growth = growth, statistics->energy_growth_time = obs->time,
    statistics->energy_growth_body = obs->energy_body;
  statistics->energy_scale = fmax(statistics->energy_scale, scale);
  statistics->kinetic_most = fmax(statistics->kinetic_most, obs->kinetic);
}

/** Factor by which a stretch exceeds its range; 1: inside. */
static double excess(double value, double least, double most) {
  if (value > most) return value / most;
  return value < least ? least / fmax(value, 1e-3) : 1;
}

static void note_stretches(sup_statistics *statistics) {
  const sup_observation *obs = statistics->obs;
  sup_overstretch       *worst = &statistics->overstretch;
  for (int s = 0; s < obs->model->num_softs; s++) {
    const sup_soft *soft = &obs->model->soft[s];
    for (int m = 0; m < sup_fem_num_materials(soft->fem); m++) {
      sup_stretch_range r = sup_fem_stretches(soft->fem, m, obs->x + 3 * soft->first_vertex,
                                              obs->strain + obs->cell_start[s]);
      for (int k = 0; k < 2; k++) {
        double value = k ? r.most : r.least, now = excess(value, r.trusted_least, r.trusted_most);
        if (now > 1 &&
            (worst->soft == SUP_NONE || now > excess(worst->value, worst->least, worst->most)))
          *worst = (sup_overstretch){s, m, value, r.trusted_least, r.trusted_most, obs->time};
      }
    }
  }
}

void sup_statistics_frame(sup_statistics *statistics) {
  note_stretches(statistics);
  sup_softening_add(statistics->softening, statistics->obs, statistics->contact_force);
}

sup_status sup_statistics_penetration(sup_statistics *statistics, double time,
                                      const sup_frame *X_WL, const double *x, bool must) {
  sup_penetration    *p = &statistics->penetration;
  const sup_overlaps *o = &p->overlaps;
  int                 is_first = p->measures == 0, measured;
  long                contacts = (long)statistics->running[statistics->contacts].sum;
  SUP_TRY(sup_penetration_measure(p, time, statistics->steps, contacts, X_WL, x, must, &measured));
  for (int k = 0; k < o->num_near && measured; k++) {
    sup_pair_watch *w = &statistics->watch[statistics->obs->body_pair[o->near[k]]];
    double          depth = o->depth[o->near[k]];
    if (depth > w->penetration) w->penetration = depth, w->penetration_time = time;
    if (is_first) w->overlap = fmax(w->overlap, depth);
  }
  if (!(p->rigid_depth_max > statistics->stiff_penetration_max)) return SUP_OK;
  statistics->stiff_penetration_max = p->rigid_depth_max,
  statistics->stiff_penetration_time = p->rigid_time;
  memcpy(statistics->stiff_penetration_body, p->rigid_body, sizeof p->rigid_body);
  return SUP_OK;
}

int sup_statistics_softest(const sup_statistics *statistics) {
  int    worst = SUP_NONE, n = statistics->obs ? statistics->obs->num_pairs : 0;
  double most = 0;
  for (int i = 0; i < n; i++) {
    const sup_softening *s = &statistics->softening[i];
    double               share = sup_softening_share(s->layer, s);
    if (share > most) most = share, worst = i;
  }
  return worst;
}

static void count_incident(const sup_model *model, double time, int pairs, int first,
                           sup_incidents *incidents) {
  if (pairs == 0 || incidents->steps++ > 0) return;
  const sup_pair *pair = &model->pair[first];
  incidents->time = time;
  memcpy(incidents->body[0], model->body[pair->a].name, sizeof incidents->body[0]);
  memcpy(incidents->body[1], model->body[pair->b].name, sizeof incidents->body[1]);
}

static void count_discarded(sup_statistics *statistics, double time,
                            const sup_step_report *report) {
  statistics->discarded_small += report->discarded_small;
  statistics->discarded_backward += report->discarded_backward;
  statistics->discarded_inverted += report->discarded_inverted;
  count_incident(statistics->model, time, report->silent_pairs, report->silent_pair,
                 &statistics->silent);
  count_incident(statistics->model, time, report->passed_pairs, report->passed_pair,
                 &statistics->passed);
}

/** Add a step's friction lag, its distance from friction by the step's own normal impulses. */
static void count_friction(sup_statistics *statistics, double time, const sup_step_report *report) {
  sup_friction_caps *cap = &statistics->friction_cap;
  count_incident(statistics->model, time, report->ambiguous_pair != SUP_NONE,
                 report->ambiguous_pair, &statistics->ambiguous);
  if (!report->friction_at_cap) return;
  if (cap->steps++ == 0 || report->friction_lag > cap->lag)
    cap->lag = report->friction_lag, cap->time = time;
}

/** A step that ended as round-off above the tolerance. */
static void count_rounded(sup_statistics *statistics, double time, double error) {
  statistics->rounded++;
  if (error > statistics->rounded_error_max)
    statistics->rounded_error_max = error, statistics->rounded_error_time = time;
}

/** Add the work of an iterative linear solver. */
static void count_linear(sup_statistics *statistics, double time, const sup_linear_work *work) {
  if (work->missed > 0 && statistics->linear.missed == 0) statistics->linear_missed_time = time;
  sup_linear_work_add(&statistics->linear, work);
}

/** Held back again and again, and with energy set free: it was not just a first guess that was far
 * off. */
static void count_snap(sup_statistics *statistics, double time, const sup_step_report *report) {
  enum { FEW = 3 };
  statistics->load_cuts += report->load_cuts;
  if (report->held_back <= FEW ||
      !(report->snap_energy > sup_measure_numerics.snap * fabs(report->soft_work)))
    return;
  if (statistics->snaps.steps++ == 0) statistics->snaps.time = time;
  statistics->snaps.energy += report->snap_energy;
}

static void count_saddle(sup_statistics *statistics, double time, const sup_step_report *report) {
  sup_saddles *all = &statistics->saddles;
  all->stays += report->is_saddle;
  if (report->saddles == 0 || all->steps++ > 0) return;
  all->time = time, all->directions = report->saddle_directions;
  memcpy(all->place, report->saddle_place, sizeof all->place);
}

static void count_length(sup_step_lengths *all, double time, const sup_step_report *report) {
  all->rejected += report->rejected;
  if (all->least == 0 || report->step_size < all->least) all->least = report->step_size;
  if (!report->unresolved) return;
  if (all->unresolved++ == 0) all->unresolved_time = time;
  all->unresolved_error = fmax(all->unresolved_error, report->step_error);
}

sup_status sup_statistics_step(sup_statistics *statistics, double time,
                               const sup_step_report *report) {
  double seconds = 0;
  for (int i = 0; i < SUP_NUM_PHASES; i++)
    seconds += report->seconds[i], statistics->phase[i] += report->seconds[i];
  SUP_TRY(
      SUP_GROW(statistics->step_seconds, statistics->step_seconds_capacity, statistics->steps + 1));
  statistics->step_seconds[statistics->steps++] = seconds;
  statistics->time = time;
  keep(statistics, report, time);
  statistics->analyses += report->analysed;
  count_discarded(statistics, time, report);
  count_friction(statistics, time, report);
  statistics->account.work += report->soft_work;
  statistics->account.damping += report->soft_damping;
  statistics->account.relaxation += report->soft_relaxation;
  statistics->account.holds += report->hold_loss;
  statistics->account.joints += report->joint_friction;
  statistics->account.rolling += report->rolling_friction;
  statistics->account.most =
      fmax(statistics->account.most, statistics->account.first + statistics->account.work);
  statistics->impacts += report->impacts;
  count_length(&statistics->lengths, time, report);
  count_snap(statistics, time, report);
  count_saddle(statistics, time, report);
  if (report->reason < 0 && statistics->not_converged++ == 0) statistics->not_converged_time = time;
  if (!isfinite(report->momentum_error) || !isfinite(report->penetration_max))
    statistics->nonfinite++;
  if (report->reason == SUP_REASON_ROUND_OFF)
    count_rounded(statistics, time, report->momentum_error);
  count_linear(statistics, time, &report->linear);
  statistics->handed_over += report->hand_overs > 0;
  statistics->law_missed += report->reason == SUP_REASON_RESIDUAL;
  if (report->stiff_penetration_max > statistics->stiff_penetration_max) {
    statistics->stiff_penetration_max = report->stiff_penetration_max,
    statistics->stiff_penetration_time = time;
    const sup_pair *pair =
        report->deepest_pair != SUP_NONE ? &statistics->model->pair[report->deepest_pair] : NULL;
    statistics->stiff_penetration_body[0] = pair ? pair->a : SUP_NONE;
    statistics->stiff_penetration_body[1] = pair ? pair->b : SUP_NONE;
  }
  return SUP_OK;
}

sup_status sup_statistics_request_pair(sup_statistics *statistics, int a, int b) {
  const char *why = sup_model_exclusion_reason(statistics->model, a, b);
  if (!why) return SUP_OK;
  SUP_TRY(SUP_GROW(statistics->mute, statistics->mute_capacity, statistics->num_mute + 1));
  statistics->mute[statistics->num_mute++] = (sup_mute_pair){a, b, why};
  return SUP_OK;
}

void sup_statistics_start(sup_statistics *statistics, const sup_step_result *result) {
  if (result)
    sup_pair_watch_start(statistics->watch, statistics->obs, result->num_seen, result->seen);
}

void sup_statistics_result(sup_statistics *statistics, const sup_state *state,
                           const sup_step_result *result, const sup_step_report *report) {
  if (!result) return;
  sup_pair_watch_step(statistics->watch, statistics->obs, result->num_contacts, result->contact,
                      state->time, statistics->is_static ? 0 : result->increment.h,
                      statistics->stick, statistics->is_idle);
  if (statistics->is_static) return;
  if (result->flight)
    sup_flight_watch_step(
        statistics->flight, statistics->model->num_trees + statistics->model->num_softs,
        result->flight, state->time, result->increment.h, statistics->obs->options.accuracy.time);
  if (result->joint_off)
    sup_slide_watch_step(statistics->slide, statistics->model, result,
                         statistics->obs->options.accuracy.length);
  for (int i = 0; i < statistics->model->num_softs && result->spin; i++) {
    sup_spin_account *account = &statistics->spin[i];
    account->taken = sup_v3_add(account->taken, result->spin[i].taken);
    account->most = fmax(account->most, sup_v3_norm(result->spin[i].momentum));
    account->turned += result->spin[i].angle * result->spin[i].angle;
  }
  if (result->increment.inputs) statistics->is_driven = 1;
  if (!statistics->is_driven) return;
  statistics->drive_work += sup_drive_work(statistics->model, state, result) + report->gas_inflow;
  statistics->soft_work += fabs(report->soft_work);
}

void sup_statistics_free(sup_statistics *statistics) {
  SUP_FREE(statistics->step_seconds);
  sup_penetration_free(&statistics->penetration);
  SUP_FREE_ALL(&statistics->softening, &statistics->contact_force, &statistics->watch,
               &statistics->flight, &statistics->slide, &statistics->stick, &statistics->is_idle,
               &statistics->mute, &statistics->spin);
}

sup_status sup_statistics_seconds(const sup_statistics *statistics, sup_step_seconds *seconds) {
  long    n = statistics->steps;
  double *sorted = NULL, sum = 0;
  *seconds = (sup_step_seconds){0, 0, 0};
  if (n == 0) return SUP_OK;
  SUP_TRY(SUP_CALLOC(sorted, n));
  memcpy(sorted, statistics->step_seconds, (size_t)n * sizeof *sorted);
  qsort(sorted, (size_t)n, sizeof *sorted, sup_compare_double);
  for (long i = 0; i < n; i++) sum += sorted[i];
  *seconds = (sup_step_seconds){sum / (double)n, 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]),
                                sorted[n - 1]};
  SUP_FREE(sorted);
  return SUP_OK;
}
