#include "constraint/attachment.h"

/** Vertices on one link. */
static void map_link(sup_attachment *out, const sup_model *model, const sup_soft *soft, int k,
                     const sup_kinematics *kin, const double *tree_v, const double *x, double h) {
  const sup_attachment_link *on = &soft->attachment[k];
  const sup_tree            *tree = model->tree[on->tree];
  sup_tree_kinematics_data   part = sup_kinematics_tree(kin, model, on->tree);
  const double              *v = tree_v + model->v_start[on->tree];
  sup_m3                     turn = sup_m3_zero(); /* way of a turn by h w, beyond h w x r */
  if (h > 0 && sup_attachment_on_hub(model, on)) {
    sup_v3 w = sup_v3_scale(h, part.w[on->link]);
    turn = sup_m3_add(sup_quat_matrix(sup_quat_exp(w)), sup_m3_scale(-1, sup_m3_skew(w)));
    for (int r = 0; r < 3; r++) turn.m[r][r] -= 1;
    turn = sup_m3_scale(1 / h, turn);
  }
  for (int i = 0; i < soft->num_vertices; i++) {
    if (soft->attach_of[i] != k) continue;
    size_t  slot = (size_t)soft->attach_slot[i];
    double *J = out->J + slot * (size_t)out->stride, *base = out->base + 3 * slot;
    sup_v3  p = sup_v3_load(x + 3 * i);
    if (on->nv > 0) sup_tree_point_jacobian(tree, &part, on->link, p, J);
    sup_v3 arm = sup_v3_sub(p, part.X_WL[on->link].p);
    sup_v3_store(base,
                 sup_v3_add(sup_tree_point_velocity(&part, on->link, p), sup_m3_apply(turn, arm)));
    for (int r = 0; r < 3; r++)
      for (int j = 0; j < on->nv; j++) base[r] -= J[r * on->nv + j] * v[j];
  }
}

sup_status sup_attachment_compute(sup_attachment *out, const sup_model *model, const sup_soft *soft,
                                  const sup_kinematics *kin, const double *tree_v, const double *x,
                                  double h, sup_arena *arena) {
  *out = (sup_attachment){.stride = 3 * soft->attach_nv};
  SUP_TRY(SUP_ARENA(arena, out->J, soft->num_attached * out->stride));
  SUP_TRY(SUP_ARENA(arena, out->base, soft->num_attached * 3));
  for (int k = 0; k < soft->num_attachments; k++) map_link(out, model, soft, k, kin, tree_v, x, h);
  return SUP_OK;
}
