#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static long fail_countdown; /* tests only; 0 = off */

void sup_memory_fail_at(long k) { fail_countdown = k; }

static bool must_fail(void) { return fail_countdown > 0 && --fail_countdown == 0; }

sup_status sup_calloc(void *out, size_t count, size_t size) {
  void *memory = must_fail() ? NULL : calloc(count > 0 ? count : 1, size);
  if (!memory) return SUP_FAIL(SUP_E_MEMORY, "out of memory: %zu items of %zu bytes", count, size);
  memcpy(out, &memory, sizeof memory);
  return SUP_OK;
}

sup_status sup_malloc(void *out, size_t bytes) {
  void *memory = must_fail() ? NULL : malloc(bytes > 0 ? bytes : 1);
  if (!memory) return SUP_FAIL(SUP_E_MEMORY, "out of memory: %zu bytes", bytes);
  memcpy(out, &memory, sizeof memory);
  return SUP_OK;
}

sup_status sup_grow(void *block, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity) return SUP_OK;
  size_t target = *capacity + *capacity / 2;
  if (target < needed) target = needed;
  if (target > SIZE_MAX / size)
    return SUP_FAIL(SUP_E_MEMORY, "out of memory: %zu items of %zu bytes", target, size);
  void *old, *memory;
  memcpy(&old, block, sizeof old);
  memory = must_fail() ? NULL : realloc(old, target * size);
  if (!memory) return SUP_FAIL(SUP_E_MEMORY, "out of memory: %zu items of %zu bytes", target, size);
  memset((char *)memory + *capacity * size, 0, (target - *capacity) * size);
  memcpy(block, &memory, sizeof memory);
  *capacity = target;
  return SUP_OK;
}

void sup_free(void *block) {
  void *memory;
  memcpy(&memory, block, sizeof memory);
  free(memory);
  memory = NULL;
  memcpy(block, &memory, sizeof memory);
}

void sup_free_all(void *const *block, size_t count) {
  for (size_t i = 0; i < count; i++) sup_free(block[i]);
}

/* ---- arena ----------------------------------------------------------------------------------- */

enum { ALIGNMENT = 64 };

typedef struct overflow_block {
  struct overflow_block *next;
} overflow_block;

struct sup_arena {
  char           *block;
  size_t          capacity, used, overflow_bytes, peak;
  overflow_block *overflow;
};

static size_t align_up(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static sup_status arena_reserve(sup_arena *arena, size_t bytes) {
  free(arena->block);
  arena->block = NULL;
  arena->capacity = 0;
  bytes = align_up(bytes ? bytes : 1);
  arena->block = must_fail() ? NULL : aligned_alloc(ALIGNMENT, bytes);
  if (!arena->block) return SUP_FAIL(SUP_E_MEMORY, "out of memory: step arena of %zu bytes", bytes);
  arena->capacity = bytes;
  return SUP_OK;
}

sup_status sup_arena_create(sup_arena **out, size_t bytes) {
  SUP_OWN(sup_arena) *arena = NULL;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(arena, 1));
  SUP_TRY(arena_reserve(arena, bytes));
  *out = arena;
  arena = NULL;
  return SUP_OK;
}

static void free_overflow(sup_arena *arena) {
  for (overflow_block *block = arena->overflow, *next; block; block = next) {
    next = block->next;
    free(block);
  }
  arena->overflow = NULL;
  arena->overflow_bytes = 0;
}

void sup_arena_destroy(sup_arena **arena) {
  if (!*arena) return;
  free_overflow(*arena);
  free((*arena)->block);
  SUP_FREE(*arena);
}

sup_status sup_arena_alloc(sup_arena *arena, void *out, size_t count, size_t size) {
  if (size && count > (SIZE_MAX / 4) / size)
    return SUP_FAIL(SUP_E_MEMORY, "out of memory: %zu items of %zu bytes", count, size);
  size_t bytes = align_up(count * size);
  void  *memory;
  if (arena->capacity - arena->used >= bytes) {
    memory = arena->block + arena->used;
    arena->used += bytes;
  } else {
    overflow_block *block = must_fail() ? NULL : aligned_alloc(ALIGNMENT, bytes + ALIGNMENT);
    if (!block)
      return SUP_FAIL(SUP_E_MEMORY, "out of memory: %zu bytes beyond the step arena", bytes);
    block->next = arena->overflow;
    arena->overflow = block;
    arena->overflow_bytes += bytes;
    memory = (char *)block + ALIGNMENT;
  }
  size_t in_use = arena->used + arena->overflow_bytes;
  if (in_use > arena->peak) arena->peak = in_use;
  memcpy(out, &memory, sizeof memory);
  return SUP_OK;
}

sup_status sup_arena_vectors(sup_arena *arena, size_t n, double **const *vector, size_t count) {
  for (size_t i = 0; i < count; i++)
    SUP_TRY(sup_arena_alloc(arena, vector[i], n, sizeof **vector[i]));
  return SUP_OK;
}

sup_status sup_arena_reset(sup_arena *arena) {
  int grow = arena->overflow != NULL;
  free_overflow(arena);
  arena->used = 0;
  if (grow) SUP_TRY(arena_reserve(arena, arena->peak + arena->peak / 2));
  return SUP_OK;
}

size_t sup_arena_peak(const sup_arena *arena) { return arena->peak; }
