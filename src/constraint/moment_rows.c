#include "constraint/moment_rows.h"

#include <float.h>
#include <math.h>

#include "constraint/numerics.h"

sup_status sup_rows_turn(sup_rows *rows, const sup_contact_context *c, int body, int r,
                         sup_v3 axis) {
  int                      t = c->model->body[body].tree, link = c->model->body[body].link;
  const sup_tree          *tree = c->model->tree[t];
  sup_tree_kinematics_data part = sup_kinematics_tree(c->kin, c->model, t);
  double                   world[3 * SUP_TREE_MAX_NV], own[3], *J;
  sup_v3_store(own, axis);
  double *bias = &sup_rows_last(rows)->bias[r];
  *bias += sup_v3_dot(axis, part.w[link]);
  if (tree->nv == 0) return SUP_OK;
  const double *v = c->v0 + sup_block_first(c->A_pattern, c->model->tree_block[t]);
  sup_tree_angular_jacobian(tree, &part, link, world);
  SUP_TRY(sup_rows_block(rows, c->model->tree_block[t], tree->nv, &J));
  for (int j = 0; j < tree->nv; j++) {
    double along = 0;
    for (int k = 0; k < 3; k++) along += own[k] * world[k * tree->nv + j];
    J[r * tree->nv + j] += along, *bias -= along * v[j];
  }
  return SUP_OK;
}

/** Inverse mass J D^-1 J^T of a row of links, the mean of its n components, with the diagonal D of
 * A; 0 in load steps, in which links have no inertia. */
static double inverse_mass(const sup_rows *rows, const sup_contact_context *c, int i, int n) {
  const sup_constraint *row = &rows->constraint[i];
  double                w = 0;
  for (int k = 0; k < row->num_blocks && c->inc->motion > 0; k++) {
    const sup_jacobian_block *b = &rows->jacobian[row->first_block + k];
    const double             *D = c->A + sup_block_diagonal(c->A_pattern, b->block),
                 *J = rows->jacobian_value + b->value;
    int size = sup_block_size(c->A_pattern, b->block);
    for (int j = 0; j < n * size; j++) w += J[j] * J[j] / (n * D[j % size * (size + 1)]);
  }
  return w;
}

/** Slip of inverse mass w at which friction has its bound f: a share of what the bound stops in a
 * step, at most `most` and no less than its round-off. */
static double slip_of(const sup_contact_context *c, double w, double f, double most) {
  double slip = sup_constraint_numerics.dry * c->inc->reference * w * f;
  return w > 0 ? fmax(fmin(most, slip), DBL_EPSILON * most) : most;
}

/** Angular velocity of b past a about an axis, in component r of the last row. */
static sup_status add_turn(sup_rows *rows, const sup_contact_context *c, const sup_contact *contact,
                           int r, sup_v3 axis) {
  SUP_TRY(sup_rows_turn(rows, c, contact->body_b, r, axis));
  return sup_rows_turn(rows, c, contact->body_a, r, sup_v3_scale(-1, axis));
}

/** Multiply the last row, of dimension 3, by a lever. */
static void stretch(sup_rows *rows, const sup_contact_context *c, double lever) {
  sup_constraint *row = sup_rows_last(rows);
  for (int r = 0; r < 3; r++) row->bias[r] *= lever;
  for (int k = 0; k < row->num_blocks; k++) {
    const sup_jacobian_block *b = &rows->jacobian[row->first_block + k];
    double                   *J = rows->jacobian_value + b->value;
    for (int j = 0; j < 3 * sup_block_size(c->A_pattern, b->block); j++) J[j] *= lever;
  }
}

/** Lagged friction of the slip L w_t with the coefficient length/L, bounded by the normal force of
 * the start, which a spring of the overlap L holds that nothing moves.  With the lever L the row is
 * as heavy as that of contact i. */
static sup_status add_rolling(sup_rows *rows, const sup_contact_context *c,
                              const sup_contact *contact, int i, double length) {
  double  h = c->inc->h, N = contact->start_force;
  sup_m3  R = sup_m3_frame_of_normal(contact->normal);
  sup_law law = {.kind = SUP_LAW_LAGGED};
  SUP_TRY(sup_rows_begin(rows, &law));
  for (int r = 0; r < 2; r++) SUP_TRY(add_turn(rows, c, contact, r, sup_m3_column(&R, r)));
  double w = inverse_mass(rows, c, i, 3),
         w_turn = inverse_mass(rows, c, rows->num_constraints - 1, 2);
  double lever = w > 0 && w_turn > 0 ? sqrt(w / w_turn) : length;
  stretch(rows, c, lever);
  sup_rows_last(rows)->law.coulomb = (sup_coulomb){
      .normal = {SUP_NORMAL_KELVIN_VOIGT, .dt = h, .phi0 = -lever, .f0 = N, .k = N / lever},
      .mu = length / lever,
      .gn0 = h * N,
      .slip = slip_of(c, lever * lever * w_turn, N * length / lever,
                      lever * sup_constraint_numerics.dry_slip)};
  sup_law_set_lagged_impulse(&sup_rows_last(rows)->law, h * N);
  return SUP_OK;
}

sup_status sup_rolling_rows_add(sup_moment_rows *out, sup_rows *rows, const sup_contact_context *c,
                                const sup_contact_list *contacts) {
  *out = (sup_moment_rows){.first = rows->num_constraints};
  SUP_TRY(SUP_ARENA(c->arena, out->contact, contacts->count));
  for (int i = 0; i < contacts->count; i++) {
    const sup_contact *contact = &contacts->contact[i];
    double             length = c->model->pair[contact->pair].friction.rolling;
    if (!(length * contact->start_force > 0)) continue;
    SUP_TRY(add_rolling(rows, c, contact, i, length));
    out->contact[out->num_rows++] = i;
  }
  return SUP_OK;
}

sup_status sup_spin_rows_add(sup_moment_rows *out, sup_rows *rows, const sup_contact_context *c,
                             const sup_contact_list *contacts) {
  *out = (sup_moment_rows){.first = rows->num_constraints};
  SUP_TRY(SUP_ARENA(c->arena, out->contact, contacts->count));
  for (int i = 0; i < contacts->count; i++) {
    const sup_contact *contact = &contacts->contact[i];
    double  bound = c->model->pair[contact->pair].friction.torsional * contact->start_friction;
    sup_law law = {.kind = SUP_LAW_PD, .pd = {.dt = c->inc->h, .effort = bound}};
    if (!(bound > 0)) continue;
    SUP_TRY(sup_rows_begin(rows, &law));
    SUP_TRY(add_turn(rows, c, contact, 0, contact->normal));
    double w = inverse_mass(rows, c, rows->num_constraints - 1, 1);
    sup_rows_last(rows)->law.pd.slope =
        bound / slip_of(c, w, bound, sup_constraint_numerics.dry_slip);
    out->contact[out->num_rows++] = i;
  }
  return SUP_OK;
}

void sup_moment_rows_couples(const sup_moment_rows *rolling, const sup_moment_rows *spin,
                             const sup_rows *rows, const double *gamma, double dt,
                             sup_contact_list *contacts) {
  for (int i = 0; i < contacts->count; i++) contacts->contact[i].couple = (sup_v3){0, 0, 0};
  for (int r = 0; r < rolling->num_rows; r++) {
    const sup_constraint *row = &rows->constraint[rolling->first + r];
    sup_contact          *of = &contacts->contact[rolling->contact[r]];
    sup_m3                R = sup_m3_frame_of_normal(of->normal);
    const double         *g = gamma + row->first_vc;
    double                lever = -row->law.coulomb.normal.phi0;
    of->couple = sup_v3_scale(lever / dt, sup_m3_apply(R, sup_v3_make(g[0], g[1], 0)));
  }
  for (int r = 0; r < spin->num_rows; r++) {
    sup_contact *of = &contacts->contact[spin->contact[r]];
    double       impulse = gamma[rows->constraint[spin->first + r].first_vc];
    of->couple = sup_v3_madd(of->couple, impulse / dt, of->normal);
  }
}
