/** Interface of the HDF5 plug-in: a table of functions.  Layer output.
 *
 *  HDF5 brings two dozen libraries, from TLS to LDAP, that no other run has a use for.  So it is no
 * part of the program: `plugin/hdf5.c` is built into a shared object of its own, which
 * output/format/array_file.c loads when `output.format: xdmf` is chosen.  It lays a file out, which
 * needs HDF5's knowledge; the bytes are put into their places by the program, whose writes tell
 * when a disk is full. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum sup_array_type {
  SUP_ARRAY_INTEGER, /* 4 bytes */
  SUP_ARRAY_FLOAT,   /* 4 bytes */
  SUP_ARRAY_DOUBLE
} sup_array_type;

static inline size_t sup_array_type_size(sup_array_type type) {
  return type == SUP_ARRAY_DOUBLE ? 8 : 4;
}

enum { SUP_ARRAY_NAME = 64 };

/** Numbers in rows, in the order of bytes of this machine. */
typedef struct sup_array_def {
  char           name[SUP_ARRAY_NAME]; /* in a group or two: "cell/von_mises" */
  size_t         num_rows;             /* 1 or more */
  int            num_columns;
  sup_array_type type;
} sup_array_def;

/** Bytes of a file that are no numbers of arrays. */
typedef struct sup_hdf5_piece {
  uint64_t    offset;
  size_t      size;
  const void *bytes;
} sup_hdf5_piece;

typedef struct sup_hdf5_layout {
  int                   num_pieces;
  const sup_hdf5_piece *piece; /* [num_pieces], of which later ones lie over those before */
  uint64_t              size;  /* of the whole file [bytes] */
} sup_hdf5_layout;

typedef struct sup_hdf5_plugin {
  size_t      size;    /* of this struct, so that a plug-in of another build is noticed */
  const char *version; /* of HDF5 as it was compiled, "HDF5 library version: 1.10.8" */
  /** A file of these arrays, without their numbers.
   *  @param[out] offset  [count] byte of the file at which each begins
   *  @param[out] layout  good until the next call
   *  @return NULL, or what went wrong, in one line that the next call may change */
  const char *(*lay_out)(int count, const sup_array_def *array, uint64_t *offset,
                         sup_hdf5_layout *layout);
} sup_hdf5_plugin;

#define SUP_HDF5_PLUGIN_FILE "supple-hdf5.so"
#define SUP_HDF5_PLUGIN_SYMBOL "sup_hdf5_plugin_table"
