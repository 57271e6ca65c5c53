/* Angular momentum of free soft bodies: the loss by the time scheme without external moments
 * (THEORY 23.4), and the part that is restored. Elastic forces have no moment about the positions
 * at the step's end, but the velocity change is multiplied by the levers of the start: implicit
 * Euler loses a share (w dt)^2 of a body's angular momentum a step, BDF2 a thousandth of that. */
#include <math.h>

#include "fem/law/stretch_law.h"
#include "fem/numerics.h"
#include "model/constraint.h"
#include "model/event.h"
#include "step/assembly.h"
#include "step/end.h"
#include "step/numerics.h"

static sup_v3 center(const sup_soft *soft, const double *x) {
  const double *m = sup_fem_vertex_mass(soft->fem);
  sup_v3        sum = {0, 0, 0};
  for (int a = 0; a < soft->num_vertices; a++) sum = sup_v3_madd(sum, m[a], sup_v3_load(x + 3 * a));
  return sup_v3_scale(1 / sup_fem_mass(soft->fem), sum);
}

/** Sum of (x - its centre of mass) x p over the vertices. */
static sup_v3 moment(const sup_soft *soft, const double *x, const double *p) {
  sup_v3 about = center(soft, x), sum = {0, 0, 0};
  for (int a = 0; a < soft->num_vertices; a++)
    sum = sup_v3_add(
        sum, sup_v3_cross(sup_v3_sub(sup_v3_load(x + 3 * a), about), sup_v3_load(p + 3 * a)));
  return sum;
}

/** impulse -= share times dt alpha M u. */
static void subtract_drag(const sup_step_start *s, const sup_soft *soft, double share,
                          const double *u, double *Mu, double *impulse) {
  sup_fem_damped_mass_multiply(soft->fem, s->inc->h, u, Mu);
  for (int a = 0; a < 3 * soft->num_vertices; a++) impulse[a] -= share * Mu[a];
  sup_fem_mass_multiply(soft->fem, u, Mu);
  for (int a = 0; a < 3 * soft->num_vertices; a++) impulse[a] += share * Mu[a];
}

int sup_soft_has_drag(const sup_soft *soft) {
  for (int k = 0; k < sup_fem_num_materials(soft->fem); k++)
    if (sup_fem_material(soft->fem, k)->mass_damping > 0) return 1;
  return 0;
}

/** Mass damping is an external force, no loss by the scheme. */
static void add_drag(const sup_step_start *s, const sup_assembly *assembly, int i, const double *u,
                     double *impulse) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  if (!sup_soft_has_drag(soft)) return;
  subtract_drag(s, soft, work->scheme.damping, u, work->g, impulse);
  if (work->scheme.lag)
    subtract_drag(s, soft, 1 - work->scheme.damping, work->scheme.mean, work->g, impulse);
}

/** Soft body of lowest number among those tied to i. */
static int first_tied(const sup_model *model, int i) {
  return model->soft[i].in_tie ? model->soft[i].group : i;
}

/** The body after i among those tied to it; SUP_NONE: i is the last. */
static int next_tied(const sup_model *model, int i) {
  for (int k = i + 1; k < model->num_softs && model->soft[i].in_tie; k++)
    if (model->soft[k].in_tie && model->soft[k].group == model->soft[i].group) return k;
  return SUP_NONE;
}

int sup_soft_turning_axes(const sup_model *model, const sup_soft *soft,
                          const sup_event_state *event) {
  int held = sup_soft_held_axes(soft, event);
  if (soft->num_attachments > 0 || soft->in_tie || sup_constraint_on(model, soft->body, event))
    return 0;
  if (!held) return SUP_AXIS_ALL;
  return held & (held - 1) ? 0 : held;
}

int sup_soft_turns_freely(const sup_model *model, const sup_soft *soft,
                          const sup_event_state *event) {
  return sup_soft_turning_axes(model, soft, event) == SUP_AXIS_ALL;
}

/** Bits SUP_AXIS_X .. along which soft body i or one tied to it is held. */
static int held_axes(const sup_model *model, int i, const sup_event_state *event) {
  int axes = 0;
  for (int k = first_tied(model, i); k != SUP_NONE; k = next_tied(model, k))
    axes |= sup_soft_held_axes(&model->soft[k], event);
  return axes;
}

/** Body that takes the moments of soft body i and of those tied to it, holds aside: the first of
 * them, or the hub that carries them; SUP_NONE: they are on other links. */
static int turning_body(const sup_model *model, int i, const sup_event_state *event) {
  const sup_attachment_link *carrier = NULL;
  for (int k = first_tied(model, i); k != SUP_NONE; k = next_tied(model, k)) {
    const sup_soft            *soft = &model->soft[k];
    const sup_attachment_link *on = soft->num_attachments > 0 ? &soft->attachment[0] : carrier;
    if (sup_constraint_on(model, soft->body, event) || soft->num_attachments > 1 ||
        (carrier && on->body != carrier->body))
      return SUP_NONE;
    carrier = on;
  }
  if (!carrier) return model->soft[first_tied(model, i)].body;
  return sup_attachment_on_hub(model, carrier) ? carrier->body : SUP_NONE;
}

/** Components along axes, one bit each. */
static sup_v3 along(sup_v3 a, int axes) {
  return sup_v3_make(axes & 1 ? a.x : 0, axes & 2 ? a.y : 0, axes & 4 ? a.z : 0);
}

sup_soft_spin sup_assembly_spin(const sup_step_start *s, const sup_assembly *assembly, int i,
                                int axes, const double *u, sup_state *next, double *impulse) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  size_t          first = 3 * (size_t)soft->first_vertex;
  const double   *x0 = s->state->x + first, *x1 = next->x + first, *v1 = next->xdot + first;
  double          dt = s->inc->h, *p = work->g, *missing = next->lever_rate + 3 * soft->body;
  sup_v3 before, after, outside, given = sup_v3_load(s->state->lever_rate + 3 * soft->body);
  add_drag(s, assembly, i, u, impulse);
  outside = sup_v3_madd(moment(soft, work->is_nonlinear ? x1 : x0, impulse), dt * dt,
                        sup_v3_load(missing));
  sup_fem_mass_multiply(soft->fem, s->state->xdot + first, p);
  before = moment(soft, x0, p);
  sup_fem_mass_multiply(soft->fem, v1, p);
  after = moment(soft, x1, p);
  sup_soft_spin out = {along(after, axes),
                       along(sup_v3_sub(sup_v3_add(before, outside), after), axes),
                       dt * sup_v3_norm(sup_fem_spin(soft->fem, x1, v1))};
  if (s->inc->soft_bdf2 && sup_step_restores_spin(s)) /* the next step gives all that was taken */
    sup_v3_store(missing, sup_v3_madd(along(given, axes), 1 / (dt * dt), out.taken));
  return out;
}

/* ---- levers of the step's end ---------------------------------------------------------------- */

/* Vertices have the levers of the step's start. A rolling body meets the floor ahead of its centre
 * by v dt, and the moment N v dt brakes it (THEORY 33). Forces that are linear about the start do
 * not compensate this moment; forces of the step's end do, but lose (w dt)^2 of the spin. The
 * missing moment is added to p. It is the moment of the previous step's contacts, since impulses
 * are not known yet; the other side, a soft body or a link, gets the opposite moment. */

/** Rigid motion of a body, or of bodies that are tied, as a whole. Each component of a velocity has
 * a lever from an origin of its own: the mean place of what is held along its axis, else the centre
 * of mass. */
typedef struct whole {
  double mass;
  sup_v3 centre, origin[3], spin, momentum; /* the last, angular, about the origins */
  double drift[3], base[3]; /* velocity of the origins; the same along axes with holds, else 0 */
  sup_m3 inertia, mobility; /* about the origins; its inverse in the spins without holds, 0: none */
  bool   turns;             /* there are such spins */
} whole;

/** Velocity of a place by the spin. */
static sup_m3 lever_at(const whole *w, const double *x) {
  sup_v3 p = sup_v3_load(x), a = sup_v3_sub(p, w->origin[0]), b = sup_v3_sub(p, w->origin[1]),
         c = sup_v3_sub(p, w->origin[2]);
  return (sup_m3){{{0, a.z, -a.y}, {-b.z, 0, b.x}, {c.y, -c.x, 0}}};
}

/** First moments of a body, to be divided by the mass. */
static void add_mass(whole *w, const sup_soft *soft, const double *x, const double *xdot) {
  const double *m = sup_fem_vertex_mass(soft->fem);
  w->mass += sup_fem_mass(soft->fem);
  for (int a = 0; a < soft->num_vertices; a++) {
    w->centre = sup_v3_madd(w->centre, m[a], sup_v3_load(x + 3 * a));
    sup_v3_accumulate(w->drift, m[a], sup_v3_load(xdot + 3 * a));
  }
}

static void divide_by_mass(whole *w) {
  w->centre = sup_v3_scale(1 / w->mass, w->centre);
  for (int k = 0; k < 3; k++) w->origin[k] = w->centre, w->drift[k] /= w->mass;
}

/** Second moments of a body about the origins. */
static void add_inertia(whole *w, const sup_soft *soft, const double *x, const double *xdot) {
  const double *m = sup_fem_vertex_mass(soft->fem);
  for (int a = 0; a < soft->num_vertices; a++) {
    sup_m3 S = lever_at(w, x + 3 * a);
    sup_v3 v = sup_v3_sub(sup_v3_load(xdot + 3 * a), sup_v3_load(w->base));
    w->momentum = sup_v3_madd(w->momentum, m[a], sup_m3_apply_t(S, v));
    w->inertia = sup_m3_add(w->inertia, sup_m3_scale(m[a], sup_m3_mul(sup_m3_transpose(S), S)));
  }
}

/** @param[in] P  projector on the spins that holds leave; NULL: all */
static void find_spin(whole *w, const sup_m3 *P) {
  sup_m3 I = w->inertia;
  double trace = I.m[0][0] + I.m[1][1] + I.m[2][2];
  if (P) I = sup_m3_add(sup_m3_mul(*P, sup_m3_mul(I, *P)), sup_m3_scale(trace, sup_m3_identity()));
  if (P) I = sup_m3_add(I, sup_m3_scale(-trace, *P));
  if (sup_m3_det(&I) > sup_fem_numerics.spin * trace * trace * trace / 27)
    w->mobility = sup_m3_inverse(I);
  if (P) w->mobility = sup_m3_mul(*P, sup_m3_mul(w->mobility, *P));
  w->spin = sup_m3_apply(w->mobility, w->momentum);
}

/** Component k of vertex a is held. */
static bool is_held(const sup_soft *soft, const sup_event_state *event, int a, int k) {
  int  first = soft->holder[3 * a + k];
  bool held = first != SUP_NONE && !sup_hold_has_event(&soft->dirichlet[first]);
  for (int i = 0; i < soft->num_dirichlet && !held; i++) {
    const sup_dirichlet *hold = &soft->dirichlet[i];
    held = sup_hold_has_event(hold) && sup_hold_is_active(hold, event) && hold->axes[a] >> k & 1;
  }
  return held;
}

/** Origin along axis k where components of soft body i and of those tied to it are held; returns
 * their number.
 *  @param[in,out] Q  += sum of q q^T about the mean q, where w.q is the velocity of a component */
static int add_held(whole *w, const sup_model *model, int i, const sup_event_state *event, int k,
                    const double *x, const double *xdot, sup_m3 *Q) {
  sup_v3 place = {0, 0, 0}, mean = {0, 0, 0};
  double rate = 0;
  int    n = 0;
  for (int j = first_tied(model, i); j != SUP_NONE; j = next_tied(model, j)) {
    const sup_soft *soft = &model->soft[j];
    const double   *at = x + 3 * (size_t)soft->first_vertex;
    for (int a = 0; a < soft->num_vertices && soft->num_dirichlet > 0; a++) {
      if (!is_held(soft, event, a, k)) continue;
      sup_m3 S = lever_at(w, at + 3 * a);
      sup_v3 q = sup_m3_row(&S, k);
      place = sup_v3_add(place, sup_v3_load(at + 3 * a)), mean = sup_v3_add(mean, q), n++;
      rate += xdot[3 * (size_t)(soft->first_vertex + a) + (size_t)k];
      *Q = sup_m3_add(*Q, sup_m3_outer(q, q));
    }
  }
  if (n == 0) return 0;
  w->origin[k] = sup_v3_scale(1. / n, place);
  w->base[k] = w->drift[k] = rate / n;
  *Q = sup_m3_add(*Q, sup_m3_scale(-1. / n, sup_m3_outer(mean, mean)));
  return n;
}

/** Projector on the spins that move no held component, and the origins of those that are held. */
static sup_m3 take_holds(whole *w, const sup_model *model, int i, const sup_event_state *event,
                         const double *x, const double *xdot) {
  sup_m3 Q = sup_m3_zero(), P = sup_m3_zero();
  double value[3], V[3][3], square = 0, hinge = sup_step_numerics.hinge;
  int    n = 0;
  for (int k = first_tied(model, i); k != SUP_NONE; k = next_tied(model, k)) {
    const double *m = sup_fem_vertex_mass(model->soft[k].fem);
    const double *at = x + 3 * (size_t)model->soft[k].first_vertex;
    for (int a = 0; a < model->soft[k].num_vertices; a++) {
      sup_v3 r = sup_v3_sub(sup_v3_load(at + 3 * a), w->centre);
      square += m[a] / w->mass * sup_v3_dot(r, r);
    }
  }
  for (int k = 0; k < 3; k++) n += add_held(w, model, i, event, k, x, xdot, &Q);
  sup_fem_eigen(Q.m, value, V);
  w->turns = false;
  for (int k = 0; k < 3; k++) {
    sup_v3 axis = sup_v3_make(V[0][k], V[1][k], V[2][k]);
    if (value[k] > n * hinge * hinge * square) continue;
    P = sup_m3_add(P, sup_m3_outer(axis, axis)), w->turns = true;
  }
  return P;
}

/** Body i and those tied to it; x, xdot of all vertices. */
static whole whole_of(const sup_model *model, int i, const sup_event_state *event, const double *x,
                      const double *xdot) {
  whole  w = {.turns = true};
  bool   has_holds = held_axes(model, i, event) != 0;
  sup_m3 P = sup_m3_identity();
  for (int k = first_tied(model, i); k != SUP_NONE; k = next_tied(model, k)) {
    size_t first = 3 * (size_t)model->soft[k].first_vertex;
    add_mass(&w, &model->soft[k], x + first, xdot + first);
  }
  divide_by_mass(&w);
  if (has_holds) P = take_holds(&w, model, i, event, x, xdot);
  for (int k = first_tied(model, i); k != SUP_NONE && w.turns; k = next_tied(model, k)) {
    size_t first = 3 * (size_t)model->soft[k].first_vertex;
    add_inertia(&w, &model->soft[k], x + first, xdot + first);
  }
  if (w.turns) find_spin(&w, has_holds ? &P : NULL);
  return w;
}

sup_v3 sup_soft_angular_velocity(const sup_soft *soft, const double *x, const double *xdot) {
  whole w = {.mass = 0};
  add_mass(&w, soft, x, xdot);
  divide_by_mass(&w);
  add_inertia(&w, soft, x, xdot);
  find_spin(&w, NULL);
  return w.spin;
}

bool sup_soft_free_spin(const sup_model *model, int i, const sup_event_state *event,
                        const double *x, const double *xdot, sup_v3 *spin) {
  whole w = whole_of(model, i, event, x, xdot);
  *spin = w.spin;
  return w.turns;
}

/** Velocity of the point that carries a contact of a soft body. */
static sup_v3 carried_velocity(const double *xdot, const sup_carrier *carrier) {
  sup_v3 v = {0, 0, 0};
  for (int k = 0; k < carrier->num_vertices; k++)
    v = sup_v3_madd(v, carrier->weight[k], sup_v3_load(xdot + 3 * carrier->vertex[k]));
  return v;
}

/** One side of a contact. */
typedef struct side {
  int          body, soft, turning; /* body that takes the moments of a soft one; SUP_NONE: none */
  double       curvature;           /* curvature at the contact; 0: flat or hollow [1/m] */
  sup_v3       rate;  /* velocity of its points relative to its centre of mass [m/s] */
  const whole *whole; /* NULL: it does not turn */
} side;

/** Lever rates of a step, and the rigid motion of soft bodies, computed when needed. */
typedef struct rolling {
  const sup_step_start *s;
  const sup_assembly   *assembly;
  sup_state            *next;
  whole                *body; /* [num_softs] .. */
  int                  *known;
  double *gain, *lost, *part; /* [num_softs], of the first of tied bodies: energies of add_energies
                                 [J], and the part of a step's motion in levers */
  double power;               /* to soft bodies, so that their account has what the scheme loses */
} rolling;

static double curvature_of(const sup_model *model, int body, int geometry,
                           const sup_carrier *carrier) {
  int    soft = model->body[body].soft;
  double sum = 0;
  if (soft == SUP_NONE) return geometry == SUP_NONE ? 0 : model->geometry[geometry].curvature;
  for (int k = 0; k < carrier->num_vertices; k++)
    sum += carrier->weight[k] * model->soft[soft].curvature[carrier->vertex[k]];
  return sup_max(sum, 0);
}

static const whole *whole_at_end(rolling *r, int i) {
  const sup_step_start *s = r->s;
  int                   first = first_tied(s->model, i);
  if (!r->known[first])
    r->body[first] = whole_of(s->model, first, s->state->event, r->next->x, r->next->xdot);
  r->known[first] = 1;
  return &r->body[first];
}

/** turning_body of a soft body that turns; SUP_NONE: a link, or holds leave no spin. */
static int turning_of(rolling *r, int i) {
  const sup_event_state *event = r->s->state->event;
  int                    turning = i == SUP_NONE ? SUP_NONE : turning_body(r->s->model, i, event);
  if (turning == SUP_NONE || !held_axes(r->s->model, i, event)) return turning;
  return whole_at_end(r, i)->turns ? turning : SUP_NONE;
}

static bool acts_on_spin(rolling *r, const sup_contact *c) {
  const sup_body *body = r->s->model->body;
  if (r->next->num_levers == 0 || c->body_a == c->body_b) return false;
  return turning_of(r, body[c->body_a].soft) != SUP_NONE ||
         turning_of(r, body[c->body_b].soft) != SUP_NONE;
}

static side side_of(rolling *r, const sup_contact *c, int is_b) {
  const sup_model   *model = r->s->model;
  const sup_carrier *carrier = is_b ? &c->carrier_b : &c->carrier_a;
  int                body = is_b ? c->body_b : c->body_a, i = model->body[body].soft;
  side               out = {.body = body, .soft = i, .rate = {0, 0, 0}};
  out.curvature = curvature_of(model, body, is_b ? c->geometry_b : c->geometry_a, carrier);
  out.turning = turning_of(r, i);
  if (out.turning == SUP_NONE) return out;
  out.whole = whole_at_end(r, i);
  out.rate =
      sup_v3_sub(carried_velocity(r->next->xdot + 3 * (size_t)model->soft[i].first_vertex, carrier),
                 sup_v3_load(out.whole->drift));
  return out;
}

/** Share of one soft side's motion in the motion of the common point.  A curved body rolls over a
 * flat one; two soft bodies share the motion by their curvatures. */
static double share_of(const side *own, const side *other) {
  double c = own->curvature, d = other->curvature;
  if (own->turning == SUP_NONE) return 0;
  if (other->soft == SUP_NONE) return c < d ? c / d : 1;
  return c + d > 0 ? c / (c + d) : 0.5;
}

/** Add the energies that levers of the end give in the step, and that contacts take: the work on
 * them less what they store. */
static void add_energies(rolling *r, const sup_contact *c) {
  double h = r->s->inc->h, depth = sup_max(c->advance - c->phi, 0);
  for (int k = 0; k < 2; k++) {
    side   at = side_of(r, c, k);
    int    i = at.soft == SUP_NONE ? SUP_NONE : first_tied(r->s->model, at.soft);
    sup_v3 force = sup_v3_scale(k ? 1 : -1, c->force);
    if (at.turning == SUP_NONE) continue;
    r->gain[i] += h * h / 2 * sup_v3_dot(force, sup_v3_cross(at.whole->spin, at.rate));
    r->lost[i] += c->stiffness * depth * depth / 2 - c->stored -
                  h * c->rate * sup_v3_dot(c->force, c->normal);
  }
}

/** Kinetic energy that implicit Euler takes from a whole in the step, 1/2 m (v - R v0)^2, apart
 * from its turn R, which sup_assembly_add_lost_spin compensates. */
static double energy_of_changes(const rolling *r, int i) {
  sup_v3 drift = sup_v3_load(r->body[i].drift);
  sup_m3 R = sup_quat_matrix(sup_quat_exp(sup_v3_scale(r->s->inc->h, r->body[i].spin)));
  double twice = 0;
  for (int k = i; k != SUP_NONE; k = next_tied(r->s->model, k)) {
    const sup_soft *soft = &r->s->model->soft[k];
    const double   *m = sup_fem_vertex_mass(soft->fem);
    size_t          at = 3 * (size_t)soft->first_vertex;
    for (int a = 0; a < soft->num_vertices; a++, at += 3) {
      sup_v3 v0 = sup_v3_sub(sup_v3_load(r->s->state->xdot + at), drift),
             v = sup_v3_sub(sup_v3_load(r->next->xdot + at), drift);
      v = sup_v3_sub(v, sup_m3_apply(R, v0)), twice += m[a] * sup_v3_dot(v, v);
    }
  }
  return twice / 2;
}

/** Levers of the end give no more than contacts and implicit Euler took within about a turn: all of
 * the motion where that is as much, as of round bodies; half where a corner keeps its contact. */
static void share_energies(rolling *r, int i) {
  double *stock = r->next->lever_rate + 3 * r->next->num_levers + r->s->model->soft[i].body;
  double  gain = sup_max(r->gain[i], 0), paid;
  if (!r->known[i]) return;
  if (!r->s->inc->soft_bdf2) r->lost[i] += energy_of_changes(r, i);
  *stock = sup_max(*stock + r->lost[i], 0), paid = sup_min(gain, *stock);
  r->part[i] = gain > 0 ? (1 + paid / gain) / 2 : 1;
  *stock = (*stock - paid) * exp(-r->s->inc->h * sup_v3_norm(r->body[i].spin) / (2 * acos(-1)));
}

/** One point of application for both sides conserves angular momentum: each side gets the moment of
 * the force by the displacement that its levers lack. */
static void add_lever_rates(rolling *r, sup_contact *c) {
  side   at[2] = {side_of(r, c, 0), side_of(r, c, 1)};
  double h = r->s->inc->h;
  sup_v3 full = {0, 0, 0}, way = {0, 0, 0}, from = sup_v3_scale(-1 / h, c->lever);
  for (int k = 0; k < 2; k++) {
    if (at[k].turning == SUP_NONE) continue;
    double share = share_of(&at[k], &at[!k]);
    full = sup_v3_madd(full, share, at[k].rate);
    way = sup_v3_madd(way, share * r->part[first_tied(r->s->model, at[k].soft)], at[k].rate);
  }
  for (int k = 0; k < 2; k++) {
    int i = at[k].soft, body = at[k].turning, turns = body != SUP_NONE;
    if (!turns && (i != SUP_NONE || !r->s->model->body[at[k].body].movable)) continue;
    sup_v3 force = sup_v3_scale(k ? 1 : -1, c->force), missing = way;
    if (turns) {
      sup_v3 all = sup_v3_add(way, from), paid = sup_v3_sub(sup_v3_add(all, way), full);
      missing = r->assembly->soft[i].is_nonlinear ? sup_v3_sub(all, at[k].rate) : all;
      double given = .5 * h * sup_v3_dot(sup_v3_cross(paid, force), at[k].whole->spin);
      c->given += given;
      if (r->s->model->body[body].soft != SUP_NONE) r->power += given;
    }
    sup_v3_accumulate(r->next->lever_rate + 3 * (turns ? body : at[k].body), 1,
                      sup_v3_cross(missing, force));
  }
}

/** Velocity of the point about which a hub and the bodies on it turn: of its joint, of a hub that
 * flies their centre of mass. */
static sup_v3 hub_velocity(rolling *r, int hub) {
  const sup_model      *model = r->s->model;
  const sup_kinematics *kin = &r->s->kin;
  const sup_body       *body = &model->body[hub];
  const sup_tree_link  *link = &model->tree[body->tree]->links[body->link];
  sup_v3                v =
      sup_v3_add(kin->v[hub], sup_v3_cross(kin->w[hub], sup_m3_apply(kin->X_WL[hub].R, link->com)));
  double mass = link->mass;
  if (link->joint != SUP_JOINT_FLOATING && link->joint != SUP_JOINT_PLANAR) return kin->v[hub];
  v = sup_v3_scale(mass, v);
  for (int i = 0; i < model->num_softs; i++) {
    if (first_tied(model, i) != i || turning_of(r, i) != hub) continue;
    const whole *w = whole_at_end(r, i);
    v = sup_v3_madd(v, w->mass, sup_v3_load(w->drift)), mass += w->mass;
  }
  return sup_v3_scale(1 / mass, v);
}

/** Forces of a hub act on a body of forces of the step's end with the levers of that end, and the
 * opposite ones on the hub with those of the start: moments that the hub lacks. Velocities of first
 * order are chords, whose moment about the start is kept where the centre of mass moves; those of
 * BDF2 are tangents at the end. */
static void add_hub_moments(rolling *r, int i, const double *Au) {
  const sup_soft *soft = &r->s->model->soft[i];
  const double *p = r->assembly->soft[i].p, *xdot = r->next->xdot + 3 * (size_t)soft->first_vertex;
  int           hub = soft->num_attached > 0 ? turning_of(r, i) : SUP_NONE;
  if (hub == SUP_NONE || r->next->num_levers == 0 || !r->assembly->soft[i].is_nonlinear) return;
  sup_v3 drift =
      r->s->inc->soft_bdf2 ? hub_velocity(r, hub) : sup_v3_load(whole_at_end(r, i)->drift);
  for (int a = 0; a < soft->num_vertices; a++) {
    if (soft->attach_of[a] == SUP_NONE) continue;
    sup_v3 way = sup_v3_sub(sup_v3_load(xdot + 3 * a), drift),
           impulse = sup_v3_sub(sup_v3_load(Au + 3 * a), sup_v3_load(p + 3 * a));
    sup_v3_accumulate(r->next->lever_rate + 3 * hub, -1 / r->s->inc->h, sup_v3_cross(way, impulse));
  }
}

sup_status sup_step_lever_rates(const sup_step_start *s, const sup_assembly *assembly,
                                sup_contact_list *contacts, sup_step_end *end) {
  const sup_model *model = s->model;
  sup_state       *next = end->next;
  rolling          r = {.s = s, .assembly = assembly, .next = next};
  SUP_TRY(SUP_ARENA(s->arena, r.body, model->num_softs));
  SUP_TRY(SUP_ARENA(s->arena, r.known, model->num_softs));
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, model->num_softs, &r.gain, &r.lost, &r.part));
  for (int i = 0; i < model->num_softs; i++) r.known[i] = 0, r.gain[i] = r.lost[i] = 0;
  for (int i = 0; i < 3 * next->num_levers; i++) next->lever_rate[i] = 0;
  for (int k = 0; k < contacts->count; k++)
    if (acts_on_spin(&r, &contacts->contact[k])) add_energies(&r, &contacts->contact[k]);
  for (int i = 0; i < model->num_softs; i++) share_energies(&r, i);
  for (int k = 0; k < contacts->count; k++) {
    sup_contact *c = &contacts->contact[k];
    c->given = 0;
    if (sup_v3_dot(c->force, c->force) > 0 && acts_on_spin(&r, c)) add_lever_rates(&r, c);
  }
  for (int i = 0; i < model->num_softs; i++) add_hub_moments(&r, i, end->soft[i].Au);
  end->lever_power = r.power;
  return SUP_OK;
}

/** Angular momentum to be added for what a step with forces of its end takes of a body that turns
 * by an angle a: velocities are chords with the spin sin(a)/h.  h^2 sum v x m (w x v + dw/dt x r),
 * with (tr I/2 - I)(w x dw/dt) of what tumbles (THEORY 23.4).  Beyond 41 degrees the value at 41
 * degrees is used. */
static sup_v3 taken_by_turn(const whole *body, double h) {
  double far = sup_step_numerics.turn;
  double square = sup_v3_dot(body->spin, body->spin);
  double cosine = square * h * h < 1 - far * far ? sqrt(1 - square * h * h) : far;
  double share = 2 * (1 - cosine) / cosine;
  if (!(square > 0)) return (sup_v3){0, 0, 0};
  sup_v3 w = body->spin, L = body->momentum;
  sup_v3 rate = sup_v3_cross(w, sup_m3_apply(body->mobility, sup_v3_cross(L, w)));
  double half = (body->inertia.m[0][0] + body->inertia.m[1][1] + body->inertia.m[2][2]) / 2;
  sup_v3 tumbles = sup_v3_sub(sup_v3_scale(half, rate), sup_m3_apply(body->inertia, rate));
  return sup_v3_scale(share / square, sup_v3_madd(tumbles, sup_v3_dot(w, L), w));
}

/** Share of a body's angular momentum in vertices of first order; all vertices without BDF2. */
static double first_order_share(const sup_step_start *s, const sup_assembly *assembly, int i,
                                const double *x, const whole *body) {
  const sup_soft *soft = &s->model->soft[i];
  const double   *m = sup_fem_vertex_mass(soft->fem), *c = assembly->soft[i].scheme.c;
  double          part = 0, all = 0;
  if (!s->inc->soft_bdf2 || !c) return 1;
  for (int a = 0; a < soft->num_vertices; a++) {
    sup_m3 S = lever_at(body, x + 3 * a);
    sup_v3 v = sup_m3_apply(S, body->spin);
    all += m[a] * sup_v3_dot(v, v), part += c[a] > 1 ? 0 : m[a] * sup_v3_dot(v, v);
  }
  return all > 0 ? part / all : 0;
}

void sup_assembly_add_lost_spin(const sup_step_start *s, sup_assembly *assembly, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  const double   *x = s->state->x + 3 * (size_t)soft->first_vertex,
               *m = sup_fem_vertex_mass(soft->fem);
  int    turning = turning_body(s->model, i, s->state->event);
  sup_v3 rate = {0, 0, 0}; /* hubs get theirs by sup_assembly_add_lever_moments */
  if (turning == SUP_NONE) return;
  if (s->model->body[turning].soft != SUP_NONE)
    rate = sup_v3_load(s->state->lever_rate + 3 * turning);
  if (!work->is_nonlinear && sup_v3_dot(rate, rate) == 0) return;
  whole  body = whole_of(s->model, i, s->state->event, s->state->x, s->state->xdot);
  sup_v3 moment = sup_v3_scale(s->inc->h * s->inc->h, rate);
  if (!body.turns) return;
  if (work->is_nonlinear)
    moment = sup_v3_madd(moment, first_order_share(s, assembly, i, x, &body),
                         taken_by_turn(&body, s->inc->h));
  sup_v3 turn = sup_m3_apply(body.mobility, moment);
  for (int a = 0; a < soft->num_vertices; a++) {
    double *p = work->scheme.start + 3 * a;
    sup_v3_store(p,
                 sup_v3_madd(sup_v3_load(p), m[a], sup_m3_apply(lever_at(&body, x + 3 * a), turn)));
  }
}

int sup_step_restores_spin(const sup_step_start *s) {
  return s->inc->motion > 0 && s->inc->soft_bdf2 < 2 && !s->inc->is_controlled;
}

sup_status sup_assembly_add_lever_moments(const sup_step_start *s, sup_assembly *assembly) {
  const sup_model *model = s->model;
  if (s->state->num_levers == 0 || !sup_step_restores_spin(s)) return SUP_OK;
  for (int b = 0; b < model->num_bodies; b++) {
    sup_v3 rate = sup_v3_load(s->state->lever_rate + 3 * b);
    int    t = model->body[b].tree;
    if (model->body[b].soft != SUP_NONE || !(sup_v3_dot(rate, rate) > 0)) continue;
    if (model->tree_block[t] == SUP_NONE) continue;
    int                      n = model->tree[t]->nv;
    sup_tree_kinematics_data part = sup_kinematics_tree(&s->kin, model, t);
    double *p = assembly->p + sup_block_first(&s->layout->A_pattern, model->tree_block[t]), *J;
    double  impulse[3];
    sup_v3_store(impulse, sup_v3_scale(s->inc->h * s->inc->h, rate));
    SUP_TRY(SUP_ARENA(s->arena, J, 3 * n));
    sup_tree_angular_jacobian(model->tree[t], &part, model->body[b].link, J);
    for (int r = 0; r < 3; r++)
      for (int j = 0; j < n; j++) p[j] += J[r * n + j] * impulse[r];
  }
  return SUP_OK;
}
