#include "output/manifest.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "output/json.h"

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
  own->argc = def->argc, own->threads = def->threads;
  own->num_libraries = def->num_libraries, own->num_inputs = def->num_inputs;
  return SUP_OK;
}

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

sup_status sup_manifest_create(sup_manifest *manifest, const sup_manifest_def *def) {
  sup_status status;
  *manifest = (sup_manifest){.num_texts = 0};
  SUP_TRY_GOTO(copy_def(manifest, def), status, fail);
  SUP_TRY_GOTO(hash_inputs(manifest), status, fail);
  if (gethostname(manifest->host, sizeof manifest->host - 1) != 0) manifest->host[0] = '\0';
  if (!getcwd(manifest->folder, sizeof manifest->folder)) manifest->folder[0] = '\0';
  time_now(manifest->start);
  return SUP_OK;
fail:
  sup_manifest_free(manifest);
  return status;
}

void sup_manifest_free(sup_manifest *manifest) {
  for (int i = 0; i < manifest->num_texts; i++) SUP_FREE(manifest->text[i]);
  SUP_FREE(manifest->text);
  SUP_FREE(manifest->def.argv);
  SUP_FREE(manifest->def.library);
  SUP_FREE(manifest->def.input);
  SUP_FREE(manifest->input_hash);
  SUP_FREE(manifest->input_bytes);
  manifest->num_texts = 0;
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
  int                     is_running = strcmp(status, "running") == 0;
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
  put_inputs(&json, manifest);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}
