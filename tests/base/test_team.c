#include "base/team.h"

#include <omp.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

enum { ITEMS = 1000, MOST = 4 };

typedef struct work {
  int        done[ITEMS];   /* times that an item was done */
  atomic_int by[MOST];      /* items that a thread did */
  int        inner, inside; /* items of a loop within, threads that it could have */
} work;

static void count(void *user, int item, int thread) {
  work *w = user;
  w->done[item]++;
  atomic_fetch_add(&w->by[thread], 1);
}

static int is_complete(work *w) {
  int sum = 0;
  for (int t = 0; t < MOST; t++) sum += atomic_load(&w->by[t]);
  for (int i = 0; i < ITEMS; i++)
    if (w->done[i] != 1) return 0;
  return sum == ITEMS;
}

static void every_item_is_done_once_by_any_number_of_threads(void) {
  for (int round = 0; round < 200; round++) {
    static work w;
    memset(&w, 0, sizeof w);
    sup_team_for(1 + round % MOST, ITEMS, count, &w);
    CHECK(is_complete(&w));
    for (int t = 1 + round % MOST; t < MOST; t++) CHECK(atomic_load(&w.by[t]) == 0);
  }
}

typedef struct meeting {
  atomic_int present;
} meeting;

/** Returns when a second thread is there. */
static void meet(void *user, int thread) {
  meeting *m = user;
  (void)thread;
  atomic_fetch_add(&m->present, 1);
  while (atomic_load(&m->present) < 2) continue;
}

static void helpers_work_at_the_same_time(void) {
  for (int round = 0; round < 20; round++) { /* awake at first, then asleep */
    meeting m = {0};
    sup_team_run(2, meet, &m);
    CHECK(atomic_load(&m.present) == 2);
    if (round % 5 == 0) nanosleep(&(struct timespec){0, 5000000}, NULL);
  }
}

static void enter_again(void *user, int item, int thread) {
  work *w = user;
  if (item == 0) {
    static work inner;
    memset(&inner, 0, sizeof inner);
    w->inside = sup_team_size();
    sup_team_for(MOST, ITEMS, count, &inner);
    w->inner = is_complete(&inner) && atomic_load(&inner.by[0]) == ITEMS;
  }
  count(user, item, thread);
}

static void work_within_work_is_its_thread_s_own(void) {
  static work w;
  int         before = omp_get_max_threads();
  omp_set_num_threads(3);
  CHECK(sup_team_size() == 3);
  sup_team_for(2, ITEMS, enter_again, &w);
  CHECK(is_complete(&w) && w.inner && w.inside == 1);
  CHECK(sup_team_size() == 3);
  omp_set_num_threads(before);
}

/** A forked process has the helpers' number, but no helper. */
static void who_does_not_come_is_not_waited_for(void) {
#ifdef SUP_SANITIZED
  SKIP("sanitizers refuse threads in a fork");
#else
  static work w;
  sup_team_for(2, ITEMS, count, &w);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    memset(&w, 0, sizeof w);
    sup_team_for(2, ITEMS, count, &w);
    _exit(is_complete(&w) && atomic_load(&w.by[0]) == ITEMS ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
#endif
}

SUITE_TESTS(team, TEST(every_item_is_done_once_by_any_number_of_threads),
            TEST(helpers_work_at_the_same_time), TEST(work_within_work_is_its_thread_s_own),
            TEST(who_does_not_come_is_not_waited_for));
