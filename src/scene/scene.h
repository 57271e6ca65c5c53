/** Definitions from a scene file: model, output, duration.  Layer scene: knows
 * files and their places, no physics.  `supple help scene` lists every key.
 *
 *  Life cycle: load, [create model and output from it], [write_resolved], destroy.  Models copy
 * what they need. */
#pragma once

#include "output/output.h"
#include "scene/file/node.h"

enum { SUP_TITLE_MAX = 200 };

struct sup_scene {
  char               name[256]; /* of the file, without folder and ending */
  char               title[SUP_TITLE_MAX + 1];
  sup_model_def      model;
  sup_options        options;
  sup_output_def     output;
  double             end_time; /* [s], a whole number of steps */
  sup_static_options statics;
  int                threads; /* 0: one */
  int                num_inputs;
  char             **input;   /* [num_inputs] paths of all files that were read, the scene first */
  bool               is_text; /* the first is none */
  /* private */
  sup_node  *root; /* values with defaults and overrides filled in */
  int        num_arguments;
  char     **argument; /* "--set KEY=VALUE", shown in messages */
  sup_mesh **mesh;     /* [model.num_softs] */
  double    *cells; /* [model.num_softs] that the scene asks for; a plan's meshes may have less */
};

/** sup_scene_load by all ranks together, each of which gets the whole scene: they share the work of
 * refining its meshes.  NULL: one rank. */
SUP_NODISCARD sup_status sup_scene_load_on(sup_scene **scene, const char *path,
                                           const char *const *sets, int num_sets,
                                           const sup_collective *ranks);
/** Load a scene to estimate the cost of a run: generated and refined meshes with more cells than
 * `most` each are made coarser, and scene->cells has their true numbers.  Mesh files are read
 * whole. */
SUP_NODISCARD sup_status sup_scene_plan(sup_scene **scene, const char *path,
                                        const char *const *sets, int num_sets, double most);
/** 1: a mesh of the plan has less cells than the scene asks for. */
bool sup_scene_is_coarser(const sup_scene *scene);
/** Free the meshes once the model is created, which has copies. */
void sup_scene_forget_meshes(sup_scene *scene);
/** E_PARSE "file:line:column: .." names the part of the scene that does not work on so many ranks.
 */
SUP_NODISCARD sup_status sup_scene_check_ranks(const sup_scene *scene, int num_ranks);
/** Locate a failure of a layer that knows no files, for instance of sup_model_create: prepend file,
 * line and column of the body, robot or spring that the message quotes, or the scene's file when it
 * quotes none.  Returns the status. */
SUP_NODISCARD sup_status sup_scene_locate(const sup_scene *scene, sup_status status);
/** Write the scene with every default, override and included material filled in, numbers in SI,
 * paths absolute; it loads to the same definitions. */
SUP_NODISCARD sup_status sup_scene_write_resolved(const sup_scene *scene, const char *path);
/** Scene as text with a line "time.step: 0.01" for each key, for comparisons; the caller frees it
 * with free(). */
SUP_NODISCARD sup_status sup_scene_keys(const sup_scene *scene, char **text);
