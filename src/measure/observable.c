#include "measure/observable.h"

#include <stdio.h>
#include <string.h>

#include "constraint/joint_rows.h"
#include "la/linear_solver.h"
#include "measure/observable_parts.h"
#include "measure/shadow.h"
#include "solve/solver.h"

/* ---- time, energies, the solver: one of each ------------------------------------------------- */

static int one(const sup_observed_scene *scene) { return scene != NULL; }

static int no_prefix(const sup_observed_scene *scene, int i, char *text) {
  (void)scene, (void)i;
  text[0] = '\0';
  return 1;
}

static int energy_prefix(const sup_observed_scene *scene, int i, char *text) {
  (void)scene, (void)i;
  strcpy(text, "energy.");
  return 1;
}

static int joint_energy_prefix(const sup_observed_scene *scene, int i, char *text) {
  for (int t = 0; t < scene->model->num_trees; t++)
    for (int l = 0; l < scene->model->tree[t]->num_links; l++)
      if (scene->model->tree[t]->links[l].friction > 0) return energy_prefix(scene, i, text);
  return 0;
}

static int rolling_energy_prefix(const sup_observed_scene *scene, int i, char *text) {
  return scene->model->has_rolling && energy_prefix(scene, i, text);
}

static int soft_energy_prefix(const sup_observed_scene *scene, int i, char *text) {
  return scene->model->num_softs > 0 && energy_prefix(scene, i, text);
}

static int stick_energy_prefix(const sup_observed_scene *scene, int i, char *text) {
  return scene->options->stick == SUP_STICK_ELASTIC && energy_prefix(scene, i, text);
}

static int relaxation_energy_prefix(const sup_observed_scene *scene, int i, char *text) {
  return scene->model->num_internal > 0 && energy_prefix(scene, i, text);
}

static int hold_energy_prefix(const sup_observed_scene *scene, int i, char *text) {
  return scene->model->num_events > 0 && energy_prefix(scene, i, text);
}

static int lengths_prefix(const sup_observed_scene *scene, int i, char *text) {
  return scene->options->accuracy.tolerance > 0 && no_prefix(scene, i, text);
}

static int certificate_prefix(const sup_observed_scene *scene, int i, char *text) {
  return scene->options->certificate && no_prefix(scene, i, text);
}

static int law_prefix(const sup_observed_scene *scene, int i, char *text) {
  return sup_contact_solver_table(scene->options->contact_solver)->iterates_on_impulses &&
         no_prefix(scene, i, text);
}

static int condition_prefix(const sup_observed_scene *scene, int i, char *text) {
  return scene->options->report_condition && no_prefix(scene, i, text);
}

static int linear_prefix(const sup_observed_scene *scene, int i, char *text) {
  return sup_backend_iterates(scene->options->backend) && no_prefix(scene, i, text);
}

static int tamsi_prefix(const sup_observed_scene *scene, int i, char *text) {
  return scene->options->contact_solver == SUP_CONTACT_SOLVER_TAMSI && no_prefix(scene, i, text);
}

NUMBER(time_of, at->obs->time)
static const sup_observable times[] = {{"time", "s", "time of the row", time_of, SUP_QUOTED_NOT}};

NUMBER(kinetic, at->obs->kinetic)
NUMBER(elastic, at->obs->elastic)
NUMBER(potential, at->obs->potential)
NUMBER(contact_energy, at->obs->contact_energy)
NUMBER(total_energy,
       at->obs->kinetic + at->obs->elastic + at->obs->contact_energy + at->obs->potential)
static const sup_observable energies[] = {
    {"kinetic", "J", "kinetic energy of all bodies", kinetic, SUP_QUOTED_ENERGY},
    {"elastic", "J", "elastic energy of the soft bodies", elastic, SUP_QUOTED_ENERGY},
    {"potential", "J", "energy of gravity, springs, chambers and cables", potential,
     SUP_QUOTED_NOT},
    {"contact", "J", "energy stored in compliant contacts", contact_energy, SUP_QUOTED_NOT},
    {"total", "J", "kinetic, elastic, potential and contact energy together", total_energy,
     SUP_QUOTED_NOT, .statistic = SUP_STATISTIC_FINAL, .entry = "energy_final"}};

NUMBER(stick_energy, at->obs->stick_energy)
static const sup_observable stick_energies[] = {
    {"stick", "J", "energy stored in elastic sticks, a part of contact", stick_energy,
     SUP_QUOTED_NOT}};

NUMBER(relaxation, at->account->relaxation)
static const sup_observable relaxation_energies[] = {
    {"relaxation", "J", "energy of soft bodies dissipated by viscoelasticity since the start",
     relaxation, SUP_QUOTED_NOT}};

NUMBER(taken_by_holds, at->account->holds)
static const sup_observable hold_energies[] = {
    {"holds", "J", "energy of soft bodies that holds took as they began, since the start",
     taken_by_holds, SUP_QUOTED_NOT}};

NUMBER(joint_friction, at->account->joints)
static const sup_observable joint_energies[] = {
    {"joint_friction", "J", "energy dissipated by dry friction of joints since the start",
     joint_friction, SUP_QUOTED_NOT}};

NUMBER(rolling_friction, at->account->rolling)
static const sup_observable rolling_energies[] = {
    {"rolling_friction", "J",
     "energy dissipated by rolling and torsional friction of contacts since the start",
     rolling_friction, SUP_QUOTED_NOT}};

NUMBER(damping, at->account->damping)
NUMBER(numerical, at->account->numerical)
static const sup_observable soft_energies[] = {
    {"damping", "J", "energy of soft bodies dissipated by material damping since the start",
     damping, SUP_QUOTED_NOT},
    {"numerical_dissipation", "J",
     "energy of soft bodies dissipated by the time scheme since the start", numerical,
     SUP_QUOTED_NOT}};

static int error_body(const sup_step_report *report) { return report->error_body; }
static int inverted_body(const sup_step_report *report) { return report->inverted_body; }

/** 0: the step ended by the absolute limit of THEORY 5.2, with an error relative to momenta near 0,
 * or as round-off, whose error is in round_off_error_max. */
static bool ends_by_tolerance(const sup_step_report *report) {
  return report->reason != SUP_REASON_ABSOLUTE && report->reason != SUP_REASON_ROUND_OFF;
}

NUMBER(newton, at->report->iterations)
NUMBER(newton_all_islands, at->report->iterations_sum)
NUMBER(islands, at->report->islands)
NUMBER(contacts, at->report->num_contacts)
NUMBER(momentum_error, at->report->momentum_error)
NUMBER(momentum_residual, at->report->momentum_residual)
NUMBER(island_error, at->report->island_error)
NUMBER(round_off, at->report->round_off)
NUMBER(penetration, at->report->penetration_max)
NUMBER(inverted_elements, at->report->inverted_cells)
NUMBER(friction_lag, at->report->friction_lag)
NUMBER(sweeps, at->report->sweeps)
NUMBER(ambiguous, at->report->ambiguous)
NUMBER(complementarity_error, at->report->complementarity_error)
NUMBER(slip_tolerance, at->report->slip_tolerance)
static const sup_observable solver[] = {
    {"newton", "-", "iterations of the contact solver, largest of all islands", newton,
     .statistic = SUP_STATISTIC_MEAN_AND_MAX, .entry = "newton"},
    {"momentum_error", "-", "momentum residual of the step relative to its momenta", momentum_error,
     .statistic = SUP_STATISTIC_MAX, .entry = "momentum_error_max", .counts = ends_by_tolerance,
     .body = error_body},
    {"momentum_residual", "sqrt(J)", "momentum residual of the step", momentum_residual,
     .statistic = SUP_STATISTIC_MAX, .entry = "momentum_residual_max"},
    {"newton_all_islands", "-", "iterations of the contact solver, sum over islands",
     newton_all_islands, .statistic = SUP_STATISTIC_MEAN_AND_MAX, .entry = "newton_all_islands"},
    {"islands", "-", "sets of bodies coupled by contacts, limits and actuators", islands,
     .statistic = SUP_STATISTIC_MEAN_AND_MAX, .entry = "islands"},
    {"contacts", "-", "contact polygons and points of the step", contacts,
     .statistic = SUP_STATISTIC_MEAN_AND_MAX, .entry = "contacts"},
    {"island_error", "-", "momentum residual of an island relative to its own momenta",
     island_error, .statistic = SUP_STATISTIC_MAX, .entry = "island_error_max", .body = error_body},
    {"round_off", "-", "estimated relative change of velocities by round-off in A", round_off,
     .statistic = SUP_STATISTIC_MAX, .entry = "round_off_max"},
    {"friction_lag", "-",
     "relative difference of the normal impulse that bounds friction from that of "
     "the step",
     friction_lag, .statistic = SUP_STATISTIC_MAX, .entry = "friction_lag_max"},
    {"sweeps", "-",
     "solutions with friction bounded by given normal impulses; with coupled "
     "friction 1 plus relaxed ones",
     sweeps, .statistic = SUP_STATISTIC_MEAN_AND_MAX, .entry = "sweeps"},
    {"ambiguous", "-", "islands with several solutions of coupled friction", ambiguous,
     .statistic = SUP_STATISTIC_MAX},
    {"complementarity_error", "-",
     "largest product of a contact's impulse and velocity relative to the energy of "
     "the step's momenta",
     complementarity_error, .statistic = SUP_STATISTIC_MAX, .entry = "complementarity_error_max"},
    {"slip_tolerance", "m/s",
     "largest slip at which friction of a pressing contact reaches its bound", slip_tolerance},
    {"penetration", "m", "deepest overlap of all contacts", penetration,
     .statistic = SUP_STATISTIC_MAX},
    {"inverted_elements", "-", "inverted cells", inverted_elements, .statistic = SUP_STATISTIC_MAX,
     .entry = "inverted_elements_max", .body = inverted_body}};

NUMBER(step_size, at->report->step_size)
NUMBER(step_error, at->report->step_error)
NUMBER(rejected, at->report->rejected)
static const sup_observable lengths[] = {
    {"step_size", "s", "length of the step", step_size, .statistic = SUP_STATISTIC_MEAN_AND_MAX,
     .entry = "step_length"},
    {"step_error", "-", "estimated relative error of the step, bounded by time.accuracy",
     step_error, .statistic = SUP_STATISTIC_MAX, .entry = "step_error_max"},
    {"rejected", "-", "rejected attempts at the step", rejected}};

NUMBER(ncp_primal, at->report->ncp_primal)
NUMBER(ncp_dual, at->report->ncp_dual)
NUMBER(ncp_complementarity, at->report->ncp_complementarity)
NUMBER(stick_speed_max, at->report->stick_speed_max)
NUMBER(friction_work_max, at->report->friction_work_max)
static const sup_observable certificate[] = {
    {"ncp_primal", "-", "violation of Coulomb's cone", ncp_primal, .statistic = SUP_STATISTIC_MAX,
     .entry = "ncp_primal_max"},
    {"ncp_dual", "m/s", "violation of the dual cone", ncp_dual, .statistic = SUP_STATISTIC_MAX,
     .entry = "ncp_dual_max"},
    {"ncp_complementarity", "-", "violation of complementarity", ncp_complementarity,
     .statistic = SUP_STATISTIC_MAX, .entry = "ncp_complementarity_max"},
    {"stick_speed_max", "m/s", "largest slip speed of a sticking contact", stick_speed_max,
     .statistic = SUP_STATISTIC_MAX, .entry = "stick_speed_max"},
    {"friction_work_max", "J", "largest work of friction on a contact, not above 0",
     friction_work_max, .statistic = SUP_STATISTIC_MAX, .entry = "friction_work_max"}};

NUMBER(law_residual, at->report->law_residual)
NUMBER(law_primal, at->report->law_primal)
NUMBER(law_dual, at->report->law_dual)
NUMBER(hand_overs, at->report->hand_overs)
NUMBER(law_complementarity, at->report->law_complementarity)
static const sup_observable laws[] = {
    {"law_residual", "-", "residual of the solver's contact law relative to the pressing contacts",
     law_residual, .statistic = SUP_STATISTIC_MAX, .entry = "law_residual_max"},
    {"law_primal", "N s", "largest distance of an impulse from its friction cone", law_primal},
    {"law_dual", "m/s", "largest distance of a contact's velocity from the dual cone", law_dual},
    {"law_complementarity", "J", "largest product of a contact's impulse and velocity",
     law_complementarity},
    {"hand_overs", "-", "islands solved by contact.dual.hand_over", hand_overs,
     .statistic = SUP_STATISTIC_MAX, .entry = "hand_overs_max"}};

static int timing_prefix(const sup_observed_scene *scene, int i, char *text) {
  return scene->def->timing && no_prefix(scene, i, text);
}

static int step_seconds(const sup_observed *at, double *out) {
  out[0] = 0;
  for (int k = 0; k < SUP_NUM_PHASES; k++) out[0] += at->report->seconds[k];
  return 1;
}

static const sup_observable timings[] = {
    {"step_seconds", "s", "wall time of the step without output", step_seconds}};

NUMBER(linear_iterations, at->report->linear.iterations)
NUMBER(linear_residual, at->report->linear.residual)
static const sup_observable linear[] = {
    {"linear_iterations", "-", "iterations of the linear solver, sum over Newton iterations",
     linear_iterations, .statistic = SUP_STATISTIC_MEAN_AND_MAX, .entry = "linear_iterations"},
    {"linear_residual", "-",
     "largest residual of the linear solver relative to the right-hand side", linear_residual,
     .statistic = SUP_STATISTIC_MAX, .entry = "linear_residual_max"}};

NUMBER(substeps, at->report->substeps)
static const sup_observable tamsi[] = {
    {"substeps", "-", "substeps of the step after a failure of Newton's method; 1: none", substeps,
     .statistic = SUP_STATISTIC_MEAN_AND_MAX, .entry = "substeps"}};

NUMBER(condition, at->report->condition)
static const sup_observable conditions[] = {
    {"condition", "-", "condition number of the Hessian at the solution", condition,
     .statistic = SUP_STATISTIC_MAX, .entry = "condition_max"}};

/* ---- rigid bodies and links on joints of several coordinates --------------------------------- */

/** Bodies of the `rigid:` section carry their tree's plain name; links are "ROBOT/LINK". */
static bool is_robot(const sup_model *model, int tree) {
  return strchr(model->body[model->tree_body[tree]].name, '/') != NULL;
}

static int num_bodies(const sup_observed_scene *scene) { return scene->model->num_bodies; }

static int body_prefix(const sup_observed_scene *scene, int i, char *text) {
  const sup_model *model = scene->model;
  const sup_body  *b = &model->body[i];
  if (b->soft != SUP_NONE) return 0;
  if (is_robot(model, b->tree) && model->tree[b->tree]->links[b->link].nv < 2) return 0;
  snprintf(text, SUP_COLUMN_MAX, "%s.", b->name);
  return 1;
}

VECTOR(position, at->obs->X_WL[at->index].p)
static int orientation(const sup_observed *at, double *out) {
  sup_pose pose = sup_pose_from_frame(&at->obs->X_WL[at->index]);
  memcpy(out, pose.q, sizeof pose.q);
  return 1;
}

VECTOR(velocity, at->obs->velocity[at->index])
VECTOR(angular_velocity, at->obs->w[at->index])
static const sup_observable bodies[] = {
    {"x y z", "m", "position of the body's origin", position, SUP_QUOTED_RIGID},
    {"qw qx qy qz", "-", "orientation as a unit quaternion", orientation, SUP_QUOTED_NOT},
    {"vx vy vz", "m/s", "velocity of the body's origin", velocity, SUP_QUOTED_NOT},
    {"wx wy wz", "rad/s", "angular velocity", angular_velocity, SUP_QUOTED_NOT}};

/* ---- joints of one coordinate ---------------------------------------------------------------- */

static int num_links(const sup_observed_scene *scene) {
  int sum = 0;
  for (int t = 0; t < scene->model->num_trees; t++) sum += scene->model->tree[t]->num_links;
  return sum;
}

/** Tree and link of the i-th link of all. */
static void find_link(const sup_model *model, int i, int *tree, int *link) {
  *tree = 0;
  while (i >= model->tree[*tree]->num_links) i -= model->tree[(*tree)++]->num_links;
  *link = i;
}

static int joint_prefix(const sup_observed_scene *scene, int i, char *text) {
  int t, l;
  find_link(scene->model, i, &t, &l);
  const sup_tree *tree = scene->model->tree[t];
  if (!is_robot(scene->model, t) || tree->links[l].nv != 1) return 0;
  snprintf(text, SUP_COLUMN_MAX, "%s.%s.", tree->name, tree->links[l].joint_name);
  return 1;
}

static int joint_state(const sup_observed *at, double *out) {
  int t, l;
  find_link(at->obs->model, at->index, &t, &l);
  int v = sup_model_link_v(at->obs->model, t, l);
  out[0] = at->obs->q[sup_model_link_q(at->obs->model, t, l)], out[1] = at->obs->v[v],
  out[2] = at->obs->joint_effort[v];
  return 1;
}

static int joint_position(const sup_observed *at, double *out) {
  double all[3];
  joint_state(at, all);
  out[0] = all[0];
  return 1;
}

static int joint_velocity(const sup_observed *at, double *out) {
  double all[3];
  joint_state(at, all);
  out[0] = all[1];
  return 1;
}

static int joint_effort(const sup_observed *at, double *out) {
  double all[3];
  joint_state(at, all);
  out[0] = all[2];
  return 1;
}

static const sup_observable joints[] = {
    {"q", "rad or m", "joint position", joint_position, SUP_QUOTED_NOT},
    {"v", "rad/s or m/s", "joint velocity", joint_velocity, SUP_QUOTED_NOT},
    {"tau", "N m or N", "effort of the joint's drive, limits and coupler", joint_effort,
     SUP_QUOTED_EFFORT}};

static int friction_prefix(const sup_observed_scene *scene, int i, char *text) {
  int t, l;
  find_link(scene->model, i, &t, &l);
  return scene->model->tree[t]->links[l].friction > 0 && joint_prefix(scene, i, text);
}

static int speed_limit_prefix(const sup_observed_scene *scene, int i, char *text) {
  int t, l;
  find_link(scene->model, i, &t, &l);
  return isfinite(scene->model->tree[t]->links[l].velocity_limit) && joint_prefix(scene, i, text);
}

static double effort_of(const sup_observed *at, sup_joint_role role) {
  const sup_model *model = at->obs->model;
  int              t, l, num_v = model->v_start[model->num_trees];
  find_link(model, at->index, &t, &l);
  return at->obs->joint_effort[(int)role * num_v + sup_model_link_v(model, t, l)];
}

NUMBER(joint_friction_effort, effort_of(at, SUP_JOINT_ROW_FRICTION))
NUMBER(speed_limit_effort, effort_of(at, SUP_JOINT_ROW_SPEED))
static const sup_observable joint_frictions[] = {
    {"friction", "N m or N", "effort of dry friction", joint_friction_effort, SUP_QUOTED_NOT}};
static const sup_observable speed_limits[] = {{"v_limit", "N m or N",
                                               "effort that keeps the velocity within its limit",
                                               speed_limit_effort, SUP_QUOTED_NOT}};

/* ---- soft bodies ----------------------------------------------------------------------------- */

static int num_softs(const sup_observed_scene *scene) { return scene->model->num_softs; }

static int soft_prefix(const sup_observed_scene *scene, int i, char *text) {
  snprintf(text, SUP_COLUMN_MAX, "%s.", scene->model->soft[i].name);
  return 1;
}

VECTOR(centre_of_mass, at->obs->soft[at->index].com)
NUMBER(volume, at->obs->soft[at->index].volume)
NUMBER(elastic_energy, at->obs->soft[at->index].elastic_energy)
NUMBER(von_mises_max, at->obs->soft[at->index].von_mises_max)
NUMBER(von_mises_p99, at->obs->soft[at->index].von_mises_p99)
NUMBER(stress_error, at->obs->soft[at->index].stress_error)

NUMBER(error_l2, at->obs->soft[at->index].error_l2)
NUMBER(error_h1, at->obs->soft[at->index].error_h1)

NUMBER(principal_stress, at->obs->soft[at->index].strength.stress)
NUMBER(principal_strain, at->obs->soft[at->index].strength.strain)

static int safety(const sup_observed *at, double *out) {
  double use = at->obs->soft[at->index].strength.use;
  out[0] = 1 / use;
  return use > 0;
}

static int critical(const sup_observed *at, double *out) {
  const sup_fem_strength *strength = &at->obs->soft[at->index].strength;
  sup_v3_store(out, strength->place);
  return strength->use > 0;
}

/** Ranks know the cells of their own alone. */
static bool has_strength(const sup_observed_scene *scene, int i) {
  return sup_fem_has_strength(scene->model->soft[i].fem) && !scene->model->ranks;
}

static bool recovers(const sup_observed_scene *scene, int i) {
  (void)i;
  return scene->def->recovers;
}

static bool has_exact(const sup_observed_scene *scene, int i) {
  return scene->model->soft[i].body_force != NULL;
}

static const sup_observable softs[] = {
    {"com_x com_y com_z", "m", "centre of mass", centre_of_mass, SUP_QUOTED_CENTRE},
    {"volume", "m^3", "volume", volume, SUP_QUOTED_NOT},
    {"elastic_energy", "J", "elastic energy", elastic_energy, SUP_QUOTED_ENERGY},
    {"von_mises_max", "Pa", "largest von Mises stress of its cells", von_mises_max, SUP_QUOTED_NOT},
    {"von_mises_p99", "Pa", "von Mises stress exceeded in 1 % of the volume", von_mises_p99,
     SUP_QUOTED_STRESS},
    {"principal_stress", "Pa",
     "with `strength`: largest principal stress over the initial area, recovered at its vertices",
     principal_stress, SUP_QUOTED_STRESS, has_strength},
    {"principal_strain", "-", "with `strength`: largest principal strain, stretch less 1",
     principal_strain, SUP_QUOTED_NOT, has_strength},
    {"safety", "-",
     "least factor of safety against strength and strain_at_break; empty when nothing "
     "is pulled",
     safety, SUP_QUOTED_NOT, has_strength},
    {"critical_x critical_y critical_z", "m", "place of least safety", critical, SUP_QUOTED_NOT,
     has_strength},
    {"stress_error", "-",
     "estimated error of the stress in the energy norm; with `supple static` or "
     "output.arrays",
     stress_error, SUP_QUOTED_NOT, recovers},
    {"error_l2", "m^2.5", "with `manufactured`: norm of the error of the displacement", error_l2,
     SUP_QUOTED_NOT, has_exact},
    {"error_h1", "m^1.5", "with `manufactured`: norm of the error of the displacement gradient",
     error_h1, SUP_QUOTED_NOT, has_exact}};

/* ---- pairs of output.pairs ------------------------------------------------------------------- */

static int num_pairs(const sup_observed_scene *scene) { return scene->def->num_pairs; }

static int pair_prefix(const sup_observed_scene *scene, int i, char *text) {
  snprintf(text, SUP_COLUMN_MAX, "contact.%s.%s.", scene->def->pair[i][0], scene->def->pair[i][1]);
  return 1;
}

/** A soft body with itself: its forces cancel. */
static bool is_self(const sup_observed_scene *scene, int i) {
  return strcmp(scene->def->pair[i][0], scene->def->pair[i][1]) == 0;
}

static bool is_two(const sup_observed_scene *scene, int i) { return !is_self(scene, i); }

/** Sum over a pair in the order of its name A.B: force on B, moment about B's origin. */
static sup_pair_sum pair_sum(const sup_observed *at) {
  const sup_column_pair *pair = &at->pair[at->index];
  if (pair->a == SUP_NONE) return sup_observation_sum_on(at->obs, pair->b);
  if (pair->pair == SUP_NONE) return (sup_pair_sum){.a = pair->a, .b = pair->b};
  sup_pair_sum sum = at->obs->pair[pair->pair];
  if (pair->b_is_first) sum.force = sup_v3_scale(-1, sum.force), sum.moment_b = sum.moment_a;
  return sum;
}

VECTOR(pair_force, pair_sum(at).force)
VECTOR(pair_moment, pair_sum(at).moment_b)
NUMBER(pair_normal, pair_sum(at).normal)
NUMBER(pair_count, pair_sum(at).count)
NUMBER(pair_area, pair_sum(at).area)
NUMBER(pair_penetration, pair_sum(at).penetration)

NUMBER(pair_peak,
       sup_observation_peak_pressure(at->obs, at->pair[at->index].a, at->pair[at->index].b))

static sup_pair_arc pair_arc(const sup_observed *at) {
  return sup_observation_arc(at->obs, at->pair[at->index].a, at->pair[at->index].b);
}

static int pair_centre(const sup_observed *at, double *out) {
  sup_pair_arc arc = pair_arc(at);
  sup_v3_store(out, arc.centre);
  return arc.is_loaded;
}

static int pair_wrap(const sup_observed *at, double *out) {
  const double degree = atan(1) / 45;
  sup_pair_arc arc = pair_arc(at);
  out[0] = arc.wrap / degree;
  return arc.is_loaded;
}

static int pair_length(const sup_observed *at, double *out) {
  sup_pair_arc arc = pair_arc(at);
  out[0] = arc.length;
  return arc.is_loaded;
}

/** No conformity of points, which have no area, nor of a body squeezed from all sides. */
static int pair_conformity(const sup_observed *at, double *out) {
  const sup_column_pair *pair = &at->pair[at->index];
  sup_pair_arc           arc = pair_arc(at);
  if (!(arc.seen > 0) || sup_v3_norm(arc.mean) < sup_measure_numerics.squeezed) return 0;
  double shared = sup_shadow_overlap(at->obs, pair->a, pair->b, sup_v3_unit(arc.mean));
  out[0] = arc.seen / shared;
  return shared > 0;
}

static sup_pair_slip pair_slip(const sup_observed *at) {
  return sup_observation_slip(at->obs, at->pair[at->index].a, at->pair[at->index].b);
}

static int pair_margin(const sup_observed *at, double *out) {
  sup_pair_slip slip = pair_slip(at);
  out[0] = slip.least, out[1] = 1 - slip.friction / slip.bound, out[2] = slip.share;
  return slip.bound > 0;
}

NUMBER(pair_power, pair_slip(at).power)

static const sup_observable pairs[] = {
    {"fx fy fz", "N", "contact force on B", pair_force, SUP_QUOTED_FORCE, is_two},
    {"tx ty tz", "N m",
     "contact moment on B about its origin, of a soft B about its centre of mass", pair_moment,
     SUP_QUOTED_NOT, is_two},
    {"fn", "N", "with A = B, a soft body with itself: sum of the normal forces", pair_normal,
     SUP_QUOTED_FORCE, is_self},
    {"count", "-", "pressing contact polygons or points", pair_count, SUP_QUOTED_NOT},
    {"area", "m^2", "area of the pressing contact polygons", pair_area, SUP_QUOTED_NOT},
    {"penetration", "m", "deepest overlap of a contact", pair_penetration, SUP_QUOTED_NOT},
    {"peak_pressure", "Pa",
     "largest contact pressure; of soft surfaces on rigid bodies at vertices", pair_peak,
     SUP_QUOTED_NOT},
    {"cpx cpy cpz", "m", "centre of pressure; empty when nothing presses", pair_centre,
     SUP_QUOTED_NOT, is_two},
    {"wrap", "deg", "largest angle between two loaded normals; empty when nothing presses",
     pair_wrap, SUP_QUOTED_NOT, is_two},
    {"length", "m",
     "between the two centroids of loaded contacts farthest from each other; empty when nothing "
     "presses",
     pair_length, SUP_QUOTED_NOT, is_two},
    {"conformity", "-",
     "area of the contacts over that which shadows of A and B share, both along the mean normal; "
     "empty without either",
     pair_conformity, SUP_QUOTED_NOT, is_two},
    {"slip_margin slip_margin_mean slip_share", "-",
     "1 - |ft|/(mu |fn|), mu that of ft's direction, least and mean by mu |fn|; share of the area "
     "(points: of |fn|) at the bound; empty without friction",
     pair_margin, SUP_QUOTED_NOT, is_two},
    {"friction_power", "W", "power dissipated by friction", pair_power, SUP_QUOTED_NOT, is_two}};

/* ---- the groups ------------------------------------------------------------------------------ */

static const sup_observable_group groups[] = {
    {"", "every row", one, no_prefix, ROWS(times)},
    {"BODY.", "each rigid body, and each link on a joint of several coordinates as ROBOT/LINK",
     num_bodies, body_prefix, ROWS(bodies)},
    {"ROBOT.JOINT.", "each joint of a robot with one coordinate", num_links, joint_prefix,
     ROWS(joints)},
    {"ROBOT.JOINT.", "each joint with dry friction", num_links, friction_prefix,
     ROWS(joint_frictions)},
    {"ROBOT.JOINT.", "each joint with velocity_limits enforced", num_links, speed_limit_prefix,
     ROWS(speed_limits)},
    {"BODY.", "each soft body", num_softs, soft_prefix, ROWS(softs)},
    {"contact.A.B.", "each pair of output.pairs", num_pairs, pair_prefix, ROWS(pairs)},
    {"energy.", "energies of the scene", one, energy_prefix, ROWS(energies)},
    {"energy.", "with contact.stick: elastic", one, stick_energy_prefix, ROWS(stick_energies)},
    {"energy.", "viscoelastic materials", one, relaxation_energy_prefix, ROWS(relaxation_energies)},
    {"energy.", "holds that begin or end by events", one, hold_energy_prefix, ROWS(hold_energies)},
    {"energy.", "joints with dry friction", one, joint_energy_prefix, ROWS(joint_energies)},
    {"energy.", "points with rolling or torsional friction", one, rolling_energy_prefix,
     ROWS(rolling_energies)},
    {"energy.", "scenes with soft bodies", one, soft_energy_prefix, ROWS(soft_energies)},
    {"", "the solver", one, no_prefix, ROWS(solver), .is_of_step = 1},
    {"", "a contact.solver that iterates on impulses", one, law_prefix, ROWS(laws),
     .is_of_step = 1},
    {"", "with time.accuracy", one, lengths_prefix, ROWS(lengths), .is_of_step = 1},
    {"", "with solver.certificate: distance of the contact model from Coulomb's law", one,
     certificate_prefix, ROWS(certificate), .is_of_step = 1},
    {"", "with contact.solver tamsi", one, tamsi_prefix, ROWS(tamsi), .is_of_step = 1},
    {"", "with output.timing", one, timing_prefix, ROWS(timings), .is_of_step = 1},
    {"", "with solver.backend cg or petsc", one, linear_prefix, ROWS(linear), .is_of_step = 1},
    {"", "with solver.report_condition", one, condition_prefix, ROWS(conditions), .is_of_step = 1}};

const sup_observable_group *sup_observable_group_at(int i) {
  const int num = SUP_COUNT(groups);
  if (i < num) return &groups[i];
  return i < num + SUP_NUM_DEVICE_GROUPS ? &sup_observable_devices[i - num] : NULL;
}
