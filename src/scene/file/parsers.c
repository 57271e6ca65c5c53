/* The only file that links to libyaml and libxml2: an archive of its own, libsupple-parsers. */
#include "scene/file/parsers.h"

const sup_parsers sup_parsers_table = {
#define SUP_PARSER_ENTRY(name) .name = name,
    SUP_PARSER_FUNCTIONS(SUP_PARSER_ENTRY)
#undef SUP_PARSER_ENTRY
};

sup_status sup_scene_load(sup_scene **scene, const char *path, const char *const *sets,
                          int num_sets) {
  return sup_scene_read(scene, path, sets, num_sets);
}
