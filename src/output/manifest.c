#include "output/manifest.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "output/format/json.h"

/** Coordinated universal time, ISO 8601. */
static void time_now(char text[SUP_MANIFEST_TIME_SIZE]) {
  time_t    now = time(NULL);
  struct tm parts;
  text[0] = '\0';
  if (gmtime_r(&now, &parts)) strftime(text, SUP_MANIFEST_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

static sup_status copy_text(sup_manifest *manifest, const char **to, const char *from) {
  char *copy = NULL;
  *to = NULL;
  if (!from) return SUP_OK;
  SUP_TRY(SUP_CALLOC(copy, strlen(from) + 1));
  memcpy(copy, from, strlen(from));
  manifest->text[manifest->num_texts++] = copy;
  *to = copy;
  return SUP_OK;
}

static sup_status copy_list(sup_manifest *manifest, const char *const **to, const char *const *from,
                            int count) {
  const char **list = NULL;
  SUP_TRY(SUP_CALLOC(list, count));
  *to = list;
  for (int i = 0; i < count; i++) SUP_TRY(copy_text(manifest, &list[i], from[i]));
  return SUP_OK;
}

static sup_status copy_def(sup_manifest *manifest, const sup_manifest_def *def) {
  sup_manifest_def *own = &manifest->def;
  SUP_TRY(SUP_CALLOC(manifest->text, 2 + def->argc + 2 * def->num_libraries + def->num_inputs));
  SUP_TRY(copy_text(manifest, &own->version, def->version));
  SUP_TRY(copy_text(manifest, &own->compiler, def->compiler));
  SUP_TRY(copy_list(manifest, &own->argv, def->argv, def->argc));
  SUP_TRY(copy_list(manifest, &own->library, def->library, 2 * def->num_libraries));
  SUP_TRY(copy_list(manifest, &own->input, def->input, def->num_inputs));
  own->before = NULL, own->is_branch = def->is_branch;
  own->step = def->step, own->time = def->time;
  own->argc = def->argc, own->threads = def->threads;
  own->num_libraries = def->num_libraries, own->num_inputs = def->num_inputs;
  return SUP_OK;
}

/* ---- runs that go on ------------------------------------------------------------------------- */

static const char prefix[] = "manifest.";

static const char *numbered(char name[SUP_ARCHIVE_NAME], const char *what, int i) {
  snprintf(name, SUP_ARCHIVE_NAME, "%s%s.%d", prefix, what, i);
  return name;
}

void sup_manifest_put(const sup_manifest *manifest, sup_archive_writer *writer) {
  const sup_manifest_def *def = &manifest->def;
  char                    name[SUP_ARCHIVE_NAME], start[SUP_MANIFEST_TIME_SIZE];
  memcpy(start, manifest->start, sizeof start);
  for (int i = 0; i < def->argc; i++)
    sup_archive_put_text(writer, numbered(name, "argv", i), def->argv[i]);
  for (int i = 0; i < def->num_inputs; i++)
    sup_archive_put_text(writer, numbered(name, "input", i), def->input[i]);
  sup_manifest_origin    from = manifest->from;
  const sup_archive_item item[] = {
      {"from", &from, sizeof from, 1},
      {"input_hash", manifest->input_hash, sizeof *manifest->input_hash, (size_t)def->num_inputs},
      {"start", start, sizeof start, 1},
      {"resumed", manifest->resumed, sizeof *manifest->resumed, manifest->num_resumed}};
  for (size_t k = 0; k < sizeof item / sizeof *item; k++) sup_archive_put(writer, prefix, &item[k]);
}

/** Read the text `what`.i of the previous run; the manifest owns it. */
static sup_status take_text(sup_manifest *manifest, const sup_archive *archive, const char *what,
                            int i, const char **out) {
  char name[SUP_ARCHIVE_NAME], *text;
  *out = NULL;
  if (!sup_archive_find(archive, "", numbered(name, what, i))) return SUP_OK;
  SUP_TRY(sup_archive_get_text(archive, name, &text));
  manifest->text[manifest->num_texts++] = text;
  *out = text;
  return SUP_OK;
}

/** The command is that of the run's beginning. */
static sup_status take_command(sup_manifest *manifest, const sup_archive *archive) {
  char name[SUP_ARCHIVE_NAME];
  int  argc = 0;
  while (sup_archive_find(archive, "", numbered(name, "argv", argc))) argc++;
  const char **list = NULL;
  char       **more = NULL;
  SUP_TRY(SUP_CALLOC(more, manifest->num_texts + argc));
  memcpy(more, manifest->text, (size_t)manifest->num_texts * sizeof *more);
  SUP_FREE(manifest->text);
  manifest->text = more;
  SUP_FREE(manifest->def.argv);
  manifest->def.argc = 0;
  SUP_TRY(SUP_CALLOC(list, argc));
  manifest->def.argv = list;
  for (int i = 0; i < argc; i++) SUP_TRY(take_text(manifest, archive, "argv", i, &list[i]));
  manifest->def.argc = argc;
  return SUP_OK;
}

/** Start, command and resumptions of the run before, and this one. */
static sup_status go_on(sup_manifest *manifest, const sup_archive *archive) {
  const sup_archive_entry *entry = sup_archive_find(archive, prefix, "resumed");
  size_t                   count = entry ? entry->count : 0;
  sup_manifest_resumption  now = {.step = manifest->def.step, .time = manifest->def.time};
  memcpy(now.start, manifest->start, sizeof now.start);
  snprintf(now.host, sizeof now.host, "%.60s", manifest->host);
  SUP_TRY(SUP_GROW(manifest->resumed, manifest->resumed_capacity, count + 1));
  SUP_TRY(sup_archive_get(
      archive, prefix,
      &(sup_archive_item){"resumed", manifest->resumed, sizeof *manifest->resumed, count}));
  manifest->resumed[count] = now;
  manifest->num_resumed = count + 1;
  SUP_TRY(sup_archive_get(
      archive, prefix, &(sup_archive_item){"start", manifest->start, sizeof manifest->start, 1}));
  manifest->start[sizeof manifest->start - 1] = '\0';
  SUP_TRY(sup_archive_get(archive, prefix,
                          &(sup_archive_item){"from", &manifest->from, sizeof manifest->from, 1}));
  manifest->from.checkpoint[sizeof manifest->from.checkpoint - 1] = '\0';
  SUP_TRY(take_command(manifest, archive));
  return SUP_OK;
}

sup_status sup_output_check_inputs(const sup_archive *archive, const char *const *input,
                                   int num_inputs) {
  for (int i = 0; i < num_inputs; i++) {
    const sup_archive_entry *hashes = sup_archive_find(archive, prefix, "input_hash");
    size_t                   known = hashes ? hashes->count : 0, length = strlen(input[i]);
    if (length > 5 && strcmp(input[i] + length - 5, ".yaml") == 0) continue;
    for (size_t k = 0; k < known; k++) {
      char     name[SUP_ARCHIVE_NAME], *data = NULL, *path = NULL;
      size_t   bytes;
      uint64_t before, now;
      SUP_TRY(sup_archive_get_text(archive, numbered(name, "input", (int)k), &path));
      bool is_it = strcmp(path, input[i]) == 0;
      SUP_FREE(path);
      if (!is_it) continue;
      SUP_TRY(sup_file_read(input[i], &data, &bytes));
      now = sup_hash_bytes(sup_hash_begin(), data, bytes);
      SUP_FREE(data);
      memcpy(&before, hashes->data + k * sizeof before, sizeof before);
      if (now != before)
        return SUP_FAIL(SUP_E_ARG, "%s has changed since the run of %s began", input[i],
                        archive->path);
    }
  }
  return SUP_OK;
}

/* ---- creation -------------------------------------------------------------------------------- */

static sup_status hash_inputs(sup_manifest *manifest) {
  SUP_TRY(SUP_CALLOC(manifest->input_hash, manifest->def.num_inputs));
  SUP_TRY(SUP_CALLOC(manifest->input_bytes, manifest->def.num_inputs));
  for (int i = 0; i < manifest->def.num_inputs; i++) {
    char *data = NULL;
    SUP_TRY(sup_file_read(manifest->def.input[i], &data, &manifest->input_bytes[i]));
    manifest->input_hash[i] = sup_hash_bytes(sup_hash_begin(), data, manifest->input_bytes[i]);
    SUP_FREE(data);
  }
  return SUP_OK;
}

static void take_origin(sup_manifest *manifest, const sup_manifest_def *def) {
  sup_manifest_origin *from = &manifest->from;
  snprintf(from->checkpoint, sizeof from->checkpoint, "%s", def->before->path);
  from->step = def->step, from->time = def->time;
}

sup_status sup_manifest_create(sup_manifest *manifest, const sup_manifest_def *def) {
  sup_status status;
  *manifest = (sup_manifest){.num_texts = 0};
  SUP_TRY_GOTO(copy_def(manifest, def), status, fail);
  SUP_TRY_GOTO(hash_inputs(manifest), status, fail);
  if (gethostname(manifest->host, sizeof manifest->host - 1) != 0) manifest->host[0] = '\0';
  if (!getcwd(manifest->folder, sizeof manifest->folder)) manifest->folder[0] = '\0';
  time_now(manifest->start);
  if (def->before && def->is_branch)
    take_origin(manifest, def);
  else if (def->before)
    SUP_TRY_GOTO(go_on(manifest, def->before), status, fail);
  manifest->def.before = NULL;
  return SUP_OK;
fail:
  sup_manifest_free(manifest);
  return status;
}

void sup_manifest_free(sup_manifest *manifest) {
  for (int i = 0; i < manifest->num_texts; i++) SUP_FREE(manifest->text[i]);
  SUP_FREE_ALL(&manifest->text, &manifest->def.argv, &manifest->def.library, &manifest->def.input,
               &manifest->input_hash, &manifest->input_bytes, &manifest->resumed);
  manifest->num_resumed = manifest->resumed_capacity = 0;
  manifest->num_texts = 0;
}

/** Entries `from`, the origin of a branch, and `resumed`, the resumptions of a run. */
static void put_resumptions(sup_json *json, const sup_manifest *manifest) {
  if (manifest->from.checkpoint[0]) {
    sup_json_begin_object(json, "from");
    sup_json_text(json, "checkpoint", manifest->from.checkpoint);
    sup_json_integer(json, "step", manifest->def.step);
    sup_json_number(json, "time", manifest->def.time);
    sup_json_end(json);
  }
  if (manifest->num_resumed == 0) return;
  sup_json_begin_array(json, "resumed");
  for (size_t i = 0; i < manifest->num_resumed; i++) {
    const sup_manifest_resumption *r = &manifest->resumed[i];
    sup_json_begin_object(json, NULL);
    sup_json_integer(json, "step", r->step);
    sup_json_number(json, "time", r->time);
    sup_json_text(json, "start", r->start);
    sup_json_text(json, "host", r->host);
    sup_json_end(json);
  }
  sup_json_end(json);
}

static void put_inputs(sup_json *json, const sup_manifest *manifest) {
  sup_json_begin_array(json, "inputs");
  for (int i = 0; i < manifest->def.num_inputs; i++) {
    sup_json_begin_object(json, NULL);
    sup_json_text(json, "path", manifest->def.input[i]);
    sup_json_integer(json, "bytes", (long)manifest->input_bytes[i]);
    sup_json_hash(json, "fnv1a", manifest->input_hash[i]);
    sup_json_end(json);
  }
  sup_json_end(json);
}

sup_status sup_manifest_write(const sup_manifest *manifest, const char *path, const char *status,
                              double seconds) {
  const sup_manifest_def *def = &manifest->def;
  bool                    is_running = strcmp(status, "running") == 0;
  sup_json                json;
  char                    end[SUP_MANIFEST_TIME_SIZE];
  time_now(end);
  SUP_TRY(sup_json_open(&json, path));
  sup_json_begin_object(&json, NULL);
  sup_json_text(&json, "status", status);
  sup_json_begin_array(&json, "command");
  for (int i = 0; i < def->argc; i++) sup_json_text(&json, NULL, def->argv[i]);
  sup_json_end(&json);
  sup_json_text(&json, "working_directory", manifest->folder);
  sup_json_text(&json, "version", def->version);
  sup_json_text(&json, "compiler", def->compiler);
  sup_json_begin_object(&json, "libraries");
  for (int i = 0; i < def->num_libraries; i++)
    sup_json_text(&json, def->library[2 * i], def->library[2 * i + 1]);
  sup_json_end(&json);
  sup_json_integer(&json, "threads", def->threads);
  sup_json_text(&json, "host", manifest->host);
  sup_json_text(&json, "start", manifest->start);
  sup_json_text(&json, "end", is_running ? NULL : end);
  sup_json_number(&json, "seconds", seconds);
  put_resumptions(&json, manifest);
  put_inputs(&json, manifest);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}
