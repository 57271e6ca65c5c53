#include "app/signals.h"

#include <stddef.h>

volatile sig_atomic_t sup_app_interrupted;

static void on_signal(int number) {
  (void)number;
  sup_app_interrupted = 1;
}

void sup_app_catch_signals(int twice) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    if (twice && numbers[i] == SIGINT) action.sa_flags |= (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(numbers[i], &action, NULL);
  }
}
