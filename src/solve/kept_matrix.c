#include "solve/kept_matrix.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "solve/numerics.h"

/** By words in lanes: FNV by bytes takes longer than the factor. */
void sup_kept_matrix_stamp(sup_kept_matrix *kept) {
  uint64_t lane[8] = {0};
  for (size_t i = 0; i < kept->count; i++) {
    uint64_t word;
    memcpy(&word, kept->value + i, sizeof word);
    lane[i % 8] = (lane[i % 8] ^ word ^ word >> 32) * UINT64_C(0x9e3779b97f4a7c15);
  }
  kept->stamp = sup_hash_bytes(sup_hash_begin(), lane, sizeof lane);
}

sup_status sup_kept_matrix_set(sup_kept_matrix *kept, const unsigned char *touched, int num_blocks,
                               const double *A, size_t num_values) {
  kept->count = (size_t)num_blocks + num_values;
  SUP_TRY(SUP_GROW(kept->value, kept->capacity, kept->count));
  for (int b = 0; b < num_blocks; b++) kept->value[b] = touched[b] != 0;
  if (num_values) memcpy(kept->value + num_blocks, A, num_values * sizeof *A);
  sup_kept_matrix_stamp(kept);
  kept->is_stale = 0;
  return SUP_OK;
}

sup_status sup_kept_matrix_copy(sup_kept_matrix *to, const sup_kept_matrix *from) {
  if (from->count && to->stamp != from->stamp) {
    SUP_TRY(SUP_GROW(to->value, to->capacity, from->count));
    memcpy(to->value, from->value, from->count * sizeof *to->value);
    to->stamp = from->stamp;
  }
  to->count = from->count;
  to->is_stale = from->is_stale, to->wait = from->wait, to->pause = from->pause;
  return SUP_OK;
}

void sup_kept_matrix_forget(sup_kept_matrix *kept) {
  kept->count = 0;
  kept->is_stale = kept->wait = kept->pause = 0;
}

void sup_kept_matrix_free(sup_kept_matrix *kept) { SUP_FREE(kept->value); }

bool sup_kept_matrix_serves(const sup_kept_matrix *kept, const unsigned char *touched,
                            int num_blocks) {
  if (kept->is_stale || kept->wait > 0 || kept->count < (size_t)num_blocks) return false;
  int b = 0;
  while (b < num_blocks && (kept->value[b] != 0) == touched[b]) b++;
  return b == num_blocks;
}

void sup_kept_matrix_judge(sup_kept_matrix *kept, bool failed, int refinements) {
  const int  least = (int)sup_solve_numerics.kept_pause, most = 8 * least;
  const bool is_slow = refinements >= (int)sup_solve_numerics.kept_refinements;
  if (failed)
    kept->wait = kept->pause = 2 * kept->pause < least  ? least
                               : 2 * kept->pause < most ? 2 * kept->pause
                                                        : most;
  else if (is_slow) /* as dear as a factor of its own matrix */
    kept->wait = ++kept->pause < least ? 0 : kept->pause;
  else if (kept->pause > 0)
    kept->pause--;
  kept->is_stale = failed || is_slow;
}
