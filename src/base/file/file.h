/** Reading of whole files, and atomic replacement of files.  Layer base. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/status.h"

/* ---- reading --------------------------------------------------------------------------------- */

/** Read a file into memory (freed by the caller with SUP_FREE), followed by a zero byte.  E_IO
 * names the file. */
SUP_NODISCARD sup_status sup_file_read(const char *path, char **data, size_t *size);
/** sup_file_read of a file that a user names: E_IO when it has more than `most` bytes, also a pipe.
 */
SUP_NODISCARD sup_status sup_file_read_most(const char *path, uint64_t most, char **data,
                                            size_t *size);
/** Most bytes of a mesh or surface, and of a text that people write. */
#define SUP_FILE_MOST_CELLS (UINT64_C(4000000000))
#define SUP_FILE_MOST_TEXT (UINT64_C(256000000))

/* ---- writing --------------------------------------------------------------------------------- */

/** Size of a writer's buffer, and largest size of one sup_file_reserve: small enough to stay in the
 * cache until written. */
enum { SUP_FILE_ROOM = 1 << 15 };

/** File written under a temporary name beside its final name, where it appears complete or not at
 * all.  Devices and pipes are written directly. */
typedef struct sup_file_writer {
  FILE *file; /* NULL: it has no stream */
  int   descriptor, is_in_place;
  int is_one_of_many; /* set after opening: 1: commit without waiting for the disk, as for frames */
  int error;          /* errno of the first write that failed; 0: none */
  char  *buffer;      /* [SUP_FILE_ROOM] */
  size_t used;        /* of the buffer, without a stream */
  char   path[4096];
  char   temporary[4096];
} sup_file_writer;

/** The writer stays where it is until commit or abandon. */
SUP_NODISCARD sup_status sup_file_open(sup_file_writer *writer, const char *path);
/** sup_file_open without a stream, for files of many numbers: sup_file_add and sup_file_reserve
 * write.
 *  @param[in] is_one_of_many  1: also, the file is in a folder of the program, which contains no
 * devices */
SUP_NODISCARD sup_status sup_file_open_bytes(sup_file_writer *writer, const char *path,
                                             bool is_one_of_many);
/** Write without a stream; errors are reported at the commit. */
void sup_file_add(sup_file_writer *writer, const void *bytes, size_t size);
/** Reserve the next `size` bytes, to be filled before any other call for the writer.
 */
void *sup_file_reserve(sup_file_writer *writer, size_t size);
/** Flush, hand the data to the disk and rename.  E_IO when anything written before failed (disk
 * full). */
SUP_NODISCARD sup_status sup_file_commit(sup_file_writer *writer);
/** sup_file_commit that also waits until the new name is on the disk, safe against a loss of power.
 */
SUP_NODISCARD sup_status sup_file_commit_durably(sup_file_writer *writer);
/** Discard the file; harmless after commit. */
void sup_file_abandon(sup_file_writer *writer);
/** Write all bytes; returns their number, or -1 and errno. */
ssize_t sup_file_put(int descriptor, const void *data, size_t size);

/** Fault that a test injects into file calls. */
typedef struct sup_file_fault {
  long at;    /* the at-th write, flush to the disk or renaming from now on; 0: none is counted */
  int  error; /* errno of it; 0: the write takes half of its bytes, and nothing fails */
  int  lasts; /* 1: all later calls are at fault, too */
} sup_file_fault;
/** @return the number of calls counted since the last sup_file_fail */
long sup_file_fail(sup_file_fault fault);

/* ---- paths ----------------------------------------------------------------------------------- */

/** A formatted piece of text; errors are reported at the commit. */
void sup_file_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** mkdir -p */
SUP_NODISCARD sup_status sup_make_folder(const char *path);
/** Folder of a path ("." when it has none) joined with `name` unless name is absolute.  E_ARG when
 * too long. */
SUP_NODISCARD sup_status sup_path_relative_to(char *out, size_t size, const char *path,
                                              const char *name);
