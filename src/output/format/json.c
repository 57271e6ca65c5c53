#include "output/format/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output/format/number.h"

sup_status sup_json_open(sup_json *json, const char *path) {
  *json = (sup_json){.depth = 0};
  SUP_TRY(sup_file_open(&json->out, path));
  return SUP_OK;
}

static void put(sup_json *json, const char *text) { fputs(text, json->out.file); }

/** Length of the UTF-8 sequence at p, 0 when it is none (overlong, surrogate, cut off). */
static int utf8_length(const unsigned char *p) {
  if (p[0] < 0x80) return 1;
  int      n = p[0] >= 0xc2 && p[0] <= 0xdf   ? 2
               : p[0] >= 0xe0 && p[0] <= 0xef ? 3
               : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
                                              : 0;
  unsigned code = n == 2 ? p[0] & 0x1fU : n == 3 ? p[0] & 0x0fU : p[0] & 0x07U;
  for (int i = 1; i < n; i++) {
    if ((p[i] & 0xc0U) != 0x80) return 0;
    code = code << 6 | (p[i] & 0x3fU);
  }
  if (n == 3 && (code < 0x800 || (code >= 0xd800 && code <= 0xdfff))) return 0;
  if (n == 4 && (code < 0x10000 || code > 0x10ffff)) return 0;
  return n;
}

void sup_json_quote(FILE *file, const char *text) {
  fputc('"', file);
  for (const unsigned char *p = (const unsigned char *)text; *p;) {
    int n = utf8_length(p);
    if (n == 0) {
      fputs("\\ufffd", file);
      p++;
      continue;
    }
    if (*p == '"' || *p == '\\')
      fputc('\\', file), fputc(*p, file);
    else if (*p == '\n')
      fputs("\\n", file);
    else if (*p == '\t')
      fputs("\\t", file);
    else if (*p < 0x20 || *p == 0x7f)
      fprintf(file, "\\u%04x", (unsigned)*p);
    else
      fwrite(p, 1, (size_t)n, file);
    p += n;
  }
  fputc('"', file);
}

/** Comma, new line and key of the next item. */
static void begin_item(sup_json *json, const char *key) {
  SUP_ASSERT(json->depth == 0 || (key != NULL) == (json->closing[json->depth] == '}'));
  if (json->num_items[json->depth]++ > 0) put(json, ",");
  if (json->depth > 0) fprintf(json->out.file, "\n%*s", 2 * json->depth, "");
  if (key) sup_json_quote(json->out.file, key), put(json, ": ");
}

static void begin(sup_json *json, const char *key, char opening, char closing) {
  SUP_ASSERT(json->depth < SUP_JSON_MAX_DEPTH);
  begin_item(json, key);
  fputc(opening, json->out.file);
  json->depth++;
  json->num_items[json->depth] = 0;
  json->closing[json->depth] = closing;
}

void sup_json_begin_object(sup_json *json, const char *key) { begin(json, key, '{', '}'); }
void sup_json_begin_array(sup_json *json, const char *key) { begin(json, key, '[', ']'); }

void sup_json_end(sup_json *json) {
  SUP_ASSERT(json->depth > 0);
  int had_items = json->num_items[json->depth] > 0;
  int closing = json->closing[json->depth];
  json->depth--;
  if (had_items) fprintf(json->out.file, "\n%*s", 2 * json->depth, "");
  fputc(closing, json->out.file);
}

void sup_json_text(sup_json *json, const char *key, const char *text) {
  begin_item(json, key);
  if (text)
    sup_json_quote(json->out.file, text);
  else
    put(json, "null");
}

void sup_json_number(sup_json *json, const char *key, double value) {
  char text[SUP_NUMBER_SIZE];
  begin_item(json, key);
  if (!sup_number_text(text, value, 0)) json->nonfinite++;
  put(json, text[0] ? text : "null");
}

void sup_json_integer(sup_json *json, const char *key, long value) {
  begin_item(json, key);
  fprintf(json->out.file, "%ld", value);
}

void sup_json_hash(sup_json *json, const char *key, uint64_t hash) {
  begin_item(json, key);
  fprintf(json->out.file, "\"%016" PRIx64 "\"", hash);
}

sup_status sup_json_close(sup_json *json) {
  SUP_ASSERT(json->depth == 0);
  put(json, "\n");
  SUP_TRY(sup_file_commit(&json->out));
  return SUP_OK;
}
