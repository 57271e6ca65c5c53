#include "collide/broad.h"

/** Pairs found so far. */
typedef struct found {
  int   **pair;
  size_t *capacity;
  int     count;
} found;

/** Append a pair; those of one item come nearly in order, so that insertion sorts them at once. */
static sup_status append(found *f, int pair) {
  SUP_TRY(SUP_GROW(*f->pair, *f->capacity, f->count + 1));
  int k = f->count++, *list = *f->pair;
  for (; k > 0 && list[k - 1] > pair; k--) list[k] = list[k - 1];
  list[k] = pair;
  return SUP_OK;
}

/** The pair of items i < j, SUP_NONE when they never touch. */
static int find_pair(const sup_model *model, int i, int j) {
  int low = model->pair_start[i], high = model->pair_start[i + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (model->pair_other[middle] < j)
      low = middle + 1;
    else
      high = middle;
  }
  return low < model->pair_start[i + 1] && model->pair_other[low] == j ? model->pair_index[low] : SUP_NONE;
}

static int is_bounded(const sup_box *b) { return isfinite(b->upper.x - b->lower.x) && isfinite(b->lower.x); }

/** Hierarchy over the bounded items. */
typedef struct hierarchy {
  int           count;
  int          *item; /* [count] */
  sup_bvh_node *node; /* leaves number into item */
  int          *hit;  /* [count] scratch of queries */
  int          *mark; /* [num_items] 1 + the item that met it last */
  int           num_everywhere;
  int          *everywhere; /* items without bounds */
} hierarchy;

static sup_status build(hierarchy *h, const sup_box *box, int num_items, sup_arena *arena) {
  sup_box *bounded;
  sup_v3  *centre;
  int     *order;
  *h = (hierarchy){0};
  SUP_TRY(SUP_ARENA(arena, h->item, num_items));
  SUP_TRY(SUP_ARENA(arena, h->hit, num_items));
  SUP_TRY(SUP_ARENA(arena, h->mark, num_items));
  SUP_TRY(SUP_ARENA(arena, h->everywhere, num_items));
  SUP_TRY(SUP_ARENA(arena, bounded, num_items));
  SUP_TRY(SUP_ARENA(arena, centre, num_items));
  SUP_TRY(SUP_ARENA(arena, order, num_items));
  for (int i = 0; i < num_items; i++) {
    h->mark[i] = 0;
    if (is_bounded(&box[i]))
      bounded[h->count] = box[i], h->item[h->count++] = i;
    else
      h->everywhere[h->num_everywhere++] = i;
  }
  if (h->count == 0) return SUP_OK;
  SUP_TRY(SUP_ARENA(arena, h->node, 2 * h->count - 1));
  sup_bvh_build(h->node, h->count, bounded, centre, order);
  return SUP_OK;
}

/** Pairs of item i with the hits after it. */
static sup_status append_hits(found *f, const sup_model *model, const hierarchy *h, int i, int hits) {
  int first = model->pair_start[i], last = model->pair_start[i + 1];
  if (8 * hits <= last - first) {
    for (int k = 0; k < hits; k++) {
      int j = h->item[h->hit[k]], p = j > i ? find_pair(model, i, j) : SUP_NONE;
      if (p != SUP_NONE) SUP_TRY(append(f, p));
    }
    return SUP_OK;
  }
  for (int k = 0; k < hits; k++) h->mark[h->item[h->hit[k]]] = i + 1; /* many: the whole list, which is in order */
  for (int k = first; k < last; k++)
    if (h->mark[model->pair_other[k]] == i + 1) SUP_TRY(append(f, model->pair_index[k]));
  return SUP_OK;
}

sup_status sup_broad_phase(const sup_model *model, const sup_box *box, sup_arena *arena, int **pair, size_t *capacity,
                           int *num_pairs) {
  int       num_items = sup_model_num_items(model);
  found     f = {pair, capacity, 0};
  hierarchy h;
  SUP_TRY(build(&h, box, num_items, arena));
  for (int i = 0; i < num_items; i++) {
    int first = model->pair_start[i], last = model->pair_start[i + 1];
    if (first == last) continue;
    if (!is_bounded(&box[i])) {
      for (int k = first; k < last; k++) SUP_TRY(append(&f, model->pair_index[k]));
      continue;
    }
    SUP_TRY(append_hits(&f, model, &h, i, sup_bvh_query(h.node, &box[i], h.hit)));
    for (int k = 0; k < h.num_everywhere; k++) {
      int p = h.everywhere[k] > i ? find_pair(model, i, h.everywhere[k]) : SUP_NONE;
      if (p != SUP_NONE) SUP_TRY(append(&f, p));
    }
  }
  *num_pairs = f.count;
  return SUP_OK;
}
