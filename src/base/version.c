#include "base/version.h"

const char *sup_version(void) { return SUP_VERSION " (" SUP_COMMIT ")"; }

const char *sup_compiler_text(void) {
#ifdef __clang__
  return __VERSION__ ", " SUP_COMPILER_FLAGS; /* begins with its name */
#else
  return "gcc " __VERSION__ ", " SUP_COMPILER_FLAGS;
#endif
}
