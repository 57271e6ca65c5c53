#include "step/gradient/equation_gradient.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "collide/gradient.h"
#include "fem/material.h"
#include "la/vector.h"
#include "step/gradient/numerics.h"
#include "step/static/static_equations.h"

typedef sup_step_equations equations;

static int size_of(const equations *e) { return e->start.layout->A_pattern.num_scalars; }

/* ---- limits ---------------------------------------------------------------------------------- */

#define WORKS "; method: tangent or differences takes it"

static sup_status check_soft(const sup_model *model, int i, const sup_options *options) {
  const sup_soft *soft = &model->soft[i];
  if (soft->num_attachments > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "the adjoint in time does not have '%s', which rides on a link" WORKS,
                    soft->name);
  if (soft->num_internal > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "the adjoint in time does not have relaxation or growth of '%s'" WORKS,
                    soft->name);
  if (sup_soft_has_follower(soft))
    return SUP_FAIL(SUP_E_ARG, "the adjoint in time does not have pressures that follow '%s'" WORKS,
                    soft->name);
  if (soft->num_dirichlet == 0 && sup_soft_steps_nonlinearly(model, i, options->soft_bdf2))
    return SUP_FAIL(
        SUP_E_ARG,
        "the adjoint in time has free bodies of linear_corotational alone, not '%s'" WORKS,
        soft->name);
  return SUP_OK;
}

/** E_ARG: moments of friction, whose bound is a slip far below differences of velocities; friction
 * of soft bodies with a law by velocities before the step. */
static sup_status check_pair(const sup_model *model, const sup_pair *pair) {
  const sup_body *a = &model->body[pair->a], *b = &model->body[pair->b];
  bool            slides = sup_friction_most(&pair->friction) > 0;
  bool has = pair->model == SUP_MODEL_COUPLED || (pair->model == SUP_MODEL_LAGGED && !slides);
  if (pair->friction.rolling > 0 || pair->friction.torsional > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "the adjoint in time does not have rolling and torsional friction of '%s' and "
                    "'%s'" WORKS,
                    a->name, b->name);
  if (a->soft == SUP_NONE && b->soft == SUP_NONE) return SUP_OK;
  if (!has)
    return SUP_FAIL(SUP_E_ARG,
                    "the adjoint in time has coupled friction of soft bodies, not that of '%s' and "
                    "'%s'" WORKS,
                    a->name, b->name);
  if (slides && pair->friction.mu_static > pair->friction.mu)
    return SUP_FAIL(SUP_E_ARG,
                    "the adjoint in time does not have the static friction of '%s' and '%s'" WORKS,
                    a->name, b->name);
  return SUP_OK;
}

/** E_ARG: a body turns in its holds, as at time 0. */
static sup_status check_holds(const sup_model *model) {
  SUP_FREED double *x = NULL;
  sup_v3            spin;
  SUP_TRY(SUP_CALLOC(x, 3 * (size_t)model->num_vertices + 1));
  for (int i = 0; i < model->num_softs; i++)
    memcpy(x + 3 * model->soft[i].first_vertex, model->soft[i].x0,
           3 * (size_t)model->soft[i].num_vertices * sizeof *x);
  for (int i = 0; i < model->num_softs && model->num_events == 0; i++)
    if (model->soft[i].num_dirichlet > 0 && sup_soft_free_spin(model, i, NULL, x, x, &spin))
      return SUP_FAIL(SUP_E_ARG,
                      "the adjoint in time does not have '%s', which turns in its holds" WORKS,
                      model->soft[i].name);
  return SUP_OK;
}

sup_status sup_step_gradient_check(const sup_step_layout *layout) {
  const sup_model   *model = layout->model;
  const sup_options *o = &layout->options;
  bool               has_springs = model->num_softs > 0 && model->num_springs > 0;
  const char        *has = model->num_softs > 0 && o->soft_bdf2 ? "BDF2"
                           : o->stick == SUP_STICK_ELASTIC      ? "elastic stick"
                           : model->ranks                       ? "several ranks"
                           : o->accuracy.tolerance > 0          ? "steps of controlled length"
                           : has_springs                        ? "springs beside soft bodies"
                                                                : NULL;
  if (has) return SUP_FAIL(SUP_E_ARG, "the adjoint in time does not have %s" WORKS, has);
  for (int i = 0; i < model->num_softs; i++) SUP_TRY(check_soft(model, i, o));
  for (int i = 0; i < model->num_pairs; i++) SUP_TRY(check_pair(model, &model->pair[i]));
  return check_holds(model);
}

sup_status sup_step_gradient_check_state(const sup_step_layout *layout, const sup_state *state) {
  const sup_model *model = layout->model;
  for (int b = 0; b < model->num_bodies && b < state->num_levers; b++) {
    sup_v3 rate = sup_v3_load(state->lever_rate + 3 * b);
    int    soft = model->body[b].soft, tree = model->body[b].tree;
    bool   is_free = soft == SUP_NONE ? model->tree_block[tree] != SUP_NONE
                                      : model->soft[soft].num_dirichlet == 0;
    if (is_free && sup_v3_norm(rate) > 0)
      return SUP_FAIL(SUP_E_ARG,
                      "the adjoint in time does not have '%s', which rolls on soft contacts at "
                      "%g s" WORKS,
                      model->body[b].name, state->time);
  }
  return SUP_OK;
}

/* ---- by the solution ------------------------------------------------------------------------- */

/** True if component a of the vertices is an unknown. */
static bool has_unknown(const sup_soft *soft, int a) {
  return soft->block[a / 3] != SUP_NONE && soft->holder[a] == SUP_NONE;
}

/** x_all [num_vertices x 3] := scale times the components of soft body i that are unknowns. */
static void gather(const equations *e, int i, double scale, const double *x, double *x_all) {
  const sup_soft          *soft = &e->start.model->soft[i];
  const sup_block_pattern *P = &e->start.layout->A_pattern;
  for (int a = 0; a < 3 * soft->num_vertices; a++) {
    x_all[a] = has_unknown(soft, a) ? scale * x[sup_block_first(P, soft->block[a / 3]) + a % 3] : 0;
  }
}

/** A nonlinear body about the end of the step. */
typedef struct bent {
  const sup_soft *soft;
  sup_soft_work  *work;
  sup_m3         *R;
  double         *x, *f; /* [num_vertices x 3] */
  int             n;     /* 3 num_vertices */
} bent;

static sup_status open_bent(const equations *e, int i, bent *b) {
  const sup_soft *soft = &e->start.model->soft[i];
  *b = (bent){.soft = soft, .work = &e->assembly.soft[i], .n = 3 * soft->num_vertices};
  SUP_TRY(SUP_ARENA(e->start.arena, b->R, sup_fem_mesh(soft->fem)->num_cells));
  return SUP_ARENA_VECTORS(e->start.arena, b->n, &b->x, &b->f);
}

/** Displacement of differences [m]: a share of the mean cell. */
static double width_of(const sup_soft *soft) {
  double volume = sup_fem_mass(soft->fem) / sup_fem_material(soft->fem, 0)->density;
  return sup_step_gradient_numerics.cell * cbrt(volume / soft->num_vertices);
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/** Forces f and, unless NULL, strains at the end moved by a l. */
static void bend(bent *b, double a, const double *l, double *strain) {
  int inverted;
  for (int i = 0; i < b->n; i++) b->x[i] = b->work->x[i] + a * l[i];
  sup_fem_rotations(b->soft->fem, b->x, b->R, &inverted);
  sup_fem_step_force(b->soft->fem, b->R, b->x, sup_soft_work_increment(b->work), b->f);
  if (strain) sup_fem_strains(b->soft->fem, b->R, b->x, strain);
}

/** sum [3 num_vertices] += derivative of the forces at the end along l; strain_sum, unless NULL,
 * that of strains. */
static void differentiate(bent *b, const double *l, double *sum, double *strain,
                          double *strain_sum) {
  double most = largest(b->n, l), a = width_of(b->soft) / most;
  size_t size = sup_fem_strain_size(b->soft->fem);
  for (int k = 0; k < SUP_DIFFERENCE_POINTS && most > 0; k++) {
    double weight = sup_difference[k].weight / a;
    bend(b, sup_difference[k].at * a, l, strain);
    for (int i = 0; i < b->n; i++) sum[i] += weight * b->f[i];
    for (size_t j = 0; strain && strain_sum && j < size; j++) strain_sum[j] += weight * strain[j];
  }
}

/** y += (exact second derivative less that in A) x of soft body i. */
static sup_status correct_tangent(const equations *e, int i, const double *x, double *y) {
  const sup_block_pattern *P = &e->start.layout->A_pattern;
  double                   h = e->start.inc->h, *all, *sum, *Mu, *Ku;
  bent                     b;
  SUP_TRY(open_bent(e, i, &b));
  SUP_TRY(SUP_ARENA_VECTORS(e->start.arena, b.n, &all, &sum, &Mu, &Ku));
  memset(sum, 0, (size_t)b.n * sizeof *sum);
  gather(e, i, 1, x, all);
  differentiate(&b, all, sum, NULL, NULL);
  sup_assembly_multiply_stiffness(&e->start, &e->assembly, i, all, Mu, Ku);
  for (int a = 0; a < b.n; a++)
    if (has_unknown(b.soft, a))
      y[sup_block_first(P, b.soft->block[a / 3]) + a % 3] -= h * h * sum[a] + Ku[a];
  return SUP_OK;
}

/** out [num_constraints x 9] := G^T of each constraint. */
static void transpose(const equations *e, const double *G, double *out) {
  for (int i = 0; i < e->contacts.rows.num_constraints; i++) {
    int n = sup_law_dimension(e->contacts.rows.constraint[i].law.kind);
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++) out[9 * i + a * n + b] = G[9 * i + b * n + a];
  }
}

sup_status sup_step_equations_multiply_transposed(const equations *e, const double *x, double *y) {
  int     num = e->contacts.rows.num_constraints;
  double *G;
  SUP_TRY(SUP_ARENA(e->start.arena, G, 9 * num));
  transpose(e, e->G, G);
  const sup_problem problem = sup_step_problem(&e->assembly, &e->contacts);
  double           *vc, *gamma;
  SUP_TRY(SUP_ARENA_VECTORS(e->start.arena, problem.num_vc, &vc, &gamma));
  sup_step_hessian_multiply(&e->assembly, &problem, G, x, vc, gamma, y);
  for (int i = 0; i < e->start.model->num_softs; i++)
    if (e->assembly.soft[i].is_nonlinear) SUP_TRY(correct_tangent(e, i, x, y));
  return SUP_OK;
}

sup_status sup_step_equations_solve_transposed(const equations *e, sup_reduction *reduction,
                                               double tolerance, double *x) {
  const sup_problem problem = sup_step_problem(&e->assembly, &e->contacts);
  double           *D = NULL;
  if (e->D) SUP_TRY(SUP_ARENA(e->start.arena, D, 9 * problem.num_constraints));
  if (e->D) transpose(e, e->D, D);
  return sup_reduction_apply_coupled(reduction, &problem, D, tolerance, e->start.arena, x);
}

sup_status sup_step_equations_add_forces(const equations *e, const sup_v3 *weight, double *y) {
  const sup_problem problem = sup_step_problem(&e->assembly, &e->contacts);
  double           *gamma, *out;
  SUP_TRY(SUP_ARENA(e->start.arena, gamma, problem.num_vc));
  SUP_TRY(SUP_ARENA(e->start.arena, out, size_of(e)));
  memset(gamma, 0, (size_t)problem.num_vc * sizeof *gamma);
  for (int i = 0; i < e->contacts.list.count; i++) {
    sup_m3        R = sup_m3_frame_of_normal(e->contacts.list.contact[i].normal);
    const double *G = e->G + 9 * i;
    double       *to = gamma + problem.constraint[i].first_vc, w[3];
    sup_v3_store(w, sup_v3_scale(-1 / e->start.inc->h, sup_m3_apply_t(R, weight[i])));
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) to[a] += G[3 * b + a] * w[b];
  }
  sup_problem_generalized_impulse(&problem, gamma, out);
  for (int i = 0; i < size_of(e); i++) y[i] += out[i];
  return SUP_OK;
}

/* ---- contacts -------------------------------------------------------------------------------- */

/** Part of F of each contact, (J l + R^T weight/h) . gamma, of contacts that are moved. */
typedef struct terms {
  const equations        *e;
  const double           *v;
  const sup_step_weights *weights;
  sup_contact_problem     moved;
  int    *of;    /* [contacts of moved] that of e, or one of its pair; SUP_NONE: none is */
  double *value; /* [contacts of moved] */
} terms;

/** gamma [num_vc] := impulses of the contacts. */
static sup_status find_impulses(const terms *t, const sup_problem *problem, double **gamma) {
  double  *vc;
  sup_law *law;
  SUP_TRY(SUP_ARENA_VECTORS(t->e->start.arena, problem->num_vc, &vc, gamma));
  SUP_TRY(SUP_ARENA(t->e->start.arena, law, problem->num_constraints));
  sup_problem_constraint_velocity(problem, t->v, 1, vc);
  sup_problem_copy_laws(problem, law);
  sup_problem_evaluate_coupled(problem, law, vc, *gamma, NULL);
  return SUP_OK;
}

static sup_status evaluate(terms *t) {
  const sup_step_start *s = &t->e->start;
  double               *gamma, *way;
  SUP_TRY(sup_step_rows(s, &t->e->assembly, &t->moved));
  const sup_problem problem = sup_step_problem(&t->e->assembly, &t->moved);
  SUP_TRY(SUP_ARENA(s->arena, way, problem.num_vc));
  SUP_TRY(find_impulses(t, &problem, &gamma));
  sup_problem_constraint_velocity(&problem, t->weights->l, 0, way);
  for (int i = 0; i < t->moved.list.count; i++) {
    int    at = problem.constraint[i].first_vc;
    sup_m3 R = sup_m3_frame_of_normal(t->moved.list.contact[i].normal);
    sup_v3 w = sup_v3_load(way + at);
    if (t->weights->force && t->of[i] != SUP_NONE)
      w = sup_v3_madd(w, 1 / s->inc->h, sup_m3_apply_t(R, t->weights->force[t->of[i]]));
    t->value[i] = sup_v3_dot(w, sup_v3_load(gamma + at));
  }
  return SUP_OK;
}

/** Data of a contact that F depends on. */
enum {
  GAP,
  STIFFNESS,
  NORMAL, /* along two axes of its plane */
  PLACE = NORMAL + 2,
  CARRIER = PLACE + 3,
  NUM_DATA = CARRIER + SUP_FACE_MAX_VERTICES
};

static sup_v3 unit(int k) { return (sup_v3){k == 0, k == 1, k == 2}; }
static sup_v3 axis_of(const sup_contact *c, int of) {
  sup_m3 R = sup_m3_frame_of_normal(c->normal);
  return sup_m3_column(&R, of - NORMAL);
}

/** Width of the differences of a datum. */
static double width(const sup_contact *c, int of) {
  if (of == GAP) return sup_step_gradient_numerics.gap * fabs(c->phi);
  return of == STIFFNESS ? sup_step_gradient_numerics.stiffness : sup_step_gradient_numerics.place;
}

static void move(sup_contact *c, int of, double by) {
  if (of == GAP)
    c->phi += by;
  else if (of == STIFFNESS)
    c->area *= 1 + by;
  else if (of < PLACE)
    c->normal = sup_v3_unit(sup_v3_madd(c->normal, by, axis_of(c, of)));
  else if (of < CARRIER)
    c->centroid = sup_v3_madd(c->centroid, by, unit(of - PLACE)),
    c->foot = sup_v3_madd(c->foot, by, unit(of - PLACE));
  else if (of - CARRIER < c->carrier_a.num_vertices)
    c->carrier_a.weight[of - CARRIER] += by;
}

/** Derivative d of F by a datum -> slopes. */
static void leave(const sup_contact *c, int of, double d, sup_contact_slopes *to) {
  if (of == GAP)
    to->phi = d;
  else if (of == STIFFNESS)
    to->k = d / (c->slope * c->area * c->facing);
  else if (of < PLACE)
    to->normal = sup_v3_madd(to->normal, d, axis_of(c, of));
  else if (of < CARRIER)
    to->centroid = sup_v3_madd(to->centroid, d, unit(of - PLACE));
  else
    to->carrier[of - CARRIER] = d;
}

static bool has_soft(const equations *e, const sup_contact *c) {
  return e->start.model->body[c->body_a].soft != SUP_NONE ||
         e->start.model->body[c->body_b].soft != SUP_NONE;
}

/** t->of := contacts on soft bodies that press: F has no part of others. */
static sup_status choose(terms *t) {
  const equations  *e = t->e;
  const sup_problem problem = sup_step_problem(&e->assembly, &e->contacts);
  double           *gamma;
  SUP_TRY(find_impulses(t, &problem, &gamma));
  for (int i = 0; i < e->contacts.list.count; i++)
    if (has_soft(e, &e->contacts.list.contact[i]) &&
        sup_v3_norm(sup_v3_load(gamma + problem.constraint[i].first_vc)) > 0)
      t->of[t->moved.list.count++] = i;
  return SUP_OK;
}

/** slopes [num_contacts] := derivatives of F by the data of contacts. */
static sup_status find_slopes(terms *t, sup_contact_slopes *slopes) {
  const sup_contact_list *list = &t->e->contacts.list;
  double                 *below;
  SUP_TRY(SUP_ARENA(t->e->start.arena, below, list->count));
  memset(slopes, 0, (size_t)list->count * sizeof *slopes);
  for (int of = 0; of < NUM_DATA; of++)
    for (int side = -1; side <= 1; side += 2) {
      sup_contact *moved = t->moved.list.contact;
      for (int i = 0; i < t->moved.list.count; i++) {
        moved[i] = list->contact[t->of[i]];
        move(&moved[i], of, side * width(&moved[i], of));
      }
      SUP_TRY(evaluate(t));
      for (int i = 0; i < t->moved.list.count; i++) {
        const sup_contact *c = &list->contact[t->of[i]];
        double             h = width(c, of);
        if (side > 0 && h > 0) leave(c, of, (t->value[i] - below[i]) / (2 * h), &slopes[t->of[i]]);
        below[i] = t->value[i];
      }
    }
  return SUP_OK;
}

static sup_status create_places(const equations *e, double *by_x, double *by_xdot,
                                sup_place_slopes *out) {
  size_t n = (size_t)e->start.model->num_bodies;
  *out = (sup_place_slopes){.x = by_x, .xdot = by_xdot};
  SUP_TRY(SUP_ARENA(e->start.arena, out->place, n));
  SUP_TRY(SUP_ARENA(e->start.arena, out->turn, n));
  SUP_TRY(SUP_ARENA(e->start.arena, out->v, n));
  SUP_TRY(SUP_ARENA(e->start.arena, out->w, n));
  memset(out->place, 0, n * sizeof *out->place), memset(out->turn, 0, n * sizeof *out->turn);
  memset(out->v, 0, n * sizeof *out->v), memset(out->w, 0, n * sizeof *out->w);
  return SUP_OK;
}

static sup_status refuse(const equations *e, const sup_gradient_lack *lack) {
  const sup_model *model = e->start.model;
  const sup_pair  *pair = &model->pair[lack->pair];
  return SUP_FAIL(
      SUP_E_ARG, "the adjoint in time does not have contacts of '%s' and '%s' at %g s, %s" WORKS,
      model->body[pair->a].name, model->body[pair->b].name, e->start.state->time, lack->why);
}

/** by_x, by_xdot [num_vertices x 3] := derivatives by the contacts. */
static sup_status leave_contacts(terms *t, double *by_x, double *by_xdot) {
  const equations        *e = t->e;
  const sup_step_start   *s = &e->start;
  const sup_contact_list *list = &e->contacts.list;
  sup_contact_slopes     *slopes;
  sup_place_slopes        places;
  sup_gradient_lack       lack = {"merged from pieces of facets; finer cells have none", SUP_NONE};
  bool                    is_whole = list->origins.num_contacts == list->count;
  for (int i = 0; i < list->count && !is_whole; i++)
    if (has_soft(e, &list->contact[i])) return lack.pair = list->contact[i].pair, refuse(e, &lack);
  if (!is_whole) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, t->of, list->count));
  SUP_TRY(choose(t));
  SUP_TRY(SUP_ARENA(s->arena, t->value, list->count));
  SUP_TRY(SUP_ARENA(s->arena, slopes, list->count));
  SUP_TRY(SUP_ARENA(s->arena, t->moved.list.contact, list->count));
  t->moved.all_limits = e->contacts.all_limits;
  sup_status status = find_slopes(t, slopes);
  t->moved.list = (sup_contact_list){0}; /* memory of the arena */
  SUP_TRY(status);
  SUP_TRY(create_places(e, by_x, by_xdot, &places));
  SUP_TRY(sup_collide_gradient(&list->origins, s->model, s->inc, &s->kin, s->state->x,
                               s->state->xdot, slopes, s->arena, &places, &lack));
  return lack.why ? refuse(e, &lack) : SUP_OK;
}

/** Sum of F over contacts that are searched with vertices moved. */
static sup_status search_beside(terms *t, const double *x, const double *xdot, double *sum) {
  const sup_step_start *s = &t->e->start;
  sup_travel           *travel;
  *sum = 0;
  SUP_TRY(sup_travel_start(s->model, s->inc, &s->kin, s->arena, &travel));
  SUP_TRY(sup_collide(&t->moved.list, s->model, s->inc, &s->kin, x, xdot, travel, s->arena));
  SUP_TRY(SUP_ARENA(s->arena, t->value, t->moved.list.count));
  SUP_TRY(SUP_ARENA(s->arena, t->of, t->moved.list.count));
  for (int i = 0; i < t->moved.list.count; i++) {
    int of = t->e->contacts.list.count - 1;
    while (of >= 0 && t->e->contacts.list.contact[of].pair != t->moved.list.contact[i].pair) of--;
    t->of[i] = of;
  }
  SUP_TRY(evaluate(t));
  for (int i = 0; i < t->moved.list.count; i++)
    if (has_soft(t->e, &t->moved.list.contact[i])) *sum += t->value[i];
  return SUP_OK;
}

/** Largest depth at the start or the end [m]. */
static sup_status find_depth(const equations *e, const double *v, double *most) {
  const sup_problem problem = sup_step_problem(&e->assembly, &e->contacts);
  double           *vc;
  SUP_TRY(SUP_ARENA(e->start.arena, vc, problem.num_vc));
  sup_problem_constraint_velocity(&problem, v, 1, vc);
  *most = 0;
  for (int i = 0; i < e->contacts.list.count; i++) {
    double phi = e->contacts.list.contact[i].phi,
           way = e->start.inc->h * vc[problem.constraint[i].first_vc + 2];
    *most = fmax(*most, -fmin(phi, phi + way));
  }
  return SUP_OK;
}

/** Derivatives along a direction against searches of contacts beside the start. */
static sup_status check_contacts(terms *t, const double *by_x, const double *by_xdot,
                                 sup_step_kink *kink) {
  const sup_step_start *s = &t->e->start;
  int                   n = 3 * s->model->num_vertices;
  double               *x, *xdot, *d, *u, value[2], expected = 0, square = 0, a;
  SUP_TRY(find_depth(t->e, t->v, &a));
  a *= sup_step_gradient_numerics.beside;
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, n, &x, &xdot, &d, &u));
  for (int i = 0; i < n; i++) {
    d[i] = a * sin(i), u[i] = a / s->inc->h * cos(i);
    expected += d[i] * by_x[i] + u[i] * by_xdot[i];
    square += d[i] * by_x[i] * d[i] * by_x[i] + u[i] * by_xdot[i] * u[i] * by_xdot[i];
  }
  for (int side = 0; side < 2; side++) {
    double sign = side ? 1 : -1;
    for (int i = 0; i < n; i++)
      x[i] = s->state->x[i] + sign * d[i], xdot[i] = s->state->xdot[i] + sign * u[i];
    SUP_TRY(search_beside(t, x, xdot, &value[side]));
  }
  if (!(a > 0)) return SUP_OK;
  kink->size = sqrt(square) / a;
  kink->jump = fabs((value[1] - value[0]) / 2 - expected) / a;
  return SUP_OK;
}

/** to += from, both [num_vertices x 3] of all bodies, at unknown components of vertices. */
static void add_unknowns(const sup_model *model, const double *from, double *to) {
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      if (has_unknown(soft, a)) to[3 * soft->first_vertex + a] += from[3 * soft->first_vertex + a];
  }
}

static sup_status add_contacts(terms *t, const sup_fem_slopes *slopes, sup_step_kink *kink) {
  const sup_model *model = t->e->start.model;
  int              n = 3 * model->num_vertices;
  double          *x, *xdot;
  SUP_TRY(SUP_ARENA_VECTORS(t->e->start.arena, n, &x, &xdot));
  memset(x, 0, (size_t)n * sizeof *x), memset(xdot, 0, (size_t)n * sizeof *xdot);
  SUP_TRY(leave_contacts(t, x, xdot));
  SUP_TRY(check_contacts(t, x, xdot, kink));
  add_unknowns(model, x, slopes->x), add_unknowns(model, xdot, slopes->v);
  return SUP_OK;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/** Derivatives of l . forces by the start of a nonlinear body, through its end and the strains from
 * which damping counts; minus_l [num_vertices x 3] is -l. */
static sup_status add_bent(const equations *e, int i, const double *minus_l, double *by_x) {
  const double *x0 = e->start.state->x + 3 * (size_t)e->start.model->soft[i].first_vertex;
  double        h = e->start.inc->h, *sum, *strain = NULL, *change = NULL;
  int           inverted;
  bent          b;
  SUP_TRY(open_bent(e, i, &b));
  size_t size = sup_fem_strain_size(b.soft->fem);
  SUP_TRY(SUP_ARENA(e->start.arena, sum, b.n));
  memset(sum, 0, (size_t)b.n * sizeof *sum);
  if (b.work->strain0) {
    SUP_TRY(SUP_ARENA_VECTORS(e->start.arena, size, &strain, &change));
    memset(change, 0, size * sizeof *change);
  }
  differentiate(&b, minus_l, sum, strain, change);
  for (int a = 0; a < b.n; a++) by_x[a] -= has_unknown(b.soft, a) ? h * sum[a] : 0;
  double most = change ? largest((int)size, change) : 0;
  if (!(most > 0)) return SUP_OK;
  sup_fem_increment inc = *sup_soft_work_increment(b.work);
  double            a = fmax(largest((int)size, b.work->strain0), width_of(b.soft)) / most;
  sup_fem_rotations(b.soft->fem, x0, b.R, &inverted);
  inc.start = strain; /* forces at the start are linear in it */
  for (int side = -1; side <= 1; side += 2) {
    for (size_t j = 0; j < size; j++) strain[j] = b.work->strain0[j] + side * a * change[j];
    sup_fem_step_force(b.soft->fem, b.R, x0, &inc, b.f);
    for (int k = 0; k < b.n; k++)
      by_x[k] -= has_unknown(b.soft, k) ? side * h / (2 * a) * b.f[k] : 0;
  }
  return SUP_OK;
}

/** Derivatives of l . (mass terms). */
static void add_masses(const equations *e, int i, const double *u, const double *minus_l, double *M,
                       const sup_fem_slopes *to) {
  const sup_soft *soft = &e->start.model->soft[i];
  const double   *xdot = e->start.state->xdot + 3 * (size_t)soft->first_vertex;
  double          h = e->start.inc->h, *way = e->assembly.soft[i].f, *drag = e->assembly.soft[i].g;
  int             n = 3 * soft->num_vertices;
  sup_fem_mass_multiply(soft->fem, minus_l, M);
  for (int a = 0; a < n; a++) to->v[a] -= M[a];
  sup_fem_damped_mass_multiply(soft->fem, h, minus_l, M);
  for (int a = 0; a < n; a++) to->u[a] += M[a], way[a] = u[a] - xdot[a], drag[a] = h * u[a];
  sup_fem_moments_add_mass(to->moments, soft->fem, minus_l, way, drag);
}

static sup_status add_soft(const equations *e, int i, const double *v, const double *l,
                           const sup_fem_slopes *slopes) {
  const sup_step_start *s = &e->start;
  const sup_soft       *soft = &s->model->soft[i];
  size_t                first = 3 * (size_t)soft->first_vertex;
  const double         *x = s->state->x + first, *xdot = s->state->xdot + first;
  double               *u, *minus_l, *M;
  sup_v3                by_w = {0, 0, 0}, none = {0, 0, 0};
  const sup_fem_slopes  to = {slopes->x + first, slopes->v + first, slopes->u + first,
                              slopes->moments + i};
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, 3 * soft->num_vertices, &u, &minus_l, &M));
  gather(e, i, -1, l, minus_l);
  sup_assembly_vertex_velocity(&e->assembly, i, v, u);
  add_masses(e, i, u, minus_l, M, &to);
  if (e->assembly.soft[i].is_nonlinear) return add_bent(e, i, minus_l, to.x);
  bool         is_free = soft->num_dirichlet == 0;
  sup_fem_step step = {.dt = s->inc->h,
                       .R = e->assembly.soft[i].R,
                       .x = x,
                       .v = xdot,
                       .w = is_free ? sup_fem_spin(soft->fem, x, xdot) : none};
  sup_fem_step_gradient(soft->fem, &step, u, minus_l, &to, &by_w);
  if (is_free) sup_fem_spin_gradient(soft->fem, x, xdot, by_w, &to);
  return SUP_OK;
}

sup_status sup_step_equations_start_gradient(equations *e, const double *v,
                                             const sup_step_weights *weights,
                                             const sup_fem_slopes *slopes, sup_step_kink *kink) {
  terms t = {.e = e, .v = v, .weights = weights};
  *kink = (sup_step_kink){0, 0};
  for (int i = 0; i < e->start.model->num_softs; i++)
    SUP_TRY(add_soft(e, i, v, weights->l, slopes));
  if (e->start.model->num_softs == 0 || e->contacts.list.count == 0) return SUP_OK;
  sup_status status = add_contacts(&t, slopes, kink);
  sup_contact_problem_free(&t.moved);
  return status;
}
