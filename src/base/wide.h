/** Functions for the vectors of the processor at hand.  Layer base. */
#pragma once

#include <stddef.h>

/** Vectors as wide as the processor's; additions and multiplications stay apart, so that all have
 * the same bits.  Names differ between files: clang makes the choice of a static function a global
 * symbol. */
#if defined(__x86_64__) && !defined(SUP_SANITIZED)
#define SUP_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define SUP_WIDE
#endif
