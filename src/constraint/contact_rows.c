#include "constraint/contact_rows.h"

#include <math.h>

enum { MAX_TREE_V = 256 };

/** Rows of J += sign R^T times a 3 x n world Jacobian. */
static void add_rotated(double *J, const sup_m3 *R, double sign, const double *world, int n) {
  for (int r = 0; r < 3; r++)
    for (int j = 0; j < n; j++)
      J[r * n + j] += sign * (R->m[0][r] * world[j] + R->m[1][r] * world[n + j] + R->m[2][r] * world[2 * n + j]);
}

/** A point fixed to a link moves with it: +- its point Jacobian, and the base's motion as bias. */
static sup_status add_link(sup_rows *rows, const sup_contact_context *c, int body, sup_v3 p, const sup_m3 *R,
                           double sign) {
  const sup_model         *model = c->model;
  int                      t = model->body[body].tree;
  const sup_tree          *tree = model->tree[t];
  sup_tree_kinematics_data part = sup_kinematics_tree(c->kin, model, t);
  double                   world[3 * MAX_TREE_V];
  sup_v3                   bias = sup_tree_point_velocity(&part, model->body[body].link, p);
  SUP_ASSERT(tree->nv <= MAX_TREE_V);
  if (tree->nv > 0) {
    const double *v = c->v0 + c->A_pattern->offset[model->tree_block[t]];
    double       *J, sum[3] = {0, 0, 0};
    sup_tree_point_jacobian(tree, &part, model->body[body].link, p, world);
    for (int r = 0; r < 3; r++)
      for (int j = 0; j < tree->nv; j++) sum[r] += world[r * tree->nv + j] * v[j];
    bias = sup_v3_sub(bias, sup_v3_load(sum));
    SUP_TRY(sup_rows_block(rows, model->tree_block[t], tree->nv, &J));
    add_rotated(J, R, sign, world, tree->nv);
  }
  sup_v3_accumulate(sup_rows_last(rows)->bias, sign, sup_m3_apply_t(*R, bias));
  return SUP_OK;
}

/** A point carried by the vertices of a soft body. */
static sup_status add_soft(sup_rows *rows, const sup_contact_context *c, const sup_contact *contact, const sup_m3 *R,
                           double sign) {
  int             s = c->model->body[contact->body_a].soft;
  const sup_soft *soft = &c->model->soft[s];
  for (int k = 0; k < contact->num_vertices; k++) {
    int    i = contact->vertex[k];
    double weight = sign * contact->weight[k], *J;
    if (soft->kind[i] == SUP_VERTEX_FREE) {
      static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
      SUP_TRY(sup_rows_block(rows, soft->block[i], 3, &J));
      add_rotated(J, R, weight, identity, 3);
    } else if (soft->kind[i] == SUP_VERTEX_ATTACHED) {
      const sup_attachment *a = &c->attachment[s];
      int                   slot = soft->attach_slot[i];
      if (a->nv > 0) {
        SUP_TRY(sup_rows_block(rows, c->model->tree_block[soft->attach_tree], a->nv, &J));
        add_rotated(J, R, weight, a->J + slot * 3 * a->nv, a->nv);
      }
      sup_v3_accumulate(sup_rows_last(rows)->bias, weight, sup_m3_apply_t(*R, sup_v3_load(a->base + 3 * slot)));
    }
  }
  return SUP_OK;
}

/** w = |J diag(A)^-1 J^T|_F / 3 of the present constraint. */
static double delassus_estimate(const sup_rows *rows, const sup_contact_context *c) {
  const sup_constraint    *row = &rows->constraint[rows->num_constraints - 1];
  const sup_block_pattern *P = c->A_pattern;
  double                   W[9] = {0};
  for (int k = 0; k < row->num_blocks; k++) {
    const sup_jacobian_block *b = &rows->jacobian[row->first_block + k];
    int                       n = P->offset[b->block + 1] - P->offset[b->block];
    const double             *J = rows->jacobian_value + b->value;
    const double             *D = c->A + P->value_start[P->col_start[b->block]];
    for (int r = 0; r < 3; r++)
      for (int s = 0; s < 3; s++)
        for (int j = 0; j < n; j++) W[3 * r + s] += J[r * n + j] * J[s * n + j] / D[j * n + j];
  }
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += W[i] * W[i];
  return sqrt(sum) / 3;
}

static double row_dot(const sup_rows *rows, const sup_contact_context *c, int component) {
  const sup_constraint *row = &rows->constraint[rows->num_constraints - 1];
  double                sum = row->bias[component];
  for (int k = 0; k < row->num_blocks; k++) {
    const sup_jacobian_block *b = &rows->jacobian[row->first_block + k];
    int                       n = c->A_pattern->offset[b->block + 1] - c->A_pattern->offset[b->block];
    const double             *v = c->v0 + c->A_pattern->offset[b->block];
    for (int j = 0; j < n; j++) sum += rows->jacobian_value[b->value + (size_t)(component * n + j)] * v[j];
  }
  return sum;
}

/** k = C times the area that b sees, or that of the point; between rigid bodies not stiffer than the step can resolve:
 * THEORY 6.2 "near-rigid rule" with tau = 0.
 */
static double stiffness(const sup_rows *rows, const sup_contact_context *c, const sup_contact *contact) {
  const sup_pair    *pair = &c->model->pair[contact->pair];
  const sup_options *options = &c->model->options;
  double             C = pair->stiffness, area = contact->area * contact->facing;
  if (contact->geometry_a == SUP_NONE) {
    if (!(C > 0)) C = c->model->soft[c->model->body[contact->body_a].soft].triangle_stiffness[contact->triangle];
    return C * area;
  }
  double k = contact->point_stiffness > 0 ? contact->point_stiffness : C * area;
  double w = delassus_estimate(rows, c), period = options->beta * options->dt / (2 * 3.14159265358979323846);
  return w > 0 ? fmin(k, 1 / (period * period * w)) : k;
}

sup_status sup_contact_rows(sup_rows *rows, const sup_contact_context *c, sup_contact_list *contacts) {
  for (int i = 0; i < contacts->count; i++) {
    sup_contact *contact = &contacts->contact[i];
    sup_m3       R = sup_m3_frame_of_normal(contact->normal);
    sup_law      law = {.kind = SUP_LAW_LAGGED};
    SUP_TRY(sup_rows_begin(rows, &law));
    SUP_TRY(add_link(rows, c, contact->body_b, contact->centroid, &R, 1));
    if (contact->geometry_a == SUP_NONE)
      SUP_TRY(add_soft(rows, c, contact, &R, -1));
    else
      SUP_TRY(add_link(rows, c, contact->body_a, contact->centroid, &R, -1));
    contact->stiffness = stiffness(rows, c, contact);
    sup_lagged *lagged = &sup_rows_last(rows)->law.lagged;
    lagged->normal = (sup_hunt_crossley){c->model->options.dt, contact->stiffness, -contact->stiffness * contact->phi,
                                         contact->dissipation};
    lagged->mu = contact->friction;
    lagged->eps = c->model->options.stiction_tolerance;
    lagged->gn0 = sup_hunt_crossley_lagged(&lagged->normal, row_dot(rows, c, 2));
  }
  return SUP_OK;
}

void sup_contact_forces(const sup_rows *rows, int first, const double *gamma, const double *vc, double dt,
                        sup_contact_list *contacts) {
  for (int i = 0; i < contacts->count; i++) {
    sup_contact  *contact = &contacts->contact[i];
    sup_m3        R = sup_m3_frame_of_normal(contact->normal);
    int           at = rows->constraint[first + i].first_vc;
    const double *g = gamma + at, *v = vc + at;
    contact->force = sup_v3_scale(1 / dt, sup_m3_apply(R, sup_v3_load(g)));
    contact->pressure = contact->area > 0 ? g[2] / (dt * contact->area * contact->facing) : 0;
    contact->slip = sup_m3_apply(R, sup_v3_make(v[0], v[1], 0));
  }
}
