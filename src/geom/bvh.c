#include "geom/bvh.h"

#include <string.h>

#include "base/memory.h"

enum { MAX_DEPTH = 64 };

typedef struct builder {
  sup_bvh_node  *node;
  const sup_box *box;
  sup_v3        *centre;
  int           *order;
  int            num_nodes;
} builder;

static sup_box join(const sup_box *a, const sup_box *b) {
  return sup_box_add(sup_box_add(*a, b->lower), b->upper);
}

static double coordinate(const sup_v3 *p, int axis) {
  return axis == 0 ? p->x : axis == 1 ? p->y : p->z;
}

/** 1: item i sorts before j along the axis; ties by number, so that the order is unique. */
static int before(const builder *b, int axis, int i, int j) {
  double x = coordinate(&b->centre[i], axis), y = coordinate(&b->centre[j], axis);
  return x < y || (x <= y && i < j);
}

/** Partition order[first, last) such that the k-th smallest item is at position k, smaller ones
 * before it. */
static void select_median(const builder *b, int axis, int first, int last, int k) {
  int *order = b->order;
  while (last - first > 1) {
    int pivot = order[first + (last - first) / 2], i = first, j = last - 1;
    while (i <= j) {
      while (before(b, axis, order[i], pivot)) i++;
      while (before(b, axis, pivot, order[j])) j--;
      if (i <= j) {
        int swap = order[i];
        order[i++] = order[j];
        order[j--] = swap;
      }
    }
    if (k <= j)
      last = j + 1;
    else if (k >= i)
      first = i;
    else
      return;
  }
}

static int build(builder *b, int first, int last) {
  int           index = b->num_nodes++;
  sup_bvh_node *node = &b->node[index];
  if (last - first == 1) {
    *node = (sup_bvh_node){b->box[b->order[first]], -1 - b->order[first], SUP_NONE};
    return index;
  }
  sup_box bounds = sup_box_empty(), centres = sup_box_empty();
  for (int i = first; i < last; i++) {
    bounds = join(&bounds, &b->box[b->order[i]]);
    centres = sup_box_add(centres, b->centre[b->order[i]]);
  }
  sup_v3 size = sup_v3_sub(centres.upper, centres.lower);
  int    axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  int    middle = first + (last - first) / 2;
  select_median(b, axis, first, last, middle);
  int left = build(b, first, middle);
  int right = build(b, middle, last);
  b->node[index] = (sup_bvh_node){bounds, left, right};
  return index;
}

/** Build the tree by halving a given order down to single items. */
static int build_ordered(builder *b, int first, int last) {
  int           index = b->num_nodes++;
  sup_bvh_node *node = &b->node[index];
  if (last - first == 1) {
    *node = (sup_bvh_node){b->box[b->order[first]], -1 - b->order[first], SUP_NONE};
    return index;
  }
  int middle = first + (last - first) / 2, left = build_ordered(b, first, middle),
      right = build_ordered(b, middle, last);
  *node = (sup_bvh_node){join(&b->node[left].box, &b->node[right].box), left, right};
  return index;
}

void sup_bvh_build_ordered(sup_bvh_node *node, int num_items, const sup_box *item, int *order) {
  builder b = {.node = node, .box = item, .order = order};
  SUP_ASSERT(num_items >= 1);
  build_ordered(&b, 0, num_items);
}

sup_status sup_bvh_create(sup_bvh **out, int num_items, const sup_box *item) {
  SUP_OWN(sup_bvh) *bvh = NULL;
  SUP_FREED sup_v3 *centre = NULL;
  SUP_FREED int    *order = NULL;
  *out = NULL;
  SUP_ASSERT(num_items >= 1);
  SUP_TRY(SUP_CALLOC(bvh, 1));
  bvh->num_items = num_items;
  SUP_TRY(SUP_CALLOC(bvh->node, 2 * num_items - 1));
  SUP_TRY(SUP_CALLOC(centre, num_items));
  SUP_TRY(SUP_CALLOC(order, num_items));
  for (int i = 0; i < num_items; i++) {
    order[i] = i;
    centre[i] = sup_v3_scale(0.5, sup_v3_add(item[i].lower, item[i].upper));
  }
  builder b = {.node = bvh->node, .box = item, .centre = centre, .order = order};
  build(&b, 0, num_items);
  *out = bvh;
  bvh = NULL;
  return SUP_OK;
}

void sup_bvh_destroy(sup_bvh **bvh) {
  if (!*bvh) return;
  SUP_FREE_ALL(&(*bvh)->node, bvh);
}

void sup_bvh_refit(const sup_bvh *bvh, const sup_box *item, sup_bvh_node *node) {
  for (int i = 2 * bvh->num_items - 2; i >= 0; i--) {
    int left = bvh->node[i].left, right = bvh->node[i].right;
    node[i].box = left < 0 ? item[-1 - left] : join(&node[left].box, &node[right].box);
    node[i].left = left, node[i].right = right;
  }
}

/** Acceptance test of a query: boxes that overlap `box`, or that reach below the plane. */
typedef struct query {
  const sup_box *box; /* NULL: the half space normal . x <= offset */
  sup_v3         normal;
  double         offset;
} query;

static int accepts(const query *q, const sup_box *b) {
  if (q->box) return sup_box_overlap(b, q->box);
  double x = q->normal.x * (q->normal.x > 0 ? b->lower.x : b->upper.x);
  double y = q->normal.y * (q->normal.y > 0 ? b->lower.y : b->upper.y);
  double z = q->normal.z * (q->normal.z > 0 ? b->lower.z : b->upper.z);
  return x + y + z <= q->offset;
}

static int run_query(const sup_bvh_node *node, const query *q, int *item) {
  int stack[MAX_DEPTH], depth = 0, count = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const sup_bvh_node *n = &node[stack[--depth]];
    if (!accepts(q, &n->box)) continue;
    if (n->left < 0) {
      item[count++] = -1 - n->left;
    } else { /* median splits: the depth is at most log2 of the number of items plus one */
      stack[depth++] = n->right;
      stack[depth++] = n->left;
    }
  }
  return count;
}

int sup_bvh_query(const sup_bvh_node *node, const sup_box *box, int *item) {
  query q = {.box = box};
  return run_query(node, &q, item);
}

int sup_bvh_query_half_space(const sup_bvh_node *node, sup_v3 normal, double offset, int *item) {
  query q = {.normal = normal, .offset = offset};
  return run_query(node, &q, item);
}
