/* Derivatives of a step by the implicit function theorem (THEORY 25): r(v; x, u) = 0 gives
 * H dv = -r_x dx - r_u du, and x+ = next(v, x).  Columns of r_x are central differences of r at the
 * solution with the decisions of the step, over what the column's joint moves alone: its tree's A
 * and p, the contacts of the links that it carries, the rows of joints. */
#include <math.h>
#include <string.h>

#include "control/numerics.h"
#include "control/transition.h"
#include "la/dense_lu.h"
#include "solve/newton/coupling.h"

/** A step about which columns are taken. */
typedef struct about {
  sup_transition        *t;
  const sup_model       *model;
  const sup_step_record *record;
  sup_increment          inc;
  sup_step_start         start; /* of t->varied, whose kinematics columns change and put back */
  int                    n, is_central;
  double                *H; /* [n x n] LU factors */
  int                   *pivot;
  double                *dv;     /* [2 n x n] row c: dv by x_c */
  sup_kinematics         moved;  /* links of t->varied with the velocities of the solution */
  sup_wrench            *wrench; /* [num_bodies] impulses on links */
  double                *r[2];   /* [n] */
} about;

/* ---- residual of what moves ------------------------------------------------------------------ */

/** Laws, impulses and, unless NULL, G of the rows at the record's solution. */
static sup_status evaluate(about *a, const sup_problem *problem, sup_arena *arena, sup_law **laws,
                           double **vc, double **gamma, double *G) {
  SUP_TRY(SUP_ARENA(arena, *laws, problem->num_constraints));
  SUP_TRY(SUP_ARENA_VECTORS(arena, problem->num_vc, vc, gamma));
  sup_problem_copy_laws(problem, *laws);
  sup_problem_constraint_velocity(problem, a->record->v, 1, *vc);
  sup_problem_evaluate_coupled(problem, *laws, *vc, *gamma, G);
  return SUP_OK;
}

/** Contacts of the origins, and rows of them and of joints, at the varied state. */
static sup_status make_rows(about *a, const sup_origins *origins, sup_arena *arena) {
  sup_transition *t = a->t;
  a->start.arena = arena;
  SUP_TRY(sup_collide_measure(origins, a->model, &a->inc, &a->start.kin, t->varied->x,
                              t->varied->xdot, NULL, arena, &t->contacts.list));
  SUP_TRY(sup_step_rows(&a->start, &t->assembly, &t->contacts));
  return SUP_OK;
}

/** A of a tree and, unless NULL, r [nv] := A v - p of it at the varied state. */
static sup_status tree_residual(about *a, int tree, double *r) {
  sup_transition          *t = a->t;
  const sup_block_pattern *P = &sup_stepper_layout(t->stepper)->A_pattern;
  int                      n = a->model->tree[tree]->nv, first = a->model->v_start[tree];
  double       *A = t->assembly.A + sup_block_diagonal(P, a->model->tree_block[tree]), *p;
  sup_tree_step step = {.tree = a->model->tree[tree],
                        .scheme = a->inc.scheme,
                        .dt = a->inc.h,
                        .gravity = a->inc.gravity,
                        .base = sup_kinematics_base_within(a->model, tree, &a->inc),
                        .q0 = t->varied->q + a->model->q_start[tree],
                        .v0 = t->varied->v + first};
  SUP_TRY(SUP_ARENA(a->start.arena, p, n));
  SUP_TRY(sup_tree_step_free_motion(&step, a->start.arena, A, p, NULL));
  memcpy(t->assembly.v0 + first, step.v0, (size_t)n * sizeof *p);
  for (int i = 0; i < n && r; i++) {
    r[i] = -p[i];
    for (int j = 0; j < n; j++) r[i] += A[i * n + j] * a->record->v[first + j];
  }
  return SUP_OK;
}

/** Add the impulse of a contact at the record's solution to both links. */
static sup_status add_plain(about *a, const sup_contact_context *c, sup_contact *contact) {
  sup_m3        R = sup_m3_frame_of_normal(contact->normal);
  double        v0[3], vc[3], cost, n, slope;
  sup_law       law = {.kind = SUP_LAW_LAGGED};
  sup_law_value value;
  sup_contact_velocity(c, contact, &R, a->start.kin.v, a->start.kin.w, v0);
  sup_contact_velocity(c, contact, &R, a->moved.v, a->moved.w, vc);
  SUP_TRY(sup_contact_law(c, contact, &R, v0, &law));
  if (sup_law_is_coupled(&law)) {
    sup_normal_evaluate(&law.coulomb.normal, vc[2], &cost, &n, &slope);
    sup_law_set_lagged_impulse(&law, n);
  }
  sup_law_evaluate(&law, vc, &value);
  sup_v3 friction = sup_m3_apply(R, (sup_v3){value.gamma[0], value.gamma[1], 0}),
         normal = sup_v3_scale(value.gamma[2], contact->normal);
  for (int side = 0; side < 2; side++) {
    int         body = side ? contact->body_b : contact->body_a;
    sup_wrench *to = &a->wrench[body];
    sup_v3      origin = sup_v3_add(a->start.kin.X_WL[body].p, contact->lever);
    double      sign = side ? 1 : -1;
    to->force = sup_v3_madd(to->force, sign, sup_v3_add(friction, normal));
    to->moment =
        sup_v3_madd(to->moment, sign,
                    sup_v3_add(sup_v3_cross(sup_v3_sub(contact->centroid, origin), friction),
                               sup_v3_cross(sup_v3_sub(contact->foot, origin), normal)));
  }
  return SUP_OK;
}

static int is_null(sup_v3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

/** impulse += J^T wrench of all links. */
static sup_status add_wrenches(about *a, double *impulse) {
  double *J;
  SUP_TRY(SUP_ARENA(a->t->column, J, 6 * a->n));
  for (int b = 0; b < a->model->num_bodies; b++) {
    const sup_wrench *w = &a->wrench[b];
    int               t = a->model->body[b].tree, n = a->model->tree[t]->nv;
    if (n == 0 || (is_null(w->force) && is_null(w->moment))) continue;
    sup_tree_kinematics_data part = sup_kinematics_tree(&a->start.kin, a->model, t);
    double                   f[6];
    sup_v3_store(f, w->force), sup_v3_store(f + 3, w->moment);
    sup_tree_point_jacobian(a->model->tree[t], &part, a->model->body[b].link,
                            a->start.kin.X_WL[b].p, J);
    sup_tree_angular_jacobian(a->model->tree[t], &part, a->model->body[b].link, J + 3 * n);
    for (int r = 0; r < 6; r++)
      for (int j = 0; j < n; j++) impulse[a->model->v_start[t] + j] += J[r * n + j] * f[r];
  }
  return SUP_OK;
}

/** Contacts of t->part: impulses of plain ones; the others stay in the list. */
static sup_status add_plain_contacts(about *a, double *impulse) {
  sup_transition     *t = a->t;
  sup_contact_list   *list = &t->contacts.list;
  sup_contact_context context;
  int                 rest = 0;
  SUP_TRY(sup_collide_measure(&t->part, a->model, &a->inc, &a->start.kin, t->varied->x,
                              t->varied->xdot, NULL, t->column, list));
  SUP_TRY(sup_step_contact_context(&a->start, &t->assembly, &context));
  memset(a->wrench, 0, (size_t)a->model->num_bodies * sizeof *a->wrench);
  for (int i = 0; i < list->count; i++) {
    if (sup_contact_law_is_plain(&context, &list->contact[i]))
      SUP_TRY(add_plain(a, &context, &list->contact[i]));
    else
      list->contact[rest++] = list->contact[i];
  }
  list->count = rest;
  SUP_TRY(add_wrenches(a, impulse));
  return SUP_OK;
}

static void place_tree(about *a, int tree) {
  sup_tree_kinematics_data part = sup_kinematics_tree(&a->start.kin, a->model, tree);
  sup_tree_kinematics(a->model->tree[tree], &a->start.kin.base[tree],
                      a->t->varied->q + a->model->q_start[tree],
                      a->t->varied->v + a->model->v_start[tree], &part);
  part = sup_kinematics_tree(&a->moved, a->model, tree);
  sup_tree_kinematics(a->model->tree[tree], &a->start.kin.base[tree],
                      a->t->varied->q + a->model->q_start[tree],
                      a->record->v + a->model->v_start[tree], &part);
}

/** r [n] := the part of r that `tree` and the contacts of t->part make at the varied state. */
static sup_status residual(about *a, int tree, double *r) {
  sup_law *laws;
  double  *vc, *gamma, *impulse, *plain;
  SUP_TRY(sup_arena_reset(a->t->column));
  a->start.arena = a->t->column;
  memset(r, 0, (size_t)a->n * sizeof *r);
  SUP_TRY(tree_residual(a, tree, r + a->model->v_start[tree]));
  SUP_TRY(SUP_ARENA_VECTORS(a->t->column, a->n, &impulse, &plain));
  memset(plain, 0, (size_t)a->n * sizeof *plain);
  SUP_TRY(add_plain_contacts(a, plain));
  SUP_TRY(sup_step_rows(&a->start, &a->t->assembly, &a->t->contacts));
  sup_problem problem = sup_step_problem(&a->t->assembly, &a->t->contacts);
  SUP_TRY(evaluate(a, &problem, a->t->column, &laws, &vc, &gamma, NULL));
  sup_problem_generalized_impulse(&problem, gamma, impulse);
  for (int i = 0; i < a->n; i++) r[i] -= impulse[i] + plain[i];
  return SUP_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

/** True if the joint of `above` carries the link. */
static int is_carried(const sup_tree *tree, int link, int above) {
  while (link != SUP_NONE && link != above) link = tree->links[link].parent;
  return link == above;
}

static int moves(const about *a, int body, int tree, int link) {
  const sup_body *b = &a->model->body[body];
  return b->tree == tree && is_carried(a->model->tree[tree], b->link, link);
}

/** Append the origins of pair k to t->part. */
static sup_status append_pair(about *a, int k) {
  const sup_origins *all = &a->record->origins;
  sup_pair_origins   of = sup_origins_of_pair(all, k);
  sup_pair_origin    pair = *of.pair;
  sup_origins        one = *all; /* with all pieces, which facets number */
  pair.contact = pair.face = pair.facet = pair.piece = pair.join = 0;
  one.pair = &pair, one.num_pairs = 1;
  one.num_contacts = of.num_contacts, one.num_faces = of.num_faces;
  one.num_facets = of.num_facets, one.num_joins = of.num_joins;
  if (one.num_contacts > 0) one.contact += of.pair->contact;
  if (one.num_faces > 0) one.face += of.pair->face;
  if (one.num_facets > 0) one.facet += of.pair->facet;
  if (one.num_joins > 0) one.join += of.pair->join;
  SUP_TRY(sup_origins_append(&a->t->part, &one));
  return SUP_OK;
}

/** t->part := origins of pairs with links that the joint of a link carries. */
static sup_status select_pairs(about *a, int tree, int link) {
  const sup_origins *all = &a->record->origins;
  sup_origins_clear(&a->t->part);
  for (int k = 0; k < all->num_pairs; k++) {
    const sup_pair *pair = &a->model->pair[all->pair[k].pair];
    if (moves(a, pair->a, tree, link) || moves(a, pair->b, tree, link)) SUP_TRY(append_pair(a, k));
  }
  return SUP_OK;
}

/** Varied state := base (+) amount along coordinate j of a tree; half 0: position, 1: velocity. */
static void vary(about *a, const sup_state *state, int tree, int half, int j, double amount) {
  const sup_model *model = a->model;
  const sup_tree  *of = model->tree[tree];
  sup_state       *varied = a->t->varied;
  double           dq[SUP_TREE_MAX_NV] = {0};
  size_t           q = (size_t)model->q_start[tree], v = (size_t)model->v_start[tree];
  memcpy(varied->q + q, state->q + q, (size_t)of->nq * sizeof *varied->q);
  memcpy(varied->v + v, state->v + v, (size_t)of->nv * sizeof *varied->v);
  dq[j] = amount;
  if (half == 0 && amount != 0) sup_tree_integrate(of, varied->q + q, dq, 1);
  if (half == 1) varied->v[v + (size_t)j] += amount;
  place_tree(a, tree);
}

/** Central difference of a link's position; the row of a limit has a corner where it is met. */
static double size_of(const about *a, const sup_state *state, int tree, int half,
                      const sup_tree_link *link) {
  double q = state->q[a->model->q_start[tree] + link->q_start];
  double size = a->t->part.num_pairs > 0 ? sup_ilqr_numerics.variation : sup_ilqr_numerics.apart;
  if (half == 1 || !sup_joint_is_single(link->joint)) return size;
  double gap = fmin(fabs(q - link->lower), fabs(q - link->upper));
  return gap > 0 ? fmin(size, fmax(sup_ilqr_numerics.of_gap * gap, sup_ilqr_numerics.least)) : size;
}

/** dv := -H^-1 r_x of one coordinate; one-sided differences from the present a->r[0]. */
static sup_status column(about *a, const sup_state *state, int tree, const sup_tree_link *link,
                         int half, int j, double *dv) {
  double central = size_of(a, state, tree, half, link),
         size = (a->is_central ? central : sup_ilqr_numerics.one_sided) / (half ? a->inc.h : 1),
         way = a->is_central ? 2 * size : size;
  for (int side = a->is_central ? 0 : 1; side < 2; side++) {
    vary(a, state, tree, half, j, side ? size : -size);
    SUP_TRY(residual(a, tree, a->r[side]));
  }
  for (int i = 0; i < a->n; i++) dv[i] = -(a->r[1][i] - a->r[0][i]) / way;
  sup_dense_lu_solve(a->n, a->H, a->pivot, dv);
  return SUP_OK;
}

static sup_status columns_of_tree(about *a, const sup_state *state, int tree) {
  const sup_tree *of = a->model->tree[tree];
  int             first = a->model->v_start[tree];
  for (int l = 0; l < of->num_links; l++) {
    const sup_tree_link *link = &of->links[l];
    if (link->nv == 0) continue;
    SUP_TRY(select_pairs(a, tree, l));
    if (!a->is_central) {
      vary(a, state, tree, 0, 0, 0);
      SUP_TRY(residual(a, tree, a->r[0]));
    }
    for (int j = link->v_start; j < link->v_start + link->nv; j++)
      for (int half = 0; half < 2; half++)
        SUP_TRY(column(a, state, tree, link, half, j,
                       a->dv + (size_t)(half * a->n + first + j) * (size_t)a->n));
  }
  vary(a, state, tree, 0, 0, 0);
  a->start.arena = a->t->column;
  SUP_TRY(tree_residual(a, tree, NULL));
  return SUP_OK;
}

/* ---- H --------------------------------------------------------------------------------------- */

/** H += J^T G J of a constraint of dimension dim. */
static void add_constraint(about *a, const sup_problem *problem, int i, const double *G, int dim) {
  const sup_constraint    *c = &problem->constraint[i];
  const sup_block_pattern *P = problem->A_pattern;
  for (int k = 0; k < c->num_blocks; k++)
    for (int l = 0; l < c->num_blocks; l++) {
      const sup_jacobian_block *row = &problem->jacobian[c->first_block + k],
                               *col = &problem->jacobian[c->first_block + l];
      const double *Jr = problem->jacobian_value + row->value,
                   *Jc = problem->jacobian_value + col->value;
      int     m = sup_block_size(P, row->block), n = sup_block_size(P, col->block);
      double *to = a->H + sup_block_first(P, row->block) * a->n + sup_block_first(P, col->block);
      for (int s = 0; s < dim; s++)
        for (int t = 0; t < dim; t++)
          for (int p = 0; p < m && G[s * dim + t] != 0; p++)
            for (int q = 0; q < n; q++)
              to[p * a->n + q] += Jr[s * m + p] * G[s * dim + t] * Jc[t * n + q];
    }
}

/** LU factors of H = A + J^T G J, friction coupled where its law is. */
static sup_status factor(about *a) {
  sup_transition *t = a->t;
  sup_law        *laws;
  double         *vc, *gamma, *G;
  SUP_TRY(make_rows(a, &a->record->origins, t->arena));
  sup_problem problem = sup_step_problem(&t->assembly, &t->contacts);
  SUP_TRY(SUP_ARENA(t->arena, G, 9 * problem.num_constraints));
  SUP_TRY(evaluate(a, &problem, t->arena, &laws, &vc, &gamma, G));
  memset(a->H, 0, (size_t)(a->n * a->n) * sizeof *a->H);
  for (int k = 0; k < a->model->num_trees; k++) {
    int n = a->model->tree[k]->nv, first = a->model->v_start[k];
    if (n == 0) continue;
    const double *A =
        t->assembly.A + sup_block_diagonal(problem.A_pattern, a->model->tree_block[k]);
    for (int i = 0; i < n; i++)
      memcpy(a->H + (first + i) * a->n + first, A + i * n, (size_t)n * sizeof *A);
  }
  sup_coupling_add_slopes(&problem, laws, vc, gamma, G);
  for (int i = 0; i < problem.num_constraints; i++)
    add_constraint(a, &problem, i, G + 9 * i, sup_law_dimension(laws[i].kind));
  if (sup_dense_lu(a->n, a->H, a->pivot) < a->n)
    return SUP_FAIL(SUP_E_NOT_CONVERGED, "the step at %g s has no derivative: H is singular",
                    t->varied->time);
  return SUP_OK;
}

/* ---- next state ------------------------------------------------------------------------------ */

/** End of a tree's step from start and solution: q1, v1. */
typedef struct tree_end {
  double q[7 * SUP_TREE_MAX_LINKS], v[SUP_TREE_MAX_NV];
} tree_end;

static void move(const about *a, int tree, const double *u, tree_end *end) {
  const sup_model *model = a->model;
  sup_step_move_tree(a->start.layout, &a->inc, tree, a->t->varied->q + model->q_start[tree],
                     a->t->varied->v + model->v_start[tree], u, end->q, end->v);
}

/** N [2 nv x 3 nv] := derivatives of (q1, v1) of a tree by q0, v0 and its solution. */
static void next_of_tree(about *a, const sup_state *state, int tree, double *N) {
  const sup_tree *of = a->model->tree[tree];
  int             n = of->nv, first = a->model->v_start[tree];
  tree_end        end[2];
  double          u[SUP_TREE_MAX_NV], d[SUP_TREE_MAX_NV];
  for (int part = 0; part < 3; part++)
    for (int j = 0; j < n; j++) {
      double size = sup_ilqr_numerics.step_variation / (part ? a->inc.h : 1);
      for (int side = 0; side < 2; side++) {
        double way = side ? size : -size;
        memcpy(u, a->record->v + first, (size_t)n * sizeof *u);
        vary(a, state, tree, part == 1, j, part < 2 ? way : 0);
        if (part == 2) u[j] += way;
        move(a, tree, u, &end[side]);
      }
      sup_tree_difference(of, end[0].q, end[1].q, d);
      for (int i = 0; i < n; i++) {
        N[i * 3 * n + part * n + j] = d[i] / (2 * size);
        N[(n + i) * 3 * n + part * n + j] = (end[1].v[i] - end[0].v[i]) / (2 * size);
      }
    }
  vary(a, state, tree, 0, 0, 0);
}

/** The same of joints whose coordinates are numbers: q1 = q0 + dt u, v1 = u. */
static void next_of_numbers(const about *a, int n, double *N) {
  memset(N, 0, (size_t)(6 * n * n) * sizeof *N);
  for (int i = 0; i < n; i++) {
    N[i * 3 * n + i] = 1;
    N[i * 3 * n + 2 * n + i] = a->inc.h;
    N[(n + i) * 3 * n + 2 * n + i] = 1;
  }
}

static int has_rotations(const sup_tree *tree) {
  for (int l = 0; l < tree->num_links; l++)
    if (sup_joint_quaternion(&tree->links[l]) != SUP_NONE) return 1;
  return 0;
}

/** Rows of a tree in an output [2 n x width] by columns dv [width x n]: N_u dv. */
static void add_solution(const about *a, int tree, const double *N, const double *dv, int width,
                         double *out) {
  int n = a->model->tree[tree]->nv, first = a->model->v_start[tree];
  for (int i = 0; i < 2 * n; i++) {
    double       *row = out + (size_t)((i < n ? 0 : a->n - n) + first + i) * (size_t)width;
    const double *Nu = N + (size_t)(i * 3 * n + 2 * n);
    for (int c = 0; c < width; c++)
      for (int j = 0; j < n; j++)
        row[c] += Nu[j] * dv[(size_t)c * (size_t)a->n + (size_t)(first + j)];
  }
}

/** Rows of a tree in A: its own x0. */
static void add_start(const about *a, int tree, const double *N, double *A) {
  int n = a->model->tree[tree]->nv, first = a->model->v_start[tree];
  for (int i = 0; i < 2 * n; i++) {
    double *row = A + (size_t)((i < n ? 0 : a->n - n) + first + i) * (size_t)(2 * a->n);
    for (int j = 0; j < n; j++) {
      row[first + j] += N[i * 3 * n + j];
      row[a->n + first + j] += N[i * 3 * n + n + j];
    }
  }
}

/* ---- controls -------------------------------------------------------------------------------- */

/** r [n] := impulses of joints with control i at a value. */
static sup_status joint_impulse(about *a, int i, double value, double *r) {
  sup_transition *t = a->t;
  sup_law        *laws;
  double         *vc, *gamma;
  int             k = t->control[i].index;
  SUP_TRY(sup_arena_reset(t->column));
  sup_inputs_ramp(t->varied->inputs, SUP_DRIVEN_TARGET, k, &a->model->actuator[k].target, 0,
                  t->varied->time, a->inc.h, &value, 0);
  SUP_TRY(make_rows(a, &t->part, t->column));
  sup_problem problem = sup_step_problem(&t->assembly, &t->contacts);
  SUP_TRY(evaluate(a, &problem, t->column, &laws, &vc, &gamma, NULL));
  sup_problem_generalized_impulse(&problem, gamma, r);
  return SUP_OK;
}

/** dv [num_u x n] by u. */
static sup_status columns_of_controls(about *a, const double *u, double *dv) {
  sup_transition *t = a->t;
  const double    size = sup_ilqr_numerics.step_variation;
  sup_origins_clear(&t->part);
  for (int i = 0; i < t->num_controls; i++, dv += a->n) {
    memset(dv, 0, (size_t)a->n * sizeof *dv);
    if (t->control[i].kind == SUP_CONTROL_EFFORT) {
      dv[t->control[i].index] = a->inc.h * a->inc.load;
    } else {
      for (int side = 0; side < 2; side++)
        SUP_TRY(joint_impulse(a, i, u[i] + (side ? size : -size), a->r[side]));
      SUP_TRY(sup_transition_set(t, u, t->varied));
      for (int k = 0; k < a->n; k++) dv[k] = (a->r[1][k] - a->r[0][k]) / (2 * size);
    }
    sup_dense_lu_solve(a->n, a->H, a->pivot, dv);
  }
  return SUP_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static sup_status begin(about *a, const sup_state *state, const double *u) {
  sup_transition *t = a->t;
  int             n = a->n = t->num_v;
  SUP_TRY(sup_arena_reset(t->arena));
  SUP_TRY(sup_state_copy(t->varied, state));
  SUP_TRY(sup_transition_set(t, u, t->varied));
  a->inc = sup_increment_of_state(&t->options, t->varied);
  a->start = (sup_step_start){.model = a->model,
                              .layout = sup_stepper_layout(t->stepper),
                              .inc = &a->inc,
                              .state = t->varied,
                              .arena = t->arena};
  SUP_TRY(sup_kinematics_compute(&a->start.kin, a->model, &a->inc, t->varied->q, t->varied->v,
                                 t->arena));
  SUP_TRY(SUP_ARENA(t->arena, a->wrench, a->model->num_bodies));
  SUP_TRY(
      sup_kinematics_compute(&a->moved, a->model, &a->inc, t->varied->q, a->record->v, t->arena));
  SUP_TRY(SUP_ARENA(t->arena, t->assembly.v0, n));
  SUP_TRY(SUP_ARENA(t->arena, t->assembly.p, n));
  SUP_TRY(SUP_ARENA(t->arena, a->H, n * n));
  SUP_TRY(SUP_ARENA(t->arena, a->pivot, n));
  SUP_TRY(SUP_ARENA(t->arena, a->dv, (2 * n + t->num_controls) * n));
  SUP_TRY(SUP_ARENA_VECTORS(t->arena, n, &a->r[0], &a->r[1]));
  t->contacts.all_limits = a->record->all_limits;
  for (int k = 0; k < a->model->num_trees; k++)
    if (a->model->tree[k]->nv > 0) SUP_TRY(tree_residual(a, k, NULL));
  return SUP_OK;
}

static int has_externals(const sup_model *model, const sup_increment *inc) {
  sup_external load;
  for (int i = 0; i < sup_increment_num_externals(inc, model); i++)
    if (sup_increment_external(inc, model, i, &load)) return 1;
  return 0;
}

sup_status sup_transition_linearise(sup_transition *t, const sup_state *state, const double *u,
                                    const sup_step_record *record, int is_central, double *A,
                                    double *B) {
  about  a = {.t = t, .model = t->model, .record = record, .is_central = is_central};
  double N[1], *next = N;
  SUP_TRY(begin(&a, state, u));
  if (!record->is_plain || has_externals(t->model, &a.inc)) {
    SUP_TRY(sup_linearise_by_steps(t, state, u, -1, A, B));
    return SUP_OK;
  }
  SUP_TRY(factor(&a));
  size_t  n = (size_t)a.n, m = (size_t)t->num_controls;
  double *of_controls = a.dv + 2 * n * n;
  for (int k = 0; k < t->model->num_trees; k++)
    if (t->model->tree[k]->nv > 0) SUP_TRY(columns_of_tree(&a, state, k));
  SUP_TRY(columns_of_controls(&a, u, of_controls));
  memset(A, 0, 4 * n * n * sizeof *A);
  memset(B, 0, 2 * n * m * sizeof *B);
  for (int k = 0; k < t->model->num_trees; k++) {
    int nv = t->model->tree[k]->nv;
    SUP_TRY(SUP_ARENA(t->arena, next, 6 * nv * nv));
    if (has_rotations(t->model->tree[k]))
      next_of_tree(&a, state, k, next);
    else
      next_of_numbers(&a, nv, next);
    add_start(&a, k, next, A);
    add_solution(&a, k, next, a.dv, 2 * a.n, A);
    add_solution(&a, k, next, of_controls, t->num_controls, B);
  }
  return SUP_OK;
}

sup_status sup_linearise(sup_transition *t, const sup_state *state, const double *u,
                         sup_state *next, double *A, double *B) {
  SUP_TRY(sup_transition_record(t, state, u, next, &t->record));
  SUP_TRY(sup_transition_linearise(t, state, u, &t->record, 1, A, B));
  return SUP_OK;
}
