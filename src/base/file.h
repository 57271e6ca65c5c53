/** Whole files in, and files replaced in one stroke.  Layer base. */
#pragma once

#include <stdio.h>

#include "base/status.h"

/** Read a file into memory (freed by the caller with SUP_FREE), followed by a zero byte.  E_IO
 * names the file. */
SUP_NODISCARD sup_status sup_file_read(const char *path, char **data, size_t *size);

/** A file that is written beside its place and appears there whole, or not at all. */
typedef struct sup_file_writer {
  FILE *file;
  char *buffer; /* of the stream */
  char  path[4096];
  char  temporary[4096];
} sup_file_writer;

SUP_NODISCARD sup_status sup_file_open(sup_file_writer *writer, const char *path);
/** Flush and rename.  E_IO when anything written before failed (disk full). */
SUP_NODISCARD sup_status sup_file_commit(sup_file_writer *writer);
/** The same, and it is on the disk, name and all, when this returns: also after a loss of power. */
SUP_NODISCARD sup_status sup_file_commit_durably(sup_file_writer *writer);
/** Drop what was written; harmless after commit. */
void sup_file_abandon(sup_file_writer *writer);
/** mkdir -p */
SUP_NODISCARD sup_status sup_make_folder(const char *path);
/** Folder of a path ("." when it has none) joined with `name` unless name is absolute.  E_ARG when
 * too long. */
SUP_NODISCARD sup_status sup_path_beside(char *out, size_t size, const char *path,
                                         const char *name);
