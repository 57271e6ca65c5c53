#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static sup_log_function *receiver; /* where messages go: the process's choice, like stderr itself */
static void             *receiver_user;

void sup_log_set(sup_log_function *function, void *user) {
  receiver = function;
  receiver_user = user;
}

void sup_log(sup_log_level level, const char *format, ...) {
  if (!receiver) return;
  char    text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  receiver(level, text, receiver_user);
}
