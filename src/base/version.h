/** Program and library as they were built; sup_version is public.  Layer base. */
#pragma once

#include "supple/log.h"

const char *sup_compiler_text(void); /* compiler and build mode */
