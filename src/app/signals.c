#include "app/signals.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "base/file/cleanup.h"

volatile sig_atomic_t sup_app_interrupted;

static sem_t asked; /* to end at once */

/** Set the handler of SIGINT, SIGTERM and SIGHUP; a signal that nohup or a shell ignores stays
 * ignored.
 *  @param[in] flags  SA_RESTART: interrupted system calls are restarted */
static void take(void (*handler)(int number), int flags) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction old, action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(numbers[i], &action, NULL);
  }
}

static volatile sig_atomic_t presses_left; /* of Ctrl-C, until the program ends at once */
static volatile sig_atomic_t is_reading;

static void note(int number) {
  sup_app_interrupted = 1;
  if (number == SIGINT && presses_left > 0 && --presses_left == 0) _exit(SUP_EXIT_INTERRUPTED);
}

void sup_app_catch_signals(int twice) {
  is_reading = 0;
  alarm(0);
  presses_left = twice ? 2 : 0;
  take(note, SA_RESTART);
}

/** A call that began to wait after the signal is ended by the next alarm. */
static void note_and_wake(int number) {
  if (number != SIGALRM) note(number);
  if (is_reading) alarm(1);
}

void sup_app_catch_signals_while_reading(void) {
  struct sigaction action = {.sa_handler = note_and_wake};
  sigemptyset(&action.sa_mask);
  is_reading = 1;
  presses_left = 2;
  sigaction(SIGALRM, &action, NULL);
  take(note_and_wake, 0);
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
  sup_cleanup_run();
  (void)!write(STDERR_FILENO, text, strlen(text));
  _exit(SUP_EXIT_INTERRUPTED);
}

void sup_app_end_at_signals(void) {
  pthread_t thread;
  sigset_t  every, before;
  sigfillset(&every); /* METIS would take a signal in this thread for one of its own */
  if (sem_init(&asked, 0, 0) != 0 || pthread_sigmask(SIG_SETMASK, &every, &before) != 0) return;
  bool is_there = pthread_create(&thread, NULL, leave, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!is_there) return;
  pthread_detach(thread);
  take(ask, SA_RESTART);
}
