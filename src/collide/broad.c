#include "collide/broad.h"

/** Pairs found so far. */
typedef struct found {
  int   **pair;
  size_t *capacity;
  int     count;
} found;

static sup_status append(found *f, int pair) {
  SUP_TRY(SUP_GROW(*f->pair, *f->capacity, f->count + 1));
  (*f->pair)[f->count++] = pair;
  return SUP_OK;
}

/** Pair of two items; SUP_NONE: the items have no pair. */
static int find_pair(const sup_model *model, int i, int j) {
  if (i > j) return find_pair(model, j, i);
  int low = model->pair_start[i], high = model->pair_start[i + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (model->pair_other[middle] < j)
      low = middle + 1;
    else
      high = middle;
  }
  return low < model->pair_start[i + 1] && model->pair_other[low] == j ? model->pair_index[low]
                                                                       : SUP_NONE;
}

static sup_status append_pair(found *f, const sup_model *model, int i, int j) {
  int pair = find_pair(model, i, j);
  if (pair != SUP_NONE) SUP_TRY(append(f, pair));
  return SUP_OK;
}

static int is_bounded(const sup_box *b) {
  return isfinite(b->upper.x - b->lower.x) && isfinite(b->lower.x);
}

/** Hierarchy over the bounded items. */
typedef struct hierarchy {
  int           count;
  int          *item; /* [count] */
  sup_bvh_node *node; /* item of each leaf */
  int           num_everywhere;
  int          *everywhere; /* items without bounds */
} hierarchy;

/** Every third bit of a number of ten bits. */
static uint32_t spread(uint32_t x) {
  x = (x | x << 16) & 0x030000ff;
  x = (x | x << 8) & 0x0300f00f;
  x = (x | x << 4) & 0x030c30c3;
  return (x | x << 2) & 0x09249249;
}

static uint32_t tenth_bits(double x, double lower, double upper) {
  return upper > lower ? (uint32_t)(1023 * sup_min(sup_max((x - lower) / (upper - lower), 0), 1))
                       : 0;
}

/** Place of a box's centre on the Z-order curve through all centres. */
static uint32_t curve_key(const sup_box *box, const sup_box *all) {
  sup_v3 c = sup_v3_scale(0.5, sup_v3_add(box->lower, box->upper));
  return spread(tenth_bits(c.x, all->lower.x, all->upper.x)) |
         spread(tenth_bits(c.y, all->lower.y, all->upper.y)) << 1 |
         spread(tenth_bits(c.z, all->lower.z, all->upper.z)) << 2;
}

enum { DIGIT = 8, DIGITS = 4, BINS = 1 << DIGIT };

/** Sort the numbers 0 .. n-1 by key in linear time, stable; order and scratch [n] are swapped in
 * each pass.
 */
static void sort_by_key(const uint32_t *key, int n, int *order, int *scratch) {
  for (int i = 0; i < n; i++) order[i] = i;
  for (int digit = 0; digit < DIGITS; digit++) { /* an even number of passes ends in `order` */
    int start[BINS + 1] = {0}, shift = digit * DIGIT;
    for (int i = 0; i < n; i++) start[(key[i] >> shift & (BINS - 1)) + 1]++;
    for (int k = 0; k < BINS; k++) start[k + 1] += start[k];
    for (int i = 0; i < n; i++) scratch[start[key[order[i]] >> shift & (BINS - 1)]++] = order[i];
    int *swap = order;
    order = scratch, scratch = swap;
  }
}

static sup_status build(hierarchy *h, const sup_box *box, int num_items, sup_arena *arena) {
  sup_box  *bounded;
  sup_box   centres = sup_box_empty();
  uint32_t *key;
  int      *order, *scratch;
  *h = (hierarchy){0};
  SUP_TRY(SUP_ARENA(arena, h->item, num_items));
  SUP_TRY(SUP_ARENA(arena, h->everywhere, num_items));
  SUP_TRY(SUP_ARENA(arena, bounded, num_items));
  SUP_TRY(SUP_ARENA(arena, key, num_items));
  SUP_TRY(SUP_ARENA(arena, scratch, num_items));
  SUP_TRY(SUP_ARENA(arena, order, num_items));
  for (int i = 0; i < num_items; i++) {
    if (is_bounded(&box[i]))
      bounded[h->count] = box[i], h->item[h->count++] = i;
    else
      h->everywhere[h->num_everywhere++] = i;
  }
  if (h->count == 0) return SUP_OK;
  SUP_TRY(SUP_ARENA(arena, h->node, 2 * h->count - 1));
  for (int i = 0; i < h->count; i++)
    centres =
        sup_box_add(centres, sup_v3_scale(0.5, sup_v3_add(bounded[i].lower, bounded[i].upper)));
  for (int i = 0; i < h->count; i++) key[i] = curve_key(&bounded[i], &centres);
  sort_by_key(key, h->count, order, scratch);
  sup_bvh_build_ordered(h->node, h->count, bounded, order);
  return SUP_OK;
}

/** Append pairs of leaves of two branches whose boxes overlap; opens the larger branch first. */
static sup_status meet(found *f, const sup_model *model, const hierarchy *h, int i, int j) {
  const sup_bvh_node *a = &h->node[i], *b = &h->node[j];
  if (!sup_box_overlap(&a->box, &b->box)) return SUP_OK;
  if (a->left < 0 && b->left < 0) {
    SUP_TRY(append_pair(f, model, h->item[-1 - a->left], h->item[-1 - b->left]));
    return SUP_OK;
  }
  double size_a = sup_v3_norm(sup_v3_sub(a->box.upper, a->box.lower));
  double size_b = sup_v3_norm(sup_v3_sub(b->box.upper, b->box.lower));
  if (b->left < 0 || (a->left >= 0 && size_a >= size_b)) {
    SUP_TRY(meet(f, model, h, a->left, j));
    SUP_TRY(meet(f, model, h, a->right, j));
  } else {
    SUP_TRY(meet(f, model, h, i, b->left));
    SUP_TRY(meet(f, model, h, i, b->right));
  }
  return SUP_OK;
}

/** Overlaps within a branch: within each half, and between them. */
static sup_status meet_itself(found *f, const sup_model *model, const hierarchy *h, int i) {
  const sup_bvh_node *node = &h->node[i];
  if (node->left < 0) return SUP_OK;
  SUP_TRY(meet_itself(f, model, h, node->left));
  SUP_TRY(meet_itself(f, model, h, node->right));
  SUP_TRY(meet(f, model, h, node->left, node->right));
  return SUP_OK;
}

static sup_status sort_pairs(found *f, sup_arena *arena) {
  uint32_t *key;
  int      *order, *scratch, *pair = *f->pair;
  SUP_TRY(SUP_ARENA(arena, key, f->count));
  SUP_TRY(SUP_ARENA(arena, order, f->count));
  SUP_TRY(SUP_ARENA(arena, scratch, f->count));
  for (int i = 0; i < f->count; i++) key[i] = (uint32_t)pair[i];
  sort_by_key(key, f->count, order, scratch);
  for (int i = 0; i < f->count; i++) pair[i] = (int)key[order[i]];
  return SUP_OK;
}

sup_status sup_broad_phase(const sup_model *model, const sup_box *box, sup_arena *arena, int **pair,
                           size_t *capacity, int *num_pairs) {
  found     f = {pair, capacity, 0};
  hierarchy h;
  SUP_TRY(build(&h, box, sup_model_num_items(model), arena));
  if (h.count > 0) SUP_TRY(meet_itself(&f, model, &h, 0));
  for (int k = 0; k < h.num_everywhere; k++) {
    for (int i = 0; i < h.count; i++) SUP_TRY(append_pair(&f, model, h.everywhere[k], h.item[i]));
    for (int i = 0; i < k; i++) SUP_TRY(append_pair(&f, model, h.everywhere[k], h.everywhere[i]));
  }
  for (int i = model->num_geometries; i < sup_model_num_items(model); i++)
    SUP_TRY(append_pair(&f, model, i, i)); /* self-contact of a soft body */
  if (f.count > 0) SUP_TRY(sort_pairs(&f, arena));
  *num_pairs = f.count;
  return SUP_OK;
}
