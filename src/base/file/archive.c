#include "base/file/archive.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum { LINE_SIZE = 128, HEAD_SIZE = 64 };

/** Behind the first line. */
static const uint64_t order_mark = UINT64_C(0x0102030405060708);
static const char     end_line[] = "end\n";
enum { END_SIZE = sizeof end_line - 1 };

static size_t first_line(char line[HEAD_SIZE], const char *kind, int version) {
  return (size_t)snprintf(line, HEAD_SIZE, "supple %.30s %d\n", kind, version);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put_bytes(sup_archive_writer *w, const void *data, size_t bytes) {
  w->hash = sup_hash_bytes(w->hash, data, bytes);
  (void)!fwrite(data, 1, bytes, w->file.file);
}

void sup_archive_list_add(sup_archive_list *list, const char *name, void *data, size_t size,
                          size_t count) {
  SUP_ASSERT(list->count < SUP_ARCHIVE_MAX_ITEMS);
  list->item[list->count++] = (sup_archive_item){name, data, size, count};
}

sup_status sup_archive_create(sup_archive_writer *w, const char *path, const char *kind,
                              int version) {
  char line[HEAD_SIZE];
  w->hash = sup_hash_begin();
  SUP_TRY(sup_file_open(&w->file, path));
  put_bytes(w, line, first_line(line, kind, version));
  put_bytes(w, &order_mark, sizeof order_mark);
  return SUP_OK;
}

void sup_archive_put_begin(sup_archive_writer *w, const char *prefix, const char *name, size_t size,
                           size_t count) {
  char line[LINE_SIZE];
  SUP_ASSERT(strlen(prefix) + strlen(name) < SUP_ARCHIVE_NAME);
  int length = snprintf(line, sizeof line, "%s%s %zu %zu\n", prefix, name, size, count);
  put_bytes(w, line, (size_t)length);
}

void sup_archive_put_part(sup_archive_writer *w, const void *data, size_t bytes) {
  if (bytes) put_bytes(w, data, bytes);
}

void sup_archive_put_end(sup_archive_writer *w) { put_bytes(w, "\n", 1); }

static void put_array(sup_archive_writer *w, const char *prefix, const char *name, size_t size,
                      size_t count, const void *data) {
  sup_archive_put_begin(w, prefix, name, size, count);
  sup_archive_put_part(w, data, size * count);
  sup_archive_put_end(w);
}

void sup_archive_put(sup_archive_writer *w, const char *prefix, const sup_archive_item *item) {
  put_array(w, prefix, item->name, item->size, item->count, item->data);
}

void sup_archive_put_text(sup_archive_writer *w, const char *name, const char *text) {
  put_array(w, "", name, 1, strlen(text), text);
}

void sup_archive_end(sup_archive_writer *w) {
  put_bytes(w, end_line, END_SIZE);
  uint64_t hash = w->hash;
  put_bytes(w, &hash, sizeof hash);
}

sup_status sup_archive_commit(sup_archive_writer *w) {
  SUP_TRY(sup_file_commit_durably(&w->file));
  return SUP_OK;
}

void sup_archive_abandon(sup_archive_writer *w) { sup_file_abandon(&w->file); }

/* ---- reading --------------------------------------------------------------------------------- */

/** Check the first line, the byte order, the end of the file and its hash. */
static sup_status check_whole(const char *path, const char *data, size_t bytes, const char *kind,
                              int version) {
  char     line[HEAD_SIZE];
  uint64_t mark, hash = 0;
  size_t   head = first_line(line, kind, version), same = strlen("supple ") + strlen(kind) + 1;
  if (bytes < head + sizeof mark || memcmp(data, line, same) != 0)
    return SUP_FAIL(SUP_E_PARSE, "%s: this is no %s; such a file begins with '%.*s'", path, kind,
                    (int)same - 1, line);
  if (memcmp(data, line, head) != 0)
    return SUP_FAIL(SUP_E_PARSE, "%s: found a %s of another format, expected format %d", path, kind,
                    version);
  memcpy(&mark, data + head, sizeof mark);
  if (mark != order_mark)
    return SUP_FAIL(SUP_E_PARSE, "%s: found numbers in the byte order of another machine", path);
  bool is_long = bytes >= head + sizeof mark + END_SIZE + sizeof hash;
  if (is_long) memcpy(&hash, data + bytes - sizeof hash, sizeof hash);
  if (!is_long || hash != sup_hash_bytes(sup_hash_begin(), data, bytes - sizeof hash) ||
      memcmp(data + bytes - sizeof hash - END_SIZE, end_line, END_SIZE) != 0)
    return SUP_FAIL(SUP_E_PARSE,
                    "%s: the file is cut off or was changed: its hash does not match its bytes",
                    path);
  return SUP_OK;
}

/** Read the line and data of an array at *at and move *at behind them.  Returns 0 if there is no
 * valid array. */
static int next_entry(const char **at, const char *end, sup_archive_entry *entry) {
  const char *line_end = memchr(*at, '\n', (size_t)(end - *at));
  char        line[LINE_SIZE];
  int         used = 0;
  if (!line_end || line_end - *at >= LINE_SIZE - 1) return 0;
  size_t length = (size_t)(line_end - *at);
  memcpy(line, *at, length);
  line[length] = '\0';
  if (sscanf(line, "%63s %zu %zu%n", entry->name, &entry->size, &entry->count, &used) != 3 ||
      line[used])
    return 0;
  entry->data = line_end + 1;
  if (entry->size == 0 || entry->count >= (size_t)(end - entry->data) / entry->size + 1) return 0;
  *at = entry->data + entry->size * entry->count;
  if (*at >= end || **at != '\n') return 0;
  ++*at;
  return 1;
}

/** Find the arrays in the bytes, which are whole. */
static sup_status find_entries(sup_archive *a) {
  const char *at = (const char *)memchr(a->bytes, '\n', a->num_bytes) + 1 + sizeof order_mark,
             *end = a->bytes + a->num_bytes - sizeof(uint64_t) - END_SIZE;
  while (at < end) {
    sup_archive_entry entry;
    if (!next_entry(&at, end, &entry))
      return SUP_FAIL(SUP_E_PARSE,
                      "%s: found a broken head of an array, expected its name, size and count",
                      a->path);
    SUP_TRY(SUP_GROW(a->entry, a->capacity, a->num_entries + 1));
    a->entry[a->num_entries++] = entry;
  }
  return SUP_OK;
}

sup_status sup_archive_open(sup_archive *a, const char *path, const char *kind, int version) {
  *a = (sup_archive){.num_entries = 0};
  snprintf(a->path, sizeof a->path, "%s", path);
  SUP_TRY(sup_file_read(path, &a->bytes, &a->num_bytes));
  sup_status status = check_whole(path, a->bytes, a->num_bytes, kind, version);
  if (status == SUP_OK) status = find_entries(a);
  if (status != SUP_OK) sup_archive_close(a);
  return status;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

sup_status sup_archive_broadcast(sup_archive *a, const sup_collective *ranks, sup_status own) {
  if (!sup_has_ranks(ranks)) return own;
  uint64_t   bytes = a->num_bytes;
  sup_status status = sup_agree(ranks, own);
  if (status != SUP_OK) {
    sup_archive_close(a);
    return status;
  }
  ranks->broadcast(ranks, 0, sizeof bytes, &bytes);
  ranks->broadcast(ranks, 0, sizeof a->path, a->path);
  if (ranks->rank > 0) {
    status = SUP_CALLOC(a->bytes, bytes);
    a->num_bytes = bytes;
  }
  status = sup_agree(ranks, status);
  if (status == SUP_OK) ranks->broadcast(ranks, 0, bytes, a->bytes);
  if (status == SUP_OK && ranks->rank > 0) status = find_entries(a);
  status = sup_agree(ranks, status);
  if (status != SUP_OK) sup_archive_close(a);
  return status;
}

void sup_archive_close(sup_archive *a) {
  SUP_FREE_ALL(&a->bytes, &a->entry);
  a->num_entries = a->capacity = a->num_bytes = 0;
}

const sup_archive_entry *sup_archive_find(const sup_archive *a, const char *prefix,
                                          const char *name) {
  size_t length = strlen(prefix);
  for (size_t i = 0; i < a->num_entries; i++)
    if (strncmp(a->entry[i].name, prefix, length) == 0 &&
        strcmp(a->entry[i].name + length, name) == 0)
      return &a->entry[i];
  return NULL;
}

sup_status sup_archive_get(const sup_archive *a, const char *prefix, const sup_archive_item *item) {
  const sup_archive_entry *entry = sup_archive_find(a, prefix, item->name);
  if (!entry)
    return SUP_FAIL(SUP_E_ARG, "%s: the array '%s%s' is missing", a->path, prefix, item->name);
  if (entry->size != item->size || entry->count != item->count)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: '%s' has %zu items of %zu bytes, expected %zu items of %zu bytes", a->path,
                    entry->name, entry->count, entry->size, item->count, item->size);
  if (item->count) memcpy(item->data, entry->data, item->size * item->count);
  return SUP_OK;
}

sup_status sup_archive_get_text(const sup_archive *a, const char *name, char **text) {
  const sup_archive_entry *entry = sup_archive_find(a, "", name);
  *text = NULL;
  if (!entry || entry->size != 1)
    return SUP_FAIL(SUP_E_ARG, "%s: the text '%s' is missing", a->path, name);
  SUP_TRY(SUP_CALLOC(*text, entry->count + 1));
  memcpy(*text, entry->data, entry->count);
  return SUP_OK;
}
