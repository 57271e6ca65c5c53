#include "constraint/attachment.h"

sup_status sup_attachment_compute(sup_attachment *out, const sup_model *model, const sup_soft *soft,
                                  const sup_kinematics *kin, const double *tree_v, const double *x,
                                  sup_arena *arena) {
  *out = (sup_attachment){0};
  if (soft->attach_tree == SUP_NONE) return SUP_OK;
  const sup_tree          *tree = model->tree[soft->attach_tree];
  sup_tree_kinematics_data part = sup_kinematics_tree(kin, model, soft->attach_tree);
  const double            *v = tree_v + model->v_start[soft->attach_tree];
  out->nv = tree->nv;
  SUP_TRY(SUP_ARENA(arena, out->J, soft->num_attached * 3 * tree->nv));
  SUP_TRY(SUP_ARENA(arena, out->base, soft->num_attached * 3));
  for (int i = 0; i < soft->num_vertices; i++) {
    int slot = soft->attach_slot[i];
    if (slot == SUP_NONE) continue;
    double *J = out->J + slot * 3 * tree->nv, *base = out->base + 3 * slot;
    sup_v3  p = sup_v3_load(x + 3 * i);
    if (tree->nv > 0) sup_tree_point_jacobian(tree, &part, soft->attach_link, p, J);
    sup_v3_store(base, sup_tree_point_velocity(&part, soft->attach_link, p));
    for (int r = 0; r < 3; r++)
      for (int j = 0; j < tree->nv; j++) base[r] -= J[r * tree->nv + j] * v[j];
  }
  return SUP_OK;
}
