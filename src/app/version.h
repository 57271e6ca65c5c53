/** Versions of the libraries.  Layer app. */
#pragma once

enum { SUP_NUM_LIBRARIES = 6 };

/** Pairs name, version. */
const char *const *sup_app_libraries(void);
