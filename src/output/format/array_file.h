/** Arrays in an HDF5 file that is whole, or not there.  Layer output.
 *
 *  HDF5 says what the file's headers are and where the arrays have their places; the rows are put
 * there in any order and in pieces of any size, so that nobody need hold an array; the file grows
 * beside its place, and moves to it when it is closed. */
#pragma once

#include "base/file/file.h"
#include "output/format/hdf5_plugin.h"

enum { SUP_ARRAY_FILE_MOST = 24 };

typedef struct sup_array_file {
  sup_file_writer      out;
  int                  num_arrays;
  const sup_array_def *array; /* [num_arrays], the caller's */
  uint64_t             offset[SUP_ARRAY_FILE_MOST];
  sup_status           status; /* first failure; the file does nothing after it */
} sup_array_file;

/** Bytes of a row. */
static inline size_t sup_array_row(const sup_array_def *array) {
  return (size_t)array->num_columns * sup_array_type_size(array->type);
}

/** Check that the plug-in can be loaded.  E_ARG says how to build it. */
SUP_NODISCARD sup_status sup_array_file_check(void);
/** Begin a file.  Arrays live as long as it.  E_IO names the file. */
SUP_NODISCARD sup_status sup_array_file_open(sup_array_file *file, const char *path, int num_arrays,
                                             const sup_array_def *array);
/** Rows first .. first + count - 1 of array k. */
SUP_NODISCARD sup_status sup_array_file_put(sup_array_file *file, int k, size_t first, size_t count,
                                            const void *rows);
/** Put the file into its place; without it after a failure, which is returned again. */
SUP_NODISCARD sup_status sup_array_file_close(sup_array_file *file);
