/* Trust radius of an iteration of a load step (THEORY 18.3). */
#include "step/static/trust_radius.h"

#include <math.h>

#include "la/vector.h"
#include "step/static/numerics.h"

sup_trust_radius sup_trust_radius_of(const sup_model *model) {
  double largest = 0;
  for (int i = 0; i < model->num_softs; i++) {
    sup_v3 lower = sup_v3_make(HUGE_VAL, HUGE_VAL, HUGE_VAL), upper = sup_v3_scale(-1, lower);
    for (int a = 0; a < model->soft[i].num_vertices; a++) {
      sup_v3 p = sup_v3_load(model->soft[i].x0 + 3 * a);
      lower = sup_v3_make(fmin(lower.x, p.x), fmin(lower.y, p.y), fmin(lower.z, p.z));
      upper = sup_v3_make(fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z));
    }
    largest = fmax(largest, sup_v3_norm(sup_v3_sub(upper, lower)));
  }
  double size = largest > 0 ? largest : sup_static_numerics.size;
  /* contacts are found only where bodies already overlap, and cells are small */
  return (sup_trust_radius){.size = size,
                            .radius = (model->num_pairs > 0 && model->num_softs > 0
                                           ? sup_static_numerics.radius_in_contact
                                           : sup_static_numerics.radius) *
                                      size};
}

/** Largest distance of a tree's links from its first one, plus half the size of the bodies [m]. */
static double reach_of(sup_trust_radius trust, const sup_tree *tree, const sup_frame *X) {
  double reach = 0;
  for (int l = 1; l < tree->num_links; l++)
    reach = fmax(reach, sup_v3_norm(sup_v3_sub(X[l].p, X[0].p)));
  return reach + 0.5 * trust.size;
}

/** Largest displacement of a joint for its velocities d [nv] over h [m]. */
static double joint_way(sup_trust_radius trust, const sup_tree *tree, const sup_frame *X,
                        int has_pairs, double h, const double *d) {
  const sup_tree_link *link = tree->links;
  double               longest = 0,
         reach = has_pairs ? reach_of(trust, tree, X) : trust.radius / sup_static_numerics.turn;
  for (int j = 0; j < tree->nv; j++) {
    while (j >= link->v_start + link->nv) link++;
    double way = h * fabs(d[j]);
    if (sup_joint_turns(link, j - link->v_start))
      longest = fmax(longest, way * reach);
    else
      longest = fmax(longest, has_pairs ? way : sup_static_numerics.slide * way);
  }
  return longest;
}

void sup_trust_radius_displacements(sup_trust_radius trust, const sup_model *model,
                                    const sup_block_pattern *P, const sup_frame *X_WL, double h,
                                    const double *from, const double *to, double *way) {
  for (int b = 0; b < P->num_blocks; b++) {
    const sup_body *body = &model->body[model->block_body[b]];
    int             first = sup_block_first(P, b), n = sup_block_size(P, b), t = body->tree;
    double          d[SUP_TREE_MAX_NV];
    for (int c = 0; c < n; c++) d[c] = to[first + c] - from[first + c];
    way[b] = body->soft != SUP_NONE ? h * sup_norm(d, n)
                                    : joint_way(trust, model->tree[t], X_WL + model->tree_body[t],
                                                model->num_pairs > 0, h, d);
  }
}

void sup_trust_radius_unite_softs(const sup_model *model, int num_blocks, int *island) {
  int first = SUP_NONE;
  for (int b = 0; b < num_blocks; b++) {
    int own = island[b];
    if (model->body[model->block_body[b]].soft == SUP_NONE || own == first) continue;
    if (first == SUP_NONE) first = own;
    for (int k = 0; k < num_blocks; k++)
      if (island[k] == own) island[k] = first;
  }
}

double sup_trust_radius_shorten(double radius, const sup_block_pattern *P, const int *island,
                                const double *way, double *longest, const double *from,
                                double *to) {
  double overshoot = 0;
  for (int b = 0; b < P->num_blocks; b++) longest[b] = radius;
  for (int b = 0; b < P->num_blocks; b++) longest[island[b]] = fmax(longest[island[b]], way[b]);
  for (int b = 0; b < P->num_blocks; b++) {
    double share = radius / longest[island[b]];
    overshoot = fmax(overshoot, longest[island[b]] / radius);
    for (int i = sup_block_first(P, b); i < sup_block_first(P, b + 1) && share < 1; i++)
      to[i] = from[i] + share * (to[i] - from[i]);
  }
  return overshoot;
}

/** Least extent of a rigid shape along its axes [m]; of a half space infinite. */
static double thickness_of(const sup_model *model, int geometry) {
  sup_frame at = sup_frame_identity();
  sup_v3    lower, upper;
  sup_shape_bounds(&model->geometry[geometry].shape, &at, 0, &lower, &upper);
  sup_v3 size = sup_v3_sub(upper, lower);
  return fmin(size.x, fmin(size.y, size.z));
}

int sup_trust_radius_passes(const sup_model *model, const sup_frame *from, const sup_frame *to,
                            unsigned char *passes) {
  int count = 0;
  for (int t = 0; t < model->num_trees; t++) passes[t] = 0;
  for (int k = 0; k < model->num_pairs; k++) {
    const sup_pair *pair = &model->pair[k];
    double          depth = sup_overlap_of_shapes(model, pair, to);
    if (!(depth > 0)) continue;
    double thin =
        fmin(thickness_of(model, pair->geometry_a), thickness_of(model, pair->geometry_b));
    if (!(depth > sup_static_numerics.passing * thin) ||
        depth <= sup_overlap_of_shapes(model, pair, from))
      continue;
    passes[model->body[pair->a].tree] = passes[model->body[pair->b].tree] = 1, count++;
  }
  return count;
}
