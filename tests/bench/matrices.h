/** Step matrices of named frames of named scenes: what factorisations are compared on. */
#pragma once

#include <stdint.h>

#include "la/block_matrix.h"

typedef struct bench_matrix {
  const char       *name;
  sup_block_pattern pattern;
  double           *values;
  unsigned char    *last; /* [num_blocks] block columns of contacts; NULL: not marked */
  int               contacts;
} bench_matrix;

/** Make a matrix by its name, and say when it is not the one of tests/bench/matrices.txt:
 *    finger1k  vertices of the left finger of examples/finray_grasp.yaml that are not attached,
 * after the step to 2 s grasp     that step's whole A in the pattern of H (what contacts couple is
 * there, with the value 0), and its `last` cube1k, cube8k, cube27k  tests/bench/cube.yaml with 10,
 * 20 and 30 vertices along each edge, at rest peer_finray, peer_block1050  whole A of the scenes in
 * examples/peers, after the steps to 1.5 s and 0.5 s E_ARG: no such name. */
SUP_NODISCARD sup_status bench_matrix_create(bench_matrix *matrix, const char *name);
void                     bench_matrix_free(bench_matrix *matrix);
/** All of them into FOLDER: NAME.mtx (Matrix Market, lower triangle by scalars) and matrices.txt.
 */
SUP_NODISCARD sup_status bench_matrices_write(const char *folder);
