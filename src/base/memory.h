/** Heap memory with overflow-checked sizes, and the arena from which a step allocates.  Layer base.
 */
#pragma once

#include "base/status.h"

/** Allocate zeroed memory for count items of size bytes; *out is not NULL even for 0 items (NULL +
 * 0 is undefined).  E_MEMORY.
 */
SUP_NODISCARD sup_status sup_calloc(void *out, size_t count, size_t size);
/** sup_calloc without clearing, for a buffer that is filled before it is read.
 */
SUP_NODISCARD sup_status sup_malloc(void *out, size_t bytes);
/** Grow *block (a pointer to a pointer) to at least `needed` items; *capacity is updated, contents
 * kept, the rest zeroed. */
SUP_NODISCARD sup_status sup_grow(void *block, size_t *capacity, size_t needed, size_t size);
/** Free *block and set it to NULL; block is a pointer to a pointer. */
void sup_free(void *block);
/** SUP_FREE of several pointers: `SUP_FREE_ALL(&mesh->x, &mesh->vertex);` */
void sup_free_all(void *const *block, size_t count);
/** Attribute of a variable: `destroy` gets its address when the scope ends. */
#define SUP_SCOPED(destroy) __attribute__((cleanup(destroy)))
/** A pointer whose memory is freed when the scope ends: `SUP_FREED double *x = NULL;` */
#define SUP_FREED SUP_SCOPED(sup_free)
/** An object destroyed by TYPE_destroy when the scope ends, `SUP_OWN(sup_mesh) *mesh = NULL;`, or a
 * value freed by TYPE_free.  Setting the pointer to NULL gives up ownership. */
#define SUP_OWN(type) SUP_SCOPED(type##_destroy) type
#define SUP_OWN_VALUE(type) SUP_SCOPED(type##_free) type
/** Tests: let the k-th allocation from now on fail (0: never). */
void sup_memory_fail_at(long k);

#define SUP_CALLOC(out, count) sup_calloc((void *)&(out), (size_t)(count), sizeof *(out))
#define SUP_GROW(block, capacity, needed) \
  sup_grow((void *)&(block), &(capacity), (size_t)(needed), sizeof *(block))
#define SUP_FREE(block) sup_free((void *)&(block))
#define SUP_FREE_ALL(...) \
  sup_free_all((void *const[]){__VA_ARGS__}, sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))

/** Stack of memory that lives for one step: 64-byte aligned, released by mark.  When a step needs
 * more than the block holds, the rest comes from the heap once and the block grows at the next
 * reset. */
typedef struct sup_arena sup_arena;

SUP_NODISCARD sup_status sup_arena_create(sup_arena **arena, size_t bytes);
void                     sup_arena_destroy(sup_arena **arena);
/** Uninitialised memory for count items of size bytes. */
SUP_NODISCARD sup_status sup_arena_alloc(sup_arena *arena, void *out, size_t count, size_t size);
/** Uninitialised vectors of n numbers each: `SUP_ARENA_VECTORS(arena, n, &a, &b)`. */
SUP_NODISCARD sup_status sup_arena_vectors(sup_arena *arena, size_t n, double **const *vector,
                                           size_t count);
/** Release everything; the block grows to 1.5 times the peak if the peak exceeded it. */
SUP_NODISCARD sup_status sup_arena_reset(sup_arena *arena);
size_t                   sup_arena_peak(const sup_arena *arena);

#define SUP_ARENA(arena, out, count) \
  sup_arena_alloc((arena), (void *)&(out), (size_t)(count), sizeof *(out))
#define SUP_ARENA_VECTORS(arena, n, ...)                                   \
  sup_arena_vectors((arena), (size_t)(n), (double **const[]){__VA_ARGS__}, \
                    sizeof((double **const[]){__VA_ARGS__}) / sizeof(double **))
