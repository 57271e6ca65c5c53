/* Where in the scene stands what the layers below, which know no files, complain about. */
#include <string.h>

#include "base/memory.h"
#include "scene/scene.h"

/** The entry of this name in one of the sections whose keys users choose; NULL: none. */
static const sup_node *find_named(const sup_scene *scene, const char *name, size_t length) {
  static const char *const sections[] = {"rigid",     "soft",    "robots",
                                         "actuators", "springs", "loads"};
  for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
    const sup_node *section = sup_node_find(scene->root, sections[s]);
    for (const sup_node *c = section ? section->child : NULL; c; c = c->next)
      if (c->key && strlen(c->key) == length && strncmp(c->key, name, length) == 0) return c;
  }
  return NULL;
}

sup_status sup_scene_locate(const sup_scene *scene, sup_status status) {
  const char *message = sup_error_message(), *end;
  if (status == SUP_OK || status == SUP_E_MEMORY || !scene->root || scene->num_inputs == 0)
    return status;
  for (int i = 0; i < scene->num_inputs; i++) /* it says where it is already */
    if (strncmp(message, scene->input[i], strlen(scene->input[i])) == 0) return status;
  for (const char *quote = strchr(message, '\''); quote; quote = strchr(end + 1, '\'')) {
    end = strchr(quote + 1, '\'');
    if (!end) break;
    const sup_node *node =
        find_named(scene, quote + 1, strcspn(quote + 1, "/'")); /* ROBOT of ROBOT/LINK */
    if (node) return SUP_FAIL_WRAP(status, node->key_place);
  }
  return SUP_FAIL(status, "%s: %s", scene->input[0], message);
}
