/** Errors: a code, one message and the call chain, kept per thread in fixed memory.  Layer base.
 *
 *  Three classes, never mixed: programming errors -> SUP_ASSERT; bad input or machine ->
 * sup_status; numerical outcomes -> reports (a solver that does not converge is data, not a
 * status). */
#pragma once

#include "supple/status.h"

/** Record a failure and return its code: `return SUP_FAIL(SUP_E_PARSE, "%s:%d: ...", file, line);`
 */
#define SUP_FAIL(code, ...) sup_fail((code), __func__, __FILE__, __LINE__, __VA_ARGS__)

/** Call; on failure add this place to the chain and return the status. */
#define SUP_TRY(call)                          \
  do {                                         \
    sup_status sup_try_status = (call);        \
    if (sup_try_status != SUP_OK) {            \
      sup_trace(__func__, __FILE__, __LINE__); \
      return sup_try_status;                   \
    }                                          \
  } while (0)

/** Call; on failure set `status` and go to `label`, where everything is freed. */
#define SUP_TRY_GOTO(call, status, label)      \
  do {                                         \
    (status) = (call);                         \
    if ((status) != SUP_OK) {                  \
      sup_trace(__func__, __FILE__, __LINE__); \
      goto label;                              \
    }                                          \
  } while (0)

/** Programming errors: kept in every build. */
#define SUP_ASSERT(condition) \
  ((condition) ? (void)0 : sup_assert_failed(#condition, __func__, __FILE__, __LINE__))

SUP_NODISCARD sup_status sup_fail(sup_status code, const char *function, const char *file, int line,
                                  const char *format, ...) __attribute__((format(printf, 5, 6)));
void                     sup_trace(const char *function, const char *file, int line);
_Noreturn void sup_assert_failed(const char *condition, const char *function, const char *file,
                                 int line);
