#include "base/share.h"

#include "base/status.h"

int sup_threads_worth(size_t work, size_t least) {
  size_t enough = work / least;
  int    most = enough < 2 ? 1 : sup_team_size();
  return enough < (size_t)most ? (int)enough : most;
}

typedef struct shares {
  sup_share_items *items;
  void            *user;
  int              count, num;
} shares;

static void do_share(void *user, int k, int thread) {
  const shares *s = user;
  size_t        count = (size_t)s->count, num = (size_t)s->num;
  (void)thread;
  s->items(s->user, (int)(count * (size_t)k / num), (int)(count * (size_t)(k + 1) / num));
}

void sup_share_run(int threads, int count, sup_share_items *items, void *user) {
  enum { SHARES = 4 }; /* parts of a thread's share, so that late threads take fewer */
  if (threads <= 1) {
    items(user, 0, count);
    return;
  }
  sup_team_for(threads, SHARES * threads, do_share,
               &(shares){items, user, count, SHARES * threads});
}

typedef struct terms {
  sup_terms_of *of;
  void         *user;
  int           first, width;
  double       *term;
} terms;

static void compute_terms(void *user, int first, int end) {
  const terms *t = user;
  for (int i = first; i < end; i++)
    t->of(t->user, t->first + i, t->term + (size_t)t->width * (size_t)i);
}

void sup_sum_terms(int threads, int count, int width, int columns, sup_terms_of *of, void *user,
                   double *sum) {
  enum { TERMS = 8192 }; /* that are kept at a time */
  double term[TERMS];
  terms  t = {of, user, 0, width, term};
  SUP_ASSERT(width <= SUP_TERMS_MAX && (columns == 1 || columns == width));
  for (int num; t.first < count; t.first += num) {
    num = count - t.first < TERMS / width ? count - t.first : TERMS / width;
    sup_share_run(threads, num, compute_terms, &t);
    for (int k = 0; k < num * width; k++) sum[k % columns] += term[k];
  }
}
