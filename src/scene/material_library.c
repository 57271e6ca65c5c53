#define _DEFAULT_SOURCE /* realpath */
#include "scene/material_library.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/process.h"
#include "base/memory.h"
#include "scene/build.h"
#include "scene/file/yaml.h"

/* ---- where it is ----------------------------------------------------------------------------- */

static bool is_folder(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) return 0;
  closedir(folder);
  return 1;
}

int sup_material_library_folder(char *folder, size_t size) {
  static const char *const places[] = {"/../../materials", "/../share/supple/materials"};
  const char              *given = getenv("SUPPLE_MATERIALS");
  char                     program[3000];
  if (given && given[0]) {
    snprintf(folder, size, "%s", given);
    return is_folder(folder);
  }
  if (!sup_program_folder(program, sizeof program)) return 0;
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    char *whole, path[4096];
    snprintf(path, sizeof path, "%s%s", program, places[k]);
    if (!is_folder(path) || !(whole = realpath(path, NULL))) continue;
    snprintf(folder, size, "%s", whole);
    free(whole); /* the C library's */
    return 1;
  }
  return 0;
}

/* ---- its files ------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static sup_status list_files(sup_material_library *library) {
  DIR       *folder = opendir(library->folder);
  sup_status status = SUP_OK;
  if (!folder) return SUP_FAIL(SUP_E_IO, "cannot read the folder %s", library->folder);
  for (const struct dirent *e; status == SUP_OK && (e = readdir(folder)) != NULL;) {
    size_t n = strlen(e->d_name);
    if (n < 6 || strcmp(e->d_name + n - 5, ".yaml") != 0) continue;
    if (library->num_files == SUP_LIBRARY_MAX_FILES) break;
    char **name = &library->file[library->num_files];
    status = sup_calloc((void *)name, n + 1, 1);
    if (status == SUP_OK) memcpy(*name, e->d_name, n), library->num_files++;
  }
  closedir(folder);
  qsort(library->file, (size_t)library->num_files, sizeof *library->file, by_name);
  return status;
}

static sup_status read_file(sup_material_library *library, int f) {
  char      path[4096 + 256], what[2 * SUP_NAME_MAX];
  sup_node *materials;
  snprintf(path, sizeof path, "%s/%s", library->folder, library->file[f]);
  SUP_TRY(sup_yaml_read(&library->root[f], path));
  materials = sup_node_find(library->root[f], "materials");
  if (!materials || materials->type != SUP_NODE_MAPPING) return SUP_OK;
  for (sup_node *c = materials->child; c; c = c->next) {
    SUP_TRY(SUP_GROW(library->material, library->capacity, library->num_materials + 1));
    sup_library_material *m = &library->material[library->num_materials];
    *m = (sup_library_material){
        .def = sup_default_material_def(), .file = library->file[f], .node = c};
    SUP_TRY(sup_node_name(c, "material", m->def.name));
    snprintf(what, sizeof what, "material '%s'", m->def.name);
    SUP_TRY(sup_read_material(c, what, 0, &m->def));
    SUP_TRY(sup_read_material_ranges(c, &m->def, m->range));
    library->num_materials++;
  }
  return SUP_OK;
}

sup_status sup_material_library_read(sup_material_library **out) {
  sup_material_library *library;
  sup_status            status;
  SUP_TRY(SUP_CALLOC(*out, 1));
  library = *out;
  if (!sup_material_library_folder(library->folder, sizeof library->folder))
    SUP_TRY_GOTO(SUP_FAIL(SUP_E_IO,
                          "the folder of materials was not found; expected share/supple/materials "
                          "of the installation, or its path in SUPPLE_MATERIALS"),
                 status, failed);
  SUP_TRY_GOTO(list_files(library), status, failed);
  for (int f = 0; f < library->num_files; f++) SUP_TRY_GOTO(read_file(library, f), status, failed);
  return SUP_OK;
failed:
  sup_material_library_destroy(out);
  return status;
}

void sup_material_library_destroy(sup_material_library **library) {
  if (!*library) return;
  for (int f = 0; f < (*library)->num_files; f++) {
    SUP_FREE((*library)->file[f]);
    sup_node_destroy(&(*library)->root[f]);
  }
  SUP_FREE_ALL(&(*library)->material, library);
}

const char *sup_library_remark(const sup_library_material *material, const char *key,
                               const char *number) {
  const sup_node *node = sup_node_find(material->node, key);
  if (node && node->type == SUP_NODE_MAPPING) node = sup_node_find(node, number);
  return node && node->type == SUP_NODE_SCALAR ? node->text : NULL;
}
