/** Scene files of the program `supple`, read as definitions. */
#pragma once

#include "supple/simulator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sup_scene sup_scene; /* constant after loading */

/** Read a scene with its overrides.  Warnings and notes go to sup_log_set's receiver.
 *  @param[in] path  of the file; or the scene itself, a text with a newline, whose files are
 * relative to the working folder
 *  @param[in] sets  [num_sets] "KEY=VALUE" as of `supple run --set`
 *  E_IO: a file cannot be read.  E_PARSE, E_ARG, E_GEOMETRY: "file:line:column: the value found,
 * the values allowed". */
SUP_API SUP_NODISCARD sup_status sup_scene_load(sup_scene **scene, const char *path,
                                                const char *const *sets, int num_sets);
/** A key of scenes, as `supple help scene` has it. */
typedef struct sup_scene_key {
  const char *path;   /* "soft.mesh.finray.wall", without names of things */
  const char *value;  /* its kind: "a length, positive" */
  const char *absent; /* its default: "10 ms", "needed", "none" */
  const char *example, *meaning;
  int         has_names; /* 1: a mapping of things by names that the user chooses */
} sup_scene_key;
/** Is told a key, whose texts live as long as the call; not 0: no more. */
typedef int sup_scene_key_function(const sup_scene_key *key, void *user);
/** Tell all keys, those of a section behind it; returns what ended it. */
SUP_API int  sup_scene_schema(sup_scene_key_function *tell, void *user);
SUP_API void sup_scene_destroy(sup_scene **scene);
/** Definitions of the scene's model, which live as long as the scene; models copy them.
 */
SUP_API const sup_model_def *sup_scene_model_def(const sup_scene *scene);
/** Definition of a simulator of the scene: options, pairs and probes of its output.  Lives as long
 * as the scene, as do the options' texts. */
SUP_API sup_simulator_def sup_scene_simulator_def(const sup_scene *scene, const sup_model *model);
/** sup_simulator_create with that definition. */
SUP_API SUP_NODISCARD sup_status sup_scene_simulator_create(sup_simulator  **simulator,
                                                            const sup_scene *scene,
                                                            const sup_model *model);
/** Load steps of `supple static`. */
SUP_API sup_static_options sup_scene_static_options(const sup_scene *scene);
/** Time at which the scene's run ends [s]. */
SUP_API double sup_scene_end_time(const sup_scene *scene);

#ifdef __cplusplus
}
#endif
