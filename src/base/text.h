/** Text helpers: the nearest known word, checked number parsing, names.  Layer base. */
#pragma once

#include "base/status.h"

/** Index of the entry of words[n] nearest to `word` by edit distance, SUP_NONE when none is near
 * enough to suggest. */
int sup_text_nearest(const char *word, const char *const *words, int n);
/** Parse a whole C-locale number ("1e6", "-.5"); 0 when text is not exactly one finite number. */
int sup_text_number(const char *text, double *value);
/** Copy into a fixed-size name; E_ARG when it does not fit. */
SUP_NODISCARD sup_status sup_text_copy(char *to, size_t size, const char *from);
/** A copy in memory of the caller, who frees it. */
SUP_NODISCARD sup_status sup_text_new(char **to, const char *from);
/** 1: text is longer than `ending` and ends with it, in capitals or not. */
int sup_text_ends_with(const char *text, const char *ending);
/** Concatenate the pieces; E_ARG if they do not fit. */
SUP_NODISCARD sup_status sup_text_join(char *to, size_t size, const char *const *piece, int count);
/** "; did you mean 'x'? known: x, y, z" for messages about an unknown word; empty when nothing is
 * known. */
const char *sup_known_text(const char *word, const char *const *known, int num_known, char *buffer,
                           size_t size);
