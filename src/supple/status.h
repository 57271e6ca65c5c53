/** Status of calls, messages of failures, warnings and notes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_API __attribute__((visibility("default")))
#define SUP_NODISCARD __attribute__((warn_unused_result))

enum { SUP_NONE = -1, SUP_NAME_MAX = 64 };
/** Stands at the end of definitions that sup_default_* made; those without it are refused.
 * SUP_DEFAULT_NAME stands below the struct sup_name: its members that are not 0 by default; some
 * need <math.h>. */
enum { SUP_INITIALISED = 0x53757070 };

#define SUP_STATUS_LIST(X)                                          \
  X(OK, "no error")                                                 \
  X(E_ARG, "an argument is out of its range")                       \
  X(E_MEMORY, "out of memory")                                      \
  X(E_IO, "a file could not be read or written")                    \
  X(E_PARSE, "an input file says something that is not understood") \
  X(E_GEOMETRY, "a mesh or shape is not usable")                    \
  X(E_NOT_SPD, "a matrix that must be positive definite is not")    \
  X(E_NOT_CONVERGED, "the solver did not reach its tolerance")      \
  X(E_NONFINITE, "a number is NaN or infinite")                     \
  X(E_EXTERNAL, "an external library failed")                       \
  X(E_INTERRUPTED, "interrupted by the user")

typedef enum sup_status {
#define SUP_STATUS_ENTRY(name, text) SUP_##name,
  SUP_STATUS_LIST(SUP_STATUS_ENTRY)
#undef SUP_STATUS_ENTRY
} sup_status;

/** Short text of a status code. */
SUP_API const char *sup_status_text(sup_status status);
/** Message of the last failure in this thread: the value found and the values allowed.  Valid until
 * the next failure.
 */
SUP_API const char *sup_error_message(void);
/** Call chain of the last failure, one "#0 function at file:line" a line. */
SUP_API const char *sup_error_trace(void);

#ifdef __cplusplus
}
#endif
