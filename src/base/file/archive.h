/** Named arrays in one self-describing binary file.  Layer base.
 *
 *  "supple KIND VERSION\n", eight bytes that tell their order, then for each array a line "NAME
 * SIZE COUNT\n", COUNT items of SIZE bytes and "\n"; at the end "end\n" and the FNV-1a hash of all
 * that stands before it.  A file appears under its name complete and on the disk, or not at all;
 * truncated or changed files are detected. */
#pragma once

#include "base/collective.h"
#include "base/file/file.h"

enum { SUP_ARCHIVE_NAME = 64 };

/** An array in memory that is written or read under a name without blanks. */
typedef struct sup_archive_item {
  const char *name;
  void       *data;
  size_t      size, count; /* bytes of an item; items */
} sup_archive_item;

enum { SUP_ARCHIVE_MAX_ITEMS = 80 };
/** Items that are written or read together. */
typedef struct sup_archive_list {
  sup_archive_item item[SUP_ARCHIVE_MAX_ITEMS];
  int              count;
} sup_archive_list;
void sup_archive_list_add(sup_archive_list *list, const char *name, void *data, size_t size,
                          size_t count);

typedef struct sup_archive_writer {
  sup_file_writer file;
  uint64_t        hash;
} sup_archive_writer;

/** Begin a file; errors of the disk are reported at the commit. */
SUP_NODISCARD sup_status sup_archive_create(sup_archive_writer *writer, const char *path,
                                            const char *kind, int version);
/** Append an array under PREFIX and its name. */
void sup_archive_put(sup_archive_writer *writer, const char *prefix, const sup_archive_item *item);
/** Append an array in pieces: the line of an array, its bytes in any number of parts, its end. */
void sup_archive_put_begin(sup_archive_writer *writer, const char *prefix, const char *name,
                           size_t size, size_t count);
void sup_archive_put_part(sup_archive_writer *writer, const void *data, size_t bytes);
void sup_archive_put_end(sup_archive_writer *writer);
/** A text, without the zero byte at its end. */
void sup_archive_put_text(sup_archive_writer *writer, const char *name, const char *text);
/** The end of the file; only the commit may follow. */
void sup_archive_end(sup_archive_writer *writer);
/** The file takes its name, and is on the disk when this returns. */
SUP_NODISCARD sup_status sup_archive_commit(sup_archive_writer *writer);
/** Discard the file; harmless after commit and without a create. */
void sup_archive_abandon(sup_archive_writer *writer);

/** An array of a file that was read; its items need not be aligned. */
typedef struct sup_archive_entry {
  char        name[SUP_ARCHIVE_NAME];
  size_t      size, count;
  const char *data;
} sup_archive_entry;

typedef struct sup_archive {
  char               path[4096];
  char              *bytes; /* [num_bytes] the whole file */
  size_t             num_bytes;
  sup_archive_entry *entry; /* [num_entries] in the order of the file */
  size_t             num_entries, capacity;
} sup_archive;

/** Read a whole file and check it.  E_IO: the file cannot be read; E_PARSE: another kind,
 * version or byte order, cut off or changed. */
SUP_NODISCARD sup_status sup_archive_open(sup_archive *archive, const char *path, const char *kind,
                                          int version);
/** Broadcast the archive that rank 0 has read to all ranks; the others' archive is empty before.
 * NULL, or one rank: nothing.
 *  @param[in] own  status of reading on this rank; ranks other than 0 pass SUP_OK
 *  @return status of the lowest rank that failed, on all ranks; after a failure no rank has an
 * archive */
SUP_NODISCARD sup_status sup_archive_broadcast(sup_archive *archive, const sup_collective *ranks,
                                               sup_status own);
void                     sup_archive_close(sup_archive *archive);
/** The array of a name; NULL: there is none. */
const sup_archive_entry *sup_archive_find(const sup_archive *archive, const char *prefix,
                                          const char *name);
/** Copy an array to the item's memory.  E_ARG: the file has none of that name, or another number or
 * size of items. */
SUP_NODISCARD sup_status sup_archive_get(const sup_archive *archive, const char *prefix,
                                         const sup_archive_item *item);
/** A text in memory of the caller, who frees it.  E_ARG: the file has none of that name. */
SUP_NODISCARD sup_status sup_archive_get_text(const sup_archive *archive, const char *name,
                                              char **text);
