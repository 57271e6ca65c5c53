#include "geom/bvh_pairs.h"

enum { MAX_DEPTH = 64 };

/** Transform of one side into the frame of the other, with slack and slab. */
typedef struct view {
  const sup_bvh_side *side;
  sup_frame           X; /* into the other's frame */
  sup_m3              size;
  double              slack;
  unsigned char       slab;
} view;

static view view_of(const sup_bvh_side *side, const sup_frame *X, double slack, int slab) {
  view v = {side, *X, X->R, slack, (unsigned char)(side->last ? slab : 1)};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) v.size.m[i][j] = fabs(v.size.m[i][j]);
  return v;
}

static sup_v3 between(sup_v3 a, sup_v3 b, double s) { return sup_v3_madd(a, s, sup_v3_sub(b, a)); }

/** Bounds of a box over the slab. */
static sup_box slab_box(const sup_bvh_side *side, int i) {
  const sup_box *a = &side->node[i].box;
  if (!side->last) return *a;
  const sup_box *b = &side->last[i].box;
  sup_v3         lower = between(a->lower, b->lower, side->s[1]),
         upper = between(a->upper, b->upper, side->s[1]);
  sup_box box = {between(a->lower, b->lower, side->s[0]), between(a->upper, b->upper, side->s[0])};
  box.lower = (sup_v3){sup_min(box.lower.x, lower.x), sup_min(box.lower.y, lower.y),
                       sup_min(box.lower.z, lower.z)};
  box.upper = (sup_v3){sup_max(box.upper.x, upper.x), sup_max(box.upper.y, upper.y),
                       sup_max(box.upper.z, upper.z)};
  return box;
}

static void place(const view *v, int i, sup_bvh_relative *seen) {
  sup_box box = slab_box(v->side, i);
  sup_v3  half = sup_v3_scale(0.5, sup_v3_sub(box.upper, box.lower)),
         centre = sup_v3_add(box.lower, half);
  half = sup_v3_add(half, sup_v3_make(v->slack, v->slack, v->slack));
  seen->own = (sup_bvh_extent){centre, half};
  seen->other = (sup_bvh_extent){sup_frame_apply(&v->X, centre), sup_m3_apply(v->size, half)};
  sup_v3 size = sup_v3_sub(sup_v3_add(centre, half), sup_v3_sub(centre, half));
  seen->size = size.x + size.y + size.z;
}

static inline const sup_bvh_relative *look(const view *v, int i) {
  sup_bvh_relative *seen = &v->side->seen[i];
  if (v->side->known[i] == v->slab) return seen;
  v->side->known[i] = v->slab;
  place(v, i, seen);
  return seen;
}

static inline int overlap(const sup_bvh_extent *a, const sup_bvh_extent *b) {
  return (fabs(a->centre.x - b->centre.x) <= a->half.x + b->half.x) &
         (fabs(a->centre.y - b->centre.y) <= a->half.y + b->half.y) &
         (fabs(a->centre.z - b->centre.z) <= a->half.z + b->half.z);
}

/** 1: both pairs of boxes overlap.  Without branches: the axis that separates boxes is
 * unpredictable. */
static inline int meet(const sup_bvh_relative *a, const sup_bvh_relative *b) {
  return overlap(&a->own, &b->other) & overlap(&a->other, &b->own);
}

/** Two nodes that meet. */
typedef struct node_pair {
  int                     i, j;
  const sup_bvh_relative *a, *b;
} node_pair;

sup_status sup_bvh_pairs(const sup_bvh_side *a, const sup_bvh_side *b, const sup_frame *X_AB,
                         double slack, int slab, sup_bvh_visit *visit, void *user) {
  sup_frame X_BA = {sup_m3_transpose(X_AB->R), sup_v3_scale(-1, sup_m3_apply_t(X_AB->R, X_AB->p))};
  view      from_a = view_of(a, &X_BA, slack, slab), from_b = view_of(b, X_AB, slack, slab);
  node_pair stack[2 * MAX_DEPTH] = {{0, 0, look(&from_a, 0), look(&from_b, 0)}};
  int       depth = meet(stack[0].a, stack[0].b);
  while (depth > 0) {
    node_pair           at = stack[--depth];
    const sup_bvh_node *na = &a->node[at.i], *nb = &b->node[at.j];
    if (na->left < 0 && nb->left < 0) {
      SUP_TRY(visit(-1 - na->left, -1 - nb->left, user));
      continue;
    }
    /* the larger node is opened, so that meeting boxes keep similar sizes */
    int open_a = nb->left < 0 || (na->left >= 0 && at.a->size >= at.b->size);
    for (int side = 0; side < 2;
         side++) { /* pushed last, so that the left half is processed first */
      node_pair next = at;
      if (open_a)
        next.i = side == 0 ? na->right : na->left, next.a = look(&from_a, next.i);
      else
        next.j = side == 0 ? nb->right : nb->left, next.b = look(&from_b, next.j);
      stack[depth] = next;
      depth += meet(next.a, next.b);
    }
  }
  return SUP_OK;
}

static double lowest_along(const sup_box *b, sup_v3 n) {
  return n.x * (n.x > 0 ? b->lower.x : b->upper.x) + n.y * (n.y > 0 ? b->lower.y : b->upper.y) +
         n.z * (n.z > 0 ? b->lower.z : b->upper.z);
}

int sup_bvh_pairs_below(const sup_bvh_side *a, sup_v3 normal, double offset, int *item) {
  int stack[MAX_DEPTH], depth = 0, count = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    int     i = stack[--depth];
    sup_box box = slab_box(a, i);
    if (!(lowest_along(&box, normal) <= offset)) continue;
    if (a->node[i].left < 0) {
      item[count++] = -1 - a->node[i].left;
    } else {
      stack[depth++] = a->node[i].right;
      stack[depth++] = a->node[i].left;
    }
  }
  return count;
}
