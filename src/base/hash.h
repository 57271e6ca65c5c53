/** FNV-1a, 64 bits.  Layer base. */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline uint64_t sup_hash_begin(void) { return UINT64_C(0xcbf29ce484222325); }
static inline uint64_t sup_hash_bytes(uint64_t hash, const void *data, size_t bytes) {
  const unsigned char *p = data;
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
  return hash;
}
