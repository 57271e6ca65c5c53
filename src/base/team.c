#include "base/team.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/base_numerics.h"
#include "base/timer.h"

enum {
  LOOKS = 1000,  /* polls of a condition before the processor is yielded: some 0.02 ms */
  SEAT = 1 << 16 /* bit of `seats`: helpers may still join; lower bits: number of working helpers */
};

/** Helpers of the process.  Work and user belong to the caller that holds the team, and to helpers
 * while they have a seat. */
static struct team {
  atomic_flag     is_taken;
  atomic_int      seats;
  atomic_int      sleeping;
  sup_team_work  *work;
  void           *user;
  int             num_helpers; /* made so far */
  pthread_mutex_t lock;
  pthread_cond_t  wake;
} team = {.is_taken = ATOMIC_FLAG_INIT,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER};

static _Thread_local int is_inside;

int sup_team_size(void) {
  int most = is_inside ? 1 : omp_get_max_threads();
  return most < SUP_TEAM_MAX ? most : SUP_TEAM_MAX;
}

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/** Take a seat when there is one and do its share. */
static int help(void) {
  int seats = atomic_load_explicit(&team.seats, memory_order_relaxed);
  while (seats >= SEAT)
    if (atomic_compare_exchange_weak_explicit(&team.seats, &seats, seats - SEAT + 1,
                                              memory_order_acquire, memory_order_relaxed)) {
      team.work(team.user, seats / SEAT);
      atomic_fetch_sub_explicit(&team.seats, 1, memory_order_release);
      return 1;
    }
  return 0;
}

static void sleep_until_asked(void) {
  pthread_mutex_lock(&team.lock);
  atomic_fetch_add(&team.sleeping, 1);
  while (atomic_load(&team.seats) < SEAT) pthread_cond_wait(&team.wake, &team.lock);
  atomic_fetch_sub(&team.sleeping, 1);
  pthread_mutex_unlock(&team.lock);
}

static void *serve(void *unused) {
  (void)unused;
  is_inside = 1;
  for (double since = sup_wall_time();;) {
    int helped = 0;
    for (int looks = 0; looks < LOOKS && !helped; looks++) {
      helped = help();
      pause_briefly();
    }
    if (!helped && sup_wall_time() - since < sup_base_numerics.patience) {
      sched_yield();
      continue;
    }
    if (!helped) sleep_until_asked();
    since = sup_wall_time();
  }
  return NULL;
}

/* Reinitialise lock and condition in a forked child: a fork while a helper goes to sleep would
 * leave the lock held, and a condition with waiting threads that do not exist in the child. */
static void before_fork(void) { pthread_mutex_lock(&team.lock); }
static void after_fork(void) { pthread_mutex_unlock(&team.lock); }
static void after_fork_in_child(void) {
  pthread_cond_init(&team.wake, NULL);
  atomic_store(&team.sleeping, 0);
  pthread_mutex_unlock(&team.lock);
}

/** Create helpers, as many as the system allows, with signals blocked.
 */
static void make_helpers(int num) {
  sigset_t all, before;
  if (team.num_helpers >= num) return;
  if (team.num_helpers == 0) pthread_atfork(before_fork, after_fork, after_fork_in_child);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (pthread_t thread; team.num_helpers < num && pthread_create(&thread, NULL, serve, NULL) == 0;
       team.num_helpers++)
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void call_helpers(int num, sup_team_work *work, void *user) {
  team.work = work, team.user = user;
  atomic_store(&team.seats, num * SEAT);
  if (atomic_load(&team.sleeping) == 0) return;
  pthread_mutex_lock(&team.lock);
  pthread_cond_broadcast(&team.wake);
  pthread_mutex_unlock(&team.lock);
}

/** No helper joins any more; wait for those at work. */
static void dismiss_helpers(void) {
  int seats = atomic_load(&team.seats);
  while (seats >= SEAT && !atomic_compare_exchange_weak(&team.seats, &seats, seats % SEAT))
    continue;
  for (int looks = 0; atomic_load_explicit(&team.seats, memory_order_acquire) > 0; looks++)
    if (looks < LOOKS)
      pause_briefly();
    else
      sched_yield();
}

void sup_team_run(int threads, sup_team_work *work, void *user) {
  if (threads <= 1 || is_inside || atomic_flag_test_and_set(&team.is_taken)) {
    work(user, 0);
    return;
  }
  is_inside = 1;
  make_helpers(threads - 1);
  call_helpers(threads - 1, work, user);
  work(user, 0);
  dismiss_helpers();
  is_inside = 0;
  atomic_flag_clear(&team.is_taken);
}

typedef struct loop {
  sup_team_item *item;
  void          *user;
  int            count;
  atomic_int     next;
} loop;

static void do_items(void *user, int thread) {
  loop *l = user;
  for (int i; (i = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed)) < l->count;)
    l->item(l->user, i, thread);
}

void sup_team_for(int threads, int count, sup_team_item *item, void *user) {
  loop l = {.item = item, .user = user, .count = count};
  atomic_init(&l.next, 0);
  sup_team_run(threads < count ? threads : count, do_items, &l);
}
