#include "geom/bvh.h"

enum { MAX_DEPTH = 64 };

typedef struct meeting {
  int a, b;
} meeting;

static double extent(const sup_box *box) {
  sup_v3 d = sup_v3_sub(box->upper, box->lower);
  return d.x + d.y + d.z;
}

sup_status sup_bvh_join(const sup_bvh_node *a, const sup_bvh_node *b, sup_bvh_visit *visit,
                        void *user) {
  meeting stack[4 * MAX_DEPTH]; /* at most two more a level of either tree */
  int     depth = 0;
  stack[depth++] = (meeting){0, 0};
  while (depth > 0) {
    meeting             m = stack[--depth];
    const sup_bvh_node *na = &a[m.a], *nb = &b[m.b];
    if (a == b && m.a == m.b) { /* a node with itself: its halves with themselves and each other */
      if (na->left < 0) continue;
      stack[depth++] = (meeting){na->right, na->right};
      stack[depth++] = (meeting){na->left, na->right};
      stack[depth++] = (meeting){na->left, na->left};
      continue;
    }
    if (!sup_box_overlap(&na->box, &nb->box)) continue;
    if (na->left < 0 && nb->left < 0) {
      SUP_TRY(visit(-1 - na->left, -1 - nb->left, user));
      continue;
    }
    int open_a = nb->left < 0 || (na->left >= 0 && extent(&na->box) >= extent(&nb->box));
    stack[depth++] = open_a ? (meeting){na->right, m.b} : (meeting){m.a, nb->right};
    stack[depth++] = open_a ? (meeting){na->left, m.b} : (meeting){m.a, nb->left};
  }
  return SUP_OK;
}
