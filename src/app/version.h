/** Version of the program and of its libraries.  Layer app. */
#pragma once

enum { SUP_NUM_LIBRARIES = 6 };

const char *sup_app_version_text(void);  /* "0.1.0 (commit)" */
const char *sup_app_compiler_text(void); /* compiler and build mode */
/** Pairs name, version. */
const char *const *sup_app_libraries(void);
