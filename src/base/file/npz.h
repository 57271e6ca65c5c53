/** numpy's .npz files: zip archives of .npy arrays (libzip).  Layer base. */
#pragma once

#include "base/file/npy.h"

typedef struct sup_npz {
  char    *path; /* for messages */
  int      num_arrays;
  sup_npy *array;
} sup_npz;

/** All arrays of a file, stored or deflated; members that are no .npy are left out.  E_IO:
 * the file cannot be read; E_PARSE: "FILE:OFFSET: ..." or "FILE:MEMBER:OFFSET: ...". */
SUP_NODISCARD sup_status sup_npz_read(sup_npz **npz, const char *path);
void                     sup_npz_destroy(sup_npz **npz);
/** NULL: there is none. */
const sup_npy *sup_npz_find(const sup_npz *npz, const char *name);

/** A file under construction: members are stored, with one date, so that equal arrays give equal
 * bytes; it appears whole, or not at all. */
typedef struct sup_npz_writer {
  char                   path[4096];
  struct zip            *zip;
  struct sup_npz_target *target; /* the file */
  sup_status             status; /* of what was added */
  char                 **member; /* what libzip reads when it closes the archive */
  size_t                 capacity;
  int                    num_members;
} sup_npz_writer;

SUP_NODISCARD sup_status sup_npz_create(sup_npz_writer *writer, const char *path);
/** A copy of the values under `name`; sup_npz_commit reports a failure. */
void sup_npz_add_numbers(sup_npz_writer *writer, const char *name, int num_dimensions,
                         const size_t *shape, const double *value);
void sup_npz_add_integers(sup_npz_writer *writer, const char *name, size_t count, const int *value);
void sup_npz_add_texts(sup_npz_writer *writer, const char *name, size_t count,
                       const char *const *text);
SUP_NODISCARD sup_status sup_npz_commit(sup_npz_writer *writer);
/** Discard the additions; harmless after commit. */
void sup_npz_abandon(sup_npz_writer *writer);
