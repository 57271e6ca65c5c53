#include "step/control/reversal.h"

#include <math.h>
#include <string.h>

#include "law/properties.h"
#include "step/control/error_norm.h"
#include "step/control/numerics.h"

static double dot2(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }
static double norm2(const double *a) { return sqrt(dot2(a, a)); }

/** Velocity that a driven base gains in the increment at a point of its tree. */
static sup_v3 gain_of_base(const sup_step_start *s, const sup_increment *inc, int tree, sup_v3 p) {
  const sup_base_motion *base = &s->kin.base[tree];
  sup_v3                 r = sup_v3_sub(p, base->X_WB.p);
  return sup_v3_scale(inc->h, sup_v3_add(base->vdot, sup_v3_cross(base->wdot, r)));
}

/** Velocity that the surface of one side gains by prescribed motion, independent of the solution.
 */
static sup_v3 gain_of_side(const sup_step_start *s, const sup_increment *inc, const sup_contact *c,
                           int side) {
  const sup_model *model = s->model;
  int              body = side ? c->body_b : c->body_a, tree = model->body[body].tree;
  int              geometry = side ? c->geometry_b : c->geometry_a;
  if (geometry == SUP_NONE) return sup_v3_make(0, 0, 0);
  sup_v3 gain = gain_of_base(s, inc, tree, c->centroid);
  sup_v3 after = sup_contact_surface_velocity(model, &s->kin, body, geometry, inc->t0 + inc->h),
         before = sup_contact_surface_velocity(model, &s->kin, body, geometry, inc->t0);
  return sup_v3_add(gain, sup_v3_sub(after, before));
}

/** Slip of a contact before the step: its rows times the velocities before the step. */
static void slip_before(const sup_step_start *s, const sup_increment *inc, const sup_contact *c,
                        const double *vc0, double slip[2]) {
  sup_m3 R = sup_m3_frame_of_normal(c->normal);
  sup_v3 gain = sup_v3_sub(gain_of_side(s, inc, c, 1), gain_of_side(s, inc, c, 0));
  gain = sup_v3_add(gain, c->drift);
  gain = sup_m3_apply_t(R, gain);
  slip[0] = vc0[0] - gain.x, slip[1] = vc0[1] - gain.y;
}

/** Friction of a contact that turns round or stops within the increment. */
typedef struct turning {
  int    row;       /* place of its components */
  double before[2]; /* slip at the start [m/s] */
  double share; /* share of the increment after which slip is least if friction stays as before */
} turning;

/** Slip below which a contact is at rest: within stiction, or negligible for the accuracy. */
static double rest(const sup_assembly *assembly, const sup_law_properties *law) {
  const sup_accuracy *o = &assembly->layout->options.accuracy;
  return fmax(sup_control_numerics.creeping * law->slip_tolerance,
              sup_control_numerics.negligible * o->tolerance * o->length / o->time);
}

/** Contacts whose slip reverses or comes to rest; full [num_vc] := additional impulse over the
 * whole increment if friction kept its direction.  A contact at rest at the end of the first half
 * may slip at the start of the second half, because joints have turned: this does not count as
 * coming to rest, and step doubling detects it. */
static int find_turning(const sup_step_start *s, const sup_assembly *assembly,
                        const sup_contact_problem *contacts, const sup_step_solution *solution,
                        const sup_increment *inc, const double *vc0, int late, unsigned char *rests,
                        turning *found, double *full) {
  int count = 0;
  for (int i = 0; i < contacts->list.count; i++) { /* contacts come first */
    int row = contacts->rows.constraint[i].first_vc, pair = contacts->list.contact[i].pair;
    const double      *after = solution->vc + row, *gamma = solution->gamma + row;
    sup_law_properties law;
    turning           *t = &found[count];
    if (gamma[0] == 0 && gamma[1] == 0) continue;
    sup_law_properties_at(&solution->law[i], after, gamma, &law);
    slip_before(s, inc, &contacts->list.contact[i], vc0 + row, t->before);
    double least = rest(assembly, &law), size = norm2(t->before);
    int    stops = norm2(after) <= least;
    if (!late && stops) rests[pair] = 1;
    if (size <= least || (stops ? late && rests[pair] : dot2(t->before, after) >= 0)) continue;
    for (int k = 0; k < 2; k++)
      full[row + k] = -law.friction_bound * t->before[k] / size - gamma[k];
    t->row = row, count++;
  }
  return count;
}

/** v := velocity changes of trees and vertices by the impulses, each by its diagonal block of A. */
static sup_status answer(const sup_step_start *s, const sup_assembly *assembly,
                         const double *impulse, double *v) {
  const sup_block_pattern *P = &s->layout->A_pattern;
  for (int b = 0; b < P->num_blocks; b++) {
    int           n = sup_block_size(P, b), at = sup_block_first(P, b), acts = 0;
    const double *p = impulse + at;
    bool          ok;
    for (int i = 0; i < n; i++) acts |= p[i] != 0, v[at + i] = 0;
    if (!acts) continue;
    SUP_TRY(
        sup_free_velocity(s->arena, n, sup_assembly_diagonal_block(assembly, b), p, v + at, &ok));
    if (!ok) memset(v + at, 0, (size_t)n * sizeof *v);
  }
  return SUP_OK;
}

/** Share of the increment after which each contact reverses, with friction as before: the point
 * nearest to zero on the line from the slip at the start to the slip at the end; 1: no reversal. */
static void set_shares(const sup_step_solution *solution, const double *gain, int count,
                       turning *found) {
  for (int i = 0; i < count; i++) {
    turning      *t = &found[i];
    const double *after = solution->vc + t->row;
    double        way[2];
    for (int k = 0; k < 2; k++) way[k] = t->before[k] - after[k] - gain[t->row + k];
    double share = dot2(t->before, way) / dot2(way, way);
    t->share = share > 0 && share < 1 ? share : 1;
  }
}

/** Error of velocities [num_scalars] over its bound: a share of the tolerance for trees and for
 * free soft bodies as a whole; the full tolerance for single vertices, which their neighbours
 * restrain. */
static double error_of(const sup_assembly *assembly, const double *impulse, const double *v) {
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  const sup_model         *model = assembly->layout->model;
  const sup_accuracy      *o = &assembly->layout->options.accuracy;
  double                   bodies = 0, vertices = 0, scale = o->time / o->length;
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE)
      bodies = fmax(bodies, sup_error_of_joint_velocities(
                                assembly->layout, t, v + sup_block_first(P, model->tree_block[t])));
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    sup_v3          sum = {0, 0, 0};
    for (int a = 0; a < soft->num_vertices; a++) {
      if (soft->kind[a] != SUP_VERTEX_FREE) continue;
      int at = sup_block_first(P, soft->block[a]);
      sum = sup_v3_add(sum, sup_v3_load(impulse + at));
      for (int k = 0; k < 3; k++) vertices = fmax(vertices, scale * fabs(v[at + k]));
    }
    if (sup_soft_turns_freely(model, soft, NULL))
      bodies = fmax(bodies, scale * sup_v3_norm(sum) / sup_fem_mass(soft->fem));
  }
  return fmax(bodies / sup_control_numerics.body, vertices) / o->tolerance;
}

/** missed [num_vc] := missed part of the full impulses; *at := the time share of the contact with
 * the largest missed impulse. */
static void set_missed(const turning *found, int count, int late, const double *full,
                       double *missed, double *at) {
  double most = -1;
  for (int i = 0; i < count; i++) {
    const turning *t = &found[i];
    double         share = t->share < 1 ? (late ? 1 - t->share : t->share) : 0;
    for (int k = 0; k < 2; k++) missed[t->row + k] = share * full[t->row + k];
    if (norm2(missed + t->row) > most) most = norm2(missed + t->row), *at = t->share;
  }
}

sup_status sup_step_find_reversal(const sup_step_start *s, const sup_assembly *assembly,
                                  const sup_contact_problem *contacts,
                                  const sup_step_solution *solution, const sup_increment *inc,
                                  int late, unsigned char *rests, sup_reversal *out) {
  sup_problem problem = sup_step_problem(assembly, contacts);
  double     *vc, *full, *impulse, *v;
  turning    *found;
  *out = (sup_reversal){0, 0};
  if (!late) memset(rests, 0, (size_t)s->model->num_pairs);
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, problem.num_vc, &vc, &full));
  SUP_TRY(SUP_ARENA(s->arena, found, contacts->list.count + 1));
  sup_problem_constraint_velocity(&problem, assembly->v0, 1, vc);
  memset(full, 0, (size_t)problem.num_vc * sizeof *full);
  int count = find_turning(s, assembly, contacts, solution, inc, vc, late, rests, found, full);
  if (count == 0) return SUP_OK;
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, s->layout->A_pattern.num_scalars, &impulse, &v));
  sup_problem_generalized_impulse(&problem, full, impulse);
  SUP_TRY(answer(s, assembly, impulse, v));
  sup_problem_constraint_velocity(&problem, v, 0, vc);
  set_shares(solution, vc, count, found);
  set_missed(found, count, late, full, full, &out->at);
  sup_problem_generalized_impulse(&problem, full, impulse);
  SUP_TRY(answer(s, assembly, impulse, v));
  out->error = error_of(assembly, impulse, v);
  return SUP_OK;
}

/* ---- friction that holds before slip ------------------------------------------------------------
 */

static int is_between_links(const sup_model *model, const sup_contact *c) {
  return model->body[c->body_a].soft == SUP_NONE && model->body[c->body_b].soft == SUP_NONE;
}

/** Add the i-th contact. */
static void add_stick(const sup_step_start *s, const sup_assembly *assembly,
                      const sup_contact_problem *contacts, const sup_step_solution *solution,
                      const sup_increment *inc, const double *vc0, int i, sup_stick *out) {
  int                row = contacts->rows.constraint[i].first_vc;
  const double      *after = solution->vc + row, *gamma = solution->gamma + row;
  sup_law_properties law;
  double             before[2];
  if (!(gamma[2] > 0) || (gamma[0] == 0 && gamma[1] == 0)) return;
  sup_law_properties_at(&solution->law[i], after, gamma, &law);
  slip_before(s, inc, &contacts->list.contact[i], vc0 + row, before);
  double least = rest(assembly, &law);
  int    is_same = dot2(before, after) >= 0;
  out->holds |= norm2(gamma) < sup_control_numerics.holding * law.friction_bound;
  out->slides |= is_same;
  out->breaks |= norm2(after) > least && (norm2(before) <= least || !is_same);
}

sup_status sup_step_find_stick(const sup_step_start *s, const sup_assembly *assembly,
                               const sup_contact_problem *contacts,
                               const sup_step_solution *solution, const sup_increment *inc,
                               sup_stick *stick) {
  sup_problem problem = sup_step_problem(assembly, contacts);
  double     *vc0, *force;
  stick->holds = stick->breaks = stick->slides = 0;
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, problem.num_vc, &vc0, &force));
  sup_problem_constraint_velocity(&problem, assembly->v0, 1, vc0);
  memset(force, 0, (size_t)problem.num_vc * sizeof *force);
  for (int i = 0; i < contacts->list.count; i++) { /* contacts come first */
    int row = contacts->rows.constraint[i].first_vc;
    if (!is_between_links(s->model, &contacts->list.contact[i])) continue;
    for (int k = 0; k < 2; k++) force[row + k] = solution->gamma[row + k] / inc->h;
    add_stick(s, assembly, contacts, solution, inc, vc0, i, stick);
  }
  sup_problem_generalized_impulse(&problem, force, stick->friction);
  return SUP_OK;
}

sup_status sup_step_error_of_stick(const sup_step_start *s, const sup_assembly *assembly,
                                   const sup_stick *brief, const sup_stick *taken, double duration,
                                   double *error) {
  int     n = s->layout->A_pattern.num_scalars;
  double *missed, *v;
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, n, &missed, &v));
  for (int k = 0; k < n; k++) missed[k] = duration * (brief->friction[k] - taken->friction[k]);
  SUP_TRY(answer(s, assembly, missed, v));
  *error =
      error_of(assembly, missed, v) * sup_control_numerics.body / sup_control_numerics.breaking;
  return SUP_OK;
}
