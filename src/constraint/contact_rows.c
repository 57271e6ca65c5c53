#include "constraint/contact_rows.h"

#include <math.h>
#include <string.h>

#include "constraint/anchor.h"
#include "constraint/delassus.h"
#include "constraint/numerics.h"

#define PI 3.14159265358979323846

enum { NORMAL = 2 };

/** J += weight R^T times a 3 x n world Jacobian. */
static void add_rotated(double *J, const sup_m3 *R, double weight, const double *world, int n) {
  for (int r = 0; r < 3; r++)
    for (int j = 0; j < n; j++)
      J[r * n + j] += weight * (R->m[0][r] * world[j] + R->m[1][r] * world[n + j] +
                                R->m[2][r] * world[2 * n + j]);
}

/* ---- links ----------------------------------------------------------------------------------- */

enum { TWIST = 6 };

/** Twist of a link, of its origin, by the velocities of its tree: velocity first. */
typedef struct link_twist {
  int    body; /* SUP_NONE: nothing is set */
  int    nv;
  sup_v3 origin;
  double by_base[TWIST];             /* by driven bases */
  double T[TWIST * SUP_TREE_MAX_NV]; /* [6 x nv], row-major */
} link_twist;

/** Contacts of one pair follow each other: the twist is kept until the body changes. */
static void find_twist(const sup_contact_context *c, int body, link_twist *out) {
  int t = c->model->body[body].tree, n = c->model->tree[t]->nv;
  if (out->body == body) return;
  out->body = body, out->nv = n, out->origin = c->kin->X_WL[body].p;
  sup_v3_store(out->by_base, c->kin->v[body]), sup_v3_store(out->by_base + 3, c->kin->w[body]);
  if (n == 0) return;
  const double            *v = c->v0 + sup_block_first(c->A_pattern, c->model->tree_block[t]);
  int                      link = c->model->body[body].link;
  sup_tree_kinematics_data part = sup_kinematics_tree(c->kin, c->model, t);
  sup_tree_point_jacobian(c->model->tree[t], &part, link, out->origin, out->T);
  sup_tree_angular_jacobian(c->model->tree[t], &part, link, out->T + 3 * n);
  for (int r = 0; r < TWIST; r++)
    for (int j = 0; j < n; j++) out->by_base[r] -= out->T[r * n + j] * v[j];
}

/** S = R^T [1, -[r]x]: the velocity in the contact's frame at r from the point of the twist; of the
 * centroid for friction, of the foot along the normal. */
static void set_point_velocity(const sup_m3 *R, const sup_contact *contact, sup_v3 origin,
                               double *S) {
  for (int i = 0; i < 3; i++) {
    sup_v3 axis = sup_m3_column(R, i),
           r = sup_v3_sub(i == NORMAL ? contact->foot : contact->centroid, origin);
    sup_v3_store(S + TWIST * i, axis), sup_v3_store(S + TWIST * i + 3, sup_v3_cross(r, axis));
  }
}

/** J [3 x n] += sign S T. */
static inline __attribute__((always_inline)) void add_twisted(double *restrict J, const double *S,
                                                              const double *T, double sign,
                                                              const int n) {
  for (int r = 0; r < 3; r++)
    for (int k = 0; k < TWIST; k++) {
      double s = sign * S[TWIST * r + k];
      for (int j = 0; j < n; j++) J[r * n + j] += s * T[k * n + j];
    }
}

/** A contact on a link. */
static sup_status add_link(sup_rows *rows, const sup_contact_context *c, const sup_contact *contact,
                           int body, const sup_m3 *R, double sign, link_twist *twist) {
  double S[3 * TWIST], *J = NULL;
  find_twist(c, body, twist);
  set_point_velocity(R, contact, sup_v3_add(twist->origin, contact->lever), S);
  if (twist->nv > 0)
    SUP_TRY(sup_rows_block(rows, c->model->tree_block[c->model->body[body].tree], twist->nv, &J));
  if (twist->nv == TWIST)
    add_twisted(J, S, twist->T, sign, TWIST);
  else
    add_twisted(J, S, twist->T, sign, twist->nv);
  add_twisted(sup_rows_last(rows)->bias, S, twist->by_base, sign, 1);
  return SUP_OK;
}

/** Reference point of a link's contact, world: the centre of a ball; the centre of mass for
 * patches, which are searched with links turned by their spin; else the contact point itself. */
static sup_v3 carried_by(const sup_contact_context *c, const sup_contact *contact, int body,
                         int geometry, sup_v3 place) {
  const sup_geometry *g = &c->model->geometry[geometry];
  const sup_frame    *X = &c->kin->X_WL[body];
  int                 t = c->model->body[body].tree, link = c->model->body[body].link;
  if (g->shape.type == SUP_SHAPE_SPHERE) return sup_frame_apply(X, g->X_LG.p);
  if (contact->slope > 0) return sup_frame_apply(X, c->model->tree[t]->links[link].com);
  return place;
}

/** Change of a link's velocity at a contact as the joints move at the velocities of the start.
 * Without this change friction acts along axes of the start: slip of an arm's tip by the turning of
 * joints appears a step late, and extrapolated steps stick where contacts should slide
 * (THEORY 17.2). */
static sup_v3 drift_of_link(const sup_contact_context *c, const sup_contact *contact, int body,
                            int geometry) {
  int             t = c->model->body[body].tree, link = c->model->body[body].link;
  const sup_tree *tree = c->model->tree[t];
  if (tree->nv == 0 || (tree->links[link].joint == SUP_JOINT_FLOATING && tree->links[link].rests))
    return (sup_v3){0, 0, 0};
  sup_tree_kinematics_data now = sup_kinematics_tree(c->kin, c->model, t),
                           then = sup_kinematics_tree(c->ahead, c->model, t);
  sup_v3 place = sup_v3_sub(contact->centroid, contact->lever),
         o = carried_by(c, contact, body, geometry, place);
  sup_v3 moved = sup_frame_apply(&then.X_WL[link], sup_frame_apply_inverse(&now.X_WL[link], o));
  sup_v3 gained = sup_v3_sub(sup_tree_point_velocity(&then, link, moved),
                             sup_tree_point_velocity(&now, link, o));
  sup_v3 turned = sup_v3_sub(then.w[link], now.w[link]);
  return sup_v3_add(gained, sup_v3_cross(turned, sup_v3_sub(place, o)));
}

/** Add the drift of both links to the row's bias, in the tangent plane. */
static void add_drift(sup_rows *rows, const sup_contact_context *c, sup_contact *contact,
                      const sup_m3 *R) {
  sup_v3 drift = {0, 0, 0};
  if (c->ahead && contact->geometry_b != SUP_NONE)
    drift = drift_of_link(c, contact, contact->body_b, contact->geometry_b);
  if (c->ahead && contact->geometry_a != SUP_NONE)
    drift = sup_v3_sub(drift, drift_of_link(c, contact, contact->body_a, contact->geometry_a));
  contact->drift = sup_v3_madd(drift, -sup_v3_dot(drift, contact->normal), contact->normal);
  if (c->ahead) sup_v3_accumulate(sup_rows_last(rows)->bias, 1, sup_m3_apply_t(*R, contact->drift));
}

/** The columns of the components that are free; columns of held ones are zero. */
static void add_free_axes(double *J, const sup_m3 *R, double weight, const int *holder) {
  for (int r = 0; r < 3; r++)
    for (int j = 0; j < 3; j++)
      if (holder[j] == SUP_NONE) J[3 * r + j] += weight * R->m[j][r];
}

/** A vertex that is not tied. */
static sup_status add_vertex(sup_rows *rows, const sup_contact_context *c, int s, int i,
                             const sup_m3 *R, double weight) {
  const sup_soft *soft = &c->model->soft[s];
  double         *J;
  if (soft->num_dirichlet > 0)
    sup_v3_accumulate(sup_rows_last(rows)->bias, weight,
                      sup_m3_apply_t(*R, sup_v3_load(c->held[s] + 3 * i)));
  if (soft->kind[i] == SUP_VERTEX_FREE) {
    SUP_TRY(sup_rows_block(rows, soft->block[i], 3, &J));
    add_free_axes(J, R, weight, c->holder[s] + 3 * i);
  } else if (soft->kind[i] == SUP_VERTEX_ATTACHED) {
    const sup_attachment *a = &c->attachment[s];
    int                   nv = soft->attachment[soft->attach_of[i]].nv;
    if (nv > 0) {
      SUP_TRY(sup_rows_block(rows, sup_soft_moving_block(c->model, soft, i), nv, &J));
      add_rotated(J, R, weight, sup_attachment_jacobian(a, soft, i), nv);
    }
    sup_v3_accumulate(sup_rows_last(rows)->bias, weight,
                      sup_m3_apply_t(*R, sup_v3_load(a->base + 3 * soft->attach_slot[i])));
  }
  return SUP_OK;
}

/** A point carried by the vertices of a soft body. */
static sup_status add_soft(sup_rows *rows, const sup_contact_context *c, int body,
                           const sup_carrier *carrier, const sup_m3 *R, double sign) {
  int s = c->model->body[body].soft;
  for (int k = 0; k < carrier->num_vertices; k++) {
    int              n;
    const sup_mover *mover = sup_soft_movers(&c->model->soft[s], carrier->vertex[k], &n);
    double           weight = sign * carrier->weight[k];
    if (weight == 0) continue; /* a vertex of a surface that keeps a gap */
    if (!mover) SUP_TRY(add_vertex(rows, c, s, carrier->vertex[k], R, weight));
    for (int j = 0; j < n; j++)
      SUP_TRY(add_vertex(rows, c, mover[j].soft, mover[j].vertex, R, weight * mover[j].weight));
  }
  return SUP_OK;
}

static double row_dot(const sup_rows *rows, const sup_contact_context *c, int component) {
  const sup_constraint *row = &rows->constraint[rows->num_constraints - 1];
  double                sum = row->bias[component];
  for (int k = 0; k < row->num_blocks; k++) {
    const sup_jacobian_block *b = &rows->jacobian[row->first_block + k];
    int                       n = sup_block_size(c->A_pattern, b->block);
    const double             *v = c->v0 + sup_block_first(c->A_pattern, b->block);
    for (int j = 0; j < n; j++)
      sum += rows->jacobian_value[b->value + (size_t)(component * n + j)] * v[j];
  }
  return sum;
}

/* ---- properties of surfaces ------------------------------------------------------------------ */

sup_v3 sup_contact_surface_velocity(const sup_model *model, const sup_kinematics *kin, int body,
                                    int geometry, double t) {
  const sup_contact_def *def = sup_model_contact_def(model, body, geometry);
  double                 swing = sin(2 * PI * def->surface_frequency * t + def->surface_phase);
  sup_v3                 s =
      sup_v3_madd(sup_v3_load(def->surface_velocity), swing, sup_v3_load(def->surface_amplitude));
  return sup_m3_apply(kin->X_WL[body].R, s);
}

/** The surface of a belt moves in its tangent plane. */
static void add_surface_velocity(sup_rows *rows, const sup_contact_context *c, int body,
                                 int geometry, const sup_m3 *R, double sign) {
  double end = c->inc->t0 + c->inc->h;
  sup_v3 s = sup_contact_surface_velocity(c->model, c->kin, body, geometry, end);
  s = sup_m3_apply_t(*R, s);
  s.z = 0;
  sup_v3_accumulate(sup_rows_last(rows)->bias, sign, s);
}

/** S of the pair in the contact's tangent axes. */
static sup_anisotropy anisotropy(const sup_contact_context *c, const sup_contact *contact,
                                 const sup_friction *friction, const sup_m3 *R) {
  double                 S[3];
  const sup_frame *const X = c->kin->X_WL;
  if (!sup_friction_is_anisotropic(friction)) return (sup_anisotropy){0, 1, 0, 1};
  sup_friction_tensor_at(friction, &X[contact->body_a].R, &X[contact->body_b].R, R, S);
  return (sup_anisotropy){1, S[0], S[1], S[2]};
}

/* ---- laws ------------------------------------------------------------------------------------ */

static double stiffness(const sup_contact *contact) {
  if (contact->point_stiffness > 0) return contact->point_stiffness;
  return contact->slope * contact->area * contact->facing;
}

/** Stiffness k, limited to what the step resolves: a period of beta steps, THEORY 6.2 "near-rigid
 * rule" with tau = 0; in steps of varying length by the reference step, since changes of stiffness
 * would excite motion (THEORY 17.4). */
static double near_rigid(const sup_increment *inc, double k, double w) {
  double period = inc->beta * inc->reference / (2 * 3.14159265358979323846);
  return fmin(k, 1 / (period * period * w));
}

/** Contacts that a patch was cut into for its moment have the stiffness of one. */
static double parts_of(const sup_contact *contact) { return contact->parts ? contact->parts : 1; }

/** SAP law of a contact, THEORY 6.2; *k := the stiffness that Rn has.  Both regularisations are a
 * spring and a damper of the reference step (THEORY 17.4). */
static sup_sap sap_law(const sup_contact_context *c, const sup_contact *contact, sup_inverse_mass w,
                       double mu, double *k) {
  const sup_increment *inc = c->inc;
  double dt = inc->h, tau = inc->motion * c->model->pair[contact->pair].relaxation_time;
  double period = inc->beta / (2 * 3.14159265358979323846);
  double rigid = period * period * w.n * parts_of(contact), damper = inc->sigma * w.t,
         whole = inc->reference;
  if (whole != dt) /* steps of the reference length keep their bits */
    rigid *= whole * (whole + tau) / (dt * (dt + tau)), damper *= whole / dt;
  double Rn = fmax(rigid, 1 / (dt * *k * (dt + tau)));
  *k = 1 / (Rn * dt * (dt + tau));
  return (sup_sap){.mu = mu,
                   .Rt = damper,
                   .Rn = Rn,
                   .vhat = -(contact->phi - contact->advance) / (dt + tau),
                   .delay = dt + tau};
}

static sup_status check_normal(const sup_contact_context *c, const sup_contact *contact,
                               sup_normal_law kind) {
  if (sup_normal_table(kind)->is_barrier && !(contact->phi > 0))
    return SUP_FAIL(
        SUP_E_GEOMETRY,
        "'%s' and '%s' overlap by %g m; the normal law %s needs a gap at the step's start",
        c->model->body[contact->body_a].name, c->model->body[contact->body_b].name, -contact->phi,
        sup_normal_name(kind));
  return SUP_OK;
}

/** Normal impulse that bounds friction: that of the step's start; once time has elapsed, that of
 * the present velocity. */
static double present_impulse(const sup_normal *normal, double vn, double elapsed) {
  double cost, n, slope;
  if (!(elapsed > 0)) return sup_normal_lagged(normal, vn);
  sup_normal_evaluate(normal, vn, &cost, &n, &slope);
  return n;
}

/** Barrier energy of a contact [J]; of a soft surface in proportion to the area that the shape
 * sees. */
static double barrier_energy(const sup_pair *pair, const sup_contact *contact) {
  return contact->point_stiffness > 0
             ? pair->barrier_energy
             : pair->barrier_surface_energy * contact->area * contact->facing;
}

/** Coulomb law of a contact with stiffness k and the gap phi0 at the step's start. */
static sup_coulomb coulomb_law(const sup_contact_context *c, const sup_contact *contact, double k,
                               double phi0) {
  const sup_pair      *pair = &c->model->pair[contact->pair];
  const sup_increment *inc = c->inc;
  return (sup_coulomb){.normal = {.kind = pair->normal_law,
                                  .dt = inc->h,
                                  .phi0 = phi0,
                                  .f0 = -k * phi0,
                                  .k = k,
                                  .d = inc->motion * contact->dissipation,
                                  .tau = inc->motion * pair->relaxation_time,
                                  .hertz = pair->hertz_stiffness,
                                  .barrier_energy = barrier_energy(pair, contact),
                                  .barrier_range = pair->barrier_range},
                       .slip = inc->stiction_tolerance,
                       .softening = inc->softening};
}

/** True if friction is coupled: equilibria are, too; the first problem of a load step, linear about
 * its start, bounds friction by the force there. */
static bool is_coupled(const sup_contact_context *c, sup_contact_model model) {
  return model == SUP_MODEL_COUPLED || (!(c->inc->motion > 0) && c->elapsed > 0);
}

/** Damping of the normal force over its stiffness at the step's start [s]: of Hunt and Crossley's
 * k x (1 + d x') it is d x. */
static double damping_time(const sup_normal *normal) {
  int uses = sup_normal_table(normal->kind)->uses;
  return (uses & SUP_USES_RELAXATION ? normal->tau : 0) +
         (uses & SUP_USES_DISSIPATION ? normal->d * fmax(-normal->phi0, 0) : 0);
}

/** k_t follows k as for smooth bodies (Mindlin: 2 (1 - nu)/(2 - nu) of it, .8 in the middle of the
 * range); between rigid bodies it is no stiffer than the step resolves.  Its damping follows that
 * of the normal force, but is no less than the step needs. */
static void set_spring(sup_law *law, const sup_contact_context *c, const sup_stick *stick,
                       const sup_m3 *R, double k, double w) {
  double beta = c->inc->beta, dt = c->inc->reference, tau = beta * dt / PI,
         kt = sup_constraint_numerics.tangential * k;
  double most = 4 * PI * PI / (beta * beta * w * dt * (dt + tau)), stretch[2];
  if (w > 0 && beta > 0) kt = fmin(kt, most);
  sup_stick_project(stick, R, kt, stretch);
  sup_law_set_spring(law, kt, fmax(tau, damping_time(&law->coulomb.normal)), stretch);
}

/** Replace the tangent of a patch by its secant where the step does not resolve the tangent.
 * Controlled steps use the tangent: with a secant of 2/3 of it, stiff motion is multiplied by -1/2
 * in a step, hence by 2 (-1/2)^2 - (-1/2) = 1 after extrapolation: it is never damped. */
static void choose_line(const sup_increment *inc, sup_contact *contact, double w) {
  double k = contact->slope * contact->patch_area * contact->facing;
  if (inc->is_controlled && inc->motion > 0) contact->secant_slope = 0;
  if (!(contact->secant_slope > 0) || k * w * inc->h * inc->h <= sup_constraint_numerics.resolved) {
    contact->power = 0;
    return;
  }
  contact->slope = contact->secant_slope, contact->phi = contact->secant_phi;
  contact->spread = 0, contact->secant_slope = 0;
}

static int needs_inverse_mass(const sup_contact_context *c, const sup_contact *contact,
                              const sup_stick *stick) {
  const sup_pair   *pair = &c->model->pair[contact->pair];
  sup_contact_model model = sup_increment_model(c->inc, pair);
  int               is_rigid = contact->geometry_a != SUP_NONE,
      is_limited = pair->touch == SUP_TOUCH_SURFACE_DEPTH || contact->secant_slope > 0 || stick;
  return (is_rigid && is_limited) || model == SUP_MODEL_SAP ||
         sup_contact_model_is_regularized(model);
}

/** Normal force and bound of friction at the start's normal velocity vn, for moments. */
static void set_start_force(sup_contact *contact, const sup_law *law, double vn, double mu,
                            double dt) {
  bool   is_sap = law->kind == SUP_LAW_SAP;
  double gn0 = is_sap ? fmax(0, (law->sap.vhat - vn) / law->sap.Rn) : law->coulomb.gn0;
  contact->start_force = gn0 / dt, contact->start_friction = mu * gn0 / dt;
}

/** Change of the normal velocity at the step's start by driven bases, whose velocity in a row is
 * the mean of the step [m/s]; 0 in load steps, which have no velocity before. */
static double base_jump(const sup_contact_context *c, const sup_contact *contact) {
  int body[2] = {contact->body_a, contact->body_b},
      geometry[2] = {contact->geometry_a, contact->geometry_b};
  double jump[2] = {0, 0};
  if (c->elapsed > 0) return 0;
  for (int k = 0; k < 2; k++) {
    if (geometry[k] == SUP_NONE) continue;
    const sup_base_motion *base = &c->kin->base[c->model->body[body[k]].tree];
    sup_v3                 turn = sup_v3_cross(base->wdot, sup_v3_sub(contact->foot, base->X_WB.p));
    jump[k] = c->inc->h * sup_v3_dot(contact->normal, sup_v3_add(base->vdot, turn));
  }
  return jump[1] - jump[0];
}

/** Law of a contact with the velocity v [3] of the step's start in its frame; sets its stiffness.
 */
static sup_status find_law(const sup_contact_context *c, sup_contact *contact,
                           const sup_stick *stick, const sup_m3 *R, const double v[3],
                           sup_inverse_mass w, sup_law *law) {
  const sup_pair      *pair = &c->model->pair[contact->pair];
  const sup_increment *inc = c->inc;
  sup_contact_model    model = sup_increment_model(inc, pair);
  double               k = stiffness(contact);
  double               slip = sqrt(v[0] * v[0] + v[1] * v[1]) / inc->stiction_tolerance;
  const sup_friction   friction = sup_inputs_friction(inc->inputs, c->model, contact->pair);
  double               mu = sup_friction_coefficient(&friction, slip);
  double               start = v[NORMAL] - base_jump(c, contact);
  int                  is_rigid = contact->geometry_a != SUP_NONE;
  if (contact->secant_slope > 0) {
    choose_line(inc, contact, w.n);
    k = stiffness(contact);
  }
  law->anisotropy = anisotropy(c, contact, &friction, R);
  if (model == SUP_MODEL_SAP) {
    law->kind = SUP_LAW_SAP;
    law->sap = sap_law(c, contact, w, mu, &k);
  } else {
    SUP_TRY(check_normal(c, contact, pair->normal_law));
    if (is_rigid && pair->touch == SUP_TOUCH_SURFACE_DEPTH)
      k = near_rigid(inc, k, w.n * parts_of(contact)); /* requested values are kept */
    law->kind = sup_contact_model_law(model);
    double vn = v[NORMAL];
    law->coulomb = coulomb_law(c, contact, k, contact->phi - contact->advance - c->elapsed * vn);
    law->coulomb.mu = mu;
    law->coulomb.vn0 = vn;
    if (sup_contact_model_is_regularized(model))
      law->coulomb.regularise = inc->sigma * w.t * (inc->reference / inc->h);
    law->coulomb.is_coupled = is_coupled(c, model);
    if (stick && mu > 0 && (model == SUP_MODEL_LAGGED || model == SUP_MODEL_COUPLED))
      set_spring(law, c, stick, R, k, w.t);
    sup_law_set_lagged_impulse(law, present_impulse(&law->coulomb.normal, start, c->elapsed));
  }
  contact->stiffness = k;
  set_start_force(contact, law, start, mu, inc->h);
  return SUP_OK;
}

static sup_status set_law(sup_rows *rows, const sup_contact_context *c, sup_delassus_work *delassus,
                          sup_contact *contact, const sup_stick *stick, const sup_m3 *R) {
  const double     v[3] = {row_dot(rows, c, 0), row_dot(rows, c, 1), row_dot(rows, c, NORMAL)};
  sup_inverse_mass w = {0, 0};
  if (needs_inverse_mass(c, contact, stick)) SUP_TRY(sup_delassus_estimate(delassus, rows, &w));
  SUP_TRY(find_law(c, contact, stick, R, v, w, &sup_rows_last(rows)->law));
  return SUP_OK;
}

int sup_contact_law_is_plain(const sup_contact_context *c, const sup_contact *contact) {
  const sup_friction *friction = &c->model->pair[contact->pair].friction;
  bool                has_moments = friction->rolling > 0 || friction->torsional > 0;
  return !needs_inverse_mass(c, contact, NULL) && !c->ahead && contact->geometry_a != SUP_NONE &&
         !has_moments;
}

/** Velocity of b past a at a point, of links with twists v, w, and of their belts. */
static sup_v3 relative_velocity(const sup_contact_context *c, const sup_contact *contact,
                                const sup_v3 *v, const sup_v3 *w, sup_v3 p) {
  int    body[2] = {contact->body_a, contact->body_b};
  sup_v3 at[2];
  for (int k = 0; k < 2; k++)
    at[k] =
        sup_v3_add(v[body[k]], sup_v3_cross(w[body[k]], sup_v3_sub(p, c->kin->X_WL[body[k]].p)));
  return sup_v3_sub(at[1], at[0]);
}

void sup_contact_velocity(const sup_contact_context *c, const sup_contact *contact, const sup_m3 *R,
                          const sup_v3 *v, const sup_v3 *w, double out[3]) {
  double end = c->inc->t0 + c->inc->h;
  sup_v3 place = sup_v3_sub(contact->centroid, contact->lever),
         foot = sup_v3_sub(contact->foot, contact->lever);
  sup_v3 belt = sup_v3_sub(
      sup_contact_surface_velocity(c->model, c->kin, contact->body_b, contact->geometry_b, end),
      sup_contact_surface_velocity(c->model, c->kin, contact->body_a, contact->geometry_a, end));
  sup_v3 slip = sup_v3_add(relative_velocity(c, contact, v, w, place), belt);
  sup_v3_store(out, sup_m3_apply_t(*R, slip));
  out[NORMAL] = sup_v3_dot(contact->normal, relative_velocity(c, contact, v, w, foot));
}

sup_status sup_contact_law(const sup_contact_context *c, sup_contact *contact, const sup_m3 *R,
                           const double v0[3], sup_law *law) {
  SUP_TRY(find_law(c, contact, NULL, R, v0, (sup_inverse_mass){0, 0}, law));
  return SUP_OK;
}

static sup_status add_side(sup_rows *rows, const sup_contact_context *c, const sup_contact *contact,
                           int body, int geometry, const sup_carrier *carrier, const sup_m3 *R,
                           double sign, link_twist *twist) {
  if (geometry == SUP_NONE) {
    SUP_TRY(add_soft(rows, c, body, carrier, R, sign));
    return SUP_OK;
  }
  SUP_TRY(add_link(rows, c, contact, body, R, sign, twist));
  add_surface_velocity(rows, c, body, geometry, R, sign);
  return SUP_OK;
}

/* ---- clusters -------------------------------------------------------------------------------- */

/** T [6 x nv] += sign times the twist of a link about a point. */
static void add_twist(const link_twist *of, sup_v3 about, double sign, double *T) {
  int    n = of->nv;
  sup_v3 r = sup_v3_sub(about, of->origin);
  for (int j = 0; j < n; j++) {
    sup_v3 w = {of->T[3 * n + j], of->T[4 * n + j], of->T[5 * n + j]}, v = sup_v3_cross(w, r);
    double column[TWIST] = {v.x, v.y, v.z, 0, 0, 0};
    for (int k = 0; k < TWIST; k++) T[k * n + j] += sign * (of->T[k * n + j] + column[k]);
  }
}

/** Contacts first .. last - 1 of two links, whose rows are the latest. */
static sup_status add_cluster(sup_rows *rows, const sup_contact_context *c,
                              const sup_contact_list *contacts, int first, int last, int first_row,
                              const link_twist twist[2]) {
  const sup_contact    *contact = &contacts->contact[first];
  const sup_constraint *row = &rows->constraint[first_row];
  double               *S, *T[2] = {NULL, NULL};
  int                   size[2] = {0, 0};
  for (int k = 0; k < row->num_blocks; k++) {
    int block = rows->jacobian[row->first_block + k].block;
    size[k] = sup_block_size(c->A_pattern, block);
  }
  SUP_TRY(sup_rows_cluster(rows, first_row, size, &S, T));
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < row->num_blocks; k++) {
      const link_twist *of = &twist[side];
      if (of->nv > 0 && c->model->tree_block[c->model->body[of->body].tree] ==
                            rows->jacobian[row->first_block + k].block)
        add_twist(of, sup_v3_sub(contact->centroid, contact->lever), side == 0 ? 1 : -1, T[k]);
    }
  for (int i = first; i < last; i++) {
    sup_m3 R = sup_m3_frame_of_normal(contacts->contact[i].normal);
    set_point_velocity(&R, &contacts->contact[i], contact->centroid, S + 18 * (i - first));
  }
  return SUP_OK;
}

/** True if two contacts are between the same two geometries of links. */
static bool are_alike(const sup_contact *a, const sup_contact *b) {
  return a->geometry_a != SUP_NONE && a->geometry_b != SUP_NONE && a->geometry_a == b->geometry_a &&
         a->geometry_b == b->geometry_b;
}

sup_status sup_contact_rows(sup_rows *rows, const sup_contact_context *c,
                            sup_contact_list *contacts) {
  enum { LEAST = 5 }; /* below it the factor in common costs more than it saves */
  sup_delassus_work delassus;
  link_twist        twist[2]; /* of b and a; large: not cleared */
  int               first = 0, first_row = rows->num_constraints;
  SUP_TRY(sup_delassus_create(&delassus, c->inc->delassus, c->model, c->A_pattern, c->A, c->arena));
  twist[0].body = twist[1].body = SUP_NONE;
  for (int i = 0; i < contacts->count; i++) {
    sup_contact *contact = &contacts->contact[i];
    sup_m3       R = sup_m3_frame_of_normal(contact->normal);
    sup_law      law = {.kind = SUP_LAW_LAGGED};
    SUP_TRY(sup_rows_begin(rows, &law));
    SUP_TRY(add_side(rows, c, contact, contact->body_b, contact->geometry_b, &contact->carrier_b,
                     &R, 1, &twist[0]));
    SUP_TRY(add_side(rows, c, contact, contact->body_a, contact->geometry_a, &contact->carrier_a,
                     &R, -1, &twist[1]));
    add_drift(rows, c, contact, &R);
    SUP_TRY(set_law(rows, c, &delassus, contact, c->stick ? &c->stick[i] : NULL, &R));
    if (i + 1 < contacts->count && are_alike(contact, contact + 1)) continue;
    if (i + 1 - first >= LEAST)
      SUP_TRY(add_cluster(rows, c, contacts, first, i + 1, first_row, twist));
    first = i + 1, first_row = rows->num_constraints;
  }
  return SUP_OK;
}

/** -d/dphi of the energy: k times the overlap for linear laws. */
static double elastic_force(const sup_constraint *row, double phi, double k) {
  const sup_normal *law = &row->law.coulomb.normal;
  if (row->law.kind == SUP_LAW_SAP || law->kind == SUP_NORMAL_HUNT_CROSSLEY)
    return phi < 0 ? k * -phi : 0;
  double e = sup_constraint_numerics.difference * fabs(phi);
  return e > 0 ? (sup_normal_energy(law, phi - e) - sup_normal_energy(law, phi + e)) / (2 * e) : 0;
}

double sup_contact_energy(const sup_rows *rows, int first, const double *vc, double dt,
                          sup_contact_list *contacts) {
  double energy = 0;
  for (int i = 0; i < contacts->count; i++) {
    sup_contact          *contact = &contacts->contact[i];
    const sup_constraint *row = &rows->constraint[first + i];
    double                k = contact->stiffness,
           phi = contact->phi + (vc ? dt * vc[row->first_vc + 2] - contact->advance : 0);
    double share = sup_contact_stored_share(contact);
    double own = row->law.kind != SUP_LAW_SAP ? sup_normal_energy(&row->law.coulomb.normal, phi)
                 : phi < 0                    ? 0.5 * k * phi * phi
                                              : 0;
    if (contact->power > 0) own *= 2 / (1 + contact->power); /* of the secant's triangle */
    contact->stored = own * share * share + (phi < 0 ? 0.5 * k * contact->spread : 0);
    contact->elastic = elastic_force(row, phi, k);
    energy += contact->stored;
  }
  return energy;
}

void sup_contact_forces(const sup_rows *rows, int first, const double *gamma, const double *vc,
                        double dt, sup_contact_list *contacts) {
  for (int i = 0; i < contacts->count; i++) {
    sup_contact  *contact = &contacts->contact[i];
    sup_m3        R = sup_m3_frame_of_normal(contact->normal);
    int           at = rows->constraint[first + i].first_vc;
    const double *g = gamma + at, *v = vc + at;
    contact->force = sup_v3_scale(1 / dt, sup_m3_apply(R, sup_v3_load(g)));
    contact->pressure = contact->area > 0 ? g[2] / (dt * contact->area * contact->facing) : 0;
    contact->slip = sup_m3_apply(R, sup_v3_make(v[0], v[1], 0)), contact->rate = v[2];
  }
}
