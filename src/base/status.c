#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024, TRACE_SIZE = 2048 };

typedef struct error_record {
  char message[MESSAGE_SIZE];
  char trace[TRACE_SIZE];
  int  depth;
} error_record;

static _Thread_local error_record last;

const char *sup_status_text(sup_status status) {
  switch (status) {
#define STATUS_CASE(name, text) \
  case SUP_##name:              \
    return text;
    SUP_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
  }
  return "unknown status";
}

const char *sup_error_message(void) { return last.message; }
const char *sup_error_trace(void) { return last.trace; }

void sup_trace(const char *function, const char *file, int line) {
  size_t used = strlen(last.trace);
  snprintf(last.trace + used, TRACE_SIZE - used, "#%d %s at %s:%d\n", last.depth, function, file,
           line);
  last.depth++;
}

sup_status sup_fail(sup_status code, const char *function, const char *file, int line,
                    const char *format, ...) {
  va_list args;
  char    message[MESSAGE_SIZE]; /* the arguments may point into last.message */
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  memcpy(last.message, message, sizeof message);
  last.trace[0] = '\0';
  last.depth = 0;
  sup_trace(function, file, line);
  return code;
}

_Noreturn void sup_assert_failed(const char *condition, const char *function, const char *file,
                                 int line) {
  char text[512];
  snprintf(text, sizeof text, "supple: internal error: %s in %s at %s:%d\n", condition, function,
           file, line);
  fputs(text, stderr);
  __builtin_trap();
}
