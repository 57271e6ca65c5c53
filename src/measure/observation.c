#include "measure/observation.h"

#include "model/cable.h"
#include "model/chamber.h"
#include "model/constraint.h"
#include "model/kinematics.h"

#include <string.h>

#include "base/memory.h"
#include "constraint/joint_rows.h"
#include "measure/numerics.h"

static int max_count(const sup_model *model) {
  int num_v = model->num_trees ? model->v_start[model->num_trees] : 0;
  int most = 3 * model->num_vertices;
  if (SUP_NUM_JOINT_ROLES * num_v > most) most = SUP_NUM_JOINT_ROLES * num_v;
  int num_wrenches = sup_model_num_wrenches(model);
  if (model->num_dirichlet > num_wrenches) num_wrenches = model->num_dirichlet;
  int wrench = num_wrenches * (int)(sizeof(sup_wrench) / sizeof(double));
  return wrench > most ? wrench : most;
}

int sup_observation_find_pair(const sup_observation *obs, int a, int b) {
  for (int i = 0; i < obs->num_pairs; i++)
    if ((obs->pair[i].a == a && obs->pair[i].b == b) ||
        (obs->pair[i].a == b && obs->pair[i].b == a))
      return i;
  return SUP_NONE;
}

void sup_observation_order_pair(sup_observation *obs, int a, int b) {
  int i = sup_observation_find_pair(obs, a, b);
  if (i != SUP_NONE) obs->pair[i].a = a, obs->pair[i].b = b;
}

/** The model pairs shapes; forces are summed over the shapes of two bodies, which follow each
 * other. */
static void group_pairs(sup_observation *obs) {
  const sup_model *model = obs->model;
  for (int p = 0; p < model->num_pairs; p++) {
    int last = obs->num_pairs - 1, a = model->pair[p].a, b = model->pair[p].b;
    if (last < 0 || obs->pair[last].a != a || obs->pair[last].b != b)
      last = obs->num_pairs++, obs->pair[last].a = a, obs->pair[last].b = b;
    obs->body_pair[p] = last;
  }
}

static sup_status create_recoveries(sup_observation *obs) {
  const sup_model *model = obs->model;
  int              cells = 0, points = 0, sites = 0;
  SUP_TRY(SUP_CALLOC(obs->recovery, model->num_softs));
  for (int s = 0; s < model->num_softs; s++) {
    const sup_fem_body *fem = model->soft[s].fem;
    if (model->soft[s].num_cells > cells) cells = model->soft[s].num_cells;
    SUP_TRY(sup_recovery_create(&obs->recovery[s], fem, SUP_RECOVERY_PATCH));
    int n = sup_recovery_num_cells(obs->recovery[s]);
    if (n * sup_fem_num_points(fem) > points) points = n * sup_fem_num_points(fem);
    if (sup_recovery_num_sites(obs->recovery[s]) > sites)
      sites = sup_recovery_num_sites(obs->recovery[s]);
  }
  SUP_TRY(SUP_CALLOC(obs->vertex_cauchy, 6 * (size_t)model->num_vertices));
  SUP_TRY(SUP_CALLOC(obs->stress_error, obs->cell_start[model->num_softs]));
  SUP_TRY(SUP_CALLOC(obs->site_cauchy, 6 * (size_t)sites));
  SUP_TRY(SUP_CALLOC(obs->of_sites, 2 * (size_t)sites));
  SUP_TRY(SUP_CALLOC(obs->point_cauchy, 6 * (size_t)points));
  SUP_TRY(SUP_CALLOC(obs->weighted, cells));
  if (model->ranks) SUP_TRY(SUP_CALLOC(obs->of_ranks, 2 * (size_t)cells));
  return SUP_OK;
}

sup_status sup_observation_create_motion(sup_observation *obs, const sup_model *model,
                                         const sup_options *options) {
  *obs = (sup_observation){.model = model, .options = *options};
  sup_status status;
  SUP_TRY_GOTO(SUP_CALLOC(obs->X_WL, model->num_bodies), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->w, model->num_bodies), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->velocity, model->num_bodies), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->cell_start, model->num_softs + 1), status, fail);
  for (int s = 0; s < model->num_softs; s++)
    obs->cell_start[s + 1] = obs->cell_start[s] + sup_fem_mesh(model->soft[s].fem)->num_cells;
  int cells = obs->cell_start[model->num_softs];
  SUP_TRY_GOTO(SUP_CALLOC(obs->cauchy, 9 * (size_t)cells), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->von_mises, cells), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->energy_density, cells), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->volume_ratio, cells), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->strain, cells), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->cell_volume, cells), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->soft, model->num_softs), status, fail);
  SUP_TRY_GOTO(sup_contact_pressure_create(&obs->pressure, model), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->arc, 1), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->pair, model->num_pairs), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->body_pair, model->num_pairs), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->touched, model->num_pairs), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->zero, max_count(model)), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(obs->scratch, 3 * (size_t)model->num_vertices), status, fail);
  group_pairs(obs);
  for (int s = 0; s < model->num_softs; s++) {
    const sup_mesh *mesh = sup_fem_mesh(model->soft[s].fem);
    for (int c = 0; c < mesh->num_cells; c++)
      obs->cell_volume[obs->cell_start[s] + c] = sup_mesh_cell_volume(mesh, c);
  }
  return SUP_OK;
fail:
  sup_observation_free(obs);
  return status;
}

sup_status sup_observation_create(sup_observation *obs, const sup_model *model,
                                  const sup_options *options) {
  SUP_TRY(sup_observation_create_motion(obs, model, options));
  sup_status status = create_recoveries(obs);
  if (status != SUP_OK) sup_observation_free(obs);
  return status;
}

void sup_observation_free(sup_observation *obs) {
  SUP_FREE_ALL(&obs->X_WL, &obs->w, &obs->velocity, &obs->cell_start, &obs->cauchy, &obs->von_mises,
               &obs->energy_density, &obs->volume_ratio, &obs->strain, &obs->cell_volume);
  for (int s = 0; s < obs->model->num_softs && obs->recovery; s++)
    sup_recovery_destroy(&obs->recovery[s]);
  SUP_FREE_ALL(&obs->recovery, &obs->vertex_cauchy, &obs->stress_error, &obs->site_cauchy,
               &obs->of_sites, &obs->point_cauchy, &obs->weighted, &obs->of_ranks, &obs->soft);
  sup_contact_pressure_destroy(&obs->pressure);
  SUP_FREE_ALL(&obs->arc, &obs->pair, &obs->body_pair, &obs->touched, &obs->zero, &obs->scratch);
}

static sup_tree_kinematics_data tree_data(const sup_observation *obs, int tree) {
  int body = obs->model->tree_body[tree];
  return (sup_tree_kinematics_data){obs->X_WL + body, obs->w + body, obs->velocity + body};
}

/** Compute the kinematics of the state alone. */
static void take_kinematics(sup_observation *obs) {
  const sup_model *model = obs->model;
  sup_increment    next = sup_increment_of_motion(&obs->options, obs->time, obs->step);
  next.inputs = obs->inputs;
  if (obs->h > 0) next.h = obs->h; /* as long as the step that led there */
  for (int t = 0; t < model->num_trees; t++) {
    sup_base_motion          base = sup_kinematics_base_at_end(model, t, &next);
    sup_tree_kinematics_data data = tree_data(obs, t);
    sup_tree_kinematics(model->tree[t], &base, obs->q + model->q_start[t],
                        obs->v + model->v_start[t], &data);
  }
}

static sup_soft_sum sum_motion(const sup_observation *obs, int s) {
  const sup_soft *soft = &obs->model->soft[s];
  size_t          first = 3 * (size_t)soft->first_vertex;
  return (sup_soft_sum){.com = sup_fem_mean(soft->fem, obs->x + first),
                        .com_velocity = sup_fem_mean(soft->fem, obs->xdot + first)};
}

/** all := values of the ranks' cells of body s, one rank after the other. */
static void gather_cells(const sup_observation *obs, int s, const double *own, double *all) {
  const sup_collective *ranks = obs->model->ranks;
  size_t               *bytes = (size_t *)(void *)obs->weighted; /* as many as cells */
  size_t                mine = (size_t)(obs->cell_start[s + 1] - obs->cell_start[s]) * sizeof *own;
  ranks->gather(ranks, sizeof mine, &mine, bytes);
  ranks->gather_parts(ranks, bytes, own, all);
}

/** Von Mises stress that 99 % of the volume do not exceed. */
static double percentile(const sup_observation *obs, int s) {
  int c0 = obs->cell_start[s], all = obs->model->soft[s].num_cells;
  if (!obs->model->ranks)
    return sup_percentile(0.99, obs->cell_start[s + 1] - c0, obs->von_mises + c0,
                          obs->cell_volume + c0, obs->weighted);
  double *value = obs->of_ranks, *volume = obs->of_ranks + all;
  gather_cells(obs, s, obs->von_mises + c0, value);
  gather_cells(obs, s, obs->cell_volume + c0, volume);
  return sup_percentile(0.99, all, value, volume, obs->weighted);
}

static void sum_stress(const sup_observation *obs, int s, sup_soft_sum *sum) {
  for (int c = obs->cell_start[s]; c < obs->cell_start[s + 1]; c++) {
    sum->volume += obs->volume_ratio[c] * obs->cell_volume[c];
    sum->elastic_energy += obs->energy_density[c] * obs->cell_volume[c];
    if (!(obs->von_mises[c] <= sum->von_mises_max)) sum->von_mises_max = obs->von_mises[c];
  }
  sum->volume = sup_sum_of_ranks(obs->model->ranks, sum->volume);
  sum->elastic_energy = sup_sum_of_ranks(obs->model->ranks, sum->elastic_energy);
  sum->von_mises_max = sup_max_of_ranks(obs->model->ranks, sum->von_mises_max);
  sum->von_mises_p99 = percentile(obs, s);
}

/** Displacements along the axes of the mesh against the manufactured solution. */
static void take_errors(sup_observation *obs, int s) {
  const sup_soft *soft = &obs->model->soft[s];
  const double   *x = obs->x + 3 * soft->first_vertex;
  if (!soft->body_force) return;
  for (int i = 0; i < 3 * soft->num_vertices; i += 3)
    sup_v3_store(
        obs->scratch + i,
        sup_m3_apply_t(soft->X_WM.R, sup_v3_sub(sup_v3_load(x + i), sup_v3_load(soft->x0 + i))));
  sup_fem_manufactured_error(soft->fem, &soft->manufactured, obs->scratch, &obs->soft[s].error_l2,
                             &obs->soft[s].error_h1);
}

/** Stress at the vertices, and its error where it is asked for, from that at the points of the
 * cells. */
static void take_recovered(sup_observation *obs, int s, const sup_fem_stress *stress, bool recovers,
                           bool is_strong) {
  const sup_recovery *recovery = obs->recovery[s];
  const sup_soft     *soft = &obs->model->soft[s];
  double             *vertex = obs->vertex_cauchy + 6 * (size_t)soft->first_vertex;
  double             *site = sup_recovery_has_sites(recovery) ? obs->site_cauchy : vertex;
  sup_recovery_apply(recovery, obs->point_cauchy, site);
  if (recovers)
    obs->soft[s].stress_error = sup_recovery_error(recovery, obs->point_cauchy, site,
                                                   obs->stress_error + obs->cell_start[s])
                                    .relative;
  if (is_strong)
    obs->soft[s].strength = sup_recovery_strength(recovery, obs->x + 3 * soft->first_vertex, stress,
                                                  site, obs->of_sites);
  if (recovers && site != vertex) sup_recovery_mean(recovery, site, vertex);
}

static void take_softs(sup_observation *obs) {
  for (int s = 0; s < obs->model->num_softs; s++) {
    const sup_soft *soft = &obs->model->soft[s];
    int             c0 = obs->cell_start[s];
    bool            is_strong = sup_fem_has_strength(soft->fem) && !obs->model->ranks,
         recovers = obs->recovers || is_strong;
    sup_fem_stress stress = {.cauchy = obs->cauchy + 9 * (size_t)c0,
                             .von_mises = obs->von_mises + c0,
                             .energy_density = obs->energy_density + c0,
                             .volume_ratio = obs->volume_ratio + c0,
                             .point = recovers ? obs->point_cauchy : NULL,
                             .strain = obs->strain + c0};
    sup_fem_stress_at(soft->fem, obs->x + 3 * soft->first_vertex,
                      obs->internal + soft->first_internal, &stress);
    sum_stress(obs, s, &obs->soft[s]);
    if (recovers) take_recovered(obs, s, &stress, obs->recovers, is_strong);
    take_errors(obs, s);
  }
}

void sup_observation_recover(sup_observation *obs) {
  if (obs->recovers) return; /* the data exist */
  for (int s = 0; s < obs->model->num_softs; s++) {
    const sup_soft *soft = &obs->model->soft[s];
    sup_fem_stress  stress = {.point = obs->point_cauchy};
    sup_fem_stress_at(soft->fem, obs->x + 3 * soft->first_vertex,
                      obs->internal + soft->first_internal, &stress);
    take_recovered(obs, s, NULL, true, false);
  }
}

static void take_centres(sup_observation *obs) {
  for (int s = 0; s < obs->model->num_softs; s++) {
    const sup_soft *soft = &obs->model->soft[s];
    obs->soft[s] = sum_motion(obs, s);
    obs->X_WL[soft->body] = (sup_frame){sup_m3_identity(), obs->soft[s].com};
    obs->w[soft->body] = sup_v3_make(0, 0, 0);
    obs->velocity[soft->body] = obs->soft[s].com_velocity;
  }
}

/** Energy of the springs in a tree's joints [J]. */
static double joint_spring_energy(const sup_tree *tree, const double *q) {
  double energy = 0;
  for (int l = 0; l < tree->num_links; l++) energy += sup_joint_spring_energy(&tree->links[l], q);
  return energy;
}

/** Keep the body (or root of a tree) with the largest energy of motion and strain.
 */
static void note_energy(sup_observation *obs, int body, double energy, double *most) {
  if (energy > *most) *most = energy, obs->energy_body = body;
}

static void take_energies(sup_observation *obs) {
  const sup_model *model = obs->model;
  sup_v3           gravity = obs->gravity;
  double           most = 0;
  obs->kinetic = obs->soft_kinetic = obs->elastic = obs->potential = 0;
  obs->energy_body = SUP_NONE;
  obs->spring_energy = sup_model_spring_energy(model, obs->X_WL, obs->x);
  for (int t = 0; t < model->num_trees; t++) {
    const double            *q = obs->q + model->q_start[t];
    sup_tree_kinematics_data data = tree_data(obs, t);
    double kinetic = 0, potential = 0, strain = joint_spring_energy(model->tree[t], q);
    sup_tree_energy(model->tree[t], &data, q, obs->v + model->v_start[t], gravity, &kinetic,
                    &potential);
    obs->kinetic += kinetic;
    obs->potential += potential;
    obs->spring_energy += strain;
    note_energy(obs, model->tree_body[t], kinetic + strain, &most);
  }
  obs->potential += sup_model_spring_energy(model, obs->X_WL, obs->x);
  double chambers = sup_model_chamber_energy(model, obs->chamber_pressure, obs->x, obs->scratch);
  double cables = sup_model_cable_energy(model, obs->strand, obs->X_WL, obs->x);
  cables +=
      sup_model_constraint_energy(model, obs->constraint_place, obs->event, obs->X_WL, obs->x);
  obs->potential += chambers + cables, obs->spring_energy += chambers + cables;
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft *soft = &model->soft[s];
    const double   *xdot = obs->xdot + 3 * soft->first_vertex;
    double          kinetic = 0;
    sup_fem_mass_multiply(soft->fem, xdot, obs->scratch);
    for (int i = 0; i < 3 * soft->num_vertices; i++) kinetic += 0.5 * xdot[i] * obs->scratch[i];
    obs->soft_kinetic += kinetic;
    obs->elastic += obs->soft[s].elastic_energy;
    obs->potential -= sup_fem_mass(soft->fem) * sup_v3_dot(gravity, obs->soft[s].com);
    note_energy(obs, soft->body, kinetic + obs->soft[s].elastic_energy, &most);
  }
  obs->kinetic += obs->soft_kinetic;
}

/** Contacts and the reference points of their moments are those of the step's start. */
static sup_v3 origin_before(const sup_observation *obs, int body) {
  return sup_v3_madd(obs->X_WL[body].p, -obs->h, obs->velocity[body]);
}

static double normal_load(const sup_contact *contact) {
  return fabs(sup_v3_dot(contact->force, contact->normal));
}

/** Sums of a pair; lists the pair, since few pairs of a heap touch. */
static sup_pair_sum *touch(sup_observation *obs, int pair) {
  sup_pair_sum *sum = &obs->pair[pair];
  if (!sum->is_touched) obs->touched[obs->num_touched++] = pair;
  sum->is_touched = 1;
  return sum;
}

static void take_pairs(sup_observation *obs) {
  for (int k = 0; k < obs->num_touched; k++) {
    sup_pair_sum *sum = &obs->pair[obs->touched[k]];
    *sum = (sup_pair_sum){.a = sum->a, .b = sum->b};
  }
  obs->num_touched = 0;
  for (int i = 0; i < obs->num_contacts; i++) {
    const sup_contact *contact = &obs->contact[i];
    sup_pair_sum      *sum = touch(obs, obs->body_pair[contact->pair]);
    sum->penetration = fmax(sum->penetration, sup_contact_depth(contact));
    if (sup_contact_presses(contact)) {
      sum->count++;
      sum->area += contact->area;
      sum->normal += normal_load(contact);
    }                               /* Lagged friction may act where nothing presses any more */
    if (sum->a == sum->b) continue; /* the order of the sides is arbitrary */
    double sign = contact->body_b == sum->b ? 1 : -1;
    bool   is_b = contact->body_b == sum->b;
    sup_v3 on_a = sup_contact_moment(contact, !is_b, origin_before(obs, sum->a)),
           on_b = sup_contact_moment(contact, is_b, origin_before(obs, sum->b));
    sum->force = sup_v3_madd(sum->force, sign, contact->force);
    sum->moment_b = sup_v3_madd(sum->moment_b, sign, on_b);
    sum->moment_a = sup_v3_madd(sum->moment_a, -sign, on_a);
  }
}

/** Forces of a step in parts are means over it; contacts are those of its end. */
static void take_loads(sup_observation *obs, const sup_pair_load *load) {
  for (int i = 0; i < obs->num_pairs; i++) { /* also those that touched in a part alone */
    sup_pair_sum *sum = touch(obs, i);
    sum->force = sum->moment_a = sum->moment_b = sup_v3_make(0, 0, 0), sum->normal = 0;
  }
  for (int p = 0; p < obs->model->num_pairs; p++) {
    sup_pair_sum *sum = &obs->pair[obs->body_pair[p]];
    double        sign = obs->model->pair[p].b == sum->b ? 1 : -1;
    sup_v3        force = sup_v3_scale(sign, load[p].on_b.force),
           moment = sup_v3_scale(sign, load[p].on_b.moment);
    sum->normal += load[p].normal;
    if (sum->a == sum->b) continue;
    sum->force = sup_v3_add(sum->force, force);
    sum->moment_b = sup_v3_add(sum->moment_b,
                               sup_v3_sub(moment, sup_v3_cross(origin_before(obs, sum->b), force)));
    sum->moment_a = sup_v3_sub(sum->moment_a,
                               sup_v3_sub(moment, sup_v3_cross(origin_before(obs, sum->a), force)));
  }
}

sup_pair_sum sup_observation_sum_on(const sup_observation *obs, int b) {
  sup_pair_sum sum = {.a = SUP_NONE, .b = b};
  for (int k = 0; k < obs->num_touched; k++) {
    const sup_pair_sum *pair = &obs->pair[obs->touched[k]];
    if ((pair->a == b) == (pair->b == b)) continue; /* of other bodies, or of b with itself */
    sum.force = sup_v3_madd(sum.force, pair->b == b ? 1 : -1, pair->force);
    sum.moment_b = sup_v3_add(sum.moment_b, pair->b == b ? pair->moment_b : pair->moment_a);
    sum.count += pair->count;
    sum.area += pair->area;
    sum.normal += pair->normal;
    sum.penetration = sup_max(sum.penetration, pair->penetration);
  }
  return sum;
}

/* ---- arcs ------------------------------------------------------------------------------------ */

/** 1: the contact presses from a, or from any body if a is SUP_NONE, to b; -1: from b to it; 0: it
 * does neither. */
static int presses_on(const sup_contact *c, int a, int b) {
  if (!sup_contact_presses(c)) return 0;
  if (c->body_b == b && (a == SUP_NONE || c->body_a == a)) return 1;
  return c->body_a == b && (a == SUP_NONE || c->body_b == a) ? -1 : 0;
}

/** 1: the contact presses between a and b; fills its normal into b and |f_n| [N].  Faces that a
 * pressure field sees edge-on, as the sides of a finger whose contact face is in it, do not span an
 * arc. */
static int loaded_normal(const sup_contact *contact, int a, int b, sup_v3 *normal, double *load) {
  int sign = presses_on(contact, a, b);
  if (!sign || contact->body_a == contact->body_b || sup_contact_overlap_share(contact) < 1)
    return 0;
  *normal = sup_v3_scale(sign, contact->normal);
  *load = normal_load(contact);
  return 1;
}

/** Unit direction across m in which the normals spread most: the main axis of their 2 x 2 second
 * moments. */
static sup_v3 direction_of_spread(const sup_observation *obs, int a, int b, sup_v3 m) {
  sup_m3 X = sup_m3_frame_of_normal(m);
  sup_v3 n;
  double load, xx = 0, xy = 0, yy = 0;
  for (int i = 0; i < obs->num_contacts; i++) {
    if (!loaded_normal(&obs->contact[i], a, b, &n, &load)) continue;
    sup_v3 t = sup_m3_apply_t(X, n);
    xx += load * t.x * t.x, xy += load * t.x * t.y, yy += load * t.y * t.y;
  }
  double angle = 0.5 * atan2(2 * xy, xx - yy);
  return sup_m3_apply(X, sup_v3_make(cos(angle), sin(angle), 0));
}

/** Angles from m towards u, 0 among them.  atan2 is asked for those alone that may widen the range:
 * in front, angles are in the order of their slopes. */
typedef struct angle_range {
  double low, high, least_slope, most_slope;
} angle_range;

static void widen(angle_range *r, double along_u, double along_m) {
  if (along_m > 0 && along_u <= r->most_slope * along_m && along_u >= r->least_slope * along_m)
    return;
  double angle = atan2(along_u, along_m);
  r->low = fmin(r->low, angle), r->high = fmax(r->high, angle);
  if (!(along_m > 0)) return;
  r->least_slope = fmin(r->least_slope, along_u / along_m);
  r->most_slope = fmax(r->most_slope, along_u / along_m);
}

/** Centroid of a loaded contact that is farthest from a point. */
static sup_v3 farthest_from(const sup_observation *obs, int a, int b, sup_v3 point) {
  sup_v3 n, out = point;
  double load, most = 0;
  for (int i = 0; i < obs->num_contacts; i++) {
    if (!loaded_normal(&obs->contact[i], a, b, &n, &load)) continue;
    double way = sup_v3_norm(sup_v3_sub(obs->contact[i].centroid, point));
    if (way > most) most = way, out = obs->contact[i].centroid;
  }
  return out;
}

/** Distance between two loaded contacts of which each is the farthest from the other [m]. */
static double length_of(const sup_observation *obs, int a, int b, sup_v3 centre) {
  enum { ROUNDS = 4 };
  double length = 0;
  sup_v3 end = farthest_from(obs, a, b, centre);
  for (int k = 0; k < ROUNDS; k++) {
    sup_v3 other = farthest_from(obs, a, b, end);
    double way = sup_v3_norm(sup_v3_sub(other, end));
    if (!(way > length)) break;
    length = way, end = other;
  }
  return length;
}

static sup_pair_arc find_arc(const sup_observation *obs, int a, int b) {
  sup_v3       n, mean = {0, 0, 0}, centre = {0, 0, 0}, first = {0, 0, 0};
  double       load, sum = 0;
  angle_range  range = {.low = 0};
  sup_pair_arc arc = {.is_loaded = 0};
  for (int i = 0; i < obs->num_contacts; i++) {
    if (!loaded_normal(&obs->contact[i], a, b, &n, &load)) continue;
    if (sum == 0) first = n;
    sum += load, mean = sup_v3_madd(mean, load, n),
                 centre = sup_v3_madd(centre, load, obs->contact[i].centroid);
  }
  if (!(sum > 0)) return arc;
  arc.is_loaded = 1, arc.centre = sup_v3_scale(1 / sum, centre);
  arc.mean = sup_v3_scale(1 / sum, mean);
  sup_v3 m =
      sup_v3_norm(mean) > 1e-9 * sum ? sup_v3_unit(mean) : first; /* squeezed from both sides */
  sup_v3 u = direction_of_spread(obs, a, b, m);
  for (int i = 0; i < obs->num_contacts; i++) {
    if (!loaded_normal(&obs->contact[i], a, b, &n, &load)) continue;
    widen(&range, sup_v3_dot(n, u), sup_v3_dot(n, m));
  }
  for (int i = 0; i < obs->num_contacts; i++) {
    const sup_contact *c = &obs->contact[i];
    arc.seen += c->area * c->facing * fmax(0, presses_on(c, a, b) * sup_v3_dot(c->normal, m));
  }
  arc.wrap = range.high - range.low, arc.length = length_of(obs, a, b, arc.centre);
  return arc;
}

/** The greatest friction of a pair at the contact, in the direction of a tangential force of a
 * norm, over that without a tensor. */
static double stretch(const sup_observation *obs, const sup_contact *c, sup_v3 force, double norm) {
  const sup_friction *f = &obs->model->pair[c->pair].friction;
  double              S[3];
  sup_m3              R = sup_m3_frame_of_normal(c->normal);
  if (!sup_friction_is_anisotropic(f) || !(norm > 0)) return 1;
  sup_friction_tensor_at(f, &obs->X_WL[c->body_a].R, &obs->X_WL[c->body_b].R, &R, S);
  sup_v3 t = sup_m3_apply_t(R, force);
  return norm * (S[0] * S[2] - S[1] * S[1]) /
         hypot(S[2] * t.x - S[1] * t.y, S[0] * t.y - S[1] * t.x);
}

/** mu |f_n| at the contact's slip, at rest if the friction is larger [N]. */
static double friction_bound(const sup_observation *obs, const sup_contact *c, sup_v3 tangential,
                             double friction) {
  const sup_pair *pair = &obs->model->pair[c->pair];
  double          s = sup_v3_norm(c->slip) / obs->options.stiction_tolerance,
         mu = pair->model == SUP_MODEL_SAP ? pair->friction.mu
                                           : sup_friction_coefficient(&pair->friction, s);
  double load = normal_load(c) * stretch(obs, c, tangential, friction);
  if (sup_measure_numerics.slides * friction > mu * load && pair->model != SUP_MODEL_SAP)
    mu = fmax(mu, pair->friction.mu_static);
  return mu * load;
}

static sup_pair_slip find_slip(const sup_observation *obs, int a, int b) {
  sup_pair_slip slip = {.least = 1};
  double        area = 0, normal = 0, sliding_area = 0, sliding_normal = 0;
  for (int i = 0; i < obs->num_contacts; i++) {
    const sup_contact *c = &obs->contact[i];
    if (!presses_on(c, a, b)) continue;
    double load = sup_v3_dot(c->force, c->normal);
    sup_v3 tangential = sup_v3_madd(c->force, -load, c->normal);
    double friction = sup_v3_norm(tangential), bound = friction_bound(obs, c, tangential, friction);
    bool   slides = friction >= sup_measure_numerics.slides * bound;
    slip.bound += bound, slip.friction += friction;
    if (bound > 0) slip.least = fmin(slip.least, 1 - friction / bound);
    area += c->area, sliding_area += slides ? c->area : 0;
    normal += fabs(load), sliding_normal += slides ? fabs(load) : 0;
    slip.power -= sup_v3_dot(tangential, c->slip);
  }
  if (normal > 0) slip.share = area > 0 ? sliding_area / area : sliding_normal / normal;
  return slip;
}

/** Observation without the contacts before the first and behind the last between a and b. */
static sup_observation between(const sup_observation *obs, int a, int b) {
  sup_observation out = *obs;
  while (out.num_contacts > 0 && !presses_on(out.contact, a, b)) out.contact++, out.num_contacts--;
  while (out.num_contacts > 0 && !presses_on(&out.contact[out.num_contacts - 1], a, b))
    out.num_contacts--;
  return out;
}

static const sup_arc_cache *take_pair(const sup_observation *obs, int a, int b) {
  sup_arc_cache *taken = obs->arc;
  if (taken->is_known && taken->a == a && taken->b == b) return taken;
  const sup_observation near = between(obs, a, b);
  *taken = (sup_arc_cache){1, a, b, find_arc(&near, a, b), find_slip(&near, a, b)};
  return taken;
}

sup_pair_arc sup_observation_arc(const sup_observation *obs, int a, int b) {
  return take_pair(obs, a, b)->arc;
}

sup_pair_slip sup_observation_slip(const sup_observation *obs, int a, int b) {
  return take_pair(obs, a, b)->slip;
}

/* ---- pressure -------------------------------------------------------------------------------- */

double sup_observation_peak_pressure(const sup_observation *obs, int a, int b) {
  double peak = 0;
  int    num_surfaces = 0;
  for (int i = 0; i < obs->num_contacts; i++) {
    const sup_contact *c = &obs->contact[i];
    if (!presses_on(c, a, b)) continue;
    if (sup_contact_is_on_surface(c, obs->model)) {
      num_surfaces++;
      continue;
    }
    peak = sup_max(peak, sup_contact_peak_pressure(c));
  }
  for (int p = 0; p < obs->num_pairs && num_surfaces > 0; p++) {
    const sup_pair_sum *pair = &obs->pair[p];
    int                 forward = pair->b == b && (a == SUP_NONE || pair->a == a),
        backward = pair->a == b && (a == SUP_NONE || pair->b == a);
    if (pair->a == pair->b || !(forward || backward)) continue;
    sup_contact_pressure_add(obs->pressure, obs->num_contacts, obs->contact, obs->body_pair, p,
                             obs->x);
    for (int k = 0; k < obs->pressure->num_loaded; k++)
      peak = sup_max(peak, obs->pressure->pressure[obs->pressure->loaded[k]]);
  }
  return peak;
}

void sup_observation_update_motion(sup_observation *obs, const sup_state *state,
                                   const sup_step_result *result) {
  const sup_model *model = obs->model;
  obs->time = state->time, obs->step = state->step, obs->h = result ? result->increment.h : 0;
  obs->q = state->q, obs->v = state->v, obs->x = state->x, obs->xdot = state->xdot;
  obs->internal = state->internal;
  obs->chamber_pressure = state->chamber_pressure;
  obs->strand = state->strand;
  obs->constraint_place = state->constraint_place, obs->event = state->event,
  obs->task = state->task;
  const sup_increment next = sup_increment_of_state(&obs->options, state);
  obs->inputs = next.inputs, obs->gravity = next.gravity;
  if (result) {
    size_t n = (size_t)model->num_bodies;
    memcpy(obs->X_WL, result->X_WL, n * sizeof *obs->X_WL);
    memcpy(obs->w, result->link_w, n * sizeof *obs->w);
    memcpy(obs->velocity, result->link_v, n * sizeof *obs->velocity);
  } else {
    take_kinematics(obs);
  }
  take_centres(obs);
  const sup_wrench *no_wrench = (const sup_wrench *)(const void *)obs->zero;
  obs->contact_energy = result ? result->contact_energy : 0;
  obs->stick_energy = result ? result->stick_energy : 0;
  obs->num_contacts = result ? result->num_contacts : 0;
  obs->contact = result ? result->contact : NULL;
  obs->contact_force = result && result->contact_force ? result->contact_force : obs->zero;
  obs->joint_effort = result && result->joint_effort ? result->joint_effort : obs->zero;
  obs->attach_wrench = result && result->attach_wrench ? result->attach_wrench : no_wrench;
  obs->reaction = result && result->reaction ? result->reaction : no_wrench;
  sup_contact_pressure_forget(obs->pressure);
  obs->arc->is_known = 0;
  take_pairs(obs);
  if (result && result->pair_load) take_loads(obs, result->pair_load);
}

void sup_observation_update_stress(sup_observation *obs) {
  take_softs(obs);
  take_energies(obs);
}

void sup_observation_update(sup_observation *obs, const sup_state *state,
                            const sup_step_result *result) {
  sup_observation_update_motion(obs, state, result);
  sup_observation_update_stress(obs);
}
