#include "output/summary.h"

#include <string.h>

/** The file under way. */
typedef struct writer {
  sup_json         *json;
  sup_summary      *of;
  sup_summary_table table;
} writer;

static bool applies(const writer *w, int i) {
  const sup_summary_entry *entry = &w->table.entry[i];
  w->of->entry = entry;
  return !entry->applies || entry->applies(w->of);
}

static void put_entry(writer *w, int i, const char *key) {
  const sup_summary_entry *entry = w->of->entry = &w->table.entry[i];
  if (entry->put) {
    entry->put(w->json, key, w->of);
    return;
  }
  const char *at = (const char *)entry->from(w->of) + entry->offset;
  switch (entry->kind) {
    case SUP_SUMMARY_INT:
      sup_json_integer(w->json, key, *(const int *)(const void *)at);
      break;
    case SUP_SUMMARY_LONG:
      sup_json_integer(w->json, key, *(const long *)(const void *)at);
      break;
    case SUP_SUMMARY_DOUBLE:
      sup_json_number(w->json, key, *(const double *)(const void *)at);
      break;
    case SUP_SUMMARY_TEXT:
      sup_json_text(w->json, key, *(const char *const *)(const void *)at);
      break;
    case SUP_SUMMARY_ARRAY:
      sup_json_text(w->json, key, at);
      break;
  }
}

static bool is_list(const char *word) { return word[0] >= 'A' && word[0] <= 'Z'; }

/** 1: both paths have the same first word, and both or neither have more behind it. */
static bool is_same_word(const char *a, const char *b) {
  size_t length = strcspn(a, ".");
  return strncmp(a, b, length) == 0 && a[length] == b[length];
}

static void put_members(writer *w, int first, int last, size_t from);

/** The entries first .. last - 1, whose word at `from` is the same, as a member or an object. */
static void put_member(writer *w, int first, int last, size_t from, const char *key) {
  const char *path = w->table.entry[first].path;
  size_t      end = from + strcspn(path + from, ".");
  if (path[end] == '\0') {
    put_entry(w, first, key);
    return;
  }
  const sup_summary_list *below =
      is_list(path + end + 1) ? sup_summary_list_of(path, end + 1 + strcspn(path + end + 1, "."))
                              : NULL;
  if (below && below->is_array)
    sup_json_begin_array(w->json, key);
  else
    sup_json_begin_object(w->json, key);
  put_members(w, first, last, end + 1);
  sup_json_end(w->json);
}

/** put_member for each thing of the list that the word stands for. */
static void put_list(writer *w, int first, int last, size_t from) {
  const char             *path = w->table.entry[first].path;
  const sup_summary_list *list = sup_summary_list_of(path, from + strcspn(path + from, "."));
  char                    name[SUP_SUMMARY_NAME] = "";
  for (int i = 0; i < list->count(w->of); i++) {
    if (!list->name(w->of, i, name)) continue;
    w->of->index = i;
    put_member(w, first, last, from, list->is_array ? NULL : name);
  }
}

static void put_members(writer *w, int first, int last, size_t from) {
  for (int i = first, next; i < last; i = next) {
    const char *word = w->table.entry[i].path + from;
    bool        is_told = applies(w, i);
    for (next = i + 1; next < last && is_same_word(word, w->table.entry[next].path + from); next++)
      is_told |= applies(w, next);
    if (!is_told) continue;
    if (is_list(word)) {
      put_list(w, i, next, from);
    } else {
      char name[SUP_SUMMARY_PATH];
      snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "."), word);
      put_member(w, i, next, from, name);
    }
  }
}

sup_status sup_summary_write(const char *path, const sup_summary *summary) {
  sup_json    json;
  sup_summary of = *summary;
  writer      w = {.json = &json, .of = &of};
  SUP_TRY(sup_statistics_seconds(of.statistics, &of.step));
  SUP_TRY(sup_json_open(&json, path));
  sup_summary_table_make(&w.table);
  sup_json_begin_object(&json, NULL);
  put_members(&w, 0, w.table.count, 0);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}

/** 1: the path matches the pattern.  A word in capitals matches one word or, since names may have
 * dots, several. */
static int fits(const char *pattern, const char *path) {
  size_t word = strcspn(pattern, ".");
  if (!is_list(pattern)) {
    if (strncmp(pattern, path, word) != 0 || (path[word] != '.' && path[word] != '\0')) return 0;
    if (pattern[word] != path[word]) return 0;
    return pattern[word] == '\0' || fits(pattern + word + 1, path + word + 1);
  }
  if (path[0] == '\0') return 0;
  if (pattern[word] == '\0') return 1;
  for (const char *dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.'))
    if (fits(pattern + word + 1, dot + 1)) return 1;
  return 0;
}

const sup_summary_entry *sup_summary_find(const sup_summary_table *table, const char *path) {
  for (int plain = 1; plain >= 0; plain--) /* names that are no list's come first */
    for (int i = 0; i < table->count; i++)
      if (plain ? strcmp(table->entry[i].path, path) == 0 : fits(table->entry[i].path, path))
        return &table->entry[i];
  return NULL;
}
