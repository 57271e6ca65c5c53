/** Readers of files of people, by the kind of the file: for libFuzzer (fuzz.c) and for the kept
 * corpus (test_corpus.c). */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/table.h"
#include "mesh/format/mesh_file.h"
#include "mesh/format/surface_file.h"
#include "scene/profile_file.h"
#include "scene/robot/mjcf.h"
#include "scene/robot/sdf.h"
#include "scene/robot/urdf.h"
#include "scene/scene.h"
#include "study/study.h"
#include "tree/tree.h"

/** A target reads the file at the path, whose bytes are data [size], and frees what it got. */
typedef sup_status fuzz_target(const char *path, const char *data, size_t size);

static inline sup_status fuzz_mesh(const char *path, const char *data, size_t size) {
  sup_mesh  *mesh = NULL;
  sup_status status = sup_mesh_read(&mesh, path, NULL);
  (void)data, (void)size;
  sup_mesh_destroy(&mesh);
  return status;
}

static inline sup_status fuzz_surface(const char *path, const char *data, size_t size) {
  const double scale[3] = {1, 1, 1};
  sup_surface *surface = NULL;
  double      *points = NULL;
  sup_status   status = sup_surface_parse(&surface, &points, path, data, size, scale, NULL);
  sup_surface_destroy(&surface);
  SUP_FREE(points);
  return status;
}

/** As a mesh and as a surface. */
static inline sup_status fuzz_both(const char *path, const char *data, size_t size) {
  sup_status status = fuzz_surface(path, data, size);
  sup_status other = fuzz_mesh(path, data, size);
  return status == SUP_OK ? status : other;
}

static inline sup_status fuzz_urdf(const char *path, const char *data, size_t size) {
  sup_tree_def def = sup_default_tree_def();
  sup_status   status = sup_urdf_read(&def, path, NULL, 0);
  (void)data, (void)size;
  if (status == SUP_OK) sup_tree_def_free(&def);
  return status;
}

static inline sup_status fuzz_robot(const char *path,
                                    sup_status (*read)(sup_tree_def *, const char *,
                                                       const sup_robot_context *)) {
  sup_tree_def      def = sup_default_tree_def();
  sup_model_def     model = sup_default_model_def();
  sup_robot_context context = {
      .contact = sup_default_contact_def(), .model = &model, .name = "robot"};
  sup_status status = read(&def, path, &context);
  if (status == SUP_OK) sup_tree_def_free(&def);
  for (int i = 0; i < model.num_actuators; i++) sup_table_free(&model.actuators[i].target);
  SUP_FREE_ALL(&model.actuators, &model.constraints);
  return status;
}

static inline sup_status fuzz_mjcf(const char *path, const char *data, size_t size) {
  (void)data, (void)size;
  return fuzz_robot(path, sup_mjcf_read);
}

static inline sup_status fuzz_sdf(const char *path, const char *data, size_t size) {
  (void)data, (void)size;
  return fuzz_robot(path, sup_sdf_read);
}

static inline sup_status fuzz_scene(const char *path, const char *data, size_t size) {
  sup_scene *scene = NULL;
  sup_status status = sup_scene_load(&scene, path, NULL, 0);
  (void)data, (void)size;
  sup_scene_destroy(&scene);
  return status;
}

static inline sup_status fuzz_drawing(const char *path, const char *data, size_t size) {
  sup_profile *profile = NULL;
  sup_status   status = sup_profile_read(&profile, path, 1e-3);
  (void)data, (void)size;
  sup_profile_destroy(&profile);
  return status;
}

static inline sup_status fuzz_study(const char *path, const char *data, size_t size) {
  sup_study *study = NULL;
  sup_status status = SUP_OK;
  (void)data, (void)size;
  for (int kind = SUP_NUM_STUDY_KINDS - 1; kind >= 0; kind--) { /* the first kind speaks last */
    status = sup_study_load(&study, path, (sup_study_kind)kind);
    sup_study_destroy(&study);
  }
  return status;
}

/** Model of one small scene, whose states are in the corpus. */
static inline sup_status fuzz_state(const char *path, const char *data, size_t size) {
  static sup_scene *scene;
  static sup_model *model;
  sup_state        *state = NULL;
  (void)data, (void)size;
  if (!scene) SUP_TRY(sup_scene_load(&scene, "tests/data/scene/drop.yaml", NULL, 0));
  if (!model) SUP_TRY(sup_model_create(&model, &scene->model));
  sup_status status = sup_state_load(&state, model, &scene->options, path);
  sup_state_destroy(&state);
  return status;
}

/** Folders of tests/fuzz/corpus; the end of a file's name is that of its kind. */
static const struct {
  const char  *name, *ending;
  fuzz_target *run;
} fuzz_targets[] = {{"mesh_vtk", ".vtk", fuzz_mesh},       {"mesh_gmsh", ".msh", fuzz_both},
                    {"mesh_abaqus", ".inp", fuzz_mesh},    {"mesh_medit", ".mesh", fuzz_both},
                    {"surface_stl", ".stl", fuzz_surface}, {"surface_obj", ".obj", fuzz_surface},
                    {"surface_ply", ".ply", fuzz_surface}, {"urdf", ".urdf", fuzz_urdf},
                    {"scene", ".yaml", fuzz_scene},        {"study", ".yaml", fuzz_study},
                    {"state", ".state", fuzz_state},       {"drawing_svg", ".svg", fuzz_drawing},
                    {"drawing_dxf", ".dxf", fuzz_drawing}, {"drawing_csv", ".csv", fuzz_drawing},
                    {"mjcf", ".xml", fuzz_mjcf},           {"sdf", ".sdf", fuzz_sdf}};
enum { FUZZ_NUM_TARGETS = sizeof fuzz_targets / sizeof *fuzz_targets };

/** Write the bytes to the path and read them. */
static inline sup_status fuzz_run(int target, const char *path, const char *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file) abort();
  if (fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
  return fuzz_targets[target].run(path, data, size);
}
