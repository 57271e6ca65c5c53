/* Overrides of the contact rules for single pairs; errors and warnings of entries without effect.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "law/friction_softening.h"
#include "law/normal.h"
#include "model/build/build.h"
#include "model/numerics.h"
#include "solve/solver.h"

const sup_pair_def *sup_override_find(const sup_model_def *def, const char *a, const char *b) {
  for (int i = 0; i < def->num_pairs; i++) {
    const sup_pair_def *p = &def->pairs[i];
    if ((strcmp(p->a, a) == 0 && strcmp(p->b, b) == 0) ||
        (strcmp(p->a, b) == 0 && strcmp(p->b, a) == 0))
      return p;
  }
  return NULL;
}

static void replace(double *value, double by) {
  if (!isnan(by)) *value = by;
}

void sup_override_apply(sup_pair *pair, const sup_pair_def *override) {
  if (override->model != SUP_NONE) pair->model = (sup_contact_model) override->model;
  if (override->normal_law != SUP_NONE) pair->normal_law = (sup_normal_law) override->normal_law;
  /* A pair that names one coefficient has no other. */
  replace(&pair->friction.mu, override->friction);
  replace(&pair->friction.mu_static, override->friction);
  replace(&pair->friction.mu_static, override->static_friction);
  replace(&pair->friction.rolling, override->rolling_friction);
  replace(&pair->friction.torsional, override->torsional_friction);
  replace(&pair->dissipation, override->dissipation);
  replace(&pair->relaxation_time, override->relaxation_time);
  replace(&pair->stiffness, override->stiffness);
  if (pair->touch == SUP_TOUCH_POINT) replace(&pair->point_stiffness, override->point_stiffness);
  replace(&pair->hertz_radius, override->hertz_radius);
  replace(&pair->barrier_energy, override->barrier_energy);
  replace(&pair->barrier_surface_energy, override->barrier_surface_energy);
  replace(&pair->barrier_range, override->barrier_range);
}

/* ---- loads ----------------------------------------------------------------------------------- */

/** Parameters of a pair's law in the normal direction. */
static int law_uses(const sup_pair *pair) {
  if (pair->model == SUP_MODEL_SAP) return SUP_USES_STIFFNESS | SUP_USES_RELAXATION;
  return sup_normal_table(pair->normal_law)->uses;
}

/** "contact model sap" or "normal law hertz" */
static const char *law_text(const sup_pair *pair, char text[64]) {
  if (pair->model == SUP_MODEL_SAP) return "contact model sap";
  snprintf(text, 64, "normal law %s", sup_normal_name(pair->normal_law));
  return text;
}

static const char *touch_text(sup_touch touch) {
  return touch == SUP_TOUCH_POINT ? "in points, whose stiffness is 'point: {stiffness: ...}' [N/m]"
         : touch == SUP_TOUCH_SURFACE_DEPTH
             ? "with their surfaces, whose stiffness is 'stiffness' [Pa/m]; in points touch two "
               "rigid bodies that both have 'contact: {point: {stiffness: ...}}'"
             : "through pressure fields";
}

/** Entry of a pair definition: conditions under which it is given and acts on a pair of shapes. */
typedef struct entry {
  const char *name;
  int         is_given, acts;
  const char *why; /* parameter without effect; NULL: the law does not use it */
} entry;

enum { DISSIPATION = 2, RELAXATION = 3, MAX_ENTRIES = 13 }; /* places in the list */

static int list_entries(const sup_pair_def *o, const sup_pair *p, entry list[MAX_ENTRIES]) {
  static const char *const        too_small = "it is not above the pair's friction",
                           *const by_area = "a soft surface has 'surface_energy' [N/m]",
                           *const in_points = "points have 'energy' [J]";
  int                             uses = law_uses(p), count = 0, is_sap = p->model == SUP_MODEL_SAP;
  int         uses_k = uses & SUP_USES_STIFFNESS, is_depth = p->touch == SUP_TOUCH_SURFACE_DEPTH;
  const char *touch = touch_text(p->touch);
  list[count++] = (entry){"normal_law", o->normal_law != SUP_NONE, !is_sap, NULL};
  list[count++] = (entry){"static_friction", !isnan(o->static_friction),
                          p->friction.mu_static > p->friction.mu, too_small};
  list[count++] = (entry){"dissipation", !isnan(o->dissipation), uses & SUP_USES_DISSIPATION, NULL};
  list[count++] =
      (entry){"relaxation_time", !isnan(o->relaxation_time), uses & SUP_USES_RELAXATION, NULL};
  list[count++] =
      (entry){"stiffness", !isnan(o->stiffness), uses_k && is_depth, is_depth ? NULL : touch};
  list[count++] =
      (entry){"point", !isnan(o->point_stiffness), uses_k && p->touch == SUP_TOUCH_POINT,
              p->touch == SUP_TOUCH_POINT ? NULL : touch};
  list[count++] =
      (entry){"rolling_friction", !isnan(o->rolling_friction), p->touch == SUP_TOUCH_POINT, touch};
  list[count++] = (entry){"torsional_friction", !isnan(o->torsional_friction),
                          p->touch == SUP_TOUCH_POINT, touch};
  list[count++] =
      (entry){"hertz_radius", !isnan(o->hertz_radius), uses & SUP_USES_HERTZ_STIFFNESS, NULL};
  int uses_barrier = uses & SUP_USES_BARRIER_ENERGY, is_point = p->touch == SUP_TOUCH_POINT;
  list[count++] = (entry){"barrier.energy", !isnan(o->barrier_energy), uses_barrier && is_point,
                          uses_barrier ? by_area : NULL};
  list[count++] = (entry){"barrier.surface_energy", !isnan(o->barrier_surface_energy),
                          uses_barrier && !is_point, uses_barrier ? in_points : NULL};
  list[count++] =
      (entry){"barrier.range", !isnan(o->barrier_range), uses & SUP_USES_BARRIER_RANGE, NULL};
  return count;
}

static bool is_pair_of(const sup_model *model, const sup_pair *pair, const sup_pair_def *o) {
  const char *a = model->body[pair->a].name, *b = model->body[pair->b].name;
  return (strcmp(o->a, a) == 0 && strcmp(o->b, b) == 0) ||
         (strcmp(o->a, b) == 0 && strcmp(o->b, a) == 0);
}

/** Refuse an entry without effect: an error if it does not fit the pair's own law or contact
 * geometry, a warning if it does not fit the law of the whole scene, in which others are tried. */
static sup_status refuse(const sup_pair_def *o, const sup_pair *pair, const entry *e) {
  bool is_law = !e->why;
  int  law_is_own = pair->model == SUP_MODEL_SAP ? o->model != SUP_NONE : o->normal_law != SUP_NONE;
  char why[320], law[64];
  if (is_law)
    snprintf(why, sizeof why, "their %s does not use it", law_text(pair, law));
  else
    snprintf(why, sizeof why, "%s%s", e->why == touch_text(pair->touch) ? "they touch " : "",
             e->why);
  if (!is_law || law_is_own)
    return SUP_FAIL(SUP_E_ARG, "'%s' of the contact pair of '%s' and '%s' has no effect: %s",
                    e->name, o->a, o->b, why);
  sup_log(SUP_LOG_WARNING, "'%s' of the contact pair of '%s' and '%s' has no effect: %s", e->name,
          o->a, o->b, why);
  return SUP_OK;
}

static sup_status check_override(const sup_model *model, const sup_pair_def *o) {
  const sup_pair *first = NULL;
  entry           all[MAX_ENTRIES] = {{NULL, 0, 0, NULL}}, one[MAX_ENTRIES] = {{NULL, 0, 0, NULL}};
  int             count = 0;
  for (int p = 0; p < model->num_pairs; p++) {
    if (!is_pair_of(model, &model->pair[p], o)) continue;
    count = list_entries(o, &model->pair[p], first ? one : all);
    for (int i = 0; i < count && first; i++) all[i].acts |= one[i].acts;
    if (!first) first = &model->pair[p];
  }
  if (!first)
    return SUP_FAIL(
        SUP_E_ARG,
        "the contact pair of '%s' and '%s' has no effect: both are fixed, or neighbours in a "
        "robot, or filtered out by its file, or have no shapes that could touch; delete the pair",
        o->a, o->b);
  /* both kinds of damping are allowed, so that one scene works with all models and laws */
  bool is_damped = (all[DISSIPATION].is_given && all[DISSIPATION].acts) ||
                   (all[RELAXATION].is_given && all[RELAXATION].acts);
  for (int i = 0; i < count; i++) {
    if (!all[i].is_given || all[i].acts || ((i == DISSIPATION || i == RELAXATION) && is_damped))
      continue;
    SUP_TRY(refuse(o, first, &all[i]));
  }
  return SUP_OK;
}

sup_status sup_override_check(const sup_model *model, const sup_model_def *def) {
  for (int k = 0; k < def->num_pairs; k++)
    if (!def->pairs[k].disabled && !def->pairs[k].is_of_file)
      SUP_TRY(check_override(model, &def->pairs[k]));
  return SUP_OK;
}

/* ---- options --------------------------------------------------------------------------------- */

/** Warn of a body that requests point contact but meets only rigid bodies that do not. */
static void warn_of_lonely_points(const sup_model *model) {
  for (int b = 0; b < model->num_bodies; b++) {
    const sup_body *body = &model->body[b];
    int             asks = 0, partner = SUP_NONE, has_points = 0;
    for (int g = 0; g < body->num_geometries; g++)
      asks |= model->geometry[body->first_geometry + g].contact.point_stiffness > 0;
    for (int p = 0; p < model->num_pairs && asks && !has_points; p++) {
      const sup_pair *pair = &model->pair[p];
      if ((pair->a != b && pair->b != b) || pair->geometry_a == SUP_NONE ||
          pair->geometry_b == SUP_NONE)
        continue;
      has_points |= pair->touch == SUP_TOUCH_POINT;
      partner = pair->a == b ? pair->b : pair->a;
    }
    if (partner != SUP_NONE && !has_points)
      sup_log(SUP_LOG_WARNING,
              "'%s' has 'point' in its contact, but no rigid body that it may touch has it ('%s' "
              "has not): it touches with its surface",
              body->name, model->body[partner].name);
  }
}

static void warn(const char *name, const char *who) {
  sup_log(SUP_LOG_WARNING, "contact.%s has no effect: it belongs to %s, which no pair has", name,
          who);
}

void sup_override_warn(const sup_model *model) {
  const sup_contact_rules *o = &model->contact;
  sup_contact_rules        usual = sup_default_contact_rules();
  int                      uses = 0, laws = 0, surfaces = 0, layers = 0;
  for (int p = 0; p < model->num_pairs; p++) {
    const sup_pair *pair = &model->pair[p];
    surfaces |= pair->geometry_a == SUP_NONE && pair->touch == SUP_TOUCH_SURFACE_DEPTH &&
                !sup_pair_has_barrier(pair);
    layers |= (model->body[pair->a].soft != SUP_NONE || model->body[pair->b].soft != SUP_NONE) &&
              !sup_pair_has_barrier(pair);
    uses |= law_uses(&model->pair[p]);
    laws |= model->pair[p].model != SUP_MODEL_SAP;
  }
  const struct {
    const char *name, *who;
    int         is_changed, acts;
  } rule[] = {
      {"normal_law", "models other than sap", o->normal_law != usual.normal_law, laws},
      {"barrier.energy", "the normal laws log_barrier and ipc_barrier",
       o->barrier_energy != usual.barrier_energy, uses & SUP_USES_BARRIER_ENERGY},
      {"barrier.surface_energy", "the normal laws log_barrier and ipc_barrier",
       o->barrier_surface_energy != usual.barrier_surface_energy, uses & SUP_USES_BARRIER_ENERGY},
      {"barrier.range", "the normal law ipc_barrier", o->barrier_range != usual.barrier_range,
       uses & SUP_USES_BARRIER_RANGE},
      {"soft_surface", "soft bodies that overlap the depth of rigid shapes",
       o->soft_surface != usual.soft_surface, surfaces},
      {"layer", "soft bodies under other normal laws than barriers", o->layer != usual.layer,
       layers}};
  for (size_t i = 0; i < sizeof rule / sizeof *rule && model->num_pairs > 0; i++)
    if (rule[i].is_changed && !rule[i].acts) warn(rule[i].name, rule[i].who);
  warn_of_lonely_points(model);
}

/** Warn of SAP's near-rigid rule on soft bodies: it uses the diagonal of A, which depends on the
 * step. */
static void warn_of_rule(const sup_options *o, const sup_model *model) {
  if (!(o->accuracy.tolerance > 0 && o->beta > 0)) return;
  for (int p = 0; p < model->num_pairs; p++) {
    const sup_pair *pair = &model->pair[p];
    int             soft = model->body[pair->a].soft != SUP_NONE ? pair->a : pair->b;
    if (pair->model != SUP_MODEL_SAP || model->body[soft].soft == SUP_NONE) continue;
    sup_log(
        SUP_LOG_WARNING,
        "contact.beta with time.accuracy: how stiff contacts of the soft body '%s' are by the "
        "model sap changes with every step, which asks for more steps; contact.beta 0 ends that",
        model->body[soft].name);
    return;
  }
}

/** Share of static friction that regularised friction holds: the largest mu(s) f(s) of slips s over
 * mu_static, as mu falls from s = 10 on, where f has not quite come to 1. */
static double share_that_holds(const sup_friction *friction, sup_friction_softening softening) {
  enum { STEPS = 2000, PER_UNIT = 100 };
  double most = 0;
  for (int k = 1; k <= STEPS; k++) {
    double        s = (double)k / PER_UNIT;
    sup_soft_norm f = sup_soft_norm_of(softening, s, 0, 1);
    most = fmax(most, sup_friction_coefficient(friction, s) * f.tx);
  }
  return most / friction->mu_static;
}

static void warn_of_static_friction(const sup_options *o, const sup_model *model) {
  if (o->stick == SUP_STICK_ELASTIC ||
      sup_contact_solver_table(o->contact_solver)->iterates_on_impulses) /* friction of Coulomb */
    return;
  for (int p = 0; p < model->num_pairs; p++) {
    const sup_pair     *pair = &model->pair[p];
    const sup_friction *f = &pair->friction;
    if (pair->model == SUP_MODEL_SAP || !(f->mu_static > f->mu)) continue;
    double share = share_that_holds(f, o->softening);
    if (1 - share < sup_model_numerics.friction_lost) continue;
    sup_log(SUP_LOG_WARNING,
            "static_friction %g of '%s' and '%s' holds as %.4g: friction that grows with slip is "
            "not there yet where it falls to %g, at 10 stiction tolerances, whatever the step; "
            "'contact: {stick: elastic}' (models lagged and coupled) holds all of it",
            f->mu_static, model->body[pair->a].name, model->body[pair->b].name,
            share * f->mu_static, f->mu);
    return;
  }
}

/** Warn of entries of contact.dual without effect: only solvers on impulses, or rigid contact, read
 * them. */
static void warn_of_dual(const sup_options *o, const sup_model *model) {
  const sup_contact_solver_row *row = sup_contact_solver_table(o->contact_solver);
  const sup_dual_options       *dual = &o->dual, usual = sup_default_options().dual;
  int                           all_sap = 1;
  for (int p = 0; p < model->num_pairs; p++) all_sap &= model->pair[p].model == SUP_MODEL_SAP;
  if (!row->iterates_on_impulses && !row->leaves_residual &&
      (dual->tolerance != usual.tolerance || dual->max_iterations != usual.max_iterations ||
       dual->over_relaxation != usual.over_relaxation || dual->subspace != usual.subspace ||
       dual->proximal != usual.proximal || dual->alpha != usual.alpha ||
       dual->warm_start != usual.warm_start || dual->baumgarte != usual.baumgarte))
    sup_log(SUP_LOG_WARNING, "contact.dual has no effect: contact.solver is %s", row->name);
  else if (dual->baumgarte != usual.baumgarte && !dual->rigid)
    sup_log(SUP_LOG_WARNING,
            "contact.dual.baumgarte has no effect: it belongs to 'compliance: rigid'");
  if (dual->rigid && all_sap) warn("dual.compliance", "models other than sap");
}

void sup_options_warn(const sup_options *o, const sup_model *model) {
  sup_options usual = sup_default_options();
  int         lagged = 0, sticks = 0, softened = 0;
  for (int p = 0; p < model->num_pairs; p++) {
    sup_contact_model m = model->pair[p].model;
    sticks |= m == SUP_MODEL_LAGGED || m == SUP_MODEL_COUPLED;
    lagged |= m == SUP_MODEL_LAGGED || m == SUP_MODEL_LAGGED_REGULARIZED;
    softened |= m != SUP_MODEL_SAP;
  }
  if (model->num_pairs == 0) return;
  warn_of_rule(o, model);
  warn_of_static_friction(o, model);
  warn_of_dual(o, model);
  if (o->contact_solver != SUP_CONTACT_SOLVER_TAMSI &&
      (o->tamsi.coupling != usual.tamsi.coupling || o->tamsi.is_unlimited || o->tamsi.is_quasi ||
       o->tamsi.descends != usual.tamsi.descends ||
       o->tamsi.max_iterations != usual.tamsi.max_iterations ||
       o->tamsi.max_substeps != usual.tamsi.max_substeps))
    sup_log(SUP_LOG_WARNING, "contact.tamsi has no effect: contact.solver is not tamsi");
  if (o->contact_solver != SUP_CONTACT_SOLVER_NEWTON &&
      o->contact_solver != SUP_CONTACT_SOLVER_MUJOCO &&
      (o->newton != usual.newton || o->line_search != usual.line_search))
    sup_log(SUP_LOG_WARNING,
            "solver.newton and solver.line_search have no effect: contact.solver is %s",
            sup_contact_solver_table(o->contact_solver)->name);
  if (o->softening != usual.softening && !softened) warn("softening", "models other than sap");
  if (o->friction_sweeps != usual.friction_sweeps && !lagged) /* coupled friction needs no sweeps */
    warn("friction_sweeps", "the lagged models");
  if (o->stick != usual.stick && !sticks) warn("stick", "the models lagged and coupled");
  const sup_contact_solver_row *row = sup_contact_solver_table(o->contact_solver);
  if (o->stick == SUP_STICK_ELASTIC && sticks && !row->accepts(SUP_LAW_ELASTIC_STICK))
    sup_log(SUP_LOG_WARNING,
            "contact.stick: elastic has no effect: what sticks creeps with the contact solver %s",
            row->name);
  if (o->sweep_tolerance != usual.sweep_tolerance && !(lagged && o->friction_sweeps > 1))
    warn("sweep_tolerance", "two or more friction_sweeps of the lagged models");
}
