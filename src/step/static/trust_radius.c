/* Trust radius of an iteration of a load step: no body moves farther than contacts are searched
 * (THEORY 18.3). */
#include <math.h>

#include "la/vector.h"
#include "step/static/equilibrium.h"

typedef struct sup_static_iteration iteration;

/** Largest distance of a tree's links from its first one, plus half the size of the bodies [m]. */
static double reach_of(const iteration *it, int t) {
  const sup_model *model = it->s->model;
  const sup_frame *X = it->s->kin.X_WL + model->tree_body[t];
  double           reach = 0;
  for (int l = 1; l < model->tree[t]->num_links; l++)
    reach = fmax(reach, sup_v3_norm(sup_v3_sub(X[l].p, X[0].p)));
  return reach + 0.5 * it->size;
}

/** Largest displacement of a joint of tree t for its velocities d [m]; in models without pairs a
 * joint may turn by half a radian or slide a hundred times as far. */
static double joint_way(const iteration *it, int t, const double *d) {
  static const double  turn = 0.5;
  const sup_model     *model = it->s->model;
  const sup_tree_link *link = model->tree[t]->links;
  double longest = 0, reach = model->num_pairs > 0 ? reach_of(it, t) : it->radius / turn;
  for (int j = 0; j < model->tree[t]->nv; j++) {
    while (j >= link->v_start + link->nv) link++;
    double way = it->s->inc->h * fabs(d[j]);
    if (sup_joint_turns(link, j - link->v_start))
      longest = fmax(longest, way * reach);
    else
      longest = fmax(longest, model->num_pairs > 0 ? way : 0.01 * way);
  }
  return longest;
}

double sup_statics_way(const iteration *it, int b) {
  const sup_stepper       *s = it->s;
  const sup_block_pattern *P = &s->A_pattern;
  const sup_body          *body = &s->model->body[s->model->block_body[b]];
  int                      first = sup_block_first(P, b), n = sup_block_size(P, b);
  double                   d[SUP_TREE_MAX_NV];
  for (int c = 0; c < n; c++) d[c] = s->solution.v[first + c] - it->cost.base.v[first + c];
  return body->soft != SUP_NONE ? s->inc->h * sup_norm(d, n) : joint_way(it, body->tree, d);
}

/** Raise the proximal weight of a tree whose step exceeds the trust radius, else lower it: scaled
 * down, the step would shorten those of all bodies that touch the tree. */
static void hold_tree(const iteration *it, sup_statics_tree *tree, double way) {
  static const double looser = 0.1, most = 1e3;
  tree->proximal *= way > it->radius ? fmin(way / it->radius, most) : looser;
}

/** Scale the steps of all soft bodies together, as one island: limited one by one, a body that
 * separates returns later, pushes others out of balance and separates again, endlessly. */
static void unite_softs(const sup_stepper *s, int *island) {
  int first = SUP_NONE, num = s->A_pattern.num_blocks;
  for (int b = 0; b < num; b++) {
    int own = island[b];
    if (s->model->body[s->model->block_body[b]].soft == SUP_NONE || own == first) continue;
    if (first == SUP_NONE) first = own;
    for (int k = 0; k < num; k++)
      if (island[k] == own) island[k] = first;
  }
}

sup_status sup_statics_shorten_ways(iteration *it, int *is_finite) {
  sup_stepper             *s = it->s;
  const sup_block_pattern *P = &s->A_pattern;
  int                     *island;
  double                  *way; /* of an island: where its number points */
  SUP_TRY(SUP_ARENA(s->arena, island, P->num_blocks));
  SUP_TRY(SUP_ARENA(s->arena, way, P->num_blocks));
  sup_stepper_find_islands(s, &it->problem, island);
  unite_softs(s, island);
  for (int b = 0; b < P->num_blocks; b++) way[b] = it->radius;
  for (int b = 0; b < P->num_blocks; b++) {
    int     body = s->model->block_body[b];
    double *longest = &way[island[b]], d = sup_statics_way(it, b);
    *is_finite &= isfinite(d) != 0;
    if (s->model->body[body].soft == SUP_NONE)
      hold_tree(it, &s->statics->tree[s->model->body[body].tree], d);
    *longest = fmax(*longest, d);
  }
  it->way = 0;
  for (int b = 0; b < P->num_blocks && *is_finite; b++) {
    double share = it->radius / way[island[b]];
    it->way = fmax(it->way, way[island[b]] / it->radius);
    if (share == 1) continue;
    for (int i = sup_block_first(P, b); i < sup_block_first(P, b + 1); i++)
      s->solution.v[i] = it->cost.base.v[i] + share * (s->solution.v[i] - it->cost.base.v[i]);
  }
  return SUP_OK;
}
