/** One array in numpy's .npy format, from memory and into memory (numpy.lib.format, versions 1.0
 * to 3.0).  Layer base. */
#pragma once

#include <stddef.h>

#include "base/status.h"

enum { SUP_NPY_MAX_DIMENSIONS = 4, SUP_NPY_MAX_NAME = 64 };

/** Numbers of any width as doubles (integers are exact up to 2^53), in C order; or texts. */
typedef struct sup_npy {
  char   name[SUP_NPY_MAX_NAME]; /* of the member, without ".npy" */
  int    num_dimensions;
  size_t shape[SUP_NPY_MAX_DIMENSIONS], count; /* count: product of the shape; 1 for no dimension */
  double *number;                              /* [count]; NULL: texts */
  char   *text;  /* [count x (width + 1)], each ends with a zero byte */
  size_t  width; /* bytes of a text, those that are not used are 0 */
} sup_npy;

/** Read an array from data[size].  Types f4, f8, integers of 1 to 8 bytes, booleans and bytes
 * ("S"), of either byte order, in C or Fortran order.  E_PARSE names the place, "WHERE:OFFSET:
 * ...", the value found and the values allowed.
 *  @param[in]  where  file and member, for messages
 *  @param[out] array  all but its name; freed by sup_npy_free, also after a failure */
SUP_NODISCARD sup_status sup_npy_parse(sup_npy *array, const char *where, const void *data,
                                       size_t size);
void                     sup_npy_free(sup_npy *array);

/** Text j of an array of texts. */
static inline const char *sup_npy_text(const sup_npy *array, size_t j) {
  return array->text + j * (array->width + 1);
}

enum { SUP_NPY_HEADER_SIZE = 128 };
/** The header, version 1.0, of an array in C order; 128 bytes.
 *  @param[in] type  as numpy writes it: "<f8", "<i4", "|S24" */
void sup_npy_header(char out[SUP_NPY_HEADER_SIZE], const char *type, int num_dimensions,
                    const size_t *shape);
