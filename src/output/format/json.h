/** Writer of JSON files.  Layer output.
 *
 *  Text is escaped and always valid UTF-8 (bytes that are not become U+FFFD), numbers that are not
 * finite become null, and the file appears whole or not at all.  `key` names a member of an object;
 * NULL in an array and for the outermost.
 */
#pragma once

#include "base/file/file.h"

enum { SUP_JSON_MAX_DEPTH = 8 };

typedef struct sup_json {
  sup_file_writer out;
  int             depth;
  int             num_items[SUP_JSON_MAX_DEPTH + 1];
  char            closing[SUP_JSON_MAX_DEPTH + 1]; /* '}' or ']' */
  long            nonfinite;
} sup_json;

SUP_NODISCARD sup_status sup_json_open(sup_json *json, const char *path);
void                     sup_json_begin_object(sup_json *json, const char *key);
void                     sup_json_begin_array(sup_json *json, const char *key);
/** End the innermost object or array. */
void sup_json_end(sup_json *json);
/** NULL text is written as null. */
void sup_json_text(sup_json *json, const char *key, const char *text);
void sup_json_number(sup_json *json, const char *key, double value);
void sup_json_integer(sup_json *json, const char *key, long value);
/** 16 hexadecimal digits as text. */
void sup_json_hash(sup_json *json, const char *key, uint64_t hash);
/** Text as JSON has it, quotes about it; apart from any writer. */
void sup_json_quote(FILE *file, const char *text);
/** E_IO when anything could not be written; nothing is left open then. */
SUP_NODISCARD sup_status sup_json_close(sup_json *json);
