/* Source positions for messages of the layers below, which know no files. */
#include <string.h>

#include "base/memory.h"
#include "scene/scene.h"

/** The entry of this name in one of the sections whose keys users choose; NULL: none. */
static const sup_node *find_named(const sup_scene *scene, const char *name, size_t length) {
  static const char *const sections[] = {"rigid", "soft",     "robots", "actuators",   "springs",
                                         "loads", "chambers", "cables", "constraints", "ties"};
  for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
    const sup_node *section = sup_node_find(scene->root, sections[s]);
    for (const sup_node *c = section ? section->child : NULL; c; c = c->next)
      if (c->key && strlen(c->key) == length && strncmp(c->key, name, length) == 0) return c;
  }
  return NULL;
}

/** The value at a path of keys, "contact.solver"; NULL: the scene has none. */
static const sup_node *find_path(const sup_scene *scene, const char *path, size_t length) {
  const sup_node *node = scene->root;
  char            key[SUP_NAME_MAX];
  for (const char *end = path + length; node && path < end;) {
    size_t n = strcspn(path, ".");
    if (path + n > end) n = (size_t)(end - path);
    if (n == 0 || n >= sizeof key || node->type != SUP_NODE_MAPPING) return NULL;
    memcpy(key, path, n), key[n] = '\0';
    node = sup_node_find(node, key);
    path += n + (path + n < end);
  }
  return node;
}

/** A path or a key of the scene in the message. */
static const sup_node *find_key(const sup_scene *scene, const char *message) {
  static const char        letters[] = "abcdefghijklmnopqrstuvwxyz_.";
  static const char *const called[][2] = {{"contact solver", "contact.solver"},
                                          {"time scheme", "time.scheme"}};
  for (const char *word = message; *word; word += strcspn(word, letters)) {
    size_t length = strspn(word, letters), stop = strcspn(word, ".");
    if (length > 0 && stop > 0 && stop + 1 < length) {
      const sup_node *node = find_path(scene, word, length);
      if (node) return node;
    }
    word += length;
  }
  for (size_t i = 0; i < sizeof called / sizeof *called; i++)
    if (strstr(message, called[i][0])) return find_path(scene, called[i][1], strlen(called[i][1]));
  return NULL;
}

/** Node of the first quoted word of the message that names a thing; NULL: none. */
static const sup_node *find_quoted(const sup_scene *scene, const char *message) {
  const sup_node *node = NULL;
  const char     *end;
  for (const char *quote = strchr(message, '\''); quote && !node; quote = strchr(end + 1, '\'')) {
    end = strchr(quote + 1, '\'');
    if (!end) return NULL;
    node = find_named(scene, quote + 1, strcspn(quote + 1, "/'")); /* ROBOT of ROBOT/LINK */
  }
  return node;
}

sup_status sup_scene_locate(const sup_scene *scene, sup_status status) {
  const char *message = sup_error_message();
  if (status == SUP_OK || status == SUP_E_MEMORY || !scene->root || scene->num_inputs == 0)
    return status;
  for (int i = 0; i < scene->num_inputs; i++) /* it says where it is already */
    if (strncmp(message, scene->input[i], strlen(scene->input[i])) == 0) return status;
  for (int i = 0; i < scene->num_arguments; i++)
    if (strncmp(message, scene->argument[i], strlen(scene->argument[i])) == 0) return status;
  const sup_node *node = find_quoted(scene, message);
  if (!node) node = find_key(scene, message);
  if (node) return SUP_FAIL_WRAP(status, node->key ? node->key_place : node->place);
  return SUP_FAIL(status, "%s: %s", scene->input[0], message);
}
