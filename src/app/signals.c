#include "app/signals.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "base/leftover.h"

volatile sig_atomic_t sup_app_interrupted;

static sem_t asked; /* to end at once */

/** What nohup or a shell ignores stays ignored. */
static void take(void (*handler)(int number)) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction old, action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(numbers[i], &action, NULL);
  }
}

static volatile sig_atomic_t presses_left; /* of Ctrl-C, until the program ends at once */

static void note(int number) {
  sup_app_interrupted = 1;
  if (number == SIGINT && presses_left > 0 && --presses_left == 0) _exit(SUP_EXIT_INTERRUPTED);
}

void sup_app_catch_signals(int twice) {
  presses_left = twice ? 2 : 0;
  take(note);
}

static void ask(int number) {
  int before = errno;
  (void)number;
  sem_post(&asked);
  errno = before;
}

/** A thread may do what a handler may not: walk through folders, wait for locks. */
static void *leave(void *user) {
  static const char text[] = "supple: interrupted\n";
  (void)user;
  while (sem_wait(&asked) != 0) continue;
  sup_leftovers_remove();
  (void)!write(STDERR_FILENO, text, strlen(text));
  _exit(SUP_EXIT_INTERRUPTED);
}

void sup_app_end_at_signals(void) {
  pthread_t thread;
  sigset_t  every, before;
  sigfillset(&every); /* METIS would take a signal in this thread for one of its own */
  if (sem_init(&asked, 0, 0) != 0 || pthread_sigmask(SIG_SETMASK, &every, &before) != 0) return;
  int is_there = pthread_create(&thread, NULL, leave, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!is_there) return;
  pthread_detach(thread);
  take(ask);
}
